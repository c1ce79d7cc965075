//! Integer arithmetic.

use gpuc_ir::op::Effects;
use gpuc_ir::op::types::{self, i1_same_shape, same};
use gpuc_ir::{Ir, Op, op};

use super::constant::constant_int_value;
use super::flags::{OVERFLOW, no_overflow};
use super::integer_fold::*;
use super::integer_patterns as patterns;
use types::{BOOL_LIKE, SIGNLESS_INTEGER_LIKE};

/// Declares operations on two integers of one type.
macro_rules! integer_binary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal [$($trait:ident),*] { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { lhs: One SIGNLESS_INTEGER_LIKE, rhs: One SIGNLESS_INTEGER_LIKE }
                results { result: One SIGNLESS_INTEGER_LIKE }
                traits SAME_OPERANDS_AND_RESULT_TYPE $(, $trait)*
                format "$lhs `,` $rhs attr-dict `:` type($result)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

/// The same with overflow flags.
macro_rules! integer_overflow_binary {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal [$($trait:ident),*] { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { lhs: One SIGNLESS_INTEGER_LIKE, rhs: One SIGNLESS_INTEGER_LIKE }
                results { result: One SIGNLESS_INTEGER_LIKE }
                attrs { overflowFlags: Default(no_overflow) OVERFLOW }
                traits PURE, SAME_OPERANDS_AND_RESULT_TYPE $(, $trait)*
                format "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"
                hooks { $($hook: $value),* }
            }
        }
    )*};
}

/// `c4_vscale`: a constant multiple of the factor of scalable vectors.
fn vscale_name(ir: &Ir, op: Op, _: usize) -> Option<String> {
    let is_vscale =
        |value| ir.defining_op(value).is_some_and(|def| ir.name(def) == "vector.vscale");
    let (lhs, rhs) = (ir.operand(op, 0), ir.operand(op, 1));
    let factor = match (is_vscale(lhs), is_vscale(rhs)) {
        (true, _) => rhs,
        (_, true) => lhs,
        _ => return None,
    };
    Some(format!("c{}_vscale", constant_int_value(ir, factor)?))
}

integer_overflow_binary! {
    /// Adds two integers modulo 2^n.
    AddIOp = "arith.addi" [COMMUTATIVE] { fold: Some(fold_addi), canonicalize: patterns::ADDI }
    /// Subtracts two integers modulo 2^n.
    SubIOp = "arith.subi" [] { fold: Some(fold_subi), canonicalize: patterns::SUBI }
    /// Multiplies two integers modulo 2^n.
    MulIOp = "arith.muli" [COMMUTATIVE] { fold: Some(fold_muli), canonicalize: patterns::MULI, result_name: Some(vscale_name) }
    /// Shifts left, zeros coming in. Undefined for a shift by the width or more.
    ShLIOp = "arith.shli" [] { fold: Some(fold_shli) }
}

integer_binary! {
    /// Unsigned division, towards zero. Undefined for a zero divisor.
    DivUIOp = "arith.divui" [] { fold: Some(fold_divui), effects: Some(no_effects), speculatable: Some(divisor_is_not_zero) }
    /// Signed division, towards zero. Undefined for a zero divisor and for the least number
    /// divided by -1.
    DivSIOp = "arith.divsi" [] { fold: Some(fold_divsi), effects: Some(no_effects), speculatable: Some(divisor_is_safe) }
    /// Unsigned division, upwards. Undefined for a zero divisor.
    CeilDivUIOp = "arith.ceildivui" [] { fold: Some(fold_ceildivui), effects: Some(no_effects), speculatable: Some(divisor_is_not_zero) }
    /// Signed division, upwards. Undefined for a zero divisor and for the least number divided
    /// by -1.
    CeilDivSIOp = "arith.ceildivsi" [] { fold: Some(fold_ceildivsi), effects: Some(no_effects), speculatable: Some(divisor_is_safe) }
    /// Signed division, downwards. Undefined for a zero divisor and for the least number divided
    /// by -1.
    FloorDivSIOp = "arith.floordivsi" [] { fold: Some(fold_floordivsi), effects: Some(no_effects), speculatable: Some(divisor_is_safe) }
    /// Remainder of unsigned division. Undefined for a zero divisor.
    RemUIOp = "arith.remui" [] { fold: Some(fold_remui), effects: Some(no_effects), speculatable: Some(divisor_is_not_zero) }
    /// Remainder of signed division towards zero; it has the sign of the dividend. Undefined for
    /// a zero divisor.
    RemSIOp = "arith.remsi" [] { fold: Some(fold_remsi), effects: Some(no_effects), speculatable: Some(divisor_is_not_zero) }
    /// Bitwise and.
    AndIOp = "arith.andi" [PURE, COMMUTATIVE, IDEMPOTENT] { fold: Some(fold_andi), canonicalize: patterns::ANDI }
    /// Bitwise or.
    OrIOp = "arith.ori" [PURE, COMMUTATIVE, IDEMPOTENT] { fold: Some(fold_ori), canonicalize: patterns::ORI }
    /// Bitwise exclusive or.
    XOrIOp = "arith.xori" [PURE, COMMUTATIVE] { fold: Some(fold_xori), canonicalize: patterns::XORI }
    /// Shifts right, zeros coming in. Undefined for a shift by the width or more.
    ShRUIOp = "arith.shrui" [PURE] { fold: Some(fold_shrui) }
    /// Shifts right, copies of the sign coming in. Undefined for a shift by the width or more.
    ShRSIOp = "arith.shrsi" [PURE] { fold: Some(fold_shrsi) }
    /// The greater of two signed integers.
    MaxSIOp = "arith.maxsi" [PURE, COMMUTATIVE] { fold: Some(fold_maxsi) }
    /// The greater of two unsigned integers.
    MaxUIOp = "arith.maxui" [PURE, COMMUTATIVE] { fold: Some(fold_maxui) }
    /// The less of two signed integers.
    MinSIOp = "arith.minsi" [PURE, COMMUTATIVE] { fold: Some(fold_minsi) }
    /// The less of two unsigned integers.
    MinUIOp = "arith.minui" [PURE, COMMUTATIVE] { fold: Some(fold_minui) }
}

op! {
    /// Adds two unsigned integers: the sum modulo 2^n, and whether it overflowed.
    AddUIExtendedOp = "arith.addui_extended" {
        operands { lhs: One SIGNLESS_INTEGER_LIKE, rhs: One SIGNLESS_INTEGER_LIKE }
        results { sum: One SIGNLESS_INTEGER_LIKE, overflow: One BOOL_LIKE }
        traits PURE, COMMUTATIVE, ELEMENTWISE
        types {
            lhs = same(sum) "all of {lhs, rhs, sum} have same type",
            rhs = same(sum) "all of {lhs, rhs, sum} have same type",
            sum = same(lhs) "all of {lhs, rhs, sum} have same type",
            overflow = i1_same_shape(lhs) "'overflow' has the shape of the operands",
        }
        format "$lhs `,` $rhs attr-dict `:` type($sum) `,` type($overflow)"
        hooks { fold: Some(fold_addui_extended), canonicalize: patterns::ADDUI_EXTENDED, result_name: Some(|_, _, i| ["sum", "overflow"].get(i).map(|&name| name.into())) }
    }
}

/// Declares multiplications into two halves.
macro_rules! extended_multiplication {
    ($($(#[doc = $doc:literal])* $view:ident = $name:literal { $($hook:ident : $value:expr),* })*) => {$(
        op! {
            $(#[doc = $doc])*
            $view = $name {
                operands { lhs: One SIGNLESS_INTEGER_LIKE, rhs: One SIGNLESS_INTEGER_LIKE }
                results { low: One SIGNLESS_INTEGER_LIKE, high: One SIGNLESS_INTEGER_LIKE }
                traits PURE, COMMUTATIVE
                types {
                    rhs = same(lhs) "all of {lhs, rhs, low, high} have same type",
                    low = same(lhs) "all of {lhs, rhs, low, high} have same type",
                    high = same(lhs) "all of {lhs, rhs, low, high} have same type",
                }
                format "$lhs `,` $rhs attr-dict `:` type($lhs)"
                hooks {
                    result_name: Some(|_, _, i| ["low", "high"].get(i).map(|&name| name.into()))
                    $(, $hook: $value)*
                }
            }
        }
    )*};
}

extended_multiplication! {
    /// Multiplies two signed integers: the low and the high half of the product of 2n bits.
    MulSIExtendedOp = "arith.mulsi_extended" { fold: Some(fold_mulsi_extended), canonicalize: patterns::MULSI_EXTENDED }
    /// Multiplies two unsigned integers: the low and the high half of the product of 2n bits.
    MulUIExtendedOp = "arith.mului_extended" { fold: Some(fold_mului_extended), canonicalize: patterns::MULUI_EXTENDED }
}

fn no_effects(_: &Ir, _: Op, _: &mut Effects) {}

fn divisor_is_not_zero(ir: &Ir, op: Op) -> bool {
    constant_int_value(ir, ir.operand(op, 1)).is_some_and(|divisor| divisor != 0)
}

fn divisor_is_safe(ir: &Ir, op: Op) -> bool {
    let ty = ir.ty(ir.operand(op, 1));
    constant_int_value(ir, ir.operand(op, 1)).is_some_and(|divisor| {
        // In `i1` the constant 1 is -1.
        let minus_one = divisor == -1 || ir.ctx.int_width(ir.ctx.element_or_self(ty)) == Some(1);
        divisor != 0 && !minus_one
    })
}
