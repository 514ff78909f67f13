//! [`Cubin`] to [`Image`]: the sections, symbols and records in ptxas's order.

mod info;
mod symbols;

use crate::plan::{self, Plan, Planned};
use sassafras_cubin::elf::{Abi, Data, Header, Image, Section, constants as c};
use sassafras_cubin::implied::{RELOCATION_ACTIONS, image_of};
use sassafras_cubin::{
    Cubin, Error, Function, Kind, Layout, Place, Relocation, Variable, frame, layout, note, relocation,
};
use std::collections::HashMap;

/// Lays a cubin out.
pub(crate) fn lower(cubin: &Cubin) -> Result<Image, Error> {
    let chip =
        layout(cubin.sm).ok_or_else(|| Error::part("chip", format!("sm_{} has no layout", cubin.sm)))?;
    if cubin.abi != Abi::V8 {
        let place = Place::Part("header".into());
        return Err(Error::Unsupported { place, what: "writing a cubin of CUDA 12 or earlier".into() });
    }
    let mut plan = Plan::default();
    plan.collect(cubin, chip)?;
    plan.number()?;
    let mut symbols = symbols::symbols(cubin, &plan)?;
    // Before sm_90 local symbols come first and are counted, as ELF has it. From then on ptxas has local ones behind the others, and counts all.
    let mut local = symbols.len();
    if !chip.hopper {
        symbols.sort_by_key(|s| s.info >> 4 != 0);
        local = symbols.iter().filter(|s| s.info >> 4 == 0).count();
    }
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    for (symbol, number) in symbols.iter().zip(0..) {
        numbers.entry(&symbol.name).or_insert(number);
    }
    let index = |name: &str| numbers.get(name).copied();
    let known = info::Known::new(cubin);

    let mut sections = vec![Section::default()];
    for (kind, name, link, align, entry) in
        [(c::STRTAB, ".shstrtab", 0, 1, 0), (c::STRTAB, ".strtab", 0, 1, 0), (c::SYMTAB, ".symtab", 2, 8, 24)]
    {
        sections.push(Section {
            name: name.into(),
            kind,
            link,
            align,
            entry_size: entry,
            ..Section::default()
        });
    }
    sections[3].info = local as u32;
    for planned in &plan.sections {
        let mut section = planned.section.clone();
        if let Some(name) = &planned.link {
            section.link = plan.index(name)?;
        }
        if let Some(name) = &planned.info {
            section.info = plan.index(name)?;
        }
        if section.name.starts_with(".text.") && planned.info.is_none() {
            let name = &section.name[6..];
            section.info = index(name).unwrap_or(0);
            if !chip.hopper {
                let registers = cubin.functions.iter().find(|f| f.name == name).map_or(0, |f| f.registers);
                section.info |= registers << 24;
            }
        }
        if let Some(relocations) = &planned.relocations {
            section.data = Data::Bytes(rela(&section.name, relocations, chip.hopper, &index)?);
        }
        if let Some(bytes) = info::bytes(&known, chip, &section.name, &index)? {
            section.data = Data::Bytes(bytes);
        }
        sections.push(section);
    }
    let kind = match cubin.kind {
        Kind::Executable => c::EXECUTABLE,
        Kind::Relocatable => c::RELOCATABLE,
        Kind::Extensible => c::EXTENSIBLE,
    };
    Ok(Image {
        header: Header { kind, flags: chip.e_flags(cubin.debug), ..Header::default() },
        sections,
        symbols,
        segments: Vec::new(),
    })
}

/// Writes addends where the relocations are.
fn put_in_place(bytes: &mut [u8], relocations: &[Relocation]) {
    for r in relocations {
        if let Some(place) = bytes.get_mut(r.offset as usize..).and_then(|rest| rest.get_mut(..8)) {
            place.copy_from_slice(&r.addend.to_le_bytes());
        }
    }
}

fn rela(
    section: &str,
    relocations: &[Relocation],
    addends: bool,
    index: &dyn Fn(&str) -> Option<u32>,
) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    for r in relocations {
        let symbol = index(&r.symbol).ok_or_else(|| {
            Error::part(section, format!("a relocation names `{}`, which is no symbol", r.symbol))
        })?;
        out.extend(r.offset.to_le_bytes());
        out.extend((u64::from(symbol) << 32 | u64::from(r.kind)).to_le_bytes());
        if addends {
            out.extend(r.addend.to_le_bytes());
        }
    }
    Ok(out)
}

impl Plan {
    fn push(
        &mut self,
        name: impl Into<String>,
        kind: u32,
        flags: u64,
        align: u64,
        bytes: Vec<u8>,
    ) -> &mut Planned {
        let section =
            Section { name: name.into(), kind, flags, align, data: Data::Bytes(bytes), ..Section::default() };
        self.sections.push(Planned { section, ..Planned::default() });
        self.sections.last_mut().expect("just pushed")
    }

    fn nobits(&mut self, name: impl Into<String>, flags: u64, align: u64, size: u64) -> &mut Planned {
        let planned = self.push(name, c::NOBITS, flags, align, Vec::new());
        planned.section.data = Data::NoBits(size);
        planned
    }

    fn relocate(&mut self, name: &str, relocations: Vec<Relocation>) {
        if relocations.is_empty() {
            return;
        }
        let (prefix, kind, entry_size) =
            if self.in_place { (".rel", c::REL, 16) } else { (".rela", c::RELA, 24) };
        let section = Section {
            name: format!("{prefix}{name}"),
            kind,
            flags: c::INFO_LINK,
            align: 8,
            entry_size,
            ..Section::default()
        };
        let (link, info) = (Some(".symtab".into()), Some(name.into()));
        self.relocated.push(Planned { section, link, info, relocations: Some(relocations) });
    }

    fn collect(&mut self, cubin: &Cubin, chip: &Layout) -> Result<(), Error> {
        let in_home =
            |name: &str| cubin.variables.iter().filter(|v| plan::home(v) == name).collect::<Vec<_>>();
        let (frames, frame_relocations) = frame::frames(&cubin.functions, chip.hopper);
        self.in_place = !chip.hopper;
        let symtab = || Some(".symtab".to_owned());

        self.push(".debug_frame", c::PROGBITS, 0, 1, frames);
        let lines = || cubin.sections.iter().filter(|s| s.is_lines());
        self.sections.extend(lines().map(raw));
        self.push(".note.nv.tkinfo", c::NOTE, c::TOOL_NOTE, 4, note::tool(&cubin.producer));
        let cuda = self.push(
            ".note.nv.cuinfo",
            c::NOTE,
            c::CUDA_NOTE | if chip.hopper { c::INFO_LINK } else { 0 },
            4,
            note::cuda(&cubin.producer),
        );
        cuda.link = Some(".note.nv.tkinfo".into());
        cuda.info = chip.hopper.then(|| ".nv.compat".into());
        self.push(".nv.info", c::CUDA_INFO, 0, 4, Vec::new()).link = symtab();
        if chip.hopper {
            self.push(".nv.compat", c::CUDA_COMPAT, 0, 4, Vec::new());
        }
        for f in cubin.functions.iter().filter(|f| f.entry) {
            let info = self.push(format!(".nv.info.{}", f.name), c::CUDA_INFO, c::INFO_LINK, 4, Vec::new());
            (info.link, info.info) = (symtab(), Some(format!(".text.{}", f.name)));
        }
        let graph = self.push(".nv.callgraph", c::CUDA_CALLGRAPH, 0, 4, Vec::new());
        (graph.link, graph.section.entry_size) = (symtab(), 8);
        if !chip.hopper {
            let action = self.push(".nv.rel.action", c::CUDA_RELOCINFO, 0, 8, RELOCATION_ACTIONS.to_vec());
            action.section.entry_size = 8;
        }
        self.kept(cubin, false);
        let relocations_go_here = self.sections.len();

        if !cubin.addresses.is_empty() {
            let slots = cubin.addresses.iter().enumerate();
            let relocations = slots.map(|(i, a)| Relocation {
                offset: 8 * i as u64,
                kind: relocation::ADDRESS_64,
                symbol: a.symbol.clone(),
                addend: a.addend,
            });
            let relocations: Vec<_> = relocations.collect();
            let mut slots = vec![0; 8 * cubin.addresses.len()];
            if self.in_place {
                put_in_place(&mut slots, &relocations);
            }
            self.push(".nv.constant4", c::PROGBITS, c::ALLOC, 8, slots);
            self.relocate(".nv.constant4", relocations);
        }
        self.variables(".nv.constant3", c::ALLOC, &in_home(".nv.constant3"))?;
        for f in &cubin.functions {
            for bank in &f.banks {
                let name = format!(".nv.constant{}.{}", bank.number, f.name);
                self.push(name, c::PROGBITS, c::ALLOC | c::INFO_LINK, bank.align, bank.data.clone()).info =
                    Some(format!(".text.{}", f.name));
            }
        }
        self.kept(cubin, true);
        if !chip.hopper {
            self.parameters(cubin)?;
        }
        for f in &cubin.functions {
            let code: Vec<u8> = f.code.iter().flat_map(|word| word.to_le_bytes()).collect();
            let name = format!(".text.{}", f.name);
            self.push(name.clone(), c::PROGBITS, c::ALLOC | c::EXEC, 128, code).link = symtab();
            self.relocate(&name, f.relocations.clone());
        }
        self.variables(".nv.global.init", c::ALLOC | c::WRITE, &in_home(".nv.global.init"))?;
        lines().for_each(|s| self.relocate(&s.name, s.relocations.clone()));
        self.relocate(".debug_frame", frame_relocations);
        if chip.hopper {
            self.nobits(".nv.shared.reserved.0", c::ALLOC | c::WRITE, 1, chip.system_shared.into());
        }
        let zeros = in_home(".nv.global");
        if !zeros.is_empty() {
            let (bytes, _, align) = image_of(&zeros)?;
            self.nobits(".nv.global", c::ALLOC | c::WRITE, align, bytes.len() as u64);
        }
        for f in &cubin.functions {
            self.memory(f, chip)?;
        }
        if chip.hopper {
            self.parameters(cubin)?;
        }
        let relocated = std::mem::take(&mut self.relocated);
        self.sections.splice(relocations_go_here..relocations_go_here, relocated);
        self.replace(cubin);
        Ok(())
    }

    /// The banks of the entries' parameters.
    fn parameters(&mut self, cubin: &Cubin) -> Result<(), Error> {
        for f in cubin.functions.iter().filter(|f| f.entry) {
            let size = f.param_base as usize + f.param_size as usize;
            if size > 0x1_0000 {
                return Err(Error::part(&f.name, "its parameters do not fit in a 64 KiB bank"));
            }
            self.push(
                format!(".nv.constant0.{}", f.name),
                c::PROGBITS,
                c::ALLOC | c::INFO_LINK,
                4,
                vec![0; size],
            )
            .info = Some(format!(".text.{}", f.name));
        }
        Ok(())
    }

    fn memory(&mut self, f: &Function, chip: &Layout) -> Result<(), Error> {
        if let Some(shared) = f.shared {
            if !shared.align.is_power_of_two() {
                return Err(Error::part(
                    &f.name,
                    format!("shared alignment {} is no power of two", shared.align),
                ));
            }
            let size = u64::from(chip.reserved_shared()) + u64::from(shared.size);
            let flags = c::ALLOC | c::WRITE | c::INFO_LINK;
            self.nobits(format!(".nv.shared.{}", f.name), flags, shared.align.into(), size).info =
                Some(format!(".text.{}", f.name));
        }
        Ok(())
    }

    fn variables(&mut self, name: &str, flags: u64, variables: &[&Variable]) -> Result<(), Error> {
        if !variables.is_empty() {
            let (mut bytes, relocations, align) = image_of(variables)?;
            if self.in_place {
                put_in_place(&mut bytes, &relocations);
            }
            self.push(name, c::PROGBITS, flags, align, bytes);
            self.relocate(name, relocations);
        }
        Ok(())
    }

    /// The sections that the model only carries: those without memory go before the relocations, others before the code.
    fn kept(&mut self, cubin: &Cubin, allocated: bool) {
        let here = |s: &&sassafras_cubin::Section| {
            (s.flags & c::ALLOC != 0) == allocated && !replaces(s) && !s.is_lines()
        };
        for s in cubin.sections.iter().filter(here) {
            self.sections.push(raw(s));
            self.relocate(&s.name, s.relocations.clone());
        }
    }

    /// A kept section with the name of one that we make takes its place.
    fn replace(&mut self, cubin: &Cubin) {
        for s in cubin.sections.iter().filter(|s| replaces(s)) {
            let own = [format!(".rela{}", s.name), format!(".rel{}", s.name)];
            self.sections.retain(|p| !own.contains(&p.section.name));
            match self.sections.iter_mut().find(|p| p.section.name == s.name) {
                Some(p) => *p = raw(s),
                None => self.sections.push(raw(s)),
            }
            self.relocate(&s.name, s.relocations.clone());
        }
        let after =
            self.sections.iter().position(|p| p.section.name == ".nv.callgraph").map_or(0, |at| at + 1);
        let relocated = std::mem::take(&mut self.relocated);
        self.sections.splice(after..after, relocated);
    }
}

fn raw(s: &sassafras_cubin::Section) -> Planned {
    let data = s.data.clone().map_or(Data::NoBits(s.size), Data::Bytes);
    let section = Section {
        name: s.name.clone(),
        kind: s.kind,
        flags: s.flags,
        align: s.align,
        entry_size: s.entry_size,
        data,
        ..Section::default()
    };
    Planned { section, link: s.link.clone(), info: s.info.clone(), relocations: None }
}

/// Whether a section that the model carries has the name of one that is made here, so that it takes its place.
fn replaces(s: &sassafras_cubin::Section) -> bool {
    let fixed = [".debug_frame", ".nv.constant3", ".nv.constant4", ".nv.global", ".nv.global.init"];
    fixed.contains(&s.name.as_str())
        || s.name.starts_with(".nv.constant0.")
        || s.name.starts_with(".nv.shared.")
}
