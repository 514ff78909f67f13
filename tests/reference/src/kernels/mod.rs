//! One CPU reference per kernel of `corpus/kernels`, written from its CUDA source.

// The indices are those of the CUDA sources, so that both read alike.
#![allow(clippy::needless_range_loop)]

mod bits;
mod control;
mod float;
mod grid;
mod linear;
mod order;
mod reduce;
mod sha256;
mod tables;
mod vector;
mod warp;
mod wide;

use crate::{Launch, Outputs};

type Reference = fn(&Launch) -> Outputs;

/// Name of the kernel and its reference.
const TABLE: &[(&str, Reference)] = &[
    ("approx", float::approx),
    ("argmin", reduce::argmin),
    ("atomics", order::atomics),
    ("bitonic", order::bitonic),
    ("bits", bits::bits),
    ("cholesky", linear::cholesky),
    ("compact", order::compact),
    ("constant", tables::constant),
    ("divide", float::divide),
    ("dot64", reduce::dot64),
    ("earlyexit", control::earlyexit),
    ("fft", tables::fft),
    ("gemv", linear::gemv),
    ("half", float::half),
    ("hash", bits::hash),
    ("histogram", order::histogram),
    ("image", grid::image),
    ("intdiv", wide::intdiv),
    ("life", grid::life),
    ("localarray", control::localarray),
    ("mandelbrot", grid::mandelbrot),
    ("matmul", linear::matmul),
    ("nbody", float::nbody),
    ("nested", control::nested),
    ("physics64", float::physics64),
    ("reduce", reduce::reduce),
    ("redux", warp::redux),
    ("rng", bits::rng),
    ("saxpy", vector::saxpy),
    ("scan", reduce::scan),
    ("sha256", sha256::sha256),
    ("spmv", linear::spmv),
    ("stencil2d", grid::stencil2d),
    ("stencil3d", grid::stencil3d),
    ("strsearch", order::strsearch),
    ("switchcase", control::switchcase),
    ("transpose", vector::transpose),
    ("trig", float::trig),
    ("vadd", vector::vadd),
    ("warp", warp::warp),
    ("wide", wide::wide),
];

pub fn run(name: &str, launch: &Launch) -> Option<Outputs> {
    TABLE.iter().find(|(n, _)| *n == name).map(|(_, f)| f(launch))
}

/// The output parameters with their contents, from `(index, vector)` pairs of element types.
macro_rules! outputs {
    ($($p:expr => $v:expr),* $(,)?) => { vec![$(($p, $crate::data::Element::wrap($v))),*] };
}
use outputs;

/// Threads of one block.
fn block(l: &Launch) -> usize {
    l.block.iter().map(|x| *x as usize).product()
}

/// Every (x, y) of a two-dimensional launch, blocks in order.
fn plane(l: &Launch) -> impl Iterator<Item = (usize, usize)> {
    let w = (l.grid[0] * l.block[0]) as usize;
    let h = (l.grid[1] * l.block[1]) as usize;
    (0..h).flat_map(move |y| (0..w).map(move |x| (x, y)))
}
