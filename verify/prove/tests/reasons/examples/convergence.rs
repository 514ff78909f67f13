//! Lanes that may be apart, or wait for ever, and registers that they share.

use super::super::code::{prepend, put, replace};
use super::super::example::{Example, changed, example, of_code, stored};
use super::super::solvers::{lies, tired};
use super::{ptx, sass};
use sassafras_isa::Meaning;

const IDENTITY: &str = ptx!("identity");
const PLAIN: &str = ptx!("plain");
const PRINTF: &str = ptx!("printf");

pub const ALL: &[Example] = &[
    Example { solver: lies, ..changed("U0104", IDENTITY, |cubin| put(cubin, sass!("wait_for_ever"))) },
    changed("U0401", ptx!("shuffle"), |cubin| replace(cubin, Meaning::Bssy, "NOP")),
    changed("U0402", IDENTITY, |cubin| put(cubin, sass!("others_joined"))),
    changed("U0403", IDENTITY, |cubin| put(cubin, sass!("block_between"))),
    changed("U0411", IDENTITY, |cubin| put(cubin, sass!("warp_while_awaited"))),
    changed("U0412", IDENTITY, |cubin| put(cubin, sass!("branch_on_together"))),
    changed("U0413", IDENTITY, |cubin| put(cubin, sass!("sync_under_condition"))),
    changed("U0414", IDENTITY, |cubin| put(cubin, sass!("warp_under_condition"))),
    changed("U0415", IDENTITY, |cubin| put(cubin, sass!("block_apart"))),
    changed("U0416", IDENTITY, |cubin| put(cubin, sass!("may_not_come"))),
    of_code(
        "U0417",
        IDENTITY,
        |cubin| put(cubin, sass!("waits_for_some")),
        |cubin| put(cubin, sass!("waits_for_some")),
    ),
    changed("U0418", PRINTF, |cubin| prepend(cubin, "BSSY B0, ->a\na: NOP")),
    changed("U0419", IDENTITY, |cubin| put(cubin, sass!("not_nested"))),
    stored("U0420", "wrong_pairs/waits/votes_in_another_order"),
    stored("U0421", "wrong_pairs/waits/partners_in_another_turn"),
    changed("U0422", IDENTITY, |cubin| put(cubin, sass!("wait_for_ever"))),
    Example {
        solver: tired,
        ..changed("U0423", IDENTITY, |cubin| {
            put(cubin, &sass!("wait_for_ever").replace("LT.AND P1, PT, R2, RZ", "EQ.AND P1, PT, R2, 0x7"))
        })
    },
    changed("U0501", PLAIN, |cubin| replace(cubin, Meaning::S2r, "S2UR UR8, SR_TID.X")),
    changed("U0502", IDENTITY, |cubin| put(cubin, sass!("answered"))),
    stored("U0503", "wrong_pairs/waits/one_barrier_apart"),
    changed("U0504", PRINTF, |cubin| prepend(cubin, sass!("called"))),
    example("U0601", ptx!("atomic"), IDENTITY),
    example("U0602", IDENTITY, ptx!("atomic")),
    example("U0603", ptx!("shuffles"), ptx!("shuffle_once")),
    changed("U0604", ptx!("leader"), |cubin| {
        put(cubin, &sass!("leader").replace("MOV R2, c[0x0][0x210]", "S2R R2, SR_TID.X"));
    }),
    changed("U0605", ptx!("leader"), |cubin| {
        put(cubin, &sass!("leader").replace("IMAD R9, R8, 0x3, RZ", "REDUX.MAX UR9, R8\nMOV R9, UR9"));
    }),
    changed("U0606", ptx!("leader"), |cubin| {
        put(cubin, &sass!("leader").replace("REDG.E.ADD", "REDG.E.MIN"));
    }),
    changed("U0607", ptx!("leader"), |cubin| {
        put(cubin, &sass!("leader").replace("IMAD R9, R8, 0x3, RZ", "S2R R9, SR_TID.X"));
    }),
];
