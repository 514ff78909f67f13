//! One lane, one instruction: operands by the name of their field.

use super::outcome::{Outcome, Step};
use super::register::Register;
use crate::form::{FieldKind, RegClass};
use crate::inst::Inst;
use crate::table;
use sassafras_semantics::{Access, BinaryOp, Domain, Ordering, Scope, Space, State, Trap};
use std::cell::Cell;

/// What the meanings read and write through.
pub(super) struct Lane<'a, D: Domain, S> {
    pub d: &'a D,
    pub inst: &'a Inst,
    /// Address of the instruction.
    pub address: u64,
    pub state: &'a mut S,
    /// Collects the fields that are looked at, one bit each: for the test that no modifier is overlooked.
    touched: Option<&'a Cell<u64>>,
}

impl<'a, D: Domain, S: State<D, Register = Register>> Lane<'a, D, S> {
    pub fn new(
        d: &'a D,
        inst: &'a Inst,
        address: u64,
        state: &'a mut S,
        touched: Option<&'a Cell<u64>>,
    ) -> Self {
        Lane { d, inst, address, state, touched }
    }

    /// The index of a field, if the form has it, which is not marked as looked at.
    #[inline]
    fn place(&self, name: &str) -> Option<usize> {
        table::plan(self.inst.form).field(name)
    }

    /// The index of a field, if the form has it.
    #[inline]
    fn index(&mut self, name: &str) -> Option<usize> {
        let i = self.place(name)?;
        self.touch(i);
        Some(i)
    }

    fn need(&mut self, name: &str) -> Result<usize, Trap> {
        match self.index(name) {
            Some(i) => Ok(i),
            None => Err(self.unsupported(&format!("an operand `{name}`, which the form lacks,"))),
        }
    }

    /// The error that names the form.
    pub fn unsupported(&self, what: &str) -> Trap {
        Trap::Unsupported(format!("{what} in {}", self.inst.row().id))
    }

    /// Whether the form has a field.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// The value of a field; 0 if the form lacks it.
    pub fn raw(&mut self, name: &str) -> u64 {
        self.index(name).map_or(0, |i| self.inst.fields[i])
    }

    /// Whether a flag or a one-bit enum is set.
    pub fn flag(&mut self, name: &str) -> bool {
        self.raw(name) != 0
    }

    /// The text of an enum; empty if the form lacks it.
    pub fn text(&mut self, name: &str) -> &'static str {
        let Some(i) = self.index(name) else { return "" };
        let texts = &self.inst.row().fields[i].texts;
        texts.get(self.inst.fields[i] as usize).copied().flatten().unwrap_or("")
    }

    /// The field that belongs to an operand, as in `a.neg`: such fields stand right behind the operand's.
    fn own_index(&mut self, name: &str, part: &str) -> Option<usize> {
        let fields = &self.inst.row().fields;
        let of = self.place(name)?;
        for (i, field) in fields.iter().enumerate().skip(of + 1) {
            let rest = field.name.strip_prefix(name)?.strip_prefix('.')?;
            if rest == part {
                self.touch(i);
                return Some(i);
            }
        }
        None
    }

    /// The flag that belongs to an operand.
    fn own(&mut self, name: &str, flag: &str) -> bool {
        self.own_index(name, flag).is_some_and(|i| self.inst.fields[i] != 0)
    }

    fn touch(&self, i: usize) {
        if let Some(touched) = self.touched {
            touched.set(touched.get() | 1 << (i & 63));
        }
    }

    /// Whether the operand is negated (or complemented).
    pub fn negated(&mut self, name: &str) -> bool {
        self.own(name, "neg")
    }

    /// Whether the operand's absolute value is taken.
    pub fn absolute(&mut self, name: &str) -> bool {
        self.own(name, "abs")
    }

    /// The constant of a width.
    pub fn constant(&self, width: u32, bits: u64) -> D::V {
        self.d.constant(width, u128::from(bits))
    }

    /// A general or uniform register, whatever class the field has.
    fn register(&mut self, class: RegClass, number: u64) -> Result<D::V, Trap> {
        if class.constant() == Some(number) {
            return Ok(match class {
                RegClass::P | RegClass::UP => self.d.yes(),
                _ => self.constant(32, 0),
            });
        }
        let number = u32::try_from(number).map_err(|_| self.unsupported("a register number out of range"))?;
        self.state.read(self.d, Register { class, number })
    }

    /// A source of `units` × 32 bits, without its flags.
    fn source(&mut self, name: &str, units: u32) -> Result<D::V, Trap> {
        let i = self.need(name)?;
        let value = self.inst.fields[i];
        let width = 32 * units;
        match self.inst.row().fields[i].kind {
            FieldKind::Register { class, .. } => {
                let mut all = self.register(class, value)?;
                for unit in 1..u64::from(units) {
                    let zero = class.constant() == Some(value);
                    let next = self.register(class, if zero { value } else { value + unit })?;
                    all = self.d.concat(&next, &all);
                }
                Ok(all)
            }
            FieldKind::ConstantOffset { .. } => {
                let bank = self.own_index(name, "bank").map_or(0, |i| self.inst.fields[i]);
                self.bank(bank, &self.constant(32, value), 4 * units)
            }
            FieldKind::Float64High if units == 2 => Ok(self.constant(64, value << 32)),
            FieldKind::Signed { .. } => Ok(self.d.constant(width, value as i64 as u128)),
            FieldKind::Unsigned { .. }
            | FieldKind::Float32
            | FieldKind::Float64High
            | FieldKind::Float16
            | FieldKind::Bfloat16
            | FieldKind::Half { .. } => Ok(self.constant(width, value)),
            _ => Err(self.unsupported(&format!("operand `{name}`"))),
        }
    }

    /// Loads from a constant bank at a byte offset of 32 bits.
    pub fn bank(&mut self, bank: u64, offset: &D::V, bytes: u32) -> Result<D::V, Trap> {
        let bank = u8::try_from(bank).map_err(|_| self.unsupported("a constant bank out of range"))?;
        let access = Access { space: Space::Bank(bank), bytes, ordering: Ordering::Weak, scope: Scope::Cta };
        self.state.load(self.d, &access, offset)
    }

    /// A 32-bit source without its flags.
    pub fn bits32(&mut self, name: &str) -> Result<D::V, Trap> {
        self.source(name, 1)
    }

    /// A 64-bit source without its flags.
    pub fn bits64(&mut self, name: &str) -> Result<D::V, Trap> {
        self.source(name, 2)
    }

    /// A source of several units without flags.
    pub fn bits(&mut self, name: &str, units: u32) -> Result<D::V, Trap> {
        self.source(name, units)
    }

    /// A source of several general registers, each by itself, without flags.
    pub fn words(&mut self, name: &str, units: u32) -> Result<Vec<D::V>, Trap> {
        let i = self.need(name)?;
        let FieldKind::Register { class, .. } = self.inst.row().fields[i].kind else {
            return Err(self.unsupported(&format!("operand `{name}`")));
        };
        let first = self.inst.fields[i];
        let zero = class.constant() == Some(first);
        (0..u64::from(units)).map(|u| self.register(class, if zero { first } else { first + u })).collect()
    }

    /// A 32-bit integer source; its flag complements if `complement`, else negates.
    pub fn int32(&mut self, name: &str, complement: bool) -> Result<D::V, Trap> {
        let v = self.bits32(name)?;
        Ok(match (self.negated(name), complement) {
            (false, _) => v,
            (true, true) => self.d.not(&v),
            (true, false) => self.d.neg(&v),
        })
    }

    /// A 32-bit source whose flag complements it.
    pub fn logic32(&mut self, name: &str) -> Result<D::V, Trap> {
        let v = self.bits32(name)?;
        Ok(if self.own(name, "inv") { self.d.not(&v) } else { v })
    }

    /// A predicate source with its negation; `default` if the form lacks it.
    pub fn pred_or(&mut self, name: &str, default: bool) -> Result<D::V, Trap> {
        let Some(i) = self.index(name) else {
            return Ok(if default { self.d.yes() } else { self.d.no() });
        };
        let FieldKind::Register { class: class @ (RegClass::P | RegClass::UP), .. } =
            self.inst.row().fields[i].kind
        else {
            return Err(self.unsupported(&format!("predicate `{name}`")));
        };
        let (number, not) = (self.inst.fields[i], self.own(name, "not"));
        if class.constant() == Some(number) {
            return Ok(if not { self.d.no() } else { self.d.yes() });
        }
        let v = self.register(class, number)?;
        Ok(if not { self.d.not(&v) } else { v })
    }

    /// A predicate source that the form has.
    pub fn pred(&mut self, name: &str) -> Result<D::V, Trap> {
        self.need(name)?;
        self.pred_or(name, true)
    }

    /// Refuses a predicate operand that is not PT.
    pub fn always(&mut self, name: &str) -> Result<(), Trap> {
        let q = self.pred_or(name, true)?;
        match self.d.as_constant(&q) {
            Some(1) => Ok(()),
            _ => Err(self.unsupported(&format!("predicate operand `{name}`"))),
        }
    }

    /// The register a field names; none for RZ, URZ, PT, UPT or an absent field.
    pub fn target(&mut self, name: &str) -> Option<Register> {
        let i = self.index(name)?;
        let value = self.inst.fields[i];
        match self.inst.row().fields[i].kind {
            FieldKind::Register { class, .. } if class.constant() != Some(value) => {
                Some(Register { class, number: value as u32 })
            }
            _ => None,
        }
    }

    /// Writes a register field of 32 bits or a predicate; a sink takes nothing.
    pub fn set(&mut self, name: &str, value: &D::V) {
        if let Some(register) = self.target(name) {
            self.state.write(self.d, register, value.clone());
        }
    }

    /// Writes consecutive registers; the width of `value` is a multiple of 32.
    pub fn set_wide(&mut self, name: &str, value: &D::V) {
        let Some(first) = self.target(name) else { return };
        let units = self.d.width(value) / 32;
        for unit in 0..units {
            let part = self.d.extract(value, 32 * unit, 32);
            self.state.write(self.d, Register { number: first.number + unit, ..first }, part);
        }
    }

    /// Where a relative branch goes.
    pub fn destination(&mut self, name: &str) -> Result<u64, Trap> {
        let i = self.need(name)?;
        Ok(self.address.wrapping_add(16).wrapping_add(self.inst.fields[i]))
    }

    /// `value` extended by zeros to `width` and added to `sum`.
    pub fn plus(&self, sum: &D::V, value: &D::V) -> D::V {
        let width = self.d.width(sum);
        self.d.binary(BinaryOp::Add, sum, &self.d.zext(value, width))
    }

    /// The end of a straight-line instruction.
    pub fn next(&self) -> Step<D> {
        Ok(Outcome::Next)
    }
}
