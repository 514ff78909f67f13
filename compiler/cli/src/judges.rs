//! Who judges each stage of a compilation. `passes`: each pass of the optimiser, by the prover. `lowering`: the IR against the PTX, by both
//! executors and by the prover.

mod lowering;
mod passes;

use std::sync::Mutex;
use std::time::Instant;

use sassafras_check::Verdict;
use sassafras_check::cubin::Made;
use sassafras_check::lines::{self, Expected};
use sassafras_check::text::Read;
use sassafras_driver::Stage;
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::Judges as Choice;
use sassafras_driver::session;
use serde::Serialize;

/// The judge of lowering by launches, by name.
const LOWERING: &str = "lowering";

/// What a judge said.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Opinion {
    /// Who.
    pub judge: &'static str,
    /// About which stage.
    pub stage: String,
    /// About which function.
    pub function: Option<String>,
    /// About which pass of the optimiser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass: Option<&'static str>,
    /// `passed`, `objected` or `unknown`; of a proof `proved`, or `proved within a bound`.
    pub verdict: &'static str,
    /// Why, where it did not pass.
    pub reason: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Opinion {
    /// Whether it is said to people that nothing could be decided. What executors find holds for the launches that were drawn in any case: that
    /// none counts is for the report.
    pub fn is_said(&self) -> bool {
        self.verdict == "unknown" && self.judge != LOWERING
    }
}

/// What a judge finds.
pub enum Finding {
    /// Nothing is wrong.
    Passed,
    /// Something could not be decided.
    Unknown(String),
    /// Something is wrong.
    Objected(String),
}

type Judge = fn(Stage, Option<Form<'_>>, Form<'_>) -> Option<Finding>;

/// The judges, by name. One gives `None` about what it does not judge.
const JUDGES: &[(&str, Judge)] = &[
    ("ir", intermediate),
    ("machine", machine),
    ("placement", placement),
    ("paths", paths),
    ("allocation", allocation),
    ("schedule", schedule),
    ("hazards", hazards),
    ("encoding", encoding),
    ("container", container),
];

/// The judges of a session, and what they said.
#[derive(Default)]
pub struct Judges {
    silent: bool,
    /// Whether the prover is among them.
    proves: bool,
    opinions: Mutex<Vec<Opinion>>,
    /// What went into the container, for its judge.
    made: Mutex<Vec<Made>>,
    /// What was read back of texts.
    read: Read,
    /// What the PTX says of its lines, and which of them words were made from.
    lines: Mutex<(Expected, Vec<lines::Made>)>,
}

impl Judges {
    /// Judges as `--judge` asks for them.
    pub fn new(choice: Choice) -> Judges {
        Judges { silent: choice == Choice::None, proves: choice == Choice::All, ..Judges::default() }
    }

    fn say(&self, opinion: Opinion) {
        self.opinions.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(opinion);
    }

    /// What the container says of each function is what was made for it.
    fn cubin(&self, after: Form<'_>) -> Option<Finding> {
        let mut made = self.made.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match after {
            Form::Words(f, _, words) => made.push(Made::of(f, words)),
            Form::Cubin(cubin, bytes) => {
                let said = match sassafras_cubin::elf::read(bytes) {
                    Ok(image) => sassafras_check::container::check(&image),
                    Err(error) => return Some(Finding::Objected(format!("the file does not read: {error}"))),
                };
                return Some(finding(&said.and(sassafras_check::cubin::check(cubin, &made))));
            }
            Form::Ptx(_) | Form::Ir(_) | Form::Machine(_) => {}
        }
        None
    }

    /// Instructions keep their lines, and the line information of the file says where its words come from.
    fn lines(&self, before: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
        if let Form::Machine(f) = after {
            let Some(Form::Machine(before)) = before else { return None };
            return Some(finding(&lines::check_kept(before, f)));
        }
        // Only what goes over functions is kept for all of them.
        let mut known = self.lines.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match after {
            Form::Ptx(module) => known.0 = Expected::of(module),
            Form::Words(f, ..) => known.1.push(lines::Made::of(f)),
            Form::Cubin(_, bytes) => {
                return Some(match sassafras_cubin::read(bytes) {
                    Ok(cubin) => finding(&lines::check(&cubin, &known.0, &known.1)),
                    Err(error) => Finding::Objected(format!("the file does not read: {error}")),
                });
            }
            Form::Machine(_) | Form::Ir(_) => {}
        }
        None
    }

    /// The text of a form is the form: it reads back as it was.
    fn text(&self, stage: Stage, before: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
        let fault = match after {
            Form::Ir(module) => sassafras_check::text::intermediate(module, stage.row().name),
            Form::Machine(f) => {
                let before = match before {
                    Some(Form::Machine(before)) => Some(before),
                    _ => None,
                };
                self.read.machine(before, f)
            }
            _ => return None,
        };
        Some(fault.map_or(Finding::Passed, Finding::Objected))
    }

    /// What was said, by stage, function and judge.
    pub fn opinions(self) -> Vec<Opinion> {
        let mut list = self.opinions.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let order = |o: &Opinion| (Stage::named(&o.stage), o.function.clone(), o.judge);
        list.sort_by_key(order);
        list
    }
}

impl Observer for Judges {
    fn wants_before(&self, _: Stage) -> bool {
        !self.silent
    }

    fn observe_pass(
        &self,
        pass: &'static str,
        before: Option<&sassafras_ir::Function>,
        after: &sassafras_ir::Function,
    ) -> Result<(), Objection> {
        match before.filter(|_| self.proves) {
            Some(before) => self.prove_pass(pass, before, after),
            None => Ok(()),
        }
    }

    fn observe(
        &self,
        stage: Stage,
        before: Option<Form<'_>>,
        after: Form<'_>,
        notes: &Notes,
    ) -> Result<(), Objection> {
        if self.silent {
            return Ok(());
        }
        let mut worst = match (stage, before, after) {
            (Stage::Lower, Some(Form::Ptx(before)), Form::Ir(after)) => {
                let found = self.lowered(before, after);
                let proven = if self.proves { self.prove_lowered(before, after) } else { None };
                found.or(proven)
            }
            _ => None,
        };
        let alone = JUDGES.iter().map(|&(judge, judging)| (judge, Some(judging)));
        // The first and the last four know what earlier stages made, or did.
        let knowing = ["cubin", "lines", "promises", "folding"].map(|judge| (judge, None));
        for (judge, judging) in std::iter::once(("text", None)).chain(alone).chain(knowing) {
            let start = Instant::now();
            let finding = match judging {
                Some(judging) => judging(stage, before, after),
                None if judge == "text" => self.text(stage, before, after),
                None if judge == "promises" => promises(stage, after, notes),
                None if judge == "folding" => folding(stage, before, after, notes),
                None if judge == "lines" => self.lines(before, after),
                None => self.cubin(after),
            };
            let Some(finding) = finding else { continue };
            let (verdict, reason) = match finding {
                Finding::Passed => ("passed", None),
                Finding::Unknown(why) => ("unknown", Some(why)),
                Finding::Objected(why) => ("objected", Some(why)),
            };
            if verdict == "objected" && worst.is_none() {
                worst = Some(Objection {
                    judge: judge.into(),
                    stage,
                    function: notes.function.clone(),
                    message: reason.clone().unwrap_or_default(),
                });
            }
            let opinion = Opinion {
                judge,
                stage: stage.to_string(),
                function: notes.function.clone(),
                pass: None,
                verdict,
                reason,
                seconds: start.elapsed().as_secs_f64(),
            };
            self.say(opinion);
        }
        worst.map_or(Ok(()), Err)
    }
}

/// Folding kept every path, its conditions and its lanes, and each merge may be made.
fn folding(stage: Stage, before: Option<Form<'_>>, after: Form<'_>, notes: &Notes) -> Option<Finding> {
    let (Stage::Fold, Some(Form::Machine(before)), Form::Machine(after)) = (stage, before, after) else {
        return None;
    };
    let allowed = |name| notes.numbers.iter().any(|number| number.0 == name);
    let choices = sassafras_check::folding::Choices {
        reserved: allowed(session::RESERVED_TAILS),
        unstructured: allowed(session::UNSTRUCTURED),
    };
    let found = sassafras_check::folding::folded_with(before, after, &notes.merges, choices);
    Some(if found.is_empty() { Finding::Passed } else { finding(&Verdict::Objected(found)) })
}

/// What a phase promises of the graph.
fn promises(stage: Stage, after: Form<'_>, notes: &Notes) -> Option<Finding> {
    match (stage, after) {
        // The pass may be left out.
        (Stage::Optimise, Form::Ir(module)) if notes.numbers.iter().any(|n| n.0 == "LoopMakeSingleEntry") => {
            Some(finding(&sassafras_check::ir::check_reducible(module)))
        }
        (Stage::Prepare, Form::Machine(f)) => Some(finding(&sassafras_check::machine::check_critical(f))),
        _ => None,
    }
}

/// Each use reads the value that it named before allocation.
fn allocation(stage: Stage, before: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
    let (Stage::Allocate, Some(Form::Machine(before)), Form::Machine(after)) = (stage, before, after) else {
        return None;
    };
    Some(finding(&sassafras_check::allocation::check(before, after)))
}

/// Scheduling, before allocation and at the end, kept the instructions and their dependences.
fn schedule(stage: Stage, before: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
    let (Stage::Arrange | Stage::Schedule, Some(Form::Machine(before)), Form::Machine(after)) =
        (stage, before, after)
    else {
        return None;
    };
    Some(finding(&sassafras_check::schedule::check(before, after)))
}

/// Every result is ready when it is read.
fn hazards(stage: Stage, _: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
    let (Stage::Schedule, Form::Machine(after)) = (stage, after) else { return None };
    Some(finding(&sassafras_check::hazard::check(after)))
}

/// A verdict with its first few reasons.
fn finding(verdict: &Verdict) -> Finding {
    let reason = |list: &[sassafras_check::Finding]| {
        let lines: Vec<String> = list.iter().take(5).map(ToString::to_string).collect();
        let more = list.len().saturating_sub(5);
        lines.join("\n") + &if more > 0 { format!("\nand {more} more") } else { String::new() }
    };
    match verdict {
        Verdict::Passed => Finding::Passed,
        Verdict::Unknown(list) => Finding::Unknown(reason(list)),
        Verdict::Objected(list) => Finding::Objected(reason(list)),
    }
}

/// Each word says what its instruction said, branches included.
fn encoding(_: Stage, _: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
    let Form::Words(f, routines, words) = after else { return None };
    Some(finding(&sassafras_check::encode::check(f, routines, words, f.chip)))
}

/// The IR keeps its rules.
fn intermediate(_: Stage, _: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
    let Form::Ir(module) = after else { return None };
    Some(finding(&sassafras_check::ir::check(module)))
}

/// Each path runs the instructions that it ran before, in their new order and with copies.
fn paths(stage: Stage, before: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
    match (stage, before, after) {
        (Stage::Layout, Some(Form::Machine(before)), Form::Machine(after)) => {
            let found = sassafras_check::folding::folded(before, after, &[]);
            Some(finding(&Verdict::of(found, Vec::new())))
        }
        _ => None,
    }
}

/// Branches mean what they meant before blocks had their order.
fn placement(stage: Stage, before: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
    let (Stage::Layout, Some(Form::Machine(before)), Form::Machine(after)) = (stage, before, after) else {
        return None;
    };
    Some(finding(&sassafras_check::machine::check_placement(before, after)))
}

/// Machine code keeps the rules of its phase, those of convergence among them.
fn machine(_: Stage, _: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
    let Form::Machine(f) = after else { return None };
    Some(finding(&sassafras_check::machine::check(f)))
}

/// The file says what was put into it.
fn container(_: Stage, _: Option<Form<'_>>, after: Form<'_>) -> Option<Finding> {
    let Form::Cubin(cubin, bytes) = after else { return None };
    Some(match sassafras_cubin::read(bytes) {
        Err(error) => Finding::Objected(format!("the file does not read: {error}")),
        Ok(again) if again.functions != cubin.functions => {
            Finding::Objected("functions differ when read back".into())
        }
        Ok(again) if again.addresses != cubin.addresses => {
            Finding::Objected("address slots differ when read back".into())
        }
        Ok(_) => Finding::Passed,
    })
}
