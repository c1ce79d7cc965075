//! How deep device code may be nested.
//!
//! Host code may be as deep as it likes; only the host compiler compiles it. What stands in a region
//! is lowered, analysed and printed by recursion, so it has a limit.

use gpuc_diagnostics::{Diagnostic, codes};
use rustc_hash::FxHashSet;

use super::walk::{self, Below, Node};
use crate::tree::{DeclId, ExprId, ExprKind, StmtId, StmtKind, TranslationUnit};

/// Operators that lie within each other, at most.
const EXPRESSION: u32 = 1500;

/// Statements that lie within each other, at most.
const STATEMENTS: u32 = 200;

/// Refuses what is too deep in some expressions, a statement, and the functions that they call.
///
/// # Errors
/// The first place that is.
pub(super) fn check(
    unit: &TranslationUnit,
    values: &[ExprId],
    body: StmtId,
) -> Result<(), Box<Diagnostic>> {
    let mut search = Search { unit, pending: vec![body], seen: FxHashSet::default(), found: None };
    for &value in values {
        walk::expr(unit, value, &mut |node| search.visit(node, &mut 0));
    }
    while let Some(body) = search.pending.pop() {
        let mut depth = 0;
        walk::stmt(unit, body, &mut |node| search.visit(node, &mut depth));
    }
    search.found.map_or(Ok(()), Err)
}

struct Search<'a> {
    unit: &'a TranslationUnit,
    /// Bodies that are still to be looked at.
    pending: Vec<StmtId>,
    /// Functions that have been come upon.
    seen: FxHashSet<DeclId>,
    found: Option<Box<Diagnostic>>,
}

impl Search<'_> {
    fn visit(&mut self, node: Node, depth: &mut u32) -> Below {
        let unit = self.unit;
        match node {
            Node::Expr(expr) => {
                if unit.exprs[expr].height > EXPRESSION {
                    self.refuse(unit.exprs[expr].span, EXPRESSION, "operators");
                    return Below::Skip;
                }
                if let ExprKind::Call { callee, .. } = unit.exprs[expr].kind
                    && let Some((decl, Some(body))) = walk::callee(unit, callee)
                    && self.seen.insert(decl)
                {
                    self.pending.push(body);
                }
            }
            Node::Stmt(stmt) if self.counts(stmt) => {
                if *depth >= STATEMENTS {
                    self.refuse(unit.stmts[stmt].span, STATEMENTS, "statements");
                    return Below::Skip;
                }
                *depth += 1;
            }
            Node::Leave(stmt) if self.counts(stmt) => *depth -= 1,
            _ => {}
        }
        Below::Enter
    }

    /// Whether a statement is a level: labels of a `switch` are taken off all at once.
    fn counts(&self, stmt: StmtId) -> bool {
        !matches!(self.unit.stmts[stmt].kind, StmtKind::Case { .. } | StmtKind::Default(_))
    }

    fn refuse(&mut self, span: crate::source::Span, most: u32, what: &str) {
        let message = format!("more than {most} levels of {what} are not supported in device code");
        let diagnostic = Diagnostic::error(message)
            .code(codes::DEVICE_CODE)
            .at(self.unit.place(span))
            .help("write it as a loop, or as several statements");
        self.found.get_or_insert(Box::new(diagnostic));
    }
}
