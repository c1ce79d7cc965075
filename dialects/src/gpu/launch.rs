//! Launches of kernels.

use gpuc_ir::op::{TypeConstraint, attrs, set_operand_group, types};
use gpuc_ir::{Builder, Ir, OpView, Value, op};

use super::attributes::ASYNC_TOKEN;
use super::region_syntax::{parse_launch, print_launch};
use super::syntax::{ASYNC_DEPENDENCIES, LAUNCH_DIM_TYPE, LAUNCH_FUNC_OPERANDS};
use super::verify::{
    verify_kernel_reference, verify_launch, verify_launch_body, verify_launch_func,
};
use attrs::SYMBOL;
use types::{ANY, I32, INDEX};

static LAUNCH_SIZE: TypeConstraint = TypeConstraint {
    summary: "index or 32-bit signless integer or 64-bit signless integer",
    holds: |ctx, ty| {
        ctx.is_index(ty) || (ctx.is_signless_int(ty) && matches!(ctx.int_width(ty), Some(32 | 64)))
    },
    build: None,
};

op! {
    /// Runs its region by every thread of the grid, which has none where an extent is not positive. The region's arguments are the position of the
    /// block, the position of the thread, the extents of grid and block (each x, y, z), those of
    /// clusters if there are any, then buffers in memory of the block (their number is the
    /// attribute `workgroup_attributions`) and of the thread.
    LaunchOp = "gpu.launch" {
        operands {
            asyncDependencies: Variadic ASYNC_TOKEN,
            gridSizeX: One INDEX,
            gridSizeY: One INDEX,
            gridSizeZ: One INDEX,
            blockSizeX: One INDEX,
            blockSizeY: One INDEX,
            blockSizeZ: One INDEX,
            clusterSizeX: Optional INDEX,
            clusterSizeY: Optional INDEX,
            clusterSizeZ: Optional INDEX,
            dynamicSharedMemorySize: Optional I32,
        }
        results { asyncToken: Optional ASYNC_TOKEN }
        regions { body: Any }
        traits ATTR_SIZED_OPERANDS, AFFINE_SCOPE, ALLOCATION_SCOPE, RECURSIVE_EFFECTS
        hooks {
 verify: Some(verify_launch), verify_regions: Some(verify_launch_body), parse: Some(parse_launch), print: Some(print_launch),
 }
    }
}

impl LaunchOp {
    /// Name of the attribute that holds the number of buffers in memory of the block.
    pub const WORKGROUP_ATTRIBUTIONS: &'static str = "workgroup_attributions";

    /// Blocks of the grid: x, y, z.
    pub fn grid_sizes(self, ir: &Ir) -> [Value; 3] {
        [self.gridSizeX(ir), self.gridSizeY(ir), self.gridSizeZ(ir)]
    }

    /// Threads of a block: x, y, z.
    pub fn block_sizes(self, ir: &Ir) -> [Value; 3] {
        [self.blockSizeX(ir), self.blockSizeY(ir), self.blockSizeZ(ir)]
    }

    /// Blocks of a cluster, if there are clusters: x, y, z.
    pub fn cluster_sizes(self, ir: &Ir) -> Option<[Value; 3]> {
        Some([self.clusterSizeX(ir)?, self.clusterSizeY(ir)?, self.clusterSizeZ(ir)?])
    }

    /// Arguments of the body.
    pub fn arguments(self, ir: &Ir) -> &[Value] {
        ir.entry_block(self.body(ir)).map_or(&[], |block| ir.arguments(block))
    }

    /// The three arguments that are the position of the thread.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn thread_ids(self, ir: &Ir) -> &[Value] {
        &self.arguments(ir)[3..6]
    }

    /// The arguments that are buffers in memory of the block.
    pub fn workgroup_buffers(self, ir: &Ir) -> &[Value] {
        let (start, end) = self.buffer_bounds(ir);
        &self.arguments(ir)[start..end]
    }

    /// The arguments that are buffers in memory of the thread.
    pub fn private_buffers(self, ir: &Ir) -> &[Value] {
        &self.arguments(ir)[self.buffer_bounds(ir).1..]
    }

    /// Number of arguments in front of the buffers.
    pub(super) fn position_count(self, ir: &Ir) -> usize {
        if self.cluster_sizes(ir).is_some() { 18 } else { 12 }
    }

    /// Where buffers of the block begin and end among the arguments.
    fn buffer_bounds(self, ir: &Ir) -> (usize, usize) {
        let count = self.arguments(ir).len();
        let start = self.position_count(ir).min(count);
        let buffers = ir
            .attr(self.0, Self::WORKGROUP_ATTRIBUTIONS)
            .and_then(|attr| ir.ctx.i64_value(attr))
            .map_or(0, |n| n.max(0) as usize);
        (start, start.saturating_add(buffers).min(count))
    }
}

op! {
    /// Launches a kernel of a `gpu.module` over a grid of blocks of threads. With a token it does
    /// not wait for the end.
    LaunchFuncOp = "gpu.launch_func" {
        operands {
            asyncDependencies: Variadic ASYNC_TOKEN,
            gridSizeX: One LAUNCH_SIZE,
            gridSizeY: One LAUNCH_SIZE,
            gridSizeZ: One LAUNCH_SIZE,
            blockSizeX: One LAUNCH_SIZE,
            blockSizeY: One LAUNCH_SIZE,
            blockSizeZ: One LAUNCH_SIZE,
            clusterSizeX: Optional LAUNCH_SIZE,
            clusterSizeY: Optional LAUNCH_SIZE,
            clusterSizeZ: Optional LAUNCH_SIZE,
            dynamicSharedMemorySize: Optional I32,
            kernelOperands: Variadic ANY,
            asyncObject: Optional ANY,
        }
        results { asyncToken: Optional ASYNC_TOKEN }
        attrs { kernel: Required SYMBOL }
        traits ATTR_SIZED_OPERANDS
        format "custom<AsyncDependencies>(type($asyncToken), $asyncDependencies) (`<` $asyncObject^ `:` type($asyncObject) `>`)? $kernel (`clusters` `in` ` ` `(` $clusterSizeX^ `,` $clusterSizeY `,` $clusterSizeZ `)`)? `blocks` `in` ` ` `(` $gridSizeX `,` $gridSizeY `,` $gridSizeZ `)` `threads` `in` ` ` `(` $blockSizeX `,` $blockSizeY `,` $blockSizeZ `)` custom<LaunchDimType>(type($gridSizeX), ref($clusterSizeX), type($clusterSizeX), type($clusterSizeY), type($clusterSizeZ)) (`dynamic_shared_memory_size` $dynamicSharedMemorySize^)? custom<LaunchFuncOperands>($kernelOperands, type($kernelOperands)) attr-dict"
        hooks { verify: Some(verify_launch_func), verify_symbols: Some(verify_kernel_reference), custom: &[ASYNC_DEPENDENCIES, LAUNCH_DIM_TYPE, LAUNCH_FUNC_OPERANDS] }
    }
}

impl LaunchFuncOp {
    /// Blocks of the grid: x, y, z.
    pub fn grid_sizes(self, ir: &Ir) -> [Value; 3] {
        [self.gridSizeX(ir), self.gridSizeY(ir), self.gridSizeZ(ir)]
    }

    /// Threads of a block: x, y, z.
    pub fn block_sizes(self, ir: &Ir) -> [Value; 3] {
        [self.blockSizeX(ir), self.blockSizeY(ir), self.blockSizeZ(ir)]
    }

    /// Says how many bytes of dynamic shared memory a block has.
    pub fn set_dynamic_shared_memory(self, ir: &mut Ir, size: Value) {
        let def = Self::def();
        let group = def.operands.iter().position(|spec| spec.name == "dynamicSharedMemorySize");
        if let Some(group) = group {
            set_operand_group(ir, self.0, def, group, &[size]);
        }
    }

    /// Builds a launch that waits for nothing and is waited for.
    pub fn create(
        b: &mut Builder<'_>,
        kernel: (&str, &str),
        grid: [Value; 3],
        block: [Value; 3],
        dynamic_shared_memory: Option<Value>,
        operands: &[Value],
    ) -> LaunchFuncOp {
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        let symbol = b.ctx.nested_symbol_attr(kernel.0, &[kernel.1]);
        let build = LaunchFuncOp::new(
            b,
            &[],
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            None,
            None,
            None,
            dynamic_shared_memory,
            operands,
            None,
        );
        LaunchFuncOp(build.attr(b, "kernel", symbol).result_group(&[]).build(b))
    }
}

op! {
    /// Ends the region of a `gpu.launch`.
    TerminatorOp = "gpu.terminator" {
        traits PURE, TERMINATOR
        parents "gpu.launch"
        format "attr-dict"
    }
}
