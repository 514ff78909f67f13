//! What each instruction means, per lane and unguarded, over [`Domain`] and [`State`]; written from the PTX ISA's text.
//!
//! - `operand`: reading sources and writing destinations.
//! - `integer`, `bits`, `carry`: integer arithmetic, logic and bit fields, extended precision.
//! - `float`, `packed`: floating-point arithmetic, alone and in pairs; `classify`: signs and classes.
//! - `compare`: `setp`, `set`, `selp`, `slct`.
//! - `convert`: `cvt`. `data`: `mov`, `prmt`, `cvta`, special registers.
//! - `memory`: loads, stores, atomics, fences.
//! - `video`: arithmetic on parts of words.
//! - `lanes`, `matrix`: collectives. `control`: branches and calls. `opaque`, `texture`: what is known by operands and effects alone.
//!
//! A form that has no meaning here is [`Trap::Unsupported`], which names it.

mod bits;
mod carry;
mod classify;
mod compare;
mod control;
mod convert;
mod data;
mod float;
mod integer;
mod lanes;
mod matrix;
mod memory;
mod object;
mod opaque;
mod operand;
mod packed;
mod tensor;
#[cfg(test)]
mod tests;
mod texture;
mod video;
mod warpgroup;

use crate::checked::{Function, FunctionId, Inst, LabelId, Module, Op, RegisterId, Type, VariableId};
use sassafras_semantics::{Collective, Domain, State, Trap};
use smallvec::SmallVec;

impl RegisterId {
    /// The carry flag CC.CF (PTX ISA, "Extended-Precision Integer Arithmetic Instructions"), one bit, which [`State`] keeps
    /// like a register of the function.
    pub const CARRY: RegisterId = RegisterId(u32::MAX);
}

/// What PTX asks of a lane's state beyond [`State`].
pub trait PtxState<D: Domain>: State<D, Register = RegisterId> {
    /// A variable's address in its own space, 64 bits.
    ///
    /// # Errors
    /// If this state has no such variable.
    fn symbol_address(&mut self, d: &D, variable: VariableId) -> Result<D::V, Trap>;
    /// The address in `.param` space of a parameter of the current function (of a return parameter if `returns`), 64 bits.
    ///
    /// # Errors
    /// If this state has no such parameter.
    fn param_address(&mut self, d: &D, index: u32, returns: bool) -> Result<D::V, Trap>;
    /// A function's address, 64 bits: what a call through a register is given.
    ///
    /// # Errors
    /// If this state has no addresses of functions.
    fn function_address(&mut self, d: &D, function: FunctionId) -> Result<D::V, Trap>;
}

/// Where an argument or a result of a call lies at the caller.
#[derive(Clone, Debug, PartialEq)]
pub enum Place<V> {
    /// An argument's value, from a register or constant.
    Value(V),
    /// A register that takes a result; `None` is `_`.
    Register(Option<RegisterId>),
    /// A `.param` variable of the caller.
    Variable(VariableId),
}

/// What is to happen after an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<'a, V> {
    /// The next instruction.
    Next,
    /// Go to a label.
    Branch(LabelId),
    /// Go to the label that an index names; undefined if there is none.
    Switch {
        /// 32 bits.
        index: V,
        /// The labels.
        targets: &'a [LabelId],
    },
    /// Call a function; the place to come back to is the next instruction.
    Call {
        /// The function called.
        function: FunctionId,
        /// Arguments in order.
        arguments: Vec<Place<V>>,
        /// Where results go, in order.
        results: Vec<Place<V>>,
    },
    /// Call the function at an address, in other respects the same.
    CallIndirect {
        /// 64 bits, from [`PtxState::function_address`].
        target: V,
        /// Arguments in order.
        arguments: Vec<Place<V>>,
        /// Where results go, in order.
        results: Vec<Place<V>>,
    },
    /// Return from a function; from an entry it is [`Outcome::Exit`].
    Return,
    /// The lane ends.
    Exit,
    /// Something is asked of several lanes at once. A `Vote` or `Shuffle` without its member mask (the forms without
    /// `.sync`) is about the lanes that happen to execute it together.
    Collective {
        /// What is asked.
        op: Collective,
        /// This lane's arguments in the order that [`Collective`] names.
        arguments: SmallVec<[V; 4]>,
        /// The registers that take the results, in the order that [`Collective`] names.
        results: SmallVec<[Option<RegisterId>; 2]>,
    },
}

/// One instruction of one lane, its guard aside.
///
/// # Errors
/// Why the lane stops: a fault, a `trap`, or [`Trap::Unsupported`].
pub fn step<'a, D: Domain, S: PtxState<D>>(
    d: &D,
    module: &'a Module,
    function: &'a Function,
    inst: &'a Inst,
    state: &mut S,
) -> Result<Outcome<'a, D::V>, Trap> {
    let mut step = Step { d, module, function, inst, state };
    step.run()
}

/// The guard's value, one bit; `None` if the instruction has no guard.
///
/// # Errors
/// Whatever reading the predicate gives.
pub fn guard<D: Domain, S: PtxState<D>>(d: &D, inst: &Inst, state: &mut S) -> Result<Option<D::V>, Trap> {
    let Some(guard) = inst.guard else { return Ok(None) };
    let value = state.read(d, guard.register)?;
    Ok(Some(if guard.negate { d.not(&value) } else { value }))
}

struct Step<'s, 'a, D: Domain, S: PtxState<D>> {
    d: &'s D,
    module: &'a Module,
    function: &'a Function,
    inst: &'a Inst,
    state: &'s mut S,
}

type Done<V> = Result<V, Trap>;

impl<'a, D: Domain, S: PtxState<D>> Step<'_, 'a, D, S> {
    fn run(&mut self) -> Done<Outcome<'a, D::V>> {
        use Op::*;
        match self.inst.op {
            Bra | BrxIdx | Call | Ret | Exit | Trap | Brkpt => return self.control(),
            Mma | Ldmatrix | Stmatrix | Movmatrix => return self.matrix(),
            Activemask | Bar | Barrier | ClusterBarrier | Elect | Match | Redux | Shfl | Vote => {
                return self.lanes();
            }
            Abs | Add | Sub | Mul | Mad | Fma | Div | Rem | Neg | Min | Max | Sad | Mul24 | Mad24 | Dp4a
            | Dp2a => {
                self.arithmetic()?;
            }
            Addc | Subc | Madc => self.carry()?,
            And | Or | Xor | Not | Cnot | Lop3 | Shl | Shr | Shf | Bfe | Bfi | Bfind | Bmsk | Szext
            | Brev | Clz | Popc | Fns => {
                self.bits()?;
            }
            Rcp | Rsqrt | Sqrt | Sin | Cos | Lg2 | Ex2 | Tanh => self.function()?,
            Copysign | Testp => self.classify()?,
            Setp | Set | Selp | Slct => self.compare()?,
            Cvt => self.convert()?,
            Mov | Prmt | Cvta | Isspacep | Mapa | Getctarank => self.data()?,
            Ld | Ldu | St | Atom | Red | Fence | Membar | CpAsync => self.memory()?,
            // Hints and timing: no effect on what a lane computes.
            Prefetch | Prefetchu | Applypriority | Nanosleep | Pmevent => {}
            Griddepcontrol | Mbarrier | CopyArrive | BulkCopy | BulkReduce | StAsync | RedAsync
            | FenceProxy | FenceInit | Setmaxnreg | Createpolicy => self.opaque()?,
            Wgmma => self.warpgroup()?,
            MmaSparse => self.sparse_product()?,
            Tensor | TensorPrefetch | TensorReduce => self.tensor()?,
            Tex | Tld4 => self.texture()?,
            Txq | Suq => self.texture_query()?,
            Suld | Sust | Sured => self.surface()?,
            Istypep => self.handle_type()?,
            Video => self.video()?,
            // The checker puts others in the place of `wmma`.
            Discard | Wmma | Unmodelled => return Err(self.unsupported()),
        }
        Ok(Outcome::Next)
    }

    /// The instruction's first type: `.b32` if it has none.
    fn ty(&self) -> Type {
        self.inst.types.first().copied().unwrap_or(Type::B(32))
    }

    /// The instruction's second type: the first if it has no second.
    fn second_ty(&self) -> Type {
        self.inst.types.get(1).copied().unwrap_or_else(|| self.ty())
    }

    /// Arithmetic whose type decides the kind.
    fn arithmetic(&mut self) -> Done<()> {
        match self.ty() {
            Type::F(format) => self.float(format),
            Type::F16x2 | Type::Bf16x2 | Type::U16x2 | Type::S16x2 | Type::F32x2 => self.packed(),
            _ if self.inst.mods.carry_out => self.carry(),
            _ => self.integer(),
        }
    }
}
