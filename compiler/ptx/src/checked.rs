//! A checked module: names resolved, types known, scopes flattened. Only the checker makes one, and later rooms
//! (lowering, the executor, the prover) take only this form.

mod debug;
mod matrix;
pub mod op;
pub mod types;

pub use debug::{Debug, Inlined, Location, SourceFile};
pub use op::Op;
pub use types::Type;

use indexmap::IndexMap;
use sassafras_semantics::{AtomicOp, Ordering, Rounding, Scope, Space, SpecialRegister};
use smallvec::SmallVec;
use std::ops::Range;

/// Index of a register within its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterId(pub u32);
/// Index of a variable: module variables first, then the function's own; see [`Function::variable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VariableId {
    /// In [`Module::variables`].
    Module(u32),
    /// In [`Function::variables`].
    Local(u32),
}
/// Index of a label within its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);
/// Index of a function in [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A checked module.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// `.version`
    pub version: (u32, u32),
    /// First `.target`, such as `sm_75`.
    pub target: String,
    /// `.address_size` in bits; 64.
    pub address_size: u32,
    /// Module-scope variables, in order.
    pub variables: Vec<Variable>,
    /// Functions and entries, in order; a declaration has no body.
    pub functions: Vec<Function>,
    /// Source files and names for [`Function::locations`].
    pub debug: Debug,
}

/// A variable in `.global`, `.const`, `.shared`, `.local` or (inside a body) `.param`.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name as written (unique per scope only).
    pub name: String,
    /// State space.
    pub space: Space,
    /// Element type.
    pub ty: Type,
    /// Size in bytes; 0 for `.extern .shared x[]`.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Bytes of the initialiser, if there is one; shorter than `size` means zeros follow.
    pub init: Option<Vec<u8>>,
    /// Addresses of variables within the initialiser: byte offset, variable named, addend, and whether `generic(…)`.
    pub init_addresses: Vec<InitAddress>,
    /// Functions' addresses within the initialiser, by byte offset.
    pub init_functions: Vec<(u64, FunctionId)>,
    /// `.extern`
    pub external: bool,
    /// `.visible`, `.weak` or `.common`
    pub visible: bool,
    /// `.weak`
    pub weak: bool,
    /// `.attribute(.managed)`: host and device reach it by one address.
    pub managed: bool,
}

/// A symbol's address within an initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct InitAddress {
    /// Byte offset in the variable.
    pub offset: u64,
    /// Symbol.
    pub symbol: VariableId,
    /// Added to the address.
    pub addend: i64,
    /// A generic address rather than an offset in the symbol's space.
    pub generic: bool,
    /// Bytes of the element that holds it, 8 or, of a variable in `.const` memory, 4.
    pub bytes: u8,
}

/// A parameter of a kernel or function.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Name.
    pub name: String,
    /// Element type.
    pub ty: Type,
    /// Byte offset in the parameter block (kernels).
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// `.ptr` attributes: space and alignment of the pointee.
    pub pointer: Option<(Space, u32)>,
    /// Declared `.reg` (device functions only).
    pub register: Option<RegisterId>,
}

/// A function or entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// `.entry` rather than `.func`.
    pub entry: bool,
    /// Return parameters of a `.func`.
    pub returns: Vec<Param>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Total parameter size in bytes.
    pub param_size: u32,
    /// `.maxntid`
    pub maxntid: Option<[u32; 3]>,
    /// `.reqntid`
    pub reqntid: Option<[u32; 3]>,
    /// `.minnctapersm`
    pub minnctapersm: Option<u32>,
    /// `.maxnreg`
    pub maxnreg: Option<u32>,
    /// `.reqnctapercluster`: blocks of a cluster in x, y, z.
    pub reqnctapercluster: Option<[u32; 3]>,
    /// `.explicitcluster`
    pub explicitcluster: bool,
    /// `.maxclusterrank`: most blocks of a cluster.
    pub maxclusterrank: Option<u32>,
    /// Registers: name and type.
    pub registers: Vec<Register>,
    /// Variables declared in the body.
    pub variables: Vec<Variable>,
    /// Labels: name and index of the instruction that follows (may equal `insts.len()`).
    pub labels: Vec<Label>,
    /// Instructions in order; `None` for a declaration without a body.
    pub insts: Option<Vec<Inst>>,
    /// Indices of the instructions before which a loop begins that is not to be unrolled, if one does: where a `.pragma "nounroll"` stands, or
    /// all labels where it holds for the function or the module.
    pub nounroll: Vec<u32>,
    /// Every `.loc` of the body, in order.
    pub locations: Vec<Location>,
    /// Targets of each `.branchtargets` label used by `brx.idx`.
    pub branch_targets: IndexMap<String, Vec<LabelId>>,
    /// Signatures that indirect calls name.
    pub prototypes: IndexMap<String, Prototype>,
    /// `.visible` or `.weak`
    pub visible: bool,
    /// `.weak`
    pub weak: bool,
    /// `.extern`
    pub external: bool,
    /// `.noreturn`
    pub noreturn: bool,
}

/// The signature of a `.callprototype`, or of the functions of a `.calltargets`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prototype {
    /// Return parameters.
    pub returns: Vec<Param>,
    /// Parameters.
    pub params: Vec<Param>,
    /// The only functions that may be called, if they are listed.
    pub targets: Vec<FunctionId>,
}

/// A register.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// Name as written, with its `%`.
    pub name: String,
    /// Declared type.
    pub ty: Type,
}

/// A label.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Name as written.
    pub name: String,
    /// Index of the instruction that follows.
    pub target: u32,
}

/// An instruction: what it does ([`Inst::op`] with [`Inst::types`] and [`Inst::mods`]) and to what.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// Operation: the mnemonic's root.
    pub op: Op,
    /// Type suffixes in the order they are written: `cvt.f32.s32` has `[F32, S32]`; `mad.wide.u32` has `[U32]`.
    pub types: SmallVec<[Type; 2]>,
    /// All other suffixes.
    pub mods: Mods,
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// Operands in the order they are written.
    pub operands: SmallVec<[Operand; 4]>,
    /// Bytes of the source text.
    pub span: Range<usize>,
    /// 1-based source line.
    pub line: u32,
}

/// A guard predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The predicate register.
    pub register: RegisterId,
    /// `@!p`
    pub negate: bool,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(RegisterId),
    /// `!p` (where an instruction takes a negated predicate source).
    NotRegister(RegisterId),
    /// `r.b0`, `r.h10` (video instructions).
    Pieces(RegisterId, Pieces),
    /// `-r`, `-r.h1` (video instructions).
    Negated(Box<Operand>),
    /// A constant, as the bits of the operand's type (floats as their bits), sign-extended or zero-extended to 64.
    Immediate(u64),
    /// A special register.
    Special(SpecialRegister),
    /// The address of a variable plus a byte offset, as a value (`mov`).
    Symbol(VariableId, i64),
    /// The address of a kernel or function parameter plus a byte offset, as a value or in `[ ]`; index into `Function::params`
    /// (`returns` for `true`).
    Param(u32, bool, i64),
    /// A function's name (`call`, `mov`).
    Function(FunctionId),
    /// `[base + offset]`
    Address(AddressBase, i64),
    /// `{a, b, c, d}`
    Vector(SmallVec<[Box<Operand>; 4]>),
    /// `d|p` of `setp`, `shfl`, `match`, …
    Pair(Box<Operand>, Box<Operand>),
    /// `_`
    Sink,
    /// A branch target.
    Label(LabelId),
    /// The name of a `.branchtargets` list.
    BranchTargets(String),
    /// A parenthesised list of arguments of `call`. A `call` always has the operands results, callee, arguments (empty lists
    /// where the text leaves them out), and a [`Operand::Prototype`] if the callee is a register.
    List(Vec<Operand>),
    /// The name of a signature in [`Function::prototypes`].
    Prototype(String),
}

/// Bytes or halves of a register, or of two registers side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pieces {
    /// Bits of each: 8 or 16.
    pub width: u8,
    /// How many there are, 1 to 4.
    count: u8,
    /// Which they are, the last written first.
    at: [u8; 4],
}

impl Pieces {
    /// What a selector such as `b0` or `h10` names; `None` for anything else.
    pub fn parse(word: &str) -> Option<Pieces> {
        let (kind, digits) = word.split_at_checked(1)?;
        let width = match kind {
            "b" => 8,
            "h" => 16,
            _ => return None,
        };
        let mut at = [0; 4];
        for (to, digit) in at.iter_mut().zip(digits.chars().rev()) {
            *to = digit.to_digit(8)? as u8;
        }
        matches!(digits.len(), 1..=4).then_some(Pieces { width, count: digits.len() as u8, at })
    }

    /// Their numbers, that of the lowest of the value first.
    pub fn numbers(&self) -> &[u8] {
        &self.at[..usize::from(self.count)]
    }
}

impl Operand {
    /// Calls `see` for each variable that the operand names.
    pub fn symbols(&self, see: &mut impl FnMut(VariableId)) {
        match self {
            Operand::Symbol(id, _) | Operand::Address(AddressBase::Symbol(id), _) => see(*id),
            Operand::Vector(items) => items.iter().for_each(|o| o.symbols(see)),
            Operand::List(items) => items.iter().for_each(|o| o.symbols(see)),
            Operand::Negated(inner) => inner.symbols(see),
            Operand::Pair(a, b) => {
                a.symbols(see);
                b.symbols(see);
            }
            _ => {}
        }
    }
}

/// Base of an address operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressBase {
    /// A register (32 or 64 bits).
    Register(RegisterId),
    /// A variable.
    Symbol(VariableId),
    /// A parameter; `true` for a return parameter.
    Param(u32, bool),
    /// An absolute address.
    Absolute,
}

/// Comparison of `setp` and `set` (PTX ISA, "Comparisons").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Unsigned.
    Lo,
    /// Unsigned.
    Ls,
    /// Unsigned.
    Hi,
    /// Unsigned.
    Hs,
    /// Float, true if unordered.
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    /// Neither is NaN.
    Num,
    /// Either is NaN.
    Nan,
}

/// Which part of a product is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Part {
    Lo,
    Hi,
    Wide,
}

/// Boolean operator of `setp`, or of `bar.red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum BoolOp {
    And,
    Or,
    Xor,
    Popc,
}

/// All suffixes that are not types. What an instruction does not have is `None` or `false`; which it may have, its row says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mods {
    /// `.rn .rz .rm .rp .rna`; for integer rounding (`.rni` …) `integer_rounding` is set as well.
    pub rounding: Option<Rounding>,
    /// `.rni .rzi .rmi .rpi`
    pub integer_rounding: bool,
    /// `.ftz`
    pub ftz: bool,
    /// `.sat` (float or integer)
    pub sat: bool,
    /// `.satfinite`
    pub satfinite: bool,
    /// `.relu`
    pub relu: bool,
    /// `.approx`
    pub approx: bool,
    /// `.full`
    pub full: bool,
    /// `.NaN`
    pub nan: bool,
    /// `.xorsign.abs`
    pub xorsign_abs: bool,
    /// `.oob`
    pub oob: bool,
    /// `.lo .hi .wide`
    pub part: Option<Part>,
    /// `.cc` writes the carry.
    pub carry_out: bool,
    /// Comparison.
    pub compare: Option<Comparison>,
    /// Boolean operator.
    pub bool_op: Option<BoolOp>,
    /// State space of a memory operation or `cvta`, `isspacep`; `None` is generic.
    pub space: Option<Space>,
    /// `.to` of `cvta`
    pub to: bool,
    /// Ordering of a memory operation or fence.
    pub ordering: Option<Ordering>,
    /// Scope.
    pub scope: Option<Scope>,
    /// Operation of `atom`, `red`, `redux`. A binary32 sum flushes subnormals in global memory and through generic addresses
    /// and keeps them in shared memory (PTX ISA, `atom`).
    pub atomic: Option<AtomicOp>,
    /// Vector length of `ld`, `st`, `tex`: 2, 4 or 8; 1 if absent.
    pub vector: u8,
    /// `.clamp .wrap` of `shf`: `Some(true)` is wrap.
    pub wrap: Option<bool>,
    /// `.l` / `.r` of `shf`: `Some(true)` is left.
    pub left: Option<bool>,
    /// `.shiftamt` of `bfind`
    pub shiftamt: bool,
    /// Mode of `prmt` (`f4e b4e rc8 ecl ecr rc16`), of `shfl` (`up down bfly idx`), of `vote` (`all any uni ballot`), of `match`
    /// (`all any`), of `bar` and `barrier` (`sync arrive red`, and `warp` for `bar.warp.sync`), of `testp`,
    /// of `cvt` (`pack`), of `pmevent` (`mask`), of
    /// `griddepcontrol`, the shape of `mma`, `trans` of `ldmatrix` and its kin, and other one-of-many suffixes, as written without the dot.
    pub mode: Option<&'static str>,
    /// `.sync`
    pub sync: bool,
    /// `.aligned`
    pub aligned: bool,
    /// `.uni`
    pub uniform: bool,
    /// `.noftz`
    pub noftz: bool,
    /// Everything else that has no effect on the meaning (cache operators, eviction priority, prefetch size), as written.
    pub hints: SmallVec<[&'static str; 2]>,
    /// All modifiers but types in the row's order, of operations that are spelled out ([`Op::is_spelled`]): without the words of the name;
    /// of [`Op::Unmodelled`] and [`Op::Video`] with the root before them.
    pub words: SmallVec<[&'static str; 4]>,
}

impl Mods {
    /// Vector length, at least 1.
    pub fn lanes(&self) -> u32 {
        u32::from(self.vector.max(1))
    }
}

impl Function {
    /// Looks up a variable of the function or of its module.
    pub fn variable<'a>(&'a self, module: &'a Module, id: VariableId) -> &'a Variable {
        match id {
            VariableId::Module(i) => &module.variables[i as usize],
            VariableId::Local(i) => &self.variables[i as usize],
        }
    }
}

impl Function {
    /// The `.loc` that holds for an instruction, by its index; none before the first.
    pub fn location(&self, inst: usize) -> Option<&Location> {
        let behind = self.locations.partition_point(|location| location.before as usize <= inst);
        behind.checked_sub(1).map(|at| &self.locations[at])
    }
}

impl Module {
    /// The file and the `.loc` of the first instruction in a line of the PTX; none where nothing is said.
    pub fn source_of(&self, line: u32) -> Option<(&SourceFile, &Location)> {
        self.functions.iter().find_map(|function| {
            let index = function.insts.iter().flatten().position(|inst| inst.line == line)?;
            let location = function.location(index).filter(|location| location.line != 0)?;
            Some((self.debug.file(location.file)?, location))
        })
    }
}
