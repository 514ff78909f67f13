//! The judge of branch folding and tail duplication: from what they promise, without anything that does them.
//!
//! Promised is that every path has the instructions that it had, under the conditions that it had (`paths`, a bisimulation); that reducible
//! graphs stay so, by each merge and in the end (`replay`); that lanes which executed an operation across lanes together still do, and no
//! others with them (`together`); and that no merged tail reads a reserved register ([`reserved`]).
//!
//! Both functions are allocated, before branches are explicit or behind that. The time is linear in the pairs of instructions that stand for each other
//! (one for each instruction where nothing is duplicated), but for dominators: they are computed anew for each merge into what may be a
//! loop's header.

mod choices;
mod flow;
mod paths;
mod replay;
pub mod reserved;
mod text;
mod together;

pub use choices::Choices;
pub use replay::exact;

use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use sassafras_graph::Entity;
use sassafras_hazards::Finding;
use sassafras_machine::{Function, Merge};

/// Judges what branch folding or tail duplication made of a function. The merges are in the order in which they were done; tail duplication has
/// none.
pub fn folded(before: &Function, after: &Function, merges: &[Merge]) -> Vec<Finding> {
    folded_with(before, after, merges, Choices::default())
}

/// As [`folded`], with what the pass was allowed.
pub fn folded_with(before: &Function, after: &Function, merges: &[Merge], choices: Choices) -> Vec<Finding> {
    let mut report = Report::of(&after.name);
    // What follows indexes by blocks and knows branches of two sides.
    if sound(before, &mut report) && sound(after, &mut report) {
        if !choices.unstructured && reducible(before) && !reducible(after) {
            let what = "a cycle has got several entries";
            report.add(Rule::FoldingReducible, after.entry, what);
        }
        let classes = replay::replay(before, merges, choices, &mut report);
        let replayed = report.len();
        let relation = paths::relate(before, after, &mut report);
        // Where paths differ, what stands for what is not known.
        if report.len() == replayed {
            if let Some(classes) = classes {
                relation.unrecorded(&classes, &mut report);
            }
            together::check(before, after, &relation, &mut report);
        }
    }
    report.verdict().objections().to_vec()
}

/// Whether every block that is named is there, and ends in a way that this judge knows.
fn sound(f: &Function, report: &mut Report) -> bool {
    let length = report.len();
    if f.blocks.get(f.entry).is_none() {
        report.add(Rule::FoldingPath, f.entry, "the entry does not exist");
    }
    for &block in &f.layout {
        let Some(data) = f.blocks.get(block) else {
            report.add(Rule::FoldingPath, block, "it does not exist");
            continue;
        };
        let targets = data.insts.iter().filter_map(|inst| inst.target);
        for to in data.succs.iter().map(|edge| edge.block).chain(targets) {
            // What exists is not looked for in the layout, which takes time in its length.
            if f.blocks.get(to).is_none() && !f.layout.contains(&to) {
                report.add(Rule::FoldingPath, block, format!("it names {to}, which does not exist"));
            }
        }
        if data.succs.len() > 2 || data.succs.len() == 2 && flow::condition_of(f, block).is_none() {
            report.add(Rule::FoldingPath, block, "it leads to several blocks, and not by one condition");
        }
    }
    report.len() == length
}

/// Whether every edge that goes back in reverse post-order leads to a dominator: T1 and T2 reduce exactly these graphs (Hecht and Ullman,
/// "Characterizations of reducible flow graphs", 1974).
fn reducible(f: &Function) -> bool {
    let succs = f.blocks.values().map(|data| data.succs.iter().map(|edge| edge.block.index()).collect());
    let mut paths = Paths::new(f.entry.index(), succs.collect());
    paths.retreating().into_iter().all(|(from, to)| paths.dominates(to, from))
}
