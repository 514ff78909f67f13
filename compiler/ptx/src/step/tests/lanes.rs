//! What is handed to the executor: collectives, branches, calls.

use super::{lane, module};
use crate::step::{Outcome, step};
use sassafras_semantics::concrete::{Bits, Concrete};
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::{AtomicOp, Collective, Trap};

/// What the first instruction of a body asks for, with its arguments and the names of its result registers.
fn asks(body: &str) -> (Collective, Vec<u128>, [Option<String>; 2]) {
    let m = module(body);
    let inputs = [("%r1", 11), ("%r2", 12), ("%r3", 13), ("%r4", 14), ("%p1", 1), ("%q1", 15)];
    let mut lane = lane(&m, &inputs);
    let f = &m.functions[0];
    match step(&Concrete::default(), &m, f, &f.insts.as_ref().expect("a body")[0], &mut lane) {
        Ok(Outcome::Collective { op, arguments, results }) => {
            let name =
                |r: Option<crate::checked::RegisterId>| r.map(|r| f.registers[r.0 as usize].name.clone());
            (op, arguments.into_iter().map(Bits::bits).collect(), {
                let mut results = results.into_iter().map(name);
                std::array::from_fn(|_| results.next().flatten())
            })
        }
        other => panic!("{body}: {other:?}"),
    }
}

fn names(a: Option<&str>, b: Option<&str>) -> [Option<String>; 2] {
    [a.map(Into::into), b.map(Into::into)]
}

#[test]
fn collectives() {
    assert_eq!(
        asks("shfl.sync.bfly.b32 %r0|%p0, %r1, %r2, %r3, %r4;"),
        (Collective::Shuffle(ShuffleMode::Bfly), vec![11, 12, 13, 14], names(Some("%r0"), Some("%p0")))
    );
    assert_eq!(
        asks("vote.sync.all.pred %p0, !%p1, %r4;"),
        (Collective::Vote(VoteMode::All), vec![0, 14], names(None, Some("%p0")))
    );
    assert_eq!(
        asks("vote.sync.ballot.b32 %r0, %p1, %r4;"),
        (Collective::Vote(VoteMode::Ballot), vec![1, 14], names(Some("%r0"), None))
    );
    assert_eq!(
        asks("match.all.sync.b64 %r0|%p0, %q1, %r4;"),
        (Collective::Match { all: true }, vec![15, 14], names(Some("%r0"), Some("%p0")))
    );
    assert_eq!(
        asks("redux.sync.min.s32 %r0, %r1, %r4;"),
        (Collective::Redux(AtomicOp::SMin), vec![11, 14], names(Some("%r0"), None))
    );
    assert_eq!(asks("activemask.b32 %r0;"), (Collective::ActiveMask, vec![], names(Some("%r0"), None)));
    assert_eq!(asks("elect.sync _|%p0, %r4;"), (Collective::Elect, vec![14], names(None, Some("%p0"))));
    assert_eq!(asks("bar.warp.sync %r4;"), (Collective::WarpSync, vec![14], names(None, None)));
}

#[test]
fn barriers() {
    let barrier = |mode| Collective::Barrier(mode);
    assert_eq!(asks("bar.sync 0;"), (barrier(BarrierMode::Sync), vec![0, 0, 0], names(None, None)));
    assert_eq!(asks("bar.sync 1, 64;"), (barrier(BarrierMode::Sync), vec![1, 64, 0], names(None, None)));
    assert_eq!(
        asks("barrier.arrive 2, 64;"),
        (barrier(BarrierMode::Arrive), vec![2, 64, 0], names(None, None))
    );
    assert_eq!(
        asks("bar.red.popc.u32 %r0, 1, %p1;"),
        (barrier(BarrierMode::Popc), vec![1, 0, 1], names(Some("%r0"), None))
    );
    assert_eq!(
        asks("bar.red.and.pred %p0, 1, 64, !%p1;"),
        (barrier(BarrierMode::And), vec![1, 64, 0], names(Some("%p0"), None))
    );
}

#[test]
fn control() {
    let m = module("bra DONE;\ntrap;\nexit;\nbrkpt;\nDONE:");
    let f = &m.functions[0];
    let insts = f.insts.as_ref().expect("a body");
    let mut l = lane(&m, &[]);
    let mut at = |i: usize| step(&Concrete::default(), &m, f, &insts[i], &mut l);
    assert!(matches!(at(0), Ok(Outcome::Branch(label)) if f.labels[label.0 as usize].target == 4));
    assert_eq!(at(1), Err(Trap::Trapped));
    assert_eq!(at(2), Ok(Outcome::Exit));
    assert_eq!(at(3), Err(Trap::Trapped));
    assert_eq!(at(4), Ok(Outcome::Return));
}
