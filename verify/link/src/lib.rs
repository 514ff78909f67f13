//! What a loader does to code: it puts addresses into instructions.
//!
//! Up to CUDA 12.3 ptxas names a variable in the immediates of two moves (`UMOV UR4, 32@lo(x)`), and a function that the driver resolves in a
//! call (`CALL.ABS.NOINC x`). Later it takes both from constant bank 4. Here the first form becomes the second, so that there is one place at
//! which addresses come in: a move of an immediate becomes one from a new slot of bank 4, in the same place and under the same guard.
//!
//! Facts: cubins of ptxas 11.8.89 to 13.5.37 beside nvdisasm's text of the operands and cuobjdump's names of the relocations.

use sassafras_chip::Chip;
use sassafras_cubin::{Address, Cubin, Function, Relocation, relocation};
use sassafras_isa::{Inst, Style, decode, encode, parse, print};
use std::borrow::Cow;

/// Addresses of functions that the driver resolves, 16 bytes apart, by slot of bank 4: beyond all code.
pub const ELSEWHERE: u64 = 0xff00_0000_0000;

/// Bytes of an instruction.
const WORD: u64 = 16;

/// The bank of addresses.
const BANK: u32 = 4;

/// The cubin with nothing left to link in the code of `entry`.
///
/// # Errors
/// A relocation that is not known, or that names what the file does not have.
pub fn link<'c>(cubin: &'c Cubin, entry: &str) -> Result<Cow<'c, Cubin>, String> {
    let found = cubin.functions.iter().position(|f| f.name == entry);
    let Some(at) = found.filter(|&at| !cubin.functions[at].relocations.is_empty()) else {
        return Ok(Cow::Borrowed(cubin));
    };
    let chip = Chip::from_number(cubin.sm).ok_or_else(|| format!("sm_{} is not known", cubin.sm))?;
    let mut linked = cubin.clone();
    for r in std::mem::take(&mut linked.functions[at].relocations) {
        one(&mut linked, at, &r, chip)?;
    }
    Ok(Cow::Owned(linked))
}

/// One relocation of the code of function `at`.
fn one(cubin: &mut Cubin, at: usize, r: &Relocation, chip: Chip) -> Result<(), String> {
    let unknown = || format!("the code refers to `{}` by a relocation of kind {}", r.symbol, r.kind);
    let index = usize::try_from(r.offset / WORD).map_err(|_| unknown())?;
    let word = *cubin.functions[at].code.get(index).ok_or_else(unknown)?;
    let old = decode(word, chip).map_err(|e| format!("{:#06x}: {e}", r.offset))?;
    let new = match r.kind {
        relocation::CODE_LOW | relocation::CODE_HIGH => {
            let high = r.kind == relocation::CODE_HIGH;
            match inside(&cubin.functions[at], &r.symbol) {
                // The code begins at 0.
                Some(start) => {
                    let value = start.wrapping_add_signed(r.addend);
                    moved(&old, &format!("{:#x}", if high { value >> 32 } else { value & 0xffff_ffff }))
                }
                None if cubin.variables.iter().any(|v| v.name == r.symbol) => {
                    let place = 8 * slot(cubin, r) + if high { 4 } else { 0 };
                    from_bank(&old, place)
                }
                None => None,
            }
        }
        relocation::CALL_47 | relocation::CALL_55 => {
            let there = cubin.externs.iter().any(|e| e.function && e.name == r.symbol);
            let place = there.then(|| slot(cubin, r));
            place.and_then(|slot| with_target(&old, ELSEWHERE + WORD * slot as u64))
        }
        _ => None,
    };
    let mut new = new.ok_or_else(unknown)?;
    new.control = old.control;
    cubin.functions[at].code[index] = encode(&new, chip).map_err(|e| format!("{:#06x}: {e}", r.offset))?;
    Ok(())
}

/// Where a symbol lies in the code of a function.
fn inside(f: &Function, symbol: &str) -> Option<u64> {
    let own = (f.name == symbol).then_some(0);
    own.or_else(|| f.subroutines.iter().find(|s| s.name == symbol).map(|s| s.offset.into()))
}

/// The slot of bank 4 that holds what a relocation names: one that is there, or a new one.
fn slot(cubin: &mut Cubin, r: &Relocation) -> usize {
    let same = |a: &Address| a.symbol == r.symbol && a.addend == r.addend;
    cubin.addresses.iter().position(same).unwrap_or_else(|| {
        cubin.addresses.push(Address { symbol: r.symbol.clone(), addend: r.addend });
        cubin.addresses.len() - 1
    })
}

/// The text of an instruction in front of its last operand, which is 0: the place of an address is.
fn before_zero(inst: &Inst) -> Option<String> {
    print(inst, &Style::default()).strip_suffix(", 0x0").map(str::to_owned)
}

/// A move of an immediate with another operand in the immediate's place.
fn moved(inst: &Inst, operand: &str) -> Option<Inst> {
    if !["MOV", "UMOV"].contains(&inst.row().mnemonic) {
        return None;
    }
    parse(&format!("{}, {operand}", before_zero(inst)?), &Style::default()).ok()
}

/// A move of an immediate as one from bank 4.
fn from_bank(inst: &Inst, place: usize) -> Option<Inst> {
    let operand = format!("c[{BANK:#x}][{place:#x}]");
    if inst.row().mnemonic == "MOV" {
        return moved(inst, &operand);
    }
    let before = before_zero(inst)?;
    let before = before.strip_prefix("UMOV ").map(|rest| format!("ULDC {rest}")).or_else(|| {
        let (guard, rest) = before.split_once(" UMOV ")?;
        Some(format!("{guard} ULDC {rest}"))
    })?;
    parse(&format!("{before}, {operand}"), &Style::default()).ok()
}

/// An absolute call of another place.
fn with_target(inst: &Inst, target: u64) -> Option<Inst> {
    let row = inst.row();
    let at = row.field("t").filter(|_| row.mnemonic == "CALL" && row.family == "call.abs")?;
    let mut new = inst.clone();
    new.fields[at] = target;
    Some(new)
}
