//! Code that goes one of two ways by whether lanes are together, and what lanes with masks of their own answer each other.

use super::{Planted, put, swap};
use crate::pairs::replace;

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
    Planted {
        name: "lanes with masks of their own that do not wait",
        program: "redux_masks",
        breaks: "A-CONV",
        change: |c| put(c, "WARPSYNC.EXCLUSIVE R11", "NOP"),
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
