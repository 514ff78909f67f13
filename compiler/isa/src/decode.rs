//! From a word to its instruction, closed by default.

use crate::control::{Control, Guard};
use crate::form::{Field, FieldKind, Form, FormId, Test};
use crate::inst::Inst;
use crate::table;
use sassafras_chip::Chip;

/// Why a word has no instruction.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// No row of this chip has bits 0 to 11.
    #[error("no form of {chip} has opcode {opcode:#05x} in bits 0-11")]
    Opcode {
        /// The chip.
        chip: Chip,
        /// Bits 0 to 11.
        opcode: u16,
    },
    /// Rows have the opcode; the closest differs at this bit.
    #[error("bit {bit} is {}: form `{form}` is the closest that {chip} has", u8::from(*set))]
    Bit {
        /// The chip.
        chip: Chip,
        /// The closest form.
        form: FormId,
        /// The first bit that differs.
        bit: u8,
        /// The bit's value in the word.
        set: bool,
    },
    /// A field holds a value that no instruction has.
    #[error("form `{form}`: bits {bits:?} hold {value}, which is no value of `{field}`")]
    Value {
        /// The form.
        form: FormId,
        /// The field.
        field: &'static str,
        /// Its place.
        bits: Vec<u8>,
        /// What stands there.
        value: u64,
    },
    /// Fields hold values that no instruction has together.
    #[error("form `{form}`: bits {bits:?}: no instruction has this combination of {fields}")]
    Denied {
        /// The bits of the fields, lowest first.
        bits: Vec<u8>,
        /// The form.
        form: FormId,
        /// The fields concerned.
        fields: String,
    },
    /// Control bits that no instruction has.
    #[error("form `{form}`: bits 105-127: {message}")]
    Control {
        /// The form.
        form: FormId,
        /// What is wrong.
        message: &'static str,
    },
}

/// The instruction of a word. Every bit of the word is accounted for: `encode` gives the same word back.
pub fn decode(word: u128, chip: Chip) -> Result<Inst, DecodeError> {
    let opcode = (word & 0xfff) as u16;
    let mut closest: Option<(u32, FormId)> = None;
    let mut refused = None;
    for &form in table::by_opcode(opcode) {
        let row = form.get();
        if !row.chips.contains(chip) {
            continue;
        }
        let off = (word ^ row.value) & row.mask_on(chip);
        if off == 0 {
            // Two forms may differ by a field value that one of them does not have.
            match fill(word, form, row, chip) {
                Err(error @ DecodeError::Value { .. }) => refused = refused.or(Some(error)),
                done => return done,
            }
            continue;
        }
        if closest.is_none_or(|(count, _)| off.count_ones() < count) {
            closest = Some((off.count_ones(), form));
        }
    }
    if let Some(error) = refused {
        return Err(error);
    }
    match closest {
        None => Err(DecodeError::Opcode { chip, opcode }),
        Some((_, form)) => {
            let row = form.get();
            let bit = ((word ^ row.value) & row.mask_on(chip)).trailing_zeros() as u8;
            Err(DecodeError::Bit { chip, form, bit, set: word >> bit & 1 == 1 })
        }
    }
}

fn fill(word: u128, form: FormId, row: &Form, chip: Chip) -> Result<Inst, DecodeError> {
    let guard =
        Guard { pred: (word >> 12 & 7) as u32, negate: word >> 15 & 1 == 1, uniform: row.uniform_guard };
    let control = Control::from_bits((word >> 105) as u32);
    if word >> 125 != 0 {
        return Err(DecodeError::Control { form, message: "bits 125-127 are not zero" });
    }
    if let Some(message) = control.fault() {
        return Err(DecodeError::Control { form, message });
    }
    let mut inst = Inst { form, guard, fields: Default::default(), control };
    for (field, plan) in row.fields.iter().zip(&table::plan(form).fields) {
        if plan.uniform && chip.uniform_field_bits() == 8 {
            let raw = (word >> field.bits[0] & 0xff) as u64;
            inst.fields.push(crate::encode::wide(raw).unwrap_or(raw));
            continue;
        }
        let raw = plan.raw(word);
        let value = value(field, raw).ok_or_else(|| DecodeError::Value {
            form,
            field: field.name,
            bits: field.bits.clone(),
            value: raw,
        })?;
        inst.fields.push(value);
    }
    if let Some(message) = crate::encode::limits(&inst) {
        return Err(DecodeError::Control { form, message });
    }
    match row.denied.iter().find(|tests| tests.iter().all(|test| inst.test(test))) {
        Some(tests) => {
            let mut bits: Vec<u8> = tests
                .iter()
                .flat_map(|test| match *test {
                    Test::Given(i)
                    | Test::Absent(i)
                    | Test::PowerOfTwo(i)
                    | Test::Is(i, _)
                    | Test::IsNot(i, _) => row.fields[i].bits.clone(),
                })
                .collect();
            bits.sort_unstable();
            Err(DecodeError::Denied { form, bits, fields: crate::describe::condition(row, tests) })
        }
        None => Ok(inst),
    }
}

fn value(field: &Field, raw: u64) -> Option<u64> {
    match field.kind {
        FieldKind::Register { inverted: true, .. } => Some(7 - raw),
        FieldKind::Enum => field.texts[raw as usize].map(|_| raw),
        FieldKind::Signed { scale } | FieldKind::Target { scale } => {
            let unused = 64 - field.bits.len() as u32;
            Some(((raw << unused) as i64 >> unused).wrapping_mul(scale as i64) as u64)
        }
        FieldKind::Unsigned { scale } => Some(raw * scale),
        FieldKind::ConstantOffset { .. } => Some(raw * 4),
        _ => Some(raw),
    }
}
