//! What both sides start from, as shared variables: special registers, parameter bytes, initial memory.

use crate::input::Input;
use crate::obstacle::held::Held;
use crate::obstacle::target::Target;
use crate::opaque::Opaque;
use crate::sum::split;
use crate::trace::action::Action;
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_chip::limits::{BLOCK_EXTENTS, GRID_EXTENTS, RESERVED_SHARED_BYTES};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Axis, BinaryOp, Concrete, Domain, SpecialRegister, TermId, Terms, Trap};
use sassafras_solve::read::Read;
use sassafras_solve::simplify::{AsBuilt, Simplify};
use sassafras_solve::smt::{Script, script};
use std::cell::{Cell, RefCell};

/// A variable that stands for what an event yields: its values follow from these.
#[derive(Clone, Debug)]
pub struct Bound {
    /// What happened.
    pub what: Action,
    /// Operands, and the state of memory before.
    pub operands: Vec<TermId>,
    /// Which of its results.
    pub index: u32,
}

/// The free inputs of a launch, common to both sides.
#[derive(Debug)]
pub struct Inputs<'t> {
    /// The arena.
    pub terms: &'t Terms,
    /// What brings its terms to normal form.
    pub normal: Box<dyn Simplify + 't>,
    /// What is abstracted.
    pub opaque: Opaque,
    /// What stands behind the last trap that a state of a side made.
    pub held: Held,
    reads: RefCell<Vec<Read>>,
    known: RefCell<FxHashMap<(&'static str, TermId, TermId, i64), TermId>>,
    bound: RefCell<FxHashMap<TermId, Bound>>,
    inputs: RefCell<FxHashMap<TermId, Input>>,
    uniform: RefCell<FxHashMap<TermId, bool>>,
    /// Whether the source has read what was never written.
    unwritten: Cell<bool>,
    /// Whether a launch must say that it is one of clusters: whether it says so is open then, else no (A-LAUNCH).
    explicit: Cell<bool>,
    /// What the source says of its launches' blocks.
    shape: Cell<Shape>,
    /// By term: what its free terms have in common.
    traits: RefCell<Vec<Option<Traits>>>,
}

/// What a source says of the blocks that it may be launched in (PTX ISA, ".reqntid", ".maxntid").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The shape of each block.
    pub required: Option<[u32; 3]>,
    /// The most threads of a block.
    pub most: Option<u32>,
}

/// How many bits the numbers up to this one have, and one at least.
fn bits(most: u32) -> u32 {
    (u32::BITS - most.leading_zeros()).max(1)
}

/// What the free terms of a term have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Traits {
    /// There are none.
    closed: bool,
    /// They have the same value in all lanes of a warp.
    uniform: bool,
    /// They are of the launch alone.
    of_launch: bool,
    /// None is undefined because it was never written.
    written: bool,
}

impl Traits {
    /// Those of what has no free terms.
    const CLOSED: Traits = Traits { closed: true, uniform: true, of_launch: true, written: true };

    /// What both have.
    fn and(self, other: Traits) -> Traits {
        Traits {
            closed: self.closed && other.closed,
            uniform: self.uniform && other.uniform,
            of_launch: self.of_launch && other.of_launch,
            written: self.written && other.written,
        }
    }
}

/// Why local memory is undefined that the source has not written.
pub const UNWRITTEN: &str = "local memory that was not written";

/// Why values are undefined that nobody wrote, as sides name it: registers, `.param` memory of a call, local memory.
pub const NEVER: [&str; 3] =
    ["a register that was not written", "a parameter of a call that was not written", UNWRITTEN];

/// The source's stack. PTX ISA, "Local State Space": nothing says what it holds before it is written.
pub const UNDEFINED: &str = "source";

/// All axes.
pub const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

impl<'t> Inputs<'t> {
    /// Inputs in an arena in which every term stays as it is built.
    pub fn raw(terms: &'t Terms) -> Inputs<'t> {
        Inputs::new(terms, Box::new(AsBuilt(terms)))
    }

    /// Inputs in an arena whose terms are brought to a normal form.
    pub fn new(terms: &'t Terms, normal: Box<dyn Simplify + 't>) -> Inputs<'t> {
        Inputs {
            terms,
            normal,
            opaque: Opaque::default(),
            held: Held::default(),
            reads: RefCell::default(),
            known: RefCell::default(),
            bound: RefCell::default(),
            inputs: RefCell::default(),
            uniform: RefCell::default(),
            explicit: Cell::default(),
            shape: Cell::default(),
            unwritten: Cell::default(),
            traits: RefCell::default(),
        }
    }

    /// Says whether the source may be launched in clusters alone.
    pub fn in_clusters(&self, explicit: bool) {
        self.explicit.set(explicit);
    }

    /// Says what the source says of its blocks; before anything is made.
    pub fn in_blocks(&self, shape: Shape) {
        self.shape.set(shape);
    }

    /// A named variable; `uniform` if it is the same for all lanes of a warp.
    pub fn variable(&self, name: &str, width: u32, uniform: bool) -> TermId {
        let id = self.terms.variable(name, width);
        let before = self.uniform.borrow_mut().insert(id, uniform);
        debug_assert!(before.is_none_or(|b| b == uniform), "{name} is uniform or it is not");
        id
    }

    /// The variable that an input is; `uniform` as in [`Inputs::variable`].
    pub fn input(&self, input: Input, width: u32, uniform: bool) -> TermId {
        let id = self.variable(&input.to_string(), width, uniform);
        self.inputs.borrow_mut().entry(id).or_insert(input);
        id
    }

    /// What a variable stands for, if it is a free input of the launch.
    pub fn input_of(&self, variable: TermId) -> Option<Input> {
        self.inputs.borrow().get(&variable).cloned()
    }

    /// All free inputs of the launch that were made, with their variables.
    pub fn all(&self) -> Vec<(TermId, Input)> {
        let mut all: Vec<(TermId, Input)> =
            self.inputs.borrow().iter().map(|(v, i)| (*v, i.clone())).collect();
        all.sort_by_key(|(v, _)| *v);
        all
    }

    /// What yielded a variable, if an event or a function that is known by name did.
    pub fn yielded_by(&self, variable: TermId) -> Option<Action> {
        self.bound.borrow().get(&variable).map(|bound| bound.what.clone())
    }

    /// The address of a `.local` variable of the source, 32 bits.
    pub fn local(&self, frame: usize, index: u32) -> TermId {
        self.input(Input::Local { frame, index }, 32, true)
    }

    /// The top of the stack, 32 bits.
    pub fn stack_top(&self, chip: Chip) -> TermId {
        self.input(Input::Bank(chip.bank().stack_top.into()), 32, true)
    }

    /// A value that may be chosen, once for all; `uniform` if for all lanes of a warp alike.
    pub fn undefined(&self, width: u32, why: &'static str, uniform: bool) -> TermId {
        let id = self.terms.undef(width, why);
        self.uniform.borrow_mut().insert(id, uniform);
        id
    }

    /// What the source never wrote, for one of the reasons that `unwritten` names.
    pub fn unwritten(&self, width: u32, why: &'static str) -> TermId {
        self.unwritten.set(true);
        self.terms.undef(width, why)
    }

    /// Whether the source has read such.
    pub fn has_unwritten(&self) -> bool {
        self.unwritten.get()
    }

    /// Whether a term has the same value in all lanes of a warp.
    pub fn is_uniform(&self, term: TermId) -> bool {
        self.traits(term).uniform
    }

    /// Whether a term is a function of the launch alone: the same in all lanes of a warp, whenever they ask.
    pub fn is_of_launch(&self, term: TermId) -> bool {
        self.traits(term).of_launch
    }

    /// Whether nothing in a term is undefined because it was never written.
    pub fn is_written(&self, term: TermId) -> bool {
        self.traits(term).written
    }

    fn traits(&self, term: TermId) -> Traits {
        let (mut all, declared) = (self.traits.borrow_mut(), self.uniform.borrow());
        let inputs = self.inputs.borrow();
        if all.len() < self.terms.len() {
            all.resize(self.terms.len(), None);
        }
        let mut stack = vec![term];
        while let Some(&t) = stack.last() {
            if all[t.0 as usize].is_some() {
                stack.pop();
                continue;
            }
            let node = self.terms.node(t);
            let operands = node.operands();
            let before = stack.len();
            stack.extend(operands.iter().copied().filter(|o| all[o.0 as usize].is_none()));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let of = operands.iter().filter_map(|o| all[o.0 as usize]);
            // A bitwise `and` with nothing is nothing.
            let nothing = matches!(node, Node::Binary(BinaryOp::And, ..))
                && operands.iter().any(|o| self.terms.as_constant(o) == Some(0));
            all[t.0 as usize] = Some(if nothing {
                Traits::CLOSED
            } else if node.is_free() {
                Traits {
                    closed: false,
                    uniform: declared.get(&t).copied().unwrap_or(false),
                    of_launch: inputs.get(&t).is_some_and(Input::is_of_launch),
                    written: !matches!(node, Node::Undef { why, .. } if NEVER.contains(&why)),
                }
            } else {
                of.fold(Traits::CLOSED, Traits::and)
            });
        }
        all[term.0 as usize].expect("it was just found")
    }

    /// The bits of a term that depends on nothing.
    pub fn known(&self, term: TermId) -> Option<u128> {
        if let Some(bits) = self.terms.as_constant(&term) {
            return Some(bits);
        }
        self.traits(term).closed.then(|| self.terms.evaluate(&Concrete::default(), term, |_| 0).bits())
    }

    /// The same of a term in which nothing is approximated: what is has more than one value.
    pub fn settled(&self, term: TermId) -> Option<u128> {
        let approximate = |t: &TermId| matches!(self.terms.node(*t), Node::Approximate { .. });
        self.known(term).filter(|_| !self.terms.topological(&[term]).iter().any(approximate))
    }

    /// A number of a launch, 32 bits: of as many as its greatest value has (A-LAUNCH), above which there are zeros.
    fn number(&self, input: Input, bits: u32, uniform: bool) -> TermId {
        self.terms.zext(&self.input(input, bits, uniform), 32)
    }

    /// The most threads of a block along an axis.
    pub fn most_threads(&self, axis: Axis) -> u32 {
        let shape = self.shape.get();
        let most = BLOCK_EXTENTS[axis as usize];
        shape.required.map_or(shape.most.unwrap_or(most), |n| n[axis as usize]).clamp(1, most)
    }

    /// `%tid`.
    pub fn tid(&self, axis: Axis) -> TermId {
        match self.most_threads(axis) {
            1 => self.terms.constant(32, 0),
            most => self.number(Input::Tid(axis), bits(most - 1), false),
        }
    }
    /// `%ntid`.
    pub fn ntid(&self, axis: Axis) -> TermId {
        match self.shape.get().required {
            Some(n) => self.terms.constant(32, n[axis as usize].into()),
            None => self.number(Input::Ntid(axis), bits(self.most_threads(axis)), true),
        }
    }
    /// `%ctaid`.
    pub fn ctaid(&self, axis: Axis) -> TermId {
        self.number(Input::Ctaid(axis), bits(GRID_EXTENTS[axis as usize]), true)
    }
    /// `%nctaid`.
    pub fn nctaid(&self, axis: Axis) -> TermId {
        self.number(Input::Nctaid(axis), bits(GRID_EXTENTS[axis as usize]), true)
    }
    /// `%laneid`: of blocks of one row the lowest bits of `%tid.x`.
    pub fn laneid(&self) -> TermId {
        match self.shape.get().required {
            Some([_, 1, 1]) => self.terms.zext(&self.terms.extract(&self.tid(Axis::X), 0, 5), 32),
            _ => self.number(Input::LaneId, 5, false),
        }
    }

    /// Whether terms ask which lane it is, where the shape of blocks does not say it.
    pub fn asks_lane(&self, terms: &[TermId]) -> bool {
        let inputs = self.inputs.borrow();
        self.terms.free(terms).iter().any(|t| inputs.get(t) == Some(&Input::LaneId))
    }

    /// A special register.
    ///
    /// # Errors
    /// A register that is no function of the launch, such as a clock.
    pub fn special(&self, register: SpecialRegister) -> Result<TermId, Trap> {
        use SpecialRegister as R;
        let d = self.terms;
        let one = |width| d.constant(width, 1);
        // Lane masks from a single bit, 64 bits wide so that lane 31 has a next.
        let bit = || d.binary(BinaryOp::Shl, &one(64), &d.zext(&self.laneid(), 64));
        let below = || d.sub(&bit(), &one(64));
        let upto = || d.sub(&d.binary(BinaryOp::Shl, &bit(), &one(64)), &one(64));
        let low = |v: TermId| d.extract(&v, 0, 32);
        Ok(match register {
            R::Tid(a) => self.tid(a),
            R::Ntid(a) => self.ntid(a),
            R::Ctaid(a) => self.ctaid(a),
            R::Nctaid(a) => self.nctaid(a),
            R::LaneId => self.laneid(),
            R::LaneMaskEq => low(bit()),
            R::LaneMaskLt => low(below()),
            R::LaneMaskLe => low(upto()),
            R::LaneMaskGe => low(d.not(&below())),
            R::LaneMaskGt => low(d.not(&upto())),
            R::NWarpId | R::NSmId => self.identity(register, 1),
            // Free inputs of the launch, which constant bank 0 holds too.
            R::GridId | R::CurrentGraphExec | R::EnvReg(_) | R::BankCopy | R::DynamicSmemSize => {
                self.input(Input::Special(register), register.width(), true)
            }
            // The same words of bank 0.
            R::ReservedSmemEnd => self.special(R::EnvReg(10))?,
            R::ReservedSmemOffset(1) => self.special(R::EnvReg(11))?,
            // As ptxas has them for sm_90.
            R::ReservedSmemBegin | R::ReservedSmemOffset(0) => d.constant(32, 0),
            R::ReservedSmemCap => d.constant(32, RESERVED_SHARED_BYTES.into()),
            // A-LAUNCH: clusters of one block.
            R::ClusterCtaRank | R::ClusterCtaid(_) => d.constant(32, 0),
            R::IsExplicitCluster if !self.explicit.get() => d.no(),
            R::IsExplicitCluster => self.input(Input::Special(register), 1, true),
            R::ClusterNctaid(_) | R::ClusterNctaRank => one(32),
            R::ClusterId(a) => self.ctaid(a),
            R::NClusterId(a) => self.nctaid(a),
            other => {
                let register = format!("{other:?}").into();
                return Err(self.held.trap(Target::SpecialRegister { register }));
            }
        })
    }

    /// Which warp slot or multiprocessor this is, or how many there are; the answer that is given the `time`th time that somebody asks. As many
    /// bits as `SR_VIRTID` and `SR_VIRTCFG` have for it.
    pub fn identity(&self, register: SpecialRegister, time: u32) -> TermId {
        use SpecialRegister as R;
        let bits = if matches!(register, R::WarpId | R::NWarpId) { 7 } else { 9 };
        let answer = self.input(Input::Answer(register, time), bits, true);
        self.terms.zext(&answer, register.width())
    }

    /// Bytes of the parameter block.
    pub fn parameter(&self, offset: u64, bytes: u32) -> TermId {
        self.pieces(offset as i64, bytes, |at| self.chunk(at as u64))
    }

    /// The variable of eight bytes of the parameter block; `offset` is a multiple of eight.
    pub fn chunk(&self, offset: u64) -> TermId {
        self.input(Input::Parameter(offset), 64, true)
    }

    /// Bytes of a memory in some state.
    pub fn memory(&self, memory: &'static str, version: TermId, address: TermId, bytes: u32) -> TermId {
        let (base, offset) = split(self.terms, address);
        self.memory_at(memory, version, base, offset, bytes)
    }

    /// Bytes of a memory at an offset from a base.
    pub fn memory_at(
        &self,
        memory: &'static str,
        version: TermId,
        base: TermId,
        offset: i64,
        bytes: u32,
    ) -> TermId {
        self.pieces(offset, bytes, |at| {
            if let Some(&v) = self.known.borrow().get(&(memory, version, base, at)) {
                return v;
            }
            if memory == UNDEFINED {
                // Bytes, so that each can be what the target has in its place.
                let byte = || self.unwritten(8, UNWRITTEN);
                let v = (1..8).fold(byte(), |low, _| self.terms.concat(&byte(), &low));
                self.known.borrow_mut().insert((memory, version, base, at), v);
                return v;
            }
            // Lanes see one memory of a block, and of all; each has its own stack.
            let same = matches!(memory, "" | "const" | "shared");
            let uniform = same && self.is_uniform(base) && self.is_uniform(version);
            let v = self.variable(&format!("mem{memory}_{version}_{base}_{at:+}"), 64, uniform);
            self.known.borrow_mut().insert((memory, version, base, at), v);
            self.reads.borrow_mut().push(Read { variable: v, memory, version, base, offset: at });
            v
        })
    }

    /// Says what a variable stands for.
    pub fn bind(&self, variable: TermId, what: &Action, arguments: &[TermId], before: TermId, index: u32) {
        let mut operands = arguments.to_vec();
        operands.push(before);
        let bound = Bound { what: what.clone(), operands, index };
        self.bound.borrow_mut().insert(variable, bound);
    }

    /// What variables stand for.
    pub fn bound(&self) -> FxHashMap<TermId, Bound> {
        self.bound.borrow().clone()
    }

    /// Asks whether all of `asserted` (one bit each) can hold.
    pub fn script(&self, asserted: &[TermId]) -> Script {
        script(self.terms, &self.reads.borrow(), asserted)
    }

    /// What was read of initial memory.
    pub fn reads(&self) -> Vec<Read> {
        self.reads.borrow().clone()
    }

    /// `bytes` bytes from `offset`, out of eight-byte chunks at multiples of eight.
    fn pieces(&self, offset: i64, bytes: u32, chunk: impl Fn(i64) -> TermId) -> TermId {
        let d = self.terms;
        let mut done = 0;
        let mut all: Option<TermId> = None;
        while done < bytes {
            // Offsets count modulo 2^64.
            let at = offset.wrapping_add(done.into());
            let skip = at.rem_euclid(8) as u32;
            let count = (8 - skip).min(bytes - done);
            let part = d.extract(&chunk(at.wrapping_sub(skip.into())), 8 * skip, 8 * count);
            all = Some(all.map_or(part, |low| d.concat(&part, &low)));
            done += count;
        }
        all.expect("an access has bytes")
    }
}
