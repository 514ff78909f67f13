//! Sources and cubins of sm_90 that differ, found by who attacked the prover: none is proved. What our compiler makes of the same
//! source is, so that no pair is turned down for something else.
//!
//! `waits/`: lanes wait for others at other places, or in another order: that may deadlock or give other values; made from our code for a
//! like source by moving, dropping or adding `WARPSYNC`, votes, barriers and waits. `lanes/`: registers of the warp, and where a function returns. `memory/`: local memory and constants. `beyond/`: what a
//! launch needs, and what is no access and yet seen by others.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, solver, z3};
use flate2::read::GzDecoder;
use sassafras_prove::{Limits, Verdict, prove, prove_within};
use std::io::Read;

const PAIRS: [&str; 66] = [
    // The load before `CCTL.IVALL` has not been waited for.
    "waits/acquire_before_its_load",
    // `WARPSYNC`, the block's barrier, then the vote that it was meant for.
    "waits/vote_waits_before_barrier",
    // All lanes wait for the lanes of their masks; some shuffle.
    "waits/shuffle_under_guard",
    // All lanes wait; some vote.
    "waits/vote_under_guard",
    // Some lanes wait at the block's barrier before they end: a vote that names the others has to name them.
    "waits/lanes_on_their_way_to_an_end",
    // Two votes in the other order: lanes at one are met by lanes at the other.
    "waits/votes_in_another_order",
    // A vote, and a barrier of the block behind it that stands before it in the source.
    "waits/barrier_behind_vote",
    // Lanes that skip a barrier of the warp are one barrier ahead: behind the next one the warp is not together.
    "waits/one_barrier_apart",
    // A fence under a guard is none where it does not hold, and a branch to the next instruction hides nothing.
    "waits/acquire_behind_some_membar",
    "waits/acquire_behind_a_branch",
    // The control bits of a load are erased, and nobody waits for it.
    "waits/no_scoreboard",
    // A `DEPBAR` under a guard that never holds waits for nothing; nor does a `BAR.SYNC`.
    "waits/drained_under_a_guard",
    "waits/barrier_under_a_guard",
    // A branch to itself under a guard, and an `EXIT !PT`, go on: to code that reads what a load has not brought.
    "waits/branch_to_itself",
    "waits/exit_that_goes_on",
    // The way to an acquire is a return.
    "waits/acquire_behind_a_return",
    // `BAR.SYNC` between the barrier that reduces and the reading of its result.
    "waits/result_of_an_earlier_barrier",
    // Behind a `BRX`: a store of what a shuffle gives does not wait for it.
    "waits/behind_a_table",
    // What an `LDG` has its address from, and a `POPC` its operand, is overwritten before they have read it.
    "waits/address_overwritten",
    "waits/operand_overwritten",
    // `WARPSYNC` of the lower half, which the upper half executes too.
    "waits/mask_without_itself",
    // Lanes of one mask come to their barrier at two places, or to their shuffle in two turns of a loop, and wait for each other over a `BSYNC` between.
    "waits/partners_behind_a_meeting_place",
    "waits/partners_in_another_turn",
    // What an operand keeps for reuse is overwritten, by the instruction itself and by the next, and read again.
    "waits/kept_and_overwritten",
    "waits/kept_and_moved",
    // The scoreboard of an `S2R` stands for nothing that `MUFU` reads.
    "waits/source_of_another_unit",
    // A return, and a call, that count how deep calls are.
    "lanes/return_that_counts",
    "lanes/call_that_counts",
    // Lanes come to a product of the whole warp by two ways, and do not meet before.
    "lanes/whole_warp_apart",
    // A shuffle of words that lanes do not share is left out; what is written of a word lies in its other half.
    "lanes/shuffle_left_out",
    "lanes/padding_on_the_wrong_side",
    // A barrier whose number and count stand in registers: the count is another.
    "lanes/barrier_of_more_threads",
    // A weak load before the acquire that it stands behind, which within the block is the load itself; accesses of one place, one of them strong, in another order.
    "memory/weak_past_acquire",
    "memory/weak_past_acquire_of_block",
    "memory/store_behind_volatile",
    "memory/loads_past_relaxed_store",
    // Copies to shared memory with marks that no compiler makes.
    "memory/copy_of_a_word_past_the_cache",
    "memory/copy_of_a_device",
    // A function returns one instruction further on, behind the wait for what it loaded.
    "lanes/return_behind_a_wait",
    // Accesses of more bytes than the source's, at no multiple of them; a load of constants above its guard.
    "memory/local_word_at_any_byte",
    "memory/local_half_at_any_byte",
    "memory/constant_above_its_guard",
    "memory/constant_word_at_any_byte",
    // `LDGSTS` through a descriptor that nobody has set.
    "memory/copy_with_no_descriptor",
    // Threads do what the source does in half of those that a block may have.
    "beyond/half_of_a_block",
    // The numbers of two parameters are exchanged, not their places.
    "beyond/parameters_exchanged",
    // Padding between variables, and before dynamic shared memory, is left out of the static size.
    "beyond/shared_padding",
    "beyond/dynamic_shared",
    // `R2UR` under a guard that some lanes of the warp meet: the others read it too.
    "lanes/uniform_under_guard",
    // No `griddepcontrol.wait`: what the grid before has not written yet is read.
    "beyond/dependent_grid",
    // `CCTL.RML2`, as of `discard`, behind a store: it is lost.
    "beyond/discarded",
    // A variable of 16 bytes at an offset of 4.
    "beyond/less_aligned",
    // 255 registers for each of 1,024 threads.
    "beyond/registers",
    // A launch of one block is refused.
    "beyond/clusters",
    // Whoever launches by pointers to the source's parameters gives one too few.
    "beyond/parameter",
    // Relocations whose addends stand where they apply, of code, of a slot that holds an address, and of what a variable holds.
    "beyond/relocated_code",
    "beyond/relocated_slot",
    "beyond/relocated_image",
    // Two variables of one name; an address of a symbol that has a variable's name.
    "beyond/two_of_one_name",
    "beyond/slot_of_another_symbol",
    // Parameters are put where the code does not look.
    "beyond/parameters_elsewhere",
    // More static shared memory leaves less for a launch to add.
    "beyond/static_for_dynamic",
    // More stack than a thread has, more barriers than a block has.
    "beyond/stack",
    "beyond/barriers",
    // What no launch takes as it is: a file for a linker, and one that lacks a function.
    "beyond/unlinked",
    "beyond/undefined",
];

/// What our compiler does not take.
const NOT_OURS: [&str; 0] = [];
/// Right code that is not proved: of the first the mask of a vote is not shown to leave out lanes that wait elsewhere; in the others lanes may be apart at a vote of their
/// own. Of the last two our code waits for ever too.
const NOT_PROVED: [&str; 4] = [
    "waits/lanes_on_their_way_to_an_end",
    "waits/votes_in_another_order",
    "waits/partners_behind_a_meeting_place",
    "waits/partners_in_another_turn",
];

#[test]
fn what_differs_is_not_proved() {
    let Some(mut z3) = z3("what_differs_is_not_proved") else { return };
    // Ours of `waits/behind_a_table` takes more than the usual effort.
    let Some(mut longer) = solver("what_differs_is_not_proved", 60) else { return };
    let folder = sassafras_oracle::workspace_root().join("verify/prove/tests/wrong_pairs");
    for name in PAIRS {
        let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).expect("a source");
        let mut bytes = Vec::new();
        let packed = std::fs::File::open(folder.join(format!("{name}.cubin.gz"))).expect("a cubin");
        GzDecoder::new(packed).read_to_end(&mut bytes).expect("it is whole");
        let wrong = sassafras_cubin::read(&bytes).expect("a sound cubin");
        let record = prove(&module(&text), "k", &wrong, &mut z3);
        eprintln!("{name}: {}", line(&record));
        assert!(matches!(record.verdict, Verdict::Unknown(_) | Verdict::Refuted(_)), "{name}");
        sassafras_oracle::fault::planted("prove", &"sm_90", name, 1, 1);
        let Some(right) = ours(&text) else {
            assert!(NOT_OURS.contains(&name), "{name}: it is not compiled");
            continue;
        };
        assert!(!NOT_OURS.contains(&name), "{name}: it is compiled by now");
        let limits = Limits { effort: 40 * Limits::default().effort, ..Limits::default() };
        let record = prove_within(&module(&text), "k", &right, &mut *longer, limits);
        eprintln!("{name}, ours: {}", line(&record));
        assert_eq!(record.verdict == Verdict::Proved, !NOT_PROVED.contains(&name), "{name}");
    }
}
