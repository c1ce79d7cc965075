//! Operations whose meaning is that of hardware or of a vendor's library: matrices of subgroups, sparse matrices, what a
//! lane does for its warp. They are named and refused here; what is masked is executed where nothing is masked out.

use gpuc_dialects::{gpu, vector};
use gpuc_ir::Op;

use super::scf::once;
use super::vector::elements;
use super::{Family, Handler, Step, done, leave};
use crate::interpreter::Interpreter;
use crate::value::RtValue;

pub(super) const OPS: Family = &[
    (vector::YieldOp::NAME, Handler::leaf(leave)),
    (vector::MaskOp::NAME, Handler::regions(masked, done)),
    (vector::TypeCastOp::NAME, Handler::leaf(refuse)),
    (vector::WarpExecuteOnLane0Op::NAME, Handler::leaf(refuse)),
    (gpu::Create2To4SpMatOp::NAME, Handler::leaf(refuse)),
    (gpu::CreateBsrOp::NAME, Handler::leaf(refuse)),
    (gpu::CreateCooAoSOp::NAME, Handler::leaf(refuse)),
    (gpu::CreateCooOp::NAME, Handler::leaf(refuse)),
    (gpu::CreateCscOp::NAME, Handler::leaf(refuse)),
    (gpu::CreateCsrOp::NAME, Handler::leaf(refuse)),
    (gpu::CreateDnTensorOp::NAME, Handler::leaf(refuse)),
    (gpu::DestroyDnTensorOp::NAME, Handler::leaf(refuse)),
    (gpu::DestroySpMatOp::NAME, Handler::leaf(refuse)),
    (gpu::SDDMMBufferSizeOp::NAME, Handler::leaf(refuse)),
    (gpu::SDDMMOp::NAME, Handler::leaf(refuse)),
    (gpu::SetCsrPointersOp::NAME, Handler::leaf(refuse)),
    (gpu::SpGEMMCopyOp::NAME, Handler::leaf(refuse)),
    (gpu::SpGEMMCreateDescrOp::NAME, Handler::leaf(refuse)),
    (gpu::SpGEMMDestroyDescrOp::NAME, Handler::leaf(refuse)),
    (gpu::SpGEMMWorkEstimationOrComputeOp::NAME, Handler::leaf(refuse)),
    (gpu::SpMMBufferSizeOp::NAME, Handler::leaf(refuse)),
    (gpu::SpMMOp::NAME, Handler::leaf(refuse)),
    (gpu::SpMVBufferSizeOp::NAME, Handler::leaf(refuse)),
    (gpu::SpMVOp::NAME, Handler::leaf(refuse)),
    (gpu::SpMatGetSizeOp::NAME, Handler::leaf(refuse)),
    (gpu::SubgroupMmaComputeOp::NAME, Handler::leaf(refuse)),
    (gpu::SubgroupMmaConstantMatrixOp::NAME, Handler::leaf(refuse)),
    (gpu::SubgroupMmaElementwiseOp::NAME, Handler::leaf(refuse)),
    (gpu::SubgroupMmaLoadMatrixOp::NAME, Handler::leaf(refuse)),
    (gpu::SubgroupMmaStoreMatrixOp::NAME, Handler::leaf(refuse)),
];

fn refuse(m: &mut Interpreter<'_>, op: Op) -> Step {
    Err(m.error(op, "is not executed by the interpreter: only hardware or a library does it"))
}

fn masked(m: &mut Interpreter<'_>, op: Op) -> Step {
    let mask = m.get(m.ir.operand(op, 0))?.clone();
    for bit in elements(&mask) {
        let RtValue::Int(bit) = bit else { return Err(m.wrong_value(op, bit, "a mask")) };
        if bit.unsigned() == 0 {
            return Err(m.error(op, "masks elements out, which the interpreter does not execute"));
        }
    }
    once(m, op)
}
