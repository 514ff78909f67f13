//! The phases of a compilation, one row each, in order.

use sassafras_codegen::{ARRANGE, BRANCH_FOLDER, MARK_COLD, OUT_OF_LOOPS, PLACEMENT, TO_THE_END};
use std::fmt;

/// A phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Text to a checked PTX module.
    Parse,
    /// PTX to IR.
    Lower,
    /// IR to better IR, and to operations that selection knows.
    Optimise,
    /// IR to machine code in SSA.
    Select,
    /// Critical edges split, instructions named.
    Prepare,
    /// Order of instructions by which loads begin early and few values live at once.
    Arrange,
    /// Real registers.
    Allocate,
    /// No pseudo-instructions.
    Expand,
    /// Equal tails merged, branches simplified, equal beginnings hoisted.
    Fold,
    /// Convergence barriers.
    Converge,
    /// Order of blocks, explicit branches.
    Layout,
    /// Order of instructions, control bits.
    Schedule,
    /// Words.
    Emit,
    /// The container.
    Assemble,
}

/// Which form a phase leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormKind {
    /// A checked PTX module.
    Ptx,
    /// An IR module.
    Ir,
    /// A function of machine code.
    Machine,
    /// A function's words.
    Words,
    /// A cubin.
    Cubin,
}

/// What holds of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Names are resolved and types fit.
    Checked,
    /// Every value has one definition, which dominates its uses.
    Ssa,
    /// Only operations that selection knows; no switch.
    Selectable,
    /// Every cycle has one entry, unless `LoopMakeSingleEntry` is disabled.
    Reducible,
    /// Before placement, only the last instruction of a block may transfer control.
    ControlFlowLast,
    /// No edge leaves a block with two successors for one with two predecessors.
    NoCriticalEdges,
    /// Every register is real.
    Allocated,
    /// No pseudo-instruction.
    RealInstructions,
    /// Threads that part meet again where the rules of convergence say.
    Convergent,
    /// Blocks stand in their order, branches are explicit.
    Placed,
    /// No result is read before it is ready.
    Scheduled,
    /// Every word decodes to the instruction it was made from.
    Encoded,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// Which phase.
    pub stage: Stage,
    /// Its name on the command line.
    pub name: &'static str,
    /// What it makes.
    pub form: FormKind,
    /// What must hold before it.
    pub needs: &'static [Property],
    /// What holds after it, besides what held before.
    pub promises: &'static [Property],
    /// The documents' phases that it carries out, beside the passes of `optimise`, which have rows of their own.
    pub carries: &'static [&'static str],
}

use Property as P;

const fn phase(
    stage: Stage,
    name: &'static str,
    form: FormKind,
    needs: &'static [Property],
    promises: &'static [Property],
) -> Phase {
    Phase { stage, name, form, needs, promises, carries: &[] }
}

impl Phase {
    const fn carrying(self, carries: &'static [&'static str]) -> Phase {
        Phase { carries, ..self }
    }
}

/// Names that `--disable-phase` takes.
pub fn optional() -> Vec<&'static str> {
    let passes = sassafras_opt::PASSES.iter().filter(|pass| pass.optional).map(|pass| pass.name);
    let parts = [ARRANGE, MARK_COLD, OUT_OF_LOOPS, TO_THE_END, PLACEMENT, BRANCH_FOLDER];
    let mut names: Vec<&str> = passes.chain(parts).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Every phase, in order.
pub const PHASES: &[Phase] = &[
    phase(Stage::Parse, "parse", FormKind::Ptx, &[], &[P::Checked]),
    phase(Stage::Lower, "lower", FormKind::Ir, &[P::Checked], &[P::Ssa]),
    phase(Stage::Optimise, "optimise", FormKind::Ir, &[P::Ssa], &[P::Selectable, P::Reducible]),
    phase(Stage::Select, "select", FormKind::Machine, &[P::Ssa, P::Selectable], &[]),
    phase(Stage::Prepare, "prepare", FormKind::Machine, &[P::Ssa], &[P::NoCriticalEdges, P::ControlFlowLast])
        .carrying(&["SetControlFlowOpLastInBB"]),
    phase(Stage::Arrange, ARRANGE, FormKind::Machine, &[P::Ssa, P::NoCriticalEdges], &[]),
    phase(Stage::Allocate, "allocate", FormKind::Machine, &[P::Ssa, P::NoCriticalEdges], &[P::Allocated]),
    phase(Stage::Expand, "expand", FormKind::Machine, &[P::Allocated], &[P::RealInstructions]),
    phase(Stage::Fold, BRANCH_FOLDER, FormKind::Machine, &[P::RealInstructions], &[]),
    phase(Stage::Converge, "converge", FormKind::Machine, &[P::RealInstructions], &[P::Convergent]),
    phase(Stage::Layout, "layout", FormKind::Machine, &[P::Convergent], &[P::Placed]).carrying(&[
        "MarkAdditionalColdBlocks",
        "OptimizeHotColdInLoop",
        "OptimizeHotColdFlow",
        "PlaceBlocksInSourceOrder",
    ]),
    phase(Stage::Schedule, "schedule", FormKind::Machine, &[P::Placed], &[P::Scheduled]),
    phase(Stage::Emit, "emit", FormKind::Words, &[P::Scheduled], &[P::Encoded]),
    phase(Stage::Assemble, "assemble", FormKind::Cubin, &[P::Encoded], &[]),
];

impl Stage {
    /// Its row.
    pub fn row(self) -> &'static Phase {
        &PHASES[self as usize]
    }

    /// The phase with this name on the command line.
    pub fn named(name: &str) -> Option<Stage> {
        PHASES.iter().find(|p| p.name == name).map(|p| p.stage)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_stages() {
        for (i, row) in PHASES.iter().enumerate() {
            assert_eq!(row.stage as usize, i);
            assert_eq!(Stage::named(row.name), Some(row.stage));
        }
    }

    #[test]
    fn what_a_phase_needs_was_promised() {
        let mut held = Vec::new();
        for row in PHASES {
            for need in row.needs {
                assert!(held.contains(need), "{}: nobody promised {need:?}", row.name);
            }
            held.extend(row.promises);
        }
    }
}
