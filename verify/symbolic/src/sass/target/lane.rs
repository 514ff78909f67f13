//! A lane of the target, as the meanings of instructions see it: registers, constant banks, memory.

use super::affine::affine;
use super::{Role, Wanted, Write, barrier, of_warp, unsupported};
use crate::input::Input;
use crate::trace::bank::{choice, constant};
use crate::trace::fences::{self, Fence};
use crate::trace::lanes;
use crate::trace::leader::Leaders;
use crate::trace::side::Side;
use crate::trace::window;
use sassafras_chip::{BankLayout, Chip};
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{RegClass, Register};
use sassafras_semantics::{
    Access, AtomicOp, Axis, Domain, Opaque, Ordering, Scope, Space, SpecialRegister, State, TermId, Terms,
    Trap,
};
use std::collections::BTreeSet;

/// What is to be known about the registers of a warp: lanes that are elsewhere may write them.
#[derive(Default)]
pub(super) struct Shared {
    /// Writes while lanes may have been apart.
    pub(super) apart: Vec<(Register, TermId)>,
    /// Reads of what was written before the last branch or meeting place.
    pub(super) later: Vec<(Register, TermId, u64)>,
    /// What callees do not keep.
    pub(super) lost: BTreeSet<Register>,
    /// Those of the reads during which lanes may be elsewhere in a callee, or may have been in one since: registers and places.
    pub(super) behind: Vec<(Register, u64)>,
}

pub(super) struct Lane<'s, 'i> {
    pub(super) side: &'s mut Side<'i, Register>,
    pub(super) chip: Chip,
    pub(super) cubin: &'s Cubin,
    pub(super) function: &'s Function,
    pub(super) writes: &'s mut Vec<Write>,
    pub(super) shared: &'s mut Shared,
    /// Which side the code is.
    pub(super) role: Role,
    /// Why a write could not be done; `write` has no result of its own.
    pub(super) fault: &'s mut Option<String>,
    /// Lanes that act for others.
    pub(super) leaders: &'s mut Leaders,
    /// Whether what is written is what the lanes here answered each other: the same for all of them.
    pub(super) answers: bool,
    /// What the source wants.
    pub(super) wanted: Wanted<'s>,
    /// Where the load of a word that is expected lies, if one is looked at.
    pub(super) guessed: Option<TermId>,
}

impl Lane<'_, '_> {
    /// What a register of the warp holds after an instruction of which other lanes alone may be the ones that execute it.
    fn of_others(&self, register: Register) -> TermId {
        let (side, role) = (&self.side, self.role);
        let name = format!("others.{role:?}.{register}.{:#x}.{}", side.place, side.visit);
        let width = if register.class == RegClass::UR { 32 } else { 1 };
        side.inputs.variable(&name, width, false)
    }

    /// What a callee leaves in a register may be anything, for each lane another.
    pub(super) fn lose(&mut self, register: Register) {
        let (side, role) = (&self.side, self.role);
        let name = format!("callee.{role:?}.{register}.{:#x}.{}", side.place, side.visit);
        let width = if matches!(register.class, RegClass::R | RegClass::UR) { 32 } else { 1 };
        let value = side.inputs.variable(&name, width, false);
        let old = self.old(register);
        self.side.write(register, value, old);
        if of_warp(register) {
            self.shared.lost.insert(register);
        }
    }

    /// What a register holds before it is written may be anything: for the source to choose, for the target to bear.
    fn old(&mut self, register: Register) -> TermId {
        let width = if matches!(register.class, RegClass::R | RegClass::UR) { 32 } else { 1 };
        let role = self.role;
        self.side.read(register, |i| match role {
            Role::Source => i.undefined(width, "a register that was not written", of_warp(register)),
            Role::Target => i.variable(&format!("sass.{register}"), width, of_warp(register)),
        })
    }

    /// A 32-bit word of constant bank 0, as the driver fills it.
    fn word(&mut self, at: u64) -> TermId {
        let inputs = self.side.inputs;
        let layout = self.chip.bank();
        if let Some(word) = self.window(layout, at) {
            return word;
        }
        let base = u64::from(layout.parameters);
        // The last word may be one of them in part, and of eight bytes that begin in them the second one may be none.
        if (base..base + u64::from(self.function.param_size).next_multiple_of(16)).contains(&at) {
            return inputs.parameter(at - base, 4);
        }
        if let Some(cluster) = layout.cluster {
            // A-LAUNCH: clusters of one block. 1.0 is the reciprocal of one.
            if at == u64::from(cluster.explicit)
                && let Ok(explicit) = inputs.special(SpecialRegister::IsExplicitCluster)
            {
                return inputs.terms.zext(&explicit, 32);
            }
            let is = |offsets: [u32; 3]| offsets.iter().any(|&o| u64::from(o) == at);
            let known = [
                (is(cluster.size) || at == u64::from(cluster.blocks), 1),
                (is(cluster.reciprocal), 0x3f80_0000),
            ];
            if let Some((_, word)) = known.into_iter().find(|k| k.0) {
                return inputs.terms.constant(32, word);
            }
            let axes = [Axis::X, Axis::Y, Axis::Z];
            if let Some(i) = cluster.count.iter().position(|&o| u64::from(o) == at) {
                return inputs.nctaid(axes[i]);
            }
        }
        if let Some((register, half)) = special_word(layout, at) {
            let whole = inputs.special(register).ok();
            if let Some(whole) = whole {
                return inputs.terms.extract(&whole, half, 32);
            }
        }
        let axis = |offsets: [u32; 3]| {
            let axes = [Axis::X, Axis::Y, Axis::Z];
            offsets.iter().position(|&o| u64::from(o) == at).map(|i| axes[i])
        };
        match (axis(layout.block_size), axis(layout.grid_size)) {
            (Some(a), _) => inputs.ntid(a),
            (_, Some(a)) => inputs.nctaid(a),
            _ => inputs.input(Input::Bank(at), 32, true),
        }
    }

    /// A word of bank 0 that says where a window lies.
    fn window(&mut self, layout: BankLayout, at: u64) -> Option<TermId> {
        let inputs = self.side.inputs;
        let (first, last) = layout.parameter_window.unzip();
        if let Some((start, bytes)) = layout.bank_window {
            let from = u128::from(layout.parameters);
            if at == u64::from(bytes) {
                self.side.windows = true;
                let last = inputs.terms.zext(&window::parameter_bytes(inputs), 32);
                return Some(inputs.terms.add(&last, &inputs.terms.constant(32, from)));
            }
            if let Some(word) = at.checked_sub(start.into()).filter(|word| [0, 4].contains(word)) {
                self.side.windows = true;
                let base = window::base(inputs, Space::Param);
                let whole = inputs.terms.sub(&base, &inputs.terms.constant(64, from));
                return Some(inputs.terms.extract(&whole, 8 * word as u32, 32));
            }
        }
        let (word, of) = [
            (Some(layout.local_window), Some(Space::Local)),
            (layout.constant_window, Some(Space::Const)),
            (first, Some(Space::Param)),
            (last, None),
        ]
        .into_iter()
        .find_map(|(place, of)| {
            Some((at.checked_sub(place?.into()).filter(|word| [0, 4].contains(word))?, of))
        })?;
        self.side.windows = true;
        let whole = of.map_or_else(|| window::last_parameter(inputs), |space| window::base(inputs, space));
        Some(inputs.terms.extract(&whole, 8 * word as u32, 32))
    }

    /// The access as what it is taken for.
    fn weakened(&self, access: &Access) -> Access {
        let strong = !matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent);
        let weak = strong && fences::is_weak(self.wanted.weakened, self.side.place, self.side.visit);
        if weak { Access { ordering: Ordering::Weak, ..*access } } else { *access }
    }

    /// A parameter at an address that is not constant, where the first one lies at `base`; that it is one is demanded.
    fn parameters(&mut self, d: &Terms, base: u64, address: TermId, bytes: u32) -> Result<TermId, Trap> {
        let end = u64::from(self.function.param_size) / u64::from(bytes) * u64::from(bytes);
        let inputs = self.side.inputs;
        let offset = |at: u64| d.constant(32, (base + at).into());
        let all = (0..end).step_by(bytes as usize);
        let entries: Vec<(TermId, TermId)> =
            all.map(|at| (offset(at), inputs.parameter(at, bytes))).collect();
        let at = inputs.normal.of(d.extract(&address, 0, 32));
        choice(self.side, &entries, 0, at)
    }

    /// The offset in copy 0 of a word of which bank 0 has copies, if the address is that of the copy that the launch reads.
    fn copied(&mut self, d: &Terms, address: TermId) -> Result<Option<u64>, Trap> {
        let layout = self.chip.bank();
        let Some(copies) = layout.copies else { return Ok(None) };
        let inputs = self.side.inputs;
        let copy = inputs.special(SpecialRegister::BankCopy)?;
        let address = inputs.normal.of(d.extract(&address, 0, 32));
        let Some((factor, at)) = affine(inputs, address, copy) else { return Ok(None) };
        let is_copied = factor == copies.stride.wrapping_neg() && layout.stride(at).is_some();
        Ok(is_copied.then_some(at.into()))
    }

    /// So many bytes of constant bank 0.
    fn words(&mut self, d: &Terms, at: u64, bytes: u32) -> Result<TermId, Trap> {
        let end = u64::from(self.chip.bank().parameters) + u64::from(self.function.param_size);
        // What begins in the parameters may end in the padding behind them, which holds anything.
        if !at.is_multiple_of(bytes.into())
            || at.saturating_add(bytes.into()) > end.next_multiple_of(bytes.into())
        {
            return unsupported(format!(
                "{bytes} bytes of constant bank 0 at {at:#x}, which ends at {end:#x}"
            ));
        }
        let mut words = self.word(at & !3);
        for i in 1..(at % 4 + u64::from(bytes)).div_ceil(4) {
            words = d.concat(&self.word((at & !3) + 4 * i), &words);
        }
        Ok(d.extract(&words, 8 * (at % 4) as u32, 8 * bytes))
    }

    pub(super) fn bank(&mut self, d: &Terms, bank: u8, at: u64, bytes: u32) -> Result<TermId, Trap> {
        if bank == 0 {
            // Which copy such a place belongs to is not known.
            if u32::try_from(at).is_ok_and(|at| self.chip.bank().stride(at).is_some()) {
                return unsupported(format!("constant bank 0 at {at:#x}, of which there are copies"));
            }
            return self.words(d, at, bytes);
        }
        if bank == 4
            && matches!(bytes, 4 | 8)
            && at.is_multiple_of(bytes.into())
            && let Some(slot) = self.cubin.addresses.get(at as usize / 8)
        {
            let symbol = self.side.inputs.input(Input::Symbol(slot.symbol.clone()), 64, true);
            let whole = d.add(&symbol, &d.constant(64, slot.addend as u128));
            return Ok(d.extract(&whole, 8 * (at % 8) as u32, 8 * bytes));
        }
        constant(self.side, self.cubin, Some(self.function), bank, d.constant(32, at.into()), bytes)
    }
}

impl State<Terms> for Lane<'_, '_> {
    type Register = Register;

    fn read(&mut self, _: &Terms, register: Register) -> Result<TermId, Trap> {
        match register.class {
            RegClass::B => unsupported("a convergence barrier as a register"),
            _ => {
                let value = self.old(register);
                let path = &self.side.path;
                if of_warp(register) && path.since.get(&register) != Some(&path.piece) {
                    // What some lanes answered each other is theirs.
                    if !self.side.inputs.is_uniform(value) {
                        return unsupported(format!(
                            "uniform: {register}, which holds what some lanes answered"
                        ));
                    }
                    self.shared.later.push((register, value, self.side.place));
                    if self.side.path.parted || !self.shared.lost.is_empty() {
                        self.shared.behind.push((register, self.side.place));
                    }
                }
                // Where the guard does not hold the instruction does nothing.
                Ok(self.side.inputs.normal.given(value, self.side.guard))
            }
        }
    }
    fn write(&mut self, _: &Terms, register: Register, value: TermId) {
        let inputs = self.side.inputs;
        let old = match of_warp(register) && !inputs.is_uniform(self.side.guard) {
            // Others of the warp write it where this lane's guard does not hold: or nobody does.
            true => self.of_others(register),
            false => self.old(register),
        };
        let new = self.side.write(register, value, old);
        if of_warp(register) {
            if !inputs.is_uniform(value) && !self.answers {
                *self.fault =
                    Some(format!("uniform: {register} takes a value that may differ between lanes"));
            }
            if self.side.path.parted || !inputs.is_uniform(self.side.guard) {
                // Lanes elsewhere have another value by the same name.
                let other = self.leaders.is_of_some(self.side, new);
                let new = if other { inputs.variable("another", 32, true) } else { new };
                self.shared.apart.push((register, new));
            }
        }
        self.writes.push((self.side.place, new));
    }
    fn load(&mut self, d: &Terms, access: &Access, address: &TermId) -> Result<TermId, Trap> {
        let Space::Bank(bank) = access.space else {
            if let Some(guessed) = &mut self.guessed {
                // Its value is nobody's.
                *guessed = *address;
                return Ok(d.constant(8 * access.bytes, 0));
            }
            let (access, address, fixed) = window::load(self.side, &self.weakened(access), *address)?;
            let value = match access.space {
                Space::Const => {
                    let low = d.extract(&address, 0, 32);
                    constant(self.side, self.cubin, Some(self.function), 3, low, access.bytes)?
                }
                Space::Param => self.parameters(d, 0, address, access.bytes)?,
                _ => return self.side.load(&access, address),
            };
            if fixed {
                self.side.read_only(&access, address, value);
            }
            return Ok(value);
        };
        match self.side.inputs.known(*address) {
            Some(at) => self.bank(d, bank, at as u64, access.bytes),
            None if bank == 0 => {
                if let Some(at) = self.copied(d, *address)? {
                    return self.words(d, at, access.bytes);
                }
                let base = u64::from(self.chip.bank().parameters);
                self.parameters(d, base, *address, access.bytes)
            }
            None => constant(self.side, self.cubin, Some(self.function), bank, *address, access.bytes),
        }
    }
    fn load_where(
        &mut self,
        d: &Terms,
        access: &Access,
        address: &TermId,
        condition: &TermId,
    ) -> Result<TermId, Trap> {
        let guard = self.side.guard;
        // An event also where the condition never holds: terms that are not simplified do not show it.
        self.side.narrow(*condition);
        let value = self.load(d, access, address);
        self.side.guard = guard;
        Ok(d.ite(condition, &value?, &d.constant(8 * access.bytes, 0)))
    }
    fn store(&mut self, _: &Terms, access: &Access, address: &TermId, value: &TermId) -> Result<(), Trap> {
        let access = self.weakened(access);
        self.side.store(&access, *address, *value)
    }
    fn atomic(
        &mut self,
        _: &Terms,
        access: &Access,
        op: AtomicOp,
        address: &TermId,
        operands: &[TermId],
    ) -> Result<TermId, Trap> {
        match self.leaders.atomic(self.side, access, op, *address, operands)? {
            Some(old) => Ok(old),
            None => lanes::atomic(self.side, access, op, *address, operands),
        }
    }
    fn fence(&mut self, _: &Terms, ordering: Ordering, scope: Scope) -> Result<(), Trap> {
        let scope = lanes::executed(scope);
        let what = match ordering {
            Ordering::SequentiallyConsistent => Fence::Sequential(scope),
            _ => Fence::Release(scope),
        };
        barrier(self.side, self.wanted.weakened, what)
    }
    fn opaque(&mut self, _: &Terms, op: Opaque, arguments: &[TermId]) -> Result<Vec<TermId>, Trap> {
        self.side.perform(op, arguments)
    }
    fn special(&mut self, _: &Terms, register: SpecialRegister) -> Result<TermId, Trap> {
        self.side.special(register)
    }
    fn cvta(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::to_generic(self.side, space, *address)
    }
    fn cvta_to(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::from_generic(self.side, space, *address)
    }
    fn is_space(&mut self, _: &Terms, space: Space, address: &TermId) -> Result<TermId, Trap> {
        window::lies_in(self.side, space, *address)
    }
}

/// The special register that a word of bank 0 holds, and from which bit on.
fn special_word(layout: BankLayout, at: u64) -> Option<(SpecialRegister, u32)> {
    use SpecialRegister as R;
    let wide = [(layout.grid_id, R::GridId), (layout.graph, R::CurrentGraphExec)];
    let of = |(place, register): (u32, R)| {
        let word = at.checked_sub(place.into()).filter(|word| [0, 4].contains(word))?;
        Some((register, 8 * word as u32))
    };
    if let Some(found) = wide.into_iter().find_map(of) {
        return Some(found);
    }
    if at == u64::from(layout.dynamic_shared_size) {
        return Some((R::DynamicSmemSize, 0));
    }
    let number = (0..32).find(|&n| u64::from(layout.environment_word(n)) == at)?;
    Some((R::EnvReg(number), 0))
}
