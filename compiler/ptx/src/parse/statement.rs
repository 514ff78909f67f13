use super::{Failed, Parsed, Parser};
use crate::ast::{Block, Expr, Guard, Instruction, Loc, Name, Prototype, Statement};
use crate::diagnostics::Code;
use crate::lex::Token;

impl Parser<'_> {
    /// `{ … }`. Mistakes within are reported and skipped.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let start = self.expect(Token::LeftBrace, "`{`")?;
        self.nested(|p| {
            let mut statements = Vec::new();
            loop {
                match p.peek() {
                    Token::RightBrace => {
                        p.bump();
                        break;
                    }
                    Token::End => return Err(p.unexpected("`}`")),
                    // A function cannot begin within another: the closing brace is missing.
                    Token::Dotted if p.at_dotted(&["entry", "func", "visible", "version"]) => {
                        return Err(p.unexpected("`}`"));
                    }
                    Token::Semicolon => {
                        p.bump();
                    }
                    _ => match p.statement() {
                        Ok(statement) => statements.push(statement),
                        Err(Failed) => p.recover(),
                    },
                }
            }
            Ok(Block { statements, span: start.to(p.last_span()) })
        })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span();
        match self.peek() {
            Token::LeftBrace => Ok(Statement::Block(self.block()?)),
            Token::Ident if self.peek_at(1) == Token::Colon => {
                let name = self.name(Token::Ident, "a label")?;
                self.bump();
                self.labelled(name)
            }
            Token::Ident | Token::At => Ok(Statement::Instruction(Box::new(self.instruction()?))),
            Token::Dotted => match &self.word()[1..] {
                "loc" => Ok(Statement::Loc(Box::new(self.loc()?))),
                "pragma" => Ok(Statement::Pragma(self.pragma()?)),
                "section" => Ok(Statement::Section(self.section()?)),
                "extern" | "weak" | "common" => {
                    let linkage = self.name(Token::Dotted, "a linkage")?;
                    Ok(Statement::Variable(Box::new(self.variable_statement(Some(linkage), start)?)))
                }
                word if super::variable::is_space(word) => {
                    Ok(Statement::Variable(Box::new(self.variable_statement(None, start)?)))
                }
                word => {
                    let message = format!("unknown directive `.{word}`");
                    self.diagnostics.push(Code::UnknownDirective, start, message);
                    Err(Failed)
                }
            },
            _ => {
                let failed = self.unexpected("a statement");
                // A stray token that `recover` would stop at again.
                if self.peek() != Token::RightBrace {
                    self.bump();
                }
                Err(failed)
            }
        }
    }

    /// What follows `name:`, where that makes it more than a label.
    fn labelled(&mut self, name: Name) -> Parsed<Statement> {
        if self.peek() != Token::Dotted {
            return Ok(Statement::Label(name));
        }
        match &self.word()[1..] {
            word @ ("branchtargets" | "calltargets") => {
                self.bump();
                let targets = self.comma_separated(|p| p.name(Token::Ident, "a name"))?;
                self.expect(Token::Semicolon, "`,` or `;`")?;
                Ok(match word {
                    "branchtargets" => Statement::BranchTargets(name, targets),
                    _ => Statement::CallTargets(name, targets),
                })
            }
            "callprototype" => {
                self.bump();
                let returns = if self.peek() == Token::LeftParen { Some(self.parameters()?) } else { None };
                self.name(Token::Ident, "`_`")?;
                let params = if self.peek() == Token::LeftParen { Some(self.parameters()?) } else { None };
                let directives = self.directives()?;
                self.expect(Token::Semicolon, "`;`")?;
                Ok(Statement::CallPrototype(Box::new(Prototype { name, returns, params, directives })))
            }
            _ => Ok(Statement::Label(name)),
        }
    }

    pub(super) fn loc(&mut self) -> Parsed<Loc> {
        self.bump();
        let mut loc = Loc { position: self.position()?, inlined: None };
        // Both or none, in this order.
        if self.eat(Token::Comma) {
            self.word_of_loc("function_name")?;
            let mut label: Expr = self.apart(Self::primary)?;
            if self.eat(Token::Plus) {
                let offset = self.primary()?;
                label = Expr::Binary(crate::ast::BinaryOp::Add, Box::new(label), Box::new(offset));
            }
            self.expect(Token::Comma, "`, inlined_at`")?;
            self.word_of_loc("inlined_at")?;
            loc.inlined = Some((label, self.position()?));
        }
        Ok(loc)
    }

    fn word_of_loc(&mut self, word: &str) -> Parsed<()> {
        if self.word() != word {
            return Err(self.unexpected(&format!("`{word}`")));
        }
        self.bump();
        Ok(())
    }

    /// File, line and column.
    fn position(&mut self) -> Parsed<[Name; 3]> {
        let mut number = |what| self.name(Token::Int, what);
        Ok([number("a file index")?, number("a line")?, number("a column")?])
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        let start = self.span();
        let mut guard = None;
        if self.eat(Token::At) {
            let negate = self.eat(Token::Not);
            guard = Some(Guard { negate, name: self.name(Token::Ident, "a predicate")? });
        }
        let root = self.name(Token::Ident, "an instruction")?;
        let mut suffixes = Vec::new();
        while self.peek() == Token::Dotted {
            suffixes.push(self.name(Token::Dotted, "a modifier")?);
        }
        let mut operands = Vec::new();
        if self.peek() != Token::Semicolon {
            let call = root.text == "call";
            operands = self.comma_separated(|p| p.operand(call))?;
        }
        if self.peek() == Token::Semicolon {
            self.bump();
        } else if self.begins_a_line() && matches!(self.peek(), Token::Ident | Token::At | Token::Dotted) {
            // The semicolon is missing. What the next line says is read as an instruction of its own, so that its mistakes are found as well.
            self.missing("`,` or `;`");
        } else {
            return Err(self.unexpected("`,` or `;`"));
        }
        Ok(Instruction { guard, root, suffixes, operands, span: start.to(self.last_span()) })
    }
}
