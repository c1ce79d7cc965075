//! What each thread does for a term: the products of its rows and columns.

use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp};
use gpuc_dialects::arith;
use gpuc_ir::{Builder, Op, OpView, Value, ValueMap};
use rustc_hash::FxHashMap;

use super::{Block, Emitter, Run, Thread, Turn};
use crate::locality::contraction::Uses;
use crate::locality::coordinates::{Edge, apply};
use crate::locality::sum::End;

impl Emitter<'_> {
    /// One term of all of a thread's results: what does not depend on the row is done once for each
    /// column, and what does not on the column once for each row.
    pub(super) fn products(
        &self,
        b: &mut Builder<'_>,
        block: &Block,
        (corner, edges): (&ValueMap, &[Edge]),
        thread: Thread,
        turn: Turn,
        Run { sum, widest, .. }: Run<'_>,
    ) {
        let is_part = widest.is_some();
        let [row, column, term] = self.nest.variables(b, sum);
        let (own, each) = (&block.sums[sum], self.nest.sums[sum].op);
        let mut known: FxHashMap<(Value, [i64; 2]), Value> = FxHashMap::default();
        let here =
            apply(b, &[corner.get(term), turn.depth], |b, dims| b.ctx.add_expr(dims[0], dims[1]));
        let mut map = corner.clone();
        map.insert(term, here);
        for [r, c] in self.results() {
            if c == 0 {
                let place = self.place(b, 0, thread.row, r);
                known.insert((row, [r, -1]), place);
            }
            if r == 0 {
                let place = self.place(b, 1, thread.column, c);
                known.insert((column, [-1, c]), place);
            }
            let at = self.sum_at(b, thread, [r, c]);
            for (&own, &carried) in own.iter().zip(&each.carried(b).to_vec()) {
                let value = AffineLoadOp::create(b, own, &at);
                known.insert((carried, [r, c]), value);
            }
        }
        // Values in front of the sum that terms use, for each result.
        let terms = self.nest.terms(b, sum);
        let used: Vec<Value> =
            terms.iter().flat_map(|&op| b.operands(op).collect::<Vec<_>>()).collect();
        let needed = self.nest.needed(b, &self.nest.prologue, &used);
        let before = self.nest.sums[..sum].iter().map(|sum| sum.op.op());
        let before: Vec<Op> = before.chain(needed.iter().copied()).collect();
        let before: Vec<Value> = before.iter().flat_map(|&op| b.results(op).to_vec()).collect();
        if !before.is_empty() {
            for result in self.results() {
                let mut own = [self.at(b, block, thread, result)];
                self.totals(b, block, (thread, result), sum, &mut own[0]);
                self.copy(b, &needed, &mut own, Some(edges));
                known.extend(before.iter().map(|&value| ((value, result), own[0].get(value))));
            }
        }
        for op in terms {
            let uses = b.results(op).first().and_then(|result| self.nest.uses.get(result).copied());
            let uses = uses.unwrap_or_default();
            for result in self.results() {
                if !uses.row && result[0] > 0 || !uses.column && result[1] > 0 {
                    continue;
                }
                self.term(b, block, op, result, &map, edges, &mut known, (thread, turn));
            }
        }
        let mut asked: FxHashMap<[i64; 2], Value> = FxHashMap::default();
        let ends = self.nest.sums[sum].range.widest;
        for result in self.results() {
            let at = self.sum_at(b, thread, result);
            // Which rows and columns have the term is asked once for each.
            let place = [0, 1].map(|side| if ends[side] == End::Any { 0 } else { result[side] });
            let has = is_part.then(|| {
                *asked.entry(place).or_insert_with(|| {
                    let at = self.at(b, block, thread, place);
                    let own = self.terms_of(b, (sum, corner.get(term)), &at);
                    self.is_among(b, turn, own)
                })
            });
            for (number, yielded) in each.yielded(b).into_iter().enumerate() {
                let mut value =
                    self.lookup(&known, yielded, result).unwrap_or_else(|| map.get(yielded));
                let old = self.lookup(&known, each.carried(b)[number], result);
                if let (Some(has), Some(old)) = (has, old) {
                    value = arith::SelectOp::new(b, has, value, old).value(b);
                }
                AffineStoreOp::create(b, value, own[number], &at);
            }
        }
    }

    /// What stands for a value at a result.
    pub(super) fn lookup(
        &self,
        known: &FxHashMap<(Value, [i64; 2]), Value>,
        value: Value,
        [r, c]: [i64; 2],
    ) -> Option<Value> {
        let Uses { row, column, .. } = self.nest.uses.get(&value).copied()?;
        known.get(&(value, [if row { r } else { -1 }, if column { c } else { -1 }])).copied()
    }

    /// One operation of a term at a result.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn term(
        &self,
        b: &mut Builder<'_>,
        block: &Block,
        op: Op,
        result: [i64; 2],
        map: &ValueMap,
        edges: &[Edge],
        known: &mut FxHashMap<(Value, [i64; 2]), Value>,
        (thread, turn): (Thread, Turn),
    ) {
        let staged = self.tiles.iter().position(|tile| tile.load.op == op);
        let uses = b.results(op).first().and_then(|result| self.nest.uses.get(result).copied());
        let uses = uses.unwrap_or_default();
        let [row, column, _] = self.nest.variables(b, 0);
        let key = [if uses.row { result[0] } else { -1 }, if uses.column { result[1] } else { -1 }];
        if let Some(position) = staged {
            let (side, variable) = if uses.row { (0, row) } else { (1, column) };
            let run =
                if uses.row || uses.column { self.nest.run_length(&self.plan, side) } else { 1 };
            if key[side].max(0) % run != 0 {
                return;
            }
            let along = self.lookup(known, variable, result).unwrap_or(turn.row);
            let tile = &self.tiles[position];
            let values = tile.elements(b, block.buffers[position], turn.row, along, run);
            for (value, number) in values.into_iter().zip(key[side]..) {
                let mut key = key;
                key[side] = number;
                known.insert((b.result(op, 0), key), value);
            }
            return;
        }
        let mut own = map.clone();
        if b.operands(op).any(|operand| operand == row || operand == column) {
            let at = self.at(b, block, thread, result);
            own.insert(row, at.get(row));
            own.insert(column, at.get(column));
        }
        for operand in b.operands(op).collect::<Vec<_>>() {
            if operand != row
                && operand != column
                && let Some(value) = self.lookup(known, operand, result)
            {
                own.insert(operand, value);
            }
        }
        let value = match AffineLoadOp::cast(b, op) {
            Some(load) => vec![self.load(b, load, &own, edges)],
            None => {
                let copy = b.clone_op(op, &mut own);
                b.insert(copy);
                b.results(copy).to_vec()
            }
        };
        for (&from, to) in b.results(op).to_vec().iter().zip(value) {
            known.insert((from, key), to);
        }
    }
}
