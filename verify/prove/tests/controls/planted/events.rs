//! Events that other threads see.

use super::{Planted, has, put, swap};
use crate::pairs::{entry, find, insert, replace, word, written};

pub const ALL: &[Planted] = &[
    // Events that others see.
    Planted {
        name: "an atomic twice",
        program: "red",
        breaks: "the same synchronisation events",
        change: |c| insert(c, "EXIT", &["REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R9"]),
    },
    Planted {
        name: "two atomics in another order",
        program: "red",
        breaks: "the same order",
        change: |c| {
            let at = find(c, "REDG.E.ADD");
            entry(c).code.swap(at, at + 1)
        },
    },
    Planted {
        name: "an atomic for the block alone",
        program: "red",
        breaks: "equal scope",
        change: |c| replace(c, "STRONG.GPU", "STRONG.SM"),
    },
    Planted {
        name: "a weaker fence",
        program: "fences",
        breaks: "equal kind of fence",
        change: |c| replace(c, "MEMBAR.SC.GPU", "MEMBAR.ALL.GPU"),
    },
    Planted {
        name: "a narrower fence",
        program: "fences",
        breaks: "equal scope",
        change: |c| replace(c, "MEMBAR.SC.SYS", "MEMBAR.SC.GPU"),
    },
    Planted {
        name: "a fence that leaves the cache as it is",
        program: "fences",
        breaks: "a load behind a fence sees others' stores",
        change: |c| {
            while has(c, "CCTL.IVALL") {
                replace(c, "CCTL.IVALL", "NOP")
            }
        },
    },
    Planted {
        name: "an acquiring half of a fence that leaves the cache as it is",
        program: "fence_scopes",
        breaks: "a load behind a fence sees others' stores",
        change: |c| {
            while has(c, "CCTL.IVALL") {
                replace(c, "CCTL.IVALL", "NOP")
            }
        },
    },
    Planted {
        name: "a releasing half of a fence that is left out",
        program: "fence_scopes",
        breaks: "the same synchronisation events",
        change: |c| {
            let code = &mut entry(c).code;
            let last =
                code.iter().rposition(|w| written(*w).contains("MEMBAR.ALL.SYS")).expect("it is there");
            code[last] = word("NOP");
        },
    },
    Planted {
        name: "a releasing half of a fence that is narrower",
        program: "fence_scopes",
        breaks: "equal scope",
        change: |c| {
            let code = &mut entry(c).code;
            let last =
                code.iter().rposition(|w| written(*w).contains("MEMBAR.ALL.SYS")).expect("it is there");
            code[last] = word("MEMBAR.ALL.GPU");
        },
    },
    Planted {
        name: "a load that others' stores do not reach",
        program: "st_sizes",
        breaks: "A-NC",
        change: |c| replace(c, "LDG.E.128 ", "LDG.E.128.CONSTANT "),
    },
    Planted {
        name: "a barrier that is left out",
        program: "shared",
        breaks: "A-DRF",
        change: |c| replace(c, "BAR.SYNC.DEFER_BLOCKING 0x0", "NOP"),
    },
    Planted {
        name: "another barrier",
        program: "shared",
        breaks: "equal operands",
        change: |c| {
            replace(c, "BAR.SYNC.DEFER_BLOCKING 0x0", "BAR.SYNC.DEFER_BLOCKING 0x1");
            entry(c).barriers = 2
        },
    },
    // Volatile accesses.
    Planted {
        name: "one volatile load for two",
        program: "own/volatile",
        breaks: "volatile accesses are events",
        change: |c| put(c, "LDG.E.STRONG.SYS R6", "MOV R6, R7"),
    },
    Planted {
        name: "a volatile load as a weak one",
        program: "own/volatile",
        breaks: "volatile accesses are events",
        change: |c| replace(c, "LDG.E.STRONG.SYS R6", "LDG.E R6"),
    },
    Planted {
        name: "a volatile store that another follows, left out",
        program: "own/volatile",
        breaks: "volatile accesses are events",
        change: |c| put(c, "STG.E.STRONG.SYS desc[UR4][R4.64], R7", "NOP"),
    },
    Planted {
        name: "a volatile store as a weak one",
        program: "own/volatile",
        breaks: "volatile accesses are events",
        change: |c| replace(c, "STG.E.STRONG.SYS desc[UR4][R4.64], R9", "STG.E desc[UR4][R4.64], R9"),
    },
    Planted {
        name: "volatile loads that change places",
        program: "own/volatile",
        breaks: "volatile accesses are in order",
        change: |c| swap(c, "LDG.E.STRONG.SYS R7", "LDG.E.STRONG.SYS R6"),
    },
    // Orders of memory.
    Planted {
        name: "a relaxed load as a weak one",
        program: "own/relaxed",
        breaks: "equal order of memory",
        change: |c| replace(c, "LDG.E.STRONG.GPU", "LDG.E"),
    },
    Planted {
        name: "a relaxed load for the block alone",
        program: "own/relaxed",
        breaks: "equal scope",
        change: |c| replace(c, "LDG.E.STRONG.GPU", "LDG.E.STRONG.SM"),
    },
    Planted {
        name: "a relaxed store as a weak one",
        program: "own/relaxed",
        breaks: "equal order of memory",
        change: |c| replace(c, "STG.E.STRONG.SYS", "STG.E"),
    },
    Planted {
        name: "a relaxed store for the device alone",
        program: "own/relaxed",
        breaks: "equal scope",
        change: |c| replace(c, "STG.E.STRONG.SYS", "STG.E.STRONG.GPU"),
    },
    Planted {
        name: "another atomic operation",
        program: "own/relaxed",
        breaks: "equal kind of atomic",
        change: |c| replace(c, "ATOMG.E.ADD", "ATOMG.E.MIN"),
    },
    // Barriers that move.
    Planted {
        name: "a barrier before the store that it orders",
        program: "shared",
        breaks: "A-DRF",
        change: |c| swap(c, "STS [R0], R6", "BAR.SYNC.DEFER_BLOCKING"),
    },
    Planted {
        name: "a barrier behind the load that it orders",
        program: "shared",
        breaks: "A-DRF",
        change: |c| swap(c, "LDS R8, [R4]", "BAR.SYNC.DEFER_BLOCKING"),
    },
];
