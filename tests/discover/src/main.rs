//! `cargo xtask discover`: finds forms by asking nvdisasm, and holds the table against it.

mod access;
mod census;
mod cubin;
mod forms;
mod learn;
mod model;
mod pool;
mod row;
mod text;
mod words;

use anyhow::{Context, Result, anyhow};
use clap::{Parser, Subcommand};
use sassafras_isa::Chip;
use sassafras_oracle::Tools;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Finds the forms of machine code by asking nvdisasm.
#[derive(Parser)]
#[command(name = "cargo xtask discover", disable_version_flag = true)]
struct Arguments {
    /// The chip, by its number.
    #[arg(long)]
    sm: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Holds the words of cubins against the table and nvdisasm; counts and complaints by mnemonic.
    Words {
        /// Cubins, or folders of them.
        cubins: Vec<PathBuf>,
        /// Writes the distinct words with their texts here.
        #[arg(long)]
        list: Option<PathBuf>,
    },
    /// Learns forms from words in a file of lines `HEX TEXT`, one per opcode.
    Learn {
        /// The file.
        seeds: PathBuf,
        /// Only these opcodes, bits 0 to 11 in hexadecimal.
        #[arg(long)]
        opcode: Vec<String>,
        /// Only words that no row of the table owns.
        #[arg(long)]
        unowned: bool,
        /// Where the rows go; standard output without it.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Lists the forms of every opcode, `HEX TEXT` per line; those that no row owns come last.
    Census {
        /// A file of lines `HEX TEXT` with legal words, whose upper bits are tried with every opcode.
        known: PathBuf,
        /// Only those that no row owns.
        #[arg(long)]
        unowned: bool,
    },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let chip: Chip = arguments.sm.trim_end_matches(['a', 'f']).parse().map_err(|e| anyhow!("{e}"))?;
    let tools = Tools::here();
    let nvdisasm = tools.nvdisasm_of(sassafras_oracle::table::CUDA_NEWER).context("nvdisasm")?;
    match arguments.command {
        Command::Census { known, unowned } => {
            let words: Vec<u128> = lines(&known)?.into_iter().map(|(word, _)| word).collect();
            let met = census::census(&words, chip, &nvdisasm)?;
            for form in
                met.iter().filter(|form| form.owned && !unowned).chain(met.iter().filter(|f| !f.owned))
            {
                println!("{:032x} {}", form.word, form.text);
            }
            let owned = met.iter().filter(|form| form.owned).count();
            eprintln!("{chip}: {} forms met, {owned} owned", met.len());
        }
        Command::Learn { seeds, opcode, unowned, out } => {
            let constant = if chip.uniform_field_bits() == 8 { 255 } else { 63 };
            let mut words: Vec<u128> = Vec::new();
            let mut seen = BTreeSet::new();
            for (word, text) in lines(&seeds)? {
                let wanted =
                    opcode.is_empty() || opcode.iter().any(|o| *o == format!("{:03x}", word & 0xfff));
                let outline = learn::outline(word, &text::tokens(&text, false, 0), constant);
                if wanted && !(unowned && sassafras_isa::decode(word, chip).is_ok()) && seen.insert(outline) {
                    words.push(word);
                }
            }
            let ptxas = tools.ptxas(sassafras_oracle::table::CUDA_NEWER)?;
            let program = ptxas.path().with_file_name("nvdisasm");
            let tools = forms::Tools {
                nvdisasm: &nvdisasm,
                ptxas: &ptxas,
                program: &program,
                version: sassafras_oracle::table::CUDA_NEWER,
            };
            let rows = forms::learn(&words, chip, &tools)?;
            match out {
                Some(path) => std::fs::write(&path, rows).with_context(|| path.display().to_string())?,
                None => print!("{rows}"),
            }
        }
        Command::Words { cubins, list } => {
            let mut words = Vec::new();
            for path in cubins {
                for file in cubin::files(&path)? {
                    words.extend(cubin::words(&file)?);
                }
            }
            if let Some(list) = list {
                std::fs::write(&list, words::lines(&words, chip, &nvdisasm)?)?;
            }
            let count = words::check(&words, chip, &nvdisasm)?;
            for (key, (n, example)) in &count.faults {
                println!("{n:6} {key}\n         {example}");
            }
            println!(
                "{chip}: {} words, {} distinct: {} decoded, {} text equal, {} encoded equal, {} parsed back",
                count.words, count.distinct, count.decoded, count.text, count.encoded, count.parsed
            );
        }
    }
    Ok(())
}

/// Words and texts of a file of lines `HEX TEXT`.
fn lines(path: &Path) -> Result<Vec<(u128, String)>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text.lines()
        .map(|line| {
            let (hex, text) = line.split_once(' ').unwrap_or((line, ""));
            Ok((u128::from_str_radix(hex.trim_start_matches("0x"), 16)?, text.to_owned()))
        })
        .collect()
}
