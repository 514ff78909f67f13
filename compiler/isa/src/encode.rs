//! From an instruction to its word.

use crate::control::Control;
use crate::form::{ControlLimits, Field, FieldKind, FormId, RegClass};
use crate::inst::{Inst, VIRTUAL};
use crate::table;
use sassafras_chip::Chip;

/// Why an instruction has no word.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// The row is not known to hold on this chip.
    #[error("form `{form}` is not known on {chip}")]
    Chip {
        /// The form.
        form: FormId,
        /// The chip asked for.
        chip: Chip,
    },
    /// A field still names a virtual register.
    #[error("form `{form}`: `{field}` is the virtual register %v{number}")]
    Virtual {
        /// The form.
        form: FormId,
        /// The field.
        field: &'static str,
        /// Number of the virtual register.
        number: u64,
    },
    /// A value has no place in its field.
    #[error("form `{form}`: {value:#x} does not fit field `{field}` of {bits} bits")]
    DoesNotFit {
        /// The form.
        form: FormId,
        /// The field.
        field: &'static str,
        /// The value.
        value: u64,
        /// Width of the field in the word.
        bits: usize,
    },
    /// Values that each fit, but that no instruction has together.
    #[error("form `{form}`: no instruction has this combination of {fields}")]
    Denied {
        /// The form.
        form: FormId,
        /// The fields concerned.
        fields: String,
    },
    /// The guard or control bits are not legal.
    #[error("form `{form}`: {message}")]
    Control {
        /// The form.
        form: FormId,
        /// What is wrong.
        message: &'static str,
    },
}

/// The word of an instruction. A value that does not fit is an error, never cut off.
pub fn encode(inst: &Inst, chip: Chip) -> Result<u128, EncodeError> {
    let form = inst.form;
    if !form.get().chips.contains(chip) {
        return Err(EncodeError::Chip { form, chip });
    }
    word(inst, chip, true)
}

/// As [`encode`], for a chip on which the row may not have been verified, and without its own limits on control bits: for sweeps.
///
/// # Errors
/// As of [`encode`], but for the chip.
pub fn encode_anywhere(inst: &Inst, chip: Chip) -> Result<u128, EncodeError> {
    word(inst, chip, false)
}

/// As [`encode`], for a chip on which the row may not have been verified, and without the form's own limits on control
/// bits unless asked for.
pub(crate) fn word(inst: &Inst, chip: Chip, limited: bool) -> Result<u128, EncodeError> {
    let form = inst.form;
    let row = form.get();
    if u64::from(inst.guard.pred) >= VIRTUAL {
        let number = u64::from(inst.guard.pred) - VIRTUAL;
        return Err(EncodeError::Virtual { form, field: "guard", number });
    }
    if inst.guard.pred > 7 || inst.guard.uniform != row.uniform_guard {
        return Err(EncodeError::Control { form, message: "the guard is no predicate of the right file" });
    }
    let limits = || limits(row.control, inst.control, || inst.reusable()).filter(|_| limited);
    if let Some(message) = inst.control.fault().or_else(limits) {
        return Err(EncodeError::Control { form, message });
    }
    if let Some(tests) = row.denied.iter().find(|tests| tests.iter().all(|test| inst.test(test))) {
        return Err(EncodeError::Denied { form, fields: crate::describe::condition(row, tests) });
    }
    let mut word = row.value;
    word |= u128::from(inst.guard.pred) << 12 | u128::from(inst.guard.negate) << 15;
    word |= u128::from(inst.control.bits()) << 105;
    for ((field, plan), &value) in row.fields.iter().zip(&table::plan(form).fields).zip(&inst.fields) {
        let register = matches!(field.kind, FieldKind::Register { .. });
        if register && value >= VIRTUAL {
            return Err(EncodeError::Virtual { form, field: field.name, number: value - VIRTUAL });
        }
        if plan.uniform && chip.uniform_field_bits() == 8 {
            word |= u128::from(wide(value).filter(|v| *v < 256).ok_or(EncodeError::DoesNotFit {
                form,
                field: field.name,
                value,
                bits: 8,
            })?) << field.bits[0];
            continue;
        }
        let raw = raw(field, value).ok_or(EncodeError::DoesNotFit {
            form,
            field: field.name,
            value,
            bits: field.bits.len(),
        })?;
        word |= plan.put(raw);
    }
    Ok(word)
}

/// The number of a uniform register in a field of 8 bits, and the reverse: there URZ is 255, which is 63 here, and so the
/// register 63 is 255 here.
pub(crate) fn wide(value: u64) -> Option<u64> {
    match value {
        63 => Some(255),
        255 => Some(63),
        0..=255 => Some(value),
        _ => None,
    }
}

/// What the form does not allow in the control bits. `reusable` as [`Inst::reusable`].
#[inline]
pub(crate) fn limits(
    limits: ControlLimits,
    control: Control,
    reusable: impl FnOnce() -> u8,
) -> Option<&'static str> {
    if control.write_barrier != 7 && !limits.write_barrier {
        return Some("the form sets no write barrier");
    }
    if control.read_barrier != 7 && !limits.read_barrier {
        return Some("the form sets no read barrier");
    }
    if control.wait_mask != 0 && !limits.wait {
        return Some("the form waits for no scoreboard");
    }
    match control {
        Control { reuse: 0, .. } => None,
        Control { yield_: false, reuse, stall, .. } if limits.runs => match (reuse, stall) {
            (6.., _) => Some("bits 123 and 124 are not set together without bit 109"),
            (_, 0) => Some("bits 122 to 124 need a stall"),
            (_, _) => None,
        },
        Control { yield_: false, .. } => Some("reuse needs bit 109"),
        Control { reuse, .. } => (reuse & !reusable() != 0).then_some("there is no operand to reuse there"),
    }
}

/// The bits of a field's value, if it has any.
fn raw(field: &Field, value: u64) -> Option<u64> {
    let width = field.bits.len() as u32;
    let fits = |raw: u64| (width == 64 || raw >> width == 0).then_some(raw);
    match field.kind {
        FieldKind::Register { inverted: true, .. } => 7u64.checked_sub(value),
        FieldKind::Register { class: RegClass::B, .. } => fits(value),
        FieldKind::Register { class: RegClass::UR, .. } if width == 8 => wide(value).and_then(fits),
        FieldKind::Enum => field.texts.get(usize::try_from(value).ok()?)?.map(|_| value),
        FieldKind::Signed { scale } | FieldKind::Target { scale } => {
            let value = value as i64;
            let units = value / scale as i64;
            let limit = 1i64 << (width - 1);
            (value % scale as i64 == 0 && (-limit..limit).contains(&units))
                .then_some(units as u64 & (u64::MAX >> (64 - width)))
        }
        FieldKind::Unsigned { scale } => value.is_multiple_of(scale).then(|| fits(value / scale)).flatten(),
        FieldKind::ConstantOffset { .. } => value.is_multiple_of(4).then(|| fits(value / 4)).flatten(),
        _ => fits(value),
    }
}
