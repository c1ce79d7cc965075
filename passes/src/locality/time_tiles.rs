//! A block that executes several rounds of two sweeps: the nest that a plan describes.
//!
//! ```text
//! for each block of the core's rows and columns
//!   tiles in memory of the block, with the rim that is read
//!   all threads: copy what is alive, and of both arrays what no sweep writes
//!   for each round
//!     for each thread: its iterations of the first sweep, from one tile to the other
//!     for each thread: those of the second sweep, back
//!   for each thread: stores what is right to the end
//! ```
//!
//! What lies beyond the loops' iterations is copied only where an iteration reads it: other places may not be memory of the
//! program. A block none of whose places does so asks nothing of any thread.

use gpuc_dialects::affine::{AffineForOp, AffineIfOp, AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::{gpu, llvm};
use gpuc_ir::{AffineExpr, Builder, Op, Value, ValueMap};

use super::blocks::{block_memory, over_blocks, rows_of_threads};
use super::coordinates::{Exprs, apply, below, where_all};
use super::emit::over_threads;
use super::time_plan::TimePlan;
use super::time_sweeps::{Sweep, Sweeps};

/// Builds the nest in blocks at the builder's point: what is alive comes from one field's array, and goes to the other one's.
pub fn emit(b: &mut Builder<'_>, sweeps: &Sweeps, plan: TimePlan, from: usize) -> Op {
    let others = vec![1; sweeps.dims.len()];
    let core = plan.core(sweeps);
    over_blocks(b, &sweeps.dims, sweeps.tiled, core, &others, |b, corner| {
        let shape = plan.shape(sweeps);
        let tiles = [0, 1].map(|field| block_memory(b, shape, sweeps.fields[field].element));
        let corner = sweeps.dims.iter().map(|dim| corner.get(dim.variable)).collect();
        let margins = plan.margins(sweeps);
        let rim = [0, 1].map(|side| sweeps.rim(side));
        Block { sweeps, plan, from, corner, tiles, margins, rim }.emit(b);
    })
}

/// What code inside the block's loop knows.
struct Block<'a> {
    sweeps: &'a Sweeps,
    plan: TimePlan,
    from: usize,
    /// The dimensions' variables at the first iteration of the core.
    corner: Vec<Value>,
    /// Memory of the block for each field.
    tiles: [Value; 2],
    margins: [i64; 2],
    rim: [i64; 2],
}

impl Block<'_> {
    fn emit(&self, b: &mut Builder<'_>) {
        let mut exprs = Exprs::default();
        let mut room = Vec::new();
        for side in 0..2 {
            let dim = &self.sweeps.dims[self.sweeps.tiled[side]];
            let around = self.margins[side] + self.rim[side];
            let corner = exprs.value(b, self.corner[self.sweeps.tiled[side]]);
            let (lower, upper) = (exprs.bound(b, &dim.lower), exprs.bound(b, &dim.upper));
            let [back, last] =
                [-around, self.plan.tile[side] - 1 + around - 2 * self.margins[side]]
                    .map(|further| b.ctx.constant_expr(further));
            let first = b.ctx.add_expr(corner, back);
            room.push((b.ctx.sub_expr(first, lower), false));
            let last = b.ctx.add_expr(corner, last);
            room.push(below(b, last, upper));
        }
        let operands = exprs.finish(b, &[]).operands;
        let set = b.ctx.integer_set(operands.len() as u32, 0, &room);
        let (whole, part) = (
            |b: &mut Builder<'_>| self.rounds(b, true),
            |b: &mut Builder<'_>| {
                self.rounds(b, false);
            },
        );
        AffineIfOp::create_choice(b, set, &operands, whole, part);
    }

    /// All that a block does; `whole` where every place of its tiles is an iteration.
    fn rounds(&self, b: &mut Builder<'_>, whole: bool) {
        self.copy(b, whole);
        gpu::BarrierOp::new(b, &[]).build(b);
        let [lower, upper] = [0, self.plan.steps].map(|end| AffineValue::constant(&mut b.ctx, end));
        let rounds = AffineForOp::create(b, &lower, &upper, 1, &[], |b, _, _| {
            for sweep in &self.sweeps.each {
                self.sweep(b, sweep, whole);
                gpu::BarrierOp::new(b, &[]).build(b);
            }
            Vec::new()
        });
        keep_rolled(b, rounds);
        self.finish(b, whole);
    }

    /// The dimensions' variables at a place of the tile, counted from the first that threads execute.
    fn point(&self, b: &mut Builder<'_>, place: [Value; 2], further: [i64; 2]) -> Vec<Value> {
        let mut point = self.corner.clone();
        for side in 0..2 {
            let at = &mut point[self.sweeps.tiled[side]];
            *at = apply(b, &[*at, place[side]], |b, dims| {
                let further = b.ctx.constant_expr(further[side] - self.margins[side]);
                let at = b.ctx.add_expr(dims[0], dims[1]);
                b.ctx.add_expr(at, further)
            });
        }
        point
    }

    /// That a point, moved by some rows and columns, is an iteration.
    fn inside(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        point: &[Value],
        further: [i64; 2],
    ) -> Vec<(AffineExpr, bool)> {
        let mut room = Vec::new();
        for side in 0..2 {
            if side == 0 && !self.sweeps.has_rows {
                continue;
            }
            let dim = &self.sweeps.dims[self.sweeps.tiled[side]];
            let at = exprs.value(b, point[self.sweeps.tiled[side]]);
            let further = b.ctx.constant_expr(further[side]);
            let at = b.ctx.add_expr(at, further);
            let (lower, upper) = (exprs.bound(b, &dim.lower), exprs.bound(b, &dim.upper));
            room.push((b.ctx.sub_expr(at, lower), false));
            room.push(below(b, at, upper));
        }
        room
    }

    /// A point's own element of a field.
    fn own(&self, b: &mut Builder<'_>, field: usize, point: &[Value]) -> AffineValue {
        let mut map = ValueMap::new();
        for (dim, &at) in self.sweeps.dims.iter().zip(point) {
            map.insert(dim.variable, at);
        }
        let mut exprs = Exprs::default();
        let forms = self.sweeps.fields[field].own.iter();
        let results: Vec<AffineExpr> = forms.map(|form| exprs.form(b, form, &map)).collect();
        exprs.finish(b, &results)
    }

    fn load(&self, b: &mut Builder<'_>, field: usize, point: &[Value]) -> Value {
        let at = self.own(b, field, point);
        AffineLoadOp::create(b, self.sweeps.fields[field].buffer, &at)
    }

    /// Where a place is in memory of the block, moved by some rows and columns.
    fn tile_at(&self, b: &mut Builder<'_>, place: [Value; 2], further: [i64; 2]) -> AffineValue {
        let mut exprs = Exprs::default();
        let results = [0, 1].map(|side| {
            let at = exprs.value(b, place[side]);
            let further = b.ctx.constant_expr(further[side] + self.rim[side]);
            b.ctx.add_expr(at, further)
        });
        exprs.finish(b, &results)
    }

    /// All threads copy what is alive, and what no sweep writes: rows in turn, and of each the columns of the threads and
    /// those behind, so that nobody divides.
    fn copy(&self, b: &mut Builder<'_>, whole: bool) {
        let threads = self.plan.threads();
        let [rows, columns] = self.plan.shape(self.sweeps);
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            let turns = rows / threads[0] + i64::from(rows % threads[0] != 0);
            let row = |b: &mut Builder<'_>, values: &[Value], turn: i64| {
                apply(b, values, |b, dims| {
                    let further = b.ctx.constant_expr(turn * threads[0] - self.rim[0]);
                    let each = b.ctx.constant_expr(threads[0]);
                    let first = b.ctx.add_expr(dims[0], further);
                    dims[1..].iter().fold(first, |sum, &turn| {
                        let turn = b.ctx.mul_expr(turn, each);
                        b.ctx.add_expr(sum, turn)
                    })
                })
            };
            for first in (0..columns).step_by(threads[1] as usize) {
                let column = apply(b, &numbers[1..], |b, dims| {
                    let further = b.ctx.constant_expr(first - self.rim[1]);
                    b.ctx.add_expr(dims[0], further)
                });
                let last = [rows, columns].map(|length| length - 1);
                let ends = [0, 1].map(|side| last[side] - self.rim[side]);
                let wanted = (first + threads[1] > columns).then_some((column, ends[1]));
                at_most(b, wanted, |b| {
                    if !whole {
                        return self.turns(b, turns, |b, turn| {
                            let row = row(b, &[numbers[0], turn], 0);
                            at_most(b, Some((row, ends[0])), |b| {
                                self.copy_one(b, [row, column], whole);
                            });
                        });
                    }
                    for turn in 0..turns {
                        let row = row(b, &numbers[..1], turn);
                        let beyond = (turn + 1) * threads[0] > rows;
                        at_most(b, beyond.then_some((row, ends[0])), |b| {
                            self.copy_one(b, [row, column], whole);
                        });
                    }
                });
            }
        });
    }

    /// A loop that stays one.
    fn turns(&self, b: &mut Builder<'_>, turns: i64, body: impl FnOnce(&mut Builder<'_>, Value)) {
        let [lower, upper] = [0, turns].map(|end| AffineValue::constant(&mut b.ctx, end));
        let turns = AffineForOp::create(b, &lower, &upper, 1, &[], |b, turn, _| {
            body(b, turn);
            Vec::new()
        });
        keep_rolled(b, turns);
    }

    /// Copies the elements of a place.
    fn copy_one(&self, b: &mut Builder<'_>, place: [Value; 2], whole: bool) {
        let point = self.point(b, place, [0; 2]);
        let at = self.tile_at(b, place, [0; 2]);
        let alive = |b: &mut Builder<'_>| {
            let value = self.load(b, self.from, &point);
            // In the other tile that is right nowhere, but the rim is read beside iterations that do not count.
            for tile in self.tiles {
                AffineStoreOp::create(b, value, tile, &at);
            }
        };
        if whole {
            return alive(b);
        }
        let mut exprs = Exprs::default();
        let room = self.inside(b, &mut exprs, &point, [0; 2]);
        let operands = exprs.finish(b, &[]).operands;
        let set = b.ctx.integer_set(operands.len() as u32, 0, &room);
        AffineIfOp::create_choice(b, set, &operands, alive, |b| {
            for (field, &tile) in self.tiles.iter().enumerate() {
                for offset in self.sweeps.offsets(field) {
                    let mut exprs = Exprs::default();
                    let reader = offset.map(|further| -further);
                    let room = self.inside(b, &mut exprs, &point, reader);
                    where_all(b, exprs, &room, |b| {
                        let value = self.load(b, field, &point);
                        AffineStoreOp::create(b, value, tile, &at);
                    });
                }
            }
        });
    }

    /// A thread's row of so many of its own.
    fn row(&self, b: &mut Builder<'_>, thread: Value, turn: Option<Value>, further: i64) -> Value {
        let values: Vec<Value> = [Some(thread), turn].into_iter().flatten().collect();
        apply(b, &values, |b, dims| {
            let each = b.ctx.constant_expr(self.plan.rows_each);
            let first = b.ctx.mul_expr(dims[0], each);
            let further = b.ctx.constant_expr(further);
            let first = b.ctx.add_expr(first, further);
            dims[1..].iter().fold(first, |sum, &dim| b.ctx.add_expr(sum, dim))
        })
    }

    /// Every thread's iterations of a sweep, from one tile to the other. Those of a thread are independent, so that each operation
    /// is made for all of them before the next one: what several read is read once.
    fn sweep(&self, b: &mut Builder<'_>, sweep: &Sweep, whole: bool) {
        let threads = self.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            if !whole {
                self.turns(b, self.plan.rows_each, |b, turn| {
                    let place = [self.row(b, numbers[0], Some(turn), 0), numbers[1]];
                    let point = self.point(b, place, [0; 2]);
                    let mut exprs = Exprs::default();
                    let room = self.inside(b, &mut exprs, &point, [0; 2]);
                    where_all(b, exprs, &room, |b| {
                        let mut map = at(sweep, &point);
                        for &op in &sweep.body {
                            self.op(b, sweep, op, &mut map, place);
                        }
                    });
                });
                return;
            }
            let mut each = Vec::new();
            for turn in 0..self.plan.rows_each {
                let place = [self.row(b, numbers[0], None, turn), numbers[1]];
                let point = self.point(b, place, [0; 2]);
                each.push((place, at(sweep, &point)));
            }
            for &op in &sweep.body {
                for (place, map) in &mut each {
                    self.op(b, sweep, op, map, *place);
                }
            }
        });
    }

    /// One operation of an iteration: the arrays that sweeps take turns in are memory of the block.
    fn op(
        &self,
        b: &mut Builder<'_>,
        sweep: &Sweep,
        op: Op,
        map: &mut ValueMap,
        place: [Value; 2],
    ) {
        if let Some(read) = sweep.reads.iter().find(|read| read.op == op) {
            let at = self.tile_at(b, place, read.offset);
            let value = AffineLoadOp::create(b, self.tiles[read.field], &at);
            let result = b.result(op, 0);
            map.insert(result, value);
        } else if op == sweep.store {
            let value = map.get(b.operand(op, 0));
            let at = self.tile_at(b, place, [0; 2]);
            let written = usize::from(sweep.nest == self.sweeps.each[0].nest);
            AffineStoreOp::create(b, value, self.tiles[written], &at);
        } else {
            let copy = b.clone_op(op, map);
            b.insert(copy);
        }
    }

    /// Every thread stores what of its iterations is right to the end.
    fn finish(&self, b: &mut Builder<'_>, whole: bool) {
        let threads = self.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            self.where_right(b, 1, numbers[1], |b| {
                for turn in 0..self.plan.rows_each {
                    let row = self.row(b, numbers[0], None, turn);
                    self.where_right(b, 0, row, |b| self.finish_one(b, [row, numbers[1]], whole));
                }
            });
        });
    }

    /// Runs code where a row (side 0) or column (side 1) is right to the end.
    fn where_right(
        &self,
        b: &mut Builder<'_>,
        side: usize,
        place: Value,
        body: impl FnOnce(&mut Builder<'_>),
    ) {
        let mut exprs = Exprs::default();
        let mut room = Vec::new();
        if self.margins[side] > 0 {
            let at = exprs.value(b, place);
            let [first, last] = [self.margins[side], self.plan.tile[side] - self.margins[side] - 1]
                .map(|end| b.ctx.constant_expr(end));
            room.push((b.ctx.sub_expr(at, first), false));
            room.push((b.ctx.sub_expr(last, at), false));
        }
        where_all(b, exprs, &room, body);
    }

    fn finish_one(&self, b: &mut Builder<'_>, place: [Value; 2], whole: bool) {
        let point = self.point(b, place, [0; 2]);
        let mut exprs = Exprs::default();
        let room = match whole {
            true => Vec::new(),
            false => self.inside(b, &mut exprs, &point, [0; 2]),
        };
        where_all(b, exprs, &room, |b| {
            let at = self.tile_at(b, place, [0; 2]);
            let value = AffineLoadOp::create(b, self.tiles[0], &at);
            let to = self.own(b, 1 - self.from, &point);
            let buffer = self.sweeps.fields[1 - self.from].buffer;
            AffineStoreOp::create(b, value, buffer, &to);
        });
    }
}

/// What stands for a sweep's variables at a point.
fn at(sweep: &Sweep, point: &[Value]) -> ValueMap {
    let mut map = ValueMap::new();
    for (&variable, &at) in sweep.variables.iter().zip(point) {
        map.insert(variable, at);
    }
    map
}

/// Runs code where a value is not beyond a number, if one is given.
fn at_most(b: &mut Builder<'_>, wanted: Option<(Value, i64)>, body: impl FnOnce(&mut Builder<'_>)) {
    let mut exprs = Exprs::default();
    let room = wanted.map(|(value, last)| {
        let value = exprs.value(b, value);
        let last = b.ctx.constant_expr(last);
        (b.ctx.sub_expr(last, value), false)
    });
    where_all(b, exprs, room.as_slice(), body);
}

/// Lets a loop stay one: what stands in it is long.
fn keep_rolled(b: &mut Builder<'_>, view: AffineForOp) {
    use gpuc_ir::OpView;
    let annotation = llvm::no_unroll(&mut b.ctx);
    b.set_attr(view.op(), llvm::LOOP_ANNOTATION, annotation);
}
