//! A function as a graph.

use crate::{Block, Function};
use sassafras_graph::{ControlFlow, Graph};

impl Function {
    /// The graph of the blocks in the layout, with predecessors. A copy: changes of the function do not show in it.
    pub fn graph(&self) -> Graph<Block> {
        let edges = self
            .layout
            .iter()
            .flat_map(|&from| self.blocks[from].succs.iter().map(move |to| (from, to.block)));
        Graph::new(self.entry, self.blocks.len(), edges)
    }

    /// Takes out of the layout the blocks that the entry does not reach. Returns how many.
    pub fn remove_unreachable(&mut self) -> usize {
        let reached: sassafras_graph::BitSet =
            sassafras_graph::order::post_order(&self.graph()).iter().map(|block| block.0 as usize).collect();
        let before = self.layout.len();
        self.layout.retain(|block| reached.contains(block.0 as usize));
        before - self.layout.len()
    }

    /// Predecessors of a block, one per edge, by looking at every block: for single questions. Use [`Self::graph`]
    /// for more.
    pub fn preds(&self, block: Block) -> Vec<Block> {
        self.graph().preds(block)
    }

    /// SetControlFlowOpLastInBB: cuts every block behind a branch, return or `exit` that is not its last instruction, so
    /// that the rest stands in a block of its own. Calls come back and a trap may be resumed: they stay where they are.
    /// Returns how many cuts there were. Before placement.
    pub fn set_control_flow_last(&mut self) -> usize {
        use sassafras_isa::ControlFlowKind as K;
        let leaves = |inst: &crate::MInst| {
            let kind = inst.inst().and_then(|real| real.row().control_flow);
            matches!(kind, Some(K::Branch | K::IndirectBranch | K::Return | K::Exit))
        };
        let mut cuts = 0;
        for block in self.layout.clone() {
            let mut at = block;
            while let Some(place) = self.blocks[at].insts.iter().position(leaves) {
                if place + 1 == self.blocks[at].insts.len() {
                    break;
                }
                let rest = self.add_block();
                let insts = self.blocks[at].insts.split_off(place + 1);
                let succs = std::mem::take(&mut self.blocks[at].succs);
                let line = std::mem::take(&mut self.blocks[at].line);
                self.blocks[rest] = crate::BlockData { params: Vec::new(), insts, succs, line };
                // Behind what is always taken nothing runs: the rest has no way in.
                let guarded = self.blocks[at].insts[place].inst().is_some_and(|real| !real.guard.is_always());
                if guarded {
                    self.blocks[at].succs = vec![crate::Edge::to(rest)];
                }
                cuts += 1;
                at = rest;
            }
        }
        cuts
    }
}

#[cfg(test)]
mod tests {
    use crate::{Block, Function, MInst};
    use sassafras_isa::{Guard, Inst, form};

    fn inst(id: &str, guarded: bool) -> MInst {
        let mut inst = Inst::new(form(id).expect("the table has it"));
        if guarded {
            inst.guard = Guard { pred: 0, ..inst.guard };
        }
        MInst::new(inst)
    }

    /// A guarded `exit` in the middle of a block gets a block behind it, an unguarded one leaves the rest without a way in
    /// (requirements CFG-10).
    #[test]
    fn what_transfers_control_comes_last() {
        let mut f = Function::new("f", sassafras_chip::Chip::Sm90);
        let list = [inst("nop", false), inst("exit", true), inst("exit", false), inst("nop", false)];
        f.blocks[Block(0)].insts = list.to_vec();
        assert_eq!(f.set_control_flow_last(), 2);
        let shape: Vec<(usize, Vec<Block>)> =
            f.blocks.values().map(|b| (b.insts.len(), b.succs.iter().map(|e| e.block).collect())).collect();
        assert_eq!(shape, [(2, vec![Block(1)]), (1, vec![]), (1, vec![])]);
        assert_eq!(f.set_control_flow_last(), 0);
    }
}
