//! Reading the text.

use super::fault::Fault;
use super::token::Token;
use super::version::VERSION;
use crate::function::*;
use crate::op::Type;
use crate::operations::parse_op;
use sassafras_graph::{Entity, PrimaryMap};
use smallvec::SmallVec;

/// Why a text is not a module, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct ParseError {
    /// 1-based line.
    pub line: usize,
    /// What is wrong.
    pub fault: Fault,
}

type Result<T, E = Fault> = std::result::Result<T, E>;

/// Reads a module and the phase of its first line.
pub fn parse(text: &str) -> Result<(Module, String), ParseError> {
    let mut module = Module::default();
    let mut phase = None;
    let mut open: Option<Open> = None;
    for (index, raw) in text.lines().enumerate() {
        let at = |fault: Fault| ParseError { line: index + 1, fault };
        let line = raw.trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if phase.is_none() {
            let name = line.strip_prefix(&format!("sassafras ir {VERSION} phase="));
            phase = Some(name.ok_or_else(|| at(Fault::Header))?.to_string());
        } else if let Some(function) = &mut open {
            if line == "end" {
                let done = open.take().expect("a function is open").finish().map_err(at)?;
                if let Some(id) = done.shared.iter().find(|id| **id >= module.variables.next_key()) {
                    return Err(at(Fault::NoVariable(*id)));
                }
                module.functions.push(done);
            } else {
                function.line(line).map_err(at)?;
            }
        } else if let Some(rest) = line.strip_prefix("variable ") {
            let (id, variable) = variable(rest).map_err(at)?;
            if id != module.variables.next_key() {
                return Err(at(Fault::OutOfOrder(format!("variable {id}"))));
            }
            module.variables.push(variable);
        } else if let Some(rest) = line.strip_prefix("function ") {
            open = Some(Open::new(rest).map_err(at)?);
        } else {
            return Err(at(Fault::Line(line.to_owned())));
        }
    }
    let end = ParseError { line: text.lines().count().max(1), fault: Fault::Early };
    match (phase, open) {
        (Some(phase), None) => Ok((module, phase)),
        _ => Err(end),
    }
}

fn kind(text: &str, kind: &'static str) -> Fault {
    Fault::Kind { text: text.to_owned(), kind }
}

fn unknown(kind: &'static str, name: &str) -> Fault {
    Fault::Unknown { kind, name: name.to_owned() }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.parse().map_err(|_| kind(text, "a number in range"))
}

/// A quoted name and the rest of the line.
fn quoted(text: &str) -> Result<(String, &str)> {
    let body = text.strip_prefix('"').ok_or(Fault::Expected("a quoted name"))?;
    let mut name = String::new();
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((name, body[at + 1..].trim_start())),
            '\\' => match chars.next().map(|(_, c)| c) {
                Some('n') => name.push('\n'),
                Some('t') => name.push('\t'),
                Some('r') => name.push('\r'),
                Some('0') => name.push('\0'),
                Some('u') => {
                    let rest = chars.as_str();
                    let hex = rest.strip_prefix('{').and_then(|r| r.split_once('}')).ok_or(Fault::Escape)?.0;
                    let code =
                        u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).ok_or(Fault::Escape)?;
                    name.push(code);
                    (0..hex.len() + 2).for_each(|_| {
                        chars.next();
                    });
                }
                Some(c) => name.push(c),
                None => return Err(Fault::Escape),
            },
            c => name.push(c),
        }
    }
    Err(Fault::OpenName)
}

/// The fields `name=value` of a line.
fn fields(text: &str) -> Result<Vec<(&str, &str)>> {
    let split = |word: &'_ str| word.split_once('=').is_some();
    text.split_whitespace()
        .map(|word| {
            if split(word) {
                Ok(word.split_once('=').expect("tested"))
            } else {
                Err(Fault::Unexpected(word.to_owned()))
            }
        })
        .collect()
}

fn variable(text: &str) -> Result<(VariableId, Variable)> {
    let (id, rest) = text.split_once(' ').ok_or(Fault::Expected("a name"))?;
    let id = VariableId::read(id).ok_or_else(|| kind(id, "a variable"))?;
    let (name, rest) = quoted(rest)?;
    let mut v = Variable {
        name,
        space: sassafras_semantics::Space::Global,
        size: 0,
        align: 1,
        init: None,
        init_addresses: Vec::new(),
        init_offsets: Vec::new(),
        visible: false,
        weak: false,
        managed: false,
        owner: None,
    };
    for (key, value) in fields(rest)? {
        match key {
            "space" => {
                v.space = <sassafras_semantics::Space as Token>::read(value)
                    .ok_or_else(|| unknown("space", value))?
            }
            "size" => v.size = number(value)?,
            "align" => v.align = number(value)?,
            "visible" => v.visible = number(value)?,
            "weak" => v.weak = number(value)?,
            "managed" => v.managed = number(value)?,
            "owner" => v.owner = Some(number(value)?),
            "init" => {
                let byte = |i| value.get(i..i + 2).and_then(|t| u8::from_str_radix(t, 16).ok());
                let bytes: Option<Vec<u8>> = (0..value.len()).step_by(2).map(byte).collect();
                v.init = Some(bytes.ok_or(Fault::Bytes)?);
            }
            "addresses" | "offsets" => {
                for item in value.split(',') {
                    let mut parts = item.split(':');
                    let mut part = || parts.next().ok_or(Fault::Expected("offset:variable:addend"));
                    let at = number(part()?)?;
                    let id = part()?.parse().map_err(|()| Fault::Expected("a variable"))?;
                    let addend = number(part()?)?;
                    match (key, parts.next()) {
                        ("addresses", None) => v.init_addresses.push((at, id, addend)),
                        ("offsets", None) => v.init_offsets.push((at, id, addend, 8)),
                        ("offsets", Some("4")) => v.init_offsets.push((at, id, addend, 4)),
                        (_, Some(more)) => return Err(Fault::OffsetSize(more.to_owned())),
                        _ => return Err(unknown("field", key)),
                    }
                }
            }
            _ => return Err(unknown("field", key)),
        }
    }
    Ok((id, v))
}

/// A function that is being read.
struct Open {
    function: Function,
    /// Block of the lines that follow.
    block: Option<Block>,
    /// By index of the value: its data once defined.
    values: Vec<Option<ValueData>>,
    /// Whether the current block has its terminator.
    ended: bool,
}

/// Most entities of one kind that a text may number.
const MOST: usize = 1 << 24;

impl Open {
    fn new(text: &str) -> Result<Open> {
        let (name, rest) = quoted(text)?;
        let mut function = Function::new(name);
        function.blocks = PrimaryMap::new();
        let three = |value: &str| -> Result<[u32; 3]> {
            let all = value.split(',').map(number).collect::<Result<Vec<u32>>>()?;
            all.try_into().map_err(|_| Fault::Expected("three numbers"))
        };
        for (key, value) in fields(rest)? {
            match key {
                "param_size" => function.param_size = number(value)?,
                "hidden" => function.visible = !number::<bool>(value)?,
                "weak" => function.weak = number(value)?,
                "maxntid" => function.maxntid = Some(three(value)?),
                "reqntid" => function.reqntid = Some(three(value)?),
                "minnctapersm" => function.minnctapersm = Some(number(value)?),
                "maxnreg" => function.maxnreg = Some(number(value)?),
                "reqnctapercluster" => function.reqnctapercluster = Some(three(value)?),
                "explicitcluster" if value == "1" => function.explicitcluster = true,
                "maxclusterrank" => function.maxclusterrank = Some(number(value)?),
                "entry" => function.entry = value.parse().map_err(|()| Fault::Expected("a block"))?,
                "shared" => {
                    let all =
                        value.split(',').map(|item| item.parse().map_err(|()| Fault::Expected("a variable")));
                    function.shared = all.collect::<std::result::Result<_, _>>()?;
                }
                "params" => {
                    for item in value.split(',') {
                        let all = item.split(':').map(number).collect::<Result<Vec<u32>>>()?;
                        let [offset, size, align] =
                            all.try_into().map_err(|_| Fault::Expected("offset:size:align"))?;
                        function.params.push(Param { offset, size, align });
                    }
                }
                _ => return Err(unknown("field", key)),
            }
        }
        Ok(Open { function, block: None, values: Vec::new(), ended: true })
    }

    fn line(&mut self, line: &str) -> Result<()> {
        if let Some(head) = line.strip_suffix(':')
            && line.starts_with("bb")
        {
            return self.header(head);
        }
        let block = self.block.filter(|_| !self.ended).ok_or(Fault::Outside)?;
        let (line, source) = match line.split_once('#') {
            Some((line, n)) => (line.trim(), number(n.trim())?),
            None => (line, 0),
        };
        if let Some(terminator) = self.terminator(line)? {
            self.function.blocks[block].terminator = terminator;
            self.function.blocks[block].line = source;
            self.ended = true;
            return Ok(());
        }
        self.instruction(block, line, source)
    }

    fn header(&mut self, head: &str) -> Result<()> {
        if !self.ended {
            return Err(Fault::NoTerminator("block before"));
        }
        let (name, rest) = head.split_once('(').ok_or(Fault::Expected("`(`"))?;
        let block: Block = name.parse().map_err(|()| kind(name, "a block"))?;
        if block != self.function.blocks.next_key() {
            return Err(Fault::OutOfOrder(block.to_string()));
        }
        let (rest, nounroll) = match rest.strip_suffix(" nounroll") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let params = rest.strip_suffix(')').ok_or(Fault::Expected("`)`"))?;
        let block = self.function.add_block();
        self.function.blocks[block].nounroll = nounroll;
        for (i, item) in items(params).into_iter().enumerate() {
            let value = self.define(item, ValueDef::Param(block, i as u16))?;
            self.function.blocks[block].params.push(value);
        }
        self.block = Some(block);
        self.ended = false;
        Ok(())
    }

    /// `v7:32`
    fn define(&mut self, text: &str, def: ValueDef) -> Result<Value> {
        let (name, ty) = text.split_once(':').ok_or_else(|| Fault::Definition(text.to_owned()))?;
        let value = parse_value(name)?;
        let ty = match ty {
            "1" | "16" | "32" | "64" | "128" => Type(number(ty)?),
            _ => return Err(Fault::Width(ty.to_owned())),
        };
        let index = value.index();
        if index >= MOST {
            return Err(Fault::Limit { value, most: MOST });
        }
        if index >= self.values.len() {
            self.values.resize(index + 1, None);
        }
        if self.values[index].is_some() {
            return Err(Fault::Twice(value));
        }
        self.values[index] = Some(ValueData { ty, def });
        Ok(value)
    }

    fn instruction(&mut self, block: Block, line: &str, source: u32) -> Result<()> {
        let (guard, line) = match line.strip_prefix('@') {
            None => (None, line),
            Some(rest) => {
                let (guard, rest) = rest.split_once(' ').ok_or(Fault::Expected("an instruction"))?;
                let (negate, name) = guard.strip_prefix('!').map_or((false, guard), |name| (true, name));
                (Some(Guard { value: parse_value(name)?, negate }), rest)
            }
        };
        let inst = self.function.insts.next_key();
        let (results, body) = match line.split_once(" = ") {
            None => (Vec::new(), line),
            Some((results, body)) => (items(results), body),
        };
        let mut values = SmallVec::new();
        for (i, item) in results.into_iter().enumerate() {
            values.push(self.define(item, ValueDef::Result(inst, i as u16))?);
        }
        let (op, args) = body.trim().split_once(' ').unwrap_or((body.trim(), ""));
        let op = parse_op(op).ok_or_else(|| unknown("operation", op))?;
        let args = items(args).into_iter().map(parse_value).collect::<Result<_>>()?;
        self.function.insts.push(InstData { op, args, results: values, guard, line: source });
        self.function.blocks[block].insts.push(inst);
        Ok(())
    }

    fn terminator(&self, line: &str) -> Result<Option<Terminator>> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        Ok(Some(match word {
            "exit" => Terminator::Exit,
            "trap" => Terminator::Trap,
            "unreachable" => Terminator::Unreachable,
            "jump" => {
                let [edge] = edges(rest)?.try_into().map_err(|_| Fault::Expected("one target"))?;
                Terminator::Jump(edge)
            }
            "branch" => {
                let (condition, rest) = rest.split_once(", ").ok_or(Fault::Expected("a condition"))?;
                let [then, otherwise] =
                    edges(rest)?.try_into().map_err(|_| Fault::Expected("two targets"))?;
                Terminator::Branch { condition: parse_value(condition)?, then, otherwise }
            }
            "switch" => {
                let (index, rest) = rest.split_once(" [").ok_or(Fault::Expected("an index and `[`"))?;
                let rest = rest.strip_suffix(']').ok_or(Fault::Expected("`]`"))?;
                Terminator::Switch { index: parse_value(index)?, targets: edges(rest)? }
            }
            _ => return Ok(None),
        }))
    }

    fn finish(mut self) -> Result<Function> {
        if !self.ended {
            return Err(Fault::NoTerminator("last block"));
        }
        // A number that no definition has is a dead value, in nobody's text.
        for value in self.values {
            let dead = ValueData { ty: Type::I1, def: ValueDef::Param(self.function.entry, u16::MAX) };
            self.function.values.push(value.unwrap_or(dead));
        }
        let known = |v: Value| {
            self.function.values.get(v).is_some_and(|d| !matches!(d.def, ValueDef::Param(_, u16::MAX)))
        };
        let mut problem = None;
        let mut check = |v: Value| {
            if !known(v) && problem.is_none() {
                problem = Some(Fault::Undefined { value: v, function: self.function.name.clone() });
            }
        };
        for inst in self.function.insts.values() {
            inst.for_each_use(&mut check);
        }
        for data in self.function.blocks.values() {
            data.terminator.for_each_use(&mut check);
        }
        for edge in self.function.blocks.values().flat_map(|d| d.terminator.edges()) {
            if self.function.blocks.get(edge.block).is_none() {
                problem = Some(Fault::NoBlock(edge.block));
            }
        }
        if self.function.blocks.get(self.function.entry).is_none() {
            problem = Some(Fault::NoEntry);
        }
        problem.map_or(Ok(self.function), Err)
    }
}

fn parse_value(text: &str) -> Result<Value> {
    text.trim().parse().map_err(|()| kind(text, "a value"))
}

/// The items of a list, which may be empty.
fn items(text: &str) -> Vec<&str> {
    if text.trim().is_empty() { Vec::new() } else { text.split(',').map(str::trim).collect() }
}

/// `bb1(v0, v1), bb2()`
fn edges(text: &str) -> Result<Vec<Edge>> {
    let mut all = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('(').ok_or(Fault::Expected("`block(arguments)`"))?;
        let (args, after) = after.split_once(')').ok_or(Fault::Expected("`)`"))?;
        let block = name.trim().parse().map_err(|()| kind(name, "a block"))?;
        all.push(Edge { block, args: items(args).into_iter().map(parse_value).collect::<Result<_>>()? });
        rest = after.trim_start().strip_prefix(',').unwrap_or(after).trim_start();
    }
    Ok(all)
}
