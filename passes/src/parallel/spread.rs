//! The iterations of a mapped loop that one thread executes.
//!
//! An exact dimension gives the thread one iteration, under a test whether it exists unless that is
//! known; a strided, blocked or sequential one becomes a loop. Tests of all dimensions are one. Only the
//! dimensions that are counted as one are divided out of the iteration's number. That number is also what is
//! compared where a thread behind the last iteration may come around ([`super::near_end`]).

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::mapping::{DimMap, Distribution, LoopMapping, Size};
use gpuc_dialects::{arith, gpu, scf};
use gpuc_ir::{Block, Builder, InsertPoint, Ir, Op, OpView, Region, Type, Value, WalkOrder};

use super::combiner::combine;
use super::launch::{product, trip_count};
use super::loop_bounds::Bounds;
use super::near_end::is_near_end;
use super::threads::Processors;
use crate::analysis::range::{Range, range};

/// A loop that has been spread.
#[derive(Clone, Debug)]
pub struct Spread {
    /// What the thread's iterations combine to, for each result of the loop.
    pub values: Vec<Value>,
    /// How the values of threads are combined.
    pub combiners: Vec<Region>,
    /// The block that holds the body now.
    pub body: Block,
    /// The operation that holds it all.
    pub outermost: Op,
}

/// What stands round the body.
enum Wrapper {
    /// A test.
    If(Value),
    /// A loop of the dimensions of a group.
    For { group: usize, lower: Value, upper: Value, step: Value },
}

/// A group of dimensions and how its iterations are dealt.
struct Group {
    bounds: Vec<Bounds>,
    /// Iterations of each dimension, of a group that counts them.
    extents: Vec<Value>,
    /// The variable, once it is known: the number of the iteration in a group that counts them, of another
    /// one its value.
    variable: Option<Value>,
}

impl Group {
    /// Whether the group counts iterations; else its one dimension counts in its own steps.
    fn counts_iterations(&self) -> bool {
        !self.extents.is_empty()
    }
}

/// Puts this thread's iterations of a mapped `scf.parallel` in front of it. The loop stays, without
/// a body worth anything.
pub fn spread(
    ir: &mut Ir,
    op: Op,
    mapping: &LoopMapping,
    processors: &mut Processors,
) -> Result<Spread, Diagnostic> {
    let view = scf::ParallelOp(op);
    let (lower, upper, step) = (view.lowerBound(ir), view.upperBound(ir), view.step(ir));
    let mut all = lower.into_iter().zip(upper).zip(step).map(|((lower, upper), step)| Bounds {
        lower,
        upper,
        step,
    });
    let inits = view.initVals(ir).to_vec();
    let combiners = view.reduce_op(ir).reductions(ir).to_vec();
    let has_barrier = ir
        .nested_ops(op, WalkOrder::PreOrder)
        .into_iter()
        .any(|inner| gpu::BarrierOp::is(ir, inner) || gpu::AllReduceOp::is(ir, inner));
    let is_near_end = is_near_end(ir, op);
    let mut b = Builder::before(ir, op);
    let mut groups = Vec::new();
    let mut tests = Vec::new();
    let mut loops = Vec::new();
    for (index, map) in mapping.0.iter().enumerate() {
        let bounds: Vec<Bounds> = all.by_ref().take(map.dims).collect();
        let mut group = Group { bounds, extents: Vec::new(), variable: None };
        if map.dims > 1 || is_near_end && !map.axes.is_empty() {
            group.extents = group.bounds.iter().map(|&dim| trip_count(&mut b, dim)).collect();
        }
        let before = tests.len() + loops.len();
        deal(&mut b, map, index, &mut group, processors, &mut tests, &mut loops);
        let waits = tests.len() + loops.len() > before
            && map.axes.iter().any(|&(axis, _)| axis.is_in_block());
        if waits && has_barrier {
            let place = b.ctx.place(b.location(op));
            return Err(Diagnostic::error(
                "a barrier in this loop would not be reached equally often by all threads of the block",
            )
            .at_option(place)
            .help(format!(
                "map it exactly, with as many threads as iterations ('{map}' has another number), or put \
                 the barrier between two loops over threads"
            )));
        }
        groups.push(group);
    }
    let mut levels: Vec<Wrapper> = Vec::new();
    let test =
        tests.into_iter().reduce(|all, test| arith::AndIOp::new(&mut b, all, test).value(&mut b));
    match test {
        Some(test) => levels.push(Wrapper::If(test)),
        // The body needs a block of its own.
        None if loops.is_empty() => levels.push(Wrapper::If(arith::constant_bool(&mut b, true))),
        None => {}
    }
    levels.extend(loops);
    let types: Vec<Type> = inits.iter().map(|&init| b.ty(init)).collect();
    let mut builder = WrapperBuilder { op, groups, types, body: None };
    let values = builder.build(&mut b, &levels, &inits);
    let body = builder.body.expect("the innermost level holds the body");
    let outermost = std::iter::successors(Some(body), |&block| {
        b.block_op(block).and_then(|owner| b.parent_block(owner))
    })
    .find_map(|block| {
        b.block_op(block).filter(|&owner| b.parent_block(owner) == b.parent_block(op))
    })
    .expect("the levels stand beside the loop");
    Ok(Spread { values, combiners, body, outermost })
}

/// What a group needs round the body, and its variable where no loop makes it.
fn deal(
    b: &mut Builder<'_>,
    map: &DimMap,
    index: usize,
    group: &mut Group,
    processors: &mut Processors,
    tests: &mut Vec<Value>,
    loops: &mut Vec<Wrapper>,
) {
    let one = arith::constant_index(b, 1);
    let zero = arith::constant_index(b, 0);
    let whole = match group.bounds[..] {
        [bounds] if !group.counts_iterations() => bounds,
        _ => Bounds { lower: zero, upper: product(b, &group.extents), step: one },
    };
    let mut position: Option<Value> = None;
    let mut parts = Vec::new();
    let mut count = one;
    for &(axis, size) in &map.axes {
        let number = processors.number(b, axis);
        let size_value = processors.count(b, axis, size);
        // A loop over fewer threads than the block has.
        if let (true, Size::Constant(n)) = (axis.is_in_block(), size)
            && processors.extents.extent(axis) != Some(n)
        {
            tests.push(less(b, number, size_value));
        }
        parts.push((number, size_value));
        position = Some(position_of(b, &parts));
        count = arith::MulIOp::new(b, count, size_value).value(b);
    }
    let Some(position) = position else {
        let Bounds { lower, upper, step } = whole;
        loops.push(Wrapper::For { group: index, lower, upper, step });
        return;
    };
    let at = |b: &mut Builder<'_>, position: Value| {
        let offset = arith::MulIOp::new(b, position, whole.step).value(b);
        arith::AddIOp::new(b, whole.lower, offset).value(b)
    };
    match map.how {
        Distribution::Exact => {
            let variable = at(b, position);
            let has_test = !fills(b, map, whole);
            let narrow = Range::signed(32);
            let is_narrow = [variable, whole.upper].iter().all(|&v| range(b, v).is_within(narrow));
            if !is_narrow {
                group.variable = Some(variable);
                if has_test {
                    tests.push(less(b, variable, whole.upper));
                }
                return;
            }
            // Numbers of threads that fit are made, compared and handed on in 32 bits.
            let parts: Vec<_> =
                parts.iter().map(|&(n, size)| (cast(b, n), cast(b, size))).collect();
            let position = position_of(b, &parts);
            let (lower, step) = (cast(b, whole.lower), cast(b, whole.step));
            let offset = arith::MulIOp::new(b, position, step).value(b);
            let variable = arith::AddIOp::new(b, offset, lower).value(b);
            let index = b.ctx.index();
            group.variable = Some(arith::IndexCastOp::new(b, variable).result(index).value(b));
            if has_test {
                let upper = cast(b, whole.upper);
                tests.push(less(b, variable, upper));
            }
        }
        Distribution::Strided => {
            let lower = at(b, position);
            let step = arith::MulIOp::new(b, count, whole.step).value(b);
            loops.push(Wrapper::For { group: index, lower, upper: whole.upper, step });
        }
        Distribution::Blocked => {
            let trips = trip_count(b, whole);
            let run = arith::CeilDivSIOp::new(b, trips, count).value(b);
            let first = arith::MulIOp::new(b, position, run).value(b);
            let behind = arith::AddIOp::new(b, first, run).value(b);
            let (lower, end) = (at(b, first), at(b, behind));
            let upper = arith::MinSIOp::new(b, end, whole.upper).value(b);
            loops.push(Wrapper::For { group: index, lower, upper, step: whole.step });
        }
    }
}

/// The number of a processor from its numbers and the sizes on axes, the slowest first.
fn position_of(b: &mut Builder<'_>, parts: &[(Value, Value)]) -> Value {
    let ((first, _), rest) = parts.split_first().expect("there is an axis");
    let mut position = *first;
    for &(number, size) in rest {
        let slower = arith::MulIOp::new(b, position, size).value(b);
        position = arith::AddIOp::new(b, slower, number).value(b);
    }
    position
}

/// An index in 32 bits.
fn cast(b: &mut Builder<'_>, value: Value) -> Value {
    let narrow = b.ctx.i32();
    arith::IndexCastOp::new(b, value).result(narrow).value(b)
}

/// Whether a group has just as many iterations as processors.
fn fills(ir: &Ir, map: &DimMap, whole: Bounds) -> bool {
    let constant = |value| arith::constant_index_value(ir, value);
    let trips = (|| {
        let span = constant(whole.upper)?.checked_sub(constant(whole.lower)?)?.max(0);
        let step = constant(whole.step).filter(|&step| step > 0)?;
        Some(span / step + i64::from(span % step > 0))
    })();
    let processors = map.axes.iter().try_fold(1i64, |product, &(axis, size)| match size {
        Size::Constant(n) => product.checked_mul(n),
        // As many blocks as there are iterations, one each.
        Size::Free if map.axes.len() == 1 && !axis.is_in_block() && map.dims == 1 => trips,
        _ => None,
    });
    trips.is_some() && trips == processors && trips != Some(0)
}

fn less(b: &mut Builder<'_>, left: Value, right: Value) -> Value {
    let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
    arith::CmpIOp::new(b, left, right).attr(b, "predicate", slt).value(b)
}

struct WrapperBuilder {
    op: Op,
    groups: Vec<Group>,
    types: Vec<Type>,
    body: Option<Block>,
}

impl WrapperBuilder {
    /// Builds levels at the builder's point, which ends behind them; `carried` is what has been
    /// combined so far.
    fn build(&mut self, b: &mut Builder<'_>, levels: &[Wrapper], carried: &[Value]) -> Vec<Value> {
        let Some((level, inner)) = levels.split_first() else {
            return self.leaf(b, carried);
        };
        match *level {
            Wrapper::If(test) => {
                let then = b.region(&[], |b, _| {
                    let values = self.build(b, inner, carried);
                    scf::YieldOp::new(b, &values).build(b);
                });
                let mut build = scf::IfOp::new(b, test).result_group(&self.types).region(then);
                if !self.types.is_empty() {
                    let otherwise = b.region(&[], |b, _| {
                        scf::YieldOp::new(b, carried).build(b);
                    });
                    build = build.region(otherwise);
                }
                let op = build.build(b);
                b.results(op).to_vec()
            }
            Wrapper::For { group, lower, upper, step } => {
                let new =
                    scf::ForOp::create(b, (lower, upper, step), carried, |b, variable, carried| {
                        self.groups[group].variable = Some(variable);
                        self.build(b, inner, carried)
                    });
                b.results(new.op()).to_vec()
            }
        }
    }

    /// Moves the loop's body to the builder's point.
    fn leaf(&mut self, b: &mut Builder<'_>, carried: &[Value]) -> Vec<Value> {
        let view = scf::ParallelOp(self.op);
        let induction = view.induction_vars(b).to_vec();
        let mut variables = Vec::new();
        for group in &self.groups {
            let number = group.variable.expect("every group has its variable here");
            variables.extend(match group.counts_iterations() {
                false => vec![number],
                true => delinearize(b, number, &group.extents, &group.bounds),
            });
        }
        for (&from, &to) in induction.iter().zip(&variables) {
            b.replace_all_uses(from, to);
        }
        let source = view.body(b);
        let reduce = b.last_op(source).expect("the body ends with scf.reduce");
        for inner in b.ops(source).filter(|&inner| inner != reduce).collect::<Vec<_>>() {
            b.detach_op(inner);
            b.insert(inner);
        }
        self.body = match b.point() {
            InsertPoint::Start(block) | InsertPoint::End(block) => Some(block),
            InsertPoint::Before(op) | InsertPoint::After(op) => b.parent_block(op),
        };
        // What the iteration contributes joins what the thread has so far.
        let contributions: Vec<Value> = b.operands(reduce).collect();
        let combiners = scf::ReduceOp(reduce).reductions(b).to_vec();
        let mut results = Vec::new();
        for ((&so_far, &value), &combiner) in carried.iter().zip(&contributions).zip(&combiners) {
            results.push(combine(b, combiner, so_far, value));
        }
        results
    }
}

/// Induction variables of dimensions counted as one from the number of an iteration; the last varies
/// fastest.
fn delinearize(
    b: &mut Builder<'_>,
    number: Value,
    extents: &[Value],
    dims: &[Bounds],
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
