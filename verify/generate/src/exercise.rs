//! PTX that exercises every instruction and modifier: a kernel for each form, each with its operands in registers, and for
//! the first forms of a row with constants, parameters, negated and absolute values, predicates negated, guards, and addresses of
//! every kind.
//!
//! [`all`] gives the kernels of the table's rows and of the templates for what has no row yet; [`module`] puts some of them
//! together. Whether ptxas takes a kernel for a target is for ptxas to say: [`Need`] is what the documents say.

mod combine;
pub(crate) mod extra;
pub(crate) mod kernel;
mod need;
mod operands;

pub use need::Need;

use sassafras_chip::{Chip, Target};
use sassafras_ptx::table;

/// A kernel around one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exercise {
    /// The family of the row or template, and the instruction: the same text for the same form for ever.
    pub id: String,
    /// The instruction.
    pub line: String,
    /// The entry's name, different for each form.
    pub entry: String,
    /// The entry's text, for [`module`].
    pub text: String,
    /// What the form needs, as far as documents say.
    pub need: Need,
    /// The index of its row among [`table::rows`]; none for a template.
    pub row: Option<usize>,
    /// All its operands are registers with values from memory, and it has no guard: one such kernel for each form of a row.
    pub plain: bool,
    form: kernel::Line,
}

/// The target with most features on a chip: `sm_90a`, `sm_89`.
pub fn target(chip: Chip) -> Target {
    Target::all().filter(|t| t.chip == chip).max_by_key(|t| t.features).unwrap_or(Target::base(chip))
}

/// Every kernel.
pub fn all() -> Vec<Exercise> {
    let mut all = Vec::new();
    let mut push = |family: &str, row: Option<usize>, need: Need, line: &kernel::Line, plain: bool| {
        let text = line.text();
        let sources: Vec<String> = line
            .operands
            .iter()
            .filter_map(|o| match &o.source {
                kernel::Source::Memory => None,
                kernel::Source::Parameter => Some(format!("{} from a parameter", o.text)),
                kernel::Source::Sum => Some(format!("{} from a parameter and a constant added", o.text)),
                kernel::Source::Through(steps) => Some(format!("{} through {}", o.text, steps.join(" "))),
                kernel::Source::Address(variable) => Some(format!("{} at {variable}", o.text)),
            })
            .collect();
        let id = [&[format!("{family}: {text}")][..], &sources].concat().join(", ");
        let entry = format!("k{}", all.len());
        let text = kernel::entry(&entry, &[line]);
        all.push(Exercise { id, line: line.text(), text, entry, need, row, plain, form: line.clone() });
    };
    for (index, row) in table::rows().iter().enumerate() {
        let forms = combine::forms(row);
        let mut varied = Vec::new();
        for form in &forms {
            let since = row.matches(form).map_or(row.since, |m| m.since);
            let need = Need { sm: since.sm.max(75), features: since.only.features() };
            push(row.family, Some(index), need, &operands::plain(row, form), true);
            // Other operands once for each choice of types.
            let types: Vec<&&str> =
                form.iter().filter(|s| sassafras_ptx::checked::Type::parse(s).is_some()).collect();
            let types: Vec<&str> = types.into_iter().copied().collect();
            if !varied.contains(&types) {
                for line in operands::others(row, form) {
                    push(row.family, Some(index), need, &line, false);
                }
                varied.push(types);
            }
        }
    }
    for (family, need, line) in extra::lines() {
        push(family, None, need, &line, false);
    }
    all
}

/// A module of some of the kernels for a target.
pub fn module<'a>(target: Target, exercises: impl IntoIterator<Item = &'a Exercise>) -> String {
    let mut kernels = String::new();
    for exercise in exercises {
        kernels += &exercise.text;
    }
    header(target, &kernels) + &kernels
}

/// What stands before the kernels: what all may use, and the textures and surfaces that these do.
fn header(target: Target, kernels: &str) -> String {
    let mut text = format!(".version 9.0\n.target {target}\n.address_size 64\n{}", kernel::MODULE);
    for (name, declaration) in kernel::OPAQUE {
        if kernels.contains(name) {
            text += declaration;
        }
    }
    text
}

/// A module in which kernels hold several forms each, as many as `pack` where they go together: for those who want
/// the machine code of all forms and not each form apart. The number for each line of the text says which of the exercises it
/// belongs to, if any.
pub fn packed(target: Target, exercises: &[&Exercise], pack: usize) -> (String, Vec<Option<usize>>) {
    let (mut text, mut owners) = (String::new(), Vec::new());
    let mut at = 0;
    while at < exercises.len() {
        let together = |e: &&Exercise| !e.form.alone();
        let count = exercises[at..].iter().take(pack).take_while(|e| together(e)).count().max(1);
        let lines: Vec<&kernel::Line> = exercises[at..at + count].iter().map(|e| &e.form).collect();
        let entry = kernel::entry(&exercises[at].entry, &lines);
        // Forms stand in order; the first line with a form's text is where its part ends, for messages are about that line.
        let mut current = at;
        for line in entry.lines() {
            owners.push((current < at + count).then_some(current));
            if current < at + count && line.trim_start() == lines[current - at].text() {
                current += 1;
            }
        }
        text += &entry;
        at += count;
    }
    let header = header(target, &text);
    owners.splice(0..0, vec![None; header.lines().count()]);
    (header + &text, owners)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_is_exercised_and_no_form_twice() {
        let all = all();
        let lines: BTreeSet<&str> = all.iter().map(|e| e.entry.as_str()).collect();
        assert_eq!(lines.len(), all.len(), "entries have different names");
        for row in table::rows() {
            let start = format!("{}: {}", row.family, row.root);
            assert!(all.iter().any(|e| e.id.starts_with(&start)), "{}", row.text);
        }
        let ids: BTreeSet<&str> = all.iter().map(|e| e.id.as_str()).collect();
        assert!(ids.len() * 100 > all.len() * 95, "{} of {} are different", ids.len(), all.len());
    }

    #[test]
    fn a_packed_module_knows_whose_its_lines_are() {
        let all = all();
        let some: Vec<&Exercise> = all.iter().step_by(37).collect();
        let (text, owners) = packed(target(Chip::Sm90), &some, 12);
        assert_eq!(text.lines().count(), owners.len());
        for (line, owner) in text.lines().zip(&owners) {
            if let Some(at) = some.iter().position(|e| e.line == line.trim()) {
                let owner = owner.map(|i| &some[i].line);
                assert_eq!(owner, Some(&some[at].line), "{line}");
            }
        }
    }

    #[test]
    fn kernels_of_the_table_are_ptx() {
        let all = all();
        let some: Vec<&Exercise> =
            all.iter().filter(|e| e.row.is_some()).filter(|e| e.need.sm <= 90).step_by(11).collect();
        let mut accepted = 0;
        for e in &some {
            // Values out of an operand's range are there on purpose; what is not accepted is refused with a position.
            match sassafras_ptx::load(&module(target(Chip::Sm90), [*e]), "exercise") {
                Ok(_) => accepted += 1,
                Err(found) => assert!(found.records().iter().all(|r| r.line > 0), "{}", e.line),
            }
        }
        assert!(accepted * 100 > some.len() * 90, "{accepted} of {}", some.len());
    }
}
