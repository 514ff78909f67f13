//! `corpus/large`: kernels of up to thousands of instructions compile for chips of three generations at every level that optimises, and no judge objects.
//!
//! A sample of the files, at the default level and under the fast judges; with `CORPUS_FULL` all of them, at -O1 to -O3 and under every judge.

use anyhow::{Context, anyhow};
use sassafras::judges::Judges;
use sassafras_driver::options::parse;
use sassafras_driver::session;
use sassafras_reference::workspace_root;
use std::path::PathBuf;

/// Files that compile within seconds and have, between them, doubles, divisions, tensor units, deep loops and many values.
const SAMPLE: [&str; 5] = ["biology", "blake", "conv", "gemm", "render"];

fn files() -> Vec<PathBuf> {
    let folder = workspace_root().join("corpus/large");
    let entries = std::fs::read_dir(folder).expect("the corpus").map(|e| e.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "ptx")).collect();
    files.sort();
    files
}

fn compile(file: &std::path::Path, arch: &str, level: &str, judge: &str) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(file)?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let words = [&format!("-arch={arch}"), level, "--judge", judge, "-o", "x.cubin", "x.ptx"];
    let options = parse(&words.map(String::from), &|_| unreachable!("no file is named"));
    let options = options?;
    let made = session::compile(&text, &name, &options, None, &Judges::new(options.judges));
    let (cubin, _) = made.map_err(|e| anyhow!("{name} {arch} {level}: {e}"))?.cubin.context("no cubin")?;
    let entries = text.matches(".visible .entry").count();
    let kernels = cubin.functions.iter().filter(|f| f.entry).count();
    anyhow::ensure!(kernels == entries, "{name}: {kernels} of {entries} entries have code");
    Ok(())
}

#[test]
fn large_kernels_compile_and_are_judged() {
    let full = std::env::var_os("CORPUS_FULL").is_some();
    let (levels, judge) = if full { (&["-O3", "-O2", "-O1"][..], "all") } else { (&["-O3"][..], "fast") };
    let all = files();
    assert!(all.len() >= 20, "{} files", all.len());
    let name = |p: &PathBuf| p.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let wanted = all.iter().filter(|p| full || SAMPLE.contains(&name(p).as_str()));
    let wanted: Vec<&PathBuf> = wanted.collect();
    assert!(full || wanted.len() == SAMPLE.len(), "{wanted:?}");
    let mut wrong: Vec<String> = Vec::new();
    for (at, file) in wanted.iter().enumerate() {
        for (chip, arch) in ["sm_80", "sm_90", "sm_120"].into_iter().enumerate() {
            // The sample takes one chip a file.
            if !full && at % 3 != chip {
                continue;
            }
            let failed = levels.iter().filter_map(|level| compile(file, arch, level, judge).err());
            wrong.extend(failed.map(|why| why.to_string()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
