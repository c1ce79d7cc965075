//! The syntax of `offload.loop`:
//!
//! ```mlir
//! offload.loop independent gang vector[%length : i32]
//!     (%i, %j) = (%l0, %l1) to (%u0, %u1) step (%s0, %s1)
//!     reduction(add %sum : memref<f32>, max unsigned %top : memref<i32>) { ... } attributes {...}
//! ```

use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult, PrintRegion};
use gpuc_ir::{Attr, Op, OpState, Value};

use super::{LEVELS, LOOP_ORDER, LoopOp, REDUCTION_KIND};

fn set(p: &mut OpParser<'_, '_>, state: &mut OpState, name: &str, attr: Attr) {
    state.attrs.push((p.ir.ctx.ident(name), attr));
}

fn operands(p: &mut OpParser<'_, '_>) -> ParseResult<Vec<Value>> {
    let index = p.ir.ctx.index();
    let names = p.parse_operand_list(Delimiter::Paren)?;
    names.into_iter().map(|name| p.resolve(name, index)).collect()
}

pub(super) fn parse_loop(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let at = p.here();
    let word = p.parse_any_keyword()?;
    let Some(order) = LOOP_ORDER.parse(word) else {
        return p.error(at, "expected independent, auto or seq");
    };
    let order = LOOP_ORDER.attr(&mut p.ir.ctx, order);
    set(p, state, "order", order);

    let mut levels = Vec::new();
    let mut sizes: [Option<Value>; 3] = [None; 3];
    for (size, level) in sizes.iter_mut().zip(LEVELS) {
        if !p.optional_keyword(level) {
            continue;
        }
        levels.push(p.ir.ctx.string_attr(level));
        if p.eat("[") {
            let name = p.parse_operand()?;
            let ty = p.parse_colon_type()?;
            *size = Some(p.resolve(name, ty)?);
            p.expect("]")?;
        }
    }
    let levels = p.ir.ctx.array_attr(&levels);
    set(p, state, "levels", levels);

    let mut arguments = p.parse_argument_list(Delimiter::Paren, false)?;
    p.expect("=")?;
    let lower = operands(p)?;
    p.keyword("to")?;
    let upper = operands(p)?;
    p.keyword("step")?;
    let step = operands(p)?;

    let (mut kinds, mut unsigned, mut variables) = (Vec::new(), Vec::new(), Vec::new());
    if p.optional_keyword("reduction") {
        p.delimited_list(Delimiter::Paren, |p| {
            let at = p.here();
            let word = p.parse_any_keyword()?;
            let Some(kind) = REDUCTION_KIND.parse(word) else {
                return p.error(at, "expected an operator of reductions");
            };
            kinds.push(REDUCTION_KIND.attr(&mut p.ir.ctx, kind));
            let is_unsigned = p.optional_keyword("unsigned");
            unsigned.push(p.ir.ctx.bool_attr(is_unsigned));
            let name = p.parse_operand()?;
            let ty = p.parse_colon_type()?;
            variables.push(p.resolve(name, ty)?);
            Ok(())
        })?;
    }
    let any_unsigned = unsigned.iter().any(|&flag| p.ir.ctx.int_value(flag) == Some(1));
    let kinds = p.ir.ctx.array_attr(&kinds);
    set(p, state, "reduction_kinds", kinds);
    if any_unsigned {
        let unsigned = p.ir.ctx.array_attr(&unsigned);
        set(p, state, "unsigned_reductions", unsigned);
    }

    let groups = [lower.len(), upper.len(), step.len()].map(|n| n as i32);
    let given = sizes.map(|size| i32::from(size.is_some()));
    let segments = [&groups[..], &given[..], &[variables.len() as i32]].concat();
    state.operands.extend(lower.into_iter().chain(upper).chain(step));
    state.operands.extend(sizes.into_iter().flatten().chain(variables));
    let segments = p.ir.ctx.i32_array_attr(&segments);
    set(p, state, "operandSegmentSizes", segments);

    let index = p.ir.ctx.index();
    for argument in &mut arguments {
        argument.ty = Some(index);
    }
    state.regions.push(p.parse_region(&arguments)?);
    p.parse_optional_attr_dict_with_keyword(state)
}

fn list(p: &mut OpPrinter<'_, '_>, values: impl IntoIterator<Item = Value>) {
    p.write("(");
    p.operands(values);
    p.write(")");
}

pub(super) fn print_loop(p: &mut OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    let this = LoopOp(op);
    if let Some(order) = this.loop_order(ir) {
        p.write(" ");
        p.write(order.keyword());
    }
    let names = this.level_names(ir);
    let sizes = [this.gang_size(ir), this.worker_size(ir), this.vector_size(ir)];
    for (level, size) in LEVELS.into_iter().zip(sizes) {
        if !names.contains(&level) {
            continue;
        }
        p.write(" ");
        p.write(level);
        if let Some(size) = size {
            p.write("[");
            p.operand(size);
            p.write(" : ");
            p.ty(ir.ty(size));
            p.write("]");
        }
    }
    p.write(" ");
    list(p, this.induction_variables(ir).iter().copied());
    p.write(" = ");
    list(p, this.lowerBounds(ir));
    p.write(" to ");
    list(p, this.upperBounds(ir));
    p.write(" step ");
    list(p, this.steps(ir));
    let variables = this.reductions(ir);
    let kinds = this.reduction_operators(ir).unwrap_or_default();
    for (i, (&variable, kind)) in variables.iter().zip(kinds).enumerate() {
        p.write(if i == 0 { " reduction(" } else { ", " });
        p.write(kind.keyword());
        if this.is_unsigned_reduction(ir, i) {
            p.write(" unsigned");
        }
        p.write(" ");
        p.operand(variable);
        p.write(" : ");
        p.ty(ir.ty(variable));
    }
    if !variables.is_empty() {
        p.write(")");
    }
    p.write(" ");
    p.region(ir.region(op, 0), PrintRegion { entry_args: false, terminators: false });
    let own = ["order", "levels", "reduction_kinds", "unsigned_reductions", "operandSegmentSizes"];
    p.attr_dict_with_keyword(op, &own);
}
