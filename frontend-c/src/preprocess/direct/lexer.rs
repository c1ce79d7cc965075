//! From a file's bytes to preprocessing tokens.

use std::rc::Rc;

use super::token::{BLANK, FIRST, Kind, Origin, Spellings, Token};
use super::{Answer, Leave};

/// A file without the ends of lines that go on in the next.
#[derive(Debug)]
pub(super) struct Text {
    pub bytes: Vec<u8>,
    /// Where lines were joined.
    pub joints: Vec<usize>,
}

impl Text {
    /// `None` where the compiler has something to say of the text, or reads it in another way: bytes of other
    /// systems and alphabets, and trigraphs, which are warned of.
    pub fn new(mut bytes: Vec<u8>, origin: Origin) -> Answer<Text> {
        if bytes.contains(&b'\r') {
            let lines = bytes.split(|&byte| byte == b'\n');
            let lines: Vec<&[u8]> = lines.map(|l| l.strip_suffix(b"\r").unwrap_or(l)).collect();
            bytes = lines.join(&b'\n');
        }
        if bytes.contains(&b'\r') || bytes.contains(&0) {
            return Err(Leave);
        }
        let warned_of = |part: &[u8]| match part {
            [b'?', b'?', ..] => part.get(2).is_some_and(|byte| b"=/'()!<>-".contains(byte)),
            // Marks that change the direction of writing.
            [0xe2, 0x80 | 0x81, ..] => part.get(2).is_none_or(|&byte| byte >= 0xa6),
            _ => false,
        };
        if origin == Origin::User && bytes.windows(3).any(warned_of) {
            return Err(Leave);
        }
        if !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
        let mut joints = Vec::new();
        if let Some(first) = bytes.iter().position(|&byte| byte == b'\\') {
            let mut joined = Vec::with_capacity(bytes.len());
            joined.extend_from_slice(&bytes[..first]);
            let mut at = first;
            while at < bytes.len() {
                match &bytes[at..] {
                    [b'\\', b'\n', ..] => {
                        joints.push(joined.len());
                        at += 2;
                    }
                    // Blanks between a backslash and the end of the line are warned of.
                    [b'\\', b' ' | b'\t', rest @ ..]
                        if rest.iter().find(|b| !b" \t".contains(b)) == Some(&b'\n') =>
                    {
                        return Err(Leave);
                    }
                    [_, rest @ ..] => {
                        let next = rest.iter().position(|&byte| byte == b'\\');
                        let length = 1 + next.unwrap_or(rest.len());
                        joined.extend_from_slice(&bytes[at..at + length]);
                        at += length;
                    }
                    [] => {}
                }
            }
            bytes = joined;
            if !bytes.ends_with(b"\n") {
                return Err(Leave);
            }
        }
        Ok(Text { bytes, joints })
    }
}

/// Where reading of a text is.
#[derive(Debug)]
pub(super) struct Lexer {
    text: Rc<Text>,
    at: usize,
    /// The next joint.
    joint: usize,
    pub line: u32,
    /// Where the line starts.
    base: usize,
    /// Whether nothing but blanks has been read of the line.
    is_fresh: bool,
    pub origin: Origin,
    /// The language has raw strings.
    pub has_raw: bool,
}

/// Where a lexer is, to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position(usize, usize, u32, usize, bool);

impl Lexer {
    pub fn new(text: Rc<Text>, origin: Origin) -> Lexer {
        Lexer { text, at: 0, joint: 0, line: 1, base: 0, is_fresh: true, origin, has_raw: false }
    }

    pub fn text(&self) -> &Rc<Text> {
        &self.text
    }

    pub fn position(&self) -> Position {
        Position(self.at, self.joint, self.line, self.base, self.is_fresh)
    }

    pub fn go_back(&mut self, to: Position) {
        Position(self.at, self.joint, self.line, self.base, self.is_fresh) = to;
    }

    /// The text from a position to where reading is.
    pub fn since(&self, start: Position) -> &[u8] {
        &self.text.bytes[start.0..self.at]
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.bytes.get(self.at + ahead).copied().unwrap_or(b'\n')
    }

    /// Counts the joined lines up to here.
    fn pass_joints(&mut self) {
        while let Some(&joint) = self.text.joints.get(self.joint)
            && joint <= self.at
        {
            self.line += 1;
            self.base = joint;
            self.joint += 1;
        }
    }

    fn pass_newline(&mut self) {
        self.pass_joints();
        self.at += 1;
        self.line += 1;
        self.base = self.at;
        self.is_fresh = true;
    }

    /// Behind a block comment whose `/*` is read. Whether it ends; a comment that begins in another is warned of.
    fn block_comment(&mut self) -> Answer<()> {
        let text = self.text.clone();
        loop {
            let rest = text.bytes.get(self.at..).unwrap_or_default();
            let known = rest.iter().position(|&byte| matches!(byte, b'*' | b'\n' | b'/'));
            self.at += known.ok_or(Leave)?;
            match &text.bytes[self.at..] {
                [b'*', b'/', ..] => {
                    self.at += 2;
                    return Ok(());
                }
                [b'/', b'*', rest @ ..]
                    if self.origin == Origin::User && rest.first() != Some(&b'/') =>
                {
                    return Err(Leave);
                }
                [b'\n', ..] => {
                    let fresh = self.is_fresh;
                    self.pass_newline();
                    self.is_fresh = fresh;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Behind a line comment whose `//` is read. One that goes on in the next line is warned of.
    fn line_comment(&mut self) -> Answer<()> {
        while self.byte(0) != b'\n' {
            self.at += 1;
        }
        let joined = self.text.joints.get(self.joint).is_some_and(|&joint| joint <= self.at);
        if joined && self.origin == Origin::User { Err(Leave) } else { Ok(()) }
    }

    /// Skips blanks and comments of the line; whether there were any.
    fn blanks(&mut self) -> Answer<bool> {
        let start = self.at;
        loop {
            self.pass_joints();
            match (self.byte(0), self.byte(1)) {
                (b' ' | b'\t' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'*') => {
                    self.at += 2;
                    self.block_comment()?;
                }
                (b'/', b'/') => {
                    self.at += 2;
                    self.line_comment()?;
                }
                _ => return Ok(self.at > start),
            }
        }
    }

    /// The next token; `Kind::End` where the line ends, if it is a directive's, or the file.
    pub fn token(&mut self, spellings: &mut Spellings, in_directive: bool) -> Answer<Token> {
        let mut flags = 0;
        loop {
            if self.blanks()? {
                flags |= BLANK;
            }
            if self.at >= self.text.bytes.len() {
                return Ok(Token::end(self.line));
            }
            if self.byte(0) != b'\n' {
                break;
            }
            if in_directive {
                return Ok(Token { flags, ..Token::end(self.line) });
            }
            self.pass_newline();
            flags = 0;
        }
        if self.is_fresh {
            flags |= FIRST;
            self.is_fresh = false;
        }
        let (line, column) = (self.line, (self.at - self.base) as u32 + 1);
        let start = self.at;
        let rest = &self.text.bytes[start..];
        let (kind, length) = match raw_string(rest).filter(|_| self.has_raw) {
            Some(length) => (Kind::String, length),
            None => scan(rest)?,
        };
        self.at += length;
        // A raw string has the backslash.
        let joined = |joint: &usize| *joint > start && *joint < start + length;
        if kind == Kind::String
            && self.has_raw
            && self.text.joints.iter().any(joined)
            && rest[0] != b'"'
        {
            return Err(Leave);
        }
        let spelling = spellings.number(&self.text.bytes[start..self.at]);
        Ok(Token { kind, flags, origin: self.origin, spelling, line, column })
    }

    /// What an `#include` names in angles, if that is what comes.
    pub fn header_name(&mut self) -> Answer<Option<Vec<u8>>> {
        self.blanks()?;
        if self.byte(0) != b'<' {
            return Ok(None);
        }
        let rest = &self.text.bytes[self.at + 1..];
        let end = rest.iter().position(|&byte| byte == b'>' || byte == b'\n').ok_or(Leave)?;
        if rest[end] == b'\n' {
            return Err(Leave);
        }
        let name = rest[..end].to_vec();
        self.at += end + 2;
        Ok(Some(name))
    }

    /// Goes to the end of the line, where the next begins.
    pub fn finish_line(&mut self) -> Answer<()> {
        loop {
            let rest = self.text.bytes.get(self.at..).unwrap_or_default();
            let plain = rest.iter().position(|byte| matches!(byte, b'\n' | b'/' | b'"' | b'\''));
            self.at += plain.unwrap_or(rest.len());
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    if self.at < self.text.bytes.len() {
                        self.pass_newline();
                    }
                    return Ok(());
                }
                (b'/', b'/' | b'*') => {
                    self.blanks()?;
                }
                (quote @ (b'"' | b'\''), _) => self.skip_quoted(quote)?,
                _ => self.at += 1,
            }
        }
    }

    fn skip_quoted(&mut self, quote: u8) -> Answer<()> {
        self.at += 1;
        loop {
            match self.byte(0) {
                // GCC warns of it, also in what is skipped, but for headers of the system.
                b'\n' if self.origin == Origin::User => return Err(Leave),
                b'\n' => return Ok(()),
                b'\\' if self.byte(1) != b'\n' => self.at += 2,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Goes over lines to the next that is a directive, behind its `#`; `false` where there is none.
    pub fn skip_to_directive(&mut self) -> Answer<bool> {
        loop {
            self.blanks()?;
            if self.at >= self.text.bytes.len() {
                return Ok(false);
            }
            if self.byte(0) == b'#' && self.is_fresh {
                self.at += 1;
                self.is_fresh = false;
                return Ok(true);
            }
            if self.byte(0) == b'%' && self.byte(1) == b':' {
                return Err(Leave);
            }
            self.finish_line()?;
        }
    }
}

/// Kind and length of the token at the start of a text.
pub(super) fn scan(text: &[u8]) -> Answer<(Kind, usize)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let at = |index: usize| text.get(index).copied().unwrap_or(b'\n');
    match text[0] {
        b'0'..=b'9' => Ok((Kind::Number, number(text)?)),
        b'.' if at(1).is_ascii_digit() => Ok((Kind::Number, number(text)?)),
        quote @ (b'"' | b'\'') => quoted(text, 0, quote),
        byte if is_word(byte) => {
            let length = text.iter().position(|&byte| !is_word(byte)).unwrap_or(text.len());
            // Identifiers of other alphabets.
            if at(length) >= 0x80 || at(length) == b'\\' && matches!(at(length + 1), b'u' | b'U') {
                return Err(Leave);
            }
            if matches!(&text[..length], b"L" | b"u" | b"U" | b"u8") {
                if let quote @ (b'"' | b'\'') = at(length) {
                    return quoted(text, length, quote);
                }
            } else if matches!(&text[..length], b"R" | b"LR" | b"uR" | b"UR" | b"u8R")
                && at(length) == b'"'
            {
                return Err(Leave);
            }
            Ok((Kind::Name, length))
        }
        _ => mark(text),
    }
}

/// The length of a raw string of one line at the start of a text. Those of several lines, in which a backslash at the end of
/// one has its own meaning, are the compiler's.
fn raw_string(text: &[u8]) -> Option<usize> {
    let prefix = text.iter().take(4).position(|&byte| byte == b'"')?;
    if !matches!(&text[..prefix], b"R" | b"LR" | b"uR" | b"UR" | b"u8R") {
        return None;
    }
    let rest = &text[prefix + 1..];
    let line = &rest[..rest.iter().position(|&byte| byte == b'\n')?];
    let mark = line.iter().position(|&byte| byte == b'(').filter(|&length| length <= 16)?;
    if line[..mark].iter().any(|byte| b")\\ \"\t\x0b\x0c".contains(byte)) {
        return None;
    }
    let end = [b")", &line[..mark], b"\""].concat();
    let inside = &line[mark + 1..];
    let length = inside.windows(end.len()).position(|part| part == end)?;
    Some(prefix + 1 + mark + 1 + length + end.len())
}

fn number(text: &[u8]) -> Answer<usize> {
    let mut length = 1;
    while let Some(&byte) = text.get(length) {
        let exponent = matches!(text[length - 1], b'e' | b'E' | b'p' | b'P');
        match byte {
            b'+' | b'-' if exponent => {}
            b'.' | b'_' | b'$' => {}
            _ if byte.is_ascii_alphanumeric() => {}
            // Separators of digits, which not every C has.
            b'\'' | b'\\' | 0x80.. => return Err(Leave),
            _ => break,
        }
        length += 1;
    }
    Ok(length)
}

fn quoted(text: &[u8], prefix: usize, quote: u8) -> Answer<(Kind, usize)> {
    let mut at = prefix + 1;
    loop {
        match text.get(at) {
            None | Some(b'\n') => return Err(Leave),
            Some(b'\\') => at += 2,
            Some(&byte) => {
                at += 1;
                if byte == quote {
                    break;
                }
            }
        }
    }
    let kind = if quote == b'"' { Kind::String } else { Kind::Character };
    Ok((kind, at))
}

fn mark(text: &[u8]) -> Answer<(Kind, usize)> {
    const MARKS: [&[u8]; 24] = [
        b"...", b"<<=", b">>=", b"##", b"->", b"++", b"--", b"<<", b">>", b"<=", b">=", b"==",
        b"!=", b"&&", b"||", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"#",
    ];
    // Other spellings of brackets and `#`.
    if [&b"<:"[..], b":>", b"<%", b"%>", b"%:"].iter().any(|other| text.starts_with(other)) {
        return Err(Leave);
    }
    // Most have one character.
    let may_be_longer = text.get(1).is_some_and(|next| b"=<>#|&+-.".contains(next));
    if may_be_longer && let Some(known) = MARKS.iter().find(|mark| text.starts_with(mark)) {
        return Ok((Kind::Mark, known.len()));
    }
    match text[0] {
        byte if b"[](){}.&*+-~!/%<>^|?:;=,#".contains(&byte) => Ok((Kind::Mark, 1)),
        b'\\' | 0x80.. => Err(Leave),
        _ => Ok((Kind::Other, 1)),
    }
}
