//! Proved pairs of source and code, and what is done to them.

use crate::common::{line, module, recorded, text};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sassafras_cubin::Cubin;
use sassafras_execute::options::{TraceEvent, Tracer};
use sassafras_execute::{Argument, Failure, Launch, Options, sass};
use sassafras_isa::{Chip, Style, decode, encode, parse, print};
use sassafras_oracle::workspace_root;
use sassafras_prove::{Record, Verdict, Z3, prove};
use sassafras_ptx::checked::Module;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

/// The chip of the recorded cubins.
pub const CHIP: Chip = Chip::Sm90;

/// A module and code that was proved to do what its entry `k` does.
pub struct Pair {
    pub name: String,
    pub source: Module,
    pub cubin: Cubin,
}

impl Pair {
    /// A one-feature program of the corpus with ptxas's recorded code, if that is proved.
    pub fn recorded(name: &str, z3: &mut Z3) -> Option<Pair> {
        let source = module(&text(name));
        let pair = Pair { name: name.to_owned(), source, cubin: recorded("13.0.88", name)? };
        let record = pair.prove(&pair.cubin, z3);
        match record.verdict {
            Verdict::Proved => Some(pair),
            _ => {
                eprintln!("not proved: {name}: {}", line(&record));
                None
            }
        }
    }

    /// A one-feature program of the corpus, or `own/NAME` of `programs/`, if ptxas's code is proved, be it within a bound.
    pub fn of(name: &str, z3: &mut Z3) -> Option<Pair> {
        let (text, cubin) = match name.strip_prefix("own/") {
            Some(own) => own_program(own),
            None => {
                let name = format!("features/{name}");
                (text(&name), recorded("13.0.88", &name)?)
            }
        };
        let pair = Pair { name: name.to_owned(), source: module(&text), cubin };
        let record = pair.prove(&pair.cubin, z3);
        match record.verdict {
            Verdict::Proved | Verdict::ProvedWithin(_) => Some(pair),
            _ => {
                eprintln!("not proved: {name}: {}", line(&record));
                None
            }
        }
    }

    /// The verdict on some code.
    pub fn prove(&self, cubin: &Cubin, z3: &mut Z3) -> Record {
        prove(&self.source, "k", cubin, z3)
    }

    /// The words of the entry.
    pub fn words(&self) -> &[u128] {
        &self.cubin.functions.iter().find(|f| f.name == "k").expect("the entry").code
    }

    /// The cubin with other words in the entry.
    pub fn with(&self, change: impl FnOnce(&mut Vec<u128>)) -> Cubin {
        let mut cubin = self.cubin.clone();
        change(&mut cubin.functions.iter_mut().find(|f| f.name == "k").expect("the entry").code);
        cubin
    }
}

/// A program of `programs/` with what ptxas 13.0.88 -arch=sm_90 makes of it; `BLESS=1` makes that again.
fn own_program(name: &str) -> (String, Cubin) {
    let folder = workspace_root().join("verify/prove/tests/controls/programs");
    let text = std::fs::read_to_string(folder.join(format!("{name}.ptx"))).expect("a program");
    let file = folder.join(format!("{name}.cubin.gz"));
    if std::env::var_os("BLESS").is_some() {
        let ptxas = sassafras_oracle::Tools::here().ptxas("13.0.88").expect("ptxas");
        let (bytes, _) = ptxas.compile_text(&text, "sm_90", &[]).expect("ptxas takes it");
        let mut packed = GzEncoder::new(std::fs::File::create(&file).expect("a file"), Compression::best());
        packed.write_all(&bytes).and_then(|()| packed.finish().map(|_| ())).expect("written");
    }
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(&file).expect("its cubin"))
        .read_to_end(&mut bytes)
        .expect("it is whole");
    (text, sassafras_cubin::read(&bytes).expect("a sound cubin"))
}

/// A word as text.
pub fn written(word: u128) -> String {
    decode(word, CHIP).map_or_else(|e| e.to_string(), |i| print(&i, &Style::default()))
}

/// Runs a one-feature program on seeded inputs: what it leaves in `out`, or how it failed.
pub fn execute(cubin: &Cubin, seed: u64) -> Result<Vec<Vec<u8>>, Failure> {
    run(cubin, seed, None)
}

/// What an instruction writes in a run, lane by lane: the register, the lane, the value.
pub type Writes = Vec<(String, u32, u128)>;

/// What one instruction writes in a run as [`execute`] has it; none if that fails.
pub fn results(cubin: &Cubin, seed: u64, at: u64) -> Option<Writes> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let note = move |e: &TraceEvent<'_>| {
        if e.position == at {
            sink.lock().expect("nobody panics").extend_from_slice(e.writes);
        }
    };
    run(cubin, seed, Some(Tracer(Arc::new(note)))).ok()?;
    let seen = seen.lock().expect("nobody panics").clone();
    Some(seen)
}

fn run(cubin: &Cubin, seed: u64, trace: Option<Tracer>) -> Result<Vec<Vec<u8>>, Failure> {
    let threads = 64u64;
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Small numbers and ends of ranges tend to matter.
        match state % 5 {
            0 => [0, 1, u32::MAX, i32::MIN as u32, i32::MAX as u32][(state >> 40) as usize % 5],
            1 => (state >> 32) as u32 % 64,
            _ => (state >> 32) as u32,
        }
    };
    let input: Vec<u8> = (0..4 * threads).flat_map(|_| word().to_le_bytes()).collect();
    let arguments = [
        Argument::Buffer(vec![0; 16 * threads as usize]),
        Argument::Buffer(input),
        Argument::Value((threads as u32).to_le_bytes().to_vec()),
    ];
    let mut launch = Launch::new([2, 1, 1], [32, 1, 1]);
    let layout = sass::layout(cubin, "k").map_err(Failure::Launch)?;
    launch.arguments(&layout, &arguments).map_err(Failure::Launch)?;
    let options = Options { step_limit: 200_000, trace, ..Options::default() };
    sass::run(cubin, "k", &launch, &options).map(|o| o.buffers)
}

/// The entry of a cubin.
pub fn entry(cubin: &mut Cubin) -> &mut sassafras_cubin::Function {
    cubin.functions.iter_mut().find(|f| f.name == "k").expect("the entry")
}

/// The index of the first word whose text contains `text`.
pub fn find(cubin: &Cubin, text: &str) -> usize {
    let words = &cubin.functions.iter().find(|f| f.name == "k").expect("the entry").code;
    words.iter().position(|w| written(*w).contains(text)).unwrap_or_else(|| panic!("no `{text}`"))
}

/// The word of a text.
pub fn word(text: &str) -> u128 {
    encode(&parse(text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}")), CHIP).expect("it fits")
}

/// Changes the text of the first instruction that contains `from`.
pub fn replace(cubin: &mut Cubin, from: &str, to: &str) {
    let at = find(cubin, from);
    let old = entry(cubin).code[at];
    let text = written(old).replace(from, to);
    let mut inst = parse(&text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    let before = decode(old, CHIP).expect("it decodes");
    // Another kind of instruction takes all the time there is.
    if before.row().mnemonic == inst.row().mnemonic {
        inst.control = before.control;
    }
    entry(cubin).code[at] = encode(&inst, CHIP).expect("it fits");
}

/// Puts instructions before the first that contains `before`, in code without branches across it. The last padding goes.
pub fn insert(cubin: &mut Cubin, before: &str, texts: &[&str]) {
    let at = find(cubin, before);
    let code = &mut entry(cubin).code;
    for (i, text) in texts.iter().enumerate() {
        code.insert(at + i, word(text));
        let gone = code.pop().map(written);
        assert_eq!(gone.as_deref(), Some("NOP"), "there is no room");
    }
}
