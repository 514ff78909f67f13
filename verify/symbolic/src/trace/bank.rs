//! Constant banks beside bank 0: constants of the module, and tables of known bytes.

use crate::assumption::Assumption;
use crate::obstacle::target::Target;
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_semantics::{CompareOp, Domain, TermId, Terms, Trap};

/// Most entries of a table that is read at an address which is not constant.
pub const MOST_ENTRIES: usize = 128;

fn refused<R: Name, T>(side: &Side<'_, R>, obstacle: Target) -> Result<T, Trap> {
    Err(side.inputs.held.trap(obstacle))
}

/// Size of bank 3, the module's constants.
pub fn constants(cubin: &Cubin) -> u64 {
    let own = cubin.variables.iter().filter(|v| v.space == sassafras_cubin::Space::Constant);
    own.map(|v| v.offset.saturating_add(v.size)).max().unwrap_or(0)
}

/// Bytes of a constant bank other than bank 0: from the file where the address is known, else from a memory that both sides
/// share.
pub fn constant<R: Name>(
    side: &mut Side<'_, R>,
    cubin: &Cubin,
    function: Option<&Function>,
    bank: u8,
    at: TermId,
    bytes: u32,
) -> Result<TermId, Trap> {
    let d = side.inputs.terms;
    let at = side.inputs.normal.of(at);
    let known = side.inputs.known(at);
    if bank == 3 {
        // What is there before the launch is the host's to say, whatever the file says.
        side.log.assumed.insert(Assumption::Addr);
        let d32 = d.constant(32, 0);
        return match known {
            Some(known) if !known.is_multiple_of(bytes.into()) => {
                refused(side, Target::BankMisaligned { bank, at: known, bytes })
            }
            Some(known) if known + u128::from(bytes) > constants(cubin).into() => {
                refused(side, Target::BankOutside { bank, at: known })
            }
            Some(known) => Ok(side.inputs.memory_at("const", d32, d.constant(64, 0), known as i64, bytes)),
            None => {
                let fits = in_bank(d, at, constants(cubin), bytes);
                let outside = side.inputs.normal.of(d.and(&side.happens(), &d.not(&fits)));
                if side.inputs.known(outside) != Some(0) {
                    match function {
                        Some(_) => side.log.demands.push((outside, side.place)),
                        // A-UB: the source reads its constants, at multiples.
                        None => side.log.undefined.push(outside),
                    }
                }
                let at = side.inputs.normal.of(d.zext(&at, 64));
                Ok(side.inputs.memory("const", d32, at, bytes))
            }
        };
    }
    let own = function.and_then(|f| f.banks.iter().find(|b| b.number == bank));
    let Some(known) = known else {
        return table(side, own.map_or(&[], |b| &b.data), bank, at, bytes);
    };
    if !known.is_multiple_of(bytes.into()) {
        return refused(side, Target::BankMisaligned { bank, at: known, bytes });
    }
    let found =
        own.map(|b| &b.data).and_then(|b| b.get(known as usize..)).and_then(|b| b.get(..bytes as usize));
    match found {
        Some(bytes) => {
            let mut all = [0; 16];
            all[..bytes.len()].copy_from_slice(bytes);
            Ok(d.constant(8 * bytes.len() as u32, u128::from_le_bytes(all)))
        }
        None => refused(side, Target::BankOutside { bank, at: known }),
    }
}

/// That an access of `bytes` bytes at `at`, 32 bits, lies in a bank of `size` bytes and at a multiple of its own size.
fn in_bank(d: &Terms, at: TermId, size: u64, bytes: u32) -> TermId {
    let Some(most) = size.checked_sub(bytes.into()) else { return d.no() };
    let inside = d.compare(CompareOp::ULe, &at, &d.constant(32, most.into()));
    match bytes.ilog2() {
        0 => inside,
        low => d.and(&inside, &d.eq(&d.extract(&at, 0, low), &d.constant(low, 0))),
    }
}

/// An entry of a table of known bytes, at an address that is not constant; that it lies in it is demanded.
fn table<R: Name>(
    side: &mut Side<'_, R>,
    data: &[u8],
    bank: u8,
    at: TermId,
    bytes: u32,
) -> Result<TermId, Trap> {
    let d = side.inputs.terms;
    let entries: Vec<(TermId, TermId)> = data
        .chunks_exact(bytes as usize)
        .enumerate()
        .map(|(i, entry)| {
            let mut all = [0; 16];
            all[..entry.len()].copy_from_slice(entry);
            let place = d.constant(32, i as u128 * u128::from(bytes));
            (place, d.constant(8 * bytes, u128::from_le_bytes(all)))
        })
        .collect();
    choice(side, &entries, bank, at)
}

/// The entry of a table at an address: none but these may be read.
pub fn choice<R: Name>(
    side: &mut Side<'_, R>,
    entries: &[(TermId, TermId)],
    bank: u8,
    at: TermId,
) -> Result<TermId, Trap> {
    let d = side.inputs.terms;
    let Some((first, rest)) = entries.split_first().filter(|_| entries.len() <= MOST_ENTRIES) else {
        return refused(side, Target::BankAddress { bank });
    };
    let mut value = first.1;
    let mut inside = d.eq(&at, &first.0);
    for (place, entry) in rest {
        let here = d.eq(&at, place);
        inside = d.or(&inside, &here);
        value = d.ite(&here, entry, &value);
    }
    let outside = side.inputs.normal.of(d.and(&side.happens(), &d.not(&inside)));
    if side.inputs.known(outside) != Some(0) {
        side.log.demands.push((outside, side.place));
    }
    Ok(value)
}

/// Whether its chip has a unit for barrier objects; one that is not known is taken for one of the newest.
pub fn has_barrier_unit(cubin: &Cubin) -> bool {
    Chip::from_number(cubin.sm).is_none_or(Chip::has_barrier_unit)
}
