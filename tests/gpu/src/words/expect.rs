//! What the executor makes of a kernel, and what the model leaves open.

use super::kernel::{self, ENTRY, LANES, OUTPUT};
use super::variant::Variant;
use anyhow::{Result, bail};
use sassafras_cubin::Cubin;
use sassafras_execute::{Approx, Argument, Launch, Options, sass};

/// What the model expects and what it leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// [`OUTPUT`] words for each lane of each variant, by choice among approximate values: nearest, lowest, highest.
    pub runs: [Vec<u32>; 3],
    /// Bits that are undefined: they vary with the seed.
    pub undefined: Vec<u32>,
}

/// Seeds by which undefined bits are told: one that all of them leave alike is taken for defined.
const SEEDS: u64 = 26;

/// Inputs of all variants, one after another.
pub fn inputs(variants: &[Variant]) -> Vec<u8> {
    variants.iter().flat_map(kernel::inputs).flat_map(u32::to_le_bytes).collect()
}

/// Runs a kernel in the executor.
///
/// # Errors
/// What the executor refuses.
pub fn run(
    cubin: &Cubin,
    inputs: &[u8],
    constants: &[u64],
    variants: usize,
    options: &Options,
) -> Result<Vec<u32>> {
    let mut launch = Launch::new([1, 1, 1], [LANES as u32, 1, 1]);
    let mut arguments =
        vec![Argument::Buffer(vec![0; 4 * OUTPUT * LANES * variants]), Argument::Buffer(inputs.to_vec())];
    arguments.extend(constants.iter().map(|c| Argument::Value(c.to_le_bytes().to_vec())));
    launch.arguments(&sass::layout(cubin, ENTRY)?, &arguments)?;
    let outcome = match sass::run(cubin, ENTRY, &launch, options) {
        Ok(outcome) => outcome,
        Err(e) => bail!("{e}"),
    };
    Ok(outcome.buffers[0].chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

/// What the model expects of variants in one kernel.
///
/// # Errors
/// A variant without a meaning.
pub fn expect(variants: &[Variant], constants: &[u64]) -> Result<Expected> {
    let cubin = kernel::cubin(variants);
    let inputs = inputs(variants);
    let go = |approx, seed| {
        run(&cubin, &inputs, constants, variants.len(), &Options { approx, seed, ..Options::default() })
    };
    let (first, second) = (go(Approx::Nearest, 1)?, go(Approx::Nearest, 2)?);
    let mut undefined: Vec<u32> = first.iter().zip(&second).map(|(a, b)| a ^ b).collect();
    if undefined.iter().any(|m| *m != 0) {
        for seed in 3..SEEDS {
            let other = go(Approx::Nearest, seed)?;
            undefined.iter_mut().zip(first.iter().zip(&other)).for_each(|(m, (a, b))| *m |= a ^ b);
        }
    }
    Ok(Expected { runs: [first, go(Approx::Low, 1)?, go(Approx::High, 1)?], undefined })
}
