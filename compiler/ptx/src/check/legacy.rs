//! What old versions and targets mean (PTX ISA, the notes of each instruction; and the code that ptxas 13.0 makes of them).

use super::Checker;
use super::scope::Entity;
use crate::ast;
use crate::checked::{Guard, Mods, Op, Operand, Type};
use crate::diagnostics::Code;
use crate::table::matching::Match;
use sassafras_semantics::Rounding;
use smallvec::{SmallVec, smallvec};

impl Checker {
    /// Modifiers that an old version or target implies.
    pub(super) fn implicit(&self, m: &Match, mods: &mut Mods) {
        let row = m.row;
        // Before sm_20 binary32 arithmetic flushes subnormals; until PTX 1.4 a conversion to 64 bits does not.
        let takes = row.elements.iter().any(|e| e.optional && e.choices.iter().any(|c| c.words == ["ftz"]));
        let kept = row.op == Op::Cvt && self.module.version <= (1, 4) && m.types[0].width() == 64;
        mods.ftz |= self.sm < 20 && takes && !kept;
        if row.until.is_none() {
            return;
        }
        match row.op {
            // Of a product with more bits ptxas makes one rounding on every chip that it has.
            Op::Mad => mods.rounding = Some(Rounding::NearestEven),
            Op::Div | Op::Rcp | Op::Sqrt if m.types[0] != Type::F(sassafras_semantics::FloatFormat::F32) => {
                mods.rounding = Some(Rounding::NearestEven);
            }
            Op::Div | Op::Rcp | Op::Sqrt | Op::Rsqrt | Op::Sin | Op::Cos | Op::Lg2 | Op::Ex2 => {
                mods.approx = true;
                mods.ftz = m.types[0].width() == 32;
            }
            _ => {}
        }
    }

    /// `mov.v2`, `mov.v4`: every source is read before a destination is written.
    pub(super) fn moves(&mut self, ty: Type, operands: &[Operand], guard: Option<Guard>) {
        let [Operand::Vector(to), Operand::Vector(from)] = operands else { return };
        let read = |this: &mut Self, source: &Operand| {
            this.before(Op::Mov, ty, ty, Mods::default(), std::slice::from_ref(source))
        };
        let values: Vec<_> = from.iter().map(|source| read(self, source)).collect();
        for (to, value) in to.iter().zip(values).filter(|(to, _)| **to != Box::new(Operand::Sink)) {
            let operands = smallvec![(**to).clone(), Operand::Register(value)];
            self.push(Op::Mov, smallvec![ty], Mods::default(), guard, operands);
        }
    }

    /// `.param` in a body: before PTX 1.4 a parameter of the entry, from 2.0 on a variable, in between nothing.
    pub(super) fn old_parameter(&mut self, v: &ast::Variable) {
        if !self.body.function.entry || self.module.version >= (1, 4) {
            self.error(Code::BadParameter, v.span, "a parameter stands in the entry's list of parameters");
            return;
        }
        for d in &v.declarators {
            let one = ast::Variable { declarators: vec![d.clone()], ..v.clone() };
            let Ok(mut param) = self.param(&one, true) else { continue };
            let function = &mut self.body.function;
            param.offset = function.param_size.next_multiple_of(param.align);
            let Some(size) = param.offset.checked_add(param.size).filter(|size| *size <= 256) else {
                self.error(Code::BadParameter, d.name.span, "more than 256 bytes of parameters");
                continue;
            };
            function.param_size = size;
            let entity = Entity::Param(function.params.len() as u32, false);
            function.params.push(param);
            if let Err(earlier) = self.scopes.declare(&d.name.text, entity, d.name.span) {
                self.duplicate(&d.name.text, d.name.span, earlier);
            }
        }
    }

    /// The operands of a form without `.sync` as those of the form with it, whose lanes are those that are active.
    pub(super) fn modernised(
        &mut self,
        op: Op,
        mods: &mut Mods,
        mut operands: SmallVec<[Operand; 4]>,
    ) -> SmallVec<[Operand; 4]> {
        if matches!(op, Op::Vote | Op::Shfl) && !mods.sync {
            let word = Type::B(32);
            let lanes = self.before(Op::Activemask, word, word, Mods::default(), &[]);
            operands.push(Operand::Register(lanes));
            mods.sync = true;
        }
        operands
    }
}
