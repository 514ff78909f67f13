//! Code that goes one of two ways by whether lanes are together, and what lanes with masks of their own answer each other.

use super::{Planted, put, swap};
use crate::pairs::{entry, replace, word, written};
use sassafras_cubin::Cubin;

pub const ALL: &[Planted] = &[
    Planted {
        name: "lanes that are apart and do not ask whether they are",
        program: "shfl_partial",
        breaks: "A-CONV",
        change: |c| put(c, "BRA.DIV", "NOP"),
    },
    Planted {
        name: "a question about fewer lanes",
        program: "shfl_partial",
        breaks: "A-CONV",
        change: |c| put(c, "UMOV UR6, 0x55555555", "UMOV UR6, 0x5555"),
    },
    Planted {
        name: "a wait for fewer lanes on the slow way",
        program: "shfl_partial",
        breaks: "A-CONV",
        change: |c| put(c, "MOV R0, 0xaaaaaaaa", "MOV R0, 0xaaaa"),
    },
    Planted {
        name: "no wait on the slow way",
        program: "shfl_partial",
        breaks: "A-CONV",
        change: |c| put(c, "WARPSYNC.COLLECTIVE", "NOP"),
    },
    Planted {
        name: "another lane's value on the slow way",
        program: "shfl_partial",
        breaks: "equal operands",
        change: |c| put(c, "MOV.U32 R7, RZ, RZ, 0x2", "IMAD.MOV.U32 R7, RZ, RZ, 0x4"),
    },
    Planted {
        name: "a slow way that goes on elsewhere",
        program: "shfl_partial",
        breaks: "the same synchronisation events",
        change: |c| put(c, "BRA pc(-0xa0)", "EXIT"),
    },
    Planted {
        name: "a vote that is left out on the slow way",
        program: "flow_masks_apart",
        breaks: "the same synchronisation events",
        change: |c| put(c, "VOTE.ANY R0, PT, P1", "NOP"),
    },
    Planted {
        name: "a vote on another condition on the slow way",
        program: "flow_masks_apart",
        breaks: "equal operands",
        change: |c| put(c, "VOTE.ANY R0, PT, P1", "VOTE.ANY R0, PT, !P1"),
    },
    // Either half of the warp in an arm of its own: waits in barriers.
    Planted {
        name: "a half that does not wait in its barrier",
        program: "own/halves",
        breaks: "A-CONV",
        change: |c| {
            let all = waits(c);
            entry(c).code[all[2]] = word("NOP");
        },
    },
    Planted {
        name: "a meeting place before a wait for half of the warp",
        program: "own/halves",
        breaks: "A-CONV",
        change: |c| put(c, "BSSY B1", "BSYNC B0"),
    },
    Planted {
        name: "a barrier of one half that is that of both",
        program: "own/halves",
        breaks: "A-CONV",
        change: |c| {
            replace(c, "BSSY B1", "BSSY B0");
            replace(c, "BSYNC B1", "BSYNC B0");
        },
    },
    Planted {
        name: "a half that does not come to the meeting place of both",
        program: "own/halves",
        breaks: "A-CONV",
        change: |c| put(c, "BSYNC B0", "NOP"),
    },
    Planted {
        name: "a vote of one half with the other's mask",
        program: "own/halves",
        breaks: "A-CONV",
        change: |c| {
            // The first is overwritten before it is read.
            put(c, "MOV.U32 R5, RZ, RZ, 0x55555555", "NOP");
            put(c, "MOV.U32 R5, RZ, RZ, 0x55555555", "MOV R5, 0xaaaaaaaa");
        },
    },
    Planted {
        name: "a shuffle that is used and left out on both ways",
        program: "own/halves",
        breaks: "equal values",
        change: |c| {
            put(c, "SHFL.BFLY PT, R4, R4, 0xa", "NOP");
            put(c, "SHFL.BFLY P1, R4, R0, R6, R7", "NOP");
        },
    },
    // Shuffles with masks of their own: what a lane gets is of its own mask's lanes, or undefined.
    Planted {
        name: "a shuffle behind a wait for one lane fewer",
        program: "shfl_masks",
        breaks: "A-CONV",
        change: |c| replace(c, "RZ, RZ, 0xff", "RZ, RZ, 0x7f"),
    },
    Planted {
        name: "a shuffle behind a wait for lanes of another mask",
        program: "shfl_masks",
        breaks: "A-CONV",
        change: |c| replace(c, "WARPSYNC R9", "WARPSYNC R0"),
    },
    Planted {
        name: "a shuffle from a lane outside of the mask",
        program: "shfl_masks",
        breaks: "equal operands",
        change: |c| replace(c, "SHFL.BFLY PT, R9, R4, 0x4", "SHFL.BFLY PT, R9, R4, 0x8"),
    },
    Planted {
        name: "all lanes' vote behind a wait for some",
        program: "own/groups",
        breaks: "A-CONV",
        change: |c| drop_wait(c, 1),
    },
    Planted {
        name: "two waits for masks that change places",
        program: "own/groups",
        breaks: "A-CONV",
        change: |c| {
            let all = waits(c);
            entry(c).code.swap(all[0], all[1]);
        },
    },
    Planted {
        name: "lanes with masks of their own that do not wait",
        program: "redux_masks",
        breaks: "A-CONV",
        change: |c| put(c, "WARPSYNC.EXCLUSIVE R11", "NOP"),
    },
    Planted {
        name: "lanes with masks of their own that others may join",
        program: "redux_masks",
        breaks: "A-CONV",
        change: |c| put(c, "WARPSYNC.EXCLUSIVE R11", "WARPSYNC R11"),
    },
    Planted {
        name: "a wait for lanes of another mask",
        program: "redux_masks",
        breaks: "A-CONV",
        change: |c| put(c, "WARPSYNC.EXCLUSIVE R11", "WARPSYNC.EXCLUSIVE R0"),
    },
    Planted {
        name: "lanes with masks of their own that do not meet",
        program: "redux_masks",
        breaks: "A-CONV",
        change: |c| put(c, "BSYNC B0", "NOP"),
    },
    Planted {
        name: "what some lanes answered, read where all are",
        program: "redux_masks",
        breaks: "uniform registers",
        change: |c| swap(c, "IMAD.U32 R0, RZ, RZ, UR4", "BSYNC B0"),
    },
    Planted {
        name: "what some lanes answered, over what all share",
        program: "redux_masks",
        breaks: "uniform registers",
        change: |c| {
            replace(c, "REDUX.SUM UR4, R4", "REDUX.SUM UR6, R4");
            replace(c, "IMAD.U32 R0, RZ, RZ, UR4", "IMAD.U32 R0, RZ, RZ, UR6");
            replace(c, "R2UR UR6, R14", "NOP");
        },
    },
];

/// Where lanes wait for others of the warp.
fn waits(cubin: &mut Cubin) -> Vec<usize> {
    let code = &entry(cubin).code;
    (0..code.len()).filter(|i| written(code[*i]).starts_with("WARPSYNC")).collect()
}

fn drop_wait(cubin: &mut Cubin, nth: usize) {
    let at = waits(cubin)[nth];
    entry(cubin).code[at] = word("NOP");
}
