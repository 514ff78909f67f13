//! `cargo xtask demo`: the main job, end to end.

use crate::process::{cargo, run, shown, tee};
use anyhow::{Context, Result, bail};
use sassafras_oracle::{Tools, table};
use std::path::Path;

/// Where the demo writes.
const FOLDER: &str = "target/demo";
const KERNEL: &str = "corpus/kernels/vadd/vadd.ptx";
/// One launch of vadd: two blocks of 64 threads, 100 elements.
const LAUNCH: &[&str] = &[
    "--entry",
    "vadd",
    "--grid",
    "2",
    "--block",
    "64",
    "--arg",
    "rand:f32:100:1",
    "--arg",
    "rand:f32:100:2",
    "--arg",
    "zeros:400",
    "--arg",
    "s32:100",
    "--quiet",
];

/// A program that ptxas 13.0.88 compiles wrongly, and the recorded cubin.
const WRONG: (&str, &str) =
    ("corpus/ptxas-errors/rotate64.ptx", "reference-traces/13.0.88/sm_90/ptxas-errors/rotate64.cubin.gz");

/// Compiles nvcc's vadd for sm_90 with every fast judge, runs PTX and cubin side by side, proves one against the other,
/// shows the machine code, and refutes a wrong compilation of ptxas's.
pub fn demo(root: &Path) -> Result<()> {
    crate::fetch::fetch(root, &[table::CUDA, table::Z3])?;
    println!("== build");
    let mut build = cargo(root, &["build", "--quiet", "--package", "sassafras"]);
    if run(&mut build)? != Some(0) {
        bail!("the build failed");
    }
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (cubin, report) = (at("vadd.cubin"), at("report.json"));

    step(
        root,
        "compile, each stage with its judge",
        &["compile", KERNEL, "-arch=sm_90", "--judge", "fast", "--report", &report, "-o", &cubin],
    )?;
    print!("{}", crate::stages::table(&root.join(&report))?);
    both_executors(root, &cubin)?;
    disassembly(root, &cubin)?;

    prove(root, &cubin)?;
    println!("== demo done");
    Ok(())
}

/// A file of the demo, from the root.
fn at(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

fn both_executors(root: &Path, cubin: &str) -> Result<()> {
    let launch = |file: &str, out: &str, more: &[&str]| -> Vec<String> {
        let mut v = vec!["run".to_string(), file.into()];
        v.extend(LAUNCH.iter().chain(more).map(|s| (*s).to_string()));
        v.extend(["--dump".into(), format!("2={out}")]);
        v
    };
    let (ptx_out, sass_out) = (at("ptx.bin"), at("sass.bin"));
    step(root, "run the PTX", &refs(&launch(KERNEL, &ptx_out, &[])))?;
    step(root, "run the cubin, early reads poisoned", &refs(&launch(cubin, &sass_out, &["--timing"])))?;
    let (a, b) = (std::fs::read(root.join(ptx_out))?, std::fs::read(root.join(sass_out))?);
    if a != b || a.iter().all(|x| *x == 0) {
        bail!("the two executors disagree on vadd");
    }
    println!("   both executors give the same {} bytes", a.len());
    Ok(())
}

/// Proves vadd's cubin, and refutes the wrong one of ptxas's.
fn prove(root: &Path, cubin: &str) -> Result<()> {
    let mut help = cargo(root, &["run", "--quiet", "--package", "sassafras", "--", "prove", "--help"]);
    if !help.output()?.status.success() {
        println!("== proofs\n   skipped: this build of sassafras has no `prove`");
        return Ok(());
    }
    let verdict =
        sassafras(root, "prove the cubin against the PTX", &["prove", KERNEL, "--against", cubin])?.0;
    say_verdict(verdict)?;
    let wrong = at("rotate64.cubin");
    std::fs::write(root.join(&wrong), crate::trace::read(&root.join(WRONG.1))?)?;
    let title = "a wrong compilation of ptxas 13.0.88's, refuted";
    match sassafras(root, title, &["prove", WRONG.0, "--against", &wrong])?.0 {
        Some(10) => println!("   refuted, as it must be"),
        code => bail!("`prove` ended with {code:?}, and must refute this cubin"),
    }
    Ok(())
}

fn say_verdict(code: Option<i32>) -> Result<()> {
    let text = match code {
        Some(0) => "proved",
        Some(11) => "proved within a bound",
        Some(12) => "not decided (the reason is above)",
        Some(13) => "inapplicable",
        Some(14) => "proved with assumptions outside the base set",
        code => bail!("`prove` ended with {code:?}"),
    };
    println!("   {text}");
    Ok(())
}

fn disassembly(root: &Path, cubin: &str) -> Result<()> {
    let lines = step(root, "the machine code", &["disasm", cubin])?;
    match Tools::find(root).nvdisasm() {
        Ok(nvdisasm) => {
            let theirs = nvdisasm.disassemble(&root.join(cubin))?;
            if theirs.lines().map(str::trim_end).ne(lines.iter().map(String::as_str)) {
                bail!("our disassembly differs from nvdisasm's");
            }
            println!("   nvdisasm -c prints the same {} lines", lines.len());
        }
        Err(why) => println!("   skipped: comparison with nvdisasm: {why}"),
    }
    Ok(())
}

fn refs(v: &[String]) -> Vec<&str> {
    v.iter().map(String::as_str).collect()
}

fn step(root: &Path, title: &str, args: &[&str]) -> Result<Vec<String>> {
    let (code, lines) = sassafras(root, title, args)?;
    if code != Some(0) {
        bail!("`sassafras {}` ended with {code:?}", args.first().unwrap_or(&""));
    }
    Ok(lines)
}

fn sassafras(root: &Path, title: &str, args: &[&str]) -> Result<(Option<i32>, Vec<String>)> {
    let mut command = cargo(root, &["run", "--quiet", "--package", "sassafras", "--"]);
    command.args(args);
    println!(
        "== {title}\n   $ {}",
        shown(&command).replace("cargo run --quiet --package sassafras --", "sassafras")
    );
    tee(&mut command)
}
