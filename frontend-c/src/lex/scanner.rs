//! The scanner: one token after the other, of a text or of a part of it.

use super::literal::with_escapes;
use super::token::{Punct, Token, TokenKind, intern_keywords, keyword_of};
use crate::source::Span;
use crate::symbol::Interner;

/// Scans tokens from `at` on.
pub struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    symbols: &'a mut Interner,
    /// Symbols below are reserved words.
    reserved: u32,
    /// Whether only blanks stand between the last newline and here.
    line_start: bool,
    /// Unfinished literals, with what to say of them.
    pub problems: Vec<(Span, &'static str)>,
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn continues_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit()
}

impl<'a> Scanner<'a> {
    /// A scanner of `text` from `at` on.
    pub fn new(text: &'a [u8], at: usize, symbols: &'a mut Interner) -> Self {
        let reserved = intern_keywords(symbols);
        Scanner { text, at, symbols, reserved, line_start: true, problems: Vec::new() }
    }

    /// The byte here; 0 at the end.
    pub fn peek_byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks, newlines and comments; whether what follows is the first of its line.
    pub fn skip_blanks(&mut self) -> bool {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => self.line_start = true,
                b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' => {}
                b'\\' if self.byte(1) == b'\n' => self.at += 1,
                b'/' if self.byte(1) == b'/' => {
                    while !matches!(self.peek_byte(), b'\n' | 0) {
                        self.at += 1;
                    }
                    continue;
                }
                b'/' if self.byte(1) == b'*' => {
                    let start = self.at;
                    match self.text[start + 2..].windows(2).position(|w| w == b"*/") {
                        Some(length) => self.at += length + 4,
                        None => {
                            self.at = self.text.len();
                            let span = Span::new(start as u32, start as u32 + 2);
                            self.problems.push((span, "this comment has no closing `*/`"));
                        }
                    }
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        self.line_start
    }

    /// Takes the rest of the line, with lines continued by a backslash.
    pub fn take_line(&mut self) -> Span {
        let start = self.at;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => break,
                b'\\' if self.byte(1) == b'\n' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.text.len());
        Span::new(start as u32, self.at as u32)
    }

    /// The next token; [`TokenKind::Eof`] at the end of the text.
    pub fn token(&mut self) -> Token {
        self.skip_blanks();
        self.line_start = false;
        let start = self.at;
        let byte = self.peek_byte();
        let kind = if start >= self.text.len() {
            TokenKind::Eof
        } else if starts_word(byte) || self.universal_name().is_some() {
            self.word()
        } else if byte.is_ascii_digit() || byte == b'.' && self.byte(1).is_ascii_digit() {
            self.number()
        } else if byte == b'"' || byte == b'\'' {
            self.quoted(start, byte)
        } else if let Some((punct, length)) = Punct::lex(&self.text[start..]) {
            self.at += length;
            TokenKind::Punct(punct)
        } else {
            self.at += 1;
            TokenKind::Unknown(byte)
        };
        Token { kind, span: Span::new(start as u32, self.at as u32) }
    }

    fn spelling(&mut self, start: usize) -> crate::symbol::Symbol {
        let text = with_escapes(&self.text[start..self.at]);
        self.symbols.intern(&text)
    }

    /// A character named by its code (`\u00e9`), with the length of the name.
    fn universal_name(&self) -> Option<(char, usize)> {
        let digits = match (self.peek_byte(), self.byte(1)) {
            (b'\\', b'u') => 4,
            (b'\\', b'U') => 8,
            _ => return None,
        };
        let code = self.text.get(self.at + 2..self.at + 2 + digits)?;
        let code = u32::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok()?;
        char::from_u32(code).map(|c| (c, digits + 2))
    }

    /// A word with named characters in it is the same as one with the characters themselves.
    fn universal_word(&mut self, start: usize) -> TokenKind {
        let mut text = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        loop {
            if let Some((c, length)) = self.universal_name() {
                text.push(c);
                self.at += length;
            } else if continues_word(self.peek_byte()) {
                text.push(self.peek_byte() as char);
                self.at += 1;
            } else {
                return TokenKind::Ident(self.symbols.intern(&text));
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        while continues_word(self.peek_byte()) {
            self.at += 1;
        }
        if self.universal_name().is_some() {
            return self.universal_word(start);
        }
        let quote = self.peek_byte();
        if matches!(quote, b'"' | b'\'')
            && matches!(&self.text[start..self.at], b"L" | b"u" | b"U" | b"u8")
        {
            return self.quoted(start, quote);
        }
        if quote == b'"'
            && let Some(prefix) = self.text[start..self.at].strip_suffix(b"R")
            && matches!(prefix, b"" | b"L" | b"u" | b"U" | b"u8")
        {
            return self.raw_string(start, prefix.len());
        }
        let symbol = self.spelling(start);
        match keyword_of(symbol) {
            Some(keyword) if symbol.0 < self.reserved => TokenKind::Keyword(keyword),
            _ => TokenKind::Ident(symbol),
        }
    }

    /// A preprocessing number: exponent signs and C23's digit separators belong to it.
    fn number(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        loop {
            let byte = self.peek_byte();
            if matches!(byte, b'+' | b'-') {
                if !matches!(self.text[self.at - 1], b'e' | b'E' | b'p' | b'P') {
                    break;
                }
                // `0xe+1` is one preprocessing number, but never a valid token: C wants it refused.
            } else if byte == b'\'' {
                if !continues_word(self.byte(1)) {
                    break;
                }
            } else if !continues_word(byte) && byte != b'.' {
                break;
            }
            self.at += 1;
        }
        TokenKind::Number(self.spelling(start))
    }

    /// GNU C's `R"x(text)x"` from its quote on, as the literal of the same text with escapes.
    fn raw_string(&mut self, start: usize, prefix: usize) -> TokenKind {
        let rest = &self.text[self.at + 1..];
        let is_mark =
            |byte: &u8| !matches!(byte, b'(' | b')' | b'\\' | b' ' | b'\t'..=b'\r' | b'"');
        let mark = &rest[..rest.iter().take_while(|byte| is_mark(byte)).count()];
        let end = [&b")"[..], mark, b"\""].concat();
        let inside = rest[mark.len()..].strip_prefix(b"(").filter(|_| mark.len() <= 16);
        let length = inside.and_then(|text| text.windows(end.len()).position(|part| part == end));
        let (Some(inside), Some(length)) = (inside, length) else {
            let span = Span::new(start as u32, self.at as u32 + 1);
            self.problems
                .push((span, "this raw string literal is not closed, by its mark and a quote"));
            self.at = self.text.len();
            return TokenKind::String(self.symbols.intern("\"\""));
        };
        let mut text = self.text[start..start + prefix].to_vec();
        text.push(b'"');
        for &byte in &inside[..length] {
            match byte {
                b'\n' => text.extend_from_slice(b"\\n"),
                b'\\' | b'"' => text.extend_from_slice(&[b'\\', byte]),
                _ => text.push(byte),
            }
        }
        text.push(b'"');
        self.at += 1 + mark.len() + 1 + length + end.len();
        TokenKind::String(self.symbols.intern(&with_escapes(&text)))
    }

    fn quoted(&mut self, start: usize, quote: u8) -> TokenKind {
        self.at += 1;
        loop {
            match self.peek_byte() {
                b'\n' | 0 => {
                    let message = if quote == b'"' {
                        "this string literal has no closing `\"`"
                    } else {
                        "this character constant has no closing `'`"
                    };
                    self.problems.push((Span::new(start as u32, self.at as u32), message));
                    break;
                }
                b'\\' if self.at + 1 < self.text.len() => self.at += 2,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        let symbol = self.spelling(start);
        if quote == b'"' { TokenKind::String(symbol) } else { TokenKind::Char(symbol) }
    }
}
