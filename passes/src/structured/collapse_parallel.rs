//! `test-scf-parallel-loop-collapsing`: dimensions of a parallel loop become fewer.
//!
//! Needs `scf.parallel` loops of as many dimensions as the options name. Each list of `collapsed-indices` becomes one
//! dimension, from 0 in steps of one, and the variables are what is left of it by division, the last of the list fastest.
//! Iterations of parallel loops may run in any order, so nothing forbids it. After MLIR's pass of the same name, which
//! multiplies numbers of iterations as they are; where more than one of them may be negative ours takes 0 for those,
//! since the product of two negative ones would be taken for iterations.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, WalkOrder};

gpuc_ir::pass! {
    /// Collapse dimensions of parallel loops into the dimensions that the options say.
    TestScfParallelLoopCollapsing = "test-scf-parallel-loop-collapsing" {
        /// Which dimensions become the first one.
        collapsed_indices_0: Vec<u64> = Vec::new(),
        /// Which dimensions become the second one.
        collapsed_indices_1: Vec<u64> = Vec::new(),
        /// Which dimensions become the third one.
        collapsed_indices_2: Vec<u64> = Vec::new(),
    }
}

impl Pass for TestScfParallelLoopCollapsing {
    fn run(&mut self, ir: &mut Ir, root: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let groups = self.groups().map_err(Diagnostic::error)?;
        let dimensions: usize = groups.iter().map(Vec::len).sum();
        for op in ir.nested_ops(root, WalkOrder::PostOrder) {
            let Some(view) = scf::ParallelOp::cast(ir, op) else { continue };
            let rank = view.induction_vars(ir).len();
            let refusal = if rank != dimensions {
                format!(
                    "has {rank} iter args while this limited functionality testing pass was \
                     configured only for loops with exactly {dimensions} iter args."
                )
            } else if !ir.results(op).is_empty() {
                "reduces values, which is not supported".to_owned()
            } else {
                collapse(ir, view, &groups);
                continue;
            };
            let text = format!("'{}' op {refusal}", scf::ParallelOp::NAME);
            cx.report(Diagnostic::error(text).at_option(ir.ctx.place(ir.location(op))));
        }
        Ok(())
    }
}

impl TestScfParallelLoopCollapsing {
    /// The dimensions that become one, for each that there will be.
    fn groups(&self) -> Result<Vec<Vec<usize>>, String> {
        let lists =
            [&self.collapsed_indices_0, &self.collapsed_indices_1, &self.collapsed_indices_2];
        if lists.iter().all(|list| list.is_empty()) {
            return Err("No collapsed-indices were specified. This pass is only for testing and \
                        does not automatically collapse all parallel loops or similar."
                .to_owned());
        }
        for (later, earlier) in [(1, 0), (2, 1)] {
            if lists[earlier].is_empty() && !lists[later].is_empty() {
                return Err(format!(
                    "collapsed-indices-{later} specified but not collapsed-indices-{earlier}"
                ));
            }
        }
        let mut all: Vec<u64> = lists.iter().flat_map(|list| list.iter().copied()).collect();
        all.sort_unstable();
        if !all.iter().copied().eq(0..all.len() as u64) {
            return Err("collapsed-indices arguments must include all values [0,N).".to_owned());
        }
        let groups = lists.iter().filter(|list| !list.is_empty());
        Ok(groups.map(|list| list.iter().map(|&index| index as usize).collect()).collect())
    }
}

/// Replaces a parallel loop without results by one with a dimension for each group of its dimensions.
pub fn collapse(ir: &mut Ir, view: scf::ParallelOp, groups: &[Vec<usize>]) {
    let op = view.op();
    let (lower, upper, step) =
        (view.lowerBound(ir).to_vec(), view.upperBound(ir).to_vec(), view.step(ir).to_vec());
    let variables = view.induction_vars(ir).to_vec();
    let mut b = Builder::before(ir, op);
    let mut counts: Vec<Value> = (0..variables.len())
        .map(|i| number_of_iterations(&mut b, lower[i], upper[i], step[i]))
        .collect();
    for group in groups {
        never_two_negative(&mut b, group, &mut counts);
    }
    let mut bounds: [Vec<Value>; 3] = Default::default();
    for group in groups {
        let mut all = arith::constant_index(&mut b, 1);
        for &index in group {
            all = arith::MulIOp::new(&mut b, all, counts[index]).value(&mut b);
        }
        bounds[0].push(arith::constant_index(&mut b, 0));
        bounds[1].push(all);
        bounds[2].push(arith::constant_index(&mut b, 1));
    }
    let types: Vec<Type> = vec![b.ctx.index(); groups.len()];
    let [zeros, products, ones] = bounds;
    let region = b.region(&types, |b, collapsed| {
        let mut ordinals = vec![None; variables.len()];
        for (group, &combined) in groups.iter().zip(collapsed) {
            let mut rest = combined;
            for &index in group[1..].iter().rev() {
                let ordinal = arith::RemSIOp::new(b, rest, counts[index]).value(b);
                rest = arith::DivSIOp::new(b, rest, counts[index]).value(b);
                ordinals[index] = Some(ordinal);
            }
            ordinals[group[0]] = Some(rest);
        }
        for (index, &variable) in variables.iter().enumerate().rev() {
            let Some(ordinal) = ordinals[index] else { continue };
            let scaled = arith::MulIOp::new(b, ordinal, step[index]).value(b);
            let value = arith::AddIOp::new(b, scaled, lower[index]).value(b);
            b.replace_all_uses(variable, value);
        }
        let body = view.body(b);
        for inner in b.ops(body).collect::<Vec<_>>() {
            b.detach_op(inner);
            b.insert(inner);
        }
    });
    scf::ParallelOp::new(&mut b, &zeros, &products, &ones, &[])
        .result_group(&[])
        .region(region)
        .build(&mut b);
    ir.erase_op(op);
}

/// `ceil((upper - lower) / step)`.
fn number_of_iterations(b: &mut Builder<'_>, lower: Value, upper: Value, step: Value) -> Value {
    let zero_based = arith::constant_index_value(b, lower) == Some(0);
    let extent = if zero_based { upper } else { arith::SubIOp::new(b, upper, lower).value(b) };
    if arith::constant_index_value(b, step) == Some(1) {
        return extent;
    }
    arith::CeilDivSIOp::new(b, extent, step).value(b)
}

/// Lets all but one of the counts of a group that are not constant be no less than 0.
fn never_two_negative(b: &mut Builder<'_>, group: &[usize], counts: &mut [Value]) {
    let unknown: Vec<usize> =
        group.iter().copied().filter(|&index| !is_constant(b, counts[index])).collect();
    for &index in unknown.iter().skip(1) {
        let zero = arith::constant_index(b, 0);
        counts[index] = arith::MaxSIOp::new(b, counts[index], zero).value(b);
    }
}

/// Whether folding will make a constant of the count, computed as it is from bounds and a step.
fn is_constant(ir: &Ir, count: Value) -> bool {
    if arith::constant_index_value(ir, count).is_some() {
        return true;
    }
    ir.defining_op(count).is_some_and(|op| {
        let computed = arith::SubIOp::is(ir, op) || arith::CeilDivSIOp::is(ir, op);
        computed && ir.operands(op).all(|operand| is_constant(ir, operand))
    })
}
