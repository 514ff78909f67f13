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
