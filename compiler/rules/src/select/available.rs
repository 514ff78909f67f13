//! Which rows a chip can carry out: it has a form of every family that the row names, with the fields and texts that the row gives.

use super::attribute;
use super::row::{Action, Arg, Emit, FormPiece, Kinds, Pattern, Row, Value};
use sassafras_chip::Chip;
use sassafras_isa::{FieldKind, Form, FormId, form_on};
use std::collections::HashMap;

/// What a chip lacks of a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lack {
    /// A form.
    #[error("no form `{id}` on {chip}")]
    Form {
        /// Its family.
        id: String,
        /// The chip.
        chip: Chip,
    },
    /// A number of a field does not stand for the text that it has on sm_90.
    #[error("`{form}.{field}` is {here:?} at {number}, and {there:?} on sm_90")]
    SameText {
        /// The form.
        form: &'static str,
        /// Its field.
        field: &'static str,
        /// The number.
        number: usize,
        /// What it stands for.
        here: Option<&'static str>,
        /// What it stands for on sm_90.
        there: Option<&'static str>,
    },
    /// A field.
    #[error("`{form}` has no field `{field}`")]
    Field {
        /// The form.
        form: &'static str,
        /// Its field.
        field: String,
    },
    /// A text of a field.
    #[error("`{form}.{field}` has no text `{text}`")]
    Text {
        /// The form.
        form: &'static str,
        /// Its field.
        field: String,
        /// The text.
        text: String,
    },
    /// A window.
    #[error("{chip} has no window `{name}`")]
    Window {
        /// The chip.
        chip: Chip,
        /// The window; see [`window`].
        name: String,
    },
    /// The field is no register in which a descriptor could be.
    #[error("`{form}.{field}` is no descriptor")]
    Descriptor {
        /// The form.
        form: &'static str,
        /// Its field.
        field: String,
    },
}

/// The names of a pattern's operands with what they may be matched by.
fn operands<'p>(pattern: &'p Pattern, all: &mut HashMap<&'p str, Kinds>) {
    for arg in &pattern.args {
        match arg {
            Arg::Bind { name, kinds } => _ = all.insert(name, *kinds),
            Arg::Node(node) => operands(node, all),
            Arg::Any | Arg::Integer(_) => {}
        }
    }
}

/// The letters by which an operand may be matched on a chip.
fn letters(kinds: Kinds, chip: Chip) -> impl Iterator<Item = char> {
    let constant = kinds.constant && chip.has_constant_operands();
    let all = [
        ('r', kinds.register),
        ('i', kinds.immediate || kinds.byte || kinds.shift || kinds.count || kinds.float64),
        ('c', constant),
    ];
    all.into_iter().filter_map(|(letter, on)| on.then_some(letter))
}

/// The forms of an emission, for every way in which the operands in its name may be matched.
fn forms(emit: &Emit, names: &HashMap<&str, Kinds>, chip: Chip) -> Result<Vec<FormId>, Lack> {
    let mut all = vec![String::new()];
    for piece in &emit.form {
        all = match piece {
            FormPiece::Text(text) => all.into_iter().map(|id| id + text).collect(),
            FormPiece::Kind(name) => {
                let kinds = names.get(name.as_str()).copied().unwrap_or_default();
                let each = |id: String| letters(kinds, chip).map(move |letter| format!("{id}{letter}"));
                all.into_iter().flat_map(each).collect()
            }
        };
    }
    all.into_iter().map(|id| form_on(&id, chip).ok_or(Lack::Form { id, chip })).collect()
}

/// Whether numbers below 2, or the one that the row gives, are the same texts as on sm_90.
fn same_texts(form: &Form, index: usize, value: &Value) -> Result<(), Lack> {
    let Some(usual) = form_on(form.family, Chip::Sm90) else { return Ok(()) };
    let name = form.fields[index].name;
    let Some(theirs) = usual.get().field(name) else { return Ok(()) };
    let texts = |f: &Form, i: usize, n: usize| f.fields[i].texts.get(n).copied().flatten();
    let numbers = match value {
        Value::Integer(n) => *n as usize..*n as usize + 1,
        _ => 0..2,
    };
    for n in numbers {
        let (here, there) = (texts(form, index, n), texts(usual.get(), theirs, n));
        if here != there {
            return Err(Lack::SameText { form: form.id, field: name, number: n, here, there });
        }
    }
    Ok(())
}

/// Byte offset in constant bank 0 of what the driver tells of a window: `local`, `shared`, `constant`, `parameter`, or `parameter_end`, its last byte.
/// Where bank 0 has a window instead, `bank`, `bank_end`, its last parameter byte, and `bank_parameters`, where the parameters themselves begin.
pub fn window(name: &str, chip: Chip) -> Option<u32> {
    let bank = chip.bank();
    match name {
        "local" => Some(bank.local_window),
        "shared" => bank.shared_window,
        "constant" => bank.constant_window,
        "parameter" => bank.parameter_window.map(|w| w.0),
        "parameter_end" => bank.parameter_window.map(|w| w.1),
        "bank" => bank.bank_window.map(|w| w.0),
        "bank_end" => bank.bank_window.map(|w| w.1),
        "bank_parameters" => bank.bank_window.map(|_| bank.parameters),
        _ => None,
    }
}

impl Row {
    /// The chip on which the row is proved where nothing else is asked: sm_90, else the first that can carry it out.
    pub fn home(&self) -> Option<Chip> {
        let mut order = [Chip::Sm90].into_iter().chain(Chip::ALL);
        order.find(|&chip| self.forms_on(chip).is_ok())
    }

    /// The forms that the row's instructions may be on a chip, in the order of the row.
    ///
    /// # Errors
    /// What the chip lacks.
    pub fn forms_on(&self, chip: Chip) -> Result<Vec<FormId>, Lack> {
        let mut names = HashMap::new();
        operands(&self.pattern, &mut names);
        let mut all = Vec::new();
        for action in &self.actions {
            let Action::Emit(emit) = action else { continue };
            let forms = forms(emit, &names, chip)?;
            for form in forms.iter().map(|id| id.get()) {
                for (field, value) in &emit.fields {
                    let guard = matches!(field.as_str(), "guard" | "!guard");
                    // A chip without descriptors has no field for one.
                    let spare = *value == Value::Descriptor && chip.bank().global_descriptor.is_none();
                    if guard || spare {
                        continue;
                    }
                    let index = form.field(field);
                    let index = index.ok_or_else(|| Lack::Field { form: form.id, field: field.clone() })?;
                    let of = &form.fields[index];
                    match value {
                        Value::Text(text) if !of.texts.contains(&Some(text.as_str())) => {
                            let (field, text) = (field.clone(), text.clone());
                            return Err(Lack::Text { form: form.id, field, text });
                        }
                        // The texts for it are the chip's own.
                        Value::Attribute(_, name)
                            if matches!(name.as_str(), attribute::SEMANTICS | attribute::ORDER) => {}
                        // What a number stands for is as on sm_90, for which rows are written.
                        Value::Integer(_) | Value::Attribute(..) if of.kind == FieldKind::Enum => {
                            same_texts(form, index, value)?;
                        }
                        Value::Window(name, _) if window(name, chip).is_none() => {
                            return Err(Lack::Window { chip, name: name.clone() });
                        }
                        Value::Descriptor if !matches!(of.kind, FieldKind::Register { .. }) => {
                            return Err(Lack::Descriptor { form: form.id, field: field.clone() });
                        }
                        _ => {}
                    }
                }
            }
            all.extend(forms);
        }
        Ok(all)
    }
}
