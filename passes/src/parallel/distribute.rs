//! Spreading the loops of a kernel over its threads.
//!
//! Every thread executes the kernel's code. A parallel loop becomes a loop over the thread's share
//! of its iterations. Code that its levels do not tell threads apart in is executed by all of them
//! alike; where it can be seen from outside the thread (a store, an atomic), by the first only,
//! between barriers.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, gpu, memref, scf};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::{Block, Builder, InsertPoint, Ir, Op, OpView, Region, Value, WalkOrder};

use super::combiner::{all_reduce, combine};
use super::mapping::{Levels, Mapping};
use super::threads::{Share, Threads};

/// Distributes all parallel loops inside a kernel. Returns, for each result of the loop over gangs
/// that ends it, the block's part.
pub fn distribute(ir: &mut Ir, func: Op, mapping: &Mapping) -> Result<Vec<Value>, Diagnostic> {
    let threads = Threads::read(ir, func, mapping);
    let mut distributor =
        Distributor { threads, mapping, partial: Vec::new(), shares_buffers: false };
    let entry = ir.body(func, 0);
    distributor.shares_buffers = distributor.share_buffers(ir, func)?;
    distributor.block(ir, entry, Levels::SEQUENTIAL, Place::Kernel)?;
    Ok(distributor.partial)
}

struct Distributor<'a> {
    threads: Threads,
    mapping: &'a Mapping,
    partial: Vec<Value>,
    /// Whether threads of the block share buffers from one iteration of a loop to the next.
    shares_buffers: bool,
}

/// Where a block of operations stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is the kernel's own.
    Kernel,
    /// It is the body of a parallel loop: iterations need nothing of each other.
    Iteration,
    /// It is further inside.
    Inside,
}

fn error(ir: &Ir, op: Op, message: &str) -> Diagnostic {
    Diagnostic::error(message).at_option(ir.ctx.place(ir.location(op)))
}

impl Distributor<'_> {
    fn in_block(&self, levels: Levels) -> bool {
        levels.vector || (levels.worker && !self.mapping.one_worker())
    }

    fn block(
        &mut self,
        ir: &mut Ir,
        block: Block,
        around: Levels,
        at: Place,
    ) -> Result<(), Diagnostic> {
        let mut next = ir.first_op(block);
        while let Some(op) = next {
            next = ir.next_op(op);
            if scf::ParallelOp::is(ir, op) {
                self.parallel(ir, op, around, at)?;
            } else if ir.regions(op).is_empty() || memref::GenericAtomicRMWOp::is(ir, op) {
                self.guard(ir, op, around, at)?;
            } else {
                for region in ir.regions(op).to_vec() {
                    for inner in ir.blocks(region).to_vec() {
                        self.block(ir, inner, around, Place::Inside)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Buffers of the block that threads share: declared outside loops over threads, used inside.
    /// Says whether there are any.
    fn share_buffers(&self, ir: &mut Ir, func: Op) -> Result<bool, Diagnostic> {
        let mut found = false;
        if self.mapping.one_thread() {
            return Ok(found);
        }
        for op in ir.nested_ops(func, WalkOrder::PreOrder) {
            if !memref::AllocaOp::is(ir, op) || self.distributed_around(ir, op, func) {
                continue;
            }
            let buffer = ir.result(op, 0);
            let users: Vec<Op> = ir.users(buffer).collect();
            if !users.iter().any(|&user| self.distributed_around(ir, user, func)) {
                continue;
            }
            let simple =
                users.iter().all(|&u| memref::LoadOp::is(ir, u) || memref::StoreOp::is(ir, u));
            if !simple || ir.operand_count(op) > 0 {
                return Err(error(
                    ir,
                    op,
                    "a local array that the threads of a gang share must have a \
                    constant size and be used by subscripts only",
                ));
            }
            let workgroup = gpu::AddressSpace::Workgroup.attr(&mut ir.ctx);
            let ty = ir.ty(buffer);
            let (shape, element) = (
                ir.ctx.shape(ty).unwrap_or(&[]).to_vec(),
                ir.ctx.element(ty).expect("buffers are memrefs"),
            );
            let shared = ir.ctx.memref_in(&shape, element, None, Some(workgroup));
            let replacement = gpu::GPUFuncOp(func).add_workgroup_buffer(ir, shared);
            ir.replace_op(op, &[replacement]);
            found = true;
        }
        Ok(found)
    }

    /// Whether a loop over threads of the block stands around `op`.
    fn distributed_around(&self, ir: &Ir, op: Op, func: Op) -> bool {
        ir.ancestors(op)
            .take_while(|&outer| outer != func)
            .any(|outer| self.in_block(self.mapping.levels(outer)))
    }

    /// Whether nobody looks at memory behind `op` that others in the block may have changed: the
    /// kernel or an iteration ends there.
    fn ends(&self, ir: &Ir, op: Op, at: Place) -> bool {
        let quiet = std::iter::successors(ir.next_op(op), |&next| ir.next_op(next))
            .all(|next| ir.has_trait(next, Traits::TERMINATOR) || ir.is_effect_free(next));
        at != Place::Inside && quiet && !self.shares_buffers
    }

    /// Lets one thread do what all would do alike but may be seen from outside.
    fn guard(&self, ir: &mut Ir, op: Op, around: Levels, at: Place) -> Result<(), Diagnostic> {
        let alone = self.mapping.one_thread()
            || (around.vector && (around.worker || self.mapping.one_worker()));
        if alone || ir.has_trait(op, Traits::TERMINATOR) {
            return Ok(());
        }
        let Some(effects) = ir.effects(op) else {
            return Err(error(ir, op, &format!("'{}' cannot run on the device", ir.name(op))));
        };
        let seen = effects.iter().any(|effect| {
            effect.kind == EffectKind::Write && !effect.on.is_some_and(|on| is_private(ir, on))
        });
        if !seen || gpu::BarrierOp::is(ir, op) {
            return Ok(());
        }
        if ir.results(op).iter().any(|&result| !ir.is_unused(result)) {
            return Err(error(
                ir,
                op,
                "the value of an atomic operation outside a vector loop \
                would be known to one thread only",
            ));
        }
        let ends = self.ends(ir, op, at);
        let mut b = Builder::before(ir, op);
        gpu::BarrierOp::new(&mut b).build(&mut b);
        let first = self.threads.is_first(&mut b, around);
        let then = b.region(&[], |b, _| {
            scf::YieldOp::new(b, &[]).build(b);
        });
        let guard = scf::IfOp::new(&mut b, first).region(then).build(&mut b);
        if !ends {
            gpu::BarrierOp::new(&mut b).build(&mut b);
        }
        let inside = ir.body(guard, 0);
        let end = ir.last_op(inside).expect("the region was made with a yield");
        ir.move_before(end, op);
        Ok(())
    }

    fn parallel(
        &mut self,
        ir: &mut Ir,
        op: Op,
        around: Levels,
        at: Place,
    ) -> Result<(), Diagnostic> {
        let top = at == Place::Kernel;
        let levels = self.mapping.levels(op);
        if levels.gang && !top && !ir.results(op).is_empty() {
            return Err(error(
                ir,
                op,
                "a reduction over gangs must be the outermost loop of the region",
            )
            .help("inside another loop, reduce over worker or vector"));
        }
        let writes = ir
            .effects(op)
            .is_none_or(|effects| effects.iter().any(|effect| effect.kind == EffectKind::Write));
        let ends = self.ends(ir, op, at);
        let combiners: Vec<Region> = scf::ParallelOp(op).reduce_op(ir).reductions(ir).to_vec();
        let (new, body) = self.thread_loop(ir, op, levels, top);
        // The combiners have moved with the loop's end; they are copied before it goes.
        let mut values = ir.results(new).to_vec();
        if self.in_block(levels) && !self.mapping.one_thread() {
            let mut b = Builder::after(ir, new);
            for (value, &combiner) in values.iter_mut().zip(&combiners) {
                *value = all_reduce(&mut b, *value, combiner);
            }
            // Rows that go different ways do not wait for each other.
            let apart = around.worker && !self.mapping.one_worker();
            if writes && !levels.gang && !apart && !ends {
                gpu::BarrierOp::new(&mut b).build(&mut b);
            }
        }
        if levels.gang && top {
            self.partial = values;
            if ir.results(op).iter().any(|&result| !ir.is_unused(result)) {
                return Err(error(ir, op, "a reduction over gangs is used in its own kernel"));
            }
        } else {
            for (i, value) in values.into_iter().enumerate() {
                let result = ir.result(op, i);
                ir.replace_all_uses(result, value);
            }
        }
        ir.erase_op(op);
        self.block(ir, body, around.with(levels), Place::Iteration)
    }

    /// A loop over this thread's share of the iterations, with the parallel loop's body, or two: over
    /// the grid's rows and columns. The first is returned, its results what the thread's iterations
    /// combine to, with the block that holds the body.
    fn thread_loop(&self, ir: &mut Ir, op: Op, levels: Levels, top: bool) -> (Op, Block) {
        let view = scf::ParallelOp(op);
        let dims: Vec<Dimension> = view
            .lowerBound(ir)
            .iter()
            .zip(&view.upperBound(ir))
            .zip(&view.step(ir))
            .map(|((&lower, &upper), &step)| Dimension { lower, upper, step })
            .collect();
        let (inits, induction) = (view.initVals(ir), view.induction_vars(ir).to_vec());
        let source = view.body(ir);
        let mut b = Builder::before(ir, op);
        let share = self.threads.share(&mut b, levels);
        let (first, inner, variables) = if top && self.mapping.uses_rows(&b, op) {
            let (columns, rows) = dims.split_last().expect("loops have dimensions");
            let share_of_rows = Some(self.threads.rows());
            let (outer, mut variables) = counted(&mut b, rows, share_of_rows, &inits);
            let carried = b.arguments(outer.body(&b))[1..].to_vec();
            let (inner, column) = counted(&mut b, std::slice::from_ref(columns), share, &carried);
            let (end, results) = (outer.terminator(&b), b.results(inner.op()).to_vec());
            b.set_operands(end, &results);
            variables.extend(column);
            (outer, inner, variables)
        } else {
            let (new, variables) = counted(&mut b, &dims, share, &inits);
            (new, new, variables)
        };
        for (&from, &to) in induction.iter().zip(&variables) {
            ir.replace_all_uses(from, to);
        }
        let (body, end) = (inner.body(ir), inner.terminator(ir));
        let carried = ir.arguments(body)[1..].to_vec();
        let reduce = ir.last_op(source).expect("the body ends with scf.reduce");
        let mut at = ir.first_op(source);
        while let Some(inner) = at.filter(|&inner| inner != reduce) {
            at = ir.next_op(inner);
            ir.move_before(end, inner);
        }
        // What the iteration contributes joins what the thread has so far.
        let contributions: Vec<Value> = ir.operands(reduce).collect();
        let combiners = scf::ReduceOp(reduce).reductions(ir).to_vec();
        let mut results = Vec::new();
        for ((&so_far, &value), &combiner) in carried.iter().zip(&contributions).zip(&combiners) {
            let mut b = Builder::before(ir, end);
            results.push(combine(&mut b, combiner, so_far, value));
        }
        ir.set_operands(end, &results);
        (first.op(), body)
    }
}

/// Bounds of one dimension of a loop.
struct Dimension {
    lower: Value,
    upper: Value,
    step: Value,
}

/// A sequential loop over a share of the iterations of some dimensions (all where it is `None`),
/// which carries values from one to the next unchanged, and the induction variables in it. The
/// builder is left at the end of its body.
fn counted(
    b: &mut Builder<'_>,
    dims: &[Dimension],
    share: Option<Share>,
    inits: &[Value],
) -> (scf::ForOp, Vec<Value>) {
    let several = dims.len() > 1;
    let extents: Vec<Value> = match several {
        true => dims.iter().map(|d| trip_count(b, d.lower, d.upper, d.step)).collect(),
        false => Vec::new(),
    };
    let bounds = match (dims, share) {
        ([dim], None) => (dim.lower, dim.upper, dim.step),
        ([dim], Some(share)) => {
            let offset = arith::MulIOp::new(b, share.start, dim.step).value(b);
            let first = arith::AddIOp::new(b, dim.lower, offset).value(b);
            let stride = arith::MulIOp::new(b, share.stride, dim.step).value(b);
            (first, dim.upper, stride)
        }
        (_, share) => {
            let mut total = arith::constant_index(b, 1);
            for &extent in &extents {
                total = arith::MulIOp::new(b, total, extent).value(b);
            }
            match share {
                Some(share) => (share.start, total, share.stride),
                None => {
                    let zero = arith::constant_index(b, 0);
                    let one = arith::constant_index(b, 1);
                    (zero, total, one)
                }
            }
        }
    };
    let new = scf::ForOp::create(b, bounds, inits, |_, _, carried| carried.to_vec());
    let (iv, end) = (new.induction_var(b), new.terminator(b));
    b.set_point(InsertPoint::Before(end));
    let variables = if several { delinearize(b, iv, &extents, dims) } else { vec![iv] };
    (new, variables)
}

/// `max(0, ceildiv(upper - lower, step))`.
pub fn trip_count(b: &mut Builder<'_>, lower: Value, upper: Value, step: Value) -> Value {
    let span = arith::SubIOp::new(b, upper, lower).value(b);
    let count = arith::CeilDivSIOp::new(b, span, step).value(b);
    let zero = arith::constant_index(b, 0);
    arith::MaxSIOp::new(b, count, zero).value(b)
}

/// Induction variables of a nest from the number of an iteration; the last varies fastest.
fn delinearize(
    b: &mut Builder<'_>,
    number: Value,
    extents: &[Value],
    dims: &[Dimension],
) -> Vec<Value> {
    let mut rest = number;
    let mut variables = vec![number; extents.len()];
    for d in (0..extents.len()).rev() {
        let position = if d == 0 {
            rest
        } else {
            let position = arith::RemUIOp::new(b, rest, extents[d]).value(b);
            rest = arith::DivUIOp::new(b, rest, extents[d]).value(b);
            position
        };
        let offset = arith::MulIOp::new(b, position, dims[d].step).value(b);
        variables[d] = arith::AddIOp::new(b, dims[d].lower, offset).value(b);
    }
    variables
}

/// Whether a memref is memory of the thread alone.
fn is_private(ir: &Ir, value: Value) -> bool {
    let mut at = value;
    while let Some(op) = ir.defining_op(at) {
        if memref::AllocaOp::is(ir, op) {
            return true;
        }
        // Views and casts take the memref as their first operand.
        let view = ir.operand_count(op) > 0 && ir.ctx.is_memref(ir.ty(ir.operand(op, 0)));
        if !view || !ir.is_effect_free(op) {
            return false;
        }
        at = ir.operand(op, 0);
    }
    false
}
