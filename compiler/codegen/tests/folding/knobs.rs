//! Each knob: its default, and an effect.

use crate::reducible::COUNTEREXAMPLE;
use crate::{ONE, THREE, TWO, diamond, folded, folded_with, tail};
use sassafras_codegen::fold::{Knobs, Setting, TABLE};
use sassafras_placement::KnobError;

#[test]
fn bf_02_the_defaults() {
    let rows: Vec<(&str, &str)> = TABLE.iter().map(|row| (row.name, row.default)).collect();
    assert_eq!(
        rows,
        [
            ("disable-branch-fold", "false"),
            ("enable-tail-merge", "unset"),
            ("tail-merge-threshold", "150"),
            ("tail-merge-size", "3"),
            ("fold-reserved-registers", "false"),
            ("disable-nvptx-require-structured-cfg", "false"),
            ("ifcvt-branch-fold", "true"),
        ]
    );
    // The table's texts are the values.
    let mut knobs = Knobs::default();
    for row in TABLE {
        knobs.set(row.name, row.default).unwrap_or_else(|why| panic!("{why}"));
    }
    assert_eq!(knobs, Knobs::default());
    assert_eq!(knobs.set("tail-merge", "1"), Err(KnobError::Unknown("tail-merge".into())));
    let why = knobs.set("enable-tail-merge", "maybe").expect_err("it is no value");
    assert_eq!(
        why.to_string(),
        "`maybe` is no value of the knob `enable-tail-merge`, whose default is unset"
    );
}

#[test]
fn bf_02a_disable_branch_fold() {
    let body = diamond("", ONE, TWO, THREE);
    let (f, stats) = folded_with(&body, &[("disable-branch-fold", "true")]);
    assert_eq!((f, stats.merges, stats.rounds), (crate::machine(&body), vec![], 0));
}

#[test]
fn bf_02a_enable_tail_merge() {
    let body = diamond("", ONE, TWO, THREE);
    for (value, merges) in [("unset", 1), ("true", 1), ("false", 0)] {
        let (_, stats) = folded_with(&body, &[("enable-tail-merge", value)]);
        assert_eq!(stats.merges.len(), merges, "{value}");
    }
    // Branches are optimised all the same.
    let (_, stats) = folded_with("b0():\n  -> b1()\nb1():\n  exit\n", &[("enable-tail-merge", "false")]);
    assert_eq!(stats.joined, 1);
    assert_eq!(Knobs::default().tail_merge, Setting::Unset);
}

/// So many blocks are compared; of none nothing is merged, whichever phase they are of.
#[test]
fn bf_02b_tail_merge_threshold() {
    let body = format!(
        "b0():\n  @P0 bra ; target b2\n  -> b2(), b1()\n\
         b1():\n  @P1 bra ; target b3\n  -> b3(), b4()\n\
         b2():\n  mov.i d=R4 b=0x3\n  exit\n\
         b3():\n{ONE}{THREE}  exit\n\
         b4():\n{TWO}{THREE}  exit\n"
    );
    assert_eq!(folded(&body).1.merges.len(), 1);
    for (value, merges) in [("3", 1), ("2", 0), ("0", 0)] {
        assert_eq!(folded_with(&body, &[("tail-merge-threshold", value)]).1.merges.len(), merges, "{value}");
    }
    assert_eq!(folded_with(&diamond("", ONE, TWO, THREE), &[("tail-merge-threshold", "0")]).1.merges, []);
}

#[test]
fn bf_02b_tail_merge_size() {
    let body = diamond("", ONE, TWO, THREE);
    assert_eq!(folded_with(&body, &[("tail-merge-size", "4")]).1.merges, []);
    assert_eq!(folded_with(&body, &[("tail-merge-size", "3")]).1.merges, [tail(4, &[1, 2], 3)]);
}

#[test]
fn bf_12_fold_reserved_registers() {
    let body = diamond("", ONE, TWO, &format!("  s2r d=R9 sr=0x21\n{THREE}"));
    assert_eq!(folded_with(&body, &[("fold-reserved-registers", "true")]).1.merges, [tail(4, &[1, 2], 4)]);
}

/// Without the requirement the counterexample is merged, and its loop has two entries.
#[test]
fn bf_02c_disable_nvptx_require_structured_cfg() {
    let (f, stats) = folded_with(COUNTEREXAMPLE, &[("disable-nvptx-require-structured-cfg", "true")]);
    assert_eq!(stats.merges.len(), 1);
    let graph = f.graph();
    assert!(!sassafras_graph::is_reducible(&graph, &sassafras_graph::Dominators::new(&graph)));
}
