//! The body of an entry as lines, and its loops.

use std::ops::RangeInclusive;

/// Makes the lines of a body with an edit, if there is a place for it.
pub type Make = fn(&Body) -> Option<Vec<String>>;

/// An entry's body, between its braces.
pub struct Body {
    before: String,
    after: String,
    /// Its lines, without blanks at their ends and without empty ones.
    pub lines: Vec<String>,
    /// The loop that is edited: from the line of its label to that of its branch back. It holds no other.
    pub inner: RangeInclusive<usize>,
    /// The loop around it, if there is one.
    pub outer: Option<RangeInclusive<usize>>,
}

/// A condition that ends or continues the loop.
pub struct Test {
    /// The line of the `setp`.
    pub at: usize,
    /// The comparison, as `lt`.
    pub compare: String,
    /// The type, as `s32`.
    pub ty: String,
    /// The predicate.
    pub predicate: String,
    /// What is compared.
    pub a: String,
    /// With what.
    pub b: String,
}

/// The instruction of a line without its guard, as its name and its operands.
pub fn parts(line: &str) -> Option<(&str, Vec<&str>)> {
    let text = line.trim().trim_end_matches(';');
    let text = match text.strip_prefix('@') {
        Some(rest) => rest.split_once(char::is_whitespace)?.1.trim(),
        None => text,
    };
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.ends_with(':');
    // Vectors and pairs of operands are not taken apart.
    (is_name && !rest.contains('{')).then(|| (name, rest.trim().split(',').map(str::trim).collect()))
}

/// The label that a line branches to.
pub fn target(line: &str) -> Option<&str> {
    let (name, operands) = parts(line)?;
    (name == "bra" || name == "bra.uni").then_some(operands[0])
}

/// The line with an instruction's name and operands.
pub fn line(name: &str, operands: &[&str]) -> String {
    format!("\t{name} \t{};", operands.join(", "))
}

/// Whether a line has a guard.
pub fn guarded(line: &str) -> bool {
    line.trim().starts_with('@')
}

/// The line with its guard negated.
pub fn negated(line: &str) -> Option<String> {
    let rest = line.trim().strip_prefix('@')?;
    Some(match rest.strip_prefix('!') {
        Some(plain) => format!("\t@{plain}"),
        None => format!("\t@!{rest}"),
    })
}

impl Body {
    /// The body of an entry that has a loop; none otherwise.
    pub fn of(ptx: &str, entry: &str) -> Option<Body> {
        let head = ptx.find(&format!(".entry {entry}("))?;
        let open = head + ptx[head..].find("\n{")? + 2;
        let close = open + ptx[open..].find("\n}\n").or_else(|| ptx[open..].rfind("\n}"))?;
        let lines: Vec<String> = ptx[open..close]
            .lines()
            .filter(|l| !l.trim().is_empty())
            .map(|l| l.trim_end().to_owned())
            .collect();
        let mut loops: Vec<RangeInclusive<usize>> = Vec::new();
        for (at, text) in lines.iter().enumerate() {
            let Some(label) = text.trim().strip_suffix(':') else { continue };
            let back = lines.iter().enumerate().rev().find(|(_, l)| target(l) == Some(label));
            if let Some((end, _)) = back.filter(|(end, _)| *end > at) {
                loops.push(at..=end);
            }
        }
        let inner = loops.iter().min_by_key(|l| l.end() - l.start())?.clone();
        let around = |l: &&RangeInclusive<usize>| l.start() < inner.start() && l.end() > inner.end();
        let outer = loops.iter().filter(around).min_by_key(|l| l.end() - l.start()).cloned();
        Some(Body { before: ptx[..open].into(), after: ptx[close..].into(), lines, inner, outer })
    }

    /// The module with these lines, and with registers and a label's worth of space for edits.
    pub fn whole(&self, lines: &[String]) -> String {
        let registers = "\n\t.reg .pred %edit_p<4>;\n\t.reg .b32 %edit_r<4>;\n\t.reg .b64 %edit_d<4>;\n\t.reg .f32 %edit_f<4>;\n";
        format!("{}{registers}{}{}", self.before, lines.join("\n"), self.after)
    }

    /// The lines of the loop.
    pub fn inside(&self) -> impl Iterator<Item = (usize, &str)> {
        self.inner.clone().map(|at| (at, &*self.lines[at]))
    }

    /// The lines before the loop, the nearest first.
    pub fn ahead(&self) -> impl Iterator<Item = (usize, &str)> {
        (0..*self.inner.start()).rev().map(|at| (at, &*self.lines[at]))
    }

    /// The lines with one changed.
    pub fn with(&self, at: usize, text: String) -> Vec<String> {
        let mut lines = self.lines.clone();
        lines[at] = text;
        lines
    }

    /// The lines without one.
    pub fn without(&self, at: usize) -> Vec<String> {
        let mut lines = self.lines.clone();
        lines.remove(at);
        lines
    }

    /// The lines with more of them before one.
    pub fn insert(&self, at: usize, more: &[String]) -> Vec<String> {
        let mut lines = self.lines.clone();
        lines.splice(at..at, more.iter().cloned());
        lines
    }

    /// The line that goes back, and the condition under which it does.
    pub fn test(&self) -> Option<Test> {
        let back = &self.lines[*self.inner.end()];
        let guard = back.trim().strip_prefix('@')?.trim_start_matches('!');
        self.test_of(guard.split_whitespace().next()?, *self.inner.end())
    }

    /// The `setp` before a line that writes a predicate from two numbers.
    pub fn test_of(&self, predicate: &str, before: usize) -> Option<Test> {
        for at in (0..before).rev() {
            let Some((name, operands)) = parts(&self.lines[at]) else { continue };
            if operands.first() != Some(&predicate) {
                continue;
            }
            let [set, compare, ty] = name.split('.').collect::<Vec<_>>()[..] else { return None };
            let [_, a, b] = operands[..] else { return None };
            return (set == "setp").then(|| Test {
                at,
                compare: compare.into(),
                ty: ty.into(),
                predicate: predicate.into(),
                a: a.into(),
                b: b.into(),
            });
        }
        None
    }

    /// The line in the loop that moves the counter by an immediate, and by how much.
    pub fn step(&self) -> Option<(usize, i64)> {
        let test = self.test()?;
        self.inside().find_map(|(at, text)| {
            let (name, operands) = parts(text)?;
            let [to, _, by] = operands[..] else { return None };
            (name.starts_with("add.s") && to == test.a).then_some((at, by.parse().ok()?))
        })
    }

    /// A register of 32 bits, or a float, that the loop computes, beside the counter: the line, the register, and whether it is a float.
    pub fn computed(&self) -> Option<(usize, String, bool)> {
        let counter = self.test().map(|t| t.a).unwrap_or_default();
        let found = self.inside().filter_map(|(at, text)| {
            let (name, operands) = parts(text)?;
            let to = *operands.first()?;
            let float = to.starts_with("%f") && !to.starts_with("%fd");
            let whole = to.starts_with("%r") && !to.starts_with("%rd") && !to.starts_with("%rs");
            let plain =
                ["add.", "fma.", "mul.", "mad.", "xor.", "max.", "min."].iter().any(|n| name.starts_with(n));
            (plain && (float || whole) && to != counter && !guarded(text)).then(|| (at, to.to_owned(), float))
        });
        found.last()
    }

    /// Whether the loop is straight: no label and no branch but its own.
    pub fn is_straight(&self) -> bool {
        let (start, end) = (*self.inner.start(), *self.inner.end());
        let plain = |at: usize| {
            let text = self.lines[at].trim();
            !text.ends_with(':') && target(text).is_none() && !text.contains('{') && !text.starts_with("call")
        };
        (start + 1..end).all(plain) && guarded(&self.lines[end])
    }
}
