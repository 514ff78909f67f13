//! What the source leaves open, and the target decides: products that are fused, payloads of NaNs, values that nothing defines, and
//! which window a generic address lies in. Each way to a proof stands beside changes that it must not let pass.

#![allow(missing_docs)]

#[path = "../common/mod.rs"]
mod common;
mod contract;
mod functions;
mod never;
mod places;
mod refuted;
mod undefined;
mod window;

use common::{line, module, ours, z3};
use sassafras_cubin::Cubin;
use sassafras_prove::{Record, Verdict, Z3, prove};
use sassafras_witness::Matching;
use sassafras_witness::check::{Fault, check};

/// A source, and the code of what is to stand for it.
struct Pair {
    source: sassafras_ptx::checked::Module,
    cubin: Cubin,
    record: Record,
}

/// Holds our code of one text against another text.
fn held(source: &str, target: &str, z3: &mut Z3) -> Pair {
    let (source, cubin) = (module(source), ours(target).expect("it compiles"));
    let record = prove(&source, "k", &cubin, z3);
    eprintln!("{}", line(&record));
    Pair { source, cubin, record }
}

impl Pair {
    fn is_proved(&self) -> bool {
        self.record.verdict == Verdict::Proved
    }

    /// Whether it is proved as it is now.
    fn again(&self, z3: &mut Z3) -> bool {
        prove(&self.source, "k", &self.cubin, z3).verdict == Verdict::Proved
    }

    /// What the checker says of the witness, changed.
    fn check(&self, z3: &mut Z3, change: impl FnOnce(&mut Matching)) -> Result<(), Fault> {
        let mut entry = self.record.witness(4).expect("it was proved");
        change(&mut entry.matching);
        check(&self.source, &self.cubin, &entry, z3).map(|_| ())
    }
}

/// Holds each pair of bodies; those with `true` are proved, the others are not.
fn verdicts(of: fn(&str) -> String, cases: &[(&str, &str, bool)], z3: &mut Z3) {
    let mut wrong = Vec::new();
    for (source, target, expected) in cases {
        let pair = held(&of(source), &of(target), z3);
        if pair.is_proved() != *expected {
            wrong.push(format!("{source}\n=> {target}\n{:?}", pair.record.verdict));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
