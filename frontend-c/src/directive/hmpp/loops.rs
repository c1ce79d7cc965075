//! `#pragma hmppcg`: who executes the iterations of a loop, and steps of the construct's plan.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::llvm::Rounds;
use gpuc_dialects::offload::LoopOrder;

use super::line::FAMILY;
use super::names::{self, LOOP_CLAUSES, LOOP_DIRECTIVES};
use crate::directive::construct::{LoopName, Nest, Reduction, Step, Wish};
use crate::directive::loops::{all_loops, named, trips};
use crate::directive::{self, Kind, VarRef, Written};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::parse::{Failed, Parsed, Parser};
use crate::pragma;
use crate::source::Span;
use crate::tree::{StmtId, StmtKind, TranslationUnit};

/// What the directives in front of a loop say together.
#[derive(Default)]
struct Said {
    order: Option<LoopOrder>,
    /// The loops of `gridify`, by their variables.
    grid: Vec<(String, Span)>,
    private: Vec<VarRef>,
    reductions: Vec<Reduction>,
    /// Steps whose loop is found when the loop has been read, by its variable; the loop itself where none is named.
    steps: Vec<(Option<String>, Asked, Span)>,
    words: Option<(&'static str, Span)>,
    texts: Vec<String>,
}

/// A step that is asked for.
enum Asked {
    Unroll(u32, Rounds),
    /// The same side by side in the loops inside.
    UnrollJam(u32),
    FullUnroll,
    Permute(Vec<String>),
    /// Loops by their variables, the loop itself where none is named.
    Strip(Vec<(Option<String>, u32)>),
    Fuse,
    Distribute,
    Block(u32, u32),
    /// What `gridify` of two loops has where nothing is said.
    DefaultBlock,
}

/// Threads of a block along the inner and the outer loop of a `gridify` of two, as CAPS had it.
const GRID: (u32, u32) = (32, 4);

impl Parser {
    /// Directives in front of a loop, with the loop.
    pub(crate) fn hmppcg_statement(&mut self, number: u32) -> Parsed<StmtId> {
        let start = self.span();
        let mut said = Said::default();
        let mut number = number;
        loop {
            self.hmppcg_line(number, &mut said);
            match self.peek() {
                TokenKind::Pragma(next)
                    if self.checker.unit.pragmas[next as usize].family
                        == pragma::Family::HmppCg =>
                {
                    number = next;
                }
                _ => break,
            }
        }
        if self.at(Punct::RBrace) || self.peek() == TokenKind::Eof {
            self.checker.error(start, "no loop follows this directive of `hmppcg`");
            return Err(Failed);
        }
        if let Some(block) = self.block_ahead(&said) {
            self.labels.block = Some(block);
            return Ok(self.stmt(StmtKind::Empty, start));
        }
        if let Some((x, y, span)) = self.labels.block.take() {
            // What stands at the loop itself comes later, and counts.
            said.steps.insert(0, (None, Asked::Block(x, y), span));
        }
        let is_sized = said.steps.iter().any(|(_, asked, _)| matches!(asked, Asked::Block(..)));
        if let ([_, (_, span), ..], false) = (said.grid.as_slice(), is_sized) {
            said.steps.push((None, Asked::DefaultBlock, *span));
        }
        let body = self.statement()?;
        let Some((words, name)) = said.words else { return Ok(body) };
        let nest = nest_of(&self.checker.unit, body);
        if nest.is_empty() {
            // A loop that does not count runs in order in any case.
            let runs_in_order = said.order == Some(LoopOrder::Seq) && said.steps.is_empty();
            let is_while = matches!(
                self.checker.unit.stmts[body].kind,
                StmtKind::While { .. } | StmtKind::DoWhile { .. } | StmtKind::For { .. }
            );
            if runs_in_order && is_while {
                return Ok(body);
            }
            let span = self.checker.unit.stmts[body].span;
            let message = format!("`{words}` must be followed by a `for` loop");
            let place = self.checker.unit.place(name);
            let diagnostic = Diagnostic::error(message).related(place, "the directive");
            self.checker.report(span, diagnostic);
            return Ok(body);
        }
        let mut steps = self.steps_of(&said, &nest, body);
        let permuted = self.permuted_grid(&said, &nest, body);
        let count = match permuted {
            Some(_) => None,
            None => self.grid_of(&said, &nest),
        };
        // Sizes of blocks are about the loops that it leaves.
        let at = steps.iter().position(|wish| !matches!(wish.step, Step::Permute(..)));
        if let Some(wish) = permuted {
            steps.insert(at.unwrap_or(steps.len()), wish);
        }
        let order = match (count, said.order) {
            (Some(_), _) => Some(LoopOrder::Independent),
            (None, order) => order,
        };
        let divides = order.is_some() || !said.private.is_empty() || !said.reductions.is_empty();
        let kind = if divides { Kind::Loop } else { Kind::Block };
        let nest = Nest { count: count.unwrap_or(1), order, force: true, ..Nest::default() };
        let written = super::Directive { text: said.texts.join("; ") };
        let directive = directive::Directive {
            span: Span::new(start.start, start.start),
            nest: divides.then_some(nest),
            private: said.private,
            reductions: said.reductions,
            steps,
            // Functions that a codelet calls may have loops of their own.
            stays: self.device_depth == 0,
            ..directive::Directive::new(FAMILY, words, name, kind)
        }
        .written(Written::OpenHmpp(written));
        let directive = self.checker.unit.directives.alloc(directive);
        Ok(self.stmt(StmtKind::Directive { directive, body: Some(body) }, start))
    }

    /// The size of blocks, where nothing else is said and no loop stands here but a declaration or another statement.
    fn block_ahead(&self, said: &Said) -> Option<(u32, u32, Span)> {
        let [(None, Asked::Block(x, y), span)] = said.steps.as_slice() else { return None };
        let is_alone = said.order.is_none()
            && said.grid.is_empty()
            && said.private.is_empty()
            && said.reductions.is_empty();
        let is_loop = self.keyword() == Some(Keyword::For)
            || matches!(
                self.peek(),
                TokenKind::Pragma(_) | TokenKind::Punct(Punct::LBrace | Punct::Semicolon)
            );
        (is_alone && !is_loop).then_some((*x, *y, *span))
    }

    /// What stands ahead for the loop that begins here.
    pub(crate) fn begins_hmppcg_loop(&mut self) -> Option<(u32, u32, Span)> {
        self.labels.block.take()
    }

    /// A loop without directives of its own, for which a `grid blocksize` stands ahead.
    pub(crate) fn hmppcg_loop(&mut self, asked: Option<(u32, u32, Span)>, body: StmtId) -> StmtId {
        let Some((x, y, span)) = asked else { return body };
        let nest = all_loops(&self.checker.unit, body);
        let step = Step::Block { nest, x, y, shared: false, word: "blocksize" };
        let start = self.checker.unit.stmts[body].span;
        let text = format!("grid blocksize \"{x}x{y}\"");
        let directive = directive::Directive {
            span: Span::new(start.start, start.start),
            steps: vec![Wish { step, span }],
            stays: self.device_depth == 0,
            ..directive::Directive::new(FAMILY, "grid blocksize", span, Kind::Block)
        }
        .written(Written::OpenHmpp(super::Directive { text }));
        let directive = self.checker.unit.directives.alloc(directive);
        self.stmt(StmtKind::Directive { directive, body: Some(body) }, start)
    }

    /// At the end of a function, a `grid blocksize` that no loop follows.
    pub(super) fn hmppcg_ends(&mut self) {
        if let Some((_, _, span)) = self.labels.block.take() {
            self.checker.error(span, "no loop follows this directive of `hmppcg`");
        }
    }

    /// One directive; what is wrong with it is reported.
    fn hmppcg_line(&mut self, number: u32, said: &mut Said) {
        let tokens = self.hmpp_tokens(number);
        let text = self.spelled(&tokens);
        said.texts.push(text);
        // What is wrong with it is reported; the loop stands for itself.
        let _: Parsed<()> = self.within(tokens, |parser| parser.hmppcg_directive(said));
    }

    fn hmppcg_directive(&mut self, said: &mut Said) -> Parsed<()> {
        let _ = self.eat(Punct::Amp);
        if self.at(Punct::LParen) {
            // For one target alone.
            self.advance();
            let mut ours = false;
            while !self.eat(Punct::RParen) {
                ours |= self.word().is_some_and(|word| word.eq_ignore_ascii_case("CUDA"));
                if self.peek() == TokenKind::EndOfPragma {
                    return Err(self.unexpected("`)` behind the target"));
                }
                self.advance();
            }
            if !ours {
                return Ok(());
            }
        }
        let span = self.span();
        let Some(mut word) = self.word() else {
            return Err(self.unexpected("a directive of `hmppcg`"));
        };
        self.advance();
        if word == "grid" && self.eat_word("blocksize") {
            word = "grid blocksize".to_owned();
        }
        let Some(form) = names::find(LOOP_DIRECTIVES, &word) else {
            return Err(self.hmpp_unknown("directive", &word, span, LOOP_DIRECTIVES));
        };
        // The first that divides the loop gives the construct its name.
        if said.words.is_none() || form.spelling == "gridify" || form.spelling == "parallel" {
            said.words = Some((form.spelling, span));
        }
        let before = said.steps.len();
        match form.spelling {
            "parallel" => said.order = Some(LoopOrder::Independent),
            "noParallel" => said.order = Some(LoopOrder::Seq),
            "gridify" if self.at(Punct::LParen) => {
                self.advance();
                loop {
                    // `nbv*s` is one dimension of two loops.
                    let (name, span) = self.expect_name("the variable of a loop")?;
                    said.grid.push((self.checker.unit.text(name).to_owned(), span));
                    if !self.eat(Punct::Star) && !self.eat(Punct::Comma) {
                        break;
                    }
                }
                self.expect(Punct::RParen, "behind the loops of `gridify`")?;
            }
            "gridify" => said.order = Some(LoopOrder::Independent),
            "grid blocksize" => {
                let (x, y) = self.block_size()?;
                said.steps.push((None, Asked::Block(x, y), span));
            }
            "permute" => {
                let parens = self.eat(Punct::LParen);
                let mut order = Vec::new();
                loop {
                    let (name, _) = self.expect_name("the variable of a loop")?;
                    order.push(self.checker.unit.text(name).to_owned());
                    if !self.eat(Punct::Comma) {
                        break;
                    }
                }
                if parens {
                    self.expect(Punct::RParen, "behind the loops of `permute`")?;
                }
                said.steps.push((None, Asked::Permute(order), span));
            }
            "unroll" => {
                for (variable, factor) in self.factors()? {
                    said.steps.push((variable, Asked::Unroll(factor, Rounds::default()), span));
                }
            }
            "tile" => {
                let strips = self.factors()?;
                said.steps.push((None, Asked::Strip(strips), span));
            }
            "fullunroll" => {
                self.skip_parens();
                said.steps.push((None, Asked::FullUnroll, span));
            }
            "fuse" => said.steps.push((None, Asked::Fuse, span)),
            "distribute" => said.steps.push((None, Asked::Distribute, span)),
            // Where data is kept close is chosen by how often it is read.
            _ if self.at(Punct::LParen) => self.skip_parens(),
            _ => self.skip_names()?,
        }
        let asked = said.steps.len() - before;
        self.hmppcg_clauses(said, asked)
    }

    /// `4`, `(8)`, or `i:4, j:2`.
    fn factors(&mut self) -> Parsed<Vec<(Option<String>, u32)>> {
        let mut factors = Vec::new();
        let parens = self.eat(Punct::LParen);
        loop {
            let mut variable = None;
            if let TokenKind::Ident(name) = self.peek() {
                variable = Some(self.checker.unit.text(name).to_owned());
                self.advance();
                self.expect(Punct::Colon, "behind the variable of the loop")?;
            }
            let at = self.span();
            let factor = self.hmpp_number()?;
            let Ok(factor @ 1..=1024) = u32::try_from(factor) else {
                self.checker.error(at, "this is a number from 1 to 1024");
                return Err(Failed);
            };
            factors.push((variable, factor));
            let more = self.at(Punct::Comma)
                && matches!(self.peek_ahead(2), TokenKind::Punct(Punct::Colon));
            if !more {
                break;
            }
            self.advance();
        }
        if parens {
            self.expect(Punct::RParen, "behind the factor")?;
        }
        Ok(factors)
    }

    /// `x, y`: variables without parentheses, up to a clause.
    fn skip_names(&mut self) -> Parsed<()> {
        while self.word().is_some_and(|word| names::find(LOOP_CLAUSES, &word).is_none()) {
            let (name, span) = self.expect_name("a variable")?;
            let name = self.checker.name(name, span);
            if self.checker.unit.named(name).is_none() {
                return Err(Failed);
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        Ok(())
    }

    fn skip_parens(&mut self) {
        if !self.eat(Punct::LParen) {
            return;
        }
        let mut depth = 1;
        while depth > 0 && self.peek() != TokenKind::EndOfPragma {
            match self.advance().kind {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                _ => {}
            }
        }
    }

    /// `32 X 8`, `32x8` or `"32x8"`: threads along the fastest and the second dimension of a block.
    fn block_size(&mut self) -> Parsed<(u32, u32)> {
        let start = self.span();
        let mut text = String::new();
        while !matches!(self.peek(), TokenKind::EndOfPragma | TokenKind::Punct(Punct::Comma)) {
            let token = self.advance();
            text += &self.spelled(&[token]);
        }
        let span = self.span_from(start);
        let text = text.trim_matches('"').to_ascii_lowercase();
        let mut parts = text.split(['x', ',']).map(|part| part.trim().parse::<u32>());
        let (x, y, more) = (parts.next(), parts.next(), parts.next());
        match (x, y.unwrap_or(Ok(1)), more) {
            (Some(Ok(x @ 1..=1024)), Ok(y @ 1..=1024), None) if x * y <= 1024 => Ok((x, y)),
            _ => {
                let message = "the size of a block is `\"32x4\"`, with 1024 threads at most";
                self.checker.error(span, message);
                Err(Failed)
            }
        }
    }

    /// The clauses of a directive, which has asked for so many steps.
    fn hmppcg_clauses(&mut self, said: &mut Said, asked: usize) -> Parsed<()> {
        loop {
            while self.eat(Punct::Comma) || self.eat(Punct::Amp) {}
            if self.peek() == TokenKind::EndOfPragma {
                return Ok(());
            }
            let span = self.span();
            let Some(word) = self.word() else { return Err(self.unexpected("a clause")) };
            let Some(clause) = names::find(LOOP_CLAUSES, &word) else {
                return Err(self.hmpp_unknown("clause", &word, span, LOOP_CLAUSES));
            };
            self.advance();
            match clause.spelling {
                "blocksize" => {
                    let (x, y) = self.block_size()?;
                    said.steps.push((None, Asked::Block(x, y), span));
                }
                "private" => {
                    let vars = self.argument("private", Parser::var_list)?;
                    said.private.extend(vars);
                }
                "reduce" => {
                    let reduction = self.argument("reduce", |parser| {
                        let op = parser.reduction_operator()?;
                        parser.expect(Punct::Colon, "behind the operator")?;
                        Ok(Reduction { op, vars: parser.var_list()? })
                    })?;
                    said.reductions.push(reduction);
                }
                "jam" | "split" | "guarded" | "noremainder" => {
                    // Those of this line.
                    let own = said.steps.iter_mut().rev().take(asked);
                    for (_, step, _) in own {
                        let Asked::Unroll(factor, rounds) = step else { continue };
                        match clause.spelling {
                            "jam" => *step = Asked::UnrollJam(*factor),
                            "split" => rounds.split = true,
                            "guarded" => rounds.guarded = true,
                            _ => rounds.whole = true,
                        }
                    }
                }
                _ => self.skip_parens(),
            }
        }
    }

    /// The loops of `gridify` as a step, where they are the outermost ones only behind a `permute`.
    fn permuted_grid(&self, said: &Said, nest: &[Loop], body: StmtId) -> Option<Wish> {
        let unit = &self.checker.unit;
        let order = said.steps.iter().find_map(|(_, asked, _)| match asked {
            Asked::Permute(order) => Some(order),
            _ => None,
        })?;
        let sorted = |names: &[String]| {
            let mut names = names.to_vec();
            names.sort();
            names
        };
        let wanted: Vec<String> = said.grid.iter().map(|(name, _)| name.clone()).collect();
        let (outermost, behind) = (
            nest.iter().take(wanted.len()).map(|own| own.name.clone()).collect::<Vec<_>>(),
            order.get(..wanted.len()).filter(|first| !first.is_empty())?,
        );
        let is_about = |names: &[String]| sorted(names) == sorted(&wanted);
        if is_about(&outermost) || !is_about(behind) {
            return None;
        }
        let find = |name: &String| nest.iter().find(|own| own.name == *name);
        let grid: Option<Vec<LoopName>> = behind
            .iter()
            .map(|name| find(name).map(|own| named(unit, own.stmt, &own.name)))
            .collect();
        let step = Step::Grid { nest: all_loops(unit, body), grid: grid? };
        Some(Wish { step, span: said.grid[0].1 })
    }

    /// How many loops of the nest `gridify` divides.
    fn grid_of(&mut self, said: &Said, nest: &[Loop]) -> Option<u32> {
        if said.grid.is_empty() {
            return None;
        }
        let names =
            |count: usize| nest.iter().take(count).map(|own| own.name.clone()).collect::<Vec<_>>();
        // In whatever order: which dimension is which, is the order of the loops.
        let count = said.grid.len();
        let mut wanted: Vec<String> = said.grid.iter().map(|(name, _)| name.clone()).collect();
        let mut found = names(count);
        wanted.sort();
        found.sort();
        if wanted == found {
            return Some(count as u32);
        }
        let known: Vec<String> = names(nest.len());
        let missing = said.grid.iter().find(|(name, _)| !known.contains(name));
        let (message, span) = match missing {
            Some((name, span)) => (format!("there is no loop over `{name}` in this nest"), *span),
            None => (format!("`gridify` is about the outermost {count} loops"), said.grid[0].1),
        };
        let diagnostic = Diagnostic::error(message)
            .help(format!("the loops, from outside to inside, are {}", known.join(", ")));
        self.checker.report(span, diagnostic);
        None
    }

    /// The steps, with the loops that they are about.
    fn steps_of(&mut self, said: &Said, nest: &[Loop], body: StmtId) -> Vec<Wish> {
        let unit = &self.checker.unit;
        let mut wishes = Vec::new();
        let mut unknown = Vec::new();
        let is_first = |own: &Loop| nest.first().is_some_and(|first| first.stmt == own.stmt);
        let is_at_once = |own: &Loop| {
            said.grid.iter().any(|(name, _)| *name == own.name)
                || said.order == Some(LoopOrder::Independent) && is_first(own)
        };
        for (variable, asked, span) in &said.steps {
            let own = match variable {
                None => nest.first(),
                Some(name) => nest.iter().find(|own| own.name == *name),
            };
            let Some(own) = own else {
                unknown.push((variable.clone().unwrap_or_default(), *span));
                continue;
            };
            let loop_name = |own: &Loop| named(unit, own.stmt, &own.name);
            let step = match asked {
                Asked::Unroll(factor, rounds) => Step::Unroll(loop_name(own), *factor, *rounds),
                // Rounds of a loop whose iterations run at once are iterations of a thread, side by side in any case.
                Asked::UnrollJam(factor) if is_at_once(own) => {
                    Step::Unroll(loop_name(own), *factor, Rounds::default())
                }
                Asked::UnrollJam(factor) => Step::UnrollJam(loop_name(own), *factor),
                Asked::FullUnroll => match trips(unit, own.stmt) {
                    Some(count @ 1..=1024) => {
                        Step::Unroll(loop_name(own), count as u32, Rounds::default())
                    }
                    _ => Step::Unknown("fullunroll"),
                },
                Asked::Block(x, y) => Step::Block {
                    nest: all_loops(unit, body),
                    x: *x,
                    y: *y,
                    shared: false,
                    word: "blocksize",
                },
                Asked::DefaultBlock => {
                    let (x, y) = GRID;
                    Step::DefaultBlock { nest: all_loops(unit, body), x, y }
                }
                Asked::Strip(strips) => {
                    let of = |(name, size): &(Option<String>, u32)| match name {
                        None => Ok((loop_name(own), *size)),
                        Some(name) => nest
                            .iter()
                            .find(|own| own.name == *name)
                            .map(|own| (loop_name(own), *size))
                            .ok_or_else(|| name.clone()),
                    };
                    match strips.iter().map(of).collect() {
                        Ok(loops) => Step::Strip(loops),
                        Err(name) => {
                            unknown.push((name, *span));
                            continue;
                        }
                    }
                }
                Asked::Fuse => Step::Fuse(loop_name(own), None),
                Asked::Distribute => Step::Distribute(loop_name(own)),
                Asked::Permute(order) => {
                    let loops: Vec<LoopName> =
                        nest.iter().take(order.len()).map(loop_name).collect();
                    let names: Vec<&String> = loops.iter().map(|l| &l.variable).collect();
                    let wanted: Vec<&String> = order.iter().collect();
                    // In the order of the program.
                    if names == wanted {
                        continue;
                    }
                    let (mut of, mut to) = (names, wanted);
                    of.sort();
                    to.sort();
                    let is_tight = nest.iter().take(order.len()).skip(1).all(|own| own.is_tight);
                    if of != to || !is_tight {
                        unknown.push((order.join(", "), *span));
                        continue;
                    }
                    Step::Permute(loops, order.clone())
                }
            };
            wishes.push(Wish { step, span: *span });
        }
        let known: Vec<&str> = nest.iter().map(|own| own.name.as_str()).collect();
        let help = format!("the loops, from outside to inside, are {}", known.join(", "));
        for (name, span) in unknown {
            let message = format!("the loops {name} are no tight nest here");
            self.checker.report(span, Diagnostic::error(message).help(help.clone()));
        }
        wishes
    }
}

/// A loop of a nest.
struct Loop {
    name: String,
    stmt: StmtId,
    /// Whether it is all that the loop around has.
    is_tight: bool,
}

/// The loops of a nest, from outside to inside, as long as there is one in each.
fn nest_of(unit: &TranslationUnit, stmt: StmtId) -> Vec<Loop> {
    let mut nest = Vec::new();
    let (mut at, mut is_tight) = (stmt, true);
    loop {
        match &unit.stmts[at].kind {
            StmtKind::Compound(inner) => {
                is_tight &= inner.len() == 1;
                let mut loops = inner.iter().filter(|&&stmt| is_loop(unit, stmt));
                let (Some(&only), None) = (loops.next(), loops.next()) else { return nest };
                at = only;
            }
            StmtKind::Directive { body: Some(body), .. } => at = *body,
            StmtKind::For { body, .. } => {
                let Some(decl) = unit.counted_by(at) else { return nest };
                nest.push(Loop { name: unit.name(decl).to_owned(), stmt: at, is_tight });
                (at, is_tight) = (*body, true);
            }
            _ => return nest,
        }
    }
}

/// Whether a statement is a loop, with directives or without.
fn is_loop(unit: &TranslationUnit, stmt: StmtId) -> bool {
    match &unit.stmts[stmt].kind {
        StmtKind::For { .. } => true,
        StmtKind::Directive { body: Some(body), .. } => is_loop(unit, *body),
        StmtKind::Compound(inner) => matches!(inner.as_slice(), [only] if is_loop(unit, *only)),
        _ => false,
    }
}
