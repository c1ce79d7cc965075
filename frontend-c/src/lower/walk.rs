//! Walks over statements with everything in them, in the order of the source.

use crate::directive::Construct;
use crate::directive::openacc::{self, ClauseKind};
use crate::tree::{
    DeclId, DeclKind, DirectiveId, ExprId, ExprKind, Initializer, StmtId, StmtKind, TranslationUnit,
};
use crate::types::{ArraySize, Type};

/// What a walk comes upon.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// An expression, before its operands.
    Expr(ExprId),
    /// A statement, before its parts.
    Stmt(StmtId),
    /// The end of a statement.
    Leave(StmtId),
    /// A declared entity, before its initialiser.
    Declare(DeclId),
}

/// Whether a walk goes on below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    /// Into its parts.
    Enter,
    /// Past them.
    Skip,
}

type Visit<'v> = &'v mut dyn FnMut(Node) -> Below;

/// The expressions that a clause evaluates: those of its values, not its variables.
pub(super) fn clause_values(kind: &ClauseKind) -> Vec<ExprId> {
    match kind {
        ClauseKind::Value(e) | ClauseKind::OptionalValue(Some(e)) => vec![*e],
        ClauseKind::NumGangs(list) => list.clone(),
        ClauseKind::Gang(gang) => gang.num.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The OpenACC directive of that number.
pub(super) fn openacc(unit: &TranslationUnit, id: DirectiveId) -> &openacc::Directive {
    let Construct::OpenAcc(directive) = &unit.directives[id].construct;
    directive
}

/// Walks over an expression.
pub(super) fn expr(unit: &TranslationUnit, id: ExprId, visit: Visit<'_>) {
    if visit(Node::Expr(id)) == Below::Skip {
        return;
    }
    let kind = &unit.exprs[id].kind;
    if let ExprKind::StatementExpr(body) = *kind {
        stmt(unit, body, visit);
    }
    if let ExprKind::SizeofVariable(ty) = *kind {
        extents(unit, ty, visit);
    }
    kind.for_each_operand(|operand| expr(unit, operand, visit));
}

/// Walks over the run-time extents of a type.
fn extents(unit: &TranslationUnit, mut ty: Type, visit: Visit<'_>) {
    loop {
        if let Some((element, size)) = unit.types.as_array(ty) {
            if let ArraySize::Variable(size) = size {
                expr(unit, size, visit);
            }
            ty = element;
        } else if let Some(to) = unit.types.pointee(ty) {
            ty = to;
        } else {
            return;
        }
    }
}

/// Walks over a declaration: the extents of its type, its initialiser.
fn declaration(unit: &TranslationUnit, decl: DeclId, visit: Visit<'_>) {
    if visit(Node::Declare(decl)) == Below::Skip {
        return;
    }
    extents(unit, unit.decls[decl].ty, visit);
    let DeclKind::Variable(variable) = &unit.decls[decl].kind else { return };
    match &variable.init {
        Some(Initializer::Value(value)) => expr(unit, *value, visit),
        Some(Initializer::List(elements)) => {
            elements.iter().for_each(|element| expr(unit, element.value, visit))
        }
        None => {}
    }
}

/// Walks over a statement.
pub(super) fn stmt(unit: &TranslationUnit, id: StmtId, visit: Visit<'_>) {
    if visit(Node::Stmt(id)) == Below::Skip {
        return;
    }
    match &unit.stmts[id].kind {
        StmtKind::Empty
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Asm => {}
        StmtKind::Expr(e) | StmtKind::GotoComputed(e) => expr(unit, *e, visit),
        StmtKind::Return(value) => value.iter().for_each(|&e| expr(unit, e, visit)),
        StmtKind::Declaration(decls) => {
            decls.iter().for_each(|&decl| declaration(unit, decl, visit));
        }
        StmtKind::Compound(inner) => inner.iter().for_each(|&s| stmt(unit, s, visit)),
        StmtKind::If { condition, then, otherwise } => {
            expr(unit, *condition, visit);
            stmt(unit, *then, visit);
            otherwise.iter().for_each(|&s| stmt(unit, s, visit));
        }
        StmtKind::While { condition, body } => {
            expr(unit, *condition, visit);
            stmt(unit, *body, visit);
        }
        StmtKind::DoWhile { body, condition } => {
            stmt(unit, *body, visit);
            expr(unit, *condition, visit);
        }
        StmtKind::For { init, condition, step, body } => {
            init.iter().for_each(|&s| stmt(unit, s, visit));
            condition.iter().for_each(|&e| expr(unit, e, visit));
            step.iter().for_each(|&e| expr(unit, e, visit));
            stmt(unit, *body, visit);
        }
        StmtKind::Switch { value, body, .. } => {
            expr(unit, *value, visit);
            stmt(unit, *body, visit);
        }
        StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Label { body, .. } => {
            stmt(unit, *body, visit);
        }
        StmtKind::Directive { directive, body } => {
            for clause in &openacc(unit, *directive).clauses {
                clause_values(&clause.kind).into_iter().for_each(|e| expr(unit, e, visit));
            }
            body.iter().for_each(|&s| stmt(unit, s, visit));
        }
    }
    visit(Node::Leave(id));
}

/// The function of this unit that a callee expression names, with its body.
pub(super) fn callee(unit: &TranslationUnit, callee: ExprId) -> Option<(DeclId, Option<StmtId>)> {
    let decl = unit.named(callee)?;
    Some((decl, unit.function(decl)?.body))
}
