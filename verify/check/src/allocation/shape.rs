//! Whether the two functions have the same blocks and instructions, and which belongs to which.

use super::state::STACK;
use crate::Finding;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_graph::Entity;
use sassafras_isa::{FieldKind, FormId, Inst};
use sassafras_machine::{Block, Function, MInst, Op, Position, Pseudo, Reg, RegClass, VReg};

/// For each instruction after allocation, its counterpart before.
pub(super) struct Pairing(Vec<Vec<Option<u32>>>);

impl Pairing {
    pub(super) fn counterpart(&self, block: Block, index: usize) -> Option<usize> {
        self.0[block.index()][index].map(|place| place as usize)
    }
}

/// Whether an instruction only names values anew, so that allocation may leave it out.
pub(super) fn binds(inst: &MInst) -> bool {
    match inst.as_pseudo() {
        Some(Pseudo::Copy { dst, src }) => super::file::same_file(dst.class, src.class),
        Some(Pseudo::Pack { .. } | Pseudo::Undef { .. }) => true,
        _ => false,
    }
}

/// Whether allocation may leave an instruction out: it names values anew, or it reads nothing and does nothing but to write registers. Each use
/// of what it wrote must find it made again.
fn may_go(inst: &MInst) -> bool {
    binds(inst)
        || inst.inst().is_some_and(|real| repeats(real) && real.guard.is_always() && inst.target.is_none())
}

/// Whether an instruction reads nothing, does nothing but to write registers, and gives the same whenever it runs.
fn repeats(inst: &Inst) -> bool {
    !has_effect(inst)
        && !inst.operands().any(|o| o.access == sassafras_isa::Access::Read)
        && !inst.row().fields.iter().any(|field| matches!(field.kind, FieldKind::Special { .. }))
}

/// Pairs the instructions of two functions by their origins.
pub(super) fn pair(before: &Function, after: &Function) -> Result<Pairing, Vec<Finding>> {
    let mut faults = Vec::new();
    let mut fault = |block: Block, message: String| {
        faults.push(Finding {
            rule: Rule::AllocationShape.id(),
            place: format!("`{}`, {block}", after.name),
            message,
        });
    };
    let count = |block| after.blocks.get(block).map_or(0, |data| data.insts.len());
    let mut pairs: Vec<Vec<Option<u32>>> =
        before.blocks.keys().map(|block| vec![None; count(block)]).collect();
    let reached: FxHashSet<Block> = before.layout.iter().copied().collect();
    for &block in &after.layout {
        if !reached.contains(&block) {
            fault(block, "the block was not there before".into());
        }
    }
    let kept: FxHashSet<Block> = after.layout.iter().copied().collect();
    for &block in &before.layout {
        if !kept.contains(&block) {
            fault(block, "the block is missing".into());
            continue;
        }
        let (old, new) = (&before.blocks[block], &after.blocks[block]);
        let targets =
            |data: &sassafras_machine::BlockData| data.succs.iter().map(|e| e.block).collect::<Vec<_>>();
        if targets(old) != targets(new) {
            fault(block, "its successors changed".into());
        }
        if !new.params.is_empty() || new.succs.iter().any(|edge| !edge.args.is_empty()) {
            fault(block, "it still has parameters, or an edge still has arguments".into());
        }
        let mut places = FxHashMap::default();
        for (index, inst) in old.insts.iter().enumerate() {
            match inst.origin {
                Some(origin) => {
                    places.insert(origin, index);
                }
                None => fault(block, format!("instruction {index} had no name before")),
            }
        }
        let mut next = 0;
        for (index, inst) in new.insts.iter().enumerate() {
            let Some(origin) = inst.origin else { continue };
            let Some(&place) = places.get(&origin) else {
                fault(block, format!("instruction {index} was not in this block"));
                continue;
            };
            if place < next {
                fault(block, format!("instruction {index} changed its place"));
                continue;
            }
            for (k, dropped) in old.insts[next..place].iter().enumerate() {
                if !may_go(dropped) {
                    fault(block, format!("instruction {} before is missing", next + k));
                }
            }
            next = place + 1;
            pairs[block.index()][index] = Some(place as u32);
            if let Some(what) = differs(&old.insts[place], inst) {
                fault(block, format!("instruction {index}: {what}"));
            }
            if let Some(what) = illegal(inst, after) {
                fault(block, format!("instruction {index}: {what}"));
            }
        }
        for (k, dropped) in old.insts[next.min(old.insts.len())..].iter().enumerate() {
            if !may_go(dropped) {
                fault(block, format!("instruction {} before is missing", next + k));
            }
        }
        for (index, inst) in new.insts.iter().enumerate().filter(|(_, inst)| inst.origin.is_none()) {
            if let Some(what) = illegal(inst, after) {
                fault(block, format!("instruction {index}: {what}"));
            }
        }
    }
    if faults.is_empty() { Ok(Pairing(pairs)) } else { Err(faults) }
}

/// How an instruction differs in anything but registers.
fn differs(old: &MInst, new: &MInst) -> Option<&'static str> {
    if binds(old) {
        return new.inst().is_some().then_some("a move became an instruction of the hardware");
    }
    if old.target != new.target || old.uniform != new.uniform {
        return Some("the target of the branch changed");
    }
    match (&old.op, &new.op) {
        (Op::Inst(a), Op::Inst(b)) => {
            if a.form != b.form {
                return Some("the form changed");
            }
            if (a.guard.negate, a.guard.uniform) != (b.guard.negate, b.guard.uniform) {
                return Some("the sense of the guard changed");
            }
            if (a.guard.pred == 7) != (b.guard.pred == 7) {
                return Some("a guard came or went");
            }
            let fields = a.row().fields.iter().zip(a.fields.iter().zip(&b.fields));
            for (field, (x, y)) in fields {
                let register =
                    matches!(field.kind, FieldKind::Register { class, .. } if class.constant() != Some(*x));
                if !register && x != y {
                    return Some("a field that is no register changed");
                }
            }
            None
        }
        (Op::Pseudo(a), Op::Pseudo(b)) => {
            let same = match (a, b) {
                (Pseudo::FrameAddress { offset: x, .. }, Pseudo::FrameAddress { offset: y, .. }) => x == y,
                (Pseudo::Call { slot: x, .. }, Pseudo::Call { slot: y, .. }) => x == y,
                (Pseudo::Invoke { routine: x, .. }, Pseudo::Invoke { routine: y, .. })
                | (Pseudo::Enter { routine: x, .. }, Pseudo::Enter { routine: y, .. })
                | (Pseudo::Leave { routine: x, .. }, Pseudo::Leave { routine: y, .. }) => x == y,
                _ => std::mem::discriminant(a) == std::mem::discriminant(b),
            };
            (!same).then_some("the pseudo-instruction changed")
        }
        _ => Some("it is another kind of instruction"),
    }
}

/// What no instruction after allocation may do.
fn illegal(inst: &MInst, f: &Function) -> Option<String> {
    for operand in inst.operands() {
        let Reg::Physical(first) = operand.reg else {
            return Some(format!("{} is still virtual", operand.reg.display(operand.class)));
        };
        let last = u32::from(first) + u32::from(operand.units);
        let limit = match operand.class {
            RegClass::R => f.max_registers,
            RegClass::UR => 63,
            RegClass::P | RegClass::UP => 7,
            RegClass::B => 16,
        };
        let name = operand.reg.display(operand.class);
        if last > limit {
            return Some(format!("{name} is beyond the last register, {}", limit.saturating_sub(1)));
        }
        let write = operand.access == sassafras_machine::Access::Write;
        // Without a frame the stack pointer is a register as any other.
        let pointer = write && operand.class == RegClass::R && f.frame.size() > 0;
        if pointer && (u32::from(first)..last).contains(&u32::from(STACK)) {
            return Some("the stack pointer is written".to_owned());
        }
        let pseudo = matches!(operand.position, Position::Pseudo(_));
        if !pseudo && operand.units > 1 && first % u16::from(operand.units.next_power_of_two().min(4)) != 0 {
            return Some(format!("{name} is not aligned for {} registers", operand.units));
        }
    }
    None
}

/// The register at a position.
pub(super) fn register(inst: &MInst, position: Position) -> Reg {
    match (&inst.op, position) {
        (Op::Inst(inst), Position::Guard) => Reg::from_field(u64::from(inst.guard.pred)),
        (Op::Inst(inst), Position::Field(i) | Position::Tied(i)) => Reg::from_field(inst.fields[i]),
        (Op::Pseudo(pseudo), Position::Pseudo(i)) => {
            pseudo.places().get(i).map_or(Reg::Physical(u16::MAX), |(place, _)| place.reg)
        }
        _ => Reg::Physical(u16::MAX),
    }
}

/// A spill or reload outside of the spill area.
pub(super) fn bounds(pseudo: &Pseudo, f: &Function) -> Option<String> {
    let (slot, units) = match pseudo {
        Pseudo::Spill { slot, src } => (*slot, src.units),
        Pseudo::Reload { slot, dst } => (*slot, dst.units),
        _ => return None,
    };
    let end = u64::from(slot) + 4 * u64::from(units);
    let size = f.frame.spill_bytes;
    (end > u64::from(size) || slot % 4 != 0).then(|| format!("slot {slot} is outside of {size} bytes"))
}

/// Whether an instruction does more than to write registers.
pub(super) fn has_effect(inst: &Inst) -> bool {
    inst.row().memory.is_some_and(|m| m.space != sassafras_isa::MemorySpace::Constant)
        || inst.row().control_flow.is_some()
}

/// An instruction that reads nothing, but for the register that it writes: what gives the same value.
type Key = (FormId, Vec<u64>);

/// The definitions that can be written again, numbered by what they give, and the virtual registers that they define.
#[derive(Default)]
pub(super) struct Repeated {
    numbers: FxHashMap<Key, u32>,
    defined: Vec<Vec<VReg>>,
}

impl Repeated {
    /// Those of the function before.
    pub(super) fn of(before: &Function) -> Repeated {
        let mut all = Repeated::default();
        for (_, _, inst) in before.insts() {
            if let Some(key) = inst.inst().and_then(Self::key) {
                let next = all.defined.len() as u32;
                let number = *all.numbers.entry(key).or_insert(next);
                all.defined.resize(all.defined.len().max(number as usize + 1), Vec::new());
                all.defined[number as usize].extend(inst.defs().filter_map(|def| def.reg.vreg()));
            }
        }
        all
    }

    fn key(inst: &Inst) -> Option<Key> {
        let blank = |(field, value): (&sassafras_isa::Field, &u64)| match field.kind {
            FieldKind::Register { class, .. } if field.write && class.constant() != Some(*value) => u64::MAX,
            _ => *value,
        };
        let one = || inst.operands().filter(|o| o.access == sassafras_isa::Access::Write).count() == 1;
        let fields = || inst.row().fields.iter().zip(&inst.fields).map(blank).collect();
        (repeats(inst) && inst.guard.is_always() && one()).then(|| (inst.form, fields()))
    }

    /// The number of what an instruction gives, if a definition of the function before gives it too.
    pub(super) fn number(&self, inst: &MInst) -> Option<u32> {
        self.numbers.get(&Self::key(inst.inst()?)?).copied()
    }

    /// The virtual registers that are this constant wherever they are defined.
    pub(super) fn defined(&self, number: u32) -> &[VReg] {
        &self.defined[number as usize]
    }
}
