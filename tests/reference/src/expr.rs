//! Counts and scalar values may be written over the launch's sizes: `2*n+1`, `rows*cols`, `gx*bx-1`.

use std::collections::BTreeMap;

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExprError {
    /// A name that is none of the launch's sizes.
    #[error("unknown size `{name}` in `{text}`")]
    UnknownSize {
        /// The name.
        name: String,
        /// The expression.
        text: String,
    },
    /// A value of more than 64 bits.
    #[error("`{0}` overflows")]
    Overflow(String),
}

/// Evaluates sums and differences of products of names and whole numbers; no brackets.
pub fn eval(text: &str, sizes: &BTreeMap<String, i64>) -> Result<i64, ExprError> {
    let overflow = || ExprError::Overflow(text.to_owned());
    let unknown = |name: &str| ExprError::UnknownSize { name: name.to_owned(), text: text.to_owned() };
    let mut total = 0i64;
    let mut sign = 1i64;
    let mut rest = text.trim();
    loop {
        let end = rest.find(['+', '-']).unwrap_or(rest.len());
        let mut product = 1i64;
        for factor in rest[..end].split('*') {
            let factor = factor.trim();
            let value = match factor.parse::<i64>() {
                Ok(v) => v,
                Err(_) => *sizes.get(factor).ok_or_else(|| unknown(factor))?,
            };
            product = product.checked_mul(value).ok_or_else(overflow)?;
        }
        total = total.checked_add(sign * product).ok_or_else(overflow)?;
        match rest[end..].chars().next() {
            None => return Ok(total),
            Some(c) => sign = if c == '-' { -1 } else { 1 },
        }
        rest = &rest[end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_products() {
        let sizes = BTreeMap::from([("n".to_string(), 7), ("m".to_string(), 3)]);
        assert_eq!(eval("2*n + 1 - m*m", &sizes), Ok(6));
        assert_eq!(eval("12", &sizes), Ok(12));
        assert!(eval("n*k", &sizes).is_err());
        assert!(eval("", &sizes).is_err());
    }
}
