//! Barriers that several groups set, jump tables, and what lanes that are together do.

use super::{Planted, put, swap};
use crate::pairs::{entry, find, replace, word, written};
use sassafras_cubin::Cubin;

pub const ALL: &[Planted] = &[
    // One barrier set on both sides of a branch.
    Planted {
        name: "two barriers that are set within each other",
        program: "own/rings",
        breaks: "barriers nest in one order",
        change: |c| {
            rename(c, &[("B1,", "B2,"), ("B2,", "B1,"), ("BSYNC B1", "BSYNC B2"), ("BSYNC B2", "BSYNC B1")])
        },
    },
    Planted {
        name: "one barrier for two on the other side",
        program: "own/rings",
        breaks: "A-CONV",
        change: |c| rename(c, &[("B2,", "B1,"), ("BSYNC B2", "BSYNC B1")]),
    },
    Planted {
        name: "a barrier that is not set on the other side",
        program: "own/rings",
        breaks: "A-CONV",
        change: |c| drop_of_other(c, "BSSY B2"),
    },
    Planted {
        name: "a meeting place that is left out on the other side",
        program: "own/rings",
        breaks: "A-CONV",
        change: |c| drop_of_other(c, "BSYNC B2"),
    },
    Planted {
        name: "the outer meeting place on the other side, which is left out",
        program: "own/rings",
        breaks: "A-CONV",
        change: |c| drop_of_other(c, "BSYNC B1"),
    },
    Planted {
        name: "a meeting place one further out on the other side",
        program: "own/rings",
        breaks: "A-CONV",
        change: |c| rename(c, &[("BSYNC B2", "BSYNC B1"), ("BSYNC B1", "BSYNC B2")]),
    },
    Planted {
        name: "a wait for the whole warp on one side",
        program: "own/rings",
        breaks: "A-CONV",
        change: |c| put(c, "STG.E desc[UR4][R4.64+0xc], R7", "WARPSYNC.ALL"),
    },
    Planted {
        name: "a barrier's lanes that are kept in a register",
        program: "own/rings",
        breaks: "A-CONV",
        change: |c| put(c, "LOP3.LUT R7", "BMOV.32.CLEAR R7, B1"),
    },
    // A barrier's lanes in a register.
    Planted {
        name: "a barrier that is not taken back",
        program: "flow_deep_ifs",
        breaks: "A-CONV",
        change: |c| put(c, "BMOV.32 B0, R0", "NOP"),
    },
    Planted {
        name: "a barrier that is not taken back behind the inner meeting place",
        program: "flow_deep_ifs",
        breaks: "A-CONV",
        change: |c| {
            let at =
                (0..).find(|i| written(entry(c).code[*i]).contains("BMOV.32 B0, R7")).expect("it is there");
            entry(c).code[at + 2] = word("NOP");
        },
    },
    Planted {
        name: "a barrier that is taken back while lanes are in it",
        program: "flow_deep_ifs",
        breaks: "A-CONV",
        change: |c| put(c, "BSYNC B0", "NOP"),
    },
    Planted {
        name: "a barrier that is set while it is kept without being left",
        program: "flow_deep_ifs",
        breaks: "A-CONV",
        change: |c| put(c, "BMOV.32.CLEAR R0, B0", "BMOV.32 R0, B0"),
    },
    Planted {
        name: "another number as a barrier's lanes",
        program: "flow_deep_ifs",
        breaks: "A-CONV",
        change: |c| put(c, "BMOV.32 B0, R7", "BMOV.32 B0, R2"),
    },
    // Loops that lanes leave in different rounds.
    Planted {
        name: "a loop that is left without BREAK",
        program: "flow_loop_else",
        breaks: "A-CONV",
        change: |c| put(c, "BREAK", "NOP"),
    },
    // Tables.
    Planted {
        name: "an entry of a table",
        program: "switch",
        breaks: "equal values",
        change: |c| table(c)[0] ^= 0x20,
    },
    Planted {
        name: "an entry of a table that is no place of the code",
        program: "switch",
        breaks: "the jump goes to one of a few",
        change: |c| table(c)[1] ^= 0x10,
    },
    Planted {
        name: "a table read behind its end",
        program: "switch",
        breaks: "the jump goes to one of a few",
        change: |c| replace(c, "0x3, RZ, 0xc0", "0x7, RZ, 0xc0"),
    },
    // Where the launch alone decides, and where lanes do.
    Planted {
        name: "a shuffle in a loop without its meeting place",
        program: "own/rounds",
        breaks: "A-CONV",
        change: |c| replace(c, "BSYNC B0", "NOP"),
    },
    Planted {
        name: "a loop that lanes leave apart",
        program: "own/rounds",
        breaks: "equal values",
        change: |c| replace(c, "R9, UR6, PT", "R9, R0, PT"),
    },
    // Lanes that are together, and such as are here.
    Planted {
        name: "a load before the barrier of the warp",
        program: "own/synced",
        breaks: "events in order",
        change: |c| swap(c, "LDS", "NOP"),
    },
    Planted {
        name: "a store behind the barrier of the warp",
        program: "own/synced",
        breaks: "events in order",
        change: |c| swap(c, "STS", "NOP"),
    },
    Planted {
        name: "a barrier of the warp for those who are in",
        program: "own/synced",
        breaks: "A-CONV",
        change: |c| {
            put(c, "LOP3.LUT R7", "ISETP.GT.U32.AND P1, PT, R7, 0x3, PT");
            put(c, "STS [R6], R5", "@P1 BRA pc(0x10)")
        },
    },
    Planted {
        name: "a sum over those who are here by who voted",
        program: "own/counted",
        breaks: "A-LEADER",
        change: |c| replace(c, "R9, UR6", "R9, R5"),
    },
    Planted {
        name: "a vote of the source by those who are here",
        program: "own/counted",
        breaks: "A-CONV",
        change: |c| swap(c, "VOTE.ANY R5", "@P1 BRA"),
    },
];

/// Where the other side begins: the second `BSSY B1`.
fn other(cubin: &mut Cubin) -> usize {
    let first = find(cubin, "BSSY B1");
    let code = &entry(cubin).code;
    let more = code[first + 1..].iter().position(|w| written(*w).contains("BSSY B1"));
    first + 1 + more.expect("it is set on both sides")
}

/// Barriers of the other side get other names: of the pairs the first that fits.
fn rename(cubin: &mut Cubin, names: &[(&str, &str)]) {
    for at in other(cubin)..entry(cubin).code.len() {
        let old = entry(cubin).code[at];
        let text = written(old);
        let barrier = text.contains("BSSY") || text.contains("BSYNC");
        if let Some((from, to)) = names.iter().find(|(from, _)| barrier && text.contains(from)) {
            entry(cubin).code[at] = word(&text.replace(from, to));
        }
    }
}

/// Leaves an instruction of the other side out.
fn drop_of_other(cubin: &mut Cubin, text: &str) {
    let from = other(cubin) - 1;
    let code = &mut entry(cubin).code;
    let at = code[from..].iter().position(|w| written(*w).contains(text)).expect("it is there");
    code[from + at] = word("NOP");
}

/// The jump table of the entry.
fn table(cubin: &mut Cubin) -> &mut Vec<u8> {
    let bank = entry(cubin).banks.iter_mut().find(|b| b.number == 2);
    &mut bank.expect("a table").data
}
