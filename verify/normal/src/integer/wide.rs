//! Whole numbers of 256 bits, for the ranges of sums whose floors alone fit 127 bits.

/// A number in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide {
    high: i128,
    low: u128,
}

impl From<i128> for Wide {
    fn from(number: i128) -> Wide {
        Wide { high: number >> 127, low: number as u128 }
    }
}

impl Wide {
    /// The product of two numbers.
    pub fn product(a: i128, b: i128) -> Wide {
        let (x, y) = (a.unsigned_abs(), b.unsigned_abs());
        let half = |n: u128| (n >> 64, n & u128::from(u64::MAX));
        let ((xh, xl), (yh, yl)) = (half(x), half(y));
        // Each summand is below 2^128 - 2^65, so that no sum of two halves more leaves it.
        let middle = xh * yl + half(xl * yl).0;
        let other = xl * yh + half(middle).1;
        let low = half(other).1 << 64 | half(xl * yl).1;
        let high = xh * yh + half(middle).0 + half(other).0;
        let whole = Wide { high: high as i128, low };
        if (a < 0) == (b < 0) { whole } else { whole.negative() }
    }

    fn negative(self) -> Wide {
        let (low, carry) = (!self.low).overflowing_add(1);
        Wide { high: (!self.high).wrapping_add(i128::from(carry)), low }
    }

    /// The sum; `None` if it does not fit.
    pub fn plus(self, other: Wide) -> Option<Wide> {
        let (low, carry) = self.low.overflowing_add(other.low);
        Some(Wide { high: self.high.checked_add(other.high)?.checked_add(i128::from(carry))?, low })
    }

    /// ⌊number / 2^power⌋ for a power from 1 to 127; `None` if it leaves 127 bits.
    pub fn floor(self, power: u32) -> Option<i128> {
        let low = (self.low >> power | (self.high as u128) << (128 - power)) as i128;
        (self.high >> power == low >> 127).then_some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::Wide;

    #[test]
    fn wide_numbers_are_exact() {
        let numbers =
            [0, 1, -1, 3, -7, 1 << 64, -(1 << 64), (1 << 64) - 1, (1 << 100) + 12345, i128::MAX, i128::MIN];
        for a in numbers {
            assert_eq!(Wide::from(a).floor(1), Some(a >> 1));
            for b in numbers {
                let product = Wide::product(a, b);
                assert_eq!(product, Wide::product(b, a));
                if let Some(exact) = a.checked_mul(b) {
                    assert_eq!(product, Wide::from(exact), "{a} {b}");
                }
                if let Some(exact) = a.checked_add(b) {
                    assert_eq!(Wide::from(a).plus(Wide::from(b)), Some(Wide::from(exact)));
                }
                assert_eq!(a.cmp(&b), Wide::from(a).cmp(&Wide::from(b)));
                // (a·2^64 + 1)·b by parts.
                if let (Some(wide), Some(part)) = (a.checked_mul(1 << 64), b.checked_mul(1)) {
                    let whole = Wide::product(wide + 1, b);
                    assert_eq!(whole, Wide::product(wide, b).plus(Wide::from(part)).expect("it fits"));
                }
            }
        }
        let square = Wide::product((1 << 64) - 1, (1 << 64) - 1);
        let whole = Wide::product(1 << 66, 1 << 66).plus(square).expect("it fits");
        assert_eq!(whole.floor(64), Some((1 << 68) + (1 << 64) - 2));
        assert_eq!(Wide::product(i128::MAX, i128::MAX).floor(1), None);
    }
}
