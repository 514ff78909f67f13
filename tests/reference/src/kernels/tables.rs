//! Kernels that read tables in constant memory.

use super::outputs;
use crate::{Launch, Outputs};

pub fn constant(l: &Launch) -> Outputs {
    const POLY: [[f32; 4]; 4] = [
        [1.0, -0.5, 0.25, -0.125],
        [0.5, 2.0, -3.0, 0.75],
        [-1.25, 0.0, 1.0, 0.1],
        [3.0, -0.3, 0.03, -0.003],
    ];
    let (data, x, length) = (l.input::<u8>(0), l.input::<f32>(1), l.whole(4) as usize);
    let (mut crc, mut value) = (l.input::<u32>(2).to_vec(), l.input::<f32>(3).to_vec());
    for i in 0..l.threads() {
        // CRC-32 bit by bit, which the kernel's table of half-bytes abbreviates.
        let mut c = u32::MAX;
        for b in &data[i..i + length] {
            c ^= u32::from(*b);
            for _ in 0..8 {
                c = if c & 1 != 0 { 0xedb8_8320 ^ c >> 1 } else { c >> 1 };
            }
        }
        crc[i] = !c;
        let (t, p) = (x[i], POLY[(data[i] & 3) as usize]);
        value[i] = ((p[3] * t + p[2]) * t + p[1]) * t + p[0] + POLY[2][1];
    }
    outputs![2 => crc, 3 => value]
}

pub fn fft(l: &Launch) -> Outputs {
    let (input, mut out) = (l.input::<f32>(0), l.input::<f32>(1).to_vec());
    for (x, y) in input.chunks_exact(128).zip(out.chunks_exact_mut(128)) {
        let mut s = [(0.0f32, 0.0f32); 64];
        for i in 0..64 {
            s[(i as u32).reverse_bits() as usize >> 26] = (x[2 * i], x[2 * i + 1]);
        }
        let mut half = 1;
        while half < 64 {
            for t in 0..32 {
                let j = t & (half - 1);
                let a = ((t - j) << 1) + j;
                let b = a + half;
                let w = twiddle(j * (32 / half));
                let (p, q) = (s[a], s[b]);
                let (re, im) = (w.0 * q.0 - w.1 * q.1, w.0 * q.1 + w.1 * q.0);
                s[a] = (p.0 + re, p.1 + im);
                s[b] = (p.0 - re, p.1 - im);
            }
            half <<= 1;
        }
        for (i, (re, im)) in s.iter().enumerate() {
            y[2 * i] = *re;
            y[2 * i + 1] = *im;
        }
    }
    outputs![1 => out]
}

/// exp(-2 pi i k / 64), each part rounded once; the first is (1, 0) exactly, as in the kernel's table.
fn twiddle(k: usize) -> (f32, f32) {
    let angle = 2.0 * std::f64::consts::PI * k as f64 / 64.0;
    (angle.cos() as f32, if k == 0 { 0.0 } else { -angle.sin() as f32 })
}
