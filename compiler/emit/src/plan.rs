//! The sections of a cubin that is laid out, before they have numbers.

use sassafras_cubin::elf::Section;
use sassafras_cubin::{Error, Relocation, Space, Variable};
use std::collections::HashMap;

/// A section whose references to others are still names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planned {
    pub(crate) section: Section,
    pub(crate) link: Option<String>,
    pub(crate) info: Option<String>,
    pub(crate) relocations: Option<Vec<Relocation>>,
}

/// The sections after the three tables, in file order.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) sections: Vec<Planned>,
    pub(crate) relocated: Vec<Planned>,
    /// Addends stand in place.
    pub(crate) in_place: bool,
    /// The index of each section, by name; of equal names the first.
    numbers: HashMap<String, u32>,
}

/// Indices from here on mean other things in ELF (`SHN_LORESERVE`).
const SECTIONS: usize = 0xff00;

/// The section that holds a variable.
pub(crate) fn home(variable: &Variable) -> &'static str {
    match (variable.space, &variable.init) {
        (Space::Constant, _) => ".nv.constant3",
        (Space::Global, Some(_)) => ".nv.global.init",
        (Space::Global, None) => ".nv.global",
    }
}

impl Plan {
    /// Gives the sections their indices, when all are there.
    pub(crate) fn number(&mut self) -> Result<(), Error> {
        if self.sections.len() + 4 > SECTIONS {
            return Err(Error::part("sections", format!("there are more than {SECTIONS}")));
        }
        for (planned, number) in self.sections.iter().zip(4..) {
            self.numbers.entry(planned.section.name.clone()).or_insert(number);
        }
        Ok(())
    }

    /// The index that a section has.
    pub(crate) fn index(&self, name: &str) -> Result<u32, Error> {
        match name {
            ".shstrtab" => Ok(1),
            ".strtab" => Ok(2),
            ".symtab" => Ok(3),
            _ => {
                let number = self.numbers.get(name).copied();
                number.ok_or_else(|| Error::part(name, "no section has this name"))
            }
        }
    }
}
