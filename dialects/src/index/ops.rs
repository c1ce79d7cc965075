//! The operations.

use gpuc_ir::op::attrs::{self, BOOL};
use gpuc_ir::op::types::{I1, INDEX};
use gpuc_ir::op::{AttrConstraint, AttrSyntax, Effects, EnumSpec, EnumStorage, TypeConstraint};
use gpuc_ir::{Attr, Builder, Ir, Op, Type, op};

use super::fold;
use crate::arith::{CmpIPredicate, INTEGER_COMPARISONS};

/// Declares operations on two numbers.
macro_rules! binary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal [$($trait:ident),*] { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { lhs: One INDEX, rhs: One INDEX }
                results { result: One INDEX }
                traits $($trait),*
                format "$lhs `,` $rhs attr-dict"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

binary! {
    /// Adds, modulo 2^width.
    AddOp = "index.add" [PURE, COMMUTATIVE] { fold: Some(fold::add), canonicalize: fold::ADD }
    /// Subtracts, modulo 2^width.
    SubOp = "index.sub" [PURE] { fold: Some(fold::sub) }
    /// Multiplies, modulo 2^width.
    MulOp = "index.mul" [PURE, COMMUTATIVE] { fold: Some(fold::mul), canonicalize: fold::MUL }
    /// Signed division, towards zero. Undefined for a zero divisor and for the least number divided by -1.
    DivSOp = "index.divs" [SAME_OPERANDS_AND_RESULT_TYPE] { fold: Some(fold::divs), effects: Some(none), speculatable: Some(divides) }
    /// Unsigned division, towards zero. Undefined for a zero divisor.
    DivUOp = "index.divu" [SAME_OPERANDS_AND_RESULT_TYPE] { fold: Some(fold::divu), effects: Some(none), speculatable: Some(divides) }
    /// Signed division, upwards. Undefined for a zero divisor and for the least number divided by -1.
    CeilDivSOp = "index.ceildivs" [SAME_OPERANDS_AND_RESULT_TYPE] { fold: Some(fold::ceildivs), effects: Some(none), speculatable: Some(divides) }
    /// Unsigned division, upwards. Undefined for a zero divisor.
    CeilDivUOp = "index.ceildivu" [SAME_OPERANDS_AND_RESULT_TYPE] { fold: Some(fold::ceildivu), effects: Some(none), speculatable: Some(divides) }
    /// Signed division, downwards. Undefined for a zero divisor and for the least number divided by -1.
    FloorDivSOp = "index.floordivs" [SAME_OPERANDS_AND_RESULT_TYPE] { fold: Some(fold::floordivs), effects: Some(none), speculatable: Some(divides) }
    /// Remainder of signed division towards zero. Undefined for a zero divisor.
    RemSOp = "index.rems" [SAME_OPERANDS_AND_RESULT_TYPE] { fold: Some(fold::rems), effects: Some(none), speculatable: Some(divides) }
    /// Remainder of unsigned division. Undefined for a zero divisor.
    RemUOp = "index.remu" [SAME_OPERANDS_AND_RESULT_TYPE] { fold: Some(fold::remu), effects: Some(none), speculatable: Some(divides) }
    /// The greater of two signed numbers.
    MaxSOp = "index.maxs" [PURE, COMMUTATIVE] { fold: Some(fold::maxs), canonicalize: fold::MAXS }
    /// The greater of two unsigned numbers.
    MaxUOp = "index.maxu" [PURE, COMMUTATIVE] { fold: Some(fold::maxu), canonicalize: fold::MAXU }
    /// The less of two signed numbers.
    MinSOp = "index.mins" [PURE, COMMUTATIVE] { fold: Some(fold::mins), canonicalize: fold::MINS }
    /// The less of two unsigned numbers.
    MinUOp = "index.minu" [PURE, COMMUTATIVE] { fold: Some(fold::minu), canonicalize: fold::MINU }
    /// Shifts left. Undefined for a shift by the width or more.
    ShlOp = "index.shl" [PURE] { fold: Some(fold::shl) }
    /// Shifts right, copies of the sign coming in. Undefined for a shift by the width or more.
    ShrSOp = "index.shrs" [PURE] { fold: Some(fold::shrs) }
    /// Shifts right, zeros coming in. Undefined for a shift by the width or more.
    ShrUOp = "index.shru" [PURE] { fold: Some(fold::shru) }
    /// Bitwise and.
    AndOp = "index.and" [PURE, COMMUTATIVE] { fold: Some(fold::and), canonicalize: fold::AND }
    /// Bitwise or.
    OrOp = "index.or" [PURE, COMMUTATIVE] { fold: Some(fold::or), canonicalize: fold::OR }
    /// Bitwise exclusive or.
    XOrOp = "index.xor" [PURE, COMMUTATIVE] { fold: Some(fold::xor), canonicalize: fold::XOR }
}

fn none(_: &Ir, _: Op, _: &mut Effects) {}

/// Whether the divisor is known to be neither 0 nor -1.
fn divides(ir: &Ir, op: Op) -> bool {
    let divisor = crate::arith::constant_index_value(ir, ir.operand(op, 1));
    divisor.is_some_and(|divisor| divisor != 0 && divisor != -1)
}

/// Between `index` and an integer of fixed width.
macro_rules! casts {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal $fold:path;)*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { input: One INTEGER_OR_INDEX }
                results { output: One INTEGER_OR_INDEX }
                traits PURE
                format "$input attr-dict `:` type($input) `to` type($output)"
                hooks { fold: Some($fold), verify: Some(verify_cast) }
            }
        }
    )*};
}

casts! {
    /// Between `index` and an integer, with sign extension or truncation.
    CastSOp = "index.casts" fold::casts;
    /// Between `index` and an integer, with zero extension or truncation.
    CastUOp = "index.castu" fold::castu;
}

static INTEGER_OR_INDEX: TypeConstraint = TypeConstraint {
    summary: "integer or index",
    holds: |ctx, ty| ctx.int_or_index_width(ty).is_some(),
    build: None,
};

fn verify_cast(ir: &Ir, op: Op) -> Result<(), String> {
    let (from, to) = (ir.ty(ir.operand(op, 0)), ir.ty(ir.result(op, 0)));
    if ir.ctx.is_index(from) != ir.ctx.is_index(to) {
        return Ok(());
    }
    Err(format!(
        "operand type '{}' and result type '{}' are cast incompatible",
        ir.ctx.type_text(from),
        ir.ctx.type_text(to)
    ))
}

/// Predicates of `index.cmp`, in upstream's order.
pub static CMP_PREDICATES: EnumSpec = EnumSpec {
    dialect: "index",
    mnemonic: "cmp_predicate",
    cases: INTEGER_COMPARISONS,
    bits: false,
    storage: EnumStorage::Spaced,
};

static CMP_PREDICATE: AttrConstraint = AttrConstraint {
    summary: "index comparison predicate kind",
    holds: |ctx, attr| CMP_PREDICATES.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&CMP_PREDICATES),
};

op! {
    /// Compares two numbers; the predicate says whether signed or unsigned.
    CmpOp = "index.cmp" {
        operands { lhs: One INDEX, rhs: One INDEX }
        results { result: One I1 }
        attrs { pred: Required CMP_PREDICATE }
        traits PURE
        format "$pred `(` $lhs `,` $rhs `)` attr-dict"
        hooks { fold: Some(fold::cmp), canonicalize: fold::CMP }
    }
}

impl CmpOp {
    /// What it asks.
    pub fn predicate(self, ir: &Ir) -> Option<CmpIPredicate> {
        let pred = self.pred(ir)?;
        CmpIPredicate::from_number(CMP_PREDICATES.number(&ir.ctx, pred)?)
    }
}

op! {
    /// How many bits `index` has.
    SizeOfOp = "index.sizeof" {
        results { result: One INDEX }
        traits PURE
        format "attr-dict"
    }
}

op! {
    /// A number.
    ConstantOp = "index.constant" {
        results { result: One INDEX }
        attrs { value: Required INDEX_ATTR }
        traits PURE, CONSTANT_LIKE
        format "attr-dict $value"
        hooks { result_name: Some(constant_name) }
    }
}

use attrs::INDEX as INDEX_ATTR;

fn constant_name(ir: &Ir, op: Op, _index: usize) -> Option<String> {
    Some(format!("idx{}", ir.ctx.int_value(ir.attr(op, "value")?)?))
}

op! {
    /// `true` or `false`.
    BoolConstantOp = "index.bool.constant" {
        results { result: One I1 }
        attrs { value: Required BOOL }
        traits PURE, CONSTANT_LIKE
        format "attr-dict $value"
        hooks { result_name: Some(bool_name) }
    }
}

fn bool_name(ir: &Ir, op: Op, _index: usize) -> Option<String> {
    let truth = ir.ctx.int_value(ir.attr(op, "value")?)? != 0;
    Some(truth.to_string())
}

/// [`gpuc_ir::context::DialectDef::materialize`] of the dialect.
pub(super) fn materialize(b: &mut Builder<'_>, value: Attr, ty: Type) -> Option<Op> {
    if b.ctx.attr_type(value) != Some(ty) {
        return None;
    }
    if b.ctx.is_index(ty) {
        return Some(ConstantOp::new(b).attr(b, "value", value).build(b));
    }
    let is_bool = b.ctx.is_signless_int(ty) && b.ctx.int_width(ty) == Some(1);
    is_bool.then(|| BoolConstantOp::new(b).attr(b, "value", value).build(b))
}
