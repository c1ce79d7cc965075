//! `scf.forall`: a parallel loop nest whose bounds are numbers or values.

use gpuc_ir::op::types::{ANY, INDEX};
use gpuc_ir::op::{AttrConstraint, attrs};
use gpuc_ir::text::{Delimiter, IndexList, OpParser, OpPrinter, ParseResult, PrintRegion};
use gpuc_ir::{Block, Builder, DYNAMIC, Ir, Op, OpState, OpView, Value, op};
use smallvec::smallvec;

use crate::arith;
use attrs::{ARRAY, I64_ARRAY};

/// What gives a dimension to processors.
static MAPPING: AttrConstraint = AttrConstraint {
    summary: "Device Mapping array attribute",
    holds: |ctx, attr| {
        let is_mapping = |&element| ctx.dialect_attr_text(element).is_some();
        ctx.array_value(attr).is_some_and(|elements| elements.iter().all(is_mapping))
    },
    syntax: ARRAY.syntax,
};

op! {
    /// A nest of counting loops whose iterations may run in any order or at once. Bounds and steps are numbers, or values
    /// where the numbers say so. Outputs are combined by the operations of `scf.forall.in_parallel`.
    ForallOp = "scf.forall" {
        operands {
            dynamicLowerBound: Variadic INDEX,
            dynamicUpperBound: Variadic INDEX,
            dynamicStep: Variadic INDEX,
            outputs: Variadic ANY,
        }
        results { results: Variadic ANY }
        attrs {
            staticLowerBound: Required I64_ARRAY,
            staticUpperBound: Required I64_ARRAY,
            staticStep: Required I64_ARRAY,
            mapping: Optional MAPPING,
        }
        regions { region: SizedOne }
        traits ATTR_SIZED_OPERANDS, SINGLE_BLOCK, RECURSIVE_EFFECTS, ALLOCATION_SCOPE
        hooks {
            verify: Some(verify_forall),
            parse: Some(parse_forall),
            print: Some(print_forall),
            loop_regions: Some(|ir, op| smallvec![ir.region(op, 0)]),
            implicit_terminator: Some(combine_nothing),
        }
    }
}

op! {
    /// Ends the body of a `scf.forall`: the operations inside combine an iteration's parts of the outputs.
    InParallelOp = "scf.forall.in_parallel" {
        regions { region: SizedOne }
        traits TERMINATOR, NO_TERMINATOR, SINGLE_BLOCK, RECURSIVE_EFFECTS
        parents "scf.forall"
        hooks { parse: Some(parse_in_parallel), print: Some(print_in_parallel) }
    }
}

/// The numbers of the three attributes, in order of the operand groups.
const STATIC: [&str; 3] = ["staticLowerBound", "staticUpperBound", "staticStep"];

fn combine_nothing(b: &mut Builder<'_>) -> Op {
    let region = b.region(&[], |_, _| {});
    InParallelOp::new(b).region(region).build(b)
}

impl ForallOp {
    /// The block of the body.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn body(self, ir: &Ir) -> Block {
        ir.body(self.0, 0)
    }

    /// Number of loops.
    pub fn rank(self, ir: &Ir) -> usize {
        self.numbers(ir, 1).len()
    }

    /// The induction variables, outermost first.
    pub fn induction_vars(self, ir: &Ir) -> &[Value] {
        let arguments = ir.arguments(self.body(ir));
        &arguments[..self.rank(ir).min(arguments.len())]
    }

    /// Lower bounds (0), upper bounds (1) or steps (2), [`DYNAMIC`] where a value stands.
    fn numbers(self, ir: &Ir, group: usize) -> Vec<i64> {
        let attr = ir.attr(self.0, STATIC[group]);
        attr.and_then(|attr| ir.ctx.dense_array(attr)).unwrap_or_default().to_vec()
    }

    fn values(self, ir: &Ir, group: usize) -> Vec<Value> {
        match group {
            0 => self.dynamicLowerBound(ir).to_vec(),
            1 => self.dynamicUpperBound(ir).to_vec(),
            _ => self.dynamicStep(ir).to_vec(),
        }
    }

    /// Lower bounds, upper bounds and steps: a number, or the value that stands for it.
    pub fn bounds(self, ir: &Ir) -> [Vec<Result<i64, Value>>; 3] {
        [0, 1, 2].map(|group| {
            let mut values = self.values(ir, group).into_iter();
            let numbers = self.numbers(ir, group).into_iter();
            numbers
                .map(|number| match number {
                    DYNAMIC => values.next().map_or(Ok(DYNAMIC), Err),
                    number => Ok(number),
                })
                .collect()
        })
    }

    /// Lower bounds, upper bounds and steps as values; constants are built.
    pub fn bound_values(self, b: &mut Builder<'_>) -> [Vec<Value>; 3] {
        let bounds = self.bounds(b);
        bounds.map(|group| {
            let value = |bound| match bound {
                Ok(number) => arith::constant_index(b, number),
                Err(value) => value,
            };
            group.into_iter().map(value).collect()
        })
    }

    /// Whether all loops count from 0 by 1.
    fn is_normalized(self, ir: &Ir) -> bool {
        self.numbers(ir, 0).iter().all(|&n| n == 0) && self.numbers(ir, 2).iter().all(|&n| n == 1)
    }
}

fn verify_forall(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ForallOp(op);
    let rank = view.rank(ir);
    let outputs = view.outputs(ir);
    if ir.results(op).len() != outputs.len() {
        return Err(format!(
            "produces {} results, but has only {} outputs",
            ir.results(op).len(),
            outputs.len()
        ));
    }
    let arguments = ir.arguments(view.body(ir));
    if arguments.len() != rank + outputs.len() {
        return Err(format!("region expects {rank} arguments"));
    }
    for (i, &argument) in arguments[..rank].iter().enumerate() {
        if !ir.ctx.is_index(ir.ty(argument)) {
            return Err(format!("expects {i}-th block argument to be an index"));
        }
    }
    for (i, (&argument, &output)) in arguments[rank..].iter().zip(&outputs).enumerate() {
        if ir.ty(argument) != ir.ty(output) || ir.ty(ir.result(op, i)) != ir.ty(output) {
            return Err(format!(
                "type mismatch between {i}-th output and corresponding block argument"
            ));
        }
    }
    let mapping = view.mapping(ir).and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
    if !mapping.is_empty() && mapping.len() != rank {
        return Err("mapping attribute size must match op rank".into());
    }
    for (group, name) in ["lower bound", "upper bound", "step"].into_iter().enumerate() {
        let numbers = view.numbers(ir, group);
        if numbers.len() != rank {
            return Err(format!("expected {rank} {name} values, got {}", numbers.len()));
        }
        let dynamic = numbers.iter().filter(|&&number| number == DYNAMIC).count();
        if dynamic != view.values(ir, group).len() {
            return Err(format!("expected {dynamic} dynamic {name} values"));
        }
    }
    if view.numbers(ir, 2).iter().any(|&step| step != DYNAMIC && step <= 0) {
        return Err("constant step operand must be positive".into());
    }
    match ir.last_op(view.body(ir)).is_some_and(|end| InParallelOp::is(ir, end)) {
        true => Ok(()),
        false => Err("expects body to terminate with 'scf.forall.in_parallel'".into()),
    }
}

fn parse_forall(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let index = p.ir.ctx.index();
    let mut arguments = p.parse_argument_list(Delimiter::Paren, false)?;
    let rank = arguments.len();
    let list = |p: &mut OpParser<'_, '_>| p.parse_dynamic_index_list(Delimiter::Paren);
    let lists = if p.optional_keyword("in") {
        let upper = list(p)?;
        let same = |number: i64| IndexList {
            integers: (0..rank).map(|_| number).collect(),
            values: Default::default(),
        };
        [same(0), upper, same(1)]
    } else {
        p.expect("=")?;
        let lower = list(p)?;
        p.keyword("to")?;
        let upper = list(p)?;
        p.keyword("step")?;
        [lower, upper, list(p)?]
    };
    let mut sizes = [0i32; 4];
    for (i, list) in lists.iter().enumerate() {
        p.resolve_same(&list.values, index, &mut state.operands)?;
        sizes[i] = list.values.len() as i32;
    }
    for argument in &mut arguments {
        argument.ty = Some(index);
    }
    if p.optional_keyword("shared_outs") {
        let at = p.here();
        let outputs = p.parse_assignment_list()?;
        state.results.extend(p.parse_optional_arrow_type_list()?);
        if outputs.len() != state.results.len() {
            return p.error(at, "mismatch between out operands and types");
        }
        sizes[3] = outputs.len() as i32;
        for ((mut argument, output), &ty) in outputs.into_iter().zip(&state.results) {
            state.operands.push(p.resolve(output, ty)?);
            argument.ty = Some(ty);
            arguments.push(argument);
        }
    }
    state.regions.push(p.parse_region(&arguments)?);
    p.parse_attr_dict(state)?;
    for (name, list) in STATIC.iter().zip(&lists) {
        let attr = p.index_list_attr(list);
        state.attrs.push((p.ir.ctx.ident(name), attr));
    }
    let sizes = p.ir.ctx.i32_array_attr(&sizes);
    state.attrs.push((p.ir.ctx.ident("operandSegmentSizes"), sizes));
    Ok(())
}

fn print_forall(p: &mut OpPrinter<'_, '_>, op: Op) {
    let (ir, view) = (p.ir, ForallOp(op));
    let rank = view.rank(ir);
    let arguments = ir.entry_block(view.region(ir)).map_or(&[][..], |block| ir.arguments(block));
    let (variables, outs) = arguments.split_at(rank.min(arguments.len()));
    let list = |p: &mut OpPrinter<'_, '_>, group: usize| {
        let mut values = view.values(ir, group).into_iter();
        p.write("(");
        p.list(&view.numbers(ir, group), |p, &number| {
            let value = if number == DYNAMIC { values.next() } else { None };
            match value {
                Some(value) => p.operand(value),
                None => p.number(number),
            }
        });
        p.write(")");
    };
    p.write(" (");
    p.operands(variables.iter().copied());
    if view.is_normalized(ir) {
        p.write(") in ");
        list(p, 1);
    } else {
        p.write(") = ");
        list(p, 0);
        p.write(" to ");
        list(p, 1);
        p.write(" step ");
        list(p, 2);
    }
    if !outs.is_empty() {
        p.write(" shared_outs(");
        p.list(outs.iter().zip(view.outputs(ir)), |p, (&argument, output)| {
            p.operand(argument);
            p.write(" = ");
            p.operand(output);
        });
        p.write(") -> (");
        p.types(ir.result_types(op));
        p.write(")");
    }
    p.write(" ");
    let shown = PrintRegion { entry_args: false, terminators: !ir.results(op).is_empty() };
    p.region(view.region(ir), shown);
    p.attr_dict(op, &[STATIC[0], STATIC[1], STATIC[2], "operandSegmentSizes"]);
}

fn parse_in_parallel(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let region = p.parse_region(&[])?;
    if p.ir.blocks(region).is_empty() {
        let block = p.ir.create_block(&[], gpuc_ir::Location::UNKNOWN);
        p.ir.append_block(region, block);
    }
    state.regions.push(region);
    p.parse_attr_dict(state)
}

fn print_in_parallel(p: &mut OpPrinter<'_, '_>, op: Op) {
    p.write(" ");
    p.region(p.ir.region(op, 0), PrintRegion::NO_ARGS);
    p.attr_dict(op, &[]);
}
