//! A profile that was read, held against the code that it counts.
//!
//! Counts are of words, and placement wants them of blocks before it has run. So the code is made once as it is without a profile; its graph has to be the profile's,
//! and each block's place in it says which counts are the block's.

use super::graph::{flow, hash};
use sassafras_codegen::{Code, Counts};
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Block, Function};
use sassafras_placement::format::{self, Named, Part, Wrong};
use sassafras_placement::{Flow, Node};
use std::collections::HashMap;

/// Counts of functions, as `run --profile` writes them.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// What messages call the file.
    name: String,
    text: String,
    graphs: Vec<Named>,
}

impl Profile {
    /// Reads cfg-layout-v1 with counts.
    ///
    /// # Errors
    /// What is wrong, after the file's name, line and column.
    pub fn read(name: &str, text: &str) -> Result<Profile, String> {
        let said = |wrong: Wrong| format!("{name}:{wrong}");
        let graphs = format::read(text).map_err(said)?;
        if let Some(at) = graphs.iter().position(|graph| !graph.flow.profile()) {
            return Err(said(format::wrong(text, at, Part::Name, "this graph has no counts".into())));
        }
        Ok(Profile { name: name.to_owned(), text: text.to_owned(), graphs })
    }

    fn misfit(&self, graph: usize, part: Part, message: String) -> String {
        format!("{}:{}", self.name, format::wrong(&self.text, graph, part, message))
    }

    /// Each graph has to be of one of these functions.
    ///
    /// # Errors
    /// One that is of none.
    pub fn is_of(&self, functions: &[&str]) -> Result<(), String> {
        match self.graphs.iter().position(|graph| !functions.contains(&graph.name.as_str())) {
            None => Ok(()),
            Some(at) => {
                let message = format!("there is no function `{}`", self.graphs[at].name);
                Err(self.misfit(at, Part::Name, message))
            }
        }
    }

    /// Whether it counts a function.
    pub fn has(&self, function: &str) -> bool {
        self.graphs.iter().any(|graph| graph.name == function)
    }

    /// The counts of a function's blocks, if it counts this one and it was run. `placed` is the function as it is scheduled without a profile, `code` its words.
    ///
    /// # Errors
    /// Where the profile's graph is not that of the code.
    pub fn counts(&self, placed: &Function, code: &Code) -> Result<Option<Counts>, String> {
        let Some(at) = self.graphs.iter().position(|graph| graph.name == placed.name) else {
            return Ok(None);
        };
        let own = flow(&code.words, placed.chip, None).map_err(|why| {
            self.misfit(at, Part::Name, format!("no profile says anything of this code: {why}"))
        })?;
        let counted = &self.graphs[at].flow;
        same(&own, counted).map_err(|(part, message)| self.misfit(at, part, message))?;
        if self.graphs[at].code.is_some_and(|counted| counted != hash(&code.words)) {
            let message = "other code with this graph was counted".into();
            return Err(self.misfit(at, Part::Code, message));
        }
        if counted.nodes().next().is_none_or(|entry| counted.block(entry).frequency == 0.0) {
            return Ok(None);
        }
        Ok(Some(spread(placed, counted)))
    }
}

/// The graphs have to have the same blocks and edges.
fn same(own: &Flow, counted: &Flow) -> Result<(), (Part, String)> {
    for node in counted.nodes() {
        if node.0 as usize >= own.len() {
            return Err((Part::Block(node.0 as usize), format!("the code has {} blocks", own.len())));
        }
        let (has, is) = (counted.block(node).size, own.block(node).size);
        if has != is {
            let message = format!("block {} of the code has {is} bytes, not {has}", node.0);
            return Err((Part::Block(node.0 as usize), message));
        }
    }
    if counted.len() < own.len() {
        let message = format!("the code has {} blocks, this graph {}", own.len(), counted.len());
        return Err((Part::Name, message));
    }
    let joins = |flow: &Flow, from: Node, to: Node| flow.outgoing(from).any(|edge| edge.to == to);
    if let Some(at) = counted.edges().iter().position(|edge| !joins(own, edge.from, edge.to)) {
        return Err((Part::Edge(at), "the code has no such edge".into()));
    }
    match own.edges().iter().find(|edge| !joins(counted, edge.from, edge.to)) {
        None => Ok(()),
        Some(edge) => {
            let message = format!("the edge from block {} to block {} is missing", edge.from.0, edge.to.0);
            Err((Part::Name, message))
        }
    }
}

/// The counts of a function's blocks and edges, from those of its words.
fn spread(placed: &Function, counted: &Flow) -> Counts {
    // First words of the graph's blocks and of the function's.
    let mut starts = vec![0];
    for node in counted.nodes() {
        starts.push(starts[node.0 as usize] + (counted.block(node).size / 16) as usize);
    }
    let node = |word: usize| Node((starts.partition_point(|&start| start <= word) - 1) as u32);
    let mut first: HashMap<Block, usize> = HashMap::new();
    let mut at = 0;
    for &block in &placed.layout {
        first.insert(block, at);
        at += placed.blocks[block].insts.len();
    }
    let went = |word: usize, to: usize| counted.frequency(node(word), node(to)) as u64;
    let mut counts = Counts::default();
    for &block in &placed.layout {
        let data = &placed.blocks[block];
        let start = first[&block];
        counts.blocks.insert(block, counted.block(node(start)).frequency as u64);
        let mut add = |to: Block, count: u64| *counts.edges.entry((block, to)).or_default() += count;
        for (index, inst) in data.insts.iter().enumerate() {
            let kind = inst.inst().and_then(|real| real.row().control_flow);
            if let (Some(ControlFlowKind::Branch), Some(to)) = (kind, inst.target) {
                add(to, went(start + index, first[&to]));
            }
        }
        let (last, next) = (start + data.insts.len() - 1, start + data.insts.len());
        // A branch to the next word has been counted.
        let branches = |to: Block| data.insts.last().is_some_and(|inst| inst.target == Some(to));
        let follows = data.succs.iter().map(|edge| edge.block).find(|to| first.get(to) == Some(&next));
        if let Some(to) = follows.filter(|&to| !branches(to)) {
            let within = node(last) == node(next);
            add(to, if within { counted.block(node(last)).frequency as u64 } else { went(last, next) });
        }
    }
    counts
}
