//! The schedule and hazard checkers have nothing to say against real schedules.

mod common;

use sassafras_check::{Verdict, hazard, schedule};
use sassafras_driver::Stage;

#[test]
fn programs_pass() {
    let steps: Vec<_> = common::steps(None)
        .into_iter()
        .chain(common::steps(Some(24)))
        .chain(common::features())
        .filter(|step| step.stage == Stage::Schedule)
        .collect();
    assert!(steps.len() > 30, "{} schedules", steps.len());
    let (mut wrong, mut unknown) = (0, 0);
    for step in &steps {
        for (judge, verdict) in
            [("schedule", schedule::check(&step.before, &step.after)), ("hazard", hazard::check(&step.after))]
        {
            match verdict {
                Verdict::Passed => {}
                Verdict::Unknown(findings) => {
                    unknown += findings.len();
                    eprintln!("{}: {judge}: {} unknown, as {}", step.name, findings.len(), findings[0]);
                }
                Verdict::Objected(findings) => {
                    wrong += 1;
                    eprintln!("{}: {judge}: {} objections", step.name, findings.len());
                    findings.iter().take(3).for_each(|finding| eprintln!("    {finding}"));
                }
            }
        }
    }
    eprintln!("{} schedules: {wrong} objected, {unknown} findings unknown", steps.len());
    assert_eq!(wrong, 0, "of {} schedules", steps.len());
}
