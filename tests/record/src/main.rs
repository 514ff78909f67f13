//! `record CHIP…`: compiles every kernel of `sassafras_generate::exercise` and the corpus with ptxas for each chip, and writes
//! `reference-traces/SET/CHIP/words.gz` and `refused.gz`.
//!
//! - `words.gz`: one line for each distinct word, `HEX TEXT`, sorted; the text is nvdisasm's with the word at address
//!   `16 * (i mod 20000)`, where `i` counts lines from 0; `-` where nvdisasm refuses the word.
//! - `words.csv`, beside the folders of the chips: how many words they are of which `words.gz` holds the distinct ones.
//! - `refused.gz`: one line for each kernel that ptxas refuses: `FORM<TAB>MESSAGE`.
//!
//! `record --check SET [--options "OPTION …"] [--every N] CHIP…` stores nothing: it holds the words of that set's ptxas, with these options, against
//! that set's nvdisasm and the table of instructions, and fails when one differs.

mod check;
mod compile;
mod words;

use anyhow::{Context, Result};
use sassafras_chip::Chip;
use sassafras_generate::exercise;
use sassafras_oracle::{Tools, table, workspace_root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|a| a == "--check") {
        return check::run(&arguments[1..]);
    }
    let root = workspace_root();
    let tools = Tools::find(&root);
    let (ptxas, nvdisasm) = (tools.ptxas(table::CUDA)?, tools.nvdisasm_of(table::CUDA)?);
    let exercises = exercise::all();
    for chip in arguments {
        let chip: Chip = chip.parse()?;
        let (cubins, refused) = compile::exercises(&ptxas, chip, &[], &exercises)?;
        let (mut all, mut count) = (BTreeSet::new(), 0);
        for cubin in cubins.iter().chain(&compile::corpus(&root, &ptxas, chip, &[&["-O3"], &["-O0"]])?) {
            count += words::collect(cubin, &mut all)?;
        }
        let list: Vec<u128> = all.into_iter().collect();
        let texts = nvdisasm.words(&list, &chip.to_string())?;
        let lines: String = list
            .iter()
            .zip(&texts)
            .map(|(word, text)| format!("{word:032x} {}\n", text.as_deref().unwrap_or("-")))
            .collect();
        let folder = root.join("reference-traces").join(table::CUDA).join(chip.to_string());
        let bytes = write(&folder.join("words.gz"), lines.as_bytes())?
            + write(&folder.join("refused.gz"), refused.concat().as_bytes())?;
        total(&root.join("reference-traces").join(table::CUDA).join("words.csv"), chip, count)?;
        println!(
            "{chip}: {} kernels, {} refused, {count} words, {} distinct, {:.2} MiB",
            exercises.len(),
            refused.len(),
            list.len(),
            bytes as f64 / 1_048_576.0
        );
    }
    Ok(())
}

/// Puts the number of words of a chip into the file of lines `chip,words`.
fn total(path: &Path, chip: Chip, count: usize) -> Result<()> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().skip(1).filter_map(|line| line.split_once(','));
    let mut totals: BTreeMap<u32, String> =
        lines.filter_map(|(chip, words)| Some((chip.parse().ok()?, words.to_owned()))).collect();
    totals.insert(chip.number(), count.to_string());
    let lines: String = totals.iter().map(|(chip, words)| format!("{chip},{words}\n")).collect();
    std::fs::write(path, format!("chip,words\n{lines}")).with_context(|| path.display().to_string())
}

/// Writes `bytes` with gzip, without a time stamp, so that the same content gives the same file. Returns its size.
fn write(path: &Path, bytes: &[u8]) -> Result<u64> {
    use std::io::Write;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gz.write_all(bytes)?;
    let packed = gz.finish()?;
    std::fs::write(path, &packed).with_context(|| path.display().to_string())?;
    Ok(packed.len() as u64)
}
