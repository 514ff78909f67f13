//! Small programs written as text: convergence, waiting, and planted hazards.

use crate::{Argument, Failure, Launch, Options, sass};
use sassafras_cubin::{Cubin, Function, Param};
use sassafras_isa::{Chip, Control, Inst, Style, encode, parse};
use sassafras_semantics::Trap;

/// A cubin with one entry `k(u64 out)` of these lines. A line may begin with `stall/write/read/wait`, all but the last as in
/// the word (7 is none), the last in hexadecimal; else it has the slowest control.
fn program(lines: &[&str]) -> Cubin {
    let word = |line: &&str| {
        let (control, text) = match line.split_once(": ") {
            Some((c, text)) => {
                let c: Vec<u8> = c.split('/').map(|n| u8::from_str_radix(n, 16).expect("a number")).collect();
                let control = Control {
                    stall: c[0],
                    write_barrier: c[1],
                    read_barrier: c[2],
                    wait_mask: c[3],
                    ..Control::SAFE
                };
                (control, text)
            }
            None => (Control::SAFE, *line),
        };
        let inst = parse(text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
        encode(&Inst { control, ..inst }, Chip::Sm90).unwrap_or_else(|e| panic!("{text}: {e}"))
    };
    let function = Function {
        name: "k".into(),
        entry: true,
        code: lines.iter().map(word).collect(),
        registers: 32,
        params: vec![Param { ordinal: 0, offset: 0, size: 8, ..Param::default() }],
        param_base: 0x210,
        param_size: 8,
        ..Function::default()
    };
    Cubin { sm: 90, functions: vec![function], ..Cubin::default() }
}

fn run(cubin: &Cubin, threads: u32, options: &Options) -> Result<Vec<u32>, Failure> {
    let mut launch = Launch::new([1, 1, 1], [threads, 1, 1]);
    let out = Argument::Buffer(vec![0; 4 * threads as usize]);
    launch.arguments(&sass::layout(cubin, "k").expect("the entry"), &[out]).expect("arguments");
    let done = sass::run(cubin, "k", &launch, options)?;
    Ok(done.buffers[0].chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("4 bytes"))).collect())
}

/// Puts `&out[tid]` in R2:R3 and the thread's index in R0.
const HEAD: [&str; 4] = [
    "f/0/7/0: S2R R0, SR_TID.X",
    "f/1/7/0: LDC.64 R2, c[0x0][0x210]",
    "ULDC.64 UR4, c[0x0][0x208]",
    "IMAD.WIDE.U32 R2, R0, 0x4, R2",
];

fn with_head(lines: &[&str]) -> Cubin {
    program(&HEAD.iter().chain(lines).copied().collect::<Vec<_>>())
}

#[test]
fn lanes_part_and_meet() {
    // Odd lanes take 0x90; all meet at 0xa0, where the ballot must see 32 lanes in every order.
    let cubin = with_head(&[
        "LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT", // 0x40
        "ISETP.NE.AND P0, PT, R4, RZ, PT",     // 0x50
        "BSSY B0, pc(0x20)",                   // 0x60
        "@P0 BRA pc(0x10)",                    // 0x70
        "BRA pc(0x10)",                        // 0x80
        "NOP",                                 // 0x90
        "BSYNC B0",                            // 0xa0
        "VOTE.ANY R6, PT, PT",                 // 0xb0
        "STG.E desc[UR4][R2.64], R6",          // 0xc0
        "EXIT",                                // 0xd0
    ]);
    for order in 0..10 {
        let options = Options { order, ..Options::default() };
        assert_eq!(run(&cubin, 32, &options), Ok(vec![u32::MAX; 32]), "order {order}");
    }
}

#[test]
fn without_the_barrier_some_order_sees_them_apart() {
    let cubin = with_head(&[
        "LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT",
        "ISETP.NE.AND P0, PT, R4, RZ, PT",
        "@P0 BRA pc(0x10)",
        "NOP",
        "VOTE.ANY R6, PT, PT",
        "STG.E desc[UR4][R2.64], R6",
        "EXIT",
    ]);
    let seen: Vec<_> =
        (0..6).map(|order| run(&cubin, 32, &Options { order, ..Options::default() })).collect();
    assert!(seen.iter().any(|s| *s != seen[0]), "{seen:?}");
}

#[test]
fn a_barrier_that_nobody_completes_is_a_deadlock() {
    // Lane 0 is in B0 but waits at a barrier for a mask with lane 1, which waits at B0.
    let cubin = with_head(&[
        "BSSY B0, pc(0x20)",
        "ISETP.NE.AND P0, PT, R0, RZ, PT",
        "@P0 BRA pc(0x20)",
        "MOV R4, 0x3",
        "WARPSYNC R4",
        "BSYNC B0",
        "EXIT",
    ]);
    for order in 0..6 {
        let end = run(&cubin, 2, &Options { order, ..Options::default() });
        assert!(matches!(&end, Err(Failure::Deadlock(at)) if at.len() == 2), "order {order}: {end:?}");
    }
}

#[test]
fn a_barrier_is_saved_and_restored_lane_by_lane() {
    // Even lanes save B0, as a function would that uses it, meet among themselves, and put it back; odd ones wait at it meanwhile, or
    // have gone on. Nobody waits for lanes that do not come.
    let cubin = with_head(&[
        "LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT", // 0x40
        "ISETP.NE.AND P0, PT, R4, RZ, PT",     // 0x50
        "BSSY B0, pc(0x60)",                   // 0x60
        "@P0 BRA pc(0x50)",                    // 0x70
        "BMOV.32.CLEAR R7, B0",                // 0x80
        "BSSY B0, pc(0x10)",                   // 0x90
        "NOP",                                 // 0xa0
        "BSYNC B0",                            // 0xb0
        "BMOV.32 B0, R7",                      // 0xc0
        "BSYNC B0",                            // 0xd0
        "STG.E desc[UR4][R2.64], R4",          // 0xe0
        "EXIT",                                // 0xf0
    ]);
    let expected: Vec<u32> = (0..32).map(|lane| lane & 1).collect();
    for order in 0..20 {
        let options = Options { order, ..Options::default() };
        assert_eq!(run(&cubin, 32, &options).as_ref(), Ok(&expected), "order {order}");
    }
}

#[test]
fn lanes_of_one_mask_go_on_alone() {
    // Even and odd lanes name their own masks at one instruction; each must see its own alone, in a uniform register too.
    let cubin = with_head(&[
        "LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT",
        "MOV R5, 0x55555555",
        "SHF.L.U32 R4, R5, R4, RZ",
        "WARPSYNC.EXCLUSIVE R4",
        "VOTE.ANY R6, PT, PT",
        "VOTEU.ANY UR8, UPT, PT",
        "NOP",
        "LOP3.LUT R6, R6, UR8, RZ, 0xc0, !PT",
        "STG.E desc[UR4][R2.64], R6",
        "EXIT",
    ]);
    let expected: Vec<u32> = (0..32).map(|lane| 0x5555_5555 << (lane & 1)).collect();
    for order in 0..20 {
        let options = Options { order, ..Options::default() };
        assert_eq!(run(&cubin, 32, &options).as_ref(), Ok(&expected), "order {order}");
    }
}

#[test]
fn lanes_of_one_mask_are_alone_up_to_the_end_of_a_collective() {
    let go = |behind: bool, order: u32| {
        let vote = ["VOTE.ANY R6, PT, PT", "ENDCOLLECTIVE"];
        let [first, second] = if behind { [vote[1], vote[0]] } else { vote };
        let cubin = with_head(&[
            "LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT",
            "MOV R5, 0x55555555",
            "SHF.L.U32 R4, R5, R4, RZ",
            "WARPSYNC.COLLECTIVE R4, pc(0x20)",
            first,
            second,
            "STG.E desc[UR4][R2.64], R6",
            "EXIT",
        ]);
        run(&cubin, 32, &Options { order, ..Options::default() }).expect("it runs")
    };
    let own: Vec<u32> = (0..32).map(|lane| 0x5555_5555 << (lane & 1)).collect();
    assert!((0..20).all(|order| go(false, order) == own));
    // Behind it groups at one place may become one (C4).
    assert!((0..20).any(|order| go(true, order) != own));
}

/// How orders end in which the lanes of a warp come to a barrier of the block behind this code, and in how many of them.
fn to_a_barrier(code: &[&str], wait: bool) -> Vec<Result<Vec<u32>, Failure>> {
    let end = ["BAR.SYNC.DEFER_BLOCKING 0x0", "STG.E desc[UR4][R2.64], R0", "EXIT"];
    let lines: Vec<&str> = code.iter().copied().chain(wait.then_some("WARPSYNC.ALL")).chain(end).collect();
    let cubin = with_head(&lines);
    (0..10).map(|order| run(&cubin, 32, &Options { order, ..Options::default() })).collect()
}

/// Whether the barrier of the block, and nothing else, is what fails, by some of the lanes.
fn fails_at_the_barrier(end: &Result<Vec<u32>, Failure>) -> bool {
    matches!(end, Err(Failure::Undefined { what, .. }) if what.contains("a barrier of the block by the lanes"))
}

/// C11: lanes that have left a loop in which others yield may go on without them.
#[test]
fn behind_a_loop_that_yields_lanes_may_be_apart() {
    let spin = [
        "LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT",
        "BSSY B0, pc(0x40)",
        "YIELD",
        "ISETP.NE.AND P0, PT, R4, RZ, PT",
        "MOV R4, RZ",
        "@P0 BRA pc(-0x40)",
        "BSYNC B0",
    ];
    let (bare, waits) = (to_a_barrier(&spin, false), to_a_barrier(&spin, true));
    assert!(fails_at_the_barrier(&bare[1]), "{bare:?}");
    assert!(bare[4].is_ok(), "an order in which lanes are let go late: {bare:?}");
    assert!(waits.iter().all(Result::is_ok), "{waits:?}");
}

/// C9: lanes stay behind where others leave their barrier, and may be apart at the next.
#[test]
fn behind_a_loop_that_lanes_leave_by_break_others_may_be_apart() {
    let code = [
        "LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT", // 0x40
        "ISETP.NE.AND P0, PT, R4, RZ, PT",     // 0x50
        "BSSY B0, pc(0x80)",                   // 0x60
        "BSSY B1, pc(0x60)",                   // 0x70
        "BSSY B2, pc(0x40)",                   // 0x80
        "@P0 BRA pc(0x30)",                    // 0x90
        "BREAK B2",                            // 0xa0
        "BREAK B1",                            // 0xb0
        "BRA pc(0x20)",                        // 0xc0
        "BSYNC B2",                            // 0xd0
        "BSYNC B1",                            // 0xe0
        "BSYNC B0",                            // 0xf0
    ];
    let (bare, waits) = (to_a_barrier(&code, false), to_a_barrier(&code, true));
    assert!(fails_at_the_barrier(&bare[1]), "{bare:?}");
    assert!(bare[4].is_ok(), "an order in which nobody is let go early: {bare:?}");
    assert!(waits.iter().all(Result::is_ok), "{waits:?}");
}

/// C14: each form of a barrier of the block is executed by all lanes of the warp that have not exited.
#[test]
fn a_part_of_a_warp_does_not_come_to_a_barrier_of_the_block() {
    let forms = ["BAR.SYNC.DEFER_BLOCKING 0x0", "BAR.ARV 0x0, 0x20", "BAR.RED.POPC.DEFER_BLOCKING 0x0, PT"];
    for form in forms {
        let odd = ["LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT", "ISETP.NE.AND P0, PT, R4, RZ, PT"];
        let go = |lines: &[&str], order| {
            let cubin = with_head(&odd.iter().chain(lines).copied().collect::<Vec<_>>());
            run(&cubin, 32, &Options { order, ..Options::default() })
        };
        let guarded = format!("@P0 {form}");
        for order in 0..6 {
            // Lanes at both sides of a branch, and lanes that a guard keeps away.
            let sides = go(&["@P0 BRA pc(0x20)", form, "EXIT", form, "EXIT"], order);
            let some = go(&[&guarded, "EXIT"], order);
            assert!(
                fails_at_the_barrier(&sides) && fails_at_the_barrier(&some),
                "{form}: {sides:?} {some:?}"
            );
            // Lanes that have exited do not count.
            let end = go(&["@P0 EXIT", form, "EXIT"], order);
            assert!(end.is_ok() || form.contains("ARV"), "{form}: {end:?}");
        }
    }
}

#[test]
fn uniform_registers_belong_to_the_warp() {
    // Each side writes its own number to UR6, then both read it: some order shows the other side's.
    let cubin = with_head(&[
        "ISETP.NE.AND P0, PT, R0, RZ, PT",
        "UMOV UR6, 0x1",
        "@P0 BRA pc(0x10)",
        "UMOV UR6, 0x2",
        "MOV R6, UR6",
        "STG.E desc[UR4][R2.64], R6",
        "EXIT",
    ]);
    let seen: Vec<_> = (0..6)
        .map(|order| run(&cubin, 2, &Options { order, ..Options::default() }).expect("it runs"))
        .collect();
    assert!(seen.contains(&vec![2, 2]) && seen.contains(&vec![2, 1]), "{seen:?}");
}

fn timed(lines: &[&str]) -> Result<Vec<u32>, Failure> {
    run(&with_head(lines), 1, &Options { timing: true, ..Options::default() })
}

#[test]
fn early_reads_are_poison() {
    let store = "f/7/7/3f: STG.E desc[UR4][R2.64], R5";
    let late = timed(&["4/7/7/0: IADD3 R4, R0, 0x7, RZ", "f/7/7/0: IADD3 R5, R4, 0x1, RZ", store, "EXIT"]);
    assert_eq!(late, Ok(vec![8]));
    let early = timed(&["3/7/7/0: IADD3 R4, R0, 0x7, RZ", "f/7/7/0: IADD3 R5, R4, 0x1, RZ", store, "EXIT"]);
    match early {
        Err(Failure::Trap { trap: Trap::Poison(what), at }) => {
            assert!(what.starts_with("R4") && at.position == 0x50, "{what} at {at}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn unwaited_scoreboards_are_poison() {
    let load = |write| format!("2/{write}/7/0: LDC R5, c[0x0][RZ]");
    let store = |wait: &str| format!("f/7/7/{wait}: STG.E desc[UR4][R2.64], R5");
    let go = |write, wait| timed(&[&load(write), &store(wait), "EXIT"]);
    assert_eq!(go("1", "2"), Ok(vec![1]));
    assert!(matches!(go("1", "1"), Err(Failure::Trap { trap: Trap::Poison(_), .. })));
    assert!(matches!(go("7", "3f"), Err(Failure::Trap { trap: Trap::Poison(_), .. })));
}

#[test]
fn sources_in_flight_may_not_be_overwritten() {
    let go = |wait: &str| {
        let overwrite = format!("4/7/7/{wait}: IADD3 R6, RZ, 0x9, RZ");
        timed(&["f/7/7/0: MOV R6, 0x5", "2/7/1/0: STG.E desc[UR4][R2.64], R6", &overwrite, "EXIT"])
    };
    assert_eq!(go("2"), Ok(vec![5]));
    assert!(matches!(go("1"), Err(Failure::Trap { trap: Trap::Overwritten(_), .. })));
    // A later instruction of the pipe reads its sources behind those of the store, and writes later still.
    let load = "2/0/7/0: LDG.E R6, desc[UR4][R2.64]";
    assert_eq!(
        timed(&["f/7/7/0: MOV R6, 0x5", "2/7/1/0: STG.E desc[UR4][R2.64], R6", load, "EXIT"]),
        Ok(vec![5])
    );
}

#[test]
fn registers_beyond_the_count_are_an_error() {
    let end = timed(&["MOV R30, 0x1", "EXIT"]);
    assert!(
        matches!(&end, Err(Failure::Trap { trap: Trap::Poison(what), .. }) if what.contains("R30")),
        "{end:?}"
    );
}
