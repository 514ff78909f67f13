//! 64-bit arithmetic and integer division.

use super::outputs;
use crate::{Launch, Outputs};

pub fn wide(l: &Launch) -> Outputs {
    let (a, b, mut out) = (l.input::<u64>(0), l.input::<u64>(1), l.input::<u64>(2).to_vec());
    for i in 0..l.threads() {
        let (x, y) = (a[i], b[i]);
        let (sx, sy) = (x as i64, y as i64);
        let product = u128::from(x) * u128::from(y);
        let (lo, hi) = (product as u64, (product >> 64) as u64);
        let k = (y & 63) as u32;
        let o = [
            lo,
            hi + u64::from(lo.checked_add(x).is_none()),
            ((i128::from(sx) * i128::from(sy)) >> 64) as u64,
            x << k,
            (sx >> k) as u64 ^ x >> (63 - k),
            x.rotate_left(17),
            if sx < sy { x.wrapping_sub(y) } else { y.wrapping_sub(x) },
            x.max(y).wrapping_sub(sx.min(sy) as u64),
            modular(x, y & 0xffff),
            // C binds + more tightly than ^.
            (x & y) ^ (x | !y).wrapping_add((x >> 32).wrapping_mul(u64::from(y as u32))),
        ];
        out[10 * i..10 * i + 10].copy_from_slice(&o);
    }
    outputs![2 => out]
}

/// The kernel's doubling loop, wrapping where it wraps.
fn modular(x: u64, mut e: u64) -> u64 {
    const M: u64 = 0xffff_ffff_0000_0001;
    let (mut r, mut d) = (0u64, x % M);
    while e != 0 {
        if e & 1 != 0 {
            r = r.wrapping_add(d);
            if r < d || r >= M {
                r = r.wrapping_sub(M);
            }
        }
        let t = d.wrapping_add(d);
        d = if t < d || t >= M { t.wrapping_sub(M) } else { t };
        e >>= 1;
    }
    r
}

pub fn intdiv(l: &Launch) -> Outputs {
    let (a, b, c, d) = (l.input::<i32>(0), l.input::<i32>(1), l.input::<i64>(2), l.input::<i64>(3));
    let (mut o32, mut o64) = (l.input::<i32>(4).to_vec(), l.input::<i64>(5).to_vec());
    for i in 0..l.threads() {
        let x = a[i];
        let y = match (b[i] >> (i & 15)) | 1 {
            -1 => 3,
            y => y,
        };
        let (ux, uy) = (x as u32, y as u32);
        let o = [
            x / y,
            x % y,
            (ux / uy) as i32,
            (ux % uy) as i32,
            x / 7,
            x % 10,
            (ux / 641) as i32,
            (ux % 1_000_000_007) as i32,
            x / 16,
            x % -12,
        ];
        o32[10 * i..10 * i + 10].copy_from_slice(&o);
        let p = c[i];
        let q = match (d[i] >> (i & 31)) | 1 {
            -1 => 5,
            q => q,
        };
        let (up, uq) = (p as u64, q as u64);
        let w = [p / q, p % q, (up / uq) as i64, (up % (uq >> 20 | 1)) as i64, p / 1000, (up % 10) as i64];
        o64[6 * i..6 * i + 6].copy_from_slice(&w);
    }
    outputs![4 => o32, 5 => o64]
}
