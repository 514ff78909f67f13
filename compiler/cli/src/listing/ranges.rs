//! The life ranges of registers, as `nvdisasm -plr` puts them behind the text.
//!
//! Liveness is our own, over our own control flow: backwards, `in = read + (out - written)`, where an instruction under a
//! guard overwrites nothing. What is assumed where control leaves the function follows NVIDIA's calling convention as
//! nvdisasm shows it: a call reads R0 and R1, keeps R2, R16 to R31 and behind them every second four (R36 to R39, R44 to R47 …),
//! and overwrites the rest, predicates, and UR4 to UR35; a return needs R1 and what calls keep as far as the kernel has it; an exit, and
//! a branch to itself, need R1. R1 is the stack pointer and in use before the code sets it; UR0 to UR3 nvdisasm does not show.

use super::Labels;
use super::blocks::{Flow, flow};
use sassafras_cubin::attribute;
use sassafras_cubin::elf::Image;
use sassafras_isa::{Access, ControlFlowKind, Inst, RegClass};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The classes in the order of their columns, with their titles.
const CLASSES: [(RegClass, &str); 4] =
    [(RegClass::R, "GPR"), (RegClass::P, "PRED"), (RegClass::UR, "UGPR"), (RegClass::UP, "UPRED")];

/// Decimal digits of a number.
fn number_of_digits(number: u32) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// A set of registers of all classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set([u64; 9]);

/// The first uniform register that is shown.
const UNIFORM: usize = 4;
/// The stack pointer.
const STACK: u32 = 1;

/// Where a register stands in a [`Set`].
fn place(class: RegClass, number: u32) -> Option<usize> {
    let number = number as usize;
    match class {
        RegClass::R if number < 255 => Some(number),
        RegClass::UR if (UNIFORM..255).contains(&number) => Some(256 + number),
        RegClass::P if number < 7 => Some(512 + number),
        RegClass::UP if number < 7 => Some(520 + number),
        _ => None,
    }
}

impl Set {
    fn add(&mut self, class: RegClass, numbers: impl IntoIterator<Item = u32>) {
        for at in numbers.into_iter().filter_map(|n| place(class, n)) {
            self.0[at / 64] |= 1 << (at % 64);
        }
    }

    fn has(&self, class: RegClass, number: u32) -> bool {
        place(class, number).is_some_and(|at| self.0[at / 64] >> (at % 64) & 1 == 1)
    }

    fn join(self, other: Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    fn without(self, other: Set) -> Set {
        Set(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
}

/// What one instruction shows.
#[derive(Clone, Debug, Default)]
struct Row {
    /// The registers that the text names, or that go with them.
    names: Set,
    read: Set,
    written: Set,
    live: Set,
    /// Nothing follows it but what jumps there.
    ends: bool,
    /// Whether it is shown at all: reached from a function or a label.
    shown: bool,
    /// It is the only one between a label and the next, and no branch that may be passed by.
    alone: bool,
}

/// One section of code.
pub(super) struct Ranges {
    name: String,
    rows: Vec<Row>,
}

/// Works out the ranges of a section. `starts` are the first instructions of its functions.
pub(super) fn ranges(
    image: &Image,
    section: usize,
    insts: &[Inst],
    starts: &[usize],
    labels: &Labels,
) -> Ranges {
    let registers = registers(image, section);
    let flows: Vec<Flow> =
        insts.iter().enumerate().map(|(i, inst)| flow(inst, 16 * i as u64, section, labels)).collect();
    let mut leaders: BTreeSet<usize> = starts.iter().copied().collect();
    leaders.extend((0..insts.len()).filter(|&i| labels.at(section, 16 * i as u64).is_some()));
    let mut shown = vec![false; insts.len()];
    let mut work: Vec<usize> = leaders.iter().copied().collect();
    let successors = |i: usize| {
        let own = 16 * i as u64;
        let jumps = flows[i].targets.iter().filter(move |t| **t != own).map(|t| (t / 16) as usize);
        jumps.chain(flows[i].falls.then_some(i + 1))
    };
    while let Some(i) = work.pop() {
        if i < insts.len() && !shown[i] {
            shown[i] = true;
            work.extend(successors(i));
        }
    }
    leaders.extend((0..insts.len()).filter(|&i| flows[i].leaves).map(|i| i + 1));
    let mut rows: Vec<Row> = insts.iter().map(effects).collect();
    for (inst, row) in insts.iter().zip(&mut rows) {
        if inst.row().control_flow == Some(ControlFlowKind::Return) {
            row.names.add(RegClass::R, kept(registers));
        }
    }
    for (i, row) in rows.iter_mut().enumerate() {
        row.ends = flows[i].leaves && !flows[i].falls;
        row.shown = shown[i];
        let passes = flows[i].leaves && flows[i].falls;
        let whole = leaders.contains(&i) && (i + 1 == insts.len() || leaders.contains(&(i + 1)));
        row.alone = whole && !passes;
    }
    let mut stack = Set::default();
    stack.add(RegClass::R, [STACK]);
    let labelled = |i: usize| labels.at(section, 16 * i as u64).is_some();
    // Backwards until nothing changes; ranges only grow. Before a label is in use what is read up to the next label, and what is in use
    // behind and not written between, under a guard or not: so nvdisasm has it.
    let mut before = vec![Before::default(); insts.len() + 1];
    loop {
        let mut changed = false;
        for i in (0..insts.len()).rev().filter(|&i| shown[i]) {
            let leaving = leaving(&insts[i], &flows[i], i, registers);
            let written = rows[i].written.without(stack);
            let calls = insts[i].row().control_flow == Some(ControlFlowKind::Call);
            let mut after = Before { behind: leaving, shown: leaving, ..Before::default() };
            for s in successors(i).filter(|&s| s < insts.len()) {
                let next = before[s];
                after.join(match s == i + 1 {
                    true if !labelled(s) => next,
                    // What is called finds what the call overwrites overwritten, though the call has a guard.
                    false if calls => next.seen().without(written),
                    _ => next.seen(),
                });
            }
            let killed = if insts[i].guard.is_always() { written } else { Set::default() };
            let new = Before {
                read: rows[i].read.join(after.read.without(killed)),
                behind: after.behind.without(written),
                shown: rows[i].read.join(after.shown.without(killed)),
            };
            rows[i].live = new.shown.join(after.shown).join(rows[i].written);
            changed |= new != before[i];
            before[i] = new;
        }
        if !changed {
            return Ranges { name: image.sections[section].name.clone(), rows };
        }
    }
}

/// What is in use before an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Before {
    /// Read before the next label.
    read: Set,
    /// In use behind that, if nothing between writes it.
    behind: Set,
    /// In use here, as it is shown: what is written under a guard may be in use before.
    shown: Set,
}

impl Before {
    fn join(&mut self, other: Before) {
        self.read = self.read.join(other.read);
        self.behind = self.behind.join(other.behind);
        self.shown = self.shown.join(other.shown);
    }

    fn without(self, written: Set) -> Before {
        Before {
            read: self.read.without(written),
            behind: self.behind.without(written),
            shown: self.shown.without(written),
        }
    }

    /// As it is seen from before the label.
    fn seen(self) -> Before {
        let all = self.read.join(self.behind);
        Before { read: Set::default(), behind: all, shown: all }
    }
}

/// What an instruction reads and writes.
fn effects(inst: &Inst) -> Row {
    let mut row = Row::default();
    for operand in inst.operands() {
        let set = match operand.access {
            Access::Read => &mut row.read,
            Access::Write => &mut row.written,
        };
        set.add(operand.class, operand.number..operand.number + u32::from(operand.units));
    }
    row.names = row.read.join(row.written);
    if inst.row().control_flow == Some(ControlFlowKind::Call) {
        row.read.add(RegClass::R, [0, 1]);
        row.written.add(RegClass::R, (0..255).filter(|n| *n != STACK && !preserved(*n)));
        row.written.add(RegClass::P, 0..7);
        row.written.add(RegClass::UR, 4..36);
    }
    row
}

/// Whether a function keeps a register for its caller.
fn preserved(number: u32) -> bool {
    match number {
        0..16 => number == 2,
        16..32 => true,
        _ => number & 4 != 0,
    }
}

/// What a return needs: registers that a function must keep for its caller, as far as the kernel has them.
fn kept(registers: u32) -> impl Iterator<Item = u32> {
    (0..registers).filter(|n| *n == STACK || preserved(*n))
}

/// The most registers that `.nv.info` gives a function of the section.
fn registers(image: &Image, section: usize) -> u32 {
    let Some(info) = image.section(".nv.info").map(|i| &image.sections[i]) else { return 0 };
    let records = attribute::parse(info.bytes(), 0).unwrap_or_default();
    let counts = records.iter().filter(|(_, r)| r.id == attribute::REGCOUNT).filter_map(|(_, r)| {
        let [symbol, count] = <[u32; 2]>::try_from(r.as_words()?).ok()?;
        let symbol = image.symbols.get(symbol as usize)?;
        (usize::from(symbol.section) == section).then_some(count)
    });
    counts.max().unwrap_or(0)
}

/// What is needed where an instruction leaves the function.
fn leaving(inst: &Inst, flow: &Flow, index: usize, registers: u32) -> Set {
    let mut set = Set::default();
    match inst.row().control_flow {
        Some(ControlFlowKind::Exit) => set.add(RegClass::R, [1]),
        Some(ControlFlowKind::Return) => set.add(RegClass::R, kept(registers)),
        Some(ControlFlowKind::Branch) if flow.targets.contains(&(16 * index as u64)) => {
            set.add(RegClass::R, [1])
        }
        _ => {}
    }
    set
}

/// The columns of one class.
struct Columns {
    class: RegClass,
    title: &'static str,
    /// How many registers have a column.
    count: u32,
    /// Width between the bars.
    inner: usize,
}

impl Columns {
    /// A line of the table: the count, then a mark for each register; nothing where there is none.
    fn cell(&self, count: &str, mark: impl Fn(u32) -> String) -> String {
        let digits = number_of_digits(self.count);
        let mut text = format!(" {count:>digits$}");
        for n in 0..self.count {
            let _ = write!(text, " {:>1$}", mark(n), number_of_digits(n));
        }
        text.push_str("  ");
        let left = (self.inner - text.len()).div_ceil(2);
        format!("{}{text}{}", " ".repeat(left), " ".repeat(self.inner - text.len() - left))
    }

    fn title(&self) -> String {
        let left = (self.inner - self.title.len() - 1) / 2;
        format!("{}{:<2$}", " ".repeat(left), self.title, self.inner - left)
    }
}

/// The columns that the code needs.
fn columns(all: &[Ranges]) -> Vec<Columns> {
    let mut out = Vec::new();
    for (class, title) in CLASSES {
        // What calls overwrite by convention asks for no column; every register that code names is live somewhere.
        let rows = || all.iter().flat_map(|r| &r.rows).filter(|row| row.shown);
        let named = |n: &u32| rows().any(|row| row.names.has(class, *n));
        let Some(last) = (0..255).rev().find(named) else { continue };
        let count = last + 1;
        let marks: usize = (0..count).map(|n| 1 + number_of_digits(n)).sum();
        let inner = (1 + number_of_digits(count) + marks + 2).max(title.len() + 4);
        out.push(Columns { class, title, count, inner });
    }
    out
}

const LEGEND: [&str; 7] = [
    "Legend:",
    "    ^       : Register assignment",
    "    v       : Register usage",
    "    x       : Register usage and reassignment",
    "    :       : Register in use",
    "    <space> : Register not in use",
    "    #       : Number of occupied registers",
];

/// Puts the ranges behind the lines of a listing.
pub(super) fn annotate(text: &str, all: &[Ranges]) -> String {
    let columns = columns(all);
    let lines: Vec<&str> = text.lines().collect();
    // The bar stands six columns behind the longest line that has ranges.
    let mut width = 0;
    let mut current: Option<&Ranges> = None;
    for line in &lines {
        current = section(line, all).unwrap_or(current.filter(|_| !line.is_empty()));
        if current.is_some_and(|r| shown(line, r)) && !line.starts_with(['/', '\t']) {
            width = width.max(super::section::natural(line));
        }
    }
    let mut table = Table { columns: &columns, width: width + 6, out: String::with_capacity(3 * text.len()) };
    let (mut current, mut previous): (Option<&Ranges>, Option<usize>) = (None, None);
    for (i, line) in lines.iter().enumerate() {
        if let Some(ranges) = section(line, all) {
            (current, previous) = (ranges, None);
            table.plain(line);
            continue;
        }
        let Some(ranges) = current else {
            table.plain(line);
            continue;
        };
        if line.starts_with('\t') {
            table.plain(line);
            if line.starts_with("\t.align") {
                table.head();
            }
            continue;
        }
        if line.is_empty() {
            table.end(lines[i - 1]);
            table.plain(line);
            current = None;
            continue;
        }
        if let Some(index) = address(line) {
            let Some(row) = ranges.rows.get(index).filter(|row| row.shown) else { continue };
            table.row(line, row, false);
            previous = Some(index);
        } else if line.starts_with(".L_x_") {
            let next = lines[i + 1..].iter().find_map(|l| address(l)).filter(|_| !lines[i + 1].is_empty());
            match next.and_then(|n| ranges.rows.get(n)) {
                None => table.border(line, '-'),
                Some(row) => {
                    let ends =
                        if row.alone { row.ends } else { previous.is_some_and(|p| ranges.rows[p].ends) };
                    if ends { table.border(line, '.') } else { table.row(line, row, true) }
                }
            }
        } else {
            // The first line of a function behind another's end.
            match previous.take().filter(|&p| ranges.rows[p].ends) {
                Some(_) => table.border(line, '.'),
                None => table.blank(line),
            }
        }
    }
    if let (Some(_), Some(last)) = (current, lines.last()) {
        table.end(last);
    }
    table.out
}

/// The ranges of the section that a line begins; an inner `None` for one without.
fn section<'a>(line: &str, all: &'a [Ranges]) -> Option<Option<&'a Ranges>> {
    let name = line.strip_prefix("//--------------------- ")?.split(' ').next()?;
    Some(all.iter().find(|r| r.name == name))
}

/// The index of the instruction that a line shows.
fn address(line: &str) -> Option<usize> {
    let digits = line.strip_prefix("        /*")?.split_once("*/")?.0;
    usize::from_str_radix(digits, 16).ok().map(|at| at / 16)
}

fn shown(line: &str, ranges: &Ranges) -> bool {
    address(line).is_none_or(|i| ranges.rows.get(i).is_some_and(|row| row.shown))
}

/// The text with its columns.
struct Table<'a> {
    columns: &'a [Columns],
    width: usize,
    out: String,
}

impl Table<'_> {
    fn plain(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn cells(&mut self, line: &str, cell: impl Fn(&Columns) -> String) {
        let _ = write!(self.out, "{line:0$}// ", self.width);
        for columns in self.columns {
            let _ = write!(self.out, "|{}", cell(columns));
        }
        self.out.push_str("|\n");
    }

    fn blank(&mut self, line: &str) {
        self.cells(line, |c| " ".repeat(c.inner));
    }

    fn border(&mut self, line: &str, with: char) {
        let _ = write!(self.out, "{line:0$}// ", self.width);
        for columns in self.columns {
            let _ = write!(self.out, "+{}", with.to_string().repeat(columns.inner));
        }
        self.out.push_str("+\n");
    }

    fn head(&mut self) {
        self.border("", '-');
        self.cells("", Columns::title);
        self.cells("", |c| c.cell("#", |n| n.to_string()));
        self.border("", '-');
    }

    /// The marks of an instruction; before it, at a label, what is in use there.
    fn row(&mut self, line: &str, row: &Row, label: bool) {
        self.cells(line, |c| {
            let live = |n: u32| row.live.has(c.class, n);
            let count = (0..c.count).filter(|&n| live(n)).count();
            if count == 0 {
                return " ".repeat(c.inner);
            }
            c.cell(&count.to_string(), |n| {
                let mark = match (row.written.has(c.class, n), row.read.has(c.class, n)) {
                    _ if !live(n) => " ",
                    (false, false) => ":",
                    _ if label => ":",
                    (true, true) => "x",
                    (true, false) => "^",
                    (false, true) => "v",
                };
                mark.to_owned()
            })
        });
    }

    /// Behind the last line of a section: the table ends at its last label; a section without one has a line for it.
    fn end(&mut self, last: &str) {
        if !last.starts_with(".L_x_") {
            self.border("", '-');
        }
        self.out.push('\n');
        for line in LEGEND {
            let _ = writeln!(self.out, "{:1$}// {line}", "", self.width);
        }
        self.out.push('\n');
    }
}
