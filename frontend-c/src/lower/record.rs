//! Structures and unions as values: copies of bytes.

use gpuc_dialects::{memref, scf};
use gpuc_ir::Value;

use super::lowerer::{Lowerer, Lowering};
use super::place::{Form, Pointer};
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, StmtKind};
use crate::types::Type;

/// Copies of more pieces than this are loops.
const MOST_UNROLLED: u64 = 32;

impl Lowerer<'_> {
    /// Whether an expression is a structure or union.
    pub(super) fn is_record(&self, expr: ExprId) -> bool {
        self.unit.types.as_record(self.ty(expr)).is_some()
    }

    /// The object in which the value of an expression of record type lies.
    pub(super) fn record_value(&mut self, expr: ExprId) -> Lowering<Pointer> {
        let span = self.span(expr);
        match self.unit.exprs[expr].kind.clone() {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. }
                if self.is_record(expr) =>
            {
                self.object(inner)
            }
            ExprKind::Call { callee, arguments } => self.call_record(expr, callee, &arguments),
            ExprKind::Assign { target, value } => {
                self.assign_record(target, value)?;
                self.object(target)
            }
            ExprKind::Comma(first, second) => {
                self.effects(first)?;
                self.object(second)
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                let ty = self.ty(expr);
                let condition = self.condition(condition)?;
                let chosen = self.local_object(None, ty, span)?;
                self.either(
                    condition,
                    |l| {
                        let source = l.object(then)?;
                        l.copy_object(&source, &chosen, ty, span)
                    },
                    |l| {
                        let source = l.object(otherwise)?;
                        l.copy_object(&source, &chosen, ty, span)
                    },
                )?;
                Ok(chosen)
            }
            ExprKind::StatementExpr(body) => {
                let StmtKind::Compound(stmts) = &self.unit.stmts[body].kind else {
                    return self.untraced(span);
                };
                let Some((&last, before)) = stmts.split_last() else { return self.untraced(span) };
                let StmtKind::Expr(value) = self.unit.stmts[last].kind else {
                    return self.untraced(span);
                };
                self.statements(before)?;
                self.object(value)
            }
            _ => self.error(span, "this expression is not supported in device code"),
        }
    }

    /// `target = value` of structures.
    pub(super) fn assign_record(&mut self, target: ExprId, value: ExprId) -> Lowering<()> {
        let span = self.span(target);
        let source = self.object(value)?;
        let object = self.object(target)?;
        self.locate(span);
        self.copy_object(&source, &object, self.ty(target), span)
    }

    /// Copies an object, in pieces as large as its alignment allows.
    pub(super) fn copy_object(
        &mut self,
        from: &Pointer,
        to: &Pointer,
        ty: Type,
        span: Span,
    ) -> Lowering<()> {
        for pointer in [from, to] {
            if self.buffers[pointer.buffer].form != Form::Bytes {
                return self.needs_bytes(pointer.buffer, span);
            }
        }
        let Some(layout) = self.unit.types.layout(ty) else {
            return self.error(span, "the size of this object is not known");
        };
        let unit = layout.align.clamp(1, 8);
        let pieces = layout.size / unit;
        if pieces <= MOST_UNROLLED {
            // Everything is read before anything is written: the objects may be the same.
            let mut values = Vec::new();
            for piece in 0..pieces {
                let offset = self.index((piece * unit) as i64);
                values.push(self.load_piece(from, offset, unit));
            }
            for (piece, value) in (0..pieces).zip(values) {
                let offset = self.index((piece * unit) as i64);
                self.store_piece(to, offset, unit, value);
            }
            return Ok(());
        }
        let (zero, end, step) =
            (self.index(0), self.index((pieces * unit) as i64), self.index(unit as i64));
        let index = self.b.ctx.index();
        let (region, ()) = self.region(&[index], |l, arguments| {
            let value = l.load_piece(from, arguments[0], unit);
            l.store_piece(to, arguments[0], unit, value);
            l.yields(&[]);
        });
        let op = scf::ForOp::new(&mut self.b, zero, end, step, &[]).region(region);
        self.build(op);
        Ok(())
    }

    fn piece(&mut self, pointer: &Pointer, offset: Value, bytes: u64) -> Value {
        let at = self.move_bytes(pointer, offset).position[0];
        let element = self.b.ctx.int(bytes as u32 * 8);
        let ty = self.b.ctx.memref(&[], element);
        let buffer = self.buffers[pointer.buffer].memref;
        let op = memref::ViewOp::new(&mut self.b, buffer, at, &[]).result(ty);
        self.value(op)
    }

    fn load_piece(&mut self, pointer: &Pointer, offset: Value, bytes: u64) -> Value {
        let piece = self.piece(pointer, offset, bytes);
        self.read_slot(piece)
    }

    fn store_piece(&mut self, pointer: &Pointer, offset: Value, bytes: u64, value: Value) {
        let piece = self.piece(pointer, offset, bytes);
        self.write_slot(piece, value);
    }
}
