//! Scalars that a piece of program does nothing with but combine values into them.

use super::walk::{self, Below, Node};
use crate::directive::ReductionOp;
use crate::tree::{BinaryOp, DeclId, ExprId, ExprKind, StmtId, StmtKind, TranslationUnit};
use crate::types::{IntKind, Type};

/// The operator by which `body` combines values into `variable`, if all that it does with the variable
/// is that: `s += x`, `s = x * s`, `s = fmax(s, x)`, `if (x > s) s = x`, `s = s && x` and their kin.
pub(crate) fn reduction(
    unit: &TranslationUnit,
    body: StmtId,
    variable: DeclId,
) -> Option<ReductionOp> {
    let mut search = Search { unit, variable, operator: None, fails: false };
    walk::stmt(unit, body, &mut |node| search.visit(node));
    search.operator.filter(|_| !search.fails)
}

struct Search<'a> {
    unit: &'a TranslationUnit,
    variable: DeclId,
    operator: Option<ReductionOp>,
    fails: bool,
}

impl Search<'_> {
    fn visit(&mut self, node: Node) -> Below {
        let unit = self.unit;
        let update = match node {
            Node::Stmt(stmt) => match &unit.stmts[stmt].kind {
                StmtKind::Expr(expr) => self.update(*expr),
                StmtKind::If { condition, then, otherwise: None } => {
                    self.conditional(*condition, *then)
                }
                StmtKind::Directive { directive, .. } => {
                    let directive = &unit.directives[*directive];
                    for (op, var) in directive.reductions() {
                        if var.decl == self.variable {
                            self.agree(op);
                        }
                    }
                    let mut private = directive.private.iter();
                    self.fails |= private.any(|var| var.decl == self.variable);
                    None
                }
                _ => None,
            },
            Node::Expr(expr) => {
                let used =
                    matches!(unit.exprs[expr].kind, ExprKind::Name(decl) if decl == self.variable);
                self.fails |= used;
                None
            }
            _ => None,
        };
        match update {
            Some(op) => {
                self.agree(op);
                Below::Skip
            }
            None if self.fails => Below::Skip,
            None => Below::Enter,
        }
    }

    fn agree(&mut self, op: ReductionOp) {
        self.fails |= self.operator.is_some_and(|known| known != op);
        self.operator = Some(op);
    }

    fn is_variable(&self, expr: ExprId) -> bool {
        let unit = self.unit;
        matches!(unit.exprs[unit.peel(expr)].kind, ExprKind::Name(decl) if decl == self.variable)
    }

    fn mentions(&self, expr: ExprId) -> bool {
        let mut found = false;
        walk::expr(self.unit, expr, &mut |node| {
            if let Node::Expr(expr) = node {
                found |= matches!(self.unit.exprs[expr].kind, ExprKind::Name(decl) if decl == self.variable);
            }
            Below::Enter
        });
        found
    }

    /// An expression statement that combines something into the variable.
    fn update(&self, expr: ExprId) -> Option<ReductionOp> {
        let unit = self.unit;
        match unit.exprs[unit.peel(expr)].kind {
            ExprKind::CompoundAssign { op, target, value, computed }
                if self.is_variable(target) && !self.mentions(value) =>
            {
                arithmetic(op).filter(|&op| self.computes(op, computed))
            }
            ExprKind::IncDec(_, target) if self.is_variable(target) => {
                Some(ReductionOp::Add).filter(|&op| self.computes(op, unit.exprs[target].ty))
            }
            ExprKind::Assign { target, value } if self.is_variable(target) => {
                self.combination(value)
            }
            _ => None,
        }
    }

    /// Whether partial results of an operator that computes in a type can be combined: no sum is cut
    /// to an integer in between, and a `_Bool` has sums and products of its own.
    fn computes(&self, op: ReductionOp, computed: Type) -> bool {
        let types = &self.unit.types;
        let own = self.unit.decls[self.variable].ty;
        let bits = matches!(op, ReductionOp::And | ReductionOp::Or);
        match types.as_int(own) {
            Some(IntKind::Bool) => bits,
            Some(_) => types.is_integer(computed),
            None => types.as_float(own).is_some(),
        }
    }

    /// A value that is the variable combined with something else.
    fn combination(&self, value: ExprId) -> Option<ReductionOp> {
        let unit = self.unit;
        let at = unit.peel(value);
        match &unit.exprs[at].kind {
            ExprKind::Binary(BinaryOp::LogicalAnd, a, b) => {
                self.one_side(*a, *b).map(|_| ReductionOp::LogicalAnd)
            }
            ExprKind::Binary(BinaryOp::LogicalOr, a, b) => {
                self.one_side(*a, *b).map(|_| ReductionOp::LogicalOr)
            }
            ExprKind::Binary(op, ..) => {
                let op = arithmetic(*op)?;
                (self.computes(op, unit.exprs[at].ty) && self.is_chain(at, op)).then_some(op)
            }
            ExprKind::Call { callee, arguments } => {
                let (decl, None) = walk::callee(unit, *callee)? else { return None };
                let name = unit.name(decl);
                let op = match name.strip_prefix("__builtin_").unwrap_or(name) {
                    "fmax" | "fmaxf" => ReductionOp::Max,
                    "fmin" | "fminf" => ReductionOp::Min,
                    _ => return None,
                };
                let [a, b] = arguments[..] else { return None };
                self.one_side(a, b)?;
                unit.types.as_float(unit.decls[self.variable].ty).map(|_| op)
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                let (greater, left, right) = self.comparison(*condition)?;
                let (other, chosen_left) = match () {
                    () if self.is_variable(*otherwise) => {
                        (*then, self.is_same(*then, left) && self.is_variable(right))
                    }
                    () if self.is_variable(*then) => {
                        (*otherwise, self.is_variable(left) && self.is_same(*otherwise, right))
                    }
                    () => return None,
                };
                let chosen_right = match self.is_variable(*otherwise) {
                    true => self.is_same(*then, right) && self.is_variable(left),
                    false => self.is_variable(right) && self.is_same(*otherwise, left),
                };
                self.extremum(other, greater, chosen_left, chosen_right)
            }
            _ => None,
        }
    }

    /// `if (x > s) s = x`.
    fn conditional(&self, condition: ExprId, then: StmtId) -> Option<ReductionOp> {
        let unit = self.unit;
        let (greater, left, right) = self.comparison(condition)?;
        let mut then = then;
        while let StmtKind::Compound(list) = &unit.stmts[then].kind {
            let [single] = list[..] else { return None };
            then = single;
        }
        let StmtKind::Expr(expr) = unit.stmts[then].kind else { return None };
        let ExprKind::Assign { target, value } = unit.exprs[unit.peel(expr)].kind else {
            return None;
        };
        if !self.is_variable(target) {
            return None;
        }
        let chosen_left = self.is_same(value, left) && self.is_variable(right);
        let chosen_right = self.is_same(value, right) && self.is_variable(left);
        self.extremum(value, greater, chosen_left, chosen_right)
    }

    /// The extremum of the variable and `other` that a choice takes: the left side of a comparison
    /// where it holds, or the right one.
    fn extremum(
        &self,
        other: ExprId,
        greater: bool,
        chosen_left: bool,
        chosen_right: bool,
    ) -> Option<ReductionOp> {
        if chosen_left == chosen_right || self.mentions(other) || !self.is_kept(other) {
            return None;
        }
        Some(if greater == chosen_left { ReductionOp::Max } else { ReductionOp::Min })
    }

    /// Whether the variable can hold every value of an expression as it is, and compares it so.
    fn is_kept(&self, other: ExprId) -> bool {
        let unit = self.unit;
        let (own, ty) = (unit.decls[self.variable].ty, unit.exprs[unit.peel(other)].ty);
        match (unit.types.as_float(own), unit.types.as_float(ty)) {
            (Some(_), Some(_)) => unit.types.size_of(ty) <= unit.types.size_of(own),
            (Some(_), None) => unit.constant_int(other).is_some(),
            (None, _) => unit.types.as_int(own).is_some() && own.unqualified() == ty.unqualified(),
        }
    }

    /// Whether a comparison asks for the greater on its left, and its sides.
    fn comparison(&self, condition: ExprId) -> Option<(bool, ExprId, ExprId)> {
        let unit = self.unit;
        match unit.exprs[unit.peel(condition)].kind {
            ExprKind::Binary(BinaryOp::Greater | BinaryOp::GreaterEq, a, b) => Some((true, a, b)),
            ExprKind::Binary(BinaryOp::Less | BinaryOp::LessEq, a, b) => Some((false, a, b)),
            _ => None,
        }
    }

    /// The other side, if one side is the variable and the other knows nothing of it.
    fn one_side(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.is_variable(a) && !self.mentions(b) {
            return Some(b);
        }
        (self.is_variable(b) && !self.mentions(a)).then_some(a)
    }

    /// Whether an expression is the variable with other values joined to it by one operator.
    fn is_chain(&self, mut at: ExprId, op: ReductionOp) -> bool {
        let unit = self.unit;
        loop {
            at = unit.peel(at);
            if self.is_variable(at) {
                return true;
            }
            let ExprKind::Binary(here, a, b) = unit.exprs[at].kind else { return false };
            if arithmetic(here) != Some(op) {
                return false;
            }
            at = match (self.mentions(b), here) {
                (false, _) => a,
                // What is subtracted is not the sum.
                (true, BinaryOp::Sub) => return false,
                (true, _) if self.mentions(a) => return false,
                (true, _) => b,
            };
        }
    }

    /// Whether two expressions have the same value, evaluated one after the other.
    fn is_same(&self, a: ExprId, b: ExprId) -> bool {
        let unit = self.unit;
        if unit.same_expression(a, b) {
            return true;
        }
        let call = |expr: ExprId| match &unit.exprs[unit.peel(expr)].kind {
            ExprKind::Call { callee, arguments } => match walk::callee(unit, *callee) {
                Some((decl, None)) => Some((decl, arguments.clone())),
                _ => None,
            },
            _ => None,
        };
        let (Some((f, x)), Some((g, y))) = (call(a), call(b)) else { return false };
        // In device code, library functions are those of math.
        f == g && x.len() == y.len() && x.iter().zip(&y).all(|(&x, &y)| self.is_same(x, y))
    }
}

/// The reduction by a binary operator; a difference is a sum.
fn arithmetic(op: BinaryOp) -> Option<ReductionOp> {
    Some(match op {
        BinaryOp::Add | BinaryOp::Sub => ReductionOp::Add,
        BinaryOp::Mul => ReductionOp::Mul,
        BinaryOp::And => ReductionOp::And,
        BinaryOp::Or => ReductionOp::Or,
        BinaryOp::Xor => ReductionOp::Xor,
        _ => return None,
    })
}
