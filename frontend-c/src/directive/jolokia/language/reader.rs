//! Tokens: brackets, arguments, statements.

use std::ops::Range;

use crate::lex::{Keyword, Lexed, Punct, TokenKind};
use crate::source::Span;
use crate::symbol::Symbol;

/// The tokens of a text with what closes what.
pub(super) struct Reader<'a> {
    pub lexed: &'a Lexed,
    text: &'a [u8],
    /// For each bracket that opens, the token that closes it; itself where none does.
    closing: Vec<u32>,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a [u8], lexed: &'a Lexed) -> Self {
        let mut closing: Vec<u32> = (0..lexed.tokens.len() as u32).collect();
        let mut open = Vec::new();
        for (number, token) in lexed.tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Punct(Punct::LParen | Punct::LBracket | Punct::LBrace) => {
                    open.push(number);
                }
                TokenKind::Punct(Punct::RParen | Punct::RBracket | Punct::RBrace) => {
                    if let Some(start) = open.pop() {
                        closing[start] = number as u32;
                    }
                }
                _ => {}
            }
        }
        Reader { lexed, text, closing }
    }

    pub fn len(&self) -> usize {
        self.lexed.tokens.len()
    }

    pub fn kind(&self, at: usize) -> TokenKind {
        self.lexed.tokens.get(at).map_or(TokenKind::Eof, |token| token.kind)
    }

    pub fn is(&self, at: usize, punct: Punct) -> bool {
        self.kind(at) == TokenKind::Punct(punct)
    }

    pub fn is_keyword(&self, at: usize, keyword: Keyword) -> bool {
        self.kind(at) == TokenKind::Keyword(keyword)
    }

    pub fn ident(&self, at: usize) -> Option<Symbol> {
        match self.kind(at) {
            TokenKind::Ident(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The name that stands there; the empty text for anything else.
    pub fn word(&self, at: usize) -> &str {
        self.ident(at).map_or("", |symbol| self.name(symbol))
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        self.lexed.symbols.text_of(symbol)
    }

    pub fn span(&self, at: usize) -> Span {
        self.lexed.tokens[at.min(self.len() - 1)].span
    }

    /// Where tokens stand.
    pub fn span_of(&self, range: &Range<usize>) -> Span {
        let first = self.span(range.start);
        match range.end > range.start {
            true => first.to(self.span(range.end - 1)),
            false => Span::new(first.start, first.start),
        }
    }

    /// The bytes between two places of the text.
    pub fn between(&self, start: u32, end: u32) -> &'a str {
        std::str::from_utf8(&self.text[start as usize..end as usize]).unwrap_or_default()
    }

    /// The text of tokens as it is written.
    pub fn written(&self, range: &Range<usize>) -> &'a str {
        let span = self.span_of(range);
        self.between(span.start, span.end)
    }

    /// What closes the bracket there.
    pub fn close(&self, at: usize) -> usize {
        self.closing.get(at).map_or(at, |&close| close as usize)
    }

    /// The token behind the one there; behind what it brackets, where it opens something.
    pub fn over(&self, at: usize) -> usize {
        self.close(at).max(at) + 1
    }

    /// The arguments between the brackets that open there; none where there is nothing between.
    pub fn arguments(&self, open: usize) -> Vec<Range<usize>> {
        let close = self.close(open);
        self.split(open + 1..close)
    }

    /// The parts between the commas.
    pub fn split(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let mut start = range.start;
        let mut at = range.start;
        while at < range.end {
            if self.is(at, Punct::Comma) {
                parts.push(start..at);
                start = at + 1;
            }
            at = self.over(at);
        }
        if start < range.end || !parts.is_empty() {
            parts.push(start..range.end);
        }
        parts
    }

    /// The first of `punct` from there on that no bracket hides, before `end`.
    pub fn find(&self, range: Range<usize>, punct: Punct) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            if self.is(at, punct) {
                return Some(at);
            }
            at = self.over(at);
        }
        None
    }

    /// The simple statement that the token stands in.
    pub fn statement_around(&self, at: usize) -> Range<usize> {
        let ends = |at: &usize| {
            let marks = [Punct::Semicolon, Punct::LBrace, Punct::RBrace];
            *at >= self.len() || marks.iter().any(|&mark| self.is(*at, mark))
        };
        let start = (0..at).rev().find(ends).map_or(0, |at| at + 1);
        start..(at..self.len()).find(ends).unwrap_or(self.len())
    }

    /// Whether the token is an assignment.
    pub fn assigns(&self, at: usize) -> bool {
        use Punct::*;
        matches!(
            self.kind(at),
            TokenKind::Punct(
                Eq | StarEq
                    | SlashEq
                    | PercentEq
                    | PlusEq
                    | MinusEq
                    | ShlEq
                    | ShrEq
                    | AmpEq
                    | CaretEq
                    | PipeEq
            )
        )
    }

    /// Whether the name there may get another value there.
    pub fn is_changed(&self, at: usize) -> bool {
        let steps = |at: usize| self.is(at, Punct::PlusPlus) || self.is(at, Punct::MinusMinus);
        self.assigns(at + 1)
            || steps(at + 1)
            || at > 0 && (steps(at - 1) || self.is_address(at - 1))
    }

    /// Whether the token is the operator that takes an address: nothing stands before it that has a value.
    fn is_address(&self, at: usize) -> bool {
        let valued = at > 0
            && matches!(
                self.kind(at - 1),
                TokenKind::Ident(_)
                    | TokenKind::Number(_)
                    | TokenKind::Char(_)
                    | TokenKind::String(_)
                    | TokenKind::Punct(Punct::RParen | Punct::RBracket)
            );
        self.is(at, Punct::Amp) && !valued
    }

    /// The whole number that tokens are, with a sign or in brackets.
    pub fn constant(&self, range: &Range<usize>) -> Option<i64> {
        if range.is_empty() {
            return None;
        }
        match self.kind(range.start) {
            TokenKind::Punct(Punct::LParen) if self.close(range.start) + 1 == range.end => {
                self.constant(&(range.start + 1..range.end - 1))
            }
            TokenKind::Punct(Punct::Minus) => {
                self.constant(&(range.start + 1..range.end))?.checked_neg()
            }
            TokenKind::Punct(Punct::Plus) => self.constant(&(range.start + 1..range.end)),
            TokenKind::Number(symbol) if range.len() == 1 => self.name(symbol).parse().ok(),
            _ => None,
        }
    }

    /// Whether the pragma there says that the iterations of the loop behind it are independent.
    pub fn is_independent(&self, at: usize) -> bool {
        let TokenKind::Pragma(number) = self.kind(at) else { return false };
        let body = self.lexed.pragmas[number as usize].body;
        self.between(body.start, body.end).trim() == super::super::LOOP
    }
}
