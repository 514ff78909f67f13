//! What can be set: one table of names, defaults and effects, in the form of `sassafras-placement`'s.

use sassafras_placement::KnobError;
use std::str::FromStr;

/// One row of [`TABLE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knob {
    /// Its name.
    pub name: &'static str,
    /// Its default, as text.
    pub default: &'static str,
    /// What it does, with its unit.
    pub what: &'static str,
}

/// Yes, no, or as the target has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// As the target has it.
    Unset,
    /// Yes.
    On,
    /// No.
    Off,
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Setting::Unset => "unset",
            Setting::On => "true",
            Setting::Off => "false",
        })
    }
}

impl FromStr for Setting {
    type Err = ();
    fn from_str(text: &str) -> Result<Setting, ()> {
        match text {
            "unset" => Ok(Setting::Unset),
            "true" => Ok(Setting::On),
            "false" => Ok(Setting::Off),
            _ => Err(()),
        }
    }
}

macro_rules! knobs {
    ($($field:ident $name:literal $type:ty = $default:expr, $text:literal, $what:literal;)*) => {
        /// The values of all knobs.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Knobs {
            $(#[doc = concat!("`", $name, "`: ", $what, ".")] pub $field: $type,)*
        }

        /// Every knob. `branch-fold-placement` is one of placement's.
        pub const TABLE: &[Knob] = &[$(Knob { name: $name, default: $text, what: $what }),*];

        impl Default for Knobs {
            fn default() -> Knobs {
                Knobs { $($field: $default,)* }
            }
        }

        impl Knobs {
            /// Sets the knob called `name`.
            ///
            /// # Errors
            /// There is none of this name, or the value is none of its type.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), KnobError> {
                match name {
                    $($name => self.$field = value.parse().map_err(|_| {
                        KnobError::Value { name: $name, value: value.to_owned(), default: $text }
                    })?,)*
                    _ => return Err(KnobError::Unknown(name.to_owned())),
                }
                Ok(())
            }

            /// The values as text, in the order of [`TABLE`].
            pub fn values(&self) -> Vec<String> {
                vec![$(self.$field.to_string()),*]
            }
        }
    };
}

knobs! {
    disable "disable-branch-fold" bool = false, "false", "branches are not folded at all";
    tail_merge "enable-tail-merge" Setting = Setting::Unset, "unset", "equal tails are merged: true, false, or unset, which is true here";
    threshold "tail-merge-threshold" usize = 150, "150", "blocks that are compared with each other at most; 0 merges nothing";
    size "tail-merge-size" usize = 3, "3", "instructions that a tail has at least";
    reserved "fold-reserved-registers" bool = false, "false", "tails that read reserved registers are merged too";
    unstructured "disable-nvptx-require-structured-cfg" bool = false, "false", "a merge may give a loop a second entry";
    convert "ifcvt-branch-fold" bool = true, "true", "branches are folded behind if-conversion";
}

impl Knobs {
    /// Whether tails are merged: on this target they are, though its control flow is structured.
    pub fn merges_tails(&self) -> bool {
        self.tail_merge != Setting::Off && self.threshold > 0
    }
}
