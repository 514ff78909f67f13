//! Both words of a product.

use rustc_hash::FxHashMap;
use sassafras_ir::{Block, Function, Inst, Op, Type, User, Uses, Value};

/// The lower and the upper word of a product of two factors in a block, once they have been met; the latter with its signedness.
#[derive(Clone, Copy, Default)]
struct Words {
    low: Option<Inst>,
    high: Option<(Inst, bool)>,
}

/// Makes both words of a product of two words at once where a block asks for each of them: the hardware has an instruction that leaves them in a pair of
/// registers. Not where the lower word is a summand and nothing else, since the instruction of the sum makes it. Returns how many became one.
pub(crate) fn both_words(f: &mut Function) -> usize {
    let uses = Uses::new(f);
    let mut changes = 0;
    for block in f.reverse_post_order() {
        let mut met: FxHashMap<[Value; 2], Words> = FxHashMap::default();
        for inst in f.blocks[block].insts.clone() {
            let data = &f.insts[inst];
            let word = matches!(data.results[..], [result] if f.ty(result) == Type::I32);
            if !word || data.guard.is_some() || !matches!(data.op, Op::Mul | Op::MulHigh { .. }) {
                continue;
            }
            let mut factors = [data.args[0], data.args[1]];
            factors.sort();
            let words = met.entry(factors).or_default();
            match data.op {
                Op::MulHigh { signed } => words.high = Some((inst, signed)),
                _ if is_summand(f, &uses, inst) => continue,
                _ => words.low = Some(inst),
            }
            if let Words { low: Some(low), high: Some((high, signed)) } = *words {
                *words = Words::default();
                join(f, block, [low, high], signed);
                changes += 1;
            }
        }
    }
    changes
}

/// Whether the only use of what an instruction makes is a sum.
fn is_summand(f: &Function, uses: &Uses, inst: Inst) -> bool {
    match uses.of(f.insts[inst].results[0]) {
        [User::Inst(user)] => matches!(f.insts[*user].op, Op::Add | Op::Sub),
        _ => false,
    }
}

/// Makes the lower and the upper word of a product the words of one that stands in front of both.
fn join(f: &mut Function, block: Block, words: [Inst; 2], signed: bool) {
    let Some(at) = f.blocks[block].insts.iter().position(|inst| words.contains(inst)) else { return };
    let first = &f.insts[f.blocks[block].insts[at]];
    let (factors, line) = (first.args.to_vec(), first.line);
    let wide = f.insert(block, at, Op::MulWide { signed }, &factors, &[Type::I64], line);
    let wide = f.insts[wide].results[0];
    for (word, op) in words.into_iter().zip([Op::Truncate, Op::Extract(32)]) {
        f.insts[word].op = op;
        f.insts[word].args = [wide].into_iter().collect();
    }
}
