//! What a run rests on that the source leaves open: registers and memory that were never written, values that the ISA leaves undefined, clocks and
//! their like.
//!
//! - A value is open if the instruction that makes it reads an open one. Bits are not told apart: more may be taken for open than is.
//! - Bytes of memory are open that hold an open value, and those of local, shared and call parameter memory that were never written.
//! - What an open value decides (a guard, an address, a branch, what lanes ask of each other) has no meaning: the run rests on it from there on.
//!
//! Addresses of variables are not among these: programs compare and subtract them all the time. They differ by [`crate::Options::places`].

use sassafras_ptx::checked::{AddressBase, Inst, Op, Operand, RegisterId, Type};
use sassafras_semantics::SpecialRegister;
use smallvec::SmallVec;

/// Which registers of a frame are open, and which bytes of its parameters.
#[derive(Clone, Debug, Default)]
pub(super) struct Open {
    /// By register.
    pub registers: Vec<bool>,
    /// The same of what was never written, which is open for that reason alone.
    pub unwritten: Vec<bool>,
    pub carry: bool,
    /// By byte of `.param` memory.
    pub params: Vec<bool>,
}

impl Open {
    /// Nothing is written yet.
    pub fn new(registers: usize, params: usize) -> Open {
        Open {
            registers: vec![true; registers],
            unwritten: vec![true; registers],
            carry: true,
            params: vec![true; params],
        }
    }

    /// Whether a register is open.
    pub fn is_open(&self, register: RegisterId) -> bool {
        match register {
            RegisterId::CARRY => self.carry,
            r => self.registers.get(r.0 as usize).copied().unwrap_or(false),
        }
    }

    /// A register is written.
    pub fn write(&mut self, register: RegisterId, open: bool) {
        if register == RegisterId::CARRY {
            self.carry = open;
        } else if let Some(own) = self.registers.get_mut(register.0 as usize) {
            *own = open;
            self.unwritten[register.0 as usize] = false;
        }
    }

    /// Registers that an instruction reads and that were never written.
    pub fn unwritten(&self, inst: &Inst) -> Vec<RegisterId> {
        let mut all = Vec::new();
        all.extend(inst.guard.map(|g| g.register));
        let writes = usize::from(writes_first(inst));
        inst.operands.iter().skip(writes).for_each(|o| sources(o, &mut all));
        // An address is read wherever it stands.
        inst.operands.iter().take(writes).for_each(|o| addresses(o, &mut all));
        all.retain(|r| self.unwritten.get(r.0 as usize).copied().unwrap_or(false));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether an address of an instruction is open.
    pub fn decides_address(&self, inst: &Inst) -> bool {
        address_registers(inst).into_iter().any(|r| self.is_open(r))
    }
}

/// Registers of an instruction's addresses.
pub(super) fn address_registers(inst: &Inst) -> SmallVec<[RegisterId; 2]> {
    let mut all = SmallVec::new();
    inst.operands.iter().for_each(|o| addresses(o, &mut all));
    all
}

/// Whether the first operand is where the result goes.
fn writes_first(inst: &Inst) -> bool {
    !matches!(
        inst.op,
        Op::St
            | Op::Red
            | Op::Bra
            | Op::BrxIdx
            | Op::Call
            | Op::Bar
            | Op::Barrier
            | Op::CpAsync
            | Op::Ret
            | Op::Exit
    )
}

fn sources(operand: &Operand, all: &mut Vec<RegisterId>) {
    match operand {
        Operand::Register(r) | Operand::NotRegister(r) => all.push(*r),
        Operand::Vector(parts) => parts.iter().for_each(|p| sources(p, all)),
        Operand::List(parts) => parts.iter().for_each(|p| sources(p, all)),
        other => addresses(other, all),
    }
}

fn addresses(operand: &Operand, all: &mut impl Extend<RegisterId>) {
    if let Operand::Address(AddressBase::Register(r), _) = operand {
        all.extend([*r]);
    }
}

/// Whether an instruction may make a value that the ISA leaves undefined; which it is shows where it is done with others in its place.
pub(super) fn may_be_undefined(inst: &Inst) -> bool {
    let float = matches!(inst.types.first(), Some(Type::F(_)));
    match inst.op {
        Op::Div | Op::Rem => !float,
        Op::Cvt | Op::Cvta => true,
        _ => false,
    }
}

/// Whether a special register is no function of the launch.
pub(super) fn is_free(register: SpecialRegister) -> bool {
    use SpecialRegister as R;
    register.is_volatile() || matches!(register, R::NWarpId | R::NSmId | R::GridId | R::EnvReg(_))
}
