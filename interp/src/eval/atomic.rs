//! Atomic read-modify-write: whole steps, because threads run in turns.

use gpuc_dialects::memref;
use gpuc_ir::Op;

use super::combine::Combine;
use super::{Family, Handler, Step};
use crate::interpreter::Interpreter;

pub(super) const OPS: Family = &[
    (memref::AtomicRMWOp::NAME, Handler::leaf(atomic)),
    (memref::GenericAtomicRMWOp::NAME, Handler::leaf(generic_atomic)),
];

fn atomic(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::AtomicRMWOp(op);
    let number = view.kind(m.ir).and_then(|kind| memref::ATOMIC_RMW_KINDS.number(&m.ir.ctx, kind));
    let keyword = number.map(|number| memref::ATOMIC_RMW_KINDS.keywords(number));
    let Some(combine) = keyword.and_then(|keyword| Combine::from_keyword(&keyword)) else {
        return Err(m.error(op, "has no valid kind"));
    };
    let indices = m.indices(op, view.indices(m.ir))?;
    let old = m.load(op, view.memref(m.ir), &indices)?;
    let new = combine.apply(m, op, &old, m.get(view.value(m.ir))?)?;
    m.store(op, view.memref(m.ir), &indices, &new)?;
    m.set_result(op, old)
}

fn generic_atomic(m: &mut Interpreter<'_>, op: Op) -> Step {
    let view = memref::GenericAtomicRMWOp(op);
    let indices = m.indices(op, view.indices(m.ir))?;
    let old = m.load(op, view.memref(m.ir), &indices)?;
    let Some(block) = m.ir.entry_block(view.atomic_body(m.ir)) else {
        return Err(m.error(op, "has no body"));
    };
    let new = m.run_region(op, block, vec![old.clone()])?;
    let [new] = &new[..] else { return Err(m.error(op, "has a body without a result")) };
    m.store(op, view.memref(m.ir), &indices, new)?;
    m.set_result(op, old)
}
