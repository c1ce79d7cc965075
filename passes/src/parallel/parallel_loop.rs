//! Turning a sequential counted loop into a parallel one.

use gpuc_dialects::affine::{AffineForOp, AffineYieldOp};
use gpuc_dialects::offload::{AUTO_ATTR, SCHEDULE_ATTR};
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::op::LoopCarried;
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, ValueMap};

use super::carried_scalar::Compared;
use crate::raise::parallel_nest::ParallelNest;
use crate::raise::raise_affine::copy_marks;
use crate::raise::reduction::Reduction;

/// A carried value that iterations only combine something into.
#[derive(Clone, Copy, Debug)]
pub struct CarriedReduction {
    /// The value.
    pub carried: LoopCarried,
    /// The operator.
    pub kind: Reduction,
    /// Whether integers are compared as unsigned.
    pub unsigned: bool,
    /// How numbers with fractions are compared, where they are.
    pub compared: Option<Compared>,
}

impl CarriedReduction {
    /// What is there behind the loop: `init`, which was there before, combined with the `part` that the
    /// iterations have made of the value that changes nothing.
    ///
    /// A maximum or minimum is what the loop in order gives where `init` is not a number, too: that stays
    /// where C's comparisons keep it, and where no iteration has a number.
    pub fn join(&self, b: &mut Builder<'_>, init: Value, part: Value) -> Value {
        let ty = b.ty(init);
        let combined = self.kind.combine(b, init, part, self.unsigned);
        if !(b.ctx.is_float(ty) && matches!(self.kind, Reduction::Max | Reduction::Min)) {
            return combined;
        }
        let keeps = match self.compared {
            Some(Compared::Keeps) => {
                let uno = arith::CmpFPredicate::Uno.attr(&mut b.ctx);
                arith::CmpFOp::new(b, init, init).attr(b, "predicate", uno).value(b)
            }
            Some(Compared::Takes) | None => {
                let none = self.kind.identity(b, ty, self.unsigned);
                let oeq = arith::CmpFPredicate::Oeq.attr(&mut b.ctx);
                arith::CmpFOp::new(b, part, none).attr(b, "predicate", oeq).value(b)
            }
        };
        arith::SelectOp::new(b, keeps, init, combined).value(b)
    }
}

/// Turns a sequential loop into a parallel one that carries nothing but `reductions`, and gives that;
/// `None`, with nothing changed, where the loop cannot express them.
pub fn make_parallel(ir: &mut Ir, op: Op, reductions: &[CarriedReduction]) -> Option<Op> {
    let carried = ir.loop_carried(op);
    // What one starts from may be what a loop in front of this one left, which has been made parallel since it was looked at.
    let now = |r: &CarriedReduction| {
        let own = carried.iter().find(|each| each.argument == r.carried.argument)?;
        Some(CarriedReduction { carried: *own, ..*r })
    };
    let reductions: Vec<CarriedReduction> = reductions.iter().map(now).collect::<Option<_>>()?;
    let types: Vec<Type> = reductions.iter().map(|r| ir.ty(r.carried.init)).collect();
    let kinds: Option<Vec<i64>> = reductions
        .iter()
        .zip(&types)
        .map(|(r, &ty)| r.kind.atomic_kind(&ir.ctx, ty, r.unsigned))
        .collect();
    let affine = AffineForOp::cast(ir, op);
    if affine.is_some() && kinds.is_none() {
        return None;
    }
    // In the body, carried values start from the identities.
    let mut b = Builder::before(ir, op);
    let identities: Vec<Value> = reductions
        .iter()
        .zip(&types)
        .map(|(r, &ty)| r.kind.identity(&mut b, ty, r.unsigned))
        .collect();
    for each in &carried {
        let reduction = reductions.iter().position(|r| r.carried == *each);
        let start = reduction.map_or(each.init, |i| identities[i]);
        ir.replace_all_uses(each.argument, start);
    }
    let body = ir.body(op, 0);
    for _ in 0..carried.len() {
        ir.remove_argument(body, 1);
    }
    let end = ir.last_op(body)?;
    let yielded: Vec<Value> = reductions
        .iter()
        .zip(&identities)
        .map(|(r, &identity)| contribution(ir, r.carried.yielded, identity, end))
        .collect();
    let region = ir.create_region();
    let new = match affine {
        Some(view) => {
            let (lower, upper) = (view.lower_bound(ir), view.upper_bound(ir));
            let step = view.step_value(ir);
            AffineYieldOp::new(&mut Builder::before(ir, end), &yielded)
                .build(&mut Builder::before(ir, end));
            ir.erase_op(end);
            ir.move_blocks(ir.region(op, 0), region);
            let counts = [&lower, &upper].map(|bound| bound.results(&ir.ctx).len() as i64);
            let nest = ParallelNest {
                lower: (lower, vec![counts[0]]),
                upper: (upper, vec![counts[1]]),
                steps: vec![step],
                reductions: kinds?.into_iter().zip(types).collect(),
            };
            nest.build(&mut Builder::before(ir, op), region)
        }
        None => {
            let view = scf::ForOp(op);
            let (lower, upper, step) = (view.lowerBound(ir), view.upperBound(ir), view.step(ir));
            let mut b = Builder::before(ir, end);
            let mut reduce = scf::ReduceOp::new(&mut b, &yielded);
            for (r, &ty) in reductions.iter().zip(&types) {
                let combiner = b.region(&[ty, ty], |b, arguments| {
                    let combined = r.kind.combine(b, arguments[0], arguments[1], r.unsigned);
                    scf::ReduceReturnOp::new(b, combined).build(b);
                });
                reduce = reduce.region(combiner);
            }
            reduce.build(&mut b);
            ir.erase_op(end);
            ir.move_blocks(ir.region(op, 0), region);
            let mut b = Builder::before(ir, op);
            scf::ParallelOp::new(&mut b, &[lower], &[upper], &[step], &identities)
                .result_group(&types)
                .region(region)
                .build(&mut b)
        }
    };
    copy_marks(ir, op, new);
    ir.remove_attr(new, AUTO_ATTR);
    if ir.attr(new, SCHEDULE_ATTR).is_none() {
        let empty = ir.ctx.array_attr(&[]);
        ir.set_attr(new, SCHEDULE_ATTR, empty);
    }
    // What was there before joins behind the loop.
    let mut b = Builder::after(ir, new);
    for (i, r) in reductions.iter().enumerate() {
        let init = reload_behind(&mut b, r.carried.init, new);
        let part = b.result(new, i);
        let combined = r.join(&mut b, init, part);
        b.replace_all_uses(r.carried.result, combined);
    }
    ir.erase_op(op);
    Some(new)
}

/// What an iteration contributes: the yielded value, less a last combination with the identity.
fn contribution(ir: &mut Ir, yielded: Value, identity: Value, end: Op) -> Value {
    let Some(op) = ir.defining_op(yielded) else { return yielded };
    if Reduction::of_op(ir, op).is_none() || !ir.has_one_use(yielded) {
        return yielded;
    }
    let other = match (ir.operand(op, 0), ir.operand(op, 1)) {
        (left, right) if left == identity && right != identity => right,
        (left, right) if right == identity && left != identity => left,
        _ => return yielded,
    };
    // Its one use is the terminator, which goes.
    ir.set_operands(end, &[]);
    ir.erase_op(op);
    other
}

/// A scalar that was loaded in front of the loop is loaded again behind it, where it is used, unless
/// something has stored to it: so no value has to be kept from one kernel to the next.
fn reload_behind(b: &mut Builder<'_>, value: Value, behind: Op) -> Value {
    let Some(op) = b.defining_op(value) else { return value };
    let Some(load) = memref::LoadOp::cast(b, op) else { return value };
    let scalar = load.memref(b);
    let stored =
        b.users(scalar).any(|user| memref::StoreOp::is(b, user) && b.is_inside(user, behind));
    let between = std::iter::successors(b.next_op(op), |&at| b.next_op(at))
        .take_while(|&at| at != behind)
        .any(|at| !b.is_effect_free(at) && !memref::LoadOp::is(b, at));
    let neighbours = b.parent_block(op) == b.parent_block(behind);
    if stored || between || !neighbours {
        return value;
    }
    let copy = b.clone_op(op, &mut ValueMap::new());
    b.insert(copy);
    b.result(copy, 0)
}
