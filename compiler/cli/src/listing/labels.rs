//! Names of places in code.
//!
//! nvdisasm numbers labels over the whole file, in four rounds: places whose address a relocation takes; targets of direct
//! branches in the order in which the code names them; for each indirect branch itself and then each of its targets; the end of each function in the order
//! of the symbol table. The last two rounds use a number even where the place has a name already.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use super::relocated::{Relocated, relocations};
use sassafras_cubin::attribute::{self, INDIRECT_BRANCH_TARGETS};
use sassafras_cubin::elf::{Image, Symbol, constants as c};
use sassafras_isa::{Chip, FieldKind, Inst, decode, may_name_a_place};

/// The labels of a file.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// By section and address: numbered labels.
    numbered: BTreeMap<(usize, u64), u32>,
    /// By section and address: function symbols.
    symbols: HashMap<(usize, u64), String>,
    /// By section and address of an indirect branch: where it may go.
    indirect: HashMap<(usize, u64), Vec<u64>>,
    /// By section: its own label, where the symbol table has it before the functions.
    own: HashMap<usize, String>,
    /// By section and address of a word: what a linker fills in.
    relocated: HashMap<(usize, u64), Relocated>,
    next: u32,
}

const FUNCTION: u8 = 2;
const SECTION: u8 = 3;

/// Whether a symbol is a function that lies in this file.
fn is_function(symbol: &Symbol) -> bool {
    symbol.info & 15 == FUNCTION && symbol.section != 0
}

impl Labels {
    /// Finds and numbers every label.
    pub fn new(image: &Image, chip: Chip) -> Labels {
        let mut labels = Labels { relocated: relocations(image), ..Labels::default() };
        for s in image.symbols.iter().filter(|s| is_function(s)) {
            labels.symbols.entry((s.section.into(), s.value)).or_insert_with(|| s.name.clone());
        }
        for s in image.symbols.iter().filter(|s| s.info & 15 == SECTION) {
            labels.own.insert(s.section.into(), image.section_name(s.section.into()).to_owned());
        }
        let code = || image.sections.iter().enumerate().filter(|(_, s)| s.flags & c::EXEC != 0);
        // The address of a place in the code, such as where a call returns to.
        for (index, section) in code() {
            for address in (0..section.size()).step_by(16) {
                let inside = labels.relocated.get(&(index, address)).and_then(|r| r.inside);
                if let Some(place) = inside.filter(|&place| !labels.function(index, place)) {
                    labels.name((index, place), false);
                }
            }
        }
        for (index, section) in code() {
            for (i, word) in section.bytes().chunks_exact(16).enumerate() {
                let word = u128::from_le_bytes(word.try_into().expect("chunks of 16"));
                if !may_name_a_place(word as u16) {
                    continue;
                }
                let Ok(inst) = decode(word, chip) else { continue };
                if let Some(target) = target(&inst, 16 * i as u64, section.size())
                    && !labels.symbols.contains_key(&(index, target))
                {
                    labels.name((index, target), false);
                }
            }
        }
        for (index, section) in code() {
            let info =
                section.name.strip_prefix(".text.").and_then(|k| image.section(&format!(".nv.info.{k}")));
            let Some(info) = info.map(|i| &image.sections[i]) else { continue };
            for (_, record) in attribute::parse(info.bytes(), info.offset).unwrap_or_default() {
                if record.id == INDIRECT_BRANCH_TARGETS {
                    labels.indirect(index, &record.as_words().unwrap_or_default());
                }
            }
        }
        for s in image.symbols.iter().filter(|s| is_function(s)) {
            labels.name((s.section.into(), s.value.saturating_add(s.size)), true);
        }
        labels
    }

    /// Records of an indirect branch: its offset, 0, a count, and that many targets.
    fn indirect(&mut self, section: usize, words: &[u32]) {
        let mut rest = words;
        while let [branch, _, count, tail @ ..] = rest {
            let count = (*count as usize).min(tail.len());
            self.name((section, u64::from(*branch)), true);
            let targets: Vec<u64> = tail[..count].iter().map(|&t| t.into()).collect();
            for &target in &targets {
                self.name((section, target), true);
            }
            self.indirect.insert((section, u64::from(*branch)), targets);
            rest = &tail[count..];
        }
    }

    /// Gives a place the next number if it has none; `always` uses the number up in any case.
    fn name(&mut self, place: (usize, u64), always: bool) {
        let fresh = !self.numbered.contains_key(&place);
        if fresh {
            self.numbered.insert(place, self.next);
        }
        if fresh || always {
            self.next += 1;
        }
    }

    /// The label that stands before an address, if any.
    pub fn at(&self, section: usize, address: u64) -> Option<String> {
        if self.symbols.contains_key(&(section, address)) {
            return None;
        }
        self.numbered.get(&(section, address)).map(|n| format!(".L_x_{n}"))
    }

    /// Addresses of a section before which a label stands, in order, and their numbers.
    pub fn of(&self, section: usize) -> impl Iterator<Item = (u64, u32)> {
        let range = self.numbered.range((section, 0)..=(section, u64::MAX));
        range
            .filter(|(place, _)| place.1.is_multiple_of(16) && !self.symbols.contains_key(place))
            .map(|((_, at), &number)| (*at, number))
    }

    /// Whether the section has indirect branches whose targets are known.
    pub fn has_indirect(&self, section: usize) -> bool {
        self.indirect.keys().any(|place| place.0 == section)
    }

    /// How code names an address.
    pub fn reference(&self, section: usize, address: u64) -> Option<String> {
        match self.symbols.get(&(section, address)) {
            Some(name) => Some(name.clone()),
            None => self.at(section, address),
        }
    }

    /// What a linker fills into the word at an address.
    pub(super) fn relocated(&self, section: usize, address: u64) -> Option<&Relocated> {
        self.relocated.get(&(section, address))
    }

    /// The label of a section itself.
    pub fn own(&self, section: usize) -> Option<&str> {
        self.own.get(&section).map(String::as_str)
    }

    /// Whether a function begins at an address of a section.
    pub fn function(&self, section: usize, address: u64) -> bool {
        self.symbols.contains_key(&(section, address))
    }

    /// Puts the name of an address behind a text, as code writes it: `` `(.L_x_1) ``. False where it has none.
    pub fn refer(&self, section: usize, address: u64, out: &mut String) -> bool {
        match (self.symbols.get(&(section, address)), self.numbered.get(&(section, address))) {
            (Some(name), _) => {
                for part in ["`(", name, ")"] {
                    out.push_str(part);
                }
            }
            (None, Some(number)) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "`(.L_x_{number})");
            }
            (None, None) => return false,
        }
        true
    }

    /// The address in a section that code calls by this name.
    pub fn place(&self, section: usize, name: &str) -> Option<u64> {
        let number: Option<u32> = name.strip_prefix(".L_x_").and_then(|n| n.parse().ok());
        let numbered = || {
            let found = self.numbered.iter().find(|(place, n)| place.0 == section && Some(**n) == number);
            found.map(|(place, _)| place.1)
        };
        match number {
            Some(_) => numbered(),
            None => self.symbols.iter().find(|(place, n)| place.0 == section && *n == name).map(|(p, _)| p.1),
        }
    }

    /// The targets of an indirect branch.
    pub fn targets(&self, section: usize, address: u64) -> Option<&[u64]> {
        self.indirect.get(&(section, address)).map(Vec::as_slice)
    }
}

/// Where a direct branch at `address` goes, when that is an instruction of its section of `size` bytes.
pub fn target(inst: &Inst, address: u64, size: u64) -> Option<u64> {
    let fields = &inst.row().fields;
    let at = fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }))?;
    let target = address.wrapping_add(16).wrapping_add(inst.fields[at]);
    (target < size && target.is_multiple_of(16)).then_some(target)
}
