//! `affine-loop-unroll-jam`: several iterations of a loop in one, side by side in the loops inside it.
//!
//! Needs an `affine.for` that carries nothing, and loops in it whose bounds do not depend on it. Each run of
//! operations between inner loops, and in them, is repeated behind itself, so that inner loops do the work
//! of several outer iterations at once; what inner loops carry is carried for each. The iterations that are
//! left get a loop of their own. Legal where no dependence would go backwards: from an outer iteration to a
//! later one that comes earlier now. After Allen and Kennedy, §8.4, and MLIR's pass of the same
//! name, which takes the first loop of a function where that is its first operation, and does not ask
//! for dependences; ours takes every outermost loop.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineApplyOp, AffineForOp, AffineValue, AffineYieldOp};
use gpuc_dialects::offload::RegionOp;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use gpuc_presburger::dependence::Direction;
use indexmap::IndexSet;

use super::refusal::{Refusal, Witness};
use super::trips::{constant_trips, divisor};
use super::unroll::split_rest;
use super::{apart, free, normalize, on_outermost_loops};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::Edge;
use crate::plan::{names, step};

gpuc_ir::pass! {
    /// Unroll outermost affine loops into the loops inside them, where dependences allow it.
    AffineLoopUnrollJam = "affine-loop-unroll-jam" on "func.func" {
        /// Whether variables that are mapped to the device are taken not to overlap.
        assume_apart: bool = false,
        /// Iterations in one.
        unroll_jam_factor: u64 = 4,
    }
}

const STEP: &str = "affine-loop-unroll-jam";

/// Operations that a loop may become, at most.
const MOST_OPERATIONS: u64 = 1 << 16;

impl Pass for AffineLoopUnrollJam {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        if self.unroll_jam_factor == 0 {
            return Err(Diagnostic::error("an unroll factor of 0 leaves no loop".to_owned()));
        }
        let apart = apart(self.assume_apart);
        on_outermost_loops(ir, op, cx, |ir, nest, root| match AffineForOp::cast(ir, root) {
            Some(view) => unroll_jam(ir, nest, view, self.unroll_jam_factor, apart),
            None => Err(Refusal::new(STEP, root, "it is no affine.for")),
        });
        Ok(())
    }
}

/// Lets a loop do `factor` iterations in one, together in the loops inside it.
///
/// # Errors
/// The loop carries values, a loop inside depends on it, a dependence would go backwards, or the rest
/// cannot be said by an affine bound.
pub fn unroll_jam(
    ir: &mut Ir,
    nest: &Nest,
    view: AffineForOp,
    factor: u64,
    apart: Apart,
) -> Result<Vec<Op>, Refusal> {
    let op = view.op();
    let refuse = |at: Op, rule: &str| Err(Refusal::new(STEP, at, rule));
    if factor <= 1 {
        normalize::promote(ir, view);
        return Ok(Vec::new());
    }
    if ir.ops(view.body(ir)).nth(1).is_none() {
        return Ok(Vec::new());
    }
    if !free(ir, op) {
        return refuse(op, "the program says how the loop is executed");
    }
    if !view.inits(ir).is_empty() {
        return refuse(op, "the loop carries values");
    }
    let inside: Vec<Op> = ir.nested_ops(op, WalkOrder::PreOrder);
    let length = inside.len() as u64;
    if length.saturating_mul(factor) > MOST_OPERATIONS {
        return Err(Refusal::new(STEP, op, "the code would be too long").limit(
            "operations",
            i64::try_from(length.saturating_mul(factor)).unwrap_or(i64::MAX),
            MOST_OPERATIONS as i64,
        ));
    }
    for &inner in inside.iter().filter(|&&inner| inner != op && AffineForOp::is(ir, inner)) {
        let inner = AffineForOp(inner);
        let bounds = inner.lowerBoundOperands(ir).into_iter().chain(inner.upperBoundOperands(ir));
        for bound in bounds.collect::<Vec<_>>() {
            if computed_in(ir, bound, op) {
                return refuse(inner.op(), "its bounds depend on the loop that is unrolled");
            }
        }
    }
    if constant_trips(ir, view).is_some_and(|trips| trips < factor) {
        return refuse(op, "the loop has fewer iterations than the factor");
    }
    let Some(span) = i64::try_from(factor).ok().and_then(|n| n.checked_mul(view.step_value(ir)))
    else {
        return refuse(op, "the factor is too large");
    };
    let runs = runs(ir, view);
    let graph = super::graph(ir, nest, STEP, &[op], apart)?;
    for edge in &graph.edges {
        if goes_backwards(ir, edge, &runs) {
            return Err(Refusal {
                step: STEP,
                rule: "a dependence would go backwards between iterations that are put together"
                    .to_owned(),
                at: Some(op),
                witness: Some(Witness::new(edge, None)),
                limit: None,
                way_round: None,
            });
        }
    }
    if !divisor(ir, view).is_multiple_of(factor) && !split_rest(ir, view, factor as i64, span) {
        return refuse(op, "the iterations that are left cannot be counted by an affine bound");
    }
    jam(ir, view, factor, &runs);
    let step = ir.ctx.index_attr(span);
    ir.set_attr(op, "step", step);
    normalize::promote(ir, view);
    Ok(Vec::new())
}

/// Takes a step of a plan; the loop that does several iterations in one, and behind it that of those that are left, where they
/// are there. Buffers that are assumed to be apart join `apart`.
///
/// # Errors
/// There is no such loop of the compiler's to order, or [`unroll_jam`] refuses it. Nothing was changed.
pub fn take(
    ir: &mut Ir,
    func: Op,
    nest: &Nest,
    region: RegionOp,
    step: &step::UnrollJam,
    apart: &mut IndexSet<(Value, Value)>,
) -> Result<Vec<Op>, Refusal> {
    let refuse = |at: Op, rule: &str| Err(Refusal::new(STEP, at, rule));
    let Some(op) = names::find(ir, func, &step.name) else {
        return refuse(func, &format!("there is no loop '{}'", step.name));
    };
    let Some(view) = AffineForOp::cast(ir, op) else {
        return refuse(op, "it is no sequential loop whose iterations are in closed form");
    };
    if !super::free_loops(ir, region).contains(&op) {
        return refuse(op, "the program says how the loop is executed");
    }
    let graph = super::graph(ir, nest, STEP, &[op], Apart::Assumed)?;
    let factor = u64::try_from(step.factor).unwrap_or(0);
    // A loop of one iteration goes; what it did is there.
    let block = ir.parent_block(op);
    let before = block.and_then(|block| ir.ops(block).take_while(|&at| at != op).last());
    let behind = ir.next_op(op);
    unroll_jam(ir, nest, view, factor, Apart::Assumed)?;
    apart.extend(graph.assumed_apart.iter().copied());
    let first = match before {
        Some(before) => ir.next_op(before),
        None => block.and_then(|block| ir.first_op(block)),
    };
    let new =
        std::iter::successors(first, |&at| ir.next_op(at)).take_while(|&at| Some(at) != behind);
    let made: Vec<Op> = new.filter(|&at| AffineForOp::is(ir, at)).collect();
    if let [main, rest] = made[..]
        && main == op
    {
        names::set(ir, rest, &format!("{}.rest", step.name));
    }
    names::renew(ir, func);
    Ok(made)
}

/// Whether a value is computed in a loop, or is its variable.
fn computed_in(ir: &Ir, value: Value, op: Op) -> bool {
    let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
    owner.is_some_and(|owner| owner == op || ir.is_inside(owner, op))
}

/// Operations that are repeated together: those without a loop in them, in a row, in the order of the
/// program; those of inner loops stand in runs of their own.
fn runs(ir: &Ir, view: AffineForOp) -> Vec<Vec<Op>> {
    let mut found = Vec::new();
    let mut run = Vec::new();
    for op in ir.ops(view.body(ir)) {
        if ir.has_trait(op, Traits::TERMINATOR) {
            continue;
        }
        match AffineForOp::cast(ir, op) {
            Some(inner) => {
                found.push(std::mem::take(&mut run));
                found.extend(runs(ir, inner));
            }
            None => run.push(op),
        }
    }
    found.push(run);
    found.retain(|run| !run.is_empty());
    found
}

/// Whether a dependence between different outer iterations would be turned round: in the loops inside that
/// both ends are in it goes back, or it goes from a later run of operations to an earlier one.
fn goes_backwards(ir: &Ir, edge: &Edge, runs: &[Vec<Op>]) -> bool {
    let run_of = |op: Op| {
        runs.iter().position(|run| run.iter().any(|&each| each == op || ir.is_inside(op, each)))
    };
    let (source, sink) = (run_of(edge.source.op), run_of(edge.sink.op));
    let same_run = source.is_some() && source == sink;
    edge.vectors.iter().any(|vector| {
        let Some((&outer, inner)) = vector.split_first() else { return true };
        if outer != Direction::Less {
            return outer == Direction::Greater;
        }
        match inner.iter().find(|&&direction| direction != Direction::Equal) {
            Some(&direction) => direction == Direction::Greater,
            // In one iteration of what both are in.
            None => !same_run && (source.is_none() || sink.is_none() || source > sink),
        }
    })
}

/// Repeats each run behind itself, and lets inner loops carry what they carry for each iteration.
fn jam(ir: &mut Ir, view: AffineForOp, factor: u64, runs: &[Vec<Op>]) {
    let (variable, step) = (view.induction_var(ir), view.step_value(ir));
    let inner: Vec<Op> = ir
        .nested_ops(view.op(), WalkOrder::PreOrder)
        .into_iter()
        .filter(|&op| op != view.op() && AffineForOp::is(ir, op))
        // Those in conditionals are repeated with these.
        .filter(|&op| !runs.iter().flatten().any(|&each| ir.is_inside(op, each)))
        .collect();
    let mut copies: Vec<ValueMap> = (1..factor).map(|_| ValueMap::new()).collect();
    // Loops first receive further arguments and results; what these are is known once all is copied.
    let mut widened: Vec<(Op, usize)> = Vec::new();
    for op in inner {
        let carried = AffineForOp(op).inits(ir).len();
        if carried == 0 {
            continue;
        }
        let new = widen(ir, AffineForOp(op), factor as usize, &mut copies);
        widened.push((new, carried));
    }
    for run in runs {
        let Some(&last) = run.last() else { continue };
        let mut at = last;
        for number in 1..factor {
            let map = &mut copies[number as usize - 1];
            let mut b = Builder::after(ir, at);
            let uses = |b: &Builder<'_>, op: Op| {
                b.nested_ops(op, WalkOrder::PreOrder)
                    .into_iter()
                    .any(|op| b.operands(op).any(|operand| operand == variable))
            };
            if run.iter().any(|&op| uses(&b, op)) {
                let (dim, further) = (b.ctx.dim_expr(0), b.ctx.constant_expr(number as i64 * step));
                let sum = b.ctx.add_expr(dim, further);
                let later = AffineValue { map: b.ctx.map(1, 0, &[sum]), operands: vec![variable] };
                let value = AffineApplyOp::create(&mut b, &later);
                map.insert(variable, value);
                at = b.defining_op(value).unwrap_or(at);
            }
            for &op in run {
                let copy = ir.clone_op(op, map);
                ir.insert_after(at, copy);
                at = copy;
            }
        }
    }
    // Initial values and yielded ones of the further iterations.
    for (op, carried) in widened {
        let view = AffineForOp(op);
        let first = view.lowerBoundOperands(ir).len() + view.upperBoundOperands(ir).len();
        let Some(end) = ir.last_op(view.body(ir)) else { continue };
        let mut yielded: Vec<Value> = ir.operands(end).collect();
        for (number, map) in copies.iter().enumerate() {
            for i in 0..carried {
                let init = map.get(ir.operand(op, first + i));
                ir.set_operand(op, first + (number + 1) * carried + i, init);
                yielded.push(map.get(yielded[i]));
            }
        }
        ir.set_operands(end, &yielded);
        debug_assert!(AffineYieldOp::is(ir, end));
    }
}

/// A loop in place of one that carries values, which carries them `factor` times; the further ones are the
/// copies of the first. Its yield is still the old one.
fn widen(ir: &mut Ir, view: AffineForOp, factor: usize, copies: &mut [ValueMap]) -> Op {
    let op = view.op();
    let inits = view.inits(ir).to_vec();
    let carried = inits.len();
    let all: Vec<Value> = inits.iter().copied().cycle().take(carried * factor).collect();
    let types: Vec<_> = all.iter().map(|&init| ir.ty(init)).collect();
    let (lower, upper) = (view.lower_bound(ir), view.upper_bound(ir));
    let attrs = ir.attrs(op);
    let location = ir.location(op);
    let body = view.body(ir);
    for &ty in &types[carried..] {
        ir.add_argument(body, ty, location);
    }
    let region = ir.create_region();
    let old = view.region(ir);
    ir.move_blocks(old, region);
    let [low, high] = [&lower, &upper].map(|bound| ir.ctx.map_attr(bound.map));
    let mut b = Builder::before(ir, op);
    let new = AffineForOp::new(&mut b, &lower.operands, &upper.operands, &all)
        .attr(&mut b, "lowerBoundMap", low)
        .attr(&mut b, "upperBoundMap", high)
        .result_group(&types)
        .region(region)
        .build(&mut b);
    for (name, attr) in ir.ctx.dict_entries(attrs).to_vec() {
        if ir.attr_ident(new, name).is_none() {
            let name = ir.ctx.str(name).to_owned();
            ir.set_attr(new, &name, attr);
        }
    }
    let (arguments, results) = (ir.arguments(body)[1..].to_vec(), ir.results(new).to_vec());
    for (number, map) in copies.iter_mut().enumerate() {
        for i in 0..carried {
            let further = (number + 1) * carried + i;
            map.insert(arguments[i], arguments[further]);
            map.insert(results[i], results[further]);
        }
    }
    ir.replace_op(op, &results[..carried]);
    new
}
