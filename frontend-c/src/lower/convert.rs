//! Conversions between scalars (C11 §6.3.1).

use gpuc_dialects::arith::{self, CmpFPredicate, CmpIPredicate};
use gpuc_ir::Value;

use super::lowerer::Lowerer;
use super::scalar::Scalar;

impl Lowerer<'_> {
    /// Converts a value. From a floating type to an integer that cannot hold it, the result is
    /// undefined, as in C.
    pub(super) fn convert(&mut self, value: Value, from: Scalar, to: Scalar) -> Value {
        if from == to {
            return value;
        }
        let ty = to.register(&mut self.b.ctx);
        let b = &mut self.b;
        let op = match (from, to) {
            (_, Scalar::Bool) => return self.is_true(value, from),
            (Scalar::Bool, Scalar::Int { .. }) => arith::ExtUIOp::new(b, value),
            (Scalar::Int { bits, signed }, Scalar::Int { bits: wanted, .. }) => {
                match (wanted.cmp(&bits), signed) {
                    (std::cmp::Ordering::Equal, _) => return value,
                    (std::cmp::Ordering::Less, _) => arith::TruncIOp::new(b, value),
                    (std::cmp::Ordering::Greater, true) => arith::ExtSIOp::new(b, value),
                    (std::cmp::Ordering::Greater, false) => arith::ExtUIOp::new(b, value),
                }
            }
            (Scalar::Int { signed: true, .. }, Scalar::F32 | Scalar::F64) => {
                arith::SIToFPOp::new(b, value)
            }
            (Scalar::Bool | Scalar::Int { .. }, Scalar::F32 | Scalar::F64) => {
                arith::UIToFPOp::new(b, value)
            }
            (Scalar::F32 | Scalar::F64, Scalar::Int { bits, signed }) => {
                return self.float_to_int(value, bits, signed);
            }
            (Scalar::F32, _) => arith::ExtFOp::new(b, value),
            (Scalar::F64, _) => arith::TruncFOp::new(b, value),
        };
        let op = op.result(ty);
        self.value(op)
    }

    /// Integers narrower than `int` are reached through `int`, as the host compiler does, so that
    /// values between the two ranges give the same on both.
    fn float_to_int(&mut self, value: Value, bits: u32, signed: bool) -> Value {
        let wide = self.b.ctx.int(bits.max(32));
        let op = if signed || bits < 32 {
            arith::FPToSIOp::new(&mut self.b, value)
        } else {
            arith::FPToUIOp::new(&mut self.b, value)
        };
        let op = op.result(wide);
        let converted = self.value(op);
        if bits >= 32 {
            return converted;
        }
        let narrow = self.b.ctx.int(bits);
        let op = arith::TruncIOp::new(&mut self.b, converted).result(narrow);
        self.value(op)
    }

    /// Whether a scalar is not equal to zero, as `i1`.
    pub(super) fn is_true(&mut self, value: Value, scalar: Scalar) -> Value {
        let ty = scalar.register(&mut self.b.ctx);
        match scalar {
            Scalar::Bool => value,
            Scalar::Int { .. } => {
                let zero = arith::constant_int(&mut self.b, 0, ty);
                self.compare_int(CmpIPredicate::Ne, value, zero)
            }
            Scalar::F32 | Scalar::F64 => {
                let zero = arith::constant_float(&mut self.b, 0.0, ty);
                // A NaN is not equal to zero.
                self.compare_float(CmpFPredicate::Une, value, zero)
            }
        }
    }

    /// `arith.cmpi`.
    pub(super) fn compare_int(&mut self, predicate: CmpIPredicate, a: Value, b: Value) -> Value {
        let predicate = predicate.attr(&mut self.b.ctx);
        let op = arith::CmpIOp::new(&mut self.b, a, b).attr(&mut self.b, "predicate", predicate);
        self.value(op)
    }

    /// `arith.cmpf`.
    pub(super) fn compare_float(&mut self, predicate: CmpFPredicate, a: Value, b: Value) -> Value {
        let predicate = predicate.attr(&mut self.b.ctx);
        let op = arith::CmpFOp::new(&mut self.b, a, b).attr(&mut self.b, "predicate", predicate);
        self.value(op)
    }

    /// An integer as an `index`.
    pub(super) fn as_index(&mut self, value: Value, scalar: Scalar) -> Value {
        let index = self.b.ctx.index();
        let op = if scalar.is_unsigned() {
            arith::IndexCastUIOp::new(&mut self.b, value)
        } else {
            arith::IndexCastOp::new(&mut self.b, value)
        };
        let op = op.result(index);
        self.value(op)
    }

    /// An `index` as an integer.
    pub(super) fn index_as(&mut self, value: Value, scalar: Scalar) -> Value {
        let ty = scalar.register(&mut self.b.ctx);
        let op = arith::IndexCastOp::new(&mut self.b, value).result(ty);
        self.value(op)
    }
}
