//! What sees other lanes, or writes registers of the warp.

use crate::{ONE, THREE, TWO, diamond, folded, tail};
use sassafras_codegen::fold::{Knobs, fold};

/// Across lanes, and warp registers from lanes' values.
const ACROSS: [&str; 6] = [
    "  shfl.rii d=R9 a=R4 b=0x1 c=0x1f\n",
    "  vote d=R9 q=P1\n",
    "  bar.sync.ii b=0x0\n",
    "  warpsync.all\n",
    "  r2ur d=UR5 a=R4\n",
    "  hmma.16816 d=R12 a=R16 b=R20 c=R12\n",
];

/// On two sides of a branch at which lanes may part they end the tail; where all go the same way they are part of it.
#[test]
fn bf_15_convergent_operations_end_the_tail() {
    for across in ACROSS {
        let shared = format!("{across}{THREE}");
        let (_, stats) = folded(&diamond("", ONE, TWO, &shared));
        assert_eq!(stats.merges, [tail(4, &[1, 2], 3)], "{across}");
        let (_, stats) = folded(&diamond(" ; uniform", ONE, TWO, &shared));
        assert_eq!(stats.merges, [tail(4, &[1, 2], 4)], "{across}");
    }
}

/// Every branch between counts, not only the last.
#[test]
fn bf_15_all_branches_on_the_way_count() {
    let body = |inner: &str| {
        format!(
            "b0():\n  @P0 bra ; target b2 ; uniform\n  -> b2(), b1()\n\
             b1():\n  @P1 bra ; target b3{inner}\n  -> b3(), b4()\n\
             b2():\n{ONE}  vote d=R9 q=P1\n{THREE}  -> b5()\n\
             b3():\n{TWO}  vote d=R9 q=P1\n{THREE}  -> b5()\n\
             b4():\n  mov.i d=R4 b=0x3\n  -> b5()\n\
             b5():\n  exit\n"
        )
    };
    assert_eq!(folded(&body("")).1.merges, [tail(6, &[2, 3], 3)]);
    assert_eq!(folded(&body(" ; uniform")).1.merges, [tail(6, &[2, 3], 4)]);
}

/// A branch that is uniform on either side may not be so for lanes of both.
#[test]
fn bf_15_uniform_branches_are_not_shared_by_lanes_that_part() {
    let body = |first: &str| {
        format!(
            "b0():\n  @P1 bra ; target b2{first}\n  -> b2(), b1()\n\
             b1():\n{ONE}{THREE}  @P0 bra ; target b3 ; uniform\n  -> b3(), b4()\n\
             b2():\n{TWO}{THREE}  @P0 bra ; target b3 ; uniform\n  -> b3(), b4()\n\
             b3():\n  mov.i d=R9 b=0x1\n  exit\n\
             b4():\n  mov.i d=R9 b=0x2\n  exit\n"
        )
    };
    assert_eq!(folded(&body("")).1.merges, []);
    assert_eq!(folded(&body(" ; uniform")).1.merges, [tail(5, &[1, 2], 3)]);
}

/// What WARPSYNC has gathered stays in its block.
#[test]
fn bf_15_nothing_across_lanes_is_cut_from_its_warpsync() {
    let sync = "  warpsync.all\n";
    let differs = |head: &str| format!("{head}{sync}  mov.i d=R30 b=0x1\n");
    let (one, two) = (differs(ONE), differs(TWO).replace("R30", "R31"));
    let shared = format!("  vote d=R9 q=P1\n{THREE}");
    assert_eq!(folded(&diamond(" ; uniform", &one, &two, &shared)).1.merges, [tail(4, &[1, 2], 3)]);
}

/// A register of the warp that the part in front writes may be another's behind a branch.
#[test]
fn bf_15_registers_of_the_warp_do_not_cross_into_a_tail() {
    let head = |number: u32| format!("  uldc d=UR4 sz=.64 o={number:#x}\n");
    let shared = format!("  ldg d=R9 u=UR4 a=R4\n{THREE}");
    assert_eq!(
        folded(&diamond(" ; uniform", &head(0x208), &head(0x210), &shared)).1.merges,
        [tail(4, &[1, 2], 3)]
    );
    // Written in the tail, or in front of the branch, it is the same for all.
    let inside = format!("{}{shared}", head(0x208));
    assert_eq!(folded(&diamond("", ONE, TWO, &inside)).1.merges, [tail(4, &[1, 2], 5)]);
    assert_eq!(folded(&diamond("", ONE, TWO, &shared)).1.merges, [tail(4, &[1, 2], 4)]);
}

/// Barriers are placed on what is left, so none is ever renamed: one that stands already is refused.
#[test]
fn bf_16_barriers_come_later() {
    let body = diamond("", ONE, TWO, THREE).replace("  @P0 bra", "  bssy b=0 ; target b3\n  @P0 bra");
    let error = fold(&mut crate::machine(&body), &Knobs::default()).expect_err("it is refused");
    assert!(error.to_string().contains("a convergence barrier in front of folding"), "{error}");
}
