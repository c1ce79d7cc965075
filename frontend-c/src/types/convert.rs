//! Conversions, made explicit as cast nodes (C11 §6.3, §6.5.4 and §6.5.16.1).

use super::{Checker, IntKind, Type, TypeKind, Types};
use crate::source::Span;
use crate::tree::{CastKind, ExprId, ExprKind, UnaryOp, ValueCategory};

impl Types {
    /// How a value of type `from` becomes one of type `to`, were it by a cast; `None` where it
    /// cannot, or where nothing is to be done.
    fn cast_kind(&self, from: Type, to: Type) -> Option<CastKind> {
        use CastKind as C;
        use TypeKind as K;
        let (f, t) = (self.kind(from), self.kind(to));
        Some(match (f, t) {
            (_, K::Void) => C::ToVoid,
            (_, K::Int(IntKind::Bool)) if self.is_scalar(from) => C::ToBool,
            (K::Int(_) | K::Enum(_), K::Int(_) | K::Enum(_)) => {
                if self.as_int(from) == self.as_int(to) { C::Same } else { C::Integer }
            }
            (K::Int(_) | K::Enum(_), K::Float(_)) => C::IntegerToFloating,
            (K::Float(_), K::Int(_) | K::Enum(_)) => C::FloatingToInteger,
            (K::Float(_), K::Float(_)) => C::Floating,
            (K::Complex(_), K::Complex(_)) => C::Complex,
            (K::Complex(_), K::Int(_) | K::Enum(_) | K::Float(_)) => C::ComplexToReal,
            (K::Int(_) | K::Enum(_) | K::Float(_), K::Complex(_)) => C::RealToComplex,
            (K::Nullptr, K::Pointer(_)) => C::NullToPointer,
            (K::Pointer(a), K::Pointer(b)) => {
                if a.unqualified() == b.unqualified() {
                    C::Same
                } else {
                    C::Pointer
                }
            }
            (K::Pointer(_) | K::Nullptr, K::Int(_) | K::Enum(_)) => C::PointerToInteger,
            (K::Int(_) | K::Enum(_), K::Pointer(_)) => C::IntegerToPointer,
            (K::Vector { .. }, _) | (_, K::Vector { .. }) => {
                let same_size =
                    self.size_of(from).is_some() && self.size_of(from) == self.size_of(to);
                return same_size.then_some(C::Bits);
            }
            _ => return None,
        })
    }
}

impl Checker {
    /// Adds a conversion node.
    pub(crate) fn cast_node(
        &mut self,
        operand: ExprId,
        kind: CastKind,
        ty: Type,
        implicit: bool,
        span: Span,
    ) -> ExprId {
        self.value(ExprKind::Cast { kind, operand, implicit }, ty, span)
    }

    fn implicit(&mut self, operand: ExprId, kind: CastKind, ty: Type) -> ExprId {
        let span = self.span(operand);
        self.cast_node(operand, kind, ty, true, span)
    }

    /// The value of `expr`: objects are read, arrays and functions become pointers.
    pub(crate) fn rvalue(&mut self, expr: ExprId) -> ExprId {
        let (ty, category) = (self.ty(expr), self.unit.exprs[expr].category);
        if ty.is_error() {
            return expr;
        }
        if let Some((element, _)) = self.unit.types.as_array(ty) {
            let pointer = self.unit.types.pointer_to(element);
            return self.implicit(expr, CastKind::ArrayToPointer, pointer);
        }
        if self.unit.types.is_function(ty) {
            let pointer = self.unit.types.pointer_to(ty.unqualified());
            return self.implicit(expr, CastKind::FunctionToPointer, pointer);
        }
        match category {
            ValueCategory::Object | ValueCategory::BitField if !self.unit.types.is_void(ty) => {
                self.implicit(expr, CastKind::Load, ty.unqualified())
            }
            _ => expr,
        }
    }

    /// `value` as type `to` by an implicit conversion that is known to be possible.
    pub(crate) fn convert(&mut self, value: ExprId, to: Type) -> ExprId {
        let (from, to) = (self.ty(value).unqualified(), to.unqualified());
        if from == to || from.is_error() || to.is_error() {
            return value;
        }
        if self.unit.types.is_pointer(to) && self.is_null_constant(value) {
            return self.implicit(value, CastKind::NullToPointer, to);
        }
        match self.unit.types.cast_kind(from, to) {
            Some(kind) => self.implicit(value, kind, to),
            None => value,
        }
    }

    /// Whether `expr` is a null pointer constant: an integer constant 0, that cast to `void *`, or
    /// `nullptr`.
    pub(crate) fn is_null_constant(&self, expr: ExprId) -> bool {
        let ty = self.ty(expr);
        match &self.unit.exprs[expr].kind {
            _ if ty == Type::NULLPTR => true,
            ExprKind::Paren(inner) => self.is_null_constant(*inner),
            ExprKind::Cast { operand, implicit: false, .. } if self.is_void_pointer(ty) => {
                self.unit.types.is_integer(self.ty(*operand))
                    && self.constant_int(*operand) == Some(0)
            }
            ExprKind::Cast { operand, implicit: false, .. }
                if !self.unit.types.is_arithmetic(self.ty(*operand)) =>
            {
                false
            }
            _ => self.unit.types.is_integer(ty) && self.constant_int(expr) == Some(0),
        }
    }

    fn is_void_pointer(&self, ty: Type) -> bool {
        self.unit.types.pointee(ty) == Some(Type::VOID)
    }

    /// `expr` converted as by assignment to an object of type `to`. What a host compiler merely
    /// warns of (mixed pointers, integers for pointers) is converted; `role` says in a refusal what
    /// the value was to be.
    pub(crate) fn convert_assigned(&mut self, expr: ExprId, to: Type, role: &str) -> ExprId {
        let value = self.rvalue(expr);
        let (from, target) = (self.ty(value).unqualified(), to.unqualified());
        if from == target || from.is_error() || target.is_error() {
            return value;
        }
        let types = &self.unit.types;
        let possible = match (types.kind(from), types.kind(target)) {
            (_, TypeKind::Void) | (TypeKind::Void, _) => false,
            (
                TypeKind::Pointer(_) | TypeKind::Nullptr,
                TypeKind::Float(_) | TypeKind::Complex(_),
            ) => false,
            (TypeKind::Float(_) | TypeKind::Complex(_), TypeKind::Pointer(_)) => false,
            (_, TypeKind::Record(id)) if types.record(*id).transparent => {
                let fields = &types.record(*id).fields;
                let member = fields.iter().map(|f| f.ty).find(|&ty| {
                    types.compatible_unqualified(ty, from)
                        || types.is_pointer(ty)
                            && (types.is_pointer(from) || self.is_null_constant(value))
                });
                return match member {
                    Some(member) => {
                        let value = self.convert(value, member);
                        self.implicit(value, CastKind::ToUnion, target)
                    }
                    None => self.refuse_conversion(value, target, role),
                };
            }
            _ => types.cast_kind(from, target).is_some(),
        };
        if possible {
            self.convert(value, target)
        } else {
            self.refuse_conversion(value, target, role)
        }
    }

    fn refuse_conversion(&mut self, value: ExprId, to: Type, role: &str) -> ExprId {
        let (from, to) = (self.show(self.ty(value)), self.show(to));
        let span = self.span(value);
        self.refuse(span, format!("{role} of type `{to}` cannot be made of `{from}`"))
    }

    /// `(ty) expr`.
    pub(crate) fn cast(&mut self, ty: Type, expr: ExprId, span: Span) -> ExprId {
        let value = if self.unit.types.is_void(ty) { expr } else { self.rvalue(expr) };
        let (from, to) = (self.ty(value).unqualified(), ty.unqualified());
        if from.is_error() || to.is_error() {
            return self.error_expr(span);
        }
        if self.unit.types.is_void(to) {
            let value = self.rvalue(expr);
            return self.cast_node(value, CastKind::ToVoid, Type::VOID, false, span);
        }
        let record = self.unit.types.as_record(to).map(|id| self.unit.types.record(id));
        if let Some(record) = record
            && from != to
            && record.is_union
            && record.fields.iter().any(|f| self.unit.types.compatible_unqualified(f.ty, from))
        {
            return self.cast_node(value, CastKind::ToUnion, to, false, span);
        }
        let kind = if from == to {
            Some(CastKind::Same)
        } else if self.unit.types.is_pointer(to)
            && self.unit.types.is_integer(from)
            && self.is_null_constant(value)
        {
            Some(CastKind::NullToPointer)
        } else {
            self.unit.types.cast_kind(from, to)
        };
        let bad = matches!(
            (self.unit.types.kind(from), self.unit.types.kind(to)),
            (TypeKind::Float(_) | TypeKind::Complex(_), TypeKind::Pointer(_))
                | (TypeKind::Pointer(_), TypeKind::Float(_) | TypeKind::Complex(_))
        );
        match kind.filter(|_| !bad) {
            Some(kind) => self.cast_node(value, kind, to, false, span),
            None => {
                let (from, to) = (self.show(from), self.show(to));
                self.refuse(span, format!("`{from}` cannot be cast to `{to}`"))
            }
        }
    }

    /// `expr` as a condition: its scalar value.
    pub(crate) fn condition(&mut self, expr: ExprId) -> ExprId {
        let value = self.rvalue(expr);
        let ty = self.ty(value);
        if ty.is_error() || self.unit.types.is_scalar(ty) {
            return value;
        }
        let (span, shown) = (self.span(value), self.show(ty));
        self.refuse(span, format!("a condition must be a scalar, not `{shown}`"))
    }

    /// Whether the address of `expr` may be taken.
    pub(crate) fn is_addressable(&self, expr: ExprId) -> bool {
        match self.unit.exprs[expr].category {
            ValueCategory::Object | ValueCategory::Function => true,
            ValueCategory::BitField => false,
            ValueCategory::Value => {
                matches!(self.unit.exprs[expr].kind, ExprKind::Unary(UnaryOp::Deref, _))
            }
        }
    }
}
