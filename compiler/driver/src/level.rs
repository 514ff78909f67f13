//! What runs at which level: the passes of the optimiser (`sassafras_opt::PASSES`), and the parts of other phases below.
//! The session asks these rows, and `docs/options.md` prints them.

use crate::options::Options;
use sassafras_codegen::{ARRANGE, BRANCH_FOLDER, Effort};
use sassafras_opt::{Choices, Level, PASSES};

/// Something that does not run at every level.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// First level at which it runs.
    pub level: Level,
    /// Whether `--allow-expensive-optimizations` decides about it.
    pub expensive: bool,
    /// What it does.
    pub what: &'static str,
}

/// The search of `arrange` for a better order than that of one list.
pub const SEARCH: &str = "arrange-search";

/// What other phases than `optimise` do from a level on.
pub const PARTS: &[Part] = &[
    Part {
        name: ARRANGE,
        level: Level::O2,
        expensive: false,
        what: "orders instructions before allocation, by one list for each block",
    },
    Part {
        name: SEARCH,
        level: Level::O3,
        expensive: true,
        what: "makes lists with fewer and with more registers, and takes the best",
    },
    Part {
        name: BRANCH_FOLDER,
        level: Level::O2,
        expensive: false,
        what: "merges equal tails, simplifies branches, hoists equal beginnings",
    },
];

/// The level as the optimiser has it: `-O`, held down by `-Ofc`.
pub fn level(options: &Options) -> Level {
    match options.effective_level() {
        0 => Level::O0,
        1 => Level::O1,
        2 => Level::O2,
        _ => Level::O3,
    }
}

/// Whether a part runs.
pub fn runs(options: &Options, name: &str) -> bool {
    let choices = Choices { expensive: options.expensive, ..Choices::from(level(options)) };
    PARTS.iter().any(|part| part.name == name && choices.runs(part.level, part.expensive))
}

/// How hard `arrange` looks for a better order.
pub fn effort(options: &Options) -> Effort {
    Effort { search: runs(options, SEARCH), usage: options.register_usage }
}

/// A table of what runs: a line for each pass and part, with a column for each level.
pub fn table() -> String {
    let mut out =
        String::from("| what | -O0 | -O1 | -O2 | -O3 | expensive |\n| --- | --- | --- | --- | --- | --- |\n");
    let mut line = |name: &str, levels: &[(Level, usize)], expensive: bool| {
        let cells = [Level::O0, Level::O1, Level::O2, Level::O3].map(|at| {
            let times: usize = levels.iter().filter(|(first, _)| *first <= at).map(|(_, times)| times).sum();
            if times == 0 { String::new() } else { times.to_string() }
        });
        out += &format!("| `{name}` | {} | {} |\n", cells.join(" | "), if expensive { "yes" } else { "" });
    };
    let mut names: Vec<&str> = Vec::new();
    for pass in PASSES {
        if !names.contains(&pass.name) {
            names.push(pass.name);
        }
    }
    for name in names {
        let rows: Vec<_> = PASSES.iter().filter(|pass| pass.name == name).collect();
        let levels: Vec<(Level, usize)> = rows.iter().map(|pass| (pass.level, 1)).collect();
        line(name, &levels, rows.iter().any(|pass| pass.expensive));
    }
    for part in PARTS {
        line(part.name, &[(part.level, 1)], part.expensive);
    }
    out
}
