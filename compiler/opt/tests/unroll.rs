//! Counted loops store the same before and after they are unrolled.

use sassafras_graph::ControlFlow;
use sassafras_ir::interpret::{Input, run};
use sassafras_ir::{Block, Builder, Compare, Edge, Function, MemoryAccess, Op, Terminator, Type, Value};
use sassafras_opt::Level;
use sassafras_opt::pipeline::pipeline;
use sassafras_opt::unroll::unroll;
use sassafras_semantics::{Axis, Bits, Concrete, Space, SpecialRegister};

const WORD: MemoryAccess = MemoryAccess::weak(Space::Global, 4);

const STEPS: [i32; 6] = [1, 2, 3, -1, -2, -4];
/// Numbers near which loops begin or end.
const ENDS: [u32; 5] = [0, 7, 0x7fff_fff9, 0x8000_0005, 0xffff_fffa];
/// Most instructions of a run: loops that go round longer are left out.
const LIMIT: usize = 2_000;

/// What a loop is made of.
#[derive(Clone, Copy, Debug)]
struct Shape {
    compare: Compare,
    step: i32,
    /// The test sees the parameter as it will be, instead of as it is.
    next: bool,
    /// Operations more in each turn.
    more: usize,
    /// The turn has a branch.
    branches: bool,
}

/// Lane X begins at its number, and counts to the number of Y. Each turn stores what it counts and a sum of it, and the sum is stored behind the loop.
fn counting(shape: Shape) -> Function {
    let mut f = Function::new("k");
    let (body, end) = (f.add_block(), f.add_block());
    let (count, sum) = (f.add_param(body, Type::I32), f.add_param(body, Type::I32));
    let entry = f.entry;
    let mut b = Builder::new(&mut f, entry);
    let start = b.value(Op::Special(SpecialRegister::Tid(Axis::X)), &[], Type::I32);
    let bound = b.value(Op::Special(SpecialRegister::Tid(Axis::Y)), &[], Type::I32);
    let step = b.i32(shape.step as u32);
    let zero = b.i32(0);
    b.jump(body, &[start, zero]);
    b.block = body;
    let mut now = b.xor(count, sum);
    for _ in 0..shape.more {
        now = b.mul(now, count);
    }
    let mut all = b.add(sum, now);
    if shape.branches {
        let (odd, join) = (b.function.add_block(), b.function.add_block());
        let joined = b.function.add_param(join, Type::I32);
        let test = b.compare(Compare::ULt, count, bound);
        b.branch(test, Edge::new(odd, &[]), Edge::new(join, &[all]));
        b.block = odd;
        let other = b.sub(all, count);
        b.jump(join, &[other]);
        b.block = join;
        all = joined;
    }
    let address = b.i64(0x1000);
    b.emit(Op::Store(WORD), &[address, all], &[]);
    let next = b.add(count, step);
    let tested = if shape.next { next } else { count };
    let again = b.compare(shape.compare, tested, bound);
    b.branch(again, Edge::new(body, &[next, all]), Edge::new(end, &[]));
    b.block = end;
    for value in [all, next] {
        let address = b.i64(0x2000);
        b.emit(Op::Store(WORD), &[address, value], &[]);
    }
    b.terminate(Terminator::Exit);
    f
}

/// What is stored, if the loop ends soon.
fn stores(f: &Function, start: u32, bound: u32) -> Option<Vec<Vec<Bits>>> {
    let special = |register| match register {
        SpecialRegister::Tid(Axis::X) => start.into(),
        _ => bound.into(),
    };
    run(f, &Concrete::default(), &Input { params: &[], special: &special, limit: LIMIT }).ok()
}

/// Pairs of a start and a bound: how many there are of which the loop ends soon, and how many of them two functions do not do alike.
fn differences(shape: Shape, one: &Function, other: &Function) -> (u32, u32) {
    let (mut ended, mut differ) = (0, 0);
    for end in ENDS {
        for away in 0..14u32 {
            let distance = (away as i32 - 3).wrapping_mul(shape.step);
            let bound = end.wrapping_add(distance as u32).wrapping_add(away & 1);
            if let Some(stored) = stores(one, end, bound) {
                ended += 1;
                differ += u32::from(stores(other, end, bound).is_none_or(|found| found != stored));
            }
        }
    }
    (ended, differ)
}

fn shapes() -> impl Iterator<Item = Shape> {
    let tests = Compare::ALL.into_iter().filter(|compare| *compare != Compare::Eq);
    let all = tests.flat_map(|compare| STEPS.map(|step| (compare, step)));
    all.enumerate().flat_map(|(at, (compare, step))| {
        [false, true].map(|next| Shape { compare, step, next, more: at % 3, branches: at % 4 == 1 })
    })
}

#[test]
fn unrolled_loops_store_the_same() {
    let (mut unrolled, mut ended) = (0, 0);
    for shape in shapes() {
        let before = counting(shape);
        let mut after = before.clone();
        unrolled += u32::from(unroll(&mut after).changed());
        let (runs, differ) = differences(shape, &before, &after);
        assert_eq!(differ, 0, "{shape:?} of {runs}");
        ended += runs;
        let mut whole = before.clone();
        pipeline(&mut whole, Level::O3, &mut |_, _, _| {}).expect("all is selectable");
        assert_eq!(differences(shape, &before, &whole).1, 0, "{shape:?}, all passes");
    }
    assert!(unrolled > 50 && ended > 2_000, "{unrolled} loops, {ended} runs");
}

const PLAIN: Shape = Shape { compare: Compare::SLt, step: 1, next: true, more: 0, branches: false };

/// The edge of each block that leads to another, with the place of the edge.
fn edges_to(f: &Function, to: Block) -> Vec<(Block, usize)> {
    let places =
        |from: Block| f.succs(from).into_iter().enumerate().map(move |(at, block)| (from, at, block));
    let all = f.blocks.keys().flat_map(places);
    all.filter(|(_, _, block)| *block == to).map(|(from, at, _)| (from, at)).collect()
}

#[test]
fn planted_faults_are_found() {
    let before = counting(PLAIN);
    let header = before.blocks.keys().nth(1).expect("the loop");
    let mut right = before.clone();
    assert!(unroll(&mut right).changed());
    assert_eq!(differences(PLAIN, &before, &right).1, 0);
    // Behind the long turns nothing is left to do.
    let mut lost = right.clone();
    let mids: Vec<_> = edges_to(&right, header)
        .into_iter()
        .filter(|(from, at)| *at == 0 && *from != header && right.succs(*from).len() == 2)
        .collect();
    let [(mid, _)] = mids[..] else { panic!("{mids:?}") };
    let Terminator::Branch { otherwise, .. } = right.blocks[mid].terminator.clone() else {
        panic!("a branch")
    };
    lost.blocks[mid].terminator = Terminator::Jump(otherwise);
    assert!(differences(PLAIN, &before, &lost).1 > 0, "the remainder is lost");
    // A copy gets what the one before it got.
    let mut copies = 0;
    for block in right.blocks.keys() {
        let Terminator::Jump(edge) = &right.blocks[block].terminator else { continue };
        let params: Vec<Value> = right.blocks[block].params.clone();
        if edge.args.len() != 2 || params.len() != 2 {
            continue;
        }
        for (at, &param) in params.iter().enumerate() {
            let mut other = right.clone();
            let mut edge = edge.clone();
            edge.args[at] = param;
            other.blocks[block].terminator = Terminator::Jump(edge);
            assert!(differences(PLAIN, &before, &other).1 > 0, "{block}, argument {at}");
            copies += 1;
        }
    }
    assert_eq!(copies, 6, "three copies lead to the next");
}

#[test]
fn a_long_turn_becomes_one_of_two_and_a_longer_one_stays() {
    let copies = |more: usize| {
        let mut f = counting(Shape { more, ..PLAIN });
        let before = f.blocks.len();
        unroll(&mut f);
        f.blocks.len() - before
    };
    assert_eq!([copies(10), copies(50), copies(70)], [6, 4, 0]);
}

#[test]
fn a_loop_that_ends_soon_stays() {
    let mut f = counting(PLAIN);
    // From 0 to 3.
    for inst in f.insts.keys().collect::<Vec<_>>() {
        f.insts[inst].op = match f.insts[inst].op {
            Op::Special(SpecialRegister::Tid(Axis::X)) => Op::Const(0),
            Op::Special(SpecialRegister::Tid(Axis::Y)) => Op::Const(3),
            op => op,
        };
    }
    assert!(!unroll(&mut f).changed());
}

#[test]
fn a_loop_that_is_not_to_be_unrolled_stays() {
    let mut f = counting(PLAIN);
    let header = f.blocks.keys().nth(1).expect("the loop");
    f.blocks[header].nounroll = true;
    assert!(!unroll(&mut f).changed());
}
