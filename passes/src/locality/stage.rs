//! Copying a tile of a buffer into memory of the block, by all its threads together.
//!
//! Neighbouring threads copy neighbouring elements; along a depth that is contiguous, as many of them
//! as a sector of memory has elements, so that each row of a warp's request is one whole sector and
//! the transposed tile, its rows a few elements longer than they need to be, takes them in without a
//! bank conflict (Li et al. 2016, 3.4: padding).

use std::slice;

use gpuc_arch::SECTOR_BYTES;
use gpuc_dialects::affine::{
    AffineApplyOp, AffineIfOp, AffineLoadOp, AffineStoreOp, AffineValue, AffineVectorLoadOp,
    AffineVectorStoreOp,
};
use gpuc_dialects::vector::extract;
use gpuc_dialects::{arith, memref, nvvm};
use gpuc_ir::{AffineExpr, Builder, OpView, Type, Value, ValueMap};

use super::blocks::block_memory;
use super::contraction::{Contraction, Staged};
use super::coordinates::{Edge, Exprs, apply, below_edges, load_held};
use super::sum::{End, Widest, holds, last_below, least};
use super::tile_plan::TilePlan;
use crate::analysis::polynomial::Polynomial;

/// Bytes of a wide copy.
pub const WIDE_BYTES: i64 = 16;

/// A tile of a load in memory of the block: `[depth][along]`, or `[depth]`.
#[derive(Clone, Debug)]
pub struct Tile {
    /// The load that it stands for.
    pub load: Staged,
    /// Rows or columns; 1 where neither matters.
    pub along: i64,
    /// Terms.
    pub depth: i64,
    /// Elements between the ends of rows.
    pub padding: i64,
    /// Whether it is copied 16 bytes at a time where all of it is there.
    pub wide: bool,
    /// Runs of terms that its buffer has room for.
    pub stages: i64,
}

impl Tile {
    /// The tile of a load in a plan.
    pub fn new(load: &Staged, plan: &TilePlan, wide: bool) -> Tile {
        let along = match (load.uses.row, load.uses.column) {
            (true, _) => plan.block[0],
            (_, true) => plan.block[1],
            _ => 1,
        };
        let padding = if load.contiguous_depth && along > 1 { WIDE_BYTES / 4 } else { 0 };
        Tile { load: load.clone(), along, depth: plan.depth, padding, wide, stages: plan.stages }
    }

    /// Bytes in memory of the block.
    pub fn bytes(&self) -> i64 {
        (self.along + self.padding) * self.depth * self.stages * self.load.bytes
    }

    fn rank(&self) -> usize {
        1 + usize::from(self.along > 1)
    }

    /// Rows and columns of the buffer, and what it holds.
    fn buffer(&self) -> ([i64; 2], Type) {
        ([self.stages * self.depth, self.along + self.padding], self.load.element)
    }

    /// Which of the buffers each of some tiles has: those of one sum after another may have the same.
    pub fn share(tiles: &[Tile]) -> Vec<usize> {
        let mut first: Vec<usize> = Vec::new();
        for (at, tile) in tiles.iter().enumerate() {
            let is_free = |&buffer: &usize| {
                let users = (0..at).filter(|&other| first[other] == buffer);
                tiles[buffer].buffer() == tile.buffer()
                    && users.into_iter().all(|other| tiles[other].load.sum != tile.load.sum)
            };
            let shared = (0..at).filter(|&other| first[other] == other).find(is_free);
            first.push(shared.unwrap_or(at));
        }
        first
    }

    /// The buffer.
    pub fn allocate(&self, b: &mut Builder<'_>) -> Value {
        let (shape, element) = self.buffer();
        block_memory(b, &shape[..self.rank()], element)
    }

    /// Elements of a row of the buffer for so many rows or columns of the nest from one on: one access, which must be on a multiple of its length.
    pub fn elements(
        &self,
        b: &mut Builder<'_>,
        buffer: Value,
        row: Value,
        along: Value,
        count: i64,
    ) -> Vec<Value> {
        let map = b.ctx.identity_map(self.rank() as u32);
        let at = AffineValue::new(map, &[row, along][..self.rank()]);
        if count == 1 || self.rank() == 1 {
            return vec![AffineLoadOp::create(b, buffer, &at); count as usize];
        }
        let element = b.ty(b.result(self.load.op, 0));
        let ty = b.ctx.vector(&[count], element);
        let map = b.ctx.map_attr(at.map);
        let run = AffineVectorLoadOp::new(b, buffer, &at.operands).attr(b, "map", map).result(ty);
        let run = run.value(b);
        (0..count).map(|position| extract(b, run, position)).collect()
    }

    /// How threads are dealt over it: extents from the fastest, in copies of `width` elements.
    fn extents(&self, width: i64) -> Vec<i64> {
        if !self.load.contiguous_depth {
            return vec![self.along / width, self.depth];
        }
        if self.along == 1 {
            return vec![self.depth / width];
        }
        let sector = (i64::from(SECTOR_BYTES) / self.load.bytes).min(self.depth);
        vec![sector / width, self.along, self.depth / sector]
    }

    /// Elements in one copy.
    fn width(&self, wide: bool) -> i64 {
        if wide { WIDE_BYTES / self.load.bytes } else { 1 }
    }

    /// Whether threads can be dealt over it evenly.
    pub fn divides(&self, threads: i64) -> bool {
        [false, self.wide].into_iter().all(|wide| {
            let extents = self.extents(self.width(wide));
            extents.iter().all(|&extent| extent > 0 && (extent as u64).is_power_of_two())
                && (threads as u64).is_power_of_two()
        })
    }
}

/// Where a tile is copied from.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The nest.
    pub nest: &'a Contraction,
    /// The variables of the nest at the tile's corner, and others.
    pub corner: &'a ValueMap,
    /// Variables of which the tile may go beyond the last iteration.
    pub edges: &'a [Edge],
    /// Where rows and columns have most terms, where only some of them have those of this tile; copies are not wide then.
    pub widest: Option<&'a Widest>,
    /// Whether copies may be wide.
    pub wide: bool,
    /// The row of a ring of tiles at which they begin, carried out in the background; `None`: at the first row, at once.
    pub row: Option<Value>,
}

/// Copies a tile: thread number `thread` of `threads` does its part.
pub fn copy(
    b: &mut Builder<'_>,
    tile: &Tile,
    buffer: Value,
    source: &Source<'_>,
    thread: Value,
    threads: i64,
) {
    let wide = source.wide && tile.wide;
    let width = tile.width(wide);
    let extents = tile.extents(width);
    let total: i64 = extents.iter().product();
    if total < threads {
        let number = b.ctx.dim_expr(0);
        let last = b.ctx.constant_expr(total - 1);
        let room = b.ctx.sub_expr(last, number);
        let set = b.ctx.integer_set(1, 0, &[(room, false)]);
        AffineIfOp::create(b, set, &[thread], |b| {
            let numbers = deal(b, &extents, thread, total, 0);
            one_copy(b, tile, buffer, source, wide, &numbers);
        });
        return;
    }
    for turn in 0..total / threads {
        let numbers = deal(b, &extents, thread, threads, turn);
        one_copy(b, tile, buffer, source, wide, &numbers);
    }
}

/// Which element of each extent thread `thread` takes in a turn; the first extent varies fastest.
fn deal(
    b: &mut Builder<'_>,
    extents: &[i64],
    thread: Value,
    threads: i64,
    turn: i64,
) -> Vec<Value> {
    let (mut faster, mut turn) = (1, turn);
    let mut numbers = Vec::new();
    for &extent in extents {
        // Of this extent, the threads cover so many at once; turns cover the rest.
        let covered = (threads / faster).clamp(1, extent);
        let turns = extent / covered;
        let first = (turn % turns) * covered;
        let whole = faster * covered >= threads;
        let stride = faster;
        numbers.push(apply(b, &[thread], |b, dims| {
            let first = b.ctx.constant_expr(first);
            if covered == 1 {
                return first;
            }
            let stride = b.ctx.constant_expr(stride);
            let mut number = b.ctx.floordiv_expr(dims[0], stride);
            if !whole {
                let covered = b.ctx.constant_expr(covered);
                number = b.ctx.mod_expr(number, covered);
            }
            b.ctx.add_expr(number, first)
        }));
        turn /= turns;
        faster *= covered;
    }
    numbers
}

/// One element, or one run of them.
fn one_copy(
    b: &mut Builder<'_>,
    tile: &Tile,
    buffer: Value,
    source: &Source<'_>,
    wide: bool,
    numbers: &[Value],
) {
    let width = tile.width(wide);
    let scaled = |b: &mut Builder<'_>, number: Value, factor: i64| {
        apply(b, &[number], |b, dims| {
            let factor = b.ctx.constant_expr(factor);
            b.ctx.mul_expr(dims[0], factor)
        })
    };
    let (depth, along) = match *numbers {
        [depth] => (scaled(b, depth, width), None),
        [along, depth] => (depth, Some(scaled(b, along, width))),
        [first, along, group] => {
            let sector = tile.extents(width)[0] * width;
            let depth = apply(b, &[first, group], |b, dims| {
                let [width, sector] = [width, sector].map(|n| b.ctx.constant_expr(n));
                let first = b.ctx.mul_expr(dims[0], width);
                let group = b.ctx.mul_expr(dims[1], sector);
                b.ctx.add_expr(first, group)
            });
            (depth, Some(along))
        }
        _ => return,
    };
    let at = |b: &mut Builder<'_>, further: i64| {
        let mut exprs = Exprs::default();
        let depth = exprs.value(b, depth);
        let further = b.ctx.constant_expr(further);
        let mut results: Vec<AffineExpr> = vec![b.ctx.add_expr(depth, further)];
        if let Some(row) = source.row {
            let row = exprs.value(b, row);
            results[0] = b.ctx.add_expr(results[0], row);
        }
        results.extend(along.map(|along| exprs.value(b, along)));
        exprs.finish(b, &results[..tile.rank()])
    };
    let place = place(b, tile, source, depth, along);
    let from = match source.widest {
        Some(widest) => element_asked_for(b, tile, source, widest, &place),
        None => element(b, tile, source, wide, &place),
    };
    let background = source.row.map(|_| b.ctx.unit_attr());
    if !wide {
        let at = at(b, 0);
        let store = AffineStoreOp::create(b, from, buffer, &at);
        if let Some(background) = background {
            b.set_attr(store.op(), nvvm::ASYNC, background);
        }
    } else if tile.load.contiguous_depth {
        for further in 0..width {
            let element = extract(b, from, further);
            let at = at(b, further);
            AffineStoreOp::create(b, element, buffer, &at);
        }
    } else {
        let at = at(b, 0);
        let map = b.ctx.map_attr(at.map);
        let store = AffineVectorStoreOp::new(b, from, buffer, &at.operands).attr(b, "map", map);
        store.attr_option(b, nvvm::ASYNC, background).build(b);
    }
}

/// Loads an element of a tile of which only some results have the terms: where none asks for it, some element that one of them does ask
/// for, so that no load waits for a branch. What comes of it is not taken.
fn element_asked_for(
    b: &mut Builder<'_>,
    tile: &Tile,
    source: &Source<'_>,
    widest: &Widest,
    place: &ValueMap,
) -> Value {
    let Staged { op, sum, uses, ref subscripts, .. } = tile.load;
    let [row, column, variable] = source.nest.variables(b, sum);
    let range = &source.nest.sums[sum].range;
    let (sides, term) = ([row, column], place.get(variable));
    let mut map = place.clone();
    let held = range.held(b, &widest.places(sides, [None; 2], source.corner), term);
    map.insert(variable, held);
    for (side, is_used) in [uses.row, uses.column].into_iter().enumerate() {
        if !is_used {
            continue;
        }
        let own = place.get(sides[side]);
        let edge = source.edges.iter().find(|edge| edge.variable == sides[side]);
        let value = if range.widest[side] == End::Any {
            let last = edge.map(|edge| last_below(b, &edge.upper));
            last.map_or(own, |last| least(b, &[own, last]))
        } else {
            let mut known = [None; 2];
            known[side] = Some(own);
            let mut exprs = Exprs::default();
            let places = widest.places(sides, known, source.corner);
            let mut asked = range.has(b, &mut exprs, &places, term);
            asked.extend(below_edges(b, &mut exprs, place, edge.map_or(&[], slice::from_ref)));
            let there = holds(b, exprs, &asked);
            let other = least(b, &widest.0[side]);
            there.map_or(own, |there| arith::SelectOp::new(b, there, own, other).value(b))
        };
        map.insert(sides[side], value);
    }
    let at = |form: &Polynomial| {
        let mut exprs = Exprs::default();
        let at = exprs.form(b, form, &map);
        let at = exprs.finish(b, &[at]);
        AffineApplyOp::create(b, &at)
    };
    let indices: Vec<Value> = subscripts.iter().map(at).collect();
    let buffer = map.get(b.operand(op, 0));
    memref::LoadOp::new(b, buffer, &indices).value(b)
}

/// The nest's variables at a place of the tile.
fn place(
    b: &mut Builder<'_>,
    tile: &Tile,
    source: &Source<'_>,
    depth: Value,
    along: Option<Value>,
) -> ValueMap {
    let [row, column, term] = source.nest.variables(b, tile.load.sum);
    let mut map = source.corner.clone();
    let moved = |b: &mut Builder<'_>, variable: Value, by: Value| {
        let corner = source.corner.get(variable);
        apply(b, &[corner, by], |b, dims| b.ctx.add_expr(dims[0], dims[1]))
    };
    let at = moved(b, term, depth);
    map.insert(term, at);
    if let Some(along) = along {
        let variable = if tile.load.uses.row { row } else { column };
        let at = moved(b, variable, along);
        map.insert(variable, at);
    }
    map
}

/// Loads what the nest's load gives at a place of the tile.
fn element(
    b: &mut Builder<'_>,
    tile: &Tile,
    source: &Source<'_>,
    wide: bool,
    map: &ValueMap,
) -> Value {
    let [row, column, term] = source.nest.variables(b, tile.load.sum);
    let mut edges = source.edges.to_vec();
    if wide {
        let contiguous =
            if tile.load.contiguous_depth { term } else { column_of(tile, row, column) };
        for edge in edges.iter_mut().filter(|edge| edge.variable == contiguous) {
            edge.behind = tile.width(true) - 1;
        }
    }
    let width = wide.then(|| tile.width(true));
    load_held(b, tile.load.op, &tile.load.subscripts, map, &edges, width)
}

fn column_of(tile: &Tile, row: Value, column: Value) -> Value {
    if tile.load.uses.row { row } else { column }
}
