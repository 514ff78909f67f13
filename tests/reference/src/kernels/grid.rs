//! Kernels on planes and volumes.

use super::{outputs, plane};
use crate::{Launch, Outputs};

pub fn stencil2d(l: &Launch) -> Outputs {
    let (a, mut out) = (l.input::<f32>(0), l.input::<f32>(1).to_vec());
    let (w, h, c) = (l.whole(2) as usize, l.whole(3) as usize, l.real(4) as f32);
    for (x, y) in plane(l).filter(|(x, y)| *x < w && *y < h) {
        let at = y * w + x;
        let mut v = a[at];
        if x > 0 && y > 0 && x + 1 < w && y + 1 < h {
            v += c * (a[at - 1] + a[at + 1] + a[at - w] + a[at + w] - 4.0 * v);
        }
        out[at] = v;
    }
    outputs![1 => out]
}

pub fn stencil3d(l: &Launch) -> Outputs {
    let (v, mut out) = (l.input::<f32>(0), l.input::<f32>(1).to_vec());
    let (nx, ny, nz) = (l.whole(2) as usize, l.whole(3) as usize, l.whole(4) as usize);
    let (a, b) = (l.real(5) as f32, l.real(6) as f32);
    let p = nx * ny;
    for (x, y) in plane(l).map(|(x, y)| (x + 1, y + 1)).filter(|(x, y)| *x < nx - 1 && *y < ny - 1) {
        for z in 1..nz - 1 {
            let at = z * p + y * nx + x;
            out[at] =
                a * v[at] + b * (v[at - p] + v[at + p] + v[at - 1] + v[at + 1] + v[at - nx] + v[at + nx]);
        }
    }
    outputs![1 => out]
}

pub fn image(l: &Launch) -> Outputs {
    let rgb = l.input::<u8>(0);
    let (mut grey, mut sharp) = (l.input::<u8>(1).to_vec(), l.input::<u8>(2).to_vec());
    let (w, h) = (l.whole(3), l.whole(4));
    for y in 0..h {
        for x in 0..w {
            let at = (y * w + x) as usize;
            let p = |c: usize| i64::from(rgb[3 * at + c]);
            grey[at] = ((77 * p(0) + 150 * p(1) + 29 * p(2) + 128) >> 8) as u8;
            let mut sum = 0;
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let (xx, yy) = ((x + dx).clamp(0, w - 1), (y + dy).clamp(0, h - 1));
                    let g = i64::from(rgb[(3 * (yy * w + xx) + 1) as usize]);
                    sum += if dx == 0 && dy == 0 { 17 * g } else { -2 * g };
                }
            }
            sharp[at] = sum.clamp(0, 255) as u8;
        }
    }
    outputs![1 => grey, 2 => sharp]
}

pub fn life(l: &Launch) -> Outputs {
    let (a, mut out) = (l.input::<u8>(0), l.input::<u8>(1).to_vec());
    let (w, h) = (l.whole(2) as usize, l.whole(3) as usize);
    for y in 0..h {
        for x in 0..w {
            let mut n = 0;
            for dy in [h - 1, 0, 1] {
                for dx in [w - 1, 0, 1] {
                    if dx != 0 || dy != 0 {
                        n += a[(y + dy) % h * w + (x + dx) % w];
                    }
                }
            }
            out[y * w + x] = u8::from(n == 3 || (n == 2 && a[y * w + x] != 0));
        }
    }
    outputs![1 => out]
}

pub fn mandelbrot(l: &Launch) -> Outputs {
    let mut count = l.input::<i32>(0).to_vec();
    let (w, h) = (l.whole(1) as usize, l.whole(2) as usize);
    let (x0, y0, step, limit) = (l.real(3) as f32, l.real(4) as f32, l.real(5) as f32, l.whole(6) as i32);
    for y in 0..h {
        for x in 0..w {
            let (cx, cy) = (x0 + x as f32 * step, y0 + y as f32 * step);
            let (mut zx, mut zy, mut k) = (0.0f32, 0.0f32, 0);
            while k < limit && zx * zx + zy * zy <= 4.0 {
                (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
                k += 1;
            }
            count[y * w + x] = k;
        }
    }
    outputs![0 => count]
}
