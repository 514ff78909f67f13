//! Choices, blanks in templates, and the lines written so far.

use super::classes::{CLASSES, Class};
use super::features::{Feature, Features};
use super::request::{RECORD, Request};
use arbitrary::{Result, Unstructured};
use std::fmt::Write;

/// Immediates by weight: edges of widths, shift counts, bit patterns of floats.
const NUMBERS: [i64; 24] = [
    0,
    1,
    -1,
    2,
    3,
    4,
    5,
    7,
    8,
    10,
    16,
    31,
    32,
    33,
    63,
    127,
    -128,
    255,
    0xffff,
    0x7fff_ffff,
    -0x8000_0000,
    0x3f80_0000,
    0x0101_0101,
    0x1234_5678,
];
const COUNTS: [u32; 15] = [0, 1, 2, 5, 8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 255];
const DIVISORS: [u32; 16] = [1, 2, 3, 5, 6, 7, 9, 10, 12, 16, 25, 100, 127, 641, 1000, 0x7fff];
const SINGLE: [&str; 9] = [
    "0f3F800000",
    "0fBF800000",
    "0f00000000",
    "0f80000000",
    "0f7F800000",
    "0f3DCCCCCD",
    "0f40490FDB",
    "0f00000001",
    "0f4F000000",
];
const DOUBLE: [&str; 6] = [
    "0d3FF0000000000000",
    "0dBFE0000000000000",
    "0d0000000000000000",
    "0d8000000000000000",
    "0d7FF0000000000000",
    "0d400921FB54442D18",
];

/// Most of the last written registers that reads prefer.
const RECENT: usize = 4;

/// Writes one function.
pub(super) struct Maker<'u, 'd> {
    pub u: &'u mut Unstructured<'d>,
    features: Features,
    sm: u32,
    lines: Vec<String>,
    /// Labels and counters so far, over the module.
    numbers: usize,
    /// Counters that the function declares.
    counters: usize,
    /// Threads of a block; 0 in functions that are called.
    pub threads: u32,
    /// Every thread of the block comes here, and as often as the others.
    pub uniform: bool,
    /// Some thread may have ended.
    pub ended: bool,
    /// Loops around whose every iteration is reached by all threads: nobody may end there.
    pub together: usize,
    /// Loops and branches around.
    pub depth: usize,
    /// Functions that can be called.
    pub functions: usize,
    recent: Vec<(char, usize)>,
}

impl<'u, 'd> Maker<'u, 'd> {
    pub fn new(u: &'u mut Unstructured<'d>, request: &Request) -> Maker<'u, 'd> {
        Maker {
            u,
            features: request.features,
            sm: request.sm,
            lines: Vec::new(),
            numbers: 0,
            counters: 0,
            threads: 0,
            uniform: false,
            ended: false,
            together: 0,
            depth: 0,
            functions: 0,
            recent: Vec::new(),
        }
    }

    pub fn has(&self, feature: Feature) -> bool {
        // Arithmetic of bf16 came with sm_90, conversions with sm_80 (PTX ISA); both or none here.
        self.features.has(feature) && (feature != Feature::Bf16 || self.sm >= 90)
    }
    pub fn sm(&self) -> u32 {
        self.sm
    }
    /// Whether the register file has a class.
    pub fn class(&self, class: &Class) -> bool {
        class.feature.is_none_or(|f| self.has(f))
    }

    pub fn put(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }
    /// A number for a label or a counter.
    pub fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }
    /// A register that counts, `%cN`.
    pub fn counter(&mut self) -> String {
        self.counters += 1;
        format!("%c{}", self.counters)
    }
    pub fn below(&mut self, n: usize) -> Result<usize> {
        self.u.int_in_range(0..=n.max(1) - 1)
    }
    pub fn one_in(&mut self, n: u32) -> Result<bool> {
        self.u.ratio(1, n)
    }
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> Result<T> {
        self.u.choose(list).copied()
    }

    /// A register to read, more often one that was just written.
    pub fn read(&mut self, letter: char) -> Result<String> {
        let class = class(letter);
        let recent: Vec<usize> = self.recent.iter().filter(|r| r.0 == letter).map(|r| r.1).collect();
        let n = if !recent.is_empty() && self.u.ratio(1, 2)? {
            self.pick(&recent)?
        } else {
            self.below(class.count)?
        };
        Ok(format!("{}{n}", class.name))
    }
    pub fn write(&mut self, letter: char) -> Result<String> {
        let class = class(letter);
        let n = self.below(class.count)?;
        self.recent.retain(|r| *r != (letter, n));
        self.recent.push((letter, n));
        if self.recent.len() > RECENT {
            self.recent.remove(0);
        }
        Ok(format!("{}{n}", class.name))
    }

    /// Fills the blanks `<…>` of a template and writes it. In a blank: `=r` a register that is written, `r` one that is read, `r1` the
    /// same wherever it stands, `ri` a register or a number, `i` a number, `c` a shift count, `o` a constant one, `k` one of 1 to 31 and `~k` what is
    /// left of 32 (`K`, `~K` of 64), `v` a divisor, `F1` a register's bits without NaN, see [`super::classes::exported`].
    pub fn fill(&mut self, template: &str) -> Result<()> {
        // What ptxas errs about under a guard alone.
        let errs = ["set.", "testp.", "vabsdiff4", "vadd4", "vsub4"].iter().any(|e| template.starts_with(e));
        let single = template.matches(';').count() == 1 && (!errs || self.has(Feature::Known));
        let mut text = String::new();
        if single && !template.starts_with('@') && self.has(Feature::Guards) && self.u.ratio(1, 6)? {
            let negate = if self.u.ratio(1, 2)? { "!" } else { "" };
            text = format!("@{negate}{} ", self.read('p')?);
        }
        let mut bound: Vec<(String, String)> = Vec::new();
        let mut rest = template;
        // Destinations are drawn last, so that what is read was there before.
        let mut blanks: Vec<String> = vec![text];
        let mut written = Vec::new();
        while let Some((before, after)) = rest.split_once('<') {
            let (blank, after) = after.split_once('>').expect("a blank ends");
            rest = after;
            blanks.push(before.to_owned());
            if let Some((_, value)) = bound.iter().find(|(name, _)| name == blank) {
                blanks.push(value.clone());
                continue;
            }
            if let Some(letter) = blank.strip_prefix('=') {
                written.push((blanks.len(), letter.chars().next().expect("a letter"), blank.to_owned()));
                blanks.push(String::new());
                continue;
            }
            let value = self.blank(blank, &mut bound)?;
            if blank.ends_with(|c: char| c.is_ascii_digit()) {
                bound.push((blank.to_owned(), value.clone()));
            }
            blanks.push(value);
        }
        let mut taken: Vec<String> = Vec::new();
        for (at, letter, _) in written {
            let mut register = self.write(letter)?;
            // Two destinations of one instruction are two registers.
            let class = class(letter);
            for n in 0..class.count {
                if !taken.contains(&register) {
                    break;
                }
                register = format!("{}{n}", class.name);
            }
            taken.push(register.clone());
            blanks[at] = register;
        }
        self.lines.push(blanks.concat() + rest);
        Ok(())
    }

    fn blank(&mut self, blank: &str, bound: &mut Vec<(String, String)>) -> Result<String> {
        let mut letters = blank.chars();
        let first = letters.next().expect("a blank has a letter");
        let second = letters.next();
        Ok(match first {
            'i' => self.pick(&NUMBERS)?.to_string(),
            'c' if self.u.ratio(1, 3)? => self.read('r')?,
            'c' | 'o' => self.pick(&COUNTS)?.to_string(),
            'v' => self.pick(&DIVISORS)?.to_string(),
            'k' | 'K' | '~' => {
                let of = if blank.contains('K') { 64 } else { 32 };
                let k = 1 + self.below(of - 1)?;
                let name = if of == 64 { "K" } else { "k" };
                bound.push((name.to_owned(), k.to_string()));
                bound.push((format!("~{name}"), (of - k).to_string()));
                if first == '~' { of - k } else { k }.to_string()
            }
            'F' | 'G' | 'X' | 'Y' | 'Z' | 'W' => {
                let letter = first.to_ascii_lowercase();
                let name = self.read(letter)?;
                for line in super::classes::exported(letter, &name) {
                    self.put(line);
                }
                let to = match letter {
                    'f' => "%tf0",
                    'g' => "%tg0",
                    'y' | 'w' => "%t0",
                    _ => "%ts0",
                };
                to.to_owned()
            }
            _ if second == Some('i') && self.u.ratio(1, 2)? => match first {
                'f' => self.pick(&SINGLE)?.to_owned(),
                'g' => self.pick(&DOUBLE)?.to_owned(),
                'h' => (self.pick(&NUMBERS)? as i16).to_string(),
                _ => self.pick(&NUMBERS)?.to_string(),
            },
            letter => self.read(letter)?,
        })
    }

    /// What every entry starts with: the addresses of its record and of its thread's input.
    pub fn entry(&mut self, threads: u32) {
        self.threads = threads;
        self.uniform = true;
        for line in [
            "ld.param.u64 %to, [k_out];".to_owned(),
            "ld.param.u64 %from, [k_in];".into(),
            "ld.param.u32 %n, [k_n];".into(),
            "cvta.to.global.u64 %to, %to;".into(),
            "cvta.to.global.u64 %from, %from;".into(),
            "mov.u32 %t0, %ctaid.x;".into(),
            "mov.u32 %t1, %ntid.x;".into(),
            "mov.u32 %t2, %tid.x;".into(),
            "mad.lo.u32 %t0, %t0, %t1, %t2;".into(),
            format!("mad.wide.u32 %end, %n, {RECORD}, %to;"),
            format!("mad.wide.u32 %to, %t0, {RECORD}, %to;"),
            format!("mad.wide.u32 %from, %t0, {RECORD}, %from;"),
        ] {
            self.put(line);
        }
    }

    /// The declarations of what the lines may name.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        for class in CLASSES.iter().filter(|c| self.class(c)) {
            let _ = writeln!(text, "\t.reg .{} {}<{}>;", class.ty, class.name, class.count);
        }
        text += "\t.reg .b64 %to, %from, %end, %at, %al, %gen, %u<4>;\n\t.reg .b32 %n, %me, %t<6>;\n";
        text += "\t.reg .b16 %ts<4>;\n\t.reg .f32 %tf<3>;\n\t.reg .f64 %tg<2>;\n\t.reg .pred %q<4>;\n";
        let _ = writeln!(text, "\t.reg .b32 %c<{}>;", self.counters + 1);
        text
    }

    pub fn lines(&self) -> &[String] {
        &self.lines
    }
    /// Takes the lines, for the next function.
    pub fn take(&mut self) -> Vec<String> {
        self.recent.clear();
        std::mem::take(&mut self.lines)
    }
    pub fn start_counters(&mut self) {
        self.counters = 0;
    }
}

fn class(letter: char) -> &'static Class {
    CLASSES.iter().find(|c| c.letter == letter).unwrap_or_else(|| panic!("no class is called {letter}"))
}
