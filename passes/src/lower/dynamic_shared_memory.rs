//! `dynamic-shared-memory`: memory of the block beyond what a kernel may declare.
//!
//! A kernel declares 48 KiB at most; devices have more for a launch that asks for it (CUDA C++ Programming Guide, compute
//! capabilities: dynamic shared memory). Needs kernels with their launches; leaves, where a kernel's buffers are larger
//! together, one dynamic buffer with a view for each of them, and a size at each launch. Comes behind all passes that ask
//! which buffers are apart.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::{self, AddressSpace, GPUFuncOp, GPUModuleOp, LaunchFuncOp};
use gpuc_dialects::{arith, memref};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Value, WalkOrder};

use crate::target::target;

gpuc_ir::pass! {
    /// Let launches say the size of memory of the block that is too large to be declared.
    DynamicSharedMemory = "dynamic-shared-memory" on "builtin.module" {
        /// The device, whose table says how much may be declared.
        arch: String = Arch::default_target().name.to_owned(),
    }
}

/// Where each buffer begins: at a multiple of the widest access.
const ALIGNMENT: i64 = 16;

impl Pass for DynamicSharedMemory {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let most = i64::from(target(&self.arch)?.limits.shared_per_block);
        for kernels in ir.nested_ops(module, WalkOrder::PreOrder) {
            if !GPUModuleOp::is(ir, kernels) {
                continue;
            }
            for kernel in ir.nested_ops(kernels, WalkOrder::PreOrder) {
                let Some(view) = GPUFuncOp::cast(ir, kernel) else { continue };
                let buffers = shared(ir, view);
                let bytes: i64 = buffers.iter().map(|(_, bytes)| bytes).sum();
                let asked = ir.nested_ops(kernel, WalkOrder::PreOrder);
                let asked = asked.into_iter().any(|op| gpu::DynamicSharedMemoryOp::is(ir, op));
                let all = buffers.len() == view.workgroup_buffers(ir).len();
                if bytes > most && all && !asked {
                    ask(ir, module, (kernels, kernel), bytes);
                    make_views(ir, view, &buffers);
                }
            }
        }
        Ok(())
    }
}

/// Buffers of the block that a kernel declares, with their sizes up to the next one.
fn shared(ir: &Ir, kernel: GPUFuncOp) -> Vec<(Value, i64)> {
    let sized = kernel.workgroup_buffers(ir).iter().filter_map(|&buffer| {
        let ty = ir.ty(buffer);
        let elements = ir.ctx.shape(ty)?.iter().copied().try_fold(1i64, i64::checked_mul)?;
        let each = memref::scalar_bytes(&ir.ctx, ir.ctx.element(ty)?)? as i64;
        let bytes = elements.checked_mul(each).filter(|&bytes| bytes >= 0)?;
        Some((buffer, bytes.checked_add(ALIGNMENT - 1)? / ALIGNMENT * ALIGNMENT))
    });
    sized.collect()
}

/// Puts views of one buffer, whose size the launch says, in the place of a kernel's buffers.
fn make_views(ir: &mut Ir, kernel: GPUFuncOp, buffers: &[(Value, i64)]) {
    let entry = ir.body(kernel.op(), 0);
    let location = ir.location(kernel.op());
    let mut b = Builder::at_start(&mut *ir, entry, location);
    let space = AddressSpace::Workgroup.attr(&mut b.ctx);
    let byte = b.ctx.int(8);
    let ty = b.ctx.memref_in(&[DYNAMIC], byte, None, Some(space));
    let memory = gpu::DynamicSharedMemoryOp::new(&mut b).result(ty).value(&mut b);
    let (mut begin, mut views) = (0, Vec::new());
    for &(buffer, bytes) in buffers {
        let at = arith::constant_index(&mut b, begin);
        let ty = b.ty(buffer);
        let view = memref::ViewOp::new(&mut b, memory, at, &[]).result(ty).value(&mut b);
        views.push((buffer, view));
        begin += bytes;
    }
    for (buffer, view) in views {
        ir.replace_all_uses(buffer, view);
    }
    kernel.drop_workgroup_buffers(ir);
}

/// Makes all launches of a kernel ask for so many bytes.
fn ask(ir: &mut Ir, module: Op, (kernels, kernel): (Op, Op), bytes: i64) {
    let names = [kernels, kernel].map(|op| ir.symbol_name(op).map(str::to_owned));
    let [Some(kernels), Some(kernel)] = names else { return };
    let symbol = ir.ctx.nested_symbol_attr(&kernels, &[&kernel]);
    for op in ir.nested_ops(module, WalkOrder::PreOrder) {
        let Some(launch) = LaunchFuncOp::cast(ir, op) else { continue };
        if launch.kernel(ir) != Some(symbol) {
            continue;
        }
        let mut b = Builder::before(&mut *ir, op);
        let i32 = b.ctx.int(32);
        let size = arith::constant_int(&mut b, bytes.into(), i32);
        launch.set_dynamic_shared_memory(ir, size);
    }
}
