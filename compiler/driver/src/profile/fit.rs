//! A profile that was read, held against the code that it counts.
//!
//! Counts are of words, and placement wants them of blocks before it has run. So the code is made once as it is without a profile; its graph has to be the profile's,
//! and each block's place in it says which counts are the block's.

use super::graph::{GraphError, flow, hash};
use sassafras_codegen::{Code, Counts};
use sassafras_isa::ControlFlowKind;
use sassafras_machine::{Block, Function};
use sassafras_placement::format::{self, Named, Part};
use sassafras_placement::{Flow, Node};
use std::collections::HashMap;

/// What is wrong with a profile, and where: line and column are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {fault}")]
pub struct ProfileError {
    /// What messages call the file.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column, in bytes.
    pub column: usize,
    /// What is wrong.
    pub fault: ProfileFault,
}

/// What is wrong with a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileFault {
    /// It is no cfg-layout-v1.
    #[error("{0}")]
    Text(String),
    /// A graph has no counts.
    #[error("this graph has no counts")]
    NoCounts,
    /// A graph is of none of the functions that are compiled.
    #[error("there is no function `{0}`")]
    NoFunction(String),
    /// The code has no graph.
    #[error("no profile says anything of this code: {0}")]
    NoGraph(GraphError),
    /// Other code with the same graph was counted.
    #[error("other code with this graph was counted")]
    OtherCode,
    /// The graph has more blocks than the code.
    #[error("the code has {code} blocks")]
    MoreBlocks {
        /// Blocks of the code.
        code: usize,
    },
    /// The graph has fewer.
    #[error("the code has {code} blocks, this graph {graph}")]
    FewerBlocks {
        /// Blocks of the code.
        code: usize,
        /// Blocks of the graph.
        graph: usize,
    },
    /// A block has another size than in the code.
    #[error("block {block} of the code has {code} bytes, not {graph}")]
    BlockSize {
        /// Its number.
        block: u32,
        /// Bytes in the code.
        code: u64,
        /// Bytes in the graph.
        graph: u64,
    },
    /// The code has no such edge.
    #[error("the code has no such edge")]
    NoSuchEdge,
    /// The graph lacks an edge of the code.
    #[error("the edge from block {from} to block {to} is missing")]
    MissingEdge {
        /// The number of the block where it begins.
        from: u32,
        /// That of the block where it leads.
        to: u32,
    },
}

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
    /// What is wrong, and where.
    pub fn read(name: &str, text: &str) -> Result<Profile, ProfileError> {
        let graphs = format::read(text).map_err(|wrong| ProfileError {
            file: name.to_owned(),
            line: wrong.line,
            column: wrong.column,
            fault: ProfileFault::Text(wrong.message),
        })?;
        let profile = Profile { name: name.to_owned(), text: text.to_owned(), graphs };
        match profile.graphs.iter().position(|graph| !graph.flow.profile()) {
            Some(at) => Err(profile.misfit(at, Part::Name, ProfileFault::NoCounts)),
            None => Ok(profile),
        }
    }

    fn misfit(&self, graph: usize, part: Part, fault: ProfileFault) -> ProfileError {
        let (line, column) = format::position(&self.text, graph, part);
        ProfileError { file: self.name.clone(), line, column, fault }
    }

    /// Each graph has to be of one of these functions.
    ///
    /// # Errors
    /// One that is of none.
    pub fn is_of(&self, functions: &[&str]) -> Result<(), ProfileError> {
        match self.graphs.iter().position(|graph| !functions.contains(&graph.name.as_str())) {
            None => Ok(()),
            Some(at) => {
                let fault = ProfileFault::NoFunction(self.graphs[at].name.clone());
                Err(self.misfit(at, Part::Name, fault))
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
    pub fn counts(&self, placed: &Function, code: &Code) -> Result<Option<Counts>, ProfileError> {
        let Some(at) = self.graphs.iter().position(|graph| graph.name == placed.name) else {
            return Ok(None);
        };
        let own = flow(&code.words, placed.chip, None)
            .map_err(|why| self.misfit(at, Part::Name, ProfileFault::NoGraph(why)))?;
        let counted = &self.graphs[at].flow;
        same(&own, counted).map_err(|(part, fault)| self.misfit(at, part, fault))?;
        if self.graphs[at].code.is_some_and(|counted| counted != hash(&code.words)) {
            return Err(self.misfit(at, Part::Code, ProfileFault::OtherCode));
        }
        if counted.nodes().next().is_none_or(|entry| counted.block(entry).frequency == 0.0) {
            return Ok(None);
        }
        Ok(Some(spread(placed, counted)))
    }
}

/// The graphs have to have the same blocks and edges.
fn same(own: &Flow, counted: &Flow) -> Result<(), (Part, ProfileFault)> {
    for node in counted.nodes() {
        if node.0 as usize >= own.len() {
            return Err((Part::Block(node.0 as usize), ProfileFault::MoreBlocks { code: own.len() }));
        }
        let (has, is) = (counted.block(node).size, own.block(node).size);
        if has != is {
            let fault = ProfileFault::BlockSize { block: node.0, code: is, graph: has };
            return Err((Part::Block(node.0 as usize), fault));
        }
    }
    if counted.len() < own.len() {
        return Err((Part::Name, ProfileFault::FewerBlocks { code: own.len(), graph: counted.len() }));
    }
    let joins = |flow: &Flow, from: Node, to: Node| flow.outgoing(from).any(|edge| edge.to == to);
    if let Some(at) = counted.edges().iter().position(|edge| !joins(own, edge.from, edge.to)) {
        return Err((Part::Edge(at), ProfileFault::NoSuchEdge));
    }
    match own.edges().iter().find(|edge| !joins(counted, edge.from, edge.to)) {
        None => Ok(()),
        Some(edge) => {
            let fault = ProfileFault::MissingEdge { from: edge.from.0, to: edge.to.0 };
            Err((Part::Name, fault))
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
