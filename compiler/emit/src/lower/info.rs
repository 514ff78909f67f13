//! The bytes of `.nv.info`, `.nv.info.K`, `.nv.compat` and `.nv.callgraph`, which name symbols by index.

use crate::attribute::emit;
use sassafras_cubin::attribute::{self as a, Attribute, Value};
use sassafras_cubin::{Cubin, Error, Function, Layout, Param};
use std::collections::{HashMap, HashSet};

type Index<'a> = &'a dyn Fn(&str) -> Option<u32>;

/// What sections are made of, by name.
pub(super) struct Known<'c> {
    cubin: &'c Cubin,
    functions: HashMap<&'c str, &'c Function>,
    /// Sections that the model carries whole.
    whole: HashSet<&'c str>,
}

impl<'c> Known<'c> {
    pub(super) fn new(cubin: &'c Cubin) -> Known<'c> {
        // Of equal names the first counts.
        let functions = cubin.functions.iter().rev().map(|f| (f.name.as_str(), f)).collect();
        let whole = cubin.sections.iter().map(|s| s.name.as_str()).collect();
        Known { cubin, functions, whole }
    }
}

/// The bytes of section `name`, if it is one of those four kinds and the model does not carry it whole.
pub(super) fn bytes(
    known: &Known<'_>,
    chip: &Layout,
    name: &str,
    index: Index,
) -> Result<Option<Vec<u8>>, Error> {
    let cubin = known.cubin;
    if known.whole.contains(name) {
        return Ok(None);
    }
    let mut out = Vec::new();
    match name {
        ".nv.info" => module(cubin, index, &mut out)?,
        ".nv.compat" => {
            let usual = chip.compat(cubin.accelerated);
            for record in if cubin.compat.is_empty() { &usual } else { &cubin.compat } {
                emit(&mut out, record, index)?;
            }
        }
        ".nv.callgraph" => graph(cubin, index, &mut out)?,
        _ => match name.strip_prefix(".nv.info.").and_then(|k| known.functions.get(k)) {
            Some(f) => function(cubin, f, chip, index, &mut out)?,
            None => return Ok(None),
        },
    }
    Ok(Some(out))
}

fn of(index: Index, name: &str) -> Result<u32, Error> {
    index(name).ok_or_else(|| Error::part(".nv.info", format!("`{name}` is no symbol")))
}

fn module(cubin: &Cubin, index: Index, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut put = |id, name: &str, value| emit(out, &Attribute::words(id, &[of(index, name)?, value]), index);
    for f in cubin.functions.iter().rev() {
        put(a::REGCOUNT, &f.name, f.registers)?;
        for s in f.subroutines.iter().rev() {
            if let Some(size) = s.frame_size {
                put(a::FRAME_SIZE, &s.name, size)?;
            }
        }
        put(a::FRAME_SIZE, &f.name, f.frame_size)?;
    }
    for f in &cubin.functions {
        if let Some(size) = f.min_stack {
            put(a::MIN_STACK_SIZE, &f.name, size)?;
        }
    }
    cubin.attributes.iter().try_for_each(|record| emit(out, record, index))
}

fn graph(cubin: &Cubin, index: Index, out: &mut Vec<u8>) -> Result<(), Error> {
    for (group, edges) in cubin.calls.iter().enumerate() {
        let mut pair = |from: u32, to: u32| out.extend([from, to].iter().flat_map(|w| w.to_le_bytes()));
        pair(0, u32::MAX - group as u32);
        for (from, to) in edges {
            pair(of(index, from)?, of(index, to)?);
        }
    }
    Ok(())
}

/// Most bytes of parameters of which each has a `KPARAM_INFO`: the limit before PTX 8.1. ptxas 13.0.88 writes `KPARAM_INFO_V2` for every parameter of more
/// (4,352 and 4,360 bytes, sm_75, sm_90, sm_120).
const MOST_BYTES: u32 = 4352;

/// The record of one of `all` bytes of parameters. Both begin with an index, the ordinal and the offset. `KPARAM_INFO` has bit fields: log2 of the alignment of what
/// is pointed to, its space, bank 0x1f, size; `KPARAM_INFO_V2` has the size in 16 bits, and a byte for each of the two.
fn param(p: &Param, all: u32) -> Result<Attribute, Error> {
    let (id, most) = if all > MOST_BYTES { (a::KPARAM_INFO_V2, 0xffff) } else { (a::KPARAM_INFO, 0x3fff) };
    if p.size > most || p.pointee_space > 15 {
        return Err(Error::part(
            format!("parameter {}", p.ordinal),
            "its size or space does not fit its field",
        ));
    }
    let (align, space) = (u32::from(p.pointee_align), u32::from(p.pointee_space));
    let bits = match id {
        a::KPARAM_INFO => align | space << 8 | 0x1f << 12 | p.size << 18,
        _ => p.size | align << 16 | space << 24,
    };
    Ok(Attribute::words(id, &[0, u32::from(p.ordinal) | u32::from(p.offset) << 16, bits]))
}

fn function(
    cubin: &Cubin,
    f: &Function,
    chip: &Layout,
    index: Index,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let mut records = Vec::new();
    let usual = sassafras_cubin::implied::usual(cubin.producer.toolkit, chip);
    let chips =
        |id: u8| usual.iter().find(|r| r.id == id && f.attributes.iter().all(|o| o.id != id)).cloned();
    let words = |id, words: &[u32]| (!words.is_empty()).then(|| Attribute::words(id, words));
    if !chip.hopper {
        records.extend(chips(a::SW_WAR));
    }
    records.extend(chips(a::CUDA_API_VERSION));
    records.extend(chips(a::SW2861232_WAR));
    let mut parameters = Vec::new();
    if f.param_size > 0 {
        let size = u16::try_from(f.param_size)
            .map_err(|_| Error::part(&f.name, "its parameters take more than 64 KiB"))?;
        parameters.push(Attribute { id: a::CBANK_PARAM_SIZE, value: Value::Half(size) });
        let bank = of(index, &format!(".nv.constant0.{}", f.name))?;
        parameters.push(Attribute::words(a::PARAM_CBANK, &[bank, f.param_base | u32::from(size) << 16]));
    }
    if !chip.hopper {
        // They stand in front of the single ones, the other way round.
        records.extend(parameters.drain(..).rev());
    }
    for p in f.params.iter().rev() {
        records.push(param(p, f.param_size)?);
    }
    records.extend(chips(a::SPARSE_MMA_MASK));
    records.push(Attribute { id: a::MAXREG_COUNT, value: Value::Half(f.max_registers) });
    if f.barriers > 0 {
        records.push(Attribute { id: a::NUM_BARRIERS, value: Value::Byte(f.barriers) });
    }
    records.extend(chips(a::MERCURY_ISA_VERSION));
    records.extend(chips(a::VRC_CTA_INIT_COUNT));
    records.extend(words(a::COOP_GROUP_MASK_REGIDS, &f.coop_group_masks));
    records.extend(words(a::COOP_GROUP_INSTR_OFFSETS, &f.coop_group_offsets));
    records.extend(words(a::EXIT_INSTR_OFFSETS, &f.exit_offsets));
    records.extend(f.attributes.iter().cloned());
    records.extend(f.max_threads.and_then(|n| words(a::MAX_THREADS, &n)));
    records.extend(f.required_threads.and_then(|n| words(a::REQNTID, &n)));
    records.extend(f.crs_stack_size.map(|n| Attribute::words(a::CRS_STACK_SIZE, &[n])));
    records.extend(parameters);
    if chip.hopper {
        records.extend(chips(a::SW_WAR));
    }
    records.iter().try_for_each(|record| emit(out, record, index))
}
