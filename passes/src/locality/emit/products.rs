//! What each thread does for a term: the products of its rows and columns.

use gpuc_dialects::affine::{AffineLoadOp, AffineStoreOp};
use gpuc_ir::{Builder, Op, OpView, Value, ValueMap};
use rustc_hash::FxHashMap;

use super::{Block, Emitter, Thread, Turn};
use crate::locality::contraction::Uses;
use crate::locality::coordinates::{Edge, apply};

impl Emitter<'_> {
    /// One term of all of a thread's results: what does not depend on the row is done once for each
    /// column, and what does not on the column once for each row.
    pub(super) fn products(
        &self,
        b: &mut Builder<'_>,
        block: &Block,
        corner: &ValueMap,
        edges: &[Edge],
        thread: Thread,
        turn: Turn,
    ) {
        let [row, column, term] = self.nest.variables(b);
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
            for (&sum, &carried) in block.sums.iter().zip(&self.nest.sum.carried(b).to_vec()) {
                let value = AffineLoadOp::create(b, sum, &at);
                known.insert((carried, [r, c]), value);
            }
        }
        // Values of the prologue that terms use, for each result.
        let terms = self.nest.terms(b);
        let used: Vec<Value> =
            terms.iter().flat_map(|&op| b.operands(op).collect::<Vec<_>>()).collect();
        let needed = self.nest.needed(b, &self.nest.prologue, &used);
        if !needed.is_empty() {
            for result in self.results() {
                let mut own = [self.at(b, block, thread, result)];
                self.copy(b, &needed, &mut own, Some(edges));
                for &op in &needed {
                    for &value in b.results(op).to_vec().iter() {
                        known.insert((value, result), own[0].get(value));
                    }
                }
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
        for result in self.results() {
            let at = self.sum_at(b, thread, result);
            for (&sum, yielded) in block.sums.iter().zip(self.nest.sum.yielded(b)) {
                let value =
                    self.lookup(&known, yielded, result).unwrap_or_else(|| map.get(yielded));
                AffineStoreOp::create(b, value, sum, &at);
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
        let [row, column, _] = self.nest.variables(b);
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
