//! What each operation does on a side: the IR's meaning (`sassafras_ir::evaluate`) for what computes, and here what reads the
//! launch, memory and other lanes.
//!
//! Memory is one array of bytes: an address of shared or local memory is that of its window, so that generic accesses need no
//! case of their own. Spaces that are named and differ have no bytes in common (A-ADDR). Everything that other threads may
//! see or answer is an event, in the order in which it happens: convergent operations, barriers, fences, atomics, and accesses
//! that are not weak.

use super::side_error::SideError;
use rustc_hash::FxHashMap;
use sassafras_ir::{Function, Guard, Inst, MemoryAccess, Op, Type, Value, evaluate, text::print_op};
use sassafras_semantics::{Domain, Ordering, Scope, Space, TermId, Terms};
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::input::Input;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::trace::action::Action;
use sassafras_symbolic::trace::event::{Event, Kind, overlay};
use sassafras_symbolic::trace::side::Side;
use std::collections::BTreeSet;
use std::fmt;

/// Most earlier stores that a load is compared with.
const MOST_STORES: usize = 48;
/// Most bytes of an access that is one event.
const MOST_BYTES: u32 = 16;

/// Whether what an instruction gives is a function of its arguments and the launch.
pub(super) fn is_function(f: &Function, inst: Inst) -> bool {
    let data = &f.insts[inst];
    match data.op {
        Op::Undef | Op::FDivCheck | Op::Load(_) => false,
        Op::Div { .. } | Op::Rem { .. } => f.constant(data.args[1]).is_some_and(|c| c != 0),
        Op::Special(register) => !register.is_volatile(),
        op => !op.has_effect() && !op.convergent(),
    }
}

/// The bits that an operation of several lanes reads of an operand (PTX ISA, `shfl.sync`: the lane is five bits, clamp and segment mask five
/// each; `barrier`: without a reduction there is no predicate).
pub(super) fn read(op: &Op, operand: usize, results: usize) -> u128 {
    match (op, operand) {
        (Op::Shuffle(_), 1) => 0x1f,
        (Op::Shuffle(_), 2) => 0x1f1f,
        (Op::Barrier { .. }, 2) if results == 0 => 0,
        _ => u128::MAX,
    }
}

/// Who of two functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    Before,
    After,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Who::Before => "before",
            Who::After => "after",
        })
    }
}

/// What both sides of a comparison share.
pub(super) struct Pair<'a> {
    /// Instructions that both have. What is undefined in the source at one of them is what is undefined in the target there: a choice
    /// that the source may make.
    pub kept: &'a BTreeSet<Inst>,
    /// Whether an acquiring or releasing access of the source is a relaxed one and a fence: where the target has no other
    /// (PTX ISA, "Memory Consistency Model": they form the same patterns, and the fence orders more).
    pub fenced: bool,
}

/// One side, as it runs.
pub(super) struct Lane<'s, 'i> {
    pub side: &'s mut Side<'i, Value>,
    pub function: &'s Function,
    pub who: Who,
    pub pair: &'s Pair<'s>,
    /// How often each instruction gave something that is not a function of its arguments.
    pub times: &'s mut FxHashMap<Inst, u32>,
    /// By event: the space that an access names.
    pub spaces: &'s mut FxHashMap<usize, Space>,
}

impl Lane<'_, '_> {
    fn terms(&self) -> &Terms {
        self.side.inputs.terms
    }

    fn value(&self, v: Value) -> Result<TermId, SideError> {
        self.side.path.registers.get(&v).copied().ok_or(SideError::Undefined(v))
    }

    /// The condition under which an instruction with a guard is executed.
    pub fn guard(&self, guard: Guard) -> Result<TermId, SideError> {
        let value = self.value(guard.value)?;
        Ok(if guard.negate { self.terms().not(&value) } else { value })
    }

    /// Executes an instruction where its guard, which the side has, may hold. A guarded load gives what it keeps where the guard does not hold.
    ///
    /// # Errors
    /// What is not covered.
    pub fn guarded(&mut self, inst: Inst) -> Result<(), SideError> {
        let data = &self.function.insts[inst];
        let loads = data.guard.is_some() && matches!(data.op, Op::Load(_));
        // Read first: a result of an earlier visit is none of this one.
        let kept: &[Value] = if loads { data.args.get(1..).unwrap_or_default() } else { &[] };
        let kept = kept.iter().map(|&v| self.value(v)).collect::<Result<Vec<_>, _>>()?;
        let guard = self.side.guard;
        let happens = self.side.inputs.known(guard) != Some(0);
        if happens {
            self.execute(inst)?;
        }
        if loads && kept.len() != data.results.len() {
            return Err(SideError::GuardedLoad);
        }
        for (&v, old) in data.results.iter().zip(kept) {
            let term = if happens { self.terms().ite(&guard, &self.value(v)?, &old) } else { old };
            let term = self.side.inputs.normal.of(term);
            self.side.path.registers.insert(v, term);
        }
        Ok(())
    }

    /// Executes an instruction, whose guard the side has.
    ///
    /// # Errors
    /// What is not covered.
    fn execute(&mut self, inst: Inst) -> Result<(), SideError> {
        let data = &self.function.insts[inst];
        let args = data.args.iter().map(|&v| self.value(v)).collect::<Result<Vec<_>, _>>()?;
        let types: Vec<Type> = data.results.iter().map(|&v| self.function.ty(v)).collect();
        let results = match function(self.side.inputs, self.function, inst, &args)? {
            Some(results) => results,
            None => self.effect(inst, &data.op, &args, &types)?,
        };
        if results.len() < types.len() {
            return Err(SideError::FewerResults(data.op));
        }
        for (&v, term) in data.results.iter().zip(results) {
            let term = self.side.inputs.normal.of(term);
            self.side.path.registers.insert(v, term);
        }
        Ok(())
    }

    /// A number of the instruction's own, one more each time.
    fn count(&mut self, inst: Inst) -> u32 {
        let n = self.times.entry(inst).or_default();
        *n += 1;
        *n
    }

    /// Undefined bits: any in the target, to be chosen in the source.
    fn undefined(&mut self, inst: Inst, width: u32) -> TermId {
        let n = self.count(inst);
        let inputs = self.side.inputs;
        if self.who == Who::After || self.pair.kept.contains(&inst) {
            return inputs.variable(&format!("undefined {inst} {n}"), width, false);
        }
        inputs.undefined(width, "undefined value", false)
    }

    fn effect(
        &mut self,
        inst: Inst,
        op: &Op,
        args: &[TermId],
        types: &[Type],
    ) -> Result<Vec<TermId>, SideError> {
        Ok(match op {
            Op::Undef => vec![self.undefined(inst, types[0].bits())],
            Op::Div { .. } | Op::Rem { .. } => {
                let width = types[0].bits();
                let open = self.undefined(inst, width);
                // Evaluated with a divisor that is not zero, so that the meaning has nothing undefined of its own.
                let d = self.terms();
                let zero = d.eq(&args[1], &d.constant(width, 0));
                let quotient = quotient(d, op, args);
                vec![d.ite(&zero, &open, &quotient)]
            }
            Op::FDivCheck => {
                let open = self.undefined(inst, 1);
                let d = self.terms();
                vec![d.or(&d.not(&sassafras_ir::division_is_safe(d, &args[0], &args[1])), &open)]
            }
            Op::Special(register) => {
                let n = self.count(inst);
                let name = format!("{register:?} {inst} {n}");
                vec![self.side.inputs.variable(&name, types[0].bits(), false)]
            }
            Op::Load(access) => self.load(access, args[0], types)?,
            Op::Store(access) => {
                self.store(access, args)?;
                Vec::new()
            }
            Op::Atomic { op, access } => {
                let at = self.flat(access, args[0], 0);
                let each = 8 * u32::from(access.bytes);
                let mut all = vec![at];
                all.extend(args[1..].iter().map(|a| self.terms().extract(a, 0, each)));
                let old = self.strong(&format!("atomic {op:?}"), access, &all, &[each])?;
                old.iter().zip(types).map(|(v, ty)| self.terms().zext(v, ty.bits())).collect()
            }
            other => {
                if other.convergent() {
                    self.side.log.assumed.insert(Assumption::Conv);
                }
                let d = self.terms();
                let part = |(i, a): (usize, &TermId)| match read(other, i, types.len()) {
                    u128::MAX => *a,
                    bits => d.and(a, &d.constant(d.width(a), bits)),
                };
                let args: Vec<TermId> = args.iter().enumerate().map(part).collect();
                let widths: Vec<u32> = types.iter().map(|t| t.bits()).collect();
                self.side.event(Action::Ir(print_op(other)), &args, &widths, true)
            }
        })
    }

    /// An event of an access, with the fences that an acquiring or releasing one stands for.
    fn strong(
        &mut self,
        verb: &str,
        access: &MemoryAccess,
        args: &[TermId],
        widths: &[u32],
    ) -> Result<Vec<TermId>, SideError> {
        let mut ordering = access.ordering;
        let (mut first, mut last) = (false, false);
        if self.who == Who::Before && self.pair.fenced {
            (first, last) = match ordering {
                Ordering::Release => (true, false),
                Ordering::Acquire => (false, true),
                Ordering::AcquireRelease => (true, true),
                _ => (false, false),
            };
            if first || last {
                ordering = Ordering::Relaxed;
            }
        }
        let fence = Action::Ir(print_op(&Op::Fence(Ordering::AcquireRelease, access.scope)));
        if first {
            self.side.event(fence.clone(), &[], &[], true);
        }
        let scope: Scope = access.scope;
        let what =
            format!("{verb} {:?} {}x{} {ordering:?} {scope:?}", access.space, access.bytes, access.lanes);
        let results = self.side.event(Action::Ir(what), args, widths, true);
        if last {
            self.side.event(fence, &[], &[], true);
        }
        Ok(results)
    }

    /// The address of an access, and of what lies `more` bytes behind, 64 bits.
    fn flat(&mut self, access: &MemoryAccess, address: TermId, more: u32) -> TermId {
        let inputs = self.side.inputs;
        let d = inputs.terms;
        let offset = i128::from(access.offset) + i128::from(more);
        let sum = d.add(&address, &d.constant(d.width(&address), offset as u128));
        inputs.normal.of(in_space(inputs, access.space, sum))
    }

    /// Weak accesses are events of at most so many bytes: their first byte and size.
    fn pieces(access: &MemoryAccess) -> Vec<(u32, u32)> {
        let (each, lanes) = (u32::from(access.bytes), u32::from(access.lanes));
        if each * lanes <= MOST_BYTES {
            vec![(0, each * lanes)]
        } else {
            (0..lanes).map(|i| (i * each, each)).collect()
        }
    }

    fn load(
        &mut self,
        access: &MemoryAccess,
        address: TermId,
        types: &[Type],
    ) -> Result<Vec<TermId>, SideError> {
        let each = 8 * u32::from(access.bytes);
        let mut elements = Vec::new();
        if matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent) {
            for (more, bytes) in Self::pieces(access) {
                let at = self.flat(access, address, more);
                let all = self.weak(access, at, bytes)?;
                elements.extend((0..8 * bytes / each).map(|i| self.terms().extract(&all, i * each, each)));
            }
        } else {
            let at = self.flat(access, address, 0);
            elements = self.strong("load", access, &[at], &vec![each; types.len()])?;
        }
        let d = self.terms();
        let extend = |(v, ty): (&TermId, &Type)| {
            if access.signed { d.sext(v, ty.bits()) } else { d.zext(v, ty.bits()) }
        };
        Ok(elements.iter().zip(types).map(extend).collect())
    }

    fn weak(&mut self, access: &MemoryAccess, at: TermId, bytes: u32) -> Result<TermId, SideError> {
        let inputs = self.side.inputs;
        if access.ordering == Ordering::NonCoherent {
            self.side.log.assumed.insert(Assumption::Nc);
        }
        let mut version = self.side.path.version;
        let mut value;
        if access.space == Space::Const {
            // What no thread writes.
            version = inputs.terms.constant(32, 0);
            value = inputs.memory("const", version, at, bytes);
        } else {
            value = inputs.memory("", version, at, bytes);
            let near = |other: Option<&Space>| {
                let any = |s: Space| s == Space::Generic;
                other.is_none_or(|&o| any(o) || any(access.space) || o == access.space)
            };
            let stores: Vec<(TermId, usize)> =
                self.side.path.stores.iter().copied().filter(|s| near(self.spaces.get(&s.1))).collect();
            if stores.len() > MOST_STORES {
                return Err(SideError::Stores { most: MOST_STORES });
            }
            for (condition, index) in stores {
                let store = Event { guard: condition, ..self.side.log.events[index].clone() };
                value = overlay(inputs.terms, value, at, bytes, &store);
            }
        }
        let value = inputs.normal.of(value);
        self.push(Kind::Load, access, at, bytes, value, version);
        Ok(value)
    }

    fn store(&mut self, access: &MemoryAccess, args: &[TermId]) -> Result<(), SideError> {
        let each = 8 * u32::from(access.bytes);
        let values: Vec<TermId> = args[1..].iter().map(|v| self.terms().extract(v, 0, each)).collect();
        if access.ordering != Ordering::Weak {
            let mut all = vec![self.flat(access, args[0], 0)];
            all.extend(values);
            self.strong("store", access, &all, &[])?;
            return Ok(());
        }
        for (more, bytes) in Self::pieces(access) {
            let at = self.flat(access, args[0], more);
            let first = (8 * more / each) as usize;
            let own = &values[first..first + (8 * bytes / each) as usize];
            let d = self.terms();
            let value = own.iter().copied().reduce(|low, high| d.concat(&high, &low));
            let value = self.side.inputs.normal.of(value.ok_or(SideError::EmptyStore)?);
            let version = self.side.path.version;
            self.push(Kind::Store, access, at, bytes, value, version);
            // On this path the instruction was reached: its guard alone decides.
            let guard = self.side.guard;
            self.side.path.stores.push((guard, self.side.log.events.len() - 1));
        }
        Ok(())
    }

    fn push(
        &mut self,
        kind: Kind,
        access: &MemoryAccess,
        address: TermId,
        bytes: u32,
        value: TermId,
        version: TermId,
    ) {
        let guard = self.side.happens();
        self.spaces.insert(self.side.log.events.len(), access.space);
        self.side.log.events.push(Event {
            kind,
            space: if access.space == Space::Const { Space::Const } else { Space::Global },
            guard,
            address,
            bytes,
            align: bytes,
            value,
            snapshot: access.ordering == Ordering::NonCoherent,
            version,
            visit: 1,
            place: self.side.place,
            orders: false,
            arguments: Vec::new(),
            results: Vec::new(),
            waits: None,
            met: BTreeSet::new(),
        });
    }
}

/// A quotient or remainder where the divisor is not zero.
fn quotient(d: &Terms, op: &Op, args: &[TermId]) -> TermId {
    use sassafras_semantics::BinaryOp as B;
    let op = match op {
        Op::Div { signed: true } => B::SDiv,
        Op::Div { signed: false } => B::UDiv,
        Op::Rem { signed: true } => B::SRem,
        _ => B::URem,
    };
    d.binary(op, &args[0], &args[1])
}

/// The high word of a window, 32 bits.
fn window(inputs: &Inputs<'_>, space: Space) -> TermId {
    inputs.variable(&format!("window.{space:?}").to_lowercase(), 32, true)
}

/// The address in memory as a whole of an address in a space.
fn in_space(inputs: &Inputs<'_>, space: Space, address: TermId) -> TermId {
    let d = inputs.terms;
    let low = |a: TermId| if d.width(&a) > 32 { d.extract(&a, 0, 32) } else { a };
    match space {
        Space::Shared | Space::Local => d.concat(&window(inputs, space), &low(address)),
        _ if d.width(&address) < 64 => d.zext(&address, 64),
        _ => address,
    }
}

/// The results of an instruction that is a function of its arguments and the launch; none if it is not.
///
/// # Errors
/// An operation that is said to be one and has no meaning here.
pub(super) fn function(
    inputs: &Inputs<'_>,
    f: &Function,
    inst: Inst,
    args: &[TermId],
) -> Result<Option<Vec<TermId>>, SideError> {
    if !is_function(f, inst) {
        return Ok(None);
    }
    let data = &f.insts[inst];
    let d = inputs.terms;
    let types: Vec<Type> = data.results.iter().map(|&v| f.ty(v)).collect();
    let width = types.first().map_or(0, |t| t.bits());
    if let Some(results) = evaluate(d, &data.op, args, &types) {
        return Ok(Some(results));
    }
    let fit = |v: TermId| if d.width(&v) > width { d.extract(&v, 0, width) } else { d.zext(&v, width) };
    Ok(Some(vec![match data.op {
        Op::Param { offset, bytes, signed } => {
            let value = inputs.parameter(offset.into(), bytes.into());
            if signed && d.width(&value) < width { d.sext(&value, width) } else { fit(value) }
        }
        Op::Special(register) => fit(inputs
            .special(register)
            .unwrap_or_else(|_| inputs.variable(&format!("special {register:?}"), register.width(), false))),
        Op::Address(variable, offset) => {
            let base = inputs.input(Input::Symbol(variable.to_string()), width, true);
            d.add(&base, &d.constant(width, i128::from(offset) as u128))
        }
        Op::ToGeneric(space @ (Space::Const | Space::Param)) => {
            d.add(&args[0], &inputs.variable(&format!("window {space:?}"), 64, true))
        }
        Op::ToGeneric(space) => in_space(inputs, space, args[0]),
        Op::FromGeneric(Space::Shared | Space::Local) => d.zext(&d.extract(&args[0], 0, 32), 64),
        Op::FromGeneric(space @ (Space::Const | Space::Param)) => {
            d.sub(&args[0], &inputs.variable(&format!("window {space:?}"), 64, true))
        }
        Op::FromGeneric(_) => args[0],
        Op::IsSpace(space @ (Space::Shared | Space::Local)) => {
            d.eq(&d.extract(&args[0], 32, 32), &window(inputs, space))
        }
        // A function of the address of which nothing else is known.
        Op::IsSpace(space) => {
            let address = inputs.normal.of(args[0]);
            inputs.variable(&format!("inside {space:?} {address}"), 1, false)
        }
        other => return Err(SideError::NoMeaning(other)),
    }]))
}
