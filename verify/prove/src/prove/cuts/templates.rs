//! What registers of the target may hold of the source's at a head: rows by a few templates, the likeliest first.
//!
//! Values on drawn inputs say which rows there may be. Often several fit: registers that hold the same on few inputs, or that never change on these. So all of them are
//! kept. First come copies of which the terms are the same at each arrival, then other copies, then registers that move as one of the source does. Where a row does
//! not hold behind a turn, the next one takes its place.

use super::super::columns::Evaluator;
use sassafras_semantics::{Domain, TermId};
use sassafras_symbolic::cut::{self, Cut, Key, Row, Shape, Variable};
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::trace::heads::Arrival;
use std::collections::{BTreeMap, BTreeSet};

/// What a pointer moves by, in what a counter moves by.
const FACTORS: [i64; 12] = [1, -1, 2, 4, 8, 16, 32, 64, 12, 24, -4, -8];
/// Most rows that are kept for registers that have one.
const MOST_SPARE: usize = 6;

/// Lanes of both sides that are equally far, on one input.
#[derive(Clone, Copy)]
pub struct Point<'a> {
    /// The input.
    pub seed: usize,
    /// The number of the first point of its way.
    pub base: usize,
    /// Lanes of the source.
    pub source: &'a Arrival<Key>,
    /// Lanes of the target.
    pub target: &'a Arrival<Key>,
}

/// How likely a row is: the lesser, the likelier. What moves alike by a constant is the same term soon, so that it comes behind what is the same.
type Rank = (bool, bool, u32);

/// What a register holds: its value at each point, and its term.
struct Column {
    values: Vec<u128>,
    terms: Vec<TermId>,
}

/// Both sides at a head.
struct Templates<'t, 'a> {
    inputs: &'t Inputs<'t>,
    points: &'t [Point<'a>],
    variables: &'t [Variable],
    /// What the variables hold.
    own: Vec<Option<Column>>,
    /// What registers of the target hold that change.
    theirs: BTreeMap<Key, Column>,
}

fn low_bits(width: u32) -> u128 {
    u128::MAX >> (128 - width.clamp(1, 128))
}

impl Column {
    fn of(
        evaluator: &Evaluator,
        points: &[Point<'_>],
        term: impl Fn(&Point<'_>) -> Option<TermId>,
    ) -> Option<Column> {
        let terms: Vec<TermId> = points.iter().map(term).collect::<Option<_>>()?;
        let values = points.iter().zip(&terms).map(|(p, t)| evaluator.value(p.seed, *t)).collect();
        Some(Column { values, terms })
    }
}

impl Templates<'_, '_> {
    /// What registers hold together, the lowest bits in the first.
    fn joined(&self, registers: &[Key]) -> Option<Column> {
        let d = self.inputs.terms;
        let mut columns = registers.iter().map(|r| self.theirs.get(r));
        let first = columns.next()??;
        let mut all = Column { values: first.values.clone(), terms: first.terms.clone() };
        let mut low = 32;
        for column in columns {
            let column = column?;
            for (i, (value, term)) in column.values.iter().zip(&column.terms).enumerate() {
                all.values[i] |= value << low;
                all.terms[i] = d.concat(term, &all.terms[i]);
            }
            low += 32;
        }
        Some(all)
    }

    /// Whether something is the same term at each point.
    fn is_one(&self, pair: impl FnMut(usize) -> (TermId, TermId)) -> bool {
        let all: BTreeSet<(TermId, TermId)> =
            (0..self.points.len()).map(pair).filter(|(a, b)| a != b).collect();
        all.into_iter().all(|(a, b)| self.inputs.normal.of(a) == self.inputs.normal.of(b))
    }

    /// Bits of variables that a register may hold.
    fn parts(&self, register: Key, width: u32, found: &mut Vec<(Rank, Row)>) {
        let d = self.inputs.terms;
        let Some(column) = self.theirs.get(&register) else { return };
        // What all lanes have in common is no part of what each has for itself, though it is on the inputs that were drawn.
        let of_warp = cut::register(register).is_some_and(cut::is_of_warp);
        for (i, v) in self.variables.iter().enumerate().filter(|(_, v)| v.common || !of_warp) {
            // A predicate is the lowest bit of many a number by chance.
            let of = self.own[i].as_ref().filter(|_| width > 1 || v.width == 1);
            let Some(of) = of else { continue };
            for low in (0..v.width).step_by(32).filter(|low| low + width <= v.width) {
                let same = of.values.iter().zip(&column.values);
                if !same.into_iter().all(|(x, y)| x >> low & low_bits(width) == *y) {
                    continue;
                }
                let one = self.is_one(|at| (d.extract(&of.terms[at], low, width), column.terms[at]));
                let row = Row { registers: vec![register], variable: i as u32, shape: Shape::Part(low) };
                found.push(((false, !one, low), row));
            }
        }
    }

    /// Narrow variables that a register may hold in its lowest bits.
    fn lowest(&self, register: Key, found: &mut Vec<(Rank, Row)>) {
        let d = self.inputs.terms;
        let of_lane = cut::register(register).is_some_and(|r| r.class == sassafras_isa::RegClass::R);
        let Some(column) = self.theirs.get(&register).filter(|_| of_lane) else { return };
        for (i, v) in self.variables.iter().enumerate().filter(|(_, v)| (8..32).contains(&v.width)) {
            let Some(of) = &self.own[i] else { continue };
            let same = of.values.iter().zip(&column.values);
            if !same.into_iter().all(|(x, y)| *x == y & low_bits(v.width)) {
                continue;
            }
            let one = self.is_one(|at| (of.terms[at], d.extract(&column.terms[at], 0, v.width)));
            let row = Row { registers: vec![register], variable: i as u32, shape: Shape::Low(v.width) };
            found.push(((false, !one, 1), row));
        }
    }

    /// Variables that registers may move with, and how many times as far.
    fn moves(&self, registers: &[Key], found: &mut Vec<(Rank, Row)>) {
        let d = self.inputs.terms;
        let width = 32 * registers.len() as u32;
        let Some(column) = self.joined(registers) else { return };
        let by = |all: &[u128], at: usize| all[at].wrapping_sub(all[self.points[at].base]);
        for (i, v) in self.variables.iter().enumerate() {
            let Some(of) = self.own[i].as_ref().filter(|_| v.width >= 32 && v.width <= cut::WIDEST) else {
                continue;
            };
            let distance = |at: usize| (by(&of.values, at) << (128 - v.width)) as i128 >> (128 - v.width);
            // What stands still moves with everything.
            if (0..self.points.len()).all(|at| distance(at) == 0) {
                continue;
            }
            let fits = |factor: &i64| {
                (0..self.points.len()).all(|at| {
                    let wanted = distance(at).wrapping_mul(i128::from(*factor)) as u128;
                    wanted & low_bits(width) == by(&column.values, at) & low_bits(width)
                })
            };
            let Some(factor) = FACTORS.into_iter().find(fits) else { continue };
            let one = factor == 1
                && v.width == width
                && self.is_one(|at| {
                    let base = self.points[at].base;
                    (d.sub(&of.terms[at], &of.terms[base]), d.sub(&column.terms[at], &column.terms[base]))
                });
            let row = Row { registers: registers.to_vec(), variable: i as u32, shape: Shape::Moved(factor) };
            found.push(((true, !one, u32::from(width < 64)), row));
        }
    }

    /// All rows of a register, alone or with the next one, the likeliest first.
    fn candidates(&self, register: Key) -> Vec<Row> {
        let Some(width) = cut::register(register).map(cut::width) else { return Vec::new() };
        let mut found = Vec::new();
        self.parts(register, width, &mut found);
        if width == 32 {
            self.lowest(register, &mut found);
            if register.is_multiple_of(2) && self.theirs.contains_key(&(register + 1)) {
                self.moves(&[register, register + 1], &mut found);
            }
            self.moves(&[register], &mut found);
        }
        found.sort_by_key(|f| f.0);
        found.into_iter().map(|f| f.1).collect()
    }
}

/// Says of each register of the target that changes what it holds, as far as there is a row for it; and what else it may hold.
pub fn fill(
    inputs: &Inputs<'_>,
    evaluator: &Evaluator,
    cut: &mut Cut,
    points: &[Point<'_>],
    moved: &BTreeSet<Key>,
) -> Vec<Row> {
    let variables = cut.variables.clone();
    let own = |v: &Variable| Column::of(evaluator, points, |p| p.source.registers.get(&v.register).copied());
    let theirs = |r: &Key| Some((*r, Column::of(evaluator, points, |p| p.target.registers.get(r).copied())?));
    let templates = Templates {
        inputs,
        points,
        variables: &variables,
        own: variables.iter().map(own).collect(),
        theirs: moved.iter().filter_map(theirs).collect(),
    };
    let mut spare = Vec::new();
    cut.free[1].extend(moved.iter().copied());
    for register in moved {
        let all = templates.candidates(*register);
        if cut.free[1].contains(register) {
            // The first one comes once more at last: it may have been given up for another's sake.
            let again = all.first().filter(|_| all.len() > 1).cloned();
            let mut all = all.into_iter();
            if let Some(first) = all.by_ref().find(|row| fits(cut, row)) {
                take(cut, first);
            }
            spare.extend(all.take(MOST_SPARE).chain(again));
        } else {
            spare.extend(all.into_iter().take(MOST_SPARE));
        }
    }
    spare
}

/// Whether a row may be said with the others.
pub fn fits(cut: &Cut, row: &Row) -> bool {
    let free = row.registers.iter().all(|r| cut.free[1].contains(r));
    let of = cut.variables[row.variable as usize];
    let moves = match row.shape {
        Shape::Low(_) => !of.moves,
        Shape::Part(low) if of.moves => {
            of.width <= cut::WIDEST && (low == 0 || lower_half(cut, row).is_some())
        }
        _ => true,
    };
    free && moves
}

/// Of a row for the upper half of a variable that moves, the number of that for the lower one.
fn lower_half(cut: &Cut, row: &Row) -> Option<usize> {
    let low = |other: &Row| {
        let (own, other) = (row.registers[0], other);
        other.variable == row.variable
            && other.shape == Shape::Moved(1)
            && other.registers.len() == 1
            && other.registers[0] + 1 == own
    };
    (row.shape == Shape::Part(32)).then(|| cut.rows.iter().position(low))?
}

/// Says of registers that they hold what a row says.
pub fn take(cut: &mut Cut, mut row: Row) {
    cut.free[1].retain(|r| !row.registers.contains(r));
    let moves = cut.variables[row.variable as usize].moves;
    match row.shape {
        Shape::Moved(_) if !moves => {
            cut.variables[row.variable as usize].moves = true;
            move_rows(cut, row.variable);
        }
        Shape::Part(0) if moves => row.shape = Shape::Moved(1),
        Shape::Part(_) if moves => {
            match lower_half(cut, &row) {
                Some(low) => cut.rows[low].registers.extend(row.registers),
                None => cut.free[1].extend(row.registers),
            }
            return;
        }
        _ => {}
    }
    cut.rows.push(row);
}

/// What holds a variable that moves has moved: both halves together, or the lower one.
fn move_rows(cut: &mut Cut, variable: u32) {
    let (of, others): (Vec<Row>, Vec<Row>) =
        std::mem::take(&mut cut.rows).into_iter().partition(|row| row.variable == variable);
    cut.rows = others;
    let mut gone: BTreeSet<Key> = BTreeSet::new();
    let mut halves: BTreeSet<Key> =
        of.iter().filter(|row| row.shape == Shape::Part(32)).map(|row| row.registers[0]).collect();
    let upper = halves.clone();
    for mut row in of {
        match row.shape {
            Shape::Part(0) => {
                let next = row.registers[0] + 1;
                if halves.remove(&next) {
                    row.registers.push(next);
                }
                row.shape = Shape::Moved(1);
                cut.rows.push(row);
            }
            Shape::Part(_) | Shape::Low(_) => gone.extend(row.registers),
            Shape::Moved(_) => cut.rows.push(row),
        }
    }
    gone.retain(|r| !upper.contains(r));
    cut.free[1].extend(gone.into_iter().chain(halves));
}
