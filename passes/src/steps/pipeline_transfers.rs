//! `affine-pipeline-data-transfer`: the transfer for the next iteration runs beside the work of this one.
//!
//! Needs loops of a known number of iterations with `affine.dma_start`s into faster memory in their bodies, and a wait for
//! each. What is transferred gets two places that iterations use in turn, tags too; the first transfer stands in front of
//! the loop, the work of the last iteration behind it. Named as MLIR's pass, whose result it has; other than that one it
//! does so only where nothing in the loop may write what is transferred, and where the loop reads of the buffer only what
//! the transfer of the same iteration has brought.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{
    AffineApplyOp, AffineDmaStartOp, AffineDmaWaitOp, AffineForOp, AffineValue, AffineYieldOp,
    compose,
};
use gpuc_dialects::{arith, memref};
use gpuc_ir::op::{EffectKind, Subscripts, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, DYNAMIC, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use indexmap::IndexSet;

use super::normalize::promote;
use super::refusal::Refusal;
use super::trips::constant_trips;
use crate::analysis::access::{
    Access, AccessKind, Alias, Storage, access, alias, root, subscripts,
};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::quasi_affine::QuasiAffine;
use crate::analysis::slice::is_defined_inside;

gpuc_ir::pass! {
    /// Overlap transfers into faster memory with the work on what was transferred before.
    AffinePipelineDataTransfer = "affine-pipeline-data-transfer" on "func.func" {}
}

const STEP: &str = "affine-pipeline-data-transfer";

impl Pass for AffinePipelineDataTransfer {
    fn run(&mut self, ir: &mut Ir, func: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for op in ir.nested_ops(func, WalkOrder::PostOrder) {
            let Some(view) = AffineForOp::cast(ir, op) else { continue };
            if let Err(refusal) = pipeline(ir, view) {
                cx.report(refusal.remark(ir));
            }
        }
        Ok(())
    }
}

/// A transfer and the wait for it.
#[derive(Clone, Copy)]
struct Transfer {
    start: AffineDmaStartOp,
    wait: AffineDmaWaitOp,
}

/// Lets the transfers of a loop run an iteration ahead; whether there were any.
///
/// # Errors
/// The loop's iterations are not known, a buffer is used by others than accesses, or behind the loop, or somebody may see
/// that the order has changed.
pub fn pipeline(ir: &mut Ir, view: AffineForOp) -> Result<bool, Refusal> {
    let transfers = transfers(ir, view);
    if transfers.is_empty() {
        return Ok(false);
    }
    let op = view.op();
    let Some(trips) = constant_trips(ir, view) else {
        return Err(Refusal::new(STEP, op, "how often the loop runs is not known"));
    };
    if trips < 2 || !view.carried(ir).is_empty() || view.lower_bound(ir).results(&ir.ctx).len() != 1
    {
        return Err(Refusal::new(STEP, op, "the loop runs once, or carries values"));
    }
    let mut buffers: IndexSet<Value> =
        transfers.iter().filter_map(|each| Some(each.start.parts(ir).get(1)?.0)).collect();
    buffers.extend(transfers.iter().filter_map(|each| Some(each.wait.parts(ir).first()?.0)));
    for &buffer in &buffers {
        may_be_doubled(ir, op, buffer)?;
    }
    for each in &transfers {
        stays_the_same(ir, op, *each, &transfers)?;
    }
    for &buffer in &buffers {
        double(ir, view, buffer);
    }
    skew(ir, view, &transfers, trips);
    Ok(true)
}

/// The transfers in the body into faster memory, each with its wait.
fn transfers(ir: &Ir, view: AffineForOp) -> Vec<Transfer> {
    let ops: Vec<Op> = ir.ops(view.body(ir)).collect();
    let starts = || ops.iter().filter_map(|&op| AffineDmaStartOp::cast(ir, op));
    let space = |buffer: Value| {
        let space = ir.ctx.memory_space(ir.ty(buffer)).flatten();
        space.and_then(|space| ir.ctx.int_value(space)).unwrap_or(0)
    };
    let mut found = Vec::new();
    for start in starts() {
        let parts = start.parts(ir);
        let [source, dest, tag] = &parts[..] else { continue };
        let goes_on =
            starts().any(|other| other.parts(ir).first().is_some_and(|(from, _)| *from == dest.0));
        if space(source.0) >= space(dest.0) || goes_on {
            continue;
        }
        let waits = ops.iter().filter_map(|&op| AffineDmaWaitOp::cast(ir, op));
        let mut matching = waits.filter(|wait| wait.parts(ir).first() == Some(tag));
        found.extend(matching.next().map(|wait| Transfer { start, wait }));
    }
    found
}

/// Whether all users of a buffer are accesses in the loop, or free it.
fn may_be_doubled(ir: &Ir, op: Op, buffer: Value) -> Result<(), Refusal> {
    let known = |user: Op| {
        memref::DeallocOp::is(ir, user)
            || (ir.is_inside(user, op)
                && (AffineDmaStartOp::is(ir, user)
                    || AffineDmaWaitOp::is(ir, user)
                    || ir.memory_access(user).is_some_and(|access| {
                        access.buffer == buffer
                            && access.value != buffer
                            && matches!(access.subscripts, Subscripts::Map(..))
                    })))
    };
    if let Some(other) = ir.users(buffer).find(|&user| !known(user)) {
        return Err(Refusal::new(
            STEP,
            other,
            "what is transferred is used by more than accesses in the loop",
        ));
    }
    let shape = ir.ctx.shape(ir.ty(buffer));
    if shape.is_none_or(|shape| shape.contains(&DYNAMIC)) && is_defined_inside(ir, buffer, op) {
        return Err(Refusal::new(
            STEP,
            op,
            "the extents of a buffer are not known in front of the loop",
        ));
    }
    Ok(())
}

/// Whether nobody sees that a transfer happens an iteration earlier, to another place.
fn stays_the_same(
    ir: &mut Ir,
    op: Op,
    transfer: Transfer,
    transfers: &[Transfer],
) -> Result<(), Refusal> {
    let start = transfer.start.op();
    compose_parts(ir, op, transfer.start);
    let parts = transfer.start.parts(ir);
    let [source, dest, _] = &parts[..] else { return Ok(()) };
    let own = AffineForOp(op).induction_var(ir);
    let late = ir.operands(start).any(|value| {
        value != own
            && value != dest.0
            && is_defined_inside(ir, value, op)
            && !buffer_of(ir, transfers, value)
    });
    if late {
        return Err(Refusal::new(STEP, start, "the loop computes where the transfer goes"));
    }
    let memory = root(ir, source.0);
    let inside: Vec<Op> = ir.nested_ops(op, WalkOrder::PreOrder);
    for &other in &inside {
        let is_transfer = transfers.iter().any(|each| each.start.op() == other);
        if !is_transfer && !AffineDmaWaitOp::is(ir, other) && may_write(ir, other, memory) {
            return Err(Refusal::new(
                STEP,
                other,
                "what is transferred may be written in the loop",
            ));
        }
    }
    let counts = transfer.start.counts(ir);
    let count = match counts[..] {
        [count] => arith::constant_index_value(ir, count),
        _ => None,
    };
    let begin =
        subscripts(ir, &Subscripts::Map(dest.1.map, dest.1.operands.iter().copied().collect()));
    for &other in &inside {
        let Some(found) = access(ir, other).filter(|found| found.buffer == dest.0) else {
            continue;
        };
        let body = ir.parent_block(start).and_then(|block| ir.ancestor_in_block(other, block));
        let ahead = body.is_some_and(|body| ir.is_before(body, start));
        if ahead || (found.kind != AccessKind::Write && !covers(ir, &found, &begin, count)) {
            return Err(Refusal::new(
                STEP,
                other,
                "an access may be to what another iteration left in the buffer",
            ));
        }
    }
    Ok(())
}

/// Whether a value is the buffer or tag of a transfer, for which there will be another one.
fn buffer_of(ir: &Ir, transfers: &[Transfer], value: Value) -> bool {
    let tag = |each: &Transfer| each.wait.parts(ir).first().is_some_and(|(tag, _)| *tag == value);
    transfers.iter().any(tag)
}

/// Whether an operation may write to that memory. One that is not registered touches what it is given.
fn may_write(ir: &Ir, op: Op, memory: Value) -> bool {
    let same = |value: Value| {
        let other = root(ir, value);
        let storage = |root| Storage::of(ir, root);
        other == memory || alias(storage(other), storage(memory)) != Alias::No
    };
    if ir.def(op).is_none() {
        return ir.operands(op).any(|value| ir.ctx.is_memref(ir.ty(value)) && same(value));
    }
    if ir.has_trait(op, Traits::RECURSIVE_EFFECTS) || ir.has_trait(op, Traits::RETURN_LIKE) {
        return false;
    }
    ir.effects(op).is_none_or(|effects| {
        effects.iter().any(|effect| {
            matches!(effect.kind, EffectKind::Write | EffectKind::Free)
                && effect.on.is_none_or(same)
        })
    })
}

/// Whether a read is of what a transfer of so many elements brings, from `begin` on.
fn covers(ir: &Ir, read: &Access, begin: &[Option<QuasiAffine>], count: Option<i64>) -> bool {
    let Some(count) = count else { return false };
    let shape = ir.ctx.shape(ir.ty(read.buffer)).unwrap_or_default();
    let total = shape.iter().try_fold(1i64, |all, &extent| all.checked_mul(extent));
    let zero = |form: &Option<QuasiAffine>| {
        form.as_ref().and_then(QuasiAffine::as_polynomial).and_then(Polynomial::as_constant)
            == Some(0)
    };
    let whole = !shape.contains(&DYNAMIC) && total.is_some_and(|total| count >= total);
    if whole && begin.iter().all(zero) {
        return true;
    }
    let ([Some(begin)], [Some(at)]) = (begin, &read.subscripts[..]) else { return false };
    let Some(distance) = at.plus(begin, -1) else { return false };
    let Some(distance) = distance.as_polynomial() else { return false };
    let range = distance.range(ir);
    range.min >= 0 && range.max <= i128::from(count) - i128::from(read.length)
}

/// Writes the subscripts of a transfer over what their operands are computed from, where the loop `op` computes it.
fn compose_parts(ir: &mut Ir, op: Op, start: AffineDmaStartOp) {
    let own = AffineForOp(op).induction_var(ir);
    let mut parts = start.parts(ir);
    for (_, subscripts) in &mut parts {
        let inside = |&value: &Value| value != own && is_defined_inside(ir, value, op);
        if subscripts.operands.iter().any(inside) {
            compose(ir, subscripts);
        }
    }
    start.set_parts(ir, &parts);
}

/// Gives a buffer two places, of which iterations of the loop use one in turn.
fn double(ir: &mut Ir, view: AffineForOp, old: Value) {
    let op = view.op();
    let ty = ir.ty(old);
    let shape = ir.ctx.shape(ty).unwrap_or_default().to_vec();
    let Some(element) = ir.ctx.element(ty) else { return };
    let space = ir.ctx.memory_space(ty).flatten();
    let all: Vec<i64> = std::iter::once(2).chain(shape.iter().copied()).collect();
    let ty = ir.ctx.memref_in(&all, element, None, space);
    let mut b = Builder::before(ir, op);
    let mut extents = Vec::new();
    for d in (0..shape.len()).filter(|&d| shape[d] == DYNAMIC) {
        let number = arith::constant_index(&mut b, d as i64);
        extents.push(memref::DimOp::new(&mut b, old, number).value(&mut b));
    }
    let new = memref::AllocOp::new(&mut b, &extents, &[]).result(ty).value(&mut b);
    let location = b.location(op);
    let body = view.body(ir);
    let variable = view.induction_var(ir);
    let (dim, two) = (ir.ctx.dim_expr(0), ir.ctx.constant_expr(2));
    let step = ir.ctx.constant_expr(view.step_value(ir));
    let number = ir.ctx.floordiv_expr(dim, step);
    let turn = ir.ctx.mod_expr(number, two);
    let turn = AffineValue { map: ir.ctx.map(1, 0, &[turn]), operands: vec![variable] };
    let turn = AffineApplyOp::create(&mut Builder::at_start(ir, body, location), &turn);
    let turn = AffineValue::dim(&mut ir.ctx, turn);
    let users: IndexSet<Op> = ir.users(old).filter(|&user| ir.is_inside(user, op)).collect();
    for user in users {
        let place = |ir: &mut Ir, parts: &mut [(Value, AffineValue)]| {
            for (buffer, subscripts) in parts.iter_mut().filter(|(buffer, _)| *buffer == old) {
                *buffer = new;
                *subscripts = turn.and(&mut ir.ctx, subscripts);
                compose(ir, subscripts);
            }
        };
        if let Some(start) = AffineDmaStartOp::cast(ir, user) {
            let mut parts = start.parts(ir);
            place(ir, &mut parts);
            start.set_parts(ir, &parts);
        } else if let Some(wait) = AffineDmaWaitOp::cast(ir, user) {
            let mut parts = wait.parts(ir);
            place(ir, &mut parts);
            wait.set_parts(ir, &parts);
        } else if let Some(found) = ir.memory_access(user)
            && let Subscripts::Map(map, operands) = found.subscripts
        {
            let mut parts = [(old, AffineValue { map, operands: operands.to_vec() })];
            place(ir, &mut parts);
            let [(_, subscripts)] = parts;
            let before: Vec<Value> = ir.operands(user).take(found.buffer_operand).collect();
            let operands = [&before[..], &[new], &subscripts.operands[..]].concat();
            ir.set_operands(user, &operands);
            let map = ir.ctx.map_attr(subscripts.map);
            ir.set_attr(user, "map", map);
        } else {
            // Freed in the loop: the old one goes.
            ir.erase_op(user);
        }
    }
    memref::DeallocOp::new(&mut Builder::after(ir, op), new).build(&mut Builder::after(ir, op));
    let others: Vec<Op> = ir.users(old).collect();
    if let Some(allocation) = ir.defining_op(old).filter(|&op| memref::AllocOp::is(ir, op))
        && others.iter().all(|&user| memref::DeallocOp::is(ir, user))
    {
        others.into_iter().for_each(|user| ir.erase_op(user));
        ir.erase_op(allocation);
    }
}

/// Puts the starts an iteration ahead of all else in the body.
fn skew(ir: &mut Ir, view: AffineForOp, transfers: &[Transfer], trips: u64) {
    let op = view.op();
    let body = view.body(ir);
    let is_start = |op: Op| transfers.iter().any(|each| each.start.op() == op);
    let (step, variable) = (view.step_value(ir), view.induction_var(ir));
    let lower = view.lower_bound(ir);
    let beyond = |ir: &mut Ir, count: i64| {
        let data = ir.ctx.map_data(lower.map).clone();
        let distance = ir.ctx.constant_expr(count * step);
        let sum = ir.ctx.add_expr(data.results[0], distance);
        let mut value = lower.clone();
        value.map = ir.ctx.map(data.dims, data.symbols, &[sum]);
        value
    };
    // Starts first; the others count an iteration less.
    let ops: Vec<Op> = ir.ops(body).filter(|&op| !AffineYieldOp::is(ir, op)).collect();
    let (starts, rest): (Vec<Op>, Vec<Op>) = ops.into_iter().partition(|&op| is_start(op));
    if let Some(&first) = rest.first() {
        starts.iter().for_each(|&start| ir.move_before(first, start));
    }
    let ahead = ir.clone_op(op, &mut ValueMap::new());
    ir.insert_before(op, ahead);
    keep(ir, ahead, |number| number < starts.len());
    if let Some(&first) = rest.first() {
        let mut b = Builder::before(ir, first);
        let (dim, back) = (b.ctx.dim_expr(0), b.ctx.constant_expr(-step));
        let sum = b.ctx.add_expr(dim, back);
        let before = AffineValue { map: b.ctx.map(1, 0, &[sum]), operands: vec![variable] };
        let before = AffineApplyOp::create(&mut b, &before);
        let apply = ir.defining_op(before);
        ir.replace_uses_if(variable, before, |ir, slot| {
            let owner = ir.use_owner(slot);
            Some(owner) != apply && !starts.contains(&owner)
        });
    }
    let behind = ir.clone_op(op, &mut ValueMap::new());
    ir.insert_after(op, behind);
    keep(ir, behind, |number| number >= starts.len());
    let trips = i64::try_from(trips).unwrap_or(i64::MAX);
    let (second, end) = (beyond(ir, 1), beyond(ir, trips));
    let last = beyond(ir, trips + 1);
    let upper = view.upper_bound(ir);
    AffineForOp(ahead).set_bounds(ir, &lower, &second);
    view.set_bounds(ir, &second, &upper);
    AffineForOp(behind).set_bounds(ir, &end, &last);
    promote(ir, AffineForOp(ahead));
    promote(ir, AffineForOp(behind));
    promote(ir, view);
}

/// Erases the operations of a loop's body whose numbers are not wanted.
fn keep(ir: &mut Ir, op: Op, wanted: impl Fn(usize) -> bool) {
    let body = AffineForOp(op).body(ir);
    let ops: Vec<Op> = ir.ops(body).collect();
    for (number, op) in ops.into_iter().enumerate().rev() {
        if !wanted(number) && !AffineYieldOp::is(ir, op) {
            ir.erase_op(op);
        }
    }
}
