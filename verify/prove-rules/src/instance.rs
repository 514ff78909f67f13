//! A row with everything about it decided but the values of its operands.

use super::shape::{Shape, shapes};
use sassafras_chip::Chip;
use sassafras_ir::Op;
use sassafras_isa::FieldKind;
use sassafras_rules::select::attribute::{Attribute, attribute};
use sassafras_rules::select::{Action, Arg, Condition, FormPiece, Kinds, Pattern, Row, Value};
use std::collections::BTreeMap;

/// What an operand of a pattern is matched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A register with any value, or the register that reads zero.
    Register {
        /// The operand is the constant zero, in RZ.
        zero: bool,
        /// Negated, or complemented if it is a predicate.
        negate: bool,
        /// Its absolute value is taken, before the negation.
        absolute: bool,
    },
    /// A half of a register with any value: the upper one of 16 bits, or one half twice.
    Half {
        /// The upper half.
        high: bool,
        /// Negated.
        negate: bool,
        /// Its absolute value is taken, before the negation.
        absolute: bool,
    },
    /// An immediate: all values at once, or this one.
    Immediate(Option<u64>),
    /// An immediate below 256: all values at once.
    Byte,
    /// The high half of a binary64 number whose low half is zero; any.
    High,
    /// A word, or two, of constant bank 0; any value.
    Bank {
        /// Negated.
        negate: bool,
        /// Its absolute value is taken, before the negation.
        absolute: bool,
    },
}

impl How {
    /// The letter that stands for it in a form's name.
    pub fn letter(self) -> char {
        match self {
            How::Register { .. } | How::Half { .. } => 'r',
            How::Immediate(_) | How::Byte | How::High => 'i',
            How::Bank { .. } => 'c',
        }
    }
}

/// An argument of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A value that the row names, or does not.
    Free(Option<String>),
    /// A constant.
    Integer(i128),
    /// The first result of another node.
    Node(Box<Node>),
}

/// A matched operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The operation with widths.
    pub shape: Shape,
    /// Its name in the row.
    pub name: Option<String>,
    /// Its arguments.
    pub args: Vec<Operand>,
}

/// A row at one operation, with one way of matching each operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The chip whose forms carry it out.
    pub chip: Chip,
    /// What is matched.
    pub root: Node,
    /// Per operand: its width in bits, and what matched it.
    pub operands: BTreeMap<String, (u32, How)>,
}

impl std::fmt::Display for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.root.shape.op)?;
        for (name, (width, how)) in &self.operands {
            write!(f, ", {name}: {how:?} of {width} bits")?;
        }
        Ok(())
    }
}

/// Whether a condition holds of an operation.
fn holds(shape: &Shape, condition: &Condition) -> bool {
    match condition {
        Condition::Flag(name, on) => attribute(&shape.op, name) == Some(Attribute::Flag(*on)),
        Condition::Is(name, text) => match attribute(&shape.op, name) {
            Some(Attribute::Text(t)) => t == text,
            Some(Attribute::Number(n)) => n.to_string() == *text,
            _ => false,
        },
    }
}

/// The nodes that a pattern matches, with the widths and kinds of the operands it names.
fn nodes(pattern: &Pattern, width: Option<u32>) -> Vec<(Node, Vec<(String, u32, Kinds)>)> {
    let mut found = Vec::new();
    for shape in shapes(pattern.head) {
        let fits = shape.args.len() == pattern.args.len()
            && width.is_none_or(|w| shape.results.first() == Some(&w))
            && pattern.suffix.as_ref().is_none_or(|s| *s == shape.suffix())
            && pattern.conditions.iter().all(|c| holds(&shape, c));
        if !fits {
            continue;
        }
        let mut partial: Vec<(Vec<Operand>, Vec<(String, u32, Kinds)>)> = vec![(Vec::new(), Vec::new())];
        for (arg, &w) in pattern.args.iter().zip(&shape.args) {
            let choices: Vec<(Operand, Vec<(String, u32, Kinds)>)> = match arg {
                Arg::Any => vec![(Operand::Free(None), Vec::new())],
                Arg::Integer(n) => vec![(Operand::Integer(*n), Vec::new())],
                Arg::Bind { name, kinds } => {
                    vec![(Operand::Free(Some(name.clone())), vec![(name.clone(), w, *kinds)])]
                }
                Arg::Node(inner) => nodes(inner, Some(w))
                    .into_iter()
                    .map(|(node, names)| (Operand::Node(Box::new(node)), names))
                    .collect(),
            };
            partial = partial
                .iter()
                .flat_map(|(args, names)| {
                    choices.iter().map(move |(operand, more)| {
                        let args = args.iter().cloned().chain([operand.clone()]).collect();
                        (args, names.iter().cloned().chain(more.iter().cloned()).collect())
                    })
                })
                .collect();
        }
        for (args, names) in partial {
            found.push((Node { shape: shape.clone(), name: pattern.name.clone(), args }, names));
        }
    }
    found
}

/// The ways in which an operand can be matched; `small` are the values that its immediate may have, if its field is narrow.
fn ways(width: u32, kinds: Kinds, small: Option<&[u64]>) -> Vec<How> {
    let modifiers: &[(bool, bool)] = match (width, kinds.modifiers) {
        (1, _) => &[(false, false), (true, false)],
        (_, true) => &[(false, false), (true, false), (false, true), (true, true)],
        _ => &[(false, false)],
    };
    let mut all = Vec::new();
    if kinds.register {
        let register = |&(negate, absolute)| How::Register { zero: false, negate, absolute };
        all.extend(modifiers.iter().map(register));
        all.extend((width > 1).then_some(How::Register { zero: true, negate: false, absolute: false }));
    }
    if kinds.half {
        let halves: &[bool] = if width == 32 { &[false, true] } else { &[true] };
        let each = |&high: &bool| {
            modifiers.iter().map(move |&(negate, absolute)| How::Half { high, negate, absolute })
        };
        all.extend(halves.iter().flat_map(each));
    }
    all.extend(kinds.byte.then_some(How::Byte));
    if kinds.count {
        all.extend((1..32).map(|v| How::Immediate(Some(v))));
    }
    if kinds.shift {
        all.extend((0..32).map(|v| How::Immediate(Some(v))));
    }
    if kinds.immediate && (2..=64).contains(&width) {
        match small {
            Some(values) => all.extend(values.iter().map(|&v| How::Immediate(Some(v)))),
            None => all.push(How::Immediate(None)),
        }
    }
    if kinds.float64 && width == 64 {
        all.push(How::High);
    }
    if kinds.constant && width >= 32 {
        all.extend(modifiers.iter().map(|&(negate, absolute)| How::Bank { negate, absolute }));
    }
    all
}

/// Every way in which a row can apply on a chip.
pub fn instances(row: &Row, chip: Chip) -> Vec<Instance> {
    let mut all = Vec::new();
    for (root, names) in nodes(&row.pattern, None) {
        let mut partial = vec![BTreeMap::new()];
        for (name, width, kinds) in &names {
            let small = narrow(row, name, chip);
            let kinds = Kinds { constant: kinds.constant && chip.has_constant_operands(), ..*kinds };
            let choices = ways(*width, kinds, small.as_deref());
            partial = partial
                .iter()
                .flat_map(|map: &BTreeMap<String, (u32, How)>| {
                    choices.iter().map(move |how| {
                        let mut map = map.clone();
                        map.insert(name.clone(), (*width, *how));
                        map
                    })
                })
                .collect();
        }
        all.extend(partial.into_iter().map(|operands| Instance { chip, root: root.clone(), operands }));
    }
    all.retain(|instance| !wraps(instance));
    all
}

/// Whether an access counts downwards from address zero: no byte of any window lies there, and the program is undefined (A-UB).
fn wraps(instance: &Instance) -> bool {
    let offset = match instance.root.shape.op {
        Op::Load(a) | Op::Store(a) | Op::Atomic { access: a, .. } => a.offset,
        _ => return false,
    };
    let base = match instance.root.args.first() {
        Some(Operand::Free(Some(name))) => instance.operands.get(name),
        _ => None,
    };
    offset < 0 && matches!(base, Some((_, How::Register { zero: true, .. })))
}

/// Values to try of an immediate that goes to a field of less than 32 bits: all of them up to 8 bits, else the ends of every
/// power of two; and some that do not fit. None if every field that takes it is wide enough for all values at once.
fn narrow(row: &Row, name: &str, chip: Chip) -> Option<Vec<u64>> {
    let mut bits: Option<u32> = None;
    for action in &row.actions {
        let Action::Emit(emit) = action else { continue };
        for (field, value) in &emit.fields {
            if !matches!(value, Value::Operand(n, _) if n == name) {
                continue;
            }
            let id: String = emit
                .form
                .iter()
                .map(|piece| match piece {
                    FormPiece::Text(t) => t.clone(),
                    FormPiece::Kind(_) => "i".to_owned(),
                })
                .collect();
            let Some(form) = sassafras_isa::form_on(&id, chip) else { continue };
            let Some(index) = form.get().field(field) else { continue };
            let field = &form.get().fields[index];
            if !matches!(field.kind, FieldKind::Register { .. }) && field.bits.len() < 32 {
                let width = field.bits.len() as u32;
                bits = Some(bits.map_or(width, |b: u32| b.min(width)));
            }
        }
    }
    let bits = bits?;
    let mut values: Vec<u64> = if bits <= 8 {
        (0..1 << bits).collect()
    } else {
        (0..bits).flat_map(|i| [(1u64 << i) - 1, 1 << i, (1 << i) + 1]).chain([(1 << bits) - 1]).collect()
    };
    values.extend([1 << bits, (1 << bits) + 1, 0xffff_ffff]);
    values.sort_unstable();
    values.dedup();
    Some(values)
}
