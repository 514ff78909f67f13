//! Which operations become instructions, and by which row.

use super::matcher::{Binding, Bindings, Match, match_row};
use super::{Error, Layout};
use sassafras_chip::Chip;
use sassafras_graph::{SecondaryMap, order};
use sassafras_ir::{Block, Function, Inst, InstData, Op, Value, ValueDef};
use sassafras_rules::select::attribute::{REDUCE, suffix as suffix_of};
use sassafras_rules::select::{Action, Row, Rules, Value as Term};
use sassafras_semantics::{AtomicOp, Space};

/// What happens to an operation.
#[derive(Clone, Debug, Default)]
pub enum Fate {
    /// Nobody needs it, or it is part of another's row.
    #[default]
    Nothing,
    /// Its row is emitted in its place.
    Row(&'static Row, Bindings),
    /// It is emitted by code: constants of the launch, special registers, addresses.
    Code,
    /// Its result is this word of its argument's register: nothing is emitted.
    Word(u8),
    /// Its words are its arguments, and nobody reads them as one register: nothing is emitted.
    Apart,
}

/// A decision for every operation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Blocks that are reached, in reverse post-order.
    pub order: Vec<Block>,
    /// Fates.
    pub fates: SecondaryMap<Inst, Fate>,
    /// Values that must be in a register.
    pub needed: SecondaryMap<Value, bool>,
    /// How values of 64 bits are read.
    pub words: Words,
}

/// Which values of 64 bits stand in one register, and which words are read of those that need not.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Somebody reads the register as it is.
    whole: SecondaryMap<Value, bool>,
    /// Bit n: somebody reads word n.
    read: SecondaryMap<Value, u8>,
}

impl Words {
    /// Whether a value is read by its words alone, and may be two registers that have nothing to do with each other.
    pub fn apart(&self, value: Value) -> bool {
        !self.whole[value]
    }
}

/// What matching may ask about a function.
pub struct Context<'f> {
    /// The function.
    pub function: &'f Function,
    /// The chip that the code is for.
    pub chip: Chip,
    /// Where constant variables lie.
    pub layout: &'f Layout,
    /// Number of uses of each value.
    pub uses: SecondaryMap<Value, u32>,
    /// Number of those that are operands of additions.
    pub sums: SecondaryMap<Value, u32>,
    /// Block in which each instruction stands.
    pub block: SecondaryMap<Inst, Option<Block>>,
}

/// Decides, from uses to definitions, what is needed and which row it becomes.
pub fn plan(function: &Function, layout: &Layout, chip: Chip) -> Result<Plan, Error> {
    let order = order::reverse_post_order(function);
    let mut context = Context {
        function,
        chip,
        layout,
        uses: SecondaryMap::new(),
        sums: SecondaryMap::new(),
        block: SecondaryMap::with_default(None),
    };
    for &b in &order {
        let data = &function.blocks[b];
        for &i in &data.insts {
            context.block[i] = Some(b);
            let inst = &function.insts[i];
            inst.args.iter().for_each(|&v| context.uses[v] += 1);
            if inst.op == Op::Add && inst.guard.is_none() {
                inst.args.iter().for_each(|&v| context.sums[v] += 1);
            }
            inst.guard.iter().for_each(|g| context.uses[g.value] += 1);
        }
        data.terminator.for_each_use(|v| context.uses[v] += 1);
    }
    let mut needs = Needs { function, needed: SecondaryMap::new(), words: Words::default() };
    let mut fates: SecondaryMap<Inst, Fate> = SecondaryMap::new();
    for &b in order.iter().rev() {
        let data = &function.blocks[b];
        data.terminator.for_each_use(|v| needs.whole(v));
        for &i in data.insts.iter().rev() {
            let inst = &function.insts[i];
            if !inst.op.has_effect() && !inst.results.iter().any(|&r| needs.needed[r]) {
                continue;
            }
            if let Some(g) = inst.guard {
                needs.whole(g.value);
                // Where the guard is false they are other registers.
                inst.results.iter().for_each(|&r| needs.whole(r));
            }
            inst.kept().iter().for_each(|&v| needs.whole(v));
            fates[i] = match inst.op {
                Op::Load(a) if a.space == Space::Const && a.bytes * a.lanes > 8 => {
                    needs.whole(inst.args[0]);
                    Fate::Code
                }
                Op::Opaque(op) if op.head() == "wgmma" => {
                    // What is not kept is not read.
                    let kept = super::warpgroup::kept(function, inst);
                    inst.args.iter().skip(kept).for_each(|&v| needs.whole(v));
                    Fate::Code
                }
                Op::Opaque(op) if super::tensor::is_own(op) => {
                    inst.args.iter().for_each(|&v| needs.whole(v));
                    Fate::Code
                }
                Op::SystemCall(_) | Op::Routine(..) => {
                    inst.args.iter().for_each(|&v| needs.whole(v));
                    Fate::Code
                }
                Op::Truncate | Op::Extract(_) if word(function, inst).is_some() => {
                    let unit = word(function, inst).unwrap_or(0);
                    needs.word(inst.args[0], unit);
                    Fate::Word(unit)
                }
                Op::Concat if needs.is_apart(inst) => {
                    let read = needs.words.read[inst.results[0]];
                    (0..2).filter(|n| read >> n & 1 == 1).for_each(|n| needs.whole(inst.args[n]));
                    Fate::Apart
                }
                Op::Const(_) | Op::Undef | Op::Param { .. } | Op::Special(_) | Op::Address(..) => Fate::Code,
                _ => {
                    let m = choose(&context, i, &needs.needed)?;
                    m.bindings.values.iter().for_each(|(name, b)| match b {
                        Binding::Register { value, .. } => needs.operand(m.row, name, *value),
                        Binding::Half { value, .. } => needs.whole(*value),
                        Binding::Immediate(_) | Binding::Bank { .. } => {}
                    });
                    // Few rows read the member mask; `WARPSYNC` does. Constants are made where they are asked for.
                    let asked =
                        |v: &&Value| matches!(inst.op, Op::Shuffle(_)) || function.constant(**v).is_none();
                    member_mask(inst).iter().filter(asked).for_each(|&v| needs.whole(v));
                    // What a row takes as `args` is not bound by name.
                    if m.takes_args {
                        inst.args.iter().skip(1).for_each(|&v| needs.whole(v));
                    }
                    Fate::Row(m.row, m.bindings)
                }
            };
        }
    }
    Ok(Plan { order, fates, needed: needs.needed, words: needs.words })
}

/// Which word of a wider value an operation takes, if it takes one as it is.
fn word(f: &Function, inst: &InstData) -> Option<u8> {
    let low = match inst.op {
        Op::Truncate => 0,
        Op::Extract(low) => low,
        _ => return None,
    };
    let whole = f.ty(inst.results[0]).bits() == 32 && f.ty(inst.args[0]).bits() > 32 && low % 32 == 0;
    // Where a guard is false the result is another.
    let words = whole && inst.guard.is_none();
    words.then_some(low / 32)
}

/// The member mask of an operation that does something besides waiting for those lanes.
pub fn member_mask(inst: &InstData) -> Option<Value> {
    inst.member_mask().filter(|_| inst.op != Op::WarpSync)
}

/// What must be in a register.
struct Needs<'f> {
    function: &'f Function,
    needed: SecondaryMap<Value, bool>,
    words: Words,
}

impl Needs<'_> {
    /// Marks what is read as it is: a predicate's complement is read from the predicate itself.
    fn whole(&mut self, value: Value) {
        let value = peel(self.function, value).0;
        self.needed[value] = true;
        self.words.whole[value] = true;
    }

    /// Marks a word of a value.
    fn word(&mut self, value: Value, unit: u8) {
        if self.function.ty(value).bits() != 64 {
            return self.whole(value);
        }
        self.needed[value] = true;
        self.words.read[value] |= 1 << unit;
    }

    /// Marks what a row reads by a name.
    fn operand(&mut self, row: &'static Row, name: &str, value: Value) {
        let mut units = Vec::new();
        for action in &row.actions {
            let terms: Vec<&Term> = match action {
                Action::Emit(emit) => emit.fields.iter().map(|(_, term)| term).collect(),
                Action::Pack(_, parts) => parts.iter().collect(),
                Action::Copy(_, from) => vec![from],
            };
            units.extend(terms.into_iter().filter_map(|term| match term {
                Term::Operand(of, unit) if of == name => Some(*unit),
                _ => None,
            }));
        }
        match units.iter().copied().collect::<Option<Vec<u8>>>() {
            Some(units) if !units.is_empty() => units.into_iter().for_each(|unit| self.word(value, unit)),
            _ => self.whole(value),
        }
    }

    /// Whether two words side by side are never read as one register.
    fn is_apart(&self, inst: &InstData) -> bool {
        let words = inst.args.len() == 2 && inst.args.iter().all(|&arg| self.function.ty(arg).bits() == 32);
        words && self.words.apart(inst.results[0])
    }
}

/// A predicate without its complements, and whether their number is odd.
pub fn peel(function: &Function, mut value: Value) -> (Value, bool) {
    let mut negate = false;
    if function.values[value].ty.bits() != 1 {
        return (value, negate);
    }
    while let ValueDef::Result(inst, _) = function.values[value].def
        && function.insts[inst].op == Op::Not
    {
        value = function.insts[inst].args[0];
        negate = !negate;
    }
    (value, negate)
}

fn choose(context: &Context<'_>, inst: Inst, needed: &SecondaryMap<Value, bool>) -> Result<Match, Error> {
    let data = &context.function.insts[inst];
    let head = match &data.op {
        // Nobody reads the old value: a reduction, which gives none.
        Op::Atomic { op, access }
            if access.space == Space::Global
                && !matches!(op, AtomicOp::Cas | AtomicOp::Exch)
                && !data.results.iter().any(|&r| needed[r]) =>
        {
            REDUCE
        }
        op => op.head(),
    };
    let own = suffix(context.function, inst);
    Rules::get()
        .candidates_on(head, context.chip)
        .iter()
        .find_map(|row| match_row(context, row, inst, &own))
        .ok_or_else(|| Error::NoRule { line: data.line, operation: describe(context.function, inst) })
}

/// An operation with its suffix, as rows name it, and all it carries.
pub fn describe(function: &Function, inst: Inst) -> String {
    let data = &function.insts[inst];
    format!("{}.{} ({:?})", data.op.head(), suffix(function, inst), data.op)
}

/// The suffix of an operation: its float format, or the width that rows go by.
pub fn suffix(function: &Function, inst: Inst) -> String {
    let data = &function.insts[inst];
    let widths =
        |values: &[Value]| -> Vec<u32> { values.iter().map(|&v| function.values[v].ty.bits()).collect() };
    suffix_of(&data.op, &widths(data.taken()), &widths(&data.results))
}
