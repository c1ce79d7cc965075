//! `scf.parallel` and its reductions.

use gpuc_ir::op::types::{ANY, INDEX};
use gpuc_ir::op::{CountedLoopInterface, LoopBound, LoopDimension, LoopStep};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, op};
use smallvec::{SmallVec, smallvec};

use super::edges;
use super::parallel_patterns::PARALLEL;
use super::syntax;

op! {
    /// A nest of counting loops whose iterations may run in any order or at once. Its body ends
    /// with one `scf.reduce` that combines values of all iterations into the results, in any
    /// order, starting with the initial values.
    ParallelOp = "scf.parallel" {
        operands {
            lowerBound: Variadic INDEX,
            upperBound: Variadic INDEX,
            step: Variadic INDEX,
            initVals: Variadic ANY,
        }
        results { results: Variadic ANY }
        regions { region: SizedOne }
        traits ATTR_SIZED_OPERANDS, SINGLE_BLOCK, RECURSIVE_EFFECTS, ALLOCATION_SCOPE, PARALLEL_LOOP
        hooks {
            verify: Some(verify_parallel),
            parse: Some(syntax::parse_parallel),
            print: Some(syntax::print_parallel),
            canonicalize: PARALLEL,
            loop_regions: Some(|ir, op| smallvec![ir.region(op, 0)]),
            counted_loop: Some(CountedLoopInterface {
                dimensions: parallel_dimensions,
                inits: None,
            }),
            region_branch: Some(edges::PARALLEL),
            implicit_terminator: Some(reduce_nothing),
        }
    }
}

fn parallel_dimensions(ir: &Ir, op: Op) -> SmallVec<[LoopDimension; 1]> {
    let view = ParallelOp(op);
    let bounds = view.lowerBound(ir).into_iter().zip(view.upperBound(ir)).zip(view.step(ir));
    view.induction_vars(ir)
        .iter()
        .zip(bounds)
        .map(|(&variable, ((lower, upper), step))| LoopDimension {
            variable,
            lower: LoopBound::Value(lower),
            upper: LoopBound::Value(upper),
            step: LoopStep::Value(step),
        })
        .collect()
}

impl ParallelOp {
    /// The block of the body.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn body(self, ir: &Ir) -> Block {
        ir.body(self.0, 0)
    }

    /// The induction variables, outermost first.
    pub fn induction_vars(self, ir: &Ir) -> &[Value] {
        ir.arguments(self.body(ir))
    }

    /// The `scf.reduce` that ends the body.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn reduce_op(self, ir: &Ir) -> ReduceOp {
        let end = ir.last_op(self.body(ir)).and_then(|end| ReduceOp::cast(ir, end));
        end.expect("the body of a valid scf.parallel ends with scf.reduce")
    }
}

fn verify_parallel(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ParallelOp(op);
    let (lower, upper, step) =
        (view.lowerBound(ir).len(), view.upperBound(ir).len(), view.step(ir).len());
    if step == 0 {
        return Err("needs at least one tuple element for lowerBound, upperBound and step".into());
    }
    if lower != step || upper != step {
        return Err("expects the same number of lower bounds, upper bounds and steps".into());
    }
    let constant = |value: Value| crate::arith::constant_index_value(ir, value);
    if view.step(ir).into_iter().filter_map(constant).any(|step| step <= 0) {
        return Err("constant step operand must be positive".into());
    }
    let variables = view.induction_vars(ir);
    if variables.len() != step {
        return Err(format!(
            "expects the same number of induction variables: {} as bound and step values: {step}",
            variables.len()
        ));
    }
    if variables.iter().any(|&variable| !ir.ctx.is_index(ir.ty(variable))) {
        return Err("expects arguments for the induction variable to be of index type".into());
    }
    let Some(reduce) = ir.last_op(view.body(ir)).and_then(|end| ReduceOp::cast(ir, end)) else {
        return Err("expects body to terminate with 'scf.reduce'".into());
    };
    let (results, inits) = (ir.results(op).len(), view.initVals(ir).len());
    let reductions = reduce.reductions(ir).len();
    if results != reductions {
        return Err(format!(
            "expects number of results: {results} to be the same as number of reductions: {reductions}"
        ));
    }
    if results != inits {
        return Err(format!(
            "expects number of results: {results} to be the same as number of initial values: {inits}"
        ));
    }
    for (i, (init, ty)) in view.initVals(ir).into_iter().zip(ir.result_types(op)).enumerate() {
        if ir.ty(init) != ty {
            return Err(format!(
                "expects type of {i}-th initial value: '{}' to be the same as the {i}-th result type: '{}'",
                ir.ctx.type_text(ir.ty(init)),
                ir.ctx.type_text(ty)
            ));
        }
    }
    crate::offload::verify_mapping(ir, op, step)
}

op! {
    /// Ends the body of a `scf.parallel`: one operand and one region for each result. The region
    /// combines two values into one and should be associative and commutative.
    ReduceOp = "scf.reduce" {
        operands { operands: Variadic ANY }
        regions { reductions: Variadic }
        traits TERMINATOR, RECURSIVE_EFFECTS
        parents "scf.parallel"
        format "(`(` $operands^ `:` type($operands) `)`)? $reductions attr-dict"
        hooks { verify: Some(verify_reduce) }
    }
}

fn verify_reduce(ir: &Ir, op: Op) -> Result<(), String> {
    let (operands, regions) = (ir.operand_count(op), ir.regions(op).len());
    if operands != regions {
        return Err(format!(
            "expects number of operands: {operands} to be the same as number of reductions: {regions}"
        ));
    }
    let results: Vec<_> =
        ir.parent_op(op).map_or(Vec::new(), |parent| ir.result_types(parent).collect());
    for (i, operand) in ir.operands(op).enumerate() {
        let ty = ir.ty(operand);
        if let Some(&result) = results.get(i).filter(|&&result| result != ty) {
            return Err(format!(
                "expects type of {i}-th reduction operand: '{}' to be the same as the {i}-th result type: '{}'",
                ir.ctx.type_text(ty),
                ir.ctx.type_text(result)
            ));
        }
        let [block] = *ir.blocks(ir.region(op, i)) else {
            return Err(format!(
                "region #{i} ('reductions') failed to verify constraint: region with 1 blocks"
            ));
        };
        let arguments = ir.arguments(block);
        if arguments.len() != 2 || arguments.iter().any(|&argument| ir.ty(argument) != ty) {
            return Err(format!(
                "expected two block arguments with type '{}' in the {i}-th reduction region",
                ir.ctx.type_text(ty)
            ));
        }
        if !ir.last_op(block).is_some_and(|end| ReduceReturnOp::is(ir, end)) {
            return Err("reduction bodies must be terminated with an 'scf.reduce.return' op".into());
        }
    }
    Ok(())
}

op! {
    /// Ends a region of `scf.reduce` with the combined value.
    ReduceReturnOp = "scf.reduce.return" {
        operands { result: One ANY }
        traits PURE, TERMINATOR
        parents "scf.reduce"
        format "$result attr-dict `:` type($result)"
        hooks { verify: Some(verify_reduce_return) }
    }
}

fn verify_reduce_return(ir: &Ir, op: Op) -> Result<(), String> {
    let input = ir.parent_block(op).and_then(|block| ir.arguments(block).first().copied());
    match input.map(|input| ir.ty(input)) {
        Some(ty) if ty != ir.ty(ir.operand(op, 0)) => Err(format!(
            "must have type '{}' (the type of the reduction inputs)",
            ir.ctx.type_text(ty)
        )),
        _ => Ok(()),
    }
}

fn reduce_nothing(b: &mut Builder<'_>) -> Op {
    ReduceOp::new(b, &[]).build(b)
}
