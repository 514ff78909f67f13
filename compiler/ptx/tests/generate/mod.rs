//! Random syntax: any tree that the printer can be given.

use arbtest::arbitrary::{Result, Unstructured};
use sassafras_ptx::ast::*;
use sassafras_ptx::source::{Source, Span};

fn name(u: &mut Unstructured, list: &[&str]) -> Result<Name> {
    Ok(text(u.choose(list)?))
}

fn text(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

fn ident(u: &mut Unstructured) -> Result<Name> {
    name(u, &["%r1", "%rd22", "a", "$L__BB0_1", "_Z3foov", "_", "x$y", "%SP"])
}

fn number(u: &mut Unstructured) -> Result<Name> {
    name(
        u,
        &[
            "0",
            "17",
            "0x1F",
            "0b101",
            "017U",
            "4294967296",
            "1.5",
            "2.0e-3",
            "0f3F800000",
            "0d3FF0000000000000",
        ],
    )
}

fn int(u: &mut Unstructured) -> Result<Name> {
    name(u, &["1", "64", "0x10"])
}

/// Up to `most` things.
fn many<T>(
    u: &mut Unstructured,
    most: usize,
    mut one: impl FnMut(&mut Unstructured) -> Result<T>,
) -> Result<Vec<T>> {
    (0..u.int_in_range(0..=most)?).map(|_| one(u)).collect()
}

fn some<T>(
    u: &mut Unstructured,
    most: usize,
    mut one: impl FnMut(&mut Unstructured) -> Result<T>,
) -> Result<Vec<T>> {
    (0..u.int_in_range(1..=most)?).map(|_| one(u)).collect()
}

fn option<T>(u: &mut Unstructured, one: impl FnOnce(&mut Unstructured) -> Result<T>) -> Result<Option<T>> {
    if u.arbitrary()? { one(u).map(Some) } else { Ok(None) }
}

pub fn expr(u: &mut Unstructured, depth: u32) -> Result<Expr> {
    let deep = |u: &mut Unstructured| expr(u, depth.saturating_sub(1)).map(Box::new);
    Ok(match u.int_in_range(0..=if depth == 0 { 2 } else { 9 })? {
        0 => Expr::Number(number(u)?),
        1 => Expr::Symbol(ident(u)?),
        2 => Expr::Member(name(u, &["%tid", "v"])?, name(u, &["x", "y"])?),
        3 | 4 => Expr::Number(number(u)?),
        5 => Expr::Cast(name(u, &["u64", "s64"])?, deep(u)?),
        6 => Expr::Unary(
            *u.choose(&[UnaryOp::Plus, UnaryOp::Neg, UnaryOp::Not, UnaryOp::LogicalNot])?,
            Span::default(),
            deep(u)?,
        ),
        7 | 8 => Expr::Binary(*u.choose(&BinaryOp::ALL)?, deep(u)?, deep(u)?),
        _ => Expr::Select(deep(u)?, deep(u)?, deep(u)?),
    })
}

/// An expression without names, as operands have them.
fn constant(u: &mut Unstructured, depth: u32) -> Result<Expr> {
    let deep = |u: &mut Unstructured| constant(u, depth.saturating_sub(1)).map(Box::new);
    Ok(match u.int_in_range(0..=if depth == 0 { 1 } else { 6 })? {
        0 => Expr::Number(number(u)?),
        1 => Expr::Symbol(text("WARP_SZ")),
        2 => Expr::Cast(name(u, &["u64", "s64"])?, deep(u)?),
        3 => Expr::Unary(*u.choose(&[UnaryOp::Plus, UnaryOp::Neg, UnaryOp::Not])?, Span::default(), deep(u)?),
        4 | 5 => Expr::Binary(*u.choose(&BinaryOp::ALL)?, deep(u)?, deep(u)?),
        _ => Expr::Select(deep(u)?, deep(u)?, deep(u)?),
    })
}

/// A name plus a constant.
fn offset(u: &mut Unstructured) -> Result<Expr> {
    let (name, constant) = (Expr::Symbol(ident(u)?), constant(u, 2)?);
    Ok(Expr::Binary(BinaryOp::Add, Box::new(name), Box::new(constant)))
}

fn value(u: &mut Unstructured, braces: bool) -> Result<Expr> {
    Ok(match u.int_in_range(0..=5)? {
        2 if braces => Expr::Symbol(ident(u)?),
        0 => Expr::Symbol(ident(u)?),
        1 => Expr::Member(name(u, &["%tid", "v"])?, name(u, &["x", "y"])?),
        2 => offset(u)?,
        3 => {
            let index = match u.int_in_range(0..=2)? {
                0 => constant(u, 2)?,
                1 => Expr::Symbol(ident(u)?),
                _ => offset(u)?,
            };
            Expr::Index(ident(u)?, Box::new(index))
        }
        _ => constant(u, 3)?,
    })
}

fn operand(u: &mut Unstructured, depth: u32, braces: bool) -> Result<Operand> {
    let kind = match u.int_in_range(0..=if depth == 0 { 2 } else { 4 })? {
        0 => OperandKind::Value(value(u, braces)?),
        1 => OperandKind::Not(ident(u)?),
        2 => {
            let plain = |kind| Box::new(Operand { kind, span: Span::default() });
            let first = plain(OperandKind::Value(Expr::Symbol(ident(u)?)));
            OperandKind::Pair(first, plain(OperandKind::Value(Expr::Symbol(ident(u)?))))
        }
        3 => OperandKind::Vector(many(u, 4, |u| operand(u, depth - 1, true))?),
        _ => OperandKind::Address(some(u, 2, |u| operand(u, depth - 1, braces))?),
    };
    Ok(Operand { kind, span: Span::default() })
}

/// An initial value.
fn initial(u: &mut Unstructured, masks: bool) -> Result<Expr> {
    let address = match u.int_in_range(0..=3)? {
        0 => Expr::Symbol(ident(u)?),
        1 => Expr::Call(text("generic"), Box::new(Expr::Symbol(ident(u)?))),
        2 if masks => return Ok(Expr::Mask(int(u)?, Box::new(initial(u, false)?))),
        _ => return constant(u, 2),
    };
    let sum = |a, b| Expr::Binary(BinaryOp::Add, Box::new(a), Box::new(b));
    Ok(if u.arbitrary()? { sum(address, constant(u, 2)?) } else { address })
}

fn init(u: &mut Unstructured, depth: u32) -> Result<Init> {
    if depth == 0 || u.arbitrary()? {
        return Ok(Init::Value(initial(u, true)?));
    }
    Ok(Init::List(many(u, 3, |u| init(u, depth - 1))?))
}

fn attributes(u: &mut Unstructured) -> Result<Vec<Attribute>> {
    many(u, 1, |u| {
        Ok(Attribute { name: name(u, &["managed", "unified"])?, args: many(u, 2, |u| expr(u, 1))? })
    })
}

fn variable(u: &mut Unstructured, most: usize, linkage: bool) -> Result<Variable> {
    Ok(Variable {
        linkage: if linkage {
            option(u, |u| name(u, &["extern", "visible", "weak", "common"]))?
        } else {
            None
        },
        space: name(u, &["reg", "global", "const", "shared", "local", "param"])?,
        attributes: attributes(u)?,
        align: option(u, |u| Ok(Expr::Number(int(u)?)))?,
        vector: option(u, |u| name(u, &["v2", "v4"]))?,
        ty: name(u, &["u32", "b64", "f32", "pred"])?,
        pointer: option(u, |u| {
            Ok(Pointer {
                space: option(u, |u| name(u, &["global", "shared"]))?,
                align: option(u, |u| Ok(Expr::Number(int(u)?)))?,
            })
        })?,
        declarators: some(u, most, |u| {
            Ok(Declarator {
                name: ident(u)?,
                range: option(u, |u| Ok(Expr::Number(int(u)?)))?,
                dims: many(u, 2, |u| option(u, |u| expr(u, 1)))?,
                init: option(u, |u| init(u, 2))?,
            })
        })?,
        span: Span::default(),
    })
}

fn params(u: &mut Unstructured) -> Result<Option<Vec<Variable>>> {
    option(u, |u| many(u, 3, |u| variable(u, 1, false)))
}

fn directives(u: &mut Unstructured) -> Result<Vec<Directive>> {
    many(u, 2, |u| {
        let name = name(u, &["maxntid", "noreturn", "pragma", "minnctapersm"])?;
        let args = match name.text.as_str() {
            "noreturn" => Vec::new(),
            "pragma" => some(u, 2, |_| Ok(Argument::Text(text("\"nounroll\""))))?,
            _ => some(u, 3, |u| Ok(Argument::Value(Expr::Number(int(u)?))))?,
        };
        Ok(Directive { name, args })
    })
}

fn position(u: &mut Unstructured) -> Result<[Name; 3]> {
    Ok([int(u)?, int(u)?, int(u)?])
}

fn loc(u: &mut Unstructured) -> Result<Loc> {
    Ok(Loc {
        position: position(u)?,
        inlined: option(u, |u| Ok((Expr::Symbol(name(u, &["$L__info_string0"])?), position(u)?)))?,
    })
}

fn section(u: &mut Unstructured) -> Result<Section> {
    Ok(Section {
        name: name(u, &["debug_info", "\".debug_str\""])?,
        lines: many(u, 4, |u| {
            Ok(match u.arbitrary()? {
                true => SectionLine::Label(text("$L__info")),
                false => {
                    let value = |u: &mut Unstructured| match u.arbitrary()? {
                        true => Ok(Expr::Number(int(u)?)),
                        false => Ok(Expr::Section(text("debug_abbrev"))),
                    };
                    SectionLine::Data(name(u, &["b8", "b32", "b64"])?, some(u, 3, value)?)
                }
            })
        })?,
    })
}

fn instruction(u: &mut Unstructured) -> Result<Instruction> {
    let root = name(u, &["add", "mov", "ld", "call", "tex", "ret"])?;
    let mut operands = many(u, 4, |u| operand(u, 2, false))?;
    if root.text == "call" {
        // An operand of a call that begins with a parenthesis is a list.
        operands = many(u, 3, |u| {
            let value = Operand { kind: OperandKind::Value(Expr::Symbol(ident(u)?)), span: Span::default() };
            Ok(match u.arbitrary()? {
                true => Operand { kind: OperandKind::List(vec![value]), span: Span::default() },
                false => value,
            })
        })?;
    }
    Ok(Instruction {
        guard: option(u, |u| Ok(Guard { negate: u.arbitrary()?, name: ident(u)? }))?,
        root,
        suffixes: many(u, 4, |u| name(u, &["u32", "shared::cta", "rn", "2d", "L2::128B"]))?,
        operands,
        span: Span::default(),
    })
}

fn block(u: &mut Unstructured, depth: u32) -> Result<Block> {
    let statements = many(u, 6, |u| {
        Ok(match u.int_in_range(0..=if depth == 0 { 11 } else { 12 })? {
            0 => Statement::Label(ident(u)?),
            1 => Statement::Variable(Box::new(variable(u, 3, false)?)),
            2 => Statement::Loc(Box::new(loc(u)?)),
            3 => Statement::Pragma(some(u, 2, |_| Ok(text("\"nounroll\"")))?),
            4 => Statement::BranchTargets(ident(u)?, some(u, 3, ident)?),
            5 => Statement::CallTargets(ident(u)?, some(u, 3, ident)?),
            6 => Statement::CallPrototype(Box::new(Prototype {
                name: ident(u)?,
                returns: params(u)?,
                params: params(u)?,
                directives: directives(u)?,
            })),
            12 => Statement::Block(block(u, depth - 1)?),
            _ => Statement::Instruction(Box::new(instruction(u)?)),
        })
    })?;
    Ok(Block { statements, span: Span::default() })
}

fn function(u: &mut Unstructured) -> Result<Function> {
    Ok(Function {
        linkage: option(u, |u| name(u, &["extern", "visible", "weak"]))?,
        entry: u.arbitrary()?,
        attributes: attributes(u)?,
        returns: params(u)?,
        name: ident(u)?,
        params: params(u)?,
        directives: directives(u)?,
        body: option(u, |u| block(u, 2))?,
        span: Span::default(),
    })
}

pub fn module(u: &mut Unstructured) -> Result<Module> {
    let items = many(u, 6, |u| {
        Ok(match u.int_in_range(0..=8)? {
            0 => Item::Version(name(u, &["8.0", "9.0"])?),
            1 => Item::Target(some(u, 2, |u| name(u, &["sm_90", "debug"]))?),
            2 => Item::AddressSize(int(u)?),
            3 => Item::Variable(Box::new(variable(u, 3, true)?)),
            4 => Item::File(File { index: int(u)?, name: text("\"a.cu\""), stamp: many(u, 2, int)? }),
            5 => Item::Section(section(u)?),
            6 => Item::Pragma(some(u, 2, |_| Ok(text("\"x\"")))?),
            7 => Item::Alias(ident(u)?, ident(u)?),
            _ => Item::Function(Box::new(function(u)?)),
        })
    })?;
    Ok(Module { items, source: Source::default() })
}
