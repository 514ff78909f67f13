use super::{Failed, Parsed, Parser};
use crate::ast::{File, Item, Name, Section, SectionLine};
use crate::diagnostics::Code;
use crate::lex::Token;

/// Words that can only begin something at module scope: where reading goes on after a mistake there.
pub(super) const STARTS: [&str; 15] = [
    "version",
    "target",
    "address_size",
    "entry",
    "func",
    "visible",
    "extern",
    "weak",
    "common",
    "global",
    "const",
    "shared",
    "file",
    "section",
    "alias",
];

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.peek() != Token::End {
            let before = self.at;
            match self.item() {
                Ok(Some(item)) => items.push(item),
                Ok(None) => {}
                Err(Failed) => self.recover_item(before),
            }
        }
        items
    }

    /// Skips to where the next item may begin, at least one token past `before`.
    fn recover_item(&mut self, before: usize) {
        if self.at == before {
            self.bump();
        }
        let mut open = 0u32;
        while self.peek() != Token::End {
            match self.peek() {
                Token::Dotted if open == 0 && self.at_dotted(&STARTS) => return,
                Token::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                Token::LeftBrace => open += 1,
                Token::RightBrace if open <= 1 => {
                    self.bump();
                    return;
                }
                Token::RightBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    fn item(&mut self) -> Parsed<Option<Item>> {
        if self.eat(Token::Semicolon) {
            return Ok(None);
        }
        if self.peek() != Token::Dotted {
            return Err(self.unexpected("a directive"));
        }
        let start = self.span();
        Ok(Some(match &self.word()[1..] {
            "version" => {
                self.bump();
                match self.peek() {
                    Token::Float => Item::Version(self.name(Token::Float, "a version such as 8.0")?),
                    _ => return Err(self.unexpected("a version such as 8.0")),
                }
            }
            "target" => {
                self.bump();
                Item::Target(self.comma_separated(|p| p.name(Token::Ident, "a target such as sm_90"))?)
            }
            "address_size" => {
                self.bump();
                Item::AddressSize(self.name(Token::Int, "32 or 64")?)
            }
            "file" => self.file()?,
            "section" => Item::Section(self.section()?),
            "pragma" => Item::Pragma(self.pragma()?),
            "alias" => {
                self.bump();
                let alias = self.name(Token::Ident, "a function's name")?;
                self.expect(Token::Comma, "`,`")?;
                let target = self.name(Token::Ident, "a function's name")?;
                self.expect(Token::Semicolon, "`;`")?;
                Item::Alias(alias, target)
            }
            "extern" | "visible" | "weak" | "common" => {
                let linkage = self.name(Token::Dotted, "a linkage")?;
                match self.at_dotted(&["entry", "func"]) {
                    true => Item::Function(Box::new(self.function(Some(linkage), start)?)),
                    false => Item::Variable(Box::new(self.variable_statement(Some(linkage), start)?)),
                }
            }
            "entry" | "func" => Item::Function(Box::new(self.function(None, start)?)),
            word if super::variable::is_space(word) => {
                Item::Variable(Box::new(self.variable_statement(None, start)?))
            }
            word => {
                let message = format!("unknown directive `.{word}`");
                self.diagnostics.push(Code::UnknownDirective, start, message);
                return Err(Failed);
            }
        }))
    }

    pub(super) fn pragma(&mut self) -> Parsed<Vec<Name>> {
        self.bump();
        let texts = self.comma_separated(|p| p.name(Token::Str, "a quoted string"))?;
        self.expect(Token::Semicolon, "`;`")?;
        Ok(texts)
    }

    fn file(&mut self) -> Parsed<Item> {
        self.bump();
        let index = self.name(Token::Int, "a file index")?;
        let name = self.name(Token::Str, "a quoted file name")?;
        let mut stamp = Vec::new();
        while stamp.len() < 2 && self.eat(Token::Comma) {
            stamp.push(self.name(Token::Int, "a number")?);
        }
        Ok(Item::File(File { index, name, stamp }))
    }

    pub(super) fn section(&mut self) -> Parsed<Section> {
        self.bump();
        let name = match self.peek() {
            Token::Str => self.name(Token::Str, "a section's name")?,
            _ => self.name(Token::Dotted, "a section's name")?,
        };
        self.expect(Token::LeftBrace, "`{`")?;
        let lines = self.apart(Self::section_lines)?;
        Ok(Section { name, lines })
    }

    fn section_lines(&mut self) -> Parsed<Vec<SectionLine>> {
        let mut lines = Vec::new();
        while !self.eat(Token::RightBrace) {
            lines.push(match self.peek() {
                Token::Ident => {
                    let label = self.name(Token::Ident, "a label")?;
                    self.expect(Token::Colon, "`:`")?;
                    SectionLine::Label(label)
                }
                _ => {
                    let ty = self.name(Token::Dotted, "data such as `.b8 1`")?;
                    SectionLine::Data(ty, self.comma_separated(Self::expression)?)
                }
            });
        }
        Ok(lines)
    }
}
