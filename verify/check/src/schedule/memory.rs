//! Which effects must keep their order.

use sassafras_isa::{FieldKind, Inst, MemoryKind, MemorySpace};
use sassafras_machine::{Access, MInst, Op, Position, Pseudo, Reg};

/// What an instruction does besides writing registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    /// Nothing.
    None,
    /// Works across the lanes of the warp.
    Collective,
    /// Reads memory that the program may write.
    Load(MemorySpace),
    /// Writes memory, or both.
    Store(MemorySpace),
    /// Orders accesses, or decides which lanes go where.
    All,
}

/// Mnemonics that read other lanes' registers.
const COLLECTIVE: [&str; 6] = ["SHFL", "VOTE", "VOTEU", "MATCH", "REDUX", "CREDUX"];

fn effect(minst: &MInst) -> Effect {
    let inst = match &minst.op {
        Op::Inst(inst) => inst,
        Op::Pseudo(Pseudo::Call { .. }) => return Effect::All,
        Op::Pseudo(_) => return Effect::None,
    };
    let row = inst.row();
    if row.control_flow.is_some() {
        return Effect::All;
    }
    match row.memory {
        None if COLLECTIVE.contains(&row.mnemonic) => Effect::Collective,
        None if !row.has_result() && row.mnemonic != "NOP" => Effect::All,
        None => Effect::None,
        Some(memory) if memory.space == MemorySpace::Constant => Effect::None,
        Some(memory) => match memory.kind {
            MemoryKind::Fence => Effect::All,
            MemoryKind::Load if minst.ordered || strong(inst) => Effect::Store(memory.space),
            MemoryKind::Load => Effect::Load(memory.space),
            MemoryKind::Store | MemoryKind::Atomic | MemoryKind::Reduction | MemoryKind::Copy => {
                Effect::Store(memory.space)
            }
        },
    }
}

/// Whether an access is more than weak, so that it keeps its order with its like.
fn strong(inst: &Inst) -> bool {
    let fields = inst.row().fields.iter().zip(&inst.fields).filter(|(f, _)| f.kind == FieldKind::Enum);
    let mut texts = fields.filter_map(|(f, &value)| f.texts.get(value as usize).copied().flatten());
    texts.any(|text| text.contains("STRONG") || text.contains("MMIO"))
}

/// Why two instructions must keep their order; `None` when they need not. Registers are not looked at.
pub(super) fn ordered(insts: &[MInst], first: usize, second: usize) -> Option<&'static str> {
    match (effect(&insts[first]), effect(&insts[second])) {
        (Effect::None, _) | (_, Effect::None) => None,
        (Effect::All, _) | (_, Effect::All) => Some("one decides what others see"),
        (Effect::Collective, _) | (_, Effect::Collective) => None,
        (Effect::Load(_), Effect::Load(_)) => None,
        (Effect::Load(x) | Effect::Store(x), Effect::Load(y) | Effect::Store(y)) => {
            let meet = x == y || x == MemorySpace::Generic || y == MemorySpace::Generic;
            (meet && !apart(insts, first, second)).then_some("they may touch the same bytes")
        }
    }
}

/// Whether two accesses through the same unchanged registers touch different bytes.
fn apart(insts: &[MInst], first: usize, second: usize) -> bool {
    let (Some(a), Some(b)) = (address(&insts[first]), address(&insts[second])) else { return false };
    // Words of shared memory do not show that they are more than weak.
    let keeps = |inst: &MInst| inst.ordered || inst.inst().is_some_and(strong);
    if a.base != b.base || keeps(&insts[first]) || keeps(&insts[second]) {
        return false;
    }
    let written = |&(class, reg): &(sassafras_isa::RegClass, Reg)| {
        let mut defs = insts[first..second].iter().flat_map(MInst::defs);
        defs.any(|def| def.class == class && (0..def.units).any(|unit| def.reg.offset(unit) == reg))
    };
    !a.base.iter().any(written) && (a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset)
}

struct Address {
    /// Registers of the address, each unit.
    base: Vec<(sassafras_isa::RegClass, Reg)>,
    offset: i64,
    bytes: i64,
}

/// The address of a load or store: all it reads but its data and guard, an offset, and at most so many bytes as its
/// data registers hold.
fn address(inst: &MInst) -> Option<Address> {
    let real = inst.inst()?;
    let kind = real.row().memory?.kind;
    let data = match kind {
        MemoryKind::Load => "d",
        MemoryKind::Store => "b",
        _ => return None,
    };
    let data = real.row().field(data)?;
    let base = inst
        .uses()
        .filter(|o| o.access == Access::Read && !matches!(o.position, Position::Guard | Position::Tied(_)))
        .filter(|o| o.position != Position::Field(data))
        .flat_map(|o| (0..o.units).map(move |unit| (o.class, o.reg.offset(unit))));
    let offset = real.get("o").unwrap_or(0) as i64;
    Some(Address { base: base.collect(), offset, bytes: 4 * i64::from(real.units(data)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_more_than_weak_keeps_its_order_at_other_bytes() {
        let access = |id: &str, offset: u64, ordered: bool| {
            let inst = Inst::new(sassafras_isa::form(id).expect("a row"));
            let inst = inst.try_with("o", offset).and_then(|i| i.try_with("a", 4)).expect("it fits");
            MInst { ordered, ..MInst::new(inst) }
        };
        for ordered in [false, true] {
            let pair = [access("sts", 0, ordered), access("lds", 4, ordered)];
            assert_eq!(super::ordered(&pair, 0, 1).is_some(), ordered);
        }
    }
}
