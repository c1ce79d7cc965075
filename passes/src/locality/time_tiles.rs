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
//! Where every place of a block is an iteration, a thread keeps its own elements in registers from sweep to sweep, and what
//! it reads of arrays that no sweep writes for all rounds: memory of the block is for what threads read of each other.
//!
//! What lies beyond the loops' iterations is copied only where an iteration reads it: other places may not be memory of the
//! program. A block none of whose places does so asks nothing of any thread.

use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::gpu;
use gpuc_ir::{Builder, Op, Value, ValueMap};

use super::blocks::{block_memory, over_blocks, rows_of_threads, thread_memory};
use super::coordinates::{Exprs, constants, where_all};
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
        block.frame.choice(b, |b, whole| block.emit(b, whole));
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
    fn emit(&self, b: &mut Builder<'_>, whole: bool) {
        let threads = self.frame.plan.threads();
        if whole {
            return over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
                self.whole(b, [numbers[0], numbers[1]], numbers);
            });
        }
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            self.copy(b, [numbers[0], numbers[1]]);
        });
        gpu::BarrierOp::new(b, &[]).build(b);
        self.rounds(b, |b| {
            for sweep in &self.frame.sweeps.each {
                self.sweep(b, sweep);
                gpu::BarrierOp::new(b, &[]).build(b);
            }
        });
        self.finish(b);
    }

    fn rounds(&self, b: &mut Builder<'_>, body: impl Fn(&mut Builder<'_>)) {
        let [lower, upper] =
            [0, self.frame.plan.steps].map(|end| AffineValue::constant(&mut b.ctx, end));
        let rounds = AffineForOp::create(b, &lower, &upper, 1, &[], |b, _, _| {
            body(b);
            Vec::new()
        });
        keep_rolled(b, rounds);
    }

    /// What a thread does in a block all places of which are iterations.
    fn whole(&self, b: &mut Builder<'_>, thread: [Value; 2], numbers: &[Value]) {
        let (sweeps, rows) = (self.frame.sweeps, self.frame.plan.rows_each);
        let own = [0, 1].map(|field| thread_memory(b, &[rows], sweeps.fields[field].element));
        let places = self.frame.places(b, thread);
        for (turn, &place) in (0..).zip(&places) {
            let value = self.alive(b, place);
            let at = constants(b, &[turn]);
            AffineStoreOp::create(b, value, own[0], &at);
        }
        self.frame.rim_places(b, thread, |b, _, place| {
            let value = self.alive(b, place);
            self.fill(b, place, value, &self.tiles);
        });
        for (turn, &place) in (0..).zip(&places) {
            let at = constants(b, &[turn]);
            let value = AffineLoadOp::create(b, own[0], &at);
            self.fill(b, place, value, &self.tiles[..1]);
        }
        gpu::BarrierOp::new(b, numbers).build(b);
        let kept = [0, 1].map(|number| self.begin(b, &sweeps.each[number], &places));
        self.rounds(b, |b| {
            for (sweep, kept) in sweeps.each.iter().zip(&kept) {
                self.sweep_whole(b, sweep, &places, own, kept);
                gpu::BarrierOp::new(b, numbers).build(b);
            }
        });
        let finish = |b: &mut Builder<'_>, (turn, place): (i64, [Value; 2])| {
            let at = constants(b, &[turn]);
            let value = AffineLoadOp::create(b, own[0], &at);
            let point = self.frame.point(b, place, None);
            self.store(b, value, &point);
        };
        self.frame.where_right(b, 1, &thread[1..], |b| {
            // Most threads ask once for all of their rows.
            let ends = [0, places.len() - 1].map(|turn| places[turn][0]);
            let all = |b: &mut Builder<'_>| {
                (0..).zip(places.iter().copied()).for_each(|each| finish(b, each));
            };
            let some = |b: &mut Builder<'_>| {
                for (turn, &place) in (0..).zip(&places) {
                    self.frame.where_right(b, 0, &place[..1], |b| finish(b, (turn, place)));
                }
            };
            self.frame.where_right_else(b, 0, &ends, [&all, &some]);
        });
    }

    /// The loads of a sweep that registers hold for all rounds.
    fn lasting<'s>(&self, sweep: &'s Sweep) -> &'s [Op] {
        &sweep.lasting[..self.frame.plan.lasting(sweep)]
    }

    /// For each place of a thread what stands for a sweep's variables, and for what it loads in all rounds alike.
    fn begin(&self, b: &mut Builder<'_>, sweep: &Sweep, places: &[[Value; 2]]) -> Vec<ValueMap> {
        let each = places.iter().map(|&place| {
            let point = self.frame.point(b, place, None);
            let mut map = at(sweep, &point);
            for &op in self.lasting(sweep) {
                let copy = b.clone_op(op, &mut map);
                b.insert(copy);
            }
            map
        });
        each.collect()
    }

    /// A thread's iterations of a sweep, from one tile to the other. They are independent, so that each operation is made for
    /// all of them before the next one: what several read is read once.
    fn sweep_whole(
        &self,
        b: &mut Builder<'_>,
        sweep: &Sweep,
        places: &[[Value; 2]],
        own: [Value; 2],
        kept: &[ValueMap],
    ) {
        let rows = 0..self.frame.plan.rows_each;
        let mut maps = kept.to_vec();
        for &op in &sweep.body {
            for (turn, (&place, map)) in (0..).zip(places.iter().zip(&mut maps)) {
                let read = sweep.reads.iter().find(|read| read.op == op && read.offset[1] == 0);
                let near = read.map(|read| (own[read.field], turn + read.offset[0]));
                if let Some((own, row)) = near.filter(|(_, row)| rows.contains(row)) {
                    let at = constants(b, &[row]);
                    let value = AffineLoadOp::create(b, own, &at);
                    map.insert(b.result(op, 0), value);
                    continue;
                }
                if self.lasting(sweep).contains(&op) {
                    continue;
                }
                self.op(b, sweep, op, map, place);
                if op == sweep.store {
                    let value = map.get(b.operand(op, 0));
                    let at = constants(b, &[turn]);
                    AffineStoreOp::create(b, value, own[self.written(sweep)], &at);
                }
            }
        }
    }

    /// The field that a sweep writes.
    fn written(&self, sweep: &Sweep) -> usize {
        usize::from(sweep.nest == self.frame.sweeps.each[0].nest)
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

    /// What is alive at a place when the launch begins.
    fn alive(&self, b: &mut Builder<'_>, place: [Value; 2]) -> Value {
        let point = self.frame.point(b, place, None);
        self.frame.load(b, self.frame.from, &point)
    }

    /// Puts a value into tiles. In the other tile than the one that is read first it is right nowhere, but its rim is read beside
    /// iterations that do not count.
    fn fill(&self, b: &mut Builder<'_>, place: [Value; 2], value: Value, tiles: &[Value]) {
        let at = self.tile_at(b, place, [0; 3]);
        for &tile in tiles {
            AffineStoreOp::create(b, value, tile, &at);
        }
    }

    /// A thread copies its part of what is alive, and of what no sweep writes, where not every place is an iteration.
    fn copy(&self, b: &mut Builder<'_>, thread: [Value; 2]) {
        self.frame.over_shape(b, thread, false, |b, place| {
            let point = self.frame.point(b, place, None);
            let alive = |b: &mut Builder<'_>| {
                let value = self.frame.load(b, self.frame.from, &point);
                self.fill(b, place, value, &self.tiles);
            };
            self.frame.where_inside(b, &point, alive, |b| {
                for (field, tile) in self.tiles.iter().enumerate() {
                    self.frame.border(b, field, &point, |b, value| {
                        self.fill(b, place, value, std::slice::from_ref(tile));
                    });
                }
            });
        });
    }

    /// Every thread's iterations of a sweep, from one tile to the other, where not every place is one.
    fn sweep(&self, b: &mut Builder<'_>, sweep: &Sweep) {
        let threads = self.frame.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
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
            AffineStoreOp::create(b, value, self.tiles[self.written(sweep)], &at);
        } else {
            let copy = b.clone_op(op, map);
            b.insert(copy);
        }
    }

    /// Every thread stores what of its iterations is right to the end, where not every place is one.
    fn finish(&self, b: &mut Builder<'_>) {
        let threads = self.frame.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            self.frame.where_right(b, 1, &numbers[1..2], |b| {
                for place in self.frame.places(b, [numbers[0], numbers[1]]) {
                    self.frame.where_right(b, 0, &place[..1], |b| self.finish_one(b, place));
                }
            });
        });
    }

    fn finish_one(&self, b: &mut Builder<'_>, place: [Value; 2]) {
        let point = self.frame.point(b, place, None);
        let mut exprs = Exprs::default();
        let room = self.frame.inside(b, &mut exprs, &point, [0; 3]);
        where_all(b, exprs, &room, |b| {
            let at = self.tile_at(b, place, [0; 3]);
            let value = AffineLoadOp::create(b, self.tiles[0], &at);
            self.store(b, value, &point);
        });
    }

    /// Stores what a place is at the end.
    fn store(&self, b: &mut Builder<'_>, value: Value, point: &[Value]) {
        let to = self.frame.own(b, 1 - self.frame.from, point);
        let buffer = self.frame.sweeps.fields[1 - self.frame.from].buffer;
        AffineStoreOp::create(b, value, buffer, &to);
    }
}
