//! From a row to a [`Form`]: fields are collected, names resolved, attributes read.

use super::NotationError;
use super::lines::Row;
use super::syntax::{self, Raw};
use crate::form::*;
use crate::meaning::Meaning;
use sassafras_chip::ChipRange;

const GUARD_AND_CONTROL: u128 = 0xf000 | (((1 << 20) - 1) << 105);

/// Builds the form that a row states.
///
/// # Errors
/// What is wrong with the row.
pub fn build(row: &Row) -> Result<Form, NotationError> {
    inner(row).map_err(|message| NotationError { row: row.id.clone(), message })
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn inner(row: &Row) -> Result<Form, String> {
    let raw = syntax::read(&row.syntax)?;
    let raw_aliases: Vec<Vec<Raw>> =
        row.aliases.iter().map(|(_, text)| syntax::read(text)).collect::<Result<_, _>>()?;
    let mut fields = Fields::default();
    fields.collect(&raw)?;
    fields.link()?;
    let syntax = fields.resolve(&raw)?;
    let mut aliases = Vec::new();
    for ((conditions, _), raw) in row.aliases.iter().zip(&raw_aliases) {
        aliases.push((fields.tests(conditions)?, fields.resolve(raw)?));
    }
    let mut fields = fields.list;
    show(&syntax, &mut Vec::new(), &mut fields);
    let find = |fields: &[Field], name: &str| {
        fields.iter().position(|f| f.name == name).ok_or_else(|| format!("no field `{name}`"))
    };
    let mut attributes = Attributes::default();
    for (attribute, value) in &row.attributes {
        match attribute.as_str() {
            "w" | "r" => {
                for name in value.split(',').filter(|name| !name.is_empty()) {
                    let i = find(&fields, name)?;
                    // Shapes share one list: what is no register in this shape is passed over.
                    if matches!(fields[i].kind, FieldKind::Register { .. }) {
                        fields[i].write |= attribute == "w";
                        fields[i].read |= attribute == "r";
                    }
                }
            }
            _ => attributes.set(attribute, value)?,
        }
    }
    let (mut denied, mut unreusable) = (Vec::new(), Vec::new());
    {
        let named = Fields { list: fields.clone(), ..Fields::default() };
        for conditions in &attributes.denied {
            denied.push(named.tests(conditions)?);
        }
        for (bit, conditions) in &attributes.unreusable {
            unreusable.push((*bit, named.tests(conditions)?));
        }
    }
    let mut taken = GUARD_AND_CONTROL;
    for field in &fields {
        if matches!(field.kind, FieldKind::Register { .. }) && !field.read && !field.write {
            return Err(format!("`{}` is neither read nor written", field.name));
        }
        for &bit in &field.bits {
            if taken >> bit & 1 == 1 {
                return Err(format!("bit {bit} is owned twice"));
            }
            taken |= 1 << bit;
        }
    }
    let (mut fixed_mask, mut value) = (0xfff_u128, u128::from(row.opcode));
    for &(first, count, bits) in &row.fixed {
        if u32::from(count) < 64 && bits >> count != 0 {
            return Err(format!("the value fixed at bit {first} does not fit"));
        }
        let mask = ((1u128 << count) - 1) << first;
        if (taken | fixed_mask) & mask != 0 {
            return Err(format!("a bit from {first} on is owned twice"));
        }
        fixed_mask |= mask;
        value |= u128::from(bits) << first;
    }
    let chips: ChipRange = row.chips.parse().map_err(|e| format!("{e}"))?;
    let mut wide = 0;
    for field in &fields {
        if field.narrow() {
            wide |= 0b11 << (field.bits[0] + 6);
        }
    }
    for field in &mut fields {
        if let FieldKind::Special { since } = &mut field.kind {
            *since = chips.first;
        }
    }
    if chips.last >= 100 && wide & (taken | value) != 0 {
        return Err("a uniform register field has no room for 8 bits".to_owned());
    }
    let mnemonic = match raw.first() {
        Some(Raw::Literal(text)) => text.split(['.', ' ']).next().unwrap_or_default(),
        _ => return Err("the text must begin with the mnemonic".to_owned()),
    };
    Ok(Form {
        id: leak(&row.id),
        family: leak(&row.family()),
        mnemonic: leak(mnemonic),
        chips,
        opcode: row.opcode,
        mask: !taken,
        value,
        wide,
        owned: taken | fixed_mask,
        fields,
        syntax,
        aliases,
        unreusable,
        denied,
        pipe: attributes.pipe.ok_or("no pipe")?,
        scoreboard: attributes.scoreboard,
        control_flow: attributes.control_flow,
        memory: attributes.memory,
        uniform: attributes.uniform,
        uniform_guard: attributes.uniform_guard,
        meaning: attributes.meaning.ok_or("no meaning (`sem`)")?,
        control: ControlLimits {
            write_barrier: true,
            read_barrier: true,
            reuse: 7,
            wait: !attributes.no_wait,
            runs: attributes.runs,
        },
        source: "",
    })
}

/// Notes for each field under which conditions the text shows it.
fn show(nodes: &[Node], under: &mut Vec<Test>, fields: &mut [Field]) {
    for node in nodes {
        let mut note = |field: usize| fields[field].shown.push(under.clone());
        match node {
            Node::Literal(_) => {}
            Node::Next(_) => {}
            Node::Hidden(field) | Node::Unsigned(field) | Node::Texts { field, .. } => note(*field),
            Node::Value { field, neg, abs, not, inv, reuse, .. } => {
                note(*field);
                [neg, abs, not, inv].into_iter().flatten().for_each(|flag| note(*flag));
                fields[*field].reuse = *reuse;
                if matches!(fields[*field].kind, FieldKind::ConstantOffset { .. }) {
                    fields[*field + 1].shown.push(under.clone());
                }
            }
            Node::When(tests, inside) => {
                let depth = under.len();
                under.extend(tests.iter().cloned());
                show(inside, under, fields);
                under.truncate(depth);
            }
        }
    }
}

#[derive(Default)]
struct Attributes {
    pipe: Option<Pipe>,
    scoreboard: Scoreboard,
    control_flow: Option<ControlFlowKind>,
    memory: Option<Memory>,
    uniform: bool,
    uniform_guard: bool,
    meaning: Option<Meaning>,
    denied: Vec<String>,
    unreusable: Vec<(u8, String)>,
    no_wait: bool,
    runs: bool,
}

impl Attributes {
    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let unknown = || format!("`{value}` is no {name}");
        match name {
            "pipe" => self.pipe = Some(value.parse().map_err(|_| unknown())?),
            "sb" => {
                self.scoreboard = match value {
                    "w" => Scoreboard::Write,
                    "r" => Scoreboard::Read,
                    "rw" => Scoreboard::ReadWrite,
                    _ => return Err(unknown()),
                }
            }
            "ctl" => self.control_flow = Some(control_flow(value).ok_or_else(unknown)?),
            "mem" => self.memory = Some(memory(value).ok_or_else(unknown)?),
            "uniform" => {
                self.uniform = true;
                self.uniform_guard = true;
            }
            "noreuse" => {
                let (bit, tests) = value.split_once(':').ok_or_else(unknown)?;
                self.unreusable.push((bit.parse().map_err(|_| unknown())?, tests.to_owned()));
            }
            // Read with the row's ID.
            "family" => {}
            "nowait" => self.no_wait = true,
            "runs" => self.runs = true,
            "guard" => self.uniform_guard = value == "up",
            "sem" => self.meaning = Some(Meaning::named(value).ok_or_else(unknown)?),
            "deny" => self.denied.push(value.to_owned()),
            _ => return Err(format!("no attribute `{name}`")),
        }
        Ok(())
    }
}

fn control_flow(text: &str) -> Option<ControlFlowKind> {
    Some(match text {
        "branch" => ControlFlowKind::Branch,
        "indirect" => ControlFlowKind::IndirectBranch,
        "call" => ControlFlowKind::Call,
        "return" => ControlFlowKind::Return,
        "exit" => ControlFlowKind::Exit,
        "trap" => ControlFlowKind::Trap,
        "push" => ControlFlowKind::Push,
        "sync" => ControlFlowKind::Sync,
        "break" => ControlFlowKind::Break,
        "warp" => ControlFlowKind::Warp,
        "block" => ControlFlowKind::Block,
        _ => return None,
    })
}

fn memory(text: &str) -> Option<Memory> {
    let (kind, space) = text.split_once('.')?;
    let kind = match kind {
        "load" => MemoryKind::Load,
        "store" => MemoryKind::Store,
        "atomic" => MemoryKind::Atomic,
        "reduction" => MemoryKind::Reduction,
        "copy" => MemoryKind::Copy,
        "fence" => MemoryKind::Fence,
        _ => return None,
    };
    let space = match space {
        "generic" => MemorySpace::Generic,
        "global" => MemorySpace::Global,
        "shared" => MemorySpace::Shared,
        "local" => MemorySpace::Local,
        "constant" => MemorySpace::Constant,
        _ => return None,
    };
    Some(Memory { kind, space })
}

/// A name that one field gives and another field's definition refers to.
#[derive(Clone)]
enum Link {
    Units { field: usize, by: String },
    Half { field: usize, by: String },
}

#[derive(Default)]
struct Fields {
    list: Vec<Field>,
    links: Vec<Link>,
}

impl Fields {
    fn collect(&mut self, nodes: &[Raw]) -> Result<(), String> {
        for node in nodes {
            match node {
                Raw::Literal(_) => {}
                Raw::When(_, inside) => self.collect(inside)?,
                Raw::Field(words) => {
                    if words.len() < 2 {
                        return Err(format!("`{}` is no field", words.join(" ")));
                    }
                    match words[0].as_str() {
                        "H" => self.field(&words[1..])?,
                        kind if !matches!(kind, "V" | "N") && words.len() > 2 => self.field(words)?,
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, name: &str, kind: FieldKind, bits: Vec<u8>, default: u64) -> Result<usize, String> {
        if self.list.iter().any(|field| field.name == name) {
            return Err(format!("two fields are called `{name}`"));
        }
        let units = Units::Fixed(1);
        let name = leak(name);
        self.list.push(Field {
            name,
            kind,
            bits,
            default,
            texts: Vec::new(),
            units,
            shown: Vec::new(),
            reuse: None,
            read: false,
            write: false,
        });
        Ok(self.list.len() - 1)
    }

    fn field(&mut self, words: &[String]) -> Result<(), String> {
        let (kind, name) = (words[0].as_str(), words[1].as_str());
        let options = &words[3..];
        if kind == "E" {
            return self.enumeration(name, &words[2], options);
        }
        let register = |class, inverted| Some(FieldKind::Register { class, inverted });
        let known = match kind {
            "R" => register(RegClass::R, false).map(|k| (k, 8)),
            "UR" => register(RegClass::UR, false).map(|k| (k, 6)),
            "P" => register(RegClass::P, false).map(|k| (k, 3)),
            "PI" => register(RegClass::P, true).map(|k| (k, 3)),
            "UP" => register(RegClass::UP, false).map(|k| (k, 3)),
            "UPI" => register(RegClass::UP, true).map(|k| (k, 3)),
            "B" => register(RegClass::B, false).map(|k| (k, 4)),
            "f32" => Some((FieldKind::Float32, 32)),
            "f64h" => Some((FieldKind::Float64High, 32)),
            "f16" => Some((FieldKind::Float16, 16)),
            "bf16" => Some((FieldKind::Bfloat16, 16)),
            "SR" => Some((FieldKind::Special { since: 0 }, 8)),
            "S" => Some((FieldKind::Set, 6)),
            "C" | "CS" => Some((FieldKind::ConstantOffset { spaced: kind == "CS" }, 14)),
            _ => None,
        };
        let (kind, width) = match known {
            Some(known) => known,
            None if kind.starts_with("h16:") => {
                let by = kind["h16:".len()..].to_owned();
                self.links.push(Link::Half { field: self.list.len(), by });
                (FieldKind::Half { bfloat: 0 }, 16)
            }
            None => number(kind).ok_or_else(|| format!("`{kind}` is no kind of field"))?,
        };
        let bits = match kind {
            FieldKind::ConstantOffset { .. } => (40..54).collect(),
            _ => bits(&words[2], width)?,
        };
        let mut default = match kind {
            FieldKind::Register { class, .. } => class.constant().unwrap_or(0),
            _ => 0,
        };
        let mut default_not = 0;
        for option in options {
            if let Some(value) = option.strip_prefix('=') {
                let value: u64 = value.parse().map_err(|_| format!("`{option}` is no default"))?;
                match kind {
                    FieldKind::Register { class: RegClass::P | RegClass::UP, .. } => {
                        default = value & 7;
                        default_not = value >> 3;
                    }
                    _ => default = value,
                }
            }
        }
        let i = self.push(name, kind, bits, default)?;
        if matches!(kind, FieldKind::ConstantOffset { .. }) {
            self.push(&format!("{name}.bank"), FieldKind::Bank, (54..59).collect(), 0)?;
        }
        for option in options {
            let flag = |rest: &str| rest.parse::<u8>().map_err(|_| format!("`{option}` is no option"));
            if option.starts_with('=') || option.starts_with("i=") || reuse_option(option).is_some() {
                continue;
            }
            if let Some(by) = option.strip_prefix("v=") {
                self.links.push(Link::Units { field: i, by: by.to_owned() });
            } else if let Some(count) = option.strip_prefix('x') {
                self.list[i].units = Units::Fixed(flag(count)?);
            } else if let Some(bit) = option.strip_prefix('n') {
                self.push(&format!("{name}.neg"), FieldKind::Flag, vec![flag(bit)?], 0)?;
            } else if let Some(bit) = option.strip_prefix('a') {
                self.push(&format!("{name}.abs"), FieldKind::Flag, vec![flag(bit)?], 0)?;
            } else if let Some(bit) = option.strip_prefix('~') {
                self.push(&format!("{name}.inv"), FieldKind::Flag, vec![flag(bit)?], 0)?;
            } else if let Some(bit) = option.strip_prefix('!') {
                self.push(&format!("{name}.not"), FieldKind::Flag, vec![flag(bit)?], default_not)?;
            } else {
                return Err(format!("`{option}` is no option"));
            }
        }
        Ok(())
    }

    fn enumeration(&mut self, name: &str, place: &str, words: &[String]) -> Result<(), String> {
        let mut default = None;
        let mut listed = Vec::new();
        for word in words {
            match word.strip_prefix('=') {
                Some(value) => default = Some(value.parse().map_err(|_| format!("`{word}` is no default"))?),
                None => listed.push(text(word)),
            }
        }
        let width = listed.len().next_power_of_two().trailing_zeros().max(1);
        let bits = bits(place, width)?;
        if listed.len() != 1 << bits.len() {
            return Err(format!("`{name}` lists {} values for {} bits", listed.len(), bits.len()));
        }
        let legal = || listed.iter().position(Option::is_some).unwrap_or(0);
        let empty = listed.iter().position(|t| *t == Some("")).unwrap_or_else(legal) as u64;
        let i = self.push(name, FieldKind::Enum, bits, default.unwrap_or(empty))?;
        self.list[i].texts = listed;
        Ok(())
    }

    fn index(&self, name: &str) -> Result<usize, String> {
        self.list.iter().position(|f| f.name == name).ok_or_else(|| format!("no field `{name}`"))
    }

    fn link(&mut self) -> Result<(), String> {
        for link in self.links.clone() {
            match link {
                Link::Units { field, by } => {
                    self.list[field].units = self.counts(&by)?;
                }
                Link::Half { field, by } => {
                    let bfloat = self.index(&by)?;
                    self.list[field].kind = FieldKind::Half { bfloat };
                }
            }
        }
        Ok(())
    }

    /// `NAME`, `NAME:1/2` or `NAME+NAME:0/4=1/2/2/3/4`.
    fn counts(&self, by: &str) -> Result<Units, String> {
        let numbers = |text: &str| -> Result<Vec<u8>, String> {
            let number = |n: &str| n.parse().map_err(|_| format!("`{n}` is no number of registers"));
            text.split('/').map(number).collect()
        };
        if let Some((terms, count)) = by.split_once('=') {
            let term = |term: &str| {
                let (name, weights) = term.split_once(':').map_or((term, None), |(n, w)| (n, Some(w)));
                Ok((self.index(name)?, weights.map_or(Ok(Vec::new()), numbers)?))
            };
            let terms = terms.split('+').map(term).collect::<Result<_, String>>()?;
            return Ok(Units::By { terms, count: numbers(count)? });
        }
        let (name, count) = by.split_once(':').map_or((by, None), |(by, count)| (by, Some(count)));
        let field = self.index(name)?;
        let count = match count {
            None => self.list[field].texts.iter().map(|t| units(t.unwrap_or(""))).collect(),
            Some(count) => numbers(count)?,
        };
        Ok(Units::By { terms: vec![(field, Vec::new())], count })
    }

    fn tests(&self, conditions: &str) -> Result<Vec<Test>, String> {
        let value = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is no value"));
        conditions
            .split('&')
            .filter(|condition| !condition.is_empty())
            .map(|condition| {
                Ok(if let Some((name, v)) = condition.split_once("!=") {
                    Test::IsNot(self.index(name)?, value(v)?)
                } else if let Some(name) = condition.strip_suffix("=pow2") {
                    Test::PowerOfTwo(self.index(name)?)
                } else if let Some((name, v)) = condition.split_once('=') {
                    Test::Is(self.index(name)?, value(v)?)
                } else if let Some(name) = condition.strip_prefix('!') {
                    Test::Absent(self.index(name)?)
                } else {
                    Test::Given(self.index(condition)?)
                })
            })
            .collect()
    }

    fn resolve(&self, nodes: &[Raw]) -> Result<Vec<Node>, String> {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    fn node(&self, node: &Raw) -> Result<Node, String> {
        Ok(match node {
            Raw::Literal(text) => Node::Literal(leak(text)),
            Raw::When(conditions, inside) => Node::When(self.tests(conditions)?, self.resolve(inside)?),
            Raw::Field(words) if words[0] == "V" || words[0] == "E" => {
                let field = self.index(&words[1])?;
                let skip = if words[0] == "V" { 2 } else { 3 };
                let texts: Vec<_> =
                    words[skip..].iter().filter(|w| !w.starts_with('=')).map(|w| text(w)).collect();
                if texts.len() != 1 << self.list[field].bits.len() {
                    return Err(format!("`{}` shows {} values", words[1], texts.len()));
                }
                Node::Texts { field, texts }
            }
            Raw::Field(words) if words[0] == "H" => {
                Node::Hidden(self.index(words.get(2).map_or("", String::as_str))?)
            }
            Raw::Field(words) if words[0] == "U" => Node::Unsigned(self.index(&words[1])?),
            Raw::Field(words) if words[0] == "N" => Node::Next(self.index(&words[1])?),
            Raw::Field(words) => {
                let field = self.index(&words[1])?;
                let flag = |suffix: &str| self.index(&format!("{}.{suffix}", words[1])).ok();
                let tilde = words
                    .iter()
                    .find_map(|w| w.strip_prefix("i="))
                    .map(|name| self.index(name))
                    .transpose()?;
                // Mostly the operand at bit 24 is `a`, at 32 `b`, at 64 `c`; the option says where it is not so.
                let slot = match (self.list[field].kind, self.list[field].bits[0]) {
                    (FieldKind::Register { class: RegClass::R, .. }, 24) => Some(0),
                    (FieldKind::Register { class: RegClass::R, .. }, 32) => Some(1),
                    (FieldKind::Register { class: RegClass::R, .. }, 64) => Some(2),
                    _ => None,
                };
                let reuse = words.iter().find_map(|word| reuse_option(word)).or(slot);
                Node::Value {
                    field,
                    neg: flag("neg"),
                    abs: flag("abs"),
                    not: flag("not"),
                    inv: flag("inv"),
                    tilde,
                    reuse,
                }
            }
        })
    }
}

/// `u0`, `u1`, `u2`: which bit of the reuse control belongs to the operand.
fn reuse_option(word: &str) -> Option<u8> {
    word.strip_prefix('u')?.parse().ok().filter(|bit| *bit < 3)
}

fn text(word: &str) -> Option<&'static str> {
    match word {
        "_" => Some(""),
        "-" => None,
        _ => Some(leak(word)),
    }
}

/// Registers that a size's text stands for.
fn units(text: &str) -> u8 {
    if text.contains("128") || text.ends_with("x4") || text.ends_with(".4") {
        4
    } else if text.contains("64") || text.ends_with("x2") || text.ends_with(".2") {
        2
    } else {
        1
    }
}

/// `s24`, `u13*4`, `pc48*4`: the kind and its number of bits.
fn number(kind: &str) -> Option<(FieldKind, u32)> {
    let (kind, scale) = kind.split_once('*').unwrap_or((kind, "1"));
    let scale: u64 = scale.parse().ok()?;
    if let Some(width) = kind.strip_prefix("pc") {
        return Some((FieldKind::Target { scale }, width.parse().ok()?));
    }
    match kind.split_at_checked(1)? {
        ("s", width) => Some((FieldKind::Signed { scale }, width.parse().ok()?)),
        ("u", width) => Some((FieldKind::Unsigned { scale }, width.parse().ok()?)),
        _ => None,
    }
}

/// `74`, `34+48` or `16+8,34+48`: the places, lowest bit of the value first. A single number takes `width` bits.
fn bits(place: &str, width: u32) -> Result<Vec<u8>, String> {
    let bad = || format!("`{place}` names no bits");
    if !place.contains(['+', ',']) {
        let first: u8 = place.parse().map_err(|_| bad())?;
        return Ok((first..first + width as u8).collect());
    }
    let mut bits = Vec::new();
    for part in place.split(',') {
        let (first, count) = part.split_once('+').unwrap_or((part, "1"));
        let (first, count): (u8, u8) = (first.parse().map_err(|_| bad())?, count.parse().map_err(|_| bad())?);
        bits.extend(first..first + count);
    }
    Ok(bits)
}
