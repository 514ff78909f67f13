//! Text to syntax. Goes on after an error at the next `;`, so that one run reports every mistake.
//!
//! - `module`: directives and declarations at module scope
//! - `variable`: variables, registers, parameters and their initialisers
//! - `function`: functions and their directives
//! - `statement`: function bodies
//! - `expression`: operands and constant expressions

mod expression;
mod function;
mod module;
mod statement;
mod variable;

use crate::ast::{Module, Name};
use crate::diagnostics::{Code, Diagnostics};
use crate::lex::{Token, lex};
use crate::source::{Source, Span};

/// Deepest nesting of blocks, lists or parentheses.
const DEPTH: u32 = 128;
/// Most operators in one expression: their tree is as deep as they are many.
const OPERATORS: u32 = 1000;

/// Reads a module. What could not be read is left out of the module and stands in the diagnostics.
pub fn parse(text: &str, name: &str) -> (Module, Diagnostics) {
    let source = Source::new(name, text);
    let mut diagnostics = Diagnostics::new(source.clone());
    if u32::try_from(text.len()).is_err() {
        diagnostics.push(Code::TooLarge, Span::default(), "the text has 4 GiB or more");
        return (Module { items: Vec::new(), source }, diagnostics);
    }
    let (tokens, bad) = lex(text);
    for span in bad {
        let shown: String = text[span.range()].chars().take(12).flat_map(char::escape_default).collect();
        let what = if text[span.range()].starts_with("/*") { "unclosed comment" } else { "no token" };
        diagnostics.push(Code::NotAToken, span, format!("{what}: `{shown}`"));
    }
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        depth: 0,
        operators: 0,
        apart: false,
        plain: false,
        braces: false,
        diagnostics,
    };
    let items = parser.module();
    (Module { items, source }, parser.diagnostics)
}

/// A mistake that has been reported; the caller recovers.
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: u32,
    operators: u32,
    /// Whether a name and a dotted word after it are two things: where no comma or semicolon stands between them.
    apart: bool,
    /// Whether an expression has no names but that of a constant: in operands of instructions.
    plain: bool,
    /// Whether an operand is an element of a vector.
    braces: bool,
    diagnostics: Diagnostics,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token {
        self.tokens[self.at].0
    }
    fn peek_at(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].0
    }
    fn span(&self) -> Span {
        self.tokens[self.at].1
    }
    /// Span of the token before the current one.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }
    fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }
    /// The current token's text.
    fn word(&self) -> &'a str {
        self.slice(self.span())
    }
    /// Steps over the current token; stays at the end.
    fn bump(&mut self) -> Span {
        let span = self.span();
        if self.peek() != Token::End {
            self.at += 1;
        }
        span
    }
    fn eat(&mut self, token: Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.bump();
        }
        found
    }
    fn expect(&mut self, token: Token, what: &str) -> Parsed<Span> {
        if self.peek() == token { Ok(self.bump()) } else { Err(self.unexpected(what)) }
    }
    fn name(&mut self, token: Token, what: &str) -> Parsed<Name> {
        let span = self.expect(token, what)?;
        let text = self.slice(span);
        let text = if token == Token::Dotted { &text[1..] } else { text };
        Ok(Name { text: text.to_owned(), span })
    }
    /// Whether the current token is this word with its dot.
    fn at_dotted(&self, words: &[&str]) -> bool {
        self.peek() == Token::Dotted && words.contains(&&self.word()[1..])
    }
    /// Reports that `what` was expected.
    fn unexpected(&mut self, what: &str) -> Failed {
        if self.peek() == Token::End {
            self.diagnostics.push(
                Code::Unfinished,
                self.span(),
                format!("expected {what}, found the end of the text"),
            );
        } else {
            let found: String = self.word().chars().take(24).collect();
            self.diagnostics.push(Code::Unexpected, self.span(), format!("expected {what}, found `{found}`"));
        }
        Failed
    }
    /// Whether a line ends between the current token and the one before it.
    fn begins_a_line(&self) -> bool {
        let (before, here) = (self.last_span().range().end, self.span().range().start);
        self.text[before.min(here)..here].contains('\n')
    }
    /// Reports that `what` is missing behind the token before the current one.
    fn missing(&mut self, what: &str) {
        let found: String = self.word().chars().take(24).collect();
        let message = format!("expected {what}, found `{found}` on a later line");
        self.diagnostics.push(Code::Unexpected, self.last_span(), message);
    }
    /// Runs `inside` one level deeper.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            self.diagnostics.push(Code::TooDeep, self.span(), format!("more than {DEPTH} levels"));
            return Err(Failed);
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }
    /// Runs `inside` where a name and a dotted word after it are two things.
    fn apart<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let before = std::mem::replace(&mut self.apart, true);
        let result = inside(self);
        self.apart = before;
        result
    }
    /// `first` and what follows after commas.
    fn comma_separated<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![one(self)?];
        while self.eat(Token::Comma) {
            list.push(one(self)?);
        }
        Ok(list)
    }
    /// Skips to just after the next `;`, or to a `}` or the end, over balanced braces.
    fn recover(&mut self) {
        let mut open = 0u32;
        loop {
            match self.peek() {
                Token::End => return,
                Token::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                Token::LeftBrace => open += 1,
                Token::RightBrace if open == 0 => return,
                Token::RightBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }
}
