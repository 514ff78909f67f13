use super::{Failed, Parsed, Parser};
use crate::ast::{Attribute, Declarator, Init, Name, Pointer, Variable};
use crate::diagnostics::Code;
use crate::lex::Token;
use crate::source::Span;

/// Whether a word names a state space in a declaration.
pub(super) fn is_space(word: &str) -> bool {
    matches!(
        word,
        "reg"
            | "sreg"
            | "const"
            | "global"
            | "local"
            | "param"
            | "shared"
            | "tex"
            | "shared::cta"
            | "shared::cluster"
            | "param::entry"
            | "param::func"
    )
}

impl Parser<'_> {
    /// A declaration up to its `;`.
    pub(super) fn variable_statement(&mut self, linkage: Option<Name>, start: Span) -> Parsed<Variable> {
        let mut variable = self.variable(linkage, start)?;
        while self.eat(Token::Comma) {
            let declarator = self.declarator()?;
            variable.declarators.push(declarator);
        }
        self.expect(Token::Semicolon, "`;`")?;
        variable.span = start.to(self.last_span());
        Ok(variable)
    }

    /// A parenthesised list of parameters.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        self.expect(Token::LeftParen, "`(`")?;
        if self.eat(Token::RightParen) {
            return Ok(Vec::new());
        }
        let list = self.comma_separated(|p| {
            let start = p.span();
            p.variable(None, start)
        })?;
        self.expect(Token::RightParen, "`,` or `)`")?;
        Ok(list)
    }

    /// A declaration with its first name.
    fn variable(&mut self, linkage: Option<Name>, start: Span) -> Parsed<Variable> {
        if self.peek() != Token::Dotted || !is_space(&self.word()[1..]) {
            return Err(self.unexpected("a state space such as `.global`"));
        }
        let space = self.name(Token::Dotted, "a state space")?;
        let mut attributes = Vec::new();
        let (mut align, mut vector, mut ty, mut pointer) = (None, None, None::<Name>, None);
        while self.peek() == Token::Dotted {
            match &self.word()[1..] {
                "align" => {
                    self.bump();
                    align = Some(self.apart(Self::expression)?);
                }
                "attribute" => attributes.extend(self.attributes()?),
                "v2" | "v4" | "v8" => vector = Some(self.name(Token::Dotted, "a vector size")?),
                "ptr" => {
                    self.bump();
                    pointer = Some(self.pointer()?);
                }
                _ if ty.is_some() => return Err(self.unexpected("a name")),
                _ => ty = Some(self.name(Token::Dotted, "a type")?),
            }
        }
        let Some(ty) = ty else { return Err(self.unexpected("a type such as `.u32`")) };
        let declarators = vec![self.declarator()?];
        let span = start.to(self.last_span());
        Ok(Variable { linkage, space, attributes, align, vector, ty, pointer, declarators, span })
    }

    fn pointer(&mut self) -> Parsed<Pointer> {
        let mut pointer = Pointer { space: None, align: None };
        while self.peek() == Token::Dotted {
            if self.at_dotted(&["align"]) {
                self.bump();
                pointer.align = Some(self.apart(Self::expression)?);
            } else if is_space(&self.word()[1..]) && pointer.space.is_none() {
                pointer.space = Some(self.name(Token::Dotted, "a state space")?);
            } else {
                break;
            }
        }
        Ok(pointer)
    }

    /// `.attribute(.managed, .unified(1, 2))`
    pub(super) fn attributes(&mut self) -> Parsed<Vec<Attribute>> {
        self.bump();
        self.expect(Token::LeftParen, "`(`")?;
        let list = self.comma_separated(|p| {
            let name = p.name(Token::Dotted, "an attribute such as `.managed`")?;
            let mut args = Vec::new();
            if p.eat(Token::LeftParen) {
                args = p.comma_separated(Self::expression)?;
                p.expect(Token::RightParen, "`)`")?;
            }
            Ok(Attribute { name, args })
        })?;
        self.expect(Token::RightParen, "`)`")?;
        Ok(list)
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let name = self.name(Token::Ident, "a name")?;
        let mut declarator = Declarator { name, range: None, dims: Vec::new(), init: None };
        if self.eat(Token::Less) {
            declarator.range = Some(self.primary()?);
            self.expect(Token::Greater, "`>`")?;
        }
        while self.eat(Token::LeftBracket) {
            let size = if self.peek() == Token::RightBracket { None } else { Some(self.expression()?) };
            self.expect(Token::RightBracket, "`]`")?;
            declarator.dims.push(size);
            if declarator.dims.len() > 16 {
                self.diagnostics.push(Code::TooDeep, self.span(), "more than 16 dimensions");
                return Err(Failed);
            }
        }
        if self.eat(Token::Equals) {
            declarator.init = Some(self.initialiser()?);
        }
        Ok(declarator)
    }

    fn initialiser(&mut self) -> Parsed<Init> {
        if !self.eat(Token::LeftBrace) {
            return Ok(Init::Value(self.initial()?));
        }
        self.nested(|p| {
            if p.eat(Token::RightBrace) {
                return Ok(Init::List(Vec::new()));
            }
            let list = p.comma_separated(Self::initialiser)?;
            p.expect(Token::RightBrace, "`,` or `}`")?;
            Ok(Init::List(list))
        })
    }
}
