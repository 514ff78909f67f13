//! What rests on a register that was never written: no branch, no guard and no address does that means anything. What does not rest on it
//! means what it means.

use crate::{held, verdicts, z3};
use sassafras_prove::Verdict;

/// An entry that loads `a` and stores it where a branch leads.
fn branch(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 from, .param .u64 to) {{\n.reg .b64 in, out;\n\
         .reg .b32 a, x, never;\n.reg .pred p, q;\nld.param.u64 in, [from];\nld.param.u64 out, [to];\nld.global.u32 a, [in];\n{body}\n\
         mov.u32 a, 0;\nkeep:\nst.global.u32 [out], a;\nret;\n}}"
    )
}

#[test]
fn a_branch_on_what_was_never_written_means_nothing() {
    let Some(mut z3) = z3("a_branch_on_what_was_never_written_means_nothing") else { return };
    let rests = "setp.le.u32 p, a, never; @p bra keep;";
    let some = "setp.ne.u32 q, a, 0; @q setp.gt.u32 p, a, 5; @p bra keep;";
    let hidden = "and.b32 x, never, 0; setp.eq.u32 p, x, 0; @p bra keep;";
    let cases = [
        // Where `a` is zero the branch is taken whatever the register holds, and zero is stored either way.
        (rests, rests, true),
        (rests, "", true),
        (rests, "mov.u32 a, 1;bra keep;", false),
        // The predicate is written where `a` is not zero.
        (some, some, true),
        (some, "setp.gt.u32 p, a, 5; @p bra keep;", true),
        (some, "setp.gt.u32 p, a, 6; @p bra keep;", false),
        // No bit of the register is left.
        (hidden, "bra keep;", true),
        (hidden, "", false),
        // Whatever it holds, this is known.
        ("setp.ge.u32 p, never, 0; @p bra keep;", "bra keep;", true),
        ("setp.ge.u32 p, never, 0; @p bra keep;", "", false),
        ("or.b32 x, never, 8; setp.ge.u32 p, x, 8; @p bra keep;", "", false),
    ];
    verdicts(branch, &cases, &mut z3);
}

#[test]
fn nothing_that_rests_on_it_is_refuted() {
    let Some(mut z3) = z3("nothing_that_rests_on_it_is_refuted") else { return };
    let all = [
        ("setp.le.u32 p, a, never; @p bra keep;", "mov.u32 a, 7; bra keep;"),
        ("setp.eq.u32 p, a, never; selp.b32 a, 5, 6, p; bra keep;", "mov.u32 a, 5; bra keep;"),
        ("cvt.u64.u32 out, never; bra keep;", "bra keep;"),
        ("div.u32 x, a, 0; setp.eq.u32 p, x, a; @p bra keep;", "bra keep;"),
        ("rem.u32 x, a, 0; setp.eq.u32 p, x, a; selp.b32 a, 5, 6, p; bra keep;", "mov.u32 a, 5; bra keep;"),
        ("mov.u32 x, %smid; setp.eq.u32 p, x, 3; selp.b32 a, 5, 6, p; bra keep;", "mov.u32 a, 5; bra keep;"),
    ];
    for (source, target) in all {
        let verdict = held(&branch(source), &branch(target), &mut z3).record.verdict;
        assert!(!matches!(verdict, Verdict::Refuted(_)), "{source}: {verdict:?}");
    }
    // What stands beside it is.
    let beside = "st.global.u32 [out+8], never; st.global.u32 [out+12], a; bra keep;";
    let other = "st.global.u32 [out+8], a; st.global.u32 [out+12], never; bra keep;";
    let wrong = held(&branch(beside), &branch(other), &mut z3);
    assert!(matches!(wrong.record.verdict, Verdict::Refuted(_)), "{:?}", wrong.record.verdict);
}

/// An entry of which some addresses and masks are a register that was never written times what is often zero.
fn product(body: &str) -> String {
    let head = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to) {\n.reg .b64 out, at;\n\
                .shared .align 4 .b32 room[16];\n.reg .b32 a, x, y, block, never;\n.reg .pred p;\nld.param.u64 out, [to];\n\
                mov.u32 block, %ctaid.x;\nmul.lo.u32 x, block, never;\n";
    format!("{head}{body}\nret;\n}}")
}

#[test]
fn zero_times_what_was_never_written_is_zero() {
    let Some(mut z3) = z3("zero_times_what_was_never_written_is_zero") else { return };
    let global = "mul.wide.u32 at, x, 16; add.u64 at, out, at; ld.global.u32 a, [at]; add.u32 a, a, 1; st.global.u32 [at], a;";
    let shared = "and.b32 x, x, 15; shl.b32 x, x, 2; mov.u32 y, room; add.u32 x, x, y; st.shared.u32 [x], block; ld.shared.u32 a, [x]; st.global.u32 [out], a;";
    let guard = "setp.ne.u32 p, x, 0; @p st.global.u32 [out], 7; st.global.u32 [out+4], block;";
    let mask = "not.b32 y, x; shfl.sync.idx.b32 a, block, 0, 31, y; st.global.u32 [out], a;";
    let count = "shr.u32 a, 12, x; st.global.u32 [out], a;";
    let cases = [
        (global, global, true),
        // The place that the address has in the first block.
        (global, "ld.global.u32 a, [out]; add.u32 a, a, 1; st.global.u32 [out], a;", true),
        (global, "ld.global.u32 a, [out]; add.u32 a, a, 2; st.global.u32 [out], a;", false),
        (global, "ld.global.u32 a, [out+16]; add.u32 a, a, 1; st.global.u32 [out+16], a;", false),
        (global, "", false),
        (shared, shared, true),
        (
            shared,
            "st.shared.u32 [room], block; ld.shared.u32 a, [room]; add.u32 a, a, 1; st.global.u32 [out], a;",
            false,
        ),
        (guard, guard, true),
        (guard, "st.global.u32 [out+4], block;", true),
        (guard, "st.global.u32 [out], 7; st.global.u32 [out+4], block;", false),
        (mask, "add.u32 a, block, 1; st.global.u32 [out], a;", false),
        (count, "st.global.u32 [out], 13;", false),
    ];
    verdicts(product, &cases, &mut z3);
    // Whatever becomes of the others: none contradicts what was proved.
    for special in ["%tid.x", "%ctaid.z", "%laneid", "%lanemask_lt", "%nctaid.y", "%smid"] {
        for body in [global, shared, guard, mask, count] {
            let text = product(body).replace("%ctaid.x", special);
            let record = held(&text, &text, &mut z3).record;
            assert_eq!(record.contradiction, None, "{special}: {body}");
            assert!(
                !matches!(record.verdict, Verdict::Refuted(_)),
                "{special}: {body}: {:?}",
                record.verdict
            );
        }
    }
}
