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

use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::gpu;
use gpuc_ir::{Builder, Op, Value, ValueMap};

use super::blocks::{block_memory, over_blocks, rows_of_threads};
use super::coordinates::{Exprs, where_all};
use super::emit::over_threads;
use super::time_frame::{Frame, at, keep_rolled};
use super::time_plan::TimePlan;
use super::time_sweeps::{Sweep, Sweeps};

/// Builds the nest in blocks at the builder's point: what is alive comes from one field's array, and goes to the other one's.
pub fn emit(b: &mut Builder<'_>, sweeps: &Sweeps, plan: TimePlan, from: usize) -> Op {
    let others = vec![1; sweeps.dims.len()];
    let core = plan.core(sweeps);
    over_blocks(b, &sweeps.dims, sweeps.tiled, core, &others, |b, corner| {
        let shape = plan.shape(sweeps);
        let tiles = [0, 1].map(|field| block_memory(b, &shape, sweeps.fields[field].element));
        let block = Block { frame: Frame::new(sweeps, plan, from, &corner), tiles };
        block.frame.choice(b, |b, whole| block.rounds(b, whole));
    })
}

/// What code inside the block's loop knows.
struct Block<'a> {
    frame: Frame<'a>,
    /// Memory of the block for each field.
    tiles: [Value; 2],
}

impl Block<'_> {
    /// All that a block does; `whole` where every place of its tiles is an iteration.
    fn rounds(&self, b: &mut Builder<'_>, whole: bool) {
        self.copy(b, whole);
        gpu::BarrierOp::new(b, &[]).build(b);
        let [lower, upper] =
            [0, self.frame.plan.steps].map(|end| AffineValue::constant(&mut b.ctx, end));
        let rounds = AffineForOp::create(b, &lower, &upper, 1, &[], |b, _, _| {
            for sweep in &self.frame.sweeps.each {
                self.sweep(b, sweep, whole);
                gpu::BarrierOp::new(b, &[]).build(b);
            }
            Vec::new()
        });
        keep_rolled(b, rounds);
        self.finish(b, whole);
    }

    /// Where a place is in memory of the block, moved by some rows and columns.
    fn tile_at(&self, b: &mut Builder<'_>, place: [Value; 2], further: [i64; 3]) -> AffineValue {
        let mut exprs = Exprs::default();
        let results = [0, 1].map(|side| {
            let at = exprs.value(b, place[side]);
            let further = b.ctx.constant_expr(further[side] + self.frame.rim[side]);
            b.ctx.add_expr(at, further)
        });
        exprs.finish(b, &results)
    }

    /// All threads copy what is alive, and what no sweep writes.
    fn copy(&self, b: &mut Builder<'_>, whole: bool) {
        let threads = self.frame.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            let thread = [numbers[0], numbers[1]];
            self.frame.over_shape(b, thread, whole, |b, place| self.copy_one(b, place, whole));
        });
    }

    /// Copies the elements of a place.
    fn copy_one(&self, b: &mut Builder<'_>, place: [Value; 2], whole: bool) {
        let point = self.frame.point(b, place, None);
        let at = self.tile_at(b, place, [0; 3]);
        let alive = |b: &mut Builder<'_>| {
            let value = self.frame.load(b, self.frame.from, &point);
            // In the other tile that is right nowhere, but the rim is read beside iterations that do not count.
            for tile in self.tiles {
                AffineStoreOp::create(b, value, tile, &at);
            }
        };
        if whole {
            return alive(b);
        }
        self.frame.where_inside(b, &point, alive, |b| {
            for (field, &tile) in self.tiles.iter().enumerate() {
                self.frame.border(b, field, &point, |b, value| {
                    AffineStoreOp::create(b, value, tile, &at);
                });
            }
        });
    }

    /// Every thread's iterations of a sweep, from one tile to the other. Those of a thread are independent, so that each operation
    /// is made for all of them before the next one: what several read is read once.
    fn sweep(&self, b: &mut Builder<'_>, sweep: &Sweep, whole: bool) {
        let threads = self.frame.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            if !whole {
                self.frame.turns(b, self.frame.plan.rows_each, |b, turn| {
                    let place = [self.frame.row(b, numbers[0], Some(turn), 0), numbers[1]];
                    let point = self.frame.point(b, place, None);
                    let mut exprs = Exprs::default();
                    let room = self.frame.inside(b, &mut exprs, &point, [0; 3]);
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
            for turn in 0..self.frame.plan.rows_each {
                let place = [self.frame.row(b, numbers[0], None, turn), numbers[1]];
                let point = self.frame.point(b, place, None);
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
            let at = self.tile_at(b, place, [0; 3]);
            let written = usize::from(sweep.nest == self.frame.sweeps.each[0].nest);
            AffineStoreOp::create(b, value, self.tiles[written], &at);
        } else {
            let copy = b.clone_op(op, map);
            b.insert(copy);
        }
    }

    /// Every thread stores what of its iterations is right to the end.
    fn finish(&self, b: &mut Builder<'_>, whole: bool) {
        let threads = self.frame.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            self.frame.where_right(b, 1, numbers[1], |b| {
                for turn in 0..self.frame.plan.rows_each {
                    let row = self.frame.row(b, numbers[0], None, turn);
                    self.frame
                        .where_right(b, 0, row, |b| self.finish_one(b, [row, numbers[1]], whole));
                }
            });
        });
    }

    fn finish_one(&self, b: &mut Builder<'_>, place: [Value; 2], whole: bool) {
        let point = self.frame.point(b, place, None);
        let mut exprs = Exprs::default();
        let room = match whole {
            true => Vec::new(),
            false => self.frame.inside(b, &mut exprs, &point, [0; 3]),
        };
        where_all(b, exprs, &room, |b| {
            let at = self.tile_at(b, place, [0; 3]);
            let value = AffineLoadOp::create(b, self.tiles[0], &at);
            let to = self.frame.own(b, 1 - self.frame.from, &point);
            let buffer = self.frame.sweeps.fields[1 - self.frame.from].buffer;
            AffineStoreOp::create(b, value, buffer, &to);
        });
    }
}
