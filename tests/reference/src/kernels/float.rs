//! Floating point: n bodies, time steps, division, elementary functions, half precision.

use super::outputs;
use crate::data::{Data, round_to_f16};
use crate::{Launch, Outputs};
use half::f16;

pub fn nbody(l: &Launch) -> Outputs {
    let (bodies, probes, mut pull) = (l.input::<f32>(0), l.input::<f32>(1), l.input::<f32>(2).to_vec());
    for (me, f) in probes.chunks_exact(4).zip(pull.chunks_exact_mut(4)) {
        f.fill(0.0);
        for b in bodies.chunks_exact(4) {
            let (dx, dy, dz) = (b[0] - me[0], b[1] - me[1], b[2] - me[2]);
            let r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01);
            let s = b[3] * r;
            let q = s * r * r;
            f[0] += dx * q;
            f[1] += dy * q;
            f[2] += dz * q;
            f[3] += s;
        }
    }
    outputs![2 => pull]
}

fn rsqrt(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

pub fn physics64(l: &Launch) -> Outputs {
    let (mut x, mut v, mut energy) =
        (l.input::<f64>(0).to_vec(), l.input::<f64>(1).to_vec(), l.input::<f64>(2).to_vec());
    let (dt, stiffness, damping, steps) = (l.real(3), l.real(4), l.real(5), l.whole(6));
    for i in 0..l.threads() {
        let (mut p, mut q) = (x[i], v[i]);
        for _ in 0..steps {
            let force = -stiffness * p - 0.25 * p * p * p - damping * q;
            q += 0.5 * dt * force;
            p += dt * q;
            let force = -stiffness * p - 0.25 * p * p * p - damping * q;
            q += 0.5 * dt * force;
        }
        x[i] = p;
        v[i] = q;
        energy[i] = (0.5 * q).mul_add(q, 0.5 * stiffness * p * p) + p.abs() + p.min(q);
    }
    outputs![0 => x, 1 => v, 2 => energy]
}

pub fn divide(l: &Launch) -> Outputs {
    let (a, b, mut out) = (l.input::<f32>(0), l.input::<f32>(1), l.input::<f32>(2).to_vec());
    for i in 0..l.threads() {
        let (x, y) = (a[i], b[i]);
        let o = [x / y, 1.0 / y, x.sqrt(), y.abs().sqrt() / (x.abs() + 1.0)];
        out[4 * i..4 * i + 4].copy_from_slice(&o);
    }
    outputs![2 => out]
}

pub fn trig(l: &Launch) -> Outputs {
    let x = l.input::<f32>(0);
    let map = |f: &dyn Fn(f32) -> f64| x.iter().map(|v| f(*v) as f32).collect::<Vec<f32>>();
    outputs![
        1 => map(&|v| f64::from(v * 1000.0).sin()),
        2 => map(&|v| f64::from(v).cos()),
        3 => map(&|v| f64::from(v * 0.5).exp()),
        4 => map(&|v| f64::from(v.abs() + 1.5).ln()),
        5 => map(&|v| f64::from(v * 0.25).tanh()),
    ]
}

pub fn approx(l: &Launch) -> Outputs {
    let (x, y, mut out) = (l.input::<f32>(0), l.input::<f32>(1), l.input::<f32>(2).to_vec());
    for i in 0..l.threads() {
        let (a, b) = (f64::from(x[i]), f64::from(y[i]));
        let quotient = f64::from(1.0f32 / x[i] * y[i].sqrt());
        let o = [
            a.sin(),
            a.cos(),
            a.exp(),
            b.ln(),
            a / b,
            1.0 / b.sqrt(),
            b.powf(a),
            a.exp2() + b.log2() + quotient,
        ];
        out[8 * i..8 * i + 8].copy_from_slice(&o.map(|v| v as f32));
    }
    outputs![2 => out]
}

pub fn half(l: &Launch) -> Outputs {
    let (a, b, mut out) = (l.input_f16(0), l.input_f16(1), l.input_f16(2).to_vec());
    let (mut wide, mut whole) = (l.input::<f32>(3).to_vec(), l.input::<i32>(4).to_vec());
    // Every binary16 number is a binary64 number, and so are sums, products and, in this range, fused sums of products.
    let real = |bits: u16| f16::from_bits(bits).to_f64();
    for i in 0..l.threads() {
        for (j, k) in [2 * i, 2 * i + 1].into_iter().enumerate() {
            let (x, y) = (real(a[k]), real(b[k]));
            let scaled = if j == 0 { x as f32 * 1000.0 } else { y as f32 * 0.0001 };
            for (m, v) in [x + y, x * y, x * y + x, f64::from(scaled)].into_iter().enumerate() {
                out[8 * i + 2 * m + j] = round_to_f16(v);
            }
        }
        let (x0, x1, y0, y1) = (real(a[2 * i]), real(a[2 * i + 1]), real(b[2 * i]), real(b[2 * i + 1]));
        wide[i] = x0 as f32 * 3.0 + y1 as f32;
        let difference = real(round_to_f16(y0 - x1));
        whole[i] = x0 as i32 * 1000 + difference.round_ties_even() as i32 + if x0 < y0 { 100 } else { 0 };
    }
    let mut outputs = outputs![3 => wide, 4 => whole];
    outputs.insert(0, (2, Data::F16(out)));
    outputs
}
