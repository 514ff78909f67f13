//! PTX that is known to exist but has no row yet: it is refused as not supported, not as wrong.

/// Instructions of the PTX ISA, by root, none of whose forms has a row.
#[rustfmt::skip]
const ROOTS: [&str; 38] = [
    "alloca", "clusterlaunchcontrol", "istypep", "multimem",
    "stackrestore", "stacksave", "suld", "suq", "sured", "sust", "tcgen05", "tensormap", "tex", "tld4",
    "txq", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4", "vavrg2", "vavrg4", "vmad", "vmax", "vmax2", "vmax4",
    "vmin", "vmin2", "vmin4", "vset", "vset2", "vset4", "vshl", "vshr", "vsub", "vsub2", "vsub4",
];

/// Modifiers of the PTX ISA for roots that have rows, where the forms with them have none: `root: words`.
const WORDS: [(&str, &[&str]); 15] = [
    (
        "cp",
        &["cp_mask", "ignore_oob", "noftz", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64", "b32"],
    ),
    (
        "cvt",
        &[
            "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2", "e4m3x4", "e5m2x4", "e2m1x4", "e2m3x4", "e3m2x4", "rs",
            "scaled",
        ],
    ),
    ("isspacep", &["param::entry"]),
    ("ld", &["v8", "L2::evict_last", "L2::evict_first", "L2::evict_normal", "unified"]),
    ("st", &["v8", "bulk", "L2::evict_last", "L2::evict_first", "L2::evict_normal"]),
    ("ldu", &["L2::cache_hint"]),
    ("atom", &["v2", "v4", "v8"]),
    ("red", &["v2", "v4", "v8"]),
    (
        "fence",
        &["alias", "tensormap::generic", "sync_restrict::shared::cta", "sync_restrict::shared::cluster"],
    ),
    ("membar", &["proxy"]),
    ("prefetch", &["param"]),
    (
        "mma",
        &[
            "sp",
            "sp::ordered_metadata",
            "e3m2",
            "e2m3",
            "e2m1",
            "kind::f8f6f4",
            "rn",
            "rz",
            "rm",
            "rp",
            "block_scale",
        ],
    ),
    ("wmma", &["m8n8k32", "u4", "s4", "rz", "rm", "rp"]),
    ("ldmatrix", &["m16n16", "m8n16", "b8", "b8x16.b6x16_p32", "b8x16.b4x16_p64"]),
    ("stmatrix", &["m16n8", "b8"]),
];

/// Sets of modifiers that are PTX together, where each alone has rows: root, words.
const TOGETHER: [(&str, &[&str]); 4] = [
    ("mma", &["m16n8k4", "f64"]),
    ("mma", &["m16n8k8", "f64"]),
    ("mma", &["m16n8k16", "f64"]),
    ("mma", &["m8n8k4", "f16"]),
];

/// Whether modifiers that fit no row are PTX.
pub fn form(root: &str, suffixes: &[&str]) -> bool {
    let together = |(r, words): &(&str, &[&str])| *r == root && words.iter().all(|w| suffixes.contains(w));
    TOGETHER.iter().any(together)
}

/// Whether a root without rows is PTX.
pub fn root(root: &str) -> bool {
    ROOTS.contains(&root)
}

/// Whether a word without a row for this root is PTX.
pub fn word(root: &str, word: &str) -> bool {
    WORDS.iter().any(|(r, words)| *r == root && words.contains(&word))
}
