//! NVIDIA's readers accept every cubin that we write, and our listing of it is nvdisasm's to the byte.
//!
//! One program in ten; all of them with `CORPUS_FULL` (`cargo xtask long corpus`).

use sassafras::listing::{Look, chip, listing};
use sassafras_corpus::{compile, programs};
use sassafras_cubin::elf;
use sassafras_oracle::{Tools, skip, workspace_root};

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
