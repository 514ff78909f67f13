//! The source with its calls written out: the body of a function stands behind each call of it, with registers and `.param` memory of
//! its own, so that places keep an order in which lanes go forward. A function that calls itself stands within itself as often as is said;
//! what goes deeper is left unfinished.

use crate::cut::Version;
use crate::obstacle::Located;
use crate::obstacle::source::Source;
use crate::ptx::functions;
use crate::ptx::unfolded::Unfolded;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_chip::Chip;
use sassafras_ptx::checked::{
    Function, FunctionId, Inst, Module, Op, Operand, Param, RegisterId, Variable, VariableId,
};
use sassafras_semantics::{Space, SystemCall};

/// Most steps of a source.
const MOST: usize = 20_000;
/// Most calls of functions within themselves that are written out.
const MOST_WITHIN: u32 = 12;
/// Most calls that are open at one place: each takes room on our own stack.
const MOST_NESTED: usize = 256;
/// Where `.param` variables lie, above the parameters of an entry.
pub const PARAMS: u64 = 0x1_0000;
/// The first of the registers that stand for bytes of `.param` memory.
const BYTES: u32 = 0x4000_0000;
/// The first of those that stand for whole values in it, of 2, 4 and 8 bytes.
const WHOLE: u32 = 0x6000_0000;

/// What lies in registers: those of frames, one behind the other, bytes of `.param` memory, and carry flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A register of a frame.
    Register,
    /// A byte of `.param` memory.
    Byte,
    /// A carry flag.
    Carry,
}

/// One execution of a function.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// The function.
    pub function: &'a Function,
    /// What its registers' numbers are counted from.
    registers: u32,
    /// Addresses of its `.param` variables, by variable.
    variables: Vec<u64>,
    /// Addresses of its parameters.
    pub params: Vec<u64>,
    /// Addresses of its return parameters.
    pub returns: Vec<u64>,
    /// Positions of its instructions, and that of its end.
    pub(super) positions: Vec<u32>,
    /// The call: its frame and instruction; none for the entry.
    pub call: Option<(usize, &'a Inst)>,
    /// Where the caller goes on.
    pub resume: u64,
}

/// The frames that a call may go to: a range of `Program::called`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Callees {
    first: usize,
    end: usize,
}

/// A place of a program.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The frame.
    pub frame: usize,
    /// The instruction and its index in the function; none at the end of the function.
    pub inst: Option<(&'a Inst, u32)>,
    /// The frames that it may call, each with its function.
    pub callees: Callees,
    /// The function that it calls and that the driver resolves.
    pub system: Option<SystemCall>,
    /// Whether what it calls is called within itself too often: that is not written out.
    pub deeper: bool,
    /// The place behind it, where it does not go elsewhere.
    pub next: u64,
    /// The number of the choice that lanes make there, where it is none of the program's own places.
    pub choice: Option<usize>,
}

/// An entry with its calls written out.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// The module.
    pub module: &'a Module,
    /// Its frames; the first is the entry.
    pub frames: Vec<Frame<'a>>,
    /// Its places.
    pub steps: Vec<Step<'a>>,
    /// What is unfolded of its loops.
    pub(super) unfolded: Unfolded,
    /// Frames that calls go to, each with its function.
    called: Vec<(FunctionId, usize)>,
    /// Shared variables of functions lie before those of the module, instead of behind them.
    pub own_first: bool,
    /// How often a function stands within itself, at most.
    deep: u32,
    /// Calls of functions within themselves so far.
    within: u32,
    bytes: u64,
    registers: u32,
}

/// Functions that may run: the entry, and those that it may call, once each.
pub fn reachable<'a>(module: &'a Module, entry: &'a Function) -> Vec<&'a Function> {
    let mut all = vec![entry];
    let mut next = 0;
    while let Some(f) = all.get(next).copied() {
        for (_, callee) in f.insts.iter().flatten().flat_map(|i| callees(module, f, i)) {
            if !all.iter().any(|g| std::ptr::eq(*g, callee)) {
                all.push(callee);
            }
        }
        next += 1;
    }
    all
}

/// The variables of the module that functions name, in the order of declaration.
fn named<'a>(module: &'a Module, functions: &[&Function]) -> Vec<&'a Variable> {
    let mut seen = vec![false; module.variables.len()];
    for operand in functions.iter().flat_map(|f| f.insts.iter().flatten()).flat_map(|i| &i.operands) {
        operand.symbols(&mut |id| {
            if let VariableId::Module(i) = id
                && let Some(seen) = seen.get_mut(i as usize)
            {
                *seen = true;
            }
        });
    }
    module.variables.iter().zip(seen).filter(|(_, seen)| *seen).map(|(v, _)| v).collect()
}

/// Adds a function, and those that it may call, in the order in which calls of them come first.
fn in_order<'a>(module: &'a Module, f: &'a Function, all: &mut Vec<&'a Function>) {
    if all.iter().any(|g| std::ptr::eq(*g, f)) {
        return;
    }
    all.push(f);
    for inst in f.insts.iter().flatten() {
        callees(module, f, inst).into_iter().for_each(|(_, g)| in_order(module, g, all));
    }
}

/// Whether a function that an entry may call may call itself.
pub fn recurses(module: &Module, entry: &Function) -> bool {
    let own = |f: &'_ Function| -> Vec<*const Function> {
        let all = f.insts.iter().flatten().flat_map(|i| callees(module, f, i));
        all.map(|(_, g)| std::ptr::from_ref(g)).collect()
    };
    let reached = reachable(module, entry);
    let calls: FxHashMap<*const Function, Vec<*const Function>> =
        reached.iter().map(|f| (std::ptr::from_ref(*f), own(f))).collect();
    // Functions all of whose callees are done are done; a function that is met while it is open calls itself.
    let (mut open, mut done) = (FxHashSet::default(), FxHashSet::default());
    let mut waiting = vec![(std::ptr::from_ref(entry), false)];
    while let Some((f, left)) = waiting.pop() {
        if left {
            open.remove(&f);
            done.insert(f);
            continue;
        }
        if done.contains(&f) {
            continue;
        }
        if !open.insert(f) {
            return true;
        }
        waiting.push((f, true));
        for g in calls.get(&f).into_iter().flatten() {
            if open.contains(g) {
                return true;
            }
            waiting.push((*g, false));
        }
    }
    false
}

/// The functions that an instruction may call: the one that it names, or those whose address is taken and that have the prototype.
fn callees<'a>(module: &'a Module, caller: &'a Function, inst: &Inst) -> Vec<(FunctionId, &'a Function)> {
    if inst.op != Op::Call {
        return Vec::new();
    }
    let of = |id: FunctionId| Some((id, module.functions.get(id.0 as usize)?));
    if let Some(Operand::Function(id)) = inst.operands.get(1) {
        return of(*id).into_iter().collect();
    }
    let Some(Operand::Prototype(name)) = inst.operands.get(3) else { return Vec::new() };
    let Some(wanted) = caller.prototypes.get(name) else { return Vec::new() };
    let same =
        |a: &[Param], b: &[Param]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.size == b.size);
    let all = functions::taken(module).into_iter().filter_map(of);
    all.filter(|(_, f)| same(&wanted.params, &f.params) && same(&wanted.returns, &f.returns)).collect()
}

/// Whether a declaration has the parameters of a function that the driver resolves.
fn takes(f: &Function, call: SystemCall) -> bool {
    let bits = |params: &[Param]| params.iter().map(|p| 8 * p.size).collect::<Vec<u32>>();
    bits(&f.params) == call.parameters() && bits(&f.returns) == call.result().into_iter().collect::<Vec<_>>()
}

/// Bytes of shared memory that the system keeps at its start; none of a chip that is not known.
pub fn reserved_shared(sm: u32) -> u64 {
    Chip::from_number(sm).map_or(0, |chip| chip.limits().reserved_shared_bytes.into())
}

/// What dynamic shared memory begins at a multiple of, in bytes: the largest alignment that a declaration of the module asks for,
/// whichever function uses it (ptxas 13.0.88, by experiment: static sizes and addresses of entries with several such declarations).
pub fn dynamic_align(module: &Module) -> u64 {
    let all = module.functions.iter().flat_map(|f| &f.variables).chain(&module.variables);
    all.filter(|v| v.space == Space::Shared && v.size == 0).map(|v| v.align).fold(1, u64::max)
}

impl<'a> Program<'a> {
    /// Of an entry. Functions that call themselves stand within themselves `deep` times, the first included.
    ///
    /// # Errors
    /// A function without a body, a program that becomes too long.
    pub fn new(module: &'a Module, entry: &'a Function, deep: u32) -> Result<Program<'a>, Located> {
        let (frames, steps, called) = (Vec::new(), Vec::new(), Vec::new());
        let mut program = Program {
            module,
            frames,
            steps,
            unfolded: Unfolded::default(),
            called,
            own_first: false,
            deep,
            within: 0,
            bytes: PARAMS,
            registers: 0,
        };
        program.emit(entry, None)?;
        Ok(program)
    }

    /// Where `.shared` variables lie, behind what the system keeps: the entry's own, those of the module that are named on the way, and
    /// those of the functions called, in the order of declarations; what has no size (dynamic shared memory) comes last, all of it at one
    /// place. Their addresses are nothing that a program may rely on, so any place is as good as another as long as variables are
    /// disjoint.
    pub fn shared(&self, sm: u32) -> Vec<(&'a Variable, u64)> {
        let Some(entry) = self.frames.first().map(|f| f.function) else { return Vec::new() };
        let reached = reachable(self.module, entry);
        let of_module = named(self.module, &reached);
        let called: Vec<&Function> = match self.own_first {
            false => {
                let all = self.module.functions.iter();
                all.filter(|f| reached[1..].iter().any(|g| std::ptr::eq(*f, *g))).collect()
            }
            true => {
                let mut all = Vec::new();
                in_order(self.module, entry, &mut all);
                all.split_off(1)
            }
        };
        let called: Vec<&Variable> = called.into_iter().flat_map(|f| &f.variables).collect();
        let rest = if self.own_first { [called, of_module] } else { [of_module, called] };
        let all = entry.variables.iter().chain(rest.into_iter().flatten());
        let shared: Vec<&Variable> = all.filter(|v| v.space == Space::Shared).collect();
        let mut end = reserved_shared(sm);
        let mut places = Vec::new();
        for v in shared.iter().filter(|v| v.size > 0) {
            let at = end.next_multiple_of(v.align.max(1));
            end = at + v.size;
            places.push((*v, at));
        }
        let start = end.next_multiple_of(dynamic_align(self.module));
        places.extend(shared.iter().filter(|v| v.size == 0).map(|v| (*v, start)));
        places
    }

    fn lay(&mut self, size: u64) -> u64 {
        let at = self.bytes;
        self.bytes = (at + size).next_multiple_of(16);
        at
    }

    fn emit(&mut self, function: &'a Function, call: Option<(usize, &'a Inst)>) -> Result<usize, Located> {
        let number = self.frames.len();
        let params = |all: &mut Self, list: &[Param]| -> Vec<u64> {
            let place = |p: &Param| if call.is_none() { p.offset.into() } else { all.lay(p.size.into()) };
            list.iter().map(place).collect()
        };
        let (own, returns) = (params(self, &function.params), params(self, &function.returns));
        let variables = function.variables.iter();
        let variables =
            variables.map(|v| if v.space == Space::Param { self.lay(v.size) } else { 0 }).collect();
        self.frames.push(Frame {
            function,
            registers: self.registers,
            variables,
            params: own,
            returns,
            positions: Vec::new(),
            call,
            resume: 0,
        });
        self.registers += function.registers.len() as u32;
        let mut positions = Vec::new();
        for (index, inst) in function.insts.iter().flatten().enumerate() {
            let position = self.steps.len();
            if position > MOST || self.registers >= BYTES {
                return Err(Located::at_line(inst.line, Source::TooLong { most: MOST }));
            }
            positions.push(position as u32);
            let callees = callees(self.module, function, inst);
            let none = Callees::default();
            let inst_and_index = Some((inst, index as u32));
            self.steps.push(Step {
                frame: number,
                inst: inst_and_index,
                callees: none,
                system: None,
                deeper: false,
                next: 0,
                choice: None,
            });
            let mut frames = Vec::new();
            for (id, f) in callees {
                let (function, at) = (|| f.name.as_str().into(), |why| Located::at_line(inst.line, why));
                if f.insts.is_none() {
                    let named = SystemCall::named(&f.name).filter(|call| takes(f, *call));
                    let Some(call) = named else { return Err(at(Source::NoBody { function: function() })) };
                    self.steps[position].system = Some(call);
                    continue;
                }
                if self.callers(number).nth(MOST_NESTED).is_some() {
                    return Err(at(Source::TooDeep { function: function() }));
                }
                let within = self.callers(number).filter(|g| std::ptr::eq(*g, f)).count();
                self.within += u32::from(within > 0);
                if self.within > MOST_WITHIN {
                    return Err(at(Source::Recursion { function: function() }));
                }
                if within >= self.deep.max(1) as usize {
                    self.steps[position].deeper = true;
                    continue;
                }
                frames.push((id, self.emit(f, Some((number, inst)))?));
            }
            let next = self.steps.len() as u64;
            for (_, callee) in &frames {
                self.frames[*callee].resume = next;
            }
            let first = self.called.len();
            self.called.extend(frames);
            self.steps[position].callees = Callees { first, end: self.called.len() };
            self.steps[position].next = next;
        }
        let end = self.steps.len();
        positions.push(end as u32);
        self.frames[number].positions = positions;
        self.steps.push(Step {
            frame: number,
            inst: None,
            callees: Callees::default(),
            system: None,
            deeper: false,
            next: end as u64 + 1,
            choice: None,
        });
        Ok(number)
    }

    /// The frames that a call may go to, each with its function.
    pub fn callees(&self, step: &Step<'_>) -> &[(FunctionId, usize)] {
        &self.called[step.callees.first..step.callees.end]
    }

    /// The functions of a frame and of those that called it.
    fn callers(&self, frame: usize) -> impl Iterator<Item = &'a Function> + '_ {
        let up = std::iter::successors(Some(frame), |f| self.frames[*f].call.map(|c| c.0));
        up.map(|f| self.frames[f].function)
    }

    /// The place of the first instruction of a frame.
    pub fn start(&self, frame: usize) -> u64 {
        self.target(frame, 0)
    }

    /// The place of an instruction of a frame, or of its end.
    pub fn target(&self, frame: usize, index: u32) -> u64 {
        self.frames[frame].positions[index as usize].into()
    }

    /// Where a way from a place leads, that leads to another as the program is written.
    pub fn lead(&self, from: u64, to: u64) -> u64 {
        self.unfolded.detours.get(&(from, to)).copied().unwrap_or(to)
    }

    /// A version that lanes choose, and its first place.
    pub fn choice(&self, number: usize) -> (Version, u64) {
        self.unfolded.choices[number]
    }

    /// A register of a frame among all.
    pub fn register(&self, frame: usize, register: RegisterId) -> RegisterId {
        match register {
            RegisterId::CARRY => RegisterId(u32::MAX - frame as u32),
            RegisterId(number) => RegisterId(self.frames[frame].registers + number),
        }
    }

    /// Whether there is `.param` memory besides the entry's parameters.
    pub fn hands_over(&self) -> bool {
        self.bytes > PARAMS
    }

    /// A byte of `.param` memory as a register; none where no variable lies.
    pub fn byte(&self, at: u64) -> Option<RegisterId> {
        let offset = at.checked_sub(PARAMS).and_then(|o| u32::try_from(o).ok())?;
        BYTES.checked_add(offset).filter(|_| at < self.bytes).map(RegisterId)
    }

    /// What several bytes of `.param` memory were stored as, as a register; none where no variable lies.
    pub fn whole(&self, at: u64, bytes: u32) -> Option<RegisterId> {
        let offset = at.checked_sub(PARAMS).and_then(|o| u32::try_from(o).ok())?;
        let kind = [2, 4, 8].iter().position(|b| *b == bytes)? as u32;
        let number = offset.checked_mul(4)?.checked_add(WHOLE + kind)?;
        (at < self.bytes).then_some(RegisterId(number))
    }

    /// What a register is, and how wide.
    pub fn kept(&self, register: RegisterId) -> (Kept, u32) {
        match register.0 {
            n if n >= u32::MAX - self.frames.len() as u32 => (Kept::Carry, 1),
            n if n >= WHOLE => (Kept::Byte, 16 << ((n - WHOLE) % 4)),
            n if n >= BYTES => (Kept::Byte, 8),
            n => {
                let frame = self.frames.iter().rev().find(|f| f.registers <= n);
                let own = frame.and_then(|f| f.function.registers.get((n - f.registers) as usize));
                (Kept::Register, own.map_or(1, |r| r.ty.width()))
            }
        }
    }

    /// The address of a `.param` variable of a frame.
    pub fn variable(&self, frame: usize, index: u32) -> Option<u64> {
        self.frames[frame].variables.get(index as usize).copied().filter(|at| *at >= PARAMS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest_as_deep_as_there_is_room() {
        let text = |depth: u32| {
            let mut ptx =
                String::from(".version 8.0\n.target sm_90\n.address_size 64\n.func f0() { ret; }\n");
            for i in 1..depth {
                ptx += &format!(".func f{i}() {{ call f{}; ret; }}\n", i - 1);
            }
            format!("{ptx}.entry k() {{ call f{}; ret; }}", depth - 1)
        };
        let written = |depth: u32| {
            let module = sassafras_ptx::load(&text(depth), "deep").expect("it is sound");
            let entry = module.functions.iter().find(|f| f.entry).expect("an entry");
            Program::new(&module, entry, 1).map(|_| ())
        };
        assert_eq!(written(256), Ok(()));
        let why = written(3000).expect_err("too deep");
        assert_eq!(why.obstacle.advice().code, "U0204", "{why}");
    }
}
