//! Faults of branch folding: what is wrong, the rule that objects, the function before, after, and the merges.

type Fault = (&'static str, &'static str, &'static str, &'static str, &'static str);

const PATH: &str = "folding-path";
const MERGE: &str = "folding-merge";
const EXACT: &str = "folding-exact";
const REDUCIBLE: &str = "folding-reducible";
const TOGETHER: &str = "folding-together";
const BARRIER: &str = "folding-barrier";
const RESERVED: &str = "folding-reserved";

const DIAMOND: &str = super::super::DIAMOND;

/// A loop that an `if` stands before, its header with two predecessors outside.
const LOOP: &str = "b0: p ?P0 b1 b2 | b1: m9 m1 b2 | b2: m7 p ?P0 b3 b4 | b3: m8 m1 b2 | b4: exit";
const LOOP_MERGED: &str =
    "b0: p ?P0 b1 b2 | b1: m9 b5 | b2: m7 p ?P0 b3 b4 | b3: m8 b5 | b5: m1 b2 | b4: exit";
/// The tails end in a branch, and the loop is one block.
const BRANCHES: &str = "b0: p ?P0 b1 b2 | b1: m9 m1 ?P1 b2 b4 | b2: m7 m1 ?P1 b2 b4 | b4: exit";
const BRANCHES_MERGED: &str = "b0: p ?P0 b1 b2 | b1: m9 b5 | b2: m7 b5 | b5: m1 ?P1 b2 b4 | b4: exit";
const INNER: &str =
    "b0: b1 | b1: m6 p ?P0 b2 b3 | b2: m9 m1 b3 | b3: p ?P0 b4 b5 | b4: m8 m1 b3 | b5: ?P1 b1 b6 | b6: exit";
const INNER_MERGED: &str = "b0: b1 | b1: m6 p ?P0 b2 b3 | b2: m9 b7 | b3: p ?P0 b4 b5 | b4: m8 b7 | b7: m1 b3 | b5: ?P1 b1 b6 | b6: exit";
const THREE: &str = "b0: p ?P0 b1 b2 | b1: m9 m1 b2 | b2: m7 p ?P0 b3 b4 | b3: ?P1 b5 b6 | b5: m8 m1 b2 | b6: m2 m1 b2 | b4: exit";
const THREE_MERGED: &str = "b0: p ?P0 b1 b2 | b1: m9 b7 | b2: m7 p ?P0 b3 b4 | b3: ?P1 b5 b6 | b5: m8 b7 | b6: m2 b7 | b7: m1 b2 | b4: exit";
const ENTRIES: &str =
    "b0: ?P1 b1 b2 | b1: m9 m1 b3 | b2: m7 b3 | b3: m6 p ?P0 b4 b5 | b4: m8 m1 b3 | b5: exit";
const ENTRIES_MERGED: &str =
    "b0: ?P1 b1 b2 | b1: m9 b6 | b2: m7 b3 | b3: m6 p ?P0 b4 b5 | b4: m8 b6 | b6: m1 b3 | b5: exit";
const WHOLE: &str = "b0: p ?P0 b1 b2 | b1: m1 b2 | b2: m7 p ?P0 b3 b4 | b3: m1 b2 | b4: exit";
const WHOLE_MERGED: &str = "b0: p ?P0 b1 b2 | b1: m1 b2 | b2: m7 p ?P0 b1 b4 | b4: exit";

pub const FAULTS: &[Fault] = &[
    // Paths.
    (
        "another instruction",
        PATH,
        DIAMOND,
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: m1 m5 b3 | b3: m3 exit",
        "b4<b1,b2:2",
    ),
    (
        "a loop waits for the contrary",
        PATH,
        "b0: p b1 | b1: ?P0 b2 b3 | b2: b1 | b3: m3 exit",
        "b0: p b1 | b1: !P0 b1 b3 | b3: m3 exit",
        "",
    ),
    (
        "a loop does not wait",
        PATH,
        "b0: p b1 | b1: ?P0 b2 b3 | b2: b1 | b3: m3 exit",
        "b0: p b1 | b1: m3 exit",
        "",
    ),
    (
        "an instruction is lost",
        PATH,
        DIAMOND,
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: m2 b3 | b3: m3 exit",
        "b4<b1,b2:2",
    ),
    (
        "an instruction is there twice",
        PATH,
        DIAMOND,
        "b0: p ?P0 b1 b2 | b1: m9 m1 b4 | b2: m8 b4 | b4: m1 m2 b3 | b3: m3 exit",
        "b4<b1,b2:2",
    ),
    (
        "the order is another",
        PATH,
        DIAMOND,
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: m2 m1 b3 | b3: m3 exit",
        "b4<b1,b2:2",
    ),
    (
        "the sides are exchanged",
        PATH,
        DIAMOND,
        "b0: p ?P0 b2 b1 | b1: m9 m1 m2 b3 | b2: m8 m1 m2 b3 | b3: m3 exit",
        "",
    ),
    (
        "the condition is turned around alone",
        PATH,
        DIAMOND,
        "b0: p !P0 b1 b2 | b1: m9 m1 m2 b3 | b2: m8 m1 m2 b3 | b3: m3 exit",
        "",
    ),
    (
        "another predicate",
        PATH,
        DIAMOND,
        "b0: p ?P1 b1 b2 | b1: m9 m1 m2 b3 | b2: m8 m1 m2 b3 | b3: m3 exit",
        "",
    ),
    ("one side is gone", PATH, DIAMOND, "b0: p b1 | b1: m9 m1 m2 b3 | b3: m3 exit", ""),
    ("a branch is new", PATH, "b0: m1 b1 | b1: m2 exit", "b0: m1 ?P0 b1 b2 | b1: m2 exit | b2: m2 exit", ""),
    (
        "what goes up writes the condition",
        PATH,
        "b0: m1 ?P0 b1 b2 | b1: p m2 exit | b2: p m4 exit",
        "b0: m1 p ?P0 b1 b2 | b1: m2 exit | b2: m4 exit",
        "b0<b1,b2:1^",
    ),
    (
        "what goes up is of one side",
        PATH,
        "b0: m1 ?P0 b1 b2 | b1: m2 exit | b2: m4 exit",
        "b0: m1 m2 ?P0 b1 b2 | b1: exit | b2: m4 exit",
        "",
    ),
    ("a guard is lost", PATH, "b0: p @P0.m1 exit", "b0: p m1 exit", ""),
    (
        "the end comes early",
        PATH,
        DIAMOND,
        "b0: p ?P0 b1 b2 | b1: m9 m1 m2 exit | b2: m8 m1 m2 b3 | b3: m3 exit",
        "",
    ),
    (
        "a branch is marked uniform",
        PATH,
        DIAMOND,
        "b0: p u?P0 b1 b2 | b1: m9 m1 m2 b3 | b2: m8 m1 m2 b3 | b3: m3 exit",
        "",
    ),
    (
        "a loop that may never end is gone",
        PATH,
        "b0: b1 | b1: ?P0 b1 b2 | b2: m1 exit",
        "b0: b2 | b2: m1 exit",
        "",
    ),
    (
        "the tail leads elsewhere",
        PATH,
        DIAMOND,
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: m1 m2 b1 | b3: m3 exit",
        "b4<b1,b2:2",
    ),
    // Merges.
    (
        "they are not equal",
        MERGE,
        "b0: p ?P0 b1 b2 | b1: m1 m2 b3 | b2: m1 m4 b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: b2 | b2: m1 m4 b3 | b3: exit",
        "b2<b1,b2:2",
    ),
    (
        "they lead elsewhere",
        MERGE,
        "b0: p ?P0 b1 b2 | b1: m9 m1 ?P1 b3 b4 | b2: m8 m1 ?P1 b3 b5 | b3: exit | b4: m4 b3 | b5: m5 b3",
        "b0: p ?P0 b1 b2 | b1: m9 b6 | b2: m8 b6 | b6: m1 ?P1 b3 b4 | b3: exit | b4: m4 b3",
        "b6<b1,b2:1",
    ),
    (
        "nothing is recorded",
        MERGE,
        DIAMOND,
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: m1 m2 b3 | b3: m3 exit",
        "",
    ),
    (
        "less is recorded",
        MERGE,
        DIAMOND,
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: m1 m2 b3 | b3: m3 exit",
        "b4<b1,b2:1",
    ),
    ("more is recorded than is there", MERGE, DIAMOND, DIAMOND, "b4<b1,b2:5"),
    ("a block is merged with itself", MERGE, DIAMOND, DIAMOND, "b4<b1,b1:2"),
    ("a block is merged that is none", MERGE, DIAMOND, DIAMOND, "b4<b1,b9:2"),
    ("no instruction is merged", MERGE, DIAMOND, DIAMOND, "b4<b1,b2:0"),
    ("one block is merged", MERGE, DIAMOND, DIAMOND, "b4<b1:2"),
    ("the tail goes to another block", MERGE, DIAMOND, DIAMOND, "b3<b1,b2:2"),
    ("one side alone goes up", MERGE, DIAMOND, DIAMOND, "b0<b1,b3:1^"),
    // The graph.
    ("a loop gets a second entry", EXACT, LOOP, LOOP_MERGED, "b5<b1,b3:1"),
    ("by tails that branch", EXACT, BRANCHES, BRANCHES_MERGED, "b5<b1,b2:1"),
    ("in a loop within a loop", EXACT, INNER, INNER_MERGED, "b7<b2,b4:1"),
    ("three tails", EXACT, THREE, THREE_MERGED, "b7<b1,b5,b6:1"),
    ("one of two entries", EXACT, ENTRIES, ENTRIES_MERGED, "b6<b1,b4:1"),
    ("blocks that are all tail", EXACT, WHOLE, WHOLE_MERGED, "b1<b1,b3:1"),
    ("a second merge", EXACT, THREE, THREE_MERGED, "b5<b5,b6:1 b7<b1,b5:1"),
    ("a cycle with two entries", REDUCIBLE, LOOP, LOOP_MERGED, "b5<b1,b3:1"),
    ("made by tails that branch", REDUCIBLE, BRANCHES, BRANCHES_MERGED, "b5<b1,b2:1"),
    ("made in a loop within a loop", REDUCIBLE, INNER, INNER_MERGED, "b7<b2,b4:1"),
    ("made by three tails", REDUCIBLE, THREE, THREE_MERGED, "b7<b1,b5,b6:1"),
    ("made by one of two entries", REDUCIBLE, ENTRIES, ENTRIES_MERGED, "b6<b1,b4:1"),
    (
        "made by a copy of the header",
        REDUCIBLE,
        "b0: p ?P0 b1 b2 | b1: m9 b2 | b2: m7 p ?P0 b3 b4 | b3: m8 b2 | b4: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b5 | b5: m7 p ?P0 b3 b4 | b2: m7 p ?P0 b3 b4 | b3: m8 b2 | b4: exit",
        "",
    ),
    // Lanes.
    (
        "a vote of both sides",
        TOGETHER,
        "b0: p ?P0 b1 b2 | b1: m9 vote m2 b3 | b2: m8 vote m2 b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: vote m2 b3 | b3: exit",
        "b4<b1,b2:2",
    ),
    (
        "a barrier of the block",
        TOGETHER,
        "b0: p ?P0 b1 b2 | b1: m9 bar m2 b3 | b2: m8 bar m2 b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: bar m2 b3 | b3: exit",
        "b4<b1,b2:2",
    ),
    (
        "a WARPSYNC",
        TOGETHER,
        "b0: p ?P0 b1 b2 | b1: m9 warpsync b3 | b2: m8 warpsync b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: warpsync b3 | b3: exit",
        "b4<b1,b2:1",
    ),
    (
        "one lane's value for all",
        TOGETHER,
        "b0: p ?P0 b1 b2 | b1: m9 r2ur b3 | b2: m8 r2ur b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: r2ur b3 | b3: exit",
        "b4<b1,b2:1",
    ),
    (
        "a BSSY of both sides",
        TOGETHER,
        "b0: p ?P0 b1 b2 | b1: m9 bssy:b3 b3 | b2: m8 bssy:b3 b3 | b3: bsync b5 | b5: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: bssy:b3 b3 | b3: bsync b5 | b5: exit",
        "b4<b1,b2:1",
    ),
    (
        "a vote goes up",
        TOGETHER,
        "b0: p ?P0 b1 b2 | b1: vote m2 exit | b2: vote m4 exit",
        "b0: p vote ?P0 b1 b2 | b1: m2 exit | b2: m4 exit",
        "b0<b1,b2:1^",
    ),
    (
        "a vote is copied to both sides",
        TOGETHER,
        "b0: p ?P0 b1 b2 | b1: m9 b3 | b2: m8 b3 | b3: vote m3 exit",
        "b0: p ?P0 b1 b2 | b1: m9 vote m3 exit | b2: m8 b3 | b3: vote m3 exit",
        "",
    ),
    (
        "lanes are together later",
        TOGETHER,
        "b0: p ?P0 b1 b2 | b1: m9 b3 | b2: m8 b3 | b3: q ?P1 b4 b5 | b4: vote b5 | b5: m5 exit",
        "b0: p ?P0 b1 b2 | b1: m9 b3 | b2: m8 b6 | b3: q ?P1 b4 b5 | b6: q ?P1 b4 b5 | b4: vote b5 | b5: m5 exit",
        "",
    ),
    (
        "the branch further out",
        TOGETHER,
        "b0: p ?P0 b1 b2 | b1: u?P1 b3 b4 | b2: m8 vote b5 | b3: m9 vote b5 | b4: m7 b5 | b5: exit",
        "b0: p ?P0 b1 b2 | b1: u?P1 b3 b4 | b2: m8 b6 | b3: m9 b6 | b6: vote b5 | b4: m7 b5 | b5: exit",
        "b6<b2,b3:1",
    ),
    (
        "two loops become one",
        TOGETHER,
        "b0: b1 | b1: b2 | b2: vote p ?P0 b3 b4 | b3: ?P1 b1 b2 | b4: exit",
        "b0: b2 | b2: vote p ?P0 b3 b4 | b3: b2 | b4: exit",
        "",
    ),
    // Barriers.
    (
        "two barriers of one number",
        BARRIER,
        "b0: p ?P0 b1 b2 | b1: bssy:b3 m9 b3 | b3: bsync b5 | b2: bssy:b4 m8 b4 | b4: bsync b5 | b5: exit",
        "b0: p ?P0 b1 b2 | b1: bssy:b3 m9 b3 | b3: bsync b5 | b2: bssy:b3 m8 b3 | b5: exit",
        "b3<b3,b4:1",
    ),
    (
        "one of them is never set",
        BARRIER,
        "b0: p ?P0 b1 b2 | b1: bssy:b3 m9 b3 | b3: bsync b5 | b2: m8 b4 | b4: bsync b5 | b5: exit",
        "b0: p ?P0 b1 b2 | b1: bssy:b3 m9 b3 | b3: bsync b5 | b2: m8 b3 | b5: exit",
        "b3<b3,b4:1",
    ),
    (
        "with instructions before them",
        BARRIER,
        "b0: p ?P0 b1 b2 | b1: bssy:b3 m9 b3 | b3: m1 bsync b5 | b2: bssy:b4 m8 b4 | b4: m1 bsync b5 | b5: exit",
        "b0: p ?P0 b1 b2 | b1: bssy:b3 m9 b3 | b3: m1 bsync b5 | b2: bssy:b3 m8 b3 | b5: exit",
        "b3<b3,b4:2",
    ),
    (
        "BREAKs of two barriers",
        BARRIER,
        "b0: p ?P0 b1 b2 | b1: bssy:b5 m9 b3 | b3: break m1 b6 | b2: bssy:b5 m8 b4 | b4: break m1 b6 | b5: bsync b6 | b6: exit",
        "b0: p ?P0 b1 b2 | b1: bssy:b5 m9 b3 | b3: break m1 b6 | b2: bssy:b5 m8 b3 | b5: bsync b6 | b6: exit",
        "b3<b3,b4:2",
    ),
    (
        "the barrier is set again on one side",
        BARRIER,
        "b0: p bssy:b3 ?P0 b1 b2 | b1: m9 b3 | b3: bsync b5 | b2: bssy:b4 m8 b4 | b4: bsync b5 | b5: exit",
        "b0: p bssy:b3 ?P0 b1 b2 | b1: m9 b3 | b3: bsync b5 | b2: bssy:b3 m8 b3 | b5: exit",
        "b3<b3,b4:1",
    ),
    (
        "one of three",
        BARRIER,
        "b0: p bssy:b3 ?P0 b1 b2 | b1: m9 b3 | b3: bsync b5 | b2: ?P1 b4 b6 | b4: m7 bsync b5 | b6: bssy:b3 m8 bsync b5 | b5: exit",
        "b0: p bssy:b3 ?P0 b1 b2 | b1: m9 b3 | b3: bsync b5 | b2: ?P1 b4 b6 | b4: m7 b3 | b6: bssy:b3 m8 b3 | b5: exit",
        "b3<b3,b4,b6:1",
    ),
    // Reserved registers.
    (
        "the thread's number",
        RESERVED,
        "b0: p ?P0 b1 b2 | b1: m9 tid m2 b3 | b2: m8 tid m2 b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: tid m2 b3 | b3: exit",
        "b4<b1,b2:2",
    ),
    (
        "the block's number",
        RESERVED,
        "b0: p ?P0 b1 b2 | b1: m9 ctaid b3 | b2: m8 ctaid b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: ctaid b3 | b3: exit",
        "b4<b1,b2:1",
    ),
    (
        "the lane's number",
        RESERVED,
        "b0: p ?P0 b1 b2 | b1: m9 m2 lane b3 | b2: m8 m2 lane b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: m2 lane b3 | b3: exit",
        "b4<b1,b2:2",
    ),
    (
        "the warp's number",
        RESERVED,
        "b0: p ?P0 b1 b2 | b1: m9 warp b3 | b2: m8 warp b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: warp b3 | b3: exit",
        "b4<b1,b2:1",
    ),
    (
        "the block's number in its cluster",
        RESERVED,
        "b0: p ?P0 b1 b2 | b1: m9 cta b3 | b2: m8 cta b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: cta b3 | b3: exit",
        "b4<b1,b2:1",
    ),
    (
        "the stack pointer",
        RESERVED,
        "b0: p ?P0 b1 b2 | b1: m9 stack m2 b3 | b2: m8 stack m2 b3 | b3: exit",
        "b0: p ?P0 b1 b2 | b1: m9 b4 | b2: m8 b4 | b4: stack m2 b3 | b3: exit",
        "b4<b1,b2:2",
    ),
];
