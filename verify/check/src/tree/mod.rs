//! Rules about control trees: T1 to T13 of `docs/control-tree.md`, from that page and the public reading of a tree.

mod graph;
mod known;
mod lists;
pub mod plant;
mod terminators;
mod view;

pub use known::{Known, check_known};
pub use view::{NodeView, View};

use crate::report::Report;
use sassafras_hazards::Verdict;
use sassafras_ir::tree::Tree;

/// Judges a tree as it stands between two edits.
pub fn check(tree: &Tree) -> Verdict {
    check_view(&View::of(tree))
}

/// Judges only what a tree promises of its graph: T8, T9, T10.
pub fn check_graph(view: &View) -> Verdict {
    let mut report = Report::of(&view.function.name);
    graph::check(view, &mut report);
    report.verdict()
}

/// Judges what a tree shows.
pub fn check_view(view: &View) -> Verdict {
    let mut report = Report::of(&view.function.name);
    // What follows walks lists and blocks: it runs only where links are sound.
    if lists::check(view, &mut report) {
        terminators::check(view, &mut report);
        graph::check(view, &mut report);
    }
    report.verdict()
}
