//! A contraction as blocks of tiles: the nest that a plan describes.
//!
//! ```text
//! for each block of rows and columns
//!   tiles in memory of the block; sums of each thread, which become registers
//!   for each loop that sums:
//!     for each thread:  its sums start
//!     for each run of terms
//!       all threads:    copy the tiles
//!       for each thread, for each term: the outer product of its rows and columns
//!   for each thread:  what is behind the sums, for the results that there are
//! ```
//!
//! Terms are added in the order that the nest has, so that every bit stays. A block at the edge copies
//! its last row or column several times instead of asking for each element whether it is there; what
//! comes of that is not stored. Where results have different terms, those of a triangle, runs that not all of a block's have are
//! copied as far as one of them has the term, and what comes of a term that a result has not is not taken.

use gpuc_dialects::affine::{
    AffineApplyOp, AffineForOp, AffineIfOp, AffineParallelOp, AffineValue,
};
use gpuc_dialects::offload::mapping::{
    Axis, DimMap, Distribution, LoopMapping, MAPPING_ATTR, Size,
};
use gpuc_dialects::{arith, gpu, llvm, nvvm};
use gpuc_ir::{Builder, Op, OpView, Value, ValueMap};

use super::band::Bound;
use super::blocks::thread_memory;
use super::contraction::Contraction;
use super::coordinates::{Edge, Exprs, apply};
use super::stage::{Source, Tile, copy};
use super::sum::{Sum, Widest};
use super::tile_plan::TilePlan;

mod products;
mod results;
mod slanted;

/// What a plan makes of a contraction.
pub struct Emitter<'a> {
    nest: &'a Contraction,
    plan: TilePlan,
    tiles: Vec<Tile>,
    /// Accesses round the sum that are made for a run of columns at once.
    wide: Vec<Op>,
}

/// What code inside the block's loop knows.
struct Block {
    /// The nest's variables at the block's first result.
    corner: ValueMap,
    /// A buffer for each tile.
    buffers: Vec<Value>,
    /// What each loop carries, indexed by thread and by result.
    sums: Vec<Vec<Value>>,
}

/// A thread in its rows and columns of threads.
#[derive(Clone, Copy)]
struct Thread {
    row: Value,
    column: Value,
}

/// A term of a run.
#[derive(Clone, Copy)]
struct Turn {
    /// From the run's first.
    depth: Value,
    /// The row of the tiles' buffers that has its elements.
    row: Value,
}

/// A run of terms.
#[derive(Clone, Copy)]
struct Run<'r> {
    /// The loop that they are of.
    sum: usize,
    /// The first one.
    term: Value,
    /// The row of the ring at which its tiles begin, where they form one.
    row: Option<Value>,
    /// Where terms end, if it may be shorter than the tiles are deep.
    end: Option<&'r Bound>,
    /// Where most terms are, if some results have only some of them.
    widest: Option<&'r Widest>,
}

impl<'a> Emitter<'a> {
    /// Emits with these tiles, one for each staged load; `wide` are the accesses round the sum that
    /// may be made for [`Contraction::run_length`] columns at once.
    pub fn new(nest: &'a Contraction, plan: TilePlan, tiles: Vec<Tile>, wide: Vec<Op>) -> Self {
        Emitter { nest, plan, tiles, wide }
    }

    /// Builds the tiled nest at the builder's point.
    pub fn emit(&self, b: &mut Builder<'_>) -> Op {
        let mut order: Vec<usize> = (0..self.nest.dims.len())
            .filter(|&dim| dim != self.nest.row && dim != self.nest.column)
            .collect();
        order.extend([self.nest.row, self.nest.column]);
        let mut steps = vec![1; order.len()];
        let count = steps.len();
        steps[count - 2..].copy_from_slice(&self.plan.block);
        let bounds = |b: &mut Builder<'_>, upper: bool| {
            let mut exprs = Exprs::default();
            let results: Vec<_> = order
                .iter()
                .map(|&dim| {
                    let dim = &self.nest.dims[dim];
                    exprs.bound(b, if upper { &dim.upper } else { &dim.lower })
                })
                .collect();
            exprs.finish(b, &results)
        };
        let (lower, upper) = (bounds(b, false), bounds(b, true));
        let nest = AffineParallelOp::create(b, &lower, &upper, &steps, |b, variables| {
            let mut corner = ValueMap::new();
            for (&dim, &variable) in order.iter().zip(variables) {
                corner.insert(self.nest.dims[dim].variable, variable);
            }
            match self.nest.condition {
                Some(condition) => {
                    let operands: Vec<Value> = b.operands(condition.op()).collect();
                    if let Some(set) = condition.condition(b) {
                        AffineIfOp::create(b, set, &operands, |b| self.block_inside(b, corner));
                    }
                }
                None => self.block_inside(b, corner),
            }
        });
        let mapping = blocks(count).attr(&mut b.ctx);
        b.set_attr(nest.op(), MAPPING_ATTR, mapping);
        let blocks = b.ctx.i64_attr(self.plan.blocks_each);
        b.set_attr(nest.op(), nvvm::MIN_BLOCKS, blocks);
        nest.op()
    }

    /// What a block does that has a result: of a triangle not all blocks of the rectangle do.
    fn block_inside(&self, b: &mut Builder<'_>, corner: ValueMap) {
        if self.nest.is_rectangle() {
            return self.block(b, corner);
        }
        let mut exprs = Exprs::default();
        let mut room = Vec::new();
        let sides = self.nest.sides(&self.plan);
        for (dim, dimension) in self.nest.dims.iter().enumerate() {
            let Some(slanted) = &dimension.slanted else { continue };
            // The block's iterations of both dimensions at which the bounds leave most room.
            let other = self.nest.dims[slanted.on].variable;
            let [first, last] = [0, sides[slanted.on] - 1].map(|further| {
                let mut map = corner.clone();
                let at = apply(b, &[corner.get(other)], |b, dims| {
                    let further = b.ctx.constant_expr(further);
                    b.ctx.add_expr(dims[0], further)
                });
                map.insert(other, at);
                map
            });
            let own = exprs.value(b, corner.get(dimension.variable));
            let (upper, slant) = &slanted.upper;
            let upper = exprs.bound_at(b, upper, if *slant > 0 { &last } else { &first });
            let (lower, slant) = &slanted.lower;
            let lower = exprs.bound_at(b, lower, if *slant > 0 { &first } else { &last });
            let [one, side] = [-1, sides[dim] - 1].map(|n| b.ctx.constant_expr(n));
            let below = b.ctx.sub_expr(upper, own);
            room.push((b.ctx.add_expr(below, one), false));
            let above = b.ctx.sub_expr(own, lower);
            room.push((b.ctx.add_expr(above, side), false));
        }
        let operands = exprs.finish(b, &[]).operands;
        let set = b.ctx.integer_set(operands.len() as u32, 0, &room);
        AffineIfOp::create(b, set, &operands, |b| self.block(b, corner));
    }

    /// What a block does.
    fn block(&self, b: &mut Builder<'_>, corner: ValueMap) {
        let mut buffers = Vec::new();
        for (at, buffer) in Tile::share(&self.tiles).into_iter().enumerate() {
            let shared = buffers.get(buffer).copied();
            buffers.push(shared.unwrap_or_else(|| self.tiles[at].allocate(b)));
        }
        let shape: Vec<i64> = self.plan.threads().into_iter().chain(self.plan.thread).collect();
        let carried = |sum: &Sum| {
            let registers = sum.types.iter().map(|&element| thread_memory(b, &shape, element));
            registers.collect()
        };
        let sums = self.nest.sums.iter().map(carried).collect();
        let block = Block { corner, buffers, sums };
        for (sum, each) in self.nest.sums.iter().enumerate() {
            self.threads(b, |b, thread| self.start(b, &block, thread, sum));
            match each.range.is_fixed() {
                true => self.fixed_runs(b, &block, sum),
                false => self.slanted_runs(b, &block, sum),
            }
        }
        self.threads(b, |b, thread| self.finish(b, &block, thread));
    }

    /// The terms of a sum that are the same for all results: whole runs, and one over what is left.
    fn fixed_runs(&self, b: &mut Builder<'_>, block: &Block, sum: usize) {
        let range = &self.nest.sums[sum].range;
        let (first, end) = (&range.lower[0], &range.upper[0]);
        let run = |term: Value, end| Run { sum, term, row: None, end, widest: None };
        let [lower, whole, upper] = self.runs(b, first, end);
        match self.plan.stages {
            1 => {
                AffineForOp::create(b, &lower, &whole, self.plan.depth, &[], |b, term, _| {
                    self.run(b, block, run(term, None));
                    vec![]
                });
            }
            _ => {
                let end = if self.runs_fit(b, sum) { &upper } else { &whole };
                self.runs_in_background(b, block, sum, [&lower, end]);
            }
        }
        if !self.runs_fit(b, sum) {
            let mut exprs = Exprs::default();
            let start = exprs.bound(b, first);
            let whole = self.whole_runs(b, &mut exprs, first, end);
            let from = exprs.finish(b, &[start, whole]);
            AffineForOp::create(b, &from, &upper, self.plan.depth, &[], |b, term, _| {
                self.run(b, block, run(term, Some(end)));
                vec![]
            });
        }
    }

    /// `lower + (upper - lower) floordiv depth * depth`.
    fn whole_runs(
        &self,
        b: &mut Builder<'_>,
        exprs: &mut Exprs,
        lower: &Bound,
        upper: &Bound,
    ) -> gpuc_ir::AffineExpr {
        let (lower, upper) = (exprs.bound(b, lower), exprs.bound(b, upper));
        let depth = b.ctx.constant_expr(self.plan.depth);
        let span = b.ctx.sub_expr(upper, lower);
        let runs = b.ctx.floordiv_expr(span, depth);
        let length = b.ctx.mul_expr(runs, depth);
        b.ctx.add_expr(lower, length)
    }

    /// Where terms start, where whole runs of them end, and where they end.
    fn runs(&self, b: &mut Builder<'_>, first: &Bound, end: &Bound) -> [AffineValue; 3] {
        let single = |b: &mut Builder<'_>, bound: &Bound| {
            let mut exprs = Exprs::default();
            let result = exprs.bound(b, bound);
            exprs.finish(b, &[result])
        };
        let mut exprs = Exprs::default();
        let whole = self.whole_runs(b, &mut exprs, first, end);
        let whole = exprs.finish(b, &[whole]);
        [single(b, first), whole, single(b, end)]
    }

    /// Whether runs are known to cover all terms, or the host asks.
    fn runs_fit(&self, b: &Builder<'_>, sum: usize) -> bool {
        if self.plan.wants_whole_runs() {
            return true;
        }
        let trips = self.nest.sums[sum].op.constant_trip_count(b);
        trips.is_some_and(|trips| trips % self.plan.depth as u64 == 0)
    }

    /// A run of terms.
    fn run(&self, b: &mut Builder<'_>, block: &Block, run: Run<'_>) {
        self.fetch(b, block, run);
        gpu::BarrierOp::new(b, &[]).build(b);
        self.compute(b, block, run);
        gpu::BarrierOp::new(b, &[]).build(b);
    }

    /// Whole runs of terms, whose tiles are copied in the background while those before them are used: a ring of as many
    /// tiles as the plan has stages. A wait for the run's own copies and one barrier are all that stands between runs:
    /// behind it, nobody reads the tile of the run before, which the next copies go to. There are as many as stages at
    /// least, which the host has seen to.
    fn runs_in_background(
        &self,
        b: &mut Builder<'_>,
        block: &Block,
        sum: usize,
        [lower, whole]: [&AffineValue; 2],
    ) {
        let (stages, depth) = (self.plan.stages, self.plan.depth);
        let range = &self.nest.sums[sum].range;
        let (first, end) = (&range.lower[0], &range.upper[0]);
        let run = |term, row| Run { sum, term, row: Some(row), end: None, widest: None };
        for stage in 0..stages - 1 {
            let mut exprs = Exprs::default();
            let (start, further) = (exprs.bound(b, first), b.ctx.constant_expr(stage * depth));
            let term = b.ctx.add_expr(start, further);
            let term = exprs.finish(b, &[term]);
            let term = AffineApplyOp::create(b, &term);
            let row = arith::constant_index(b, stage * depth);
            self.fetch(b, block, run(term, row));
            nvvm::CpAsyncCommitGroupOp::new(b).build(b);
        }
        AffineForOp::create(b, lower, whole, depth, &[], |b, term, _| {
            let i32 = b.ctx.i32();
            let pending = b.ctx.int_attr((stages - 2).into(), i32);
            nvvm::CpAsyncWaitGroupOp::new(b).attr(b, "n", pending).build(b);
            gpu::BarrierOp::new(b, &[]).build(b);
            // A row of the ring, so many terms behind this one.
            let row = |b: &mut Builder<'_>, further: i64| {
                let mut exprs = Exprs::default();
                let (term, start) = (exprs.value(b, term), exprs.bound(b, first));
                let [further, rows] = [further, stages * depth].map(|n| b.ctx.constant_expr(n));
                let number = b.ctx.sub_expr(term, start);
                let number = b.ctx.add_expr(number, further);
                let row = b.ctx.mod_expr(number, rows);
                let row = exprs.finish(b, &[row]);
                AffineApplyOp::create(b, &row)
            };
            let ahead = (stages - 1) * depth;
            let mut exprs = Exprs::default();
            let (end, number) = (exprs.bound(b, end), exprs.value(b, term));
            let left = b.ctx.sub_expr(end, number);
            let further = if self.runs_fit(b, sum) { 1 } else { depth };
            let needed = b.ctx.constant_expr(-(ahead + further));
            let room = b.ctx.add_expr(left, needed);
            let operands = exprs.finish(b, &[]).operands;
            let set = b.ctx.integer_set(operands.len() as u32, 0, &[(room, false)]);
            AffineIfOp::create(b, set, &operands, |b| {
                let next = apply(b, &[term], |b, dims| {
                    let ahead = b.ctx.constant_expr(ahead);
                    b.ctx.add_expr(dims[0], ahead)
                });
                let row = row(b, ahead);
                self.fetch(b, block, run(next, row));
            });
            // One for each run, also where there is nothing left to copy: what is waited for is counted in groups.
            nvvm::CpAsyncCommitGroupOp::new(b).build(b);
            let row = row(b, 0);
            self.compute(b, block, run(term, row));
            vec![]
        });
    }

    /// The nest's variables at a run of terms, and the edges beyond which there is nothing.
    fn place_of_run(&self, b: &Builder<'_>, block: &Block, run: Run<'_>) -> (ValueMap, Vec<Edge>) {
        let mut corner = block.corner.clone();
        let [_, _, variable] = self.nest.variables(b, run.sum);
        corner.insert(variable, run.term);
        let mut edges = self.edges(b);
        edges.extend(run.end.map(|end| Edge { variable, upper: end.clone(), behind: 0 }));
        (corner, edges)
    }

    /// All threads copy the tiles of a run of terms: into the ring from a row on in the background, or at once.
    fn fetch(&self, b: &mut Builder<'_>, block: &Block, run: Run<'_>) {
        let (corner, edges) = self.place_of_run(b, block, run);
        let source = Source {
            nest: self.nest,
            corner: &corner,
            edges: &edges,
            widest: run.widest,
            wide: run.end.is_none() && run.widest.is_none(),
            row: run.row,
        };
        let threads = self.plan.thread_count();
        self.all_threads(b, |b, thread| {
            let own = self.tiles.iter().zip(&block.buffers);
            for (tile, &buffer) in own.filter(|(tile, _)| tile.load.sum == run.sum) {
                copy(b, tile, buffer, &source, thread, threads);
            }
        });
    }

    /// Each thread adds the products of a run of terms, whose tiles begin at a row of the buffers.
    fn compute(&self, b: &mut Builder<'_>, block: &Block, run: Run<'_>) {
        let (corner, edges) = self.place_of_run(b, block, run);
        let Run { term, row, end, widest, .. } = run;
        self.threads(b, |b, thread| {
            let lower = AffineValue::constant(&mut b.ctx, 0);
            let upper = match end {
                None => AffineValue::constant(&mut b.ctx, self.plan.depth),
                Some(end) => {
                    let mut exprs = Exprs::default();
                    let (end, term) = (exprs.bound(b, end), exprs.value(b, term));
                    let left = b.ctx.sub_expr(end, term);
                    exprs.finish(b, &[left])
                }
            };
            let products = AffineForOp::create(b, &lower, &upper, 1, &[], |b, depth, _| {
                let row = match row {
                    None => depth,
                    Some(row) => {
                        apply(b, &[row, depth], |b, dims| b.ctx.add_expr(dims[0], dims[1]))
                    }
                };
                let turn = Turn { depth, row };
                self.products(b, block, (&corner, &edges), thread, turn, run);
                vec![]
            });
            let straight = self.plan.straight_terms(self.nest.bytes_of_sums(b));
            let annotation = match (end, widest) {
                (None, None) if straight < self.plan.depth => llvm::unroll_by(&mut b.ctx, straight),
                (None, None) => llvm::full_unroll(&mut b.ctx),
                (None, Some(_)) => {
                    let terms = self.plan.straight_terms_in_part();
                    llvm::unroll_by(&mut b.ctx, terms)
                }
                (Some(_), _) => llvm::no_unroll(&mut b.ctx),
            };
            b.set_attr(products.op(), llvm::LOOP_ANNOTATION, annotation);
        });
    }

    /// The edges of the grid that tiles may reach beyond.
    fn edges(&self, b: &Builder<'_>) -> Vec<Edge> {
        let sides = [(self.nest.row, self.plan.block[0]), (self.nest.column, self.plan.block[1])];
        let open = sides.into_iter().filter(|&(dim, side)| !self.nest.dims[dim].divides(b, side));
        open.map(|(dim, _)| {
            let dim = &self.nest.dims[dim];
            Edge { variable: dim.variable, upper: dim.upper.clone(), behind: 0 }
        })
        .collect()
    }

    /// The results of a thread: their number and the row and column in the block, from its corner.
    fn results(&self) -> impl Iterator<Item = [i64; 2]> + use<> {
        let [rows, columns] = self.plan.thread;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [row, column]))
    }

    /// The row (side 0) or column (side 1) in the block of one of a thread's: runs as long as a wide
    /// access, so that a thread reads them at once and neighbours read what follows.
    fn place(&self, b: &mut Builder<'_>, side: usize, thread: Value, number: i64) -> Value {
        let run = self.nest.run_length(&self.plan, side);
        let span = run * self.plan.threads()[side];
        apply(b, &[thread], |b, dims| {
            let run_expr = b.ctx.constant_expr(run);
            let first = b.ctx.mul_expr(dims[0], run_expr);
            let further = b.ctx.constant_expr(number / run * span + number % run);
            b.ctx.add_expr(first, further)
        })
    }

    /// The nest's variables at a thread's result.
    fn at(&self, b: &mut Builder<'_>, block: &Block, thread: Thread, [r, c]: [i64; 2]) -> ValueMap {
        let mut map = block.corner.clone();
        let sides = [(0, self.nest.row, thread.row, r), (1, self.nest.column, thread.column, c)];
        for (side, dim, thread, number) in sides {
            let place = self.place(b, side, thread, number);
            let variable = self.nest.dims[dim].variable;
            let corner = block.corner.get(variable);
            let at = apply(b, &[corner, place], |b, dims| b.ctx.add_expr(dims[0], dims[1]));
            map.insert(variable, at);
        }
        map
    }

    /// Where a thread's sum of a result is.
    fn sum_at(&self, b: &mut Builder<'_>, thread: Thread, [r, c]: [i64; 2]) -> AffineValue {
        let (row, column) = (b.ctx.dim_expr(0), b.ctx.dim_expr(1));
        let (r, c) = (b.ctx.constant_expr(r), b.ctx.constant_expr(c));
        let map = b.ctx.map(2, 0, &[row, column, r, c]);
        AffineValue::new(map, &[thread.row, thread.column])
    }

    /// Code of each thread, by its row and column of threads.
    fn threads(&self, b: &mut Builder<'_>, body: impl FnOnce(&mut Builder<'_>, Thread)) {
        let sides = self.plan.threads();
        let dims = [1, 0].map(|axis| {
            let size = Size::Constant(sides[1 - axis as usize]);
            DimMap::over(&[(Axis::Thread(axis), size)], Distribution::Exact)
        });
        over_threads(b, &sides, LoopMapping(dims.to_vec()), |b, numbers| {
            body(b, Thread { row: numbers[0], column: numbers[1] });
        });
    }

    /// Code of each thread, by its number in the block.
    fn all_threads(&self, b: &mut Builder<'_>, body: impl FnOnce(&mut Builder<'_>, Value)) {
        let [rows, columns] = self.plan.threads().map(Size::Constant);
        let axes = [(Axis::Thread(1), rows), (Axis::Thread(0), columns)];
        let mapping = LoopMapping(vec![DimMap::over(&axes, Distribution::Exact)]);
        over_threads(b, &[self.plan.thread_count()], mapping, |b, numbers| body(b, numbers[0]));
    }
}

/// A loop over threads from 0.
pub(super) fn over_threads(
    b: &mut Builder<'_>,
    counts: &[i64],
    mapping: LoopMapping,
    body: impl FnOnce(&mut Builder<'_>, &[Value]),
) {
    let map = |b: &mut Builder<'_>, counts: &[i64]| {
        let results: Vec<_> = counts.iter().map(|&count| b.ctx.constant_expr(count)).collect();
        AffineValue { map: b.ctx.map(0, 0, &results), operands: Vec::new() }
    };
    let (lower, upper) = (map(b, &vec![0; counts.len()]), map(b, counts));
    let ones = vec![1; counts.len()];
    let threads = AffineParallelOp::create(b, &lower, &upper, &ones, body);
    let mapping = mapping.attr(&mut b.ctx);
    b.set_attr(threads.op(), MAPPING_ATTR, mapping);
}

/// Blocks over so many dimensions: the last on x, the one before on y, all others on z.
pub(super) fn blocks(count: usize) -> LoopMapping {
    let over = |axis: u8| DimMap::over(&[(Axis::Block(axis), Size::Free)], Distribution::Exact);
    let mut maps = Vec::new();
    if count == 3 {
        maps.push(over(2));
    } else if count > 3 {
        let axes = vec![(Axis::Block(2), Size::Free)];
        maps.push(DimMap { axes, how: Distribution::Strided, dims: count - 2 });
    }
    maps.extend([over(1), over(0)]);
    LoopMapping(maps)
}
