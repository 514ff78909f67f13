//! What one side did: paths with their conditions and registers, and the log of guarded events.
//!
//! Of all lanes on their way the one furthest back goes first, so that paths meet where they can: registers are merged by
//! the conditions that tell the paths apart. Lanes in different rounds of a loop do not meet. Whoever returns to the head of a loop more often than
//! the bound says, since coming to the loop, is left in [`Log::beyond`].
//!
//! How lanes go on stands in `moves`, how paths meet in `join`, what is read and stored in `access`, what others see in `emit`.

use crate::inputs::Inputs;
use crate::obstacle::Obstacle;
use crate::obstacle::convergence::Convergence;
use crate::obstacle::memory::Memory;
use crate::trace::facts::Reading;
use crate::trace::heads::Cuts;
use crate::trace::lanes::{Here, Lanes, Span, Warp};
use crate::trace::log::Log;
use crate::trace::loops::Loops;
use crate::trace::path::{Name, Path, Since};
use crate::trace::walk::Walk;
use rustc_hash::FxHashMap;
use sassafras_semantics::{Domain, TermId, Terms};

/// Bytes per instruction.
pub const WORD: u64 = 16;

/// Where a run begins, and with what.
#[derive(Clone, Debug)]
pub struct Start<R: Name> {
    /// The place.
    pub at: u64,
    /// What registers hold.
    pub registers: FxHashMap<R, TermId>,
    /// The state of shared and global memory, 32 bits; the initial one by default.
    pub version: Option<TermId>,
    /// Who is there: all lanes of a warp by default.
    pub lanes: Lanes,
}

impl<R: Name> Default for Start<R> {
    fn default() -> Start<R> {
        Start { at: 0, registers: FxHashMap::default(), version: None, lanes: Lanes::default() }
    }
}

/// One side of a comparison.
#[derive(Debug)]
pub struct Side<'i, R: Name> {
    /// What it starts from.
    pub inputs: &'i Inputs<'i>,
    /// `source` or `target`: for what only one side knows.
    pub who: &'static str,
    /// Whether it is SASS, where lanes have to be together for what is asked of several.
    pub machine: bool,
    /// How it is read.
    pub reading: Reading,
    /// What it did, in order.
    pub log: Log,
    /// Where its lanes are.
    pub walk: Walk<R>,
    /// Loops that are cut.
    pub cuts: Cuts<R>,
    /// What is known of all lanes of the warp.
    pub warp: Warp,
    /// The lanes that are looked at.
    pub path: Path<R>,
    /// The guard of the current instruction, one bit.
    pub guard: TermId,
    /// What the address of the next access is a multiple of, where that is more than its size.
    pub align: Option<u32>,
    /// The current place, for events.
    pub place: u64,
    /// What the compare-and-swap of a loop finds, where one is about to be done (`retry`).
    pub expected: Option<TermId>,
    /// Conditions that may hold or not on any input, and their complements: which it is, and whether it holds.
    pub(super) ways: FxHashMap<TermId, (TermId, bool)>,
    /// Registers that did not exist before: the same for all paths.
    pub(super) fresh: FxHashMap<R, TermId>,
}

impl<'i, R: Name> Side<'i, R> {
    /// Of code with these loops, from a start on.
    pub fn new(
        inputs: &'i Inputs<'i>,
        who: &'static str,
        bound: u32,
        loops: Loops,
        start: Start<R>,
    ) -> Side<'i, R> {
        let d = inputs.terms;
        let version = start.version.unwrap_or_else(|| d.constant(32, 0));
        let path = Path { lanes: start.lanes, ..Path::new(start.registers, version) };
        Side {
            inputs,
            who,
            machine: false,
            reading: Reading::default(),
            log: Log::default(),
            walk: Walk::new(loops, start.at, path.clone(), bound),
            cuts: Cuts::default(),
            warp: Warp::default(),
            path,
            guard: d.yes(),
            align: None,
            place: 0,
            expected: None,
            ways: FxHashMap::default(),
            fresh: FxHashMap::default(),
        }
    }

    pub(super) fn terms(&self) -> &'i Terms {
        self.inputs.terms
    }

    pub(super) fn normal(&self, t: TermId) -> TermId {
        self.inputs.normal.of(t)
    }

    /// The lanes here, those of the whole warp, and where these lanes are.
    pub fn lanes(&mut self) -> (&mut Lanes, &mut Warp, Here<'_, 'i>) {
        let here = Here {
            inputs: self.inputs,
            conditions: &self.path.conditions,
            guard: self.guard,
            place: self.place,
            calls: &self.walk.calls,
        };
        (&mut self.path.lanes, &mut self.warp, here)
    }

    /// A new piece of straight code begins here.
    pub fn new_piece(&mut self) {
        self.path.lanes.new_piece(&mut self.warp);
    }

    /// Whether the instruction takes effect for all lanes that are here.
    pub fn is_unguarded(&self) -> bool {
        self.inputs.known(self.guard) == Some(1)
    }

    /// Narrows the guard to where a condition holds besides.
    pub fn narrow(&mut self, condition: TermId) {
        self.guard = self.normal(self.terms().and(&self.guard, &condition));
    }

    /// The guard, and a condition besides.
    pub(super) fn guarded(&self, condition: Option<TermId>) -> TermId {
        let d = self.terms();
        self.normal(condition.map_or(self.guard, |c| d.and(&self.guard, &c)))
    }

    /// The condition of the lanes here, one bit.
    pub fn condition(&self) -> TermId {
        let d = self.terms();
        self.normal(self.path.conditions.iter().fold(d.yes(), |all, c| d.and(&all, c)))
    }

    /// That the current instruction takes effect.
    pub fn happens(&self) -> TermId {
        self.normal(self.terms().and(&self.condition(), &self.guard))
    }

    /// That something is so where the current instruction takes effect; none if it never is.
    fn happens_and(&self, what: TermId) -> Option<TermId> {
        let both = self.normal(self.terms().and(&self.happens(), &what));
        (self.inputs.known(both) != Some(0)).then_some(both)
    }

    /// Where the current instruction takes effect this must not be: the hardware does not take it, or it is not what it is taken for.
    pub fn demand_not(&mut self, wrong: TermId) {
        if let Some(violated) = self.happens_and(wrong) {
            self.log.demands.push((violated, self.place));
        }
    }

    /// Where this is so, the current instruction is undefined.
    pub fn undefined_where(&mut self, wrong: TermId) {
        self.log.undefined.extend(self.happens_and(wrong));
    }

    /// A register's value; `first` makes what it holds before it is written.
    pub fn read(&mut self, register: R, first: impl FnOnce(&Inputs<'i>) -> TermId) -> TermId {
        if let Some(v) = self.path.registers.get(&register) {
            return *v;
        }
        let inputs = self.inputs;
        let v = *self.fresh.entry(register).or_insert_with(|| first(inputs));
        self.path.registers.insert(register, v);
        v
    }

    /// Sets a register, where the guard holds; what it then holds.
    pub fn write(&mut self, register: R, value: TermId, old: TermId) -> TermId {
        let d = self.terms();
        let new = match self.inputs.known(self.guard) {
            Some(1) => self.normal(value),
            _ => self.normal(d.ite(&self.guard, &value, &old)),
        };
        self.path.registers.insert(register, new);
        self.since(register, Some(self.path.lanes.piece()));
        new
    }

    /// A register gets its value now: in a piece of straight code, or otherwise.
    pub(super) fn since(&mut self, register: R, piece: Option<u32>) {
        self.path.since.insert(register, Since { piece, era: self.path.lanes.era() });
    }

    /// From when a register was written to now.
    pub fn span(&self, register: R) -> Span {
        self.path.lanes.span(self.path.since.get(&register).map_or(0, |s| s.era))
    }

    /// What is left to be said at the end of a run: whether lanes may wait for ever, and whether each generic address is known to lie in a window or in global memory.
    ///
    /// # Errors
    /// Addresses of windows, and others that may be such: they may come from memory. Barriers that lanes may wait at for ever.
    pub fn settled(&self) -> Result<(), Obstacle> {
        use crate::trace::event::{Event, Kind};
        use sassafras_semantics::Space;
        if self.cuts.watches() {
            return Ok(());
        }
        if let Some(at) = self.warp.owes() {
            return Err(Convergence::MayNotCome { at }.into());
        }
        self.warp.open()?;
        if self.who == "source" && self.warp.waits_for_some() {
            return Err(Convergence::WaitsForSome {}.into());
        }
        // Where nothing is stored in a window, nor at such an address, each load finds what lies there, whatever that is.
        let own = |e: &Event| e.kind == Kind::Store && matches!(e.space, Space::Shared | Space::Local);
        let generic = self.log.generic;
        let written = generic.stored || self.reading.facts.strong_shared || self.log.events.iter().any(own);
        match generic.windows && generic.open && written {
            true => Err(Memory::UnknownWindow {}.into()),
            false => Ok(()),
        }
    }
}
