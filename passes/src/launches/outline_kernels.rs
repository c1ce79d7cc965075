//! `gpu-kernel-outlining`: the bodies of launches become kernels.
//!
//! Needs a module. Each `gpu.launch` becomes a `gpu.func` in a `gpu.module` of its own behind the function that it
//! stands in, both named after that function, and a `gpu.launch_func`. What the body uses from around it is an argument
//! of the kernel; functions and constant globals that it names are copied beside it. Sizes that are constants are said at
//! the kernel. After MLIR's pass of the same name, which copies variables too: two copies of one variable are not one,
//! and are refused here.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::builtin::ModuleOp;
use gpuc_dialects::gpu::{self, GPUFuncOp, GPUModuleOp, LaunchFuncOp, LaunchOp};
use gpuc_dialects::memref::GlobalOp;
use gpuc_dialects::{arith, func};
use gpuc_ir::attrs::AttrKind;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{
    Attr, Builder, InsertPoint, Ir, Op, OpBuild, OpView, Type, Value, ValueMap, WalkOrder,
};
use indexmap::IndexSet;

use crate::analysis::slice::is_defined_inside;

gpuc_ir::pass! {
    /// Make kernels of the bodies of launches.
    GpuKernelOutlining = "gpu-kernel-outlining" on "builtin.module" {}
}

impl Pass for GpuKernelOutlining {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        if !ModuleOp::is(ir, module) {
            return Ok(());
        }
        let functions: Vec<Op> = ir
            .ops(ir.body(module, 0))
            .filter(|&op| ir.symbol_name(op).is_some() && !GPUModuleOp::is(ir, op))
            .collect();
        let mut made = false;
        for function in functions {
            let mut behind = function;
            for op in ir.nested_ops(function, WalkOrder::PostOrder) {
                if LaunchOp::is(ir, op) {
                    behind = outline(ir, module, op, behind)?;
                    made = true;
                }
            }
        }
        if made {
            let unit = ir.ctx.unit_attr();
            ir.set_attr(module, "gpu.container_module", unit);
        }
        Ok(())
    }
}

/// Makes a kernel of a launch, in a module behind `behind`; that module.
///
/// # Errors
/// The body names a variable of the module.
pub fn outline(ir: &mut Ir, module: Op, launch: Op, behind: Op) -> Result<Op, Diagnostic> {
    let view = LaunchOp(launch);
    let around = ir.ancestors(launch).find_map(|op| ir.symbol_name(op)).unwrap_or("launch");
    let name = format!("{around}_kernel");
    let mut used: IndexSet<Value> = IndexSet::new();
    for inner in ir.nested_ops(launch, WalkOrder::PostOrder) {
        if inner != launch {
            used.extend(ir.operands(inner).filter(|&value| !is_defined_inside(ir, value, launch)));
        }
    }
    let named = symbols(ir, module, launch)?;
    let location = ir.location(launch);
    let unique = unused(ir, module, &name);
    let mut b = Builder::new(ir, InsertPoint::After(behind), location);
    let kernels = GPUModuleOp::create(&mut b, &unique);
    let point = kernels.end_of_body(ir);
    let mut b = Builder::new(ir, point, location);
    let kernel = create_kernel(&mut b, view, &name, &used);
    for op in named {
        let copy = b.clone_op(op, &mut ValueMap::new());
        b.insert(copy);
    }
    let operands: Vec<Value> = used.into_iter().collect();
    replace(ir, view, (&unique, &name), &operands);
    debug_assert!(kernel.is_kernel(ir));
    Ok(kernels.op())
}

/// A name that no symbol of the module has.
fn unused(ir: &mut Ir, module: Op, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    let mut number = 0;
    loop {
        let ident = ir.ctx.ident(&name);
        if ir.symbol_in(module, ident).is_none() {
            return name;
        }
        name = format!("{wanted}_{number}");
        number += 1;
    }
}

/// The functions and constants of the module that a launch names, and those that they name.
fn symbols(ir: &Ir, module: Op, launch: Op) -> Result<IndexSet<Op>, Diagnostic> {
    let mut found: IndexSet<Op> = IndexSet::new();
    let mut next = 0;
    let mut user = Some(launch);
    while let Some(at) = user {
        for (place, symbol) in ir.symbol_uses(at) {
            let AttrKind::Symbol { root, .. } = *ir.ctx.attr_kind(symbol) else { continue };
            let Some(op) = ir.symbol_in(module, root) else { continue };
            let is_constant = ir.attr(op, "constant").is_some() && GlobalOp::is(ir, op);
            if !is_constant && !func::FuncOp::is(ir, op) {
                let text = format!(
                    "a kernel cannot share '{}' with the module: only functions and constants are copied to it",
                    ir.symbol_name(op).unwrap_or_default()
                );
                return Err(Diagnostic::error(text).at_option(ir.ctx.place(ir.location(place))));
            }
            found.insert(op);
        }
        user = found.get_index(next).copied();
        next += 1;
    }
    Ok(found)
}

/// Three sizes as an attribute, where they are constants.
fn constant_sizes(b: &mut Builder<'_>, sizes: [Value; 3]) -> Option<Attr> {
    let mut numbers = [0i32; 3];
    for (number, value) in numbers.iter_mut().zip(sizes) {
        *number = i32::try_from(arith::constant_index_value(b, value)?).ok()?;
    }
    Some(b.ctx.i32_array_attr(&numbers))
}

fn create_kernel(
    b: &mut Builder<'_>,
    view: LaunchOp,
    name: &str,
    used: &IndexSet<Value>,
) -> GPUFuncOp {
    let types = |b: &Builder<'_>, values: &[Value]| -> Vec<Type> {
        values.iter().map(|&value| b.ty(value)).collect()
    };
    let buffers = [view.workgroup_buffers(b).to_vec(), view.private_buffers(b).to_vec()];
    let given: Vec<Value> = used.iter().copied().collect();
    let (inputs, workgroup, private) =
        (types(b, &given), types(b, &buffers[0]), types(b, &buffers[1]));
    let has_clusters = view.cluster_sizes(b).is_some();
    let body = view.body(b);
    let mut map = ValueMap::new();
    // What stands for each argument of the launch's region, in order.
    let mut inside: Vec<Value> = Vec::new();
    let kernel =
        GPUFuncOp::create_kernel(b, name, &inputs, &workgroup, &private, |b, arguments| {
            let (own, memory) = arguments.split_at(given.len());
            for (&from, &to) in given.iter().zip(own) {
                map.insert(from, to);
            }
            inside = ids(b, has_clusters);
            inside.extend(memory);
        });
    // Blocks are copied behind the entry block, and the first of them is joined to it.
    let region = kernel.body(b);
    b.clone_region_into(body, region, &mut map);
    let blocks = b.blocks(region).to_vec();
    for (from, to) in b.arguments(blocks[1]).to_vec().into_iter().zip(inside) {
        b.replace_all_uses(from, to);
    }
    b.splice_ops(blocks[1], blocks[0]);
    b.erase_block(blocks[1]);
    for block in b.blocks(region).to_vec() {
        if let Some(end) = b.last_op(block).filter(|&end| gpu::TerminatorOp::is(b, end)) {
            let location = b.location(end);
            gpu::ReturnOp::new(b, &[]).build(&mut Builder::new(
                b,
                InsertPoint::Before(end),
                location,
            ));
            b.erase_op(end);
        }
    }
    let sizes =
        [("known_block_size", view.block_sizes(b)), ("known_grid_size", view.grid_sizes(b))];
    for (attr_name, sizes) in sizes {
        if let Some(sizes) = constant_sizes(b, sizes) {
            b.set_attr(kernel.op(), attr_name, sizes);
        }
    }
    kernel
}

/// Builds what the arguments of a launch's region are in a kernel.
fn ids(b: &mut Builder<'_>, has_clusters: bool) -> Vec<Value> {
    type New = fn(&mut Ir) -> OpBuild;
    let all: [New; 6] = [
        |ir| gpu::BlockIdOp::new(ir),
        |ir| gpu::ThreadIdOp::new(ir),
        |ir| gpu::GridDimOp::new(ir),
        |ir| gpu::BlockDimOp::new(ir),
        |ir| gpu::ClusterIdOp::new(ir),
        |ir| gpu::ClusterDimOp::new(ir),
    ];
    let kinds = if has_clusters { &all[..] } else { &all[..4] };
    let mut values = Vec::new();
    for new in kinds {
        for dimension in 0..3 {
            let dimension = gpu::DIMENSIONS.attr(&mut b.ctx, dimension);
            values.push(new(b).attr(b, "dimension", dimension).value(b));
        }
    }
    values
}

/// Replaces a launch by the launch of a kernel.
fn replace(ir: &mut Ir, view: LaunchOp, kernel: (&str, &str), operands: &[Value]) {
    let launch = view.op();
    let dependencies = view.asyncDependencies(ir).to_vec();
    let ([gx, gy, gz], [bx, by, bz]) = (view.grid_sizes(ir), view.block_sizes(ir));
    let clusters = view.cluster_sizes(ir);
    let dynamic = view.dynamicSharedMemorySize(ir);
    let tokens: Vec<Type> = ir.result_types(launch).collect();
    let mut b = Builder::before(ir, launch);
    let symbol = b.ctx.nested_symbol_attr(kernel.0, &[kernel.1]);
    let [cx, cy, cz] = [0, 1, 2].map(|d: usize| clusters.map(|sizes| sizes[d]));
    let new = LaunchFuncOp::new(
        &mut b,
        &dependencies,
        gx,
        gy,
        gz,
        bx,
        by,
        bz,
        cx,
        cy,
        cz,
        dynamic,
        operands,
        None,
    )
    .attr(&mut b, "kernel", symbol)
    .result_group(&tokens)
    .build(&mut b);
    let results = ir.results(new).to_vec();
    ir.replace_op(launch, &results);
}
