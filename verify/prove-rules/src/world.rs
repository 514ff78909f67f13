//! What surrounds an instance: the values of its operands, memory as a list of events, and launch words.

use super::instance::{How, Instance};
use sassafras_semantics::matrix::split::products;
use sassafras_semantics::{
    Access, AtomicOp, Collective, CompareOp, Domain, Mma, Opaque, Ordering, Scope, Space, SpecialRegister,
    TermId, Terms,
};

/// Something a lane does besides computing. Loads and read-modify-writes give fresh values, named by their place in the list.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A load.
    Load(Access, TermId),
    /// A store of a value.
    Store(Access, TermId, TermId),
    /// A read-modify-write with operands.
    Atomic(Access, AtomicOp, TermId, Vec<TermId>),
    /// A fence.
    Fence(Ordering, Scope),
    /// Something of several lanes, with its arguments; member masks are left out, they are brought about before.
    Collective(Collective, Vec<TermId>),
    /// An opaque operation with its arguments.
    Opaque(Opaque, Vec<TermId>),
    /// Other lanes may run.
    Pause,
}

/// The value that event number `index` gives.
pub fn given(terms: &Terms, index: usize, what: &str, width: u32) -> TermId {
    terms.variable(&format!("event{index}.{what}"), width)
}

/// The registers of an integer product, as a sum of what smaller ones give.
pub fn product(terms: &Terms, mma: &Mma, args: &[TermId], events: &mut Vec<Event>) -> Option<Vec<TermId>> {
    let zero = terms.constant(32, 0);
    let is_zero = |factor: &TermId| terms.is_zero_in(*factor, 0, 32);
    let split = products(terms, mma, args, is_zero, |(small, [a, b])| {
        let index = events.len();
        events.push(Event::Collective(Collective::Mma(small), vec![a, b, zero, zero]));
        Ok::<_, std::convert::Infallible>([0, 1].map(|n| given(terms, index, &format!("result{n}"), 32)))
    });
    split.ok().flatten()
}

/// The value of an operand as its register or word holds it, without modifiers.
pub fn bare(terms: &Terms, instance: &Instance, name: &str) -> Option<TermId> {
    let &(width, how) = instance.operands.get(name)?;
    Some(match how {
        How::Register { zero: true, .. } => terms.constant(width, 0),
        How::Immediate(Some(bits)) => terms.constant(width, signed(width, bits)),
        How::Half { .. } => {
            let half = terms.variable(name, 16);
            if width == 32 { terms.concat(&half, &half) } else { half }
        }
        How::High => terms.concat(&terms.variable(name, 32), &terms.constant(32, 0)),
        _ => terms.variable(name, width),
    })
}

/// A 32-bit immediate at a width: as the low word of a wider value it is sign-extended.
fn signed(width: u32, bits: u64) -> u128 {
    if width > 32 { i128::from(bits as u32 as i32) as u128 } else { u128::from(bits) }
}

/// The value of an operand with its modifiers.
pub fn value(terms: &Terms, instance: &Instance, name: &str) -> Option<TermId> {
    let value = bare(terms, instance, name)?;
    let &(width, how) = instance.operands.get(name)?;
    let (negate, absolute) = match how {
        How::Register { negate, absolute, .. }
        | How::Half { negate, absolute, .. }
        | How::Bank { negate, absolute } => (negate, absolute),
        _ => (false, false),
    };
    if width == 1 {
        return Some(if negate { terms.not(&value) } else { value });
    }
    let sign = terms.constant(width, 1 << (width - 1));
    let value = if absolute { terms.and(&value, &terms.not(&sign)) } else { value };
    Some(if negate { terms.xor(&value, &sign) } else { value })
}

/// The generic address of the first byte of a window, 64 bits. The window of shared memory begins at a multiple of 2³², global
/// addresses are generic ones.
pub fn window(terms: &Terms, space: Space) -> TermId {
    match space {
        Space::Shared => terms.concat(&terms.variable("window.shared", 32), &terms.constant(32, 0)),
        Space::Local => terms.variable("window.local", 64),
        Space::Const => terms.variable("window.const", 64),
        Space::Param => terms.variable("window.param", 64),
        _ => terms.constant(64, 0),
    }
}

/// The last generic address of the kernel's parameters, 64 bits: they take less than 2^16 bytes (PTX ISA, "Kernel Function Parameters").
pub fn last_parameter(terms: &Terms) -> TermId {
    terms.add(&window(terms, Space::Param), &terms.zext(&parameter_bytes(terms), 64))
}

/// How far the last byte of the parameters is from the first, 16 bits.
pub fn parameter_bytes(terms: &Terms) -> TermId {
    terms.variable("window.param.last", 16)
}

/// Whether an address lies in a window: by the ends that the launch gives for parameters, else a function of window and
/// address that nothing else is known of.
pub fn inside(terms: &Terms, space: Space, address: TermId) -> TermId {
    if space == Space::Param {
        let from = terms.compare(CompareOp::ULe, &window(terms, space), &address);
        return terms.and(&from, &terms.compare(CompareOp::ULe, &address, &last_parameter(terms)));
    }
    terms.variable(&format!("inside.{space:?}.{address}"), 1)
}

/// A special register.
pub fn special(terms: &Terms, register: SpecialRegister) -> TermId {
    terms.variable(&format!("{register:?}"), register.width())
}
