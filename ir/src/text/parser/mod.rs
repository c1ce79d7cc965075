//! Reading. [`OpParser`] is the whole parser and, at the same time, what parse hooks and custom
//! directives read with: its methods are split over this folder by subject.

use std::sync::Arc;

use gpuc_diagnostics::{Diagnostic, Place};
use rustc_hash::FxHashMap;

use super::lexer::{Lexer, Token, TokenKind};
use super::{ParseError, ParseResult};
use crate::attrs::Attr;
use crate::context::{Ident, OpName};
use crate::graph::Ir;
use crate::location::{Location, LocationKind};
use crate::op::OpDef;
use crate::types::Type;

mod affine;
mod attributes;
mod elements;
mod index_list;
mod locations;
mod module;
mod operands;
mod operations;
mod regions;
mod types;
mod values;

pub use affine::MapOfValues;
pub use index_list::IndexList;
pub use operands::{Argument, Delimiter, Unresolved};

use values::{BlockScope, ValueScope};

/// A place in the text being read: an offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(pub(super) u32);

/// Nesting of regions, types, attributes and expressions beyond this is refused: every level costs
/// stack, and no program needs it.
pub const DEPTH_LIMIT: u32 = 128;

/// What is known of the operation whose custom syntax is being read.
#[derive(Clone, Copy, Debug)]
struct Current {
    def: Option<&'static OpDef>,
    start: Position,
    location: Location,
    results: u32,
}

/// What an operation's parse hook and custom directives read with, in the manner of MLIR's
/// `OpAsmParser`.
pub struct OpParser<'p, 's> {
    /// The graph being built.
    pub ir: &'p mut Ir,
    lexer: Lexer<'s>,
    token: Token,
    file: Arc<str>,
    file_ident: Ident,
    diagnostics: Vec<Diagnostic>,
    scopes: Vec<ValueScope<'s>>,
    spare_scopes: Vec<ValueScope<'s>>,
    blocks: Vec<BlockScope<'s>>,
    /// Stands for values used before their definition: each is an argument of this block.
    forward_block: Option<crate::graph::Block>,
    attr_aliases: FxHashMap<&'s str, Attr>,
    type_aliases: FxHashMap<&'s str, Type>,
    /// Locations named by aliases that are defined further down.
    pending_locations: FxHashMap<&'s str, (Location, Position)>,
    op_names: FxHashMap<&'s str, OpName>,
    /// Types and maps by their text: most of a module's are repeated.
    known_types: FxHashMap<&'s str, Type>,
    known_maps: FxHashMap<&'s str, Attr>,
    current: Current,
    default_dialects: Vec<&'static str>,
    pub(super) frame: super::format::Frame,
    depth: u32,
    /// Whether a text that is no module is put into one.
    pub(super) implicit_module: bool,
}

impl std::fmt::Debug for OpParser<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpParser").field("file", &self.file).field("token", &self.token).finish()
    }
}

impl<'p, 's> OpParser<'p, 's> {
    pub(super) fn new(ir: &'p mut Ir, text: &'s str, file: &str, first_line: u32) -> Self {
        let file_ident = ir.ctx.ident(file);
        // Offsets are 32 bits wide; a longer text is cut here and refused by `module`.
        let readable = if u32::try_from(text.len()).is_ok() { text } else { "" };
        let mut lexer = Lexer::new(readable, first_line);
        let token = lexer.next();
        OpParser {
            ir,
            lexer,
            token,
            file: file.into(),
            file_ident,
            diagnostics: Vec::new(),
            scopes: vec![ValueScope::default()],
            spare_scopes: Vec::new(),
            blocks: Vec::new(),
            forward_block: None,
            implicit_module: true,
            attr_aliases: FxHashMap::default(),
            type_aliases: FxHashMap::default(),
            pending_locations: FxHashMap::default(),
            op_names: FxHashMap::default(),
            known_types: FxHashMap::default(),
            known_maps: FxHashMap::default(),
            current: Current {
                def: None,
                start: Position(0),
                location: Location::UNKNOWN,
                results: 0,
            },
            default_dialects: vec!["builtin"],
            frame: super::format::Frame::default(),
            depth: 0,
        }
    }

    pub(super) fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// Location of the operation being read.
    pub fn location(&self) -> Location {
        self.current.location
    }

    /// Where the name of the operation being read stands.
    pub fn name_position(&self) -> Position {
        self.current.start
    }

    /// How many results the text in front of the operation's name binds.
    pub fn result_count(&self) -> usize {
        self.current.results as usize
    }

    /// Where the next token stands.
    pub fn here(&self) -> Position {
        Position(self.token.start)
    }

    /// Records an error at a position.
    pub fn error<T>(&mut self, at: Position, message: impl Into<String>) -> ParseResult<T> {
        let place = self.place(at);
        self.report(Diagnostic::error(message).at(place))
    }

    /// Records a diagnostic.
    pub fn report<T>(&mut self, diagnostic: Diagnostic) -> ParseResult<T> {
        self.diagnostics.push(diagnostic);
        Err(ParseError)
    }

    /// Records "expected ..." where it is missing, or what is wrong with the next token itself.
    pub(super) fn expected<T>(&mut self, what: &str) -> ParseResult<T> {
        match self.token.kind {
            TokenKind::Error => self.error(self.here(), self.lexer.problem),
            _ => self.error(self.missing_at(), format!("expected {what}")),
        }
    }

    /// The same of what custom syntax wants, which is missing where the next token stands.
    fn expected_here<T>(&mut self, what: &str) -> ParseResult<T> {
        match self.token.kind {
            TokenKind::Error => self.expected(what),
            _ => self.error(self.here(), format!("expected {what}")),
        }
    }

    /// Where something is missing in front of the next token: behind what precedes it, blanks, lines and comments
    /// between left aside. As upstream says it.
    fn missing_at(&self) -> Position {
        let mut before = &self.lexer.text[..self.token.start as usize];
        loop {
            before = before.trim_end_matches([' ', '\t']);
            let Some(lines) = before.strip_suffix('\n') else {
                return if before.is_empty() { self.here() } else { Position(before.len() as u32) };
            };
            let line = lines.rfind('\n').map_or(0, |newline| newline + 1);
            before = &lines[..lines[line..].find("//").map_or(lines.len(), |i| line + i)];
        }
    }

    /// File, line and column of a position.
    pub fn place(&self, at: Position) -> Place {
        let (line, column) = self.line_column(at);
        Place::new(self.file.clone(), line, column, 1)
    }

    fn line_column(&self, at: Position) -> (u32, u32) {
        if at.0 >= self.lexer.line_start {
            return (self.lexer.line, at.0 - self.lexer.line_start + 1);
        }
        // Counted backwards: positions asked for are mostly those of the line before.
        let bytes = self.lexer.text.as_bytes();
        let between = &bytes[at.0 as usize..self.lexer.line_start as usize];
        let lines = between.iter().filter(|&&byte| byte == b'\n').count() as u32;
        let before = &bytes[..at.0 as usize];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |i| i + 1);
        (self.lexer.line - lines, at.0 - start as u32 + 1)
    }

    /// A new location in the IR for a position.
    pub fn location_at(&mut self, at: Position) -> Location {
        let (line, column) = self.line_column(at);
        self.ir.ctx.add_location(LocationKind::File { file: self.file_ident, line, column })
    }

    fn slice(&self, start: u32, end: u32) -> &'s str {
        &self.lexer.text[start as usize..end as usize]
    }

    fn token_text(&self) -> &'s str {
        self.slice(self.token.start, self.token.end)
    }

    fn advance(&mut self) {
        self.token = self.lexer.next();
    }

    /// Makes the lexer go on at a byte offset at or behind the current token.
    fn restart_at(&mut self, at: u32) {
        // Tokens hold no newline, so stepping back to the current one does not change the line.
        self.lexer.at = self.token.start.min(at);
        self.lexer.advance_to(at);
        self.advance();
    }

    /// Whether the next token is this punctuation or keyword.
    #[inline(always)] // Nearly always of a literal: length and first byte then settle it.
    pub fn at(&self, text: &str) -> bool {
        (self.token.end - self.token.start) as usize == text.len()
            && text.as_bytes().first() == Some(&self.lexer.byte(self.token.start))
            && matches!(self.token.kind, TokenKind::Punctuation | TokenKind::Bare)
            && (text.len() == 1 || self.token_text() == text)
    }

    /// Reads this punctuation or keyword if it is next; says whether it was.
    #[inline(always)]
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.at(text);
        if found {
            self.advance();
        }
        found
    }

    /// Reads this punctuation or keyword.
    #[inline(always)]
    pub fn expect(&mut self, text: &str) -> ParseResult<()> {
        if self.eat(text) { Ok(()) } else { self.expected_text(text) }
    }

    #[cold]
    fn expected_text(&mut self, text: &str) -> ParseResult<()> {
        self.expected(&format!("'{text}'"))
    }

    /// Reads this punctuation or keyword; where it is missing, `place` says of what it is a part, as in " in location".
    pub(super) fn expect_in(&mut self, text: &str, place: &str) -> ParseResult<()> {
        if self.eat(text) { Ok(()) } else { self.expected(&format!("'{text}'{place}")) }
    }

    /// Reads this keyword.
    pub fn keyword(&mut self, text: &str) -> ParseResult<()> {
        if self.eat(text) { Ok(()) } else { self.expected_here(&format!("'{text}'")) }
    }

    /// Reads this keyword if it is next; says whether it was.
    pub fn optional_keyword(&mut self, text: &str) -> bool {
        self.eat(text)
    }

    /// Reads a keyword, whatever it is.
    pub fn parse_any_keyword(&mut self) -> ParseResult<&'s str> {
        match self.parse_optional_any_keyword() {
            Some(text) => Ok(text),
            None => self.expected_here("valid keyword"),
        }
    }

    /// Reads a keyword, whatever it is, if one is next.
    pub fn parse_optional_any_keyword(&mut self) -> Option<&'s str> {
        let text = self.token_text();
        (self.token.kind == TokenKind::Bare).then(|| {
            self.advance();
            text
        })
    }

    /// The next token if it is a keyword, without reading it.
    pub fn peek_keyword(&self) -> Option<&'s str> {
        (self.token.kind == TokenKind::Bare).then(|| self.token_text())
    }

    /// Whether the next token is an SSA name.
    pub fn at_operand(&self) -> bool {
        self.token.kind == TokenKind::Percent
    }

    /// Whether the next token is `@name`.
    pub fn at_symbol(&self) -> bool {
        self.token.kind == TokenKind::At
    }

    /// Whether the next token is `^name`.
    pub fn at_successor(&self) -> bool {
        self.token.kind == TokenKind::Caret
    }

    /// Whether a type may begin here.
    pub fn at_type(&self) -> bool {
        match self.token.kind {
            TokenKind::Exclaim => true,
            TokenKind::Punctuation => self.token_text() == "(",
            TokenKind::Bare => types::is_type_keyword(self.token_text()),
            _ => false,
        }
    }

    /// Reads a string literal.
    pub fn string(&mut self) -> ParseResult<String> {
        if self.token.kind != TokenKind::String {
            return self.expected("string");
        }
        let at = self.here();
        let text = self.token_text();
        self.advance();
        self.unescape(at, &text[1..text.len() - 1])
    }

    /// Reads a string literal if one is next.
    pub fn optional_string(&mut self) -> ParseResult<Option<String>> {
        if self.token.kind == TokenKind::String { self.string().map(Some) } else { Ok(None) }
    }

    fn unescape(&mut self, at: Position, body: &str) -> ParseResult<String> {
        if !body.contains('\\') {
            return Ok(body.to_owned());
        }
        let mut bytes = Vec::with_capacity(body.len());
        let mut rest = body.bytes();
        while let Some(byte) = rest.next() {
            if byte != b'\\' {
                bytes.push(byte);
                continue;
            }
            match rest.next() {
                Some(b'n') => bytes.push(b'\n'),
                Some(b't') => bytes.push(b'\t'),
                Some(quoted @ (b'"' | b'\\')) => bytes.push(quoted),
                Some(high) => {
                    let digit = |byte: u8| (byte as char).to_digit(16);
                    match (digit(high), rest.next().and_then(digit)) {
                        (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
                        _ => return self.error(at, "unknown escape in string literal"),
                    }
                }
                None => return self.error(at, "unknown escape in string literal"),
            }
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => self.error(at, "string literal is not UTF-8"),
        }
    }

    /// Reads an integer, with a sign if there is one.
    pub fn integer(&mut self) -> ParseResult<i64> {
        match self.optional_integer()? {
            Some(value) => Ok(value),
            None => self.expected_here("integer value"),
        }
    }

    /// Reads an integer if one is next.
    pub fn optional_integer(&mut self) -> ParseResult<Option<i64>> {
        let at = self.here();
        let negative = self.at("-") && self.lexer.byte(self.token.end).is_ascii_digit();
        if negative {
            self.advance();
        }
        if self.token.kind != TokenKind::Integer {
            return if negative { self.expected_here("integer value") } else { Ok(None) };
        }
        let magnitude = parse_magnitude(self.token_text());
        self.advance();
        let value = magnitude
            .and_then(|m| i128::try_from(m).ok())
            .and_then(|m| i64::try_from(if negative { -m } else { m }).ok());
        match value {
            Some(value) => Ok(Some(value)),
            None => self.error(at, "integer value too large"),
        }
    }

    /// Reads elements separated by commas until one is not followed by a comma.
    pub fn comma_separated(
        &mut self,
        mut element: impl FnMut(&mut Self) -> ParseResult<()>,
    ) -> ParseResult<()> {
        element(self)?;
        while self.eat(",") {
            element(self)?;
        }
        Ok(())
    }

    /// Reads a list between delimiters; it may be empty unless there are none.
    pub fn delimited_list(
        &mut self,
        delimiter: Delimiter,
        element: impl FnMut(&mut Self) -> ParseResult<()>,
    ) -> ParseResult<()> {
        self.delimited_list_in(delimiter, "", element)
    }

    /// The same; where a delimiter is missing, `place` says of what it is a part, as in " in affine map range".
    pub(super) fn delimited_list_in(
        &mut self,
        delimiter: Delimiter,
        place: &str,
        mut element: impl FnMut(&mut Self) -> ParseResult<()>,
    ) -> ParseResult<()> {
        let (open, close, optional) = match delimiter {
            Delimiter::None => return self.comma_separated(element),
            Delimiter::Paren => ("(", ")", false),
            Delimiter::Square => ("[", "]", false),
            Delimiter::Angle => ("<", ">", false),
            Delimiter::Braces => ("{", "}", false),
            Delimiter::OptionalParen => ("(", ")", true),
            Delimiter::OptionalSquare => ("[", "]", true),
            Delimiter::OptionalAngle => ("<", ">", true),
            Delimiter::OptionalBraces => ("{", "}", true),
        };
        if !self.eat(open) {
            return if optional { Ok(()) } else { self.expected(&format!("'{open}'{place}")) };
        }
        if self.eat(close) {
            return Ok(());
        }
        self.comma_separated(&mut element)?;
        self.expect_in(close, place)
    }

    /// Runs `body` one level deeper, or refuses.
    fn nested<T>(&mut self, body: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.depth >= DEPTH_LIMIT {
            let message = format!("nested deeper than {DEPTH_LIMIT} levels");
            return self.error(self.here(), message);
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }
}

/// The value of an integer literal without sign.
fn parse_magnitude(text: &str) -> Option<u128> {
    match text.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
