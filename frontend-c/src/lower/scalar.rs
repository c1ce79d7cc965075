//! What C's scalar types are in the IR.

use gpuc_diagnostics::Diagnostic;
use gpuc_ir::{Context, Type as IrType};

use crate::tree::TranslationUnit;
use crate::types::{FloatKind, IntKind, Type, TypeKind};

/// A scalar as the IR computes with it. Integers of the IR have no sign; C's types say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    /// `_Bool`: `i1` as a value, `i8` in memory.
    Bool,
    /// An integer.
    Int { bits: u32, signed: bool },
    /// `float`.
    F32,
    /// `double`.
    F64,
}

impl Scalar {
    /// The scalar of an arithmetic type that a device can compute with.
    pub(super) fn of(unit: &TranslationUnit, ty: Type) -> Option<Scalar> {
        if let Some(kind) = unit.types.as_int(ty) {
            return match kind {
                IntKind::Bool => Some(Scalar::Bool),
                IntKind::Int128 | IntKind::UInt128 => None,
                kind => Some(Scalar::Int { bits: kind.bits(), signed: kind.is_signed() }),
            };
        }
        match unit.types.as_float(ty)? {
            FloatKind::Float | FloatKind::Float32 => Some(Scalar::F32),
            FloatKind::Double | FloatKind::Float32x | FloatKind::Float64 => Some(Scalar::F64),
            _ => None,
        }
    }

    /// What memory holds of a type: for a pointer its address.
    pub(super) fn in_memory(unit: &TranslationUnit, ty: Type) -> Option<Scalar> {
        match unit.types.is_pointer(ty) {
            true => Some(Scalar::ADDRESS),
            false => Scalar::of(unit, ty),
        }
    }

    /// The type of its values.
    pub(super) fn register(self, ctx: &mut Context) -> IrType {
        match self {
            Scalar::Bool => ctx.i1(),
            Scalar::Int { bits, .. } => ctx.int(bits),
            Scalar::F32 => ctx.f32(),
            Scalar::F64 => ctx.f64(),
        }
    }

    /// The type it has in memory.
    pub(super) fn memory(self, ctx: &mut Context) -> IrType {
        match self {
            Scalar::Bool => ctx.int(8),
            other => other.register(ctx),
        }
    }

    /// Its size in memory, in bytes.
    pub(super) fn size(self) -> u64 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int { bits, .. } => u64::from(bits / 8),
            Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    /// Whether it is an integer (or `_Bool`) that has no negative values.
    pub(super) fn is_unsigned(self) -> bool {
        matches!(self, Scalar::Bool | Scalar::Int { signed: false, .. })
    }

    /// Whether it is `float` or `double`.
    pub(super) fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }
}

/// Why a type that is no [`Scalar`] cannot be computed with on a device.
pub(super) fn refused_type(unit: &TranslationUnit, ty: Type) -> Diagnostic {
    let shown = unit.display(ty);
    let diagnostic = Diagnostic::error(format!(
        "`{shown}` is not supported in device code by this version of gpuc"
    ));
    match unit.types.kind(ty) {
        TypeKind::Float(FloatKind::LongDouble | FloatKind::Float64x | FloatKind::Float128) => {
            diagnostic
                .help("GPUs compute in `float` and `double`; convert the value before the region")
        }
        TypeKind::Pointer(_) => diagnostic
            .help("use a pointer variable of the host directly, or pass array and subscript"),
        _ => diagnostic,
    }
}

/// A type with its arrays peeled off: the innermost element, and the extents from outermost to
/// innermost where they are all constant. A complex number is an array of two parts.
pub(crate) fn flatten(unit: &TranslationUnit, mut ty: Type) -> (Type, Option<Vec<u64>>) {
    use crate::types::ArraySize;
    let mut extents = Some(Vec::new());
    while let Some((element, size)) = unit.types.as_array(ty) {
        match (size, &mut extents) {
            (ArraySize::Constant(count), Some(extents)) => extents.push(count),
            _ => extents = None,
        }
        ty = element;
    }
    if let Some(part) = unit.types.as_complex(ty) {
        extents = extents.map(|mut extents| {
            extents.push(2);
            extents
        });
        ty = part;
    }
    (ty, extents)
}
