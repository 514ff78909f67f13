//! A function as single instructions and where each may be followed by which.

use crate::finding::Finding;
use crate::rules::Rule;
use rustc_hash::FxHashMap;
use sassafras_chip::latency::{Class, Hazard, Kind, OperandKind, latency, least};
use sassafras_isa::{Chip, Control, ControlFlowKind, FieldKind, Inst, Meaning, Operand, RegClass, decode};
use std::collections::BTreeSet;

/// Whether an instruction calls a routine: by a distance, which is known at emission.
pub fn is_routine(inst: &Inst) -> bool {
    inst.row().family == "call"
}

/// Whether a register of this file, read by a branch, says whether it is taken; general ones say where it goes.
fn decides(class: RegClass) -> bool {
    matches!(class, RegClass::P | RegClass::UP | RegClass::UR)
}

/// Instructions in order, with the ways between them.
#[derive(Clone, Debug)]
pub struct Program {
    /// The chip.
    pub chip: Chip,
    /// The instructions; `None` is a word that does not decode.
    pub insts: Vec<Option<Inst>>,
    /// By instruction: which may issue next.
    pub succs: Vec<Vec<usize>>,
    /// Whether control may come to the instruction from elsewhere than the one before it.
    pub leaders: Vec<bool>,
    /// What is not known of the flow.
    pub unknown: Vec<Finding>,
    /// Whether we scheduled it.
    pub own: bool,
    /// Whether distances are held against the numbers that our scheduler keeps, and not against floors.
    pub strict: bool,
    /// Where the instructions stand.
    places: Places,
}

/// A function in blocks: its name, and the first instruction and the name of each block, in order.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// The function.
    pub function: String,
    /// By block: the number of its first instruction among all, and its name.
    pub blocks: Vec<(usize, String)>,
}

impl Blocks {
    /// An instruction as its function, its block and its number there.
    fn of(&self, at: usize) -> String {
        // Of blocks that begin at one place all but the last are empty.
        let behind = self.blocks.partition_point(|(first, _)| *first <= at);
        let block = behind.checked_sub(1).and_then(|last| self.blocks.get(last));
        block.map_or_else(
            || format!("`{}`, instruction {at}", self.function),
            |(first, name)| format!("`{}`, {name}, instruction {}", self.function, at - first),
        )
    }
}

/// Where instructions stand; the text is made for what is objected to.
#[derive(Clone, Debug)]
enum Places {
    /// In the blocks of a function.
    Blocks(Blocks),
    /// One word behind the other.
    Words,
}

impl Places {
    fn of(&self, at: usize) -> String {
        match self {
            Places::Blocks(blocks) => blocks.of(at),
            Places::Words => format!("{:#06x}", 16 * at),
        }
    }
}

impl Program {
    /// A function that we scheduled, in the order of its blocks: its instructions, and by instruction where a branch goes.
    pub fn of_blocks(chip: Chip, insts: Vec<Inst>, targets: &[Option<usize>], blocks: Blocks) -> Program {
        let insts = insts.into_iter().map(Some).collect();
        Program::new(chip, insts, targets, Places::Blocks(blocks), &BTreeSet::new(), true)
    }

    /// The words of one function.
    pub fn of_words(words: &[u128], chip: Chip) -> Program {
        Program::of_words_with(words, chip, &BTreeSet::new())
    }

    /// A function of a cubin, whose records say where its indirect branches go.
    pub fn of_cubin(f: &sassafras_cubin::Function, chip: Chip) -> Program {
        Program::of_words_with(&f.code, chip, &crate::jumps::recorded(f))
    }

    /// The words of one function of which it is known where jumps and returns go: the numbers of words, from and to.
    pub fn of_words_with(words: &[u128], chip: Chip, jumps: &BTreeSet<(usize, usize)>) -> Program {
        let insts: Vec<Option<Inst>> = words.iter().map(|&word| decode(word, chip).ok()).collect();
        let target = |(at, inst): (usize, &Option<Inst>)| {
            let inst = inst.as_ref()?;
            let field = inst.row().fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }))?;
            let byte = (16 * (at as i64 + 1)).checked_add(inst.fields[field] as i64)?;
            usize::try_from(byte / 16).ok().filter(|&to| byte % 16 == 0 && to < words.len())
        };
        let targets: Vec<Option<usize>> = insts.iter().enumerate().map(target).collect();
        Program::new(chip, insts, &targets, Places::Words, jumps, false)
    }

    fn new(
        chip: Chip,
        insts: Vec<Option<Inst>>,
        targets: &[Option<usize>],
        places: Places,
        jumps: &BTreeSet<(usize, usize)>,
        own: bool,
    ) -> Program {
        let count = insts.len();
        let none = (vec![Vec::new(); count], vec![false; count]);
        let mut program = Program {
            chip,
            insts,
            succs: none.0,
            leaders: none.1,
            unknown: Vec::new(),
            own,
            strict: own,
            places,
        };
        for at in 0..count {
            program.succs[at] = program.next(at, targets, jumps);
        }
        program.connect_returns();
        for &(from, to) in jumps.iter().filter(|&&(from, to)| from < count && to < count) {
            let succs = &mut program.succs[from];
            if let Err(place) = succs.binary_search(&to) {
                succs.insert(place, to);
            }
        }
        for at in 0..count {
            for &to in &program.succs[at] {
                program.leaders[to] |= to != at + 1 || program.succs[at].len() > 1;
            }
        }
        program
    }

    fn kind(&self, at: usize) -> Option<ControlFlowKind> {
        self.insts[at].as_ref().and_then(|inst| inst.row().control_flow)
    }

    /// Whether an operand that decides on a jump is the complement of something, and be it of a constant.
    fn refuses(inst: &Inst) -> bool {
        let mut fields = inst.row().fields.iter().zip(&inst.fields);
        inst.row().control_flow.is_some() && fields.any(|(f, &value)| f.name.ends_with(".not") && value != 0)
    }

    /// Where control may go from an instruction.
    fn next(&mut self, at: usize, targets: &[Option<usize>], jumps: &BTreeSet<(usize, usize)>) -> Vec<usize> {
        use ControlFlowKind as K;
        let Some(inst) = &self.insts[at] else {
            self.unknown(Rule::Undecoded, at, "the word does not decode");
            return Vec::new();
        };
        if inst.row().control_flow.is_none() {
            return Some(at + 1).filter(|&next| next < self.insts.len()).into_iter().collect();
        }
        // A branch may also be decided by a register that is no guard, or by where the other lanes are.
        let lanes = ["bra.div", "bra.conv", "bra.any"].iter().any(|id| inst.row().id.starts_with(id));
        // Nor need a constant say yes: `BRA !PT` goes on.
        let through = !inst.guard.is_always()
            || lanes
            || Program::refuses(inst)
            || inst.operands().any(|o| o.field.is_some() && decides(o.class));
        let kind = inst.row().control_flow;
        let own_loop = targets[at] == Some(at);
        let own = self.own;
        let mut to: Vec<usize> = match kind {
            Some(K::Branch) if own_loop && !through => return Vec::new(),
            // Of a function that the driver resolves, which comes back.
            Some(K::Call) if ["call.abs", "call.abs.r"].contains(&inst.row().family) => vec![at + 1],
            // Of a routine that emission puts behind the function: it begins and ends with nothing on its way, which the words show.
            Some(K::Call) if targets[at].is_none() && is_routine(inst) && own => vec![at + 1],
            Some(K::Branch | K::Call) => match targets[at] {
                Some(target) => vec![target],
                None => {
                    self.unknown(Rule::Target, at, "it goes to a place that is not known");
                    Vec::new()
                }
            },
            Some(K::IndirectBranch) if jumps.range((at, 0)..(at + 1, 0)).next().is_none() => {
                self.unknown(Rule::Target, at, "it goes to a place that is not known");
                Vec::new()
            }
            // Where returns go is known when the calls are.
            Some(K::IndirectBranch | K::Return | K::Exit | K::Trap) => Vec::new(),
            // BSSY names the place of the BSYNC, so lanes that meet go on behind it.
            _ => vec![at + 1],
        };
        if through {
            to.push(at + 1);
        }
        to.retain(|&next| next < self.insts.len());
        to.sort_unstable();
        to.dedup();
        to
    }

    /// A return goes behind the calls of the places from which it is reached without another return, calls on the way
    /// passed over. One that no call leads to goes behind every call.
    fn connect_returns(&mut self) {
        let count = self.insts.len();
        let is = |program: &Program, at: usize, kind| program.kind(at) == Some(kind);
        // What comes back by itself, see `next`.
        let away = |at: usize| {
            let inst = self.insts[at].as_ref();
            let routine = |inst: &Inst| self.own && is_routine(inst);
            inst.is_some_and(|inst| inst.row().family == "call.abs.r" || routine(inst))
        };
        let calls: Vec<usize> = (0..count)
            .filter(|&at| is(self, at, ControlFlowKind::Call) && !away(at) && at + 1 < count)
            .collect();
        let mut behind: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for &call in &calls {
            for &entry in &self.succs[call] {
                behind.entry(entry).or_default().push(call + 1);
            }
        }
        let mut to: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (&entry, sites) in &behind {
            let mut seen = vec![false; count];
            let mut work = vec![entry];
            while let Some(at) = work.pop() {
                if std::mem::replace(&mut seen[at], true) {
                    continue;
                }
                if is(self, at, ControlFlowKind::Call) {
                    work.extend((at + 1 < count).then_some(at + 1));
                    continue;
                }
                if is(self, at, ControlFlowKind::Return) {
                    to.entry(at).or_default().extend(sites);
                }
                work.extend(&self.succs[at]);
            }
        }
        for at in (0..count).filter(|&at| is(self, at, ControlFlowKind::Return)).collect::<Vec<_>>() {
            let sites = to.remove(&at).unwrap_or_else(|| calls.iter().map(|call| call + 1).collect());
            self.succs[at].extend(sites);
            self.succs[at].sort_unstable();
            self.succs[at].dedup();
        }
    }

    fn unknown(&mut self, rule: Rule, at: usize, message: &str) {
        let place = self.place(at);
        self.unknown.push(Finding { rule: rule.id(), place, message: message.to_owned() });
    }

    /// Whether no instruction has control bits that say anything.
    pub fn is_silent(&self) -> bool {
        self.insts.iter().flatten().all(|inst| inst.control == Control::SILENT)
    }

    /// Whether an instruction is a matrix product without a stall in a function where no product, but the shortest, says how long it
    /// takes. ptxas 12.9.86 and 13.0.88 give all of them a stall of 0 at -O0 (15 where that is enough), and never one at -O3.
    pub fn holds(&self, at: usize) -> bool {
        let product =
            |inst: &Inst| inst.row().pipe.whole() == Class::Matrix || inst.row().meaning == Meaning::Dmma;
        let held = |inst: &Inst| {
            inst.control.stall == 0 || (inst.product() == Class::MatrixShort && inst.control.stall == 15)
        };
        self.insts[at].as_ref().is_some_and(|inst| product(inst) && inst.control.stall == 0)
            && self.insts.iter().flatten().filter(|inst| product(inst)).all(held)
    }

    /// Whether an instruction ends the thread.
    pub fn is_exit(&self, at: usize) -> bool {
        self.kind(at) == Some(ControlFlowKind::Exit)
    }

    /// Whether an instruction only fills the function's last line: NOP, and the branch to itself behind the end.
    pub fn is_padding(&self, at: usize) -> bool {
        self.insts[at].as_ref().is_some_and(|inst| match inst.row().control_flow {
            Some(ControlFlowKind::Branch) => self.succs[at].is_empty(),
            _ => inst.row().mnemonic == "NOP",
        })
    }

    /// Whether an instruction is a barrier of the block that reads a register beside its guard: the predicate of BAR.RED.
    pub fn votes_with(&self, at: usize, (class, number): (RegClass, u32)) -> bool {
        self.insts[at].as_ref().is_some_and(|inst| {
            inst.row().mnemonic == "BAR"
                && inst.operands().any(|o| {
                    o.access == sassafras_isa::Access::Read
                        && o.field.is_some()
                        && o.class == class
                        && class == RegClass::P
                        && o.number == number
                })
        })
    }

    /// Cycles that must lie between two accesses; `None` where no table says.
    pub fn need(&self, producer: Class, consumer: Class, kind: Kind) -> Option<u8> {
        let number = if self.strict { latency } else { least };
        number(self.chip, producer, consumer, kind)
    }

    /// What kind of dependence an operand is the later end of.
    pub fn kind_of(operand: &Operand, hazard: Hazard) -> Kind {
        let operand = match (operand.class, operand.field.is_none(), hazard) {
            (RegClass::R, ..) => OperandKind::Register,
            (RegClass::UR, ..) => OperandKind::Uniform,
            (RegClass::B, ..) => OperandKind::Convergence,
            (RegClass::P, true, Hazard::Raw) => OperandKind::Guard,
            (RegClass::P, ..) => OperandKind::Predicate,
            (RegClass::UP, true, Hazard::Raw) => OperandKind::UniformGuard,
            (RegClass::UP, ..) => OperandKind::UniformPredicate,
        };
        Kind { hazard, operand }
    }

    /// An instruction in words: where it is and what it says.
    pub fn place(&self, at: usize) -> String {
        let text = self.insts[at].as_ref().map_or("an unknown word".to_owned(), |inst| {
            sassafras_isa::print(inst, &sassafras_isa::Style::default())
        });
        format!("{} `{text}`", self.places.of(at))
    }
}
