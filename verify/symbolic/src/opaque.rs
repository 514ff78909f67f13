//! Values that are abstracted: a second way to prove, where the first ends without an answer.
//!
//! What is loaded behind stores that may lie at the same place is a chain of choices, and what such a value is divided by is another. In them
//! a lemma's code is not found again. Here such a value becomes a variable, the same for both sides, because it is named by
//! the normal form that it stands for. What is shown for any value is shown for that one; what is not shown for any value may hold still, so
//! that nothing is refuted in this way.
//!
//! For both sides to load the same, a load of the target finds, of a store before it, what the source stores in the same place, in place of the target's own
//! term. That the two are equal is proved ([`StandIn`]).

use crate::sum::split;
use crate::trace::event::{Event, Place, place};
use sassafras_semantics::term::Node;
use sassafras_semantics::{TermId, Terms};
use std::cell::{Cell, RefCell};

/// How far values are abstracted.
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

/// What is abstracted, and what stores of the target stand for.
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
pub fn is_open(d: &Terms, t: TermId) -> bool {
    d.free(&[t]).into_iter().any(|f| matches!(d.node(f), Node::Undef { .. }))
}

impl Opaque {
    /// From now on values are abstracted.
    pub fn begin(&self) {
        self.stage.set(Stage::Finds);
    }

    /// Whether values are abstracted.
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
