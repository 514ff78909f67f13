//! `cargo xtask discover`: finds forms by asking nvdisasm, and holds the table against it.

mod access;
mod census;
mod cubin;
mod forms;
mod learn;
mod model;
mod pool;
mod row;
mod rows;
mod text;
mod uses;
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
    /// The chip, by its number; only `rows` and `uses` can do without, and then take all.
    #[arg(long)]
    sm: Option<String>,
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
    /// Holds every row against nvdisasm on every chip that it claims: random words by text, and by registers read and written.
    Rows {
        /// Random words per row and chip.
        #[arg(long, default_value_t = 10_000)]
        words: usize,
        /// Where the random choices begin.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Holds the registers read and written by every instruction of cubins, and by lists of words, against nvdisasm's life ranges.
    Uses {
        /// Cubins, files of lines `HEX TEXT`, or folders of them; without any, what is recorded of the chip.
        cubins: Vec<PathBuf>,
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
    let named = arguments.sm.as_deref().map(|sm| sm.trim_end_matches(['a', 'f']).parse::<Chip>());
    let named = named.transpose().map_err(|e| anyhow!("{e}"))?;
    if let Command::Rows { words, seed } = arguments.command {
        return check_rows(named, words, seed);
    }
    if let Command::Uses { cubins } = &arguments.command {
        return check_uses(named, cubins);
    }
    let chip = named.context("--sm says for which chip")?;
    let tools = Tools::here();
    let nvdisasm = tools.nvdisasm_of(sassafras_oracle::table::CUDA_NEWER).context("nvdisasm")?;
    match arguments.command {
        // Done above.
        Command::Rows { .. } | Command::Uses { .. } => {}
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
                "{chip}: {} words, {} distinct, {} of them refused by nvdisasm: {} decoded, {} text equal, {} encoded equal, {} parsed back",
                count.words,
                count.distinct,
                count.refused,
                count.decoded,
                count.text,
                count.encoded,
                count.parsed
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

/// Reads and writes in files, or in what is recorded of one chip or of all; an error when an instruction differs.
fn check_uses(named: Option<Chip>, files: &[PathBuf]) -> Result<()> {
    let tools = Tools::here();
    let nvdisasm = tools.nvdisasm()?;
    let ptxas = tools.ptxas(sassafras_oracle::table::CUDA)?;
    let program = ptxas.path().with_file_name("nvdisasm");
    let folder = tempfile::tempdir()?;
    let mut wrong = false;
    for chip in Chip::ALL.into_iter().filter(|chip| named.is_none_or(|n| n == *chip)) {
        let recorded =
            sassafras_oracle::workspace_root().join("reference-traces/13.0.88").join(chip.to_string());
        let paths = if files.is_empty() { vec![recorded] } else { files.to_vec() };
        let (mut whole, mut single) = (uses::Count::default(), uses::Count::default());
        for path in paths {
            for file in cubin::files(&path)? {
                let bytes = cubin::bytes(&file)?;
                let done = if bytes.starts_with(b"\x7fELF") {
                    uses::uses(&bytes, chip, &nvdisasm, folder.path(), &mut whole)
                } else {
                    uses::words(&cubin::words(&file)?, chip, ptxas.path(), &program, &mut single)
                };
                done.with_context(|| file.display().to_string())?;
            }
        }
        for (form, (n, example)) in whole.faults.iter().chain(&single.faults) {
            println!("{n:6} {form}\n         {example}");
        }
        println!("{chip} cubins: {whole}\n{chip} words: {single}");
        wrong |= [&whole, &single].iter().any(|count| !count.faults.is_empty());
    }
    if wrong { Err(anyhow!("the table and nvdisasm disagree about registers")) } else { Ok(()) }
}

/// All rows of one chip, or of all; an error when a word differs.
fn check_rows(named: Option<Chip>, words: usize, seed: u64) -> Result<()> {
    let ptxas = Tools::here().ptxas(sassafras_oracle::table::CUDA)?;
    let bin = ptxas.path().parent().context("ptxas lies in a folder")?;
    let mut whole = rows::Count::default();
    for chip in Chip::ALL.into_iter().filter(|chip| named.is_none_or(|n| n == *chip)) {
        let count = rows::rows(chip, words, seed, bin)?;
        for fault in &count.faults {
            println!("  {fault}");
        }
        println!(
            "{chip}: {} rows, {} words tried, {} equal; registers of {} words, {} the same",
            count.rows, count.words, count.equal, count.registers, count.same
        );
        whole.rows += count.rows;
        whole.words += count.words;
        whole.equal += count.equal;
        whole.registers += count.registers;
        whole.same += count.same;
    }
    println!(
        "rows x chips {}, words tried {}, words equal {}; registers of {} words, {} the same",
        whole.rows, whole.words, whole.equal, whole.registers, whole.same
    );
    if (whole.words, whole.registers) == (whole.equal, whole.same) {
        Ok(())
    } else {
        Err(anyhow!("rows and nvdisasm disagree"))
    }
}
