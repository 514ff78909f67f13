//! Operands: what their names stand for, and whether they fit a slot.

use super::Checker;
use super::constant::{self, Constant};
use super::scope::{Entity, Found};
use super::special::{Special, special};
use crate::ast::{self, BinaryOp, Expr, Name, OperandKind};
use crate::checked::{AddressBase, FunctionId, LabelId, Register, RegisterId, Type, VariableId};
use crate::diagnostics::Code;
use crate::source::Span;
use crate::table::Selector;
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
    /// `r.b0`, `r.h10`: bytes or halves of a register, and which.
    Part(RegisterId, Type, String),
    /// `-r`, `-r.h1`
    Negated(Box<Resolved>),
    Constant(Constant),
    Special(SpecialRegister),
    /// `%tid.w`
    Zero,
    /// `%tid` without a component.
    Specials([SpecialRegister; 3]),
    Variable(VariableId, i64),
    Param(u32, bool, i64),
    Function(FunctionId),
    Label(LabelId),
    Targets(String),
    Prototype(String),
    /// `[base + offset]`.
    Address(Address),
    /// `[t, {x, y}]`: the texture, or tensor map, and the coordinates.
    Texture(Box<Resolved>, Box<Resolved>),
    /// `a[1]`: where it lies, as its address or in place of one in brackets.
    Element(Address),
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
            Kind::Part(..) => "a part of a register".into(),
            Kind::Negated(_) => "a negated value".into(),
            Kind::Constant(Constant::Int(..)) => "an integer constant".into(),
            Kind::Constant(_) => "a float constant".into(),
            Kind::Special(_) | Kind::Zero => "a special register".into(),
            Kind::Specials(_) => "a vector of special registers".into(),
            Kind::Variable(..) => "a variable's address".into(),
            Kind::Param(..) => "a parameter's address".into(),
            Kind::Function(_) => "a function".into(),
            Kind::Label(_) => "a label".into(),
            Kind::Targets(_) => "a list of branch targets".into(),
            Kind::Prototype(_) => "a call prototype".into(),
            Kind::Address(..) => "an address in brackets".into(),
            Kind::Texture(..) => "an address with coordinates".into(),
            Kind::Element(..) => "an element of an array".into(),
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

    /// Adds the registers of a vector to the function.
    pub(super) fn add_registers(&mut self, name: &str, ty: Type, lanes: u8) -> Vec<RegisterId> {
        let letters = ["x", "y", "z", "w"].iter().take(usize::from(lanes));
        letters.map(|l| self.add_register(&format!("{name}.{l}"), ty)).collect()
    }

    /// What a name stands for; `_` and constants aside.
    pub(super) fn lookup(&mut self, name: &Name) -> Result<Kind, Reported> {
        let registers = self.body.function.registers.len() as u32;
        let kind = match self.scopes.find(&name.text) {
            Some(Found::Indexed(range, index)) => {
                let (ty, lanes) = (range.ty, range.lanes);
                let id = *range.made.entry(index).or_insert(RegisterId(registers));
                match (id.0 == registers, lanes) {
                    (true, 1) => {
                        self.add_register(&name.text, ty);
                    }
                    (true, _) => {
                        self.add_registers(&name.text, ty, lanes);
                    }
                    (false, _) => {}
                }
                match lanes {
                    1 => Kind::Register(id, ty),
                    _ => Kind::Registers((0..u32::from(lanes)).map(|n| RegisterId(id.0 + n)).collect(), ty),
                }
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
            Some(Special::Vector(registers, since)) => {
                self.need(name.span, &name.text, since, false);
                return Ok(Kind::Specials(registers));
            }
            Some(Special::Zero) => return Ok(Kind::Zero),
            None if UNSUPPORTED.contains(&name.text.as_str()) => {
                let message = format!("`{}` is not supported yet", name.text);
                self.error(Code::UnsupportedOperand, name.span, message);
            }
            // The declaration has its finding.
            None if self.was_refused(&name.text) => {}
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
            OperandKind::Negated(inner) => Kind::Negated(Box::new(self.resolve(inner)?)),
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
                [map, at] => {
                    let (map, at) = (self.resolve(map), self.resolve(at));
                    Kind::Texture(Box::new(map?), Box::new(at?))
                }
                _ => {
                    self.error(
                        Code::UnsupportedOperand,
                        span,
                        "a sampler beside a texture (independent mode) is not supported",
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
            Expr::Member(name, component) if self.scopes.find(&name.text).is_some() => {
                let letters = [["x", "r"], ["y", "g"], ["z", "b"], ["w", "a"]];
                let at = letters.iter().position(|l| l.contains(&component.text.as_str()));
                match self.lookup(name)? {
                    Kind::Registers(ids, ty) if at.is_some_and(|i| i < ids.len()) => {
                        let id = ids[at.unwrap_or(0)];
                        self.body.components.insert(id);
                        return Ok(Kind::Register(id, ty));
                    }
                    Kind::Register(id, ty) if SELECTORS.iter().any(|s| s.takes(&component.text)) => {
                        return Ok(Kind::Part(id, ty, component.text.clone()));
                    }
                    _ => {}
                }
                let message = format!("`{}` has no component `.{}`", name.text, component.text);
                self.error(Code::WrongEntity, component.span, message);
                Err(Reported)
            }
            Expr::Member(name, component) => self.special(name, Some(component)),
            Expr::Index(name, index) => self.element(name, index),
            Expr::Binary(BinaryOp::Add, base, constant) if has_symbol(base) => {
                let base_span = base.span();
                let offset = self.integer(constant)? as i64;
                match self.value(base)? {
                    Kind::Variable(id, _) => Ok(Kind::Variable(id, offset)),
                    Kind::Param(i, returned, _) => Ok(Kind::Param(i, returned, offset)),
                    Kind::Register(id, ty) => self.register_plus(id, ty, offset as u64, base_span),
                    other => {
                        let message = format!("a constant added to {} outside of brackets", other.describe());
                        self.error(Code::OperandKind, base_span, message);
                        Err(Reported)
                    }
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
        let (base, offset) = match e {
            Expr::Binary(BinaryOp::Add, base, constant) if has_symbol(base) => {
                (&**base, self.integer(constant)? as i64)
            }
            _ if has_symbol(e) => (e, 0),
            _ => {
                let offset = self.integer(e)? as i64;
                return Ok(Kind::Address(Address { base: AddressBase::Absolute, offset, space: None, span }));
            }
        };
        let span = base.span();
        let Expr::Symbol(name) = base else {
            self.error(Code::OperandKind, span, "an address is one name plus a constant");
            return Err(Reported);
        };
        let base = self.lookup(name)?;
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
}

/// Special registers that have no model (PTX ISA 9.5).
const UNSUPPORTED: [&str; 1] = ["%locality_domain_id"];

/// What may follow a register as a part of it.
const SELECTORS: [Selector; 5] =
    [Selector::Source, Selector::HalfMask, Selector::ByteMask, Selector::Halves, Selector::Bytes];

/// Whether a name other than a constant's stands in the expression.
pub(super) fn has_symbol(e: &Expr) -> bool {
    match e {
        Expr::Number(_) => false,
        Expr::Symbol(name) => name.text != "WARP_SZ",
        Expr::Section(_) | Expr::Member(..) | Expr::Index(..) | Expr::Call(..) | Expr::Mask(..) => true,
        Expr::Cast(_, e) | Expr::Unary(_, _, e) => has_symbol(e),
        Expr::Binary(_, a, b) => has_symbol(a) || has_symbol(b),
        Expr::Select(a, b, c) => has_symbol(a) || has_symbol(b) || has_symbol(c),
    }
}
