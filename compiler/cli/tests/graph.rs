//! The options about control flow: `--dump-cfg`, `--dont-merge-basicblocks`, `--disable-phase`.

mod common;

use common::sassafras;
use tempfile::{TempDir, tempdir};

/// A loop with two entries, an assertion in it, and a loop behind it.
const IRREDUCIBLE: &str = "\
.version 8.0
.target sm_75
.address_size 64
.visible .entry two_entries(.param .u64 p, .param .u32 n)
{
    .reg .pred %q<4>;
    .reg .b32 %r<6>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %q0, %r2, 0;
    @%q0 bra SECOND;
FIRST:
    add.u32 %r1, %r1, 3;
    st.global.u32 [%d0], %r1;
SECOND:
    mul.lo.u32 %r1, %r1, 5;
    st.global.u32 [%d0+4], %r1;
    setp.lt.u32 %q1, %r1, %r0;
    @%q1 bra FIRST;
    setp.eq.u32 %q2, %r1, 77;
    @%q2 bra FAIL;
THIRD:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %q3, %r1, 1000;
    @%q3 bra THIRD;
    st.global.u32 [%d0+8], %r1;
    ret;
FAIL:
    trap;
}
";

/// Its edges: blocks 1 and 6 are the two entries of a loop.
const EDGES: &str = "\
bix0 -> bix1
bix0 -> bix6
bix1 -> bix6
bix1 -> bix2
bix2 -> bix5
bix2 -> bix3
bix3 -> bix3
bix3 -> bix4
bix6 -> bix1
";

fn folder(text: &str) -> TempDir {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.ptx"), text).expect("the folder is ours");
    folder
}

fn said(text: &str, words: &[&str]) -> String {
    let folder = folder(text);
    let all = [&["compile", "in.ptx", "-arch=sm_90", "-o", "out.cubin"], words].concat();
    let run = sassafras(folder.path(), &all);
    assert_eq!(run.code, 0, "{}", run.err);
    run.out
}

#[test]
fn graphs_of_a_compilation() {
    let dumped = said(IRREDUCIBLE, &["--dump-cfg=edges"]);
    assert_eq!(dumped, EDGES);
    let both = said(IRREDUCIBLE, &["--dump-cfg", "rpo,dot"]);
    let (dot, orders) = both.split_once("}\n").expect("the picture ends");
    assert!(dot.starts_with("digraph f {\nnode [fontname=\"Courier\",fontsize=10,shape=Mrecord];\n\"bix0\"\n[label=\"bix0(L9)\"]\n"), "{dot}");
    assert!(orders.starts_with("Showing RPO state for each basic block:\nbix0 -> RPONum: 0\n"), "{orders}");
    assert!(orders.contains("Showing backedge info:\n"), "{orders}");
    // Of machine code blocks are labelled by their offset.
    let placed = said(IRREDUCIBLE, &["--dump-cfg=dot@layout"]);
    assert!(placed.contains("[label=\"bix0(L0)\"]"), "{placed}");
    assert!(placed.lines().filter(|line| line.contains("(L")).all(|line| line.contains("0)")), "{placed}");
}

#[test]
fn why_lanes_part() {
    let dumped = said(IRREDUCIBLE, &["--dump-cfg=uniformity"]);
    let lines: Vec<&str> = dumped.lines().collect();
    // Every branch goes by the thread's index in the end.
    assert_eq!(lines.len(), 4, "{dumped}");
    assert!(
        lines.iter().all(|line| line.contains(": divergent, ") && line.contains("of line 11")),
        "{dumped}"
    );
    let uniform = said(&IRREDUCIBLE.replace("%tid.x", "%ctaid.x"), &["--dump-cfg=uniformity@optimise"]);
    assert!(!uniform.is_empty() && uniform.lines().all(|line| line.ends_with(": uniform")), "{uniform}");
    let folder = folder(IRREDUCIBLE);
    sassafras(folder.path(), &["compile", "in.ptx", "-arch=sm_90", "--dump-cfg=uniformity@layout"])
        .expect(2, "uniformity is known behind lower and optimise");
}

#[test]
fn a_loop_has_one_entry_unless_the_phase_is_left_out() {
    // As an irreducible graph shows: an edge goes back to a block that another edge enters.
    let back = |words: &[&str]| {
        let dumped = said(IRREDUCIBLE, &[&["--dump-cfg=edges@optimise"], words].concat());
        dumped.lines().count()
    };
    assert!(back(&["-O0"]) > back(&["-O0", "--disable-phase", "LoopMakeSingleEntry"]));
}

#[test]
fn blocks_are_merged_unless_asked_not_to() {
    const CHAIN: &str = "\
.version 8.0
.target sm_75
.address_size 64
.visible .entry chain(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<1>;
    ld.param.u64 %d0, [p];
    mov.u32 %r0, %tid.x;
    bra NEXT;
NEXT:
    add.u32 %r1, %r0, 1;
    bra LAST;
LAST:
    st.global.u32 [%d0], %r1;
    ret;
}
";
    let count = |words: &[&str]| {
        said(CHAIN, &[&["--dump-cfg=dot@optimise"], words].concat()).matches("label").count()
    };
    assert_eq!(count(&[]), 1);
    assert_eq!(count(&["--dont-merge-basicblocks"]), 3);
    assert_eq!(count(&["-no-bb-merge"]), 3);
}

#[test]
fn cold_blocks_stand_last_unless_the_phase_is_left_out() {
    const CHECKED: &str = "\
.version 8.0
.target sm_75
.address_size 64
.visible .entry checked(.param .u64 p, .param .u32 n)
{
    .reg .pred %q<2>;
    .reg .b32 %r<3>;
    .reg .b64 %d<1>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %q0, %r1, %r0;
    @%q0 bra FINE;
    st.global.u32 [%d0+4], %r1;
    trap;
FINE:
    st.global.u32 [%d0], %r1;
    ret;
}
";
    let text = |words: &[&str]| said(CHECKED, words);
    drop(text(&[]));
    let folder = folder(CHECKED);
    let trap_after_exit = |words: &[&str]| {
        let all = [&["compile", "in.ptx", "-arch=sm_90", "--stop-after", "layout", "-o", "out.txt"], words]
            .concat();
        assert_eq!(sassafras(folder.path(), &all).code, 0);
        let text = std::fs::read_to_string(folder.path().join("out.txt")).expect("it was written");
        let layout = text.lines().find(|line| line.starts_with("layout")).expect("it has one").to_owned();
        let block = text[..text.find("bpt.trap").expect("it traps")]
            .lines()
            .rev()
            .find(|l| l.ends_with("):"))
            .expect("a block")
            .to_owned();
        let name = block.split('(').next().expect("a name").to_owned();
        layout.ends_with(&format!(" {name}"))
    };
    assert!(trap_after_exit(&[]));
    // Without the choice of an order by frequencies, which may put the block there for other reasons.
    let trap_after_exit =
        |name: &str| trap_after_exit(&["--disable-phase", &format!("block-placement,{name}")]);
    assert!(!trap_after_exit("MarkAdditionalColdBlocks"));
    assert!(!trap_after_exit("OptimizeHotColdFlow"));
    assert!(trap_after_exit("OptimizeHotColdInLoop"));
}

#[test]
fn wrong_requests_are_refused_with_what_there_is() {
    let folder = folder(IRREDUCIBLE);
    for (words, expected) in [
        (["--dump-cfg", "picture"], "none of dot, edges, rpo"),
        (["--dump-cfg", "dot@nowhere"], "no phase is called `nowhere`"),
        (["--dump-cfg", "dot@emit"], "leaves no graph behind"),
        (["--disable-phase", "legalize"], "`legalize` cannot be left out"),
        (["--disable-phase", "nothing"], "LoopMakeSingleEntry"),
    ] {
        let all = [&["compile", "in.ptx", "-arch=sm_90", "-o", "out.cubin"], &words[..]].concat();
        let run = sassafras(folder.path(), &all);
        assert!(run.code == 1 || run.code == 2, "{words:?}: {}", run.code);
        assert!(run.err.contains(expected), "{words:?}: {}", run.err);
    }
}
