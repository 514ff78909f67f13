//! What decoding, encoding and printing ask of a form for every word, worked out once.

use crate::form::{FieldKind, Form, RegClass};
use smallvec::SmallVec;

/// A run of bits that stand together in the word: where they begin there, how many, and where in the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    place: u8,
    mask: u64,
    shift: u8,
    half: Half,
}

/// Where a run lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Half {
    Low,
    High,
    Both,
}

/// One field's share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FieldPlan {
    runs: SmallVec<[Run; 2]>,
    /// Number of bits.
    pub width: u32,
    /// Whether the field is 8 bits wide on chips with wide uniform registers.
    pub uniform: bool,
    /// The value in an instruction where nothing is said.
    pub default: u64,
    /// The fields that go with this one: `a.neg` with `a`.
    pub flags: SmallVec<[u8; 4]>,
}

/// One form's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    pub fields: Vec<FieldPlan>,
}

impl FieldPlan {
    /// The field's bits in the word, as they stand there.
    #[inline]
    pub fn raw(&self, word: u128) -> u64 {
        let (low, high) = (word as u64, (word >> 64) as u64);
        self.runs.iter().fold(0, |value, run| {
            // Nearly every run lies in one half.
            let bits = match run.half {
                Half::Low => low >> run.place,
                Half::High => high >> (run.place - 64),
                Half::Both => (word >> run.place) as u64,
            };
            value | (bits & run.mask) << run.shift
        })
    }

    /// The reverse of [`FieldPlan::raw`]; the value must fit.
    #[inline]
    pub fn put(&self, raw: u64) -> u128 {
        self.runs.iter().fold(0, |word, run| word | u128::from(raw >> run.shift & run.mask) << run.place)
    }
}

impl Plan {
    pub fn new(form: &Form) -> Plan {
        let fields = form.fields.iter().enumerate().map(|(i, field)| {
            let mut runs: SmallVec<[(u8, u32, u8); 2]> = SmallVec::new();
            for (shift, &bit) in field.bits.iter().enumerate() {
                match runs.last_mut() {
                    Some((place, count, _)) if u32::from(*place) + *count == u32::from(bit) => *count += 1,
                    _ => runs.push((bit, 1, shift as u8)),
                }
            }
            let runs = runs
                .into_iter()
                .map(|(place, count, shift)| {
                    let half = match (place, u32::from(place) + count) {
                        (64.., _) => Half::High,
                        (_, ..=64) => Half::Low,
                        _ => Half::Both,
                    };
                    Run { place, mask: u64::MAX >> (64 - count), shift, half }
                })
                .collect();
            let flags = (i + 1..form.fields.len())
                .filter(|&j| {
                    let rest = form.fields[j].name.strip_prefix(field.name);
                    rest.is_some_and(|rest| rest.starts_with('.'))
                })
                .map(|j| j as u8)
                .collect();
            FieldPlan {
                runs,
                width: field.bits.len() as u32,
                uniform: matches!(field.kind, FieldKind::Register { class: RegClass::UR, .. }),
                default: field.default,
                flags,
            }
        });
        Plan { fields: fields.collect() }
    }
}
