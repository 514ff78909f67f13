//! Functions: blocks with parameters, instructions, values.

pub use crate::entities::{Block, Inst, Value, VariableId};

use crate::op::{Op, Type};
use sassafras_graph::PrimaryMap;
use sassafras_semantics::Space;
use smallvec::SmallVec;

/// A module: variables and functions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Variables of all spaces, the functions' own included.
    pub variables: PrimaryMap<VariableId, Variable>,
    /// Functions in order.
    pub functions: Vec<Function>,
}

/// A variable in `.global`, `.const`, `.shared` or `.local`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Symbol name, unique in the module.
    pub name: String,
    /// Space.
    pub space: Space,
    /// Size in bytes; 0 for dynamic shared memory.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Initial bytes; zeros follow up to `size`.
    pub init: Option<Vec<u8>>,
    /// Addresses in the initialiser: byte offset, variable, addend.
    pub init_addresses: Vec<(u64, VariableId, i64)>,
    /// Offsets of constants in constant memory in the initialiser: byte offset, variable, addend, and how many bytes the number has, 4 or 8.
    pub init_offsets: Vec<(u64, VariableId, i64, u8)>,
    /// Visible outside the module.
    pub visible: bool,
    /// Other modules may define it themselves.
    pub weak: bool,
    /// Host and device reach it by one address (`.attribute(.managed)`).
    pub managed: bool,
    /// Index in [`Module::functions`] of the function that owns it (shared and local variables of a body).
    pub owner: Option<u32>,
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Byte offset in the parameter block.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// A kernel (device functions are inlined by `lower`).
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Symbol name.
    pub name: String,
    /// Visible outside the module; a host launches it in any case.
    pub visible: bool,
    /// Other modules may define it themselves.
    pub weak: bool,
    /// Parameters.
    pub params: Vec<Param>,
    /// Size of the parameter block in bytes.
    pub param_size: u32,
    /// `.maxntid`
    pub maxntid: Option<[u32; 3]>,
    /// `.reqntid`
    pub reqntid: Option<[u32; 3]>,
    /// `.minnctapersm`
    pub minnctapersm: Option<u32>,
    /// `.maxnreg`
    pub maxnreg: Option<u32>,
    /// Variables in static shared memory that a block pays for, in the order in which they lie there.
    pub shared: Vec<VariableId>,
    /// `.reqnctapercluster`
    pub reqnctapercluster: Option<[u32; 3]>,
    /// `.explicitcluster`
    pub explicitcluster: bool,
    /// `.maxclusterrank`
    pub maxclusterrank: Option<u32>,
    /// Blocks. The entry has no parameters and no predecessors.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Instructions; one that stands in no block is dead.
    pub insts: PrimaryMap<Inst, InstData>,
    /// Values.
    pub values: PrimaryMap<Value, ValueData>,
    /// The entry block.
    pub entry: Block,
    /// Which parameters of blocks stand for registers of the source.
    pub names: Names,
}

/// What parameters of blocks stand for, for those who look for the source in the code. Nothing depends on it, no text has it, and functions that
/// differ in it alone are equal.
#[derive(Clone, Debug, Default)]
pub struct Names(pub Vec<Name>);

impl PartialEq for Names {
    fn eq(&self, _: &Names) -> bool {
        true
    }
}

/// A parameter of a block that holds a register of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The parameter.
    pub value: Value,
    /// The register's number in the source's function.
    pub register: u32,
    /// 1-based line of the first instruction of the block in the source; 0 if it has none.
    pub line: u32,
}

/// A basic block. A removed block has no instructions and [`Terminator::Unreachable`].
#[derive(Clone, Debug, PartialEq)]
pub struct BlockData {
    /// Parameters.
    pub params: Vec<Value>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// How control leaves.
    pub terminator: Terminator,
    /// 1-based line of the PTX source that the terminator comes from; 0 if none.
    pub line: u32,
    /// The source asks that the loop of which this is the header is not unrolled (PTX ISA, `.pragma "nounroll"`). It has no effect on the
    /// meaning, and none where the block is no header.
    pub nounroll: bool,
}

impl BlockData {
    /// A block without parameters and instructions, which ends like this.
    pub fn ending(terminator: Terminator) -> BlockData {
        BlockData { params: Vec::new(), insts: Vec::new(), terminator, line: 0, nounroll: false }
    }
}

/// How control leaves a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    /// To one block.
    Jump(Edge),
    /// By a one-bit condition.
    Branch {
        /// The condition.
        condition: Value,
        /// If one.
        then: Edge,
        /// If zero.
        otherwise: Edge,
    },
    /// By index: `targets[index]`; an index out of range is undefined.
    Switch {
        /// 32 bits, unsigned.
        index: Value,
        /// Targets in order; a block may occur more than once with equal arguments.
        targets: Vec<Edge>,
    },
    /// The thread ends.
    Exit,
    /// The thread traps.
    Trap,
    /// Never reached.
    Unreachable,
}

/// An edge with the arguments for the target's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Target.
    pub block: Block,
    /// One per parameter of the target.
    pub args: SmallVec<[Value; 4]>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct InstData {
    /// What it does.
    pub op: Op,
    /// Arguments; of a guarded load the address and, for each result, what it is where the guard does not hold.
    pub args: SmallVec<[Value; 4]>,
    /// Results.
    pub results: SmallVec<[Value; 2]>,
    /// Condition under which it is executed; only on loads and on operations without results.
    pub guard: Option<Guard>,
    /// 1-based line of the PTX source that it comes from; 0 if none.
    pub line: u32,
}

impl InstData {
    /// The member mask of an operation across lanes: those that it waits for.
    pub fn member_mask(&self) -> Option<Value> {
        let at = match self.op {
            Op::Shuffle(_) => 3,
            Op::Vote(_) | Op::Match { .. } | Op::Redux(_) => 1,
            Op::Elect | Op::WarpSync => 0,
            _ => return None,
        };
        self.args.get(at).copied()
    }

    /// What the operation itself takes: all arguments but [`InstData::kept`].
    pub fn taken(&self) -> &[Value] {
        &self.args[..self.args.len() - self.kept().len()]
    }

    /// What each result is where the guard does not hold; empty but for a guarded load.
    pub fn kept(&self) -> &[Value] {
        match self.op {
            Op::Load(_) if self.guard.is_some() => self.args.get(1..).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// A guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// One bit.
    pub value: Value,
    /// Executed if the value is zero.
    pub negate: bool,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueData {
    /// Width.
    pub ty: Type,
    /// Where it comes from.
    pub def: ValueDef,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueDef {
    /// Result number of an instruction.
    Result(Inst, u16),
    /// Parameter number of a block.
    Param(Block, u16),
}

impl Terminator {
    /// Outgoing edges in order: then before otherwise.
    pub fn edges(&self) -> SmallVec<[&Edge; 2]> {
        match self {
            Terminator::Jump(e) => SmallVec::from_slice(&[e]),
            Terminator::Branch { then, otherwise, .. } => SmallVec::from_slice(&[then, otherwise]),
            Terminator::Switch { targets, .. } => targets.iter().collect(),
            Terminator::Exit | Terminator::Trap | Terminator::Unreachable => SmallVec::new(),
        }
    }

    /// Outgoing edges in order, to change.
    pub fn edges_mut(&mut self) -> SmallVec<[&mut Edge; 2]> {
        let mut all = SmallVec::new();
        match self {
            Terminator::Jump(e) => all.push(e),
            Terminator::Branch { then, otherwise, .. } => {
                all.push(then);
                all.push(otherwise);
            }
            Terminator::Switch { targets, .. } => all.extend(targets.iter_mut()),
            Terminator::Exit | Terminator::Trap | Terminator::Unreachable => {}
        }
        all
    }
}
