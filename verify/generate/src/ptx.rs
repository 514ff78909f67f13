//! Random PTX modules, valid by construction, for whoever compiles and runs them. [`arbitrary::Unstructured`] makes every choice, so
//! that libFuzzer's changes of bytes are changes of structure.
//!
//! - [`features`]: what a module may have, by name. `request`: what it is made for. `classes`, `registers`: the register file of a module.
//! - `maker`: choices, blanks in templates, the lines written so far. `rows`, `straight`: templates of straight-line code.
//! - `chains`: an instruction behind what a compiler makes part of it.
//! - `memory`: loads and stores. `warp`: what lanes and threads do together. `functions`, `calls`: functions. `flow`: control flow.
//! - [`census`]: what a module has, read off its text.
//!
//! What a module computes is defined. Every register has a value from the start; divisors are not zero; every iteration and every
//! edge back in an arbitrary graph costs a counter; each thread writes its own record of `out`; shared slots are read between
//! barriers that all threads reach; shared counters at the end of `out` see one commuting operation each. What the PTX ISA leaves
//! open is kept from what is stored: a NaN becomes 1 before its bits are read, and floats are rounded by name, so that no compiler may
//! contract them.

mod calls;
pub mod census;
mod chains;
mod classes;
pub mod features;
mod flow;
mod functions;
mod maker;
mod memory;
mod registers;
mod request;
mod rows;
mod straight;
mod warp;

pub use features::{Feature, Features};
pub use request::{RECORD, Request};

use crate::program::Draws;
use arbitrary::{Result, Unstructured};
use maker::Maker;
use request::COUNTERS;
use std::fmt::Write;

/// A module with one entry `k(out, in, n)`, and the launch that it is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The text.
    pub text: String,
    /// Blocks in x.
    pub blocks: u32,
    /// Threads of a block in x, a multiple of 32.
    pub threads: u32,
}

impl Generated {
    /// Threads of the launch; the argument `n`.
    pub fn total(&self) -> u32 {
        self.blocks * self.threads
    }
    /// Bytes of `out`: a record for each thread, and the counters.
    pub fn out_bytes(&self) -> usize {
        self.total() as usize * RECORD + 4 * COUNTERS
    }
    /// Bytes of `in`: a record for each thread.
    pub fn in_bytes(&self) -> usize {
        self.total() as usize * RECORD
    }
}

/// The `.version` that a target needs (PTX ISA, release history).
fn version(sm: u32) -> &'static str {
    match sm {
        88 => "9.0",
        ..=90 => "7.8",
        91..=102 | 120 => "8.7",
        103 | 121 => "8.8",
        _ => "9.0",
    }
}

/// The module that the choices of `u` make. Where they end the module ends.
///
/// # Errors
/// None of its own: [`Unstructured`] gives zeros where it has no more bytes.
pub fn module(u: &mut Unstructured<'_>, request: &Request) -> Result<Generated> {
    of(u, request, |m| flow::region(m, request.size))
}

/// A module around what `body` writes.
fn of(
    u: &mut Unstructured<'_>,
    request: &Request,
    body: impl FnOnce(&mut Maker<'_, '_>) -> Result<()>,
) -> Result<Generated> {
    let threads = 32 * u.int_in_range(1..=2)?;
    let blocks = if request.features.has(Feature::Warp) { 1 + u32::from(u.ratio(1, 4)?) } else { 1 };
    let mut m = Maker::new(u, request);
    let functions = if m.has(Feature::Calls) { functions::functions(&mut m)? } else { String::new() };
    m.entry(threads);
    registers::load(&mut m);
    memory::prepare(&mut m)?;
    body(&mut m)?;
    registers::store(&mut m);
    let mut text = format!(
        ".version {}\n.target sm_{}\n.address_size 64\n{}{functions}",
        version(request.sm),
        request.sm,
        memory::VARIABLES
    );
    text += ".visible .entry k(.param .u64 k_out, .param .u64 k_in, .param .u32 k_n)\n{\n";
    text += &m.declarations();
    for line in m.lines() {
        let _ = writeln!(text, "\t{line}");
    }
    text += "\tret;\n}\n";
    Ok(Generated { text, blocks, threads })
}

/// The module of a seed.
pub fn seeded(seed: u64, request: &Request) -> Generated {
    let mut draws = Draws::new(seed.wrapping_mul(0xd1b5_4a32_d192_ed03) ^ 0x5a55_4153);
    // Enough that the module ends because of its size.
    let bytes: Vec<u8> = (0..512 + 16 * request.size).flat_map(|_| draws.draw().to_le_bytes()).collect();
    module(&mut Unstructured::new(&bytes), request).expect("generation has no errors of its own")
}

/// Contents of a buffer for a seed: small numbers, edges, floats of every class, noise.
pub fn inputs(seed: u64, bytes: usize) -> Vec<u8> {
    const SOME: [u64; 16] = [
        0,
        1,
        31,
        33,
        0x8000_0000,
        0x7fff_ffff,
        u64::MAX,
        0x8000_0000_0000_0000,
        0x3ff0_0000_3f80_0000,
        0x7ff0_0000_7f80_0000,
        0x7ff8_0000_7fc0_0001,
        0x0000_0001_8000_0001,
        0x4009_21fb_5444_2d18,
        0xc008_0000_4248_0000,
        0x3c00_7e00_fc00_8001,
        0x3f80_7fc0_ff80_0001,
    ];
    let mut d = Draws::new(seed);
    let word = |_| {
        let draw = d.draw();
        match d.below(4) {
            0 => SOME[draw as usize % SOME.len()],
            1 => draw & 0x0000_003f_0000_00ff,
            _ => draw,
        }
    };
    (0..bytes.div_ceil(8)).map(word).flat_map(u64::to_le_bytes).take(bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn modules_are_ptx_follow_their_seed_and_have_all_there_is() {
        let mut has: BTreeMap<&str, u32> = BTreeMap::new();
        for seed in 0..200 {
            let sm = [75, 80, 86, 88, 90, 100, 103, 110, 120][seed as usize % 9];
            let request = Request { sm, size: 10 + seed as usize % 70, ..Request::default() };
            let made = seeded(seed, &request);
            assert_eq!(made, seeded(seed, &request));
            sassafras_ptx::load(&made.text, "random")
                .unwrap_or_else(|e| panic!("seed {seed}\n{}\n{:?}", made.text, e.records().first()));
            for name in census::of(&made.text) {
                *has.entry(name).or_default() += 1;
            }
        }
        let lacks: Vec<_> = census::ALL.iter().map(|f| f.0).filter(|n| !has.contains_key(n)).collect();
        assert!(lacks.is_empty(), "no module has {lacks:?}; {has:?}");
    }

    /// Every template: all of a target in one module.
    #[test]
    fn every_row_is_ptx() {
        for sm in [75, 80, 90, 120] {
            let request = Request { sm, ..Request::default() };
            let body = |m: &mut Maker<'_, '_>| -> Result<()> {
                let rows = rows::GROUPS.iter().filter(|g| sm >= g.sm).flat_map(|g| g.rows);
                let usable = |m: &Maker<'_, '_>, row: &str| rows::needed(row).all(|f| m.has(f));
                rows.filter(|row| usable(m, row))
                    .copied()
                    .collect::<Vec<_>>()
                    .iter()
                    .try_for_each(|row| m.fill(row))
            };
            let made = of(&mut Unstructured::new(&[7; 4096]), &request, body);
            let text = made.expect("generation has no errors of its own").text;
            if let Err(found) = sassafras_ptx::load(&text, "rows") {
                panic!("sm_{sm}: {}", found.render());
            }
        }
    }

    #[test]
    fn what_is_switched_off_is_not_there() {
        for feature in Feature::ALL {
            let request = Request { features: Features::ALL.without(feature), ..Request::default() };
            let plain = Request { features: Features::NONE.with(feature), ..Request::default() };
            for seed in 0..12 {
                let made = seeded(seed, &request);
                let found: Vec<_> = census::of(&made.text).collect();
                let of = census::ALL.iter().filter(|f| f.1 == Some(feature)).map(|f| f.0);
                for name in of {
                    assert!(
                        !found.contains(&name),
                        "{feature:?} is off, and there is {name}:\n{}",
                        made.text
                    );
                }
                let made = seeded(seed, &plain);
                assert!(sassafras_ptx::load(&made.text, "plain").is_ok(), "{}", made.text);
            }
        }
    }

    #[test]
    fn any_bytes_make_a_module() {
        arbtest::arbtest(|u| {
            let size = u.int_in_range(0..=60)?;
            let made = module(u, &Request { size, ..Request::default() })?;
            let loaded = sassafras_ptx::load(&made.text, "random");
            assert!(loaded.is_ok(), "{}\n{:?}", made.text, loaded.err().map(|e| e.render()));
            Ok(())
        })
        .budget_ms(500);
    }
}
