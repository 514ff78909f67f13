//! Rules about the IR: structure, single definitions that dominate their uses, widths.

mod dominance;
pub mod plant;
mod reducible;
mod structure;
mod widths;

use crate::report::Report;
use sassafras_hazards::Verdict;
use sassafras_ir::{Function, Module};

/// Judges a module: every function, every block that the entry reaches or not.
pub fn check(module: &Module) -> Verdict {
    let mut report = Report::default();
    for function in &module.functions {
        report.function.clone_from(&function.name);
        check_function(module, function, &mut report);
    }
    report.verdict()
}

/// Judges that every cycle of every function has one entry: what `LoopMakeSingleEntry` promises.
pub fn check_reducible(module: &Module) -> Verdict {
    let mut report = Report::default();
    for function in &module.functions {
        report.function.clone_from(&function.name);
        reducible::check(function, &mut report);
    }
    report.verdict()
}

fn check_function(module: &Module, function: &Function, report: &mut Report) {
    // What follows indexes by blocks and values: it runs only where these exist.
    if structure::check(module, function, report) {
        widths::check(module, function, report);
        dominance::check(function, report);
    }
}
