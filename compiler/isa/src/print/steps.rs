//! The text of a form as steps: flat, and with every literal ready to be copied.
//!
//! What a small field decides is picked from a table, and literals beside it stand in the table too, so that most words take few
//! steps. Steps print what a word may hold; values that no word holds are left to [`super::nodes`].

use super::line::{PIECE, Piece};
use crate::form::{FieldKind, Form, Node, RegClass, Test};
use crate::plan::{Check, FieldPlan, check};

/// Most texts of a field that literals are put to.
const MOST: usize = 64;

/// What is done next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Write a piece.
    Text { piece: u16 },
    /// Write the piece of the field's value, or the last one for all that are greater.
    Pick { field: u8, first: u16, last: u16 },
    /// Write the piece that the bit of the reuse control decides.
    Reuse { bit: u8, first: u16 },
    /// Write the first piece, or the second if the flag is set, or the third if the other field is not 0 then.
    Minus { neg: u8, tilde: u8, first: u16 },
    /// Go on at `to` unless the check holds.
    Unless { check: u16, to: u16 },
    /// Write a register, and maybe a comma and a blank.
    Register { class: RegClass, field: u8, comma: bool },
    /// Write the register behind the field's.
    Next { class: RegClass, field: u8 },
    /// Write a signed number.
    Signed { field: u8 },
    /// Write a constant bank and an offset.
    Constant { field: u8, spaced: bool },
    /// Write another value by its kind.
    Value { field: u8 },
    /// Write the unsigned number of the field's bits.
    Unsigned { field: u8 },
}

/// One text of a form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Steps {
    pub steps: Vec<Step>,
    /// What steps write.
    pub pieces: Vec<Piece>,
    pub checks: Vec<Check>,
}

/// What decides which of several texts is written.
#[derive(Clone, Copy, Debug)]
enum By {
    /// A field's value; the last text is that of all greater ones.
    Field(u8),
    /// A bit of the reuse control.
    Reuse(u8),
    /// A minus, and what may make a tilde of it.
    Minus(u8, u8),
}

/// A step that is still looking for neighbours.
#[derive(Debug)]
enum Part<'a> {
    Text(String),
    /// `None` is what no instruction has.
    Pick(By, Vec<Option<String>>),
    When(&'a [Test], Vec<Part<'a>>),
    Step(Step),
}

impl Steps {
    pub fn new(form: &Form, syntax: &[Node], fields: &[FieldPlan]) -> Steps {
        let mut steps = Steps::default();
        steps.add(parts(form, syntax), fields);
        steps
    }

    fn add(&mut self, parts: Vec<Part<'_>>, fields: &[FieldPlan]) {
        for part in parts {
            let first = self.pieces.len() as u16;
            match part {
                Part::Text(text) => {
                    self.pieces.extend(Piece::of(&text));
                    self.steps.extend((first..self.pieces.len() as u16).map(|piece| Step::Text { piece }));
                }
                Part::Pick(by, texts) => {
                    let last = texts.len() as u16 - 1;
                    let piece = |text: &Option<String>| text.as_deref().map_or(Piece::NONE, Piece::new);
                    self.pieces.extend(texts.iter().map(piece));
                    self.steps.push(match by {
                        By::Field(field) => Step::Pick { field, first, last },
                        By::Reuse(bit) => Step::Reuse { bit, first },
                        By::Minus(neg, tilde) => Step::Minus { neg, tilde, first },
                    });
                }
                Part::When(tests, inside) => {
                    let from = self.steps.len();
                    for test in tests {
                        self.steps.push(Step::Unless { check: self.checks.len() as u16, to: 0 });
                        self.checks.push(check(test, fields));
                    }
                    self.add(inside, fields);
                    let end = self.steps.len() as u16;
                    for step in &mut self.steps[from..from + tests.len()] {
                        if let Step::Unless { to, .. } = step {
                            *to = end;
                        }
                    }
                }
                Part::Step(step) => self.steps.push(step),
            }
        }
    }
}

/// The parts of a text, literals put to their neighbours.
fn parts<'a>(form: &Form, syntax: &'a [Node]) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    for node in syntax {
        match node {
            Node::Hidden(_) => {}
            Node::Next(field) => {
                if let FieldKind::Register { class, .. } = form.fields[*field].kind {
                    parts.push(Part::Step(Step::Next { class, field: *field as u8 }));
                }
            }
            Node::Literal(text) => literal(&mut parts, text),
            Node::Unsigned(field) => parts.push(Part::Step(Step::Unsigned { field: *field as u8 })),
            Node::Texts { field, texts } => {
                let known = texts.iter().map(|text| text.map(str::to_owned));
                pick(&mut parts, By::Field(*field as u8), known.chain([None]).collect());
            }
            Node::When(tests, inside) => parts.push(Part::When(tests, self::parts(form, inside))),
            Node::Value { field, neg, abs, not, inv, tilde, reuse } => {
                let some = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect();
                let flag = |parts: &mut Vec<_>, field: &Option<usize>, text| {
                    if let Some(field) = field {
                        pick(parts, By::Field(*field as u8), some(&["", text]));
                    }
                };
                flag(&mut parts, not, "!");
                flag(&mut parts, inv, "~");
                match (neg, tilde) {
                    (Some(neg), Some(tilde)) => {
                        pick(&mut parts, By::Minus(*neg as u8, *tilde as u8), some(&["", "-", "~"]));
                    }
                    (_, _) => flag(&mut parts, neg, "-"),
                }
                flag(&mut parts, abs, "|");
                let at = *field as u8;
                parts.push(Part::Step(match form.fields[*field].kind {
                    FieldKind::Register { class, .. } => Step::Register { class, field: at, comma: false },
                    FieldKind::Signed { .. } => Step::Signed { field: at },
                    FieldKind::ConstantOffset { spaced } => Step::Constant { field: at, spaced },
                    _ => Step::Value { field: at },
                }));
                flag(&mut parts, abs, "|");
                if let Some(bit) = reuse {
                    pick(&mut parts, By::Reuse(*bit), some(&["", ".reuse"]));
                }
            }
        }
    }
    parts
}

/// Adds a literal: to the literal before it, to each text of the field before it if there is room, or by itself.
fn literal(parts: &mut Vec<Part<'_>>, text: &str) {
    let mut text = text;
    match parts.last_mut() {
        Some(Part::Text(before)) => return before.push_str(text),
        Some(Part::Pick(_, texts)) if fits(texts, text) => {
            return texts.iter_mut().flatten().for_each(|before| before.push_str(text));
        }
        Some(Part::Step(Step::Register { comma: comma @ false, .. })) => {
            if let Some(rest) = text.strip_prefix(", ") {
                *comma = true;
                text = rest;
            }
        }
        Some(Part::Pick(..) | Part::When(..) | Part::Step(_)) | None => {}
    }
    if !text.is_empty() {
        parts.push(Part::Text(text.to_owned()));
    }
}

/// Adds texts to pick from, with a literal before them in each if there is room.
fn pick(parts: &mut Vec<Part<'_>>, by: By, mut texts: Vec<Option<String>>) {
    if let Some(Part::Text(before)) = parts.last()
        && fits(&texts, before)
    {
        texts.iter_mut().flatten().for_each(|text| text.insert_str(0, before));
        parts.pop();
    }
    parts.push(Part::Pick(by, texts));
}

fn fits(texts: &[Option<String>], more: &str) -> bool {
    texts.len() <= MOST && texts.iter().flatten().all(|text| text.len() + more.len() <= PIECE)
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
