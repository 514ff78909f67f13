//! The prover as judge of a pass: the function after it against the function before.

use sassafras_driver::Stage;
use sassafras_driver::observe::Objection;
use sassafras_ir::{Function, text::print_function};
use sassafras_prove::{Limits, Verdict};
use sassafras_prove_passes::prove_pass;

use super::{Judges, Opinion};
use crate::command::solvers;

/// Effort for each question, in millions of z3's `rlimit`: a compilation has many passes.
pub(super) const BUDGET: u64 = 3;
/// Seconds for each question, for safety.
pub(super) const TIMEOUT: u64 = 60;

impl Judges {
    /// Proves a pass, and says what was found. What stays unknown is no objection.
    pub(super) fn prove_pass(
        &self,
        pass: &'static str,
        before: &Function,
        after: &Function,
    ) -> Result<(), Objection> {
        let mut solver = solvers::first(BUDGET, TIMEOUT);
        let record = prove_pass(before, after, &mut *solver, Limits::default());
        let reason = match &record.verdict {
            Verdict::Proved => None,
            Verdict::ProvedWithin(rounds) => Some(format!("for loops that run {rounds} times at most")),
            Verdict::Unknown(why) | Verdict::Inapplicable(why) => Some(why.to_string()),
            Verdict::Refuted(found) => {
                let [x, y, z] = found.thread;
                let place = &found.address;
                let head = format!(
                    "after the pass `{pass}` thread ({x}, {y}, {z}) with the parameters {} does something else: at {place} \
                     `{}` before, `{}` after",
                    found.parameters, found.source, found.target
                );
                let steps = |title: &str, all: &[sassafras_prove::steps::Step]| {
                    let lines = all.iter().map(|s| {
                        let values: Vec<&str> = s.writes.iter().map(|w| w.1.as_str()).collect();
                        format!("  {} {}\n", s.text, values.join(" "))
                    });
                    format!("what it does {title}:\n{}", lines.collect::<String>())
                };
                let (before, after) = (print_function(before), print_function(after));
                let (old, new) = (&found.source_steps, &found.target_steps);
                let steps = steps("before", old) + &steps("after", new);
                Some(format!("{head}\n{steps}before the pass:\n{before}after it:\n{after}"))
            }
        };
        let objects = matches!(record.verdict, Verdict::Refuted(_)) || record.contradiction.is_some();
        self.say(Opinion {
            judge: "prove",
            stage: Stage::Optimise.to_string(),
            function: Some(before.name.clone()),
            pass: Some(pass),
            verdict: if objects { "objected" } else { record.verdict.word() },
            reason: reason.clone(),
            seconds: record.seconds,
        });
        if !objects {
            return Ok(());
        }
        Err(Objection {
            judge: "prove".into(),
            stage: Stage::Optimise,
            function: Some(before.name.clone()),
            message: reason.or(record.contradiction).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_driver::observe::Observer;
    use sassafras_driver::options::Judges as Choice;

    /// A pass that swaps the operands of a difference is objected to by the prover, and by it alone.
    #[test]
    fn a_wrong_pass_is_objected_to() {
        let text = "sassafras ir 1 phase=test\nfunction \"k\" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0\nbb0():\n  \
            v0:64 = param.0.8.u\n  v1:32 = param.8.4.u\n  v2:32 = param.12.4.u\n  v3:32 = sub v1, v2\n  \
            store.global:u4x1:weak:cta:+0 v0, v3\n  exit\nend\n";
        let function = |text: &str| {
            let (module, _) = sassafras_ir::text::parse(text).expect("it reads");
            module.functions.into_iter().next().expect("a function")
        };
        let (right, wrong) = (function(text), function(&text.replace("sub v1, v2", "sub v2, v1")));
        for (choice, caught) in [(Choice::All, true), (Choice::Fast, false), (Choice::None, false)] {
            let judges = Judges::new(choice);
            let said = judges.observe_pass("fold", Some(&right), &wrong);
            assert_eq!(said.is_err(), caught, "{choice:?}");
            if let Err(objection) = said {
                assert!(objection.message.contains("sub v1, v2") && objection.message.contains("sub v2, v1"));
                let opinions = judges.opinions();
                assert_eq!((opinions[0].verdict, opinions[0].pass), ("objected", Some("fold")));
            }
        }
    }
}
