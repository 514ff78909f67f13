//! Nodes, lists, jumps and hints.

use crate::function::{Block, Value};

sassafras_graph::entity!(Node, "cf", "A node of the control tree.");

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A leaf.
    Block(Block),
    /// One of two lists runs.
    If {
        /// One bit: whether `Then` runs.
        condition: Value,
        /// Wish of the user.
        control: SelectionControl,
        /// Lanes that run it together may part.
        divergent: bool,
    },
    /// The body runs again and again.
    Loop {
        /// Wish of the user.
        control: LoopControl,
        /// Unrolled on a guessed count; not a second time.
        partially_unrolled: bool,
        /// Lanes that enter it together may leave it, or begin a turn, apart.
        divergent: bool,
    },
    /// The root.
    Function,
    /// The root of an extracted list.
    Loose,
}

/// Wish about an `If`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelectionControl {
    /// None.
    #[default]
    None,
    /// Both lists should run without a branch.
    Flatten,
    /// There should be a branch.
    DontFlatten,
}

/// Wish about a `Loop`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopControl {
    /// None.
    #[default]
    None,
    /// It should be unrolled.
    Unroll,
    /// It should not.
    DontUnroll,
}

/// Which list of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Of a loop, a function, a loose list.
    Body,
    /// Of an `If` whose condition is one.
    Then,
    /// Of an `If` whose condition is zero.
    Else,
}

impl Part {
    pub(super) const fn index(self) -> usize {
        match self {
            Part::Body | Part::Then => 0,
            Part::Else => 1,
        }
    }
}

/// A list: its owner and which of the owner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct List {
    /// An `If`, a `Loop` or a root.
    pub owner: Node,
    /// Which of its lists.
    pub part: Part,
}

impl List {
    /// The body of a loop or a root.
    pub const fn body(owner: Node) -> List {
        List { owner, part: Part::Body }
    }
    /// What an `If` runs when its condition is one.
    pub const fn then(owner: Node) -> List {
        List { owner, part: Part::Then }
    }
    /// What an `If` runs when its condition is zero.
    pub const fn otherwise(owner: Node) -> List {
        List { owner, part: Part::Else }
    }
}

impl NodeKind {
    /// Which lists a node of this kind has.
    pub const fn parts(&self) -> &'static [Part] {
        match self {
            NodeKind::Block(_) => &[],
            NodeKind::If { .. } => &[Part::Then, Part::Else],
            NodeKind::Loop { .. } | NodeKind::Function | NodeKind::Loose => &[Part::Body],
        }
    }
}

/// How a block ends when it does not just go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Jump {
    /// Out of the function.
    Return,
    /// The thread ends.
    Halt,
    /// The thread traps.
    Trap,
    /// Never reached.
    Unreachable,
    /// Behind the innermost loop.
    Break,
    /// To the header of the innermost loop.
    Continue,
    /// To a block of an unstructured tree.
    Goto(Block),
    /// To one of two blocks of an unstructured tree: condition, if one, if zero.
    GotoIf(Value, Block, Block),
}

/// What the tree knows of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeData {
    pub kind: NodeKind,
    pub list: Option<List>,
    /// The lists, `Body` or `Then` first.
    pub lists: [Vec<Node>; 2],
    pub alive: bool,
}

impl NodeData {
    /// One that stands in no list.
    pub fn root(kind: NodeKind) -> NodeData {
        NodeData { kind, list: None, lists: [Vec::new(), Vec::new()], alive: true }
    }
}
