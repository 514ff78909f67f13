//! Random terms, for tests.

use sassafras_semantics::*;

/// Numbers from a seed.
pub struct Draw(pub u64);

impl Draw {
    /// The next number. They never end, so that this is no iterator.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// The next number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// A number that is likely to matter.
pub fn constant(r: &mut Draw, width: u32) -> u128 {
    match r.below(6) {
        0 => 0,
        1 => u128::MAX,
        2 => 1 << r.below(width.into()),
        3 => (1 << r.below(width.into())) - 1,
        4 => r.below(40).into(),
        _ => r.next().into(),
    }
}

/// A random term of a width.
pub fn term(d: &Terms, r: &mut Draw, width: u32, depth: u32) -> TermId {
    use BinaryOp as B;
    if depth == 0 || r.below(12) == 0 {
        return match r.below(4) {
            0 => d.constant(width, constant(r, width)),
            _ => d.variable(&format!("v{width}_{}", r.below(3)), width),
        };
    }
    let some = |r: &mut Draw| [1, 8, 16, 31, 32, 33, 34, 64][r.below(8) as usize];
    match r.below(18) {
        0..=3 => {
            let op = [B::Add, B::Sub, B::Mul, B::And, B::Or, B::Xor][r.below(6) as usize];
            d.binary(op, &term(d, r, width, depth - 1), &term(d, r, width, depth - 1))
        }
        4 => {
            let op = [B::Shl, B::LShr, B::AShr, B::UDiv, B::URem, B::SDiv][r.below(6) as usize];
            let count = if r.below(4) == 0 {
                term(d, r, width, depth - 1)
            } else {
                d.constant(width, r.below(u64::from(width) + 3).into())
            };
            d.binary(op, &term(d, r, width, depth - 1), &count)
        }
        5 => {
            let op = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::Reverse][r.below(3) as usize];
            d.unary(op, &term(d, r, width, depth - 1))
        }
        6 | 7 => {
            let whole = [width, width + 1, 2 * width, 34, 64, 33]
                .into_iter()
                .filter(|w| *w >= width && *w <= 128)
                .collect::<Vec<_>>();
            let whole = whole[r.below(whole.len() as u64) as usize];
            let low = r.below(u64::from(whole - width) + 1) as u32;
            d.extract(&term(d, r, whole, depth - 1), low, width)
        }
        8 | 9 if width > 1 => {
            let cut =
                if width == 64 && r.below(3) > 0 { 32 } else { 1 + r.below(u64::from(width) - 1) as u32 };
            d.concat(&term(d, r, width - cut, depth - 1), &term(d, r, cut, depth - 1))
        }
        10 | 11 if width > 1 => {
            let n = 1 + r.below(width.into()) as u32;
            let n = if width > 32 && r.below(2) == 0 { 32 } else { n };
            let a = term(d, r, n, depth - 1);
            if r.below(2) == 0 { d.zext(&a, width) } else { d.sext(&a, width) }
        }
        12 | 13 => {
            let c = term(d, r, 1, depth - 1);
            d.ite(&c, &term(d, r, width, depth - 1), &term(d, r, width, depth - 1))
        }
        _ => {
            let w = some(r);
            let op = [CompareOp::Eq, CompareOp::ULt, CompareOp::ULe, CompareOp::SLt, CompareOp::SLe]
                [r.below(5) as usize];
            let (a, b) = (term(d, r, w, depth - 1), term(d, r, w, depth - 1));
            let c = d.compare(op, &a, &b);
            if width == 1 { c } else { d.zext(&c, width) }
        }
    }
}
