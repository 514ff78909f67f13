//! Generic addresses of memory that has a window: shared and local memory, constants, parameters of the entry.
//!
//! Such an address is that of the window's first byte and the address in the space (PTX ISA, "cvta"). Where shared memory's window begins
//! is a multiple of 2³², of which `SR_SWINHI` is the high word; where the others begin stands in constant bank 0. Here each is a variable, common
//! to both sides: a generic access belongs to the window whose variable its address is made of. That this is so for every input is asked,
//! not guessed: the address without the window, plus the window, has to be the address.

use crate::assumption::Assumption;
use crate::inputs::Inputs;
use crate::obstacle::memory::Memory;
use crate::trace::action::Action;
use crate::trace::event::name;
use crate::trace::path::Name;
use crate::trace::side::Side;
use rustc_hash::FxHashMap;
use sassafras_semantics::{Access, CompareOp, Domain, Ordering, Space, SystemCall, TermId, Trap};

/// Spaces that have windows.
const WINDOWS: [Space; 4] = [Space::Shared, Space::Local, Space::Const, Space::Param];

/// Whether a variable is what a call for memory gave: that is global memory, or null.
fn is_memory(inputs: &Inputs<'_>, variable: TermId) -> bool {
    inputs.yielded_by(variable).is_some_and(|what| what == Action::Call(SystemCall::Malloc))
}

fn refused<R: Name, T>(side: &Side<'_, R>, obstacle: Memory) -> Result<T, Trap> {
    Err(side.inputs.held.trap(obstacle))
}

/// Of a space without generic addresses one is asked for.
fn without_window<T>(asked: &str, space: Space) -> Result<T, Trap> {
    Err(Trap::Unsupported(format!("{asked} {} memory", name(space))))
}

/// The variable that a window is made of: the high word of shared memory's, the whole of others.
fn variable(inputs: &Inputs<'_>, space: Space) -> TermId {
    let width = if space == Space::Shared { 32 } else { 64 };
    inputs.variable(&format!("window.{}", name(space)), width, true)
}

/// The generic address of a window's first byte, 64 bits.
pub fn base(inputs: &Inputs<'_>, space: Space) -> TermId {
    let variable = variable(inputs, space);
    if space == Space::Shared {
        inputs.terms.concat(&variable, &inputs.terms.constant(32, 0))
    } else {
        variable
    }
}

/// The generic address of the last byte of the entry's parameters, 64 bits: they take less than 2^16 bytes (PTX ISA, "Kernel Function Parameters").
pub fn last_parameter(inputs: &Inputs<'_>) -> TermId {
    let bytes = parameter_bytes(inputs);
    inputs.terms.add(&base(inputs, Space::Param), &inputs.terms.zext(&bytes, 64))
}

/// How far the last byte of the entry's parameters is from the first, 16 bits.
pub fn parameter_bytes(inputs: &Inputs<'_>) -> TermId {
    inputs.variable("window.param.last", 16, true)
}

/// A-ADDR: windows lie in memory as a whole. One bit each, of those that some terms are made of.
pub fn assumptions(inputs: &Inputs<'_>, terms: &[TermId]) -> Vec<TermId> {
    let d = inputs.terms;
    let free = d.free(terms);
    let most = d.constant(64, (1u128 << 64) - (1 << 32));
    let used = WINDOWS.into_iter().filter(|s| *s != Space::Shared && free.contains(&variable(inputs, *s)));
    used.map(|s| d.compare(CompareOp::ULe, &base(inputs, s), &most)).collect()
}

/// The generic address of an address in a space, 64 bits.
///
/// # Errors
/// Spaces that have no generic addresses.
pub fn to_generic<R: Name>(side: &mut Side<'_, R>, space: Space, address: TermId) -> Result<TermId, Trap> {
    let d = side.inputs.terms;
    match space {
        Space::Global | Space::Generic => Ok(address),
        Space::Shared | Space::Local | Space::Const | Space::Param => {
            side.log.assumed.insert(Assumption::Addr);
            side.log.generic.windows = true;
            let low = d.extract(&address, 0, 32);
            Ok(match space {
                Space::Shared => d.concat(&variable(side.inputs, space), &low),
                _ => d.add(&base(side.inputs, space), &d.zext(&low, 64)),
            })
        }
        other => without_window("cvta of", other),
    }
}

/// The address in a space of a generic address that lies in it, 64 bits.
///
/// # Errors
/// Spaces that have no generic addresses.
pub fn from_generic<R: Name>(side: &mut Side<'_, R>, space: Space, address: TermId) -> Result<TermId, Trap> {
    match space {
        Space::Global | Space::Generic => Ok(address),
        Space::Shared | Space::Local | Space::Const | Space::Param => {
            side.log.assumed.insert(Assumption::Addr);
            Ok(within(side.inputs, space, address))
        }
        other => without_window("cvta.to of", other),
    }
}

/// The low word of a generic address counted from a window, 64 bits.
fn within(inputs: &Inputs<'_>, space: Space, address: TermId) -> TermId {
    let d = inputs.terms;
    let low = |t: &TermId| d.extract(t, 0, 32);
    let offset = match space {
        Space::Shared => low(&address),
        _ => d.sub(&low(&address), &low(&base(inputs, space))),
    };
    d.zext(&offset, 64)
}

/// Whether a generic address is less than 2³² behind a window's first byte.
fn near(inputs: &Inputs<'_>, space: Space, address: TermId) -> TermId {
    let d = inputs.terms;
    let high = |t: &TermId| d.extract(t, 32, 32);
    match space {
        Space::Shared => d.eq(&high(&address), &variable(inputs, space)),
        _ => d.eq(&high(&d.sub(&address, &base(inputs, space))), &d.constant(32, 0)),
    }
}

/// Whether a generic address lies in the window of a space. That of constants ends where the module's do, that of parameters where the launch
/// says.
///
/// # Errors
/// Spaces that have no generic addresses.
pub fn lies_in<R: Name>(side: &mut Side<'_, R>, space: Space, address: TermId) -> Result<TermId, Trap> {
    let (inputs, d) = (side.inputs, side.inputs.terms);
    let constants = d.constant(64, side.reading.constants.into());
    let inside = |space: Space| match space {
        Space::Const => {
            let first = base(inputs, space);
            let from = d.compare(CompareOp::ULe, &first, &address);
            d.and(&from, &d.compare(CompareOp::ULt, &address, &d.add(&first, &constants)))
        }
        Space::Param => {
            let from = d.compare(CompareOp::ULe, &base(inputs, space), &address);
            d.and(&from, &d.compare(CompareOp::ULe, &address, &last_parameter(inputs)))
        }
        _ => near(inputs, space, address),
    };
    let result = match space {
        Space::Shared | Space::Local | Space::Const | Space::Param => inside(space),
        // In none of the windows that others have.
        Space::Global => [Space::Shared, Space::Local, Space::Const]
            .into_iter()
            .fold(d.yes(), |all, s| d.and(&all, &d.not(&inside(s)))),
        other => return without_window("whether a generic address lies in", other),
    };
    side.log.assumed.insert(Assumption::Addr);
    side.log.generic.windows = true;
    Ok(result)
}

/// Whether a free term is part of the launch, the place of a variable in global memory, or of what `malloc` gave: the host knows no
/// address of a window (A-ADDR). What memory holds or others answer may be one.
fn is_of_launch(inputs: &Inputs<'_>, free: TermId) -> bool {
    let of = inputs.input_of(free).is_some_and(|input| input.knows_no_window());
    of || is_memory(inputs, free)
}

/// The space of a generic access, and its address there, 64 bits.
///
/// # Errors
/// An address that is made of two windows.
pub fn place<R: Name>(side: &mut Side<'_, R>, address: TermId) -> Result<(Space, TermId), Trap> {
    let (inputs, d) = (side.inputs, side.inputs.terms);
    side.log.assumed.insert(Assumption::Addr);
    let free = d.free(&[address]);
    let mut found = WINDOWS.into_iter().filter(|s| free.contains(&variable(inputs, *s)));
    let Some(space) = found.next() else {
        side.log.generic.open |= free.iter().any(|v| !is_of_launch(inputs, *v));
        return Ok((Space::Global, address));
    };
    if found.next().is_some() {
        return refused(side, Memory::TwoWindows {});
    }
    let without = without(inputs, address, variable(inputs, space));
    let wrong = d.not(&d.eq(&address, &d.add(&without, &base(inputs, space))));
    let outside = d.not(&near(inputs, space, address));
    let happens = side.happens();
    let of = |wrong: TermId| inputs.normal.of(d.and(&happens, &wrong));
    side.log.demands.push((of(wrong), side.place));
    let outside = of(outside);
    if side.who == "source" {
        // A-UB: what is made of an address in the window stays in it.
        side.log.undefined.push(outside);
    } else {
        side.log.demands.push((outside, side.place));
    }
    Ok((space, inputs.normal.of(within(inputs, space, address))))
}

/// A load as one of a space, with its address there; and whether it was a generic one of memory that nobody writes.
///
/// # Errors
/// An address that is made of two windows; a load of constants or parameters that is not weak.
pub fn load<R: Name>(
    side: &mut Side<'_, R>,
    access: &Access,
    address: TermId,
) -> Result<(Access, TermId, bool), Trap> {
    if access.space != Space::Generic {
        return Ok((*access, address, false));
    }
    let (space, address) = place(side, side.inputs.normal.of(address))?;
    let fixed = matches!(space, Space::Const | Space::Param);
    if fixed && access.ordering != Ordering::Weak {
        let (ordering, space) = (format!("{:?}", access.ordering).into(), name(space).into());
        return refused(side, Memory::FixedOrdering { ordering, space });
    }
    Ok((Access { space, ..*access }, address, fixed))
}

/// A term with zero for a variable.
fn without(inputs: &Inputs<'_>, term: TermId, variable: TermId) -> TermId {
    let zero = inputs.terms.constant(inputs.terms.width_of(variable), 0);
    with(inputs, term, variable, zero)
}

/// A term with another for a variable.
pub fn with(inputs: &Inputs<'_>, term: TermId, variable: TermId, value: TermId) -> TermId {
    let d = inputs.terms;
    let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
    map.insert(variable, value);
    for id in d.topological(&[term]) {
        let node = d.node(id);
        if !map.contains_key(&id) {
            let made = if node.is_free() { id } else { d.make(node.map(|o| map[&o]), d.width_of(id)) };
            map.insert(id, made);
        }
    }
    inputs.normal.of(map[&term])
}
