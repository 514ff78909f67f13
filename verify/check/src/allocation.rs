//! Whether allocation kept the values: each use after it reads the value that its counterpart before it named.
//!
//! The two functions are walked side by side, block by block. An instruction that was there before carries the same
//! [`MInst::origin`]; one without origin is a move that allocation added.
//!
//! # Lattice
//! A state maps each location (a real register of any file, or a word of the spill area) to the set of values that
//! it surely holds: units of virtual registers of the function before, the constant of a file (RZ, PT …), and what a
//! reserved register held at entry. An undefined value is held by every location. More values are more knowledge. An unvisited block's state is the whole set; the
//! *meet* is the intersection per location. The entry holds constants and reserved registers.
//!
//! # Transfer
//! * A definition takes its virtual register out of every location (an older turn of a loop held another value), and
//!   makes it the only value of the location that it writes.
//! * A copy or pack of the function before gives no location a new content: each location that holds the source now
//!   holds the destination too. What the function after does for it, if anything, is a move.
//! * A move (copy, swap, parallel copy, spill, reload) makes its destination hold what its source held. Between a
//!   predicate and a general register only values of predicates move on.
//! * An edge gives each parameter of its target to the locations of the argument, all at once. What no path behind it reads is forgotten: a location that
//!   is handed from parameter to parameter would otherwise hold the names of all of them.
//! * A definition that reads nothing can be written again. Its value is in a location of its own too, one for each constant, which no instruction
//!   overwrites; edges and copies name what is there as they name what registers hold. An instruction that writes this constant,
//!   with origin or without, gives all the values that are there.
//!
//! # Objections
//! At uses only, and where the two functions differ in shape. A use of an undefined value is never wrong.

mod file;
mod live;
mod shape;
mod state;

use crate::rules::Rule;
use crate::{Finding, Verdict};
use file::same_file;
use live::Live;
use sassafras_chip::{Chip, abi};
use sassafras_isa::FieldKind;
use sassafras_machine::{Access, Block, Function, MInst, Op, Position, Pseudo, Reg, RegClass, VReg};
use shape::{Pairing, Repeated, pair};
use smallvec::SmallVec;
use state::{Location, State, Value};

/// Checks the function `after` allocation against the one `before` it, whose instructions have origins.
pub fn check(before: &Function, after: &Function) -> Verdict {
    let pairing = match pair(before, after) {
        Ok(pairing) => pairing,
        Err(objections) => return Verdict::of(objections, Vec::new()),
    };
    let mut walk = Walk::new(before, after);
    let live = Live::of(before);
    let order = sassafras_graph::order::reverse_post_order(&before.graph());
    let mut entries: Vec<Option<State>> = vec![None; before.blocks.len()];
    entries[before.entry.0 as usize] = Some(State::entry());
    let mut dirty = vec![true; before.blocks.len()];
    let mut again = true;
    while std::mem::take(&mut again) {
        for &block in &order {
            let Some(mut state) = entries[block.0 as usize].clone() else { continue };
            if !std::mem::take(&mut dirty[block.0 as usize]) {
                continue;
            }
            walk.block(block, &pairing, &mut state, false);
            for edge in &before.blocks[block].succs {
                let mut entering = walk.edge(&state, &before.blocks[edge.block].params, &edge.args);
                entering.keep(live.at(edge.block));
                let slot = &mut entries[edge.block.0 as usize];
                let changed = match slot {
                    Some(old) => old.meet(&entering),
                    None => {
                        *slot = Some(entering);
                        true
                    }
                };
                dirty[edge.block.0 as usize] |= changed;
                again |= changed;
            }
        }
    }
    for &block in &order {
        if let Some(mut state) = entries[block.0 as usize].clone() {
            walk.block(block, &pairing, &mut state, true);
        }
    }
    Verdict::of(walk.objections, Vec::new())
}

/// What a location holds.
type Held = SmallVec<[Value; 4]>;

struct Walk<'a> {
    before: &'a Function,
    after: &'a Function,
    repeated: Repeated,
    objections: Vec<Finding>,
}

impl<'a> Walk<'a> {
    fn new(before: &'a Function, after: &'a Function) -> Walk<'a> {
        Walk { before, after, repeated: Repeated::of(before), objections: Vec::new() }
    }

    /// Runs one block; `report` says whether to note objections.
    fn block(&mut self, block: Block, pairing: &Pairing, state: &mut State, report: bool) {
        let old = &self.before.blocks[block].insts;
        let mut next = 0;
        for (index, new) in self.after.blocks[block].insts.iter().enumerate() {
            let Some(counterpart) = pairing.counterpart(block, index) else {
                self.added(block, index, new, state, report);
                continue;
            };
            for dropped in &old[next..counterpart] {
                self.dropped(dropped, state);
            }
            next = counterpart + 1;
            self.matched(block, index, &old[counterpart], new, state, report);
        }
        for dropped in &old[next..] {
            self.dropped(dropped, state);
        }
    }

    /// An instruction that allocation left out: it names values, or gives a constant, the same as in an older turn of a loop.
    fn dropped(&self, old: &MInst, state: &mut State) {
        self.bind(old, state);
        self.make(old, state);
    }

    /// Names the value of a definition of the function before that can be written again.
    fn make(&self, old: &MInst, state: &mut State) {
        let Some(number) = self.repeated.number(old) else { return };
        for def in old.defs() {
            let Some(vreg) = def.reg.vreg() else { continue };
            (0..def.units).for_each(|unit| state.add(Location::Made(number, unit), Value::Unit(vreg, unit)));
        }
    }

    /// The state behind an edge.
    fn edge(&self, state: &State, params: &[VReg], args: &[VReg]) -> State {
        let moves: Vec<_> = params.iter().zip(args).flat_map(|(&p, &a)| self.units(p, a.into())).collect();
        let mut entering = state.clone();
        entering.bind(&moves);
        entering
    }

    /// Pairs of a unit of `to` and the value of `from` for it.
    fn units(&self, to: VReg, from: Reg) -> Vec<(Value, Option<Value>)> {
        let data = self.before.vregs[to];
        let value = |unit| Value::of(data.class, from.offset(unit));
        (0..data.units).map(|unit| (Value::Unit(to, unit), Some(value(unit)))).collect()
    }

    /// What a copy, pack or undef of the function before says of values; any other instruction gives nothing here.
    fn bind(&self, inst: &MInst, state: &mut State) {
        match inst.as_pseudo() {
            Some(Pseudo::Copy { dst, src }) if same_file(dst.class, src.class) => {
                if let Some(to) = dst.reg.vreg() {
                    let value = |unit| match src.reg.is_constant(src.class) {
                        true => Value::Constant(src.class),
                        false => Value::of(src.class, src.reg.offset(unit)),
                    };
                    let moves: Vec<_> =
                        (0..dst.units).map(|unit| (Value::Unit(to, unit), Some(value(unit)))).collect();
                    state.bind(&moves);
                }
            }
            Some(Pseudo::Pack { dst, parts }) => {
                let values = parts.iter().flat_map(|part| {
                    (0..part.units).map(move |unit| match part.reg.is_constant(part.class) {
                        true => Value::Constant(part.class),
                        false => Value::of(part.class, part.reg.offset(unit)),
                    })
                });
                let moves: Vec<_> =
                    (0u8..).zip(values).map(|(unit, v)| (Value::Unit(*dst, unit), Some(v))).collect();
                state.bind(&moves);
            }
            Some(Pseudo::Undef { dst }) => {
                if let Some(to) = dst.reg.vreg() {
                    let moves: Vec<_> = (0..dst.units).map(|unit| (Value::Unit(to, unit), None)).collect();
                    state.bind(&moves);
                }
            }
            _ => {}
        }
    }

    /// An instruction that both functions have.
    fn matched(
        &mut self,
        block: Block,
        index: usize,
        old: &MInst,
        new: &MInst,
        state: &mut State,
        report: bool,
    ) {
        let binding = shape::binds(old);
        if binding {
            self.bind(old, state);
            if let Some(pseudo) = new.as_pseudo() {
                self.moves(pseudo, state);
            }
            return;
        }
        let mut definitions = Vec::new();
        for operand in old.operands() {
            let reg = shape::register(new, operand.position);
            match operand.access {
                Access::Read if report => {
                    for unit in 0..operand.units {
                        let wanted = Value::of(operand.class, operand.reg.offset(unit));
                        let place = Location::of(operand.class, reg, unit);
                        if !state.holds(place, wanted) {
                            let role = match operand.position {
                                Position::Guard => "the guard".to_owned(),
                                Position::Tied(_) => "the old value".to_owned(),
                                Position::Field(i) => field_name(new, i),
                                Position::Pseudo(_) => "the source".to_owned(),
                            };
                            let held = state.describe(place);
                            let message = format!("{role} should be {wanted}, and {place} holds {held}");
                            self.object(Rule::AllocationUse, block, index, message);
                        }
                    }
                }
                Access::Read => {}
                Access::Write => definitions.push((operand, reg)),
            }
        }
        for tied in old.tied.iter().filter(|_| report) {
            let Some(FieldKind::Register { class, .. }) = old.inst().map(|i| i.row().fields[tied.field].kind)
            else {
                continue;
            };
            let place = Location::of(class, shape::register(new, Position::Tied(tied.field)), 0);
            if tied.old.is_constant(class) && !state.holds(place, Value::Constant(class)) {
                let message = format!("the old value in {place} should be {}", Value::Constant(class));
                self.object(Rule::AllocationUse, block, index, message);
            }
        }
        // What a callee does not keep holds nothing that is known.
        if matches!(new.as_pseudo(), Some(Pseudo::Call { .. })) {
            let chip = self.after.chip;
            state.clear_if(|place| !kept_by_callee(chip, place));
        }
        if let Some(Pseudo::Invoke { routine, .. }) = new.as_pseudo() {
            state.clear_if(|place| !kept_by_routine(*routine, place));
        }
        for (operand, _) in &definitions {
            if let Some(vreg) = operand.reg.vreg() {
                state.forget(vreg);
            }
        }
        let mut written = Vec::new();
        for (operand, reg) in &definitions {
            if reg.is_constant(operand.class) {
                continue;
            }
            for unit in 0..operand.units {
                let place = Location::of(operand.class, *reg, unit);
                if report && written.contains(&place) {
                    self.object(Rule::AllocationOverlap, block, index, format!("two results go to {place}"));
                }
                written.push(place);
                state.set(place, Value::of(operand.class, operand.reg.offset(unit)));
            }
        }
        self.make(old, state);
        self.written_again(new, state);
    }

    /// What an instruction writes that repeats a definition of the function before holds all values of this constant.
    fn written_again(&self, new: &MInst, state: &mut State) {
        let Some(number) = self.repeated.number(new) else { return };
        for def in new.defs() {
            for unit in 0..def.units {
                let mut held: Held = state.get(Location::Made(number, unit)).collect();
                // It may stand in front of the definition that it repeats, which was left out.
                held.extend(self.repeated.defined(number).iter().map(|&vreg| Value::Unit(vreg, unit)));
                let place = Location::of(def.class, def.reg, unit);
                held.into_iter().for_each(|value| state.add(place, value));
            }
        }
    }

    /// An instruction that allocation added.
    fn added(&mut self, block: Block, index: usize, new: &MInst, state: &mut State, report: bool) {
        match &new.op {
            Op::Pseudo(pseudo) => {
                if report && let Some(what) = shape::bounds(pseudo, self.after) {
                    self.object(Rule::AllocationSlot, block, index, what);
                }
                self.moves(pseudo, state);
            }
            Op::Inst(inst) => {
                // What repeats no definition gives nothing that is known.
                for operand in new.defs() {
                    for unit in 0..operand.units {
                        state.clear(Location::of(operand.class, operand.reg, unit));
                    }
                }
                self.written_again(new, state);
                if report && shape::has_effect(inst) {
                    let what = format!("`{}` was added", inst.form);
                    self.object(Rule::AllocationAdded, block, index, what);
                }
            }
        }
    }

    /// What a pseudo-instruction of the function after moves.
    fn moves(&self, pseudo: &Pseudo, state: &mut State) {
        let predicate = |class| matches!(class, RegClass::P | RegClass::UP);
        let of_predicate = |value: &Value| match *value {
            Value::Unit(v, _) => predicate(self.before.vregs[v].class),
            Value::Constant(class) => predicate(class),
            Value::Entry(..) => false,
        };
        let mut moves = Vec::new();
        match pseudo {
            Pseudo::Copy { dst, src } => moves.push((*dst, *src)),
            Pseudo::ParallelCopy(list) => moves.extend(list.iter().copied()),
            Pseudo::Swap { a, b } => moves.extend([(*a, *b), (*b, *a)]),
            Pseudo::Spill { slot, src } => {
                for unit in 0..src.units {
                    let held: Held = state.get(Location::of(src.class, src.reg, unit)).collect();
                    state.put(Location::Slot(slot / 4 + u32::from(unit)), &held);
                }
            }
            Pseudo::Reload { dst, slot } => {
                for unit in 0..dst.units {
                    let held: Held = state.get(Location::Slot(slot / 4 + u32::from(unit))).collect();
                    state.put(Location::of(dst.class, dst.reg, unit), &held);
                }
            }
            Pseudo::Undef { dst } | Pseudo::FrameAddress { dst, .. } => {
                (0..dst.units).for_each(|unit| state.clear(Location::of(dst.class, dst.reg, unit)));
            }
            Pseudo::Pack { .. }
            | Pseudo::Call { .. }
            | Pseudo::Invoke { .. }
            | Pseudo::Enter { .. }
            | Pseudo::Leave { .. } => {}
        }
        let mut read = Vec::new();
        for (dst, src) in moves {
            for unit in 0..dst.units {
                let mut held: Held = state.get(Location::of(src.class, src.reg, unit)).collect();
                if predicate(src.class) != predicate(dst.class) {
                    held.retain(|value| of_predicate(value));
                }
                read.push((Location::of(dst.class, dst.reg, unit), held));
            }
        }
        for (place, held) in read {
            state.put(place, &held);
        }
    }

    fn object(&mut self, rule: Rule, block: Block, index: usize, message: String) {
        let text = text_of(self.after, block, index);
        let place = format!("`{}`, {block}, instruction {index} ({text})", self.after.name);
        self.objections.push(Finding { rule: rule.id(), place, message });
    }
}

/// Whether a location holds after a call what it held before (`sassafras_chip::abi`): the frame is the caller's own.
fn kept_by_callee(chip: Chip, place: Location) -> bool {
    match place {
        Location::Register(RegClass::R, number) => abi::lives_across(chip, number),
        Location::Register(RegClass::UR, number) => abi::keeps_uniform(chip, number),
        Location::Register(RegClass::B, number) => number >= abi::FIRST_KEPT_BARRIER,
        Location::Register(RegClass::P | RegClass::UP, _) => false,
        Location::Slot(_) | Location::Made(..) => true,
    }
}

/// Whether a location holds after a call of a routine what it held before.
fn kept_by_routine(routine: u8, place: Location) -> bool {
    match place {
        Location::Register(RegClass::R, number) => !abi::routine::clobbers(routine, number),
        Location::Register(RegClass::P, number) => !abi::routine::clobbers_predicate(number),
        Location::Register(RegClass::UR | RegClass::UP | RegClass::B, _) => true,
        Location::Slot(_) | Location::Made(..) => true,
    }
}

fn field_name(inst: &MInst, field: usize) -> String {
    let row = inst.inst().map(|inst| inst.row());
    row.map_or("a source", |row| row.fields[field].name).to_owned()
}

/// An instruction in few words.
fn text_of(f: &Function, block: Block, index: usize) -> String {
    match &f.blocks[block].insts[index].op {
        Op::Inst(inst) => sassafras_isa::print(inst, &sassafras_isa::Style::default()),
        Op::Pseudo(pseudo) => format!("{pseudo:?}"),
    }
}
