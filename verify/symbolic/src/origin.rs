//! What a cubin is held against: an entry of a PTX module, or one of another cubin.

pub use crate::trace::done::Trace;

use crate::assumption::Assumption;
use crate::beyond;
use crate::beyond::Clusters;
use crate::choice::Payloads;
use crate::cut::{Cutting, Unfold};
use crate::inputs::{Inputs, Shape};
use crate::obstacle::container::Container;
use crate::obstacle::memory::Memory;
use crate::obstacle::nothing::Nothing;
use crate::obstacle::place::{Place, Side as Which};
use crate::obstacle::source::Source;
use crate::obstacle::target::Target;
use crate::obstacle::{Located, Obstacle};
use crate::places::{self, Placed};
use crate::ptx::approximate::{Estimated, Estimates};
use crate::ptx::calls::{Program, reachable};
use crate::ptx::contract::{Fused, Sites, contractible};
use crate::ptx::source;
use crate::sass::flow;
use crate::sass::target;
use crate::sass::target::{Request, Role};
use crate::trace::facts::{Facts, Reading};
use crate::trace::fences::Weakened;
use crate::trace::loops::{Flow, Loops};
use rustc_hash::FxHashSet;
use sassafras_chip::Chip;
use sassafras_cubin::Cubin;
use sassafras_hazards::{Verdict, astray, check_words_with};
use sassafras_ptx::checked::{Function, Inst, Module, Op, Operand, Type, Variable};
use sassafras_semantics::{Axis, CompareOp, Domain, FloatFormat, Space, SpecialRegister, TermId};
use std::collections::BTreeSet;

/// The source of a comparison.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'a> {
    /// An entry of a module.
    Ptx {
        /// The module.
        module: &'a Module,
        /// The entry.
        function: &'a Function,
    },
    /// An entry of a cubin.
    Code {
        /// The cubin.
        cubin: &'a Cubin,
        /// The entry.
        code: &'a sassafras_cubin::Function,
    },
}

/// What a source does of what it may do.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// What is fused.
    pub fused: Fused,
    /// By which lemmas it approximates.
    pub estimated: Estimated,
}

/// What a source may do in several ways.
#[derive(Default)]
pub struct Freedom<'a> {
    /// What NaNs are whose payload it leaves open.
    pub payloads: Payloads,
    /// Terms of the target: what is among them is fused. None: as `ways` says.
    pub like: Option<&'a FxHashSet<TermId>>,
    /// All terms that the target writes or does something with: approximations that are among them are these. None: as
    /// `ways` says.
    pub written: Option<&'a FxHashSet<TermId>>,
    /// What is done, if it was said before.
    pub ways: Ways,
    /// Shared variables of functions lie before those of the module, instead of behind them.
    pub own_first: bool,
    /// Atomic operations are changes of words.
    pub updates: bool,
    /// Where local variables lie, of those of which that is decided.
    pub placed: &'a [Placed],
    /// Loops that are cut.
    pub cutting: Cutting<'a>,
}

impl<'a> Origin<'a> {
    /// The entry of a module.
    pub fn of_module(module: &'a Module, name: &str) -> Option<Origin<'a>> {
        let function = module.functions.iter().find(|f| f.entry && f.name == name && f.insts.is_some())?;
        Some(Origin::Ptx { module, function })
    }

    /// The entry of a cubin.
    pub fn of_cubin(cubin: &'a Cubin, name: &str) -> Option<Origin<'a>> {
        let code = cubin.functions.iter().find(|f| f.entry && f.name == name)?;
        Some(Origin::Code { cubin, code })
    }

    /// Why a cubin is not for what it is written for, if it is not: PTX runs on its target and on later chips, with an `a` on that one alone; code on its own.
    pub fn excludes(self, cubin: &Cubin) -> Option<Nothing> {
        let has = |source: &str| {
            let suffix = if cubin.accelerated { "a" } else { "" };
            let target = format!("sm_{}{suffix}", cubin.sm).into();
            Some(Nothing::OtherChip { source: source.into(), target })
        };
        match self {
            Origin::Ptx { module, .. } => {
                let name = module.target.strip_prefix("sm_")?;
                let least: u32 = name.trim_end_matches(|c: char| c.is_ascii_lowercase()).parse().ok()?;
                let fits = match name.ends_with('a') {
                    true => least == cubin.sm && cubin.accelerated,
                    false => least <= cubin.sm,
                };
                if fits { None } else { has(&module.target) }
            }
            Origin::Code { cubin: source, .. } if source.sm == cubin.sm => None,
            Origin::Code { cubin: source, .. } => has(&format!("sm_{}", source.sm)),
        }
    }

    /// A place in it, for people: a line of PTX, or the byte offset of an instruction.
    pub fn place(self, at: u64) -> Place {
        match self {
            Origin::Ptx { .. } => Place::Line(at),
            Origin::Code { .. } => Place::SourceOffset(at),
        }
    }

    /// The shape of blocks that it demands.
    pub fn required_threads(self) -> Option<[u32; 3]> {
        match self {
            Origin::Ptx { function, .. } => function.reqntid,
            Origin::Code { code, .. } => code.required_threads,
        }
    }

    /// What it says of the blocks that it may be launched in.
    pub fn blocks(self) -> Shape {
        let most = match self {
            Origin::Ptx { function, .. } => function.maxntid,
            Origin::Code { code, .. } => code.max_threads,
        };
        let threads = |n: [u32; 3]| n.into_iter().try_fold(1u32, u32::checked_mul).filter(|n| *n > 0);
        Shape { required: self.required_threads(), most: most.and_then(threads) }
    }

    /// Whether a launch must say that it is one of clusters.
    pub fn in_clusters(self) -> bool {
        match self {
            Origin::Ptx { function, .. } => Clusters::of_source(function),
            Origin::Code { code, .. } => Clusters::of_code(code),
        }
        .explicit
    }

    /// Offsets of parameters of eight bytes at multiples of eight: those that may be pointers.
    pub fn wide_params(self) -> Vec<u64> {
        let all: Vec<(u32, u32)> = match self {
            Origin::Ptx { function, .. } => function.params.iter().map(|p| (p.offset, p.size)).collect(),
            Origin::Code { code, .. } => code.params.iter().map(|p| (p.offset.into(), p.size)).collect(),
        };
        all.into_iter().filter(|(at, size)| *size == 8 && at % 8 == 0).map(|(at, _)| at.into()).collect()
    }

    /// Its parameters: name, offset and size in bytes.
    pub fn params(self) -> Vec<(String, u32, u32)> {
        match self {
            Origin::Ptx { function, .. } => {
                function.params.iter().map(|p| (p.name.clone(), p.offset, p.size)).collect()
            }
            Origin::Code { code, .. } => {
                let mut all: Vec<_> = code.params.iter().collect();
                all.sort_by_key(|p| p.ordinal);
                all.iter().map(|p| (format!("parameter {}", p.ordinal), p.offset.into(), p.size)).collect()
            }
        }
    }

    /// Local variables of PTX; functions stand within themselves `deep` times.
    pub fn variables(self, deep: u32) -> Vec<places::Variable> {
        let Origin::Ptx { module, function } = self else { return Vec::new() };
        let frames = Program::new(module, function, deep).map_or_else(|_| Vec::new(), |p| p.frames);
        let all = frames.iter().enumerate().flat_map(|(frame, f)| {
            let own = f.function.variables.iter().enumerate().filter(|(_, v)| v.space == Space::Local);
            own.map(move |(i, v)| places::Variable { frame, index: i as u32, size: v.size, align: v.align })
        });
        all.collect()
    }

    /// Where its local memory lies: base, 32 bits, and size in bytes. `top` is that of the stack; functions stand within themselves `deep` times.
    pub fn locals(self, inputs: &Inputs<'_>, top: TermId, deep: u32) -> Vec<(TermId, u64)> {
        match self {
            Origin::Ptx { .. } => {
                let at = |v: &places::Variable| inputs.local(v.frame, v.index);
                self.variables(deep).iter().map(|v| (at(v), v.size)).collect()
            }
            Origin::Code { code, .. } => {
                let (d, bytes) = (inputs.terms, target::declared_stack(code));
                vec![(d.sub(&top, &d.constant(32, bytes.into())), bytes.into())]
            }
        }
    }

    /// The instructions of PTX that may run, those of functions that are called among them.
    fn insts(self) -> Vec<&'a Inst> {
        let Origin::Ptx { module, function } = self else { return Vec::new() };
        reachable(module, function).into_iter().flat_map(|f| f.insts.iter().flatten()).collect()
    }

    /// A-ADDR for local memory: no variable of the source, and no stack of `bytes` bytes below `top`, reaches over the end of the space.
    pub fn placed(self, inputs: &Inputs<'_>, top: TermId, (bytes, deep): (u32, u32)) -> Vec<TermId> {
        let d = inputs.terms;
        let below = |base: &TermId, size: u64| {
            d.compare(CompareOp::ULe, base, &d.constant(32, (1u128 << 32) - u128::from(size.max(1))))
        };
        let mut all: Vec<TermId> =
            self.locals(inputs, top, deep).iter().map(|(base, size)| below(base, *size)).collect();
        if !all.is_empty() {
            all.push(d.compare(CompareOp::ULe, &d.constant(32, bytes.into()), &top));
        }
        all
    }

    /// Whether its functions call themselves, so that no cubin can say how much stack they take.
    pub fn recurses(self) -> bool {
        match self {
            Origin::Ptx { module, function } => crate::ptx::calls::recurses(module, function),
            Origin::Code { .. } => false,
        }
    }

    /// Whether functions that call themselves can be written out so that they stand within themselves `deep` times.
    pub fn is_written_out(self, deep: u32) -> bool {
        match self {
            Origin::Ptx { module, function } => Program::new(module, function, deep).is_ok(),
            Origin::Code { .. } => true,
        }
    }

    /// Bytes of stack that a target has for it: what its cubin declares; where the source calls itself, all that a thread may have (A-STACK).
    pub fn stack(self, cubin: &Cubin, code: &sassafras_cubin::Function) -> u32 {
        let most = Chip::from_number(cubin.sm).map(|chip| chip.limits().local_bytes_per_thread);
        most.filter(|_| self.recurses()).unwrap_or_else(|| target::declared_stack(code))
    }

    /// Whether lanes may look at each other, so that it matters which there are. Of code it is not said.
    pub fn looks_across(self) -> bool {
        use Op::{Activemask, Bar, Elect, Ldmatrix, Match, Mma, Movmatrix, Redux, Shfl, Stmatrix, Vote};
        let across = |inst: &&Inst| {
            matches!(
                inst.op,
                Activemask
                    | Bar
                    | Elect
                    | Ldmatrix
                    | Match
                    | Mma
                    | Movmatrix
                    | Redux
                    | Shfl
                    | Stmatrix
                    | Vote
            )
        };
        match self {
            Origin::Ptx { .. } => self.insts().iter().any(across),
            Origin::Code { .. } => true,
        }
    }

    /// What it says that decides how code of a target is read.
    pub fn request<'e>(self, target: &Cubin, weakened: &'e [Weakened]) -> Request<'e> {
        let facts = match self {
            Origin::Ptx { .. } => Facts::of(&self.insts(), crate::trace::bank::has_barrier_unit(target)),
            Origin::Code { cubin, code } => Facts::of_code(cubin, code),
        };
        Request { facts: Facts { room: self.room(), ..facts }, weakened, ..Request::default() }
    }

    /// Bytes of its largest local variable; of code, of its stack.
    fn room(self) -> u32 {
        match self {
            Origin::Ptx { module, function } => {
                let all = reachable(module, function).into_iter().flat_map(|f| &f.variables);
                let largest = all.filter(|v| v.space == Space::Local).map(|v| v.size).max();
                largest.and_then(|size| u32::try_from(size).ok()).unwrap_or(0)
            }
            Origin::Code { code, .. } => target::declared_stack(code),
        }
    }

    /// Whether it has quotients of long integers, or upper halves of products with constants, which such quotients are made of.
    pub fn divides(self) -> bool {
        let long = |i: &Inst| crate::abstracted::divides(i) || crate::ptx::upper::multiplies(i).is_some();
        self.insts().into_iter().any(long)
    }

    /// Why sums and products of floats may have several results: PTX ISA, `mul`, `add` and `sub` without a rounding modifier
    /// may become `fma`. What SASS says is done.
    pub fn contracts(self) -> bool {
        let insts = self.insts();
        let all = || insts.iter().filter(|i| contractible(i));
        all().any(|i| i.op == Op::Mul) && all().any(|i| i.op != Op::Mul)
    }

    /// Whether it has approximations that the PTX ISA does not bound for every operand: `div.approx.f32` by numbers below 2^-126, and
    /// `rsqrt.approx.f64` without `.ftz`.
    pub fn unbounded(self) -> bool {
        self.insts().into_iter().filter(|i| !i.mods.ftz).any(|i| match i.op {
            Op::Div => i.mods.approx,
            Op::Rsqrt => i.types.first() == Some(&Type::F(FloatFormat::F64)),
            _ => false,
        })
    }

    /// Values of eight bytes that decide what it does where it finds them in memory: addresses of functions.
    pub fn words(self, target: &Cubin) -> Vec<u64> {
        let Origin::Ptx { module, function } = self else { return Vec::new() };
        let all = crate::ptx::functions::addresses(module, &function.name, target).unwrap_or_default();
        all.into_values().collect()
    }

    /// Whether it looks at more than one axis of threads.
    pub fn has_planes(self) -> bool {
        use SpecialRegister::{Ntid, Tid};
        let on = |o: &Operand| matches!(o, Operand::Special(Tid(axis) | Ntid(axis)) if *axis != Axis::X);
        self.insts().iter().any(|i| i.operands.iter().any(on))
    }

    /// Whether the parameter at an offset in bytes is said to be a number of floats.
    pub fn is_float(self, at: u32) -> bool {
        let Origin::Ptx { function, .. } = self else { return false };
        function.params.iter().any(|p| p.offset == at && matches!(p.ty, Type::F(_)))
    }

    /// Sizes of its shared variables in words of four bytes.
    pub fn shared_words(self) -> Vec<u64> {
        let Origin::Ptx { module, function } = self else { return Vec::new() };
        let own = reachable(module, function).into_iter().flat_map(|f| &f.variables);
        let all = own.chain(&module.variables).filter(|v| v.space == Space::Shared);
        all.map(|v| v.size / 4).collect()
    }

    /// Whether it has operations on floats of binary32 or shorter, and on such of binary64.
    pub fn floats(self) -> (bool, bool) {
        let insts = self.insts();
        let all = || insts.iter().flat_map(|i| &i.types);
        let float = |t: &Type| matches!(t, Type::F(_) | Type::F16x2 | Type::Bf16x2 | Type::F32x2);
        let double = |t: &Type| *t == Type::F(FloatFormat::F64);
        (all().any(|t| float(t) && !double(t)), all().any(double))
    }

    /// Whether it has operations whose NaNs may have any payload.
    pub fn leaves_payloads(self) -> bool {
        self.insts().into_iter().any(crate::ptx::choose::leaves_payloads)
    }

    /// Whether it has shared variables of the module and of functions, whose order nothing says.
    pub fn shares_in_two_ways(self) -> bool {
        let Origin::Ptx { module, function } = self else { return false };
        let functions = reachable(module, function);
        let any = |all: &[Variable]| all.iter().any(|v| v.space == Space::Shared);
        any(&module.variables) && functions.iter().any(|f| any(&f.variables))
    }

    /// Runs it over terms; and says in which ways.
    ///
    /// # Errors
    /// What is not covered, and where.
    pub fn run<'i>(
        self,
        inputs: &'i Inputs<'i>,
        target: &Cubin,
        code: &sassafras_cubin::Function,
        bound: u32,
        freedom: Freedom<'_>,
    ) -> Result<(Trace, Ways), Located> {
        match self {
            Origin::Ptx { module, function } => {
                let mut sites = Sites::new(function, freedom.like, freedom.ways.fused);
                let mut estimates = Estimates::new(freedom.written, freedom.ways.estimated);
                let program = Program::new(module, function, bound);
                let program = program.and_then(|p| Ok(p.unfold(freedom.cutting.unfolds)?));
                let mut program = program.map_err(|why: Located| why.on(Which::Source))?;
                program.own_first = freedom.own_first;
                let reading = Reading {
                    facts: self.request(target, &[]).facts,
                    unasked: target::unasked(target, code),
                    updates: freedom.updates,
                    ..Reading::default()
                };
                let side = source::run(
                    inputs,
                    &program,
                    target,
                    bound,
                    freedom.payloads,
                    (reading, freedom.cutting),
                    &mut sites,
                    &mut estimates,
                );
                let mut trace = Trace::of(side.map_err(|why| why.on(Which::Source))?, |r| r.0.into());
                if !freedom.placed.is_empty() {
                    let (variables, stack) = (self.variables(bound), self.stack(target, code));
                    places::fit(freedom.placed, &variables, stack)
                        .map_err(|fault| Memory::LocalPlace { fault })?;
                    let top = places::top(inputs, target).ok_or(Target::Chip { sm: target.sm })?;
                    places::put(inputs, freedom.placed, top, &mut trace);
                }
                Ok((trace, Ways { fused: sites.fused, estimated: estimates.done }))
            }
            Origin::Code { .. } if !freedom.ways.fused.is_empty() || !freedom.ways.estimated.is_empty() => {
                Err(Source::CodeHasNoFreedom {}.into())
            }
            Origin::Code { .. }
                if !freedom.cutting.loops.is_empty() || !freedom.cutting.unfolds.is_empty() =>
            {
                Err(Source::CodeHasNoFreedom {}.into())
            }
            Origin::Code { cubin, code: own } => {
                let ran = target::run(inputs, cubin, own, bound, self.request(target, &[]), Role::Source)?;
                Ok((Trace::of(ran.side, crate::cut::key), Ways::default()))
            }
        }
    }

    /// Whether its loops may be gone through once: it is PTX, and has some.
    pub fn may_be_cut(self) -> bool {
        matches!(self, Origin::Ptx { .. })
            && self.flow(1, &[]).is_some_and(|flow| Loops::of(&flow, &[0]).is_any())
    }

    /// Where its places lead once loops are unfolded, where that is all known before it is run: functions that call themselves stand within themselves `deep` times.
    pub fn flow(self, deep: u32, unfolds: &[Unfold]) -> Option<Flow> {
        match self {
            Origin::Ptx { module, function } => {
                let program = Program::new(module, function, deep).ok()?;
                program.unfold(unfolds).ok().map(|p| crate::ptx::flow::flow(&p))
            }
            Origin::Code { cubin, code } => {
                let chip = Chip::from_number(cubin.sm)?;
                flow::is_plain(code, chip).then(|| flow::flow(code, chip))
            }
        }
    }

    /// Its places that read or write memory, and those in versions of loops that are unfolded; none of code.
    pub fn accesses_and_copies(self, deep: u32, unfolds: &[Unfold]) -> (Vec<u64>, BTreeSet<u64>) {
        let Origin::Ptx { module, function } = self else { return Default::default() };
        let program = Program::new(module, function, deep).ok().and_then(|p| p.unfold(unfolds).ok());
        program.map(|p| (p.accesses(), p.copies())).unwrap_or_default()
    }

    /// Holds what the target's cubin declares against what its code and the source need, with shared variables in the one order or the
    /// other.
    ///
    /// # Errors
    /// What does not fit.
    pub fn fits(
        self,
        cubin: &Cubin,
        code: &sassafras_cubin::Function,
        own_first: bool,
    ) -> Result<(), Located> {
        match self {
            Origin::Ptx { module, function } => beyond::check(module, function, cubin, code, own_first),
            Origin::Code { cubin: source, code: function } => {
                beyond::check_code(source, function, cubin, code)
            }
        }
    }

    /// What the hazard checker says of code that is the source.
    ///
    /// # Errors
    /// Its first objection.
    pub fn hazards(self, assumed: &mut BTreeSet<Assumption>) -> Result<(), Located> {
        match self {
            Origin::Ptx { .. } => Ok(()),
            Origin::Code { cubin, code } => hazards(cubin, code, &BTreeSet::new(), assumed)
                .map_err(|e| Located::from(e).on(Which::Source)),
        }
    }

    /// Bytes of its parameters.
    pub fn param_size(self) -> u32 {
        match self {
            Origin::Ptx { function, .. } => function.param_size,
            Origin::Code { code, .. } => code.param_size,
        }
    }
}

/// The hazard checker's verdict on some code, and what it rests on. Jumps to addresses and returns go where `jumps` says, from word to word.
///
/// # Errors
/// Its first objection.
pub fn hazards(
    cubin: &Cubin,
    code: &sassafras_cubin::Function,
    jumps: &BTreeSet<(usize, usize)>,
    assumed: &mut BTreeSet<Assumption>,
) -> Result<(), Obstacle> {
    let Some(chip) = Chip::from_number(cubin.sm) else { return Err(Target::Chip { sm: cubin.sm }.into()) };
    assumed.insert(Assumption::Sched);
    if let Some((at, to)) = astray(code, chip).first() {
        return Err(Container::Astray { at: *at as u64, to: *to }.into());
    }
    crate::sass::demand::all_returned(&code.code, chip, jumps)?;
    match check_words_with(&code.code, chip, jumps) {
        Verdict::Passed => {}
        Verdict::Unknown(_) => {
            assumed.insert(Assumption::Ready);
        }
        Verdict::Objected(all) => {
            let said = all.first().map(ToString::to_string).unwrap_or_default().into();
            return Err(Container::Hazard { said }.into());
        }
    }
    Ok(())
}
