//! Linear algebra.

use super::outputs;
use crate::{Launch, Outputs};

pub fn matmul(l: &Launch) -> Outputs {
    let (a, b, mut c) = (l.input::<f32>(0), l.input::<f32>(1), l.input::<f32>(2).to_vec());
    let (m, n, k) = (l.whole(3) as usize, l.whole(4) as usize, l.whole(5) as usize);
    for row in 0..m {
        for col in 0..n {
            let mut acc = 0.0f32;
            // The last tile is padded with zeros, which are multiplied and added like the rest.
            for j in 0..k.next_multiple_of(8) {
                let (x, y) = if j < k { (a[row * k + j], b[j * n + col]) } else { (0.0, 0.0) };
                acc += x * y;
            }
            c[row * n + col] = acc;
        }
    }
    outputs![2 => c]
}

pub fn gemv(l: &Launch) -> Outputs {
    let (a, x, mut y) = (l.input::<f32>(0), l.input::<f32>(1), l.input::<f32>(2).to_vec());
    let (rows, cols) = (l.whole(3) as usize, l.whole(4) as usize);
    for r in 0..rows {
        let mut lanes: Vec<f32> = (0..32)
            .map(|lane| (lane..cols).step_by(32).fold(0.0f32, |s, j| s + a[r * cols + j] * x[j]))
            .collect();
        for d in [16, 8, 4, 2, 1] {
            let old = lanes.clone();
            for (lane, v) in lanes.iter_mut().enumerate() {
                *v = old[lane] + old[lane ^ d];
            }
        }
        y[r] = lanes[0];
    }
    outputs![2 => y]
}

pub fn spmv(l: &Launch) -> Outputs {
    let (start, column, value, x) =
        (l.input::<i32>(0), l.input::<i32>(1), l.input::<f32>(2), l.input::<f32>(3));
    let mut y = l.input::<f32>(4).to_vec();
    for r in 0..l.whole(5) as usize {
        let mut sum = 0.0f32;
        for j in start[r] as usize..start[r + 1] as usize {
            sum += value[j] * x[column[j] as usize];
        }
        y[r] = sum;
    }
    outputs![4 => y]
}

pub fn cholesky(l: &Launch) -> Outputs {
    let input = l.input::<f32>(0);
    let mut out = l.input::<f32>(1).to_vec();
    for i in 0..l.threads() {
        let mut f = [[0.0f32; 4]; 4];
        for r in 0..4 {
            for c in 0..=r {
                let mut s = input[16 * i + 4 * r + c];
                if r == c {
                    s = s * s + 8.0;
                }
                for k in 0..c {
                    s -= f[r][k] * f[c][k];
                }
                f[r][c] = if r == c { s.sqrt() } else { s / f[c][c] };
                out[16 * i + 4 * r + c] = f[r][c];
            }
        }
    }
    outputs![1 => out]
}
