//! What each operation of the IR is, beyond what it computes: a row per operation.
//!
//! A row has the word of the text form, the head by which rules name the operation, the variant with the kind of each field, the widths
//! of arguments and results, and traits. A trait may hang on the fields: `commutes if …`. What an operation computes is
//! [`mod@crate::evaluate`].
//!
//! Widths in bits: a number; `w` any width; `n` any width above 1; `m` 32 or 64; `f` that of the field `format`; `d` twice `n`. Each letter
//! stands for one width within a row. A row without widths has some that follow from its fields or from one another by a rule of its own:
//! the judge (`verify/check/src/ir/widths.rs`) has these rules.
//!
//! Traits:
//! - `commutes`: the first two arguments may be exchanged; all results stay the same, bit for bit. A test of `evaluate` holds it.
//! - `convergent`: lanes act together; never moved under or out of a condition that may diverge, never duplicated or merged.
//! - `whole_warp`: convergent without a member mask; all lanes of the warp execute it together, so it has an effect.
//! - `effect`: it does something besides giving its results, so it stays even if they are unused.
//! - `varies`: executed twice, with equal arguments, it may give other results.

use crate::function::VariableId;
use crate::op::{Compare, FloatCompare, MemoryAccess, Op, PackedOp};
use crate::text::token::*;
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::{
    Approximation, AtomicOp, FloatFormat, FloatMode, Matrices, Mma, Opaque, Ordering, Routine, RoutinePart,
    Scope, Space, SpecialRegister, SystemCall,
};

/// The width of an argument or result in a row. Each but a number and [`Width::Double`] stands for one width within the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// So many bits.
    Bits(u32),
    /// Any.
    Any,
    /// Any but that of a predicate.
    Number,
    /// 32 or 64 bits.
    Word,
    /// That of the operation's float format.
    Format,
    /// Twice what [`Width::Number`] stands for.
    Double,
}

macro_rules! width {
    (w) => {
        Width::Any
    };
    (n) => {
        Width::Number
    };
    (m) => {
        Width::Word
    };
    (f) => {
        Width::Format
    };
    (d) => {
        Width::Double
    };
    ($bits:literal) => {
        Width::Bits($bits)
    };
}

/// Widths of arguments and results, in order.
pub type Signature = (&'static [Width], &'static [Width]);

/// The traits of an operation; see the head of this file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// The first two arguments may be exchanged.
    pub commutes: bool,
    /// Lanes act together.
    pub convergent: bool,
    /// All lanes of the warp act together.
    pub whole_warp: bool,
    /// It does something besides giving its results.
    pub effect: bool,
    /// Executed twice it may give other results.
    pub varies: bool,
}

/// The value of the field `format`; nothing of another field.
macro_rules! format_of {
    (format, $value:ident) => {
        Some($value)
    };
    ($other:ident, $value:ident) => {
        None
    };
}

/// Pushes an operation with each combination of its fields' values.
macro_rules! nest {
    ($all:ident; $op:expr;) => { $all.push($op) };
    ($all:ident; $op:expr; $f:ident: $t:ty, $($rest:tt)*) => {
        for $f in <$t as Token>::all() {
            nest!($all; $op; $($rest)*);
        }
    };
}

/// From rows `"text" "head" Variant`, `… Variant(field: Kind, …)`, `… Variant { field: Kind, … }`, then widths and traits.
macro_rules! operations {
    ($($word:literal $head:literal $variant:ident $(($($f:ident: $t:ty),*))? $({$($g:ident: $u:ty),*})?
        $(: [$($arg:tt)*] [$($result:tt)*])? $(, $trait:ident $(if $when:expr)?)*;)*) => {
        /// The text of an operation.
        pub fn print_op(op: &Op) -> String {
            let mut out = String::new();
            write_op(&mut out, op);
            out
        }

        /// Puts the text of an operation behind another.
        pub(crate) fn write_op(out: &mut String, op: &Op) {
            match *op {
                $(Op::$variant $(($($f),*))? $({$($g),*})? => {
                    out.push_str($word);
                    $($(
                        out.push('.');
                        out.push_str(&<$t as Token>::write($f));
                    )*)?
                    $($(
                        out.push('.');
                        out.push_str(&<$u as Token>::write($g));
                    )*)?
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

        /// Every head by which rules name an operation; each opaque operation has its own head instead of `opaque`.
        pub const HEADS: &[&str] = &[$($head),*];

        impl Op {
            /// The head by which rules name it.
            pub fn head(&self) -> &'static str {
                if let Op::Opaque(op) = self {
                    return op.head();
                }
                match self {
                    $(Op::$variant { .. } => $head,)*
                }
            }

            /// Widths of arguments and results; none if they follow from a rule of its own.
            pub fn signature(&self) -> Option<Signature> {
                match self {
                    $(Op::$variant { .. } => None::<Signature>
                        $(.or(Some((&[$(width!($arg)),*], &[$(width!($result)),*]))))?,)*
                }
            }

            /// The float format that gives it its widths.
            #[allow(unused_variables)]
            pub fn format(&self) -> Option<FloatFormat> {
                match *self {
                    $(Op::$variant $(($($f),*))? $({$($g),*})? => None::<FloatFormat>
                        $($(.or(format_of!($f, $f)))*)? $($(.or(format_of!($g, $g)))*)?,)*
                }
            }

            /// The truth value in the field of this name.
            #[allow(unused_variables)]
            pub fn flag(&self, name: &str) -> Option<bool> {
                match *self {
                    $(Op::$variant $(($($f),*))? $({$($g),*})? => {
                        $($(if name == stringify!($f) { return <$t as Token>::flag($f); })*)?
                        $($(if name == stringify!($g) { return <$u as Token>::flag($g); })*)?
                        None
                    })*
                }
            }

            /// What its row says of it.
            #[allow(unused_variables)]
            pub fn traits(&self) -> Traits {
                match *self {
                    $(Op::$variant $(($($f),*))? $({$($g),*})? => Traits {
                        $($trait: true $(&& $when)?,)*
                        ..Traits::default()
                    },)*
                }
            }

            /// Every operation whose row states widths, with all values of its fields; none of those with a field that is a number of
            /// more than 8 bits.
            pub fn all_with_signature() -> Vec<Op> {
                let mut all = Vec::new();
                $(nest!(all; Op::$variant $(($($f),*))? $({$($g),*})?; $($($f: $t,)*)? $($($g: $u,)*)?);)*
                all.retain(|op| op.signature().is_some());
                all
            }
        }
    };
}

operations! {
    "const" "const" Const(bits: u128): [] [w];
    "undef" "undef" Undef: [] [w], varies;
    "param" "param" Param { offset: u32, bytes: u8, signed: Signed };
    "special" "special" Special(register: SpecialRegister), varies if register.is_volatile();
    "address" "address" Address(variable: VariableId, offset: i64);
    "add" "add" Add: [n n] [n], commutes;
    "sub" "sub" Sub: [n n] [n];
    "mul" "mul" Mul: [n n] [n], commutes;
    "mulhigh" "mulhi" MulHigh { signed: Signed }: [n n] [n], commutes;
    "mulwide" "mulwide" MulWide { signed: Signed }: [n n] [d], commutes;
    "addcarry" "addc" AddCarry: [n n 1] [n 1], commutes;
    "subborrow" "subb" SubBorrow: [n n 1] [n 1];
    "div" "div" Div { signed: Signed }: [n n] [n];
    "rem" "rem" Rem { signed: Signed }: [n n] [n];
    "min" "min" Min { signed: Signed }: [n n] [n], commutes;
    "max" "max" Max { signed: Signed }: [n n] [n], commutes;
    "neg" "neg" Neg: [n] [n];
    "abs" "abs" Abs: [n] [n];
    "and" "and" And: [w w] [w], commutes;
    "or" "or" Or: [w w] [w], commutes;
    "xor" "xor" Xor: [w w] [w], commutes;
    "not" "not" Not: [w] [w];
    "lop3" "lop3" Lop3(table: u8): [32 32 32] [32];
    "shl" "shl" Shl: [n 32] [n];
    "shr" "shr" Shr { signed: Signed }: [n 32] [n];
    "funnel" "shf" FunnelShift { left: Left, wrap: Wrap }: [32 32 32] [32];
    "popcount" "popc" Popcount: [m] [32];
    "leadingzeros" "clz" LeadingZeros: [m] [32];
    "reverse" "brev" BitReverse: [n] [n];
    "findhighest" "bfind" FindHighest { signed: Signed, shift_amount: ShiftAmount }: [m] [32];
    "extractbits" "bfe" BitExtract { signed: Signed }: [n 32 32] [n];
    "insertbits" "bfi" BitInsert: [n n 32 32] [n];
    "permute" "prmt" Permute: [32 32 32] [32];
    "dot4" "dp4a" Dot4 { a_signed: Signed, b_signed: Signed }: [32 32 32] [32];
    "truncate" "trunc" Truncate;
    "zext" "zext" ZeroExtend;
    "sext" "sext" SignExtend;
    "extract" "extract" Extract(low: u8);
    "concat" "concat" Concat;
    "compare" "cmp" Compare(compare: Compare): [w w] [1],
        commutes if matches!(compare, Compare::Eq | Compare::Ne);
    "fcompare" "fcmp" FloatCompare { compare: FloatCompare, format: FloatFormat, ftz: Ftz }: [f f] [1];
    "select" "select" Select: [1 w w] [w];
    "fadd" "fadd" FAdd(format: FloatFormat, mode: FloatMode): [f f] [f], commutes;
    "fmul" "fmul" FMul(format: FloatFormat, mode: FloatMode): [f f] [f], commutes;
    "fma" "fma" Fma(format: FloatFormat, mode: FloatMode): [f f f] [f], commutes;
    "fdiv" "fdiv" FDiv(format: FloatFormat, mode: FloatMode): [f f] [f];
    "fsqrt" "fsqrt" FSqrt(format: FloatFormat, mode: FloatMode): [f] [f];
    "fneg" "fneg" FNeg(format: FloatFormat): [f] [f];
    "fabs" "fabs" FAbs(format: FloatFormat): [f] [f];
    "fmin" "fmin" FMin { format: FloatFormat, ftz: Ftz, nan: Nan }: [f f] [f], commutes;
    "fmax" "fmax" FMax { format: FloatFormat, ftz: Ftz, nan: Nan }: [f f] [f], commutes;
    "fround" "fround" FRound(format: FloatFormat, mode: FloatMode): [f] [f];
    "fdivcheck" "fchk" FDivCheck: [32 32] [1], varies;
    "approx" "approx" Approximate { function: Approximation, ftz: Ftz }: [32] [32];
    "f2f" "f2f" FloatToFloat { from: FloatFormat, to: FloatFormat, mode: FloatMode };
    "tofp8" "tofp8" ToFp8 { from: FloatFormat, to: FloatFormat, relu: Relu };
    "fromfp8" "fromfp8" FromFp8 { from: FloatFormat, relu: Relu };
    "f2i" "f2i" FloatToInt { from: FloatFormat, signed: Signed, bits: u8, mode: FloatMode };
    "i2f" "i2f" IntToFloat { signed: Signed, bits: u8, to: FloatFormat, mode: FloatMode };
    "packed" "packed" Packed { kind: PackedOp, format: FloatFormat, mode: FloatMode };
    "load" "load" Load(access: MemoryAccess),
        effect if !matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent),
        varies;
    "store" "store" Store(access: MemoryAccess), effect;
    "atomic" "atomic" Atomic { op: AtomicOp, access: MemoryAccess }, effect;
    "fence" "fence" Fence(ordering: Ordering, scope: Scope): [] [], effect;
    "togeneric" "cvta" ToGeneric(space: Space): [64] [64];
    "fromgeneric" "cvtato" FromGeneric(space: Space): [64] [64];
    "isspace" "isspace" IsSpace(space: Space): [64] [1];
    "shuffle" "shuffle" Shuffle(mode: ShuffleMode): [32 32 32 32] [32 1], convergent, effect;
    "vote" "vote" Vote(mode: VoteMode): [1 32] [32 1], convergent, effect;
    "match" "match" Match { all: All }: [m 32] [32 1], convergent, effect;
    "redux" "redux" Redux(op: AtomicOp): [32 32] [32], convergent, effect;
    "activemask" "activemask" ActiveMask: [] [32], convergent, effect;
    "elect" "elect" Elect: [32] [32 1], convergent, effect;
    "warpsync" "warpsync" WarpSync: [32] [], convergent, effect;
    "barrier" "barrier" Barrier { mode: BarrierMode, aligned: Aligned }, convergent, effect;
    "syscall" "syscall" SystemCall(call: SystemCall), effect;
    "routine" "routine" Routine(part: RoutinePart, routine: Routine), effect if part != RoutinePart::Call;
    "nanosleep" "nanosleep" Nanosleep: [32] [], effect;
    "mma" "mma" Mma(mma: Mma), whole_warp;
    "ldmatrix" "ldmatrix" MatrixLoad(matrices: Matrices), whole_warp;
    "stmatrix" "stmatrix" MatrixStore(matrices: Matrices), whole_warp;
    "movmatrix" "movmatrix" MatrixTranspose: [32] [32], whole_warp;
    "opaque" "opaque" Opaque(op: Opaque),
        effect if !op.family().pure,
        whole_warp if op.family().of_whole_warp;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Type, evaluate};
    use sassafras_semantics::concrete::Bits;
    use sassafras_semantics::{Concrete, Domain};

    /// What each pure operation computes is as wide as its row states, from arguments as wide as it states.
    #[test]
    fn results_are_as_wide_as_rows_state() {
        let d = Concrete::default();
        let mut seen = std::collections::BTreeSet::new();
        for op in Op::all_with_signature().into_iter().filter(|op| op.format().is_none_or(|f| !f.is_fp8())) {
            let (args, results) = op.signature().unwrap_or_default();
            for width in [32, 64] {
                let bits = |stated: &Width| match stated {
                    Width::Bits(bits) => *bits,
                    Width::Any | Width::Number | Width::Word => width,
                    Width::Double => 2 * width,
                    Width::Format => op.format().map_or(0, FloatFormat::width),
                };
                let given: Vec<Bits> = args.iter().map(|w| Bits::new(bits(w), 1)).collect();
                let types: Vec<Type> = results.iter().map(|w| Type(bits(w) as u8)).collect();
                let Some(made) = evaluate(&d, &op, &given, &types) else { continue };
                let widths = |all: &[Bits]| all.iter().map(|b| d.width(b)).collect::<Vec<u32>>();
                let stated: Vec<u32> = results.iter().map(bits).collect();
                assert_eq!(widths(&made), stated, "{op:?}");
                seen.insert(op.head());
            }
        }
        assert!(seen.len() > 40, "{seen:?}");
    }

    #[test]
    fn heads_and_words_name_one_operation_each() {
        for all in [NAMES, HEADS] {
            let one: std::collections::BTreeSet<&&str> = all.iter().collect();
            assert_eq!(one.len(), all.len());
        }
    }
}
