//! The rules of this judge: name and sentence of each, once; and how a judge writes such a table.

/// A judge's table of rules, in groups: the type `Rule`, and `GROUPS`, which has the sentences. `then NAME` behind a group puts the constant of that
/// name, a group of another judge, behind it.
#[macro_export]
macro_rules! rules {
    ($($group:literal: { $($rule:ident $id:literal $says:literal ,)* } $(then $behind:ident)?)*) => {
        /// A rule.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rule {
            $($(#[doc = $says] $rule,)*)*
        }

        /// Every group of rules: what they are about, and name and sentence of each.
        pub const GROUPS: &[(&str, &[(&str, &str)])] =
            &[$(($group, &[$(($id, $says)),*]), $($behind,)?)*];

        impl Rule {
            /// Its name in findings.
            pub const fn id(self) -> &'static str {
                match self {
                    $($(Rule::$rule => $id,)*)*
                }
            }
        }
    };
}

rules! {
    "Hazards": {
        Shape "hazard-shape" "A scheduled function has no pseudo-instruction left, and branches to blocks that have a place.",
        Undecoded "hazard-undecoded" "Unknown, not wrong: a word that does not decode, behind which nothing is known.",
        Target "hazard-target" "Unknown, not wrong: a jump whose target is not in the word.",
        Unreached "hazard-unreached" "Unknown, not wrong: an instruction to which no way that is known leads; EXIT and padding left out.",
        Partial "hazard-partial" "Unknown, not wrong: a register is used before its scoreboard is empty, and some DEPBAR waits for a part of what set it.",
        Setup "hazard-setup" "An instruction that waits for a scoreboard issues at least two cycles after the one that sets it.",
        Wait "hazard-wait" "What reads or overwrites a result of variable latency comes behind a wait for a scoreboard that stands for it.",
        Source "hazard-source" "What overwrites a source that is read late comes behind a wait for a scoreboard that stands for the reading.",
        Early "hazard-early" "Two accesses to a register of which one writes, the first of fixed latency, are as many cycles apart as the latency table says, on every path.",
        Reuse "hazard-reuse" "A register that is kept for reuse is not overwritten before it is read in the same slot again.",
        Latency "hazard-latency" "Unknown, not wrong: two accesses that no row of the latency table is about, nearer than the longest of them, or of which the first has control bits that say nothing.",
        Group "hazard-group" "Nothing but a product with the same accumulator touches a register that a warpgroup's product uses before WARPGROUP.DEPBAR waits for its group, on every path; what A stands in may be read.",
        Arrive "hazard-arrive" "Between what writes a register and a warpgroup's product that uses it stands a WARPGROUP.ARRIVE, on every path.",
        Counted "hazard-counted" "The scoreboard by which groups of bulk copies are counted is raised by UTMACMDFLUSH alone.",
        Stall "hazard-stall" "Behind a jump, a call, EXIT, BSYNC, WARPSYNC, a fence and DEPBAR stands at least the stall that ptxas leaves there, by the judge's own table.",
        Control "hazard-control" "Control bits are legal for the instruction: yield, reuse, and which barriers it may set.",
    }
}

/// The one group of [`GROUPS`].
pub const HAZARDS: (&str, &[(&str, &str)]) = GROUPS[0];
