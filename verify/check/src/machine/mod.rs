//! Rules about machine code: what each phase promises, and how threads that part meet again.
//!
//! Which branches may diverge is judged from the instructions by `uniform`, P5 with it; the rules on convergence take it from the mark
//! ([`sassafras_machine::MInst::uniform`]). P3 and P4 of `docs/convergence.md` are not judged.

mod converge;
mod critical;
mod flow;
mod live;
mod meeting;
mod operands;
mod placement;
mod shape;
mod ssa;
mod uniform;
mod waits;

pub use critical::check_critical;
pub use placement::check_placement;

use crate::finding::Verdict;
use crate::report::Report;
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Function, MInst, Phase};

/// Judges a function by its phase.
pub fn check(f: &Function) -> Verdict {
    let mut report = Report::of(&f.name);
    // What follows indexes by blocks: it runs only where all exist.
    if shape::layout(f, &mut report) {
        shape::edges(f, &mut report);
        operands::check(f, &mut report);
        match f.phase {
            Phase::Ssa => {
                shape::before_placement(f, &mut report);
                ssa::check(f, &mut report);
            }
            Phase::Allocated => shape::before_placement(f, &mut report),
            Phase::Placed | Phase::Scheduled => {
                flow::check(f, &mut report);
                converge::check(f, &mut report);
                placement::frame(f, &mut report);
                live::check(f, &mut report);
                uniform::check(f, &mut report);
            }
        }
    }
    report.verdict()
}

/// What the instruction does to control.
pub(crate) fn kind(inst: &MInst) -> Option<ControlFlowKind> {
    inst.inst().and_then(|inst| inst.row().control_flow)
}

/// Whether every lane takes part.
pub(crate) fn always(inst: &MInst) -> bool {
    inst.inst().is_none_or(|inst| inst.guard.is_always())
}

/// Whether a lane that gets here goes nowhere. (A trap is followed by an exit.)
fn ends_thread(inst: &MInst) -> bool {
    kind(inst) == Some(ControlFlowKind::Exit) && always(inst)
}
