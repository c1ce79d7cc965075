//! Updates of elements that iterations may share: `a[index[i]] += v`.
//!
//! A loop that the program declares independent runs its iterations at once. Where the subscript of an
//! updated element comes out of memory, two iterations may meet in one element, and one of the updates
//! would be lost; such an update is atomic, as `atomic update` would make it.

use gpuc_diagnostics::Diagnostic;
use rustc_hash::FxHashMap;

use super::array_reduction::root;
use super::lowerer::{Binding, Lowerer};
use super::uses::mutates;
use super::walk::{self, Below, Node};
use crate::directive::atomic::AtomicUpdate;
use crate::tree::{
    DeclId, DeclKind, ExprId, ExprKind, Initializer, StmtId, StmtKind, TranslationUnit, UnaryOp,
};

/// How many variables a subscript is traced through.
const MOST_STEPS: u32 = 3;

impl Lowerer<'_> {
    /// Whether a statement updates an element of shared memory at a subscript that comes out of
    /// memory, in a loop whose iterations are declared independent.
    pub(super) fn scatters(&self, stmt: StmtId) -> bool {
        if !self.in_independent_loop {
            return false;
        }
        let StmtKind::Expr(expr) = self.unit.stmts[stmt].kind else { return false };
        let Some(update) = AtomicUpdate::of(self.unit, expr) else { return false };
        if self.is_reduced_at_once(stmt) {
            return true;
        }
        let (mut at, mut is_indirect) = (update.target, false);
        loop {
            at = match self.unit.exprs[at].kind {
                ExprKind::Paren(inner)
                | ExprKind::Cast { operand: inner, .. }
                | ExprKind::Member { base: inner, .. } => inner,
                ExprKind::Index { base, index } => {
                    is_indirect |= self.comes_from_memory(index, MOST_STEPS);
                    base
                }
                ExprKind::Name(decl) => return is_indirect && self.is_of_the_program(decl),
                _ => return false,
            };
        }
    }

    /// Whether a statement combines something into an element of an array that a loop around reduces.
    fn is_reduced_at_once(&self, stmt: StmtId) -> bool {
        let StmtKind::Expr(expr) = self.unit.stmts[stmt].kind else { return false };
        let update = AtomicUpdate::of(self.unit, expr);
        let owner = update.and_then(|update| root(self.unit, update.target));
        owner.is_some_and(|decl| self.updated_arrays.contains(&decl))
    }

    /// What the user is told of an update that is made atomic.
    pub(super) fn remark_scatter(&mut self, stmt: StmtId) {
        let because = match self.is_reduced_at_once(stmt) {
            true => {
                "the clause `reduction` is about more elements than each iteration can have of its own"
            }
            false => "two iterations may meet in one element, as its subscript comes out of memory",
        };
        let span = self.unit.stmts[stmt].span;
        let text = super::clause_items::text(self.unit, span);
        let remark = Diagnostic::remark(format!("Generating implicit atomic update for `{text}`"))
            .at(self.unit.place(span))
            .help(because);
        self.diagnostics.push(remark);
    }

    /// Whether an array or what a pointer points to is the program's, not an iteration's own.
    pub(super) fn is_of_the_program(&self, decl: DeclId) -> bool {
        let buffer = match self.bindings.get(&decl) {
            Some(Binding::Object(pointer) | Binding::Pointer(pointer)) => pointer.buffer,
            Some(Binding::PointerVariable { buffer: Some(buffer), .. }) => *buffer,
            _ => return false,
        };
        self.b.defining_op(self.buffers[buffer].memref).is_none()
    }

    /// Whether what a pointer leads to is the program's.
    pub(super) fn is_of_the_program_at(&self, pointer: &super::place::Pointer) -> bool {
        self.b.defining_op(self.buffers[pointer.buffer].memref).is_none()
    }

    /// Whether an expression reads an element of memory, itself or through variables.
    fn comes_from_memory(&self, expr: ExprId, steps: u32) -> bool {
        let mut variables = Vec::new();
        let mut found = false;
        walk::expr(self.unit, expr, &mut |node| {
            if let Node::Expr(expr) = node {
                match self.unit.exprs[expr].kind {
                    ExprKind::Index { .. } | ExprKind::Unary(UnaryOp::Deref, _) => found = true,
                    ExprKind::Name(decl) => variables.push(decl),
                    _ => {}
                }
            }
            Below::Enter
        });
        found || steps > 0 && variables.into_iter().any(|decl| self.holds_memory(decl, steps - 1))
    }

    /// Whether a variable is ever given what comes out of memory; asked once for each variable.
    fn holds_memory(&self, decl: DeclId, steps: u32) -> bool {
        let function = self.frames.last().and_then(|frame| frame.function).or(self.function);
        let known = self.assigned.borrow().from_memory.get(&(function, decl, steps)).copied();
        known.unwrap_or_else(|| {
            let values = self.values_of(decl, function);
            let found = values.into_iter().any(|value| self.comes_from_memory(value, steps));
            self.assigned.borrow_mut().from_memory.insert((function, decl, steps), found);
            found
        })
    }

    /// What is assigned to a variable in the function that is being lowered.
    fn values_of(&self, decl: DeclId, function: Option<DeclId>) -> Vec<ExprId> {
        let unit = self.unit;
        let mut values = Vec::new();
        if let DeclKind::Variable(variable) = &unit.decls[decl].kind
            && let Some(Initializer::Value(value)) = variable.init
        {
            values.push(value);
        }
        let Some(function) = function else { return values };
        let known = &mut self.assigned.borrow_mut().values;
        let assigned = known.entry(function).or_insert_with(|| assigned_in(unit, function));
        values.extend(assigned.get(&decl).into_iter().flatten());
        values
    }
}

/// What is known of the values of variables.
#[derive(Debug, Default)]
pub(super) struct Assigned {
    /// What functions assign to each variable, of those that were asked for.
    values: FxHashMap<DeclId, FxHashMap<DeclId, Vec<ExprId>>>,
    /// Whether that comes out of memory, for a function, a variable, and so many more variables to look through.
    from_memory: FxHashMap<(Option<DeclId>, DeclId, u32), bool>,
}

fn assigned_in(unit: &TranslationUnit, function: DeclId) -> FxHashMap<DeclId, Vec<ExprId>> {
    let mut assigned: FxHashMap<DeclId, Vec<ExprId>> = FxHashMap::default();
    let Some(body) = unit.function(function).and_then(|function| function.body) else {
        return assigned;
    };
    walk::stmt(unit, body, &mut |node| {
        if let Node::Expr(expr) = node
            && let Some(decl) = mutates(unit, expr)
            && let ExprKind::Assign { value, .. } | ExprKind::CompoundAssign { value, .. } =
                unit.exprs[expr].kind
        {
            assigned.entry(decl).or_default().push(value);
        }
        Below::Enter
    });
    assigned
}
