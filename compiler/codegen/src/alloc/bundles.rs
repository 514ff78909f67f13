//! Registers that share a place: a bundle is a set of virtual registers that are never live at once in the same unit.
//!
//! Does: joins the two sides of moves, most executed first, where their units fall together at an alignment that both
//! can have. Does not: join across classes, nor what spilling made.

use super::again::Again;
use super::ranges::{RangeSet, Ranges};
use super::work::{Item, Loc, Work};
use sassafras_graph::Entity;
use sassafras_isa::RegClass;
use sassafras_machine::{Function, VReg, alignment};

/// Registers to be placed together.
#[derive(Clone, Debug)]
pub struct Bundle {
    pub class: RegClass,
    pub units: u8,
    /// Ranges per unit.
    pub ranges: Vec<RangeSet>,
    /// Members with the unit at which each begins.
    pub members: Vec<(VReg, u8)>,
    /// Cost of spilling, per position that it frees.
    pub weight: f32,
    /// The bundle that this one was broken out of, or itself: they may share a slot.
    pub group: usize,
    /// Unit of the group at which this one begins.
    pub group_offset: u8,
}

impl Bundle {
    /// First position at which it is live.
    pub fn start(&self) -> u32 {
        self.ranges.iter().filter_map(RangeSet::start).min().unwrap_or(0)
    }
}

/// All bundles, and moves that were not absorbed.
#[derive(Clone, Debug)]
pub struct Bundles {
    pub data: Vec<Bundle>,
    /// Per register: its bundle and the unit at which it begins there.
    pub of: Vec<(usize, u8)>,
    /// Pairs of units, as bundle and unit, that a move connects.
    pub moves: Vec<[(VReg, u8); 2]>,
    /// What can be made again.
    pub again: Again,
}

impl Bundles {
    pub fn new(f: &Function, work: &Work, ranges: &Ranges) -> Bundles {
        let again = Again::new(f, work);
        let mut bundles = Bundles { data: Vec::new(), of: Vec::new(), moves: Vec::new(), again };
        for (vreg, data) in f.vregs.iter() {
            bundles.of.push((bundles.data.len(), 0));
            let list = (0..data.units).map(|unit| RangeSet::new(ranges.of(vreg, unit))).collect();
            let index = bundles.data.len();
            bundles.data.push(Bundle {
                class: data.class,
                units: data.units,
                ranges: list,
                members: vec![(vreg, 0)],
                weight: weight(f, work, ranges, &bundles.again, &[(vreg, 0)]),
                group: index,
                group_offset: 0,
            });
        }
        let mut moves = Vec::new();
        for (at, items) in work.blocks.iter().enumerate() {
            for item in items {
                let Item::Moves(list) = item else { continue };
                for one in list {
                    if let (Loc::Unit(a, i), Loc::Unit(b, j)) = (one.dst, one.src) {
                        moves.push((ranges.frequency[at], [(a, i), (b, j)]));
                    }
                }
            }
        }
        moves.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, [a, b]) in moves {
            if work.is_tiny(a.0) || work.is_tiny(b.0) {
                continue;
            }
            if !bundles.join(a, b) {
                bundles.moves.push([a, b]);
            }
        }
        for bundle in &mut bundles.data {
            bundle.weight = weight(f, work, ranges, &bundles.again, &bundle.members);
        }
        bundles
    }

    /// Bundle and unit of a unit of a register.
    pub fn place(&self, (vreg, unit): (VReg, u8)) -> (usize, u8) {
        let (bundle, offset) = self.of[vreg.index()];
        (bundle, offset + unit)
    }

    /// Joins the bundles of two units so that the units fall together; whether they do now.
    fn join(&mut self, a: (VReg, u8), b: (VReg, u8)) -> bool {
        let ((mut a, mut i), (mut b, mut j)) = (self.place(a), self.place(b));
        if a == b {
            return i == j;
        }
        if self.data[a].units < self.data[b].units {
            std::mem::swap(&mut a, &mut b);
            std::mem::swap(&mut i, &mut j);
        }
        let (outer, inner) = (&self.data[a], &self.data[b]);
        let Some(offset) = i.checked_sub(j) else { return false };
        let (own, whole) = (alignment(inner.units), alignment(outer.units));
        let fits = offset % own == 0 && own <= whole && offset + inner.units <= outer.units;
        if outer.class != inner.class || !fits {
            return false;
        }
        let clash = (0..inner.units)
            .any(|unit| outer.ranges[usize::from(offset + unit)].overlaps(&inner.ranges[usize::from(unit)]));
        if clash {
            return false;
        }
        // The smaller one moves.
        if inner.units == outer.units && inner.members.len() > outer.members.len() {
            std::mem::swap(&mut a, &mut b);
        }
        let inner = std::mem::take(&mut self.data[b].members);
        let moved = std::mem::take(&mut self.data[b].ranges);
        for (unit, list) in moved.into_iter().enumerate() {
            self.data[a].ranges[usize::from(offset) + unit].absorb(list);
        }
        for (vreg, at) in inner {
            self.of[vreg.index()] = (a, offset + at);
            self.data[a].members.push((vreg, offset + at));
        }
        true
    }

    /// Makes a bundle of each member. Returns the new ones.
    pub fn break_up(&mut self, f: &Function, work: &Work, ranges: &Ranges, bundle: usize) -> Vec<usize> {
        let (group, base) = (self.data[bundle].group, self.data[bundle].group_offset);
        let members = std::mem::take(&mut self.data[bundle].members);
        self.data[bundle].ranges.clear();
        members
            .into_iter()
            .map(|(vreg, offset)| {
                let data = f.vregs[vreg];
                let index = self.data.len();
                self.of[vreg.index()] = (index, 0);
                self.data.push(Bundle {
                    class: data.class,
                    units: data.units,
                    ranges: (0..data.units).map(|unit| RangeSet::new(ranges.of(vreg, unit))).collect(),
                    members: vec![(vreg, 0)],
                    weight: weight(f, work, ranges, &self.again, &[(vreg, 0)]),
                    group,
                    group_offset: base + offset,
                });
                index
            })
            .collect()
    }
}

/// What is made again, against what is loaded again.
const AGAIN: f32 = 0.25;
/// More than any other weight.
const GROUPED: f32 = 1e9;

fn weight(f: &Function, work: &Work, ranges: &Ranges, again: &Again, members: &[(VReg, u8)]) -> f32 {
    if members.iter().any(|(vreg, _)| work.is_tiny(*vreg)) {
        return f32::INFINITY;
    }
    let uses: f32 = members.iter().map(|(vreg, _)| ranges.uses[vreg.index()]).sum();
    let length: u32 = members.iter().map(|(vreg, _)| ranges.length(*vreg, f.vregs[*vreg].units)).sum();
    // What products of a warpgroup use can be moved by waiting for them alone: all else goes first.
    let grouped = members.iter().any(|(vreg, _)| work.is_grouped(*vreg));
    // As many instructions, where a load and a store would be.
    let made = members.iter().map(|(vreg, _)| again.count(*vreg)).max().unwrap_or(0);
    let cheap = if members.iter().all(|(vreg, _)| again.has(*vreg)) { AGAIN * made as f32 } else { 1.0 };
    cheap * uses / (length.max(1) as f32) + if grouped { GROUPED } else { 0.0 }
}
