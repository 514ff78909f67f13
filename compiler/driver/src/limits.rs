//! How many registers an entry may use, from options and directives.
//!
//! As `ptxas --help` says: `-maxrregcount` counts more than `-maxntid` and `-minnctapersm`; directives count more than
//! options, unless `-override-directive-values` is given. Whatever is said, one block of the entry's own size fits: with more registers
//! no launch of it works (ptxas 13.0.88 does the same with `.maxntid`, `.reqntid`, `-maxntid` and `-maxrregcount`, and not with `.maxnreg`).

use sassafras_chip::Chip;
use sassafras_chip::limits::THREADS_PER_BLOCK;

use crate::options::{Options, RegisterLimit};
use crate::warning::Warning;

/// What an entry's directives say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// `.maxnreg`.
    pub registers: Option<u32>,
    /// `.maxntid`.
    pub threads: Option<[u32; 3]>,
    /// `.reqntid`.
    pub exact_threads: Option<[u32; 3]>,
    /// `.minnctapersm`.
    pub blocks: Option<u32>,
}

/// What holds for an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Registers that the count in the cubin may reach, those that the hardware keeps included.
    pub registers: u32,
    /// What `MAXREG_COUNT` says: the limit that was asked for, or 255.
    pub stated: u16,
    /// Largest block.
    pub threads: Option<[u32; 3]>,
    /// What was adjusted, as warnings.
    pub warnings: Vec<Warning>,
}

/// The fewest registers that a limit may leave: what the calling convention needs (ptxas 13.0.88 on sm_90).
pub const LEAST: u32 = 24;

/// Combines options and directives.
pub fn bounds(entry: &str, directives: Directives, options: &Options, chip: Chip) -> Bounds {
    let limits = chip.limits();
    let most = limits.registers_per_thread;
    let mut warnings = Vec::new();
    let option = options.registers.and_then(|limit| match limit {
        RegisterLimit::Most => Some(most),
        RegisterLimit::Least => Some(LEAST),
        // 256 is one more than there are, and ptxas takes it for all of them.
        RegisterLimit::Count(n) if n > most + 1 => {
            warnings.push(Warning::ManyRegisters(n));
            None
        }
        RegisterLimit::Count(n) => Some(n),
    });
    let prefer = |directive: Option<u32>, option: Option<u32>| {
        if options.override_directives { option.or(directive) } else { directive.or(option) }
    };
    let explicit = prefer(directives.registers, option);
    let use_shape = options.registers.is_none();
    let threads = match (directives.threads, options.threads.filter(|_| use_shape)) {
        (directive, option) if options.override_directives => option.or(directive),
        (directive, option) => directive.or(option),
    };
    let blocks = prefer(directives.blocks, options.blocks_per_processor.filter(|_| use_shape));
    let warps = threads.or(directives.exact_threads).map(|shape| {
        let block = shape.iter().fold(1u64, |all, &n| all.saturating_mul(n.into()));
        block.min(THREADS_PER_BLOCK.into()).div_ceil(limits.warp_lanes.into()).max(1) as u32
    });
    let own = warps.map(|warps| chip.registers_for_warps(warps));
    let occupancy = warps.zip(blocks).and_then(|(warps, blocks)| {
        let of_option = Some(blocks) != directives.blocks || options.override_directives;
        let all = warps.saturating_mul(blocks);
        if blocks > chip.blocks_per_multiprocessor() {
            warnings.push(Warning::Blocks { entry: entry.to_owned() });
            return None;
        }
        if all > chip.warps_per_multiprocessor() {
            let name = if of_option { "minnctapersm" } else { ".minnctapersm" };
            warnings.push(Warning::Threads { entry: entry.to_owned(), name });
            return None;
        }
        Some(chip.registers_for_warps(all.max(1)))
    });
    let fits = |n: u32| own.map_or(n, |own| n.min(own));
    let wanted = explicit.or(occupancy.or(own)).map(fits);
    let stated = wanted.map_or(0xff, |n| n.min(most).max(LEAST) as u16);
    if let Some(n) = wanted.filter(|&n| n < LEAST) {
        warnings.push(Warning::FewRegisters { entry: entry.to_owned(), asked: n, least: LEAST });
    }
    let registers = wanted.unwrap_or(most).clamp(LEAST, most);
    Bounds { registers, stated, threads, warnings }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(directives: Directives, change: impl FnOnce(&mut Options)) -> Bounds {
        let mut options = Options::default();
        change(&mut options);
        bounds("k", directives, &options, Chip::Sm90)
    }

    #[test]
    fn who_counts_more() {
        let directives = Directives { registers: Some(40), ..Directives::default() };
        let none = Directives::default();
        let option = |o: &mut Options| o.registers = Some(RegisterLimit::Count(64));
        assert_eq!(of(none, |_| ()).stated, 0xff);
        assert_eq!(of(none, option).registers, 64);
        assert_eq!(of(directives, option).registers, 40);
        let both = |o: &mut Options| {
            option(o);
            o.override_directives = true;
        };
        assert_eq!(of(directives, both).registers, 64);
    }

    #[test]
    fn too_few_are_raised_aloud() {
        let bounds = of(Directives::default(), |o| o.registers = Some(RegisterLimit::Count(5)));
        assert_eq!((bounds.registers, bounds.warnings.len()), (LEAST, 1));
    }

    #[test]
    fn a_block_of_the_entrys_own_size_fits() {
        let of_threads = |x: u32| Directives { threads: Some([x, 1, 1]), ..Directives::default() };
        for (threads, registers) in [(256, 255), (288, 168), (513, 96), (1024, 64), (4096, 64)] {
            assert_eq!(of(of_threads(threads), |_| ()).registers, registers, "{threads}");
            let exact = Directives { exact_threads: Some([threads, 1, 1]), ..Directives::default() };
            assert_eq!(of(exact, |_| ()).registers, registers, "{threads}");
        }
        let flat = Directives { threads: Some([32, 32, 1]), ..Directives::default() };
        assert_eq!(of(flat, |_| ()).registers, 64);
        assert_eq!(of(Directives::default(), |o| o.threads = Some([1024, 1, 1])).registers, 64);
        let asked = Directives { registers: Some(128), ..of_threads(1024) };
        assert_eq!(of(asked, |_| ()).registers, 64);
        assert_eq!(of(of_threads(1024), |o| o.registers = Some(RegisterLimit::Count(128))).registers, 64);
        assert_eq!(of(of_threads(1024), |o| o.registers = Some(RegisterLimit::Count(40))).registers, 40);
    }

    #[test]
    fn too_many_blocks_are_left_out_aloud() {
        let of_blocks = |threads: u32, blocks: u32| {
            let shape =
                Directives { threads: Some([threads, 1, 1]), blocks: Some(blocks), ..Directives::default() };
            let bounds = of(shape, |_| ());
            (bounds.registers, bounds.warnings.len())
        };
        assert_eq!(of_blocks(320, 5), (32, 0));
        assert_eq!(of_blocks(416, 5), (128, 1));
        assert_eq!(of_blocks(32, 64), (255, 1));
        assert_eq!(of_blocks(32, u32::MAX), (255, 1));
    }

    #[test]
    fn blocks_share_the_registers() {
        let shape = Directives { threads: Some([256, 1, 1]), blocks: Some(4), ..Directives::default() };
        // 65,536 registers for 1,024 threads.
        assert_eq!(of(shape, |_| ()).registers, 64);
        assert_eq!(of(shape, |o| o.registers = Some(RegisterLimit::Count(128))).registers, 128);
    }
}
