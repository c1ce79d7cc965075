//! What each thread does for its results in front of the sum and behind it.

use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp, AffineVectorStoreOp};
use gpuc_dialects::{arith, vector};
use gpuc_ir::{Builder, Op, OpView, Value, ValueMap, WalkOrder};

use super::{Block, Emitter, Thread};
use crate::analysis::polynomial::Polynomial;
use crate::locality::contraction::subscripts;
use crate::locality::coordinates::{Edge, Exprs, below, below_edges, load_held, where_all};
use gpuc_dialects::vector::extract;

impl Emitter<'_> {
    /// Gives each value that a loop carries what it starts with.
    pub(super) fn start(&self, b: &mut Builder<'_>, block: &Block, thread: Thread, sum: usize) {
        let inits: Vec<Value> = self.nest.sums[sum].op.inits(b).to_vec();
        let needed = self.nest.needed(b, &self.nest.prologue, &inits);
        let edges = self.edges(b);
        for run in self.runs_of_results() {
            let mut maps: Vec<ValueMap> =
                run.iter().map(|&result| self.at(b, block, thread, result)).collect();
            for (&result, map) in run.iter().zip(&mut maps) {
                self.totals(b, block, (thread, result), sum, map);
            }
            let store =
                |b: &mut Builder<'_>, value: &dyn Fn(&mut Builder<'_>, usize, Value) -> Value| {
                    for (number, &result) in run.iter().enumerate() {
                        let at = self.sum_at(b, thread, result);
                        for (&own, &init) in block.sums[sum].iter().zip(&inits) {
                            let init = value(b, number, init);
                            AffineStoreOp::create(b, init, own, &at);
                        }
                    }
                };
            if needed.iter().all(|&op| b.is_effect_free(op)) || self.nest.has_all_results() {
                self.copy(b, &needed, &mut maps, Some(&edges));
                store(b, &|_, number, init| maps[number].get(init));
                continue;
            }
            // Where there is no result there may be nothing to start with.
            store(b, &|b, _, init| zero(b, init));
            let first = maps[0].clone();
            self.guarded(b, &first, &edges, |b| {
                self.copy(b, &needed, &mut maps, None);
                store(b, &|_, number, init| maps[number].get(init));
            });
        }
    }

    /// The sums of a thread's result, of the loops in front of one.
    pub(super) fn totals(
        &self,
        b: &mut Builder<'_>,
        block: &Block,
        (thread, result): (Thread, [i64; 2]),
        before: usize,
        map: &mut ValueMap,
    ) {
        let at = self.sum_at(b, thread, result);
        for (sum, own) in self.nest.sums[..before].iter().zip(&block.sums) {
            let totals = b.results(sum.op.op()).to_vec();
            for (&own, &total) in own.iter().zip(&totals) {
                let value = AffineLoadOp::create(b, own, &at);
                map.insert(total, value);
            }
        }
    }

    /// A thread's results, in runs of columns that are done together.
    pub(super) fn runs_of_results(&self) -> Vec<Vec<[i64; 2]>> {
        let length = if self.wide.is_empty() { 1 } else { self.nest.run_length(&self.plan, 1) };
        let results: Vec<[i64; 2]> = self.results().collect();
        results.chunks(length as usize).map(<[_]>::to_vec).collect()
    }

    /// Copies operations for each of a run of results, with the nest's values at each in `maps`; loads
    /// are held at the edges where there are any given. Iterations are independent, so that those of a
    /// run may take turns.
    pub(super) fn copy(
        &self,
        b: &mut Builder<'_>,
        ops: &[Op],
        maps: &mut [ValueMap],
        edges: Option<&[Edge]>,
    ) {
        for &op in ops {
            if self.wide.contains(&op) && maps.len() > 1 {
                self.copy_wide(b, op, maps, edges.unwrap_or_default());
                continue;
            }
            let load = AffineLoadOp::cast(b, op).filter(|_| edges.is_some());
            for map in &mut *maps {
                if let Some(load) = load {
                    let value = self.load(b, load, map, edges.unwrap_or_default());
                    let result = b.result(op, 0);
                    map.insert(result, value);
                } else {
                    let copy = b.clone_op(op, map);
                    b.insert(copy);
                }
            }
        }
    }

    /// One access for a run of columns.
    pub(super) fn copy_wide(
        &self,
        b: &mut Builder<'_>,
        op: Op,
        maps: &mut [ValueMap],
        edges: &[Edge],
    ) {
        let forms = forms(b, op);
        let column = self.nest.dims[self.nest.column].variable;
        if AffineLoadOp::is(b, op) {
            let mut edges = edges.to_vec();
            for edge in edges.iter_mut().filter(|edge| edge.variable == column) {
                edge.behind = maps.len() as i64 - 1;
            }
            let run = load_held(b, op, &forms, &maps[0], &edges, Some(maps.len() as i64));
            let result = b.result(op, 0);
            for (position, map) in maps.iter_mut().enumerate() {
                let element = extract(b, run, position as i64);
                map.insert(result, element);
            }
            return;
        }
        let stored: Vec<Value> = maps.iter().map(|map| map.get(b.operand(op, 0))).collect();
        let run = collect(b, &stored);
        let mut exprs = Exprs::default();
        let results: Vec<_> = forms.iter().map(|form| exprs.form(b, form, &maps[0])).collect();
        let at = exprs.finish(b, &results);
        let (map, buffer) = (b.ctx.map_attr(at.map), maps[0].get(b.operand(op, 1)));
        AffineVectorStoreOp::new(b, run, buffer, &at.operands).attr(b, "map", map).build(b);
    }

    /// What is behind the sum, for the results that there are.
    pub(super) fn finish(&self, b: &mut Builder<'_>, block: &Block, thread: Thread) {
        let used: Vec<Value> = self
            .nest
            .epilogue
            .iter()
            .flat_map(|&op| b.nested_ops(op, WalkOrder::PreOrder))
            .flat_map(|op| b.operands(op).collect::<Vec<_>>())
            .collect();
        let needed = self.nest.needed(b, &self.nest.prologue, &used);
        let edges = self.edges(b);
        let ops: Vec<Op> = needed.iter().chain(&self.nest.epilogue).copied().collect();
        for run in self.runs_of_results() {
            let maps: Vec<ValueMap> =
                run.iter().map(|&result| self.at(b, block, thread, result)).collect();
            let first = maps[0].clone();
            let body = |b: &mut Builder<'_>| {
                let mut maps = maps;
                for (&result, map) in run.iter().zip(&mut maps) {
                    self.totals(b, block, (thread, result), self.nest.sums.len(), map);
                }
                self.copy(b, &ops, &mut maps, None);
            };
            // Of a run that is done together all columns are there, or none is.
            self.guarded(b, &first, &edges, body);
        }
    }

    /// Runs code where a result is one of the nest's, for all that `edges`, slanted bounds and a condition leave open.
    pub(super) fn guarded(
        &self,
        b: &mut Builder<'_>,
        map: &ValueMap,
        edges: &[Edge],
        body: impl FnOnce(&mut Builder<'_>),
    ) {
        let mut exprs = Exprs::default();
        let mut room = below_edges(b, &mut exprs, map, edges);
        for dimension in &self.nest.dims {
            let Some(slanted) = &dimension.slanted else { continue };
            let at = exprs.value(b, map.get(dimension.variable));
            let upper = exprs.bound_at(b, &slanted.upper.0, map);
            room.push(below(b, at, upper));
            let lower = exprs.bound_at(b, &slanted.lower.0, map);
            room.push((b.ctx.sub_expr(at, lower), false));
        }
        if let Some(present) = self.nest.present
            && let Some(set) = present.condition(b)
        {
            let set = b.ctx.set_data(set).clone();
            let operands: Vec<Value> = b.operands(present.op()).collect();
            let operands = operands.into_iter().map(|operand| exprs.value(b, map.get(operand)));
            let operands: Vec<_> = operands.collect();
            let (dims, symbols) = operands.split_at(set.dims as usize);
            for &(expr, is_equal) in &set.constraints {
                room.push((b.ctx.replace_expr(expr, dims, symbols), is_equal));
            }
        }
        where_all(b, exprs, &room, body);
    }

    /// A load of the nest at other values of its variables, held at the edges.
    pub(super) fn load(
        &self,
        b: &mut Builder<'_>,
        load: AffineLoadOp,
        map: &ValueMap,
        edges: &[Edge],
    ) -> Value {
        let forms = forms(b, load.op());
        load_held(b, load.op(), &forms, map, edges, None)
    }
}

/// The zero of a value's type.
fn zero(b: &mut Builder<'_>, like: Value) -> Value {
    let ty = b.ty(like);
    let zero = if b.ctx.is_float(ty) { b.ctx.float_attr(0.0, ty) } else { b.ctx.int_attr(0, ty) };
    arith::ConstantOp::new(b).attr(b, "value", zero).result(ty).value(b)
}

/// A vector of some values.
fn collect(b: &mut Builder<'_>, values: &[Value]) -> Value {
    let element = b.ty(values[0]);
    let ty = b.ctx.vector(&[values.len() as i64], element);
    let mut all = vector::BroadcastOp::new(b, values[0]).result(ty).value(b);
    for (position, &value) in values.iter().enumerate().skip(1) {
        let positions = b.ctx.i64_array_attr(&[position as i64]);
        let insert = vector::InsertOp::new(b, value, all, &[]);
        all = insert.attr(b, "static_position", positions).value(b);
    }
    all
}

/// The subscripts of an affine access, which are known to be linear.
fn forms(b: &Builder<'_>, op: Op) -> Vec<Polynomial> {
    subscripts(b, op).expect("subscripts were found to be linear")
}
