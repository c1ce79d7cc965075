//! What ends the regions of `scf` operations.

use gpuc_ir::op::types::{ANY, I1};
use gpuc_ir::{Builder, Op, op};

op! {
    /// Ends a region of an `scf` operation with the values it yields.
    YieldOp = "scf.yield" {
        operands { results: Variadic ANY }
        traits PURE, TERMINATOR, RETURN_LIKE
        parents "scf.execute_region", "scf.for", "scf.if", "scf.index_switch", "scf.while"
        format "attr-dict ($results^ `:` type($results))?"
    }
}

op! {
    /// Ends the first region of a `scf.while`: whether to go on, and the values handed to the
    /// second region or, at the end, out of the loop.
    ConditionOp = "scf.condition" {
        operands { condition: One I1, args: Variadic ANY }
        traits PURE, TERMINATOR, RETURN_LIKE
        parents "scf.while"
        format "`(` $condition `)` attr-dict ($args^ `:` type($args))?"
    }
}

/// Creates the `scf.yield` without operands that the text leaves out.
pub(super) fn yield_nothing(b: &mut Builder<'_>) -> Op {
    YieldOp::new(b, &[]).build(b)
}
