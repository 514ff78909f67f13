//! The kinds that programs are made of, and where each may stand.

use super::maker::Maker;
use super::{Place, block, calls, flow, named, objects, spin, warp};

/// The least place that a kind needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// All threads of the block.
    Block,
    /// All threads of the block, of which none may have ended.
    Whole,
    /// All lanes of the warp, or those of a mask.
    Mask,
    /// All lanes of the warp.
    Warp,
    /// Nothing, in a program of which threads end early, outside of masks.
    Ends,
    /// At most one loop around: lanes that spin in many take long in orders that hold others back.
    Shallow,
    /// Nothing.
    Nothing,
}

/// A kind: its name, the least chip, what it needs, how often it is drawn, what writes it.
struct Row {
    name: &'static str,
    sm: u32,
    needs: Needs,
    weight: usize,
    write: fn(&mut Maker, &Place),
}

const fn row(name: &'static str, sm: u32, needs: Needs, weight: usize, write: fn(&mut Maker, &Place)) -> Row {
    Row { name, sm, needs, weight, write }
}

#[rustfmt::skip]
const ROWS: &[Row] = {
    use Needs::*;
    &[
        row("barrier",            75, Block, 6, block::barrier),
        row("barrier reduction",  75, Block, 4, block::reduction),
        row("barrier apart",      75, Block, 1, block::apart),
        row("exchange",           75, Block, 4, block::exchange),
        row("tree reduction",     75, Block, 3, block::tree),
        row("scan",               75, Block, 3, block::scan),
        row("double buffer",      75, Block, 2, block::double_buffer),
        row("radix pass",         75, Block, 3, block::radix),
        row("append",             75, Block, 2, block::append),
        row("persistent threads", 75, Whole, 4, block::persistent),
        row("counted barrier",    75, Whole, 3, named::counted),
        row("barrier of a warp",  75, Whole, 2, named::of_warps),
        row("producer, consumer", 75, Whole, 3, named::producer),
        row("turns of warps",     75, Whole, 3, spin::turns),
        row("grid barrier",       75, Whole, 2, spin::grid),
        row("barrier object",     80, Whole, 4, objects::object),
        row("bulk copy in",       90, Whole, 3, objects::bulk_in),
        row("bulk copy out",      90, Block, 2, objects::bulk_out),
        row("cluster barrier",    90, Block, 2, objects::cluster),
        row("shuffle",            75, Mask, 4, warp::shuffle),
        row("vote",               75, Mask, 4, warp::vote),
        row("match",              75, Mask, 2, warp::matched),
        row("redux",              80, Mask, 2, warp::redux),
        row("warp sync",          75, Mask, 2, warp::sync),
        row("elect",              90, Mask, 3, warp::elect),
        row("lane 0",             75, Warp, 2, warp::first_lane),
        row("masks of equals",    75, Mask, 2, warp::equals),
        row("tile",               75, Warp, 3, warp::tile),
        row("while any",          75, Mask, 3, warp::while_any),
        row("masks that shrink",  75, Mask, 2, warp::shrinking),
        row("atomic",             75, Nothing, 5, spin::atomic),
        row("compare and swap",   75, Shallow, 3, spin::swap),
        row("lock by a lane",     75, Shallow, 2, spin::lock),
        row("lock by a warp",     75, Warp, 3, spin::lock_of_warp),
        row("leader of active",   75, Nothing, 3, spin::active),
        row("if alike",           75, Nothing, 4, flow::alike),
        row("if of warps",        75, Nothing, 4, flow::warps),
        row("if apart",           75, Nothing, 5, flow::apart),
        row("loop alike",         75, Nothing, 5, flow::counted),
        row("loop apart",         75, Nothing, 6, flow::lanes),
        row("nest apart",         75, Nothing, 3, flow::nest),
        row("switch",             75, Nothing, 3, flow::switch),
        row("switch alike",       75, Nothing, 2, flow::switch_alike),
        row("call",               75, Nothing, 4, calls::call),
        row("end",                75, Ends, 4, flow::end),
        row("end of warps",       75, Ends, 2, flow::end_of_warps),
    ]
};

/// Names of the kinds, and of what they have besides.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|r| r.name)
}

/// Kinds that are only parts of others, with the least chip (PTX ISA, "mbarrier.try_wait").
const PARTS: &[(&str, u32)] = &[("try_wait", 90)];

/// The least chip that has a kind.
pub(super) fn least(kind: &str) -> Option<u32> {
    let rows = ROWS.iter().map(|r| (r.name, r.sm));
    rows.chain(PARTS.iter().copied()).find(|(name, _)| *name == kind).map(|(_, sm)| sm)
}

/// The chips at which kinds begin: programs for chips from one to below the next are the same.
pub fn tiers() -> [u32; 3] {
    [75, 80, 90]
}

fn fits(row: &Row, m: &Maker, place: &Place) -> bool {
    let nests = !matches!(row.name, n if n.starts_with("if") || n.starts_with("loop") || n.starts_with("nest")
        || n.starts_with("switch") || n == "call")
        || m.depth < 3;
    let there = match row.needs {
        Needs::Block => *place == Place::Block,
        Needs::Whole => *place == Place::Block && !m.exits,
        Needs::Mask => *place != Place::Alone,
        Needs::Warp => matches!(place, Place::Block | Place::Warp),
        Needs::Ends => m.may_end() && !matches!(place, Place::Lanes(_)),
        Needs::Shallow => m.loops <= 1,
        Needs::Nothing => true,
    };
    nests && there && m.sm >= row.sm
}

/// Writes one thing that fits the place.
pub(super) fn one(m: &mut Maker, place: &Place) {
    // Drawn among all, so that programs of chips that have a kind and of those that lack it are much alike.
    let all: usize = ROWS.iter().map(|r| r.weight).sum();
    for _ in 0..40 {
        let mut at = m.below(all);
        let row = ROWS.iter().find(|r| {
            let found = at < r.weight;
            at = at.saturating_sub(r.weight);
            found
        });
        let Some(row) = row.filter(|r| fits(r, m, place)) else { continue };
        m.count(row.name, row.sm);
        (row.write)(m, place);
        return;
    }
}
