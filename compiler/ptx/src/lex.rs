//! Tokens.

use crate::source::Span;
use logos::Logos;

/// What a token is. Its text is the source at its span.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
#[allow(missing_docs)]
pub enum Token {
    /// A name: `add`, `%r1`, `$L__BB0_1`, `_`.
    #[regex(r"[a-zA-Z_][a-zA-Z0-9_$]*|[$%][a-zA-Z0-9_$]+")]
    Ident,
    /// A dot and the word that follows: `.u32`, `.shared::cta`, `.128x256b`.
    #[regex(r"\.[a-zA-Z0-9_$%]+(::[a-zA-Z0-9_]+)*")]
    Dotted,
    /// An integer in base 2, 8, 10 or 16, with an optional `U`.
    #[regex(r"0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|[0-9]+U?")]
    Int,
    /// Digits with letters that make no number: `0x`, `12abc`.
    #[regex(r"[0-9][a-zA-Z0-9_$]*", priority = 1)]
    BadNumber,
    /// A decimal float such as `1.5`, `1.`, `.5`, `1e3`, or the bits of one: `0f3F800000`, `0d…`.
    #[regex(
        r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}",
        priority = 20
    )]
    Float,
    /// A quoted string.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Str,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("=")]
    Equals,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Not,
    #[token("~")]
    Tilde,
    #[token("&")]
    And,
    #[token("|")]
    Or,
    #[token("^")]
    Xor,
    #[token("?")]
    Question,
    #[token("@")]
    At,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("==")]
    EqualEqual,
    #[token("!=")]
    NotEqual,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    /// After the last token.
    End,
}

/// Splits a text (at most 4 GiB) into tokens, the last of which is [`Token::End`]; and the spans that are no token,
/// neighbouring ones joined.
pub fn lex(text: &str) -> (Vec<(Token, Span)>, Vec<Span>) {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut bad: Vec<Span> = Vec::new();
    for (token, range) in Token::lexer(text).spanned() {
        let span = Span { start: range.start as u32, end: range.end as u32 };
        match token {
            Ok(token) => tokens.push((token, span)),
            Err(()) => match bad.last_mut() {
                Some(last) if last.end == span.start => last.end = span.end,
                _ => bad.push(span),
            },
        }
    }
    let end = text.len() as u32;
    tokens.push((Token::End, Span { start: end, end }));
    (tokens, bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(Token, &str)> {
        lex(text).0.into_iter().map(|(t, s)| (t, &text[s.range()])).collect()
    }

    #[test]
    fn words_and_numbers() {
        use Token::*;
        let got = texts(
            "ld.global::x.L2::128B %r<10> 0x1F 0f3F800000 9.0 1.5e-3 017U \"a\\\"b\" // c\n/* d **/ <<",
        );
        let want = [
            (Ident, "ld"),
            (Dotted, ".global::x"),
            (Dotted, ".L2::128B"),
            (Ident, "%r"),
            (Less, "<"),
            (Int, "10"),
            (Greater, ">"),
            (Int, "0x1F"),
            (Float, "0f3F800000"),
            (Float, "9.0"),
            (Float, "1.5e-3"),
            (Int, "017U"),
            (Str, "\"a\\\"b\""),
            (ShiftLeft, "<<"),
            (End, ""),
        ];
        assert_eq!(got, want);
    }

    #[test]
    fn what_is_no_token_is_one_span() {
        let (tokens, bad) = lex("a ``` b /* never closed");
        assert_eq!(bad.len(), 1);
        assert_eq!(bad[0].range(), 2..5);
        assert!(tokens.len() > 3);
    }
}
