//! Why a witness is no proof.

use sassafras_semantics::TermId;
use sassafras_symbolic::choice::Place;
use sassafras_symbolic::lemma::Unusable;
use sassafras_symbolic::obstacle::evaluation::Miscount;
use sassafras_symbolic::obstacle::{Advice, Located};
use sassafras_symbolic::obstacles;
use sassafras_symbolic::ptx::choose::Misfit;

/// Why a witness is no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is not one, is about other files, or says what is not so.
    #[error("{0}")]
    Rejected(Rejection),
    /// The solver could not tell.
    #[error("{0}")]
    Undecided(Undecided),
}

impl From<Rejection> for Fault {
    fn from(rejection: Rejection) -> Fault {
        Fault::Rejected(rejection)
    }
}

impl From<Located> for Fault {
    fn from(located: Located) -> Fault {
        Rejection::Obstacle { obstacle: Box::new(located) }.into()
    }
}

impl Fault {
    /// What is said of its kind.
    pub fn advice(&self) -> &'static Advice {
        match self {
            Fault::Rejected(rejection) => rejection.advice(),
            Fault::Undecided(undecided) => undecided.advice(),
        }
    }
}

/// What is said of each kind, in the order of their codes.
pub fn all() -> impl Iterator<Item = &'static Advice> {
    Rejection::ALL.iter().chain(Undecided::ALL)
}

const FILE: &str = "the file is no witness that this checker reads";
const WRITE: &str = "write it again with `sassafras prove --witness`";
const FILES: &str = "a witness is about one source and one cubin, by their hashes, and these are others";
const GIVE: &str = "give the files that it was written for";
const NAMES: &str = "a witness names all that its proof rests on, and nothing else; what was used in the run of both sides is not among it";
const MATCHING: &str =
    "the matching says which event of the source stands for which of the target, and this pair cannot be one";
const STEPS: &str = "steps on the way to a proof are about terms that both sides have in the order in which they are made, and these are not";
const SHOWN: &str = "a solver has an example in which what the witness says does not hold";
const OPEN: &str = "the solver gave up on what the witness says";
const EFFORT: &str = "`--budget N` with a larger N, or another `--solver`";

obstacles! {
    /// What a witness says that is not so, or why it says nothing.
    Rejection;
    /// A file that cannot be read.
    Unreadable {
        /// Its name; none for the witness itself.
        file: String,
    } = "W0101" "{file} cannot be read", FILE, "look whether the file is there";
    /// No JSON.
    NoJson {
        /// What the reader says.
        said: String,
    } = "W0102" "it is no JSON: {said}", FILE, WRITE;
    /// Another format.
    Format {
        /// Its number.
        format: u64,
        /// The one that is read.
        own: u32,
    } = "W0103" "its format is {format}, this reads {own}", FILE, WRITE;
    /// No format.
    NoFormat {} = "W0104" "it says no format", FILE, WRITE;
    /// JSON that is no witness.
    NoWitness {
        /// What the reader says.
        said: String,
    } = "W0105" "it is no witness: {said}", FILE, WRITE;
    /// No entry.
    NoEntry {} = "W0106" "it has no entry", FILE, WRITE;
    /// Two of one entry.
    EntryTwice {} = "W0107" "an entry is there twice", FILE, WRITE;
    /// A file with another hash.
    Hash {
        /// Its name.
        file: String,
    } = "W0201" "{file} has another hash", FILES, GIVE;
    /// Cubins for different chips.
    Chips {} = "W0202" "the two cubins are for different chips", FILES, GIVE;
    /// An entry that one of the two does not have.
    MissingEntry {
        /// Its name.
        entry: String,
    } = "W0203" "there is no entry `{entry}`", FILES, GIVE;
    /// A cubin that is none.
    NoCubin {
        /// Its name.
        file: String,
        /// What the reader says.
        said: String,
    } = "W0204" "{file}: {said}", FILES, GIVE;
    /// A source that is no text.
    NoText {} = "W0205" "the source is no text", FILES, GIVE;
    /// A source that is not valid.
    Invalid {
        /// Its name.
        file: String,
    } = "W0206" "{file} is not valid", FILES, GIVE;
    /// A chip that is not known.
    Chip {} = "W0207" "the chip is not known", FILES, GIVE;
    /// A lemma that is not known.
    UnknownLemma {
        /// Its name.
        lemma: String,
    } = "W0301" "the lemma `{lemma}` is not known", NAMES, WRITE;
    /// A lemma that is used and not named.
    UnnamedLemma {
        /// Its name.
        lemma: String,
    } = "W0302" "it does not name the lemma `{lemma}`", NAMES, WRITE;
    /// An assumption that is used and not named.
    UnnamedAssumption {
        /// Its id.
        assumption: &'static str,
    } = "W0303" "it does not name {assumption}", NAMES, WRITE;
    /// An assumption that is not known.
    UnknownAssumption {
        /// Its id.
        assumption: String,
    } = "W0304" "the assumption `{assumption}` is not known", NAMES, WRITE;
    /// A lemma whose code gives no result.
    Lemma {
        /// Why.
        why: Unusable,
    } = "W0305" "{why}", NAMES, WRITE;
    /// The run of a side, or what the cubin declares, meets an obstacle.
    Obstacle {
        /// Which.
        obstacle: Box<Located>,
    } = "W0401" "{obstacle}", "both sides are run again, and this stands in the way: the prover would say the same", "`sassafras prove` on the files says more";
    /// The source is left elsewhere than the bound says.
    Miscounted {
        /// Where.
        why: Miscount,
    } = "W0402" "{why}", "where the source is left unfinished is not where the bound leaves it", "report it, with the witness and both files";
    /// Loops go on beyond what was looked at.
    Beyond {} = "W0403" "the source's loops go on beyond what was looked at", "some instructions of the target are reached by no iteration within the bound", "prove it with a larger `--unroll`";
    /// Lanes may wait in a circle.
    Circle {
        /// The convergence barrier.
        barrier: u32,
    } = "W0404" "lanes at B{barrier} may wait for what waits for them", "lanes of a warp may wait for such as never come (docs/convergence.md)", WRITE;
    /// Choices of undefined values that fit nothing.
    Choice {
        /// Which.
        why: Misfit,
    } = "W0405" "{why}", MATCHING, WRITE;
    /// The assumptions contradict each other.
    Vacuous {} = "W0406" "the assumptions contradict each other", "if no input meets the assumptions, everything holds, and nothing is said", WRITE;
    /// An event that is not there.
    NoEvent {
        /// Which.
        place: Place,
    } = "W0501" "there is no event {place:?}", MATCHING, WRITE;
    /// Loads that are none.
    NoLoads {
        /// In the source.
        source: Place,
        /// In the target.
        target: Place,
    } = "W0502" "{source:?} and {target:?} are no loads", MATCHING, WRITE;
    /// An event that is named twice.
    EventTwice {
        /// Which.
        place: Place,
    } = "W0503" "the event {place:?} is named twice", MATCHING, WRITE;
    /// Events of different kinds.
    Kinds {
        /// In the source.
        source: Place,
        /// In the target.
        target: Place,
    } = "W0504" "the events {source:?} and {target:?} are of different kinds", MATCHING, WRITE;
    /// Events with different results.
    Results {
        /// In the source.
        source: Place,
        /// In the target.
        target: Place,
    } = "W0505" "the events {source:?} and {target:?} have different results", MATCHING, WRITE;
    /// Events that do not count as one.
    NoTwins {
        /// The first.
        first: Place,
        /// The other.
        other: Place,
    } = "W0506" "the events {first:?} and {other:?} are not one", MATCHING, WRITE;
    /// Stores that are no pair.
    NoStores {
        /// In the source.
        source: Place,
        /// In the target.
        target: Place,
    } = "W0507" "{source:?} and {target:?} are no stores of one size and space", MATCHING, WRITE;
    /// A store that is none.
    NoStore {
        /// Which.
        place: Place,
    } = "W0508" "{place:?} is no store", MATCHING, WRITE;
    /// Stores of a group that are to different memories.
    Memories {} = "W0509" "a group of stores to different memories", MATCHING, WRITE;
    /// Changes of a word that are none.
    NoChanges {
        /// In the source.
        source: Place,
        /// In the target.
        target: Place,
    } = "W0510" "the events {source:?} and {target:?} are no changes of a word", MATCHING, WRITE;
    /// Changes of a word that do not tell what they found.
    Untold {
        /// In the source.
        source: Place,
        /// In the target.
        target: Place,
    } = "W0511" "the events {source:?} and {target:?} do not tell what they found", MATCHING, WRITE;
    /// An access that is named twice.
    AccessTwice {
        /// Which.
        place: Place,
    } = "W0512" "the access {place:?} is named twice", MATCHING, WRITE;
    /// A term that is not there.
    NoTerm {
        /// Its number.
        number: u32,
    } = "W0601" "there is no term {number}", STEPS, WRITE;
    /// Steps about other terms.
    Terms {
        /// How many terms they are about.
        theirs: u32,
        /// How many there are.
        ours: usize,
    } = "W0602" "its steps are about {theirs} terms, and there are {ours}", STEPS, WRITE;
    /// Steps in no order.
    Unsorted {} = "W0603" "its steps are in no order", STEPS, WRITE;
    /// A term that cannot be made.
    Unmade {
        /// Its operation and operands.
        node: String,
        /// Its width in bits.
        width: u32,
    } = "W0604" "{node} of {width} bits is no term", STEPS, WRITE;
    /// A step that is none.
    NoStep {
        /// Which.
        step: usize,
    } = "W0605" "step {step} is none", STEPS, WRITE;
    /// A step that is not so.
    WrongStep {
        /// A term.
        from: TermId,
        /// What it is not.
        to: TermId,
    } = "W0606" "it is not so that {from} is {to}", SHOWN, WRITE;
    /// What is not so.
    Wrong {
        /// What.
        what: String,
    } = "W0701" "it is not so that {what}", SHOWN, WRITE;
}

obstacles! {
    /// What a solver could not tell.
    Undecided;
    /// Whether any input meets the assumptions.
    Assumptions {
        /// What the solver says.
        said: String,
    } = "W0801" "the assumptions: {said}", OPEN, EFFORT;
    /// What has to hold.
    Open {
        /// What.
        what: String,
        /// What the solver says.
        said: String,
    } = "W0802" "{what}: {said}", OPEN, EFFORT;
    /// A step.
    Step {
        /// A term.
        from: TermId,
        /// What it is said to be.
        to: TermId,
        /// What the solver says.
        said: String,
    } = "W0803" "{from} is {to}: {said}", OPEN, EFFORT;
    /// An answer that hangs on what operations on floats give.
    Floats {
        /// What has to hold.
        what: String,
    } = "W0804" "{what}: it hangs on the arithmetic of floats", "the solver has an example in which operations on floats have results that they do not have", EFFORT;
    /// An answer that hangs on what holds by a step alone.
    Conditional {
        /// What has to hold.
        what: String,
    } = "W0805" "{what}: it hangs on what steps hold by", "the solver has an example that leaves out of account what steps rest on", EFFORT;
    /// Nothing was asked.
    Unasked {
        /// What has to hold.
        what: String,
    } = "W0806" "{what}: nothing was asked", "the solver cannot be asked in any of the ways in which it is", EFFORT;
    /// The work is too much.
    Work {} = "W0807" "effort: terms grow beyond what is worked through", "what the sides compute grew beyond what is worked through", EFFORT;
    /// The time is over.
    Time {} = "W0808" "time", "`--timeout` was over", "a larger `--timeout`, or none";
}

#[cfg(test)]
mod tests {
    use super::all;
    use std::collections::BTreeSet;

    #[test]
    fn each_code_is_that_of_one_kind() {
        let codes: Vec<&str> = all().map(|advice| advice.code).collect();
        let different: BTreeSet<&str> = codes.iter().copied().collect();
        assert_eq!(different.len(), codes.len(), "{codes:?}");
        assert!(codes.is_sorted(), "{codes:?}");
        let is_one = |code: &str| code.len() == 5 && code.starts_with('W');
        assert!(codes.len() > 40 && codes.iter().all(|code| is_one(code)), "{codes:?}");
    }
}
