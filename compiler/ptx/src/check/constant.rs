//! Constant expressions (PTX ISA, "Constants"): 64-bit integers, and binary64 floats.

use crate::ast::{BinaryOp, Expr, UnaryOp};
use crate::checked::Type;
use crate::diagnostics::Code;
use crate::source::Span;
use sassafras_semantics::FloatFormat;

/// Number of lanes in a warp: the constant `WARP_SZ`.
const WARP_SIZE: u64 = 32;

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Constant {
    /// 64 bits, and whether it is `.u64` rather than `.s64`.
    Int(u64, bool),
    /// `0f…`: the bits of a binary32.
    Single(u32),
    /// `0d…` or decimal.
    Double(f64),
}

/// Why there is no constant.
pub(super) type Fault = (Code, Span, String);

/// Reads an integer literal.
pub(super) fn integer(text: &str) -> Option<(u64, bool)> {
    let (digits, unsigned) = text.strip_suffix('U').map_or((text, false), |d| (d, true));
    let lower = digits.to_ascii_lowercase();
    let value = if let Some(hex) = lower.strip_prefix("0x") {
        u64::from_str_radix(hex, 16)
    } else if let Some(binary) = lower.strip_prefix("0b") {
        u64::from_str_radix(binary, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        u64::from_str_radix(&lower, 8)
    } else {
        lower.parse()
    };
    let value = value.ok()?;
    Some((value, unsigned || value > i64::MAX as u64))
}

fn literal(text: &str) -> Option<Constant> {
    let hex = |prefix: [&str; 2]| text.strip_prefix(prefix[0]).or_else(|| text.strip_prefix(prefix[1]));
    if let Some(bits) = hex(["0f", "0F"]) {
        return u32::from_str_radix(bits, 16).ok().map(Constant::Single);
    }
    if let Some(bits) = hex(["0d", "0D"]) {
        return u64::from_str_radix(bits, 16).ok().map(|b| Constant::Double(f64::from_bits(b)));
    }
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if !hexadecimal && text.contains(['.', 'e', 'E']) {
        return text.parse().ok().filter(|v: &f64| v.is_finite()).map(Constant::Double);
    }
    integer(text).map(|(v, u)| Constant::Int(v, u))
}

/// Evaluates an expression without symbols.
pub(super) fn evaluate(e: &Expr) -> Result<Constant, Fault> {
    let fault = |code, message: String| Err((code, e.span(), message));
    match e {
        Expr::Number(n) => match literal(&n.text) {
            Some(constant) => Ok(constant),
            None => fault(Code::BadNumber, format!("`{}` is no number of at most 64 bits", n.text)),
        },
        Expr::Symbol(n) if n.text == "WARP_SZ" => Ok(Constant::Int(WARP_SIZE, false)),
        Expr::Symbol(n) => fault(Code::WrongEntity, format!("`{}` is no constant", n.text)),
        Expr::Section(_) | Expr::Member(..) | Expr::Index(..) | Expr::Call(..) | Expr::Mask(..) => {
            fault(Code::WrongEntity, "this is no constant".into())
        }
        Expr::Cast(ty, inner) => match (ty.text.as_str(), evaluate(inner)?) {
            ("s64", Constant::Int(v, _)) => Ok(Constant::Int(v, false)),
            ("u64", Constant::Int(v, _)) => Ok(Constant::Int(v, true)),
            (text, _) => fault(Code::BadType, format!("no constant can be cast to `.{text}`")),
        },
        Expr::Unary(op, _, inner) => match (op, evaluate(inner)?) {
            (_, Constant::Single(_)) => fault(Code::BadNumber, "a `0f` literal stands alone".into()),
            (UnaryOp::Plus, constant) => Ok(constant),
            (UnaryOp::Neg, Constant::Int(v, u)) => Ok(Constant::Int(v.wrapping_neg(), u)),
            (UnaryOp::Neg, Constant::Double(v)) => Ok(Constant::Double(-v)),
            (UnaryOp::Not, Constant::Int(v, u)) => Ok(Constant::Int(!v, u)),
            (UnaryOp::LogicalNot, Constant::Int(v, _)) => Ok(Constant::Int(u64::from(v == 0), false)),
            _ => fault(Code::OperandType, format!("`{}` does not apply to a float", op.text())),
        },
        Expr::Binary(op, a, b) => match (evaluate(a)?, evaluate(b)?) {
            (Constant::Int(a, au), Constant::Int(b, bu)) => match integers(*op, a, b, au || bu) {
                Some((value, unsigned)) => Ok(Constant::Int(value, unsigned)),
                None => fault(Code::BadNumber, "division by zero".into()),
            },
            (Constant::Single(_), _) | (_, Constant::Single(_)) => {
                fault(Code::BadNumber, "a `0f` literal stands alone".into())
            }
            (a, b) => match (double(a), double(b)) {
                (Some(a), Some(b)) => match doubles(*op, a, b) {
                    Some(constant) => Ok(constant),
                    None => fault(Code::OperandType, format!("`{}` does not apply to floats", op.text())),
                },
                _ => fault(Code::OperandType, "an integer and a float in one expression".into()),
            },
        },
        Expr::Select(c, a, b) => match evaluate(c)? {
            Constant::Int(chosen, _) => match (evaluate(a)?, evaluate(b)?) {
                (a @ Constant::Int(..), b @ Constant::Int(..)) => Ok(if chosen == 0 { b } else { a }),
                _ => fault(Code::OperandType, "a choice is between integers".into()),
            },
            _ => fault(Code::OperandType, "the condition is a float".into()),
        },
    }
}

fn double(constant: Constant) -> Option<f64> {
    match constant {
        Constant::Int(..) | Constant::Single(_) => None,
        Constant::Double(v) => Some(v),
    }
}

fn integers(op: BinaryOp, a: u64, b: u64, unsigned: bool) -> Option<(u64, bool)> {
    let (sa, sb) = (a as i64, b as i64);
    let truth = |v: bool| Some((u64::from(v), false));
    let shift = u32::try_from(b).unwrap_or(64);
    let value = match op {
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div | BinaryOp::Rem if b == 0 => return None,
        BinaryOp::Div if unsigned => a / b,
        BinaryOp::Div => sa.wrapping_div(sb) as u64,
        BinaryOp::Rem if unsigned => a % b,
        BinaryOp::Rem => sa.wrapping_rem(sb) as u64,
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Shl => a.checked_shl(shift).unwrap_or(0),
        BinaryOp::Shr if unsigned => a.checked_shr(shift).unwrap_or(0),
        BinaryOp::Shr => sa.checked_shr(shift).unwrap_or(if sa < 0 { -1 } else { 0 }) as u64,
        BinaryOp::And => a & b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Or => a | b,
        BinaryOp::Lt => return truth(if unsigned { a < b } else { sa < sb }),
        BinaryOp::Le => return truth(if unsigned { a <= b } else { sa <= sb }),
        BinaryOp::Gt => return truth(if unsigned { a > b } else { sa > sb }),
        BinaryOp::Ge => return truth(if unsigned { a >= b } else { sa >= sb }),
        BinaryOp::Eq => return truth(a == b),
        BinaryOp::Ne => return truth(a != b),
        BinaryOp::LogicalAnd => return truth(a != 0 && b != 0),
        BinaryOp::LogicalOr => return truth(a != 0 || b != 0),
    };
    Some((value, unsigned))
}

fn doubles(op: BinaryOp, a: f64, b: f64) -> Option<Constant> {
    let truth = |v: bool| Some(Constant::Int(u64::from(v), false));
    match op {
        BinaryOp::Mul => Some(Constant::Double(a * b)),
        BinaryOp::Div => Some(Constant::Double(a / b)),
        BinaryOp::Add => Some(Constant::Double(a + b)),
        BinaryOp::Sub => Some(Constant::Double(a - b)),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::And
        | BinaryOp::Xor
        | BinaryOp::Or
        | BinaryOp::LogicalAnd
        | BinaryOp::LogicalOr => None,
    }
}

impl Constant {
    /// The bits of the constant as a value of a type, sign-extended to 64 for `.sN`; `None` if it cannot be one. As in
    /// ptxas, integers are cut to the type's width, `.b32` takes the bits of a `0f` literal, `.b64` any other float, and the
    /// half-precision types take no constants.
    pub(super) fn bits(self, ty: Type) -> Option<u64> {
        match (ty, self) {
            (Type::Pred, Constant::Int(v, _)) => Some(u64::from(v != 0)),
            (Type::B(64 | 128) | Type::U(64) | Type::S(64), Constant::Int(v, _)) => Some(v),
            (Type::B(n) | Type::U(n), Constant::Int(v, _)) => Some(v & ((1 << n) - 1)),
            (Type::S(n), Constant::Int(v, _)) => {
                let shift = 64 - u32::from(n);
                Some((((v << shift) as i64) >> shift) as u64)
            }
            (Type::B(32), Constant::Single(v)) => Some(u64::from(v)),
            (Type::B(64), Constant::Double(v)) => Some(v.to_bits()),
            (Type::F(FloatFormat::F32), Constant::Single(v)) => Some(u64::from(v)),
            (Type::F(FloatFormat::F32), Constant::Double(v)) => Some(u64::from((v as f32).to_bits())),
            (Type::F(FloatFormat::F64), Constant::Single(v)) => Some(f64::from(f32::from_bits(v)).to_bits()),
            (Type::F(FloatFormat::F64), Constant::Double(v)) => Some(v.to_bits()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        assert_eq!(literal("0x10"), Some(Constant::Int(16, false)));
        assert_eq!(literal("017U"), Some(Constant::Int(15, true)));
        assert_eq!(literal("0xffffffffffffffff"), Some(Constant::Int(u64::MAX, true)));
        assert_eq!(literal("0x10000000000000000"), None);
        assert_eq!(literal("0x1e"), Some(Constant::Int(30, false)));
        assert_eq!(literal("1.5e1"), Some(Constant::Double(15.0)));
        assert_eq!(literal("0f3F800000"), Some(Constant::Single(0x3f80_0000)));
    }

    #[test]
    fn bits_of_types() {
        let minus_one = Constant::Int(u64::MAX, false);
        assert_eq!(minus_one.bits(Type::S(32)), Some(u64::MAX));
        assert_eq!(minus_one.bits(Type::U(32)), Some(0xffff_ffff));
        assert_eq!(minus_one.bits(Type::F(FloatFormat::F32)), None);
        assert_eq!(Constant::Double(1.0).bits(Type::B(32)), None);
        assert_eq!(Constant::Double(1.0).bits(Type::F(FloatFormat::F32)), Some(0x3f80_0000));
    }
}
