//! Where local variables lie is open: any place will do that is aligned and where no other variable lies.

use crate::{held, verdicts, z3};
use sassafras_prove::Verdict;

/// An entry with two local variables, that stores `q` and `r`.
fn local(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n) {{\n.reg .b64 %rd<9>;\n\
         .reg .b64 q, r;\n.reg .b32 %r<9>, count;\n.reg .pred p;\n.local .align 8 .b8 box[16];\n.local .align 16 .b8 other[32];\n\
         ld.param.u64 %rd1, [out];\nld.param.u32 count, [n];\nmov.u64 q, 0;\nmov.u64 r, 0;\n{body}\nst.global.v2.u64 [%rd1], {{q, r}};\nret;\n}}"
    )
}

#[test]
fn addresses_of_local_variables_are_open() {
    let Some(mut z3) = z3("addresses_of_local_variables_are_open") else { return };
    let cases = [
        ("mov.u64 q, box;", "mov.u64 q, box;", true),
        ("mov.u64 q, box; mov.u64 r, other;", "mov.u64 q, box; mov.u64 r, other;", true),
        // Any arrangement will do: the 32 bytes first here, the 16 behind them.
        ("mov.u64 q, box; mov.u64 r, other;", "mov.u64 q, other; add.u64 q, q, 16; mov.u64 r, box;", true),
        ("mov.u64 q, box;", "mov.u64 q, other;", true),
        ("cvta.local.u64 q, box; ", "mov.u64 r, box; cvta.local.u64 q, r; mov.u64 r, 0;", true),
        // One variable lies at one place.
        ("mov.u64 q, box; mov.u64 r, box;", "mov.u64 q, box; mov.u64 r, other;", false),
        // Two lie at two.
        ("mov.u64 q, box; mov.u64 r, other;", "mov.u64 q, other; mov.u64 r, other;", false),
        ("mov.u64 q, box; mov.u64 r, other;", "mov.u64 q, other; add.u64 q, q, 24; mov.u64 r, other;", false),
        // They are aligned, and in local memory.
        ("mov.u64 q, box;", "mov.u64 q, box; add.u64 q, q, 4;", false),
        ("mov.u64 q, box;", "mov.u64 q, 64;", false),
        ("mov.u64 q, box;", "cvta.local.u64 q, box;", false),
        // The place hangs on nothing.
        (
            "mov.u64 q, box;",
            "mov.u64 q, box; mov.u64 %rd3, other; setp.eq.u32 p, count, 3; selp.b64 q, %rd3, q, p;",
            false,
        ),
    ];
    verdicts(local, &cases, &mut z3);
}

#[test]
fn no_place_is_refuted() {
    let Some(mut z3) = z3("no_place_is_refuted") else { return };
    let hidden =
        local("mov.u64 q, box; mov.u64 r, other; setp.lt.u64 p, q, r; selp.b64 q, 1, 2, p; mov.u64 r, 0;");
    for target in [local("mov.u64 q, 1;"), local("mov.u64 q, 2;")] {
        let verdict = held(&hidden, &target, &mut z3).record.verdict;
        assert!(!matches!(verdict, Verdict::Refuted(_)), "which lies first is open: {verdict:?}");
    }
    // What does not hang on it is.
    let other = held(&hidden, &local("mov.u64 q, 3; mov.u64 r, 1;"), &mut z3).record.verdict;
    assert!(matches!(other, Verdict::Refuted(_)), "{other:?}");
}

/// An entry with two shared variables, that stores `q`.
fn shared(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {{\n.reg .b64 %rd<9>;\n\
         .reg .b64 q, r;\n.reg .pred p;\n.shared .align 8 .b8 box[16];\n.shared .align 16 .b8 other[32];\n\
         ld.param.u64 %rd1, [out];\n{body}\nst.shared.u64 [box], q;\nst.shared.u64 [other+8], q;\nst.global.u64 [%rd1], q;\nret;\n}}"
    )
}

#[test]
fn no_place_of_a_shared_variable_is_refuted() {
    let Some(mut z3) = z3("no_place_of_a_shared_variable_is_refuted") else { return };
    let all = [
        ("mov.u64 q, other;", "mov.u64 q, 2048;"),
        ("mov.u64 q, box; mov.u64 r, other; setp.lt.u64 p, q, r; selp.b64 q, 1, 2, p;", "mov.u64 q, 2;"),
        ("mov.u64 q, other; shr.u64 q, q, 4; and.b64 q, q, 1;", "mov.u64 q, 1;"),
        ("mov.u64 q, other; shr.u64 q, q, 4; and.b64 q, q, 1;", "mov.u64 q, 0;"),
    ];
    for (source, target) in all {
        let verdict = held(&shared(source), &shared(target), &mut z3).record.verdict;
        assert!(!matches!(verdict, Verdict::Refuted(_)), "{source}: {verdict:?}");
    }
    let wrong = held(&shared("mov.u64 q, other; and.b64 q, q, 15;"), &shared("mov.u64 q, 8;"), &mut z3);
    assert!(matches!(wrong.record.verdict, Verdict::Refuted(_)), "{:?}", wrong.record.verdict);
}

#[test]
fn a_witness_says_where_they_lie() {
    let Some(mut z3) = z3("a_witness_says_where_they_lie") else { return };
    let pair = held(
        &local("mov.u64 q, box; mov.u64 r, other;"),
        &local("mov.u64 q, box; mov.u64 r, other;"),
        &mut z3,
    );
    assert!(pair.is_proved());
    assert_eq!(pair.check(&mut z3, |_| ()), Ok(()));
    assert!(pair.check(&mut z3, |m| m.placed.clear()).is_err());
    assert!(pair.check(&mut z3, |m| m.placed[0].below += 8).is_err());
    assert!(pair.check(&mut z3, |m| m.placed[1] = m.placed[0]).is_err());
}

#[test]
fn two_local_variables_are_evaluated_apart() {
    let Some(mut z3) = z3("two_local_variables_are_evaluated_apart") else { return };
    let body = "and.b32 %r1, count, 3; mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, other; add.u64 %rd4, %rd3, %rd2;\n\
         st.local.v2.u64 [other], {%rd1, %rd1}; mov.u64 %rd5, box; st.local.u64 [%rd5+8], %rd2;\n\
         ld.local.u32 %r2, [%rd4]; cvt.u64.u32 q, %r2;";
    assert_eq!(held(&local(body), &local(body), &mut z3).record.verdict, Verdict::Proved);
    let otherwise = body.replace("[other], {%rd1, %rd1}", "[box], {%rd1, %rd1}");
    assert_ne!(held(&local(body), &local(&otherwise), &mut z3).record.verdict, Verdict::Proved);
}
