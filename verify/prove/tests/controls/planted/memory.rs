//! Bytes that are read and written.

use super::{Planted, behind, swap};
use crate::pairs::{entry, insert, replace};

pub const ALL: &[Planted] = &[
    // The same bytes are read and written, under the same guards.
    Planted {
        name: "a wild load that nothing reads",
        program: "sub_s32",
        breaks: "the target reads only what the source accesses",
        change: |c| insert(c, "EXIT", &["LDG.E R1, desc[UR4][R2.64+0x10000]"]),
    },
    Planted {
        name: "a load before its guard",
        program: "exit_early",
        breaks: "the target reads only what the source accesses",
        change: |c| {
            entry(c).registers += 8;
            insert(c, "@!P0 EXIT", &["IMAD.WIDE.U32 R14, R7, 0x10, R4", "LDG.E R16, desc[UR4][R14.64+0xc]"])
        },
    },
    Planted {
        name: "a store without its guard",
        program: "exit_early",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "@!P0 STG", "STG"),
    },
    Planted {
        name: "a store of a byte of four",
        program: "st_sizes",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "STG.E.U8 ", "STG.E "),
    },
    Planted {
        name: "a store elsewhere, besides",
        program: "sub_s32",
        breaks: "the same partial map of bytes",
        change: |c| insert(c, "EXIT", &["STG.E desc[UR4][R2.64+0x10], R12"]),
    },
    Planted {
        name: "a store that is left out",
        program: "st_sizes",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "STG.E.U8 desc[UR4][R2.64+0x1], R0", "NOP"),
    },
    // Bytes beyond, and checks that come late.
    Planted {
        name: "a store widened over a neighbour",
        program: "own/bounds",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "STG.E desc[UR4][R4.64], R7", "STG.E.64 desc[UR4][R4.64], R6"),
    },
    Planted {
        name: "a load widened over a neighbour",
        program: "own/bounds",
        breaks: "the target reads only what the source accesses",
        change: |c| replace(c, "LDG.E R2", "LDG.E.64 R2"),
    },
    Planted {
        name: "a load above its bounds check",
        program: "own/bounds",
        breaks: "the target reads only what the source accesses",
        change: |c| {
            behind(c, "@P0 EXIT", "LDG.E R2");
        },
    },
    Planted {
        name: "a bounds check one too far",
        program: "own/bounds",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "ISETP.GE.U32.AND", "ISETP.GT.U32.AND"),
    },
    Planted {
        name: "a bounds check of signed numbers",
        program: "own/bounds",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "ISETP.GE.U32.AND", "ISETP.GE.AND"),
    },
    Planted {
        name: "a bounds check the other way round",
        program: "own/bounds",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "@P0 EXIT", "@!P0 EXIT"),
    },
    Planted {
        name: "a store that is put forward over a load of the same place",
        program: "own/shuffle",
        breaks: "a load sees the stores before it",
        change: |c| swap(c, "STG.E desc[UR4][R2.64+0x8], R5", "LDG.E R5, desc[UR4][R2.64+0x8]"),
    },
];
