//! Code in which lanes wait for others at other places, or in another order, than its source has them: it may deadlock or give other values, and
//! none of it is proved. `waits/` has the sources, and cubins of sm_90 that were made from our code for a like source by moving,
//! dropping or adding `WARPSYNC`, votes, barriers and waits.

#![allow(missing_docs)]

mod common;

use common::{line, module, z3};
use flate2::read::GzDecoder;
use sassafras_prove::{Verdict, prove};
use std::io::Read;

const PAIRS: [&str; 8] = [
    // The load before `CCTL.IVALL` has not been waited for.
    "acquire_before_its_load",
    // `WARPSYNC`, the block's barrier, then the vote that it was meant for.
    "vote_waits_before_barrier",
    // All lanes wait for the lanes of their masks; some shuffle.
    "shuffle_under_guard",
    // All lanes wait; some vote.
    "vote_under_guard",
    // Some lanes wait at the block's barrier before they end: a vote that names the others has to name them.
    "lanes_on_their_way_to_an_end",
    // Two votes in the other order: lanes at one are met by lanes at the other.
    "votes_in_another_order",
    // A vote, and a barrier of the block behind it that stands before it in the source.
    "barrier_behind_vote",
    // Lanes that skip a barrier of the warp are one barrier ahead: behind the next one the warp is not together.
    "one_barrier_apart",
];

#[test]
fn waits_elsewhere_are_not_proved() {
    let Some(mut z3) = z3("waits_elsewhere_are_not_proved") else { return };
    let folder = sassafras_oracle::workspace_root().join("verify/prove/tests/waits");
    for name in PAIRS {
        let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).expect("a source");
        let mut bytes = Vec::new();
        let packed = std::fs::File::open(folder.join(format!("{name}.cubin.gz"))).expect("a cubin");
        GzDecoder::new(packed).read_to_end(&mut bytes).expect("it is whole");
        let cubin = sassafras_cubin::read(&bytes).expect("a sound cubin");
        let record = prove(&module(&text), "k", &cubin, &mut z3);
        eprintln!("{name}: {}", line(&record));
        assert!(matches!(record.verdict, Verdict::Unknown(_) | Verdict::Refuted(_)), "{name}");
    }
}
