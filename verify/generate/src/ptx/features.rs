//! What a module may have, by name.

/// One switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Feature {
    Guards,
    Branches,
    Loops,
    Switches,
    /// Regions whose edges go anywhere: irreducible ones too.
    Graphs,
    /// Threads that end early.
    Exits,
    Memory,
    /// Pointers into one record whose distance is only known when it runs.
    Aliases,
    Local,
    Constant,
    Shared,
    /// Shuffles, votes, reductions of a warp; more than one block.
    Warp,
    Atomics,
    Calls,
    Carries,
    /// Integers of 64 bits.
    Wide,
    /// Integers of 16 bits and conversions of bytes.
    Narrow,
    F32,
    F64,
    F16,
    Bf16,
    /// Two halves in one register.
    Packed,
    Division,
    /// What compilers rewrite: rotates, extracts, products by constants, chains of extrema.
    Idioms,
    /// What the ptxas versions at hand are known to compile wrongly (`corpus/ptxas-open`).
    Known,
}

impl Feature {
    /// All of them.
    #[rustfmt::skip]
    pub const ALL: [Feature; 25] = {
        use Feature::*;
        [Guards, Branches, Loops, Switches, Graphs, Exits, Memory, Aliases, Local, Constant, Shared, Warp, Atomics, Calls,
         Carries, Wide, Narrow, F32, F64, F16, Bf16, Packed, Division, Idioms, Known]
    };

    /// Its name on a command line.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// A set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// Every feature.
    pub const ALL: Features = Features((1 << Feature::ALL.len()) - 1);
    /// Straight lines of 32-bit integers alone.
    pub const NONE: Features = Features(0);

    /// Whether a feature is in it.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u32 & 1 == 1
    }
    /// With one more.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Features {
        Features(self.0 | 1 << feature as u32)
    }
    /// With one fewer.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Features {
        Features(self.0 & !(1 << feature as u32))
    }

    /// Reads `all`, `none` and changes of them: `all,-calls,-known`, `none,loops`.
    ///
    /// # Errors
    /// The first word that is no feature.
    pub fn parse(text: &str) -> Result<Features, UnknownFeature> {
        let mut set = Features::NONE;
        for word in text.split(',').map(str::trim) {
            let (name, on) = word.strip_prefix('-').map_or((word, true), |name| (name, false));
            let feature = Feature::ALL.into_iter().find(|f| f.name() == name);
            set = match (name, feature) {
                ("all", _) if on => Features::ALL,
                ("none", _) if on => Features::NONE,
                (_, Some(feature)) if on => set.with(feature),
                (_, Some(feature)) => set.without(feature),
                _ => return Err(UnknownFeature(word.to_owned())),
            };
        }
        Ok(set)
    }
}

/// A word that is no feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFeature(pub String);

impl std::fmt::Display for UnknownFeature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = Feature::ALL.map(Feature::name).join(", ");
        write!(f, "`{}` is no feature; there are all, none, {names}", self.0)
    }
}

impl std::error::Error for UnknownFeature {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read() {
        assert_eq!(Features::parse("all"), Ok(Features::ALL));
        assert_eq!(Features::parse("none,loops"), Ok(Features::NONE.with(Feature::Loops)));
        let set = Features::parse("all,-known").expect("a set");
        assert!(!set.has(Feature::Known) && set.has(Feature::Calls));
        assert!(Features::parse("all,-lops").is_err_and(|e| e.to_string().contains("`-lops`")));
    }
}
