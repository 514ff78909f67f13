//! One concrete launch: shape, seed, and every parameter with its bytes.

use crate::compare::Compare;
use crate::data::{Data, Element, Type, round_to_f16};
use crate::expr::eval;
use crate::inputs::{SplitMix64, fill};
use crate::spec::{Count, ParamSpec, Shape, Spec, SpecError, Value, ValueError};

use std::collections::BTreeMap;

/// One launch, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// `shape S, seed N`: for messages.
    pub label: String,
    /// The kernel's name in the PTX.
    pub entry: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Seed of the inputs.
    pub seed: u64,
    /// The sizes by name, those of the shape and the built-in ones.
    pub sizes: BTreeMap<String, i64>,
    /// The parameters in order.
    pub params: Vec<Param>,
}

/// One parameter of a launch.
#[derive(Debug, Clone, PartialEq)]
pub enum Param {
    /// A buffer: allocate, copy in, pass the address.
    Buffer(Buffer),
    /// A value: pass its bytes.
    Scalar(Scalar),
}

/// A buffer and what it holds before the launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// The name in the CUDA source.
    pub name: String,
    /// Contents before the launch.
    pub data: Data,
    /// How the result is compared; `None` for an input, which the kernel must leave as it was.
    pub output: Option<Compare>,
}

/// A scalar parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    /// The name in the CUDA source.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its little-endian bytes, `ty.bytes()` of them.
    pub bytes: Vec<u8>,
}

impl Spec {
    /// Every launch: each shape with each seed, shapes first.
    ///
    /// # Errors
    /// When a count or value cannot be evaluated.
    pub fn launches(&self) -> Result<Vec<Launch>, SpecError> {
        let mut all = Vec::new();
        for shape in 0..self.shapes.len() {
            for &seed in &self.seeds {
                all.push(self.launch(shape, seed)?);
            }
        }
        Ok(all)
    }

    /// The launch of shape number `shape` (from 0) with `seed`.
    ///
    /// # Errors
    /// When there is no such shape, or a count or value cannot be evaluated.
    pub fn launch(&self, shape: usize, seed: u64) -> Result<Launch, SpecError> {
        Launch::build(self, shape, seed)
    }
}

impl Launch {
    pub(crate) fn build(spec: &Spec, index: usize, seed: u64) -> Result<Launch, SpecError> {
        let wrong = |param: &str, reason: ValueError| SpecError::Value { param: param.to_string(), reason };
        let shape: &Shape =
            spec.shapes.get(index).ok_or_else(|| wrong("launch", ValueError::NoShape(index)))?;
        let sizes = sizes_of(shape);
        let mut params = Vec::new();
        for (p, param) in spec.params.iter().enumerate() {
            params.push(match param {
                ParamSpec::Buffer { name, ty, count, init, output } => {
                    let n = match count {
                        Count::Number(n) => *n,
                        Count::Text(t) => eval(t, &sizes).map_err(|e| wrong(name, e.into()))?,
                    };
                    let n = usize::try_from(n).map_err(|_| wrong(name, ValueError::Negative(n)))?;
                    let data = fill(*ty, n, init, &mut SplitMix64::for_param(seed, p));
                    Param::Buffer(Buffer { name: name.clone(), data, output: output.clone() })
                }
                ParamSpec::Scalar { name, ty, value } => {
                    let bytes = scalar(*ty, value, &sizes).map_err(|e| wrong(name, e))?;
                    Param::Scalar(Scalar { name: name.clone(), ty: *ty, bytes })
                }
            });
        }
        Ok(Launch {
            label: format!("shape {index}, seed {seed}"),
            entry: spec.entry.clone(),
            grid: shape.grid,
            block: shape.block,
            shared: shape.shared,
            seed,
            sizes,
            params,
        })
    }

    /// Threads in all.
    pub fn threads(&self) -> usize {
        self.sizes.get("threads").map_or(0, |n| *n as usize)
    }

    /// Contents of buffer number `p` before the launch as elements of `T`; empty when `p` is no such buffer.
    pub fn input<T: Element>(&self, p: usize) -> &[T] {
        match self.params.get(p) {
            Some(Param::Buffer(b)) => T::slice(&b.data).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Bits of the binary16 buffer number `p`; empty when `p` is no such buffer.
    pub fn input_f16(&self, p: usize) -> &[u16] {
        match self.params.get(p) {
            Some(Param::Buffer(Buffer { data: Data::F16(v), .. })) => v,
            _ => &[],
        }
    }

    /// Scalar number `p` as a signed whole number (sign-extended for signed types); 0 when `p` is no whole scalar.
    pub fn whole(&self, p: usize) -> i64 {
        let Some(Param::Scalar(s)) = self.params.get(p) else { return 0 };
        let mut b = [0u8; 8];
        b[..s.bytes.len()].copy_from_slice(&s.bytes);
        let v = i64::from_le_bytes(b);
        match s.ty {
            Type::S8 => i64::from(v as i8),
            Type::S16 => i64::from(v as i16),
            Type::S32 => i64::from(v as i32),
            _ => v,
        }
    }

    /// Scalar number `p` as a real number; 0 when `p` is no floating scalar.
    pub fn real(&self, p: usize) -> f64 {
        match self.params.get(p) {
            Some(Param::Scalar(s)) => match Data::from_bytes(s.ty, &s.bytes) {
                Data::F32(v) => v.first().copied().map_or(0.0, f64::from),
                Data::F64(v) => v.first().copied().unwrap_or(0.0),
                _ => 0.0,
            },
            _ => 0.0,
        }
    }
}

fn sizes_of(shape: &Shape) -> BTreeMap<String, i64> {
    let mut sizes = shape.sizes.clone();
    for (i, axis) in ["x", "y", "z"].iter().enumerate() {
        sizes.insert(format!("g{axis}"), i64::from(shape.grid[i]));
        sizes.insert(format!("b{axis}"), i64::from(shape.block[i]));
    }
    let product = |v: &[u32; 3]| v.iter().map(|x| i64::from(*x)).product::<i64>();
    sizes.insert("blocks".into(), product(&shape.grid));
    sizes.insert("threads".into(), product(&shape.grid) * product(&shape.block));
    sizes
}

fn scalar(ty: Type, value: &Value, sizes: &BTreeMap<String, i64>) -> Result<Vec<u8>, ValueError> {
    let real = match value {
        Value::Whole(v) => *v as f64,
        Value::Real(v) => *v,
        Value::Text(t) => eval(t, sizes)? as f64,
    };
    Ok(match (ty, value) {
        (Type::F16, _) => round_to_f16(real).to_le_bytes().to_vec(),
        (Type::F32, _) => (real as f32).to_le_bytes().to_vec(),
        (Type::F64, _) => real.to_le_bytes().to_vec(),
        (_, Value::Real(v)) => {
            return Err(ValueError::NotWhole { value: *v, ty });
        }
        (_, Value::Whole(v)) => v.to_le_bytes()[..ty.bytes()].to_vec(),
        (_, Value::Text(t)) => eval(t, sizes)?.to_le_bytes()[..ty.bytes()].to_vec(),
    })
}
