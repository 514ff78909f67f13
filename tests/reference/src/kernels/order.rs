//! Sorting, counting, searching, atomics: results that do not depend on the order of the threads, or are compared as sets.

use super::{block, outputs};
use crate::{Launch, Outputs};

pub fn bitonic(l: &Launch) -> Outputs {
    let mut data = l.input::<i32>(0).to_vec();
    for part in data.chunks_mut(block(l)) {
        part.sort_unstable();
    }
    outputs![0 => data]
}

pub fn histogram(l: &Launch) -> Outputs {
    let (data, mut bins) = (l.input::<u8>(0), l.input::<u32>(1).to_vec());
    for v in &data[..l.whole(2) as usize] {
        bins[(v >> 2) as usize] += 1;
    }
    outputs![1 => bins]
}

pub fn strsearch(l: &Launch) -> Outputs {
    let (text, pattern) = (l.input::<i8>(0), l.input::<i8>(2));
    let mut first = l.input::<i32>(5).to_vec();
    let mut places = l.input::<i32>(6).to_vec();
    let found: Vec<usize> =
        text.windows(pattern.len()).enumerate().filter(|(_, w)| *w == pattern).map(|(i, _)| i).collect();
    for (slot, i) in places.iter_mut().zip(&found) {
        *slot = *i as i32;
    }
    if let Some(i) = found.first() {
        first[0] = first[0].min(*i as i32);
    }
    outputs![4 => vec![found.len() as u32], 5 => first, 6 => places]
}

pub fn compact(l: &Launch) -> Outputs {
    let (input, mut out) = (l.input::<i32>(0), l.input::<i32>(1).to_vec());
    let kept: Vec<i32> = input.iter().copied().filter(|v| *v > 0).collect();
    out[..kept.len()].copy_from_slice(&kept);
    outputs![1 => out, 2 => vec![kept.len() as i32]]
}

pub fn atomics(l: &Launch) -> Outputs {
    let (x, k) = (l.input::<f32>(0), l.input::<i32>(1));
    let (mut most, mut sum) = (l.input::<f32>(2).to_vec(), l.input::<f32>(3).to_vec());
    let (mut o, mut big) = (l.input::<i32>(4).to_vec(), l.input::<u64>(5).to_vec());
    for i in 0..l.threads() {
        most[0] = most[0].max(x[i]);
        sum[0] += x[i].floor();
        o[0] = o[0].max(k[i]);
        o[1] = o[1].min(k[i]);
        o[2] &= k[i] | 0xff_00ff;
        o[3] |= k[i] & 0x3300;
        o[4] ^= k[i];
        o[5] = o[5].wrapping_sub(k[i]);
        o[6] = if o[6] as u32 >= 12 { 0 } else { o[6] + 1 };
        o[7] = if o[7] == 0 || o[7] as u32 > 20 { 20 } else { o[7] - 1 };
        big[0] = big[0].wrapping_add((i64::from(k[i]) as u64).wrapping_mul(0x1_0000_0001));
        big[1] = big[1].max((i64::from(k[i]) as u64) << 20);
        o[8] = 77;
        o[9] += k[i] & 0xff;
    }
    outputs![2 => most, 3 => sum, 4 => o, 5 => big]
}
