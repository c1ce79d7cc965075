//! Operators: their operands' conversions and their results' types (C11 §6.5.3 to §6.5.17).

use super::{ArraySize, Checker, Qualifiers, Type, TypeKind};
use crate::source::Span;
use crate::tree::{BinaryOp, ExprId, ExprKind, IncDec, UnaryOp, ValueCategory};

impl Checker {
    fn any_error(&self, exprs: &[ExprId]) -> bool {
        exprs.iter().any(|&e| self.ty(e).is_error())
    }

    fn is_vector(&self, ty: Type) -> bool {
        matches!(self.unit.types.kind(ty), TypeKind::Vector { .. })
    }

    /// `op expr`.
    pub(crate) fn unary(&mut self, op: UnaryOp, expr: ExprId, span: Span) -> ExprId {
        match op {
            UnaryOp::AddressOf => return self.address_of(expr, span),
            UnaryOp::Deref => return self.deref(expr, span),
            _ => {}
        }
        let (value, bad) = match op {
            UnaryOp::Not => {
                let value = self.rvalue(expr);
                (value, !self.unit.types.is_scalar(self.ty(value)))
            }
            UnaryOp::Real | UnaryOp::Imag => {
                let value = self.rvalue(expr);
                (value, !self.unit.types.is_arithmetic(self.ty(value)))
            }
            _ => {
                let value = self.promote(expr);
                let ty = self.ty(value);
                let integer = self.unit.types.is_integer(ty);
                let complex = self.unit.types.as_complex(ty).is_some();
                let good = match op {
                    UnaryOp::Complement => integer || complex || self.is_vector(ty),
                    _ => self.unit.types.is_arithmetic(ty) || self.is_vector(ty),
                };
                (value, !good)
            }
        };
        let ty = self.ty(value);
        if ty.is_error() {
            return self.error_expr(span);
        }
        if bad {
            let shown = self.show(ty);
            return self
                .refuse(span, format!("`{}` cannot be applied to `{shown}`", op.spelling()));
        }
        let result = match op {
            UnaryOp::Not => Type::INT,
            UnaryOp::Real | UnaryOp::Imag => self.unit.types.as_complex(ty).unwrap_or(ty),
            _ => ty,
        };
        self.value(ExprKind::Unary(op, value), result, span)
    }

    fn address_of(&mut self, expr: ExprId, span: Span) -> ExprId {
        let ty = self.ty(expr);
        if ty.is_error() {
            return self.error_expr(span);
        }
        if self.unit.exprs[expr].category == ValueCategory::BitField {
            return self.refuse(span, "the address of a bit-field cannot be taken");
        }
        if !self.is_addressable(expr) {
            return self.refuse(span, "the address of a value cannot be taken");
        }
        let pointer = self.unit.types.pointer_to(ty);
        self.value(ExprKind::Unary(UnaryOp::AddressOf, expr), pointer, span)
    }

    /// `*expr`.
    pub(crate) fn deref(&mut self, expr: ExprId, span: Span) -> ExprId {
        let value = self.rvalue(expr);
        let ty = self.ty(value);
        if ty.is_error() {
            return self.error_expr(span);
        }
        let Some(to) = self.unit.types.pointee(ty) else {
            let shown = self.show(ty);
            return self.refuse(span, format!("`*` cannot be applied to `{shown}`"));
        };
        let category = if self.unit.types.is_function(to) {
            ValueCategory::Function
        } else {
            ValueCategory::Object
        };
        self.push(ExprKind::Unary(UnaryOp::Deref, value), to, category, span)
    }

    fn is_object(&self, expr: ExprId) -> bool {
        matches!(self.unit.exprs[expr].category, ValueCategory::Object | ValueCategory::BitField)
    }

    fn require_object(&mut self, expr: ExprId, verb: &str) -> bool {
        let ty = self.ty(expr);
        if ty.is_error() {
            return false;
        }
        let array = self.unit.types.as_array(ty).is_some();
        if self.is_object(expr) && !array {
            return true;
        }
        let (span, shown) = (self.span(expr), self.show(ty));
        let what = if array { "an array" } else { "a value, not an object" };
        self.error(span, format!("this is {what} of type `{shown}` and cannot be {verb}"));
        false
    }

    /// `++` and `--`.
    pub(crate) fn inc_dec(&mut self, op: IncDec, expr: ExprId, span: Span) -> ExprId {
        if !self.require_object(expr, "incremented or decremented") {
            return self.error_expr(span);
        }
        let ty = self.ty(expr);
        if !self.unit.types.is_scalar(ty) && !self.is_vector(ty) {
            let shown = self.show(ty);
            return self.refuse(span, format!("`{shown}` cannot be incremented or decremented"));
        }
        self.value(ExprKind::IncDec(op, expr), ty, span)
    }

    /// `left op right`.
    pub(crate) fn binary(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> ExprId {
        use BinaryOp as B;
        let (l, r) = (self.rvalue(left), self.rvalue(right));
        if self.any_error(&[l, r]) {
            return self.error_expr(span);
        }
        let (lt, rt) = (self.ty(l), self.ty(r));
        let types = &self.unit.types;
        if matches!(op, B::LogicalAnd | B::LogicalOr) {
            if types.is_scalar(lt) && types.is_scalar(rt) {
                return self.value(ExprKind::Binary(op, l, r), Type::INT, span);
            }
            return self.bad_operands(op, lt, rt, span);
        }
        if self.is_vector(lt) || self.is_vector(rt) {
            return self.vector_binary(op, l, r, span);
        }
        let pointers = (types.is_pointer(lt), types.is_pointer(rt));
        let arithmetic = types.is_arithmetic(lt) && types.is_arithmetic(rt);
        let integers = types.is_integer(lt) && types.is_integer(rt);
        match op {
            B::Shl | B::Shr if integers => {
                let (l, r) = (self.promote(left), self.promote(right));
                let ty = self.ty(l);
                self.value(ExprKind::Binary(op, l, r), ty, span)
            }
            B::Rem | B::And | B::Xor | B::Or if integers => {
                self.arithmetic_binary(op, left, right, span)
            }
            B::Mul | B::Div | B::Add | B::Sub if arithmetic => {
                self.arithmetic_binary(op, left, right, span)
            }
            B::Add if pointers.0 && types.is_integer(rt) => self.offset_pointer(op, l, r, span),
            B::Add if pointers.1 && types.is_integer(lt) => self.offset_pointer(op, r, l, span),
            B::Sub if pointers.0 && types.is_integer(rt) => self.offset_pointer(op, l, r, span),
            B::Sub if pointers == (true, true) => {
                self.value(ExprKind::Binary(op, l, r), Type::LONG, span)
            }
            _ if op.is_comparison() => self.comparison(op, left, right, span),
            _ => self.bad_operands(op, lt, rt, span),
        }
    }

    fn bad_operands(&mut self, op: BinaryOp, left: Type, right: Type, span: Span) -> ExprId {
        let (left, right) = (self.show(left), self.show(right));
        self.refuse(
            span,
            format!("`{}` cannot be applied to `{left}` and `{right}`", op.spelling()),
        )
    }

    fn arithmetic_binary(&mut self, op: BinaryOp, l: ExprId, r: ExprId, span: Span) -> ExprId {
        let (l, r, ty) = self.arithmetic(l, r);
        self.value(ExprKind::Binary(op, l, r), ty, span)
    }

    fn vector_binary(&mut self, op: BinaryOp, l: ExprId, r: ExprId, span: Span) -> ExprId {
        let vector = if self.is_vector(self.ty(l)) { self.ty(l) } else { self.ty(r) };
        let TypeKind::Vector { element, count } = *self.unit.types.kind(vector) else {
            return self.error_expr(span);
        };
        // A comparison yields integers as wide as the elements.
        let ty = if op.is_comparison() {
            let element = match self.unit.types.size_of(element) {
                Some(1) => Type::SCHAR,
                Some(2) => Type::SHORT,
                Some(4) => Type::INT,
                _ => Type::LONG,
            };
            self.unit.types.intern(TypeKind::Vector { element, count })
        } else {
            vector
        };
        let mut side = |value: ExprId| {
            if self.is_vector(self.ty(value)) { value } else { self.convert(value, element) }
        };
        let (l, r) = (side(l), side(r));
        self.value(ExprKind::Binary(op, l, r), ty, span)
    }

    /// Pointer ± integer; the integer as `long`.
    fn offset_pointer(&mut self, op: BinaryOp, pointer: ExprId, by: ExprId, span: Span) -> ExprId {
        let ty = self.ty(pointer);
        let by = self.convert_subscript(by);
        self.value(ExprKind::Binary(op, pointer, by), ty, span)
    }

    /// A subscript or pointer offset, as `long` or wider so that its sign is settled.
    pub(crate) fn convert_subscript(&mut self, index: ExprId) -> ExprId {
        let index = self.promote(index);
        let wide = self.unit.types.as_int(self.ty(index)).is_some_and(|k| k.bits() >= 64);
        if wide { index } else { self.convert(index, Type::LONG) }
    }

    fn comparison(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let (l, r) = (self.rvalue(left), self.rvalue(right));
        let (lt, rt) = (self.ty(l), self.ty(r));
        let types = &self.unit.types;
        let pointer = |ty| types.is_pointer(ty) || ty == Type::NULLPTR;
        if types.is_arithmetic(lt) && types.is_arithmetic(rt) {
            let (l, r, _) = self.arithmetic(left, right);
            return self.value(ExprKind::Binary(op, l, r), Type::INT, span);
        }
        let (l, r) = match (pointer(lt), pointer(rt)) {
            (true, true) if lt == Type::NULLPTR => (self.convert(l, rt), r),
            (true, true) => (l, self.convert(r, lt)),
            // GNU compares a pointer with an integer, warning unless it is a null constant.
            (true, false) if types.is_integer(rt) => (l, self.convert(r, lt)),
            (false, true) if types.is_integer(lt) => (self.convert(l, rt), r),
            _ => return self.bad_operands(op, lt, rt, span),
        };
        self.value(ExprKind::Binary(op, l, r), Type::INT, span)
    }

    /// `target = value`.
    pub(crate) fn assign(&mut self, target: ExprId, value: ExprId, span: Span) -> ExprId {
        if !self.require_object(target, "assigned to") {
            return self.error_expr(span);
        }
        let ty = self.ty(target);
        let value = self.convert_assigned(value, ty, "a value");
        self.value(ExprKind::Assign { target, value }, ty, span)
    }

    /// `target op= value`.
    pub(crate) fn compound_assign(
        &mut self,
        op: BinaryOp,
        target: ExprId,
        value: ExprId,
        span: Span,
    ) -> ExprId {
        if !self.require_object(target, "assigned to") || self.any_error(&[value]) {
            return self.error_expr(span);
        }
        // The plain operator says how both sides are converted; of its tree only that is kept.
        let plain = self.binary(op, target, value, span);
        let ExprKind::Binary(_, left, value) = self.unit.exprs[plain].kind else {
            return self.error_expr(span);
        };
        let ty = self.ty(target);
        let result = self.ty(plain);
        let computed = self.ty(left);
        let fits = result.unqualified() == ty.unqualified()
            || self.unit.types.is_arithmetic(result) && self.unit.types.is_arithmetic(ty);
        if !fits {
            return self.bad_operands(op, ty, self.ty(value), span);
        }
        // Of `int op= complex` the sum is complex though the left side stays real.
        let computed = if self.unit.types.as_complex(result).is_some() { result } else { computed };
        self.value(ExprKind::CompoundAssign { op, target, value, computed }, ty, span)
    }

    /// `left, right`.
    pub(crate) fn comma(&mut self, left: ExprId, right: ExprId, span: Span) -> ExprId {
        let (left, right) = (self.rvalue(left), self.rvalue(right));
        let ty = self.ty(right);
        self.value(ExprKind::Comma(left, right), ty, span)
    }

    /// `condition ? then : otherwise`.
    pub(crate) fn conditional(
        &mut self,
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
        span: Span,
    ) -> ExprId {
        let condition = self.condition(condition);
        let first = then.unwrap_or(condition);
        let (a, b) = (self.rvalue(first), self.rvalue(otherwise));
        if self.any_error(&[condition, a, b]) {
            return self.error_expr(span);
        }
        let (at, bt) = (self.ty(a).unqualified(), self.ty(b).unqualified());
        let types = &self.unit.types;
        let ty = if types.is_arithmetic(at) && types.is_arithmetic(bt) {
            self.arithmetic(first, otherwise).2
        } else if at == bt {
            at
        } else if types.is_void(at) || types.is_void(bt) {
            Type::VOID
        } else if let Some(ty) = self.common_pointer(a, b) {
            ty
        } else {
            let (a, b) = (self.show(at), self.show(bt));
            return self.refuse(span, format!("`?:` cannot choose between `{a}` and `{b}`"));
        };
        let mut side = |value: ExprId, original: ExprId| {
            if self.unit.types.is_void(ty) {
                return value;
            }
            let value = if self.unit.types.is_integer(ty) { self.promote(original) } else { value };
            self.convert(value, ty)
        };
        let otherwise = side(b, otherwise);
        let then = then.map(|then| side(a, then));
        self.value(ExprKind::Conditional { condition, then, otherwise }, ty, span)
    }

    /// The type of a choice between two pointers, or a pointer and a null constant.
    fn common_pointer(&mut self, a: ExprId, b: ExprId) -> Option<Type> {
        let (at, bt) = (self.ty(a), self.ty(b));
        match (self.unit.types.pointee(at), self.unit.types.pointee(bt)) {
            (Some(x), Some(y)) => {
                if self.is_null_constant(a) {
                    return Some(bt);
                }
                if self.is_null_constant(b) {
                    return Some(at);
                }
                let qualifiers = x.qualifiers().union(y.qualifiers());
                let compatible = self.unit.types.compatible_unqualified(x, y);
                let to = if compatible {
                    self.unit.types.composite(x.unqualified(), y.unqualified())
                } else {
                    // GNU warns of two unlike pointers and makes the choice a `void *`.
                    Type::VOID
                };
                let to = if qualifiers == Qualifiers::NONE {
                    to
                } else {
                    self.unit.types.qualify(to, qualifiers)
                };
                Some(self.unit.types.pointer_to(to))
            }
            (Some(_), None) if self.unit.types.is_integer(bt) || bt == Type::NULLPTR => Some(at),
            (None, Some(_)) if self.unit.types.is_integer(at) || at == Type::NULLPTR => Some(bt),
            _ => None,
        }
    }

    /// `sizeof` a type.
    pub(crate) fn sizeof(&mut self, ty: Type, span: Span) -> ExprId {
        if ty.is_error() {
            return self.error_expr(span);
        }
        // GNU gives void and functions the size 1.
        if self.unit.types.is_void(ty) || self.unit.types.is_function(ty) {
            return self.int(1, Type::ULONG, span);
        }
        if let Some(size) = self.unit.types.size_of(ty) {
            return self.int(size.into(), Type::ULONG, span);
        }
        if self.unit.types.is_variably_sized(ty) {
            return self.value(ExprKind::SizeofVariable(ty), Type::ULONG, span);
        }
        if matches!(self.unit.types.as_array(ty), Some((_, ArraySize::Constant(_)))) {
            self.require_complete(ty, span, "the operand of `sizeof`");
            return self.error_expr(span);
        }
        let shown = self.show(ty);
        self.refuse(span, format!("the size of the incomplete type `{shown}` is not known"))
    }

    /// `_Alignof` a type.
    pub(crate) fn alignof(&mut self, ty: Type, declared: Option<u64>, span: Span) -> ExprId {
        let natural = match self.unit.types.alignment(ty) {
            Some(align) => align,
            None if self.unit.types.is_void(ty) || self.unit.types.is_function(ty) => 1,
            None if ty.is_error() => return self.error_expr(span),
            None => {
                let shown = self.show(ty);
                let message =
                    format!("the alignment of the incomplete type `{shown}` is not known");
                return self.refuse(span, message);
            }
        };
        self.int(declared.unwrap_or(natural).into(), Type::ULONG, span)
    }
}
