//! Characters to tokens.

use gpuc_diagnostics::Diagnostic;

use super::{SourceText, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TokenKind<'a> {
    /// A name, with its leading `%` or `$` if any.
    Word(&'a str),
    /// A directive or modifier, without its dot (`L2::128B` is one).
    Dot(&'a str),
    /// An integer literal.
    Int(u64),
    /// A single-precision literal by its bits (`0f3F800000`).
    F32(u32),
    /// A double-precision literal (`0d...`, `1.5`) by its bits, with its text.
    F64(u64, &'a str),
    /// A string, without its quotes.
    Text(&'a str),
    /// Any other character.
    Sign(char),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind<'a>,
    pub(crate) span: Span,
}

/// Classes of bytes.
const SPACE: u8 = 1;
const WORD: u8 = 2;
const DIGIT: u8 = 4;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => SPACE,
            b'0'..=b'9' => WORD | DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => WORD,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

/// Makes tokens one after another: all of them together would take ten times the memory of the text.
pub(crate) struct Lexer<'a, 's> {
    source: &'s SourceText<'a>,
    pub(super) at: usize,
    /// What is wrong before this byte was told.
    told: usize,
}

impl<'a, 's> Lexer<'a, 's> {
    pub(crate) fn new(source: &'s SourceText<'a>) -> Lexer<'a, 's> {
        Lexer { source, at: 0, told: 0 }
    }

    /// Begins at a byte of a text that was read before up to `told`.
    pub(crate) fn again(source: &'s SourceText<'a>, at: usize, told: usize) -> Lexer<'a, 's> {
        Lexer { source, at, told }
    }

    #[cold]
    fn error(&self, errors: &mut Vec<Diagnostic>, message: String, (start, end): (usize, usize)) {
        if start >= self.told {
            let span = Span { start: start as u32, length: (end - start) as u32 };
            errors.push(Diagnostic::error(message).at(self.source.place(span)));
        }
    }

    /// The end of the word that goes on at a byte.
    #[inline]
    fn run(bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        while at < bytes.len() && is(bytes[at], WORD) {
            at += 1;
        }
        at
    }

    /// The next token, [`TokenKind::End`] behind the last one; errors are added to `errors`.
    pub(crate) fn token(&mut self, errors: &mut Vec<Diagnostic>) -> Token<'a> {
        let text = self.source.text;
        let bytes = text.as_bytes();
        let mut at = self.at;
        let (start, kind) = loop {
            let Some(&byte) = bytes.get(at) else { break (at, TokenKind::End) };
            if is(byte, SPACE) {
                at += 1;
                continue;
            }
            let start = at;
            if is(byte, WORD) && !is(byte, DIGIT) {
                at = Self::run(bytes, at + 1);
                break (start, TokenKind::Word(&text[start..at]));
            }
            let next = bytes.get(at + 1).copied().unwrap_or(0);
            let line_end = |from: usize| {
                bytes[from..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| from + n)
            };
            let kind = match byte {
                b'%' if is(next, WORD) => {
                    at = Self::run(bytes, at + 1);
                    TokenKind::Word(&text[start..at])
                }
                b'.' if is(next, WORD) => {
                    at = Self::run(bytes, at + 1);
                    while bytes[at..].starts_with(b"::")
                        && bytes.get(at + 2).is_some_and(|&b| is(b, WORD))
                    {
                        at = Self::run(bytes, at + 2);
                    }
                    TokenKind::Dot(&text[start + 1..at])
                }
                b'0'..=b'9' => {
                    at = number_end(bytes, at);
                    match number(&text[start..at]) {
                        Ok(kind) => kind,
                        Err(message) => {
                            let message = format!("{message} `{}`", &text[start..at]);
                            self.error(errors, message, (start, at));
                            TokenKind::Int(0)
                        }
                    }
                }
                // Comments, and line markers of a preprocessor.
                b'#' => {
                    at = line_end(at);
                    continue;
                }
                b'/' if next == b'/' => {
                    at = line_end(at);
                    continue;
                }
                b'/' if next == b'*' => {
                    at = match text[at + 2..].find("*/") {
                        Some(length) => at + 2 + length + 2,
                        None => {
                            let message = "comment without an end".into();
                            self.error(errors, message, (start, at + 2));
                            bytes.len()
                        }
                    };
                    continue;
                }
                b'"' => {
                    let end = bytes[at + 1..].iter().position(|&b| b == b'"' || b == b'\n');
                    let end = end.map_or(bytes.len(), |n| at + 1 + n);
                    if bytes.get(end) != Some(&b'"') {
                        let message = "string without an end on its line".into();
                        self.error(errors, message, (start, at + 1));
                    }
                    at = (end + 1).min(bytes.len());
                    TokenKind::Text(&text[start + 1..end])
                }
                0..0x80 => {
                    at += 1;
                    TokenKind::Sign(byte as char)
                }
                _ => {
                    let sign = text[at..].chars().next().unwrap_or(' ');
                    at += sign.len_utf8();
                    TokenKind::Sign(sign)
                }
            };
            break (start, kind);
        };
        self.at = at;
        Token { kind, span: Span { start: start as u32, length: (at - start) as u32 } }
    }
}

/// Where the number that starts at `at` ends: letters belong to it, a point followed by a digit
/// too, and a sign after a decimal exponent.
fn number_end(bytes: &[u8], at: usize) -> usize {
    let prefixed = bytes[at] == b'0' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
    let mut end = at;
    while let Some(&byte) = bytes.get(end) {
        let digit_follows = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        let exponent = end > at && matches!(bytes[end - 1], b'e' | b'E');
        match byte {
            b if b.is_ascii_alphanumeric() => end += 1,
            b'.' if !prefixed && digit_follows => end += 1,
            b'+' | b'-' if !prefixed && exponent && digit_follows => end += 1,
            _ => break,
        }
    }
    end
}

fn number(text: &str) -> Result<TokenKind<'_>, &'static str> {
    let digits = text.trim_end_matches('U');
    let radix = |digits: &str, radix| {
        u64::from_str_radix(digits, radix)
            .map(TokenKind::Int)
            .map_err(|_| "malformed integer literal")
    };
    let hex = |digits: &str, count: usize| {
        if digits.len() == count { u64::from_str_radix(digits, 16).ok() } else { None }
    };
    match digits.get(..2) {
        Some("0x" | "0X") => radix(&digits[2..], 16),
        Some("0b" | "0B") => radix(&digits[2..], 2),
        Some("0f" | "0F") => hex(&text[2..], 8)
            .map(|bits| TokenKind::F32(bits as u32))
            .ok_or("a single-precision literal has eight hexadecimal digits, not as in"),
        Some("0d" | "0D") => hex(&text[2..], 16)
            .map(|bits| TokenKind::F64(bits, text))
            .ok_or("a double-precision literal has sixteen hexadecimal digits, not as in"),
        _ if digits.contains(['.', 'e', 'E']) => digits
            .parse::<f64>()
            .map(|value| TokenKind::F64(value.to_bits(), text))
            .map_err(|_| "malformed number"),
        _ if digits.len() > 1 && digits.starts_with('0') => radix(&digits[1..], 8),
        _ => radix(digits, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All tokens, with the end.
    fn tokens<'a>(source: &SourceText<'a>, errors: &mut Vec<Diagnostic>) -> Vec<TokenKind<'a>> {
        let mut lexer = Lexer::new(source);
        let mut out = Vec::new();
        while out.last() != Some(&TokenKind::End) {
            out.push(lexer.token(errors).kind);
        }
        assert_eq!(lexer.token(errors).kind, TokenKind::End);
        out
    }

    fn kinds(text: &str) -> Vec<TokenKind<'_>> {
        let mut errors = Vec::new();
        let source = SourceText::new(text, "t.ptx");
        let kinds = tokens(&source, &mut errors);
        assert!(errors.is_empty(), "{errors:?}");
        kinds
    }

    #[test]
    fn words_modifiers_and_literals() {
        use TokenKind::*;
        assert_eq!(
            kinds("ld.global.L2::128B.f32 %f1, [%rd1+-4]; // end\n/* x */ @!%p1 bra $L_2;"),
            [
                Word("ld"),
                Dot("global"),
                Dot("L2::128B"),
                Dot("f32"),
                Word("%f1"),
                Sign(','),
                Sign('['),
                Word("%rd1"),
                Sign('+'),
                Sign('-'),
                Int(4),
                Sign(']'),
                Sign(';'),
                Sign('@'),
                Sign('!'),
                Word("%p1"),
                Word("bra"),
                Word("$L_2"),
                Sign(';'),
                End
            ]
        );
        assert_eq!(
            kinds("0x1F 0b101 017 42U 0f3f800000 0d3ff0000000000000 1.5 2e3 0xffffffffffffffff"),
            [
                Int(31),
                Int(5),
                Int(15),
                Int(42),
                F32(0x3f80_0000),
                F64(0x3ff0_0000_0000_0000, "0d3ff0000000000000"),
                F64(1.5f64.to_bits(), "1.5"),
                F64(2000f64.to_bits(), "2e3"),
                Int(u64::MAX),
                End
            ]
        );
    }

    #[test]
    fn bad_literals_are_located() {
        let mut errors = Vec::new();
        let source = SourceText::new("a\n 0f12 99999999999999999999 \"x\n", "t.ptx");
        tokens(&source, &mut errors);
        let places: Vec<_> =
            errors.iter().map(|e| e.place.as_ref().map(|p| (p.line, p.column))).collect();
        assert_eq!(places, [Some((2, 2)), Some((2, 7)), Some((2, 28))]);
    }
}
