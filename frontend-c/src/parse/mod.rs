//! The parser: recursive descent over the tokens. It calls the [`Checker`] for every construct it
//! recognises, because C cannot be parsed without knowing its types, and recovers at `;` and `}`.

mod attributes;
mod declaration;
mod declarator;
mod directive;
mod expression;
mod initializer;
mod postfix;
mod record;
mod specifiers;
mod statement;

use std::collections::BTreeMap;

use gpuc_diagnostics::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lex::{Keyword, Punct, Scanner, Token, TokenKind};
use crate::pragma::{Family, MacroTable, PackTable};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::{DeclId, ExprId, StmtId, TranslationUnit};
use crate::types::{Checker, Entity, RecordId, Type};

/// A construct that could not be read; its error is reported already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

/// What reading a construct yields.
pub(crate) type Parsed<T> = Result<T, Failed>;

/// Constructs nested deeper than this are refused. C promises 63 levels of parentheses and 127 of
/// blocks; a level takes some kilobytes of stack.
const DEEPEST_NESTING: u32 = 200;

/// The function that is being read.
pub(crate) struct FunctionContext {
    /// Its declaration.
    pub decl: DeclId,
    /// The type it returns.
    pub result: Type,
    /// Its labels, with where each was first named.
    pub labels: FxHashMap<Symbol, (DeclId, Span)>,
    /// Its labels in the order of the text.
    pub label_order: Vec<Symbol>,
    /// The open `switch` statements.
    pub switches: Vec<SwitchContext>,
    /// Number of open loops.
    pub loops: u32,
}

/// An open `switch`.
pub(crate) struct SwitchContext {
    /// The promoted type of its value.
    pub ty: Type,
    /// Its labels so far.
    pub cases: Vec<StmtId>,
    /// The ranges taken by its cases: the last value by the first.
    pub taken: BTreeMap<i128, i128>,
    /// Whether it has a default.
    pub default: bool,
}

/// The parser of one unit.
pub(crate) struct Parser {
    tokens: Vec<Token>,
    pub(crate) at: usize,
    /// One past the last byte of the token read last.
    end: u32,
    pub(crate) checker: Checker,
    macros: MacroTable,
    pack: PackTable,
    depth: u32,
    pub(crate) function: Option<FunctionContext>,
    /// How many constructs of device code are being read.
    pub(crate) device_depth: u32,
    /// How many threads a team of it has at most.
    pub(crate) thread_limit: Option<ExprId>,
    /// Whether that code stands in a region that several threads execute.
    pub(crate) in_parallel: bool,
    /// The first declaration inside of the innermost `parallel` or `target` region, by number.
    pub(crate) region_from: u32,
    /// The numbers of the first items behind the open `declare target`s, and whether those are for devices.
    pub(crate) declare_target: Vec<(usize, bool)>,
    /// What `declare mapper` says of types.
    pub(crate) mappers: Vec<crate::directive::openmp::Mapper>,
    /// The reductions that have been declared.
    pub(crate) user_reductions: Vec<crate::directive::openmp::UserReduction>,
    /// Variables of which each team has its own.
    pub(crate) group_private: Vec<DeclId>,
    /// Whether a pointer's section may leave its length out: what it points to, as far as it is there.
    pub(crate) assumed_sizes: bool,
    /// What `hmpp` directives have said.
    pub(crate) labels: crate::directive::hmpp::Labels,
    /// The values of the iterators of the clause that is being read.
    pub(crate) iterators: Vec<(Symbol, crate::directive::Section)>,
    /// What `declare target` has been said of.
    pub(crate) declared_target: FxHashSet<DeclId>,
    /// The records whose members are being read.
    open_records: Vec<RecordId>,
}

impl Parser {
    pub(crate) fn new(tokens: Vec<Token>, unit: TranslationUnit, macros: MacroTable) -> Self {
        let pack = PackTable::new(unit.source.text(), &unit.pragmas, unit.dialect.pack);
        let checker = Checker::new(unit);
        Parser {
            tokens,
            device_depth: 0,
            thread_limit: None,
            in_parallel: false,
            region_from: 0,
            declare_target: Vec::new(),
            mappers: Vec::new(),
            user_reductions: Vec::new(),
            labels: Default::default(),
            iterators: Vec::new(),
            group_private: Vec::new(),
            assumed_sizes: false,
            declared_target: FxHashSet::default(),
            at: 0,
            end: 0,
            checker,
            macros,
            pack,
            depth: 0,
            function: None,
            open_records: Vec::new(),
        }
    }

    /// The token here. The last one, which ends the text or the pragma, is never passed.
    pub(crate) fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(crate) fn peek(&self) -> TokenKind {
        self.token().kind
    }

    pub(crate) fn peek_ahead(&self, ahead: usize) -> TokenKind {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    pub(crate) fn span(&self) -> Span {
        self.token().span
    }

    /// From `start` to the end of the token read last.
    pub(crate) fn span_from(&self, start: Span) -> Span {
        Span::new(start.start, self.end.max(start.end))
    }

    pub(crate) fn advance(&mut self) -> Token {
        let token = self.token();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
            self.end = token.span.end;
        }
        token
    }

    pub(crate) fn at(&self, punct: Punct) -> bool {
        self.peek() == TokenKind::Punct(punct)
    }

    pub(crate) fn eat(&mut self, punct: Punct) -> bool {
        let here = self.at(punct);
        if here {
            self.advance();
        }
        here
    }

    /// The keyword that `kind` is here: C23's words are names once a declaration takes them.
    fn keyword_of(&self, kind: TokenKind) -> Option<Keyword> {
        match kind {
            TokenKind::Keyword(keyword) => Some(keyword),
            TokenKind::Ident(name) => match self.checker.scopes.find(name) {
                Some(Entity::Contextual(keyword)) => Some(keyword),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn keyword(&self) -> Option<Keyword> {
        self.keyword_of(self.peek())
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let here = self.keyword() == Some(keyword);
        if here {
            self.advance();
        }
        here
    }

    /// Reports that something else was expected here.
    pub(crate) fn unexpected(&mut self, wanted: &str) -> Failed {
        let token = self.token();
        let found = token.kind.describe(&self.checker.unit.symbols);
        // A missing end is missed behind what was read last, not at the next line.
        let ends =
            wanted.starts_with("`;`") || wanted.starts_with("`)`") || wanted.starts_with("`]`");
        let newline = self.checker.unit.source.slice(Span::new(self.end, token.span.start));
        if ends && newline.contains(&b'\n') {
            let span = Span::new(self.end.saturating_sub(1), self.end);
            let diagnostic = Diagnostic::error(format!("expected {wanted}"));
            self.checker.report(span, diagnostic);
        } else {
            self.checker.error(token.span, format!("expected {wanted}, found {found}"));
        }
        Failed
    }

    /// Whether a line ends between the token read last and this one.
    fn at_new_line(&self) -> bool {
        let between = Span::new(self.end, self.span().start);
        self.peek() != TokenKind::Eof && self.checker.unit.source.slice(between).contains(&b'\n')
    }

    pub(crate) fn expect(&mut self, punct: Punct, context: &str) -> Parsed<Span> {
        if self.at(punct) {
            return Ok(self.advance().span);
        }
        // A `;` that the next line lacks is only missing: that line is read for itself.
        if punct == Punct::Semicolon && self.at_new_line() {
            self.unexpected(&format!("`;` {context}"));
            return Ok(Span::new(self.end, self.end));
        }
        let space = if context.is_empty() { "" } else { " " };
        Err(self.unexpected(&format!("`{}`{space}{context}", punct.spelling())))
    }

    pub(crate) fn expect_name(&mut self, what: &str) -> Parsed<(Symbol, Span)> {
        match self.token() {
            Token { kind: TokenKind::Ident(name), span } => {
                self.advance();
                Ok((name, span))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Reads a construct that may contain itself, unless it is nested too deeply.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST_NESTING {
            let span = self.span();
            self.checker.error(span, format!("more than {DEEPEST_NESTING} levels of nesting here"));
            self.checker.give_up();
            self.at = self.tokens.len() - 1;
            return Err(Failed);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Passes tokens up to the end of the statement or declaration that could not be read: behind
    /// its `;` or `}`, or before the `}` of the enclosing block.
    fn recover(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.peek() {
                TokenKind::Eof | TokenKind::EndOfPragma => return,
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                    if depth == 0 {
                        self.advance();
                        self.eat(Punct::Semicolon);
                        return;
                    }
                }
                TokenKind::Punct(Punct::Semicolon) if depth == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::Pragma(_) if depth == 0 => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Passes a balanced group that starts here.
    fn skip_group(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.peek() {
                TokenKind::Eof | TokenKind::EndOfPragma => return,
                TokenKind::Punct(Punct::LParen | Punct::LBrace | Punct::LBracket) => depth += 1,
                TokenKind::Punct(Punct::RParen | Punct::RBrace | Punct::RBracket) => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Reads other tokens for a while: those of a pragma, or of a builtin's declaration.
    pub(crate) fn within<T>(&mut self, tokens: Vec<Token>, read: impl FnOnce(&mut Self) -> T) -> T {
        let saved = (std::mem::replace(&mut self.tokens, tokens), self.at, self.end);
        self.at = 0;
        self.end = self.span().start;
        let result = read(self);
        (self.tokens, self.at, self.end) = saved;
        result
    }

    /// The tokens of a pragma behind its family's word, macros expanded where the preprocessor left
    /// them alone.
    pub(crate) fn pragma_tokens(&mut self, number: u32) -> Vec<Token> {
        let pragma = self.checker.unit.pragmas[number as usize];
        let mut tokens = self.tokens_at(pragma.body);
        tokens.pop();
        let text = self.checker.unit.source.text().clone();
        let symbols = &mut self.checker.unit.symbols;
        let first = tokens.first().map(|t| text[t.span.range()].to_vec()).unwrap_or_default();
        let offset = pragma.line.start;
        let expanded_by_cc = pragma.family == Family::OpenAcc
            && crate::directive::openacc::expanded_by_gcc(&first)
            && self.macros.is_defined("__GNUC__", offset, &text, symbols)
            && !self.macros.is_defined("__clang__", offset, &text, symbols);
        if !expanded_by_cc {
            match self.macros.expand(&tokens, offset, &text, symbols) {
                Ok(expanded) => tokens = expanded,
                Err((span, message)) => self.checker.error(span, message),
            }
        }
        let span = Span::new(pragma.line.end, pragma.line.end);
        tokens.push(Token { kind: TokenKind::EndOfPragma, span });
        tokens
    }

    /// The tokens of a part of the text, as those of a pragma.
    pub(crate) fn tokens_at(&mut self, span: Span) -> Vec<Token> {
        let text = self.checker.unit.source.text().clone();
        let symbols = &mut self.checker.unit.symbols;
        let mut scanner = Scanner::new(&text[..span.end as usize], span.start as usize, symbols);
        let mut tokens = Vec::new();
        loop {
            let token = scanner.token();
            if token.kind == TokenKind::Eof {
                break;
            }
            tokens.push(token);
        }
        let problems = std::mem::take(&mut scanner.problems);
        for (span, message) in problems {
            self.checker.error(span, message);
        }
        let end = Span::new(span.end, span.end);
        tokens.push(Token { kind: TokenKind::EndOfPragma, span: end });
        tokens
    }

    /// Declares the builtin `name`, if there is one.
    fn declare_builtin(&mut self, name: Symbol, span: Span) -> bool {
        if self.checker.builtins.contains_key(&name) {
            return true;
        }
        let Some(text) = crate::types::builtin_declaration(self.checker.unit.text(name)) else {
            return false;
        };
        let tokens = crate::lex::scan(&text, span, &mut self.checker.unit.symbols);
        let ty = self.within(tokens, |parser| {
            let specifiers = parser.specifiers()?;
            let declarator = parser.declarator()?;
            Ok::<_, Failed>(parser.declared_type(&specifiers, &declarator))
        });
        let Ok(ty) = ty else { return false };
        self.checker.declare_implicit(name, ty, span);
        true
    }

    /// Reads the whole unit.
    pub(crate) fn run(mut self) -> (TranslationUnit, Vec<Diagnostic>) {
        while self.peek() != TokenKind::Eof && !self.checker.gave_up() {
            let before = self.at;
            if self.external_declaration().is_err() {
                self.function = None;
                self.recover();
                // An unmatched `}` would stop recovery for ever.
                if self.at == before {
                    self.advance();
                }
            }
        }
        self.finish_hmpp();
        (self.checker.unit, self.checker.diagnostics)
    }
}
