//! The target: SASS over terms.

mod affine;
mod lane;
mod system;

use crate::assumption::Assumption;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::sass::demand;
use crate::sass::{flow, jumps, recognise};
use crate::trace::action::Action;
use crate::trace::bank::constants;
use crate::trace::copies;
use crate::trace::event::Wait;
use crate::trace::fences::{self, Fence, Weakened};
use crate::trace::lanes;
use crate::trace::leader::Leaders;
use crate::trace::loops::Loops;
use crate::trace::retry;
use crate::trace::side::{Side, Unasked, WORD};
use crate::trace::update;
use lane::{Lane, Shared};
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_execute::sass::{ELSEWHERE, link};
use sassafras_isa::step::{Outcome, guard, step};
use sassafras_isa::{ControlFlowKind, Inst, Meaning, RegClass, Register, Style, decode, print};
use sassafras_ptx::checked::{self, Op};
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Collective, Domain, Ordering, Space, State, TermId, Trap};
use std::collections::BTreeSet;

/// A register write: byte offset of the instruction, and the value.
pub type Write = (u64, TermId);

/// The target after its run.
pub struct Target<'i> {
    /// What it did.
    pub side: Side<'i, Register>,
    /// Register writes in order.
    pub writes: Vec<Write>,
    /// Instructions that were run at least once, and those there are.
    pub reached: (u32, u32),
}

impl Target<'_> {
    /// What it computed: what it wrote, and what paths brought together.
    pub fn computed(&self) -> impl Iterator<Item = TermId> {
        self.writes.iter().map(|w| w.1).chain(self.side.joined.iter().copied())
    }
}

fn unsupported<T>(what: impl Into<String>) -> Result<T, Trap> {
    Err(Trap::Unsupported(what.into()))
}

fn of_warp(register: Register) -> bool {
    matches!(register.class, RegClass::UR | RegClass::UP)
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

/// Which side of a comparison code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What the other is held against: what it leaves undefined may be chosen.
    Source,
    /// What is judged.
    Target,
}

/// The results of what lanes ask each other so that one of them acts for all; none if this is nothing of the kind.
fn stand_in(
    side: &mut Side<'_, Register>,
    leaders: &mut Leaders,
    wanted: Wanted<'_>,
    op: Collective,
    arguments: &[TermId],
) -> Option<Vec<TermId>> {
    let d = side.inputs.terms;
    let known = |t: &TermId| side.inputs.known(*t) == Some(1);
    let unguarded = known(&side.guard);
    // No vote of the source that names its lanes is made where nobody knows who is here.
    let anyone = side.path.parted && side.path.gathered.is_none_or(|g| g.0 != side.path.piece);
    let votes = wanted.votes && !anyone;
    match (op, arguments) {
        (Collective::Vote(VoteMode::Any | VoteMode::All), [asked, ..])
            if !votes && unguarded && known(asked) =>
        {
            Some(vec![leaders.gather(side), d.yes()])
        }
        (Collective::Redux(op), [value, ..]) if !wanted.combines && unguarded => {
            Some(vec![leaders.combine(side, op, *value)])
        }
        (Collective::Shuffle(ShuffleMode::Idx), all) => {
            let own = leaders.hand_on(side, all)?;
            Some(vec![own, d.yes()])
        }
        _ => None,
    }
}

/// A fence as the event that it is taken for, if it is one.
fn barrier(side: &mut Side<'_, Register>, weakened: &[Weakened], fence: Fence) -> Result<(), Trap> {
    match fences::taken(weakened, side.place, side.visit, fence) {
        Ok(Some(fence)) => side.event(Action::Fence(fence), &[], &[], true),
        Ok(None) => Vec::new(),
        Err(why) => return unsupported(why),
    };
    Ok(())
}

/// A barrier of the block is executed by all lanes of the warp that have not ended, in one group (`docs/convergence.md`, C14).
///
/// Where the source's barriers are `aligned`, a warp comes to each as a whole, or the source is undefined. Lanes that came by the same branches
/// are together at it then, and others are behind a `WARPSYNC` of all. Without `.aligned` lanes of one warp may wait at a `WARPSYNC` of all
/// at another place, and go on from there.
///
/// # Errors
/// Lanes that may come one group after another.
fn arrives_as_a_whole(side: &mut Side<'_, Register>, aligned: bool) -> Result<(), String> {
    let (inputs, piece) = (side.inputs, side.path.piece);
    let unguarded = inputs.known(side.guard) == Some(1);
    if !side.path.parted && inputs.is_uniform(side.guard) {
        return Ok(());
    }
    let waited = |g: &(u32, TermId)| g.0 == piece && inputs.known(g.1) == Some(0xffff_ffff);
    if aligned && unguarded && side.path.gathered.as_ref().is_some_and(waited) {
        return Ok(());
    }
    if aligned && side.path.same_ways {
        // So it stands for the source's on one way alone: lanes of two ways would come to it one group after another.
        side.whole.insert(side.events.len());
        return Ok(());
    }
    Err("convergence: a barrier of the block where lanes of the warp may be apart".into())
}

/// Whether lanes arrive at a barrier of the block for themselves: between `WARPSYNC.COLLECTIVE.ALL` and its end (C14). The wait for all lanes of the warp is then one
/// that the source has too, where the barrier is for the whole block: it holds who comes until all that have not ended have come.
fn arrive_for_themselves(
    side: &mut Side<'_, Register>,
    code: &[u128],
    chip: Chip,
    mode: BarrierMode,
    args: &[TermId],
) -> bool {
    let (inputs, piece) = (side.inputs, side.path.piece);
    let all = side.path.gathered.is_some_and(|g| g.0 == piece && inputs.known(g.1) == Some(0xffff_ffff));
    let whole_block = args.get(1).is_some_and(|&threads| inputs.known(inputs.normal.of(threads)) == Some(0));
    let waits = mode != BarrierMode::Arrive && inputs.known(side.guard) == Some(1);
    let Some(owed) = side.owed.get_mut(&piece).filter(|_| all && whole_block && waits && side.path.exclusive)
    else {
        return false;
    };
    let begins = code.get((owed.0 / WORD) as usize).and_then(|word| decode(*word, chip).ok());
    let collective = begins.is_some_and(|inst| inst.row().meaning == Meaning::Collective);
    owed.1 |= collective;
    collective
}

/// A barrier of the warp as an event; whether it is one. It is none if it is left out of account, or stands right behind another of all lanes.
fn warp_barrier(side: &mut Side<'_, Register>, wanted: Wanted<'_>, mask: TermId) -> Result<bool, Trap> {
    let again = !side.path.parted && side.path.synced == Some(side.events.len());
    let left_out = fences::is_left_out(wanted.weakened, side.place, side.visit);
    if !wanted.warp_barriers || again || left_out {
        return Ok(false);
    }
    lanes::collective(side, Collective::WarpSync, &[mask])?;
    side.path.synced = (!side.path.parted).then_some(side.events.len());
    Ok(true)
}

/// Operations that the whole warp executes together (Mesa's NAK; for each, ptxas puts `WARPSYNC.ALL` before it where lanes may be apart).
const WHOLE_WARP: [&str; 12] =
    ["HMMA", "IMMA", "BMMA", "DMMA", "QMMA", "LDSM", "STSM", "MOVM", "HGMMA", "IGMMA", "QGMMA", "BGMMA"];

/// Whether whoever comes to an instruction goes straight on to one that needs the whole warp.
fn needs_whole_warp(code: &[u128], from: usize, chip: Chip) -> bool {
    for word in code.iter().skip(from) {
        let Ok(inst) = decode(*word, chip) else { return false };
        let row = inst.row();
        if WHOLE_WARP.contains(&row.mnemonic) {
            return !print(&inst, &Style::default()).starts_with('@');
        }
        if row.control_flow.is_some()
            || ["WARPSYNC", "BAR", "SHFL", "VOTE", "NANOSLEEP"].contains(&row.mnemonic)
        {
            return false;
        }
    }
    false
}

/// A branch. Lanes that go to an `EXIT`, or come to it when the others are gone, end at once: they do nothing else, and nobody waits for
/// who has ended.
fn part_or_end(
    side: &mut Side<'_, Register>,
    ends: &BTreeSet<u64>,
    from: u64,
    to: u64,
    condition: Option<TermId>,
) {
    let (inputs, d) = (side.inputs, side.inputs.terms);
    let taken = inputs.normal.of(condition.map_or(side.guard, |c| d.and(&side.guard, &c)));
    let open = inputs.known(taken).is_none();
    if open && ends.contains(&to) {
        side.pass(to);
        side.leave(condition);
        side.new_piece();
    } else if open && ends.contains(&(from + 1)) {
        side.pass(from + 1);
        side.guard = d.yes();
        side.leave(Some(d.not(&taken)));
        if side.remains() {
            side.jump(to, None);
        }
    } else {
        side.jump(to, condition);
    }
}

/// What the source says that decides how the target is read.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'e> {
    /// Whether the source has barriers of a warp, which are events then.
    pub warp_barriers: bool,
    /// Whether it has accesses of shared memory that are not weak: SASS does not say which are, so that all are events then.
    pub strong_shared: bool,
    /// Whether it tests barrier objects, which are words on the target's chip: its loads of them are not weak, and SASS does not say which these are.
    pub strong_tests: bool,
    /// Whether it asks which lanes are here: then the target's question is an event.
    pub votes: bool,
    /// Whether it combines values of lanes, likewise.
    pub combines: bool,
    /// Whether `NOP` may stand where the source has a barrier of a warp: ptxas leaves one where it knows all lanes to be together.
    pub left_out: bool,
    /// Whether all its barriers of the block are aligned: the lanes of a warp come to each together (PTX ISA, "barrier": `bar` is `barrier.aligned`).
    pub aligned: bool,
    /// Whether its operations of whole warps are aligned: what is PTX has no others.
    pub whole: bool,
    /// What fences of the target are taken for.
    pub weakened: &'e [Weakened],
    /// Whether atomic operations are changes of words, and loops around a compare-and-swap such.
    pub updates: bool,
    /// What holds on every input that counts, one bit, if anything is known of it.
    pub admitted: Option<TermId>,
    /// How often a function may be called within itself, if those of the source call themselves: lanes in different calls are then followed
    /// apart.
    pub calls: Option<u32>,
    /// Bytes of the source's largest local variable.
    pub room: u32,
}

impl<'e> Wanted<'e> {
    /// By the instructions of a source.
    pub fn of(source: &[&checked::Inst], barrier_unit: bool, weakened: &'e [Weakened]) -> Wanted<'e> {
        let warp = |i: &&checked::Inst| matches!(i.op, Op::Bar | Op::Barrier) && i.mods.mode == Some("warp");
        let strong = |i: &&checked::Inst| {
            let weak = matches!(i.mods.ordering, None | Some(Ordering::Weak | Ordering::NonCoherent));
            let shared = matches!(i.mods.space, None | Some(Space::Shared));
            matches!(i.op, Op::Ld | Op::St) && shared && !weak
        };
        let tests = |i: &&checked::Inst| i.op == Op::Mbarrier && i.mods.words.contains(&"test_wait");
        Wanted {
            warp_barriers: source.iter().any(warp),
            strong_shared: source.iter().any(strong),
            strong_tests: !barrier_unit && source.iter().any(tests),
            votes: source.iter().any(|i| matches!(i.op, Op::Vote | Op::Activemask)),
            combines: source.iter().any(|i| i.op == Op::Redux),
            left_out: source.iter().any(warp),
            aligned: source.iter().filter(|i| !warp(i)).all(|i| i.op != Op::Barrier || i.mods.aligned),
            whole: true,
            weakened,
            updates: false,
            admitted: None,
            calls: None,
            room: 0,
        }
    }

    /// By a source that is code itself: its `WARPSYNC`s count as they are.
    pub fn of_code(cubin: &Cubin, source: &Function, weakened: &'e [Weakened]) -> Wanted<'e> {
        let chip = Chip::from_number(cubin.sm);
        let mut all = source.code.iter().filter_map(|w| decode(*w, chip?).ok());
        Wanted {
            warp_barriers: all.any(|i| i.row().mnemonic == "WARPSYNC"),
            strong_shared: false,
            strong_tests: false,
            votes: true,
            combines: true,
            left_out: false,
            aligned: false,
            whole: false,
            weakened,
            updates: false,
            admitted: None,
            calls: None,
            room: 0,
        }
    }
}

/// Runs a function to its end.
///
/// # Errors
/// What is not covered, and where.
pub fn run<'i>(
    inputs: &'i Inputs<'i>,
    cubin: &Cubin,
    function: &Function,
    bound: u32,
    wanted: Wanted<'_>,
    role: Role,
) -> Result<Target<'i>, String> {
    go(inputs, cubin, function, bound, wanted, role, None)
}

/// What a piece of code leaves in registers, from what it finds in some. It ends behind its last instruction.
///
/// # Errors
/// What is not covered; code that does not reach its end.
pub fn piece<'i>(
    inputs: &'i Inputs<'i>,
    cubin: &Cubin,
    function: &Function,
    given: &[(Register, TermId)],
) -> Result<FxHashMap<Register, TermId>, String> {
    let wanted = Wanted {
        warp_barriers: false,
        strong_shared: false,
        strong_tests: false,
        votes: true,
        combines: true,
        left_out: false,
        aligned: false,
        whole: false,
        weakened: &[],
        updates: false,
        admitted: None,
        calls: None,
        room: 0,
    };
    let mut left = None;
    go(inputs, cubin, function, 1, wanted, Role::Target, Some((given, &mut left)))?;
    left.ok_or_else(|| "the code does not reach its end".into())
}

/// Registers that code begins with, and those that it leaves.
type Piece<'p> = (&'p [(Register, TermId)], &'p mut Option<FxHashMap<Register, TermId>>);

fn go<'i>(
    inputs: &'i Inputs<'i>,
    cubin: &Cubin,
    function: &Function,
    bound: u32,
    wanted: Wanted<'_>,
    role: Role,
    mut piece: Option<Piece<'_>>,
) -> Result<Target<'i>, String> {
    let d = inputs.terms;
    let chip = Chip::from_number(cubin.sm).ok_or_else(|| format!("sm_{} is not known", cubin.sm))?;
    let linked;
    let (cubin, function) = if function.relocations.is_empty() {
        (cubin, function)
    } else {
        linked = link(cubin, &function.name)?;
        let own = linked.functions.iter().find(|f| f.name == function.name);
        (&*linked, own.ok_or("the code is none of the cubin's")?)
    };
    let who = if role == Role::Source { "source" } else { "target" };
    let loops = Loops::of(&flow::flow(function, chip), &flow::starts(function, chip));
    let mut side = Side::new(inputs, who, bound).with_loops(loops);
    side.machine = true;
    (side.strong_shared, side.strong_tests) = (wanted.strong_shared, wanted.strong_tests);
    side.aligned = wanted.whole;
    side.constants = constants(cubin);
    side.admitted = wanted.admitted.unwrap_or_else(|| d.yes());
    let mut ends = BTreeSet::new();
    for (i, word) in function.code.iter().enumerate() {
        if decode(*word, chip).is_ok_and(|inst| recognise::ends(&inst)) {
            ends.insert(i as u64);
        }
        if let Ok(inst) = decode(*word, chip)
            && inst.row().mnemonic == "BSYNC"
            && let Some(barrier) = inst.get("b")
        {
            side.places.insert(i as u64, barrier as u32);
        }
    }
    if let Some((given, _)) = &piece {
        side.begin(given);
    }
    let (mut writes, mut fault, mut shared) = (Vec::new(), None, Shared::default());
    let mut leaders = Leaders::default();
    side.updates = wanted.updates;
    let may_end = copies::may_end(&function.code, chip);
    let retries = if wanted.updates { retry::loops(&function.code, chip) } else { Vec::new() };
    while let Some(index) = side.advance()? {
        let address = WORD * index;
        let Some(word) = function.code.get(index as usize) else {
            match &mut piece {
                // All paths are here by now: none is further back.
                Some((_, left)) if left.is_some() => return Err("lanes come to the end apart".into()),
                Some((_, left)) => **left = Some(side.path.registers.clone()),
                None => return Err("the code ends without EXIT".into()),
            }
            continue;
        };
        side.place = address;
        let inst: Inst = decode(*word, chip).map_err(|e| format!("{address:#06x}: {e}"))?;
        let at = |why: String| format!("{address:#06x}: {}: {why}", print(&inst, &Style::default()));
        macro_rules! lane {
            () => {
                Lane {
                    side: &mut side,
                    chip,
                    cubin,
                    function,
                    writes: &mut writes,
                    shared: &mut shared,
                    role,
                    fault: &mut fault,
                    leaders: &mut leaders,
                    answers: false,
                    wanted,
                    guessed: None,
                }
            };
        }
        side.guard = d.yes();
        let here = index as usize;
        if let Some(retry) = retries.iter().find(|r| r.decides == here) {
            // What was found is what was expected: the loop is left.
            if let Some(guess) = &retry.guess {
                let branches = guard(d, &inst, &mut lane!()).map_err(|t| at(t.to_string()))?;
                let leaves = inputs.normal.of(d.not(&branches));
                update::leave_guess(&mut side, retry, guess, leaves).map_err(at)?;
            }
            (retry.decides + 1..=retry.last).for_each(|i| side.pass(i as u64));
            if !retry.meets || retry.yields {
                side.scatter();
            }
            if retry.yields {
                side.yields();
            }
            side.jump(retry.out as u64, None);
            continue;
        }
        let holds = guard(d, &inst, &mut lane!()).map_err(|t| at(t.to_string()))?;
        side.guard = inputs.normal.of(holds);
        if inputs.known(side.guard) == Some(0) {
            side.proceed(index + 1);
            continue;
        }
        if inst.ends_collective() {
            // Lanes of other masks may join these now, or run.
            side.path.exclusive = false;
            side.new_piece();
        }
        demand::aligned(&inst).and_then(|()| demand::plain(&inst)).map_err(at)?;
        copies::before(&side, &inst).map_err(at)?;
        if let Some([low, high]) = demand::descriptor(&inst, chip) {
            let wrong = |t: Trap| at(t.to_string());
            let place = chip.bank().global_descriptor.unwrap_or_default().into();
            let (low, high) = (lane!().read(d, low).map_err(wrong)?, lane!().read(d, high).map_err(wrong)?);
            let right = lane!().bank(d, 0, place, 8).map_err(wrong)?;
            let wrong = d.not(&d.eq(&d.concat(&high, &low), &right));
            let violated = inputs.normal.of(d.and(&side.happens(), &wrong));
            if inputs.known(violated) != Some(0) {
                side.demands.push((violated, address));
            }
        }
        if let Some(retry) = retries.iter().find(|r| r.load == Some(here)) {
            let mut lane = lane!();
            lane.guessed = Some(d.no());
            step(d, &inst, address, &mut lane).map_err(|t| at(t.to_string()))?;
            let Some(place) = lane.guessed else { return Err(at("a load without an address".into())) };
            let place = inputs.normal.of(place);
            side.path.registers.insert(retry.address, place);
        }
        if let Some(retry) = retries.iter().find(|r| r.first == here) {
            update::begin(&mut side, retry);
            for (r, value) in retry.words(inputs, &side.path.registers) {
                lane!().write(d, r, value);
            }
        }
        if retries.iter().any(|r| r.load == Some(here)) {
            side.proceed(index + 1);
            continue;
        }
        let mut held = Vec::new();
        if let Some(retry) = retries.iter().find(|r| r.swap == here) {
            if let Some(guess) = &retry.guess {
                held = update::before_guess(&mut side, retry, guess).map_err(at)?;
            }
            let found = side.path.registers.get(&retry.found).copied();
            let Some(found) = found.filter(|t| matches!(d.node(*t), Node::Variable(_))) else {
                return Err(at("coverage: a round of a loop that has no beginning".into()));
            };
            side.expected = Some(found);
        }
        let outcome = match step(d, &inst, address, &mut lane!()) {
            Ok(outcome) => outcome,
            Err(Trap::Trapped) => {
                side.trap();
                side.proceed(index + 1);
                continue;
            }
            Err(t) => return Err(at(t.to_string())),
        };
        let outcome = match outcome {
            Outcome::IndirectBranch { target, condition } => {
                Outcome::IndirectBranch { target: elsewhere(inputs, cubin, target), condition }
            }
            other => other,
        };
        copies::after(&mut side, &inst, &outcome, may_end).map_err(at)?;
        if let Some(retry) = retries.iter().find(|r| r.swap == here) {
            update::end(&mut side, retry).map_err(at)?;
            if let Some(guess) = &retry.guess {
                update::after_guess(&mut side, held, guess);
            }
        }
        match outcome {
            Outcome::Yield => side.yields(),
            Outcome::Next => {
                if inst.row().mnemonic == "NOP"
                    && wanted.left_out
                    && !side.path.parted
                    && inputs.known(side.guard) == Some(1)
                {
                    let all = d.constant(32, 0xffff_ffff);
                    warp_barrier(&mut side, wanted, all).map_err(|t| at(t.to_string()))?;
                }
                if inst.row().id == "cctl.ivall" {
                    let guard = side.guard;
                    if leaders.leads(&mut side) {
                        side.guard = d.yes();
                    }
                    barrier(&mut side, wanted.weakened, Fence::Acquire).map_err(|t| at(t.to_string()))?;
                    side.guard = guard;
                }
            }
            Outcome::Branch { target, condition } => {
                if !target.is_multiple_of(WORD) {
                    return Err(at("a branch between instructions".into()));
                }
                // A routine of one segment is written out at each call: as a place that many calls lead to it would count as a loop.
                let called = inst.row().mnemonic == "CALL";
                let routine = called && jumps::returns(&function.code, chip, target / WORD);
                if let Some(most) = wanted.calls.filter(|_| called).or(routine.then_some(u32::MAX)) {
                    side.call(target / WORD, condition, most);
                    side.proceed(index + 1);
                    continue;
                }
                side.edge = flow::edge(&inst);
                part_or_end(&mut side, &ends, index, target / WORD, condition);
            }
            Outcome::BranchByConvergence { target, mask, converged } => {
                side.assumed.insert(Assumption::Conv);
                if !side.path.parted {
                    // Where no lane is elsewhere, all that the mask names are here or have ended.
                    if converged {
                        side.jump(target / WORD, None);
                    }
                } else if converged || inputs.known(side.guard) != Some(1) {
                    return Err(at("convergence: a branch on whether lanes are together".into()));
                } else {
                    let apart = side.either_way();
                    side.jump(target / WORD, Some(apart));
                    if target > address {
                        side.step_aside(target / WORD);
                    }
                    // Those that go on are all that the mask names: nobody else does what it is named for.
                    side.path.gathered = Some((side.path.piece, mask));
                    side.path.exclusive = true;
                }
            }
            Outcome::IndirectBranch { target, condition }
                if inst.row().mnemonic == "RET" && !side.calls().is_empty() =>
            {
                // It goes behind the call that these lanes came by: that the address is this is demanded.
                let Some(to) = side.calls().last().map(|call| call.0 + 1) else { continue };
                let taken = condition.map_or_else(|| side.happens(), |c| d.and(&side.happens(), &c));
                let there = d.eq(&target, &d.constant(64, (to * WORD).into()));
                let elsewhere = inputs.normal.of(d.and(&taken, &d.not(&there)));
                if inputs.known(elsewhere) != Some(0) {
                    side.demands.push((elsewhere, address));
                }
                side.jumped.insert((index as usize, to as usize));
                side.come_back(to, condition);
            }
            Outcome::IndirectBranch { target, condition }
                if inst.row().control_flow == Some(ControlFlowKind::Call)
                    && let Some((symbol, name)) = system::callee(side.inputs, cubin, target) =>
            {
                if condition.is_some() {
                    return Err(at("a call under a predicate operand".into()));
                }
                let bytes = match wanted.calls {
                    Some(_) => chip.limits().local_bytes_per_thread,
                    None => declared_stack(function),
                };
                lane!()
                    .system_call(d, (symbol, name), target, index + 1, bytes, function)
                    .map_err(|t| at(t.to_string()))?;
                side.jumped.insert((index as usize, index as usize + 1));
            }
            Outcome::IndirectBranch { target, condition } => {
                let Some(cases) = jumps::cases(&mut side, function, target, condition) else {
                    return Err(at("a jump to an address that is not one of a few".into()));
                };
                let last = cases.len().saturating_sub(1);
                side.edge = flow::edge(&inst);
                for (i, (case, to)) in cases.into_iter().enumerate() {
                    if !(to as u64).is_multiple_of(WORD) {
                        return Err(at("a branch between instructions".into()));
                    }
                    side.jumped.insert((index as usize, (to as u64 / WORD) as usize));
                    // Who goes to no other goes to the last.
                    let both = condition.map_or(case, |c| d.and(&case, &c));
                    side.jump(to as u64 / WORD, if i == last { condition } else { Some(both) });
                }
            }
            Outcome::Exit { condition } => side.leave(condition),
            Outcome::SetBarrier { barrier, .. } => {
                side.assumed.insert(Assumption::Conv);
                side.set(barrier);
                let together = side.path.same_ways && inputs.known(side.guard) == Some(1);
                match together {
                    true => side.path.set_by_all.insert(barrier),
                    false => side.path.set_by_all.remove(&barrier),
                };
            }
            Outcome::Sync { barrier, condition } => {
                if inputs.known(side.guard) != Some(1)
                    || condition.is_some_and(|c| inputs.known(c) != Some(1))
                {
                    return Err(at("convergence: lanes that meet under a condition".into()));
                }
                side.sync(barrier);
                // Who set it together is together again, but for those that have left it: they come here by another way.
                side.path.same_ways |= side.path.set_by_all.remove(&barrier);
                // Every lane that was there when the barrier was set is here now, or has ended.
                if side.path.whole.remove(&barrier) && condition.is_none() && side.alone() {
                    side.together();
                }
                side.new_piece();
            }
            Outcome::Break { barrier, condition } => {
                let gone = inputs.normal.of(condition.map_or(side.guard, |c| d.and(&side.guard, &c)));
                side.break_off(barrier, gone);
            }
            Outcome::WriteBarrier { barrier, mask } => {
                side.path.set_by_all.remove(&barrier);
                side.restore(barrier, inputs.normal.of(mask));
            }
            Outcome::ReadBarrier { barrier, to, clear } => {
                side.path.set_by_all.remove(&barrier);
                let mask = inputs.variable(&format!("{who}.mask{address:#x}.{}", side.visit), 32, false);
                if clear {
                    side.keep(barrier, mask);
                }
                if let Some(r) = to.register {
                    lane!().write(d, r, mask);
                }
            }
            Outcome::Collective { op, args, results } => {
                if op == Collective::WarpSync {
                    if inputs.known(side.guard) != Some(1) {
                        return Err(at("convergence: a barrier of the warp under a condition".into()));
                    }
                    let whole = inputs.known(args[0]) == Some(0xffff_ffff);
                    lanes::names_itself(&mut side, args[0]);
                    // Who waits before such an operation comes to it.
                    if side.path.parted && whole && needs_whole_warp(&function.code, here + 1, chip) {
                        side.comes_as_a_whole();
                    }
                    let apart = side.path.parted;
                    if apart && whole {
                        side.wait_for_all();
                    }
                    // Barriers of the warp that differ in place serve as one (C10): lanes that waited at another since they parted
                    // may have been met there.
                    let met = side.path.waited || side.ended_waiting;
                    let all = whole && side.alone() && !met;
                    if whole && !all && side.path.parted {
                        side.path.meeting.wait_for_all().map_err(|t| at(t.to_string()))?;
                    }
                    side.new_piece();
                    if apart && !whole {
                        side.wait_for_some(side.path.piece);
                    }
                    if all {
                        side.together();
                        side.path.meeting.gather();
                    } else if !inputs.is_uniform(args[0]) {
                        // Lanes with one mask go on together, and nothing says when those with another do.
                        (side.path.parted, side.path.same_ways) = (true, false);
                    }
                    let event = warp_barrier(&mut side, wanted, args[0]).map_err(|t| at(t.to_string()))?;
                    side.path.waited |= side.path.parted;
                    if apart {
                        side.path.met.insert(Wait::At(side.path.piece.into()));
                    }
                    if side.path.parted {
                        side.path.gathered = Some((side.path.piece, args[0]));
                        side.path.exclusive = inst.keeps_others_away();
                        side.owed.insert(side.path.piece, (address, event));
                    }
                    side.proceed(index + 1);
                    continue;
                }
                // All lanes of the warp come to an aligned barrier, so also to the wait before it.
                let piece = side.path.piece;
                if wanted.aligned
                    && matches!(op, Collective::Barrier(_))
                    && inputs.known(side.guard) == Some(1)
                    && side
                        .path
                        .gathered
                        .is_some_and(|g| g.0 == piece && inputs.known(g.1) == Some(0xffff_ffff))
                    && let Some(owed) = side.owed.get_mut(&piece)
                {
                    owed.1 = true;
                }
                if let Collective::Barrier(mode) = op
                    && !(side.path.parted
                        && !wanted.aligned
                        && arrive_for_themselves(&mut side, &function.code, chip, mode, &args))
                {
                    arrives_as_a_whole(&mut side, wanted.aligned).map_err(at)?;
                }
                let values = match stand_in(&mut side, &mut leaders, wanted, op, &args) {
                    Some(values) => values,
                    None => lanes::collective(&mut side, op, &args).map_err(|t| at(t.to_string()))?,
                };
                if let Collective::Barrier(_) = op {
                    // Of a result of before nothing says that it is still there behind another barrier.
                    side.path.reduced = values.first().map(|value| {
                        let wide = d.zext(value, 32);
                        [wide, d.extract(&wide, 0, 1)]
                    });
                }
                for (output, value) in results.iter().zip(values) {
                    let Some(r) = output.register else { continue };
                    for unit in 0..output.width.div_ceil(32) {
                        let width = output.width.min(32);
                        let part = d.extract(&value, 32 * unit, width);
                        let mut lane = lane!();
                        lane.answers = true;
                        lane.write(d, Register { number: r.number + unit, ..r }, part);
                    }
                }
            }
            Outcome::BarrierResult { count, decision } => {
                let Some(values) = side.path.reduced else {
                    return Err(at("the result of a barrier that did not reduce".into()));
                };
                for (output, value) in [count, decision].iter().zip(values) {
                    if let Some(r) = output.register {
                        lane!().write(d, r, value);
                    }
                }
            }
        }
        if let Some(why) = fault.take() {
            return Err(at(why));
        }
        side.proceed(index + 1);
    }
    side.settled()?;
    side.merge();
    // What other lanes wrote meanwhile is what was there.
    for (register, value, place) in &shared.later {
        if shared.apart.iter().any(|(r, v)| r == register && v != value) {
            return Err(format!(
                "uniform: {place:#06x} reads {register}, which other lanes of the warp may have written meanwhile"
            ));
        }
    }
    if let Some((register, place)) = shared.behind.iter().find(|(r, _)| shared.lost.contains(r)) {
        return Err(format!("uniform: {place:#06x} reads {register}, which a callee may have left changed"));
    }
    if !shared.apart.is_empty() || !shared.lost.is_empty() {
        side.assumed.insert(Assumption::Switch);
    }
    side.assumed.extend([Assumption::Bank, Assumption::Isa]);
    let reached = reached(&side, function, chip);
    Ok(Target { side, writes, reached })
}

/// Instructions run, of those that are no padding: the endless branch and what follows it.
fn reached(side: &Side<'_, Register>, function: &Function, chip: Chip) -> (u32, u32) {
    let padding = |word: &u128| {
        decode(*word, chip).is_ok_and(|i| {
            let own = i.row().mnemonic == "BRA" && i.get("t").is_some_and(|t| t as i64 == -(WORD as i64));
            i.row().mnemonic == "NOP" || own
        })
    };
    let all = (0..function.code.len() as u64).filter(|i| !padding(&function.code[*i as usize]));
    let (mut run, mut count) = (0, 0);
    for i in all {
        count += 1;
        run += u32::from(side.visited(i));
    }
    (run, count)
}

/// Where an address is that of a function that the driver resolves, as the loader has put it into a call, that function's symbol.
fn elsewhere(inputs: &Inputs<'_>, cubin: &Cubin, target: TermId) -> TermId {
    let place = inputs.known(target).and_then(|known| u64::try_from(known).ok()?.checked_sub(ELSEWHERE));
    let slot = place.and_then(|place| cubin.addresses.get(usize::try_from(place / WORD).ok()?));
    slot.map_or(target, |slot| inputs.input(Input::Symbol(slot.symbol.clone()), 64, true))
}

/// Bytes of stack that code declares.
pub fn declared_stack(code: &sassafras_cubin::Function) -> u32 {
    code.stack()
}
