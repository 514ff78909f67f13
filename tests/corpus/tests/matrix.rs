//! What becomes of every form of the PTX table: each alone in a kernel, with registers, constants, parameters, negated values and
//! addresses of every kind as its operands, executed by the PTX executor; compiled by us, judged and executed; compiled by
//! ptxas and executed. `cargo xtask long matrix` takes all kernels and writes `reports/ptx-matrix.md`.

mod forms;

use forms::{Fate, against, general, launch, prepared, sources};
use sassafras_chip::{Chip, Features, Target};
use sassafras_corpus::{NoCode, Program, compile};
use sassafras_cubin::Cubin;
use sassafras_generate::exercise::{self, Exercise};
use sassafras_generate::ptxas as ptxas_errors;
use sassafras_oracle::{Ptxas, workspace_root};
use sassafras_ptx::table::{self, document};
use std::collections::BTreeMap;
use std::fmt::Write;

const VERSION: &str = "13.0.88";
/// Kernels per call of ptxas.
const PACK: usize = 40;
/// Of how many kernels one is tried where not all are.
const STEP: usize = 151;

/// Compiles kernels by ptxas; those that it refuses come alone, with nothing.
fn by_ptxas<'e>(ptxas: &Ptxas, all: &[&'e Exercise]) -> Vec<(Vec<&'e Exercise>, Option<Cubin>)> {
    let text = exercise::module(Target::base(Chip::Sm90), all.iter().copied());
    match ptxas.compile_text(&text, "sm_90", &[]) {
        Ok((bytes, _)) => vec![(all.to_vec(), sassafras_cubin::read(&bytes).ok())],
        Err(_) if all.len() < 2 => vec![(all.to_vec(), None)],
        Err(_) => all.chunks(all.len().div_ceil(4)).flat_map(|part| by_ptxas(ptxas, part)).collect(),
    }
}

/// What became of the kernels of one row.
#[derive(Clone, Debug, Default)]
struct Count {
    kernels: usize,
    not_ptx: usize,
    ours: [usize; 4],
    theirs: [usize; 4],
    why: BTreeMap<String, usize>,
}

impl Count {
    fn add(side: &mut [usize; 4], why: &mut BTreeMap<String, usize>, fate: &Fate) {
        let (at, said) = match fate {
            Fate::Agrees => (0, None),
            Fate::Refused(said) => (1, Some(said)),
            Fate::NotRun(said) => (2, Some(said)),
            Fate::Differs(said) => (3, Some(said)),
        };
        side[at] += 1;
        if let Some(said) = said {
            *why.entry(said.clone()).or_default() += 1;
        }
    }

    fn sum(all: &[Count]) -> Count {
        let mut sum = Count::default();
        for c in all {
            (sum.kernels, sum.not_ptx) = (sum.kernels + c.kernels, sum.not_ptx + c.not_ptx);
            for i in 0..4 {
                sum.ours[i] += c.ours[i];
                sum.theirs[i] += c.theirs[i];
            }
        }
        sum
    }

    fn cells(&self) -> String {
        let [a, b, c, d] = self.ours;
        let [e, f, g, h] = self.theirs;
        format!("{} | {} | {a} | {b} | {c} | {d} | {e} | {f} | {g} | {h} |", self.kernels, self.not_ptx)
    }
}

const HEAD: &str = "\
# What becomes of every form of PTX

Written by `cargo xtask long matrix`. Each form of the table ([ptx-forms.md](../docs/ptx-forms.md)) stands alone in kernels, with its operands in registers, constants,
parameters, negated and absolute, guarded, with addresses of every kind (`verify/generate/src/exercise`), for sm_90. The PTX executor runs the text on 32
threads. **ours**: compiled by us, accepted by all judges, run in timing mode by the SASS executor. **ptxas**: the same with ptxas 13.0.88's code.

* *not PTX*: constants out of range and the like, refused with a position.
* *refused*: the compiler says that it does not support it, and where.
* *not run*: an executor has no meaning for the form, lanes wait for each other for ever, or it does something undefined.
* *differs*: the executors disagree. Of ptxas these are its errors in `corpus/ptxas-open`.

";

const COLUMNS: &str = "| kernels | not PTX | ours agrees | refused | not run | differs | ptxas agrees | refused | not run | differs |\n";

fn page(counts: &[Count]) -> String {
    let rule = "| --- |".to_owned() + &" --- |".repeat(10) + "\n";
    let mut out = HEAD.to_owned();
    let mut families: Vec<&str> = table::rows().iter().map(|r| r.family).collect();
    families.dedup();
    let of = |family: &str| -> Vec<Count> {
        table::rows().iter().zip(counts).filter(|(r, _)| r.family == family).map(|(_, c)| c.clone()).collect()
    };
    out += &format!("| family {COLUMNS}{rule}");
    for family in &families {
        let _ = writeln!(out, "| {family} | {}", Count::sum(&of(family)).cells());
    }
    let _ = writeln!(out, "| all | {}", Count::sum(counts).cells());
    for family in families {
        let _ = write!(out, "\n## {family}\n\n| form {COLUMNS}{rule}");
        for (row, count) in table::rows().iter().zip(counts).filter(|(r, _)| r.family == family) {
            let _ = writeln!(out, "| `{}` | {}", document::form(row), count.cells());
        }
    }
    out += "\n## Why\n\nWhat was said of kernels that were refused, not run or differ, and how often.\n\n";
    let mut why: BTreeMap<&str, usize> = BTreeMap::new();
    for (said, n) in counts.iter().flat_map(|c| &c.why) {
        *why.entry(said).or_default() += n;
    }
    let mut why: Vec<_> = why.into_iter().collect();
    why.sort_by_key(|(said, n)| (std::cmp::Reverse(*n), *said));
    for (said, n) in why.iter().take(60) {
        let _ = writeln!(out, "- {n}: {said}");
    }
    out
}

#[test]
fn every_form_is_executed_or_refused() {
    const NAME: &str = "every_form_is_executed_or_refused";
    let ptxas = match sassafras_oracle::Tools::here().ptxas(VERSION) {
        Ok(ptxas) => ptxas,
        Err(why) => return sassafras_oracle::skip(NAME, &why),
    };
    let whole = std::env::var_os("SASSAFRAS_ALL_FORMS").is_some();
    let wanted = std::env::var("SASSAFRAS_FORMS_ONLY").unwrap_or_default();
    let step = if whole || !wanted.is_empty() { 1 } else { STEP };
    let all: Vec<Exercise> = exercise::all().iter().map(prepared).collect();
    let some: Vec<&Exercise> = all
        .iter()
        .filter(|e| {
            e.row.is_some() && e.need.sm <= 90 && e.need.features == Features::Base && e.id.contains(&wanted)
        })
        .step_by(step)
        .collect();
    let mut counts = vec![Count::default(); table::rows().len()];
    let (mut wrong, mut errors) = (Vec::new(), 0);
    for pack in some.chunks(PACK) {
        let mut loaded = Vec::new();
        for e in pack {
            let count = &mut counts[e.row.expect("a row")];
            count.kernels += 1;
            let text = exercise::module(Target::base(Chip::Sm90), [*e]);
            let Ok(module) = sassafras_ptx::load(&text, "matrix") else {
                count.not_ptx += 1;
                continue;
            };
            let launch = launch(&module, &e.entry);
            let expected = sources(&module, &e.entry, &launch);
            let program = Program {
                name: "matrix".into(),
                text,
                launches: Vec::new(),
                reference: None,
                contracted: false,
                approximate: false,
                tolerance: None,
            };
            let fate = match compile(&program) {
                Ok((cubin, _)) => against(&expected, &cubin, e, &launch, true),
                Err(NoCode::Unsupported(what)) => Fate::Refused(general(&what)),
                Err(said @ NoCode::Wrong(_)) => Fate::Differs(said.to_string()),
            };
            if let Fate::Differs(how) = &fate {
                wrong.push(format!("{}: {how}", e.id));
            }
            Count::add(&mut count.ours, &mut count.why, &fate);
            loaded.push((*e, launch, expected));
        }
        let kernels: Vec<&Exercise> = loaded.iter().map(|(e, ..)| *e).collect();
        if kernels.is_empty() {
            continue;
        }
        for (together, cubin) in by_ptxas(&ptxas, &kernels) {
            for e in together {
                let (_, launch, expected) =
                    loaded.iter().find(|(f, ..)| f.entry == e.entry).expect("it was loaded");
                let fate = match &cubin {
                    Some(cubin) => against(expected, cubin, e, launch, false),
                    None => Fate::Refused("ptxas refuses it".into()),
                };
                match &fate {
                    Fate::Differs(_) if ptxas_errors::error(&e.line, &e.id).is_some() => errors += 1,
                    Fate::Differs(how) => wrong.push(format!("ptxas, {}: {how}", e.id)),
                    _ => {}
                }
                let count = &mut counts[e.row.expect("a row")];
                Count::add(&mut count.theirs, &mut count.why, &fate);
            }
        }
    }
    let sum = Count::sum(&counts);
    eprintln!("{} kernels: {}\n{errors} of ptxas's differ by its open errors", some.len(), sum.cells());
    if whole {
        std::fs::write(workspace_root().join("reports/ptx-matrix.md"), page(&counts)).expect("written");
    }
    assert!(sum.ours[0] > 0, "nothing agrees");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), some.len(), wrong.join("\n"));
}

/// The page was written for the table as it is.
#[test]
fn the_page_is_about_this_table() {
    let page = std::fs::read_to_string(workspace_root().join("reports/ptx-matrix.md")).expect("the page");
    for row in table::rows() {
        let start = format!("| `{}` | ", document::form(row));
        let line = page.lines().find(|l| l.starts_with(&start));
        let kernels = line.and_then(|l| l[start.len()..].split(' ').next()?.parse::<usize>().ok());
        // Kernels are for sm_90: what needs sm_90a or a later chip stands there without any.
        let elsewhere = row.since.sm > 90 || !row.since.only.any();
        let tried = kernels.is_some_and(|n| n > 0 || elsewhere);
        assert!(tried, "`{}` is not in reports/ptx-matrix.md; `cargo xtask long matrix` writes it", row.text);
    }
}
