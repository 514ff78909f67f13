//! The widths at which a row can match.

use super::expression::Expression;
use super::form::{Arg, Node, Rewrite};
use sassafras_ir::Op;
use sassafras_ir::operations::Width;
use std::collections::BTreeMap;

/// Widths in bits that a row's subject may have.
pub const WIDTHS: [u32; 4] = [1, 16, 32, 64];

/// An operation with the widths of its arguments and of its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// The operation.
    pub op: Op,
    /// Width of the result in bits.
    pub width: u32,
    /// Arguments with their widths in bits.
    pub args: Vec<(TypedArg, u32)>,
    /// Whether the result may have no other use.
    pub sole: bool,
}

/// An argument whose width is known.
#[derive(Clone, Debug, PartialEq)]
pub enum TypedArg {
    /// Any value.
    Name(String),
    /// A constant.
    Constant(String),
    /// A constant of this value, cut to the width.
    Number(u64),
    /// A computed constant, cut to the width.
    Computed(Expression),
    /// An operation.
    Node(Box<Typed>),
}

impl Rewrite {
    /// The pattern and the replacement where the row's subject has `n` bits; `None` where it has no such subject.
    pub fn typed(&self, n: u32) -> Option<(Typed, TypedArg)> {
        let mut inference = Inference { n, names: BTreeMap::new(), open: false };
        let pattern = inference.node(&self.pattern, None)?;
        let replacement = inference.arg(&self.replacement, Some(pattern.width))?.0;
        // A row whose widths are all stated is one row, not one for each width.
        (inference.open || n == 32).then_some((pattern, replacement))
    }

    /// Every width that its subject can have.
    pub fn widths(&self) -> Vec<u32> {
        WIDTHS.into_iter().filter(|&n| self.typed(n).is_some()).collect()
    }
}

struct Inference {
    n: u32,
    names: BTreeMap<String, u32>,
    /// Whether a width depends on `n`.
    open: bool,
}

impl Inference {
    fn node(&mut self, node: &Node, wanted: Option<u32>) -> Option<Typed> {
        let stated = node.width.or(wanted);
        if node.width.is_some() && wanted.is_some() && node.width != wanted {
            return None;
        }
        let Some((args, results)) = node.op.signature() else {
            let args = node.args.iter().map(|arg| self.arg(arg, None)).collect::<Option<Vec<_>>>()?;
            return Some(Typed { op: node.op, width: stated?, args, sole: node.sole });
        };
        let letter = match results.first()? {
            Width::Any | Width::Number | Width::Word => stated.unwrap_or_else(|| self.subject()),
            Width::Double => stated? / 2,
            _ => match node.args.iter().find_map(|arg| self.known(arg)) {
                Some(width) => width,
                None => self.subject(),
            },
        };
        let fits = |width: &Width| match width {
            Width::Number | Width::Double => letter > 1,
            Width::Word => letter >= 32,
            _ => true,
        };
        let bits = |width: &Width| match width {
            Width::Bits(bits) => *bits,
            Width::Double => 2 * letter,
            Width::Format => node.op.format().map_or(0, |f| f.width()),
            Width::Any | Width::Number | Width::Word => letter,
        };
        let width = bits(results.first()?);
        let right = args.iter().chain(results).all(fits) && args.len() == node.args.len();
        if !right || results.len() != 1 || stated.is_some_and(|stated| stated != width) {
            return None;
        }
        let typed = node.args.iter().zip(args).map(|(arg, w)| self.arg(arg, Some(bits(w))));
        let args = typed.collect::<Option<Vec<_>>>()?;
        Some(Typed { op: node.op, width, args, sole: node.sole })
    }

    fn subject(&mut self) -> u32 {
        self.open = true;
        self.n
    }

    /// The width that an argument states, or has from where it stood before.
    fn known(&self, arg: &Arg) -> Option<u32> {
        match arg {
            Arg::Name(name, width) | Arg::Constant(name, width) => {
                width.or_else(|| self.names.get(name).copied())
            }
            Arg::Node(node) => node.width,
            Arg::Number(_, width) => *width,
            Arg::Computed(_) => None,
        }
    }

    fn arg(&mut self, arg: &Arg, wanted: Option<u32>) -> Option<(TypedArg, u32)> {
        let known = self.known(arg);
        let width = match (known, wanted) {
            (Some(known), Some(wanted)) if known != wanted => return None,
            (known, wanted) => known.or(wanted),
        };
        Some(match arg {
            Arg::Name(name, _) => {
                self.names.insert(name.clone(), width?);
                (TypedArg::Name(name.clone()), width?)
            }
            Arg::Constant(name, _) => {
                self.names.insert(name.clone(), width?);
                (TypedArg::Constant(name.clone()), width?)
            }
            Arg::Number(n, _) => (TypedArg::Number(*n), width?),
            Arg::Computed(e) => (TypedArg::Computed(e.clone()), width?),
            Arg::Node(node) => {
                let typed = self.node(node, wanted)?;
                let width = typed.width;
                (TypedArg::Node(Box::new(typed)), width)
            }
        })
    }
}
