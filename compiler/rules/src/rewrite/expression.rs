//! Expressions over the constants of a row.

use crate::lines::RowFault;

/// A computed constant. Its meaning is modulo 2⁶⁴, over constants without sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Number(u64),
    /// The width of the row's subject, `n`.
    Width,
    /// A constant of the pattern.
    Constant(String),
    /// Every bit changed.
    Not(Box<Expression>),
    /// Of two.
    Of(Arithmetic, Box<Expression>, Box<Expression>),
}

/// What is done with two constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Low half of the product.
    Mul,
    /// Both bits.
    And,
    /// One of the bits at least.
    Or,
    /// One of the bits alone.
    Xor,
    /// A shift to the left; by 64 or more it gives 0.
    Shl,
    /// A shift to the right that fills with zeros; by 64 or more it gives 0.
    Shr,
}

/// How a condition compares, without sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}

/// What must hold of a row's constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// How both sides are compared.
    pub comparison: Comparison,
    /// Left side.
    pub left: Expression,
    /// Right side.
    pub right: Expression,
}

impl Expression {
    /// Its value, where `n` is a width in bits and `constants` gives those of the pattern; `None` for one that is not among them.
    pub fn value(&self, n: u32, constants: &impl Fn(&str) -> Option<u64>) -> Option<u64> {
        Some(match self {
            Expression::Number(v) => *v,
            Expression::Width => u64::from(n),
            Expression::Constant(name) => constants(name)?,
            Expression::Not(a) => !a.value(n, constants)?,
            Expression::Of(op, a, b) => {
                let (a, b) = (a.value(n, constants)?, b.value(n, constants)?);
                let by = |b: u64| u32::try_from(b).unwrap_or(u32::MAX);
                match op {
                    Arithmetic::Add => a.wrapping_add(b),
                    Arithmetic::Sub => a.wrapping_sub(b),
                    Arithmetic::Mul => a.wrapping_mul(b),
                    Arithmetic::And => a & b,
                    Arithmetic::Or => a | b,
                    Arithmetic::Xor => a ^ b,
                    Arithmetic::Shl => a.checked_shl(by(b)).unwrap_or(0),
                    Arithmetic::Shr => a.checked_shr(by(b)).unwrap_or(0),
                }
            }
        })
    }

    /// Every constant that it names.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Expression::Number(_) | Expression::Width => Vec::new(),
            Expression::Constant(name) => vec![name],
            Expression::Not(a) => a.names(),
            Expression::Of(_, a, b) => a.names().into_iter().chain(b.names()).collect(),
        }
    }
}

impl Condition {
    /// Whether it holds; see [`Expression::value`].
    pub fn holds(&self, n: u32, constants: &impl Fn(&str) -> Option<u64>) -> bool {
        let (Some(a), Some(b)) = (self.left.value(n, constants), self.right.value(n, constants)) else {
            return false;
        };
        match self.comparison {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
        }
    }
}

/// Reads an expression. Operators of one rank associate to the left; ranks from the loosest: `|`, `^`, `&`, `<< >>`, `+ -`, `*`, `~`.
///
/// # Errors
/// What is wrong, and at which word.
pub fn read(text: &str) -> Result<Expression, RowFault> {
    let mut reader = Reader { rest: text };
    let all = reader.binary(0)?;
    reader.rest = reader.rest.trim_start();
    match reader.rest.is_empty() {
        true => Ok(all),
        false => Err(RowFault::AfterExpression(reader.rest.to_owned())),
    }
}

const RANKS: [&[(&str, Arithmetic)]; 6] = [
    &[("|", Arithmetic::Or)],
    &[("^", Arithmetic::Xor)],
    &[("&", Arithmetic::And)],
    &[("<<", Arithmetic::Shl), (">>", Arithmetic::Shr)],
    &[("+", Arithmetic::Add), ("-", Arithmetic::Sub)],
    &[("*", Arithmetic::Mul)],
];

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn takes(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(word);
        if let Some(rest) = rest {
            self.rest = rest;
        }
        rest.is_some()
    }

    fn binary(&mut self, rank: usize) -> Result<Expression, RowFault> {
        let Some(operators) = RANKS.get(rank) else { return self.single() };
        let mut left = self.binary(rank + 1)?;
        while let Some((_, op)) = operators.iter().find(|(word, _)| self.takes(word)) {
            let right = self.binary(rank + 1)?;
            left = Expression::Of(*op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn single(&mut self) -> Result<Expression, RowFault> {
        if self.takes("~") {
            return Ok(Expression::Not(Box::new(self.single()?)));
        }
        if self.takes("(") {
            let inner = self.binary(0)?;
            return if self.takes(")") { Ok(inner) } else { Err(RowFault::UnclosedExpression) };
        }
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match super::number::number(word) {
            Some(n) => Ok(Expression::Number(n)),
            None if word == "n" => Ok(Expression::Width),
            None if word.starts_with(|c: char| c.is_ascii_uppercase()) => {
                Ok(Expression::Constant(word.into()))
            }
            None => Err(RowFault::Constant(word.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_as_they_do_elsewhere() {
        let value = |text: &str| read(text).expect("it reads").value(32, &|name| (name == "C").then_some(6));
        assert_eq!(value("1 + 2 * C"), Some(13));
        assert_eq!(value("(1 + 2) * C"), Some(18));
        assert_eq!(value("n - C - 1"), Some(25));
        assert_eq!(value("1 << n | C & 2"), Some(1 << 32 | 2));
        assert_eq!(value("~0 >> 63"), Some(1));
        assert_eq!(value("1 << 64"), Some(0));
        assert_eq!(value("D"), None);
        assert!(read("1 +").is_err() && read("1 2").is_err() && read("(1").is_err() && read("x").is_err());
    }
}
