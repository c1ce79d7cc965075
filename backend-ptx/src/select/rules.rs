//! Which rule selects which operation. The file of each dialect lists its rules; they are found by the
//! definition of the operation, which is one static for each (`gpuc_ir::OpView::def`).

use std::sync::LazyLock;

use gpuc_dialects::{func, math, nvvm, offload};
use gpuc_ir::{Op, OpDef, OpView};
use rustc_hash::FxHashMap;

use super::{Selected, Selector};

/// Selects one operation.
pub(crate) type Rule = fn(&mut Selector<'_, '_>, Op) -> Selected<()>;

/// The definition of an operation, and its rule.
pub(super) type Entry = (fn() -> &'static OpDef, Rule);

/// What belongs to no dialect with a file of its own.
const OTHERS: &[Entry] = &[
    (func::CallOp::def, |s, op| s.call(op)),
    (func::ReturnOp::def, |s, op| s.leave(op)),
    (nvvm::SyncWarpOp::def, |s, op| s.sync_warp(op)),
    (nvvm::CpAsyncCommitGroupOp::def, |s, op| s.commit_copies(op)),
    (nvvm::CpAsyncWaitGroupOp::def, |s, op| s.wait_for_copies(op)),
    (offload::FenceOp::def, |s, op| s.fence(op)),
    (offload::TimeOp::def, |s, op| s.time(op)),
    (offload::GridBarrierOp::def, |s, op| s.grid_barrier(op)),
];

const LISTS: &[&[Entry]] = &[
    super::arith::RULES,
    super::branch::RULES,
    super::compare::RULES,
    super::convert::RULES,
    super::division::RULES,
    super::float::RULES,
    super::gpu::RULES,
    super::math::RULES,
    super::memref::RULES,
    super::ptr::RULES,
    super::vector::RULES,
    OTHERS,
];

/// The rule of an operation, if there is one.
pub(super) fn rule(def: &'static OpDef) -> Option<Rule> {
    static TABLE: LazyLock<FxHashMap<usize, Rule>> = LazyLock::new(|| {
        let listed = LISTS.iter().copied().flatten();
        let mut table: FxHashMap<usize, Rule> =
            listed.map(|&(definition, rule)| (key(definition()), rule)).collect();
        // A function that is no instruction comes from the library of device math.
        for definition in math::DIALECT.ops {
            table.entry(key(definition())).or_insert(|s, op| s.needs_device_math(op));
        }
        table
    });
    TABLE.get(&key(def)).copied()
}

fn key(def: &'static OpDef) -> usize {
    std::ptr::from_ref(def).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_has_one_rule() {
        let mut seen = FxHashMap::default();
        for &(definition, _) in LISTS.iter().copied().flatten() {
            assert_eq!(seen.insert(key(definition()), ()), None, "{}", definition().name);
        }
    }
}
