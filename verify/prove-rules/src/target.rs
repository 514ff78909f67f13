//! The right side of a rule: its instructions written out and executed. The notation of `sassafras_rules::select` says what
//! a row means; the selection engine is not asked.

use super::instance::{How, Instance, Node, Operand};
use super::machine::Machine;
use super::source::{Effect, elements};
use super::symbols::{Mark, Symbols};
use super::world::bare;
use rustc_hash::FxHashMap;
use sassafras_ir::Op;
use sassafras_isa::{FieldKind, Inst, PT, RegClass, Register, encode};
use sassafras_rules::select::attribute::{Attribute, attribute_on};
use sassafras_rules::select::{Action, Emit, FormPiece, Row, Value, window};
use sassafras_semantics::{Domain, Space, TermId, Terms};

/// Why the right side was not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The engine writes no instruction here and reports an error: there is no such form, text or encoding.
    NoCode(String),
    /// The instruction is there, and nothing says what it means.
    NoMeaning(String),
    /// The row says something that it cannot mean.
    Row(String),
}

/// Byte offset of the first operand in constant bank 0: behind the launch words, where the parameters are.
const BANK: u64 = 0x400;

struct Writer<'t, 'i> {
    d: Symbols<'t>,
    instance: &'i Instance,
    machine: Machine,
    /// First register of each named value.
    places: FxHashMap<String, Register>,
    /// Words of the bank per operand.
    words: FxHashMap<String, u64>,
    marks: FxHashMap<String, [u32; 2]>,
    /// Next free register per class.
    next: FxHashMap<RegClass, u32>,
    /// Results that `pack` or `copy` gave.
    given: FxHashMap<usize, TermId>,
}

/// The effect of the instructions. `salt` chooses the marks of immediates.
///
/// # Errors
/// See [`Stop`].
pub fn effect(terms: &Terms, row: &Row, instance: &Instance, salt: u32) -> Result<Effect, Stop> {
    let mut w = Writer {
        d: Symbols { terms, marks: Vec::new(), undefined: Default::default() },
        instance,
        machine: Machine::new(instance.chip),
        places: FxHashMap::default(),
        words: FxHashMap::default(),
        marks: FxHashMap::default(),
        next: FxHashMap::default(),
        given: FxHashMap::default(),
    };
    w.operands(salt);
    for action in &row.actions {
        match action {
            Action::Emit(emit) => {
                let inst = w.instruction(emit)?;
                w.machine.execute(&w.d, &inst).map_err(|t| Stop::NoMeaning(t.to_string()))?;
            }
            Action::Pack(Value::Temp(name, None), parts) => {
                let sources = parts
                    .iter()
                    .map(|p| {
                        let (place, unit) = match p {
                            Value::Temp(part, unit) => (w.places.get(&format!("%{part}")), *unit),
                            Value::Operand(part, unit) => (w.places.get(part.as_str()), *unit),
                            Value::Integer(0) => (Some(&ZERO), None),
                            other => return Err(Stop::Row(format!("{other:?} is no part"))),
                        };
                        Ok(place.map(|place| (*place, u32::from(unit.unwrap_or(0)))))
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                let missing = || Stop::Row(format!("a part of `%{name}` has no place"));
                let class = sources.first().copied().flatten().ok_or_else(missing)?.0.class;
                let first = w.allocate(&format!("%{name}"), class, parts.len() as u32);
                for (i, source) in (0..).zip(sources) {
                    let (place, unit) = source.ok_or_else(missing)?;
                    let value = w.read(place, unit, 32)?;
                    w.machine.registers.insert(Register { number: first.number + i, ..first }, value);
                }
            }
            Action::Pack(Value::Result(n, None), parts) => {
                let width = w.instance.root.shape.results.get(*n).copied();
                let each = width.ok_or_else(|| Stop::Row(format!("no result {n}")))? / parts.len() as u32;
                let values = parts.iter().map(|p| w.wide(p, each)).collect::<Result<Vec<_>, _>>()?;
                let all = elements(terms, &values, each).ok_or_else(|| Stop::Row("an empty pack".into()))?;
                w.given.insert(*n, all);
            }
            Action::Copy(Value::Result(n, None), from) => {
                let width = w.instance.root.shape.results.get(*n).copied();
                let width = width.ok_or_else(|| Stop::Row(format!("no result {n}")))?;
                let value = w.wide(from, width)?;
                w.given.insert(*n, value);
            }
            other => return Err(Stop::Row(format!("{other:?} gives no result"))),
        }
    }
    w.finish(row)
}

/// RZ.
const ZERO: Register = Register { class: RegClass::R, number: 255 };

impl Writer<'_, '_> {
    /// Puts the operands where the instructions find them.
    fn operands(&mut self, salt: u32) {
        let terms = self.d.terms;
        let mut bank = BANK;
        for (n, (name, &(width, how))) in self.instance.operands.iter().enumerate() {
            let Some(value) = bare(terms, self.instance, name) else { continue };
            match how {
                How::Register { zero: true, .. } => {
                    self.places.insert(name.clone(), Register { class: RegClass::R, number: 255 });
                }
                How::Register { .. } => self.put(name, value, width),
                How::Half { high, .. } => {
                    let (half, other) =
                        (terms.variable(name, 16), terms.variable(&format!("other.{name}"), 16));
                    let word = if high { terms.concat(&half, &other) } else { terms.concat(&other, &half) };
                    self.put(name, word, 32);
                }
                How::Bank { .. } => {
                    self.words.insert(name.clone(), bank);
                    for i in 0..width / 32 {
                        self.machine.bank.insert(bank + 4 * u64::from(i), terms.extract(&value, 32 * i, 32));
                    }
                    bank += 16;
                }
                How::Immediate(Some(_)) => {}
                How::Immediate(None) | How::Byte | How::High => {
                    let mut words = [0; 2];
                    for unit in 0..width.div_ceil(32) {
                        // Of 16 bits the word is the zero extension.
                        let low = 0x5bd1 + 0x1357 * salt + 0x111 * (2 * n as u32 + unit);
                        let word = if width < 32 { low } else { low << 16 | 0x9e37 ^ salt };
                        let part = terms.zext(&terms.extract(&value, 32 * unit, width.min(32)), 32);
                        words[unit as usize] = word;
                        self.d.marks.push(Mark { word, value: part });
                    }
                    self.marks.insert(name.clone(), words);
                }
            }
        }
    }

    /// A value in new registers.
    fn put(&mut self, name: &str, value: TermId, width: u32) {
        let class = if width == 1 { RegClass::P } else { RegClass::R };
        let units = width.div_ceil(32);
        let first = self.allocate(name, class, units);
        let terms = self.d.terms;
        if width == 1 {
            self.machine.registers.insert(first, value);
            return;
        }
        // Whatever stands above a value of 16 bits.
        let value = match width {
            16 => terms.concat(&terms.variable(&format!("above.{name}"), 16), &value),
            _ => value,
        };
        for i in 0..units {
            let register = Register { number: first.number + i, ..first };
            self.machine.registers.insert(register, terms.extract(&value, 32 * i, 32));
        }
    }

    fn allocate(&mut self, name: &str, class: RegClass, units: u32) -> Register {
        if let Some(&register) = self.places.get(name) {
            return register;
        }
        let next = self.next.entry(class).or_insert(0);
        let align = units.next_power_of_two().max(1);
        let number = next.next_multiple_of(align);
        *next = number + units;
        let register = Register { class, number };
        self.places.insert(name.to_owned(), register);
        register
    }

    fn instruction(&mut self, emit: &Emit) -> Result<Inst, Stop> {
        let mut id = String::new();
        for piece in &emit.form {
            match piece {
                FormPiece::Text(t) => id.push_str(t),
                FormPiece::Kind(name) => id.push(self.how(name)?.letter()),
            }
        }
        let form = sassafras_isa::form_on(&id, self.instance.chip)
            .ok_or_else(|| Stop::NoCode(format!("no form `{id}`")))?;
        let mut inst = Inst::new(form);
        for (name, _) in &emit.fields {
            if let Some(flag) = inst.row().field(&format!("{name}.not")) {
                inst.fields[flag] = 0;
            }
        }
        for registers in [false, true] {
            for (name, value) in &emit.fields {
                // A chip without descriptors has no field for one.
                if *value == Value::Descriptor && self.instance.chip.bank().global_descriptor.is_none() {
                    continue;
                }
                let index = inst.row().field(name);
                let index = index.ok_or_else(|| Stop::Row(format!("`{id}` has no field `{name}`")))?;
                match inst.row().fields[index].kind {
                    FieldKind::Register { class, .. } if registers => {
                        self.register(&mut inst, index, class, value)?;
                    }
                    FieldKind::Register { .. } => {}
                    _ if registers => {}
                    kind => self.number(&mut inst, index, kind, value)?,
                }
            }
        }
        encode(&inst, self.instance.chip).map_err(|e| Stop::NoCode(e.to_string()))?;
        Ok(inst)
    }

    fn how(&self, name: &str) -> Result<How, Stop> {
        let known = self.instance.operands.get(name);
        known.map(|(_, how)| *how).ok_or_else(|| Stop::Row(format!("no operand `{name}`")))
    }

    fn register(
        &mut self,
        inst: &mut Inst,
        index: usize,
        class: RegClass,
        value: &Value,
    ) -> Result<(), Stop> {
        let units = u32::from(inst.units(index));
        let field = inst.row().fields[index].name;
        let at = |first: Register, unit: &Option<u8>| {
            let unit = u32::from(unit.unwrap_or(0));
            if first.number == 255 { 255 } else { u64::from(first.number + unit) }
        };
        inst.fields[index] = match value {
            Value::Operand(name, unit) => {
                let (negate, absolute) = match self.how(name)? {
                    How::Register { negate, absolute, .. } => (negate, absolute),
                    How::Half { high, negate, absolute } => {
                        let text = if high { ".H1_H1" } else { ".H0_H0" };
                        inst.set_enum(&format!("{field}s"), text).map_err(|e| Stop::NoCode(e.to_string()))?;
                        (negate, absolute)
                    }
                    _ => return Err(Stop::Row(format!("`{field}` needs a register for `{name}`"))),
                };
                let first =
                    *self.places.get(name).ok_or_else(|| Stop::Row(format!("no place for `{name}`")))?;
                if class == RegClass::P && negate {
                    flip(inst, field, "not")?;
                } else {
                    modify(inst, field, negate, absolute)?;
                }
                at(first, unit)
            }
            Value::Result(n, unit) => at(self.allocate(&format!("={n}"), class, units), unit),
            Value::Results => at(self.allocate("=all", class, units), &None),
            Value::Args => {
                let value = self.arguments()?;
                let width = self.d.width(&value).next_multiple_of(32);
                self.put("=args", self.d.terms.zext(&value, width), width);
                at(self.places["=args"], &None)
            }
            Value::Descriptor => at(self.allocate("=descriptor", class, units), &None),
            Value::Temp(name, unit) => at(self.allocate(&format!("%{name}"), class, units), unit),
            Value::Integer(n) => *n as u64,
            other => return Err(Stop::Row(format!("{other:?} is no register"))),
        };
        Ok(())
    }

    /// All arguments from the second on, side by side.
    fn arguments(&self) -> Result<TermId, Stop> {
        let root = &self.instance.root;
        let bytes = match root.shape.op {
            Op::Store(a) | Op::Load(a) => u32::from(a.bytes),
            _ => return Err(Stop::Row("only accesses have `args`".into())),
        };
        let terms = self.d.terms;
        let values: Vec<TermId> = root
            .args
            .iter()
            .enumerate()
            .skip(1)
            .map(|(i, arg)| match arg {
                Operand::Free(None) => Ok(terms.variable(&format!("arg{i}"), root.shape.args[i])),
                other => Err(Stop::Row(format!("`args` beside {other:?}"))),
            })
            .collect::<Result<_, _>>()?;
        elements(terms, &values, 8 * bytes).ok_or_else(|| Stop::Row("no arguments".into()))
    }

    fn number(&self, inst: &mut Inst, index: usize, kind: FieldKind, value: &Value) -> Result<(), Stop> {
        let field = inst.row().fields[index].name;
        let no_text = |e: sassafras_isa::UnknownField| Stop::NoCode(e.to_string());
        match value {
            Value::Text(text) => inst.set_enum(field, text).map_err(no_text)?,
            Value::Integer(n) => inst.fields[index] = *n as u64,
            Value::Window(name, unit) => {
                let base = window(name, self.instance.chip);
                let base = base.ok_or_else(|| Stop::NoCode(format!("no window `{name}`")))?;
                inst.fields[index] = u64::from(base + 4 * u32::from(*unit));
            }
            Value::Attribute(node, name) => match self.attribute(node.as_deref(), name)? {
                Attribute::Flag(on) => inst.fields[index] = u64::from(on),
                Attribute::Number(n) => inst.fields[index] = n as u64,
                Attribute::Text(text) => inst.set_enum(field, text).map_err(no_text)?,
            },
            Value::Rest(name) => match self.how(name)? {
                How::Immediate(Some(bits @ 0..32)) => inst.fields[index] = 32 - bits,
                other => return Err(Stop::Row(format!("`{name}` is {other:?}, and no count"))),
            },
            Value::Operand(name, unit) => {
                let unit = usize::from(unit.unwrap_or(0));
                match self.how(name)? {
                    How::Immediate(Some(bits)) => {
                        inst.fields[index] = extended(kind, (bits >> (32 * unit)) as u32);
                    }
                    How::Immediate(None) | How::Byte => {
                        inst.fields[index] = extended(kind, self.marks[name][unit]);
                    }
                    How::High => inst.fields[index] = u64::from(self.marks[name][1]),
                    How::Bank { negate, absolute } => {
                        inst.fields[index] = self.words[name] + 4 * unit as u64;
                        modify(inst, field, negate, absolute)?;
                    }
                    How::Register { .. } | How::Half { .. } => {
                        return Err(Stop::Row(format!("`{field}` cannot hold the register of `{name}`")));
                    }
                }
            }
            other => return Err(Stop::Row(format!("`{field}` cannot hold {other:?}"))),
        }
        Ok(())
    }

    fn attribute(&self, node: Option<&str>, name: &str) -> Result<Attribute, Stop> {
        let root = &self.instance.root;
        let of = match node {
            None => Some(root),
            Some(wanted) => find(root, wanted),
        };
        if let Some(Op::Load(access)) = of.map(|n| n.shape.op)
            && access.space == Space::Param
            && name == "offset"
        {
            // The block of parameters stands in bank 0.
            return Ok(Attribute::Number(
                i64::from(access.offset) + i64::from(self.instance.chip.bank().parameters),
            ));
        }
        of.and_then(|n| attribute_on(&n.shape.op, name, self.instance.chip))
            .ok_or_else(|| Stop::Row(format!("no attribute `{name}`")))
    }

    /// A value of some width, from registers.
    fn wide(&mut self, value: &Value, width: u32) -> Result<TermId, Stop> {
        let (name, unit) = match value {
            Value::Integer(0) => return Ok(self.d.constant(width, 0)),
            Value::Operand(name, unit) => {
                if self.how(name)? != (How::Register { zero: false, negate: false, absolute: false })
                    && self.how(name)? != (How::Register { zero: true, negate: false, absolute: false })
                {
                    return Err(Stop::Row(format!("`{name}` is no plain register")));
                }
                (name.clone(), *unit)
            }
            Value::Result(n, unit) => (format!("={n}"), *unit),
            Value::Temp(name, unit) => (format!("%{name}"), *unit),
            other => return Err(Stop::Row(format!("{other:?} is no register"))),
        };
        let first = *self.places.get(&name).ok_or_else(|| Stop::Row(format!("`{name}` is not written")))?;
        self.read(first, u32::from(unit.unwrap_or(0)), width)
    }

    /// `width` bits from `unit` registers behind the first.
    fn read(&mut self, first: Register, unit: u32, width: u32) -> Result<TermId, Stop> {
        if first.class == RegClass::R && first.number == 255 {
            return Ok(self.d.constant(width, 0));
        }
        let terms = self.d.terms;
        let mut all: Option<TermId> = None;
        for i in 0..width.div_ceil(32) {
            let register = Register { number: first.number + unit + i, ..first };
            let part = self.machine.registers.get(&register).copied();
            let part = part.ok_or_else(|| Stop::Row(format!("{register} is not written")))?;
            all = Some(all.map_or(part, |low| terms.concat(&part, &low)));
        }
        let all = all.ok_or_else(|| Stop::Row("a value without width".into()))?;
        Ok(if width < 32 && terms.width(&all) > width { terms.extract(&all, 0, width) } else { all })
    }

    /// The results, from `pack` and `copy` or from the registers they were written to.
    fn finish(mut self, row: &Row) -> Result<Effect, Stop> {
        let shape = self.instance.root.shape.clone();
        let wide = row
            .actions
            .iter()
            .any(|a| matches!(a, Action::Emit(e) if e.fields.iter().any(|(_, v)| *v == Value::Results)));
        let mut results = Vec::new();
        for (n, &width) in shape.results.iter().enumerate() {
            if wide {
                results.push(Some(self.loaded(n, width)?));
            } else if let Some(&value) = self.given.get(&n) {
                results.push(Some(value));
            } else {
                // A later result that the row does not give has no place: the compiler refuses who asks for it.
                match self.places.get(&format!("={n}")).copied() {
                    Some(first) => results.push(Some(self.read(first, 0, width)?)),
                    None if n > 0 => results.push(None),
                    None => return Err(Stop::Row("the result is not given".into())),
                }
            }
        }
        Ok(Effect { results, events: self.machine.events, assumed: Vec::new() })
    }

    /// Element `n` of what a load wrote.
    fn loaded(&mut self, n: usize, width: u32) -> Result<TermId, Stop> {
        let Op::Load(access) = self.instance.root.shape.op else {
            return Err(Stop::Row("only loads have `results`".into()));
        };
        let first = self.places["=all"];
        let each = 8 * u32::from(access.bytes);
        if access.lanes == 1 {
            return self.read(first, 0, width);
        }
        let terms = self.d.terms;
        let at = n as u32 * each;
        let word = self.read(first, at / 32, each.max(32))?;
        let part = terms.extract(&word, at % 32, each);
        Ok(if access.signed { terms.sext(&part, width) } else { terms.zext(&part, width) })
    }
}

/// What a field holds for a word: signed ones are held sign-extended.
fn extended(kind: FieldKind, word: u32) -> u64 {
    match kind {
        FieldKind::Signed { .. } => i64::from(word as i32) as u64,
        _ => u64::from(word),
    }
}

fn find<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    if node.name.as_deref() == Some(name) {
        return Some(node);
    }
    node.args.iter().find_map(|arg| match arg {
        Operand::Node(inner) => find(inner, name),
        _ => None,
    })
}

/// Turns a flag of an operand over.
fn flip(inst: &mut Inst, field: &str, flag: &str) -> Result<(), Stop> {
    let name = format!("{field}.{flag}");
    let old = inst.get(&name).ok_or_else(|| Stop::NoCode(format!("no flag `{name}`")))?;
    inst.set(&name, old ^ 1).map_err(|e| Stop::NoCode(e.to_string()))
}

fn modify(inst: &mut Inst, field: &str, negate: bool, absolute: bool) -> Result<(), Stop> {
    for (flag, on) in [("neg", negate), ("abs", absolute)] {
        if on {
            flip(inst, field, flag)?;
        }
    }
    Ok(())
}

const _: () = assert!(PT == 7);
