//! Tokens of MLIR's textual form, made on demand from bytes, without allocation.

/// What a token is. Punctuation is told apart by its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// End of the text.
    Eof,
    /// Something that is no token; the lexer holds the reason.
    Error,
    /// `name`, `dialect.name`.
    Bare,
    /// `@name` or `@"name"`.
    At,
    /// `#name`.
    Hash,
    /// `%name`.
    Percent,
    /// `^name`.
    Caret,
    /// `!name`.
    Exclaim,
    /// `42`, `0xFF`.
    Integer,
    /// `4.2e1`.
    Float,
    /// `"text"`.
    String,
    /// Everything else.
    Punctuation,
}

/// A token: its kind and where it stands in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

/// Makes tokens. Knows the line it is in, so that asking for a location costs nothing.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'s> {
    pub text: &'s str,
    /// Where the next token is looked for.
    pub at: u32,
    /// Line of the last token, from 1.
    pub line: u32,
    /// Offset of the first byte of that line.
    pub line_start: u32,
    /// Why the last token was an error.
    pub problem: &'static str,
}

fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

fn is_suffix(byte: u8) -> bool {
    is_bare(byte) || byte == b'-'
}

impl<'s> Lexer<'s> {
    pub fn new(text: &'s str, first_line: u32) -> Self {
        Lexer { text, at: 0, line: first_line, line_start: 0, problem: "" }
    }

    /// The byte at `at`; 0 behind the end.
    pub fn byte(&self, at: u32) -> u8 {
        self.text.as_bytes().get(at as usize).copied().unwrap_or(0)
    }

    /// Goes on at `at`, counting the lines passed on the way there.
    pub fn advance_to(&mut self, at: u32) {
        let passed = &self.text.as_bytes()[self.at.min(at) as usize..at as usize];
        for (offset, _) in passed.iter().enumerate().filter(|&(_, &byte)| byte == b'\n') {
            self.line += 1;
            self.line_start = self.at.min(at) + offset as u32 + 1;
        }
        self.at = at;
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = self.at as usize;
        loop {
            match bytes.get(at) {
                Some(b' ' | b'\t' | b'\r' | 0) => at += 1,
                Some(b'\n') => {
                    at += 1;
                    self.line += 1;
                    self.line_start = at as u32;
                }
                Some(b'/') if bytes.get(at + 1) == Some(&b'/') => {
                    while bytes.get(at).is_some_and(|&byte| byte != b'\n') {
                        at += 1;
                    }
                }
                _ => break,
            }
        }
        self.at = at as u32;
    }

    fn run(&self, mut at: u32, accept: fn(u8) -> bool) -> u32 {
        let bytes = self.text.as_bytes();
        while bytes.get(at as usize).is_some_and(|&byte| accept(byte)) {
            at += 1;
        }
        at
    }

    fn error(&mut self, start: u32, end: u32, problem: &'static str) -> Token {
        self.problem = problem;
        self.at = end;
        Token { kind: TokenKind::Error, start, end }
    }

    /// The next token.
    pub fn next(&mut self) -> Token {
        self.skip_blank();
        let start = self.at;
        let (kind, end) = match self.byte(start) {
            0 if start as usize >= self.text.len() => (TokenKind::Eof, start),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => (TokenKind::Bare, self.run(start + 1, is_bare)),
            b'0'..=b'9' => self.number(start),
            b'%' => return self.prefixed(start, TokenKind::Percent, "invalid SSA name"),
            b'#' if self.text[start as usize..].starts_with("#-}") => {
                (TokenKind::Punctuation, start + 3)
            }
            b'#' => return self.prefixed(start, TokenKind::Hash, "invalid attribute name"),
            b'!' => return self.prefixed(start, TokenKind::Exclaim, "invalid type name"),
            b'^' => return self.prefixed(start, TokenKind::Caret, "invalid block name"),
            b'@' => return self.symbol(start),
            b'"' => return self.string(start, start, TokenKind::String),
            b'-' if self.byte(start + 1) == b'>' => (TokenKind::Punctuation, start + 2),
            b':' if self.byte(start + 1) == b':' => (TokenKind::Punctuation, start + 2),
            b'.' if self.text[start as usize..].starts_with("...") => {
                (TokenKind::Punctuation, start + 3)
            }
            b'{' if self.text[start as usize..].starts_with("{-#") => {
                (TokenKind::Punctuation, start + 3)
            }
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b':' | b'=' | b'+'
            | b'-' | b'*' | b'?' | b'/' | b'|' => (TokenKind::Punctuation, start + 1),
            _ => {
                let length = self.text[start as usize..].chars().next().map_or(1, char::len_utf8);
                return self.error(start, start + length as u32, "unexpected character");
            }
        };
        self.at = end;
        Token { kind, start, end }
    }

    fn number(&self, start: u32) -> (TokenKind, u32) {
        if self.byte(start) == b'0'
            && self.byte(start + 1) == b'x'
            && self.byte(start + 2).is_ascii_hexdigit()
        {
            return (TokenKind::Integer, self.run(start + 2, |b| b.is_ascii_hexdigit()));
        }
        let digits = |at| self.run(at, |b: u8| b.is_ascii_digit());
        let mut end = digits(start);
        if self.byte(end) != b'.' {
            return (TokenKind::Integer, end);
        }
        end = digits(end + 1);
        if matches!(self.byte(end), b'e' | b'E') {
            let sign = u32::from(matches!(self.byte(end + 1), b'+' | b'-'));
            if self.byte(end + 1 + sign).is_ascii_digit() {
                end = digits(end + 1 + sign);
            }
        }
        (TokenKind::Float, end)
    }

    fn prefixed(&mut self, start: u32, kind: TokenKind, problem: &'static str) -> Token {
        let first = self.byte(start + 1);
        let end = if first.is_ascii_digit() {
            self.run(start + 1, |b| b.is_ascii_digit())
        } else {
            self.run(start + 1, is_suffix)
        };
        if end == start + 1 {
            return self.error(start, end, problem);
        }
        self.at = end;
        Token { kind, start, end }
    }

    fn symbol(&mut self, start: u32) -> Token {
        match self.byte(start + 1) {
            b'"' => self.string(start, start + 1, TokenKind::At),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.at = self.run(start + 2, is_bare);
                Token { kind: TokenKind::At, start, end: self.at }
            }
            _ => self.error(start, start + 1, "@ identifier expected to start with letter or '_'"),
        }
    }

    fn string(&mut self, start: u32, quote: u32, kind: TokenKind) -> Token {
        let mut at = quote + 1;
        loop {
            match self.byte(at) {
                b'"' => break,
                b'\\' if at as usize + 1 < self.text.len() && self.byte(at + 1) != b'\n' => at += 2,
                b'\n' => return self.error(start, quote + 1, "expected '\"' in string literal"),
                0 if at as usize >= self.text.len() => {
                    return self.error(start, quote + 1, "expected '\"' in string literal");
                }
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Token { kind, start, end: self.at }
    }
}

/// Whether a name can stand without quotes behind `@` or as a key of a dictionary.
pub(super) fn is_bare_identifier(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes.first(), Some(b'a'..=b'z' | b'A'..=b'Z' | b'_'))
        && bytes.iter().all(|&byte| is_bare(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        let text = "%a#1 = \"x.y\"(!t.u<) @f @\"g h\" ^bb0 4x 0x1F 1.5e-3 -> :: // c\n ... é";
        let mut lexer = Lexer::new(text, 1);
        let mut seen = Vec::new();
        loop {
            let token = lexer.next();
            seen.push(format!(
                "{:?} {}",
                token.kind,
                &text[token.start as usize..token.end as usize]
            ));
            if token.kind == TokenKind::Eof {
                break;
            }
        }
        let expected = [
            "Percent %a",
            "Hash #1",
            "Punctuation =",
            "String \"x.y\"",
            "Punctuation (",
            "Exclaim !t.u",
            "Punctuation <",
            "Punctuation )",
            "At @f",
            "At @\"g h\"",
            "Caret ^bb0",
            "Integer 4",
            "Bare x",
            "Integer 0x1F",
            "Float 1.5e-3",
            "Punctuation ->",
            "Punctuation ::",
            "Punctuation ...",
            "Error é",
            "Eof ",
        ];
        assert_eq!(seen, expected);
        assert_eq!(lexer.line, 2);
    }
}
