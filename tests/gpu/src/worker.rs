//! Items one after another, in a process of its own: a launch that fails takes the context with it, one that hangs the process.
//!
//! A worker reads lines `ITEM MAKER` from its input: run the item from that maker on. It writes a line `begin MAKER` before each maker, one
//! line of JSON for each record, and `done` after the last maker. After a failed launch it ends; the pool sends the rest to another.

use crate::cuda::Cuda;
use crate::item::{Item, Suite};
use crate::maker::{Made, makers};
use crate::session::{self, Record};
use anyhow::{Context, Result};
use std::io::{BufRead, Write};
use std::path::Path;

/// Runs what the input asks for until it ends or a launch fails.
///
/// # Errors
/// When there is no GPU, or an item cannot be read.
pub fn run(
    suite: &Suite,
    root: &Path,
    ptxas: Option<&Path>,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<()> {
    let cuda = Cuda::open()?;
    let makers = makers(suite, ptxas);
    for line in input.lines() {
        let line = line?;
        let (number, first) = line.split_once(' ').context("a line is ITEM MAKER")?;
        let item = Item::new(suite, root, number.parse()?)?;
        for (n, maker) in makers.iter().enumerate().skip(first.parse()?) {
            writeln!(output, "begin {n}")?;
            output.flush()?;
            let maker_name = maker.to_string();
            let (records, lost) = match maker.compile(&item) {
                Ok(Made::Cubin(cubin)) if *suite == Suite::Times => {
                    session::time(&cuda, &item, &maker_name, &cubin)
                }
                Ok(Made::Cubin(cubin)) => session::run(&cuda, &item, &maker_name, &cubin),
                Ok(Made::Refused(why)) => {
                    (vec![Record::whole(&item.name, &maker_name, format!("refused: {why}"))], false)
                }
                Err(e) => (vec![Record::whole(&item.name, &maker_name, format!("fails: {e:#}"))], false),
            };
            for record in records {
                writeln!(output, "{}", serde_json::to_string(&record)?)?;
            }
            if lost {
                writeln!(output, "lost")?;
                output.flush()?;
                return Ok(());
            }
        }
        writeln!(output, "done")?;
        output.flush()?;
    }
    Ok(())
}
