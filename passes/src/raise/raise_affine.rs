//! `raise-affine`: counted loops and accesses in closed form.
//!
//! `scf.for` and `scf.parallel` become `affine.for` and `affine.parallel` where their bounds are
//! affine in the variables of such loops and in values that do not change in the region, and their
//! steps are numbers; `memref.load` and `memref.store` become `affine.load` and `affine.store` where
//! their subscripts are. Widenings and arithmetic are looked through as
//! [`subscript::polynomial`](crate::analysis::subscript::polynomial) says. What is not affine stays
//! as it is. Scalars (buffers of rank 0) stay too: they have no subscripts. `scf.if` becomes `affine.if` where its condition is a
//! conjunction of affine ones, or the negation of one.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{
    AffineForOp, AffineIfOp, AffineLoadOp, AffineStoreOp, AffineYieldOp, affine_scope,
};
use gpuc_dialects::llvm::LOOP_ANNOTATION;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_dialects::{memref, scf};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Attr, Builder, Ir, Op, OpView, Region, Value, WalkOrder};

use super::affine_operands::AffineOperands;
use super::condition::conjunction;
use super::parallel_nest::ParallelNest;
use super::reduction::Reduction;
use crate::analysis::domain::is_unchanging;
use crate::analysis::loops::{CountedLoop, constant_trips, dimensions_over};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::subscript::polynomial_over;

gpuc_ir::pass! {
    /// Turn scf loops and memref accesses into affine ones where that can be proven.
    RaiseAffine = "raise-affine" on "func.func" {}
}

impl Pass for RaiseAffine {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut operands = AffineOperands::default();
        // Outer loops first: their variables are what inner bounds and subscripts are affine in.
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if let Some(view) = scf::ForOp::cast(ir, inner) {
                raise_for(ir, view, &mut operands);
            } else if let Some(view) = scf::ParallelOp::cast(ir, inner) {
                raise_parallel(ir, view, &mut operands);
            } else if let Some(view) = scf::IfOp::cast(ir, inner) {
                raise_if(ir, view, &mut operands);
            } else {
                raise_access(ir, inner, &mut operands);
            }
        }
        Ok(())
    }
}

/// Moves the body of a loop to a region of its own, with another terminator.
fn take_body(ir: &mut Ir, op: Op, yielded: &[Value]) -> Region {
    let body = ir.body(op, 0);
    let region = ir.create_region();
    ir.move_blocks(ir.region(op, 0), region);
    if let Some(end) = ir.last_op(body) {
        let mut b = Builder::before(ir, end);
        AffineYieldOp::new(&mut b, yielded).build(&mut b);
        ir.erase_op(end);
    }
    region
}

/// Copies the attributes that directives and passes left at a loop: those of `offload`, and who
/// executes it.
pub(crate) fn copy_marks(ir: &mut Ir, from: Op, to: Op) {
    let marks: Vec<(String, Attr)> = ir
        .ctx
        .dict_entries(ir.attrs(from))
        .iter()
        .map(|&(name, attr)| (ir.ctx.str(name).to_owned(), attr))
        .filter(|(name, _)| {
            name.starts_with("offload.") || name == MAPPING_ATTR || name == LOOP_ANNOTATION
        })
        .collect();
    for (name, attr) in marks {
        ir.set_attr(to, &name, attr);
    }
}

fn raise_for(ir: &mut Ir, view: scf::ForOp, operands: &mut AffineOperands) -> Option<()> {
    let op = view.op();
    let scope = affine_scope(ir, op)?;
    let [dim] = &dimensions_over(ir, op, &|value| form(ir, value, scope))[..] else { return None };
    if !ir.ctx.is_index(ir.ty(dim.variable)) {
        return None;
    }
    let step = dim.step?;
    let lower = operands.map(ir, op, &dim.lower)?;
    let upper = operands.map(ir, op, &dim.upper)?;
    let inits: Vec<Value> = view.initArgs(ir).to_vec();
    let types: Vec<_> = ir.result_types(op).collect();
    let yielded: Vec<Value> = ir.operands(view.terminator(ir)).collect();
    let region = take_body(ir, op, &yielded);
    let (lower_map, upper_map) = (ir.ctx.map_attr(lower.map), ir.ctx.map_attr(upper.map));
    let step = ir.ctx.index_attr(step);
    let mut b = Builder::before(ir, op);
    let new = AffineForOp::new(&mut b, &lower.operands, &upper.operands, &inits)
        .attr(&mut b, "lowerBoundMap", lower_map)
        .attr(&mut b, "upperBoundMap", upper_map)
        .attr(&mut b, "step", step)
        .result_group(&types)
        .region(region)
        .build(&mut b);
    copy_marks(ir, op, new);
    let results = ir.results(new).to_vec();
    ir.replace_op(op, &results);
    Some(())
}

fn raise_parallel(ir: &mut Ir, view: scf::ParallelOp, operands: &mut AffineOperands) -> Option<()> {
    let op = view.op();
    let scope = affine_scope(ir, op)?;
    let dims = dimensions_over(ir, op, &|value| form(ir, value, scope));
    let steps: Vec<i64> = dims.iter().map(|dim| dim.step).collect::<Option<_>>()?;
    let reduce = view.reduce_op(ir);
    let combiners = reduce.reductions(ir).to_vec();
    let inits = view.initVals(ir).to_vec();
    let mut kinds = Vec::new();
    for (&combiner, &init) in combiners.iter().zip(&inits) {
        let (kind, unsigned) = Reduction::of_combiner(ir, combiner)?;
        // `affine.parallel` starts from the identity.
        if !kind.is_identity(ir, init, unsigned) {
            return None;
        }
        kinds.push(kind.atomic_kind(&ir.ctx, ir.ty(init), unsigned)?);
    }
    let lists = |bound: fn(&CountedLoop) -> &Vec<Polynomial>| -> (Vec<Polynomial>, Vec<i64>) {
        let all = dims.iter().flat_map(|dim| bound(dim).clone()).collect();
        (all, dims.iter().map(|dim| bound(dim).len() as i64).collect())
    };
    let (lowers, lower_groups) = lists(|dim| &dim.lower);
    let (uppers, upper_groups) = lists(|dim| &dim.upper);
    let lower = operands.map(ir, op, &lowers)?;
    let upper = operands.map(ir, op, &uppers)?;
    let types: Vec<_> = ir.result_types(op).collect();
    let yielded: Vec<Value> = ir.operands(reduce.op()).collect();
    let region = take_body(ir, op, &yielded);
    let nest = ParallelNest {
        lower: (lower, lower_groups),
        upper: (upper, upper_groups),
        steps,
        reductions: kinds.into_iter().zip(types).collect(),
    };
    let new = nest.build(&mut Builder::before(ir, op), region);
    copy_marks(ir, op, new);
    let results = ir.results(new).to_vec();
    ir.replace_op(op, &results);
    Some(())
}

/// A choice whose condition is affine, as at the border of a grid. Not one between loops of any length: whether the
/// host makes it, with a launch for what it chooses, is not known yet.
fn raise_if(ir: &mut Ir, view: scf::IfOp, operands: &mut AffineOperands) -> Option<()> {
    let op = view.op();
    let scope = affine_scope(ir, op)?;
    let condition = view.condition(ir);
    // A loop of another kind has no trips to count.
    let is_long = |&each: &Op| {
        ir.is_loop(each) && !(ir.is_counted_loop(each) && constant_trips(ir, each).is_some())
    };
    let is_long = ir.nested_ops(op, WalkOrder::PreOrder).iter().any(is_long);
    if !ir.results(op).is_empty() || is_long {
        return None;
    }
    // Where the condition is a disjunction, what it leaves out is a conjunction.
    let guards = conjunction(ir, op, scope, condition, true);
    let otherwise = ir.entry_block(ir.region(op, 1));
    let (guards, order) = match guards {
        Some(guards) => (guards, [0, 1]),
        None if otherwise.is_some() => (conjunction(ir, op, scope, condition, false)?, [1, 0]),
        None => return None,
    };
    let forms: Option<Vec<Polynomial>> =
        guards.iter().map(|guard| guard.form.as_polynomial().cloned()).collect();
    let value = operands.map(ir, op, &forms?)?;
    let exprs = value.results(&ir.ctx).to_vec();
    let constraints: Vec<_> =
        exprs.into_iter().zip(&guards).map(|(expr, guard)| (expr, guard.is_equality)).collect();
    let data = ir.ctx.map_data(value.map);
    let (dims, symbols) = (data.dims, data.symbols);
    let set = ir.ctx.integer_set(dims, symbols, &constraints);
    let taken = order.map(|index| {
        let (region, new) = (ir.region(op, index), ir.create_region());
        if let Some(end) = ir.entry_block(region).and_then(|block| ir.last_op(block)) {
            let mut b = Builder::before(ir, end);
            AffineYieldOp::new(&mut b, &[]).build(&mut b);
            ir.erase_op(end);
        }
        ir.move_blocks(region, new);
        new
    });
    AffineIfOp::of_regions(&mut Builder::before(ir, op), set, &value.operands, taken);
    ir.erase_op(op);
    Some(())
}

/// A bound or subscript in closed form over loop variables and values that do not change in the scope.
fn form(ir: &Ir, value: Value, scope: Region) -> Polynomial {
    polynomial_over(ir, value, &|value| is_unchanging(ir, value, scope))
}

fn raise_access(ir: &mut Ir, op: Op, operands: &mut AffineOperands) -> Option<()> {
    let scope = affine_scope(ir, op)?;
    let forms = |ir: &Ir, indices: &[Value]| -> Vec<Polynomial> {
        indices.iter().map(|&index| form(ir, index, scope)).collect()
    };
    if let Some(load) = memref::LoadOp::cast(ir, op) {
        let forms = forms(ir, &load.indices(ir));
        if forms.is_empty() {
            return None;
        }
        let subscripts = operands.map(ir, op, &forms)?;
        let buffer = load.memref(ir);
        let value = AffineLoadOp::create(&mut Builder::before(ir, op), buffer, &subscripts);
        ir.replace_op(op, &[value]);
    } else {
        let store = memref::StoreOp::cast(ir, op)?;
        let forms = forms(ir, &store.indices(ir));
        if forms.is_empty() {
            return None;
        }
        let subscripts = operands.map(ir, op, &forms)?;
        let (value, buffer) = (store.value(ir), store.memref(ir));
        AffineStoreOp::create(&mut Builder::before(ir, op), value, buffer, &subscripts);
        ir.erase_op(op);
    }
    Some(())
}
