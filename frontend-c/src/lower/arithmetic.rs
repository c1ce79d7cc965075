//! Arithmetic operators on scalars of one type.

use gpuc_dialects::arith::{self, CmpFPredicate, CmpIPredicate, FastMath, OVERFLOW_FLAGS};
use gpuc_ir::{OpBuild, Value};

use super::lowerer::{Lowerer, Lowering};
use super::scalar::Scalar;
use crate::source::Span;
use crate::tree::BinaryOp;

impl Lowerer<'_> {
    /// Adds the promise that signed arithmetic does not overflow, as that on subscripts never does.
    pub(super) fn no_signed_wrap(&mut self, op: OpBuild) -> OpBuild {
        let flags = OVERFLOW_FLAGS.attr(&mut self.b.ctx, 1);
        op.attr(&mut self.b, "overflowFlags", flags)
    }

    /// Adds the promise that C makes for signed arithmetic of the program: that it does not overflow
    /// (C11 §6.5 ¶5), unless an option takes it back.
    fn c_arithmetic(&mut self, op: OpBuild) -> OpBuild {
        if self.unit.dialect.wraps { op } else { self.no_signed_wrap(op) }
    }

    /// Adds the liberty to fuse, if the program grants it.
    fn contractible(&mut self, op: OpBuild) -> OpBuild {
        if !self.options.contract {
            return op;
        }
        let flags = FastMath::CONTRACT.attr(&mut self.b.ctx);
        op.attr(&mut self.b, "fastmath", flags)
    }

    /// `a op b` for an operator that is no comparison and neither `&&` nor `||`; `scalar` is the
    /// type of both operands and of the result. The right operand of a shift has been converted.
    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: Value,
        b: Value,
        span: Span,
    ) -> Lowering<Value> {
        if scalar.is_float() {
            let build = match op {
                BinaryOp::Add => arith::AddFOp::new(&mut self.b, a, b),
                BinaryOp::Sub => arith::SubFOp::new(&mut self.b, a, b),
                BinaryOp::Mul => arith::MulFOp::new(&mut self.b, a, b),
                BinaryOp::Div => {
                    let build = arith::DivFOp::new(&mut self.b, a, b);
                    return Ok(self.value(build));
                }
                _ => {
                    return self.error(
                        span,
                        format!("`{}` does not apply to floating types", op.spelling()),
                    );
                }
            };
            let build = self.contractible(build);
            return Ok(self.value(build));
        }
        let signed = !scalar.is_unsigned();
        let build = match op {
            BinaryOp::Add => arith::AddIOp::new(&mut self.b, a, b),
            BinaryOp::Sub => arith::SubIOp::new(&mut self.b, a, b),
            BinaryOp::Mul => arith::MulIOp::new(&mut self.b, a, b),
            BinaryOp::Div if signed => arith::DivSIOp::new(&mut self.b, a, b),
            BinaryOp::Div => arith::DivUIOp::new(&mut self.b, a, b),
            BinaryOp::Rem if signed => arith::RemSIOp::new(&mut self.b, a, b),
            BinaryOp::Rem => arith::RemUIOp::new(&mut self.b, a, b),
            BinaryOp::Shl => arith::ShLIOp::new(&mut self.b, a, b),
            BinaryOp::Shr if signed => arith::ShRSIOp::new(&mut self.b, a, b),
            BinaryOp::Shr => arith::ShRUIOp::new(&mut self.b, a, b),
            BinaryOp::And => arith::AndIOp::new(&mut self.b, a, b),
            BinaryOp::Or => arith::OrIOp::new(&mut self.b, a, b),
            BinaryOp::Xor => arith::XOrIOp::new(&mut self.b, a, b),
            _ => return self.error(span, format!("`{}` is no arithmetic operator", op.spelling())),
        };
        let wraps = !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) || !signed;
        let build = if wraps { build } else { self.c_arithmetic(build) };
        Ok(self.value(build))
    }

    /// `a op b` for a comparison, as `i1`.
    pub(super) fn comparison(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        use BinaryOp::{Equal, Greater, GreaterEq, Less, LessEq};
        if scalar.is_float() {
            let predicate = match op {
                Less => CmpFPredicate::Olt,
                Greater => CmpFPredicate::Ogt,
                LessEq => CmpFPredicate::Ole,
                GreaterEq => CmpFPredicate::Oge,
                Equal => CmpFPredicate::Oeq,
                _ => CmpFPredicate::Une,
            };
            return self.compare_float(predicate, a, b);
        }
        let signed = !scalar.is_unsigned();
        let predicate = match (op, signed) {
            (Less, true) => CmpIPredicate::Slt,
            (Less, false) => CmpIPredicate::Ult,
            (Greater, true) => CmpIPredicate::Sgt,
            (Greater, false) => CmpIPredicate::Ugt,
            (LessEq, true) => CmpIPredicate::Sle,
            (LessEq, false) => CmpIPredicate::Ule,
            (GreaterEq, true) => CmpIPredicate::Sge,
            (GreaterEq, false) => CmpIPredicate::Uge,
            (Equal, _) => CmpIPredicate::Eq,
            _ => CmpIPredicate::Ne,
        };
        self.compare_int(predicate, a, b)
    }

    /// `-value`.
    pub(super) fn negate(&mut self, value: Value, scalar: Scalar) -> Value {
        let ty = scalar.register(&mut self.b.ctx);
        if scalar.is_float() {
            let op = arith::NegFOp::new(&mut self.b, value);
            return self.value(op);
        }
        let zero = arith::constant_int(&mut self.b, 0, ty);
        let op = arith::SubIOp::new(&mut self.b, zero, value);
        let op = if scalar.is_unsigned() { op } else { self.c_arithmetic(op) };
        self.value(op)
    }

    /// `~value`.
    pub(super) fn complement(&mut self, value: Value, scalar: Scalar) -> Value {
        let ty = scalar.register(&mut self.b.ctx);
        let ones = arith::constant_int(&mut self.b, -1, ty);
        let op = arith::XOrIOp::new(&mut self.b, value, ones);
        self.value(op)
    }
}
