//! One nvdisasm for many learners: each asks in its own thread, and when all of them wait, one run answers all.
//!
//! nvdisasm takes half a second to start and 25 microseconds for a word, so a chip's six hundred forms learned in
//! lock-step cost little more than their words.

use anyhow::Result;
use rustc_hash::FxHashMap;
use sassafras_oracle::Nvdisasm;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A word's text, and the address it was printed at; `None` where nvdisasm refuses the word.
pub type Answer = Option<(Arc<str>, u64)>;

/// Words per run; addresses begin anew with each. The oracle's own batches are of this size.
const BATCH: usize = 20_000;

/// The shared nvdisasm.
pub struct Pool {
    nvdisasm: Nvdisasm,
    chip: String,
    state: Mutex<State>,
    answered: Condvar,
}

#[derive(Default)]
struct State {
    /// Learners that have not finished.
    live: usize,
    /// Questions of the learners that wait, by ticket.
    questions: Vec<(usize, Vec<u128>)>,
    answers: FxHashMap<usize, Result<Vec<Answer>, Arc<anyhow::Error>>>,
    tickets: usize,
    /// Words asked and runs made so far.
    words: usize,
    runs: usize,
}

impl Pool {
    /// A pool for a chip, as `SM90`.
    pub fn new(nvdisasm: Nvdisasm, chip: &str) -> Pool {
        let state = Mutex::new(State::default());
        Pool { nvdisasm, chip: chip.to_owned(), state, answered: Condvar::new() }
    }

    /// This many learners begin now; each must leave.
    pub fn expect(&self, learners: usize) {
        self.lock().live += learners;
    }

    /// The text of each word. Waits until every other learner asks too, or has left.
    ///
    /// # Errors
    /// When nvdisasm cannot be run.
    pub fn ask(&self, words: &[u128]) -> Result<Vec<Answer>> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut state = self.lock();
        let ticket = state.tickets;
        state.tickets += 1;
        state.questions.push((ticket, words.to_vec()));
        loop {
            if let Some(answer) = state.answers.remove(&ticket) {
                return answer.map_err(|why| anyhow::anyhow!("{why}"));
            }
            if state.questions.len() == state.live && !state.questions.is_empty() {
                self.answer(&mut state);
                self.answered.notify_all();
            } else {
                state = self.answered.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// A learner has finished and will not ask again.
    pub fn leave(&self) {
        let mut state = self.lock();
        state.live -= 1;
        self.answered.notify_all();
    }

    /// Words asked, and runs of nvdisasm.
    pub fn cost(&self) -> (usize, usize) {
        let state = self.lock();
        (state.words, state.runs)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, state: &mut State) {
        let questions = std::mem::take(&mut state.questions);
        let all: Vec<u128> = questions.iter().flat_map(|(_, words)| words.iter().copied()).collect();
        state.words += all.len();
        state.runs += all.len().div_ceil(BATCH);
        match self.nvdisasm.words(&all, &self.chip) {
            Ok(texts) => {
                let mut texts = texts.into_iter().enumerate().map(|(i, text)| {
                    let text = text.filter(|t| !t.contains("???") && !t.contains("INVALID"))?;
                    Some((Arc::from(crate::words::tidy(&text)), 16 * (i % BATCH) as u64))
                });
                for (ticket, words) in questions {
                    state.answers.insert(ticket, Ok(texts.by_ref().take(words.len()).collect()));
                }
            }
            Err(error) => {
                let error = Arc::new(anyhow::Error::from(error));
                for (ticket, _) in questions {
                    state.answers.insert(ticket, Err(Arc::clone(&error)));
                }
            }
        }
    }
}
