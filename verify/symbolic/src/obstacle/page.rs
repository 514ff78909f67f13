//! What is said of a kind of obstacle to somebody who does not know the prover.

/// The page of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The code: `U`, two digits of the group, two of the kind. It never changes.
    pub code: &'static str,
    /// The text, with names of fields in braces.
    pub text: &'static str,
    /// What had to be shown, and how far that went.
    pub means: &'static str,
    /// What may help.
    pub hint: &'static str,
}

/// An enum of obstacles: of each kind its fields, its code, its text and what is said of it. All that is asked of a kind is answered by a `match`
/// over the kinds, so that none can be left out.
#[macro_export]
macro_rules! obstacles {
    ($(#[$about:meta])* $name:ident;
     $($(#[$doc:meta])* $kind:ident { $($(#[$note:meta])* $field:ident: $ty:ty),* $(,)? }
         = $code:literal $text:literal, $means:expr, $hint:expr;)*) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $kind { $($(#[$note])* $field: $ty),* }),*
        }

        impl $name {
            /// What is said of each of its kinds.
            pub const ALL: &'static [$crate::obstacle::page::Advice] = &[$(
                $crate::obstacle::page::Advice { code: $code, text: $text, means: $means, hint: $hint }
            ),*];

            /// What is said of this one.
            pub fn advice(&self) -> &'static $crate::obstacle::page::Advice {
                match self {
                    $($name::$kind { .. } => const {
                        &$crate::obstacle::page::Advice { code: $code, text: $text, means: $means, hint: $hint }
                    }),*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($name::$kind { $($field),* } => {
                        $(let _ = $field;)*
                        write!(f, $text)
                    }),*
                }
            }
        }
    };
}
