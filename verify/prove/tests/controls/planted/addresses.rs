//! Generic addresses of windows that bank 0 tells of, and addresses of functions.

use super::{Planted, image, put};
use crate::pairs::entry;
use sassafras_cubin::Space;

pub const ALL: &[Planted] = &[
    Planted {
        name: "a parameter beside the one that is meant",
        program: "cvta_param",
        breaks: "A-BANK",
        change: |c| put(c, "LD.E R14, desc[UR4][R4.64+0x10]", "LD.E R14, desc[UR4][R4.64+0xc]"),
    },
    Planted {
        name: "the window of constants for that of parameters",
        program: "cvta_param",
        breaks: "A-ADDR",
        change: |c| put(c, "LDC.64 R4, c[0x0][0x198]", "LDC.64 R4, c[0x0][0xd0]"),
    },
    Planted {
        name: "where parameters end, for where they begin",
        program: "cvta_param",
        breaks: "A-BANK",
        change: |c| put(c, "LDC.64 R6, c[0x0][0x1a0]", "LDC.64 R6, c[0x0][0x198]"),
    },
    Planted {
        name: "the low word of the stack's window left in",
        program: "cvta_param",
        breaks: "A-ADDR",
        change: |c| put(c, "IADD3 R15, R8, -UR6, RZ", "IADD3 R15, R8, RZ, RZ"),
    },
    Planted {
        name: "the stack's window without its low word",
        program: "generic",
        breaks: "A-BANK",
        change: |c| put(c, "ULDC UR6, c[0x0][0x20]", "UMOV UR6, URZ"),
    },
    Planted {
        name: "a constant beside the one that is meant",
        program: "const_generic",
        breaks: "equal operands",
        change: |c| put(c, "LD.E R4, desc[UR4][R8.64]", "LD.E R4, desc[UR4][R8.64+0x4]"),
    },
    Planted {
        name: "an end of the constants that is one word further",
        program: "const_generic",
        breaks: "A-ADDR",
        change: |c| put(c, "IADD3 R21, P0, R14, 0x18, RZ", "IADD3 R21, P0, R14, 0x8, RZ"),
    },
    Planted {
        name: "a table of other functions",
        program: "call_table",
        breaks: "the image of variables",
        change: |c| image(c, Space::Global),
    },
    Planted {
        name: "a function that lies elsewhere",
        program: "call_table",
        breaks: "addresses of functions",
        change: |c| {
            let all = &mut entry(c).subroutines;
            let (first, last) = (all[0].offset, all.last().map_or(0, |s| s.offset));
            let end = all.len() - 1;
            (all[0].offset, all[end].offset) = (last, first);
        },
    },
    Planted {
        name: "another function's body",
        program: "call_table",
        breaks: "equal operands",
        change: |c| put(c, "IADD3 R4, R4, R5, RZ", "IADD3 R4, R4, -R5, RZ"),
    },
    Planted {
        name: "a call of the function that was called before",
        program: "call_table",
        breaks: "addresses of functions",
        change: |c| put(c, "LDC.64 R6, c[0x3][0x8]", "MOV R6, R22"),
    },
    Planted {
        name: "one function for the other",
        program: "call_indirect",
        breaks: "addresses of functions",
        change: |c| put(c, "@P0 MOV R2, 0x150", "@!P0 MOV R2, 0x150"),
    },
];
