//! `scf-forall-to-for` and `scf-forall-to-parallel`: nests of `scf.forall` as loops in each other, or as one
//! `scf.parallel`.
//!
//! Need `scf.forall` without outputs: what combines outputs has no form in these loops. After MLIR's passes of the same
//! names.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::scf;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, WalkOrder};

gpuc_ir::pass! {
    /// Write `scf.forall` as loops in each other.
    ScfForallToFor = "scf-forall-to-for" {}
}

gpuc_ir::pass! {
    /// Write `scf.forall` as `scf.parallel`.
    ScfForallToParallel = "scf-forall-to-parallel" {}
}

impl Pass for ScfForallToFor {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        each(ir, op, to_loops)
    }
}

impl Pass for ScfForallToParallel {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        each(ir, op, to_parallel)
    }
}

fn each(ir: &mut Ir, root: Op, convert: fn(&mut Ir, scf::ForallOp)) -> Result<(), Diagnostic> {
    for op in ir.nested_ops(root, WalkOrder::PostOrder) {
        let Some(view) = scf::ForallOp::cast(ir, op) else { continue };
        if !ir.results(op).is_empty() {
            let place = ir.ctx.place(ir.location(op));
            return Err(Diagnostic::error("only fully bufferized scf.forall ops can be lowered")
                .at_option(place));
        }
        convert(ir, view);
    }
    Ok(())
}

/// Moves the body of a nest to the builder's point; `variables` stand for the nest's.
fn take_body(b: &mut Builder<'_>, view: scf::ForallOp, variables: &[Value]) {
    for (from, &to) in view.induction_vars(b).to_vec().into_iter().zip(variables) {
        b.replace_all_uses(from, to);
    }
    let body = view.body(b);
    for op in b.ops(body).collect::<Vec<_>>() {
        if !scf::InParallelOp::is(b, op) {
            b.detach_op(op);
            b.insert(op);
        }
    }
}

/// Replaces a nest by loops in each other.
pub fn to_loops(ir: &mut Ir, view: scf::ForallOp) {
    let mut b = Builder::before(ir, view.op());
    let bounds = view.bound_values(&mut b);
    nest(&mut b, view, &bounds, &mut Vec::new());
    ir.erase_op(view.op());
}

fn nest(
    b: &mut Builder<'_>,
    view: scf::ForallOp,
    bounds: &[Vec<Value>; 3],
    variables: &mut Vec<Value>,
) {
    let depth = variables.len();
    if depth == bounds[1].len() {
        return take_body(b, view, variables);
    }
    let [lower, upper, step] = [0, 1, 2].map(|group: usize| bounds[group][depth]);
    scf::ForOp::create(b, (lower, upper, step), &[], |b, variable, _| {
        variables.push(variable);
        nest(b, view, bounds, variables);
        Vec::new()
    });
}

/// Replaces a nest by one parallel loop.
pub fn to_parallel(ir: &mut Ir, view: scf::ForallOp) {
    let op = view.op();
    // A nest of no loops is its body.
    if view.rank(ir) == 0 {
        return to_loops(ir, view);
    }
    let mut b = Builder::before(ir, op);
    let [lower, upper, step] = view.bound_values(&mut b);
    let index = b.ctx.index();
    let region = b.region(&vec![index; upper.len()], |b, variables| {
        take_body(b, view, variables);
        scf::ReduceOp::new(b, &[]).build(b);
    });
    let mapping = b.attr(op, "mapping");
    scf::ParallelOp::new(&mut b, &lower, &upper, &step, &[])
        .attr_option(&mut b, "mapping", mapping)
        .result_group(&[])
        .region(region)
        .build(&mut b);
    ir.erase_op(op);
}
