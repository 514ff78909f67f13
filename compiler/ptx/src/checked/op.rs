//! The operations.

use sassafras_semantics::Approximation;

macro_rules! operations {
    ($($name:ident $root:literal,)*) => {
        /// Operations: the root of the mnemonic. The rows say which types and modifiers each takes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Op { $($name,)* }
        impl Op {
            /// Every operation.
            pub const ALL: &[Op] = &[$(Op::$name),*];
            /// The mnemonic as far as it names the operation.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$name => $root),* }
            }
            /// The operation of this name.
            pub fn from_root(root: &str) -> Option<Op> {
                match root { $($root => Some(Op::$name),)* _ => None }
            }
        }
    };
}

#[rustfmt::skip]
operations! {
    Abs "abs", Activemask "activemask", Add "add", Addc "addc", And "and", Atom "atom", Bar "bar", Barrier "barrier",
    Bfe "bfe", Bfi "bfi", Bfind "bfind", Bmsk "bmsk", Bra "bra", Brev "brev", Brkpt "brkpt", BrxIdx "brx",
    Call "call", Clz "clz", Cnot "cnot", Copysign "copysign", Cos "cos", Cvt "cvt", Cvta "cvta", Discard "discard",
    Div "div", Dp2a "dp2a", Dp4a "dp4a", Elect "elect", Ex2 "ex2", Exit "exit", Fence "fence", Fma "fma", Fns "fns",
    Isspacep "isspacep", Ld "ld", Ldu "ldu", Lg2 "lg2", Lop3 "lop3", Mad "mad", Mad24 "mad24", Madc "madc",
    Match "match", Max "max", Membar "membar", Min "min", Mov "mov", Mul "mul", Mul24 "mul24", Nanosleep "nanosleep",
    Neg "neg", Not "not", Or "or", Pmevent "pmevent", Popc "popc", Prefetch "prefetch", Prefetchu "prefetchu",
    Prmt "prmt", Rcp "rcp", Red "red", Redux "redux", Rem "rem", Ret "ret", Rsqrt "rsqrt", Sad "sad", Selp "selp",
    Set "set", Setp "setp", Shf "shf", Shfl "shfl", Shl "shl", Shr "shr", Sin "sin", Slct "slct", Sqrt "sqrt",
    St "st", Sub "sub", Subc "subc", Szext "szext", Tanh "tanh", Testp "testp", Trap "trap", Vote "vote", Xor "xor",
    Applypriority "applypriority", CpAsync "cp", Istypep "istypep", Griddepcontrol "griddepcontrol",
    Getctarank "getctarank", Mapa "mapa", Mma "mma", Ldmatrix "ldmatrix", Stmatrix "stmatrix", Movmatrix "movmatrix",
    Mbarrier "mbarrier", Setmaxnreg "setmaxnreg", Createpolicy "createpolicy", ClusterBarrier "barrier.cluster",
    BulkCopy "cp.async.bulk", BulkReduce "cp.reduce.async.bulk", CopyArrive "cp.async.mbarrier", FenceProxy "fence.proxy", FenceInit "fence.mbarrier_init",
    StAsync "st.async", RedAsync "red.async",
    Wmma "wmma", Wgmma "wgmma",
    Tensor "cp.async.bulk.tensor", TensorPrefetch "cp.async.bulk.prefetch.tensor", TensorReduce "cp.reduce.async.bulk.tensor",
    MmaSparse "mma.sp",
    // The roots from `vadd` to `vset4`.
    Video "video",
    // What has only a syntax here: the forms of the table's unmodelled rows.
    Unmodelled "unmodelled",
    Tex "tex", Tld4 "tld4", Txq "txq", Suld "suld", Sust "sust", Sured "sured", Suq "suq",
}

impl Op {
    /// The operation of a row's head: that with the longest name that the head's words begin with.
    pub fn from_head(head: &str) -> Option<Op> {
        // What is spelled as a fence of memory, and is one between proxies, or of some objects alone.
        if head.starts_with("membar.proxy") || head.contains("sync_restrict::shared") {
            return Some(Op::FenceProxy);
        }
        let begins = |op: &&Op| {
            head.strip_prefix(op.name()).is_some_and(|r| r.is_empty() || r.starts_with(['.', '{', ':']))
        };
        Op::ALL.iter().filter(begins).max_by_key(|op| op.name().len()).copied()
    }

    /// Whether all its modifiers are kept as they are spelled, in [`crate::checked::Mods::words`].
    pub const fn is_spelled(self) -> bool {
        matches!(
            self,
            Op::Mbarrier
                | Op::Setmaxnreg
                | Op::Createpolicy
                | Op::ClusterBarrier
                | Op::BulkCopy
                | Op::BulkReduce
                | Op::CopyArrive
                | Op::FenceProxy
                | Op::FenceInit
                | Op::StAsync
                | Op::RedAsync
                | Op::Mapa
                | Op::Getctarank
                | Op::Wgmma
                | Op::Tensor
                | Op::TensorPrefetch
                | Op::TensorReduce
                | Op::MmaSparse
                | Op::Video
                | Op::Unmodelled
                | Op::Tex
                | Op::Tld4
                | Op::Txq
                | Op::Suld
                | Op::Sust
                | Op::Sured
                | Op::Suq
                | Op::Istypep
        )
    }

    /// The function that its form with `.approx` approximates, of one operand (PTX ISA, "Floating-Point Instructions").
    pub const fn approximation(self) -> Option<Approximation> {
        Some(match self {
            Op::Rcp => Approximation::Rcp,
            Op::Rsqrt => Approximation::Rsqrt,
            Op::Sqrt => Approximation::Sqrt,
            Op::Sin => Approximation::Sin,
            Op::Cos => Approximation::Cos,
            Op::Lg2 => Approximation::Lg2,
            Op::Ex2 => Approximation::Ex2,
            Op::Tanh => Approximation::Tanh,
            _ => return None,
        })
    }
}
