//! Upper halves of products of long integers with constants, put together from products of words.
//!
//! With x = 2³²·h + l and a constant 2³²·g + k the product is l·k + 2³²·(l·g + h·k) + 2⁶⁴·h·g, and its upper half is what is carried out of the first two
//! summands, and h·g. Compilers carry in two ways. Sums of words with carries are no sum of the normal form where upper words of the constant
//! stand for negative numbers: here the ways are made and named, as the upper half that they are.

use crate::inputs::Inputs;
use rustc_hash::FxHashMap;
use sassafras_ptx::checked::{Inst, Op, Operand, Part, Type};
use sassafras_semantics::{Domain, TermId, Terms};

/// Bits of a word.
const WORD: u32 = 32;
/// Bits of the factors.
const LONG: u32 = 2 * WORD;

/// The constant that an instruction takes the upper half of a product of long integers with.
pub fn multiplies(inst: &Inst) -> Option<u64> {
    let long = matches!(inst.types.first(), Some(Type::U(64) | Type::S(64)));
    let upper = long && inst.op == Op::Mul && inst.mods.part == Some(Part::Hi);
    let constant = |o: &Operand| match o {
        Operand::Immediate(c) => Some(*c),
        _ => None,
    };
    inst.operands.iter().filter(|_| upper).find_map(constant)
}

/// The upper half of the unsigned product of a number of 64 bits and a constant.
fn whole(d: &Terms, x: TermId, constant: u64) -> TermId {
    let product = d.mul(&d.zext(&x, 2 * LONG), &d.constant(2 * LONG, constant.into()));
    d.extract(&product, LONG, LONG)
}

/// The same from products of words: with the two middle products added first, or one after the other, either first.
fn ways(d: &Terms, x: TermId, constant: u64) -> [TermId; 3] {
    let long = |t: TermId| d.zext(&t, LONG);
    let low = |t: TermId| d.extract(&t, 0, WORD);
    let high = |t: TermId| d.extract(&t, WORD, WORD);
    let half = |c: u64| d.constant(LONG, c.into());
    let (k, g) = (half(constant & u64::from(u32::MAX)), half(constant >> WORD));
    let (l, h) = (long(low(x)), long(high(x)));
    let (first, last) = (d.mul(&l, &k), d.mul(&h, &g));
    let middle = [d.mul(&l, &g), d.mul(&h, &k)];
    // No sum below is longer than its terms.
    let both = d.add(&d.zext(&middle[0], LONG + 2), &d.zext(&middle[1], LONG + 2));
    let sum = d.add(&d.zext(&high(first), WORD + 2), &d.zext(&low(both), WORD + 2));
    let above = d.concat(&d.zext(&d.extract(&both, LONG, 1), WORD), &high(both));
    let at_once = d.add(&d.add(&last, &above), &long(d.extract(&sum, WORD, 1)));
    let one_by_one = |a: TermId, b: TermId| {
        let a = d.add(&a, &long(high(first)));
        let b = d.add(&b, &long(low(a)));
        d.add(&d.add(&last, &long(high(a))), &long(high(b)))
    };
    [at_once, one_by_one(middle[0], middle[1]), one_by_one(middle[1], middle[0])]
}

/// From the next run on what is made of words in one of these ways is the upper half of the product.
pub fn named(inputs: &Inputs<'_>, x: TermId, constant: u64) {
    let (d, x) = (inputs.terms, inputs.normal.of(x));
    if d.width_of(x) != LONG || inputs.known(x).is_some() {
        return;
    }
    let whole = inputs.normal.of(whole(d, x, constant));
    let made = ways(d, x, constant).map(|way| inputs.normal.of(way));
    // Where the middle products are added at once, a carry is a bit of its own, so that words are taken of what is not yet 64 bits.
    let words = [0, WORD].map(|low| [made[0], whole].map(|t| inputs.normal.bits(t, low, WORD)));
    let pairs = made.map(|way| (way, whole)).into_iter().chain(words.map(|[way, is]| (way, is)));
    let same: FxHashMap<TermId, TermId> =
        pairs.filter(|(way, is)| way != is && inputs.known(*way).is_none()).collect();
    inputs.normal.declare(&same);
}

#[cfg(test)]
mod tests {
    use super::{LONG, WORD, ways, whole};
    use sassafras_semantics::{Concrete, Domain, TermId, Terms};

    const VALUES: [u64; 14] = [
        0,
        1,
        2,
        0xffff_ffff,
        0x1_0000_0000,
        0x1_0000_0001,
        0x8000_0000,
        0x7fff_ffff_ffff_ffff,
        0x8000_0000_0000_0000,
        0xffff_ffff_0000_0000,
        0xffff_ffff_ffff_ffff,
        0xcccc_cccc_cccc_cccd,
        0x20c4_9ba5_e353_f7cf,
        0x9e37_79b9_7f4a_7c15,
    ];

    #[test]
    fn each_way_is_the_upper_half() {
        let (d, home) = (Terms::raw(), Concrete::default());
        let x = d.variable("x", LONG);
        // Beside the ways of one constant those of another, and a carry that is lost: each differs somewhere.
        let mut wrong = [false; 4];
        for constant in VALUES {
            let value = |t: TermId, v: u64| d.evaluate(&home, t, |_| v.into()).bits() as u64;
            let (right, others) = (ways(&d, x, constant), ways(&d, x, constant ^ 1 << WORD));
            let bare = whole(&d, d.concat(&d.extract(&x, WORD, WORD), &d.constant(WORD, 0)), constant);
            for v in VALUES {
                let exact = ((u128::from(v) * u128::from(constant)) >> LONG) as u64;
                assert_eq!(value(whole(&d, x, constant), v), exact);
                for way in right {
                    assert_eq!(value(way, v), exact, "{v:#x} {constant:#x}");
                }
                for (seen, way) in wrong.iter_mut().zip(others.into_iter().chain([bare])) {
                    *seen |= value(way, v) != exact;
                }
            }
        }
        assert_eq!(wrong, [true; 4]);
    }
}
