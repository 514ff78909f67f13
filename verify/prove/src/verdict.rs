//! Verdicts, and the record of an entry.

use crate::reach::Evaluation;
use crate::reason::Reason;
use crate::steps::{Read, Step};
use sassafras_symbolic::assumption::Assumption;
use sassafras_witness::rewrite::Rewrites;
use sassafras_witness::{Entry, Matching};
use serde::Serialize;
use std::collections::BTreeSet;

/// An input that tells the sides apart, as both executors confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counterexample {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads in x, y, z.
    pub block: [u32; 3],
    /// The thread in x, y, z for which the sides were told apart.
    pub thread: [u32; 3],
    /// The parameter block in hex digits, first byte first.
    pub parameters: String,
    /// The same by parameter.
    pub arguments: Vec<Argument>,
    /// What buffers hold that is not [`fill`](Self::fill), or what that thread reads: address and bytes in hex digits, first byte first.
    pub memory: Vec<(String, String)>,
    /// What that thread reads of it in the source, access by access.
    pub reads: Vec<Read>,
    /// What all other bytes of buffers hold.
    pub fill: u8,
    /// What `sassafras run` has to be given, behind the file and the entry, to see it again; none if that takes more than a line.
    pub run: Option<String>,
    /// Where the results differ.
    pub address: String,
    /// What the source leaves there, hex digits of up to 16 bytes, or how it ended.
    pub source: String,
    /// What the target leaves there.
    pub target: String,
    /// PTX line of the source's store, where there is one.
    pub line: Option<u64>,
    /// Byte offset of the first SASS instruction whose value differs.
    pub instruction: Option<u64>,
    /// Its text.
    pub text: Option<String>,
    /// Why it is that one, where the difference shows at a later one.
    pub cause: Option<Cause>,
    /// What the thread does in the source, as its executor shows.
    pub source_steps: Vec<Step>,
    /// What it does in the target.
    pub target_steps: Vec<Step>,
}

/// Why an instruction is taken for the first that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Byte offset of the instruction at which the difference shows.
    pub seen: u64,
    /// Its text.
    pub seen_text: Option<String>,
    /// What tells the first from those before it.
    pub why: String,
}

/// A parameter of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Argument {
    /// Its name, or `parameter N` where the source has none.
    pub name: String,
    /// Byte offset among the parameters.
    pub offset: u32,
    /// Hex digits, first byte first.
    pub bytes: String,
    /// Whether it is the address of a buffer.
    pub pointer: bool,
}

/// What was found out about an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The target does what the source does.
    Proved,
    /// The same for inputs on which no activation of a loop of the source returns to its head more often than this.
    ProvedWithin(u32),
    /// It does not.
    Refuted(Box<Counterexample>),
    /// Neither was shown, and why.
    Unknown(Reason),
    /// There is nothing to compare, and why.
    Inapplicable(Reason),
}

impl Verdict {
    /// As a word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::ProvedWithin(_) => "proved within a bound",
            Verdict::Refuted(_) => "refuted",
            Verdict::Unknown(_) => "unknown",
            Verdict::Inapplicable(_) => "inapplicable",
        }
    }
}

/// How many obligations there were, and who discharged them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Obligations.
    pub total: u32,
    /// Of these, equal as terms.
    pub by_terms: u32,
    /// Of these, by the solver.
    pub by_solver: u32,
    /// Concrete inputs on which both sides were evaluated.
    pub evaluated: u32,
}

/// Which part of the target's instructions lie on a path that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Instructions on such paths.
    pub reached: u32,
    /// Instructions, the padding behind the last aside.
    pub instructions: u32,
}

/// Where the time went, seconds; the rest is comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Phases {
    /// Both sides over terms in normal form.
    pub sides: f64,
    /// Both sides over raw terms, and their values.
    pub evaluation: f64,
    /// The solver's answers.
    pub solver: f64,
    /// How many there were.
    pub questions: u32,
}

/// What is known of one entry.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name.
    pub entry: String,
    /// What was found.
    pub verdict: Verdict,
    /// What it rests on.
    pub assumptions: BTreeSet<Assumption>,
    /// Lemmas that it rests on, by name: A-LEMMA.
    pub lemmas: BTreeSet<&'static str>,
    /// Obligations.
    pub obligations: Counts,
    /// Most iterations of a loop that were unrolled: more than was asked for where loops never end sooner.
    pub unroll: u32,
    /// How much of the target was run.
    pub coverage: Option<Coverage>,
    /// How far the evaluation before a bounded proof went.
    pub evaluation: Option<Evaluation>,
    /// What the prover found against itself: all obligations hold, and values on an input say otherwise.
    pub contradiction: Option<String>,
    /// Why loops were not shown to do the same for any number of turns, where that was tried and did not prove it.
    pub turns: Option<Reason>,
    /// Which event stands for which, of what was proved.
    pub matching: Option<Matching>,
    /// How long it took, seconds.
    pub seconds: f64,
    /// What of that each part of the work took.
    pub phases: Phases,
}

impl Record {
    /// What a proof found, to be written down; none of what was not proved. `unroll`: the rounds that were asked for.
    pub fn witness(&self, unroll: u32) -> Option<Entry> {
        let bounded = match self.verdict {
            Verdict::Proved => false,
            Verdict::ProvedWithin(_) => true,
            _ => return None,
        };
        Some(Entry {
            entry: self.entry.clone(),
            assumptions: self.assumptions.iter().map(|a| a.id().to_owned()).collect(),
            lemmas: self.lemmas.iter().map(|l| (*l).to_owned()).collect(),
            // Calls of functions within themselves may be fewer than was asked for.
            unroll: if bounded { self.unroll } else { self.unroll.max(unroll) },
            bounded,
            matching: self.matching.clone()?,
            rewrites: Rewrites::default(),
        })
    }

    /// What it rests on that does not belong to the base set, by id: each makes a proof one of exit code 14.
    pub fn outside(&self) -> Vec<String> {
        let assumed = self.assumptions.iter().filter(|a| !a.base()).map(|a| a.id().to_owned());
        assumed.chain(self.lemmas.iter().map(|lemma| format!("A-LEMMA[{lemma}]"))).collect()
    }

    /// The exit code that `docs/proof.md` gives this verdict; 3 where the prover contradicts itself.
    pub fn exit_code(&self) -> u8 {
        match &self.verdict {
            _ if self.contradiction.is_some() => 3,
            Verdict::Proved if self.outside().is_empty() => 0,
            Verdict::Proved => 14,
            Verdict::ProvedWithin(_) => 11,
            Verdict::Refuted(_) => 10,
            Verdict::Unknown(_) => 12,
            Verdict::Inapplicable(_) => 13,
        }
    }

    /// As JSON, schema 1.
    pub fn json(&self) -> serde_json::Value {
        let (reason, counterexample) = match &self.verdict {
            Verdict::Proved | Verdict::ProvedWithin(_) => (None, None),
            Verdict::Refuted(c) => (None, Some(c)),
            Verdict::Unknown(why) | Verdict::Inapplicable(why) => (Some(why), None),
        };
        let bound = match &self.verdict {
            Verdict::ProvedWithin(rounds) => Some(serde_json::json!({ "unroll": rounds })),
            _ => None,
        };
        let advice = reason.map(Reason::advice);
        let unknown = advice.filter(|_| matches!(self.verdict, Verdict::Unknown(_)));
        serde_json::json!({
            "schema": 1,
            "entry": self.entry,
            "verdict": self.verdict.word(),
            "bound": bound,
            "coverage": self.coverage,
            "evaluation": self.evaluation,
            "assumptions": self.assumptions.iter().map(|a| a.id()).collect::<Vec<_>>(),
            "outside": self.outside(),
            "lemmas": self.lemmas,
            "reason": reason.map(|why| why.to_string()),
            "code": advice.map(|page| page.code),
            "means": unknown.map(|page| page.means),
            "try": unknown.map(|page| page.hint),
            "turns": self.turns.as_ref().map(|why| serde_json::json!({ "reason": why.to_string(), "code": why.advice().code })),
            "contradiction": self.contradiction,
            "counterexample": counterexample,
            "seconds": self.seconds,
            "phases": self.phases,
            "obligations": self.obligations,
        })
    }
}
