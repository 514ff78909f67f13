//! Choices whose one side is made for nothing else: the operation is executed under the predicate, and the choice goes.
//!
//! `SEL d, a, b, p` with `a` made by one instruction becomes that instruction under `p`, tied to `b`: lanes where `p` does not hold keep `b`. Does so
//! where nobody else reads `a`, and where `b` is in a register that nobody reads behind the choice: else a copy of it would take the place of
//! the choice. Source: the hardware leaves the destination of an instruction whose guard is false as it is; ptxas 13.0.88 writes such code.

use crate::arrange::live_out;
use rustc_hash::FxHashSet;
use sassafras_graph::{PrimaryMap, SecondaryMap};
use sassafras_isa::{Meaning, RegClass};
use sassafras_machine::{Function, MInst, Phase, Position, Pseudo, Reg, Tied, VReg, VRegData};
use smallvec::smallvec;

/// Does it in all blocks. Needs SSA, as selection leaves it. Not in a routine: it has a few registers by convention, and where a predicate is live over
/// what it chooses they do not last.
pub fn predicate_choices(f: &mut Function) {
    debug_assert_eq!(f.phase, Phase::Ssa);
    let chooses = |inst: &MInst| inst.inst().is_some_and(|real| real.row().meaning == Meaning::Sel);
    let enters = |inst: &MInst| matches!(inst.as_pseudo(), Some(Pseudo::Enter { .. }));
    if f.insts().any(|(_, _, inst)| enters(inst)) || !f.insts().any(|(_, _, inst)| chooses(inst)) {
        return;
    }
    let uses = uses(f);
    let live = live_out(f);
    for &block in &f.layout.clone() {
        let behind: FxHashSet<VReg> = live[block].iter().copied().collect();
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut work = Work::new(insts, &f.vregs, &uses, behind);
        for at in 0..work.insts.len() {
            work.choice(at);
        }
        f.blocks[block].insts = work.insts.into_iter().flatten().collect();
    }
}

/// How often each register is read, whole or in part.
fn uses(f: &Function) -> SecondaryMap<VReg, u32> {
    let mut uses = SecondaryMap::new();
    let read = f.insts().flat_map(|(_, _, inst)| inst.uses()).filter_map(|operand| operand.reg.vreg());
    let passed =
        f.layout.iter().flat_map(|&block| &f.blocks[block].succs).flat_map(|edge| edge.args.iter().copied());
    read.chain(passed).for_each(|vreg| uses[vreg] += 1);
    uses
}

/// A block under work.
struct Work<'f> {
    /// Its instructions; none in the place of one that has moved.
    insts: Vec<Option<MInst>>,
    vregs: &'f PrimaryMap<VReg, VRegData>,
    uses: &'f SecondaryMap<VReg, u32>,
    /// What is read behind the block.
    behind: FxHashSet<VReg>,
    /// Where the block makes a register by one instruction that may be executed under any predicate.
    defined: SecondaryMap<VReg, Option<usize>>,
    /// Where the block reads a register last.
    last: SecondaryMap<VReg, Option<usize>>,
}

impl<'f> Work<'f> {
    fn new(
        insts: Vec<MInst>,
        vregs: &'f PrimaryMap<VReg, VRegData>,
        uses: &'f SecondaryMap<VReg, u32>,
        behind: FxHashSet<VReg>,
    ) -> Work<'f> {
        let (mut defined, mut last) = (SecondaryMap::new(), SecondaryMap::new());
        for (at, inst) in insts.iter().enumerate() {
            inst.uses().filter_map(|operand| operand.reg.vreg()).for_each(|vreg| last[vreg] = Some(at));
            if let Some(vreg) = makes(inst) {
                defined[vreg] = Some(at);
            }
        }
        Work { insts: insts.into_iter().map(Some).collect(), vregs, uses, behind, defined, last }
    }

    /// A register of one unit, if this is it as a whole.
    fn whole(&self, reg: Reg) -> Option<VReg> {
        reg.vreg().filter(|&vreg| reg == vreg.into() && self.vregs[vreg].units == 1)
    }

    /// Puts an operation under the predicate in the place of a choice, if one side can be.
    fn choice(&mut self, at: usize) {
        let Some(choice) = self.insts[at].as_ref().and_then(Choice::of) else { return };
        let [a, b] = choice.sides;
        for (side, other, negate) in [(a, b, choice.negate), (b, a, !choice.negate)] {
            let (Some(side), Some(old)) = (side.and_then(|side| self.whole(side)), other) else { continue };
            let ends = |old: &VReg| self.last[*old] == Some(at) && !self.behind.contains(old);
            let Some(from) = self.defined[side].filter(|_| self.uses[side] == 1) else { continue };
            if !self.whole(old).is_some_and(|old| ends(&old)) {
                continue;
            }
            if let Some(inst) = self.insts[from].take() {
                for vreg in inst.uses().filter_map(|operand| operand.reg.vreg()) {
                    self.last[vreg] = self.last[vreg].max(Some(at));
                }
                self.insts[at] = Some(under(inst, &choice, negate, old));
            }
            return;
        }
    }
}

/// A choice between two words.
struct Choice {
    /// The destination, as the field has it.
    result: u64,
    /// The registers that are chosen from, first the one that is taken where the predicate holds; none if it is another operand.
    sides: [Option<Reg>; 2],
    predicate: VReg,
    negate: bool,
}

impl Choice {
    fn of(inst: &MInst) -> Option<Choice> {
        let real = inst.inst().filter(|real| real.row().meaning == Meaning::Sel && real.guard.is_always())?;
        let read = |name: &str| {
            let operands = inst.uses().find(|operand| {
                matches!(operand.position, Position::Field(field) if real.row().fields[field].name == name)
            });
            operands.map(|operand| operand.reg)
        };
        Some(Choice {
            result: real.get("d")?,
            sides: [read("a"), read("b")],
            predicate: read("q")?.vreg()?,
            negate: real.get("q.not").unwrap_or(0) != 0,
        })
    }
}

/// The operation in the place of a choice.
fn under(mut inst: MInst, choice: &Choice, negate: bool, old: Reg) -> MInst {
    let field = inst.inst().and_then(|real| real.row().field("d"));
    if let (Some(field), Some(real)) = (field, inst.inst_mut()) {
        real.guard.pred = Reg::from(choice.predicate).to_field() as u32;
        real.guard.negate = negate;
        real.fields[field] = choice.result;
        inst.tied = smallvec![Tied { field, old }];
    }
    inst
}

/// The general register that an instruction makes, if it makes nothing else, reads no memory and takes part in nothing that lanes do together, whatever
/// its predicate is.
fn makes(inst: &MInst) -> Option<VReg> {
    use Meaning::*;
    let real = inst.inst().filter(|real| real.guard.is_always() && inst.tied.is_empty())?;
    let plain = matches!(
        real.row().meaning,
        Iadd3
            | Imad
            | ImadHi
            | Iabs
            | Imnmx
            | Vimnmx
            | Lea
            | Lop3
            | Shf
            | Prmt
            | Sgxt
            | Bmsk
            | Mov
            | Fadd
            | Fmul
            | Ffma
            | Fmnmx
    );
    let [def] = &inst.defs().collect::<Vec<_>>()[..] else { return None };
    let word = def.class == RegClass::R
        && def.units == 1
        && real.row().field("d").map(Position::Field) == Some(def.position);
    def.reg.vreg().filter(|&vreg| plain && word && def.reg == vreg.into())
}
