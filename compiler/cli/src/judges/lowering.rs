//! The judges of lowering: the IR of each entry against its PTX, by both executors, and where all judges are asked for by the prover.

use std::time::Instant;

use sassafras_check::rules::Rule;
use sassafras_driver::Stage;
use sassafras_driver::observe::Objection;
use sassafras_judge_lowering::{Finding, judge, reasons};
use sassafras_prove::Limits;
use sassafras_prove_lowering::{Verdict, prove};

use super::passes::{BUDGET, TIMEOUT};
use super::{Judges, LOWERING, Opinion};
use crate::command::solvers;

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
            let seconds = start.elapsed().as_secs_f64();
            worst = worst.or(self.say_of_entry(LOWERING, &f.name, verdict, Some(reason), seconds));
        }
        worst
    }

    /// Proves each entry, and says what was found; the first refutation. What stays unknown is no objection.
    pub(super) fn prove_lowered(
        &self,
        before: &sassafras_ptx::checked::Module,
        after: &sassafras_ir::Module,
    ) -> Option<Objection> {
        let mut worst = None;
        for f in &after.functions {
            let mut solver = solvers::first(BUDGET, TIMEOUT);
            let record = prove(before, after, &f.name, &mut *solver, Limits::default());
            let Some(record) = record else { continue };
            let (verdict, reason) = match record.verdict {
                Verdict::Proved => ("proved", None),
                Verdict::ProvedWithin(rounds) => {
                    ("proved within a bound", Some(format!("for loops that run {rounds} times at most")))
                }
                Verdict::Unknown(why) => ("unknown", Some(why.to_string())),
                Verdict::Refuted(found) => {
                    ("objected", Some(format!("{found} [{}]", Rule::LowerMeaning.id())))
                }
            };
            worst = worst.or(self.say_of_entry("prove", &f.name, verdict, reason, record.seconds));
        }
        worst
    }

    /// Says what a judge found of an entry behind lowering; the objection, if it is one.
    fn say_of_entry(
        &self,
        judge: &'static str,
        name: &str,
        verdict: &'static str,
        reason: Option<String>,
        seconds: f64,
    ) -> Option<Objection> {
        let function = Some(name.to_owned());
        let objection = (verdict == "objected").then(|| Objection {
            judge: judge.into(),
            stage: Stage::Lower,
            function: function.clone(),
            message: reason.clone().unwrap_or_default(),
        });
        let stage = Stage::Lower.to_string();
        self.say(Opinion { judge, stage, function, pass: None, verdict, reason, seconds });
        objection
    }
}
