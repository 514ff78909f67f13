//! One cubin, all launches, compared.

use crate::arguments::cells;
use crate::cuda::Cuda;
use crate::item::Item;
use anyhow::Result;
use sassafras_reference::{Launch, Param};
use serde::{Deserialize, Serialize};

/// What one launch gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The program.
    pub program: String,
    /// Whose cubin: `ours -O3`, `ptxas -O3`, …
    pub maker: String,
    /// `shape S, seed N`; empty where nothing was launched.
    pub launch: String,
    /// `agrees`, `differs: …`, `refused: …`, `fails: …`, `hangs`, `dies`.
    pub verdict: String,
    /// FNV-1a of each buffer after the launch.
    pub buffers: Vec<String>,
    /// Of a timed launch: microseconds, the least of several, and how many times as many blocks as the launch says ran in each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<(f32, u32)>,
}

impl Record {
    /// Of a maker as a whole.
    pub fn whole(program: &str, maker: &str, verdict: String) -> Record {
        Record {
            program: program.into(),
            maker: maker.into(),
            launch: String::new(),
            verdict,
            buffers: Vec::new(),
            time: None,
        }
    }

    /// Whether the launch contradicts nothing.
    pub fn is_clean(&self) -> bool {
        ["agrees", "refused", "no expectation"].iter().any(|v| self.verdict.starts_with(v))
    }
}

/// Runs every launch of an item. The second value says whether the context can no longer be used.
pub fn run(cuda: &Cuda, item: &Item, maker: &str, cubin: &[u8]) -> (Vec<Record>, bool) {
    let module = match cuda.module(cubin) {
        Ok(module) => module,
        Err(e) => return (vec![Record::whole(&item.name, maker, format!("fails: {e:#}"))], false),
    };
    let mut all = Vec::new();
    for (n, launch) in item.launches.iter().enumerate() {
        let mut record = Record::whole(&item.name, maker, String::new());
        record.launch.clone_from(&launch.label);
        let ran = buffers(cuda, launch, |cells| {
            module.launch(&launch.entry, launch.grid, launch.block, launch.shared, cells)
        });
        match ran {
            Ok(after) => {
                record.buffers = after.iter().map(|b| format!("{:016x}", fnv(b))).collect();
                record.verdict = item.judge(n, &after);
                all.push(record);
            }
            Err(e) => {
                record.verdict = format!("fails: {e:#}");
                all.push(record);
                return (all, true);
            }
        }
    }
    (all, false)
}

/// How often a timed launch is repeated.
const REPEATS: u32 = 9;
/// How long a timed launch should take at the least, in milliseconds: much longer than a launch of nothing.
const LONG: f32 = 0.4;

/// Times every launch of an item. The blocks run many times over, side by side: the grid's third extent, which the kernels do not ask
/// for, is made larger until the launch takes long. Results are not compared.
pub fn time(cuda: &Cuda, item: &Item, maker: &str, cubin: &[u8]) -> (Vec<Record>, bool) {
    let module = match cuda.module(cubin) {
        Ok(module) => module,
        Err(e) => return (vec![Record::whole(&item.name, maker, format!("fails: {e:#}"))], false),
    };
    let mut all = Vec::new();
    for launch in &item.launches {
        let mut record = Record::whole(&item.name, maker, "agrees".into());
        record.launch.clone_from(&launch.label);
        let ran = buffers(cuda, launch, |cells| {
            let mut times = 132;
            loop {
                let grid = [launch.grid[0], launch.grid[1], launch.grid[2] * times];
                let mut least = f32::INFINITY;
                for _ in 0..REPEATS {
                    let took = module.launch(&launch.entry, grid, launch.block, launch.shared, cells)?;
                    least = least.min(took);
                }
                if least >= LONG || times >= 132 * 256 {
                    record.time = Some((1000.0 * least, times));
                    return Ok(least);
                }
                times *= 4;
            }
        });
        let lost = ran.is_err();
        if let Err(e) = ran {
            record.verdict = format!("fails: {e:#}");
        }
        all.push(record);
        if lost {
            return (all, true);
        }
    }
    (all, false)
}

/// Puts a launch's buffers into device memory, runs `launch` on its parameters, and reads all buffers back.
///
/// # Errors
/// When the driver refuses anything.
pub fn buffers(
    cuda: &Cuda,
    launch: &Launch,
    run: impl FnOnce(&mut [u64]) -> Result<f32>,
) -> Result<Vec<Vec<u8>>> {
    let data = launch.params.iter().filter_map(|p| match p {
        Param::Buffer(b) => Some(b.data.to_bytes()),
        Param::Scalar(_) => None,
    });
    let memory = data.map(|b| cuda.memory(&b)).collect::<Result<Vec<_>>>()?;
    run(&mut cells(launch, |n| memory[n].address))?;
    memory.iter().map(|m| m.read()).collect()
}

/// FNV-1a, 64 bits.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv_of_nothing_is_its_basis() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn only_what_contradicts_is_not_clean() {
        let said = |verdict: &str| Record::whole("p", "ours -O3", verdict.into()).is_clean();
        assert!(said("agrees") && said("refused: x") && said("no expectation: y"));
        assert!(!said("differs: z") && !said("fails: w") && !said("hangs") && !said("dies") && !said(""));
    }
}
