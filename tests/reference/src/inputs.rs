//! The exact generator of random inputs, so that any tool in any language makes the same bytes.
//!
//! Parameter number `p` (from 0, scalars counted) of a launch with seed `s` draws from a splitmix64 stream that starts at
//! `s * 0x9E3779B97F4A7C15 + (p + 1) * 0xD1B54A32D192ED03` (mod 2^64). `corpus/README.md` states the same in prose.

use crate::data::{Data, Type, round_to_f16};

/// Sebastiano Vigna's splitmix64 (public domain algorithm).
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The stream of parameter `param` under `seed`.
    pub fn for_param(seed: u64, param: usize) -> Self {
        let p = (param as u64).wrapping_add(1).wrapping_mul(0xD1B5_4A32_D192_ED03);
        SplitMix64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(p))
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// `lo + draw mod (hi - lo + 1)`: a whole number in `lo..=hi`.
    pub fn whole(&mut self, lo: i64, hi: i64) -> i64 {
        let span = (hi.wrapping_sub(lo) as u64).wrapping_add(1);
        let z = self.draw();
        if span == 0 { z as i64 } else { lo.wrapping_add((z % span) as i64) }
    }

    /// `lo + (hi - lo) * (draw >> 40) / 2^24` in f64: a number in `lo..hi`.
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.draw() >> 40) as f64 / 16_777_216.0)
    }
}

/// How a buffer is filled before the launch.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Init {
    /// All bytes zero.
    Zeros,
    /// Element `i` is `i` (converted to the type; integers wrap).
    Iota,
    /// Any bit pattern: the low bits of one draw per element.
    Bits,
    /// A real number in `lo..hi` per element, rounded to the (floating) type.
    Uniform([f64; 2]),
    /// A whole number in `lo..=hi` per element, converted to the type.
    Whole([i64; 2]),
    /// Element 0 is 0, element `i + 1` is element `i` plus a whole number in `lo..=hi`: row starts of a sparse matrix.
    Prefix([i64; 2]),
    /// These values, again and again.
    Values(Vec<f64>),
}

/// Fills `count` elements of `ty` as `init` says, drawing from `rng`.
pub fn fill(ty: Type, count: usize, init: &Init, rng: &mut SplitMix64) -> Data {
    match init {
        Init::Zeros => Data::from_bytes(ty, &vec![0; count * ty.bytes()]),
        Init::Iota => from_whole(ty, (0..count).map(|i| i as i64)),
        Init::Bits => {
            let bytes: Vec<u8> = (0..count)
                .flat_map(|_| rng.draw().to_le_bytes().into_iter().take(ty.bytes()).collect::<Vec<_>>())
                .collect();
            Data::from_bytes(ty, &bytes)
        }
        Init::Uniform([lo, hi]) => from_real(ty, (0..count).map(|_| rng.uniform(*lo, *hi))),
        Init::Whole([lo, hi]) => from_whole(ty, (0..count).map(|_| rng.whole(*lo, *hi))),
        Init::Prefix([lo, hi]) => {
            let mut at = 0;
            let mut next = |i: usize| {
                if i > 0 {
                    at += rng.whole(*lo, *hi);
                }
                at
            };
            let all: Vec<i64> = (0..count).map(&mut next).collect();
            from_whole(ty, all.into_iter())
        }
        Init::Values(list) => from_real(ty, list.iter().copied().cycle().take(count)),
    }
}

fn from_whole(ty: Type, it: impl Iterator<Item = i64>) -> Data {
    match ty {
        Type::F16 => Data::F16(it.map(|x| round_to_f16(x as f64)).collect()),
        Type::F32 => Data::F32(it.map(|x| x as f32).collect()),
        Type::F64 => Data::F64(it.map(|x| x as f64).collect()),
        _ => Data::from_bytes(
            ty,
            &it.flat_map(|x| x.to_le_bytes().into_iter().take(ty.bytes())).collect::<Vec<_>>(),
        ),
    }
}

fn from_real(ty: Type, it: impl Iterator<Item = f64>) -> Data {
    match ty {
        Type::F16 => Data::F16(it.map(round_to_f16).collect()),
        Type::F32 => Data::F32(it.map(|x| x as f32).collect()),
        Type::F64 => Data::F64(it.collect()),
        _ => from_whole(ty, it.map(|x| x as i64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_matches_the_published_vector() {
        // The first outputs from state 1234567, as Vigna's splitmix64.c prints them.
        let mut r = SplitMix64(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| r.draw()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn every_init_has_the_length_asked_for() {
        for init in [
            Init::Zeros,
            Init::Iota,
            Init::Bits,
            Init::Uniform([-1.0, 1.0]),
            Init::Whole([-3, 3]),
            Init::Prefix([0, 4]),
            Init::Values(vec![1.0, 2.0]),
        ] {
            for ty in [Type::U8, Type::S16, Type::F16, Type::F32, Type::U64, Type::F64] {
                let d = fill(ty, 37, &init, &mut SplitMix64::for_param(1, 2));
                assert_eq!((d.len(), d.ty(), d.to_bytes().len()), (37, ty, 37 * ty.bytes()), "{init:?}");
            }
        }
    }
}
