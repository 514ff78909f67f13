//! A smaller launch that shows a difference as well.

use crate::Difference;
use crate::compare::{Judge, Shown};
use crate::draw::Input;

/// Most launches that are tried.
const TRIES: u32 = 60;
/// Pieces of a buffer that are not halved further, in bytes.
const LEAST: usize = 64;

struct Search<'s, 'a> {
    judge: &'s mut Judge<'a>,
    best: Input,
    found: Difference,
    tries: u32,
}

/// Makes a launch smaller: one block, fewer threads, memory that is zero. What is tried is counted.
pub(crate) fn shrink(judge: &mut Judge<'_>, input: Input, found: Difference) -> Difference {
    let mut search = Search { judge, best: input, found, tries: 0 };
    search.attempt(|i| i.grid = [1; 3]);
    for threads in [1, 4, 32] {
        let smaller = threads < search.best.block[0] && !search.best.fixed;
        if smaller && search.attempt(|i| i.block = [threads, 1, 1]) {
            break;
        }
    }
    for n in 0..search.best.buffers.len() {
        search.clear(n, 0, search.best.buffers[n].len());
    }
    search.found
}

impl Search<'_, '_> {
    /// Whether a change was taken.
    fn attempt(&mut self, change: impl FnOnce(&mut Input)) -> bool {
        if self.tries >= TRIES {
            return false;
        }
        self.tries += 1;
        let mut input = self.best.clone();
        change(&mut input);
        match self.judge.differ(&input.launch()) {
            Shown::Differs(found) => {
                (self.best, self.found) = (input, *found);
                true
            }
            _ => false,
        }
    }

    /// Makes bytes of a buffer zero, or else as many of them as may be.
    fn clear(&mut self, n: usize, from: usize, to: usize) {
        let zero = self.best.buffers[n][from..to].iter().all(|b| *b == 0);
        if zero || self.attempt(|i| i.buffers[n][from..to].fill(0)) || to - from <= LEAST {
            return;
        }
        let middle = from + (to - from) / 2;
        self.clear(n, middle, to);
        self.clear(n, from, middle);
    }
}
