//! Loads, stores, atomics, fences (PTX ISA, "Data Movement and Conversion Instructions", "Parallel Synchronization and
//! Communication Instructions").

use crate::context::{Context, Result, type_of};
use crate::flow::pieces;
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{CacheOperator, MemoryAccess, Op, Type, Value};
use sassafras_ptx::checked::{AddressBase, Inst, Op as P, Operand, Type as T};
use sassafras_semantics::{AtomicOp, Ordering, Scope, Space};

/// Byte offsets that a memory instruction can hold: 24 bits, signed.
const OFFSETS: std::ops::Range<i64> = -(1 << 23)..1 << 23;

/// How many elements of a vector one instruction accesses: 128 bits at most. The elements are accessed in no order (PTX ISA, "Memory
/// Consistency Model": a vector is a set of scalar accesses), so two instructions do for 256 bits.
fn accessed(ty: T, lanes: u32) -> Result<u32> {
    match lanes * ty.width() {
        0..=128 if lanes <= 4 => Ok(lanes),
        256 if ty.width() >= 32 => Ok(lanes / 2),
        _ => Err(Refusal::Unsupported("a vector of more than 256 bits")),
    }
}

impl Context<'_, '_> {
    pub(crate) fn memory(&mut self, inst: &Inst) -> Result<()> {
        match inst.op {
            P::Membar | P::Fence => {
                let scope = inst.mods.scope.ok_or(Refusal::Missing("the scope"))?;
                let ordering = inst.mods.ordering.ok_or(Refusal::Missing("the ordering"))?;
                self.effect(Op::Fence(ordering, scope), &[]);
                Ok(())
            }
            P::Ld | P::Ldu => self.load(inst),
            P::St => self.store(inst),
            _ => self.atomic(inst),
        }
    }

    /// Address and access of a memory operand.
    fn access(&mut self, inst: &Inst, address: &Operand, ty: T, lanes: u32) -> Result<(Value, MemoryAccess)> {
        self.access_in(inst.mods.space.unwrap_or(Space::Generic), inst, address, ty, lanes)
    }

    pub(crate) fn access_in(
        &mut self,
        mut space: Space,
        inst: &Inst,
        address: &Operand,
        ty: T,
        lanes: u32,
    ) -> Result<(Value, MemoryAccess)> {
        let Operand::Address(base, offset) = address else {
            return Err(Refusal::Malformed("the address is not an address operand"));
        };
        if inst.op == P::Ldu && space == Space::Generic {
            space = Space::Global;
        }
        let mut offset = *offset;
        let base = match base {
            AddressBase::Register(r) => Some(self.register(*r)),
            AddressBase::Symbol(id) => {
                if space == Space::Generic {
                    // The symbol's own space is what is meant: the offset of a variable is not a generic address.
                    space = self.symbol_space(*id);
                }
                Some(self.symbol(*id, std::mem::take(&mut offset))?)
            }
            AddressBase::Absolute => None,
            AddressBase::Param(..) => return Err(Refusal::Unsupported("this access to a parameter")),
        };
        // Another block's memory is reached by generic addresses alone.
        let cluster =
            space == Space::Shared && inst.mods.hints.contains(&"shared::cluster") && !inst.op.is_spelled();
        let wide =
            if cluster || matches!(space, Space::Generic | Space::Global) { Type::I64 } else { Type::I32 };
        let mut value = match base {
            Some(value) if cluster => {
                let low = self.resize(value, Type::I32, false);
                let more = self.b().i32(std::mem::take(&mut offset) as u32);
                let low = self.b().add(low, more);
                let address = self.b().zext(low, Type::I64);
                space = Space::Generic;
                self.b().value(Op::ToGeneric(Space::Shared), &[address], Type::I64)
            }
            Some(value) => self.resize(value, wide, false),
            None => self.b().constant(wide, std::mem::take(&mut offset) as u64 as u128),
        };
        if !OFFSETS.contains(&offset) {
            let more = self.b().constant(wide, i128::from(offset) as u128);
            value = self.b().add(value, more);
            offset = 0;
        }
        if matches!(space, Space::Bank(_)) {
            return Err(Refusal::Unsupported("this state space"));
        }
        let ordering = inst.mods.ordering.unwrap_or(match inst.op {
            P::Atom | P::Red => Ordering::Relaxed,
            _ => Ordering::Weak,
        });
        let scope = inst.mods.scope.unwrap_or(match ordering {
            Ordering::Weak | Ordering::NonCoherent => Scope::Cta,
            Ordering::Volatile | Ordering::Mmio => Scope::Sys,
            _ => Scope::Gpu,
        });
        let bytes = ty.width().div_ceil(8) as u8;
        let access = MemoryAccess {
            space,
            bytes,
            lanes: lanes as u8,
            signed: ty.signed(),
            ordering,
            scope,
            offset: offset as i32,
            cache: None,
        };
        Ok((value, MemoryAccess { cache: self.cache(inst, &access), ..access }))
    }

    /// The cache operator of a load or store: its own, if options do not force or supply one. As ptxas 13.0.88 does it,
    /// options mean weak accesses of global and generic memory, and of non-coherent loads `.cs` alone.
    fn cache(&self, inst: &Inst, access: &MemoryAccess) -> Option<CacheOperator> {
        let store = match inst.op {
            P::Ld => false,
            P::St => true,
            _ => return None,
        };
        if !matches!(access.space, Space::Global | Space::Generic) {
            return None;
        }
        let caches = &self.options.caches;
        let (default, forced) = match store {
            false => (caches.default_load, caches.forced_load),
            true => (caches.default_store, caches.forced_store),
        };
        let own = inst.mods.hints.iter().find_map(|word| CacheOperator::named(word));
        // A hint about eviction stands in an operator's place.
        let evicts = inst.mods.hints.iter().any(|word| word.starts_with("L1::"));
        let chosen = if evicts { own } else { forced.or(own).or(default) };
        match access.ordering {
            Ordering::Weak => chosen,
            Ordering::NonCoherent => chosen.filter(|c| *c == CacheOperator::Streaming),
            _ => None,
        }
    }

    /// The destinations or sources of a vector access.
    fn elements<'o>(&self, operand: &'o Operand, lanes: u32) -> Result<Vec<&'o Operand>> {
        match operand {
            Operand::Vector(items) if items.len() == lanes as usize => {
                Ok(items.iter().map(|b| &**b).collect())
            }
            other if lanes == 1 => Ok(vec![other]),
            _ => Err(Refusal::Malformed("the vector operand does not have the instruction's length")),
        }
    }

    fn load(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
        let lanes = inst.mods.lanes();
        let targets = self.elements(operand(o, 0)?, lanes)?;
        // Narrow elements are loaded into 32 bits; 16-bit registers take the low half.
        let wide = type_of(ty.width().max(32));
        let values: Vec<Value> = if let Some(pieces) = pieces(self.flat, self.instance, inst) {
            let mut all = Vec::new();
            for piece in pieces {
                let value = self.gather(piece);
                let extended = if ty.width() == 8 {
                    let word = self.b().zext(value, Type::I32);
                    self.low_byte(word, ty.signed())
                } else {
                    value
                };
                all.push(self.resize(extended, wide, ty.signed()));
            }
            all
        } else if let Operand::Address(AddressBase::Param(index, false), offset) = operand(o, 1)? {
            if self.instance != 0 {
                return Err(Refusal::Unsupported("this access to a parameter"));
            }
            let params = &self.flat.instances[0].function.params;
            let base =
                i64::from(params.get(*index as usize).ok_or(Refusal::Nonexistent("the parameter"))?.offset)
                    + offset;
            let bytes = ty.width().div_ceil(8);
            let mut all = Vec::new();
            for i in 0..lanes {
                let offset = u32::try_from(base + i64::from(i * bytes))
                    .map_err(|_| Refusal::Malformed("the offset is negative"))?;
                all.push(self.b().value(
                    Op::Param { offset, bytes: bytes as u8, signed: ty.signed() },
                    &[],
                    wide,
                ));
            }
            all
        } else {
            if inst.mods.space == Some(Space::Param) && self.instance != 0 {
                return Err(Refusal::Unsupported("a parameter of a device function at a computed address"));
            }
            let together = accessed(ty, lanes)?;
            let (address, access) = self.access(inst, operand(o, 1)?, ty, together)?;
            let types = vec![wide; together as usize];
            let mut all = Vec::new();
            for first in (0..lanes).step_by(together as usize) {
                let (address, access) = self.element(address, access, first);
                let load = self.b().emit(Op::Load(access), &[address], &types);
                all.extend_from_slice(&self.function.insts[load].results);
            }
            all
        };
        for (target, value) in targets.into_iter().zip(values) {
            self.write(target, value, ty.signed())?;
        }
        Ok(())
    }

    fn store(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
        let lanes = inst.mods.lanes();
        let sources = self.elements(operand(o, 1)?, lanes)?;
        // An element `_` is not written (PTX ISA, "st").
        let skips = sources.iter().any(|s| matches!(s, Operand::Sink));
        let value = |c: &mut Self, s: &Operand| match s {
            Operand::Sink => Ok(None),
            source => c.value(source, ty).map(Some),
        };
        let values = sources.into_iter().map(|s| value(self, s)).collect::<Result<Vec<_>>>()?;
        if let Some(pieces) = pieces(self.flat, self.instance, inst) {
            for (piece, value) in pieces.into_iter().zip(values) {
                value.into_iter().for_each(|value| self.scatter(piece, value));
            }
            return Ok(());
        }
        let together = if skips { 1 } else { accessed(ty, lanes)? };
        let (address, access) = self.access(inst, operand(o, 0)?, ty, together)?;
        if matches!(access.space, Space::Const | Space::Param) {
            return Err(Refusal::Unsupported("a store to constant memory or to a kernel's parameters"));
        }
        let access = MemoryAccess { signed: false, ..access };
        for (first, values) in (0..lanes).step_by(together as usize).zip(values.chunks(together as usize)) {
            let (address, access) = self.element(address, access, first);
            let args: Vec<Value> = std::iter::once(address).chain(values.iter().copied().flatten()).collect();
            if args.len() > 1 {
                self.effect(Op::Store(access), &args);
            }
        }
        Ok(())
    }

    /// Address and access of what begins so many elements behind the first of a vector.
    fn element(&mut self, address: Value, access: MemoryAccess, first: u32) -> (Value, MemoryAccess) {
        let offset = access.offset + (first * u32::from(access.bytes)) as i32;
        if OFFSETS.contains(&i64::from(offset)) {
            return (address, MemoryAccess { offset, ..access });
        }
        let more = self.function.ty(address);
        let more = self.b().constant(more, i128::from(offset) as u128);
        (self.b().add(address, more), MemoryAccess { offset: 0, ..access })
    }

    fn atomic(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
        let op = inst.mods.atomic.ok_or(Refusal::Missing("the operation"))?;
        // A cache policy is a hint.
        let hinted = usize::from(inst.mods.hints.contains(&"L2::cache_hint"));
        let first = usize::from(inst.op == P::Atom);
        let (address, access) = self.access(inst, operand(o, first)?, ty, 1)?;
        if !matches!(access.space, Space::Generic | Space::Global | Space::Shared) {
            return Err(Refusal::UnsupportedSeveral("atomic operations in this state space"));
        }
        let access = MemoryAccess { signed: false, ..access };
        let lanes = inst.mods.lanes();
        let results = match first {
            0 => Vec::new(),
            _ => self.elements(&o[0], lanes)?,
        };
        let mut sources = Vec::new();
        for source in &o[first + 1..o.len() - hinted] {
            let elements = self.elements(source, lanes)?.into_iter().map(|e| self.value(e, ty));
            sources.push(elements.collect::<Result<Vec<_>>>()?);
        }
        // Halves go two by two, for which there is an operation that is atomic for each of them.
        let (op, parts) = match op {
            AtomicOp::AddF16 if lanes > 1 => (AtomicOp::AddF16x2, 2),
            AtomicOp::AddBf16 if lanes > 1 => (AtomicOp::AddBf16x2, 2),
            one => (one, 1),
        };
        let whole = Type(ty.width() as u8 * parts);
        if parts > 1 {
            for elements in &mut sources {
                let pairs = elements.chunks(usize::from(parts));
                *elements = pairs.map(|halves| self.b().value(Op::Concat, halves, whole)).collect();
            }
        }
        // Of a vector each element is an operation of its own (PTX ISA, "atom": they are not one access).
        let access = MemoryAccess { bytes: access.bytes * parts, ..access };
        let mut written = Vec::new();
        for lane in 0..lanes as usize / usize::from(parts) {
            let mut args = vec![address];
            args.extend(sources.iter().map(|elements| elements[lane]));
            let (at, access) = self.element(address, access, lane as u32);
            args[0] = at;
            let op = Op::Atomic { op, access };
            let targets = results.chunks(usize::from(parts)).nth(lane).unwrap_or_default();
            if targets.iter().all(|t| matches!(t, Operand::Sink)) {
                self.effect(op, &args);
                continue;
            }
            let old = self.b().value(op, &args, whole);
            for (part, target) in targets.iter().enumerate() {
                let value = match parts {
                    1 => old,
                    _ => self.b().value(Op::Extract(16 * part as u8), &[old], Type::I16),
                };
                written.push((*target, value));
            }
        }
        for (target, old) in written {
            if !matches!(target, Operand::Sink) {
                self.write(target, old, false)?;
            }
        }
        Ok(())
    }
}
