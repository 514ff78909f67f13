//! Changes that keep the meaning, as passes make them: each is proved for all inputs.

use super::BUDGET;
use super::common::solver;
use super::pairs::{
    BRANCH, CLOSED, GUARDS, HOISTED, INVARIANT, LANES, LOOP, OPEN, STRAIGHT, UNDEFINED, UNGUARDED, changed,
    function,
};
use sassafras_prove::{Limits, Verdict};
use sassafras_prove_passes::prove_pass;

const KEPT: &[(&str, &str, &[(&str, &str)])] = &[
    (
        "other numbers",
        STRAIGHT,
        &[("  v3:32 = sub v1, v2", "  v23:32 = sub v1, v2"), ("add v3, v4", "add v23, v4")],
    ),
    ("a sum the other way round", STRAIGHT, &[("add v3, v4", "add v4, v3")]),
    (
        "a difference as a sum",
        STRAIGHT,
        &[("  v3:32 = sub v1, v2", "  v23:32 = neg v2\n  v3:32 = add v23, v1")],
    ),
    ("a dead store removed", STRAIGHT, &[("  store.global:u4x1:weak:cta:+8 v0, v7\n", "")]),
    (
        "a stored value forwarded",
        STRAIGHT,
        &[("store.global:u4x1:weak:cta:+8 v0, v7", "store.global:u4x1:weak:cta:+8 v0, v6")],
    ),
    (
        "a condition negated and edges swapped",
        BRANCH,
        &[("compare.ult", "compare.uge"), ("branch v3, bb1(), bb2()", "branch v3, bb2(), bb1()")],
    ),
    (
        "a branch made a select",
        BRANCH,
        &[(
            "  branch v3, bb1(), bb2()\nbb1():\n  jump bb3(v1, v2)\nbb2():\n  jump bb3(v2, v1)\n",
            "  v20:32 = select v3, v1, v2\n  v21:32 = select v3, v2, v1\n  jump bb3(v20, v21)\nbb1():\n  unreachable\nbb2():\n  unreachable\n",
        )],
    ),
    (
        "a store under a guard for a branch",
        BRANCH,
        &[
            ("  @!v6 store.global:u4x1:weak:cta:+8 v0, v1\n", "  branch v6, bb9(), bb8()\n"),
            ("  v9:32 = const.0x9\n  v10:1 = compare.eq v1, v9\n  branch v10, bb6(), bb7()\n", ""),
            (
                "  exit\n",
                "  exit\nbb8():\n  store.global:u4x1:weak:cta:+8 v0, v1\n  jump bb9()\nbb9():\n  v9:32 = const.0x9\n  \
                 v10:1 = compare.eq v1, v9\n  branch v10, bb6(), bb7()\n",
            ),
        ],
    ),
    (
        "a load removed that nobody uses",
        LANES,
        &[(
            "  store.global:u4x1:weak:cta:+16 v0, v18",
            "  v20:32 = load.global:u4x1:weak:cta:+16 v0\n  store.global:u4x1:weak:cta:+16 v0, v18",
        )],
    ),
    (
        "a product as a shift",
        LANES,
        &[("  v6:32 = mul v2, v5", "  v20:32 = const.0x2\n  v6:32 = shl v2, v20")],
    ),
    ("undefined bits made zero", UNDEFINED, &[("  v2:32 = undef", "  v2:32 = const.0x0")]),
    (
        "undefined bits made another value",
        UNDEFINED,
        &[("+0 v0, v2", "+0 v0, v1"), ("+4 v0, v2", "+4 v0, v1")],
    ),
    (
        "an offset folded into accesses of a loop",
        LOOP,
        &[
            ("  v31:64 = add v0, v30\n", ""),
            ("add v31, v9", "add v0, v9"),
            ("  v11:32 = load.global:u4x1:weak:cta:+0 v10", "  v11:32 = load.global:u4x1:weak:cta:+16 v10"),
            ("store.global:u4x1:weak:cta:+0 v10, v12", "store.global:u4x1:weak:cta:+16 v10, v12"),
        ],
    ),
    (
        "a value that does not change in a loop computed in it",
        LOOP,
        &[
            ("  v31:64 = add v0, v30\n", ""),
            ("  v10:64 = add v31, v9", "  v31:64 = add v30, v0\n  v10:64 = add v9, v31"),
        ],
    ),
    (
        "a parameter that is always another removed",
        LOOP,
        &[
            ("  jump bb1(v3, v2, v3)", "  jump bb1(v3, v2, v3, v3)"),
            ("bb1(v6:32, v7:32, v8:32)", "bb1(v6:32, v7:32, v8:32, v40:32)"),
            ("bb1(v16, v14, v15), bb2()", "bb1(v16, v14, v15, v16), bb2()"),
            ("mulwide.u v6, v5", "mulwide.u v40, v5"),
        ],
    ),
    (
        "a sum in another order in a loop",
        LOOP,
        &[("add v12, v13", "add v13, v12"), ("compare.ult v16, v1", "compare.ugt v1, v16")],
    ),
    ("what is the same on every trip computed before the loop", INVARIANT, HOISTED),
    (
        "one that needs another that stays",
        INVARIANT,
        &[
            ("  v9:32 = xor v8, v1\n", ""),
            ("  v5:1 =", "  v28:32 = mul v1, v2\n  v9:32 = xor v28, v1\n  v5:1 ="),
        ],
    ),
];

#[test]
fn changes_that_keep_the_meaning_are_proved() {
    let Some(mut z3) = solver("changes_that_keep_the_meaning_are_proved", BUDGET) else { return };
    let mut open = Vec::new();
    for (kind, text, edits) in KEPT {
        let (before, after) = (function(text), function(&changed(text, edits)));
        // What a pass may do in one direction it must not do in the other: extra loads go, they do not come.
        let pairs = if kind.starts_with("a load removed") { (&after, &before) } else { (&before, &after) };
        let record = prove_pass(pairs.0, pairs.1, &mut *z3, Limits::default());
        eprintln!("{kind}: {:?} {:?} {:.2} s", record.verdict, record.obligations, record.seconds);
        if record.verdict != Verdict::Proved {
            open.push((*kind, record.verdict));
        }
    }
    assert!(open.is_empty(), "{open:#?}");
}

/// A load under a guard, with what it keeps, is a branch around it; and the other way round.
#[test]
fn guarded_loads_are_branches() {
    let Some(mut z3) = solver("guarded_loads_are_branches", BUDGET) else { return };
    for (before, after) in [(UNGUARDED, GUARDS), (GUARDS, UNGUARDED), (CLOSED, OPEN), (OPEN, CLOSED)] {
        let record = prove_pass(&function(before), &function(after), &mut *z3, Limits::default());
        assert_eq!(record.verdict, Verdict::Proved);
    }
}
