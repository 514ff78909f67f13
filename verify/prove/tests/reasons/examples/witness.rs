//! What the checker of witnesses meets alone: a witness says of a source, or of code, what the prover would not.

use super::super::code::put;
use super::super::example::{Example, Source, witness};
use super::{ptx, sass};
use sassafras_symbolic::places::Placed;
use sassafras_symbolic::trace::fence::Fence;
use sassafras_symbolic::trace::fences::{Less, Weakened};

const IDENTITY: &str = ptx!("identity");

pub const ALL: &[Example] = &[
    witness("U0217", IDENTITY, |entry| {
        entry.matching.estimated.insert(2, "rcp-from-125".to_owned());
        entry.lemmas.push("rcp-from-125".to_owned());
    }),
    Example {
        source: Source::Code(IDENTITY, |_| {}),
        ..witness("U0218", IDENTITY, |entry| {
            entry.matching.fused.insert(0, 1);
        })
    },
    Example {
        change: |cubin| put(cubin, sass!("generic_swap")),
        ..witness("U0320", IDENTITY, |entry| entry.matching.updates = true)
    },
    Example {
        change: |cubin| put(cubin, sass!("fence")),
        ..witness("U0321", IDENTITY, |entry| {
            let taken = Some(Less::Fence(Fence::Acquire));
            entry.matching.fences.push(Weakened { at: 0, visit: 1, taken });
        })
    },
    witness("U0711", ptx!("stack"), |entry| {
        entry.matching.placed.push(Placed { frame: 0, index: 0, below: 1 });
    }),
];
