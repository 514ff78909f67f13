//! Codes, texts, and the obstacles behind traps.

#![allow(missing_docs)]

use sassafras_semantics::Trap;
use sassafras_symbolic::obstacle::convergence::{Convergence, Disorder, Tangle};
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::events::Events;
use sassafras_symbolic::obstacle::held::Held;
use sassafras_symbolic::obstacle::memory::Memory;
use sassafras_symbolic::obstacle::place::{Place, Position, Side};
use sassafras_symbolic::obstacle::source::Source;
use sassafras_symbolic::obstacle::target::{Ending, Swap, Target};
use sassafras_symbolic::obstacle::uniform::Uniform;
use sassafras_symbolic::obstacle::{Located, Obstacle, all, explained};
use std::collections::BTreeSet;

#[test]
fn each_code_is_that_of_one_kind() {
    let codes: Vec<&str> = all().map(|advice| advice.code).collect();
    assert!(codes.len() > 100, "{}", codes.len());
    let different: BTreeSet<&str> = codes.iter().copied().collect();
    assert_eq!(different.len(), codes.len(), "{codes:?}");
    for advice in all() {
        let digits = advice.code.strip_prefix('U').unwrap_or_default();
        assert!(digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()), "{advice:?}");
        assert!(!advice.text.is_empty() && !advice.means.is_empty() && !advice.hint.is_empty(), "{advice:?}");
        assert_eq!(explained(advice.code), Some(advice));
    }
    assert_eq!(explained("U9999"), None);
}

/// What obstacles say, by hand: the text, the code, and the obstacle.
fn said() -> Vec<(&'static str, &'static str, Obstacle)> {
    let mut all = lanes();
    all.extend(uniform_and_events());
    all.extend(memory());
    all.extend(code());
    all
}

fn lanes() -> Vec<(&'static str, &'static str, Obstacle)> {
    use Convergence as C;
    let groups = || Disorder::SyncUnset { barrier: 0 };
    let nested = |lanes: Tangle| C::NotNested { at: 0x110, groups: groups(), lanes_at: 0x120, lanes };
    vec![
        (
            "convergence: a cross-lane operation where lanes may be apart is not supported",
            "U0401",
            C::Apart {}.into(),
        ),
        (
            "convergence: lanes with other masks may have joined these is not supported",
            "U0402",
            C::OthersJoined {}.into(),
        ),
        (
            "convergence: a barrier of the block between lanes that wait and what they wait for is not supported",
            "U0403",
            C::BlockBetween {}.into(),
        ),
        (
            "convergence: the whole warp is waited for while lanes of it may wait for these is not supported",
            "U0411",
            C::WarpWhileAwaited {}.into(),
        ),
        ("convergence: a branch on whether lanes are together", "U0412", C::BranchOnTogether {}.into()),
        ("convergence: lanes that meet under a condition", "U0413", C::SyncUnderCondition {}.into()),
        ("convergence: a barrier of the warp under a condition", "U0414", C::WarpUnderCondition {}.into()),
        (
            "convergence: a barrier of the block where lanes of the warp may be apart",
            "U0415",
            C::BlockApart {}.into(),
        ),
        (
            "convergence: the barrier at 0x0150 waits for lanes that may not come",
            "U0416",
            C::MayNotCome { at: 0x150 }.into(),
        ),
        ("convergence: lanes in a barrier wait for some of the warp", "U0417", C::WaitsForSome {}.into()),
        (
            "convergence: a callee may set B7, which lanes are in is not supported",
            "U0418",
            C::CalleeSets { barrier: 7 }.into(),
        ),
        (
            "0x0110: convergence: BSYNC B0, which was not set is not supported; 0x0120: the lanes of B0 are in a register",
            "U0419",
            nested(Tangle::InRegister { barrier: 0 }).into(),
        ),
        (
            "0x0110: convergence: BSYNC B0, which was not set is not supported; 0x0120: barriers are set within each other, B1 one of them",
            "U0419",
            nested(Tangle::Circle { barrier: 1 }).into(),
        ),
    ]
}

fn uniform_and_events() -> Vec<(&'static str, &'static str, Obstacle)> {
    let register = || "UR4".into();
    vec![
        (
            "uniform: UR4 takes a value that may differ between lanes",
            "U0501",
            Uniform::Differs { register: register() }.into(),
        ),
        (
            "uniform: UR4, which holds what some lanes answered is not supported",
            "U0502",
            Uniform::Answered { register: register() }.into(),
        ),
        (
            "uniform: 0x0080 reads UR4, which other lanes of the warp may have written meanwhile",
            "U0503",
            Uniform::WrittenMeanwhile { at: 0x80, register: register() }.into(),
        ),
        (
            "uniform: 0x0080 reads UP1, which a callee may have left changed",
            "U0504",
            Uniform::Called { at: 0x80, register: "UP1".into() }.into(),
        ),
        (
            "events: one lane's atomic for lanes with different addresses is not supported",
            "U0604",
            Events::LeaderAddress {}.into(),
        ),
        (
            "events: one lane's atomic of another operation than that of its operand is not supported",
            "U0605",
            Events::LeaderOperation {}.into(),
        ),
        ("events: one lane's atomic that is no sum is not supported", "U0606", Events::LeaderNoSum {}.into()),
        (
            "events: one lane's atomic for lanes with different operands is not supported",
            "U0607",
            Events::LeaderOperand {}.into(),
        ),
    ]
}

fn memory() -> Vec<(&'static str, &'static str, Obstacle)> {
    use Memory as M;
    vec![
        (
            "generic: an address of which it is not known in which window it lies",
            "U0702",
            M::UnknownWindow {}.into(),
        ),
        (
            "such an access of const memory is not supported",
            "U0707",
            M::Fixed { space: "const".into() }.into(),
        ),
        (
            "an atomic in Local memory is not supported",
            "U0709",
            M::AtomicSpace { space: "Local".into() }.into(),
        ),
        ("a load after more than 128 stores is not supported", "U0710", M::ManyStores { most: 128 }.into()),
        (
            "8 bytes of constant bank 0 at 0x290, which ends at 0x210 is not supported",
            "U0315",
            Target::BankEnd { bytes: 8, at: 0x290, end: 0x210 }.into(),
        ),
        (
            "constant bank 0 at 0x170, of which there are copies is not supported",
            "U0316",
            Target::BankCopies { at: 0x170 }.into(),
        ),
        ("a copy to shared memory may be under way", "U0322", Target::CopyUnderWay {}.into()),
        ("a copy to shared memory that others may see early", "U0323", Target::CopySeen {}.into()),
    ]
}

fn code() -> Vec<(&'static str, &'static str, Obstacle)> {
    use Target as T;
    let end = |ending: Ending| Obstacle::from(T::NoEnd { ending });
    let swap = |fault: Swap| Obstacle::from(T::CompareAndSwap { fault });
    vec![
        (
            "coverage: more than 20000 instructions on its paths",
            "U1104",
            Coverage::Steps { most: 20_000 }.into(),
        ),
        ("a branch between instructions", "U0307", T::BetweenInstructions {}.into()),
        ("a jump to an address that is not one of a few", "U0308", T::Jump {}.into()),
        ("a call under a predicate operand", "U0309", T::PredicatedCall {}.into()),
        ("the result of a barrier that did not reduce", "U0319", T::BarrierResult {}.into()),
        ("the code ends without EXIT", "U0310", end(Ending::NoExit)),
        ("lanes come to the end apart", "U0310", end(Ending::Apart)),
        ("the code does not reach its end", "U0310", end(Ending::Unreached)),
        ("the code is none of the cubin's", "U0310", end(Ending::Elsewhere)),
        ("sm_54 is not known", "U0311", T::Chip { sm: 54 }.into()),
        ("the modifier `.PRIVATE` is not supported", "U0303", T::Modifier { text: ".PRIVATE".into() }.into()),
        (
            "a CALL that counts calls is not supported",
            "U0304",
            T::CountsCalls { mnemonic: "CALL".into() }.into(),
        ),
        ("R3 as the first of 2 registers", "U0305", T::Misaligned { register: "R3".into(), units: 2 }.into()),
        (
            "`membar.cta` is no `weak` is not supported",
            "U0321",
            T::WeakenedFence { fence: "membar.cta".into(), taken: "weak".into() }.into(),
        ),
        ("a compare-and-swap that is no change of a word", "U0320", swap(Swap::NoChange)),
        ("a compare-and-swap without an event", "U0320", swap(Swap::NoEvent)),
        ("a compare-and-swap of another memory", "U0320", swap(Swap::OtherMemory)),
        ("a compare-and-swap whose address depends on a guess", "U0320", swap(Swap::Guessed)),
        ("a loop whose word was not loaded", "U0320", swap(Swap::NotLoaded)),
        ("a compare-and-swap of what was not written", "U0320", swap(Swap::NotWritten)),
        ("a round of a loop that has no beginning", "U0320", swap(Swap::NoBeginning)),
        ("a loop that is left before its compare-and-swap", "U0320", swap(Swap::LeftEarly)),
    ]
}

#[test]
fn why_groups_of_lanes_do_not_nest_is_said_in_words() {
    use Disorder as D;
    let said = [
        (D::SetAmong { barrier: 1 }, "B1 is set where lanes in different barriers meet"),
        (D::SetInTurns { barrier: 2 }, "B2 is set by lanes that may come one group after another"),
        (D::SetTwice { barrier: 3 }, "B3 is set while lanes may be in it"),
        (D::SyncAmong { barrier: 4 }, "BSYNC B4 where lanes in different barriers meet"),
        (D::SyncUnset { barrier: 5 }, "BSYNC B5, which was not set"),
        (D::SyncNotLast { barrier: 6 }, "BSYNC B6, which was not the last to be set"),
        (D::BlockWhileAwaited, "a barrier of the block while lanes of the warp may wait for these"),
    ];
    for (disorder, text) in said {
        assert_eq!(disorder.to_string(), format!("convergence: {text} is not supported"));
    }
}

#[test]
fn texts_and_codes_are_those_that_were_written_down() {
    for (text, code, obstacle) in said() {
        assert_eq!((obstacle.to_string().as_str(), obstacle.advice().code), (text, code));
        // Behind the instruction that met it.
        let position = Position { side: None, place: Some(Place::Offset(0x270)), text: Some("BAR".into()) };
        let located = Located { position, obstacle }.on(Side::Target);
        assert_eq!(located.to_string(), format!("target, 0x0270: BAR: {text}"));
    }
}

#[test]
fn a_trap_is_the_obstacle_that_was_kept_for_it() {
    let (held, form) =
        (Held::default(), |form: &str| Obstacle::from(Source::NoMeaning { form: form.into() }));
    let obstacle = Source::NoConstant { name: "vacuous".into() };
    let trap = held.trap(obstacle.clone());
    assert_eq!(trap.to_string(), obstacle.to_string());
    assert_eq!(held.behind(&trap, form), obstacle.clone().into());
    // One that was kept for another trap says nothing of this one.
    let _ = held.trap(obstacle);
    let other = Trap::Unsupported("the meaning of brkpt, line 3,".into());
    let expected = Source::NoMeaning { form: "the meaning of brkpt, line 3,".into() };
    assert_eq!(held.behind(&other, form), expected.into());
}

#[test]
fn an_obstacle_is_kept_for_one_trap_alone() {
    let held = Held::default();
    let obstacle = Obstacle::from(Target::BankAddress { bank: 3 });
    let trap = held.trap(obstacle.clone());
    let form = |form: &str| Obstacle::from(Target::NoMeaning { form: form.into() });
    assert_eq!(held.behind(&trap, form), obstacle);
    // It is not kept for the next one.
    assert_eq!(held.behind(&trap, form).advice().code, "U0301");
}
