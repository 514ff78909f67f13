//! Memory operands: vectors as wide registers, bytes and half-words in and out of words.

use super::Error;
use super::emit::{Emitter, class_of};
use sassafras_ir::{Inst, MemoryAccess, Op, Type, Value};
use sassafras_isa::RegClass;
use sassafras_machine::{MInst, Place, Pseudo, Reg, Tied, VReg};
use sassafras_rules::select::{Action, Row, Value as Term};
use sassafras_semantics::Ordering;

fn access(op: &Op) -> Option<&MemoryAccess> {
    match op {
        Op::Load(a) | Op::Store(a) | Op::Atomic { access: a, .. } => Some(a),
        _ => None,
    }
}

impl Emitter<'_> {
    /// Whether the access keeps its order against others: it is not weak (PTX ISA, Memory Consistency Model: Operation Types).
    pub(super) fn ordered(&self, at: Inst) -> bool {
        let weak = |a: &MemoryAccess| matches!(a.ordering, Ordering::Weak | Ordering::NonCoherent);
        access(&self.source.insts[at].op).is_some_and(|a| !weak(a))
    }

    /// Loads 16 bytes of user constants: LDC gives at most 8.
    pub(super) fn load_wide_constant(&mut self, at: Inst) -> Result<(), Error> {
        self.rule = "ld.const.wide";
        let data = &self.source.insts[at];
        let Op::Load(access) = data.op else { return Err(self.fail("no load")) };
        let base = self.value(data.args[0], None)?;
        let mut parts = Vec::new();
        for half in 0..2 {
            let v = self.out.add_vreg(RegClass::R, 2);
            let inst = self.form("ldc")?;
            let inst = (|| {
                let mut inst = inst;
                inst.set_enum("sz", ".64")?;
                inst.set("bank", 3)?;
                inst.set("o", (i64::from(access.offset) + 8 * half) as u64)?;
                inst.set("a", base.to_field())?;
                inst.try_with("d", Reg::from(v).to_field())
            })();
            let inst = inst.map_err(|e| self.fail(e))?;
            self.push(MInst::new(inst));
            parts.push(Place { class: RegClass::R, reg: v.into(), units: 2 });
        }
        let wide = self.builder().pack(&parts);
        self.spread_results(at, wide)
    }

    /// Ties the definition of a guarded load to what its results are where the guard does not hold; where that is undefined it is not.
    pub(super) fn keep(&mut self, at: Inst, inst: &mut MInst) -> Result<(), Error> {
        let kept = self.source.insts[at].kept().to_vec();
        let undefined = |&value: &Value| {
            let made = self.source.def(value).map(|made| self.source.insts[made].op);
            made == Some(Op::Undef)
        };
        if kept.iter().all(undefined) {
            return Ok(());
        }
        let Some(real) = inst.inst() else { return Err(self.fail("a guarded load is no instruction")) };
        let field = real.row().field("d").ok_or_else(|| self.fail("a guarded load writes no `d`"))?;
        let units = real.units(field);
        // The load may have no reader: then it writes RZ, and keeps nothing.
        if real.fields[field] == Reg::Physical(255).to_field() {
            return Ok(());
        }
        let mut parts = Vec::new();
        for value in kept {
            let (class, units) = class_of(self.source.values[value].ty);
            parts.push(Place { class, reg: self.value(value, None)?, units });
        }
        if parts.iter().map(|part| part.units).sum::<u8>() != units {
            return Err(self.fail("a guarded load whose results are not what it writes"));
        }
        let old = match parts[..] {
            [one] => one.reg,
            _ => self.builder().pack(&parts).into(),
        };
        inst.tied.push(Tied { field, old });
        Ok(())
    }

    /// A wide register for the results of a load, if they do not simply live in the one that the instruction writes.
    pub(super) fn prepare_results(&mut self, at: Inst, row: &Row) -> Result<Option<VReg>, Error> {
        let takes = row
            .actions
            .iter()
            .any(|a| matches!(a, Action::Emit(e) if e.fields.iter().any(|(_, v)| *v == Term::Results)));
        let data = &self.source.insts[at];
        let Some(access) = access(&data.op).filter(|_| takes) else { return Ok(None) };
        let total = u32::from(access.bytes) * u32::from(access.lanes);
        let first = data.results.first().map_or(Type::I32, |&r| self.source.values[r].ty);
        let plain = access.lanes == 1 && first.bits().div_ceil(32) == total.div_ceil(4);
        Ok(if plain { None } else { Some(self.out.add_vreg(RegClass::R, total.div_ceil(4) as u8)) })
    }

    /// Gives each result of a load its part of the wide register.
    pub(super) fn spread_results(&mut self, at: Inst, wide: VReg) -> Result<(), Error> {
        let data = &self.source.insts[at];
        let Some(&MemoryAccess { bytes, signed, .. }) = access(&data.op) else {
            return Err(self.fail("only memory operations have wide results"));
        };
        for (n, &result) in data.results.iter().enumerate() {
            let at = n as u32 * u32::from(bytes);
            let mut reg = Reg::part(wide, (at / 4) as u8);
            if bytes < 4 && data.results.len() > 1 {
                reg = self.extract_bytes(reg, at % 4, u32::from(bytes), signed)?;
            }
            let units = class_of(self.source.values[result].ty).1;
            let loaded = (u32::from(bytes)).div_ceil(4) as u8;
            if units > loaded {
                reg = self.widen(reg, units, signed)?;
            }
            self.places[result] = Some(reg);
        }
        Ok(())
    }

    fn widen(&mut self, low: Reg, units: u8, signed: bool) -> Result<Reg, Error> {
        if units != 2 {
            return Err(self.fail(format!("a load into {} bits", 32 * u32::from(units))));
        }
        let high = if signed { self.shift_sign(low)? } else { Reg::Physical(255) };
        let place = |reg| Place { class: RegClass::R, reg, units: 1 };
        Ok(self.builder().pack(&[place(low), place(high)]).into())
    }

    fn shift_sign(&mut self, low: Reg) -> Result<Reg, Error> {
        let v = self.out.add_vreg(RegClass::R, 1);
        let inst = self.form("shf.rir")?;
        let inst = (|| {
            let mut inst = inst;
            inst.set_enum("dir", ".R")?;
            inst.set_enum("ty", ".S32")?;
            inst.set("hi", 1)?;
            inst.set("b", 31)?;
            inst.set("c", low.to_field())?;
            inst.try_with("d", Reg::from(v).to_field())
        })();
        let inst = inst.map_err(|e| self.fail(e))?;
        self.push(MInst::new(inst));
        Ok(v.into())
    }

    /// Bytes of a word, extended to a word.
    fn extract_bytes(&mut self, word: Reg, at: u32, bytes: u32, signed: bool) -> Result<Reg, Error> {
        // Selector 4 is the low byte of the second operand, RZ; 8 more replicates the sign of the byte.
        let last = at + bytes - 1;
        let fill = if signed { 8 | last } else { 4 };
        let selector = (0..4).fold(0, |s, n| s | (if n < bytes { at + n } else { fill }) << (4 * n));
        self.permute(word, selector, Reg::Physical(255))
    }

    fn permute(&mut self, a: Reg, selector: u32, b: Reg) -> Result<Reg, Error> {
        let v = self.out.add_vreg(RegClass::R, 1);
        let inst = self.form("prmt.rir")?;
        let fields = [
            ("d", Reg::from(v).to_field()),
            ("a", a.to_field()),
            ("b", u64::from(selector)),
            ("c", b.to_field()),
        ];
        let inst = fields.into_iter().try_fold(inst, |i, (name, value)| i.try_with(name, value));
        let inst = inst.map_err(|e| self.fail(e))?;
        self.push(MInst::new(inst));
        Ok(v.into())
    }

    /// The elements that a store writes, as one register.
    pub(super) fn gather_args(&mut self, at: Inst, units: u8) -> Result<Reg, Error> {
        let data = &self.source.insts[at];
        let Some(&MemoryAccess { bytes, lanes, .. }) = access(&data.op) else {
            return Err(self.fail("only memory operations take `args`"));
        };
        let values = data.args[1..].to_vec();
        let regs = values.iter().map(|&v| self.value(v, None)).collect::<Result<Vec<_>, _>>()?;
        match (bytes, lanes) {
            (_, 1) => {
                // A wider register may hold the element in its low part.
                Ok(regs[0])
            }
            (1 | 2, _) => {
                let per = 4 / usize::from(bytes);
                let mut words = Vec::new();
                for chunk in regs.chunks(per) {
                    let word = match (bytes, chunk) {
                        (2, [a, b]) => self.permute(*a, 0x5410, *b)?,
                        (1, [a, b]) => self.permute(*a, 0x0040, *b)?,
                        (1, [a, b, c, d]) => {
                            let low = self.permute(*a, 0x0040, *b)?;
                            let high = self.permute(*c, 0x0040, *d)?;
                            self.permute(low, 0x5410, high)?
                        }
                        _ => return Err(self.fail(format!("a vector of {lanes} elements of {bytes} bytes"))),
                    };
                    words.push(Place { class: RegClass::R, reg: word, units: 1 });
                }
                if words.len() == 1 {
                    return Ok(words[0].reg);
                }
                Ok(self.builder().pack(&words).into())
            }
            _ => {
                let each = (bytes / 4).max(1);
                let v = self.out.add_vreg(RegClass::R, units);
                let mut parts = Vec::new();
                for reg in regs {
                    if reg == Reg::Physical(255) {
                        parts.extend(vec![Place { class: RegClass::R, reg, units: 1 }; usize::from(each)]);
                    } else {
                        parts.push(Place { class: RegClass::R, reg, units: each });
                    }
                }
                self.push(MInst::pseudo(Pseudo::Pack { dst: v, parts: parts.into() }));
                Ok(v.into())
            }
        }
    }
}
