//! The merges done once more, one after the other, on a graph of our own: each is of equal instructions with equal successors, and keeps a
//! reducible graph reducible.
//!
//! A node of the graph is a chain of blocks that nothing else leads into, without blocks that have no instructions: so the graph is the same
//! whether the pass has joined blocks and passed by empty ones already, or not.
//!
//! The condition EXACT, for members X that become one and have the successors S: for every h of S let B be the members that h dominates, and E the
//! others. B is empty, or E is empty, or without E nothing leads to h. Otherwise the back edge from B starts at a place that is also
//! reached from E around h: the cycle gets two entries. An h that is a member and becomes the tail with all that it has is not asked: then it is the place
//! where the back edge starts. `tests/folding.rs` holds it against T1 and T2 on all graphs of four blocks and on random ones.

use super::choices::Choices;
use super::flow::At;
use super::reserved;
use crate::machine::kind;
use crate::paths::Paths;
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_graph::Entity;
use sassafras_isa::ControlFlowKind as K;
use sassafras_machine::{Block, Function, MInst, Merge};

/// Which instructions of the function before became one, by what is recorded.
pub(super) struct Classes {
    numbers: FxHashMap<At, u32>,
    /// Of instructions that became one, one stands for all.
    joined: Vec<u32>,
}

impl Classes {
    /// What stands for an instruction; none for a branch.
    pub fn of(&self, at: At) -> Option<u32> {
        let mut number = *self.numbers.get(&at)?;
        while self.joined[number as usize] != number {
            number = self.joined[number as usize];
        }
        Some(number)
    }
}

/// A chain of blocks.
#[derive(Default)]
struct Node {
    /// Its instructions, but for the branch at its end.
    body: Vec<u32>,
    /// Without repetition.
    succs: Vec<usize>,
    preds: FxHashSet<usize>,
    /// The blocks that end where it ends.
    names: Vec<Block>,
    /// It may be the header of a loop. No other node is.
    header: bool,
}

struct Graph<'f> {
    entry: usize,
    nodes: Vec<Node>,
    named: FxHashMap<Block, usize>,
    /// By number of an instruction.
    insts: Vec<&'f MInst>,
    classes: Classes,
    reducible: bool,
    /// Whether R1 is the stack pointer: without a frame it is a register as any other.
    frame: bool,
}

/// Does the merges once more, and judges each. Without classes if one is wrong: what comes behind it speaks of a graph that is not there.
pub(super) fn replay(
    f: &Function,
    merges: &[Merge],
    choices: Choices,
    report: &mut Report,
) -> Option<Classes> {
    let mut graph = Graph::of(f);
    // Then there is nothing to keep, as in a graph that is irreducible.
    graph.reducible &= !choices.unstructured;
    for (index, merge) in merges.iter().enumerate() {
        let place = format!("merge {index}, into {}", merge.tail);
        if let Err((rule, what)) = graph.merge(merge, choices) {
            report.add(rule, place, what);
            return None;
        }
    }
    Some(graph.classes)
}

type Fault = (Rule, String);

fn unfit<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err((Rule::FoldingMerge, what.into()))
}

impl<'f> Graph<'f> {
    fn of(f: &'f Function) -> Graph<'f> {
        let count = f.blocks.len();
        let mut graph = Graph {
            entry: f.entry.index(),
            nodes: (0..count).map(|_| Node::default()).collect(),
            named: FxHashMap::default(),
            insts: Vec::new(),
            classes: Classes { numbers: FxHashMap::default(), joined: Vec::new() },
            reducible: true,
            frame: f.frame.size() > 0,
        };
        let mut stack = vec![f.entry];
        while let Some(block) = stack.pop() {
            if graph.named.insert(block, block.index()).is_some() {
                continue;
            }
            let data = &f.blocks[block];
            for (index, inst) in data.insts.iter().enumerate() {
                if kind(inst) == Some(K::Branch) && inst.target.is_some() {
                    continue;
                }
                let number = graph.insts.len() as u32;
                graph.insts.push(inst);
                graph.classes.numbers.insert((block, index), number);
                graph.classes.joined.push(number);
                graph.nodes[block.index()].body.push(number);
            }
            graph.nodes[block.index()].names.push(block);
            for edge in &data.succs {
                graph.connect(block.index(), edge.block.index());
                stack.push(edge.block);
            }
        }
        graph.contract((0..count).collect());
        let mut paths = graph.paths();
        let back = paths.retreating();
        back.iter().for_each(|&(_, to)| graph.nodes[to].header = true);
        graph.reducible = back.into_iter().all(|(from, to)| paths.dominates(to, from));
        graph
    }

    fn paths(&self) -> Paths {
        Paths::new(self.entry, self.nodes.iter().map(|node| node.succs.clone()).collect())
    }

    fn connect(&mut self, from: usize, to: usize) {
        if !self.nodes[from].succs.contains(&to) {
            self.nodes[from].succs.push(to);
            self.nodes[to].preds.insert(from);
        }
    }

    fn disconnect(&mut self, from: usize) -> Vec<usize> {
        let succs = std::mem::take(&mut self.nodes[from].succs);
        for &to in &succs {
            self.nodes[to].preds.remove(&from);
        }
        succs
    }

    /// The blocks of one node end where another ends now.
    fn rename(&mut self, from: usize, to: usize) {
        let names = std::mem::take(&mut self.nodes[from].names);
        names.iter().for_each(|&name| {
            self.named.insert(name, to);
        });
        self.nodes[to].names.extend(names);
        self.nodes[to].header |= self.nodes[from].header;
    }

    /// Passes by empty nodes, and joins a node with its only successor whose only predecessor it is.
    fn contract(&mut self, mut work: Vec<usize>) {
        while let Some(at) = work.pop() {
            let [to] = self.nodes[at].succs[..] else { continue };
            if to == at {
                continue;
            }
            if self.nodes[at].body.is_empty() && at != self.entry {
                self.disconnect(at);
                let preds: Vec<usize> = std::mem::take(&mut self.nodes[at].preds).into_iter().collect();
                for pred in preds {
                    self.nodes[pred].succs.retain(|&succ| succ != at);
                    self.connect(pred, to);
                    work.push(pred);
                }
                self.rename(at, to);
                work.extend(&self.nodes[to].preds);
            } else if to != self.entry && self.nodes[to].preds.len() == 1 {
                self.disconnect(at);
                let succs = self.disconnect(to);
                let body = std::mem::take(&mut self.nodes[to].body);
                self.nodes[at].body.extend(body);
                succs.into_iter().for_each(|succ| self.connect(at, succ));
                self.rename(to, at);
                work.push(at);
            }
        }
    }

    fn merge(&mut self, merge: &Merge, choices: Choices) -> Result<(), Fault> {
        let Merge { tail, from, length, hoisted } = merge;
        let mut members = Vec::new();
        for block in from {
            match self.named.get(block) {
                Some(&node) if members.contains(&node) => return unfit(format!("{block} is there twice")),
                Some(&node) => members.push(node),
                None => return unfit(format!("{block} is not there")),
            }
        }
        if members.len() < 2 || *length == 0 {
            return unfit("nothing is merged");
        }
        if let Some(at) = members.iter().position(|&m| self.nodes[m].body.len() < *length) {
            return unfit(format!("{} has fewer than {length} instructions", from[at]));
        }
        let part = |node: usize| {
            let body = &self.nodes[node].body;
            if *hoisted { body[..*length].to_vec() } else { body[body.len() - length..].to_vec() }
        };
        let parts: Vec<Vec<u32>> = members.iter().map(|&m| part(m)).collect();
        for (number, other) in parts[1..].iter().flat_map(|other| parts[0].iter().zip(other)) {
            let (a, b) = (self.insts[*number as usize], self.insts[*other as usize]);
            // Marks may differ: of the copy's, `paths` judges that no instruction got one that it had not.
            if a.op != b.op || a.tied != b.tied || a.target.is_some() != b.target.is_some() {
                return unfit(format!("not equal: {:?} and {:?}", a.op, b.op));
            }
        }
        if !*hoisted && !choices.reserved {
            for &number in &parts[0] {
                if let Some(name) = reserved::read(self.insts[number as usize], self.frame) {
                    return Err((Rule::FoldingReserved, format!("the merged tail reads {name}")));
                }
            }
        }
        if *hoisted {
            self.hoist(*tail, &members, *length)?
        } else {
            self.fuse(*tail, from, &members, *length)?
        }
        for other in &parts[1..] {
            for (&one, &other) in parts[0].iter().zip(other) {
                let (one, other) = (self.root(one), self.root(other));
                self.classes.joined[other as usize] = one;
            }
        }
        Ok(())
    }

    fn root(&self, mut number: u32) -> u32 {
        while self.classes.joined[number as usize] != number {
            number = self.classes.joined[number as usize];
        }
        number
    }

    /// The first instructions of all successors go up.
    fn hoist(&mut self, tail: Block, members: &[usize], length: usize) -> Result<(), Fault> {
        let Some(&at) = self.named.get(&tail) else { return unfit(format!("{tail} is not there")) };
        let mut succs = self.nodes[at].succs.clone();
        let mut wanted = members.to_vec();
        succs.sort_unstable();
        wanted.sort_unstable();
        if succs != wanted || members.iter().any(|&m| self.nodes[m].preds.len() != 1) {
            return unfit(format!("they are not all that {tail} leads to, or something else leads there"));
        }
        let mut up = Vec::new();
        for &member in members {
            up = self.nodes[member].body.drain(..length).collect();
        }
        self.nodes[at].body.extend(up);
        self.contract(members.iter().copied().chain([at]).collect());
        Ok(())
    }

    /// The ends of the members become one node.
    fn fuse(&mut self, tail: Block, from: &[Block], members: &[usize], length: usize) -> Result<(), Fault> {
        let sorted = |node: usize| {
            let mut succs = self.nodes[node].succs.clone();
            succs.sort_unstable();
            succs
        };
        let succs = sorted(members[0]);
        if let Some(at) = members.iter().position(|&m| sorted(m) != succs) {
            return unfit(format!("{} and {} have other successors", from[0], from[at]));
        }
        if self.named.contains_key(&tail) && !from.contains(&tail) {
            return unfit(format!("{tail} is neither new nor merged"));
        }
        let kept = self.named.get(&tail);
        let whole = |m: &usize| Some(m) == kept && self.nodes[*m].body.len() == length && *m != self.entry;
        let whole: Vec<usize> = members.iter().copied().filter(whole).collect();
        let both = self.exact(members, &whole, &succs)?;
        let new = self.nodes.len();
        self.nodes.push(Node { header: both, ..Node::default() });
        for &member in members {
            self.disconnect(member);
            let length = self.nodes[member].body.len() - length;
            let body = self.nodes[member].body.split_off(length);
            self.nodes[new].body = body;
            self.connect(member, new);
        }
        succs.iter().for_each(|&to| self.connect(new, to));
        if let Some(old) = self.named.insert(tail, new) {
            self.nodes[old].names.retain(|&name| name != tail);
        }
        self.nodes[new].names.push(tail);
        self.contract(members.iter().copied().chain([new]).collect());
        Ok(())
    }

    /// Whether the merged tail may become a header; a fault where the graph would become irreducible. Of the `whole` ones nothing stays in front of it.
    fn exact(&self, members: &[usize], whole: &[usize], succs: &[usize]) -> Result<bool, Fault> {
        // Only a header dominates what leads to it. An irreducible graph has nothing to keep.
        if !self.reducible || !succs.iter().any(|&h| self.nodes[h].header) {
            return Ok(false);
        }
        // Each member's end is cut off: it is what is merged.
        let count = self.nodes.len();
        let mut graph: Vec<Vec<usize>> = self.nodes.iter().map(|node| node.succs.clone()).collect();
        graph.resize(count + members.len(), succs.to_vec());
        members.iter().enumerate().for_each(|(at, &member)| graph[member] = vec![count + at]);
        let mut paths = Paths::new(self.entry, graph.clone());
        let mut both = false;
        for &h in succs.iter().filter(|h| !whole.contains(h)) {
            let ends = count..count + members.len();
            let (below, others): (Vec<usize>, Vec<usize>) = ends.partition(|&end| paths.dominates(h, end));
            if below.is_empty() || others.is_empty() {
                continue;
            }
            both = true;
            let mut cut = graph.clone();
            others.iter().for_each(|&end| cut[end].clear());
            if Paths::new(self.entry, cut).reaches(h) {
                let name = self.nodes[h].names.first().map_or_else(String::new, |name| format!(" of {name}"));
                let what = format!(
                    "the loop{name} gets a second entry: some of what is merged lies in it, some does not"
                );
                return Err((Rule::FoldingExact, what));
            }
        }
        Ok(both)
    }
}

/// EXACT of a graph alone: whether it stays reducible when the ends of these nodes, which have equal successors, become one, and of the `whole` ones all. None of an irreducible
/// graph, and of nodes that the entry does not reach.
pub fn exact(entry: usize, succs: &[Vec<usize>], members: &[usize], whole: &[usize]) -> Option<bool> {
    let mut paths = Paths::new(entry, succs.to_vec());
    let back = paths.retreating();
    let single = back.iter().all(|&(from, to)| paths.dominates(to, from));
    if !single || members.iter().any(|&m| !paths.reaches(m)) {
        return None;
    }
    let header = |at: usize| back.iter().any(|&(_, to)| to == at);
    let nodes = succs.iter().enumerate();
    let nodes = nodes.map(|(at, succs)| Node { succs: succs.clone(), header: header(at), ..Node::default() });
    let graph = Graph {
        entry,
        nodes: nodes.collect(),
        named: FxHashMap::default(),
        insts: Vec::new(),
        classes: Classes { numbers: FxHashMap::default(), joined: Vec::new() },
        reducible: true,
        frame: false,
    };
    Some(graph.exact(members, whole, &succs[members[0]]).is_ok())
}
