//! Verification of kernels, launches and what threads do together.

use gpuc_ir::op::Traits;
use gpuc_ir::symbols::SymbolTableCollection;
use gpuc_ir::{AttrKind, DYNAMIC, Ir, Op, OpView, TypeKind, Value};

use super::attributes::{ADDRESS_SPACES, ALL_REDUCE_OPERATIONS};
use super::collective::{AllReduceOp, SubgroupReduceOp, YieldOp};
use super::function::{GPUFuncOp, ReturnOp};
use super::launch::{LaunchFuncOp, LaunchOp, TerminatorOp};
use super::memory::{AllocOp, DynamicSharedMemoryOp, MemcpyOp, MemsetOp};
use super::module::GPUModuleOp;
use crate::memref::{compatible_shapes, verify_allocation};
use crate::ptx::PtxModuleOp;

/// Checks buffers that a body has for memory of the block or the thread.
fn verify_buffers(ir: &Ir, buffers: &[Value], space: &str) -> Result<(), String> {
    for &buffer in buffers {
        let ty = ir.ty(buffer);
        if !ir.ctx.is_memref(ty) {
            return Err("expected memref type in attribution".into());
        }
        // Spaces of other dialects are taken as meant.
        let named = ir.ctx.memory_space(ty).flatten();
        let named = named.and_then(|attr| ADDRESS_SPACES.number(&ir.ctx, attr));
        if named.is_some_and(|number| ADDRESS_SPACES.keywords(number) != space) {
            return Err(format!("expected memory space {space} in attribution"));
        }
    }
    Ok(())
}

pub(super) fn verify_func(ir: &Ir, op: Op) -> Result<(), String> {
    let view = GPUFuncOp(op);
    if ir.symbol_name(op).is_none() {
        return Err("requires string attribute 'sym_name'".into());
    }
    let (inputs, results) = view.signature(ir);
    if view.is_kernel(ir) && !results.is_empty() {
        return Err("expected void return type for kernel function".into());
    }
    let Some(entry) = ir.entry_block(view.body(ir)) else {
        return Err("expected body with at least one block".into());
    };
    let arguments = ir.arguments(entry);
    let least = inputs.len() + view.workgroup_attributions(ir);
    if arguments.len() < least {
        return Err(format!("expected at least {least} arguments to body region"));
    }
    for (i, (&argument, &expected)) in arguments.iter().zip(inputs).enumerate() {
        if ir.ty(argument) != expected {
            return Err(format!(
                "expected body region argument #{i} to be of type '{}', got '{}'",
                ir.type_text(expected),
                ir.type_text(ir.ty(argument))
            ));
        }
    }
    verify_buffers(ir, view.workgroup_buffers(ir), "workgroup")?;
    verify_buffers(ir, view.private_buffers(ir), "private")
}

pub(super) fn verify_return(ir: &Ir, op: Op) -> Result<(), String> {
    let Some(function) = ir.parent_op(op).and_then(|op| GPUFuncOp::cast(ir, op)) else {
        return Ok(());
    };
    let (_, results) = function.signature(ir);
    let operands = ReturnOp(op).operands(ir);
    if operands.len() != results.len() {
        return Err(format!("expected {} result operands", results.len()));
    }
    for (i, (&operand, &expected)) in operands.iter().zip(results).enumerate() {
        if ir.ty(operand) != expected {
            return Err(format!(
                "unexpected type `'{}'' for operand #{i}",
                ir.type_text(ir.ty(operand))
            ));
        }
    }
    Ok(())
}

pub(super) fn verify_launch(ir: &Ir, op: Op) -> Result<(), String> {
    let view = LaunchOp(op);
    let cluster = [view.clusterSizeX(ir), view.clusterSizeY(ir), view.clusterSizeZ(ir)];
    let given = cluster.iter().flatten().count();
    if given != 0 && given != 3 {
        return Err("cluster size must be all present".into());
    }
    if ir.blocks(view.body(ir)).is_empty() {
        return Err("expected body with at least one block".into());
    }
    let arguments = view.arguments(ir);
    let positions = view.position_count(ir);
    let buffers = ir
        .attr(op, LaunchOp::WORKGROUP_ATTRIBUTIONS)
        .and_then(|attr| ir.ctx.i64_value(attr))
        .map_or(0, |count| count.max(0) as usize);
    if arguments.len() < positions.saturating_add(buffers) {
        return Err("unexpected number of region arguments".into());
    }
    if arguments[..positions].iter().any(|&argument| !ir.ctx.is_index(ir.ty(argument))) {
        return Err("expected positions and extents of type 'index' among region arguments".into());
    }
    verify_buffers(ir, view.workgroup_buffers(ir), "workgroup")?;
    verify_buffers(ir, view.private_buffers(ir), "private")
}

pub(super) fn verify_launch_body(ir: &Ir, op: Op) -> Result<(), String> {
    let view = LaunchOp(op);
    for &block in ir.blocks(view.body(ir)) {
        let ends = ir
            .last_op(block)
            .is_some_and(|end| !ir.successors(end).is_empty() || TerminatorOp::is(ir, end));
        if !ends {
            return Err("expected 'gpu.terminator' or a terminator with successors".into());
        }
    }
    Ok(())
}

pub(super) fn verify_launch_func(ir: &Ir, op: Op) -> Result<(), String> {
    let view = LaunchFuncOp(op);
    let sizes = [
        view.gridSizeX(ir),
        view.gridSizeY(ir),
        view.gridSizeZ(ir),
        view.blockSizeX(ir),
        view.blockSizeY(ir),
        view.blockSizeZ(ir),
    ];
    let cluster = [view.clusterSizeX(ir), view.clusterSizeY(ir), view.clusterSizeZ(ir)];
    let given = cluster.iter().flatten().count();
    if given != 0 && given != 3 {
        return Err("expects types of the cluster dimensions must be the same".into());
    }
    let ty = ir.ty(sizes[0]);
    if sizes.iter().chain(cluster.iter().flatten()).any(|&size| ir.ty(size) != ty) {
        return Err(
            "failed to verify that all of {gridSizeX, gridSizeY, gridSizeZ, blockSizeX, blockSizeY, \
             blockSizeZ} have same type"
                .into(),
        );
    }
    let module = ir.ancestors(op).find(|&around| ir.has_trait(around, Traits::SYMBOL_TABLE));
    if module.is_some_and(|module| ir.attr(module, "gpu.container_module").is_none()) {
        return Err(
            "expected the closest surrounding module to have the 'gpu.container_module' attribute"
                .into(),
        );
    }
    Ok(())
}

pub(super) fn verify_kernel_reference(
    ir: &Ir,
    symbols: &mut SymbolTableCollection,
    op: Op,
) -> Result<(), String> {
    let view = LaunchFuncOp(op);
    let Some(reference) = view.kernel(ir) else { return Ok(()) };
    let AttrKind::Symbol { root, nested } = ir.ctx.attr_kind(reference) else { return Ok(()) };
    let name = ir.ctx.str(*root);
    let container =
        ir.nearest_symbol_table(op).and_then(|table| symbols.symbol_in(ir, table, *root));
    let Some(container) = container else {
        return Err(format!("kernel container '{name}' is undefined"));
    };
    // Behind instruction selection the kernels are in a `ptx.module` of the same name.
    let selected = PtxModuleOp::is(ir, container);
    if !selected && !GPUModuleOp::is(ir, container) {
        return Err(format!("kernel module '{name}' is undefined"));
    }
    let kernel = match **nested {
        [function] => symbols.symbol_in(ir, container, function),
        _ => None,
    };
    let Some(kernel) = kernel else {
        return Err(format!("kernel function '{}' is undefined", ir.attr_text(reference)));
    };
    if selected {
        return Ok(());
    }
    if ir.attr(kernel, GPUFuncOp::KERNEL).is_none() {
        return Err("kernel function is missing the 'gpu.kernel' attribute".into());
    }
    let Some(function) = GPUFuncOp::cast(ir, kernel) else { return Ok(()) };
    let (inputs, _) = function.signature(ir);
    let operands = view.kernelOperands(ir);
    if operands.len() != inputs.len() {
        return Err(format!(
            "got {} kernel operands but expected {}",
            operands.len(),
            inputs.len()
        ));
    }
    match operands.iter().zip(inputs).position(|(&operand, &input)| ir.ty(operand) != input) {
        Some(i) => Err(format!("type of function argument {i} does not match")),
        None => Ok(()),
    }
}

/// Whether values of the type can be combined so.
fn verify_reduction(ir: &Ir, kind: &str, value: Value) -> Result<(), String> {
    let ty = ir.ty(value);
    let element = ir.ctx.element_or_self(ty);
    let fits = match kind {
        "add" | "mul" => true,
        "minnumf" | "maxnumf" | "minimumf" | "maximumf" => ir.ctx.is_float(element),
        _ => ir.ctx.is_signless_int_or_index(element),
    };
    if fits {
        return Ok(());
    }
    Err(format!("`{kind}` reduction operation is not compatible with type '{}'", ir.type_text(ty)))
}

pub(super) fn verify_all_reduce(ir: &Ir, op: Op) -> Result<(), String> {
    let view = AllReduceOp(op);
    let body = view.body(ir);
    if ir.blocks(body).is_empty() != view.op(ir).is_some() {
        return Err("expected either an op attribute or a non-empty body".into());
    }
    if let Some(attr) = view.op(ir) {
        let number = ALL_REDUCE_OPERATIONS.number(&ir.ctx, attr).unwrap_or_default();
        return verify_reduction(ir, &ALL_REDUCE_OPERATIONS.keywords(number), view.value(ir));
    }
    let ty = ir.ty(view.value(ir));
    let arguments = ir.entry_block(body).map_or(&[][..], |entry| ir.arguments(entry));
    if arguments.len() != 2 {
        return Err("expected two region arguments".into());
    }
    if arguments.iter().any(|&argument| ir.ty(argument) != ty) {
        return Err("incorrect region argument type".into());
    }
    let mut yields = 0;
    for &block in ir.blocks(body) {
        let Some(end) = ir.last_op(block).filter(|&end| YieldOp::is(ir, end)) else { continue };
        if ir.operand_count(end) != 1 {
            return Err("expected one gpu.yield operand".into());
        }
        if ir.ty(ir.operand(end, 0)) != ty {
            return Err("incorrect gpu.yield type".into());
        }
        yields += 1;
    }
    if yields == 0 {
        return Err("expected gpu.yield op in region".into());
    }
    Ok(())
}

pub(super) fn verify_subgroup_reduce(ir: &Ir, op: Op) -> Result<(), String> {
    let view = SubgroupReduceOp(op);
    let ty = ir.ty(view.value(ir));
    if matches!(ir.ctx.type_kind(ty), TypeKind::Vector { scalable, .. } if scalable.contains(&true))
    {
        return Err("is not compatible with scalable vector types".into());
    }
    let number = view.op(ir).and_then(|attr| ALL_REDUCE_OPERATIONS.number(&ir.ctx, attr));
    let kind = ALL_REDUCE_OPERATIONS.keywords(number.unwrap_or_default());
    verify_reduction(ir, &kind, view.value(ir))
}

pub(super) fn verify_alloc(ir: &Ir, op: Op) -> Result<(), String> {
    let view = AllocOp(op);
    let (sizes, symbols) = (view.dynamicSizes(ir).len(), view.symbolOperands(ir).len());
    verify_allocation(ir, view.memref(ir), sizes, symbols)
}

pub(super) fn verify_memcpy(ir: &Ir, op: Op) -> Result<(), String> {
    let view = MemcpyOp(op);
    let (dst, src) = (ir.ty(view.dst(ir)), ir.ty(view.src(ir)));
    if ir.ctx.element(dst) != ir.ctx.element(src) {
        return Err("arguments have incompatible element type".into());
    }
    if !compatible_shapes(ir.ctx.shape(dst), ir.ctx.shape(src)) {
        return Err("arguments have incompatible shape".into());
    }
    Ok(())
}

pub(super) fn verify_memset(ir: &Ir, op: Op) -> Result<(), String> {
    let view = MemsetOp(op);
    if ir.ctx.element(ir.ty(view.dst(ir))) != Some(ir.ty(view.value(ir))) {
        return Err("failed to verify that all of {dst, value} have same element type".into());
    }
    Ok(())
}

pub(super) fn verify_dynamic_memory(ir: &Ir, op: Op) -> Result<(), String> {
    let ty = ir.ty(DynamicSharedMemoryOp(op).resultMemref(ir));
    let space = ir.ctx.memory_space(ty).flatten();
    let named = space.and_then(|attr| ADDRESS_SPACES.number(&ir.ctx, attr));
    if named.map(|number| ADDRESS_SPACES.keywords(number)).as_deref() != Some("workgroup") {
        return Err("address space must be address_space<workgroup>".into());
    }
    if ir.ctx.shape(ty) != Some(&[DYNAMIC]) {
        return Err("result memref type must be memref<?xi8, #gpu.address_space<workgroup>>".into());
    }
    Ok(())
}
