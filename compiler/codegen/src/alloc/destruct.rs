//! Out of SSA.
//!
//! Does: replaces parameters and arguments by parallel moves, at the end of a block with one successor, else at the
//! start of a block with one predecessor (one of the two holds, as no edge is critical); packs and copies by moves;
//! and gives a tied definition its old value by a move in front of the instruction. Reads a copy of a part of a register
//! from that part itself: the two would be two places for one value, and in the way of each other.
//! As moves on one edge are parallel and each edge has its own place, neither a swap nor a lost copy can arise.

use super::work::{Item, Loc, Move, Work};
use crate::Error;
use crate::warpgroup::{self, Kind};
use rustc_hash::FxHashSet;
use sassafras_graph::SecondaryMap;
use sassafras_isa::{Access, FieldKind, RegClass};
use sassafras_machine::{Block, Function, MInst, Op, Place, Pseudo, Reg, VReg};

/// Of each register that is a copy of a unit of another: that unit.
type Copies = SecondaryMap<VReg, Option<Reg>>;

/// The function as moves and instructions. The function itself stays as it is.
pub fn destruct(f: &Function) -> Result<Work, Error> {
    let graph = f.graph();
    use sassafras_graph::ControlFlow;
    let copies = copies(f);
    let mut blocks = Vec::new();
    let mut frame = f.frame.local_bytes > 0;
    for &block in &f.layout {
        let mut items = Vec::new();
        if let [pred] = graph.preds(block)[..]
            && f.blocks[pred].succs.len() > 1
        {
            edge_moves(f, &copies, pred, block, &mut items);
        }
        for (index, inst) in f.blocks[block].insts.iter().enumerate() {
            frame |= matches!(inst.as_pseudo(), Some(Pseudo::FrameAddress { .. }));
            if is_replaced(inst, &copies) {
                continue;
            }
            let mut inst = inst.clone();
            inst.map_registers(|operand| match operand.access {
                Access::Read => read(operand.reg, &copies),
                Access::Write => operand.reg,
            });
            one(f, block, index, &inst, &mut items)?;
        }
        if let [edge] = &f.blocks[block].succs[..] {
            edge_moves(f, &copies, block, edge.block, &mut items);
        } else {
            for edge in &f.blocks[block].succs {
                if !edge.args.is_empty() && graph.preds(edge.block).len() > 1 {
                    return Err(Error::malformed(
                        block,
                        0,
                        format!("the edge to {} is critical", edge.block),
                    ));
                }
            }
        }
        blocks.push(items);
    }
    let mut work = Work {
        blocks,
        tiny: Vec::new(),
        frame,
        scratch: None,
        grouped: Vec::new(),
        released: FxHashSet::default(),
    };
    super::groups::hold(f, &mut work);
    Ok(work)
}

/// Copies of one unit of a wide general register. Both have one definition, of which the copy's stands behind the other's: wherever the copy is read, the
/// unit still holds the same. Parameters are moved to again for each turn of a loop, and products of a warpgroup have copies of their own.
fn copies(f: &Function) -> Copies {
    let mut copies = Copies::with_default(None);
    if f.insts().any(|(_, _, inst)| warpgroup::kind(inst) == Kind::Product) {
        return copies;
    }
    let mut given: SecondaryMap<VReg, bool> = SecondaryMap::new();
    f.layout.iter().flat_map(|&block| &f.blocks[block].params).for_each(|&param| given[param] = true);
    for (_, _, inst) in f.insts() {
        let Some(Pseudo::Copy { dst, src }) = inst.as_pseudo() else { continue };
        let (Some(to), Some(from)) = (dst.reg.vreg(), src.reg.vreg()) else { continue };
        let unit = dst.units == 1 && f.vregs[to].units == 1 && f.vregs[from].units > 1 && !given[from];
        if unit && dst.class == RegClass::R && src.class == RegClass::R {
            copies[to] = Some(src.reg);
        }
    }
    copies
}

/// Whether an instruction makes a copy that nobody reads any more.
fn is_replaced(inst: &MInst, copies: &Copies) -> bool {
    matches!(inst.as_pseudo(), Some(Pseudo::Copy { dst, .. }) if dst.reg.vreg().is_some_and(|to| copies[to].is_some()))
}

fn read(reg: Reg, copies: &Copies) -> Reg {
    reg.vreg().and_then(|vreg| copies[vreg]).unwrap_or(reg)
}

fn edge_moves(f: &Function, copies: &Copies, from: Block, to: Block, items: &mut Vec<Item>) {
    let edge = f.blocks[from].succs.iter().find(|edge| edge.block == to);
    let args = edge.map_or(&[][..], |edge| &edge.args);
    let pairs = f.blocks[to].params.iter().zip(args);
    let moves: Vec<Move> =
        pairs.flat_map(|(&param, &arg)| unit_moves(f.place(param), source(f, copies, arg))).collect();
    if !moves.is_empty() {
        items.push(Item::Moves(moves));
    }
}

/// Where an argument is read.
fn source(f: &Function, copies: &Copies, arg: VReg) -> Place {
    let place = f.place(arg);
    Place { reg: read(place.reg, copies), ..place }
}

fn loc(place: &Place, unit: u8) -> Option<Loc> {
    match place.reg {
        Reg::Virtual(vreg, first) => Some(Loc::Unit(vreg, first + unit)),
        reg if reg.is_constant(place.class) => Some(Loc::Constant(place.class)),
        Reg::Physical(_) => None,
    }
}

fn unit_moves(dst: Place, src: Place) -> Vec<Move> {
    let units = 0..dst.units;
    units.filter_map(|unit| Some(Move { dst: loc(&dst, unit)?, src: loc(&src, unit)? })).collect()
}

fn one(f: &Function, block: Block, index: usize, inst: &MInst, items: &mut Vec<Item>) -> Result<(), Error> {
    let real = inst.operands().into_iter().find(|operand| matches!(operand.reg, Reg::Physical(_)));
    if let Some(operand) = real {
        let what = format!("{} before allocation", operand.reg.display(operand.class));
        return Err(Error::malformed(block, index, what));
    }
    match &inst.op {
        Op::Pseudo(Pseudo::Copy { dst, src }) => items.push(Item::Moves(unit_moves(*dst, *src))),
        Op::Pseudo(Pseudo::ParallelCopy(pairs)) => {
            let moves = pairs.iter().flat_map(|(dst, src)| unit_moves(*dst, *src)).collect();
            items.push(Item::Moves(moves));
        }
        Op::Pseudo(Pseudo::Pack { dst, parts }) => {
            let mut unit = 0;
            let mut moves = Vec::new();
            for part in parts {
                let place = Place { class: part.class, reg: Reg::Virtual(*dst, unit), units: part.units };
                moves.extend(unit_moves(place, *part));
                unit += part.units;
            }
            if unit != f.vregs[*dst].units {
                return Err(Error::malformed(block, index, "the parts of a pack do not add up"));
            }
            items.push(Item::Moves(moves));
        }
        Op::Pseudo(pseudo @ (Pseudo::Swap { .. } | Pseudo::Spill { .. } | Pseudo::Reload { .. })) => {
            return Err(Error::malformed(block, index, format!("{pseudo:?} before allocation")));
        }
        Op::Pseudo(
            Pseudo::Undef { .. }
            | Pseudo::FrameAddress { .. }
            | Pseudo::Call { .. }
            | Pseudo::Invoke { .. }
            | Pseudo::Enter { .. }
            | Pseudo::Leave { .. },
        ) => items.push(Item::Inst(inst.clone())),
        Op::Inst(real) => {
            let mut inst = inst.clone();
            let mut moves = Vec::new();
            let mut fields = real.fields.clone();
            for tied in &mut inst.tied {
                let dst = Reg::from_field(real.fields[tied.field]);
                let Some(vreg) = dst.vreg() else { continue };
                let (class, units) = (f.vregs[vreg].class, real.units(tied.field));
                moves.extend(unit_moves(dst.place(class, units), tied.old.place(class, units)));
                // Whatever else reads the old value finds it there too, but for what reads more: an address whose lower half is the old value.
                for (at, (field, value)) in real.row().fields.iter().zip(&mut fields).enumerate() {
                    let register = matches!(field.kind, FieldKind::Register { .. }) && !field.write;
                    if register && Reg::from_field(*value) == tied.old && real.units(at) <= units {
                        *value = dst.to_field();
                    }
                }
                tied.old = dst;
            }
            if let Op::Inst(real) = &mut inst.op {
                real.fields = fields;
            }
            if !moves.is_empty() {
                items.push(Item::Moves(moves));
            }
            items.push(Item::Inst(inst));
        }
    }
    Ok(())
}
