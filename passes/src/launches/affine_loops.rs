//! `convert-affine-for-to-gpu`: nests of affine loops at the top of a function become launches, the outer ones over
//! blocks, the inner ones over threads, one iteration each.
//!
//! Needs perfect nests of `affine.for` whose iterations do not depend on each other. That is taken from who asks for the
//! pass, as MLIR's pass of the same name does, but not against better knowledge: a loop that carries a value, or a
//! dependence through one buffer, is refused. Bounds that are not constant give no extent below zero. Affine operations
//! that use the variables are lowered: the number of a thread is no dimension.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineValue};
use gpuc_dialects::arith;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, WalkOrder};
use indexmap::IndexSet;

use super::launch;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted};
use crate::analysis::slice::is_defined_inside;
use crate::lower::lower_affine::{Extremum, bounds, lower};
use crate::parallel::remarks;

gpuc_ir::pass! {
    /// Make launches of nests of affine loops.
    ConvertAffineForToGpu = "convert-affine-for-to-gpu" on "func.func" {
        /// Loops over blocks, outermost first; 3 at most.
        gpu_block_dims: usize = 1,
        /// Loops over threads, inside those over blocks; 3 at most.
        gpu_thread_dims: usize = 1,
    }
}

impl Pass for ConvertAffineForToGpu {
    fn run(&mut self, ir: &mut Ir, func: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let nest = cx.analysis::<Nest>(ir, func);
        let mut found = Vec::new();
        for region in ir.regions(func).to_vec() {
            for &block in ir.blocks(region) {
                found.extend(ir.ops(block).filter(|&op| AffineForOp::is(ir, op)));
            }
        }
        let mut nests = Vec::new();
        for op in found {
            nests.push(self.nest(ir, &nest, AffineForOp(op))?);
        }
        for loops in nests.into_iter().filter(|loops| !loops.is_empty()) {
            lower_users(ir, &loops)?;
            convert(ir, &loops, self.gpu_block_dims);
        }
        Ok(())
    }
}

impl ConvertAffineForToGpu {
    /// The loops of a nest that are to become dimensions, outermost first.
    fn nest(
        &self,
        ir: &Ir,
        nest: &Nest,
        outermost: AffineForOp,
    ) -> Result<Vec<AffineForOp>, Diagnostic> {
        let refuse = |op: Op, text: &str| {
            Err(Diagnostic::error(text.to_owned()).at_option(ir.ctx.place(ir.location(op))))
        };
        if self.gpu_block_dims > 3 {
            return refuse(outermost.op(), "cannot map to more than 3 block dimensions");
        }
        if self.gpu_thread_dims > 3 {
            return refuse(outermost.op(), "cannot map to more than 3 thread dimensions");
        }
        let count = self.gpu_block_dims + self.gpu_thread_dims;
        let mut loops: Vec<AffineForOp> = Vec::new();
        let mut at = outermost;
        for depth in 0..count {
            let op = at.op();
            if !at.inits(ir).is_empty() {
                return refuse(op, "a loop that carries values has no order among threads");
            }
            if ir.operands(op).any(|value| is_defined_inside(ir, value, outermost.op())) {
                let text = "loops with bounds depending on other mapped loops are not supported";
                return refuse(op, text);
            }
            let known = nest.carried(ir, op, Apart::Assumed, Wanted::Certain);
            if let Ok(carried) = known
                && let Some(dependence) = &carried.dependence
            {
                return Err(as_error(remarks::dependence(ir, op, dependence)));
            }
            loops.push(at);
            if depth + 1 < count {
                let body: Vec<Op> = ir.ops(at.body(ir)).collect();
                let [inner, _] = body[..] else {
                    return refuse(op, "expected perfectly nested loops in the body");
                };
                match AffineForOp::cast(ir, inner) {
                    Some(inner) => at = inner,
                    None => return refuse(inner, "expected a nested loop"),
                }
            }
        }
        Ok(loops)
    }
}

/// A remark as what stops the pipeline.
fn as_error(remark: Diagnostic) -> Diagnostic {
    Diagnostic { severity: gpuc_diagnostics::Severity::Error, ..remark }
}

/// Lowers the affine operations that use a variable of the loops: what a thread computes of its number is no dimension.
fn lower_users(ir: &mut Ir, loops: &[AffineForOp]) -> Result<(), Diagnostic> {
    let mut varying: IndexSet<Value> = loops.iter().map(|view| view.induction_var(ir)).collect();
    let mut found = Vec::new();
    for op in ir.nested_ops(loops[0].op(), WalkOrder::PreOrder) {
        let is_affine = ir.def(op).is_some_and(|def| def.dialect() == "affine");
        let is_mapped = loops.iter().any(|view| view.op() == op);
        if !is_affine || is_mapped || !ir.operands(op).any(|value| varying.contains(&value)) {
            continue;
        }
        found.push(op);
        // What is computed of it, and what counts from it, varies with it.
        if ir.is_effect_free(op) {
            varying.extend(ir.results(op));
        }
        for &region in ir.regions(op) {
            let entry = ir.entry_block(region);
            varying.extend(entry.map_or(&[][..], |block| ir.arguments(block)));
        }
    }
    // Users come before what they use, and what stands inside before what it stands in.
    for op in found.into_iter().rev() {
        lower(ir, op)?;
    }
    Ok(())
}

/// Makes a launch of a perfect nest, the first `blocks` loops over blocks, the others over threads.
pub fn convert(ir: &mut Ir, loops: &[AffineForOp], blocks: usize) {
    let (root, innermost) = (loops[0].op(), loops[loops.len() - 1]);
    let mut b = Builder::before(ir, root);
    let mut dims = Vec::new();
    for &view in loops {
        b.location = b.location(view.op());
        let (lower, upper) = (view.lower_bound(&b), view.upper_bound(&b));
        let step = view.step_value(&b);
        let is_known = view.constant_trip_count(&b).is_some_and(|trips| trips > 0);
        let bound = |b: &mut Builder<'_>, value: &AffineValue, which| {
            let results = value.results(&b.ctx).len() as i64;
            bounds(b, value, &[results], which)[0]
        };
        let lower = bound(&mut b, &lower, Extremum::Greatest);
        let upper = bound(&mut b, &upper, Extremum::Least);
        let mut range = arith::SubIOp::new(&mut b, upper, lower).value(&mut b);
        if !is_known {
            let zero = arith::constant_index(&mut b, 0);
            range = arith::MaxSIOp::new(&mut b, range, zero).value(&mut b);
        }
        let by = arith::constant_index(&mut b, step);
        if step != 1 {
            range = arith::CeilDivSIOp::new(&mut b, range, by).value(&mut b);
        }
        dims.push((range, lower, (step != 1).then_some(by)));
    }
    b.location = b.location(root);
    let one = arith::constant_index(&mut b, 1);
    let size = |dim: Option<&(Value, Value, Option<Value>)>| dim.map_or(one, |dim| dim.0);
    let (of_blocks, of_threads) = dims.split_at(blocks);
    let grid = [0, 1, 2].map(|i| size(of_blocks.get(i)));
    let block = [0, 1, 2].map(|i| size(of_threads.get(i)));
    let body = innermost.body(&b);
    let variables: Vec<Value> = loops.iter().map(|view| view.induction_var(&b)).collect();
    launch(&mut b, grid, block, |b, arguments| {
        for (i, (&variable, &(_, lower, step))) in variables.iter().zip(&dims).enumerate() {
            let position = if i < blocks { i } else { 3 + i - blocks };
            let mut id = arguments[position];
            if let Some(step) = step {
                id = arith::MulIOp::new(b, step, id).value(b);
            }
            let index = arith::AddIOp::new(b, lower, id).value(b);
            b.replace_all_uses(variable, index);
        }
        let ops: Vec<Op> = b.ops(body).collect();
        for &op in &ops[..ops.len() - 1] {
            b.detach_op(op);
            b.insert(op);
        }
    });
    ir.erase_op(root);
}
