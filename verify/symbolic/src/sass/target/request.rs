//! What is asked of a run of code.

use crate::cut::Cutting;
use crate::trace::facts::Facts;
use crate::trace::fences::Weakened;
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::decode;
use sassafras_ptx::checked::{self, Op};
use sassafras_semantics::{Ordering, Space, TermId};

/// Which side of a comparison code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What the other is held against: what it leaves undefined may be chosen.
    Source,
    /// What is judged.
    Target,
}

/// How code is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'e> {
    /// What the source has.
    pub facts: Facts,
    /// What fences and accesses are taken for.
    pub weakened: &'e [Weakened],
    /// Whether atomic operations are changes of words, and loops around a compare-and-swap such.
    pub updates: bool,
    /// What holds on every input that counts, one bit, if anything is known of it.
    pub admitted: Option<TermId>,
    /// Loops that are cut.
    pub cutting: Cutting<'e>,
}

impl Facts {
    /// By the instructions of a source.
    pub fn of(source: &[&checked::Inst], barrier_unit: bool) -> Facts {
        let warp = |i: &&checked::Inst| matches!(i.op, Op::Bar | Op::Barrier) && i.mods.mode == Some("warp");
        let strong = |i: &&checked::Inst| {
            let weak = matches!(i.mods.ordering, None | Some(Ordering::Weak | Ordering::NonCoherent));
            let shared = matches!(i.mods.space, None | Some(Space::Shared));
            matches!(i.op, Op::Ld | Op::St) && shared && !weak
        };
        let tests = |i: &&checked::Inst| i.op == Op::Mbarrier && i.mods.words.contains(&"test_wait");
        Facts {
            warp_barriers: source.iter().any(warp),
            strong_shared: source.iter().any(strong),
            strong_tests: !barrier_unit && source.iter().any(tests),
            votes: source.iter().any(|i| matches!(i.op, Op::Vote | Op::Activemask)),
            combines: source.iter().any(|i| i.op == Op::Redux),
            left_out: source.iter().any(warp),
            aligned: source.iter().filter(|i| !warp(i)).all(|i| i.op != Op::Barrier || i.mods.aligned),
            whole: true,
            calls: None,
            room: 0,
        }
    }

    /// By a source that is code itself: its `WARPSYNC`s count as they are.
    pub fn of_code(cubin: &Cubin, source: &Function) -> Facts {
        let chip = Chip::from_number(cubin.sm);
        let mut all = source.code.iter().filter_map(|w| decode(*w, chip?).ok());
        let warp_barriers = all.any(|i| i.row().mnemonic == "WARPSYNC");
        Facts { warp_barriers, votes: true, combines: true, ..Facts::default() }
    }
}
