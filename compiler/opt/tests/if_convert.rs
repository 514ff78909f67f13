//! If-conversion, and the uniformity that its costs come from.

use sassafras_ir::interpret::{Input, run};
use sassafras_ir::uniformity::{Reason, Uniformity};
use sassafras_ir::{
    Block, Builder, Compare, Edge, Function, Guard, InstData, MemoryAccess, Op, Terminator, Type, Value,
};
use sassafras_opt::if_convert::if_convert;
use sassafras_semantics::state::VoteMode;
use sassafras_semantics::{Axis, Concrete, Ordering, Space, SpecialRegister};

const WORD: MemoryAccess = MemoryAccess::weak(Space::Global, 4);

/// `if (lane < 16) { then } else { otherwise }`, and a store of what comes of it.
fn diamond(lane: SpecialRegister, arms: impl Fn(&mut Builder<'_>, bool, Value, Value) -> Value) -> Function {
    let mut f = Function::new("k");
    let (then, otherwise, join) = (f.add_block(), f.add_block(), f.add_block());
    let result = f.add_param(join, Type::I32);
    let entry = f.entry;
    let mut b = Builder::new(&mut f, entry);
    let x = b.value(Op::Special(lane), &[], Type::I32);
    let address = b.i64(0x1000);
    let limit = b.i32(16);
    let condition = b.compare(Compare::ULt, x, limit);
    b.branch(condition, Edge::new(then, &[]), Edge::new(otherwise, &[]));
    for (block, first) in [(then, true), (otherwise, false)] {
        b.block = block;
        let value = arms(&mut b, first, x, address);
        b.jump(join, &[value]);
    }
    b.block = join;
    b.emit(Op::Store(WORD), &[address, result], &[]);
    b.terminate(Terminator::Exit);
    f
}

fn branches(f: &Function) -> usize {
    let blocks = f.reverse_post_order();
    let is_branch = |b: &&Block| matches!(f.blocks[**b].terminator, Terminator::Branch { .. });
    blocks.iter().filter(is_branch).count()
}

fn stores(f: &Function, lane: u64) -> Vec<Vec<sassafras_semantics::Bits>> {
    let input = Input { params: &[], special: &|_| lane, limit: 1000 };
    run(f, &Concrete::default(), &input).expect("it runs")
}

const LANE: SpecialRegister = SpecialRegister::Tid(Axis::X);

#[test]
fn arithmetic_becomes_selects() {
    let mut f = diamond(LANE, |b, first, x, _| {
        let three = b.i32(3);
        if first { b.mul(x, three) } else { b.add(x, three) }
    });
    let before = f.clone();
    assert_eq!(if_convert(&mut f).changes, 1);
    assert_eq!(branches(&f), 0);
    for lane in [0, 15, 16, 31] {
        assert_eq!(stores(&f, lane), stores(&before, lane), "lane {lane}");
    }
}

#[test]
fn stores_get_a_guard() {
    let mut f = diamond(LANE, |b, first, x, address| {
        if first {
            b.emit(Op::Store(WORD), &[address, x], &[]);
        }
        x
    });
    let before = f.clone();
    assert_eq!(if_convert(&mut f).changes, 1);
    for lane in [0, 15, 16, 31] {
        assert_eq!(stores(&f, lane), stores(&before, lane), "lane {lane}");
    }
}

/// The instructions of the entry that pass a test.
fn count(f: &Function, is: impl Fn(&InstData) -> bool) -> usize {
    f.blocks[f.entry].insts.iter().filter(|&&inst| is(&f.insts[inst])).count()
}

#[test]
fn a_load_keeps_what_the_other_side_passes() {
    let load = |b: &mut Builder<'_>, x: Value, address: Value, offset: i32| {
        let wide = b.zext(x, Type::I64);
        let place = b.add(address, wide);
        b.value(Op::Load(MemoryAccess { offset, ..WORD }), &[place], Type::I32)
    };
    let one = diamond(LANE, |b, first, x, address| if first { load(b, x, address, 0) } else { b.i32(7) });
    let two = diamond(LANE, |b, first, x, address| load(b, x, address, if first { 0 } else { 64 }));
    for (name, mut f) in [("one", one), ("two", two)] {
        assert_eq!(if_convert(&mut f).changes, 1, "{name}");
        let guarded = count(&f, |data| matches!(data.op, Op::Load(_)) && data.guard.is_some());
        assert_eq!(guarded, if name == "one" { 1 } else { 2 }, "{name}");
        assert_eq!(count(&f, |data| data.op == Op::Select), 0, "{name}");
        let access = |data: &InstData| matches!(data.op, Op::Load(_));
        let last = f.blocks[f.entry].insts.iter().rev().find(|&&i| access(&f.insts[i])).expect("a load");
        let kept = f.def_op(f.insts[*last].kept()[0]);
        let wanted = if name == "one" {
            kept == Some(&Op::Const(7))
        } else {
            kept.is_some_and(|op| matches!(op, Op::Load(_)))
        };
        assert!(wanted, "{name}: {kept:?}");
    }
}

/// Both sides compute with what they load: a select joins them, and what a guard leaves is any value.
#[test]
fn a_load_that_is_computed_with_keeps_nothing() {
    let mut f = diamond(LANE, |b, first, x, address| {
        if !first {
            return x;
        }
        let loaded = b.value(Op::Load(WORD), &[address], Type::I32);
        b.add(loaded, x)
    });
    assert_eq!(if_convert(&mut f).changes, 1);
    let load =
        f.blocks[f.entry].insts.iter().find(|&&i| matches!(f.insts[i].op, Op::Load(_))).expect("a load");
    assert_eq!(f.def_op(f.insts[*load].kept()[0]), Some(&Op::Undef));
    assert_eq!(count(&f, |data| data.op == Op::Select), 1);
}

#[test]
fn guards_are_joined() {
    let mut f = diamond(LANE, |b, first, x, address| {
        if !first {
            return x;
        }
        let four = b.i32(4);
        let inner = b.compare(Compare::ULt, x, four);
        let store = b.emit(Op::Store(WORD), &[address, x], &[]);
        b.function.insts[store].guard = Some(Guard { value: inner, negate: true });
        x
    });
    let before = f.clone();
    assert_eq!(if_convert(&mut f).changes, 1);
    for lane in [0, 3, 4, 15, 16, 31] {
        assert_eq!(stores(&f, lane), stores(&before, lane), "lane {lane}");
    }
}

#[test]
fn what_must_stay_under_its_branch_stays() {
    let vote = diamond(LANE, |b, first, x, _| {
        if !first {
            return x;
        }
        let all = b.i32(u32::MAX);
        let bit = b.compare(Compare::Eq, x, all);
        b.pair(Op::Vote(VoteMode::Ballot), &[bit, all], [Type::I32, Type::I1]).0
    });
    // Others see whether it is done.
    let load = diamond(LANE, |b, first, x, address| {
        if !first {
            return x;
        }
        let access = MemoryAccess { ordering: Ordering::Volatile, ..WORD };
        b.value(Op::Load(access), &[address], Type::I32)
    });
    // What a guard leaves would have to be put together of bytes.
    let bytes = diamond(LANE, |b, first, x, address| {
        if !first {
            return x;
        }
        let access = MemoryAccess { bytes: 1, lanes: 2, ..WORD };
        let inst = b.emit(Op::Load(access), &[address], &[Type::I32, Type::I32]);
        b.function.insts[inst].results[0]
    });
    let long = diamond(LANE, |b, first, x, _| {
        let one = b.i32(1);
        (0..if first { 40 } else { 0 }).fold(x, |y, _| b.mul(y, one))
    });
    for (name, mut f) in [("vote", vote), ("load", load), ("bytes", bytes), ("long", long)] {
        let before = f.clone();
        assert_eq!(if_convert(&mut f).changes, 0, "{name}");
        assert_eq!(f, before, "{name}");
    }
}

/// Where all lanes go one way a branch is cheap: six instructions stay under it, and do not under one that may diverge.
#[test]
fn the_cost_depends_on_uniformity() {
    let six = |b: &mut Builder<'_>, first: bool, x: Value, _: Value| {
        let five = b.i32(5);
        (0..if first { 6 } else { 0 }).fold(x, |y, _| b.xor(y, five))
    };
    assert_eq!(if_convert(&mut diamond(LANE, six)).changes, 1);
    assert_eq!(if_convert(&mut diamond(SpecialRegister::Ctaid(Axis::X), six)).changes, 0);
}

#[test]
fn reasons_lead_back_to_where_lanes_begin_to_differ() {
    let f = diamond(LANE, |b, first, x, _| if first { x } else { b.i32(7) });
    let found = Uniformity::new(&f);
    let Terminator::Branch { condition, .. } = f.blocks[f.entry].terminator else { panic!("a branch") };
    let chain = found.chain(condition);
    assert!(matches!(chain[..], [(_, Reason::From(_)), (_, Reason::Source(_))]), "{chain:?}");
    let text = found.explain(&f).to_string();
    assert!(text.starts_with("bb0: divergent, v4 is made from v1, v1 is `special.tid:x`"), "{text}");
    let even = diamond(SpecialRegister::Ctaid(Axis::X), |b, first, x, _| if first { x } else { b.i32(7) });
    assert_eq!(Uniformity::new(&even).explain(&even).to_string(), "bb0: uniform\n");
    // What lanes bring from both sides differs though each side is the same for all.
    let join = diamond(LANE, |b, first, _, _| b.i32(u32::from(first)));
    let found = Uniformity::new(&join);
    let merged = join.blocks.values().flat_map(|data| data.params.clone()).next().expect("the join has one");
    assert!(matches!(found.reason(merged), Some(Reason::Parted(block)) if block == join.entry));
}

/// Behind conversion blocks are joined, unless `ifcvt-branch-fold` is off; what is computed is the same.
#[test]
fn bf_02c_ifcvt_branch_fold() {
    use sassafras_opt::{Choices, Level, pipeline};
    let made = |fold_converted: bool| {
        let mut f = diamond(LANE, |b, first, x, _| {
            let number = b.i32(if first { 3 } else { 5 });
            b.add(x, number)
        });
        let choices = Choices { fold_converted, ..Choices::from(Level::O3) };
        pipeline(&mut f, choices, &mut |_, _, _| {}).expect("selection accepts it");
        f
    };
    let (folded, kept) = (made(true), made(false));
    assert_eq!((branches(&folded), branches(&kept)), (0, 0));
    assert!(folded.reverse_post_order().len() < kept.reverse_post_order().len());
    for lane in [0, 15, 16, 31] {
        assert_eq!(stores(&folded, lane), stores(&kept, lane));
    }
}
