//! Text of terms: shared terms get a line of their own, the root comes last.

use super::{Node, TermId, Terms};
use rustc_hash::FxHashMap;
use std::fmt;

/// Prints a term as text; made by [`Terms::listing`].
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    terms: &'a Terms,
    root: TermId,
}

impl Terms {
    /// The term's text, for `{}`.
    pub fn listing(&self, root: TermId) -> Listing<'_> {
        Listing { terms: self, root }
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.terms.topological(&[self.root]);
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for &id in &order {
            for a in self.terms.node(id).operands() {
                *uses.entry(a).or_default() += 1;
            }
        }
        let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
        for id in order {
            let node = self.terms.node(id);
            let text = expression(self.terms, id, &node, &texts);
            let shared = uses.get(&id).is_some_and(|&n| n > 1) && !node.operands().is_empty();
            if shared {
                writeln!(f, "{id} = {text}")?;
            }
            texts.insert(id, if shared { id.to_string() } else { text });
        }
        f.write_str(&texts[&self.root])
    }
}

fn expression(terms: &Terms, id: TermId, node: &Node, texts: &FxHashMap<TermId, String>) -> String {
    let width = terms.width_of(id);
    let head = match node {
        Node::Constant(bits) => return format!("{bits:#x}:{width}"),
        Node::Variable(v) => return format!("{}:{width}", terms.name(*v)),
        Node::Undef { serial, why } => return format!("undef{serial}[{why}]:{width}"),
        Node::Unary(op, _) => format!("{op:?}"),
        Node::Binary(op, ..) => format!("{op:?}"),
        Node::Compare(op, ..) => format!("{op:?}"),
        Node::Extract { low, .. } => format!("Extract[{}..={low}]", low + width - 1),
        Node::Concat(..) => "Concat".to_owned(),
        Node::Zext(_) => format!("Zext[{width}]"),
        Node::Sext(_) => format!("Sext[{width}]"),
        Node::Ite(..) => "Ite".to_owned(),
        Node::Float { op, format, mode, .. } => format!("{op:?}[{format:?}{}]", mode_text(mode)),
        Node::FloatRelation { relation, format, ftz, .. } => {
            format!("Float{relation:?}[{format:?}{}]", if *ftz { " ftz" } else { "" })
        }
        Node::FloatToFloat { from, to, mode, .. } => {
            format!("Convert[{from:?} to {to:?}{}]", mode_text(mode))
        }
        Node::FloatToInt { from, signed, mode, nan, .. } => {
            format!(
                "Convert[{from:?} to {}{width}{} nan={nan:#x}]",
                if *signed { 'S' } else { 'U' },
                mode_text(mode)
            )
        }
        Node::IntToFloat { signed, to, mode, .. } => {
            format!("Convert[{} to {to:?}{}]", if *signed { 'S' } else { 'U' }, mode_text(mode))
        }
        Node::Approximate { function, ftz, .. } => {
            format!("Approximate[{function:?}{}]", if *ftz { " ftz" } else { "" })
        }
    };
    let args: Vec<&str> = node.operands().iter().map(|a| texts[a].as_str()).collect();
    format!("{head}({})", args.join(", "))
}

fn mode_text(mode: &crate::domain::FloatMode) -> String {
    format!(
        " {:?}{}{}",
        mode.rounding,
        if mode.ftz { " ftz" } else { "" },
        if mode.sat { " sat" } else { "" }
    )
}
