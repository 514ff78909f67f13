//! Loads, stores, atomics, fences and constants.
//!
//! Source: PTX `ld`, `st`, `atom`, `red`, `membar`, `fence` of one instruction through ptxas; nvdisasm's modifier names.

use super::lane::Lane;
use super::outcome::Step;
use super::register::Register;
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
    pub(super) fn address(&mut self, width: u32) -> Result<D::V, Trap> {
        let offset = self.raw("o");
        let mut base = None;
        let mut no_base = true;
        if let Some(FieldKind::Register { class, .. }) =
            self.inst.row().field("a").map(|i| self.inst.row().fields[i].kind)
        {
            no_base = class.constant() == Some(self.raw("a"));
            // Beside a uniform pair, the base of a 64-bit address may be one register, extended by zeros.
            let single = self.inst.row().field("a").is_some_and(|i| self.inst.units(i) == 1);
            let narrow = width == 64 && (self.text("w") == ".U32" || self.text("x") == ".U32" || single);
            base = Some(match (width, narrow) {
                (32, _) => self.bits32("a")?,
                (_, true) => self.d.zext(&self.bits32("a")?, 64),
                _ => self.bits64("a")?,
            });
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
        // A uniform register is part of the address where it stands inside the brackets; else it is a descriptor.
        if self.has("u") && !self.inst.row().has_descriptor() {
            let u = if width == 32 { self.bits32("u")? } else { self.bits64("u")? };
            no_base &= self.target("u").is_none();
            address = self.d.add(&address, &u);
        }
        // Without a base the offset, of 24 bits or fewer, is unsigned.
        let bits = self.inst.row().field("o").map_or(0, |i| self.inst.row().fields[i].bits.len());
        let offset = if no_base && bits <= 24 { offset & 0xff_ffff } else { offset };
        Ok(self.d.add(&address, &self.d.constant(width, offset as i64 as u128)))
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

    /// The address of an access of 32 bytes, and that of its second half.
    fn wide_halves(&mut self, access: &Access) -> Result<[D::V; 2], Trap> {
        let address = self.address(64)?;
        self.state.aligned(self.d, access.space, &address, 2 * access.bytes)?;
        let second = self.d.add(&address, &self.constant(64, access.bytes.into()));
        Ok([address, second])
    }

    /// `LDG.256`: `d` takes the low 16 bytes, `c` the high ones.
    /// Source: `ld.global.v8.b32` whose elements are stored one by one, through ptxas 13.0.88 (black-box).
    pub(super) fn load_wide(mut self) -> Step<D> {
        let access = self.access(Space::Global, 16);
        let [first, second] = self.wide_halves(&access)?;
        let low = self.state.load(self.d, &access, &first)?;
        let high = self.state.load(self.d, &access, &second)?;
        self.set_wide("d", &low);
        self.set_wide("c", &high);
        self.next()
    }

    /// `STG.256`: `b` has the low 16 bytes, `d` the high ones.
    /// Source: `st.global.v8.b32` of what was loaded in the other order, through ptxas 13.0.88 (black-box).
    pub(super) fn store_wide(mut self) -> Step<D> {
        let access = self.access(Space::Global, 16);
        let (low, high) = (self.bits("b", 4)?, self.bits("d", 4)?);
        let [first, second] = self.wide_halves(&access)?;
        self.state.store(self.d, &access, &first, &low)?;
        self.state.store(self.d, &access, &second, &high)?;
        self.next()
    }

    /// `LDC`, `ULDC`: a constant bank at a register plus an offset.
    pub(super) fn load_constant(mut self) -> Step<D> {
        let (bytes, signed) = self.size()?;
        if self.has("u") {
            return Err(self.unsupported("a constant bank by handle"));
        }
        let (offset, bank) = (self.raw("o"), self.raw("bank"));
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
    fn atomic_op(&mut self) -> Result<(AtomicOp, u32, u32), Trap> {
        let (op, ty) = (self.text("op"), self.text("ty"));
        // Of a vector each element is an operation of its own.
        let (ty, lanes) = match ty {
            ".F32x2.FTZ.RN" => (".F32.FTZ.RN", 2),
            ".F32x4.FTZ.RN" => (".F32.FTZ.RN", 4),
            ".F32x2.RN" => (".F32.RN", 2),
            ".F32x4.RN" => (".F32.RN", 4),
            ".F16x4.RN" => (".F16x2.RN", 2),
            ".F16x8.RN" => (".F16x2.RN", 4),
            ".BF16x4.RN" => (".BF16x2.RN", 2),
            ".BF16x8.RN" => (".BF16x2.RN", 4),
            one => (one, 1),
        };
        let signed = ty.starts_with(".S");
        let integer = |op| {
            let bytes = match ty {
                "" | ".S32" => 4,
                ".64" | ".S64" => 8,
                ".128" if op == AtomicOp::Exch => 16,
                _ => return None,
            };
            Some((op, bytes))
        };
        let found = match op {
            ".ADD" => match ty {
                ".F32.FTZ.RN" => Some((AtomicOp::AddF32 { ftz: true }, 4)),
                ".F32.RN" => Some((AtomicOp::AddF32 { ftz: false }, 4)),
                ".F64.RN" => Some((AtomicOp::AddF64, 8)),
                ".F16x2.RN" => Some((AtomicOp::AddF16x2, 4)),
                ".BF16x2.RN" => Some((AtomicOp::AddBf16x2, 4)),
                _ => integer(AtomicOp::Add),
            },
            ".MIN" => integer(if signed { AtomicOp::SMin } else { AtomicOp::UMin }),
            ".MAX" => integer(if signed { AtomicOp::SMax } else { AtomicOp::UMax }),
            ".INC" => integer(AtomicOp::Inc),
            ".DEC" => integer(AtomicOp::Dec),
            ".AND" => integer(AtomicOp::And),
            ".OR" => integer(AtomicOp::Or),
            ".XOR" => integer(AtomicOp::Xor),
            ".EXCH" => integer(AtomicOp::Exch),
            _ => None,
        };
        let (op, bytes) = found.ok_or_else(|| self.unsupported(&format!("atomic {op}{ty}")))?;
        Ok((op, bytes, lanes))
    }

    /// `ATOMG`, `ATOM`, `ATOMS`, `RED`: read, modify, write; the old value goes to `d` if there is one.
    pub(super) fn atomic(mut self, space: Space, width: u32) -> Step<D> {
        // ATOMS.POPC.INC, whose text is fixed, adds one.
        let increment = !self.has("op");
        let (op, bytes, lanes) = if increment { (AtomicOp::Add, 4, 1) } else { self.atomic_op()? };
        let access = self.atomic_access(space, bytes);
        let address = self.address(width)?;
        let value = if increment { self.constant(32, 1) } else { self.bits("b", lanes * bytes / 4)? };
        let mut old: Option<D::V> = None;
        for lane in 0..lanes {
            let at = self.d.width(&address);
            let at = self.d.add(&address, &self.d.constant(at, (lane * bytes).into()));
            let element = self.d.extract(&value, 8 * lane * bytes, 8 * bytes);
            let one = self.state.atomic(self.d, &access, op, &at, &[element])?;
            old = Some(match old {
                Some(below) => self.d.concat(&one, &below),
                None => one,
            });
        }
        let Some(old) = old else { return Err(self.unsupported("no element")) };
        self.set_wide("d", &old);
        self.set("p", &self.d.yes());
        self.next()
    }

    /// A read-modify-write is never weak.
    fn atomic_access(&mut self, space: Space, bytes: u32) -> Access {
        let access = self.access(space, bytes);
        let ordering = if access.ordering == Ordering::Weak { Ordering::Relaxed } else { access.ordering };
        Access { ordering, ..access }
    }

    /// Compare and swap of `b` by `c`: the old value, and the value that was compared.
    fn swap(&mut self, space: Space, width: u32) -> Result<(D::V, D::V), Trap> {
        let bytes = match self.text("ty") {
            "" | ".S32" => 4,
            ".64" | ".S64" => 8,
            ".128" => 16,
            other => return Err(self.unsupported(&format!("type {other}"))),
        };
        let access = self.atomic_access(space, bytes);
        let address = self.address(width)?;
        let (compare, new) = (self.bits("b", bytes / 4)?, self.bits("c", bytes / 4)?);
        let old = self.state.atomic(self.d, &access, AtomicOp::Cas, &address, &[compare.clone(), new])?;
        Ok((old, compare))
    }

    /// Compare and swap: `b` is compared, `c` is stored.
    pub(super) fn compare_and_swap(mut self, space: Space, width: u32) -> Step<D> {
        // The older forms hold both in one field.
        if self.has("spin") || self.text("cas").contains(".CAST") || self.text("op").contains(".CAST") {
            return self.compare_and_store(space, width);
        }
        let (old, _) = self.swap(space, width)?;
        self.set_wide("d", &old);
        self.set("p", &self.d.yes());
        self.next()
    }

    /// `ATOMS.CAST`: as compare and swap, but `d` is one if the store happened, else zero (ptxas compares it with one, and
    /// tries again).
    pub(super) fn compare_and_store(mut self, space: Space, width: u32) -> Step<D> {
        self.flag("spin");
        let (old, compare) = self.swap(space, width)?;
        let stored = self.d.eq(&old, &compare);
        let width = self.d.width(&old);
        self.set_wide("d", &self.d.zext(&stored, width));
        // The form of sm_100 without a register result says it by the predicate.
        let p = if self.has("d") { self.d.yes() } else { stored };
        self.set("p", &p);
        self.next()
    }

    /// `LDGSTS`: a copy from global to shared memory, performed at once: it may be seen late, and also early.
    pub(super) fn copy_to_shared(mut self) -> Step<D> {
        let (bytes, _) = self.size()?;
        let (s, so) = (self.bits32("s")?, self.raw("so"));
        let to = self.d.add(&s, &self.d.constant(32, so as i64 as u128));
        let enabled = if self.has("q") { self.pred("q")? } else { self.d.yes() };
        let zero_filled = self.flag("zfill");
        let from = self.access(Space::Global, bytes);
        let address = self.address(64)?;
        // Where the operand is false, zeros are stored (`cp.async` with a predicate for its source, whose only instruction it is).
        let value = if zero_filled {
            self.load_and_fill(&from, &address, &enabled)?
        } else {
            self.state.load_where(self.d, &from, &address, &enabled)?
        };
        let access = Access { space: Space::Shared, ordering: Ordering::Weak, ..from };
        self.state.store(self.d, &access, &to, &value)?;
        self.next()
    }

    /// `.ZFILL`: the low bits of the address, below the size, say how many bytes at the end are zeros; the others come from the address
    /// without those bits. Source: the code that ptxas makes of `cp.async` with 0 to 16 of 16 bytes (black-box).
    fn load_and_fill(&mut self, access: &Access, address: &D::V, enabled: &D::V) -> Result<D::V, Trap> {
        let (d, bytes) = (self.d, access.bytes);
        let low = d.and(address, &d.constant(64, u128::from(bytes - 1)));
        let Some(zeros) = d.as_constant(&low).map(|n| n as u32) else {
            return Err(self.unsupported("a number of bytes that is not constant"));
        };
        let base = d.sub(address, &low);
        let byte = Access { bytes: 1, ..*access };
        let mut value = self.state.load_where(d, &byte, &base, enabled)?;
        for n in 1..bytes {
            let next = if n < bytes - zeros {
                self.state.load_where(d, &byte, &d.add(&base, &d.constant(64, n.into())), enabled)?
            } else {
                d.constant(8, 0)
            };
            value = d.concat(&next, &value);
        }
        Ok(value)
    }

    /// `QSPC`: whether a generic address lies in a window.
    pub(super) fn query_space(mut self) -> Step<D> {
        let space = match self.text("space") {
            ".G" => Space::Global,
            ".L" => Space::Local,
            ".S" => Space::Shared,
            ".D" => Space::Generic,
            other => return Err(self.unsupported(&format!("space {other}"))),
        };
        if self.target("d").is_some() {
            return Err(self.unsupported("a register result"));
        }
        let address = if self.has("u") {
            // A register, of 32 bits unless the form says otherwise, is added to a uniform pair.
            let (u, o) = (self.bits64("u")?, self.raw("o"));
            let a =
                if self.text("w") == ".64" { self.bits64("a")? } else { self.d.zext(&self.bits32("a")?, 64) };
            let base = self.d.add(&a, &u);
            self.d.add(&base, &self.constant(64, o))
        } else {
            self.address(64)?
        };
        // `.D` asks for the window of the cluster's shared memory (PTX `isspacep.shared::cluster`).
        let inside = match space {
            Space::Generic => self.ask("inclusterspace", &[address])?.swap_remove(0),
            _ => self.state.is_space(self.d, space, &address)?,
        };
        self.set("p", &inside);
        self.next()
    }

    pub(super) fn membar(mut self) -> Step<D> {
        if self.flag("mmio") {
            return Err(self.unsupported("a fence of devices"));
        }
        let scope = match self.text("scope") {
            ".CTA" | ".SM" => Scope::Cta,
            ".GPU" => Scope::Gpu,
            _ => Scope::Sys,
        };
        let ordering = match self.text("order") {
            ".SC" => Ordering::SequentiallyConsistent,
            ".ALL" => Ordering::AcquireRelease,
            other => return Err(self.unsupported(&format!("the kind `{other}`"))),
        };
        self.state.fence(self.d, ordering, scope)?;
        self.next()
    }

    /// `CCTL`. Prefetches and priorities (`prefetch`, `applypriority`, as ptxas writes them) are hints; `.IVALL` drops what the
    /// first-level cache holds, which is not modelled. Of `.RML2` (`discard`) what the line held is lost, and what others do
    /// to lines is not known.
    pub(super) fn cctl(mut self) -> Step<D> {
        match self.inst.get("op").map(|_| self.text("op")) {
            None | Some(".PF1" | ".PF2" | ".PML2" | ".DML2") => self.next(),
            Some(other) => Err(self.unsupported(&format!("the kind `{other}`"))),
        }
    }

    /// Whether an operand is a general register.
    pub(super) fn is_general(&self, name: &str) -> bool {
        self.inst.row().field(name).is_some_and(|i| {
            matches!(self.inst.row().fields[i].kind, FieldKind::Register { class: RegClass::R, .. })
        })
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
