//! Whether what was compiled does what the source does.

use super::case::{Case, Expected, Meaningless};
use super::compiler::{Compiler, Made};
use sassafras_cubin::Cubin;
use sassafras_execute::{Options, sass};
use sassafras_prove::{Limits, Record, Solver, Verdict, prove_within};
use sassafras_ptx::checked::Module;
use std::time::{Duration, Instant};

/// What is known of a case and a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The executors agree on the inputs.
    Agrees,
    /// The prover shows that they agree on all, by these lemmas.
    Proved(String),
    /// The prover shows it within a bound, by these lemmas.
    Within(String),
    /// Nobody decided, and why.
    Undecided(String),
    /// The compiler refuses the program, and what it says.
    Refused(String),
    /// The source means nothing to compare with. Of a generated program that is an error of the generator.
    Meaningless(Meaningless),
    /// The target does something else, or the compiler broke.
    Wrong(Kind, String),
}

/// How a finding shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The compiler broke.
    Broken,
    /// Executors leave other bytes, or the target does not end well.
    Differs,
    /// The prover refutes it.
    Refuted,
}

impl Decision {
    /// As one word for a progress line.
    pub fn word(&self) -> &'static str {
        match self {
            Decision::Agrees => "agrees",
            Decision::Proved(_) => "proved",
            Decision::Within(_) => "within",
            Decision::Undecided(_) => "undecided",
            Decision::Refused(_) => "refused",
            Decision::Meaningless(_) => "meaningless",
            Decision::Wrong(Kind::Broken, _) => "broken",
            Decision::Wrong(Kind::Differs, _) => "differs",
            Decision::Wrong(Kind::Refuted, _) => "refuted",
        }
    }

    /// What `reduce --keep-verdict` keeps: the word and the reason. Numbers in a reason are left out, as lines, addresses and registers change with the program.
    pub fn ground(&self) -> String {
        let reason = match self {
            Decision::Proved(why)
            | Decision::Within(why)
            | Decision::Undecided(why)
            | Decision::Refused(why) => why.as_str(),
            Decision::Meaningless(_) | Decision::Agrees | Decision::Wrong(..) => "",
        };
        let plain = without_numbers(reason);
        if plain.is_empty() { self.word().to_owned() } else { format!("{}: {plain}", self.word()) }
    }
}

/// A sentence with `#` for each word that begins with a digit, and for the digits that end a name.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_digit() {
            while chars.next_if(char::is_ascii_alphanumeric).is_some() {}
            out.push('#');
        } else {
            out.push(c);
        }
    }
    out
}

/// Runs a cubin on a case: in two orders, and of our own code with latencies.
pub fn run(case: &Case, expected: &Expected, cubin: &Cubin, timing: bool) -> Decision {
    let layout = match sass::layout(cubin, "k") {
        Ok(layout) => layout,
        Err(e) => return Decision::Wrong(Kind::Differs, e.to_string()),
    };
    let launch = match case.launch(&layout) {
        Ok(launch) => launch,
        Err(e) => return Decision::Wrong(Kind::Differs, e.to_string()),
    };
    for order in [0, 2] {
        let options = Options { order, timing, ..Options::default() };
        match sass::run(cubin, "k", &launch, &options) {
            Ok(outcome) => {
                if let Some(how) = expected.difference(&outcome.buffers[0]) {
                    return Decision::Wrong(Kind::Differs, how);
                }
                let kept = launch.buffers.iter().map(|b| &b.bytes).skip(1);
                if !kept.eq(outcome.buffers.iter().skip(1)) {
                    return Decision::Wrong(
                        Kind::Differs,
                        "the target writes to what it may only read".into(),
                    );
                }
            }
            Err(e) if e.is_unsupported() => return Decision::Undecided(e.to_string()),
            Err(e) => return Decision::Wrong(Kind::Differs, e.to_string()),
        }
    }
    Decision::Agrees
}

/// Holds a cubin against its source.
pub fn prove(module: &Module, cubin: &Cubin, solver: &mut dyn Solver, limits: Limits) -> Decision {
    let record = prove_within(module, "k", cubin, solver, limits);
    let lemmas = || record.lemmas.iter().copied().collect::<Vec<_>>().join(", ");
    match record.verdict {
        Verdict::Proved => Decision::Proved(lemmas()),
        Verdict::ProvedWithin(_) => Decision::Within(lemmas()),
        Verdict::Refuted(found) => Decision::Wrong(
            Kind::Refuted,
            format!("at {} the source leaves {}, the target {}", found.address, found.source, found.target),
        ),
        Verdict::Unknown(why) | Verdict::Inapplicable(why) => Decision::Undecided(why.to_string()),
    }
}

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Oracle {
    /// Both executors, on the case's inputs.
    Run,
    /// The prover, on every input.
    Prove,
    /// The executors, and of what they agree on the prover too.
    All,
}

impl Oracle {
    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Oracle::Run => "run",
            Oracle::Prove => "prove",
            Oracle::All => "all",
        }
    }
}

/// z3 for one program of many: little effort for each question, and seconds for safety.
fn solver() -> Box<dyn Solver> {
    crate::command::solvers::first(10, 20)
}

/// Limits of one proof of many.
pub fn limits() -> Limits {
    Limits { deadline: Instant::now().checked_add(Duration::from_secs(20)), ..Limits::default() }
}

/// Compiles a case and holds the code against it.
pub fn decide(case: &Case, compiler: &Compiler, oracle: Oracle) -> Decision {
    match oracle {
        Oracle::Run => by_running(case, compiler),
        Oracle::Prove => by_proof(case, compiler, solver().as_mut(), limits()),
        Oracle::All => match by_running(case, compiler) {
            Decision::Agrees => match by_proof(case, compiler, solver().as_mut(), limits()) {
                Decision::Undecided(_) => Decision::Agrees,
                other => other,
            },
            other => other,
        },
    }
}

/// What the prover says of a case's code, as a record for a report.
pub fn record(module: &Module, cubin: &Cubin) -> Record {
    prove_within(module, "k", cubin, solver().as_mut(), limits())
}

/// Compiles a case and runs it.
pub fn by_running(case: &Case, compiler: &Compiler) -> Decision {
    let (module, expected) = match case.module().and_then(|m| Ok((case.expected(&m)?, m))) {
        Ok((expected, module)) => (module, expected),
        Err(why) => return Decision::Meaningless(why),
    };
    drop(module);
    match compiler.compile(&case.text) {
        Made::Refused(why) => Decision::Refused(why),
        Made::Broken(why) => Decision::Wrong(Kind::Broken, why.to_string()),
        Made::Cubin(cubin, _) => run(case, &expected, &cubin, compiler.is_ours()),
    }
}

/// Compiles a case and proves it.
pub fn by_proof(case: &Case, compiler: &Compiler, solver: &mut dyn Solver, limits: Limits) -> Decision {
    let module = match case.module() {
        Ok(module) => module,
        Err(why) => return Decision::Meaningless(why),
    };
    match compiler.compile(&case.text) {
        Made::Refused(why) => Decision::Refused(why),
        Made::Broken(why) => Decision::Wrong(Kind::Broken, why.to_string()),
        Made::Cubin(cubin, _) => prove(&module, &cubin, solver, limits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ground_is_the_reason_without_places() {
        let undecided = |why: &str| Decision::Undecided(why.into()).ground();
        let (one, other) = ("the store of line 24 is that at 0x0220", "the store of line 9 is that at 0x80");
        assert_eq!(undecided(one), undecided(other));
        assert_ne!(undecided("the budget"), undecided("a loop"));
        let (proved, within) = (Decision::Proved("quotient".into()), Decision::Within("quotient".into()));
        assert_ne!(proved.ground(), Decision::Proved(String::new()).ground(), "another lemma");
        assert_ne!(proved.ground(), within.ground());
    }
}
