//! Where lanes go, meet and wait.

use super::{Planted, put, swap};
use crate::kept;
use crate::pairs::{entry, find, insert, replace};
use sassafras_cubin::Cubin;

pub const ALL: &[Planted] = &[
    // Convergence.
    Planted {
        name: "barriers that change places",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| {
            replace(c, "BSYNC B1", "BSYNC B2");
            replace(c, "BSYNC B0", "BSYNC B1");
            replace(c, "BSYNC B2", "BSYNC B0")
        },
    },
    Planted {
        name: "a meeting place of a barrier that was not set",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| replace(c, "BSYNC B1", "BSYNC B3"),
    },
    Planted {
        name: "a meeting place that is left out",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| replace(c, "BSYNC B1", "NOP"),
    },
    Planted {
        name: "a barrier that is not set",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| {
            let text = crate::pairs::written(entry_word(c, "BSSY B1"));
            replace(c, &text, "NOP")
        },
    },
    Planted {
        name: "one barrier for both",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| {
            replace(c, "BSSY B1", "BSSY B0");
            replace(c, "BSYNC B1", "BSYNC B0")
        },
    },
    // Loops.
    Planted {
        name: "an endless loop for the end",
        program: "sub_s32",
        breaks: "A-TERM",
        change: |c| replace(c, "EXIT", "BRA pc(-0x10)"),
    },
    Planted {
        name: "an endless loop for some",
        program: "exit_early",
        breaks: "A-TERM",
        change: |c| replace(c, "@!P0 EXIT", "@!P0 BRA pc(-0x10)"),
    },
    // Leaving a barrier, and meeting too late.
    Planted {
        name: "BREAK left out",
        program: "own/leave",
        breaks: "A-CONV",
        change: |c| replace(c, "@!P0 BREAK B1", "NOP"),
    },
    Planted {
        name: "BREAK of another barrier",
        program: "own/leave",
        breaks: "A-CONV",
        change: |c| replace(c, "BREAK B1", "BREAK B0"),
    },
    Planted {
        name: "BREAK by the lanes that stay",
        program: "own/leave",
        breaks: "A-CONV",
        change: |c| replace(c, "@!P0 BREAK B1", "@P0 BREAK B1"),
    },
    // `kept.rs` shows that WARPSYNC alone is enough here.
    Planted {
        name: "WARPSYNC left out",
        program: "own/shuffle",
        breaks: "A-CONV",
        change: |c| {
            kept::by_warpsync(c);
            put(c, "WARPSYNC.ALL", "NOP")
        },
    },
    Planted {
        name: "a meeting place behind the shuffle that it serves",
        program: "own/shuffle",
        breaks: "A-CONV",
        change: |c| swap(c, "BSYNC B0", "SHFL.BFLY"),
    },
    Planted {
        name: "a shuffle without its meeting place",
        program: "own/shuffle",
        breaks: "A-CONV",
        change: |c| replace(c, "BSYNC B0", "NOP"),
    },
    Planted {
        name: "a shuffle with another lane",
        program: "own/shuffle",
        breaks: "equal operands",
        change: |c| replace(c, "0x1, 0x1f", "0x2, 0x1f"),
    },
    Planted {
        name: "a meeting place behind what waits for the whole warp",
        program: "own/until_exit",
        breaks: "A-CONV",
        change: |c| {
            insert(c, "HFMA2.MMA R8", &["BSSY B0, pc(0x80)"]);
            insert(c, "STG.E", &["BSYNC B0"])
        },
    },
    // Uniform registers belong to the warp.
    Planted {
        name: "a number for each side in one uniform register",
        program: "own/arms",
        breaks: "uniform registers belong to the warp",
        change: |c| {
            put(c, "@!P0 IMAD.MOV.U32 R6, RZ, RZ, 0x11", "UMOV UR8, 0x11");
            put(c, "HFMA2.MMA R6", "UMOV UR8, 0x21");
            put(c, "IMAD.IADD R5, R5, 0x1, R6", "IADD3 R5, R5, UR8, RZ")
        },
    },
    Planted {
        name: "what differs between lanes in a uniform register",
        program: "own/bounds",
        breaks: "uniform registers belong to the warp",
        change: |c| insert(c, "STG.E", &["R2UR UR8, R7", "MOV R7, UR8"]),
    },
    // Loops that end early or late.
    Planted {
        name: "a loop a round longer",
        program: "own/loop",
        breaks: "equal values within the bound",
        change: |c| replace(c, "ISETP.GE.AND", "ISETP.GT.AND"),
    },
    Planted {
        name: "a loop that counts by two",
        program: "own/loop",
        breaks: "equal values within the bound",
        change: |c| put(c, "VIADD R0, R0, 0x1", "VIADD R0, R0, 0x2"),
    },
    Planted {
        name: "a loop that is left at once",
        program: "own/loop",
        breaks: "equal values within the bound",
        change: |c| replace(c, "@!P0 BRA", "@P0 BRA"),
    },
    Planted {
        name: "a loop without an end",
        program: "own/loop",
        breaks: "A-TERM",
        change: |c| replace(c, "@!P0 BRA", "BRA"),
    },
    Planted {
        name: "an unrolled loop without a round",
        program: "own/unrolled",
        breaks: "equal values",
        change: |c| put(c, "IMAD R7, R7, R6, 0x3c6ef35f", "NOP"),
    },
    Planted {
        name: "an unrolled loop with another number in a round",
        program: "own/unrolled",
        breaks: "equal values",
        change: |c| replace(c, "IMAD R7, R7, R6, 0x3c6ef35f", "IMAD R7, R7, R6, 0x3c6ef35e"),
    },
];

/// The first word whose text contains `text`.
fn entry_word(cubin: &mut Cubin, text: &str) -> u128 {
    let at = find(cubin, text);
    entry(cubin).code[at]
}
