//! The test ahead, for all numbers of few bits, against the tests that it stands for.

use super::*;
use sassafras_ir::evaluate;
use sassafras_semantics::{Bits, Concrete};

const BITS: u32 = 6;

struct Values(Concrete);

impl Maker for Values {
    type Value = Bits;
    fn constant(&mut self, bits: u128) -> Bits {
        Bits::new(BITS, bits)
    }
    fn two(&mut self, op: Op, a: Bits, b: Bits) -> Bits {
        let ty = if matches!(op, Op::Compare(_)) { Type::I1 } else { Type(BITS as u8) };
        evaluate(&self.0, &op, &[a, b], &[ty]).expect("it is pure")[0]
    }
}

/// Of all starts and bounds: how often the test holds, and how often it does, then or behind long turns, where a test that it stands for does not.
fn count(counter: &Counter, ahead: &Ahead, turns: u32) -> (u32, u32) {
    let mut make = Values(Concrete::default());
    let (mut held, mut wrong) = (0, 0);
    for b in 0..1 << BITS {
        let bound = make.constant(b);
        for p in 0..1u128 << BITS {
            let param = make.constant(p);
            let limit = ahead.limit(&mut make, bound, param);
            let mut at = p as i128;
            for long in 0..1 << BITS {
                let now = make.constant(at as u128);
                if !ahead.test(&mut make, now, limit).is_true() {
                    break;
                }
                held += u32::from(long == 0);
                let all = (0..i128::from(turns) - 1).all(|turn| {
                    let seen = make.constant((at + counter.offset + turn * counter.step) as u128);
                    make.two(Op::Compare(counter.compare), seen, bound).is_true()
                });
                let ends = {
                    let last =
                        make.constant((at + counter.offset + (i128::from(turns) - 1) * counter.step) as u128);
                    !make.two(Op::Compare(counter.compare), last, bound).is_true()
                };
                if !all {
                    wrong += 1;
                    break;
                }
                at += i128::from(turns) * counter.step;
                let next = make.constant(at as u128);
                if ends && ahead.covers_last(counter) && ahead.test(&mut make, next, limit).is_true() {
                    wrong += 1;
                }
                if ends {
                    break;
                }
            }
        }
    }
    (held, wrong)
}

fn each(mut then: impl FnMut(Counter, u32)) {
    for compare in Compare::ALL.into_iter().filter(|compare| *compare != Compare::Eq) {
        for step in [1, 2, 3, 5, -1, -2, -4] {
            for offset in [0, step, 2, -1] {
                for turns in [2, 4] {
                    let ty = Type(BITS as u8);
                    let (tested, bound) = (Value(0), Value(1));
                    then(Counter { index: 0, ty, step, offset, compare, tested, bound }, turns);
                }
            }
        }
    }
}

#[test]
fn the_test_ahead_implies_those_that_are_left_out() {
    let mut seen = 0;
    each(|counter, turns| {
        if let Some(ahead) = Ahead::of(&counter, turns) {
            let (held, wrong) = count(&counter, &ahead, turns);
            assert_eq!(wrong, 0, "{counter:?} {turns} {ahead:?}");
            assert!(held > 0, "{counter:?} {turns} {ahead:?}");
            seen += 1;
        }
    });
    assert!(seen > 150, "{seen}");
}

/// It holds wherever those that it stands for hold and nothing overflows: the remainder gets no turn that the loop could have.
#[test]
fn the_test_ahead_leaves_no_turn_to_the_remainder() {
    let counter = |compare, step| Counter {
        index: 0,
        ty: Type(BITS as u8),
        step,
        offset: step,
        compare,
        tested: Value(0),
        bound: Value(1),
    };
    // `p + 3 < b` of 64 numbers: 0 + … + 60; `p + 3 <= b`: 1 + … + 61.
    for (compare, step, pairs) in
        [(Compare::ULt, 1, 1830), (Compare::ULe, 1, 1891), (Compare::SGt, -1, 1830), (Compare::SGe, -1, 1891)]
    {
        let counter = counter(compare, step);
        let ahead = Ahead::of(&counter, 4).expect("there is a test");
        assert_eq!(count(&counter, &ahead, 4), (pairs, 0), "{compare:?}");
    }
}

/// A loop that counts down to 0 makes the largest number behind its last turn.
#[test]
fn the_test_ahead_alone_says_nothing_of_a_turn_that_ends_at_the_last_number() {
    let counter = Counter {
        index: 0,
        ty: Type(BITS as u8),
        step: -1,
        offset: 0,
        compare: Compare::UGt,
        tested: Value(0),
        bound: Value(1),
    };
    let ahead = Ahead::of(&counter, 4).expect("there is a test");
    assert!(!ahead.covers_last(&counter));
    let mut make = Values(Concrete::default());
    let zero = make.constant(0);
    let limit = ahead.limit(&mut make, zero, zero);
    let behind = make.constant(u128::MAX);
    assert!(ahead.test(&mut make, behind, limit).is_true());
}

/// Wrong tests are found by the same comparison.
#[test]
fn planted_faults_are_found() {
    use Compare::*;
    let faults: [(&str, fn(Ahead) -> Ahead); 5] = [
        ("the limit is off by one", |ahead| match ahead {
            Ahead::Ordered { compare, clamp, added } => {
                let further = if matches!(compare, ULt | SLt) { 1 } else { -1 };
                Ahead::Ordered { compare, clamp, added: added + further }
            }
            other => other,
        }),
        ("the other signedness", |ahead| match ahead {
            Ahead::Ordered { compare, clamp, added } => {
                let compare = match compare {
                    ULt => SLt,
                    UGt => SGt,
                    SLt => ULt,
                    _ => UGt,
                };
                Ahead::Ordered { compare, clamp, added }
            }
            other => other,
        }),
        ("no maximum against overflow", |ahead| match ahead {
            Ahead::Ordered { compare, added, .. } => Ahead::Ordered { compare, clamp: None, added },
            other => other,
        }),
        ("half as many turns", |ahead| match ahead {
            Ahead::Whole { up, long, added } => Ahead::Whole { up, long: long / 2, added },
            other => other,
        }),
        ("the other direction", |ahead| match ahead {
            Ahead::Whole { up, long, added } => Ahead::Whole { up: !up, long, added },
            other => other,
        }),
    ];
    for (name, fault) in faults {
        let mut found = 0;
        each(|counter, turns| {
            let Some(ahead) = Ahead::of(&counter, turns).filter(|_| turns == 4 && counter.step.abs() == 1)
            else {
                return;
            };
            let planted = fault(ahead);
            if planted != ahead {
                found += u32::from(count(&counter, &planted, turns).1 > 0);
            }
        });
        assert!(found > 0, "{name}");
    }
}
