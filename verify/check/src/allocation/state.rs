//! What each location holds.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_machine::{Reg, RegClass, VReg};
use smallvec::SmallVec;
use std::fmt;

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

/// A real register or a word of the spill area.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Location {
    /// The register of this number; the constant's number is a location that always holds the constant.
    Register(RegClass, u16),
    /// The word of this number in the spill area.
    Slot(u32),
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
        }
    }
}

/// What each location surely holds; one that is not listed holds nothing known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    held: FxHashMap<Location, Vec<Value>>,
    /// Undefined values: every location may stand for them.
    free: Vec<Value>,
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

    pub(super) fn get(&self, place: Location) -> &[Value] {
        self.held.get(&place).map_or(&[], |held| held)
    }

    pub(super) fn holds(&self, place: Location, value: Value) -> bool {
        self.get(place).contains(&value) || self.free.contains(&value)
    }

    pub(super) fn set(&mut self, place: Location, value: Value) {
        self.put(place, vec![value]);
    }

    /// Makes a location hold these; the constants' locations stay what they are.
    pub(super) fn put(&mut self, place: Location, held: Vec<Value>) {
        let constant =
            matches!(place, Location::Register(class, n) if Some(u64::from(n)) == class.constant());
        if constant {
            return;
        }
        if held.is_empty() {
            self.held.remove(&place);
        } else {
            self.held.insert(place, held);
        }
    }

    pub(super) fn clear(&mut self, place: Location) {
        self.put(place, Vec::new());
    }

    /// Nothing is known of the locations for which this holds.
    pub(super) fn clear_if(&mut self, lost: impl Fn(Location) -> bool) {
        self.held.retain(|place, _| {
            let constant =
                matches!(*place, Location::Register(class, n) if Some(u64::from(n)) == class.constant());
            constant || !lost(*place)
        });
    }

    pub(super) fn add(&mut self, place: Location, value: Value) {
        let held = self.held.entry(place).or_default();
        if !held.contains(&value) {
            held.push(value);
        }
    }

    /// Takes a virtual register out of every location.
    pub(super) fn forget(&mut self, vreg: VReg) {
        let other = |value: &Value| !matches!(value, Value::Unit(v, _) if *v == vreg);
        self.held.values_mut().for_each(|held| held.retain(other));
        self.held.retain(|_, held| !held.is_empty());
        self.free.retain(other);
    }

    /// Forgets the virtual registers that are not among these.
    pub(super) fn keep(&mut self, live: &FxHashSet<VReg>) {
        let wanted = |value: &Value| match value {
            Value::Unit(vreg, _) => live.contains(vreg),
            Value::Constant(_) | Value::Entry(..) => true,
        };
        self.held.retain(|_, held| {
            held.retain(wanted);
            !held.is_empty()
        });
        self.free.retain(wanted);
    }

    /// New values, each a name for an old one or for an undefined one, all at once.
    pub(super) fn bind(&mut self, moves: &[(Value, Option<Value>)]) {
        let mut names = Names::default();
        for (at, (to, from)) in moves.iter().enumerate() {
            names.new.insert(*to);
            if let Some(from) = from {
                names.of.entry(*from).or_default().push(at);
            }
        }
        for held in self.held.values_mut() {
            names.rename(held, moves);
        }
        self.held.retain(|_, held| !held.is_empty());
        names.rename(&mut self.free, moves);
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
        self.held.retain(|place, held| {
            held.retain(|value| both(other.holds(*place, *value)));
            !held.is_empty()
        });
        // What was undefined on this path is where the other path has it.
        for (place, held) in &other.held {
            for value in held.iter().filter(|value| free.contains(value)) {
                if !self.holds(*place, *value) {
                    self.add(*place, *value);
                    changed = true;
                }
            }
        }
        changed
    }

    pub(super) fn describe(&self, place: Location) -> String {
        let names: Vec<String> = self.get(place).iter().map(Value::to_string).collect();
        if names.is_empty() { "nothing known".to_owned() } else { names.join(", ") }
    }
}

/// New names, looked up: an edge hands on many values, and there are many locations.
#[derive(Default)]
struct Names {
    /// By old value: the moves that give it a name.
    of: FxHashMap<Value, SmallVec<[usize; 2]>>,
    new: FxHashSet<Value>,
}

impl Names {
    fn rename(&self, held: &mut Vec<Value>, moves: &[(Value, Option<Value>)]) {
        let mut given: SmallVec<[usize; 4]> =
            held.iter().filter_map(|value| self.of.get(value)).flatten().copied().collect();
        given.sort_unstable();
        given.dedup();
        held.retain(|value| !self.new.contains(value));
        held.extend(given.into_iter().map(|at| moves[at].0));
    }
}

/// The stack pointer, which allocation leaves alone.
pub(super) const STACK: u16 = 1;
