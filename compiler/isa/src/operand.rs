//! Which registers an instruction reads and writes.

use crate::form::{Pipe, RegClass};
use crate::inst::{Inst, VIRTUAL};
use crate::meaning::Meaning;
use crate::plan::{Plan, Register};
use crate::table;

/// Direction of an access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    /// The instruction reads the register.
    Read,
    /// The instruction writes it.
    Write,
}

/// One register operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operand {
    /// Index of the field; `None` is the guard.
    pub field: Option<usize>,
    /// Name of the field; `guard` for the guard.
    pub name: &'static str,
    /// Register file.
    pub class: RegClass,
    /// First register; virtual from [`crate::VIRTUAL`] on.
    pub number: u32,
    /// Consecutive registers, 1, 2 or 4 and for matrices up to 8.
    pub units: u8,
    /// Direction.
    pub access: Access,
}

impl Operand {
    /// Whether the number is a virtual one.
    pub fn is_virtual(&self) -> bool {
        u64::from(self.number) >= VIRTUAL
    }
}

impl Inst {
    /// The latency class in which one register of an operand takes part: the form's pipe, or the part of it that
    /// reads or writes this register; see `sassafras_chip::latency`. `unit` counts registers from the operand's first.
    pub fn class(&self, operand: &Operand, unit: u32) -> Pipe {
        let row = self.row();
        if operand.class != RegClass::R {
            return match row.meaning {
                Meaning::Umov => Pipe::UniformCopy,
                // VOTE reads what it votes on as late as a guard is read: 4 cycles after ISETP an H100 still votes on the old value, and
                // ptxas 13.0.88 leaves 13.
                Meaning::Vote if operand.access == Access::Read => Pipe::Dispatch,
                _ => row.pipe,
            };
        }
        match (row.meaning, operand.access, operand.name, unit) {
            (Meaning::Viadd, ..) => Pipe::Add,
            (
                Meaning::Tex
                | Meaning::Tld
                | Meaning::Tld4
                | Meaning::Txd
                | Meaning::Txq
                | Meaning::Suld
                | Meaning::Sust
                | Meaning::Sured,
                Access::Read,
                ..,
            ) => Pipe::MemoryTexture,
            // CS2R.32 is as quick as arithmetic (NAK; mined).
            (Meaning::Cs2r, Access::Write, ..) if operand.units == 1 => Pipe::Alu,
            _ if row.pipe == Pipe::Matrix => self.product(),
            (Meaning::ImadWide, Access::Write, "d", 0) => Pipe::FmaWideLow,
            (Meaning::ImadWide | Meaning::ImadHi, Access::Read, "c", 0) => Pipe::FmaWideAddend,
            (Meaning::ImadWide | Meaning::ImadHi, Access::Read, "c", 1) => Pipe::FmaWideAddendHigh,
            (Meaning::Syncs, Access::Read, ..) => Pipe::MemorySync,
            _ => row.pipe,
        }
    }

    /// The form's pipe, or the part of it that this instruction belongs to: which of its results come at a time that only a scoreboard tells
    /// depends on the part (integer products on sm_103).
    pub fn pipe(&self) -> Pipe {
        match self.row().pipe {
            Pipe::Matrix => self.product(),
            pipe => pipe,
        }
    }

    /// How long a matrix product takes: by the registers of its left factor, and on some chips by whether it is one of integers
    /// (`cargo xtask mine products`).
    pub fn product(&self) -> Pipe {
        let row = self.row();
        let integer = row.mnemonic == "IMMA";
        match row.field("a").map(|a| self.units(a)) {
            Some(1) => Pipe::MatrixShort,
            Some(2) if integer => Pipe::MatrixMediumInteger,
            Some(2) => Pipe::MatrixMedium,
            _ if integer => Pipe::MatrixInteger,
            _ => Pipe::Matrix,
        }
    }

    /// The predicates that P2R and its like move as a whole, by the bits of the mask.
    fn predicate_file(&self) -> Option<(Operand, u64)> {
        let (class, access) = match self.row().meaning {
            Meaning::P2r => (RegClass::P, Access::Read),
            Meaning::R2p => (RegClass::P, Access::Write),
            Meaning::Up2ur => (RegClass::UP, Access::Read),
            Meaning::Ur2up => (RegClass::UP, Access::Write),
            _ => return None,
        };
        let field = self.row().field("mask")?;
        let first = Operand { field: Some(field), name: "mask", class, number: 0, units: 1, access };
        Some((first, self.fields[field] & 0x7f))
    }

    /// Every register operand, the guard included; RZ, URZ, PT and UPT are left out. An operand that is both read and
    /// written comes twice. Reads come before writes for the same field.
    pub fn operands(&self) -> impl Iterator<Item = Operand> + '_ {
        let guard = (self.guard.pred != 7).then_some(Operand {
            field: None,
            name: "guard",
            class: if self.guard.uniform { RegClass::UP } else { RegClass::P },
            number: self.guard.pred,
            units: 1,
            access: Access::Read,
        });
        let plan = table::plan(self.form);
        Operands {
            inst: self,
            plan,
            next: guard,
            file: self.predicate_file(),
            registers: plan.registers.iter(),
        }
    }
}

/// The operands of an instruction, one by one: the compiler and every judge ask for them most of all.
struct Operands<'a> {
    inst: &'a Inst,
    plan: &'static Plan,
    /// What comes next, where that is known: the guard, or the write to a field that is read too.
    next: Option<Operand>,
    /// The first predicate of those that are moved as a whole, and which are left, by bit.
    file: Option<(Operand, u64)>,
    registers: std::slice::Iter<'static, Register>,
}

impl Operands<'_> {
    /// What an instruction does with a field of registers: the operand, if it takes part.
    #[inline]
    fn operand(&self, register: &Register) -> Option<Operand> {
        let field = usize::from(register.field);
        let value = self.inst.fields[field];
        let there = || match &register.shown {
            None => true,
            Some(shown) => {
                let off = self.plan.off(&self.inst.fields);
                shown.iter().any(|checks| checks.iter().all(|check| check.holds(&self.inst.fields, off)))
            }
        };
        if register.class.constant() == Some(value) || !there() {
            return None;
        }
        // A uniform register field holds 255 for the register 63, which only chips with 8-bit fields have.
        let wide = register.class == RegClass::UR && value == 255;
        Some(Operand {
            field: Some(field),
            name: register.name,
            class: register.class,
            number: if wide { 63 } else { u32::try_from(value).ok()? },
            units: register.units.unwrap_or_else(|| self.inst.units(field)),
            access: if register.read { Access::Read } else { Access::Write },
        })
    }
}

impl Iterator for Operands<'_> {
    type Item = Operand;

    #[inline]
    fn next(&mut self) -> Option<Operand> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        if let Some((first, left)) = &mut self.file {
            if *left != 0 {
                let number = left.trailing_zeros();
                *left &= *left - 1;
                return Some(Operand { number, ..*first });
            }
            self.file = None;
        }
        loop {
            let register = self.registers.next()?;
            if !register.read && !register.write {
                continue;
            }
            let Some(operand) = self.operand(register) else { continue };
            if register.read && register.write {
                self.next = Some(Operand { access: Access::Write, ..operand });
            }
            return Some(operand);
        }
    }
}
