//! Control flow and local arrays.

use super::outputs;
use crate::{Launch, Outputs};

pub fn switchcase(l: &Launch) -> Outputs {
    let (code, init, length) = (l.input::<u8>(0), l.input::<i32>(1), l.whole(3) as usize);
    let mut out = l.input::<i32>(2).to_vec();
    for i in 0..l.threads() {
        let (mut a, mut b) = (init[i], i as i32);
        for pc in 0..length {
            match code[i + pc] & 15 {
                0 => a = a.wrapping_add(b),
                1 => a = a.wrapping_sub(3),
                2 => a = a.wrapping_mul(5),
                3 => b = a ^ pc as i32,
                4 => a = b,
                5 => {
                    a <<= 1;
                    b = b.wrapping_add(7);
                }
                6 => b = b.wrapping_add(7),
                7 => a >>= 2,
                8 => b = !b,
                9 => a |= 0x10101,
                10 => a &= b,
                11 => std::mem::swap(&mut a, &mut b),
                _ => b = b.wrapping_add(1),
            }
            b = b.wrapping_add(match a {
                1 => 1,
                10 => 2,
                100 => 3,
                -7 => 4,
                100_000 => 5,
                _ => 0,
            });
        }
        out[i] = a.wrapping_mul(31).wrapping_add(b);
    }
    outputs![2 => out]
}

pub fn earlyexit(l: &Launch) -> Outputs {
    let (input, n, limit) = (l.input::<i32>(0), l.whole(2) as usize, l.whole(3) as i32);
    let mut out = l.input::<i32>(1).to_vec();
    for i in 0..l.threads().min(n) {
        out[i] = walk(input[i], limit);
    }
    outputs![1 => out]
}

fn walk(mut v: i32, limit: i32) -> i32 {
    if v < 0 {
        return -1;
    }
    let mut sum = 0;
    for k in 0..40 {
        if v == 1 {
            break;
        }
        if sum > limit {
            return -2 - k;
        }
        if v & 1 != 0 {
            v = v.wrapping_mul(3).wrapping_add(1);
            continue;
        }
        sum += v & 255;
        v >>= 1;
    }
    sum * 64 + (v & 63)
}

pub fn nested(l: &Launch) -> Outputs {
    let (input, rounds) = (l.input::<u32>(0), l.whole(2) as u32);
    let mut out = l.input::<u32>(1).to_vec();
    for i in 0..l.threads() {
        let mut total = 0u32;
        for r in 0..rounds {
            for j in 0..=(r + i as u32) % 3 {
                let (mut a, mut b) = (input[i] + r, input[i] / 3 + j + 1);
                while b != 0 {
                    (a, b) = (b, a % b);
                    total = total.wrapping_add(1);
                }
                total = total.wrapping_add(a << 8);
            }
        }
        out[i] = total;
    }
    outputs![1 => out]
}

pub fn localarray(l: &Launch) -> Outputs {
    let (input, mut out) = (l.input::<u32>(0), l.input::<u32>(1).to_vec());
    for i in 0..l.threads() {
        let v = input[i];
        let mut count = [0u32; 16];
        for k in 0..8 {
            count[(v >> (4 * k) & 15) as usize] += 1;
        }
        let mut sorted: Vec<i32> = (0..12).map(|k| (v.wrapping_mul(2 * k + 1) ^ v >> k) as i32).collect();
        sorted.sort_unstable();
        let h = (0..16u32).fold(0u32, |h, k| {
            h.wrapping_mul(9).wrapping_add(count[((k * 7).wrapping_add(v) & 15) as usize])
        });
        out[3 * i] = h;
        out[3 * i + 1] = sorted[(v % 12) as usize] as u32;
        out[3 * i + 2] = (sorted[0] ^ sorted[11]) as u32;
    }
    outputs![1 => out]
}
