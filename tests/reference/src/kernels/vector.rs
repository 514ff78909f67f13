//! Element-wise kernels and movements.

use super::outputs;
use crate::{Launch, Outputs};

pub fn vadd(l: &Launch) -> Outputs {
    let (a, b, mut c, n) = (l.input::<f32>(0), l.input::<f32>(1), l.input::<f32>(2).to_vec(), l.whole(3));
    for i in (0..l.threads()).filter(|i| (*i as i64) < n) {
        c[i] = a[i] + b[i];
    }
    outputs![2 => c]
}

pub fn saxpy(l: &Launch) -> Outputs {
    let (n, a, x, mut y) =
        (l.whole(0) as usize, l.real(1) as f32, l.input::<f32>(2), l.input::<f32>(3).to_vec());
    for t in 0..l.threads() {
        for i in (t..n).step_by(l.threads()) {
            y[i] += a * x[i];
        }
    }
    outputs![3 => y]
}

pub fn transpose(l: &Launch) -> Outputs {
    let (input, rows, cols) = (l.input::<f32>(0), l.whole(2) as usize, l.whole(3) as usize);
    let mut out = l.input::<f32>(1).to_vec();
    for r in 0..rows {
        for c in 0..cols {
            out[c * rows + r] = input[r * cols + c];
        }
    }
    outputs![1 => out]
}
