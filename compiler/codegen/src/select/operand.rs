//! Values as registers: constants, predicates, parts.

use super::Error;
use super::emit::{Emitter, class_of};
use sassafras_ir::{Op, Value, ValueDef};
use sassafras_isa::RegClass;
use sassafras_machine::{MInst, Place, Reg};

impl Emitter<'_> {
    /// The constant that a value is.
    pub(super) fn constant(&self, value: Value) -> Option<u128> {
        match self.source.values[value].def {
            ValueDef::Result(inst, 0) => match self.source.insts[inst].op {
                Op::Const(bits) => Some(bits),
                _ => None,
            },
            _ => None,
        }
    }

    /// A value in a general register, or one unit of it. A constant is made where it is needed, once per block; zero is RZ.
    pub(super) fn value(&mut self, value: Value, unit: Option<u8>) -> Result<Reg, Error> {
        if let Some(bits) = self.constant(value) {
            return self.constant_register(value, bits, unit);
        }
        if let Some(reg) = self.places[value] {
            return Ok(reg.offset(unit.unwrap_or(0)));
        }
        if let Some(unit) = unit
            && let Some(words) = self.apart[value]
        {
            return Ok(words[usize::from(unit)]);
        }
        if let ValueDef::Result(inst, 0) = self.source.values[value].def
            && self.source.insts[inst].op == Op::Concat
            && let Some(unit) = unit
        {
            return self.value(self.source.insts[inst].args[usize::from(unit)], None);
        }
        if let ValueDef::Result(inst, 0) = self.source.values[value].def
            && self.source.insts[inst].op == Op::Undef
        {
            let (class, units) = class_of(self.source.values[value].ty);
            let v = self.builder().undef(class, units);
            return Ok(Reg::part(v, unit.unwrap_or(0)));
        }
        Err(self.fail(format!("{value} is read before it is made")))
    }

    fn constant_register(&mut self, value: Value, bits: u128, unit: Option<u8>) -> Result<Reg, Error> {
        let (class, units) = class_of(self.source.values[value].ty);
        if class == RegClass::P {
            return Err(self.fail("a predicate constant in a general register"));
        }
        let width = self.source.values[value].ty.bits();
        let bits = if width >= 128 { bits } else { bits & ((1 << width) - 1) };
        let word = |u: u8| (bits >> (32 * u32::from(u))) as u32;
        if let Some(u) = unit {
            return if word(u) == 0 { Ok(Reg::Physical(255)) } else { self.word(value, u, word(u)) };
        }
        if bits == 0 {
            return Ok(Reg::Physical(255));
        }
        if units == 1 {
            return self.word(value, 0, word(0));
        }
        if let Some(&reg) = self.constants.get(&(value, u8::MAX)) {
            return Ok(reg);
        }
        let mut parts = Vec::new();
        for u in 0..units {
            let reg = if word(u) == 0 { Reg::Physical(255) } else { self.word(value, u, word(u))? };
            parts.push(Place { class, reg, units: 1 });
        }
        let reg: Reg = self.builder().pack(&parts).into();
        self.constants.insert((value, u8::MAX), reg);
        Ok(reg)
    }

    fn word(&mut self, value: Value, unit: u8, bits: u32) -> Result<Reg, Error> {
        if let Some(&reg) = self.constants.get(&(value, unit)) {
            return Ok(reg);
        }
        let reg = self.move_immediate(bits)?;
        self.constants.insert((value, unit), reg);
        Ok(reg)
    }

    /// A new register that holds a number.
    pub(super) fn move_immediate(&mut self, bits: u32) -> Result<Reg, Error> {
        let v = self.out.add_vreg(RegClass::R, 1);
        let mut inst = self.form("mov.i")?;
        let fail = |e| self.fail(e);
        inst.set("b", u64::from(bits)).map_err(fail)?;
        inst.set("d", Reg::from(v).to_field()).map_err(fail)?;
        self.push(MInst::new(inst));
        Ok(v.into())
    }

    /// A predicate, and whether its complement is meant. Constants are PT.
    pub(super) fn predicate(&mut self, value: Value) -> Result<(Reg, bool), Error> {
        let (value, negate) = super::plan::peel(self.source, value);
        if let Some(bits) = self.constant(value) {
            return Ok((Reg::Physical(7), negate ^ (bits & 1 == 0)));
        }
        if let Some(reg) = self.places[value] {
            return Ok((reg, negate));
        }
        if let ValueDef::Result(inst, 0) = self.source.values[value].def
            && self.source.insts[inst].op == Op::Undef
        {
            let v = self.builder().undef(RegClass::P, 1);
            return Ok((v.into(), negate));
        }
        Err(self.fail(format!("{value} is read before it is made")))
    }

    /// A new predicate that is the complement of another.
    pub(super) fn complement(&mut self, reg: Reg) -> Result<Reg, Error> {
        let v = self.out.add_vreg(RegClass::P, 1);
        let inst = self.form("plop3")?;
        let fields = [("d", Reg::from(v).to_field()), ("q0", reg.to_field()), ("lut", 0x0f)];
        let inst = fields.into_iter().try_fold(inst, |i, (name, value)| i.try_with(name, value));
        let inst = inst.map_err(|e| self.fail(e))?;
        self.push(MInst::new(inst));
        Ok(v.into())
    }
}
