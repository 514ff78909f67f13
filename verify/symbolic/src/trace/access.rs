//! What a side reads and stores: loads, stores, accesses that others see, special registers.

use crate::assumption::Assumption;
use crate::input::Input;
use crate::obstacle::convergence::Convergence;
use crate::obstacle::memory::Memory;
use crate::opaque::StandIn;
use crate::trace::action::{Action, Strong};
use crate::trace::event::{Event, Kind, Place, name};
use crate::trace::ordering;
use crate::trace::path::Name;
use crate::trace::side::Side;
use sassafras_semantics::{Access, Domain, Opaque, Ordering, Scope, Space, SpecialRegister, TermId, Trap};
use std::collections::BTreeSet;

/// Most earlier stores that a load is compared with: those of which it is not known that they lie elsewhere.
const MOST_STORES: usize = 128;

/// Most of them, the newest ones, where nothing is shown of a run: it is looked at for what both sides hold alike at the heads of loops ([`Cuts::watches`]), and an
/// address of one turn is seldom that of a store of many turns before.
///
/// [`Cuts::watches`]: crate::trace::heads::Cuts::watches
const MOST_WATCHED: usize = 16;

/// Most choices of an address whose arms are looked at one by one.
const MOST_CHOICES: u32 = 16;

impl<R: Name> Side<'_, R> {
    /// The space that an access belongs to, and its address of 64 bits in normal form.
    fn place_of(&mut self, access: &Access, address: TermId) -> Result<(Space, TermId), Trap> {
        let d = self.terms();
        match access.ordering {
            Ordering::NonCoherent => {
                self.log.assumed.insert(Assumption::Nc);
            }
            Ordering::AcquireRelease | Ordering::SequentiallyConsistent => {
                return Err(Trap::Unsupported(format!("an access of ordering {:?}", access.ordering)));
            }
            _ => {}
        }
        match access.space {
            Space::Global => Ok((Space::Global, self.normal(address))),
            Space::Generic => {
                let address = self.normal(address);
                let (space, address) = crate::trace::window::place(self, address)?;
                if matches!(space, Space::Const | Space::Param) {
                    return Err(self.inputs.held.trap(Memory::Fixed { space: name(space).into() }));
                }
                Ok((space, self.normal(address)))
            }
            Space::Shared | Space::Local => {
                self.log.assumed.insert(Assumption::Addr);
                let low = if d.width(&address) > 32 { d.extract(&address, 0, 32) } else { address };
                Ok((access.space, self.normal(d.zext(&low, 64))))
            }
            other => Err(Trap::Unsupported(format!("an access of {} memory", name(other)))),
        }
    }

    /// A load.
    ///
    /// # Errors
    /// Other spaces and orderings; too many stores before it.
    pub fn load(&mut self, access: &Access, address: TermId) -> Result<TermId, Trap> {
        let (space, address) = self.place_of(access, address)?;
        let tests = self.reading.facts.strong_tests && space == Space::Shared && access.bytes == 4;
        if tests || self.is_strong(access, space) {
            self.strong_halves()?;
            let value = self.strong(access, (space, address), None);
            if access.ordering == Ordering::Acquire {
                ordering::acquire(self, access.scope);
            }
            return Ok(value);
        }
        let value = match space {
            Space::Local => {
                self.local(address, access.bytes, &mut self.path.conditions.clone(), &mut { MOST_CHOICES })?
            }
            _ => self.stored(space, address, access.bytes)?,
        };
        let value = self.normal(value);
        let value = if space == Space::Local { value } else { crate::abstracted::loaded(self.inputs, value) };
        self.push(Kind::Load, space, access.bytes, address, value);
        if let Some(load) = self.log.events.last_mut() {
            load.snapshot = access.ordering == Ordering::NonCoherent;
        }
        Ok(value)
    }

    /// What lies in local memory. At an address that is a choice it is the choice of what lies at both.
    fn local(
        &self,
        address: TermId,
        bytes: u32,
        holds: &mut Vec<TermId>,
        left: &mut u32,
    ) -> Result<TermId, Trap> {
        let d = self.terms();
        let Some((whole, c, a, b)) = crate::sum::choice(d, address).filter(|_| *left > 0) else {
            return self.stored(Space::Local, address, bytes);
        };
        let at = |arm: TermId| crate::trace::window::with(self.inputs, address, whole, arm);
        let count = holds.len();
        let possible = |condition: TermId, holds: &mut Vec<TermId>| {
            let known = d.as_constant(&crate::trace::lanes::under(d, holds, condition));
            let possible = known.map_or_else(|| self.add(holds, self.normal(condition)), |c| c == 1);
            holds.truncate(count);
            possible
        };
        let not = d.not(&c);
        match (possible(c, holds), possible(not, holds)) {
            (true, true) => {}
            (true, false) => return self.local(at(a), bytes, holds, left),
            (false, true) => return self.local(at(b), bytes, holds, left),
            // No lane is here.
            (false, false) => return self.stored(Space::Local, address, bytes),
        }
        *left -= 1;
        let mut arm = |condition: TermId, arm: TermId| {
            holds.push(self.normal(condition));
            let value = self.local(at(arm), bytes, holds, left);
            holds.truncate(count);
            value
        };
        let (a, b) = (arm(c, a)?, arm(not, b)?);
        Ok(if a == b { a } else { self.normal(d.ite(&c, &a, &b)) })
    }

    /// What lies at an address in the thread's own memory, 64 bits, as others may see it whom it is handed to; `first` is what lies there before
    /// anything is stored.
    ///
    /// # Errors
    /// Too many stores before it.
    pub fn own(&self, address: TermId, bytes: u32, first: TermId) -> Result<TermId, Trap> {
        let value = self.over(Space::Local, address, bytes, first)?;
        Ok(self.normal(value))
    }

    /// What lies at an address: the state of memory that the lanes here see, after their stores.
    fn stored(&self, space: Space, address: TermId, bytes: u32) -> Result<TermId, Trap> {
        let version = self.path.seen;
        let value = match space {
            Space::Local => self.inputs.memory(self.who, self.terms().constant(32, 0), address, bytes),
            Space::Shared => self.inputs.memory("shared", version, address, bytes),
            _ => self.inputs.memory("", version, address, bytes),
        };
        self.over(space, address, bytes, value)
    }

    /// A value after the stores of the lanes here.
    fn over(&self, space: Space, address: TermId, bytes: u32, mut value: TermId) -> Result<TermId, Trap> {
        let mut stores = self.met(space, address, bytes);
        if self.cuts.watches() {
            stores.truncate(MOST_WATCHED);
        }
        if stores.len() > MOST_STORES {
            return Err(self.inputs.held.trap(Memory::ManyStores { most: MOST_STORES }));
        }
        // That accesses are aligned is assumed of the source (A-UB) and asked of the target, but for local memory. Up to the first that is
        // not, what was loaded is right. Raw terms are made of bytes, and judge this on inputs.
        let aligned = self.inputs.normal.is_active() && space != Space::Local;
        let overlay =
            if aligned { crate::trace::event::overlay_aligned } else { crate::trace::event::overlay };
        for store in stores.iter().rev() {
            value = overlay(self.terms(), value, address, bytes, store);
        }
        Ok(value)
    }

    /// The stores of this path that a load may meet, the newest first: without those that are known to lie elsewhere, and without those
    /// before one that leaves all its bytes.
    fn met(&self, space: Space, address: TermId, bytes: u32) -> Vec<Event> {
        let own = |address, bytes| crate::sum::inside(self.terms(), address, bytes, &self.log.locals);
        let variable = if space == Space::Local { own(address, bytes) } else { None };
        let mut all = Vec::new();
        for (condition, index) in self.path.stores.iter().rev() {
            let store = &self.log.events[*index];
            if store.space != space {
                continue;
            }
            let place = crate::trace::event::place(self.terms(), address, bytes, store);
            if place == Place::Apart {
                continue;
            }
            // Variables are disjoint (A-ADDR).
            let other = variable.and_then(|_| own(store.address, store.bytes));
            if other.is_some() && other != variable {
                continue;
            }
            let given = self.log.stood_in.iter().find(|s| s.index == *index).map(|s| s.given);
            all.push(Event { guard: *condition, value: given.unwrap_or(store.value), ..store.clone() });
            if place == Place::Covered && self.inputs.known(*condition) == Some(1) {
                break;
            }
        }
        if self.inputs.opaque.is_active() {
            crate::opaque::sorted(self.terms(), &mut all);
        }
        all
    }

    /// A load of constants or parameters through a generic address, which the other side may only do if this one does.
    pub fn read_only(&mut self, access: &Access, address: TermId, value: TermId) {
        let (address, value) = (self.normal(address), self.normal(value));
        self.push(Kind::Load, access.space, access.bytes, address, value);
    }

    /// A store.
    ///
    /// # Errors
    /// Other spaces and orderings.
    pub fn store(&mut self, access: &Access, address: TermId, value: TermId) -> Result<(), Trap> {
        let (space, address) = self.place_of(access, address)?;
        self.log.generic.stored |= access.space == Space::Generic && space == Space::Global;
        if self.is_strong(access, space) {
            if access.ordering == Ordering::Release {
                ordering::release(self, access.scope);
            }
            self.strong_halves()?;
            self.strong(access, (space, address), Some(value));
            return Ok(());
        }
        let value = self.normal(value);
        self.push(Kind::Store, space, access.bytes, address, value);
        self.stand_in();
        let condition = self.guard;
        // On this path the instruction was reached: its guard alone decides.
        self.path.stores.push((condition, self.log.events.len() - 1));
        Ok(())
    }

    /// What loads find of the target's newest store is what the source's partner stores.
    fn stand_in(&mut self) {
        let index = self.log.events.len() - 1;
        let own = &self.log.events[index];
        if self.who != "target" || !self.inputs.opaque.is_active() || !own.stores() {
            return;
        }
        let same = |e: &&Event| e.stores() && crate::opaque::same_place(e, own);
        let number = self.log.events[..index].iter().filter(same).count();
        if let Some(given) = self.inputs.opaque.partner(self.terms(), number, own) {
            self.log.stood_in.push(StandIn { index, guard: own.guard, own: own.value, given });
        }
    }

    /// Whether an access is an event that others see (PTX ISA, "Operation types": all but weak ones). Nobody else sees local memory.
    fn is_strong(&self, access: &Access, space: Space) -> bool {
        let weak = matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent);
        space != Space::Local && !weak || self.reading.facts.strong_shared && space == Space::Shared
    }

    /// What others see of an access of 32 bytes is two accesses. No event says that the first lies at a multiple of 32 bytes: of the source that is assumed
    /// anyway, and of code it would have to be shown.
    fn strong_halves(&mut self) -> Result<(), Trap> {
        match self.align.take() {
            Some(bytes) if self.machine => {
                Err(Trap::Unsupported(format!("an access of {bytes} bytes that is not weak")))
            }
            _ => Ok(()),
        }
    }

    /// An access that is not weak: an event of its own, whose result others decide. What an acquire or release does beyond
    /// that is an event before or behind it.
    fn strong(
        &mut self,
        access: &Access,
        (space, address): (Space, TermId),
        value: Option<TermId>,
    ) -> TermId {
        let ordering = if access.ordering == Ordering::Mmio { Ordering::Mmio } else { Ordering::Relaxed };
        let scope = match (space, access.ordering) {
            // Shared memory is the block's: no wider scope says more.
            (Space::Shared, _) => Scope::Cta,
            // PTX ISA: a volatile access is relaxed with the scope of the system.
            (_, Ordering::Volatile) => Scope::Sys,
            _ => ordering::executed(access.scope),
        };
        let own = Strong { space, bytes: access.bytes, ordering, scope };
        let what = if value.is_some() { Action::Store(own) } else { Action::Load(own) };
        let mut arguments = vec![address];
        arguments.extend(value);
        // What a weak load behind a relaxed one finds is what it would have found before it: no write of others to its bytes may be ordered between them, since that takes an acquire, and
        // a write that is not ordered is a race (A-DRF; PTX ISA, "Memory Consistency Model"). Within the block a load may be an acquire by itself.
        let passed = value.is_none() && space == Space::Global && scope > Scope::Cta;
        let seen = (self.path.seen, self.path.stores.clone());
        let answer = self.event(what, &arguments, &[8 * access.bytes], true)[0];
        if passed {
            (self.path.seen, self.path.stores) = seen;
        }
        answer
    }

    /// An opaque operation: an event with all operands, whose results are the same on both sides where these are (A-OPAQUE). Of one that is pure
    /// the results are a function of the operands, and there is no event.
    ///
    /// # Errors
    /// Lanes of the target that may not be together, where all of a warp have to be.
    pub fn perform(&mut self, op: Opaque, arguments: &[TermId]) -> Result<Vec<TermId>, Trap> {
        let family = op.family();
        if family.of_whole_warp && self.machine {
            // `barrier.cluster` need not be aligned.
            let apart = self.path.lanes.are_apart() && op.head() != "wgmma";
            if apart {
                return Err(self.inputs.held.trap(Convergence::Apart {}));
            }
            self.as_a_whole().map_err(|why| self.inputs.held.trap(why))?;
        }
        // Where no group of bulk copies has been ended there is none to wait for. SASS waits for other things by the same instruction.
        let groups = "groups of bulk copies";
        match op.name() {
            "bulk.commit" => {
                self.log.occurs(groups.into());
            }
            "bulk.wait" | "bulk.wait.read" if !self.log.occurrences.contains_key(groups) => {
                return Ok(Vec::new());
            }
            // What the copies wrote is seen where the first-level cache holds nothing older, as `CCTL.IVALL` sees to behind `DEPBAR` (ptxas 13.0.88). The wait
            // itself is that for their sources.
            "bulk.wait" => {
                let read =
                    Opaque::named("bulk.wait.read").ok_or_else(|| Trap::Unsupported(op.name().into()))?;
                let results = self.perform(read, arguments)?;
                ordering::acquire(self, Scope::Gpu);
                return Ok(results);
            }
            _ => {}
        }
        if !family.timing {
            self.log.assumed.insert(Assumption::Opaque);
        }
        if family.reads {
            // What is read follows from the state that the effects before have left.
            let mut arguments = arguments.to_vec();
            arguments.push(self.path.version);
            return Ok(self.event(Action::Opaque(op), &arguments, &family.results, false));
        }
        if !family.pure {
            return Ok(self.event(Action::Opaque(op), arguments, &family.results, true));
        }
        let arguments: Vec<TermId> = arguments.iter().map(|a| self.normal(*a)).collect();
        let uniform = arguments.iter().all(|a| self.inputs.is_uniform(*a));
        let name = |i: usize| format!("{op} {arguments:?} {i}");
        let stateless = self.terms().constant(32, 0);
        let result = |(i, &width): (usize, &u32)| {
            let value = self.inputs.variable(&name(i), width, uniform);
            self.inputs.bind(value, &Action::Opaque(op), &arguments, stateless, i as u32);
            value
        };
        Ok(family.results.iter().enumerate().map(result).collect())
    }

    /// Some set of lanes, 32 bits.
    pub fn somebody(&mut self) -> TermId {
        let count = self.log.occurs("lanes that are here".into());
        self.inputs.variable(&format!("lanes.{count}"), 32, false)
    }

    /// How often a special register was read, this time included.
    fn asked(&mut self, register: SpecialRegister) -> u32 {
        self.log.occurs(format!("special {register:?}"))
    }

    /// A special register that is no function of the launch: whatever it holds, it may hold on both sides, once for each time that it is
    /// read.
    ///
    /// # Errors
    /// Registers that a launch does not have.
    pub fn special(&mut self, register: SpecialRegister) -> Result<TermId, Trap> {
        use SpecialRegister as R;
        match register {
            R::Clock | R::ClockHi | R::Clock64 | R::GlobalTimer | R::GlobalTimerLo | R::GlobalTimerHi
                if self.reading.unasked.clocks =>
            {
                let time = self.asked(register);
                Ok(self.inputs.input(Input::Answer(register, time), register.width(), false))
            }
            // PTX ISA: either may change while the thread runs.
            R::WarpId | R::SmId => {
                let time = self.asked(register);
                Ok(self.inputs.identity(register, time))
            }
            R::Pm(_) | R::Pm64(_) if self.reading.unasked.clocks => {
                let time = self.asked(register);
                Ok(self.inputs.input(Input::Answer(register, time), register.width(), false))
            }
            R::Clock
            | R::ClockHi
            | R::Clock64
            | R::GlobalTimer
            | R::GlobalTimerLo
            | R::GlobalTimerHi
            | R::Pm(_)
            | R::Pm64(_) => Ok(self.event(Action::Special(register), &[], &[register.width()], true)[0]),
            other => self.inputs.special(other),
        }
    }

    fn push(&mut self, kind: Kind, space: Space, bytes: u32, address: TermId, value: TermId) {
        let version = if kind == Kind::Load { self.path.seen } else { self.path.version };
        let (guard, place) = (self.happens(), self.place);
        let align = self.align.take().unwrap_or(bytes);
        let arguments = Vec::new();
        self.log.came.push(Vec::new());
        self.log.events.push(Event {
            kind,
            space,
            guard,
            address,
            bytes,
            align,
            value,
            snapshot: false,
            version,
            place,
            visit: self.walk.visit,
            orders: false,
            arguments,
            results: Vec::new(),
            waits: None,
            met: BTreeSet::new(),
        });
    }
}
