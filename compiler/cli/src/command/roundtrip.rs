//! `sassafras roundtrip`: every word decoded and encoded again.

use std::path::{Path, PathBuf};

use clap::Args;
use sassafras_chip::Target;
use sassafras_cubin::elf::{self, constants as c};
use sassafras_isa::{decode, encode};
use serde::Serialize;

use super::Context;
use crate::containers::{self, Choice, Index, Opened};
use crate::listing::chip;
use crate::plural::count;
use crate::{Exit, Failure, files};

/// Decode and encode every instruction word, and count those that come back.
#[derive(Args)]
pub struct Roundtrip {
    /// Cubins, or files that hold them.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    index: Index,
    /// Of a file that holds several cubins, those for this target.
    #[arg(long = "arch", value_name = "sm_XX")]
    arch: Option<Target>,
    /// Of a file that holds several cubins, those with this kernel.
    #[arg(long)]
    entry: Option<String>,
}

/// What became of a file's words.
#[derive(Debug, Default, Serialize)]
struct Count {
    file: String,
    words: u64,
    equal: u64,
    unequal: u64,
    unknown: u64,
    /// The first few words that did not come back.
    first: Vec<String>,
}

const SHOWN: usize = 10;

pub(super) fn run(arguments: &Roundtrip, context: &Context) -> Result<Exit, Failure> {
    let mut counts = Vec::new();
    let choice = Choice {
        index: arguments.index.index,
        arch: arguments.arch.map(|a| a.to_string()),
        entry: arguments.entry.as_deref(),
    };
    let mut all = Vec::new();
    for path in &arguments.inputs {
        all.extend(containers::cubins(path, files::read(path)?, &choice)?);
    }
    for Opened { name, bytes, .. } in &all {
        let path = Path::new(name);
        let image = elf::read(bytes).map_err(|e| Failure::from(e).about(path))?;
        let chip = chip(&image)
            .ok_or_else(|| Failure::unsupported("the chip has no instruction table").about(path))?;
        let mut row = Count { file: path.display().to_string(), ..Count::default() };
        for section in image.sections.iter().filter(|s| s.flags & c::EXEC != 0) {
            for (i, word) in section.bytes().chunks_exact(16).enumerate() {
                let word = u128::from_le_bytes(word.try_into().expect("chunks of 16"));
                row.words += 1;
                let problem = match decode(word, chip).map(|inst| encode(&inst, chip)) {
                    Ok(Ok(again)) if again == word => {
                        row.equal += 1;
                        continue;
                    }
                    Ok(Ok(again)) => {
                        row.unequal += 1;
                        format!("became {again:#034x}")
                    }
                    Ok(Err(error)) => {
                        row.unequal += 1;
                        format!("cannot be encoded again: {error}")
                    }
                    Err(error) => {
                        row.unknown += 1;
                        error.to_string()
                    }
                };
                if row.first.len() < SHOWN {
                    row.first.push(format!("{} at {:#06x}: {word:#034x}: {problem}", section.name, 16 * i));
                }
            }
        }
        counts.push(row);
    }
    if context.json {
        files::print(&format!("{}\n", serde_json::json!({ "schema": 1, "files": counts })));
    } else {
        for c in &counts {
            let Count { file, words, equal, unequal, unknown, first } = c;
            files::print(&format!(
                "{file}: {}, {equal} equal, {unequal} unequal, {unknown} unknown\n",
                count(*words, "word")
            ));
            first.iter().for_each(|line| files::print(&format!("  {line}\n")));
        }
    }
    let exit = counts.iter().map(|c| match (c.unequal, c.unknown) {
        (1.., _) => Exit::Internal,
        (0, 1..) => Exit::Unknown,
        (0, 0) => Exit::Done,
    });
    Ok(exit.fold(Exit::Done, Exit::worse))
}
