//! Assumptions and evaluation, effort, time and solvers, loops and coverage.

use super::super::code::{prepend, put};
use super::super::example::{Example, changed, example, told};
use super::super::solvers::{impossible, late, lies, none, three, tired, zeros};
use super::{ptx, sass};
use sassafras_prove::Limits;
use std::time::Instant;

const IDENTITY: &str = ptx!("identity");
const MORE: &str = ptx!("more");
const PLAIN: &str = ptx!("plain");
const RARE: &str = ptx!("rare");
const ENDLESS: &str = ptx!("endless");
const SELDOM: &str = ptx!("seldom");

/// As many iterations as that.
const fn unrolled(code: &'static str, source: &'static str, limits: fn(Limits) -> Limits) -> Example {
    Example { limits, ..example(code, source, source) }
}

/// Loops are unrolled, and not gone through once for any number of turns.
const fn within(other: Example) -> Example {
    Example { limits: |limits| Limits { turns: false, ..limits }, ..other }
}

pub const ALL: &[Example] = &[
    within(example("U0101", ENDLESS, ENDLESS)),
    told("U0102", IDENTITY, RARE, impossible),
    within(example("U0103", SELDOM, SELDOM)),
    told("U0105", IDENTITY, MORE, lies),
    changed("U0107", IDENTITY, |cubin| prepend(cubin, sass!("shared_number"))),
    unrolled("U1001", PLAIN, |limits| Limits { work: 1, ..limits }),
    unrolled("U1002", PLAIN, |limits| Limits { deadline: Some(Instant::now()), ..limits }),
    told("U1003", PLAIN, PLAIN, none),
    told("U1004", IDENTITY, RARE, tired),
    told("U1005", IDENTITY, RARE, late),
    told("U1006", IDENTITY, RARE, zeros),
    told("U1007", IDENTITY, MORE, tired),
    changed("U1101", IDENTITY, |cubin| put(cubin, sass!("goes_on"))),
    Example { solver: tired, ..changed("U1102", IDENTITY, |cubin| put(cubin, sass!("goes_on"))) },
    within(example("U1103", ptx!("late_round"), ptx!("late_round"))),
    unrolled("U1104", ENDLESS, |limits| Limits { unroll: 10_000, turns: false, ..limits }),
    within(told("U1105", ptx!("seldom_end"), ptx!("seldom_end"), tired)),
    within(told("U1106", ptx!("seldom_way"), ptx!("seldom_way"), tired)),
    within(told("U1107", ptx!("seldom_left"), ptx!("seldom_left"), three)),
];
