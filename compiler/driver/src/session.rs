//! One compilation: a PTX text through every phase.

mod back;
mod dump;
mod entries;
mod finished;
mod front;
mod join;
mod lacking;
mod lines;
mod named;
mod text;
mod threads;

pub use finished::{RESERVED_TAILS, UNSTRUCTURED};
pub use front::{parse, runs_on};
pub use join::{Joined, join};
pub use text::{Text, read};

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

use sassafras_chip::{Chip, Target};
use sassafras_codegen::select::Layout;
use sassafras_cubin::{Cubin, Producer};
use sassafras_ir as ir;
use sassafras_isa::{Field, FieldKind, Inst};
use sassafras_machine as machine;
use sassafras_ptx as ptx;

use crate::Failure;
use crate::assemble::assemble;
use crate::limits::{Bounds, Directives, bounds};
use crate::observe::{Form, Notes, Observer};
use crate::options::{Arch, Options};
use crate::phase::Stage;
use crate::plant::{self, Planted};
use crate::statistics::Entry;
use crate::warning::Warning;
use finished::Finished;
use named::named;

/// What a compilation made.
#[derive(Clone, Debug, Default)]
pub struct Artifact {
    /// The cubin and its bytes; none after `--stop-after` and for `-arch=compute_XX`.
    pub cubin: Option<(Cubin, Vec<u8>)>,
    /// The text of the phase at which the session stopped.
    pub stopped: Option<String>,
    /// Texts that `--print-after` asked for: phase, function or module, text.
    pub printed: Vec<(Stage, String, String)>,
    /// Graphs that `--dump-cfg` asked for, in order of phases and functions.
    pub dumps: Vec<String>,
    /// Numbers about each entry, in the module's order.
    pub entries: Vec<Entry>,
    /// Warnings, in order.
    pub warnings: Vec<Warning>,
    /// What was left out without harm, in order.
    pub remarks: Vec<String>,
    /// The findings of the checker that are no errors.
    pub findings: Option<ptx::Diagnostics>,
    /// What each phase said, in order of phases and functions.
    pub notes: Vec<(Stage, Notes)>,
    /// The target.
    pub target: Option<Target>,
}

/// A compilation in progress.
pub struct Session<'a> {
    options: &'a Options,
    observer: &'a dyn Observer,
    /// Functions are worked on at once.
    parallel: bool,
    target: Target,
    print_after: Vec<Stage>,
    stop_after: Option<Stage>,
    plant: Option<Planted>,
    dumps: dump::Dumps,
    /// What the PTX says about its source, if that is wanted.
    source: Option<lines::Source>,
    /// The PTX, if the session starts from it.
    ptx: Option<&'a str>,
    /// Routines that were made, by number.
    routines: Mutex<HashMap<u8, machine::Function>>,
    drawn: Mutex<Vec<(Stage, usize, String)>>,
    log: Mutex<Vec<(Stage, usize, Notes, Option<String>)>>,
}

/// Compiles the PTX `text`, which messages call `name`.
///
/// `default` is the target when neither options nor module name one that counts (ptxas's own default).
///
/// # Errors
/// See [`Failure`].
pub fn compile(
    text: &str,
    name: &str,
    options: &Options,
    default: Option<Target>,
    observer: &dyn Observer,
) -> Result<Artifact, Failure> {
    let threads = threads::wanted(options, text);
    if threads == 1 {
        return Session::run(text, name, options, default, observer, false);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Failure::Request(format!("no threads to work with: {e}")))?;
    pool.install(|| Session::run(text, name, options, default, observer, true))
}

/// `--disable-phase` names only what later phases do without.
fn can_be_disabled(names: &[String]) -> Result<(), Failure> {
    let known = crate::phase::optional();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Failure::Request(format!(
            "option `--disable-phase`: `{name}` cannot be left out; these can: {}",
            known.join(", ")
        ))),
    }
}

impl<'a> Session<'a> {
    fn run(
        source: &'a str,
        name: &str,
        options: &'a Options,
        default: Option<Target>,
        observer: &'a dyn Observer,
        parallel: bool,
    ) -> Result<Artifact, Failure> {
        let print_after =
            options.print_after.iter().map(|n| named("print-after", n)).collect::<Result<Vec<_>, _>>()?;
        let stop_after = options.stop_after.as_deref().map(|n| named("stop-after", n)).transpose()?;
        let plant = options.plant.as_deref().map(plant::named).transpose();
        let plant = plant.map_err(|why| Failure::Request(why.to_string()))?;
        can_be_disabled(&options.disabled)?;
        let mut artifact = Artifact::default();
        let text = if options.start_from.is_some() { text::read(source, name)? } else { Text::Ptx };
        let mut s = Session {
            options,
            observer,
            parallel,
            target: Target::base(Chip::Sm90),
            print_after,
            stop_after,
            plant,
            dumps: dump::Dumps::new(options)?,
            source: None,
            ptx: matches!(text, Text::Ptx).then_some(source),
            routines: Mutex::default(),
            drawn: Mutex::default(),
            log: Mutex::default(),
        };
        match text {
            Text::Ptx => {
                let (module, findings) = front::parse_entries(source, name, &options.entries)?;
                s.target = front::target(&module, options, default, source, name)?;
                artifact.findings = Some(findings);
                artifact.remarks.extend(lines::left_out(&module, options));
                if lines::wanted(&module, options) {
                    s.source = Some(lines::Source::new(&module, source, &mut artifact.warnings));
                }
                s.front(&module, source, name, &mut artifact)?;
            }
            Text::Ir(module, stage) => {
                s.without_source()?;
                s.behind(stage)?;
                s.target = front::target_of_text(options, default)?;
                s.judged(name, stage, Form::Ir(&module))?;
                if stage == Stage::Lower {
                    s.middle(module, &mut artifact)?
                } else {
                    s.back(&module, &mut artifact)?
                }
            }
            Text::Machine(function, stage) => {
                s.without_source()?;
                s.behind(stage)?;
                s.target = Target::base(function.chip);
                s.judged(name, stage, Form::Machine(&function))?;
                s.end(*function, stage, &mut artifact)?;
            }
        }
        artifact.target = Some(s.target);
        let mut log =
            std::mem::take(&mut s.log).into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Functions are worked on at once; the record does not show in which order.
        log.sort_by_key(|&(stage, function, ..)| (stage, function));
        for (stage, _, notes, text) in log {
            if let Some(text) = text.filter(|_| s.print_after.contains(&stage)) {
                artifact.printed.push((stage, notes.function.clone().unwrap_or_default(), text));
            }
            artifact.notes.push((stage, notes));
        }
        let mut drawn =
            std::mem::take(&mut s.drawn).into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        drawn.sort();
        artifact.dumps = drawn.into_iter().map(|(.., text)| text).collect();
        if let Some(planted) =
            s.plant.filter(|_| artifact.notes.iter().all(|(_, notes)| notes.planted.is_none()))
        {
            artifact.warnings.push(Warning::NoPlace { fault: planted.fault.name });
        }
        Ok(artifact)
    }

    /// A text that somebody gives is held to what its phase promises, as the phase's own work is; but then the input is wrong, not we.
    fn judged(&self, name: &str, stage: Stage, form: Form<'_>) -> Result<(), Failure> {
        // What was left out promises nothing.
        let passes =
            ["LoopMakeSingleEntry"].into_iter().filter(|p| !self.options.disabled.iter().any(|d| d == p));
        let notes = Notes { numbers: passes.map(|p| (p, 0)).collect(), ..Notes::default() };
        self.observer
            .observe(stage, None, form, &notes)
            .map_err(|objection| Failure::Text(format!("{name}: {objection}")))
    }

    /// A text of a later phase names lines of PTX, and no longer what they come from.
    fn without_source(&self) -> Result<(), Failure> {
        match self.options.line_info {
            true => Err(Failure::Request("option `--generate-line-info`: line information is made from PTX, not from the text of a later phase".into())),
            false => Ok(()),
        }
    }

    /// `--stop-after` must name a phase behind the text's.
    fn behind(&self, start: Stage) -> Result<(), Failure> {
        match self.stop_after.filter(|&stop| stop <= start) {
            Some(stop) => Err(Failure::Request(format!(
                "the text is of phase {start}; --stop-after {stop} lies before it"
            ))),
            None => Ok(()),
        }
    }

    fn front(
        &self,
        module: &ptx::checked::Module,
        source: &str,
        name: &str,
        artifact: &mut Artifact,
    ) -> Result<(), Failure> {
        self.done(Stage::Parse, 0, None, Form::Ptx(module), Notes::default())?;
        front::warn(module, self.options, &mut artifact.warnings);
        artifact.remarks.extend(front::left_out(module));
        if matches!(self.options.arch, Some(Arch::Virtual(_))) {
            return Ok(());
        }
        if self.stop_after == Some(Stage::Parse) {
            artifact.stopped = Some(text::ptx(source, name));
            return Ok(());
        }
        front::entries_exist(module, self.options)?;
        let before = module;
        let mut module = front::lower(before, self.options, self.target.chip, source, name)?;
        let planted = self.plant.filter(|p| p.in_ir(&mut module)).map(|p| p.fault.name.to_owned());
        let notes = Notes { planted, ..Notes::default() };
        self.done(Stage::Lower, 0, Some(Form::Ptx(before)), Form::Ir(&module), notes)?;
        if self.stop_after == Some(Stage::Lower) {
            artifact.stopped = Some(text::ir(&module, Stage::Lower));
            return Ok(());
        }
        self.middle(module, artifact)
    }

    fn middle(&self, lowered: ir::Module, artifact: &mut Artifact) -> Result<(), Failure> {
        let before = self.observer.wants_before(Stage::Optimise).then(|| lowered.clone());
        let (module, notes) =
            front::optimise(lowered, self.options, self.chip(), self.observer, self.parallel)?;
        self.done(Stage::Optimise, 0, before.as_ref().map(Form::Ir), Form::Ir(&module), notes)?;
        if self.stop_after == Some(Stage::Optimise) {
            artifact.stopped = Some(text::ir(&module, Stage::Optimise));
            return Ok(());
        }
        self.back(&module, artifact)
    }

    fn back(&self, module: &ir::Module, artifact: &mut Artifact) -> Result<(), Failure> {
        let wanted =
            |f: &ir::Function| self.options.entries.is_empty() || self.options.entries.contains(&f.name);
        let bounds: Vec<Bounds> = module
            .functions
            .iter()
            .map(|f| {
                let directives = Directives {
                    registers: f.maxnreg,
                    threads: f.maxntid,
                    exact_threads: f.reqntid,
                    blocks: f.minnctapersm,
                };
                bounds(&f.name, directives, self.options, self.chip())
            })
            .collect();
        artifact.warnings.extend(bounds.iter().flat_map(|b| b.warnings.iter().cloned()));
        let layout = Layout::new(module);
        self.fits(module, &layout, &wanted)?;
        let results = self.functions(module, &layout, &bounds, &wanted)?;
        self.assembled(module, &layout, &bounds, results, artifact)
    }

    /// What a chip has of each memory.
    fn fits(
        &self,
        module: &ir::Module,
        layout: &Layout,
        wanted: &dyn Fn(&ir::Function) -> bool,
    ) -> Result<(), Failure> {
        let limits = self.chip().limits();
        let check = |who: String, what: &str, used: u64, most: u32| {
            if used <= u64::from(most) {
                return Ok(());
            }
            let target = self.target;
            Err(Failure::Limit(format!("{who} takes {used} bytes of {what}; {target} has {most}")))
        };
        check("the module".into(), "constant memory", layout.constants, limits.constant_bytes)?;
        check("the module".into(), "addresses", 8 * layout.addresses.len() as u64, limits.constant_bytes)?;
        for (index, f) in module.functions.iter().enumerate().filter(|(_, f)| wanted(f)) {
            let who = || format!("`{}`", f.name);
            check(who(), "static shared memory", layout.shared[index], limits.static_shared_bytes)?;
            check(who(), "local memory", layout.local[index], limits.local_bytes_per_thread)?;
            check(who(), "parameters", f.param_size.into(), limits.parameter_bytes)?;
        }
        Ok(())
    }

    /// The way of one function of machine code that came as a text. What its text does not say of parameters is one of
    /// their size.
    fn end(&self, function: machine::Function, stage: Stage, artifact: &mut Artifact) -> Result<(), Failure> {
        if let Some(bank) = function.insts().filter_map(|(_, _, inst)| inst.inst()).find_map(variable_bank) {
            let what = format!(
                "machine code as text that names variables (constant bank {bank}); start from IR instead"
            );
            return Err(Failure::Unsupported { stage, function: Some(function.name.clone()), what });
        }
        let mut stub = ir::Function::new(function.name.clone());
        stub.param_size = function.param_bytes;
        if function.param_bytes > 0 {
            stub.params.push(ir::Param { offset: 0, size: function.param_bytes, align: 8 });
        }
        let shared = vec![u64::from(function.shared_bytes)];
        let layout = Layout { shared, local: vec![function.frame.local_bytes.into()], ..Layout::default() };
        let module = ir::Module { functions: vec![stub], ..ir::Module::default() };
        let bounds = [Bounds { registers: function.max_registers, stated: 0xff, ..Bounds::default() }];
        let entry = Entry { name: function.name.clone(), ..Entry::default() };
        let finished = self.machine(function, 0, stage, entry)?;
        self.assembled(&module, &layout, &bounds, vec![Some(finished)], artifact)
    }

    fn assembled(
        &self,
        module: &ir::Module,
        layout: &Layout,
        bounds: &[Bounds],
        results: Vec<Option<Finished>>,
        artifact: &mut Artifact,
    ) -> Result<(), Failure> {
        if let Some(stage) = self.stop_after.filter(|&s| s < Stage::Assemble) {
            let texts: Vec<String> = results.into_iter().flatten().filter_map(|r| r.text).collect();
            let [text] = &texts[..] else {
                let what = format!(
                    "--stop-after {stage} gives one function's text, and {} were compiled",
                    texts.len()
                );
                return Err(Failure::Request(format!("{what}; choose one with -e")));
            };
            artifact.stopped = Some(text.clone());
            return Ok(());
        }
        let codes: Vec<_> = results.iter().map(|r| r.as_ref().map(|r| r.code.clone())).collect();
        let fail = |what: String| Failure::Internal { stage: Stage::Assemble, function: None, what };
        let accelerated = self.target.features == sassafras_chip::Features::Architecture;
        let producer = Producer {
            options: format!(
                "-arch {} {}",
                self.target,
                if self.options.line_info { "-lineinfo " } else { "" }
            ),
            virtual_sm: self.chip().number() as u16,
            ..Producer::default()
        };
        let mut cubin = assemble(module, layout, &codes, bounds, self.chip(), accelerated, producer)
            .map_err(|why| fail(why.to_string()))?;
        let mut written = cubin.clone();
        let mut planted = self.plant.filter(|p| p.in_cubin(&mut written)).map(|p| p.fault.name.to_owned());
        if let Some(source) = &self.source {
            let mut lines = source.lines(&cubin, &results);
            lines::attach(&mut cubin, &lines).map_err(|e| fail(e.to_string()))?;
            if let Some(plant) = self.plant.filter(|p| p.in_lines(&mut lines)) {
                planted = Some(plant.fault.name.to_owned());
            }
            lines::attach(&mut written, &lines).map_err(|e| fail(e.to_string()))?;
        }
        let bytes = sassafras_emit::write(&written).map_err(|e| match e {
            sassafras_cubin::Error::Unsupported { .. } => {
                Failure::Unsupported { stage: Stage::Assemble, function: None, what: e.to_string() }
            }
            sassafras_cubin::Error::Malformed { .. } => fail(e.to_string()),
        })?;
        let notes = Notes { planted, ..Notes::default() };
        self.done(Stage::Assemble, 0, None, Form::Cubin(&cubin, &bytes), notes)?;
        let functions: HashMap<&str, _> = cubin.functions.iter().map(|f| (f.name.as_str(), f)).collect();
        for mut entry in results.into_iter().flatten().map(|r| r.entry) {
            if let Some(f) = functions.get(entry.name.as_str()) {
                entry.registers = f.registers;
                entry.barriers = f.barriers.into();
                entry.frame = f.frame_size;
                entry.shared = f.shared.map_or(0, |s| s.size);
                let threads = f.required_threads.or(f.max_threads);
                entry.threads =
                    threads.map(|shape| shape.iter().fold(1, |all: u32, &n| all.saturating_mul(n)));
                entry.occupancy = Some(self.chip().occupancy(f.registers, entry.shared, entry.threads));
            }
            self.warn_about(&entry, &mut artifact.warnings);
            artifact.entries.push(entry);
        }
        artifact.cubin = Some((cubin, bytes));
        Ok(())
    }

    fn warn_about(&self, entry: &Entry, warnings: &mut Vec<Warning>) {
        let spilled = entry.spill_stores + entry.spill_loads > 0;
        if self.options.warn_spills && spilled {
            let (stores, loads) = (entry.spill_stores, entry.spill_loads);
            warnings.push(Warning::Spills { function: entry.name.clone(), stores, loads });
        }
        if self.options.warn_local && entry.frame > 0 {
            warnings.push(Warning::Local { function: entry.name.clone(), bytes: entry.frame });
        }
    }

    fn chip(&self) -> Chip {
        self.target.chip
    }

    /// Notes a phase and lets the observer look.
    fn done(
        &self,
        stage: Stage,
        function: usize,
        before: Option<Form<'_>>,
        after: Form<'_>,
        notes: Notes,
    ) -> Result<(), Failure> {
        let text = self.print_after.contains(&stage).then(|| text::form(after, stage));
        if let Some(text) = self.dumps.of(stage, after) {
            let mut drawn = self.drawn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            drawn.push((stage, function, text));
        }
        self.observer.observe(stage, before, after, &notes)?;
        let mut log = self.log.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        log.push((stage, function, notes, text));
        Ok(())
    }

    /// Times a phase of one function.
    fn timed<T>(entry: &mut Entry, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        entry.time += start.elapsed();
        result
    }
}

/// The bank of variables (3) or of addresses (4) that an instruction names.
fn variable_bank(inst: &Inst) -> Option<u64> {
    let fields = inst.row().fields.iter().zip(&inst.fields);
    let named = |f: &Field| f.name == "bank" || f.kind == FieldKind::Bank;
    fields.into_iter().find(|(f, v)| named(f) && matches!(**v, 3 | 4)).map(|(_, &v)| v)
}
