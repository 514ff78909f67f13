//! `--dump-cfg`: the documents' texts of each function's graph.

use sassafras_graph::dump::Dump;
use sassafras_graph::{ControlFlow, Graph, SecondaryMap};
use sassafras_ir as ir;
use sassafras_machine as machine;

use crate::Failure;
use crate::observe::Form;
use crate::options::{DumpKind, Options};
use crate::phase::{FormKind, Stage};

/// What to print behind each phase.
#[derive(Clone, Debug, Default)]
pub(super) struct Dumps {
    list: Vec<(Stage, DumpKind)>,
    /// Blocks of machine code are named by their places in the layout, as a knob asks.
    renumber: bool,
}

impl Dumps {
    /// What the options ask for.
    pub(super) fn new(options: &Options) -> Result<Dumps, Failure> {
        let mut list = Vec::new();
        for request in &options.dumps {
            let stage = super::named::named("dump-cfg", &request.phase)?;
            if !matches!(stage.row().form, FormKind::Ir | FormKind::Machine) {
                let what = format!("option `--dump-cfg`: {stage} leaves no graph behind");
                return Err(Failure::Request(what));
            }
            if request.kind == DumpKind::Uniformity && stage.row().form != FormKind::Ir {
                let what = format!(
                    "option `--dump-cfg`: uniformity is known behind lower and optimise, not {stage}"
                );
                return Err(Failure::Request(what));
            }
            list.push((stage, request.kind));
        }
        // Of one phase edges, then the picture, then the orders, which belong behind the picture (CFG-16).
        list.sort();
        list.dedup();
        Ok(Dumps { list, renumber: options.knobs.placement.renumber })
    }

    /// The texts for what a phase left behind.
    pub(super) fn of(&self, stage: Stage, form: Form<'_>) -> Option<String> {
        let kinds: Vec<DumpKind> =
            self.list.iter().filter(|(s, _)| *s == stage).map(|&(_, kind)| kind).collect();
        let texts = match form {
            _ if kinds.is_empty() => return None,
            Form::Ir(module) => module
                .functions
                .iter()
                .map(|f| text(f, &kinds, |block| line(f, block)) + &reasons(f, &kinds))
                .collect(),
            Form::Machine(f) => {
                let starts = starts(f);
                if self.renumber {
                    text(&renumbered(f), &kinds, |block| starts[f.layout[block.0 as usize]])
                } else {
                    text(&f.graph(), &kinds, |block| starts[block])
                }
            }
            Form::Ptx(_) | Form::Words(..) | Form::Cubin(..) => return None,
        };
        Some(texts)
    }
}

fn text<G: ControlFlow>(flow: &G, kinds: &[DumpKind], label: impl Fn(G::Block) -> u32) -> String {
    let dump = Dump::new(flow);
    let one = |kind: &DumpKind| match kind {
        DumpKind::Edges => dump.edges(),
        DumpKind::Dot => dump.dot(&label),
        DumpKind::Orders => dump.orders(),
        DumpKind::Uniformity => String::new(),
    };
    kinds.iter().map(one).collect()
}

/// A line for each branch of a function, if they are asked for.
fn reasons(f: &ir::Function, kinds: &[DumpKind]) -> String {
    match kinds.contains(&DumpKind::Uniformity) {
        true => ir::uniformity::Uniformity::new(f).explain(f).to_string(),
        false => String::new(),
    }
}

/// The first source line that a block's instructions come from; 0 for none.
fn line(f: &ir::Function, block: ir::Block) -> u32 {
    let lines = f.blocks[block].insts.iter().map(|&inst| f.insts[inst].line);
    lines.filter(|&line| line != 0).min().unwrap_or(0)
}

/// The graph with blocks named by their places in the layout.
fn renumbered(f: &machine::Function) -> Graph<machine::Block> {
    let mut place = SecondaryMap::<machine::Block, u32>::new();
    for (at, &block) in f.layout.iter().enumerate() {
        place[block] = at as u32;
    }
    let name = |block: machine::Block| machine::Block(place[block]);
    let succs = |&from: &machine::Block| f.blocks[from].succs.iter().map(move |edge| (from, edge.block));
    let edges = f.layout.iter().flat_map(succs).map(|(from, to)| (name(from), name(to)));
    Graph::new(name(f.entry), f.layout.len(), edges)
}

/// The byte offset of each block, as if every instruction were one word.
fn starts(f: &machine::Function) -> SecondaryMap<machine::Block, u32> {
    let mut starts = SecondaryMap::new();
    let mut at = 0;
    for &block in &f.layout {
        starts[block] = at;
        at += 16 * f.blocks[block].insts.len() as u32;
    }
    starts
}
