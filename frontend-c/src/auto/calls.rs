//! Which functions of a unit know of nests.
//!
//! A function with a nest asks for its data itself, and so does one that calls it, for what the nest leaves on the
//! device then. Of these, a *boundary* leaves nothing: whoever may call it knows nothing of nests. Inside the
//! unit, data stay on the device from one function to the next where each knows of the other.

use rustc_hash::{FxHashMap, FxHashSet};

use super::effects::{addressed, is_automatic};
use crate::lower::walk::{self, Below, Node};
use crate::tree::{
    DeclId, DeclKind, ExprId, ExprKind, Initializer, StmtId, StmtKind, TranslationUnit,
};

/// The functions that know of nests.
#[derive(Debug, Default)]
pub struct Knowing {
    /// All of them.
    pub all: FxHashSet<DeclId>,
    /// Those that leave nothing on the device.
    pub boundaries: FxHashSet<DeclId>,
}

impl Knowing {
    /// Whether a function may leave something on the device, and be called with something there.
    pub fn is_internal(&self, decl: DeclId) -> bool {
        self.all.contains(&decl) && !self.boundaries.contains(&decl)
    }
}

/// A call in the text of a function.
struct Site {
    caller: DeclId,
    callee: DeclId,
    /// Whether the statement does nothing else with memory behind it.
    simple: bool,
}

/// The functions of a unit that know of nests, whose directives are in place. Only `eligible` ones can.
pub fn knowing(unit: &TranslationUnit, eligible: &FxHashSet<DeclId>) -> Knowing {
    let mut knowing = Knowing::default();
    let mut sites: Vec<Site> = Vec::new();
    let addressed = addressed(unit);
    for caller in unit.functions() {
        let Some(body) = unit.function(caller).and_then(|function| function.body) else { continue };
        if has_nest(unit, body) {
            knowing.all.insert(caller);
        }
        let simple = simple_calls(unit, body, &addressed);
        walk::stmt(unit, body, &mut |node| {
            if let Node::Expr(expr) = node
                && let ExprKind::Call { callee, .. } = unit.exprs[expr].kind
                && let Some((callee, Some(_))) = walk::callee(unit, callee)
            {
                sites.push(Site { caller, callee, simple: simple.contains(&expr) });
            }
            Below::Enter
        });
    }
    let escaping = escaping_functions(unit);
    loop {
        let before = (knowing.all.len(), knowing.boundaries.len());
        for &decl in &knowing.all {
            let mut of_decl = sites.iter().filter(|site| site.callee == decl).peekable();
            let is_static = unit.function(decl).is_some_and(|function| function.is_static);
            let is_called = of_decl.peek().is_some();
            let is_simple = of_decl.all(|site| site.simple && eligible.contains(&site.caller));
            if !(is_static && is_called && is_simple) || escaping.contains(&decl) {
                knowing.boundaries.insert(decl);
            }
        }
        let callers: Vec<DeclId> = sites
            .iter()
            .filter(|site| knowing.is_internal(site.callee))
            .map(|site| site.caller)
            .collect();
        knowing.all.extend(callers);
        if before == (knowing.all.len(), knowing.boundaries.len()) {
            return knowing;
        }
    }
}

fn has_nest(unit: &TranslationUnit, body: StmtId) -> bool {
    let mut found = false;
    walk::stmt(unit, body, &mut |node| {
        if let Node::Stmt(stmt) = node {
            found |= is_nest(unit, stmt);
        }
        Below::Enter
    });
    found
}

/// Whether a statement is a nest for which the compiler has put a directive.
pub fn is_nest(unit: &TranslationUnit, stmt: StmtId) -> bool {
    match unit.stmts[stmt].kind {
        StmtKind::Directive { directive, .. } => unit.directives[directive].found,
        _ => false,
    }
}

/// The functions whose names stand elsewhere than in calls.
fn escaping_functions(unit: &TranslationUnit) -> FxHashSet<DeclId> {
    let mut callees: FxHashSet<ExprId> = FxHashSet::default();
    for (_, expr) in unit.exprs.iter() {
        if let ExprKind::Call { callee, .. } = expr.kind {
            callees.insert(unit.peel(callee));
        }
    }
    let named = unit.exprs.iter().filter_map(|(id, expr)| match expr.kind {
        ExprKind::Name(decl) if !callees.contains(&id) => Some(decl),
        _ => None,
    });
    named.filter(|&decl| matches!(unit.decls[decl].kind, DeclKind::Function(_))).collect()
}

/// The calls of statements that do nothing with memory once the function has returned.
fn simple_calls(
    unit: &TranslationUnit,
    body: StmtId,
    addressed: &FxHashSet<DeclId>,
) -> FxHashSet<ExprId> {
    let mut found = FxHashSet::default();
    let mut heads: FxHashMap<StmtId, ()> = FxHashMap::default();
    walk::stmt(unit, body, &mut |node| {
        if let Node::Stmt(stmt) = node {
            // In regions of the program nothing asks for data.
            if matches!(unit.stmts[stmt].kind, StmtKind::Directive { .. }) {
                return Below::Skip;
            }
            if let StmtKind::For { init: Some(init), .. } = unit.stmts[stmt].kind {
                heads.insert(init, ());
            }
            if !heads.contains_key(&stmt)
                && let Some(call) = call_of(unit, stmt, addressed)
            {
                found.insert(call);
            }
        }
        Below::Enter
    });
    found
}

/// The call that a statement is, or whose value it keeps in a number or hands on.
pub fn call_of(
    unit: &TranslationUnit,
    stmt: StmtId,
    addressed: &FxHashSet<DeclId>,
) -> Option<ExprId> {
    let is_number = |decl: DeclId| {
        let ty = unit.decls[decl].ty;
        is_automatic(unit, decl) && unit.types.is_scalar(ty) && !addressed.contains(&decl)
    };
    let value = match &unit.stmts[stmt].kind {
        StmtKind::Expr(expr) => match unit.exprs[*expr].kind {
            ExprKind::Assign { target, value } => {
                match unit.exprs[target].kind {
                    ExprKind::Name(decl) if is_number(decl) => {}
                    _ => return None,
                }
                value
            }
            _ => *expr,
        },
        StmtKind::Return(Some(value)) if unit.types.is_scalar(unit.exprs[*value].ty) => *value,
        StmtKind::Declaration(decls) => {
            let &[decl] = decls.as_slice() else { return None };
            let DeclKind::Variable(variable) = &unit.decls[decl].kind else { return None };
            match variable.init {
                Some(Initializer::Value(value)) if is_number(decl) => value,
                _ => return None,
            }
        }
        _ => return None,
    };
    let at = unit.without_casts(value);
    matches!(unit.exprs[at].kind, ExprKind::Call { .. }).then_some(at)
}
