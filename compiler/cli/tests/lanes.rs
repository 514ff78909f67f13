//! Member masks that name lanes which have ended, or which the block does not have: they count nowhere (PTX ISA, `redux.sync`,
//! `match.sync`, `elect.sync`: "all non-exited threads corresponding to membermask").

mod common;

use common::sassafras;
use std::path::Path;

/// Lanes below five end; the others reduce, match and elect under a mask that the compiler does not know.
const ENDED: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 mask)
{
    .reg .pred p, q;
    .reg .b32 i, a, w, x, y, z;
    .reg .b64 to, at;
    ld.param.u64 to, [out];
    ld.param.u32 z, [mask];
    mov.u32 i, %laneid;
    mul.wide.u32 at, i, 16;
    add.u64 to, to, at;
    setp.lt.u32 p, i, 5;
    @p exit;
    add.u32 a, i, 100;
    redux.sync.and.b32 w, a, z;
    and.b32 y, a, 3;
    match.any.sync.b32 x, y, z;
    match.all.sync.b32 y|p, 7, z;
    elect.sync a|q, z;
    selp.u32 a, 1, 0, q;
    st.global.v4.u32 [to], {w, x, y, a};
    ret;
}
";

/// What a launch of one block of so many threads leaves.
fn words(folder: &Path, file: &str, threads: u32) -> Vec<[u32; 4]> {
    let (block, dump) = (threads.to_string(), format!("0={file}.out"));
    let run = ["run", file, "--grid", "1", "--block", &block, "--dump", &dump];
    let arguments = ["--arg", "zeros:512", "--arg", "u32:0xffffffff"];
    sassafras(folder, &[&run[..], &arguments[..]].concat()).expect(0, "");
    let bytes = std::fs::read(folder.join(format!("{file}.out"))).expect("it was written");
    let word = |b: &[u8]| u32::from_le_bytes(b.try_into().expect("four bytes"));
    bytes.chunks_exact(16).map(|line| [0, 4, 8, 12].map(|at| word(&line[at..at + 4]))).collect()
}

#[test]
fn lanes_that_have_ended_are_no_members() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::write(path.join("in.ptx"), ENDED).expect("it can be written");
    sassafras(path, &["compile", "in.ptx", "-arch=sm_90", "-o", "out.cubin"]).expect(0, "");
    for threads in [32, 20] {
        let lanes = 5..threads;
        let here = lanes.clone().fold(0, |all, n| all | 1 << n);
        let expected: Vec<[u32; 4]> = (0..32)
            .map(|lane| {
                let alike = |n: &u32| (n + 100) & 3 == (lane + 100) & 3;
                let found = lanes.clone().filter(alike).fold(0, |all, n| all | 1 << n);
                let least = lanes.clone().fold(u32::MAX, |all, n| all & (n + 100));
                if lanes.contains(&lane) { [least, found, here, u32::from(lane == 5)] } else { [0; 4] }
            })
            .collect();
        for file in ["in.ptx", "out.cubin"] {
            assert_eq!(words(path, file, threads), expected, "{file} with {threads} threads");
        }
    }
}

/// Odd lanes shuffle in the first turn, even ones in the second: one shuffle (PTX ISA, `shfl.sync`), behind which lanes go on together in
/// different turns.
const IN_TURNS: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 turns)
{
    .reg .pred p, q;
    .reg .b32 t, odd, turn, v, w, all;
    .reg .b64 to, at;
    ld.param.u64 to, [out];
    mov.u32 t, %laneid;
    and.b32 odd, t, 1;
    mov.u32 turn, 0;
    mov.u32 v, 0;
TOP:
    setp.eq.u32 p, turn, odd;
    @p bra SKIP;
    shfl.sync.bfly.b32 v, t, 1, 31, 0xffffffff;
SKIP:
    add.u32 turn, turn, 1;
    setp.lt.u32 q, turn, 2;
    @q bra TOP;
    mul.wide.u32 at, t, 4;
    add.u64 to, to, at;
    st.global.u32 [to], v;
    ret;
}
";

#[test]
fn lanes_that_meet_in_different_turns_go_their_own_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    std::fs::write(path.join("in.ptx"), IN_TURNS).expect("it can be written");
    sassafras(path, &["compile", "in.ptx", "-arch=sm_90", "-o", "out.cubin"]).expect(0, "");
    for file in ["in.ptx", "out.cubin"] {
        let found: Vec<u32> = words(path, file, 32).into_iter().flatten().take(32).collect();
        assert_eq!(found, (0..32).map(|lane| lane ^ 1).collect::<Vec<u32>>(), "{file}");
    }
}
