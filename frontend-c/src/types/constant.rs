//! Constant expressions (C11 §6.6): integers exactly, floating values in double, and addresses as
//! far as `offsetof` written by hand needs them.

use super::{Checker, Type, TypeKind};
use crate::tree::{BinaryOp, CastKind, DeclKind, ExprId, ExprKind, Initializer, UnaryOp, Variable};

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// An integer, or an address that is one.
    Int(i128),
    /// A floating value.
    Float(f64),
}

impl Constant {
    fn is_true(self) -> bool {
        match self {
            Constant::Int(value) => value != 0,
            Constant::Float(value) => value != 0.0,
        }
    }
}

impl crate::tree::TranslationUnit {
    /// The value of `expr` if it is constant.
    pub fn constant(&self, expr: ExprId) -> Option<Constant> {
        // Chains of operators are deep on their left, those of `?:` at their end.
        let mut operators = Vec::new();
        let mut at = expr;
        let mut value = loop {
            match self.exprs[at].kind {
                ExprKind::Binary(op, left, right) => {
                    operators.push((at, op, left, right));
                    at = left;
                }
                ExprKind::Conditional { condition, then, otherwise } => {
                    let value = self.constant(condition)?;
                    match (value.is_true(), then) {
                        (true, Some(then)) => at = then,
                        (true, None) => break value,
                        (false, _) => at = otherwise,
                    }
                }
                _ => break self.constant_term(at)?,
            }
        };
        for (expr, op, left, right) in operators.into_iter().rev() {
            value = self.constant_binary(op, value, left, right, self.exprs[expr].ty)?;
        }
        Some(value)
    }

    /// The value of what is neither a binary operator nor `?:`.
    fn constant_term(&self, expr: ExprId) -> Option<Constant> {
        use Constant::{Float, Int};
        let node = &self.exprs[expr];
        match &node.kind {
            ExprKind::Int(value) => Some(Int(*value)),
            ExprKind::Float(value) => Some(Float(*value)),
            ExprKind::Paren(inner) => self.constant(*inner),
            ExprKind::Name(decl) => match &self.decls[*decl].kind {
                DeclKind::EnumConstant(value) => Some(Int(*value)),
                _ => None,
            },
            ExprKind::Unary(UnaryOp::AddressOf, inner) => self.address(*inner).map(Int),
            ExprKind::Unary(op, inner) => {
                let value = self.constant(*inner)?;
                Some(match (op, value) {
                    (UnaryOp::Plus, value) => value,
                    (UnaryOp::Minus, Int(value)) => Int(self.wrap(value.wrapping_neg(), node.ty)),
                    (UnaryOp::Minus, Float(value)) => Float(-value),
                    (UnaryOp::Complement, Int(value)) => Int(self.wrap(!value, node.ty)),
                    (UnaryOp::Not, value) => Int((!value.is_true()).into()),
                    _ => return None,
                })
            }
            ExprKind::Cast { kind, operand, .. } => self.constant_cast(*kind, *operand, node.ty),
            _ => None,
        }
    }

    fn wrap(&self, value: i128, ty: Type) -> i128 {
        match self.types.as_int(ty) {
            Some(kind) => kind.wrap(value),
            // An address.
            None => value as i64 as i128,
        }
    }

    fn constant_cast(&self, kind: CastKind, operand: ExprId, ty: Type) -> Option<Constant> {
        use Constant::{Float, Int};
        if kind == CastKind::ArrayToPointer {
            return self.address(operand).map(Int);
        }
        if kind == CastKind::Load {
            // Objects are not constant, but for C23's `constexpr`.
            let ExprKind::Name(decl) = self.exprs[operand].kind else { return None };
            return match &self.decls[decl].kind {
                DeclKind::Variable(Variable {
                    constexpr: true,
                    init: Some(Initializer::Value(value)),
                    ..
                }) => self.constant(*value),
                _ => None,
            };
        }
        let value = self.constant(operand)?;
        Some(match (kind, value) {
            (CastKind::ToBool, value) => Int(value.is_true().into()),
            (CastKind::Same | CastKind::Pointer | CastKind::NullToPointer, value) => value,
            (
                CastKind::Integer | CastKind::PointerToInteger | CastKind::IntegerToPointer,
                Int(value),
            ) => Int(self.wrap(value, ty)),
            (CastKind::IntegerToFloating, Int(value)) => {
                let unsigned = value < 0 && self.exprs[operand].ty == Type::UINT128;
                let wide = if unsigned { value as u128 as f64 } else { value as f64 };
                let single = if unsigned { value as u128 as f32 } else { value as f32 };
                Float(if self.is_single(ty) { single.into() } else { wide })
            }
            (CastKind::FloatingToInteger, Float(value)) => Int(self.wrap(value as i128, ty)),
            (CastKind::Floating, Float(value)) => Float(self.round(value, ty)),
            _ => return None,
        })
    }

    fn is_single(&self, ty: Type) -> bool {
        matches!(ty.unqualified(), Type::FLOAT | Type::FLOAT32)
    }

    /// `value` as type `ty` can hold it.
    fn round(&self, value: f64, ty: Type) -> f64 {
        if self.is_single(ty) { f64::from(value as f32) } else { value }
    }

    /// `a op right`, where `a` is the value of `left`.
    fn constant_binary(
        &self,
        op: BinaryOp,
        a: Constant,
        left: ExprId,
        right: ExprId,
        ty: Type,
    ) -> Option<Constant> {
        use BinaryOp as B;
        use Constant::{Float, Int};
        // The right side of a decided `&&` or `||` need not be constant.
        match (op, a.is_true()) {
            (B::LogicalAnd, false) => return Some(Int(0)),
            (B::LogicalOr, true) => return Some(Int(1)),
            (B::LogicalAnd | B::LogicalOr, _) => {
                return Some(Int(self.constant(right)?.is_true().into()));
            }
            _ => {}
        }
        let b = self.constant(right)?;
        let operand_ty = self.exprs[left].ty;
        match (a, b) {
            (Int(a), Int(b)) => {
                let unsigned = operand_ty == Type::UINT128;
                if let Some(to) = self.types.pointee(operand_ty) {
                    return self.constant_pointer(op, a, b, to, self.exprs[right].ty);
                }
                let less = if unsigned { (a as u128) < b as u128 } else { a < b };
                let value = match op {
                    B::Mul => a.wrapping_mul(b),
                    B::Div | B::Rem if b == 0 => return None,
                    B::Div if unsigned => (a as u128 / b as u128) as i128,
                    B::Rem if unsigned => (a as u128 % b as u128) as i128,
                    B::Div => a.wrapping_div(b),
                    B::Rem => a.wrapping_rem(b),
                    B::Add => a.wrapping_add(b),
                    B::Sub => a.wrapping_sub(b),
                    B::Shl => a.checked_shl(u32::try_from(b).ok()?)?,
                    B::Shr if unsigned => (a as u128).checked_shr(u32::try_from(b).ok()?)? as i128,
                    B::Shr => a.checked_shr(u32::try_from(b).ok()?)?,
                    B::Less => less.into(),
                    B::GreaterEq => (!less).into(),
                    B::Greater => (!less && a != b).into(),
                    B::LessEq => (less || a == b).into(),
                    B::Equal => (a == b).into(),
                    B::NotEqual => (a != b).into(),
                    B::And => a & b,
                    B::Xor => a ^ b,
                    B::Or => a | b,
                    B::LogicalAnd | B::LogicalOr => return None,
                };
                Some(Int(self.wrap(value, ty)))
            }
            (Float(a), Float(b)) => Some(match op {
                B::Mul => Float(self.round(a * b, ty)),
                B::Div => Float(self.round(a / b, ty)),
                B::Add => Float(self.round(a + b, ty)),
                B::Sub => Float(self.round(a - b, ty)),
                B::Less => Int((a < b).into()),
                B::Greater => Int((a > b).into()),
                B::LessEq => Int((a <= b).into()),
                B::GreaterEq => Int((a >= b).into()),
                B::Equal => Int((a == b).into()),
                B::NotEqual => Int((a != b).into()),
                _ => return None,
            }),
            _ => None,
        }
    }

    /// Arithmetic on constant addresses.
    fn constant_pointer(
        &self,
        op: BinaryOp,
        a: i128,
        b: i128,
        to: Type,
        right: Type,
    ) -> Option<Constant> {
        let size = i128::from(self.types.size_of(to).unwrap_or(1));
        let value = match op {
            BinaryOp::Add => a.checked_add(b.checked_mul(size)?)?,
            BinaryOp::Sub if self.types.is_pointer(right) => a.checked_sub(b)?.checked_div(size)?,
            BinaryOp::Sub => a.checked_sub(b.checked_mul(size)?)?,
            BinaryOp::Equal => (a == b).into(),
            BinaryOp::NotEqual => (a != b).into(),
            _ => return None,
        };
        Some(Constant::Int(value))
    }

    /// The address of an object that hangs off a constant pointer.
    fn address(&self, object: ExprId) -> Option<i128> {
        match &self.exprs[object].kind {
            ExprKind::Paren(inner) => self.address(*inner),
            ExprKind::Unary(UnaryOp::Deref, pointer) => self.constant_address(*pointer),
            ExprKind::Member { base, access } => {
                let record = self.types.record(access.record);
                let field = record.fields.get(access.field as usize)?;
                self.address(*base)?.checked_add(field.offset.into())
            }
            ExprKind::Index { base, index } => {
                let size = self.types.size_of(self.exprs[object].ty)?;
                let Constant::Int(index) = self.constant(*index)? else { return None };
                self.constant_address(*base)?.checked_add(index.checked_mul(size.into())?)
            }
            _ => None,
        }
    }

    fn constant_address(&self, pointer: ExprId) -> Option<i128> {
        match self.constant(pointer)? {
            Constant::Int(value) => Some(value),
            Constant::Float(_) => None,
        }
    }

    /// The value of an integer constant expression.
    pub fn constant_int(&self, expr: ExprId) -> Option<i128> {
        match self.constant(expr)? {
            Constant::Int(value) => Some(value),
            Constant::Float(_) => None,
        }
    }
}

impl Checker {
    /// The value of `expr` if it is an integer constant expression, or one that GNU accepts as such.
    pub(crate) fn constant_int(&self, expr: ExprId) -> Option<i128> {
        match self.unit.types.kind(self.ty(expr)) {
            TypeKind::Int(_) | TypeKind::Enum(_) => self.unit.constant_int(expr),
            _ => None,
        }
    }

    /// The value of `expr`, which must be an integer constant; `role` says in a refusal what it was
    /// to be.
    pub(crate) fn require_constant(&mut self, expr: ExprId, role: &str) -> Option<i128> {
        let value = self.rvalue(expr);
        let constant = self.constant_int(value);
        if constant.is_none() && !self.ty(value).is_error() {
            let span = self.span(value);
            self.error(span, format!("{role} must be an integer constant expression"));
        }
        constant
    }
}
