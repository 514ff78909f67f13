//! Launches for kernels of CUDA files that have none of their own: sizes as programs have them, and contents by type and name of each parameter.

use sassafras_execute::Argument;

/// Bytes of each buffer.
const BUFFER_BYTES: usize = 4 << 20;
/// Names of numbers that programs keep small: widths of a neighbourhood, rounds, bits.
const SMALL: [&str; 14] = [
    "radius",
    "taps",
    "bits",
    "order",
    "rounds",
    "iterations",
    "steps",
    "sweeps",
    "depth",
    "window",
    "by",
    "halo",
    "degree",
    "vectors",
];
/// Names of buffers that hold ascending positions in another.
const POSITIONS: [&str; 5] = ["row", "offset", "start", "begin", "first"];

/// A parameter as the CUDA source declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    name: String,
    /// Without qualifiers and stars.
    ty: String,
    pointer: bool,
}

/// What a CUDA file says of a kernel.
#[derive(Clone, Debug)]
pub struct Declaration {
    params: Vec<Declared>,
    /// Its threads lie in a plane.
    pub plane: bool,
}

impl Declaration {
    /// Reads the declaration of `entry`; `None` where there is none, or a pointer to pointers.
    pub fn read(source: &str, entry: &str) -> Option<Declaration> {
        let named = format!(" {entry}(");
        let start = source.find(&named)? + named.len();
        let end = start + source[start..].find(')')?;
        let params = source[start..end].split(',').map(parameter).collect::<Option<Vec<_>>>()?;
        let body = &source[end..];
        let body = body.find("__global__").map_or(body, |next| &body[..next]);
        Some(Declaration { params, plane: body.contains("threadIdx.y") })
    }

    /// Contents for `sizes`, the bytes of each parameter; sizes of arrays are `size`.
    pub fn arguments(&self, sizes: &[u32], size: u64) -> Option<Vec<Argument>> {
        if self.params.len() != sizes.len() {
            return None;
        }
        let mut state = 0x9e37_79b9_7f4a_7c15;
        Some(
            self.params
                .iter()
                .zip(sizes)
                .map(|(p, &bytes)| p.argument(bytes as usize, size, &mut state))
                .collect(),
        )
    }
}

fn parameter(text: &str) -> Option<Declared> {
    let stars = text.matches('*').count();
    let text = text.replace(['*', '&'], " ");
    let skipped = ["const", "volatile", "__restrict__", "__grid_constant__"];
    let mut words: Vec<&str> = text.split_whitespace().filter(|w| !skipped.contains(w)).collect();
    let name = words.pop()?.to_owned();
    (stars < 2).then(|| Declared { name, ty: words.join(" "), pointer: stars == 1 })
}

impl Declared {
    fn argument(&self, bytes: usize, size: u64, state: &mut u64) -> Argument {
        if self.pointer {
            let ascending = POSITIONS.iter().any(|word| self.name.contains(word));
            let unit = self.element(0, 0.0);
            let count = BUFFER_BYTES / unit.len();
            return Argument::Buffer(
                (0..count as u64)
                    .flat_map(|n| {
                        let random = next(state);
                        let whole = if ascending { (8 * n).min(count as u64 / 2) } else { random % 32 };
                        self.element(whole, 0.5 + (random >> 40) as f64 / f64::from(1 << 24))
                    })
                    .collect(),
            );
        }
        let small = SMALL.iter().any(|word| self.name.contains(word)) || self.name == "k";
        let unit = self.element(if small { 8 } else { size }, 0.5);
        Argument::Value(unit.iter().copied().cycle().take(bytes).collect())
    }

    /// One element: a float as `float`, anything else as `whole`.
    fn element(&self, whole: u64, float: f64) -> Vec<u8> {
        let ty = self.ty.as_str();
        let is = |words: &[&str]| words.iter().any(|word| ty.contains(word));
        if is(&["double"]) {
            float.to_le_bytes().into()
        } else if is(&["half"]) {
            // 1.0 to 2.0 of binary16.
            (0x3c00 | (float * 256.0) as u16 & 0x3ff).to_le_bytes().into()
        } else if is(&["bfloat"]) {
            (0x3f80 | (float * 32.0) as u16 & 0x7f).to_le_bytes().into()
        } else if is(&["float", "Particle"]) {
            (float as f32).to_le_bytes().into()
        } else if is(&["64", "long", "size_t"]) {
            whole.to_le_bytes().into()
        } else if is(&["16", "short"]) {
            (whole as u16).to_le_bytes().into()
        } else if is(&["8", "char", "bool"]) {
            vec![whole as u8]
        } else {
            (whole as u32).to_le_bytes().into()
        }
    }
}

/// Xorshift (Marsaglia, 2003).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
