//! Scalars that each iteration sets anew, and whose last value is needed behind the loop.
//!
//! `for (i = 0; i < n; i++) { t = a[i]; b[i] = t * t; }` leaves `a[n - 1]` in `t`. In parallel, the
//! iteration that is the last in order stores it.

use gpuc_dialects::affine::{AffineForOp, AffineMinOp};
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::op::LoopCarried;
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value};

/// The store behind a loop that all the loop's result is there for.
#[derive(Clone, Copy, Debug)]
pub struct LastStore {
    store: Op,
    scalar: Value,
    /// What must hold besides.
    condition: Option<Value>,
    /// What a loop without iterations leaves.
    init: Value,
}

impl LastStore {
    /// The only use of a loop's result, if it is a store to a scalar right behind the loop, maybe
    /// under a condition that is known in front of it.
    pub fn find(
        ir: &Ir,
        op: Op,
        LoopCarried { init, result, .. }: LoopCarried,
    ) -> Option<LastStore> {
        let user = ir.users(result).next().filter(|_| ir.has_one_use(result))?;
        let store = memref::StoreOp::cast(ir, user)?;
        let scalar = store.memref(ir);
        let rank0 = ir.ctx.shape(ir.ty(scalar)).is_some_and(<[i64]>::is_empty);
        if !rank0 || store.value(ir) != result {
            return None;
        }
        let block = ir.parent_block(op)?;
        let top = ir.ancestor_in_block(user, block)?;
        let condition = match top == user {
            true => None,
            false => Some(plain_condition(ir, top, user)?),
        };
        if let Some(condition) = condition
            && let Some(def) = ir.defining_op(condition)
            && ir.parent_block(def) == Some(block)
            && std::iter::successors(ir.next_op(op), |&at| ir.next_op(at)).any(|at| at == def)
        {
            return None;
        }
        // Nobody looks at the scalar in the loop, nor between it and the store.
        let used_inside = ir.users(scalar).any(|other| other != user && ir.is_inside(other, op));
        let quiet = std::iter::successors(ir.next_op(op), |&at| ir.next_op(at))
            .take_while(|&at| at != top)
            .all(|at| is_quiet(ir, at, scalar));
        (!used_inside && quiet).then_some(LastStore { store: store.op(), scalar, condition, init })
    }

    /// Moves the store into the body of the loop that `op` has become, before it is made parallel.
    pub fn apply(self, ir: &mut Ir, op: Op, yielded: Value) -> Option<()> {
        let loaded = ir
            .defining_op(self.init)
            .and_then(|def| memref::LoadOp::cast(ir, def))
            .is_some_and(|load| load.memref(ir) == self.scalar);
        let mut b = Builder::before(ir, op);
        if !loaded {
            memref::StoreOp::new(&mut b, self.init, self.scalar, &[]).build(&mut b);
        }
        let (variable, upper, step) = if let Some(view) = AffineForOp::cast(&b, op) {
            let (bound, step) = (view.upper_bound(&b), view.step_value(&b));
            let step = arith::constant_index(&mut b, step);
            (view.induction_var(&b), AffineMinOp::create(&mut b, &bound), step)
        } else {
            let view = scf::ForOp::cast(&b, op)?;
            (view.induction_var(&b), view.upperBound(&b), view.step(&b))
        };
        let body = b.body(op, 0);
        let end = b.last_op(body)?;
        b.set_point(InsertPoint::Start(body));
        let next = arith::AddIOp::new(&mut b, variable, step).value(&mut b);
        let sge = arith::CmpIPredicate::Sge.attr(&mut b.ctx);
        let mut last =
            arith::CmpIOp::new(&mut b, next, upper).attr(&mut b, "predicate", sge).value(&mut b);
        if let Some(condition) = self.condition {
            last = arith::AndIOp::new(&mut b, last, condition).value(&mut b);
        }
        b.set_point(InsertPoint::Before(end));
        b.location = b.location(self.store);
        let scalar = self.scalar;
        let then = b.region(&[], |b, _| {
            memref::StoreOp::new(b, yielded, scalar, &[]).build(b);
            scf::YieldOp::new(b, &[]).build(b);
        });
        scf::IfOp::new(&mut b, last).region(then).build(&mut b);
        ir.erase_op(self.store);
        Some(())
    }
}

/// The condition of an `scf.if` that does nothing but one store.
fn plain_condition(ir: &Ir, op: Op, store: Op) -> Option<Value> {
    let view = scf::IfOp::cast(ir, op)?;
    let alone = ir.parent_op(store) == Some(op)
        && ir.parent_block(store) == Some(view.then_block(ir))
        && ir.ops(view.then_block(ir)).count() == 2
        && view.else_block(ir).is_none_or(|block| ir.ops(block).count() == 1);
    (alone && ir.results(op).is_empty()).then(|| view.condition(ir))
}

/// Whether an operation has nothing to do with a scalar: no effects, or an access to another scalar.
fn is_quiet(ir: &Ir, op: Op, scalar: Value) -> bool {
    let Some(access) = ir.memory_access(op) else { return ir.is_effect_free(op) };
    let buffer = access.buffer;
    !access.kind.is_atomic()
        && buffer != scalar
        && ir.ctx.shape(ir.ty(buffer)).is_some_and(<[i64]>::is_empty)
}
