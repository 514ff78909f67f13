//! `figures graph`: how graph algorithms and whole compilations grow with the number of blocks, and ptxas on the same programs.

use crate::process::{cargo, run};
use anyhow::{Context, Result, bail};
use sassafras_oracle::{Tools, table};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CHIP: &str = "sm_90";
/// Blocks of the graphs.
const BLOCKS: [u32; 3] = [10_000, 30_000, 100_000];
/// Blocks of the programs.
const PROGRAM_BLOCKS: [u32; 4] = [1_000, 10_000, 30_000, 100_000];
/// What a compilation may take.
const LIMIT: Duration = Duration::from_secs(300);

#[derive(Serialize)]
struct Figure {
    schema: u32,
    figure: &'static str,
    chip: &'static str,
    ptxas: String,
    algorithms: Vec<Algorithm>,
    programs: Vec<Program>,
}

/// One algorithm on one shape. Memory is what the peak of the process grew by, in bytes.
#[derive(Serialize)]
struct Algorithm {
    shape: String,
    algorithm: String,
    points: Vec<Point>,
    /// Time at the most blocks over time at the fewest, over the ratio of the blocks: 1 is linear.
    growth: f64,
}

#[derive(Serialize)]
struct Point {
    blocks: u32,
    ms: f64,
    bytes: u64,
}

/// One generated program. No time: it took longer than the limit, or was refused.
#[derive(Serialize)]
struct Program {
    shape: &'static str,
    blocks: u32,
    ours_ms: Option<f64>,
    judged_ms: Option<f64>,
    ptxas_o3_ms: Option<f64>,
    ptxas_o0_ms: Option<f64>,
}

/// Measures and prints one JSON record.
pub fn graph(root: &Path) -> Result<()> {
    let ptxas = Tools::find(root).ptxas(table::CUDA)?;
    let ours = super::binary::binary(root, true)?;
    let scale = example(root)?;
    let listed = String::from_utf8(Command::new(&scale).output()?.stdout)?;
    let [shapes, names] = listed.lines().collect::<Vec<_>>()[..] else {
        bail!("the benchmark lists two lines")
    };
    let mut algorithms = Vec::new();
    for shape in shapes.split(' ') {
        for name in names.split(' ') {
            let points = BLOCKS
                .iter()
                .map(|&blocks| point(&scale, shape, blocks, name))
                .collect::<Result<Vec<_>>>()?;
            let (first, last) = (&points[0], &points[points.len() - 1]);
            let growth = last.ms / first.ms / (f64::from(last.blocks) / f64::from(first.blocks));
            algorithms.push(Algorithm { shape: shape.into(), algorithm: name.into(), points, growth });
        }
    }
    let folder = root.join("target/figures");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut programs = Vec::new();
    let shapes: [(&str, fn(u32) -> String); 5] = [
        ("chain", |blocks| kernel(&chain(blocks))),
        ("nest", |blocks| kernel(&nest(blocks))),
        ("switch", |blocks| kernel(&switch(blocks))),
        ("reducible", |blocks| kernel(&reducible(blocks))),
        ("kernels", kernels),
    ];
    for (shape, make) in shapes {
        // A cubin's sections are counted in 16 bits.
        let most = if shape == "kernels" { 10_000 } else { u32::MAX };
        for blocks in PROGRAM_BLOCKS.into_iter().filter(|&blocks| blocks <= most) {
            let ptx = folder.join("graph.ptx");
            std::fs::write(&ptx, make(blocks))?;
            let out = folder.join("graph.cubin");
            let us = |judge: &str| {
                let arch = format!("-arch={CHIP}");
                let words = ["compile", "--quiet", &arch, "--judge", judge];
                timed(Command::new(&ours).args(words).arg(&ptx).arg("-o").arg(&out))
            };
            let them = |level: &str| {
                timed(
                    Command::new(ptxas.path())
                        .args([&format!("-arch={CHIP}"), level])
                        .arg(&ptx)
                        .arg("-o")
                        .arg(&out),
                )
            };
            let program = Program {
                shape,
                blocks,
                ours_ms: us("none")?,
                judged_ms: us("fast")?,
                ptxas_o3_ms: them("-O3")?,
                ptxas_o0_ms: them("-O0")?,
            };
            eprintln!("{}", serde_json::to_string(&program)?);
            programs.push(program);
        }
    }
    let ptxas = ptxas.build()?;
    let figure = Figure { schema: 1, figure: "graph", chip: CHIP, ptxas, algorithms, programs };
    println!("{}", serde_json::to_string_pretty(&figure)?);
    Ok(())
}

fn example(root: &Path) -> Result<PathBuf> {
    let mut build =
        cargo(root, &["build", "--quiet", "--release", "--package", "sassafras-graph", "--example", "scale"]);
    if run(&mut build)? != Some(0) {
        bail!("the build failed");
    }
    let binary = super::binary::binary(root, true)?;
    Ok(binary.with_file_name("examples").join("scale"))
}

/// The best time of three runs, each a process of its own.
fn point(scale: &Path, shape: &str, blocks: u32, name: &str) -> Result<Point> {
    let mut best = Point { blocks, ms: f64::INFINITY, bytes: 0 };
    for _ in 0..3 {
        let out = Command::new(scale).args([shape, &blocks.to_string(), name]).output()?;
        let text = String::from_utf8(out.stdout)?;
        let mut words = text.split_whitespace();
        let seconds: f64 = words.next().context("seconds")?.parse()?;
        best.bytes = best.bytes.max(words.next().context("bytes")?.parse()?);
        best.ms = best.ms.min(seconds * 1e3);
    }
    Ok(best)
}

/// Wall time in milliseconds; none when the program fails or takes longer than [`LIMIT`].
fn timed(command: &mut Command) -> Result<Option<f64>> {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success().then(|| start.elapsed().as_secs_f64() * 1e3));
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n\
         .reg .pred %q;\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\nld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\n\
         mov.u32 %r1, %tid.x;\n{body}END:\nst.global.u32 [%d0], %r1;\nret;\n}}\n"
    )
}

/// A module of so many kernels of one block.
fn kernels(count: u32) -> String {
    let one = |i: u32| {
        format!(
            ".visible .entry k{i}(.param .u64 p)\n{{\n.reg .b32 %r;\n.reg .b64 %d;\nld.param.u64 %d, [p];\n\
             mov.u32 %r, %tid.x;\nadd.u32 %r, %r, {i};\nst.global.u32 [%d], %r;\nret;\n}}\n"
        )
    };
    let all: String = (0..count).map(one).collect();
    format!(".version 8.0\n.target sm_90\n.address_size 64\n{all}")
}

/// Each block goes on, or to the end.
fn chain(blocks: u32) -> String {
    let step = |i: u32| {
        format!("mad.lo.u32 %r1, %r1, {}, %r0;\nsetp.eq.u32 %q, %r1, {i};\n@%q bra END;\n", 2 * i + 1)
    };
    (0..blocks).map(step).collect()
}

/// Half as many loops as blocks, each in the one before, but no more than 1,000 deep; then the next nest.
fn nest(blocks: u32) -> String {
    let (loops, deep) = (blocks / 2, 1000);
    let mut out = String::new();
    for first in (0..loops).step_by(deep) {
        let here = first..(first + deep as u32).min(loops);
        here.clone().for_each(|i| out += &format!("L{i}:\nmad.lo.u32 %r1, %r1, 3, {i};\n"));
        for i in here.rev() {
            out += &format!("xor.b32 %r1, %r1, %r0;\nsetp.lt.u32 %q, %r1, {i};\n@%q bra L{i};\n");
        }
    }
    out
}

/// A jump table of all blocks.
fn switch(blocks: u32) -> String {
    let names: Vec<String> = (0..blocks).map(|i| format!("C{i}")).collect();
    let mut out = format!(
        "rem.u32 %r2, %r1, {blocks};\nTABLE: .branchtargets {};\nbrx.idx %r2, TABLE;\n",
        names.join(", ")
    );
    for (i, name) in names.iter().enumerate() {
        out += &format!("{name}:\nmad.lo.u32 %r1, %r1, {}, %r0;\nbra END;\n", 2 * i + 1);
    }
    out
}

/// Random ifs and loops in each other.
fn reducible(blocks: u32) -> String {
    let mut state = 7u64;
    let mut random = move |end: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % end
    };
    let mut out = String::new();
    // What is open: the text that closes it.
    let mut open: Vec<String> = Vec::new();
    let mut made = 0;
    while made < blocks {
        out += &format!("mad.lo.u32 %r1, %r1, {}, %r0;\n", 2 * made + 1);
        match random(4) {
            0 if open.len() < 12 => {
                out += &format!("setp.lt.u32 %q, %r1, {made};\n@%q bra J{made};\n");
                open.push(format!("J{made}:\n"));
                made += 2;
            }
            1 if open.len() < 12 => {
                out += &format!("L{made}:\nxor.b32 %r1, %r1, {made};\n");
                open.push(format!("setp.lt.u32 %q, %r1, {made};\n@%q bra L{made};\n"));
                made += 2;
            }
            _ => out += &open.pop().unwrap_or_default(),
        }
    }
    open.into_iter().rev().for_each(|close| out += &close);
    out
}
