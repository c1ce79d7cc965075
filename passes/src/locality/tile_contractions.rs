//! `tile-contractions`: products of matrices and their kind become tiles of registers fed from tiles in
//! memory of the block.
//!
//! Needs compute regions with one parallel loop ([`Contraction`] says of which form) whose mapping the
//! program leaves open; leaves, for each plan that pays for some sizes, a version of the region with the nest
//! tiled and mapped, and behind them the region as it was. The host takes the first one whose
//! conditions hold: so many blocks that the device is busy, and for copies of 16 bytes that rows start at
//! multiples of them. What is known of the sizes while compiling is decided then.
//!
//! Two-dimensional tiles of registers are what lifts a product from the bandwidth of shared memory to that of the
//! arithmetic: a thread with `r x c` results makes `r * c` products of `r + c` loads. Terms keep their
//! order, so results are the same bit for bit.

use gpuc_arch::{Arch, Feature};
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::AffineParallelOp;
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, WalkOrder};

use super::contraction::{Contraction, Unsuitable};
use super::emit::Emitter;
use super::stage::Tile;
use super::sum_in_order::SumInOrder;
use super::tile_plan::TilePlan;
use super::wide::{Wide, conditions};
use crate::parallel::schedule::{Asked, Levels, region_sizes};
use crate::plan::text::Placed;
use crate::plan::{Given, Step, is_planned, names, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::{self, in_fallback};

gpuc_ir::pass! {
    /// Tile products of matrices and their kind in registers and in memory of the block.
    TileContractions = "tile-contractions" on "func.func" {
        /// The device, whose table gives the number of multiprocessors and their memory.
        arch: String = Arch::default_target().name.to_owned(),
        /// Rows and columns of a block and terms of a run, instead of those of the plans for the device.
        tile_sizes: Vec<i64> = Vec::new(),
        /// Rows and columns of a thread, with tile-sizes.
        thread_sizes: Vec<i64> = Vec::new(),
        /// Runs of terms that have tiles at a time, copied in the background, with tile-sizes.
        stages: i64 = 1,
        /// Whether copies may be made 16 bytes at a time.
        wide: bool = true,
        /// Blocks that a grid must have for a plan, instead of as many as keep the device busy.
        least_blocks: Option<i64> = None,
    }
}

impl Pass for TileContractions {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        // Options that no tile can have are refused also where nothing is tiled.
        self.given()?;
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Tile>);
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            if !in_fallback(ir, inner)
                && let Some(nest) = open_nest(ir, region)
                && let Ok(contraction) = contraction(ir, nest)
            {
                let versions = match &steps {
                    Some(steps) => follow(ir, &contraction, steps, arch)?,
                    None => self.versions(ir, &contraction, arch)?,
                };
                let sms = arch.chip.sm_count.into();
                make_versions(ir, op, region, contraction, (&versions, sms), cx)?;
            }
        }
        match steps.iter().flatten().find(|(_, placed)| !placed.is_taken(ir, op)) {
            Some((step, placed)) => Err(why_not(ir, op, step, placed)?),
            None => Ok(()),
        }
    }
}

/// The nest as a contraction; a sum that a directive declares to be a reduction is one in order then.
pub(super) fn contraction(ir: &mut Ir, nest: Op) -> Result<Contraction, Unsuitable> {
    let sum = SumInOrder::of(ir, nest);
    let found = Contraction::of(ir, nest);
    match (sum, &found) {
        (Some(sum), Ok(_)) => sum.keep(ir),
        (Some(sum), Err(_)) => sum.undo(ir),
        (None, _) => {}
    }
    found
}

/// A version of a nest.
struct Version<'a> {
    plan: TilePlan,
    /// Blocks that its grid must have.
    least_blocks: i64,
    /// The step that asks for it.
    placed: Option<&'a Placed>,
}

/// The versions of a contraction that a plan asks for.
fn follow<'a>(
    ir: &Ir,
    nest: &Contraction,
    steps: &[(step::Tile, &'a Placed)],
    arch: &Arch,
) -> Result<Vec<Version<'a>>, Diagnostic> {
    let own = loops(ir, nest);
    let mut versions = Vec::new();
    for (step, placed) in steps {
        if step.loops.iter().map(|(name, _)| name).ne(&own) {
            continue;
        }
        let refused = |refusal: Refusal| placed.refused(ir, &refusal);
        let plan = TilePlan::of_step(step).map_err(|rule| {
            refused(
                Refusal::new(STEP, nest.nest, rule)
                    .way_round("such as 128, 128 and 16, threads 8 by 8"),
            )
        })?;
        check(nest, &plan, arch).map_err(refused)?;
        versions.push(Version { plan, least_blocks: step.blocks, placed: Some(*placed) });
    }
    Ok(versions)
}

/// The plans behind one that the host weighs it against.
fn rivals_of(plans: &[TilePlan], of: usize) -> impl Iterator<Item = &TilePlan> {
    let is_weighed = plans[of].weight > 0;
    plans[of + 1..].iter().filter(move |plan| is_weighed && plan.weight > 0)
}

/// The names of the loops of rows, columns and terms.
pub(super) fn loops(ir: &Ir, nest: &Contraction) -> [String; 3] {
    nest.variables(ir, 0).map(|variable| names::of_variable(ir, variable).unwrap_or("?").to_owned())
}

/// Refuses tiles that the threads or the memory of a block do not hold.
pub(super) fn check(nest: &Contraction, plan: &TilePlan, arch: &Arch) -> Result<(), Refusal> {
    let tiles = || nest.staged.iter().map(|load| Tile::new(load, plan, false));
    let refuse = |rule: &str| Refusal::new(STEP, nest.nest, rule);
    let (threads, most) = (plan.thread_count(), i64::from(arch.limits.max_threads_per_block));
    if threads > most {
        return Err(refuse("a block would have too many threads")
            .limit("threads", threads, most)
            .way_round("give each thread more of the tile"));
    }
    if !tiles().all(|tile| tile.divides(threads)) {
        return Err(refuse("the tiles cannot be dealt over the threads of a block")
            .way_round("each thread copies an element of each tile at least; copies in the background are of sm_80 and later"));
    }
    let tiles: Vec<Tile> = tiles().collect();
    let buffers = Tile::share(&tiles).into_iter().enumerate();
    let own = buffers.filter(|&(at, buffer)| at == buffer);
    let bytes = own.map(|(at, _)| tiles[at].bytes()).sum();
    let most = i64::from(arch.limits.shared_per_block);
    if bytes > most {
        return Err(refuse("the tiles are larger than the memory of a block")
            .limit("bytes", bytes, most)
            .way_round("take fewer terms at a time, or smaller tiles"));
    }
    if plan.stages > 1 && !arch.has(Feature::CpAsync) {
        return Err(refuse("the device has no copies in the background (cp.async)")
            .way_round("compile for sm_80 or later, or leave out the stages"));
    }
    if plan.stages > 1 && nest.staged.iter().any(|load| load.bytes < 4) {
        return Err(refuse("copies in the background are of 4 bytes at least")
            .way_round("leave out the stages"));
    }
    if plan.stages > 1 && !nest.has_same_terms() {
        return Err(refuse(
            "copies in the background are of results that are one sum each, of the same terms",
        )
        .way_round("leave out the stages"));
    }
    let results: i64 = plan.thread.iter().product();
    if results > MOST_RESULTS {
        return Err(refuse("a thread would have more results than registers")
            .limit("registers", results, MOST_RESULTS)
            .way_round("give each thread less of the tile"));
    }
    Ok(())
}

/// Why a step that asks for tiles was not taken.
fn why_not(
    ir: &Ir,
    func: Op,
    step: &step::Tile,
    placed: &Placed,
) -> Result<Diagnostic, Diagnostic> {
    let [(row, _), .., (sum, _)] = &step.loops;
    let (at, sum) = (placed.find(ir, func, row)?, placed.find(ir, func, sum)?);
    let region = ir.ancestors(sum).find_map(|op| RegionOp::cast(ir, op));
    let refusal = match region.and_then(|region| open_nest(ir, region)) {
        None => Refusal::new(
            STEP,
            at,
            "it is not the one parallel loop of a launch, or the program says who executes it",
        ),
        Some(nest) => match Contraction::of(ir, nest) {
            Err(why) => Refusal::new(STEP, at, why.to_string()),
            Ok(found) => {
                let [row, column, depth] = loops(ir, &found);
                let rule =
                    format!("rows are of '{row}', columns of '{column}', and terms of '{depth}'");
                Refusal::new(STEP, at, rule).way_round("name the loops in that order")
            }
        },
    };
    Ok(placed.refused(ir, &refusal))
}

const STEP: &str = "tile-contractions";

/// Registers of a thread: PTX's kernels have 255.
const MOST_RESULTS: i64 = 255;

/// The one parallel loop that a region consists of, if nothing says how it is to be mapped.
pub(super) fn open_nest(ir: &Ir, region: RegionOp) -> Option<Op> {
    let seen = |&op: &Op| !ir.is_effect_free(op) && !ir.has_trait(op, Traits::TERMINATOR);
    let mut ops = ir.ops(region.block(ir)).filter(seen);
    let nest = ops.next().filter(|&op| AffineParallelOp::is(ir, op))?;
    let asked = Asked::of(ir, nest);
    // Blocks and their threads are what gangs with vector lanes ask for.
    let levels = Levels { worker: false, ..asked.levels };
    let whole = Levels { gang: true, worker: false, vector: true };
    let open = (asked.levels == Levels::SEQUENTIAL || levels == whole)
        && asked.sizes == [None; 3]
        && region_sizes(ir, region) == [None; 3]
        && ir.attr(nest, MAPPING_ATTR).is_none();
    (open && ops.next().is_none()).then_some(nest)
}

impl TileContractions {
    /// The versions worth having of a contraction, the one for the largest sizes first.
    fn versions(
        &self,
        ir: &Ir,
        nest: &Contraction,
        arch: &Arch,
    ) -> Result<Vec<Version<'static>>, Diagnostic> {
        let plans = self.plans(ir, nest, arch)?;
        let last = plans.len().saturating_sub(1);
        // The code runs on later devices too, with more multiprocessors.
        let later = Arch::all().iter().filter(|other| other.number >= arch.number);
        let sms = later.map(|other| other.chip.sm_count).max().unwrap_or(arch.chip.sm_count);
        let version = |(i, plan): (usize, TilePlan)| {
            // A grid that leaves multiprocessors idle is not worth a large tile, unless it is weighed against smaller ones, to
            // which it gives way by itself; the smallest is worth it while a quarter of them works, or an eighth where it is
            // one of the weighed.
            let busy = match plan.weight {
                0 if i == last => sms.div_ceil(4),
                0 => sms,
                _ if i == last => sms.div_ceil(8),
                _ => sms.div_ceil(4),
            };
            // Where results have terms of their own, the longest blocks have as many as of a rectangle, and a thread a result half as many on
            // average: it is as good until the smallest blocks take turns.
            let turns = i64::from(sms + sms / 2) * plans[last].results() / plan.results();
            let busy = match nest.is_slanted() && plan.weight > 0 {
                true => turns.max(busy.into()),
                false => busy.into(),
            };
            Version { plan, least_blocks: self.least_blocks.unwrap_or(busy), placed: None }
        };
        let mut versions: Vec<_> = plans.iter().copied().enumerate().map(version).collect();
        // What arrays have no room for is not worth its text.
        let fits = |version: &Version<'_>| {
            nest.most_blocks(ir, &version.plan).is_none_or(|most| most >= version.least_blocks)
        };
        versions.retain(fits);
        Ok(versions)
    }

    /// The plans worth having for a contraction, the one for the largest sizes first.
    fn plans(&self, ir: &Ir, nest: &Contraction, arch: &Arch) -> Result<Vec<TilePlan>, Diagnostic> {
        let fits = |plan: &TilePlan| check(nest, plan, arch).is_ok();
        if let Some(plan) = self.given()? {
            if !fits(&plan) {
                let text = format!(
                    "the tiles of '{plan}' cannot be dealt over its threads, are too large, or want copies in the background that {} has not",
                    arch.name
                );
                return Err(Diagnostic::error(text)
                    .at_option(ir.ctx.place(ir.location(nest.nest)))
                    .help("sizes are powers of two; each thread copies an element of each tile at least; copies in the background are of sm_80 and later"));
            }
            let narrow = TilePlan { wide: false, ..plan };
            return Ok(if plan.wide { vec![plan, narrow] } else { vec![plan] });
        }
        let bytes = nest.bytes_of_sums(ir);
        // What is turned round on its way is not copied 16 bytes at a time in the background.
        let is_turned = nest.staged.iter().all(|load| load.contiguous_depth);
        let in_background = arch.has(Feature::CpAsync) && nest.has_same_terms() && !is_turned;
        let candidates = TilePlan::candidates(bytes, nest.most_tiles(), in_background);
        let mut plans: Vec<TilePlan> = candidates.into_iter().filter(fits).collect();
        // Rows of known length that are whole copies leave an odd number of columns, or a base in between, to the smaller plans: not worth
        // a large one's text twice.
        let has_whole_rows = |plan: &TilePlan| {
            let whole = |load| {
                Wide::of_tile(ir, nest, load, plan).is_some_and(|wide| wide.has_whole_rows())
            };
            nest.staged.iter().all(whole)
        };
        let mut narrow = (0..plans.len()).filter(|&at| !plans[at].wide);
        if let (Some(large), Some(_)) = (narrow.next(), narrow.next())
            && has_whole_rows(&plans[large])
        {
            plans.remove(large);
        }
        if !(nest.is_rectangle() && nest.has_same_terms()) {
            plans.iter_mut().for_each(|plan| plan.blocks_each = 1);
        }
        Ok(plans)
    }

    /// The plan that the options give.
    fn given(&self) -> Result<Option<TilePlan>, Diagnostic> {
        let (tile, thread) = (&self.tile_sizes[..], &self.thread_sizes[..]);
        let &[rows, columns, depth] = tile else {
            return match tile {
                [] => Ok(None),
                _ => Err(Diagnostic::error("tile-sizes are three: rows, columns and terms")),
            };
        };
        let &[down, across] = thread else {
            return Err(Diagnostic::error(
                "tile-sizes want thread-sizes: rows and columns of a thread",
            ));
        };
        let power = |n: &i64| u64::try_from(*n).is_ok_and(u64::is_power_of_two);
        let sizes = [rows, columns, depth, down, across];
        if !sizes.iter().all(power) || down > rows || across > columns {
            return Err(Diagnostic::error(
                "tile-sizes and thread-sizes are powers of two, and a thread's part of the tile",
            ));
        }
        Ok(Some(TilePlan {
            block: [rows, columns],
            depth,
            thread: [down, across],
            wide: self.wide,
            stages: self.stages.clamp(1, 16),
            weight: 0,
            blocks_each: 1,
        }))
    }
}

/// Puts the versions of the region in front of the region as it is.
fn make_versions(
    ir: &mut Ir,
    func: Op,
    region: RegionOp,
    contraction: Contraction,
    (versions, sms): (&[Version<'_>], i64),
    cx: &mut PassContext<'_>,
) -> Result<(), Diagnostic> {
    let (mut region, mut contraction) = (region, contraction);
    for (at, &Version { plan, least_blocks, placed }) in versions.iter().enumerate() {
        let plans: Vec<TilePlan> = versions.iter().map(|version| version.plan).collect();
        let rivals: Vec<TilePlan> = rivals_of(&plans, at).copied().collect();
        let refuse = |ir: &Ir, at: Op, rule: &str| match placed {
            Some(placed) => Err(placed.refused(ir, &Refusal::new(STEP, at, rule))),
            None => Ok(()),
        };
        let wide: Vec<Option<Wide>> = contraction
            .staged
            .iter()
            .map(|load| Wide::of_tile(ir, &contraction, load, &plan))
            .collect();
        let mut results: Vec<(Op, Wide)> = Vec::new();
        for &op in contraction.prologue.iter().chain(&contraction.epilogue) {
            let wide = Wide::of_result(ir, &contraction, op, &plan).filter(|_| plan.wide);
            results.extend(wide.map(|wide| (op, wide)));
        }
        if plan.wide && wide.iter().all(Option::is_none) {
            refuse(ir, contraction.nest, "no tile can be copied 16 bytes at a time")?;
            continue;
        }
        let step = Step::from(plan.step(loops(ir, &contraction), least_blocks));
        let mut b = Builder::before(&mut *ir, region.op());
        let asked = wide.iter().flatten().chain(results.iter().map(|(_, wide)| wide));
        let holds =
            conditions(&mut b, region, &contraction, (&plan, &rivals), (least_blocks, sms), asked);
        let Some(holds) = holds else {
            return refuse(ir, contraction.nest, "the host cannot compute how large the nest is");
        };
        let fallback = versions::copy_as_rest(ir, region.op());
        let tiles = contraction.staged.iter().zip(&wide);
        let tiles =
            tiles.map(|(load, wide)| Tile::new(load, &plan, plan.wide && wide.is_some())).collect();
        let mut b = Builder::before(ir, contraction.nest);
        let results = results.into_iter().map(|(op, _)| op).collect();
        let tiled = Emitter::new(&contraction, plan, tiles, results).emit(&mut b);
        ir.erase_op(contraction.nest);
        if !in_fallback(ir, region.op()) {
            let text = format!("Loop tiled where the grid fills the device: {plan}");
            let place = ir.ctx.place(ir.location(tiled));
            cx.report(Diagnostic::remark(text).at_option(place));
        }
        versions::choose(ir, holds, region.op(), fallback);
        if is_planned(ir, region.op()) {
            cx.step(ir, func, &step.to_string());
            record(ir, func, step);
        }
        // What is left for the next plan is the copy.
        region = RegionOp(fallback);
        let Some(Ok(next)) = open_nest(ir, region).map(|nest| Contraction::of(ir, nest)) else {
            return Ok(());
        };
        contraction = next;
    }
    Ok(())
}
