//! `affine`: loops, conditionals and accesses whose bounds, conditions and subscripts are affine
//! functions of loop variables and of values that do not change in the enclosing scope.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod access;
mod apply;
mod bound;
mod branch;
mod compose;
#[cfg(test)]
mod create_tests;
mod dma;
mod for_loop;
mod for_patterns;
mod parallel;
mod parallel_syntax;
mod simplify;
mod syntax;
mod terminators;
mod validity;

pub use access::*;
pub use apply::*;
pub use bound::*;
pub use branch::*;
pub use compose::*;
pub use dma::*;
pub use for_loop::*;
pub use parallel::*;
pub use simplify::simplify_expr;
pub use terminators::*;
pub use validity::{
    affine_scope, is_affine_induction_var, is_top_level, is_valid_dim, is_valid_dim_in,
    is_valid_symbol, is_valid_symbol_in,
};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "affine",
    summary: "Loops, conditionals and accesses in closed form.",
    ops: &[
        AffineApplyOp::def,
        AffineDelinearizeIndexOp::def,
        AffineDmaStartOp::def,
        AffineDmaWaitOp::def,
        AffineForOp::def,
        AffineIfOp::def,
        AffineLoadOp::def,
        AffineMaxOp::def,
        AffineMinOp::def,
        AffineParallelOp::def,
        AffinePrefetchOp::def,
        AffineStoreOp::def,
        AffineVectorLoadOp::def,
        AffineVectorStoreOp::def,
        AffineYieldOp::def,
    ],
    materialize: None,
};
