//! How values of the gpu level live in registers.

use gpuc_dialects::ptx::kinds::PtxType;
use gpuc_ir::{Context, FloatKind, Type};

use crate::emit::Emitter;
use gpuc_dialects::ptx;
use gpuc_ir::{OpView, Value};

/// A scalar type that the device computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// `i1`: a predicate.
    Predicate,
    /// An integer of 2 to 64 bits; up to 32 in a 32-bit register, else in one of 64. Bits above
    /// the width are arbitrary.
    Integer(u32),
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl Scalar {
    /// The scalar of a type; `None` for those without registers.
    pub fn of(ctx: &Context, ty: Type) -> Option<Scalar> {
        match ctx.float_kind(ty) {
            Some(FloatKind::F32) => return Some(Scalar::F32),
            Some(FloatKind::F64) => return Some(Scalar::F64),
            Some(_) => return None,
            None => {}
        }
        if !ctx.is_signless_int_or_index(ty) {
            return None;
        }
        match ctx.int_or_index_width(ty)? {
            1 => Some(Scalar::Predicate),
            width @ 2..=64 => Some(Scalar::Integer(width)),
            _ => None,
        }
    }

    /// Type of its register.
    pub fn register(self, ctx: &mut Context) -> Type {
        match self {
            Scalar::Predicate => ctx.i1(),
            Scalar::Integer(33..) => ctx.i64(),
            Scalar::Integer(_) => ctx.i32(),
            Scalar::F32 => ctx.f32(),
            Scalar::F64 => ctx.f64(),
        }
    }

    /// Bits of its register.
    pub fn register_width(self) -> u32 {
        match self {
            Scalar::Predicate => 1,
            Scalar::Integer(33..) | Scalar::F64 => 64,
            Scalar::Integer(_) | Scalar::F32 => 32,
        }
    }

    /// Its type in memory; `None` where it has none. Narrow integers are zero-extended by loads.
    pub fn memory(self) -> Option<PtxType> {
        Some(match self {
            Scalar::Predicate | Scalar::Integer(8) => PtxType::U8,
            Scalar::Integer(16) => PtxType::U16,
            Scalar::Integer(32) => PtxType::U32,
            Scalar::Integer(64) => PtxType::U64,
            Scalar::F32 => PtxType::F32,
            Scalar::F64 => PtxType::F64,
            Scalar::Integer(_) => return None,
        })
    }

    /// The instruction type for arithmetic on the whole register, signed or unsigned where it is
    /// an integer.
    pub fn arithmetic(self, signed: bool) -> PtxType {
        match (self, signed) {
            (Scalar::Predicate, _) => PtxType::Pred,
            (Scalar::Integer(33..), true) => PtxType::S64,
            (Scalar::Integer(33..), false) => PtxType::U64,
            (Scalar::Integer(_), true) => PtxType::S32,
            (Scalar::Integer(_), false) => PtxType::U32,
            (Scalar::F32, _) => PtxType::F32,
            (Scalar::F64, _) => PtxType::F64,
        }
    }

    /// The instruction type for operations on bits of the whole register.
    pub fn bits(self) -> PtxType {
        match self {
            Scalar::Predicate => PtxType::Pred,
            Scalar::Integer(33..) | Scalar::F64 => PtxType::B64,
            Scalar::Integer(_) | Scalar::F32 => PtxType::B32,
        }
    }

    /// Whether it is floating-point.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }
}

/// Fills the bits of a register above an integer's width with its sign or with zeros.
pub(crate) fn normalized(e: &mut Emitter<'_>, value: Value, scalar: Scalar, signed: bool) -> Value {
    let Scalar::Integer(width) = scalar else { return value };
    let register = scalar.register_width();
    if width == register {
        return value;
    }
    let ty = e.ir.ty(value);
    if let Some(known) = e.known_int(value) {
        let shift = 64 - width;
        let known = if signed {
            known << shift >> shift
        } else {
            ((known as u64) << shift >> shift) as i64
        };
        return e.int(known.into(), ty);
    }
    let narrow = match (width, signed) {
        (8, true) => Some(PtxType::S8),
        (8, false) => Some(PtxType::U8),
        (16, true) => Some(PtxType::S16),
        (16, false) => Some(PtxType::U16),
        _ => None,
    };
    match narrow {
        Some(narrow) if is_zero_extended(e, value, width) && !signed => {
            debug_assert!(narrow.width() == width);
            value
        }
        Some(narrow) => {
            let to = if signed { PtxType::S32 } else { PtxType::U32 };
            e.convert(value, narrow, to, None, ty)
        }
        None => {
            let up = e.shl(value, register - width);
            let amount = e.i32((register - width).into());
            e.typed::<ptx::ShrOp>(scalar.arithmetic(signed), &[up, amount], ty)
        }
    }
}

/// Whether a value comes from an unsigned load or conversion of that width.
fn is_zero_extended(e: &Emitter<'_>, value: Value, width: u32) -> bool {
    let Some(op) = e.ir.defining_op(value) else { return false };
    let attr = if ptx::LdOp::is(e.ir, op) || ptx::LdParamOp::is(e.ir, op) {
        "ty"
    } else if ptx::CvtOp::is(e.ir, op) {
        "from"
    } else {
        return false;
    };
    e.ir.attr(op, attr)
        .and_then(|attr| PtxType::of(&e.ir.ctx, attr))
        .is_some_and(|ty| matches!(ty, PtxType::U8 | PtxType::U16) && ty.width() <= width)
}
