//! Parallel loops round sequential ones whose rounds threads can share.

use gpuc_dialects::memref;
use gpuc_dialects::offload::mapping::{
    Axis, DimMap, Distribution, LoopMapping, MAPPING_ATTR, Size,
};
use gpuc_dialects::offload::{SCHEDULE_ATTR, SEQ_ATTR};
use gpuc_dialects::scf;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::Analysis;
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use super::spread_plan::SpreadPlan;
use super::{columns, sectors};
use crate::analysis::access::name;
use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted, carried};
use crate::parallel::carried_scalar::{CarriedScalar, classify};
use crate::parallel::parallel_loop::{CarriedReduction, make_parallel};
use crate::parallel::schedule::Asked;
use crate::steps::refusal::Refusal;
use crate::versions::known_apart;

/// Name of the step.
pub const STEP: &str = "spread-reductions";

/// A parallel loop, whose iterations are called rows, round loops that threads can share.
#[derive(Clone, Debug)]
pub struct RowNest {
    /// The parallel loop.
    pub nest: Op,
    /// The innermost loops.
    pub loops: Vec<InnerLoop>,
}

/// A loop whose rounds threads can share.
#[derive(Clone, Debug)]
pub struct InnerLoop {
    /// The loop.
    pub op: Op,
    /// What it combines; of a parallel loop that stands in its own terms.
    pub reductions: Vec<CarriedReduction>,
    /// Whether it is a parallel loop already, left to the compiler to map.
    pub is_parallel: bool,
}

impl InnerLoop {
    /// Its one dimension.
    pub fn dimension(&self, ir: &Ir) -> Option<CountedLoop> {
        dimensions(ir, self.op).into_iter().next()
    }
}

impl RowNest {
    /// The rows of a parallel loop, and the loops in them that can be shared. `reassociate` gives leave to
    /// add numbers with fractions in another order.
    ///
    /// # Errors
    /// What is in the way.
    pub fn of(ir: &Ir, nest: Op, reassociate: bool) -> Result<RowNest, Refusal> {
        let refuse = |at: Op, rule: &str| Err(Refusal::new(STEP, at, rule));
        let dims = ir.arguments(ir.body(nest, 0)).len();
        if !ir.has_trait(nest, Traits::PARALLEL_LOOP) || dims > 3 || !ir.results(nest).is_empty() {
            return refuse(nest, "no parallel loop of one to three dimensions without a result");
        }
        let found = Nest::compute(ir, nest);
        if let Err(unknown) = found.accesses(nest) {
            return refuse(unknown, "its effects are not known");
        }
        let mut loops = Vec::new();
        for op in ir.nested_ops(nest, WalkOrder::PreOrder) {
            if op == nest || is_in_loop(ir, op, &loops) {
                continue;
            }
            if memref::AllocaOp::is(ir, op) {
                return refuse(op, "a row has variables of its own in memory");
            }
            let access = ir.memory_access(op);
            if access.is_some_and(|access| access.kind.is_atomic()) {
                return refuse(op, "an atomic operation is each row's own");
            }
            if ir.def(op).is_none_or(|def| def.hooks.loop_regions.is_none()) {
                continue;
            }
            if scf::WhileOp::is(ir, op) || !ir.is_counted_loop(op) {
                return refuse(op, "it is not known how often this loop runs");
            }
            if !has_loop_inside(ir, op) {
                loops.push(inner_loop(ir, &found, op, reassociate)?);
            } else if ir.has_trait(op, Traits::PARALLEL_LOOP) {
                return refuse(op, "a parallel loop with loops in it");
            }
        }
        match loops.is_empty() {
            true => refuse(nest, "there is no loop inside"),
            false => Ok(RowNest { nest, loops }),
        }
    }

    /// Whether sharing the loops among so many threads asks for clearly fewer sectors: two thirds at most
    /// of those that rows which are each a thread's ask for.
    pub fn gains(&self, ir: &Ir, width: i64) -> bool {
        let found = Nest::compute(ir, self.nest);
        let (mut before, mut after) = (0, 0);
        for inner in &self.loops {
            for access in found.accesses(inner.op).unwrap_or_default() {
                let counts = sectors::of_request(ir, self.nest, inner.op, access, width);
                let Some((own, shared)) = counts else { continue };
                before += own;
                after += shared;
            }
        }
        before * 2 >= after * 3 && after > 0
    }

    /// Whether all inner loops are parallel, between bounds in closed form: the threads of a block are their own then, and
    /// rows are not as short as those of sparse matrices.
    pub fn is_shared_by_blocks(&self, ir: &Ir) -> bool {
        let in_closed_form = |inner: &InnerLoop| inner.dimension(ir).is_some_and(|dim| dim.known);
        self.loops.iter().all(|inner| inner.is_parallel && in_closed_form(inner))
    }

    /// Lets threads share the loops: they become parallel, and all is mapped.
    ///
    /// # Errors
    /// What cannot be expressed; nothing was changed then.
    pub fn apply(&self, ir: &mut Ir, plan: &SpreadPlan) -> Result<(), Refusal> {
        if plan.by_columns {
            return columns::apply_columns(ir, self, plan.width, plan.rows);
        }
        for inner in self.loops.iter().filter(|inner| !inner.is_parallel) {
            for each in &inner.reductions {
                let ty = ir.ty(each.carried.init);
                if each.kind.atomic_kind(&ir.ctx, ty, each.unsigned).is_none() {
                    let rule = format!("threads cannot share '{}'", each.kind.symbol());
                    return Err(Refusal::new(STEP, inner.op, rule));
                }
            }
        }
        let width = Size::Constant(plan.width);
        let lanes =
            LoopMapping(vec![DimMap::over(&[(Axis::Thread(0), width)], Distribution::Strided)]);
        for inner in &self.loops {
            let op = match inner.is_parallel {
                true => inner.op,
                false => make_parallel(ir, inner.op, &inner.reductions)
                    .expect("its reductions can be expressed"),
            };
            set_mapping(ir, op, &lanes);
        }
        let dims = ir.arguments(ir.body(self.nest, 0)).len();
        let mut maps = Vec::new();
        for axis in (0..dims).rev() {
            let mut axes = vec![(Axis::Block(axis as u8), Size::Free)];
            if axis == 0 && plan.rows > 1 {
                axes.push((Axis::Thread(1), Size::Constant(plan.rows)));
            }
            maps.push(DimMap::over(&axes, Distribution::Exact));
        }
        set_mapping(ir, self.nest, &LoopMapping(maps));
        Ok(())
    }
}

fn set_mapping(ir: &mut Ir, op: Op, mapping: &LoopMapping) {
    let attr = mapping.attr(&mut ir.ctx);
    ir.set_attr(op, MAPPING_ATTR, attr);
    ir.remove_attr(op, SCHEDULE_ATTR);
}

fn is_in_loop(ir: &Ir, op: Op, loops: &[InnerLoop]) -> bool {
    loops.iter().any(|inner| ir.is_inside(op, inner.op))
}

fn has_loop_inside(ir: &Ir, op: Op) -> bool {
    ir.nested_ops(op, WalkOrder::PreOrder).into_iter().any(|inner| inner != op && ir.is_loop(inner))
}

/// An innermost loop, if threads can share its rounds.
fn inner_loop(ir: &Ir, nest: &Nest, op: Op, reassociate: bool) -> Result<InnerLoop, Refusal> {
    let refuse = |rule: String| Err(Refusal::new(STEP, op, rule));
    let [dim] = &dimensions(ir, op)[..] else {
        return refuse("it has several dimensions".to_owned());
    };
    if dim.step.is_none() {
        return refuse("its step is not known".to_owned());
    }
    if ir.has_trait(op, Traits::PARALLEL_LOOP) {
        return match Asked::of(ir, op) == Asked::default() && ir.attr(op, MAPPING_ATTR).is_none() {
            true => Ok(InnerLoop { op, reductions: Vec::new(), is_parallel: true }),
            false => refuse("the program says who executes it".to_owned()),
        };
    }
    if ir.attr(op, SEQ_ATTR).is_some() {
        return refuse("the program wants its rounds in order".to_owned());
    }
    let mut reductions = Vec::new();
    for each in ir.loop_carried(op) {
        match classify(ir, op, each) {
            CarriedScalar::Dead => {}
            CarriedScalar::Reduction { kind, unsigned, compared } => {
                let shows = kind.rounds() || compared.is_some();
                if shows && ir.ctx.is_float(ir.ty(each.init)) && !reassociate {
                    return refuse("sums are to be made in the order of the program".to_owned());
                }
                reductions.push(CarriedReduction { carried: each, kind, unsigned, compared });
            }
            _ => return refuse("a round needs what the one before has made".to_owned()),
        }
    }
    let accesses = match nest.accesses(op) {
        Ok(accesses) => accesses,
        Err(unknown) => {
            return Err(Refusal::new(STEP, unknown, "its effects are not known"));
        }
    };
    if accesses.iter().any(|access| access.kind.is_atomic()) {
        return refuse("its atomic operations keep the order of its rounds".to_owned());
    }
    let held = carried(ir, op, accesses, Apart::Assumed, Wanted::Any);
    let apart = known_apart(ir, op);
    let meets: Option<&(Value, Value)> =
        held.assumed_apart.iter().find(|pair| !apart.contains(*pair));
    match (held.dependence, meets) {
        (None, None) => Ok(InnerLoop { op, reductions, is_parallel: false }),
        (Some(found), _) => {
            let of = name(ir, found.source.root);
            refuse(format!("its rounds depend on each other by '{of}'"))
        }
        (_, Some(&(a, b))) => {
            refuse(format!("'{}' and '{}' may overlap", name(ir, a), name(ir, b)))
        }
    }
}
