//! From a word to its instruction, closed by default.

use crate::control::{Control, Guard};
use crate::form::{FormId, Test};
use crate::inst::{INLINE, Inst};
use crate::plan::Check;
use crate::table::{self, Candidate};
use sassafras_chip::Chip;
use smallvec::SmallVec;

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
    let mut refused = None;
    for candidate in table::candidates(word as u16 & 0xfff, chip) {
        if (word ^ candidate.value) & candidate.mask != 0 {
            continue;
        }
        // Two forms may differ by a field value that one of them does not have.
        match fill(word, candidate, chip) {
            Err(error @ DecodeError::Value { .. }) => refused = refused.or(Some(error)),
            done => return done,
        }
    }
    Err(refused.unwrap_or_else(|| closest(word, chip)))
}

/// What is wrong with a word that has no form: the form that differs in the fewest bits, and the first of them.
fn closest(word: u128, chip: Chip) -> DecodeError {
    let opcode = word as u16 & 0xfff;
    let off = |c: &Candidate| (word ^ c.value) & c.mask;
    match table::candidates(opcode, chip).iter().min_by_key(|c| off(c).count_ones()) {
        None => DecodeError::Opcode { chip, opcode },
        Some(candidate) => {
            let bit = off(candidate).trailing_zeros() as u8;
            DecodeError::Bit { chip, form: candidate.form, bit, set: word >> bit & 1 == 1 }
        }
    }
}

fn fill(word: u128, candidate: &Candidate, chip: Chip) -> Result<Inst, DecodeError> {
    let Candidate { form, row, plan, .. } = *candidate;
    let guard =
        Guard { pred: (word >> 12 & 7) as u32, negate: word >> 15 & 1 == 1, uniform: row.uniform_guard };
    let control = Control::from_bits((word >> 105) as u32);
    if let Some(message) = control.fault() {
        return Err(DecodeError::Control { form, message });
    }
    let wide = chip.uniform_field_bits() == 8;
    let count = plan.takes.len();
    let mut fields = if count <= INLINE {
        SmallVec::from_buf_and_len([0; INLINE], count)
    } else {
        SmallVec::from_elem(0, count)
    };
    for (i, (slot, take)) in fields.iter_mut().zip(&plan.takes).enumerate() {
        match take.value(word, wide, &row.fields[i], &plan.fields[i]) {
            (_, Some(value)) => *slot = value,
            (raw, None) => {
                let field = &row.fields[i];
                let (name, bits) = (field.name, field.bits.clone());
                return Err(DecodeError::Value { form, field: name, bits, value: raw });
            }
        }
    }
    let inst = Inst { form, guard, fields, control };
    if let Some(message) = crate::encode::limits(&inst) {
        return Err(DecodeError::Control { form, message });
    }
    if !plan.denied.is_empty() {
        let off = plan.off(&inst.fields);
        let denied = |checks: &Vec<Check>| checks.iter().all(|check| check.holds(&inst.fields, off));
        if let Some(at) = plan.denied.iter().position(denied) {
            return Err(combination(form, &row.denied[at]));
        }
    }
    Ok(inst)
}

fn combination(form: FormId, tests: &[Test]) -> DecodeError {
    let row = form.get();
    let bits = tests.iter().flat_map(|test| match *test {
        Test::Given(i) | Test::Absent(i) | Test::PowerOfTwo(i) | Test::Is(i, _) | Test::IsNot(i, _) => {
            row.fields[i].bits.clone()
        }
    });
    let mut bits: Vec<u8> = bits.collect();
    bits.sort_unstable();
    DecodeError::Denied { form, bits, fields: crate::describe::condition(row, tests) }
}
