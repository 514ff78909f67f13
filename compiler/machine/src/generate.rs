//! Random functions, for tests of what must hold of every function: the text, the graph.

use crate::{Block, BlockData, Edge, Function, MInst, Phase, Place, Pseudo, Reg, RegClass, Tied, VReg};
use sassafras_chip::Chip;
use sassafras_isa::{Control, Draw, FieldKind, FormId, Inst, forms};
use smallvec::SmallVec;

/// A function with every kind of thing that the text can say. It has the shape of a function, not its sense: the
/// fields hold any number, registers need not be defined.
pub fn function(draw: &mut impl Draw) -> Function {
    let mut r = |bound| draw.draw(bound);
    let r: &mut dyn FnMut(u64) -> u64 = &mut r;
    let name = ["k", "_Z3addPf", "quote\"and\\back", "ünï 'c'\n"][r(4) as usize];
    let mut f = Function::new(name, Chip::ALL[r(Chip::ALL.len() as u64) as usize]);
    f.phase = Phase::NAMES[r(4) as usize].0;
    f.frame.local_bytes = r(64) as u32;
    f.frame.spill_bytes = r(64) as u32;
    (f.shared_bytes, f.param_bytes, f.max_registers) = (r(99) as u32, r(99) as u32, r(256) as u32);
    let classes = [RegClass::R, RegClass::UR, RegClass::P, RegClass::UP, RegClass::B];
    for _ in 0..1 + r(8) {
        f.add_vreg(classes[r(5) as usize], 1 << r(4));
    }
    for _ in 0..r(4) {
        f.add_block();
    }
    let blocks = f.blocks.len() as u64;
    let vregs = f.vregs.len() as u64;
    let vreg = |r: &mut dyn FnMut(u64) -> u64| VReg(r(vregs) as u32);
    for block in f.blocks.keys() {
        let mut data = BlockData { params: (0..r(3)).map(|_| vreg(r)).collect(), ..BlockData::default() };
        for _ in 0..r(3) {
            let args = (0..r(3)).map(|_| vreg(r)).collect();
            data.succs.push(Edge { block: Block(r(blocks) as u32), args });
        }
        data.line = r(3) as u32 * r(1 << 30) as u32;
        data.insts = (0..r(6)).map(|_| inst(r, blocks, vregs)).collect();
        f.blocks[block] = data;
    }
    if r(4) == 0 && f.layout.len() > 1 {
        f.layout.pop();
    }
    f
}

fn inst(r: &mut dyn FnMut(u64) -> u64, blocks: u64, vregs: u64) -> MInst {
    let mut inst = if r(3) == 0 { MInst::pseudo(pseudo(r, vregs)) } else { real(r, vregs) };
    inst.target = (r(3) == 0).then(|| Block(r(blocks) as u32));
    inst.uniform = r(4) == 0;
    inst.scattered = r(8) == 0;
    inst.ordered = r(4) == 0;
    inst.origin = (r(2) == 0).then(|| r(1 << 32) as u32);
    inst.line = r(3) as u32 * r(1 << 30) as u32;
    inst
}

fn reg(r: &mut dyn FnMut(u64) -> u64, vregs: u64) -> Reg {
    if r(3) == 0 { Reg::Physical(r(256) as u16) } else { Reg::Virtual(VReg(r(vregs) as u32), r(8) as u8) }
}

fn real(r: &mut dyn FnMut(u64) -> u64, vregs: u64) -> MInst {
    let row = r(forms().len() as u64) as u16;
    let mut inst = Inst::new(FormId(row));
    if r(3) == 0 {
        inst.guard.pred = reg(r, vregs).to_field() as u32;
        inst.guard.negate = r(2) == 0;
    }
    let mut tied = SmallVec::new();
    for (index, field) in inst.row().fields.iter().enumerate() {
        let register = matches!(field.kind, FieldKind::Register { .. });
        inst.fields[index] = match r(4) {
            0 => field.default,
            _ if register => reg(r, vregs).to_field(),
            1 => r(u64::MAX),
            _ => r(8),
        };
        if register && field.write && r(4) == 0 {
            tied.push(Tied { field: index, old: reg(r, vregs) });
        }
    }
    if r(2) == 0 {
        inst.control = Control::from_bits(r(1 << 20) as u32);
    }
    MInst { tied, ..MInst::new(inst) }
}

fn pseudo(r: &mut dyn FnMut(u64) -> u64, vregs: u64) -> Pseudo {
    let classes = [RegClass::R, RegClass::UR, RegClass::P, RegClass::UP, RegClass::B];
    let place = |r: &mut dyn FnMut(u64) -> u64| Place {
        class: classes[r(5) as usize],
        reg: reg(r, vregs),
        units: 1 << r(3),
    };
    match r(12) {
        0 => Pseudo::Copy { dst: place(r), src: place(r) },
        1 => Pseudo::ParallelCopy((0..r(3)).map(|_| (place(r), place(r))).collect()),
        2 => Pseudo::Swap { a: place(r), b: place(r) },
        3 => Pseudo::Pack { dst: VReg(r(vregs) as u32), parts: (0..1 + r(3)).map(|_| place(r)).collect() },
        4 => Pseudo::Undef { dst: place(r) },
        5 => Pseudo::FrameAddress { dst: place(r), offset: r(64) as u32 },
        7 => Pseudo::Call {
            slot: 8 * r(8) as u32,
            result: (r(2) == 0).then(|| place(r)),
            arguments: (0..r(4)).map(|_| place(r)).collect(),
        },
        8 => Pseudo::Invoke {
            routine: r(20) as u8,
            result: place(r),
            arguments: (0..r(4)).map(|_| place(r)).collect(),
        },
        9 => Pseudo::Enter { routine: r(20) as u8, arguments: (0..1 + r(4)).map(|_| place(r)).collect() },
        10 => Pseudo::Leave { routine: r(20) as u8, result: place(r) },
        6 => Pseudo::Spill { slot: r(64) as u32, src: place(r) },
        _ => Pseudo::Reload { dst: place(r), slot: r(64) as u32 },
    }
}
