//! Counts by chip and level.

use super::Fate;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What came of all programs so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Programs of seeds that the generator made well.
    pub programs: u64,
    /// Seeds of which it did not, and why.
    pub ill: Vec<(u64, String)>,
    /// How many programs have a kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// By compiler, chip and level.
    pub lines: BTreeMap<(String, u32, u8), Line>,
    /// Of findings and of what is refused, by the word and the class: how many, and the first seed, chip and level.
    pub classes: BTreeMap<(String, &'static str, String), (u64, u64, u32, u8)>,
}

/// One compiler, chip and level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Programs.
    pub programs: u64,
    /// By the words of [`Fate`], in the order of [`WORDS`].
    pub fates: [u64; WORDS.len()],
    /// Runs that left what they should.
    pub runs: u64,
}

/// What may become of a program.
pub const WORDS: [&str; 6] = ["right", "refused", "exit 3", "wrong", "stopped", "unsupported"];

impl Tally {
    /// One more.
    pub fn add(&mut self, compiler: &str, seed: u64, sm: u32, level: u8, fate: &Fate) {
        let line = self.lines.entry((compiler.to_owned(), sm, level)).or_default();
        line.programs += 1;
        let word = fate.word();
        let at = WORDS.iter().position(|w| *w == word).expect("every fate has a word");
        line.fates[at] += 1;
        if let Fate::Right(runs) = fate {
            line.runs += *runs as u64;
            return;
        }
        let class = (compiler.to_owned(), word, fate.class());
        self.classes.entry(class).or_insert((0, seed, sm, level)).0 += 1;
    }

    /// Findings about a compiler, and of the generator itself.
    pub fn findings(&self, compiler: &str) -> u64 {
        let of = |line: &Line| line.fates[2] + line.fates[3] + line.fates[4];
        self.lines.iter().filter(|(key, _)| key.0 == compiler).map(|(_, line)| of(line)).sum()
    }

    /// The table, the classes, the kinds.
    pub fn text(&self) -> String {
        let mut text = format!("{} programs, {} that are not defined\n", self.programs, self.ill.len());
        for (seed, why) in self.ill.iter().take(10) {
            let _ = writeln!(text, "  seed {seed}: {}", why.lines().next().unwrap_or_default());
        }
        let _ = writeln!(
            text,
            "\n| compiler | chip | level | programs | compiled | {} | runs |",
            WORDS.join(" | ")
        );
        let _ = writeln!(text, "| --- | --- | --- |{}", " --: |".repeat(WORDS.len() + 3));
        for ((compiler, sm, level), line) in &self.lines {
            let compiled = line.programs - line.fates[1] - line.fates[2];
            let fates = line.fates.map(|n| n.to_string()).join(" | ");
            let _ = writeln!(
                text,
                "| {compiler} | sm_{sm} | -O{level} | {} | {compiled} | {fates} | {} |",
                line.programs, line.runs
            );
        }
        let mut classes: Vec<_> = self.classes.iter().collect();
        classes.sort_by_key(|(key, n)| (key.0.clone(), key.1, std::cmp::Reverse(n.0)));
        for ((compiler, word, class), (n, seed, sm, level)) in classes {
            let _ =
                writeln!(text, "{n:6} {compiler}: {word}: {class} (first: seed {seed}, sm_{sm}, -O{level})");
        }
        text += "\nprograms that have a kind:";
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        for (kind, n) in kinds {
            let _ = write!(text, " {kind} {n},");
        }
        text.pop();
        text + "\n"
    }
}
