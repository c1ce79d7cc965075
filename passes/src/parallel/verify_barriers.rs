//! `verify-barriers`: refuses kernels whose threads would wait for ever, or race.
//!
//! A barrier inside a loop over threads needs that every thread of the block reaches it equally often:
//! the loop gives each thread exactly one iteration, and control round the barrier is the same for
//! all ([`crate::analysis::uniform`]). Between loops over threads the code is the block's, and a
//! barrier there is reached by all. A barrier that names loops stands in these, and in no other.
//!
//! Two accesses of different threads to one buffer of the block that a loop over threads makes without
//! a barrier between them, and that are certain to meet in an element with one of them writing, are
//! refused with the two threads: write after write, and across the turn of a sequential loop, too. What is
//! between two loops over threads is separated by `distribute`.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::gpu::AddressSpace;
use gpuc_dialects::offload::mapping::{Axis, Distribution, LoopMapping, Size};
use gpuc_dialects::{affine, gpu, memref, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use super::thread_races::find_race;
use crate::analysis::loops::constant_trips;
use crate::analysis::uniform::Uniformity;

gpuc_ir::pass! {
    /// Refuse barriers that not all threads reach, and memory of a block that each thread would make, or race on.
    VerifyBarriers = "verify-barriers" {}
}

impl Pass for VerifyBarriers {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        cx.preserve_all();
        let mut uniformity = Uniformity::default();
        let nested = ir.nested_ops(op, WalkOrder::PreOrder);
        for &barrier in nested.iter().filter(|&&inner| gpu::BarrierOp::is(ir, inner)) {
            check_barrier(ir, barrier, op, &mut uniformity)?;
        }
        for &inner in &nested {
            check_allocation(ir, inner, op)?;
            let outermost =
                is_over_threads(ir, inner) && !has_loop_over_threads_around(ir, inner, op);
            if outermost && let Some(race) = find_race(ir, inner, op, &mut uniformity) {
                return Err(race);
            }
        }
        Ok(())
    }
}

/// Whether threads of a block share an operation, a parallel loop.
pub fn is_over_threads(ir: &Ir, op: Op) -> bool {
    ir.has_trait(op, Traits::PARALLEL_LOOP)
        && LoopMapping::known(ir, op).is_some_and(|mapping| mapping.is_over_threads())
}

fn has_loop_over_threads_around(ir: &Ir, op: Op, scope: Op) -> bool {
    ir.ancestors(op).take_while(|&outer| outer != scope).any(|outer| is_over_threads(ir, outer))
}

/// Refuses memory of the block that is made where its threads are told apart: there is one of it, and every
/// iteration would have one of its own.
fn check_allocation(ir: &Ir, op: Op, scope: Op) -> Result<(), Diagnostic> {
    if !memref::AllocaOp::is(ir, op) && !memref::AllocOp::is(ir, op) {
        return Ok(());
    }
    let space = AddressSpace::of_memref(&ir.ctx, ir.ty(ir.result(op, 0)));
    let mut around = ir.ancestors(op).take_while(|&outer| outer != scope);
    let Some(outer) = around.find(|&outer| is_over_threads(ir, outer)) else { return Ok(()) };
    if space != Some(AddressSpace::Workgroup) {
        return Ok(());
    }
    let error = Diagnostic::error("memory of the block is allocated in a loop over its threads")
        .at_option(ir.ctx.place(ir.location(op)))
        .help(
            "allocate it in front of the loop, where the code is the block's, or leave \
             `#gpu.address_space<workgroup>` out to have a buffer for each iteration",
        );
    Err(match ir.ctx.place(ir.location(outer)) {
        Some(place) => error.related(place, "threads share this loop"),
        None => error,
    })
}

/// Refuses a barrier that threads reach unequally.
fn check_barrier(
    ir: &Ir,
    barrier: Op,
    scope: Op,
    uniformity: &mut Uniformity,
) -> Result<(), Diagnostic> {
    let place = ir.ctx.place(ir.location(barrier));
    let around: Vec<Op> = ir.ancestors(barrier).take_while(|&outer| outer != scope).collect();
    check_names(ir, barrier, &around)?;
    if !around.iter().any(|&outer| is_over_threads(ir, outer)) {
        return Ok(());
    }
    for &outer in &around {
        let outer_place = ir.ctx.place(ir.location(outer));
        if is_over_threads(ir, outer) {
            if let Some(why) = leaves_threads_out(ir, outer) {
                let mut error = Diagnostic::error(
                    "not every thread of the block reaches this barrier equally often",
                )
                .at_option(place)
                .help(
                    "map the loop over threads exactly, with as many threads as iterations, or put \
                     the barrier between two loops over threads",
                );
                if let Some(outer_place) = outer_place {
                    error = error.related(outer_place, why);
                }
                return Err(error);
            }
            continue;
        }
        let differs = match ir.name(outer) {
            scf::IfOp::NAME | affine::AffineIfOp::NAME | scf::IndexSwitchOp::NAME => {
                ir.operands(outer).collect::<Vec<_>>().iter().any(|&v| uniformity.varies(ir, v))
            }
            _ if ir.is_sequential_loop(outer) => {
                ir.operands(outer).collect::<Vec<_>>().iter().any(|&v| uniformity.varies(ir, v))
            }
            // The condition of a `while` is carried, and not followed.
            scf::WhileOp::NAME => true,
            _ => false,
        };
        if differs {
            let mut error = Diagnostic::error(
                "a barrier in control that differs between threads of the block",
            )
            .at_option(place)
            .help(
                "move the barrier out of it: threads that do not come would be waited for for ever",
            );
            if let Some(outer_place) = outer_place {
                error = error.related(outer_place, "this depends on the number of the thread");
            }
            return Err(error);
        }
    }
    Ok(())
}

/// Refuses a barrier that names something else than the loops over threads that it stands in.
fn check_names(ir: &Ir, barrier: Op, around: &[Op]) -> Result<(), Diagnostic> {
    let names: Vec<Value> = ir.operands(barrier).collect();
    if names.is_empty() {
        return Ok(());
    }
    let wrong = |message: &str, at: Op, says: &str| {
        let error = Diagnostic::error(message)
            .at_option(ir.ctx.place(ir.location(barrier)))
            .help("name one variable or more of each loop over threads round the barrier, and nothing else");
        Err(match ir.ctx.place(ir.location(at)) {
            Some(place) => error.related(place, says),
            None => error,
        })
    };
    let loops: Vec<Op> = around.iter().copied().filter(|&op| is_over_threads(ir, op)).collect();
    let is_variable_of = |&op: &Op, name: Value| ir.arguments(ir.body(op, 0)).contains(&name);
    for &name in &names {
        // A loop of one iteration that was folded away had one thread: nobody to wait for.
        let folded = ir.defining_op(name).is_some_and(|op| ir.has_trait(op, Traits::CONSTANT_LIKE));
        if !folded && !loops.iter().any(|op| is_variable_of(op, name)) {
            let at = ir.defining_op(name).unwrap_or(barrier);
            let message = "a barrier names what is no variable of a loop over threads around it";
            return wrong(message, at, "this does not number threads");
        }
    }
    let unnamed = loops.iter().find(|&op| !names.iter().any(|&name| is_variable_of(op, name)));
    if let Some(&unnamed) = unnamed {
        let message = "a barrier stands in a loop over threads that it does not name";
        return wrong(message, unnamed, "threads of this loop would wait, too");
    }
    Ok(())
}

/// Why a loop over threads does not give every thread of the block one iteration.
fn leaves_threads_out(ir: &Ir, op: Op) -> Option<String> {
    let mapping = LoopMapping::known(ir, op)?;
    let trips = constant_trips(ir, op);
    let mut first = 0;
    for dim in &mapping.0 {
        let own = trips.as_ref().and_then(|trips| {
            let mut dims = trips[first..first + dim.dims].iter();
            dims.try_fold(1i64, |product, &trips| product.checked_mul(trips))
        });
        first += dim.dims;
        if !dim.axes.iter().any(|(axis, _)| axis.is_in_block()) {
            continue;
        }
        let processors = dim.axes.iter().try_fold(1i64, |product, &(axis, size)| match size {
            Size::Constant(n) => product.checked_mul(n),
            Size::Free if !axis.is_in_block() => None,
            _ => None,
        });
        let blocks = dim.axes.iter().any(|(axis, _)| matches!(axis, Axis::Block(_)));
        let exact = dim.how == Distribution::Exact && own.is_some();
        let fits = match (own, dim.threads()) {
            // Blocks times threads: every block is full.
            (Some(own), Some(threads)) if blocks => threads > 0 && own % threads == 0,
            _ => own == processors,
        };
        if !exact || !fits {
            return Some(match own {
                Some(own) => format!("this loop has {own} iterations, mapped as '{dim}'"),
                None => format!(
                    "how many iterations this loop has is not known; it is mapped as '{dim}'"
                ),
            });
        }
    }
    None
}
