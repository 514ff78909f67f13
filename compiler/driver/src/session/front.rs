//! From text to selectable IR.

use sassafras_chip::{Chip, Features, Target};
use sassafras_ir as ir;
use sassafras_opt::{Choices, pipeline};
use sassafras_ptx::checked::{Module, Op, Type, Variable};
use sassafras_ptx::diagnostics::Code;
use sassafras_ptx::source::{Source, Span};
use sassafras_ptx::{self as ptx, Diagnostics};
use sassafras_semantics::{FloatFormat, Space};

use crate::Failure;
use crate::limits::{Directives, bounds};
use crate::observe::{Notes, Observer};
use crate::options::{Arch, Options};
use crate::phase::Stage;
use crate::warning::Warning;

/// Parses and checks a text; findings that are no errors come with the module.
///
/// # Errors
/// Every mistake that was found.
pub fn parse(text: &str, name: &str) -> Result<(Module, Diagnostics), Failure> {
    parse_entries(text, name, &[])
}

/// As [`parse`], of the chosen entries and what they reach; all of it when none is chosen.
///
/// What other entries use may be unsupported, but not wrong: ptxas checks the whole module.
///
/// # Errors
/// Every mistake that was found.
pub(super) fn parse_entries(
    text: &str,
    name: &str,
    entries: &[String],
) -> Result<(Module, Diagnostics), Failure> {
    const WRONG: u8 = 1;
    let (mut syntax, findings) = ptx::parse(text, name);
    if findings.has_errors() {
        // With the mistakes of the instructions that could be read.
        return Err(Failure::Ptx(ptx::load(text, name).err().unwrap_or(findings)));
    }
    let (mut module, mut found) = ptx::check_with_warnings(&syntax);
    if !entries.is_empty() && (module.is_some() || found.exit_code() != WRONG) {
        super::entries::keep(&mut syntax, entries);
        (module, found) = ptx::check_with_warnings(&syntax);
    }
    found.extend(findings);
    match module {
        Some(module) => Ok((module, found)),
        None => Err(Failure::Ptx(found)),
    }
}

/// What a `.target` asks for: the number of the least chip, and the features.
pub(super) fn demand(name: &str) -> Option<(u32, Features)> {
    // Modules may be for chips older than any that we make code for, which `Target` does not know.
    let digits = name.strip_prefix("sm_")?;
    let features = match digits.chars().last()? {
        'a' => Features::Architecture,
        'f' => Features::Family,
        _ => Features::Base,
    };
    Some((digits.trim_end_matches(['a', 'f']).parse().ok()?, features))
}

/// Whether a module for `.target name` runs on `target` (`ptxas --help`, `--gpu-name`).
pub fn runs_on(name: &str, target: Target) -> bool {
    let chip = target.chip.number();
    match demand(name) {
        Some((least, Features::Base)) => least <= chip,
        Some((least, Features::Family)) => {
            least / 10 == chip / 10 && least <= chip && target.features != Features::Base
        }
        Some((least, Features::Architecture)) => least == chip && target.features == Features::Architecture,
        None => false,
    }
}

/// The target of a session: the option's, else `default`, else the module's own; and it must take the module.
pub(super) fn target(
    module: &Module,
    options: &Options,
    default: Option<Target>,
    text: &str,
    file: &str,
) -> Result<Target, Failure> {
    let name = &module.target;
    let target = match options.arch {
        Some(Arch::Real(target) | Arch::Virtual(target)) => target,
        None => match default.or_else(|| name.parse().ok()) {
            Some(target) => target,
            None => {
                let what =
                    format!("there is no code for `{name}`; choose a newer chip with -arch, such as sm_90");
                return Err(Failure::Request(what));
            }
        },
    };
    // Without an option nobody asked for this target: say how to ask for another.
    let ask = match options.arch {
        None if runs_on(name, Target::base(Chip::Sm90)) => "; give -arch=sm_90",
        _ => "",
    };
    if !runs_on(name, target) {
        let what = format!("a module for `.target {name}` does not run on {target}{ask}");
        return Err(Failure::Ptx(at_target(text, file, what)));
    }
    Ok(target)
}

/// The target of a session that starts behind PTX.
pub(super) fn target_of_text(options: &Options, default: Option<Target>) -> Result<Target, Failure> {
    match options.arch {
        Some(Arch::Virtual(_)) => Err(Failure::Request("a virtual target only parses PTX".into())),
        Some(Arch::Real(target)) => Ok(target),
        None => Ok(default.unwrap_or(Target::base(Chip::Sm90))),
    }
}

/// A finding at the module's `.target`.
fn at_target(text: &str, file: &str, what: String) -> Diagnostics {
    let (syntax, mut findings) = ptx::parse(text, file);
    let names = syntax.items.iter().find_map(|item| match item {
        ptx::ast::Item::Target(names) => names.first(),
        _ => None,
    });
    findings.push(Code::OtherTarget, names.map_or(Span::default(), |n| n.span), what);
    findings
}

/// Warnings that the checked module gives rise to.
pub(super) fn warn(module: &Module, options: &Options, warnings: &mut Vec<Warning>) {
    // ptxas 13.0.88's words: nothing else is linked, so the variable is one of this module's.
    let dynamic = |v: &Variable| v.space == Space::Shared && v.size == 0;
    for v in module.variables.iter().filter(|v| v.external && !dynamic(v)) {
        warnings.push(Warning::Extern(v.name.clone()));
    }
    if !options.warn_double {
        return;
    }
    for f in &module.functions {
        let double = |t: &Type| *t == Type::F(FloatFormat::F64);
        if let Some(inst) = f.insts.iter().flatten().find(|inst| inst.types.iter().any(double)) {
            warnings.push(Warning::Double { line: inst.line, function: f.name.clone() });
        }
    }
}

/// Says what is compiled to nothing, although it is there to change something.
pub(super) fn left_out(module: &Module) -> Vec<String> {
    let mut said = Vec::new();
    for f in &module.functions {
        if let Some(inst) = f.insts.iter().flatten().find(|inst| inst.op == Op::Setmaxnreg) {
            let name = &f.name;
            said.push(format!(
                "line {}: `setmaxnreg` is left out: all code of `{name}` has the registers of its entry",
                inst.line
            ));
        }
    }
    said
}

/// Every name of `-e` must be an entry.
pub(super) fn entries_exist(module: &Module, options: &Options) -> Result<(), Failure> {
    for name in &options.entries {
        if !module.functions.iter().any(|f| f.entry && f.name == *name) {
            // In ptxas's words.
            return Err(Failure::Request(format!("Unknown function {name}")));
        }
    }
    Ok(())
}

/// PTX to IR.
pub(super) fn lower(
    module: &Module,
    options: &Options,
    chip: Chip,
    text: &str,
    name: &str,
) -> Result<ir::Module, Failure> {
    let (caches, barrier_unit) = (options.caches, chip.has_barrier_unit());
    let choices = sassafras_lower::Options { fmad: options.contract, caches, barrier_unit };
    sassafras_lower::lower(module, &choices).map_err(|errors| {
        let mut findings = Diagnostics::new(Source::new(name, text));
        for e in errors {
            let place = |n: usize| u32::try_from(n).unwrap_or(0);
            let span = Span { start: place(e.span.start), end: place(e.span.end) };
            findings.push(Code::UnsupportedInstruction, span, format!("`{}`: {}", e.form, e.why));
        }
        Failure::Ptx(findings)
    })
}

/// With fewer registers a kernel has its long sequences in place.
const FEW: u32 = 64;

/// IR to IR that selection takes; functions that were not asked for stay as they are.
pub(super) fn optimise(
    mut module: ir::Module,
    options: &Options,
    chip: Chip,
    observer: &dyn Observer,
    parallel: bool,
) -> Result<(ir::Module, Notes), Failure> {
    let (level, expensive) = (crate::level::level(options), options.expensive);
    let (merge_blocks, disabled) = (options.merge_blocks, options.disabled.clone());
    let fold_converted = options.knobs.folding.convert;
    let lane_handles = chip.has_lane_handles();
    let gather_barriers = !chip.has_collectives();
    let choices = Choices {
        level,
        expensive,
        merge_blocks,
        fold_converted,
        lane_handles,
        gather_barriers,
        routines: true,
        disabled,
    };
    // Values that live across a routine need registers that it does not use.
    let routines = |f: &ir::Function| {
        let directives = Directives {
            registers: f.maxnreg,
            threads: f.maxntid,
            exact_threads: f.reqntid,
            blocks: f.minnctapersm,
        };
        bounds(&f.name, directives, options, chip).registers >= FEW
    };
    let wanted = |f: &ir::Function| options.entries.is_empty() || options.entries.contains(&f.name);
    let work = |f: &mut ir::Function| -> Result<Vec<(&'static str, u64)>, Failure> {
        if !wanted(f) {
            return Ok(Vec::new());
        }
        let name = f.name.clone();
        let mut numbers = Vec::new();
        let mut before = observer.wants_before(Stage::Optimise).then(|| f.clone());
        let mut objection = None;
        let result =
            pipeline(f, Choices { routines: routines(f), ..choices.clone() }, &mut |pass, now, stats| {
                numbers.push((pass, stats.changes as u64));
                if objection.is_none() && stats.changed() {
                    objection = observer.observe_pass(pass, before.as_ref(), now).err();
                }
                if let Some(before) = before.as_mut().filter(|_| stats.changed()) {
                    before.clone_from(now);
                }
            });
        if let Some(objection) = objection {
            return Err(objection.into());
        }
        result.map_err(|refused| {
            let what: Vec<String> = refused.iter().map(ToString::to_string).collect();
            Failure::Unsupported { stage: Stage::Optimise, function: Some(name), what: what.join("; ") }
        })?;
        Ok(numbers)
    };
    let results = super::threads::map(parallel, module.functions.iter_mut(), work);
    let mut notes = Notes::default();
    // Summed over functions and repetitions of a pass.
    for (name, n) in results.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten() {
        match notes.numbers.iter_mut().find(|row| row.0 == name) {
            Some(row) => row.1 += n,
            None => notes.numbers.push((name, n)),
        }
    }
    Ok((module, notes))
}
