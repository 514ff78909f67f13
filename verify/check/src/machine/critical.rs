//! What `prepare` promises of edges.

use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::FxHashMap;
use sassafras_hazards::Verdict;
use sassafras_machine::Function;

/// Judges that no edge is critical.
pub fn check_critical(f: &Function) -> Verdict {
    let mut report = Report::of(&f.name);
    let mut incoming: FxHashMap<u32, usize> = FxHashMap::default();
    for &block in &f.layout {
        f.blocks[block].succs.iter().for_each(|edge| *incoming.entry(edge.block.0).or_default() += 1);
    }
    for &block in &f.layout {
        let succs = &f.blocks[block].succs;
        for edge in succs.iter().filter(|edge| succs.len() > 1 && incoming[&edge.block.0] > 1) {
            report.add(Rule::MachineCritical, block, format!("its edge to {} is critical", edge.block));
        }
    }
    report.verdict()
}
