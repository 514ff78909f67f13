//! The pass as a whole.

use crate::{ONE, THREE, TWO, diamond, folded, hoist, machine, tail};
use sassafras_codegen::fold::{Knobs, fold};
use sassafras_codegen::{BRANCH_FOLDER, Error};
use sassafras_graph::{Dominators, is_reducible};
use sassafras_machine::Phase;
use std::fmt::Write;

#[test]
fn bf_01_name_and_needs() {
    assert_eq!(BRANCH_FOLDER, "branch-folder");
    let mut f = machine(&diamond("", ONE, TWO, THREE));
    f.phase = Phase::Placed;
    assert!(matches!(fold(&mut f, &Knobs::default()), Err(Error::Phase { needed: Phase::Allocated, .. })));
    let mut f = machine("b0():\n  copy R4:R:1, R5:R:1\n  exit\n");
    let error = fold(&mut f, &Knobs::default()).expect_err("it is refused");
    assert!(error.to_string().contains("a pseudo-instruction behind expansion"), "{error}");
}

/// The three transformations follow each other until none finds anything: what tails leave empty goes, what then begins alike moves up.
#[test]
fn bf_01_a_fixed_point() {
    let body = format!(
        "b0():\n  @P0 bra ; target b2\n  -> b2(), b1()\n\
         b1():\n{THREE}  mov.i d=R9 b=0x1\n{THREE}  -> b3()\n\
         b2():\n{THREE}  mov.i d=R9 b=0x2\n{THREE}  -> b3()\n\
         b3():\n  exit\n"
    );
    let (mut f, stats) = folded(&body);
    assert_eq!(stats.merges, [tail(4, &[1, 2], 3), hoist(0, &[2, 1], 3)]);
    let again = fold(&mut f, &Knobs::default()).expect("it is folded");
    assert_eq!((again.merges, again.rounds, again.joined, again.unreachable), (vec![], 1, 0, 0));
}

/// What was done is counted, and each merge recorded.
#[test]
fn bf_17_what_was_done() {
    let (_, stats) = folded(&diamond("", ONE, TWO, THREE));
    assert_eq!((stats.merges.len(), stats.saved, stats.joined, stats.rounds), (1, 3, 1, 2));
}

/// Many blocks that end alike: so many comparisons as the threshold allows, and an end.
#[test]
fn bf_18_the_bound() {
    // A chain of tests, each with a way out of its own that ends like all others; some in loops.
    let count = 600;
    let mut body = String::new();
    for at in 0..count {
        let way = count + at;
        let _ = write!(body, "b{at}():\n  isetp.ri d=P0 a=R{} b=0x7\n", at % 200);
        let _ = write!(body, "  @P0 bra ; target b{way}\n  -> b{way}(), b{}()\n", at + 1);
    }
    let body = body.replace(&format!("b{count}()\n"), &format!("b{}()\n", 2 * count));
    let mut body = body;
    for at in 0..count {
        let _ = write!(body, "b{}():\n  mov.i d=R4 b={at:#x}\n{THREE}  exit\n", count + at);
    }
    let _ = write!(body, "b{}():\n  exit\n", 2 * count);
    let (f, stats) = folded(&body);
    let pairs = 150 * 150;
    assert!(stats.compared <= stats.rounds * 2 * pairs, "{} in {} rounds", stats.compared, stats.rounds);
    assert_eq!(stats.merges.len(), count - 1);
    assert!(stats.rounds <= 7, "{}", stats.rounds);
    let graph = f.graph();
    assert!(is_reducible(&graph, &Dominators::new(&graph)));
}
