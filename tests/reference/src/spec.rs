//! The TOML launch description, as `corpus/README.md` documents it.

use crate::compare::Compare;
use crate::data::Type;
use crate::expr::ExprError;
use crate::inputs::Init;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What can be wrong with a launch description.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The file could not be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not TOML of this schema; the message names line and column.
    #[error("{path}: {source}")]
    Parse {
        /// The file.
        path: String,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A count or value could not be evaluated, or does not fit.
    #[error("parameter `{param}`: {reason}")]
    Value {
        /// The parameter's name.
        param: String,
        /// Why.
        reason: ValueError,
    },
}

/// Why a count or a value is none.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ValueError {
    /// There is no launch of this number.
    #[error("no shape number {0}")]
    NoShape(usize),
    /// An expression has no value.
    #[error(transparent)]
    Expression(#[from] ExprError),
    /// Fewer elements than none.
    #[error("count {0} is negative")]
    Negative(i64),
    /// A number with a fraction, of an integer type.
    #[error("{value} is not a whole number, and the type is {}", .ty.name())]
    NotWhole {
        /// The number.
        value: f64,
        /// The type.
        ty: Type,
    },
}

/// A launch description: one entry, its parameters, the shapes and seeds it is run with.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// The kernel's name in the PTX.
    pub entry: String,
    /// One line for people.
    #[serde(default)]
    pub about: String,
    /// Seeds of the random inputs.
    pub seeds: Vec<u64>,
    /// The launch shapes.
    #[serde(rename = "launch")]
    pub shapes: Vec<Shape>,
    /// The parameters, in the order of the kernel's signature.
    #[serde(rename = "param", default)]
    pub params: Vec<ParamSpec>,
}

/// One launch shape.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    #[serde(default)]
    pub shared: u32,
    /// Named whole numbers for counts and scalar values.
    #[serde(default)]
    pub sizes: BTreeMap<String, i64>,
}

/// A whole number, or an expression over the sizes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Count {
    /// A whole number.
    Number(i64),
    /// Sums of products over the shape's sizes, `gx gy gz bx by bz`, `threads` and `blocks`.
    Text(String),
}

/// A scalar's value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Whole(i64),
    /// A real number, rounded to the parameter's type.
    Real(f64),
    /// An expression over the sizes, as in [`Count::Text`].
    Text(String),
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub enum ParamSpec {
    /// A pointer to a buffer in global memory, 256-byte aligned; the parameter is its 64-bit address.
    Buffer {
        /// The name in the CUDA source.
        name: String,
        /// Element type.
        #[serde(rename = "type")]
        ty: Type,
        /// Number of elements.
        count: Count,
        /// What it holds before the launch.
        init: Init,
        /// How the result is compared; absent for an input.
        #[serde(default)]
        output: Option<Compare>,
    },
    /// A scalar passed by value.
    Scalar {
        /// The name in the CUDA source.
        name: String,
        /// Its type.
        #[serde(rename = "type")]
        ty: Type,
        /// Its value.
        value: Value,
    },
}

impl Spec {
    /// Reads a description from `path`.
    ///
    /// # Errors
    /// When the file cannot be read, or is not of the schema (unknown keys are errors).
    pub fn read(path: &Path) -> Result<Spec, SpecError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|source| SpecError::Read { path: shown.clone(), source })?;
        toml::from_str(&text).map_err(|e| SpecError::Parse { path: shown, source: Box::new(e) })
    }
}
