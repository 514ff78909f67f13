//! The final order of instructions, and their control bits.
//!
//! Does: orders each block by critical path ([`order`]); gives scoreboards to instructions of variable latency and
//! wait masks to those that depend on them ([`boards`]); sets stall counts so that every fixed distance holds, along
//! every path and around every loop ([`stalls`]), with NOPs where a distance exceeds what one count can say. Does not:
//! move anything between blocks; set the yield bit or reuse flags. Needs: `Phase::Placed`. Makes it
//! `Phase::Scheduled`.

mod boards;
pub(crate) mod hazard;
pub(crate) mod order;
mod stalls;

use crate::Error;
use sassafras_machine::{Function, Phase};

/// What [`schedule`] did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScheduleStats {
    /// Instructions that stand elsewhere in their block than before.
    pub moved: usize,
    /// Instructions that wait for a scoreboard.
    pub waits: usize,
    /// NOPs added.
    pub nops: usize,
    /// Sum of all stall counts.
    pub stalls: u64,
}

/// See the head of this file.
pub fn schedule(f: &mut Function) -> Result<ScheduleStats, Error> {
    Error::unless("schedule", Phase::Placed, f.phase)?;
    let mut stats = ScheduleStats::default();
    for block in f.layout.clone() {
        if f.blocks[block].insts.is_empty() {
            f.blocks[block].insts.push(sassafras_machine::MInst::new(crate::expand::make(
                f.chip,
                "nop",
                &[],
            )?));
            stats.nops += 1;
        }
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let order = order::order(f.chip, &insts);
        stats.moved += order.iter().enumerate().filter(|(at, from)| at != *from).count();
        let mut insts: Vec<_> = insts.into_iter().map(Some).collect();
        f.blocks[block].insts = order.into_iter().filter_map(|index| insts[index].take()).collect();
    }
    for block in f.layout.clone() {
        for inst in f.blocks[block].insts.iter_mut().filter_map(|inst| inst.inst_mut()) {
            inst.control = hazard::NEUTRAL;
        }
    }
    stats.waits = boards::set(f);
    stats.nops += stalls::set(f)?;
    let controls = f.insts().filter_map(|(_, _, inst)| inst.inst()).map(|inst| u64::from(inst.control.stall));
    stats.stalls = controls.sum();
    f.phase = Phase::Scheduled;
    Ok(stats)
}
