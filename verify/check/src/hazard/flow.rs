//! A function as single instructions and where each may be followed by which.

use crate::Finding;
use crate::rules::Rule;
use rustc_hash::FxHashMap;
use sassafras_isa::{Chip, ControlFlowKind, FieldKind, Inst, RegClass, decode};
use sassafras_machine::Function;

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
    /// Names of places, where the function has blocks.
    places: Vec<String>,
}

impl Program {
    /// A scheduled function.
    ///
    /// # Errors
    /// A pseudo-instruction, or a branch to a block that has no place.
    pub fn of_function(f: &Function) -> Result<Program, Finding> {
        let mut starts = FxHashMap::default();
        let mut count = 0;
        for &block in &f.layout {
            starts.insert(block, count);
            count += f.blocks[block].insts.len();
        }
        let (mut insts, mut targets, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (block, index, inst) in f.insts() {
            let place = format!("`{}`, {block}, instruction {index}", f.name);
            let fault = |message: &str| Finding {
                rule: Rule::HazardShape.id(),
                place: place.clone(),
                message: message.into(),
            };
            let real = inst.inst().ok_or_else(|| fault("a pseudo-instruction is left"))?;
            let target = match inst.target {
                Some(target) => Some(
                    *starts.get(&target).ok_or_else(|| fault("the branch goes to a block without place"))?,
                ),
                None => None,
            };
            insts.push(Some(real.clone()));
            targets.push(target);
            places.push(place);
        }
        Ok(Program::new(f.chip, insts, targets, places))
    }

    /// The words of one function.
    pub fn of_words(words: &[u128], chip: Chip) -> Program {
        let insts: Vec<Option<Inst>> = words.iter().map(|&word| decode(word, chip).ok()).collect();
        let target = |(at, inst): (usize, &Option<Inst>)| {
            let inst = inst.as_ref()?;
            let field = inst.row().fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }))?;
            let byte = (16 * (at as i64 + 1)).checked_add(inst.fields[field] as i64)?;
            usize::try_from(byte / 16).ok().filter(|&to| byte % 16 == 0 && to < words.len())
        };
        let targets = insts.iter().enumerate().map(target).collect();
        let places = (0..words.len()).map(|at| format!("{:#06x}", 16 * at)).collect();
        Program::new(chip, insts, targets, places)
    }

    fn new(
        chip: Chip,
        insts: Vec<Option<Inst>>,
        targets: Vec<Option<usize>>,
        places: Vec<String>,
    ) -> Program {
        let count = insts.len();
        let none = (vec![Vec::new(); count], vec![false; count]);
        let mut program =
            Program { chip, insts, succs: none.0, leaders: none.1, unknown: Vec::new(), places };
        let returns: Vec<usize> = (0..count)
            .filter(|&at| program.kind(at) == Some(ControlFlowKind::Call))
            .map(|at| at + 1)
            .filter(|&at| at < count)
            .collect();
        for at in 0..count {
            program.succs[at] = program.next(at, &targets, &returns);
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

    /// Where control may go from an instruction.
    fn next(&mut self, at: usize, targets: &[Option<usize>], returns: &[usize]) -> Vec<usize> {
        use ControlFlowKind as K;
        let Some(inst) = &self.insts[at] else {
            self.unknown(Rule::HazardUndecoded, at, "the word does not decode");
            return Vec::new();
        };
        // A branch may also be decided by a predicate that is no guard.
        let decided =
            inst.operands().any(|o| o.field.is_some() && matches!(o.class, RegClass::P | RegClass::UP));
        let through = !inst.guard.is_always() || decided;
        let kind = inst.row().control_flow;
        let own_loop = targets[at] == Some(at);
        let mut to: Vec<usize> = match kind {
            Some(K::Branch) if own_loop => return Vec::new(),
            Some(K::Branch | K::Call) => match targets[at] {
                Some(target) => vec![target],
                None => {
                    self.unknown(Rule::HazardTarget, at, "it goes to a place that is not known");
                    Vec::new()
                }
            },
            Some(K::IndirectBranch) => {
                self.unknown(Rule::HazardTarget, at, "it goes to a place that is not known");
                Vec::new()
            }
            Some(K::Return) => returns.to_vec(),
            Some(K::Exit | K::Trap) => Vec::new(),
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

    fn unknown(&mut self, rule: Rule, at: usize, message: &str) {
        let place = self.place(at);
        self.unknown.push(Finding { rule: rule.id(), place, message: message.to_owned() });
    }

    /// An instruction in words: where it is and what it says.
    pub fn place(&self, at: usize) -> String {
        let text = self.insts[at].as_ref().map_or("an unknown word".to_owned(), |inst| {
            sassafras_isa::print(inst, &sassafras_isa::Style::default())
        });
        format!("{} `{text}`", self.places[at])
    }
}
