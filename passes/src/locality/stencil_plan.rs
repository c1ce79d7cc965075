//! What a search may change of a stencil's blocks.

use std::fmt;

use gpuc_arch::{Arch, Demand, Resource};
use gpuc_dialects::memref;
use gpuc_ir::Ir;
use indexmap::IndexSet;

use super::stencil::{Group, Rectangle, Span, Stencil, Traffic};
use crate::plan::{names, step};
use crate::steps::refusal::Refusal;

/// A tile of an array in memory of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedTile {
    /// Which of the stencil's groups it is for.
    pub group: usize,
    /// What the array is called.
    pub array: String,
    /// Rows and columns that an iteration reads, from its own.
    pub reach: [Span; 2],
}

/// How a stencil is done in blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StencilPlan {
    /// Names of the loops of rows and columns.
    pub loops: [String; 2],
    /// Rows and columns of iterations in a block.
    pub block: [i64; 2],
    /// Rows of iterations that each thread executes, one below the other.
    pub rows_each: i64,
    /// What goes through memory of the block.
    pub shared: Vec<SharedTile>,
}

/// A warp's threads lie along columns.
const COLUMNS: i64 = 32;
/// Rows of a block and of a thread: rims of neighbours above and below are small beside them, and eight warps
/// hide each other's barriers.
const ROWS: i64 = 32;
const ROWS_EACH: i64 = 4;

impl StencilPlan {
    /// The plan with such sides, with every group.
    pub fn of(ir: &Ir, stencil: &Stencil, block: [i64; 2], rows_each: i64) -> StencilPlan {
        let [row, column] = stencil.variables();
        let name = |variable| names::of_variable(ir, variable).unwrap_or("?").to_owned();
        let shared = stencil.groups.iter().enumerate().map(|(number, group)| SharedTile {
            group: number,
            array: group.array.clone(),
            reach: [0, 1].map(|side| group.reach(side)),
        });
        StencilPlan { loops: [name(row), name(column)], block, rows_each, shared: shared.collect() }
    }

    /// The plan for a device, with the groups whose loads outweigh their copies: none where nothing is worth it, or too large for it.
    pub fn choose(ir: &Ir, stencil: &Stencil, arch: &Arch) -> Option<StencilPlan> {
        let block = [ROWS, COLUMNS];
        let mut plan = StencilPlan::of(ir, stencil, block, ROWS_EACH);
        // Of an array all goes or nothing: a step of a plan names arrays.
        plan.shared.retain(|tile| {
            let all: Vec<&Group> =
                stencil.groups.iter().filter(|group| group.array == tile.array).collect();
            pays(&all, block)
        });
        // Two blocks a multiprocessor at least.
        let fits = plan.bytes(ir, stencil) * 2 <= i64::from(arch.limits.shared_per_block)
            && is_bound_by_requests(ir, stencil, arch, MARGIN)
            && plan.is_most(ir, stencil);
        (!plan.shared.is_empty() && fits).then_some(plan)
    }

    /// The plan that a step says, with all that is read together of its arrays.
    pub fn given(ir: &Ir, stencil: &Stencil, step: &step::Share) -> StencilPlan {
        let block = [step.loops[0].1, step.loops[1].1];
        let mut plan = StencilPlan::of(ir, stencil, block, step.rows);
        plan.shared.retain(|tile| step.arrays.contains(&tile.array));
        plan
    }

    /// The step that says this plan, taken where a grid has so many blocks.
    pub fn step(&self, blocks: i64) -> step::Share {
        let arrays: IndexSet<String> = self.shared.iter().map(|tile| tile.array.clone()).collect();
        let arrays = arrays.into_iter().collect();
        let side = |side: usize| (self.loops[side].clone(), self.block[side]);
        step::Share { arrays, loops: [side(0), side(1)], rows: self.rows_each, blocks }
    }

    /// Whether a device executes such blocks.
    ///
    /// # Errors
    /// What is too large, or does not divide.
    pub fn check(&self, ir: &Ir, stencil: &Stencil, arch: &Arch) -> Result<(), Refusal> {
        let refuse = |rule: &str| Refusal::new("stage-stencils", stencil.nest, rule);
        if self.block[0] % self.rows_each != 0 {
            return Err(refuse("the rows of a block are no multiple of those of a thread"));
        }
        let (threads, most) = (self.threads(), i64::from(arch.limits.max_threads_per_block));
        if threads[0].saturating_mul(threads[1]) > most {
            return Err(refuse("a block would have too many threads")
                .limit("threads", threads[0].saturating_mul(threads[1]), most)
                .way_round("give each thread more rows"));
        }
        let (bytes, most) = (self.bytes(ir, stencil), i64::from(arch.limits.shared_per_block));
        if bytes > most {
            return Err(refuse("what a block reads is larger than its memory")
                .limit("bytes", bytes, most)
                .way_round("take smaller blocks, or fewer arrays"));
        }
        Ok(())
    }

    /// Whether what goes through memory of the block is most of what a warp asks for: what stays, such as weights that
    /// each iteration loads, costs as before, and the barrier is paid by the rest.
    fn is_most(&self, ir: &Ir, stencil: &Stencil) -> bool {
        let of = |tile: &SharedTile| {
            let group = &stencil.groups[tile.group];
            let bytes = memref::scalar_bytes(&ir.ctx, group.element).unwrap_or(8) as i64;
            group.loads().saturating_mul((bytes / 4).max(1))
        };
        let shared = self.shared.iter().map(of).fold(0, i64::saturating_add);
        shared as f64 >= LEAST_PART * stencil.traffic(ir).wavefronts as f64
    }

    /// Rows and columns of threads.
    pub fn threads(&self) -> [i64; 2] {
        [self.block[0] / self.rows_each, self.block[1]]
    }

    /// Bytes of memory of the block.
    pub fn bytes(&self, ir: &Ir, stencil: &Stencil) -> i64 {
        let each = self.shared.iter().map(|tile| stencil.groups[tile.group].bytes(ir, self.block));
        each.sum()
    }
}

/// Whether an iteration's loads are so many more than its share of the copies, each a load and a store, that the
/// barrier between is won back.
fn pays(groups: &[&Group], block: [i64; 2]) -> bool {
    let rectangles = groups.iter().flat_map(|group| group.rectangles(block));
    let copied: i64 = rectangles.map(Rectangle::area).sum();
    let loads: i64 = groups.iter().map(|group| group.loads()).sum();
    let iterations: i64 = block.iter().product();
    loads * iterations >= LEAST_REUSE * copied
}

/// Whether the accesses of a warp keep one of the caches busy for longer than memory needs for what they move:
/// else the caches serve them as they are, and a block's memory and registers only cost. What planes have in common is read
/// by blocks far from each other, from the second-level cache.
pub(super) fn is_bound_by_requests(ir: &Ir, stencil: &Stencil, arch: &Arch, margin: f64) -> bool {
    let traffic = stencil.traffic(ir);
    let l2_bytes = stencil.bytes_beyond_block(ir, PLAIN) * f64::from(WARP);
    let demand = Demand { l2_bytes, ..Demand::default() };
    let clocks = arch.clocks_of(&demand, Resource::L2).max(traffic.wavefronts as f64);
    clocks >= margin * clocks_of_memory(&traffic, arch)
}

/// Rows and columns of a block of the plain mapping.
const PLAIN: [i64; 2] = [4, 64];

/// Clocks in which memory moves the bytes of a warp's iterations, for each multiprocessor.
pub(super) fn clocks_of_memory(traffic: &Traffic, arch: &Arch) -> f64 {
    let chip = &arch.chip;
    let bytes_per_second = f64::from(chip.dram_gbs) * f64::from(chip.dram_sustained) * 1e9;
    let clocks_per_second = f64::from(chip.clock_mhz) * 1e6 * f64::from(chip.sm_count);
    traffic.bytes as f64 * f64::from(WARP) * clocks_per_second / bytes_per_second
}

const WARP: u32 = 32;

/// By how much requests must outweigh memory: barriers and fewer warps take their share.
const MARGIN: f64 = 1.25;

/// Of all accesses, by the time that they keep the first-level cache: with half of them, a 5x5 filter whose weights are
/// an array, the blocks are no faster (benches/papers/REPORT.md).
const LEAST_PART: f64 = 0.6;

/// Loads for each element that is copied. The caches serve what is read less often as fast: with 4 or 5 loads the
/// barrier and the registers cost more than requests to them do (benches/RESULTS.md).
const LEAST_REUSE: i64 = 6;

impl fmt::Display for StencilPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = &self.loops;
        write!(f, "tile {rows} by {}, {columns} by {}", self.block[0], self.block[1])?;
        for tile in &self.shared {
            let span = |side: usize| {
                let Span { first, last } = tile.reach[side];
                let name = &self.loops[side];
                let from = if first == 0 { name.clone() } else { format!("{name}{first:+}") };
                format!("{from}:{name}{:+}", self.block[side] + last)
            };
            write!(f, "; share {}[{}, {}]", tile.array, span(0), span(1))?;
        }
        write!(f, "; threads {} by {}", self.threads()[0], self.threads()[1])
    }
}
