//! Which nests of a step become one: the search for fewer launches behind `restructure`.
//!
//! A sequential loop is a launch for each nest of parallel loops in it, and a small launch costs what it takes to begin. So
//! nests that follow each other are fused where they are sweeps (all their loops are parallel, and nothing in them
//! is summed up), go over nearly the same iterations, and nothing goes from an iteration of one to another
//! iteration of another, so that what becomes of them is a sweep again. Bounds may differ by a few iterations: each statement
//! keeps its own by a condition. A sweep with fewer loops, as one over the first row, takes one iteration of the others.
//! Nests that are launched once stay as they are: one launch is not worth a version of the region.

use std::rc::Rc;

use gpuc_dialects::affine::AffineForOp;
use gpuc_dialects::offload::{RegionOp, SEQ_ATTR};
use gpuc_ir::{Ir, Op, OpView, WalkOrder};
use gpuc_presburger::Affine;
use gpuc_presburger::dependence::Direction;
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::analysis::access::access;
use crate::analysis::loops::{CountedLoop, dimensions};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::{Apart, Wanted};
use crate::analysis::nest::graph::DependenceGraph;
use crate::analysis::polynomial::Polynomial;
use crate::steps::fuse::follower;
use crate::steps::legality::Order;
use crate::steps::schedule::{Row, Schedule};
use crate::steps::statements::Statements;

/// Bounds of fused loops differ by so many iterations at most.
const CLOSE: i64 = 8;
/// Operations of a fused nest, at most: what a thread holds in registers should not grow without end.
const MOST_OPERATIONS: usize = 250;
/// Places of sweeps with fewer loops that are tried together.
const MOST_PLACES: usize = 24;

/// Nests that are to be one.
pub struct Fusion {
    /// Their dependences.
    pub graph: Rc<DependenceGraph>,
    /// Their statements.
    pub statements: Statements,
    /// The new order.
    pub schedule: Schedule,
    /// Loops of the new nest.
    pub depth: usize,
}

/// The nests of a region that are to be fused; its loops whose order is the compiler's are `free`.
pub fn fusions(ir: &Ir, nest: &Nest, region: RegionOp, free: &IndexSet<Op>) -> Vec<Fusion> {
    let sequential = FxHashMap::default();
    let mut finder = Finder { ir, nest, region: region.op(), free, sequential };
    let mut found = Vec::new();
    let mut done = IndexSet::new();
    for &first in free {
        if done.contains(&first) || !finder.is_in_steps(first) || !finder.is_sweep(first) {
            continue;
        }
        let (mut roots, mut best) = (vec![first], None);
        while let Some(next) = follower(ir, roots[roots.len() - 1]) {
            roots.push(next);
            let fusion = finder.is_sweep(next).then(|| finder.fusion(&roots)).flatten();
            let Some(fusion) = fusion else { break };
            done.insert(next);
            best = Some(fusion);
        }
        found.extend(best);
    }
    found
}

/// Where each row of a nest's dates comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowSource {
    /// One of its loops.
    Loop(usize),
    /// It has none for this row, and takes one iteration of the others.
    At(i64),
}

struct Finder<'a> {
    ir: &'a Ir,
    nest: &'a Nest,
    region: Op,
    free: &'a IndexSet<Op>,
    /// What is known of operations round nests: each is round many.
    sequential: FxHashMap<Op, bool>,
}

impl Finder<'_> {
    /// Whether nothing but sequential loops is round a loop, one at least.
    fn is_in_steps(&mut self, op: Op) -> bool {
        let ir = self.ir;
        let around: Vec<Op> = ir.ancestors(op).take_while(|&outer| outer != self.region).collect();
        around.iter().any(|&outer| ir.is_loop(outer))
            && around.iter().all(|&outer| self.is_sequential(outer))
    }

    /// Whether an operation round nests is no loop whose iterations could run at once.
    fn is_sequential(&mut self, op: Op) -> bool {
        if let Some(&known) = self.sequential.get(&op) {
            return known;
        }
        let is_sequential = AffineForOp::cast(self.ir, op).is_none()
            || self.ir.attr(op, SEQ_ATTR).is_some()
            || self.free.contains(&op) && !self.is_parallel(op);
        self.sequential.insert(op, is_sequential);
        is_sequential
    }

    /// Whether a loop is known to carry no dependence.
    fn is_parallel(&self, op: Op) -> bool {
        let carried = self.nest.carried(self.ir, op, Apart::Assumed, Wanted::Any);
        carried.is_ok_and(|found| found.dependence.is_none())
    }

    /// Whether a nest consists of parallel loops with nothing between them and no loop inside.
    fn is_sweep(&self, root: Op) -> bool {
        let ir = self.ir;
        let loops = self.band(root);
        let innermost = loops[loops.len() - 1];
        let holds_loop = ir
            .nested_ops(innermost, WalkOrder::PreOrder)
            .into_iter()
            .any(|op| op != innermost && ir.is_loop(op));
        let is_parallel = |&op: &Op| self.free.contains(&op) && self.is_parallel(op);
        !holds_loop && loops.iter().all(is_parallel)
    }

    /// Loops that stand in each other, from the outermost in.
    fn band(&self, root: Op) -> Vec<Op> {
        let ir = self.ir;
        let mut loops = vec![root];
        loop {
            let body = ir.body(loops[loops.len() - 1], 0);
            let inner = ir.ops(body).find(|&op| AffineForOp::cast(ir, op).is_some());
            match inner {
                Some(inner) => loops.push(inner),
                None => return loops,
            }
        }
    }

    /// Numbers that are subscripts of what a nest writes.
    fn rows(&self, root: Op) -> Vec<i64> {
        let ir = self.ir;
        let all = ir.nested_ops(root, WalkOrder::PreOrder).into_iter();
        let written = all.filter_map(|op| access(ir, op)).filter(|found| found.writes());
        let numbers = written.flat_map(|found| found.subscripts).flatten();
        numbers.filter_map(|form| form.as_polynomial()?.as_constant()).collect()
    }

    /// The nests as one.
    fn fusion(&self, roots: &[Op]) -> Option<Fusion> {
        let ir = self.ir;
        let operations = |&root: &Op| ir.nested_ops(root, WalkOrder::PreOrder).len();
        if roots.iter().map(operations).sum::<usize>() > MOST_OPERATIONS {
            return None;
        }
        let bands: Vec<Vec<Op>> = roots.iter().map(|&root| self.band(root)).collect();
        let nests: Vec<Vec<CountedLoop>> = bands
            .iter()
            .map(|band| band.iter().flat_map(|&op| dimensions(ir, op)).collect())
            .collect();
        let deepest = nests.iter().max_by_key(|nest| nest.len())?;
        let depth = deepest.len();
        let candidates: Vec<Vec<Vec<RowSource>>> = roots
            .iter()
            .zip(&nests)
            .map(|(&root, nest)| places(nest, deepest, &self.rows(root)))
            .collect();
        if candidates.iter().any(Vec::is_empty) {
            return None;
        }
        let graph = self.nest.graph(ir, roots, Apart::Assumed).ok()?;
        let movable = |op: Op| self.free.contains(&op);
        let statements = Statements::of(ir, "restructure", &graph, &movable).ok()?;
        // Each statement in all loops of its nest.
        let owner = |statement: usize| {
            let loops = &statements.list[statement].loops;
            bands.iter().position(|band| band == loops)
        };
        let owners: Vec<usize> = (0..statements.list.len()).map(owner).collect::<Option<_>>()?;
        if owners.is_empty() {
            return None;
        }
        let orders: Vec<Order<'_>> = graph
            .edges
            .iter()
            .map(|edge| Order::of(ir, &statements, edge))
            .collect::<Option<_>>()?;
        let schedule = choices(&candidates).into_iter().take(MOST_PLACES).find_map(|chosen| {
            let row = |row: usize| {
                let form = |&owner: &usize| match chosen[owner][row] {
                    RowSource::Loop(index) => Affine::dim(index),
                    RowSource::At(value) => Affine::constant(value),
                };
                Row(owners.iter().map(form).collect())
            };
            let rows: Vec<Row> = (0..depth).map(row).collect();
            orders.iter().all(|order| stays(order, &rows)).then_some(Schedule(rows))
        })?;
        Some(Fusion { graph, statements, schedule, depth })
    }
}

/// Whether source and sink of a dependence always lie in one iteration of the new loops.
fn stays(order: &Order<'_>, rows: &[Row]) -> bool {
    let mut order = order.clone();
    rows.iter().all(|row| {
        let moves = [Direction::Less, Direction::Greater].map(|side| order.may_go(row, side));
        order.stay_equal(row);
        moves == [false, false]
    })
}

/// The ways in which a nest, with numbers among its subscripts, goes over iterations of the deepest one.
fn places(nest: &[CountedLoop], deepest: &[CountedLoop], rows: &[i64]) -> Vec<Vec<RowSource>> {
    let Some((outer, inner)) = deepest.split_first() else {
        return if nest.is_empty() { vec![Vec::new()] } else { Vec::new() };
    };
    let mut found = Vec::new();
    let mut extend = |source: RowSource, rest: Vec<Vec<RowSource>>| {
        found.extend(rest.into_iter().map(|rest| [vec![source], rest].concat()));
    };
    if nest.len() < deepest.len() {
        for value in edges(outer, rows) {
            extend(RowSource::At(value), places(nest, inner, rows));
        }
    }
    if let Some((own, rest)) = nest.split_first()
        && are_close(own, outer)
    {
        let shift = |source: RowSource| match source {
            RowSource::Loop(index) => RowSource::Loop(index + 1),
            RowSource::At(value) => RowSource::At(value),
        };
        let rest = places(rest, inner, rows).into_iter();
        let rest = rest.map(|rest| rest.into_iter().map(shift).collect());
        extend(RowSource::Loop(0), rest.collect());
    }
    found
}

/// Iterations of a loop that a nest without it could take: those of the rows that it writes, one in front of the loop, where
/// it leaves room for one, or its first.
fn edges(dim: &CountedLoop, rows: &[i64]) -> Vec<i64> {
    let [lower] = &dim.lower[..] else { return Vec::new() };
    let Some(first) = lower.as_constant() else { return Vec::new() };
    let near = rows.iter().copied().filter(|row| first.abs_diff(*row) <= CLOSE as u64);
    let ends = [first - 1, first].into_iter().filter(|&end| end >= 0 || end == first);
    let all: IndexSet<i64> = near.chain(ends).collect();
    all.into_iter().collect()
}

/// Whether two loops go over the same numbers, but for a few at the ends.
fn are_close(a: &CountedLoop, b: &CountedLoop) -> bool {
    let near = |a: &[Polynomial], b: &[Polynomial]| match (a, b) {
        ([a], [b]) => {
            let apart = a.plus(b, -1).and_then(|apart| apart.as_constant());
            apart.is_some_and(|apart| apart.abs() <= CLOSE)
        }
        _ => false,
    };
    a.complete && b.complete && near(&a.lower, &b.lower) && near(&a.upper, &b.upper)
}

/// One of each list, in all combinations, the first of all first.
fn choices(lists: &[Vec<Vec<RowSource>>]) -> Vec<Vec<&Vec<RowSource>>> {
    lists.iter().fold(vec![Vec::new()], |so_far, list| {
        let each = so_far
            .iter()
            .flat_map(|chosen| list.iter().map(move |next| [chosen.clone(), vec![next]].concat()));
        each.take(MOST_PLACES).collect()
    })
}
