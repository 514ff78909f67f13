//! From text to an instruction: the reverse of [`crate::print`](crate::print()).

use crate::control::{Control, Guard};
use crate::float::{self, Format};
use crate::form::{FieldKind, Form, FormId, Node, RegClass, Test};
use crate::inst::{Inst, VIRTUAL};
use crate::print::{Style, Targets, next, plain};
use crate::special;
use crate::table;
use std::fmt::Write;

/// Why a text is no instruction. `column` counts bytes from the start of the text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct ParseError {
    /// Where.
    pub column: usize,
    /// What.
    pub message: String,
}

/// Reads one instruction as [`crate::print`](crate::print()) and nvdisasm write it. A semicolon at the end is allowed. Of `style`,
/// only the targets matter; control bits and additions are read where they stand. Without control bits
/// the instruction gets [`Control::SAFE`].
pub fn parse(text: &str, style: &Style<'_>) -> Result<Inst, ParseError> {
    let whole = text;
    let column = |rest: &str| rest.as_ptr() as usize - whole.as_ptr() as usize;
    let fail = |rest: &str, message: String| ParseError { column: column(rest), message };
    let mut rest = text.trim().trim_end_matches([';', ' ']);
    let mut bits = None;
    if rest.starts_with('[') {
        let (inside, after) =
            rest[1..].split_once(']').ok_or_else(|| fail(rest, "`]` is missing".to_owned()))?;
        bits = Some(control(inside).ok_or_else(|| fail(rest, format!("`{inside}` are no control bits")))?);
        rest = after.trim_start();
    }
    let mut additions = "";
    // Additions name fields; a set of numbers in braces is an operand.
    if let Some(start) = rest.rfind(" {").filter(|start| rest[*start..].contains('=')) {
        let inside =
            rest[start + 2..].strip_suffix('}').ok_or_else(|| fail(rest, "`}` is missing".to_owned()))?;
        additions = inside;
        rest = rest[..start].trim_end();
    }
    let mut guard = Guard::ALWAYS;
    if let Some(after) = rest.strip_prefix('@') {
        let (name, after) = after.split_once(' ').ok_or_else(|| fail(rest, "a guard alone".to_owned()))?;
        let negate = name.starts_with('!');
        let name = name.trim_start_matches('!');
        let uniform = name.starts_with("UP");
        let class = if uniform { RegClass::UP } else { RegClass::P };
        let number =
            register(class, &mut { name }).ok_or_else(|| fail(rest, format!("`{name}` is no predicate")))?;
        guard = Guard { pred: number as u32, negate, uniform };
        rest = after.trim_start();
    }
    let mnemonic = rest.split(['.', ' ']).next().unwrap_or_default();
    let wanted = additions.split(' ').find_map(|a| a.strip_prefix("form="));
    let candidates = table::by_mnemonic(mnemonic);
    if candidates.is_empty() {
        return Err(fail(rest, format!("no form is called `{mnemonic}`")));
    }
    let normal = rest.replace("INF ,", "INF,").replace("NAN ,", "NAN,").replace("-0.0 ,", "-0.0,");
    let mut reached = 0;
    for &form in candidates {
        let row = form.get();
        let elsewhere = style.chip.is_some_and(|chip| !row.chips.contains(chip));
        if wanted.is_some_and(|id| id != row.id) || elsewhere && wanted.is_none() {
            continue;
        }
        // A virtual guard does not show its file; the form knows.
        let open = guard.is_always() || u64::from(guard.pred) >= VIRTUAL;
        let guard_fits = open || guard.uniform == row.uniform_guard;
        let Some((values, reuse)) = fields(row, &normal, style, &mut reached).filter(|_| guard_fits) else {
            continue;
        };
        let mut inst = Inst::new(form);
        inst.fields.copy_from_slice(&values);
        inst.guard = Guard { uniform: row.uniform_guard, ..guard };
        let mut control = bits.unwrap_or(row.control.safe());
        control.reuse |= reuse;
        if reuse != 0 && bits.is_none() {
            // `.reuse` in a text without control bits: the safest word that may carry it.
            control = Control { stall: 11, yield_: true, ..control };
        }
        inst.control = control;
        for addition in additions.split(' ').filter(|a| !a.is_empty()) {
            add(&mut inst, addition, &|message| fail(rest, message))?;
        }
        return Ok(inst);
    }
    let at = column(rest) + reached.min(rest.len());
    Err(ParseError { column: at, message: format!("no form of `{mnemonic}` reads on here") })
}

/// ` {name=0x3 …}`: what parsing the plain text would not give back; empty when nothing is lost.
pub(crate) fn lost(inst: &Inst, style: &Style<'_>) -> String {
    let style = Style { control: false, exact: false, ..*style };
    let mut text = String::new();
    plain(inst, &style, &mut text);
    let mut out = String::new();
    let mut back = parse(&text, &style).ok();
    if back.as_ref().is_none_or(|back| back.form != inst.form) {
        let _ = write!(out, " form={}", inst.form);
        back = parse(&format!("{text} {{form={}}}", inst.form), &style).ok();
    }
    let fields = back.as_ref().map_or_else(|| Inst::new(inst.form).fields, |back| back.fields.clone());
    for (i, field) in inst.row().fields.iter().enumerate() {
        if fields[i] != inst.fields[i] {
            let _ = write!(out, " {}={:#x}", field.name, inst.fields[i]);
        }
    }
    let reuse = back.map_or(0, |back| back.control.reuse);
    if reuse != inst.control.reuse {
        let _ = write!(out, " reuse={:#x}", inst.control.reuse);
    }
    if out.is_empty() { out } else { format!(" {{{}}}", out.trim_start()) }
}

/// Sets the field that an addition names. `fail` knows where that stands.
fn add(inst: &mut Inst, addition: &str, fail: &dyn Fn(String) -> ParseError) -> Result<(), ParseError> {
    let (name, value) = addition.split_once('=').ok_or_else(|| fail(format!("`{addition}` has no value")))?;
    if name == "form" {
        return Ok(());
    }
    let value = value.strip_prefix("0x").and_then(|v| u64::from_str_radix(v, 16).ok());
    let value = value.ok_or_else(|| fail(format!("`{addition}` has no hexadecimal value")))?;
    if name == "reuse" {
        inst.control.reuse = value as u8;
        return Ok(());
    }
    inst.set(name, value).map_err(|e| fail(e.to_string()))
}

/// `B0-----:R-:W1:-:S04`.
fn control(text: &str) -> Option<Control> {
    let parts: Vec<&str> = text.split(':').collect();
    let [waits, read, write, yields, stall] = parts[..] else { return None };
    let mut wait_mask = 0;
    let waits = waits.strip_prefix('B')?;
    for (i, c) in waits.chars().enumerate() {
        match c.to_digit(10) {
            Some(digit) if digit as usize == i && i < 6 => wait_mask |= 1 << i,
            None if c == '-' => {}
            _ => return None,
        }
    }
    let barrier = |text: &str, prefix| match text.strip_prefix(prefix)? {
        "-" => Some(7),
        digit => digit.parse::<u8>().ok().filter(|b| *b < 7),
    };
    Some(Control {
        stall: stall.strip_prefix('S')?.parse().ok().filter(|s| *s < 16)?,
        yield_: match yields {
            "Y" => false,
            "-" => true,
            _ => return None,
        },
        write_barrier: barrier(write, 'W')?,
        read_barrier: barrier(read, 'R')?,
        wait_mask,
        reuse: 0,
    })
}

/// A register of the class at the start of the text, which moves on.
fn register(class: RegClass, rest: &mut &str) -> Option<u64> {
    let (digits, offset) = match rest.strip_prefix("%v") {
        Some(after) => (after, VIRTUAL),
        None => (rest.strip_prefix(class.prefix())?, 0),
    };
    let constant = match class {
        RegClass::R | RegClass::UR => 'Z',
        _ => 'T',
    };
    if offset == 0
        && let (Some(after), Some(number)) = (digits.strip_prefix(constant), class.constant())
    {
        *rest = after;
        return Some(number);
    }
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: u64 = digits[..end].parse().ok()?;
    *rest = &digits[end..];
    if class == RegClass::UR && offset == 0 && number == 63 {
        return Some(255);
    }
    Some(number + offset)
}

/// Nodes still to be matched, innermost first.
enum List<'a, 'l> {
    Empty,
    Then(&'a [Node], &'l List<'a, 'l>),
}

struct Matcher<'a> {
    form: &'a Form,
    style: &'a Style<'a>,
    values: Vec<Option<u64>>,
    reuse: u8,
    /// Tests met on the way, and whether their text was taken.
    taken: Vec<(&'a [Test], bool)>,
    length: usize,
    reached: usize,
}

/// Values of all fields, and reuse bits, if the text is one of the form's.
fn fields(row: &Form, text: &str, style: &Style<'_>, reached: &mut usize) -> Option<(Vec<u64>, u8)> {
    let aliases = row.aliases.iter().map(|(tests, nodes)| (tests.as_slice(), nodes.as_slice()));
    for (tests, nodes) in aliases.chain([(&[][..], row.syntax.as_slice())]) {
        let mut matcher = Matcher {
            form: row,
            style,
            values: vec![None; row.fields.len()],
            reuse: 0,
            taken: vec![(tests, true)],
            length: text.len(),
            reached: 0,
        };
        for test in tests {
            if let Test::Is(field, value) = *test {
                matcher.values[field] = Some(value);
            }
        }
        let found = matcher.run(nodes, &List::Empty, text);
        *reached = matcher.reached.max(*reached);
        if found {
            let values =
                matcher.values.iter().zip(&row.fields).map(|(v, f)| v.unwrap_or(f.default)).collect();
            return Some((values, matcher.reuse));
        }
    }
    None
}

impl<'a> Matcher<'a> {
    fn run(&mut self, nodes: &'a [Node], then: &List<'a, '_>, text: &str) -> bool {
        self.reached = self.reached.max(self.length - text.len());
        let Some((node, rest)) = nodes.split_first() else {
            return match then {
                List::Empty => text.is_empty() && self.holds(),
                List::Then(nodes, then) => self.run(nodes, then, text),
            };
        };
        match node {
            Node::Literal(literal) => {
                text.strip_prefix(literal).is_some_and(|text| self.run(rest, then, text))
            }
            Node::Hidden(_) => self.run(rest, then, text),
            Node::When(tests, inside) => {
                for take in [true, false] {
                    let saved = (self.values.clone(), self.reuse, self.taken.len());
                    self.taken.push((tests, take));
                    let found = if take {
                        for test in tests {
                            if let Test::Is(field, value) = *test {
                                self.values[field].get_or_insert(value);
                            }
                        }
                        self.run(inside, &List::Then(rest, then), text)
                    } else {
                        self.run(rest, then, text)
                    };
                    if found {
                        return true;
                    }
                    self.values = saved.0;
                    self.reuse = saved.1;
                    self.taken.truncate(saved.2);
                }
                false
            }
            Node::Next(field) => {
                let FieldKind::Register { class, .. } = self.form.fields[*field].kind else { return false };
                let mut text = text;
                let fits = |own: Option<u64>, number| own.is_some_and(|own| next(class, own) == number);
                register(class, &mut text).is_some_and(|number| fits(self.values[*field], number))
                    && self.run(rest, then, text)
            }
            Node::Unsigned(field) => {
                let mut text = text;
                let unused = 64 - self.form.fields[*field].bits.len();
                let Some(value) = integer(&mut text).filter(|v| v << unused >> unused == *v) else {
                    return false;
                };
                let signed = ((value << unused) as i64 >> unused) as u64;
                let before = self.values[*field].replace(signed);
                if before.is_none_or(|old| old == signed) && self.run(rest, then, text) {
                    return true;
                }
                self.values[*field] = before;
                false
            }
            Node::Texts { field, texts } => {
                // Longest text first, so that a shorter one is tried only when the rest does not fit.
                let mut order: Vec<usize> = (0..texts.len()).filter(|&i| texts[i].is_some()).collect();
                order.sort_by_key(|&i| std::cmp::Reverse(texts[i].map_or(0, str::len)));
                let before = self.values[*field];
                for i in order {
                    let Some(text) = texts[i].and_then(|t| text.strip_prefix(t)) else { continue };
                    if before.is_some_and(|v| v != i as u64) {
                        continue;
                    }
                    self.values[*field] = Some(i as u64);
                    if self.run(rest, then, text) {
                        return true;
                    }
                    self.values[*field] = before;
                }
                false
            }
            Node::Value { field, neg, abs, not, inv, tilde, reuse } => {
                let saved = (self.values.clone(), self.reuse);
                let mut text = text;
                let mut eat = |sign: char, flag: &Option<usize>, values: &mut Vec<Option<u64>>| {
                    let Some(flag) = *flag else { return };
                    let after = text.strip_prefix(sign);
                    values[flag] = Some(u64::from(after.is_some()));
                    text = after.unwrap_or(text);
                };
                eat('!', not, &mut self.values);
                eat('~', inv, &mut self.values);
                eat('-', neg, &mut self.values);
                if tilde.is_some() && neg.is_some_and(|i| self.values[i] == Some(0)) {
                    eat('~', neg, &mut self.values);
                }
                eat('|', abs, &mut self.values);
                let barred = abs.is_some_and(|i| self.values[i] == Some(1));
                let found = self.value(*field, &mut text)
                    && (!barred || text.strip_prefix('|').map(|after| text = after).is_some())
                    && {
                        if let (Some(bit), Some(after)) = (reuse, text.strip_prefix(".reuse")) {
                            self.reuse |= 1 << bit;
                            text = after;
                        }
                        self.run(rest, then, text)
                    };
                if !found {
                    (self.values, self.reuse) = saved;
                }
                found
            }
        }
    }

    fn value(&mut self, i: usize, text: &mut &str) -> bool {
        let field = &self.form.fields[i];
        let read = match field.kind {
            FieldKind::Register { class, .. } => register(class, text),
            FieldKind::Target { .. } => self.target(text),
            FieldKind::Float32 => number(text, Format::Single),
            FieldKind::Float64High => number(text, Format::DoubleHigh),
            FieldKind::Float16 => number(text, Format::Half),
            FieldKind::Bfloat16 => number(text, Format::Bfloat),
            FieldKind::Half { bfloat } => {
                let brain = self.values[bfloat] == Some(1);
                number(text, if brain { Format::Bfloat } else { Format::Half })
            }
            FieldKind::ConstantOffset { spaced } => constant(text, spaced).and_then(|(bank, offset)| {
                let before = self.values[i + 1].replace(bank);
                before.is_none_or(|b| b == bank).then_some(offset)
            }),
            FieldKind::Set => set(text),
            FieldKind::Special { .. } => {
                let end = text.find([',', ' ', ']']).unwrap_or(text.len());
                let number = special::number(&text[..end]);
                *text = &text[end..];
                number
            }
            FieldKind::Enum
            | FieldKind::Flag
            | FieldKind::Signed { .. }
            | FieldKind::Unsigned { .. }
            | FieldKind::Bank => integer(text),
        };
        match (read, self.values[i]) {
            (Some(new), Some(old)) => new == old,
            (Some(new), None) => {
                self.values[i] = Some(new);
                true
            }
            (None, _) => false,
        }
    }

    fn target(&self, text: &mut &str) -> Option<u64> {
        if let Some(mut after) = text.strip_prefix("pc(") {
            let distance = integer(&mut after)?;
            *text = after.strip_prefix(')')?;
            return Some(distance);
        }
        match self.style.targets {
            Targets::Relative => None,
            Targets::At(address) => Some(integer(text)?.wrapping_sub(address).wrapping_sub(16)),
            Targets::Named { find, .. } => {
                let end = text.find([',', ' ']).unwrap_or(text.len());
                let distance = find(&text[..end])?;
                *text = &text[end..];
                Some(distance as u64)
            }
        }
    }

    /// Whether every condition met agrees with the values read.
    fn holds(&self) -> bool {
        let mut inst = Inst {
            form: FormId(0),
            guard: Guard::ALWAYS,
            fields: Default::default(),
            control: Control::SAFE,
        };
        inst.form = table::form(self.form.id).unwrap_or(FormId(0));
        inst.fields =
            self.values.iter().zip(&self.form.fields).map(|(v, f)| v.unwrap_or(f.default)).collect();
        self.taken.iter().all(|(tests, take)| tests.iter().all(|test| inst.test(test)) == *take)
    }
}

/// `0x1f`, `-0x8` or decimal; negative numbers as two's complement.
fn integer(text: &mut &str) -> Option<u64> {
    let (negative, rest) = text.strip_prefix('-').map_or((false, *text), |rest| (true, rest));
    let (digits, radix) = rest.strip_prefix("0x").map_or((rest, 10), |digits| (digits, 16));
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let value = u64::from_str_radix(&digits[..end], radix).ok()?;
    *text = &digits[end..];
    Some(if negative { value.wrapping_neg() } else { value })
}

/// `{3,1}`: a bit for each number.
fn set(text: &mut &str) -> Option<u64> {
    let (inside, after) = text.strip_prefix('{')?.split_once('}')?;
    let mut bits = 0;
    for number in inside.split(',').filter(|n| !n.is_empty()) {
        bits |= 1u64.checked_shl(number.parse().ok()?)?;
    }
    *text = after;
    Some(bits)
}

fn number(text: &mut &str, format: Format) -> Option<u64> {
    let end = text.find([',', ' ']).unwrap_or(text.len());
    let bits = float::bits(&text[..end], format)?;
    *text = &text[end..];
    Some(bits)
}

/// `c[0x0][0x210]`: bank and offset.
fn constant(text: &mut &str, spaced: bool) -> Option<(u64, u64)> {
    let mut rest = text.strip_prefix("c[")?;
    let bank = integer(&mut rest)?;
    rest = rest.strip_prefix(if spaced { "] [" } else { "][" })?;
    let offset = integer(&mut rest)?;
    *text = rest.strip_prefix(']')?;
    Some((bank, offset & 0xffff))
}
