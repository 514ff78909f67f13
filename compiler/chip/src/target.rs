//! What a user names on the command line and a PTX file in `.target`.

use crate::chip::Chip;
use std::fmt;
use std::str::FromStr;

/// The features a target's suffix opens (PTX ISA, "Architecture-specific and family-specific features").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Features {
    /// `sm_90`: runs on this chip and on later ones through PTX.
    Base,
    /// `sm_100f`: the features shared by the chip's family.
    Family,
    /// `sm_90a`: everything this one chip has.
    Architecture,
}

/// A chip and a feature set: `sm_75` … `sm_121a`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The hardware.
    pub chip: Chip,
    /// What the suffix opens.
    pub features: Features,
}

/// The name is no target that the tables know.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown target `{0}`")]
pub struct UnknownTarget(pub String);

impl Target {
    /// The plain target of a chip.
    pub const fn base(chip: Chip) -> Target {
        Target { chip, features: Features::Base }
    }

    /// Every target: each chip plain, `a` from sm_90 on, `f` from sm_100 on.
    pub fn all() -> impl Iterator<Item = Target> {
        Chip::ALL.into_iter().flat_map(|chip| {
            [Features::Base, Features::Family, Features::Architecture]
                .into_iter()
                .map(move |features| Target { chip, features })
                .filter(|target| target.exists())
        })
    }

    /// The name with the prefix that virtual targets carry, as in `compute_90a`.
    pub fn virtual_name(self) -> String {
        format!("compute_{}{}", self.chip.number(), self.suffix())
    }

    fn exists(self) -> bool {
        match self.features {
            Features::Base => true,
            Features::Family => self.chip >= Chip::Sm100,
            Features::Architecture => self.chip >= Chip::Sm90,
        }
    }

    fn suffix(self) -> &'static str {
        match self.features {
            Features::Base => "",
            Features::Family => "f",
            Features::Architecture => "a",
        }
    }
}

impl From<Chip> for Target {
    fn from(chip: Chip) -> Target {
        Target::base(chip)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.chip, self.suffix())
    }
}

impl FromStr for Target {
    type Err = UnknownTarget;

    /// Accepts `sm_90a` and `compute_90a`.
    fn from_str(text: &str) -> Result<Target, UnknownTarget> {
        let unknown = || UnknownTarget(text.to_owned());
        let (name, features) = match text.strip_suffix('a') {
            Some(name) => (name, Features::Architecture),
            None => match text.strip_suffix('f') {
                Some(name) => (name, Features::Family),
                None => (text, Features::Base),
            },
        };
        let digits =
            name.strip_prefix("sm_").or_else(|| name.strip_prefix("compute_")).ok_or_else(unknown)?;
        let chip = digits.parse().ok().and_then(Chip::from_number).ok_or_else(unknown)?;
        let target = Target { chip, features };
        if target.exists() { Ok(target) } else { Err(unknown()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        assert_eq!(Target::all().count(), 12 + 5 + 6);
        for target in Target::all() {
            assert_eq!(target.to_string().parse(), Ok(target));
            assert_eq!(target.virtual_name().parse(), Ok(target));
        }
        for bad in ["sm_89a", "sm_90f", "90", "sm_", "sm_90aa", "compute_91"] {
            assert!(bad.parse::<Target>().is_err(), "{bad}");
        }
    }
}
