//! `cargo xtask record`: ptxas's cubins and nvdisasm's text of the corpus, and words of generated PTX, made again.

use anyhow::{Context, Result, bail};
use sassafras_oracle::{Nvdisasm, Ptxas, Tools, table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
struct Manifest {
    schema: u32,
    command: String,
    options: String,
    tools: Vec<Tool>,
    traces: Vec<Trace>,
}

#[derive(Serialize, Deserialize)]
struct Tool {
    set: String,
    ptxas: String,
    nvdisasm: String,
}

#[derive(Serialize, Deserialize)]
struct Trace {
    ptx: String,
    ptxas: String,
    chip: String,
    cubin: String,
    sass: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    registers: Option<u32>,
}

/// One file to record: the PTX, from the root without its extension, the compiler's set, and the chip.
type Job = (PathBuf, &'static str, &'static str);

/// The chip for which everything is recorded.
const WHOLE: &str = "sm_90";
/// The chips for which the kernels are recorded; features have their words in `words/` there.
const OTHERS: [&str; 11] =
    ["sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"];

/// The folders of a chip's traces that one run makes; beside them lie the words, which another program makes.
const FOLDERS: [&str; 5] = ["features", "kernels", "older", "ptxas-errors", "toolkits"];

/// The chips for which `corpus/older` is recorded by earlier versions of ptxas.
const OLDER: [&str; 3] = ["sm_75", "sm_80", WHOLE];

/// The chips for which `corpus/toolkits` is recorded beside the one of everything: the oldest, up to the first toolkit that has the newest one,
/// and the newest from there on.
const TOOLKITS: (&str, &str, &str) = ("sm_75", "12.8.93", "sm_120");

/// Records `reference-traces/SET/CHIP/FOLDER/NAME.{cubin,sass}.gz` for the PTX files of the corpus, the words of generated
/// PTX, and the manifest; of the chips and versions of ptxas named, or of all when none is.
pub fn record(root: &Path, names: &[String]) -> Result<()> {
    let known = || OTHERS.into_iter().chain([WHOLE]);
    let sets = table::TOOLKITS.to_vec();
    let (versions, chips): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|n| sets.contains(&n.as_str()));
    if let Some(bad) = chips.iter().find(|c| !known().any(|k| k == **c)) {
        let known: Vec<&str> = known().chain(sets).collect();
        bail!("no chip or version is called `{bad}`; known are {}", known.join(" "));
    }
    let by = |set: &str| versions.is_empty() || versions.iter().any(|v| *v == set);
    let of = |chip: &str| chips.is_empty() || chips.iter().any(|c| *c == chip);
    let chosen = |set: &str, chip: &str| by(set) && of(chip);
    crate::fetch::fetch(root, &sets)?;
    let tools = Tools::find(root);
    let programs: Vec<(Ptxas, Nvdisasm)> = sets
        .iter()
        .map(|s| Ok((tools.ptxas(s)?, tools.nvdisasm_of(disassembler(s))?)))
        .collect::<Result<_>>()?;
    let jobs: Vec<Job> = jobs(root)?.into_iter().filter(|(_, set, chip)| chosen(set, chip)).collect();
    // nvdisasm takes half a second to start, so the machine's cores share the work.
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let mut parts: Vec<(Trace, u64)> = std::thread::scope(|s| {
        let worker = || {
            let mut done = Vec::new();
            while let Some(job) = jobs.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                let which = sets.iter().position(|s| *s == job.1).context("a set of the table")?;
                done.push(one(root, job, &programs[which])?);
            }
            anyhow::Ok(done)
        };
        let handles: Vec<_> = (0..workers).map(|_| s.spawn(worker)).collect();
        handles.into_iter().map(|h| h.join().expect("a worker does not panic")).collect::<Result<Vec<_>>>()
    })?
    .into_iter()
    .flatten()
    .collect();
    let bytes: u64 = parts.iter().map(|(_, n)| n).sum();
    // Only now, when everything was made, goes what is no longer in the corpus: a run that stops loses nothing.
    let made: BTreeSet<PathBuf> = parts
        .iter()
        .flat_map(|(t, _)| [&t.cubin, &t.sass])
        .map(|f| root.join("reference-traces").join(f))
        .collect();
    for (set, chip) in sets.iter().flat_map(|set| known().map(move |chip| (set, chip))) {
        if chosen(set, chip) {
            for folder in FOLDERS {
                stale(&root.join("reference-traces").join(set).join(chip).join(folder), &made)?;
            }
        }
    }
    let path = root.join("reference-traces/manifest.json");
    // What is not made again stays.
    if !names.is_empty() {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let old: Manifest = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        parts.extend(old.traces.into_iter().filter(|t| !chosen(&t.ptxas, &t.chip)).map(|t| (t, 0)));
    }
    parts.sort_by(|a, b| a.0.cubin.cmp(&b.0.cubin));
    let manifest = Manifest {
        schema: 1,
        command: "cargo xtask record".into(),
        options: "ptxas -arch=CHIP -v; nvdisasm -c; gzip".into(),
        tools: sets
            .iter()
            .zip(&programs)
            .map(|(set, (ptxas, _))| {
                Ok(Tool {
                    set: (*set).into(),
                    ptxas: ptxas.build()?,
                    nvdisasm: version_of_nvdisasm(set).into(),
                })
            })
            .collect::<Result<_>>()?,
        traces: parts.into_iter().map(|(t, _)| t).collect(),
    };
    std::fs::write(&path, serde_json::to_string_pretty(&manifest)? + "\n")?;
    println!("{} traces, {:.2} MiB made", manifest.traces.len(), bytes as f64 / 1_048_576.0);
    if !by(table::CUDA) {
        return Ok(());
    }
    // The generator is not a dependency of this crate, so that it starts as a program of its own.
    let chips: Vec<&str> = known().filter(|c| of(c)).collect();
    let args = [&["run", "--quiet", "--package", "sassafras-record", "--"][..], &chips].concat();
    if crate::process::run(&mut crate::process::cargo(root, &args))? != Some(0) {
        bail!("the words were not recorded");
    }
    Ok(())
}

/// Removes the recorded files below a folder that are not among those `made`, and folders that are empty then.
fn stale(folder: &Path, made: &BTreeSet<PathBuf>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            stale(&path, made)?;
        } else if !made.contains(&path) {
            std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    if std::fs::read_dir(folder)?.next().is_none() {
        std::fs::remove_dir(folder).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

/// The set whose disassembler reads a set's cubins: its own if it has one, else the main one, whose text ours is.
fn disassembler(set: &str) -> &'static str {
    if set == table::CUDA_NEWER { table::CUDA_NEWER } else { table::CUDA }
}

fn version_of_nvdisasm(set: &str) -> &'static str {
    let packages = table::set(disassembler(set)).map_or(&[][..], |s| s.packages);
    packages.iter().find(|p| p.name == "nvidia-cuda-nvdisasm").map_or("", |p| p.version)
}

fn jobs(root: &Path) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for (name, _) in crate::corpus::kernels(root)? {
        for file in [name.clone(), format!("{name}.fmad")] {
            let file = Path::new("kernels").join(&name).join(file);
            let needs = target(&root.join("corpus").join(format!("{}.ptx", file.display())))?;
            let chips = OTHERS.into_iter().chain([WHOLE]).filter(|c| number(c) >= needs);
            jobs.extend(chips.map(|chip| (file.clone(), table::CUDA, chip)));
        }
    }
    let (oldest, first, newest) = TOOLKITS;
    let first = table::TOOLKITS.iter().position(|t| *t == first).context("a version of the table")?;
    for name in names_in(root, "toolkits")? {
        for (i, set) in table::TOOLKITS.into_iter().enumerate() {
            let other = if i < first { oldest } else { newest };
            jobs.extend([WHOLE, other].map(|chip| (name.clone(), set, chip)));
        }
    }
    let whole = [WHOLE];
    for (folder, sets, chips) in [
        ("features", &[table::CUDA][..], &whole[..]),
        ("ptxas-errors", &[table::CUDA, table::CUDA_NEWER], &whole),
        ("older", &table::CUDA_OLDER, &OLDER),
    ] {
        for name in names_in(root, folder)? {
            let pairs = sets.iter().flat_map(|set| chips.iter().map(move |chip| (*set, *chip)));
            jobs.extend(pairs.map(|(set, chip)| (name.clone(), set, chip)));
        }
    }
    jobs.sort();
    Ok(jobs)
}

/// The PTX files of a folder of the corpus, from its root without their extension.
fn names_in(root: &Path, folder: &str) -> Result<Vec<PathBuf>> {
    let path = root.join("corpus").join(folder);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&path).with_context(|| path.display().to_string())? {
        let file = entry?.path();
        if file.extension().is_some_and(|e| e == "ptx") {
            names.push(Path::new(folder).join(file.file_stem().unwrap_or_default()));
        }
    }
    Ok(names)
}

/// The number of the target that a PTX file names.
fn target(ptx: &Path) -> Result<u32> {
    let text = std::fs::read_to_string(ptx).with_context(|| ptx.display().to_string())?;
    let line = text.lines().find_map(|l| l.trim().strip_prefix(".target"));
    Ok(number(line.with_context(|| format!("{}: no .target", ptx.display()))?.trim()))
}

/// The number in `sm_90a`.
fn number(target: &str) -> u32 {
    let digits: String =
        target.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

fn one(root: &Path, (name, set, chip): &Job, (ptxas, nvdisasm): &(Ptxas, Nvdisasm)) -> Result<(Trace, u64)> {
    let ptx = Path::new("corpus").join(format!("{}.ptx", name.display()));
    let (cubin, said) = ptxas.compile(&root.join(&ptx), chip, &["-v"])?;
    let sass = nvdisasm.disassemble_bytes(&cubin)?;
    let place = |kind: &str| format!("{set}/{chip}/{}.{kind}.gz", name.display());
    let traces = root.join("reference-traces");
    let bytes = crate::trace::write(&traces.join(place("cubin")), &cubin)?
        + crate::trace::write(&traces.join(place("sass")), sass.as_bytes())?;
    let trace = Trace {
        ptx: ptx.display().to_string(),
        ptxas: (*set).into(),
        chip: (*chip).into(),
        cubin: place("cubin"),
        sass: place("sass"),
        registers: registers(&format!("{}{}", said.stdout, said.stderr)),
    };
    Ok((trace, bytes))
}

/// `Used N registers` in what `ptxas -v` says.
pub fn registers(said: &str) -> Option<u32> {
    said.split("Used ").nth(1)?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_not_made_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("kernels/old")).expect("folders");
        for name in ["kernels/a.cubin.gz", "kernels/b.cubin.gz", "kernels/old/c.cubin.gz", "words.gz"] {
            std::fs::write(at(name), name).expect("a file");
        }
        stale(&at("kernels"), &BTreeSet::from([at("kernels/a.cubin.gz")])).expect("it is a folder");
        assert!(at("kernels/a.cubin.gz").exists() && at("words.gz").exists());
        assert!(!at("kernels/b.cubin.gz").exists() && !at("kernels/old").exists());
        stale(&at("features"), &BTreeSet::new()).expect("no folder is nothing to do");
    }
}
