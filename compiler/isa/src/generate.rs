//! Random legal instructions of a form.

use crate::control::{Control, Guard};
use crate::form::{ControlLimits, Field, FieldKind, FormId, RegClass};
use crate::inst::Inst;

/// A source of choices.
pub trait Draw {
    /// A number from 0 up to `bound`, excluded; 0 when `bound` is 0.
    fn draw(&mut self, bound: u64) -> u64;
}

/// SplitMix64: a small generator whose output depends on the seed alone.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

impl Draw for Rng {
    fn draw(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.bits() % bound }
    }
}

impl Draw for arbitrary::Unstructured<'_> {
    fn draw(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.int_in_range(0..=bound - 1).unwrap_or(0) }
    }
}

/// A random legal instruction of the form: every field in its range, wide operands aligned and inside the file,
/// no denied combination, legal control bits. One in four fields stays at its default.
pub fn generate(form: FormId, rng: &mut impl Draw) -> Inst {
    // A form whose combinations are mostly denied still has its default instruction.
    for _ in 0..200 {
        let mut inst = attempt(form, rng);

        // What takes no part stays at its default; one field may hide another, so this is repeated.
        for _ in 0..3 {
            for i in 0..inst.fields.len() {
                if !inst.shows(i) {
                    inst.fields[i] = form.get().fields[i].default;
                }
            }
        }
        inst.control = control(ControlLimits { reuse: inst.reusable(), ..form.get().control }, rng);
        if !form.get().denied.iter().any(|tests| tests.iter().all(|test| inst.test(test))) {
            return inst;
        }
    }
    Inst::new(form)
}

fn attempt(form: FormId, rng: &mut impl Draw) -> Inst {
    let mut inst = Inst::new(form);
    let fields = &form.get().fields;
    // Enums first: the width of a register operand may depend on one.
    for enums in [true, false] {
        for (i, field) in fields.iter().enumerate() {
            let is_enum = field.kind == FieldKind::Enum;
            if is_enum == enums && rng.draw(4) != 0 {
                let units = u64::from(inst.units(i));
                inst.fields[i] = value(field, units, rng);
            }
        }
    }
    if rng.draw(2) == 0 {
        inst.guard = Guard { pred: rng.draw(8) as u32, negate: rng.draw(2) == 1, ..inst.guard };
    }
    inst
}

fn control(limits: ControlLimits, rng: &mut impl Draw) -> Control {
    let mut barrier = |on: bool| if on && rng.draw(2) == 0 { rng.draw(6) as u8 } else { 7 };
    let (write_barrier, read_barrier) = (barrier(limits.write_barrier), barrier(limits.read_barrier));
    let stall = rng.draw(16) as u8;
    let yield_ = (1..=11).contains(&stall) && rng.draw(2) == 1;
    // Reuse is a statement about the instruction that follows; text shows it, so it is drawn seldom.
    let reuse = match yield_ {
        true if rng.draw(4) == 0 => rng.draw(8) as u8 & limits.reuse,
        false if limits.runs && stall > 0 && rng.draw(4) == 0 => rng.draw(6) as u8,
        true | false => 0,
    };
    let wait_mask = if limits.wait { rng.draw(64) as u8 } else { 0 };
    Control { stall, yield_, write_barrier, read_barrier, wait_mask, reuse }
}

fn value(field: &Field, units: u64, rng: &mut impl Draw) -> u64 {
    let width = field.bits.len() as u32;
    let limit = 1u64.checked_shl(width).unwrap_or(0);
    let mut bits = || match rng.draw(4) {
        0 => rng.draw(17),
        1 => 1 << rng.draw(u64::from(width)),
        _ => rng.draw(limit),
    };
    match field.kind {
        FieldKind::Register { class: RegClass::R, .. } => registers(255, units, rng),
        FieldKind::Register { class: RegClass::UR, .. } => registers(63, units, rng),
        FieldKind::Register { class: RegClass::B, .. } => rng.draw(16),
        FieldKind::Register { .. } => rng.draw(8),
        FieldKind::Enum => loop {
            let value = rng.draw(field.texts.len() as u64);
            if field.texts[value as usize].is_some() {
                break value;
            }
            // A source that has run dry gives 0 for ever.
            if let Some(first) = field.texts.iter().position(Option::is_some).filter(|_| value == 0) {
                break first as u64;
            }
        },
        FieldKind::Signed { scale } | FieldKind::Target { scale } => {
            let raw = bits() & (limit.wrapping_sub(1));
            ((raw << (64 - width)) as i64 >> (64 - width)).wrapping_mul(scale as i64) as u64
        }
        FieldKind::Unsigned { scale } => (bits() & limit.wrapping_sub(1)) * scale,
        FieldKind::ConstantOffset { .. } => (bits() & limit.wrapping_sub(1)) * 4,
        FieldKind::Flag | FieldKind::Bank | FieldKind::Special { .. } | FieldKind::Set => rng.draw(limit),
        FieldKind::Float32 | FieldKind::Float64High => match rng.draw(3) {
            0 => [0, 0x8000_0000, 0x3f80_0000, 0x7f80_0000, 0xff80_0000, 0x7fff_ffff][rng.draw(6) as usize],
            _ => rng.draw(limit),
        },
        FieldKind::Float16 | FieldKind::Bfloat16 | FieldKind::Half { .. } => rng.draw(limit),
    }
}

/// An aligned run of registers below `constant`, or the constant itself.
fn registers(constant: u64, units: u64, rng: &mut impl Draw) -> u64 {
    let align = units.next_power_of_two().max(1);
    let runs = (constant + 1 - units) / align;
    let pick = rng.draw(runs + 1);
    if pick * align + units > constant { constant } else { pick * align }
}
