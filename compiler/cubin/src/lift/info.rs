//! The records of `.nv.info`, `.nv.info.K`, `.nv.compat` and `.nv.callgraph`.

use super::Lift;
use crate::attribute::{self as a, Attribute, Value, parse};
use crate::elf::{Abi, Section as Raw};
use crate::model::{Cubin, Function, Param};
use crate::{Error, Layout, implied};
use std::collections::HashSet;

/// Records that say one thing of a function.
const ONCE: [u8; 7] = [
    a::MAXREG_COUNT,
    a::NUM_BARRIERS,
    a::MAX_THREADS,
    a::REQNTID,
    a::CRS_STACK_SIZE,
    a::CBANK_PARAM_SIZE,
    a::PARAM_CBANK,
];

/// No record's number: the second [`a::MIN_STACK_SIZE`] about a function.
const OWN_STACK: u8 = 0;

fn twice(at: u64, id: u8, name: &str) -> Error {
    Error::at(at, format!("attribute {id:#04x} is about `{name}` for the second time"))
}

impl Lift<'_> {
    pub(super) fn info(&mut self, cubin: &mut Cubin, chip: &Layout) -> Result<(), Error> {
        if let Some((index, section)) = self.section(".nv.compat") {
            let records: Vec<_> = parse(section.bytes(), section.offset)?.into_iter().map(|r| r.1).collect();
            let target =
                |r: &Attribute| r.id == a::compat::CUDA_ACCELERATOR_TARGET && r.value == Value::Byte(1);
            cubin.accelerated = self.image.header.accelerated() || records.iter().any(target);
            if records != chip.compat(cubin.accelerated) {
                cubin.compat = records;
            }
            self.sections.insert(index);
        }
        if let Some((index, section)) = self.section(".nv.info") {
            let mut seen = HashSet::new();
            for (at, record) in parse(section.bytes(), section.offset)? {
                self.module_record(cubin, at, record, &mut seen)?;
            }
            self.sections.insert(index);
        }
        if let Some((index, section)) = self.section(".nv.callgraph") {
            cubin.calls = self.graph(section)?;
            self.sections.insert(index);
        }
        let mut functions = std::mem::take(&mut cubin.functions);
        for f in &mut functions {
            if let Some((index, section)) = self.section(&format!(".nv.info.{}", f.name)) {
                self.function_records(f, section)?;
                let usual = implied::usual(cubin.producer.toolkit, chip);
                f.attributes.retain(|record| !usual.contains(record));
                self.sections.insert(index);
            }
        }
        cubin.functions = functions;
        Ok(())
    }

    fn module_record(
        &self,
        cubin: &mut Cubin,
        at: u64,
        record: Attribute,
        seen: &mut HashSet<(u8, String)>,
    ) -> Result<(), Error> {
        if let (a::REGCOUNT | a::FRAME_SIZE | a::MIN_STACK_SIZE, Some([symbol, value])) =
            (record.id, record.as_words().as_deref().and_then(|w| <[u32; 2]>::try_from(w).ok()))
        {
            let name = self.symbol_name(symbol, at + 4)?;
            // CUDA 12.4 and 12.5 say it of every function beside its frame, and of an entry again behind all of those.
            let own = cubin.abi == Abi::V7 && record.id == a::MIN_STACK_SIZE;
            let first = seen.insert((record.id, name.clone()));
            if !first && (!own || !seen.insert((OWN_STACK, name.clone()))) {
                return Err(twice(at, record.id, &name));
            }
            for f in &mut cubin.functions {
                if f.name == name {
                    match record.id {
                        a::REGCOUNT => f.registers = value,
                        a::FRAME_SIZE => f.frame_size = value,
                        _ => f.min_stack = f.min_stack.max(Some(value)),
                    }
                    return Ok(());
                }
                if let Some(s) =
                    f.subroutines.iter_mut().find(|s| s.name == name && record.id == a::FRAME_SIZE)
                {
                    s.frame_size = Some(value);
                    return Ok(());
                }
            }
            // Up to CUDA 12 a routine inside another's section has the same records as a function.
            let routine = |f: &Function| f.subroutines.iter().any(|s| s.name == name);
            if cubin.abi == Abi::V7 && cubin.functions.iter().any(routine) {
                cubin.attributes.push(record);
                return Ok(());
            }
            return Err(Error::at(
                at,
                format!("attribute {:#04x} is about `{name}`, which is no function here", record.id),
            ));
        }
        cubin.attributes.push(record);
        Ok(())
    }

    fn graph(&self, section: &Raw) -> Result<[Vec<(String, String)>; 4], Error> {
        let mut calls: [Vec<_>; 4] = Default::default();
        let mut group = None;
        if !section.size().is_multiple_of(8) {
            return Err(Error::at(section.offset, "the call graph is no list of pairs"));
        }
        for (i, pair) in section.bytes().chunks_exact(8).enumerate() {
            let at = section.offset + 8 * i as u64;
            let word = |k: usize| u32::from_le_bytes(pair[k..k + 4].try_into().expect("4 of 8 bytes"));
            let (from, to) = (word(0), word(4));
            if from == 0 && to > u32::MAX - 4 {
                group = Some((u32::MAX - to) as usize);
            } else {
                let group = group
                    .ok_or_else(|| Error::at(at, "a call stands before the first group of the call graph"))?;
                calls[group].push((self.symbol_name(from, at)?, self.symbol_name(to, at + 4)?));
            }
        }
        Ok(calls)
    }

    fn function_records(&self, f: &mut Function, section: &Raw) -> Result<(), Error> {
        let mut seen = HashSet::new();
        for (at, record) in parse(section.bytes(), section.offset)? {
            if ONCE.contains(&record.id) && !seen.insert(record.id) {
                return Err(twice(at, record.id, &f.name));
            }
            let words = record.as_words().unwrap_or_default();
            match (record.id, &record.value, &words[..]) {
                (a::KPARAM_INFO, _, &[0, place, bits]) if bits >> 12 & 0x3f == 0x1f && bits & 0xf0 == 0 => {
                    f.params.push(Param {
                        ordinal: place as u16,
                        offset: (place >> 16) as u16,
                        size: bits >> 18,
                        pointee_align: bits as u8 & 15,
                        pointee_space: (bits >> 8) as u8 & 15,
                    })
                }
                (a::KPARAM_INFO_V2, _, &[0, place, bits]) if bits & 0xf0f0_0000 == 0 => {
                    f.params.push(Param {
                        ordinal: place as u16,
                        offset: (place >> 16) as u16,
                        size: bits & 0xffff,
                        pointee_align: (bits >> 16) as u8,
                        pointee_space: (bits >> 24) as u8,
                    })
                }
                (a::MAXREG_COUNT, &Value::Half(n), _) => f.max_registers = n,
                (a::NUM_BARRIERS, &Value::Byte(n), _) if n > 0 => f.barriers = n,
                (a::COOP_GROUP_MASK_REGIDS, _, [_, ..]) => f.coop_group_masks = words,
                (a::COOP_GROUP_INSTR_OFFSETS, _, [_, ..]) => f.coop_group_offsets = words,
                (a::EXIT_INSTR_OFFSETS, _, [_, ..]) => f.exit_offsets = words,
                (a::MAX_THREADS, _, &[x, y, z]) => f.max_threads = Some([x, y, z]),
                (a::REQNTID, _, &[x, y, z]) => f.required_threads = Some([x, y, z]),
                (a::CRS_STACK_SIZE, _, &[n]) => f.crs_stack_size = Some(n),
                (a::CBANK_PARAM_SIZE, &Value::Half(n), _) => f.param_size = n.into(),
                (a::PARAM_CBANK, _, &[symbol, place]) => {
                    let name = self.symbol_name(symbol, at + 4)?;
                    if name != format!(".nv.constant0.{}", f.name) {
                        return Err(Error::at(at, format!("the parameters of `{}` lie in `{name}`", f.name)));
                    }
                    (f.param_base, f.param_size) = (place & 0xffff, place >> 16);
                }
                (a::EXTERNS, _, [_, ..]) => {
                    let names = words.iter().map(|&w| self.symbol_name(w, at)).collect::<Result<_, _>>()?;
                    f.attributes.push(Attribute { id: record.id, value: Value::Symbols(names) });
                }
                _ => f.attributes.push(record),
            }
        }
        f.params.reverse();
        Ok(())
    }
}
