//! What `-v` prints.

use std::fmt::Write;
use std::time::Duration;

use sassafras_chip::{Limit, Occupancy};
use sassafras_cubin::{Cubin, Space};

/// Numbers about one entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Instructions, padding left out.
    pub instructions: u64,
    /// Registers, those that the hardware keeps included.
    pub registers: u32,
    /// Named barriers.
    pub barriers: u32,
    /// Bytes of its stack frame.
    pub frame: u32,
    /// Bytes stored to spill, counted over the static code.
    pub spill_stores: u64,
    /// Bytes loaded to reload, counted over the static code.
    pub spill_loads: u64,
    /// Static shared memory in bytes.
    pub shared: u32,
    /// Warps of it that a multiprocessor holds, and why not more.
    pub occupancy: Option<Occupancy>,
    /// Threads of the largest block, if something says so.
    pub threads: Option<u32>,
    /// Heads of its loops, and where registers of the source lie there.
    pub heads: Vec<sassafras_codegen::Head>,
    /// Time spent on it alone.
    pub time: Duration,
}

/// Bytes of global memory that a cubin's variables take.
pub fn global_bytes(cubin: &Cubin) -> u64 {
    cubin.variables.iter().filter(|v| v.space == Space::Global).map(|v| v.size).sum()
}

/// The statistics in ptxas's words.
pub fn text(program: &str, target: &str, cubin: &Cubin, entries: &[Entry]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{program} info    : {} bytes gmem", global_bytes(cubin));
    // ptxas works on the last entry first.
    for e in entries.iter().rev() {
        let _ = writeln!(out, "{program} info    : Compiling entry function '{}' for '{target}'", e.name);
        let _ = writeln!(out, "{program} info    : Function properties for {}", e.name);
        let _ = writeln!(
            out,
            "    {} bytes stack frame, {} bytes spill stores, {} bytes spill loads",
            e.frame, e.spill_stores, e.spill_loads
        );
        let _ =
            write!(out, "{program} info    : Used {} registers, used {} barriers", e.registers, e.barriers);
        if e.frame > 0 {
            let _ = write!(out, ", {} bytes cumulative stack size", e.frame);
        }
        if e.shared > 0 {
            let _ = write!(out, ", {} bytes smem", e.shared);
        }
        // ptxas does not say so, and tools read its lines.
        if let Some(Occupancy { warps, most, limit }) = e.occupancy.filter(|_| program != "ptxas") {
            let _ = write!(out, "\n{program} info    : {warps} of {most} warps fit a multiprocessor");
            let blocks = e.threads.map(|threads| format!(", in blocks of {threads} threads"));
            out += &blocks.unwrap_or_default();
            if limit != Limit::Warps {
                let _ = write!(out, ", limited by {}", limit.word());
            }
        }
        let _ = writeln!(out, "\n{program} info    : Compile time = {:.3} ms", e.time.as_secs_f64() * 1e3);
    }
    out
}
