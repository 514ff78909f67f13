//! `corpus/loops` and `corpus/causes`: every kernel compiles for chips of three generations, and no judge objects.
//!
//! A sample of the files, one chip a file and under the fast judges; with `CORPUS_FULL` all of them, on every chip, at -O1 to -O3 and under every
//! judge. `loops.txt` names what is refused or objected to, with the message. The list only shrinks.

use sassafras::judges::Judges;
use sassafras_driver::options::parse;
use sassafras_driver::session;
use sassafras_reference::workspace_root;
use std::path::{Path, PathBuf};

/// Files with every shape: one loop, nests, several exits, barriers, calls, loops on the stack.
const SAMPLE: [&str; 7] =
    ["causes", "control", "counters", "functions", "gemm_tiled", "reduce_block", "tables"];

const CHIPS: [&str; 3] = ["sm_80", "sm_90", "sm_120"];

/// The files of kernels, in the order of their names.
fn files() -> Vec<PathBuf> {
    let folders = ["corpus/causes", "corpus/loops"].map(|folder| workspace_root().join(folder));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the corpus"));
    let entries = entries.map(|e| e.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "ptx")).collect();
    files.sort();
    files
}

/// What the compiler or a judge says of a file, if it does not make code for each of its entries.
fn objection(file: &Path, arch: &str, level: &str, judge: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).expect("a file of the corpus");
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let words = [&format!("-arch={arch}"), level, "--judge", judge, "-o", "x.cubin", "x.ptx"];
    let options = parse(&words.map(String::from), &|_| unreachable!("no file is named")).expect("options");
    match session::compile(&text, &name, &options, None, &Judges::new(options.judges)) {
        Err(why) => Some(why.to_string().lines().next().unwrap_or_default().to_owned()),
        Ok(made) => {
            let cubin = made.cubin.expect("nothing stopped it").0;
            let entries = text.matches(".visible .entry").count();
            let kernels = cubin.functions.iter().filter(|f| f.entry).count();
            (kernels != entries).then(|| format!("{kernels} of {entries} entries have code"))
        }
    }
}

#[test]
fn loops_compile_and_are_judged() {
    let full = std::env::var_os("CORPUS_FULL").is_some();
    let (levels, judge) = if full { (&["-O3", "-O2", "-O1"][..], "all") } else { (&["-O3"][..], "fast") };
    let known = include_str!("loops.txt");
    let name = |p: &Path| p.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let wanted: Vec<PathBuf> =
        files().into_iter().filter(|p| full || SAMPLE.contains(&name(p).as_str())).collect();
    assert!(full || wanted.len() == SAMPLE.len(), "{wanted:?}");
    let (mut wrong, mut tried) = (Vec::new(), Vec::new());
    for (at, file) in wanted.iter().enumerate() {
        for (chip, arch) in CHIPS.into_iter().enumerate() {
            // The sample takes one chip a file.
            if !full && at % CHIPS.len() != chip {
                continue;
            }
            for level in levels {
                let what = format!("{} {arch} {level}: ", name(file));
                let found = objection(file, arch, level, judge).map(|why| format!("{what}{why}"));
                let stands = known.lines().find(|l| l.starts_with(&what)).map(str::to_owned);
                if found != stands {
                    wrong.push(format!("found {found:?}, the list has {stands:?}"));
                }
                tried.push(what);
            }
        }
    }
    if full {
        let stale = known.lines().filter(|l| !l.starts_with('#') && !tried.iter().any(|t| l.starts_with(t)));
        wrong.extend(stale.map(|l| format!("the list has `{l}`, which was not tried")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// There are at least 300 entries with names of their own, and each file belongs to the half that its name says.
#[test]
fn loops_are_many_and_in_two_halves() {
    let (mut names, mut halves) = (std::collections::BTreeSet::new(), [0usize; 2]);
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("a file of the corpus");
        assert!(file.with_extension("cu").exists(), "{} has no source", file.display());
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let half = stem.bytes().map(usize::from).sum::<usize>() % 2;
        for entry in text.lines().filter_map(|l| l.strip_prefix(".visible .entry ")) {
            let entry = entry.trim_end_matches('(').to_owned();
            assert!(names.insert(entry.clone()), "{entry} twice");
            halves[half] += 1;
        }
    }
    assert!(names.len() >= 300, "{} entries", names.len());
    assert!(halves.iter().all(|n| *n >= 100), "{halves:?}");
}
