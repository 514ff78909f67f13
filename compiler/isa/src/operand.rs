//! Which registers an instruction reads and writes.

use crate::form::{Pipe, RegClass};
use crate::inst::{Inst, VIRTUAL};
use crate::meaning::Meaning;
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
            return if row.meaning == Meaning::Umov { Pipe::UniformCopy } else { row.pipe };
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
    fn predicate_file(&self) -> impl Iterator<Item = Operand> + use<> {
        let (class, access) = match self.row().meaning {
            Meaning::P2r => (RegClass::P, Access::Read),
            Meaning::R2p => (RegClass::P, Access::Write),
            Meaning::Up2ur => (RegClass::UP, Access::Read),
            Meaning::Ur2up => (RegClass::UP, Access::Write),
            _ => (RegClass::P, Access::Read),
        };
        let moves =
            matches!(self.row().meaning, Meaning::P2r | Meaning::R2p | Meaning::Up2ur | Meaning::Ur2up);
        let field = if moves { self.row().field("mask") } else { None };
        let mask = field.map_or(0, |i| self.fields[i]);
        (0..7).filter(move |i| mask >> i & 1 == 1).map(move |number| Operand {
            field,
            name: "mask",
            class,
            number,
            units: 1,
            access,
        })
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
        let fields = &self.row().fields;
        guard.into_iter().chain(self.predicate_file()).chain(
            table::plan(self.form).registers.iter().flat_map(move |&(i, class)| {
                let i = usize::from(i);
                let field = &fields[i];
                let there = class.constant() != Some(self.fields[i]) && self.shows(i);
                let class = there.then_some(class);
                [(field.read, Access::Read), (field.write, Access::Write)].into_iter().filter_map(
                    move |(on, access)| {
                        let class = class.filter(|_| on)?;
                        // A uniform register field holds 255 for the register 63, which only chips with 8-bit fields have.
                        let wide = class == RegClass::UR && self.fields[i] == 255;
                        let number = if wide { 63 } else { u32::try_from(self.fields[i]).ok()? };
                        Some(Operand {
                            field: Some(i),
                            name: field.name,
                            class,
                            number,
                            units: self.units(i),
                            access,
                        })
                    },
                )
            }),
        )
    }
}
