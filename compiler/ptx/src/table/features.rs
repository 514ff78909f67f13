//! Sets of targets with a suffix: `sm_90a` has what no other target has, and `sm_100f` what its family has (PTX ISA, "Architecture-specific
//! features" and "Family-specific features" under `.target`).

use sassafras_chip::Features;
use std::fmt;

/// What a set is made of. `a`: that target alone. `f`: every target of the family with a suffix, from that chip on.
const MEMBERS: [(&str, u32); 13] = [
    ("90a", 90),
    ("100a", 100),
    ("101a", 101),
    ("103a", 103),
    ("110a", 110),
    ("120a", 120),
    ("121a", 121),
    ("100f", 100),
    ("101f", 101),
    ("103f", 103),
    ("110f", 110),
    ("120f", 120),
    ("121f", 121),
];

/// Chips of one family. sm_101 is the older name of sm_110 (PTX ISA 9.0, release notes).
const FAMILIES: [&[u32]; 3] = [&[100, 103], &[101, 110], &[120, 121]];

/// Targets with a suffix; the empty set stands for every target, with a suffix or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Only(u16);

impl Only {
    /// Every target.
    pub const ANY: Only = Only(0);

    /// Reads `90a` or `100f+110f`; a bare number is every target. `None` for anything else.
    pub fn parse(text: &str) -> Option<Only> {
        if text.bytes().all(|b| b.is_ascii_digit()) {
            return Some(Only::ANY);
        }
        let mut bits = 0;
        for part in text.split('+') {
            bits |= 1 << MEMBERS.iter().position(|(name, _)| *name == part)?;
        }
        Some(Only(bits))
    }

    /// Whether plain targets have it too.
    pub fn any(self) -> bool {
        self.0 == 0
    }

    /// What both sets hold.
    pub fn and(self, other: Only) -> Only {
        match (self.any(), other.any()) {
            (true, _) => other,
            (_, true) => self,
            _ => {
                assert!(self.0 & other.0 != 0, "a word and its row need targets that exclude each other");
                Only(self.0 & other.0)
            }
        }
    }

    /// The weakest suffix that is enough.
    pub fn features(self) -> Features {
        if self.any() {
            Features::Base
        } else if self.members().any(|(member, _)| member.ends_with('f')) {
            Features::Family
        } else {
            Features::Architecture
        }
    }

    /// The number of the first chip.
    pub fn least(self) -> u32 {
        self.members().map(|(_, sm)| sm).min().unwrap_or(0)
    }

    /// Whether the target of this name, such as `sm_103a`, is in the set.
    pub fn has(self, target: &str) -> bool {
        if self.any() {
            return true;
        }
        let name = target.trim_start_matches("sm_").trim_start_matches("compute_");
        let Some(number) = name.strip_suffix(['a', 'f']).and_then(|n| n.parse::<u32>().ok()) else {
            return false;
        };
        let related =
            |sm: u32| FAMILIES.iter().any(|f| f.contains(&sm) && f.contains(&number)) && number >= sm;
        self.members().any(|(member, sm)| member == name || member.ends_with('f') && related(sm))
    }

    fn members(self) -> impl Iterator<Item = (&'static str, u32)> {
        MEMBERS.into_iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, m)| m)
    }
}

impl fmt::Display for Only {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.members().map(|(name, _)| format!("sm_{name}")).collect();
        f.write_str(&names.join(" or "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_its_later_chips_with_a_suffix() {
        let family = Only::parse("100f+110f").expect("it is in the notation");
        for (target, has) in [
            ("sm_100f", true),
            ("sm_100a", true),
            ("sm_103a", true),
            ("sm_110a", true),
            ("sm_101a", false),
            ("sm_100", false),
            ("sm_120a", false),
            ("sm_90a", false),
        ] {
            assert_eq!(family.has(target), has, "{target}");
        }
        assert_eq!((family.least(), family.to_string().as_str()), (100, "sm_100f or sm_110f"));
    }

    #[test]
    fn one_chip_has_what_it_has_alone() {
        let hopper = Only::parse("90a").expect("it is in the notation");
        assert!(hopper.has("sm_90a") && !hopper.has("sm_90") && !hopper.has("sm_100a"));
        assert!(Only::parse("90").is_some_and(|o| o.any() && o.has("sm_75")));
        assert_eq!(Only::parse("91a"), None);
    }
}
