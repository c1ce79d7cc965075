//! Comparisons.

use gpuc_ir::op;
use gpuc_ir::op::types::{self, i1_same_shape};
use gpuc_ir::{Builder, Value};

use super::compare_fold::{CMPI, fold_cmpf, fold_cmpi};
use super::flags::{CMPF_PREDICATE, CMPI_PREDICATE, CmpIPredicate, FASTMATH, no_fastmath};
use types::{BOOL_LIKE, FLOAT_LIKE, SIGNLESS_INTEGER_LIKE};

op! {
    /// Compares two integers; the predicate says whether signed or unsigned.
    CmpIOp = "arith.cmpi" {
        operands { lhs: One SIGNLESS_INTEGER_LIKE, rhs: One SIGNLESS_INTEGER_LIKE }
        results { result: One BOOL_LIKE }
        attrs { predicate: Required CMPI_PREDICATE }
        traits PURE, SAME_TYPE_OPERANDS
        types { result = i1_same_shape(lhs) "result type has i1 element type and same shape as operands" }
        format "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)"
        hooks { fold: Some(fold_cmpi), canonicalize: CMPI }
    }
}

op! {
    /// Compares two floats; the predicate says what NaNs give.
    CmpFOp = "arith.cmpf" {
        operands { lhs: One FLOAT_LIKE, rhs: One FLOAT_LIKE }
        results { result: One BOOL_LIKE }
        attrs { predicate: Required CMPF_PREDICATE, fastmath: Default(no_fastmath) FASTMATH }
        traits PURE, SAME_TYPE_OPERANDS
        types { result = i1_same_shape(lhs) "result type has i1 element type and same shape as operands" }
        format "$predicate `,` $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($lhs)"
        hooks { fold: Some(fold_cmpf) }
    }
}

/// Compares two integers.
pub fn compare(b: &mut Builder<'_>, how: CmpIPredicate, lhs: Value, rhs: Value) -> Value {
    let how = how.attr(&mut b.ctx);
    CmpIOp::new(b, lhs, rhs).attr(b, "predicate", how).value(b)
}
