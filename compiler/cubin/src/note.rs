//! The two notes, `.note.nv.tkinfo` and `.note.nv.cuinfo`.

use crate::{Error, Producer};

const OWNER: &[u8; 12] = b"NVIDIA Corp\0";
const TOOLKIT: u32 = 0x7d0;
const CUDA: u32 = 0x3e8;

fn note(kind: u32, mut data: Vec<u8>) -> Vec<u8> {
    let len = data.len() as u32;
    data.resize(data.len().next_multiple_of(4), 0);
    let mut out = Vec::new();
    out.extend((OWNER.len() as u32).to_le_bytes());
    out.extend(len.to_le_bytes());
    out.extend(kind.to_le_bytes());
    out.extend(OWNER);
    out.extend(data);
    out
}

/// The bytes of `.note.nv.tkinfo`.
pub fn tool(producer: &Producer) -> Vec<u8> {
    // A table of four offsets into the strings that follow; string 0 is empty.
    let mut strings = vec![0u8];
    let mut data: Vec<u8> = [2u32, 0].iter().flat_map(|w| w.to_le_bytes()).collect();
    for text in [&producer.tool, &producer.version, &producer.build, &producer.options] {
        data.extend((strings.len() as u32).to_le_bytes());
        strings.extend(text.bytes());
        strings.push(0);
    }
    data.extend(strings);
    data.resize(data.len().next_multiple_of(4), 0);
    note(TOOLKIT, data)
}

/// The bytes of `.note.nv.cuinfo`.
pub fn cuda(producer: &Producer) -> Vec<u8> {
    note(CUDA, [2, producer.virtual_sm, producer.toolkit, 0].iter().flat_map(|h| h.to_le_bytes()).collect())
}

fn payload(bytes: &[u8], base: u64, kind: u32) -> Result<&[u8], Error> {
    let word = |at: usize| bytes.get(at..at + 4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    let (Some(12), Some(len), Some(found)) = (word(0), word(4), word(8)) else {
        return Err(Error::at(base, "a note's header is cut short or names an owner of another length"));
    };
    if bytes.get(12..24) != Some(OWNER) || found != kind {
        return Err(Error::at(base, format!("a note of type {kind:#x} by NVIDIA is expected here")));
    }
    bytes
        .get(24..24 + len as usize)
        .ok_or_else(|| Error::at(base + 4, "a note runs past the end of its section"))
}

/// Reads `.note.nv.tkinfo`, which lies at offset `base` of the file, into `producer`.
///
/// # Errors
/// Bytes that are no such note.
pub fn read_tool(bytes: &[u8], base: u64, producer: &mut Producer) -> Result<(), Error> {
    let data = payload(bytes, base, TOOLKIT)?;
    let text = |slot: usize| -> Result<String, Error> {
        let at = data
            .get(8 + 4 * slot..12 + 4 * slot)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]) as usize);
        let tail = at.and_then(|at| data.get(24..)?.get(at..));
        let end = tail.and_then(|t| t.iter().position(|&b| b == 0));
        match (tail, end) {
            (Some(tail), Some(end)) => Ok(String::from_utf8_lossy(&tail[..end]).into_owned()),
            _ => Err(Error::at(base + 32, "a string of the tool note lies outside it")),
        }
    };
    (producer.tool, producer.version, producer.build, producer.options) =
        (text(0)?, text(1)?, text(2)?, text(3)?);
    Ok(())
}

/// Reads `.note.nv.cuinfo`, which lies at offset `base` of the file, into `producer`.
///
/// # Errors
/// Bytes that are no such note.
pub fn read_cuda(bytes: &[u8], base: u64, producer: &mut Producer) -> Result<(), Error> {
    let data = payload(bytes, base, CUDA)?;
    let [_, _, s0, s1, t0, t1, ..] = data[..] else {
        return Err(Error::at(base, "the CUDA note is cut short"));
    };
    producer.virtual_sm = u16::from_le_bytes([s0, s1]);
    producer.toolkit = u16::from_le_bytes([t0, t1]);
    Ok(())
}
