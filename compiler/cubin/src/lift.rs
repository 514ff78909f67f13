//! [`Image`] to [`Cubin`].
//!
//! Whatever the writer would make again from the fields is taken into them; everything else is kept as it stands.

mod info;
mod variables;

use std::collections::{HashMap, HashSet};

use crate::elf::{Abi, Image, Section as Raw, Symbol as RawSymbol, constants as c};
use crate::model::{
    Bank, Binding, Cubin, Extern, Function, Kind, Producer, Relocation, Section, Shared, Subroutine, Symbol,
};
use crate::{Debug, Error, implied, note, relocation};

const SECTION_SYMBOL: u8 = 3;
const FUNCTION: u8 = 2;
const WEAK: u8 = 2;

/// What is still to be explained.
struct Lift<'a> {
    image: &'a Image,
    relocations: HashMap<usize, Vec<Relocation>>,
    /// Sections and symbols that the fields explain.
    sections: HashSet<usize>,
    symbols: HashSet<usize>,
}

/// Reads what an image says.
pub(crate) fn lift(image: &Image) -> Result<Cubin, Error> {
    let header = image.header;
    let (sm, chip) = (header.sm(), header.layout()?);
    let kind = match image.header.kind {
        c::EXECUTABLE => Kind::Executable,
        c::EXTENSIBLE => Kind::Extensible,
        _ => Kind::Relocatable,
    };
    let debug = match header.abi {
        Abi::V7 => older_debug(image),
        Abi::V8 => header.debug().unwrap_or_default(),
    };
    let mut cubin = Cubin { abi: header.abi, sm, kind, debug, ..Cubin::default() };
    if let Some(virtual_sm) = header.virtual_sm() {
        // There are no notes: the header is all that is said of the producer.
        let (toolkit, virtual_sm) = (header.version as u16, virtual_sm as u16);
        cubin.producer =
            Producer { tool: String::new(), version: String::new(), toolkit, virtual_sm, ..cubin.producer };
        cubin.accelerated = header.accelerated();
    }
    let mut l = Lift { image, relocations: HashMap::new(), sections: [0].into(), symbols: [0].into() };
    for (index, section) in image.sections.iter().enumerate() {
        if [".shstrtab", ".strtab", ".symtab"].contains(&section.name.as_str()) {
            l.sections.insert(index);
        }
    }
    l.read_relocations()?;
    l.notes(&mut cubin)?;
    l.functions(&mut cubin, chip.reserved_shared())?;
    l.variables(&mut cubin)?;
    l.info(&mut cubin, chip)?;
    l.constants(&mut cubin);
    l.frames(&mut cubin);
    l.rest(&mut cubin);
    Ok(cubin)
}

/// What a file says about debugging whose header says nothing of it: the sections tell.
fn older_debug(image: &Image) -> Debug {
    match (image.section(".debug_info"), image.section(".debug_line")) {
        (Some(_), _) => Debug::Full,
        (None, Some(_)) => Debug::Lines,
        (None, None) => Debug::None,
    }
}

impl Lift<'_> {
    fn section(&self, name: &str) -> Option<(usize, &Raw)> {
        self.image.section(name).map(|i| (i, &self.image.sections[i]))
    }

    /// The name of a symbol; a symbol without one goes by its section's.
    fn symbol_name(&self, index: u32, at: u64) -> Result<String, Error> {
        match self.image.symbols.get(index as usize) {
            Some(s) if s.name.is_empty() && s.info & 15 == SECTION_SYMBOL => {
                Ok(self.image.section_name(s.section.into()).to_owned())
            }
            Some(s) => Ok(s.name.clone()),
            None => Err(Error::at(at, format!("symbol {index} does not exist"))),
        }
    }

    fn read_relocations(&mut self) -> Result<(), Error> {
        for (index, section) in self.image.sections.iter().enumerate() {
            let size = match section.kind {
                c::RELA => 24,
                c::REL => 16,
                _ => continue,
            };
            if !section.size().is_multiple_of(size) {
                return Err(Error::at(
                    section.offset,
                    format!("section `{}` is no table of relocations", section.name),
                ));
            }
            if section.kind == c::REL {
                if let Some(list) = self.in_place(section)? {
                    self.relocations.entry(section.info as usize).or_default().extend(list);
                    self.sections.insert(index);
                }
                continue;
            }
            if section.info as usize >= self.image.sections.len() {
                return Err(Error::at(
                    section.offset,
                    format!("`{}` relocates a section that does not exist", section.name),
                ));
            }
            let mut list = Vec::new();
            for (i, entry) in section.bytes().chunks_exact(24).enumerate() {
                let at = section.offset + 24 * i as u64;
                let quad =
                    |k: usize| u64::from_le_bytes(entry[8 * k..8 * k + 8].try_into().expect("8 of 24 bytes"));
                let symbol = self.symbol_name((quad(1) >> 32) as u32, at + 12)?;
                list.push(Relocation {
                    offset: quad(0),
                    kind: quad(1) as u32,
                    symbol,
                    addend: quad(2) as i64,
                });
            }
            self.relocations.entry(section.info as usize).or_default().extend(list);
            self.sections.insert(index);
        }
        Ok(())
    }

    /// Relocations whose addends stand in place, as before sm_90, where all are of whole addresses of data, or of operands of code that are 0; else
    /// none: the section stays as it is.
    fn in_place(&self, section: &Raw) -> Result<Option<Vec<Relocation>>, Error> {
        // Whole addresses, and whole generic ones.
        const ADDRESSES: [u32; 2] = [2, 4];
        let Some(target) = self.image.sections.get(section.info as usize) else { return Ok(None) };
        if target.kind != c::PROGBITS {
            return Ok(None);
        }
        let code = target.name.starts_with(".text.");
        if code && self.image.header.abi != Abi::V7 {
            return Ok(None);
        }
        let mut list = Vec::new();
        for (i, entry) in section.bytes().chunks_exact(16).enumerate() {
            let quad =
                |k: usize| u64::from_le_bytes(entry[8 * k..8 * k + 8].try_into().expect("8 of 16 bytes"));
            let (offset, kind) = (quad(0), quad(1) as u32);
            if code {
                if !blank_operand(target.bytes(), offset, kind) {
                    return Ok(None);
                }
                let symbol = self.symbol_name((quad(1) >> 32) as u32, section.offset + 16 * i as u64 + 12)?;
                list.push(Relocation { offset, kind, symbol, addend: 0 });
                continue;
            }
            let place = usize::try_from(offset).ok().and_then(|at| target.bytes().get(at..)?.get(..8));
            let Some(place) = place.filter(|_| ADDRESSES.contains(&kind)) else { return Ok(None) };
            let symbol = self.symbol_name((quad(1) >> 32) as u32, section.offset + 16 * i as u64 + 12)?;
            let addend = i64::from_le_bytes(place.try_into().expect("8 bytes"));
            list.push(Relocation { offset, kind, symbol, addend });
        }
        Ok(Some(list))
    }

    fn notes(&mut self, cubin: &mut Cubin) -> Result<(), Error> {
        if let Some((index, section)) = self.section(".note.nv.tkinfo") {
            note::read_tool(section.bytes(), section.offset, &mut cubin.producer)?;
            if note::tool(&cubin.producer) == section.bytes() {
                self.sections.insert(index);
            }
        }
        if let Some((index, section)) = self.section(".note.nv.cuinfo") {
            note::read_cuda(section.bytes(), section.offset, &mut cubin.producer)?;
            if note::cuda(&cubin.producer) == section.bytes() {
                self.sections.insert(index);
            }
        }
        Ok(())
    }

    fn functions(&mut self, cubin: &mut Cubin, reserved: u32) -> Result<(), Error> {
        for (index, section) in self.image.sections.iter().enumerate() {
            let Some(name) = section.name.strip_prefix(".text.") else { continue };
            if section.kind != c::PROGBITS || !section.size().is_multiple_of(16) {
                return Err(Error::at(
                    section.offset,
                    format!("`{}` is no list of 16-byte instructions", section.name),
                ));
            }
            if section.flags & c::EXEC == 0 || section.flags & c::ALLOC == 0 {
                return Err(Error::at(section.offset, format!("`{}` is not loaded as code", section.name)));
            }
            let code = section.bytes().chunks_exact(16);
            let code = code.map(|w| u128::from_le_bytes(w.try_into().expect("16 bytes"))).collect();
            let relocations = self.relocations.get(&index).cloned().unwrap_or_default();
            let barriers = declared_barriers(self.image.header.abi, section.flags);
            let mut f =
                Function { name: name.to_owned(), code, relocations, barriers, ..Function::default() };
            self.sections.insert(index);
            for (i, s) in self.image.symbols.iter().enumerate() {
                if usize::from(s.section) == index && s.info & 15 == FUNCTION {
                    self.function_symbol(&mut f, section, i, s)?;
                }
            }
            if let Some((at, shared)) = self.section(&format!(".nv.shared.{name}"))
                && let Ok(size) = u32::try_from(shared.size())
                && let Ok(align) = u32::try_from(shared.align)
                && let Some(size) = size.checked_sub(reserved)
                && shared.kind == c::NOBITS
            {
                f.shared = Some(Shared { size, align });
                self.sections.insert(at);
            }
            for (at, bank) in self.image.sections.iter().enumerate() {
                if let Some(number) = bank_of(&bank.name, name)
                    && number != 0
                    && bank.kind == c::PROGBITS
                    && self.relocations.get(&at).is_none_or(|r| r.is_empty())
                {
                    f.banks.push(Bank { number, data: bank.bytes().to_vec(), align: bank.align });
                    self.sections.insert(at);
                }
            }
            cubin.functions.push(f);
        }
        Ok(())
    }

    fn function_symbol(
        &mut self,
        f: &mut Function,
        section: &Raw,
        index: usize,
        s: &RawSymbol,
    ) -> Result<(), Error> {
        if s.name == f.name {
            f.entry = s.other & c::STO_ENTRY != 0;
            let binding = binding(s.info >> 4);
            f.binding = binding.unwrap_or_default();
            if s.value == 0 && s.size == section.size() && binding.is_some() && s.other & !c::STO_ENTRY == 0 {
                self.symbols.insert(index);
            }
        } else if s.info >> 4 <= WEAK {
            if s.value.saturating_add(s.size) > section.size() {
                return Err(Error::at(
                    section.offset,
                    format!("`{}` does not lie inside `{}`", s.name, section.name),
                ));
            }
            let (offset, size) = (s.value as u32, s.size as u32);
            let binding = binding(s.info >> 4).unwrap_or_default();
            f.subroutines.push(Subroutine { name: s.name.clone(), offset, size, binding, frame_size: None });
            if s.other == 0 {
                self.symbols.insert(index);
            }
        }
        Ok(())
    }

    fn constants(&mut self, cubin: &mut Cubin) {
        for f in &mut cubin.functions {
            if let Some((at, bank)) = self.section(&format!(".nv.constant0.{}", f.name)) {
                if f.param_size == 0 {
                    f.param_base = bank.size() as u32;
                }
                let size = u64::from(f.param_base) + u64::from(f.param_size);
                if bank.size() == size
                    && bank.bytes().iter().all(|&b| b == 0)
                    && !self.relocations.contains_key(&at)
                {
                    self.sections.insert(at);
                }
            }
        }
    }

    fn frames(&mut self, cubin: &mut Cubin) {
        if let Some((at, section)) = self.section(".debug_frame") {
            let (bytes, relocations) =
                crate::frame::frames(&cubin.functions, !implied::addends_in_place(cubin.sm));
            if section.bytes() == bytes && self.relocations.get(&at).map_or(&[][..], |r| r) == relocations {
                self.sections.insert(at);
            }
        }
    }

    /// Keeps what nothing explains.
    fn rest(&mut self, cubin: &mut Cubin) {
        let image = self.image;
        let name = |i: u32| (i != 0).then(|| image.section_name(i).to_owned());
        for (index, s) in image.sections.iter().enumerate() {
            let actions = s.name == ".nv.rel.action" && s.bytes() == implied::RELOCATION_ACTIONS;
            let system = crate::layout(cubin.sm).map_or(0, |chip| chip.system_shared);
            let own = s.name == ".nv.shared.reserved.0" && s.size() == u64::from(system);
            if self.sections.contains(&index) || own || actions {
                continue;
            }
            let in_file = s.kind != c::NOBITS;
            cubin.sections.push(Section {
                name: s.name.clone(),
                kind: s.kind,
                flags: s.flags,
                link: name(s.link),
                info: if s.flags & c::INFO_LINK != 0 { name(s.info) } else { None },
                align: s.align,
                entry_size: s.entry_size,
                data: in_file.then(|| s.bytes().to_vec()),
                size: s.size(),
                relocations: self.relocations.get(&index).cloned().unwrap_or_default(),
            });
        }
        let system = crate::layout(cubin.sm).map_or(0, |chip| chip.system_shared);
        let reserved = image.section(".nv.shared.reserved.0");
        let reserved = reserved.map(|i| implied::reserved(i as u16, system.into())).unwrap_or_default();
        for (index, s) in image.symbols.iter().enumerate() {
            let own = s.info & 15 == SECTION_SYMBOL && s.name == image.section_name(s.section.into());
            if self.symbols.contains(&index) || own || reserved.contains(s) {
                continue;
            }
            // Undefined, global and plain: somebody else's.
            if s.section == 0
                && s.info >> 4 == 1
                && matches!(s.info & 15, 1 | 2)
                && (s.value, s.size, s.other) == (0, 0, 0)
            {
                cubin.externs.push(Extern { name: s.name.clone(), function: s.info & 15 == FUNCTION });
                continue;
            }
            let section = name(s.section.into());
            let (name, value, size) = (s.name.clone(), s.value, s.size);
            cubin.symbols.push(Symbol { name, info: s.info, other: s.other, section, value, size });
        }
    }
}

/// The barriers that the flags of a code section declare: seven bits from bit 20 on, up to CUDA 12 (nvdisasm's `SHF_BARRIERS`). Files with the
/// later header have a record instead ([`crate::attribute::NUM_BARRIERS`]).
fn declared_barriers(abi: Abi, flags: u64) -> u8 {
    match abi {
        Abi::V7 => (flags >> c::BARRIERS_SHIFT & c::BARRIERS_MASK) as u8,
        Abi::V8 => 0,
    }
}

/// Whether the operand is 0 that a relocation of code fills in: there is no addend. False for kinds of which that is not known.
fn blank_operand(code: &[u8], offset: u64, kind: u32) -> bool {
    let bits = match kind {
        relocation::CODE_LOW | relocation::CODE_HIGH => 32..64,
        relocation::CALL_47 => 34..80,
        _ => return false,
    };
    let word = usize::try_from(offset)
        .ok()
        .filter(|at| at.is_multiple_of(16))
        .and_then(|at| code.get(at..)?.get(..16));
    word.is_some_and(|word| {
        let word = u128::from_le_bytes(word.try_into().expect("16 bytes"));
        word >> bits.start & ((1 << (bits.end - bits.start)) - 1) == 0
    })
}

/// Who sees a symbol, by the high half of its `st_info`.
fn binding(number: u8) -> Option<Binding> {
    match number {
        0 => Some(Binding::Local),
        1 => Some(Binding::Global),
        WEAK => Some(Binding::Weak),
        _ => None,
    }
}

/// The number of a function's own constant bank, from its section's name.
fn bank_of(section: &str, function: &str) -> Option<u8> {
    section.strip_prefix(".nv.constant")?.strip_suffix(function)?.strip_suffix('.')?.parse().ok()
}
