//! Threads of a warp that wait for each other: each is promised progress, so the code ends in every order.

use super::run::compile;
use sassafras_execute::{Argument, Launch, Options, ptx, sass};

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 memory)\n{\n\
    .reg .pred p, q;\n.reg .b32 x, y, t, m;\n.reg .b64 at, w;\n\
    ld.param.u64 at, [memory];\ncvta.to.global.u64 at, at;\nmov.u32 t, %tid.x;\n";

/// What the first word is at the end, in code and source, in some orders.
fn ends(body: &str, threads: u32, wanted: u32) {
    let text = format!("{HEAD}{body}}}\n");
    let module = sassafras_ptx::load(&text, "spin").unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let cubin = compile(&text);
    let mut launch = Launch::new([1, 1, 1], [threads, 1, 1]);
    let slots = ptx::layout(&module, "k").expect("an entry");
    launch.arguments(&slots, &[Argument::Buffer(vec![0; 1024])]).expect("they fit");
    for order in 0..10 {
        let options = Options { order, ..Options::default() };
        let source = ptx::run(&module, "k", &launch, &options);
        let code = sass::run(&cubin, "k", &launch, &options);
        for (who, run) in [("source", source), ("code", code)] {
            let outcome = run.unwrap_or_else(|e| panic!("order {order}, the {who}: {e}\n{text}"));
            let word = outcome.buffers[0][..4].try_into().expect("four bytes");
            assert_eq!(u32::from_le_bytes(word), wanted, "order {order}, the {who}\n{text}");
        }
    }
}

/// The section that a lock guards comes behind the loop that takes it.
#[test]
fn a_spin_lock_taken_by_all() {
    ends(
        "TAKE:\natom.acquire.gpu.global.cas.b32 x, [at+512], 0, 1;\nsetp.ne.u32 p, x, 0;\n@p bra TAKE;\n\
         ld.volatile.global.u32 y, [at];\nadd.u32 y, y, 1;\nst.volatile.global.u32 [at], y;\nmembar.gl;\n\
         atom.release.gpu.global.exch.b32 x, [at+512], 0;\nexit;\n",
        32,
        32,
    );
}

/// The same under a branch, and behind it a shuffle of all lanes, which are not surely together then.
#[test]
fn a_spin_lock_under_a_branch() {
    ends(
        "and.b32 x, t, 1;\nsetp.eq.u32 q, x, 0;\n@q bra BEHIND;\n\
         TAKE:\natom.acquire.gpu.global.cas.b32 x, [at+512], 0, 1;\nsetp.ne.u32 p, x, 0;\n@p bra TAKE;\n\
         ld.volatile.global.u32 y, [at];\nadd.u32 y, y, 1;\nst.volatile.global.u32 [at], y;\nmembar.gl;\n\
         atom.release.gpu.global.exch.b32 x, [at+512], 0;\n\
         BEHIND:\nshfl.sync.bfly.b32 y, t, 31, 31, -1;\nxor.b32 y, y, t;\nsetp.ne.u32 p, y, 31;\n@p trap;\nexit;\n",
        32,
        16,
    );
}

/// One lane waits for what another does behind the place where the two meet.
#[test]
fn a_lane_that_waits_for_one_that_is_ahead() {
    ends(
        "setp.ne.u32 q, t, 0;\n@q bra BEHIND;\n\
         WAIT:\nld.volatile.global.u32 x, [at+512];\nsetp.eq.u32 p, x, 0;\n@p bra WAIT;\n\
         st.volatile.global.u32 [at], x;\n\
         BEHIND:\nsetp.ne.u32 q, t, 7;\n@q exit;\nst.volatile.global.u32 [at+512], 5;\nexit;\n",
        32,
        5,
    );
}

/// Thirty loops in each other, which lanes leave in different turns: more than there are barriers.
#[test]
fn more_loops_than_barriers() {
    const DEPTH: usize = 30;
    let heads: String = (0..DEPTH).map(|n| format!("L{n}:\nadd.u32 y, y, 1;\n")).collect();
    // Each loop runs again with a chance of a quarter, by an oracle of the lane's own.
    let tails = (0..DEPTH).rev().map(|n| {
        format!("mad.lo.u32 x, x, 1664525, {n};\nshr.u32 m, x, 28;\nsetp.gt.u32 p, m, 14;\n@p bra L{n};\n")
    });
    let tails: String = tails.collect();
    let end = "shfl.sync.bfly.b32 m, t, 31, 31, -1;\nxor.b32 m, m, t;\nsetp.ne.u32 p, m, 31;\n@p trap;\n\
               atom.global.add.u32 x, [at], 1;\nexit;\n";
    ends(&format!("mul.lo.u32 x, t, 0x9e3779b1;\nmov.u32 y, 0;\n{heads}{tails}{end}"), 32, 32);
}
