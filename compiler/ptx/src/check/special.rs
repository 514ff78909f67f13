//! Special registers by name (PTX ISA, "Special Registers").

use crate::table::Since;
use sassafras_semantics::{Axis, SpecialRegister as S};

/// Those with `.x .y .z`.
const VECTORS: [(&str, fn(Axis) -> S, Since); 8] = [
    ("%tid", S::Tid, since(1, 0, 0)),
    ("%ntid", S::Ntid, since(1, 0, 0)),
    ("%ctaid", S::Ctaid, since(1, 0, 0)),
    ("%nctaid", S::Nctaid, since(1, 0, 0)),
    ("%clusterid", S::ClusterId, since(7, 8, 90)),
    ("%nclusterid", S::NClusterId, since(7, 8, 90)),
    ("%cluster_ctaid", S::ClusterCtaid, since(7, 8, 90)),
    ("%cluster_nctaid", S::ClusterNctaid, since(7, 8, 90)),
];

/// Those without.
#[rustfmt::skip]
const SCALARS: [(&str, S, Since); 29] = [
    ("%laneid", S::LaneId, since(1, 3, 0)),
    ("%warpid", S::WarpId, since(1, 3, 0)),
    ("%nwarpid", S::NWarpId, since(2, 0, 20)),
    ("%smid", S::SmId, since(1, 3, 0)),
    ("%nsmid", S::NSmId, since(2, 0, 20)),
    ("%gridid", S::GridId, since(1, 0, 0)),
    ("%lanemask_eq", S::LaneMaskEq, since(2, 0, 20)),
    ("%lanemask_le", S::LaneMaskLe, since(2, 0, 20)),
    ("%lanemask_lt", S::LaneMaskLt, since(2, 0, 20)),
    ("%lanemask_ge", S::LaneMaskGe, since(2, 0, 20)),
    ("%lanemask_gt", S::LaneMaskGt, since(2, 0, 20)),
    ("%clock", S::Clock, since(1, 0, 0)),
    ("%clock_hi", S::ClockHi, since(5, 0, 20)),
    ("%clock64", S::Clock64, since(2, 0, 20)),
    ("%globaltimer", S::GlobalTimer, since(3, 1, 30)),
    ("%globaltimer_lo", S::GlobalTimerLo, since(3, 1, 30)),
    ("%globaltimer_hi", S::GlobalTimerHi, since(3, 1, 30)),
    ("%total_smem_size", S::TotalSmemSize, since(4, 1, 20)),
    ("%dynamic_smem_size", S::DynamicSmemSize, since(4, 1, 20)),
    ("%aggr_smem_size", S::AggrSmemSize, since(8, 1, 90)),
    ("%reserved_smem_offset_0", S::ReservedSmemOffset(0), since(7, 6, 80)),
    ("%reserved_smem_offset_1", S::ReservedSmemOffset(1), since(7, 6, 80)),
    ("%reserved_smem_offset_begin", S::ReservedSmemBegin, since(7, 6, 80)),
    ("%reserved_smem_offset_end", S::ReservedSmemEnd, since(7, 6, 80)),
    ("%reserved_smem_offset_cap", S::ReservedSmemCap, since(7, 6, 80)),
    ("%current_graph_exec", S::CurrentGraphExec, since(8, 0, 50)),
    ("%cluster_ctarank", S::ClusterCtaRank, since(7, 8, 90)),
    ("%cluster_nctarank", S::ClusterNctaRank, since(7, 8, 90)),
    ("%is_explicit_cluster", S::IsExplicitCluster, since(7, 8, 90)),
];

const fn since(major: u32, minor: u32, sm: u32) -> Since {
    Since::new(major, minor, sm)
}

/// What a name stands for.
pub(super) enum Special {
    /// A special register and what it needs.
    Known(S, Since),
    /// The three components together, as `mov.v4` takes them; all others name one.
    Vector([S; 3], Since),
    /// The fourth component, which is always 0 (PTX ISA, `%tid`).
    Zero,
}

/// Looks up `%tid` with component `x`, `%laneid` with none.
pub(super) fn special(name: &str, component: Option<&str>) -> Option<Special> {
    if let Some((_, make, since)) = VECTORS.iter().find(|(n, ..)| *n == name) {
        let axis = match component {
            Some("x" | "r") => Axis::X,
            Some("y" | "g") => Axis::Y,
            Some("z" | "b") => Axis::Z,
            Some("w" | "a") => return Some(Special::Zero),
            Some(_) => return None,
            None => return Some(Special::Vector([Axis::X, Axis::Y, Axis::Z].map(*make), *since)),
        };
        return Some(Special::Known(make(axis), *since));
    }
    if component.is_some() {
        return None;
    }
    if let Some((_, register, since)) = SCALARS.iter().find(|(n, ..)| *n == name) {
        return Some(Special::Known(*register, *since));
    }
    let numbered = |prefix: &str, limit: u8| {
        let digits = name.strip_prefix(prefix)?;
        let number: u8 = digits.parse().ok()?;
        (number < limit && (digits == "0" || !digits.starts_with('0'))).then_some(number)
    };
    if let Some(n) = numbered("%envreg", 32) {
        return Some(Special::Known(S::EnvReg(n), since(2, 1, 0)));
    }
    if let Some(n) = numbered("%pm", 8) {
        return Some(Special::Known(
            S::Pm(n),
            since(if n < 4 { 1 } else { 3 }, if n < 4 { 3 } else { 0 }, 0),
        ));
    }
    let wide = name.strip_prefix("%pm")?.strip_suffix("_64")?.parse::<u8>().ok().filter(|n| *n < 8)?;
    Some(Special::Known(S::Pm64(wide), since(4, 0, 50)))
}

/// The names of all special registers, without components.
pub fn names() -> Vec<String> {
    let plain = VECTORS.iter().map(|v| v.0).chain(SCALARS.iter().map(|s| s.0)).map(str::to_owned);
    let numbered = (0..32).map(|i| format!("%envreg{i}")).chain((0..8).map(|i| format!("%pm{i}")));
    plain.chain(numbered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        for name in names() {
            let component = VECTORS.iter().any(|v| v.0 == name).then_some("z");
            assert!(matches!(special(&name, component), Some(Special::Known(..))), "{name}");
        }
        assert!(special("%tid", None).is_some_and(|s| matches!(s, Special::Vector(..))));
        assert!(special("%laneid", Some("x")).is_none());
        assert!(special("%envreg32", None).is_none());
        assert!(special("%pm0_64", None).is_some());
    }
}
