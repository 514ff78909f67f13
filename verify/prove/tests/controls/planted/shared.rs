//! What lanes do for each other, what fences and ordered accesses promise, and calls.

use super::{Planted, put, swap};
use crate::pairs::{entry, find, replace};

pub const ALL: &[Planted] = &[
    // Acquire and release.
    Planted {
        name: "a release that is left out",
        program: "own/ordered",
        breaks: "a release before the store that it orders",
        change: |c| put(c, "MEMBAR.ALL.SYS", "NOP"),
    },
    Planted {
        name: "a release for fewer",
        program: "own/ordered",
        breaks: "equal scope",
        change: |c| replace(c, "MEMBAR.ALL.SYS", "MEMBAR.ALL.GPU"),
    },
    Planted {
        name: "a release behind the store that it orders",
        program: "own/ordered",
        breaks: "a release before the store that it orders",
        change: |c| swap(c, "MEMBAR.ALL.SYS", "STG.E.STRONG.SYS"),
    },
    Planted {
        name: "an acquire that is left out",
        program: "own/ordered",
        breaks: "a load behind an acquire sees others' stores",
        change: |c| put(c, "CCTL.IVALL", "NOP"),
    },
    Planted {
        name: "a load before the acquire",
        program: "own/ordered",
        breaks: "a load behind an acquire sees others' stores",
        change: |c| swap(c, "CCTL.IVALL", "LDG.E R9"),
    },
    Planted {
        name: "an acquire before the load that it belongs to",
        program: "own/ordered",
        breaks: "a load behind an acquire sees others' stores",
        change: |c| swap(c, "CCTL.IVALL", "LDG.E.STRONG.GPU R7"),
    },
    Planted {
        name: "a store before the release that another needs",
        program: "own/ordered",
        breaks: "the same state of memory at a release",
        change: |c| swap(c, "MEMBAR.ALL.SYS", "STG.E desc[UR4][R4.64], R9"),
    },
    // One lane for others.
    Planted {
        name: "one lane adds as if it were alone",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| put(c, "IMAD R9, R8, 0x3, RZ", "MOV R9, 0x3"),
    },
    Planted {
        name: "one lane adds another multiple",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| replace(c, "IMAD R9, R8, 0x3, RZ", "IMAD R9, R8, 0x4, RZ"),
    },
    Planted {
        name: "another lane hands on what was found",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| replace(c, "SHFL.IDX PT, R9, R9, R10, 0x1f", "SHFL.IDX PT, R9, R9, RZ, 0x1f"),
    },
    Planted {
        name: "something else is handed on",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| replace(c, "SHFL.IDX PT, R9, R9, R10, 0x1f", "SHFL.IDX PT, R9, R8, R10, 0x1f"),
    },
    Planted {
        name: "a lane counts itself among those below",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| replace(c, "S2R R2, SR_LTMASK", "S2R R2, SR_LEMASK"),
    },
    Planted {
        name: "all lanes add for all",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| replace(c, "@P0 ATOMG.E.ADD", "ATOMG.E.ADD"),
    },
    Planted {
        name: "all lanes but one add for all",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| replace(c, "@P0 REDG.E.ADD", "@!P0 REDG.E.ADD"),
    },
    Planted {
        name: "one lane adds the greatest",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| replace(c, "REDUX.SUM UR9", "REDUX.MAX UR9"),
    },
    Planted {
        name: "one lane combines numbers of the other sign",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| replace(c, "REDUX.MAX.S32 UR10", "REDUX.MAX UR10"),
    },
    Planted {
        name: "the highest lane of another set",
        program: "own/leader",
        breaks: "A-LEADER",
        change: |c| replace(c, "FLO.U32 R10, UR8", "FLO.U32 R10, UR4"),
    },
    // Lanes that are brought together.
    Planted {
        name: "fewer lanes are brought together",
        program: "own/masks",
        breaks: "A-CONV",
        change: |c| replace(c, "IMAD.MOV.U32 R9, RZ, RZ, 0xff", "IMAD.MOV.U32 R9, RZ, RZ, 0x7f"),
    },
    Planted {
        name: "lanes wait for such as do not come",
        program: "own/masks",
        breaks: "A-CONV",
        change: |c| replace(c, "IMAD.MOV.U32 R9, RZ, RZ, 0xff", "IMAD.MOV.U32 R9, RZ, RZ, 0x1ff"),
    },
    Planted {
        name: "lanes that are apart vote",
        program: "own/masks",
        breaks: "A-CONV",
        change: |c| put(c, "WARPSYNC R9", "NOP"),
    },
    Planted {
        name: "lanes that are apart wait for all",
        program: "own/masks",
        breaks: "A-CONV",
        change: |c| {
            put(c, "LDC R1,", "MOV R9, 0xff");
            put(c, "IMAD.MOV.U32 R9, RZ, RZ, 0xff", "WARPSYNC.ALL")
        },
    },
    // Calls.
    Planted {
        name: "another argument",
        program: "own/call",
        breaks: "a function computes with what it is given",
        change: |c| replace(c, "IMAD.MOV.U32 R9, RZ, RZ, R6", "IMAD.MOV.U32 R9, RZ, RZ, R9"),
    },
    Planted {
        name: "a call that is left out",
        program: "own/call",
        breaks: "a function computes with what it is given",
        change: |c| {
            let at = find(c, "CALL.REL.NOINC");
            entry(c).code[at] = crate::pairs::word("NOP")
        },
    },
    Planted {
        name: "a function that comes back to the first call",
        program: "own/call",
        breaks: "a call goes on behind itself",
        change: |c| replace(c, "MOV R2, 0x170", "MOV R2, 0x120"),
    },
    Planted {
        name: "a function that does something else for the second call",
        program: "own/call",
        breaks: "a function computes with what it is given",
        change: |c| replace(c, "ISETP.GE.AND P0, PT, R0, 0x64, PT", "ISETP.GE.AND P0, PT, R0, 0x65, PT"),
    },
];
