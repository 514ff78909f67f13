use super::{Failed, OPERATORS, Parsed, Parser};
use crate::ast::{BinaryOp, Expr, Operand, OperandKind, UnaryOp};
use crate::diagnostics::Code;
use crate::lex::Token;

impl Parser<'_> {
    /// An operand; `call` allows `(a, b)` as one.
    pub(super) fn operand(&mut self, call: bool) -> Parsed<Operand> {
        self.nested(|p| p.operand_here(call))
    }

    fn operand_here(&mut self, call: bool) -> Parsed<Operand> {
        let start = self.span();
        let kind = match self.peek() {
            Token::LeftBrace => {
                self.bump();
                let before = std::mem::replace(&mut self.braces, true);
                let list = self.operand_list(Token::RightBrace);
                self.braces = before;
                let list = list?;
                self.expect(Token::RightBrace, "`,` or `}`")?;
                OperandKind::Vector(list)
            }
            Token::LeftBracket => {
                self.bump();
                let list = self.comma_separated(|p| p.operand(false))?;
                self.expect(Token::RightBracket, "`]`")?;
                OperandKind::Address(list)
            }
            Token::LeftParen if call => {
                self.bump();
                let list = self.operand_list(Token::RightParen)?;
                self.expect(Token::RightParen, "`,` or `)`")?;
                OperandKind::List(list)
            }
            Token::Not if self.peek_at(1) == Token::Ident => {
                self.bump();
                OperandKind::Not(self.name(Token::Ident, "a predicate")?)
            }
            Token::Minus if self.peek_at(1) == Token::Ident && !self.is_constant_at(1) => self.negated()?,
            Token::Ident if self.word() != "WARP_SZ" => OperandKind::Value(self.named()?),
            _ => OperandKind::Value(self.constant()?),
        };
        let operand = Operand { kind, span: start.to(self.last_span()) };
        let simple = matches!(operand.kind, OperandKind::Value(Expr::Symbol(_)) | OperandKind::Vector(_));
        if self.peek() != Token::Or || !simple {
            return Ok(operand);
        }
        self.bump();
        let second_start = self.span();
        let kind = match self.eat(Token::Not) {
            true => OperandKind::Not(self.name(Token::Ident, "a predicate")?),
            false => OperandKind::Value(Expr::Symbol(self.name(Token::Ident, "a register")?)),
        };
        let second = Operand { kind, span: second_start.to(self.last_span()) };
        let span = start.to(self.last_span());
        Ok(Operand { kind: OperandKind::Pair(Box::new(operand), Box::new(second)), span })
    }

    /// `-r`, `-r.h1`
    fn negated(&mut self) -> Parsed<OperandKind> {
        self.bump();
        let start = self.span();
        let kind = OperandKind::Value(self.named()?);
        Ok(OperandKind::Negated(Box::new(Operand { kind, span: start.to(self.last_span()) })))
    }

    /// Whether the name that stands `ahead` is a constant's.
    fn is_constant_at(&self, ahead: usize) -> bool {
        self.slice(self.tokens[self.at + ahead].1) == "WARP_SZ"
    }

    /// A name as an operand: alone, with a component, with an index, or plus a constant (PTX ISA, "Using Addresses,
    /// Arrays, and Vectors"; nothing more is accepted by ptxas either).
    fn named(&mut self) -> Parsed<Expr> {
        let name = self.name(Token::Ident, "a name")?;
        match self.peek() {
            Token::Dotted => Ok(Expr::Member(name, self.name(Token::Dotted, "a component")?)),
            // Not in braces, as in ptxas.
            Token::Plus if !self.braces => {
                self.bump();
                Ok(offset(name, self.constant()?))
            }
            Token::LeftBracket => {
                self.bump();
                let index = match self.peek() {
                    Token::Ident if self.word() != "WARP_SZ" => {
                        let register = self.name(Token::Ident, "a register")?;
                        match self.eat(Token::Plus) {
                            true => offset(register, self.constant()?),
                            false => Expr::Symbol(register),
                        }
                    }
                    _ => self.constant()?,
                };
                self.expect(Token::RightBracket, "`]`")?;
                Ok(Expr::Index(name, Box::new(index)))
            }
            _ => Ok(Expr::Symbol(name)),
        }
    }

    /// An initial value: a constant, a variable's name or `generic( … )` of one, plus a constant, or a masked part of these, as ptxas
    /// reads them.
    pub(super) fn initial(&mut self) -> Parsed<Expr> {
        if self.peek() == Token::Int && self.peek_at(1) == Token::LeftParen {
            let mask = self.name(Token::Int, "a mask")?;
            self.bump();
            let inner = self.nested(Self::initial)?;
            self.expect(Token::RightParen, "`)`")?;
            return Ok(Expr::Mask(mask, Box::new(inner)));
        }
        if self.peek() != Token::Ident || self.word() == "WARP_SZ" {
            return self.constant();
        }
        let name = self.name(Token::Ident, "a name")?;
        let address = match self.eat(Token::LeftParen) {
            true => {
                let inner = self.name(Token::Ident, "a variable's name")?;
                self.expect(Token::RightParen, "`)`")?;
                Expr::Call(name, Box::new(Expr::Symbol(inner)))
            }
            false => Expr::Symbol(name),
        };
        match self.eat(Token::Plus) {
            true => Ok(Expr::Binary(BinaryOp::Add, Box::new(address), Box::new(self.constant()?))),
            false => Ok(address),
        }
    }

    /// An expression without names.
    fn constant(&mut self) -> Parsed<Expr> {
        let before = std::mem::replace(&mut self.plain, true);
        let result = self.expression();
        self.plain = before;
        result
    }

    fn operand_list(&mut self, end: Token) -> Parsed<Vec<Operand>> {
        if self.peek() == end {
            return Ok(Vec::new());
        }
        self.comma_separated(|p| p.operand(false))
    }

    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.operators = 0;
        self.select()
    }

    fn select(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let condition = p.binary(1)?;
            if !p.eat(Token::Question) {
                return Ok(condition);
            }
            let yes = p.select()?;
            p.expect(Token::Colon, "`:`")?;
            let no = p.select()?;
            Ok(Expr::Select(Box::new(condition), Box::new(yes), Box::new(no)))
        })
    }

    fn binary(&mut self, lowest: u8) -> Parsed<Expr> {
        let mut left = self.primary()?;
        while let Some(op) = binary_op(self.peek())
            && op.precedence() >= lowest
        {
            self.operators += 1;
            if self.operators > OPERATORS {
                let message = format!("more than {OPERATORS} operators in one expression");
                self.diagnostics.push(Code::TooDeep, self.span(), message);
                return Err(Failed);
            }
            self.bump();
            let right = self.binary(op.precedence() + 1)?;
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    /// An expression without an operator at its top, other than unary ones.
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        self.nested(|p| p.primary_here())
    }

    fn primary_here(&mut self) -> Parsed<Expr> {
        let unary = match self.peek() {
            Token::Plus => Some(UnaryOp::Plus),
            Token::Minus => Some(UnaryOp::Neg),
            Token::Tilde => Some(UnaryOp::Not),
            Token::Not => Some(UnaryOp::LogicalNot),
            _ => None,
        };
        if let Some(op) = unary {
            let span = self.bump();
            return Ok(Expr::Unary(op, span, Box::new(self.primary()?)));
        }
        match self.peek() {
            Token::Int => {
                let number = self.name(Token::Int, "a number")?;
                Ok(Expr::Number(number))
            }
            Token::BadNumber => {
                let shown: String = self.word().chars().take(24).collect();
                self.diagnostics.push(Code::BadNumber, self.span(), format!("`{shown}` is no number"));
                Err(Failed)
            }
            Token::Float => Ok(Expr::Number(self.name(Token::Float, "a number")?)),
            Token::Dotted if !self.plain => Ok(Expr::Section(self.name(Token::Dotted, "a section")?)),
            Token::Ident if !self.plain || self.word() == "WARP_SZ" => {
                let name = self.name(Token::Ident, "a name")?;
                match self.peek() {
                    Token::Dotted if !self.apart && !self.plain => {
                        Ok(Expr::Member(name, self.name(Token::Dotted, "a component")?))
                    }
                    _ => Ok(Expr::Symbol(name)),
                }
            }
            Token::LeftParen => {
                self.bump();
                if self.peek() == Token::Dotted && self.peek_at(1) == Token::RightParen {
                    let ty = self.name(Token::Dotted, "a type")?;
                    self.bump();
                    return Ok(Expr::Cast(ty, Box::new(self.primary()?)));
                }
                let inner = self.select()?;
                self.expect(Token::RightParen, "`)`")?;
                Ok(inner)
            }
            _ => Err(self.unexpected("an operand")),
        }
    }
}

/// A name plus a constant.
fn offset(name: crate::ast::Name, constant: Expr) -> Expr {
    Expr::Binary(BinaryOp::Add, Box::new(Expr::Symbol(name)), Box::new(constant))
}

fn binary_op(token: Token) -> Option<BinaryOp> {
    Some(match token {
        Token::Star => BinaryOp::Mul,
        Token::Slash => BinaryOp::Div,
        Token::Percent => BinaryOp::Rem,
        Token::Plus => BinaryOp::Add,
        Token::Minus => BinaryOp::Sub,
        Token::ShiftLeft => BinaryOp::Shl,
        Token::ShiftRight => BinaryOp::Shr,
        Token::Less => BinaryOp::Lt,
        Token::LessEqual => BinaryOp::Le,
        Token::Greater => BinaryOp::Gt,
        Token::GreaterEqual => BinaryOp::Ge,
        Token::EqualEqual => BinaryOp::Eq,
        Token::NotEqual => BinaryOp::Ne,
        Token::And => BinaryOp::And,
        Token::Xor => BinaryOp::Xor,
        Token::Or => BinaryOp::Or,
        Token::AndAnd => BinaryOp::LogicalAnd,
        Token::OrOr => BinaryOp::LogicalOr,
        _ => return None,
    })
}
