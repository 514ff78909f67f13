//! Programs of a seed, each for a chip and under options that are drawn too.

use sassafras_chip::{Chip, Features as ChipFeatures, Target};
use sassafras_codegen::Knobs;
use sassafras_execute::{Argument, Launch, LaunchError, Slot};
use sassafras_generate::exercise::{self, Exercise};
use sassafras_generate::forms::Form;
use sassafras_generate::open::{self, Open};
use sassafras_generate::program::{self, Line, Program};
use sassafras_generate::ptx::{self, Feature, Features, Request};
use sassafras_generate::straight;
use std::sync::OnceLock;

/// Limits of registers that are asked for: none, few, and more than most programs need.
const LIMITS: [Option<u32>; 6] = [None, Some(16), Some(20), Some(24), Some(32), Some(64)];

/// Phases that `--disable-phase` may name, and what is drawn among them.
const PHASES: [&str; 10] = [
    "LoopMakeSingleEntry",
    "fold",
    "branch",
    "phi",
    "number",
    "if-convert",
    "hoist",
    "unroll",
    "address",
    "logic",
];

/// Draws by splitmix64.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// What the entry `k` is run on.
#[derive(Clone, Copy)]
pub struct Launched {
    pub blocks: u32,
    pub threads: u32,
    /// Bytes of the first buffer and of the second.
    pub buffers: [usize; 2],
    /// Where one byte is open, as many are, at a multiple of that: an address may be another in each run, and its bytes the same.
    pub grain: usize,
}

impl Launched {
    /// The launch of an entry with two buffers, and the number of threads where it takes a third parameter.
    pub fn launch(&self, layout: &[Slot], seed: u64) -> Result<Launch, LaunchError> {
        let mut launch = Launch::new([self.blocks, 1, 1], [self.threads, 1, 1]);
        let [first, second] = self.buffers;
        let all = [
            Argument::Buffer(vec![0; first]),
            Argument::Buffer(ptx::inputs(seed, second)),
            Argument::Value((self.blocks * self.threads).to_le_bytes().to_vec()),
        ];
        launch.arguments(layout, &all[..layout.len().clamp(1, 3)])?;
        Ok(launch)
    }
}

/// A program, for whom, and how it is compiled.
pub struct Subject {
    pub generator: &'static str,
    pub text: String,
    pub chip: Chip,
    pub level: u8,
    /// Further options.
    pub options: Vec<String>,
    /// None: it is compiled only.
    pub launched: Option<Launched>,
}

impl Subject {
    /// Chips go round fastest, then levels, then limits of registers; the rest is drawn.
    pub fn of(seed: u64) -> Subject {
        let mut d = Draws(seed.wrapping_mul(0xd1b5_4a32_d192_ed03));
        let chip = Chip::ALL[(seed % 12) as usize];
        let mut options = Vec::new();
        if let Some(limit) = LIMITS[(seed / 48 % 6) as usize] {
            options.extend(["-maxrregcount".to_owned(), limit.to_string()]);
        }
        if d.below(4) == 0 {
            options.extend(unusual(&mut d));
        }
        let (generator, text, launched) = match d.below(8) {
            0..4 => {
                let features = if d.below(2) == 0 { Features::ALL } else { some(&mut d) };
                let size = 6 + d.below(80) as usize;
                let made = ptx::seeded(seed, &Request { sm: chip.number(), features, size });
                let buffers = [made.out_bytes(), made.in_bytes()];
                (
                    "ptx",
                    made.text,
                    Some(Launched { blocks: made.blocks, threads: made.threads, buffers, grain: 1 }),
                )
            }
            4 => {
                let made = Program::random(seed, 5 + d.below(40) as usize, ingredients(chip));
                ("program", made.text(), launched(program::THREADS, program::BUFFER, 1))
            }
            5 => {
                let made = straight::text(&straight::random(seed));
                ("straight", made, launched(straight::THREADS, straight::BUFFER, 1))
            }
            6 => {
                let made = Open::random(seed).text();
                ("open", made, launched(open::THREADS, open::THREADS * open::RECORD, 8))
            }
            _ => ("exercise", exercises(chip, &mut d), None),
        };
        let text = retargeted(&text, chip);
        Subject { generator, text, chip, level: (seed / 12 % 4) as u8, options, launched }
    }
}

fn launched(threads: usize, bytes: usize, grain: usize) -> Option<Launched> {
    Some(Launched { blocks: 1, threads: threads as u32, buffers: [bytes; 2], grain })
}

/// The same module for a chip, in a version that has all of them.
fn retargeted(text: &str, chip: Chip) -> String {
    let line = |line: &str| match line.split_once(' ') {
        Some((".target", _)) => format!(".target sm_{}\n", chip.number()),
        Some((".version", _)) => ".version 9.0\n".to_owned(),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Some of the features.
fn some(d: &mut Draws) -> Features {
    Feature::ALL.into_iter().filter(|_| d.below(5) < 2).fold(Features::NONE, Features::with)
}

/// A knob away from its default, or a phase that is left out.
fn unusual(d: &mut Draws) -> [String; 2] {
    if d.below(3) == 0 {
        return ["--disable-phase".to_owned(), PHASES[d.below(PHASES.len() as u64) as usize].to_owned()];
    }
    let knobs = Knobs::default().settings();
    let knob = &knobs[d.below(knobs.len() as u64) as usize];
    let other = match knob.value.as_str() {
        "true" => "false".to_owned(),
        "false" => "true".to_owned(),
        value => match value.parse::<u32>() {
            Ok(number) if d.below(2) == 0 => number.saturating_mul(4).to_string(),
            Ok(_) => "0".to_owned(),
            Err(_) => value.to_owned(),
        },
    };
    ["--knob".to_owned(), format!("{}={other}", knob.name)]
}

/// Forms that the chip has.
fn ingredients(chip: Chip) -> &'static [Form] {
    static OF: [OnceLock<Vec<Form>>; Chip::ALL.len()] = [const { OnceLock::new() }; Chip::ALL.len()];
    let at = Chip::ALL.iter().position(|&c| c == chip).expect("one of them");
    OF[at].get_or_init(|| {
        let has = |form: &Form| {
            let line = Line { text: form.line.clone(), block: None };
            let text = retargeted(&Program { lines: vec![line] }.text(), chip);
            sassafras_ptx::load(&text, "form").is_ok()
        };
        program::ingredients().into_iter().filter(has).collect()
    })
}

/// A module of a few forms of any kind, in one kernel or in several.
fn exercises(chip: Chip, d: &mut Draws) -> String {
    static ALL: OnceLock<Vec<Exercise>> = OnceLock::new();
    let all = ALL.get_or_init(exercise::all);
    let has = |e: &&Exercise| {
        let module = || exercise::module(Target::base(chip), [*e]);
        e.need.sm <= chip.number()
            && e.need.features == ChipFeatures::Base
            && sassafras_ptx::load(&module(), "form").is_ok()
    };
    let drawn = std::iter::repeat_with(|| &all[d.below(all.len() as u64) as usize]);
    let picked: Vec<&Exercise> = drawn.take(60).filter(has).take(4).collect();
    exercise::packed(Target::base(chip), &picked, 1 + picked.len() / 2).0
}
