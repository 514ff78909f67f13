//! Examples of a solver that were not shown by running them.

use super::place::Claim;
use crate::obstacles;

const NOT_RUN: &str =
    "the solver has an example that violates the obligation, and it could not be run in both executors";
const LOOK: &str = "look at the instruction that is named; `--budget N`";
const SHAPE: &str = "`.reqntid` in the PTX with the shape that the kernel is meant for; `--budget N`";

obstacles! {
    /// An example that shows nothing.
    Replay;
    /// There is none with one block of at most a warp.
    NoLaunch {
        /// What it violates.
        claim: Claim,
    } = "U1202" "replay: {claim}: no launch of one warp shows it",
        "the solver has an example that violates the obligation, and none with one block of at most 32 threads, in which buffers are apart; the launches that were drawn do not differ", SHAPE;
    /// The solver gave up on finding such a one.
    GaveUp {
        /// What it violates.
        claim: Claim,
        /// What the solver says.
        said: Box<str>,
    } = "U1203" "replay: {claim}: {said}",
        "the solver has an example that violates the obligation, and gave up on finding one with one block of at most 32 threads", SHAPE;
    /// A launch made of it leaves the same on both sides.
    Alike {
        /// What it violates.
        claim: Claim,
    } = "U1204" "replay: {claim}: a launch made of the solver's example leaves the same memory on both sides",
        "the solver has an example that violates the obligation, and a launch made of it was run: nothing that it leaves differs, so that the example may rest on what no launch has",
        "`.reqntid` in the PTX with the shape that the kernel is meant for; `--unroll N`; `--solver all`";
    /// What differs is open in the source.
    Open {
        /// What it violates.
        claim: Claim,
    } = "U1205" "replay: {claim}: what differs is open in the source",
        "a difference was found where the source may leave several values: fused products, NaNs, approximations, or what was never written",
        "write what is meant: `fma.rn` or `mul.rn` and `add.rn`, `.ftz`, and registers before they are read";
    /// It has more blocks than are run.
    Blocks {
        /// What it violates.
        claim: Claim,
    } = "U1206" "replay: {claim}: the model has too many blocks", NOT_RUN, SHAPE;
    /// The source does not run.
    SourceStops {
        /// What it violates.
        claim: Claim,
        /// What the executor says.
        said: Box<str>,
    } = "U1207" "replay: {claim}: the source does not run: {said}", NOT_RUN, LOOK;
    /// The target does not launch.
    TargetRefused {
        /// What it violates.
        claim: Claim,
        /// What the executor says.
        said: Box<str>,
    } = "U1208" "replay: {claim}: the target does not launch: {said}", NOT_RUN, LOOK;
    /// The target does not run.
    TargetStops {
        /// What it violates.
        claim: Claim,
        /// What the executor says.
        said: Box<str>,
    } = "U1209" "replay: {claim}: the target does not run: {said}", NOT_RUN, LOOK;
    /// The target does not end.
    TargetGoesOn {
        /// What it violates.
        claim: Claim,
        /// What the executor says.
        said: Box<str>,
    } = "U1210" "replay: {claim}: the target does not end: {said}", NOT_RUN, LOOK;
}
