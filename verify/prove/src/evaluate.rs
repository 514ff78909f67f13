//! The obligations on concrete inputs: terms that were built without simplification, and no solver.
//!
//! What stands against a solver that says `unsat` too easily, and against a simplification that is wrong.

use crate::reach::{Given, Goal, Goals, near, tag};
use crate::reason::Reason;
use rustc_hash::FxHashMap;
use sassafras_execute::order::hash;
use sassafras_semantics::concrete::Bits;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Axis, Concrete, FloatFormat, Space, TermId, Terms};
use sassafras_solve::read::Read;
use sassafras_symbolic::input::Input;
use sassafras_symbolic::inputs::{AXES, Bound, Inputs};
use sassafras_symbolic::obstacle::evaluation::{Difference, Evaluation};
use sassafras_symbolic::places::{Placed, Variable};
use sassafras_symbolic::trace::action::Action;
use sassafras_symbolic::trace::event::Event;
use sassafras_symbolic::unwritten;
use std::collections::{BTreeMap, BTreeSet};

/// How many inputs count.
pub const INPUTS: u32 = 64;
/// Fewer than this say too little.
pub const LEAST: u32 = 8;
/// How many are tried, since some are outside the assumptions.
const TRIED: u64 = 512;
/// Terms that are evaluated at most to reach something that is rare.
const WORK: u64 = 6_000_000;
/// Seeds that fill up inputs of which a part is given; odd ones draw small numbers.
const GIVEN: std::ops::Range<u64> = 0x1_0000..0x1_0004;
/// How many where some of those count, and too few.
const MOST_TRIED: u64 = 4096;

/// What a side did.
#[derive(Clone, Copy)]
pub struct Log<'r> {
    /// Events.
    pub events: &'r [Event],
    /// When it trapped.
    pub traps: &'r [(TermId, u64)],
    /// When a loop was not finished.
    pub beyond: &'r [TermId],
    /// When what it did is undefined.
    pub undefined: &'r [TermId],
}

/// Two sides in an arena of their own.
pub struct Raw<'r> {
    /// Inputs of both.
    pub inputs: &'r Inputs<'r>,
    /// Assumptions, one bit each.
    pub assumptions: &'r [TermId],
    /// The source.
    pub source: Log<'r>,
    /// The target.
    pub target: Log<'r>,
    /// What the hardware must not meet in the target.
    pub never: Vec<TermId>,
    /// Conditions under which its barriers do not nest as one of two rules says.
    pub tangled: Vec<TermId>,
    /// Terms with lower ids were made by the target.
    pub of_target: usize,
    /// Local variables of the source, and where those lie of which it is decided; the top of the stack.
    pub locals: &'r [Variable],
    /// Those of them of which it is decided where they lie.
    pub placed: &'r [Placed],
    /// The top of the stack.
    pub top: Option<TermId>,
    /// Offsets of parameters that are pointers.
    pub pointers: &'r [u64],
    /// The shape of blocks that the source demands.
    pub required: Option<[u32; 3]>,
    /// Values of eight bytes that the source looks for in memory.
    pub words: &'r [u64],
    /// How often loops return to their heads at most, where that leaves inputs out: then some are drawn that are near it.
    pub bounded: Option<u32>,
    /// What is to be reached.
    pub goals: Goals,
    /// Numbers that the source's ways depend on.
    pub numbers: Vec<u32>,
    /// Inputs that are taken besides those that are drawn.
    pub given: Vec<Given>,
}

/// How far an evaluation went.
#[derive(Debug, Default)]
pub struct Reach {
    /// How many inputs counted.
    pub count: u32,
    /// What was reached.
    pub reached: BTreeSet<Goal>,
}

impl Reach {
    /// Counts an input by the values that terms have on it.
    fn note(&mut self, goals: &Goals, values: &Values) {
        self.count += 1;
        let holds = |t: &TermId| values[t.0 as usize].is_some_and(|b| b.is_true());
        let open = goals.iter().filter(|(_, conditions)| conditions.iter().any(holds));
        self.reached.extend(open.map(|(goal, _)| *goal));
    }
}

/// Evaluates both sides on [`INPUTS`] inputs, and on more where something is left to be reached.
///
/// # Errors
/// An input on which they differ, in words.
pub fn evaluate(raw: &Raw<'_>) -> Result<Reach, Reason> {
    let mut reach = Reach::default();
    let terms = raw.inputs.terms;
    let order = terms.topological(&raw.roots());
    let order: Vec<Step> = order.into_iter().map(|t| (t, terms.node(t), terms.width_of(t))).collect();
    let reads = raw.inputs.reads().into_iter().map(|r| (r.variable, r)).collect();
    let bound = raw.inputs.bound();
    let tries = (WORK / order.len().max(1) as u64).clamp(INPUTS.into(), TRIED);
    for seed in 0..MOST_TRIED {
        sassafras_solve::limit::look();
        let all = reach.reached.len() == raw.goals.len();
        let enough = reach.count >= INPUTS && (all || seed >= tries);
        if enough || seed >= TRIED && !(1..LEAST).contains(&reach.count) {
            break;
        }
        if let Some(values) = raw.one(seed, None, &order, &reads, &bound)? {
            reach.note(&raw.goals, &values);
        }
    }
    for given in &raw.given {
        for seed in GIVEN {
            sassafras_solve::limit::look();
            if let Some(values) = raw.one(seed, Some(given), &order, &reads, &bound)? {
                reach.note(&raw.goals, &values);
                break;
            }
        }
    }
    Ok(reach)
}

/// Two terms that have to be the same wherever two conditions hold, one bit each.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The conditions.
    pub guards: [TermId; 2],
    /// What has to be the same.
    pub values: [TermId; 2],
}

/// The pairs, by their places in a list, that are not the same on an input that counts. Where the source leaves a value open they are.
pub fn differing(raw: &Raw<'_>, pairs: &[Pair]) -> BTreeSet<usize> {
    let terms = raw.inputs.terms;
    let order: Vec<Step> =
        terms.topological(&raw.roots()).into_iter().map(|t| (t, terms.node(t), terms.width_of(t))).collect();
    let reads = raw.inputs.reads().into_iter().map(|r| (r.variable, r)).collect();
    let bound = raw.inputs.bound();
    let (mut count, mut all) = (0, BTreeSet::new());
    for seed in 0..TRIED {
        sassafras_solve::limit::look();
        if count >= INPUTS || all.len() == pairs.len() {
            break;
        }
        let values = raw.values(seed, None, &order, &reads, &bound, Some(None));
        let at = |t: TermId| values[t.0 as usize];
        let holds = |t: &TermId| at(*t).is_some_and(|b| b.is_true());
        let outside =
            raw.source.beyond.iter().chain(raw.source.undefined).any(|b| at(*b).is_none_or(|b| b.is_true()));
        if outside || !raw.assumptions.iter().all(holds) {
            continue;
        }
        count += 1;
        let wrong = |p: &Pair| {
            let [x, y] = p.values.map(at);
            p.guards.iter().all(holds) && x.zip(y).is_some_and(|(x, y)| x != y)
        };
        all.extend((0..pairs.len()).filter(|i| wrong(&pairs[*i])));
    }
    all
}

/// A 32-bit pattern that tends to be one that matters.
fn pattern(h: u64) -> u32 {
    let value = (h >> 32) as u32;
    match h % 8 {
        0 => [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 64][(h >> 8) as usize % 8],
        1 => value % 64,
        2 => 1 << (value % 32),
        _ => value,
    }
}

/// An event that others see: kind, operands (none where the source of a call leaves one open), state of memory before.
type Happened = (Action, Vec<Option<u128>>, u128);

/// What a side did on an input.
#[derive(Default, PartialEq, Eq)]
struct Effects {
    /// Bytes written, by interval, memory and address; `None` where the source leaves open what.
    written: BTreeMap<(u128, Space, u64), Option<u8>>,
    /// Bytes accessed.
    touched: BTreeSet<(u128, Space, u64)>,
    /// Events that others see: kind, operands, state of memory before.
    events: BTreeSet<Happened>,
    /// Those of them that the other side may lack, if this is the source.
    optional: BTreeSet<Happened>,
    traps: bool,
}

/// A term to evaluate: its node and its width.
type Step = (TermId, Node, u32);

/// Values of terms; none where they depend on what is undefined.
type Values = Vec<Option<Bits>>;

impl Raw<'_> {
    fn roots(&self) -> Vec<TermId> {
        let events = self.source.events.iter().chain(self.target.events);
        let mut roots: Vec<TermId> = events.flat_map(|e| [e.guard, e.address, e.value, e.version]).collect();
        roots.extend(
            self.source.events.iter().chain(self.target.events).flat_map(|e| e.arguments.iter().copied()),
        );
        roots.extend(self.assumptions);
        roots.extend(self.never.iter().chain(&self.tangled));
        roots.extend(self.goals.values().flatten());
        for side in [&self.source, &self.target] {
            roots.extend(side.beyond.iter().chain(side.undefined));
            roots.extend(side.traps.iter().map(|t| t.0));
        }
        for r in self.inputs.reads() {
            roots.extend([r.base, r.version, r.variable]);
        }
        for (v, b) in self.inputs.bound() {
            roots.push(v);
            roots.extend(b.operands);
        }
        roots
    }

    /// Whether a variable is what a shuffle gives of a word that is the same in all lanes.
    fn answers_itself(&self, b: &Bound) -> bool {
        b.what.is_shuffle() && b.index == 0 && self.inputs.is_uniform(b.operands[0])
    }

    /// The values of terms on the input of this seed, a part of which may be given, if it is admissible.
    fn one(
        &self,
        seed: u64,
        given: Option<&Given>,
        order: &[Step],
        reads: &FxHashMap<TermId, Read>,
        bound: &FxHashMap<TermId, Bound>,
    ) -> Result<Option<Values>, Reason> {
        // What is decided by what was never written is excluded: there it may be anything.
        let never = |n: &Node| matches!(n, Node::Undef { why, .. } if unwritten::is_never(why));
        let any = order.iter().any(|(id, node, _)| (id.0 as usize) >= self.of_target && never(node));
        let decided = any.then(|| self.values(seed, given, order, reads, bound, None));
        let values = self.values(seed, given, order, reads, bound, Some(decided.as_ref()));
        let decided = decided.unwrap_or_else(|| values.clone());
        Ok(self.judged(seed, order, &values, &decided)?.then_some(decided))
    }

    /// Values of all terms on an input. `decided`: none if also those that rest on what the source never wrote have one; else what these are, if there are any,
    /// since an address that is made of such a register, and does not rest on it (zero times it), is one all the same.
    fn values(
        &self,
        seed: u64,
        given: Option<&Given>,
        order: &[Step],
        reads: &FxHashMap<TermId, Read>,
        bound: &FxHashMap<TermId, Bound>,
        decided: Option<Option<&Values>>,
    ) -> Values {
        let never = decided.is_none();
        let elsewhere = |t: TermId| decided.flatten().and_then(|all: &Values| all[t.0 as usize]);
        let d = Concrete::default();
        let layout = self.layout(seed);
        let mut values: Values = vec![None; order.last().map_or(0, |t| t.0.0 as usize + 1)];
        for (id, node, width) in order {
            let (id, width) = (*id, *width);
            let at = |t: TermId| values[t.0 as usize];
            let number = |t: TermId| at(t).map_or(0, |b: Bits| b.bits() as u64);
            let value = match node {
                // The source allows anything here; the target must be right whatever it is.
                Node::Undef { why, .. } if (id.0 as usize) >= self.of_target => {
                    (never && unwritten::is_never(why)).then(|| Bits::new(width, self.draw(seed, id)))
                }
                Node::Undef { .. } => Some(Bits::new(width, self.draw(seed, id))),
                Node::Variable(_) if reads.contains_key(&id) => {
                    let place = |t: TermId| elsewhere(t).map_or_else(|| number(t), |b| b.bits() as u64);
                    Some(Bits::new(width, self.bytes_at(seed, given, &reads[&id], place).into()))
                }
                // What others answer to a word of which bits are open is open.
                Node::Variable(_)
                    if bound.get(&id).is_some_and(|b| {
                        b.what.is_shuffle() && b.operands.iter().any(|o| at(*o).is_none())
                    }) =>
                {
                    None
                }
                // All lanes have one word: it is the answer.
                Node::Variable(_) if bound.get(&id).is_some_and(|b| self.answers_itself(b)) => {
                    at(bound[&id].operands[0])
                }
                Node::Variable(_) if bound.contains_key(&id) => {
                    Some(Bits::new(width, self.answer(seed, &bound[&id], at)))
                }
                Node::Variable(_) => {
                    let own = layout.get(&id).copied();
                    let input = given.and_then(|g| g.inputs.get(&self.inputs.input_of(id)?).copied());
                    Some(Bits::new(width, input.or(own).unwrap_or_else(|| self.draw(seed, id))))
                }
                Node::Ite(c, a, b) => at(*c).and_then(|c| at(if c.is_true() { *a } else { *b })),
                other => {
                    let arguments: Option<smallvec::SmallVec<[Bits; 3]>> =
                        other.operands().iter().map(|o| at(*o)).collect();
                    arguments.map(|a| Terms::apply(&d, other, width, &a))
                }
            };
            values[id.0 as usize] = value;
        }
        values
    }

    /// The eight bytes that memory holds where something is read. `place`: values of its address and of its state of memory.
    fn bytes_at(&self, seed: u64, given: Option<&Given>, r: &Read, place: impl Fn(TermId) -> u64) -> u64 {
        let from = place(r.base).wrapping_add(r.offset as u64);
        let version = place(r.version);
        let tag = tag(r.memory);
        let of = |a: u64| given.filter(|_| version == 0)?.bytes.get(&(tag, a)).copied();
        // Bytes by their addresses, so that reads from different bases agree.
        let byte = |a: u64| {
            if let Some(byte) = of(a) {
                return byte;
            }
            let word = hash(seed, &[4, version, tag, a & !7]);
            if !self.words.is_empty() && !word.is_multiple_of(4) {
                let chosen = self.words[(word >> 8) as usize % self.words.len()];
                return chosen.to_le_bytes()[(a & 7) as usize];
            }
            let h = hash(seed, &[1, version, tag, a & !3]);
            self.number(seed, Self::MEMORY, h).to_le_bytes()[(a & 3) as usize]
        };
        u64::from_le_bytes(std::array::from_fn(|i| byte(from.wrapping_add(i as u64))))
    }

    /// What others answer to an event; `at`: values of its operands.
    fn answer(&self, seed: u64, b: &Bound, at: impl Fn(TermId) -> Option<Bits>) -> u128 {
        let mut words: Vec<u64> = b.what.to_string().bytes().map(u64::from).collect();
        for o in &b.operands {
            let v = at(*o).map_or(0, |b: Bits| b.bits());
            words.extend([v as u64, (v >> 64) as u64]);
        }
        words.push(b.index.into());
        let h = hash(seed, &words);
        // Where ways depend on answers, often one is a word that was asked with, as of a compare-and-swap that changes the word.
        let operands = b.operands.len().max(2) - 1;
        let own = b.operands.get((h >> 4) as usize % operands).and_then(|o| at(*o));
        if let Some(own) =
            own.filter(|_| b.index != u32::MAX && self.bounded.is_some() && h.is_multiple_of(2))
        {
            return own.bits();
        }
        // A state of memory is a name; what others answer tends to matter.
        let bits = if b.index == u32::MAX { h } else { u64::from(pattern(h)) | u64::from(pattern(!h)) << 32 };
        u128::from(bits) << 64 | u128::from(bits)
    }

    /// Whether an input is admissible; the sides do the same on it. `decided`: values that guards and addresses have.
    fn judged(&self, seed: u64, order: &[Step], values: &Values, decided: &Values) -> Result<bool, Reason> {
        let truth = |t: TermId| decided[t.0 as usize].map(|b| b.is_true());
        let outside = self.assumptions.iter().any(|a| truth(*a) != Some(true))
            || self.source.beyond.iter().chain(self.source.undefined).any(|b| truth(*b) != Some(false));
        if outside || self.source.events.iter().any(|e| truth(e.guard).is_none()) {
            return Ok(false);
        }
        if self.target.beyond.iter().any(|b| truth(*b) != Some(false)) {
            return Ok(false);
        }
        let differs = |difference| -> Reason { Evaluation::Contradicted { input: seed, difference }.into() };
        if self.never.iter().any(|n| truth(*n) == Some(true)) {
            return Err(differs(Difference::Faults));
        }
        if self.tangled.iter().any(|n| truth(*n) != Some(false)) {
            return Err(Evaluation::Tangled { input: seed }.into());
        }
        let Some(left) = effects(&self.source, values, decided) else { return Ok(false) };
        let Some(right) = effects(&self.target, values, decided) else {
            return Err(differs(Difference::Undefined));
        };
        if left.written.len() != right.written.len() {
            return Err(differs(Difference::Stores));
        }
        let mut same = true;
        for (at, byte) in &left.written {
            let Some(own) = right.written.get(at) else { return Err(differs(Difference::Stores)) };
            same &= byte.is_none() || byte == own;
        }
        if !same {
            // Such an input says nothing where a NaN that was computed may have another payload.
            let open = order.iter().any(|(id, node, _)| may_be_another_nan(node, values[id.0 as usize]));
            return if open { Ok(false) } else { Err(differs(Difference::Stores)) };
        }
        let partner = |s: &Happened, t: &Happened| {
            let wanted = sassafras_symbolic::trace::event::wanted(&s.0, &s.1, &t.1);
            let alike = |(x, y): (&Option<u128>, &Option<u128>)| x.is_none() || x == y;
            (&s.0, s.2) == (&t.0, t.2) && wanted.len() == t.1.len() && wanted.iter().zip(&t.1).all(alike)
        };
        let found =
            left.events.difference(&left.optional).all(|s| right.events.iter().any(|t| partner(s, t)))
                && right.events.iter().all(|t| left.events.iter().any(|s| partner(s, t)));
        if !found {
            return Err(differs(Difference::Events));
        }
        if left.traps != right.traps {
            return Err(differs(Difference::Traps));
        }
        match right.touched.iter().find(|a| !left.touched.contains(a)) {
            Some(a) => Err(differs(Difference::Access(a.2))),
            None => Ok(true),
        }
    }

    /// Where local variables lie on an input, by their addresses: disjoint, aligned, in any order.
    fn layout(&self, seed: u64) -> FxHashMap<TermId, u128> {
        let mut all = FxHashMap::default();
        let mut free = 0x2000_0000 + 16 * (hash(seed, &[5]) % 64);
        let count = self.locals.len();
        for i in 0..count {
            let v = &self.locals[if seed.is_multiple_of(2) { i } else { count - 1 - i }];
            let here = self.placed.iter().find(|p| (p.frame, p.index) == (v.frame, v.index));
            let at = match (here, self.top) {
                (Some(p), Some(top)) => (self.draw(seed, top) as u32).wrapping_sub(p.below).into(),
                _ => {
                    let align = v.align.max(1);
                    let at = free.next_multiple_of(align) + align * (hash(seed, &[6, i as u64]) % 4);
                    free = at + v.size;
                    u128::from(at)
                }
            };
            all.insert(self.inputs.local(v.frame, v.index), at);
        }
        all
    }

    /// Of so many seeds in a row, which draw small numbers for parameters, and for memory.
    const PARAMETERS: &'static [u64] = &[1, 3];
    const MEMORY: &'static [u64] = &[1];

    /// A number of 32 bits; near the bound for seeds that are among these, modulo 4.
    fn number(&self, seed: u64, near_bound: &[u64], h: u64) -> u32 {
        match self.bounded.filter(|_| near_bound.contains(&(seed % 4))) {
            Some(most) => near(h, most, &self.numbers, pattern(h)),
            None => pattern(h),
        }
    }

    /// The upper half of what has this lower one: where numbers are near the bound, often such that both together are.
    fn upper(&self, seed: u64, low: u32, h: u64) -> u32 {
        let near_bound = self.bounded.is_some() && Self::PARAMETERS.contains(&(seed % 4));
        match h >> 16 & 3 {
            0 | 1 if near_bound => ((low as i32) >> 31) as u32,
            _ => self.number(seed, Self::PARAMETERS, h),
        }
    }

    /// A value for a variable.
    fn draw(&self, seed: u64, id: TermId) -> u128 {
        let Node::Variable(number) = self.inputs.terms.node(id) else {
            return hash(seed, &[2, id.0.into()]).into();
        };
        let name = self.inputs.terms.name(number);
        let word = |tag: u64| hash(seed, &[3, tag]);
        let text: Vec<u64> = name.bytes().map(u64::from).collect();
        let own = hash(seed, &text);
        let most = |axis: usize| u64::from(self.inputs.most_threads(AXES[axis]));
        let shape = |axis: usize| match (self.required, axis) {
            (Some(n), _) => n[axis].max(1).into(),
            (None, 0) => 1 + word(0) % most(0).min(64),
            (None, _) => 1 + word(axis as u64) % most(axis).min(3),
        };
        let tid = |a: usize| word(16 + a as u64) % shape(a);
        let blocks = |a: Axis| 1 + word(8 + a as u64) % 5;
        let drawn = match self.inputs.input_of(id) {
            Some(Input::Ntid(a)) => shape(a as usize),
            Some(Input::Nctaid(a)) => blocks(a),
            Some(Input::Tid(a)) => tid(a as usize),
            Some(Input::Ctaid(a)) => own % blocks(a),
            Some(Input::LaneId) => (tid(0) + shape(0) * (tid(1) + shape(1) * tid(2))) % 32,
            Some(Input::Symbol(_)) => (own % 0xffff_ffff) << 8,
            Some(Input::Parameter(at)) if self.pointers.contains(&at) => {
                (0x40 + at) << 32 | (own & 0xff_ffff) << 8
            }
            _ => {
                let low = self.number(seed, Self::PARAMETERS, own);
                u64::from(low) | u64::from(self.upper(seed, low, hash(seed, &[own]))) << 32
            }
        };
        drawn.into()
    }
}

/// Whether a value is a NaN of binary64 that was computed, which may have any payload (A-FP).
fn may_be_another_nan(node: &Node, value: Option<Bits>) -> bool {
    let computed = matches!(
        node,
        Node::Float { format: FloatFormat::F64, .. } | Node::FloatToFloat { to: FloatFormat::F64, .. }
    );
    computed && value.is_some_and(|v| f64::from_bits(v.bits() as u64).is_nan())
}

/// None if an address is undefined.
fn effects(side: &Log<'_>, values: &Values, decided: &Values) -> Option<Effects> {
    let mut all = Effects::default();
    let number = |t: TermId| decided[t.0 as usize].map(|b| b.bits());
    let left = |t: TermId| values[t.0 as usize].map(|b| b.bits());
    for e in side.events {
        if number(e.guard)? != 1 {
            continue;
        }
        let version = number(e.version)?;
        if let Some(action) = e.action() {
            let operands: Vec<Option<u128>> = e.arguments.iter().map(|a| left(*a)).collect();
            if operands.contains(&None) && !e.hands_on() {
                return None;
            }
            let happened = (action.clone(), operands, if e.orders { version } else { 0 });
            if e.is_optional() {
                all.optional.insert(happened.clone());
            }
            all.events.insert(happened);
            continue;
        }
        if !e.accesses() {
            continue;
        }
        let at = number(e.address)? as u64;
        let bytes = left(e.value).map(u128::to_le_bytes);
        for i in 0..e.bytes as usize {
            let key = (version, e.space, at.wrapping_add(i as u64));
            all.touched.insert(key);
            if e.stores() {
                all.written.insert(key, bytes.map(|b| b[i]));
            }
        }
    }
    for (c, _) in side.traps {
        all.traps |= number(*c)? == 1;
    }
    Some(all)
}
