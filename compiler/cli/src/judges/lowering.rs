//! The executors as judges of lowering: the IR of each entry against its PTX.

use std::time::Instant;

use sassafras_check::rules::Rule;
use sassafras_driver::Stage;
use sassafras_driver::observe::Objection;
use sassafras_judge_lowering::{Finding, judge, reasons};

use super::{Judges, Opinion};

/// What the judge is called.
pub(super) const NAME: &str = "lowering";

impl Judges {
    /// Runs each entry of a module as PTX and as IR, and says what was found; the first objection.
    pub(super) fn lowered(
        &self,
        before: &sassafras_ptx::checked::Module,
        after: &sassafras_ir::Module,
    ) -> Option<Objection> {
        let mut worst = None;
        for f in &after.functions {
            let start = Instant::now();
            let Some(finding) = judge(before, after, &f.name) else { continue };
            let (verdict, reason) = match finding {
                Finding::Same { compared, skipped } => {
                    let rest =
                        if skipped.is_empty() { String::new() } else { format!("; {}", reasons(&skipped)) };
                    ("passed", format!("the same on {compared} launches{rest}"))
                }
                Finding::Unknown(why) if why.is_empty() => {
                    ("unknown", "no launch is small enough".to_owned())
                }
                Finding::Unknown(why) => ("unknown", reasons(&why)),
                Finding::Differs(found) => ("objected", format!("{found} [{}]", Rule::LowerMeaning.id())),
            };
            if verdict == "objected" && worst.is_none() {
                worst = Some(Objection {
                    judge: NAME.into(),
                    stage: Stage::Lower,
                    function: Some(f.name.clone()),
                    message: reason.clone(),
                });
            }
            self.say(Opinion {
                judge: NAME,
                stage: Stage::Lower.to_string(),
                function: Some(f.name.clone()),
                pass: None,
                verdict,
                reason: Some(reason),
                seconds: start.elapsed().as_secs_f64(),
            });
        }
        worst
    }
}
