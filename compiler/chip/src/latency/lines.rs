//! Lines of the data files: a head, then rows of cells; `#` starts a comment.

use super::UnknownName;

/// A line that is no row.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub(super) struct LineError {
    line: usize,
    fault: Fault,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Fault {
    /// It has other cells than are needed.
    #[error("{0}")]
    Cells(&'static str),
    /// A name of nothing.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// A list that is none of chips.
    #[error("`{0}` are no chips")]
    Chips(&'static str),
    /// A text that is no number; and of what it should be one.
    #[error("`{0}` is no number of {1}")]
    Number(&'static str, &'static str),
}

/// The rows of a file. `read` makes those of one line.
pub(super) fn rows<T>(
    text: &'static str,
    read: impl Fn(&'static str) -> Result<Vec<T>, Fault>,
) -> Result<Vec<T>, LineError> {
    let mut all = Vec::new();
    for (text, line) in text.lines().zip(1..).skip(1).filter(|(l, _)| !l.is_empty() && !l.starts_with('#')) {
        all.extend(read(text).map_err(|fault| LineError { line, fault })?);
    }
    Ok(all)
}
