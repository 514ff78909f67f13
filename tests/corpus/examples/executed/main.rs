//! Our code against ptxas's on the kernels of `corpus/loops`, in the executor (`cargo xtask figures executed`): instructions and stall counts that a launch
//! issues, instructions of the innermost loop for each byte that it accesses, static instructions, registers, warps and stack. ptxas 13.0.88 compiles at its
//! default level, -O3; we at ours.
//!
//! `executed [--chip sm_NN] [--only TEXT] [--rows FILE] [--half tune|report] [--folder corpus/causes] [--static only]` prints JSON for sm_80, sm_90 and sm_120:
//! geometric mean, sum and the worst of each number, and writes a line of CSV for each kernel to FILE. A kernel is launched with contents by type and name of
//! its parameters, at the largest of four sizes at which ptxas's code ends within [`STEPS`] issues; one that ends at none is named. `--half` takes one half of
//! the files (`corpus/README.md`), `--static only` launches nothing.

mod launch;
mod table;

use anyhow::{Context, Result, bail};
use launch::Declaration;
use sassafras_chip::{Chip, Target};
use sassafras_corpus::loops::half;
use sassafras_corpus::measure::{Inner, Side, busiest, measure_function};
use sassafras_cubin::{Cubin, Function};
use sassafras_driver::observe::Nobody;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::session;
use sassafras_execute::{Launch, Options as Run, Outcome, sass};
use sassafras_isa::decode;
use sassafras_oracle::Tools;
use sassafras_reference::{traces::RECORDED, workspace_root};
use serde_json::json;
use std::path::{Path, PathBuf};

const CHIPS: [Chip; 3] = [Chip::Sm80, Chip::Sm90, Chip::Sm120];
/// Sizes of arrays, by the number that a kernel is given, from the largest on.
const SIZES: [u64; 4] = [1000, 250, 64, 20];
/// Issues of a launch of ptxas's code, at most; ours may take four times as many.
const STEPS: u64 = 300_000;

/// What one side does for a kernel.
#[derive(Clone, Copy, Debug)]
struct Code {
    counted: Side,
    stack: u64,
    inner: Option<Inner>,
    /// Of the launch.
    run: Option<Issued>,
}

/// What warps issued.
#[derive(Clone, Copy, Debug)]
struct Issued {
    instructions: u64,
    /// Sum of their stall counts.
    cycles: u64,
}

struct Pair {
    name: String,
    ours: Code,
    ptxas: Code,
    /// Buffers are equal bit by bit after the launch.
    equal: bool,
}

#[derive(Default)]
struct Arguments {
    chips: Vec<Chip>,
    only: String,
    half: Option<String>,
    rows: Option<PathBuf>,
    folder: PathBuf,
    /// Nothing is run.
    is_static: bool,
}

fn arguments() -> Result<Arguments> {
    let mut to = Arguments { chips: CHIPS.into(), folder: "corpus/loops".into(), ..Arguments::default() };
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        let value = words.next().with_context(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--chip" => {
                let found = Chip::ALL.iter().find(|chip| chip.to_string() == value);
                to.chips = vec![*found.with_context(|| format!("no chip `{value}`"))?];
            }
            "--only" => to.only = value,
            "--half" => to.half = Some(value),
            "--rows" => to.rows = Some(value.into()),
            "--folder" => to.folder = value.into(),
            "--static" => to.is_static = value == "only",
            _ => bail!("no option `{name}`"),
        }
    }
    Ok(to)
}

fn main() -> Result<()> {
    let arguments = arguments()?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(workspace_root().join(&arguments.folder))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "ptx"));
    files.retain(|file| arguments.half.as_ref().is_none_or(|wanted| half(&stem(file)) == wanted));
    files.sort();
    let mut figures = serde_json::Map::new();
    let mut lines = table::HEAD.to_owned();
    for &chip in &arguments.chips {
        let (mut pairs, mut left_out) = (Vec::new(), Vec::new());
        for file in &files {
            compare(file, chip, &arguments, &mut pairs, &mut left_out)
                .with_context(|| format!("{} for {chip}", file.display()))?;
        }
        pairs.iter().for_each(|pair| lines += &table::line(chip, pair));
        figures.insert(chip.to_string(), table::record(&pairs, &left_out));
    }
    if let Some(file) = arguments.rows {
        std::fs::write(file, lines)?;
    }
    let record =
        json!({ "schema": 1, "figure": "executed", "against": "ptxas 13.0.88 -O3", "chips": figures });
    println!("{}", serde_json::to_string_pretty(&record)?);
    Ok(())
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn compare(
    file: &Path,
    chip: Chip,
    arguments: &Arguments,
    pairs: &mut Vec<Pair>,
    left_out: &mut Vec<String>,
) -> Result<()> {
    let text = std::fs::read_to_string(file)?;
    let source = std::fs::read_to_string(file.with_extension("cu"))?;
    let ptxas = Tools::find(&workspace_root()).ptxas(RECORDED).map_err(|e| anyhow::anyhow!("{e}"))?;
    let (bytes, _) = ptxas.compile(file, &chip.to_string(), &[])?;
    let theirs = sassafras_cubin::read(&bytes)?;
    let stem = stem(file);
    let options = Options { arch: Some(Arch::Real(Target::base(chip))), jobs: 1, ..Options::default() };
    let made = session::compile(&text, &stem, &options, None, &Nobody);
    let (ours, _) = made.map_err(|e| anyhow::anyhow!("{e}"))?.cubin.context("no cubin")?;
    for function in ours.functions.iter().filter(|f| f.entry) {
        let name = format!("{stem}/{}", function.name);
        let other = theirs.functions.iter().find(|f| f.name == function.name);
        let Some(other) = other.filter(|_| name.contains(&arguments.only)) else { continue };
        let mut pair = Pair { name, ours: code(function, chip)?, ptxas: code(other, chip)?, equal: true };
        if !arguments.is_static {
            match run(&source, [&ours, &theirs], [function, other], chip) {
                Ok((runs, equal)) => {
                    [pair.ours.run, pair.ptxas.run] = runs.map(Some);
                    pair.equal = equal;
                }
                Err(why) => left_out.push(format!("{}: {why:#}", pair.name)),
            }
        }
        pairs.push(pair);
    }
    Ok(())
}

fn code(function: &Function, chip: Chip) -> Result<Code> {
    let stack = function.min_stack.unwrap_or(function.frame_size).into();
    Ok(Code { counted: measure_function(function, chip)?, stack, inner: busiest(function, chip)?, run: None })
}

/// Launches both codes on the same buffers, and whether these are equal after it.
fn run(
    source: &str,
    cubins: [&Cubin; 2],
    functions: [&Function; 2],
    chip: Chip,
) -> Result<([Issued; 2], bool)> {
    let [ours, theirs] = cubins;
    let entry = &functions[0].name;
    let declared = Declaration::read(source, entry).context("no launch for such parameters")?;
    let mut said = None;
    for size in SIZES {
        for block in blocks(&declared, functions[1]) {
            let launch = prepare(&declared, theirs, entry, block, size)?;
            match sass::run(theirs, entry, &launch, &Run { step_limit: STEPS, ..Run::default() }) {
                Ok(ptxas) => {
                    let options = Run { step_limit: 4 * STEPS, ..Run::default() };
                    let launch = prepare(&declared, ours, entry, block, size)?;
                    let own = sass::run(ours, entry, &launch, &options).context("ours")?;
                    let runs = [issued(&own, functions[0], chip)?, issued(&ptxas, functions[1], chip)?];
                    return Ok((runs, own.buffers == ptxas.buffers));
                }
                Err(why) => said = Some(why),
            }
        }
    }
    Err(said.map_or(anyhow::anyhow!("no launch"), anyhow::Error::from)).context("ptxas's")
}

/// Shapes of a block to try.
fn blocks(declared: &Declaration, function: &Function) -> Vec<[u32; 3]> {
    if let Some(required) = function.required_threads {
        return vec![required];
    }
    let limit = function.max_threads.map_or(1024, |[x, y, z]| x * y * z);
    let mut shapes = if declared.plane {
        vec![[16, 16, 1], [8, 8, 1]]
    } else {
        vec![[256, 1, 1], [128, 1, 1], [32, 1, 1]]
    };
    shapes.retain(|[x, y, _]| x * y <= limit);
    shapes
}

fn prepare(declared: &Declaration, cubin: &Cubin, entry: &str, block: [u32; 3], size: u64) -> Result<Launch> {
    let layout = sass::layout(cubin, entry)?;
    let sizes: Vec<u32> = layout.iter().map(|slot| slot.size).collect();
    let given = declared.arguments(&sizes, size).context("no launch for such parameters")?;
    let mut launch = Launch::new(if declared.plane { [2, 2, 1] } else { [2, 1, 1] }, block);
    launch.dynamic_shared = 16 << 10;
    launch.arguments(&layout, &given)?;
    Ok(launch)
}

fn issued(outcome: &Outcome, function: &Function, chip: Chip) -> Result<Issued> {
    let counts = outcome.coverage.iter().find(|c| c.function == function.name).context("no counts")?;
    let mut cycles = 0;
    for (&word, &count) in function.code.iter().zip(&counts.counts) {
        cycles += count * u64::from(decode(word, chip)?.control.stall.max(1));
    }
    Ok(Issued { instructions: outcome.steps, cycles })
}
