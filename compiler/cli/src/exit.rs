//! What the process tells its caller.

use std::process::ExitCode;

macro_rules! exits {
    ($($name:ident $code:literal $meaning:literal;)*) => {
        /// The outcome of a command; the number is the exit code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Exit {
            $(
                #[doc = concat!($meaning, ".")]
                $name = $code,
            )*
        }

        /// From the worst to the best.
        const ORDER: &[Exit] = &[$(Exit::$name),*];

        impl Exit {
            /// What it says, as the handbook has it.
            pub const fn meaning(self) -> &'static str {
                match self { $(Exit::$name => $meaning),* }
            }
        }
    };
}

// The worst first.
exits! {
    Internal 3 "a judge objected to our own work, or an error inside Sassafras: a bug to report";
    Refuted 10 "refuted; `lint`: a known error of ptxas is met; `check`: an objection; `fuzz`: something was found";
    Unknown 12 "unknown";
    Bounded 11 "proved within a bound";
    Assumed 14 "proved with assumptions outside the base set ([proof](proof.md))";
    Inapplicable 13 "inapplicable: there is nothing to compare, such as a module without an entry";
    Usage 2 "the command line is wrong: an option that does not exist, does not fit the others or this input, or names what is not there";
    Wrong 1 "the input is wrong, or a file cannot be read or written; diagnostics were printed";
    Unsupported 4 "valid, but not supported yet; the form is named";
    Failed 5 "the program that `run` ran failed: a trap, bounds, a deadlock, poison, the step limit";
    Done 0 "done, or all proved";
}

impl Exit {
    /// The worse of two.
    #[must_use]
    pub fn worse(self, other: Exit) -> Exit {
        ORDER.iter().copied().find(|&e| e == self || e == other).unwrap_or(self)
    }

    /// The outcome with this exit code.
    pub fn from_code(code: u8) -> Option<Exit> {
        ORDER.iter().copied().find(|&e| e as u8 == code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handbook_has_every_code_and_the_order() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/README.md"))
            .expect("it is there");
        for exit in ORDER {
            let row = format!("\n| {} | {} |\n", *exit as u8, exit.meaning());
            assert!(page.contains(&row), "docs/README.md lacks {row}");
        }
        let order: Vec<String> = ORDER.iter().map(|e| (*e as u8).to_string()).collect();
        assert!(page.contains(&format!("the worst decides: {}.", order.join(", "))), "{order:?}");
    }

    #[test]
    fn the_worst_decides() {
        assert_eq!(Exit::Done.worse(Exit::Wrong), Exit::Wrong);
        assert_eq!(Exit::Unknown.worse(Exit::Refuted), Exit::Refuted);
        assert_eq!(Exit::Refuted.worse(Exit::Internal), Exit::Internal);
        assert_eq!(Exit::Failed.worse(Exit::Unsupported), Exit::Unsupported);
        for &exit in ORDER {
            assert_eq!(exit.worse(exit), exit);
            assert_eq!(Exit::from_code(exit as u8), Some(exit));
        }
    }
}
