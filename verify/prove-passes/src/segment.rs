//! A segment: both sides from one cut to the next ones, and what has to hold between them.

use super::desk::{Desk, Failure};
use super::meaning::{Pair, Who};
use super::obstacle::Obstacle;
use super::relation::{Class, Member, Relation, member, values};
use super::run::{Arrival, Ran, Start, run};
use super::shape::Shape;
use super::side_error::SideError;
use rustc_hash::FxHashMap;
use sassafras_ir::{Block, Function, Inst};
use sassafras_prove::obligation::{Compared, Obligation, assumptions, covered, intervals, traps};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId};
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::place::{Claim, Place};
use sassafras_symbolic::trace::event::Event;
use std::collections::{BTreeMap, BTreeSet};

/// Both functions, and where they are cut.
pub(super) struct Both<'a, 'f> {
    pub before: &'a Shape<'f>,
    pub after: &'a Shape<'f>,
    pub pair: Pair<'a>,
    pub cuts: BTreeSet<Block>,
    /// Most times that a block is run in a segment.
    pub bound: u32,
}

/// Both sides of a segment.
pub(super) struct Sides<'i> {
    pub source: Ran<'i>,
    pub target: Ran<'i>,
}

/// How places are called.
#[derive(Clone, Copy)]
struct Names<'f>(&'f Function, &'f Function);

fn place(f: &Function, at: u64) -> Place {
    let inst = Inst(at as u32);
    Place::Named(match f.insts.get(inst) {
        Some(data) => format!("{inst} (line {})", data.line),
        None => format!("{inst}"),
    })
}

impl Compared for Names<'_> {
    fn place(self, at: u64) -> Place {
        place(self.0, at)
    }
    fn target(self, at: u64) -> Place {
        place(self.1, at)
    }
    fn required_threads(self) -> Option<[u32; 3]> {
        self.0.reqntid
    }
    fn same_places(self) -> bool {
        true
    }
}

/// A cut for people.
fn named(cut: Option<Block>) -> String {
    cut.map_or_else(|| "the end".into(), |block| block.to_string())
}

impl Both<'_, '_> {
    /// Runs both sides from the entry, or from a cut at which a relation holds.
    ///
    /// # Errors
    /// What is not covered.
    pub fn run<'i>(
        &self,
        inputs: &'i Inputs<'i>,
        from: Option<(Block, &Relation)>,
    ) -> Result<Sides<'i>, Obstacle> {
        let mut starts = [Start::Entry, Start::Entry];
        if let Some((cut, relation)) = from {
            let version = inputs.variable("memory", 32, true);
            starts = relation
                .start(inputs, [self.before, self.after], cut)
                .map_err(Obstacle::Relation)?
                .map(|values| Start::Cut(cut, values, version));
        }
        let [of_source, of_target] = starts;
        let side = |shape: &Shape<'_>, who: Who, start: Start, bound: u32| {
            run(inputs, shape, who, &self.pair, &self.cuts, start, bound)
        };
        // A target may go through a loop a little more often before it is seen that it does not.
        let more = if self.bound > 1 { 2 } else { 0 };
        let target = side(self.after, Who::After, of_target, self.bound + more);
        let target = target.map_err(|why| Obstacle::Side(Who::After, why))?;
        let source = side(self.before, Who::Before, of_source, self.bound);
        let source = source.map_err(|why| Obstacle::Side(Who::Before, why))?;
        Ok(Sides { source, target })
    }

    /// What both sides bring to a cut, and the relation that it leaves. A leaf of the target that is shown to be a value of the
    /// source, where lanes arrive, is taken for that.
    ///
    /// # Errors
    /// A value that is not there.
    pub fn found(
        &self,
        inputs: &Inputs<'_>,
        cut: Block,
        old: Option<&Relation>,
        [source, target]: [&Arrival; 2],
        assumed: &[TermId],
        desk: &mut Desk<'_>,
    ) -> Result<Relation, SideError> {
        let mut found: BTreeMap<Member, TermId> = BTreeMap::new();
        for (who, shape, arrival) in [(Who::Before, self.before, source), (Who::After, self.after, target)] {
            for v in values(shape, cut) {
                let term = arrival.values.get(&v).ok_or(SideError::NotBrought { value: v, cut })?;
                found.insert(member(who, v), inputs.normal.of(*term));
            }
        }
        let d = inputs.terms;
        let is_leaf = |m: &Member| if m.0 { self.after.is_leaf(m.1) } else { self.before.is_leaf(m.1) };
        let mine: Vec<Member> = found.keys().copied().filter(|m| m.0 && is_leaf(m)).collect();
        for of_target in mine {
            let term = found[&of_target];
            let class = |m: &Member| old.and_then(|r| r.0.get(m).copied());
            // Without a relation the value of the same number is the one that may be equal.
            let near: Vec<TermId> = found
                .iter()
                .filter(|(m, t)| {
                    let related = match old {
                        Some(_) => class(m).is_some() && class(m) == class(&of_target),
                        None => m.1 == of_target.1,
                    };
                    !m.0 && related && d.width_of(**t) == d.width_of(term)
                })
                .map(|(_, t)| *t)
                .collect();
            if near.is_empty() || near.contains(&term) {
                continue;
            }
            let wrong = d.and(&source.condition, &d.not(&d.eq(&near[0], &term)));
            if desk.holds_shortly(inputs, assumed, wrong) {
                found.insert(of_target, near[0]);
            }
        }
        Ok(Relation::after(old, inputs, &found, is_leaf))
    }

    /// What may be assumed of a segment: the launch, and that the source does nothing undefined.
    pub fn assumed(&self, inputs: &Inputs<'_>, sides: &Sides<'_>) -> Vec<TermId> {
        let d = inputs.terms;
        let (source, target) = (&sides.source.side, &sides.target.side);
        let all: Vec<TermId> = terms(&source.log.events).chain(terms(&target.log.events)).collect();
        let lanes = inputs.asks_lane(&all);
        let mut assumed = assumptions(inputs, self.names(), &source.log.events, lanes);
        for excluded in source.log.beyond.iter().chain(&source.log.undefined) {
            assumed.push(inputs.normal.of(d.not(excluded)));
        }
        assumed
    }

    fn names(&self) -> Names<'_> {
        Names(self.before.function, self.after.function)
    }

    /// Shows all that has to hold of a segment. `relations`: what has to hold at the cuts.
    pub fn check(
        &self,
        inputs: &Inputs<'_>,
        sides: &mut Sides<'_>,
        relations: &BTreeMap<Block, Relation>,
        desk: &mut Desk<'_>,
        used: &mut BTreeSet<Assumption>,
    ) -> Result<(), Failure<Obstacle>> {
        let d = inputs.terms;
        let names = self.names();
        let mut assumed = self.assumed(inputs, sides);
        let first = 0;
        let (_, mut replaced) = sassafras_symbolic::ptx::choose::choose(
            inputs,
            &mut sides.source.side.log.events,
            &sides.target.side.log.events,
            &mut assumed,
            first,
        );
        self.renew(inputs, sides);
        let (of_source, of_target) = (&sides.source.side.log.events, &mut sides.target.side.log.events);
        desk.events(inputs, names, &assumed, (of_source, of_target), &mut replaced)?;
        self.renew(inputs, sides);
        let Sides { source, target } = sides;
        for interval in intervals(inputs, names, &source.side.log.events, &target.side.log.events) {
            let paired = interval.paired.map(|list| desk.discharge(inputs, &assumed, &list));
            match paired {
                Some(Ok(())) => continue,
                Some(Err(Failure::Unknown(why))) => return Err(Failure::Unknown(why.into())),
                // Not one to one: perhaps in another order, or in other pieces.
                Some(Err(Failure::Violated { .. })) | None => {
                    desk.discharge(inputs, &assumed, &[interval.whole])?;
                }
            }
        }
        let mut open = covered(inputs, names, &source.side.log.events, &target.side.log.events);
        open.push(traps(d, &source.side.log.traps, &target.side.log.traps));
        for undefined in &target.side.log.undefined {
            let what = Claim::Named("what is done is defined where it was".to_owned());
            open.push(Obligation { what, violated: *undefined });
        }
        for beyond in &target.side.log.beyond {
            let what = Claim::Named("coverage: loops end where they did".to_owned());
            open.push(Obligation { what, violated: *beyond });
        }
        let ends: BTreeSet<Option<Block>> =
            source.arrivals.keys().chain(target.arrivals.keys()).copied().collect();
        for end in ends {
            let (s, t) = (source.arrivals.get(&end), target.arrivals.get(&end));
            let condition = |a: Option<&Arrival>| a.map_or(d.no(), |a| a.condition);
            let differ = |x: TermId, y: TermId| d.not(&d.eq(&x, &y));
            let what = Claim::Named(format!("lanes come to {} as before", named(end)));
            open.push(Obligation { what, violated: differ(condition(s), condition(t)) });
            let (Some(s), Some(t)) = (s, t) else { continue };
            let versions = d.and(&s.condition, &differ(s.version, t.version));
            let what = Claim::Named(format!("others have done as much on the way to {}", named(end)));
            open.push(Obligation { what, violated: versions });
            if let Some(cut) = end {
                let relation = relations.get(&cut).ok_or(Failure::Unknown(Obstacle::CutWithoutRelation))?;
                self.related(inputs, cut, relation, s, t, &mut open)
                    .map_err(|why| Failure::Unknown(Obstacle::Relation(why)))?;
            }
        }
        desk.discharge(inputs, &assumed, &open)?;
        desk.possible(inputs, &assumed)?;
        used.extend(source.side.log.assumed.iter().chain(&target.side.log.assumed));
        used.extend([
            Assumption::Launch,
            Assumption::Addr,
            Assumption::Ub,
            Assumption::Drf,
            Assumption::Solver,
        ]);
        let all: Vec<TermId> = terms(&target.side.log.events).collect();
        if d.topological(&all).iter().any(|t| sassafras_symbolic::float::is_float(&d.node(*t))) {
            used.insert(Assumption::Fp);
        }
        Ok(())
    }

    /// That values of one class are one at a cut, and known ones what is known.
    fn related(
        &self,
        inputs: &Inputs<'_>,
        cut: Block,
        relation: &Relation,
        source: &Arrival,
        target: &Arrival,
        open: &mut Vec<Obligation>,
    ) -> Result<(), SideError> {
        let d = inputs.terms;
        let mut first: FxHashMap<u32, TermId> = FxHashMap::default();
        for (&(after, v), class) in &relation.0 {
            let arrival = if after { target } else { source };
            let term = *arrival.values.get(&v).ok_or(SideError::NotBrought { value: v, cut })?;
            let other = match class {
                Class::Known(bits) => d.constant(d.width_of(term), *bits),
                Class::Number(n) => *first.entry(*n).or_insert(term),
            };
            if other != term {
                let violated = d.and(&source.condition, &d.not(&d.eq(&other, &term)));
                let what = Claim::Named(format!("{v} at {cut} is what it is said to be"));
                open.push(Obligation { what, violated });
            }
        }
        Ok(())
    }

    /// Brings what is left of a segment to the normal form that holds now.
    fn renew(&self, inputs: &Inputs<'_>, sides: &mut Sides<'_>) {
        let of = |t: &mut TermId| *t = inputs.normal.of(*t);
        for ran in [&mut sides.source, &mut sides.target] {
            let side = &mut ran.side;
            let single = side.log.undefined.iter_mut().chain(&mut side.log.beyond);
            single.chain(side.log.traps.iter_mut().map(|t| &mut t.0)).for_each(of);
            for arrival in ran.arrivals.values_mut() {
                of(&mut arrival.condition);
                of(&mut arrival.version);
                arrival.values.values_mut().for_each(of);
            }
            for e in &mut side.log.events {
                let own = [&mut e.guard, &mut e.address, &mut e.value, &mut e.version];
                own.into_iter().chain(&mut e.arguments).for_each(of);
            }
        }
    }
}

impl From<Failure> for Failure<Obstacle> {
    fn from(failure: Failure) -> Failure<Obstacle> {
        match failure {
            Failure::Violated { what, model } => Failure::Violated { what, model },
            Failure::Unknown(why) => Failure::Unknown(why.into()),
        }
    }
}

/// The terms of events.
pub(super) fn terms(events: &[Event]) -> impl Iterator<Item = TermId> + '_ {
    events.iter().flat_map(|e| [e.guard, e.address, e.value].into_iter().chain(e.arguments.iter().copied()))
}

/// Whether the source leaves something open among these terms.
pub(super) fn leaves_open(inputs: &Inputs<'_>, events: &[Event]) -> bool {
    let d = inputs.terms;
    let all: Vec<TermId> = terms(events).collect();
    let open = |t: &TermId| matches!(d.node(*t), Node::Undef { .. } | Node::Approximate { .. });
    d.topological(&all).iter().any(open)
}
