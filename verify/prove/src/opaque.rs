//! Values that are taken for anything: a second way to prove, where the first ends without an answer.
//!
//! What is loaded behind stores that may lie at the same place is a chain of choices, and what such a value is divided by is another. In them
//! a lemma's code is not found again. Here such a value becomes a variable, the same for both sides, because it is named by
//! the normal form that it stands for. What is shown for any value is shown for that one; what is not shown for any value may hold still, so
//! that nothing is refuted in this way.
//!
//! For both sides to load the same, a load of the target finds, of a store before it, what the source stores in the same place, in place of the target's own
//! term. That the two are equal is proved ([`StandIn`]).

use crate::event::{Event, Place, place};
use crate::inputs::{Inputs, split};
use sassafras_ptx::checked::{Inst, Op, Type};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId, Terms};
use std::cell::{Cell, RefCell};

/// Most terms of a value that was loaded and stays what it is.
const MOST_LOADED: usize = 40;
/// The same of what a quotient is made of.
const MOST_DIVIDED: usize = 8;
/// Bits of quotients whose operands are looked at.
const WIDTH: u32 = 64;

/// How far values are taken for anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// They are not.
    #[default]
    Off,
    /// Those that are loaded; what quotients are made of is looked for.
    Finds,
    /// What was found too.
    Knows,
}

/// What is taken for anything, and what stores of the target stand for.
#[derive(Debug, Default)]
pub struct Opaque {
    stage: Cell<Stage>,
    /// The source's stores in order.
    partners: RefCell<Vec<Event>>,
}

/// What loads find of a store of the target in place of what it stores.
#[derive(Clone, Copy, Debug)]
pub struct StandIn {
    /// Which event the store is.
    pub index: usize,
    /// Whether it happens, one bit.
    pub guard: TermId,
    /// What it stores.
    pub own: TermId,
    /// What loads find. Where it happens the two have to be equal.
    pub given: TermId,
}

/// Whether a term rests on what is undefined.
fn is_open(d: &Terms, t: TermId) -> bool {
    d.free(&[t]).into_iter().any(|f| matches!(d.node(f), Node::Undef { .. }))
}

/// Whether an instruction is a quotient or a remainder of long integers.
pub fn divides(inst: &Inst) -> bool {
    let long = |t: &Type| matches!(t, Type::U(64) | Type::S(64));
    matches!(inst.op, Op::Div | Op::Rem) && inst.types.first().is_some_and(long)
}

impl Opaque {
    /// From now on values are taken for anything.
    pub fn begin(&self) {
        self.stage.set(Stage::Finds);
    }

    /// Whether values are taken for anything.
    pub fn is_active(&self) -> bool {
        self.stage.get() != Stage::Off
    }

    /// Whether what quotients are made of is still looked for.
    pub fn finds(&self) -> bool {
        self.stage.get() == Stage::Finds
    }

    /// What quotients are made of was found.
    pub fn found(&self) {
        self.stage.set(Stage::Knows);
    }

    /// Stores of the target stand for these, in order.
    pub fn hold(&self, source: &[Event]) {
        *self.partners.borrow_mut() = source.iter().filter(|e| e.stores()).cloned().collect();
    }

    /// What the source stores with the store that is the same one of this place, as its `number`th, counted from zero.
    pub fn partner(&self, d: &Terms, number: usize, own: &Event) -> Option<TermId> {
        let all = self.partners.borrow();
        let found = all.iter().filter(|e| same_place(e, own)).nth(number)?;
        (found.value != own.value && !is_open(d, found.value)).then_some(found.value)
    }
}

/// Whether two stores are one but for what they store.
pub fn same_place(a: &Event, b: &Event) -> bool {
    let place = |e: &Event| (e.space, e.address, e.bytes, e.guard, e.version);
    place(a) == place(b)
}

/// Stores, the newest first, in an order that does not depend on how those that lie apart come after each other.
pub fn sorted(d: &Terms, stores: &mut [Event]) {
    let key = |e: &Event| split(d, e.address);
    for end in (1..stores.len()).rev() {
        for i in 0..end {
            let (newer, older) = (&stores[i], &stores[i + 1]);
            let apart = place(d, newer.address, newer.bytes, older) == Place::Apart;
            if apart && key(newer) > key(older) {
                stores.swap(i, i + 1);
            }
        }
    }
}

/// What a value that was loaded is taken for.
pub fn loaded(inputs: &Inputs<'_>, value: TermId) -> TermId {
    let d = inputs.terms;
    let large = || d.topological(&[value]).len() > MOST_LOADED;
    if !inputs.opaque.is_active() || inputs.known(value).is_some() || !large() || is_open(d, value) {
        return value;
    }
    inputs.variable(&format!("loaded.{value}"), d.width_of(value), inputs.is_uniform(value))
}

/// What a quotient is made of is taken for anything from the next run on, but for a lowest bit that is known: a divisor with one is not
/// zero.
pub fn divided(inputs: &Inputs<'_>, operand: TermId) {
    let d = inputs.terms;
    let value = inputs.normal.of(operand);
    let large = || d.topological(&[value]).len() > MOST_DIVIDED;
    if d.width_of(value) != WIDTH || inputs.known(value).is_some() || !large() || is_open(d, value) {
        return;
    }
    let half = WIDTH / 2;
    let bits = |low, width| inputs.normal.bits(value, low, width);
    let (low, high) = (bits(0, half), bits(half, half));
    // By its words, which are the same however it was put together.
    let anything = |width| {
        let uniform = inputs.is_uniform(high) && inputs.is_uniform(low);
        inputs.variable(&format!("divided.{high}.{low}.{width}"), width, uniform)
    };
    let last = bits(0, 1);
    let whole = match d.as_constant(&last) {
        Some(_) => d.concat(&anything(WIDTH - 1), &last),
        None => anything(WIDTH),
    };
    let part = |low, width| inputs.normal.of(d.extract(&whole, low, width));
    let pairs = [(value, part(0, WIDTH)), (low, part(0, half)), (high, part(half, half))];
    let same = pairs.into_iter().filter(|(own, _)| inputs.known(*own).is_none()).collect();
    inputs.normal.declare(&same);
}
