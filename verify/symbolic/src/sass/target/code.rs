//! Instructions of a function, and what is asked of them before any is executed.

use crate::sass::recognise;
use crate::trace::copies;
use crate::trace::facts::Unasked;
use crate::trace::path::Name;
use crate::trace::retry::{self, Retry};
use crate::trace::side::WORD;
use crate::trace::walk::Walk;
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{DecodeError, Inst, Style, decode, print};
use std::collections::BTreeSet;

/// Operations that the whole warp executes together (Mesa's NAK; for each, ptxas puts `WARPSYNC.ALL` before it where lanes may be apart).
const WHOLE_WARP: [&str; 12] =
    ["HMMA", "IMMA", "BMMA", "DMMA", "QMMA", "LDSM", "STSM", "MOVM", "HGMMA", "IGMMA", "QGMMA", "BGMMA"];

/// A function's instructions.
pub(super) struct Code {
    insts: Vec<Result<Inst, DecodeError>>,
    /// Instructions that end whoever comes to them.
    exits: BTreeSet<u64>,
    /// Where lanes meet, and at which convergence barrier.
    meeting_places: FxHashMap<u64, u32>,
    /// Loops around a compare-and-swap that are taken for one change of a word.
    retries: Vec<Retry>,
    /// Whether a thread may end while its copies to shared memory are under way.
    pub(super) may_end_copying: bool,
}

impl Code {
    /// `updates`: whether loops around a compare-and-swap are looked for.
    pub(super) fn new(function: &Function, chip: Chip, updates: bool) -> Code {
        let insts: Vec<_> = function.code.iter().map(|word| decode(*word, chip)).collect();
        let (mut exits, mut meeting_places) = (BTreeSet::new(), FxHashMap::default());
        for (i, inst) in (0..).zip(&insts) {
            let Ok(inst) = inst else { continue };
            if recognise::ends(inst) {
                exits.insert(i);
            }
            if inst.row().mnemonic == "BSYNC"
                && let Some(barrier) = inst.get("b")
            {
                meeting_places.insert(i, barrier as u32);
            }
        }
        let retries = if updates { retry::loops(&function.code, chip) } else { Vec::new() };
        Code { insts, exits, meeting_places, retries, may_end_copying: copies::may_end(&function.code, chip) }
    }

    /// The instruction with a number; none behind the last.
    pub(super) fn inst(&self, index: u64) -> Option<&Result<Inst, DecodeError>> {
        self.insts.get(index as usize)
    }

    /// Whether who comes to an instruction ends there.
    pub(super) fn exits_at(&self, index: u64) -> bool {
        self.exits.contains(&index)
    }

    /// Where lanes meet, and at which convergence barrier.
    pub(super) fn meeting_places(&self) -> FxHashMap<u64, u32> {
        self.meeting_places.clone()
    }

    /// A loop around a compare-and-swap.
    pub(super) fn retry(&self, is: impl Fn(&Retry) -> bool) -> Option<&Retry> {
        self.retries.iter().find(|r| is(r))
    }

    /// Whether whoever comes to an instruction goes straight on to one that needs the whole warp.
    pub(super) fn needs_whole_warp(&self, from: u64) -> bool {
        for inst in self.insts.iter().skip(from as usize) {
            let Ok(inst) = inst else { return false };
            let row = inst.row();
            if WHOLE_WARP.contains(&row.mnemonic) {
                return !print(inst, &Style::default()).starts_with('@');
            }
            if row.control_flow.is_some()
                || ["WARPSYNC", "BAR", "SHFL", "VOTE", "NANOSLEEP"].contains(&row.mnemonic)
            {
                return false;
            }
        }
        false
    }

    /// Instructions run, of those that are no padding: the endless branch and what follows it.
    pub(super) fn reached<R: Name>(&self, walk: &Walk<R>) -> (u32, u32) {
        let padding = |inst: &Inst| {
            let own =
                inst.row().mnemonic == "BRA" && inst.get("t").is_some_and(|t| t as i64 == -(WORD as i64));
            inst.row().mnemonic == "NOP" || own
        };
        let (mut run, mut count) = (0, 0);
        for (i, inst) in (0..).zip(&self.insts) {
            if inst.as_ref().is_ok_and(padding) {
                continue;
            }
            count += 1;
            run += u32::from(walk.visited(i));
        }
        (run, count)
    }
}

/// What a function nowhere asks.
pub fn unasked(cubin: &Cubin, function: &Function) -> Unasked {
    let chip = Chip::from_number(cubin.sm);
    let all = || function.code.iter().filter_map(|w| decode(*w, chip?).ok());
    Unasked {
        clocks: !all().any(|inst| recognise::reads_clock(&inst)),
        lanes: !all().any(|inst| recognise::votes(&inst)),
    }
}

/// The text of the instruction at a byte offset.
pub fn text(function: &Function, chip: Chip, at: u64) -> String {
    let word = function.code.get((at / WORD) as usize);
    word.and_then(|w| decode(*w, chip).ok()).map_or_else(String::new, |i| print(&i, &Style::default()))
}

/// Bytes of stack that code declares.
pub fn declared_stack(code: &Function) -> u32 {
    code.stack()
}
