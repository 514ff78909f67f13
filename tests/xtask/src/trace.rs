//! Files of `reference-traces/`: compressed the same way every time.

use anyhow::{Context, Result};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use std::io::{Read, Write};
use std::path::Path;

/// Writes `bytes` with gzip, without a time stamp, so that the same content gives the same file. Returns its size.
pub fn write(path: &Path, bytes: &[u8]) -> Result<u64> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let mut gz = GzEncoder::new(Vec::new(), Compression::best());
    gz.write_all(bytes)?;
    let packed = gz.finish()?;
    std::fs::write(path, &packed).with_context(|| path.display().to_string())?;
    Ok(packed.len() as u64)
}

/// Reads a compressed file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let packed = std::fs::read(path).with_context(|| path.display().to_string())?;
    let mut bytes = Vec::new();
    GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes)?;
    Ok(bytes)
}
