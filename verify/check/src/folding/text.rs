//! Instructions as text.

use sassafras_machine::{MInst, Op};

/// An instruction in few words.
pub(super) fn text(inst: &MInst) -> String {
    match &inst.op {
        Op::Inst(real) => sassafras_isa::print(real, &sassafras_isa::Style::default()),
        Op::Pseudo(pseudo) => format!("{pseudo:?}"),
    }
}
