//! Reductions and scans, in the order of the shuffles.

use super::{block, outputs};
use crate::{Launch, Outputs};
use std::ops::Add;

/// The tree of `v += __shfl_down_sync(mask, v, d)` for d = 16, 8, 4, 2, 1 over one warp; lanes past the end read themselves.
fn down_tree<T: Copy + Add<Output = T>>(warp: &mut [T]) {
    for d in [16, 8, 4, 2, 1] {
        let old = warp.to_vec();
        for lane in 0..warp.len() {
            warp[lane] = old[lane] + if lane + d < old.len() { old[lane + d] } else { old[lane] };
        }
    }
}

pub fn reduce(l: &Launch) -> Outputs {
    let (x, mut sums, n) = (l.input::<f32>(0), l.input::<f32>(1).to_vec(), l.whole(2) as usize);
    let b = block(l);
    for (g, sum) in sums.iter_mut().enumerate() {
        let mut part = Vec::new();
        for w in 0..b / 32 {
            let mut warp: Vec<f32> = (0..32)
                .map(|lane| {
                    let i = g * b * 2 + w * 32 + lane;
                    let v = if i < n { x[i] } else { 0.0 };
                    if i + b < n { v + x[i + b] } else { v }
                })
                .collect();
            down_tree(&mut warp);
            part.push(warp[0]);
        }
        part.resize(32, 0.0);
        down_tree(&mut part);
        *sum = part[0];
    }
    outputs![1 => sums]
}

pub fn scan(l: &Launch) -> Outputs {
    let x = l.input::<i32>(0);
    let (mut out, mut totals) = (l.input::<i32>(1).to_vec(), l.input::<i32>(2).to_vec());
    let b = block(l);
    for (g, total) in totals.iter_mut().enumerate() {
        let mut sum = 0i32;
        for i in g * b..(g + 1) * b {
            sum = sum.wrapping_add(x[i]);
            out[i] = sum;
        }
        *total = sum;
    }
    outputs![1 => out, 2 => totals]
}

pub fn argmin(l: &Launch) -> Outputs {
    let x = l.input::<f32>(0);
    let (mut least, mut place) = (l.input::<f32>(1).to_vec(), l.input::<i32>(2).to_vec());
    let b = block(l);
    for g in 0..least.len() {
        let xs = &x[g * b..(g + 1) * b];
        let mut at = 0;
        for (i, v) in xs.iter().enumerate() {
            if *v < xs[at] {
                at = i;
            }
        }
        least[g] = xs[at].min(1e30);
        place[g] = at as i32;
    }
    outputs![1 => least, 2 => place]
}

pub fn dot64(l: &Launch) -> Outputs {
    let (x, y, n) = (l.input::<f32>(0), l.input::<f64>(1), l.whole(5) as usize);
    let mut dot = l.input::<f64>(2).to_vec();
    let warps = l.threads() / 32;
    for w in 0..warps {
        let mut lanes: Vec<f64> = (0..32)
            .map(|lane| (w * 32 + lane..n).step_by(warps * 32).fold(0.0, |s, j| s + f64::from(x[j]) * y[j]))
            .collect();
        down_tree(&mut lanes);
        dot[w] = lanes[0];
    }
    let rounded: Vec<f32> = dot.iter().map(|s| *s as f32).collect();
    let whole: Vec<i32> =
        dot.iter().map(|s| if *s > 0.0 { *s as i32 } else { (-*s).round_ties_even() as i32 }).collect();
    outputs![2 => dot, 3 => rounded, 4 => whole]
}
