//! Operands to values and back.

use crate::context::{Context, Result, type_of};
use crate::refusal::Refusal;
use sassafras_ir::{Op, Type, Value};
use sassafras_ptx::checked::{self, Operand, VariableId};
use sassafras_semantics::{Space, SpecialRegister};

impl Context<'_, '_> {
    /// The value of a source operand read as a type; 8 bits are read as 16.
    pub fn value(&mut self, operand: &Operand, ty: checked::Type) -> Result<Value> {
        let want = type_of(ty.width());
        match operand {
            Operand::Register(r) => {
                let value = self.register(*r);
                Ok(self.resize(value, want, ty.signed()))
            }
            Operand::NotRegister(r) => {
                let value = self.register(*r);
                Ok(self.b().not(value))
            }
            Operand::Immediate(bits) => {
                let wide = if ty.signed() { *bits as i64 as i128 as u128 } else { u128::from(*bits) };
                Ok(self.b().constant(want, wide))
            }
            Operand::Special(register) => {
                let value = self.special(*register);
                Ok(self.resize(value, want, false))
            }
            Operand::Symbol(id, offset) => {
                let value = self.symbol(*id, *offset)?;
                Ok(self.resize(value, want, false))
            }
            Operand::Vector(items) => self.pack(items, want),
            Operand::Param(index, false, offset) if self.instance == 0 => {
                // An address in the parameter space of the kernel: the offset in its block.
                let params = &self.flat.instances[0].function.params;
                let param = params.get(*index as usize).ok_or(Refusal::Nonexistent("the parameter"))?;
                Ok(self.b().constant(want, (i64::from(param.offset) + offset) as u64 as u128))
            }
            Operand::Param(..) => {
                Err(Refusal::Unsupported("the address of a parameter of a device function as a value"))
            }
            Operand::Function(id) => {
                let address = crate::variables::function_address(*id);
                Ok(self.b().constant(want, address.into()))
            }
            _ => Err(Refusal::Malformed("an operand is not a value")),
        }
    }

    /// A vector operand as one value, its first element lowest.
    fn pack(&mut self, items: &[Box<Operand>], want: Type) -> Result<Value> {
        let width = want.bits() / items.len() as u32;
        let element = checked::Type::B(width as u8);
        let parts = items.iter().map(|item| self.value(item, element)).collect::<Result<Vec<_>>>()?;
        if width == 8 {
            // Bytes live in 16 bits: joined by shifts.
            let mut all = self.b().constant(Type::I32, 0);
            for (i, part) in parts.into_iter().enumerate() {
                let part = self.b().zext(part, Type::I32);
                let mask = self.b().i32(0xff);
                let part = self.b().and(part, mask);
                let part = self.b().shl_by(part, 8 * i as u32);
                all = self.b().or(all, part);
            }
            return Ok(self.resize(all, want, false));
        }
        Ok(self.b().value(Op::Concat, &parts, want))
    }

    /// Writes a vector destination from one value.
    pub fn unpack(&mut self, items: &[Box<Operand>], value: Value) -> Result<()> {
        let width = self.function.ty(value).bits() / items.len() as u32;
        // All parts before the first write: a destination may be the source.
        let mut parts = Vec::new();
        for (i, item) in items.iter().enumerate() {
            if matches!(**item, Operand::Sink) {
                parts.push(None);
                continue;
            }
            let part = if width == 8 {
                let shifted = self.b().lshr_by(value, 8 * i as u32);
                let mask = self.function.ty(value);
                let mask = self.b().constant(mask, 0xff);
                let byte = self.b().and(shifted, mask);
                self.resize(byte, Type::I16, false)
            } else {
                self.b().value(Op::Extract((width * i as u32) as u8), &[value], Type(width as u8))
            };
            parts.push(Some(part));
        }
        for (item, part) in items.iter().zip(parts) {
            if let Some(part) = part {
                self.write(item, part, false)?;
            }
        }
        Ok(())
    }

    /// A special register.
    pub fn special(&mut self, register: SpecialRegister) -> Value {
        use SpecialRegister as S;
        let ty = Type(register.width() as u8);
        // The blocks of a cluster are neighbours in each direction.
        let (axis, op) = match register {
            S::ClusterId(axis) => (axis, Op::Div { signed: false }),
            S::ClusterCtaid(axis) => (axis, Op::Rem { signed: false }),
            _ => return self.b().value(Op::Special(register), &[], ty),
        };
        let block = self.b().value(Op::Special(S::Ctaid(axis)), &[], ty);
        let size = self.b().value(Op::Special(S::ClusterNctaid(axis)), &[], ty);
        self.b().value(op, &[block, size], ty)
    }

    /// The address of a variable in its own space.
    pub fn symbol(&mut self, id: VariableId, offset: i64) -> Result<Value> {
        if let Some(at) = self.symbols.in_frame(self.instance, id) {
            let frame = self.read(self.flow.stack);
            let offset = self.b().i32((i64::from(at) + offset) as u32);
            return Ok(self.b().add(frame, offset));
        }
        let variable = self
            .symbols
            .get(self.instance, id)
            .ok_or(Refusal::Malformed("a symbol names no variable in memory"))?;
        let ty = if self.symbol_space(id) == Space::Global { Type::I64 } else { Type::I32 };
        Ok(self.b().value(Op::Address(variable, offset), &[], ty))
    }

    /// The space of a variable.
    pub fn symbol_space(&self, id: VariableId) -> Space {
        self.flat.instances[self.instance].function.variable(self.module, id).space
    }

    /// Writes a destination. A register wider than the value gets it extended.
    pub fn write(&mut self, operand: &Operand, value: Value, signed: bool) -> Result<()> {
        match operand {
            Operand::Register(r) => {
                self.set_register(*r, value, signed);
                Ok(())
            }
            Operand::Sink => Ok(()),
            Operand::Vector(items) => self.unpack(items, value),
            _ => Err(Refusal::Malformed("a destination is not a register")),
        }
    }

    /// An integer source of 16, 32 or 64 bits; 16 (and 8) bits extended to 32 as its type says.
    pub fn int(&mut self, operand: &Operand, ty: checked::Type) -> Result<Value> {
        let value = self.value(operand, ty)?;
        Ok(match ty.width() {
            8 => {
                let wide = self.b().zext(value, Type::I32);
                self.low_byte(wide, ty.signed())
            }
            16 if ty.signed() => self.b().sext(value, Type::I32),
            16 => self.b().zext(value, Type::I32),
            _ => value,
        })
    }

    /// The low byte of 32 bits, extended.
    pub fn low_byte(&mut self, value: Value, signed: bool) -> Value {
        if signed {
            let up = self.b().shl_by(value, 24);
            return self.b().ashr_by(up, 24);
        }
        let mask = self.b().i32(0xff);
        self.b().and(value, mask)
    }

    /// Writes an integer result that was computed in 32 or 64 bits.
    pub fn int_result(&mut self, operand: &Operand, value: Value, ty: checked::Type) -> Result<()> {
        let narrow = self.resize(value, type_of(ty.width()), ty.signed());
        self.write(operand, narrow, ty.signed())
    }
}

/// The operand at a position.
pub(crate) fn operand(operands: &[Operand], at: usize) -> Result<&Operand> {
    operands.get(at).ok_or(Refusal::MissingOperand(at))
}

/// The two halves of a `d|p` destination; one destination is the first half alone.
pub(crate) fn pair(operand: &Operand) -> (&Operand, Option<&Operand>) {
    match operand {
        Operand::Pair(a, b) => (a, Some(b)),
        other => (other, None),
    }
}
