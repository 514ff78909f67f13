//! One cubin, all launches of its kernel, compared with the CPU reference and timed.

use crate::arguments::cells;
use crate::cuda::Cuda;
use anyhow::Result;
use sassafras_reference::{Compare, Kernel, Launch, Param, reference};
use serde::Serialize;

/// What one launch gave.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// The kernel.
    pub kernel: String,
    /// Whose cubin: `ours` or `ptxas`.
    pub maker: String,
    /// `shape S, seed N`.
    pub launch: String,
    /// `agrees`, or the first difference or error.
    pub verdict: String,
    /// Milliseconds by the driver's events.
    pub milliseconds: f32,
    /// FNV-1a of each buffer after the launch.
    pub buffers: Vec<String>,
}

/// Runs every launch of a kernel.
///
/// # Errors
/// When the driver does not load the cubin; what goes wrong later stands in the record.
pub fn run(cuda: &Cuda, kernel: &Kernel, maker: &str, cubin: &[u8]) -> Result<Vec<Record>> {
    let module = cuda.module(cubin)?;
    let mut all = Vec::new();
    for launch in kernel.spec.launches()? {
        let mut record = Record {
            kernel: kernel.name.clone(),
            maker: maker.into(),
            launch: launch.label.clone(),
            verdict: String::new(),
            milliseconds: 0.0,
            buffers: Vec::new(),
        };
        let ran = (|| -> Result<Vec<Vec<u8>>> {
            let buffers = launch.params.iter().filter_map(|p| match p {
                Param::Buffer(b) => Some(b.data.to_bytes()),
                Param::Scalar(_) => None,
            });
            let memory = buffers.map(|b| cuda.memory(&b)).collect::<Result<Vec<_>>>()?;
            let mut cells = cells(&launch, |n| memory[n].address);
            record.milliseconds =
                module.launch(&launch.entry, launch.grid, launch.block, launch.shared, &mut cells)?;
            memory.iter().map(|m| m.read()).collect()
        })();
        record.verdict = match ran {
            Ok(after) => {
                record.buffers = after.iter().map(|b| format!("{:016x}", fnv(b))).collect();
                judge(&kernel.name, &launch, &after)
            }
            Err(e) => format!("{e:#}"),
        };
        all.push(record);
    }
    Ok(all)
}

/// Compares buffers after a launch with the CPU reference, as the launch file declares.
pub fn judge(kernel: &str, launch: &Launch, after: &[Vec<u8>]) -> String {
    let Some(expected) = reference(kernel, launch) else { return "no reference".into() };
    for (param, data) in expected {
        let Param::Buffer(b) = &launch.params[param] else { continue };
        let index = launch.params[..param].iter().filter(|p| matches!(p, Param::Buffer(_))).count();
        let how = b.output.clone().unwrap_or(Compare::Exact);
        if let Err(e) = how.check(data.ty(), &data.to_bytes(), &after[index]) {
            return format!("differs: {}: {e}", b.name);
        }
    }
    "agrees".into()
}

/// FNV-1a, 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_reference::{kernels, workspace_root};

    #[test]
    fn the_reference_agrees_with_itself_and_not_with_a_changed_bit() {
        let all = kernels(&workspace_root()).expect("the corpus");
        let kernel = all.iter().find(|k| k.name == "vadd").expect("vadd");
        let launch = kernel.spec.launch(0, 1).expect("a launch");
        let mut after: Vec<Vec<u8>> = launch
            .params
            .iter()
            .filter_map(|p| match p {
                Param::Buffer(b) => Some(b.data.to_bytes()),
                Param::Scalar(_) => None,
            })
            .collect();
        for (param, data) in reference("vadd", &launch).expect("a reference") {
            after[param] = data.to_bytes();
        }
        assert_eq!(judge("vadd", &launch, &after), "agrees");
        after[2][5] ^= 1;
        assert!(judge("vadd", &launch, &after).starts_with("differs: c"));
    }

    #[test]
    fn fnv_of_nothing_is_its_basis() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
