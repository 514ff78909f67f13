//! What a command line says.

use std::path::PathBuf;

use sassafras_chip::Target;

use super::value_error::ValueError;

/// A module to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// PTX text from the command line.
    Text(String),
}

/// `-arch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arch {
    /// `sm_90`: code for a chip.
    Real(Target),
    /// `compute_90`: parse and check only.
    Virtual(Target),
}

/// `-maxrregcount`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterLimit {
    /// `archmax`: as many as the chip has.
    Most,
    /// `archmin`: as few as the calling convention needs.
    Least,
    /// A number.
    Count(u32),
}

/// `--judge`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judges {
    /// Every judge, the prover included.
    All,
    /// Every judge but the prover.
    #[default]
    Fast,
    /// No judge.
    None,
}

/// What `--dump-cfg` prints of a graph, in the order in which it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DumpKind {
    /// One line for each edge.
    Edges,
    /// For Graphviz.
    Dot,
    /// Reverse post-order and back edges.
    Orders,
    /// Which branches are uniform, and why the others are not.
    Uniformity,
}

/// One word of `--dump-cfg`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpRequest {
    /// What.
    pub kind: DumpKind,
    /// Behind which phase.
    pub phase: String,
}

impl std::str::FromStr for DumpRequest {
    type Err = ValueError;
    fn from_str(word: &str) -> Result<DumpRequest, ValueError> {
        let (kind, phase) = word.split_once('@').unwrap_or((word, "lower"));
        let kind = match kind {
            "dot" => DumpKind::Dot,
            "edges" => DumpKind::Edges,
            "rpo" => DumpKind::Orders,
            "uniformity" => DumpKind::Uniformity,
            _ => {
                let choices = "dot, edges, rpo, uniformity";
                return Err(ValueError::Choice { value: kind.to_owned(), choices });
            }
        };
        Ok(DumpRequest { kind, phase: phase.to_owned() })
    }
}

/// Everything that the options say.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The modules.
    pub inputs: Vec<Input>,
    /// `-o`.
    pub output: Option<PathBuf>,
    /// `-arch`; without it the module's `.target` decides (called as `ptxas`: sm_75).
    pub arch: Option<Arch>,
    /// `-e`: compile only these; empty for all.
    pub entries: Vec<String>,
    /// `-O`: 0 to 3.
    pub level: u8,
    /// `-Ofc`: the highest level that counts.
    pub ceiling: u8,
    /// `-allow-expensive-optimizations`: what is expensive runs from level 1 on, or at none; without it as the rows say (`crate::level`).
    pub expensive: Option<bool>,
    /// `-regUsageLevel`: how many registers optimisations may cost, 0 to 10.
    pub register_usage: u32,
    /// `-fmad`: products and sums may be contracted.
    pub contract: bool,
    /// `-maxrregcount`.
    pub registers: Option<RegisterLimit>,
    /// `-maxntid`.
    pub threads: Option<[u32; 3]>,
    /// `-minnctapersm`.
    pub blocks_per_processor: Option<u32>,
    /// `-override-directive-values`.
    pub override_directives: bool,
    /// `-v`.
    pub verbose: bool,
    /// `-v2`.
    pub progress: bool,
    /// `-lineinfo`.
    pub line_info: bool,
    /// `-suppress-debug-info`.
    pub suppress_debug: bool,
    /// `-w`.
    pub no_warnings: bool,
    /// `-Werror`.
    pub warnings_are_errors: bool,
    /// `-dlcm -dscm -flcm -fscm`.
    pub caches: sassafras_lower::Caches,
    /// `-warn-spills`.
    pub warn_spills: bool,
    /// `-warn-lmem-usage`.
    pub warn_local: bool,
    /// `-warn-double-usage`.
    pub warn_double: bool,
    /// `-h`.
    pub help: bool,
    /// `-V`.
    pub version: bool,
    /// `--list-version`.
    pub list_versions: bool,
    /// `--list-arch`.
    pub list_chips: bool,
    /// `--jobs`, `-split-compile`: threads; 0 is one for each CPU.
    pub jobs: usize,
    /// `--judge`.
    pub judges: Judges,
    /// `--print-after`: phases whose text is printed.
    pub print_after: Vec<String>,
    /// `--dont-merge-basicblocks` clears it: blocks may be joined.
    pub merge_blocks: bool,
    /// `--disable-phase`: phases that do not run.
    pub disabled: Vec<String>,
    /// `--knob`: weights and limits of passes over machine code.
    pub knobs: sassafras_codegen::Knobs,
    /// `--profile`: the file that says how often code was run.
    pub profile: Option<PathBuf>,
    /// What that file says, once it has been read.
    pub counted: Option<crate::profile::Profile>,
    /// `--list-knobs`.
    pub list_knobs: bool,
    /// `--dump-cfg`: which graphs to print.
    pub dumps: Vec<DumpRequest>,
    /// `--stop-after`: the phase at which to stop; its text is the output.
    pub stop_after: Option<String>,
    /// `--start-from`: a text that `--stop-after` wrote.
    pub start_from: Option<PathBuf>,
    /// `--plant`: the name of a fault to make on purpose.
    pub plant: Option<String>,
    /// `--report`: where to write the JSON record of the session.
    pub report: Option<PathBuf>,
    /// `--certify`: the code is proved, and the proof is written beside it.
    pub certify: bool,
    /// `--budget`: effort for each question of that proof, in millions of z3's `rlimit`.
    pub budget: Option<u64>,
    /// `--hints`: where to write what lies where at heads of loops.
    pub hints: Option<PathBuf>,
    /// `--format json`.
    pub json: bool,
    /// `--quiet`.
    pub quiet: bool,
    /// Sentences about options that change nothing, to be shown.
    pub remarks: Vec<String>,
    /// Warnings about the command line itself.
    pub warnings: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            output: None,
            arch: None,
            entries: Vec::new(),
            level: 3,
            ceiling: 3,
            expensive: None,
            register_usage: 5,
            contract: true,
            registers: None,
            threads: None,
            blocks_per_processor: None,
            override_directives: false,
            verbose: false,
            progress: false,
            line_info: false,
            suppress_debug: false,
            no_warnings: false,
            warnings_are_errors: false,
            caches: sassafras_lower::Caches::default(),
            warn_spills: false,
            warn_local: false,
            warn_double: false,
            help: false,
            version: false,
            list_versions: false,
            list_chips: false,
            jobs: 0,
            judges: Judges::default(),
            print_after: Vec::new(),
            merge_blocks: true,
            disabled: Vec::new(),
            knobs: sassafras_codegen::Knobs::default(),
            profile: None,
            counted: None,
            list_knobs: false,
            dumps: Vec::new(),
            stop_after: None,
            start_from: None,
            plant: None,
            report: None,
            certify: false,
            budget: None,
            hints: None,
            json: false,
            quiet: false,
            remarks: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

impl Options {
    /// Notes that an option changes nothing, and why.
    pub(super) fn remark(&mut self, long: &str, sentence: &str) {
        self.remarks.push(format!("option `--{long}` changes nothing: {sentence}"));
    }

    /// The level that the optimiser works at: `-O`, held down by `-Ofc`.
    pub fn effective_level(&self) -> u8 {
        self.level.min(self.ceiling)
    }
}
