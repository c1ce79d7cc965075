//! The syntaxes of `scf` that no format says.

use gpuc_ir::text::{Argument, Delimiter, OpParser, OpPrinter, ParseResult, PrintRegion};
use gpuc_ir::{Ir, Op, OpState, Region, Type, Value};

use super::branch::IndexSwitchOp;
use super::for_loop::ForOp;
use super::parallel::ParallelOp;
use super::while_loop::WhileOp;

type Parser<'a, 'p, 's> = &'a mut OpParser<'p, 's>;
type Printer<'a, 'p, 'o> = &'a mut OpPrinter<'p, 'o>;

/// A region whose terminator is left out where it hands nothing over.
fn body(has_values: bool) -> PrintRegion {
    PrintRegion { entry_args: false, terminators: has_values }
}

/// Writes `(%a = %b, ...)`.
fn assignments(
    p: Printer<'_, '_, '_>,
    arguments: &[Value],
    inits: impl IntoIterator<Item = Value>,
) {
    p.write("(");
    p.list(arguments.iter().zip(inits), |p, (&argument, init)| {
        p.operand(argument);
        p.write(" = ");
        p.operand(init);
    });
    p.write(")");
}

fn results(ir: &Ir, op: Op) -> Vec<Type> {
    ir.result_types(op).collect()
}

pub(super) fn parse_for(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let mut induction = p.parse_argument(false)?;
    p.expect("=")?;
    let lower = p.parse_operand()?;
    p.keyword("to")?;
    let upper = p.parse_operand()?;
    p.keyword("step")?;
    let step = p.parse_operand()?;
    let mut carried = Vec::new();
    if p.optional_keyword("iter_args") {
        carried = p.parse_assignment_list()?;
        state.results.extend(p.parse_arrow_type_list()?);
    }
    if carried.len() != state.results.len() {
        let message = "mismatch in number of loop-carried values and defined values";
        return p.error(p.name_position(), message);
    }
    let ty = if p.at(":") { p.parse_colon_type()? } else { p.ir.ctx.index() };
    for operand in [lower, upper, step] {
        state.operands.push(p.resolve(operand, ty)?);
    }
    induction.ty = Some(ty);
    let mut arguments = vec![induction];
    for ((mut argument, init), &ty) in carried.into_iter().zip(&state.results) {
        state.operands.push(p.resolve(init, ty)?);
        argument.ty = Some(ty);
        arguments.push(argument);
    }
    state.regions.push(p.parse_region(&arguments)?);
    p.parse_attr_dict(state)
}

pub(super) fn print_for(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, ForOp(op));
    let Some((&induction, carried)) = entry_arguments(ir, ir.region(op, 0)).split_first() else {
        return p.attr_dict(op, &[]);
    };
    p.write(" ");
    p.operand(induction);
    p.write(" = ");
    p.operand(view.lowerBound(ir));
    p.write(" to ");
    p.operand(view.upperBound(ir));
    p.write(" step ");
    p.operand(view.step(ir));
    if !carried.is_empty() {
        p.write(" iter_args");
        assignments(p, carried, view.initArgs(ir));
        p.write(" -> (");
        p.types(ir.result_types(op));
        p.write(")");
    }
    p.write(" ");
    let ty = ir.ty(induction);
    if !ir.ctx.is_index(ty) {
        p.write(" : ");
        p.ty(ty);
        p.write(" ");
    }
    p.region(view.region(ir), body(!carried.is_empty()));
    p.attr_dict(op, &[]);
}

fn entry_arguments(ir: &Ir, region: Region) -> &[Value] {
    ir.entry_block(region).map_or(&[], |block| ir.arguments(block))
}

pub(super) fn parse_while(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let carried = if p.at("(") { p.parse_assignment_list()? } else { Vec::new() };
    p.expect(":")?;
    let at = p.here();
    let ty = p.parse_function_type()?;
    let (inputs, results) = match p.ir.ctx.signature(ty) {
        Some((inputs, results)) => (inputs.to_vec(), results.to_vec()),
        None => (Vec::new(), Vec::new()),
    };
    if inputs.len() != carried.len() {
        let message = format!(
            "expected as many input types as operands (expected {} got {})",
            carried.len(),
            inputs.len()
        );
        return p.error(at, message);
    }
    state.results.extend(results);
    let mut arguments: Vec<Argument> = Vec::new();
    for ((mut argument, init), ty) in carried.into_iter().zip(inputs) {
        state.operands.push(p.resolve(init, ty)?);
        argument.ty = Some(ty);
        arguments.push(argument);
    }
    state.regions.push(p.parse_region(&arguments)?);
    p.keyword("do")?;
    state.regions.push(p.parse_region(&[])?);
    p.parse_optional_attr_dict_with_keyword(state)
}

pub(super) fn print_while(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, WhileOp(op));
    p.write(" ");
    if ir.operand_count(op) > 0 {
        assignments(p, entry_arguments(ir, view.before(ir)), ir.operands(op));
        p.write(" ");
    }
    p.write(": ");
    let inits: Vec<Type> = ir.operands(op).map(|value| ir.ty(value)).collect();
    p.functional_type(&inits, &results(ir, op));
    p.write(" ");
    p.region(view.before(ir), PrintRegion::NO_ARGS);
    p.write(" do ");
    p.region(view.after(ir), PrintRegion::ALL);
    p.attr_dict_with_keyword(op, &[]);
}

pub(super) fn parse_if(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let condition = p.parse_operand()?;
    let i1 = p.ir.ctx.i1();
    state.operands.push(p.resolve(condition, i1)?);
    state.results.extend(p.parse_optional_arrow_type_list()?);
    state.regions.push(p.parse_region(&[])?);
    let otherwise =
        if p.optional_keyword("else") { p.parse_region(&[])? } else { p.ir.create_region() };
    state.regions.push(otherwise);
    p.parse_attr_dict(state)
}

pub(super) fn print_if(p: Printer<'_, '_, '_>, op: Op) {
    let ir = p.ir;
    p.write(" ");
    p.operand(ir.operand(op, 0));
    let types = results(ir, op);
    if !types.is_empty() {
        p.write(" -> (");
        p.types(types.iter().copied());
        p.write(")");
    }
    p.write(" ");
    p.region(ir.region(op, 0), body(!types.is_empty()));
    if !ir.blocks(ir.region(op, 1)).is_empty() {
        p.write(" else ");
        p.region(ir.region(op, 1), body(!types.is_empty()));
    }
    p.attr_dict(op, &[]);
}

pub(super) fn parse_parallel(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let mut variables = p.parse_argument_list(Delimiter::Paren, false)?;
    let index = p.ir.ctx.index();
    for variable in &mut variables {
        variable.ty = Some(index);
    }
    let mut sizes = [0i32; 4];
    for (group, word) in ["=", "to", "step"].into_iter().enumerate() {
        p.expect(word)?;
        let at = p.here();
        let operands = p.parse_operand_list(Delimiter::Paren)?;
        if operands.len() != variables.len() {
            let message = format!("expected {} operands", variables.len());
            return p.error(at, message);
        }
        sizes[group] = operands.len() as i32;
        p.resolve_same(&operands, index, &mut state.operands)?;
    }
    let at = p.here();
    let inits = if p.optional_keyword("init") {
        p.parse_operand_list(Delimiter::Paren)?
    } else {
        Default::default()
    };
    state.results.extend(p.parse_optional_arrow_type_list()?);
    sizes[3] = inits.len() as i32;
    p.resolve_all(&inits, &state.results, at, &mut state.operands)?;
    state.regions.push(p.parse_region(&variables)?);
    p.parse_attr_dict(state)?;
    let sizes = p.ir.ctx.i32_array_attr(&sizes);
    state.attrs.push((p.ir.ctx.ident("operandSegmentSizes"), sizes));
    Ok(())
}

pub(super) fn print_parallel(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, ParallelOp(op));
    let mut list = |word: &str, values: &[Value]| {
        p.write(word);
        p.write("(");
        p.operands(values.iter().copied());
        p.write(")");
    };
    list(" ", entry_arguments(ir, view.region(ir)));
    list(" = ", &view.lowerBound(ir));
    list(" to ", &view.upperBound(ir));
    list(" step ", &view.step(ir));
    if !view.initVals(ir).is_empty() {
        list(" init ", &view.initVals(ir));
    }
    p.optional_arrow_types(&results(ir, op));
    p.write(" ");
    p.region(view.region(ir), PrintRegion::NO_ARGS);
    p.attr_dict(op, &[]);
}

pub(super) fn parse_execute_region(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    state.results.extend(p.parse_optional_arrow_type_list()?);
    state.regions.push(p.parse_region(&[])?);
    p.parse_attr_dict(state)
}

pub(super) fn print_execute_region(p: Printer<'_, '_, '_>, op: Op) {
    let ir = p.ir;
    p.optional_arrow_types(&results(ir, op));
    p.write(" ");
    p.region(ir.region(op, 0), PrintRegion::NO_ARGS);
    p.attr_dict(op, &[]);
}

pub(super) fn parse_index_switch(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let operand = p.parse_operand()?;
    let index = p.ir.ctx.index();
    state.operands.push(p.resolve(operand, index)?);
    p.parse_attr_dict(state)?;
    state.results.extend(p.parse_optional_arrow_type_list()?);
    let (mut cases, mut regions) = (Vec::new(), Vec::new());
    while p.optional_keyword("case") {
        cases.push(p.integer()?);
        regions.push(p.parse_region(&[])?);
    }
    p.keyword("default")?;
    state.regions.push(p.parse_region(&[])?);
    state.regions.extend(regions);
    let cases = p.ir.ctx.i64_array_attr(&cases);
    state.attrs.push((p.ir.ctx.ident("cases"), cases));
    Ok(())
}

pub(super) fn print_index_switch(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, IndexSwitchOp(op));
    p.write(" ");
    p.operand(ir.operand(op, 0));
    p.attr_dict(op, &["cases"]);
    p.optional_arrow_types(&results(ir, op));
    p.write(" ");
    for (&case, &region) in view.case_numbers(ir).iter().zip(view.caseRegions(ir)) {
        p.newline();
        p.write("case ");
        p.number(case);
        p.write(" ");
        p.region(region, PrintRegion::NO_ARGS);
    }
    p.newline();
    p.write("default ");
    p.region(view.defaultRegion(ir), body(!ir.results(op).is_empty()));
}
