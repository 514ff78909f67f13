//! Notes: who made the file, and for what.

use sassafras_cubin::Error;

/// One note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Whose it is, with the zero at its end: `NVIDIA Corp`.
    pub owner: Vec<u8>,
    /// Its type.
    pub kind: u32,
    /// What it says.
    pub said: Said,
}

/// What a note says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Type 0x7d0: the program that made the file. The strings stand one after the other behind a table of their places.
    Tool {
        /// Version of the note.
        version: u32,
        /// The word behind it, always 0.
        reserved: u32,
        /// Name, version, build and options of the program; where each begins.
        places: [u32; 4],
        /// All strings, with their ends, and the padding.
        strings: Vec<u8>,
    },
    /// Type 0x3e8: version of the note, virtual chip, toolkit, and a half that is 0.
    Cuda([u16; 4]),
    /// Anything else.
    Other(Vec<u8>),
}

impl Said {
    /// Name, version, build and options of the program that made the file.
    pub fn tool(&self) -> Option<[String; 4]> {
        let Said::Tool { places, strings, .. } = self else { return None };
        Some(places.map(|at| {
            let tail = strings.get(at as usize..).unwrap_or_default();
            let end = tail.iter().position(|b| *b == 0).unwrap_or(tail.len());
            String::from_utf8_lossy(&tail[..end]).into_owned()
        }))
    }
}

/// Reads the notes of a section that begins at `base` in the file.
pub fn read(bytes: &[u8], base: u64) -> Result<Vec<Note>, Error> {
    let mut all = Vec::new();
    let mut at = 0;
    let word = |at: usize| -> Option<u32> {
        Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
    };
    while at < bytes.len() {
        let here = base + at as u64;
        let cut = || Error::at(here, "a note is cut short");
        let (owner, size, kind) =
            (word(at).ok_or_else(cut)?, word(at + 4).ok_or_else(cut)?, word(at + 8).ok_or_else(cut)?);
        let mut part = |len: u32| -> Result<&[u8], Error> {
            let start = at + 12;
            let end = start.checked_add(len as usize).ok_or_else(cut)?;
            let padded = end.checked_next_multiple_of(4).ok_or_else(cut)?;
            let data = bytes.get(start..end).ok_or_else(cut)?;
            if bytes.get(end..padded).ok_or_else(cut)?.iter().any(|b| *b != 0) {
                return Err(Error::at(base + end as u64, "a note's padding is not zero"));
            }
            at = padded - 12;
            Ok(data)
        };
        let owner = part(owner)?.to_vec();
        let data = part(size)?;
        all.push(Note { owner, kind, said: said(kind, data) });
        at += 12;
    }
    Ok(all)
}

fn said(kind: u32, data: &[u8]) -> Said {
    let word = |at: usize| u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]]);
    match kind {
        0x7d0 if data.len() >= 24 => Said::Tool {
            version: word(0),
            reserved: word(4),
            places: [word(8), word(12), word(16), word(20)],
            strings: data[24..].to_vec(),
        },
        0x3e8 if data.len() == 8 => {
            let half = |at: usize| u16::from_le_bytes([data[at], data[at + 1]]);
            Said::Cuda([half(0), half(2), half(4), half(6)])
        }
        _ => Said::Other(data.to_vec()),
    }
}

/// Appends a note.
pub fn write(note: &Note, out: &mut Vec<u8>) {
    let data: Vec<u8> = match &note.said {
        Said::Tool { version, reserved, places, strings } => {
            let words = [*version, *reserved].into_iter().chain(*places);
            words.flat_map(u32::to_le_bytes).chain(strings.iter().copied()).collect()
        }
        Said::Cuda(halves) => halves.iter().flat_map(|h| h.to_le_bytes()).collect(),
        Said::Other(data) => data.clone(),
    };
    out.extend((note.owner.len() as u32).to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(note.kind.to_le_bytes());
    for part in [&note.owner, &data] {
        out.extend(part);
        out.resize(out.len().next_multiple_of(4), 0);
    }
}
