//! The syntax of `affine.parallel`:
//! `(%i, %j) = (0, max(%a, 1)) to (10, min(%b, %c)) step (1, 2) reduce ("addf") -> (f32) { ... }`.

use gpuc_ir::text::{Delimiter, ParseResult};
use gpuc_ir::{AffineExpr, AffineMap, Ir, Op, OpState, Value};

use super::parallel::AffineParallelOp;
use super::syntax::{Parser, Printer, body, entry_arguments};
use crate::memref::ATOMIC_RMW_KINDS;

/// Bounds of all dimensions, over operands without repetition.
#[derive(Default)]
struct Bounds {
    results: Vec<AffineExpr>,
    /// How many results each dimension has.
    groups: Vec<i64>,
    dims: Vec<Value>,
    symbols: Vec<Value>,
}

/// The position of `value` in `list`, where it is put if it is not there.
fn position_in(list: &mut Vec<Value>, value: Value) -> u32 {
    let position = list.iter().position(|&known| known == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    });
    position as u32
}

fn parse_bounds(p: Parser<'_, '_, '_>, prefix: &str) -> ParseResult<Bounds> {
    let mut bounds = Bounds::default();
    let index = p.ir.ctx.index();
    p.delimited_list(Delimiter::Paren, |p| {
        let read = if p.optional_keyword(prefix) {
            p.parse_affine_map_of_ssa_ids(Delimiter::Paren)?
        } else {
            p.parse_affine_expr_of_ssa_ids()?
        };
        let (mut dims, mut symbols) = (Vec::new(), Vec::new());
        for &operand in &read.dims {
            let value = p.resolve(operand, index)?;
            let position = position_in(&mut bounds.dims, value);
            dims.push(p.ir.ctx.dim_expr(position));
        }
        for &operand in &read.symbols {
            let value = p.resolve(operand, index)?;
            let position = position_in(&mut bounds.symbols, value);
            symbols.push(p.ir.ctx.symbol_expr(position));
        }
        let results = p.ir.ctx.map_data(read.map).results.clone();
        bounds.groups.push(results.len() as i64);
        for &result in &results {
            bounds.results.push(p.ir.ctx.replace_expr(result, &dims, &symbols));
        }
        Ok(())
    })?;
    Ok(bounds)
}

fn set_bounds(p: Parser<'_, '_, '_>, state: &mut OpState, bounds: &Bounds, which: &str) {
    let ctx = &mut p.ir.ctx;
    let map = ctx.map(bounds.dims.len() as u32, bounds.symbols.len() as u32, &bounds.results);
    let map = ctx.map_attr(map);
    state.attrs.push((ctx.ident(&format!("{which}BoundsMap")), map));
    let groups = super::parallel::groups_attr(ctx, &bounds.groups);
    state.attrs.push((ctx.ident(&format!("{which}BoundsGroups")), groups));
    state.operands.extend(bounds.dims.iter().chain(&bounds.symbols).copied());
}

pub(super) fn parse_parallel(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let index = p.ir.ctx.index();
    let mut variables = p.parse_argument_list(Delimiter::Paren, false)?;
    for variable in &mut variables {
        variable.ty = Some(index);
    }
    p.expect("=")?;
    let lower = parse_bounds(p, "max")?;
    p.keyword("to")?;
    let upper = parse_bounds(p, "min")?;
    set_bounds(p, state, &lower, "lower");
    set_bounds(p, state, &upper, "upper");
    let steps = if p.optional_keyword("step") {
        let mut steps = Vec::new();
        p.delimited_list(Delimiter::Paren, |p| {
            steps.push(p.integer()?);
            Ok(())
        })?;
        steps
    } else {
        vec![1; variables.len()]
    };
    let groups = [lower.groups.len(), upper.groups.len(), steps.len()];
    if groups.iter().any(|&count| count != variables.len()) {
        let [lower, upper, steps] = groups;
        let message = format!(
            "'affine.parallel' op the number of region arguments ({}) and the number of map groups for lower \
             ({lower}) and upper bound ({upper}), and the number of steps ({steps}) must all match",
            variables.len()
        );
        return p.error(p.name_position(), message);
    }
    let steps: Vec<_> = steps.into_iter().map(|step| p.ir.ctx.i64_attr(step)).collect();
    let steps = p.ir.ctx.array_attr(&steps);
    state.attrs.push((p.ir.ctx.ident("steps"), steps));
    let mut kinds = Vec::new();
    if p.optional_keyword("reduce") {
        p.delimited_list(Delimiter::Paren, |p| {
            let at = p.here();
            let word = p.string()?;
            match ATOMIC_RMW_KINDS.parse(&word) {
                Some(kind) => kinds.push(p.ir.ctx.i64_attr(kind)),
                None => return p.error(at, format!("invalid reduction value: \"{word}\"")),
            }
            Ok(())
        })?;
    }
    if p.at("->") {
        state.results.extend(p.parse_arrow_type_list()?);
    }
    if state.results.len() != kinds.len() {
        let message = "'affine.parallel' op a reduction must be specified for each output";
        return p.error(p.name_position(), message);
    }
    let kinds = p.ir.ctx.array_attr(&kinds);
    state.attrs.push((p.ir.ctx.ident("reductions"), kinds));
    state.regions.push(p.parse_region(&variables)?);
    p.parse_attr_dict(state)
}

fn map(ir: &Ir, op: Op, name: &str) -> Option<AffineMap> {
    ir.attr(op, name).and_then(|attr| ir.ctx.map_value(attr))
}

fn print_bounds(
    p: Printer<'_, '_, '_>,
    map: Option<AffineMap>,
    groups: &[i64],
    operands: &[Value],
    prefix: &str,
) {
    p.write("(");
    if let Some(map) = map {
        let data = p.ir.ctx.map_data(map);
        let mut start = 0;
        p.list(groups, |p, &size| {
            let end = (start + size.max(0) as usize).min(data.results.len());
            let group = &data.results[start..end];
            start = end;
            if let [one] = *group {
                return p.affine_expr_of_ssa_ids(one, data.dims, operands);
            }
            p.write(prefix);
            p.write("(");
            p.list(group, |p, &expr| p.affine_expr_of_ssa_ids(expr, data.dims, operands));
            p.write(")");
        });
    }
    p.write(")");
}

pub(super) fn print_parallel(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, AffineParallelOp(op));
    p.write(" (");
    let variables = entry_arguments(p, view.region(ir));
    p.operands(variables.iter().copied());
    p.write(") = ");
    let lower = map(ir, op, "lowerBoundsMap");
    let inputs = lower.map_or(0, |map| {
        let data = ir.ctx.map_data(map);
        (data.dims + data.symbols) as usize
    });
    let operands = view.mapOperands(ir);
    let (low, high) = operands.split_at(inputs.min(operands.len()));
    print_bounds(p, lower, &view.lower_groups(ir), low, "max");
    p.write(" to ");
    print_bounds(p, map(ir, op, "upperBoundsMap"), &view.upper_groups(ir), high, "min");
    let steps = view.step_values(ir);
    if steps.iter().any(|&step| step != 1) {
        p.write(" step (");
        p.list(&steps, |p, step| p.number(step));
        p.write(")");
    }
    if !ir.results(op).is_empty() {
        p.write(" reduce (");
        let kinds = view.reductions(ir).and_then(|attr| ir.ctx.array_value(attr));
        p.list(kinds.unwrap_or_default(), |p, &kind| {
            let number = ATOMIC_RMW_KINDS.number(&ir.ctx, kind).unwrap_or_default();
            p.string(&ATOMIC_RMW_KINDS.keywords(number));
        });
        p.write(") -> (");
        p.types(ir.result_types(op));
        p.write(")");
    }
    p.write(" ");
    p.region(view.region(ir), body(!ir.results(op).is_empty()));
    let elided = [
        "reductions",
        "lowerBoundsMap",
        "lowerBoundsGroups",
        "upperBoundsMap",
        "upperBoundsGroups",
        "steps",
    ];
    p.attr_dict(op, &elided);
}
