//! One program with its launches and what its results are held against.

use anyhow::{Context, Result};
use sassafras_corpus::{Program as Entry, differences, prepare};
use sassafras_execute::{Approx, Argument, Launch as Run, Options, Outcome, ptx};
use sassafras_generate::program::{self, Program};
use sassafras_reference::{self as reference, Compare, Data, Launch, Param};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What there is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Every program of `corpus/kernels` and `corpus/features`.
    Corpus,
    /// The programs of `corpus/ptxas-open`, which ptxas is said to compile wrongly.
    Open,
    /// The kernels alone, for their times.
    Times,
    /// Random programs; the item's number is the seed.
    Random,
    /// The cubins of a folder, for experiments with single instructions: `NAME@WHAT.cubin` is held against `features/NAME`.
    Given(PathBuf),
}

/// What a launch must leave behind.
enum Expected {
    /// What the PTX executor left, compared as the corpus declares, and the CPU reference's kernel.
    Outcome(Box<Entry>, Box<Outcome>),
    /// What it left under several choices of what is undefined.
    Choices(Vec<Vec<u8>>),
    /// Nothing: why.
    Nothing(String),
}

/// One program.
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its PTX.
    pub text: String,
    /// Its cubin, where nobody compiles it.
    pub cubin: Option<PathBuf>,
    /// Its launches.
    pub launches: Vec<Launch>,
    expected: Vec<Expected>,
    /// What its results follow though the PTX ISA leaves it open.
    open: Vec<String>,
}

/// How many items of a suite there are; `None` where any number is a seed.
///
/// # Errors
/// When the corpus cannot be read.
pub fn count(suite: &Suite, root: &Path) -> Result<Option<u64>> {
    Ok(match suite {
        Suite::Corpus => Some(entries(root)?.len() as u64),
        Suite::Times => Some(timed(root)?.len() as u64),
        Suite::Open => Some(open(root)?.len() as u64),
        Suite::Given(folder) => Some(files(folder, "cubin")?.len() as u64),
        Suite::Random => None,
    })
}

/// The programs of the corpus.
///
/// # Errors
/// When a file cannot be read.
pub fn entries(root: &Path) -> Result<Vec<Entry>> {
    sassafras_corpus::programs(root)
}

/// Launches whose inputs are rich in bounds, NaNs and small numbers, every fourth word a small one: errors of compilers show there.
fn special(mut launches: Vec<Launch>) -> Vec<Launch> {
    for launch in &mut launches {
        for param in &mut launch.params {
            if let Param::Buffer(b) = param
                && b.output.is_none()
            {
                let words = program::inputs(launch.seed).into_iter().cycle().take(b.data.to_bytes().len());
                let mut bytes: Vec<u8> = words.collect();
                for word in bytes.chunks_mut(16) {
                    if word[13] & 1 == 0 {
                        let small = [word[12] & 7, 0, 0, 0];
                        word[12..].copy_from_slice(&small);
                    }
                }
                b.data = Data::from_bytes(b.data.ty(), &bytes);
            }
        }
    }
    launches
}

/// The kernels, each shape with its first seed.
fn timed(root: &Path) -> Result<Vec<Entry>> {
    let mut all = entries(root)?;
    all.retain(|entry| entry.name.starts_with("kernels/"));
    for entry in &mut all {
        let first = entry.launches.first().map(|l| l.seed);
        entry.launches.retain(|l| Some(l.seed) == first);
    }
    Ok(all)
}

fn open(root: &Path) -> Result<Vec<PathBuf>> {
    files(&root.join("corpus/ptxas-open"), "ptx")
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == extension) {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

impl Item {
    /// Item `number` of a suite, run by the PTX executor.
    ///
    /// # Errors
    /// When there is no such item, or a file cannot be read.
    pub fn new(suite: &Suite, root: &Path, number: u64) -> Result<Item> {
        match suite {
            Suite::Corpus => {
                let entry = entries(root)?.into_iter().nth(number as usize).context("no such program")?;
                let name = entry.name.trim_start_matches("features/").to_owned();
                let mut item = Item::of(entry);
                let features = reference::features(root)?.into_iter();
                item.open = features.filter(|f| f.name == name).flat_map(|f| f.open).collect();
                Ok(item)
            }
            Suite::Times => {
                let entry = timed(root)?.into_iter().nth(number as usize).context("no such kernel")?;
                Ok(Item::of(entry))
            }
            Suite::Open => {
                let path = open(root)?.into_iter().nth(number as usize).context("no such program")?;
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                Ok(Item::of(Entry {
                    name: format!("ptxas-open/{name}"),
                    text: std::fs::read_to_string(&path)?,
                    launches: special(reference::feature_spec(root)?.launches()?),
                    reference: None,
                    contracted: false,
                    approximate: false,
                    tolerance: None,
                }))
            }
            Suite::Given(folder) => {
                let all = files(folder, "cubin")?;
                let path = all.into_iter().nth(number as usize).context("no such cubin")?;
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let feature = format!("features/{}", stem.split('@').next().unwrap_or_default());
                let entry = entries(root)?.into_iter().find(|e| e.name == feature);
                let mut item = Item::of(entry.with_context(|| format!("no program {feature}"))?);
                item.name = stem;
                item.cubin = Some(path);
                Ok(item)
            }
            Suite::Random => Ok(Item::random(number)),
        }
    }

    fn of(entry: Entry) -> Item {
        let module = sassafras_ptx::load(&entry.text, &entry.name).map_err(|e| e.to_string());
        let expected = entry.launches.iter().map(|from| {
            let module = match &module {
                Ok(module) => module,
                Err(e) => return Expected::Nothing(e.clone()),
            };
            let ran = prepare(from, &ptx::layout(module, &from.entry))
                .and_then(|launch| ptx::run(module, &from.entry, &launch, &Options::default()));
            match ran {
                Ok(outcome) if outcome.drawn > 0 => {
                    Expected::Nothing("values of textures, surfaces or sparse products were drawn".into())
                }
                Ok(outcome) => Expected::Outcome(Box::new(entry.clone()), Box::new(outcome)),
                Err(e) => Expected::Nothing(e.to_string()),
            }
        });
        let expected = expected.collect();
        Item {
            name: entry.name,
            text: entry.text,
            cubin: None,
            launches: entry.launches,
            expected,
            open: Vec::new(),
        }
    }

    /// The random program of a seed, of 5 to 44 instructions.
    fn random(seed: u64) -> Item {
        let program = Program::random(seed, 5 + (seed % 40) as usize, &program::ingredients());
        let text = program.text();
        let input = program::inputs(seed);
        let expected = choices(&text, &input);
        let buffer = |name: &str, bytes: Vec<u8>, output| {
            Param::Buffer(reference::Buffer { name: name.into(), data: Data::U8(bytes), output })
        };
        let launch = Launch {
            label: format!("seed {seed}"),
            entry: "k".into(),
            grid: [1, 1, 1],
            block: [program::THREADS as u32, 1, 1],
            shared: 0,
            seed,
            sizes: BTreeMap::new(),
            params: vec![
                buffer("out", vec![0; program::BUFFER], Some(Compare::Exact)),
                buffer("in", input, None),
            ],
        };
        Item {
            name: format!("random/{seed}"),
            text,
            cubin: None,
            launches: vec![launch],
            expected: vec![expected],
            open: Vec::new(),
        }
    }

    /// What a launch's buffers say: `agrees`, or the first difference.
    pub fn judge(&self, launch: usize, after: &[Vec<u8>]) -> String {
        match &self.expected[launch] {
            Expected::Nothing(why) => format!("no expectation: {}", why.replace('\n', " ")),
            Expected::Choices(all) => program::difference(all, &after[0]).map_or_else(agrees, differs),
            Expected::Outcome(entry, outcome) => {
                let got = Outcome { buffers: after.to_vec(), ..(**outcome).clone() };
                let from = &self.launches[launch];
                let same = differences(entry, from, outcome, &got).map_err(anyhow::Error::from);
                match same.and_then(|()| by_reference(entry, from, after)) {
                    Ok(()) => agrees(),
                    Err(e) if !self.open.is_empty() => {
                        format!("no expectation: {} is open: {e}", self.open.join(" and "))
                    }
                    Err(e) => e.to_string(),
                }
            }
        }
    }
}

fn agrees() -> String {
    "agrees".into()
}

fn differs(how: String) -> String {
    format!("differs: {how}")
}

/// Compares buffers after a launch with the CPU reference, as the launch file declares.
fn by_reference(entry: &Entry, launch: &Launch, after: &[Vec<u8>]) -> anyhow::Result<()> {
    let Some(expected) = entry.reference.as_ref().and_then(|k| reference::reference(k, launch)) else {
        return Ok(());
    };
    for (param, data) in expected {
        let Param::Buffer(b) = &launch.params[param] else { continue };
        let index = launch.params[..param].iter().filter(|p| matches!(p, Param::Buffer(_))).count();
        let how = b.output.clone().unwrap_or(Compare::Exact);
        how.check(data.ty(), &data.to_bytes(), &after[index])
            .map_err(|e| anyhow::anyhow!("differs from the reference: {}: {e}", b.name))?;
    }
    Ok(())
}

/// What the PTX executor leaves in the first buffer of a random program, under seven choices of what is open.
fn choices(text: &str, input: &[u8]) -> Expected {
    let module = match sassafras_ptx::load(text, "random") {
        Ok(module) => module,
        Err(e) => return Expected::Nothing(e.to_string()),
    };
    let mut launch = Run::new([1, 1, 1], [program::THREADS as u32, 1, 1]);
    let arguments = [Argument::Buffer(vec![0; program::BUFFER]), Argument::Buffer(input.to_vec())];
    let laid = ptx::layout(&module, "k").and_then(|slots| launch.arguments(&slots, &arguments));
    if let Err(e) = laid {
        return Expected::Nothing(e.to_string());
    }
    let choosers = [Approx::Nearest, Approx::Low, Approx::High, Approx::Seed(1), Approx::Seed(2)];
    // Which NaN it is PTX leaves open; hardware keeps the payload where binary64 is narrowed to binary32.
    let all: Result<Vec<_>, _> = choosers
        .into_iter()
        .map(|approx| (approx, None))
        .chain([1, 2].map(|seed| (Approx::Nearest, Some(seed))))
        .map(|(approx, nans)| {
            ptx::run(&module, "k", &launch, &Options { approx, nans, ..Options::default() })
        })
        .collect();
    match all {
        Ok(all) => Expected::Choices(all.into_iter().map(|mut o| o.buffers.swap_remove(0)).collect()),
        Err(e) => Expected::Nothing(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_reference::workspace_root;

    #[test]
    fn the_reference_agrees_with_itself_and_not_with_a_changed_bit() {
        let root = workspace_root();
        let number = entries(&root).expect("the corpus").iter().position(|e| e.name == "kernels/vadd/vadd");
        let item = Item::new(&Suite::Corpus, &root, number.expect("vadd") as u64).expect("vadd");
        let launch = &item.launches[0];
        let buffers = launch.params.iter().filter_map(|p| match p {
            Param::Buffer(b) => Some(b.data.to_bytes()),
            Param::Scalar(_) => None,
        });
        let mut after: Vec<Vec<u8>> = buffers.collect();
        for (param, data) in reference::reference("vadd", launch).expect("a reference") {
            after[param] = data.to_bytes();
        }
        assert_eq!(item.judge(0, &after), "agrees");
        after[2][5] ^= 1;
        assert!(item.judge(0, &after).starts_with("differs: buffer 2"), "{}", item.judge(0, &after));
    }

    #[test]
    fn every_suite_has_items_that_the_executor_runs() {
        let root = workspace_root();
        assert!(count(&Suite::Corpus, &root).expect("the corpus").expect("a number") > 300);
        assert!(count(&Suite::Open, &root).expect("the corpus").expect("a number") >= 30);
        for (suite, number) in [(Suite::Corpus, 3), (Suite::Open, 0), (Suite::Random, 17)] {
            let item = Item::new(&suite, &root, number).expect("an item");
            assert!(item.expected.iter().all(|e| !matches!(e, Expected::Nothing(_))), "{}", item.name);
        }
    }
}
