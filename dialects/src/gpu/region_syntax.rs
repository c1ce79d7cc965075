//! The syntaxes of `gpu.func` and `gpu.launch`, which share buffers of block and thread.

use gpuc_ir::text::{Argument, Delimiter, OpParser, OpPrinter, ParseResult, PrintRegion};
use gpuc_ir::{Attr, Dict, Op, OpState, Value};

use super::attributes::async_token;
use super::function::GPUFuncOp;
use super::launch::LaunchOp;
use super::syntax::print_async_dependencies;
use crate::func::syntax::{dicts, parse_signature, print_signature};

type Parser<'a, 'p, 's> = &'a mut OpParser<'p, 's>;
type Printer<'a, 'p, 'o> = &'a mut OpPrinter<'p, 'o>;

/// Reads `workgroup(%a : memref<...>)` or `private(...)` if it is next.
fn parse_attributions(p: Parser<'_, '_, '_>, keyword: &str) -> ParseResult<Vec<Argument>> {
    if !p.optional_keyword(keyword) {
        return Ok(Vec::new());
    }
    p.parse_argument_list(Delimiter::Paren, true)
}

fn print_attributions(p: Printer<'_, '_, '_>, keyword: &str, values: &[Value], attrs: &[Attr]) {
    if values.is_empty() {
        return;
    }
    p.write(" ");
    p.write(keyword);
    p.write("(");
    p.list(values.iter().enumerate(), |p, (i, &value)| {
        p.operand(value);
        p.write(" : ");
        p.ty(p.ir.ty(value));
        if let Some(&attrs) = attrs.get(i) {
            p.dict_attr(attrs);
        }
    });
    p.write(")");
}

/// `@name(%a: f32) -> f32 workgroup(%w : ...) private(%p : ...) kernel attributes {...} { ... }`.
pub(super) fn parse_func(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let name = p.parse_symbol_name()?;
    let at = p.here();
    let signature = parse_signature(p)?;
    if signature.arguments.len() != signature.inputs.len() {
        return p.error(at, "gpu.func requires named arguments");
    }
    let ty = p.ir.ctx.function(&signature.inputs, &signature.results);
    let workgroup = parse_attributions(p, "workgroup")?;
    let private = parse_attributions(p, "private")?;
    let kernel = p.optional_keyword("kernel");
    p.parse_optional_attr_dict_with_keyword(state)?;
    let dictionaries =
        |arguments: &[Argument]| arguments.iter().map(|a| a.attrs).collect::<Vec<Dict>>();
    let ctx = &mut p.ir.ctx;
    let mut attrs = vec![
        ("sym_name", Some(name)),
        ("function_type", Some(ctx.type_attr(ty))),
        (GPUFuncOp::WORKGROUP_ATTRIBUTIONS, Some(ctx.i64_attr(workgroup.len() as i64))),
        (GPUFuncOp::KERNEL, kernel.then(|| ctx.unit_attr())),
    ];
    attrs.push(("arg_attrs", dicts(p, &signature.input_attrs)));
    attrs.push(("res_attrs", dicts(p, &signature.result_attrs)));
    attrs.push(("workgroup_attrib_attrs", dicts(p, &dictionaries(&workgroup))));
    attrs.push(("private_attrib_attrs", dicts(p, &dictionaries(&private))));
    for (name, attr) in attrs {
        if let Some(attr) = attr {
            state.attrs.push((p.ir.ctx.ident(name), attr));
        }
    }
    let arguments: Vec<_> =
        signature.arguments.into_iter().chain(workgroup).chain(private).collect();
    state.regions.push(p.parse_region(&arguments)?);
    Ok(())
}

pub(super) fn print_func(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, GPUFuncOp(op));
    p.write(" ");
    p.symbol_name(ir.symbol_name(op).unwrap_or_default());
    let (inputs, results) = view.signature(ir);
    print_signature(p, op, inputs, results);
    let list =
        |attr: Option<Attr>| attr.and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
    let workgroup = view.workgroup_buffers(ir);
    print_attributions(p, "workgroup", workgroup, list(view.workgroup_attrib_attrs(ir)));
    let private = view.private_buffers(ir);
    print_attributions(p, "private", private, list(view.private_attrib_attrs(ir)));
    if view.is_kernel(ir) {
        p.write(" kernel");
    }
    let elided = [
        "sym_name",
        "function_type",
        "arg_attrs",
        "res_attrs",
        "workgroup_attrib_attrs",
        "private_attrib_attrs",
        GPUFuncOp::WORKGROUP_ATTRIBUTIONS,
        GPUFuncOp::KERNEL,
    ];
    p.attr_dict_with_keyword(op, &elided);
    p.write(" ");
    p.region(view.body(ir), PrintRegion::NO_ARGS);
}

/// The positions and extents of one level of the hierarchy: `(%x, %y, %z) in (%a = %b, ...)`.
struct ProcessorIds {
    ids: Vec<Argument>,
    extents: Vec<Argument>,
}

fn parse_level(
    p: Parser<'_, '_, '_>,
    keyword: &str,
    operands: &mut Vec<Value>,
) -> ParseResult<ProcessorIds> {
    p.keyword(keyword)?;
    let index = p.ir.ctx.index();
    let at = p.here();
    let mut ids = p.parse_argument_list(Delimiter::Paren, false)?;
    p.keyword("in")?;
    let sizes = p.parse_assignment_list()?;
    if ids.len() != 3 || sizes.len() != 3 {
        return p.error(at, "expected three positions and three sizes");
    }
    for id in &mut ids {
        id.ty = Some(index);
    }
    let mut extents = Vec::new();
    for (mut extent, size) in sizes {
        operands.push(p.resolve(size, index)?);
        extent.ty = Some(index);
        extents.push(extent);
    }
    Ok(ProcessorIds { ids, extents })
}

/// `async [%t] clusters(...) in (...) blocks(...) in (...) threads(...) in (...)
/// dynamic_shared_memory_size %n workgroup(...) private(...) { ... }`.
pub(super) fn parse_launch(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let token = async_token(&mut p.ir.ctx);
    if p.optional_keyword("async") {
        if p.result_count() == 0 {
            return p.error(p.name_position(), "needs to be named when marked 'async'");
        }
        state.results.push(token);
    }
    let dependencies = p.parse_operand_list(Delimiter::OptionalSquare)?;
    p.resolve_same(&dependencies, token, &mut state.operands)?;
    let (mut cluster_sizes, mut sizes) = (Vec::new(), Vec::new());
    let clusters = match p.peek_keyword() {
        Some("clusters") => Some(parse_level(p, "clusters", &mut cluster_sizes)?),
        _ => None,
    };
    let blocks = parse_level(p, "blocks", &mut sizes)?;
    let threads = parse_level(p, "threads", &mut sizes)?;
    state.operands.extend(sizes);
    state.operands.extend(cluster_sizes);
    let dynamic = p.optional_keyword("dynamic_shared_memory_size");
    if dynamic {
        let size = p.parse_operand()?;
        let i32 = p.ir.ctx.i32();
        state.operands.push(p.resolve(size, i32)?);
    }
    let cluster = i32::from(clusters.is_some());
    let segments = [
        dependencies.len() as i32,
        1,
        1,
        1,
        1,
        1,
        1,
        cluster,
        cluster,
        cluster,
        i32::from(dynamic),
    ];
    p.set_operand_segments(state, &segments);
    let workgroup = parse_attributions(p, "workgroup")?;
    let private = parse_attributions(p, "private")?;
    let count = p.ir.ctx.i64_attr(workgroup.len() as i64);
    state.attrs.push((p.ir.ctx.ident(LaunchOp::WORKGROUP_ATTRIBUTIONS), count));
    let mut arguments = Vec::new();
    arguments.extend(blocks.ids);
    arguments.extend(threads.ids);
    arguments.extend(blocks.extents);
    arguments.extend(threads.extents);
    if let Some(clusters) = clusters {
        arguments.extend(clusters.ids);
        arguments.extend(clusters.extents);
    }
    arguments.extend(workgroup);
    arguments.extend(private);
    state.regions.push(p.parse_region(&arguments)?);
    p.parse_attr_dict(state)
}

fn print_level(
    p: Printer<'_, '_, '_>,
    keyword: &str,
    ids: &[Value],
    extents: &[Value],
    sizes: &[Value],
) {
    p.write(" ");
    p.write(keyword);
    p.write("(");
    p.operands(ids.iter().copied());
    p.write(") in (");
    p.list(extents.iter().zip(sizes), |p, (&extent, &size)| {
        p.operand(extent);
        p.write(" = ");
        p.operand(size);
    });
    p.write(")");
}

pub(super) fn print_launch(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, LaunchOp(op));
    let asynchronous = view.asyncToken(ir).is_some();
    if asynchronous || !view.asyncDependencies(ir).is_empty() {
        p.write(" ");
        print_async_dependencies(p, op);
    }
    let arguments = view.arguments(ir);
    let part = |start: usize| arguments.get(start..start + 3).unwrap_or_default();
    if let Some(sizes) = view.cluster_sizes(ir) {
        print_level(p, "clusters", part(12), part(15), &sizes);
    }
    print_level(p, "blocks", part(0), part(6), &view.grid_sizes(ir));
    print_level(p, "threads", part(3), part(9), &view.block_sizes(ir));
    if let Some(size) = view.dynamicSharedMemorySize(ir) {
        p.write(" dynamic_shared_memory_size ");
        p.operand(size);
    }
    print_attributions(p, "workgroup", view.workgroup_buffers(ir), &[]);
    print_attributions(p, "private", view.private_buffers(ir), &[]);
    p.write(" ");
    p.region(view.body(ir), PrintRegion::NO_ARGS);
    p.attr_dict(op, &["operandSegmentSizes", LaunchOp::WORKGROUP_ATTRIBUTIONS]);
}
