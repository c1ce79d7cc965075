//! Reading a line of a plan, token by token.

use gpuc_diagnostics::{Diagnostic, Place, codes};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Number(i64),
    Sign(char),
}

/// A line that is being read.
pub(super) struct Cursor<'a> {
    line: &'a str,
    start: Place,
    tokens: Vec<(Token, usize, usize)>,
    next: usize,
}

impl<'a> Cursor<'a> {
    /// The tokens of a line up to a comment. `start` is the place of its first byte.
    pub fn new(line: &'a str, start: Place) -> Result<Cursor<'a>, Diagnostic> {
        let mut c = Cursor { line, start, tokens: Vec::new(), next: 0 };
        let bytes = line.as_bytes();
        let part = |b: u8| {
            b.is_ascii_alphanumeric() || b >= 0x80 || matches!(b, b'_' | b'$' | b'@' | b'.')
        };
        let mut at = 0;
        while at < bytes.len() {
            let from = at;
            let token = match bytes[at] {
                b'#' => break,
                b if b.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                b if part(b) => {
                    while at < bytes.len() && part(bytes[at]) {
                        at += 1;
                    }
                    let word = &line[from..at];
                    match word.bytes().all(|b| b.is_ascii_digit()) {
                        true => Token::Number(word.parse().map_err(|_| {
                            c.error(&c.at(from, at), format!("{word} does not fit 64 bits"))
                        })?),
                        false => Token::Word(word.to_owned()),
                    }
                }
                b @ (b',' | b'(' | b')' | b'+' | b'-' | b'*' | b':' | b'?') => {
                    at += 1;
                    Token::Sign(char::from(b))
                }
                _ => {
                    let sign = line[from..].chars().next().unwrap_or('?');
                    let place = c.at(from, from + sign.len_utf8());
                    return Err(c.error(
                        &place,
                        format!("'{}' means nothing in a plan", sign.escape_default()),
                    ));
                }
            };
            c.tokens.push((token, from, at));
        }
        Ok(c)
    }

    fn at(&self, from: usize, to: usize) -> Place {
        let column = if self.start.column == 0 { 0 } else { self.start.column + from as u32 };
        Place { column, length: (to - from).max(1) as u32, ..self.start.clone() }
    }

    /// Where the next token stands.
    pub fn place(&self) -> Place {
        match self.tokens.get(self.next) {
            Some(&(_, from, to)) => self.at(from, to),
            None => {
                let end = self.tokens.last().map_or(0, |&(_, _, to)| to);
                self.at(end, end + 1)
            }
        }
    }

    /// Where all that the line says stands.
    pub fn whole(&self) -> Place {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(&(_, from, _)), Some(&(_, _, to))) => self.at(from, to),
            _ => self.at(0, self.line.len()),
        }
    }

    /// An error in the text.
    pub fn error(&self, at: &Place, text: impl Into<String>) -> Diagnostic {
        Diagnostic::error(text).code(codes::PLAN_TEXT).at(at.clone())
    }

    /// The error of another token than was expected.
    pub fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.tokens.get(self.next) {
            Some(&(_, from, to)) => format!("'{}'", &self.line[from..to]),
            None => "the end of the line".to_owned(),
        };
        self.error(&self.place(), format!("expected {what}, found {found}"))
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.next >= self.tokens.len()
    }

    /// Refuses what is left.
    pub fn done(&self) -> Result<(), Diagnostic> {
        if self.is_done() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }

    /// Takes a word if it comes next.
    pub fn eat(&mut self, word: &str) -> bool {
        let found =
            matches!(self.tokens.get(self.next), Some((Token::Word(next), ..)) if next == word);
        self.next += usize::from(found);
        found
    }

    /// Takes a sign if it comes next.
    pub fn eat_sign(&mut self, sign: char) -> bool {
        let found =
            matches!(self.tokens.get(self.next), Some((Token::Sign(next), ..)) if *next == sign);
        self.next += usize::from(found);
        found
    }

    /// A certain word.
    pub fn expect(&mut self, word: &str) -> Result<(), Diagnostic> {
        if self.eat(word) { Ok(()) } else { Err(self.expected(&format!("'{word}'"))) }
    }

    /// A certain sign.
    pub fn expect_sign(&mut self, sign: char) -> Result<(), Diagnostic> {
        if self.eat_sign(sign) { Ok(()) } else { Err(self.expected(&format!("'{sign}'"))) }
    }

    /// A name.
    pub fn name(&mut self, what: &str) -> Result<String, Diagnostic> {
        match self.tokens.get(self.next) {
            Some((Token::Word(name), ..)) => {
                let name = name.clone();
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A word as it stands, be it all digits.
    pub fn word(&mut self, what: &str) -> Result<String, Diagnostic> {
        match self.tokens.get(self.next) {
            Some(&(Token::Word(_) | Token::Number(_), from, to)) => {
                self.next += 1;
                Ok(self.line[from..to].to_owned())
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A number.
    pub fn number(&mut self) -> Result<i64, Diagnostic> {
        let negative = self.eat_sign('-');
        match self.tokens.get(self.next) {
            Some(&(Token::Number(number), ..)) => {
                self.next += 1;
                Ok(if negative { -number } else { number })
            }
            _ => Err(self.expected("a number")),
        }
    }

    /// A number from 1 to `most`.
    pub fn positive(&mut self, what: &str, most: i64) -> Result<i64, Diagnostic> {
        let at = self.place();
        match self.number()? {
            number if number < 1 => {
                Err(self.error(&at, format!("{what} is {number}, and 1 is the least")))
            }
            number if number > most => {
                Err(self.error(&at, format!("{what} is {number}, and {most} is the most")))
            }
            number => Ok(number),
        }
    }

    /// A number that variables may be multiplied by, so that no sum of them leaves 64 bits.
    pub fn factor(&mut self) -> Result<i64, Diagnostic> {
        let at = self.place();
        let most = i64::from(i32::MAX);
        match self.number()? {
            number if number.abs() <= most => Ok(number),
            number => Err(self.error(&at, format!("{number} is too large: {most} is the most"))),
        }
    }

    /// Names with commas between them.
    pub fn names(&mut self, what: &str) -> Result<Vec<String>, Diagnostic> {
        let mut names = vec![self.name(what)?];
        while self.eat_sign(',') {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Takes a token.
    pub fn skip(&mut self) {
        self.next += 1;
    }

    /// The word that comes next.
    pub fn peek_word(&self) -> Option<&str> {
        match self.tokens.get(self.next) {
            Some((Token::Word(word), ..)) => Some(word),
            _ => None,
        }
    }
}
