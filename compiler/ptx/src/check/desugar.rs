//! Operands that stand for more than one instruction: a register plus a constant, an element of an array whose number is in a
//! register. The instructions that find the operand's value stand before the one that has it; PTX has no other order.

use super::Checker;
use super::operand::{Address, Kind, Reported};
use crate::ast::{Expr, Name};
use crate::checked::{AddressBase, Guard, Inst, Mods, Op, Operand, Part, RegisterId, Type};
use crate::diagnostics::Code;
use crate::source::Span;
use sassafras_semantics::Space;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// The instruction whose operands are being read.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub span: Range<usize>,
    pub line: u32,
    pub guard: Option<Guard>,
}

impl Checker {
    /// A new register with `op` of the operands in it.
    pub(super) fn before(
        &mut self,
        op: Op,
        ty: Type,
        result: Type,
        mods: Mods,
        sources: &[Operand],
    ) -> RegisterId {
        let to = self.add_register(&format!("{}.{}", op.name(), self.body.insts.len()), result);
        let mut types: SmallVec<[Type; 2]> = smallvec![ty];
        if op == Op::Cvt {
            types.insert(0, result);
        }
        let operands = std::iter::once(Operand::Register(to)).chain(sources.iter().cloned()).collect();
        let Place { span, line, guard } = self.body.place.clone();
        self.body.insts.push(Inst { op, types, mods, guard, operands, span, line });
        to
    }

    /// `%r1+4`: the sum in the register's width, as ptxas computes it.
    pub(super) fn register_plus(
        &mut self,
        id: RegisterId,
        ty: Type,
        offset: u64,
        span: Span,
    ) -> Result<Kind, Reported> {
        let (Type::B(width @ (16 | 32 | 64))
        | Type::U(width @ (16 | 32 | 64))
        | Type::S(width @ (16 | 32 | 64))) = ty
        else {
            let message = format!("a constant added to a `.{}` register", ty.name());
            self.error(Code::OperandType, span, message);
            return Err(Reported);
        };
        let bits = if width == 64 { offset } else { offset & ((1 << width) - 1) };
        let sources = [Operand::Register(id), Operand::Immediate(bits)];
        let sum = self.before(Op::Add, Type::U(width), ty, Mods::default(), &sources);
        self.body.sums.insert(sum);
        Ok(Kind::Register(sum, ty))
    }

    /// `a[1]`, `a[%r1]`, `a[%r1+1]`.
    pub(super) fn element(&mut self, name: &Name, index: &Expr) -> Result<Kind, Reported> {
        let (base, space, bytes, array) = match self.lookup(name)? {
            Kind::Variable(id, _) => {
                let v = self.variable(id);
                (AddressBase::Symbol(id), v.space, v.ty.bytes(), self.arrays.contains(&id))
            }
            Kind::Param(i, returned, _) => {
                let list = if returned { &self.body.function.returns } else { &self.body.function.params };
                let p = &list[i as usize];
                (AddressBase::Param(i, returned), Space::Param, p.ty.bytes(), p.size > p.ty.bytes())
            }
            other => {
                let message = format!("{} has no elements", other.describe());
                self.error(Code::OperandKind, name.span, message);
                return Err(Reported);
            }
        };
        if !array {
            self.error(Code::OperandKind, name.span, format!("`{}` is no array", name.text));
            return Err(Reported);
        }
        let address =
            |base, offset| Ok(Kind::Element(Address { base, offset, space: Some(space), span: name.span }));
        if !super::operand::has_symbol(index) {
            let index = self.integer(index)? as i64;
            // ptxas forgets the sign of such an offset.
            if index < 0 {
                self.error(Code::OperandKind, name.span, "an element's number is not negative");
                return Err(Reported);
            }
            return address(base, index.wrapping_mul(bytes.into()));
        }
        let register = match self.value(index)? {
            Kind::Register(id, Type::B(32) | Type::U(32) | Type::S(32)) => id,
            other => {
                let message = format!(
                    "an element's number is a constant or a 32-bit register, not {}",
                    other.describe()
                );
                self.error(Code::OperandType, index.span(), message);
                return Err(Reported);
            }
        };
        // The offset has 32 bits and no sign, as in ptxas's code.
        let (word, long) = (Type::U(32), Type::U(64));
        let low = Mods { part: Some(Part::Lo), ..Mods::default() };
        let sources = [Operand::Register(register), Operand::Immediate(bytes.into())];
        let offset = self.before(Op::Mul, word, word, low, &sources);
        let wide = self.before(Op::Cvt, word, long, Mods::default(), &[Operand::Register(offset)]);
        let symbol = match base {
            AddressBase::Param(i, returned) => Operand::Param(i, returned, 0),
            AddressBase::Symbol(id) => Operand::Symbol(id, 0),
            _ => return Err(Reported),
        };
        let start = self.before(Op::Mov, long, long, Mods::default(), &[symbol]);
        let sources = [Operand::Register(start), Operand::Register(wide)];
        let at = self.before(Op::Add, long, long, Mods::default(), &sources);
        address(AddressBase::Register(at), 0)
    }
}
