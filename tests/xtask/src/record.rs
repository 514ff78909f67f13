//! `cargo xtask record`: ptxas's cubins and nvdisasm's text of the whole corpus, made again.

use anyhow::{Context, Result};
use sassafras_oracle::{Nvdisasm, Ptxas, Tools, table};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Manifest {
    schema: u32,
    command: &'static str,
    options: &'static str,
    tools: Vec<Tool>,
    traces: Vec<Trace>,
}

#[derive(Serialize)]
struct Tool {
    set: &'static str,
    ptxas: String,
    nvdisasm: &'static str,
}

#[derive(Serialize)]
struct Trace {
    ptx: String,
    ptxas: &'static str,
    chip: &'static str,
    cubin: String,
    sass: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    registers: Option<u32>,
}

/// One file to record: the PTX, from the root without its extension, the compiler's set, and the chip.
type Job = (PathBuf, &'static str, &'static str);

/// Records `reference-traces/SET/CHIP/FOLDER/NAME.{cubin,sass}.gz` for every PTX file of the corpus, and the manifest.
pub fn record(root: &Path) -> Result<()> {
    crate::fetch::fetch(root, &[table::CUDA, table::CUDA_NEWER])?;
    let tools = Tools::find(root);
    let sets = [table::CUDA, table::CUDA_NEWER];
    let programs: Vec<(Ptxas, Nvdisasm)> =
        sets.iter().map(|s| Ok((tools.ptxas(s)?, tools.nvdisasm_of(s)?))).collect::<Result<_>>()?;
    let jobs = jobs(root)?;
    for set in sets {
        let old = root.join("reference-traces").join(set);
        if old.exists() {
            std::fs::remove_dir_all(&old).with_context(|| old.display().to_string())?;
        }
    }
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
    parts.sort_by(|a, b| a.0.cubin.cmp(&b.0.cubin));
    let bytes: u64 = parts.iter().map(|(_, n)| n).sum();
    let manifest = Manifest {
        schema: 1,
        command: "cargo xtask record",
        options: "ptxas -arch=CHIP -v; nvdisasm -c; gzip",
        tools: sets
            .iter()
            .zip(&programs)
            .map(|(set, (ptxas, _))| {
                Ok(Tool { set, ptxas: ptxas.build()?, nvdisasm: version_of_nvdisasm(set) })
            })
            .collect::<Result<_>>()?,
        traces: parts.into_iter().map(|(t, _)| t).collect(),
    };
    let path = root.join("reference-traces/manifest.json");
    std::fs::write(&path, serde_json::to_string_pretty(&manifest)? + "\n")?;
    println!("{} traces, {:.2} MiB", manifest.traces.len(), bytes as f64 / 1_048_576.0);
    Ok(())
}

fn version_of_nvdisasm(set: &str) -> &'static str {
    let packages = table::set(set).map_or(&[][..], |s| s.packages);
    packages.iter().find(|p| p.name == "nvidia-cuda-nvdisasm").map_or("", |p| p.version)
}

fn jobs(root: &Path) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for (name, _) in crate::corpus::kernels(root)? {
        for file in [name.clone(), format!("{name}.fmad")] {
            jobs.push((Path::new("kernels").join(&name).join(file), table::CUDA, "sm_90"));
        }
    }
    for (folder, sets) in
        [("features", &[table::CUDA][..]), ("ptxas-errors", &[table::CUDA, table::CUDA_NEWER])]
    {
        let path = root.join("corpus").join(folder);
        for entry in std::fs::read_dir(&path).with_context(|| path.display().to_string())? {
            let file = entry?.path();
            if file.extension().is_some_and(|e| e == "ptx") {
                let stem = file.file_stem().unwrap_or_default();
                jobs.extend(sets.iter().map(|set| (Path::new(folder).join(stem), *set, "sm_90")));
            }
        }
    }
    jobs.sort();
    Ok(jobs)
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
        ptxas: set,
        chip,
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
