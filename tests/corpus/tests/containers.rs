//! NVIDIA's readers accept every cubin that we write, and our listing of it is nvdisasm's to the byte.
//!
//! One program in ten; all of them with `CORPUS_FULL` (`cargo xtask long corpus`).

use sassafras::listing::{Look, chip, listing};
use sassafras_chip::Chip;
use sassafras_corpus::{compile, compile_for, programs};
use sassafras_cubin::elf;
use sassafras_oracle::{Cuobjdump, Tools, skip, table, workspace_root};
use std::path::Path;

const EVERY: usize = 10;

#[test]
fn nvidia_reads_what_we_write() {
    let name = "nvidia_reads_what_we_write";
    let tools = Tools::here();
    let (nvdisasm, cuobjdump) = match (tools.nvdisasm(), tools.cuobjdump()) {
        (Ok(nvdisasm), Ok(cuobjdump)) => (nvdisasm, cuobjdump),
        (Err(reason), _) | (_, Err(reason)) => return skip(name, &reason),
    };
    let full = std::env::var_os("CORPUS_FULL").is_some();
    let all = programs(&workspace_root()).expect("the corpus can be read");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("in.cubin");
    let (mut read, mut wrong) = (0, Vec::new());
    for program in all.iter().step_by(if full { 1 } else { EVERY }) {
        // What is not supported is counted by the other test.
        let Ok((_, bytes)) = compile(program) else { continue };
        std::fs::write(&path, &bytes).expect("the folder is ours");
        for options in [&["-elf"][..], &["-res-usage"]] {
            let said = cuobjdump.run(&path, options).expect("cuobjdump runs");
            if !said.ok() || !said.stderr.is_empty() || said.stdout.is_empty() {
                wrong.push(format!("{}: cuobjdump {options:?}: {}", program.name, said.stderr));
            }
        }
        let theirs = nvdisasm.run(&path, &["-c"]).expect("nvdisasm runs");
        if !theirs.ok() || !theirs.stderr.is_empty() {
            wrong.push(format!("{}: nvdisasm: {}", program.name, theirs.stderr));
            continue;
        }
        let image = elf::read(&bytes).expect("we read what we write");
        let chip = chip(&image).expect("sm_90 is known");
        let ours = listing(&image, chip, Look::default()).expect("every word of ours has a form").text;
        if ours != theirs.stdout {
            let place = ours.lines().zip(theirs.stdout.lines()).find(|(a, b)| a != b);
            wrong.push(format!("{}: the listing differs: {place:?}", program.name));
        }
        read += 1;
    }
    println!("{read} of {} cubins read by nvdisasm and cuobjdump", all.len());
    assert!(read > all.len() / EVERY / 2, "only {read} cubins were made");
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}

/// What `cuobjdump -elf` lists of a file's sections, without places and sizes, and of the registers in `info` of code.
fn sections(cuobjdump: &Cuobjdump, path: &Path) -> Vec<String> {
    let said = cuobjdump.run(path, &["-elf"]).expect("cuobjdump runs");
    assert!(said.ok(), "{}", said.stderr);
    let rows = said.stdout.lines().skip_while(|line| !line.starts_with("Sections:")).skip(2);
    let row = |line: &str| {
        let mut words: Vec<&str> = line.split_whitespace().skip(3).collect();
        if let [.., info, name] = &mut words[..]
            && name.starts_with(".text.")
        {
            *info = info.get(info.len().saturating_sub(6)..).unwrap_or(info).trim_start_matches('0');
        }
        words.join(" ")
    };
    rows.take_while(|line| !line.trim().is_empty()).map(row).collect()
}

/// Our files have ptxas's sections before sm_90, in its order, with its flags and links.
#[test]
fn sections_are_those_of_ptxas() {
    let name = "sections_are_those_of_ptxas";
    let tools = Tools::here();
    let (ptxas, cuobjdump) = match (tools.ptxas(table::CUDA), tools.cuobjdump()) {
        (Ok(ptxas), Ok(cuobjdump)) => (ptxas, cuobjdump),
        (Err(reason), _) | (_, Err(reason)) => return skip(name, &reason),
    };
    let root = workspace_root();
    let all = programs(&root).expect("the corpus can be read");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("in.cubin");
    let kernels = ["vadd", "reduce", "localarray", "transpose", "saxpy"];
    let mut compared = 0;
    for kernel in kernels {
        let name = format!("kernels/{kernel}/{kernel}");
        let program = all.iter().find(|p| p.name == name).expect("the kernel is there");
        for chip in Chip::ALL.into_iter().filter(|chip| chip.limits().reserved_shared_bytes == 0) {
            let ptx = root.join("corpus").join(format!("{name}.ptx"));
            let (theirs, _) = ptxas.compile(&ptx, &chip.to_string(), &[]).expect("ptxas compiles it");
            let (_, ours) = compile_for(program, chip).expect("we compile it");
            let [theirs, ours] = [theirs, ours].map(|bytes| {
                std::fs::write(&path, bytes).expect("the folder is ours");
                sections(&cuobjdump, &path)
            });
            assert!(theirs.len() > 10, "{theirs:?}");
            assert_eq!(ours, theirs, "{name} on {chip}");
            compared += 1;
        }
    }
    println!("{compared} files compared");
    assert_eq!(compared, 6 * kernels.len());
}
