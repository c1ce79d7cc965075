//! `scan` (OpenMP 5.2 §5.6): loops whose iterations see what those before them have combined.
//!
//! Iterations are executed in order, so that the variable itself holds the prefix at each `scan`. That is what the
//! program asks for as long as the part of an iteration that adds to the prefix does nothing else with it.

use gpuc_diagnostics::{Diagnostic, codes};

use super::{ClauseKind, Directive};
use crate::directive::{self, ReductionOp, VarRef, Written};
use crate::lower::update::reduction;
use crate::parse::Parser;
use crate::source::Span;
use crate::tree::{StmtId, StmtKind, TranslationUnit};

impl Directive {
    /// The variables of `reduction(inscan, …)`.
    fn scanned(&self) -> Vec<(ReductionOp, VarRef)> {
        let clauses = self.clauses.iter().flat_map(|clause| match &clause.kind {
            ClauseKind::Scan { op, vars } => vars.iter().map(|var| (*op, var.clone())).collect(),
            _ => Vec::new(),
        });
        clauses.collect()
    }
}

/// The statements of an iteration that add to the prefix: those in front of an inclusive `scan`, behind an exclusive
/// one.
fn adding(unit: &TranslationUnit, body: StmtId, loops: u32) -> Option<Vec<StmtId>> {
    let mut at = body;
    for _ in 0..loops {
        while let StmtKind::Compound(list) = &unit.stmts[at].kind
            && let [only] = list.as_slice()
        {
            at = *only;
        }
        let StmtKind::For { body, .. } = unit.stmts[at].kind else { return None };
        at = body;
    }
    let StmtKind::Compound(list) = &unit.stmts[at].kind else { return None };
    for (number, &stmt) in list.iter().enumerate() {
        if let StmtKind::Directive { directive, .. } = unit.stmts[stmt].kind
            && let Written::OpenMp(written) = &unit.directives[directive].written
            && written.form.words == "scan"
        {
            let is_inclusive = written.clauses("inclusive").next().is_some();
            return Some(match is_inclusive {
                true => list[..number].to_vec(),
                false => list[number + 1..].to_vec(),
            });
        }
    }
    None
}

impl Parser {
    /// Checks what a loop does with the variables of `reduction(inscan, …)`.
    pub(super) fn check_scan(&mut self, directive: &mut directive::Directive, body: StmtId) {
        let Written::OpenMp(written) = &directive.written else { return };
        let scanned = written.scanned();
        let Some((_, first)) = scanned.first() else { return };
        let unit = &self.checker.unit;
        let problem = match adding(unit, body, directive.collapsed()) {
            None => Some((
                first.span,
                "`reduction` with `inscan` wants a `scan` in the loop's body".to_owned(),
            )),
            Some(list) => scanned.iter().find_map(|(op, var)| wrong(unit, &list, *op, var)),
        };
        if let Some((span, message)) = problem {
            let diagnostic = Diagnostic::error(format!("{message} (OpenMP 5.2 §5.6)"))
                .code(codes::NOT_SUPPORTED)
                .at(unit.place(span));
            directive.refused.get_or_insert_with(|| Box::new(diagnostic.clone()));
            if !directive.stays {
                self.checker.report(span, diagnostic);
            }
            return;
        }
        let message = format!(
            "the iterations of this `{}` are executed one after another: `scan` shows each what those before it have \
             combined",
            directive.words
        );
        let warning = Diagnostic::warning(message).at(unit.place(directive.name));
        directive.remark.get_or_insert_with(|| Box::new(warning));
    }
}

/// What an iteration does with a variable, besides adding to the prefix.
fn wrong(
    unit: &TranslationUnit,
    list: &[StmtId],
    op: ReductionOp,
    var: &VarRef,
) -> Option<(Span, String)> {
    let name = unit.name(var.decl);
    if !var.is_whole_variable(unit) {
        let message = "`inscan` is about scalars in this version of gpuc".to_owned();
        return Some((var.span, message));
    }
    list.iter().find_map(|&stmt| {
        let is_named = super::threads::named(unit, stmt).contains(&var.decl);
        let adds = reduction(unit, stmt, var.decl) == Some(op);
        (is_named && !adds).then(|| {
            let message = format!(
                "the part of an iteration that adds to `{name}` can do nothing else with it than `{}`",
                op.spelling()
            );
            (unit.stmts[stmt].span, message)
        })
    })
}
