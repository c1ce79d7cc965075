//! Values of expressions.

use gpuc_dialects::{arith, memref};
use gpuc_ir::Value;

use super::lowerer::{Lowerer, Lowering};
use super::place::{Form, Lvalue};
use super::scalar::Scalar;
use crate::source::Span;
use crate::tree::{BinaryOp, CastKind, ExprId, ExprKind, IncDec, StmtKind, UnaryOp};
use crate::types::Type;

impl Lowerer<'_> {
    /// The value of a scalar expression.
    pub(super) fn rvalue(&mut self, expr: ExprId) -> Lowering<Value> {
        // Without a closure: nests are deep, and frames of debug builds large.
        let outside = self.locate(self.span(expr));
        let value = match self.unit.exprs[expr].kind {
            // Chains of operators are what is deepest.
            ExprKind::Binary(op, a, b)
                if !self.is_pointer(expr)
                    && !self.ty(expr).is_error()
                    && !self.host_values.contains_key(&expr) =>
            {
                self.binary(expr, op, a, b)
            }
            _ => self.value_of(expr),
        };
        self.b.location = outside;
        value
    }

    pub(super) fn value_of(&mut self, expr: ExprId) -> Lowering<Value> {
        let unit = self.unit;
        let span = self.span(expr);
        let ty = self.ty(expr);
        if let Some(&value) = self.host_values.get(&expr) {
            return Ok(value);
        }
        if ty.is_error() {
            return self
                .error(span, "the value of this expression is known to the host compiler alone");
        }
        if self.is_pointer(expr)
            && !matches!(unit.exprs[expr].kind, ExprKind::Call { .. } | ExprKind::StatementExpr(_))
        {
            return self.address(expr);
        }
        match unit.exprs[expr].kind.clone() {
            ExprKind::Int(value) => {
                let ty = self.scalar(ty, span)?.register(&mut self.b.ctx);
                Ok(arith::constant_int(&mut self.b, value, ty))
            }
            ExprKind::Float(value) => {
                let ty = self.scalar(ty, span)?.register(&mut self.b.ctx);
                Ok(arith::constant_float(&mut self.b, value, ty))
            }
            ExprKind::Paren(inner) => self.rvalue(inner),
            ExprKind::Name(_) if unit.exprs[expr].category == crate::tree::ValueCategory::Value => {
                self.named_constant(expr)
            }
            ExprKind::Cast { kind, operand, .. } => self.cast(kind, operand, ty, span),
            ExprKind::Unary(op, operand) => self.unary(op, operand, ty, span),
            ExprKind::Binary(op, a, b) => self.binary(expr, op, a, b),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(expr, condition, then, otherwise)
            }
            ExprKind::Comma(first, second) => {
                self.effects(first)?;
                self.rvalue(second)
            }
            ExprKind::Assign { target, value } => {
                if self.is_pointer(target) {
                    return self.untraced(span);
                }
                let scalar = self.scalar(self.ty(target), span)?;
                let value = self.rvalue(value)?;
                if let Some(bits) = self.bit_field(target)? {
                    return self.store_bits(&bits, value, span);
                }
                self.assign(target, value, scalar)?;
                Ok(value)
            }
            ExprKind::CompoundAssign { op, target, value, computed } => {
                self.compound_assign(op, target, value, computed, span)
            }
            ExprKind::IncDec(op, target) => self.inc_dec(op, target, span),
            ExprKind::Call { callee, arguments } => self.call(expr, callee, &arguments),
            ExprKind::SizeofVariable(of) => {
                let size = self.size_in_bytes(of, span)?;
                let scalar = self.scalar(ty, span)?;
                Ok(self.index_as(size, scalar))
            }
            ExprKind::StatementExpr(body) => self.statement_expression(body, span),
            ExprKind::OffsetofVariable { constant, terms } => {
                let mut sum = self.index(constant as i64);
                for (count, size) in terms {
                    let count = self.subscript(count)?;
                    let size = self.index(size as i64);
                    let term = self.multiply_index(count, size);
                    sum = self.add_index(sum, term);
                }
                let scalar = self.scalar(ty, span)?;
                Ok(self.index_as(sum, scalar))
            }
            _ if self.is_complex(expr) => {
                self.error(span, "this complex expression is not supported in device code")
            }
            ExprKind::Imaginary(_) | ExprKind::Complex(..) => {
                self.refuse(span, super::scalar::refused_type(unit, ty))
            }
            ExprKind::LabelAddress(_) => {
                self.error(span, "addresses of labels are not supported in device code")
            }
            ExprKind::VaArg(_) => {
                self.error(span, "variable arguments are not supported in device code")
            }
            ExprKind::String(_) => self.error(span, "strings are not supported in device code"),
            ExprKind::Member { .. } | ExprKind::Index { .. } | ExprKind::Name(_) => {
                self.load_place(expr)
            }
            ExprKind::Error | ExprKind::CompoundLiteral(_) => {
                self.error(span, "this expression is not supported in device code")
            }
        }
    }

    /// An enumeration constant.
    fn named_constant(&mut self, expr: ExprId) -> Lowering<Value> {
        let span = self.span(expr);
        let ty = self.scalar(self.ty(expr), span)?.register(&mut self.b.ctx);
        match self.unit.constant_int(expr) {
            Some(value) => Ok(arith::constant_int(&mut self.b, value, ty)),
            None => self.error(span, "this name has no value in device code"),
        }
    }

    fn cast(&mut self, kind: CastKind, operand: ExprId, to: Type, span: Span) -> Lowering<Value> {
        match kind {
            CastKind::Load => self.load_place(operand),
            CastKind::Integer
            | CastKind::IntegerToFloating
            | CastKind::FloatingToInteger
            | CastKind::Floating
            | CastKind::ToBool
            | CastKind::Same => {
                if kind == CastKind::ToBool && self.is_pointer(operand) {
                    return self.condition(operand);
                }
                if kind == CastKind::ToBool {
                    return self.condition(operand);
                }
                let from = self.scalar(self.ty(operand), self.span(operand))?;
                let to = self.scalar(to, span)?;
                let value = self.rvalue(operand)?;
                Ok(self.convert(value, from, to))
            }
            CastKind::PointerToInteger => {
                let to = self.scalar(to, span)?;
                let address = self.address(operand)?;
                Ok(self.convert(address, Scalar::ADDRESS, to))
            }
            CastKind::IntegerToPointer => self.untraced(span),
            CastKind::ComplexToReal => {
                let part = self.unit.types.as_complex(self.ty(operand)).unwrap_or(Type::ERROR);
                let from = self.scalar(part, span)?;
                let to = self.scalar(to, span)?;
                let value = self.part_value(operand, false)?;
                Ok(self.convert(value, from, to))
            }
            CastKind::RealToComplex | CastKind::Complex => {
                self.refuse(span, super::scalar::refused_type(self.unit, self.ty(operand)))
            }
            CastKind::Bits => self.error(span, "GNU vectors are not supported in device code"),
            CastKind::FunctionToPointer => {
                self.error(span, "function pointers are not supported in device code")
            }
            CastKind::ArrayToPointer | CastKind::Pointer | CastKind::NullToPointer => {
                self.untraced(span)
            }
            CastKind::ToUnion | CastKind::ToVoid => {
                self.error(span, "this conversion has no value in device code")
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, ty: Type, span: Span) -> Lowering<Value> {
        if op == UnaryOp::Not {
            let condition = self.condition(operand)?;
            let inverted = self.invert(condition);
            let scalar = self.scalar(ty, span)?;
            return Ok(self.convert(inverted, Scalar::Bool, scalar));
        }
        if matches!(op, UnaryOp::Real | UnaryOp::Imag) && self.is_complex(operand) {
            return self.part_value(operand, op == UnaryOp::Imag);
        }
        let scalar = self.scalar(ty, span)?;
        match op {
            UnaryOp::Plus | UnaryOp::Real => self.rvalue(operand),
            UnaryOp::Minus => {
                // A literal with its sign is one constant.
                match self.unit.exprs[operand].kind {
                    ExprKind::Int(value) => {
                        let ty = scalar.register(&mut self.b.ctx);
                        return Ok(arith::constant_int(&mut self.b, value.wrapping_neg(), ty));
                    }
                    ExprKind::Float(value) => {
                        let ty = scalar.register(&mut self.b.ctx);
                        return Ok(arith::constant_float(&mut self.b, -value, ty));
                    }
                    _ => {}
                }
                let value = self.rvalue(operand)?;
                Ok(self.negate(value, scalar))
            }
            UnaryOp::Complement => {
                let value = self.rvalue(operand)?;
                Ok(self.complement(value, scalar))
            }
            UnaryOp::Imag => self.error(span, "imaginary parts are not supported in device code"),
            _ => self.untraced(span),
        }
    }

    fn binary(&mut self, expr: ExprId, op: BinaryOp, a: ExprId, b: ExprId) -> Lowering<Value> {
        let span = self.span(expr);
        let ty = self.ty(expr);
        if op.is_comparison() || matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            let condition = self.condition(expr)?;
            let scalar = self.scalar(ty, span)?;
            return Ok(self.convert(condition, Scalar::Bool, scalar));
        }
        if op == BinaryOp::Sub && self.is_pointer(a) && self.is_pointer(b) {
            return self.pointer_difference(a, b, ty, span);
        }
        let scalar = self.scalar(ty, span)?;
        let left = self.rvalue(a)?;
        let mut right = self.rvalue(b)?;
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let from = self.scalar(self.ty(b), span)?;
            right = self.convert(right, from, scalar);
        }
        self.arithmetic(op, scalar, left, right, span)
    }

    fn pointer_difference(
        &mut self,
        a: ExprId,
        b: ExprId,
        ty: Type,
        span: Span,
    ) -> Lowering<Value> {
        let (distance, form) = self.pointer_distance(a, b, span)?;
        let to = self.unit.types.pointee(self.ty(a)).unwrap_or(Type::ERROR);
        let size = match self.unit.types.size_of(to) {
            Some(size) if size > 0 => size,
            _ => {
                return self
                    .error(span, "the distance of these pointers is not supported in device code");
            }
        };
        let units = match form {
            Form::Bytes => size,
            Form::Elements { size: unit, ref inner, .. } if inner.is_empty() => size / unit,
            _ => 1,
        };
        let mut count = distance;
        if units > 1 {
            let units = self.index(units as i64);
            let op = arith::DivSIOp::new(&mut self.b, distance, units);
            count = self.value(op);
        }
        let scalar = self.scalar(ty, span)?;
        Ok(self.index_as(count, scalar))
    }

    /// Assigns a scalar to an lvalue.
    pub(super) fn assign(&mut self, target: ExprId, value: Value, scalar: Scalar) -> Lowering<()> {
        let span = self.span(target);
        match self.place(target)? {
            Lvalue::Memory(pointer) => {
                self.at_span(span, |l| l.store(value, &pointer, scalar, span))
            }
            Lvalue::Value(_) => self.error(span, "this variable cannot be assigned to here"),
            _ => self.untraced(span),
        }
    }

    fn compound_assign(
        &mut self,
        op: BinaryOp,
        target: ExprId,
        value: ExprId,
        computed: Type,
        span: Span,
    ) -> Lowering<Value> {
        let scalar = self.scalar(self.ty(target), span)?;
        if !self.is_complex_type(computed)
            && let Some(bits) = self.bit_field(target)?
        {
            return self.update_bits(&bits, op, value, computed, span);
        }
        if self.is_complex_type(computed) {
            // The real part of what comes out.
            let pointer = self.object(target)?;
            let old = self.load(&pointer, scalar, span)?;
            let (result, wide) = self.with_complex(op, old, scalar, value, computed, span)?;
            let result = self.convert(result, wide, scalar);
            self.store(result, &pointer, scalar, span)?;
            return Ok(result);
        }
        let wide = self.scalar(computed, span)?;
        let pointer = self.object(target)?;
        let mut right = self.rvalue(value)?;
        let access = self.span(target);
        let old = self.at_span(access, |l| l.load(&pointer, scalar, span))?;
        let left = self.convert(old, scalar, wide);
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let from = self.scalar(self.ty(value), span)?;
            right = self.convert(right, from, wide);
        }
        let result = self.arithmetic(op, wide, left, right, span)?;
        let result = self.convert(result, wide, scalar);
        self.at_span(access, |l| l.store(result, &pointer, scalar, span))?;
        Ok(result)
    }

    fn inc_dec(&mut self, op: IncDec, target: ExprId, span: Span) -> Lowering<Value> {
        if let Some(bits) = self.bit_field(target)? {
            let up = matches!(op, IncDec::PreIncrement | IncDec::PostIncrement);
            let (old, new) = self.step_bits(&bits, up, span)?;
            let before = matches!(op, IncDec::PreIncrement | IncDec::PreDecrement);
            return Ok(if before { new } else { old });
        }
        let scalar = self.scalar(self.ty(target), span)?;
        // The sum is computed in the promoted type, where a narrow integer does not overflow.
        let wide = match scalar {
            Scalar::Bool => Scalar::Int { bits: 32, signed: true },
            Scalar::Int { bits, .. } if bits < 32 => Scalar::Int { bits: 32, signed: true },
            other => other,
        };
        let pointer = self.object(target)?;
        let old = self.load(&pointer, scalar, span)?;
        let left = self.convert(old, scalar, wide);
        let ty = wide.register(&mut self.b.ctx);
        let one = if wide.is_float() {
            arith::constant_float(&mut self.b, 1.0, ty)
        } else {
            arith::constant_int(&mut self.b, 1, ty)
        };
        let up = matches!(op, IncDec::PreIncrement | IncDec::PostIncrement);
        let operator = if up { BinaryOp::Add } else { BinaryOp::Sub };
        let result = self.arithmetic(operator, wide, left, one, span)?;
        let result = self.convert(result, wide, scalar);
        self.store(result, &pointer, scalar, span)?;
        let post = matches!(op, IncDec::PostIncrement | IncDec::PostDecrement);
        Ok(if post { old } else { result })
    }

    /// GNU's `({ ... })`: its last statement's value, through a variable, because statements nest
    /// behind those that may jump.
    fn statement_expression(&mut self, body: crate::tree::StmtId, span: Span) -> Lowering<Value> {
        let StmtKind::Compound(stmts) = &self.unit.stmts[body].kind else {
            return self.error(span, "this expression has no value");
        };
        let Some((&last, before)) = stmts.split_last() else {
            return self.error(span, "this expression has no value");
        };
        let StmtKind::Expr(value) = self.unit.stmts[last].kind else {
            return self.error(span, "this expression has no value");
        };
        if before.iter().any(|&stmt| !self.exits(stmt).is_empty()) {
            return self.error(
                span,
                "jumping out of a statement expression is not supported in device code",
            );
        }
        self.statements(before)?;
        self.rvalue(value)
    }

    /// Evaluates an expression for what it does.
    pub(super) fn effects(&mut self, expr: ExprId) -> Lowering<()> {
        let outside = self.locate(self.span(expr));
        let done = self.effects_of(expr);
        self.b.location = outside;
        done
    }

    fn effects_of(&mut self, expr: ExprId) -> Lowering<()> {
        let is_assignment = matches!(
            self.unit.exprs[expr].kind,
            ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec(..)
        );
        if is_assignment && self.is_complex(expr) {
            return self.complex_value(expr).map(|_| ());
        }
        match self.unit.exprs[expr].kind.clone() {
            // To read what is volatile is an effect.
            ExprKind::Cast { kind: CastKind::Load, operand, .. }
                if self.is_volatile(operand)
                    && !self.is_pointer(operand)
                    && !self.is_record(operand)
                    && !self.is_complex(operand) =>
            {
                self.rvalue(expr).map(|_| ())
            }
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => self.effects(inner),
            ExprKind::Comma(first, second) => {
                self.effects(first)?;
                self.effects(second)
            }
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Name(_) | ExprKind::String(_) => {
                Ok(())
            }
            ExprKind::Call { callee, arguments } => self.call_effects(expr, callee, &arguments),
            ExprKind::Assign { target, value } if self.is_record(target) => {
                self.assign_record(target, value)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = self.condition(condition)?;
                self.either(
                    condition,
                    |l| then.map_or(Ok(()), |then| l.effects(then)),
                    |l| l.effects(otherwise),
                )
            }
            ExprKind::Binary(BinaryOp::LogicalAnd, a, b) => {
                let condition = self.condition(a)?;
                self.branch(condition, |l| l.effects(b))
            }
            ExprKind::Binary(BinaryOp::LogicalOr, a, b) => {
                let condition = self.condition(a)?;
                let condition = self.invert(condition);
                self.branch(condition, |l| l.effects(b))
            }
            ExprKind::StatementExpr(body) => {
                let StmtKind::Compound(stmts) = &self.unit.stmts[body].kind else { return Ok(()) };
                self.statements(stmts)
            }
            ExprKind::Assign { .. } | ExprKind::CompoundAssign { .. } | ExprKind::IncDec(..)
                if self.is_pointer(expr) =>
            {
                self.pointer_update(expr).map(|_| ())
            }
            ExprKind::Binary(_, a, b) if self.is_pointer(expr) => {
                self.effects(a)?;
                self.effects(b)
            }
            ExprKind::Member { base, .. } => self.effects(base),
            ExprKind::Index { base, index } => {
                self.effects(base)?;
                self.effects(index)
            }
            ExprKind::Unary(_, operand) => self.effects(operand),
            _ if self.unit.types.is_void(self.ty(expr)) => Ok(()),
            _ => self.rvalue(expr).map(|_| ()),
        }
    }

    /// Stores into a rank-0 slot.
    pub(super) fn write_slot(&mut self, slot: Value, value: Value) {
        let op = memref::StoreOp::new(&mut self.b, value, slot, &[]);
        self.build(op);
    }
}
