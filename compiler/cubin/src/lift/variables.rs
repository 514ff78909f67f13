//! Variables of global and constant memory, and the address slots of bank 4.

use super::{Lift, WEAK};
use crate::Error;
use crate::elf::{Data, constants as c};
use crate::implied;
use crate::model::{Address, Cubin, Relocation, Space, Variable};
use crate::relocation;

const OBJECT: u8 = 1;

impl Lift<'_> {
    pub(super) fn variables(&mut self, cubin: &mut Cubin) -> Result<(), Error> {
        let homes = [
            (".nv.constant3", Space::Constant),
            (".nv.global.init", Space::Global),
            (".nv.global", Space::Global),
        ];
        let mut found: Vec<(usize, Variable)> = Vec::new();
        for (name, space) in homes {
            let Some((index, section)) = self.section(name) else { continue };
            let mut here = Vec::new();
            for (i, s) in self.image.symbols.iter().enumerate() {
                if usize::from(s.section) != index || s.info & 15 != OBJECT || s.info >> 4 > WEAK {
                    continue;
                }
                if s.value.checked_add(s.size).is_none_or(|end| end > section.size()) {
                    return Err(Error::at(
                        section.offset,
                        format!("`{}` does not lie inside `{name}`", s.name),
                    ));
                }
                let init = match &section.data {
                    Data::Bytes(bytes) => Some(bytes[s.value as usize..][..s.size as usize].to_vec()),
                    Data::NoBits(_) => None,
                };
                let inside = |r: &&Relocation| r.offset >= s.value && r.offset - s.value < s.size;
                let relocations = self.relocations.get(&index).into_iter().flatten().filter(inside);
                let mut relocations: Vec<_> =
                    relocations.map(|r| Relocation { offset: r.offset - s.value, ..r.clone() }).collect();
                // ptxas lists some backwards; their order says nothing.
                relocations.sort_by_key(|r| r.offset);
                let align = section.align.max(1).min(1 << s.value.trailing_zeros().min(20));
                let (name, offset, size) = (s.name.clone(), s.value, s.size);
                let (exported, weak) = (s.info >> 4 != 0, s.info >> 4 == WEAK);
                let v = Variable {
                    name,
                    space,
                    offset,
                    size,
                    align,
                    init,
                    relocations,
                    exported,
                    weak,
                    other: s.other,
                };
                here.push((i, v));
            }
            // The fields explain the section when they make the same one.
            let all: Vec<&Variable> = here.iter().map(|v| &v.1).collect();
            let (bytes, relocations, align) =
                if section.size() > 1 << 32 { Default::default() } else { implied::image_of(&all)? };
            let same = match &section.data {
                Data::Bytes(found) => *found == bytes,
                Data::NoBits(size) => *size == bytes.len() as u64,
            };
            let mut sorted = self.relocations.get(&index).cloned().unwrap_or_default();
            sorted.sort_by_key(|r| r.offset);
            if same && sorted == relocations && align == section.align {
                self.sections.insert(index);
            }
            found.append(&mut here);
        }
        found.sort_by_key(|v| v.0);
        for (index, v) in found {
            self.symbols.insert(index);
            cubin.variables.push(v);
        }
        self.slots(cubin);
        Ok(())
    }

    /// What stands in the place of a relocation of 8 bytes: its addend where relocations have none.
    fn left_in_place(&self, r: &Relocation) -> [u8; 8] {
        if implied::addends_in_place(self.image.header.sm()) { r.addend.to_le_bytes() } else { [0; 8] }
    }

    fn slots(&mut self, cubin: &mut Cubin) {
        let Some((index, section)) = self.section(".nv.constant4") else { return };
        let mut list = self.relocations.get(&index).cloned().unwrap_or_default();
        list.sort_by_key(|r| r.offset);
        let plain = list
            .iter()
            .enumerate()
            .all(|(i, r)| r.kind == relocation::ADDRESS_64 && r.offset == 8 * i as u64)
            && section.size() == 8 * list.len() as u64
            && list.iter().all(|r| section.bytes()[r.offset as usize..][..8] == self.left_in_place(r))
            && (section.kind, section.align) == (c::PROGBITS, 8);
        // The slots are known even when the section holds more than slots and is kept whole.
        if plain {
            self.sections.insert(index);
            cubin.addresses =
                list.into_iter().map(|r| Address { symbol: r.symbol, addend: r.addend }).collect();
        }
    }
}
