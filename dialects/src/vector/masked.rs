//! Operations under a mask, and code of one lane.

use gpuc_ir::op;
use gpuc_ir::op::{RegionBranch, RegionEdge, RegionPoint, attrs, types};
use gpuc_ir::text::{Argument, Delimiter, OpParser, OpPrinter, ParseResult, PrintRegion};
use gpuc_ir::{Builder, Ir, Location, Op, OpState, OpView, Type, TypeKind};

use super::contract::ContractionOp;
use super::mask::MASK;
use super::masked_access::GatherOp;
use super::transfer::{TransferReadOp, TransferWriteOp};
use super::{MultiDimReductionOp, OuterProductOp, ReductionOp};
use attrs::I64;
use types::{ANY, INDEX};

op! {
    /// Ends a region of the dialect with the values that its operation gives.
    YieldOp = "vector.yield" {
        operands { operands: Variadic ANY }
        traits PURE, TERMINATOR, RETURN_LIKE
        format "attr-dict ($operands^ `:` type($operands))?"
    }
}

op! {
    /// One operation on the elements that the mask selects; where it is not set, results are those of `passthru`, or
    /// nothing in particular, and nothing is written.
    MaskOp = "vector.mask" {
        operands { mask: One MASK, passthru: Optional ANY }
        results { results: Variadic ANY }
        regions { maskRegion: SizedOne }
        traits SINGLE_BLOCK, RECURSIVE_EFFECTS
        hooks {
            parse: Some(parse_mask),
            print: Some(print_mask),
            verify_regions: Some(verify_mask),
            region_branch: Some(RegionBranch { edges: in_and_out }),
            implicit_terminator: Some(yield_nothing),
        }
    }
}

op! {
    /// What lane 0 of a warp does for all: its arguments are those of all lanes together, and of its results each lane has
    /// its part.
    WarpExecuteOnLane0Op = "vector.warp_execute_on_lane_0" {
        operands { laneid: One INDEX, args: Variadic ANY }
        results { results: Variadic ANY }
        attrs { warp_size: Required I64 }
        regions { warpRegion: SizedOne }
        traits SINGLE_BLOCK, RECURSIVE_EFFECTS
        hooks {
            parse: Some(parse_warp),
            print: Some(print_warp),
            verify_regions: Some(verify_warp),
            region_branch: Some(RegionBranch { edges: in_and_out }),
            implicit_terminator: Some(yield_nothing),
        }
    }
}

fn yield_nothing(b: &mut Builder<'_>) -> Op {
    YieldOp::new(b, &[]).build(b)
}

/// Values are handed over by no operand alone: their types differ, as a lane has a part of each.
fn in_and_out(_: &Ir, _: Op, from: RegionPoint) -> Vec<RegionEdge> {
    let to = match from {
        RegionPoint::Parent => RegionPoint::Region(0),
        RegionPoint::Region(_) => RegionPoint::Parent,
    };
    vec![RegionEdge { to, values: Default::default(), receivers: Default::default() }]
}

fn last(ir: &Ir, op: Op) -> Option<Op> {
    ir.blocks(ir.region(op, 0)).first().and_then(|&block| ir.last_op(block))
}

fn parse_mask(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let mask = p.parse_operand()?;
    let passthru = if p.eat(",") { Some((p.here(), p.parse_operand()?)) } else { None };
    let region = p.parse_region_as_written(&[])?;
    // What is masked stands alone, and its results are yielded without saying.
    if let [block] = *p.ir.blocks(region)
        && let Some(end) = p.ir.last_op(block)
        && !YieldOp::is(p.ir, end)
    {
        let (values, location) = (p.ir.results(end).to_vec(), p.ir.location(end));
        let b = &mut Builder::at_end(p.ir, block, location);
        YieldOp::new(b, &values).build(b);
    }
    p.add_implicit_terminator(region);
    state.regions.push(region);
    p.parse_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    let mask = p.resolve(mask, ty)?;
    state.operands.push(mask);
    state.results.extend(p.parse_optional_arrow_type_list()?);
    if let Some((at, passthru)) = passthru {
        let Some(&ty) = state.results.first() else {
            return p.error(at, "expects a result if passthru operand is provided");
        };
        let passthru = p.resolve(passthru, ty)?;
        state.operands.push(passthru);
    }
    Ok(())
}

fn print_mask(p: &mut OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    p.write(" ");
    p.operands(ir.operands(op));
    p.write(" { ");
    let block = ir.blocks(MaskOp(op).maskRegion(ir)).first();
    if let Some(first) = block.and_then(|&block| ir.first_op(block)) {
        p.custom_or_generic(first);
    }
    p.write(" }");
    p.attr_dict(op, &[]);
    p.write(" : ");
    p.ty(ir.ty(MaskOp(op).mask(ir)));
    if !ir.results(op).is_empty() {
        p.write(" -> ");
        p.types(ir.result_types(op));
    }
}

/// The extents of the mask for an operation that may be masked, and which of them are scalable; `Err` for those that may
/// not. Nothing is said where they do not follow from one operand.
fn mask_extents(ir: &Ir, op: Op) -> Result<Option<Vec<(i64, bool)>>, ()> {
    let of = |ty: Type| match ir.ctx.type_kind(ty) {
        TypeKind::Vector { shape, scalable, .. } => {
            shape.iter().copied().zip(scalable.iter().copied()).collect()
        }
        _ => Vec::new(),
    };
    if ReductionOp::is(ir, op) || MultiDimReductionOp::is(ir, op) {
        return Ok(Some(of(ir.ty(ir.operand(op, 0)))));
    }
    if GatherOp::is(ir, op) || OuterProductOp::is(ir, op) {
        return Ok(Some(of(ir.ty(ir.result(op, 0)))));
    }
    let others = [TransferReadOp::is, TransferWriteOp::is, ContractionOp::is];
    if others.iter().any(|is| is(ir, op)) { Ok(None) } else { Err(()) }
}

fn verify_mask(ir: &Ir, op: Op) -> Result<(), String> {
    let view = MaskOp(op);
    let block = ir.blocks(view.maskRegion(ir)).first();
    let inside: Vec<Op> = block.map_or(Vec::new(), |&block| ir.ops(block).collect());
    if inside.len() > 2 {
        return Err("expects only one operation to mask".into());
    }
    let Some(end) = inside.last().copied().filter(|&end| YieldOp::is(ir, end)) else {
        return Err("expects a terminator within the mask region".into());
    };
    if ir.operand_count(end) != ir.results(op).len() {
        return Err("expects number of results to match mask region yielded values".into());
    }
    let &[masked, _] = &inside[..] else { return Ok(()) };
    // Others are under a mask for what folding makes of it; upstream says nothing about them.
    let Ok(extents) = mask_extents(ir, masked) else { return Ok(()) };
    let results = ir.results(op);
    if results.len() != ir.results(masked).len() {
        return Err(
            "expects number of results to match maskable operation number of results".into()
        );
    }
    if !ir.result_types(op).eq(ir.result_types(masked)) {
        return Err("expects result type to match maskable operation result type".into());
    }
    let TypeKind::Vector { shape, scalable, .. } = ir.ctx.type_kind(ir.ty(view.mask(ir))) else {
        return Ok(());
    };
    if let Some(extents) = extents
        && !shape
            .iter()
            .zip(scalable)
            .eq(extents.iter().map(|(extent, scalable)| (extent, scalable)))
    {
        let extent = |&(extent, scalable): &(i64, bool)| match scalable {
            true => format!("[{extent}]x"),
            false => format!("{extent}x"),
        };
        let expected: String = extents.iter().map(extent).collect();
        return Err(format!("expects a 'vector<{expected}i1>' mask for the maskable operation"));
    }
    match (view.passthru(ir), results) {
        (Some(_), []) => Err("expects result when passthru argument is provided".into()),
        (Some(value), &[result]) if ir.ty(value) != ir.ty(result) => {
            Err("expects passthru type to match result type".into())
        }
        _ => Ok(()),
    }
}

fn parse_warp(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    p.expect("(")?;
    let lane = p.parse_operand()?;
    p.expect(")")?;
    p.expect("[")?;
    let size = p.integer()?;
    p.expect("]")?;
    let index = p.ir.ctx.index();
    let lane = p.resolve(lane, index)?;
    state.operands.push(lane);
    let size = p.ir.ctx.i64_attr(size);
    state.attrs.push((p.ir.ctx.ident("warp_size"), size));
    if p.optional_keyword("args") {
        p.expect("(")?;
        let arguments = p.parse_operand_list(Delimiter::None)?;
        let types = p.parse_colon_type_list()?;
        p.expect(")")?;
        let at = p.here();
        if arguments.len() != types.len() {
            let (given, typed) = (arguments.len(), types.len());
            return p.error(at, format!("{given} operands present, but expected {typed}"));
        }
        for (argument, ty) in arguments.into_iter().zip(types) {
            let argument = p.resolve(argument, ty)?;
            state.operands.push(argument);
        }
    }
    state.results.extend(p.parse_optional_arrow_type_list()?);
    let none: [Argument; 0] = [];
    let region = p.parse_region(&none)?;
    if p.ir.blocks(region).is_empty() {
        let block = p.ir.create_block(&[], Location::UNKNOWN);
        p.ir.append_block(region, block);
    }
    state.regions.push(region);
    p.parse_attr_dict(state)
}

fn print_warp(p: &mut OpPrinter<'_, '_>, op: Op) {
    let (ir, view) = (p.ir, WarpExecuteOnLane0Op(op));
    p.write("(");
    p.operand(view.laneid(ir));
    p.write(")[");
    p.number(view.warp_size(ir).and_then(|size| ir.ctx.i64_value(size)).unwrap_or_default());
    p.write("]");
    let arguments = view.args(ir);
    if !arguments.is_empty() {
        p.write(" args(");
        p.operands(arguments.iter().copied());
        p.write(" : ");
        p.types(arguments.iter().map(|&value| ir.ty(value)));
        p.write(")");
    }
    if !ir.results(op).is_empty() {
        p.write(" -> (");
        p.types(ir.result_types(op));
        p.write(")");
    }
    p.write(" ");
    let shown = PrintRegion { entry_args: true, terminators: !ir.results(op).is_empty() };
    p.region(view.warpRegion(ir), shown);
    p.attr_dict(op, &["warp_size"]);
}

/// Whether a lane's part of a value can be of type `part` where all lanes' together is of type `whole`.
fn verify_distributed(ir: &Ir, whole: Type, part: Type, size: i64) -> Result<(), String> {
    if whole == part {
        return Ok(());
    }
    let (Some(all), Some(own)) = (ir.ctx.shape(whole), ir.ctx.shape(part)) else {
        return Err("expected vector type for distributed operands.".into());
    };
    if !ir.ctx.is_vector(whole) || !ir.ctx.is_vector(part) {
        return Err("expected vector type for distributed operands.".into());
    }
    if all.len() != own.len() || ir.ctx.element(whole) != ir.ctx.element(part) {
        return Err("expected distributed vectors to have same rank and element type.".into());
    }
    let mut lanes = 1i64;
    for (i, (&all, &own)) in all.iter().zip(own).enumerate() {
        if all == own {
            continue;
        }
        if own == 0 || all % own != 0 {
            return Err(format!(
                "expected expanded vector dimension #{i} ({all}) to be a multipler of the \
                 distributed vector dimension ({own})"
            ));
        }
        lanes = lanes.saturating_mul(all / own);
    }
    if lanes == size {
        return Ok(());
    }
    Err(format!(
        "incompatible distribution dimensions from '{}' to '{}' with warp size = {size}",
        ir.type_text(whole),
        ir.type_text(part)
    ))
}

fn verify_warp(ir: &Ir, op: Op) -> Result<(), String> {
    let view = WarpExecuteOnLane0Op(op);
    let size = view.warp_size(ir).and_then(|size| ir.ctx.i64_value(size)).unwrap_or_default();
    let block = ir.blocks(view.warpRegion(ir)).first();
    let inner = block.map_or(&[][..], |&block| ir.arguments(block));
    let arguments = view.args(ir);
    if inner.len() != arguments.len() {
        return Err("expected same number op arguments and block arguments.".into());
    }
    let Some(end) = last(ir, op).filter(|&end| YieldOp::is(ir, end)) else {
        return Err("expects body to terminate with 'vector.yield'".into());
    };
    if ir.operand_count(end) != ir.results(op).len() {
        return Err("expected same number of yield operands and return values.".into());
    }
    for (&whole, &part) in inner.iter().zip(arguments.iter()) {
        verify_distributed(ir, ir.ty(whole), ir.ty(part), size)?;
    }
    for (whole, &part) in ir.operands(end).zip(ir.results(op)) {
        verify_distributed(ir, ir.ty(whole), ir.ty(part), size)?;
    }
    Ok(())
}
