//! Warp-wide operations, lane by lane. Blocks are whole warps.

use super::outputs;
use crate::{Launch, Outputs};

pub fn warp(l: &Launch) -> Outputs {
    let (input, mut out) = (l.input::<i32>(0), l.input::<i32>(1).to_vec());
    for (v, o) in input.chunks_exact(32).zip(out.chunks_exact_mut(512)) {
        let ballot = |mask: u32, f: &dyn Fn(usize) -> bool| {
            (0..32).filter(|i| mask >> i & 1 != 0 && f(*i)).fold(0u32, |m, i| m | 1 << i)
        };
        for lane in 0..32 {
            let key = v[lane] & 3;
            let same = v.iter().all(|x| x >> 8 == v[0] >> 8);
            let peers = ballot(!0, &|i| v[i] & 3 == key);
            // Shuffles that leave their segment read the lane itself.
            let up = if lane % 16 >= 3 { v[lane - 3] } else { v[lane] };
            let down = if lane % 8 + 2 < 8 { v[lane + 2] } else { v[lane] };
            let split = if lane & 1 != 0 {
                v[lane ^ 6].wrapping_add(ballot(0xaaaa_aaaa, &|i| v[i] & 4 != 0).count_ones() as i32)
            } else {
                v[lane ^ 10].wrapping_sub(ballot(0x5555_5555, &|i| v[i] & 8 != 0).count_ones() as i32)
            };
            let cube = |x: i32| i64::from(x).wrapping_mul(i64::from(x)).wrapping_mul(i64::from(x));
            let row = [
                ballot(!0, &|i| v[i] > 0) as i32,
                i32::from(v.contains(&17)) * 2 + i32::from(v.iter().all(|x| *x > -90)),
                peers as i32,
                if same { -1 } else { 0 },
                i32::from(same),
                v[(lane * 5 + 3) % 32],
                up,
                down,
                v[lane ^ 21],
                v[(lane & !3) + key as usize],
                split,
                *v.iter().max().expect("32 lanes"),
                v[peers.trailing_zeros() as usize],
                (peers & ((1u32 << lane) - 1)).count_ones() as i32,
                1,
                cube(v[31 - lane]) as i32,
            ];
            o[16 * lane..16 * lane + 16].copy_from_slice(&row);
        }
    }
    outputs![1 => out]
}

pub fn redux(l: &Launch) -> Outputs {
    let (input, mut out) = (l.input::<i32>(0), l.input::<i32>(1).to_vec());
    for (v, o) in input.chunks_exact(32).zip(out.chunks_exact_mut(256)) {
        let fold = |start: i32, f: &dyn Fn(i32, i32) -> i32| v.iter().fold(start, |a, x| f(a, *x));
        let high = |lane: usize| lane & 4 != 0;
        let upper = (0..32).filter(|i| high(*i)).map(|i| v[i]).max().expect("16 lanes");
        let lower = (0..32).filter(|i| !high(*i)).fold(0i32, |a, i| a.wrapping_add(v[i]));
        for lane in 0..32 {
            let row = [
                fold(0, &i32::wrapping_add),
                fold(i32::MAX, &|a, x| a.min(x)),
                fold(0, &|a, x| (a as u32).max(x as u32) as i32),
                fold(-1, &|a, x| a & (x | 0xff)),
                fold(0, &|a, x| a | (x & 0xff00_ff00u32 as i32)),
                fold(0, &|a, x| a ^ x),
                if high(lane) { upper } else { lower },
                v[lane],
            ];
            o[8 * lane..8 * lane + 8].copy_from_slice(&row);
        }
    }
    outputs![1 => out]
}
