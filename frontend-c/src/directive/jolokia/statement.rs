//! `#pragma jolokia` in functions: tasks of the device, and loops whose iterations are independent.

use gpuc_diagnostics::{Diagnostic, codes, did_you_mean};
use gpuc_dialects::offload::{Construct, LoopOrder};

use super::names::{LOOP, WORDS};
use crate::directive::construct::{ComputeRegion, Nest, Step, Wish};
use crate::directive::loops::all_loops;
use crate::directive::{self, Family, Kind, VarRef, Written, check_body};
use crate::lex::{Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::source::Span;
use crate::tree::{ExprKind, ItemKind, StmtId, StmtKind};

/// What a directive says.
#[derive(Default)]
struct Said {
    /// Whether it is about one loop.
    is_loop: bool,
    /// The block that it asks for, and where.
    tile: Option<(u32, u32, Span)>,
    /// What it asks for of the block's memory, and where: a block of that size where it asks for none (algorithm 4.1).
    scratchpad: Option<(u32, u32, Span)>,
    /// Whether blocks are to have something in their memory, of whatever size.
    is_kept: bool,
    /// Whether it names what the task reads or writes.
    names_data: bool,
    /// What it says that the task reads.
    reads: Vec<VarRef>,
}

impl Parser {
    /// A directive at file scope.
    pub(crate) fn jolokia_at_file_scope(&mut self, number: u32) -> ItemKind {
        let span = self.advance().span;
        self.pragma_tokens(number);
        let message =
            "a directive of `jolokia` stands in front of a call or a loop (Patel 2014, §3.1.2)";
        self.checker.error(span, message);
        ItemKind::Other
    }

    /// A directive within a function, with the statement it applies to.
    pub(crate) fn jolokia_statement(&mut self, number: u32) -> Parsed<StmtId> {
        let start = self.span();
        let line = self.advance().span;
        let tokens = self.pragma_tokens(number);
        let name = tokens.first().map_or(line, |token| token.span);
        let read = self.within(tokens, Parser::jolokia_words);
        let Ok(said) = read else {
            // The directive is reported; the statement behind it stands for itself.
            return match self.at(Punct::RBrace) {
                true => Err(Failed),
                false => self.statement(),
            };
        };
        if self.at(Punct::RBrace) || self.peek() == TokenKind::Eof {
            self.checker.error(start, "no statement follows this `jolokia`");
            return Err(Failed);
        }
        let pragma = self.checker.unit.pragmas[number as usize];
        let text = String::from_utf8_lossy(self.checker.unit.source.slice(pragma.body));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let written = Written::Jolokia(super::Directive { text: format!("jolokia {text}") });
        let body = self.statement()?;
        let directive = match said.is_loop {
            true => self.independent_loop(name, body),
            false => self.task(&said, name, body),
        };
        let Some(mut directive) = directive else { return Ok(body) };
        directive.span = line;
        let directive = self.checker.unit.directives.alloc(directive.written(written));
        Ok(self.stmt(StmtKind::Directive { directive, body: Some(body) }, start))
    }

    /// A loop whose iterations the program says to be independent, in a task; on the host, a loop.
    fn independent_loop(&mut self, name: Span, body: StmtId) -> Option<directive::Directive> {
        let order = Some(LoopOrder::Independent);
        let directive = directive::Directive {
            nest: Some(Nest { order, ..Nest::default() }),
            stays: true,
            ..directive::Directive::new(Family::Jolokia, LOOP, name, Kind::Loop)
        };
        if let Some((span, diagnostic)) = check_body(&directive, &self.checker.unit, body) {
            self.checker.report(span, diagnostic);
            return None;
        }
        Some(directive)
    }

    /// A call or a loop that runs on the device.
    fn task(&mut self, said: &Said, name: Span, body: StmtId) -> Option<directive::Directive> {
        let unit = &self.checker.unit;
        let span = unit.stmts[body].span;
        if !is_task(unit, body) {
            let place = unit.place(name);
            let diagnostic =
                Diagnostic::error("a task of `jolokia` is a call or a loop (Patel 2014, def. 3.1)")
                    .related(place, "the directive")
                    .help("write a function of what is to run on the device, and call it here");
            self.checker.report(span, diagnostic);
            return None;
        }
        if !said.names_data {
            let diagnostic = Diagnostic::error("a task names what it reads and writes")
                .help("write `gpuIn(…)`, `gpuOut(…)` or both (Patel 2014, §3.1.2)");
            self.checker.report(name, diagnostic);
            return None;
        }
        let kind = Kind::Compute(ComputeRegion { construct: Construct::Kernels });
        let steps = said.tile.or(said.scratchpad).map(|(x, y, span)| {
            let (nest, shared) = (all_loops(unit, body), said.is_kept);
            let word = if said.tile.is_some() { "tile" } else { "scratchpad" };
            Wish { step: Step::Block { nest, x, y, shared, word }, span }
        });
        Some(directive::Directive {
            found: true,
            asked: true,
            said_read: said.reads.clone(),
            steps: steps.into_iter().collect(),
            ..directive::Directive::new(Family::Jolokia, "jolokia", name, kind)
        })
    }

    /// The words behind `jolokia`.
    fn jolokia_words(&mut self) -> Parsed<Said> {
        let mut said = Said::default();
        while self.peek() != TokenKind::EndOfPragma {
            self.eat(Punct::Comma);
            let span = self.span();
            let Some(word) = self.word() else { return Err(self.unexpected("a clause")) };
            let Some(name) = WORDS.iter().find(|name| name.spelling == word) else {
                let message = format!("`{word}` is not a clause of JolokiaC++");
                let mut diagnostic = Diagnostic::error(message).code(codes::UNKNOWN_CLAUSE);
                if let Some(near) = did_you_mean(&word, WORDS.iter().map(|name| name.spelling)) {
                    diagnostic = diagnostic.meant(near);
                }
                self.checker.report(span, diagnostic);
                return Err(Failed);
            };
            self.advance();
            match name.spelling {
                LOOP => said.is_loop = true,
                "gpuIn" | "gpuOut" => {
                    let named = self.argument(name.spelling, Parser::var_list)?;
                    if name.spelling == "gpuIn" {
                        said.reads.extend(named);
                    }
                    said.names_data = true;
                }
                "tile" => said.tile = Some(self.tile_of_threads(span)?),
                "scratchpad" => {
                    let sizes = self.scratchpad(span)?;
                    said.scratchpad = said.scratchpad.or(sizes);
                    said.is_kept = true;
                }
                // What the host asks for is done when it goes on; what it does not look at stays there.
                _ => {}
            }
        }
        Ok(said)
    }

    /// `(A[, x[, y[, z]]])`: an array, and how much of it a block has in its memory.
    fn scratchpad(&mut self, span: Span) -> Parsed<Option<(u32, u32, Span)>> {
        let sizes = self.argument("scratchpad", |parser| {
            parser.assignment_expression()?;
            match parser.eat(Punct::Comma) {
                true => parser.separated(|parser| parser.tile_size("scratchpad")),
                false => Ok(Vec::new()),
            }
        })?;
        match sizes.is_empty() {
            true => Ok(None),
            false => self.block_of(&sizes, span).map(Some),
        }
    }

    /// The size of a tile along one dimension.
    fn tile_size(&mut self, of: &str) -> Parsed<u32> {
        let expr = self.assignment_expression()?;
        let span = self.checker.span(expr);
        match self.checker.require_constant(expr, &format!("the size of a {of}")) {
            Some(size @ 1..=1024) => Ok(size as u32),
            Some(_) => {
                self.checker.error(span, format!("the size of a {of} is a number from 1 to 1024"));
                Err(Failed)
            }
            None => Err(Failed),
        }
    }

    /// `(x[, y[, z]])`: the threads of a block.
    fn tile_of_threads(&mut self, span: Span) -> Parsed<(u32, u32, Span)> {
        let sizes =
            self.argument("tile", |parser| parser.separated(|parser| parser.tile_size("tile")))?;
        self.block_of(&sizes, span)
    }

    /// Sizes as a block of threads.
    fn block_of(&mut self, sizes: &[u32], span: Span) -> Parsed<(u32, u32, Span)> {
        let (x, y, z) = match *sizes {
            [x] => (x, 1, 1),
            [x, y] => (x, y, 1),
            [x, y, z] => (x, y, z),
            _ => {
                self.checker.error(span, "a tile has three dimensions at most");
                return Err(Failed);
            }
        };
        if x * y > 1024 {
            self.checker.error(span, "a tile has 1024 threads at most");
            return Err(Failed);
        }
        if z != 1 {
            let message = "tiles of a third dimension are not supported by this version of gpuc";
            self.checker.report(span, Diagnostic::error(message).code(codes::NOT_SUPPORTED));
            return Err(Failed);
        }
        Ok((x, y, span))
    }
}

/// Whether a statement is a call of a function, whose value may be kept, or a loop.
fn is_task(unit: &crate::tree::TranslationUnit, stmt: StmtId) -> bool {
    match &unit.stmts[stmt].kind {
        StmtKind::For { .. } => true,
        StmtKind::Directive { directive, body: Some(body) } => {
            unit.directives[*directive].words == LOOP && is_task(unit, *body)
        }
        StmtKind::Compound(list) => matches!(list.as_slice(), [only] if is_task(unit, *only)),
        StmtKind::Expr(expr) => {
            let call = match unit.exprs[unit.peel(*expr)].kind {
                ExprKind::Assign { value, .. } => unit.peel(value),
                _ => unit.peel(*expr),
            };
            matches!(unit.exprs[call].kind, ExprKind::Call { .. })
        }
        _ => false,
    }
}
