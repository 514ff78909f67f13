//! Editing the code of a function: instructions put in with branches mended, control codes made anew.

use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Control, FieldKind, Inst, Style, decode, encode, parse};
use sassafras_isa::{RegClass, Scoreboard};

/// Bytes per instruction.
const WORD: i64 = 16;

/// The code of an entry, decoded.
#[derive(Clone)]
pub struct Code {
    pub chip: Chip,
    pub insts: Vec<Inst>,
}

impl Code {
    /// The entry `k` of a cubin, if all of it decodes.
    pub fn of(cubin: &Cubin) -> Option<Code> {
        let chip = Chip::from_number(cubin.sm)?;
        let f = cubin.functions.iter().find(|f| f.name == "k")?;
        let insts: Option<Vec<Inst>> = f.code.iter().map(|w| decode(*w, chip).ok()).collect();
        Some(Code { chip, insts: insts? })
    }

    /// The cubin with this code, with as many registers declared as it names at least.
    pub fn into(self, cubin: &Cubin) -> Cubin {
        let mut cubin = cubin.clone();
        let top = self.insts.iter().flat_map(|i| i.operands().collect::<Vec<_>>());
        let top = top.filter(|o| o.class == RegClass::R).map(|o| o.number + u32::from(o.units.max(1))).max();
        let f = cubin.functions.iter_mut().find(|f| f.name == "k").expect("it was there");
        f.registers = f.registers.max(top.unwrap_or(0) + self.chip.limits().reserved_registers);
        f.code = self
            .insts
            .iter()
            .map(|i| encode(i, self.chip).unwrap_or_else(|e| panic!("{i:?}: {e}")))
            .collect();
        cubin
    }

    /// The index that the target of an instruction names.
    pub fn target(&self, at: usize) -> Option<usize> {
        let inst = &self.insts[at];
        let field = target_field(inst)?;
        let index = at as i64 + 1 + (inst.fields[field] as i64) / WORD;
        usize::try_from(index).ok()
    }

    /// Indices that some target names.
    pub fn targets(&self) -> Vec<usize> {
        (0..self.insts.len()).filter_map(|i| self.target(i)).collect()
    }

    /// Puts an instruction in front of the one at `at`; whoever went there goes to the new one.
    pub fn insert(&mut self, at: usize, inst: Inst) {
        let old: Vec<Option<usize>> = (0..self.insts.len()).map(|i| self.target(i)).collect();
        self.insts.insert(at, inst);
        for (i, to) in old.into_iter().enumerate() {
            let Some(to) = to else { continue };
            let here = if i >= at { i + 1 } else { i };
            let to = if to > at { to + 1 } else { to };
            let field = target_field(&self.insts[here]).expect("it had one");
            self.insts[here].fields[field] = (WORD * (to as i64 - here as i64 - 1)) as u64;
        }
    }

    /// Up to the last instruction that is no padding.
    pub fn body(&self) -> usize {
        let own = |i: usize| self.insts[i].row().mnemonic == "BRA" && self.target(i) == Some(i);
        let last = (0..self.insts.len()).rev().find(|&i| self.insts[i].row().mnemonic != "NOP" && !own(i));
        last.map_or(0, |i| i + 1)
    }

    /// Gives every instruction the slowest control code: it waits for all that came before it.
    pub fn slow(&mut self) {
        for inst in &mut self.insts {
            let row = inst.row();
            let mut control = row.control.safe();
            let (writes, reads) = match row.scoreboard {
                Scoreboard::None => (false, false),
                Scoreboard::Write => (true, false),
                Scoreboard::Read => (false, true),
                Scoreboard::ReadWrite => (true, true),
            };
            let results = inst.operands().any(|o| o.access == sassafras_isa::Access::Write);
            if writes && row.control.write_barrier && results {
                control.write_barrier = 0;
            }
            if reads && row.control.read_barrier {
                control.read_barrier = 1;
            }
            inst.control = control;
        }
    }
}

fn target_field(inst: &Inst) -> Option<usize> {
    inst.row().fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }))
}

/// The instruction of a text, with the slowest control code.
pub fn inst(text: &str) -> Inst {
    let mut inst = parse(text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    inst.control = Control::SAFE;
    inst
}
