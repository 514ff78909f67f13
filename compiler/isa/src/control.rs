//! The parts that every instruction has: the guard and the control bits.

/// The predicate under which an instruction takes effect, bits 12 to 15 of the word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Guard {
    /// Predicate number; 7 is the constant true (PT or UPT). Before allocation it may be virtual.
    pub pred: u32,
    /// Whether the instruction takes effect where the predicate is false.
    pub negate: bool,
    /// Whether the number names a uniform predicate. A property of the form.
    pub uniform: bool,
}

impl Guard {
    /// Always true.
    pub const ALWAYS: Guard = Guard { pred: 7, negate: false, uniform: false };

    /// Whether the guard is PT, not negated.
    pub fn is_always(self) -> bool {
        self.pred == 7 && !self.negate
    }
}

impl Default for Guard {
    fn default() -> Guard {
        Guard::ALWAYS
    }
}

/// Bits 105 to 124 of the word: how the hardware schedules the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Control {
    /// Cycles from this issue to the next of the same warp, 0 to 15.
    pub stall: u8,
    /// Bit 109 as it stands in the word. 1 is legal only with a stall of 1 to 11.
    pub yield_: bool,
    /// Scoreboard 0 to 5 that results release when they are written; 7 is none.
    pub write_barrier: u8,
    /// Scoreboard 0 to 5 that is released when the sources have been read; 7 is none.
    pub read_barrier: u8,
    /// Bit `i` set: wait until scoreboard `i` is zero before issue.
    pub wait_mask: u8,
    /// Operand reuse: bits 0, 1 and 2 for the sources that the row marks so, mostly a, b and c; it needs bit 109. Without bit 109, bits 0 and
    /// 2 of a texture instruction say that it is the first or last of a run of them; see [`crate::ControlLimits::runs`].
    pub reuse: u8,
}

impl Control {
    /// The slowest control word: waits for every scoreboard, then the longest stall. What a new instruction has.
    pub const SAFE: Control =
        Control { stall: 15, yield_: false, write_barrier: 7, read_barrier: 7, wait_mask: 0x3f, reuse: 0 };

    /// Says nothing at all: no stall, no scoreboard, no wait. nvdisasm leaves out the blank before the semicolon of such an instruction, and ptxas
    /// 13.5.37 makes whole functions of them at -O0, in which loads are read by the next instruction: the hardware must hold the warp
    /// then, but nobody says for how long.
    pub const SILENT: Control =
        Control { stall: 0, yield_: false, write_barrier: 7, read_barrier: 7, wait_mask: 0, reuse: 0 };

    /// The 20 bits 105 to 124, at bit 0.
    pub fn bits(self) -> u32 {
        u32::from(self.stall & 15)
            | u32::from(self.yield_) << 4
            | u32::from(self.write_barrier & 7) << 5
            | u32::from(self.read_barrier & 7) << 8
            | u32::from(self.wait_mask & 63) << 11
            | u32::from(self.reuse & 7) << 17
    }

    /// The reverse of [`Control::bits`]; higher bits of the argument are ignored.
    pub fn from_bits(bits: u32) -> Control {
        let part = |low: u32, width: u32| ((bits >> low) & ((1 << width) - 1)) as u8;
        Control {
            stall: part(0, 4),
            yield_: part(4, 1) == 1,
            write_barrier: part(5, 3),
            read_barrier: part(8, 3),
            wait_mask: part(11, 6),
            reuse: part(17, 3),
        }
    }

    /// What is illegal about the control word by itself, as swept with nvdisasm on all chips. What its row allows is not asked.
    pub fn fault(self) -> Option<&'static str> {
        if self.stall > 15 || self.wait_mask > 63 || self.reuse > 7 {
            return Some("a control value does not fit its bits");
        }
        if self.yield_ && !(1..=11).contains(&self.stall) {
            return Some("bit 109 needs a stall of 1 to 11");
        }
        if [self.write_barrier, self.read_barrier].iter().any(|&barrier| barrier > 7 || barrier == 6) {
            return Some("a barrier must be 0 to 5, or 7 for none");
        }
        None
    }
}

impl Default for Control {
    fn default() -> Control {
        Control::SAFE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_round_trip() {
        for bits in (0..1 << 20).step_by(7) {
            assert_eq!(Control::from_bits(bits).bits(), bits);
        }
        assert_eq!(Control::SAFE.fault(), None);
    }
}
