//! Operands that a linker or loader fills in, as nvdisasm writes them.
//!
//! Facts: objects and executables of ptxas 11.8.89 to 13.5.37 for sm_75, sm_80, sm_90 and sm_120, beside nvdisasm 13.2.51's
//! text and the names of the relocations by `cuobjdump -elf`.

use std::collections::HashMap;

use sassafras_cubin::elf::{Image, constants as c};

/// How the operand of a relocation is found and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The immediate of 32 bits from bit 32 on; what stands around the name.
    Immediate(&'static str, &'static str),
    /// The offset of 24 bits from bit 40 on.
    Offset,
    /// The last operand: a call's target.
    Target,
    /// A constant of bank 3.
    Constant,
}

/// `R_CUDA_*` numbers that occur in code.
const KINDS: [(u32, Place); 15] = [
    // ABS32_32, ABS32_LO_32, ABS32_HI_32
    (55, Place::Immediate("`(", ")")),
    (56, Place::Immediate("32@lo(", ")")),
    (57, Place::Immediate("32@hi(", ")")),
    // ABS47_34
    (58, Place::Target),
    // ABS16_32
    (59, Place::Immediate("`(", ")")),
    // FUNC_DESC32_LO_32, FUNC_DESC32_HI_32
    (62, Place::Immediate("32@lo(fun@fdesc(", "))")),
    (63, Place::Immediate("32@hi(fun@fdesc(", "))")),
    // Constants of sm_75 to sm_89, of sm_90, of sm_100 and later
    (64, Place::Constant),
    (65, Place::Constant),
    (66, Place::Constant),
    (115, Place::Constant),
    (74, Place::Offset),
    // ABS55_16_34
    (75, Place::Target),
    // UNIFIED32_LO_32, UNIFIED32_HI_32
    (112, Place::Immediate("32@lo(fun@unified(", "))")),
    (113, Place::Immediate("32@hi(fun@unified(", "))")),
];

/// A value that no immediate of ours has by chance, to find an operand by.
const MARK: u32 = 0x5a5a_5a5a;

/// A relocation of one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocated {
    place: Place,
    /// What the operand refers to.
    symbol: String,
    /// What is added to it.
    addend: i64,
    /// The address inside the same section that symbol and addend name together.
    pub inside: Option<u64>,
}

/// The relocations of the code of a file, by section and address of the word.
pub fn relocations(image: &Image) -> HashMap<(usize, u64), Relocated> {
    let mut out = HashMap::new();
    for section in &image.sections {
        let size = match section.kind {
            c::REL => 16,
            c::RELA => 24,
            _ => continue,
        };
        let index = section.info as usize;
        if image.sections.get(index).is_none_or(|s| s.flags & c::EXEC == 0) {
            continue;
        }
        for entry in section.bytes().chunks_exact(size) {
            let word = |at: usize| u64::from_le_bytes(entry[at..at + 8].try_into().expect("eight bytes"));
            let (offset, info) = (word(0), word(8));
            let addend = if size == 24 { word(16) as i64 } else { 0 };
            let Some(row) = KINDS.iter().find(|row| row.0 == info as u32) else { continue };
            let Some(s) = image.symbols.get((info >> 32) as usize) else { continue };
            let symbol = if s.name.is_empty() { image.section_name(s.section.into()) } else { &s.name };
            let inside = (usize::from(s.section) == index && s.info & 15 == 2 && addend != 0)
                .then(|| s.value.wrapping_add(addend as u64));
            let relocated = Relocated { place: row.1, symbol: symbol.to_owned(), addend, inside };
            out.insert((index, offset & !15), relocated);
        }
    }
    out
}

impl Relocated {
    /// The word to print in place of one, so that the operand can be found in its text.
    pub fn marked(&self, word: u128) -> u128 {
        let (mask, mark) = match self.place {
            Place::Immediate(..) => (u128::from(u32::MAX) << 32, u128::from(MARK) << 32),
            Place::Offset => (0xff_ffff << 40, u128::from(MARK & 0xff_ffff) << 40),
            Place::Target | Place::Constant => (0, 0),
        };
        word & !mask | mark
    }

    /// The operands of the marked word as JSON has them: the halves of addresses are marked as such, and nothing is named.
    pub fn plain(&self, text: &str, word: u128) -> Option<String> {
        let Place::Immediate(before, _) = self.place else { return None };
        let range = find(text, MARK)?;
        let value = (word >> 32) as u32;
        let half = ["32@lo(", "32@hi("].into_iter().find(|half| before.starts_with(half))?;
        Some(format!("{}{half}{value:#x}){}", &text[..range.start], &text[range.end..]))
    }

    /// The line of the marked word with the name in its place; `label` is that of [`Relocated::inside`].
    pub fn line(&self, line: &str, label: Option<&str>) -> Option<String> {
        let symbol = &self.symbol;
        let name = match (label, self.addend) {
            (_, 0) => symbol.clone(),
            (Some(label), _) => format!("({symbol} + {label}@srel)"),
            (None, addend) => format!("({symbol} + {addend:#x})"),
        };
        let (range, text) = match self.place {
            Place::Immediate(before, after) => (find(line, MARK)?, format!("{before}{name}{after}")),
            Place::Offset => (find(line, MARK & 0xff_ffff)?, format!("`({name})")),
            Place::Target => (line.rfind(' ')? + 1..line.len(), format!("`({name})")),
            Place::Constant => {
                let start = line.find("c[0x3][0x")?;
                let end = start + 6 + line[start + 6..].find(']')? + 1;
                (start..end, format!("c[`({name})]"))
            }
        };
        Some(format!("{}{text}{}", &line[..range.start], &line[range.end..]))
    }
}

fn find(line: &str, mark: u32) -> Option<std::ops::Range<usize>> {
    let text = format!("{mark:#x}");
    let at = line.find(&text)?;
    Some(at..at + text.len())
}
