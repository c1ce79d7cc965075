//! `scf-for-loop-canonicalization`: minima and maxima in loops that the loops' bounds and steps decide.
//!
//! Needs `affine.min` and `affine.max` inside counted loops, as tiling makes them for sizes of tiles. Where one of their
//! results is the least, or greatest, in all iterations, they become it; numbers are preferred. The extent of a buffer
//! that a loop hands on unchanged is that of the buffer it began with. What follows is folded. Named as MLIR's pass.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineMaxOp, AffineMinOp, AffineValue, build_affine_value};
use gpuc_dialects::memref;
use gpuc_ir::op::{Subscripts, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::rewrite::{GreedyConfig, PatternSet, apply_greedily};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueDef, WalkOrder};
use gpuc_presburger::{Affine, BasicSet, Constraint};

use crate::analysis::access::subscripts;
use crate::analysis::domain::Domain;
use crate::analysis::loops::nest;

gpuc_ir::pass! {
    /// Replace minima and maxima in loops by what bounds and steps say they are.
    ScfForLoopCanonicalization = "scf-for-loop-canonicalization" {}
}

impl Pass for ScfForLoopCanonicalization {
    fn run(&mut self, ir: &mut Ir, root: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        loop {
            let mut changed = false;
            for op in ir.nested_ops(root, WalkOrder::PreOrder) {
                changed |= decide(ir, op) || look_behind_loop(ir, op);
            }
            // What is not final is right.
            let _ = apply_greedily(ir, root, &PatternSet::new(), GreedyConfig::default());
            if !changed {
                return Ok(());
            }
        }
    }
}

/// Replaces a minimum or maximum by one of its results, if the loops round it say which.
fn decide(ir: &mut Ir, op: Op) -> bool {
    let least = AffineMinOp::cast(ir, op).and_then(|view| view.value(ir));
    let greatest = AffineMaxOp::cast(ir, op).and_then(|view| view.value(ir));
    let (value, is_min) = match (least, greatest) {
        (Some(value), _) => (value, true),
        (None, Some(value)) => (value, false),
        (None, None) => return false,
    };
    let Some(chosen) = decided(ir, op, &value, is_min) else { return false };
    let data = ir.ctx.map_data(value.map).clone();
    let map = ir.ctx.map(data.dims, data.symbols, &[data.results[chosen]]);
    let mut b = Builder::before(ir, op);
    let new = build_affine_value(&mut b, AffineValue { map, operands: value.operands });
    ir.replace_op(op, &[new]);
    true
}

/// The result of a map that is never greater than the others, or never less, in any iteration of the loops round `op`.
/// `None` too where these never run.
fn decided(ir: &Ir, op: Op, value: &AffineValue, is_min: bool) -> Option<usize> {
    let outermost = ir
        .ancestors(op)
        .take_while(|&around| !ir.has_trait(around, Traits::ISOLATED_FROM_ABOVE))
        .filter(|&around| ir.is_counted_loop(around))
        .last()?;
    let loops = nest(ir, op, outermost);
    let results = Subscripts::Map(value.map, value.operands.iter().copied().collect());
    let forms = subscripts(ir, &results).into_iter().collect::<Option<Vec<_>>>()?;
    let mut domain = Domain::inside(outermost);
    domain.add_nest(ir, &loops);
    forms.iter().for_each(|form| domain.add_params_of(ir, &loops, form));
    domain.add_context(ir);
    let mut iterations = BasicSet::universe(domain.set_space(loops.len()));
    domain.constrain(&mut iterations, &loops).ok()?;
    let mut affine: Vec<Affine> = Vec::new();
    for form in &forms {
        affine.push(domain.quasi_affine(&mut iterations, &loops, form).ok()??);
    }
    if iterations.is_empty() != Ok(false) {
        return None;
    }
    let is_extreme = |&one: &usize| {
        affine.iter().all(|other| {
            let (low, high) = if is_min { (&affine[one], other) } else { (other, &affine[one]) };
            let mut against = iterations.clone();
            let added = against.add(&Constraint::lt(high.clone(), low.clone()));
            matches!(added.and_then(|()| against.is_empty()), Ok(true))
        })
    };
    let (numbers, others): (Vec<usize>, Vec<usize>) =
        (0..affine.len()).partition(|&one| affine[one].as_constant().is_some());
    numbers.into_iter().chain(others).find(is_extreme)
}

/// Asks the buffer that a loop began with for its extent, where the loop hands it on as it is.
fn look_behind_loop(ir: &mut Ir, op: Op) -> bool {
    let Some(view) = memref::DimOp::cast(ir, op) else { return false };
    let source = view.source(ir);
    let Some(before) = handed_on(ir, source) else { return false };
    // The type is the loop's: both are the same.
    let number = ir.operands(op).position(|operand| operand == source).unwrap_or(0);
    ir.set_operand(op, number, before);
    true
}

/// The value that a loop began with, for one that it carries or gives and never replaces.
fn handed_on(ir: &Ir, value: Value) -> Option<Value> {
    let owner = match ir.value_def(value) {
        ValueDef::Result(op, _) => op,
        ValueDef::Argument(block, _) => ir.block_op(block)?,
    };
    let carried = ir.loop_carried(owner);
    let found = carried.iter().find(|each| each.argument == value || each.result == value)?;
    let mut yielded = found.yielded;
    while yielded != found.argument {
        // A loop inside may have handed it on.
        ir.defining_op(yielded).filter(|&inner| ir.is_inside(inner, owner))?;
        yielded = handed_on(ir, yielded)?;
    }
    Some(found.init)
}
