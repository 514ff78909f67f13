//! The table held against nvdisasm itself, on a small fixed sample; `examples/live.rs` takes a large one.

mod common;

use sassafras_isa::{Chip, FormId};
use sassafras_live as live;

#[test]
fn nvdisasm_prints_the_same() {
    let Some(nvdisasm) = common::tool("nvdisasm", "live") else { return };
    for chip in Chip::ALL {
        let forms: Vec<FormId> = common::all().filter(|id| id.get().chips.contains(chip)).collect();
        let n = if chip == Chip::Sm90 { 100 } else { 20 };
        let report = live::compare(&forms, chip, n, 99, &nvdisasm).expect("nvdisasm runs");
        assert_eq!(report.differences, [], "{chip}");
        eprintln!("{chip}: {} forms, {n} words each, all equal", forms.len());
    }
}

#[test]
fn nvdisasm_sees_the_same_reads_and_writes() {
    let tools = (common::tool("ptxas", "live"), common::tool("nvdisasm", "live"));
    let (Some(ptxas), Some(nvdisasm)) = tools else { return };
    for (chip, least) in [(Chip::Sm90, 300), (Chip::Sm86, 5), (Chip::Sm80, 15), (Chip::Sm75, 15)] {
        let forms: Vec<FormId> = common::all().filter(|id| id.get().home() == chip).collect();
        let found = live::registers(&forms, chip, 8, 5, &ptxas, &nvdisasm).expect("the tools run");
        assert!(found.compared.len() > least, "only {} forms", found.compared.len());
        assert_eq!(found.disagreements, [], "{chip}");
    }
}
