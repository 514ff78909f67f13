//! One instruction: a form and the values of its fields.

use crate::control::{Control, Guard};
use crate::form::{FieldKind, Form, FormId, Test, Units};
use crate::plan::{Check, Plan};
use crate::table;
use smallvec::SmallVec;

/// The general register that reads zero.
pub const RZ: u64 = 255;
/// The uniform register that reads zero, on chips up to sm_90.
pub const URZ: u64 = 63;
/// The predicate, or uniform predicate, that reads true.
pub const PT: u64 = 7;
/// First number of a virtual register. Register fields may hold such numbers before allocation; text shows them
/// as `%v0`, `%v1` …, and [`crate::encode`] rejects them.
pub const VIRTUAL: u64 = 0x1_0000;
/// As many values lie in the instruction itself; nearly every form has fewer.
pub(crate) const INLINE: usize = 16;

/// The form has no field of this name, or the field no value of this text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("form `{form}` has no field `{name}`{}", value.as_ref().map(|v| format!(" with value `{v}`")).unwrap_or_default())]
pub struct UnknownField {
    /// The form.
    pub form: FormId,
    /// The name asked for.
    pub name: String,
    /// The text asked for, when the field exists.
    pub value: Option<String>,
}

/// One instruction.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Inst {
    /// Its form.
    pub form: FormId,
    /// Its guard.
    pub guard: Guard,
    /// Values in the order of [`Form::fields`]: register numbers, enum indices, flags, immediates
    /// (signed ones sign-extended), byte offsets.
    pub fields: SmallVec<[u64; INLINE]>,
    /// Its control bits.
    pub control: Control,
}

// Derived, it would copy the values one by one.
impl Clone for Inst {
    fn clone(&self) -> Inst {
        let Inst { form, guard, fields, control } = self;
        Inst { form: *form, guard: *guard, fields: SmallVec::from_slice(fields), control: *control }
    }
}

impl Inst {
    /// An instruction of this form with every field at its default: RZ, URZ, PT, empty enums, guard PT, safe control.
    pub fn new(form: FormId) -> Inst {
        let row = form.get();
        Inst {
            form,
            guard: Guard { uniform: row.uniform_guard, ..Guard::ALWAYS },
            fields: SmallVec::from_slice(table::plan(form).defaults()),
            control: row.control.safe(),
        }
    }

    /// The row of the form.
    pub fn row(&self) -> &'static Form {
        self.form.get()
    }

    /// Value of a field; `None` when the form has no such field.
    pub fn get(&self, name: &str) -> Option<u64> {
        table::plan(self.form).field(name).map(|i| self.fields[i])
    }

    /// Sets a field. Whether the value fits is decided by [`crate::encode`].
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), UnknownField> {
        match table::plan(self.form).field(name) {
            Some(i) => {
                self.fields[i] = value;
                Ok(())
            }
            None => Err(UnknownField { form: self.form, name: name.to_owned(), value: None }),
        }
    }

    /// Sets a field, as [`Inst::set`], for instructions written out in code.
    pub fn try_with(mut self, name: &str, value: u64) -> Result<Inst, UnknownField> {
        self.set(name, value)?;
        Ok(self)
    }

    /// Sets a field of an instruction written out in code.
    ///
    /// # Panics
    /// When the form has no such field: the names are constants of the caller. Use [`Inst::try_with`] elsewhere.
    #[must_use]
    pub fn with(self, name: &str, value: u64) -> Inst {
        match self.try_with(name, value) {
            Ok(inst) => inst,
            Err(error) => panic!("{error}"),
        }
    }

    /// Sets an enum by text.
    ///
    /// # Panics
    /// When the form has no such field or text. Use [`Inst::set_enum`] elsewhere.
    #[must_use]
    pub fn with_enum(mut self, name: &str, text: &str) -> Inst {
        match self.set_enum(name, text) {
            Ok(()) => self,
            Err(error) => panic!("{error}"),
        }
    }

    /// Sets the guard predicate.
    #[must_use]
    pub fn guarded(mut self, pred: u32, negate: bool) -> Inst {
        self.guard.pred = pred;
        self.guard.negate = negate;
        self
    }

    /// Sets an enum field to the value with this text, as in `("cmp", ".GE")`; the empty text is a text too.
    pub fn set_enum(&mut self, name: &str, text: &str) -> Result<(), UnknownField> {
        let row = self.row();
        let unknown = |value| UnknownField { form: self.form, name: name.to_owned(), value };
        let i = row.field(name).ok_or_else(|| unknown(None))?;
        let value = row.fields[i].texts.iter().position(|t| *t == Some(text));
        self.fields[i] = value.ok_or_else(|| unknown(Some(text.to_owned())))? as u64;
        Ok(())
    }

    /// Text of an enum field's value.
    pub fn enum_text(&self, name: &str) -> Option<&'static str> {
        let row = self.row();
        let i = row.field(name)?;
        if row.fields[i].kind != FieldKind::Enum {
            return None;
        }
        row.fields[i].texts.get(usize::try_from(self.fields[i]).ok()?).copied().flatten()
    }

    /// Registers that the register field of this index spans.
    pub fn units(&self, field: usize) -> u8 {
        match &self.row().fields[field].units {
            Units::Fixed(n) => *n,
            Units::By { terms, count } => {
                let weigh = |(field, weights): &(usize, Vec<u8>)| {
                    let value = self.fields[*field] as usize;
                    if weights.is_empty() {
                        value
                    } else {
                        weights.get(value).copied().map_or(0, usize::from)
                    }
                };
                // Fields of an instruction that nobody checked may hold anything.
                let sum = terms.iter().map(weigh).fold(0, usize::saturating_add);
                count.get(sum).copied().unwrap_or(1)
            }
        }
    }

    /// Whether lanes of other masks stay away from those that go on behind this `WARPSYNC`: behind `.EXCLUSIVE` until these wait, branch or end,
    /// behind `.COLLECTIVE` until its `ENDCOLLECTIVE` at the latest (`docs/convergence.md`, C10).
    pub fn keeps_others_away(&self) -> bool {
        let id = self.row().id;
        self.row().mnemonic.starts_with("WARPSYNC")
            && (self.enum_text("mode") == Some(".EXCLUSIVE")
                || id.starts_with("warpsync.exclusive")
                || id.starts_with("warpsync.collective"))
    }

    /// Whether it ends what `WARPSYNC.COLLECTIVE` began.
    pub fn ends_collective(&self) -> bool {
        self.row().mnemonic == "ENDCOLLECTIVE"
    }

    /// Whether no word has these values together.
    pub fn is_denied(&self) -> bool {
        self.row().denied.iter().any(|tests| tests.iter().all(|test| self.test(test)))
    }

    /// Whether the condition holds.
    pub fn test(&self, test: &Test) -> bool {
        match *test {
            Test::Given(i) => !self.at_default(i),
            Test::Absent(i) => self.at_default(i),
            Test::Is(i, value) => self.fields[i] == value,
            Test::IsNot(i, value) => self.fields[i] != value,
            Test::PowerOfTwo(i) => (self.fields[i] as u32).is_power_of_two(),
        }
    }

    /// Whether the field of this index takes part; see [`crate::Field::shown`].
    pub fn shows(&self, field: usize) -> bool {
        let shown = &self.row().fields[field].shown;
        shown.iter().any(|tests| tests.iter().all(|test| self.test(test)))
    }

    /// Bits of the reuse control that this instruction may set: the form's, for general registers that take part.
    pub fn reusable(&self) -> u8 {
        let plan = table::plan(self.form);
        reusable(self.row(), plan, &self.fields, plan.off(&self.fields))
    }

    /// Whether a field and the flags that belong to it (`a.neg`, `q.not`) are at their defaults.
    fn at_default(&self, i: usize) -> bool {
        table::plan(self.form).at_default(i, &self.fields)
    }
}

/// [`Inst::reusable`] of these values; `off` is [`Plan::off`] of them.
pub(crate) fn reusable(row: &Form, plan: &Plan, values: &[u64], off: u64) -> u8 {
    let all = |checks: &[Check]| checks.iter().all(|c| c.holds(values, off));
    let bits = plan.reuse.iter().filter(|(field, bit, shown)| {
        let shows = || shown.iter().any(|checks| all(checks));
        let never = || plan.unreusable.iter().any(|(b, checks)| b == bit && all(checks));
        values[usize::from(*field)] != RZ && shows() && !never()
    });
    bits.fold(0, |mask, (_, bit, _)| mask | 1 << bit) & row.control.reuse
}
