//! Integer promotions and usual arithmetic conversions (C11 §6.3.1).

use super::{Checker, IntKind, Type, TypeKind, Types};
use crate::tree::{ExprId, ExprKind};

impl Types {
    /// The type that values of the integer type `ty` are promoted to; `width` for a bit-field.
    pub fn promoted(&self, ty: Type, width: Option<u32>) -> Type {
        let Some(kind) = self.as_int(ty) else { return ty.unqualified() };
        if let Some(width) = width
            && kind.rank() <= IntKind::Int.rank()
        {
            return if kind.is_signed() || width < 32 { Type::INT } else { Type::UINT };
        }
        if kind.rank() < IntKind::Int.rank() { Type::INT } else { kind.ty() }
    }

    /// The type in which an operator computes on two arithmetic types; of real type where both are,
    /// else complex.
    pub fn common_arithmetic(&mut self, a: Type, b: Type) -> Type {
        match (self.as_complex(a), self.as_complex(b)) {
            (None, None) => self.common_real(a, b),
            (x, y) => {
                let part = self.common_real(x.unwrap_or(a), y.unwrap_or(b));
                self.complex_of(part)
            }
        }
    }

    fn common_real(&self, a: Type, b: Type) -> Type {
        match (self.as_float(a), self.as_float(b)) {
            (Some(a), Some(b)) => return a.max(b).ty(),
            (Some(a), None) => return a.ty(),
            (None, Some(b)) => return b.ty(),
            (None, None) => {}
        }
        let (a, b) = (self.promoted(a, None), self.promoted(b, None));
        let (Some(x), Some(y)) = (self.as_int(a), self.as_int(b)) else { return Type::ERROR };
        if x == y {
            return a;
        }
        if x.is_signed() == y.is_signed() {
            return if x.rank() >= y.rank() { a } else { b };
        }
        let (signed, unsigned) = if x.is_signed() { (x, y) } else { (y, x) };
        if unsigned.rank() >= signed.rank() {
            unsigned.ty()
        } else if signed.bits() > unsigned.bits() {
            signed.ty()
        } else {
            signed.to_unsigned().ty()
        }
    }
}

impl Checker {
    /// The width of the bit-field that `expr` reads.
    fn bit_field_width(&self, expr: ExprId) -> Option<u32> {
        match self.unit.exprs[self.unit.peel(expr)].kind {
            ExprKind::Member { access, .. } => {
                let record = self.unit.types.record(access.record);
                record.fields[access.field as usize].bits.map(|b| b.width)
            }
            _ => None,
        }
    }

    /// The value of `expr` after the integer promotions.
    pub(crate) fn promote(&mut self, expr: ExprId) -> ExprId {
        let value = self.rvalue(expr);
        let ty = self.ty(value);
        if !self.unit.types.is_integer(ty) {
            return value;
        }
        let promoted = self.unit.types.promoted(ty, self.bit_field_width(expr));
        self.convert(value, promoted)
    }

    /// Both values after the usual arithmetic conversions, and their common type. A real operand of
    /// a complex operation stays real, of the common part type.
    pub(crate) fn arithmetic(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId, Type) {
        let (a, b) = (self.promote(a), self.promote(b));
        let common = self.unit.types.common_arithmetic(self.ty(a), self.ty(b));
        let a = self.at_common(a, common);
        let b = self.at_common(b, common);
        (a, b, common)
    }

    fn at_common(&mut self, value: ExprId, common: Type) -> ExprId {
        let part = self.unit.types.as_complex(common);
        let is_complex = self.unit.types.as_complex(self.ty(value)).is_some();
        match part {
            Some(part) if !is_complex => self.convert(value, part),
            _ => self.convert(value, common),
        }
    }

    /// Promotions of an argument without a parameter: integers, and `float` to `double`.
    pub(crate) fn promote_argument(&mut self, expr: ExprId) -> ExprId {
        let value = self.promote(expr);
        match self.unit.types.kind(self.ty(value)) {
            TypeKind::Float(super::FloatKind::Float) => self.convert(value, Type::DOUBLE),
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_types() {
        let mut types = Types::default();
        for (a, b, common) in [
            (Type::CHAR, Type::CHAR, Type::INT),
            (Type::USHORT, Type::SHORT, Type::INT),
            (Type::INT, Type::UINT, Type::UINT),
            (Type::LONG, Type::UINT, Type::LONG),
            (Type::LONG, Type::ULONG, Type::ULONG),
            (Type::LLONG, Type::ULONG, Type::ULLONG),
            (Type::LONG, Type::LLONG, Type::LLONG),
            (Type::ULLONG, Type::INT128, Type::INT128),
            (Type::BOOL, Type::BOOL, Type::INT),
            (Type::ULLONG, Type::FLOAT, Type::FLOAT),
            (Type::FLOAT, Type::DOUBLE, Type::DOUBLE),
            (Type::FLOAT, Type::FLOAT32, Type::FLOAT32),
            (Type::DOUBLE, Type::FLOAT64, Type::FLOAT64),
            (Type::FLOAT32X, Type::DOUBLE, Type::DOUBLE),
            (Type::LDOUBLE, Type::FLOAT64, Type::LDOUBLE),
            (Type::LDOUBLE, Type::FLOAT128, Type::FLOAT128),
        ] {
            assert_eq!(types.common_arithmetic(a, b), common);
            assert_eq!(types.common_arithmetic(b, a), common);
        }
        let complex = types.complex_of(Type::FLOAT);
        let wide = types.complex_of(Type::DOUBLE);
        assert_eq!(types.common_arithmetic(complex, Type::DOUBLE), wide);
    }

    #[test]
    fn bit_fields_promote_by_their_width() {
        let types = Types::default();
        assert_eq!(types.promoted(Type::UINT, Some(31)), Type::INT);
        assert_eq!(types.promoted(Type::UINT, Some(32)), Type::UINT);
        assert_eq!(types.promoted(Type::BOOL, Some(1)), Type::INT);
        assert_eq!(types.promoted(Type::ULONG, Some(40)), Type::ULONG);
    }
}
