//! Passes that are wrong: each is refuted or stays unknown, with concrete inputs and by terms alone.

use super::BUDGET;
use super::common::solver;
use super::pairs::{
    BRANCH, COUNTER, GUARDS, INVARIANT, LANES, LOOP, OPEN, QUOTIENT, STRAIGHT, UNDEFINED, changed, function,
};
use sassafras_prove::{Limits, Verdict};
use sassafras_prove_passes::{by_terms, prove_pass};

/// What is wrong, the function, and the lines that change.
const PLANTED: &[(&str, &str, &[(&str, &str)])] = &[
    ("operands of a difference swapped", STRAIGHT, &[("sub v1, v2", "sub v2, v1")]),
    ("a wrong constant", STRAIGHT, &[("const.0x7", "const.0x8")]),
    ("a store removed that is not dead", STRAIGHT, &[("  store.global:u4x1:weak:cta:+4 v0, v6\n", "")]),
    (
        "a load moved over a store",
        STRAIGHT,
        &[
            ("  v6:32 = load.global:u4x1:weak:cta:+0 v0\n", ""),
            (
                "  store.global:u4x1:weak:cta:+4 v0, v6\n",
                "  v6:32 = load.global:u4x1:weak:cta:+0 v0\n  store.global:u4x1:weak:cta:+4 v0, v6\n",
            ),
        ],
    ),
    (
        "stores to one place reordered",
        STRAIGHT,
        &[(
            "  store.global:u4x1:weak:cta:+8 v0, v7\n  store.global:u4x1:weak:cta:+8 v0, v1\n",
            "  store.global:u4x1:weak:cta:+8 v0, v1\n  store.global:u4x1:weak:cta:+8 v0, v7\n",
        )],
    ),
    (
        "another offset",
        STRAIGHT,
        &[("store.global:u4x1:weak:cta:+8 v0, v1", "store.global:u4x1:weak:cta:+12 v0, v1")],
    ),
    (
        "a narrower store",
        STRAIGHT,
        &[("store.global:u4x1:weak:cta:+0 v0, v5", "store.global:u2x1:weak:cta:+0 v0, v5")],
    ),
    (
        "a wider store",
        STRAIGHT,
        &[(
            "  store.global:u4x1:weak:cta:+8 v0, v1",
            "  v20:64 = zext v1\n  store.global:u8x1:weak:cta:+8 v0, v20",
        )],
    ),
    (
        "a sign extension",
        STRAIGHT,
        &[("v6:32 = load.global:u4x1:weak:cta:+0 v0", "v6:32 = load.global:s2x1:weak:cta:+0 v0")],
    ),
    ("a store of its own", STRAIGHT, &[("  exit", "  store.global:u4x1:weak:cta:+32 v0, v1\n  exit")]),
    ("a load of its own", STRAIGHT, &[("  exit", "  v20:32 = load.global:u4x1:weak:cta:+32 v0\n  exit")]),
    (
        "another space",
        STRAIGHT,
        &[("  store.global:u4x1:weak:cta:+8 v0, v1", "  store.shared:u4x1:weak:cta:+8 v1, v1")],
    ),
    ("arguments of an edge swapped", BRANCH, &[("jump bb3(v1, v2)", "jump bb3(v2, v1)")]),
    ("edges of a branch swapped", BRANCH, &[("branch v3, bb1(), bb2()", "branch v3, bb2(), bb1()")]),
    ("another comparison", BRANCH, &[("compare.ult", "compare.slt")]),
    ("a guard inverted", BRANCH, &[("@!v6", "@v6")]),
    ("a guard lost", BRANCH, &[("@!v6 ", "")]),
    ("a trap removed", BRANCH, &[("  trap", "  exit")]),
    ("a trap made", BRANCH, &[("branch v10, bb6(), bb7()", "branch v6, bb6(), bb7()")]),
    ("what is reached made unreachable", BRANCH, &[("  trap", "  unreachable")]),
    ("a store converted without its condition", BRANCH, &[("branch v6, bb4(), bb5()", "jump bb4()")]),
    (
        "a load before its condition",
        BRANCH,
        &[
            ("  v8:32 = load.global:u4x1:weak:cta:+64 v0\n", ""),
            (
                "  v6:1 = compare.eq v5, v1\n",
                "  v6:1 = compare.eq v5, v1\n  v8:32 = load.global:u4x1:weak:cta:+64 v0\n",
            ),
        ],
    ),
    (
        "a use that is not dominated",
        BRANCH,
        &[("@!v6 store.global:u4x1:weak:cta:+8 v0, v1", "store.global:u4x1:weak:cta:+8 v0, v8")],
    ),
    ("a barrier removed", LANES, &[("  barrier.sync.aligned v3, v3, v4\n", "")]),
    (
        "a store moved over a barrier",
        LANES,
        &[
            ("  store.shared:u4x1:weak:cta:+0 v6, v1\n", ""),
            (
                "  barrier.sync.aligned v3, v3, v4\n",
                "  barrier.sync.aligned v3, v3, v4\n  store.shared:u4x1:weak:cta:+0 v6, v1\n",
            ),
        ],
    ),
    (
        "a load moved over a barrier",
        LANES,
        &[
            ("  v7:32 = load.shared:u4x1:weak:cta:+4 v6\n", ""),
            (
                "  barrier.sync.aligned v3, v3, v4\n",
                "  v7:32 = load.shared:u4x1:weak:cta:+4 v6\n  barrier.sync.aligned v3, v3, v4\n",
            ),
        ],
    ),
    (
        "a convergent operation hoisted",
        LANES,
        &[
            ("  v14:32, v15:1 = vote.any v13, v9\n", ""),
            ("  v12:32, v13:1 = shuffle.bfly v7, v11, v10, v9\n", "  v14:32, v15:1 = vote.any v13, v9\n"),
            (
                "  branch v8, bb1(), bb2()\nbb1():\n  v9:32 = const.0xffffffff\n  v10:32 = const.0x1f\n  v11:32 = const.0x1\n",
                "  v9:32 = const.0xffffffff\n  v10:32 = const.0x1f\n  v11:32 = const.0x1\n  v12:32, v13:1 = shuffle.bfly v7, v11, v10, v9\n  branch v8, bb1(), bb2()\nbb1():\n",
            ),
        ],
    ),
    (
        "convergent operations reordered",
        LANES,
        &[
            ("  v14:32, v15:1 = vote.any v13, v9\n", ""),
            (
                "  v12:32, v13:1 = shuffle.bfly v7, v11, v10, v9\n",
                "  v14:32, v15:1 = vote.any v8, v9\n  v12:32, v13:1 = shuffle.bfly v7, v11, v10, v9\n",
            ),
        ],
    ),
    ("a vote removed", LANES, &[("  v14:32, v15:1 = vote.any v13, v9\n", "")]),
    ("another member mask", LANES, &[("const.0xffffffff", "const.0xffff")]),
    (
        "an atomic done twice",
        LANES,
        &[(
            "  fence.acq_rel.gpu",
            "  v20:32 = atomic.add.global:u4x1:relaxed:gpu:+0 v0, v16\n  fence.acq_rel.gpu",
        )],
    ),
    (
        "an atomic of a narrower scope",
        LANES,
        &[("atomic.add.global:u4x1:relaxed:gpu", "atomic.add.global:u4x1:relaxed:cta")],
    ),
    ("a fence removed", LANES, &[("  fence.acq_rel.gpu\n", "")]),
    ("a relaxed store made weak", LANES, &[("store.global:u4x1:relaxed:gpu", "store.global:u4x1:weak:gpu")]),
    ("a volatile load made weak", LANES, &[("load.global:u4x1:volatile:sys", "load.global:u4x1:weak:sys")]),
    (
        "a store moved over a volatile load",
        LANES,
        &[
            ("  store.global:u4x1:weak:cta:+16 v0, v18\n", ""),
            (
                "  v18:32 = load.global:u4x1:volatile:sys:+12 v0\n",
                "  store.global:u4x1:weak:cta:+16 v0, v17\n  v18:32 = load.global:u4x1:volatile:sys:+12 v0\n",
            ),
        ],
    ),
    (
        "one undefined value made two",
        UNDEFINED,
        &[("+4 v0, v2", "+4 v0, v20"), ("  v2:32 = undef\n", "  v2:32 = undef\n  v20:32 = undef\n")],
    ),
    (
        "undefined where it was defined",
        UNDEFINED,
        &[("+12 v0, v1", "+12 v0, v20"), ("  v2:32 = undef\n", "  v2:32 = undef\n  v20:32 = undef\n")],
    ),
    ("a guarded load that keeps another value", GUARDS, &[("+4 v0, v4", "+4 v0, v1")]),
    ("a guarded load that keeps any value", GUARDS, &[("  v4:32 = const.0x9\n", "  v4:32 = undef\n")]),
    ("the guard of a load inverted", GUARDS, &[("@v3 v5", "@!v3 v5")]),
    ("the guard of a load whose result nobody takes without it inverted", OPEN, &[("@v3 v8", "@!v3 v8")]),
    (
        "the guard of a load lost",
        OPEN,
        &[("@v3 v8:32 = load.global:u4x1:weak:cta:+12 v0, v7", "v8:32 = load.global:u4x1:weak:cta:+12 v0")],
    ),
    (
        "what a guard leaves undefined stored",
        OPEN,
        &[("@v3 store.global:u4x1:weak:cta:+20 v0, v9", "store.global:u4x1:weak:cta:+20 v0, v9")],
    ),
    ("a quotient with signs", QUOTIENT, &[("div.u v1, v4", "div.s v1, v4")]),
    ("a quotient the other way round", QUOTIENT, &[("div.u v1, v4", "div.u v4, v1")]),
    ("a loop that begins later", LOOP, &[("jump bb1(v3, v2, v3)", "jump bb1(v4, v2, v3)")]),
    ("an old value round a loop", LOOP, &[("bb1(v16, v14, v15)", "bb1(v16, v7, v15)")]),
    ("values swapped round a loop", LOOP, &[("bb1(v16, v14, v15)", "bb1(v16, v15, v14)")]),
    ("a loop that runs once more", LOOP, &[("compare.ult v16, v1", "compare.ule v16, v1")]),
    ("a loop that does not end", LOOP, &[("add v6, v4", "add v6, v3")]),
    (
        "a load hoisted out of a loop that stores",
        COUNTER,
        &[
            ("  v5:32 = load.global:u4x1:weak:cta:+0 v0\n", ""),
            ("  jump bb1(v2)", "  v5:32 = load.global:u4x1:weak:cta:+0 v0\n  jump bb1(v2)"),
        ],
    ),
    (
        "a store sunk out of a loop",
        LOOP,
        &[
            ("  store.global:u4x1:weak:cta:+0 v10, v12\n", ""),
            ("bb2():\n", "bb2():\n  store.global:u4x1:weak:cta:+0 v10, v12\n"),
        ],
    ),
    ("a difference swapped in a loop", LOOP, &[("sub v8, v6", "sub v6, v8")]),
    (
        "an address folded twice",
        LOOP,
        &[("  v11:32 = load.global:u4x1:weak:cta:+0 v10", "  v11:32 = load.global:u4x1:weak:cta:+16 v10")],
    ),
    (
        "what changes computed before the loop",
        INVARIANT,
        &[
            ("  v10:32 = sub v9, v6\n", "  v10:32 = sub v9, v31\n"),
            ("  v5:1 =", "  v31:32 = add v3, v3\n  v5:1 ="),
        ],
    ),
    (
        "an operand of what leaves a loop exchanged",
        INVARIANT,
        &[
            ("  v8:32 = mul v1, v2\n  v9:32 = xor v8, v1\n", ""),
            ("  v5:1 =", "  v8:32 = mul v1, v2\n  v9:32 = xor v8, v2\n  v5:1 ="),
        ],
    ),
    (
        "a load out of a loop that stores there",
        INVARIANT,
        &[
            ("  v11:32 = load.global:u4x1:weak:cta:+0 v0\n", ""),
            ("  v5:1 =", "  v11:32 = load.global:u4x1:weak:cta:+0 v0\n  v5:1 ="),
        ],
    ),
    (
        "a load before a loop that may not run",
        INVARIANT,
        &[("  v5:1 =", "  v31:32 = load.global:u4x1:weak:cta:+64 v0\n  v5:1 =")],
    ),
    (
        "a store out of a loop",
        INVARIANT,
        &[
            ("  store.global:u4x1:weak:cta:+0 v0, v12\n", ""),
            ("bb3(v18:32):\n", "bb3(v18:32):\n  store.global:u4x1:weak:cta:+0 v0, v18\n"),
        ],
    ),
    (
        "an atomic before a loop",
        INVARIANT,
        &[
            ("  v13:32 = atomic.add.global:u4x1:relaxed:gpu:+4 v0, v10\n", ""),
            ("  v5:1 =", "  v13:32 = atomic.add.global:u4x1:relaxed:gpu:+4 v0, v4\n  v5:1 ="),
        ],
    ),
    (
        "an edge past the block before a loop",
        INVARIANT,
        &[
            ("  v8:32 = mul v1, v2\n  v9:32 = xor v8, v1\n", ""),
            ("branch v5, bb1(v3, v2), bb2()", "branch v5, bb4(v3, v2), bb2()"),
            (
                "  exit\n",
                "  exit\nbb4(v20:32, v21:32):\n  v8:32 = mul v1, v2\n  v9:32 = xor v8, v1\n  jump bb1(v20, v21)\n",
            ),
        ],
    ),
    (
        "arguments swapped in the block before a loop",
        INVARIANT,
        &[
            ("branch v5, bb1(v3, v2), bb2()", "branch v5, bb4(v3, v2), bb2()"),
            ("  exit\n", "  exit\nbb4(v20:32, v21:32):\n  jump bb1(v21, v20)\n"),
        ],
    ),
];

/// Faults that no run on an input shows for sure: what was undefined might have been what it is now, a place that is read might be there, or
/// a loop might still end.
const UNSEEN: &[&str] = &[
    "one undefined value made two",
    "undefined where it was defined",
    "a guarded load that keeps any value",
    "the guard of a load whose result nobody takes without it inverted",
    "the guard of a load lost",
    "what a guard leaves undefined stored",
    "a loop that does not end",
    "a load before a loop that may not run",
];

#[test]
fn wrong_passes_are_not_proved() {
    let Some(mut z3) = solver("wrong_passes_are_not_proved", BUDGET) else { return };
    let mut refuted = 0;
    let mut by_solver = 0;
    let (mut proved, mut open) = (Vec::new(), Vec::new());
    for (kind, text, edits) in PLANTED {
        let (before, after) = (function(text), function(&changed(text, edits)));
        let whole = prove_pass(&before, &after, &mut *z3, Limits::default());
        let terms = by_terms(&before, &after, &mut *z3, Limits::default());
        eprintln!("{kind}: {}; by terms {:?}", whole.verdict.word(), terms.verdict);
        for record in [&whole, &terms] {
            if matches!(record.verdict, Verdict::Proved | Verdict::ProvedWithin(_)) {
                proved.push(*kind);
            }
        }
        let held = !matches!(whole.verdict, Verdict::Proved | Verdict::ProvedWithin(_));
        sassafras_oracle::fault::planted("prove-passes", &"-", kind, 1, held.into());
        by_solver += u32::from(matches!(terms.verdict, Verdict::Refuted(_)));
        match whole.verdict {
            Verdict::Refuted(_) => refuted += 1,
            other if format!("{other:?}").contains("after: ") || UNSEEN.contains(kind) => {}
            other => open.push((*kind, other)),
        }
    }
    eprintln!("{} wrong passes: {refuted} refuted, {by_solver} of them by terms", PLANTED.len());
    assert_eq!(proved, Vec::<&str>::new());
    assert!(open.is_empty(), "not refuted: {open:#?}");
}
