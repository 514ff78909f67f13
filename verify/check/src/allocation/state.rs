//! What each location holds.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_machine::{Reg, RegClass, VReg};
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;

/// A value of the function before allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Value {
    /// A unit of a virtual register.
    Unit(VReg, u8),
    /// What the constant of the file reads.
    Constant(RegClass),
    /// What a register that the function names as a real one held at entry.
    Entry(RegClass, u16),
}

impl Value {
    /// The value that an operand of the function before names.
    pub(super) fn of(class: RegClass, reg: Reg) -> Value {
        match reg {
            Reg::Virtual(vreg, unit) => Value::Unit(vreg, unit),
            Reg::Physical(_) if reg.is_constant(class) => Value::Constant(class),
            Reg::Physical(number) => Value::Entry(class, number),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Unit(vreg, 0) => write!(f, "{vreg}"),
            Value::Unit(vreg, unit) => write!(f, "{vreg}.{unit}"),
            Value::Constant(class) => write!(f, "the constant of {class:?}"),
            Value::Entry(class, number) => write!(f, "what {}{number} held at entry", class.prefix()),
        }
    }
}

/// A real register, a word of the spill area, or a constant that can be written again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Location {
    /// The register of this number; the constant's number is a location that always holds the constant.
    Register(RegClass, u16),
    /// The word of this number in the spill area.
    Slot(u32),
    /// No place of the machine: a unit of what the definitions of this number give, which read nothing. It holds the values that are this constant, so
    /// that who writes the constant anywhere has them all there.
    Made(u32, u8),
}

impl Location {
    /// The location of one unit of an operand after allocation. A virtual register is none that holds anything.
    pub(super) fn of(class: RegClass, reg: Reg, unit: u8) -> Location {
        match reg {
            Reg::Physical(number) if reg.is_constant(class) => Location::Register(class, number),
            Reg::Physical(number) => Location::Register(class, number + u16::from(unit)),
            Reg::Virtual(..) => Location::Slot(u32::MAX),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Register(class, number) => write!(f, "{}{number}", class.prefix()),
            Location::Slot(word) => write!(f, "slot {}", 4 * u64::from(*word)),
            Location::Made(number, _) => write!(f, "constant {number}"),
        }
    }
}

/// What each location surely holds; one that is not listed holds nothing known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// In the order of locations; what one holds stands together.
    held: Vec<(Location, Value)>,
    /// Undefined values: every location may stand for them.
    free: Vec<Value>,
}

fn is_constant(place: Location) -> bool {
    matches!(place, Location::Register(class, n) if Some(u64::from(n)) == class.constant())
}

impl State {
    /// The state at the function's entry.
    pub(super) fn entry() -> State {
        let mut state = State::default();
        for class in [RegClass::R, RegClass::UR, RegClass::P, RegClass::UP] {
            let number = class.constant().map_or(0, |number| number as u16);
            state.add(Location::Register(class, number), Value::Constant(class));
        }
        state.add(Location::Register(RegClass::R, STACK), Value::Entry(RegClass::R, STACK));
        state
    }

    /// Where what a location holds stands.
    fn range(&self, place: Location) -> Range<usize> {
        let start = self.held.partition_point(|(other, _)| *other < place);
        let count = self.held[start..].iter().take_while(|(other, _)| *other == place).count();
        start..start + count
    }

    /// What a location holds.
    pub(super) fn get(&self, place: Location) -> impl Iterator<Item = Value> {
        self.held[self.range(place)].iter().map(|&(_, value)| value)
    }

    pub(super) fn holds(&self, place: Location, value: Value) -> bool {
        self.get(place).any(|held| held == value) || self.free.contains(&value)
    }

    pub(super) fn set(&mut self, place: Location, value: Value) {
        self.put(place, &[value]);
    }

    /// Makes a location hold these; the constants' locations stay what they are.
    pub(super) fn put(&mut self, place: Location, held: &[Value]) {
        if is_constant(place) {
            return;
        }
        let range = self.range(place);
        match held {
            [] => drop(self.held.drain(range)),
            &[value] if range.len() == 1 => self.held[range.start].1 = value,
            _ => drop(self.held.splice(range, held.iter().map(|&value| (place, value)))),
        }
    }

    pub(super) fn clear(&mut self, place: Location) {
        self.put(place, &[]);
    }

    /// Nothing is known of the locations for which this holds.
    pub(super) fn clear_if(&mut self, lost: impl Fn(Location) -> bool) {
        self.held.retain(|&(place, _)| is_constant(place) || !lost(place));
    }

    pub(super) fn add(&mut self, place: Location, value: Value) {
        let range = self.range(place);
        if !self.held[range.clone()].iter().any(|&(_, held)| held == value) {
            self.held.insert(range.end, (place, value));
        }
    }

    /// Takes a virtual register out of every location.
    pub(super) fn forget(&mut self, vreg: VReg) {
        let other = |value: &Value| !matches!(value, Value::Unit(v, _) if *v == vreg);
        self.held.retain(|(_, value)| other(value));
        self.free.retain(other);
    }

    /// Forgets the virtual registers that are not among these.
    pub(super) fn keep(&mut self, live: &FxHashSet<VReg>) {
        let wanted = |value: &Value| match value {
            Value::Unit(vreg, _) => live.contains(vreg),
            Value::Constant(_) | Value::Entry(..) => true,
        };
        self.held.retain(|(_, value)| wanted(value));
        self.free.retain(wanted);
    }

    /// New values, each a name for an old one or for an undefined one, all at once.
    pub(super) fn bind(&mut self, moves: &[(Value, Option<Value>)]) {
        if moves.is_empty() {
            return;
        }
        let names = Names::new(moves);
        // By location: what stays, then the new names of what was there.
        let mut next = Vec::with_capacity(self.held.len() + moves.len());
        for group in self.held.chunk_by(|(a, _), (b, _)| a == b) {
            let given = names.given(group.iter().map(|(_, value)| value));
            next.extend(group.iter().filter(|(_, value)| !names.is_new(value)));
            next.extend(given.into_iter().map(|at| (group[0].0, moves[at].0)));
        }
        self.held = next;
        let given = names.given(self.free.iter());
        self.free.retain(|value| !names.is_new(value));
        self.free.extend(given.into_iter().map(|at| moves[at].0));
        self.free.extend(moves.iter().filter(|(_, from)| from.is_none()).map(|(to, _)| *to));
    }

    /// Keeps what both hold. Returns whether anything changed.
    pub(super) fn meet(&mut self, other: &State) -> bool {
        let free = self.free.clone();
        let mut changed = false;
        let mut both = |kept: bool| {
            changed |= !kept;
            kept
        };
        self.free.retain(|value| both(other.free.contains(value)));
        // Both are in the order of locations.
        let mut at = 0;
        self.held.retain(|&(place, value)| {
            while other.held.get(at).is_some_and(|(theirs, _)| *theirs < place) {
                at += 1;
            }
            let mut theirs = other.held[at..].iter().take_while(|(theirs, _)| *theirs == place);
            both(theirs.any(|(_, held)| *held == value) || other.free.contains(&value))
        });
        // What was undefined on this path is where the other path has it.
        for &(place, value) in other.held.iter().filter(|(_, value)| free.contains(value)) {
            if !self.holds(place, value) {
                self.add(place, value);
                changed = true;
            }
        }
        changed
    }

    pub(super) fn describe(&self, place: Location) -> String {
        let names: Vec<String> = self.get(place).map(|value| value.to_string()).collect();
        if names.is_empty() { "nothing known".to_owned() } else { names.join(", ") }
    }
}

/// New names. An edge hands on many values, and there are many locations: then they are looked up.
struct Names<'a> {
    moves: &'a [(Value, Option<Value>)],
    table: Option<Table>,
}

#[derive(Default)]
struct Table {
    /// By old value: the moves that give it a name.
    of: FxHashMap<Value, SmallVec<[usize; 2]>>,
    new: FxHashSet<Value>,
}

impl<'a> Names<'a> {
    /// As many moves are visited one by one.
    const FEW: usize = 4;

    fn new(moves: &'a [(Value, Option<Value>)]) -> Names<'a> {
        let table = (moves.len() > Self::FEW).then(|| {
            let mut table = Table::default();
            for (at, (to, from)) in moves.iter().enumerate() {
                table.new.insert(*to);
                if let Some(from) = from {
                    table.of.entry(*from).or_default().push(at);
                }
            }
            table
        });
        Names { moves, table }
    }

    /// Whether a value is one that the moves define.
    fn is_new(&self, value: &Value) -> bool {
        match &self.table {
            Some(table) => table.new.contains(value),
            None => self.moves.iter().any(|(to, _)| to == value),
        }
    }

    /// The moves that give these values names, in order.
    fn given<'v>(&self, held: impl Iterator<Item = &'v Value> + Clone) -> SmallVec<[usize; 4]> {
        let mut given: SmallVec<[usize; 4]> = match &self.table {
            Some(table) => held.filter_map(|value| table.of.get(value)).flatten().copied().collect(),
            None => {
                let named = |&at: &usize| {
                    let from = self.moves[at].1;
                    from.is_some_and(|from| held.clone().any(|value| *value == from))
                };
                return (0..self.moves.len()).filter(named).collect();
            }
        };
        given.sort_unstable();
        given.dedup();
        given
    }
}

/// The stack pointer, which allocation leaves alone.
pub(super) const STACK: u16 = 1;
