//! Generic addresses of shared and local memory.
//!
//! The high word of such an address is that of the space's window, the low word the address in the space (PTX ISA, "cvta"; ptxas
//! makes one of `SR_SWINHI` or `SR_LWINHI` and the address). Here it is a variable of its own, common to both sides: a generic
//! access belongs to the window whose variable its address is made of. That this is so for every input is asked, not guessed: the
//! address without the window's word, plus that word, has to be the address.

use crate::inputs::Inputs;
use crate::side::{Name, Side, name};
use crate::verdict::Assumption;
use rustc_hash::FxHashMap;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, Space, TermId, Trap};

fn unsupported<T>(what: impl Into<String>) -> Result<T, Trap> {
    Err(Trap::Unsupported(what.into()))
}

/// The high word of a window, 32 bits.
fn window(inputs: &Inputs<'_>, space: Space) -> TermId {
    inputs.variable(&format!("window.{}", name(space)), 32, true)
}

/// The generic address of an address in a space, 64 bits.
///
/// # Errors
/// Spaces other than global, shared and local memory.
pub fn to_generic<R: Name>(side: &mut Side<'_, R>, space: Space, address: TermId) -> Result<TermId, Trap> {
    let d = side.inputs.terms;
    match space {
        Space::Global | Space::Generic => Ok(address),
        Space::Shared | Space::Local => {
            side.assumed.insert(Assumption::Addr);
            side.windows = true;
            Ok(d.concat(&window(side.inputs, space), &d.extract(&address, 0, 32)))
        }
        other => unsupported(format!("cvta of {} memory", name(other))),
    }
}

/// The address in a space of a generic address that lies in it, 64 bits.
///
/// # Errors
/// Spaces other than global, shared and local memory.
pub fn from_generic<R: Name>(side: &mut Side<'_, R>, space: Space, address: TermId) -> Result<TermId, Trap> {
    let d = side.inputs.terms;
    match space {
        Space::Global | Space::Generic => Ok(address),
        Space::Shared | Space::Local => {
            side.assumed.insert(Assumption::Addr);
            Ok(d.zext(&d.extract(&address, 0, 32), 64))
        }
        other => unsupported(format!("cvta.to of {} memory", name(other))),
    }
}

/// Whether a generic address lies in the window of a space.
///
/// # Errors
/// Spaces other than global, shared and local memory.
pub fn lies_in<R: Name>(side: &mut Side<'_, R>, space: Space, address: TermId) -> Result<TermId, Trap> {
    let d = side.inputs.terms;
    match space {
        Space::Shared | Space::Local => {
            side.assumed.insert(Assumption::Addr);
            side.windows = true;
            Ok(d.eq(&d.extract(&address, 32, 32), &window(side.inputs, space)))
        }
        // In none of the windows that others have.
        Space::Global => {
            side.assumed.insert(Assumption::Addr);
            side.windows = true;
            let high = d.extract(&address, 32, 32);
            let windows = [Space::Shared, Space::Local, Space::Const];
            Ok(windows
                .into_iter()
                .fold(d.yes(), |all, s| d.and(&all, &d.not(&d.eq(&high, &window(side.inputs, s))))))
        }
        other => unsupported(format!("whether a generic address lies in {} memory", name(other))),
    }
}

/// Whether a free term is part of the launch or the place of a variable in global memory: the host knows no address of a window
/// (A-ADDR). What memory holds or others answer may be one.
fn is_of_launch(inputs: &Inputs<'_>, free: TermId) -> bool {
    let Node::Variable(number) = inputs.terms.node(free) else { return false };
    let name = inputs.terms.name(number);
    let heads = ["param", "address.", "tid.", "ntid.", "ctaid.", "nctaid.", "laneid"];
    heads.iter().any(|h| name.starts_with(h))
}

/// The space of a generic access, and its address there, 64 bits.
///
/// # Errors
/// An address that is made of two windows.
pub fn place<R: Name>(side: &mut Side<'_, R>, address: TermId) -> Result<(Space, TermId), Trap> {
    let (inputs, d) = (side.inputs, side.inputs.terms);
    side.assumed.insert(Assumption::Addr);
    let free = d.free(&[address]);
    let mut found = [Space::Shared, Space::Local].into_iter().filter(|s| free.contains(&window(inputs, *s)));
    let Some(space) = found.next() else {
        side.generic |= free.iter().any(|v| !is_of_launch(inputs, *v));
        return Ok((Space::Global, address));
    };
    if found.next().is_some() {
        return unsupported("generic: an address in one window or another");
    }
    let high = window(inputs, space);
    let inside = d.concat(&high, &d.constant(32, 0));
    let without = without(inputs, address, high);
    let wrong = d.not(&d.eq(&address, &d.add(&without, &inside)));
    let outside = d.not(&d.eq(&d.extract(&address, 32, 32), &high));
    let happens = side.happens();
    let of = |wrong: TermId| inputs.normal.of(d.and(&happens, &wrong));
    side.demands.push((of(wrong), side.place));
    let outside = of(outside);
    if side.who == "source" {
        // A-UB: what is made of an address in the window stays in it.
        side.undefined.push(outside);
    } else {
        side.demands.push((outside, side.place));
    }
    Ok((space, d.zext(&d.extract(&address, 0, 32), 64)))
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
