//! Two instructions, and what the tables demand between them.

use crate::words::inputs::Flavor;
use crate::words::variant::{CHIP, FIRST, FIRST_UNIFORM};
use sassafras_chip::latency::{Hazard, Kind, LONGEST, OperandKind, latency};
use sassafras_isa::{Access, Inst, Operand, RegClass, Style, print};

/// First general register of the second instruction's blocks.
pub const SECOND: u64 = FIRST + 64;
/// First uniform register of the second instruction's blocks.
pub const SECOND_UNIFORM: u64 = FIRST_UNIFORM + 24;

/// What memory a probe accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scratch {
    /// None.
    #[default]
    None,
    /// Two slots of 16 bytes of each thread in global memory.
    Global,
    /// The same in shared memory.
    Shared,
}

/// What stands around an instruction that is given by text.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Lines in front of both, when the registers are loaded.
    pub before: Vec<String>,
    /// A line right behind the second, with the slowest control bits.
    pub behind: Option<String>,
    /// Memory that is set before, and read back.
    pub scratch: Scratch,
}

/// Two instructions to try at every distance.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Why it is tried: the part of the selection that it comes from.
    pub group: &'static str,
    /// The earlier instruction.
    pub a: Inst,
    /// The later one.
    pub b: Inst,
    /// What inputs are taken for: those of the first and of the second.
    pub flavors: [Flavor; 2],
    /// What stands around them.
    pub around: Around,
    /// The operand by which they touch, in words.
    pub link: String,
    /// What the tables demand; none where they have no number.
    pub need: Option<u8>,
    /// Distances tried, ascending.
    pub distances: Vec<u8>,
    /// Whether the second waits for the first's scoreboards.
    pub waits: bool,
}

/// How the later operand is touched, as the tables name it.
fn kind(operand: &Operand, hazard: Hazard) -> Kind {
    let operand = match (operand.class, operand.field.is_none(), hazard) {
        (RegClass::R, ..) => OperandKind::Register,
        (RegClass::UR, ..) => OperandKind::Uniform,
        (RegClass::B, ..) => OperandKind::Convergence,
        (RegClass::P, true, Hazard::Raw) => OperandKind::Guard,
        (RegClass::P, ..) => OperandKind::Predicate,
        (RegClass::UP, true, Hazard::Raw) => OperandKind::UniformGuard,
        (RegClass::UP, ..) => OperandKind::UniformPredicate,
    };
    Kind { hazard, operand }
}

/// The largest number of cycles that the tables demand between two instructions; `None` where a pair that touches has no number.
pub fn need(a: &Inst, b: &Inst) -> Option<u8> {
    let mut most = 1;
    for (x, y) in a.operands().flat_map(|x| b.operands().map(move |y| (x, y))) {
        let hazard = match (x.access, y.access) {
            (Access::Read, Access::Read) => continue,
            (Access::Write, Access::Read) => Hazard::Raw,
            (Access::Write, Access::Write) => Hazard::Waw,
            (Access::Read, Access::Write) => Hazard::War,
        };
        if x.class != y.class {
            continue;
        }
        for u in 0..u32::from(x.units) {
            let register = x.number + u;
            if register < y.number || register >= y.number + u32::from(y.units) {
                continue;
            }
            let (from, to) = (a.class(&x, u), b.class(&y, register - y.number));
            match latency(CHIP, from, to, kind(&y, hazard)) {
                Some(cycles) => most = most.max(cycles),
                None if hazard != Hazard::Raw && from == to => {}
                None => return None,
            }
        }
    }
    Some(most)
}

/// Distances tried where the tables demand so many cycles.
pub fn distances(need: Option<u8>) -> Vec<u8> {
    let near = need.unwrap_or(16);
    let mut all: Vec<u8> = (1..=near + 1).collect();
    all.extend([near + 3, near + 6, near + 12, LONGEST.max(near + 18)]);
    all
}

/// Moves the operands of an instruction to the places of the second one: registers from [`SECOND`], P3 to P5. Single registers that nothing links
/// stand in odd banks now and then, so that their reading is not put off by conflicts.
pub fn second(inst: &Inst) -> Option<Inst> {
    let mut moved = inst.clone();
    let mut odd = false;
    let mut done = Vec::new();
    for o in inst.operands() {
        let number = u64::from(o.number);
        let Some(field) = o.field else { continue };
        if o.name == "mask" || done.contains(&field) {
            continue;
        }
        done.push(field);
        moved.fields[field] = match o.class {
            RegClass::R => {
                odd = !odd;
                number + 64 + u64::from(odd && o.units == 1 && o.access == Access::Read)
            }
            RegClass::UR if number + 24 + 4 <= 60 => number + 24,
            RegClass::UR => return None,
            RegClass::P | RegClass::UP => number % 3 + 3,
            RegClass::B => return None,
        };
    }
    if moved.guard.pred != 7 {
        moved.guard.pred = moved.guard.pred % 3 + 3;
    }
    Some(moved)
}

/// Moves the predicates of an instruction to the places of the first one.
pub fn first(inst: &Inst) -> Inst {
    let mut moved = inst.clone();
    for o in inst.operands() {
        if let (Some(field), RegClass::P | RegClass::UP) = (o.field, o.class)
            && o.name != "mask"
        {
            moved.fields[field] = u64::from(o.number % 3);
        }
    }
    if moved.guard.pred != 7 {
        moved.guard.pred %= 3;
    }
    moved
}

/// The instruction in words.
pub fn text(inst: &Inst) -> String {
    print(inst, &Style::default())
}
