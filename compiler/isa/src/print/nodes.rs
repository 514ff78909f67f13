//! The text of any values at all, node by node: what [`super::steps`] leaves out. An instruction of code that is being made may
//! name virtual registers or hold values that no word has.

use super::line::Sink;
use super::{Shown, next, register, value};
use crate::form::{FieldKind, Form, Node};
use crate::plan::{FieldPlan, check};

/// Writes the nodes of a form's text.
pub(super) fn nodes(
    form: &Form,
    fields: &[FieldPlan],
    syntax: &[Node],
    shown: &Shown<'_>,
    sink: &mut impl Sink,
) {
    let values = shown.values;
    for node in syntax {
        match node {
            Node::Hidden(_) => {}
            Node::Next(field) => {
                if let FieldKind::Register { class, .. } = form.fields[*field].kind {
                    register(class, next(class, values[*field]), sink);
                }
            }
            Node::Literal(text) => sink.text(text),
            Node::Unsigned(field) => {
                sink.hexadecimal(values[*field] & (u64::MAX >> (64 - fields[*field].width)));
            }
            Node::Texts { field, texts } => {
                let value = values[*field];
                match usize::try_from(value).ok().and_then(|value| *texts.get(value)?) {
                    Some(text) => sink.text(text),
                    None => {
                        sink.text(".?");
                        sink.decimal(value);
                    }
                }
            }
            Node::When(tests, inside) => {
                if tests.iter().all(|test| check(test, fields).holds(values, shown.off)) {
                    nodes(form, fields, inside, shown, sink);
                }
            }
            Node::Value { field, neg, abs, not, inv, tilde, reuse } => {
                let set = |field: &Option<usize>| field.is_some_and(|field| values[field] != 0);
                for (flag, text) in
                    [(not, "!"), (inv, "~"), (neg, if set(tilde) { "~" } else { "-" }), (abs, "|")]
                {
                    if set(flag) {
                        sink.text(text);
                    }
                }
                match form.fields[*field].kind {
                    FieldKind::Register { class, .. } => register(class, values[*field], sink),
                    _ => value(form, *field, shown, sink),
                }
                if set(abs) {
                    sink.byte(b'|');
                }
                if reuse.is_some_and(|bit| shown.reuse >> bit & 1 == 1) {
                    sink.text(".reuse");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::{Style, Text, reuse, walk};
    use crate::{Rng, forms, generate, table};

    #[test]
    fn steps_write_what_nodes_say() {
        let mut rng = Rng(1);
        let style = Style::default();
        for (i, form) in forms().iter().enumerate() {
            let plan = table::plan(crate::FormId(i as u16));
            for _ in 0..100 {
                let inst = generate(crate::FormId(i as u16), &mut rng);
                let values = &inst.fields[..];
                let shown =
                    Shown { values, off: plan.off(values), reuse: reuse(inst.control), style: &style };
                let aliases = form.aliases.iter().zip(&plan.aliases).map(|((_, a), (_, b))| (a, b));
                for (syntax, steps) in aliases.chain([(&form.syntax, &plan.text)]) {
                    let (mut told, mut stepped) = (Text::new(), Text::new());
                    nodes(form, &plan.fields, syntax, &shown, &mut told);
                    if walk(form, plan, steps, &shown, &mut stepped) {
                        assert_eq!(stepped.as_str(), told.as_str(), "{}", form.id);
                    } else {
                        // Only where another text is printed has the value none here.
                        assert!(told.as_str().contains(".?"), "{}: {}", form.id, told.as_str());
                    }
                }
            }
        }
    }
}
