//! Values that floats and integers of every width find hard.

use sassafras_isa::{Draw, Rng};

/// What an operand is mostly taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavor {
    /// Integers.
    Integer,
    /// binary32.
    Single,
    /// binary64, in pairs of words.
    Double,
    /// Two binary16.
    Half,
    /// Two bfloat16.
    Bfloat,
    /// Small numbers of which sums of products are exact in every format: binary16.
    TameHalf,
    /// The same in bfloat16.
    TameBfloat,
    /// The same in binary32 (tf32).
    TameSingle,
    /// The same in binary64.
    TameDouble,
}

fn pick<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.draw(list.len() as u64) as usize]
}

/// Sign, then an exponent near a border or anywhere, then a fraction of few ones or random.
fn float(rng: &mut Rng, exponent: u32, fraction: u32) -> u64 {
    let top = (1u64 << exponent) - 1;
    let bias = top >> 1;
    let e = match rng.draw(16) {
        0 | 1 => 0,
        2 => 1,
        3 => top,
        4 => top - 1,
        5..=8 => bias.wrapping_add(rng.draw(6)).wrapping_sub(3),
        // Where integers of 8, 16, 32 and 64 bits end, as far as the format goes.
        9 | 10 => {
            (bias + pick(rng, &[6, 7, 8, 9, 14, 15, 16, 17, 30, 31, 32, 33, 62, 63, 64, 65])).min(top - 1)
        }
        11 => (bias + u64::from(fraction) + rng.draw(4)).saturating_sub(2).min(top),
        12 => bias.saturating_sub(u64::from(fraction) / 2 + rng.draw(4)),
        _ => rng.draw(top + 1),
    };
    let all = (1u64 << fraction) - 1;
    let f = match rng.draw(9) {
        0..=2 => 0,
        3 => 1,
        4 => all,
        5 => 1 << (fraction - 1),
        6 => (rng.bits() << rng.draw(u64::from(fraction))) & all,
        7 => all ^ (1 << rng.draw(u64::from(fraction))),
        _ => rng.bits() & all,
    };
    rng.draw(2) << (exponent + fraction) | e << fraction | f
}

fn integer(rng: &mut Rng) -> u32 {
    match rng.draw(9) {
        0 => pick(
            rng,
            &[0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0xffff, 0x1_0000, 0x7fff, 0x8000, 0x80, 0x7f, 0xff],
        ),
        1 => rng.draw(70) as u32,
        2 => 1 << rng.draw(32),
        3 => (1u32 << rng.draw(32)).wrapping_sub(1),
        4 => (rng.draw(200) as u32).wrapping_neg(),
        5 => rng.draw(1 << 16) as u32,
        // Four bytes at borders.
        6 => (0..4).fold(0, |w, _| w << 8 | pick(rng, &[0u32, 1, 0x7f, 0x80, 0xff, 0x55])),
        _ => rng.bits() as u32,
    }
}

fn tame(rng: &mut Rng) -> i32 {
    rng.draw(17) as i32 - 8
}

/// 32 bits.
pub fn word(rng: &mut Rng, flavor: Flavor) -> u32 {
    let flavor = match rng.draw(8) {
        0 if !is_tame(flavor) => pick(rng, &[Flavor::Integer, Flavor::Single, Flavor::Half, Flavor::Bfloat]),
        _ => flavor,
    };
    let mut two = |one: &mut dyn FnMut(&mut Rng) -> u64| {
        let low = one(rng);
        (one(rng) << 16 | low) as u32
    };
    match flavor {
        Flavor::Half => two(&mut |r| float(r, 5, 10)),
        Flavor::Bfloat => two(&mut |r| float(r, 8, 7)),
        // Halves of integers up to 8 have two binades and one bit in binary16: bits by hand, since std has no such type.
        Flavor::TameHalf => two(&mut |r| u64::from(small(tame(r), 5, 10) as u16)),
        Flavor::TameBfloat => two(&mut |r| u64::from(small(tame(r), 8, 7) as u16)),
        Flavor::Integer => integer(rng),
        Flavor::Single => float(rng, 8, 23) as u32,
        Flavor::TameSingle => (tame(rng) as f32 / 2.0).to_bits(),
        Flavor::Double | Flavor::TameDouble => pair(rng, flavor)[1],
    }
}

/// Half of an integer up to 8 in magnitude, as a float of these widths.
fn small(n: i32, exponent: u32, fraction: u32) -> u32 {
    let bits = (n as f32 / 2.0).to_bits();
    if n == 0 {
        return 0;
    }
    let e = (bits >> 23 & 0xff) as i32 - 127 + (1 << (exponent - 1)) - 1;
    (bits >> 31) << (exponent + fraction) | (e as u32) << fraction | (bits & 0x7f_ffff) >> (23 - fraction)
}

fn is_tame(flavor: Flavor) -> bool {
    matches!(flavor, Flavor::TameHalf | Flavor::TameBfloat | Flavor::TameSingle | Flavor::TameDouble)
}

/// Two words, the low one first.
pub fn pair(rng: &mut Rng, flavor: Flavor) -> [u32; 2] {
    let whole = match (flavor, rng.draw(8)) {
        (Flavor::TameDouble, _) => (f64::from(tame(rng)) / 2.0).to_bits(),
        (Flavor::Double, 1..) => float(rng, 11, 52),
        (_, 1 | 2) => match rng.draw(3) {
            0 => pick(rng, &[0, 1, u64::MAX, 1 << 63, i64::MAX as u64, 1 << 32, u64::from(u32::MAX)]),
            1 => u64::MAX << rng.draw(64),
            _ => float(rng, 11, 52),
        },
        _ => u64::from(word(rng, flavor)) | u64::from(word(rng, flavor)) << 32,
    };
    [whole as u32, (whole >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_number_comes_up() {
        let mut rng = Rng(1);
        let singles: Vec<f32> = (0..4000).map(|_| f32::from_bits(word(&mut rng, Flavor::Single))).collect();
        assert!(singles.iter().any(|x| x.is_nan()));
        assert!(singles.iter().any(|x| x.is_infinite()));
        assert!(singles.iter().any(|x| x.is_subnormal()));
        assert!(singles.contains(&0.0) && singles.contains(&1.0));
        let doubles: Vec<f64> = (0..4000)
            .map(|_| pair(&mut rng, Flavor::Double))
            .map(|[l, h]| f64::from_bits(u64::from(h) << 32 | u64::from(l)))
            .collect();
        assert!(doubles.iter().any(|x| x.is_nan()) && doubles.iter().any(|x| x.is_subnormal()));
    }

    #[test]
    fn tame_numbers_are_halves_of_integers() {
        assert_eq!(small(2, 5, 10), 0x3c00);
        assert_eq!(small(-8, 5, 10), 0xc400);
        assert_eq!(small(3, 8, 7), 0x3fc0);
    }
}
