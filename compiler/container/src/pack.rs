//! Unpacking what a fat binary compresses.

use std::borrow::Cow;
use std::io::Read;

use crate::Packing;
use sassafras_cubin::Error;

/// No item is larger than this, whatever its header says.
const LARGEST: u64 = 1 << 30;
/// No byte of an LZ4 block stands for more than 255 bytes.
const LZ4_RATIO: u64 = 255;

/// Unpacks `stored`, which must give exactly `size` bytes; `at` is its offset in the file.
pub fn unpack(stored: &[u8], packing: Packing, size: u64, at: u64) -> Result<Cow<'_, [u8]>, Error> {
    if packing == Packing::None {
        return Ok(Cow::Borrowed(stored));
    }
    let wrong = |what: String| Error::at(at, format!("{} data: {what}", packing.name()));
    let bound = match packing {
        Packing::Lz4 => LARGEST.min((stored.len() as u64).saturating_mul(LZ4_RATIO) + 64),
        _ => LARGEST,
    };
    if size > bound {
        return Err(wrong(format!("{} bytes cannot be {size} bytes when unpacked", stored.len())));
    }
    let bytes = match packing {
        Packing::None => unreachable!("handled above"),
        Packing::Lz4 => {
            lz4_flex::block::decompress(stored, size as usize).map_err(|e| wrong(e.to_string()))?
        }
        Packing::Zstd => {
            let decoder =
                ruzstd::decoding::StreamingDecoder::new(stored).map_err(|e| wrong(e.to_string()))?;
            // Grows with what comes, and one byte more than there should be is seen.
            let mut bytes = Vec::new();
            decoder.take(size + 1).read_to_end(&mut bytes).map_err(|e| wrong(e.to_string()))?;
            bytes
        }
    };
    if bytes.len() as u64 != size {
        let more = if bytes.len() as u64 > size { "more than " } else { "" };
        return Err(wrong(format!("{more}{} bytes come out, not {size}", bytes.len().min(size as usize))));
    }
    Ok(Cow::Owned(bytes))
}
