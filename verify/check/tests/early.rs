//! BSYNC may let lanes go early (`docs/convergence.md`, C9 and C11): what our code does about it is right by the judge, and is not when a WARPSYNC is
//! taken away.

use sassafras_check::{Verdict, machine};
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{Stage, session};
use sassafras_isa::Meaning;
use sassafras_machine::{Function, MInst};
use std::sync::Mutex;

/// Keeps the function that a stage leaves.
struct Last(Stage, Mutex<Option<Function>>);

impl Observer for Last {
    fn observe(
        &self,
        stage: Stage,
        _: Option<Form<'_>>,
        after: Form<'_>,
        _: &Notes,
    ) -> Result<(), Objection> {
        if let Form::Machine(f) = after
            && stage == self.0
        {
            *self.1.lock().expect("no judge panics") = Some(f.clone());
        }
        Ok(())
    }
}

/// What a stage leaves on a chip.
fn form(text: &str, chip: &str, stage: Stage) -> Function {
    let arch = Some(Arch::Real(chip.parse().expect("a target")));
    let options = Options { arch, jobs: 1, ..Options::default() };
    let last = Last(stage, Mutex::new(None));
    session::compile(text, "early", &options, None, &last).unwrap_or_else(|failure| panic!("{failure}"));
    last.1.into_inner().expect("no judge panics").expect("the stage is reached")
}

fn compile(text: &str) -> Function {
    form(text, "sm_90", Stage::Schedule)
}

fn rules(f: &Function) -> Vec<&'static str> {
    match machine::check(f) {
        Verdict::Objected(all) => all.iter().map(|one| one.rule).collect(),
        _ => Vec::new(),
    }
}

fn is(inst: &MInst, meaning: Meaning) -> bool {
    inst.inst().is_some_and(|inst| inst.row().meaning == meaning)
}

/// Takes away each WARPSYNC of all lanes in front of such an operation, one at a time: how many there are, and to how many faults the judge objects
/// by this rule.
fn without(f: &Function, operation: Meaning, rule: &str) -> (usize, usize) {
    let mut seen = (0, 0);
    for (block, index, _) in f.insts().filter(|(.., inst)| is(inst, Meaning::WarpsyncAll)) {
        if !f.blocks[block].insts.get(index + 1).is_some_and(|next| is(next, operation)) {
            continue;
        }
        let mut faulted = f.clone();
        faulted.blocks[block].insts.remove(index);
        seen = (seen.0 + 1, seen.1 + usize::from(rules(&faulted).contains(&rule)));
    }
    sassafras_oracle::fault::planted("machine", &"sm_90", "dropped wait of all lanes", seen.0, seen.1);
    seen
}

fn feature(name: &str) -> String {
    let path = sassafras_reference::workspace_root().join(format!("corpus/features/{name}.ptx"));
    std::fs::read_to_string(path).expect("a file of the corpus")
}

/// `atom.shared.add.f32` is a loop that yields, with barriers of the block behind it.
#[test]
fn a_barrier_behind_a_loop_that_yields_needs_its_wait() {
    let f = compile(&feature("atom_shared_float"));
    assert_eq!(rules(&f), [""; 0]);
    let (planted, seen) = without(&f, Meaning::Bar, "converge-barrier");
    assert!(planted > 0 && seen == planted, "{seen} of {planted}");
}

/// Lanes leave three loops at once, and others meet in them. Behind them all are asked.
#[test]
fn what_stands_behind_loops_that_lanes_break_off_needs_its_wait() {
    let text = feature("flow_break_depth_three");
    let f = compile(&text);
    assert_eq!(rules(&f), [""; 0]);
    assert_eq!(without(&f, Meaning::Shfl, "converge-early"), (1, 1));
    let f = compile(&text.replace("JOIN:", "JOIN:\n    bar.sync 0;"));
    assert_eq!(rules(&f), [""; 0]);
    assert_eq!(without(&f, Meaning::Bar, "converge-barrier"), (1, 1));
}

/// Without a WARPSYNC of all lanes, or what begins a collective, the judge objects.
#[test]
fn barriers_behind_what_separates_lanes_need_their_waits() {
    for (name, source) in
        [("persistent", PERSISTENT), ("early return", EARLY_RETURN), ("one of several", IF_ELSE)]
    {
        let f = compile(source);
        assert_eq!(rules(&f), [""; 0], "{name}");
        let wait = |inst: &MInst| is(inst, Meaning::WarpsyncAll) || is(inst, Meaning::Collective);
        let mut seen = (0, 0);
        for (block, index, _) in f.insts().filter(|(.., inst)| wait(inst)) {
            let ends = f.blocks[block].insts[index].inst().is_some_and(|inst| inst.ends_collective());
            if ends {
                continue;
            }
            let mut faulted = f.clone();
            faulted.blocks[block].insts.remove(index);
            seen = (seen.0 + 1, seen.1 + usize::from(rules(&faulted).contains(&"converge-barrier")));
        }
        assert!(seen.0 > 0 && seen.0 == seen.1, "{name}: {} of {}", seen.1, seen.0);
    }
}

/// Placement that looks at waits for all lanes alone sets a barrier around a vote by masks, behind loops that let lanes go early.
#[test]
fn no_barrier_is_open_where_lanes_of_a_mask_come_one_by_one() {
    for chip in ["sm_75", "sm_90"] {
        let mut f = form(MASKED_VOTES, chip, Stage::Fold);
        let marked = f.insts().filter(|(.., inst)| inst.scattered).count();
        assert!(marked > 0);
        let place = |mut f: Function| {
            sassafras_codegen::converge(&mut f).expect("barriers");
            sassafras_codegen::layout(&mut f).expect("an order");
            rules(&f).into_iter().filter(|rule| rule.starts_with("converge")).collect::<Vec<_>>()
        };
        assert_eq!(place(f.clone()), [""; 0]);
        for block in f.layout.clone() {
            f.blocks[block].insts.iter_mut().for_each(|inst| inst.scattered = false);
        }
        assert!(place(f).contains(&"converge-masked"), "{chip}");
    }
}

/// Lanes that a branch keeps from a barrier may still be on their way to an end: a WARPSYNC of all lanes waits until they have ended, and no barrier of convergence is
/// open that they would wait in.
#[test]
fn barriers_that_others_leave_for_an_end_need_their_waits() {
    let ends = [
        ("they store behind it", "@p bra END; bar.sync 0; add.u32 t, t, 5; END: st.global.u32 [o], t; ret;"),
        ("they store elsewhere", "@p bra END; bar.sync 0; ret; END: st.global.u32 [o], t; ret;"),
        (
            "they leave a loop",
            "AGAIN: @p bra END; bar.sync 0; sub.u32 t, t, 1; setp.eq.u32 p, t, 9; bra AGAIN; END: st.global.u32 [o], t; ret;",
        ),
        (
            "another is in between",
            "@p bra MORE; bar.sync 0; MORE: st.global.u32 [o], t; setp.gt.u32 p, t, 8; @p bra END; bar.sync 0; END: st.global.u32 [o+4], t; ret;",
        ),
    ];
    for (name, rest) in ends {
        for chip in ["sm_75", "sm_90"] {
            let text = format!(
                ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{ .reg .pred p; .reg .b32 t; .reg .b64 o;\n \
                 ld.param.u64 o, [out]; mov.u32 t, %tid.x; setp.gt.u32 p, t, 7;\n {rest} }}\n"
            );
            let f = form(&text, chip, Stage::Schedule);
            assert_eq!(rules(&f), [""; 0], "{name}, {chip}");
            let mut seen = (0, 0);
            for (block, index, inst) in f.insts() {
                let next = f.blocks[block].insts.get(index + 1);
                let waits = is(inst, Meaning::WarpsyncAll) || is(inst, Meaning::Warpsync);
                if waits && next.is_some_and(|next| is(next, Meaning::Bar)) {
                    let mut faulted = f.clone();
                    faulted.blocks[block].insts.remove(index);
                    seen = (seen.0 + 1, seen.1 + usize::from(rules(&faulted).contains(&"converge-barrier")));
                }
            }
            sassafras_oracle::fault::planted("machine", &chip, "dropped wait for who ends", seen.0, seen.1);
            assert!(seen.0 > 0 && seen.0 == seen.1, "{name}, {chip}: {seen:?}");
        }
    }
}

/// Lanes that end at the branch itself need no wait, nor do barriers that all paths of a branch lead to.
#[test]
fn barriers_that_nobody_leaves_need_no_wait() {
    for rest in [
        "@p exit; bar.sync 0; st.global.u32 [o], t; ret;",
        "@p bra END; bar.sync 0; st.global.u32 [o], t; END: ret;",
        "@p bra MORE; add.u32 t, t, 1; MORE: bar.sync 0; st.global.u32 [o], t; ret;",
    ] {
        let text = format!(
            ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{ .reg .pred p; .reg .b32 t; .reg .b64 o;\n \
             ld.param.u64 o, [out]; mov.u32 t, %tid.x; setp.gt.u32 p, t, 7;\n {rest} }}\n"
        );
        let f = compile(&text);
        assert_eq!(rules(&f), [""; 0], "{rest}");
        assert!(!f.insts().any(|(.., inst)| is(inst, Meaning::WarpsyncAll)), "{rest}");
    }
}

/// A WARPSYNC whose mask is that of the lanes that execute it may stand in an open barrier. What looks almost like it may not.
#[test]
fn only_lanes_that_name_themselves_wait_in_a_barrier() {
    for chip in ["sm_75", "sm_90"] {
        let f = form(OWN_GROUP, chip, Stage::Layout);
        assert_eq!(rules(&f), [""; 0]);
        let masked =
            |inst: &MInst| is(inst, Meaning::Warpsync) && inst.inst().is_some_and(|i| i.get("a").is_some());
        let (block, wait, _) = f.insts().find(|(.., inst)| masked(inst)).expect("a wait for lanes of a mask");
        let insts = &f.blocks[block].insts;
        let vote = insts[..wait].iter().rposition(|inst| is(inst, Meaning::Vote)).expect("its mask");
        let mask = insts[wait].inst().and_then(|inst| inst.get("a")).expect("a register");
        let other = |name: &str| {
            let found = f.insts().find(|(.., inst)| inst.inst().is_some_and(|i| i.row().family == name));
            found.map(|(.., inst)| inst.clone()).unwrap_or_else(|| panic!("no `{name}` on {chip}"))
        };
        let set = |f: &mut Function, at: usize, field: &str, value: u64| {
            let inst = f.blocks[block].insts[at].inst_mut().expect("an instruction");
            inst.set(field, value).unwrap_or_else(|e| panic!("{field}: {e}"));
        };
        type Fault<'a> = (&'a str, &'a dyn Fn(&mut Function));
        let faults: [Fault<'_>; 9] = [
            ("all lanes must agree", &|f| set(f, vote, "mode", 0)),
            ("lanes of a predicate", &|f| set(f, vote, "q", 0)),
            ("no lanes", &|f| set(f, vote, "q.not", 1)),
            ("another register", &|f| set(f, wait, "a", mask + 1)),
            ("the vote writes another", &|f| set(f, vote, "d", mask + 1)),
            ("the vote is under a guard", &|f| {
                f.blocks[block].insts[vote].inst_mut().expect("a vote").guard.pred = 0;
            }),
            ("they yield in between", &|f| f.blocks[block].insts.insert(vote + 1, other("yield"))),
            ("they wait for others in between", &|f| {
                let mut between = f.blocks[block].insts[wait].clone();
                between.inst_mut().expect("a wait").set("a", mask + 1).expect("a register");
                f.blocks[block].insts.insert(vote + 1, between);
            }),
            ("the mask is that of a block before", &|f| {
                let moved = f.blocks[block].insts.remove(vote);
                let before =
                    f.layout.iter().copied().find(|&b| f.blocks[b].succs.iter().any(|e| e.block == block));
                let before = before.expect("a block in front");
                let end = f.blocks[before].insts.iter().position(|inst| inst.target.is_some());
                let end = end.unwrap_or(f.blocks[before].insts.len());
                f.blocks[before].insts.insert(end, moved);
            }),
        ];
        for (name, fault) in faults {
            let mut faulted = f.clone();
            fault(&mut faulted);
            let seen = rules(&faulted).contains(&"converge-masked");
            sassafras_oracle::fault::planted("machine", &chip, name, 1, usize::from(seen));
            assert!(seen, "{name}, {chip}: {:?}", rules(&faulted));
        }
    }
}

/// Before it was written so, code of these had an objection: lanes leave a barrier that they came to for themselves one by one; a barrier begins so far up
/// that lanes of a mask, or of the warp, would wait in it; lanes name themselves again behind a wait for others, or with a guarded instruction in between;
/// lanes leave a barrier for another place of the same loop, which lets nobody go early behind it.
#[test]
fn what_lanes_come_from_one_by_one_is_known_everywhere() {
    for (name, source, chips) in [
        ("barriers of a function", BEHIND_COLLECTIVE, &["sm_90", "sm_100"][..]),
        ("a barrier that begins further up", FURTHER_UP, &["sm_75", "sm_90"]),
        ("themselves again", OWN_GROUP_AGAIN, &["sm_75", "sm_90"]),
        ("the warp, in a barrier that begins further up", WARP_FURTHER_UP, &["sm_75", "sm_80", "sm_90"]),
        ("a barrier that lanes leave within a loop", LEFT_WITHIN, &["sm_75", "sm_90", "sm_120"]),
    ] {
        for chip in chips {
            for level in 0..4 {
                let arch = Some(Arch::Real(chip.parse().expect("a target")));
                let options = Options { arch, jobs: 1, level, ..Options::default() };
                let last = Last(Stage::Schedule, Mutex::new(None));
                let made = session::compile(source, "early", &options, None, &last);
                made.unwrap_or_else(|failure| panic!("{name}, {chip}, -O{level}: {failure}"));
                let f = last.1.into_inner().expect("no judge panics").expect("the stage is reached");
                assert_eq!(rules(&f), [""; 0], "{name}, {chip}, -O{level}");
            }
        }
    }
}

/// Lanes leave a loop with a barrier in it one by one, and wait for the warp in the first case of a switch. The barrier of the second branch of the switch begins in
/// front of the first: if that case held it, lanes of the loop would wait at theirs, which has its number, for lanes that wait for them.
#[test]
fn no_barrier_is_open_where_the_warp_waits_for_lanes_elsewhere() {
    for chip in ["sm_75", "sm_90"] {
        let mut f = form(WARP_FURTHER_UP, chip, Stage::Fold);
        let all = |inst: &MInst| {
            is(inst, Meaning::WarpsyncAll) || inst.inst().and_then(|i| i.get("m")) == Some(0xffff_ffff)
        };
        assert!(f.insts().any(|(.., inst)| all(inst) && inst.scattered), "{chip}");
        let place = |mut f: Function| {
            sassafras_codegen::converge(&mut f).expect("barriers");
            sassafras_codegen::layout(&mut f).expect("an order");
            rules(&f).into_iter().filter(|rule| rule.starts_with("converge")).collect::<Vec<_>>()
        };
        assert_eq!(place(f.clone()), [""; 0], "{chip}");
        for block in f.layout.clone() {
            f.blocks[block].insts.iter_mut().filter(|inst| all(inst)).for_each(|inst| inst.scattered = false);
        }
        let seen = place(f).contains(&"converge-masked");
        sassafras_oracle::fault::planted(
            "machine",
            &chip,
            "barrier around a wait for the warp",
            1,
            usize::from(seen),
        );
        assert!(seen, "{chip}");
    }
}

/// A persistent kernel: the loop holds an atomic operation, and its end depends on what it gives.
const PERSISTENT: &str = "\
.version 9.0
.target sm_75
.address_size 64
.global .align 4 .u32 next;
.visible .entry k()
{ .reg .pred first, more; .reg .b32 t, n; .shared .align 4 .u32 shared_n;
 mov.u32 t, %tid.x; setp.eq.u32 first, t, 0;
AGAIN: @!first bra ALL; atom.global.add.u32 n, [next], 1; st.shared.u32 [shared_n], n;
ALL: bar.sync 0; ld.shared.u32 n, [shared_n]; bar.sync 0;
 setp.lt.u32 more, n, 7; @more bra AGAIN;
 ret; }
";

/// A loop of compare-and-swap, a branch that ends some threads, a barrier.
const EARLY_RETURN: &str = "\
.version 9.0
.target sm_75
.address_size 64
.visible .entry k()
{ .reg .pred ends; .reg .b32 t; .reg .f32 f; .shared .align 4 .b32 sum;
 mov.u32 t, %tid.y; atom.shared.add.f32 f, [sum], 0f3F800000;
 setp.gt.u32 ends, t, 0; @ends bra END; bar.sync 0;
END: ret; }
";

/// Barriers without `.aligned` on both sides of a branch.
const IF_ELSE: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .pred odd; .reg .b32 t; .reg .b64 o; .reg .f32 f; .shared .align 4 .b32 sum;
 ld.param.u64 o, [out]; mov.u32 t, %tid.x; and.b32 t, t, 1; setp.ne.u32 odd, t, 0;
 atom.shared.add.f32 f, [sum], 0f3F800000;
 @odd bra ODD; barrier.sync 0; st.global.u32 [o], t; bra END;
ODD: barrier.sync 0; st.global.u32 [o+4], t;
END: st.global.u32 [o+8], t; ret; }
";

/// Loops that lanes leave from where others of them meet, and then votes whose mask is the last vote's.
const MASKED_VOTES: &str = "\
.version 8.7
.target sm_75
.address_size 64
.visible .entry k(.param .u64 source, .param .u64 result)
{ .reg .b64 from, to, at; .reg .b32 t, z, c, e, m, k, n; .reg .pred a, b, d, q;
 ld.param.u64 from, [source]; ld.param.u64 to, [result]; mov.u32 t, %tid.x; mul.wide.u32 at, t, 4;
 add.u64 from, from, at; add.u64 to, to, at; ld.global.u32 z, [from];
 and.b32 e, z, 1; setp.ne.u32 a, e, 0; and.b32 e, z, 2; setp.ne.u32 b, e, 0; and.b32 e, z, 4; setp.ne.u32 d, e, 0;
 mov.u32 c, 4; mov.u32 n, 0; @a bra THIRD;
FIRST: setp.eq.u32 q, c, 0; @q bra NEXT; sub.u32 c, c, 1; @!b bra FIRST;
SECOND: setp.eq.u32 q, c, 0; @q bra NEXT; sub.u32 c, c, 1; @!d bra SECOND;
THIRD: setp.eq.u32 q, c, 0; @q bra NEXT; sub.u32 c, c, 1; add.u32 n, n, z; @!d bra FIRST; bra THIRD;
NEXT: and.b32 k, z, 8; mov.b32 m, 0xffffffff;
VOTE: setp.eq.u32 q, k, 0; vote.sync.ballot.b32 m, !q, m; @q bra END; mov.u32 k, 0; add.u32 n, n, m; bra VOTE;
END: st.global.u32 [to], n; ret; }
";

/// Behind a loop of compare-and-swap lanes of an `if` ask who they are, and wait for each other.
const OWN_GROUP: &str = "\
.version 8.7
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .pred p; .reg .b32 t, m, r; .reg .b64 o; .reg .f32 f; .shared .align 4 .b32 sum;
 ld.param.u64 o, [out]; mov.u32 t, %tid.x; atom.shared.add.f32 f, [sum], 0f3F800000;
 setp.gt.u32 p, t, 7; @p bra SKIP;
 activemask.b32 m; st.global.u32 [o+8], t; bar.warp.sync m; st.global.u32 [o], m;
SKIP: st.global.u32 [o+4], t; ret; }
";

/// The same, with what lanes do under guards, and waits for others, in between.
const OWN_GROUP_AGAIN: &str = "\
.version 8.7
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .pred p, q; .reg .b32 t, m, n, r; .reg .b64 o; .reg .f32 f; .shared .align 4 .b32 sum;
 ld.param.u64 o, [out]; mov.u32 t, %tid.x; atom.shared.add.f32 f, [sum], 0f3F800000;
 setp.gt.u32 p, t, 7; setp.eq.u32 q, t, 1; @p bra SKIP;
 activemask.b32 m; @q st.global.u32 [o+8], t; bar.warp.sync m; shfl.sync.idx.b32 r, t, 0, 31, m; bar.warp.sync m;
 activemask.b32 n; bar.warp.sync m; shfl.sync.idx.b32 t, r, 0, 31, n; st.global.u32 [o], t;
SKIP: st.global.u32 [o+4], t; ret; }
";

/// Barriers without `.aligned` in a function and where it is called from, one of them in a loop that not all lanes may go round.
const BEHIND_COLLECTIVE: &str = "\
.version 8.7
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 which)
{ .reg .pred p, q; .reg .b32 t, n, c; .reg .b64 o;
 ld.param.u64 o, [out]; ld.param.u32 c, [which]; setp.eq.u32 q, c, 0; mov.u32 t, %tid.x; ld.global.u32 n, [o];
 barrier.sync 0; @q bra ONE; st.global.u32 [o+4], t;
ONE: bar.sync 1; setp.ne.u32 p, n, 0;
TURN: vote.sync.any.pred q, p, 0xffffffff; @q bra TURN;
 mov.u32 c, 0;
AGAIN: setp.ge.u32 p, c, n; @p bra END; barrier.sync 0; add.u32 c, c, 1; bra AGAIN;
END: st.global.u32 [o], t; ret; }
";

/// The first branch leads to waits for lanes of masks, and to another branch past what is behind them.
const FURTHER_UP: &str = "\
.version 8.7
.target sm_75
.address_size 64
.visible .entry k(.param .u64 to, .param .u64 from)
{ .reg .pred p, q, r; .reg .b32 a, b, c, m, n; .reg .b64 d, e;
 ld.param.u64 d, [to]; ld.param.u64 e, [from]; mov.u32 a, %tid.x; and.b32 c, a, 4;
 setp.ne.u32 p, c, 0; vote.sync.ballot.b32 m, p, 0xffffffff; mov.u32 b, 0;
 @p bra FIRST; ld.global.u32 c, [e]; setp.eq.u32 q, c, a; @q bra END; bra NEXT;
FIRST: and.b32 c, a, 3; match.any.sync.b32 n, c, m; setp.eq.u32 q, a, 5; vote.sync.any.pred r, q, n;
 selp.u32 b, 3, 8, r;
NEXT: mad.lo.u32 b, b, 7, a; st.global.u32 [d+4], b;
END: st.global.u32 [d], b; ret; }
";

/// Masks that shrink, a branch within the loop, and a switch with a barrier of the block in its first case, which falls into the second.
const WARP_FURTHER_UP: &str = "\
.version 8.7
.target sm_75
.address_size 64
.visible .entry k(.param .u64 source, .param .u64 result)
{ .reg .b64 from, to, at; .reg .b32 t, z, c, m, x; .reg .pred p, q, b;
 ld.param.u64 from, [source]; ld.param.u64 to, [result]; ld.global.u32 x, [from]; mov.u32 t, %tid.x; mul.wide.u32 at, t, 4;
 add.u64 at, from, at; ld.global.u32 z, [at+4]; and.b32 c, t, 3; mov.u32 m, 0xffffffff;
AGAIN: setp.eq.u32 p, c, 0; vote.sync.ballot.b32 m, !p, m; @p bra OUT; sub.u32 c, c, 1;
 and.b32 z, z, 5; setp.eq.u32 b, z, 0; @b bra SKIP; atom.global.add.u32 z, [to], z;
SKIP: bra AGAIN;
OUT: and.b32 x, x, 3;
CASES: .branchtargets FIRST, SECOND, SECOND, THIRD;
 brx.idx x, CASES;
FIRST: bar.sync 0;
SECOND: red.global.min.u32 [to+4], z;
THIRD: st.global.u32 [to+8], z; ret; }
";

/// Lanes that go past the inner loop leave its barrier, and stay in the outer loop.
const LEFT_WITHIN: &str = "\
.version 8.7
.target sm_75
.address_size 64
.visible .entry k(.param .u64 source, .param .u64 result)
{ .reg .b64 from, to; .reg .b32 c, n, d, r; .reg .pred p, q;
 ld.param.u64 from, [source]; ld.param.u64 to, [result]; ld.global.u32 n, [from]; ld.global.u32 d, [from+4]; mov.u32 c, %tid.x;
OUTER: setp.gt.s32 p, n, 0; @!p bra NEXT; sub.u32 c, c, 1; setp.eq.u32 q, c, 0; @q bra NEXT;
INNER: add.u32 d, d, n; st.global.u32 [to], d; setp.lt.u32 q, d, 99; @q bra INNER;
 st.global.u32 [to+4], c;
NEXT: setp.lt.u32 q, c, 7; @q bra OUTER;
 shfl.sync.up.b32 r, c, 1, 0, 0xffffffff; st.global.u32 [to+8], r; ret; }
";
