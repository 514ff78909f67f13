//! Rewrites by rows: matching of [`sassafras_rules::rewrite`], and building of what takes the place.

use sassafras_ir::{Function, InstData, Op, Type, Uses, Value};
use sassafras_rules::rewrite::proved::Proved;
use sassafras_rules::rewrite::{Rewrite, Rewrites, Typed, TypedArg};
use std::sync::OnceLock;

/// A row at a width of its subject.
struct At {
    row: &'static Rewrite,
    n: u32,
    pattern: Typed,
    replacement: TypedArg,
}

/// The rows with one operation at their root.
struct Root {
    op: Op,
    rows: Vec<&'static Rewrite>,
    /// Those of them that are proved, each at all its widths: worked out when the operation first comes.
    at: OnceLock<Vec<At>>,
}

/// The rows with an operation at their root, in the order of the files.
fn rows(op: &Op) -> Option<&'static [At]> {
    static ROOTS: OnceLock<Vec<Root>> = OnceLock::new();
    let roots = ROOTS.get_or_init(|| {
        let mut all: Vec<Root> = Vec::new();
        for row in Rewrites::unproved() {
            match all.iter_mut().find(|root| root.op == row.pattern.op) {
                Some(root) => root.rows.push(row),
                None => all.push(Root { op: row.pattern.op, rows: vec![row], at: OnceLock::new() }),
            }
        }
        all
    });
    let root = roots.iter().find(|root| root.op == *op)?;
    let at = root.at.get_or_init(|| {
        let proved = root.rows.iter().filter(|row| Proved::get().stands(row));
        let each = proved.flat_map(|&row| {
            row.widths().into_iter().filter_map(move |n| {
                let (pattern, replacement) = row.typed(n)?;
                Some(At { row, n, pattern, replacement })
            })
        });
        each.collect()
    });
    Some(at.as_slice())
}

/// What takes an instruction's place.
pub(crate) enum New {
    /// Its only result is this value.
    Value(Value),
    /// Its only result is this constant.
    Constant(u128),
    /// Another operation. Of its arguments, those that are built stand before it.
    Op(Op, Vec<Built>),
}

/// An argument of what takes an instruction's place.
pub(crate) enum Built {
    /// A value that is there.
    Value(Value),
    /// A constant.
    Constant(Type, u128),
    /// A new operation.
    Op(Op, Type, Vec<Built>),
}

/// What the first row that matches makes of an instruction, with the row's name.
pub(crate) fn rewrite(f: &Function, uses: &Uses, data: &InstData) -> Option<(&'static str, New)> {
    let [result] = data.results[..] else { return None };
    // Where a guard is false the result is another.
    if data.guard.is_some() {
        return None;
    }
    let rows = rows(&data.op)?;
    let width = f.ty(result).bits();
    rows.iter().filter(|at| at.pattern.width == width).find_map(|at| {
        let mut bindings = Bindings { f, uses, values: Vec::new() };
        bindings.args(&at.pattern, data, &mut |found| found.holds(at)).then_some(())?;
        Some((at.row.name.as_str(), bindings.place(at)?))
    })
}

#[derive(Clone)]
struct Bindings<'f> {
    f: &'f Function,
    uses: &'f Uses,
    values: Vec<(&'static str, Value)>,
}

impl Bindings<'_> {
    /// Matches the arguments, and then asks whether what is bound will do; where it will not, those of an operation that commutes the
    /// other way round.
    fn args(
        &mut self,
        node: &'static Typed,
        data: &InstData,
        then: &mut dyn FnMut(&mut Self) -> bool,
    ) -> bool {
        if data.op != node.op || data.args.len() != node.args.len() {
            return false;
        }
        let kept = self.values.len();
        if self.each(&node.args, &data.args, then) {
            return true;
        }
        self.values.truncate(kept);
        if data.op.commutes() && data.args.len() >= 2 {
            let mut other = data.args.clone();
            other.swap(0, 1);
            if self.each(&node.args, &other, then) {
                return true;
            }
            self.values.truncate(kept);
        }
        false
    }

    fn each(
        &mut self,
        patterns: &'static [(TypedArg, u32)],
        values: &[Value],
        then: &mut dyn FnMut(&mut Self) -> bool,
    ) -> bool {
        let (Some(((pattern, width), patterns)), Some((&value, values))) =
            (patterns.split_first(), values.split_first())
        else {
            return then(self);
        };
        let f = self.f;
        if f.ty(value).bits() != *width {
            return false;
        }
        let kept = self.values.len();
        let fits = match pattern {
            TypedArg::Name(name) => self.bind(name, value),
            TypedArg::Constant(name) => f.constant(value).is_some() && self.bind(name, value),
            TypedArg::Number(n) => f.constant(value) == Some(cut(*n, *width)),
            TypedArg::Computed(_) => false,
            TypedArg::Node(node) => {
                let Some(inner) = f.def(value) else { return false };
                let inner = &f.insts[inner];
                let alone = inner.results.len() == 1
                    && inner.guard.is_none()
                    && (!node.sole || self.uses.count(value) == 1);
                return alone && self.args(node, inner, &mut |found| found.each(patterns, values, then));
            }
        };
        if fits && self.each(patterns, values, then) {
            return true;
        }
        self.values.truncate(kept);
        false
    }

    /// The same value, or the same constant, for one name.
    fn bind(&mut self, name: &'static str, value: Value) -> bool {
        match self.value(name) {
            Some(other) if other == value => true,
            Some(other) => {
                let constant = self.f.constant(value);
                constant.is_some() && constant == self.f.constant(other)
            }
            None => {
                self.values.push((name, value));
                true
            }
        }
    }

    fn value(&self, name: &str) -> Option<Value> {
        self.values.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }

    fn constant(&self, name: &str) -> Option<u64> {
        self.value(name).and_then(|v| self.f.constant(v)).map(|bits| bits as u64)
    }

    fn holds(&self, at: &At) -> bool {
        at.row.conditions.iter().all(|c| c.holds(at.n, &|name| self.constant(name)))
    }

    fn place(&self, at: &'static At) -> Option<New> {
        Some(match self.built(&at.replacement, at.pattern.width, at.n)? {
            Built::Value(value) => New::Value(value),
            Built::Constant(_, bits) => New::Constant(bits),
            Built::Op(op, _, args) => New::Op(op, args),
        })
    }

    fn built(&self, arg: &TypedArg, width: u32, n: u32) -> Option<Built> {
        let ty = Type(width as u8);
        Some(match arg {
            TypedArg::Name(name) | TypedArg::Constant(name) => Built::Value(self.value(name)?),
            TypedArg::Number(v) => Built::Constant(ty, cut(*v, width)),
            TypedArg::Computed(e) => {
                Built::Constant(ty, cut(e.value(n, &|name| self.constant(name))?, width))
            }
            TypedArg::Node(node) => {
                let args = node.args.iter().map(|(arg, w)| self.built(arg, *w, n));
                Built::Op(node.op, ty, args.collect::<Option<Vec<_>>>()?)
            }
        })
    }
}

/// A number as a constant of so many bits.
fn cut(n: u64, width: u32) -> u128 {
    u128::from(if width >= 64 { n } else { n & ((1 << width) - 1) })
}
