//! The figures as JSON and as lines of CSV.

use crate::Pair;
use sassafras_chip::Chip;
use serde_json::{Map, Value, json};

/// How many of the worst are named.
const WORST: usize = 8;

/// A number of both sides, where both have it.
type Column = (&'static str, fn(&Pair) -> Option<[f64; 2]>);

const COLUMNS: [Column; 6] = [
    ("executed", |p| Some([p.ours.run?.instructions as f64, p.ptxas.run?.instructions as f64])),
    ("issue_cycles", |p| Some([p.ours.run?.cycles as f64, p.ptxas.run?.cycles as f64])),
    ("inner_loop", |p| Some([p.ours.inner?.cost(), p.ptxas.inner?.cost()])),
    ("static", |p| Some([p.ours.counted.instructions as f64, p.ptxas.counted.instructions as f64])),
    ("registers", |p| Some([p.ours.counted.registers as f64, p.ptxas.counted.registers as f64])),
    ("stack", |p| {
        (p.ours.stack > 0 && p.ptxas.stack > 0).then_some([p.ours.stack as f64, p.ptxas.stack as f64])
    }),
];

/// The first line of the CSV.
pub const HEAD: &str = "chip,kernel,executed,ptxas,issue_cycles,ptxas,inner_loop,ptxas,static,ptxas,registers,ptxas,stack,ptxas,equal\n";

/// A kernel's line of CSV; what there is not is empty.
pub fn line(chip: Chip, pair: &Pair) -> String {
    let cells = COLUMNS.map(|(_, of)| of(pair).map_or(",".to_owned(), |[a, b]| format!("{a:.4},{b:.4}")));
    format!("{chip},{},{},{}\n", pair.name, cells.join(","), pair.equal)
}

/// Geometric mean, ratio of the sums and the worst of each number, and what is worse on our side.
pub fn record(pairs: &[Pair], left_out: &[String]) -> Value {
    let mut record = Map::new();
    record.insert("kernels".into(), pairs.len().into());
    for (name, of) in COLUMNS {
        record.insert(name.into(), compared(pairs, of));
    }
    let names = |wanted: &dyn Fn(&&Pair) -> bool| -> Vec<&str> {
        pairs.iter().filter(wanted).map(|pair| pair.name.as_str()).collect()
    };
    record.insert("fewer_warps".into(), json!(names(&|p| p.ours.counted.warps < p.ptxas.counted.warps)));
    record.insert("larger_stack".into(), json!(names(&|p| p.ours.stack > p.ptxas.stack)));
    record.insert("unequal_bits".into(), json!(names(&|p| !p.equal)));
    record.insert("left_out".into(), json!(left_out));
    record.into()
}

fn compared(pairs: &[Pair], of: fn(&Pair) -> Option<[f64; 2]>) -> Value {
    let mut both: Vec<(&str, [f64; 2])> =
        pairs.iter().filter_map(|p| Some((p.name.as_str(), of(p)?))).collect();
    let ratio = |[a, b]: [f64; 2]| a / b;
    let count = both.len().max(1) as f64;
    let mean = (both.iter().map(|(_, n)| ratio(*n).ln()).sum::<f64>() / count).exp();
    let sums = both.iter().fold([0.0, 0.0], |[a, b], (_, [x, y])| [a + x, b + y]);
    both.sort_by(|(_, x), (_, y)| ratio(*y).total_cmp(&ratio(*x)));
    let worst =
        both.iter().take(WORST).map(|(name, [a, b])| json!({ "kernel": name, "ours": a, "ptxas": b }));
    json!({ "kernels": both.len(), "geometric_mean": mean, "sum": ratio(sums), "worst": worst.collect::<Vec<_>>() })
}
