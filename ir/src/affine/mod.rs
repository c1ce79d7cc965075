//! Affine expressions, maps and integer sets, in MLIR's sense.
//!
//! Expressions are interned and simplified as they are built, by the rules of `expr`; two
//! expressions that simplify alike are the same key.

mod expr;
mod map;

pub use expr::{AffineExpr, AffineExprKind, BinaryOp};
pub use map::{AffineMap, AffineMapData, IntegerSet, IntegerSetData};
