//! `wmma`: a warp's fragments are opaque in the PTX ISA, so each instruction becomes others here, from which every later stage
//! has its meaning: loads and stores by lane, `ldmatrix`, `movmatrix`, and `mma.sync`.
//!
//! How the elements of a fragment lie in the lanes is what ptxas 13.0.88 makes of them for sm_90, found by black-box experiments
//! (the addresses that a lone `wmma.load` computes, and the operands of the products that a lone `wmma.mma` becomes), so that
//! fragments that cross a call, or that a program looks into, agree.
//!
//! - `fragment`: which elements a lane holds, and loads and stores of them
//! - `shape`: its words
//! - `product`: `wmma.mma`

mod fragment;
mod product;
mod shape;

use super::Checker;
use crate::ast::{Instruction, OperandKind};
use crate::checked::{AddressBase, Operand};
use crate::diagnostics::Code;
use crate::print::operand_text;
use crate::table::matching::Match;
use sassafras_semantics::Space;
use shape::{Element, Role, Shape};
use std::fmt::Write;

impl Checker {
    /// Puts the instructions in its place that a `wmma` instruction is.
    pub(super) fn wmma(&mut self, inst: &Instruction, m: &Match, operands: &[Operand]) {
        let Some(text) = self.wmma_text(inst, m, operands) else {
            let message = "this form of `wmma` is not supported yet";
            return self.error(Code::UnsupportedInstruction, inst.root.span, message);
        };
        self.replace(inst, &text);
    }

    fn wmma_text(&self, inst: &Instruction, m: &Match, operands: &[Operand]) -> Option<String> {
        let shape = Shape::of(&m.words)?;
        let has = |word: &str| m.words.contains(&word);
        if has("mma") {
            let lists: Vec<Vec<String>> = inst.operands.iter().map(names).collect::<Option<_>>()?;
            return product::text(shape, &m.types, &m.words, &lists);
        }
        let store = has("store");
        let at = usize::from(!store);
        let role = match () {
            () if has("a") => Role::A,
            () if has("b") => Role::B,
            () => Role::Sum,
        };
        let mut text = String::new();
        let base = match operands.get(at)? {
            Operand::Address(base, offset) => (base, *offset),
            _ => return None,
        };
        self.wmma_base(inst, at, base, &mut text)?;
        let element = Element::of(*m.types.first()?)?;
        let stride = match inst.operands.get(2) {
            Some(operand) => operand_text(operand),
            // Without it the rows, or columns, lie one after the other.
            None => fragment::extent(shape, role, has("col")).to_string(),
        };
        writeln!(text, "mov.u32 $ws, {stride};").ok()?;
        let space = match () {
            () if has("global") => ".global",
            () if has("shared") || has("shared::cta") => ".shared",
            () => self.wmma_space(base.0),
        };
        let registers = names(&inst.operands[usize::from(store)])?;
        let place = fragment::Place { shape, role, element, column: has("col"), space };
        place.text(store, &registers, &mut text)?;
        Some(text)
    }

    /// Declares what every expansion uses, and puts the address into `$wb`.
    fn wmma_base(
        &self,
        inst: &Instruction,
        at: usize,
        (base, offset): (&AddressBase, i64),
        text: &mut String,
    ) -> Option<()> {
        text.push_str(".reg .b32 $ws, $wl, $wg, $wt, $wh, $wy, $wi, $wj, $wu<8>;\n");
        text.push_str(".reg .b64 $wb, $wx, $wa, $wr, $wn, $wd;\n");
        let name = match &inst.operands.get(at)?.kind {
            OperandKind::Address(items) => items.iter().find_map(first_symbol),
            _ => None,
        };
        match base {
            AddressBase::Register(id) => {
                let wide = self.body.function.registers.get(id.0 as usize)?.ty.width() == 64;
                let step = if wide { "mov.b64" } else { "cvt.u64.u32" };
                writeln!(text, "{step} $wb, {};", name?).ok()?;
            }
            AddressBase::Symbol(_) => writeln!(text, "mov.u64 $wb, {};", name?).ok()?,
            AddressBase::Absolute => text.push_str("mov.u64 $wb, 0;\n"),
            AddressBase::Param(..) => return None,
        }
        if offset != 0 {
            writeln!(text, "add.s64 $wb, $wb, {offset};").ok()?;
        }
        Some(())
    }

    /// The space of an address that the mnemonic leaves generic: a variable's own.
    fn wmma_space(&self, base: &AddressBase) -> &'static str {
        let AddressBase::Symbol(id) = base else { return "" };
        match self.body.function.variable(&self.module, *id).space {
            Space::Shared => ".shared",
            Space::Global => ".global",
            _ => "",
        }
    }
}

/// The elements of a vector as written, or the one operand.
pub(super) fn names(operand: &crate::ast::Operand) -> Option<Vec<String>> {
    Some(match &operand.kind {
        OperandKind::Vector(items) => items.iter().map(operand_text).collect(),
        _ => vec![operand_text(operand)],
    })
}

fn first_symbol(operand: &crate::ast::Operand) -> Option<String> {
    use crate::ast::Expr;
    fn of(e: &Expr) -> Option<String> {
        match e {
            Expr::Symbol(n) => Some(n.text.clone()),
            Expr::Member(n, part) => Some(format!("{}.{}", n.text, part.text)),
            Expr::Cast(_, e) | Expr::Unary(_, _, e) | Expr::Call(_, e) | Expr::Mask(_, e) => of(e),
            Expr::Binary(_, a, b) => of(a).or_else(|| of(b)),
            _ => None,
        }
    }
    match &operand.kind {
        OperandKind::Value(e) => of(e),
        _ => None,
    }
}
