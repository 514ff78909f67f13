//! The chips, and ranges of them.

use std::fmt;
use std::str::FromStr;

/// A chip by its compute capability. The order is that of the numbers; a later chip is not a superset of an
/// earlier one (opcodes 0x249 and 0x24a mean other things on sm_100 than on sm_120).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Chip {
    /// Turing.
    Sm75 = 75,
    /// Ampere, A100.
    Sm80 = 80,
    /// Ampere, GA10x.
    Sm86 = 86,
    /// Ampere, Orin.
    Sm87 = 87,
    /// Ampere, embedded successor of Orin's GPU.
    Sm88 = 88,
    /// Ada.
    Sm89 = 89,
    /// Hopper.
    Sm90 = 90,
    /// Blackwell, B200.
    Sm100 = 100,
    /// Blackwell, B300.
    Sm103 = 103,
    /// Blackwell, Thor.
    Sm110 = 110,
    /// Blackwell, RTX 50.
    Sm120 = 120,
    /// Blackwell, DGX Spark.
    Sm121 = 121,
}

/// The name is no chip that the tables know.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown chip `{0}`; known are sm_75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120 and 121")]
pub struct UnknownChip(pub String);

impl Chip {
    /// Every chip, in order of number.
    pub const ALL: [Chip; 12] = [
        Chip::Sm75,
        Chip::Sm80,
        Chip::Sm86,
        Chip::Sm87,
        Chip::Sm88,
        Chip::Sm89,
        Chip::Sm90,
        Chip::Sm100,
        Chip::Sm103,
        Chip::Sm110,
        Chip::Sm120,
        Chip::Sm121,
    ];

    /// The name of the chip that tools take where none is named.
    pub const DEFAULT: &str = "sm_90";

    /// The number in `sm_NN`.
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The chip with this number.
    pub fn from_number(number: u32) -> Option<Chip> {
        Chip::ALL.into_iter().find(|chip| chip.number() == number)
    }

    /// Width in bits of a field that names a uniform register: 6 up to sm_90, 8 from sm_100 on.
    pub const fn uniform_field_bits(self) -> u32 {
        if (self as u32) < 100 { 6 } else { 8 }
    }

    /// Whether each lane may have its own handle of a texture, in a general register (TEX.B); from sm_90 on it stands in a uniform one. Source: ptxas 13.0.88,
    /// kernels of one instruction with handles that differ from lane to lane, sm_75 to sm_120.
    pub const fn has_lane_handles(self) -> bool {
        (self as u32) < 90
    }

    /// Whether lanes of a warp may do for themselves what a warp does as one group (`WARPSYNC.COLLECTIVE`), as arrive at a barrier of the block. Source: ptxas 13.0.88,
    /// `barrier.sync` on both sides of a branch, sm_75 to sm_120.
    pub const fn has_collectives(self) -> bool {
        (self as u32) >= 90
    }

    /// Whether arithmetic may read `c[bank][offset]` directly. sm_100 and later load constants first.
    pub const fn has_constant_operands(self) -> bool {
        (self as u32) < 100
    }

    /// Whether two words of constant memory for one register pair are loaded at once (`LDC.64`). ptxas 13.0.88 loads pointers so from sm_90 on, and
    /// moves or adds the words before.
    pub const fn loads_pairs(self) -> bool {
        (self as u32) >= 90
    }

    /// Whether a unit of the machine does what barrier objects ask for (`SYNCS`). Before sm_90 they are two words of shared memory, which loads,
    /// stores and atomic operations change (what ptxas 13.0.88 makes of `mbarrier` for each chip).
    pub const fn has_barrier_unit(self) -> bool {
        self as u32 >= 90
    }
}

impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.number())
    }
}

impl FromStr for Chip {
    type Err = UnknownChip;

    /// Accepts `sm_90`, `compute_90`, `SM90` and `90`; a feature suffix is for [`crate::Target`].
    fn from_str(text: &str) -> Result<Chip, UnknownChip> {
        let digits =
            ["sm_", "compute_", "SM", "sm"].iter().find_map(|p| text.strip_prefix(p)).unwrap_or(text);
        digits.parse().ok().and_then(Chip::from_number).ok_or_else(|| UnknownChip(text.to_owned()))
    }
}

/// An inclusive range of chips, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChipRange {
    /// Lowest number included.
    pub first: u32,
    /// Highest number included.
    pub last: u32,
}

impl ChipRange {
    /// Whether the chip lies in the range.
    pub const fn contains(self, chip: Chip) -> bool {
        let number = chip.number();
        self.first <= number && number <= self.last
    }

    /// Whether some chip lies in both ranges.
    pub fn overlaps(self, other: ChipRange) -> bool {
        Chip::ALL.into_iter().any(|chip| self.contains(chip) && other.contains(chip))
    }
}

impl fmt::Display for ChipRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "sm_{}", self.first)
        } else {
            write!(f, "sm_{}-sm_{}", self.first, self.last)
        }
    }
}

impl FromStr for ChipRange {
    type Err = UnknownChip;

    /// Reads `90` or `80-90`; both ends must be chips.
    fn from_str(text: &str) -> Result<ChipRange, UnknownChip> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last): (Chip, Chip) = (first.parse()?, last.parse()?);
        if first > last {
            return Err(UnknownChip(text.to_owned()));
        }
        Ok(ChipRange { first: first.number(), last: last.number() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for chip in Chip::ALL {
            assert_eq!(chip.to_string().parse(), Ok(chip));
            assert_eq!(format!("compute_{}", chip.number()).parse(), Ok(chip));
        }
        assert!("sm_91".parse::<Chip>().is_err());
        assert!("sm_90a".parse::<Chip>().is_err());
    }

    #[test]
    fn ranges() {
        let range: ChipRange = "80-90".parse().unwrap();
        assert!(range.contains(Chip::Sm86) && range.contains(Chip::Sm90));
        assert!(!range.contains(Chip::Sm75) && !range.contains(Chip::Sm100));
        assert!("90-80".parse::<ChipRange>().is_err());
        assert!(!range.overlaps("100-121".parse().unwrap()));
    }
}
