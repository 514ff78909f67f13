//! One lane: its call stack, and the [`State`] that an instruction sees.

use super::open::{Open, is_free};
use super::program::{Program, function_address};
use crate::launch::Launch;
use crate::memory::{self, Deed, Lane as View, Memory};
use crate::order::Draws;
use crate::schedule::undefined_bytes;
use crate::special::{self, Asker};
use sassafras_ptx::checked::{FunctionId, RegisterId, VariableId};
use sassafras_ptx::step::{Place, PtxState};
use sassafras_semantics::concrete::{Bits, Concrete};
use sassafras_semantics::{
    Access, AtomicOp, Domain, Opaque, Ordering, Scope, Space, SpecialRegister, State, Trap,
};

/// A function that a lane is in.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub function: FunctionId,
    /// Where the caller goes on.
    pub resume: u32,
    /// Where the caller wants the results.
    pub results: Vec<Place<Bits>>,
    pub registers: Vec<Bits>,
    pub carry: Bits,
    pub params: Vec<u8>,
    /// Where the function's `.local` variables begin.
    pub local: u64,
    /// What of it is open.
    pub open: Open,
}

/// Whether a generic address lies in the window of a space that has one.
pub(super) fn within(space: Space, generic: u64) -> bool {
    matches!(space, Space::Global | Space::Generic) || View::is_space(space, generic)
}

impl Frame {
    /// A register's value.
    pub fn get(&self, register: RegisterId) -> Result<Bits, Trap> {
        if register == RegisterId::CARRY {
            return Ok(self.carry);
        }
        let value = self.registers.get(register.0 as usize).copied();
        value.ok_or_else(|| Trap::Unsupported(format!("register number {}", register.0)))
    }

    /// Sets a register.
    pub fn set(&mut self, register: RegisterId, value: Bits) {
        if register == RegisterId::CARRY {
            self.carry = value;
        } else if let Some(r) = self.registers.get_mut(register.0 as usize) {
            *r = value;
        }
    }

    /// A frame whose registers and parameters are undefined, drawn from a seed.
    pub fn new(program: &Program<'_>, function: FunctionId, local: u64, seed: u64) -> Frame {
        let mut draws = Draws::new(seed);
        let f = &program.module.functions[function.0 as usize];
        let undefined = |draws: &mut Draws, width| {
            Bits::new(width, u128::from(draws.draw()) << 64 | u128::from(draws.draw()))
        };
        Frame {
            function,
            resume: 0,
            results: Vec::new(),
            registers: f.registers.iter().map(|r| undefined(&mut draws, r.ty.width())).collect(),
            carry: undefined(&mut draws, 1),
            params: undefined_bytes(seed, &[1], program.frames[function.0 as usize].param_bytes as usize),
            local,
            open: Open::new(f.registers.len(), program.frames[function.0 as usize].param_bytes as usize),
        }
    }
}

/// What an instruction sees of a lane and its surroundings.
pub(super) struct LaneState<'a, 'm> {
    pub program: &'a Program<'m>,
    pub frame: &'a mut Frame,
    pub local: &'a mut Vec<u8>,
    pub shared: &'a mut [u8],
    pub memory: &'a mut Memory,
    pub launch: &'a Launch,
    pub asker: Asker,
    /// Which bytes of shared and local memory are open.
    pub shared_open: &'a mut [bool],
    pub local_open: &'a mut [bool],
    /// Whether the instruction has read what is open.
    pub reads_open: bool,
    /// Whether what is open decided what it does.
    pub rests: bool,
    /// Registers written, if anybody wants to know.
    pub writes: Option<&'a mut Vec<(String, u32, u128)>>,
}

impl LaneState<'_, '_> {
    fn view(&mut self) -> View<'_> {
        View { memory: self.memory, shared: self.shared, local: self.local }
    }

    /// Which bytes an access is of, as open or not; those of global memory by address.
    fn open_bytes(&mut self, access: &Access, address: u64) -> (&mut [bool], Option<u64>) {
        let (space, at) = match access.space {
            Space::Generic => memory::resolve(address),
            space => (space, address),
        };
        let all: &mut [bool] = match space {
            Space::Shared => self.shared_open,
            Space::Local => self.local_open,
            Space::Param => &mut self.frame.open.params,
            Space::Global => return (&mut [], Some(at)),
            _ => return (&mut [], None),
        };
        let from = usize::try_from(at).unwrap_or(usize::MAX).min(all.len());
        let to = from.saturating_add(access.bytes as usize).min(all.len());
        (&mut all[from..to], None)
    }

    /// Whether bytes of memory hold what is open.
    fn holds_open(&mut self, access: &Access, address: u64) -> bool {
        match self.open_bytes(access, address) {
            (_, Some(at)) => {
                let open = &self.memory.open;
                !open.is_empty() && (0..u64::from(access.bytes)).any(|i| open.contains(&at.wrapping_add(i)))
            }
            (bytes, None) => bytes.contains(&true),
        }
    }

    /// What the instruction has read is stored.
    fn leave_open(&mut self, access: &Access, address: u64) {
        let open = self.reads_open;
        let (bytes, global) = self.open_bytes(access, address);
        bytes.fill(open);
        let Some(at) = global else { return };
        let all = (0..u64::from(access.bytes)).map(|i| at.wrapping_add(i));
        if open {
            self.memory.open.extend(all);
        } else if !self.memory.open.is_empty() {
            all.for_each(|at| {
                self.memory.open.remove(&at);
            });
        }
    }

    fn layout(&self) -> &super::program::Frame {
        &self.program.frames[self.frame.function.0 as usize]
    }

    /// The generic address of an address in a space. The window of parameters holds those of the entry alone: those of calls lie in their frames, where the same
    /// numbers are addresses of other bytes.
    ///
    /// # Errors
    /// A space without a window; what may be a parameter of a call.
    pub(super) fn generic(&self, space: Space, address: u64) -> Result<u64, Trap> {
        let of_entry = self.layout().read_only;
        if space == Space::Param && address >= of_entry && self.frame.params.len() as u64 > of_entry {
            return Err(Trap::Unsupported("cvta of a parameter of a call".into()));
        }
        View::cvta(space, address)
    }

    /// The frame's `.param` memory: a kernel's parameters are read-only.
    fn param(&mut self, access: &Access, address: u64, store: bool) -> Result<&mut [u8], Trap> {
        if store && address < self.layout().read_only {
            return Err(Trap::OutOfBounds { space: Space::Param, address, bytes: access.bytes });
        }
        let at = memory::range(Space::Param, self.frame.params.len(), address, access.bytes)?;
        Ok(&mut self.frame.params[at])
    }
}

fn address(v: &Bits) -> u64 {
    v.bits() as u64
}

impl State<Concrete> for LaneState<'_, '_> {
    type Register = RegisterId;

    fn read(&mut self, _: &Concrete, register: RegisterId) -> Result<Bits, Trap> {
        self.reads_open |= self.frame.open.is_open(register);
        self.frame.get(register)
    }

    fn write(&mut self, _: &Concrete, register: RegisterId, value: Bits) {
        self.frame.open.write(register, self.reads_open);
        if let Some(writes) = &mut self.writes {
            let f = &self.program.module.functions[self.frame.function.0 as usize];
            let name = f.registers.get(register.0 as usize).map_or("CC.CF", |r| r.name.as_str());
            writes.push((name.to_string(), self.asker.lane, value.bits()));
        }
        self.frame.set(register, value);
    }

    fn load(&mut self, _: &Concrete, access: &Access, at: &Bits) -> Result<Bits, Trap> {
        let bits = match access.space {
            Space::Param => memory::number(self.param(access, address(at), false)?),
            _ => self.view().load(access, address(at))?,
        };
        self.reads_open |= self.holds_open(access, address(at));
        Ok(Bits::new(8 * access.bytes, bits))
    }

    fn store(&mut self, _: &Concrete, access: &Access, at: &Bits, value: &Bits) -> Result<(), Trap> {
        if access.space != Space::Param {
            self.view().store(access, address(at), value.bits())?;
            self.leave_open(access, address(at));
            return Ok(());
        }
        let bytes = self.param(access, address(at), true)?;
        bytes.copy_from_slice(&value.bits().to_le_bytes()[..access.bytes as usize]);
        self.leave_open(access, address(at));
        Ok(())
    }

    fn atomic(
        &mut self,
        _: &Concrete,
        access: &Access,
        op: AtomicOp,
        at: &Bits,
        operands: &[Bits],
    ) -> Result<Bits, Trap> {
        let operands: smallvec::SmallVec<[u128; 2]> = operands.iter().map(|v| v.bits()).collect();
        let old = self.view().atomic(access, op, address(at), &operands)?;
        self.reads_open |= self.holds_open(access, address(at));
        self.leave_open(access, address(at));
        Ok(Bits::new(8 * access.bytes, old))
    }

    fn fence(&mut self, _: &Concrete, ordering: Ordering, scope: Scope) -> Result<(), Trap> {
        // Every access takes effect at once, in program order.
        self.memory.did(Deed::Fence { ordering, scope });
        Ok(())
    }

    fn opaque(&mut self, _: &Concrete, op: Opaque, arguments: &[Bits]) -> Result<Vec<Bits>, Trap> {
        self.rests |= self.reads_open;
        crate::opaque::perform(&mut self.view(), op, arguments)
    }

    fn has_barrier_unit(&self) -> bool {
        self.program.barrier_unit
    }

    fn special(&mut self, _: &Concrete, register: SpecialRegister) -> Result<Bits, Trap> {
        self.reads_open |= is_free(register);
        Ok(Bits::new(register.width(), special::value(register, &self.asker, self.launch).into()))
    }

    fn cvta(&mut self, d: &Concrete, space: Space, at: &Bits) -> Result<Bits, Trap> {
        let to = self.generic(space, address(at))?;
        Ok(match within(space, to) {
            true => d.constant(64, to.into()),
            false => d.undef(64, "a generic address of what lies outside of the window"),
        })
    }

    fn cvta_to(&mut self, d: &Concrete, space: Space, at: &Bits) -> Result<Bits, Trap> {
        let to = View::cvta_to(space, address(at))?;
        Ok(match within(space, address(at)) {
            true => d.constant(64, to.into()),
            false => d.undef(64, "an offset of what lies outside of the window"),
        })
    }

    fn is_space(&mut self, d: &Concrete, space: Space, at: &Bits) -> Result<Bits, Trap> {
        Ok(d.constant(1, View::is_space(space, address(at)).into()))
    }
}

impl PtxState<Concrete> for LaneState<'_, '_> {
    fn symbol_address(&mut self, _: &Concrete, variable: VariableId) -> Result<Bits, Trap> {
        let at = match variable {
            VariableId::Module(i) => self.program.variables.get(i as usize).copied(),
            VariableId::Local(i) => {
                let f = &self.program.module.functions[self.frame.function.0 as usize];
                let base = match f.variables.get(i as usize).map(|v| v.space) {
                    Some(Space::Local) => self.frame.local,
                    _ => 0,
                };
                self.layout().variables.get(i as usize).map(|at| at + base)
            }
        };
        at.map(|a| Bits::new(64, a.into())).ok_or_else(|| Trap::Unsupported(format!("variable {variable:?}")))
    }

    fn param_address(&mut self, _: &Concrete, index: u32, returns: bool) -> Result<Bits, Trap> {
        let layout = self.layout();
        let at = if returns { &layout.returns } else { &layout.params }.get(index as usize).copied();
        at.map(|a| Bits::new(64, a.into())).ok_or_else(|| Trap::Unsupported(format!("parameter {index}")))
    }

    fn function_address(&mut self, _: &Concrete, function: FunctionId) -> Result<Bits, Trap> {
        Ok(Bits::new(64, u128::from(function_address(self.program, function))))
    }
}
