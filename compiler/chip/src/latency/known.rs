//! What was found before. Schedulers and their judges ask for a few pairs of classes again and again; each is looked up in the tables once.

use super::table::{self, FILES, chips_file};
use super::{Basis, Class, Hazard, Kind, OperandKind};
use crate::chip::Chip;
use std::sync::atomic::{AtomicU16, Ordering};

const CLASSES: usize = Class::NAMES.len();
/// From the last variants of both enums.
const HAZARDS: usize = Hazard::War as usize + 1;
const OPERANDS: usize = OperandKind::Convergence as usize + 1;
const PAIRS: usize = CLASSES * CLASSES * HAZARDS * OPERANDS;

/// Nobody asked.
const NEVER: u16 = 0;
/// The tables do not say.
const NONE: u16 = 1;

/// By data file and pair: [`NEVER`], [`NONE`], or cycles in the low byte and in the high byte the basis' place in [`Basis::ALL`], from 1 on.
static KNOWN: [[AtomicU16; PAIRS]; FILES] = [const { [const { AtomicU16::new(NEVER) }; PAIRS] }; FILES];

/// Cycles of a pair, and what they rest on.
pub(super) fn known(chip: Chip, producer: Class, consumer: Class, kind: Kind) -> Option<(u8, Basis)> {
    let pair = producer as usize * CLASSES + consumer as usize;
    let pair = (pair * HAZARDS + kind.hazard as usize) * OPERANDS + kind.operand as usize;
    let slot = &KNOWN[chips_file(chip)][pair];
    // Every thread finds the same, so that the order in which they write says nothing.
    match slot.load(Ordering::Relaxed) {
        NEVER => {
            let found =
                table::find(chip, producer, consumer, kind).map(|found| (found.cycles(), found.basis()));
            slot.store(found.map_or(NONE, packed), Ordering::Relaxed);
            found
        }
        NONE => None,
        known => Some((known as u8, Basis::ALL[usize::from(known >> 8) - 1])),
    }
}

fn packed((cycles, basis): (u8, Basis)) -> u16 {
    let basis = Basis::ALL.iter().position(|other| *other == basis).unwrap_or(0);
    u16::from(cycles) | (basis as u16 + 1) << 8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is remembered is what the tables say, at the first time and at the second.
    #[test]
    fn what_is_known_is_what_was_found() {
        const OPERANDS: [OperandKind; 7] = [
            OperandKind::Register,
            OperandKind::Predicate,
            OperandKind::Guard,
            OperandKind::Uniform,
            OperandKind::UniformPredicate,
            OperandKind::UniformGuard,
            OperandKind::Convergence,
        ];
        for chip in [Chip::Sm75, Chip::Sm80, Chip::Sm90, Chip::Sm100, Chip::Sm120] {
            for (producer, _) in Class::NAMES {
                for (consumer, _) in Class::NAMES {
                    for operand in OPERANDS {
                        for hazard in [Hazard::Raw, Hazard::Waw, Hazard::War] {
                            let kind = Kind { hazard, operand };
                            let found = table::find(chip, producer, consumer, kind);
                            let found = found.map(|found| (found.cycles(), found.basis()));
                            for _ in 0..2 {
                                assert_eq!(
                                    known(chip, producer, consumer, kind),
                                    found,
                                    "{producer} {consumer}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}
