//! OptimizeBranches: six cases.

use crate::{ONE, TWO, folded, forms, layout, placed, succs};
use sassafras_codegen::fold::{SettleStats, settle};
use sassafras_machine::{Block, Function};

#[test]
fn bf_09_1_empty_blocks_go() {
    let body = format!(
        "b0():\n  @P0 bra ; target b2\n  -> b2(), b1()\n\
         b1():\n{ONE}  -> b3()\n\
         b2():\n  -> b3()\n\
         b3():\n{TWO}  exit\n"
    );
    let (f, stats) = folded(&body);
    assert_eq!((layout(&f), succs(&f, 0), stats.unreachable), (vec![0, 1, 3], vec![3, 1], 1));
    assert_eq!(f.blocks[Block(0)].insts[0].target, Some(Block(3)));
}

#[test]
fn bf_09_2_a_branch_to_one_place_is_none() {
    let body = format!("b0():\n{ONE}  @P0 bra ; target b1\n  -> b1(), b1()\nb1():\n{TWO}  exit\n");
    let (f, stats) = folded(&body);
    assert_eq!((forms(&f, 0), stats.same, stats.joined), (vec!["mov.i", "mov.i", "exit"], 1, 1));
}

#[test]
fn bf_09_3_a_block_joins_its_only_successor() {
    let body = format!("b0():\n{ONE}  -> b1()\nb1():\n{TWO}  @P0 exit\n  -> b2()\nb2():\n{ONE}  exit\n");
    let (f, stats) = folded(&body);
    // The guarded `exit` ends its block.
    assert_eq!((layout(&f), stats.joined), (vec![0, 2], 1));
    assert_eq!(forms(&f, 0), ["mov.i", "mov.i", "exit"]);
}

/// What is not reached goes, and each success is followed by others: here 2, then 3, then 3.
#[test]
fn bf_09_each_success_is_followed() {
    let body = format!(
        "b0():\n  @P0 bra ; target b2\n  -> b2(), b1()\n\
         b1():\n  -> b3()\n\
         b2():\n  -> b3()\n\
         b3():\n{ONE}  exit\n\
         b4():\n{TWO}  exit\n"
    );
    let (f, stats) = folded(&body);
    assert_eq!((layout(&f), forms(&f, 0)), (vec![0], vec!["mov.i", "exit"]));
    assert_eq!((stats.unreachable, stats.same, stats.joined), (3, 1, 1));
}

fn settled(body: &str, worth: impl Fn(&[Block]) -> f64) -> (Function, SettleStats) {
    let mut f = placed("placed", body);
    let stats = settle(&mut f, worth).unwrap_or_else(|error| panic!("{error}"));
    (f, stats)
}

#[test]
fn bf_09_4_a_branch_to_the_next_block_goes() {
    let body = format!("b0():\n{ONE}  bra ; target b1 ; uniform\n  -> b1()\nb1():\n{TWO}  exit\n");
    let (f, stats) = settled(&body, |_| 0.0);
    assert_eq!((forms(&f, 0), stats.redundant), (vec!["mov.i"], 1));
    assert_eq!(succs(&f, 0), [1]);
}

#[test]
fn bf_09_5_a_condition_is_turned_around_to_fall_through() {
    let body = format!(
        "b0():\n  @P0 bra ; target b1\n  bra ; target b2 ; uniform\n  -> b1(), b2()\n\
         b1():\n{ONE}  exit\n\
         b2():\n{TWO}  exit\n"
    );
    let (f, stats) = settled(&body, |_| 0.0);
    assert_eq!((forms(&f, 0), stats.turned), (vec!["bra"], 1));
    let branch = &f.blocks[Block(0)].insts[0];
    assert!(branch.inst().is_some_and(|real| real.guard.negate) && branch.target == Some(Block(2)));
}

/// A block that ends the thread goes to the end, unless the order's score would fall.
#[test]
fn bf_09_6_a_block_that_ends_goes_to_the_end() {
    let body = format!(
        "b0():\n  @P0 bra ; target b2\n  -> b2(), b1()\n\
         b1():\n{ONE}  exit\n\
         b2():\n{TWO}  @P1 bra ; target b2\n  -> b2(), b3()\n\
         b3():\n{ONE}  exit\n"
    );
    let (f, stats) = settled(&body, |_| 0.0);
    assert_eq!((layout(&f), stats.moved), (vec![0, 2, 3, 1], 1));
    let branch = &f.blocks[Block(0)].insts[0];
    assert!(branch.inst().is_some_and(|real| real.guard.negate) && branch.target == Some(Block(1)));
    // An order that is worth less is not taken.
    let (f, stats) = settled(&body, |order| if order[1] == Block(1) { 1.0 } else { 0.0 });
    assert_eq!((layout(&f), stats.moved), (vec![0, 1, 2, 3], 0));
}
