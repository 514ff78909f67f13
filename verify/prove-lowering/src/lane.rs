//! What each operation of the IR does on a side, in the words of the side of PTX: the same memories, events and questions.
//!
//! Operations that compute have the meaning of [`evaluate`]. The others go where the instructions of PTX go that they stand for: loads and stores to
//! the side, operations of several lanes, atomics and fences to [`lanes`], windows to [`window`].

use crate::side_error::SideError;
use crate::variables::Addresses;
use sassafras_ir::{Function, Inst, MemoryAccess, Op, Type, Value, evaluate};
use sassafras_semantics::matrix::{Mma, Operand};
use sassafras_semantics::{Access, BinaryOp, Collective, Domain, Ordering, Scope, Space, TermId, Terms};
use sassafras_symbolic::trace::action::Action;
use sassafras_symbolic::trace::fence::Fence;
use sassafras_symbolic::trace::fences::{Weakened, taken};
use sassafras_symbolic::trace::side::Side;
use sassafras_symbolic::trace::{atomic, bank, collective, ordering, system, window};

/// Most bytes of one access; wider vectors are several (PTX ISA, "Vectors": 16 bytes, or 32 as two).
const MOST: u32 = 16;
/// Places of one instruction: an operation may be several events.
pub(crate) const PLACES: u64 = 4;

/// One side, as it runs.
pub(crate) struct Lane<'s, 'i> {
    pub side: &'s mut Side<'i, Value>,
    pub function: &'s Function,
    pub addresses: &'s Addresses,
    pub cubin: &'s sassafras_cubin::Cubin,
    /// What fences are taken for.
    pub weakened: &'s [Weakened],
    /// Bytes of the source's largest local variable.
    pub room: u32,
    /// How many undefined values there were.
    pub undefined: &'s mut u32,
}

impl Lane<'_, '_> {
    fn terms(&self) -> &Terms {
        self.side.inputs.terms
    }

    fn value(&self, v: Value) -> Result<TermId, SideError> {
        self.side.path.registers.get(&v).copied().ok_or(SideError::Undefined(v))
    }

    fn set(&mut self, v: Value, term: TermId) {
        let term = self.side.inputs.normal.of(term);
        self.side.path.registers.insert(v, term);
    }

    /// Executes an instruction where its guard holds.
    ///
    /// # Errors
    /// What is not covered.
    pub fn execute(&mut self, inst: Inst) -> Result<(), SideError> {
        let data = &self.function.insts[inst];
        self.side.place = PLACES * u64::from(inst.0);
        let inputs = self.side.inputs;
        if let Some(guard) = data.guard {
            let value = self.value(guard.value)?;
            let holds = if guard.negate { self.terms().not(&value) } else { value };
            self.side.guard = inputs.normal.of(holds);
        }
        let guard = self.side.guard;
        let happens = inputs.known(guard) != Some(0);
        let kept = data.kept().iter().map(|&v| self.value(v)).collect::<Result<Vec<_>, _>>()?;
        let types: Vec<Type> = data.results.iter().map(|&v| self.function.ty(v)).collect();
        let mut results = Vec::new();
        if happens {
            let args = data.taken().iter().map(|&v| self.value(v)).collect::<Result<Vec<_>, _>>()?;
            results = self.operation(&data.op, &args, &types)?;
            if results.len() < types.len() {
                return Err(SideError::FewerResults(data.op));
            }
        }
        for (i, &v) in data.results.iter().enumerate() {
            let term = match (results.get(i), kept.get(i)) {
                (Some(new), Some(old)) => self.terms().ite(&guard, new, old),
                (Some(term), None) | (None, Some(term)) => *term,
                (None, None) => self.any(types[i].bits()),
            };
            self.set(v, term);
        }
        Ok(())
    }

    /// Undefined bits of the target: whatever they are, it has to do what the source does.
    fn any(&mut self, width: u32) -> TermId {
        *self.undefined += 1;
        self.side.inputs.variable(&format!("target.undefined.{}", self.undefined), width, false)
    }

    fn fit(&self, v: TermId, width: u32) -> TermId {
        let d = self.terms();
        if d.width(&v) > width { d.extract(&v, 0, width) } else { d.zext(&v, width) }
    }

    fn operation(&mut self, op: &Op, args: &[TermId], types: &[Type]) -> Result<Vec<TermId>, SideError> {
        let width = types.first().map_or(0, |t| t.bits());
        if let Some(op) = op.collective() {
            return self.together(op, args, types);
        }
        Ok(match *op {
            Op::Undef => vec![self.any(width)],
            Op::Div { .. } | Op::Rem { .. } => vec![self.quotient(op, args, width)],
            Op::Param { offset, bytes, signed } => {
                let value = self.side.inputs.parameter(offset.into(), bytes.into());
                vec![self.extended(value, signed, width)]
            }
            Op::Special(register) => {
                let value = self.side.special(register)?;
                vec![self.fit(value, width)]
            }
            Op::Address(variable, offset) => {
                let base = self.addresses.of(self.side.inputs, variable, width)?;
                let d = self.terms();
                vec![d.add(&base, &d.constant(width, i128::from(offset) as u128))]
            }
            Op::Load(access) => self.load(&access, args[0], types)?,
            Op::Store(access) => {
                self.store(&access, args)?;
                Vec::new()
            }
            Op::Atomic { op, access } => {
                let at = self.address(&access, args[0], 0);
                let each = 8 * u32::from(access.bytes);
                let operands: Vec<TermId> =
                    args[1..].iter().map(|a| self.terms().extract(a, 0, each)).collect();
                let one = Access { bytes: access.bytes.into(), ..accessed(&access) };
                let old = atomic::atomic(self.side, &one, op, at, &operands)?;
                types.iter().map(|t| self.extended(old, access.signed, t.bits())).collect()
            }
            Op::Fence(ordering, scope) => {
                self.fence(ordering, scope)?;
                Vec::new()
            }
            Op::Nanosleep => Vec::new(),
            Op::ToGeneric(space) => vec![window::to_generic(self.side, space, args[0])?],
            Op::FromGeneric(space) => vec![window::from_generic(self.side, space, args[0])?],
            Op::IsSpace(space) => vec![window::lies_in(self.side, space, args[0])?],
            Op::SystemCall(call) => {
                let result = system::perform(self.side, call, args, self.room)?;
                result.into_iter().zip(types).map(|(v, t)| self.fit(v, t.bits())).collect()
            }
            Op::Opaque(op) => {
                let op = op
                    .name()
                    .strip_suffix(".each")
                    .and_then(sassafras_semantics::Opaque::named)
                    .unwrap_or(op);
                let results = self.side.perform(op, args)?;
                results.into_iter().zip(types).map(|(v, t)| self.fit(v, t.bits())).collect()
            }
            ref op => {
                let results = evaluate(self.terms(), op, args, types);
                results.ok_or(SideError::NoMeaning(*op))?
            }
        })
    }

    fn extended(&self, value: TermId, signed: bool, width: u32) -> TermId {
        let d = self.terms();
        if signed && d.width(&value) < width { d.sext(&value, width) } else { self.fit(value, width) }
    }

    /// A quotient or remainder; by zero it is any.
    fn quotient(&mut self, op: &Op, args: &[TermId], width: u32) -> TermId {
        let binary = match op {
            Op::Div { signed: true } => BinaryOp::SDiv,
            Op::Div { signed: false } => BinaryOp::UDiv,
            Op::Rem { signed: true } => BinaryOp::SRem,
            _ => BinaryOp::URem,
        };
        let inputs = self.side.inputs;
        let zero = inputs.normal.of(inputs.terms.eq(&args[1], &inputs.terms.constant(width, 0)));
        let value = inputs.terms.binary(binary, &args[0], &args[1]);
        match inputs.known(zero) {
            Some(0) => value,
            _ => {
                let any = self.any(width);
                inputs.terms.ite(&zero, &any, &value)
            }
        }
    }

    /// What lanes do together. The IR has the registers of a matrix as one value.
    fn together(
        &mut self,
        op: Collective,
        args: &[TermId],
        types: &[Type],
    ) -> Result<Vec<TermId>, SideError> {
        let parts = |lane: &Self, v: TermId, width: u32| -> Vec<TermId> {
            let d = lane.terms();
            (0..d.width(&v) / width).map(|i| d.extract(&v, i * width, width)).collect()
        };
        let of = |lane: &Self, mma: &Mma, which: Operand, v: TermId| {
            let all = parts(lane, v, mma.element(which).register());
            all.into_iter().take(mma.registers(which) as usize).collect::<Vec<_>>()
        };
        let arguments = match (op, args) {
            (Collective::Mma(mma), &[a, b, c]) => {
                let all = [(Operand::A, a), (Operand::B, b), (Operand::C, c)];
                all.into_iter().flat_map(|(which, v)| of(self, &mma, which, v)).collect()
            }
            (Collective::MatrixStore(_), &[address, words]) => {
                std::iter::once(address).chain(parts(self, words, 32)).collect()
            }
            _ => args.to_vec(),
        };
        let arguments: Vec<TermId> = arguments.into_iter().map(|a| self.side.inputs.normal.of(a)).collect();
        let results = collective::collective(self.side, op, &arguments)?;
        if op.of_whole_warp() && !types.is_empty() {
            let d = self.terms();
            let all = results.into_iter().reduce(|low, high| d.concat(&high, &low));
            let all = all.ok_or(SideError::EmptyMatrix)?;
            return Ok(vec![self.fit(all, types[0].bits())]);
        }
        let mut all: Vec<TermId> =
            results.into_iter().zip(types).map(|(v, t)| self.fit(v, t.bits())).collect();
        while all.len() < types.len() {
            // `match.any` has no such result.
            let any = self.any(types[all.len()].bits());
            all.push(any);
        }
        Ok(all)
    }

    /// A fence of the IR: `AcquireRelease` stands for the sequentially consistent one too, and is executed as such.
    fn fence(&mut self, ordering: Ordering, scope: Scope) -> Result<(), SideError> {
        let scope = ordering::executed(scope);
        let mut all = Vec::new();
        match ordering {
            Ordering::Acquire => {}
            Ordering::Release => all.push(Fence::Release(scope)),
            _ => all.push(Fence::Sequential(scope)),
        }
        if ordering != Ordering::Release && scope > Scope::Cta {
            all.push(Fence::Acquire);
        }
        let place = self.side.place;
        for (at, fence) in (place..).zip(all) {
            self.side.place = at;
            if let Some(fence) = taken(self.weakened, at, self.side.walk.visit(), fence)? {
                self.side.event(Action::Fence(fence), &[], &[], true);
            }
        }
        self.side.place = place;
        Ok(())
    }

    /// The address of an access, 64 bits: that of its argument, modulo the argument's width, and the offset.
    fn address(&self, access: &MemoryAccess, argument: TermId, more: u32) -> TermId {
        let d = self.terms();
        let offset = i128::from(access.offset) + i128::from(more);
        let sum = d.add(&argument, &d.constant(d.width(&argument), offset as u128));
        self.side.inputs.normal.of(d.zext(&sum, 64))
    }

    fn load(
        &mut self,
        access: &MemoryAccess,
        argument: TermId,
        types: &[Type],
    ) -> Result<Vec<TermId>, SideError> {
        let one = accessed(access);
        let each = u32::from(access.bytes);
        let together = (one.bytes / each) as usize;
        let mut results = Vec::new();
        for (i, types) in (0..).zip(types.chunks(together)) {
            let at = self.address(access, argument, i * one.bytes);
            let value = self.loaded(&one, at)?;
            for (n, t) in (0..).zip(types) {
                let element = self.terms().extract(&value, 8 * each * n, 8 * each);
                results.push(self.extended(element, access.signed, t.bits()));
            }
        }
        Ok(results)
    }

    fn loaded(&mut self, one: &Access, at: TermId) -> Result<TermId, SideError> {
        let d = self.side.inputs.terms;
        let (access, address, fixed) = window::load(self.side, one, at)?;
        let value = match access.space {
            Space::Const => {
                let low = d.extract(&address, 0, 32);
                bank::constant(self.side, self.cubin, None, 3, low, access.bytes)?
            }
            Space::Param => match self.side.inputs.known(address) {
                Some(at) => self.side.inputs.parameter(at as u64, access.bytes),
                None => return Err(SideError::Parameter),
            },
            _ => return Ok(self.side.load(&access, address)?),
        };
        if fixed {
            self.side.read_only(&access, address, value);
        }
        Ok(value)
    }

    fn store(&mut self, access: &MemoryAccess, args: &[TermId]) -> Result<(), SideError> {
        let one = accessed(access);
        let each = u32::from(access.bytes);
        for (i, elements) in (0..).zip(args[1..].chunks((one.bytes / each) as usize)) {
            let at = self.address(access, args[0], i * one.bytes);
            let d = self.terms();
            let parts = elements.iter().map(|v| d.extract(v, 0, 8 * each));
            let value = parts.reduce(|low, high| d.concat(&high, &low)).ok_or(SideError::EmptyStore)?;
            let value = self.side.inputs.normal.of(value);
            self.side.store(&one, at, value)?;
        }
        Ok(())
    }
}

/// One access of as many elements as fit in it.
fn accessed(access: &MemoryAccess) -> Access {
    let (each, lanes) = (u32::from(access.bytes), u32::from(access.lanes));
    let MemoryAccess { space, ordering, scope, .. } = *access;
    Access { space, bytes: each * lanes.min((MOST / each).max(1)), ordering, scope }
}
