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

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::AffineParallelOp;
use gpuc_dialects::offload::RegionOp;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, WalkOrder};

use super::contraction::Contraction;
use super::emit::Emitter;
use super::stage::Tile;
use super::tile_plan::TilePlan;
use super::wide::{Wide, conditions};
use crate::parallel::schedule::{Asked, region_sizes};
use crate::versions::{self, in_fallback};

gpuc_ir::pass! {
    /// Tile products of matrices and their kind in registers and in memory of the block.
    TileContractions = "tile-contractions" on "func.func" {
        /// The device, whose table gives the number of multiprocessors and their memory.
        arch: String = Arch::default_target().name.to_owned(),
    }
}

impl Pass for TileContractions {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let Some(arch) = Arch::by_name(&self.arch) else {
            return Err(Diagnostic::error(format!("there is no target '{}'", self.arch)));
        };
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let Some(region) = RegionOp::cast(ir, inner) else { continue };
            if !in_fallback(ir, inner)
                && let Some(nest) = open_nest(ir, region)
                && let Ok(contraction) = Contraction::of(ir, nest)
            {
                let plans = plans(ir, &contraction, arch);
                make_versions(ir, region, &plans, arch, cx);
            }
        }
        Ok(())
    }
}

/// The one parallel loop that a region consists of, if nothing says how it is to be mapped.
fn open_nest(ir: &Ir, region: RegionOp) -> Option<Op> {
    let seen = |&op: &Op| !ir.is_effect_free(op) && !ir.has_trait(op, Traits::TERMINATOR);
    let mut ops = ir.ops(region.block(ir)).filter(seen);
    let nest = ops.next().filter(|&op| AffineParallelOp::is(ir, op))?;
    let asked = Asked::of(ir, nest);
    let open = asked == Asked::default()
        && region_sizes(ir, region) == [None; 3]
        && ir.attr(nest, MAPPING_ATTR).is_none();
    (open && ops.next().is_none()).then_some(nest)
}

/// The plans worth having for a contraction, the one for the largest sizes first.
fn plans(ir: &Ir, nest: &Contraction, arch: &Arch) -> Vec<TilePlan> {
    let bytes = nest.sums.iter().map(|&ty| gpuc_dialects::memref::scalar_bytes(&ir.ctx, ty));
    let bytes: u64 = bytes.map(|bytes| bytes.unwrap_or(8)).sum();
    let candidates = TilePlan::candidates(bytes as i64);
    let fits = |plan: &TilePlan| {
        let tiles = || nest.staged.iter().map(|load| Tile::new(load, plan, false));
        tiles().all(|tile| tile.divides(plan.thread_count()))
            && plan.fits(arch, tiles().map(|tile| tile.bytes()))
    };
    let fitting: Vec<TilePlan> = candidates.into_iter().filter(fits).collect();
    let (Some(&large), Some(&small)) = (fitting.first(), fitting.last()) else { return Vec::new() };
    let narrow = |plan: TilePlan| TilePlan { wide: false, ..plan };
    let mut plans = vec![large, narrow(large)];
    if small != large {
        plans.push(narrow(small));
    }
    plans
}

/// Puts a version of the region for each plan in front of the region as it is.
fn make_versions(
    ir: &mut Ir,
    region: RegionOp,
    plans: &[TilePlan],
    arch: &Arch,
    cx: &mut PassContext<'_>,
) {
    let mut region = region;
    let last = plans.len().saturating_sub(1);
    for (i, &plan) in plans.iter().enumerate() {
        let Some(nest) = open_nest(ir, region) else { return };
        let Ok(contraction) = Contraction::of(ir, nest) else { return };
        let wide: Vec<Option<Wide>> =
            contraction.staged.iter().map(|load| Wide::of(ir, &contraction, load, &plan)).collect();
        if plan.wide && wide.iter().all(Option::is_none) {
            continue;
        }
        // A grid that leaves multiprocessors idle is not worth a large tile; the smallest is worth it
        // while a quarter of them works.
        let sms = arch.chip.sm_count;
        let least_blocks = i64::from(if i == last { sms.div_ceil(4) } else { sms });
        let mut b = Builder::before(&mut *ir, region.op());
        let Some(holds) =
            conditions(&mut b, region, &contraction, &plan, least_blocks, wide.iter().flatten())
        else {
            return;
        };
        let fallback = versions::copy_as_fallback(ir, region.op());
        let tiles = contraction.staged.iter().zip(&wide);
        let tiles =
            tiles.map(|(load, wide)| Tile::new(load, &plan, plan.wide && wide.is_some())).collect();
        let mut b = Builder::before(ir, nest);
        let tiled = Emitter::new(&contraction, plan, tiles).emit(&mut b);
        ir.erase_op(nest);
        if i == 0 {
            let text = format!("Loop tiled where the grid fills the device: {plan}");
            let place = ir.ctx.place(ir.location(tiled));
            cx.report(Diagnostic::remark(text).at_option(place));
        }
        versions::choose(ir, holds, region.op(), fallback);
        region = RegionOp(fallback);
    }
}
