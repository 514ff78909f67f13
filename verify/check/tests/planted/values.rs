//! What a fault behind allocation does, by running it: three functions side by side along paths of the graph.
//!
//! The function before allocation, the allocated one and the faulted one take the same path. An instruction gives tokens
//! that no other gives; moves carry them on. The fault is *wrong* when an instruction of the faulted function reads another
//! token than the one before allocation. This knows nothing of sets of values, meets and fixed points, which are the judge's.
//!
//! A fault that is not wrong is harmless for one of three reasons, each shown in its own way:
//! * *dead*: what it leaves different is written again before it is read, on all ways (a search over all states);
//! * *undefined*: it is read only where the program reads an undefined value (seen on the paths);
//! * *same-value*: at every end of a block, on every path, all registers hold what they hold without it.

use sassafras_isa::{FieldKind, Inst, MemorySpace, RegClass};
use sassafras_machine::{Access, Block, Function, MInst, Op, Place, Position, Pseudo, Reg, VReg};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What running shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// A wrong value is read.
    Wrong(String),
    /// It changes nothing that is read, for this reason.
    Harmless(&'static str),
    /// No wrong value was seen, and no reason holds.
    Unexplained,
}

/// A register or a word of the spill area.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum At {
    Virtual(VReg, u8),
    Real(RegClass, u16),
    Slot(u32),
}

type Token = u64;

/// Paths that are run at least, and at most.
const PATHS: (u64, u64) = (8, 32);

/// Runs a fault behind allocation.
pub fn show(before: &Function, after: &Function, faulted: &Function) -> Shown {
    let mut run = Run { seen: HashMap::new(), undefined: false, differs: false };
    let edges = before.layout.iter().flat_map(|&b| (0..before.blocks[b].succs.len()).map(move |s| (b, s)));
    let mut edges: HashSet<(Block, usize)> = edges.collect();
    for path in 0..PATHS.1 {
        if path >= PATHS.0 && edges.is_empty() {
            break;
        }
        if let Err(what) = run.path(before, after, faulted, path, &mut edges) {
            return Shown::Wrong(what.to_string());
        }
    }
    if dead(after, faulted) {
        Shown::Harmless("dead")
    } else if run.undefined {
        Shown::Harmless("undefined")
    } else if !run.differs {
        Shown::Harmless("same-value")
    } else {
        Shown::Unexplained
    }
}

struct Run {
    /// Turns of each edge.
    seen: HashMap<(Block, usize), u64>,
    undefined: bool,
    differs: bool,
}

type Env = HashMap<At, Token>;

fn hash(parts: impl IntoIterator<Item = u64>) -> Token {
    parts.into_iter().fold(0x243f_6a88_85a3_08d3, |h: u64, p| {
        (h ^ p).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) ^ p
    })
}

/// The locations of an operand; `None` is the constant of the file.
fn locations(class: RegClass, reg: Reg, units: u8) -> Vec<Option<At>> {
    let unit = |u: u8| match reg {
        _ if reg.is_constant(class) => None,
        Reg::Virtual(v, first) => Some(At::Virtual(v, first + u)),
        Reg::Physical(first) => Some(At::Real(class, first + u16::from(u))),
    };
    (0..units).map(unit).collect()
}

fn read(env: &Env, class: RegClass, at: Option<At>) -> Option<Token> {
    match at {
        None => Some(u64::from(matches!(class, RegClass::P | RegClass::UP))),
        Some(at) => env.get(&at).copied(),
    }
}

fn write(env: &mut Env, at: Option<At>, token: Option<Token>) {
    match (at, token) {
        (Some(at), Some(token)) => _ = env.insert(at, token),
        (Some(at), None) => _ = env.remove(&at),
        (None, _) => {}
    }
}

/// The register at a position of an instruction.
fn register(inst: &MInst, position: Position) -> Reg {
    match (&inst.op, position) {
        (Op::Inst(real), Position::Guard) => Reg::from_field(u64::from(real.guard.pred)),
        (Op::Inst(real), Position::Field(i) | Position::Tied(i)) => Reg::from_field(real.fields[i]),
        (Op::Pseudo(pseudo), Position::Pseudo(i)) => pseudo.places()[i].0.reg,
        _ => panic!("the instruction is of another kind"),
    }
}

/// Moves of a pseudo-instruction, destination and source by unit; `None` when it is none.
fn moves(pseudo: &Pseudo) -> Option<Vec<(Option<At>, RegClass, Option<At>)>> {
    let place = |p: &Place| locations(p.class, p.reg, p.units);
    let pair = |d: &Place, s: &Place| {
        place(d).into_iter().zip(place(s)).map(|(d, from)| (d, s.class, from)).collect::<Vec<_>>()
    };
    let slot = |slot: u32, units: u8| (0..u32::from(units)).map(move |u| Some(At::Slot(slot / 4 + u)));
    Some(match pseudo {
        Pseudo::Copy { dst, src } => pair(dst, src),
        Pseudo::ParallelCopy(list) => list.iter().flat_map(|(d, s)| pair(d, s)).collect(),
        Pseudo::Swap { a, b } => [pair(a, b), pair(b, a)].concat(),
        Pseudo::Pack { dst, parts } => {
            let sources = parts.iter().flat_map(|p| place(p).into_iter().map(|at| (p.class, at)));
            (0u8..).zip(sources).map(|(u, (class, at))| (Some(At::Virtual(*dst, u)), class, at)).collect()
        }
        Pseudo::Spill { slot: s, src } => {
            slot(*s, src.units).zip(place(src)).map(|(d, from)| (d, src.class, from)).collect()
        }
        Pseudo::Reload { dst, slot: s } => {
            place(dst).into_iter().zip(slot(*s, dst.units)).map(|(d, from)| (d, dst.class, from)).collect()
        }
        Pseudo::Undef { .. } | Pseudo::FrameAddress { .. } | Pseudo::Call { .. } => return None,
        Pseudo::Invoke { .. } | Pseudo::Enter { .. } | Pseudo::Leave { .. } => return None,
    })
}

fn carry(env: &mut Env, moves: &[(Option<At>, RegClass, Option<At>)]) {
    let tokens: Vec<_> = moves.iter().map(|(to, class, from)| (*to, read(env, *class, *from))).collect();
    tokens.into_iter().for_each(|(to, token)| write(env, to, token));
}

/// Whether it only moves values within a kind of register, so that allocation may leave it out.
fn names(inst: &MInst) -> bool {
    let boolean = |c: RegClass| matches!(c, RegClass::P | RegClass::UP);
    match inst.as_pseudo() {
        Some(Pseudo::Copy { dst, src }) => boolean(dst.class) == boolean(src.class),
        Some(Pseudo::Pack { .. } | Pseudo::Undef { .. }) => true,
        _ => false,
    }
}

/// The token of a definition that reads nothing: what is written again is the same.
fn constant(inst: &Inst) -> Option<Token> {
    let row = inst.row();
    let reads = inst.operands().any(|o| o.access == Access::Read);
    let acts = row.control_flow.is_some() || row.memory.is_some_and(|m| m.space != MemorySpace::Constant);
    let fields = row.fields.iter().zip(&inst.fields).map(|(f, v)| if f.write { 0 } else { *v });
    (!reads && !acts).then(|| hash(format!("{:?}", inst.form).bytes().map(u64::from).chain(fields)))
}

/// An instruction reads another value than before allocation.
#[derive(Debug, thiserror::Error)]
#[error("{block}: instruction {index} reads another value from {at:?}")]
struct OtherValue {
    block: Block,
    index: usize,
    at: Option<At>,
}

impl Run {
    fn path(
        &mut self,
        before: &Function,
        after: &Function,
        faulted: &Function,
        path: u64,
        edges: &mut HashSet<(Block, usize)>,
    ) -> Result<(), OtherValue> {
        let stack = At::Real(RegClass::R, 1);
        let mut old: Env = [(stack, 11)].into();
        let mut good = old.clone();
        let mut bad = old.clone();
        let mut block = before.entry;
        for turn in 0..64 + 4 * before.layout.len() as u64 {
            let seed = hash([path, turn]);
            let known = run_old(&before.blocks[block].insts, &mut old, seed);
            let undefined = run_real(&after.blocks[block].insts, &mut good, seed, &known).unwrap_or_else(
                |(index, at)| panic!("without the fault: {}", OtherValue { block, index, at }),
            );
            let other = run_real(&faulted.blocks[block].insts, &mut bad, seed, &known)
                .map_err(|(index, at)| OtherValue { block, index, at })?;
            self.undefined |= undefined != other;
            self.differs |= good != bad;
            let succs = &before.blocks[block].succs;
            if succs.is_empty() {
                break;
            }
            // Mostly the edge taken least, so that every edge is soon taken.
            let least = (0..succs.len()).min_by_key(|&s| self.seen.get(&(block, s)).copied().unwrap_or(0));
            let taken = match least {
                Some(s) if !seed.is_multiple_of(4) => s,
                _ => (seed >> 8) as usize % succs.len(),
            };
            *self.seen.entry((block, taken)).or_default() += 1;
            edges.remove(&(block, taken));
            let edge = &succs[taken];
            let params = before.blocks[edge.block].params.iter().zip(&edge.args);
            let list: Vec<_> = params
                .flat_map(|(&p, &a)| {
                    let data = before.vregs[p];
                    (0..data.units)
                        .map(move |u| (Some(At::Virtual(p, u)), data.class, Some(At::Virtual(a, u))))
                })
                .collect();
            carry(&mut old, &list);
            block = edge.block;
        }
        Ok(())
    }
}

/// Runs a block of real registers; what instructions read is compared with what they read before allocation. Returns what
/// was found where that is undefined.
///
/// # Errors
/// The first instruction that reads another value, and from where.
fn run_real(
    insts: &[MInst],
    env: &mut Env,
    seed: u64,
    known: &HashMap<u32, Instance>,
) -> Result<Vec<Option<Token>>, (usize, Option<At>)> {
    let mut undefined = Vec::new();
    for (index, inst) in insts.iter().enumerate() {
        if let Some(instance) = inst.origin.and_then(|origin| known.get(&origin)) {
            let at = |position, class, unit: u8| {
                locations(class, register(inst, position), unit + 1)[usize::from(unit)]
            };
            for &(position, class, unit, wanted) in &instance.reads {
                let at = at(position, class, unit);
                let found = read(env, class, at);
                match wanted {
                    Some(wanted) if found != Some(wanted) => {
                        return Err((index, at));
                    }
                    Some(_) => {}
                    None => undefined.push(found),
                }
            }
            for &(position, class, unit, token) in &instance.writes {
                write(env, at(position, class, unit), Some(token));
            }
            continue;
        }
        match &inst.op {
            Op::Pseudo(pseudo) => carry(env, &moves(pseudo).unwrap_or_default()),
            Op::Inst(real) => {
                for def in inst.defs() {
                    for (unit, at) in locations(def.class, def.reg, def.units).into_iter().enumerate() {
                        let token = constant(real).unwrap_or(hash([seed, 3, index as u64]));
                        write(env, at, Some(hash([token, unit as u64])));
                    }
                }
            }
        }
    }
    Ok(undefined)
}

/// What one execution of an instruction read and wrote before allocation: position, file, unit, token.
struct Instance {
    reads: Vec<(Position, RegClass, u8, Option<Token>)>,
    writes: Vec<(Position, RegClass, u8, Token)>,
}

fn run_old(insts: &[MInst], env: &mut Env, seed: u64) -> HashMap<u32, Instance> {
    let mut known = HashMap::new();
    for (index, inst) in insts.iter().enumerate() {
        if names(inst) {
            match inst.as_pseudo() {
                Some(Pseudo::Undef { dst }) => {
                    locations(dst.class, dst.reg, dst.units)
                        .into_iter()
                        .flatten()
                        .for_each(|at| _ = env.remove(&at));
                }
                Some(pseudo) => carry(env, &moves(pseudo).unwrap_or_default()),
                None => {}
            }
            continue;
        }
        let mut instance = Instance { reads: Vec::new(), writes: Vec::new() };
        // An old value that is a constant is no operand before allocation, and has a register behind it.
        for tied in &inst.tied {
            let Some(real) = inst.inst() else { continue };
            if let FieldKind::Register { class, .. } = real.row().fields[tied.field].kind
                && tied.old.is_constant(class)
            {
                let token = read(env, class, None);
                let position = Position::Tied(tied.field);
                instance.reads.extend((0..real.units(tied.field)).map(|unit| (position, class, unit, token)));
            }
        }
        for operand in inst.operands() {
            let own = inst.inst().and_then(constant).unwrap_or(hash([seed, 2, index as u64]));
            for (unit, at) in (0u8..).zip(locations(operand.class, operand.reg, operand.units)) {
                let (position, class) = (operand.position, operand.class);
                match operand.access {
                    Access::Read => instance.reads.push((position, class, unit, read(env, class, at))),
                    Access::Write => {
                        // Tokens of one definition differ by field, and count from the definition's first unit.
                        let field = match position {
                            Position::Field(i) | Position::Tied(i) | Position::Pseudo(i) => i as u64,
                            Position::Guard => u64::MAX,
                        };
                        let token = match inst.inst().and_then(constant) {
                            Some(token) => hash([token, u64::from(unit)]),
                            None => hash([own, field, u64::from(unit)]),
                        };
                        instance.writes.push((position, class, unit, token));
                    }
                }
            }
        }
        for ((_, _, _, token), at) in instance.writes.iter().zip(
            inst.operands()
                .into_iter()
                .filter(|o| o.access == Access::Write)
                .flat_map(|o| locations(o.class, o.reg, o.units)),
        ) {
            write(env, at, Some(*token));
        }
        if let Some(origin) = inst.origin {
            known.insert(origin, instance);
        }
    }
    known
}

/// What is different in the faulted function at one place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
struct Difference {
    /// Locations whose contents may differ.
    taint: BTreeSet<At>,
    /// `(a, b)`: the faulted function's `b` holds what the other's `a` holds.
    alias: Option<(At, At)>,
}

/// Whether nothing that the fault leaves different is read before it is written again, on any way.
fn dead(after: &Function, faulted: &Function) -> bool {
    let mut seen: HashSet<(Block, Difference)> = HashSet::new();
    let mut work = vec![(after.entry, Difference::default())];
    while let Some((block, mut difference)) = work.pop() {
        if !seen.insert((block, difference.clone())) {
            continue;
        }
        let (a, b) = (&after.blocks[block].insts, &faulted.blocks[block].insts);
        let dropped = (a.len() == b.len() + 1).then(|| a.iter().zip(b).take_while(|(x, y)| x == y).count());
        if dropped.is_none() && a.len() != b.len() {
            return false;
        }
        for (index, inst) in a.iter().enumerate() {
            let ok = match dropped {
                Some(at) if at == index => difference.dropped(inst),
                Some(at) => difference.step(inst, &b[index - usize::from(index > at)]),
                None => difference.step(inst, &b[index]),
            };
            if !ok {
                return false;
            }
        }
        work.extend(after.blocks[block].succs.iter().map(|edge| (edge.block, difference.clone())));
    }
    true
}

impl Difference {
    /// Whether two sources hold the same.
    fn same(&self, a: Option<At>, b: Option<At>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) if a == b => !self.taint.contains(&a),
            (Some(a), Some(b)) => self.alias == Some((a, b)),
            (None, None) => true,
            _ => false,
        }
    }

    fn written(&mut self, a: Option<At>, b: Option<At>, same: bool) {
        if self.alias.is_some_and(|(x, y)| Some(x) == a || Some(y) == b) {
            self.alias = None;
        }
        if a == b {
            let Some(at) = a else { return };
            if same {
                self.taint.remove(&at);
            } else {
                self.taint.insert(at);
            }
        } else {
            self.taint.extend(a.into_iter().chain(b));
            if let (Some(a), Some(b), true) = (a, b, same) {
                self.alias = Some((a, b));
            }
        }
    }

    fn dropped(&mut self, inst: &MInst) -> bool {
        let Some(list) = inst.as_pseudo().and_then(moves) else { return false };
        for (to, ..) in list {
            self.alias = self.alias.filter(|(x, _)| Some(*x) != to);
            self.taint.extend(to);
        }
        true
    }

    fn step(&mut self, a: &MInst, b: &MInst) -> bool {
        if let (Some(x), Some(y)) = (a.as_pseudo().and_then(moves), b.as_pseudo().and_then(moves)) {
            let same: Vec<bool> = x.iter().zip(&y).map(|(x, y)| self.same(x.2, y.2)).collect();
            for ((x, y), same) in x.iter().zip(&y).zip(same) {
                self.written(x.0, y.0, same);
            }
            return x.len() == y.len();
        }
        let (x, y) = (a.operands(), b.operands());
        if x.len() != y.len() || a.tied.len() != b.tied.len() {
            return false;
        }
        let pairs = || {
            x.iter().zip(&y).flat_map(|(x, y)| {
                let ends =
                    locations(x.class, x.reg, x.units).into_iter().zip(locations(y.class, y.reg, y.units));
                ends.map(|(p, q)| (x.access, p, q))
            })
        };
        if pairs().any(|(access, p, q)| access == Access::Read && !self.same(p, q)) {
            return false;
        }
        pairs().filter(|p| p.0 == Access::Write).for_each(|(_, p, q)| self.written(p, q, true));
        true
    }
}
