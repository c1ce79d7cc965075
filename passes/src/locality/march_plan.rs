//! What a search may change of a walk over planes.

use gpuc_arch::{Arch, Demand, Resource, WARP_SIZE};
use gpuc_ir::Ir;

use super::coarsening::Coarsening;
use super::marching::Marching;
use super::stencil::Stencil;
use super::stencil_plan::{clocks_of_memory, is_bound_by_requests};
use crate::plan::{names, step};
use crate::steps::refusal::Refusal;

/// How a nest is walked over plane by plane.
#[derive(Clone, Debug)]
pub struct MarchPlan {
    /// What is read where.
    pub march: Marching,
    /// Planes that a block walks over.
    pub planes: i64,
    /// Rows and columns of iterations in a block.
    pub block: [i64; 2],
    /// Rows of iterations that each thread executes, one below the other.
    pub rows_each: i64,
}

/// Planes of a block, and from how many blocks of a multiprocessor on: with fewer planes, those that are read in front of the
/// first and behind the last one count, but there are more blocks, whose last wave is a smaller part of the whole.
const PLANES: [(i64, i64); 2] = [(64, 16), (16, BLOCKS_EACH)];
/// Rows and columns of a block: a warp's threads lie along columns; the rim is a part of `1 / rows + 1 / columns`.
const BLOCK: [i64; 2] = [16, 32];
/// Rows of a thread, at most: what is read above and below is partly its own.
const ROWS_EACH: [i64; 3] = [4, 2, 1];
/// Blocks of a multiprocessor that hide each other's barriers.
pub const BLOCKS_EACH: i64 = 2;
/// Registers of a thread that hold elements, at most: as many are left for all else.
const MOST_REGISTERS: i64 = 104;

impl MarchPlan {
    /// The plans for a device, each with the blocks of a multiprocessor from which on it is taken, the one for the largest sizes first;
    /// none where nothing is worth it, or too large for it.
    pub fn choose(ir: &Ir, stencil: &Stencil, arch: &Arch) -> Vec<(MarchPlan, i64)> {
        MarchPlan::worth(ir, stencil, arch).into_iter().flatten().collect()
    }

    fn worth(ir: &Ir, stencil: &Stencil, arch: &Arch) -> Option<[(MarchPlan, i64); 2]> {
        let march = Marching::choose(ir, stencil, BLOCK)?;
        let holds = |&rows: &i64| march.registers(ir, rows) <= MOST_REGISTERS;
        let rows_each = ROWS_EACH.into_iter().find(holds)?;
        let fits = march.bytes(ir, BLOCK) * BLOCKS_EACH <= i64::from(arch.limits.shared_per_block)
            && is_bound_by_requests(ir, stencil, arch, MARGIN);
        // What the same thread's results have in common is cheaper than a barrier.
        let coarse = Coarsening::choose(ir, stencil);
        let loads = coarse.as_ref().map_or(march.before() as f64, Coarsening::loads);
        let plan = |(planes, blocks): (i64, i64)| {
            (MarchPlan { march: march.clone(), planes, block: BLOCK, rows_each }, blocks)
        };
        let gains = march.copied(BLOCK) <= LEAST_GAIN * loads
            && is_bound_by_cache(ir, stencil, &march, coarse.as_ref(), arch);
        (fits && gains).then(|| PLANES.map(plan))
    }

    /// The plan that a step says; `None` where it is about other loops.
    pub fn given(ir: &Ir, stencil: &Stencil, step: &step::March) -> Option<MarchPlan> {
        let [(_, planes), (_, rows), (_, columns)] = step.loops;
        (0..stencil.column).find_map(|dim| {
            let march = Marching::of(ir, stencil, dim)?;
            let plan = MarchPlan { march, planes, block: [rows, columns], rows_each: step.rows };
            let own = (0..3).all(|side| plan.name(ir, stencil, side) == step.loops[side].0);
            own.then_some(plan)
        })
    }

    /// The step that says this plan, taken where a grid has so many blocks.
    pub fn step(&self, ir: &Ir, stencil: &Stencil, blocks: i64) -> step::March {
        let sides = [self.planes, self.block[0], self.block[1]];
        let loops = [0, 1, 2].map(|side| (self.name(ir, stencil, side).to_owned(), sides[side]));
        step::March { loops, rows: self.rows_each, blocks }
    }

    /// The name of the loop of planes (0), rows (1) or columns (2).
    pub fn name<'a>(&self, ir: &'a Ir, stencil: &Stencil, side: usize) -> &'a str {
        let variable = stencil.dims[self.march.dims[side]].variable;
        names::of_variable(ir, variable).unwrap_or("?")
    }

    /// Whether a device executes such blocks.
    ///
    /// # Errors
    /// What is too large, or does not divide.
    pub fn check(&self, ir: &Ir, stencil: &Stencil, arch: &Arch) -> Result<(), Refusal> {
        let refuse = |rule: &str| Refusal::new("march-stencils", stencil.nest, rule);
        if self.block[0] % self.rows_each != 0 {
            return Err(refuse("the rows of a block are no multiple of those of a thread"));
        }
        let (threads, most) = (self.threads(), i64::from(arch.limits.max_threads_per_block));
        if threads[0].saturating_mul(threads[1]) > most {
            return Err(refuse("a block would have too many threads")
                .limit("threads", threads[0].saturating_mul(threads[1]), most)
                .way_round("give each thread more rows"));
        }
        let bytes = self.march.bytes(ir, self.block);
        let most = i64::from(arch.limits.shared_per_block);
        if bytes > most {
            return Err(refuse("what a block reads of its planes is larger than its memory")
                .limit("bytes", bytes, most)
                .way_round("take smaller blocks"));
        }
        let registers = self.march.registers(ir, self.rows_each);
        if registers > MOST_HELD {
            return Err(refuse("a thread would hold too many elements in registers")
                .limit("registers", registers, MOST_HELD)
                .way_round("give each thread fewer rows"));
        }
        Ok(())
    }

    /// Rows and columns of threads.
    pub fn threads(&self) -> [i64; 2] {
        [self.block[0] / self.rows_each, self.block[1]]
    }

    /// What is said of it.
    pub fn words(&self, ir: &Ir, stencil: &Stencil) -> String {
        let arrays: Vec<&str> = self.march.fields.iter().map(|field| &*field.array).collect();
        let [rows, columns] = [1, 2].map(|side| self.name(ir, stencil, side));
        format!(
            "tile {rows} by {}, {columns} by {}; {} of {} in registers and shared memory, {:.2} loads an iteration, not {}; \
             threads {} by {}",
            self.block[0],
            self.block[1],
            "planes",
            arrays.join(", "),
            self.march.copied(self.block),
            self.march.before(),
            self.threads()[0],
            self.threads()[1],
        )
    }
}

/// Whether the second-level cache takes longer for what threads with several results ask it for than memory does for what
/// any order moves: blocks of a plane read their neighbours' planes and rows again.
fn is_bound_by_cache(
    ir: &Ir,
    stencil: &Stencil,
    march: &Marching,
    coarse: Option<&Coarsening>,
    arch: &Arch,
) -> bool {
    let mut block = PLAIN;
    if let Some(coarse) = coarse
        && let Some(side) = march.dims.iter().position(|&dim| dim == coarse.dim)
    {
        block[side] *= coarse.factor;
    }
    let traffic = stencil.traffic(ir);
    let others = traffic.bytes as f64 - march.own_bytes(ir);
    let l2_bytes = (march.bytes_beyond_block(ir, block) + others) * f64::from(WARP_SIZE);
    let demand = Demand { l2_bytes, ..Demand::default() };
    arch.clocks_of(&demand, Resource::L2) >= LEAST_BOUND * clocks_of_memory(&traffic, arch)
}

/// Planes, rows and columns of a block of the plain mapping.
const PLAIN: [i64; 3] = [1, 4, 32];

/// By how much: a walk takes a tenth longer than memory does by the model, for its ends and its barriers, and another one longer than that
/// on a GPU (benches/RESULTS.md, CONV3D, whose 1.2 are not enough there).
const LEAST_BOUND: f64 = 1.45;

/// How requests must stand to memory, as for several results of a thread.
const MARGIN: f64 = 0.8;

/// Loads that are left of those that several results of a thread leave.
const LEAST_GAIN: f64 = 0.5;

/// Registers in which a thread may hold elements: PTX's kernels have 255.
const MOST_HELD: i64 = 192;
