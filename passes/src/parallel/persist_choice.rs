//! With how many threads a loop persists in one block or in a grid, and up to which sizes: what a step takes there and in launches.
//!
//! In launches, each phase of a step costs a launch, and then has the whole device; in one block it costs a barrier, and has one
//! multiprocessor; in a grid whose blocks wait for each other a barrier of the grid, and the whole device. All are priced from what an iteration does, by the device's table: the dearest resource of the
//! multiprocessor, or the latency of one iteration where there are too few warps to hide it.

use gpuc_arch::{Arch, Demand, OpClass, Resource, SECTOR_BYTES, WARP_SIZE};
use gpuc_dialects::{arith, memref};
use gpuc_ir::op::Traits;
use gpuc_ir::{Ir, Op, WalkOrder};

use super::block_shape::row_length;
use super::segments::{has_effects, has_parallel_loop};
use crate::analysis::access::{Access, access};

/// Threads of the block that are tried.
const THREADS: [i64; 4] = [128, 256, 512, 1024];
/// Iterations of a launch that are looked at.
const MOST_ITERATIONS: i64 = 1 << 20;
/// What must be left of the time for one block to be taken: the estimate knows little of what overlaps.
const LEAST_GAIN: f64 = 0.8;
/// Of two sweeps in turns, which `block-time` may execute several times in a launch, the part of a launch that a sweep is left with:
/// on an H100, 0.5 us of 2.5 (benches/RESULTS.md).
const SHARED_LAUNCH: f64 = 0.2;
/// Instructions of a round besides those of its body: a number, a test, a jump.
const ROUND: f64 = 4.0;
/// Instructions of each warp in a phase, whether it has iterations or not: its first number, addresses, barriers and tests.
const PHASE: f64 = 32.0;

/// Blocks and threads, and the iterations up to which they pay: on average of a launch that is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Blocks: one, or those of a grid that wait for each other.
    pub blocks: i64,
    /// Threads of a block.
    pub threads: i64,
    /// Iterations.
    pub most: i64,
}

/// What a loop does in one of its steps, as far as the text says it.
#[derive(Debug)]
pub struct Step<'a> {
    arch: &'a Arch,
    /// Clocks of a launch, for each phase.
    launch: f64,
    /// What a warp needs for the dearest of the iterations.
    demand: Demand,
    /// Clocks that an iteration takes alone.
    latency: f64,
    /// What each warp needs for what all threads execute alike, for each phase.
    uniform: Demand,
    /// Dimensions that a parallel loop has at most.
    dims: usize,
    /// Clocks of that, and of combining what the threads have, for each phase.
    fixed: f64,
}

impl<'a> Step<'a> {
    /// The step of a loop round some parallel ones, which make so many phases; `swept` tells that they are two sweeps, of which a
    /// launch may execute several.
    pub fn of(
        ir: &Ir,
        time: Op,
        parallel: &[Op],
        (phases, swept): (i64, bool),
        arch: &'a Arch,
    ) -> Step<'a> {
        let launch = f64::from(arch.chip.launch_us) * f64::from(arch.chip.clock_mhz);
        let mut step = Step {
            arch,
            launch: if swept { SHARED_LAUNCH * launch } else { launch },
            demand: Demand::default(),
            latency: 0.0,
            uniform: Demand::default(),
            dims: parallel.iter().map(|&nest| dims(ir, nest)).max().unwrap_or(1),
            fixed: 0.0,
        };
        step.uniform.count(OpClass::IntAdd32, PHASE);
        let part = 1.0 / phases.max(1) as f64;
        for &nest in parallel {
            for body in innermost(ir, nest) {
                step.take_dearest(ir, nest, body);
            }
        }
        let mut repeat = |class: OpClass, times: f64| {
            step.uniform.count(class, part * times);
            step.fixed += part * times * f64::from(arch.cost(class).latency);
        };
        for op in ir.nested_ops(time, WalkOrder::PreOrder) {
            let is_inside = parallel.iter().any(|&nest| op == nest || ir.is_inside(op, nest));
            if is_inside || op == time || ir.has_trait(op, Traits::CONSTANT_LIKE) {
                continue;
            }
            if ir.memory_access(op).is_some() {
                repeat(OpClass::IntAdd32, 1.0);
                repeat(OpClass::LoadGlobal, 1.0);
            } else if let Some(class) = class(ir, op) {
                repeat(class, 1.0);
            }
        }
        // The threads of a block combine what they have: by shuffles, and once more what the warps have.
        let sums = parallel.iter().map(|&nest| ir.results(nest).len() as f64).sum::<f64>();
        let halvings = 2.0 * f64::from(WARP_SIZE.ilog2());
        for class in [OpClass::Shuffle, OpClass::Shuffle, OpClass::FloatAdd64, OpClass::Select32] {
            repeat(class, halvings * sums);
        }
        step.fixed += part * sums * 2.0 * f64::from(arch.latency.barrier);
        step
    }

    /// Of each resource what the dearest of the bodies needs.
    fn take_dearest(&mut self, ir: &Ir, nest: Op, body: Op) {
        let (demand, latency) = iteration(ir, nest, body, self.arch);
        let more = |all: &mut f64, one: f64| *all = all.max(one);
        self.demand.ops.iter_mut().zip(demand.ops).for_each(|(all, one)| more(all, one));
        more(&mut self.demand.lsu_clocks, demand.lsu_clocks);
        more(&mut self.demand.l2_bytes, demand.l2_bytes);
        more(&mut self.latency, latency);
    }

    /// Clocks of so many iterations on some multiprocessors with so many threads each.
    fn iterations(&self, count: f64, blocks: f64, threads: f64) -> f64 {
        let rounds = (count / (blocks * threads)).ceil();
        let warps = count / f64::from(WARP_SIZE) / blocks;
        (warps * self.dearest(&self.demand)).max(rounds * self.latency)
    }

    /// Clocks of the resource that is held longest.
    fn dearest(&self, demand: &Demand) -> f64 {
        let held = |resource| self.arch.clocks_of(demand, resource);
        Resource::ALL.into_iter().map(held).fold(0.0, f64::max)
    }

    /// Clocks of a phase in one block.
    pub fn in_block(&self, count: f64, threads: i64) -> f64 {
        let warps = threads as f64 / f64::from(WARP_SIZE);
        let uniform = self.dearest(&self.uniform) * warps;
        let barriers = 2.0 * f64::from(self.arch.latency.barrier);
        self.iterations(count, 1.0, threads as f64) + uniform + barriers + self.fixed
    }

    /// Clocks of a phase in a grid whose blocks wait for each other, one on each multiprocessor.
    pub fn in_grid(&self, count: f64, threads: i64) -> f64 {
        let chip = &self.arch.chip;
        let (blocks, threads) = (f64::from(chip.sm_count), threads as f64);
        let uniform = self.dearest(&self.uniform) * threads / f64::from(WARP_SIZE);
        let block_barriers = 2.0 * f64::from(self.arch.latency.barrier);
        let iterations = match self.dims {
            1 => {
                let busy = (count / threads).ceil().clamp(1.0, blocks);
                self.iterations(count, busy, threads)
            }
            // Blocks take rows, which are as long as there are rows in a plane.
            dims => {
                let length = count.powf(1.0 / dims as f64);
                let rows = (count / length / blocks).ceil();
                let warps = rows * (length / f64::from(WARP_SIZE)).ceil();
                let rounds = rows * (length / threads).ceil();
                (warps * self.dearest(&self.demand)).max(rounds * self.latency)
            }
        };
        iterations + uniform + block_barriers + chip.grid_barrier_clocks(blocks) + self.fixed
    }

    /// Clocks of a phase in what was chosen.
    fn in_choice(&self, count: f64, choice: Choice) -> f64 {
        match choice.blocks {
            1 => self.in_block(count, choice.threads),
            _ => self.in_grid(count, choice.threads),
        }
    }

    /// Clocks of a phase that is a launch.
    pub fn in_launch(&self, count: f64) -> f64 {
        let (chip, limits) = (&self.arch.chip, &self.arch.limits);
        let threads = row_length(self.arch, None) as f64;
        let blocks = (count / threads).ceil().clamp(1.0, f64::from(chip.sm_count));
        let most = f64::from(limits.max_warps_per_sm * limits.warp_size);
        self.launch + self.iterations(count, blocks, (count / blocks).clamp(threads, most))
    }

    /// The most iterations for which something holds that holds for fewer.
    fn most(&self, holds: impl Fn(f64) -> bool) -> i64 {
        let (mut least, mut most) = (0, MOST_ITERATIONS);
        while most - least > 1 {
            let middle = least + (most - least) / 2;
            *(if holds(middle as f64) { &mut least } else { &mut most }) = middle;
        }
        least
    }

    /// Of so many blocks those that take the least for the iterations of a launch, or, where those are not known, the smallest part of
    /// what launches take: the mean of all sizes, twice as many iterations each.
    fn best(&self, blocks: i64, count: Option<f64>) -> Option<Choice> {
        let limit = i64::from(self.arch.limits.max_threads_per_block);
        let all = THREADS.into_iter().filter(|&threads| threads <= limit).map(|threads| {
            let choice = Choice { blocks, threads, most: 0 };
            let pays = |count| self.in_choice(count, choice) <= LEAST_GAIN * self.in_launch(count);
            Choice { most: self.most(pays), ..choice }
        });
        let sizes = (0..=MOST_ITERATIONS.ilog2()).map(|log| f64::from(1u32 << log));
        let sizes: Vec<f64> = count.map_or(sizes.collect(), |count| vec![count]);
        let part = |choice: &Choice| -> f64 {
            let of = |&count: &f64| match count > choice.most as f64 {
                true => 1.0,
                false => self.in_choice(count, *choice) / self.in_launch(count),
            };
            sizes.iter().map(of).sum()
        };
        let all = all.filter(|choice| choice.most > 0);
        all.min_by(|a, b| part(a).total_cmp(&part(b)))
    }

    /// What takes clearly less than launches, for a number of iterations or for any: one block, and beyond the sizes for which that
    /// is best a grid, as far as these are possible.
    pub fn choose(&self, count: Option<f64>, block: bool, grid: bool) -> Vec<Choice> {
        let blocks = i64::from(self.arch.chip.sm_count);
        let block = block.then(|| self.best(1, count)).flatten();
        let grid = Some(blocks).filter(|&blocks| grid && blocks > 1);
        let Some(grid) = grid.and_then(|blocks| self.best(blocks, count)) else {
            return block.into_iter().collect();
        };
        let Some(block) = block else { return vec![grid] };
        let is_better = |count| self.in_choice(count, block) <= self.in_choice(count, grid);
        match count {
            Some(count) if count <= block.most as f64 && is_better(count) => vec![block],
            Some(count) if count <= grid.most as f64 => vec![grid],
            Some(_) => vec![if block.most > grid.most { block } else { grid }],
            None => {
                let block = Choice { most: block.most.min(self.most(is_better)), ..block };
                let wider = Some(grid).filter(|grid| grid.most > block.most);
                [Some(block).filter(|block| block.most > 0), wider].into_iter().flatten().collect()
            }
        }
    }
}

/// Dimensions of a parallel loop, with those of the ones around it.
fn dims(ir: &Ir, nest: Op) -> usize {
    let around = ir.ancestors(nest).filter(|&outer| ir.has_trait(outer, Traits::PARALLEL_LOOP));
    std::iter::once(nest).chain(around).map(|at| ir.arguments(ir.body(at, 0)).len()).sum()
}

/// The innermost loops of a parallel loop, itself if there is none in it.
fn innermost(ir: &Ir, nest: Op) -> Vec<Op> {
    let loops: Vec<Op> =
        ir.nested_ops(nest, WalkOrder::PreOrder).into_iter().filter(|&op| ir.is_loop(op)).collect();
    let holds = |outer: Op| loops.iter().any(|&inner| inner != outer && ir.is_inside(inner, outer));
    loops.iter().copied().filter(|&each| !holds(each)).collect()
}

/// What a warp needs for a round of the loop `body` in iterations of `nest`, and the clocks of a round alone.
fn iteration(ir: &Ir, nest: Op, body: Op, arch: &Arch) -> (Demand, f64) {
    let mut demand = Demand::default();
    demand.count(OpClass::IntAdd32, ROUND);
    let mut chain = 0.0;
    let mut waits = false;
    for op in ir.nested_ops(body, WalkOrder::PreOrder) {
        if op == body || ir.has_trait(op, Traits::CONSTANT_LIKE | Traits::TERMINATOR) {
            continue;
        }
        if let Some(touched) = access(ir, op) {
            let class = if touched.writes() { OpClass::StoreGlobal } else { OpClass::LoadGlobal };
            demand.count(class, 1.0);
            demand.count(OpClass::IntAdd32, 1.0);
            let (clocks, bytes) = request(ir, nest, &touched, arch);
            demand.lsu_clocks += clocks;
            demand.l2_bytes += bytes;
            waits |= !touched.writes();
        } else if let Some(class) = class(ir, op) {
            demand.count(class, 1.0);
            chain += f64::from(arch.cost(class).latency);
        }
    }
    // Loads of a round do not wait for each other.
    let load = if waits { f64::from(arch.chip.latency.l2) } else { 0.0 };
    (demand, load + chain)
}

/// Clocks of the load/store unit and bytes from the second-level cache, for a request of a warp.
fn request(ir: &Ir, nest: Op, touched: &Access, arch: &Arch) -> (f64, f64) {
    let (warp, sector) = (f64::from(WARP_SIZE), f64::from(SECTOR_BYTES));
    let element = ir.ctx.element(ir.ty(touched.buffer));
    let bytes = element.and_then(|element| memref::scalar_bytes(&ir.ctx, element)).unwrap_or(8);
    let lanes = ir.arguments(ir.body(nest, 0)).last().copied();
    let moves = |form: &crate::analysis::quasi_affine::QuasiAffine| {
        lanes.is_some_and(|lanes| form.values().contains(&lanes))
    };
    let known = touched.subscripts.iter().all(Option::is_some);
    let mut forms = touched.subscripts.iter().flatten();
    let last = forms.next_back();
    let by_rows = forms.any(moves);
    let step = last.zip(lanes).filter(|(form, _)| moves(form)).map(|(form, lanes)| {
        let is_plain = form.divisions().is_empty();
        form.plain().coefficient(&[lanes]).unsigned_abs() == 1 && is_plain
    });
    match step {
        None if known && !by_rows => (1.0, sector),
        Some(true) if known && !by_rows => {
            let bytes = bytes as f64 * warp;
            (bytes / 4.0 / f64::from(arch.throughput.load_store), bytes)
        }
        // Four lines a clock.
        _ => (warp / 4.0, warp * sector),
    }
}

/// The kind of instruction that an operation becomes, if it becomes one.
fn class(ir: &Ir, op: Op) -> Option<OpClass> {
    let &result = ir.results(op).first()?;
    if !ir.regions(op).is_empty() {
        return None;
    }
    let ty = ir.ty(result);
    let wide = memref::scalar_bytes(&ir.ctx, ty).unwrap_or(8) > 4;
    if ir.ctx.is_float(ty) {
        let by_width = |narrow, double| if wide { double } else { narrow };
        return Some(match ir.name(op) {
            arith::DivFOp::NAME => by_width(OpClass::FloatDiv32, OpClass::FloatDiv64),
            name if name.starts_with("math.") => by_width(OpClass::Special, OpClass::FloatDiv64),
            _ => by_width(OpClass::FloatFma32, OpClass::FloatFma64),
        });
    }
    Some(match ir.name(op) {
        arith::DivSIOp::NAME | arith::DivUIOp::NAME => OpClass::IntDiv32,
        arith::RemSIOp::NAME | arith::RemUIOp::NAME => OpClass::IntRem32,
        arith::MulIOp::NAME => OpClass::IntMul32,
        arith::IndexCastOp::NAME => return None,
        _ => OpClass::IntAdd32,
    })
}

/// Phases of a block of operations: a launch for each parallel loop, and for what one thread does in between that can be
/// seen. The block that finishes last goes on behind a loop that combines values.
pub fn phases(ir: &Ir, ops: &[Op]) -> i64 {
    let mut count = 0;
    // Whether what comes belongs to a phase that is counted.
    let mut open = false;
    for &op in ops {
        if has_parallel_loop(ir, op) {
            let is_one = ir.has_trait(op, Traits::PARALLEL_LOOP);
            count += i64::from(is_one);
            open = is_one && !ir.results(op).is_empty();
        } else if has_effects(ir, op) && !open {
            count += 1;
            open = true;
        }
    }
    count
}
