//! Writes the instructions of the chosen rows.

use super::matcher::{Binding, Bindings};
use super::plan::{Fate, Plan, Words};
use super::{Error, Layout};
use crate::converge::region::waits_for_all;
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_graph::SecondaryMap;
use sassafras_ir as ir;
use sassafras_isa::{FieldKind, FormId, Inst, Meaning, RegClass, form_on};
use sassafras_machine::{Block, Builder, Edge, Function, Held, MInst, Place, Pseudo, Reg, VReg};
use sassafras_rules::select::attribute::{Attribute, attribute_on};
use sassafras_rules::select::{Action, Emit, FormPiece, Row, Value as Term, window};

/// State of one function's emission.
pub struct Emitter<'a> {
    pub(super) module: &'a ir::Module,
    pub(super) source: &'a ir::Function,
    pub(super) layout: &'a Layout,
    pub(super) chip: Chip,
    pub(super) out: Function,
    /// Block that instructions go to.
    pub(super) block: Block,
    /// Where each value lives, once it is known.
    pub(super) places: SecondaryMap<ir::Value, Option<Reg>>,
    /// Copies of parts of registers that a block passes on: its edges share them.
    passed: FxHashMap<(Block, Reg, u8), VReg>,
    /// The words of values that stand in two registers.
    pub(super) apart: SecondaryMap<ir::Value, Option<[Reg; 2]>>,
    /// Constants that stand in a register of the current block.
    pub(super) constants: FxHashMap<(ir::Value, u8), Reg>,
    /// Fragments that stand side by side in one register of the current block: a product does not change them.
    pub(super) fragments: FxHashMap<Vec<ir::Value>, VReg>,
    /// The descriptor of global memory, and the base of the shared window, made in the entry block.
    pub(super) descriptor: Option<VReg>,
    pub(super) shared_base: Option<VReg>,
    /// Results that somebody reads.
    needed: &'a SecondaryMap<ir::Value, bool>,
    pub(super) words: &'a Words,
    /// Masks for which the lanes of the current block are together.
    converged: Vec<ir::Value>,
    /// Whether lanes of the current block waited for those of a mask of their own, and may be apart since.
    scattered: bool,
    /// Whether the current operation names the lanes that execute it, and no others.
    own_group: bool,
    /// Whether something has brought all lanes together in the current block, and nothing has scattered them since.
    gathered: bool,
    /// Whether lanes may come to the current block one by one.
    loose: bool,
    /// Whether lanes may be on their way to an end while others come to a barrier of the block in the current block.
    deserted: bool,
    /// Whether lanes of a warp may come to different barriers of the block that are not `.aligned`.
    several_barriers: bool,
    blocks: SecondaryMap<ir::Block, Option<Block>>,
    forms: FxHashMap<String, FormId>,
    /// Instructions for the front of the entry block.
    pub(super) prologue: Vec<MInst>,
    /// The function's number in the module.
    pub(super) index: Option<usize>,
    /// Line and row, for errors.
    pub(super) line: u32,
    pub(super) rule: &'a str,
    temps: FxHashMap<&'static str, VReg>,
}

/// Emits all blocks in the order of the plan.
pub fn emit(
    module: &ir::Module,
    source: &ir::Function,
    layout: &Layout,
    chip: Chip,
    plan: &Plan,
) -> Result<Function, Error> {
    let out = Function::new(source.name.clone(), chip);
    let block = out.entry;
    let mut e = Emitter {
        module,
        source,
        layout,
        chip,
        out,
        block,
        places: SecondaryMap::with_default(None),
        passed: FxHashMap::default(),
        apart: SecondaryMap::with_default(None),
        constants: FxHashMap::default(),
        fragments: FxHashMap::default(),
        descriptor: None,
        shared_base: None,
        needed: &plan.needed,
        words: &plan.words,
        converged: Vec::new(),
        scattered: false,
        own_group: false,
        gathered: false,
        loose: false,
        deserted: false,
        several_barriers: false,
        blocks: SecondaryMap::with_default(None),
        forms: FxHashMap::default(),
        prologue: Vec::new(),
        index: module.functions.iter().position(|f| std::ptr::eq(f, source)),
        line: 0,
        rule: "",
        temps: FxHashMap::default(),
    };
    if let Some(i) = e.index {
        e.out.shared_bytes = layout.shared[i] as u32;
        e.out.frame.local_bytes = layout.local[i] as u32;
    }
    e.out.param_bytes = source.param_size;
    if let Some(n) = source.maxnreg {
        e.out.max_registers = e.out.max_registers.min(n);
    }
    let names: FxHashMap<ir::Value, &ir::Name> = source.names.0.iter().map(|n| (n.value, n)).collect();
    for (n, &b) in plan.order.iter().enumerate() {
        let target = if n == 0 { e.out.entry } else { e.out.add_block() };
        e.blocks[b] = Some(target);
        for &p in &source.blocks[b].params {
            let v = e.fresh(p);
            e.out.blocks[target].params.push(v);
            if let Some(&&ir::Name { register, line, .. }) = names.get(&p) {
                let place = e.out.place(v);
                e.out.held.0.push(Held { block: target, line, register, place });
            }
        }
    }
    let uniform = ir::uniformity::Uniformity::new(source);
    let yields = yields(source);
    e.several_barriers = uniform.several_barriers();
    for &b in &plan.order {
        e.block = e.target(b);
        if yields.contains(&b) {
            e.rule = "yield";
            let inst = e.form("yield")?;
            e.push(MInst::new(inst));
        }
        e.constants.clear();
        e.fragments.clear();
        e.converged.clear();
        e.scattered = false;
        e.gathered = false;
        e.loose = uniform.scattered(b);
        e.deserted = uniform.deserted(b);
        for &i in &source.blocks[b].insts {
            e.line = source.insts[i].line;
            match &plan.fates[i] {
                Fate::Nothing | Fate::Apart => {}
                Fate::Word(unit) => {
                    let reg = e.value(source.insts[i].args[0], Some(*unit))?;
                    e.places[source.insts[i].results[0]] = Some(reg);
                }
                Fate::Code => {
                    e.converge(i, uniform.together(b) && !e.scattered)?;
                    e.launch_value(i)?;
                    if uniform.scatters(&source.insts[i]) {
                        (e.scattered, e.gathered) = (true, false);
                        e.converged.clear();
                    }
                }
                Fate::Row(row, bindings) => {
                    e.own_group = e.names_own_group(b, i);
                    e.converge(i, uniform.together(b) && !e.scattered)?;
                    let collective = e.arrive(i)?;
                    if uniform.scatters(&source.insts[i]) {
                        (e.scattered, e.gathered) = (true, false);
                        e.converged.retain(|mask| Some(*mask) == super::plan::member_mask(&source.insts[i]));
                    }
                    if !e.whole_warp(i)? && !e.masked(i)? {
                        e.row(i, row, bindings)?;
                    }
                    if collective {
                        e.end_collective()?;
                    }
                }
            }
        }
        e.line = source.blocks[b].line;
        e.out.blocks[e.block].line = e.line;
        e.terminator(b, uniform.parts(b).is_none())?;
    }
    let entry = e.out.entry;
    e.out.blocks[entry].insts.splice(0..0, e.prologue);
    crate::lines::inherit(&mut e.out);
    Ok(e.out)
}

/// Where lanes yield: at the begin of each loop in which a thread may wait for another of its warp, which the lanes that wait
/// at a convergence barrier hold up (C11 of `docs/convergence.md`).
fn yields(f: &ir::Function) -> std::collections::HashSet<ir::Block> {
    let nest = sassafras_graph::nest::Nest::new(&f.graph());
    let spins = ir::uniformity::spins(f, &nest);
    spins.into_iter().flat_map(|cycle| nest.cycles[cycle].entries.clone()).collect()
}

/// Whether lanes may wait for others at an operation that has no member mask, or come from it one by one.
fn separates(op: &ir::Op) -> bool {
    matches!(op, ir::Op::Barrier { .. } | ir::Op::SystemCall(_) | ir::Op::Opaque(_))
}

/// Register class of a value: predicates for one bit, general registers for all else.
pub(super) fn class_of(ty: ir::Type) -> (RegClass, u8) {
    match ty.bits() {
        1 => (RegClass::P, 1),
        bits => (RegClass::R, bits.div_ceil(32) as u8),
    }
}

impl Emitter<'_> {
    pub(super) fn target(&self, block: ir::Block) -> Block {
        self.blocks[block].expect("every block of the order has a target")
    }

    pub(super) fn fail(&self, message: impl std::fmt::Display) -> Error {
        Error::Rule { line: self.line, rule: self.rule.to_owned(), message: message.to_string() }
    }

    /// What this chip has no code for yet.
    pub(super) fn lacks(&self, what: &str) -> Error {
        Error::NoRule { line: self.line, operation: format!("{what} on {}", self.chip) }
    }

    pub(super) fn builder(&mut self) -> Builder<'_> {
        Builder::at(&mut self.out, self.block)
    }

    pub(super) fn push(&mut self, mut inst: MInst) {
        let apart = self.loose || self.scattered;
        inst.scattered = apart
            && inst.inst().is_some_and(|inst| match waits_for_all(inst) {
                true => !self.gathered,
                false => inst.row().meaning == Meaning::Warpsync && !self.own_group,
            });
        self.out.blocks[self.block].insts.push(inst.from_line(self.line));
    }

    /// Whether the mask of an operation is that of the lanes that execute it together: none of them waits for lanes elsewhere.
    fn names_own_group(&self, block: ir::Block, at: ir::Inst) -> bool {
        let Some(mask) = self.source.insts[at].member_mask() else { return false };
        let insts = &self.source.blocks[block].insts;
        let before = insts.iter().rev().skip_while(|&&inst| inst != at).skip(1);
        for data in before.map(|&inst| &self.source.insts[inst]) {
            if data.results.contains(&mask) {
                return data.op == ir::Op::ActiveMask;
            }
            // What waits, and whatever lets lanes go one by one, may leave the group another.
            let asks_for = super::plan::member_mask(data).is_some_and(|other| other != mask);
            if asks_for || data.op == ir::Op::WarpSync || data.op.of_whole_warp() || separates(&data.op) {
                return false;
            }
        }
        false
    }

    /// A new register for a value, and its place.
    pub(super) fn fresh(&mut self, value: ir::Value) -> VReg {
        let (class, units) = class_of(self.source.values[value].ty);
        let v = self.out.add_vreg(class, units);
        self.places[value] = Some(v.into());
        v
    }

    /// An instruction of a family named in code.
    pub(super) fn form(&mut self, id: &str) -> Result<Inst, Error> {
        if let Some(&f) = self.forms.get(id) {
            return Ok(Inst::new(f));
        }
        let f = form_on(id, self.chip).ok_or_else(|| self.fail(format!("no form `{id}`")))?;
        self.forms.insert(id.to_owned(), f);
        Ok(Inst::new(f))
    }

    /// A wait for all lanes of the warp: a form of its own, or a mask of all.
    fn all_lanes(&mut self) -> Result<Inst, Error> {
        if form_on("warpsync.all", self.chip).is_some() {
            return self.form("warpsync.all");
        }
        let inst = self.form("warpsync.i")?;
        inst.try_with("m", u64::from(u32::MAX)).map_err(|e| self.fail(e))
    }

    /// Brings the lanes of a cross-lane operation's mask together, unless they are (docs/convergence.md, P3).
    fn converge(&mut self, at: ir::Inst, together: bool) -> Result<(), Error> {
        if self.source.insts[at].op.of_whole_warp() {
            if !together {
                self.rule = "converge";
                let inst = self.all_lanes()?;
                self.push(MInst::new(inst));
                (self.scattered, self.gathered) = (false, true);
            }
            return Ok(());
        }
        let Some(mask) = super::plan::member_mask(&self.source.insts[at]) else { return Ok(()) };
        let all = self.constant(mask).is_some_and(|bits| bits as u32 == u32::MAX);
        if (all && together) || self.converged.contains(&mask) {
            return Ok(());
        }
        self.rule = "converge";
        let mut inst = if all { self.all_lanes()? } else { self.form("warpsync")? };
        if !all {
            let reg = self.value(mask, None)?;
            inst.set("a", reg.to_field()).map_err(|e| self.fail(e))?;
        }
        self.push(MInst::new(inst));
        self.scattered &= !all;
        self.gathered |= all;
        self.converged.push(mask);
        Ok(())
    }

    /// Brings the lanes of a warp together in front of a barrier of the block, unless they come as one group: hardware lets a warp arrive as a whole (C14). Where a
    /// branch keeps some of them away, `.aligned` says that the others are all that are left, or will be when those have ended. Without it they may be at another barrier:
    /// then they arrive for themselves, and the answer is yes.
    fn arrive(&mut self, at: ir::Inst) -> Result<bool, Error> {
        let ir::Op::Barrier { aligned, .. } = self.source.insts[at].op else { return Ok(false) };
        self.rule = "converge";
        if !aligned && self.several_barriers {
            if form_on("warpsync.collective.all", self.chip).is_none() {
                let what =
                    "barriers without `.aligned`, to several of which lanes of a warp may come at once,";
                return Err(self.lacks(what));
            }
            let inst = self.form("warpsync.collective.all")?;
            self.push(MInst::new(inst));
            return Ok(true);
        }
        let one_group = self.gathered || !self.loose && !self.scattered && !self.deserted;
        if !aligned || !one_group {
            let inst = self.all_lanes()?;
            self.push(MInst::new(inst));
            (self.scattered, self.gathered) = (false, true);
        }
        Ok(false)
    }

    /// Behind it lanes that arrived for themselves go on as they did.
    fn end_collective(&mut self) -> Result<(), Error> {
        self.rule = "converge";
        let inst = self.form("endcollective")?;
        self.push(MInst::new(inst));
        (self.scattered, self.gathered) = (true, false);
        self.converged.clear();
        Ok(())
    }

    /// `bar.warp.sync` of all lanes: the form without a register. False if the row will do.
    fn whole_warp(&mut self, at: ir::Inst) -> Result<bool, Error> {
        let data = &self.source.insts[at];
        let all = |&mask: &ir::Value| self.constant(mask).is_some_and(|bits| bits as u32 == u32::MAX);
        if data.op != ir::Op::WarpSync || !data.args.first().is_some_and(all) {
            return Ok(false);
        }
        self.rule = "warpsync.all";
        let inst = self.all_lanes()?;
        self.push(MInst::new(inst));
        (self.scattered, self.gathered) = (false, true);
        Ok(true)
    }

    fn row(&mut self, at: ir::Inst, row: &'static Row, bindings: &Bindings) -> Result<(), Error> {
        self.rule = &row.name;
        self.temps.clear();
        let data = &self.source.insts[at];
        let wide = self.prepare_results(at, row)?;
        for action in &row.actions {
            match action {
                Action::Emit(emit) => self.instruction(at, emit, bindings, wide)?,
                Action::Pack(result, parts) => self.pack(at, result, parts, bindings)?,
                Action::Copy(result, from) => {
                    let Term::Result(n, None) = result else {
                        return Err(self.fail("`copy` to what is no result"));
                    };
                    let value = data.results[*n];
                    let (class, units) = class_of(self.source.values[value].ty);
                    let from = self.term(at, from, bindings, class, units)?;
                    self.places[value] = Some(from);
                }
            }
        }
        if let Some(wide) = wide {
            self.spread_results(at, wide)?;
        }
        Ok(())
    }

    fn pack(
        &mut self,
        at: ir::Inst,
        result: &'static Term,
        parts: &'static [Term],
        bindings: &Bindings,
    ) -> Result<(), Error> {
        if let Term::Temp(name, None) = result {
            let mut places = Vec::new();
            for part in parts {
                let reg = self.term(at, part, bindings, RegClass::R, 1)?;
                let class = reg.vreg().map_or(RegClass::R, |v| self.out.vregs[v].class);
                places.push(Place { class, reg, units: 1 });
            }
            let v = self.builder().pack(&places);
            self.temps.insert(name, v);
            return Ok(());
        }
        let Term::Result(n, None) = result else { return Err(self.fail("`pack` to what is no result")) };
        let value = self.source.insts[at].results[*n];
        let units = class_of(self.source.values[value].ty).1 / parts.len() as u8;
        let places = parts
            .iter()
            .map(|p| {
                Ok(Place { class: RegClass::R, reg: self.term(at, p, bindings, RegClass::R, units)?, units })
            })
            .collect::<Result<Vec<_>, Error>>()?;
        if let [low, high] = places[..]
            && units == 1
            && self.words.apart(value)
        {
            self.apart[value] = Some([low.reg, high.reg]);
            return Ok(());
        }
        let v = self.builder().pack(&places);
        self.places[value] = Some(v.into());
        Ok(())
    }

    fn instruction(
        &mut self,
        at: ir::Inst,
        emit: &'static Emit,
        bindings: &Bindings,
        wide: Option<VReg>,
    ) -> Result<(), Error> {
        let mut id = String::with_capacity(16);
        for piece in &emit.form {
            match piece {
                FormPiece::Text(t) => id.push_str(t),
                FormPiece::Kind(name) => id.push(self.binding(bindings, name)?.letter()),
            }
        }
        let mut inst = self.form(&id)?;
        // A predicate that is named is meant as it is, whatever the field's default says.
        for (name, _) in &emit.fields {
            if let Some(flag) = inst.row().field(&format!("{name}.not")) {
                inst.fields[flag] = 0;
            }
        }
        // Enums first: they decide how many registers an operand spans.
        for registers in [false, true] {
            for (name, term) in &emit.fields {
                if matches!(name.as_str(), "guard" | "!guard") {
                    if registers {
                        let reg = self.term(at, term, bindings, RegClass::P, 1)?;
                        inst.guard.pred = reg.to_field() as u32;
                        inst.guard.negate = name.starts_with('!');
                    }
                    continue;
                }
                // A chip without descriptors has no field for one.
                if *term == Term::Descriptor && self.chip.bank().global_descriptor.is_none() {
                    continue;
                }
                let index = inst
                    .row()
                    .field(name)
                    .ok_or_else(|| self.fail(format!("`{id}` has no field `{name}`")))?;
                match inst.row().fields[index].kind {
                    FieldKind::Register { class, .. } if registers => {
                        self.register_field(at, &mut inst, index, class, term, bindings, wide)?;
                    }
                    FieldKind::Register { .. } => {}
                    _ if registers => {}
                    kind => self.plain_field(at, &mut inst, index, kind, term, bindings)?,
                }
            }
        }
        let mut minst = MInst::new(inst);
        if let Some(g) = self.source.insts[at].guard
            && (matches!(self.source.insts[at].op, ir::Op::Opaque(_))
                || minst.inst().is_some_and(|i| i.row().memory.is_some() || i.row().control_flow.is_some()))
        {
            let (reg, negate) = self.predicate(g.value)?;
            if let Some(inst) = minst.inst_mut() {
                inst.guard.pred = reg.to_field() as u32;
                inst.guard.negate = negate ^ g.negate;
            }
        }
        self.keep(at, &mut minst)?;
        minst.ordered = minst.inst().is_some_and(|i| i.row().memory.is_some()) && self.ordered(at);
        self.push(minst);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn register_field(
        &mut self,
        at: ir::Inst,
        inst: &mut Inst,
        index: usize,
        class: RegClass,
        term: &'static Term,
        bindings: &Bindings,
        wide: Option<VReg>,
    ) -> Result<(), Error> {
        let units = inst.units(index);
        let name = inst.row().fields[index].name;
        if let Term::Result(n, None) = term
            && self.source.insts[at].results.get(*n).is_none_or(|&r| !self.needed[r])
            && class.constant().is_some()
        {
            // Nobody reads it: the field keeps RZ or PT.
            return Ok(());
        }
        let reg = match term {
            Term::Results => match wide {
                Some(v) => v.into(),
                None => self.result(at, 0)?,
            },
            Term::Args => self.gather_args(at, units)?,
            Term::Descriptor => self.global_descriptor()?.into(),
            Term::Operand(operand, unit) => match self.binding(bindings, operand)? {
                Binding::Register { value, negate, absolute } => {
                    let (reg, complement) = if class == RegClass::P {
                        self.predicate(value)?
                    } else {
                        (self.value(value, *unit)?, false)
                    };
                    let flip = negate ^ complement;
                    if flip && class == RegClass::P {
                        let flag = format!("{name}.not");
                        if inst.row().field(&flag).is_some() {
                            let old = inst.get(&flag).unwrap_or(0);
                            inst.set(&flag, old ^ 1).map_err(|e| self.fail(e))?;
                            reg
                        } else {
                            self.complement(reg)?
                        }
                    } else {
                        self.modify(inst, name, negate, absolute)?;
                        reg
                    }
                }
                Binding::Half { value, high, negate, absolute } => {
                    self.modify(inst, name, negate, absolute)?;
                    let text = if high { ".H1_H1" } else { ".H0_H0" };
                    inst.set_enum(&format!("{name}s"), text).map_err(|e| self.fail(e))?;
                    self.value(value, None)?
                }
                other => {
                    return Err(
                        self.fail(format!("`{operand}` is {other:?}, and the field needs a register"))
                    );
                }
            },
            _ => self.term(at, term, bindings, class, units)?,
        };
        inst.fields[index] = reg.to_field();
        // Some forms do not take RZ where a value is wanted.
        if reg == Reg::Physical(255) && inst.is_denied() {
            let zero = Place { class, reg, units: 1 };
            let held = match units {
                1 => self.move_immediate(0)?,
                _ => self.builder().pack(&vec![zero; usize::from(units)]).into(),
            };
            inst.fields[index] = held.to_field();
        }
        Ok(())
    }

    /// Sets the negation and absolute-value flags of an operand.
    fn modify(&mut self, inst: &mut Inst, name: &str, negate: bool, absolute: bool) -> Result<(), Error> {
        for (flag, on) in [("neg", negate), ("abs", absolute)] {
            if on {
                let flag = format!("{name}.{flag}");
                let old = inst.get(&flag).ok_or_else(|| self.fail(format!("no flag `{flag}`")))?;
                inst.set(&flag, old ^ 1).map_err(|e| self.fail(e))?;
            }
        }
        Ok(())
    }

    fn plain_field(
        &mut self,
        at: ir::Inst,
        inst: &mut Inst,
        index: usize,
        kind: FieldKind,
        term: &'static Term,
        bindings: &Bindings,
    ) -> Result<(), Error> {
        let name = inst.row().fields[index].name;
        match term {
            Term::Text(text) => inst.set_enum(name, text).map_err(|e| self.fail(e))?,
            Term::Integer(n) => inst.fields[index] = *n as u64,
            Term::Window(name, unit) => {
                let base = window(name, self.chip);
                let base = base.ok_or_else(|| self.fail(format!("no window `{name}` on this chip")))?;
                inst.fields[index] = u64::from(base + 4 * u32::from(*unit));
            }
            Term::Rest(operand) => match self.binding(bindings, operand)? {
                Binding::Immediate(bits) if bits < 32 => inst.fields[index] = 32 - bits as u64,
                other => return Err(self.fail(format!("`{operand}` is {other:?}, and no count"))),
            },
            Term::Attribute(node, attr) => {
                let of = match node {
                    Some(n) => bindings.nodes.iter().find(|(m, _)| m == n).map(|(_, i)| *i),
                    None => Some(at),
                };
                let of = of.ok_or_else(|| self.fail(format!("no node `{node:?}`")))?;
                match self.attribute(of, attr)? {
                    Attribute::Flag(on) => inst.fields[index] = u64::from(on),
                    Attribute::Number(n) => inst.fields[index] = n as u64,
                    Attribute::Text(t) => inst.set_enum(name, t).map_err(|e| self.fail(e))?,
                }
            }
            Term::Operand(operand, unit) => match self.binding(bindings, operand)? {
                Binding::Immediate(bits) => {
                    let word = (bits >> (32 * u32::from(unit.unwrap_or(0)))) as u32;
                    inst.fields[index] = match kind {
                        FieldKind::Signed { .. } => i64::from(word as i32) as u64,
                        FieldKind::Float64High => (bits >> 32) as u64,
                        _ => u64::from(word),
                    };
                }
                Binding::Bank { bank, offset, negate, absolute } => {
                    let first = if bank == 0 { self.chip.bank().parameters } else { 0 };
                    inst.fields[index] = u64::from(first + offset + 4 * u32::from(unit.unwrap_or(0)));
                    if bank != 0 {
                        inst.set(&format!("{name}.bank"), bank.into()).map_err(|e| self.fail(e))?;
                    }
                    self.modify(inst, name, negate, absolute)?;
                }
                other => {
                    return Err(
                        self.fail(format!("`{operand}` is {other:?}, and the field `{name}` no register"))
                    );
                }
            },
            other => return Err(self.fail(format!("the field `{name}` cannot hold {other:?}"))),
        }
        Ok(())
    }

    fn attribute(&self, inst: ir::Inst, name: &str) -> Result<Attribute, Error> {
        let op = &self.source.insts[inst].op;
        if let (ir::Op::Load(a), "offset") = (op, name)
            && a.space == sassafras_semantics::Space::Param
        {
            // The block of parameters stands in bank 0.
            return Ok(Attribute::Number(i64::from(a.offset) + i64::from(self.chip.bank().parameters)));
        }
        attribute_on(op, name, self.chip).ok_or_else(|| self.fail(format!("no attribute `{name}`")))
    }

    fn binding(&self, bindings: &Bindings, name: &str) -> Result<Binding, Error> {
        let found = bindings.values.iter().find(|(n, _)| *n == name);
        found.map(|(_, b)| *b).ok_or_else(|| self.fail(format!("no operand `{name}`")))
    }

    pub(super) fn result(&mut self, at: ir::Inst, n: usize) -> Result<Reg, Error> {
        match self.source.insts[at].results.get(n) {
            Some(&value) => Ok(match self.places[value] {
                Some(reg) => reg,
                None => self.fresh(value).into(),
            }),
            None => Err(self.fail(format!("no result {n}"))),
        }
    }

    /// A term of a row as a register of a class and a number of units.
    fn term(
        &mut self,
        at: ir::Inst,
        term: &'static Term,
        bindings: &Bindings,
        class: RegClass,
        units: u8,
    ) -> Result<Reg, Error> {
        match term {
            Term::Result(n, unit) => Ok(self.result(at, *n)?.offset(unit.unwrap_or(0))),
            Term::Operand(name, unit) => match self.binding(bindings, name)? {
                Binding::Register { value, negate: false, absolute: false } => self.value(value, *unit),
                Binding::Register { value, negate: true, absolute: false } if class == RegClass::P => {
                    let (reg, negate) = self.predicate(value)?;
                    if negate { Ok(reg) } else { self.complement(reg) }
                }
                other => Err(self.fail(format!("`{name}` is {other:?}, and a register is needed"))),
            },
            Term::Temp(name, unit) => {
                let known = self.temps.get(name.as_str()).copied();
                let v = known.unwrap_or_else(|| self.out.add_vreg(class, units));
                self.temps.insert(name, v);
                Ok(Reg::part(v, unit.unwrap_or(0)))
            }
            Term::Integer(n) if class == RegClass::R && *n == 0 => Ok(Reg::Physical(255)),
            Term::Integer(n) => Ok(Reg::Physical(*n as u16)),
            other => Err(self.fail(format!("{other:?} is no register"))),
        }
    }

    fn terminator(&mut self, b: ir::Block, uniform: bool) -> Result<(), Error> {
        let source = self.source;
        self.rule = "terminator";
        match &source.blocks[b].terminator {
            ir::Terminator::Jump(edge) => {
                let edge = self.edge(edge)?;
                self.out.blocks[self.block].succs = vec![edge];
            }
            ir::Terminator::Branch { condition, then, otherwise } => {
                let (reg, negate) = self.predicate(*condition)?;
                let (then, otherwise) = (self.edge_apart(then)?, self.edge_apart(otherwise)?);
                let target = then.block;
                let mut inst = self.form("bra")?;
                inst.guard.pred = reg.to_field() as u32;
                inst.guard.negate = negate;
                let mut inst = MInst::new(inst);
                inst.target = Some(target);
                inst.uniform = uniform;
                self.push(inst);
                self.out.blocks[self.block].succs = vec![then, otherwise];
            }
            ir::Terminator::Switch { .. } => {
                return Err(self.fail("a switch must become a compare tree before selection"));
            }
            ir::Terminator::Trap => {
                let trap = self.form("bpt.trap")?;
                self.push(MInst::new(trap));
                let exit = self.form("exit")?;
                self.push(MInst::new(exit));
            }
            ir::Terminator::Exit | ir::Terminator::Unreachable => {
                let exit = self.form("exit")?;
                self.push(MInst::new(exit));
            }
        }
        Ok(())
    }

    /// An edge of a branch. Where it passes on parts of a product's accumulator, the copies stand in a block of its own, where the accumulator may end: they
    /// are to be nothing, as a product may be under way.
    fn edge_apart(&mut self, edge: &ir::Edge) -> Result<Edge, Error> {
        let product = |&arg: &ir::Value| {
            let op = self.source.def_op(arg);
            matches!(op, Some(ir::Op::Opaque(op)) if op.head() == "wgmma")
        };
        if !edge.args.iter().any(product) {
            return self.edge(edge);
        }
        let (block, middle) = (self.block, self.out.add_block());
        let constants = self.constants.clone();
        self.block = middle;
        let inner = self.edge(edge)?;
        self.out.blocks[middle].succs = vec![inner];
        self.out.blocks[middle].line = self.line;
        (self.block, self.constants) = (block, constants);
        Ok(Edge::to(middle))
    }

    fn edge(&mut self, edge: &ir::Edge) -> Result<Edge, Error> {
        let mut args = Vec::with_capacity(edge.args.len());
        for &arg in &edge.args {
            let (class, units) = class_of(self.source.values[arg].ty);
            let (reg, negate) = match class {
                RegClass::P => self.predicate(arg)?,
                _ => (self.value(arg, None)?, false),
            };
            let reg = if negate { self.complement(reg)? } else { reg };
            let whole = reg.vreg().filter(|&v| reg == v.into() && self.out.vregs[v].units == units);
            let passed = self.passed.get(&(self.block, reg, units)).copied();
            args.push(match whole.or(passed) {
                Some(v) => v,
                None => {
                    let dst = self.out.add_vreg(class, units);
                    // A constant is made for each on its own: it costs no more than a copy.
                    if reg.vreg().is_some() {
                        self.passed.insert((self.block, reg, units), dst);
                    }
                    let dst_place = Place::of(dst, class, units);
                    if units > 1 && reg == Reg::Physical(255) {
                        let parts = vec![Place { class, reg, units: 1 }; usize::from(units)];
                        self.push(MInst::pseudo(Pseudo::Pack { dst, parts: parts.into() }));
                    } else {
                        let src = Place { class, reg, units };
                        self.push(MInst::pseudo(Pseudo::Copy { dst: dst_place, src }));
                    }
                    dst
                }
            });
        }
        Ok(Edge { block: self.target(edge.block), args })
    }
}
