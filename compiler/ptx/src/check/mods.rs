//! What modifiers mean.

use crate::checked::{BoolOp, Comparison, Mods, Op, Part, Type};
use sassafras_semantics::{AtomicOp, FloatFormat, Ordering, Rounding, Scope, Space};
use smallvec::SmallVec;

/// The modifiers of a form, from its words in the row's order; and the space of a variable named in brackets, which holds if no
/// word says another.
pub(super) fn mods(op: Op, words: &[&'static str], types: &[Type], named: Option<Space>) -> Mods {
    let mut mods = Mods { space: named, ..Mods::default() };
    for word in words {
        if !by_operation(op, word, &mut mods) && !general(word, &mut mods) {
            mods.hints.push(word);
        }
    }
    if op.is_spelled() {
        // A fence that names no proxy has no word less.
        let named = op != Op::FenceProxy || words.first() == Some(&"proxy");
        let name = if named { op.name().split('.').count() - 1 } else { 0 };
        mods.words = SmallVec::from_slice(&words[name.min(words.len())..]);
    }
    match op {
        Op::Atom | Op::Red | Op::Redux | Op::RedAsync => {
            let name = words.iter().rev().find(|w| ATOMICS.contains(w)).copied().unwrap_or("");
            mods.atomic = atomic(name, types[0], mods.space);
        }
        Op::Membar => mods.ordering = Some(Ordering::SequentiallyConsistent),
        Op::Fence if mods.ordering.is_none() => mods.ordering = Some(Ordering::AcquireRelease),
        _ => {}
    }
    mods
}

const ATOMICS: [&str; 10] = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];

fn atomic(name: &str, ty: Type, space: Option<Space>) -> Option<AtomicOp> {
    Some(match (name, ty) {
        ("add", Type::F(FloatFormat::F32)) => AtomicOp::AddF32 { ftz: space != Some(Space::Shared) },
        ("add", Type::F(FloatFormat::F64)) => AtomicOp::AddF64,
        ("add", Type::F(FloatFormat::F16)) => AtomicOp::AddF16,
        ("add", Type::F(FloatFormat::Bf16)) => AtomicOp::AddBf16,
        ("add", Type::F16x2) => AtomicOp::AddF16x2,
        ("add", Type::Bf16x2) => AtomicOp::AddBf16x2,
        ("add", _) => AtomicOp::Add,
        ("min", Type::S(_)) => AtomicOp::SMin,
        ("min", _) => AtomicOp::UMin,
        ("max", Type::S(_)) => AtomicOp::SMax,
        ("max", _) => AtomicOp::UMax,
        ("and", _) => AtomicOp::And,
        ("or", _) => AtomicOp::Or,
        ("xor", _) => AtomicOp::Xor,
        ("exch", _) => AtomicOp::Exch,
        ("cas", _) => AtomicOp::Cas,
        ("inc", _) => AtomicOp::Inc,
        ("dec", _) => AtomicOp::Dec,
        _ => return None,
    })
}

/// Words whose meaning depends on the operation. Whether the word was one.
fn by_operation(op: Op, word: &'static str, mods: &mut Mods) -> bool {
    match (op, word) {
        (Op::Atom | Op::Red | Op::Redux | Op::RedAsync, w) if ATOMICS.contains(&w) => {}
        (Op::Set | Op::Setp, w) if comparison(w).is_some() => mods.compare = comparison(w),
        (Op::Bar | Op::Barrier, "sync") => {
            mods.mode = mods.mode.or(Some("sync"));
            mods.sync = true;
        }
        (Op::Bar | Op::Barrier, "arrive" | "red" | "warp") => mods.mode = Some(word),
        (Op::Bar | Op::Barrier, "cta") => {}
        (Op::Set | Op::Setp | Op::Lop3 | Op::Bar | Op::Barrier, _) => return boolean(word, mods),
        (Op::Shf, "l") => mods.left = Some(true),
        (Op::Shf, "r") => mods.left = Some(false),
        (Op::Membar, "gl") => mods.scope = Some(Scope::Gpu),
        (Op::Fence, "sc") => mods.ordering = Some(Ordering::SequentiallyConsistent),
        (Op::Ld, "nc") => mods.ordering = Some(Ordering::NonCoherent),
        // `.mmio.relaxed`: the first of the two has said it all.
        (Op::Ld | Op::St, "relaxed") if mods.ordering == Some(Ordering::Mmio) => {}
        (
            Op::Shfl
            | Op::Vote
            | Op::Match
            | Op::Testp
            | Op::Prmt
            | Op::Griddepcontrol
            | Op::Pmevent
            | Op::Cvt,
            "up" | "down" | "bfly" | "idx" | "all" | "any" | "uni" | "ballot" | "finite" | "infinite"
            | "number" | "notanumber" | "normal" | "subnormal" | "f4e" | "b4e" | "rc8" | "ecl" | "ecr"
            | "rc16" | "launch_dependents" | "wait" | "mask" | "pack",
        ) => mods.mode = Some(word),
        (Op::CpAsync, "commit_group" | "wait_group" | "wait_all") => mods.mode = Some(word),
        // The shape, or how many matrices; rows and columns are as the operands lie.
        (Op::Mma, w) if w.starts_with('m') => mods.mode = Some(word),
        (Op::Ldmatrix | Op::Stmatrix, "x1") => mods.vector = 1,
        (Op::Ldmatrix | Op::Stmatrix, "x2") => mods.vector = 2,
        (Op::Ldmatrix | Op::Stmatrix, "x4") => mods.vector = 4,
        (Op::Ldmatrix | Op::Stmatrix | Op::Movmatrix, "trans") => mods.mode = Some(word),
        (Op::Mma, "and") => mods.bool_op = Some(BoolOp::And),
        (Op::Mma, "row" | "col" | "popc") | (Op::Ldmatrix | Op::Stmatrix | Op::Movmatrix, "m8n8") => {}
        (Op::BrxIdx, "idx") => {}
        _ => return false,
    }
    true
}

fn boolean(word: &str, mods: &mut Mods) -> bool {
    mods.bool_op = Some(match word {
        "and" => BoolOp::And,
        "or" => BoolOp::Or,
        "xor" => BoolOp::Xor,
        "popc" => BoolOp::Popc,
        _ => return false,
    });
    true
}

fn comparison(word: &str) -> Option<Comparison> {
    Some(match word {
        "eq" => Comparison::Eq,
        "ne" => Comparison::Ne,
        "lt" => Comparison::Lt,
        "le" => Comparison::Le,
        "gt" => Comparison::Gt,
        "ge" => Comparison::Ge,
        "lo" => Comparison::Lo,
        "ls" => Comparison::Ls,
        "hi" => Comparison::Hi,
        "hs" => Comparison::Hs,
        "equ" => Comparison::Equ,
        "neu" => Comparison::Neu,
        "ltu" => Comparison::Ltu,
        "leu" => Comparison::Leu,
        "gtu" => Comparison::Gtu,
        "geu" => Comparison::Geu,
        "num" => Comparison::Num,
        "nan" => Comparison::Nan,
        _ => return None,
    })
}

/// Words that mean the same everywhere. Whether the word was one.
fn general(word: &'static str, mods: &mut Mods) -> bool {
    if let Some(space) = space(word) {
        mods.space = Some(space);
        if matches!(word, "shared::cluster" | "param::entry" | "param::func") {
            mods.hints.push(word);
        }
        return true;
    }
    let rounding = |r, mods: &mut Mods, integer| {
        mods.rounding = Some(r);
        mods.integer_rounding = integer;
    };
    match word {
        "rn" => rounding(Rounding::NearestEven, mods, false),
        "rz" => rounding(Rounding::Zero, mods, false),
        "rm" => rounding(Rounding::Down, mods, false),
        "rp" => rounding(Rounding::Up, mods, false),
        "rna" => rounding(Rounding::NearestAway, mods, false),
        "rni" => rounding(Rounding::NearestEven, mods, true),
        "rzi" => rounding(Rounding::Zero, mods, true),
        "rmi" => rounding(Rounding::Down, mods, true),
        "rpi" => rounding(Rounding::Up, mods, true),
        "ftz" => mods.ftz = true,
        "sat" => mods.sat = true,
        "satfinite" => mods.satfinite = true,
        "relu" => mods.relu = true,
        "approx" => mods.approx = true,
        "full" => mods.full = true,
        "NaN" => mods.nan = true,
        // The two come together.
        "xorsign" | "abs" => mods.xorsign_abs = true,
        "oob" => mods.oob = true,
        "lo" => mods.part = Some(Part::Lo),
        "hi" => mods.part = Some(Part::Hi),
        "wide" => mods.part = Some(Part::Wide),
        "cc" => mods.carry_out = true,
        "to" => mods.to = true,
        "weak" => mods.ordering = Some(Ordering::Weak),
        "volatile" => mods.ordering = Some(Ordering::Volatile),
        "relaxed" => mods.ordering = Some(Ordering::Relaxed),
        "acquire" => mods.ordering = Some(Ordering::Acquire),
        "release" => mods.ordering = Some(Ordering::Release),
        "acq_rel" => mods.ordering = Some(Ordering::AcquireRelease),
        "mmio" => mods.ordering = Some(Ordering::Mmio),
        "cta" => mods.scope = Some(Scope::Cta),
        "cluster" => mods.scope = Some(Scope::Cluster),
        "gpu" => mods.scope = Some(Scope::Gpu),
        "sys" => mods.scope = Some(Scope::Sys),
        "v2" => mods.vector = 2,
        "v4" => mods.vector = 4,
        "v8" => mods.vector = 8,
        "clamp" => mods.wrap = Some(false),
        "wrap" => mods.wrap = Some(true),
        "shiftamt" => mods.shiftamt = true,
        "sync" => mods.sync = true,
        "aligned" => mods.aligned = true,
        "uni" => mods.uniform = true,
        "noftz" => mods.noftz = true,
        _ => return false,
    }
    true
}

/// A state space by its word.
pub(super) fn space(word: &str) -> Option<Space> {
    Some(match word {
        "const" => Space::Const,
        "global" => Space::Global,
        "local" => Space::Local,
        "shared" | "shared::cta" | "shared::cluster" => Space::Shared,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return None,
    })
}
