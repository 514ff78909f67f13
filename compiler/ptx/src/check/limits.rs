//! Limits of a function that only its whole body shows.

use super::Checker;
use crate::checked::{AddressBase, Operand, VariableId};
use crate::diagnostics::Code;
use crate::source::Span;
use sassafras_chip::Chip;
use sassafras_semantics::Space;
use std::collections::BTreeSet;

impl Checker {
    /// Static shared memory that the function itself names, against what a block of the target may have. `.extern` arrays
    /// are sized by the launch.
    pub(super) fn shared_memory(&mut self, name: Span) {
        let function = &self.body.function;
        let mut used: BTreeSet<VariableId> =
            (0..function.variables.len()).map(|i| VariableId::Local(i as u32)).collect();
        for inst in function.insts.iter().flatten() {
            inst.operands.iter().for_each(|o| symbols(o, &mut used));
        }
        let shared =
            used.into_iter().map(|id| self.variable(id)).filter(|v| v.space == Space::Shared && !v.external);
        let bytes = shared.fold(0u64, |sum, v| sum.next_multiple_of(v.align.max(1)).saturating_add(v.size));
        // Targets that no chip of ours has, such as sm_70, are as the oldest of ours.
        let chip = Chip::from_number(self.sm).unwrap_or(Chip::Sm75);
        let most = u64::from(chip.limits().static_shared_bytes);
        if bytes > most {
            let message = format!("{bytes} bytes of static shared memory; a block has at most {most}");
            self.error(Code::TooMuchShared, name, message);
        }
    }
}

/// The variables that an operand names.
fn symbols(operand: &Operand, used: &mut BTreeSet<VariableId>) {
    match operand {
        Operand::Symbol(id, _) | Operand::Address(AddressBase::Symbol(id), _) => {
            used.insert(*id);
        }
        Operand::Vector(items) => items.iter().for_each(|o| symbols(o, used)),
        Operand::Pair(a, b) => {
            symbols(a, used);
            symbols(b, used);
        }
        Operand::List(items) => items.iter().for_each(|o| symbols(o, used)),
        Operand::Negated(inner) => symbols(inner, used),
        Operand::Register(_)
        | Operand::NotRegister(_)
        | Operand::Pieces(..)
        | Operand::Immediate(_)
        | Operand::Special(_)
        | Operand::Param(..)
        | Operand::Function(_)
        | Operand::Address(..)
        | Operand::Sink
        | Operand::Label(_)
        | Operand::BranchTargets(_)
        | Operand::Prototype(_) => {}
    }
}
