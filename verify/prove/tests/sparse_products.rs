//! Products of sparse matrices: our code for the features is proved, and code that names other registers, metadata, lanes or types is
//! not.

#![allow(missing_docs)]

mod common;

use common::{proved_but_for, z3};

const FEATURES: [&str; 4] = ["mma_sparse", "mma_sparse_f16", "mma_sparse_s8", "mma_sparse_tf32"];

/// Feature, what stands there, and what is compiled in its place.
const FAULTS: [(&str, &str, &str); 8] = [
    ("mma_sparse", "{A, B, C, D}, z, 2;", "{A, B, C, D}, z, 3;"),
    ("mma_sparse", "{A, B, C, D}, z, 1;", "{A, B, C, D}, c, 1;"),
    ("mma_sparse", "{a, b}, {c, d}, {A, B, C, D}, z, 3;", "{c, d}, {a, b}, {A, B, C, D}, z, 3;"),
    (
        "mma_sparse",
        "f32.bf16.bf16.f32 {A, B, C, D}, {a, b, c, d}",
        "f32.f16.f16.f32 {A, B, C, D}, {a, b, c, d}",
    ),
    ("mma_sparse_f16", "{c, d}, {a, b}, z, 1;", "{d, c}, {a, b}, z, 1;"),
    ("mma_sparse_s8", "u8.s8", "s8.u8"),
    ("mma_sparse_s8", "satfinite.s32.s8.u8", "s32.s8.u8"),
    ("mma_sparse_tf32", "{A, B, C, D}, z, 3;", "{B, A, C, D}, z, 3;"),
];

#[test]
fn sparse_products_are_proved_and_others_are_not() {
    let Some(mut z3) = z3("sparse_products_are_proved_and_others_are_not") else { return };
    proved_but_for(&FEATURES, &FAULTS, &mut z3);
}
