use super::{Parsed, Parser};
use crate::ast::{Argument, Directive, Function, Name};
use crate::lex::Token;
use crate::source::Span;

impl Parser<'_> {
    /// A function from `.entry` or `.func` on.
    pub(super) fn function(&mut self, linkage: Option<Name>, start: Span) -> Parsed<Function> {
        let entry = self.at_dotted(&["entry"]);
        self.bump();
        let mut attributes = Vec::new();
        while self.at_dotted(&["attribute"]) {
            attributes.extend(self.attributes()?);
        }
        let returns = if self.peek() == Token::LeftParen { Some(self.parameters()?) } else { None };
        let name = self.name(Token::Ident, "a function's name")?;
        let span = start.to(name.span);
        let params = if self.peek() == Token::LeftParen { Some(self.parameters()?) } else { None };
        let directives = self.directives()?;
        let body = match self.peek() {
            Token::LeftBrace => Some(self.block()?),
            // A prototype needs no semicolon where the next directive or the end of the text ends it, as in ptxas.
            Token::Dotted | Token::End if !entry => None,
            _ => {
                self.expect(Token::Semicolon, "`{` or `;`")?;
                None
            }
        };
        Ok(Function { linkage, entry, attributes, returns, name, params, directives, body, span })
    }

    pub(super) fn directives(&mut self) -> Parsed<Vec<Directive>> {
        let mut list = Vec::new();
        while self.peek() == Token::Dotted && !self.at_dotted(&super::module::STARTS) {
            let name = self.name(Token::Dotted, "a directive")?;
            let mut args = Vec::new();
            if matches!(
                self.peek(),
                Token::Int | Token::Str | Token::Ident | Token::Float | Token::Minus | Token::LeftParen
            ) {
                args = self.comma_separated(|p| match p.peek() {
                    Token::Str => Ok(Argument::Text(p.name(Token::Str, "a string")?)),
                    _ => Ok(Argument::Value(p.apart(Self::expression)?)),
                })?;
            }
            if name.text == "pragma" {
                self.expect(Token::Semicolon, "`;`")?;
            }
            list.push(Directive { name, args });
        }
        Ok(list)
    }
}
