//! The words of another version of ptxas, or of other options, against that version's nvdisasm and the table of instructions.

use crate::{compile, words};
use anyhow::{Context, Result, bail};
use sassafras_chip::Chip;
use sassafras_generate::exercise::{self, Exercise};
use sassafras_oracle::{Tools, workspace_root};
use sassafras_reference::traces::Word;
use sassafras_words::STAGES;
use std::collections::BTreeSet;

/// Words in one run of nvdisasm, at addresses 0, 16, ….
const BATCH: usize = 20_000;

/// Runs `--check` with what stands behind it on the command line.
///
/// # Errors
/// An argument that is not understood, a tool that is missing, or a word that differs.
pub fn run(arguments: &[String]) -> Result<()> {
    let mut rest = arguments.iter();
    let set = rest.next().context("--check says which set of tools: 13.0.88 or 13.5.37")?;
    let (mut options, mut every, mut chips) = (Vec::new(), 1, Vec::new());
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--options" => options = rest.next().context("--options needs a list")?.split(' ').collect(),
            "--every" => every = rest.next().context("--every needs a number")?.parse::<usize>()?.max(1),
            chip => chips.push(chip.parse::<Chip>()?),
        }
    }
    if chips.is_empty() {
        chips = Chip::ALL.to_vec();
    }
    let root = workspace_root();
    let tools = Tools::find(&root);
    let (ptxas, nvdisasm) = (tools.ptxas(set)?, tools.nvdisasm_of(set)?);
    let exercises: Vec<Exercise> = exercise::all().into_iter().step_by(every).collect();
    let mut failed = 0;
    for chip in chips {
        let (cubins, refused) = compile::exercises(&ptxas, chip, &options, &exercises)?;
        let (mut all, mut count) = (BTreeSet::new(), 0);
        let corpus = if every == 1 { compile::corpus(&root, &ptxas, chip, &[&options])? } else { Vec::new() };
        for cubin in cubins.iter().chain(&corpus) {
            count += words::collect(cubin, &mut all)?;
        }
        let list: Vec<u128> = all.into_iter().collect();
        let texts = nvdisasm.words(&list, &chip.to_string())?;
        let made = list.iter().zip(texts).enumerate();
        let asked: Vec<Word> = made
            .map(|(i, (bits, text))| Word { bits: *bits, text, address: 16 * (i % BATCH) as u64 })
            .collect();
        let fare = sassafras_words::all(&asked, chip, 1);
        for ((stage, mnemonic), n) in &fare.failures {
            let (word, message) = &fare.examples[&(*stage, mnemonic.clone())];
            let text = word.text.as_deref().unwrap_or("(refused)");
            println!("{n:6} {} {mnemonic}: {:032x} {text}: {message}", STAGES[*stage], word.bits);
        }
        let past: Vec<String> =
            (0..STAGES.len()).map(|s| format!("{} {}", fare.past(s), STAGES[s])).collect();
        println!(
            "{chip} {set} {}: {} kernels, {} refused, {count} words, {} distinct, {}",
            options.join(" "),
            exercises.len(),
            refused.len(),
            list.len(),
            past.join(", ")
        );
        failed += fare.asked - fare.past(STAGES.len() - 1);
    }
    if failed > 0 {
        bail!("{failed} words are not read and written as nvdisasm reads them");
    }
    Ok(())
}
