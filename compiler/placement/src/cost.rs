//! What an order costs: taken branches, and on older chips the way to where lanes meet. Shared by placement's evaluator and
//! by whoever asks whether a split of a block is worth it.

use crate::{Flow, Knobs, Node};
use sassafras_graph::{ControlFlow, Dominators};

/// A chip's place in the table of costs: sm_70 is 0, sm_75 1, sm_80 2, sm_90 6, sm_100 16; `None` for what the table does not know.
pub fn chip_index(sm: u32) -> Option<u32> {
    // Source: the document on block placement, which gives these; others are not filled in by guessing.
    [(70, 0), (75, 1), (80, 2), (90, 6), (100, 16)].into_iter().find(|row| row.0 == sm).map(|row| row.1)
}

/// Bytes of code between a branch and where its lanes meet that cost as much as one taken branch's fetch.
const MEETING: f64 = 1024.0;

/// Costs orders of one flow.
#[derive(Clone, Debug)]
pub struct Cost<'a> {
    flow: &'a Flow,
    /// Of one taken branch.
    taken: f64,
    /// What a byte to the meeting place costs.
    byte: f64,
    /// Of each block where lanes part: where they meet.
    meets: Vec<Option<Node>>,
}

impl<'a> Cost<'a> {
    /// Costs for the chip with this index.
    pub fn new(flow: &'a Flow, knobs: &Knobs, chip: u32) -> Cost<'a> {
        let old = chip <= 1 && knobs.evaluate_light;
        let divergent = |node: Node| old && flow.block(node).divergent;
        let mut meets = vec![None; flow.len()];
        if flow.nodes().any(divergent) {
            let (post, exit) = Dominators::post(flow);
            for node in flow.nodes().filter(|&node| divergent(node)) {
                meets[node.0 as usize] = post.immediate(node).filter(|&meeting| meeting != exit);
            }
        }
        let byte = if old { knobs.misfetch_cost / MEETING } else { 0.0 };
        Cost { flow, taken: knobs.misfetch_cost + knobs.jump_cost, byte, meets }
    }

    /// The cost of an order for each run of the function: what is executed, not what is there.
    pub fn of(&self, order: &[Node]) -> f64 {
        let mut next: Vec<Option<Node>> = vec![None; self.flow.len()];
        let mut address = vec![0u64; self.flow.len()];
        let mut at = 0;
        for (place, node) in order.iter().enumerate() {
            next[node.0 as usize] = order.get(place + 1).copied();
            address[node.0 as usize] = at;
            at += self.flow.block(*node).size;
        }
        let taken =
            self.flow.edges().iter().filter(|edge| {
                edge.kind == crate::Kind::Indirect || next[edge.from.0 as usize] != Some(edge.to)
            });
        let mut cost: f64 = taken.map(|edge| edge.frequency * self.taken).sum();
        for (node, meeting) in self.flow.nodes().zip(&self.meets) {
            let Some(meeting) = meeting else { continue };
            let end = address[node.0 as usize] + self.flow.block(node).size;
            let distance = end.abs_diff(address[meeting.0 as usize]);
            cost += self.flow.block(node).frequency * distance as f64 * self.byte;
        }
        let entry = if self.flow.is_empty() { 1.0 } else { self.flow.block(self.flow.entry()).frequency };
        if entry > 0.0 { cost / entry } else { cost }
    }

    /// The cost of one taken branch.
    pub fn taken(&self) -> f64 {
        self.taken
    }
}
