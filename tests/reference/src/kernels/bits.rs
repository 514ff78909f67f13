//! Hashes, random numbers, bit tricks.

use super::outputs;
use crate::{Launch, Outputs};

pub fn hash(l: &Launch) -> Outputs {
    let (data, seed) = (l.input::<u8>(0), l.whole(3) as u32);
    let (mut h32, mut h64) = (l.input::<u32>(1).to_vec(), l.input::<u64>(2).to_vec());
    for i in 0..l.threads() {
        let p = &data[19 * i..19 * i + 19];
        let mut h = seed;
        for w in p[..16].chunks_exact(4) {
            let k = u32::from_le_bytes([w[0], w[1], w[2], w[3]]).wrapping_mul(0xcc9e_2d51);
            h ^= k.rotate_left(15).wrapping_mul(0x1b87_3593);
            h = h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        }
        let k = u32::from_le_bytes([p[16], p[17], p[18], 0]).wrapping_mul(0xcc9e_2d51);
        h ^= k.rotate_left(15).wrapping_mul(0x1b87_3593);
        h ^= 19;
        h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
        h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
        h32[i] = h ^ h >> 16;
        h64[i] =
            p.iter().fold(0xcbf2_9ce4_8422_2325u64, |f, b| (f ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
    }
    outputs![1 => h32, 2 => h64]
}

pub fn rng(l: &Launch) -> Outputs {
    let (seed, steps) = (l.input::<u32>(0), l.whole(3));
    let (mut out, mut uniform) = (l.input::<u32>(1).to_vec(), l.input::<f32>(2).to_vec());
    for i in 0..l.threads() {
        let mut x = seed[i] | 1;
        let mut s = u64::from(seed[i]).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(i as u64);
        let mut p = 0;
        for _ in 0..steps {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            p = (((s >> 18) ^ s) >> 27) as u32;
            p = p.rotate_right((s >> 59) as u32);
            s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        }
        let c = philox([i as u32, 0, seed[i], 0x1234_5678], [0xa409_3822, 0x299f_31d0]);
        out[6 * i..6 * i + 6].copy_from_slice(&[x, p, c[0], c[1], c[2], c[3]]);
        uniform[3 * i] = (x >> 8) as f32 * (1.0 / 16_777_216.0);
        uniform[3 * i + 1] = p as f32 * (1.0 / 4_294_967_296.0);
        uniform[3 * i + 2] = c[0] as i32 as f32;
    }
    outputs![1 => out, 2 => uniform]
}

fn philox(mut c: [u32; 4], mut k: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let (p0, p1) = (0xd251_1f53 * u64::from(c[0]), 0xcd9e_8d57 * u64::from(c[2]));
        c = [(p1 >> 32) as u32 ^ c[1] ^ k[0], p1 as u32, (p0 >> 32) as u32 ^ c[3] ^ k[1], p0 as u32];
        k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
    }
    c
}

pub fn bits(l: &Launch) -> Outputs {
    let (input, mut out) = (l.input::<u32>(0), l.input::<u32>(1).to_vec());
    for i in 0..l.threads() {
        let (a, b) = (input[2 * i], input[2 * i + 1]);
        let d = u64::from(a) << 32 | u64::from(b);
        let first32 = |v: u32| if v == 0 { 0 } else { v.trailing_zeros() + 1 };
        let first64 = |v: u64| if v == 0 { 0 } else { v.trailing_zeros() + 1 };
        // __funnelshift_rc clamps the amount to 32 and gives the low word of (b:a) >> amount.
        let pair = u64::from(b) << 32 | u64::from(a);
        let bytes = d.rotate_left(32).to_le_bytes();
        let o = [
            a.count_ones(),
            (a >> (b & 31)).leading_zeros(),
            a.reverse_bits(),
            first32(a << (b & 31)),
            a.rotate_left(b & 31),
            (pair >> (b >> 16).min(32)) as u32,
            a >> 7 & 0x1ff,
            ((a << 11) as i32 >> 21) as u32,
            (a & !0x00ff_ff00) | (b << 8 & 0x00ff_ff00),
            u32::from_le_bytes([bytes[1], bytes[4], bytes[7], bytes[2]]),
            d.count_ones() + 100 * (d >> (b & 63)).leading_zeros(),
            (d.reverse_bits() >> 20) as u32,
            a & a.wrapping_neg(),
            (a ^ b) & !(a | b >> 1),
            first64(d << (a & 63)),
            if a & a.wrapping_sub(1) != 0 { 31 - a.leading_zeros() } else { u32::MAX },
        ];
        out[16 * i..16 * i + 16].copy_from_slice(&o);
    }
    outputs![1 => out]
}
