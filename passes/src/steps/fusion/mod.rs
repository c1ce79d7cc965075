//! `affine-loop-fusion`: loops become one.
//!
//! A nest that reads what another one writes gets the part of that which each of its outermost iterations needs in front of
//! these, at the depth where it pays ([`mod@slice`], [`price`]); the other nest goes where nobody else needs it, and a buffer
//! that nobody else looks at shrinks to what such an iteration touches ([`private`]). Nests that read the same, and have
//! nothing else to do with each other, are joined the same way. Neighbours of the same bounds, whose number is not known,
//! are joined as they are. Named as MLIR's pass, whose options and result it has, but for what would be wrong there:
//! nothing is executed again that reads what it has written, no part of a nest leaves out what another part of it
//! needs, what the second nest overwrites is not read or written behind it, and different buffers are different memory
//! only where that is known.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::AffineForOp;
use gpuc_dialects::memref;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Analysis, Pass, PassContext};
use gpuc_ir::{Block, Ir, Op, OpView, Value, ValueMap, WalkOrder};
use gpuc_presburger::dependence::Direction;
use rustc_hash::{FxHashMap, FxHashSet};

use super::apart;
use super::fuse::{Relation, join_neighbours};
use super::normalize::promote;
use super::permute::permute;
use super::tile::band;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Wanted;
use order::Order;
use slice::{Need, Pairing, Placed, Slice};

pub(super) mod order;
mod price;
mod private;
mod slice;

pub(super) use price::operations;

gpuc_ir::pass! {
    /// Fuse affine loop nests, where dependences allow it.
    AffineLoopFusion = "affine-loop-fusion" on "func.func" {
        /// Whether variables that are mapped to the device are taken not to overlap.
        assume_apart: bool = false,
        /// The share of operations that fusing may add, by which things are computed more than once.
        fusion_compute_tolerance: f64 = 0.30,
        /// The number of the memory for small buffers that fusing leaves; without it that of the buffer before.
        fusion_fast_mem_space: Option<u32> = None,
        /// KiB of the largest buffer that goes to the fast memory.
        fusion_local_buf_threshold: u64 = 0,
        /// Whether nests are fused as deep as is legal, whatever it costs.
        fusion_maximal: bool = false,
        /// Which loops: a `producer` with the loop that reads what it writes, a `sibling` with one that reads what it
        /// reads, or `greedy`, both.
        mode: String = "greedy".to_owned(),
    }
}

impl Pass for AffineLoopFusion {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mode = Relation::of_mode(&self.mode)?;
        if !self.fusion_compute_tolerance.is_finite() || self.fusion_compute_tolerance < 0.0 {
            return Err(Diagnostic::error("a tolerated share of operations is a number from 0 on"));
        }
        for outer in ir.nested_ops(op, WalkOrder::PostOrder) {
            if ir.is_erased(outer) {
                continue;
            }
            for region in ir.regions(outer).to_vec() {
                for block in ir.blocks(region).to_vec() {
                    let own = FxHashMap::default();
                    Fusion { options: self, func: op, block, own }.run(ir, mode);
                }
            }
        }
        join_neighbours(ir, op, cx, mode, apart(self.assume_apart));
        Ok(())
    }
}

/// The nests of one block.
struct Fusion<'a> {
    options: &'a AffineLoopFusion,
    func: Op,
    block: Block,
    /// Small buffers that were made, and how many outermost loops have one each iteration.
    own: FxHashMap<Value, usize>,
}

/// How a part of one nest goes into another.
struct Plan {
    pairing: Pairing,
    slice: Slice,
    /// What the fused nest stands in front of, or is.
    place: Op,
    removed: bool,
}

impl Fusion<'_> {
    fn run(&mut self, ir: &mut Ir, mode: Option<Relation>) {
        if self.loops(ir).len() < 2 {
            return;
        }
        let (producers, siblings) =
            (mode != Some(Relation::Sibling), mode != Some(Relation::Producer));
        if producers && siblings {
            self.producers(ir, 1);
        }
        if siblings {
            self.siblings(ir);
        }
        if producers {
            self.producers(ir, usize::MAX);
        }
        for op in ir.ops(self.block).collect::<Vec<_>>() {
            if memref::AllocOp::is(ir, op) && ir.results(op).iter().all(|&v| ir.is_unused(v)) {
                ir.erase_op(op);
            }
        }
    }

    fn loops(&self, ir: &Ir) -> Vec<Op> {
        ir.ops(self.block).filter(|&op| AffineForOp::is(ir, op)).collect()
    }

    fn order(&self, ir: &Ir) -> Order {
        Order::of(ir, self.block, apart(self.options.assume_apart))
    }

    /// Fuses nests with what they read, later ones first. `most`: of buffers that no more nests depend on.
    fn producers(&mut self, ir: &mut Ir, most: usize) {
        let mut targets = self.loops(ir);
        while let Some(target) = targets.pop() {
            if ir.is_erased(target) {
                continue;
            }
            let target = self.parallel_outside(ir, target);
            let mut done = FxHashSet::default();
            loop {
                let order = self.order(ir);
                let Some(at) = order.place(target) else { break };
                let read = order.ops[at].1.read.clone();
                let sources: Vec<Op> = order.ops[..at]
                    .iter()
                    .filter(|(op, touched)| {
                        AffineForOp::is(ir, *op) && !touched.written.is_disjoint(&read)
                    })
                    .map(|&(op, _)| op)
                    .collect();
                let mut changed = false;
                for source in sources.into_iter().rev() {
                    if !done.contains(&source)
                        && let Some((plan, private)) = self.producer(ir, source, target, most)
                    {
                        done.insert(source);
                        changed |= self.carry_out(ir, plan, true, &private);
                    }
                }
                if !changed {
                    break;
                }
            }
        }
    }

    /// Puts the loops of a perfect nest that carry a dependence inside of those that carry none, where that is legal: producers
    /// go deeper then. The nest's outermost loop.
    fn parallel_outside(&self, ir: &mut Ir, target: Op) -> Op {
        let apart = apart(self.options.assume_apart);
        let known = Nest::compute(ir, self.func);
        let waits = |view: &AffineForOp| {
            let found = known.carried(ir, view.op(), apart, Wanted::Any);
            found.map_or(true, |found| found.dependence.is_some())
        };
        let waits: Vec<bool> = band(ir, target).iter().map(waits).collect();
        let mut order: Vec<usize> = (0..waits.len()).collect();
        order.sort_by_key(|&k| waits[k]);
        if order.is_sorted() {
            return target;
        }
        match permute(ir, &known, target, &order, apart) {
            Ok(made) if made.len() == 1 => made[0],
            _ => target,
        }
    }

    /// How a nest goes into one that reads what it writes, and which buffers shrink.
    fn producer(
        &self,
        ir: &mut Ir,
        source: Op,
        target: Op,
        most: usize,
    ) -> Option<(Plan, Vec<Value>)> {
        let order = self.order(ir);
        let at = [order.place(source)?, order.place(target)?];
        let [from, to] = at.map(|at| &order.ops[at].1);
        let shared: Vec<Value> = sorted(from.written.intersection(&to.read).copied());
        if shared.is_empty()
            || shared.iter().any(|&buffer| order.followers(ir, at[0], buffer) > most)
        {
            return None;
        }
        let place = order.ops[order.joint(ir, at[0], at[1])?].0;
        let known = Nest::compute(ir, self.func);
        let pairing = self.pairing(ir, &known, source, target)?;
        let is_shared = |placed: &&Placed| shared.contains(&placed.access.root);
        let depth = common_depth(pairing.targets.iter().filter(is_shared));
        let slices = self.slices(ir, &known, &pairing, Need::Written, depth, |slice| {
            let removed = self.is_removable(ir, &order, at, place, &pairing, slice);
            pairing.is_legal(ir, &known, slice, !removed, &self.own)
        });
        let stores: Vec<&Placed> = pairing
            .sources
            .iter()
            .filter(|placed| placed.access.writes() && is_shared(placed))
            .collect();
        let number = match stores[..] {
            [store] if !self.options.fusion_maximal => {
                let tolerance = self.options.fusion_compute_tolerance;
                price::best(ir, &pairing, &slices, store, false, tolerance)?
            }
            _ => slices.len().checked_sub(1)?,
        };
        let slice = slices.into_iter().nth(number)?.1;
        let removed = self.is_removable(ir, &order, at, place, &pairing, &slice);
        let private = shared
            .into_iter()
            .filter(|&buffer| self.may_shrink(ir, &known, &order, at, &slice, buffer, removed))
            .collect();
        Some((Plan { pairing, slice, place, removed }, private))
    }

    /// The nests as a pair, where both consist of loops alone that carry no values out.
    fn pairing(&self, ir: &mut Ir, known: &Nest, source: Op, target: Op) -> Option<Pairing> {
        for root in [source, target] {
            // Who cannot be priced is left to those who know no prices.
            if !self.options.fusion_maximal {
                operations(ir, root)?;
            }
            let only_loops = |op: Op| ir.regions(op).is_empty() || AffineForOp::is(ir, op);
            let all = ir.nested_ops(root, WalkOrder::PreOrder);
            if !ir.results(root).is_empty() || !all.into_iter().all(only_loops) {
                return None;
            }
        }
        Pairing::of(ir, known, source, target, apart(self.options.assume_apart))
    }

    fn slices(
        &self,
        ir: &Ir,
        known: &Nest,
        pairing: &Pairing,
        need: Need,
        depth: usize,
        is_legal: impl Fn(&Slice) -> bool,
    ) -> Vec<(usize, Slice)> {
        let each = |depth| {
            let slice = pairing.slice(ir, known, need, depth)?;
            is_legal(&slice).then_some((depth, slice))
        };
        (1..=depth).filter_map(each).collect()
    }

    /// Whether nobody needs a nest any more once another has its slices.
    fn is_removable(
        &self,
        ir: &Ir,
        order: &Order,
        at: [usize; 2],
        place: Op,
        pairing: &Pairing,
        slice: &Slice,
    ) -> bool {
        let Some(place) = order.place(place) else { return false };
        let mut others = (at[0] + 1..order.ops.len())
            .filter(|&each| each != at[1] && order.waits(ir, [at[0], each], None))
            .peekable();
        let seen = others.peek().is_some();
        if others.any(|other| other < place) {
            return false;
        }
        let all_own =
            order.ops[at[0]].1.written.iter().all(|&b| private::is_contained(ir, b, self.block));
        (!seen && all_own) || pairing.is_maximal(slice)
    }

    /// Whether a buffer between two nests may become one that holds what an iteration touches.
    #[expect(clippy::too_many_arguments, reason = "what is known of the pair")]
    fn may_shrink(
        &self,
        ir: &Ir,
        known: &Nest,
        order: &Order,
        at: [usize; 2],
        slice: &Slice,
        buffer: Value,
        removed: bool,
    ) -> bool {
        let target = &order.ops[at[1]];
        let writes = target.1.written.contains(&buffer);
        if !private::is_contained(ir, buffer, self.block) && (removed || writes) {
            return false;
        }
        let behind = order.followers(ir, at[0], buffer) > 1;
        if order.leaders(ir, at[0], buffer) > 0
            || order.followers(ir, at[1], buffer) > 0
            || (removed && behind)
        {
            return false;
        }
        // What an outermost iteration leaves there is not what another one looks for.
        let Ok(graph) = known.graph(ir, &[target.0], apart(self.options.assume_apart)) else {
            return false;
        };
        let mut own = graph.edges.iter().filter(|edge| edge.source.root == buffer);
        own.all(|edge| {
            let outer = slice.prefix.len().min(edge.loops.len());
            let stays = |v: &Vec<Direction>| v[..outer].iter().all(|&d| d == Direction::Equal);
            edge.vectors.iter().all(stays)
        })
    }

    /// Fuses nests that read the same.
    fn siblings(&mut self, ir: &mut Ir) {
        let mut targets = self.loops(ir);
        while let Some(target) = targets.pop() {
            let mut visited = FxHashSet::from_iter([target]);
            while !ir.is_erased(target)
                && let Some((sibling, buffer)) = self.sibling(ir, target, &visited)
            {
                visited.insert(sibling);
                if let Some((plan, first)) = self.joined(ir, sibling, target, buffer) {
                    self.carry_out(ir, plan, first, &[]);
                }
            }
        }
    }

    /// Another nest that reads a buffer which a nest reads, and has nothing else to do with it.
    fn sibling(&self, ir: &Ir, target: Op, visited: &FxHashSet<Op>) -> Option<(Op, Value)> {
        let order = self.order(ir);
        let at = order.place(target)?;
        let read = &order.ops[at].1.read;
        let fits = |sibling: Op, buffer: Value| {
            let Some(other) = order.place(sibling) else { return false };
            let touched = &order.ops[other].1;
            let loads = ir.nested_ops(sibling, WalkOrder::PreOrder).into_iter();
            let loads = loads.filter_map(|op| ir.memory_access(op));
            let count = loads.filter(|found| found.buffer == buffer && found.stored().is_none());
            let mut updated = touched.read.intersection(&touched.written);
            !visited.contains(&sibling)
                && read.contains(&buffer)
                && touched.read.contains(&buffer)
                && !touched.unknown
                && touched.written.len() <= 1
                && count.count() == 1
                && !updated.any(|&buffer| order.leaders(ir, other, buffer) > 0)
                && !order.leads(ir, at.min(other), at.max(other))
        };
        // Buffers from outside, as upstream finds them: by their last users first.
        for &argument in ir.arguments(self.block) {
            let nests =
                ir.users(argument).filter_map(|user| ir.ancestor_in_block(user, self.block));
            for sibling in nests.filter(|&op| AffineForOp::is(ir, op)) {
                if fits(sibling, argument) {
                    return Some((sibling, argument));
                }
            }
        }
        for (_, earlier) in &order.ops[..at] {
            for buffer in sorted(earlier.written.intersection(read).copied()) {
                let mut nests = self.loops(ir).into_iter();
                if let Some(sibling) = nests.find(|&sibling| fits(sibling, buffer)) {
                    return Some((sibling, buffer));
                }
            }
        }
        None
    }

    /// How a nest goes into one that reads the same; whether ahead of what that does.
    fn joined(&self, ir: &mut Ir, sibling: Op, target: Op, buffer: Value) -> Option<(Plan, bool)> {
        let order = self.order(ir);
        let (from, to) = (order.place(sibling)?, order.place(target)?);
        let place = order.ops[order.joint(ir, from.min(to), from.max(to))?].0;
        let known = Nest::compute(ir, self.func);
        let pairing = self.pairing(ir, &known, sibling, target)?;
        let reads = |placed: &&Placed| placed.access.buffer == buffer && !placed.access.writes();
        let depth = pairing.targets.iter().find(reads)?.loops.len();
        let need = Need::Read(buffer);
        let writes = pairing.sources.iter().any(|placed| placed.access.writes());
        let slices = self.slices(ir, &known, &pairing, need, depth, |slice| {
            pairing.is_legal(ir, &known, slice, false, &self.own)
                && (!writes || pairing.is_maximal(slice))
        });
        let number = match self.options.fusion_maximal {
            true => slices.len().checked_sub(1)?,
            false => {
                let store = pairing.sources.iter().find(|placed| placed.access.writes());
                let region = store.or_else(|| pairing.sources.iter().find(reads))?;
                let tolerance = self.options.fusion_compute_tolerance;
                price::best(ir, &pairing, &slices, region, store.is_some(), tolerance)?
            }
        };
        let slice = slices.into_iter().nth(number)?.1;
        Some((Plan { pairing, slice, place, removed: true }, from < to))
    }

    /// Puts the slice into the target, at the start of the body of its innermost outer loop or at the end; whether it did.
    fn carry_out(&mut self, ir: &mut Ir, plan: Plan, at_start: bool, private: &[Value]) -> bool {
        let Plan { pairing, slice, place, removed } = plan;
        let mut bounds = Vec::new();
        for (&op, (from, to)) in &slice.ranges {
            let from = pairing.value(ir, &slice, from);
            let (Some(from), Some(to)) = (from, pairing.value(ir, &slice, to)) else {
                return false;
            };
            bounds.push((op, from, to));
        }
        let inner = slice.prefix.last().and_then(|dim| AffineForOp::cast(ir, dim.op));
        let Some(inner) = inner else { return false };
        let body = inner.body(ir);
        let anchor = match at_start {
            true => ir.first_op(body),
            false => ir.ops(body).find(|&op| ir.has_trait(op, Traits::TERMINATOR)),
        };
        let Some(anchor) = anchor else { return false };
        let mut map = ValueMap::new();
        let copy = ir.clone_op(pairing.source, &mut map);
        ir.insert_before(anchor, copy);
        let counterpart = |ir: &Ir, op: Op| {
            let variable = AffineForOp::cast(ir, op)?.induction_var(ir);
            AffineForOp::cast(ir, ir.block_op(ir.value_block(map.get(variable))?)?)
        };
        for (op, from, to) in bounds {
            if let Some(view) = counterpart(ir, op) {
                view.set_bounds(ir, &from, &to);
            }
        }
        let mut loops: Vec<Op> = Vec::new();
        for dim in pairing.sources.iter().flat_map(|placed| &placed.loops) {
            if !loops.contains(&dim.op) {
                loops.push(dim.op);
            }
        }
        let views: Vec<_> = loops.into_iter().filter_map(|op| counterpart(ir, op)).collect();
        for view in views {
            promote(ir, view);
        }
        if place != pairing.target {
            ir.move_before(place, pairing.target);
        }
        if removed {
            ir.erase_op(pairing.source);
        }
        for dim in &pairing.sources {
            if let Some(depth) = self.own.get_mut(&dim.access.root) {
                *depth = match removed {
                    true => slice.prefix.len(),
                    false => slice.prefix.len().min(*depth),
                };
            }
        }
        for &buffer in private {
            if let Some(made) = private::privatize(ir, self.options, buffer, pairing.target, body) {
                self.own.insert(made, slice.prefix.len());
            }
        }
        true
    }
}

/// The loops that all of some accesses are in.
fn common_depth<'a>(mut all: impl Iterator<Item = &'a Placed>) -> usize {
    let Some(first) = all.next() else { return 0 };
    all.fold(first.loops.len(), |depth, placed| {
        let both = first.loops[..depth].iter().zip(&placed.loops);
        both.take_while(|(a, b)| a.op == b.op).count()
    })
}

fn sorted(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut values: Vec<Value> = values.collect();
    values.sort_unstable();
    values
}
