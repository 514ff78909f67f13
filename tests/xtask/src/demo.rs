//! `cargo xtask demo`: the main job, end to end.

use crate::process::{cargo, run, shown, tee};
use anyhow::{Context, Result, bail};
use sassafras_oracle::{Tools, table};
use std::path::Path;

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

/// Compiles nvcc's vadd for sm_90 with every fast judge, runs PTX and cubin side by side, proves one against the other,
/// and shows the machine code.
pub fn demo(root: &Path) -> Result<()> {
    crate::fetch::fetch(root, &[table::CUDA, table::Z3])?;
    println!("== build");
    let mut build = cargo(root, &["build", "--quiet", "--package", "sassafras"]);
    if run(&mut build)? != Some(0) {
        bail!("the build failed");
    }
    let folder = root.join("target/demo");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let at = |name: &str| folder.join(name).display().to_string();
    let (cubin, report) = (at("vadd.cubin"), at("report.json"));

    step(
        root,
        "compile, each stage with its judge",
        &["compile", KERNEL, "-arch=sm_90", "--judge", "fast", "--report", &report, "-o", &cubin],
    )?;
    print!("{}", crate::stages::table(Path::new(&report))?);
    let (ptx_out, sass_out) = (at("ptx.bin"), at("sass.bin"));
    let dump = |path: &str| format!("2={path}");
    let of = |file: &str, out: &str, more: &[&str]| -> Vec<String> {
        let mut v = vec!["run".to_string(), file.into()];
        v.extend(LAUNCH.iter().chain(more).map(|s| (*s).to_string()));
        v.extend(["--dump".into(), dump(out)]);
        v
    };
    step(root, "run the PTX", &refs(&of(KERNEL, &ptx_out, &[])))?;
    step(root, "run the cubin, early reads poisoned", &refs(&of(&cubin, &sass_out, &["--timing"])))?;
    let (a, b) = (std::fs::read(&ptx_out)?, std::fs::read(&sass_out)?);
    if a != b || a.iter().all(|x| *x == 0) {
        bail!("the two executors disagree on vadd");
    }
    println!("   both executors give the same {} bytes", a.len());

    let verdict =
        sassafras(root, "prove the cubin against the PTX", &["prove", KERNEL, "--against", &cubin])?.0;
    match verdict {
        Some(0) => println!("   proved"),
        Some(11) => println!("   proved within a bound"),
        Some(12) => println!("   not decided (the reason is above)"),
        Some(13) => println!("   inapplicable"),
        Some(14) => println!("   proved with assumptions outside the base set"),
        code => bail!("`prove` ended with {code:?}"),
    }

    let lines = step(root, "the machine code", &["disasm", &cubin])?;
    match Tools::find(root).nvdisasm() {
        Ok(nvdisasm) => {
            let theirs = nvdisasm.disassemble(Path::new(&cubin))?;
            if theirs.lines().map(str::trim_end).ne(lines.iter().map(String::as_str)) {
                bail!("our disassembly differs from nvdisasm's");
            }
            println!("   nvdisasm -c prints the same {} lines", lines.len());
        }
        Err(why) => println!("   skipped: comparison with nvdisasm: {why}"),
    }
    println!("== demo done");
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
