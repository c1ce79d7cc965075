//! A block that executes several rounds of two sweeps along planes: the nest that a plan describes where neighbours along three
//! loops are read.
//!
//! ```text
//! for each block of the core's rows and columns, and of a run of planes
//!   of each sweep, and of what the launch begins with, some planes in memory of the block, in turns
//!   for each plane of the run and those that are read round it
//!     for each thread: loads its part of the plane
//!     for each sweep, in order: the thread's iterations of a plane further back, from those of the sweep before
//!     for each thread: stores its part of the plane
//!     all threads wait
//! ```
//!
//! Tiles overlap in rows and columns, as those of [`super::time_tiles`], and runs at their ends; along a run nothing is
//! executed twice (3.5-D blocking: Nguyen et al., SC 2010; AN5D: Matsumura et al., CGO 2020). Each sweep is so far behind the
//! one before that it reads what steps before this one have stored: a wait for each plane is enough.

use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineStoreOp, AffineValue};
use gpuc_dialects::{arith, gpu, scf};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, Type, Value, ValueMap};

use super::blocks::{block_memory, over_blocks, rows_of_threads, thread_memory};
use super::coordinates::{Exprs, apply, constants, where_all, where_all_else};
use super::emit::over_threads;
use super::time_frame::{Frame, at, keep_rolled};
use super::time_plan::{Level, TimePlan};
use super::time_sweeps::{Sweep, Sweeps};

/// Builds the nest in blocks at the builder's point, of sweeps that have planes: what is alive comes from one field's array, and
/// goes to the other one's.
pub fn emit(
    b: &mut Builder<'_>,
    sweeps: &Sweeps,
    plan: TimePlan,
    from: usize,
    planes: usize,
) -> Op {
    let mut others = vec![1; sweeps.dims.len()];
    others[planes] = plan.planes;
    let core = plan.core(sweeps);
    over_blocks(b, &sweeps.dims, sweeps.tiled, core, &others, |b, corner| {
        let [rows, columns] = plan.shape(sweeps);
        let levels = plan.levels(sweeps);
        let (last, held) = levels.split_last().expect("a sweep and what it reads");
        let tiles = held.iter().enumerate().map(|(number, level)| {
            let element = sweeps.fields[number % 2].element;
            block_memory(b, &[level.slots, rows, columns], element)
        });
        let tiles = tiles.collect();
        let frame = Frame::new(sweeps, plan, from, &corner);
        let walk = Walk { frame, planes, tiles, held, last: *last };
        walk.frame.choice(b, |b, whole| walk.emit(b, whole));
    })
}

/// What code inside the block's loop knows.
struct Walk<'a> {
    frame: Frame<'a>,
    /// The dimension of planes.
    planes: usize,
    /// Memory of the block for what the launch begins with, and for each sweep but the last.
    tiles: Vec<Value>,
    held: &'a [Level],
    last: Level,
}

/// Where a walk is: how many planes it has come along, and the thread.
#[derive(Clone, Copy)]
struct Here {
    step: Value,
    thread: [Value; 2],
    /// Whether every level has a plane of the nest to do.
    steady: bool,
    /// Whether every row and column of the block's tile is an iteration.
    whole: bool,
    /// Else, which places of the thread are borders of each field ([`Walk::borders`]).
    borders: Option<[Value; 2]>,
}

/// A place that a thread computes.
struct Iteration {
    place: [Value; 2],
    /// What stands for the sweep's variables, and for what was computed so far.
    map: ValueMap,
    /// The dimensions' variables.
    point: Vec<Value>,
}

impl Walk<'_> {
    /// All that a block does; `whole` where every row and column of its tiles is an iteration.
    fn emit(&self, b: &mut Builder<'_>, whole: bool) {
        let threads = self.frame.plan.threads();
        over_threads(b, &threads, rows_of_threads(threads), |b, numbers| {
            let thread = [numbers[0], numbers[1]];
            self.clear(b, thread);
            gpu::BarrierOp::new(b, numbers).build(b);
            let borders = (!whole).then(|| self.borders(b, thread));
            let mut newest = vec![self.registers(b)];
            newest.extend((1..self.held.len()).map(|number| self.computed(b, number)));
            let straight = whole || self.reads_nothing_else(b);
            let windows: Vec<Option<Value>> = (1..=self.held.len())
                .map(|number| straight.then(|| self.window(b, number)))
                .collect();
            self.steps(b, |b, step, steady| {
                let here = Here { step, thread, steady, whole, borders };
                // Of the step before: what is loaded and computed in this one comes behind.
                for (number, &window) in (1..).zip(&windows) {
                    if let Some(window) = window {
                        self.advance(b, number, (newest[number - 1], window));
                    }
                }
                self.load_plane(b, here, newest[0]);
                for (number, &window) in (1..).zip(&windows) {
                    self.level(b, (here, number), window, newest.get(number).copied());
                }
                self.store_plane(b, here, newest[0]);
                gpu::BarrierOp::new(b, numbers).build(b);
            });
        });
    }

    /// The steps of a walk. At both ends each level is asked what it has to do; between them, `steady`, that is everything, in
    /// planes of the nest. The steady steps end with the run or with the nest's planes, whichever is first: what follows is
    /// made once, in a loop that goes over what lies between the two ends, and then over what lies behind both.
    fn steps(&self, b: &mut Builder<'_>, body: impl Fn(&mut Builder<'_>, Value, bool)) {
        let (begin, lag) = (self.held[0].rest, self.last.lag);
        let planes = self.frame.plan.planes;
        let (first, last) = (lag + begin, planes + 2 * begin);
        // Steps until the nest's planes end for what is loaded, and until the walk ends.
        let until = |b: &mut Builder<'_>, exprs: &mut Exprs, further: i64| {
            let end = exprs.bound(b, &self.frame.sweeps.dims[self.planes].upper);
            let corner = exprs.value(b, self.frame.corner[self.planes]);
            let left = b.ctx.sub_expr(end, corner);
            let further = b.ctx.constant_expr(further);
            b.ctx.add_expr(left, further)
        };
        let ends = |b: &mut Builder<'_>, exprs: &mut Exprs| {
            [until(b, exprs, begin + lag), b.ctx.constant_expr(planes + begin + lag)]
        };
        let run = |b: &mut Builder<'_>, lower: AffineValue, upper: AffineValue, steady: bool| {
            let steps = AffineForOp::create(b, &lower, &upper, 1, &[], |b, step, _| {
                body(b, step, steady);
                Vec::new()
            });
            keep_rolled(b, steps);
        };
        let zero = AffineValue::constant(&mut b.ctx, 0);
        let mut exprs = Exprs::default();
        let [there, most] = ends(b, &mut exprs);
        let upper = [b.ctx.constant_expr(first), there, most];
        let upper = exprs.finish(b, &upper);
        run(b, zero.clone(), upper, false);

        let lower = AffineValue::constant(&mut b.ctx, first);
        let mut exprs = Exprs::default();
        let upper = [b.ctx.constant_expr(last), until(b, &mut exprs, begin)];
        let upper = exprs.finish(b, &upper);
        run(b, lower, upper, true);

        let two = AffineValue::constant(&mut b.ctx, 2);
        let twice = AffineForOp::create(b, &zero, &two, 1, &[], |b, half, _| {
            let late = |b: &mut Builder<'_>, exprs: &mut Exprs, number: i64, factor: i64| {
                let half = exprs.value(b, half);
                let [number, factor] = [number, factor].map(|n| b.ctx.constant_expr(n));
                let late = b.ctx.mul_expr(half, factor);
                b.ctx.add_expr(number, late)
            };
            let mut exprs = Exprs::default();
            let early = late(b, &mut exprs, 0, -NEVER);
            let there = until(b, &mut exprs, begin);
            let lower = [
                b.ctx.constant_expr(first),
                b.ctx.add_expr(there, early),
                late(b, &mut exprs, last - NEVER, NEVER),
            ];
            let lower = exprs.finish(b, &lower);
            let mut exprs = Exprs::default();
            let [there, most] = ends(b, &mut exprs);
            let upper = [there, most, late(b, &mut exprs, last, NEVER)];
            let upper = exprs.finish(b, &upper);
            run(b, lower, upper, false);
            Vec::new()
        });
        keep_rolled(b, twice);
    }

    fn get(&self, number: usize) -> Level {
        self.held.get(number).copied().unwrap_or(self.last)
    }

    /// The variable of planes where a level is.
    fn plane(&self, b: &mut Builder<'_>, here: Here, number: usize) -> Value {
        let back = self.get(number).lag + self.held[0].rest;
        apply(b, &[self.frame.corner[self.planes], here.step], |b, dims| {
            let back = b.ctx.constant_expr(-back);
            let at = b.ctx.add_expr(dims[0], dims[1]);
            b.ctx.add_expr(at, back)
        })
    }

    /// That a level has something to do at a step.
    fn is_active(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        here: Here,
        number: usize,
    ) -> Vec<(AffineExpr, bool)> {
        let (level, begin) = (self.get(number), self.held[0].rest);
        let at = exprs.value(b, here.step);
        let [first, last] = [
            level.lag + begin - level.rest,
            level.lag + begin + self.frame.plan.planes + level.rest - 1,
        ];
        let [from, to] = [first, last].map(|step| b.ctx.constant_expr(step));
        let from = (first > 0).then(|| (b.ctx.sub_expr(at, from), false));
        from.into_iter().chain([(b.ctx.sub_expr(to, at), false)]).collect()
    }

    /// Code for a plane of a level that is one of the nest's, and for another one that may be read.
    fn at_plane(
        &self,
        b: &mut Builder<'_>,
        (here, number, plane): (Here, usize, Value),
        inside: impl FnOnce(&mut Builder<'_>),
        beyond: impl FnOnce(&mut Builder<'_>),
    ) {
        if here.steady {
            return inside(b);
        }
        let mut exprs = Exprs::default();
        let active = self.is_active(b, &mut exprs, here, number);
        where_all(b, exprs, &active, |b| {
            let mut exprs = Exprs::default();
            let at = exprs.value(b, plane);
            let room = self.frame.within(b, &mut exprs, self.planes, at);
            where_all_else(b, exprs, &room, inside, beyond);
        });
    }

    /// Where a place is in a level's memory, moved by some rows, columns and planes from where level `from` is.
    fn tile_at(
        &self,
        b: &mut Builder<'_>,
        (here, number, from): (Here, usize, usize),
        place: [Value; 2],
        further: [i64; 3],
    ) -> AffineValue {
        let slots = self.held[number].slots;
        // What stands in the same place of the turn is one value, whoever asks.
        let turn = (further[2] - self.get(from).lag).rem_euclid(slots);
        let slot = apply(b, &[here.step], |b, dims| {
            let turn = b.ctx.constant_expr(turn);
            let slots = b.ctx.constant_expr(slots);
            let at = b.ctx.add_expr(dims[0], turn);
            b.ctx.mod_expr(at, slots)
        });
        let mut exprs = Exprs::default();
        let at = self.place(b, &mut exprs, slot, place, further);
        exprs.finish(b, &at)
    }

    fn place(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        slot: Value,
        place: [Value; 2],
        further: [i64; 3],
    ) -> [AffineExpr; 3] {
        let [row, column] = [0, 1].map(|side| {
            let at = exprs.value(b, place[side]);
            let further = b.ctx.constant_expr(further[side] + self.frame.rim[side]);
            b.ctx.add_expr(at, further)
        });
        [exprs.value(b, slot), row, column]
    }

    /// What no sweep computes is read all the same, for places that do not count: it is something.
    fn clear(&self, b: &mut Builder<'_>, thread: [Value; 2]) {
        for (number, (level, &tile)) in self.held.iter().zip(&self.tiles).enumerate() {
            let zero = self.zero(b, number);
            self.frame.turns(b, level.slots, |b, slot| {
                self.frame.over_shape(b, thread, true, |b, place| {
                    let mut exprs = Exprs::default();
                    let at = self.place(b, &mut exprs, slot, place, [0; 3]);
                    let at = exprs.finish(b, &at);
                    AffineStoreOp::create(b, zero, tile, &at);
                });
            });
        }
    }

    /// A thread's places of a plane with its rim, by number.
    fn places(
        &self,
        b: &mut Builder<'_>,
        thread: [Value; 2],
        body: impl Fn(&mut Builder<'_>, i64, [Value; 2]),
    ) {
        let own = self.frame.places(b, thread);
        for (turn, &place) in (0..).zip(&own) {
            body(b, turn, place);
        }
        let first = own.len() as i64;
        self.frame.rim_places(b, thread, |b, number, place| body(b, first + number, place));
    }

    /// How many places of a plane a thread has.
    fn count(&self) -> i64 {
        let TimePlan { tile, rows_each, .. } = self.frame.plan;
        let [rows, columns] = self.frame.plan.threads();
        let [rim_rows, rim_columns] = self.frame.rim;
        let parts = |all: i64, count: i64| (all + count - 1) / count;
        let beside = parts((tile[0] + 2 * rim_rows) * 2 * rim_columns, rows * columns);
        rows_each + 2 * parts(rim_rows, rows) + beside
    }

    /// A thread's elements of a plane on their way to memory of the block.
    fn registers(&self, b: &mut Builder<'_>) -> Value {
        let registers = thread_memory(b, &[self.count()], self.element(0));
        let zero = self.zero(b, 0);
        for number in 0..self.count() {
            let at = AffineValue::constant(&mut b.ctx, number);
            AffineStoreOp::create(b, zero, registers, &at);
        }
        registers
    }

    /// The type of a level's elements.
    fn element(&self, number: usize) -> Type {
        self.frame.sweeps.fields[number % 2].element
    }

    /// A number of a level's type.
    fn zero(&self, b: &mut Builder<'_>, number: usize) -> Value {
        let element = self.element(number);
        match b.ctx.is_float(element) {
            true => arith::constant_float(b, 0.0, element),
            false => arith::constant_int(b, 0, element),
        }
    }

    /// What a thread has computed last of a sweep: registers.
    fn computed(&self, b: &mut Builder<'_>, number: usize) -> Value {
        thread_memory(b, &[self.frame.plan.rows_each], self.element(number))
    }

    /// Loads a thread's elements of the next plane, which are stored behind all that is computed meanwhile.
    fn load_plane(&self, b: &mut Builder<'_>, here: Here, loaded: Value) {
        let plane = self.plane(b, here, 0);
        let inside = |b: &mut Builder<'_>| {
            self.places(b, here.thread, |b, number, place| {
                let point = self.frame.point(b, place, Some(plane));
                let to = AffineValue::constant(&mut b.ctx, number);
                self.where_in_plane(b, &point, here.whole, |b| {
                    let value = self.frame.load(b, self.frame.from, &point);
                    AffineStoreOp::create(b, value, loaded, &to);
                });
                self.where_border(b, here, (0, number), |b| {
                    let value = self.frame.load(b, 0, &point);
                    AffineStoreOp::create(b, value, loaded, &to);
                });
            });
        };
        self.at_plane(b, (here, 0, plane), inside, |_| {});
    }

    /// Stores a thread's elements of a plane.
    fn store_plane(&self, b: &mut Builder<'_>, here: Here, loaded: Value) {
        let plane = self.plane(b, here, 0);
        let inside = |b: &mut Builder<'_>| {
            self.places(b, here.thread, |b, number, place| {
                let from = AffineValue::constant(&mut b.ctx, number);
                let value = AffineLoadOp::create(b, loaded, &from);
                let at = self.tile_at(b, (here, 0, 0), place, [0; 3]);
                AffineStoreOp::create(b, value, self.tiles[0], &at);
            });
        };
        let beyond = |b: &mut Builder<'_>| {
            self.border_plane(b, (here, 0), plane, Some(loaded));
            self.places(b, here.thread, |b, number, place| {
                if number >= self.frame.plan.rows_each {
                    self.border(b, (here, 0), place, plane);
                }
            });
        };
        self.at_plane(b, (here, 0, plane), inside, beyond);
    }

    /// Which of a thread's places, in a plane of the nest, are no iterations, but read by some: a truth value for each, of each field.
    fn borders(&self, b: &mut Builder<'_>, thread: [Value; 2]) -> [Value; 2] {
        let bool = b.ctx.int(1);
        let [no, yes] = [false, true].map(|value| arith::constant_bool(b, value));
        [0, 1].map(|field| {
            let borders = thread_memory(b, &[self.count()], bool);
            let offsets = self.frame.sweeps.offsets(field);
            let mut beside: Vec<[i64; 2]> = offsets.iter().map(|at| [at[0], at[1]]).collect();
            beside.dedup();
            self.places(b, thread, |b, number, place| {
                let to = AffineValue::constant(&mut b.ctx, number);
                AffineStoreOp::create(b, no, borders, &to);
                let point = self.frame.point(b, place, None);
                let mut exprs = Exprs::default();
                let room = self.in_plane(b, &mut exprs, &point, [0; 2]);
                let beyond = |b: &mut Builder<'_>| {
                    for offset in &beside {
                        let mut exprs = Exprs::default();
                        let reader = offset.map(|further| -further);
                        let room = self.in_plane(b, &mut exprs, &point, reader);
                        where_all(b, exprs, &room, |b| {
                            AffineStoreOp::create(b, yes, borders, &to);
                        });
                    }
                };
                where_all_else(b, exprs, &room, |_| {}, beyond);
            });
            borders
        })
    }

    /// Code for a point of one of the nest's planes that is an iteration.
    fn where_in_plane(
        &self,
        b: &mut Builder<'_>,
        point: &[Value],
        whole: bool,
        body: impl FnOnce(&mut Builder<'_>),
    ) {
        let mut exprs = Exprs::default();
        let room = match whole {
            true => Vec::new(),
            false => self.in_plane(b, &mut exprs, point, [0; 2]),
        };
        where_all(b, exprs, &room, body);
    }

    /// That a point, moved by some rows and columns, is an iteration where its plane is one of the nest's.
    fn in_plane(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        point: &[Value],
        further: [i64; 2],
    ) -> Vec<(AffineExpr, bool)> {
        let mut room = Vec::new();
        for (dim, further) in self.frame.sweeps.tiled.into_iter().zip(further) {
            let at = exprs.value(b, point[dim]);
            let further = b.ctx.constant_expr(further);
            let at = b.ctx.add_expr(at, further);
            room.extend(self.frame.within(b, exprs, dim, at));
        }
        room
    }

    /// Code for a place of a thread, by its number, that is no iteration, but read by some of a field.
    fn where_border(
        &self,
        b: &mut Builder<'_>,
        here: Here,
        (field, number): (usize, i64),
        body: impl FnOnce(&mut Builder<'_>),
    ) {
        let Some(borders) = here.borders else { return };
        let at = AffineValue::constant(&mut b.ctx, number);
        let is_border = AffineLoadOp::create(b, borders[field], &at);
        let then = |b: &mut Builder<'_>| {
            body(b);
            Vec::new()
        };
        scf::IfOp::create(b, is_border, &[], then, |_| Vec::new());
    }

    /// Puts what no sweep writes in a level's memory, of a thread's rows in a plane that is none of the nest's.
    fn border_plane(
        &self,
        b: &mut Builder<'_>,
        (here, number): (Here, usize),
        plane: Value,
        computed: Option<Value>,
    ) {
        let Some(&tile) = self.tiles.get(number) else { return };
        let rows_each = self.frame.plan.rows_each;
        self.frame.turns(b, rows_each, |b, turn| {
            let row = self.frame.row(b, here.thread[0], Some(turn), 0);
            self.border(b, (here, number), [row, here.thread[1]], plane);
        });
        for turn in 0..rows_each {
            let row = self.frame.row(b, here.thread[0], None, turn);
            let place = [row, here.thread[1]];
            let at = self.tile_at(b, (here, number, number), place, [0; 3]);
            let value = AffineLoadOp::create(b, tile, &at);
            self.keep(b, computed, turn, value);
        }
    }

    /// Keeps what a thread's row has at a level.
    fn keep(&self, b: &mut Builder<'_>, computed: Option<Value>, turn: i64, value: Value) {
        let Some(computed) = computed else { return };
        let to = AffineValue::constant(&mut b.ctx, turn);
        AffineStoreOp::create(b, value, computed, &to);
    }

    /// Puts what no sweep writes in a level's memory, of a place in a plane that is no iteration.
    fn border(
        &self,
        b: &mut Builder<'_>,
        (here, number): (Here, usize),
        place: [Value; 2],
        plane: Value,
    ) {
        let Some(&tile) = self.tiles.get(number) else { return };
        let point = self.frame.point(b, place, Some(plane));
        let at = self.tile_at(b, (here, number, number), place, [0; 3]);
        self.frame.border(b, number % 2, &point, |b, value| {
            AffineStoreOp::create(b, value, tile, &at);
        });
    }

    /// Whether sweeps may compute anything for places that are no iterations: they read memory of the block alone.
    fn reads_nothing_else(&self, ir: &Ir) -> bool {
        let is_own = |sweep: &Sweep, op: Op| {
            op == sweep.store || sweep.reads.iter().any(|read| read.op == op)
        };
        let harmless = |sweep: &Sweep, op: Op| is_own(sweep, op) || ir.is_speculatable(op);
        self.frame.sweeps.each.iter().all(|sweep| sweep.body.iter().all(|&op| harmless(sweep, op)))
    }

    /// What a sweep reads of a thread's own rows and column, by rows and planes: registers.
    fn window(&self, b: &mut Builder<'_>, number: usize) -> Value {
        let planes = 2 * self.sweep(number).reach(2) + 1;
        thread_memory(b, &[self.frame.plan.rows_each, planes], self.element(number - 1))
    }

    /// The row and plane of a window that an iteration reads, the thread's `turn`-th.
    fn in_window(&self, sweep: &Sweep, offset: [i64; 3], turn: i64) -> Option<[i64; 2]> {
        let [row, column, plane] = offset;
        let own = column == 0 && (0..self.frame.plan.rows_each).contains(&(turn + row));
        own.then_some([turn + row, plane + sweep.reach(2)])
    }

    /// Moves a thread's window on by a plane: what comes in, the thread has loaded or computed in the step before.
    fn advance(&self, b: &mut Builder<'_>, number: usize, (newest, window): (Value, Value)) {
        let last = 2 * self.sweep(number).reach(2);
        for turn in 0..self.frame.plan.rows_each {
            for plane in 0..last {
                let from = constants(b, &[turn, plane + 1]);
                let value = AffineLoadOp::create(b, window, &from);
                let to = constants(b, &[turn, plane]);
                AffineStoreOp::create(b, value, window, &to);
            }
            let from = AffineValue::constant(&mut b.ctx, turn);
            let value = AffineLoadOp::create(b, newest, &from);
            let to = constants(b, &[turn, last]);
            AffineStoreOp::create(b, value, window, &to);
        }
    }

    /// A thread's iterations of a sweep, the `number`-th, of the plane that it is at.
    fn level(
        &self,
        b: &mut Builder<'_>,
        (here, number): (Here, usize),
        window: Option<Value>,
        computed: Option<Value>,
    ) {
        let plane = self.plane(b, here, number);
        let rows_each = self.frame.plan.rows_each;
        let inside = |b: &mut Builder<'_>| {
            let one = |b: &mut Builder<'_>, place: [Value; 2]| {
                let point = self.frame.point(b, place, Some(plane));
                Iteration { place, map: at(self.sweep(number), &point), point }
            };
            let Some(window) = window else {
                return self.frame.turns(b, rows_each, |b, turn| {
                    let row = self.frame.row(b, here.thread[0], Some(turn), 0);
                    let place = [row, here.thread[1]];
                    let mut each = [one(b, place)];
                    let point = each[0].point.clone();
                    let compute = |b: &mut Builder<'_>| {
                        self.iterations(b, (here, number), (None, None), &mut each);
                    };
                    let beyond = |b: &mut Builder<'_>| self.border(b, (here, number), place, plane);
                    self.frame.where_inside(b, &point, compute, beyond);
                });
            };
            let each = (0..rows_each).map(|turn| {
                let row = self.frame.row(b, here.thread[0], None, turn);
                one(b, [row, here.thread[1]])
            });
            let mut each: Vec<_> = each.collect();
            self.iterations(b, (here, number), (Some(window), computed), &mut each);
            let Some(&tile) = self.tiles.get(number) else { return };
            for (turn, Iteration { place, point, .. }) in (0..).zip(each) {
                self.where_border(b, here, (number % 2, turn), |b| {
                    let value = self.frame.load(b, number % 2, &point);
                    let at = self.tile_at(b, (here, number, number), place, [0; 3]);
                    AffineStoreOp::create(b, value, tile, &at);
                    self.keep(b, computed, turn, value);
                });
            }
        };
        let beyond = |b: &mut Builder<'_>| {
            self.border_plane(b, (here, number), plane, computed);
        };
        self.at_plane(b, (here, number, plane), inside, beyond);
    }

    fn sweep(&self, number: usize) -> &Sweep {
        &self.frame.sweeps.each[(number + 1) % 2]
    }

    /// Iterations of a sweep, independent of each other: each operation is made for all of them before the next one, so that
    /// what several read is read once.
    fn iterations(
        &self,
        b: &mut Builder<'_>,
        (here, number): (Here, usize),
        (window, computed): (Option<Value>, Option<Value>),
        each: &mut [Iteration],
    ) {
        let sweep = self.sweep(number);
        for &op in &sweep.body {
            for (turn, Iteration { place, map, point }) in (0..).zip(&mut *each) {
                if let Some(read) = sweep.reads.iter().find(|read| read.op == op) {
                    let own = window.zip(self.in_window(sweep, read.offset, turn));
                    let value = match own {
                        Some((window, at)) => {
                            let at = constants(b, &at);
                            AffineLoadOp::create(b, window, &at)
                        }
                        None => {
                            let from = (here, number - 1, number);
                            let at = self.tile_at(b, from, *place, read.offset);
                            AffineLoadOp::create(b, self.tiles[number - 1], &at)
                        }
                    };
                    let result = b.result(op, 0);
                    map.insert(result, value);
                } else if op == sweep.store {
                    let value = map.get(b.operand(op, 0));
                    // Alone, it is known to be an iteration.
                    let inside = here.whole || window.is_none();
                    self.result(b, (here, number), value, (*place, point, inside));
                    self.keep(b, computed, turn, value);
                } else {
                    let copy = b.clone_op(op, map);
                    b.insert(copy);
                }
            }
        }
    }

    /// What was computed for a place: the next sweep's, also where it is no iteration, or what the launch leaves where it is right.
    fn result(
        &self,
        b: &mut Builder<'_>,
        (here, number): (Here, usize),
        value: Value,
        (place, point, inside): ([Value; 2], &[Value], bool),
    ) {
        if let Some(&tile) = self.tiles.get(number) {
            let at = self.tile_at(b, (here, number, number), place, [0; 3]);
            AffineStoreOp::create(b, value, tile, &at);
            return;
        }
        self.frame.where_right(b, 1, &place[1..], |b| {
            self.frame.where_right(b, 0, &place[..1], |b| {
                self.where_in_plane(b, point, inside, |b| {
                    let to = self.frame.own(b, 1 - self.frame.from, point);
                    let buffer = self.frame.sweeps.fields[1 - self.frame.from].buffer;
                    AffineStoreOp::create(b, value, buffer, &to);
                });
            });
        });
    }
}

/// More planes than there are.
const NEVER: i64 = 1 << 40;
