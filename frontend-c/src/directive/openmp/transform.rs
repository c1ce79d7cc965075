//! Directives that change the statement behind them before anything else is made of it: `unroll`, `tile`, `masked` with
//! `filter`, `error`.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::llvm::Rounds;

use super::names::Form;
use super::{ClauseKind, Directive};
use crate::directive::construct::{LoopName, Step, Wish};
use crate::directive::data::Mapping;
use crate::directive::loops::{named, trips};
use crate::directive::{self, Written};
use crate::lex::scan;
use crate::lower::walk::{self, Below, Node};
use crate::parse::{Failed, Parsed, Parser};
use crate::source::Span;
use crate::tree::{BinaryOp, ExprKind, StmtId, StmtKind, TranslationUnit};
use crate::types::Type;

/// Whether a directive makes other loops of those behind it.
fn is_transformation(words: &str) -> bool {
    matches!(words, "unroll" | "tile")
}

impl Parser {
    /// The loop that a directive is about, where others stand between them; what an `unroll` asks of its plan.
    pub(super) fn transformed(
        &mut self,
        directive: &mut directive::Directive,
        form: &Form,
        body: StmtId,
    ) -> Parsed<StmtId> {
        if is_transformation(form.words) {
            self.transformation(directive, body);
            return Ok(body);
        }
        let mut body = body;
        // Iterations that are divided have no order that tiles or rounds in one would change.
        while form.is_loop()
            && let StmtKind::Directive { directive: inner, body: Some(inside) } =
                self.checker.unit.stmts[body].kind
            && is_transformation(self.checker.unit.directives[inner].words)
        {
            let inner = &self.checker.unit.directives[inner];
            if inner.words != "tile" {
                directive.steps.extend(inner.steps.iter().cloned());
            }
            body = inside;
        }
        Ok(body)
    }

    /// What `unroll` and `tile` ask for.
    fn transformation(&mut self, directive: &mut directive::Directive, body: StmtId) {
        let Written::OpenMp(written) = &directive.written else { return };
        let unit = &self.checker.unit;
        let place = unit.place(directive.name);
        let mut inside = body;
        while let StmtKind::Directive { directive, body: Some(body) } = unit.stmts[inside].kind
            && is_transformation(unit.directives[directive].words)
        {
            inside = body;
        }
        let Some(variable) = unit.counted_by(inside) else {
            let message = format!("`{}` must be followed by a `for` loop", directive.words);
            let span = unit.stmts[inside].span;
            let diagnostic = Diagnostic::error(message).related(place, "the directive");
            if !directive.stays {
                self.checker.report(span, diagnostic);
            }
            return;
        };
        if directive.words == "tile" {
            if let Some(loops) = tiled(unit, written, inside) {
                // One loop stays in order; of several, the program says what they stand for, and threads execute them so.
                let step = match loops.len() {
                    1 => Step::Strip(loops),
                    _ => Step::Refused(
                        "tile",
                        "loops that a thread executes have tiles in one dimension",
                    ),
                };
                directive.steps.push(Wish { step, span: directive.name });
                return;
            }
            directive.refused.get_or_insert_with(|| {
                Box::new(
                    Diagnostic::error(
                        "`tile` of loops that do not stand directly in each other, or with sizes that are no numbers (OpenMP 5.2 §9.1), \
                         is not supported in device code by this version of gpuc",
                    )
                    .code(codes::NOT_SUPPORTED)
                    .at(place)
                    .help("write `parallel for` in front of it, where iterations may be executed in any order"),
                )
            });
            return;
        }
        let factor = match written.unrolled() {
            Some(Some(factor)) => unit.constant_int(factor),
            Some(None) => trips(unit, inside),
            None => None,
        };
        let factor = factor.and_then(|factor| u32::try_from(factor).ok());
        if let Some(factor @ 2..=1024) = factor {
            let name = named(unit, inside, unit.name(variable));
            directive.steps.push(Wish {
                step: Step::Unroll(name, factor, Rounds::default()),
                span: directive.name,
            });
        }
    }

    /// The statement of a `masked` that is for another thread than the first, as one for the thread of that number.
    pub(super) fn filtered(
        &mut self,
        directive: &mut directive::Directive,
        form: &Form,
        number: u32,
        body: StmtId,
    ) -> Parsed<StmtId> {
        let Written::OpenMp(written) = &directive.written else { return Ok(body) };
        let Some(filter) = written.filter() else { return Ok(body) };
        let span = directive.name;
        if form.has("taskloop") {
            let diagnostic = super::parser::refusal(&format!("filter on {}", form.words), "10.5.1");
            let diagnostic = diagnostic.at(self.checker.unit.place(span));
            directive.refused = Some(Box::new(diagnostic.clone()));
            if !directive.stays {
                self.checker.report(span, diagnostic);
            }
            return Ok(body);
        }
        let text = "{ extern int omp_get_thread_num(void); if (omp_get_thread_num() == 0) ; }";
        let tokens = scan(text, span, &mut self.checker.unit.symbols);
        let whole = self.within(tokens, Parser::statement)?;
        let filter_value = self.checker.convert(filter, Type::INT);
        let unit = &mut self.checker.unit;
        let StmtKind::Compound(list) = unit.stmts[whole].kind.clone() else { return Ok(body) };
        let Some(&chosen) = list.last() else { return Ok(body) };
        let StmtKind::If { condition, then, .. } = &mut unit.stmts[chosen].kind else {
            return Ok(body);
        };
        *then = body;
        let condition = *condition;
        let at = unit.without_casts(condition);
        if let ExprKind::Binary(BinaryOp::Equal, asked, _) = unit.exprs[at].kind {
            unit.exprs[at].kind = ExprKind::Binary(BinaryOp::Equal, asked, filter_value);
        }
        if !directive.stays {
            // Where the host runs the region, it has one thread.
            let text = unit.source.slice(unit.exprs[filter].span);
            let text = format!("if (({}) == 0)", String::from_utf8_lossy(text));
            unit.instead.push((unit.pragmas[number as usize].line.start, text));
        }
        Ok(whole)
    }

    /// What `error` has the compiler say (OpenMP 5.2 §8.5).
    pub(super) fn said_by_error(&mut self, directive: &Directive) -> Parsed<()> {
        if directive.said("at") == Some("execution") {
            return Ok(());
        }
        let text = directive.said("message").unwrap_or("the program says `error`");
        let text = format!("{text} (OpenMP 5.2 §8.5)");
        match directive.said("severity") {
            Some("warning") => self.checker.report(directive.span, Diagnostic::warning(text)),
            _ => {
                self.checker.report(directive.span, Diagnostic::error(text));
                return Err(Failed);
            }
        }
        Ok(())
    }

    /// What `error at(execution)` has device code say and do; the host compiler has its own.
    pub(super) fn error_when_executed(&mut self, directive: &Directive) -> Parsed<StmtId> {
        let unit = &mut self.checker.unit;
        let message = directive.clauses("message").next().map(|clause| {
            let text = String::from_utf8_lossy(unit.source.slice(clause.span)).into_owned();
            let inside = text.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'));
            inside.map_or_else(String::new, |(inside, _)| inside.trim().to_owned())
        });
        let message = message.unwrap_or_else(|| "\"the program says `error`\"".to_owned());
        let text = match directive.said("severity") {
            Some("warning") => format!("__builtin_printf(\"warning: %s\\n\", {message});"),
            _ => format!("{{ __builtin_printf(\"error: %s\\n\", {message}); __builtin_abort(); }}"),
        };
        let tokens = scan(&text, directive.span, &mut unit.symbols);
        self.within(tokens, Parser::statement)
    }

    /// Where a statement names objects, rather than arrays or pointers, that have the device's address in it.
    pub(super) fn renamed(&self, mappings: &[Mapping], body: StmtId) -> Vec<(usize, Span)> {
        let unit = &self.checker.unit;
        let mut found = Vec::new();
        for (item, mapping) in mappings.iter().enumerate() {
            let ty = unit.exprs[mapping.var.base].ty;
            if unit.types.as_array(ty).is_some() || unit.types.is_pointer(ty) {
                continue;
            }
            walk::stmt(unit, body, &mut |node| {
                if let Node::Expr(expr) = node
                    && matches!(unit.exprs[expr].kind, ExprKind::Name(decl) if decl == mapping.var.decl)
                {
                    found.push((item, unit.exprs[expr].span));
                }
                Below::Enter
            });
        }
        // Clauses are read by others, who look for the address on the device.
        let in_clause = |span: &Span| {
            let mut lines = unit.pragmas.iter().map(|pragma| pragma.line);
            lines.any(|line| line.start <= span.start && span.end <= line.end)
        };
        found.retain(|(_, span)| {
            !in_clause(span) && (span.end as usize) <= unit.source.written().len()
        });
        found.sort_unstable_by_key(|&(item, span)| (span.start, item));
        found.dedup();
        found
    }
}

/// The loops that a `tile` is about, from outside to inside, with the sizes of its tiles.
fn tiled(
    unit: &TranslationUnit,
    written: &Directive,
    first: StmtId,
) -> Option<Vec<(LoopName, u32)>> {
    let sizes = written.clauses.iter().find_map(|clause| match &clause.kind {
        ClauseKind::Sizes(sizes) => Some(sizes),
        _ => None,
    })?;
    let mut loops = Vec::new();
    let mut at = first;
    for &size in sizes {
        while let StmtKind::Compound(list) = &unit.stmts[at].kind
            && let [only] = list.as_slice()
        {
            at = *only;
        }
        let StmtKind::For { body, .. } = unit.stmts[at].kind else { return None };
        let variable = unit.name(unit.counted_by(at)?);
        let size = unit.constant_int(size).and_then(|size| u32::try_from(size).ok());
        let size = size.filter(|size| (1..=1024).contains(size))?;
        loops.push((named(unit, at, variable), size));
        at = body;
    }
    Some(loops)
}

impl Directive {
    /// How many rounds `unroll` wants in one: a number, or all of them; `None` where the compiler chooses.
    fn unrolled(&self) -> Option<Option<crate::tree::ExprId>> {
        self.clauses.iter().find_map(|clause| match (clause.name.spelling, &clause.kind) {
            ("partial", ClauseKind::Value(factor)) => Some(Some(*factor)),
            ("full", _) => Some(None),
            _ => None,
        })
    }
}
