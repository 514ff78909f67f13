//! Inputs on which two functions differ, as the IR's interpreter shows.

use super::world::{End, Input, Interval, Outcome, run};
use sassafras_ir::Function;
use sassafras_prove::verdict::{Argument, Counterexample};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Concrete, TermId};
use sassafras_symbolic::input;
use sassafras_symbolic::inputs::Inputs;
use std::collections::BTreeMap;

/// Both functions, and whether acquiring and releasing accesses of the first are relaxed ones and fences.
#[derive(Clone, Copy)]
pub(super) struct Both<'f> {
    pub before: &'f Function,
    pub after: &'f Function,
    pub fenced: bool,
}

/// Where two runs part.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Difference {
    place: String,
    before: String,
    after: String,
}

/// What became of an input.
pub(super) enum Shown {
    /// Both functions do the same.
    Same,
    /// They do not.
    Differs(Box<Counterexample>),
    /// The input says nothing: the source is undefined on it, leaves something open, or is not followed to its end.
    Nothing(String),
}

impl Both<'_> {
    /// Runs both on an input.
    pub fn show(self, input: &Input) -> Shown {
        let source = run(self.before, input, self.fenced);
        match &source.end {
            End::Exit | End::Trap if !source.open => {}
            End::Exit | End::Trap => return Shown::Nothing("the source leaves something open".into()),
            End::Undefined(why) | End::Open(why) => return Shown::Nothing(why.clone()),
        }
        let target = run(self.after, input, false);
        if let End::Open(why) = &target.end {
            return Shown::Nothing(why.clone());
        }
        match difference(&source, &target) {
            None => Shown::Same,
            Some(d) => Shown::Differs(Box::new(self.example(input, d, source, target))),
        }
    }

    /// Whether both do something else on an input.
    fn differs(self, input: &Input) -> bool {
        matches!(self.show(input), Shown::Differs(_))
    }

    /// The same with parameters and other numbers made zero where both functions still differ.
    pub fn smaller(self, mut input: Input) -> Input {
        for at in (0..input.params.len()).step_by(4) {
            let mut less = input.clone();
            less.params.iter_mut().skip(at).take(4).for_each(|b| *b = 0);
            if less.params != input.params && self.differs(&less) {
                input = less;
            }
        }
        let named: Vec<String> = input.named.keys().cloned().collect();
        for name in named {
            let mut less = input.clone();
            let zero = u128::from(name.starts_with('n'));
            if less.named.insert(name, zero) != Some(zero) && self.differs(&less) {
                input = less;
            }
        }
        input
    }

    fn example(self, input: &Input, d: Difference, source: Outcome, target: Outcome) -> Counterexample {
        let [grid, block, thread] = input.launch();
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        let arguments = self.before.params.iter().enumerate().map(|(i, p)| {
            let at = p.offset as usize;
            let bytes = input.params.get(at..at + p.size as usize).unwrap_or_default();
            Argument { name: format!("parameter {i}"), offset: p.offset, bytes: hex(bytes), pointer: false }
        });
        let memory = input.memory.iter().map(|((_, at), byte)| (format!("{at:#x}"), format!("{byte:02x}")));
        Counterexample {
            grid,
            block,
            thread,
            parameters: hex(&input.params),
            arguments: arguments.collect(),
            memory: memory.collect(),
            reads: Vec::new(),
            fill: 0,
            run: None,
            address: d.place,
            source: d.before,
            target: d.after,
            line: None,
            instruction: None,
            text: None,
            cause: None,
            source_steps: source.steps,
            target_steps: target.steps,
        }
    }
}

fn ended(end: &End) -> String {
    match end {
        End::Exit => "exit".into(),
        End::Trap => "trap".into(),
        End::Undefined(why) | End::Open(why) => why.clone(),
    }
}

fn difference(source: &Outcome, target: &Outcome) -> Option<Difference> {
    let said = |e: Option<&Interval>, end: &End| match e.map(|i| &i.then) {
        Some(Some((what, args))) => {
            let args: Vec<String> = args.iter().map(|a| format!("{a:#x}")).collect();
            format!("{what} {}", args.join(", "))
        }
        _ => ended(end),
    };
    for n in 0..source.log.len().max(target.log.len()) {
        let (s, t) = (source.log.get(n), target.log.get(n));
        if let (Some(s), Some(t)) = (s, t) {
            let bytes = |m: &BTreeMap<u64, u8>, at: u64| {
                let all: String =
                    (at..at.saturating_add(8)).map_while(|a| m.get(&a).map(|b| format!("{b:02x}"))).collect();
                if all.is_empty() { "nothing".to_owned() } else { all }
            };
            let keys = s.writes.keys().chain(t.writes.keys());
            if let Some(&at) = keys.filter(|a| s.writes.get(a) != t.writes.get(a)).min() {
                let (before, after) = (bytes(&s.writes, at), bytes(&t.writes, at));
                return Some(Difference { place: format!("{at:#x}"), before, after });
            }
            let known = |r: &&(bool, u64)| s.reads.contains(r) || !r.0 && s.writes.contains_key(&r.1);
            if let Some(&(_, at)) = t.reads.iter().find(|r| !known(r)) {
                let place = format!("{at:#x}");
                return Some(Difference { place, before: "not accessed".into(), after: "read".into() });
            }
        }
        let last = s.is_none_or(|i| i.then.is_none()) && t.is_none_or(|i| i.then.is_none());
        let same = if last { source.end == target.end } else { s.map(|i| &i.then) == t.map(|i| &i.then) };
        if !same {
            let (before, after) = (said(s, &source.end), said(t, &target.end));
            return Some(Difference { place: format!("event {n}"), before, after });
        }
        if last {
            break;
        }
    }
    None
}

/// The input that a model describes.
pub(super) fn input(inputs: &Inputs<'_>, f: &Function, model: &BTreeMap<TermId, u128>) -> Input {
    let d = inputs.terms;
    let mut found = Input { params: vec![0; f.param_size as usize], ..Input::default() };
    for (&term, &bits) in model {
        let Node::Variable(number) = d.node(term) else { continue };
        match inputs.input_of(term) {
            Some(input::Input::Parameter(at)) => {
                let at = at as usize;
                for (i, byte) in (bits as u64).to_le_bytes().into_iter().enumerate() {
                    if let Some(there) = found.params.get_mut(at + i) {
                        *there = byte;
                    }
                }
            }
            _ => {
                found.named.insert(d.name(number), bits);
            }
        }
    }
    let start = sassafras_semantics::Domain::constant(d, 32, 0);
    for read in inputs.reads() {
        let Some(&bits) = model.get(&read.variable) else { continue };
        // What memory holds later is what was done and what others do.
        if read.memory != "const" && read.version != start {
            continue;
        }
        let value = |t: TermId| model.get(&t).copied().unwrap_or(0);
        let base = d.evaluate(&Concrete::default(), read.base, value).bits() as u64;
        let at = base.wrapping_add(read.offset as u64);
        for (i, byte) in (bits as u64).to_le_bytes().into_iter().enumerate() {
            found.memory.insert((read.memory == "const", at.wrapping_add(i as u64)), byte);
        }
    }
    found
}
