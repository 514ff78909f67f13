//! Operands: what their names stand for, and whether they fit a slot.

use super::Checker;
use super::constant::{self, Constant};
use super::scope::{Entity, Found};
use super::special::{Special, special};
use crate::ast::{self, BinaryOp, Expr, Name, OperandKind, UnaryOp};
use crate::checked::{AddressBase, FunctionId, LabelId, Register, RegisterId, Type, VariableId};
use crate::diagnostics::Code;
use crate::source::Span;
use sassafras_semantics::{Space, SpecialRegister};

/// An operand whose names are resolved.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub kind: Kind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Register(RegisterId, Type),
    /// Where a vector is wanted: its registers.
    Registers(Vec<RegisterId>, Type),
    Not(RegisterId, Type),
    Constant(Constant),
    Special(SpecialRegister),
    Variable(VariableId, i64),
    Param(u32, bool, i64),
    Function(FunctionId),
    Label(LabelId),
    Targets(String),
    Prototype(String),
    /// `[base + offset]`.
    Address(Address),
    Vector(Vec<Resolved>),
    Pair(Box<Resolved>, Box<Resolved>),
    Sink,
}

/// `[base + offset]`
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub base: AddressBase,
    pub offset: i64,
    /// The space of a base that has one.
    pub space: Option<Space>,
    /// Where the base is written.
    pub span: Span,
}

impl Kind {
    /// What it is, for a message.
    pub fn describe(&self) -> String {
        match self {
            Kind::Register(_, ty) => format!("a `.{}` register", ty.name()),
            Kind::Registers(_, ty) => format!("a vector of `.{}` registers", ty.name()),
            Kind::Not(..) => "a negated register".into(),
            Kind::Constant(Constant::Int(..)) => "an integer constant".into(),
            Kind::Constant(_) => "a float constant".into(),
            Kind::Special(_) => "a special register".into(),
            Kind::Variable(..) => "a variable's address".into(),
            Kind::Param(..) => "a parameter's address".into(),
            Kind::Function(_) => "a function".into(),
            Kind::Label(_) => "a label".into(),
            Kind::Targets(_) => "a list of branch targets".into(),
            Kind::Prototype(_) => "a call prototype".into(),
            Kind::Address(..) => "an address in brackets".into(),
            Kind::Vector(_) => "a vector".into(),
            Kind::Pair(..) => "a pair".into(),
            Kind::Sink => "`_`".into(),
        }
    }
}

/// A mistake was reported.
pub(super) struct Reported;

impl Checker {
    pub(super) fn register_type(&self, id: RegisterId) -> Type {
        self.body.function.registers[id.0 as usize].ty
    }

    /// Adds a register to the function.
    pub(super) fn add_register(&mut self, name: &str, ty: Type) -> RegisterId {
        let id = RegisterId(self.body.function.registers.len() as u32);
        self.body.function.registers.push(Register { name: name.to_owned(), ty });
        id
    }

    /// What a name stands for; `_` and constants aside.
    pub(super) fn lookup(&mut self, name: &Name) -> Result<Kind, Reported> {
        let registers = self.body.function.registers.len() as u32;
        let kind = match self.scopes.find(&name.text) {
            Some(Found::Indexed(range, index)) => {
                let ty = range.ty;
                let id = *range.made.entry(index).or_insert(RegisterId(registers));
                if id.0 == registers {
                    self.add_register(&name.text, ty);
                }
                Kind::Register(id, ty)
            }
            Some(Found::Entity(entity)) => match entity.clone() {
                Entity::Register(id) => Kind::Register(id, self.register_type(id)),
                Entity::Registers(ids) => {
                    let ty = self.register_type(ids[0]);
                    Kind::Registers(ids, ty)
                }
                Entity::Variable(id) => Kind::Variable(id, 0),
                Entity::Param(i, returned) => Kind::Param(i, returned, 0),
                Entity::Label(id) => Kind::Label(id),
                Entity::Function(id) => Kind::Function(id),
                Entity::Targets => Kind::Targets(name.text.clone()),
                Entity::Prototype => Kind::Prototype(name.text.clone()),
            },
            None => return self.special(name, None),
        };
        Ok(kind)
    }

    fn special(&mut self, name: &Name, component: Option<&Name>) -> Result<Kind, Reported> {
        match special(&name.text, component.map(|c| c.text.as_str())) {
            Some(Special::Known(register, since)) => {
                self.need(name.span, &name.text, since, false);
                return Ok(Kind::Special(register));
            }
            Some(Special::Vector) => {
                let message = format!("`{}` needs a component: `.x`, `.y` or `.z`", name.text);
                self.error(Code::WrongEntity, name.span, message);
            }
            Some(Special::Unsupported) => {
                self.error(Code::UnsupportedOperand, name.span, format!("`{}` is not supported", name.text));
            }
            None => self.error(Code::Undeclared, name.span, format!("`{}` is not declared", name.text)),
        }
        Err(Reported)
    }

    /// Resolves an operand of any instruction but `call`.
    pub(super) fn resolve(&mut self, operand: &ast::Operand) -> Result<Resolved, Reported> {
        let span = operand.span;
        let kind = match &operand.kind {
            OperandKind::Value(e) => self.value(e)?,
            OperandKind::Not(name) => match self.lookup(name)? {
                Kind::Register(id, ty) => Kind::Not(id, ty),
                other => {
                    self.error(Code::OperandKind, span, format!("`!` before {}", other.describe()));
                    return Err(Reported);
                }
            },
            OperandKind::Pair(a, b) => {
                let (a, b) = (self.resolve(a), self.resolve(b));
                Kind::Pair(Box::new(a?), Box::new(b?))
            }
            OperandKind::Vector(items) => {
                let items: Vec<_> = items.iter().map(|i| self.resolve(i)).collect();
                Kind::Vector(items.into_iter().collect::<Result<_, _>>()?)
            }
            OperandKind::Address(items) => match items.as_slice() {
                [ast::Operand { kind: OperandKind::Value(e), .. }] => self.address(e, span)?,
                _ => {
                    self.error(
                        Code::UnsupportedOperand,
                        span,
                        "an address with coordinates is not supported",
                    );
                    return Err(Reported);
                }
            },
            OperandKind::List(_) => {
                self.error(Code::OperandKind, span, "a list of arguments where no call is");
                return Err(Reported);
            }
        };
        Ok(Resolved { kind, span })
    }

    /// An expression as an operand: a name, a name plus a constant, or a constant.
    pub(super) fn value(&mut self, e: &Expr) -> Result<Kind, Reported> {
        match e {
            Expr::Symbol(name) if name.text == "_" => Ok(Kind::Sink),
            Expr::Symbol(name) if name.text == "WARP_SZ" => self.constant(e).map(Kind::Constant),
            Expr::Symbol(name) => self.lookup(name),
            Expr::Member(name, component) => match self.scopes.find(&name.text) {
                Some(Found::Entity(Entity::Registers(ids))) => {
                    let letters = [["x", "r"], ["y", "g"], ["z", "b"], ["w", "a"]];
                    let at = letters.iter().position(|l| l.contains(&component.text.as_str()));
                    match at.and_then(|i| ids.get(i).copied()) {
                        Some(id) => Ok(Kind::Register(id, self.register_type(id))),
                        None => {
                            let message = format!("`{}` has no component `.{}`", name.text, component.text);
                            self.error(Code::WrongEntity, component.span, message);
                            Err(Reported)
                        }
                    }
                }
                _ => self.special(name, Some(component)),
            },
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..) if has_symbol(e) => {
                let (base, offset) = self.linear(e)?;
                match base {
                    Some((Kind::Variable(id, _), _)) => Ok(Kind::Variable(id, offset)),
                    Some((Kind::Param(i, returned, _), _)) => Ok(Kind::Param(i, returned, offset)),
                    Some((other, span)) => {
                        let message = format!("a constant added to {} outside of brackets", other.describe());
                        self.error(Code::OperandKind, span, message);
                        Err(Reported)
                    }
                    None => Ok(Kind::Constant(Constant::Int(offset as u64, false))),
                }
            }
            _ => self.constant(e).map(Kind::Constant),
        }
    }

    pub(super) fn constant(&mut self, e: &Expr) -> Result<Constant, Reported> {
        constant::evaluate(e).map_err(|(code, span, message)| {
            self.error(code, span, message);
            Reported
        })
    }

    /// An integer constant.
    pub(super) fn integer(&mut self, e: &Expr) -> Result<u64, Reported> {
        match self.constant(e)? {
            Constant::Int(value, _) => Ok(value),
            _ => {
                self.error(Code::BadNumber, e.span(), "an integer is needed here");
                Err(Reported)
            }
        }
    }

    fn address(&mut self, e: &Expr, span: Span) -> Result<Kind, Reported> {
        let (base, offset) = self.linear(e)?;
        let Some((base, span)) = base else {
            return Ok(Kind::Address(Address { base: AddressBase::Absolute, offset, space: None, span }));
        };
        let (base, space) = match base {
            Kind::Register(id, Type::B(32 | 64) | Type::U(32 | 64) | Type::S(32 | 64)) => {
                (AddressBase::Register(id), None)
            }
            Kind::Register(_, ty) => {
                let message = format!("a `.{}` register holds no address", ty.name());
                self.error(Code::OperandType, span, message);
                return Err(Reported);
            }
            Kind::Variable(id, _) => (AddressBase::Symbol(id), Some(self.variable(id).space)),
            Kind::Param(i, returned, _) => (AddressBase::Param(i, returned), Some(Space::Param)),
            other => {
                self.error(Code::OperandKind, span, format!("{} is no address", other.describe()));
                return Err(Reported);
            }
        };
        Ok(Kind::Address(Address { base, offset, space, span }))
    }

    pub(super) fn variable(&self, id: VariableId) -> &crate::checked::Variable {
        match id {
            VariableId::Module(i) => &self.module.variables[i as usize],
            VariableId::Local(i) => &self.body.function.variables[i as usize],
        }
    }

    /// A sum of at most one name and constants.
    fn linear(&mut self, e: &Expr) -> Result<(Option<(Kind, Span)>, i64), Reported> {
        if !has_symbol(e) {
            return Ok((None, self.integer(e)? as i64));
        }
        match e {
            Expr::Unary(UnaryOp::Plus, _, inner) => self.linear(inner),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (left, x) = self.linear(a)?;
                let (right, y) = self.linear(b)?;
                let sum = if *op == BinaryOp::Add { x.wrapping_add(y) } else { x.wrapping_sub(y) };
                match (left, right) {
                    (base, None) => Ok((base, sum)),
                    (None, base) if *op == BinaryOp::Add => Ok((base, sum)),
                    _ => {
                        self.error(Code::OperandKind, e.span(), "an address is one name plus a constant");
                        Err(Reported)
                    }
                }
            }
            Expr::Symbol(_) | Expr::Member(..) => {
                let kind = self.value(e)?;
                Ok((Some((kind, e.span())), 0))
            }
            _ => {
                self.error(Code::OperandKind, e.span(), "an address is one name plus a constant");
                Err(Reported)
            }
        }
    }
}

/// Whether a name other than a constant's stands in the expression.
pub(super) fn has_symbol(e: &Expr) -> bool {
    match e {
        Expr::Number(_) => false,
        Expr::Symbol(name) => name.text != "WARP_SZ",
        Expr::Section(_) | Expr::Member(..) | Expr::Call(..) | Expr::Mask(..) => true,
        Expr::Cast(_, e) | Expr::Unary(_, _, e) => has_symbol(e),
        Expr::Binary(_, a, b) => has_symbol(a) || has_symbol(b),
        Expr::Select(a, b, c) => has_symbol(a) || has_symbol(b) || has_symbol(c),
    }
}
