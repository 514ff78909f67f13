//! The file that a proof is written to.

use std::path::Path;

use sassafras_witness::{Entry, FORMAT, Input, Tools, Witness};

use super::source::Source;
use crate::{Failure, files};

/// Writes a witness about a source and a cubin, each with the name that the witness has of it.
///
/// # Errors
/// It cannot be written.
pub(in crate::command) fn write(
    path: &Path,
    (source_name, source): (&Path, &Source),
    (target_name, target): (&Path, &[u8]),
    solver: String,
    entries: Vec<Entry>,
) -> Result<(), Failure> {
    let (form, text) = source.form();
    let witness = Witness {
        format: FORMAT,
        form,
        source: Input::new(&source_name.display().to_string(), text),
        target: Input::new(&target_name.display().to_string(), target),
        tools: Tools { sassafras: env!("CARGO_PKG_VERSION").to_owned(), solver },
        entries,
    };
    let json = serde_json::to_string_pretty(&witness).map_err(|e| Failure::internal(e.to_string()))?;
    files::write(path, format!("{json}\n").as_bytes())
}
