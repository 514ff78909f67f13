//! Index types.

/// An index of one kind of thing: a `u32` that names an element of a [`crate::PrimaryMap`].
pub trait Entity: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug {
    /// The entity with this index. Indices count from 0 and stay below `u32::MAX`.
    fn from_index(index: usize) -> Self;
    /// The index.
    fn index(self) -> usize;
}

/// Declares a `u32` newtype that is an [`Entity`]. `Display` and `Debug` are a prefix and the number, which is how
/// the text forms name it; `FromStr` reads it back.
///
/// ```
/// sassafras_graph::entity!(Block, "b", "A basic block.");
/// assert_eq!(Block(3).to_string(), "b3");
/// assert_eq!("b3".parse(), Ok(Block(3)));
/// ```
#[macro_export]
macro_rules! entity {
    ($name:ident, $prefix:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $crate::Entity for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 entities"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = ();
            /// Reads the prefix and a decimal number without superfluous zeros.
            fn from_str(text: &str) -> Result<Self, ()> {
                let digits = text.strip_prefix($prefix).ok_or(())?;
                let number: u32 = digits.parse().map_err(|_| ())?;
                if number.to_string() == digits { Ok($name(number)) } else { Err(()) }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    entity!(Thing, "t", "For the test.");

    #[test]
    fn text_round_trips_and_rejects() {
        for n in [0, 1, 77, u32::MAX] {
            assert_eq!(Thing(n).to_string().parse(), Ok(Thing(n)));
        }
        for bad in ["", "t", "t01", "t-1", "t+1", "x3", "t4294967296"] {
            assert!(bad.parse::<Thing>().is_err(), "{bad}");
        }
    }
}
