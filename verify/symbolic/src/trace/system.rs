//! Calls of functions that the driver resolves ([`SystemCall`]): events that others see, with all operands.
//!
//! `vprintf` finds its arguments in a buffer of the thread's own memory. Where that lies is each compiler's own: in place of the pointer the event
//! has the words that lie there, up to as many bytes as the largest local variable of the source has. No call reads beyond the variable that
//! it is given (A-UB); what lies behind it is undefined in the source, so that the target may have anything there.

use crate::assumption::Assumption;
use crate::obstacle::target::Target;
use crate::trace::action::Action;
use crate::trace::path::Name;
use crate::trace::side::Side;
use crate::trace::window;
use sassafras_semantics::{CompareOp, Domain, Space, SystemCall, TermId, Trap};

/// Most bytes of local memory that a buffer may lie in.
const MOST: u32 = 1024;
/// Bytes of a word.
const WORD: u32 = 4;

/// A call by the lanes here; its result, if it has one. `room`: bytes of the source's largest local variable. A call that does not come
/// back leaves no lanes here.
///
/// # Errors
/// A buffer that lies among too much local memory, or in one window or another.
pub fn perform<R: Name>(
    side: &mut Side<'_, R>,
    call: SystemCall,
    operands: &[TermId],
    room: u32,
) -> Result<Option<TermId>, Trap> {
    let mut seen = operands.to_vec();
    if call == SystemCall::Vprintf
        && let Some(pointer) = seen.get_mut(1)
    {
        let words;
        (*pointer, words) = buffer(side, *pointer, room)?;
        seen.extend(words);
    }
    side.log.assumed.insert(Assumption::Call);
    let widths: Vec<u32> = call.result().into_iter().collect();
    let results = side.event(Action::Call(call), &seen, &widths, true);
    if !call.returns() {
        side.trap();
    }
    Ok(results.first().copied())
}

/// What stands for a pointer to a buffer, and the words that it points to if these are the thread's own.
fn buffer<R: Name>(
    side: &mut Side<'_, R>,
    pointer: TermId,
    room: u32,
) -> Result<(TermId, Vec<TermId>), Trap> {
    let (inputs, d) = (side.inputs, side.inputs.terms);
    let pointer = inputs.normal.of(pointer);
    let (space, address) = window::place(side, pointer)?;
    if space != Space::Local {
        return Ok((pointer, Vec::new()));
    }
    if room > MOST {
        return Err(inputs.held.trap(Target::Buffer { room }));
    }
    let low = d.extract(&address, 0, 32);
    let mut words = Vec::new();
    for i in 0..room.div_ceil(WORD) {
        let at = d.add(&low, &d.constant(32, (WORD * i).into()));
        let place = inputs.normal.of(d.zext(&at, 64));
        // One value for each word, whatever is known of it: a witness counts them.
        let first = match side.who {
            "source" => d.undef(8 * WORD, "local memory that was not written"),
            who => inputs.memory(who, d.constant(32, 0), place, WORD),
        };
        let value = side.own(place, WORD, first)?;
        words.push(if side.machine { value } else { within(side, low, at, value, first) });
    }
    Ok((d.constant(64, 0), words))
}

/// A word of the source where it lies in the variable that the pointer `from` is of; `open` elsewhere.
fn within<R: Name>(side: &Side<'_, R>, from: TermId, at: TermId, value: TermId, open: TermId) -> TermId {
    let (inputs, d) = (side.inputs, side.inputs.terms);
    let inside = side.log.locals.iter().fold(d.no(), |any, (base, size)| {
        let Some(most) = size.checked_sub(WORD.into()) else { return any };
        let above =
            |t: &TermId, most: u64| d.compare(CompareOp::ULe, &d.sub(t, base), &d.constant(32, most.into()));
        d.or(&any, &d.and(&above(&from, *size), &above(&at, most)))
    });
    let inside = inputs.normal.of(inside);
    match inputs.known(inside) {
        Some(1) => value,
        Some(_) => open,
        None => d.ite(&inside, &value, &open),
    }
}
