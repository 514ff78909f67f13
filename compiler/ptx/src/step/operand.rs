//! Reading sources and writing destinations.

use super::{Done, PtxState, Step};
use crate::checked::{AddressBase, Operand, RegisterId, Type};
use sassafras_semantics::{Domain, Trap};

impl<'a, D: Domain, S: PtxState<D>> Step<'_, 'a, D, S> {
    /// The form has no meaning here.
    pub(super) fn unsupported(&self) -> Trap {
        let mut form = format!("{:?}", self.inst.op).to_lowercase();
        let mods = &self.inst.mods;
        for mode in mods.mode.iter().chain(&mods.hints) {
            form += &format!(".{mode}");
        }
        for (set, name) in [
            (mods.sat, "sat"),
            (mods.satfinite, "satfinite"),
            (mods.relu, "relu"),
            (mods.oob, "oob"),
            (mods.ftz, "ftz"),
            (mods.approx, "approx"),
            (mods.carry_out, "cc"),
        ] {
            if set {
                form += &format!(".{name}");
            }
        }
        for ty in &self.inst.types {
            form += &format!(".{ty:?}").to_lowercase();
        }
        Trap::Unsupported(format!("the meaning of {form}, line {},", self.inst.line))
    }

    /// Operand number `index`.
    pub(super) fn operand(&self, index: usize) -> Done<&'a Operand> {
        self.inst.operands.get(index).ok_or_else(|| self.unsupported())
    }

    /// Number of operands.
    pub(super) fn operands(&self) -> usize {
        self.inst.operands.len()
    }

    /// `value` cut or zero-extended to `width`.
    pub(super) fn resize(&self, value: &D::V, width: u32) -> D::V {
        if self.d.width(value) > width { self.d.extract(value, 0, width) } else { self.d.zext(value, width) }
    }

    /// `value` extended by a sign.
    pub(super) fn extend(&self, value: &D::V, width: u32, signed: bool) -> D::V {
        if signed { self.d.sext(value, width) } else { self.d.zext(value, width) }
    }

    /// Source operand `index` as a value of type `ty`.
    pub(super) fn source(&mut self, index: usize, ty: Type) -> Done<D::V> {
        let operand = self.operand(index)?;
        self.value(operand, ty.width())
    }

    /// An operand as a value of a width: the low bits of a wider register.
    pub(super) fn value(&mut self, operand: &Operand, width: u32) -> Done<D::V> {
        let d = self.d;
        let value = match operand {
            Operand::Register(r) => self.state.read(d, *r)?,
            Operand::NotRegister(r) => d.not(&self.state.read(d, *r)?),
            Operand::Immediate(bits) => {
                // Sign-extended to 64 bits already; wider than that only by zeros.
                return Ok(d.constant(width, u128::from(*bits)));
            }
            Operand::Special(register) => self.state.special(d, *register)?,
            Operand::Symbol(variable, offset) => {
                let base = self.state.symbol_address(d, *variable)?;
                self.offset(&base, *offset)
            }
            Operand::Param(index, returns, offset) => {
                let base = self.state.param_address(d, *index, *returns)?;
                self.offset(&base, *offset)
            }
            Operand::Function(function) => self.state.function_address(d, *function)?,
            Operand::Vector(parts) => return self.pack(parts, width),
            _ => return Err(self.unsupported()),
        };
        Ok(self.resize(&value, width))
    }

    /// Elements side by side, the first lowest.
    fn pack(&mut self, parts: &[Box<Operand>], width: u32) -> Done<D::V> {
        let each = width / parts.len().max(1) as u32;
        let mut all: Option<D::V> = None;
        for part in parts {
            let value = self.value(part, each)?;
            all = Some(match all {
                None => value,
                Some(low) => self.d.concat(&value, &low),
            });
        }
        all.ok_or_else(|| self.unsupported())
    }

    fn offset(&self, base: &D::V, offset: i64) -> D::V {
        if offset == 0 {
            return base.clone();
        }
        let width = self.d.width(base);
        self.d.add(base, &self.d.constant(width, offset as i128 as u128))
    }

    /// The address that a memory operand names, 64 bits. A 32-bit base wraps at 32 bits.
    pub(super) fn address(&mut self, index: usize) -> Done<D::V> {
        let d = self.d;
        let (base, offset) = match self.operand(index)? {
            Operand::Address(AddressBase::Register(r), offset) => (self.state.read(d, *r)?, *offset),
            Operand::Address(AddressBase::Symbol(v), offset) | Operand::Symbol(v, offset) => {
                (self.state.symbol_address(d, *v)?, *offset)
            }
            Operand::Address(AddressBase::Param(index, returns), offset)
            | Operand::Param(index, returns, offset) => {
                (self.state.param_address(d, *index, *returns)?, *offset)
            }
            Operand::Address(AddressBase::Absolute, offset) => (d.constant(64, *offset as u128), 0),
            _ => return Err(self.unsupported()),
        };
        Ok(self.resize(&self.offset(&base, offset), 64))
    }

    /// Sets a register: `value` may be narrower, then it is extended by `signed`.
    pub(super) fn set(&mut self, register: RegisterId, value: &D::V, signed: bool) -> Done<()> {
        let declared = self.function.registers.get(register.0 as usize).ok_or_else(|| self.unsupported())?;
        let width = declared.ty.width();
        if self.d.width(value) > width {
            return Err(self.unsupported());
        }
        let value = self.extend(value, width, signed);
        self.state.write(self.d, register, value);
        Ok(())
    }

    /// Sets the destination, operand 0 (the first of a pair).
    pub(super) fn result(&mut self, value: &D::V) -> Done<()> {
        let operand = self.operand(0)?;
        self.result_to(operand, value, false)
    }

    /// Sets a destination operand: a register, the first of a pair, a vector of equal parts, or nothing (`_`).
    pub(super) fn result_to(&mut self, operand: &Operand, value: &D::V, signed: bool) -> Done<()> {
        match operand {
            Operand::Register(r) => self.set(*r, value, signed),
            Operand::Pair(first, _) => self.result_to(first, value, signed),
            Operand::Vector(parts) => {
                let each = self.d.width(value) / parts.len().max(1) as u32;
                for (i, part) in parts.iter().enumerate() {
                    let low = i as u32 * each;
                    let piece = self.d.extract(value, low, each);
                    self.result_to(part, &piece, signed)?;
                }
                Ok(())
            }
            Operand::Sink => Ok(()),
            _ => Err(self.unsupported()),
        }
    }

    /// Sets the second destination of a pair, if there is one.
    pub(super) fn second_result(&mut self, value: &D::V) -> Done<()> {
        match self.operand(0)? {
            Operand::Pair(_, second) => self.result_to(second, value, false),
            _ => Ok(()),
        }
    }
}
