//! What of the function before allocation is read behind the start of each block: nothing else needs to be known there.

use rustc_hash::FxHashSet;
use sassafras_graph::{ControlFlow, Entity};
use sassafras_machine::{Access, Block, Function, Pseudo, VReg};

/// By block: the virtual registers that some path from its start, behind its parameters, reads before it writes them.
pub(super) struct Live(Vec<FxHashSet<VReg>>);

impl Live {
    /// From each read back to the writes. The time is the sum of the lengths of live ranges, in blocks.
    pub(super) fn of(f: &Function) -> Live {
        let graph = f.graph();
        let mut live: Vec<FxHashSet<VReg>> = vec![FxHashSet::default(); f.blocks.len()];
        let mut written: Vec<FxHashSet<VReg>> = live.clone();
        let mut work: Vec<(VReg, Block)> = Vec::new();
        for &block in &f.layout {
            let data = &f.blocks[block];
            let done = &mut written[block.index()];
            for inst in &data.insts {
                let of = |access: Access| {
                    let operands = inst.operands().into_iter();
                    operands.filter(move |o| o.access == access).filter_map(|o| o.reg.vreg())
                };
                work.extend(of(Access::Read).filter(|v| !done.contains(v)).map(|v| (v, block)));
                done.extend(of(Access::Write));
                if let Some(Pseudo::Pack { dst, .. }) = inst.as_pseudo() {
                    done.insert(*dst);
                }
            }
            let args = data.succs.iter().flat_map(|edge| edge.args.iter().copied());
            work.extend(args.filter(|v| !done.contains(v)).map(|v| (v, block)));
        }
        while let Some((vreg, block)) = work.pop() {
            if live[block.index()].insert(vreg) && !f.blocks[block].params.contains(&vreg) {
                let preds = graph.preds(block).into_iter();
                work.extend(preds.filter(|p| !written[p.index()].contains(&vreg)).map(|p| (vreg, p)));
            }
        }
        Live(live)
    }

    /// What is live into a block.
    pub(super) fn at(&self, block: Block) -> &FxHashSet<VReg> {
        &self.0[block.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = "sassafras machine 1 ssa sm_90\nfunction \"k\"\nentry b0\nlayout b0 b1 b2 b3\nframe local 0 spill 0\nshared 0\nparams 16\nregisters 32\n\
        v0 UR 2\nv1 R 1\nv2 R 1\nv3 R 2\nv4 R 1\nv5 R 1\nv6 R 1\nv7 P 1\n\
        b0():\n  uldc sz=.64 d=v0 o=0x208 ; origin 0\n  mov.c d=v1 b=0x210 ; origin 1\n  mov.c d=v2 b=0x214 ; origin 2\n  \
        pack v3, v1:R:1, v2:R:1 ; origin 3\n  s2r d=v4 sr=0x21 ; origin 4\n  -> b1(v4)\n\
        b1(v5):\n  iadd3.rrr d=v6 a=v5 b=v5 ; origin 5\n  isetp.ri d=v7 a=v6 b=0x40 ; origin 6\n  @v7 bra ; target b2 ; origin 7\n  -> b2(), b3()\n\
        b2():\n  -> b1(v6)\nb3():\n  stg u=v0 a=v3 b=v6 ; origin 8\n  exit ; origin 9\n";

    /// What is read behind the loop lives through it, its parameter only in the block that reads it, and what nobody reads any more nowhere.
    #[test]
    fn what_is_read_behind_a_block_lives_into_it() {
        let f = sassafras_machine::text::parse(LOOP).expect("it reads");
        let live = Live::of(&f);
        let at = |block: u32| {
            let mut all: Vec<u32> = live.at(Block(block)).iter().map(|vreg| vreg.0).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(at(0), [] as [u32; 0]);
        assert_eq!(at(1), [0, 3, 5]);
        assert_eq!(at(2), [0, 3, 6]);
        assert_eq!(at(3), [0, 3, 6]);
    }
}
