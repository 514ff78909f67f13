//! Random functions compute the same before and after each pass.

use proptest::prelude::*;
use sassafras_ir::interpret::{Input, run};
use sassafras_ir::{
    Block, Builder, Compare, Edge, FloatCompare, Function, MemoryAccess, Op, PackedOp, Terminator, Type,
    Value,
};
use sassafras_opt::{Level, pipeline};
use sassafras_semantics::{Axis, Bits, Concrete, FloatFormat, FloatMode, Rounding, Space, SpecialRegister};

/// Random bits (Sebastiano Vigna's splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

const TYPES: [Type; 4] = [Type::I1, Type::I16, Type::I32, Type::I64];

/// What instructions may be made from at a place: values by type.
#[derive(Clone, Default)]
struct Pool([Vec<Value>; 4]);

impl Pool {
    fn add(&mut self, f: &Function, v: Value) {
        let at = TYPES.iter().position(|t| *t == f.ty(v)).expect("a type of the pool");
        self.0[at].push(v);
    }
    /// A value of a type, made if there is none; a recent one more often.
    fn get(&mut self, b: &mut Builder, r: &mut Random, ty: Type) -> Value {
        let at = TYPES.iter().position(|t| *t == ty).expect("a type of the pool");
        if self.0[at].is_empty() || r.below(6) == 0 {
            let bits = [0, 1, 2, 31, 32, u64::MAX, 0x8000_0000, r.next()][r.below(8)];
            let v = b.constant(ty, u128::from(bits));
            self.0[at].push(v);
        }
        let n = self.0[at].len();
        let back = if r.below(2) == 0 { r.below(n) } else { r.below(n.min(4)) };
        self.0[at][n - 1 - back]
    }
}

fn integer_op(r: &mut Random) -> Op {
    let signed = r.below(2) == 0;
    [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::MulHigh { signed },
        Op::Min { signed },
        Op::Max { signed },
        Op::Div { signed },
        Op::Rem { signed },
        Op::And,
        Op::Or,
        Op::Xor,
    ][r.below(11)]
}

/// Appends one random instruction.
fn instruction(b: &mut Builder, pool: &mut Pool, r: &mut Random) {
    let wide = [Type::I32, Type::I64][r.below(2)];
    let signed = r.below(2) == 0;
    let format = if wide == Type::I32 { FloatFormat::F32 } else { FloatFormat::F64 };
    let roundings = [Rounding::NearestEven, Rounding::Zero, Rounding::Up, Rounding::Down];
    let mode = FloatMode { rounding: roundings[r.below(4)], ftz: false, sat: false };
    let (op, args, result): (Op, Vec<Type>, Type) = match r.below(24) {
        0..=5 => (integer_op(r), vec![wide; 2], wide),
        6 => ([Op::Neg, Op::Abs, Op::Not, Op::BitReverse][r.below(4)], vec![wide], wide),
        7 => ([Op::And, Op::Or, Op::Xor][r.below(3)], vec![Type::I1; 2], Type::I1),
        8 => (Op::Not, vec![Type::I1], Type::I1),
        9 => ([Op::Shl, Op::Shr { signed }][r.below(2)], vec![wide, Type::I32], wide),
        10 => (Op::FunnelShift { left: signed, wrap: r.below(2) == 0 }, vec![Type::I32; 3], Type::I32),
        11 => {
            let find = Op::FindHighest { signed, shift_amount: r.below(2) == 0 };
            ([Op::Popcount, Op::LeadingZeros, find][r.below(3)], vec![wide], Type::I32)
        }
        12 => (Op::BitExtract { signed }, vec![wide, Type::I32, Type::I32], wide),
        13 => (Op::BitInsert, vec![wide, wide, Type::I32, Type::I32], wide),
        14 => (Op::Lop3(r.next() as u8), vec![Type::I32; 3], Type::I32),
        15 => {
            let (from, to) = [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)][r.below(5)];
            (if signed && from != 0 { Op::SignExtend } else { Op::ZeroExtend }, vec![TYPES[from]], TYPES[to])
        }
        16 => {
            let (from, to) = [(3, 2), (3, 1), (2, 1)][r.below(3)];
            (Op::Truncate, vec![TYPES[from]], TYPES[to])
        }
        17 => {
            let low = [0, 16, 32, 48][r.below(4)];
            if r.below(2) == 0 {
                (Op::Extract(low & 32), vec![Type::I64], Type::I32)
            } else {
                (Op::Extract(low), vec![Type::I64], Type::I16)
            }
        }
        18 => (Op::Concat, vec![Type::I32; 2], Type::I64),
        19 => {
            use Compare::*;
            let all = [Eq, Ne, ULt, ULe, UGt, UGe, SLt, SLe, SGt, SGe];
            (Op::Compare(all[r.below(10)]), vec![wide; 2], Type::I1)
        }
        20 => {
            let ty = TYPES[r.below(4)];
            (Op::Select, vec![Type::I1, ty, ty], ty)
        }
        21 => (
            [Op::FAdd(format, mode), Op::FMul(format, mode), Op::FDiv(format, mode)][r.below(3)],
            vec![wide; 2],
            wide,
        ),
        22 => {
            let compare = [FloatCompare::Lt, FloatCompare::UEq, FloatCompare::Ordered][r.below(3)];
            (Op::FloatCompare { compare, format, ftz: false }, vec![wide; 2], Type::I1)
        }
        _ => {
            let kind = [PackedOp::Add, PackedOp::MaxNan][r.below(2)];
            (
                Op::Packed { kind, format: FloatFormat::F16, mode: FloatMode::default() },
                vec![Type::I32; 2],
                Type::I32,
            )
        }
    };
    let mut args: Vec<Value> = args.into_iter().map(|ty| pool.get(b, r, ty)).collect();
    if matches!(op, Op::Div { .. } | Op::Rem { .. }) {
        // Never zero: that would be undefined.
        let one = b.constant(wide, 1);
        args[1] = b.or(args[1], one);
    }
    let v = b.value(op, &args, result);
    pool.add(b.function, v);
}

fn show(b: &mut Builder, pool: &mut Pool, r: &mut Random) {
    let access = MemoryAccess::weak(Space::Global, 8);
    let address = b.i64(0x1000);
    let ty = [Type::I32, Type::I64][r.below(2)];
    let v = pool.get(b, r, ty);
    b.emit(Op::Store(access), &[address, v], &[]);
}

/// Blocks in order, each of which leads to later ones, and some of which are loops of a few rounds.
fn function(seed: u64) -> Function {
    let mut r = Random(seed);
    let mut f = Function::new("k");
    let count = 1 + r.below(7);
    let mut blocks = vec![f.entry];
    let mut params: Vec<Vec<Type>> = vec![Vec::new()];
    for _ in 0..count {
        blocks.push(f.add_block());
        params.push((0..r.below(3)).map(|_| TYPES[r.below(4)]).collect());
    }
    let mut common = Pool::default();
    for i in 0..blocks.len() {
        let mut pool = common.clone();
        for &ty in &params[i] {
            let v = f.add_param(blocks[i], ty);
            pool.add(&f, v);
        }
        let mut b = Builder::new(&mut f, blocks[i]);
        b.line = i as u32;
        if i == 0 {
            for n in 0..3 {
                let v = b.value(Op::Param { offset: 8 * n, bytes: 8, signed: false }, &[], Type::I64);
                pool.add(b.function, v);
            }
            let tid = b.value(Op::Special(SpecialRegister::Tid(Axis::X)), &[], Type::I32);
            pool.add(b.function, tid);
        }
        // A loop: a block of its own with a count.
        let looped = r.below(3) == 0 && i != 0;
        let mut counter = None;
        if looped {
            let body = b.function.add_block();
            let zero = b.i32(0);
            let x = pool.get(&mut b, &mut r, Type::I32);
            b.jump(body, &[zero, x]);
            b.block = body;
            let n = b.function.add_param(body, Type::I32);
            let x = b.function.add_param(body, Type::I32);
            pool.add(b.function, n);
            pool.add(b.function, x);
            counter = Some((body, n));
        }
        for _ in 0..r.below(12) {
            instruction(&mut b, &mut pool, &mut r);
        }
        if r.below(2) == 0 {
            show(&mut b, &mut pool, &mut r);
        }
        if let Some((body, n)) = counter {
            let after = b.function.add_block();
            let one = b.i32(1);
            let next = b.add(n, one);
            let limit = b.i32(3);
            let again = b.compare(Compare::ULt, next, limit);
            let x = pool.get(&mut b, &mut r, Type::I32);
            b.branch(again, Edge::new(body, &[next, x]), Edge::new(after, &[]));
            b.block = after;
        }
        if i == 0 {
            common = pool.clone();
        }
        let rest = blocks.len() - i - 1;
        if rest == 0 {
            show(&mut b, &mut pool, &mut r);
            b.terminate(Terminator::Exit);
            continue;
        }
        let edge = |b: &mut Builder, pool: &mut Pool, r: &mut Random| -> Edge {
            let to: usize = i + 1 + r.below(rest.min(3));
            let args: Vec<Value> = params[to].iter().map(|&ty| pool.get(b, r, ty)).collect();
            let block: Block = blocks[to];
            Edge::new(block, &args)
        };
        match r.below(4) {
            0 => {
                let to = edge(&mut b, &mut pool, &mut r);
                b.terminate(Terminator::Jump(to));
            }
            1 => {
                let index = pool.get(&mut b, &mut r, Type::I32);
                let three = b.i32(3);
                let index = b.and(index, three);
                let targets = (0..4).map(|_| edge(&mut b, &mut pool, &mut r)).collect();
                b.terminate(Terminator::Switch { index, targets });
            }
            _ => {
                let condition = pool.get(&mut b, &mut r, Type::I1);
                let (then, otherwise) = (edge(&mut b, &mut pool, &mut r), edge(&mut b, &mut pool, &mut r));
                b.branch(condition, then, otherwise);
            }
        }
    }
    f
}

fn results(f: &Function, seed: u64) -> Result<Vec<Vec<Bits>>, sassafras_ir::interpret::Stop> {
    let mut r = Random(seed);
    let params: Vec<u8> = (0..24).map(|_| [0, 0xff, r.next() as u8][r.below(3)]).collect();
    run(f, &Concrete::default(), &Input { params: &params, special: &|_| seed & 31, limit: 1_000_000 })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn passes_keep_results(seed: u64) {
        let before = function(seed);
        let expected: Vec<_> = (0..4).map(|i| results(&before, i)).collect();
        prop_assert!(expected.iter().all(|e| e.as_ref().is_ok_and(|stores| !stores.is_empty())), "{expected:?}");
        let mut after = before.clone();
        let mut wrong = None;
        let selectable = pipeline(&mut after, Level::O3, &mut |pass, f, _| {
            let got: Vec<_> = (0..4).map(|i| results(f, i)).collect();
            if got != expected && wrong.is_none() {
                wrong = Some(format!("{pass}: {expected:x?} became {got:x?}\n{}", sassafras_ir::text::print_function(f)));
            }
        });
        prop_assert!(wrong.is_none(), "{}\nbefore:\n{}", wrong.unwrap_or_default(), sassafras_ir::text::print_function(&before));
        prop_assert!(selectable.is_ok(), "{selectable:?}");
    }
}
