//! What an order has to keep besides the entry's place and fixed blocks.

use crate::{Flow, Node};
use sassafras_graph::ControlFlow;

/// One of three.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Constraint {
    /// Nothing.
    None,
    /// Cold blocks stand behind all others.
    #[default]
    ColdLast,
    /// The blocks of each structured region stand together. Cold blocks stay in their regions: the two wishes contradict each other.
    Contiguous,
}

impl Constraint {
    /// An order made to keep it, otherwise as it was; the entry and fixed blocks keep their places.
    pub fn conform(self, flow: &Flow, order: &[Node]) -> Vec<Node> {
        match self {
            Constraint::None => order.to_vec(),
            Constraint::ColdLast => {
                let cold = |node: &Node| self.is_last(flow, *node);
                let (last, first): (Vec<Node>, Vec<Node>) = order.iter().copied().partition(cold);
                [first, last].concat()
            }
            Constraint::Contiguous => gather(flow, order),
        }
    }

    /// Whether the block belongs behind all others. What the entry is bound to stays with it.
    pub(crate) fn is_last(self, flow: &Flow, node: Node) -> bool {
        self == Constraint::ColdLast && flow.block(node).cold && node != flow.entry()
    }

    /// Whether an order keeps it.
    pub fn holds(self, flow: &Flow, order: &[Node]) -> bool {
        match self {
            Constraint::None => true,
            Constraint::ColdLast => order.iter().map(|&node| self.is_last(flow, node)).is_sorted(),
            Constraint::Contiguous => {
                let mut open: Vec<u32> = Vec::new();
                let mut closed = vec![false; flow.region_count()];
                for &node in order {
                    let path = flow.regions_of(node);
                    let same = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
                    open.drain(same..).for_each(|region| closed[region as usize] = true);
                    if path[same..].iter().any(|&region| closed[region as usize]) {
                        return false;
                    }
                    open.extend(&path[same..]);
                }
                true
            }
        }
    }
}

/// Each region where its first block is, within the region around it.
fn gather(flow: &Flow, order: &[Node]) -> Vec<Node> {
    // The place of a region is that of its first block; a block sorts by the places of its regions.
    let mut first = vec![u32::MAX; flow.region_count()];
    let paths: Vec<Vec<u32>> = flow.nodes().map(|node| flow.regions_of(node)).collect();
    for (place, node) in order.iter().enumerate() {
        for &region in &paths[node.0 as usize] {
            first[region as usize] = first[region as usize].min(place as u32);
        }
    }
    let mut keyed: Vec<(Vec<u32>, Node)> = order
        .iter()
        .enumerate()
        .map(|(place, &node)| {
            let places = paths[node.0 as usize].iter().map(|&region| first[region as usize]);
            (places.chain([place as u32]).collect(), node)
        })
        .collect();
    keyed.sort();
    keyed.into_iter().map(|(_, node)| node).collect()
}
