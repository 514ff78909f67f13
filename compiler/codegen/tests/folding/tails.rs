//! TailMergeBlocks.

use crate::{ONE, THREE, TWO, diamond, folded, forms, layout, machine, succs, tail};
use sassafras_codegen::fold::hash;
use sassafras_machine::Block;

#[test]
fn bf_03_tails_are_merged_by_default() {
    let (f, stats) = folded(&diamond("", ONE, TWO, THREE));
    assert_eq!(stats.merges, [tail(4, &[1, 2], 3)]);
    assert_eq!((forms(&f, 1), forms(&f, 2)), (vec!["mov.i"], vec!["mov.i"]));
    // The tail has joined what follows it.
    assert_eq!((succs(&f, 1), succs(&f, 2)), (vec![4], vec![4]));
    assert_eq!(forms(&f, 4), ["iadd3.rrr", "iadd3.rrr", "iadd3.rrr", "exit"]);
}

/// Blocks that end the thread (phase A), from different places.
#[test]
fn bf_04_phase_a_blocks_that_end_the_thread() {
    let body = format!(
        "b0():\n  @P0 bra ; target b2\n  -> b2(), b1()\n\
         b1():\n  @P1 bra ; target b3\n  -> b3(), b4()\n\
         b2():\n{ONE}{THREE}  exit\n\
         b3():\n{TWO}{THREE}  exit\n\
         b4():\n  mov.i d=R4 b=0x3\n  exit\n"
    );
    let (f, stats) = folded(&body);
    assert_eq!(stats.merges, [tail(5, &[2, 3], 4)]);
    assert_eq!(forms(&f, 5), ["iadd3.rrr", "iadd3.rrr", "iadd3.rrr", "exit"]);
    assert!(succs(&f, 5).is_empty());
}

/// Predecessors with a branch are read as leading to the other successor: one of the two here is turned around.
#[test]
fn bf_04_phase_b_branches_are_read_as_leading_away() {
    let body = |second: &str| {
        format!(
            "b0():\n  @P1 bra ; target b2\n  -> b2(), b1()\n\
             b1():\n{ONE}{THREE}  @P0 bra ; target b3\n  -> b3(), b4()\n\
             b2():\n{TWO}{THREE}  {second}\n\
             b3():\n  mov.i d=R9 b=0x1\n  exit\n\
             b4():\n  mov.i d=R9 b=0x2\n  exit\n"
        )
    };
    for second in [
        "@P0 bra ; target b3\n  -> b3(), b4()",
        // The opposite condition to the other block.
        "@!P0 bra ; target b4\n  -> b4(), b3()",
    ] {
        let (f, stats) = folded(&body(second));
        // The branch is not counted.
        assert_eq!(stats.merges, [tail(5, &[1, 2], 3)], "{second}");
        let mut ways = succs(&f, 5);
        ways.sort_unstable();
        assert_eq!(ways, [3, 4]);
        assert_eq!((succs(&f, 1), succs(&f, 2)), (vec![5], vec![5]));
    }
    // The opposite condition to the same block is another branch, and so is another condition.
    for second in ["@!P0 bra ; target b3\n  -> b3(), b4()", "@P2 bra ; target b3\n  -> b3(), b4()"] {
        assert_eq!(folded(&body(second)).1.merges, [], "{second}");
    }
}

/// A block that leads to itself is no candidate of its own loop.
#[test]
fn bf_04_phase_b_skips_loops_of_one_block() {
    let body = format!(
        "b0():\n{ONE}{THREE}  @P0 bra ; target b2\n  -> b2(), b1()\n\
         b1():\n{TWO}{THREE}  @P0 bra ; target b2\n  -> b2(), b1()\n\
         b2():\n  exit\n"
    );
    // b1 is entered by b0 and by itself, and the two end alike; they meet at b2.
    let (f, stats) = folded(&body);
    assert_eq!(stats.merges.len(), 1);
    assert_eq!(stats.merges[0].from, [Block(0), Block(1)]);
    assert_eq!(succs(&f, 0), succs(&f, 1));
}

/// What two share a third shares with them.
#[test]
fn bf_05_a_group_shares_one_copy() {
    let body = format!(
        "b0():\n  @P0 bra ; target b1\n  -> b1(), b2()\n\
         b1():\n{ONE}{THREE}  -> b5()\n\
         b2():\n  @P1 bra ; target b3\n  -> b3(), b4()\n\
         b3():\n{TWO}{THREE}  -> b5()\n\
         b4():\n  mov.i d=R4 b=0x3\n{THREE}  -> b5()\n\
         b5():\n  exit\n"
    );
    let (f, stats) = folded(&body);
    assert_eq!(stats.merges, [tail(6, &[1, 3], 3), tail(6, &[4, 6], 3)]);
    assert_eq!([1, 3, 4].map(|block| succs(&f, block)), [vec![6], vec![6], vec![6]]);
    assert_eq!(stats.saved, 6);
}

/// A block that is nothing but the tail is used as it is; one that is so twice goes.
#[test]
fn bf_05_a_block_that_is_the_tail_is_used() {
    let (f, stats) = folded(&diamond("", "", TWO, THREE));
    assert_eq!(stats.merges, [tail(1, &[1, 2], 3)]);
    assert_eq!(succs(&f, 2), [1]);
    let (f, stats) = folded(&diamond("", "", "", THREE));
    // Both sides begin alike as well, but tails come first. Then the branch decides nothing.
    assert_eq!(stats.merges, [tail(1, &[1, 2], 3)]);
    assert_eq!((layout(&f), stats.same), (vec![0], 1));
}

/// The document's hash, by hand: `37 (37 (37 op + n) + a) + b`.
#[test]
fn bf_06_the_hash() {
    let f = machine(&format!(
        "b0():\n  -> b1()\nb1():\n{ONE}  -> b2()\nb2():\n{THREE}  @P0 bra ; target b3\n  -> b3(), b4()\nb3():\n  exit\nb4():\n{THREE}  exit\n"
    ));
    let of = |block: u32| hash(&f.blocks[Block(block)]);
    let inst = f.blocks[Block(1)].insts[0].inst().expect("an instruction");
    let step = |h: u32, x: u64| h.wrapping_mul(37).wrapping_add(x as u32);
    let wanted = [inst.fields.len() as u64, inst.fields[0], inst.fields[1]];
    assert_eq!(of(1), wanted.into_iter().fold(u32::from(inst.row().opcode), step));
    // Nothing, and nothing but the end.
    assert_eq!((of(0), of(3)), (0, 0));
    // What comes last besides the branch counts, so that equal ends have equal hashes.
    assert_eq!(of(2), of(4));
    assert_ne!(of(1), of(2));
}

/// Equal from the end backwards: form, guard, each operand, each flag.
#[test]
fn bf_07_the_common_length() {
    let end = "  iadd3.rrr d=R8 a=R7 b=R7 c=R6\n  iadd3.rrr d=R9 a=R8 b=R7 c=R6\n  iadd3.rrr d=R10 a=R9 b=R7 c=R6\n";
    let first = "  iadd3.rrr d=R4 a=R4 b=R5 c=R6\n";
    let length = |other: &str| {
        let (_, stats) = folded(&diamond("", &format!("{ONE}{first}"), &format!("{TWO}{other}"), end));
        stats.merges.first().map(|merge| merge.length)
    };
    assert_eq!(length(first), Some(4));
    for other in [
        "  iadd3.rrr d=R4 a=R4 b=R5 c=R7\n",
        "  iadd3.rrr d=R4 a=R4 b=R5 c=R6 c.neg=1\n",
        "  @P3 iadd3.rrr d=R4 a=R4 b=R5 c=R6\n",
        "  imad.rrr d=R4 a=R4 b=R5 c=R6\n",
    ] {
        assert_eq!(length(other), Some(3), "{other}");
    }
}

/// Lines and names of instructions do not tell them apart, and the copy keeps those of one of them.
#[test]
fn bf_07_lines_do_not_count() {
    let line = |n: u32| THREE.replace('\n', &format!(" ; line {n}\n"));
    let body = diamond("", &format!("{ONE}{}", line(3)), &format!("{TWO}{}", line(5)), "");
    let (f, stats) = folded(&body);
    assert_eq!(stats.merges.len(), 1);
    let lines: Vec<u32> = f.blocks[Block(4)].insts.iter().map(|inst| inst.line).collect();
    assert_eq!(lines[..3], [5, 5, 5]);
}

/// Of one hash, blocks without a branch are merged first, though those with one come first in the function and share more.
#[test]
fn bf_08_pairs_without_a_branch_come_first() {
    let more = "  mov.i d=R11 b=0x9\n";
    let body = format!(
        "b0():\n  @P1 bra ; target b1\n  -> b1(), b4()\n\
         b1():\n  @P2 bra ; target b3\n  -> b3(), b2()\n\
         b2():\n{ONE}{more}{THREE}  @P0 bra ; target b8\n  -> b8(), b7()\n\
         b3():\n{TWO}{more}{THREE}  @P0 bra ; target b8\n  -> b8(), b7()\n\
         b4():\n  @P2 bra ; target b6\n  -> b6(), b5()\n\
         b5():\n  mov.i d=R4 b=0x3\n{THREE}  -> b7()\n\
         b6():\n  mov.i d=R4 b=0x4\n{THREE}  -> b7()\n\
         b7():\n  mov.i d=R9 b=0x2\n  exit\n\
         b8():\n  mov.i d=R9 b=0x1\n  exit\n"
    );
    let (_, stats) = folded(&body);
    let from: Vec<Vec<u32>> =
        stats.merges.iter().map(|merge| merge.from.iter().map(|block| block.0).collect()).collect();
    // At b7, where all four come to, b5 and b6 are first.
    assert_eq!(from, [vec![5, 6], vec![2, 3]]);
}
