//! What an instruction has to do with other lanes of its warp.
//!
//! Where two sides of a branch are merged, lanes of both may execute the copy as one group. That changes nothing for what a lane does by itself. It
//! does for what sees other lanes, and for what writes a register of the whole warp (`docs/convergence.md`, C6, C13, P4, P5). What is not known to
//! be of one lane counts as seeing others.

use sassafras_graph::{BitSet, Dominators, Entity};
use sassafras_isa::{ControlFlowKind as K, FieldKind, Meaning as M, Pipe, RegClass};
use sassafras_machine::{Block, Function, MInst};

/// How far an instruction may be merged or moved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Reach {
    /// It is a lane's own, or gives the warp what is the same for the whole launch.
    Lane,
    /// It sees other lanes, or writes a register of the warp: only lanes that come together anyway may share it.
    Warp,
    /// It says where it stands, or is understood by nobody: it stays.
    Fixed,
}

pub(super) fn reach(inst: &MInst) -> Reach {
    let Some(real) = inst.inst() else { return Reach::Fixed };
    let row = real.row();
    match row.control_flow {
        None | Some(K::Branch | K::Exit | K::Trap) => {}
        Some(K::Warp | K::Block) => return Reach::Warp,
        Some(K::IndirectBranch | K::Call | K::Return | K::Push | K::Sync | K::Break) => return Reach::Fixed,
    }
    let own = match row.pipe {
        _ if matches!(row.meaning, M::Lepc | M::Collective | M::Bmov | M::Rpcmov | M::Unmodelled) => {
            return Reach::Fixed;
        }
        Pipe::Alu
        | Pipe::Fma
        | Pipe::FmaWide
        | Pipe::Half
        | Pipe::HalfProduct
        | Pipe::HalfMma
        | Pipe::Double
        | Pipe::Add => {
            !matches!(row.meaning, M::Elect | M::Vote | M::Match | M::Redux | M::Fswzadd | M::Movm)
        }
        Pipe::Dispatch => row.meaning == M::Cs2r,
        Pipe::Xu => !matches!(row.meaning, M::Match | M::Redux | M::Movm | M::Vote | M::Shfl),
        Pipe::Memory => matches!(
            row.meaning,
            M::Ldg
                | M::Stg
                | M::Ld
                | M::St
                | M::Lds
                | M::Sts
                | M::Ldl
                | M::Stl
                | M::Ldc
                | M::Atomg
                | M::AtomgCas
                | M::AtomgAmpere
                | M::Atom
                | M::AtomCas
                | M::Red
                | M::RedAmpere
                | M::Atoms
                | M::AtomsArrive
                | M::AtomArrive
                | M::AtomsCas
                | M::AtomsCast
                | M::Membar
                | M::Errbar
                | M::Cctl
        ),
        Pipe::Control => matches!(row.meaning, M::Bra | M::Exit | M::Bpt | M::Nop | M::Nanosleep),
        Pipe::UniformMove | Pipe::UniformCopy => of_the_launch(inst),
        _ => false,
    };
    // A write of the warp's registers is for the lanes that come along, whatever unit does it.
    let warp = inst.defs().any(|def| of_warp(def.class)) && !of_the_launch(inst);
    if own && !warp { Reach::Lane } else { Reach::Warp }
}

pub(super) fn of_warp(class: RegClass) -> bool {
    matches!(class, RegClass::UR | RegClass::UP)
}

/// Whether it gives the warp's registers what is the same in the whole launch: a constant, or a word of a constant bank.
fn of_the_launch(inst: &MInst) -> bool {
    let Some(real) = inst.inst() else { return false };
    matches!(real.row().meaning, M::Ldc | M::Umov)
        && inst.uses().next().is_none()
        && !real.row().fields.iter().any(|f| matches!(f.kind, FieldKind::Special { .. }))
}

/// Whether it has lanes wait for each other, behind which they go on together up to the next branch.
pub(super) fn gathers(inst: &MInst) -> bool {
    inst.inst().is_some_and(|real| real.row().control_flow == Some(K::Warp))
}

/// Whether the lanes that come to `a` or `b` have come together from where both are dominated, whichever of the two it is: every
/// branch on the ways there sends the lanes that reach it together the same way.
pub(super) fn come_together(
    f: &Function,
    preds: impl Fn(Block) -> Vec<Block>,
    dominators: &Dominators<Block>,
    a: Block,
    b: Block,
) -> bool {
    let Some(top) = dominators.common(a, b) else { return false };
    let mut seen = BitSet::new(f.blocks.len());
    let mut work = vec![top, a, b];
    while let Some(block) = work.pop() {
        if !seen.insert(block.index()) {
            continue;
        }
        // A guarded branch of one successor does not exist; guarded exits take lanes away, and the others go on.
        let parts = f.blocks[block].insts.last().is_some_and(|last| last.target.is_some() && !last.uniform);
        if parts {
            return false;
        }
        if block != top {
            work.extend(preds(block));
        }
    }
    true
}
