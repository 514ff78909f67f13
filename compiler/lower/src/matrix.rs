//! Matrices of a warp: the registers of an operand become one value, the first lowest.

use crate::context::{Context, Result, type_of};
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Op, Type, Value};
use sassafras_ptx::checked::{Inst, Op as P, Operand, Type as T};
use sassafras_semantics::matrix::{Element, Operand as Which};
use sassafras_semantics::{Opaque, Space};

impl Context<'_, '_> {
    pub(crate) fn matrix(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let word = Element::S32;
        match inst.op {
            P::Mma => {
                let mma = inst.mma().ok_or(Refusal::Unsupported("this matrix product"))?;
                let a = self.joined(operand(o, 1)?, mma.a)?;
                let b = self.joined(operand(o, 2)?, mma.b)?;
                let c = self.joined(operand(o, 3)?, mma.c)?;
                let bits = mma.registers(Which::D) * mma.d.register();
                let d = self.b().value(Op::Mma(mma), &[a, b, c], type_of(bits));
                self.part(operand(o, 0)?, mma.d, d)
            }
            P::Ldmatrix => {
                let address = self.row_address(inst, operand(o, 1)?)?;
                let matrices = inst.matrices();
                let all = self.b().value(Op::MatrixLoad(matrices), &[address], type_of(32 * matrices.count));
                self.part(operand(o, 0)?, word, all)
            }
            P::Stmatrix => {
                let address = self.row_address(inst, operand(o, 0)?)?;
                let all = self.joined(operand(o, 1)?, word)?;
                self.effect(Op::MatrixStore(inst.matrices()), &[address, all]);
                Ok(())
            }
            _ => {
                let value = self.value(operand(o, 1)?, T::B(32))?;
                let value = self.b().value(Op::MatrixTranspose, &[value], Type::I32);
                self.write(operand(o, 0)?, value, false)
            }
        }
    }

    /// A product with half the elements of A, as an opaque operation of its registers.
    pub(crate) fn sparse_product(&mut self, inst: &Inst) -> Result<()> {
        let (o, words) = (&inst.operands, &inst.mods.words);
        let shape = words.iter().find(|w| w.starts_with('m')).ok_or(Refusal::Missing("the shape"))?;
        let Operand::Immediate(selector) = operand(o, 5)? else {
            return Err(Refusal::Malformed("the selector is no constant"));
        };
        let mut name = format!("sparse.{shape}");
        inst.types[..3].iter().for_each(|ty| name += &format!(".{}", ty.name()));
        name += if words.contains(&"satfinite") { ".sat" } else { "" };
        name += &format!(".s{selector}");
        let op = Opaque::named(&name).ok_or(Refusal::Unsupported("this sparse product"))?;
        let mut args = Vec::new();
        for index in 1..=3 {
            args.push(self.joined(operand(o, index)?, Element::S32)?);
        }
        args.push(self.value(operand(o, 4)?, T::B(32))?);
        let all = self.b().value(Op::Opaque(op), &args, type_of(op.family().results[0]));
        self.part(operand(o, 0)?, Element::S32, all)
    }

    /// The address of a row as an offset in shared memory.
    fn row_address(&mut self, inst: &Inst, address: &Operand) -> Result<Value> {
        let space = inst.mods.space.unwrap_or(Space::Generic);
        let (value, access) = self.access_in(space, inst, address, T::B(32), 1)?;
        let offset = i128::from(access.offset) as u128;
        let value = match (access.space, offset) {
            (_, 0) => value,
            (Space::Generic, _) => {
                let more = self.b().constant(Type::I64, offset);
                self.b().add(value, more)
            }
            _ => {
                let more = self.b().constant(Type::I32, offset);
                self.b().add(value, more)
            }
        };
        Ok(match access.space {
            Space::Generic => {
                let value = self.b().value(Op::FromGeneric(Space::Shared), &[value], Type::I64);
                self.b().low(value)
            }
            Space::Shared => value,
            _ => return Err(Refusal::Unsupported("a matrix that is not in shared memory")),
        })
    }

    fn joined(&mut self, operand: &Operand, element: Element) -> Result<Value> {
        let width = element.register();
        let Operand::Vector(items) = operand else { return Err(Refusal::Needed("a vector")) };
        let parts =
            items.iter().map(|item| self.value(item, T::B(width as u8))).collect::<Result<Vec<_>>>()?;
        match parts[..] {
            [one] => Ok(one),
            _ => Ok(self.b().value(Op::Concat, &parts, type_of(width * parts.len() as u32))),
        }
    }

    /// Gives each register of a vector its part of a value.
    fn part(&mut self, operand: &Operand, element: Element, value: Value) -> Result<()> {
        let width = element.register();
        let Operand::Vector(items) = operand else { return Err(Refusal::Needed("a vector")) };
        if let [one] = &items[..] {
            return self.write(one, value, false);
        }
        for (n, item) in items.iter().enumerate() {
            let at = n as u32 * width;
            let ty = type_of(width);
            let part = self.b().value(Op::Extract(at as u8), &[value], ty);
            self.write(item, part, false)?;
        }
        Ok(())
    }
}
