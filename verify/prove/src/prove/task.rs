//! What is to be proved, and with what.

use crate::hints;
use crate::verdict::Record;
use sassafras_cubin::{Cubin, Function};
use sassafras_solve::limit::Limits;
use sassafras_solve::solver::Solver;
use sassafras_symbolic::origin::Origin;

/// The two entries that are compared.
#[derive(Clone, Copy)]
pub struct Entries<'a> {
    /// The source.
    pub origin: Origin<'a>,
    /// The cubin of the target.
    pub cubin: &'a Cubin,
    /// The target: an entry of that cubin.
    pub code: &'a Function,
}

/// What plans before this one showed of the sides. It is kept where work runs out in the middle of a plan.
#[derive(Debug, Default)]
pub struct Met {
    /// Whether loops of the source go on beyond the bound.
    pub unfinished: bool,
    /// Offsets of parameters that addresses start from, in bytes, where the source has terms.
    pub pointers: Vec<u64>,
}

/// Two entries, and what there is to prove one against the other.
pub struct Task<'a> {
    /// What is compared.
    pub entries: Entries<'a>,
    /// What the compiler says of the loops of the target.
    pub hints: Option<&'a hints::Entry>,
    /// Who answers questions.
    pub solver: &'a mut dyn Solver,
    /// How much may be spent.
    pub limits: Limits,
    /// What is told of the proof in the end.
    pub record: &'a mut Record,
    /// What was met so far.
    pub met: Met,
}
