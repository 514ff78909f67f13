//! Faults in the IR that lowering leaves: each is well-formed, and means something else than the PTX.

use sassafras_ir::{Block, Compare, Function, Inst, InstData, Module, Op, Terminator, ValueDef};
use sassafras_semantics::state::{ShuffleMode, VoteMode};
use sassafras_semantics::{AtomicOp, FloatMode, Opaque, Ordering, Rounding, Scope, SpecialRegister};

use super::fault::{Fault, Make};
use crate::phase::Stage;

/// A fault in an instruction: whether it found what it changes.
type Change = fn(&mut InstData) -> bool;

macro_rules! faults {
    ($($name:literal $make:ident;)*) => {
        /// The faults.
        pub(super) const FAULTS: &[Fault] = &[
            $(Fault { name: $name, stage: Stage::Lower, make: Make::Ir($make) },)*
        ];
    };
}

faults! {
    "float-as-integer" float_as_integer;
    "swapped-signedness" swapped_signedness;
    "wrong-rounding" wrong_rounding;
    "lost-saturation" lost_saturation;
    "lost-flush" lost_flush;
    "wrong-bytes" wrong_bytes;
    "lost-clamp" lost_clamp;
    "lost-negation" lost_negation;
    "swapped-elements" swapped_elements;
    "lost-sign" lost_sign;
    "wrong-atomic" wrong_atomic;
    "wrong-shuffle" wrong_shuffle;
    "wrong-vote" wrong_vote;
    "shifted-access" shifted_access;
    "weakened-access" weakened_access;
    "lost-meeting" lost_meeting;
    "wrong-special" wrong_special;
    "wrong-wait" wrong_wait;
}

/// Instructions that stand in blocks, in order.
fn placed(f: &Function) -> Vec<(Block, Inst)> {
    f.blocks.iter().flat_map(|(b, data)| data.insts.iter().map(move |&i| (b, i))).collect()
}

/// Changes one of the instructions that `change` can change, chosen by seed.
fn one(module: &mut Module, seed: u64, change: Change) -> bool {
    let mut places = Vec::new();
    for (n, f) in module.functions.iter().enumerate() {
        let able = |i: &Inst| change(&mut f.insts[*i].clone());
        places.extend(placed(f).into_iter().map(|(_, i)| i).filter(able).map(|i| (n, i)));
    }
    let chosen = places.get((seed % places.len().max(1) as u64) as usize);
    chosen.is_some_and(|&(n, i)| change(&mut module.functions[n].insts[i]))
}

/// The mode of floats of an operation.
fn mode(op: &mut Op) -> Option<&mut FloatMode> {
    match op {
        Op::FAdd(_, mode) | Op::FMul(_, mode) | Op::Fma(_, mode) | Op::FDiv(_, mode) | Op::FSqrt(_, mode) => {
            Some(mode)
        }
        Op::FloatToFloat { mode, .. }
        | Op::FloatToInt { mode, .. }
        | Op::IntToFloat { mode, .. }
        | Op::Packed { mode, .. } => Some(mode),
        _ => None,
    }
}

/// A sum of floats is one of integers.
fn float_as_integer(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| {
        let sum =
            matches!(data.op, Op::FAdd(..)) || matches!(data.op, Op::Packed { .. }) && data.args.len() == 2;
        data.op = if sum { Op::Add } else { data.op };
        sum
    })
}

/// A comparison of signed numbers is one of unsigned ones, or the other way round.
fn swapped_signedness(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| {
        use Compare as C;
        let Op::Compare(compare) = &mut data.op else { return false };
        *compare = match *compare {
            C::Eq | C::Ne => return false,
            C::ULt => C::SLt,
            C::ULe => C::SLe,
            C::UGt => C::SGt,
            C::UGe => C::SGe,
            C::SLt => C::ULt,
            C::SLe => C::ULe,
            C::SGt => C::UGt,
            C::SGe => C::UGe,
        };
        true
    })
}

/// What is rounded to nearest is rounded towards zero, and all else to nearest.
fn wrong_rounding(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| {
        mode(&mut data.op).is_some_and(|mode| {
            let nearest = mode.rounding == Rounding::NearestEven;
            mode.rounding = if nearest { Rounding::Zero } else { Rounding::NearestEven };
            true
        })
    })
}

/// A result is not clamped to 0 to 1.
fn lost_saturation(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| mode(&mut data.op).is_some_and(|mode| std::mem::take(&mut mode.sat)))
}

/// Subnormal numbers are kept.
fn lost_flush(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| mode(&mut data.op).is_some_and(|mode| std::mem::take(&mut mode.ftz)))
}

/// A permutation of bytes takes them from the other word.
fn wrong_bytes(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| {
        let fits = matches!(data.op, Op::Permute) && data.args[0] != data.args[1];
        if fits {
            data.args.swap(0, 1);
        }
        fits
    })
}

/// A shift of two words that is clamped wraps, or the other way round; a shift to the right takes in signs, or no longer does.
fn lost_clamp(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| match &mut data.op {
        Op::FunnelShift { wrap: flag, .. } | Op::Shr { signed: flag } => {
            *flag = !*flag;
            true
        }
        _ => false,
    })
}

/// A guard, or a branch, has the opposite condition.
fn lost_negation(module: &mut Module, seed: u64) -> bool {
    let guarded = |data: &mut InstData| {
        data.guard.as_mut().is_some_and(|guard| {
            guard.negate = !guard.negate;
            true
        })
    };
    if seed.is_multiple_of(2) && one(module, seed / 2, guarded) {
        return true;
    }
    let mut all: Vec<&mut Terminator> = module
        .functions
        .iter_mut()
        .flat_map(|f| f.blocks.values_mut())
        .map(|b| &mut b.terminator)
        .filter(|t| matches!(t, Terminator::Branch { then, otherwise, .. } if then != otherwise))
        .collect();
    let count = all.len().max(1) as u64;
    match all.get_mut((seed / 2 % count) as usize) {
        Some(Terminator::Branch { then, otherwise, .. }) => {
            std::mem::swap(then, otherwise);
            true
        }
        _ => one(module, seed, guarded),
    }
}

/// The first two elements of a vector change places.
fn swapped_elements(module: &mut Module, seed: u64) -> bool {
    let fits = |data: &InstData| match data.op {
        Op::Load(access) => access.lanes > 1 && data.results.len() > 1 && data.guard.is_none(),
        Op::Store(access) => access.lanes > 1 && data.args[1] != data.args[2],
        _ => false,
    };
    let places: Vec<(usize, Inst)> = module
        .functions
        .iter()
        .enumerate()
        .flat_map(|(n, f)| {
            placed(f).into_iter().filter(|(_, i)| fits(&f.insts[*i])).map(move |(_, i)| (n, i))
        })
        .collect();
    let Some(&(n, inst)) = places.get((seed % places.len().max(1) as u64) as usize) else { return false };
    let f = &mut module.functions[n];
    let data = &mut f.insts[inst];
    if matches!(data.op, Op::Store(_)) {
        data.args.swap(1, 2);
        return true;
    }
    data.results.swap(0, 1);
    for (number, value) in (0u16..).zip(data.results.clone()).take(2) {
        f.values[value].def = ValueDef::Result(inst, number);
    }
    true
}

/// A load, or a conversion, extends by the other sign. A product of indices is mostly the same either way, so that one is changed where there is
/// nothing else.
fn lost_sign(module: &mut Module, seed: u64) -> bool {
    let changed = one(module, seed, |data| match &mut data.op {
        Op::Load(access) if access.bytes < 4 => {
            access.signed = !access.signed;
            true
        }
        op @ Op::SignExtend => {
            *op = Op::ZeroExtend;
            true
        }
        Op::MulHigh { signed } | Op::Div { signed } | Op::Min { signed } | Op::Max { signed } => {
            *signed = !*signed;
            true
        }
        _ => false,
    });
    changed
        || one(module, seed, |data| match &mut data.op {
            Op::MulWide { signed } => {
                *signed = !*signed;
                true
            }
            _ => false,
        })
}

/// An atomic operation is another.
fn wrong_atomic(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| {
        use AtomicOp as A;
        let Op::Atomic { op, .. } = &mut data.op else { return false };
        *op = match *op {
            A::Add => A::Or,
            A::SMin => A::UMin,
            A::SMax => A::UMax,
            A::UMin => A::SMin,
            A::UMax => A::SMax,
            A::And => A::Xor,
            A::Or => A::Xor,
            A::Xor => A::And,
            A::Exch => A::Xor,
            A::Inc => A::Dec,
            A::Dec => A::Inc,
            _ => return false,
        };
        true
    })
}

/// A shuffle goes the other way.
fn wrong_shuffle(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| {
        let Op::Shuffle(mode) = &mut data.op else { return false };
        *mode = match *mode {
            ShuffleMode::Idx => ShuffleMode::Bfly,
            ShuffleMode::Bfly => ShuffleMode::Idx,
            ShuffleMode::Up => ShuffleMode::Down,
            ShuffleMode::Down => ShuffleMode::Up,
        };
        true
    })
}

/// A vote of all asks for any, or the other way round.
fn wrong_vote(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| {
        let Op::Vote(mode) = &mut data.op else { return false };
        *mode = match *mode {
            VoteMode::All => VoteMode::Any,
            VoteMode::Any | VoteMode::Uniform => VoteMode::All,
            VoteMode::Ballot => return false,
        };
        true
    })
}

/// An access begins one element further on.
fn shifted_access(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| match &mut data.op {
        Op::Load(access) | Op::Store(access) | Op::Atomic { access, .. } => {
            access.offset += i32::from(access.bytes) * i32::from(access.lanes);
            true
        }
        _ => false,
    })
}

/// An access that is ordered is weak, or a fence is for fewer.
fn weakened_access(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| match &mut data.op {
        Op::Load(access) | Op::Store(access) => {
            let ordered = !matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent);
            access.ordering = if ordered { Ordering::Weak } else { access.ordering };
            ordered
        }
        Op::Fence(_, scope) => std::mem::replace(scope, Scope::Cta) != Scope::Cta,
        _ => false,
    })
}

/// Lanes do not wait for each other at a barrier.
fn lost_meeting(module: &mut Module, seed: u64) -> bool {
    let waits =
        |data: &InstData| matches!(data.op, Op::Barrier { .. } | Op::WarpSync) && data.results.is_empty();
    let places: Vec<(usize, Block, Inst)> = module
        .functions
        .iter()
        .enumerate()
        .flat_map(|(n, f)| {
            placed(f).into_iter().filter(|(_, i)| waits(&f.insts[*i])).map(move |(b, i)| (n, b, i))
        })
        .collect();
    let chosen = places.get((seed % places.len().max(1) as u64) as usize);
    chosen.is_some_and(|&(n, block, inst)| {
        module.functions[n].blocks[block].insts.retain(|&i| i != inst);
        true
    })
}

/// The number of the thread is that of the block, or its lane.
fn wrong_special(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| {
        use SpecialRegister as R;
        let Op::Special(register) = &mut data.op else { return false };
        *register = match *register {
            R::Tid(axis) => R::Ctaid(axis),
            R::Ctaid(axis) => R::Tid(axis),
            R::Ntid(axis) => R::Nctaid(axis),
            R::LaneMaskLt => R::LaneMaskLe,
            R::LaneId => R::LaneMaskEq,
            _ => return false,
        };
        true
    })
}

/// A wait for bulk copies is for their sources alone, or the other way round; one for another grid or the cluster announces instead.
fn wrong_wait(module: &mut Module, seed: u64) -> bool {
    one(module, seed, |data| {
        let Op::Opaque(op) = &mut data.op else { return false };
        let other = match op.name() {
            "bulk.wait" => "bulk.wait.read",
            "bulk.wait.read" => "bulk.wait",
            "griddepcontrol.wait" => "griddepcontrol.launch_dependents",
            "clusterbarrier.wait" => "clusterbarrier.arrive",
            _ => return false,
        };
        *op = Opaque::named(other).unwrap_or(*op);
        op.name() == other
    })
}
