//! A question for the prover: can the values on which an error shows come to an instruction?
//!
//! The module computes what the condition reads, as the function does: instructions without effects, back to what memory, other lanes or several
//! definitions give. Such a value is an input of the question, and each use of a register with several definitions is an input of its own. So the question admits
//! all that the function does, and more: that the condition never holds is sound, and that it may is up to these inputs.

use crate::view::{Value, View};
use sassafras_ptx::checked::{Inst, Op, Operand, RegisterId};
use std::collections::BTreeMap;
use std::fmt::Write;

/// For which values an error shows.
#[derive(Clone, Debug, Default)]
pub struct Shows {
    /// PTX that sets `%lint_p`, with `{0}`, `{1}` for the operands. It may use `%lint_q` and `%lint_r0` to `%lint_r3`.
    pub lines: Vec<String>,
    /// What the condition reads.
    pub operands: Vec<Read>,
}

/// An operand of a condition.
#[derive(Clone, Debug)]
pub enum Read {
    /// A register.
    Value(Value),
    /// A constant.
    Constant(u64),
}

impl Shows {
    /// A condition over operands as an instruction reads them; `None` where one is neither a register nor a constant.
    pub fn new(lines: &[&str], operands: &[(usize, &Operand)]) -> Option<Shows> {
        let read = |&(at, operand): &(usize, &Operand)| match operand {
            Operand::Register(r) => Some(Read::Value(Value { at, register: *r })),
            Operand::Immediate(bits) => Some(Read::Constant(*bits)),
            _ => None,
        };
        let operands = operands.iter().map(read).collect::<Option<Vec<_>>>()?;
        Some(Shows { lines: lines.iter().map(|l| (*l).to_owned()).collect(), operands })
    }
}

/// Most instructions of a question.
const MOST: usize = 200;

/// Whether an instruction computes its result from its operands alone.
fn pure(inst: &Inst) -> bool {
    use Op::{
        Abs, Add, And, Bfe, Bfi, Bfind, Bmsk, Brev, Clz, Cnot, Copysign, Cvt, Div, Dp2a, Dp4a, Fma, Fns,
        Lop3, Mad, Mad24, Max, Min, Mov, Mul, Mul24, Neg, Not, Or, Popc, Prmt, Rem, Sad, Selp, Set, Setp,
        Shf, Shl, Shr, Slct, Sub, Szext, Testp, Video, Xor,
    };
    #[rustfmt::skip]
    let known = matches!(
        inst.op,
        Abs | Add | And | Bfe | Bfi | Bfind | Bmsk | Brev | Clz | Cnot | Copysign | Cvt | Div | Dp2a | Dp4a | Fma | Fns | Lop3 | Mad | Mad24 | Max
            | Min | Mov | Mul | Mul24 | Neg | Not | Or | Popc | Prmt | Rem | Sad | Selp | Set | Setp | Shf | Shl | Shr | Slct | Sub | Szext
            | Testp | Video | Xor
    );
    known
        && inst.guard.is_none()
        && !inst.mods.carry_out
        && !inst.mods.approx
        && inst.operands.iter().all(plain)
}

/// Whether an operand means the same in another module.
fn plain(operand: &Operand) -> bool {
    match operand {
        Operand::Register(_)
        | Operand::NotRegister(_)
        | Operand::Pieces(..)
        | Operand::Immediate(_)
        | Operand::Special(_)
        | Operand::Sink => true,
        Operand::Negated(inner) => plain(inner),
        Operand::Vector(items) => items.iter().all(|o| plain(o)),
        Operand::Pair(a, b) => plain(a) && plain(b),
        _ => false,
    }
}

/// Calls `see` for each register of an operand.
fn registers(operand: &Operand, see: &mut impl FnMut(RegisterId)) {
    match operand {
        Operand::Register(r) | Operand::NotRegister(r) | Operand::Pieces(r, _) => see(*r),
        Operand::Negated(inner) => registers(inner, see),
        Operand::Vector(items) => items.iter().for_each(|o| registers(o, see)),
        Operand::Pair(a, b) => {
            registers(a, see);
            registers(b, see);
        }
        _ => {}
    }
}

/// Puts other names in the place of registers, in the operands of a text.
fn renamed(text: &str, names: &BTreeMap<&str, String>) -> String {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let start = text.find(char::is_whitespace).unwrap_or(0);
    let (mut out, mut rest) = (text[..start].to_owned(), &text[start..]);
    while let Some(at) = rest.find(part) {
        let end = rest[at..].find(|c| !part(c)).map_or(rest.len(), |n| at + n);
        out += &rest[..at];
        // What stands behind a dot is a part of a register.
        let whole = !out.ends_with('.');
        out += names.get(&rest[at..end]).filter(|_| whole).map_or(&rest[at..end], String::as_str);
        rest = &rest[end..];
    }
    out + rest
}

/// A question in the making.
struct Question<'v, 'a> {
    view: &'v View<'a>,
    /// Names of the values that instructions give, by instruction and register.
    given: BTreeMap<(usize, RegisterId), String>,
    /// Inputs: name and width in bits.
    inputs: Vec<(String, u32)>,
    declarations: String,
    body: String,
    count: usize,
}

impl Question<'_, '_> {
    fn fresh(&mut self, register: RegisterId) -> String {
        let name = format!("%lint_v{}", self.given.len() + self.inputs.len());
        let _ = writeln!(self.declarations, "    .reg .{} {name};", self.view.ty(register).name());
        name
    }

    fn input(&mut self, register: RegisterId) -> String {
        let name = self.fresh(register);
        self.inputs.push((name.clone(), self.view.ty(register).width()));
        name
    }

    /// The name of a value in the question; it is computed before, if it can be.
    fn name(&mut self, value: Value) -> Option<String> {
        let Some(at) = self.view.definition(value) else { return Some(self.input(value.register)) };
        if let Some(name) = self.given.get(&(at, value.register)) {
            return Some(name.clone());
        }
        if !pure(&self.view.insts[at]) {
            let name = self.input(value.register);
            self.given.insert((at, value.register), name.clone());
            return Some(name);
        }
        self.compute(at)?;
        self.given.get(&(at, value.register)).cloned()
    }

    fn compute(&mut self, at: usize) -> Option<()> {
        self.count += 1;
        if self.count > MOST {
            return None;
        }
        let view = self.view;
        let inst = &view.insts[at];
        let mut reads = Vec::new();
        inst.operands.iter().skip(1).for_each(|o| registers(o, &mut |r| reads.push(r)));
        let mut names = BTreeMap::new();
        for register in reads {
            if !names.contains_key(view.name(register)) {
                names.insert(view.name(register), self.name(Value { at, register })?);
            }
        }
        let mut results = Vec::new();
        inst.operands.iter().take(1).for_each(|o| registers(o, &mut |r| results.push(r)));
        let mut text = view.text(at).to_owned();
        for register in results {
            let name = self.fresh(register);
            // A result that is read as well has another name before the comma.
            let (first, rest) = text.split_at(end_of_first(&text));
            text = renamed(first, &BTreeMap::from([(view.name(register), name.clone())])) + rest;
            self.given.insert((at, register), name);
        }
        let (first, rest) = text.split_at(end_of_first(&text));
        let rest = renamed(&format!(" {rest}"), &names);
        let _ = writeln!(self.body, "    {first}{rest}");
        Some(())
    }
}

/// Where the first operand ends: at the first comma outside of braces.
fn end_of_first(text: &str) -> usize {
    let mut depth = 0;
    let outside = |(_, c): &(usize, char)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        *c == ',' && depth == 0
    };
    text.char_indices().find(outside).map_or(text.len(), |(n, _)| n)
}

/// The module that asks: it leaves 1 where the condition holds. `never` is its answer where it never does.
pub fn module(view: &View<'_>, shows: &Shows) -> Option<String> {
    let mut question = Question {
        view,
        given: BTreeMap::new(),
        inputs: Vec::new(),
        declarations: String::new(),
        body: String::new(),
        count: 0,
    };
    let mut lines = shows.lines.join("\n    ");
    for (n, read) in shows.operands.iter().enumerate() {
        let name = match read {
            Read::Value(value) => question.name(*value)?,
            Read::Constant(bits) => (*bits as i64).to_string(),
        };
        lines = lines.replace(&format!("{{{n}}}"), &name);
    }
    let (version, target) = (view.module.version, &view.module.target);
    let mut out = format!(".version {}.{}\n.target {target}\n.address_size 64\n{HEAD}", version.0, version.1);
    out += &question.declarations;
    out += "    ld.param.u64 %lint_out, [out];\n    ld.param.u64 %lint_in, [in];\n";
    for (n, (name, width)) in question.inputs.iter().enumerate() {
        let offset = 8 * n;
        let _ = match width {
            1 => writeln!(
                out,
                "    ld.global.u32 %lint_w, [%lint_in+{offset}];\n    setp.ne.u32 {name}, %lint_w, 0;"
            ),
            16 | 32 | 64 => writeln!(out, "    ld.global.b{width} {name}, [%lint_in+{offset}];"),
            _ => return None,
        };
    }
    let end = "    selp.b32 %lint_w, 1, 0, %lint_p;\n    st.global.u32 [%lint_out], %lint_w;\n    ret;\n}\n";
    Some(format!("{out}{}    {lines}\n{end}", question.body))
}

const HEAD: &str = ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n    .reg .pred %lint_p, %lint_q;\n    .reg .b32 %lint_w, %lint_r<4>;\n    \
                    .reg .b64 %lint_out, %lint_in;\n";

/// The module that leaves 0, for the version and target of a question.
pub fn never(question: &str) -> String {
    let head: String = question.lines().take(3).map(|l| format!("{l}\n")).collect();
    head + HEAD
        + "    ld.param.u64 %lint_out, [out];\n    mov.u32 %lint_w, 0;\n    st.global.u32 [%lint_out], %lint_w;\n    ret;\n}\n"
}

#[cfg(test)]
mod tests {
    use super::{end_of_first, renamed};
    use std::collections::BTreeMap;

    #[test]
    fn names_are_replaced_whole() {
        let names = |a| BTreeMap::from([(a, "%x".to_owned())]);
        assert_eq!(renamed("add.u32 r1, r10, r1;", &names("r1")), "add.u32 %x, r10, %x;");
        assert_eq!(
            renamed("vadd.u32.u32.u32 z, u32.b0, b0;", &names("b0")),
            "vadd.u32.u32.u32 z, u32.b0, %x;"
        );
    }

    #[test]
    fn the_first_operand_may_be_several() {
        let text = "mov.b64 {a, b}, c;";
        assert_eq!(&text[end_of_first(text)..], ", c;");
    }
}
