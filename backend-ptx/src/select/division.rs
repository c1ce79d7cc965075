//! Integer division.
//!
//! Division of 64-bit integers is a long sequence on the device: where both operands are known to
//! be 32-bit numbers, it is done in 32 bits. By a constant nothing is divided at all: see
//! [`invariant_division`].

use gpuc_dialects::arith;
use gpuc_dialects::ptx::kinds::{Comparison, PtxType};
use gpuc_dialects::ptx::{AndOp, DivOp, RemOp, SubOp, XorOp};
use gpuc_ir::{Op, OpView, Value};

use super::rules::Entry;
use super::{Scalar, Selected, Selector, invariant_division, normalized};

/// What a division gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Quotient,
    Remainder,
    /// The quotient rounded down.
    Floor,
    /// The quotient rounded up.
    Ceiling,
}

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (arith::DivUIOp::def, |s, op| s.division(op, Part::Quotient, false)),
    (arith::DivSIOp::def, |s, op| s.division(op, Part::Quotient, true)),
    (arith::RemUIOp::def, |s, op| s.division(op, Part::Remainder, false)),
    (arith::RemSIOp::def, |s, op| s.division(op, Part::Remainder, true)),
    (arith::CeilDivUIOp::def, |s, op| s.division(op, Part::Ceiling, false)),
    (arith::CeilDivSIOp::def, |s, op| s.division(op, Part::Ceiling, true)),
    (arith::FloorDivSIOp::def, |s, op| s.division(op, Part::Floor, true)),
];

impl Selector<'_, '_> {
    fn division(&mut self, op: Op, part: Part, signed: bool) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        if scalar == Scalar::Predicate {
            // The only divisor that is defined is 1.
            let is_remainder = part == Part::Remainder;
            return self
                .elementwise(op, |s, v| Ok(if is_remainder { s.e.bool(false) } else { v[0] }));
        }
        self.elementwise(op, |s, v| {
            let a = normalized(&mut s.e, v[0], scalar, signed);
            let b = normalized(&mut s.e, v[1], scalar, signed);
            Ok(match part {
                Part::Quotient => s.quotient::<DivOp>(a, b, signed),
                Part::Remainder => s.quotient::<RemOp>(a, b, signed),
                Part::Floor | Part::Ceiling => {
                    s.rounded_quotient(a, b, signed, part == Part::Floor)
                }
            })
        })
    }

    fn quotient<V: OpView>(&mut self, a: Value, b: Value, signed: bool) -> Value {
        let ty = self.e.ir.ty(a);
        if self.e.is_wide(a)
            && let Some((a, b, signed)) = self.narrow_operands(a, b)
        {
            let narrow = self.e.ir.ctx.i32();
            let kind = if signed { PtxType::S32 } else { PtxType::U32 };
            let quotient = match self.by_constant::<V>(a, b, signed) {
                Some(quotient) => quotient,
                None => self.e.typed::<V>(kind, &[a, b], narrow),
            };
            return self.e.extend(quotient, signed);
        }
        if let Some(quotient) = self.by_constant::<V>(a, b, signed) {
            return quotient;
        }
        let kind = match (self.e.is_wide(a), signed) {
            (true, true) => PtxType::S64,
            (true, false) => PtxType::U64,
            (false, true) => PtxType::S32,
            (false, false) => PtxType::U32,
        };
        self.e.typed::<V>(kind, &[a, b], ty)
    }

    /// The quotient or remainder by a constant. By zero, which has no value, the device divides.
    fn by_constant<V: OpView>(&mut self, a: Value, b: Value, signed: bool) -> Option<Value> {
        let divisor = self.e.known_int(b).filter(|&divisor| divisor != 0)?;
        let part = if std::ptr::eq(V::def(), DivOp::def()) {
            invariant_division::quotient
        } else {
            invariant_division::remainder
        };
        Some(part(&mut self.e, a, divisor, signed))
    }

    /// Both operands as 32-bit numbers, where they are that and no quotient overflows. Of two
    /// numbers without sign the signed and the unsigned quotient are the same.
    fn narrow_operands(&mut self, a: Value, b: Value) -> Option<(Value, Value, bool)> {
        let (a, signed) = self.e.extended(a)?;
        let b = match (self.e.extended(b), self.e.known_int(b)) {
            (Some((b, false)), _) if !signed => b,
            (None, Some(n)) if !signed && u32::try_from(n).is_ok() => self.e.i32(n),
            (None, Some(n)) if signed && n > 0 && i32::try_from(n).is_ok() => self.e.i32(n),
            _ => return None,
        };
        Some((a, b, signed))
    }

    /// The quotient rounded down or up: the truncated one, corrected where there is a remainder
    /// and truncation went the other way.
    fn rounded_quotient(&mut self, a: Value, b: Value, signed: bool, down: bool) -> Value {
        if signed
            && down
            && let Some(divisor) = self.e.known_int(b)
            && let Some(shifted) = invariant_division::floor_shift(&mut self.e, a, divisor)
        {
            return shifted;
        }
        let ty = self.e.ir.ty(a);
        let kind = if self.e.is_wide(a) { PtxType::S64 } else { PtxType::S32 };
        let quotient = self.quotient::<DivOp>(a, b, signed);
        let product = self.e.mul(quotient, b);
        let rest = self.e.typed::<SubOp>(kind, &[a, product], ty);
        let zero = self.e.int(0, ty);
        let inexact = self.e.compare(Comparison::Ne, kind, rest, zero);
        let correct = if signed {
            // Truncation rounds up where the signs differ.
            let bits = if self.e.is_wide(a) { PtxType::B64 } else { PtxType::B32 };
            let signs = self.e.typed::<XorOp>(bits, &[a, b], ty);
            let cmp = if down { Comparison::Lt } else { Comparison::Ge };
            let wrong_way = self.e.compare(cmp, kind, signs, zero);
            self.e.logic::<AndOp>(inexact, wrong_way)
        } else {
            inexact
        };
        let one = self.e.int(if down { -1 } else { 1 }, ty);
        let corrected = self.e.add(quotient, one);
        self.e.select(correct, corrected, quotient)
    }
}
