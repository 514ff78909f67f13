//! Text to function. Never panics; every error has a line.

use super::fault::Fault;
use super::print::class_of;
use super::version::VERSION;
use crate::{
    Block, BlockData, Edge, Frame, Function, MInst, Phase, Place, Pseudo, Reg, RegClass, Tied, VReg, VRegData,
};
use sassafras_chip::Chip;
use sassafras_graph::PrimaryMap;
use sassafras_isa::{Control, FieldKind, Inst, form};
use smallvec::SmallVec;

/// What does not read, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub fault: Fault,
}

type Result<T> = std::result::Result<T, Fault>;

/// Reads a function. The text must be whole: each header line once and in order, blocks in order of number, and each
/// named block and virtual register declared. Whether the code makes sense is for the checker.
pub fn parse(text: &str) -> std::result::Result<Function, ParseError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut lines = lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//"))
        .peekable();
    let mut last = 1;
    let mut header = |word: &str| -> std::result::Result<(usize, &str), ParseError> {
        let missing = |line| ParseError { line, fault: Fault::Header(word.to_owned()) };
        let (line, text) = lines.next().ok_or_else(|| missing(last))?;
        last = line;
        let rest =
            text.strip_prefix(word).filter(|rest| rest.starts_with(' ')).ok_or_else(|| missing(line))?;
        Ok((line, rest.trim()))
    };
    let at = |line: usize| move |fault: Fault| ParseError { line, fault };

    let (line, rest) = header("sassafras machine")?;
    let (phase, chip) = first_line(rest).map_err(at(line))?;
    let (line, rest) = header("function")?;
    let mut f = Function::new(unquote(rest).map_err(at(line))?, chip);
    f.phase = phase;
    f.blocks = PrimaryMap::new();
    let (entry_line, rest) = header("entry")?;
    f.entry = entity::<Block>(rest).map_err(at(entry_line))?;
    let (line, rest) = header("layout")?;
    f.layout = rest.split_whitespace().map(entity).collect::<Result<_>>().map_err(at(line))?;
    let (line, rest) = header("frame")?;
    f.frame = frame(rest).map_err(at(line))?;
    let (line, rest) = header("shared")?;
    f.shared_bytes = number(rest).map_err(at(line))? as u32;
    let (line, rest) = header("params")?;
    f.param_bytes = number(rest).map_err(at(line))? as u32;
    let (line, rest) = header("registers")?;
    f.max_registers = number(rest).map_err(at(line))? as u32;

    let mut used = Vec::new();
    for (line, text) in lines {
        one_line(&mut f, text, line, &mut used).map_err(at(line))?;
    }
    let blocks = f.layout.iter().map(|&block| (entry_line, block)).chain([(entry_line, f.entry)]);
    let missing = blocks.chain(used.iter().copied()).find(|(_, block)| !f.blocks.contains(*block));
    if let Some((line, block)) = missing {
        return Err(ParseError { line, fault: Fault::NoBlock(block) });
    }
    Ok(f)
}

fn kind(text: &str, kind: &'static str) -> Fault {
    Fault::Kind { text: text.to_owned(), kind }
}

fn unknown(kind: &'static str, name: &str) -> Fault {
    Fault::Unknown { kind, name: name.to_owned() }
}

fn takes(name: &str, what: &'static str) -> Fault {
    Fault::Takes { name: name.to_owned(), what }
}

fn one_line(f: &mut Function, text: &str, line: usize, used: &mut Vec<(usize, Block)>) -> Result<()> {
    if let Some(rest) = text.strip_prefix("->") {
        let block = f.blocks.values_mut().next_back().ok_or(Fault::Outside("an edge"))?;
        let (rest, fact) = rest.split_once(" ; ").map_or((rest, None), |(rest, fact)| (rest, Some(fact)));
        if let Some(fact) = fact {
            let ["line", line] = words(fact)? else { return Err(kind(fact, "fact about edges")) };
            block.line = number(line)? as u32;
        }
        for edge in split_edges(rest) {
            let edge = edge_of(edge)?;
            used.push((line, edge.block));
            block.succs.push(edge);
        }
        return Ok(());
    }
    if let Some(header) = text.strip_suffix(':') {
        let Edge { block, args } = edge_of(header)?;
        if block != f.blocks.next_key() {
            return Err(Fault::BlockOrder(block));
        }
        f.blocks.push(BlockData { params: args, ..BlockData::default() });
        return Ok(());
    }
    if f.blocks.is_empty() {
        let [vreg, class, units] = words(text)?;
        if entity::<VReg>(vreg)? != f.vregs.next_key() {
            return Err(Fault::RegisterOrder(vreg.to_owned()));
        }
        let units = number(units)?;
        if !(1..=u64::from(Reg::MAX_UNITS)).contains(&units) {
            return Err(Fault::Units(units));
        }
        f.vregs.push(VRegData { class: class_named(class)?, units: units as u8 });
        return Ok(());
    }
    let inst = instruction(text)?;
    used.extend(inst.target.map(|target| (line, target)));
    let vregs = inst.operands().into_iter().filter_map(|operand| operand.reg.vreg());
    if let Some(vreg) = vregs.into_iter().find(|vreg| !f.vregs.contains(*vreg)) {
        return Err(Fault::NoRegister(vreg));
    }
    let block = f.blocks.values_mut().next_back().ok_or(Fault::Outside("an instruction"))?;
    block.insts.push(inst);
    Ok(())
}

fn first_line(rest: &str) -> Result<(Phase, Chip)> {
    let [version, phase, chip] = words(rest)?;
    if number(version)? != u64::from(VERSION) {
        return Err(Fault::Version(version.to_owned()));
    }
    let found = Phase::NAMES.iter().find(|(_, name)| *name == phase);
    let (phase, _) = found.ok_or_else(|| unknown("phase", phase))?;
    Ok((*phase, chip.parse::<Chip>()?))
}

fn frame(rest: &str) -> Result<Frame> {
    let [_, local, _, spill] = words(rest)?;
    Ok(Frame { local_bytes: number(local)? as u32, spill_bytes: number(spill)? as u32 })
}

fn words<const N: usize>(text: &str) -> Result<[&str; N]> {
    let mut words = [""; N];
    let mut count = 0;
    for word in text.split_whitespace() {
        if let Some(place) = words.get_mut(count) {
            *place = word;
        }
        count += 1;
    }
    if count == N { Ok(words) } else { Err(Fault::Words { wanted: N, found: count }) }
}

fn number(text: &str) -> Result<u64> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| kind(text, "number"))
}

fn entity<E: std::str::FromStr>(text: &str) -> Result<E> {
    text.parse().map_err(|_| Fault::Name(text.to_owned()))
}

fn unquote(text: &str) -> Result<String> {
    let inner = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .ok_or(Fault::Expected("a quoted name"))?;
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let hex: String = chars.by_ref().skip(1).take_while(|&c| c != '}').collect();
                let code = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
                code.ok_or_else(|| kind(&format!("\\u{{{hex}}}"), "character"))?
            }
            Some(c @ ('\\' | '"' | '\'')) => c,
            other => return Err(kind(&format!("\\{}", other.unwrap_or(' ')), "escape")),
        });
    }
    Ok(out)
}

fn split_edges(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(')')
        .map(|edge| edge.trim_start_matches([',', ' ']).trim())
        .filter(|edge| !edge.is_empty())
}

fn edge_of(text: &str) -> Result<Edge> {
    let (block, args) =
        text.strip_suffix(')').and_then(|rest| rest.split_once('(')).ok_or(Fault::Expected("`b0(…)`"))?;
    let args =
        args.split(',').map(str::trim).filter(|arg| !arg.is_empty()).map(entity).collect::<Result<_>>()?;
    Ok(Edge { block: entity(block)?, args })
}

fn class_named(text: &str) -> Result<RegClass> {
    let classes = [RegClass::R, RegClass::UR, RegClass::P, RegClass::UP, RegClass::B];
    classes.into_iter().find(|class| class.prefix() == text).ok_or_else(|| unknown("register class", text))
}

fn register(text: &str, class: RegClass) -> Result<Reg> {
    if let Some(rest) = text.strip_prefix('v') {
        let unit = rest.split_once('.').map_or("0", |(_, unit)| unit);
        let vreg = text.split('.').next().unwrap_or(text);
        let unit = number(unit)?;
        if unit >= u64::from(Reg::MAX_UNITS) {
            return Err(Fault::Unit(unit));
        }
        return Ok(Reg::Virtual(entity(vreg)?, unit as u8));
    }
    let digits =
        text.strip_prefix(class.prefix()).ok_or_else(|| Fault::Class { text: text.to_owned(), class })?;
    let number: u16 = digits.parse().map_err(|_| kind(text, "register"))?;
    Ok(Reg::Physical(number))
}

fn place(text: &str) -> Result<Place> {
    let parts: Vec<&str> = text.split(':').collect();
    let [reg, class, units] = parts[..] else {
        return Err(Fault::Form { text: text.to_owned(), form: "register:class:units" });
    };
    let class = class_named(class)?;
    let units = u8::try_from(number(units)?).map_err(|_| Fault::ManyUnits)?;
    Ok(Place { class, reg: register(reg, class)?, units })
}

fn instruction(text: &str) -> Result<MInst> {
    let (body, mut facts) = split_fact(text);
    let body = body.trim();
    let mut inst = match pseudo(body)? {
        Some(pseudo) => MInst::pseudo(pseudo),
        None => MInst::new(real(body)?),
    };
    while let Some(rest) = facts {
        let (fact, others) = split_fact(rest);
        self::fact(&mut inst, fact.trim())?;
        facts = others;
    }
    Ok(inst)
}

/// What stands before the first ` ; `, and what behind, if there is one.
fn split_fact(text: &str) -> (&str, Option<&str>) {
    let bytes = text.as_bytes();
    let found = bytes.windows(3).position(|three| three == b" ; ");
    found.map_or((text, None), |at| (&text[..at], Some(&text[at + 3..])))
}

fn fact(inst: &mut MInst, text: &str) -> Result<()> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    match word {
        "target" => inst.target = Some(entity(rest)?),
        "uniform" => inst.uniform = true,
        "scattered" => inst.scattered = true,
        "ordered" => inst.ordered = true,
        "origin" => inst.origin = Some(number(rest)? as u32),
        "line" => inst.line = number(rest)? as u32,
        "tied" => {
            let [name, reg] = words(rest)?;
            let real = inst.inst().ok_or(Fault::Pseudo("tied uses"))?;
            let field = real.row().field(name).ok_or_else(|| unknown("field", name))?;
            let old = register(reg, class_of(&real.row().fields[field].kind))?;
            inst.tied.push(Tied { field, old });
        }
        "control" => {
            let [stall, yield_, write_barrier, read_barrier, wait_mask, reuse] = words(rest)?;
            let byte = |text| number(text).and_then(|n| u8::try_from(n).map_err(|_| Fault::Large(n)));
            let control = Control {
                stall: byte(stall)?,
                yield_: byte(yield_)? != 0,
                write_barrier: byte(write_barrier)?,
                read_barrier: byte(read_barrier)?,
                wait_mask: byte(wait_mask)?,
                reuse: byte(reuse)?,
            };
            inst.inst_mut().ok_or(Fault::Pseudo("control bits"))?.control = control;
        }
        _ => return Err(kind(word, "fact about an instruction")),
    }
    Ok(())
}

fn real(body: &str) -> Result<Inst> {
    let mut words = body.split_whitespace().peekable();
    let guard = words.next_if(|word| word.starts_with('@'));
    let id = words.next().ok_or(Fault::Expected("an instruction"))?;
    let mut inst = Inst::new(form(id).ok_or_else(|| unknown("instruction form", id))?);
    if let Some(guard) = guard {
        let class = if inst.guard.uniform { RegClass::UP } else { RegClass::P };
        let name = guard[1..].trim_start_matches('!');
        inst.guard.negate = guard[1..].starts_with('!');
        inst.guard.pred = register(name, class)?.to_field() as u32;
    }
    for word in words {
        let (name, value) =
            word.split_once('=').ok_or_else(|| Fault::Form { text: word.to_owned(), form: "field=value" })?;
        let index = inst
            .row()
            .field(name)
            .ok_or_else(|| Fault::NoField { form: id.to_owned(), field: name.to_owned() })?;
        let digit = value.starts_with(|c: char| c.is_ascii_digit());
        inst.fields[index] = match inst.row().fields[index].kind {
            FieldKind::Register { class, .. } if !digit => register(value, class)?.to_field(),
            FieldKind::Enum if !digit => {
                inst.set_enum(name, value)?;
                continue;
            }
            _ => number(value)?,
        };
    }
    Ok(inst)
}

/// What the compiler's own instructions are called.
const PSEUDO: [&str; 13] = [
    "copy",
    "swap",
    "parallel",
    "pack",
    "undef",
    "frame",
    "syscall",
    "syscallto",
    "invoke",
    "enter",
    "leave",
    "spill",
    "reload",
];

fn pseudo(body: &str) -> Result<Option<Pseudo>> {
    let (word, rest) = body.split_once(' ').unwrap_or((body, ""));
    if !PSEUDO.contains(&word) {
        return Ok(None);
    }
    let args: Vec<&str> = rest.split(',').map(str::trim).filter(|arg| !arg.is_empty()).collect();
    let count = |n: usize| {
        if args.len() == n { Ok(()) } else { Err(Fault::Operands { name: word.to_owned(), operands: n }) }
    };
    let slot = |text: &str| number(text).map(|n| n as u32);
    Ok(Some(match word {
        "copy" => {
            count(2)?;
            Pseudo::Copy { dst: place(args[0])?, src: place(args[1])? }
        }
        "swap" => {
            count(2)?;
            Pseudo::Swap { a: place(args[0])?, b: place(args[1])? }
        }
        "parallel" => {
            if !args.len().is_multiple_of(2) {
                return Err(takes(word, "pairs"));
            }
            let moves = args.chunks(2).map(|pair| Ok((place(pair[0])?, place(pair[1])?)));
            Pseudo::ParallelCopy(moves.collect::<Result<_>>()?)
        }
        "pack" => {
            let (dst, parts) = args.split_first().ok_or_else(|| takes(word, "operands"))?;
            let parts = parts.iter().map(|part| place(part)).collect::<Result<SmallVec<_>>>()?;
            Pseudo::Pack { dst: entity(dst)?, parts }
        }
        "undef" => {
            count(1)?;
            Pseudo::Undef { dst: place(args[0])? }
        }
        "frame" => {
            count(2)?;
            Pseudo::FrameAddress { dst: place(args[0])?, offset: slot(args[1])? }
        }
        "syscall" | "syscallto" => {
            let (first, rest) = args.split_first().ok_or_else(|| takes(word, "operands"))?;
            let mut places = rest.iter().map(|arg| place(arg)).collect::<Result<Vec<_>>>()?;
            let result = match word {
                "syscallto" if places.is_empty() => return Err(takes(word, "a result")),
                "syscallto" => Some(places.remove(0)),
                _ => None,
            };
            Pseudo::Call { slot: slot(first)?, result, arguments: places }
        }
        "invoke" | "enter" | "leave" => {
            let (first, rest) = args.split_first().ok_or_else(|| takes(word, "operands"))?;
            let routine = u8::try_from(number(first)?).map_err(|_| kind(first, "routine"))?;
            let mut places = rest.iter().map(|arg| place(arg)).collect::<Result<Vec<_>>>()?;
            if word == "enter" {
                return Ok(Some(Pseudo::Enter { routine, arguments: places }));
            }
            if places.is_empty() || word == "leave" && places.len() > 1 {
                return Err(takes(word, "a result"));
            }
            let result = places.remove(0);
            match word {
                "invoke" => Pseudo::Invoke { routine, result, arguments: places },
                _ => Pseudo::Leave { routine, result },
            }
        }
        "spill" => {
            count(2)?;
            Pseudo::Spill { slot: slot(args[0])?, src: place(args[1])? }
        }
        "reload" => {
            count(2)?;
            Pseudo::Reload { dst: place(args[0])?, slot: slot(args[1])? }
        }
        _ => return Ok(None),
    }))
}
