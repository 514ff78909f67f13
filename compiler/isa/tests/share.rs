//! How much of what ptxas emits has a meaning, weighed by how often it stands in real kernels.
//!
//! A name, such as `LDG.E.128`, counts when every form of sm_90 that prints it can be executed.

use sassafras_isa::{
    Chip, FieldKind, FormId, Inst, Node, RegClass, Register, Rng, Style, Test, generate, print, step,
};
use sassafras_semantics::{
    Access, AtomicOp, Bits, Concrete, Domain, Ordering, Scope, Space, SpecialRegister, State, Trap,
};
use std::collections::BTreeMap;

/// Name and static count.
const FREQUENCY: &str = include_str!("frequency.csv");
/// In hundredths of a percent of all instructions; it only grows.
const MODELLED: u64 = 9975;

/// Forms that no PTX makes ptxas emit, which print the name of one that it does: constant banks by handle, as graphics has.
const NOT_OF_COMPUTE: &[&str] = &["uldc.cx"];

/// A lane whose registers and memory hold something and take everything.
struct Anything;

impl State<Concrete> for Anything {
    type Register = Register;
    fn read(&mut self, d: &Concrete, register: Register) -> Result<Bits, Trap> {
        let width = if matches!(register.class, RegClass::P | RegClass::UP) { 1 } else { 32 };
        Ok(d.constant(width, 1))
    }
    fn write(&mut self, _: &Concrete, _: Register, _: Bits) {}
    fn load(&mut self, d: &Concrete, access: &Access, _: &Bits) -> Result<Bits, Trap> {
        Ok(d.constant(8 * access.bytes, 1))
    }
    fn store(&mut self, _: &Concrete, _: &Access, _: &Bits, _: &Bits) -> Result<(), Trap> {
        Ok(())
    }
    fn atomic(
        &mut self,
        d: &Concrete,
        access: &Access,
        _: AtomicOp,
        _: &Bits,
        _: &[Bits],
    ) -> Result<Bits, Trap> {
        Ok(d.constant(8 * access.bytes, 1))
    }
    fn fence(&mut self, _: &Concrete, _: Ordering, _: Scope) -> Result<(), Trap> {
        Ok(())
    }
    fn special(&mut self, d: &Concrete, register: SpecialRegister) -> Result<Bits, Trap> {
        Ok(d.constant(register.width(), 1))
    }
    fn cvta(&mut self, _: &Concrete, _: Space, address: &Bits) -> Result<Bits, Trap> {
        Ok(*address)
    }
    fn cvta_to(&mut self, _: &Concrete, _: Space, address: &Bits) -> Result<Bits, Trap> {
        Ok(*address)
    }
    fn is_space(&mut self, d: &Concrete, _: Space, _: &Bits) -> Result<Bits, Trap> {
        Ok(d.no())
    }
}

/// The first word of the instruction's text.
fn name(inst: &Inst) -> String {
    let plain = Inst { guard: sassafras_isa::Guard::ALWAYS, ..inst.clone() };
    print(&plain, &Style::default()).split(' ').next().unwrap_or_default().to_owned()
}

/// Fields that decide the first word: those in it, and those of conditions on pieces of it and on other texts.
fn deciding(form: FormId) -> Vec<usize> {
    fn test(tests: &[Test], out: &mut Vec<usize>) {
        out.extend(tests.iter().map(|t| match *t {
            Test::Given(i) | Test::Absent(i) | Test::Is(i, _) | Test::IsNot(i, _) | Test::PowerOfTwo(i) => i,
        }));
    }
    fn head(nodes: &[Node], out: &mut Vec<usize>) -> bool {
        for node in nodes {
            match node {
                Node::Literal(text) if text.contains(' ') => return false,
                Node::Texts { field, .. } => out.push(*field),
                Node::When(tests, inner) => {
                    test(tests, out);
                    _ = head(inner, out);
                }
                _ => {}
            }
        }
        true
    }
    let row = form.get();
    let mut out = Vec::new();
    head(&row.syntax, &mut out);
    for (tests, nodes) in &row.aliases {
        test(tests, &mut out);
        head(nodes, &mut out);
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// What becomes of instructions of a name.
enum Fate {
    Executed,
    /// One is not; what it is.
    Refused(String),
}

/// What becomes of a few random instructions of this name; nothing if none has the name.
fn fate(form: FormId, wanted: &str) -> Option<Fate> {
    let row = form.get();
    let fields = deciding(form);
    let mut choices: Vec<Vec<u64>> = Vec::new();
    for &i in &fields {
        let field = &row.fields[i];
        choices.push(match field.kind {
            FieldKind::Enum => (0..field.texts.len() as u64)
                .filter(|&v| field.texts[v as usize].is_some_and(|t| wanted.contains(t)))
                .collect(),
            // A register or number that another text wants: as it wants it, at its default, and as drawn.
            _ => wanted_values(row, i).into_iter().chain([field.default, u64::MAX]).collect(),
        });
    }
    let mut rng = Rng(11);
    let mut found = None;
    let total: usize = choices.iter().map(Vec::len).product();
    for mut pick in 0..total.min(20_000) {
        let mut inst = generate(form, &mut rng);
        for (values, &i) in choices.iter().zip(&fields) {
            let value = values[pick % values.len()];
            pick /= values.len();
            if value != u64::MAX {
                inst.fields[i] = value;
            }
        }
        if inst.row().denied.iter().any(|tests| tests.iter().all(|t| inst.test(t))) || name(&inst) != wanted {
            continue;
        }
        // What stands behind the name in text is optional: at its default it must be executed.
        for (i, field) in row.fields.iter().enumerate() {
            let number = matches!(field.kind, FieldKind::Register { class: RegClass::R | RegClass::UR, .. });
            if !fields.contains(&i) && !number {
                inst.fields[i] = field.default;
            }
        }
        let special = row.fields.iter().position(|f| matches!(f.kind, FieldKind::Special { .. }));
        if let Some(i) = special {
            inst.fields[i] = sassafras_isa::special::number("SR_TID.X").expect("its name");
        }
        match step(&Concrete::default(), &inst, 0, &mut Anything) {
            Err(Trap::Unsupported(why)) => return Some(Fate::Refused(why)),
            _ => found = Some(Fate::Executed),
        }
    }
    found
}

/// Values that conditions of other texts name.
fn wanted_values(row: &sassafras_isa::Form, field: usize) -> Vec<u64> {
    row.aliases
        .iter()
        .flat_map(|(tests, _)| tests)
        .filter_map(|t| match *t {
            Test::Is(i, value) if i == field => Some(value),
            Test::PowerOfTwo(i) if i == field => Some(4),
            _ => None,
        })
        .collect()
}

#[test]
fn the_share_of_instructions_with_a_meaning_does_not_fall() {
    let mut by_mnemonic: BTreeMap<&str, Vec<FormId>> = BTreeMap::new();
    for form in sassafras_isa::forms()
        .iter()
        .filter(|f| f.chips.contains(Chip::Sm90) && !NOT_OF_COMPUTE.contains(&f.id))
    {
        let id = sassafras_isa::form(form.id).expect("its own name");
        by_mnemonic.entry(form.mnemonic).or_default().push(id);
    }
    let (mut all, mut modelled, mut report) = (0u64, 0u64, Vec::new());
    for line in FREQUENCY.lines().filter(|l| !l.starts_with('#')).skip(1) {
        let (wanted, count) = line.split_once(',').expect("two columns");
        let count: u64 = count.parse().expect("a number");
        all += count;
        let mnemonic = wanted.split('.').next().expect("a name");
        let forms = by_mnemonic.get(mnemonic).map_or(&[][..], Vec::as_slice);
        let results: Vec<_> = forms.iter().filter_map(|&f| fate(f, wanted)).collect();
        match results.iter().find(|fate| matches!(fate, Fate::Refused(_))) {
            Some(Fate::Refused(why)) => report.push((count, wanted, why.clone())),
            _ if results.is_empty() => report.push((count, wanted, "no form prints it".to_owned())),
            _ => modelled += count,
        }
    }
    report.sort();
    report.reverse();
    for (count, name, why) in &report {
        eprintln!("{:7.3} % {count:6} {name}: {why}", *count as f64 * 100.0 / all as f64);
    }
    let share = modelled * 10_000 / all;
    eprintln!("{}.{:02} % of {all} instructions have a meaning", share / 100, share % 100);
    assert!(share >= MODELLED, "the share fell");
}
