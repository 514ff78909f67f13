//! The graphs of `nvdisasm -cfg` and `-bbcfg`, for Graphviz.

use super::blocks::{Block, blocks};
use super::json::functions;
use super::section::{Context, words};
use super::{Labels, Listing, Look, UnknownWord, unknown};
use sassafras_cubin::elf::{Image, Symbol, constants as c};
use sassafras_isa::{Chip, Control, Inst, decode};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nodes {
    /// A basic block: `-bbcfg`.
    Blocks,
    /// A block with those that follow it and can be entered from it alone: `-cfg`.
    Hyperblocks,
}

/// One function's drawing.
struct Drawing<'a> {
    context: &'a Context<'a>,
    insts: &'a [Inst],
    /// Words without a form, by index; the instruction in their place is none.
    data: &'a BTreeMap<usize, u128>,
    offsets: bool,
    /// Blocks without a label so far, over the whole file.
    nameless: &'a mut usize,
}

pub(super) fn write(
    image: &Image,
    chip: Chip,
    look: Look,
    nodes: Nodes,
    labels: &Labels,
    out: &mut Listing,
) -> Result<(), UnknownWord> {
    out.text.push_str("digraph f {\n");
    let mut nameless = 0;
    for (index, section) in image.sections.iter().enumerate().filter(|(_, s)| s.flags & c::EXEC != 0) {
        let context = Context::new(index, section, chip, look, labels);
        let mut insts = Vec::new();
        let mut data = BTreeMap::new();
        for (i, word) in words(section).enumerate() {
            insts.push(match decode(word, chip) {
                Ok(inst) => inst,
                Err(error) => {
                    let found = unknown(section, 16 * i as u64, word, error);
                    // Control goes past a word that nobody knows.
                    let nop = super::nop().filter(|_| look.lenient).ok_or_else(|| found.clone())?;
                    out.unknown.push(found);
                    data.insert(i, word);
                    nop
                }
            });
        }
        let mut first = true;
        for (symbol, range) in functions(image, index, insts.len()) {
            if range.is_empty() {
                continue;
            }
            let mut drawing = Drawing {
                context: &context,
                insts: &insts,
                data: &data,
                offsets: look.offsets,
                nameless: &mut nameless,
            };
            let own = first.then_some(section.name.as_str());
            first = false;
            let _ = writeln!(out.text, "subgraph \"cluster_{}\" {{", symbol.name);
            let list = blocks(&insts, range, index, labels);
            match nodes {
                Nodes::Blocks => drawing.blocks(&list, symbol, own, &mut out.text),
                Nodes::Hyperblocks => drawing.hyperblocks(&list, symbol, own, &mut out.text),
            }
            out.text.push_str("}\n");
        }
    }
    out.text.push_str("}\n");
    Ok(())
}

/// What stands before a node's name.
const NODE: &str = "node [fontname=\"Courier\",fontsize=10,shape=Mrecord];\n";

impl Drawing<'_> {
    /// A node for each block.
    fn blocks(&mut self, list: &[Block], symbol: &Symbol, own: Option<&str>, out: &mut String) {
        let names: Vec<String> = list.iter().map(|b| self.name(b, symbol)).collect();
        for (i, (block, name)) in list.iter().zip(&names).enumerate() {
            let _ = write!(out, "{NODE}\"{name}\"\n[label=\"{{<entry>");
            self.head(block, symbol, own, out);
            let last = block.range.end - usize::from(block.leaves);
            self.lines(block.range.start..last, out);
            if block.leaves {
                out.push_str("|<exit0>");
                self.lines(last..block.range.end, out);
            }
            out.push_str("}\"]\n");
            for target in &block.targets {
                self.edge(name, "exit0:e", &self.place(*target), out);
            }
            if block.falls {
                let from = if block.leaves { "exit0:s" } else { "entry:s" };
                let next = names.get(i + 1).cloned().unwrap_or_default();
                self.edge(name, from, &next, out);
            }
        }
    }

    /// A node for each block that others enter, with the nameless ones behind it.
    fn hyperblocks(&mut self, list: &[Block], symbol: &Symbol, own: Option<&str>, out: &mut String) {
        let named = |block: &Block| block.range.start == list[0].range.start || self.label(block).is_some();
        let mut at = 0;
        while at < list.len() {
            let count = 1 + list[at + 1..].iter().take_while(|b| !named(b)).count();
            let node = &list[at..at + count];
            at += count;
            let name = self.label(&node[0]).unwrap_or_else(|| symbol.name.clone());
            let _ = write!(out, "{NODE}\"{name}\"\n[label=\"{{<entry>");
            self.head(&node[0], symbol, own, out);
            let mut edges: Vec<(String, String)> = Vec::new();
            let (mut exits, mut from) = (0, "entry:s".to_owned());
            for block in node {
                let last = block.range.end - usize::from(block.leaves);
                if exits > 0 && last > block.range.start {
                    let _ = write!(out, "|<exitpost{}>", exits - 1);
                    from = format!("exitpost{}:s", exits - 1);
                }
                self.lines(block.range.start..last, out);
                if block.leaves {
                    let _ = write!(out, "|<exit{exits}>");
                    self.lines(last..block.range.end, out);
                    let targets = block.targets.iter().map(|t| (format!("exit{exits}:e"), self.place(*t)));
                    edges.extend(targets);
                    from = format!("exit{exits}:s");
                    exits += 1;
                }
            }
            out.push_str("}\"]\n");
            for (from, to) in edges {
                self.edge(&name, &from, &to, out);
            }
            if node.last().is_some_and(|block| block.falls)
                && let Some(next) = list.get(at)
            {
                self.edge(&name, &from, &self.label(next).unwrap_or_default(), out);
            }
        }
    }

    fn label(&self, block: &Block) -> Option<String> {
        self.context.labels.at(self.context.section, 16 * block.range.start as u64)
    }

    fn name(&mut self, block: &Block, symbol: &Symbol) -> String {
        if 16 * block.range.start as u64 == symbol.value {
            return symbol.name.clone();
        }
        self.label(block).unwrap_or_else(|| {
            *self.nameless += 1;
            format!("BB{}", *self.nameless - 1)
        })
    }

    fn place(&self, address: u64) -> String {
        self.context
            .labels
            .reference(self.context.section, address)
            .unwrap_or_else(|| format!("{address:#x}"))
    }

    fn edge(&self, name: &str, from: &str, to: &str, out: &mut String) {
        let _ = writeln!(out, "\"{name}\":{from} -> \"{to}\":entry:n [style=solid];");
    }

    /// What stands before the first instruction: the function's directives, or a label.
    fn head(&self, block: &Block, symbol: &Symbol, own: Option<&str>, out: &mut String) {
        let Context { section, labels, .. } = self.context;
        let address = 16 * block.range.start as u64;
        if address != symbol.value {
            if let Some(label) = labels.at(*section, address) {
                let _ = write!(out, "{label}:\\l");
            }
            return;
        }
        let name = &symbol.name;
        let binding = match symbol.info >> 4 {
            1 => Some(".global"),
            2 => Some(".weak"),
            _ => None,
        };
        if binding.is_none() {
            own.iter().for_each(|own| out.push_str(&format!("{own}:\\l")));
        }
        binding.iter().for_each(|b| out.push_str(&format!("\t{b}\t\t{name}\\l")));
        let end = labels
            .reference(*section, symbol.value.saturating_add(symbol.size))
            .unwrap_or_else(|| format!("{:#x}", symbol.size));
        let _ = write!(out, "\t.type\t\t{name},@function\\l\t.size\t\t{name},({end}\\ -\\ {name})\\l");
        if symbol.other & c::STO_ENTRY != 0 {
            let _ = write!(out, "\t.other\t\t{name},\\<no\\ object\\>\\l");
        }
        let _ = write!(out, "{name}:\\l");
        if binding.is_some() {
            own.iter().for_each(|own| out.push_str(&format!("{own}:\\l")));
        }
    }

    fn lines(&self, range: std::ops::Range<usize>, out: &mut String) {
        let mut text = String::new();
        for i in range {
            let (inst, address) = (&self.insts[i], 16 * i as u64);
            text.clear();
            if self.offsets {
                let _ = write!(text, "{address:04x}: ");
            }
            text.push_str("  ");
            match self.data.get(&i) {
                Some(word) => {
                    let _ = write!(text, ".quad {:#018x}, {:#018x}", *word as u64, (word >> 64) as u64);
                }
                None => self.context.text(inst, address, &mut text),
            }
            match self.context.branch_targets(address) {
                Some(targets) => text.push_str(&format!("  {targets};")),
                None => text.push_str(if inst.control == Control::SILENT { ";" } else { " ;" }),
            }
            for c in text.chars() {
                if " []<>|{}\"".contains(c) {
                    out.push('\\');
                }
                out.push(c);
            }
            out.push_str("\\l");
        }
    }
}
