//! What leaves a loop, by how many registers are live in it.

use sassafras_ir::interpret::{Input, run};
use sassafras_ir::{Builder, Compare, Edge, Function, MemoryAccess, Op, Terminator, Type, Value};
use sassafras_opt::hoist::hoist;
use sassafras_semantics::{Axis, Concrete, Space, SpecialRegister};

const WORD: MemoryAccess = MemoryAccess::weak(Space::Global, 4);

const LANE: SpecialRegister = SpecialRegister::Tid(Axis::X);

/// A loop of five trips that carries `live` sums, each of which takes in what the loop computes from `x` and `y` alone.
fn carrying(live: usize, invariant: impl Fn(&mut Builder<'_>, Value, Value) -> Value) -> Function {
    let mut f = Function::new("k");
    let (body, end) = (f.add_block(), f.add_block());
    let count = f.add_param(body, Type::I32);
    let sums: Vec<Value> = (0..live).map(|_| f.add_param(body, Type::I32)).collect();
    let entry = f.entry;
    let mut b = Builder::new(&mut f, entry);
    let x = b.value(Op::Special(LANE), &[], Type::I32);
    let three = b.i32(3);
    let y = b.add(x, three);
    let one = b.i32(1);
    let limit = b.i32(5);
    let mut first = vec![b.i32(0)];
    first.extend((0..live).map(|at| b.i32(at as u32)));
    b.jump(body, &first);
    b.block = body;
    let same = invariant(&mut b, x, y);
    let mut next = vec![b.add(count, one)];
    // Every sum is needed on the next trip, and both operands.
    next.extend(sums.iter().map(|&sum| b.xor(sum, same)).collect::<Vec<_>>());
    let both = b.sub(x, y);
    let mixed = b.mul(next[0], both);
    let address = b.i64(0x2000);
    b.emit(Op::Store(WORD), &[address, mixed], &[]);
    let again = b.compare(Compare::ULt, next[0], limit);
    b.branch(again, Edge::new(body, &next), Edge::new(end, &[]));
    b.block = end;
    for (at, &sum) in next[1..].to_vec().iter().enumerate() {
        let address = b.i64(0x1000 + 4 * at as u64);
        b.emit(Op::Store(WORD), &[address, sum], &[]);
    }
    for (at, value) in [x, y].into_iter().enumerate() {
        let address = b.i64(0x3000 + 4 * at as u64);
        b.emit(Op::Store(WORD), &[address, value], &[]);
    }
    b.terminate(Terminator::Exit);
    f
}

/// Whether the loop still multiplies high words.
fn stays(f: &Function) -> bool {
    let body = f.blocks.keys().nth(1).expect("the loop");
    f.blocks[body].insts.iter().any(|&inst| matches!(f.insts[inst].op, Op::MulHigh { .. }))
}

fn stores(f: &Function, lane: u64) -> Vec<Vec<sassafras_semantics::Bits>> {
    let input = Input { params: &[], special: &|_| lane, limit: 100_000 };
    run(f, &Concrete::default(), &input).expect("it runs")
}

fn product(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    b.same(Op::MulHigh { signed: false }, &[x, y])
}

#[test]
fn a_loop_with_few_live_values_computes_it_before() {
    for live in [1, 8, 30] {
        let mut f = carrying(live, product);
        let before = [0, 3, 31].map(|lane| stores(&f, lane));
        assert!(hoist(&mut f).changed());
        assert!(!stays(&f), "{live} values");
        assert_eq!([0, 3, 31].map(|lane| stores(&f, lane)), before);
        assert!(!hoist(&mut f).changed(), "nothing is left to move");
    }
}

#[test]
fn a_loop_with_many_live_values_keeps_what_is_cheap() {
    let mut f = carrying(44, product);
    hoist(&mut f);
    assert!(stays(&f));
}

#[test]
fn a_long_chain_leaves_a_loop_with_more_live_values() {
    let chain = |b: &mut Builder<'_>, x, y| {
        let high = product(b, x, y);
        let first = b.xor(high, x);
        let second = b.mul(first, y);
        let third = b.xor(second, x);
        b.mul(third, first)
    };
    for (live, kept) in [(44, false), (70, true)] {
        let mut f = carrying(live, chain);
        let before = [0, 3, 31].map(|lane| stores(&f, lane));
        hoist(&mut f);
        assert_eq!(stays(&f), kept, "{live} values");
        assert_eq!([0, 3, 31].map(|lane| stores(&f, lane)), before);
    }
}

#[test]
fn what_frees_its_operands_leaves_any_loop() {
    // The only use of `z` is the product.
    let mut f = carrying(70, product);
    let (entry, body) = (f.entry, f.blocks.keys().nth(1).expect("the loop"));
    let place = f.blocks[body].insts.iter().position(|&i| matches!(f.insts[i].op, Op::MulHigh { .. }));
    let inst = f.blocks[body].insts[place.expect("it is there")];
    let x = f.insts[inst].args[0];
    let made = f.append(entry, Op::Not, &[x], &[Type::I32], 0);
    let z = f.insts[made].results[0];
    f.insts[inst].args = [z, z].into_iter().collect();
    hoist(&mut f);
    assert!(!stays(&f));
}
