//! The shape of a row.

use super::Options;
use super::value_error::ValueError;

/// What follows an option's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing.
    None,
    /// `true` or `false`.
    Bool,
    /// One value, after `=` or as the next argument.
    One,
    /// Values separated by commas; the option may be repeated.
    List,
    /// One value that touches the short name, as in `-O3`, or follows the long one. The short name alone takes none.
    Joined,
    /// One value that touches the short name, as in `-m64`, or follows either name.
    JoinedOrNext,
}

/// Whose option it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// ptxas 13.0.88 lists it.
    Ptxas,
    /// ptxas 13.5.37 lists it, 13.0.88 does not.
    PtxasLater,
    /// ptxas takes it without listing it.
    PtxasHidden,
    /// Ours.
    Sassafras,
}

/// What an option does.
#[derive(Clone, Copy)]
pub enum Effect {
    /// It sets a value; an `Err` says what is wrong with its argument.
    Set(fn(&mut Options, &str) -> Result<(), ValueError>),
    /// What it asks for is so in every compilation; the sentence says why, and is shown when the option is used.
    Holds(&'static str),
    /// Its argument is checked, and changes nothing; the sentence says why, and is shown when the option is used.
    Ignored(fn(&mut Options, &str) -> Result<(), ValueError>, &'static str),
    /// One of these values, between which there is no difference; any other does not exist.
    Choice(&'static [&'static str]),
    /// Only the given value, which is the default, is supported; the sentence says what is missing.
    Only(&'static [&'static str], &'static str),
    /// It is not supported yet; the sentence says what is missing.
    Refused(&'static str),
}

/// One option.
pub struct Row {
    /// The long name, without dashes.
    pub long: &'static str,
    /// The short name, without its dash; may equal the long one.
    pub short: &'static str,
    /// What follows it.
    pub argument: Argument,
    /// How the help text calls the argument; empty for none.
    pub value: &'static str,
    /// The default, as the help text shows it; empty for none.
    pub default: &'static str,
    /// Whose it is.
    pub origin: Origin,
    /// What it does.
    pub effect: Effect,
    /// One sentence for the help text.
    pub help: &'static str,
}
