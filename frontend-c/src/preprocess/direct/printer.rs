//! The text that comes out, as GCC's `-E -dD` writes it.

use super::Spellings;
use super::token::{BLANK, HASH, Kind, Origin, Token};

/// The text so far and where it stands.
#[derive(Debug)]
pub(super) struct Printer {
    pub out: Vec<u8>,
    /// The line of the file that the next line of the text is.
    pub line: u32,
    /// Whether the last line of the text is not ended.
    has_begun: bool,
    /// The kind and text of the last token of the line.
    last: Option<Token>,
    /// The blank of what padding stands for; no padding so far, padding for nothing, padding for a token.
    source: Option<bool>,
    is_padded: bool,
    last_was_system: bool,
    has_marked: bool,
    pub in_pragma: bool,
    /// `"file"`.
    file: Vec<u8>,
    origin: Origin,
}

impl Printer {
    /// Behind `ahead`, at the first line of a file.
    pub fn new(ahead: &[u8], file: &str) -> Printer {
        let mut out = Vec::with_capacity(1 << 18);
        out.extend_from_slice(ahead);
        Printer {
            out,
            line: 1,
            has_begun: false,
            last: None,
            source: None,
            is_padded: false,
            last_was_system: false,
            has_marked: false,
            in_pragma: false,
            file: quoted_name(file),
            origin: Origin::User,
        }
    }

    /// The file that lines are of from now on.
    pub fn set_file(&mut self, name: &str, origin: Origin) {
        self.file = quoted_name(name);
        self.origin = origin;
    }

    /// A marker: what follows is `line` of the file; `reason` says that it is entered or left.
    pub fn mark(&mut self, line: u32, reason: &str) {
        self.mark_as(line, reason, self.origin);
    }

    fn mark_as(&mut self, line: u32, reason: &str, origin: Origin) {
        self.end_line();
        self.line = line;
        self.out.extend_from_slice(b"# ");
        self.out.extend_from_slice(line.to_string().as_bytes());
        self.out.push(b' ');
        self.out.extend_from_slice(&self.file);
        self.out.extend_from_slice(reason.as_bytes());
        self.out.extend_from_slice(origin.flags().as_bytes());
        self.out.push(b'\n');
    }

    /// Goes on at a line of the file with a text that something else may stand ahead of.
    pub fn begin_again(&mut self, line: u32) {
        self.end_line();
        (self.last, self.source, self.is_padded) = (None, None, false);
        (self.last_was_system, self.has_marked) = (false, false);
        self.mark(line, "");
    }

    fn end_line(&mut self) {
        if self.has_begun {
            self.out.push(b'\n');
            self.has_begun = false;
        }
    }

    /// Goes to a line of the file. Whether that took a marker.
    pub fn go_to(&mut self, line: u32) -> bool {
        self.go_to_as(line, self.origin)
    }

    fn go_to_as(&mut self, line: u32, origin: Origin) -> bool {
        if self.has_begun {
            self.line += 1;
            self.end_line();
        }
        if line >= self.line && line < self.line + 8 {
            self.out.resize(self.out.len() + (line - self.line) as usize, b'\n');
            self.line = line;
            return false;
        }
        self.mark_as(line, "", origin);
        true
    }

    /// Goes to a token's line, and to its column.
    pub fn go_to_token(&mut self, token: &Token) -> bool {
        let marked = self.go_to_as(token.line, token.origin);
        self.last = None;
        self.source = None;
        self.has_begun = true;
        let blanks = (token.column as usize).saturating_sub(2);
        self.out.resize(self.out.len() + blanks, b' ');
        marked
    }

    /// A directive of its own line, which is written by `write`.
    pub fn directive(&mut self, line: u32, text: &[u8]) {
        self.go_to(line);
        self.out.extend_from_slice(text);
        self.has_begun = false;
    }

    /// Ends the line that [`Printer::directive`] began.
    pub fn end_directive(&mut self) {
        self.out.push(b'\n');
        self.line += 1;
    }

    pub fn finish(&mut self) {
        self.end_line();
    }

    /// The next token of the expanded text.
    pub fn token(&mut self, token: &Token, spellings: &Spellings) {
        if let Kind::Padding(of) = token.kind {
            // Until there is one that stands for a token.
            if self.source.is_none_or(|blank| !blank && of.is_none()) {
                self.source = of;
            }
            self.is_padded = true;
            return;
        }
        let moves = token.line != self.line && !self.in_pragma;
        if self.is_padded {
            let blank = self.source.unwrap_or(token.has(BLANK));
            if moves {
                self.has_marked = self.go_to_token(token);
                self.out.push(b' ');
            } else if blank
                || self.last.is_some_and(|last| must_be_apart(&last, token, spellings))
                || (self.last.is_none() && token.is(HASH))
            {
                self.out.push(b' ');
                self.has_begun = true;
            }
        } else if token.has(BLANK) {
            if moves {
                self.has_marked = self.go_to_token(token);
            }
            self.out.push(b' ');
            self.has_begun = true;
        }
        self.is_padded = false;
        self.source = None;
        self.last = Some(*token);
        if token.kind == Kind::Pragma {
            self.has_marked = self.go_to_as(token.line, token.origin);
            self.out.extend_from_slice(b"#pragma ");
            self.out.extend_from_slice(spellings.text(token.spelling));
            self.has_begun = true;
            self.in_pragma = true;
            return;
        }
        let is_system = token.origin.is_system();
        if !self.in_pragma
            && !self.has_marked
            && self.last_was_system != is_system
            && token.origin != Origin::BuiltIn
        {
            self.go_to_token(token);
            self.last_was_system = is_system;
            self.last = Some(*token);
        }
        self.out.extend_from_slice(spellings.text(token.spelling));
        self.has_marked = false;
        self.has_begun = true;
    }

    /// The end of a pragma's line.
    pub fn end_pragma(&mut self, line: u32) {
        self.go_to(line);
        self.in_pragma = false;
        self.last = None;
    }
}

/// Whether two tokens would be read as others without a blank between (GCC's `cpp_avoid_paste`).
pub(super) fn must_be_apart(left: &Token, right: &Token, spellings: &Spellings) -> bool {
    let (a, b) = (spellings.text(left.spelling), spellings.text(right.spelling));
    let first = b.first().copied().unwrap_or(b' ');
    let is_word = |kind: Kind| matches!(kind, Kind::Name | Kind::Number);
    let right_kind = match right.kind {
        Kind::Parameter(_) => Kind::Name,
        kind => kind,
    };
    match left.kind {
        Kind::Mark => {
            let equals = matches!(b, b"=" | b"==");
            match a {
                b">" => equals || matches!(b, b">" | b">>" | b">=" | b">>="),
                b"<" => equals || matches!(b, b"<" | b"<<" | b"<=" | b"<<=" | b"%" | b":"),
                b"+" => equals || matches!(b, b"+" | b"++" | b"+="),
                b"-" => equals || matches!(b, b"-" | b"--" | b"-=" | b">" | b">>" | b">=" | b"->"),
                b"/" => equals || matches!(b, b"/" | b"*" | b"/=" | b"*="),
                b"%" => equals || matches!(b, b":" | b">"),
                b"&" => equals || matches!(b, b"&" | b"&&" | b"&="),
                b"|" => equals || matches!(b, b"|" | b"||" | b"|="),
                b":" => matches!(b, b":" | b">"),
                b"->" => b == b"*",
                b"." => matches!(b, b"." | b"...") || right_kind == Kind::Number,
                b"#" => matches!(b, b"#" | b"##"),
                b"=" | b"!" | b"*" | b"^" | b">>" | b"<<" => equals,
                _ => false,
            }
        }
        Kind::Name => is_word(right_kind) || matches!(right_kind, Kind::Character | Kind::String),
        Kind::Number => {
            is_word(right_kind)
                || (right_kind == Kind::Character)
                || matches!(first, b'.' | b'+' | b'-')
        }
        Kind::Other => a == b"\\" && right_kind == Kind::Name || (a == b"@" && is_word(right_kind)),
        _ => false,
    }
}

/// A file's name as a string literal.
pub(super) fn quoted_name(name: &str) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in name.bytes() {
        if byte == b'"' || byte == b'\\' {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
    out
}
