//! The syntaxes of `affine`: maps with their operands, subscripts, loops and conditionals.

use gpuc_ir::affine::AffineExprKind;
use gpuc_ir::op::{CustomDirective, operand_group};
use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult, PrintRegion};
use gpuc_ir::{AffineMap, AttrKind, Op, OpState, Region, Value};
use smallvec::SmallVec;

use super::branch::AffineIfOp;
use super::for_loop::AffineForOp;
use crate::memref::argument;

pub(super) type Parser<'a, 'p, 's> = &'a mut OpParser<'p, 's>;
pub(super) type Printer<'a, 'p, 'o> = &'a mut OpPrinter<'p, 'o>;

/// The operands of the group that argument `index` of the directive being written names.
fn group_of(p: &OpPrinter<'_, '_>, op: Op, index: usize) -> SmallVec<[Value; 4]> {
    let name = argument(p.directive_arguments(), index);
    let Some(def) = p.ir.def(op) else { return SmallVec::new() };
    match def.operands.iter().position(|spec| spec.name == name) {
        Some(group) => operand_group(p.ir, op, def, group),
        None => SmallVec::new(),
    }
}

fn map_of(p: &OpPrinter<'_, '_>, op: Op) -> Option<AffineMap> {
    p.ir.attr(op, "map").and_then(|attr| p.ir.ctx.map_value(attr))
}

/// `custom<MapWithOperands>($map, $operands)`: `affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%n]`.
pub(super) static MAP_WITH_OPERANDS: CustomDirective = CustomDirective {
    name: "MapWithOperands",
    parse: |p, state| {
        let name = argument(p.directive_arguments(), 1);
        let at = p.here();
        let attr = p.parse_attr()?;
        let Some(map) = p.ir.ctx.map_value(attr) else {
            return p.error(at, "expected an affine map");
        };
        let mut operands = SmallVec::new();
        let at = p.here();
        let dims = p.parse_dim_and_symbol_operands(&mut operands)?;
        let data = p.ir.ctx.map_data(map);
        if (data.dims as usize, data.symbols as usize) != (dims, operands.len() - dims) {
            if p.ir.ctx.op_name_str(state.name) == "affine.apply" {
                return p.error(at, "dimension or symbol index mismatch");
            }
            let rule = "operand count and affine map dimension and symbol count must match";
            let message = format!("'{}' op {rule}", p.ir.ctx.op_name_str(state.name));
            return p.error(p.name_position(), message);
        }
        p.set_operands(name, &operands);
        state.attrs.push((p.ir.ctx.ident("map"), attr));
        Ok(())
    },
    print: |p, op| {
        let ir = p.ir;
        let operands = group_of(p, op, 1);
        if let Some(attr) = ir.attr(op, "map") {
            p.attr(attr);
        }
        let dims = map_of(p, op).map_or(0, |map| ir.ctx.map_data(map).dims as usize);
        p.dim_and_symbol_operands(&operands, dims);
    },
};

/// `custom<Subscripts>($map, $indices)`: `[%i + 2, symbol(%n)]`.
pub(super) static SUBSCRIPTS: CustomDirective = CustomDirective {
    name: "Subscripts",
    parse: |p, state| {
        let name = argument(p.directive_arguments(), 1);
        let subscripts = p.parse_affine_map_of_ssa_ids(Delimiter::Square)?;
        p.set_operands(name, &subscripts.dims);
        p.set_operands(name, &subscripts.symbols);
        let map = p.ir.ctx.map_attr(subscripts.map);
        state.attrs.push((p.ir.ctx.ident("map"), map));
        Ok(())
    },
    print: |p, op| {
        let indices = group_of(p, op, 1);
        p.write("[");
        if let Some(map) = map_of(p, op) {
            p.affine_map_of_ssa_ids(map, &indices);
        }
        p.write("]");
    },
};

/// `custom<StoredTo>(type($memref), type($value))`: the type of a buffer, from which that of the
/// element stored follows.
pub(super) static STORED_TO: CustomDirective = CustomDirective {
    name: "StoredTo",
    parse: |p, _| {
        let at = p.here();
        let ty = p.parse_type()?;
        let Some(element) = p.ir.ctx.element(ty).filter(|_| p.ir.ctx.is_memref(ty)) else {
            return p.error(at, "expected a memref type");
        };
        p.set_operand_types("memref", &[ty]);
        p.set_operand_types("value", &[element]);
        Ok(())
    },
    print: |p, op| {
        let memref = p.ir.operand(op, 1);
        p.ty(p.ir.ty(memref));
    },
};

/// A region whose terminator is left out where it hands nothing over.
pub(super) fn body(has_values: bool) -> PrintRegion {
    PrintRegion { entry_args: false, terminators: has_values }
}

pub(super) fn entry_arguments<'a>(p: &OpPrinter<'a, '_>, region: Region) -> &'a [Value] {
    let ir = p.ir;
    ir.entry_block(region).map_or(&[], |block| ir.arguments(block))
}

/// Reads a bound: a number, a value, or a map with operands. Its operands go to `state`.
fn parse_bound(
    p: Parser<'_, '_, '_>,
    state: &mut OpState,
    name: &str,
    prefix: &str,
) -> ParseResult<usize> {
    let index = p.ir.ctx.index();
    let prefixed = p.optional_keyword(prefix);
    let start = state.operands.len();
    let map = if p.at_operand() {
        let bound = p.parse_operand()?;
        state.operands.push(p.resolve(bound, index)?);
        let symbol = p.ir.ctx.symbol_expr(0);
        p.ir.ctx.map(0, 1, &[symbol])
    } else {
        let at = p.here();
        let attr = p.parse_attr_typed(index)?;
        match *p.ir.ctx.attr_kind(attr) {
            AttrKind::AffineMap(map) => {
                let at = p.here();
                let mut operands = SmallVec::new();
                let dims = p.parse_dim_and_symbol_operands(&mut operands)?;
                let data = p.ir.ctx.map_data(map);
                if data.dims as usize != dims {
                    let message = "dim operand count and affine map dim count must match";
                    return p.error(at, message);
                }
                if data.symbols as usize != operands.len() - dims {
                    let message = "symbol operand count and affine map symbol count must match";
                    return p.error(at, message);
                }
                if data.results.len() > 1 && !prefixed {
                    let which = if prefix == "max" { "lower" } else { "upper" };
                    let message = format!(
                        "{which} loop bound affine map with multiple results requires '{prefix}' prefix"
                    );
                    return p.error(at, message);
                }
                p.resolve_same(&operands, index, &mut state.operands)?;
                map
            }
            AttrKind::Integer { value, .. } => {
                let Ok(value) = i64::try_from(value) else {
                    return p.error(at, "integer constant out of range for attribute");
                };
                p.ir.ctx.constant_map(value)
            }
            _ => return p.error(at, "expected valid affine map representation for loop bounds"),
        }
    };
    let map = p.ir.ctx.map_attr(map);
    state.attrs.push((p.ir.ctx.ident(name), map));
    Ok(state.operands.len() - start)
}

/// `%i = 0 to min #map(%n)[%m] step 2 iter_args(%a = %b) -> (f32) { ... }`.
pub(super) fn parse_for(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let mut induction = p.parse_argument(false)?;
    p.expect("=")?;
    let lower = parse_bound(p, state, "lowerBoundMap", "max")?;
    if !p.optional_keyword("to") {
        return p.error(p.here(), "expected 'to' between bounds");
    }
    let upper = parse_bound(p, state, "upperBoundMap", "min")?;
    let index = p.ir.ctx.index();
    let step = if p.optional_keyword("step") {
        let at = p.here();
        let step = p.parse_attr_typed(index)?;
        if p.ir.ctx.i64_value(step).is_none_or(|step| step <= 0) {
            let message = "expected step to be representable as a positive signed integer";
            return p.error(at, message);
        }
        step
    } else {
        p.ir.ctx.index_attr(1)
    };
    state.attrs.push((p.ir.ctx.ident("step"), step));
    let mut carried = Vec::new();
    if p.optional_keyword("iter_args") {
        carried = p.parse_assignment_list()?;
        state.results.extend(p.parse_arrow_type_list()?);
    }
    if carried.len() != state.results.len() {
        let message = "mismatch between the number of loop-carried values and results";
        return p.error(p.name_position(), message);
    }
    induction.ty = Some(index);
    let mut arguments = vec![induction];
    for ((mut argument, init), &ty) in carried.into_iter().zip(&state.results) {
        state.operands.push(p.resolve(init, ty)?);
        argument.ty = Some(ty);
        arguments.push(argument);
    }
    p.set_operand_segments(state, &[lower as i32, upper as i32, state.results.len() as i32]);
    state.regions.push(p.parse_region(&arguments)?);
    p.parse_attr_dict(state)
}

fn print_bound(p: Printer<'_, '_, '_>, op: Op, name: &str, operands: &[Value], prefix: &str) {
    let ir = p.ir;
    let Some(attr) = ir.attr(op, name) else { return };
    let Some(map) = ir.ctx.map_value(attr) else { return p.attr(attr) };
    let data = ir.ctx.map_data(map);
    if let [result] = *data.results {
        if let Some(constant) = ir.ctx.expr_constant(result).filter(|_| operands.is_empty()) {
            return p.number(constant);
        }
        if let (0, 1, [bound]) = (data.dims, data.symbols, operands)
            && matches!(ir.ctx.expr_kind(result), AffineExprKind::Symbol(_))
        {
            return p.operand(*bound);
        }
    } else {
        p.write(prefix);
        p.write(" ");
    }
    p.attr(attr);
    p.dim_and_symbol_operands(operands, data.dims as usize);
}

pub(super) fn print_for(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, AffineForOp(op));
    let Some((&induction, carried)) = entry_arguments(p, view.region(ir)).split_first() else {
        return p.attr_dict(op, &[]);
    };
    p.write(" ");
    p.untyped_argument(induction);
    p.write(" = ");
    print_bound(p, op, "lowerBoundMap", &view.lowerBoundOperands(ir), "max");
    p.write(" to ");
    print_bound(p, op, "upperBoundMap", &view.upperBoundOperands(ir), "min");
    let step = view.step(ir).and_then(|attr| ir.ctx.i64_value(attr)).unwrap_or(1);
    if step != 1 {
        p.write(" step ");
        p.number(step);
    }
    if !carried.is_empty() {
        p.write(" iter_args(");
        p.list(carried.iter().zip(view.inits(ir)), |p, (&argument, init)| {
            p.operand(argument);
            p.write(" = ");
            p.operand(init);
        });
        p.write(") -> (");
        p.types(ir.result_types(op));
        p.write(")");
    }
    p.write(" ");
    p.region(view.region(ir), body(!ir.results(op).is_empty()));
    let elided = ["lowerBoundMap", "upperBoundMap", "step", "operandSegmentSizes"];
    p.attr_dict(op, &elided);
}

/// `affine_set<...>(%i)[%n] -> f32 { ... } else { ... }`.
pub(super) fn parse_if(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let at = p.here();
    let attr = p.parse_attr()?;
    let Some(set) = p.ir.ctx.set_value(attr) else {
        return p.error(at, "expected an integer set");
    };
    state.attrs.push((p.ir.ctx.ident(AffineIfOp::CONDITION), attr));
    let at = p.here();
    let mut operands = SmallVec::new();
    let dims = p.parse_dim_and_symbol_operands(&mut operands)?;
    let data = p.ir.ctx.set_data(set);
    if data.dims as usize != dims {
        return p.error(at, "dim operand count and integer set dim count must match");
    }
    if data.symbols as usize != operands.len() - dims {
        return p.error(at, "symbol operand count and integer set symbol count must match");
    }
    let index = p.ir.ctx.index();
    p.resolve_same(&operands, index, &mut state.operands)?;
    state.results.extend(p.parse_optional_arrow_type_list()?);
    state.regions.push(p.parse_region(&[])?);
    let otherwise =
        if p.optional_keyword("else") { p.parse_region(&[])? } else { p.ir.create_region() };
    state.regions.push(otherwise);
    p.parse_attr_dict(state)
}

pub(super) fn print_if(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, AffineIfOp(op));
    p.write(" ");
    if let Some(attr) = ir.attr(op, AffineIfOp::CONDITION) {
        p.attr(attr);
    }
    let dims = view.condition(ir).map_or(0, |set| ir.ctx.set_data(set).dims as usize);
    p.dim_and_symbol_operands(&view.operands(ir), dims);
    let types: Vec<_> = ir.result_types(op).collect();
    p.optional_arrow_types(&types);
    p.write(" ");
    p.region(view.thenRegion(ir), body(!types.is_empty()));
    if !ir.blocks(view.elseRegion(ir)).is_empty() {
        p.write(" else ");
        p.region(view.elseRegion(ir), body(!types.is_empty()));
    }
    p.attr_dict(op, &[AffineIfOp::CONDITION]);
}
