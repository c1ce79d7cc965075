//! Vectors under other types.

use gpuc_ir::op;
use gpuc_ir::op::types::VECTOR;

use super::fold::{fold_bitcast, fold_shape_cast};
use super::verify::{verify_bitcast, verify_shape_cast};

op! {
    /// The same bits with other elements in the last dimension.
    BitCastOp = "vector.bitcast" {
        operands { source: One VECTOR }
        results { result: One VECTOR }
        traits PURE
        format "$source attr-dict `:` type($source) `to` type($result)"
        hooks { verify: Some(verify_bitcast), fold: Some(fold_bitcast) }
    }
}

op! {
    /// The same elements, in row-major order, in another shape.
    ShapeCastOp = "vector.shape_cast" {
        operands { source: One VECTOR }
        results { result: One VECTOR }
        traits PURE
        format "$source attr-dict `:` type($source) `to` type($result)"
        hooks { verify: Some(verify_shape_cast), fold: Some(fold_shape_cast) }
    }
}
