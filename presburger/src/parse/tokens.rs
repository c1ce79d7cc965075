//! The words of the notation.

use crate::error::{Error, Result};

/// One word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A name or a keyword.
    Word(&'a str),
    /// A number.
    Number(i64),
    /// Punctuation or an operator.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// Longer ones first.
const SYMBOLS: [&str; 22] = [
    "->", "<=", ">=", "!=", "==", "{", "}", "[", "]", "(", ")", ",", ";", ":", "<", ">", "=", "+",
    "-", "*", "/", "%",
];

/// A text cut into words, read from the front.
pub(crate) struct Tokens<'a> {
    list: Vec<(usize, Token<'a>)>,
    position: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self> {
        let mut list = Vec::new();
        let mut offset = 0;
        loop {
            let rest = &text[offset..];
            let trimmed = rest.trim_start();
            offset += rest.len() - trimmed.len();
            let Some(first) = trimmed.chars().next() else { break };
            let span =
                |accept: fn(char) -> bool| trimmed.find(|c| !accept(c)).unwrap_or(trimmed.len());
            let (length, token) = if first.is_ascii_digit() {
                let length = span(|c| c.is_ascii_digit());
                let number = trimmed[..length].parse().map_err(|_| Error::Parse {
                    offset,
                    message: "the number does not fit into 64 bits".into(),
                })?;
                (length, Token::Number(number))
            } else if first.is_alphabetic() || first == '_' {
                let length = span(|c| c.is_alphanumeric() || c == '_' || c == '\'');
                (length, Token::Word(&trimmed[..length]))
            } else if let Some(symbol) =
                SYMBOLS.into_iter().find(|symbol| trimmed.starts_with(symbol))
            {
                (symbol.len(), Token::Symbol(symbol))
            } else {
                return Err(Error::Parse {
                    offset,
                    message: format!("unexpected character `{first}`"),
                });
            };
            list.push((offset, token));
            offset += length;
        }
        list.push((text.len(), Token::End));
        Ok(Self { list, position: 0 })
    }

    pub(crate) fn peek(&self) -> Token<'a> {
        self.list.get(self.position).map_or(Token::End, |entry| entry.1)
    }

    /// Where the next word starts.
    pub(crate) fn offset(&self) -> usize {
        self.list.get(self.position).map_or(0, |entry| entry.0)
    }

    pub(crate) fn advance(&mut self) {
        // The end stays the last word for ever.
        self.position = (self.position + 1).min(self.list.len() - 1);
    }

    pub(crate) fn accept(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn accept_name(&mut self) -> Option<&'a str> {
        let Token::Word(word) = self.peek() else { return None };
        self.advance();
        Some(word)
    }

    pub(crate) fn expect(&mut self, token: Token<'_>) -> Result<()> {
        if self.accept(token) {
            return Ok(());
        }
        Err(self.error(match token {
            Token::Symbol(symbol) => format!("`{symbol}` was expected"),
            Token::Word(word) => format!("`{word}` was expected"),
            Token::Number(number) => format!("`{number}` was expected"),
            Token::End => "nothing more was expected".to_owned(),
        }))
    }

    /// An error at the next word.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::Parse { offset: self.offset(), message: message.into() }
    }
}
