//! What a row of the table says about a form.

use crate::control::Control;
use crate::meaning::Meaning;
use crate::table;
use sassafras_chip::{Chip, ChipRange};
use std::fmt;

/// The pipe a form runs on: the class by which the latency tables know it.
pub use sassafras_chip::latency::Class as Pipe;

/// A form of the table, by its place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormId(pub u16);

impl FormId {
    /// The row.
    pub fn get(self) -> &'static Form {
        table::get(self)
    }
}

impl fmt::Display for FormId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get().id)
    }
}

impl fmt::Debug for FormId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The register files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RegClass {
    /// General registers, 32 bits per lane; RZ (255) reads zero.
    R,
    /// Uniform registers, 32 bits per warp; URZ (63) reads zero.
    UR,
    /// Predicates, one bit per lane; PT (7) reads true.
    P,
    /// Uniform predicates, one bit per warp; UPT (7) reads true.
    UP,
    /// Convergence barriers, a mask of lanes per warp; no constant among them.
    B,
}

impl RegClass {
    /// The number that names no register but a constant, if the class has one.
    pub const fn constant(self) -> Option<u64> {
        match self {
            RegClass::R => Some(255),
            RegClass::UR => Some(63),
            RegClass::P | RegClass::UP => Some(7),
            RegClass::B => None,
        }
    }

    /// Letters before the number in text.
    pub const fn prefix(self) -> &'static str {
        match self {
            RegClass::R => "R",
            RegClass::UR => "UR",
            RegClass::P => "P",
            RegClass::UP => "UP",
            RegClass::B => "B",
        }
    }
}

/// What the value of a field is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// A register number. `inverted`: the word holds 7 minus the number; the field's value is the number.
    Register {
        /// The file.
        class: RegClass,
        /// Whether the word holds the complement.
        inverted: bool,
    },
    /// One of [`Field::texts`].
    Enum,
    /// A bit that negates, complements or takes the absolute value of another field's operand.
    Flag,
    /// Signed number in units of `scale`, held sign-extended and in bytes where it counts bytes.
    Signed {
        /// What one unit in the word is worth.
        scale: u64,
    },
    /// Unsigned number, as [`FieldKind::Signed`].
    Unsigned {
        /// What one unit in the word is worth.
        scale: u64,
    },
    /// Distance in bytes from the end of this instruction to the target, held sign-extended.
    Target {
        /// What one unit in the word is worth, 4.
        scale: u64,
    },
    /// Raw bits of a binary32 number.
    Float32,
    /// High 32 bits of a binary64 number whose low half is zero.
    Float64High,
    /// Raw bits of a binary16 number.
    Float16,
    /// Raw bits of a bfloat16 number.
    Bfloat16,
    /// Raw bits that text shows as binary16, or as bfloat16 where the enum field of this index is 1.
    Half {
        /// Index of the deciding field.
        bfloat: usize,
    },
    /// Byte offset in a constant bank, a multiple of 4; the bank is the field of the same name with `.bank`.
    ConstantOffset {
        /// Text has a blank between bank and offset, as where a part of the operand is chosen.
        spaced: bool,
    },
    /// Number of a constant bank.
    Bank,
    /// Number of a special register, printed by the name that it has from this chip on.
    Special {
        /// Number of the first chip of the form.
        since: u32,
    },
    /// A set of small numbers, one bit for each, printed as `{3,1}`.
    Set,
}

/// How many consecutive registers an operand names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Units {
    /// Always this many.
    Fixed(u8),
    /// Decided by other fields.
    By {
        /// The deciding fields, each with what its values weigh; without weights a value weighs itself.
        terms: Vec<(usize, Vec<u8>)>,
        /// Registers by the sum of the weights.
        count: Vec<u8>,
    },
}

/// One field of a form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name, unique in the form: `d`, `a`, `a.neg`, `cmp`.
    pub name: &'static str,
    /// What its value is.
    pub kind: FieldKind,
    /// Places in the word, lowest bit of the value first.
    pub bits: Vec<u8>,
    /// Value of a new instruction, and of an operand that text leaves out.
    pub default: u64,
    /// Texts by value for [`FieldKind::Enum`]; `None` is a value that no instruction has.
    pub texts: Vec<Option<&'static str>>,
    /// Registers the operand spans.
    pub units: Units,
    /// When the operand takes part: alternatives, each a list of conditions that must hold together. Where none does,
    /// the bits have no effect, text does not show them, and they stay at the default.
    pub shown: Vec<Vec<Test>>,
    /// Bit of the reuse control that belongs to the operand.
    pub reuse: Option<u8>,
    /// Whether the form reads the register.
    pub read: bool,
    /// Whether the form writes the register.
    pub write: bool,
}

impl Field {
    /// Whether the field is a uniform register of 6 bits, which have 2 more above them on chips with wide ones.
    pub fn narrow(&self) -> bool {
        matches!(self.kind, FieldKind::Register { class: RegClass::UR, .. }) && self.bits.len() == 6
    }
}

/// Scoreboards a form may or must set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scoreboard {
    /// Fixed latency.
    #[default]
    None,
    /// Results are ready when the write barrier says so.
    Write,
    /// No result; sources are read late, and the read barrier says when.
    Read,
    /// Both.
    ReadWrite,
}

/// What a form does to the flow of control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ControlFlowKind {
    /// Jumps to a target in the word.
    Branch,
    /// Jumps to a place held in registers.
    IndirectBranch,
    /// Calls; the return address goes to registers.
    Call,
    /// Returns.
    Return,
    /// Ends the thread.
    Exit,
    /// Stops with an error.
    Trap,
    /// Names the place where lanes meet again (BSSY); falls through.
    Push,
    /// Waits for lanes, then goes where BSSY said (BSYNC).
    Sync,
    /// Takes lanes out of a convergence barrier (BREAK); falls through.
    Break,
    /// Waits for other lanes of the warp and falls through (WARPSYNC, YIELD).
    Warp,
    /// Waits for other warps and falls through (BAR).
    Block,
}

/// The kind of access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes as one.
    Atomic,
    /// Writes as [`MemoryKind::Atomic`] and gives nothing back.
    Reduction,
    /// From global to shared memory, later.
    Copy,
    /// Orders other accesses, or drops cached lines.
    Fence,
}

/// Where the access goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemorySpace {
    /// Generic address.
    Generic,
    /// Global memory.
    Global,
    /// Shared memory of the block or cluster.
    Shared,
    /// Local memory of the thread.
    Local,
    /// Constant banks.
    Constant,
}

/// How a form touches memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// What it does.
    pub kind: MemoryKind,
    /// Where.
    pub space: MemorySpace,
}

/// A condition on one field: `name`, `!name`, `name=3`, `name!=3` or `name=pow2` in the notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Test {
    /// The field, with its flags, is not at its default.
    Given(usize),
    /// The field, with its flags, is at its default.
    Absent(usize),
    /// The field has this value.
    Is(usize, u64),
    /// The field has another value.
    IsNot(usize, u64),
    /// The field's low 32 bits are a power of two: `name=pow2`.
    PowerOfTwo(usize),
}

/// A piece of a form's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// These characters.
    Literal(&'static str),
    /// An operand or number with its flags, by field.
    Value {
        /// The field.
        field: usize,
        /// Flag field that prints a minus.
        neg: Option<usize>,
        /// Flag field that prints bars.
        abs: Option<usize>,
        /// Flag field that prints an exclamation mark.
        not: Option<usize>,
        /// Flag field that prints a tilde.
        inv: Option<usize>,
        /// Enum field that turns the minus into a tilde when it is not 0.
        tilde: Option<usize>,
        /// Bit of the reuse control that prints `.reuse`.
        reuse: Option<u8>,
    },
    /// Nothing: a field that takes part but has no text.
    Hidden(usize),
    /// The register behind that of this field, which the word names once for both.
    Next(usize),
    /// A signed number, shown as the unsigned number of the same bits.
    Unsigned(usize),
    /// An enum by its texts; the same field may be shown twice with other texts.
    Texts {
        /// The field.
        field: usize,
        /// Texts by value.
        texts: Vec<Option<&'static str>>,
    },
    /// Shown when all tests hold.
    When(Vec<Test>, Vec<Node>),
}

/// Control bits that a form may carry, as swept with nvdisasm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlLimits {
    /// Whether the form may set a write barrier.
    pub write_barrier: bool,
    /// Whether the form may set a read barrier.
    pub read_barrier: bool,
    /// Bits of the reuse control that may be set.
    pub reuse: u8,
    /// Whether the form may wait for scoreboards.
    pub wait: bool,
    /// Whether bits 122 to 124 may be set without bit 109, to 5 at most and with a stall; text does not show them then. ptxas sets bit 122 in the first and bit
    /// 124 in the last of a run of texture instructions on sm_75 and sm_80. nvdisasm takes them from every form.
    pub runs: bool,
}

impl ControlLimits {
    /// The slowest control word that the form may carry: [`Control::SAFE`] for all that may wait.
    pub fn safe(self) -> Control {
        Control { wait_mask: if self.wait { Control::SAFE.wait_mask } else { 0 }, ..Control::SAFE }
    }
}

/// One row of the table.
#[derive(Clone, PartialEq, Debug)]
pub struct Form {
    /// Name of the form: `iadd3.rrr`. The part after the dot gives the kinds of sources: register, immediate,
    /// constant bank, uniform register.
    pub id: &'static str,
    /// The name by which rules know the form on every chip that has it.
    pub family: &'static str,
    /// First word of the text, up to a dot: `IADD3`.
    pub mnemonic: &'static str,
    /// Chips for which the row was verified: 2,000 random words at [`Form::home`], 200 on each other chip.
    pub chips: ChipRange,
    /// Bits 0 to 11.
    pub opcode: u16,
    /// Bits that tell this form from others, opcode included.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    /// Bits that widen the uniform register fields to 8 bits on chips from sm_100 on; fixed at 0 elsewhere.
    pub wide: u128,
    /// Every bit that the form, the guard or the control word accounts for.
    pub owned: u128,
    /// The fields, in the order of [`crate::Inst::fields`].
    pub fields: Vec<Field>,
    /// The text.
    pub syntax: Vec<Node>,
    /// Other texts, each with the conditions under which it is printed instead; the first that holds counts.
    pub aliases: Vec<(Vec<Test>, Vec<Node>)>,
    /// Operands that may not be kept for reuse: the bit of the reuse control, and when.
    pub unreusable: Vec<(u8, Vec<Test>)>,
    /// Combinations of values that no instruction has.
    pub denied: Vec<Vec<Test>>,
    /// Pipe and latency class.
    pub pipe: Pipe,
    /// Scoreboards.
    pub scoreboard: Scoreboard,
    /// Effect on control flow; none for straight-line forms.
    pub control_flow: Option<ControlFlowKind>,
    /// Effect on memory.
    pub memory: Option<Memory>,
    /// Executed once per warp, on the uniform datapath.
    pub uniform: bool,
    /// The guard names a uniform predicate.
    pub uniform_guard: bool,
    /// What it does.
    pub meaning: Meaning,
    /// Control bits that nvdisasm accepts on the form.
    pub control: ControlLimits,
    /// Where the row comes from and how it was verified.
    pub source: &'static str,
}

impl Form {
    /// Index of the field with this name.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// A chip that has the form: sm_90 where it does, else sm_80, else the first.
    pub fn home(&self) -> Chip {
        let mut order = [Chip::Sm90, Chip::Sm80].into_iter().chain(Chip::ALL);
        order.find(|&chip| self.chips.contains(chip)).unwrap_or(Chip::Sm90)
    }

    /// [`Form::mask`] as it is on a chip.
    pub fn mask_on(&self, chip: Chip) -> u128 {
        if chip.uniform_field_bits() == 8 { self.mask & !self.wide } else { self.mask }
    }

    /// Whether the uniform registers `u` are a descriptor of memory, not part of its address: the text says so, or hides them.
    pub fn has_descriptor(&self) -> bool {
        fn any(nodes: &[Node], u: usize) -> bool {
            nodes.iter().any(|node| match node {
                Node::Literal(text) => text.contains("desc["),
                Node::Hidden(field) => *field == u,
                Node::When(_, inner) => any(inner, u),
                _ => false,
            })
        }
        self.field("u").is_some_and(|u| any(&self.syntax, u))
    }

    /// Whether the form writes a register of any file.
    pub fn has_result(&self) -> bool {
        self.fields.iter().any(|field| field.write)
    }
}
