//! Rules about machine code: what each phase promises, and how threads that part meet again.
//!
//! Which branches may diverge is judged from the instructions by `uniform`, P5 with it; the rules on convergence take it from the mark
//! ([`sassafras_machine::MInst::uniform`]). Of P3 of `docs/convergence.md` `scatter`
//! judges what lanes that BSYNC may let go early need; P4 is not judged.

mod converge;
mod critical;
mod deserted;
mod flow;
mod instruction;
mod live;
mod meeting;
mod operands;
mod placement;
mod scatter;
mod shape;
mod ssa;
mod uniform;
mod waits;

pub use critical::check_critical;
pub(crate) use instruction::{always, clobbered, kind};
pub use placement::check_placement;

use crate::report::Report;
use sassafras_hazards::Verdict;
use sassafras_machine::{Function, Phase};

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
