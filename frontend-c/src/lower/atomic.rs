//! `atomic update`.

use gpuc_dialects::arith;
use gpuc_dialects::memref::{self, ATOMIC_RMW_KINDS};
use gpuc_ir::Value;

use super::lowerer::{Lowerer, Lowering};
use super::scalar::Scalar;
use crate::directive::openacc::AtomicUpdate;
use crate::tree::{BinaryOp, StmtId};

impl Lowerer<'_> {
    /// The statement behind `atomic update`.
    pub(super) fn atomic(&mut self, body: StmtId) -> Lowering<()> {
        let span = self.unit.stmts[body].span;
        let Some(update) = AtomicUpdate::of(self.unit, body) else {
            return self.refuse(span, AtomicUpdate::refusal());
        };
        let scalar = self.scalar(self.ty(update.target), self.span(update.target))?;
        let wide = self.scalar(update.computed, span)?;
        let pointer = self.object(update.target)?;
        let value = match update.value {
            Some(value) => {
                let from = self.scalar(self.ty(value), self.span(value))?;
                let operand = self.rvalue(value)?;
                self.convert(operand, from, wide)
            }
            None => self.one(wide),
        };
        self.locate(span);
        let (buffer, position) = self.element(&pointer, scalar, span)?;
        // The low bits of a sum or product are those of the narrow operands.
        let direct =
            wide == scalar || !scalar.is_float() && !wide.is_float() && scalar != Scalar::Bool;
        let (mut operand, mut op) = (value, update.op);
        if direct && op == BinaryOp::Sub && !update.swapped {
            operand = self.negate(operand, wide);
            op = BinaryOp::Add;
        }
        let kind = match (op, scalar.is_float()) {
            (BinaryOp::Add, true) => Some("addf"),
            (BinaryOp::Add, false) => Some("addi"),
            (BinaryOp::Mul, true) => Some("mulf"),
            (BinaryOp::Mul, false) => Some("muli"),
            (BinaryOp::And, false) => Some("andi"),
            (BinaryOp::Or, false) => Some("ori"),
            _ => None,
        };
        if let (true, Some(kind)) = (direct, kind) {
            let operand = self.convert(operand, wide, scalar);
            let number = ATOMIC_RMW_KINDS.parse(kind).unwrap_or_default();
            let kind = ATOMIC_RMW_KINDS.attr(&mut self.b.ctx, number);
            let op = memref::AtomicRMWOp::new(&mut self.b, operand, buffer, &position).attr(
                &mut self.b,
                "kind",
                kind,
            );
            self.build(op);
            return Ok(());
        }
        let memory = scalar.memory(&mut self.b.ctx);
        let (region, done) = self.region(&[memory], |l, arguments| {
            let old = l.loaded(arguments[0], scalar);
            let old = l.convert(old, scalar, wide);
            let (a, b) = if update.swapped { (value, old) } else { (old, value) };
            let new = l.arithmetic(update.op, wide, a, b, span)?;
            let new = l.convert(new, wide, scalar);
            let new = l.stored(new, scalar);
            let op = memref::AtomicYieldOp::new(&mut l.b, new);
            l.build(op);
            Ok(())
        });
        let op = memref::GenericAtomicRMWOp::new(&mut self.b, buffer, &position)
            .result(memory)
            .region(region);
        self.build(op);
        done
    }

    fn one(&mut self, scalar: Scalar) -> Value {
        let ty = scalar.register(&mut self.b.ctx);
        if scalar.is_float() {
            arith::constant_float(&mut self.b, 1.0, ty)
        } else {
            arith::constant_int(&mut self.b, 1, ty)
        }
    }
}
