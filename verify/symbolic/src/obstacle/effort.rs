//! Effort, time and solvers.

use super::place::Claim;
use crate::obstacles;

const BUDGET: &str = "`--budget N` with a larger N, `--solver bitwuzla`, or `--unroll` with fewer iterations";
const LONGER: &str = "a larger `--timeout`, or none";

/// What solvers say where their time is over.
const TIME: &str = "time";

obstacles! {
    /// What would have taken more.
    Effort;
    /// Terms grow beyond what is worked through.
    Work {} = "U1001" "effort: terms grow beyond what is worked through",
        "what the sides compute grew beyond what is worked through (`--budget` scales it); launches that were drawn do not differ",
        "`--budget N` with a larger N (30 is what is meant without it), or `--unroll` with fewer iterations";
    /// The time is over.
    Time {} = "U1002" "time", "`--timeout` was over before anything was decided", LONGER;
    /// There is no solver.
    NoSolver {} = "U1003" "no solver", "there is no solver to ask", "install z3 or bitwuzla (`sassafras oracle status` says what is found)";
    /// The solver gave up on what had to be shown.
    GaveUp {
        /// What.
        claim: Claim,
        /// What the solver says.
        said: Box<str>,
    } = "U1004" "{claim}: {said}", "the solver gave up on the obligation; launches that were drawn do not differ", BUDGET;
    /// Its time was over.
    Timeout {
        /// What had to be shown.
        claim: Claim,
    } = "U1005" "{claim}: time", "the solver's time was over before the obligation was decided", LONGER;
    /// Its example rests on results of operations on floats that they do not have.
    Floats {
        /// What had to be shown.
        claim: Claim,
    } = "U1006" "arithmetic: {claim}: no example that floats bear out",
        "the solver has an example in which operations on floats have results that they do not have: to it they may be any functions",
        "`--budget N`; the sides may compute a float in two ways";
    /// The solver gave up on whether any input meets the assumptions.
    Assumptions {
        /// What the solver says.
        said: Box<str>,
    } = "U1007" "the assumptions: {said}", "that some input meets what is assumed of the source was not shown", BUDGET;
}

impl Effort {
    /// That a solver gave up, and what it says.
    pub fn gave_up(claim: Claim, said: String) -> Effort {
        if said == TIME { Effort::Timeout { claim } } else { Effort::GaveUp { claim, said: said.into() } }
    }
}
