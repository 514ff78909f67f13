//! An instruction against its rows.

use super::Checker;
use super::desugar::Place;
use super::fit::{Form, Misfit};
use super::mods::mods;
use super::operand::{Kind, Reported, Resolved};
use crate::ast::{Expr, Instruction, OperandKind};
use crate::checked::{Guard, Inst, Mods, Op, Operand, Type};
use crate::diagnostics::{Code, Diagnostic};
use crate::source::Span;
use crate::table::matching::Match;
use crate::table::{Row, known, rows_of};
use sassafras_semantics::Space;
use smallvec::SmallVec;

impl Checker {
    pub(super) fn instruction(&mut self, inst: &Instruction) {
        let guard = self.guard(inst);
        self.body.place = Place {
            span: inst.span.range(),
            line: self.source.line_of(inst.span.start),
            guard: guard.as_ref().ok().copied().flatten(),
        };
        let Some(mut matches) = self.forms(inst) else { return };
        let (Ok(guard), Some(first)) = (guard, matches.first()) else { return };
        if first.row.op == Op::Call {
            let form = mods(Op::Call, &first.words, &first.types, None);
            return self.call(inst, guard, form);
        }
        if first.row.op == Op::Bra
            && let Some(OperandKind::Value(Expr::Symbol(name))) = inst.operands.first().map(|o| &o.kind)
            && self.scopes.find(&name.text).is_none()
        {
            return self.error(
                Code::UndefinedLabel,
                name.span,
                format!("the label `{}` is not defined", name.text),
            );
        }
        let resolved: Vec<_> = inst.operands.iter().map(|o| self.resolve(o)).collect();
        let Ok(resolved) = resolved.into_iter().collect::<Result<Vec<_>, Reported>>() else { return };
        let mut worst: Option<(usize, Misfit)> = None;
        if let Some(wide) = too_wide(inst, first) {
            // A row of 128 bits fits the words of 256 bits as well.
            matches.retain(|m| m.row.op == Op::Unmodelled || m.row.is_wide());
            if matches.is_empty() {
                let message = format!("`{}` has no vector of more than 128 bits", mnemonic(inst));
                return self.error(Code::NoSuchForm, wide, message);
            }
        }
        for m in &matches {
            let named = named_space(m.row.op, &resolved);
            let mut mods = mods(m.row.op, &m.words, &m.types, named);
            self.implicit(m, &mut mods);
            if matches!(m.row.op, Op::Unmodelled | Op::Video) {
                mods.words.insert(0, m.row.root);
            }
            match self.fit_all(m.row, &resolved, &Form { op: m.row.op, types: &m.types, mods: &mods }, inst) {
                Ok(operands) => {
                    self.need(inst.root.span, &mnemonic(inst), m.since, false);
                    if m.row.op == Op::Wmma {
                        return self.wmma(inst, m, &operands);
                    }
                    if m.row.op == Op::Mma && self.narrow_mma(inst, m) {
                        return;
                    }
                    if m.row.op == Op::Mov && mods.vector > 1 {
                        return self.moves(m.types[0], &operands, guard);
                    }
                    let operands = self.modernised(m.row.op, &mut mods, operands);
                    return self.push(m.row.op, m.types.clone(), mods, guard, operands);
                }
                Err((fitted, misfit)) => {
                    if worst.as_ref().is_none_or(|(most, _)| fitted > *most) {
                        worst = Some((fitted, misfit));
                    }
                }
            }
        }
        if let Some((_, misfit)) = worst {
            let help = self.forms_help(&matches);
            let Misfit { code, span, message } = misfit;
            self.diagnostics.add(Diagnostic { code, message, span, related: None, help: Some(help) });
        }
    }

    pub(super) fn push(
        &mut self,
        op: Op,
        types: SmallVec<[Type; 2]>,
        mods: Mods,
        guard: Option<Guard>,
        operands: SmallVec<[Operand; 4]>,
    ) {
        let Place { line, span, .. } = self.body.place.clone();
        self.body.insts.push(Inst { op, types, mods, guard, operands, span, line });
    }

    fn guard(&mut self, inst: &Instruction) -> Result<Option<Guard>, Reported> {
        let Some(guard) = &inst.guard else { return Ok(None) };
        match self.lookup(&guard.name)? {
            Kind::Register(register, Type::Pred) => Ok(Some(Guard { register, negate: guard.negate })),
            other => {
                let message = format!("a guard is a predicate, not {}", other.describe());
                self.error(Code::OperandType, guard.name.span, message);
                Err(Reported)
            }
        }
    }

    /// The rows that the mnemonic fits; reports if there is none.
    fn forms(&mut self, inst: &Instruction) -> Option<Vec<Match>> {
        let root = inst.root.text.as_str();
        let whole = mnemonic(inst);
        if let Some(known) = self.fitting.get(&whole) {
            return Some(known.clone());
        }
        let suffixes: Vec<&str> = inst.suffixes.iter().map(|s| s.text.as_str()).collect();
        let mut rows = rows_of(root).peekable();
        if rows.peek().is_none() {
            match known::root(root) {
                true => {
                    let message = format!("`{whole}` is not supported yet");
                    self.error(Code::UnsupportedInstruction, inst.root.span, message);
                }
                false => {
                    let message = format!("unknown instruction `{root}`");
                    // Looking for help takes longer than all else, and nobody would see it.
                    let close = if self.diagnostics.is_full() { None } else { nearest(root) };
                    let help = close.map(|name| format!("did you mean `{name}`?"));
                    let code = Code::UnknownInstruction;
                    self.diagnostics.add(Diagnostic {
                        code,
                        message,
                        span: inst.root.span,
                        related: None,
                        help,
                    });
                }
            }
            return None;
        }
        let mut matches: Vec<Match> = rows.filter_map(|row| row.matches(&suffixes)).collect();
        // A form may need one version on one target and another elsewhere: what is there comes first.
        matches.sort_by_key(|m| !self.has(m.since));
        let (version, sm) = (self.module.version, self.sm);
        let (alive, gone): (Vec<_>, Vec<_>) = matches.into_iter().partition(|m| m.row.alive(version, sm));
        if !alive.is_empty() {
            self.fitting.insert(whole, alive.clone());
            return Some(alive);
        }
        if let Some(until) = gone.first().and_then(|m| m.row.until) {
            let ((major, minor), sm) = (until.version, until.sm);
            let whose = if sm == 0 { String::new() } else { format!(" for sm_{sm} and later") };
            let message = format!("`{whole}` is gone since PTX {major}.{minor}{whose}");
            self.error(Code::GoneForm, inst.root.span, message);
            return None;
        }
        if let Some(word) = inst.suffixes.iter().find(|s| known::word(root, &s.text)) {
            let message = format!("`.{}` in `{whole}` is not supported yet", word.text);
            self.error(Code::UnsupportedInstruction, word.span, message);
            return None;
        }
        let unknown: Vec<_> =
            inst.suffixes.iter().filter(|s| !rows_of(root).any(|row| row.mentions(&s.text))).collect();
        for word in &unknown {
            let message = format!("`{root}` takes no modifier `.{}`", word.text);
            self.error(Code::UnknownModifier, word.span, message);
        }
        if unknown.is_empty() {
            let mut span = inst.suffixes.iter().fold(inst.root.span, |span, s| span.to(s.span));
            let mut help = closest(root, &suffixes);
            let mut message = format!("there is no `{whole}`");
            if let Some(i) = superfluous(root, &suffixes) {
                (span, message) =
                    (inst.suffixes[i].span, format!("`.{}` does not fit in `{whole}`", suffixes[i]));
                help = Some("remove it".to_owned());
            }
            self.diagnostics.add(Diagnostic { code: Code::NoSuchForm, message, span, related: None, help });
        }
        None
    }

    /// Fits all operands; otherwise how many fitted, and why the next does not.
    fn fit_all(
        &self,
        row: &Row,
        resolved: &[Resolved],
        form: &Form,
        inst: &Instruction,
    ) -> Result<SmallVec<[Operand; 4]>, (usize, Misfit)> {
        let least = row.slots.iter().filter(|s| !s.optional).count();
        let most = row.slots.len();
        if !(least..=most).contains(&resolved.len()) {
            let wanted = if least == most { most.to_string() } else { format!("{least} or {most}") };
            let message = format!("{wanted} operands are needed, not {}", resolved.len());
            let span = inst.root.span;
            return Err((0, Misfit { code: Code::OperandCount, span, message }));
        }
        // Optional operands are all there or all absent: no row has two of them.
        let all = resolved.len() == most;
        let slots = row.slots.iter().filter(|s| all || !s.optional);
        let mut operands = SmallVec::new();
        for (i, (slot, operand)) in slots.zip(resolved).enumerate() {
            operands.push(self.fit(slot, operand, form).map_err(|m| (i + 1, m))?);
        }
        Ok(operands)
    }

    fn forms_help(&self, matches: &[Match]) -> String {
        let rows: Vec<String> = matches.iter().take(3).map(|m| m.row.syntax(&m.types, &m.words)).collect();
        format!("the form is {}", rows.join(" or "))
    }
}

/// The mnemonic as written.
fn mnemonic(inst: &Instruction) -> String {
    let mut whole = inst.root.text.clone();
    for suffix in &inst.suffixes {
        whole.push('.');
        whole.push_str(&suffix.text);
    }
    whole
}

/// The space of the variable whose name is the address, where the mnemonic may leave the space out. A generic access to `x` is
/// one to `x` itself, as in ptxas; spaces that generic addresses do not reach are left for [`Checker::fit`] to refuse.
fn named_space(op: Op, operands: &[Resolved]) -> Option<Space> {
    let address = operands.iter().find_map(|o| match &o.kind {
        Kind::Address(address) | Kind::Element(address) => Some(address),
        _ => None,
    })?;
    let memory = matches!(op, Op::Ld | Op::Ldu | Op::St | Op::Atom | Op::Red);
    address.space.filter(|s| memory && matches!(s, Space::Global | Space::Shared | Space::Local))
}

/// Where the vector is written, if it has more than 128 bits.
fn too_wide(inst: &Instruction, m: &Match) -> Option<Span> {
    let lanes = m.words.iter().find_map(|w| w.strip_prefix('v')?.parse::<u32>().ok())?;
    let place = inst.suffixes.iter().find(|s| s.text == format!("v{lanes}"))?;
    (lanes * m.types.first()?.width() > 128).then_some(place.span)
}

/// The suffix without which the mnemonic would fit a row.
fn superfluous(root: &str, suffixes: &[&str]) -> Option<usize> {
    (0..suffixes.len()).find(|&i| {
        let fewer = [&suffixes[..i], &suffixes[i + 1..]].concat();
        crate::checked::Type::parse(suffixes[i]).is_none()
            && rows_of(root).any(|row| row.matches(&fewer).is_some())
    })
}

/// The row that most suffixes fit, as help.
fn closest(root: &str, suffixes: &[&str]) -> Option<String> {
    let row = rows_of(root).min_by_key(|row| {
        let fit = suffixes.iter().filter(|s| row.mentions(s)).count() as isize;
        let missing = row
            .elements
            .iter()
            .filter(|e| !e.optional)
            .filter(|e| !e.choices.iter().any(|c| suffixes.contains(&c.words[0])));
        missing.count() as isize - fit * 2
    })?;
    Some(format!("the closest form is `{}`", row.head()))
}

/// A root that differs in at most two letters.
fn nearest(root: &str) -> Option<&'static str> {
    if root.len() > 32 {
        return None;
    }
    let scored = crate::table::roots().into_iter().map(|name| (distance(root, name), name));
    scored.filter(|(d, name)| *d <= 2 && *d < name.len()).min().map(|(_, name)| name)
}

/// Number of letters inserted, removed or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
