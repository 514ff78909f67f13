//! What is true of a pair, from runs of the PTX executor: on which launches they differ, and how often loops of the source return to their heads there.

use sassafras_execute::{Argument, Failure, Launch, Options, Outcome, ptx};
use sassafras_ptx::checked::Module;

/// Elements on each side of the one that `a` points to.
const MARGIN: usize = 64;
/// Bytes of the output.
const OUT: usize = 1024;
/// No right run takes as many steps.
const STEPS: u64 = 20_000;
/// Values of `n` and of `m`.
const COUNTS: [i32; 11] = [-1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 10];

/// Replaces the marks of a kernel by code that counts how often a thread returns to the head of each loop in one activation of it, and stores the largest
/// count behind the output; without `count`, by nothing.
pub fn instrumented(kernel: &str, count: bool) -> String {
    let mut out = String::new();
    for line in kernel.lines() {
        let mark = line.trim().strip_prefix("//: ");
        let new = match mark.and_then(|m| m.split_once(' ').or(Some((m, "")))) {
            None => line.to_owned(),
            Some(_) if !count => String::new(),
            Some(("enter", n)) => format!("mov.u32 %returns{n}, -1;"),
            Some(("head", n)) => {
                format!("add.s32 %returns{n}, %returns{n}, 1; max.s32 %most, %most, %returns{n};")
            }
            Some(("done", _)) => format!("st.global.u32 [%d2+{}], %most;", OUT - 4),
            Some(other) => panic!("{other:?}"),
        };
        out += &new;
        out += "\n";
        if count && line.trim_start().starts_with(".reg") {
            out += ".reg .b32 %returns<4>; .reg .b32 %most; mov.u32 %most, 0;\n";
        }
    }
    out
}

fn launch(module: &Module, n: i32, m: i32, pattern: u32) -> Launch {
    let data = (0..4 * MARGIN as u32).flat_map(|i| {
        let value = match pattern {
            0 => 1,
            1 => i.wrapping_mul(7) % 12,
            _ => i.wrapping_mul(0x9e37_79b9) >> 28,
        };
        value.to_le_bytes()
    });
    let mut launch = Launch::new([1, 1, 1], [1, 1, 1]);
    let arguments = [
        Argument::Buffer(data.collect()),
        Argument::Buffer(vec![0xcc; OUT]),
        Argument::Value(n.to_le_bytes().into()),
        Argument::Value(m.to_le_bytes().into()),
    ];
    let layout = ptx::layout(module, "k").expect("it has parameters");
    launch.arguments(&layout, &arguments).expect("they fit");
    let middle = u64::from_le_bytes(launch.params[..8].try_into().expect("eight")) + 4 * MARGIN as u64;
    launch.params[..8].copy_from_slice(&middle.to_le_bytes());
    launch
}

fn run(module: &Module, n: i32, m: i32, pattern: u32) -> Result<Outcome, Failure> {
    let options = Options { step_limit: STEPS, ..Options::default() };
    ptx::run(module, "k", &launch(module, n, m, pattern), &options)
}

/// A launch on which source and target differ.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    /// The most often that a thread returned to the head of a loop in one activation of it, in the source.
    pub returns: u32,
    /// `n`, `m` and the number of the data.
    pub input: (i32, i32, u32),
}

/// Launches on which the sides differ and the source is defined and ends, the one with the fewest iterations first.
pub fn differences(source: &Module, counted: &Module, target: &Module) -> Vec<Difference> {
    let mut all = Vec::new();
    for n in COUNTS {
        for m in COUNTS {
            for pattern in 0..3 {
                // What fails or does not end in the source is excluded (A-UB, A-TERM).
                let Ok(left) = run(source, n, m, pattern) else { continue };
                let right = run(target, n, m, pattern);
                if right.is_ok_and(|right| right.buffers == left.buffers) {
                    continue;
                }
                let counted = run(counted, n, m, pattern).expect("it ran without counters");
                let word = counted.buffers[1][OUT - 4..].try_into().expect("four bytes");
                all.push(Difference { returns: u32::from_le_bytes(word), input: (n, m, pattern) });
            }
        }
    }
    all.sort_by_key(|d| (d.returns, d.input));
    all
}
