//! `figures launch-bounds`: entries bound to blocks of 32 to 1,024 threads, with few to very many live values: registers and spills of ours beside
//! ptxas's -O3, and whether one block of the entry's size fits a multiprocessor.

use super::listing::Usage;
use anyhow::{Result, bail};
use sassafras_chip::{Chip, PARTS};
use sassafras_oracle::{Ptxas, Tools, table};
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const THREADS: [u32; 12] = [32, 128, 256, 257, 320, 384, 416, 512, 640, 672, 768, 1024];
const LIVE: [u32; 6] = [16, 48, 72, 112, 160, 220];
/// One chip of each generation.
const CHIPS: [Chip; 5] = [Chip::Sm75, Chip::Sm80, Chip::Sm90, Chip::Sm100, Chip::Sm120];

#[derive(Serialize)]
struct Figure {
    schema: u32,
    figure: &'static str,
    ptxas: String,
    entries: usize,
    ours_that_do_not_fit: usize,
    ptxas_that_do_not_fit: usize,
    ours_with_spills: usize,
    ptxas_with_spills: usize,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    chip: String,
    directive: &'static str,
    threads: u32,
    live: u32,
    ours: Side,
    ptxas: Side,
}

#[derive(Serialize)]
struct Side {
    registers: u64,
    spill_stores: u64,
    spill_loads: u64,
    fits: bool,
}

impl Side {
    fn of(text: &str, chip: Chip, threads: u32) -> Side {
        let usage = Usage::of(text);
        let limits = chip.limits();
        let unit = u64::from(limits.register_allocation_unit);
        let warps = u64::from(threads.div_ceil(limits.warp_lanes).div_ceil(PARTS));
        let all = warps * usage.registers.next_multiple_of(unit) * u64::from(limits.warp_lanes);
        Side {
            registers: usage.registers,
            spill_stores: usage.spill_stores,
            spill_loads: usage.spill_loads,
            fits: all <= u64::from(limits.registers_per_multiprocessor / PARTS),
        }
    }
}

/// Measures and prints JSON.
pub fn launch_bounds(root: &Path) -> Result<()> {
    let tools = Tools::find(root);
    let ptxas = tools.ptxas(table::CUDA)?;
    let binary = super::binary::binary(root, true)?;
    let folder = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for chip in CHIPS {
        for (i, threads) in THREADS.into_iter().enumerate() {
            for live in LIVE {
                // Both directives, by turns.
                let directive = if i % 2 == 0 { "maxntid" } else { "reqntid" };
                let text = program(chip, directive, threads, live);
                let (ours, theirs) = both(&binary, &ptxas, folder.path(), &text, chip, threads)?;
                rows.push(Row { chip: chip.to_string(), directive, threads, live, ours, ptxas: theirs });
            }
        }
    }
    let count = |wanted: &dyn Fn(&Row) -> bool| rows.iter().filter(|r| wanted(r)).count();
    let figure = Figure {
        schema: 1,
        figure: "launch-bounds",
        ptxas: table::CUDA.into(),
        entries: rows.len(),
        ours_that_do_not_fit: count(&|r| !r.ours.fits),
        ptxas_that_do_not_fit: count(&|r| !r.ptxas.fits),
        ours_with_spills: count(&|r| r.ours.spill_stores > 0),
        ptxas_with_spills: count(&|r| r.ptxas.spill_stores > 0),
        rows,
    };
    println!("{}", serde_json::to_string_pretty(&figure)?);
    if figure.ours_that_do_not_fit > 0 {
        bail!("{} entries cannot be launched with the block that they are for", figure.ours_that_do_not_fit);
    }
    Ok(())
}

fn both(
    binary: &Path,
    ptxas: &Ptxas,
    folder: &Path,
    text: &str,
    chip: Chip,
    threads: u32,
) -> Result<(Side, Side)> {
    let (source, cubin) = (folder.join("k.ptx"), folder.join("k.cubin"));
    std::fs::write(&source, text)?;
    let arch = format!("-arch={chip}");
    let out =
        Command::new(binary).arg("compile").arg(&source).args([&arch, "-v", "-o"]).arg(&cubin).output()?;
    let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    if !out.status.success() {
        bail!("{chip}, {threads} threads: {said}");
    }
    let (_, theirs) = ptxas.compile(&source, &chip.to_string(), &["-v"])?;
    let theirs = format!("{}{}", theirs.stdout, theirs.stderr);
    Ok((Side::of(&said, chip, threads), Side::of(&theirs, chip, threads)))
}

/// A kernel that has so many values live at once: it loads them all before it uses the first, and uses each four times.
fn program(chip: Chip, directive: &str, threads: u32, live: u32) -> String {
    let version = if chip.number() >= 100 { "8.8" } else { "8.0" };
    let mut text = format!(".version {version}\n.target {chip}\n.address_size 64\n");
    let _ =
        writeln!(text, ".visible .entry k(.param .u64 out, .param .u64 in) .{directive} {threads}, 1, 1\n{{");
    let _ = writeln!(text, ".reg .b64 %d<4>; .reg .b32 %r<2>; .reg .f32 %f<{}>;", 3 * live + 1);
    text +=
        "ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;\n";
    text += "add.u64 %d2, %d2, %d3; add.u64 %d1, %d1, %d3;\n";
    for k in 0..live {
        let _ = writeln!(text, "ld.volatile.global.f32 %f{k}, [%d2+{}];", 4096 * k);
    }
    let _ = writeln!(text, "mov.f32 %f{live}, 0f00000000;");
    for k in 0..live {
        let (to, other) = (live + k, (7 * k + 3) % live);
        let _ = writeln!(text, "fma.rn.f32 %f{}, %f{to}, %f{k}, %f{other};", to + 1);
    }
    for k in 0..live {
        let (to, other) = (2 * live + k, (11 * k + 5) % live);
        let _ = writeln!(text, "fma.rn.f32 %f{}, %f{to}, %f{other}, %f{k};", to + 1);
    }
    let _ = writeln!(text, "st.global.f32 [%d1], %f{}; ret;\n}}", 3 * live);
    text
}
