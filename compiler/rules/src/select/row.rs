//! What a row says.

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name, unique among all rows.
    pub name: String,
    /// The row as it is written, with single blanks between words.
    pub text: String,
    /// File and 1-based line where it stands.
    pub place: (&'static str, usize),
    /// What it matches.
    pub pattern: Pattern,
    /// What replaces it.
    pub actions: Vec<Action>,
}

/// A tree of operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Operation.
    pub head: &'static str,
    /// Width in bits or float format, if it matters.
    pub suffix: Option<String>,
    /// What must hold of the operation's attributes.
    pub conditions: Vec<Condition>,
    /// One per argument.
    pub args: Vec<Arg>,
    /// Name of the node, for its attributes.
    pub name: Option<String>,
}

impl Pattern {
    /// Number of operations, constants and conditions: the larger, the more special.
    pub fn size(&self) -> usize {
        let args: usize = self
            .args
            .iter()
            .map(|arg| match arg {
                Arg::Node(p) => 8 * p.size(),
                Arg::Integer(_) => 4,
                Arg::Bind { kinds, .. } => usize::from(!kinds.register),
                Arg::Any => 0,
            })
            .sum();
        8 + 2 * self.conditions.len() + usize::from(self.suffix.is_some()) + args
    }
}

/// A condition on an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A flag is set, or is not.
    Flag(String, bool),
    /// An attribute has this text.
    Is(String, String),
}

/// An operand of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// Anything, unused.
    Any,
    /// A constant of this value.
    Integer(i128),
    /// A value with a name.
    Bind {
        /// Name.
        name: String,
        /// What it may be matched by.
        kinds: Kinds,
    },
    /// An operation.
    Node(Box<Pattern>),
}

/// What an operand may be matched by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// A register.
    pub register: bool,
    /// An immediate of 32 bits a unit.
    pub immediate: bool,
    /// An immediate below 256.
    pub byte: bool,
    /// An immediate below 32.
    pub shift: bool,
    /// An immediate from 1 to 31.
    pub count: bool,
    /// The high half of a binary64 number.
    pub float64: bool,
    /// A constant-bank word.
    pub constant: bool,
    /// Float negation and absolute value are part of the operand.
    pub modifiers: bool,
    /// A half of a register: the upper one as a value of 16 bits, either one twice as one of 32.
    pub half: bool,
}

/// One step of a replacement.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// An instruction.
    Emit(Emit),
    /// A wide register of narrow ones, lowest first.
    Pack(Value, Vec<Value>),
    /// A copy.
    Copy(Value, Value),
}

/// An instruction to emit.
#[derive(Clone, Debug, PartialEq)]
pub struct Emit {
    /// The form's id in pieces.
    pub form: Vec<FormPiece>,
    /// Fields with their values.
    pub fields: Vec<(String, Value)>,
}

/// A piece of a form's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormPiece {
    /// These characters.
    Text(String),
    /// The letter of what this operand was matched by.
    Kind(String),
}

/// A value for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A result by number, and a unit of it.
    Result(usize, Option<u8>),
    /// All results as one wide register.
    Results,
    /// All arguments from the second on as one wide register.
    Args,
    /// The global-memory descriptor.
    Descriptor,
    /// An operand, and a unit of it.
    Operand(String, Option<u8>),
    /// 32 less an immediate below 32.
    Rest(String),
    /// A temporary, and a unit of it.
    Temp(String, Option<u8>),
    /// An attribute of the root or of a named node.
    Attribute(Option<String>, String),
    /// The offset in constant bank 0 of a word by which the driver tells of a window, and a unit of it.
    Window(String, u8),
    /// An enum's text.
    Text(String),
    /// A number.
    Integer(i64),
}
