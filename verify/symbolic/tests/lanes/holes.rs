//! What was once said of lanes and is not so: no program may have it said again, and the executor shows each.

use crate::maker::Program;
use crate::run::{Asked, Members, Said, said, shows};
use std::collections::BTreeSet;

/// What is said of a program.
enum Claim {
    /// No lane is elsewhere at a byte offset.
    Together(u64),
    /// A vote at a byte offset is of the lanes of each one's own mask.
    Own(u64),
    /// A warp comes to the barrier of the block at a byte offset as a whole, or the source is undefined.
    Whole(u64),
    /// All lanes come to their end.
    Ends,
}

impl Claim {
    /// This alone.
    fn said(&self) -> Said {
        let mut said = Said::default();
        match *self {
            Claim::Together(at) => _ = said.together.insert(at),
            Claim::Own(at) => _ = said.asked.insert(at, Asked { members: Members::Own, shuffle: false }),
            Claim::Whole(_) => {}
            Claim::Ends => said.ends = true,
        }
        said
    }

    /// Whether it is said. That a barrier of the block is executed by a whole warp is said of all code that is followed.
    fn is_in(&self, said: &Said) -> bool {
        match *self {
            Claim::Together(at) => said.together.contains(&at),
            Claim::Own(at) => said.asked.contains_key(&at),
            Claim::Whole(_) => true,
            Claim::Ends => said.ends,
        }
    }

    fn barriers(&self) -> BTreeSet<u64> {
        if let Claim::Whole(at) = self { BTreeSet::from([*at]) } else { BTreeSet::new() }
    }
}

/// Nobody may say it, and some order shows why.
fn is_not_said(claim: &Claim, calls: bool, lines: &[&str]) {
    let texts: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let program = Program::of(&texts, claim.barriers(), true, calls);
    if let Ok(said) = said(&program, false) {
        assert!(!claim.is_in(&said), "{}", program.text);
    }
    let shown = |order: u32| (0..6).any(|seed| shows(&program, &claim.said(), order, seed).is_some());
    assert!((0..300).any(shown), "nothing shows that it is wrong:\n{}", program.text);
}

/// C8: those who come to a barrier at another place go on at once with these, though their way is followed to its end before.
#[test]
fn who_meets_elsewhere_and_ends_is_not_gone() {
    is_not_said(
        &Claim::Together(0x70),
        false,
        &[
            "ISETP.LT.AND P0, PT, R38, RZ, PT",
            "BSSY B0, pc(0x60)",
            "@P0 BRA pc(0x30)",
            "BSYNC B0",
            "IADD3 R20, R20, 0x1, RZ",
            "EXIT",
            "BSYNC B0",
            "IADD3 R20, R20, 0x1, RZ",
            "EXIT",
        ],
    );
}

/// C4, C13: a routine waits for the lanes of a mask, and those of two masks come to it by two calls.
#[test]
fn lanes_of_two_calls_may_join() {
    is_not_said(
        &Claim::Own(0xc0),
        true,
        &[
            "S2R R18, SR_LANEID",
            "ISETP.LT.AND P3, PT, R18, 0x10, PT",
            "@!P3 BRA pc(0x40)",
            "MOV R17, 0xffff",
            "MOV R22, 0x60",
            "CALL.REL.NOINC pc(0x50)",
            "EXIT",
            "MOV R17, 0xffff0000",
            "MOV R22, 0xa0",
            "CALL.REL.NOINC pc(0x10)",
            "EXIT",
            "WARPSYNC R17",
            "VOTE.ALL R21, P1, P2",
            "RET.REL.NODEC R22 pc(-0xe0)",
        ],
    );
}

/// The turns of a loop in each of which the lanes of one of two masks do something.
fn turns(inner: &[&'static str]) -> Vec<&'static str> {
    let before = [
        "MOV R17, 0xffff",
        "MOV R19, 0x2",
        "S2R R18, SR_LANEID",
        "SHF.R.U32.HI R25, RZ, R18, R17",
        "LOP3.LUT R25, R25, 0x1, RZ, 0xc0, !PT",
        "ISETP.EQ.AND P3, PT, R25, RZ, PT",
    ];
    let after = [
        "LOP3.LUT R17, R17, 0xffffffff, RZ, 0x3c, !PT",
        "IADD3 R19, R19, -0x1, RZ",
        "ISETP.GT.AND P6, PT, R19, RZ, PT",
    ];
    before.iter().chain(inner).chain(&after).copied().collect()
}

/// C4, C13: the lanes of two masks come to one wait in two turns of a loop.
#[test]
fn lanes_of_two_turns_may_join() {
    let mut lines = turns(&["@P3 BRA pc(0x20)", "WARPSYNC R17", "VOTE.ALL R21, P1, P2"]);
    lines.extend(["@P6 BRA pc(-0xb0)", "EXIT"]);
    is_not_said(&Claim::Own(0x80), false, &lines);
}

/// C4, C13: a branch on whether the lanes of a mask are here keeps no others away from what stands behind it.
#[test]
fn lanes_may_join_behind_a_branch_on_who_is_here() {
    let mut lines = turns(&[
        "@P3 BRA pc(0x60)",
        "R2UR UR6, R17",
        "BRA.DIV UR6, pc(0x20)",
        "VOTE.ALL R21, P1, P2",
        "BRA pc(0x20)",
        "WARPSYNC.EXCLUSIVE R17",
        "VOTE.ALL R21, P1, P2",
    ]);
    lines.extend(["@P6 BRA pc(-0xf0)", "EXIT"]);
    is_not_said(&Claim::Own(0x90), false, &lines);
}

/// C7, C11: lanes that were let go from a barrier, since others yielded, set it again while those are in it, and wait for them at a `WARPSYNC`.
#[test]
fn who_is_let_go_early_waits_for_who_waits_for_it() {
    is_not_said(
        &Claim::Ends,
        false,
        &[
            "ISETP.GE.AND P0, PT, R43, RZ, PT",
            "LOP3.LUT R19, R34, 0x3, RZ, 0xc0, !PT",
            "BSSY B0, pc(0x50)",
            "@P0 BRA pc(0x40)",
            "YIELD",
            "IADD3 R19, R19, -0x1, RZ",
            "ISETP.GE.AND P6, PT, R19, RZ, PT",
            "@P6 BRA pc(-0x40)",
            "BSYNC B0",
            "BSSY B0, pc(0x10)",
            "WARPSYNC.ALL",
            "BSYNC B0",
            "EXIT",
        ],
    );
}

/// C7, C14: a barrier was set by some lanes after others, who are lost from it. All come to it together, by the same ways, and part there.
#[test]
fn who_is_lost_from_a_barrier_goes_on_before_the_others() {
    is_not_said(
        &Claim::Whole(0x70),
        false,
        &[
            "ISETP.GE.AND P0, PT, R37, RZ, PT",
            "@P0 BRA pc(0x10)",
            "IADD3 R20, R20, 0x1, RZ",
            "BSSY B0, pc(0x20)",
            "WARPSYNC.ALL",
            "IADD3 R20, R20, 0x1, RZ",
            "BSYNC B0",
            "BAR.SYNC.DEFER_BLOCKING 0x0",
            "EXIT",
        ],
    );
}

/// C9, C13: a branch on who is here is executed while lanes stand before the `EXIT` that they have gone to.
#[test]
fn who_goes_to_its_end_is_still_seen() {
    is_not_said(
        &Claim::Together(0x80),
        false,
        &[
            "ISETP.GE.AND P5, PT, R35, RZ, PT",
            "@P5 BRA pc(0x10)",
            "EXIT",
            "BRA.DIV ~URZ, pc(0x10)",
            "BRA pc(0x30)",
            "ISETP.LT.AND P0, PT, R37, RZ, PT",
            "@P0 BRA pc(0x10)",
            "IADD3 R20, R20, 0x1, RZ",
            "IADD3 R20, R20, 0x1, RZ",
            "IADD3 R20, R20, 0x1, RZ",
            "EXIT",
        ],
    );
}
