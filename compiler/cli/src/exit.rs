//! What the process tells its caller.

use std::process::ExitCode;

/// The outcome of a command; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Exit {
    /// Done, or all proved.
    Done = 0,
    /// The input is wrong; diagnostics were printed.
    Wrong = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A judge objected to our own work, or an internal error.
    Internal = 3,
    /// Valid, but not supported yet; the form was named.
    Unsupported = 4,
    /// The program that `run` ran failed.
    Failed = 5,
    /// Refuted.
    Refuted = 10,
    /// Proved within a bound.
    Bounded = 11,
    /// Unknown.
    Unknown = 12,
    /// Inapplicable.
    Inapplicable = 13,
    /// Proved with assumptions outside the base set.
    Assumed = 14,
}

/// From the worst to the best.
const ORDER: [Exit; 11] = [
    Exit::Internal,
    Exit::Refuted,
    Exit::Unknown,
    Exit::Bounded,
    Exit::Assumed,
    Exit::Inapplicable,
    Exit::Usage,
    Exit::Wrong,
    Exit::Unsupported,
    Exit::Failed,
    Exit::Done,
];

impl Exit {
    /// The worse of two.
    #[must_use]
    pub fn worse(self, other: Exit) -> Exit {
        ORDER.into_iter().find(|&e| e == self || e == other).unwrap_or(self)
    }

    /// The outcome with this exit code.
    pub fn from_code(code: u8) -> Option<Exit> {
        ORDER.into_iter().find(|&e| e as u8 == code)
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
            assert!(
                page.contains(&format!("\n| {} | ", exit as u8)),
                "docs/README.md lacks exit code {}",
                exit as u8
            );
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
        for exit in ORDER {
            assert_eq!(exit.worse(exit), exit);
            assert_eq!(Exit::from_code(exit as u8), Some(exit));
        }
    }
}
