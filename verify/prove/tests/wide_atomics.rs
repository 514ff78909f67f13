//! Exchanges, and compare and swap, of 128 bits: our code for the features is proved, and code that swaps other values, elsewhere or in another
//! order is not.

#![allow(missing_docs)]

mod common;

use common::{proved_but_for, z3};

/// Feature, what stands there, and what is compiled in its place.
const FAULTS: [(&str, &str, &str); 6] = [
    ("atomics_128", "cas.b128 R, [to], Q, R;", "cas.b128 R, [to], R, Q;"),
    ("atomics_128", "atom.global.exch.b128 S, [to], Q;", "atom.global.exch.b128 S, [to], R;"),
    ("atomics_128", "atom.global.exch.b128 S, [to], Q;", "atom.global.cas.b128 S, [to], Q, Q;"),
    ("atomics_128", "atom.cas.b128 R, [to], R, S;", "atom.cas.b128 R, [to+16], R, S;"),
    ("atomics_128_shared", "cas.b128 Q, [z], S, Q;", "cas.b128 Q, [z], Q, S;"),
    ("atomics_128_shared", "exch.b128 S, [z], Q;", "exch.b128 S, [z], R;"),
];

#[test]
fn exchanges_of_128_bits_are_proved_and_others_are_not() {
    let Some(mut z3) = z3("exchanges_of_128_bits_are_proved_and_others_are_not") else { return };
    proved_but_for(&["atomics_128", "atomics_128_shared"], &FAULTS, &mut z3);
}
