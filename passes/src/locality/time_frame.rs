//! What every way to execute several rounds of two sweeps in a block knows: where the block's tile is, which of its places are
//! iterations, and what lies beyond those.

use gpuc_dialects::affine::{AffineForOp, AffineLoadOp, AffineValue};
use gpuc_dialects::llvm;
use gpuc_ir::{AffineExpr, Builder, OpView, Value, ValueMap};

use super::coordinates::{Exprs, apply, below, where_all, where_all_else};
use super::time_plan::TimePlan;
use super::time_sweeps::{Sweep, Sweeps};

/// A block's tile of two sweeps.
pub(super) struct Frame<'a> {
    pub sweeps: &'a Sweeps,
    pub plan: TimePlan,
    /// The field whose array has what is alive when the launch begins; the other one's has it at the end.
    pub from: usize,
    /// The dimensions' variables at the first iteration of the core.
    pub corner: Vec<Value>,
    /// Rows and columns at each side that are not right at the end.
    pub margins: [i64; 2],
    /// Rows and columns round the tile that are read.
    pub rim: [i64; 2],
}

impl<'a> Frame<'a> {
    pub fn new(sweeps: &'a Sweeps, plan: TimePlan, from: usize, corner: &ValueMap) -> Frame<'a> {
        let corner = sweeps.dims.iter().map(|dim| corner.get(dim.variable)).collect();
        let rim = [0, 1].map(|side| sweeps.rim(side));
        Frame { sweeps, plan, from, corner, margins: plan.margins(sweeps), rim }
    }

    /// Code for blocks all rows and columns of which, the rim among them, are iterations, and for others.
    pub fn choice(&self, b: &mut Builder<'_>, body: impl Fn(&mut Builder<'_>, bool)) {
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
        where_all_else(b, exprs, &room, |b| body(b, true), |b| body(b, false));
    }

    /// The dimensions' variables at a place of the tile, counted from the first that threads execute; `plane` is the variable
    /// of planes there.
    pub fn point(
        &self,
        b: &mut Builder<'_>,
        place: [Value; 2],
        plane: Option<Value>,
    ) -> Vec<Value> {
        let mut point = self.corner.clone();
        for side in 0..2 {
            let at = &mut point[self.sweeps.tiled[side]];
            *at = apply(b, &[*at, place[side]], |b, dims| {
                let further = b.ctx.constant_expr(-self.margins[side]);
                let at = b.ctx.add_expr(dims[0], dims[1]);
                b.ctx.add_expr(at, further)
            });
        }
        if let Some((dim, plane)) = self.sweeps.planes.zip(plane) {
            point[dim] = plane;
        }
        point
    }

    /// That a point, moved by some rows, columns and planes, is an iteration.
    pub fn inside(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        point: &[Value],
        further: [i64; 3],
    ) -> Vec<(AffineExpr, bool)> {
        let rows = self.sweeps.has_rows.then_some(self.sweeps.tiled[0]);
        let dims = [rows, Some(self.sweeps.tiled[1]), self.sweeps.planes];
        let mut room = Vec::new();
        for (dim, further) in dims.into_iter().zip(further) {
            let Some(dim) = dim else { continue };
            let at = exprs.value(b, point[dim]);
            let further = b.ctx.constant_expr(further);
            let at = b.ctx.add_expr(at, further);
            room.extend(self.within(b, exprs, dim, at));
        }
        room
    }

    /// That a value is one of a dimension's iterations.
    pub fn within(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        dim: usize,
        at: AffineExpr,
    ) -> [(AffineExpr, bool); 2] {
        let dim = &self.sweeps.dims[dim];
        let (lower, upper) = (exprs.bound(b, &dim.lower), exprs.bound(b, &dim.upper));
        [(b.ctx.sub_expr(at, lower), false), below(b, at, upper)]
    }

    /// A point's own element of a field.
    pub fn own(&self, b: &mut Builder<'_>, field: usize, point: &[Value]) -> AffineValue {
        let mut map = ValueMap::new();
        for (dim, &at) in self.sweeps.dims.iter().zip(point) {
            map.insert(dim.variable, at);
        }
        let mut exprs = Exprs::default();
        let forms = self.sweeps.fields[field].own.iter();
        let results: Vec<AffineExpr> = forms.map(|form| exprs.form(b, form, &map)).collect();
        exprs.finish(b, &results)
    }

    pub fn load(&self, b: &mut Builder<'_>, field: usize, point: &[Value]) -> Value {
        let at = self.own(b, field, point);
        AffineLoadOp::create(b, self.sweeps.fields[field].buffer, &at)
    }

    /// Loads what no sweep writes at a point that is no iteration, where an iteration reads it of a field.
    pub fn border(
        &self,
        b: &mut Builder<'_>,
        field: usize,
        point: &[Value],
        sink: impl Fn(&mut Builder<'_>, Value),
    ) {
        for offset in self.sweeps.offsets(field) {
            let mut exprs = Exprs::default();
            let reader = offset.map(|further| -further);
            let room = self.inside(b, &mut exprs, point, reader);
            where_all(b, exprs, &room, |b| {
                let value = self.load(b, field, point);
                sink(b, value);
            });
        }
    }

    /// Code for points that are iterations, and for others.
    pub fn where_inside(
        &self,
        b: &mut Builder<'_>,
        point: &[Value],
        inside: impl FnOnce(&mut Builder<'_>),
        beyond: impl FnOnce(&mut Builder<'_>),
    ) {
        let mut exprs = Exprs::default();
        let room = self.inside(b, &mut exprs, point, [0; 3]);
        where_all_else(b, exprs, &room, inside, beyond);
    }

    /// Every place of the tile and its rim, of a thread: rows in turn, and of each the columns of the threads and those behind, so
    /// that nobody divides.
    pub fn over_shape(
        &self,
        b: &mut Builder<'_>,
        thread: [Value; 2],
        whole: bool,
        body: impl Fn(&mut Builder<'_>, [Value; 2]),
    ) {
        let threads = self.plan.threads();
        let [rows, columns] = self.plan.shape(self.sweeps);
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
            let column = apply(b, &thread[1..], |b, dims| {
                let further = b.ctx.constant_expr(first - self.rim[1]);
                b.ctx.add_expr(dims[0], further)
            });
            let ends = [rows - 1 - self.rim[0], columns - 1 - self.rim[1]];
            let wanted = (first + threads[1] > columns).then_some((column, ends[1]));
            at_most(b, wanted, |b| {
                if !whole {
                    return self.turns(b, turns, |b, turn| {
                        let row = row(b, &[thread[0], turn], 0);
                        at_most(b, Some((row, ends[0])), |b| body(b, [row, column]));
                    });
                }
                for turn in 0..turns {
                    let row = row(b, &thread[..1], turn);
                    let beyond = (turn + 1) * threads[0] > rows;
                    at_most(b, beyond.then_some((row, ends[0])), |b| body(b, [row, column]));
                }
            });
        }
    }

    /// A thread's places, one below the other.
    pub fn places(&self, b: &mut Builder<'_>, thread: [Value; 2]) -> Vec<[Value; 2]> {
        let turns = 0..self.plan.rows_each;
        turns.map(|turn| [self.row(b, thread[0], None, turn), thread[1]]).collect()
    }

    /// A thread's places of the rim, by number: rows above and below that are its own to load, and columns at both sides, which all
    /// threads share by their number.
    pub fn rim_places(
        &self,
        b: &mut Builder<'_>,
        thread: [Value; 2],
        body: impl Fn(&mut Builder<'_>, i64, [Value; 2]),
    ) {
        let TimePlan { tile, .. } = self.plan;
        let threads = self.plan.threads();
        let [rim_rows, rim_columns] = self.rim;
        let [thread_row, column] = thread;
        let mut number = 0;
        for first in (0..rim_rows).step_by(threads[0] as usize) {
            for further in [first - rim_rows, first + tile[0]] {
                let left = rim_rows - first;
                let row = moved(b, thread_row, further);
                at_most(b, (left < threads[0]).then_some((thread_row, left - 1)), |b| {
                    body(b, number, [row, column]);
                });
                number += 1;
            }
        }
        let (count, all) = (threads[0] * threads[1], (tile[0] + 2 * rim_rows) * 2 * rim_columns);
        let in_block = apply(b, &thread, |b, dims| {
            let columns = b.ctx.constant_expr(threads[1]);
            let rows = b.ctx.mul_expr(dims[0], columns);
            b.ctx.add_expr(rows, dims[1])
        });
        for first in (0..all).step_by(count as usize) {
            let at = moved(b, in_block, first);
            let row = apply(b, &[at], |b, dims| {
                let [sides, up] = [2 * rim_columns, -rim_rows].map(|n| b.ctx.constant_expr(n));
                let row = b.ctx.floordiv_expr(dims[0], sides);
                b.ctx.add_expr(row, up)
            });
            let column = apply(b, &[at], |b, dims| {
                let [rim, sides, back, across] =
                    [rim_columns, 2 * rim_columns, -rim_columns, tile[1]]
                        .map(|n| b.ctx.constant_expr(n));
                let side = b.ctx.mod_expr(dims[0], sides);
                let beyond = b.ctx.floordiv_expr(side, rim);
                let beyond = b.ctx.mul_expr(beyond, across);
                let column = b.ctx.add_expr(side, beyond);
                b.ctx.add_expr(column, back)
            });
            let left = all - first;
            at_most(b, (left < count).then_some((in_block, left - 1)), |b| {
                body(b, number, [row, column]);
            });
            number += 1;
        }
    }

    /// A loop that stays one.
    pub fn turns(
        &self,
        b: &mut Builder<'_>,
        turns: i64,
        body: impl FnOnce(&mut Builder<'_>, Value),
    ) {
        let [lower, upper] = [0, turns].map(|end| AffineValue::constant(&mut b.ctx, end));
        let turns = AffineForOp::create(b, &lower, &upper, 1, &[], |b, turn, _| {
            body(b, turn);
            Vec::new()
        });
        keep_rolled(b, turns);
    }

    /// A thread's row of so many of its own.
    pub fn row(
        &self,
        b: &mut Builder<'_>,
        thread: Value,
        turn: Option<Value>,
        further: i64,
    ) -> Value {
        let values: Vec<Value> = [Some(thread), turn].into_iter().flatten().collect();
        apply(b, &values, |b, dims| {
            let each = b.ctx.constant_expr(self.plan.rows_each);
            let first = b.ctx.mul_expr(dims[0], each);
            let further = b.ctx.constant_expr(further);
            let first = b.ctx.add_expr(first, further);
            dims[1..].iter().fold(first, |sum, &dim| b.ctx.add_expr(sum, dim))
        })
    }

    /// Code where rows (side 0) or columns (side 1) are right to the end.
    pub fn where_right(
        &self,
        b: &mut Builder<'_>,
        side: usize,
        places: &[Value],
        body: impl FnOnce(&mut Builder<'_>),
    ) {
        let (exprs, room) = self.right(b, side, places);
        where_all(b, exprs, &room, body);
    }

    /// The same, and code for where not all of them are.
    pub fn where_right_else(
        &self,
        b: &mut Builder<'_>,
        side: usize,
        places: &[Value],
        [body, other]: [&dyn Fn(&mut Builder<'_>); 2],
    ) {
        let (exprs, room) = self.right(b, side, places);
        where_all_else(b, exprs, &room, body, other);
    }

    fn right(
        &self,
        b: &mut Builder<'_>,
        side: usize,
        places: &[Value],
    ) -> (Exprs, Vec<(AffineExpr, bool)>) {
        let (mut exprs, mut room) = (Exprs::default(), Vec::new());
        let margin = self.margins[side];
        for &place in places.iter().filter(|_| margin > 0) {
            let at = exprs.value(b, place);
            let [first, last] =
                [margin, self.plan.tile[side] - margin - 1].map(|end| b.ctx.constant_expr(end));
            room.push((b.ctx.sub_expr(at, first), false));
            room.push((b.ctx.sub_expr(last, at), false));
        }
        (exprs, room)
    }
}

/// What stands for a sweep's variables at a point.
pub(super) fn at(sweep: &Sweep, point: &[Value]) -> ValueMap {
    let mut map = ValueMap::new();
    for (&variable, &at) in sweep.variables.iter().zip(point) {
        map.insert(variable, at);
    }
    map
}

/// Runs code where a value is not beyond a number, if one is given.
pub(super) fn at_most(
    b: &mut Builder<'_>,
    wanted: Option<(Value, i64)>,
    body: impl FnOnce(&mut Builder<'_>),
) {
    let mut exprs = Exprs::default();
    let room = wanted.map(|(value, last)| {
        let value = exprs.value(b, value);
        let last = b.ctx.constant_expr(last);
        (b.ctx.sub_expr(last, value), false)
    });
    where_all(b, exprs, room.as_slice(), body);
}

/// Lets a loop stay one: what stands in it is long.
pub(super) fn keep_rolled(b: &mut Builder<'_>, view: AffineForOp) {
    let annotation = llvm::no_unroll(&mut b.ctx);
    b.set_attr(view.op(), llvm::LOOP_ANNOTATION, annotation);
}

/// A number moved by another one.
fn moved(b: &mut Builder<'_>, value: Value, further: i64) -> Value {
    apply(b, &[value], |b, dims| {
        let further = b.ctx.constant_expr(further);
        b.ctx.add_expr(dims[0], further)
    })
}
