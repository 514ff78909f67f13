//! Loops around a compare-and-swap that are taken for one change of a word (`trace::retry`, A-RETRY).

use super::state::Run;
use super::stop::Stop;
use crate::obstacle::target::{Swap, Target};
use crate::trace::side::WORD;
use crate::trace::update;
use sassafras_isa::step::{guard, step};
use sassafras_isa::{Inst, Register};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, State, TermId};

impl Run<'_, '_> {
    /// The branch that decides whether there is another round: the loop is left, as what was found is what was expected. Whether it is one.
    pub(super) fn leave_swap_loop(&mut self, index: u64, inst: &Inst) -> Result<bool, Stop> {
        let code = self.code;
        let Some(retry) = code.retry(|r| r.decides as u64 == index) else { return Ok(false) };
        let (inputs, d) = (self.side.inputs, self.side.inputs.terms);
        if let Some(guess) = &retry.guess {
            let branches = guard(d, inst, self)?;
            let leaves = inputs.normal.of(d.not(&branches));
            update::leave_guess(&mut self.side, retry, guess, leaves)?;
        }
        (retry.decides + 1..=retry.last).for_each(|i| self.side.walk.pass(i as u64));
        if !retry.meets || retry.yields {
            self.side.scatter();
        }
        if retry.yields {
            self.yields();
        }
        self.side.jump(retry.out as u64, None);
        Ok(true)
    }

    /// Where the word that is expected is loaded, and where a round begins. Whether the instruction is such a load, which is done with then.
    pub(super) fn begin_swap_loop(&mut self, index: u64, inst: &Inst) -> Result<bool, Stop> {
        let (inputs, d, code) = (self.side.inputs, self.side.inputs.terms, self.code);
        let loads = code.retry(|r| r.load.map(|at| at as u64) == Some(index));
        if let Some(retry) = loads {
            self.guessed = Some(d.no());
            step(d, inst, WORD * index, self)?;
            if let Some(place) = self.guessed.take() {
                self.side.path.registers.insert(retry.address, inputs.normal.of(place));
            }
        }
        if let Some(retry) = code.retry(|r| r.first as u64 == index) {
            update::begin(&mut self.side, retry);
            for (r, value) in retry.words(inputs, &self.side.path.registers) {
                self.write(d, r, value);
            }
        }
        Ok(loads.is_some())
    }

    /// The compare-and-swap is about to be done: what registers hold that are to be put back behind it.
    pub(super) fn before_swap(&mut self, index: u64) -> Result<Vec<(Register, TermId)>, Stop> {
        let code = self.code;
        let Some(retry) = code.retry(|r| r.swap as u64 == index) else { return Ok(Vec::new()) };
        let held = match &retry.guess {
            Some(guess) => update::before_guess(&mut self.side, retry, guess)?,
            None => Vec::new(),
        };
        let found = self.side.path.registers.get(&retry.found).copied();
        let d = self.side.inputs.terms;
        let Some(found) = found.filter(|t| matches!(d.node(*t), Node::Variable(_))) else {
            return Err(Target::CompareAndSwap { fault: Swap::NoBeginning }.into());
        };
        self.side.expected = Some(found);
        Ok(held)
    }

    /// It was done.
    pub(super) fn after_swap(&mut self, index: u64, held: Vec<(Register, TermId)>) -> Result<(), Stop> {
        let code = self.code;
        let Some(retry) = code.retry(|r| r.swap as u64 == index) else { return Ok(()) };
        update::end(&mut self.side, retry)?;
        if let Some(guess) = &retry.guess {
            update::after_guess(&mut self.side, held, guess);
        }
        Ok(())
    }
}
