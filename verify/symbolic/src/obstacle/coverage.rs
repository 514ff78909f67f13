//! Loops, and how far they were followed.

use super::effort::Effort;
use super::place::{Claim, Place};
use crate::obstacles;

const ENDS: &str = "a loop of the target was not shown to end when the source's does";
const DEEPER: &str = "`--unroll N` with a larger N, or `--budget N`";
const REACHED: &str = "all was shown within the bound, and no concrete input was found that goes a way of the source which the bound covers, nor that there is none";
const OTHER: &str = "`--unroll N` with another N, or `--budget N`";
const HEADS: &str = "a loop was to be proved for any number of turns, by one turn from its head";
const UNROLL: &str = "`--unroll N` proves a bounded number of turns";

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
    /// Something that held at the head of a loop does not hold again.
    NotAgain {
        /// The number of the cut loop.
        number: u32,
        /// What.
        what: Box<str>,
    } = "U1110" "loops: at the head of loop {number} something does not hold again: {what}", HEADS, UNROLL;
    /// Lanes come to the head of a loop on several ways.
    CutTwice {
        /// Where.
        at: Place,
    } = "U1111" "loops: lanes come to {at} in several ways", HEADS, UNROLL;
    /// Lanes have what one turn does not show.
    CutState {
        /// Where.
        at: Place,
    } = "U1113" "loops: at {at} lanes have what one turn does not show: a stack that it writes, copies under way, or other convergence barriers", HEADS, UNROLL;
    /// What is said of a loop names what is not there.
    CutWrong {
        /// Where.
        at: Place,
    } = "U1115" "loops: what is said of the loop at {at} does not fit it", HEADS, UNROLL;
    /// Of one turn something was not shown: whether lanes come to the head so is not known.
    OneTurn {
        /// What.
        claim: Claim,
    } = "U1116" "loops: not shown of one turn: {claim}", HEADS, UNROLL;
    /// No loops of both sides go together.
    NoHeads {} = "U1117" "loops: there is a loop of one side and none of the other that is entered and repeated under the same conditions", HEADS, UNROLL;
    /// A register holds nothing.
    CutUnset {
        /// Where.
        at: Place,
        /// The register.
        register: Box<str>,
    } = "U1114" "loops: {register} holds nothing at {at}", HEADS, UNROLL;
}
