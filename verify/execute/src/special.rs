//! Special registers: what the launch fixes, and free inputs drawn from a seed.

use crate::launch::Launch;
use crate::order::hash;
use sassafras_chip::limits::RESERVED_SHARED_BYTES;
use sassafras_semantics::{Axis, SpecialRegister};

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    /// Block index in x, y, z.
    pub block: [u32; 3],
    /// Warp index within the block.
    pub warp: u32,
    /// Lane index within the warp.
    pub lane: u32,
    /// Instructions issued so far, for clocks.
    pub now: u64,
    /// Seed of the free inputs.
    pub seed: u64,
    /// Shared memory of the block in bytes, dynamic included.
    pub shared: u32,
}

impl Asker {
    /// The thread's index in its block, linear.
    pub fn thread(&self) -> u32 {
        32 * self.warp + self.lane
    }
}

fn axis(v: [u32; 3], axis: Axis) -> u32 {
    match axis {
        Axis::X => v[0],
        Axis::Y => v[1],
        Axis::Z => v[2],
    }
}

/// Index in x, y, z of linear index `n`.
pub fn unfold(n: u64, size: [u32; 3]) -> [u32; 3] {
    let [x, y] = [u64::from(size[0].max(1)), u64::from(size[1].max(1))];
    [(n % x) as u32, (n / x % y) as u32, (n / x / y) as u32]
}

/// `%gridid` of every launch: any number does, and both halves of this one tell.
pub(crate) const GRID_ID: u64 = 0x0000_0005_0000_0007;

/// The register's value, of [`SpecialRegister::width`] bits. A grid without clusters has clusters of one block.
pub fn value(register: SpecialRegister, asker: &Asker, launch: &Launch) -> u64 {
    use SpecialRegister as R;
    let Asker { block, warp, lane, now, seed, shared } = *asker;
    let free = |tag: u64, parts: &[u64]| hash(hash(seed, &[tag]), parts);
    let place = [u64::from(block[0]), u64::from(block[1]), u64::from(block[2])];
    // Clocks start anywhere, run at any speed, and never backwards.
    let clock = || (free(1, &[]) >> 8).wrapping_add(now.wrapping_mul(5 + free(7, &[]) % 16));
    let timer = || (free(2, &[]) >> 8).wrapping_add(now.wrapping_mul(3 + free(8, &[]) % 8));
    let value = match register {
        R::Tid(a) => axis(unfold(asker.thread().into(), launch.block), a).into(),
        R::Ntid(a) => axis(launch.block, a).into(),
        R::Ctaid(a) | R::ClusterId(a) => axis(block, a).into(),
        R::Nctaid(a) | R::NClusterId(a) => axis(launch.grid, a).into(),
        R::LaneId => lane.into(),
        R::WarpId => free(3, &[place[0], place[1], place[2], warp.into()]) % 64,
        R::NWarpId => 64,
        R::SmId => free(4, &place) % 132,
        R::NSmId => 132,
        R::GridId => GRID_ID,
        R::LaneMaskEq => 1 << lane,
        R::LaneMaskLt => (1 << lane) - 1,
        R::LaneMaskLe => (2 << lane) - 1,
        R::LaneMaskGe => 0xffff_ffff & !((1 << lane) - 1),
        R::LaneMaskGt => 0xffff_ffff & !((2 << lane) - 1),
        R::Clock => clock(),
        R::ClockHi => clock() >> 32,
        R::Clock64 => clock(),
        R::GlobalTimer | R::GlobalTimerLo => timer(),
        R::GlobalTimerHi => timer() >> 32,
        R::EnvReg(n) => free(6, &[n.into()]),
        R::Pm(n) => free(7, &[n.into()]),
        R::TotalSmemSize | R::AggrSmemSize => shared.into(),
        R::DynamicSmemSize => launch.dynamic_shared.into(),
        R::Pm64(n) => free(7, &[n.into()]),
        R::CurrentGraphExec => free(9, &[]),
        R::ReservedSmemOffset(0) | R::ReservedSmemBegin => 0,
        // From sm_90 on these are words of the environment.
        R::ReservedSmemEnd => free(6, &[10]),
        R::ReservedSmemOffset(_) => free(6, &[11]),
        R::ReservedSmemCap => RESERVED_SHARED_BYTES.into(),
        R::ClusterCtaid(_) | R::ClusterCtaRank | R::IsExplicitCluster => 0,
        R::ClusterNctaid(_) | R::ClusterNctaRank => 1,
        R::BankCopy => free(10, &[]) % 2,
    };
    match register.width() {
        64 => value,
        width => value & ((1 << width) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launch_shape_and_lane_masks() {
        let launch = Launch::new([2, 3, 1], [8, 4, 2]);
        let asker = Asker { block: [1, 2, 0], warp: 1, lane: 11, now: 0, seed: 0, shared: 0 };
        let get = |r| value(r, &asker, &launch);
        assert_eq!([Axis::X, Axis::Y, Axis::Z].map(|a| get(SpecialRegister::Tid(a))), [3, 1, 1]);
        assert_eq!([Axis::X, Axis::Y, Axis::Z].map(|a| get(SpecialRegister::Ctaid(a))), [1, 2, 0]);
        assert_eq!(get(SpecialRegister::LaneMaskLt), 0x7ff);
        assert_eq!(get(SpecialRegister::LaneMaskGt), 0xffff_f000);
        assert_eq!(get(SpecialRegister::LaneMaskLe) | get(SpecialRegister::LaneMaskGt), 0xffff_ffff);
        let last = Asker { lane: 31, ..asker };
        assert_eq!(value(SpecialRegister::LaneMaskLe, &last, &launch), 0xffff_ffff);
        assert_eq!(value(SpecialRegister::LaneMaskGt, &last, &launch), 0);
    }

    #[test]
    fn free_inputs_follow_the_seed_and_clocks_run_forward() {
        let launch = Launch::new([1, 1, 1], [32, 1, 1]);
        let asker = Asker { block: [0; 3], warp: 0, lane: 0, now: 0, seed: 1, shared: 0 };
        let other = Asker { seed: 2, ..asker };
        let later = Asker { now: 9, ..asker };
        let clock = |a| value(SpecialRegister::Clock64, a, &launch);
        assert_ne!(clock(&asker), clock(&other));
        assert!(clock(&asker) < clock(&later));
        assert_ne!(
            value(SpecialRegister::EnvReg(0), &asker, &launch),
            value(SpecialRegister::EnvReg(0), &other, &launch)
        );
    }
}
