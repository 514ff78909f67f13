//! The tree as text, for people.

use super::{List, Node, NodeKind, Part, Tree};
use std::fmt;

/// One line for each node, indented by depth; instructions are not shown.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack = vec![(self.root, 0)];
        stack.extend(self.loose.iter().map(|&root| (root, 0)));
        stack.reverse();
        let mut heads: Vec<(Node, usize, Option<Part>)> =
            stack.into_iter().map(|(n, d)| (n, d, None)).collect();
        while let Some((node, depth, part)) = heads.pop() {
            write!(f, "{:indent$}", "", indent = 2 * depth)?;
            if let Some(part) = part {
                writeln!(f, "{}", if part == Part::Then { "then" } else { "else" })?;
                let nodes = self.nodes(List { owner: node, part });
                heads.extend(nodes.iter().rev().map(|&node| (node, depth + 1, None)));
                continue;
            }
            match self.nodes[node].kind {
                NodeKind::Block(block) => {
                    write!(f, "{block}")?;
                    if let Some(jump) = self.jumps[block] {
                        write!(f, " {jump:?}")?;
                    }
                    writeln!(f)?;
                }
                NodeKind::If { condition, divergent, .. } => {
                    writeln!(f, "if {condition}{}", if divergent { " divergent" } else { "" })?;
                    heads.push((node, depth, Some(Part::Else)));
                    heads.push((node, depth, Some(Part::Then)));
                }
                NodeKind::Loop { divergent, .. } => {
                    writeln!(f, "loop{}", if divergent { " divergent" } else { "" })?;
                    let nodes = self.nodes(List::body(node));
                    heads.extend(nodes.iter().rev().map(|&node| (node, depth + 1, None)));
                }
                kind @ (NodeKind::Function | NodeKind::Loose) => {
                    writeln!(f, "{}", if kind == NodeKind::Loose { "loose" } else { "function" })?;
                    let nodes = self.nodes(List::body(node));
                    heads.extend(nodes.iter().rev().map(|&node| (node, depth + 1, None)));
                }
            }
        }
        Ok(())
    }
}
