//! A program with its launch, and what the PTX executor says that it leaves.

use sassafras_execute::memory::race;
use sassafras_execute::{Argument, Launch, LaunchError, Options, Slot, ptx};
use sassafras_generate::ptx::{Generated, RECORD, inputs};
use sassafras_ptx::checked::Module;

/// What the first line of a file says, if it names the launch.
const LINE: &str = "// launch:";

/// A module with the entry `k(out, in, n)`, and a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The text.
    pub text: String,
    /// Blocks in x.
    pub blocks: u32,
    /// Threads of a block in x.
    pub threads: u32,
    /// Bytes of `out`, which start as zeros.
    pub out: usize,
    /// Bytes of `in`.
    pub input: usize,
    /// Seed of what `in` holds.
    pub seed: u64,
}

/// What a program leaves in `out`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Those that the source leaves open are not compared.
    pub open: Vec<bool>,
}

/// Why there is nothing to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaningless {
    /// The PTX does not check; the first finding.
    Rejected(String),
    /// The executor has no meaning for some form.
    Unsupported(String),
    /// The program does what PTX leaves undefined, or does not end well.
    Undefined(String),
}

impl std::fmt::Display for Meaningless {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Meaningless::Rejected(why) => write!(f, "the PTX is rejected: {why}"),
            Meaningless::Unsupported(why) => write!(f, "the executor does not support it: {why}"),
            Meaningless::Undefined(why) => write!(f, "the source has no meaning: {why}"),
        }
    }
}

/// A first line of a case that names no launch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{line}`: {fault}")]
pub struct LaunchLineError {
    /// The line.
    pub line: String,
    /// What is wrong with it.
    pub fault: LaunchLineFault,
}

/// What is wrong with the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchLineFault {
    /// A name stands alone.
    #[error("a name without a number")]
    NoValue,
    /// What stands behind a name is no number.
    #[error("`{0}` is no number")]
    NoNumber(String),
    /// A number is larger than a launch may be.
    #[error("{value} is more than {most}")]
    Large {
        /// The number.
        value: u64,
        /// The largest.
        most: u64,
    },
    /// There is no such name.
    #[error("there are blocks, threads, out, in, seed, and no `{0}`")]
    UnknownName(String),
}

impl Case {
    /// A generated module, on inputs of a seed.
    pub fn of(made: Generated, seed: u64) -> Case {
        let (out, input) = (made.out_bytes(), made.in_bytes());
        Case { blocks: made.blocks, threads: made.threads, out, input, seed, text: made.text }
    }

    /// A text, with the launch that its first line names; without one, a block of 32 threads and 64 KiB for each buffer.
    ///
    /// # Errors
    /// The line is no launch.
    pub fn read(text: &str) -> Result<Case, LaunchLineError> {
        let mut case =
            Case { text: text.to_owned(), blocks: 1, threads: 32, out: 1 << 16, input: 1 << 16, seed: 0 };
        let Some(line) = text.lines().next().and_then(|l| l.strip_prefix(LINE)) else { return Ok(case) };
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = |fault| LaunchLineError { line: format!("{LINE}{line}"), fault };
        for pair in words.chunks(2) {
            let [name, value] = pair else { return Err(wrong(LaunchLineFault::NoValue)) };
            let number: Result<u64, _> = value.parse();
            let value = number.map_err(|_| wrong(LaunchLineFault::NoNumber((*value).to_owned())))?;
            let small = |most: u64| match value {
                v if v <= most => Ok(v),
                value => Err(wrong(LaunchLineFault::Large { value, most })),
            };
            match *name {
                "blocks" => case.blocks = small(1 << 16)? as u32,
                "threads" => case.threads = small(1024)? as u32,
                "out" => case.out = small(1 << 28)? as usize,
                "in" => case.input = small(1 << 28)? as usize,
                "seed" => case.seed = value,
                _ => {
                    return Err(wrong(LaunchLineFault::UnknownName((*name).to_owned())));
                }
            }
        }
        Ok(case)
    }

    /// The text with its launch as the first line, for [`Case::read`].
    pub fn file(&self) -> String {
        let body = match self.text.split_once('\n') {
            Some((first, rest)) if first.starts_with(LINE) => rest,
            _ => &self.text,
        };
        let Case { blocks, threads, out, input, seed, .. } = self;
        format!("{LINE} blocks {blocks} threads {threads} out {out} in {input} seed {seed}\n{body}")
    }

    /// The launch, for an entry whose parameters lie so.
    ///
    /// # Errors
    /// The entry takes other parameters than `(out, in, n)`, the last of which may be missing.
    pub fn launch(&self, layout: &[Slot]) -> Result<Launch, LaunchError> {
        let mut launch = Launch::new([self.blocks, 1, 1], [self.threads, 1, 1]);
        let n = self.blocks * self.threads;
        let all = [
            Argument::Buffer(vec![0; self.out]),
            Argument::Buffer(inputs(self.seed, self.input)),
            Argument::Value(n.to_le_bytes().to_vec()),
        ];
        launch.arguments(layout, &all[..layout.len().clamp(1, 3)])?;
        Ok(launch)
    }

    /// The module, parsed and checked.
    ///
    /// # Errors
    /// [`Meaningless::Rejected`].
    pub fn module(&self) -> Result<Module, Meaningless> {
        sassafras_ptx::load(&self.text, "case.ptx").map_err(|found| {
            let first = found.records().first().map(|r| format!("line {}: {}", r.line, r.message));
            Meaningless::Rejected(first.unwrap_or_default())
        })
    }

    /// What the PTX executor leaves in `out`, whatever the order of threads, the places of variables, and what was never written.
    ///
    /// # Errors
    /// It means nothing.
    pub fn expected(&self, module: &Module) -> Result<Expected, Meaningless> {
        let undefined = |e: &dyn std::fmt::Display| Meaningless::Undefined(e.to_string());
        let layout = ptx::layout(module, "k").map_err(|e| undefined(&e))?;
        let launch = self.launch(&layout).map_err(|e| undefined(&e))?;
        let run = |options: &Options| {
            let outcome = ptx::run(module, "k", &launch, options).map_err(|e| match e.is_unsupported() {
                true => Meaningless::Unsupported(e.to_string()),
                false => undefined(&e),
            })?;
            match &outcome.rests {
                Some(at) => Err(undefined(&format!("what decides is open\n  at {at}"))),
                None => Ok(outcome),
            }
        };
        let plain = run(&Options { step_limit: 2_000_000, touches: true, ..Options::default() })?;
        if let Some((a, b)) = race(&plain.touches) {
            return Err(undefined(&format!(
                "threads {} and {} race at lines {} and {}",
                a.who.thread, b.who.thread, a.who.at, b.who.at
            )));
        }
        let base = launch.buffers[0].address;
        let bytes = plain.buffers[0].clone();
        let mut open: Vec<bool> = (0..bytes.len() as u64).map(|i| plain.open.contains(&(base + i))).collect();
        let others = [
            Options { nans: Some(1), seed: 1, order: 2, places: 1, ..Options::default() },
            Options { nans: Some(2), seed: 2, order: 1, places: 2, ..Options::default() },
        ];
        for options in others {
            let other = run(&options)?;
            for (open, (a, b)) in open.iter_mut().zip(bytes.iter().zip(&other.buffers[0])) {
                *open |= a != b;
            }
        }
        Ok(Expected { bytes, open })
    }
}

impl Expected {
    /// How many bytes are open.
    pub fn open(&self) -> usize {
        self.open.iter().filter(|o| **o).count()
    }

    /// The first word that differs from what it should be.
    pub fn difference(&self, found: &[u8]) -> Option<String> {
        let differs = |i: &usize| !self.open[*i] && found.get(*i) != Some(&self.bytes[*i]);
        let at = (0..self.bytes.len()).find(differs)? / 4 * 4;
        let count = (0..self.bytes.len()).filter(differs).count();
        let word = |b: &[u8]| b.get(at..at + 4).map(|w| u32::from_le_bytes(w.try_into().expect("four")));
        let show = |w: Option<u32>| w.map_or("nothing".to_owned(), |w| format!("{w:#010x}"));
        Some(format!(
            "thread {}, byte {:#x} of its record: the source leaves {}, the target {} ({count} bytes differ)",
            at / RECORD,
            at % RECORD,
            show(word(&self.bytes)),
            show(word(found))
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_read_back() {
        let case = Case { text: "x\ny\n".into(), blocks: 2, threads: 64, out: 7, input: 8, seed: 9 };
        let again = Case::read(&case.file()).expect("its own line");
        assert_eq!((again.blocks, again.threads, again.out, again.input, again.seed), (2, 64, 7, 8, 9));
        assert_eq!(again.file(), case.file());
        for wrong in ["blocks", "blocks x", "lanes 3", "threads 2000"] {
            assert!(Case::read(&format!("{LINE} {wrong}\n")).is_err(), "{wrong}");
        }
    }
}
