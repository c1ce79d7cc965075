//! `raise-loops`: turns `offload.loop` into loops of the upstream dialects.
//!
//! A loop whose iterations the program declares independent becomes `scf.parallel`, with the levels
//! of parallelism it asks for, and their sizes, as [`SCHEDULE_ATTR`]; its reduction variables become the
//! loop's reductions, each over a private variable of the iteration. Sizes that only the run time knows
//! go to the region: a launch has one number of gangs, workers and lanes. A loop whose independence is
//! for the compiler to find becomes a nest of `scf.for` with [`AUTO_ATTR`], a `seq` loop one
//! with [`SEQ_ATTR`], and every loop of a `serial` region a plain `scf.for`. A `parallel` region all of whose loops are
//! the compiler's to divide becomes one of `kernels`.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::{
    AUTO_ATTR, Construct, LEVELS, LoopOp, LoopOrder, RegionOp, SCHEDULE_ATTR, SEQ_ATTR,
};
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Attr, Block, Builder, InsertPoint, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::clause_sizes;
use super::reduction::Reduction;
use crate::analysis::slice::{clone_slice, pure_slice};

gpuc_ir::pass! {
    /// Turn offload.loop into scf.parallel and scf.for.
    RaiseLoops = "raise-loops" on "func.func" {}
}

impl Pass for RaiseLoops {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if let Some(region) = RegionOp::cast(ir, inner) {
                clause_sizes::check(ir, region)?;
                if is_one_gang(ir, region) {
                    let kernels = Construct::Kernels.attr(&mut ir.ctx);
                    ir.set_attr(inner, "construct", kernels);
                }
            }
        }
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            clause_sizes::fold(ir, inner);
        }
        // Inner loops first: the body moves, and what is in it should be final.
        for inner in ir.nested_ops(op, WalkOrder::PostOrder) {
            if let Some(this) = LoopOp::cast(ir, inner) {
                hand_up_sizes(ir, this)?;
                raise(ir, this);
            }
        }
        Ok(())
    }
}

/// Whether a `parallel` region leaves it to the compiler which loops gangs share. There is one gang then (fewer than are asked
/// for may be used, OpenACC 3.3 §2.5.10), for which the region's statements run one after the other, as those of `kernels` do.
/// More would repeat loops round those that they share without waiting for each other.
fn is_one_gang(ir: &Ir, region: RegionOp) -> bool {
    if region.kind(ir) != Construct::Parallel {
        return false;
    }
    let nested = ir.nested_ops(region.op(), WalkOrder::PreOrder).into_iter();
    let loops: Vec<LoopOp> = nested.filter_map(|op| LoopOp::cast(ir, op)).collect();
    let order = |each: &LoopOp| each.loop_order(ir);
    let is_open = |each: &LoopOp| {
        order(each) == Some(LoopOrder::Seq)
            || order(each) == Some(LoopOrder::Auto) && each.level_names(ir).is_empty()
    };
    loops.iter().all(is_open) && loops.iter().any(|each| order(each) == Some(LoopOrder::Auto))
}

/// Gives the sizes of a loop that are not constant to its region.
fn hand_up_sizes(ir: &mut Ir, this: LoopOp) -> Result<(), Diagnostic> {
    let sizes = [this.gang_size(ir), this.worker_size(ir), this.vector_size(ir)];
    let Some(region) = ir.ancestors(this.op()).find_map(|op| RegionOp::cast(ir, op)) else {
        return Ok(());
    };
    if region.kind(ir) == Construct::Serial || this.loop_order(ir) == Some(LoopOrder::Seq) {
        return Ok(());
    }
    let mut own = [region.num_gangs(ir), region.num_workers(ir), region.vector_length(ir)];
    let mut changed = false;
    for (own, size) in own.iter_mut().zip(sizes) {
        let Some(size) = size.filter(|&size| arith::constant_value(ir, size).is_none()) else {
            continue;
        };
        let Some(slice) = pure_slice(ir, size, region.op()) else {
            return Err(Diagnostic::error("the size of this loop is computed in the region")
                .at_option(ir.ctx.place(ir.location(this.op())))
                .help("compute it before the region: the launch needs it"));
        };
        let mut b = Builder::before(ir, region.op());
        let value = clone_slice(&mut b, &slice, size, &mut ValueMap::new());
        // Of several sizes, threads enough for each.
        *own = Some(match *own {
            Some(other) if b.ty(other) == b.ty(value) && other != value => {
                arith::MaxSIOp::new(&mut b, other, value).value(&mut b)
            }
            _ => value,
        });
        changed = true;
    }
    if changed {
        let operands: Vec<Value> = own.iter().flatten().copied().collect();
        ir.set_operands(region.op(), &operands);
        let counts = own.map(|value| i32::from(value.is_some()));
        let counts = ir.ctx.i32_array_attr(&counts);
        ir.set_attr(region.op(), "operandSegmentSizes", counts);
    }
    Ok(())
}

/// The levels that a loop asks for, with their sizes.
fn schedule(ir: &mut Ir, this: LoopOp) -> Vec<Attr> {
    let sizes = [this.gang_size(ir), this.worker_size(ir), this.vector_size(ir)];
    let names: Vec<String> = this.level_names(ir).into_iter().map(str::to_owned).collect();
    let words = names.into_iter().map(|name| {
        let size = LEVELS.iter().zip(sizes).find(|(level, _)| **level == name);
        match size.and_then(|(_, size)| size) {
            None => name,
            Some(size) => match arith::constant_int_value(ir, size) {
                Some(number) => format!("{name}({number})"),
                None => format!("{name}(?)"),
            },
        }
    });
    let words: Vec<String> = words.collect();
    words.into_iter().map(|word| ir.ctx.string_attr(&word)).collect()
}

fn raise(ir: &mut Ir, this: LoopOp) {
    let construct = ir
        .ancestors(this.op())
        .find_map(|op| RegionOp::cast(ir, op))
        .map_or(Construct::Parallel, |region| region.kind(ir));
    match (this.loop_order(ir), construct) {
        (_, Construct::Serial) => sequential(ir, this, None),
        (Some(LoopOrder::Seq), _) => sequential(ir, this, Some(SEQ_ATTR)),
        (Some(LoopOrder::Auto), _) => sequential(ir, this, Some(AUTO_ATTR)),
        _ => parallel(ir, this),
    }
}

/// Moves the operations of the loop's body, without its terminator, to before `anchor`, or to the
/// end of `into` where that is none; induction variables become `variables`.
fn move_body(ir: &mut Ir, this: LoopOp, into: Block, variables: &[Value]) {
    let body = this.block(ir);
    for (argument, &variable) in ir.arguments(body).to_vec().into_iter().zip(variables) {
        ir.set_value_location(variable, ir.value_location(argument));
        ir.replace_all_uses(argument, variable);
    }
    if let Some(terminator) = ir.terminator(body) {
        ir.erase_op(terminator);
    }
    ir.splice_ops(body, into);
}

/// A nest of `scf.for`, one for each dimension. Reduction variables need nothing: in order, each
/// iteration may update the variable itself.
fn sequential(ir: &mut Ir, this: LoopOp, mark: Option<&str>) {
    let (lower, upper, steps) = (this.lowerBounds(ir), this.upperBounds(ir), this.steps(ir));
    let schedules = split_levels(ir, this);
    let mut b = Builder::before(ir, this.op());
    let mut variables = Vec::new();
    for (i, ((&lower, &upper), &step)) in lower.iter().zip(&upper).zip(&steps).enumerate() {
        let inner = scf::ForOp::create(&mut b, (lower, upper, step), &[], |_, _, _| Vec::new());
        if let Some(mark) = mark {
            let unit = b.ctx.unit_attr();
            b.set_attr(inner.op(), mark, unit);
        }
        if mark == Some(AUTO_ATTR)
            && let Some(schedule) = schedules[i]
        {
            b.set_attr(inner.op(), SCHEDULE_ATTR, schedule);
        }
        variables.push(inner.induction_var(&b));
        let end = b.last_op(inner.body(&b)).expect("the body ends with a yield");
        b.set_point(InsertPoint::Before(end));
    }
    let InsertPoint::Before(end) = b.point() else { return };
    let into = ir.parent_block(end).expect("the yield is in the body");
    ir.detach_op(end);
    move_body(ir, this, into, &variables);
    ir.append_op(into, end);
    ir.erase_op(this.op());
}

/// The levels that each dimension of a collapsed loop asks for, as the dimensions are to be judged
/// one by one: gangs go over the outermost, workers and vector lanes over the innermost.
fn split_levels(ir: &mut Ir, this: LoopOp) -> Vec<Option<Attr>> {
    let dims = this.steps(ir).len();
    let asked = schedule(ir, this);
    let of = |dim: usize| -> Vec<Attr> {
        let is_own = |level: &Attr| match ir.ctx.string_value(*level) {
            Some(word) if word.starts_with("gang") => dim == 0,
            _ => dim + 1 == dims,
        };
        asked.iter().copied().filter(is_own).collect()
    };
    let split: Vec<Vec<Attr>> = (0..dims).map(of).collect();
    split.into_iter().map(|levels| Some(ir.ctx.array_attr(&levels))).collect()
}

/// One `scf.parallel` over all dimensions.
fn parallel(ir: &mut Ir, this: LoopOp) {
    let (lower, upper, steps) = (this.lowerBounds(ir), this.upperBounds(ir), this.steps(ir));
    let kinds: Vec<Reduction> =
        this.reduction_operators(ir).unwrap_or_default().into_iter().map(Reduction::from).collect();
    let variables = this.reductions(ir);
    let levels = schedule(ir, this);
    let levels = ir.ctx.array_attr(&levels);
    // Signless integers do not say how they compare.
    let unsigned: Vec<bool> = (0..kinds.len()).map(|i| this.is_unsigned_reduction(ir, i)).collect();

    let mut b = Builder::before(ir, this.op());
    let (mut initial, mut identities, mut carriers) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (&variable, &kind)) in variables.iter().zip(&kinds).enumerate() {
        let ty = b.ctx.element(b.ty(variable)).expect("reduction variables are memrefs");
        let (carrier, carried, compares) = kind.carrier(&mut b.ctx, ty, unsigned[i]);
        identities.push(kind.identity(&mut b, ty, unsigned[i]));
        initial.push(match carrier == kind {
            true => identities[i],
            false => carrier.identity(&mut b, carried, compares),
        });
        carriers.push((carrier, compares));
    }
    let index = b.ctx.index();
    let region = b.region(&vec![index; lower.len()], |_, _| ());
    let types: Vec<_> = initial.iter().map(|&value| b.ty(value)).collect();
    let new = scf::ParallelOp::new(&mut b, &lower, &upper, &steps, &initial)
        .result_group(&types)
        .region(region)
        .build(&mut b);
    b.set_attr(new, SCHEDULE_ATTR, levels);

    // Private copies of the reduction variables, at the start of each iteration.
    let body = b.body(new, 0);
    let location = b.location;
    let mut privates = Vec::new();
    for (&variable, &value) in variables.iter().zip(&identities) {
        let ty = ir.ty(value);
        let private_ty = ir.ctx.memref(&[], ty);
        let mut b = Builder::at_end(ir, body, location);
        let private = memref::AllocaOp::new(&mut b, &[], &[]).result(private_ty).value(&mut b);
        memref::StoreOp::new(&mut b, value, private, &[]).build(&mut b);
        ir.replace_uses_if(variable, private, |ir, slot| {
            let user = ir.use_owner(slot);
            user != this.op() && ir.is_inside(user, this.op())
        });
        privates.push(private);
    }
    let induction = ir.arguments(body).to_vec();
    move_body(ir, this, body, &induction);

    let mut b = Builder::at_end(ir, body, location);
    let mut values = Vec::new();
    for (&private, kind) in privates.iter().zip(&kinds) {
        let value = memref::LoadOp::new(&mut b, private, &[]).value(&mut b);
        values.push(kind.contribution(&mut b, value));
    }
    let mut reduce = scf::ReduceOp::new(&mut b, &values);
    for (&(kind, unsigned), &ty) in carriers.iter().zip(&types) {
        let combiner = b.region(&[ty, ty], |b, arguments| {
            let combined = kind.combine(b, arguments[0], arguments[1], unsigned);
            scf::ReduceReturnOp::new(b, combined).build(b);
        });
        reduce = reduce.region(combiner);
    }
    reduce.build(&mut b);

    // The loop's result joins what the variable held before.
    let mut b = Builder::after(ir, new);
    for (i, (&variable, &kind)) in variables.iter().zip(&kinds).enumerate() {
        let before = memref::LoadOp::new(&mut b, variable, &[]).value(&mut b);
        let result = b.result(new, i);
        let combined = kind.join(&mut b, before, result, unsigned[i]);
        memref::StoreOp::new(&mut b, combined, variable, &[]).build(&mut b);
    }
    ir.erase_op(this.op());
}
