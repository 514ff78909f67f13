//! The lines of a file of rows, as selection and rewrites write them.

/// A row that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}.rules:{line}: {message}")]
pub struct RowError {
    /// File.
    pub file: &'static str,
    /// 1-based line on which the row begins.
    pub line: usize,
    /// What is wrong.
    pub message: String,
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
