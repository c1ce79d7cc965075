//! `recognize-parallel`: finds out which loops may run in parallel, where that is the compiler's
//! task.
//!
//! Asked about are the loops of [`is_asked_about`]. A loop
//! whose iterations do not depend on each other ([`dependence::carried`]), and that carries nothing
//! but reductions from one to the next ([`carried_scalar`](super::carried_scalar)), becomes
//! `affine.parallel` (`scf.parallel` where it is an `scf.for`), its reductions starting from their
//! identities and combined with the initial values behind it; a scalar that every iteration sets
//! anew is stored by the last one. Every other stays, and a remark says
//! which variable holds it up. Where only pointers could make mapped variables overlap, the region is
//! made twice, and the host asks before each launch whether they do (see [`versions`]). Inside a parallel loop, one more is made parallel only where it pays:
//! it is no short one, and its iterations touch consecutive elements.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineYieldOp};
use gpuc_dialects::offload::{AUTO_ATTR, DisjointOp, RegionOp, SCHEDULE_ATTR};
use gpuc_dialects::{arith, memref, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, ValueMap, WalkOrder};
use indexmap::IndexSet;

use super::carried_scalar::{CarriedScalar, carried_values, classify};
use super::last_value::LastStore;
use super::remarks;
use crate::analysis::access::{Access, accesses, name};
use crate::analysis::dependence::{self, Apart};
use crate::analysis::loops::{dimensions, is_asked_about};
use crate::raise::parallel_nest::ParallelNest;
use crate::raise::raise_affine::copy_marks;
use crate::raise::reduction::Reduction;
use crate::versions::{self, in_fallback};

gpuc_ir::pass! {
    /// Make loops parallel whose iterations are proven independent.
    RecognizeParallel = "recognize-parallel" on "func.func" {
        /// Iterations below which a loop inside a parallel one stays sequential.
        least_inner_iterations: u64 = 32,
    }
}

impl Pass for RecognizeParallel {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            if candidates(ir, region).is_empty() {
                continue;
            }
            if in_fallback(ir, inner) {
                self.recognize(ir, region, Apart::Unknown);
                continue;
            }
            let fallback = versions::copy_as_fallback(ir, inner);
            let found = self.recognize(ir, region, Apart::Assumed);
            found.remarks.into_iter().for_each(|remark| cx.report(remark));
            match disjoint(&mut Builder::before(ir, inner), &found.assumed_apart) {
                Some(holds) => {
                    versions::choose(ir, holds, inner, fallback);
                    self.recognize(ir, RegionOp(fallback), Apart::Unknown);
                }
                None => ir.erase_op(fallback),
            }
        }
        Ok(())
    }
}

/// What was found out about the loops of a region.
#[derive(Default)]
struct Found {
    remarks: Vec<Diagnostic>,
    /// Pairs of mapped variables that parallel loops need to be apart.
    assumed_apart: IndexSet<(Value, Value)>,
}

/// The loops that a region asks about, outer ones first: they are the ones worth most.
fn candidates(ir: &Ir, region: RegionOp) -> Vec<Op> {
    let mut nested = ir.nested_ops(region.op(), WalkOrder::PreOrder);
    nested.retain(|&op| is_asked_about(ir, op, region));
    nested
}

/// Whether all pairs of buffers are apart; `None` if there are no pairs.
fn disjoint(b: &mut Builder<'_>, pairs: &IndexSet<(Value, Value)>) -> Option<Value> {
    let mut all: Option<Value> = None;
    for &(first, second) in pairs {
        let holds = DisjointOp::new(b, first, second).value(b);
        all = Some(match all {
            Some(so_far) => arith::AndIOp::new(b, so_far, holds).value(b),
            None => holds,
        });
    }
    all
}

impl RecognizeParallel {
    fn recognize(&self, ir: &mut Ir, region: RegionOp, apart: Apart) -> Found {
        let mut found = Found::default();
        for op in candidates(ir, region) {
            let remarks = self.parallelize(ir, op, apart, &mut found.assumed_apart);
            found.remarks.extend(remarks);
        }
        found
    }

    /// Makes a loop parallel if it can be, and says why or why not.
    fn parallelize(
        &self,
        ir: &mut Ir,
        op: Op,
        apart: Apart,
        assumed_apart: &mut IndexSet<(Value, Value)>,
    ) -> Vec<Diagnostic> {
        let place = ir.ctx.place(ir.location(op));
        let remark = |text: String| Diagnostic::remark(text).at_option(place.clone());
        let touched = match accesses(ir, op) {
            Ok(touched) => touched,
            Err(unknown) => {
                return vec![remark(format!(
                    "Loop not parallelized: the effects of '{}' are not known",
                    ir.name(unknown)
                ))];
            }
        };
        let carried: Vec<[Value; 4]> = carried_values(ir, op);
        let classes: Vec<CarriedScalar> =
            carried.iter().map(|&values| classify(ir, op, values)).collect();
        let mut last_values = Vec::new();
        for (&values, class) in carried.iter().zip(&classes) {
            let held = match class {
                CarriedScalar::Dead | CarriedScalar::Reduction { .. } => continue,
                CarriedScalar::LastValue => match LastStore::find(ir, op, values) {
                    Some(store) => {
                        last_values.push((store, values[2]));
                        continue;
                    }
                    None => "Scalar last value needed after loop",
                },
                CarriedScalar::Recurrence => "Loop carried scalar dependence",
            };
            let scalar =
                scalar_name(ir, values[3]).map_or(String::new(), |name| format!(" for {name}"));
            return vec![remark(format!("{held}{scalar} prevents parallelization"))];
        }
        let found = dependence::carried(ir, op, &touched, apart);
        if let Some(dependence) = found.dependences.first() {
            return vec![remarks::dependence(ir, op, dependence)];
        }
        let reductions = reductions(&carried, &classes);
        if !self.pays(ir, op, &touched, !reductions.is_empty()) {
            return vec![remark(
                "Loop is parallelizable, left sequential in each thread".to_owned(),
            )];
        }
        let names: Vec<Option<String>> =
            reductions.iter().map(|&(values, ..)| scalar_name(ir, values[3])).collect();
        for (store, yielded) in last_values {
            store.apply(ir, op, yielded);
        }
        if make_parallel(ir, op, &reductions).is_none() {
            return Vec::new();
        }
        let mut said = remark("Loop is parallelizable".to_owned());
        for (a, b) in found.assumed_apart {
            assumed_apart.insert((a, b));
            said = said.help(format!(
                "if {} and {} do not overlap, tested at run time: two versions made",
                name(ir, a),
                name(ir, b)
            ));
        }
        let mut said = vec![said];
        for ((_, kind, _), name) in reductions.iter().zip(names) {
            let name = name.unwrap_or_else(|| "a local variable".to_owned());
            said.push(remark(format!("Generating implicit reduction({}:{name})", kind.symbol())));
        }
        said
    }

    /// Whether a loop that can be parallel should be: always if nothing around it is.
    fn pays(&self, ir: &Ir, op: Op, touched: &[Access], reduces: bool) -> bool {
        let asked = ir
            .attr(op, SCHEDULE_ATTR)
            .and_then(|attr| ir.ctx.array_value(attr))
            .is_some_and(|levels| !levels.is_empty());
        let around: Vec<Op> =
            ir.ancestors(op).filter(|&outer| ir.has_trait(outer, Traits::PARALLEL_LOOP)).collect();
        if asked || around.is_empty() {
            return true;
        }
        let [dim] = &dimensions(ir, op)[..] else { return false };
        let length = dim
            .lower
            .first()
            .zip(dim.upper.first())
            .and_then(|(lower, upper)| upper.plus(lower, -1)?.as_constant())
            .and_then(|length| u64::try_from(length).ok());
        if length.is_some_and(|length| length < self.least_inner_iterations) {
            return false;
        }
        let outer: Vec<Value> = around
            .iter()
            .flat_map(|&outer| dimensions(ir, outer))
            .map(|dim| dim.variable)
            .collect();
        let bounds = dim.lower.iter().chain(&dim.upper);
        if reduces
            && bounds.flat_map(|bound| bound.values()).any(|value| !is_outside(ir, value, &around))
        {
            return false;
        }
        let consecutive = |variable: Value| {
            touched
                .iter()
                .filter(|access| {
                    let last = access.subscripts.last().and_then(Option::as_ref);
                    last.is_some_and(|form| form.coefficient(&[variable]).abs() == 1)
                })
                .count()
        };
        // A reduction costs barriers; a tie is not worth them.
        let own = consecutive(dim.variable);
        own > 0
            && outer.iter().map(|&variable| consecutive(variable)).all(|others| match reduces {
                true => others < own,
                false => others <= own,
            })
    }
}

/// Whether a value is defined outside all of some nested loops.
fn is_outside(ir: &Ir, value: Value, loops: &[Op]) -> bool {
    let owner = ir.value_block(value).and_then(|block| ir.block_op(block));
    owner.is_some_and(|owner| loops.iter().all(|&outer| !ir.is_inside(owner, outer)))
}

type Reduced = ([Value; 4], Reduction, bool);

fn reductions(carried: &[[Value; 4]], classes: &[CarriedScalar]) -> Vec<Reduced> {
    carried
        .iter()
        .zip(classes)
        .filter_map(|(&values, &class)| match class {
            CarriedScalar::Reduction { kind, unsigned } => Some((values, kind, unsigned)),
            _ => None,
        })
        .collect()
}

/// The variable that a loop's result is stored to.
fn scalar_name(ir: &Ir, result: Value) -> Option<String> {
    ir.users(result).find_map(|user| {
        let store = memref::StoreOp::cast(ir, user)?;
        let scalar = store.memref(ir);
        ir.ctx.shape(ir.ty(scalar))?.is_empty().then(|| name(ir, scalar))
    })
}

/// Turns a sequential loop into a parallel one.
fn make_parallel(ir: &mut Ir, op: Op, reductions: &[Reduced]) -> Option<()> {
    let types: Vec<Type> = reductions.iter().map(|(values, ..)| ir.ty(values[0])).collect();
    let kinds: Option<Vec<i64>> = reductions
        .iter()
        .zip(&types)
        .map(|(&(_, kind, unsigned), &ty)| kind.atomic_kind(&ir.ctx, ty, unsigned))
        .collect();
    let carried = carried_values(ir, op);
    let affine = AffineForOp::cast(ir, op);
    if affine.is_some() && kinds.is_none() {
        return None;
    }
    // In the body, carried values start from the identities.
    let mut b = Builder::before(ir, op);
    let identities: Vec<Value> = reductions
        .iter()
        .zip(&types)
        .map(|(&(_, kind, unsigned), &ty)| kind.identity(&mut b, ty, unsigned))
        .collect();
    for [init, argument, ..] in &carried {
        let reduction = reductions.iter().position(|(values, ..)| values[1] == *argument);
        let start = reduction.map_or(*init, |i| identities[i]);
        ir.replace_all_uses(*argument, start);
    }
    let body = ir.body(op, 0);
    for _ in 0..carried.len() {
        ir.remove_argument(body, 1);
    }
    let end = ir.last_op(body)?;
    let yielded: Vec<Value> = reductions
        .iter()
        .zip(&identities)
        .map(|((values, ..), &identity)| contribution(ir, values[2], identity, end))
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
            for (&(_, kind, unsigned), &ty) in reductions.iter().zip(&types) {
                let combiner = b.region(&[ty, ty], |b, arguments| {
                    let combined = kind.combine(b, arguments[0], arguments[1], unsigned);
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
    for (i, &([init, _, _, result], kind, unsigned)) in reductions.iter().enumerate() {
        let init = again(&mut b, init, new);
        let part = b.result(new, i);
        let combined = kind.combine(&mut b, init, part, unsigned);
        b.replace_all_uses(result, combined);
    }
    ir.erase_op(op);
    Some(())
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
fn again(b: &mut Builder<'_>, value: Value, behind: Op) -> Value {
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
