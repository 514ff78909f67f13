//! Values that are computed.

use super::{Planted, negate, put, split};
use crate::pairs::{entry, find, replace};

pub const ALL: &[Planted] = &[
    // Floats.
    Planted {
        name: "a fused product and sum, split",
        program: "fma_f32",
        breaks: "A-FP",
        change: |c| {
            let at = find(c, "FFMA");
            let text = crate::pairs::written(entry(c).code[at]);
            let sum = split(&text);
            replace(c, &text, &sum)
        },
    },
    // Rounding.
    Planted {
        name: "a product and a sum with roundings of their own, fused",
        program: "own/fused",
        breaks: "A-FP",
        change: |c| {
            put(c, "FADD R7, R8, R7", "FFMA R7, R6, R7, R8");
            put(c, "FMUL R7, R6, R7", "NOP");
        },
    },
    Planted {
        name: "a product rounded to zero",
        program: "own/fused",
        breaks: "A-FP",
        change: |c| replace(c, "FMUL R7", "FMUL.RZ R7"),
    },
    Planted {
        name: "a sum without subnormal numbers",
        program: "own/fused",
        breaks: "A-FP",
        change: |c| replace(c, "FADD R7", "FADD.FTZ R7"),
    },
    // Numbers, signs and polarities.
    Planted {
        name: "an immediate with the other sign",
        program: "own/bounds",
        breaks: "equal values",
        change: |c| put(c, "VIADD R7, R2", "VIADD R7, R2, 0x7"),
    },
    Planted {
        name: "an immediate one less",
        program: "own/bounds",
        breaks: "equal values",
        change: |c| replace(c, "0xc, PT", "0xb, PT"),
    },
    Planted {
        name: "a predicate the other way round",
        program: "own/bounds",
        breaks: "equal values",
        change: |c| replace(c, "@P0 IADD3 R7", "@!P0 IADD3 R7"),
    },
    Planted {
        name: "an operand that is not negated",
        program: "own/bounds",
        breaks: "equal values",
        change: |c| replace(c, "-R2", "R2"),
    },
    Planted {
        name: "a comparison that lets equality in",
        program: "own/bounds",
        breaks: "equal values",
        change: |c| replace(c, "ISETP.GE.AND P0, PT, R2", "ISETP.GT.AND P0, PT, R2"),
    },
    Planted {
        name: "the other operand of a choice",
        program: "selp",
        breaks: "equal values",
        change: |c| negate(c, "SEL"),
    },
];
