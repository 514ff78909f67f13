//! Appending instructions to a block.

use crate::function::*;
use crate::op::{Compare, Op, Type};

/// Appends instructions to one block after another. Every method appends one instruction (none for an operation that
/// needs none) and returns its result.
pub struct Builder<'f> {
    /// The function that grows.
    pub function: &'f mut Function,
    /// The block that instructions are appended to.
    pub block: Block,
    /// Source line for new instructions.
    pub line: u32,
}

impl<'f> Builder<'f> {
    /// A builder at the end of a block.
    pub fn new(function: &'f mut Function, block: Block) -> Builder<'f> {
        Builder { function, block, line: 0 }
    }

    /// Appends an instruction with results of these types.
    pub fn emit(&mut self, op: Op, args: &[Value], results: &[Type]) -> Inst {
        self.function.append(self.block, op, args, results, self.line)
    }
    /// Appends an instruction with one result.
    pub fn value(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let inst = self.emit(op, args, &[ty]);
        self.function.insts[inst].results[0]
    }
    /// Appends an instruction with two results.
    pub fn pair(&mut self, op: Op, args: &[Value], types: [Type; 2]) -> (Value, Value) {
        let inst = self.emit(op, args, &types);
        let results = &self.function.insts[inst].results;
        (results[0], results[1])
    }
    /// An operation whose result has the type of its first argument.
    pub fn same(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.ty(args[0]);
        self.value(op, args, ty)
    }
    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    /// A constant.
    pub fn constant(&mut self, ty: Type, bits: u128) -> Value {
        self.value(Op::Const(bits & crate::edit::mask(ty)), &[], ty)
    }
    /// A 32-bit constant.
    pub fn i32(&mut self, bits: u32) -> Value {
        self.constant(Type::I32, u128::from(bits))
    }
    /// A 64-bit constant.
    pub fn i64(&mut self, bits: u64) -> Value {
        self.constant(Type::I64, u128::from(bits))
    }
    /// Undefined bits.
    pub fn undef(&mut self, ty: Type) -> Value {
        self.value(Op::Undef, &[], ty)
    }

    /// a + b
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.same(Op::Add, &[a, b])
    }
    /// a - b
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        self.same(Op::Sub, &[a, b])
    }
    /// Low half of a × b
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        self.same(Op::Mul, &[a, b])
    }
    /// a and b
    pub fn and(&mut self, a: Value, b: Value) -> Value {
        self.same(Op::And, &[a, b])
    }
    /// a or b
    pub fn or(&mut self, a: Value, b: Value) -> Value {
        self.same(Op::Or, &[a, b])
    }
    /// a exclusive-or b
    pub fn xor(&mut self, a: Value, b: Value) -> Value {
        self.same(Op::Xor, &[a, b])
    }
    /// Complement.
    pub fn not(&mut self, a: Value) -> Value {
        self.same(Op::Not, &[a])
    }
    /// Negation.
    pub fn neg(&mut self, a: Value) -> Value {
        self.same(Op::Neg, &[a])
    }
    /// a << b
    pub fn shl(&mut self, a: Value, b: Value) -> Value {
        self.same(Op::Shl, &[a, b])
    }
    /// a >> b, zeros shifted in.
    pub fn lshr(&mut self, a: Value, b: Value) -> Value {
        self.same(Op::Shr { signed: false }, &[a, b])
    }
    /// a >> b, copies of the sign shifted in.
    pub fn ashr(&mut self, a: Value, b: Value) -> Value {
        self.same(Op::Shr { signed: true }, &[a, b])
    }
    /// a << n
    pub fn shl_by(&mut self, a: Value, n: u32) -> Value {
        let n = self.i32(n);
        self.shl(a, n)
    }
    /// a >> n, zeros shifted in.
    pub fn lshr_by(&mut self, a: Value, n: u32) -> Value {
        let n = self.i32(n);
        self.lshr(a, n)
    }
    /// a >> n, copies of the sign shifted in.
    pub fn ashr_by(&mut self, a: Value, n: u32) -> Value {
        let n = self.i32(n);
        self.ashr(a, n)
    }
    /// Comparison; one bit.
    pub fn compare(&mut self, compare: Compare, a: Value, b: Value) -> Value {
        self.value(Op::Compare(compare), &[a, b], Type::I1)
    }
    /// condition ? a : b
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let ty = self.ty(a);
        self.value(Op::Select, &[condition, a, b], ty)
    }
    /// The low bits; the value itself if it has this width.
    pub fn truncate(&mut self, a: Value, ty: Type) -> Value {
        if self.ty(a) == ty { a } else { self.value(Op::Truncate, &[a], ty) }
    }
    /// Zero extension; the value itself if it has this width.
    pub fn zext(&mut self, a: Value, ty: Type) -> Value {
        if self.ty(a) == ty { a } else { self.value(Op::ZeroExtend, &[a], ty) }
    }
    /// Sign extension; the value itself if it has this width.
    pub fn sext(&mut self, a: Value, ty: Type) -> Value {
        if self.ty(a) == ty { a } else { self.value(Op::SignExtend, &[a], ty) }
    }
    /// The low 32 bits of 64.
    pub fn low(&mut self, a: Value) -> Value {
        self.value(Op::Truncate, &[a], Type::I32)
    }
    /// The high 32 bits of 64.
    pub fn high(&mut self, a: Value) -> Value {
        self.value(Op::Extract(32), &[a], Type::I32)
    }
    /// 64 bits from two words.
    pub fn concat(&mut self, low: Value, high: Value) -> Value {
        self.value(Op::Concat, &[low, high], Type::I64)
    }
    /// 128 bits from two halves.
    pub fn concat_wide(&mut self, low: Value, high: Value) -> Value {
        self.value(Op::Concat, &[low, high], Type::I128)
    }
    /// a × b of 32 bits each in 64 bits, unsigned.
    pub fn mul_wide(&mut self, a: Value, b: Value) -> Value {
        self.value(Op::MulWide { signed: false }, &[a, b], Type::I64)
    }
    /// a + b + carry; sum and carry out.
    pub fn add_carry(&mut self, a: Value, b: Value, carry: Value) -> (Value, Value) {
        let ty = self.ty(a);
        self.pair(Op::AddCarry, &[a, b, carry], [ty, Type::I1])
    }

    /// Ends the block.
    pub fn terminate(&mut self, terminator: Terminator) {
        self.function.blocks[self.block].terminator = terminator;
        self.function.blocks[self.block].line = self.line;
    }
    /// Ends the block with a jump.
    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.terminate(Terminator::Jump(Edge::new(block, args)));
    }
    /// Ends the block with a branch.
    pub fn branch(&mut self, condition: Value, then: Edge, otherwise: Edge) {
        self.terminate(Terminator::Branch { condition, then, otherwise });
    }
}
