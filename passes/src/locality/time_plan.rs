//! What a search may change of tiles that execute several rounds of two sweeps.

use gpuc_arch::Arch;
use gpuc_dialects::arith;
use gpuc_dialects::memref;
use gpuc_ir::op::Traits;
use gpuc_ir::{Ir, Op, OpView, WalkOrder};

use super::stencil::Traffic;
use super::stencil_plan::clocks_of_memory;
use super::time_sweeps::{Sweep, Sweeps};
use crate::plan::{names, step};
use crate::steps::refusal::Refusal;

/// How many rounds a block executes, and on what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimePlan {
    /// Rounds of the host's loop in one launch.
    pub steps: i64,
    /// Rows and columns that a block's threads execute in each sweep. What is right of them to the end is the core.
    pub tile: [i64; 2],
    /// Rows of a thread, one below the other.
    pub rows_each: i64,
    /// Planes that a block walks along; 1 where sweeps have none.
    pub planes: i64,
}

/// A sweep of those that a block executes along planes, or, as the first, what it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Planes that memory of the block has of it: those that the next sweep reads, and the one that is stored meanwhile.
    pub slots: i64,
    /// Planes that it is behind what is loaded.
    pub lag: i64,
    /// Planes round the block's own that the sweeps behind it read.
    pub rest: i64,
}

/// What a plan is expected to take, and what the sweeps take as they are: clocks of a multiprocessor for a round of a
/// warp's iterations.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// With the plan.
    pub blocked: f64,
    /// As they are.
    pub plain: f64,
}

impl TimePlan {
    /// The plan that a step says; `None` where it is about other loops.
    pub fn given(ir: &Ir, sweeps: &Sweeps, step: &step::Block) -> Option<TimePlan> {
        let sizes: Vec<i64> = step.loops.iter().map(|(_, size)| *size).collect();
        let (planes, tile) = match sizes[..] {
            [columns] => (1, [1, columns]),
            [rows, columns] => (1, [rows, columns]),
            [planes, rows, columns] => (planes, [rows, columns]),
            _ => return None,
        };
        let plan = TimePlan { steps: step.time.1, tile, rows_each: step.rows, planes };
        (plan.loops(ir, sweeps) == step.loops).then_some(plan)
    }

    /// The loops that are tiled, each with the side of a tile.
    pub fn loops(&self, ir: &Ir, sweeps: &Sweeps) -> Vec<(String, i64)> {
        let name = |dim: usize| {
            names::of_variable(ir, sweeps.dims[dim].variable).unwrap_or("?").to_owned()
        };
        let planes = sweeps.planes.map(|dim| (name(dim), self.planes));
        let sides = usize::from(!sweeps.has_rows)..2;
        let sides = sides.map(|side| (name(sweeps.tiled[side]), self.tile[side]));
        planes.into_iter().chain(sides).collect()
    }

    /// Whether a device executes such blocks, and anything is left of a tile at the end.
    ///
    /// # Errors
    /// What is too large, or does not divide.
    pub fn check(&self, ir: &Ir, sweeps: &Sweeps, arch: &Arch) -> Result<(), Refusal> {
        let refuse = |rule: &str| Refusal::new("block-time", sweeps.each[0].nest, rule);
        if self.tile[0] % self.rows_each != 0 {
            return Err(refuse("the rows of a tile are no multiple of those of a thread"));
        }
        let [rows, columns] = self.threads();
        let most = i64::from(arch.limits.max_threads_per_block);
        if rows.saturating_mul(columns) > most {
            return Err(refuse("a block would have too many threads")
                .limit("threads", rows.saturating_mul(columns), most)
                .way_round("give each thread more rows"));
        }
        let most = i64::from(arch.shared_per_block_everywhere());
        let bytes = self.bytes(ir, sweeps);
        if bytes > most {
            return Err(refuse("the tiles of both arrays are larger than a block's memory")
                .limit("bytes", bytes, most)
                .way_round("take smaller tiles"));
        }
        let margins = self.margins(sweeps);
        if let Some(side) = (0..2).find(|&side| self.core(sweeps)[side] < 1) {
            return Err(refuse("neighbours of so many steps leave nothing of a tile")
                .limit("iterations", 2 * margins[side] + 1, self.tile[side])
                .way_round("take fewer steps, or larger tiles"));
        }
        Ok(())
    }

    /// Rows and columns at each side of a tile that are not right at the end: each sweep needs neighbours that the one before
    /// had right.
    pub fn margins(&self, sweeps: &Sweeps) -> [i64; 2] {
        [0, 1].map(|side| {
            let mut margin = -sweeps.rim(side);
            for _ in 0..self.steps {
                for sweep in &sweeps.each {
                    margin = (margin + sweep.reach(side)).max(0);
                }
            }
            margin
        })
    }

    /// Rows and columns of a tile that are right at the end.
    pub fn core(&self, sweeps: &Sweeps) -> [i64; 2] {
        let margins = self.margins(sweeps);
        [0, 1].map(|side| self.tile[side] - 2 * margins[side])
    }

    /// Rows and columns of memory of the block, for each of the arrays.
    pub fn shape(&self, sweeps: &Sweeps) -> [i64; 2] {
        [0, 1].map(|side| self.tile[side] + 2 * sweeps.rim(side))
    }

    /// Rows and columns of threads.
    pub fn threads(&self) -> [i64; 2] {
        [self.tile[0] / self.rows_each, self.tile[1]]
    }

    /// What the launch begins with, and the sweeps that it executes, in order.
    pub fn levels(&self, sweeps: &Sweeps) -> Vec<Level> {
        let reach = |level: i64| sweeps.each[level.rem_euclid(2) as usize].reach(2);
        let last = 2 * self.steps;
        let (mut lag, mut rest) = (0, (0..last).map(reach).sum::<i64>());
        let mut levels = Vec::new();
        for level in 0..=last {
            levels.push(Level { slots: 2 * reach(level) + 2, lag, rest });
            lag += reach(level) + 1;
            rest -= reach(level);
        }
        levels
    }

    /// Memory of the block, in bytes.
    pub fn bytes(&self, ir: &Ir, sweeps: &Sweeps) -> i64 {
        let elements: i64 = self.shape(sweeps).iter().product();
        let held = |(level, number): (i64, usize)| {
            elements * level * bytes_of(ir, sweeps.fields[number % 2].element)
        };
        match sweeps.planes {
            None => (0..2).map(|field| held((1, field))).sum(),
            Some(_) => {
                let levels = self.levels(sweeps);
                let slots = levels.iter().map(|level| level.slots).zip(0..);
                slots.take(levels.len() - 1).map(held).sum()
            }
        }
    }

    /// How many planes a sweep executes for each one of the block's run, and how many are loaded; 1 where there are none.
    fn again(&self, sweeps: &Sweeps) -> [f64; 2] {
        if sweeps.planes.is_none() {
            return [1.0; 2];
        }
        let levels = self.levels(sweeps);
        let planes = |level: &Level| (self.planes + 2 * level.rest) as f64 / self.planes as f64;
        let executed = levels[1..].iter().map(planes).sum::<f64>() / (levels.len() - 1) as f64;
        [executed, planes(&levels[0])]
    }

    /// What the plan is expected to take, where a multiprocessor has so many blocks to execute.
    pub fn expect(&self, ir: &Ir, sweeps: &Sweeps, arch: &Arch, blocks: i64) -> Expected {
        let area = |sides: [i64; 2]| sides.iter().product::<i64>() as f64;
        let [executed, loaded] = self.again(sweeps);
        let again = executed * area(self.tile) / area(self.core(sweeps));
        let copied = loaded * area(self.shape(sweeps)) / area(self.core(sweeps));
        let issue = f64::from(arch.throughput.issue);
        let steps = self.steps as f64;
        // Blocks of a multiprocessor do what others leave idle.
        let threads = self.threads().iter().product::<i64>();
        let by_memory = i64::from(arch.limits.shared_per_sm) / self.bytes(ir, sweeps).max(1);
        let by_threads = i64::from(arch.limits.registers_per_sm) / (REGISTERS * threads);
        let resident = by_threads.min(by_memory).min(blocks).max(1) as f64;
        let (mut plain, mut inner, mut others) = (0.0, 0.0, 0);
        for (number, sweep) in sweeps.each.iter().enumerate() {
            let work = Work::of(ir, sweep, arch);
            let written = bytes_of(ir, sweeps.fields[1 - number].element);
            let read = bytes_of(ir, sweeps.fields[number].element);
            let traffic = Traffic { wavefronts: 0, bytes: read + written + work.other_bytes };
            others += work.other_bytes;
            let requests = (sweep.reads.len() as i64 * read / 4 + written / 4) as f64;
            let loads = (sweep.reads.len() + 1) as f64;
            plain += clocks_of_memory(&traffic, arch)
                .max(requests + work.other_requests)
                .max((2.0 * loads + work.instructions) / issue)
                .max(work.clocks);
            // Rows of a thread share what they read, and rounds what registers hold for all of them.
            let lasting = self.lasting(sweep) as f64;
            let each =
                if lasting > 0.0 { work.other_requests / steps } else { work.other_requests };
            let loads = self.loads(sweep) + 1.0;
            let requests = loads * (read / 4).max(1) as f64 + each;
            let spared = 2.0 * lasting * (1.0 - 1.0 / steps);
            let instructions = loads + work.instructions - spared;
            inner += requests.max(instructions / issue).max(work.clocks);
        }
        // Each sweep ends with a barrier, behind which a block waits for its memory.
        let wait = f64::from(arch.latency.barrier + arch.latency.shared + 4 * arch.latency.alu);
        // Along planes all sweeps of a launch have one in common.
        let barriers = if sweeps.planes.is_some() { loaded / steps } else { 2.0 };
        let waits = barriers * wait / resident / (area(self.core(sweeps)) / WARP);
        let element = bytes_of(ir, sweeps.fields[0].element);
        let copies = copied * COPY / issue / steps;
        let traffic = Traffic { wavefronts: 0, bytes: 2 * element };
        let memory = (clocks_of_memory(&traffic, arch) * (1.0 + copied) / 2.0) / steps
            + clocks_of_memory(&Traffic { wavefronts: 0, bytes: others }, arch) * copied / steps;
        // Few warps do little at once from a barrier to the next.
        let alone = FEW_WARPS * WARP / (resident * threads as f64);
        let work = again * inner * (1.0 + alone) + copies + waits;
        let work = if sweeps.planes.is_some() { WALK * work } else { work };
        Expected { blocked: work.max(memory) + OVERLAP * work.min(memory), plain }
    }

    /// How many loads of a sweep from other arrays registers hold for all rounds: all or none.
    pub fn lasting(&self, sweep: &Sweep) -> usize {
        let elements = sweep.lasting.len() as i64 * self.rows_each;
        if self.planes == 1 && elements <= MOST_LASTING { sweep.lasting.len() } else { 0 }
    }

    /// Elements of the block's memory that an iteration loads, on average of a thread's rows: what is the thread's own stays in
    /// registers. Along planes it is loaded once.
    fn loads(&self, sweep: &Sweep) -> f64 {
        let along = sweep.reach(2) > 0;
        let of_rows = sweep.reads.iter().flat_map(|read| {
            let [row, column, plane] = read.offset;
            (0..self.rows_each).map(move |further| [row + further, column, plane])
        });
        let own = |at: &[i64; 3]| at[1] == 0 && (0..self.rows_each).contains(&at[0]);
        let mut all: Vec<[i64; 3]> = of_rows.filter(|at| !own(at)).collect();
        all.sort_unstable();
        all.dedup();
        all.len() as f64 / self.rows_each as f64 + f64::from(u8::from(along))
    }
}

/// What an iteration does besides reading and writing the arrays that the sweeps take turns in.
struct Work {
    /// Instructions of a warp.
    instructions: f64,
    /// Clocks of the pipe for floating-point numbers.
    clocks: f64,
    /// Bytes of other arrays.
    other_bytes: i64,
    /// What the first-level cache is asked for of them.
    other_requests: f64,
}

impl Work {
    fn of(ir: &Ir, sweep: &Sweep, arch: &Arch) -> Work {
        let mut work = Work { instructions: 0.0, clocks: 0.0, other_bytes: 0, other_requests: 0.0 };
        let nested = sweep.body.iter().flat_map(|&op| ir.nested_ops(op, WalkOrder::PreOrder));
        for op in nested {
            let own = op == sweep.store || sweep.reads.iter().any(|read| read.op == op);
            if own
                || ir.has_trait(op, Traits::CONSTANT_LIKE)
                || ir.has_trait(op, Traits::TERMINATOR)
            {
                continue;
            }
            work.instructions += 1.0;
            if let Some(touched) = ir.memory_access(op) {
                let element = ir.ctx.element(ir.ty(touched.buffer));
                let bytes = element.map_or(8, |element| bytes_of(ir, element));
                work.instructions += 1.0;
                work.other_bytes += bytes;
                work.other_requests += (bytes / 4).max(1) as f64;
                continue;
            }
            work.clocks += float_clocks(ir, op, arch);
        }
        work
    }
}

/// Clocks in which a multiprocessor executes an operation on floating-point numbers for a warp.
fn float_clocks(ir: &Ir, op: Op, arch: &Arch) -> f64 {
    let Some(&result) = ir.results(op).first() else { return 0.0 };
    let ty = ir.ty(result);
    if !ir.ctx.is_float(ty) {
        return 0.0;
    }
    let lanes = match bytes_of(ir, ty) {
        8 => arch.throughput.f64,
        _ => arch.throughput.f32,
    };
    let times = if arith::DivFOp::is(ir, op) { DIVISION } else { 1.0 };
    times * WARP / f64::from(lanes)
}

fn bytes_of(ir: &Ir, element: gpuc_ir::Type) -> i64 {
    memref::scalar_bytes(&ir.ctx, element).unwrap_or(8) as i64
}

/// Registers of a thread.
const REGISTERS: i64 = 40;
/// As many warps of a multiprocessor take twice the clocks for which what they need most is held.
const FEW_WARPS: f64 = 16.0;
/// Elements of other arrays that a thread keeps for a sweep, at most.
const MOST_LASTING: i64 = 16;
const WARP: f64 = 32.0;
/// Instructions for an element that is copied: two numbers of it, an address, a load, two stores, and a part of the result's way
/// back.
const COPY: f64 = 12.0;
/// What a walk along planes takes for each clock of its work: few warps are resident, whose loads it waits for, and the edges
/// of the grid are slower. By the simulator, of stars of floats and doubles, one and two steps a launch.
const WALK: f64 = 1.35;
/// Instructions of a division.
const DIVISION: f64 = 10.0;
/// How much of what is done meanwhile shows all the same.
const OVERLAP: f64 = 0.3;
