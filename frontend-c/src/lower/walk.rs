//! Walks over statements with everything in them, in the order of the source.

use rustc_hash::FxHashSet;

use crate::tree::{
    DeclId, DeclKind, ExprId, ExprKind, Initializer, StmtId, StmtKind, TranslationUnit,
};
use crate::types::{ArraySize, Type};

/// What a walk comes upon.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
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
pub(crate) enum Below {
    /// Into its parts.
    Enter,
    /// Past them.
    Skip,
}

type Visit<'v> = &'v mut dyn FnMut(Node) -> Below;

/// Walks over an expression.
pub(crate) fn expr(unit: &TranslationUnit, id: ExprId, visit: Visit<'_>) {
    walk(unit, Node::Expr(id), visit);
}

/// Walks over a statement.
pub(crate) fn stmt(unit: &TranslationUnit, id: StmtId, visit: Visit<'_>) {
    walk(unit, Node::Stmt(id), visit);
}

/// Walks over statements, and once over the body of each function of the unit that they call.
pub(crate) fn through_calls(
    unit: &TranslationUnit,
    stmts: impl IntoIterator<Item = StmtId>,
    visit: Visit<'_>,
) {
    let mut seen = FxHashSet::default();
    let mut pending: Vec<StmtId> = stmts.into_iter().collect();
    while let Some(at) = pending.pop() {
        stmt(unit, at, &mut |node| {
            if let Some((decl, Some(body))) = called(unit, node)
                && seen.insert(decl)
            {
                pending.push(body);
            }
            visit(node)
        });
    }
}

/// The function of the unit that a node calls, with its body.
pub(crate) fn called(unit: &TranslationUnit, node: Node) -> Option<(DeclId, Option<StmtId>)> {
    let Node::Expr(expr) = node else { return None };
    let ExprKind::Call { callee: function, .. } = unit.exprs[expr].kind else { return None };
    callee(unit, function)
}

/// Walks over a node. What is still to come stands on a stack of our own: a sum of many terms, or a
/// long chain of `else if`, is a deep tree.
fn walk(unit: &TranslationUnit, node: Node, visit: Visit<'_>) {
    let mut pending = vec![node];
    let mut parts = Vec::new();
    while let Some(node) = pending.pop() {
        if visit(node) == Below::Skip {
            continue;
        }
        match node {
            Node::Expr(id) => parts_of_expr(unit, id, &mut parts),
            Node::Stmt(id) => parts_of_stmt(unit, id, &mut parts),
            Node::Declare(id) => parts_of_declaration(unit, id, &mut parts),
            Node::Leave(_) => {}
        }
        pending.extend(parts.drain(..).rev());
    }
}

fn parts_of_expr(unit: &TranslationUnit, id: ExprId, parts: &mut Vec<Node>) {
    let kind = &unit.exprs[id].kind;
    if let ExprKind::StatementExpr(body) = *kind {
        parts.push(Node::Stmt(body));
    }
    if let ExprKind::SizeofVariable(ty) = *kind {
        extents(unit, ty, parts);
    }
    kind.for_each_operand(|operand| parts.push(Node::Expr(operand)));
}

/// The run-time extents of a type.
fn extents(unit: &TranslationUnit, mut ty: Type, parts: &mut Vec<Node>) {
    loop {
        if let Some((element, size)) = unit.types.as_array(ty) {
            if let ArraySize::Variable(size) = size {
                parts.push(Node::Expr(size));
            }
            ty = element;
        } else if let Some(to) = unit.types.pointee(ty) {
            ty = to;
        } else {
            return;
        }
    }
}

/// Of a declaration: the extents of its type, its initialiser.
fn parts_of_declaration(unit: &TranslationUnit, decl: DeclId, parts: &mut Vec<Node>) {
    extents(unit, unit.decls[decl].ty, parts);
    let DeclKind::Variable(variable) = &unit.decls[decl].kind else { return };
    match &variable.init {
        Some(Initializer::Value(value)) => parts.push(Node::Expr(*value)),
        Some(Initializer::List(elements)) => {
            parts.extend(elements.iter().map(|element| Node::Expr(element.value)));
        }
        None => {}
    }
}

fn parts_of_stmt(unit: &TranslationUnit, id: StmtId, parts: &mut Vec<Node>) {
    use Node::{Expr, Stmt};
    match &unit.stmts[id].kind {
        StmtKind::Empty
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Asm => {}
        StmtKind::Expr(e) | StmtKind::GotoComputed(e) => parts.push(Expr(*e)),
        StmtKind::Return(value) => parts.extend(value.map(Expr)),
        StmtKind::Declaration(decls) => parts.extend(decls.iter().copied().map(Node::Declare)),
        StmtKind::Compound(inner) => parts.extend(inner.iter().copied().map(Stmt)),
        StmtKind::If { condition, then, otherwise } => {
            parts.extend([Expr(*condition), Stmt(*then)]);
            parts.extend(otherwise.map(Stmt));
        }
        StmtKind::While { condition, body } => parts.extend([Expr(*condition), Stmt(*body)]),
        StmtKind::DoWhile { body, condition } => parts.extend([Stmt(*body), Expr(*condition)]),
        StmtKind::For { init, condition, step, body } => {
            parts.extend(init.map(Stmt));
            parts.extend(condition.iter().chain(step).copied().map(Expr));
            parts.push(Stmt(*body));
        }
        StmtKind::Switch { value, body, .. } => parts.extend([Expr(*value), Stmt(*body)]),
        StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Label { body, .. } => {
            parts.push(Stmt(*body));
        }
        StmtKind::Directive { directive, body } => {
            parts.extend(unit.directives[*directive].values.iter().copied().map(Expr));
            parts.extend(body.map(Stmt));
        }
    }
    parts.push(Node::Leave(id));
}

/// The function of this unit that a callee expression names, with its body.
pub(crate) fn callee(unit: &TranslationUnit, callee: ExprId) -> Option<(DeclId, Option<StmtId>)> {
    let decl = unit.named(callee)?;
    Some((decl, unit.function(decl)?.body))
}
