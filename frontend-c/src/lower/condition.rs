//! Conditions, short circuits and `?:`.

use gpuc_dialects::arith::{self, CmpIPredicate};
use gpuc_ir::Value;

use super::lowerer::{Lowerer, Lowering};
use super::scalar::Scalar;
use crate::tree::{BinaryOp, CastKind, ExprId, ExprKind, UnaryOp};

impl Lowerer<'_> {
    /// `!condition`.
    pub(super) fn invert(&mut self, condition: Value) -> Value {
        let yes = arith::constant_bool(&mut self.b, true);
        let op = arith::XOrIOp::new(&mut self.b, condition, yes);
        self.value(op)
    }

    /// Whether a scalar expression is not zero, as `i1`.
    pub(super) fn condition(&mut self, expr: ExprId) -> Lowering<Value> {
        let outside = self.locate(self.span(expr));
        let truth = self.truth_of(expr);
        self.b.location = outside;
        truth
    }

    fn truth_of(&mut self, expr: ExprId) -> Lowering<Value> {
        let span = self.span(expr);
        match self.unit.exprs[expr].kind.clone() {
            ExprKind::Paren(inner) => self.condition(inner),
            ExprKind::Int(value) => Ok(arith::constant_bool(&mut self.b, value != 0)),
            // The same truth in another type.
            ExprKind::Cast { kind: CastKind::ToBool, operand, .. } => self.condition(operand),
            ExprKind::Cast { kind: CastKind::Integer, operand, implicit: true }
                if self.is_comparison(operand) =>
            {
                self.condition(operand)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let condition = self.condition(operand)?;
                Ok(self.invert(condition))
            }
            ExprKind::Binary(BinaryOp::LogicalAnd, a, b) => self.short_circuit(a, b, true),
            ExprKind::Binary(BinaryOp::LogicalOr, a, b) => self.short_circuit(a, b, false),
            ExprKind::Binary(op, a, b) if op.is_comparison() => self.compare(op, a, b, expr),
            _ if self.is_complex(expr) => self.complex_truth(expr),
            _ if self.is_pointer(expr) => self.is_set(expr),
            _ => {
                let scalar = self.scalar(self.ty(expr), span)?;
                let value = self.value_of(expr)?;
                Ok(self.is_true(value, scalar))
            }
        }
    }

    /// Whether an expression is a comparison or a logical operator: 0 or 1.
    fn is_comparison(&self, expr: ExprId) -> bool {
        match self.unit.exprs[expr].kind {
            ExprKind::Paren(inner) => self.is_comparison(inner),
            ExprKind::Unary(UnaryOp::Not, _) => true,
            ExprKind::Binary(op, ..) => {
                op.is_comparison() || matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr)
            }
            _ => false,
        }
    }

    fn compare(&mut self, op: BinaryOp, a: ExprId, b: ExprId, expr: ExprId) -> Lowering<Value> {
        let span = self.span(expr);
        if self.is_pointer(a) || self.is_pointer(b) {
            let with_null = match (self.is_null(a), self.is_null(b)) {
                (true, _) => Some(b),
                (_, true) => Some(a),
                _ => None,
            };
            if let (Some(pointer), BinaryOp::Equal | BinaryOp::NotEqual) = (with_null, op) {
                let set = self.is_set(pointer)?;
                return Ok(if op == BinaryOp::Equal { self.invert(set) } else { set });
            }
            let (distance, _) = self.pointer_distance(a, b, span)?;
            let zero = self.index(0);
            let predicate = match op {
                BinaryOp::Less => CmpIPredicate::Slt,
                BinaryOp::Greater => CmpIPredicate::Sgt,
                BinaryOp::LessEq => CmpIPredicate::Sle,
                BinaryOp::GreaterEq => CmpIPredicate::Sge,
                BinaryOp::Equal => CmpIPredicate::Eq,
                _ => CmpIPredicate::Ne,
            };
            return Ok(self.compare_int(predicate, distance, zero));
        }
        if self.is_complex(a) || self.is_complex(b) {
            let typed = if self.is_complex(a) { a } else { b };
            let (left, right) = (self.complex_value(a)?, self.complex_value(b)?);
            self.locate(span);
            return self.complex_comparison(op, typed, left, right);
        }
        let scalar = self.scalar(self.ty(a), self.span(a))?;
        let left = self.rvalue(a)?;
        let right = self.rvalue(b)?;
        self.locate(span);
        Ok(self.comparison(op, scalar, left, right))
    }

    /// `a && b` (`and`) or `a || b`: the right side is evaluated only where the left does not decide,
    /// unless evaluating it makes no difference.
    fn short_circuit(&mut self, a: ExprId, b: ExprId, and: bool) -> Lowering<Value> {
        let left = self.condition(a)?;
        if self.is_cheap(b) {
            let right = self.condition(b)?;
            let op = if and {
                arith::AndIOp::new(&mut self.b, left, right)
            } else {
                arith::OrIOp::new(&mut self.b, left, right)
            };
            return Ok(self.value(op));
        }
        let i1 = self.b.ctx.i1();
        let decided = |l: &mut Self| Ok(arith::constant_bool(&mut l.b, !and));
        if and {
            self.choose(left, i1, |l| l.condition(b), decided)
        } else {
            self.choose(left, i1, decided, |l| l.condition(b))
        }
    }

    /// `condition ? then : otherwise`.
    pub(super) fn conditional(
        &mut self,
        expr: ExprId,
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
    ) -> Lowering<Value> {
        let span = self.span(expr);
        let scalar = self.scalar(self.ty(expr), span)?;
        let ty = scalar.register(&mut self.b.ctx);
        let Some(then) = then else {
            // GNU's `a ?: b`: the condition is evaluated once.
            let from = self.scalar(self.ty(condition), span)?;
            let value = self.rvalue(condition)?;
            let truth = self.is_true(value, from);
            let value = self.convert(value, from, scalar);
            return self.choose(truth, ty, |_| Ok(value), |l| l.rvalue(otherwise));
        };
        let condition = self.condition(condition)?;
        if self.is_cheap(then) && self.is_cheap(otherwise) {
            let yes = self.rvalue(then)?;
            let no = self.rvalue(otherwise)?;
            self.locate(span);
            let op = arith::SelectOp::new(&mut self.b, condition, yes, no);
            return Ok(self.value(op));
        }
        self.choose(condition, ty, |l| l.rvalue(then), |l| l.rvalue(otherwise))
    }
}

impl Scalar {
    /// `int`.
    pub(super) const INT: Scalar = Scalar::Int { bits: 32, signed: true };
}
