//! Who uses a value.

use crate::function::{Block, Function, Inst, Terminator, Value};
use sassafras_graph::SecondaryMap;

/// A place where a value is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum User {
    /// As an argument or guard of an instruction.
    Inst(Inst),
    /// By the terminator of a block: its condition, its index, or an argument of one of its edges.
    Terminator(Block),
}

/// All uses of all values by instructions that stand in a block and by terminators. A value used twice by one user is listed
/// twice. It does not follow later changes.
#[derive(Clone, Debug)]
pub struct Uses {
    users: SecondaryMap<Value, Vec<User>>,
}

impl Uses {
    /// Collects the uses of a function.
    pub fn new(function: &Function) -> Uses {
        let mut users: SecondaryMap<Value, Vec<User>> = SecondaryMap::new();
        for (block, data) in function.blocks.iter() {
            for &inst in &data.insts {
                function.insts[inst].for_each_use(|v| users[v].push(User::Inst(inst)));
            }
            data.terminator.for_each_use(|v| users[v].push(User::Terminator(block)));
        }
        Uses { users }
    }

    /// Users of a value, in order of blocks and instructions.
    pub fn of(&self, value: Value) -> &[User] {
        &self.users[value]
    }

    /// Number of uses.
    pub fn count(&self, value: Value) -> usize {
        self.users[value].len()
    }
}

impl crate::InstData {
    /// Calls `f` for every value used: arguments in order, then the guard.
    pub fn for_each_use(&self, mut f: impl FnMut(Value)) {
        self.args.iter().copied().for_each(&mut f);
        if let Some(guard) = self.guard {
            f(guard.value);
        }
    }

    /// Calls `f` for every value used, to change it.
    pub fn for_each_use_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        self.args.iter_mut().for_each(&mut f);
        if let Some(guard) = &mut self.guard {
            f(&mut guard.value);
        }
    }
}

impl Terminator {
    /// Calls `f` for every value used: the condition or index, then the arguments of the edges in order.
    pub fn for_each_use(&self, mut f: impl FnMut(Value)) {
        match self {
            Terminator::Branch { condition: v, .. } | Terminator::Switch { index: v, .. } => f(*v),
            Terminator::Jump(_) | Terminator::Exit | Terminator::Trap | Terminator::Unreachable => {}
        }
        for edge in self.edges() {
            edge.args.iter().copied().for_each(&mut f);
        }
    }

    /// Calls `f` for every value used, to change it.
    pub fn for_each_use_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            Terminator::Branch { condition: v, .. } | Terminator::Switch { index: v, .. } => f(v),
            Terminator::Jump(_) | Terminator::Exit | Terminator::Trap | Terminator::Unreachable => {}
        }
        for edge in self.edges_mut() {
            edge.args.iter_mut().for_each(&mut f);
        }
    }
}
