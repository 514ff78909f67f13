//! The words of cubins: what ptxas emitted, as witnesses and as seeds.

use anyhow::{Context, Result};
use object::{Object, ObjectSection};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The words of every code section of a cubin, in order. A file whose name ends in `.gz` is unpacked first.
pub fn words(path: &Path) -> Result<Vec<u128>> {
    let mut bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    if path.extension().is_some_and(|e| e == "gz") {
        let mut whole = Vec::new();
        flate2::read::GzDecoder::new(bytes.as_slice())
            .read_to_end(&mut whole)
            .with_context(|| path.display().to_string())?;
        bytes = whole;
    }
    let file = object::File::parse(bytes.as_slice()).with_context(|| path.display().to_string())?;
    let mut words = Vec::new();
    for section in file.sections() {
        if section.name().is_ok_and(|name| name.starts_with(".text.")) {
            let (units, _) = section.data()?.as_chunks::<16>();
            words.extend(units.iter().map(|unit| u128::from_le_bytes(*unit)));
        }
    }
    Ok(words)
}

/// Every cubin under a folder (or the file itself), in order of name.
pub fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut all = Vec::new();
    for entry in std::fs::read_dir(path).with_context(|| path.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            all.extend(files(&path)?);
        } else if name.ends_with(".cubin") || name.ends_with(".cubin.gz") {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}
