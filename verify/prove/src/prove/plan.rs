//! A plan: what both sides are run with, where that may be chosen. What is proved under any plan is proved.

use sassafras_solve::limit::Limits;
use sassafras_symbolic::choice::Payloads;
use sassafras_symbolic::cut::{Cut, Row, Unfold, Way};
use sassafras_symbolic::places::Placed;
use sassafras_symbolic::trace::fences::Weakened;

/// How the sides are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// As they stand.
    #[default]
    Plain,
    /// Atomic operations are changes of words, and so are loops of the target around a compare-and-swap.
    Updates,
    /// Values are abstracted: what is proved holds, and nothing else that is found.
    Opaque,
}

/// What both sides are run with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How the sides are seen.
    pub view: View,
    /// Most returns to the head of a loop of the source, and most calls of a function within itself.
    pub unroll: u32,
    /// Shared variables of functions lie before those of the module, instead of behind them.
    pub own_first: bool,
    /// What NaNs are whose payload the source leaves open.
    pub payloads: Payloads,
    /// What fences of the target are taken for, of those that are taken for less than they are.
    pub weakened: Vec<Weakened>,
    /// Where local variables of the source lie, of those of which that is decided.
    pub placed: Vec<Placed>,
    /// Loops that are gone through once, for any number of turns.
    pub cuts: Vec<Cut>,
    /// Loops of the source that are unfolded, so that they go with others of the target.
    pub unfolds: Vec<Unfold>,
    /// Ways of the source that are said never to be gone; none before that was asked.
    pub never: Option<Vec<Way>>,
    /// Loop by loop, rows that take the place of such as do not hold.
    pub spare: Vec<Vec<Row>>,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            view: View::Plain,
            unroll: Limits::DEFAULT.unroll,
            own_first: false,
            payloads: Payloads::Open,
            weakened: Vec::new(),
            placed: Vec::new(),
            cuts: Vec::new(),
            unfolds: Vec::new(),
            never: None,
            spare: Vec::new(),
        }
    }
}

impl Plan {
    /// How often the head of a loop is come to at most; as deep stand calls.
    pub fn visits(&self) -> u32 {
        self.unroll.saturating_add(1)
    }

    /// Whether atomic operations are changes of words.
    pub fn updates(&self) -> bool {
        self.view == View::Updates
    }
}
