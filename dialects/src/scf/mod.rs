//! `scf`: loops and conditionals as operations with regions.

use gpuc_ir::OpView;
use gpuc_ir::context::DialectDef;

mod branch;
mod branch_patterns;
mod edges;
mod for_loop;
mod for_patterns;
mod forall;
mod if_patterns;
pub(crate) mod inline;
mod parallel;
mod parallel_patterns;
mod syntax;
mod terminators;
mod while_loop;
mod while_patterns;

pub use branch::*;
pub use for_loop::*;
pub use forall::*;
pub use parallel::*;
pub use terminators::*;
pub use while_loop::*;

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "scf",
    summary: "Loops and conditionals as operations with regions.",
    ops: &[
        ConditionOp::def,
        ExecuteRegionOp::def,
        ForOp::def,
        ForallOp::def,
        IfOp::def,
        InParallelOp::def,
        IndexSwitchOp::def,
        ParallelOp::def,
        ReduceOp::def,
        ReduceReturnOp::def,
        WhileOp::def,
        YieldOp::def,
    ],
    materialize: None,
};
