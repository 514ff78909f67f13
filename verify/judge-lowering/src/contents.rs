//! What the buffers of an entry hold, as far as its instructions tell: indices, floats, other numbers.
//!
//! Only what is drawn rests on it: a wrong guess makes a launch that does not count. It goes through the text as if there were no branches, and looks at
//! no call.

use rustc_hash::FxHashMap;
use sassafras_ptx::checked::{AddressBase, Function, Inst, Op, Operand, RegisterId, Type};
use sassafras_semantics::FloatFormat;
use sassafras_semantics::Space;

/// What a buffer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holds {
    /// It is not known.
    #[default]
    Any,
    /// Integers.
    Integers,
    /// Integers of one byte.
    Bytes,
    /// Numbers of binary32, or of shorter formats.
    Floats,
    /// Numbers of binary64.
    Double,
    /// Numbers of which addresses are made.
    Indices,
}

/// Parameters, by their numbers below 64.
type Set = u64;

/// What is known of a register.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Known {
    /// Parameters that it is an address from.
    from: Set,
    /// Parameters through whose buffers it was loaded, as it stands there.
    loaded: Set,
    /// Parameters whose numbers it is made of.
    made: Set,
}

impl Known {
    fn and(self, other: Known) -> Known {
        Known {
            from: self.from | other.from,
            loaded: self.loaded | other.loaded,
            made: self.made | other.made,
        }
    }
}

/// A mask below which any number is an index.
const MASK: u64 = 512;

struct Look<'f> {
    function: &'f Function,
    registers: FxHashMap<RegisterId, Known>,
    holds: Vec<Holds>,
}

/// What the buffer of each parameter holds, in the order of parameters.
pub(crate) fn contents(function: &Function) -> Vec<Holds> {
    let holds = vec![Holds::Any; function.params.len()];
    let mut look = Look { function, registers: FxHashMap::default(), holds };
    // The second time with what is loaded at the end of a loop.
    let insts = function.insts.iter().chain(&function.insts).flatten();
    insts.for_each(|inst| look.follow(inst));
    look.holds
}

/// Registers of an operand.
fn registers(operand: &Operand, see: &mut impl FnMut(RegisterId)) {
    match operand {
        Operand::Register(r) | Operand::NotRegister(r) | Operand::Pieces(r, _) => see(*r),
        Operand::Address(AddressBase::Register(r), _) => see(*r),
        Operand::Negated(inner) => registers(inner, see),
        Operand::Pair(a, b) => {
            registers(a, see);
            registers(b, see);
        }
        Operand::Vector(items) => items.iter().for_each(|o| registers(o, see)),
        _ => {}
    }
}

/// What numbers of a type are.
fn kind(ty: Type) -> Option<Holds> {
    match ty {
        Type::F(FloatFormat::F64) => Some(Holds::Double),
        Type::F(_) | Type::F16x2 | Type::Bf16x2 | Type::F32x2 | Type::Tf32 => Some(Holds::Floats),
        Type::B(8) | Type::U(8) | Type::S(8) => Some(Holds::Bytes),
        Type::U(n) | Type::S(n) if n > 8 => Some(Holds::Integers),
        _ => None,
    }
}

impl Look<'_> {
    fn known(&self, operand: &Operand) -> Known {
        let mut all = Known::default();
        registers(operand, &mut |r| all = all.and(self.registers.get(&r).copied().unwrap_or_default()));
        all
    }

    fn write(&mut self, inst: &Inst, operand: &Operand, known: Known) {
        let known_of = &mut self.registers;
        registers(operand, &mut |r| {
            let old = known_of.entry(r).or_default();
            *old = if inst.guard.is_some() { old.and(known) } else { known };
        });
    }

    /// The buffers of parameters hold this at least.
    fn hold(&mut self, set: Set, what: Holds) {
        for (i, holds) in self.holds.iter_mut().enumerate().take(64) {
            if set >> i & 1 == 1 {
                *holds = what.max(*holds);
            }
        }
    }

    fn follow(&mut self, inst: &Inst) {
        // What is made of integers by name may have been loaded without one, and an address is made of integers too: only floats say what they are.
        let float =
            inst.types.last().and_then(|t| kind(*t)).filter(|k| matches!(k, Holds::Floats | Holds::Double));
        let Some((first, rest)) = inst.operands.split_first() else { return };
        let accesses = matches!(inst.op, Op::Ld | Op::St | Op::Atom | Op::Red);
        for operand in &inst.operands {
            if matches!(operand, Operand::Address(AddressBase::Register(_), _)) {
                let of = self.known(operand);
                self.hold(of.made | of.loaded, Holds::Indices);
                if let Some(kind) = inst.types.last().and_then(|t| kind(*t)).filter(|_| accesses) {
                    self.hold(of.from, kind);
                }
            }
        }
        match inst.op {
            Op::Ld | Op::Atom => {
                let Some(address) = rest.first() else { return };
                let known = match address {
                    Operand::Address(AddressBase::Param(n, false), _)
                        if inst.mods.space == Some(Space::Param) =>
                    {
                        let wide = self.function.params.get(*n as usize).is_some_and(|p| p.size == 8);
                        let from = if wide && *n < 64 { 1 << n } else { 0 };
                        Known { from, ..Known::default() }
                    }
                    _ => {
                        let from = self.known(address).from;
                        Known { from: 0, loaded: from, made: from }
                    }
                };
                self.write(inst, first, known);
            }
            Op::St | Op::Red => {
                let stored = rest.first().map(|o| self.known(o)).unwrap_or_default();
                let to = self.known(first).from;
                if let Some(kind) = float {
                    self.hold(stored.loaded | to, kind);
                }
            }
            _ => {
                let mut all = Known::default();
                for operand in rest {
                    all = all.and(self.known(operand));
                }
                if let Some(kind) = float.filter(|_| !accesses) {
                    self.hold(all.loaded, kind);
                }
                let moves = matches!(inst.op, Op::Mov | Op::Selp);
                let loaded = if moves { all.loaded } else { 0 };
                // What is masked is small whatever it was.
                let small = |o: &Operand| matches!(o, Operand::Immediate(n) if *n < MASK);
                let masked = matches!(inst.op, Op::And | Op::Rem) && rest.iter().any(small);
                let made = if masked { 0 } else { all.made };
                self.write(inst, first, Known { from: all.from, loaded, made });
            }
        }
    }
}
