//! Passes of the optimiser, each held against the function before it: what the pipeline does to the corpus and to random
//! functions is not refuted, and passes that are wrong on purpose are not proved. `cargo xtask long passes` takes all of the
//! corpus and more functions, and writes `reports/pass-proofs.md`.

#![allow(missing_docs)]

#[path = "../../../prove/tests/common/mod.rs"]
mod common;
mod kept;
mod mutants;
mod observed;
mod pairs;
mod pipeline;
mod planted;

/// Millions of z3's `rlimit` for a question.
const BUDGET: u64 = 3;

/// Whether this is the whole run.
fn whole() -> bool {
    std::env::var_os("SASSAFRAS_ALL_PASSES").is_some()
}
