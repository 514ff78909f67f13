//! What decoding, encoding and printing ask of a form for every word, worked out once.

use crate::form::{Field, FieldKind, Form, RegClass, Test};
use crate::print::Steps;
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
    /// The field and those that go with it, `a` and `a.neg`: a bit for each field of the form.
    pub whole: u64,
}

/// How a field is decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Take {
    /// Where the bits stand: in the low or the high half, or here and there, for which [`FieldPlan::raw`] is asked.
    half: Half,
    /// From which bit of the half on.
    place: u8,
    make: Make,
    mask: u64,
}

/// What becomes of the bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Make {
    /// The value.
    Same,
    /// A uniform register, of 8 bits on some chips.
    Uniform,
    /// A uniform register, of 8 bits on all chips of the form.
    Wide,
    /// 7 minus the value.
    Inverted,
    /// A value of this set, as long as it is below 64.
    Legal(u64),
    /// A value that the row has a text for.
    Listed,
    /// A number of so many bits, sign-extended, in this unit.
    Signed(u8, u8),
    /// A number in this unit.
    Scaled(u8),
}

/// A [`Test`] on the values of an instruction, and on which of them are not at their default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    /// One of these fields is not at its default.
    Given(u64),
    /// All of them are.
    Absent(u64),
    /// As in [`Test`].
    Is(u8, u64),
    /// As in [`Test`].
    IsNot(u8, u64),
    /// As in [`Test`].
    PowerOfTwo(u8),
}

/// The check that a test is.
pub(crate) fn check(test: &Test, fields: &[FieldPlan]) -> Check {
    match *test {
        Test::Given(i) => Check::Given(fields[i].whole),
        Test::Absent(i) => Check::Absent(fields[i].whole),
        Test::Is(i, value) => Check::Is(i as u8, value),
        Test::IsNot(i, value) => Check::IsNot(i as u8, value),
        Test::PowerOfTwo(i) => Check::PowerOfTwo(i as u8),
    }
}

impl Check {
    /// Whether it holds for these values; `off` is [`Plan::off`] of them.
    #[inline]
    pub fn holds(self, values: &[u64], off: u64) -> bool {
        match self {
            Check::Given(whole) => off & whole != 0,
            Check::Absent(whole) => off & whole == 0,
            Check::Is(i, value) => values[usize::from(i)] == value,
            Check::IsNot(i, value) => values[usize::from(i)] != value,
            Check::PowerOfTwo(i) => (values[usize::from(i)] as u32).is_power_of_two(),
        }
    }
}

/// The first seven bytes of a name and its length, so that most names differ by one comparison.
#[inline]
const fn tag(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let (mut tag, mut at) = (bytes.len() as u64, 0);
    while at < bytes.len() && at < 7 {
        tag = tag << 8 | bytes[at] as u64;
        at += 1;
    }
    tag
}

/// One form's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    /// The names of the fields, and of each what [`tag`] gives.
    names: Vec<&'static str>,
    tags: Vec<u64>,
    pub fields: Vec<FieldPlan>,
    /// How each field is decoded.
    pub takes: Vec<Take>,
    /// The default of each field.
    defaults: Vec<u64>,
    /// Whether a field names a place in code, so that the text depends on where the word stands.
    pub target: bool,
    /// As [`Form::denied`].
    pub denied: Vec<Vec<Check>>,
    /// The text.
    pub text: Steps,
    /// Other texts; the first whose checks all hold is the one.
    pub aliases: Vec<(Vec<Check>, Steps)>,
    /// The operands that may be reused: field, bit of the reuse control, and when the operand takes part.
    pub reuse: Vec<(u8, u8, Vec<Vec<Check>>)>,
    /// As [`Form::unreusable`].
    pub unreusable: Vec<(u8, Vec<Check>)>,
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
            let flags = (i + 1..form.fields.len()).filter(|&j| {
                let rest = form.fields[j].name.strip_prefix(field.name);
                rest.is_some_and(|rest| rest.starts_with('.'))
            });
            FieldPlan {
                runs,
                width: field.bits.len() as u32,
                uniform: field.narrow(),
                default: field.default,
                whole: flags.fold(1 << i, |whole, flag| whole | 1 << flag),
            }
        });
        let fields: Vec<FieldPlan> = fields.collect();
        let checks = |tests: &[Test]| tests.iter().map(|test| check(test, &fields)).collect::<Vec<Check>>();
        let steps = |syntax| Steps::new(form, syntax, &fields);
        let reuse = form.fields.iter().enumerate().filter_map(|(i, field)| {
            let bit = field.reuse.filter(|_| field.read)?;
            Some((i as u8, bit, field.shown.iter().map(|tests| checks(tests)).collect()))
        });
        Plan {
            names: form.fields.iter().map(|field| field.name).collect(),
            tags: form.fields.iter().map(|field| tag(field.name)).collect(),
            takes: form.fields.iter().zip(&fields).map(|(field, plan)| Take::new(field, plan)).collect(),
            defaults: fields.iter().map(|field| field.default).collect(),
            target: form.fields.iter().any(|field| matches!(field.kind, FieldKind::Target { .. })),
            denied: form.denied.iter().map(|tests| checks(tests)).collect(),
            text: steps(&form.syntax),
            aliases: form.aliases.iter().map(|(tests, syntax)| (checks(tests), steps(syntax))).collect(),
            reuse: reuse.collect(),
            unreusable: form.unreusable.iter().map(|(bit, tests)| (*bit, checks(tests))).collect(),
            fields,
        }
    }

    /// Index of the field with this name, as [`Form::field`]. Steps ask it many times a word, with names that are constants.
    #[inline]
    pub fn field(&self, name: &str) -> Option<usize> {
        let wanted = tag(name);
        let here = |(&tag, have): (&u64, &&str)| tag == wanted && (name.len() <= 7 || *have == name);
        self.tags.iter().zip(&self.names).position(here)
    }

    /// The fields that are not at their default, a bit for each.
    #[inline]
    pub fn off(&self, values: &[u64]) -> u64 {
        let pairs = values.iter().zip(&self.defaults).enumerate();
        pairs.fold(0, |off, (i, (value, default))| off | u64::from(value != default) << i)
    }
}

impl Take {
    fn new(field: &Field, plan: &FieldPlan) -> Take {
        let make = match field.kind {
            FieldKind::Register { class: RegClass::UR, .. } if field.narrow() => Make::Uniform,
            FieldKind::Register { class: RegClass::UR, .. } => Make::Wide,
            FieldKind::Register { inverted: true, .. } => Make::Inverted,
            FieldKind::Enum if field.texts.len() <= 64 => {
                let legal = field.texts.iter().enumerate().filter(|(_, text)| text.is_some());
                Make::Legal(legal.fold(0, |set, (i, _)| set | 1 << i))
            }
            FieldKind::Enum => Make::Listed,
            FieldKind::Signed { scale } | FieldKind::Target { scale } => {
                Make::Signed(field.bits.len() as u8, scale as u8)
            }
            FieldKind::Unsigned { scale } => Make::Scaled(scale as u8),
            FieldKind::ConstantOffset { .. } => Make::Scaled(4),
            _ => Make::Same,
        };
        match plan.runs[..] {
            [Run { place, mask, shift: 0, half: half @ (Half::Low | Half::High) }] => {
                Take { half, place: place & 63, make, mask }
            }
            _ => Take { half: Half::Both, place: 0, make, mask: 0 },
        }
    }

    /// The field's bits, and the value they stand for, if any does. `wide`: uniform registers have 8 bits.
    #[inline]
    pub fn value(&self, word: u128, wide: bool, field: &Field, plan: &FieldPlan) -> (u64, Option<u64>) {
        let raw = match self.half {
            Half::Low => word as u64 >> self.place & self.mask,
            Half::High => (word >> 64) as u64 >> self.place & self.mask,
            Half::Both => plan.raw(word),
        };
        let value = match self.make {
            Make::Same => raw,
            Make::Uniform if wide => {
                let raw = (word >> field.bits[0] & 0xff) as u64;
                crate::encode::wide(raw).unwrap_or(raw)
            }
            Make::Uniform => raw,
            Make::Wide => crate::encode::wide(raw).unwrap_or(raw),
            Make::Inverted => 7 - raw,
            Make::Legal(set) if set >> raw & 1 == 1 => raw,
            Make::Listed if field.texts[raw as usize].is_some() => raw,
            Make::Legal(_) | Make::Listed => return (raw, None),
            Make::Signed(bits, scale) => {
                let unused = 64 - u32::from(bits);
                ((raw << unused) as i64 >> unused).wrapping_mul(i64::from(scale)) as u64
            }
            Make::Scaled(scale) => raw * u64::from(scale),
        };
        (raw, Some(value))
    }
}
