//! Copies to shared memory that go on by themselves, and what a conversion or a weak constant may be taken for.

use super::{Planted, image, put, swap};
use crate::pairs::{find, replace};

pub const ALL: &[Planted] = &[
    // What is under way.
    Planted {
        name: "copies that are not waited for",
        program: "cp_async_zfill",
        breaks: "a copy is over before it is looked at",
        change: |c| put(c, "DEPBAR.LE", "NOP"),
    },
    Planted {
        name: "a wait that leaves a copy under way",
        program: "cp_async_zfill",
        breaks: "a copy is over before it is looked at",
        change: |c| replace(c, "DEPBAR.LE SB0, 0x0", "DEPBAR.LE SB0, 0x1"),
    },
    Planted {
        name: "a wait for another scoreboard",
        program: "cp_async_zfill",
        breaks: "a copy is over before it is looked at",
        change: |c| replace(c, "DEPBAR.LE SB0, 0x0", "DEPBAR.LE SB1, 0x0"),
    },
    Planted {
        name: "copies that no scoreboard tells of",
        program: "cp_async_zfill",
        breaks: "a copy is over before it is looked at",
        change: |c| put(c, "LDGDEPBAR", "NOP"),
    },
    Planted {
        name: "a copy behind what tells of it",
        program: "cp_async_zfill",
        breaks: "a copy is over before it is looked at",
        change: |c| swap(c, "LDGSTS.E.BYPASS", "LDGDEPBAR"),
    },
    Planted {
        name: "a wait behind the block's barrier",
        program: "cp_async",
        breaks: "a copy is over before others are told",
        change: |c| swap(c, "DEPBAR.LE", "BAR.SYNC"),
    },
    Planted {
        name: "two copies to one place at once",
        program: "own/copies",
        breaks: "copies under way have no byte in common",
        change: |c| {
            put(c, "LDGDEPBAR", "NOP");
            put(c, "DEPBAR.LE", "NOP");
        },
    },
    Planted {
        name: "a store to what is copied from",
        program: "own/copies",
        breaks: "a copy is over before what it copies changes",
        change: |c| {
            let (wait, store) = (find(c, "DEPBAR.LE"), find(c, "STG"));
            crate::pairs::entry(c).code[wait..=store].rotate_right(1);
        },
    },
    // Which bytes are copied.
    Planted {
        name: "a copy whatever its predicate says",
        program: "cp_async_zfill",
        breaks: "zeros where nothing is copied",
        change: |c| {
            replace(
                c,
                "LDGSTS.E.BYPASS.128 [R13], desc[UR6][R8.64], P0",
                "LDGSTS.E.BYPASS.128 [R13], desc[UR6][R8.64]",
            )
        },
    },
    Planted {
        name: "a copy where its predicate says that there is none",
        program: "cp_async_zfill",
        breaks: "zeros where nothing is copied",
        change: |c| {
            replace(
                c,
                "LDGSTS.E.BYPASS.128 [R13], desc[UR6][R8.64], P0",
                "LDGSTS.E.BYPASS.128 [R13], desc[UR6][R8.64], !P0",
            )
        },
    },
    Planted {
        name: "nothing where zeros are due",
        program: "cp_async_zfill",
        breaks: "zeros where nothing is copied",
        change: |c| {
            replace(
                c,
                "LDGSTS.E.LTC128B.64 [R13], desc[UR6][R8.64], P0",
                "@P0 LDGSTS.E.LTC128B.64 [R13], desc[UR6][R8.64]",
            )
        },
    },
    // Values.
    Planted {
        name: "a packed conversion rounded another way",
        program: "cvt_i16_f32",
        breaks: "the rounding of a conversion",
        change: |c| replace(c, "F2IP.U8.F32.TRUNC.NTZ", "F2IP.U8.F32.NTZ"),
    },
    Planted {
        name: "a packed conversion in the other byte",
        program: "cvt_i16_f32",
        breaks: "the order of packed operands",
        change: |c| replace(c, "R5, RZ, R9, RZ", "R5, R9, RZ, RZ"),
    },
    Planted {
        name: "a packed conversion to a signed number",
        program: "cvt_i16_f32",
        breaks: "the range of a conversion",
        change: |c| replace(c, "F2IP.U8", "F2IP.S8"),
    },
    Planted {
        name: "a weak constant of another value",
        program: "linkage",
        breaks: "equal images",
        change: |c| image(c, sassafras_cubin::Space::Constant),
    },
];
