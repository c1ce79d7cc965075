//! What the host does round kernels: which operations it can execute, and what it reads back.

use gpuc_ir::op::{AccessInterface, AccessKind, AccessedValue, SubscriptForm, types};
use gpuc_ir::{Ir, Op, Type, op};

use crate::memref::read;
use types::{ANY, INDEX, MEMREF, element_of};

/// Name of the unit attribute of a loop that is left on the host, with launches inside.
pub const HOST_LOOP_ATTR: &str = "offload.host_loop";

op! {
    /// An element of device memory, as the host reads it when all kernels before are done.
    FetchOp = "offload.fetch" {
        operands { memref: One MEMREF, indices: Variadic INDEX }
        results { result: One ANY }
        types { result = element_of(memref) "result type matches element type of 'memref'" }
        format "$memref `[` $indices `]` attr-dict `:` type($memref)"
        hooks {
            verify: Some(verify_fetch),
            access: Some(AccessInterface { kind: AccessKind::Read, buffer: 0, subscripts: SubscriptForm::Operands, value: AccessedValue::Result }),
            effects: Some(|ir, op, effects| read(effects, ir.operand(op, 0))),
        }
    }
}

fn verify_fetch(ir: &Ir, op: Op) -> Result<(), String> {
    let view = FetchOp(op);
    let rank = ir.ctx.shape(ir.ty(view.memref(ir))).map_or(0, <[i64]>::len);
    match view.indices(ir).len() == rank && rank <= 1 {
        true => Ok(()),
        false => Err("needs a memref of rank 0 or 1 and as many indices".to_owned()),
    }
}

/// Operations that compute a value of the host's program from others, where the types of all are the host's
/// ([`is_host_type`]). Views of buffers are among them: addresses are numbers to the host.
pub const HOST_OPS: &[&str] = &[
    "affine.apply",
    "affine.max",
    "affine.min",
    "arith.addf",
    "arith.addi",
    "arith.andi",
    "arith.ceildivsi",
    "arith.ceildivui",
    "arith.cmpf",
    "arith.cmpi",
    "arith.constant",
    "arith.divf",
    "arith.divsi",
    "arith.divui",
    "arith.extf",
    "arith.extsi",
    "arith.extui",
    "arith.floordivsi",
    "arith.fptosi",
    "arith.index_cast",
    "arith.index_castui",
    "arith.maxnumf",
    "arith.maxsi",
    "arith.maxui",
    "arith.minnumf",
    "arith.minsi",
    "arith.minui",
    "arith.mulf",
    "arith.muli",
    "arith.negf",
    "arith.ori",
    "arith.remsi",
    "arith.remui",
    "arith.select",
    "arith.shli",
    "arith.shrsi",
    "arith.shrui",
    "arith.sitofp",
    "arith.subf",
    "arith.subi",
    "arith.truncf",
    "arith.trunci",
    "arith.uitofp",
    "arith.xori",
    "math.absf",
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.memory_space_cast",
    "memref.reinterpret_cast",
    "memref.view",
];

/// Whether the host has values of a type.
pub fn is_host_type(ir: &Ir, ty: Type) -> bool {
    if let Some(kind) = ir.ctx.float_kind(ty) {
        return matches!(kind.width(), 32 | 64);
    }
    ir.ctx.is_memref(ty)
        || ir.ctx.is_index(ty)
        || ir.ctx.int_width(ty).is_some_and(|width| matches!(width, 1 | 8 | 16 | 32 | 64))
}

/// Whether the host can execute an operation that only computes, with what stands inside.
pub fn runs_on_host(ir: &Ir, op: Op) -> bool {
    let name = ir.name(op);
    let plain = HOST_OPS.binary_search(&name).is_ok()
        || matches!(name, "affine.if" | "affine.yield" | "scf.if" | "scf.yield");
    let is_host = |value| is_host_type(ir, ir.ty(value));
    plain
        && ir.operands(op).all(is_host)
        && ir.results(op).iter().copied().all(is_host)
        && ir
            .regions(op)
            .iter()
            .flat_map(|&region| ir.blocks(region))
            .all(|&block| ir.ops(block).all(|inner| runs_on_host(ir, inner)))
}

#[cfg(test)]
mod tests {
    use super::HOST_OPS;

    #[test]
    fn names_are_in_order_to_be_searched() {
        assert!(HOST_OPS.is_sorted());
    }
}
