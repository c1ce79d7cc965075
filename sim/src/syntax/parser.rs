//! Tokens to the syntax tree.

use bumpalo::Bump;
use gpuc_diagnostics::{Diagnostic, did_you_mean};

use super::lexer::{Lexer, Token, TokenKind};
use super::statements::BodyParser;
use super::{Body, Linkage, Location, Name, SourceText, Span, Statement, Tree};

/// Errors after which reading stops.
pub(super) const MAX_ERRORS: usize = 20;
/// Blocks and operands nest no deeper than this.
pub(super) const MAX_DEPTH: u32 = 64;

/// A statement that cannot be read; the diagnostic goes to the list where reading goes on.
pub(super) type Refused = Box<Diagnostic>;

pub(super) struct Parser<'a, 's> {
    pub(super) source: &'s SourceText<'a>,
    lexer: Lexer<'a, 's>,
    /// The next two tokens.
    window: [Token<'a>; 2],
    /// Where the last token was that is behind.
    pub(super) last: Span,
    /// Tokens that are behind.
    pub(super) at: usize,
    pub(super) errors: Vec<Diagnostic>,
}

/// Reads a text; the errors are empty exactly if all of it was understood, bodies too.
pub(crate) fn parse<'a>(source: &SourceText<'a>) -> (Tree<'a>, Vec<Diagnostic>) {
    let mut parser = Parser::new(source, Lexer::new(source), Vec::new());
    let tree = parser.module();
    (tree, parser.errors)
}

/// The statements of a body of a text that was read without an error.
pub(crate) fn statements<'a>(
    source: &SourceText<'a>,
    body: Body,
    arena: &'a Bump,
) -> Result<Vec<Statement<'a>>, Refused> {
    let lexer = Lexer::again(source, body.start as usize, usize::MAX);
    let parser = Parser::new(source, lexer, Vec::new());
    BodyParser::new(parser, arena, true).block(0)
}

impl<'a, 's> Parser<'a, 's> {
    fn new(
        source: &'s SourceText<'a>,
        mut lexer: Lexer<'a, 's>,
        mut errors: Vec<Diagnostic>,
    ) -> Parser<'a, 's> {
        let window = [lexer.token(&mut errors), lexer.token(&mut errors)];
        Parser { source, lexer, window, last: Span::default(), at: 0, errors }
    }

    /// Looks at the body behind the `{` that is next, and goes behind it. Only where it declares
    /// variables of the module is kept of it.
    pub(super) fn body(&mut self, arena: &Bump, inner: &mut Vec<u32>) -> Result<Body, Refused> {
        let brace = self.peek().span;
        let start = brace.start + brace.length;
        let lexer = Lexer::again(self.source, start as usize, self.lexer.at);
        let parser = Parser::new(self.source, lexer, std::mem::take(&mut self.errors));
        let mut body = BodyParser::new(parser, arena, false);
        let result = body.block(0);
        inner.append(&mut body.inner);
        let body = body.parser;
        let next = body.peek().span.start as usize;
        self.lexer = Lexer::again(self.source, next, body.lexer.at);
        (self.errors, self.last) = (body.errors, body.last);
        self.at += 1 + body.at;
        self.window = [self.lexer.token(&mut self.errors), self.lexer.token(&mut self.errors)];
        result.map(|_| Body { start })
    }

    /// Reads something again that was understood before.
    fn again<T>(&self, start: u32, read: impl FnOnce(&mut Self) -> T) -> T {
        let lexer = Lexer::again(self.source, start as usize, usize::MAX);
        read(&mut Parser::new(self.source, lexer, Vec::new()))
    }

    pub(super) fn peek(&self) -> Token<'a> {
        self.window[0]
    }

    /// The token behind the next one.
    pub(super) fn second(&self) -> Token<'a> {
        self.window[1]
    }

    /// Goes behind so many tokens, but not behind the end.
    pub(super) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            let [first, second] = self.window;
            if matches!(first.kind, TokenKind::End) {
                return;
            }
            self.last = first.span;
            self.at += 1;
            self.window = [second, self.lexer.token(&mut self.errors)];
        }
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.skip(1);
        token
    }

    pub(super) fn at_sign(&self, sign: char) -> bool {
        matches!(self.window[0].kind, TokenKind::Sign(next) if next == sign)
    }

    /// Whether the next tokens are these characters without spaces between.
    pub(super) fn at_signs(&self, signs: &str) -> bool {
        let Token { kind: TokenKind::Sign(_), span } = self.peek() else { return false };
        self.source.text[span.start as usize..].starts_with(signs)
    }

    pub(super) fn eat(&mut self, sign: char) -> bool {
        let found = self.at_sign(sign);
        if found {
            self.skip(1);
        }
        found
    }

    pub(super) fn error_at(&self, span: Span, message: impl Into<String>) -> Refused {
        Box::new(Diagnostic::error(message).at(self.source.place(span)))
    }

    /// An error at the next token, which it names.
    pub(super) fn refuse(&self, message: &str) -> Refused {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_string(),
            _ => {
                let end = (token.span.start + token.span.length) as usize;
                format!("`{}`", &self.source.text[token.span.start as usize..end])
            }
        };
        self.error_at(token.span, format!("{message}, found {found}"))
    }

    pub(super) fn expect(&mut self, sign: char) -> Result<(), Refused> {
        if self.eat(sign) { Ok(()) } else { Err(self.refuse(&format!("expected `{sign}`"))) }
    }

    pub(super) fn word(&mut self, what: &str) -> Result<Name<'a>, Refused> {
        match self.peek() {
            Token { kind: TokenKind::Word(text), span } => {
                self.skip(1);
                Ok(Name { text, span })
            }
            _ => Err(self.refuse(&format!("expected {what}"))),
        }
    }

    pub(super) fn integer(&mut self, what: &str) -> Result<u64, Refused> {
        match self.peek().kind {
            TokenKind::Int(value) => {
                self.skip(1);
                Ok(value)
            }
            _ => Err(self.refuse(&format!("expected {what}"))),
        }
    }

    pub(super) fn small(&mut self, what: &str) -> Result<u32, Refused> {
        let span = self.peek().span;
        let value = self.integer(what)?;
        u32::try_from(value).map_err(|_| self.error_at(span, format!("{what} is too large")))
    }

    /// Skips to after the next `;`, or to before a `}` or after a whole `{ }`.
    pub(super) fn recover(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek().kind {
                TokenKind::End => return,
                TokenKind::Sign('{') => depth += 1,
                TokenKind::Sign('}') if depth == 0 => return,
                TokenKind::Sign('}') => {
                    depth -= 1;
                    if depth == 0 {
                        self.skip(1);
                        return;
                    }
                }
                TokenKind::Sign(';') if depth == 0 => {
                    self.skip(1);
                    return;
                }
                _ => {}
            }
            self.skip(1);
        }
    }

    pub(super) fn module(&mut self) -> Tree<'a> {
        let mut tree = Tree::default();
        // One for all bodies, which come after one another.
        let mut arena = Bump::new();
        while self.peek().kind != TokenKind::End && self.errors.len() < MAX_ERRORS {
            let before = self.at;
            if let Err(error) = self.item(&mut tree, &arena) {
                self.errors.push(*error);
                self.recover();
                // A stray `}` must not stop the reader.
                if self.at == before || self.at_sign('}') {
                    self.skip(1);
                }
            }
            arena.reset();
        }
        tree
    }

    pub(super) fn item(&mut self, tree: &mut Tree<'a>, arena: &Bump) -> Result<(), Refused> {
        const ITEMS: [&str; 20] = [
            "version",
            "target",
            "address_size",
            "file",
            "loc",
            "section",
            "pragma",
            "alias",
            "global",
            "const",
            "shared",
            "entry",
            "func",
            "visible",
            "extern",
            "weak",
            "common",
            "param",
            "local",
            "callprototype",
        ];
        let token = self.peek();
        let TokenKind::Dot(directive) = token.kind else {
            if self.eat(';') {
                return Ok(());
            }
            return Err(self.refuse("expected a directive"));
        };
        match directive {
            "version" => {
                self.skip(1);
                match self.next().kind {
                    TokenKind::F64(..) | TokenKind::Int(_) => Ok(()),
                    _ => Err(self.error_at(token.span, "`.version` without a number")),
                }
            }
            "target" => {
                self.skip(1);
                tree.target = Some(self.word("a target")?);
                while self.eat(',') {
                    self.word("a target option")?;
                }
                Ok(())
            }
            "address_size" => {
                self.skip(1);
                let span = self.peek().span;
                match self.integer("an address size")? {
                    64 => Ok(()),
                    other => {
                        Err(self.error_at(span, format!("{other}-bit addresses are not supported")))
                    }
                }
            }
            "file" => {
                self.skip(1);
                let number = self.small("a file number")?;
                match self.next().kind {
                    TokenKind::Text(name) => tree.files.push((number, name)),
                    _ => return Err(self.error_at(token.span, "`.file` without a name")),
                }
                while self.eat(',') {
                    self.integer("a time stamp or size")?;
                }
                Ok(())
            }
            "loc" => self.location().map(drop),
            "section" => {
                while !matches!(self.peek().kind, TokenKind::Sign('{') | TokenKind::End) {
                    self.skip(1);
                }
                self.recover();
                Ok(())
            }
            "pragma" => {
                self.recover();
                Ok(())
            }
            "alias" => {
                self.skip(1);
                let new = self.word("a function name")?;
                self.expect(',')?;
                let old = self.word("a function name")?;
                tree.aliases.push((new, old));
                self.expect(';')
            }
            _ => {
                let mut linkage = Linkage::Local;
                while let TokenKind::Dot(link @ ("visible" | "extern" | "weak" | "common")) =
                    self.peek().kind
                {
                    linkage = match link {
                        "extern" => Linkage::Extern,
                        "weak" => Linkage::Weak,
                        "common" => Linkage::Common,
                        _ => Linkage::Visible,
                    };
                    self.skip(1);
                }
                match self.peek().kind {
                    TokenKind::Dot("entry" | "func") => {
                        let mut inner = Vec::new();
                        let function = self.function(linkage, arena, &mut inner)?;
                        tree.functions.push(function);
                        for start in inner {
                            self.again(start, |parser| {
                                parser.variables(Linkage::Local, &mut tree.inner)
                            })?;
                        }
                        Ok(())
                    }
                    TokenKind::Dot("global" | "const" | "shared") => {
                        self.variables(linkage, &mut tree.variables)
                    }
                    TokenKind::Dot(other) => {
                        let mut error = self.refuse("expected a directive of a module");
                        if let Some(name) = did_you_mean(other, ITEMS) {
                            error.help.push(format!("did you mean `.{name}`?"));
                        }
                        Err(error)
                    }
                    _ => Err(self.refuse("expected a declaration")),
                }
            }
        }
    }

    /// `.loc file line column` with the optional call-stack attributes, which are dropped.
    pub(super) fn location(&mut self) -> Result<Location, Refused> {
        self.skip(1);
        let file = self.small("a file number")?;
        let line = self.small("a line")?;
        let column = self.small("a column")?;
        while self.at_sign(',') {
            self.skip(1);
            match self.word("`function_name` or `inlined_at`")?.text {
                "inlined_at" => {
                    for what in ["a file number", "a line", "a column"] {
                        self.small(what)?;
                    }
                }
                _ => {
                    self.word("a label")?;
                    if self.eat('+') {
                        self.integer("an offset")?;
                    }
                }
            }
        }
        Ok(Location { file, line, column })
    }
}
