//! Memory of the device as the host manages it, and the dynamic memory of a block.

use gpuc_ir::op;
use gpuc_ir::op::{TypeConstraint, attrs, types};

use super::attributes::{ASYNC_TOKEN, AddressSpace};
use super::syntax::ASYNC_DEPENDENCIES;
use super::verify::{verify_alloc, verify_dynamic_memory, verify_memcpy, verify_memset};
use crate::memref::{allocate, free, read, write};
use attrs::UNIT;
use types::{ANY, I32, INDEX, MEMREF, UNRANKED_MEMREF};

static SHARED_BYTES: TypeConstraint = TypeConstraint {
    summary: "1D memref of 8-bit signless integer values",
    holds: |ctx, ty| {
        ctx.is_memref(ty)
            && ctx.shape(ty).is_some_and(|shape| shape.len() == 1)
            && AddressSpace::of_memref(ctx, ty).is_some()
            && ctx
                .element(ty)
                .is_some_and(|e| ctx.is_signless_int(e) && ctx.int_width(e) == Some(8))
    },
    build: None,
};

op! {
    /// Allocates a buffer on the device; with `hostShared` the host sees it too.
    AllocOp = "gpu.alloc" {
        operands {
            asyncDependencies: Variadic ASYNC_TOKEN,
            dynamicSizes: Variadic INDEX,
            symbolOperands: Variadic INDEX,
        }
        results { memref: One MEMREF, asyncToken: Optional ASYNC_TOKEN }
        attrs { hostShared: Optional UNIT }
        traits ATTR_SIZED_OPERANDS
        format "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) (`host_shared` $hostShared^)? ` ` `(` $dynamicSizes `)` (`` `[` $symbolOperands^ `]`)? attr-dict `:` type($memref)"
        hooks {
            custom: &[ASYNC_DEPENDENCIES],
            verify: Some(verify_alloc),
            effects: Some(|ir, op, effects| allocate(effects, ir.result(op, 0))),
            result_name: Some(|_, _, index| Some(if index == 0 { "memref" } else { "asyncToken" }.into())),
        }
    }
}

op! {
    /// Releases a buffer made by `gpu.alloc`.
    DeallocOp = "gpu.dealloc" {
        operands { asyncDependencies: Variadic ASYNC_TOKEN, memref: One MEMREF }
        results { asyncToken: Optional ASYNC_TOKEN }
        format "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $memref attr-dict `:` type($memref)"
        hooks {
            custom: &[ASYNC_DEPENDENCIES],
            effects: Some(|ir, op, effects| free(effects, ir.operand(op, ir.operand_count(op) - 1))),
        }
    }
}

op! {
    /// Copies one buffer to another of the same shape, between host and device or within one.
    MemcpyOp = "gpu.memcpy" {
        operands { asyncDependencies: Variadic ASYNC_TOKEN, dst: One MEMREF, src: One MEMREF }
        results { asyncToken: Optional ASYNC_TOKEN }
        format "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $dst `,` $src `:` type($dst) `,` type($src) attr-dict"
        hooks {
            custom: &[ASYNC_DEPENDENCIES],
            verify: Some(verify_memcpy),
            effects: Some(|ir, op, effects| {
                let count = ir.operand_count(op);
                read(effects, ir.operand(op, count - 1));
                write(effects, ir.operand(op, count - 2));
            }),
        }
    }
}

op! {
    /// Sets all elements of a buffer on the device.
    MemsetOp = "gpu.memset" {
        operands { asyncDependencies: Variadic ASYNC_TOKEN, dst: One MEMREF, value: One ANY }
        results { asyncToken: Optional ASYNC_TOKEN }
        format "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) $dst `,` $value `:` type($dst) `,` type($value) attr-dict"
        hooks {
            custom: &[ASYNC_DEPENDENCIES],
            verify: Some(verify_memset),
            effects: Some(|ir, op, effects| write(effects, ir.operand(op, ir.operand_count(op) - 2))),
        }
    }
}

op! {
    /// Waits for the tokens: the host, or with a token of its own only what follows that.
    WaitOp = "gpu.wait" {
        operands { asyncDependencies: Variadic ASYNC_TOKEN }
        results { asyncToken: Optional ASYNC_TOKEN }
        format "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) attr-dict"
        hooks { custom: &[ASYNC_DEPENDENCIES] }
    }
}

op! {
    /// Makes a buffer of the host accessible to the device.
    HostRegisterOp = "gpu.host_register" {
        operands { value: One UNRANKED_MEMREF }
        format "$value attr-dict `:` type($value)"
    }
}

op! {
    /// Ends what `gpu.host_register` began.
    HostUnregisterOp = "gpu.host_unregister" {
        operands { value: One UNRANKED_MEMREF }
        format "$value attr-dict `:` type($value)"
    }
}

op! {
    /// Chooses the device that later operations use.
    SetDefaultDeviceOp = "gpu.set_default_device" {
        operands { devIndex: One I32 }
        format "attr-dict $devIndex"
    }
}

op! {
    /// The memory of the block whose size the launch says, from its start.
    DynamicSharedMemoryOp = "gpu.dynamic_shared_memory" {
        results { resultMemref: One SHARED_BYTES }
        traits PURE
        format "attr-dict `:` type($resultMemref)"
        hooks { verify: Some(verify_dynamic_memory) }
    }
}
