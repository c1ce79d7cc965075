//! Loops in strips: as many iterations at a time as a step says, and a loop over the strips round them.
//!
//! Of a single sequential loop the order stays, so that nothing forbids it, and values are carried through both loops. Several
//! sequential ones that stand directly in each other are tiled ([`super::tile`]), where dependences allow it. A parallel loop
//! stays one, with two dimensions in place of each that is named: its strips, and behind all of those the iterations of one,
//! with a condition where strips need not divide the iterations, so that the dimensions do not depend on each other. "Strip
//! mining": Allen and Kennedy, "Optimizing Compilers for Modern Architectures", 2001, §5.10.

use gpuc_dialects::affine::{
    AffineApplyOp, AffineForOp, AffineIfOp, AffineParallelOp, AffineValue, AffineYieldOp,
};
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_ir::op::Traits;
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Value};
use indexmap::IndexSet;

use super::refusal::Refusal;
use super::tile::{self, Bounds};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::parallel::schedule::is_asked;
use crate::plan::names;
use crate::plan::step::Strip;
use crate::raise::parallel_nest::ParallelNest;
use crate::raise::raise_affine::copy_marks;

const STEP: &str = "strip";

/// Takes a step of a plan; the outermost loops that it has made. Buffers that are assumed to be apart join `apart`.
///
/// # Errors
/// There are no such loops in this shape, or a dependence forbids it. Nothing was changed.
pub fn take(
    ir: &mut Ir,
    func: Op,
    nest: &Nest,
    region: RegionOp,
    step: &Strip,
    apart: &mut IndexSet<(Value, Value)>,
) -> Result<Vec<Op>, Refusal> {
    let refuse = |op: Op, rule: &str| Err(Refusal::new(STEP, op, rule));
    let mut loops = Vec::new();
    for (name, _) in &step.loops {
        match names::find(ir, func, name) {
            Some(op) => loops.push(op),
            None => return refuse(func, &format!("there is no loop '{name}'")),
        }
    }
    let Some(&root) = loops.first() else { return refuse(func, "no loop is named") };
    let sizes: Vec<i64> = step.loops.iter().map(|&(_, size)| size).collect();
    if let Some(view) = AffineParallelOp::cast(ir, root) {
        if loops.iter().any(|&op| op != root) {
            return refuse(root, "the loops are not dimensions of one parallel loop");
        }
        let own = names::of_loop(ir, root);
        let place = |name: &String| own.iter().position(|known| known == name);
        let Some(dims) = step.loops.iter().map(|(name, _)| place(name)).collect() else {
            return refuse(root, "the loops are not dimensions of one parallel loop");
        };
        return parallel(ir, view, dims, &sizes).map(|op| vec![op]);
    }
    let made = match loops.len() {
        1 => sequential(ir, root, sizes[0])?,
        _ => {
            let band: Vec<Op> = tile::band(ir, root).iter().map(|view| view.op()).collect();
            if !band.starts_with(&loops) {
                return refuse(root, "the loops do not stand directly in each other");
            }
            if !super::free_loops(ir, region).contains(&root) {
                return refuse(root, "the program says how the loop is executed");
            }
            let graph = super::graph(ir, nest, STEP, &[root], Apart::Assumed)?;
            apart.extend(graph.assumed_apart.iter().copied());
            tile::tile(ir, nest, root, &sizes, Apart::Assumed)?[0]
        }
    };
    name_strips(ir, made, &step.loops);
    Ok(vec![made])
}

/// Names of loops over strips and of those in them, which stand in each other from `made` in.
fn name_strips(ir: &mut Ir, made: Op, loops: &[(String, i64)]) {
    let mut at = made;
    let all = loops.iter().map(|(name, _)| strips(name)).chain(loops.iter().map(|l| l.0.clone()));
    for name in all {
        names::set(ir, at, &name);
        let inner = ir.ops(ir.body(at, 0)).find(|&op| AffineForOp::is(ir, op));
        match inner {
            Some(inner) => at = inner,
            None => return,
        }
    }
}

/// The name of the loop over the strips of a loop.
fn strips(name: &str) -> String {
    format!("{name}.strip")
}

/// A loop over strips round the loop over the iterations of one.
fn sequential(ir: &mut Ir, root: Op, size: i64) -> Result<Op, Refusal> {
    let refuse = |rule: &str| Err(Refusal::new(STEP, root, rule));
    let Some(view) = AffineForOp::cast(ir, root) else {
        return refuse("the numbers of its iterations are not in closed form");
    };
    if size.checked_mul(view.step_value(ir)).is_none() {
        return refuse("a strip has no more iterations than can be counted");
    }
    let bounds = Bounds::of(ir, view, size);
    let inits: Vec<Value> = view.inits(ir).to_vec();
    let (variable, carried) = (view.induction_var(ir), view.carried(ir).to_vec());
    let yielded = view.yielded(ir);
    let (lower, upper, step) = (view.lower_bound(ir), view.upper_bound(ir), view.step_value(ir));
    let own = ir.value_location(variable);
    let body = view.body(ir);
    let mut b = Builder::before(ir, root);
    let mut points = None;
    let made =
        AffineForOp::create(&mut b, &lower, &upper, step * size, &inits, |b, strip, so_far| {
            let start = AffineValue::dim(&mut b.ctx, strip);
            let end = bounds.end(b, strip);
            let inner = AffineForOp::create(b, &start, &end, step, so_far, |b, point, inner| {
                b.set_value_location(point, own);
                b.replace_all_uses(variable, point);
                for (&old, &new) in carried.iter().zip(inner) {
                    b.replace_all_uses(old, new);
                }
                let ops: Vec<Op> = b.ops(body).collect();
                for op in ops {
                    if !AffineYieldOp::is(b, op) {
                        b.detach_op(op);
                        b.insert(op);
                    }
                }
                // What was yielded may be what was carried.
                let now = |value: &Value| {
                    let place = carried.iter().position(|old| old == value);
                    place.map_or(if *value == variable { point } else { *value }, |at| inner[at])
                };
                yielded.iter().map(now).collect()
            });
            points = Some(inner.op());
            b.results(inner.op()).to_vec()
        });
    let results: Vec<(Value, Value)> =
        ir.results(root).iter().copied().zip(ir.results(made.op()).iter().copied()).collect();
    for (old, new) in results {
        ir.replace_all_uses(old, new);
    }
    for op in [Some(made.op()), points].into_iter().flatten() {
        copy_marks(ir, root, op);
    }
    ir.erase_op(root);
    Ok(made.op())
}

/// Two dimensions in place of some of a parallel loop's.
fn parallel(
    ir: &mut Ir,
    view: AffineParallelOp,
    which: Vec<usize>,
    sizes: &[i64],
) -> Result<Op, Refusal> {
    let root = view.op();
    let refuse = |rule: &str| Err(Refusal::new(STEP, root, rule));
    if ir.attr(root, MAPPING_ATTR).is_some() || is_asked(ir, root) {
        return refuse("the program says who executes its iterations");
    }
    if !ir.results(root).is_empty() {
        return refuse("the parallel loop combines values");
    }
    let (lower, upper) = (view.lower_bounds(ir), view.upper_bounds(ir));
    let (lows, highs, steps) = (view.lower_groups(ir), view.upper_groups(ir), view.step_values(ir));
    let factor = |at: usize| which.iter().position(|&dim| dim == at).map(|index| sizes[index]);
    let is_countable = |&dim: &usize| {
        lows[dim] == 1 && factor(dim).is_some_and(|size| size.checked_mul(steps[dim]).is_some())
    };
    if !which.iter().all(is_countable) {
        return refuse("its iterations cannot be counted by one affine map");
    }
    let (lowers, both) = (lower.results(&ir.ctx).len(), lower.and(&mut ir.ctx, &upper));
    let (data, operands) = (ir.ctx.map_data(both.map).clone(), both.operands);
    let (dims, symbols) = (data.dims, data.symbols);
    let (low, high) = data.results.split_at(lowers);
    let (mut new_low, mut new_high) = (Vec::new(), Vec::new());
    let (mut low_groups, mut high_groups, mut new_steps) = (Vec::new(), Vec::new(), Vec::new());
    // Dimension by dimension; the iterations of strips behind the last one that has some.
    let last = which.iter().copied().max().unwrap_or(0);
    let zero = ir.ctx.constant_expr(0);
    let (mut at_low, mut at_high) = (0, 0);
    let mut own: Vec<Own> = Vec::new();
    for dim in 0..steps.len() {
        let (mine_low, mine_high) = (
            low[at_low..at_low + lows[dim] as usize].to_vec(),
            high[at_high..at_high + highs[dim] as usize].to_vec(),
        );
        at_low += lows[dim] as usize;
        at_high += highs[dim] as usize;
        match factor(dim) {
            Some(size) => {
                let whole = ir.ctx.constant_expr(size * steps[dim]);
                for &end in &mine_high {
                    let span = ir.ctx.sub_expr(end, mine_low[0]);
                    new_high.push(ir.ctx.ceildiv_expr(span, whole));
                }
                new_low.push(zero);
                low_groups.push(1);
                new_steps.push(1);
                own.push(Own { dim, size, low: mine_low[0], high: mine_high });
            }
            None => {
                new_low.extend(mine_low);
                new_high.extend(mine_high);
                low_groups.push(lows[dim]);
                new_steps.push(steps[dim]);
            }
        }
        high_groups.push(highs[dim]);
        if dim == last {
            for each in &own {
                new_low.push(zero);
                new_high.push(ir.ctx.constant_expr(each.size));
                low_groups.push(1);
                high_groups.push(1);
                new_steps.push(1);
            }
        }
    }
    let [new_low, new_high] = [new_low, new_high].map(|results| AffineValue {
        map: ir.ctx.map(dims, symbols, &results),
        operands: operands.clone(),
    });
    // The variables: those of strips take the place of the old ones.
    let body = view.body(ir);
    let index = ir.ctx.index();
    let variables = view.induction_vars(ir).to_vec();
    let mut stands = Vec::new();
    for (number, each) in own.iter().enumerate() {
        let old = variables[each.dim];
        let location = ir.value_location(old);
        let name = names::of_variable(ir, old).unwrap_or("?").to_owned();
        let strip = ir.insert_argument(body, each.dim, index, location);
        names::set_variable(ir, strip, &strips(&name));
        // Behind the last dimension that is stripped, in order.
        let point = ir.insert_argument(body, last + 2 + number, index, location);
        stands.push((old, strip, point));
        ir.replace_all_uses(old, point);
        ir.remove_argument(body, each.dim + 1);
    }
    let location = ir.location(root);
    let mut made: Vec<Op> = Vec::new();
    let mut conditions = Vec::new();
    let mut inputs: Vec<Value> = Vec::new();
    for ((_, strip, point), each) in stands.iter().zip(&own) {
        let mut b = Builder::at_start(ir, body, location);
        let step = steps[each.dim];
        let (first, second) = (b.ctx.dim_expr(dims), b.ctx.dim_expr(dims + 1));
        let [whole, step] = [each.size * step, step].map(|number| b.ctx.constant_expr(number));
        let [far, near] = [b.ctx.mul_expr(first, whole), b.ctx.mul_expr(second, step)];
        let distance = b.ctx.add_expr(far, near);
        let value = b.ctx.add_expr(each.low, distance);
        let map = b.ctx.map(dims + 2, symbols, &[value]);
        let (outer, inner) = operands.split_at(dims as usize);
        let all = [outer, &[*strip, *point], inner].concat();
        let applied = AffineApplyOp::create(&mut b, &AffineValue { map, operands: all });
        let op = b.defining_op(applied).filter(|_| applied != *point);
        made.extend(op);
        b.replace_uses_if(*point, applied, |ir, slot| Some(ir.use_owner(slot)) != op);
        // The sequence number of this iteration's value among the inputs of the condition.
        let input = dims + inputs.len() as u32;
        for &end in &each.high {
            let span = b.ctx.sub_expr(end, each.low);
            let divides = match b.ctx.expr_constant(span) {
                Some(span) => span % (each.size * steps[each.dim]) == 0,
                None => b.ctx.largest_known_divisor(span) % (each.size * steps[each.dim]) == 0,
            };
            if !divides {
                conditions.push((end, input));
            }
        }
        inputs.push(applied);
    }
    if !conditions.is_empty() {
        let count = dims + inputs.len() as u32;
        let mut constraints = Vec::new();
        for (end, input) in conditions {
            let value = ir.ctx.dim_expr(input);
            let room = ir.ctx.sub_expr(end, value);
            let minus_one = ir.ctx.constant_expr(-1);
            constraints.push((ir.ctx.add_expr(room, minus_one), false));
        }
        let set = ir.ctx.integer_set(count, symbols, &constraints);
        let (outer, inner) = operands.split_at(dims as usize);
        let all = [outer, &inputs, inner].concat();
        let rest: Vec<Op> = ir
            .ops(body)
            .filter(|op| !made.contains(op) && !ir.has_trait(*op, Traits::TERMINATOR))
            .collect();
        if let Some(end) = ir.last_op(body) {
            let mut b = Builder::before(ir, end);
            let test = AffineIfOp::create(&mut b, set, &all, |_| {});
            if let Some(end) = ir.last_op(test.then_block(ir)) {
                rest.into_iter().for_each(|op| ir.move_before(end, op));
            }
        }
    }
    let nest = ParallelNest {
        lower: (new_low, low_groups),
        upper: (new_high, high_groups),
        steps: new_steps,
        reductions: Vec::new(),
    };
    let region = ir.create_region();
    ir.move_blocks(view.region(ir), region);
    let new = nest.build(&mut Builder::before(ir, root), region);
    copy_marks(ir, root, new);
    ir.erase_op(root);
    Ok(new)
}

/// A dimension that becomes two.
struct Own {
    dim: usize,
    /// Iterations of a strip.
    size: i64,
    low: AffineExpr,
    high: Vec<AffineExpr>,
}
