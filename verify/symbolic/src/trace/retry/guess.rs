//! Loops that expect something else than the word they started from.
//!
//! A compare-and-swap of 16 bits is a loop around one of 32: of a *guess* what the word is, `CAS` expects the guess with the wanted half in
//! its place, and the loop is left if the other half is what was expected: either the word was changed, or its half is another than the
//! wanted one. What such a round expects, makes, and asks of the word found is computed from the guess, so that nothing is said about its
//! text; it is asked of the terms.
//!
//! Say that `g` is the guess that a round began with, `f` the word that its `CAS` found, `E(g)` what it expected, `N(g)` what it put in its
//! place, and `L(g, f)` whether the loop was left. It is demanded for all `g` and `f` that
//! - `L(f, f)`: where nobody has changed the word since it was looked at, the loop is left, since the next guess is the word found. So
//!   A-RETRY is said of it;
//! - `f = E(g)` gives `L(g, f)`: where the word was changed, the loop is left. So no other round changes anything;
//! - `L(g, f)` gives `E(g) = E(f)` and `N(g) = N(f)`: the last round does to the word found what one does that guessed it.
//!
//! So the loop is one change of the word `f`: into `N(f)` if it is `E(f)`, and nothing else. What the last round leaves in registers may
//! depend on its guess: behind the loop nothing is known of these, but of those that are made of `f` alone. Fences in a round are those of
//! the last one; those of rounds before are more of them, which allows nothing that was not allowed.

use super::{Code, Guess, Retry, kept, named};
use rustc_hash::FxHashSet;
use sassafras_isa::{Access, RegClass, Register};
use sassafras_semantics::{Scope, Space};

/// Fences before the swap, and behind it.
const BEFORE: [&str; 2] = ["MEMBAR.ALL.GPU", "MEMBAR.ALL.SYS"];
const BEHIND: [&str; 1] = ["CCTL.IVALL"];
/// What stands beside fences.
const BESIDE: [&str; 2] = ["ERRBAR", "CGAERRBAR"];

impl Code {
    /// The loop around a compare-and-swap of what is made of a guess, if it is one.
    pub(super) fn guess(&self, swap: usize) -> Option<Retry> {
        let plain = ["ATOMS.CAS", "ATOMS.CAS.64"].contains(&self.head(swap));
        let kind = match self.global(swap) {
            Some(scope) => (Space::Global, scope),
            None if plain => (Space::Shared, Scope::Cta),
            None => return None,
        };
        let own = &self.insts[swap];
        let [expects, makes] = ["b", "c"].map(|n| named(own, n, Access::Read));
        let (expects, makes, found) = (expects?, makes?, named(own, "d", Access::Write)?);
        let [first, decides, last, out] = self.branches(swap)?;
        let entered =
            self.reached_from(first, Some(last)) && (first + 1..=last).all(|i| self.reached_from(i, None));
        if decides != last || !entered || !(first..last).all(|i| self.is_of_round(i, swap)) {
            return None;
        }
        let guard = self.insts[last].guard;
        let decided = (swap + 1..last).any(|i| self.writes(i).contains(&(RegClass::P, guard.pred)));
        let widths = [expects.len(), makes.len()] == [found.len(); 2];
        if guard.uniform || guard.pred == 7 || !decided || !widths {
            return None;
        }
        let guessed = self.guessed(first, swap, last, &found)?;
        let (load, barrier) = self.before(first, swap, kind.0, &guessed);
        let meets = self.meets(out, barrier)?;
        let written: FxHashSet<(RegClass, u32)> = (first..last).flat_map(|i| self.writes(i)).collect();
        let written = written.into_iter().map(|(class, number)| Register { class, number });
        let mut written: Vec<Register> = written.collect();
        written.sort_unstable();
        let [guess, expected, made] = [2, 3, 4].map(|which| kept(swap, which));
        Some(Retry {
            kind,
            load,
            first,
            swap,
            decides,
            last,
            out,
            meets,
            yields: self.yields(first, last),
            expected: guessed,
            guess: Some(Guess { written, expects, makes, finds: found, guess, expected, made }),
            address: kept(swap, 0),
            found: kept(swap, 1),
        })
    }

    /// Whether an instruction may stand in a round.
    fn is_of_round(&self, at: usize, swap: usize) -> bool {
        let text = self.texts[at].as_str();
        let fences: &[&str] = if at < swap { &BEFORE } else { &BEHIND };
        let idle = fences.contains(&text) || BESIDE.contains(&text);
        idle || if at == swap { !text.starts_with('@') } else { self.computes(at) }
    }

    /// The registers of the guess, the low one first: all that a round reads of the one before, which become the word found.
    fn guessed(&self, first: usize, swap: usize, last: usize, found: &[u32]) -> Option<Vec<u32>> {
        let changed: FxHashSet<(RegClass, u32)> = (first..last).flat_map(|i| self.writes(i)).collect();
        let (mut written, mut guess) = (FxHashSet::default(), FxHashSet::default());
        for i in first..last {
            let open = self.reads(i).into_iter().filter(|r| changed.contains(r) && !written.contains(r));
            guess.extend(open.collect::<Vec<_>>());
            written.extend(self.writes(i));
        }
        let of = |(class, number): &(RegClass, u32)| (*class == RegClass::R).then_some(*number);
        let guess: Vec<u32> = guess.iter().map(of).collect::<Option<_>>()?;
        let word = |f: &u32| guess.iter().copied().find(|g| self.becomes(*g, *f, swap, last));
        let all: Vec<u32> = found.iter().map(word).collect::<Option<_>>()?;
        let early = (first..=swap).any(|i| self.writes_any(i, &guess));
        (all.len() == guess.len() && guess.iter().all(|g| all.contains(g)) && !early).then_some(all)
    }

    /// Whether a register is at last what the swap found in another.
    fn becomes(&self, guess: u32, found: u32, swap: usize, last: usize) -> bool {
        let moves = [format!("MOV R{guess}, R{found}"), format!("IMAD.MOV.U32 R{guess}, RZ, RZ, R{found}")];
        let at = (swap + 1..last).rev().find(|i| self.writes_any(*i, &[guess]));
        at.is_some_and(|at| {
            moves.contains(&self.texts[at]) && (swap + 1..at).all(|i| !self.writes_any(i, &[found]))
        })
    }
}
