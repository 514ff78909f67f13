//! HoistCommonCode.

use crate::{THREE, folded, forms, hoist};

/// A branch on P0 whose sides begin alike and end differently.
fn sides(branch: &str, shared: &str) -> String {
    format!(
        "b0():\n  isetp.ri d=P0 a=R0 b=0x7\n  @P0 bra ; target b2{branch}\n  -> b2(), b1()\n\
         b1():\n{shared}  mov.i d=R9 b=0x1\n  -> b3()\n\
         b2():\n{shared}  mov.i d=R9 b=0x2\n  -> b3()\n\
         b3():\n  exit\n"
    )
}

#[test]
fn bf_10_equal_beginnings_move_up() {
    let (f, stats) = folded(&sides("", THREE));
    assert_eq!(stats.merges, [hoist(0, &[2, 1], 3)]);
    assert_eq!(forms(&f, 0), ["isetp.ri", "iadd3.rrr", "iadd3.rrr", "iadd3.rrr", "bra"]);
    assert_eq!((forms(&f, 1), forms(&f, 2)), (vec!["mov.i"], vec!["mov.i"]));
    assert_eq!(stats.saved, 3);
}

/// Nothing moves that the branch reads, touches memory, has a guard, sees lanes, writes the warp's registers, or tells the time; and what stands behind it
/// does not move past it.
#[test]
fn bf_10_what_may_not_move() {
    for kept in [
        "  isetp.ri d=P0 a=R0 b=0x9\n",
        "  ldg d=R10 u=UR4 a=R4\n",
        "  stg u=UR4 a=R4 b=R5\n",
        "  lds d=R10 a=R4\n",
        "  @P3 mov.i d=R10 b=0x7\n",
        "  vote d=R10 q=P1\n",
        "  shfl.rii d=R10 a=R4 b=0x1 c=0x1f\n",
        "  bar.sync.ii b=0x0\n",
        "  uldc d=UR4 sz=.64 o=0x208\n",
        "  r2ur d=UR5 a=R4\n",
        "  s2r d=R10 sr=0x50\n",
    ] {
        for uniform in ["", " ; uniform"] {
            let body = sides(uniform, &format!("{kept}{THREE}"));
            let (f, stats) = folded(&body);
            assert_eq!(stats.merges, [], "{kept}");
            assert_eq!(forms(&f, 1).len(), 5, "{kept}");
            // What stands in front of it moves.
            let (_, stats) = folded(&sides(uniform, &format!("{THREE}{kept}")));
            assert_eq!(stats.merges, [hoist(0, &[2, 1], 3)], "{kept}");
        }
    }
    // Constants are no memory that somebody writes.
    assert_eq!(folded(&sides("", "  mov.c d=R10 b=0x210\n")).1.merges, [hoist(0, &[2, 1], 1)]);
}

/// A side that has another way in keeps what it has.
#[test]
fn bf_10_both_sides_are_reached_from_the_branch_alone() {
    let body = format!(
        "b0():\n  @P1 bra ; target b2\n  -> b2(), b1()\n\
         b1():\n  mov.i d=R11 b=0x1\n  @P0 bra ; target b2\n  -> b2(), b3()\n\
         b2():\n{THREE}  mov.i d=R9 b=0x1\n  exit\n\
         b3():\n{THREE}  mov.i d=R9 b=0x2\n  exit\n"
    );
    assert_eq!(folded(&body).1.merges, []);
}
