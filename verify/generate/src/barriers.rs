//! Random programs of barriers and lanes: loops that lanes leave apart, early ends, spins, elections, masks, barriers of every kind.
//!
//! Each program is an entry `k(out, in, n)` for one block of any size up to [`THREADS`]. It is defined by the PTX ISA for each of them: barriers
//! with `.aligned` are reached by all threads that have not exited, warp by warp together; a member mask holds exactly the lanes that execute it, or
//! those and lanes that have exited; a thread that spins waits for one that comes without it. What it leaves rests on no order of threads: atomics
//! commute, and of those whose order shows, nothing is used that does.
//!
//! - `place`: sizes and places. `maker`: registers, labels, shared memory, and what is common to all parts.
//! - `rows`: the kinds, in one table; `draw`: each is drawn where its place allows it.
//! - `block`, `named`, `objects`: what all threads of a block do together. `warp`: what lanes of a mask do. `spin`: atomics, locks, turns.
//! - `flow`: branches, loops, switches, ends; `calls`: functions.

mod block;
mod calls;
mod draw;
mod flow;
mod maker;
mod named;
mod objects;
mod place;
mod rows;
mod spin;
mod warp;

use crate::program::Draws;
use maker::Maker;
use place::Place;

pub use place::{IN, OUT, Program, RECORD, THREADS};
pub use rows::{kinds, tiers};

/// The program of a seed for a chip. Chips of one tier ([`tiers`]) have the same.
pub fn program(seed: u64, sm: u32) -> Program {
    let mut m =
        Maker::new(Draws::new(seed.wrapping_mul(0xd1b5_4a32_d192_ed03) ^ 0x6261_7272), sm, rows::ROWS);
    let size = 2 + m.below(5);
    flow::sequence(&mut m, &Place::Block, size);
    m.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn programs_are_ptx_follow_their_seed_and_have_every_kind() {
        let mut has = BTreeSet::new();
        for seed in 0..400 {
            for sm in tiers() {
                let made = program(seed, sm);
                assert_eq!(made, program(seed, sm));
                let loaded = sassafras_ptx::load(&made.text, "barriers");
                if let Err(found) = loaded {
                    panic!("seed {seed}\n{}\n{}", found.render(), made.text);
                }
                has.extend(made.kinds);
            }
        }
        let lacks: Vec<_> = kinds().filter(|k| !has.contains(k)).collect();
        assert!(lacks.is_empty(), "no program has {lacks:?}");
    }

    #[test]
    fn chips_of_one_tier_have_the_same() {
        for seed in 0..50 {
            assert_eq!(program(seed, 90), program(seed, 120));
            assert_eq!(program(seed, 80), program(seed, 89));
        }
    }
}
