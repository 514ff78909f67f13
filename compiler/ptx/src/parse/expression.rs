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
                let list = self.operand_list(Token::RightBrace)?;
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
            _ => OperandKind::Value(match self.peek() {
                Token::Ident if self.peek_at(1) == Token::Or => {
                    Expr::Symbol(self.name(Token::Ident, "a register")?)
                }
                _ => self.expression()?,
            }),
        };
        let operand = Operand { kind, span: start.to(self.last_span()) };
        let simple = matches!(operand.kind, OperandKind::Value(Expr::Symbol(_)));
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
                if !self.eat(Token::LeftParen) {
                    return Ok(Expr::Number(number));
                }
                let inner = self.select()?;
                self.expect(Token::RightParen, "`)`")?;
                Ok(Expr::Mask(number, Box::new(inner)))
            }
            Token::BadNumber => {
                let shown: String = self.word().chars().take(24).collect();
                self.diagnostics.push(Code::BadNumber, self.span(), format!("`{shown}` is no number"));
                Err(Failed)
            }
            Token::Float => Ok(Expr::Number(self.name(Token::Float, "a number")?)),
            Token::Dotted => Ok(Expr::Section(self.name(Token::Dotted, "a section")?)),
            Token::Ident => {
                let name = self.name(Token::Ident, "a name")?;
                match self.peek() {
                    Token::LeftParen => {
                        self.bump();
                        let inner = self.select()?;
                        self.expect(Token::RightParen, "`)`")?;
                        Ok(Expr::Call(name, Box::new(inner)))
                    }
                    Token::Dotted if !self.apart => {
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
