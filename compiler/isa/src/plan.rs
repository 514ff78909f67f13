//! What decoding, encoding and printing ask of a form for every word, worked out once.

use crate::form::{Field, FieldKind, Form, RegClass, Test, Units};
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

/// How a field is decoded: cut out of the word, turned over, sign-extended, scaled, and held against a set. Every field is
/// taken in the same way, without a branch; what does not fit is in [`Plan::odd`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Take {
    /// From which bit on.
    place: u8,
    /// How far to the left and back, so that the sign spreads.
    unused: u8,
    /// Bits that stand in the word the other way.
    turned: u8,
    /// What one unit is worth.
    scale: u8,
    mask: u64,
    /// The legal values, as long as they are below 64.
    legal: u64,
    default: u64,
}

/// What is different about an odd field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Odd {
    /// Its bits stand here and there.
    Scattered,
    /// A uniform register of 8 bits.
    Wide,
    /// A value that the row has a text for, of more than 64.
    Listed,
}

/// Fields as a word has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// Those that are not at their default, a bit for each.
    pub off: u64,
    /// Those whose bits are no value, likewise.
    pub illegal: u64,
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

/// A field of registers that is read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Register {
    pub field: u8,
    pub name: &'static str,
    pub class: RegClass,
    pub read: bool,
    pub write: bool,
    /// As [`Field::shown`]; none where the field always takes part.
    pub shown: Option<Vec<Vec<Check>>>,
    /// How many registers it spans; none where that depends on other fields.
    pub units: Option<u8>,
}

impl Register {
    fn new(i: usize, field: &Field, fields: &[FieldPlan]) -> Option<Register> {
        let FieldKind::Register { class, .. } = field.kind else { return None };
        let all = |tests: &Vec<Test>| tests.iter().map(|test| check(test, fields)).collect();
        let always = field.shown.iter().any(Vec::is_empty);
        Some(Register {
            field: i as u8,
            name: field.name,
            class,
            read: field.read,
            write: field.write,
            shown: (!always).then(|| field.shown.iter().map(all).collect()),
            units: match field.units {
                Units::Fixed(units) => Some(units),
                Units::By { .. } => None,
            },
        })
    }
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
    /// Fields that have to be taken once more, on chips with narrow and with wide uniform registers.
    odd: [Vec<(u8, Odd)>; 2],
    /// The default of each field.
    defaults: Vec<u64>,
    /// The fields of registers: most fields are none.
    pub registers: Vec<Register>,
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
            odd: [false, true].map(|wide| {
                let each = form.fields.iter().zip(&fields).enumerate();
                each.filter_map(|(i, (field, plan))| Some((i as u8, odd(field, plan, wide)?))).collect()
            }),
            defaults: fields.iter().map(|field| field.default).collect(),
            registers: form
                .fields
                .iter()
                .enumerate()
                .filter_map(|(i, field)| Register::new(i, field, &fields))
                .collect(),
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

    /// The default of each field.
    pub fn defaults(&self) -> &[u64] {
        &self.defaults
    }

    /// Whether a field and those that go with it are at their defaults.
    pub fn at_default(&self, i: usize, values: &[u64]) -> bool {
        let mut rest = self.fields[i].whole;
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            if values[at] != self.defaults[at] {
                return false;
            }
            rest &= rest - 1;
        }
        true
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
        let whole = Take {
            place: plan.runs[0].place,
            unused: 0,
            turned: 0,
            scale: 1,
            mask: plan.runs[0].mask,
            legal: u64::MAX,
            default: field.default,
        };
        match field.kind {
            FieldKind::Register { inverted: true, .. } => Take { turned: 7, ..whole },
            FieldKind::Enum if field.texts.len() <= 64 => {
                let legal = field.texts.iter().enumerate().filter(|(_, text)| text.is_some());
                Take { legal: legal.fold(0, |set, (i, _)| set | 1 << i), ..whole }
            }
            FieldKind::Signed { scale } | FieldKind::Target { scale } => {
                Take { unused: 64 - field.bits.len() as u8, scale: scale as u8, ..whole }
            }
            FieldKind::Unsigned { scale } => Take { scale: scale as u8, ..whole },
            FieldKind::ConstantOffset { .. } => Take { scale: 4, ..whole },
            _ => whole,
        }
    }

    /// The value that the field's bits stand for, and whether it is one.
    #[inline]
    fn value(&self, raw: u64) -> (u64, bool) {
        let spread = ((raw ^ u64::from(self.turned)) << self.unused) as i64 >> self.unused;
        (spread.wrapping_mul(i64::from(self.scale)) as u64, self.legal >> (raw & 63) & 1 == 1)
    }
}

/// What is odd about a field on chips whose uniform registers are wide or not.
fn odd(field: &Field, plan: &FieldPlan, wide: bool) -> Option<Odd> {
    match field.kind {
        FieldKind::Register { class: RegClass::UR, .. } if wide || !field.narrow() => Some(Odd::Wide),
        FieldKind::Enum if field.texts.len() > 64 => Some(Odd::Listed),
        _ => (plan.runs.len() > 1).then_some(Odd::Scattered),
    }
}

impl Plan {
    /// Takes the fields of a word; as many values as the form has fields. `wide`: uniform registers have 8 bits.
    #[inline]
    pub fn take(&self, word: u128, wide: bool, fields: &[Field], values: &mut [u64]) -> Taken {
        let mut taken = Taken { off: 0, illegal: 0 };
        for (i, (take, value)) in self.takes.iter().zip(&mut *values).enumerate() {
            let raw = (word >> take.place) as u64 & take.mask;
            let (found, legal) = take.value(raw);
            *value = found;
            taken.off |= u64::from(found != take.default) << i;
            taken.illegal |= u64::from(!legal) << i;
        }
        for &(i, odd) in &self.odd[usize::from(wide)] {
            self.again(usize::from(i), odd, word, wide, fields, values, &mut taken);
        }
        taken
    }

    /// Takes an odd field.
    fn again(
        &self,
        i: usize,
        odd: Odd,
        word: u128,
        wide: bool,
        fields: &[Field],
        values: &mut [u64],
        taken: &mut Taken,
    ) {
        let (field, take) = (&fields[i], &self.takes[i]);
        let raw = match odd {
            Odd::Wide if wide && field.narrow() => (word >> field.bits[0] & 0xff) as u64,
            Odd::Wide | Odd::Listed | Odd::Scattered => self.fields[i].raw(word),
        };
        let (found, legal) = match odd {
            Odd::Wide => (crate::encode::wide(raw).unwrap_or(raw), true),
            Odd::Listed => (raw, field.texts.get(raw as usize).is_some_and(Option::is_some)),
            Odd::Scattered => take.value(raw),
        };
        values[i] = found;
        let bit = 1 << i;
        taken.off = taken.off & !bit | u64::from(found != take.default) << i;
        taken.illegal = taken.illegal & !bit | u64::from(!legal) << i;
    }
}
