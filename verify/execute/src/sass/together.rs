//! All lanes of a group in one step, where that is the same as stepping one after the other.
//!
//! Registers are written when the step has succeeded, and stores can be done again: whatever goes wrong or depends on the order of lanes is
//! left to the steps of single lanes, from the state before.

use super::warp::{Registers, Warp};
use crate::memory::Lane as View;
use crate::schedule::{Block, World};
use crate::special;
use sassafras_isa::{Inst, Outcome, RegClass, Register, step};
use sassafras_semantics::concrete::{LANES, Lanes, Vector};
use sassafras_semantics::{
    Access, AtomicOp, Bits, Domain, Ordering, Scope, Space, SpecialRegister, State, Trap,
};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// As many lanes pay for a step of all 32.
const WORTH: u32 = 4;

/// The view of several lanes.
struct Group<'a, 'w> {
    warp: u32,
    /// In the order in which they are served.
    lanes: &'a [usize],
    registers: &'a Registers,
    local: &'a mut [Vec<u8>],
    world: &'a mut World<'w>,
    block: &'a mut Block,
    written: SmallVec<[(Register, Vector); 4]>,
}

/// What lanes do whose steps come to the same kind of outcome: the lanes of which a condition holds, and the outcome without it.
pub(super) type Decided = (u32, Outcome<Bits>);

/// Steps all lanes of a mask, or none: then nothing has changed but what stores have written that will be written again. What has come
/// to nothing once is marked as `apart` and not tried again.
pub(super) fn perform(
    warp: &mut Warp,
    inst: &Inst,
    apart: &AtomicBool,
    address: u64,
    executing: u32,
    world: &mut World<'_>,
    block: &mut Block,
) -> Option<Decided> {
    let options = world.options;
    let watched = options.one_by_one || options.trace.is_some() || world.memory.log.is_some();
    if executing.count_ones() < WORTH || watched || apart.load(Relaxed) {
        return None;
    }
    let decided = attempt(warp, inst, address, executing, world, block);
    apart.store(decided.is_none(), Relaxed);
    decided
}

fn attempt(
    warp: &mut Warp,
    inst: &Inst,
    address: u64,
    executing: u32,
    world: &mut World<'_>,
    block: &mut Block,
) -> Option<Decided> {
    let served = warp.served(executing);
    let domain = Lanes::new(&warp.domain, executing);
    let mut group = Group {
        warp: warp.index,
        lanes: &served,
        registers: &warp.registers,
        local: &mut warp.local,
        world,
        block,
        written: SmallVec::new(),
    };
    let outcome = step(&domain, inst, address, &mut group).ok()?;
    let written = group.written;
    if domain.gave_up() {
        return None;
    }
    let holds = |condition: Option<Vector>| executing & condition.map_or(u32::MAX, |c| c.holds());
    let decided = match outcome {
        Outcome::Next => (executing, Outcome::Next),
        Outcome::Yield => (executing, Outcome::Yield),
        Outcome::Branch { target, condition } => {
            (holds(condition), Outcome::Branch { target, condition: None })
        }
        Outcome::Exit { condition } => (holds(condition), Outcome::Exit { condition: None }),
        Outcome::SetBarrier { barrier, target } => (executing, Outcome::SetBarrier { barrier, target }),
        Outcome::Sync { barrier, condition } => {
            (holds(condition), Outcome::Sync { barrier, condition: None })
        }
        Outcome::Break { barrier, condition } => {
            (holds(condition), Outcome::Break { barrier, condition: None })
        }
        _ => return None,
    };
    for (register, value) in &written {
        warp.registers.write_lanes(*register, value, executing);
    }
    Some(decided)
}

impl Group<'_, '_> {
    fn view(&mut self, lane: usize) -> View<'_> {
        View { memory: &mut self.world.memory, shared: &mut self.block.shared, local: &mut self.local[lane] }
    }

    /// What each lane finds out by itself.
    fn each(
        &mut self,
        width: u32,
        mut of: impl FnMut(&mut Self, usize) -> Result<u128, Trap>,
    ) -> Result<Vector, Trap> {
        let mut all = [0; LANES];
        for &lane in self.lanes {
            all[lane] = of(self, lane)?;
        }
        Ok(Vector::each(width, |lane| all[lane]))
    }

    fn apart(what: &str) -> Trap {
        Trap::Unsupported(format!("{what} of several lanes at once"))
    }
}

impl Registers {
    /// Sets a register of the lanes of a mask; of a uniform one the last lane's value stays.
    fn write_lanes(&mut self, register: Register, value: &Vector, mask: u32) {
        let n = register.number as usize;
        match register.class {
            RegClass::R => {
                let Some(all) = self.r.get_mut(n) else { return };
                match value.known() {
                    Some(bits) if mask == u32::MAX => *all = [bits as u32; LANES],
                    _ => value.low_to(mask, all),
                }
            }
            RegClass::P => {
                let holds = value.holds();
                for lane in crate::collective::lanes(mask) {
                    let file = &mut self.p[lane];
                    *file = *file & !(1 << n) | ((holds >> lane & 1) as u8) << n;
                }
            }
            // Instructions that write these execute for one lane.
            RegClass::UR | RegClass::UP | RegClass::B => {}
        }
    }
}

impl State<Lanes<'_>> for Group<'_, '_> {
    type Register = Register;

    fn read(&mut self, d: &Lanes<'_>, register: Register) -> Result<Vector, Trap> {
        let n = register.number as usize;
        Ok(match register.class {
            RegClass::R => {
                let all = self.registers.r.get(n).ok_or_else(|| super::warp::beyond(register))?;
                Vector::narrow(32, |lane| all[lane].into())
            }
            RegClass::UR => d.constant(
                32,
                (*self.registers.ur.get(n).ok_or_else(|| super::warp::beyond(register))?).into(),
            ),
            RegClass::P => Vector::narrow(1, |lane| (self.registers.p[lane] >> n & 1).into()),
            RegClass::UP => d.constant(1, (self.registers.up >> n & 1).into()),
            RegClass::B => return Err(super::warp::beyond(register)),
        })
    }

    fn write(&mut self, d: &Lanes<'_>, register: Register, value: Vector) {
        if matches!(register.class, RegClass::UR | RegClass::UP) {
            // Which lane's value stays is a matter of their order.
            d.give_up();
        }
        self.written.push((register, value));
    }

    fn load(&mut self, d: &Lanes<'_>, access: &Access, address: &Vector) -> Result<Vector, Trap> {
        let width = 8 * access.bytes;
        if let (Some(at), Space::Bank(_), Some(&first)) = (address.known(), access.space, self.lanes.first())
        {
            return Ok(d.constant(width, self.view(first).load(access, at as u64)?));
        }
        self.each(width, |group, lane| group.view(lane).load(access, address.lane(lane).bits() as u64))
    }

    fn store(
        &mut self,
        _: &Lanes<'_>,
        access: &Access,
        address: &Vector,
        value: &Vector,
    ) -> Result<(), Trap> {
        for &lane in self.lanes {
            let (at, bits) = (address.lane(lane).bits() as u64, value.lane(lane).bits());
            self.view(lane).store(access, at, bits)?;
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        _: &Lanes<'_>,
        _: &Access,
        _: AtomicOp,
        _: &Vector,
        _: &[Vector],
    ) -> Result<Vector, Trap> {
        Err(Self::apart("an atomic operation"))
    }

    fn fence(&mut self, _: &Lanes<'_>, _: Ordering, _: Scope) -> Result<(), Trap> {
        Ok(())
    }

    fn special(&mut self, _: &Lanes<'_>, register: SpecialRegister) -> Result<Vector, Trap> {
        self.each(register.width(), |group, lane| {
            let asker = group.block.asker(group.world, group.warp, lane as u32);
            Ok(special::value(register, &asker, group.world.launch).into())
        })
    }

    fn cvta(&mut self, _: &Lanes<'_>, space: Space, address: &Vector) -> Result<Vector, Trap> {
        self.each(64, |_, lane| View::cvta(space, address.lane(lane).bits() as u64).map(u128::from))
    }

    fn cvta_to(&mut self, _: &Lanes<'_>, space: Space, address: &Vector) -> Result<Vector, Trap> {
        self.each(64, |_, lane| View::cvta_to(space, address.lane(lane).bits() as u64).map(u128::from))
    }

    fn is_space(&mut self, _: &Lanes<'_>, space: Space, address: &Vector) -> Result<Vector, Trap> {
        self.each(1, |_, lane| Ok(View::is_space(space, address.lane(lane).bits() as u64).into()))
    }
}
