//! Code from text with labels (`a: MOV …`, `->a`), and runs of it.

use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{Chip, Register, Style, encode, parse};
use sassafras_semantics::{Domain, TermId, Terms};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::Located;
use sassafras_symbolic::sass::target::{Request, Role, Target, run_from};
use sassafras_symbolic::trace::facts::Facts;
use sassafras_symbolic::trace::side::Start;
use std::collections::BTreeSet;
use std::ops::Deref;

/// One more than how often lanes return to the head of a loop.
pub const BOUND: u32 = 3;

/// A run.
pub struct Ran<'i> {
    target: Target<'i>,
}

impl<'i> Deref for Ran<'i> {
    type Target = Target<'i>;

    fn deref(&self) -> &Target<'i> {
        &self.target
    }
}

impl Ran<'_> {
    /// The value of a term that has one.
    pub fn known(&self, term: TermId) -> Option<u128> {
        self.side.inputs.known(self.side.inputs.normal.of(term))
    }
}

/// A line without its label, and the label.
fn split(line: &str) -> (&str, &str) {
    match line.split_once(": ") {
        Some((label, rest)) if label.chars().all(char::is_alphanumeric) => (rest, label),
        _ => (line, ""),
    }
}

/// The number of the instruction that a label stands before; 0 for none.
pub fn of(text: &str, label: &str) -> u64 {
    if label.is_empty() {
        return 0;
    }
    let at = text.lines().position(|line| split(line).1 == label);
    at.unwrap_or_else(|| panic!("no label {label}")) as u64
}

fn assemble(text: &str) -> Cubin {
    let mut code = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let mut own = split(line).0.to_owned();
        if let Some((before, label)) = own.split_once("->") {
            let distance = 16 * (of(text, label) as i64 - i as i64 - 1);
            let sign = if distance < 0 { "-" } else { "" };
            let comma = if before.contains("BSSY") { ", " } else { " " };
            let before = before.trim_end_matches([' ', ',']);
            own = format!("{before}{comma}pc({sign}{:#x})", distance.abs());
        }
        let inst = parse(&own, &Style::default()).unwrap_or_else(|e| panic!("{own}: {e}"));
        code.push(encode(&inst, Chip::Sm90).unwrap_or_else(|e| panic!("{own}: {e:?}")));
    }
    let function = Function {
        name: "k".into(),
        entry: true,
        code,
        registers: 64,
        barriers: 1,
        param_base: 0x210,
        param_size: 8,
        ..Function::default()
    };
    Cubin { sm: 90, functions: vec![function], ..Cubin::default() }
}

fn run<T>(
    (terms, raw): (&Terms, bool),
    text: &str,
    facts: Facts,
    from: &str,
    given: &[(Register, u128)],
    ends: &[&str],
    look: impl FnOnce(&Ran<'_>) -> T,
) -> Result<T, Located> {
    let inputs = match raw {
        true => Inputs::raw(terms),
        false => Inputs::new(terms, sassafras_normal::Normal::boxed(terms)),
    };
    let cubin = assemble(text);
    let facts = Facts { votes: true, combines: true, ..facts };
    let request = Request { facts, ..Request::default() };
    let registers = given.iter().map(|(r, value)| (*r, terms.constant(32, *value))).collect();
    let start = Start { at: of(text, from), registers, ..Start::default() };
    let ends: BTreeSet<u64> = ends.iter().map(|label| of(text, label)).collect();
    let target = run_from(&inputs, &cubin, &cubin.functions[0], BOUND, request, Role::Target, start, &ends)?;
    Ok(look(&Ran { target }))
}

/// Runs code.
pub fn ran<T>(text: &str, look: impl FnOnce(&Ran<'_>) -> T) -> Result<T, Located> {
    run((&Terms::new(), false), text, Facts::default(), "", &[], &[], look)
}

/// Why code is not followed.
pub fn refused(text: &str) -> String {
    ran(text, |_| ()).expect_err("it is followed").to_string()
}

/// The same, of code that is followed.
pub fn whole(text: &str, look: impl FnOnce(&Ran<'_>)) {
    ran(text, look).unwrap_or_else(|why| panic!("{why}\n{text}"));
}

/// The same, for a source of which something is known.
pub fn with(text: &str, facts: Facts, look: impl FnOnce(&Ran<'_>)) {
    run((&Terms::new(), false), text, facts, "", &[], &[], look)
        .unwrap_or_else(|why| panic!("{why}\n{text}"));
}

/// The same, from one place to others.
pub fn between(
    text: &str,
    from: &str,
    given: &[(Register, u128)],
    ends: &[&str],
    look: impl FnOnce(&Ran<'_>),
) {
    run((&Terms::new(), false), text, Facts::default(), from, given, ends, look)
        .unwrap_or_else(|why| panic!("{why}\n{text}"));
}

/// The events of code in an arena: what they are and where.
pub fn events(raw: bool, text: &str) -> Vec<(String, u64)> {
    let list = |ran: &Ran<'_>| {
        ran.side.log.events.iter().map(|e| (format!("{:?}", e.kind), e.place)).collect::<Vec<_>>()
    };
    let terms = if raw { Terms::raw() } else { Terms::new() };
    run((&terms, raw), text, Facts::default(), "", &[], &[], list)
        .unwrap_or_else(|why| panic!("{why}\n{text}"))
}
