//! Updates of elements that only the device knows: histograms, and sums scattered by an index array.
//!
//! Whether two iterations of `h[c[i]]++` meet, nobody knows before they run. As one atomic step each they may: sums, and the
//! greatest, least and bitwise combinations of integers, are the same in every order. Sums of numbers with fractions are not,
//! and would differ from run to run, so they stay for the program to say (`acc atomic update`).

use gpuc_dialects::memref::{AtomicRMWOp, LoadOp, StoreOp};
use gpuc_dialects::{arith, offload::RegionOp};
use gpuc_ir::op::{AccessKind, Subscripts};
use gpuc_ir::{Builder, Ir, Op, OpView, Value};
use indexmap::{IndexMap, IndexSet};

use crate::analysis::access::{Access, name};
use crate::analysis::loops::{candidates, dimensions};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted, carried};
use crate::raise::reduction::Reduction;

/// An element that is read, combined with something, and written.
#[derive(Debug)]
struct Update {
    load: Op,
    combination: Op,
    store: Op,
    /// What is combined with the element.
    value: Value,
    kind: Reduction,
    unsigned: bool,
}

/// Makes updates atomic where that lets a loop of a region that is `wanted` run in parallel; the variables, each with
/// the loop.
pub fn make_atomic(
    ir: &mut Ir,
    nest: &Nest,
    region: RegionOp,
    apart: Apart,
    wanted: &dyn Fn(&Ir, Op) -> bool,
) -> Vec<(Op, String)> {
    let mut made = Vec::new();
    let mut done: Vec<Op> = Vec::new();
    for op in candidates(ir, region) {
        if !wanted(ir, op) {
            continue;
        }
        // What is inside was looked at with the loop round it, and its accesses are others now.
        if ir.ancestors(op).any(|outer| done.contains(&outer)) {
            continue;
        }
        let Ok(touched) = nest.accesses(op) else { continue };
        let depends = |accesses: &[Access]| {
            carried(ir, op, accesses, apart, Wanted::Any).dependence.is_some()
        };
        if !ir.loop_carried(op).is_empty() || !depends(touched) {
            continue;
        }
        let Some((updates, after)) = Update::all(ir, op, touched) else { continue };
        if updates.is_empty() || depends(&after) {
            continue;
        }
        let roots: IndexSet<Value> = after
            .iter()
            .filter(|access| updates.iter().any(|update| update.store == access.op))
            .map(|access| access.root)
            .collect();
        made.extend(roots.into_iter().map(|root| (op, name(ir, root))));
        updates.into_iter().for_each(|update| update.apply(ir));
        done.push(op);
    }
    made
}

/// The variable of an update by an index array whose result would hang on the order of iterations, if a loop has one.
pub fn inexact(ir: &Ir, op: Op, touched: &[Access]) -> Option<String> {
    let writes = touched.iter().filter(|access| access.kind == AccessKind::Write);
    writes.into_iter().filter(|access| is_indirect(ir, op, access)).find_map(|access| {
        let update = Update::any(ir, access).filter(|update| !update.is_exact(ir))?;
        let is_sum = ir.ctx.is_float(ir.ty(update.value)) && update.kind == Reduction::Add;
        is_sum.then(|| name(ir, access.root))
    })
}

impl Update {
    /// The updates of a loop by subscripts that are no sums of loop variables, and its accesses with these as atomic ones; `None`
    /// where something else is done with an array that has such, or different ones.
    fn all(ir: &Ir, op: Op, touched: &[Access]) -> Option<(Vec<Update>, Vec<Access>)> {
        let mut by_root: IndexMap<Value, Vec<&Access>> = IndexMap::new();
        for access in touched {
            by_root.entry(access.root).or_default().push(access);
        }
        let (mut updates, mut after) = (Vec::new(), Vec::new());
        for accesses in by_root.into_values() {
            let is_written = accesses.iter().any(|access| access.writes());
            if !is_written || !accesses.iter().any(|access| is_indirect(ir, op, access)) {
                after.extend(accesses.into_iter().cloned());
                continue;
            }
            let mut covered: Vec<Op> = Vec::new();
            let mut operators = IndexSet::new();
            for access in &accesses {
                match access.kind {
                    AccessKind::Write => {
                        let update = Update::of(ir, access)?;
                        operators.insert((update.kind, update.unsigned));
                        covered.extend([update.load, update.store]);
                        after.push(Access { kind: AccessKind::Atomic, ..(*access).clone() });
                        updates.push(update);
                    }
                    AccessKind::Atomic => {
                        operators.insert(Reduction::of_atomic(ir, access.op)?);
                        covered.push(access.op);
                        after.push((*access).clone());
                    }
                    AccessKind::Volatile => return None,
                    AccessKind::Read => {}
                }
            }
            // Sums and products of one element do not change places.
            if operators.len() > 1 || !accesses.iter().all(|access| covered.contains(&access.op)) {
                return None;
            }
        }
        Some((updates, after))
    }

    /// The update that a write ends, if the order of such is the same to the result.
    fn of(ir: &Ir, write: &Access) -> Option<Update> {
        Update::any(ir, write).filter(|update| update.is_exact(ir))
    }

    fn is_exact(&self, ir: &Ir) -> bool {
        let ty = ir.ty(self.value);
        matches!(ir.ctx.int_or_index_width(ty), Some(32 | 64))
            && !ir.ctx.is_index(ty)
            && self.kind.atomic_kind(&ir.ctx, ty, self.unsigned).is_some()
    }

    fn any(ir: &Ir, write: &Access) -> Option<Update> {
        let store = write.op;
        let access = ir.memory_access(store).filter(|_| StoreOp::is(ir, store))?;
        let combined = access.stored().filter(|&value| ir.has_one_use(value))?;
        let combination = ir.defining_op(combined)?;
        let (kind, unsigned, candidates) = Reduction::of_update(ir, combination)?;
        let side = (0..candidates).find(|&side| {
            let load = ir.defining_op(ir.operand(combination, side));
            load.is_some_and(|load| {
                let read = ir.memory_access(load).filter(|_| LoadOp::is(ir, load));
                read.is_some_and(|read| {
                    read.buffer == access.buffer
                        && read.subscripts == access.subscripts
                        && ir.has_one_use(read.value)
                })
            })
        });
        let side = side?;
        let load = ir.defining_op(ir.operand(combination, side))?;
        let value = ir.operand(combination, 1 - side);
        let update = Update { load, combination, store, value, kind, unsigned };
        update.is_undisturbed(ir).then_some(update)
    }

    /// Whether nothing is written between the read and the write, which stand in one block.
    fn is_undisturbed(&self, ir: &Ir) -> bool {
        let mut at = self.load;
        while let Some(next) = ir.next_op(at) {
            if next == self.store {
                return true;
            }
            let reads = ir.memory_access(next).is_some_and(|a| a.kind == AccessKind::Read);
            if !ir.regions(next).is_empty() || !(reads || ir.is_effect_free(next)) {
                return false;
            }
            at = next;
        }
        false
    }

    /// Makes it one step.
    fn apply(self, ir: &mut Ir) {
        let Some(access) = ir.memory_access(self.store) else { return };
        let Subscripts::Values(subscripts) = access.subscripts else { return };
        let ty = ir.ty(self.value);
        let is_difference = arith::SubIOp::is(ir, self.combination);
        let Some(kind) = self.kind.atomic_kind(&ir.ctx, ty, self.unsigned) else { return };
        let mut b = Builder::before(ir, self.store);
        let mut value = self.value;
        if is_difference {
            let zero = arith::constant_int(&mut b, 0, ty);
            value = arith::SubIOp::new(&mut b, zero, value).value(&mut b);
        }
        let i64 = b.ctx.i64();
        let kind = b.ctx.int_attr(kind.into(), i64);
        AtomicRMWOp::new(&mut b, value, access.buffer, &subscripts)
            .attr(&mut b, "kind", kind)
            .build(&mut b);
        for op in [self.store, self.combination, self.load] {
            ir.erase_op(op);
        }
    }
}

/// Whether a subscript is no sum of loop variables and values from outside of the loop.
fn is_indirect(ir: &Ir, op: Op, access: &Access) -> bool {
    access.subscripts.iter().any(|form| {
        let Some(form) = form else { return true };
        form.values().into_iter().any(|value| {
            let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
            let Some(owner) = owner.filter(|&owner| owner == op || ir.is_inside(owner, op)) else {
                return false;
            };
            !dimensions(ir, owner).iter().any(|dim| dim.variable == value)
        })
    })
}
