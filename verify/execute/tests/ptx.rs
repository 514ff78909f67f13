//! What the PTX executor does beyond computing: faults, deadlocks, undefined values, calls, convergence, orders.

use sassafras_execute::options::Tracer;
use sassafras_execute::{Argument, Failure, Launch, LaunchError, Options, Outcome, ptx};
use sassafras_ptx::checked::Module;
use sassafras_semantics::{Space, Trap};
use std::sync::{Arc, Mutex};

fn module(text: &str) -> Module {
    let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{text}");
    sassafras_ptx::load(&text, "test.ptx").unwrap_or_else(|e| panic!("{text}\n{e:?}"))
}

/// An entry `k(out)`: `%q1` is `out` plus four bytes for each thread of the grid, `%r1` the thread in its block, `%r7` in its warp.
fn entry(before: &str, body: &str) -> Module {
    module(&format!(
        "{before}\n.visible .entry k(.param .u64 out)\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %q<20>;\n\
         .reg .b32 %i<4>;\n.reg .b64 %o<4>;\n\
         ld.param.u64 %o1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %i1, %ctaid.x;\nmov.u32 %i2, %ntid.x;\n\
         mad.lo.u32 %i3, %i1, %i2, %r1;\nmul.wide.u32 %o2, %i3, 4;\nadd.u64 %q1, %o1, %o2;\nmov.u32 %r7, %laneid;\n\
         {body}\nret;\n}}\n"
    ))
}

struct Run {
    grid: u32,
    block: u32,
    options: Options,
}

impl Run {
    fn of(block: u32) -> Run {
        Run { grid: 1, block, options: Options::default() }
    }

    fn order(self, order: u32) -> Run {
        Run { options: Options { order, ..self.options }, ..self }
    }

    fn seed(self, seed: u64) -> Run {
        Run { options: Options { seed, ..self.options }, ..self }
    }

    fn outcome(&self, module: &Module) -> Result<Outcome, Failure> {
        let mut launch = Launch::new([self.grid, 1, 1], [self.block, 1, 1]);
        launch.dynamic_shared = 256;
        let bytes = vec![0; 4 * (self.grid * self.block) as usize];
        launch.arguments(&ptx::layout(module, "k")?, &[Argument::Buffer(bytes)])?;
        ptx::run(module, "k", &launch, &self.options)
    }

    fn words(&self, module: &Module) -> Vec<u32> {
        let outcome = self.outcome(module).unwrap_or_else(|e| panic!("{e}"));
        outcome.buffers[0].chunks(4).map(|c| u32::from_le_bytes(c.try_into().expect("four"))).collect()
    }

    fn failure(&self, module: &Module) -> Failure {
        self.outcome(module).expect_err("a failure")
    }
}

/// Every order gives what `expected` says of each thread.
fn everywhere(module: &Module, block: u32, expected: impl Fn(u32) -> u32) {
    for order in 0..10 {
        let words = Run::of(block).order(order).seed(order.into()).words(module);
        for (i, &w) in words.iter().enumerate() {
            assert_eq!(w, expected(i as u32), "thread {i}, order {order}");
        }
    }
}

#[test]
fn a_fault_names_space_address_thread_and_line() {
    let m = entry("", "setp.ne.u32 %p1, %r1, 37;\n@%p1 bra DONE;\nst.global.u32 [%q1+4096], 1;\nDONE:");
    let Failure::Trap { trap: Trap::OutOfBounds { space, bytes, .. }, at } = Run::of(64).failure(&m) else {
        panic!("no fault");
    };
    assert_eq!((space, bytes), (Space::Global, 4));
    assert_eq!((at.block, at.thread, at.function.as_str()), ([0; 3], [37, 0, 0], "k"));
    assert_eq!(at.line, Some(22));
    let m = entry("", "add.u64 %q1, %q1, 2;\nst.global.u32 [%q1], 1;");
    assert!(matches!(Run::of(32).failure(&m), Failure::Trap { trap: Trap::Misaligned { bytes: 4, .. }, .. }));
    let m = entry(
        ".shared .align 16 .b8 words[64];",
        "mov.u32 %r2, words;\nadd.u64 %q1, %q1, 4;\ncp.async.ca.shared.global [%r2], [%q1], 8, 3;",
    );
    assert!(matches!(
        Run::of(1).failure(&m),
        Failure::Trap { trap: Trap::Misaligned { space: Space::Global, bytes: 8, .. }, .. }
    ));
    let m = entry("", "mov.u64 %q2, 0;\nst.global.u32 [%q2], 1;");
    assert!(matches!(
        Run::of(1).failure(&m),
        Failure::Trap { trap: Trap::OutOfBounds { address: 0, .. }, .. }
    ));
    let m =
        entry(".const .u32 c[2] = {5, 6};", "mov.u64 %q2, c;\ncvta.const.u64 %q3, %q2;\nst.u32 [%q3], 1;");
    assert!(matches!(
        Run::of(1).failure(&m),
        Failure::Trap { trap: Trap::OutOfBounds { space: Space::Const, .. }, .. }
    ));
    let m = entry("", "setp.eq.u32 %p1, %r1, 3;\n@%p1 trap;");
    assert!(
        matches!(Run::of(8).failure(&m), Failure::Trap { trap: Trap::Trapped, at } if at.thread == [3, 0, 0])
    );
}

#[test]
fn deadlocks_and_endless_loops_are_found() {
    let split = "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nvote.sync.any.pred %p1, %p1, -1;\nbra DONE;\n\
                 A:\nvote.sync.any.pred %p1, %p1, -1;\nDONE:";
    for order in 0..6 {
        let failure = Run::of(32).order(order).failure(&entry("", split));
        assert!(matches!(&failure, Failure::Deadlock(at) if at.len() == 32), "{failure}");
    }
    let m = entry("", "setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;");
    assert!(matches!(Run::of(64).failure(&m), Failure::Deadlock(at) if at.len() == 32));
    let endless = Run { options: Options { step_limit: 5000, ..Options::default() }, ..Run::of(32) };
    assert_eq!(endless.failure(&entry("", "A:\nbra A;")), Failure::StepLimit(5000));
}

/// PTX ISA, `bar.warp.sync`: a thread waits until all threads of the mask have executed one with the same mask, wherever it stands.
#[test]
fn warp_barriers_of_one_mask_stand_at_several_places() {
    let split = "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\nbar.warp.sync 0xffffffff;\nbra DONE;\n\
                 A:\nbar.warp.sync 0xffffffff;\nDONE:\nst.global.u32 [%q1], %r1;";
    everywhere(&entry("", split), 32, |thread| thread);
}

#[test]
fn what_the_isa_leaves_undefined_is_said() {
    let m = entry("", "setp.eq.u32 %p1, %r1, 1;\n@%p1 bar.warp.sync 1;");
    assert!(matches!(Run::of(32).failure(&m), Failure::Undefined { what, .. } if what.contains("lane 1")));
    let m = entry("", "TABLE: .branchtargets A, B;\nbrx.idx %r1, TABLE;\nA:\nB:");
    assert!(matches!(Run::of(3).failure(&m), Failure::Undefined { what, .. } if what.contains("index 2")));
    let m = entry("", "mov.u32 %r2, 33;\nbar.sync 1, %r2;");
    assert!(matches!(Run::of(64).failure(&m), Failure::Undefined { .. }));
}

#[test]
fn undefined_values_follow_the_seed() {
    for body in [
        "st.global.u32 [%q1], %r15;",
        ".shared .u32 s[4];\nld.shared.u32 %r15, [s];\nst.global.u32 [%q1], %r15;",
        ".local .u32 l[4];\nld.local.u32 %r15, [l+4];\nst.global.u32 [%q1], %r15;",
        "mov.u32 %r15, %smid;\nst.global.u32 [%q1], %r15;",
        "mov.u32 %r15, %clock;\nst.global.u32 [%q1], %r15;",
    ] {
        let m = entry("", body);
        let run = |seed| Run::of(32).seed(seed).words(&m);
        assert_eq!(run(1), run(1), "{body}");
        assert_ne!(run(1), run(2), "{body}");
    }
}

#[test]
fn clocks_run_forward() {
    let m = entry(
        "",
        "mov.u64 %q2, %clock64;\nmov.u64 %q3, %clock64;\nsetp.lt.u64 %p1, %q2, %q3;\nselp.u32 %r2, 1, 0, %p1;\n\
         st.global.u32 [%q1], %r2;",
    );
    everywhere(&m, 64, |_| 1);
}

#[test]
fn calls_pass_values_and_memory_and_recurse() {
    let functions = "\
.func (.param .b32 result) factorial(.param .b32 n)\n{\n.reg .b32 %r<6>;\n.reg .pred %p;\n\
ld.param.u32 %r1, [n];\nmov.u32 %r2, 1;\nsetp.le.u32 %p, %r1, 1;\n@%p bra END;\nsub.u32 %r3, %r1, 1;\n\
{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r3;\ncall (b), factorial, (a);\nld.param.b32 %r4, [b];\n}\n\
mul.lo.u32 %r2, %r1, %r4;\nEND:\nst.param.b32 [result], %r2;\nret;\n}\n\
.func (.reg .b32 %d) twice(.reg .b32 %a)\n{\n.local .u32 slot[4];\nst.local.u32 [slot+8], %a;\n\
ld.local.u32 %d, [slot+8];\nadd.u32 %d, %d, %a;\nret;\n}\n\
.func (.param .align 8 .b8 result[16]) swap(.param .align 8 .b8 pair[16])\n{\n.reg .b64 %q<3>;\n\
ld.param.u64 %q1, [pair];\nld.param.u64 %q2, [pair+8];\nst.param.u64 [result], %q2;\nst.param.u64 [result+8], %q1;\nret;\n}\n";
    let body = "and.b32 %r2, %r1, 7;\n\
{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\ncall.uni (b), factorial, (a);\nld.param.b32 %r3, [b];\n}\n\
call (%r4), twice, (%r3);\ncvt.u64.u32 %q4, %r4;\n\
{\n.param .align 8 .b8 a[16];\n.param .align 8 .b8 b[16];\nst.param.u64 [a], 9;\nst.param.u64 [a+8], %q4;\n\
call (b), swap, (a);\nld.param.u64 %q5, [b];\nld.param.u64 %q6, [b+8];\n}\n\
add.u64 %q5, %q5, %q6;\ncvt.u32.u64 %r5, %q5;\nst.global.u32 [%q1], %r5;";
    let m = entry(functions, body);
    everywhere(&m, 48, |i| 2 * (1..=i % 8).product::<u32>() + 9);
}

#[test]
fn a_parameter_of_a_call_has_no_generic_address() {
    // Its address within the frame is that of another byte among the entry's parameters.
    let function = ".func (.param .b32 r) f(.param .b32 a) { .reg .b64 q; .reg .b32 x; mov.u64 q, a; cvta.param.u64 q, q;\n\
                    ld.u32 x, [q]; st.param.b32 [r], x; ret; }";
    let call = ".param .b32 a, r; st.param.b32 [a], %r1; call (r), f, (a); ld.param.b32 %r2, [r]; st.global.u32 [%q1], %r2;";
    for block in [1, 32] {
        let failure = Run::of(block).failure(&entry(function, call));
        assert!(failure.is_unsupported(), "{failure}");
    }
    let own = ".param .b32 a; mov.u64 %q2, a; cvta.param.u64 %q2, %q2; st.global.u32 [%q1], %r1;";
    assert!(Run::of(1).failure(&entry("", own)).is_unsupported());
    // Those of the entry have one.
    let entry_own = "mov.u64 %q2, out; cvta.param.u64 %q2, %q2; ld.u64 %q3, [%q2]; sub.u64 %q3, %q1, %q3; cvt.u32.u64 %r2, %q3; st.global.u32 [%q1], %r2;";
    everywhere(&entry("", entry_own), 32, |i| 4 * i);
}

#[test]
fn calls_through_registers_go_where_each_lane_wants() {
    let functions = "\
.func (.reg .b32 %d) one(.reg .b32 %a)\n{\nadd.u32 %d, %a, 1;\nret;\n}\n\
.func (.reg .b32 %d) two(.reg .b32 %a)\n{\nadd.u32 %d, %a, %a;\nret;\n}\n";
    let body = "mov.u64 %q2, one;\nmov.u64 %q3, two;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n\
        selp.b64 %q4, %q2, %q3, %p1;\nP: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n\
        call (%r3), %q4, (%r1), P;\nst.global.u32 [%q1], %r3;";
    everywhere(&entry(functions, body), 40, |i| if i % 2 == 0 { i + 1 } else { 2 * i });
    let wild =
        "mov.u64 %q4, 5;\nP: .callprototype (.reg .b32 _) _ (.reg .b32 _);\ncall (%r3), %q4, (%r1), P;";
    assert!(matches!(Run::of(1).failure(&entry("", wild)), Failure::Undefined { .. }));
}

#[test]
fn branches_tables_and_loops_in_every_order() {
    let m = entry(
        "",
        "and.b32 %r2, %r1, 3;\nmov.u32 %r3, 0;\nTABLE: .branchtargets A, B, C, B;\nbrx.idx %r2, TABLE;\n\
         A:\nadd.u32 %r3, %r3, 100;\nB:\nadd.u32 %r3, %r3, 10;\nC:\nadd.u32 %r3, %r3, 1;\n\
         mov.u32 %r4, 0;\nLOOP:\nsetp.ge.u32 %p1, %r4, %r1;\n@%p1 bra DONE;\nadd.u32 %r3, %r3, 1000;\n\
         add.u32 %r4, %r4, 1;\nbra LOOP;\nDONE:\nst.global.u32 [%q1], %r3;",
    );
    everywhere(&m, 40, |i| 1000 * i + [111, 11, 1, 11][i as usize % 4]);
}

#[test]
fn a_spin_lock_within_a_warp_makes_progress_in_every_order() {
    let m = entry(
        ".global .u32 lock;\n.global .u32 count;",
        "mov.u64 %q2, lock;\nmov.u64 %q3, count;\nTRY:\natom.global.cas.b32 %r2, [%q2], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n\
         @%p1 bra TRY;\nld.global.u32 %r3, [%q3];\nadd.u32 %r4, %r3, 1;\nst.global.u32 [%q3], %r4;\n\
         atom.global.exch.b32 _, [%q2], 0;\nbar.sync 0;\nld.global.u32 %r5, [%q3];\nst.global.u32 [%q1], %r5;",
    );
    everywhere(&m, 64, |_| 64);
}

#[test]
fn collectives_wait_for_their_lanes_and_not_for_the_exited() {
    // Both halves come to one shuffle by ways of different length; lanes from 24 have left.
    let m = entry(
        "",
        "setp.ge.u32 %p2, %r7, 24;\n@%p2 exit;\nmov.u32 %r2, %r7;\nsetp.lt.u32 %p1, %r7, 8;\n@%p1 bra A;\n\
         add.u32 %r2, %r2, 100;\nbra B;\nA:\nadd.u32 %r2, %r2, 200;\nmul.lo.u32 %r2, %r2, 2;\nB:\n\
         shfl.sync.bfly.b32 %r3, %r2, 8, 31, 0xffffffff;\nsetp.lt.u32 %p3, %r7, 8;\n\
         vote.sync.ballot.b32 %r4, %p3, 0xffffffff;\nadd.u32 %r3, %r3, %r4;\n@!%p3 bra C;\nst.global.u32 [%q1], %r3;\nC:",
    );
    everywhere(&m, 32, |i| if i < 8 { 108 + i + 0xff } else { 0 });
}

#[test]
fn named_barriers_pair_producers_with_consumers() {
    let m = entry(
        "",
        ".shared .u32 box[32];\nmov.u32 %r5, box;\nshl.b32 %r6, %r7, 2;\nadd.u32 %r5, %r5, %r6;\n\
         setp.lt.u32 %p1, %r1, 32;\n@!%p1 bra TAKE;\nmul.lo.u32 %r2, %r1, 3;\nst.shared.u32 [%r5], %r2;\n\
         membar.cta;\nbar.arrive 1, 64;\nst.global.u32 [%q1], %r1;\nret;\nTAKE:\nbar.sync 1, 64;\n\
         ld.shared.u32 %r3, [%r5];\nst.global.u32 [%q1], %r3;",
    );
    everywhere(&m, 64, |i| if i < 32 { i } else { 3 * (i - 32) });
}

#[test]
fn barrier_reductions_see_the_whole_block() {
    let m = entry(
        "",
        "setp.lt.u32 %p1, %r1, 37;\nbar.red.popc.u32 %r2, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\n\
         bar.red.or.pred %p3, 0, %p1;\n@%p3 add.u32 %r2, %r2, 100;\n@%p2 add.u32 %r2, %r2, 1000;\nst.global.u32 [%q1], %r2;",
    );
    everywhere(&m, 70, |_| 137);
}

#[test]
fn windows_and_initialisers_lead_to_their_variables() {
    let before = ".extern .shared .align 16 .b8 dyn[];\n.shared .u32 one;\n.global .u32 g[4] = {10, 20, 30};\n\
                  .const .u32 c[2] = {7, 8};\n.global .u64 where[2] = {g+4, generic(c)};";
    let body = ".local .u32 l[2];\nmov.u32 %r2, 1;\nst.shared.u32 [one], %r2;\nst.shared.u32 [dyn+252], 500;\nst.local.u32 [l+4], 2;\n\
        cvta.shared.u64 %q2, dyn;\nld.u32 %r3, [%q2+252];\nmov.u64 %q3, l;\ncvta.local.u64 %q3, %q3;\nld.u32 %r4, [%q3+4];\n\
        ld.global.u64 %q4, [where];\nld.global.u32 %r5, [%q4];\nld.global.u64 %q5, [where+8];\nld.u32 %r6, [%q5+4];\n\
        ld.global.u32 %r8, [g+12];\nadd.u32 %r3, %r3, %r4;\nadd.u32 %r3, %r3, %r5;\nadd.u32 %r3, %r3, %r6;\nadd.u32 %r3, %r3, %r8;\n\
        isspacep.shared %p1, %q2;\nisspacep.local %p2, %q3;\nisspacep.global %p3, %q4;\n@!%p1 mov.u32 %r3, 0;\n@!%p2 mov.u32 %r3, 0;\n\
        @!%p3 mov.u32 %r3, 0;\nst.global.u32 [%q1], %r3;";
    everywhere(&entry(before, body), 2, |_| 500 + 2 + 20 + 8);
}

#[test]
fn blocks_count_together() {
    let m = entry(
        ".global .u32 tickets;",
        "mov.u64 %q2, tickets;\natom.global.add.u32 %r2, [%q2], 1;\nst.global.u32 [%q1], %r2;",
    );
    for order in 0..6 {
        let mut words = Run { grid: 50, ..Run::of(40) }.order(order).words(&m);
        words.sort_unstable();
        assert_eq!(words, (0..2000).collect::<Vec<u32>>(), "order {order}");
    }
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let m = entry("", "");
    let launch = Launch::new([1, 1, 1], [32, 1, 1]);
    let run = |name: &str, launch: &Launch| ptx::run(&m, name, launch, &Options::default());
    assert!(
        matches!(run("nope", &launch), Err(Failure::Launch(LaunchError::NoEntry { has, .. })) if has == "`k`")
    );
    assert!(matches!(
        run("k", &launch),
        Err(Failure::Launch(LaunchError::ParamBytes { wants: 8, given: 0 }))
    ));
    let layout = ptx::layout(&m, "k").expect("an entry");
    let mut launch = Launch::new([1, 1, 1], [32, 1, 1]);
    assert!(matches!(launch.arguments(&layout, &[]), Err(LaunchError::ArgumentCount { wants: 1, given: 0 })));
    let small = Argument::Value(vec![0; 4]);
    assert!(matches!(
        launch.arguments(&layout, &[small]),
        Err(LaunchError::ArgumentSize { wants: 8, given: 4, .. })
    ));
    let m = module(".visible .entry k() .reqntid 64\n{\nret;\n}\n");
    let refused = ptx::run(&m, "k", &Launch::new([1, 1, 1], [32, 1, 1]), &Options::default());
    assert!(matches!(refused, Err(Failure::Launch(LaunchError::Shape(_)))));
}

#[test]
fn a_trace_tells_each_instruction_and_what_it_wrote() {
    let m = entry("", "setp.lt.u32 %p1, %r1, 3;\n@%p1 add.u32 %r2, %r1, 5;");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    let tracer = Tracer(Arc::new(move |e: &sassafras_execute::options::TraceEvent<'_>| {
        sink.lock().expect("unpoisoned").push((e.text.to_string(), e.lanes, e.writes.to_vec()));
    }));
    let run = Run { options: Options { trace: Some(tracer), ..Options::default() }, ..Run::of(8) };
    let outcome = run.outcome(&m).expect("runs");
    let seen = seen.lock().expect("unpoisoned");
    let (_, lanes, writes) = seen.iter().find(|(text, ..)| text == "add.u32").expect("traced");
    assert_eq!(*lanes, 0b111);
    assert_eq!(writes[2], ("%r2".to_string(), 2, 7));
    assert_eq!(outcome.coverage[0].function, "k");
    assert!(outcome.coverage[0].counts.iter().all(|&n| n == 1));
}
