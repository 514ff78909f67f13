//! From registers to SSA values.
//!
//! Blocks are visited in reverse post-order. A block with one predecessor takes over its predecessor's values; one with several
//! gets a parameter per variable that is live into it, and the arguments are filled in at the end.

use crate::Options;
use crate::calls::Calls;
use crate::error::Error;
use crate::flatten::{Flat, Given, Item, flatten};
use crate::flow::{FlatBlock, Flow, Leave, barrier_has_result, flow, pieces};
use crate::refusal::Refusal;
use crate::variables::Symbols;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_graph::{ControlFlow, Entity};
use sassafras_ir::{Block, Builder, Edge, Function, Guard, Name, Op, Terminator, Type, Value};
use sassafras_ptx::checked::{self, Inst, Op as P, Operand, RegisterId};

/// The place of what a lowering fails with is the instruction's.
pub(crate) type Result<T> = std::result::Result<T, Refusal>;

/// The state of one kernel's lowering.
pub(crate) struct Context<'c, 'a> {
    pub module: &'a checked::Module,
    pub flat: &'c Flat<'a>,
    pub flow: &'c Flow,
    pub symbols: &'c Symbols,
    pub options: Options,
    /// What is built.
    pub function: Function,
    /// Where instructions are appended.
    pub block: Block,
    /// Line of the instruction that is being lowered.
    pub line: u32,
    /// Instance of the instruction that is being lowered.
    pub instance: usize,
    /// Condition under which a write takes place, for pure operations; the old value is kept otherwise.
    select: Option<Guard>,
    /// Guard for operations with effects and without results.
    pub guard: Option<Guard>,
    /// Values of variables at this point.
    map: FxHashMap<u32, Value>,
    /// Products that may be contracted with an addition.
    pub products: FxHashSet<Value>,
}

/// Lowers one kernel.
pub(crate) fn kernel(
    module: &checked::Module,
    kernel: &checked::Function,
    globals: &Symbols,
    options: &Options,
    calls: &Calls,
    names: &mut FxHashSet<String>,
    out: &mut sassafras_ir::Module,
) -> std::result::Result<Function, Vec<Error>> {
    let mut flat = flatten(module, calls, kernel);
    let mut errors = std::mem::take(&mut flat.errors);
    if !errors.is_empty() {
        // The list has holes where calls were refused: what follows would only repeat that.
        return Err(errors);
    }
    let flow = flow(&flat, &mut errors);
    let mut symbols = globals.clone();
    symbols.add_locals(&flat, out, names, &mut errors);
    let mut function = Function::new(&kernel.name);
    function.param_size = kernel.param_size;
    function.params = kernel
        .params
        .iter()
        .map(|p| sassafras_ir::Param { offset: p.offset, size: p.size, align: p.align })
        .collect();
    (function.visible, function.weak) = (kernel.visible, kernel.weak);
    function.maxntid = kernel.maxntid;
    function.reqntid = kernel.reqntid;
    function.minnctapersm = kernel.minnctapersm;
    function.maxnreg = kernel.maxnreg;
    function.shared = symbols.shared(module, &flat);
    function.reqnctapercluster = kernel.reqnctapercluster;
    function.explicitcluster = kernel.explicitcluster;
    function.maxclusterrank = kernel.maxclusterrank;
    let block = function.entry;
    let mut context = Context {
        module,
        flat: &flat,
        flow: &flow,
        symbols: &symbols,
        options: *options,
        function,
        block,
        line: 0,
        instance: 0,
        select: None,
        guard: None,
        map: FxHashMap::default(),
        products: FxHashSet::default(),
    };
    context.blocks(&mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut function = context.function;
    if !flat.sites.is_empty()
        && let Some(line) = lanes_together(&function)
    {
        let what = Refusal::UnsupportedSeveral("operations across lanes in a kernel with recursive calls");
        return Err(vec![Error { line, ..Error::named(&kernel.name, what) }]);
    }
    function.compact();
    Ok(function)
}

/// The line of an operation across the lanes of a warp: behind recursive calls no place is known where lanes meet again.
fn lanes_together(function: &Function) -> Option<u32> {
    let mut insts =
        function.blocks.values().flat_map(|block| &block.insts).map(|&inst| &function.insts[inst]);
    insts
        .find(|data| data.op.convergent() && !matches!(data.op, Op::Barrier { aligned: true, .. }))
        .map(|data| data.line)
}

/// The IR type for a width of PTX; 8 bits live in 16.
pub(crate) fn type_of(width: u32) -> Type {
    Type(width.max(if width == 1 { 1 } else { 16 }) as u8)
}

/// How a guarded instruction is lowered.
enum Guarding {
    Select,
    Effect,
    Branch,
}

impl<'a> Context<'_, 'a> {
    fn blocks(&mut self, errors: &mut Vec<Error>) {
        let order = sassafras_graph::order::reverse_post_order(&self.flow.graph);
        let first = self.flow.graph.entry();
        let joins = |c: &Self, b: FlatBlock| c.flow.graph.preds(b).len() + usize::from(b == first) > 1;
        let mut ir: FxHashMap<FlatBlock, Block> = FxHashMap::default();
        let mut params: FxHashMap<FlatBlock, Vec<u32>> = FxHashMap::default();
        let mut ends: FxHashMap<FlatBlock, FxHashMap<u32, Value>> = FxHashMap::default();
        // IR blocks that end in edges, with the flat block that they come from and the targets in order.
        let mut pending: Vec<(Block, Option<FlatBlock>, Vec<FlatBlock>)> = Vec::new();
        for &block in &order {
            let new = if block == first && !joins(self, block) {
                self.function.entry
            } else {
                self.function.add_block()
            };
            ir.insert(block, new);
        }
        let nounroll = self.flat.nounroll();
        for (flat, &block) in &ir {
            let first = self.flow.parts[flat.index()].first;
            self.function.blocks[block].nounroll = nounroll.contains(&first);
        }
        let mut start: FxHashMap<u32, Value> = FxHashMap::default();
        if joins(self, first) {
            let entry = self.function.entry;
            self.block = entry;
            self.start_stack();
            start = std::mem::take(&mut self.map);
            self.function.blocks[entry].terminator = Terminator::Jump(Edge::new(ir[&first], &[]));
            pending.push((entry, None, vec![first]));
        }
        for &block in &order {
            self.block = ir[&block];
            self.map = FxHashMap::default();
            let live = self.flow.live_in[block].clone();
            if joins(self, block) {
                for &variable in &live {
                    let value = self.function.add_param(self.block, self.variable_type(variable));
                    self.map.insert(variable, value);
                    self.name(value, variable, block);
                }
                params.insert(block, live);
            } else if let Some(pred) = self.flow.graph.preds(block).first()
                && let Some(end) = ends.get(pred)
            {
                self.map = live.iter().filter_map(|v| Some((*v, *end.get(v)?))).collect();
            }
            if block == first && !joins(self, first) {
                self.start_stack();
            }
            let part = &self.flow.parts[block.index()];
            for item in &self.flat.items[part.first..part.last] {
                if let Err((inst, message)) = self.item(item) {
                    errors.push(Error::at(inst, message));
                }
            }
            let edge = |to: &FlatBlock| Edge::new(ir[to], &[]);
            let (terminator, targets) = match &part.leave {
                Leave::Next(to) => (Terminator::Jump(edge(to)), vec![*to]),
                Leave::Branch { guard: (instance, guard), then, otherwise } => {
                    self.instance = *instance;
                    let condition = self.register(guard.register);
                    let pair = if guard.negate { [*otherwise, *then] } else { [*then, *otherwise] };
                    let (then, otherwise) = (edge(&pair[0]), edge(&pair[1]));
                    (Terminator::Branch { condition, then, otherwise }, pair.to_vec())
                }
                Leave::Switch(targets) => {
                    let index = self.switch_index(&self.flat.items[part.last - 1]);
                    match index {
                        Ok(index) => {
                            let edges = targets.iter().map(edge).collect();
                            (Terminator::Switch { index, targets: edges }, targets.clone())
                        }
                        Err(_) => (Terminator::Unreachable, Vec::new()),
                    }
                }
                Leave::End { trap: false } => (Terminator::Exit, Vec::new()),
                Leave::End { trap: true } => (Terminator::Trap, Vec::new()),
            };
            self.function.blocks[self.block].terminator = terminator;
            self.function.blocks[self.block].line =
                self.flat.items[part.first..part.last].last().map_or(0, Item::line);
            pending.push((self.block, Some(block), targets));
            ends.insert(block, std::mem::take(&mut self.map));
        }
        for (from, flat, targets) in pending {
            let end = flat.and_then(|b| ends.get(&b)).unwrap_or(&start);
            let mut undefined: FxHashMap<u32, Value> = FxHashMap::default();
            for (i, target) in targets.iter().enumerate() {
                let mut args = smallvec::SmallVec::new();
                for &variable in params.get(target).map_or(&[][..], Vec::as_slice) {
                    let value = match end.get(&variable).or_else(|| undefined.get(&variable)) {
                        Some(&value) => value,
                        None => {
                            let ty = self.variable_type(variable);
                            let value = Builder::new(&mut self.function, from).undef(ty);
                            undefined.insert(variable, value);
                            value
                        }
                    };
                    args.push(value);
                }
                self.function.blocks[from].terminator.edges_mut()[i].args = args;
            }
        }
    }

    /// Notes which register of the entry a parameter of a block stands for; those of functions that it calls have no names.
    fn name(&mut self, value: Value, variable: u32, block: FlatBlock) {
        let own = &self.flat.instances[0];
        let register =
            variable.checked_sub(own.base).filter(|r| (*r as usize) < own.function.registers.len());
        let part = &self.flow.parts[block.index()];
        let of = |item: &Item<'_>| match item {
            Item::Inst { inst, .. } | Item::Copy { inst, .. } => inst.line,
            other => other.line(),
        };
        let line = self.flat.items[part.first..part.last].iter().map(of).find(|line| *line > 0);
        if let Some(register) = register {
            self.function.names.0.push(Name { value, register, line: line.unwrap_or(0) });
        }
    }

    fn switch_index(&mut self, item: &Item<'a>) -> Result<Value> {
        match item {
            Item::Switch { index: (instance, operand), by_address, .. } => {
                self.instance = *instance;
                if *by_address {
                    let address = self.value(operand, checked::Type::B(64))?;
                    return self.function_index(address);
                }
                self.value(operand, checked::Type::U(32))
            }
            Item::Return { instance } => Ok(self.site_index(*instance)),
            _ => Err(Refusal::Malformed("not a switch")),
        }
    }

    fn item(&mut self, item: &Item<'a>) -> std::result::Result<(), (&'a Inst, Refusal)> {
        match item {
            Item::Inst { instance, inst } => {
                self.instance = *instance;
                self.line = inst.line;
                self.guarded(inst).map_err(|message| (*inst, message))
            }
            Item::Copy { to, from: (instance, given), inst } => {
                self.line = inst.line;
                let ty = self.flat.instances[to.0].function.registers[to.1.0 as usize].ty;
                self.instance = *instance;
                let value = match given {
                    Given::Operand(operand) => self.value(operand, ty).map_err(|message| (*inst, message))?,
                    Given::Register(register) => self.register(*register),
                };
                self.instance = to.0;
                self.set_register(to.1, value, ty.signed());
                Ok(())
            }
            Item::Pass { storage, ty, from: (instance, operand), inst } => {
                self.line = inst.line;
                self.instance = *instance;
                let value = self.value(operand, *ty).map_err(|message| (*inst, message))?;
                self.scatter((*storage, 0, ty.width().div_ceil(8)), value);
                Ok(())
            }
            Item::Take { to, storage, ty, inst } => {
                self.line = inst.line;
                self.instance = to.0;
                let value = self.gather((*storage, 0, ty.width().div_ceil(8)));
                self.set_register(to.1, value, ty.signed());
                Ok(())
            }
            Item::System { call, arguments, result, inst } => {
                self.line = inst.line;
                let given = arguments.iter().zip(call.parameters());
                let args: Vec<Value> = given.map(|(s, bits)| self.gather((*s, 0, bits / 8))).collect();
                let types: Vec<Type> = call.result().map(|bits| Type(bits as u8)).into_iter().collect();
                let made = self.b().emit(Op::SystemCall(*call), &args, &types);
                if let (Some(storage), Some(bits)) = (*result, call.result()) {
                    let value = self.function.insts[made].results[0];
                    self.scatter((storage, 0, bits / 8), value);
                }
                Ok(())
            }
            Item::End { guard: Some((instance, guard)), trap, inst } => {
                self.instance = *instance;
                self.line = inst.line;
                let condition = self.register(guard.register);
                let (end, rest) = (self.function.add_block(), self.function.add_block());
                self.function.blocks[end].line = inst.line;
                self.function.blocks[end].terminator =
                    if *trap { Terminator::Trap } else { Terminator::Exit };
                let pair = if guard.negate { [rest, end] } else { [end, rest] };
                self.b().branch(condition, Edge::new(pair[0], &[]), Edge::new(pair[1], &[]));
                self.block = rest;
                Ok(())
            }
            Item::Move { from, to } => {
                for (from, to) in self.flow.moved(*from, *to) {
                    let value = self.read(from);
                    self.set(to, value);
                }
                Ok(())
            }
            Item::Save { site, inst } => {
                self.line = inst.line;
                self.save(*site);
                Ok(())
            }
            Item::Enter { site, inst } => {
                self.line = inst.line;
                self.enter(*site);
                Ok(())
            }
            Item::Resume { site, inst } => {
                self.line = inst.line;
                self.resume(*site);
                Ok(())
            }
            Item::Return { .. } => Ok(()),
            Item::Switch { by_address: true, .. } => Ok(()),
            Item::Switch { index: (instance, operand), inst, .. } => {
                self.instance = *instance;
                self.value(operand, checked::Type::U(32)).map(|_| ()).map_err(|message| (*inst, message))
            }
            Item::Goto { .. } | Item::End { guard: None, .. } => Ok(()),
        }
    }

    fn guarded(&mut self, inst: &'a Inst) -> Result<()> {
        let Some(guard) = inst.guard else { return self.operation(inst) };
        let value = self.register(guard.register);
        let guard = Guard { value, negate: guard.negate };
        match self.guarding(inst) {
            Guarding::Select => {
                self.select = Some(guard);
                let result = self.operation(inst);
                self.select = None;
                result
            }
            Guarding::Effect => {
                self.guard = Some(guard);
                let result = self.operation(inst);
                self.guard = None;
                result
            }
            Guarding::Branch => self.diamond(guard, inst),
        }
    }

    fn guarding(&self, inst: &Inst) -> Guarding {
        match inst.op {
            P::Ld
                if pieces(self.flat, self.instance, inst).is_some()
                    || inst.mods.space == Some(sassafras_semantics::Space::Param) =>
            {
                Guarding::Select
            }
            P::St if pieces(self.flat, self.instance, inst).is_some() => Guarding::Select,
            P::St | P::Red | P::Membar | P::Fence | P::Nanosleep | P::Griddepcontrol => Guarding::Effect,
            P::FenceProxy => Guarding::Effect,
            P::CpAsync
            | P::Mbarrier
            | P::CopyArrive
            | P::BulkCopy
            | P::BulkReduce
            | P::StAsync
            | P::RedAsync
            | P::ClusterBarrier
            | P::Suld
            | P::Sust
            | P::Sured => Guarding::Branch,
            P::Atom if matches!(inst.operands.first(), Some(Operand::Sink)) => Guarding::Effect,
            P::Tensor | P::TensorPrefetch | P::TensorReduce => Guarding::Branch,
            P::Mma | P::MmaSparse | P::Wgmma | P::Ldmatrix | P::Stmatrix | P::Movmatrix => Guarding::Branch,
            P::Ld | P::Ldu | P::Atom | P::Shfl | P::Vote | P::Match | P::Redux | P::Activemask | P::Elect => {
                Guarding::Branch
            }
            P::Bar | P::Barrier => {
                let _ = barrier_has_result(inst);
                Guarding::Branch
            }
            _ => Guarding::Select,
        }
    }

    /// The instruction in a block of its own, entered if the guard holds.
    fn diamond(&mut self, guard: Guard, inst: &'a Inst) -> Result<()> {
        let before = self.map.clone();
        let (head, then, join) = (self.block, self.function.add_block(), self.function.add_block());
        self.block = then;
        let result = self.operation(inst);
        let mut changed: Vec<u32> =
            self.map.iter().filter(|(k, v)| before.get(k) != Some(v)).map(|(k, _)| *k).collect();
        changed.sort_unstable();
        let new: Vec<Value> = changed.iter().map(|k| self.map[k]).collect();
        self.b().jump(join, &new);
        self.block = head;
        self.map = before;
        let old: Vec<Value> = changed.iter().map(|&k| self.read(k)).collect();
        let (yes, no) = (Edge::new(then, &[]), Edge::new(join, &old));
        let (yes, no) = if guard.negate { (no, yes) } else { (yes, no) };
        self.b().branch(guard.value, yes, no);
        self.block = join;
        for &variable in &changed {
            let param = self.function.add_param(join, self.variable_type(variable));
            self.map.insert(variable, param);
        }
        result
    }

    fn operation(&mut self, inst: &'a Inst) -> Result<()> {
        if let Some(why) = crate::forms::refusal(inst) {
            return Err(why);
        }
        match inst.op {
            P::Add
            | P::Sub
            | P::Mul
            | P::Mad
            | P::Fma
            | P::Div
            | P::Rem
            | P::Abs
            | P::Neg
            | P::Min
            | P::Max
                if float_type(inst) =>
            {
                self.float(inst)
            }
            P::Rcp
            | P::Sqrt
            | P::Rsqrt
            | P::Sin
            | P::Cos
            | P::Ex2
            | P::Lg2
            | P::Tanh
            | P::Copysign
            | P::Testp => self.float(inst),
            P::Add
            | P::Sub
            | P::Mul
            | P::Mad
            | P::Div
            | P::Rem
            | P::Abs
            | P::Neg
            | P::Min
            | P::Max
            | P::Addc
            | P::Subc
            | P::Madc
            | P::Mul24
            | P::Mad24
            | P::Sad
            | P::Dp4a
            | P::Dp2a => self.integer(inst),
            P::And
            | P::Or
            | P::Xor
            | P::Not
            | P::Cnot
            | P::Lop3
            | P::Shl
            | P::Shr
            | P::Shf
            | P::Popc
            | P::Clz
            | P::Bfind
            | P::Brev
            | P::Bfe
            | P::Bfi
            | P::Szext
            | P::Bmsk
            | P::Fns
            | P::Prmt => self.logic(inst),
            P::Setp | P::Set | P::Selp | P::Slct => self.compare(inst),
            P::Cvt => self.convert(inst),
            P::Mov | P::Cvta | P::Isspacep => self.data(inst),
            P::Ld | P::Ldu | P::St | P::Atom | P::Red | P::Membar | P::Fence => self.memory(inst),
            // Hints: nothing that a program can see depends on them.
            P::Prefetch | P::Prefetchu | P::Applypriority | P::Pmevent => Ok(()),
            // The data becomes undefined: leaving it as it is refines that.
            P::Discard => Ok(()),
            P::CpAsync => self.copy_async(inst),
            P::Bar
            | P::Barrier
            | P::Shfl
            | P::Vote
            | P::Match
            | P::Redux
            | P::Activemask
            | P::Elect
            | P::Nanosleep => self.warp(inst),
            P::Mma | P::Ldmatrix | P::Stmatrix | P::Movmatrix => self.matrix(inst),
            P::Wgmma => self.warpgroup(inst),
            P::MmaSparse => self.sparse_product(inst),
            P::Tensor | P::TensorPrefetch | P::TensorReduce => self.tensor(inst),
            P::Griddepcontrol
            | P::Mbarrier
            | P::CopyArrive
            | P::BulkCopy
            | P::BulkReduce
            | P::StAsync
            | P::RedAsync
            | P::FenceProxy
            | P::FenceInit
            | P::Setmaxnreg
            | P::Createpolicy
            | P::ClusterBarrier
            | P::Mapa
            | P::Getctarank => self.opaque(inst),
            P::Tex | P::Tld4 => self.texture(inst),
            P::Txq | P::Suq => self.texture_query(inst),
            P::Suld | P::Sust | P::Sured => self.surface(inst),
            P::Istypep => self.handle_type(inst),
            P::Video => self.video(inst),
            _ => Err(Refusal::Unsupported("this instruction")),
        }
    }

    /// A builder at the current place.
    pub fn b(&mut self) -> Builder<'_> {
        Builder { function: &mut self.function, block: self.block, line: self.line }
    }

    /// Appends an operation with effects and without results, under the guard of the instruction.
    pub fn effect(&mut self, op: Op, args: &[Value]) {
        let inst = self.b().emit(op, args, &[]);
        self.function.insts[inst].guard = self.guard;
    }

    /// The declared type of a register of the current instance.
    pub fn register_type(&self, register: RegisterId) -> checked::Type {
        self.flat.instances[self.instance].function.registers[register.0 as usize].ty
    }

    pub(crate) fn variable_type(&self, variable: u32) -> Type {
        if variable == self.flow.carry {
            return Type::I1;
        }
        if variable == self.flow.stack {
            return Type::I32;
        }
        if variable > self.flow.carry {
            let bytes = self.flow.slot_bytes(variable);
            return type_of(8 * bytes.expect("a variable beyond the carry is a slot"));
        }
        let instances = &self.flat.instances;
        let at = instances.partition_point(|i| i.base <= variable) - 1;
        // An instance without registers shares its base with the next.
        type_of(instances[at].function.registers[(variable - instances[at].base) as usize].ty.width())
    }

    /// The value of a variable.
    pub fn read(&mut self, variable: u32) -> Value {
        if let Some(&value) = self.map.get(&variable) {
            return value;
        }
        let ty = self.variable_type(variable);
        let value = self.b().undef(ty);
        self.map.insert(variable, value);
        value
    }

    /// Sets a variable; under a guard the old value is kept if the guard does not hold.
    pub fn set(&mut self, variable: u32, value: Value) {
        let value = match (self.select, self.map.get(&variable).copied()) {
            (Some(guard), Some(old)) => {
                let (yes, no) = if guard.negate { (old, value) } else { (value, old) };
                self.b().select(guard.value, yes, no)
            }
            // The old value is undefined: the new one refines it.
            _ => value,
        };
        self.map.insert(variable, value);
    }

    /// A value of parameter storage: storage, byte offset, bytes.
    pub fn gather(&mut self, piece: (u32, i64, u32)) -> Value {
        let ty = type_of(8 * piece.2);
        let atoms = self.flow.atoms(piece);
        match atoms[..] {
            [(variable, _, bytes)] if bytes == piece.2 => return self.read(variable),
            _ if ty == Type::I128 => {
                let (low, high) =
                    (self.gather((piece.0, piece.1, 8)), self.gather((piece.0, piece.1 + 8, 8)));
                return self.b().concat_wide(low, high);
            }
            _ => {}
        }
        let wide = if ty == Type::I64 { Type::I64 } else { Type::I32 };
        let mut all = self.b().constant(wide, 0);
        for (variable, at, bytes) in atoms {
            let value = self.read(variable);
            let mut value = self.resize(value, wide, false);
            if bytes == 1 {
                let mask = self.b().constant(wide, 0xff);
                value = self.b().and(value, mask);
            }
            let value = self.b().shl_by(value, 8 * at);
            all = self.b().or(all, value);
        }
        self.resize(all, ty, false)
    }

    /// Sets a value of parameter storage.
    pub fn scatter(&mut self, piece: (u32, i64, u32), value: Value) {
        let atoms = self.flow.atoms(piece);
        if let [(variable, _, bytes)] = atoms[..]
            && bytes == piece.2
        {
            return self.set(variable, value);
        }
        if self.function.ty(value) == Type::I128 {
            for (half, more) in [(0, 0), (64, 8)] {
                let part = self.b().value(Op::Extract(half), &[value], Type::I64);
                self.scatter((piece.0, piece.1 + more, 8), part);
            }
            return;
        }
        let wide = if self.function.ty(value) == Type::I64 { Type::I64 } else { Type::I32 };
        let value = self.resize(value, wide, false);
        for (variable, at, _) in atoms {
            let part = self.b().lshr_by(value, 8 * at);
            let part = self.resize(part, self.variable_type(variable), false);
            self.set(variable, part);
        }
    }

    /// A register of the current instance.
    pub fn register(&mut self, register: RegisterId) -> Value {
        let variable = self.flat.register(self.instance, register);
        self.read(variable)
    }

    /// Sets a register of the current instance; a narrower value is extended, a wider one cut.
    pub fn set_register(&mut self, register: RegisterId, value: Value, signed: bool) {
        let ty = type_of(self.register_type(register).width());
        let value = self.resize(value, ty, signed);
        let variable = self.flat.register(self.instance, register);
        self.set(variable, value);
    }

    /// The value in another width.
    pub fn resize(&mut self, value: Value, ty: Type, signed: bool) -> Value {
        let from = self.function.ty(value);
        match (from.bits() < ty.bits(), signed) {
            (true, true) => self.b().sext(value, ty),
            (true, false) => self.b().zext(value, ty),
            (false, _) => self.b().truncate(value, ty),
        }
    }
}

/// Whether the instruction computes with floats: its first type says so.
fn float_type(inst: &Inst) -> bool {
    use checked::Type;
    matches!(inst.types.first(), Some(Type::F(_) | Type::F16x2 | Type::Bf16x2 | Type::F32x2))
}
