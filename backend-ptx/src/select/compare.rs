//! Comparisons.

use gpuc_dialects::arith::{self, CmpFPredicate, CmpIPredicate};
use gpuc_dialects::ptx::kinds::{Comparison, PtxType};
use gpuc_dialects::ptx::{NotOp, XorOp};
use gpuc_ir::{Op, OpView};

use super::rules::Entry;
use super::{Scalar, Selected, Selector, normalized};

/// The rules of this file.
pub(super) const RULES: &[Entry] =
    &[(arith::CmpIOp::def, |s, op| s.cmpi(op)), (arith::CmpFOp::def, |s, op| s.cmpf(op))];

impl Selector<'_, '_> {
    /// `arith.cmpi`.
    pub fn cmpi(&mut self, op: Op) -> Selected<()> {
        let Some(predicate) = CmpIPredicate::of(self.e.ir, op) else { return self.unsupported(op) };
        let scalar = self.scalar(self.e.ir.ty(self.e.ir.operand(op, 0)))?;
        let (cmp, signed) = integer_comparison(predicate);
        self.elementwise(op, |s, v| {
            if scalar != Scalar::Predicate {
                let a = normalized(&mut s.e, v[0], scalar, signed);
                let b = normalized(&mut s.e, v[1], scalar, signed);
                return Ok(s.e.compare(cmp, scalar.arithmetic(signed), a, b));
            }
            let ty = s.e.ir.ctx.i1();
            match cmp {
                Comparison::Ne => Ok(s.e.logic::<XorOp>(v[0], v[1])),
                Comparison::Eq => {
                    let differ = s.e.logic::<XorOp>(v[0], v[1]);
                    Ok(s.e.typed::<NotOp>(PtxType::Pred, &[differ], ty))
                }
                _ => {
                    // As a signed number, a set bit is -1: the order is the other way round.
                    let (a, b) = if signed { (v[1], v[0]) } else { (v[0], v[1]) };
                    let (a, b) = (s.e.select_bit(a), s.e.select_bit(b));
                    Ok(s.e.compare(cmp, PtxType::U32, a, b))
                }
            }
        })
    }

    /// `arith.cmpf`.
    pub fn cmpf(&mut self, op: Op) -> Selected<()> {
        let Some(predicate) = CmpFPredicate::of(self.e.ir, op) else { return self.unsupported(op) };
        let scalar = self.scalar(self.e.ir.ty(self.e.ir.operand(op, 0)))?;
        self.elementwise(op, |s, v| {
            Ok(match float_comparison(predicate) {
                Ok(cmp) => s.e.compare(cmp, scalar.arithmetic(true), v[0], v[1]),
                Err(known) => s.e.bool(known),
            })
        })
    }
}

/// The comparison, and whether it is signed.
fn integer_comparison(predicate: CmpIPredicate) -> (Comparison, bool) {
    use CmpIPredicate::*;
    match predicate {
        Eq => (Comparison::Eq, true),
        Ne => (Comparison::Ne, true),
        Slt => (Comparison::Lt, true),
        Sle => (Comparison::Le, true),
        Sgt => (Comparison::Gt, true),
        Sge => (Comparison::Ge, true),
        Ult => (Comparison::Lt, false),
        Ule => (Comparison::Le, false),
        Ugt => (Comparison::Gt, false),
        Uge => (Comparison::Ge, false),
    }
}

/// The comparison, or what it always gives. Those of PTX without `u` are false for a NaN, `ne`
/// included.
fn float_comparison(predicate: CmpFPredicate) -> Result<Comparison, bool> {
    use CmpFPredicate::*;
    Ok(match predicate {
        False => return Err(false),
        True => return Err(true),
        Oeq => Comparison::Eq,
        Ogt => Comparison::Gt,
        Oge => Comparison::Ge,
        Olt => Comparison::Lt,
        Ole => Comparison::Le,
        One => Comparison::Ne,
        Ord => Comparison::Num,
        Ueq => Comparison::Equ,
        Ugt => Comparison::Gtu,
        Uge => Comparison::Geu,
        Ult => Comparison::Ltu,
        Ule => Comparison::Leu,
        Une => Comparison::Neu,
        Uno => Comparison::Nan,
    })
}
