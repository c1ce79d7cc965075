//! Whether a loop variable's value matters behind a construct.
//!
//! C's loop variables are ordinary scalars: a `kernels` construct copies those of loops without a
//! directive back (OpenACC 3.3 §2.6.2). Most programs never look: every other loop sets the variable
//! first. Then the copy, and the stores that would keep the value, are left out.

use super::clauses;
use super::storage::is_automatic;
use super::walk::{self, Below, Node};
use crate::tree::{DeclId, ExprId, ExprKind, StmtId, StmtKind, TranslationUnit, UnaryOp};

/// Whether anything but the statement `region` of `function` may see what `region` leaves in
/// `variable`. It may not where all other uses stand in `for` statements that assign to it first.
pub(super) fn is_live_out(
    unit: &TranslationUnit,
    function: DeclId,
    region: StmtId,
    variable: DeclId,
) -> bool {
    let Some(body) = unit.function(function).and_then(|function| function.body) else {
        return true;
    };
    if !is_automatic(unit, variable) {
        return true;
    }
    let mut search = Search { unit, region, variable, around: Vec::new(), live: false };
    walk::stmt(unit, body, &mut |node| search.visit(node));
    search.live
}

struct Search<'a> {
    unit: &'a TranslationUnit,
    region: StmtId,
    variable: DeclId,
    /// The open `for` statements that set the variable (true) and the `switch` statements.
    around: Vec<(StmtId, bool)>,
    live: bool,
}

impl Search<'_> {
    fn visit(&mut self, node: Node) -> Below {
        match node {
            Node::Stmt(stmt) => return self.enter(stmt),
            Node::Leave(stmt) => self.around.retain(|&(at, _)| at != stmt),
            Node::Expr(expr) => match self.unit.exprs[expr].kind {
                ExprKind::Unary(UnaryOp::AddressOf, operand) => {
                    self.live |= self.unit.named(operand) == Some(self.variable);
                }
                ExprKind::Name(decl) => {
                    self.live |= decl == self.variable && !self.is_set_first();
                }
                _ => {}
            },
            Node::Declare(_) => {}
        }
        Below::Enter
    }

    /// Whether a `for` statement around the place assigns to the variable when it starts.
    fn is_set_first(&self) -> bool {
        self.around.iter().any(|&(_, sets)| sets)
    }

    fn enter(&mut self, stmt: StmtId) -> Below {
        let unit = self.unit;
        if stmt == self.region {
            // A loop around the region goes on with what the region leaves.
            self.live |= self.is_set_first();
            return Below::Skip;
        }
        match &unit.stmts[stmt].kind {
            StmtKind::For { init: Some(init), .. } if self.sets(*init) => {
                self.around.push((stmt, true));
            }
            StmtKind::Switch { .. } => self.around.push((stmt, false)),
            // A jump into a loop passes its first assignment by.
            StmtKind::Label { .. } => self.live |= self.is_set_first(),
            StmtKind::Case { .. } | StmtKind::Default(_) => {
                self.live |= self.around.last().is_some_and(|&(_, sets)| sets);
            }
            StmtKind::Asm => self.live = true,
            StmtKind::Directive { directive, .. } => {
                let directive = walk::openacc(unit, *directive);
                self.live |= clauses::data(directive).any(|(_, var)| var.decl == self.variable);
            }
            _ => {}
        }
        Below::Enter
    }

    /// Whether the first part of a `for` statement is `variable = value`, with a value that does not
    /// come from the variable.
    fn sets(&self, init: StmtId) -> bool {
        match self.unit.stmts[init].kind {
            StmtKind::Expr(init) => self.assigns(init),
            _ => false,
        }
    }

    fn assigns(&self, expr: ExprId) -> bool {
        match self.unit.exprs[expr].kind {
            ExprKind::Paren(inner) => self.assigns(inner),
            ExprKind::Comma(first, second) => {
                self.assigns(first) || !self.mentions(first) && self.assigns(second)
            }
            ExprKind::Assign { target, value }
                if self.unit.named(target) == Some(self.variable) =>
            {
                !self.mentions(value)
            }
            ExprKind::Assign { value, .. } => self.assigns(value),
            _ => false,
        }
    }

    fn mentions(&self, value: ExprId) -> bool {
        let mut found = false;
        walk::expr(self.unit, value, &mut |node| {
            if let Node::Expr(expr) = node {
                found |= self.unit.named(expr) == Some(self.variable);
            }
            Below::Enter
        });
        found
    }
}
