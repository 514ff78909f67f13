//! The text of each operation: a row per operation, a token per field, joined by dots.

use super::token::*;
use crate::function::VariableId;
use crate::op::{Compare, FloatCompare, MemoryAccess, Op, PackedOp};
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::{
    Approximation, AtomicOp, FloatFormat, FloatMode, Matrices, Mma, Opaque, Ordering, Scope, Space,
    SpecialRegister, SystemCall,
};

/// From rows `"name" Variant`, `"name" Variant(field: Kind, …)`, `"name" Variant { field: Kind, … }`.
macro_rules! operations {
    ($($word:literal $variant:ident $(($($f:ident: $t:ty),*))? $({$($g:ident: $u:ty),*})?;)*) => {
        /// The text of an operation.
        pub fn print_op(op: &Op) -> String {
            match *op {
                $(Op::$variant $(($($f),*))? $({$($g),*})? => {
                    let parts: Vec<String> = vec![
                        $word.to_string() $($(, <$t as Token>::write($f))*)? $($(, <$u as Token>::write($g))*)?
                    ];
                    parts.join(".")
                })*
            }
        }

        /// Reads the text of an operation.
        pub fn parse_op(text: &str) -> Option<Op> {
            let mut parts = text.split('.');
            let op = match parts.next()? {
                $($word => Op::$variant
                    $(($(<$t as Token>::read(parts.next()?)?),*))?
                    $({$($g: <$u as Token>::read(parts.next()?)?),*})?,)*
                _ => return None,
            };
            parts.next().is_none().then_some(op)
        }

        /// Some operation, chosen by random bits: every row and every field value is possible.
        pub fn sample_op(random: &mut dyn FnMut() -> u64) -> Op {
            let makers: &[fn(&mut dyn FnMut() -> u64) -> Op] = &[
                $(|_random| Op::$variant
                    $(($(<$t as Token>::sample(_random)),*))?
                    $({$($g: <$u as Token>::sample(_random)),*})?,)*
            ];
            makers[random() as usize % makers.len()](random)
        }

        /// The first word of every operation's text.
        pub const NAMES: &[&str] = &[$($word),*];
    };
}

operations! {
    "const" Const(bits: u128);
    "undef" Undef;
    "param" Param { offset: u32, bytes: u8, signed: Signed };
    "special" Special(register: SpecialRegister);
    "address" Address(variable: VariableId, offset: i64);
    "add" Add;
    "sub" Sub;
    "mul" Mul;
    "mulhigh" MulHigh { signed: Signed };
    "mulwide" MulWide { signed: Signed };
    "addcarry" AddCarry;
    "subborrow" SubBorrow;
    "div" Div { signed: Signed };
    "rem" Rem { signed: Signed };
    "min" Min { signed: Signed };
    "max" Max { signed: Signed };
    "neg" Neg;
    "abs" Abs;
    "and" And;
    "or" Or;
    "xor" Xor;
    "not" Not;
    "lop3" Lop3(table: u8);
    "shl" Shl;
    "shr" Shr { signed: Signed };
    "funnel" FunnelShift { left: Left, wrap: Wrap };
    "popcount" Popcount;
    "leadingzeros" LeadingZeros;
    "reverse" BitReverse;
    "findhighest" FindHighest { signed: Signed, shift_amount: ShiftAmount };
    "extractbits" BitExtract { signed: Signed };
    "insertbits" BitInsert;
    "permute" Permute;
    "dot4" Dot4 { a_signed: Signed, b_signed: Signed };
    "truncate" Truncate;
    "zext" ZeroExtend;
    "sext" SignExtend;
    "extract" Extract(low: u8);
    "concat" Concat;
    "compare" Compare(compare: Compare);
    "fcompare" FloatCompare { compare: FloatCompare, format: FloatFormat, ftz: Ftz };
    "select" Select;
    "fadd" FAdd(format: FloatFormat, mode: FloatMode);
    "fmul" FMul(format: FloatFormat, mode: FloatMode);
    "fma" Fma(format: FloatFormat, mode: FloatMode);
    "fdiv" FDiv(format: FloatFormat, mode: FloatMode);
    "fsqrt" FSqrt(format: FloatFormat, mode: FloatMode);
    "fneg" FNeg(format: FloatFormat);
    "fabs" FAbs(format: FloatFormat);
    "fmin" FMin { format: FloatFormat, ftz: Ftz, nan: Nan };
    "fmax" FMax { format: FloatFormat, ftz: Ftz, nan: Nan };
    "fround" FRound(format: FloatFormat, mode: FloatMode);
    "approx" Approximate { function: Approximation, ftz: Ftz };
    "f2f" FloatToFloat { from: FloatFormat, to: FloatFormat, mode: FloatMode };
    "tofp8" ToFp8 { from: FloatFormat, to: FloatFormat, relu: Relu };
    "fromfp8" FromFp8 { from: FloatFormat, relu: Relu };
    "f2i" FloatToInt { from: FloatFormat, signed: Signed, bits: u8, mode: FloatMode };
    "i2f" IntToFloat { signed: Signed, bits: u8, to: FloatFormat, mode: FloatMode };
    "packed" Packed { kind: PackedOp, format: FloatFormat, mode: FloatMode };
    "load" Load(access: MemoryAccess);
    "store" Store(access: MemoryAccess);
    "atomic" Atomic { op: AtomicOp, access: MemoryAccess };
    "fence" Fence(ordering: Ordering, scope: Scope);
    "togeneric" ToGeneric(space: Space);
    "fromgeneric" FromGeneric(space: Space);
    "isspace" IsSpace(space: Space);
    "shuffle" Shuffle(mode: ShuffleMode);
    "vote" Vote(mode: VoteMode);
    "match" Match { all: All };
    "redux" Redux(op: AtomicOp);
    "activemask" ActiveMask;
    "elect" Elect;
    "warpsync" WarpSync;
    "barrier" Barrier(mode: BarrierMode);
    "syscall" SystemCall(call: SystemCall);
    "nanosleep" Nanosleep;
    "mma" Mma(mma: Mma);
    "ldmatrix" MatrixLoad(matrices: Matrices);
    "stmatrix" MatrixStore(matrices: Matrices);
    "movmatrix" MatrixTranspose;
    "opaque" Opaque(op: Opaque);
}
