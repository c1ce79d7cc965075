//! `partition-arrays`: what `share` pragmas ask for, as steps of the plan.
//!
//! Needs the pragmas at the construct's function ([`Asked`]), and launches that are nests of their own. Leaves the IR as it was,
//! and the steps there. Of what a block works on of some arrays follows which iterations it executes, and what of the sizes is
//! open gets the values of the greatest profit (Li et al. 2016, §3.2, [`crate::analysis::sharing`]). What that partition is to
//! this compiler depends on the nest: a product has tiles ([`super::tile_contractions`]), arrays that are touched by columns
//! go through squares ([`super::stage_transposes`]), neighbours that are read together through tiles with a rim
//! ([`super::stage_stencils`]), rows that are summed up are read in order by lanes that share them
//! ([`super::spread_reductions`]), which needs no copy. Registers come with it where the paper enhances parallelism of instructions (§3.3.2).
//!
//! What cannot be done is refused at the pragma: an array that the nest does not use, lengths beyond the array or beyond
//! shared memory, a dependence. A construct that a plan was given for follows that.

use gpuc_arch::{Arch, WARP_SIZE};
use gpuc_diagnostics::{Diagnostic, Place};
use gpuc_dialects::offload::share::{ArraySpec, Length};
use gpuc_dialects::offload::{ORDERED_SUMS_ATTR, RegionOp};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};

use super::contraction::Contraction;
use super::lanes::row_nest::RowNest;
use super::lanes::spread_plan::SpreadPlan;
use super::stage_transposes::fits;
use super::stencil::Stencil;
use super::stencil_plan::StencilPlan;
use super::tile_contractions::{check, contraction, loops, open_nest};
use super::tile_plan::TilePlan;
use super::transposition::Transposition;
use super::wide::Wide;
use crate::analysis::access::{Access, known_name};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::sharing::Unsuited;
use crate::analysis::sharing::chosen::{Chosen, Question};
use crate::analysis::sharing::search::SharingLimits;
use crate::plan::asked::{self, Asked};
use crate::plan::step::SIDES;
use crate::plan::{Given, Step, is_planned, names, step};
use crate::steps::refusal::{Refusal, Witness};
use crate::target::target;
use crate::versions::in_fallback;

gpuc_ir::pass! {
    /// Find the steps that do what share pragmas ask for.
    PartitionArrays = "partition-arrays" on "func.func" {
        /// The device, whose table gives the memory of a block.
        arch: String = Arch::default_target().name.to_owned(),
        /// How often loops run of which that is not a number.
        trips: i64 = 1024,
    }
}

const STEP: &str = "partition-arrays";

/// Bytes of a transaction, and per cent of its size from which on what is loaded of an array is reused.
const TRANSACTION: i64 = 128;
const REUSE: i64 = 140;

/// Per cent of a block's memory that open lengths are to leave room in for other blocks, and all of it, which
/// lengths that are given may have.
const SHARES: [i64; 2] = [25, 100];

/// Terms at a time where no length is about them.
const TERMS: i64 = 16;

/// Results of a thread, rows and columns: of those that leave a block so many threads, the most.
const REGISTERS: [[i64; 2]; 6] = [[8, 8], [8, 4], [4, 4], [4, 2], [2, 2], [1, 1]];
const LEAST_THREADS: i64 = 64;

/// Rows of a thread of a stencil.
const ROWS_EACH: i64 = 4;

impl Pass for PartitionArrays {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let arch = target(&self.arch)?;
        if !(1..=1 << 30).contains(&self.trips) {
            return Err(Diagnostic::error("trips of partition-arrays are 1 to 2^30"));
        }
        let all = Asked::take(ir, op)?;
        cx.preserve_all();
        if all.is_empty() || Given::of(ir, op)?.is_some() {
            return Ok(());
        }
        let mut steps = Vec::new();
        for asked in &all {
            steps.push(self.steps(ir, op, asked, arch, cx)?);
        }
        asked::leave(ir, op, &steps);
        Ok(())
    }
}

/// What cannot be done, and with which array, where it is about one.
struct Forbidden {
    refusal: Refusal,
    array: Option<String>,
}

impl From<Refusal> for Forbidden {
    fn from(refusal: Refusal) -> Forbidden {
        Forbidden { refusal, array: None }
    }
}

impl PartitionArrays {
    /// The steps for one pragma.
    fn steps(
        &self,
        ir: &mut Ir,
        func: Op,
        asked: &Asked,
        arch: &Arch,
        cx: &mut PassContext<'_>,
    ) -> Result<Vec<Step>, Diagnostic> {
        let refused = |ir: &Ir, Forbidden { refusal, array }: Forbidden| {
            let place = |name: &String| asked.arrays.iter().find(|(spec, _)| spec.name == *name);
            let place = array.as_ref().and_then(place).map(|(_, place)| place);
            error(ir, asked, place, &refusal)
        };
        let Some(at) = names::find(ir, func, &asked.nest) else {
            let rule = format!("there is no loop '{}' any more", asked.nest);
            let known = names::all(ir, func).join(", ");
            let error = asked.error(None, format!("'share' is refused: {rule}"));
            return Err(error.help(format!("loops are {known} by then")));
        };
        let nest = cx.analysis::<Nest>(ir, func);
        let nests = open_nests(ir, at);
        if nests.is_empty() {
            return Err(refused(ir, not_open(ir, at, &nest).into()));
        }
        let specs: Vec<ArraySpec> = asked.arrays.iter().map(|(spec, _)| spec.clone()).collect();
        let mut used: Vec<&str> = Vec::new();
        let mut steps = Vec::new();
        for &own in &nests {
            let accesses = nest.accesses(own).map_err(|unknown| {
                let rule = "what this does to memory is not known";
                refused(ir, Refusal::new(STEP, unknown, rule).into())
            })?;
            let uses = |spec: &&ArraySpec| {
                accesses.iter().any(|access| known_name(ir, access.root) == Some(&spec.name))
            };
            let here: Vec<ArraySpec> = specs.iter().filter(uses).cloned().collect();
            used.extend(specs.iter().filter(uses).map(|spec| &*spec.name));
            if here.is_empty() {
                continue;
            }
            beyond_arrays(ir, own, accesses, &here).map_err(|why| refused(ir, why))?;
            let chosen = self.partition(ir, own, accesses, &here, arch);
            let chosen = chosen.map_err(|why| refused(ir, why))?;
            let found = Nesting { nest: own, chosen: &chosen, arch };
            let found = found.steps(ir, &nest).map_err(|why| refused(ir, why))?;
            cx.report(remark(&chosen, &found).at(asked.place.clone()));
            steps.extend(found);
        }
        match specs.iter().find(|spec| !used.contains(&&*spec.name)) {
            Some(spec) => {
                let rule = Unsuited::NoSuchArray(spec.name.clone()).to_string();
                let refusal = Refusal::new(STEP, nests[0], rule);
                Err(refused(ir, Forbidden { refusal, array: Some(spec.name.clone()) }))
            }
            None => Ok(steps),
        }
    }

    /// The partition of the greatest profit: in a part of the block's memory, so that there are several blocks; else in all of it.
    fn partition(
        &self,
        ir: &Ir,
        nest: Op,
        accesses: &[Access],
        specs: &[ArraySpec],
        arch: &Arch,
    ) -> Result<Chosen, Forbidden> {
        let mut why = Unsuited::NoThreads;
        for share in SHARES {
            let limits = SharingLimits {
                shared: arch.limits.shared_per_block.into(),
                share,
                threads: (arch.limits.max_warps_per_sm * arch.limits.warp_size).into(),
                reuse: REUSE,
            };
            let (trips, transaction) = (self.trips, TRANSACTION);
            let question = Question { specs, threads: &[], trips, transaction, limits };
            match Chosen::of(ir, accesses, nest, question) {
                Ok(chosen) => return Ok(chosen),
                Err(unsuited) => why = unsuited,
            }
        }
        let refusal = Refusal::new(STEP, nest, why.to_string());
        Err(match why {
            Unsuited::NothingFits { needed, available } => {
                let rule = "what a block works on is larger than its memory";
                let refusal = Refusal { rule: rule.to_owned(), ..refusal };
                let refusal = refusal.limit("bytes", needed, available);
                refusal.way_round("give shorter lengths, or leave some open: `*`").into()
            }
            Unsuited::NoSuchArray(array)
            | Unsuited::Dimensions { array, .. }
            | Unsuited::Length(array)
            | Unsuited::NotAffine(array)
            | Unsuited::NoHull(array) => Forbidden { refusal, array: Some(array) },
            Unsuited::NoThreads => refusal.into(),
        })
    }
}

/// The error about a refusal, at the array or the pragma.
fn error(ir: &Ir, asked: &Asked, place: Option<&Place>, refusal: &Refusal) -> Diagnostic {
    let mut error = asked.error(place, format!("'share' is refused: {}", refusal.rule));
    if let Some(place) = refusal.at.and_then(|op| ir.ctx.place(ir.location(op))) {
        error = error.related(place, "here");
    }
    refusal.helps(ir).into_iter().fold(error, Diagnostic::help)
}

/// The nests of launches that a loop is in, or that are in it, of which nobody has said who executes them.
fn open_nests(ir: &Ir, at: Op) -> Vec<Op> {
    let around = ir.ancestors(at).find_map(|op| RegionOp::cast(ir, op));
    let regions: Vec<RegionOp> = match around {
        Some(region) => vec![region],
        None => {
            let inside = ir.nested_ops(at, WalkOrder::PreOrder).into_iter();
            inside.filter_map(|op| RegionOp::cast(ir, op)).collect()
        }
    };
    let planned = |region: &RegionOp| is_planned(ir, region.op()) && !in_fallback(ir, region.op());
    regions.into_iter().filter(planned).filter_map(|region| open_nest(ir, region)).collect()
}

/// Why there is no nest of threads: a dependence, or what the program says.
fn not_open(ir: &Ir, at: Op, nest: &Nest) -> Refusal {
    if !ir.is_sequential_loop(at) {
        return Refusal::new(
            STEP,
            at,
            "it is not the one parallel loop of a launch, or the program says who executes it",
        )
        .way_round("leave gangs, workers and vectors of these loops to the compiler");
    }
    let rule = "the loop does not run in threads: its iterations depend on each other";
    let mut refusal = Refusal::new(STEP, at, rule);
    if let (Ok(graph), Some(variable)) =
        (nest.graph(ir, &[at], Apart::Assumed), ir.loop_dimensions(at).first())
    {
        let edge = graph.carried_by(variable.variable).next();
        refusal.witness = edge.map(|edge| Witness::new(edge, None));
    }
    refusal
}

/// Lengths that are longer than the array.
fn beyond_arrays(
    ir: &Ir,
    nest: Op,
    accesses: &[Access],
    specs: &[ArraySpec],
) -> Result<(), Forbidden> {
    for spec in specs {
        let named = |access: &&Access| known_name(ir, access.root) == Some(&spec.name);
        let Some(access) = accesses.iter().find(named) else { continue };
        let shape = ir.ctx.shape(ir.ty(access.buffer)).unwrap_or_default();
        // What is wrong with the number of lengths is said with the partition.
        for (dim, (length, &has)) in spec.lengths.iter().zip(shape).enumerate() {
            let Length::Of(expression) = length else { continue };
            if !expression.is_fixed() || has < 0 || spec.lengths.len() != shape.len() {
                continue;
            }
            let Some(given) = expression.value([1; 3]).filter(|&given| given > has) else {
                continue;
            };
            let rule =
                format!("a length of `{}` passes the end of its dimension {}", spec.name, dim + 1);
            let refusal = Refusal::new(STEP, nest, rule).limit("elements", given, has);
            return Err(Forbidden { refusal, array: Some(spec.name.clone()) });
        }
    }
    Ok(())
}

/// What was found, as a remark.
fn remark(chosen: &Chosen, steps: &[Step]) -> Diagnostic {
    let [x, y, z] = chosen.partition.point.block;
    let arrays: Vec<&str> = chosen.arrays.iter().map(|(name, _)| &**name).collect();
    let mut remark = Diagnostic::remark(format!(
        "share: blocks of {x} by {y} by {z} iterations, of the candidates {}",
        arrays.join(", ")
    ));
    for step in steps {
        remark = remark.help(format!("`{step}`"));
    }
    remark
}

/// A nest with its partition.
struct Nesting<'a> {
    nest: Op,
    chosen: &'a Chosen,
    arch: &'a Arch,
}

impl Nesting<'_> {
    /// The steps that bring the partition about.
    fn steps(&self, ir: &mut Ir, nest: &Nest) -> Result<Vec<Step>, Forbidden> {
        let why = match contraction(ir, self.nest) {
            Ok(found) => return Ok(self.tiles(ir, &found)?),
            Err(why) => why,
        };
        if let Some(found) = Transposition::of(ir, self.nest) {
            return Ok(self.squares(ir, &found)?);
        }
        if let Some(found) = Stencil::of(ir, self.nest)
            && let Some(step) = self.neighbours(ir, &found)?
        {
            return Ok(vec![step]);
        }
        if let Some(step) = self.rows(ir) {
            return Ok(vec![step]);
        }
        self.overwritten(ir, nest)?;
        let rule = format!(
            "nothing brings these arrays into memory of the block: {why}, no array is touched by columns, no neighbours are read together, and no rows are summed up out of order"
        );
        Err(Refusal::new(STEP, self.nest, rule).into())
    }

    /// An array that the nest reads and writes is not copied ahead of it: a dependence forbids it.
    fn overwritten(&self, ir: &Ir, nest: &Nest) -> Result<(), Forbidden> {
        let graph = nest.graph(ir, &[self.nest], Apart::Assumed);
        let seeds = self.chosen.seeds.iter().map(|seed| seed.array);
        for array in seeds {
            let edges = graph.iter().flat_map(|graph| &graph.edges);
            let mut edges = edges.filter(|edge| edge.source.root == array);
            let Some(edge) = edges.next() else { continue };
            let name = known_name(ir, array).unwrap_or("?").to_owned();
            let rule = format!(
                "the nest writes to `{name}` too, and memory of the block is for what it only reads"
            );
            let witness = Some(Witness::new(edge, None));
            let refusal = Refusal { witness, ..Refusal::new(STEP, self.nest, rule) };
            return Err(Forbidden { refusal, array: Some(name) });
        }
        Ok(())
    }

    fn size(&self, variable: Value) -> i64 {
        self.chosen.at_a_time(variable).unwrap_or(TERMS)
    }

    /// Tiles of a product: what a block makes, so many terms at a time, several results a thread.
    fn tiles(&self, ir: &Ir, found: &Contraction) -> Result<Vec<Step>, Refusal> {
        let [rows, columns, depth] = found.variables(ir, 0).map(|variable| self.size(variable));
        let names = loops(ir, found);
        let plan = |thread: [i64; 2], wide: bool| -> Result<TilePlan, Refusal> {
            let plan = TilePlan {
                block: [rows, columns],
                depth,
                thread,
                wide,
                stages: 1,
                blocks_each: 1,
                weight: 0,
            };
            let plan = TilePlan::of_step(&plan.step(names.clone(), 1));
            let plan = plan.map_err(|rule| Refusal::new(STEP, self.nest, rule))?;
            check(found, &plan, self.arch).map(|()| plan)
        };
        let mut why = None;
        for thread in REGISTERS {
            if thread[0] > rows || thread[1] > columns {
                continue;
            }
            match plan(thread, false) {
                Ok(own) if own.thread_count() >= LEAST_THREADS || thread == [1, 1] => {
                    let wide = TilePlan { wide: true, ..own };
                    let is_wide = |load| Wide::of_tile(ir, found, load, &wide).is_some();
                    let both = [wide, own].into_iter();
                    let both = both.skip(usize::from(!found.staged.iter().any(is_wide)));
                    return Ok(both.map(|plan| plan.step(names.clone(), 1).into()).collect());
                }
                Ok(_) => {}
                Err(refusal) => why = Some(refusal),
            }
        }
        let none = || Refusal::new(STEP, self.nest, "no thread has a part of such a tile");
        Err(why.unwrap_or_else(none))
    }

    /// Squares of arrays that are touched by columns.
    fn squares(&self, ir: &Ir, found: &Transposition) -> Result<Vec<Step>, Refusal> {
        let sides = found.variables().map(|variable| self.size(variable));
        let [side, other] = sides;
        if side != other || !SIDES.contains(&side) {
            let rule = format!(
                "arrays that are touched by columns go through squares of 8, 16, 32 or 64 iterations each way, not {side} by {other}"
            );
            let way = "give two such lengths, or leave them open: `*`";
            return Err(Refusal::new(STEP, self.nest, rule).way_round(way));
        }
        if !fits(ir, found, side, self.arch) {
            let rule = "the squares of these arrays do not fit memory of the block";
            return Err(Refusal::new(STEP, self.nest, rule));
        }
        let loops = found.variables().map(|variable| name_of(ir, variable));
        Ok(vec![step::Stage { loops, side, least: 1 }.into()])
    }

    /// Rows that are each summed up on their own: lanes that share them read them in order, which is what copies ahead of one
    /// thread a row are for. So many lanes as the block works on columns at a time, a warp's at most; none where that asks
    /// for no fewer sectors.
    fn rows(&self, ir: &Ir) -> Option<Step> {
        let ordered = ir.ancestors(self.nest).any(|op| ir.attr(op, ORDERED_SUMS_ATTR).is_some());
        let found = RowNest::of(ir, self.nest, !ordered).ok()?;
        let [inner] = &found.loops[..] else { return None };
        let (variable, warp) = (inner.dimension(ir)?.variable, i64::from(WARP_SIZE));
        let columns = match self.chosen.is_open(variable) {
            true => warp,
            false => self.size(variable).clamp(1, warp),
        };
        let width = 1 << columns.ilog2();
        let plan = SpreadPlan::new(width, self.arch)?;
        found.gains(ir, plan.width).then(|| {
            let rows = names::of_loop(ir, self.nest);
            step::Spread { rows, width, columns: 0, rounds: 1, most: 0 }.into()
        })
    }

    /// Neighbours that are read together; none where the pragma's arrays have none.
    fn neighbours(&self, ir: &Ir, found: &Stencil) -> Result<Option<Step>, Refusal> {
        let block = found.variables().map(|variable| self.size(variable));
        let rows = if block[0] % ROWS_EACH == 0 { ROWS_EACH } else { 1 };
        let mut plan = StencilPlan::of(ir, found, block, rows);
        let seeds = || self.chosen.seeds.iter().map(|seed| known_name(ir, seed.array));
        plan.shared.retain(|tile| seeds().any(|name| name == Some(&tile.array)));
        if plan.shared.is_empty() {
            return Ok(None);
        }
        plan.check(ir, found, self.arch)?;
        Ok(Some(plan.step(1).into()))
    }
}

fn name_of(ir: &Ir, variable: Value) -> String {
    names::of_variable(ir, variable).unwrap_or("?").to_owned()
}
