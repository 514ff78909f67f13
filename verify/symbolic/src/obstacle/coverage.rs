//! Loops, and how far they were followed.

use super::effort::Effort;
use super::place::Place;
use crate::obstacles;

const ENDS: &str = "a loop of the target was not shown to end when the source's does";
const DEEPER: &str = "`--unroll N` with a larger N, or `--budget N`";
const REACHED: &str = "all was shown within the bound, and no concrete input was found that goes a way of the source which the bound covers, nor that there is none";
const OTHER: &str = "`--unroll N` with another N, or `--budget N`";

obstacles! {
    /// What loops have to do, and ways that have to be gone.
    Coverage;
    /// A loop of the target may go on longer.
    Longer {} = "U1101" "coverage: a loop of the target may go on longer than the source's", ENDS, DEEPER;
    /// That it does not was not shown.
    Open {
        /// Why not.
        because: Effort,
    } = "U1102" "coverage: {because}", ENDS, DEEPER;
    /// Some instructions were reached by no iteration.
    Unreached {
        /// How many iterations were followed.
        rounds: u32,
        /// Instructions that were reached.
        reached: u32,
        /// All of them.
        all: u32,
    } = "U1103" "coverage: within {rounds} iterations {reached} of {all} instructions are reached",
        "all was shown for as many iterations of loops as were unrolled, and some instructions of the target were reached by none of them",
        "`--unroll N` with a larger N";
    /// More steps than are taken.
    Steps {
        /// How many are taken.
        most: u32,
    } = "U1104" "coverage: more than {most} instructions on its paths",
        "the ways through one side have more instructions than are followed", "`--unroll` with fewer iterations";
    /// No evaluated input ends where the source may.
    NoEnd {
        /// Where it begins.
        from: Place,
    } = "U1105" "coverage: evaluation: no evaluated input ends at {from}", REACHED, OTHER;
    /// No evaluated input goes a way.
    NoWay {
        /// Where it begins.
        from: Place,
        /// Where it leads.
        to: Place,
    } = "U1106" "coverage: evaluation: no evaluated input goes from {from} to {to}", REACHED, OTHER;
    /// No evaluated input comes through a loop.
    NoLoop {
        /// Its head.
        at: Place,
    } = "U1107" "coverage: evaluation: no evaluated input comes through the loop at {at}", REACHED, OTHER;
}
