//! Loads, stores, atomics, fences and constants.
//!
//! Source: PTX `ld`, `st`, `atom`, `red`, `membar`, `fence` of one instruction through ptxas; nvdisasm's modifier names.

use super::{Lane, Register, Step};
use crate::form::{FieldKind, RegClass};
use sassafras_semantics::{Access, AtomicOp, Domain, Ordering, Scope, Space, State, Trap};

/// Bytes and sign of a size modifier.
fn size(text: &str) -> Option<(u32, bool)> {
    Some(match text {
        ".U8" => (1, false),
        ".S8" => (1, true),
        ".U16" => (2, false),
        ".S16" => (2, true),
        "" | ".32" => (4, false),
        ".64" => (8, false),
        ".128" | ".U.128" => (16, false),
        _ => return None,
    })
}

/// Ordering and scope of a strength modifier.
fn strength(text: &str) -> (Ordering, Scope) {
    let scope = if text.contains(".SYS") {
        Scope::Sys
    } else if text.contains(".GPU") {
        Scope::Gpu
    } else {
        Scope::Cta
    };
    let ordering = if text.contains(".CONSTANT") {
        Ordering::NonCoherent
    } else if text.contains(".MMIO") {
        Ordering::Mmio
    } else if text.contains(".STRONG") {
        Ordering::Relaxed
    } else {
        Ordering::Weak
    };
    (ordering, scope)
}

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    fn size(&mut self) -> Result<(u32, bool), Trap> {
        let text = self.text("sz");
        size(text).ok_or_else(|| self.unsupported(&format!("size {text}")))
    }

    fn access(&mut self, space: Space, bytes: u32) -> Access {
        let (ordering, scope) = strength(self.text("sem"));
        Access { space, bytes, ordering, scope }
    }

    /// Address of `width` bits: base register (scaled), uniform register `ub`, offset.
    fn address(&mut self, width: u32) -> Result<D::V, Trap> {
        let offset = self.raw("o");
        let mut base = None;
        let mut no_base = true;
        if let Some(FieldKind::Register { class, .. }) =
            self.inst.row().field("a").map(|i| self.inst.row().fields[i].kind)
        {
            no_base = class.constant() == Some(self.raw("a"));
            let narrow = width == 32 || self.narrow_base();
            let v = if narrow { self.bits32("a")? } else { self.bits64("a")? };
            base = Some(self.d.zext(&v, width));
        }
        let scale = self.text("scale");
        let shift = match scale {
            "" => 0,
            ".X4" => 2,
            ".X8" => 3,
            ".X16" => 4,
            _ => return Err(self.unsupported(&format!("scale {scale}"))),
        };
        let mut address = base.unwrap_or_else(|| self.constant(width, 0));
        if shift != 0 {
            let count = self.constant(width, shift);
            address = self.d.binary(sassafras_semantics::BinaryOp::Shl, &address, &count);
        }
        if self.has("ub") {
            let ub = if width == 64 { self.bits64("ub")? } else { self.bits32("ub")? };
            no_base &= self.target("ub").is_none();
            address = self.d.add(&address, &ub);
        }
        // Without a base the offset of 24 bits is unsigned.
        let offset = if no_base { offset & 0xff_ffff } else { offset };
        Ok(self.d.add(&address, &self.d.constant(width, offset as i64 as u128)))
    }

    /// Whether a 64-bit address takes a 32-bit base register.
    fn narrow_base(&mut self) -> bool {
        match self.text("width") {
            ".U32" => true,
            ".64" => false,
            _ => self.has("e") && !self.flag("e"),
        }
    }

    /// The predicate of a load: where it is false the result is zero and memory is not touched. Nothing to do when it is
    /// known to hold.
    fn enabled(&mut self) -> Result<bool, Trap> {
        if !self.has("q") {
            return Ok(true);
        }
        let q = self.pred("q")?;
        match self.d.as_constant(&q) {
            Some(bit) => Ok(bit != 0),
            None => Err(self.unsupported("a load under a predicate operand")),
        }
    }

    fn set_loaded(&mut self, v: &D::V, signed: bool) {
        let width = self.d.width(v);
        if width < 32 {
            let v = if signed { self.d.sext(v, 32) } else { self.d.zext(v, 32) };
            self.set("d", &v);
        } else {
            self.set_wide("d", v);
        }
    }

    /// `LDG`, `LD`, `LDS`, `LDL`.
    pub(super) fn load(mut self, space: Space, width: u32) -> Step<D> {
        let (bytes, signed) = self.size()?;
        let enabled = self.enabled()?;
        let value = if enabled {
            let access = self.access(space, bytes);
            let address = self.address(width)?;
            self.state.load(self.d, &access, &address)?
        } else {
            self.constant(8 * bytes, 0)
        };
        self.set_loaded(&value, signed);
        self.set("p", &if enabled { self.d.yes() } else { self.d.no() });
        self.next()
    }

    /// `STG`, `ST`, `STS`, `STL`.
    pub(super) fn store(mut self, space: Space, width: u32) -> Step<D> {
        let (bytes, _) = self.size()?;
        let access = self.access(space, bytes);
        let address = self.address(width)?;
        let value = self.bits("b", bytes.div_ceil(4))?;
        let value = self.d.extract(&value, 0, 8 * bytes);
        self.state.store(self.d, &access, &address, &value)?;
        self.next()
    }

    /// `LDC`, `ULDC`: a constant bank at a register plus an offset.
    pub(super) fn load_constant(mut self) -> Step<D> {
        let (bytes, signed) = self.size()?;
        let (name, bank) = if self.has("c") { ("c", "c.bank") } else { ("o", "bank") };
        let (offset, bank) = (self.raw(name), self.raw(bank));
        let mut at = self.d.constant(32, offset as i64 as u128);
        if self.has("a") {
            let a = self.bits32("a")?;
            at = self.d.add(&at, &a);
        }
        let mode = self.text("mode");
        if !mode.is_empty() {
            return Err(self.unsupported(&format!("mode {mode}")));
        }
        let value = self.bank(bank, &at, bytes)?;
        self.set_loaded(&value, signed);
        self.next()
    }

    /// The operation and size in bytes of an atomic.
    fn atomic_op(&mut self) -> Result<(AtomicOp, u32), Trap> {
        let (op, ty) = (self.text("op"), self.text("ty"));
        let ftz = ty.contains(".FTZ");
        let bytes = if ty.contains("64") {
            8
        } else if ty.contains("128") {
            16
        } else {
            4
        };
        let signed = ty.starts_with(".S");
        let found = match (op, ty) {
            (".ADD", t) if t.starts_with(".F32") => AtomicOp::AddF32 { ftz },
            (".ADD", t) if t.starts_with(".F64") => AtomicOp::AddF64,
            (".ADD", t) if t.starts_with(".F16x2") => AtomicOp::AddF16x2,
            (".ADD", t) if t.starts_with(".BF16x2") || t.starts_with(".BF16_V2") => AtomicOp::AddBf16x2,
            (_, t) if t.starts_with(".F") || t.starts_with(".BF") => {
                return Err(self.unsupported(&format!("atomic {op}{ty}")));
            }
            (".ADD" | ".POPC.INC", _) => AtomicOp::Add,
            (".MIN", _) => {
                if signed {
                    AtomicOp::SMin
                } else {
                    AtomicOp::UMin
                }
            }
            (".MAX", _) => {
                if signed {
                    AtomicOp::SMax
                } else {
                    AtomicOp::UMax
                }
            }
            (".INC", _) => AtomicOp::Inc,
            (".DEC", _) => AtomicOp::Dec,
            (".AND", _) => AtomicOp::And,
            (".OR", _) => AtomicOp::Or,
            (".XOR", _) => AtomicOp::Xor,
            (".EXCH", _) => AtomicOp::Exch,
            (".CAS", _) => AtomicOp::Cas,
            _ => return Err(self.unsupported(&format!("atomic {op}{ty}"))),
        };
        Ok((found, bytes))
    }

    /// `ATOMG`, `ATOM`, `ATOMS`, `RED`: read, modify, write; the old value goes to `d` if there is one.
    pub(super) fn atomic(mut self, space: Space, width: u32) -> Step<D> {
        let (op, bytes) = self.atomic_op()?;
        if !self.enabled()? {
            return Err(self.unsupported("an atomic under a false predicate operand"));
        }
        let mut access = self.access(space, bytes);
        if access.ordering == Ordering::Weak {
            access.ordering = Ordering::Relaxed;
        }
        let address = self.address(width)?;
        let value =
            if self.text("op") == ".POPC.INC" { self.constant(32, 1) } else { self.bits("b", bytes / 4)? };
        let old = self.state.atomic(self.d, &access, op, &address, &[value])?;
        self.set_wide("d", &old);
        self.set("p", &self.d.yes());
        self.next()
    }

    /// Compare and swap: `b` is compared, `c` is stored.
    pub(super) fn compare_and_swap(mut self, space: Space, width: u32) -> Step<D> {
        let ty = self.text("ty");
        let bytes = if ty.contains("128") {
            16
        } else if ty.contains("64") {
            8
        } else {
            4
        };
        let mut access = self.access(space, bytes);
        if access.ordering == Ordering::Weak {
            access.ordering = Ordering::Relaxed;
        }
        let address = self.address(width)?;
        let (compare, new) = (self.bits("b", bytes / 4)?, self.bits("c", bytes / 4)?);
        let old = self.state.atomic(self.d, &access, AtomicOp::Cas, &address, &[compare, new])?;
        self.set_wide("d", &old);
        self.set("p", &self.d.yes());
        self.next()
    }

    pub(super) fn membar(mut self) -> Step<D> {
        let (order, scope) = (self.text("sem"), self.text("scope"));
        let all = format!("{order}{scope}");
        let scope = if all.contains("SYS") || all.contains("VC") {
            Scope::Sys
        } else if all.contains("GPU") {
            Scope::Gpu
        } else {
            Scope::Cta
        };
        self.state.fence(self.d, Ordering::AcquireRelease, scope)?;
        self.next()
    }

    /// Whether a register field is of the uniform file.
    pub(super) fn is_uniform(&self, name: &str) -> bool {
        self.inst.row().field(name).is_some_and(|i| {
            matches!(
                self.inst.row().fields[i].kind,
                FieldKind::Register { class: RegClass::UR | RegClass::UP, .. }
            )
        })
    }
}
