//! What instructions come to, one kind after another: branches, ends, calls, convergence barriers, waits, operations of several lanes, runs from one place to others.

#![allow(missing_docs)]

mod code;

use code::{Ran, of, ran, refused, whole};
use sassafras_isa::{RegClass, Register};
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::trace::event::{Event, Kind};
use sassafras_symbolic::trace::facts::Facts;

const R: fn(u32) -> Register = |number| Register { class: RegClass::R, number };

/// A store of R4 at a place in shared memory, which shows what R4 is.
const STORE: &str = "STS [R9], R4";

fn stores(ran: &Ran<'_>) -> Vec<Event> {
    ran.side.log.events.iter().filter(|e| e.kind == Kind::Store).cloned().collect()
}

#[test]
fn a_branch_of_each_lane_parts_them_and_one_of_all_does_not() {
    let text = |register: &str| {
        format!(
            "LDC R8, c[0x0][0x210]\nISETP.LT.AND P0, PT, {register}, RZ, PT\n@P0 BRA ->a\nMOV R4, 0x1\nBRA ->b\na: MOV R4, 0x2\nb: {STORE}\nEXIT"
        )
    };
    for (register, apart) in [("R10", true), ("R8", false)] {
        whole(&text(register), |ran| {
            assert_eq!(ran.side.walk.course.apart.contains(&of(&text(register), "b")), apart);
            let all = stores(ran);
            assert_eq!(all.len(), 1, "the ways meet before the store");
            assert_eq!(ran.known(all[0].guard), Some(1));
            assert_eq!(ran.known(all[0].value), None, "either is stored");
        });
    }
}

#[test]
fn lanes_that_branch_to_an_end_are_not_elsewhere() {
    let text = format!("ISETP.LT.AND P0, PT, R10, RZ, PT\n@P0 BRA ->end\n{STORE}\nend: EXIT");
    whole(&text, |ran| {
        assert!(ran.side.walk.course.apart.is_empty());
        assert_eq!(ran.known(stores(ran)[0].guard), None, "a lane that has ended stores nothing");
    });
    let guarded = format!("ISETP.LT.AND P0, PT, R10, RZ, PT\n@P0 EXIT\n{STORE}\nEXIT");
    whole(&guarded, |ran| assert!(ran.side.walk.course.apart.is_empty()));
}

#[test]
fn a_trap_ends_lanes_and_is_logged() {
    whole("ISETP.LT.AND P0, PT, R10, RZ, PT\n@P0 BPT.TRAP 0x1\nEXIT", |ran| {
        assert_eq!(ran.side.log.traps.len(), 1);
        assert_eq!(ran.side.log.traps[0].1, 16);
    });
}

#[test]
fn a_branch_between_instructions_and_an_end_without_exit_are_not_followed() {
    assert_eq!(refused("MOV R4, R5"), "the code ends without EXIT");
    let why = refused("BRA pc(0x8)\nEXIT");
    assert!(why.contains("0x0000: BRA") && why.ends_with("a branch between instructions"), "{why}");
}

/// Lanes part in a barrier and meet at its `BSYNC`; `inside` is what some do in between.
fn meeting(inside: &str, behind: &str) -> String {
    format!(
        "ISETP.LT.AND P0, PT, R10, RZ, PT\nISETP.LT.AND P1, PT, R11, RZ, PT\nBSSY B0, ->b\n@P0 BRA ->b\n{inside}\nb: BSYNC B0\nc: {behind}\nEXIT"
    )
}

#[test]
fn lanes_meet_at_the_barrier_that_was_set_by_all_of_them() {
    let text = meeting("MOV R4, 0x1", STORE);
    whole(&text, |ran| {
        let apart = &ran.side.walk.course.apart;
        assert!(apart.contains(&of(&text, "b")) && !apart.contains(&of(&text, "c")));
        assert_eq!(ran.side.warp.open(), Ok(&[][..]), "nobody waits for ever");
        assert!(ran.side.log.assumed.contains(&Assumption::Conv));
    });
}

#[test]
fn behind_break_yield_or_a_kept_barrier_nothing_is_said() {
    let cases = ["@P1 BREAK B0", "YIELD", "BMOV.32.CLEAR R16, B0\nBMOV.32 B0, R16"];
    for inside in cases {
        let text = meeting(inside, STORE);
        whole(&text, |ran| assert!(ran.side.walk.course.apart.contains(&of(&text, "c")), "{inside}"));
    }
}

#[test]
fn no_lane_meets_under_a_condition() {
    let text = "ISETP.LT.AND P0, PT, R10, RZ, PT\nBSSY B0, ->b\nb: @P0 BSYNC B0\nEXIT";
    let why = refused(text);
    assert!(why.ends_with("convergence: lanes that meet under a condition"), "{why}");
}

#[test]
fn a_meeting_at_a_barrier_that_is_not_set_is_left_to_be_shown() {
    let why = ran("ISETP.LT.AND P0, PT, R10, RZ, PT\n@P0 BRA ->b\nMOV R4, R5\nb: BSYNC B1\nEXIT", |ran| {
        ran.side.warp.open().map(<[_]>::len)
    });
    // The rule about groups is not kept; that of nesting leaves a condition.
    assert_eq!(why, Ok(Ok(1)));
}

/// Lanes part, and those of one way go on to `behind`.
fn apart(behind: &str) -> String {
    format!(
        "ISETP.LT.AND P0, PT, R10, RZ, PT\n@P0 BRA ->b\n{behind}\na: MOV R4, 0x1\nBRA ->c\nb: MOV R4, 0x2\nc: {STORE}\nEXIT"
    )
}

#[test]
fn what_asks_several_lanes_needs_them_together() {
    for (asks, events) in [("VOTE.ALL R4, P1, P2", 1), ("SHFL.IDX P1, R4, R5, R6, 0x1f", 1)] {
        whole(&format!("{asks}\n{STORE}\nEXIT"), |ran| {
            let all = &ran.side.log.events;
            assert_eq!(all.iter().filter(|e| e.action().is_some()).count(), events, "{asks}");
        });
        let why = refused(&apart(asks));
        assert!(
            why.contains("convergence: a cross-lane operation where lanes may be apart"),
            "{asks}: {why}"
        );
    }
}

#[test]
fn a_wait_of_some_lanes_gathers_them_until_the_code_branches() {
    let text = apart("MOV R7, 0xff\nWARPSYNC R7\nVOTE.ALL R4, P1, P2");
    whole(&text, |ran| {
        let vote = ran.side.log.events.iter().find(|e| e.action().is_some()).expect("a vote");
        assert_eq!(vote.arguments.last().and_then(|m| ran.known(*m)), Some(0xff), "the mask is named");
        assert!(vote.waits.is_some());
    });
    let later = apart("MOV R7, 0xff\nWARPSYNC R7\n@P1 BRA ->a\nVOTE.ALL R4, P1, P2");
    assert!(refused(&later).contains("lanes may be apart"));
}

#[test]
fn a_wait_without_anything_that_all_of_its_lanes_do_is_found() {
    let why = refused(&apart("MOV R7, 0xff\nWARPSYNC R7"));
    assert_eq!(why, "convergence: the barrier at 0x0030 waits for lanes that may not come");
}

#[test]
fn a_wait_of_all_brings_lanes_together_where_no_way_leads_elsewhere() {
    let text = format!(
        "ISETP.LT.AND P0, PT, R10, RZ, PT\n@P0 BRA ->b\nMOV R4, 0x1\nb: WARPSYNC.ALL\nVOTE.ALL R4, P1, P2\nc: {STORE}\nEXIT"
    );
    whole(&text, |ran| assert!(!ran.side.walk.course.apart.contains(&of(&text, "c"))));
    let elsewhere = apart("WARPSYNC.ALL\nVOTE.ALL R4, P1, P2");
    whole(&elsewhere, |ran| assert!(ran.side.walk.course.apart.contains(&of(&elsewhere, "a"))));
}

#[test]
fn a_barrier_of_the_block_is_executed_by_a_whole_warp() {
    let barrier = "BAR.SYNC.DEFER_BLOCKING 0x0";
    whole(&format!("{barrier}\nEXIT"), |ran| assert_eq!(ran.side.log.events.len(), 1));
    let why = refused(&apart(barrier));
    assert!(
        why.ends_with("convergence: a barrier of the block where lanes of the warp may be apart"),
        "{why}"
    );
    // An aligned source comes to each of its barriers as a whole.
    let aligned = Facts { aligned: true, ..Facts::default() };
    code::with(&apart(barrier), aligned, |ran| {
        assert_eq!(ran.side.log.whole.len(), 1, "that rests on the source");
    });
}

#[test]
fn lanes_arrive_for_themselves_within_a_collective() {
    let inside = "WARPSYNC.COLLECTIVE.ALL ->e\nBAR.SYNC.DEFER_BLOCKING 0x0\nENDCOLLECTIVE\ne: MOV R5, R6";
    match ran(&apart(inside), |ran| ran.side.log.events.len()) {
        Ok(events) => assert_eq!(events, 2, "the barrier and the store"),
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn a_return_goes_behind_its_call_and_its_address_is_demanded() {
    let text = |address: &str| {
        format!("MOV R22, {address}\nMOV R23, 0x0\nCALL.REL.NOINC ->f\n{STORE}\nEXIT\nf: MOV R4, 0x7\nRET.REL.NODEC R22 ->s")
            .replacen("MOV R22", "s: MOV R22", 1)
    };
    whole(&text("0x30"), |ran| {
        assert!(ran.side.log.demands.is_empty());
        assert_eq!(ran.known(stores(ran)[0].value), Some(7));
        assert!(ran.side.log.jumped.contains(&(6, 3)));
    });
    whole(&text("0x40"), |ran| {
        assert_eq!(ran.side.log.demands.len(), 1, "another address is none that it may have");
        assert_eq!(ran.known(ran.side.log.demands[0].0), Some(1));
    });
}

#[test]
fn a_jump_to_an_unknown_address_is_not_followed() {
    let why = refused("BRX R4 -0x10\nEXIT");
    assert!(why.ends_with("a jump to an address that is not one of a few"), "{why}");
}

#[test]
fn a_loop_is_left_unfinished_at_the_bound() {
    let text = "a: IADD3 R4, R4, -0x1, RZ\nISETP.NE.AND P0, PT, R4, RZ, PT\n@P0 BRA ->a\nEXIT";
    whole(text, |ran| {
        assert_eq!(ran.side.log.beyond.len(), 1);
        assert_eq!(ran.side.walk.course.visits.iter().filter(|v| v.at == 0).count() as u32, code::BOUND + 1);
    });
}

#[test]
fn a_run_begins_and_ends_where_it_is_told_to() {
    let text = format!(
        "MOV R4, 0x9\na: IADD3 R4, R4, 0x1, RZ\nISETP.LT.AND P0, PT, R10, RZ, PT\n@P0 BRA ->c\nb: {STORE}\nEXIT\nc: MOV R5, R6\nEXIT"
    );
    code::between(&text, "a", &[(R(4), 41)], &["b", "c"], |ran| {
        assert!(stores(ran).is_empty(), "what lies at an end is not executed");
        let arrived: Vec<u64> = ran.arrived.iter().map(|(at, _)| *at).collect();
        assert_eq!(arrived, [of(&text, "b"), of(&text, "c")]);
        for (_, path) in &ran.arrived {
            assert_eq!(path.registers.get(&R(4)).and_then(|t| ran.known(*t)), Some(42));
            assert!(path.lanes.are_apart());
            assert_eq!(path.conditions.len(), 1);
        }
    });
    // Who has stopped has not ended.
    let waits = format!(
        "ISETP.LT.AND P0, PT, R10, RZ, PT\nBSSY B0, ->b\n@P0 BRA ->stop\nMOV R5, R6\nb: BSYNC B0\nc: {STORE}\nEXIT\nstop: BRA ->b"
    );
    code::between(&waits, "", &[], &["stop"], |ran| {
        assert!(ran.side.walk.course.apart.contains(&of(&waits, "c")));
    });
}

#[test]
fn raw_terms_give_the_same_log() {
    let text = meeting("MOV R4, 0x1", STORE);
    assert_eq!(code::events(true, &text), code::events(false, &text));
}
