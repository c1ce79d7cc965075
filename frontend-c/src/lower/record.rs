//! Structures and unions as values: copies of their members, or of bytes.

use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::{Type as IrType, Value};

use super::lowerer::{Lowerer, Lowering};
use super::place::{Form, Pointer};
use super::scalar::Scalar;
use crate::source::Span;
use crate::tree::{ExprId, ExprKind, StmtKind, TranslationUnit};
use crate::types::{ArraySize, Type};

/// Parts of an object: their places in bytes, and what they are accessed as.
pub(super) type Pieces = Vec<(u64, IrType)>;

/// Objects of more pieces than this are copied in loops.
pub(super) const MOST_UNROLLED: u64 = 32;

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

    /// The scalars that an object is made of, with their offsets; `None` where members share bytes,
    /// lie where their types are not aligned, or are too many.
    pub(super) fn leaves(&self, ty: Type) -> Option<Vec<(u64, Scalar)>> {
        let mut leaves = Vec::new();
        let align = self.unit.types.alignment(ty)?;
        collect_leaves(self.unit, ty, 0, &mut leaves)?;
        let aligned = |&(at, scalar): &(u64, Scalar)| {
            at.is_multiple_of(scalar.size()) && align.is_multiple_of(scalar.size())
        };
        leaves.iter().all(aligned).then_some(leaves)
    }

    /// The members of an object of type `ty`, as [`Self::leaves`], and the bytes between and behind them, in integers: what
    /// copies bytes would else find some there that nobody wrote.
    pub(super) fn leaves_and_gaps(&mut self, ty: Type) -> Option<(Pieces, Pieces)> {
        let (mut leaves, size) = (self.leaves(ty)?, self.unit.types.size_of(ty)?);
        leaves.sort_by_key(|&(at, _)| at);
        let (mut gaps, mut end) = (Vec::new(), 0);
        let ends = leaves.iter().map(|&(at, scalar)| (at, at + scalar.size()));
        for (at, behind) in ends.chain([(size, size)]) {
            while end < at {
                let piece = 1 << end.trailing_zeros().min((at - end).ilog2()).min(3);
                gaps.push((end, self.b.ctx.int(piece * 8)));
                end += u64::from(piece);
            }
            end = behind;
        }
        let leaves = leaves.into_iter().map(|(at, scalar)| (at, scalar.memory(&mut self.b.ctx)));
        Some((leaves.collect(), gaps))
    }

    /// Copies pieces of an object.
    pub(super) fn copy_pieces(&mut self, from: &Pointer, to: &Pointer, pieces: &[(u64, IrType)]) {
        // Everything is read before anything is written: the objects may be the same.
        let mut values = Vec::new();
        for &(at, ty) in pieces {
            let offset = self.index(at as i64);
            values.push(self.load_piece(from, offset, ty));
        }
        for (&(at, ty), value) in pieces.iter().zip(values) {
            let offset = self.index(at as i64);
            self.store_piece(to, offset, ty, value);
        }
    }

    /// Clears pieces of an object.
    pub(super) fn clear_pieces(&mut self, object: &Pointer, pieces: &[(u64, IrType)]) {
        for &(at, ty) in pieces {
            let zero = match self.b.ctx.is_float(ty) {
                true => arith::constant_float(&mut self.b, 0.0, ty),
                false => arith::constant_int(&mut self.b, 0, ty),
            };
            let offset = self.index(at as i64);
            self.store_piece(object, offset, ty, zero);
        }
    }

    /// Copies an object: member by member, which leaves its parts to be variables of their own, or
    /// else in pieces as large as its alignment allows.
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
        let unit_ty = self.b.ctx.int(unit as u32 * 8);
        let pieces: Pieces = match self.leaves_and_gaps(ty) {
            Some((leaves, gaps)) => {
                // What is between members has no value to read.
                self.copy_pieces(from, to, &leaves);
                self.clear_pieces(to, &gaps);
                return Ok(());
            }
            None if layout.size / unit <= MOST_UNROLLED => {
                (0..layout.size / unit).map(|piece| (piece * unit, unit_ty)).collect()
            }
            None => return self.copy_in_loop(from, to, layout.size / unit, unit_ty),
        };
        self.copy_pieces(from, to, &pieces);
        Ok(())
    }

    /// Copies `pieces` integers of type `ty`, one by one.
    fn copy_in_loop(
        &mut self,
        from: &Pointer,
        to: &Pointer,
        pieces: u64,
        ty: IrType,
    ) -> Lowering<()> {
        let unit = u64::from(self.b.ctx.int_width(ty).unwrap_or(8)) / 8;
        let (zero, end, step) =
            (self.index(0), self.index((pieces * unit) as i64), self.index(unit as i64));
        let index = self.b.ctx.index();
        let (region, ()) = self.region(&[index], |l, arguments| {
            let value = l.load_piece(from, arguments[0], ty);
            l.store_piece(to, arguments[0], ty, value);
            l.yields(&[]);
        });
        let op = scf::ForOp::new(&mut self.b, zero, end, step, &[]).region(region);
        self.build(op);
        Ok(())
    }

    /// What stands at a byte of an object, seen as a `ty`.
    pub(super) fn piece(&mut self, pointer: &Pointer, offset: Value, ty: IrType) -> Value {
        let at = self.move_bytes(pointer, offset).position[0];
        let ty = self.b.ctx.memref(&[], ty);
        let buffer = self.buffers[pointer.buffer].memref;
        let op = memref::ViewOp::new(&mut self.b, buffer, at, &[]).result(ty);
        self.value(op)
    }

    fn load_piece(&mut self, pointer: &Pointer, offset: Value, ty: IrType) -> Value {
        let piece = self.piece(pointer, offset, ty);
        self.read_slot(piece)
    }

    pub(super) fn store_piece(
        &mut self,
        pointer: &Pointer,
        offset: Value,
        ty: IrType,
        value: Value,
    ) {
        let piece = self.piece(pointer, offset, ty);
        self.write_slot(piece, value);
    }
}

/// Adds the scalars of an object of type `ty` at byte `at`.
fn collect_leaves(
    unit: &TranslationUnit,
    ty: Type,
    at: u64,
    leaves: &mut Vec<(u64, Scalar)>,
) -> Option<()> {
    if let Some(scalar) = Scalar::in_memory(unit, ty) {
        leaves.push((at, scalar));
        return (leaves.len() as u64 <= MOST_UNROLLED).then_some(());
    }
    if let Some((element, size)) = unit.types.as_array(ty) {
        let ArraySize::Constant(count) = size else { return None };
        let stride = unit.types.size_of(element)?;
        return (0..count.min(MOST_UNROLLED + 1))
            .try_for_each(|i| collect_leaves(unit, element, at + i * stride, leaves));
    }
    let record = unit.types.record(unit.types.as_record(ty)?);
    if record.is_union || record.fields.iter().any(|field| field.bits.is_some()) {
        return None;
    }
    record
        .fields
        .iter()
        .try_for_each(|field| collect_leaves(unit, field.ty, at + field.offset, leaves))
}
