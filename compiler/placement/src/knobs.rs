//! What can be set: one table of names, defaults and effects.

use crate::knob_error::KnobError;

/// One row of [`TABLE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knob {
    /// Its name.
    pub name: &'static str,
    /// Its default, as text.
    pub default: &'static str,
    /// What it does, with its unit.
    pub what: &'static str,
}

macro_rules! knobs {
    ($($field:ident $name:literal $type:ty = $default:literal, $what:literal;)*) => {
        /// The values of all knobs.
        #[derive(Clone, PartialEq, Debug)]
        pub struct Knobs {
            $(#[doc = concat!("`", $name, "`: ", $what, ".")] pub $field: $type,)*
        }

        /// Every knob. Names and defaults are those of LLVM 19's documentation where it has the knob.
        pub const TABLE: &[Knob] =
            &[$(Knob { name: $name, default: stringify!($default), what: $what }),*];

        impl Default for Knobs {
            fn default() -> Knobs {
                Knobs { $($field: $default,)* }
            }
        }

        impl Knobs {
            /// The value of each knob as text, in the order of [`TABLE`].
            pub fn values(&self) -> Vec<String> {
                vec![$(format!("{:?}", self.$field)),*]
            }

            /// Sets the knob called `name`.
            ///
            /// # Errors
            /// There is none of this name, or the value is none of its type.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), KnobError> {
                // Costs, weights and percentages are at least zero.
                let real = [$(($name, stringify!($type))),*].contains(&(name, "f64"));
                if real && !value.parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0) {
                    return Err(KnobError::Negative { name: name.to_owned(), value: value.to_owned() });
                }
                match name {
                    $($name => self.$field = value.parse().map_err(|_| {
                        KnobError::Value { name: $name, value: value.to_owned(), default: stringify!($default) }
                    })?,)*
                    _ => return Err(KnobError::Unknown(name.to_owned())),
                }
                Ok(())
            }
        }
    };
}

knobs! {
    disable "disable-block-placement" bool = false, "the order of the source is kept";
    statistics "enable-block-placement-stats" bool = false, "the compiler reports how many branches an order has and how often they are taken";
    renumber "renumber-blocks-before-view" bool = false, "graphs of machine code name blocks by their places in the layout";
    misfetch_cost "misfetch-cost" f64 = 1.0, "cost of a taken branch's fetch, per execution";
    jump_cost "jump-inst-cost" f64 = 1.0, "cost of a taken branch's instruction, per execution";
    exit_bias "block-placement-exit-block-bias" f64 = 0.0, "percent by which a loop's new bottom has to leave it more often";
    cold_ratio "loop-to-cold-block-ratio" u64 = 5, "entries of a loop for each run of a block above which the block leaves the loop";
    force_cold "force-loop-cold-block" bool = false, "cold blocks leave loops without counted frequencies too";
    precise_rotation "precise-rotation-cost" bool = false, "with counted frequencies, a loop is turned to where that costs least";
    force_precise "force-precise-rotation-cost" bool = false, "the same without counted frequencies";
    align_all "align-all-blocks" u32 = 0, "binary logarithm of the alignment of every block, in bytes";
    align_jumped "align-all-nofallthru-blocks" u32 = 0, "the same, of blocks that nothing falls into";
    align_most "max-bytes-for-alignment" u64 = 0, "bytes of padding at most; 0 is no limit";
    duplicate "tail-dup-placement" bool = true, "small blocks are copied into predecessors that branch to them, where no lanes part";
    duplicate_most "tail-dup-placement-threshold" u64 = 2, "instructions of the largest block that is copied below -O3";
    duplicate_most_aggressive "tail-dup-placement-aggressive-threshold" u64 = 4, "the same at -O3";
    duplicate_penalty "tail-dup-placement-penalty" u32 = 2, "percent of a run of the function that a copy has to save in cost";
    duplicate_profile_percent "tail-dup-profile-percent-threshold" u32 = 50, "percent of the hottest block's taken branches that a copy has to save, with counted frequencies";
    triangle_chain "triangle-chain-count" usize = 2, "triangles in a row from which copies into their sides have only to save something; 0 is never";
    alternative "branch-fold-placement" bool = true, "other orders are proposed behind placement";
    evaluate_force "placement-evaluator" i64 = 0, "0 proposes with counted frequencies, 1 always, other numbers never";
    evaluate_light "placement-evaluator-light" bool = true, "distance to where lanes meet costs on sm_70 and sm_75";
    evaluate_threshold "placement-accept-threshold" f64 = 3.0, "cost for each run of the function that proposals have to save";
    evaluate_limit "placement-evaluator-blocks" usize = 100000, "blocks above which nothing is proposed";
    ext_tsp "enable-ext-tsp-block-placement" bool = false, "the pass looks for orders by their score, not by chains alone";
    ext_tsp_blocks "ext-tsp-block-placement-max-blocks" i64 = -1, "blocks above which it does not; -1 is no limit";
    ext_tsp_unprofiled "ext-tsp-apply-without-profile" bool = true, "it does so without counted frequencies too";
    for_size "apply-ext-tsp-for-size" bool = false, "orders are chosen for fewest branches in the code: each edge counts once, however often it is taken";
    fall_conditional "ext-tsp-fallthrough-weight-cond" f64 = 1.0, "worth of falling through behind a conditional branch";
    fall_unconditional "ext-tsp-fallthrough-weight-uncond" f64 = 1.05, "worth of falling through where no condition is";
    forward_conditional "ext-tsp-forward-weight-cond" f64 = 0.1, "worth of a short conditional branch ahead";
    forward_unconditional "ext-tsp-forward-weight-uncond" f64 = 0.1, "worth of a short unconditional branch ahead";
    backward_conditional "ext-tsp-backward-weight-cond" f64 = 0.1, "worth of a short conditional branch back";
    backward_unconditional "ext-tsp-backward-weight-uncond" f64 = 0.1, "worth of a short unconditional branch back";
    forward_distance "ext-tsp-forward-distance" u64 = 1024, "bytes at which a branch ahead is worth nothing";
    backward_distance "ext-tsp-backward-distance" u64 = 640, "bytes at which a branch back is worth nothing";
    chain_size "ext-tsp-max-chain-size" usize = 512, "blocks of a chain that still grows";
    chain_split "ext-tsp-chain-split-threshold" usize = 128, "blocks of a chain that may be split anywhere, where more only at branches";
    density_ratio "ext-tsp-max-merge-density-ratio" f64 = 100.0, "ratio of the densities of two chains above which they stay apart";
    exact_blocks "placement-exact-blocks" usize = 12, "blocks up to which the best order is looked for";
    exact_steps "placement-exact-steps" u64 = 300000, "parts of orders that this search looks at";
    effort "placement-effort" u64 = 3000, "edges weighed for each block by moves of parts of an order";
}

impl Knobs {
    /// What the compiler begins with: orders are looked for by their scores, since that is never worse than chains, with less work for each block than
    /// where an order is all that is wanted. Nothing is copied.
    pub fn of_the_compiler() -> Knobs {
        Knobs { ext_tsp: true, duplicate: false, effort: 200, exact_steps: 20_000, ..Knobs::default() }
    }
}
