//! `arith`: constants, integer arithmetic, logic and shifts.

use gpuc_dialects::arith;
use gpuc_dialects::ptx::kinds::{Part, PtxType};
use gpuc_dialects::ptx::{
    AddOp, AndOp, MaxOp, MinOp, NegOp, NotOp, OrOp, ShlOp, ShrOp, SubOp, XorOp,
};
use gpuc_ir::{Attr, AttrKind, Op, OpView, Type, Value};
use smallvec::SmallVec;

use super::rules::Entry;
use super::{Lowered, Scalar, Selected, Selector, normalized};

/// The rules of this file.
pub(super) const RULES: &[Entry] = &[
    (arith::ConstantOp::def, |s, op| s.constant(op)),
    (arith::AddIOp::def, |s, op| s.modular::<AddOp, XorOp>(op)),
    (arith::SubIOp::def, |s, op| s.modular::<SubOp, XorOp>(op)),
    (arith::MulIOp::def, |s, op| s.muli(op)),
    (arith::AndIOp::def, |s, op| s.bitwise::<AndOp>(op)),
    (arith::OrIOp::def, |s, op| s.bitwise::<OrOp>(op)),
    (arith::XOrIOp::def, |s, op| s.bitwise::<XorOp>(op)),
    (arith::ShLIOp::def, |s, op| s.shift::<ShlOp>(op, true)),
    (arith::ShRUIOp::def, |s, op| s.shift::<ShrOp>(op, false)),
    (arith::ShRSIOp::def, |s, op| s.shift::<ShrOp>(op, true)),
    (arith::MaxSIOp::def, |s, op| s.extremum::<MaxOp>(op, true)),
    (arith::MaxUIOp::def, |s, op| s.extremum::<MaxOp>(op, false)),
    (arith::MinSIOp::def, |s, op| s.extremum::<MinOp>(op, true)),
    (arith::MinUIOp::def, |s, op| s.extremum::<MinOp>(op, false)),
    (arith::AddUIExtendedOp::def, |s, op| s.add_extended(op)),
    (arith::MulSIExtendedOp::def, |s, op| s.mul_extended(op, true)),
    (arith::MulUIExtendedOp::def, |s, op| s.mul_extended(op, false)),
    (arith::SelectOp::def, |s, op| s.select(op)),
];

impl Selector<'_, '_> {
    fn constant(&mut self, op: Op) -> Selected<()> {
        let Some(value) = self.e.ir.attr(op, "value") else { return self.unsupported(op) };
        let ty = self.e.ir.ty(self.e.ir.result(op, 0));
        let scalar = self.scalar(ty)?;
        let register = scalar.register(&mut self.e.ir.ctx);
        if !self.e.ir.ctx.is_vector(ty) {
            let made = self.number(value, register);
            let made = self.e.constant(made, register);
            self.set_result(op, made);
            return Ok(());
        }
        let count = self.vector_length(ty)?;
        let AttrKind::DenseElements { values, .. } = self.e.ir.ctx.attr_kind(value).clone() else {
            return self.unsupported(op);
        };
        let mut elements: SmallVec<[Value; 4]> = SmallVec::new();
        for lane in 0..count {
            let bits = values[if values.len() == 1 { 0 } else { lane }];
            let element = if scalar.is_float() {
                self.e.float(f64::from_bits(bits as u64), register)
            } else {
                self.e.int(bits.into(), register)
            };
            elements.push(element);
        }
        let result = self.e.ir.result(op, 0);
        self.set(result, Lowered::Vector(elements));
        Ok(())
    }

    /// A number with the type of its register.
    fn number(&mut self, value: Attr, register: Type) -> Attr {
        match *self.e.ir.ctx.attr_kind(value) {
            AttrKind::Integer { value, .. } => self.e.ir.ctx.int_attr(value, register),
            _ => value,
        }
    }

    /// The scalar of an operation's first result.
    pub fn result_scalar(&self, op: Op) -> Selected<Scalar> {
        self.scalar(self.e.ir.ty(self.e.ir.result(op, 0)))
    }

    /// Sums and differences, for which the bits above the width do not matter. Modulo 2 both are
    /// `B`.
    fn modular<V: OpView, B: OpView>(&mut self, op: Op) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        let is_add = arith::AddIOp::is(self.e.ir, op);
        self.elementwise(op, |s, v| {
            if scalar == Scalar::Predicate {
                return Ok(s.e.logic::<B>(v[0], v[1]));
            }
            if is_add {
                return Ok(s.e.add(v[0], v[1]));
            }
            let ty = s.e.ir.ty(v[0]);
            match (s.e.known_int(v[0]), s.e.known_int(v[1])) {
                (_, Some(0)) => Ok(v[0]),
                (Some(0), None) => Ok(s.e.typed::<NegOp>(scalar.arithmetic(true), &v[1..], ty)),
                (Some(a), Some(b)) => Ok(s.e.int(i128::from(a) - i128::from(b), ty)),
                _ => Ok(s.e.typed::<V>(scalar.arithmetic(true), v, ty)),
            }
        })
    }

    fn muli(&mut self, op: Op) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        self.elementwise(op, |s, v| {
            Ok(match scalar {
                Scalar::Predicate => s.e.logic::<AndOp>(v[0], v[1]),
                _ => s.e.mul(v[0], v[1]),
            })
        })
    }

    fn bitwise<V: OpView>(&mut self, op: Op) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        let is_xor = arith::XOrIOp::is(self.e.ir, op);
        self.elementwise(op, |s, v| {
            let ty = s.e.ir.ty(v[0]);
            // The complement, which a frontend writes as xor with all ones.
            if is_xor {
                let ones = if scalar == Scalar::Predicate { 1 } else { -1 };
                for (known, other) in [(v[1], v[0]), (v[0], v[1])] {
                    if s.e.known_int(known) == Some(ones) {
                        return Ok(s.e.typed::<NotOp>(scalar.bits(), &[other], ty));
                    }
                }
            }
            Ok(s.e.typed::<V>(scalar.bits(), v, ty))
        })
    }

    fn shift<V: OpView>(&mut self, op: Op, signed: bool) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        let left = arith::ShLIOp::is(self.e.ir, op);
        self.elementwise(op, |s, v| {
            if scalar == Scalar::Predicate {
                // The only shift that is defined is by nothing.
                return Ok(v[0]);
            }
            let ty = s.e.ir.ty(v[0]);
            let value = if left { v[0] } else { normalized(&mut s.e, v[0], scalar, signed) };
            let amount = normalized(&mut s.e, v[1], scalar, false);
            let amount = s.e.low_half(amount);
            let kind = if left { scalar.bits() } else { scalar.arithmetic(signed) };
            Ok(s.e.typed::<V>(kind, &[value, amount], ty))
        })
    }

    fn extremum<V: OpView>(&mut self, op: Op, signed: bool) -> Selected<()> {
        let scalar = self.result_scalar(op)?;
        // Of one bit: unsigned, the larger is the disjunction; signed, where 1 is -1, the smaller.
        let maximum = std::ptr::eq(V::def(), MaxOp::def());
        self.elementwise(op, |s, v| {
            if scalar == Scalar::Predicate {
                return Ok(if maximum != signed {
                    s.e.logic::<OrOp>(v[0], v[1])
                } else {
                    s.e.logic::<AndOp>(v[0], v[1])
                });
            }
            let a = normalized(&mut s.e, v[0], scalar, signed);
            let b = normalized(&mut s.e, v[1], scalar, signed);
            let ty = s.e.ir.ty(a);
            Ok(s.e.typed::<V>(scalar.arithmetic(signed), &[a, b], ty))
        })
    }

    /// The full-width scalar of an operation on two integers with two results.
    fn whole_register(&self, op: Op) -> Selected<Scalar> {
        match self.result_scalar(op)? {
            scalar @ Scalar::Integer(32 | 64) => Ok(scalar),
            _ => self.unsupported(op),
        }
    }

    fn add_extended(&mut self, op: Op) -> Selected<()> {
        let scalar = self.whole_register(op)?;
        let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let sum = self.e.add(a, b);
        let less = gpuc_dialects::ptx::kinds::Comparison::Lt;
        let carry = self.e.compare(less, scalar.arithmetic(false), sum, a);
        self.set_results(op, &[sum, carry]);
        Ok(())
    }

    fn mul_extended(&mut self, op: Op, signed: bool) -> Selected<()> {
        let scalar = self.whole_register(op)?;
        let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let ty = self.e.ir.ty(a);
        let low = self.e.mul(a, b);
        let high = self.e.product(scalar.arithmetic(signed), Part::Hi, &[a, b], ty);
        self.set_results(op, &[low, high]);
        Ok(())
    }

    /// Says what the results of an operation have become.
    pub fn set_results(&mut self, op: Op, values: &[Value]) {
        for (index, &value) in values.iter().enumerate() {
            let result = self.e.ir.result(op, index);
            self.set(result, Lowered::Scalar(value));
        }
    }

    fn select(&mut self, op: Op) -> Selected<()> {
        let ty = self.e.ir.ty(self.e.ir.result(op, 0));
        if self.e.ir.ctx.is_memref(ty) {
            return self.select_buffer(op);
        }
        let scalar = self.scalar(ty)?;
        self.elementwise(op, |s, v| {
            let (condition, a, b) = (v[0], v[1], v[2]);
            match s.e.known_int(condition) {
                Some(0) => return Ok(b),
                Some(_) => return Ok(a),
                None => {}
            }
            if scalar != Scalar::Predicate {
                return Ok(s.e.select(condition, a, b));
            }
            let ty = s.e.ir.ty(condition);
            let both = s.e.logic::<AndOp>(condition, a);
            let not = s.e.typed::<NotOp>(PtxType::Pred, &[condition], ty);
            let other = s.e.logic::<AndOp>(not, b);
            Ok(s.e.logic::<OrOp>(both, other))
        })
    }

    /// One of two buffers: their addresses are chosen from.
    fn select_buffer(&mut self, op: Op) -> Selected<()> {
        let result = self.e.ir.result(op, 0);
        let ty = self.e.ir.ty(result);
        let condition = self.operand(op, 0)?;
        let (a, b) = (self.e.ir.operand(op, 1), self.e.ir.operand(op, 2));
        let (a, b) = (self.buffer(a)?, self.buffer(b)?);
        let space =
            if a.space == b.space { a.space } else { gpuc_dialects::ptx::kinds::Space::Generic };
        let element = self.element_bytes(ty)?;
        let sides =
            [self.buffer_address(&a, element, space)?, self.buffer_address(&b, element, space)?];
        let base = self.e.select(condition, sides[0], sides[1]);
        let mut buffer = self.whole_buffer(ty, base, space);
        buffer.offset = super::Extent::Static(0);
        self.set(result, Lowered::Buffer(buffer));
        Ok(())
    }
}
