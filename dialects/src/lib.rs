//! The dialects, one module each, every op with its verifier, folder, syntax and interfaces in one
//! place.
//!
//! [`register_all`] makes a context know them. The textual form of the upstream dialects is MLIR
//! 19's.

use gpuc_ir::Context;
use gpuc_ir::context::DialectDef;

pub mod affine;
pub mod arith;
pub mod builtin;
pub mod cf;
mod enumeration;
pub mod func;
pub mod gpu;
pub mod math;
pub mod memref;
pub mod offload;
pub mod ptr;
pub mod ptx;
pub mod scf;
pub mod vector;

/// Every dialect, in the order of the levels they serve.
pub const ALL: &[&DialectDef] = &[
    &builtin::DIALECT,
    &func::DIALECT,
    &arith::DIALECT,
    &math::DIALECT,
    &cf::DIALECT,
    &scf::DIALECT,
    &memref::DIALECT,
    &vector::DIALECT,
    &affine::DIALECT,
    &gpu::DIALECT,
    &offload::DIALECT,
    &ptr::DIALECT,
    &ptx::DIALECT,
];

/// Registers every dialect.
pub fn register_all(ctx: &mut Context) {
    for dialect in ALL {
        ctx.register(dialect);
    }
}
