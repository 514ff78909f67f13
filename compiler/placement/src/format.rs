//! cfg-layout-v1, graphs to be placed, and cfg-order-v1, orders of their blocks: JSON.
//!
//! ```json
//! {"format": "cfg-layout-v1", "graphs": [
//!   {"name": "g", "entry": 0,
//!    "blocks": [{"id": 0, "size": 48, "count": 10}, {"id": 1, "size": 16, "count": 10}],
//!    "edges": [{"src": 0, "dst": 1, "count": 10}]}]}
//! {"format": "cfg-order-v1", "solver": "ext-tsp", "orders": {"g": [0, 1]}}
//! ```
//!
//! Sizes are bytes, counts executions; numbers of blocks are their places. Without any counts in a graph they are estimated. Blocks may have `cold`,
//! `landing`, `fixed` and `divergent` (true or false) and a `region`, an index of the graph's `regions`, each of which
//! names the one around it or null. A graph may have `code`, a hash of the code that was counted (sixteen hexadecimal digits). Edges may have a `kind` (`fall-through`, `conditional`, `unconditional`, `indirect`) and
//! a `hint` (`likely`, `unlikely`). `family`, `walks` and `back` are read and say nothing. Every other name is an error.

mod locate;
mod named;
mod write;

use crate::{Block, Edge, Error, Flow, Hint, Kind, Node, estimate};
use locate::{Step, locate};
use serde::Deserialize;
use std::collections::BTreeMap;

pub use named::Named;
pub use write::{write, write_graphs};

/// What is wrong, and where, both counted from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// The line.
    pub line: usize,
    /// The column, in bytes.
    pub column: usize,
    /// What.
    pub message: String,
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Wrong {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    graphs: Vec<RawGraph>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGraph {
    name: String,
    code: Option<String>,
    entry: u32,
    blocks: Vec<RawBlock>,
    edges: Vec<RawEdge>,
    #[serde(default)]
    regions: Vec<Option<u32>>,
    #[serde(default, rename = "family")]
    _family: Option<String>,
    #[serde(default, rename = "walks")]
    _walks: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBlock {
    id: u32,
    size: u64,
    count: Option<u64>,
    #[serde(default)]
    cold: bool,
    #[serde(default)]
    landing: bool,
    #[serde(default)]
    fixed: bool,
    #[serde(default)]
    divergent: bool,
    region: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEdge {
    src: u32,
    dst: u32,
    count: Option<u64>,
    kind: Option<RawKind>,
    hint: Option<RawHint>,
    #[serde(default, rename = "back")]
    _back: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawKind {
    FallThrough,
    Conditional,
    Unconditional,
    Indirect,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawHint {
    Likely,
    Unlikely,
}

/// Reads cfg-layout-v1.
///
/// # Errors
/// The first thing that is wrong.
pub fn read(text: &str) -> Result<Vec<Named>, Wrong> {
    let file: File = serde_json::from_str(text).map_err(|error| syntax(&error))?;
    let at = |path: &[Step], message: String| {
        let (line, column) = locate(text, path);
        Wrong { line, column, message }
    };
    if file.format != "cfg-layout-v1" {
        let message = format!("the format is `{}`, not `cfg-layout-v1`", file.format);
        return Err(at(&[Step::Name("format")], message));
    }
    let mut names = BTreeMap::new();
    let mut all = Vec::with_capacity(file.graphs.len());
    for (index, raw) in file.graphs.into_iter().enumerate() {
        let graph = [Step::Name("graphs"), Step::Index(index)];
        if names.insert(raw.name.clone(), ()).is_some() {
            let path = [&graph[..], &[Step::Name("name")]].concat();
            return Err(at(&path, format!("a graph is called `{}` already", raw.name)));
        }
        let name = raw.name.clone();
        let code = raw.code.as_deref().map(digits).transpose().map_err(|NoHash| {
            let path = [&graph[..], &[Step::Name("code")]].concat();
            let text = raw.code.as_deref().unwrap_or_default();
            at(&path, format!("`{text}` is not sixteen hexadecimal digits"))
        })?;
        let flow = flow(raw).map_err(|(path, message)| at(&[&graph[..], &path].concat(), message))?;
        all.push(Named { name, flow, code });
    }
    Ok(all)
}

/// A text is no hash of code.
struct NoHash;

/// A hash as sixteen hexadecimal digits.
fn digits(text: &str) -> Result<u64, NoHash> {
    let sound = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if sound { u64::from_str_radix(text, 16).map_err(|_| NoHash) } else { Err(NoHash) }
}

fn flow(raw: RawGraph) -> Result<Flow, (Vec<Step>, String)> {
    let block = |index: usize| vec![Step::Name("blocks"), Step::Index(index)];
    let edge = |index: usize| vec![Step::Name("edges"), Step::Index(index)];
    if let Some(index) = (0..raw.blocks.len()).find(|&index| raw.blocks[index].id as usize != index) {
        let id = raw.blocks[index].id;
        return Err((block(index), format!("block {id} stands at place {index}: numbers are places")));
    }
    let counted = raw.blocks.iter().any(|block| block.count.is_some())
        || raw.edges.iter().any(|edge| edge.count.is_some());
    if counted {
        if let Some(index) = raw.blocks.iter().position(|block| block.count.is_none()) {
            return Err((block(index), "this block has no count, and others have".into()));
        }
        if let Some(index) = raw.edges.iter().position(|edge| edge.count.is_none()) {
            return Err((edge(index), "this edge has no count, and others have".into()));
        }
    }
    let mut ways = vec![0usize; raw.blocks.len()];
    for edge in &raw.edges {
        if let Some(count) = ways.get_mut(edge.src as usize) {
            *count += 1;
        }
    }
    let kind = |edge: &RawEdge| match edge.kind {
        Some(RawKind::FallThrough) => Kind::FallThrough,
        Some(RawKind::Conditional) => Kind::Conditional,
        Some(RawKind::Unconditional) => Kind::Unconditional,
        Some(RawKind::Indirect) => Kind::Indirect,
        None if edge.dst == edge.src.wrapping_add(1) => Kind::FallThrough,
        None if ways.get(edge.src as usize).is_some_and(|&count| count > 1) => Kind::Conditional,
        None => Kind::Unconditional,
    };
    let edges: Vec<Edge> = raw
        .edges
        .iter()
        .map(|edge| Edge {
            from: Node(edge.src),
            to: Node(edge.dst),
            frequency: edge.count.unwrap_or(0) as f64,
            kind: kind(edge),
        })
        .collect();
    let blocks = raw.blocks.iter().map(|block| Block {
        size: block.size,
        frequency: block.count.unwrap_or(0) as f64,
        cold: block.cold,
        landing: block.landing,
        fixed: block.fixed,
        divergent: block.divergent,
        region: block.region,
    });
    let made = Flow::new(Node(raw.entry), blocks.collect(), edges, raw.regions, counted);
    let mut flow = made.map_err(|error| {
        let path = match error {
            Error::Entry => vec![Step::Name("entry")],
            Error::Missing(index) | Error::Twice(index) | Error::EdgeFrequency(index) => edge(index),
            Error::Nest(index) => vec![Step::Name("regions"), Step::Index(index)],
            Error::Size => vec![Step::Name("blocks")],
            Error::BlockFrequency(index)
            | Error::Region(index)
            | Error::Fixed(index)
            | Error::Across(index) => block(index),
        };
        (path, error.to_string())
    })?;
    if !counted {
        let hints: Vec<Hint> = raw
            .edges
            .iter()
            .map(|edge| match edge.hint {
                None => Hint::None,
                Some(RawHint::Likely) => Hint::Likely,
                Some(RawHint::Unlikely) => Hint::Unlikely,
            })
            .collect();
        estimate(&mut flow, &hints);
    }
    Ok(flow)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Orders {
    format: String,
    #[serde(rename = "solver")]
    _solver: Option<String>,
    orders: BTreeMap<String, Vec<u32>>,
}

/// Reads cfg-order-v1: the order of each graph, by its name.
///
/// # Errors
/// The first thing that is wrong.
pub fn read_orders(text: &str) -> Result<BTreeMap<String, Vec<Node>>, Wrong> {
    let file: Orders = serde_json::from_str(text).map_err(|error| syntax(&error))?;
    if file.format != "cfg-order-v1" {
        let (line, column) = locate(text, &[Step::Name("format")]);
        let message = format!("the format is `{}`, not `cfg-order-v1`", file.format);
        return Err(Wrong { line, column, message });
    }
    Ok(file.orders.into_iter().map(|(name, order)| (name, order.into_iter().map(Node).collect())).collect())
}

/// What serde says, without its place, which stands in front.
fn syntax(error: &serde_json::Error) -> Wrong {
    let message = error.to_string();
    let message = message.rsplit_once(" at line").map_or(message.as_str(), |parts| parts.0).to_owned();
    Wrong { line: error.line(), column: error.column(), message }
}

/// A part of a file of cfg-layout-v1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A graph's name.
    Name,
    /// The hash of its code.
    Code,
    /// A block, by its number.
    Block(usize),
    /// An edge, by its place in the list.
    Edge(usize),
}

/// The line and column, both counted from 1, of a part of a graph in a text that has been read; `graph` is its place in the file.
pub fn position(text: &str, graph: usize, part: Part) -> (usize, usize) {
    let part = match part {
        Part::Name => vec![Step::Name("name")],
        Part::Code => vec![Step::Name("code")],
        Part::Block(at) => vec![Step::Name("blocks"), Step::Index(at)],
        Part::Edge(at) => vec![Step::Name("edges"), Step::Index(at)],
    };
    let path = [vec![Step::Name("graphs"), Step::Index(graph)], part].concat();
    locate(text, &path)
}
