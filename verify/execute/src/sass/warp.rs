//! The registers of a warp, and one lane's view of the machine.

use super::group::Group;
use super::program::Program;
use super::timing::Timing;
use crate::collective::lanes;
use crate::memory::Lane as View;
use crate::options::{Approx, Options};
use crate::order::{Order, Picker, hash};
use crate::schedule::{Block, World, undefined_bytes};
use crate::special;
use sassafras_isa::{RegClass, Register};
use sassafras_semantics::{
    Access, AtomicOp, Bits, Chooser, Concrete, Domain, Opaque, Ordering, Scope, Space, SpecialRegister,
    State, Trap,
};
use smallvec::SmallVec;

/// Register files. Lanes are the inner index.
#[derive(Debug)]
pub(super) struct Registers {
    /// R.
    pub r: Vec<[u32; 32]>,
    /// P: bit `n` of each lane.
    pub p: [u8; 32],
    /// UR, one file for the warp, with room for each number that an instruction can name.
    pub ur: [u32; 256],
    /// UP.
    pub up: u8,
}

/// A warp.
#[derive(Debug)]
pub struct Warp {
    /// Number within the block.
    pub(super) index: u32,
    pub(super) groups: Vec<Group>,
    /// Lanes that have exited, or never were.
    pub(super) exited: u32,
    /// Lanes that the warp began with.
    pub(super) existing: u32,
    /// Convergence barriers.
    pub(super) barriers: [u32; 16],
    /// For each: lanes that have yielded since somebody waits, and how often all that are awaited have.
    pub(super) yielded: [(u32, u32); 16],
    /// Lanes that have left a barrier by `BREAK`, and neither set nor come to one since.
    pub(super) broke: u32,
    /// Result of each lane's last reducing block barrier: count and decision.
    pub(super) reduced: [(u32, bool); 32],
    pub(super) registers: Registers,
    /// Local memory of each lane.
    pub(super) local: Vec<Vec<u8>>,
    pub(super) picker: Picker,
    pub(super) order: Order,
    /// Lanes are served from the highest down.
    pub(super) downwards: bool,
    pub(super) domain: Concrete,
    pub(super) timing: Option<Timing>,
}

fn chooser(options: &Options) -> Chooser {
    match options.approx {
        Approx::Nearest => Chooser::Nearest,
        Approx::Low => Chooser::Lowest,
        Approx::High => Chooser::Highest,
        Approx::Seed(seed) => Chooser::Seeded(seed),
    }
}

impl Warp {
    pub(super) fn new(
        program: &Program,
        world: &World<'_>,
        block: &Block,
        index: u32,
        existing: u32,
    ) -> Warp {
        let (order, seed) = (world.options.interleaving(), world.options.seed);
        // What a register holds before it is written is undefined.
        let any = |file: u64, n: u64, lane: u64| {
            hash(seed, &[0x5eed, block.linear, index.into(), file, n, lane]) as u32
        };
        let count = 255.min(program.registers.max(1) as usize);
        let mut ur = [0; 256];
        for (n, value) in ur.iter_mut().enumerate() {
            *value = any(1, n as u64, 0);
        }
        let local = |lane: u64| {
            undefined_bytes(seed, &[0x10ca1, block.linear, index.into(), lane], program.local as usize)
        };
        Warp {
            index,
            groups: vec![Group::at_entry(existing)],
            exited: !existing,
            existing,
            barriers: [0; 16],
            yielded: [(0, 0); 16],
            broke: 0,
            reduced: [(0, false); 32],
            registers: Registers {
                r: (0..count as u64).map(|n| std::array::from_fn(|lane| any(0, n, lane as u64))).collect(),
                p: std::array::from_fn(|lane| any(2, 0, lane as u64) as u8),
                ur,
                up: any(3, 0, 0) as u8,
            },
            local: (0..32).map(local).collect(),
            picker: Picker::new(order.groups, block.linear << 8 | u64::from(index)),
            order,
            downwards: world.options.order % 2 == 1,
            domain: match seed {
                0 => Concrete::new(chooser(world.options)),
                _ => Concrete::new(chooser(world.options)).with_undefined(any(4, 0, 0).into()),
            },
            timing: world.options.timing.then(|| Timing::new(program.chip)),
        }
    }

    /// The lanes of a mask, in the order in which they are served.
    pub(super) fn served(&self, mask: u32) -> SmallVec<[usize; 32]> {
        let mut all: SmallVec<[usize; 32]> = lanes(mask).collect();
        if self.downwards {
            all.reverse();
        }
        all
    }
}

/// A register write, for the trace.
pub(super) type Write = (String, u32, u128);

/// One lane's view of the machine.
pub(super) struct Lane<'a, 'w> {
    pub lane: usize,
    pub warp: u32,
    pub registers: &'a mut Registers,
    pub local: &'a mut Vec<u8>,
    pub world: &'a mut World<'w>,
    pub block: &'a mut Block,
    /// Collects register writes when somebody listens.
    pub writes: Option<&'a mut Vec<Write>>,
}

impl Lane<'_, '_> {
    fn view(&mut self) -> View<'_> {
        View { memory: &mut self.world.memory, shared: &mut self.block.shared, local: self.local }
    }
}

impl State<Concrete> for Lane<'_, '_> {
    type Register = Register;

    fn read(&mut self, d: &Concrete, register: Register) -> Result<Bits, Trap> {
        let n = register.number as usize;
        Ok(match register.class {
            RegClass::R => {
                let all = self.registers.r.get(n).ok_or_else(|| beyond(register))?;
                d.constant(32, all[self.lane].into())
            }
            RegClass::UR => {
                d.constant(32, (*self.registers.ur.get(n).ok_or_else(|| beyond(register))?).into())
            }
            RegClass::P => d.constant(1, (self.registers.p[self.lane] >> n & 1).into()),
            RegClass::UP => d.constant(1, (self.registers.up >> n & 1).into()),
            RegClass::B => return Err(beyond(register)),
        })
    }

    fn write(&mut self, _: &Concrete, register: Register, value: Bits) {
        let n = register.number as usize;
        let bits = value.bits();
        let set = |file: &mut u8| *file = *file & !(1 << n) | (bits as u8 & 1) << n;
        match register.class {
            // A register beyond the declared count was found out before the instruction was executed.
            RegClass::R => {
                if let Some(all) = self.registers.r.get_mut(n) {
                    all[self.lane] = bits as u32;
                }
            }
            RegClass::UR => self.registers.ur[n & 255] = bits as u32,
            RegClass::P => set(&mut self.registers.p[self.lane]),
            RegClass::UP => set(&mut self.registers.up),
            RegClass::B => {}
        }
        if let Some(writes) = &mut self.writes {
            writes.push((register.to_string(), self.lane as u32, bits));
        }
    }

    fn load(&mut self, d: &Concrete, access: &Access, address: &Bits) -> Result<Bits, Trap> {
        let bits = self.view().load(access, address.bits() as u64)?;
        Ok(d.constant(8 * access.bytes, bits))
    }

    fn store(&mut self, _: &Concrete, access: &Access, address: &Bits, value: &Bits) -> Result<(), Trap> {
        self.view().store(access, address.bits() as u64, value.bits())
    }

    fn atomic(
        &mut self,
        d: &Concrete,
        access: &Access,
        op: AtomicOp,
        address: &Bits,
        operands: &[Bits],
    ) -> Result<Bits, Trap> {
        let operands: SmallVec<[u128; 2]> = operands.iter().map(|o| o.bits()).collect();
        let old = self.view().atomic(access, op, address.bits() as u64, &operands)?;
        Ok(d.constant(8 * access.bytes, old))
    }

    fn fence(&mut self, _: &Concrete, _: Ordering, _: Scope) -> Result<(), Trap> {
        // Accesses are performed in the order of issue: there is nothing to wait for.
        Ok(())
    }

    fn opaque(&mut self, _: &Concrete, op: Opaque, arguments: &[Bits]) -> Result<Vec<Bits>, Trap> {
        crate::opaque::perform(&mut self.view(), op, arguments)
    }

    fn special(&mut self, d: &Concrete, register: SpecialRegister) -> Result<Bits, Trap> {
        let asker = self.block.asker(self.world, self.warp, self.lane as u32);
        let value = special::value(register, &asker, self.world.launch);
        Ok(d.constant(register.width(), value.into()))
    }

    fn cvta(&mut self, d: &Concrete, space: Space, address: &Bits) -> Result<Bits, Trap> {
        View::cvta(space, address.bits() as u64).map(|a| d.constant(64, a.into()))
    }

    fn cvta_to(&mut self, d: &Concrete, space: Space, address: &Bits) -> Result<Bits, Trap> {
        View::cvta_to(space, address.bits() as u64).map(|a| d.constant(64, a.into()))
    }

    fn is_space(&mut self, d: &Concrete, space: Space, address: &Bits) -> Result<Bits, Trap> {
        Ok(d.constant(1, View::is_space(space, address.bits() as u64).into()))
    }
}

pub(super) fn beyond(register: Register) -> Trap {
    Trap::Poison(format!("{register}, beyond the function's register count,"))
}
