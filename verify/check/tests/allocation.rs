//! The allocation checker has nothing to say against real allocations.

mod common;

use sassafras_check::{Verdict, allocation};
use sassafras_driver::Stage;

fn pass(steps: Vec<common::Step>) {
    let steps: Vec<_> = steps.into_iter().filter(|step| step.stage == Stage::Allocate).collect();
    assert!(steps.len() > 30, "{} allocations", steps.len());
    let mut wrong = 0;
    for step in &steps {
        if let Verdict::Objected(findings) = allocation::check(&step.before, &step.after) {
            wrong += 1;
            eprintln!("{}: {} objections", step.name, findings.len());
            findings.iter().take(3).for_each(|finding| eprintln!("    {finding}"));
        }
    }
    assert_eq!(wrong, 0, "of {} allocations", steps.len());
}

#[test]
fn kernels_pass_with_many_registers() {
    pass(common::steps(None));
}

#[test]
fn kernels_pass_with_few_registers() {
    pass(common::steps(Some(24)));
}

#[test]
fn features_pass() {
    pass(common::features());
}

/// A constant may be made where it is read, and its definition left out; but it must be made, and be the same.
#[test]
fn a_constant_made_again_is_the_constant() {
    let text = |phase: &str, vregs: &str, insts: &str| {
        let head = "layout b0\nframe local 0 spill 0\nshared 0\nparams 16\nregisters 32\n";
        format!("sassafras machine 1 {phase} sm_90\nfunction \"k\"\nentry b0\n{head}{vregs}b0():\n{insts}")
    };
    let of = |phase: &str, vregs: &str, insts: &str| {
        sassafras_machine::text::parse(&text(phase, vregs, insts)).unwrap_or_else(|why| panic!("{why}"))
    };
    let before = of(
        "ssa",
        "v0 R 1\nv1 R 1\nv2 R 1\n",
        "  mov.i d=v0 b=0x7 ; origin 0\n  s2r d=v1 sr=0x21 ; origin 1\n  sts a=v1 b=v0 ; origin 2\n  exit ; origin 3\n",
    );
    let after = |made: &str| {
        let insts =
            format!("  s2r d=R2 sr=0x21 ; origin 1\n{made}  sts a=R2 b=R0 ; origin 2\n  exit ; origin 3\n");
        allocation::check(&before, &of("allocated", "v0 R 1\nv1 R 1\nv2 R 1\n", &insts))
    };
    assert_eq!(after("  mov.i d=R0 b=0x7\n"), Verdict::Passed);
    for wrong in ["", "  mov.i d=R0 b=0x8\n", "  mov.i d=R1 b=0x7\n", "  mov.c d=R0 b=0x7\n"] {
        assert!(matches!(after(wrong), Verdict::Objected(_)), "{wrong}");
    }
}

/// A constant that an edge hands on may be made behind the edge. It must be the constant on every path there.
#[test]
fn a_constant_made_again_behind_an_edge_is_the_constant() {
    let vregs = "v0 R 1\nv1 R 1\nv2 P 1\nv3 R 1\nv4 R 1\nv5 R 1\n";
    let head = "layout b0 b1 b2 b3\nframe local 0 spill 0\nshared 0\nparams 16\nregisters 32\n";
    let of = |phase: &str, blocks: &str| {
        let text =
            format!("sassafras machine 1 {phase} sm_90\nfunction \"k\"\nentry b0\n{head}{vregs}{blocks}");
        sassafras_machine::text::parse(&text).unwrap_or_else(|why| panic!("{why}"))
    };
    // b3 gets the constant through b1, where it has another name, and at once.
    let before = |other: u32| {
        let first = format!("  mov.i d=v0 b=0x7 ; origin 0\n  mov.i d=v5 b={other:#x} ; origin 1\n");
        of(
            "ssa",
            &format!(
                "b0():\n{first}  s2r d=v1 sr=0x21 ; origin 2\n  isetp.ri d=v2 a=v1 b=0x9 ; origin 3\n  @v2 bra ; target b2 ; origin 4\n  -> b2(), b1(v0)\n\
                 b1(v3):\n  sts a=v1 b=v1 ; origin 5\n  -> b3(v3)\n\
                 b2():\n  -> b3(v5)\n\
                 b3(v4):\n  sts a=v1 b=v4 ; origin 6\n  exit ; origin 7\n"
            ),
        )
    };
    let after = |in_b1: &str, in_b2: &str, in_b3: &str| {
        of(
            "allocated",
            &format!(
                "b0():\n  s2r d=R2 sr=0x21 ; origin 2\n  isetp.ri d=P0 a=R2 b=0x9 ; origin 3\n  @P0 bra ; target b2 ; origin 4\n  -> b2(), b1()\n\
                 b1():\n  sts a=R2 b=R2 ; origin 5\n{in_b1}  -> b3()\n\
                 b2():\n{in_b2}  -> b3()\n\
                 b3():\n{in_b3}  sts a=R2 b=R0 ; origin 6\n  exit ; origin 7\n"
            ),
        )
    };
    let seven = "  mov.i d=R0 b=0x7\n";
    let eight = "  mov.i d=R0 b=0x8\n";
    let passes = |before: &_, after: &_| allocation::check(before, after) == Verdict::Passed;
    // The same constant on both paths, made on each, or once behind.
    assert!(passes(&before(7), &after(seven, seven, "")));
    assert!(passes(&before(7), &after("", "", seven)));
    // Another one on one path.
    assert!(passes(&before(8), &after(seven, eight, "")));
    for (other, [in_b1, in_b2, in_b3]) in [
        (7, [eight, seven, ""]),
        (7, [seven, eight, ""]),
        (7, [seven, "", ""]),
        (7, ["", "", eight]),
        (8, [seven, seven, ""]),
        (8, [eight, seven, ""]),
        (8, ["", "", seven]),
        (8, ["", "", eight]),
    ] {
        let wrong = after(in_b1, in_b2, in_b3);
        assert!(!passes(&before(other), &wrong), "{other}: {in_b1:?} {in_b2:?} {in_b3:?}");
    }
}
