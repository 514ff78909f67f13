//! The text of a form as steps: flat, and with every literal ready to be copied.

use super::line::Piece;
use crate::form::{FieldKind, Form, Node, RegClass};
use crate::plan::{Check, FieldPlan, check};

/// What is done next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Write these pieces.
    Text { first: u16, count: u8 },
    /// Write the piece of the field's value, if it has one; otherwise `.?` and the value.
    Enum { field: u8, first: u16, count: u16 },
    /// Go on at `to` unless the check holds.
    Unless { check: u16, to: u16 },
    /// Write a register.
    Register { class: RegClass, field: u8 },
    /// Write the register behind the field's.
    Next { class: RegClass, field: u8 },
    /// Write a number or another value by its kind.
    Value { field: u8 },
    /// Write the unsigned number of the field's bits.
    Unsigned { field: u8 },
    /// Write the character if the flag is set.
    Flag { field: u8, byte: u8 },
    /// Write a minus, or a tilde if the second field is not 0, if the flag is set.
    Minus { neg: u8, tilde: u8 },
    /// Write `.reuse` if the bit of the reuse control is set.
    Reuse { bit: u8 },
}

/// One text of a form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Steps {
    pub steps: Vec<Step>,
    /// What steps write. A piece of an enum is `None` where no instruction has the value.
    pub pieces: Vec<Option<Piece>>,
    pub checks: Vec<Check>,
}

impl Steps {
    pub fn new(form: &Form, syntax: &[Node], fields: &[FieldPlan]) -> Steps {
        let mut steps = Steps::default();
        steps.add(form, syntax, fields);
        steps
    }

    fn add(&mut self, form: &Form, syntax: &[Node], fields: &[FieldPlan]) {
        for node in syntax {
            match node {
                Node::Hidden(_) => {}
                Node::Next(field) => {
                    if let FieldKind::Register { class, .. } = form.fields[*field].kind {
                        self.steps.push(Step::Next { class, field: *field as u8 });
                    }
                }
                Node::Literal(text) => self.literal(text),
                Node::Unsigned(field) => self.steps.push(Step::Unsigned { field: *field as u8 }),
                Node::Texts { field, texts } => {
                    let first = self.pieces.len() as u16;
                    // Longer ones there are not; a test sees to it.
                    let piece = |text: &str| Piece::of(text).next().unwrap_or(Piece::EMPTY);
                    self.pieces.extend(texts.iter().map(|text| text.map(piece)));
                    let (field, count) = (*field as u8, texts.len() as u16);
                    self.steps.push(Step::Enum { field, first, count });
                }
                Node::When(tests, inside) => {
                    let from = self.steps.len();
                    for test in tests {
                        let check = check(test, fields);
                        self.steps.push(Step::Unless { check: self.checks.len() as u16, to: 0 });
                        self.checks.push(check);
                    }
                    self.add(form, inside, fields);
                    let end = self.steps.len() as u16;
                    for step in &mut self.steps[from..from + tests.len()] {
                        if let Step::Unless { to, .. } = step {
                            *to = end;
                        }
                    }
                }
                Node::Value { field, neg, abs, not, inv, tilde, reuse } => {
                    let flag = |field: &Option<usize>, byte| {
                        field.map(|field| Step::Flag { field: field as u8, byte })
                    };
                    self.steps.extend(flag(not, b'!'));
                    self.steps.extend(flag(inv, b'~'));
                    self.steps.extend(neg.map(|neg| match tilde {
                        Some(tilde) => Step::Minus { neg: neg as u8, tilde: *tilde as u8 },
                        None => Step::Flag { field: neg as u8, byte: b'-' },
                    }));
                    self.steps.extend(flag(abs, b'|'));
                    let at = *field as u8;
                    self.steps.push(match form.fields[*field].kind {
                        FieldKind::Register { class, .. } => Step::Register { class, field: at },
                        _ => Step::Value { field: at },
                    });
                    self.steps.extend(flag(abs, b'|'));
                    self.steps.extend(reuse.map(|bit| Step::Reuse { bit }));
                }
            }
        }
    }

    fn literal(&mut self, text: &str) {
        let first = self.pieces.len() as u16;
        self.pieces.extend(Piece::of(text).map(Some));
        let count = (self.pieces.len() - usize::from(first)) as u8;
        self.steps.push(Step::Text { first, count });
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::PIECE;
    use crate::form::Node;
    use crate::forms;

    /// What the narrow types of [`super::Step`] need.
    #[test]
    fn every_form_fits() {
        fn look(id: &str, nodes: &[Node]) {
            for node in nodes {
                match node {
                    Node::Literal(text) => assert!(text.is_ascii(), "{id}"),
                    Node::Texts { texts, .. } => {
                        let fits = |text: &&str| text.is_ascii() && text.len() <= PIECE;
                        assert!(texts.iter().flatten().all(fits), "{id}");
                    }
                    Node::When(_, inside) => look(id, inside),
                    Node::Hidden(_) | Node::Next(_) | Node::Unsigned(_) | Node::Value { .. } => {}
                }
            }
        }
        for form in forms() {
            assert!(form.fields.len() <= 64, "{}", form.id);
            look(form.id, &form.syntax);
            form.aliases.iter().for_each(|(_, syntax)| look(form.id, syntax));
        }
    }
}
