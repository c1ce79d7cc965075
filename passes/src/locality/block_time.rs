//! `block-time`: several steps of a stencil over time in one launch, in tiles that overlap.
//!
//! Needs a loop of the host round two regions with a nest of parallel loops each, which write two arrays in turns
//! ([`super::time_sweeps`]). Leaves another loop of the host in front of it, of two regions as well: each block copies what its
//! iterations and their neighbours of some steps read into its memory, executes the steps there, and stores what is right to
//! the end; blocks execute neighbours' iterations again rather than wait for each other (overlapped tiling: Meng and Skadron,
//! ICS 2009; Holewinski et al., ICS 2012). The first region goes from one array to the other, the second one back. The loop as it
//! was does the steps that are left, at least one: it leaves both arrays as the program would.
//!
//! Chosen where the device's table says that it takes less, with a remark, and done where the host finds enough blocks.

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::offload::mapping::MAPPING_ATTR;
use gpuc_dialects::offload::{HOST_LOOP_ATTR, RegionOp};
use gpuc_dialects::{arith, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::tile_contractions::open_nest;
use super::time_choice::{Choice, busy, choose};
use super::time_plan::{Expected, TimePlan};
use super::time_sweeps::{Sweeps, Unsuitable, join};
use super::wide::enough_and_apart;
use super::{time_planes, time_tiles};
use crate::plan::text::Placed;
use crate::plan::{Given, is_planned, names, record, step};
use crate::steps::refusal::Refusal;
use crate::target::target;
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Execute several steps of a stencil over time in one launch.
    BlockTime = "block-time" on "func.func" {
        /// The device, whose table gives the number of multiprocessors and their memory.
        arch: String = Arch::default_target().name.to_owned(),
        /// Steps, rows and columns of a tile, rows of a thread, and planes of a block, instead of those for the device.
        tile_sizes: Vec<i64> = Vec::new(),
        /// Blocks that a grid must have, instead of as many as keep the device busy.
        least_blocks: Option<i64> = None,
    }
}

/// Sizes that the options may give.
const LARGEST: i64 = 4096;
/// Planes of a block where the options give none.
const USUAL_PLANES: i64 = 64;

impl Pass for BlockTime {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        let sizes = self.given()?;
        let given = Given::of(ir, op)?;
        let steps = given.as_ref().map(Given::of_kind::<step::Block>);
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            let is_loop = ir.attr(inner, HOST_LOOP_ATTR).is_some();
            let Some(time) = scf::ForOp::cast(ir, inner).filter(|_| is_loop) else { continue };
            let planned = is_planned(ir, inner);
            if in_fallback(ir, inner) && !(planned && steps.is_some()) {
                continue;
            }
            let Some(regions) = round(ir, time) else { continue };
            let joined = join(ir, regions);
            let steps = steps.as_ref().filter(|_| planned);
            let name = names::of(ir, inner);
            let own: Vec<&(step::Block, &Placed)> =
                steps.into_iter().flatten().filter(|(step, _)| step.time.0 == name).collect();
            let sweeps = match check_time(ir, time).and_then(|()| Sweeps::of(ir, joined)) {
                Ok(sweeps) => sweeps,
                Err(why) => {
                    ir.erase_op(joined.op());
                    match (why, own.first()) {
                        (Unsuitable::Refused(refusal), Some((_, placed))) => {
                            return Err(placed.refused(ir, &at_loop(&refusal, inner)));
                        }
                        (Unsuitable::Refused(refusal), None) if steps.is_none() => {
                            cx.report(at_loop(&refusal, inner).remark(ir));
                        }
                        _ => {}
                    }
                    continue;
                }
            };
            let found = match steps {
                Some(_) => {
                    let tiles = own.iter().map(|(step, placed)| {
                        planned_tiles(ir, &sweeps, step, placed, inner, arch)
                    });
                    tiles.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect()
                }
                None => self.choose(ir, &sweeps, time, sizes, arch),
            };
            ir.erase_op(joined.op());
            // What one leaves is the next one's.
            for (plan, expected, blocks) in found {
                let joined = join(ir, regions);
                let Ok(sweeps) = Sweeps::of(ir, joined) else {
                    ir.erase_op(joined.op());
                    break;
                };
                let loops = plan.loops(ir, &sweeps);
                let time_of = (name.clone(), plan.steps);
                let taken = step::Block { time: time_of, loops, rows: plan.rows_each, blocks };
                if block(ir, time, joined, &sweeps, plan, blocks).is_none() {
                    break;
                }
                cx.report(said(ir, &sweeps, plan, expected, &taken, inner));
                if planned {
                    record(ir, op, taken);
                }
            }
        }
        let mut left = steps.iter().flatten().filter(|(_, placed)| !placed.is_taken(ir, op));
        if let Some((step, placed)) = left.next() {
            let at = placed.find(ir, op, &step.time.0)?;
            for (name, _) in &step.loops {
                placed.find(ir, op, name)?;
            }
            let rule = "the loop is none of the host round two sweeps of these loops that write two arrays in turns";
            return Err(placed.refused(ir, &Refusal::new("block-time", at, rule)));
        }
        Ok(())
    }
}

/// A refusal at the loop over time where what it is about is gone.
fn at_loop(refusal: &Refusal, time: Op) -> Refusal {
    Refusal { at: Some(time), ..refusal.clone() }
}

/// The two regions of a round, each with a nest that nothing was decided about; nothing else happens in it.
fn round(ir: &Ir, time: scf::ForOp) -> Option<[RegionOp; 2]> {
    let mut regions = Vec::new();
    for op in ir.ops(time.body(ir)) {
        match RegionOp::cast(ir, op) {
            Some(region) => regions.push(region),
            None if ir.has_trait(op, Traits::TERMINATOR) => {}
            None if ir.is_speculatable(op) && ir.regions(op).is_empty() => {}
            None => return None,
        }
    }
    let [first, second] = regions[..] else { return None };
    let open = |region: RegionOp| {
        let nest = open_nest(ir, region).filter(|&nest| ir.attr(nest, MAPPING_ATTR).is_none());
        nest.is_some() && ir.results(region.op()).is_empty()
    };
    (open(first) && open(second)).then_some([first, second])
}

/// That rounds do not differ but by what they find.
fn check_time(ir: &Ir, time: scf::ForOp) -> Result<(), Unsuitable> {
    let refuse = |rule: &str| {
        Err(Unsuitable::Refused(Box::new(Refusal::new("block-time", time.op(), rule))))
    };
    let step = arith::constant_index_value(ir, time.step(ir));
    if step != Some(1) || !ir.results(time.op()).is_empty() {
        return refuse("the loop over time carries values, or does not count by 1");
    }
    if !ir.is_unused(time.induction_var(ir)) {
        return refuse("a step depends on its number");
    }
    Ok(())
}

/// The tiles that a step of the plan says.
fn planned_tiles(
    ir: &Ir,
    sweeps: &Sweeps,
    step: &step::Block,
    placed: &Placed,
    time: Op,
    arch: &Arch,
) -> Result<Option<Choice>, Diagnostic> {
    let Some(plan) = TimePlan::given(ir, sweeps, step) else { return Ok(None) };
    let check = plan.check(ir, sweeps, arch);
    check.map_err(|refusal| placed.refused(ir, &at_loop(&refusal, time)))?;
    Ok(Some((plan, plan.expect(ir, sweeps, arch, i64::MAX), step.blocks)))
}

impl BlockTime {
    /// The sizes that the options give.
    fn given(&self) -> Result<Option<[i64; 5]>, Diagnostic> {
        let sizes = match self.tile_sizes[..] {
            [] => return Ok(None),
            [steps, rows, columns, each] => [steps, rows, columns, each, USUAL_PLANES],
            [steps, rows, columns, each, planes] => [steps, rows, columns, each, planes],
            _ => [0; 5],
        };
        if sizes.iter().all(|size| (1..=LARGEST).contains(size)) {
            return Ok(Some(sizes));
        }
        let text = "tile-sizes are four or five, from 1: steps, rows and columns of a tile, rows of a thread, planes of a block";
        Err(Diagnostic::error(text))
    }

    /// The tiles of sweeps without a plan, and the blocks that there must be, those for more of them first.
    fn choose(
        &self,
        ir: &Ir,
        sweeps: &Sweeps,
        time: scf::ForOp,
        sizes: Option<[i64; 5]>,
        arch: &Arch,
    ) -> Vec<Choice> {
        let mut found = match sizes {
            Some([steps, rows, columns, rows_each, planes]) => {
                let (tile, rows_each) = match sweeps.has_rows {
                    true => ([rows, columns], rows_each),
                    false => ([1, columns], 1),
                };
                let planes = if sweeps.planes.is_some() { planes } else { 1 };
                let plan = TimePlan { steps, tile, rows_each, planes };
                match plan.check(ir, sweeps, arch) {
                    Ok(()) => vec![(plan, plan.expect(ir, sweeps, arch, i64::MAX), busy(arch))],
                    Err(_) => Vec::new(),
                }
            }
            None => choose(ir, sweeps, time, arch),
        };
        if let Some(least) = self.least_blocks {
            found.truncate(1);
            found.iter_mut().for_each(|(.., blocks)| *blocks = least);
        }
        found
    }
}

/// Puts a loop of launches for several steps in front of the loop over time, which does what is left. Takes the joined region
/// away; `None` where the host cannot know what it has to.
fn block(
    ir: &mut Ir,
    time: scf::ForOp,
    joined: RegionOp,
    sweeps: &Sweeps,
    plan: TimePlan,
    blocks: i64,
) -> Option<()> {
    let mut b = Builder::before(&mut *ir, time.op());
    let mut sides = vec![1; sweeps.dims.len()];
    for (side, core) in plan.core(sweeps).into_iter().enumerate() {
        sides[sweeps.tiled[side]] = core;
    }
    if let Some(planes) = sweeps.planes {
        sides[planes] = plan.planes;
    }
    let parts = (&sweeps.dims[..], &sides[..]);
    let holds = enough_and_apart(&mut b, time.op(), parts, blocks, &sweeps.apart);
    let Some(holds) = holds else {
        ir.erase_op(joined.op());
        return None;
    };
    let [none, one, both] =
        [0, 1, 2 * plan.steps].map(|number| arith::constant_index(&mut b, number));
    let (lower, upper) = (time.lowerBound(&b), time.upperBound(&b));
    let steps = arith::SubIOp::new(&mut b, upper, lower).value(&mut b);
    // At least one step is left.
    let steps = arith::SubIOp::new(&mut b, steps, one).value(&mut b);
    let steps = arith::MaxSIOp::new(&mut b, steps, none).value(&mut b);
    let pairs = arith::DivSIOp::new(&mut b, steps, both).value(&mut b);
    let pairs = arith::SelectOp::new(&mut b, holds, pairs, none).value(&mut b);
    let done = arith::MulIOp::new(&mut b, pairs, both).value(&mut b);
    let start = arith::AddIOp::new(&mut b, lower, done).value(&mut b);
    let launches = b.clone_op(time.op(), &mut ValueMap::new());
    b.insert(launches);
    set_bounds(ir, launches, none, pairs);
    ir.set_operand(time.op(), 0, start);
    ir.erase_op(joined.op());
    let launches = scf::ForOp::cast(ir, launches)?;
    let regions: Vec<Op> = ir.ops(launches.body(ir)).filter(|&op| RegionOp::is(ir, op)).collect();
    let [there, first, second] = regions[..] else { return None };
    let back = ir.clone_op(there, &mut ValueMap::new());
    ir.insert_before(first, back);
    for region in [first, second] {
        ir.erase_op(region);
    }
    for (from, region) in [there, back].into_iter().enumerate() {
        let region = RegionOp::cast(ir, region)?;
        let sweeps = Sweeps::of(ir, region).ok()?;
        let nests = [0, 1].map(|sweep: usize| sweeps.each[sweep].nest);
        let b = &mut Builder::before(ir, nests[1]);
        match sweeps.planes {
            Some(planes) => time_planes::emit(b, &sweeps, plan, from, planes),
            None => time_tiles::emit(b, &sweeps, plan, from),
        };
        for nest in nests {
            ir.erase_op(nest);
        }
    }
    Some(())
}

fn set_bounds(ir: &mut Ir, launches: Op, lower: Value, upper: Value) {
    ir.set_operand(launches, 0, lower);
    ir.set_operand(launches, 1, upper);
}

/// What is said of it.
fn said(
    ir: &Ir,
    sweeps: &Sweeps,
    plan: TimePlan,
    expected: Expected,
    step: &step::Block,
    time: Op,
) -> Diagnostic {
    let sides: Vec<String> =
        step.loops.iter().map(|(name, size)| format!("{name} by {size}")).collect();
    let core = plan.core(sweeps);
    let right =
        if sweeps.has_rows { format!("{} by {}", core[0], core[1]) } else { core[1].to_string() };
    let from = match step.blocks {
        0 => String::new(),
        blocks => format!(", from {blocks} blocks on"),
    };
    let text = format!(
        "{} steps a launch in shared memory{from}: tile {}, of which {right} are right at the end; \
         {:.1} clocks a step of a warp's iterations expected, {:.1} as it was",
        plan.steps,
        sides.join(", "),
        expected.blocked,
        expected.plain,
    );
    Diagnostic::remark(text).at_option(ir.ctx.place(ir.location(time)))
}
