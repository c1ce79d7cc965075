//! `promote-scalars`: a shared scalar that a loop updates is local to the loop while it runs.
//!
//! In `kernels` and `serial` regions, a scalar of the program that is written there lives in device
//! memory, and a sum over it reads and writes memory in every iteration. This copies it to a local
//! variable in front of the outermost loop and back behind it; `mem2reg` then makes it a value that
//! the loop carries, which is what `recognize-parallel` knows reductions by. Where a pointer in the loop may point to the scalar, which
//! has its address taken, the region is made twice, with a test.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::offload::{Construct, RegionOp};
use gpuc_dialects::{memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, WalkOrder};

use indexmap::IndexSet;

use crate::analysis::access::{Alias, Storage, alias, known_name, root};
use crate::analysis::names;
use crate::versions::{Unassuming, if_apart, in_fallback};

gpuc_ir::pass! {
    /// Keep shared scalars in local variables while loops update them.
    PromoteScalars = "promote-scalars" on "func.func" {}
}

impl Pass for PromoteScalars {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            // The gangs of a parallel region would each have a copy of their own.
            if region.kind(ir) == Construct::Parallel || in_fallback(ir, inner) {
                continue;
            }
            let (mut found, mut apart) = (Vec::new(), IndexSet::new());
            for loop_op in outermost_loops(ir, inner) {
                for scalar in updated_scalars(ir, loop_op, inner) {
                    let others = others(ir, loop_op, scalar).into_iter();
                    apart.extend(others.map(|other| (scalar, other)));
                    found.push((loop_op, scalar));
                }
            }
            let kept = (!apart.is_empty()).then(|| Unassuming::keep(ir, inner));
            for (loop_op, scalar) in found {
                promote(ir, loop_op, scalar);
            }
            if let Some(kept) = kept {
                report(ir, inner, &apart, cx);
                kept.require_disjoint(ir, &apart, inner);
            }
        }
        Ok(())
    }
}

/// What pointers in a loop point to that may be the scalar, which has to be tested.
fn others(ir: &Ir, loop_op: Op, scalar: Value) -> IndexSet<Value> {
    let own = Storage::of(ir, scalar);
    let buffers = ir.nested_ops(loop_op, WalkOrder::PreOrder).into_iter();
    let roots = buffers.filter_map(|op| Some(root(ir, ir.memory_access(op)?.buffer)));
    let may_be =
        |&other: &Value| other != scalar && alias(own, Storage::of(ir, other)) == Alias::Mapped;
    roots.filter(may_be).collect()
}

/// Says that scalars are taken not to be what pointers point to.
fn report(ir: &Ir, region: Op, apart: &IndexSet<(Value, Value)>, cx: &mut PassContext<'_>) {
    let place = ir.ctx.place(ir.location(region));
    let mut said = Diagnostic::remark("Scalars are kept in registers".to_owned())
        .code(codes::ASSUMED_APART)
        .at_option(place);
    for &(scalar, other) in apart {
        said = said.help(if_apart(ir, [scalar, other]));
    }
    cx.report(said);
}

fn is_sequential_loop(ir: &Ir, op: Op) -> bool {
    ir.is_sequential_loop(op) || scf::WhileOp::is(ir, op)
}

/// Sequential loops of a region that stand in no other loop.
fn outermost_loops(ir: &Ir, region: Op) -> Vec<Op> {
    let in_loop = |op: Op| {
        ir.ancestors(op).take_while(|&outer| outer != region).any(|outer| ir.is_loop(outer))
    };
    ir.nested_ops(region, WalkOrder::PreOrder)
        .into_iter()
        .filter(|&op| is_sequential_loop(ir, op) && !in_loop(op))
        .collect()
}

/// Scalars from outside the region that a loop stores to and uses by loads and stores only.
fn updated_scalars(ir: &Ir, loop_op: Op, region: Op) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for op in ir.nested_ops(loop_op, WalkOrder::PreOrder) {
        let Some(access) = ir.memory_access(op) else { continue };
        let scalar = access.buffer;
        if ir.stored_to_element_of(op, scalar).is_none() {
            continue;
        }
        let outside = ir
            .value_block(scalar)
            .and_then(|block| ir.block_op(block))
            .is_some_and(|owner| !ir.is_inside(owner, region));
        let rank0 = ir.ctx.shape(ir.ty(scalar)).is_some_and(<[i64]>::is_empty);
        if outside && rank0 && !found.contains(&scalar) && is_simple(ir, scalar, loop_op) {
            found.push(scalar);
        }
    }
    found
}

/// Whether the loop only loads and stores the scalar, and nowhere in a loop whose iterations may run
/// at once.
fn is_simple(ir: &Ir, scalar: Value, loop_op: Op) -> bool {
    ir.uses(scalar).all(|slot| {
        let user = ir.use_owner(slot);
        let parallel = ir
            .ancestors(user)
            .take_while(|&outer| outer != loop_op)
            .any(|outer| ir.has_trait(outer, gpuc_ir::op::Traits::PARALLEL_LOOP));
        let plain =
            ir.stored_to_element_of(user, scalar).is_some() || ir.reads_element_of(user, scalar);
        !ir.is_inside(user, loop_op) || (!parallel && plain)
    })
}

fn promote(ir: &mut Ir, loop_op: Op, scalar: Value) {
    let ty = ir.ty(scalar);
    let Some(element) = ir.ctx.element(ty) else { return };
    let local_ty = ir.ctx.memref(&[], element);
    let mut b = Builder::before(ir, loop_op);
    let local = memref::AllocaOp::new(&mut b, &[], &[]).result(local_ty).value(&mut b);
    if let Some(name) = known_name(&b, scalar).map(str::to_owned) {
        names::set(&mut b, local, &name);
    }
    let before = memref::LoadOp::new(&mut b, scalar, &[]).value(&mut b);
    memref::StoreOp::new(&mut b, before, local, &[]).build(&mut b);
    ir.replace_uses_if(scalar, local, |ir, slot| ir.is_inside(ir.use_owner(slot), loop_op));
    let mut b = Builder::after(ir, loop_op);
    let after = memref::LoadOp::new(&mut b, local, &[]).value(&mut b);
    memref::StoreOp::new(&mut b, after, scalar, &[]).build(&mut b);
}
