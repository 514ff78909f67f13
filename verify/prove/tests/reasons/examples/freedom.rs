//! What the source leaves open.

use super::super::example::{Example, example};
use super::ptx;

pub const ALL: &[Example] = &[
    example("U0802", ptx!("open_word"), ptx!("open_word_more")),
    example("U0803", ptx!("open_estimate"), ptx!("open_estimate_more")),
    example("U0804", ptx!("open_place"), ptx!("open_place_more")),
    example("U0805", ptx!("open_flush"), ptx!("open_flush_more")),
    example("U0806", ptx!("fused"), ptx!("sum")),
    example("U0807", ptx!("open_quotient"), ptx!("open_quotient_more")),
];
