//! The target: SASS over terms.

use crate::inputs::Inputs;
use crate::side::{Side, name};
use crate::verdict::Assumption;
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::step::{Outcome, guard, step};
use sassafras_isa::{Inst, RegClass, Register, Style, decode, print};
use sassafras_semantics::{
    Access, AtomicOp, Axis, Domain, Ordering, Scope, Space, SpecialRegister, State, TermId, Terms, Trap,
};

/// Bytes per instruction.
const WORD: u64 = 16;

/// A register write: byte offset of the instruction, and the value.
pub type Write = (u64, TermId);

/// The target after its run.
pub struct Target<'i> {
    /// What it did to memory.
    pub side: Side<'i>,
    /// Register writes in order.
    pub writes: Vec<Write>,
}

struct Lane<'s, 'i> {
    side: &'s mut Side<'i>,
    chip: Chip,
    cubin: &'s Cubin,
    function: &'s Function,
    registers: &'s mut FxHashMap<Register, TermId>,
    writes: &'s mut Vec<Write>,
    /// Why a write could not be done; `write` has no result of its own.
    fault: &'s mut Option<String>,
}

fn unsupported<T>(what: impl Into<String>) -> Result<T, Trap> {
    Err(Trap::Unsupported(what.into()))
}

impl Lane<'_, '_> {
    /// What a register holds before it is written may be anything.
    fn old(&mut self, register: Register) -> TermId {
        let inputs = self.side.inputs;
        let (width, uniform) = match register.class {
            RegClass::R => (32, false),
            RegClass::UR => (32, true),
            RegClass::P | RegClass::B => (1, false),
            RegClass::UP => (1, true),
        };
        *self
            .registers
            .entry(register)
            .or_insert_with(|| inputs.variable(&format!("sass.{register}"), width, uniform))
    }

    /// A 32-bit word of constant bank 0, as the driver fills it.
    fn word(&self, at: u64) -> TermId {
        let inputs = self.side.inputs;
        let layout = self.chip.bank();
        let base = u64::from(self.function.param_base.max(layout.parameters));
        if (base..base + u64::from(self.function.param_size)).contains(&at) {
            return inputs.parameter(at - base, 4);
        }
        let axis = |offsets: [u32; 3]| {
            let axes = [Axis::X, Axis::Y, Axis::Z];
            offsets.iter().position(|&o| u64::from(o) == at).map(|i| axes[i])
        };
        match (axis(layout.block_size), axis(layout.grid_size)) {
            (Some(a), _) => inputs.ntid(a),
            (_, Some(a)) => inputs.nctaid(a),
            _ => inputs.variable(&format!("bank0.{at:#x}"), 32, true),
        }
    }

    fn bank(&mut self, d: &Terms, bank: u8, at: u64, bytes: u32) -> Result<TermId, Trap> {
        if bank == 0 {
            let mut words = self.word(at & !3);
            for i in 1..(at % 4 + u64::from(bytes)).div_ceil(4) {
                words = d.concat(&self.word((at & !3) + 4 * i), &words);
            }
            return Ok(d.extract(&words, 8 * (at % 4) as u32, 8 * bytes));
        }
        if bank == 4
            && bytes == 8
            && at.is_multiple_of(8)
            && let Some(slot) = self.cubin.addresses.get(at as usize / 8)
        {
            let symbol = self.side.inputs.variable(&format!("address.{}", slot.symbol), 64, true);
            return Ok(d.add(&symbol, &d.constant(64, slot.addend as u128)));
        }
        let data = self.function.banks.iter().find(|b| b.number == bank).map(|b| &b.data);
        let bytes = data.and_then(|b| b.get(at as usize..)).and_then(|b| b.get(..bytes as usize));
        match bytes {
            Some(bytes) => {
                let mut all = [0; 16];
                all[..bytes.len()].copy_from_slice(bytes);
                Ok(d.constant(8 * bytes.len() as u32, u128::from_le_bytes(all)))
            }
            None => unsupported(format!("constant bank {bank} at {at:#x}")),
        }
    }
}

impl State<Terms> for Lane<'_, '_> {
    type Register = Register;

    fn read(&mut self, _: &Terms, register: Register) -> Result<TermId, Trap> {
        match register.class {
            RegClass::B => unsupported("a convergence barrier as a register"),
            _ => Ok(self.old(register)),
        }
    }
    fn write(&mut self, d: &Terms, register: Register, value: TermId) {
        let old = self.old(register);
        let inputs = self.side.inputs;
        let mut new = self.side.merge(value, old);
        if matches!(register.class, RegClass::UR | RegClass::UP) {
            if !inputs.is_uniform(value) || !inputs.is_uniform(self.side.guard) {
                *self.fault = Some(format!("{register} takes a value that may differ between lanes"));
            }
            if !self.side.together() && !inputs.is_uniform(self.side.path) {
                // Lanes elsewhere share the register and may see it before or after.
                let any = d.undef(d.width(&value), "a uniform register written by other lanes");
                new = d.ite(&self.side.path, &new, &any);
                self.side.assumed.insert(Assumption::Conv);
            }
        }
        self.writes.push((self.side.place, new));
        self.registers.insert(register, new);
    }
    fn load(&mut self, d: &Terms, access: &Access, address: &TermId) -> Result<TermId, Trap> {
        let Space::Bank(bank) = access.space else { return self.side.load(access, *address) };
        match self.side.inputs.known(*address) {
            Some(at) => self.bank(d, bank, at as u64, access.bytes),
            None => unsupported(format!("constant bank {bank} at an address that is not constant")),
        }
    }
    fn store(&mut self, _: &Terms, access: &Access, address: &TermId, value: &TermId) -> Result<(), Trap> {
        self.side.store(access, *address, *value)
    }
    fn atomic(
        &mut self,
        _: &Terms,
        _: &Access,
        _: AtomicOp,
        _: &TermId,
        _: &[TermId],
    ) -> Result<TermId, Trap> {
        unsupported("an atomic operation")
    }
    fn fence(&mut self, _: &Terms, _: Ordering, _: Scope) -> Result<(), Trap> {
        unsupported("a fence")
    }
    fn special(&mut self, _: &Terms, register: SpecialRegister) -> Result<TermId, Trap> {
        self.side.inputs.special(register)
    }
    fn cvta(&mut self, _: &Terms, space: Space, _: &TermId) -> Result<TermId, Trap> {
        unsupported(format!("the window of {} memory", name(space)))
    }
    fn cvta_to(&mut self, d: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        self.cvta(d, space, address)
    }
    fn is_space(&mut self, _: &Terms, _: Space, _: &TermId) -> Result<TermId, Trap> {
        unsupported("a question about the window of an address")
    }
}

/// The text of the instruction at a byte offset.
pub fn text(function: &Function, chip: Chip, at: u64) -> String {
    let word = function.code.get((at / WORD) as usize);
    word.and_then(|w| decode(*w, chip).ok()).map_or_else(String::new, |i| print(&i, &Style::default()))
}

/// Runs a function to its end.
///
/// # Errors
/// What is not covered, and where.
pub fn run<'i>(inputs: &'i Inputs<'i>, cubin: &Cubin, function: &Function) -> Result<Target<'i>, String> {
    let d = inputs.terms;
    let chip = Chip::from_number(cubin.sm).ok_or_else(|| format!("sm_{} is not known", cubin.sm))?;
    if let Some(r) = function.relocations.first() {
        return Err(format!("the code refers to `{}`: it is not linked", r.symbol));
    }
    let mut side = Side::new(inputs);
    let (mut registers, mut writes, mut fault) = (FxHashMap::default(), Vec::new(), None);
    for (index, word) in function.code.iter().enumerate() {
        side.arrive(index as u64);
        if side.over() {
            break;
        }
        if side.nobody() {
            continue;
        }
        let address = WORD * index as u64;
        side.place = address;
        let inst: Inst = decode(*word, chip).map_err(|e| format!("{address:#06x}: {e}"))?;
        let at = |why: String| format!("{address:#06x}: {}: {why}", print(&inst, &Style::default()));
        let mut lane = Lane {
            side: &mut side,
            chip,
            cubin,
            function,
            registers: &mut registers,
            writes: &mut writes,
            fault: &mut fault,
        };
        let holds = guard(d, &inst, &mut lane).map_err(|t| at(t.to_string()))?;
        lane.side.guard = holds;
        if inputs.known(holds) == Some(0) {
            continue;
        }
        let outcome = step(d, &inst, address, &mut lane).map_err(|t| at(t.to_string()))?;
        if let Some(why) = fault.take() {
            return Err(at(why));
        }
        match outcome {
            Outcome::Next | Outcome::Yield => {}
            Outcome::Branch { target, condition } => {
                if target <= address || target % WORD != 0 {
                    return Err(at("a branch backwards".into()));
                }
                side.jump(target / WORD, condition);
            }
            Outcome::Exit { condition } => {
                side.leave(condition);
            }
            // What lanes wait for one another does not change what one of them computes.
            Outcome::SetBarrier { .. } | Outcome::Sync { .. } | Outcome::Break { .. } => {
                side.assumed.insert(Assumption::Conv);
            }
            Outcome::Collective { op, .. } => return Err(at(format!("{op:?} takes several lanes"))),
            _ => return Err(at("this kind of control flow is not covered".into())),
        }
    }
    if !side.over() {
        return Err("the code ends without EXIT".into());
    }
    side.assumed.extend([Assumption::Bank, Assumption::Sched, Assumption::Isa]);
    Ok(Target { side, writes })
}
