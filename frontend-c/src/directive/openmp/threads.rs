//! Regions that every team, or every thread of one, executes: as loops over their numbers, where the program
//! can tell them apart.
//!
//! `parallel` has each thread execute its statement. That is a loop over threads, whose iterations are divided
//! among lanes; where it stands in pieces between barriers (OpenMP 5.2 §15.3), each piece is a loop of its
//! own (Stratton et al. 2008, "MCUDA", §3.2). A worksharing loop in it takes the iterations from its thread's
//! number on in steps of the number of threads (`schedule(static, 1)`). `teams` is the same with gangs, where
//! the number of a team is asked for; else it needs no such loop.

use gpuc_diagnostics::Diagnostic;
use rustc_hash::FxHashSet;

use super::carried;
use super::orphans::called_by_team;
use super::pieces::{Piece, Pieces, declared, gone_through_together};
use super::serial::{self, Excludes};
use crate::directive::construct::{Chunk, Explicit, GANG, LANE, Nest, WorkShare};
use crate::directive::{self, Family, Kind, VarRef, Written};
use crate::lex::scan;
use crate::lower::walk::{self, Below, Node};
use crate::parse::{Parsed, Parser};
use crate::source::Span;
use crate::tree::{BinaryOp, DeclId, ExprId, ExprKind, StmtId, StmtKind, TranslationUnit};
use crate::types::Type;

/// How many teams there are where nothing says so.
const TEAMS: i128 = 64;

/// How many threads a team has where nothing says so.
pub(super) const THREADS: i128 = 128;

/// Which numbers a statement, or a function that it calls, asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asks {
    /// Of teams.
    pub teams: bool,
    /// Of threads.
    pub threads: bool,
}

/// What a statement asks for.
pub(super) fn asks(unit: &TranslationUnit, stmt: StmtId) -> Asks {
    let mut asks = Asks::default();
    walk::through_calls(unit, [stmt], &mut |node| {
        if let Some((decl, _)) = walk::called(unit, node) {
            match unit.name(decl) {
                "omp_get_team_num" | "omp_get_num_teams" => asks.teams = true,
                "omp_get_thread_num"
                | "omp_get_num_threads"
                | "omp_in_parallel"
                | "omp_get_level"
                | "omp_get_active_level" => {
                    asks.threads = true;
                }
                _ => {}
            }
        }
        Below::Enter
    });
    asks
}

/// The variables that a statement names.
pub(super) fn named(unit: &TranslationUnit, stmt: StmtId) -> FxHashSet<DeclId> {
    let mut found = FxHashSet::default();
    walk::stmt(unit, stmt, &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Name(decl) = unit.exprs[expr].kind
        {
            found.insert(decl);
        }
        if let Node::Stmt(stmt) = node
            && let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind
        {
            found.extend(unit.directives[directive].reductions().map(|(_, var)| var.decl));
        }
        Below::Enter
    });
    found
}

/// The variables that functions name which a statement calls.
pub(super) fn named_by_callees(unit: &TranslationUnit, stmt: StmtId) -> FxHashSet<DeclId> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut pending = vec![stmt];
    while let Some(stmt) = pending.pop() {
        walk::stmt(unit, stmt, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Call { callee, .. } = unit.exprs[expr].kind
                && let Some((decl, Some(body))) = walk::callee(unit, callee)
                && seen.insert(decl)
            {
                found.extend(named(unit, body));
                pending.push(body);
            }
            Below::Enter
        });
    }
    found
}

/// The number of processors that a clause asks for, or the usual one.
pub(super) struct Count {
    /// What the clauses say.
    pub asked: Option<ExprId>,
    /// What these are at most.
    pub limit: Option<ExprId>,
    /// On which condition there are more than one.
    pub condition: Option<ExprId>,
    /// Why they act one after another, if they do.
    pub excludes: Option<Excludes>,
}

impl Parser {
    /// A loop over the numbers of teams or threads, in a directive of its own, which has a copy of the
    /// `like`'s private variables and reductions.
    pub(super) fn over_numbers(
        &mut self,
        like: &directive::Directive,
        level: usize,
        count: &Count,
        body: StmtId,
    ) -> Parsed<StmtId> {
        let span = like.name;
        let variable = if level == GANG { "__gpuc_team" } else { "__gpuc_thread" };
        let text = format!("for (int {variable} = 0; {variable} < 1; ++{variable}) ;");
        let tokens = scan(&text, span, &mut self.checker.unit.symbols);
        let stmt = self.within(tokens, Parser::statement)?;
        let usual = if level == GANG { TEAMS } else { THREADS };
        let mut number = match count.asked {
            Some(asked) => self.checker.convert(asked, Type::INT),
            None => self.checker.int(usual, Type::INT, span),
        };
        if let Some(limit) = count.limit {
            let limit = self.checker.convert(limit, Type::INT);
            let kind = ExprKind::Binary(BinaryOp::Less, number, limit);
            let condition = self.checker.value(kind, Type::INT, span);
            let kind = ExprKind::Conditional { condition, then: Some(number), otherwise: limit };
            number = self.checker.value(kind, Type::INT, span);
        }
        if let Some(condition) = count.condition {
            let one = self.checker.int(1, Type::INT, span);
            let kind = ExprKind::Conditional { condition, then: Some(number), otherwise: one };
            number = self.checker.value(kind, Type::INT, span);
        }
        let unit = &mut self.checker.unit;
        let StmtKind::For { condition, body: inside, .. } = &mut unit.stmts[stmt].kind else {
            return Ok(body);
        };
        *inside = body;
        let condition = *condition;
        if let Some(condition) = condition
            && let ExprKind::Binary(BinaryOp::Less, variable, _) = unit.exprs[condition].kind
        {
            unit.exprs[condition].kind = ExprKind::Binary(BinaryOp::Less, variable, number);
        }
        let Some(nest) = numbered(unit, stmt, level) else { return Ok(body) };
        let mut directive = directive::Directive {
            span: like.span,
            stays: like.stays,
            nest: Some(nest),
            private: like.private.clone(),
            firstprivate: like.firstprivate.clone(),
            reductions: like.reductions.clone(),
            ..directive::Directive::new(Family::OpenMp, like.words, like.name, Kind::Loop)
        };
        if let Some(because) = count.excludes {
            serial::in_turns(unit, &mut directive, because);
        }
        let directive = unit.directives.alloc(directive);
        Ok(self.stmt(StmtKind::Directive { directive, body: Some(stmt) }, span))
    }

    /// The loop part of a combined directive, as a directive of its own around its statement.
    pub(super) fn split_loop(
        &mut self,
        combined: &mut directive::Directive,
        body: StmtId,
    ) -> StmtId {
        let Some(nest) = combined.nest.take() else { return body };
        let inner = directive::Directive {
            span: combined.span,
            stays: combined.stays,
            values: values_of(&nest, &combined.linear),
            nest: Some(nest),
            private: std::mem::take(&mut combined.private),
            lastprivate: combined.lastprivate.clone(),
            linear: combined.linear.clone(),
            reductions: combined.reductions.clone(),
            ..directive::Directive::new(Family::OpenMp, combined.words, combined.name, Kind::Loop)
        };
        let directive = self.checker.unit.directives.alloc(inner);
        self.stmt(StmtKind::Directive { directive, body: Some(body) }, combined.name)
    }

    /// The statement of a `parallel` region, as loops over its threads and what these divide among them.
    pub(super) fn parallel_body(
        &mut self,
        parallel: &mut directive::Directive,
        count: &Count,
        body: StmtId,
    ) -> Parsed<StmtId> {
        let start = self.checker.unit.stmts[body].span;
        let own = carried::own(&self.checker.unit, parallel, body);
        let pieces = self.pieces(&own, body);
        let again = carried::used_in_several(&self.checker.unit, &own, &pieces);
        let mut because = self.waits_below(parallel, &pieces);
        if because.is_none() && !again.is_empty() {
            match self.carried_through(parallel, count, &pieces, &again, start)? {
                Ok(made) => return Ok(made),
                Err(decl) => because = Some(self.has_one_thread(parallel, decl)),
            }
        }
        if let Some(because) = because {
            parallel.remark.get_or_insert_with(|| Box::new(because));
            let one = Count {
                asked: Some(self.checker.int(1, Type::INT, start)),
                limit: None,
                condition: None,
                excludes: None,
            };
            return self.over_numbers(parallel, LANE, &one, body);
        }
        let mut whole = Vec::new();
        for Piece { by_each, stmts, loops } in pieces {
            if !by_each {
                whole.extend(stmts.into_iter().map(|stmt| (loops.clone(), stmt)));
                continue;
            }
            let inside = self.stmt(StmtKind::Compound(stmts), start);
            whole.push((loops, self.over_numbers(parallel, LANE, count, inside)?));
        }
        Ok(self.in_loops(&whole, 0, start))
    }

    /// The pieces of a `parallel` region between barriers.
    fn pieces(&self, own: &FxHashSet<DeclId>, body: StmtId) -> Pieces {
        let mut pieces: Pieces = Vec::new();
        // What threads have declared for themselves so far.
        let mut known = own.clone();
        self.add_pieces(&mut pieces, &mut known, &[], body);
        pieces.retain(|piece| !piece.stmts.is_empty());
        pieces
    }

    /// Adds the pieces of a statement in loops that all threads go through together.
    fn add_pieces(
        &self,
        pieces: &mut Pieces,
        known: &mut FxHashSet<DeclId>,
        loops: &[StmtId],
        body: StmtId,
    ) {
        let unit = &self.checker.unit;
        let piece = |by_each, stmts| Piece { by_each, stmts, loops: loops.to_vec() };
        for stmt in top_level(unit, body) {
            let waits = self.nested_barrier(&[stmt]).is_some();
            if waits && matches!(unit.stmts[stmt].kind, StmtKind::Compound(_)) {
                self.add_pieces(pieces, known, loops, stmt);
                continue;
            }
            if waits && let Some(body) = gone_through_together(unit, stmt, known) {
                let around: Vec<StmtId> = loops.iter().copied().chain([stmt]).collect();
                self.add_pieces(pieces, known, &around, body);
                pieces.push(piece(false, Vec::new()));
                continue;
            }
            // A function that threads call together, to divide its loops, is called once by their team.
            if waits && called_by_team(unit, stmt, known) && !asks(unit, stmt).threads {
                pieces.push(piece(false, vec![stmt]));
                continue;
            }
            let words = words(unit, stmt);
            let divided = matches!(words, "for" | "for simd" | "loop" | "sections");
            // Without their numbers, it does not matter which threads divide a loop.
            let alone = divided
                && !asks(unit, stmt).threads
                && (pieces.is_empty() || named(unit, stmt).is_disjoint(known));
            known.extend(declared(unit, stmt));
            match words {
                "barrier" => pieces.push(piece(false, Vec::new())),
                _ if alone || is_by_one(directive_of(unit, stmt)) => {
                    pieces.push(piece(false, vec![stmt]));
                }
                _ => match pieces.last_mut() {
                    Some(last) if last.by_each && last.loops == loops => last.stmts.push(stmt),
                    _ => pieces.push(piece(true, vec![stmt])),
                },
            }
            if divided || words == "scope" {
                pieces.push(piece(false, Vec::new()));
            }
        }
    }

    /// Why a `parallel` region has one thread where threads would wait for each other below its top level.
    fn waits_below(&self, parallel: &directive::Directive, pieces: &Pieces) -> Option<Diagnostic> {
        let pieces = pieces.iter().filter(|piece| piece.by_each);
        let (words, span) = pieces.flat_map(|piece| self.nested_barrier(&piece.stmts)).next()?;
        let what = format!(
            "threads would wait for each other at a `{words}` that is not at its top level"
        );
        Some(self.one_thread(parallel, &what, span))
    }

    /// Why a `parallel` region has one thread where what each has for itself cannot be carried past a barrier.
    fn has_one_thread(&self, parallel: &directive::Directive, decl: DeclId) -> Diagnostic {
        let decl = &self.checker.unit.decls[decl];
        let name = decl.name.map_or("", |name| self.checker.unit.text(name));
        let what = format!(
            "`{name}`, which each thread has for itself, is used in front of and behind a barrier"
        );
        self.one_thread(parallel, &what, decl.span)
    }

    fn one_thread(&self, parallel: &directive::Directive, what: &str, span: Span) -> Diagnostic {
        let unit = &self.checker.unit;
        Diagnostic::warning(format!("this `{}` has one thread: {what}", parallel.words))
            .at(unit.place(parallel.name))
            .related(unit.place(span), "here")
            .help("end the region at the barrier, and begin another one")
    }

    /// A directive below the top level of a piece, in it or in a function that it calls, at which threads wait.
    fn nested_barrier(&self, piece: &[StmtId]) -> Option<(&'static str, Span)> {
        let unit = &self.checker.unit;
        let mut found = None;
        let last = piece.last().copied();
        walk::through_calls(unit, piece.iter().copied(), &mut |node| {
            if let Node::Stmt(stmt) = node
                && let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind
            {
                let inner = &unit.directives[directive];
                // What is nested in it has threads of its own.
                if inner.words.starts_with("parallel") {
                    return Below::Skip;
                }
                let is_shared = inner.nest.as_ref().is_some_and(|nest| nest.shared[LANE]);
                let waits = is_shared || inner.words == "barrier" || is_by_one(Some(inner));
                if waits && Some(stmt) != last {
                    found.get_or_insert((inner.words, inner.name));
                }
            }
            Below::Enter
        });
        found
    }
}

/// The nest of a loop `for (int number = 0; number < count; ++number)` over the numbers of processors.
pub(super) fn numbered(unit: &TranslationUnit, stmt: StmtId, level: usize) -> Option<Nest> {
    let StmtKind::For { init, condition, .. } = unit.stmts[stmt].kind else { return None };
    let StmtKind::Declaration(decls) = &unit.stmts[init?].kind else { return None };
    let ExprKind::Binary(BinaryOp::Less, _, count) = unit.exprs[condition?].kind else {
        return None;
    };
    let mut levels = [None; 3];
    levels[level] = Some(WorkShare { size: None, dimension: 1 });
    let explicit = Some(Explicit { level, variable: *decls.first()?, count });
    Some(Nest { levels, explicit, yields: true, ..Nest::default() })
}

/// The expressions that say how a loop's iterations are shared and what goes with their numbers.
pub(super) fn values_of(nest: &Nest, linear: &[(VarRef, Option<ExprId>)]) -> Vec<ExprId> {
    let chunks = nest.chunks.iter().filter_map(|chunk| match chunk {
        Chunk::Of(chunk) => Some(*chunk),
        _ => None,
    });
    chunks.chain(linear.iter().filter_map(|(_, step)| *step)).collect()
}

/// The statements of a `parallel` region; those of a `scope` that has nothing of its own are its own.
fn top_level(unit: &TranslationUnit, body: StmtId) -> Vec<StmtId> {
    let list = match &unit.stmts[body].kind {
        StmtKind::Compound(list) => list.clone(),
        _ => vec![body],
    };
    let mut statements = Vec::new();
    for stmt in list {
        match unit.stmts[stmt].kind {
            StmtKind::Directive { directive, body: Some(body) }
                if unit.directives[directive].words == "scope" =>
            {
                let scope = &unit.directives[directive];
                let has_own = !scope.private.is_empty()
                    || !scope.firstprivate.is_empty()
                    || !scope.reductions.is_empty();
                match has_own {
                    true => statements.push(stmt),
                    false => statements.extend(top_level(unit, body)),
                }
            }
            _ => statements.push(stmt),
        }
    }
    statements
}

/// The words of a statement's directive.
fn words(unit: &TranslationUnit, stmt: StmtId) -> &'static str {
    directive_of(unit, stmt).map_or("", |directive| directive.words)
}

fn directive_of(unit: &TranslationUnit, stmt: StmtId) -> Option<&directive::Directive> {
    match unit.stmts[stmt].kind {
        StmtKind::Directive { directive, .. } => Some(&unit.directives[directive]),
        _ => None,
    }
}

/// Whether one thread of the team executes what a directive is about.
pub(super) fn is_by_one(directive: Option<&directive::Directive>) -> bool {
    let Some(directive) = directive else { return false };
    let words = directive.words;
    let filters =
        matches!(&directive.written, Written::OpenMp(written) if written.filter().is_some());
    words == "single" || words.starts_with("master") || words.starts_with("masked") && !filters
}
