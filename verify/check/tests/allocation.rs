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
