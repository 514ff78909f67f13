//! What helps the checker from question to question.

use super::fault::Fault;
use super::so_far::SoFar;
use sassafras_semantics::TermId;
use sassafras_solve::solver::Solver;

/// What is told before each question.
pub trait Guide {
    /// Before the first: all terms of both sides are made.
    ///
    /// # Errors
    /// What it tells is not about them.
    fn begin(&mut self, so_far: &mut SoFar<'_, '_>) -> Result<(), Fault>;
    /// Before the question, by its place in the list, whether a bit can be one. False where it need not be asked.
    ///
    /// # Errors
    /// What it tells is not shown.
    fn before(
        &mut self,
        so_far: &mut SoFar<'_, '_>,
        at: usize,
        t: TermId,
        solver: &mut dyn Solver,
    ) -> Result<bool, Fault>;
    /// Whether to ask with much effort, taken as whole numbers, if two terms are one: the question of a place whose answer only saves work.
    fn numbers(&mut self, at: usize) -> bool;
}
