//! A loop over blocks that combines values: the block that finishes last completes it.
//!
//! Each block leaves what it has in a buffer and takes a ticket. The block with the last ticket sees
//! what all have left, combines it in the order of the blocks' numbers, so that the result depends on
//! the launch alone, and its first thread goes on with what stands behind the loop. The counter of
//! tickets belongs to the launch's queue and is zero between launches. After the threadFenceReduction
//! pattern of the CUDA samples' documentation; Tian et al. 2015 §5 takes a second kernel instead.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{FenceOp, PARTIAL_ATTR, TICKETS_ATTR};
use gpuc_dialects::{arith, gpu, llvm, memref, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::{AttrKind, Builder, Ir, Op, OpView, Region, Type, Value, WalkOrder};

use super::combiner::{all_reduce, combine};
use super::segments::is_over_blocks;
use super::threads::Processors;

/// What stands behind the loop, taken out of the kernel.
#[derive(Clone, Debug)]
pub struct Tail {
    looped: Op,
    ops: Vec<Op>,
}

/// The loop over blocks of a kernel that combines values.
pub fn combining_loop(ir: &Ir, func: Op) -> Option<Op> {
    let entry = ir.body(func, 0);
    ir.ops(entry).find(|&op| is_over_blocks(ir, op) && !ir.results(op).is_empty())
}

/// Takes what follows a loop out of the kernel.
pub fn detach_tail(ir: &mut Ir, looped: Op) -> Tail {
    let behind = std::iter::successors(ir.next_op(looped), |&op| ir.next_op(op));
    let ops: Vec<Op> = behind.filter(|&op| !ir.has_trait(op, Traits::TERMINATOR)).collect();
    for &op in &ops {
        ir.detach_op(op);
    }
    Tail { looped, ops }
}

/// What a kernel is given to combine values over blocks.
struct Given {
    /// The buffers for partial results, by the number of the result.
    buffers: Vec<Value>,
    /// The counter of tickets.
    counter: Value,
}

impl Given {
    /// What the marks of the kernel's arguments say.
    fn of(ir: &Ir, func: Op) -> Option<Given> {
        let marks = ir.ctx.array_value(ir.attr(func, "arg_attrs")?)?;
        let mut buffers: Vec<(i64, Value)> = Vec::new();
        let mut counter = None;
        for (&mark, &argument) in marks.iter().zip(gpu::GPUFuncOp(func).arguments(ir)) {
            let AttrKind::Dict(entries) = *ir.ctx.attr_kind(mark) else { continue };
            let number = ir.ctx.dict_get_str(entries, PARTIAL_ATTR);
            if let Some(number) = number.and_then(|attr| ir.ctx.i64_value(attr)) {
                buffers.push((number, argument));
            } else if ir.ctx.dict_get_str(entries, TICKETS_ATTR).is_some() {
                counter = Some(argument);
            }
        }
        buffers.sort_by_key(|&(number, _)| number);
        let buffers = buffers.into_iter().map(|(_, buffer)| buffer).collect();
        Some(Given { buffers, counter: counter? })
    }
}

/// Ends a kernel whose loop over blocks combines values: `partial` is what this block has, with its
/// combiners.
///
/// # Errors
/// Where the kernel has no buffers for partial results, or the tail needs more than one thread.
pub fn finish(
    ir: &mut Ir,
    func: Op,
    processors: &mut Processors,
    partial: &[(Value, Region)],
    tail: Tail,
) -> Result<(), Diagnostic> {
    let place = ir.ctx.place(ir.location(tail.looped));
    let given = Given::of(ir, func).filter(|given| given.buffers.len() == partial.len());
    let Some(Given { buffers, counter }) = given else {
        return Err(Diagnostic::error(
            "a kernel that combines values over blocks lacks buffers for them, or their counter",
        )
        .at_option(place)
        .help(
            "`outline` makes them: arguments with the attributes `offload.partial_results` and \
             `offload.tickets`",
        ));
    };
    let parallel = tail.ops.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
    if parallel.into_iter().any(|op| ir.has_trait(op, Traits::PARALLEL_LOOP)) {
        return Err(Diagnostic::error(
            "what follows a reduction over gangs in its kernel cannot be a parallel loop",
        )
        .at_option(place));
    }
    let i32_ty = ir.ctx.i32();
    let workgroup = gpu::AddressSpace::Workgroup.attr(&mut ir.ctx);
    let flag_ty = ir.ctx.memref_in(&[1], i32_ty, None, Some(workgroup));
    let flag = gpu::GPUFuncOp(func).add_workgroup_buffer(ir, flag_ty);
    let inits = scf::ParallelOp(tail.looped).initVals(ir).to_vec();
    let end = ir.terminator(ir.body(func, 0)).expect("a kernel ends with a return");
    let mut b = Builder::before(ir, end);
    b.location = b.location(tail.looped);
    let (block, blocks) = processors.block(&mut b);
    let zero = arith::constant_index(&mut b, 0);
    let (none, one) = (int_constant(&mut b, i32_ty, 0), int_constant(&mut b, i32_ty, 1));
    let first = first_thread(&mut b, processors);

    // This block's part, and a ticket.
    let leave = b.region(&[], |b, _| {
        for (&buffer, &(value, _)) in buffers.iter().zip(partial) {
            memref::StoreOp::new(b, value, buffer, &[block]).build(b);
        }
        FenceOp::new(b).build(b);
        let add = memref::ATOMIC_RMW_KINDS.parse("addi").unwrap_or_default();
        let add = memref::ATOMIC_RMW_KINDS.attr(&mut b.ctx, add);
        let mine = memref::AtomicRMWOp::new(b, one, counter, &[zero]).attr(b, "kind", add).value(b);
        let mine = arith::IndexCastOp::new(b, mine).result(b.ctx.index()).value(b);
        let one_index = arith::constant_index(b, 1);
        let last = arith::SubIOp::new(b, blocks, one_index).value(b);
        let eq = arith::CmpIPredicate::Eq.attr(&mut b.ctx);
        let is_last = arith::CmpIOp::new(b, mine, last).attr(b, "predicate", eq).value(b);
        let word = arith::ExtUIOp::new(b, is_last).result(i32_ty).value(b);
        memref::StoreOp::new(b, word, flag, &[zero]).build(b);
        scf::YieldOp::new(b, &[]).build(b);
    });
    scf::IfOp::new(&mut b, first).region(leave).build(&mut b);
    gpu::BarrierOp::new(&mut b, &[]).build(&mut b);
    let word = memref::LoadOp::new(&mut b, flag, &[zero]).value(&mut b);
    let ne = arith::CmpIPredicate::Ne.attr(&mut b.ctx);
    let is_last =
        arith::CmpIOp::new(&mut b, word, none).attr(&mut b, "predicate", ne).value(&mut b);
    let (thread, threads) = processors.thread(&mut b);
    let results = b.results(tail.looped).to_vec();
    let complete = b.region(&[], |b, _| {
        FenceOp::new(b).build(b);
        let mut totals = Vec::new();
        for ((&buffer, &(_, combiner)), &init) in buffers.iter().zip(partial).zip(&inits) {
            let own = scf::ForOp::create(b, (thread, blocks, threads), &[init], |b, i, so_far| {
                let value = memref::LoadOp::new(b, buffer, &[i]).value(b);
                vec![combine(b, combiner, so_far[0], value)]
            });
            // It mostly runs once a thread: its code is to be short.
            let short = llvm::no_unroll(&mut b.ctx);
            b.set_attr(own.op(), llvm::LOOP_ANNOTATION, short);
            let own = b.result(own.op(), 0);
            totals.push(match processors.extents.is_single() {
                true => own,
                false => all_reduce(b, own, combiner),
            });
        }
        for (&result, &total) in results.iter().zip(&totals) {
            b.replace_all_uses(result, total);
        }
        let go_on = b.region(&[], |b, _| {
            memref::StoreOp::new(b, none, counter, &[zero]).build(b);
            for &op in &tail.ops {
                b.insert(op);
            }
            scf::YieldOp::new(b, &[]).build(b);
        });
        scf::IfOp::new(b, first).region(go_on).build(b);
        scf::YieldOp::new(b, &[]).build(b);
    });
    scf::IfOp::new(&mut b, is_last).region(complete).build(&mut b);
    ir.erase_op(tail.looped);
    Ok(())
}

/// Whether this is the block's first thread.
fn first_thread(b: &mut Builder<'_>, processors: &mut Processors) -> Value {
    processors.is_first(b, &[]).unwrap_or_else(|| arith::constant_bool(b, true))
}

fn int_constant(b: &mut Builder<'_>, ty: Type, value: i128) -> Value {
    let attr = b.ctx.int_attr(value, ty);
    arith::constant(b, attr)
}
