//! Constraints on types of operands and results.

use std::fmt;

use crate::context::Context;
use crate::types::Type;

/// How many values an operand or result stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly one.
    One,
    /// One or none.
    Optional,
    /// Any number.
    Variadic,
}

/// An operand or result in a definition.
#[derive(Clone, Copy, Debug)]
pub struct ValueSpec {
    /// Name in format and accessors.
    pub name: &'static str,
    /// How many.
    pub arity: Arity,
    /// What their types must be.
    pub constraint: &'static TypeConstraint,
}

/// A condition on a type.
pub struct TypeConstraint {
    /// For "operand #0 must be {summary}, but got ...".
    pub summary: &'static str,
    /// The condition.
    pub holds: fn(&Context, Type) -> bool,
    /// The type itself where only one satisfies the condition; formats then need not print it.
    pub build: Option<fn(&mut Context) -> Type>,
}

impl fmt::Debug for TypeConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.summary)
    }
}

/// "The type of `target` is `derive(type of source)`": checked by the verifier, and used by parser
/// and builder to infer what the text or the caller does not say.
#[derive(Clone, Copy)]
pub struct TypeRule {
    /// An operand or result of arity one, or variadic (then each of its values).
    pub target: &'static str,
    /// An operand or result; the first value of it counts.
    pub source: &'static str,
    /// The type that follows; `None` where `source` has a wrong type (its own constraint speaks).
    pub derive: fn(&mut Context, Type) -> Option<Type>,
    /// For "failed to verify that {summary}".
    pub summary: &'static str,
}

impl fmt::Debug for TypeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.summary)
    }
}

/// The constraints that many operations share, with upstream's wording, and functions for
/// [`TypeRule::derive`].
pub mod types {
    use super::TypeConstraint;
    use crate::context::Context;
    use crate::types::{Type, TypeKind};

    macro_rules! constraints {
        ($($(#[$doc:meta])* $name:ident = $summary:literal, $holds:expr $(, $build:expr)?;)*) => {$(
            $(#[$doc])*
            pub static $name: TypeConstraint = TypeConstraint {
                summary: $summary,
                holds: $holds,
                build: constraints!(@build $($build)?),
            };
        )*};
        (@build) => { None };
        (@build $build:expr) => { Some($build) };
    }

    constraints! {
        /// Anything.
        ANY = "any type", |_, _| true;
        /// `index`.
        INDEX = "index", |ctx, ty| ctx.is_index(ty), |ctx| ctx.index();
        /// `i1`.
        I1 = "1-bit signless integer", |ctx, ty| ctx.is_signless_int(ty) && ctx.int_width(ty) == Some(1), |ctx| ctx.i1();
        /// `i8`.
        I8 = "8-bit signless integer", |ctx, ty| ctx.is_signless_int(ty) && ctx.int_width(ty) == Some(8), |ctx| ctx.int(8);
        /// `i32`.
        I32 = "32-bit signless integer", |ctx, ty| ctx.is_signless_int(ty) && ctx.int_width(ty) == Some(32), |ctx| ctx.i32();
        /// `i64`.
        I64 = "64-bit signless integer", |ctx, ty| ctx.is_signless_int(ty) && ctx.int_width(ty) == Some(64), |ctx| ctx.i64();
        /// `f32`.
        F32 = "32-bit float", |ctx, ty| ctx.float_kind(ty) == Some(crate::FloatKind::F32), |ctx| ctx.f32();
        /// `f64`.
        F64 = "64-bit float", |ctx, ty| ctx.float_kind(ty) == Some(crate::FloatKind::F64), |ctx| ctx.f64();
        /// A signless integer.
        SIGNLESS_INTEGER = "signless integer", |ctx, ty| ctx.is_signless_int(ty);
        /// An integer of any signedness.
        INTEGER = "integer", |ctx, ty| ctx.int_width(ty).is_some();
        /// A floating-point scalar.
        FLOAT = "floating-point", |ctx, ty| ctx.is_float(ty);
        /// A signless integer or `index`.
        SIGNLESS_INTEGER_OR_INDEX = "signless integer or index", |ctx, ty| ctx.is_signless_int_or_index(ty);
        /// A signless integer or `index`, or a vector or tensor of them.
        SIGNLESS_INTEGER_LIKE = "signless-integer-like", |ctx, ty| ctx.is_signless_int_or_index(ctx.element_or_self(ty));
        /// A signless integer without `index`, or a vector or tensor of them.
        SIGNLESS_FIXED_WIDTH_INTEGER_LIKE = "signless-fixed-width-integer-like", |ctx, ty| ctx.is_signless_int(ctx.element_or_self(ty));
        /// A float, or a vector or tensor of floats.
        FLOAT_LIKE = "floating-point-like", |ctx, ty| ctx.is_float(ctx.element_or_self(ty));
        /// `i1`, or a vector or tensor of it.
        BOOL_LIKE = "bool-like", |ctx, ty| {
            let element = ctx.element_or_self(ty);
            ctx.is_signless_int(element) && ctx.int_width(element) == Some(1)
        };
        /// A ranked or unranked memref.
        MEMREF_ANY_RANK = "ranked or unranked memref of any type values", |ctx, ty| {
            matches!(ctx.type_kind(ty), TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef { .. })
        };
        /// A ranked memref.
        MEMREF = "memref of any type values", |ctx, ty| ctx.is_memref(ty);
        /// An unranked memref.
        UNRANKED_MEMREF = "unranked.memref of any type values", |ctx, ty| matches!(ctx.type_kind(ty), TypeKind::UnrankedMemRef { .. });
        /// A vector of rank one or more... or zero.
        VECTOR = "vector of any type values", |ctx, ty| ctx.is_vector(ty);
    }

    /// For rules: the same type.
    pub fn same(_: &mut Context, ty: Type) -> Option<Type> {
        Some(ty)
    }

    /// For rules: the element type of a shaped type.
    pub fn element_of(ctx: &mut Context, ty: Type) -> Option<Type> {
        ctx.element(ty)
    }

    /// For rules: `i1` in the shape of the type.
    pub fn i1_same_shape(ctx: &mut Context, ty: Type) -> Option<Type> {
        let i1 = ctx.i1();
        Some(match ctx.type_kind(ty) {
            TypeKind::Vector { .. } | TypeKind::Tensor { .. } | TypeKind::UnrankedTensor(_) => {
                ctx.with_element(ty, i1)
            }
            _ => i1,
        })
    }
}
