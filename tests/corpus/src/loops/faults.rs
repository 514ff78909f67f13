//! Edits of loops, in the text of PTX: such that change what a kernel does, and such that do not. The code of the edited text is held against the text
//! as it was. No fault may be proved; of what means the same, the more is proved the better.

mod body;
mod faults_of_data;
mod faults_of_flow;
mod same;

pub use body::Body;

/// What an edit does to the meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It changes it, on some inputs, unless the site makes no difference there.
    Fault,
    /// It keeps it.
    Same,
}

/// A kind of edit: its name, its effect, and the change, if there is a place for it.
pub struct Kind {
    /// The name.
    pub name: &'static str,
    /// What it does.
    pub effect: Effect,
    make: fn(&Body) -> Option<Vec<String>>,
}

impl Kind {
    /// The text of the whole module with this edit of an entry; none where the entry has no place for it, or the edit leaves the text as it is.
    pub fn apply(&self, ptx: &str, entry: &str) -> Option<String> {
        let body = Body::of(ptx, entry)?;
        let lines = (self.make)(&body)?;
        (lines != body.lines).then(|| body.whole(&lines))
    }
}

/// All kinds.
pub fn kinds() -> Vec<Kind> {
    let of = |effect| move |(name, make): &(&'static str, body::Make)| Kind { name, effect, make: *make };
    let faults = faults_of_flow::KINDS.iter().chain(faults_of_data::KINDS).map(of(Effect::Fault));
    faults.chain(same::KINDS.iter().map(of(Effect::Same))).collect()
}

/// The kernels that are edited: file of `corpus/loops`, entry. Most are such as the prover proves for any number of turns, since what is proved of the
/// others says nothing.
pub const KERNELS: &[(&str, &str)] = &[
    ("algebra", "transpose_tiled"),
    ("bits", "gcd_binary"),
    ("ciphers", "feistel_permute"),
    ("counters", "bound_inclusive_unsigned"),
    ("gemm_plain", "gemm_transposed_b_f64"),
    ("gemm_tiled", "gemm_tile16_f32"),
    ("histograms", "histogram_own_column"),
    ("memory", "scatter_with_mask"),
    ("memory", "accumulate_in_memory"),
    ("numeric", "newton_until_close"),
    ("reduce_block", "block_shuffle_sum_f64"),
    ("gemv", "gemv_half2"),
    ("gemv", "rank_one_update"),
    ("reduce_grid", "sum_grid_stride_f32"),
    ("reduce_grid", "max_grid_stride_s32"),
    ("reduce_grid", "argmin_per_thread"),
    ("reduce_block", "warp_shuffle_rolled_s32"),
    ("reduce_block", "block_tree_interleaved_u32"),
    ("sparse", "csr_row_norms"),
    ("sparse", "spmv_bcsr_2x2"),
    ("strings", "string_length"),
    ("strings", "to_upper_words"),
    ("hashes", "fnv1a_32"),
    ("searches", "binary_search_lower"),
    ("searches", "hash_lookup_probe"),
    ("histograms", "histogram_global"),
    ("sorts", "radix_count_digits"),
    ("randoms", "xorshift64_skip"),
    ("algebra", "triangular_solve_upper_back"),
    ("blocks", "rotate_around_warp"),
    ("control", "two_exits_and_a_return"),
    ("functions", "newton_by_call"),
    ("counters", "counter_s64_step3"),
    ("graphs", "bfs_level"),
    ("unrolls", "axpy_unroll_none"),
    ("memory", "structures_move"),
    ("numeric", "bisection_fixed"),
    ("control", "do_while_digits"),
    ("control", "state_machine_comments"),
    ("memory", "bound_through_pointer"),
    ("windows", "fir_history_registers"),
    ("nests", "inner_of_constant_count"),
    ("nests", "outer_of_constant_count"),
    ("transforms", "goertzel"),
    ("statistics", "rank_of_each"),
];

/// Faults that make no difference, since the place where they are planted makes none: entry, kind. Each is read in the text of the kernel.
///
/// `transpose_tiled` has a counter from 0 by 8 to below 32 that nothing else reads, so that bounds of 31, steps of 9 and a start at 1 go through four
/// iterations too, and it never is 3, 77 or more than 32. `scatter_with_mask` asks whether a byte is zero. The
/// lowest bits of what `radix_count_digits` masks are zero. `two_exits_and_a_return` goes on while its signed counter is less than a bound, so that
/// it leaves at 2^31 - 1 by itself.
const EQUAL: &[(&str, &str)] = &[
    ("transpose_tiled", "bound-minus-one"),
    ("transpose_tiled", "stride-plus-one"),
    ("transpose_tiled", "start-plus-one"),
    ("transpose_tiled", "compare-signedness"),
    ("transpose_tiled", "compare-not-equal"),
    ("transpose_tiled", "differs-at-iteration-2-20"),
    ("transpose_tiled", "differs-at-iteration-77"),
    ("transpose_tiled", "leaves-at-2-31"),
    ("transpose_tiled", "leaves-at-3"),
    ("scatter_with_mask", "load-signedness"),
    ("radix_count_digits", "mask"),
    ("two_exits_and_a_return", "leaves-at-2-31"),
];

/// Whether a fault of a kernel is known to make no difference.
pub fn is_equal(entry: &str, kind: &str) -> bool {
    EQUAL.contains(&(entry, kind))
}
