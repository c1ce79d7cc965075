//! `gpu.func`.

use gpuc_ir::op;
use gpuc_ir::op::{AttrConstraint, FunctionInterface, attrs, types};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value};

use super::module::GPUModuleOp;
use super::region_syntax::{parse_func, print_func};
use super::verify::{verify_func, verify_return};
use attrs::{ARRAY, DICT_ARRAY, FUNCTION_TYPE, I32_ARRAY};
use types::ANY;

/// Extents in x, y and z.
static THREE_SIZES: AttrConstraint = AttrConstraint {
    summary: "i32 dense array attribute with 3 elements (if present)",
    holds: |ctx, attr| {
        (I32_ARRAY.holds)(ctx, attr) && ctx.dense_array(attr).is_some_and(|sizes| sizes.len() == 3)
    },
    syntax: I32_ARRAY.syntax,
};

/// Checks what functions outside of `gpu` say of the launches that they are for.
pub(crate) fn verify_known_sizes(ir: &Ir, op: Op) -> Result<(), String> {
    for name in ["gpu.known_block_size", "gpu.known_grid_size"] {
        let Some(attr) = ir.attr(op, name) else { continue };
        if !(I32_ARRAY.holds)(&ir.ctx, attr) {
            return Err(format!("{name} must be a dense i32 array"));
        }
        if ir.ctx.dense_array(attr).is_none_or(|sizes| sizes.len() != 3) {
            return Err(format!("{name} must contain exactly 3 elements"));
        }
    }
    Ok(())
}

op! {
    /// A function of a `gpu.module`; with the attribute `gpu.kernel` it can be launched. Behind the
    /// function's own arguments its entry block has one for every buffer in memory of the block
    /// (their number is the attribute `workgroup_attributions`), then one for every buffer in
    /// memory of the thread.
    GPUFuncOp = "gpu.func" {
        attrs {
            function_type: Required FUNCTION_TYPE,
            arg_attrs: Optional DICT_ARRAY,
            res_attrs: Optional DICT_ARRAY,
            workgroup_attrib_attrs: Optional ARRAY,
            private_attrib_attrs: Optional ARRAY,
            known_block_size: Optional THREE_SIZES,
            known_grid_size: Optional THREE_SIZES,
        }
        regions { body: Any }
        traits SYMBOL, ISOLATED_FROM_ABOVE, AFFINE_SCOPE, ALLOCATION_SCOPE
        parents "gpu.module"
        hooks {
            verify: Some(verify_func),
            parse: Some(parse_func),
            print: Some(print_func),
            function: Some(FunctionInterface { type_attr: "function_type" }),
        }
    }
}

/// Whether an operation stands in a kernel.
pub fn is_in_kernel(ir: &Ir, op: Op) -> bool {
    ir.ancestors(op).any(|outer| GPUFuncOp::is(ir, outer))
}

/// Whether an operation stands in device code: in a kernel, or in a function beside kernels.
pub fn is_in_device_code(ir: &Ir, op: Op) -> bool {
    ir.ancestors(op).any(|outer| GPUModuleOp::is(ir, outer)) || is_in_kernel(ir, op)
}

impl GPUFuncOp {
    /// Name of the unit attribute that makes a function a kernel.
    pub const KERNEL: &'static str = "gpu.kernel";
    /// Name of the attribute that holds the number of buffers in memory of the block.
    pub const WORKGROUP_ATTRIBUTIONS: &'static str = "workgroup_attributions";

    /// Builds a kernel with buffers in memory of the block and of the thread. `body` receives the
    /// arguments, then the buffers, and ends the kernel with `gpu.return`.
    pub fn create_kernel(
        b: &mut Builder<'_>,
        name: &str,
        inputs: &[Type],
        workgroup: &[Type],
        private: &[Type],
        body: impl FnOnce(&mut Builder<'_>, &[Value]),
    ) -> GPUFuncOp {
        let arguments: Vec<Type> = inputs.iter().chain(workgroup).chain(private).copied().collect();
        let body = b.region(&arguments, body);
        let ty = b.ctx.function(inputs, &[]);
        let attrs = [
            ("sym_name", b.ctx.string_attr(name)),
            ("function_type", b.ctx.type_attr(ty)),
            (Self::WORKGROUP_ATTRIBUTIONS, b.ctx.i64_attr(workgroup.len() as i64)),
            (Self::KERNEL, b.ctx.unit_attr()),
        ];
        let mut build = GPUFuncOp::new(b);
        for (attr_name, attr) in attrs {
            build = build.attr(b, attr_name, attr);
        }
        GPUFuncOp(build.region(body).build(b))
    }

    /// Whether it can be launched.
    pub fn is_kernel(self, ir: &Ir) -> bool {
        ir.attr(self.0, Self::KERNEL).is_some()
    }

    /// Number of buffers in memory of the block.
    pub fn workgroup_attributions(self, ir: &Ir) -> usize {
        ir.attr(self.0, Self::WORKGROUP_ATTRIBUTIONS)
            .and_then(|attr| ir.ctx.i64_value(attr))
            .map_or(0, |n| n.max(0) as usize)
    }

    /// Types of the arguments and results; none where the attribute is wrong.
    pub fn signature(self, ir: &Ir) -> (&[Type], &[Type]) {
        let ty = self.function_type(ir).and_then(|attr| ir.ctx.type_value(attr));
        ty.and_then(|ty| ir.ctx.signature(ty)).unwrap_or((&[], &[]))
    }

    /// The function's own arguments.
    pub fn arguments(self, ir: &Ir) -> &[Value] {
        let all = self.all_arguments(ir);
        &all[..self.signature(ir).0.len().min(all.len())]
    }

    /// The entry block's arguments that are buffers in memory of the block.
    pub fn workgroup_buffers(self, ir: &Ir) -> &[Value] {
        let (start, end) = self.buffer_bounds(ir);
        &self.all_arguments(ir)[start..end]
    }

    /// The entry block's arguments that are buffers in memory of the thread.
    pub fn private_buffers(self, ir: &Ir) -> &[Value] {
        &self.all_arguments(ir)[self.buffer_bounds(ir).1..]
    }

    /// Adds a buffer in the block's shared memory, behind those that are there.
    pub fn add_workgroup_buffer(self, ir: &mut Ir, ty: Type) -> Value {
        let (entry, location) = (ir.body(self.0, 0), ir.location(self.0));
        let private = self.private_buffers(ir).to_vec();
        let first_private = ir.arguments(entry).len() - private.len();
        let count = ir.ctx.i64_attr(self.workgroup_attributions(ir) as i64 + 1);
        ir.set_attr(self.0, Self::WORKGROUP_ATTRIBUTIONS, count);
        let buffer = ir.add_argument(entry, ty, location);
        // Arguments are added at the end, where buffers of the thread stand.
        for old in private {
            let ty = ir.ty(old);
            let new = ir.add_argument(entry, ty, location);
            ir.replace_all_uses(old, new);
            ir.remove_argument(entry, first_private);
        }
        buffer
    }

    /// Takes away the buffers in the block's shared memory, which nothing uses any more.
    pub fn drop_workgroup_buffers(self, ir: &mut Ir) {
        let (start, end) = self.buffer_bounds(ir);
        let entry = ir.body(self.0, 0);
        for index in (start..end).rev() {
            ir.remove_argument(entry, index);
        }
        let none = ir.ctx.i64_attr(0);
        ir.set_attr(self.0, Self::WORKGROUP_ATTRIBUTIONS, none);
    }

    fn all_arguments(self, ir: &Ir) -> &[Value] {
        ir.entry_block(self.body(ir)).map_or(&[], |block| ir.arguments(block))
    }

    /// Where buffers of the block begin and end among the entry block's arguments.
    fn buffer_bounds(self, ir: &Ir) -> (usize, usize) {
        let count = self.all_arguments(ir).len();
        let start = self.signature(ir).0.len().min(count);
        (start, start.saturating_add(self.workgroup_attributions(ir)).min(count))
    }
}

op! {
    /// Ends a `gpu.func` with its results.
    ReturnOp = "gpu.return" {
        operands { operands: Variadic ANY }
        traits PURE, TERMINATOR, RETURN_LIKE
        parents "gpu.func"
        format "attr-dict ($operands^ `:` type($operands))?"
        hooks { verify: Some(verify_return) }
    }
}
