//! Examples of a solver that were not shown by running them.

use super::super::code::put;
use super::super::example::{Example, changed, example, stored, told};
use super::super::solvers::{hundreds, no_launch};
use super::{ptx, sass};
use sassafras_cubin::Address;

const IDENTITY: &str = ptx!("identity");
const MORE: &str = ptx!("more");

pub const ALL: &[Example] = &[
    example("U1202", IDENTITY, ptx!("wide")),
    told("U1203", IDENTITY, MORE, no_launch),
    stored("U1204", "wrong_pairs/memory/weak_past_acquire"),
    example("U1205", ptx!("unwritten"), ptx!("twice")),
    told("U1206", IDENTITY, MORE, hundreds),
    example("U1207", ptx!("loaded_pointer"), ptx!("loaded_pointer_less")),
    Example {
        // A slot for an address that nothing has, and that nothing reads.
        change: |cubin| cubin.addresses.push(Address { symbol: "away".into(), addend: 0 }),
        ..example("U1208", IDENTITY, MORE)
    },
    changed("U1210", IDENTITY, |cubin| put(cubin, sass!("never_ends"))),
];
