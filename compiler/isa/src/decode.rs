//! From a word to its instruction, closed by default.

use crate::control::{Control, Guard};
use crate::form::{Form, FormId, Test};
use crate::inst::{INLINE, Inst};
use crate::plan::{Check, Plan};
use crate::table::{self, Known};
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

/// What a word says besides the values of its fields.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub row: &'static Form,
    pub plan: &'static Plan,
    /// As [`Plan::off`].
    pub off: u64,
}

/// The instruction of a word. Every bit of the word is accounted for: `encode` gives the same word back.
pub fn decode(word: u128, chip: Chip) -> Result<Inst, DecodeError> {
    let mut fields = SmallVec::new();
    let found = find(word, chip, |candidate| {
        let count = candidate.plan.takes.len();
        fields = if count <= INLINE {
            SmallVec::from_buf_and_len([0; INLINE], count)
        } else {
            SmallVec::from_elem(0, count)
        };
        fill(word, candidate, chip, &mut fields)
    });
    match found {
        Ok((Known { form, row, .. }, _)) => {
            Ok(Inst { form: *form, guard: guard(word, row), fields, control: control(word) })
        }
        Err(error) => Err(*error),
    }
}

/// Most fields that a form has.
pub(crate) const FIELDS: usize = 64;

/// As [`decode`], with the fields put where the caller says.
#[inline]
pub(crate) fn decode_into(word: u128, chip: Chip, values: &mut [u64; FIELDS]) -> Result<Head, DecodeError> {
    let found =
        find(word, chip, |candidate| fill(word, candidate, chip, &mut values[..candidate.plan.takes.len()]));
    match found {
        Ok((Known { row, plan, .. }, off)) => Ok(Head { row, plan, off }),
        Err(error) => Err(*error),
    }
}

/// The guard of a word of this form.
#[inline]
pub(crate) fn guard(word: u128, row: &Form) -> Guard {
    Guard { pred: (word >> 12 & 7) as u32, negate: word >> 15 & 1 == 1, uniform: row.uniform_guard }
}

/// The control bits of a word.
#[inline]
pub(crate) fn control(word: u128) -> Control {
    Control::from_bits((word >> 105) as u32)
}

/// Tries the forms that a word may be; gives the first that `fill` takes, and what it gave. Errors are boxed so that what is right fits
/// into registers.
#[inline]
fn find(
    word: u128,
    chip: Chip,
    mut fill: impl FnMut(&Known) -> Result<u64, Box<DecodeError>>,
) -> Result<(&'static Known, u64), Box<DecodeError>> {
    let mut refused = None;
    for candidate in table::candidates(word as u16 & 0xfff, chip) {
        if (word ^ candidate.value) & candidate.mask != 0 {
            continue;
        }
        let known = candidate.known(chip);
        if (word ^ known.value) & known.mask != 0 {
            continue;
        }
        // Two forms may differ by a field value that one of them does not have.
        match fill(known) {
            Ok(off) => return Ok((known, off)),
            Err(error) if matches!(*error, DecodeError::Value { .. }) => refused = refused.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(refused.unwrap_or_else(|| Box::new(closest(word, chip))))
}

/// What is wrong with a word that has no form: the form that differs in the fewest bits, and the first of them.
#[cold]
fn closest(word: u128, chip: Chip) -> DecodeError {
    let opcode = word as u16 & 0xfff;
    let off = |c: &&Known| (word ^ c.value) & c.mask;
    let all = table::candidates(opcode, chip).iter().map(|c| c.known(chip));
    match all.min_by_key(|c| off(c).count_ones()) {
        None => DecodeError::Opcode { chip, opcode },
        Some(candidate) => {
            let bit = off(&candidate).trailing_zeros() as u8;
            DecodeError::Bit { chip, form: candidate.form, bit, set: word >> bit & 1 == 1 }
        }
    }
}

/// Fills in the fields, as many as the form has, and gives what [`Plan::off`] does. The guard and the control bits are looked at again
/// where they are wanted: what is put together byte by byte is slow to be moved.
fn fill(word: u128, candidate: &Known, chip: Chip, values: &mut [u64]) -> Result<u64, Box<DecodeError>> {
    let Known { form, row, plan, .. } = *candidate;
    let control = control(word);
    if let Some(message) = control.fault() {
        return Err(Box::new(DecodeError::Control { form, message }));
    }
    let wide = chip.uniform_field_bits() == 8;
    let taken = plan.take(word, wide, &row.fields, values);
    if taken.illegal != 0 {
        return Err(no_value(word, form, taken.illegal.trailing_zeros() as usize));
    }
    let off = taken.off;
    let reusable = || crate::inst::reusable(row, plan, values, off);
    if let Some(message) = crate::encode::limits(row.control, control, reusable) {
        return Err(Box::new(DecodeError::Control { form, message }));
    }
    if !plan.denied.is_empty() {
        let denied = |checks: &Vec<Check>| checks.iter().all(|check| check.holds(values, off));
        if let Some(at) = plan.denied.iter().position(denied) {
            return Err(combination(form, &row.denied[at]));
        }
    }
    Ok(off)
}

#[cold]
fn no_value(word: u128, form: FormId, i: usize) -> Box<DecodeError> {
    let field = &form.get().fields[i];
    let value = table::plan(form).fields[i].raw(word);
    Box::new(DecodeError::Value { form, field: field.name, bits: field.bits.clone(), value })
}

#[cold]
fn combination(form: FormId, tests: &[Test]) -> Box<DecodeError> {
    let row = form.get();
    let bits = tests.iter().flat_map(|test| match *test {
        Test::Given(i) | Test::Absent(i) | Test::PowerOfTwo(i) | Test::Is(i, _) | Test::IsNot(i, _) => {
            row.fields[i].bits.clone()
        }
    });
    let mut bits: Vec<u8> = bits.collect();
    bits.sort_unstable();
    Box::new(DecodeError::Denied { form, bits, fields: crate::describe::condition(row, tests) })
}
