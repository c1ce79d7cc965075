//! What the creation functions build is valid and reads as expected.

use gpuc_ir::verify::verify;
use gpuc_ir::{Builder, Ir, Location};

use super::*;
use crate::builtin::ModuleOp;
use crate::{arith, gpu, memref};

#[test]
fn nests_kernels_and_launches_can_be_built() {
    let mut ir = Ir::new();
    crate::register_all(&mut ir.ctx);
    let module = ModuleOp::create(&mut ir, Location::UNKNOWN);
    let unit = ir.ctx.unit_attr();
    ir.set_attr(module.0, "gpu.container_module", unit);
    let block = ir.body(module.0, 0);
    let mut b = Builder::at_end(&mut ir, block, Location::UNKNOWN);
    let kernels = gpu::GPUModuleOp::create(&mut b, "kernels");
    let end = kernels.end_of_body(&b);
    let f32 = b.ctx.f32();
    let shared = gpu::AddressSpace::Workgroup.attr(&mut b.ctx);
    let tile = b.ctx.memref_in(&[32], f32, None, Some(shared));
    let buffer = b.ctx.memref(&[gpuc_ir::DYNAMIC], f32);
    b.at(end, |b| {
        gpu::GPUFuncOp::create_kernel(b, "scale", &[buffer], &[tile], &[], |b, values| {
            let (argument, local) = (values[0], values[1]);
            let zero = arith::constant_index(b, 0);
            let extent = memref::DimOp::new(b, argument, zero).value(b);
            let lower = AffineValue::constant(&mut b.ctx, 0);
            let upper = AffineValue::symbol(&mut b.ctx, extent);
            AffineForOp::create(b, &lower, &upper, 4, &[], |b, i, _| {
                let at = AffineValue::dim(&mut b.ctx, i);
                let value = AffineLoadOp::create(b, argument, &at);
                AffineStoreOp::create(b, value, local, &at);
                vec![]
            });
            AffineParallelOp::create(b, &lower, &upper, &[1], |b, variables| {
                let at = AffineValue::dim(&mut b.ctx, variables[0]);
                let value = AffineLoadOp::create(b, local, &at);
                AffineStoreOp::create(b, value, argument, &at);
            });
            gpu::ReturnOp::new(b, &[]).build(b);
        });
    });
    assert!(verify(&mut ir, module.0).is_ok());
    let expected = "\
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%arg0: memref<?xf32>) workgroup(%arg1 : memref<32xf32, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %dim = memref.dim %arg0, %c0 : memref<?xf32>
      affine.for %arg2 = 0 to %dim step 4 {
        %0 = affine.load %arg0[%arg2] : memref<?xf32>
        affine.store %0, %arg1[%arg2] : memref<32xf32, #gpu.address_space<workgroup>>
      }
      affine.parallel (%arg2) = (0) to (symbol(%dim)) {
        %0 = affine.load %arg1[%arg2] : memref<32xf32, #gpu.address_space<workgroup>>
        affine.store %0, %arg0[%arg2] : memref<?xf32>
      }
      gpu.return
    }
  }
}
";
    assert_eq!(ir.to_text(module.0), expected);
}
