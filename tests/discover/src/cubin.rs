//! The words of cubins: what ptxas emitted, as witnesses and as seeds.

use anyhow::{Context, Result};
use object::{Object, ObjectSection};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file's bytes. One whose name ends in `.gz` is unpacked.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    if path.extension().is_none_or(|e| e != "gz") {
        return Ok(bytes);
    }
    let mut whole = Vec::new();
    flate2::read::GzDecoder::new(bytes.as_slice())
        .read_to_end(&mut whole)
        .with_context(|| path.display().to_string())?;
    Ok(whole)
}

/// The words of every code section of a cubin, in order, or of a file of lines `HEX TEXT`. A file whose name ends in `.gz` is unpacked first.
pub fn words(path: &Path) -> Result<Vec<u128>> {
    let bytes = bytes(path)?;
    if !bytes.starts_with(b"\x7fELF") {
        let text = String::from_utf8(bytes)
            .with_context(|| format!("{}: neither a cubin nor lines of words", path.display()))?;
        return text.lines().map(line).collect();
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

/// The word that a line `HEX TEXT` begins with.
fn line(line: &str) -> Result<u128> {
    let hex = line.split(' ').next().unwrap_or_default();
    u128::from_str_radix(hex.trim_start_matches("0x"), 16)
        .with_context(|| format!("`{line}` begins with no word"))
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
        } else if name.ends_with(".cubin") || name.ends_with(".cubin.gz") || name == "words.gz" {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}
