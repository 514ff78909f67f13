//! The corpus of features through the prover: ptxas's recorded code against its PTX, counted.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, recorded, text, z3};
use sassafras_prove::{Verdict, prove};
use std::collections::BTreeMap;

/// Features without loops, of integers, floats, barriers and shared memory.
const NAMES: &[&str] = &[
    "add_s32",
    "sub_s32",
    "add_sat",
    "arith_64",
    "bfe",
    "bfi",
    "brev",
    "carry_64",
    "carry_add",
    "clz",
    "cvt_narrow",
    "cvt_widen",
    "if_else",
    "lea",
    "logic_32",
    "logic_64",
    "lop3",
    "mad_lo",
    "min_max_32",
    "mov_pack",
    "neg_abs",
    "popc",
    "predicated",
    "prmt",
    "rotate",
    "selp",
    "setp_s32",
    "shf",
    "shift_64",
    "shl",
    "shr",
    "slct",
    "exit_early",
    "ld_sizes",
    "st_sizes",
    "add_f32",
    "add_f64",
    "bar_red",
    "activemask",
];

#[test]
fn nothing_right_is_refuted() {
    let Some(mut z3) = z3("nothing_right_is_refuted") else { return };
    // A limit of z3's own units, not of time: the same verdicts on a busy machine.
    z3.budget = 2;
    z3.timeout = 120;
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut refuted = Vec::new();
    for name in NAMES {
        let path = format!("features/{name}");
        let source = text(&path);
        let module = module(&source);
        let Some(entry) = module.functions.iter().find(|f| f.entry).map(|f| f.name.clone()) else { continue };
        let all = [("ptxas", recorded("13.0.88", &path)), ("ours", ours(&source))];
        for (who, cubin) in all {
            let Some(cubin) = cubin else {
                *counts.entry((who, "no code")).or_default() += 1;
                continue;
            };
            let record = prove(&module, &entry, &cubin, &mut z3);
            eprintln!("{name} of {who}: {}", line(&record));
            *counts.entry((who, record.verdict.word())).or_default() += 1;
            if matches!(record.verdict, Verdict::Refuted(_)) {
                refuted.push(format!("{name} of {who}"));
            }
        }
    }
    eprintln!("{counts:?}");
    assert!(refuted.is_empty(), "{refuted:?}");
    for who in ["ptxas", "ours"] {
        assert!(counts.get(&(who, "proved")).copied().unwrap_or(0) >= 28, "{counts:?}");
    }
}
