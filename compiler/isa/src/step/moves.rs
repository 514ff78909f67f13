//! Moves between registers of all files, and from special registers.

use super::lane::Lane;
use super::outcome::Step;
use super::register::Register;
use super::special::{self, Special};
use crate::form::RegClass;
use sassafras_semantics::{BinaryOp, Domain, Space, SpecialRegister as R, State, Trap};

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    pub(super) fn mov(mut self) -> Step<D> {
        if self.flag("or") || self.target("p").is_some() {
            return Err(self.unsupported("a combination of lanes"));
        }
        let b = self.bits32(if self.has("b") { "b" } else { "a" })?;
        if self.has("mask") && self.raw("mask") != 0xf {
            return Err(self.unsupported("a byte mask"));
        }
        self.set("d", &b);
        self.next()
    }

    /// A pair of registers, or 64 bits.
    pub(super) fn mov_wide(mut self) -> Step<D> {
        let b = self.bits64("b")?;
        self.set_wide("d", &b);
        self.next()
    }

    /// `S2R`, `S2UR`, `CS2R`: a special register, extended by zeros.
    pub(super) fn special_register(mut self) -> Step<D> {
        let wide = self.inst.row().field("d").is_some_and(|i| self.inst.units(i) == 2);
        let width = if wide { 64 } else { 32 };
        // The width is that of the result.
        self.flag("w");
        let number = self.raw("sr");
        let special = special::meaning(number)
            .ok_or_else(|| self.unsupported(&format!("special register {number}")))?;
        let zero = self.constant(32, 0);
        let value = match special {
            Special::Zero => zero,
            // CS2R of a clock reads both halves.
            Special::Register(R::Clock) if wide => self.state.special(self.d, R::Clock64)?,
            Special::Register(R::GlobalTimerLo) if wide => self.state.special(self.d, R::GlobalTimer)?,
            Special::Register(R::Pm(n)) if wide => self.state.special(self.d, R::Pm64(n))?,
            Special::Register(register) => self.state.special(self.d, register)?,
            Special::Identity => self.identity(R::WarpId, R::SmId)?,
            Special::Configuration => self.identity(R::NWarpId, R::NSmId)?,
            Special::SharedWindowHigh => self.window(Space::Shared)?,
            Special::LocalWindowHigh => self.window(Space::Local)?,
        };
        let value = if self.d.width(&value) > width {
            self.d.extract(&value, 0, width)
        } else {
            self.d.zext(&value, width)
        };
        self.set_wide("d", &value);
        self.next()
    }

    /// Seven bits of the first from bit 8, nine of the second from bit 20.
    fn identity(&mut self, warp: R, sm: R) -> Result<D::V, Trap> {
        let (warp, sm) = (self.state.special(self.d, warp)?, self.state.special(self.d, sm)?);
        let d = self.d;
        let low = d.concat(&d.extract(&warp, 0, 7), &d.constant(8, 0));
        let low = d.concat(&d.constant(5, 0), &low);
        Ok(d.zext(&d.concat(&d.extract(&sm, 0, 9), &low), 32))
    }

    fn window(&mut self, space: Space) -> Result<D::V, Trap> {
        let base = self.state.cvta(self.d, space, &self.d.constant(64, 0))?;
        Ok(self.d.extract(&base, 32, 32))
    }

    /// Predicates into bits of a register: where the mask has a one the predicate, else the bit of `a`.
    pub(super) fn p2r(mut self) -> Step<D> {
        let shift = self.byte_place()?;
        let (a, mask) = (self.bits32("a")?, self.bits32("mask")?);
        let class = if self.is_uniform("d") { RegClass::UP } else { RegClass::P };
        let mut predicates = self.constant(32, 0);
        for number in 0..7 {
            let p = self.state.read(self.d, Register { class, number })?;
            let place = self.constant(32, number.into());
            let bit = self.d.binary(BinaryOp::Shl, &self.d.zext(&p, 32), &place);
            predicates = self.d.or(&predicates, &bit);
        }
        let place = self.constant(32, shift);
        let (predicates, mask) = (
            self.d.binary(BinaryOp::Shl, &predicates, &place),
            self.d.binary(BinaryOp::Shl, &self.d.and(&mask, &self.constant(32, 0xff)), &place),
        );
        let kept = self.d.and(&a, &self.d.not(&mask));
        self.set("d", &self.d.or(&kept, &self.d.and(&predicates, &mask)));
        self.next()
    }

    /// Which byte of the register holds predicates.
    fn byte_place(&mut self) -> Result<u64, Trap> {
        match self.text("byte") {
            "" | ".B0" => Ok(0),
            ".B1" => Ok(8),
            ".B2" => Ok(16),
            ".B3" => Ok(24),
            other => Err(self.unsupported(&format!("part {other}"))),
        }
    }

    /// Predicates from bits of a register, where the mask has a one.
    pub(super) fn r2p(mut self) -> Step<D> {
        let shift = self.byte_place()?;
        let (a, mask) = (self.bits32("a")?, self.raw("mask"));
        let class = if self.is_uniform("a") { RegClass::UP } else { RegClass::P };
        for number in (0..7).filter(|n| mask >> n & 1 != 0) {
            let bit = self.d.extract(&a, number + shift as u32, 1);
            self.state.write(self.d, Register { class, number }, bit);
        }
        self.next()
    }
}
