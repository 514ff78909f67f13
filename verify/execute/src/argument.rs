//! Arguments of an entry and their specifications (`--arg`).

use crate::order::Draws;
use half::{bf16, f16};
use std::path::Path;

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The parameter's bytes.
    Value(Vec<u8>),
    /// A buffer in global memory; the parameter is its address (64 bits).
    Buffer(Vec<u8>),
}

/// The types of a specification, by name.
const TYPES: [(&str, usize); 12] = [
    ("u8", 1),
    ("s8", 1),
    ("u16", 2),
    ("s16", 2),
    ("u32", 4),
    ("s32", 4),
    ("u64", 8),
    ("s64", 8),
    ("f16", 2),
    ("bf16", 2),
    ("f32", 4),
    ("f64", 8),
];

const FORMS: &str = "TYPE:VALUE, buf:FILE, zeros:BYTES, hex:BYTES:FILL, rand:TYPE:COUNT or struct:FILE";

/// A specification of an argument that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{spec}`: {fault}")]
pub struct ArgumentError {
    /// The specification.
    pub spec: String,
    /// What is wrong with it.
    pub fault: ArgumentFault,
}

/// What is wrong with a specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentFault {
    /// It has not this form.
    #[error("expected {0}")]
    Form(&'static str),
    /// A file cannot be read.
    #[error("{path}: {said}")]
    File {
        /// Its path.
        path: String,
        /// Why not.
        kind: std::io::ErrorKind,
        /// The same as the system says it.
        said: String,
    },
    /// No seed.
    #[error("`{0}` is not a seed")]
    NoSeed(String),
    /// No number of bytes or elements.
    #[error("`{0}` is not a count")]
    NoCount(String),
    /// More bytes or elements than are made.
    #[error("{0} is too large")]
    TooLarge(usize),
    /// No type of this name.
    #[error("unknown type `{0}`")]
    UnknownType(String),
    /// A value that the type does not have.
    #[error("`{text}` is not a {ty}")]
    Value {
        /// The value.
        text: String,
        /// The type.
        ty: String,
    },
}

impl Argument {
    /// Reads `TYPE:VALUE`, `buf:FILE`, `zeros:BYTES`, `hex:BYTES:FILL[,OFFSET=DIGITS]…`, `rand:TYPE:COUNT[:SEED]` or `struct:FILE`. Integers may be written in
    /// hexadecimal with `0x`; `read` reads a file.
    ///
    /// `hex` is a buffer of bytes that are all `FILL`, but for those at some offsets: `hex:64:00,0x8=0102` has 1 and 2 at 8 and 9.
    /// `rand` draws integers of all bit patterns, and floats uniformly from [−1, 1).
    ///
    /// # Errors
    /// What is wrong with the specification.
    pub fn parse(
        spec: &str,
        read: &dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
    ) -> Result<Argument, ArgumentError> {
        Argument::read(spec, read).map_err(|fault| ArgumentError { spec: spec.to_owned(), fault })
    }

    fn read(spec: &str, read: &dyn Fn(&Path) -> std::io::Result<Vec<u8>>) -> Result<Argument, ArgumentFault> {
        let file = |path: &str| {
            read(Path::new(path)).map_err(|e| ArgumentFault::File {
                path: path.to_owned(),
                kind: e.kind(),
                said: e.to_string(),
            })
        };
        let (kind, rest) = spec.split_once(':').ok_or(ArgumentFault::Form(FORMS))?;
        match kind {
            "buf" => file(rest).map(Argument::Buffer),
            "struct" => file(rest).map(Argument::Value),
            "zeros" => Ok(Argument::Buffer(vec![0; count(rest)?])),
            "hex" => sparse(rest)
                .map(Argument::Buffer)
                .ok_or(ArgumentFault::Form("hex:BYTES:FILL[,OFFSET=DIGITS]…, within the bytes")),
            "rand" => {
                let mut parts = rest.split(':');
                let ty = parts.next().unwrap_or_default();
                let n = parts.next().ok_or(ArgumentFault::Form("rand:TYPE:COUNT[:SEED]"))?;
                let n = count(n)?;
                let seed = match parts.next() {
                    Some(s) => s.parse().map_err(|_| ArgumentFault::NoSeed(s.to_owned()))?,
                    None => 0,
                };
                random(ty, n, seed)
                    .ok_or_else(|| ArgumentFault::UnknownType(ty.to_owned()))
                    .map(Argument::Buffer)
            }
            ty => value(ty, rest).map(Argument::Value),
        }
    }
}

fn count(text: &str) -> Result<usize, ArgumentFault> {
    let n: usize = text.parse().map_err(|_| ArgumentFault::NoCount(text.to_owned()))?;
    if n > 1 << 28 { Err(ArgumentFault::TooLarge(n)) } else { Ok(n) }
}

/// Bytes by their count, what most of them are, and the others by offset.
fn sparse(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split(',');
    let (bytes, fill) = parts.next()?.split_once(':')?;
    let mut all = vec![u8::from_str_radix(fill, 16).ok()?; count(bytes).ok()?];
    for part in parts {
        let (offset, digits) = part.split_once('=')?;
        let offset = usize::from_str_radix(offset.strip_prefix("0x")?, 16).ok()?;
        if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
            return None;
        }
        for i in 0..digits.len() / 2 {
            let byte = u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).ok()?;
            *all.get_mut(offset.checked_add(i)?)? = byte;
        }
    }
    Some(all)
}

fn width(ty: &str) -> Option<usize> {
    TYPES.iter().find(|(name, _)| *name == ty).map(|(_, bytes)| *bytes)
}

fn value(ty: &str, text: &str) -> Result<Vec<u8>, ArgumentFault> {
    let bytes = width(ty).ok_or_else(|| ArgumentFault::UnknownType(ty.to_owned()))?;
    let wrong = || ArgumentFault::Value { text: text.to_owned(), ty: ty.to_owned() };
    let real = || text.parse::<f64>().map_err(|_| wrong());
    match ty {
        "f16" => Ok(f16::from_f64(real()?).to_bits().to_le_bytes().to_vec()),
        "bf16" => Ok(bf16::from_f64(real()?).to_bits().to_le_bytes().to_vec()),
        "f32" => text.parse::<f32>().map(|v| v.to_le_bytes().to_vec()).map_err(|_| wrong()),
        "f64" => Ok(real()?.to_le_bytes().to_vec()),
        _ => {
            let (negative, digits) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
            let parsed = match digits.strip_prefix("0x") {
                Some(hex) => i128::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            let v = parsed.map(|v| if negative { -v } else { v }).map_err(|_| wrong())?;
            let bits = 8 * bytes as u32;
            // A hexadecimal bit pattern fits a signed type as well.
            let low = if ty.starts_with('s') { -(1i128 << (bits - 1)) } else { 0 };
            let high = if ty.starts_with('u') || digits.starts_with("0x") {
                1i128 << bits
            } else {
                1i128 << (bits - 1)
            };
            if v < low || v >= high {
                return Err(wrong());
            }
            Ok(v.to_le_bytes()[..bytes].to_vec())
        }
    }
}

fn random(ty: &str, n: usize, seed: u64) -> Option<Vec<u8>> {
    let bytes = width(ty)?;
    let mut draws = Draws::new(seed);
    let mut out = Vec::with_capacity(n * bytes);
    for _ in 0..n {
        let draw = draws.draw();
        let unit = (draw >> 40) as f64 / f64::from(1 << 23) - 1.0;
        match ty {
            "f16" => out.extend(f16::from_f64(unit).to_bits().to_le_bytes()),
            "bf16" => out.extend(bf16::from_f64(unit).to_bits().to_le_bytes()),
            "f32" => out.extend((unit as f32).to_le_bytes()),
            "f64" => out.extend(unit.to_le_bytes()),
            _ => out.extend(&draw.to_le_bytes()[..bytes]),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(spec: &str) -> Result<Argument, ArgumentError> {
        Argument::parse(spec, &|p| {
            if p == Path::new("x") { Ok(vec![1, 2]) } else { Err(std::io::ErrorKind::NotFound.into()) }
        })
    }

    #[test]
    fn every_kind() {
        assert_eq!(parse("u32:5"), Ok(Argument::Value(vec![5, 0, 0, 0])));
        assert_eq!(parse("s16:-2"), Ok(Argument::Value(vec![0xfe, 0xff])));
        assert_eq!(parse("s32:0xffffffff"), Ok(Argument::Value(vec![0xff; 4])));
        assert_eq!(parse("f32:1.5"), Ok(Argument::Value(1.5f32.to_le_bytes().to_vec())));
        assert_eq!(parse("bf16:1"), Ok(Argument::Value(vec![0x80, 0x3f])));
        assert_eq!(parse("zeros:3"), Ok(Argument::Buffer(vec![0; 3])));
        assert_eq!(parse("hex:3:5a,0x1=0102"), Ok(Argument::Buffer(vec![0x5a, 1, 2])));
        assert_eq!(parse("hex:2:00"), Ok(Argument::Buffer(vec![0; 2])));
        assert_eq!(parse("buf:x"), Ok(Argument::Buffer(vec![1, 2])));
        assert_eq!(parse("struct:x"), Ok(Argument::Value(vec![1, 2])));
        let (a, b) = (parse("rand:u16:4:7"), parse("rand:u16:4:8"));
        assert!(matches!(&a, Ok(Argument::Buffer(v)) if v.len() == 8));
        assert_ne!(a, b);
    }

    #[test]
    fn every_error_quotes_its_specification() {
        for bad in [
            "",
            "u32",
            "u32:",
            "u8:256",
            "s8:128",
            "s8:-129",
            "u32:-1",
            "f32:x",
            "buf:y",
            "zeros:-1",
            "hex:2:00,0x1=0102",
            "hex:2:00,1=01",
            "hex:2:00,0x0=1",
            "hex:2:x",
            "hex:2",
            "rand:u7:3",
            "rand:u8",
            "i32:1",
            "rand:u8:1:z",
        ] {
            let error = parse(bad).expect_err(bad).to_string();
            assert!(error.contains(&format!("`{bad}`")), "{error}");
        }
    }
}
