//! The lines of a file of rows, as selection and rewrites write them.

/// A row that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}.rules:{line}: {fault}")]
pub struct RowError {
    /// File.
    pub file: &'static str,
    /// 1-based line on which the row begins.
    pub line: usize,
    /// What is wrong.
    pub fault: RowFault,
}

/// What is wrong with a row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// Nothing parts a pattern from its replacement.
    #[error("a row needs `=>`")]
    NoArrow,
    /// A name stands alone.
    #[error("a row needs a pattern")]
    NoPattern,
    /// Something stands behind the pattern.
    #[error("`{0}` after the pattern")]
    AfterPattern(String),
    /// The pattern has no bracket.
    #[error("a pattern begins with `(`")]
    PatternBracket,
    /// Nothing stands behind a bracket.
    #[error("a pattern needs an operation")]
    NoOperation,
    /// A bracket is not closed.
    #[error("`{0}` without `{1}`")]
    Unclosed(char, char),
    /// There is no such operation.
    #[error("no operation `{0}`")]
    UnknownOperation(String),
    /// An operand may be matched by nothing of this letter.
    #[error("no operand kind `{0}`")]
    OperandKind(char),
    /// Nothing stands between two `;`.
    #[error("an empty replacement")]
    EmptyReplacement,
    /// `pack` has too few values.
    #[error("`pack` takes a result and its parts")]
    Pack,
    /// `copy` has another number of values than two.
    #[error("`copy` takes a result and a source")]
    Copy,
    /// A word of an instruction is no field with a value.
    #[error("`{0}` is no field=value")]
    Field(String),
    /// What stands behind the `.` of a value is no number of a 32-bit unit.
    #[error("`{0}`: no unit")]
    Unit(String),
    /// A number of more than 64 bits.
    #[error("`{0}` is too large")]
    TooLarge(String),
    /// The pattern of a rewrite is a name or a number.
    #[error("a pattern is an operation")]
    NoOperationPattern,
    /// The pattern of a rewrite computes a constant.
    #[error("a pattern has no computed constant")]
    ComputedPattern,
    /// A replacement or a condition names what the pattern does not.
    #[error("`{0}` is not in the pattern")]
    NotInPattern(String),
    /// A condition without a comparison.
    #[error("`{0}` is no condition")]
    Condition(String),
    /// Something stands behind an argument that is the whole.
    #[error("`{0}` is too much")]
    TooMuch(String),
    /// A word is neither a number, nor a constant, nor a name.
    #[error("`{0}` is no argument")]
    Argument(String),
    /// An operation without a bracket.
    #[error("an operation begins with `(`")]
    OperationBracket,
    /// What stands behind `:` is no number of bits.
    #[error("`{0}`: no width")]
    Width(String),
    /// Something stands behind an expression.
    #[error("`{0}` after an expression")]
    AfterExpression(String),
    /// A bracket of an expression is not closed.
    #[error("`(` without `)` in an expression")]
    UnclosedExpression,
    /// A word of an expression is neither a number, nor the name of a constant, nor `n`.
    #[error("`{0}` is no constant")]
    Constant(String),
}

/// Each row with the 1-based line on which it begins: a line that begins with a blank goes on with the row before it, `#` begins a comment.
pub(crate) fn joined(text: &str) -> Vec<(usize, String)> {
    let mut joined: Vec<(usize, String)> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim_end();
        match (line.trim().is_empty(), line.starts_with(' '), joined.last_mut()) {
            (true, ..) => {}
            (false, true, Some((_, row))) => row.push_str(line),
            _ => joined.push((i + 1, line.to_owned())),
        }
    }
    joined
}
