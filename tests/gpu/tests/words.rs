//! The comparison of instruction meanings with a device, with our executor in the device's place.

use sassafras_gpu::words::jobs::{self, Item, StandIn};
use sassafras_gpu::words::variant;
use sassafras_isa::form;
use std::path::Path;
use std::time::Duration;

fn one(form: &str, variants: usize) -> Item {
    Item { form: form.into(), seed: 3, from: 0, to: variants, explore: false }
}

#[test]
fn the_executor_agrees_with_itself() {
    let rows = variant::rows();
    assert!(rows.len() >= 390, "{} rows", rows.len());
    let mut compared = 0;
    // Every seventh row: all of them are for the device.
    for id in rows.iter().step_by(7) {
        let done = jobs::item(&StandIn::default(), &one(id.get().id, 3));
        assert_eq!(done.failed, None, "{id}");
        for tally in done.tried.iter().filter_map(|t| t.tally.as_ref()) {
            assert_eq!(tally.differ, 0, "{id}: {tally:?}");
            compared += 1;
        }
    }
    assert!(compared >= 100, "{compared} variants");
}

#[test]
fn planted_wrong_meanings_are_seen() {
    let faults: [(&str, u16, u128); 10] = [
        ("iadd3.rrr", 0x210, 1 << 74),
        ("lop3.rrr", 0x212, 1 << 73),
        ("fadd.rr", 0x221, 1 << 78),
        ("ffma.rrr", 0x223, 1 << 80),
        ("prmt.rrr", 0x216, 1 << 73),
        ("isetp.rr", 0x20c, 1 << 73),
        ("shf.rrr", 0x219, 1 << 76),
        ("dadd.rr", 0x229, 1 << 72),
        ("imad.wide.rrr", 0x225, 1 << 73),
        ("popc.r", 0x309, 1 << 63),
    ];
    for (name, opcode, bits) in faults {
        let wrong = StandIn { wrong: Some((opcode, bits)), ..StandIn::default() };
        let done = jobs::item(&wrong, &one(name, 8));
        assert_eq!(done.failed, None, "{name}");
        let differ: usize = done.tried.iter().filter_map(|t| Some(t.tally.as_ref()?.differ)).sum();
        assert!(differ > 0, "{name}: nothing seen");
    }
}

#[test]
fn an_illegal_instruction_is_found_by_bisection() {
    let id = form("iadd3.rrr").expect("the row");
    let word = format!("{:032x}", jobs::nth(id, 3, 5).expect("a variant").word);
    let items = vec![one("iadd3.rrr", 8), one("lop3.rrr", 4)];
    let arguments = ["device=executor".to_owned(), format!("illegal={word}")];
    let program = Path::new(env!("CARGO_BIN_EXE_gpu-words"));
    let report = jobs::run(items, 3, 2, Duration::from_secs(300), program, &arguments).expect("children");
    let row = &report.rows["iadd3.rrr"];
    assert_eq!(row.variants, 7);
    assert_eq!(row.illegal.len(), 1);
    assert_eq!(row.illegal[0].0.word, word);
    assert!(row.illegal[0].1.contains("planted"), "{}", row.illegal[0].1);
    assert_eq!(report.rows["lop3.rrr"].variants, 4);
}
