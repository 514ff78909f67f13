//! `sassafras lint`: does this PTX meet a known error of ptxas?

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use sassafras_chip::{Chip, Target};
use sassafras_cubin::Cubin;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::session;
use sassafras_lint::measured::{self, Errs};
use sassafras_lint::{Match, slice, way};
use sassafras_prove::{Limits, Solver, Verdict, prove_within};
use serde_json::{Value, json};

use super::{Context, solvers};
use crate::containers::{self, Choice};
use crate::judges::Judges;
use crate::report::sarif::{self, Finding, Rule};
use crate::{Exit, Failure, files};

/// Look for known errors of ptxas that PTX meets: the line, the versions and chips that err, and a way round.
#[derive(Args)]
pub struct Lint {
    /// PTX files, and files that hold PTX: fatbins, objects, executables, libraries.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// The chip to compile for, by default the module's.
    #[arg(long = "arch", value_name = "sm_XX")]
    arch: Option<Target>,
    /// The version of ptxas that compiles it; all that were measured by default.
    #[arg(long, value_name = "VERSION")]
    ptxas: Option<String>,
    /// Show also what cannot show for any input, as the prover finds.
    #[arg(long)]
    all: bool,
}

/// Whether an error can show at a match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    /// Values exist on which it does, up to what memory and other lanes give.
    Can,
    /// No values do: proved.
    Never,
    /// The prover does not say.
    Undecided,
    /// Only the form is known.
    Form,
}

impl Shows {
    fn word(self) -> &'static str {
        match self {
            Shows::Can => "can",
            Shows::Never => "never",
            Shows::Undecided => "undecided",
            Shows::Form => "form",
        }
    }

    fn sentence(self) -> &'static str {
        match self {
            Shows::Can => "there are values on which ptxas's code is wrong here",
            Shows::Never => "no values come here on which ptxas's code is wrong: proved",
            Shows::Undecided => "it is not decided whether values come here on which ptxas's code is wrong",
            Shows::Form => "by the instruction's form; whether such values come here is not asked",
        }
    }

    fn exit(self) -> Exit {
        match self {
            Shows::Can | Shows::Form => Exit::Refuted,
            Shows::Never => Exit::Done,
            Shows::Undecided => Exit::Unknown,
        }
    }
}

/// A match with what is known of it.
struct Hit {
    file: String,
    found: Match,
    errs: Vec<Errs>,
    shows: Shows,
}

pub(super) fn run(arguments: &Lint, context: &Context) -> Result<Exit, Failure> {
    let versions = measured::versions();
    if let Some(wanted) = arguments.ptxas.as_deref().filter(|v| !versions.contains(v)) {
        let known = versions.join(", ");
        return Err(Failure::usage(format!("ptxas {wanted} was not measured; these were: {known}")));
    }
    let mut prover = Prover { solver: solvers::first(10, 20), never: HashMap::new() };
    let (mut hits, mut refused) = (Vec::new(), Exit::Done);
    for path in &arguments.inputs {
        let bytes = files::read(path)?;
        let texts = if containers::holds_cubins(&bytes) {
            let choice = Choice { arch: arguments.arch.map(|a| a.to_string()), ..Choice::default() };
            let texts = containers::texts(path, &bytes, &choice)?;
            texts
                .into_iter()
                .map(|t| Ok((t.name.clone(), files::text(Path::new(&t.name), t.bytes)?)))
                .collect()
        } else {
            files::text(path, bytes).map(|text| vec![(path.display().to_string(), text)])
        };
        for (name, text) in texts? {
            // What one file is refused for says nothing of the others.
            let found = match look(&name, &text, arguments, &mut prover) {
                Ok(found) => found,
                Err(failure) => {
                    refused = refused.worse(crate::main_::report(&failure, false));
                    continue;
                }
            };
            if !context.json && !context.sarif && !context.quiet && found.is_empty() {
                files::print(&format!("{name}: meets no known error of ptxas\n"));
            }
            hits.extend(found);
        }
    }
    let exit = hits.iter().fold(refused, |exit, hit| exit.worse(hit.shows.exit()));
    let undecided = hits.iter().any(|hit| hit.shows == Shows::Undecided);
    let solver = prover.solver.name();
    if undecided && !prover.solver.present() {
        eprintln!("no solver is installed, so that nothing is proved; README.md says how to install z3");
    }
    if context.sarif {
        files::print(&format!("{}\n", sarif_of(&hits)));
    } else if context.json {
        let records: Vec<Value> = hits.iter().map(record).collect();
        let all = json!({ "schema": 1, "exit": exit as u8, "measured": versions, "solver": solver, "diagnostics": records });
        files::print(&format!("{all}\n"));
    } else {
        hits.iter().for_each(|hit| files::print(&text(hit, context.quiet)));
    }
    Ok(exit)
}

/// What a text meets, without what cannot show unless it is asked for.
fn look(name: &str, text: &str, arguments: &Lint, prover: &mut Prover) -> Result<Vec<Hit>, Failure> {
    let path = Path::new(name);
    let (module, _) = session::parse(text, name).map_err(|stopped| super::prove::failure(stopped, path))?;
    let of_module = || module.target.parse::<Target>().ok().map(|t| t.chip);
    let chip = arguments.arch.map(|t| t.chip).or_else(of_module);
    let mut hits = Vec::new();
    for found in sassafras_lint::lint(&module, text) {
        let errs = measured::errs(found.known.name, arguments.ptxas.as_deref(), chip);
        if errs.is_empty() {
            continue;
        }
        let shows = match &found.question {
            Some(question) => prover.ask(question, chip.unwrap_or(Chip::ALL[0])),
            None => Shows::Form,
        };
        if shows != Shows::Never || arguments.all {
            hits.push(Hit { file: name.to_owned(), found, errs, shows });
        }
    }
    Ok(hits)
}

/// Asks whether values on which an error shows can come.
struct Prover {
    solver: Box<dyn Solver>,
    /// Code that leaves 0, by the head of a question and the chip.
    never: HashMap<(String, Chip), Option<Cubin>>,
}

impl Prover {
    fn ask(&mut self, question: &str, chip: Chip) -> Shows {
        let Ok(module) = sassafras_ptx::load(question, "question") else { return Shows::Undecided };
        let answer = slice::never(question);
        let code = self.never.entry((answer.clone(), chip)).or_insert_with(|| {
            let options =
                Options { arch: Some(Arch::Real(Target::base(chip))), jobs: 1, ..Options::default() };
            session::compile(&answer, "answer", &options, None, &Judges::default()).ok()?.cubin.map(|c| c.0)
        });
        let Some(code) = code else { return Shows::Undecided };
        match prove_within(&module, "k", code, self.solver.as_mut(), Limits::default()).verdict {
            Verdict::Proved => Shows::Never,
            Verdict::Refuted(_) => Shows::Can,
            _ => Shows::Undecided,
        }
    }
}

/// Versions that err in the same way, a line each: `ptxas 13.0.88, 13.5.37 at -O1 -O2 for sm_90`.
fn lines(errs: &[Errs]) -> Vec<String> {
    let mut groups: Vec<(Vec<&str>, &Errs)> = Vec::new();
    for one in errs {
        match groups.iter_mut().find(|(_, g)| g.levels == one.levels && g.chips == one.chips) {
            Some((versions, _)) => versions.push(one.ptxas),
            None => groups.push((vec![one.ptxas], one)),
        }
    }
    let line = |(versions, g): &(Vec<&str>, &Errs)| {
        let chips: Vec<String> = g.chips.iter().map(Chip::to_string).collect();
        format!("ptxas {} at {} for {}", versions.join(", "), g.levels.join(" "), chips.join(" "))
    };
    groups.iter().map(line).collect()
}

/// On what a way round rests.
fn basis(proved: bool) -> &'static str {
    if proved {
        "proved equal, and ptxas's code for it proved right"
    } else {
        "run on both sides with equal results, not proved"
    }
}

fn text(hit: &Hit, quiet: bool) -> String {
    let Hit { file, found, errs, shows } = hit;
    let known = found.known;
    let mut out = format!("{file}:{}: {}: {}\n", found.line, known.name, known.about());
    if quiet {
        return out;
    }
    out += &format!("    {}\n  {}\n", found.text, shows.sentence());
    lines(errs).iter().for_each(|line| out += &format!("  wrong in {line}\n"));
    let way = way::way(known);
    out += &format!("  PTX ISA, {}; shown by corpus/{}/{}.ptx\n", known.isa, known.folder, known.name);
    out += &format!("  a way round, there ({}):\n", basis(known.proved));
    way.instead.iter().for_each(|line| out += &format!("    - {line}\n"));
    way.write.iter().for_each(|line| out += &format!("    + {line}\n"));
    out
}

fn record(hit: &Hit) -> Value {
    let Hit { file, found, errs, shows } = hit;
    let way = way::way(found.known);
    let errs: Vec<Value> = errs
        .iter()
        .map(|e| {
            let chips: Vec<String> = e.chips.iter().map(Chip::to_string).collect();
            json!({ "ptxas": e.ptxas, "levels": e.levels, "chips": chips })
        })
        .collect();
    json!({
        "code": found.known.name,
        "severity": if *shows == Shows::Undecided { "unknown" } else { "error" },
        "message": found.known.about(),
        "file": file,
        "line": found.line,
        "function": found.function,
        "instruction": found.text,
        "shows": shows.word(),
        "wrong": errs,
        "isa": found.known.isa,
        "way": { "instead": way.instead, "write": way.write, "proved": found.known.proved },
    })
}

fn sarif_of(hits: &[Hit]) -> Value {
    let rule = |k: &sassafras_lint::known::Known| Rule { id: k.name.to_owned(), about: k.about().to_owned() };
    let rules: Vec<Rule> = sassafras_lint::known::KNOWN.iter().map(rule).collect();
    let finding = |hit: &Hit| Finding {
        rule: hit.found.known.name.to_owned(),
        level: match hit.shows {
            Shows::Can | Shows::Form => "error",
            Shows::Undecided => "warning",
            Shows::Never => "note",
        },
        message: format!(
            "{}; {}: {}",
            hit.found.known.about(),
            hit.shows.sentence(),
            lines(&hit.errs).join("; ")
        ),
        file: hit.file.clone(),
        line: Some(hit.found.line),
        properties: record(hit),
    };
    sarif::log(&rules, &hits.iter().map(finding).collect::<Vec<_>>())
}
