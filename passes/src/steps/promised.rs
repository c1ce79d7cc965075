//! Loops of which the program says that their iterations are independent, for steps that give them another order: they are loops in
//! order while the step is taken, so that what is proven is proven of them too, and independent again behind it, where that still holds.

use gpuc_dialects::affine::{AffineForOp, AffineParallelOp, AffineValue, AffineYieldOp};
use gpuc_dialects::offload::SCHEDULE_ATTR;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_ir::pass::Analysis;
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, WalkOrder};
use indexmap::IndexSet;

use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted};
use crate::parallel::parallel_loop::make_parallel;
use crate::parallel::schedule::is_asked;
use crate::plan::names;
use crate::plan::step::Step;
use crate::raise::raise_affine::copy_marks;

/// Makes loops in order of the independent ones that a step is about, and of those in them; their names. Those that combine values, or
/// whose executor the program says, are left as they are.
pub fn open(ir: &mut Ir, func: Op, roots: &[&String]) -> IndexSet<String> {
    let mut opened = IndexSet::new();
    for root in roots {
        let Some(root) = names::find(ir, func, root) else { continue };
        for op in ir.nested_ops(root, WalkOrder::PostOrder) {
            if let Some(view) = AffineParallelOp::cast(ir, op).filter(|&view| is_open(ir, view)) {
                opened.extend(names::of_loop(ir, op));
                in_order(ir, view);
            }
        }
    }
    opened
}

fn is_open(ir: &Ir, view: AffineParallelOp) -> bool {
    ir.results(view.op()).is_empty()
        && ir.attr(view.op(), MAPPING_ATTR).is_none()
        && ir.attr(view.op(), SCHEDULE_ATTR).is_some()
        && !is_asked(ir, view.op())
}

/// A loop in order for each dimension, in each other.
fn in_order(ir: &mut Ir, view: AffineParallelOp) {
    let (lower, upper) = (view.lower_bounds(ir), view.upper_bounds(ir));
    let (lows, highs, steps) = (view.lower_groups(ir), view.upper_groups(ir), view.step_values(ir));
    let variables = view.induction_vars(ir).to_vec();
    let body = view.body(ir);
    let part = |ir: &mut Ir, value: &AffineValue, groups: &[i64], dim: usize| {
        let data = ir.ctx.map_data(value.map).clone();
        let start = groups[..dim].iter().sum::<i64>() as usize;
        let own: Vec<AffineExpr> = data.results[start..start + groups[dim] as usize].to_vec();
        AffineValue {
            map: ir.ctx.map(data.dims, data.symbols, &own),
            operands: value.operands.clone(),
        }
    };
    let mut outermost: Option<AffineForOp> = None;
    let mut inside: Option<Op> = None;
    for (dim, &variable) in variables.iter().enumerate() {
        let low = part(ir, &lower, &lows, dim);
        let high = part(ir, &upper, &highs, dim);
        let own = ir.value_location(variable);
        let mut b = match inside {
            None => Builder::before(ir, view.op()),
            Some(end) => Builder::before(ir, end),
        };
        let made = AffineForOp::create(&mut b, &low, &high, steps[dim], &[], |b, now, _| {
            b.set_value_location(now, own);
            b.replace_all_uses(variable, now);
            Vec::new()
        });
        inside = ir.last_op(made.body(ir));
        copy_marks(ir, view.op(), made.op());
        outermost.get_or_insert(made);
    }
    let ops: Vec<Op> = ir.ops(body).filter(|&op| !AffineYieldOp::is(ir, op)).collect();
    if let Some(end) = inside {
        ops.into_iter().for_each(|op| ir.move_before(end, op));
    }
    ir.erase_op(view.op());
}

/// Makes loops independent again behind a step that has made `made` of them.
pub fn close(ir: &mut Ir, func: Op, step: &Step, made: &[Op], opened: &IndexSet<String>) {
    if opened.is_empty() {
        return;
    }
    // Each of the loops that one is distributed to has some of its dependences. Of two that are one now, an iteration may
    // need what another has left.
    let fused = match step {
        Step::Fuse(step) => Some(&step.to),
        _ => None,
    };
    let of_opened = |name: &str| {
        opened.iter().any(|known| {
            name == known
                || name.strip_prefix(known.as_str()).is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let mut all: Vec<Op> = Vec::new();
    for &root in made {
        all.extend(ir.nested_ops(root, WalkOrder::PostOrder));
    }
    for op in all {
        // One that carries values stays in order.
        if !AffineForOp::is(ir, op) || !ir.loop_carried(op).is_empty() {
            continue;
        }
        let name = names::of(ir, op);
        if !of_opened(&name) {
            continue;
        }
        if fused == Some(&name) {
            let nest = Nest::compute(ir, func);
            let carries = nest.carried(ir, op, Apart::Assumed, Wanted::Any);
            if carries.is_ok_and(|found| found.dependence.is_some()) {
                continue;
            }
        }
        make_parallel(ir, op, &[]);
    }
}
