//! Loads, stores, atomics and fences (PTX ISA, "Memory Consistency Model", "Data Movement and Conversion Instructions",
//! "Parallel Synchronization and Communication Instructions").

use super::{Done, PtxState, Step};
use crate::checked::{Op, Operand, Type};
use sassafras_semantics::{Access, AtomicOp, CompareOp, Domain, Ordering, Scope, Space, Trap};
use smallvec::SmallVec;

impl<'a, D: Domain, S: PtxState<D>> Step<'_, 'a, D, S> {
    pub(super) fn memory(&mut self) -> Done<()> {
        match self.inst.op {
            Op::Ld | Op::Ldu => self.load(),
            Op::St => self.store(),
            Op::Atom | Op::Red => self.atomic(),
            Op::Fence | Op::Membar => {
                // What a fence does that names no ordering is said where modifiers are read.
                let (Some(ordering), Some(scope)) = (self.inst.mods.ordering, self.inst.mods.scope) else {
                    return Err(self.unsupported());
                };
                self.state.fence(self.d, ordering, scope)
            }
            Op::CpAsync => self.copy_async(),
            _ => Err(self.unsupported()),
        }
    }

    /// `cp.async`: done at once, which is one of the times at which it may be done; so a wait finds nothing to wait for.
    fn copy_async(&mut self) -> Done<()> {
        if self.inst.mods.mode.is_some() {
            return Ok(());
        }
        let d = self.d;
        let Operand::Immediate(bytes @ (4 | 8 | 16)) = *self.operand(2)? else {
            return Err(self.unsupported());
        };
        let bytes = bytes as u32;
        // A cache policy is a hint.
        let hinted = usize::from(self.inst.mods.hints.contains(&"L2::cache_hint"));
        let given = match self.inst.operands[..self.operands() - hinted].get(3) {
            None => None,
            Some(Operand::Register(r)) if self.function.registers[r.0 as usize].ty == Type::Pred => {
                let ignored = self.state.read(d, *r)?;
                Some(d.ite(&ignored, &d.constant(32, 0), &d.constant(32, bytes.into())))
            }
            Some(_) => Some(self.source(3, Type::U(32))?),
        };
        let (to, from) = (self.address(0)?, self.address(1)?);
        let access = |space, bytes| Access { space, bytes, ordering: Ordering::Weak, scope: Scope::Cta };
        let Some(given) = given else {
            let value = self.state.load(d, &access(Space::Global, bytes), &from)?;
            return self.state.store(d, &access(Space::Shared, bytes), &to, &value);
        };
        // However many are given, an address is a multiple of the size (PTX ISA, "Addresses as Operands").
        for (space, address) in [(Space::Shared, &to), (Space::Global, &from)] {
            if let Some(address) = d.as_constant(address).map(|a| a as u64)
                && !address.is_multiple_of(bytes.into())
            {
                return Err(Trap::Misaligned { space, address, bytes });
            }
        }
        // Bytes behind those given are zero, and the source is not read there.
        let size = d.constant(32, bytes.into());
        let (all, too_many) = (d.eq(&given, &size), d.compare(CompareOp::ULt, &size, &given));
        let whole = self.state.load_where(d, &access(Space::Global, bytes), &from, &all)?;
        let some = d.compare(CompareOp::ULt, &given, &size);
        let mut value: Option<D::V> = None;
        for n in 0..bytes {
            let wanted = d.and(&some, &d.compare(CompareOp::ULt, &d.constant(32, n.into()), &given));
            let at = d.add(&from, &d.constant(64, n.into()));
            let byte = self.state.load_where(d, &access(Space::Global, 1), &at, &wanted)?;
            value = Some(value.map_or(byte.clone(), |low| d.concat(&byte, &low)));
        }
        let value = value.map_or(whole.clone(), |part| d.ite(&all, &whole, &part));
        // PTX ISA, `cp.async`: more bytes than the size is undefined behaviour.
        let value = match d.as_constant(&too_many) {
            Some(0) => value,
            _ => d.ite(&too_many, &d.undef(8 * bytes, "a copy of more bytes than its size"), &value),
        };
        self.state.store(d, &access(Space::Shared, bytes), &to, &value)
    }

    fn access(&self, bytes: u32) -> Done<Access> {
        let mods = &self.inst.mods;
        if bytes == 0 || bytes > 16 || !bytes.is_power_of_two() {
            return Err(self.unsupported());
        }
        Ok(Access {
            space: mods.space.unwrap_or(Space::Generic),
            bytes,
            ordering: mods.ordering.unwrap_or_default(),
            scope: mods.scope.unwrap_or(Scope::Gpu),
        })
    }

    /// The elements of a vector operand, or the operand itself.
    fn elements(&self, operand: &'a Operand) -> Done<SmallVec<[&'a Operand; 4]>> {
        let elements: SmallVec<[&Operand; 4]> = match operand {
            Operand::Vector(parts) if self.inst.mods.lanes() > 1 => parts.iter().map(|p| &**p).collect(),
            other => SmallVec::from_slice(&[other]),
        };
        if elements.len() == self.inst.mods.lanes() as usize { Ok(elements) } else { Err(self.unsupported()) }
    }

    fn load(&mut self) -> Done<()> {
        let ty = self.ty();
        let elements = self.elements(self.operand(0)?)?;
        let (access, halves) = self.halves(ty.width() / 8 * elements.len() as u32)?;
        let address = self.address(1)?;
        self.whole(&access, halves, &address)?;
        let mut values: SmallVec<[D::V; 2]> = SmallVec::new();
        for half in 0..halves {
            let at = self.half(&access, &address, half);
            values.push(self.state.load(self.d, &access, &at)?);
        }
        let (width, each) = (ty.width(), elements.len() / halves as usize);
        for (i, element) in elements.iter().enumerate() {
            let part = self.d.extract(&values[i / each], (i % each) as u32 * width, width);
            // A register wider than the type takes the value extended by the type's sign.
            self.result_to(element, &part, ty.signed())?;
        }
        Ok(())
    }

    /// An access of so many bytes in all: itself, or both halves of one of 32 bytes. The elements of a vector are accessed in no
    /// order (PTX ISA, "Memory Consistency Model": a vector is a set of scalar accesses).
    fn halves(&self, bytes: u32) -> Done<(Access, u32)> {
        match bytes {
            32 => Ok((self.access(16)?, 2)),
            _ => Ok((self.access(bytes)?, 1)),
        }
    }

    /// A vector lies at a multiple of its whole size (PTX ISA, "Addresses as Operands").
    fn whole(&mut self, access: &Access, halves: u32, address: &D::V) -> Done<()> {
        match halves {
            1 => Ok(()),
            _ => self.state.aligned(self.d, access.space, address, halves * access.bytes),
        }
    }

    fn half(&self, access: &Access, address: &D::V, half: u32) -> D::V {
        let width = self.d.width(address);
        match half {
            0 => address.clone(),
            _ => self.d.add(address, &self.d.constant(width, (half * access.bytes).into())),
        }
    }

    fn store(&mut self) -> Done<()> {
        let ty = self.ty();
        let elements = self.elements(self.operand(1)?)?;
        let (access, halves) = self.halves(ty.width() / 8 * elements.len() as u32)?;
        let address = self.address(0)?;
        if elements.iter().any(|e| matches!(e, Operand::Sink)) {
            self.whole(&access, halves, &address)?;
            return self.store_some(&elements, &address);
        }
        let mut values: SmallVec<[D::V; 2]> = SmallVec::new();
        for elements in elements.chunks(elements.len() / halves as usize) {
            let mut value: Option<D::V> = None;
            for element in elements {
                let part = self.value(element, ty.width())?;
                value = Some(match value {
                    None => part,
                    Some(low) => self.d.concat(&part, &low),
                });
            }
            values.push(value.ok_or_else(|| self.unsupported())?);
        }
        self.whole(&access, halves, &address)?;
        for (half, value) in (0..halves).zip(&values) {
            let at = self.half(&access, &address, half);
            self.state.store(self.d, &access, &at, value)?;
        }
        Ok(())
    }

    /// A store of a vector with elements `_`, which are not written (PTX ISA, "st").
    fn store_some(&mut self, elements: &[&'a Operand], address: &D::V) -> Done<()> {
        let width = self.ty().width();
        let access = self.access(width / 8)?;
        for (i, element) in elements.iter().enumerate().filter(|(_, e)| !matches!(e, Operand::Sink)) {
            let value = self.value(element, width)?;
            let offset = self.d.constant(self.d.width(address), u128::from(width / 8) * i as u128);
            let at = self.d.add(address, &offset);
            self.state.store(self.d, &access, &at, &value)?;
        }
        Ok(())
    }

    /// `atom` and `red`. Each element of a vector is an atomic operation by itself.
    fn atomic(&mut self) -> Done<()> {
        let (d, ty) = (self.d, self.ty());
        let op = self.inst.mods.atomic.ok_or_else(|| self.unsupported())?;
        let wants_old = self.inst.op == Op::Atom;
        let first = usize::from(wants_old);
        let lanes = self.inst.mods.lanes() as usize;
        // Halves in a vector: two by two, which is as separate as one by one (PTX ISA, "atom": `.f16x2` is atomic for each of its elements).
        let paired = match op {
            AtomicOp::AddF16 if lanes > 1 => Some(AtomicOp::AddF16x2),
            AtomicOp::AddBf16 if lanes > 1 => Some(AtomicOp::AddBf16x2),
            _ => None,
        };
        let access = self.access(if paired.is_some() { 4 } else { ty.width() / 8 })?;
        let address = self.address(first)?;
        let results = if wants_old { self.elements(self.operand(0)?)? } else { SmallVec::new() };
        // All elements are read before one is written: a destination may be a source.
        let width = ty.width();
        let given = self.elements(self.operand(first + 1)?)?;
        let sources: SmallVec<[D::V; 4]> =
            given.into_iter().map(|element| self.value(element, width)).collect::<Done<_>>()?;
        let compared = if op == AtomicOp::Cas { Some(self.source(first + 2, ty)?) } else { None };
        if let Some(op) = paired {
            for (pair, halves) in sources.chunks(2).enumerate() {
                let at = d.add(&address, &d.constant(64, (4 * pair) as u128));
                let both = d.concat(&halves[1], &halves[0]);
                let old = self.state.atomic(d, &access, op, &at, &[both])?;
                for (half, result) in results.iter().skip(2 * pair).take(2).enumerate() {
                    self.result_to(result, &d.extract(&old, 16 * half as u32, 16), false)?;
                }
            }
            return Ok(());
        }
        for (lane, source) in sources.into_iter().enumerate().take(lanes) {
            let mut operands: SmallVec<[D::V; 2]> = SmallVec::new();
            operands.push(source);
            operands.extend(compared.clone());
            let at = d.add(&address, &d.constant(64, (lane * access.bytes as usize) as u128));
            let old = self.state.atomic(d, &access, op, &at, &operands)?;
            if let Some(result) = results.get(lane) {
                self.result_to(result, &old, ty.signed())?;
            }
        }
        Ok(())
    }
}
