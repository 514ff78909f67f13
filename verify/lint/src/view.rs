//! A function, its text, and where its values come from.

use sassafras_ptx::checked::{Function, Inst, Module, Op, Operand, RegisterId, Type};

/// A register as an instruction reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Index of the instruction that reads it.
    pub at: usize,
    /// The register.
    pub register: RegisterId,
}

/// A function to look for patterns in.
pub struct View<'a> {
    /// Its module.
    pub module: &'a Module,
    /// The function.
    pub function: &'a Function,
    /// Its instructions.
    pub insts: &'a [Inst],
    source: &'a str,
    writers: Vec<Vec<usize>>,
    /// Whether the instruction writes a part of a register, or under a guard.
    partial: Vec<bool>,
    /// Whether a label leads to the instruction.
    joins: Vec<bool>,
}

/// Calls `see` for each register that an instruction's first operand writes, and whether it writes it whole. Of instructions that only read it, it is seen as
/// written, which makes fewer definitions known.
pub(crate) fn written(operand: &Operand, whole: bool, see: &mut impl FnMut(RegisterId, bool)) {
    match operand {
        Operand::Register(r) => see(*r, whole),
        Operand::Pieces(r, _) => see(*r, false),
        Operand::Vector(items) => items.iter().for_each(|o| written(o, whole, see)),
        Operand::List(items) => items.iter().for_each(|o| written(o, whole, see)),
        Operand::Pair(a, b) => {
            written(a, whole, see);
            written(b, whole, see);
        }
        _ => {}
    }
}

impl<'a> View<'a> {
    /// Looks at a function; `None` of one without a body.
    pub fn new(module: &'a Module, function: &'a Function, source: &'a str) -> Option<View<'a>> {
        let insts = function.insts.as_deref()?;
        let mut writers = vec![Vec::new(); function.registers.len()];
        let mut partial = vec![false; insts.len()];
        for (at, inst) in insts.iter().enumerate() {
            let Some(first) = inst.operands.first() else { continue };
            written(first, inst.guard.is_none(), &mut |r, whole| {
                writers[r.0 as usize].push(at);
                partial[at] |= !whole;
            });
        }
        let mut joins = vec![false; insts.len() + 1];
        for label in &function.labels {
            joins[label.target as usize] = true;
        }
        Some(View { module, function, insts, source, writers, partial, joins })
    }

    /// The instruction that alone gives a register the value that another one reads, whole and without a guard: the last before it on a path that nothing joins,
    /// or the only one of the function.
    pub fn definition(&self, value: Value) -> Option<usize> {
        let writers = self.writers(value.register);
        if self.parameter(value.register) {
            return None;
        }
        let near = writers.iter().copied().rfind(|&w| w < value.at && self.straight(w, value.at));
        let definition = match (near, writers) {
            (Some(near), _) => near,
            (None, &[only]) => only,
            _ => return None,
        };
        (!self.partial[definition]).then_some(definition)
    }

    /// Whether whoever comes to `to` has come from the instruction `from`.
    fn straight(&self, from: usize, to: usize) -> bool {
        let ends = |i: &Inst| {
            i.guard.is_none()
                && matches!(i.op, Op::Bra | Op::BrxIdx | Op::Ret | Op::Exit | Op::Trap | Op::Brkpt)
        };
        (from + 1..=to).all(|n| !self.joins[n]) && !self.insts[from..to].iter().any(ends)
    }

    fn parameter(&self, register: RegisterId) -> bool {
        self.function.params.iter().chain(&self.function.returns).any(|p| p.register == Some(register))
    }

    /// The instructions that write a register, in order.
    pub fn writers(&self, register: RegisterId) -> &[usize] {
        &self.writers[register.0 as usize]
    }

    /// Whether something besides one instruction gives the register a value, which that one keeps while its guard is false.
    pub fn has_old_value(&self, register: RegisterId) -> bool {
        self.parameter(register) || self.writers(register).len() > 1
    }

    /// A register's name.
    pub fn name(&self, register: RegisterId) -> &'a str {
        &self.function.registers[register.0 as usize].name
    }

    /// A register's type.
    pub fn ty(&self, register: RegisterId) -> Type {
        self.function.registers[register.0 as usize].ty
    }

    /// The instruction's text.
    pub fn text(&self, at: usize) -> &'a str {
        self.source[self.insts[at].span.clone()].trim()
    }

    /// What an operand of an instruction reads, through moves of one register to another.
    pub fn value(&self, at: usize, operand: &Operand) -> Option<Value> {
        let Operand::Register(register) = *operand else { return None };
        let mut value = Value { at, register };
        for _ in 0..16 {
            let Some(definition) = self.definition(value) else { break };
            let inst = &self.insts[definition];
            match (inst.op, inst.operands.get(1)) {
                (Op::Mov, Some(Operand::Register(from)))
                    if self.ty(*from).width() == self.ty(value.register).width() =>
                {
                    value = Value { at: definition, register: *from };
                }
                _ => break,
            }
        }
        Some(value)
    }

    /// Whether two values are one: the same register, with one known definition.
    pub fn same(&self, a: Value, b: Value) -> bool {
        let definition = self.definition(a);
        a.register == b.register && definition == self.definition(b) && (definition.is_some() || a.at == b.at)
    }

    /// The index of the instruction that defines an operand, through moves, if it is of this operation.
    pub fn source(&self, at: usize, operand: &Operand, op: Op) -> Option<usize> {
        let definition = self.definition(self.value(at, operand)?)?;
        (self.insts[definition].op == op).then_some(definition)
    }

    /// The bits of a constant operand, or of a register that a move of a constant defines.
    pub fn constant(&self, at: usize, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Immediate(bits) => Some(*bits),
            Operand::Register(_) => match self.insts[self.source(at, operand, Op::Mov)?].operands.get(1)? {
                Operand::Immediate(bits) => Some(*bits),
                _ => None,
            },
            _ => None,
        }
    }
}
