//! The dialect `index`: what `arith` does, on numbers of 64 bits.

use gpuc_dialects::index;
use gpuc_ir::Op;

use super::{Family, Handler, Step, cast, compare, constant, integer};
use crate::interpreter::Interpreter;
use crate::value::{Int, RtValue};

pub(super) const OPS: Family = &[
    (index::AddOp::NAME, Handler::leaf(integer::add)),
    (index::SubOp::NAME, Handler::leaf(integer::subtract)),
    (index::MulOp::NAME, Handler::leaf(integer::multiply)),
    (index::ShlOp::NAME, Handler::leaf(integer::shift_left)),
    (index::DivUOp::NAME, Handler::leaf(integer::unsigned_quotient)),
    (index::CeilDivUOp::NAME, Handler::leaf(integer::unsigned_ceil)),
    (index::DivSOp::NAME, Handler::leaf(integer::signed_quotient)),
    (index::CeilDivSOp::NAME, Handler::leaf(integer::signed_ceil)),
    (index::FloorDivSOp::NAME, Handler::leaf(integer::signed_floor)),
    (index::RemUOp::NAME, Handler::leaf(integer::unsigned_remainder)),
    (index::RemSOp::NAME, Handler::leaf(integer::signed_remainder)),
    (index::AndOp::NAME, Handler::leaf(integer::and)),
    (index::OrOp::NAME, Handler::leaf(integer::or)),
    (index::XOrOp::NAME, Handler::leaf(integer::xor)),
    (index::ShrUOp::NAME, Handler::leaf(integer::shift_right_unsigned)),
    (index::ShrSOp::NAME, Handler::leaf(integer::shift_right_signed)),
    (index::MaxSOp::NAME, Handler::leaf(integer::max_signed)),
    (index::MinSOp::NAME, Handler::leaf(integer::min_signed)),
    (index::MaxUOp::NAME, Handler::leaf(integer::max_unsigned)),
    (index::MinUOp::NAME, Handler::leaf(integer::min_unsigned)),
    (index::CastSOp::NAME, Handler::leaf(cast::signed)),
    (index::CastUOp::NAME, Handler::leaf(cast::unsigned)),
    (index::CmpOp::NAME, Handler::leaf(compare_numbers)),
    (index::ConstantOp::NAME, Handler::leaf(constant::constant)),
    (index::BoolConstantOp::NAME, Handler::leaf(constant::constant)),
    (index::SizeOfOp::NAME, Handler::leaf(width)),
];

fn compare_numbers(m: &mut Interpreter<'_>, op: Op) -> Step {
    match index::CmpOp(op).predicate(m.ir) {
        Some(predicate) => compare::integers(m, op, predicate),
        None => Err(m.error(op, "has no valid predicate")),
    }
}

fn width(m: &mut Interpreter<'_>, op: Op) -> Step {
    m.set_result(op, RtValue::Int(Int::new(64, 64)))
}
