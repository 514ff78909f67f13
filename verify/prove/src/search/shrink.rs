//! A smaller launch that tells the sides apart as well.

use super::draw::Input;
use super::judge::{Difference, Judge};

/// Most launches that are tried.
const TRIES: u32 = 160;
/// Instructions of the source after which no more are tried: each launch is run some twenty times.
const EFFORT: u64 = 16_000;
/// Milliseconds before the deadline at which no more are tried.
const RESERVE: u64 = 5_000;

/// Makes a launch smaller: one block, fewer threads, smaller numbers, memory that is zero. What is tried is counted.
pub(super) fn shrink(judge: &mut Judge<'_>, input: Input, difference: Difference) -> (Input, Difference) {
    let mut search = Search { end: judge.steps + EFFORT, judge, best: input, found: difference, tries: 0 };
    search.attempt(|i| i.grid = [1; 3]);
    for threads in [1, 2, 4, 8, 16, 32, 64] {
        if search.best.whole_warps && threads % 32 != 0 {
            continue;
        }
        if threads < search.best.block[0] && search.attempt(|i| i.block = [threads, 1, 1]) {
            break;
        }
    }
    // Buffers first as a whole, then halves, and so on: what matters is often one word.
    for n in 0..search.best.buffers.len() {
        search.clear(n, 0, search.best.buffers[n].len());
    }
    for n in 0..search.best.parameters.len() {
        if search.best.parameters[n].buffer.is_some() {
            continue;
        }
        search.attempt(|i| i.parameters[n].bytes.fill(0));
        if search.best.parameters[n].float {
            search.attempt(|i| {
                i.parameters[n].bytes = if i.parameters[n].size == 8 {
                    1f64.to_le_bytes().to_vec()
                } else {
                    1f32.to_le_bytes().to_vec()
                }
            });
            continue;
        }
        while search.attempt(|i| halve(&mut i.parameters[n].bytes)) {}
    }
    (search.best, search.found)
}

/// Half of a number, the lowest byte first.
fn halve(bytes: &mut [u8]) {
    let mut carry = 0;
    for b in bytes.iter_mut().rev() {
        (*b, carry) = (*b >> 1 | carry << 7, *b & 1);
    }
}

struct Search<'s, 'a> {
    judge: &'s mut Judge<'a>,
    best: Input,
    found: Difference,
    tries: u32,
    /// Steps of the judge at which it ends.
    end: u64,
}

impl Search<'_, '_> {
    /// Whether a change was taken.
    fn attempt(&mut self, change: impl FnOnce(&mut Input)) -> bool {
        let mut input = self.best.clone();
        change(&mut input);
        let same = input.grid == self.best.grid
            && input.block == self.best.block
            && input.buffers == self.best.buffers
            && input.parameters.iter().zip(&self.best.parameters).all(|(a, b)| a.bytes == b.bytes);
        // What was found is worth more than that it is small.
        let late = sassafras_solve::limit::milliseconds(RESERVE) < RESERVE;
        if same || late || self.tries >= TRIES || self.judge.steps >= self.end {
            return false;
        }
        self.tries += 1;
        match self.judge.differ(&input.launch()) {
            Ok(Some(found)) => {
                (self.best, self.found) = (input, found);
                true
            }
            _ => false,
        }
    }

    /// Makes bytes of a buffer zero, or else as many of them as may be.
    fn clear(&mut self, n: usize, from: usize, to: usize) {
        if self.best.buffers[n][from..to].iter().all(|b| *b == 0)
            || self.attempt(|i| i.buffers[n][from..to].fill(0))
            || to - from <= 4
            || self.tries >= TRIES
        {
            return;
        }
        let middle = from + (to - from) / 2;
        self.clear(n, middle, to);
        self.clear(n, from, middle);
    }
}

#[cfg(test)]
mod tests {
    use super::halve;

    #[test]
    fn halves_of_numbers() {
        let mut bytes = 0x1234_5679u32.to_le_bytes();
        halve(&mut bytes);
        assert_eq!(u32::from_le_bytes(bytes), 0x1234_5679 / 2);
    }
}
