//! Which tiles execute several rounds of two sweeps, and from how many blocks on: what whole loops take, launches among it.
//!
//! A round is two launches as the program has it, and a part of one in tiles. Where arrays are small, launches are all that
//! counts, and any tile pays; where they are large, the clocks that an iteration takes do. So where sizes are known, plans are
//! compared by the whole; where they are not, by an iteration, and the host asks for enough blocks unless one alone pays. Grids that
//! leave multiprocessors with two blocks at most wait for launches: where more rounds a launch are clearly better there, they
//! have tiles of their own.

use gpuc_arch::Arch;
use gpuc_dialects::{arith, scf};
use gpuc_ir::Ir;

use super::time_plan::{Expected, TimePlan};
use super::time_sweeps::Sweeps;

/// Tiles that are tried, with the rows of a thread: 512 threads, which share 48 KiB with another block where they can, or 768.
const TILES: [([i64; 2], i64); 7] = [
    ([64, 96], 8),
    ([64, 64], 8),
    ([48, 64], 6),
    ([32, 64], 4),
    ([32, 128], 8),
    ([32, 32], 4),
    ([16, 64], 4),
];
/// The same where there are no rows.
const ROWS: [([i64; 2], i64); 2] = [([1, 1024], 1), ([1, 512], 1)];
/// The same along planes, of which a block holds several: 256 threads, of four rows at most, which have many registers.
const PLANES: [([i64; 2], i64); 3] = [([32, 32], 4), ([16, 64], 4), ([16, 32], 2)];
/// Planes that a block walks along: in front of the first and behind the last one, it does what others do as well.
const RUN: i64 = 64;
/// Rounds along planes. Two move a quarter of the bytes, but are no faster by the simulator: their registers leave a
/// multiprocessor with one block.
const MOST_STEPS_OF_WALKS: i64 = 1;
/// Blocks of each multiprocessor from which on walks along planes pay: at the edges of the grid they are slower, and
/// arrays that stay in the cache of the device are read from there as they are.
const BLOCKS_OF_WALKS: i64 = 8;
/// Blocks of a multiprocessor that its memory must have room for, beyond what each kernel may have.
const LEAST_RESIDENT: u32 = 4;
/// Rounds that are tried, at most, where it is not known how many there are: half of a loop's rounds may be left.
const MOST_STEPS: i64 = 16;
/// The same where it is known.
const MOST_KNOWN_STEPS: i64 = 64;
/// What must be left of the time for a plan to be taken: the estimate knows little of latencies.
const LEAST_GAIN: f64 = 0.8;

/// The same of a second plan against the first one, which is as little known.
const LEAST_GAIN_OF_SMALL: f64 = 0.9;

/// A plan, what it is expected to take, and from how many blocks on it pays; 0: always.
pub type Choice = (TimePlan, Expected, i64);

/// What is known of a loop when compiling.
struct Sizes {
    /// Iterations of a sweep: rows, columns, planes, all other dimensions together.
    iterations: [i64; 4],
    rounds: i64,
}

impl Sizes {
    /// `None` where one of them is not known.
    fn of(ir: &Ir, sweeps: &Sweeps, time: scf::ForOp) -> Option<Sizes> {
        let sides = sweeps.tiled.map(|dim| sweeps.dims[dim].trips(ir));
        let mut others = 1;
        for (dim, dimension) in sweeps.dims.iter().enumerate() {
            if !sweeps.tiled.contains(&dim) && sweeps.planes != Some(dim) {
                others *= dimension.trips(ir)?;
            }
        }
        let rows = if sweeps.has_rows { sides[0]? } else { 1 };
        let planes = sweeps.planes.map_or(Some(1), |dim| sweeps.dims[dim].trips(ir))?;
        let bound = |value| arith::constant_index_value(ir, value);
        let rounds = bound(time.upperBound(ir))?.checked_sub(bound(time.lowerBound(ir))?)?;
        Some(Sizes { iterations: [rows, sides[1]?, planes, others], rounds: rounds.max(0) })
    }

    /// Blocks of a launch of the plan.
    fn blocks(&self, plan: &TimePlan, sweeps: &Sweeps) -> i64 {
        let core = plan.core(sweeps);
        let [rows, columns, planes, others] = self.iterations;
        let parts = |length: i64, side: i64| (length + side - 1) / side;
        let parts = [parts(rows, core[0]), parts(columns, core[1]), parts(planes, plan.planes)];
        parts.into_iter().fold(others, i64::saturating_mul).max(1)
    }
}

/// Iterations of a sweep for each multiprocessor, where grids are small.
const SMALL: i64 = 768;
/// Halves of the blocks that keep the device busy, from which on a plan for large grids is taken at the latest.
const MOST_HALF_WAVES: i64 = 8;
/// Rounds of a loop of which nothing is known.
const USUAL_ROUNDS: i64 = 100;

/// The plans that are expected to take the least, where that is clearly less than the sweeps take as they are; those for more blocks first.
pub fn choose(ir: &Ir, sweeps: &Sweeps, time: scf::ForOp, arch: &Arch) -> Vec<Choice> {
    choices(ir, sweeps, time, arch).unwrap_or_default()
}

fn choices(ir: &Ir, sweeps: &Sweeps, time: scf::ForOp, arch: &Arch) -> Option<Vec<Choice>> {
    if sweeps.planes.is_some() && !has_known_rows(ir, sweeps) {
        return None;
    }
    let (tiles, planes): (&[_], i64) = match (sweeps.planes, sweeps.has_rows) {
        (Some(_), _) => (&PLANES, RUN),
        (None, true) => (&TILES, 1),
        (None, false) => (&ROWS, 1),
    };
    let sizes = Sizes::of(ir, sweeps, time);
    let most = match (sweeps.planes, &sizes) {
        (Some(_), _) => MOST_STEPS_OF_WALKS,
        (None, Some(_)) => MOST_KNOWN_STEPS,
        (None, None) => MOST_STEPS,
    };
    let plans = tiles.iter().flat_map(|&(tile, rows_each)| {
        (1..=most).map(move |steps| TimePlan { steps, tile, rows_each, planes })
    });
    // With fewer blocks of a multiprocessor nothing hides a block's waits.
    let limits = &arch.limits;
    let room = (limits.shared_per_sm / LEAST_RESIDENT).max(limits.shared_per_block);
    let leaves_room = |plan: &TimePlan| plan.bytes(ir, sweeps) <= i64::from(room);
    let fit = plans.filter(|plan| {
        plan.check(ir, sweeps, arch).is_ok() && (sweeps.planes.is_some() || leaves_room(plan))
    });
    if let Some(sizes) = sizes {
        let (plan, Times { whole, each }) = least(ir, sweeps, fit, &sizes, arch)?;
        let few =
            sweeps.planes.is_some() && sizes.blocks(&plan, sweeps) < BLOCKS_OF_WALKS * busy(arch);
        return (whole.pays() && !few).then(|| vec![(plan, each, 0)]);
    }
    let fit: Vec<TimePlan> = fit.collect();
    let priced = fit.iter().map(|&plan| (plan, plan.expect(ir, sweeps, arch, i64::MAX)));
    let (plan, expected) = priced.min_by(|a, b| a.1.blocked.total_cmp(&b.1.blocked))?;
    if !expected.pays() {
        return None;
    }
    if sweeps.planes.is_some() {
        let least = BLOCKS_OF_WALKS * busy(arch);
        let each = plan.core(sweeps).iter().product::<i64>() * plan.planes;
        let never = elements(ir, sweeps).is_some_and(|all| all / each < least);
        return (!never).then(|| vec![(plan, expected, least)]);
    }
    let from = |plan: &TimePlan| {
        let one = Sizes {
            iterations: [plan.core(sweeps)[0], plan.core(sweeps)[1], plan.planes, 1],
            rounds: 2 * plan.steps + 1,
        };
        if times(ir, plan, sweeps, &one, arch).whole.pays() { 0 } else { busy(arch) }
    };
    // As square as that can be.
    let sizes = |iterations: i64| {
        let rows = if sweeps.has_rows { iterations.isqrt() } else { 1 };
        let iterations = [rows, iterations / rows, plan.planes, 1];
        Sizes { iterations, rounds: USUAL_ROUNDS }
    };
    let takes = |plan: &TimePlan, sizes: &Sizes| times(ir, plan, sweeps, sizes, arch).whole.blocked;
    let small = sizes(busy(arch) * SMALL);
    let (other, Times { whole, each }) = least(ir, sweeps, fit.into_iter(), &small, arch)?;
    if whole.blocked > LEAST_GAIN_OF_SMALL * takes(&plan, &small) {
        return Some(vec![(plan, expected, from(&plan))]);
    }
    // From where on the plan for large grids is the better one.
    let core: i64 = plan.core(sweeps).iter().product();
    let at_latest = MOST_HALF_WAVES * busy(arch) / 2;
    let mut waves = (1..=MOST_HALF_WAVES).map(|halves| halves * busy(arch) / 2);
    let is_better = |&blocks: &i64| {
        let sizes = sizes(blocks * core);
        takes(&plan, &sizes) <= takes(&other, &sizes)
    };
    let blocks = waves.find(is_better).unwrap_or(at_latest);
    Some(vec![(plan, expected, blocks), (other, each, from(&other))])
}

/// Whether the distances of rows and planes are known: addresses by distances of run time take registers that walks along
/// planes do not have (ptxas spills them at 128).
fn has_known_rows(ir: &Ir, sweeps: &Sweeps) -> bool {
    sweeps.fields.iter().all(|field| {
        let shape = ir.ctx.shape(ir.ty(field.buffer));
        shape.is_some_and(|shape| shape.iter().skip(1).all(|&extent| extent >= 0))
    })
}

/// Elements of the array that the first sweep writes, where its sizes are known: there are no more iterations.
fn elements(ir: &Ir, sweeps: &Sweeps) -> Option<i64> {
    let shape = ir.ctx.shape(ir.ty(sweeps.fields[1].buffer))?;
    let known = shape.iter().all(|&extent| extent >= 0);
    known.then(|| shape.iter().fold(1i64, |all, &extent| all.saturating_mul(extent)))
}

/// The plan by which a loop takes the least.
fn least(
    ir: &Ir,
    sweeps: &Sweeps,
    plans: impl Iterator<Item = TimePlan>,
    sizes: &Sizes,
    arch: &Arch,
) -> Option<Priced> {
    let priced = plans.map(|plan| (plan, times(ir, &plan, sweeps, sizes, arch)));
    priced.min_by(|a, b| a.1.whole.blocked.total_cmp(&b.1.whole.blocked))
}

/// The blocks that keep the device busy, and later ones, on which the code runs too.
pub fn busy(arch: &Arch) -> i64 {
    let later = Arch::all().iter().filter(|other| other.number >= arch.number);
    i64::from(later.map(|other| other.chip.sm_count).max().unwrap_or(arch.chip.sm_count))
}

/// What a loop takes in tiles and as it is, in clocks.
struct Times {
    /// All of it, launches and what the tiles leave among it.
    whole: Expected,
    /// A round of a warp's iterations.
    each: Expected,
}

type Priced = (TimePlan, Times);

fn times(ir: &Ir, plan: &TimePlan, sweeps: &Sweeps, sizes: &Sizes, arch: &Arch) -> Times {
    let launch = f64::from(arch.chip.launch_us) * f64::from(arch.chip.clock_mhz);
    let sms = i64::from(arch.chip.sm_count);
    // Of the multiprocessor that has most.
    let blocks = (sizes.blocks(plan, sweeps) + sms - 1) / sms;
    let each = plan.expect(ir, sweeps, arch, blocks);
    let round = |clocks: f64, iterations: i64| {
        clocks * iterations as f64 / f64::from(arch.limits.warp_size)
    };
    let area = |sides: &[i64]| sides.iter().product::<i64>();
    let in_tiles = round(each.blocked, area(&plan.core(sweeps)) * plan.planes * blocks);
    let as_it_is = 2.0 * launch + round(each.plain, area(&sizes.iterations)) / sms as f64;
    // At least one round is left (`block-time`).
    let pairs = (sizes.rounds - 1).max(0) / (2 * plan.steps);
    let blocked = 2 * plan.steps * pairs;
    let left = (sizes.rounds - blocked) as f64;
    let whole = Expected {
        blocked: 2.0 * pairs as f64 * launch + blocked as f64 * in_tiles + left * as_it_is,
        plain: sizes.rounds as f64 * as_it_is,
    };
    Times { whole, each }
}

impl Expected {
    /// Whether it is clearly less with the plan.
    fn pays(&self) -> bool {
        self.blocked <= LEAST_GAIN * self.plain
    }
}
