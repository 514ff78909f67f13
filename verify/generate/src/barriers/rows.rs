//! The kinds that programs are made of, and where each may stand.

use super::maker::{Maker, Needs, Row};
use super::place::Place;
use super::{block, calls, flow, named, objects, spin, warp};

const fn row(name: &'static str, sm: u32, needs: Needs, weight: usize, write: fn(&mut Maker, &Place)) -> Row {
    Row { name, sm, needs, weight, write }
}

/// The kinds.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = {
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

/// The chips at which kinds begin: programs for chips from one to below the next are the same.
pub fn tiers() -> [u32; 3] {
    [75, 80, 90]
}
