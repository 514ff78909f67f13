//! From selectable IR to words, one function at a time, all of them at once.

use sassafras_chip::abi;
use sassafras_codegen::{self as codegen, Code, select};
use sassafras_ir as ir;
use sassafras_machine as machine;
use sassafras_opt::{Choices, Level, pipeline};

use super::finished::{Finished, RESERVED_TAILS, UNSTRUCTURED};
use super::{Session, text};
use crate::Failure;
use crate::level;
use crate::limits::Bounds;
use crate::observe::{Form, Notes};
use crate::options::Options;
use crate::phase::Stage;
use crate::statistics::Entry;

/// The usage of registers (`Options::register_usage`) at which routines are put in order: the numbers of `abi::routine::registers` are enough at this one.
const ROUTINE_USAGE: u32 = 4;

/// Statistics of a stage, as names and numbers.
type Numbers = Vec<(&'static str, u64)>;

/// What a stage says about its work.
#[derive(Default)]
struct Done {
    numbers: Numbers,
    merges: Vec<machine::Merge>,
}

type Step = fn(&mut machine::Function, &Options) -> Result<Done, codegen::Error>;

/// The stages that change a function of machine code, in order.
const STEPS: [(Stage, Step); 8] = [
    (Stage::Prepare, |m, _| {
        let s = codegen::prepare(m)?;
        Ok(numbers([
            ("cut", s.cut),
            ("unreachable", s.unreachable),
            ("split", s.split),
            ("uniform", s.uniform),
        ]))
    }),
    (Stage::Arrange, |m, options| {
        let left_out = options.disabled.iter().any(|name| name == codegen::ARRANGE);
        if left_out || !level::runs(options, codegen::ARRANGE) && !level::runs(options, level::SEARCH) {
            return Ok(Done::default());
        }
        let s = codegen::arrange(m, level::effort(options))?;
        Ok(numbers([("moved", s.moved), ("live_before", s.before), ("live_after", s.after)]))
    }),
    (Stage::Allocate, |m, _| {
        let s = codegen::allocate(m)?;
        let registers = ("registers", s.registers as usize);
        let moves = [("copies", s.copies), ("spills", s.spills), ("reloads", s.reloads)];
        let [copies, spills, reloads] = moves;
        Ok(numbers([
            ("rounds", s.rounds),
            ("spilled", s.spilled),
            ("made_again", s.again),
            copies,
            spills,
            reloads,
            registers,
        ]))
    }),
    (Stage::Expand, |m, _| {
        let s = codegen::expand(m)?;
        let groups = [("serialised", s.serialised), ("fenced", s.fenced)];
        Ok(numbers([("expanded", s.expanded), ("frame", s.frame as usize), groups[0], groups[1]]))
    }),
    (Stage::Fold, |m, options| {
        let left_out = options.disabled.iter().any(|name| name == codegen::BRANCH_FOLDER);
        if left_out || !options.merge_blocks || !level::runs(options, codegen::BRANCH_FOLDER) {
            return Ok(Done::default());
        }
        let s = codegen::fold(m, &options.knobs.folding)?;
        let hoisted = s.merges.iter().filter(|merge| merge.hoisted).count();
        let mut done = numbers([
            ("tails", s.merges.len() - hoisted),
            ("hoisted", hoisted),
            ("saved", s.saved),
            ("same", s.same),
            ("joined", s.joined),
            ("unreachable", s.unreachable),
            ("rounds", s.rounds),
        ]);
        let kept = |gate| s.rejected.iter().filter(|&&by| by == gate).count() as u64;
        done.numbers.extend(codegen::fold::Gate::ALL.map(|gate| (gate.name(), kept(gate))));
        if options.knobs.folding.reserved {
            done.numbers.push((RESERVED_TAILS, 1));
        }
        if options.knobs.folding.unstructured {
            done.numbers.push((UNSTRUCTURED, 1));
        }
        Ok(Done { merges: s.merges, ..done })
    }),
    (Stage::Converge, |m, _| {
        let s = codegen::converge(m)?;
        Ok(numbers([
            ("divergent", s.divergent),
            ("placed", s.placed),
            ("left_out", s.left_out),
            ("depth", s.depth),
        ]))
    }),
    (Stage::Layout, |m, options| layout(m, options, None)),
    (Stage::Schedule, |m, _| {
        let s = codegen::schedule(m)?;
        let stalls = usize::try_from(s.stalls).unwrap_or(usize::MAX);
        Ok(numbers([("moved", s.moved), ("waits", s.waits), ("nops", s.nops), ("stalls", stalls)]))
    }),
];

/// How layout is asked to order blocks.
fn choices<'a>(options: &'a Options, counts: Option<&'a codegen::Counts>) -> codegen::LayoutChoices<'a> {
    let wanted = |part: &str| !options.disabled.iter().any(|name| name == part);
    let cold = codegen::ColdChoices {
        mark: wanted(codegen::MARK_COLD),
        out_of_loops: wanted(codegen::OUT_OF_LOOPS),
        to_the_end: wanted(codegen::TO_THE_END),
    };
    codegen::LayoutChoices { cold, place: wanted(codegen::PLACEMENT), knobs: &options.knobs, counts }
}

/// The order of blocks, by a profile if there is one.
fn layout(
    m: &mut machine::Function,
    options: &Options,
    counts: Option<&codegen::Counts>,
) -> Result<Done, codegen::Error> {
    let d = codegen::duplicate(m, choices(options, counts), options.effective_level())?;
    let s = codegen::layout_with(m, choices(options, d.counts.as_ref()))?;
    let copied = ("duplicated", d.copies.len());
    let settled = ("settled", s.settled.redundant + s.settled.turned + s.settled.moved);
    let mut all = numbers([("cold", s.cold), ("jumps", s.jumps), ("inverted", s.inverted), copied, settled]);
    let profiled = counts.map(|_| ("profiled", 1));
    all.numbers.extend(profiled.into_iter().chain(s.branches.iter().flat_map(branches)));
    Ok(all)
}

/// `block-placement-stats`; executions are rounded.
fn branches(s: &sassafras_placement::Statistics) -> Numbers {
    vec![
        ("conditional", s.conditional),
        ("conditional_taken", s.conditional_taken.round() as u64),
        ("unconditional", s.unconditional),
        ("unconditional_taken", s.unconditional_taken.round() as u64),
    ]
}

impl Session<'_> {
    /// What a profile says of a function in front of layout: the code is made as it is without one, and the profile has to be of this code.
    fn counts(&self, m: &machine::Function) -> Result<Option<codegen::Counts>, Failure> {
        let Some(profile) = self.options.counted.as_ref().filter(|profile| profile.has(&m.name)) else {
            return Ok(None);
        };
        let mut placed = m.clone();
        let made = layout(&mut placed, self.options, None)
            .and_then(|_| codegen::schedule(&mut placed))
            .map_err(|e| broken(Stage::Layout, m, &e));
        made?;
        let routines = self.routines(&placed, &mut Entry::default())?;
        let made = codegen::emit(&placed, &routines);
        let code = made.map_err(|e| broken(Stage::Layout, m, &e))?;
        profile.counts(&placed, &code).map_err(|why| Failure::Text(why.to_string()))
    }

    /// Compiles every function that is wanted; the result stands in the module's order.
    pub(super) fn functions(
        &self,
        module: &ir::Module,
        layout: &select::Layout,
        bounds: &[Bounds],
        wanted: &(dyn Fn(&ir::Function) -> bool + Sync),
    ) -> Result<Vec<Option<Finished>>, Failure> {
        if let Some(profile) = &self.options.counted {
            let names: Vec<&str> = module.functions.iter().map(|f| f.name.as_str()).collect();
            profile.is_of(&names).map_err(|why| Failure::Text(why.to_string()))?;
        }
        let work = |(index, f): (usize, &ir::Function)| {
            wanted(f).then(|| self.function(module, f, index, layout, &bounds[index])).transpose()
        };
        let results = super::threads::map(self.parallel, module.functions.iter().enumerate(), work);
        // Of several failures the first function's is told, whichever came first.
        results.into_iter().collect()
    }

    fn function(
        &self,
        module: &ir::Module,
        f: &ir::Function,
        index: usize,
        layout: &select::Layout,
        bounds: &Bounds,
    ) -> Result<Finished, Failure> {
        let mut entry = Entry { name: f.name.clone(), ..Entry::default() };
        let chip = self.chip();
        let mut m =
            Self::timed(&mut entry, || select::select(module, f, layout, chip)).map_err(|e| match &e {
                select::Error::NoRule { .. } => Failure::Unsupported {
                    stage: Stage::Select,
                    function: Some(f.name.clone()),
                    what: super::lacking::sentence(&e, f, self.ptx, self.target),
                },
                select::Error::Rule { .. } => Failure::Internal {
                    stage: Stage::Select,
                    function: Some(f.name.clone()),
                    what: e.to_string(),
                },
            })?;
        let reserved = chip.limits().reserved_registers;
        m.max_registers = bounds.registers.saturating_sub(reserved).min(m.max_registers);
        let planted = self.plant(Stage::Select, &mut m);
        self.machine_done(Stage::Select, index, None, &m, Done::default(), planted)?;
        if self.stop_after == Some(Stage::Select) {
            let text = Some(text::form(Form::Machine(&m), Stage::Select));
            return Ok(Finished { code: Code::default(), entry, text });
        }
        self.machine(m, index, Stage::Select, entry)
    }

    /// The routines that a function calls, scheduled. The judges see each stage of each.
    fn routines(
        &self,
        m: &machine::Function,
        entry: &mut Entry,
    ) -> Result<Vec<(u8, machine::Function)>, Failure> {
        let one = |number: u8| {
            let mut known = self.routines.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Some(routine) = known.get(&number) {
                return Ok((number, routine.clone()));
            }
            let routine = self.routine(number, entry)?;
            known.insert(number, routine.clone());
            Ok((number, routine))
        };
        codegen::routines(m).into_iter().map(one).collect()
    }

    /// One routine.
    fn routine(&self, number: u8, entry: &mut Entry) -> Result<machine::Function, Failure> {
        let name = format!("routine {number}");
        let fail = |stage, what: String| Failure::Internal { stage, function: Some(name.clone()), what };
        let routine = sassafras_semantics::Routine::numbered(number);
        let routine = routine.ok_or_else(|| fail(Stage::Select, "there is none of this number".into()))?;
        let mut body = sassafras_opt::legalize::body(routine);
        let level = if self.options.effective_level() == 0 { Level::O0 } else { Level::O1 };
        let made = pipeline(&mut body, Choices::from(level), &mut |_, _, _| ());
        made.map_err(|refused| {
            let what: Vec<String> = refused.iter().map(ToString::to_string).collect();
            fail(Stage::Optimise, what.join("; "))
        })?;
        let module = ir::Module { functions: vec![body], ..ir::Module::default() };
        let layout = select::Layout::new(&module);
        let selected = select::select(&module, &module.functions[0], &layout, self.chip());
        let mut m = selected.map_err(|e| fail(Stage::Select, e.to_string()))?;
        m.max_registers = abi::routine::registers(number).into();
        // What it needs must not depend on what a kernel is to be compiled for.
        let options = &Options {
            register_usage: ROUTINE_USAGE,
            disabled: self.options.disabled.clone(),
            ..Options::default()
        };
        let index = usize::MAX - usize::from(number);
        self.machine_done(Stage::Select, index, None, &m, Done::default(), None)?;
        for (stage, step) in STEPS {
            let before = self.observer.wants_before(stage).then(|| m.clone());
            let done = Self::timed(entry, || step(&mut m, options)).map_err(|e| broken(stage, &m, &e))?;
            self.machine_done(stage, index, before.as_ref(), &m, done, None)?;
        }
        if m.layout.len() != 1 || m.frame.size() > 0 {
            let what = format!("it has {} blocks, and a frame of {} bytes", m.layout.len(), m.frame.size());
            return Err(fail(Stage::Schedule, what));
        }
        Ok(m)
    }

    /// Runs the stages behind `after` on one function.
    pub(super) fn machine(
        &self,
        mut m: machine::Function,
        index: usize,
        after: Stage,
        mut entry: Entry,
    ) -> Result<Finished, Failure> {
        for (stage, step) in STEPS.iter().copied().filter(|&(stage, _)| stage > after) {
            let before = self.observer.wants_before(stage).then(|| m.clone());
            let counts = if stage == Stage::Layout { self.counts(&m)? } else { None };
            let work = || match &counts {
                Some(counts) => layout(&mut m, self.options, Some(counts)),
                None => step(&mut m, self.options),
            };
            let done = Self::timed(&mut entry, work).map_err(|e| broken(stage, &m, &e))?;
            if stage == Stage::Allocate {
                let of = |name| done.numbers.iter().find(|n| n.0 == name).map_or(0, |n| n.1);
                (entry.spill_stores, entry.spill_loads) = (4 * of("spills"), 4 * of("reloads"));
            }
            let planted = self.plant(stage, &mut m);
            self.machine_done(stage, index, before.as_ref(), &m, done, planted)?;
            if self.stop_after == Some(stage) {
                let text = Some(text::form(Form::Machine(&m), stage));
                return Ok(Finished { code: Code::default(), entry, text });
            }
        }
        let routines = self.routines(&m, &mut entry)?;
        let mut code = Self::timed(&mut entry, || codegen::emit(&m, &routines))
            .map_err(|e| broken(Stage::Emit, &m, &e))?;
        entry.instructions = m.insts().count() as u64;
        entry.heads = std::mem::take(&mut code.heads);
        let numbers = vec![("words", code.words.len() as u64)];
        let planted =
            self.plant.filter(|p| p.in_words(&mut code.words, m.chip)).map(|p| p.fault.name.to_owned());
        let notes = Notes { function: Some(m.name.clone()), numbers, planted, ..Notes::default() };
        self.done(
            Stage::Emit,
            index,
            Some(Form::Machine(&m)),
            Form::Words(&m, &routines, &code.words),
            notes,
        )?;
        let stop = self.stop_after == Some(Stage::Emit);
        let text = stop.then(|| text::form(Form::Words(&m, &routines, &code.words), Stage::Emit));
        Ok(Finished { code, entry, text })
    }

    /// Makes the fault that `--plant` asks for, where it belongs behind this stage and finds a place.
    fn plant(&self, stage: Stage, m: &mut machine::Function) -> Option<String> {
        let planted = self.plant?;
        planted.in_machine(stage, m).then(|| planted.fault.name.to_owned())
    }

    fn machine_done(
        &self,
        stage: Stage,
        index: usize,
        before: Option<&machine::Function>,
        m: &machine::Function,
        done: Done,
        planted: Option<String>,
    ) -> Result<(), Failure> {
        let Done { numbers, merges } = done;
        let notes = Notes { function: Some(m.name.clone()), numbers, merges, planted };
        self.done(stage, index, before.map(Form::Machine), Form::Machine(m), notes)
    }
}

fn numbers<const N: usize>(rows: [(&'static str, usize); N]) -> Done {
    let numbers = rows.into_iter().map(|(name, n)| (name, n as u64)).collect();
    Done { numbers, merges: Vec::new() }
}

fn broken(stage: Stage, m: &machine::Function, error: &codegen::Error) -> Failure {
    let (function, what) = (Some(m.name.clone()), error.to_string());
    match error {
        codegen::Error::TooFewRegisters { .. }
        | codegen::Error::OutOfRegisters { .. }
        | codegen::Error::TooManyBarriers { .. } => Failure::Unsupported { stage, function, what },
        _ => Failure::Internal { stage, function, what },
    }
}
