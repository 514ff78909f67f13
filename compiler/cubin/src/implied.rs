//! What a file has because its chip and its fields say so. The writer makes it, and the reader keeps what differs from it.

use crate::attribute::{self as a, Attribute, Value};
use crate::elf::Symbol;
use crate::error::Error;
use crate::layout::{Layout, layout};
use crate::model::{Relocation, Variable};

const WEAK: u8 = 2 << 4;
const OBJECT: u8 = 1;

/// What `.nv.rel.action` holds in every file before sm_90 (ptxas 13.0.88).
pub const RELOCATION_ACTIONS: [u8; 16] = [0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x25, 0, 5, 0x36];

/// Whether relocations have no addends of their own.
pub fn addends_in_place(sm: u32) -> bool {
    layout(sm).is_some_and(|chip| !chip.hopper)
}

/// Variables with or without first values, laid into bytes: the bytes, the relocations by offset, and the alignment in bytes.
///
/// # Errors
/// Variables of more than 4 GiB, or first values of another size than their variable's.
pub fn image_of(variables: &[&Variable]) -> Result<(Vec<u8>, Vec<Relocation>, u64), Error> {
    let size = variables.iter().map(|v| v.offset.saturating_add(v.size)).max().unwrap_or(0);
    let align = variables.iter().map(|v| v.align.max(1)).max().unwrap_or(1);
    if size > 1 << 32 {
        return Err(Error::part("variables", "they take more than 4 GiB"));
    }
    let mut bytes = vec![0; size as usize];
    let mut relocations = Vec::new();
    for v in variables {
        if let Some(init) = &v.init {
            if init.len() as u64 != v.size {
                return Err(Error::part(
                    &v.name,
                    format!("has {} first bytes and a size of {}", init.len(), v.size),
                ));
            }
            bytes[v.offset as usize..][..init.len()].copy_from_slice(init);
        }
        for r in &v.relocations {
            relocations.push(Relocation { offset: v.offset + r.offset, ..r.clone() });
        }
    }
    relocations.sort_by_key(|r| r.offset);
    Ok((bytes, relocations, align))
}

/// The two symbols that mark the shared memory that the system keeps (sm_90 and later).
pub fn reserved(section: u16, value: u64) -> [Symbol; 2] {
    let name = ".nv.reservedSmem.offset0".into();
    let offset = Symbol { name, info: WEAK | OBJECT, value, size: 4, ..Symbol::default() };
    let name = "__nv_reservedSMEM_offset_0_alias".into();
    [offset, Symbol { name, info: WEAK, other: 0xa0, section, value, ..Symbol::default() }]
}

/// The records that the chip alone decides.
pub fn usual(toolkit: u16, chip: &Layout) -> Vec<Attribute> {
    let mercury = if chip.hopper { 0x0101 } else { 0 };
    let mut out = vec![
        Attribute::words(a::CUDA_API_VERSION, &[u32::from(toolkit)]),
        Attribute { id: a::MERCURY_ISA_VERSION, value: Value::Half(mercury) },
    ];
    if chip.hopper {
        out.push(Attribute { id: a::SPARSE_MMA_MASK, value: Value::Half(0) });
    }
    if chip.system_shared > 0 {
        out.push(Attribute { id: a::VRC_CTA_INIT_COUNT, value: Value::Byte(0) });
    }
    if chip.marked {
        out.push(Attribute { id: a::SW2861232_WAR, value: Value::Empty });
    }
    out.extend(chip.workarounds.map(|bits| Attribute::words(a::SW_WAR, &[bits])));
    out
}
