//! `affine-loop-tile`: perfect nests in tiles.
//!
//! Needs `affine.for` loops that stand directly in each other, that carry no values, and whose bounds
//! do not depend on each other. Each loop becomes one over tiles and, inside all of those, one over the
//! iterations of a tile; where tiles need not divide the iterations, the upper bound of the latter is a
//! minimum. Legal where all loops can be exchanged: no dependence may go backwards in any of them. After
//! MLIR's pass of the same name, which looks at the nest's shape alone when it is called as a function,
//! and takes different arguments to be different memory; and after Wolf and Lam, "A data locality
//! optimizing algorithm", 1991, §3.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineForOp, AffineIfOp, AffineValue, AffineYieldOp, compose_set};
use gpuc_dialects::memref;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Value, ValueMap};
use gpuc_presburger::dependence::Direction;
use gpuc_presburger::{Affine, Constraint, Var};
use indexmap::IndexMap;

use super::refusal::{Refusal, Witness};
use super::trips::{constant_trips, divisor};
use super::{apart, free, on_outermost_loops};
use crate::analysis::access::Access;
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::Edge;
use crate::analysis::nest::touched::TouchedBox;

gpuc_ir::pass! {
    /// Tile perfect nests, where dependences allow it.
    AffineLoopTile = "affine-loop-tile" on "func.func" {
        /// Whether variables that are mapped to the device are taken not to overlap.
        assume_apart: bool = false,
        /// KiB that what a tile touches is to fit in, where no sizes are given: they are chosen then; 0: no tiles.
        cache_size: Option<u64> = None,
        /// Whether tiles that are known to be whole, at run time, have loops of their own without minima.
        separate: bool = false,
        /// Iterations of a tile in every loop; 0 where `tile-sizes` says them.
        tile_size: i64 = 0,
        /// Iterations of a tile in each loop from the outermost in; 4 in those not named.
        tile_sizes: Vec<i64> = Vec::new(),
    }
}

/// Iterations of a tile in loops of which nothing is said, as upstream has it.
const DEFAULT: i64 = 4;
const STEP: &str = "affine-loop-tile";

/// Sizes that are looked at for one that divides the iterations.
const MOST_DIVISORS: usize = 1 << 12;

impl Pass for AffineLoopTile {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        if self.tile_size < 0 || self.tile_sizes.iter().any(|&size| size <= 0) {
            return Err(Diagnostic::error("a tile has at least one iteration".to_owned()));
        }
        let apart = apart(self.assume_apart);
        on_outermost_loops(ir, op, cx, |ir, nest, root| {
            let band = band(ir, root);
            let size = |index: usize| match self.tile_size {
                0 => self.tile_sizes.get(index).copied().unwrap_or(DEFAULT),
                size => size,
            };
            let sizes: Vec<i64> = match self.cache_size {
                Some(kib) if self.tile_size == 0 && self.tile_sizes.is_empty() => {
                    fitting(ir, nest, &band, kib)
                }
                _ => (0..band.len()).map(size).collect(),
            };
            let made = tile(ir, nest, root, &sizes, apart)?;
            if self.separate {
                let first =
                    made.first().map(|&outermost| tile_loops(ir, outermost, 2 * sizes.len()));
                separate(ir, &first.unwrap_or_default()[sizes.len()..], &sizes);
            }
            Ok(made)
        });
        Ok(())
    }
}

/// The loops that stand directly in each other, from `root` in.
pub(super) fn band(ir: &Ir, root: Op) -> Vec<AffineForOp> {
    let mut loops = Vec::new();
    let mut at = AffineForOp::cast(ir, root);
    while let Some(view) = at {
        loops.push(view);
        let ops: Vec<Op> = ir.ops(view.body(ir)).collect();
        at = match ops[..] {
            [inner, end] if AffineYieldOp::is(ir, end) => AffineForOp::cast(ir, inner),
            _ => None,
        };
    }
    loops
}

/// Sizes of tiles so that what one touches fits into a cache of so many KiB, as upstream's pass has them: each loop has the
/// root of the excess, the innermost what is left of it, and tiles divide the iterations where these are known.
fn fitting(ir: &mut Ir, nest: &Nest, band: &[AffineForOp], kib: u64) -> Vec<i64> {
    let Some(excess) = band.first().and_then(|root| touched_bytes(ir, nest, root.op())) else {
        return vec![DEFAULT; band.len()];
    };
    let excess = match kib {
        0 => 1,
        kib => excess.div_ceil(kib.saturating_mul(1024)),
    };
    let power = |each: u64| each.checked_pow(band.len() as u32).filter(|&all| all <= excess);
    let mut each = ((excess as f64).powf(1.0 / band.len() as f64) as u64).max(1);
    while each > 1 && power(each).is_none() {
        each -= 1;
    }
    if power(each + 1).is_some() {
        each += 1;
    }
    let mut left = excess;
    let mut sizes = Vec::new();
    for (k, &view) in band.iter().enumerate() {
        let mut size = if k + 1 == band.len() { left.max(1) } else { each };
        left /= each;
        if let Some(trips) = constant_trips(ir, view).filter(|&trips| trips > 1) {
            size = size.min(trips / 2);
            // Near by, or none: loops may be long.
            let near = (1..=size).rev().take(MOST_DIVISORS);
            size = near.into_iter().find(|&each| trips.is_multiple_of(each)).unwrap_or(size);
        }
        sizes.push(i64::try_from(size).unwrap_or(DEFAULT));
    }
    sizes
}

/// Bytes of the boxes that a loop touches of all buffers; `None` where one is not known.
fn touched_bytes(ir: &Ir, nest: &Nest, root: Op) -> Option<u64> {
    let mut buffers: IndexMap<Value, Vec<&Access>> = IndexMap::new();
    for found in nest.accesses(root).ok()? {
        buffers.entry(found.buffer).or_default().push(found);
    }
    let bytes = |(&buffer, all): (&Value, &Vec<&Access>)| {
        let elements = TouchedBox::of_own(ir, root, all)?.elements()?;
        let each = memref::element_bytes(&ir.ctx, ir.ty(buffer))?;
        u64::try_from(elements).ok()?.checked_mul(each)
    };
    buffers.iter().map(bytes).try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?))
}

/// So many loops that stand in each other, from the outermost in.
fn tile_loops(ir: &Ir, outermost: Op, count: usize) -> Vec<AffineForOp> {
    let inner = |view: &AffineForOp| AffineForOp::cast(ir, ir.first_op(view.body(ir))?);
    let first = AffineForOp::cast(ir, outermost);
    std::iter::successors(first, inner).take(count).collect()
}

/// Gives whole tiles loops of their own, ahead of which is asked whether a tile is one. `points`: the loops inside a tile.
fn separate(ir: &mut Ir, points: &[AffineForOp], sizes: &[i64]) {
    let Some(&outermost) = points.first() else { return };
    let mut asked: Vec<AffineExpr> = Vec::new();
    let (mut dims, mut symbols): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    let mut ends = Vec::new();
    for (&view, &size) in points.iter().zip(sizes) {
        let (start, upper) = (view.lower_bound(ir), view.upper_bound(ir));
        let [tile] = start.operands[..] else { return };
        let distance = size * view.step_value(ir);
        let data = ir.ctx.map_data(upper.map).clone();
        if data.results.len() == 1 {
            ends.push(None);
            continue;
        }
        let (dim, far) = (ir.ctx.dim_expr(0), ir.ctx.constant_expr(distance));
        let end = ir.ctx.add_expr(dim, far);
        ends.push(Some(AffineValue { map: ir.ctx.map(1, 0, &[end]), operands: vec![tile] }));
        let (here, there) = upper.operands.split_at(data.dims as usize);
        let place = here.iter().position(|&operand| operand == tile);
        let shift = |ir: &mut Ir, expr| {
            let moved: Vec<AffineExpr> =
                (0..data.dims).map(|k| ir.ctx.dim_expr(dims.len() as u32 + k)).collect();
            let others: Vec<AffineExpr> =
                (0..data.symbols).map(|k| ir.ctx.symbol_expr(symbols.len() as u32 + k)).collect();
            ir.ctx.replace_expr(expr, &moved, &others)
        };
        let Some(place) = place else { return };
        let own = ir.ctx.dim_expr((dims.len() + place) as u32);
        let own = ir.ctx.add_expr(own, far);
        for &result in data.results.iter() {
            let result = shift(ir, result);
            let left = ir.ctx.sub_expr(result, own);
            if ir.ctx.expr_constant(left) != Some(0) {
                asked.push(left);
            }
        }
        dims.extend(here);
        symbols.extend(there);
    }
    if asked.is_empty() {
        return;
    }
    let constraints: Vec<(AffineExpr, bool)> =
        asked.into_iter().map(|expr| (expr, false)).collect();
    let mut set = ir.ctx.integer_set(dims.len() as u32, symbols.len() as u32, &constraints);
    let mut operands = [dims, symbols].concat();
    compose_set(ir, &mut set, &mut operands);
    // Behind it: it goes into the conditional itself.
    let Some(end) = ir.next_op(outermost.op()) else { return };
    let whole = ir.clone_op(outermost.op(), &mut ValueMap::new());
    let mut b = Builder::before(ir, end);
    AffineIfOp::create_choice(
        &mut b,
        set,
        &operands,
        |b| {
            b.insert(whole);
        },
        |b| {
            b.detach_op(outermost.op());
            b.insert(outermost.op());
        },
    );
    for (view, end) in tile_loops(ir, whole, points.len()).into_iter().zip(ends) {
        if let Some(end) = end {
            let start = view.lower_bound(ir);
            view.set_bounds(ir, &start, &end);
        }
    }
}

/// Tiles the outermost `sizes.len()` loops of the perfect nest that `root` begins; the new outermost
/// loop.
///
/// # Errors
/// The nest is no perfect one of so many loops, a loop carries values or its bounds depend on
/// another of them, or a dependence goes backwards in one of the loops.
pub fn tile(
    ir: &mut Ir,
    nest: &Nest,
    root: Op,
    sizes: &[i64],
    apart: Apart,
) -> Result<Vec<Op>, Refusal> {
    let refuse = |op: Op, rule: &str| Err(Refusal::new(STEP, op, rule));
    let mut loops = band(ir, root);
    if sizes.is_empty() || loops.len() < sizes.len() {
        let rule = format!("it is not {} loops that stand directly in each other", sizes.len());
        return refuse(root, &rule);
    }
    loops.truncate(sizes.len());
    let variables: Vec<Value> = loops.iter().map(|view| view.induction_var(ir)).collect();
    for (view, &size) in loops.iter().zip(sizes) {
        if !free(ir, view.op()) {
            return refuse(view.op(), "the program says how the loop is executed");
        }
        if !view.inits(ir).is_empty() {
            return refuse(view.op(), "the loop carries values");
        }
        if ir.operands(view.op()).any(|operand| variables.contains(&operand)) {
            return refuse(view.op(), "its bounds depend on a loop that is tiled with it");
        }
        if size < 1 || size.checked_mul(view.step_value(ir)).is_none() {
            return refuse(
                view.op(),
                "a tile has at least one iteration, and no more than are counted",
            );
        }
    }
    let graph = super::graph(ir, nest, STEP, &[root], apart)?;
    for edge in &graph.edges {
        if let Some(level) = backwards(edge, loops.len()) {
            return Err(Refusal {
                step: STEP,
                rule: "a dependence goes backwards in a loop, so tiles would wait for each other"
                    .to_owned(),
                at: Some(root),
                witness: Some(Witness::new(edge, sample(edge, level))),
                limit: None,
                way_round: Some("skew the loop first"),
            });
        }
    }
    let bounds: Vec<Bounds> =
        loops.iter().zip(sizes).map(|(&view, &size)| Bounds::of(ir, view, size)).collect();
    let innermost = loops[loops.len() - 1];
    let mut b = Builder::before(ir, root);
    let made = over_tiles(&mut b, &bounds, &mut Vec::new(), innermost, &variables);
    ir.erase_op(root);
    Ok(vec![made])
}

/// The first of the outermost `count` loops in which a dependence may go backwards.
fn backwards(edge: &Edge, count: usize) -> Option<usize> {
    let level = |vector: &Vec<Direction>| {
        vector.iter().take(count).position(|&direction| direction == Direction::Greater)
    };
    edge.vectors.iter().find_map(level)
}

/// Two iterations, the later of which lies before the other in that loop.
fn sample(edge: &Edge, level: usize) -> Option<(Vec<i64>, Vec<i64>)> {
    let relation = edge.known.as_ref()?.relation();
    let inputs = relation.space().inputs();
    let distance = Affine::from(Var::Dim(inputs + level)) - Affine::from(Var::Dim(level));
    let point = relation.pieces().iter().find_map(|piece| {
        let mut piece = piece.clone();
        piece.add(&Constraint::le(distance.clone(), -1)).ok()?;
        piece.sample().ok().flatten()
    })?;
    Some((point.dims[..inputs].to_vec(), point.dims[inputs..].to_vec()))
}

/// The bounds of a loop, and what is known of its tiles.
pub(super) struct Bounds {
    lower: AffineValue,
    upper: AffineValue,
    step: i64,
    size: i64,
    /// Iterations where they are less than a tile.
    short: Option<i64>,
    /// Whether tiles divide the iterations.
    whole: bool,
    location: gpuc_ir::Location,
}

impl Bounds {
    pub(super) fn of(ir: &mut Ir, view: AffineForOp, size: i64) -> Bounds {
        let trips = constant_trips(ir, view).and_then(|trips| i64::try_from(trips).ok());
        Bounds {
            lower: view.lower_bound(ir),
            upper: view.upper_bound(ir),
            step: view.step_value(ir),
            size,
            short: trips.filter(|&trips| trips < size),
            whole: divisor(ir, view).is_multiple_of(size as u64),
            location: ir.location(view.op()),
        }
    }

    /// What the loop inside the tile that begins at `tile` stays below.
    pub(super) fn end(&self, b: &mut Builder<'_>, tile: Value) -> AffineValue {
        let further = |b: &mut Builder<'_>, dim: u32, distance: i64| {
            let (dim, distance) = (b.ctx.dim_expr(dim), b.ctx.constant_expr(distance));
            b.ctx.add_expr(dim, distance)
        };
        if self.short.is_some() || self.whole {
            let expr = further(b, 0, self.short.unwrap_or(self.size) * self.step);
            return AffineValue { map: b.ctx.map(1, 0, &[expr]), operands: vec![tile] };
        }
        let data = b.ctx.map_data(self.upper.map).clone();
        let mut results: Vec<AffineExpr> = vec![further(b, data.dims, self.size * self.step)];
        results.extend(data.results.iter());
        let mut operands = self.upper.operands.clone();
        operands.insert(data.dims as usize, tile);
        AffineValue { map: b.ctx.map(data.dims + 1, data.symbols, &results), operands }
    }
}

fn over_tiles(
    b: &mut Builder<'_>,
    bounds: &[Bounds],
    tiles: &mut Vec<Value>,
    innermost: AffineForOp,
    old: &[Value],
) -> Op {
    let Some(here) = bounds.get(tiles.len()) else {
        return over_points(b, bounds, tiles, 0, innermost, old);
    };
    b.location = here.location;
    let view = AffineForOp::create(
        b,
        &here.lower,
        &here.upper,
        here.step * here.size,
        &[],
        |b, tile, _| {
            tiles.push(tile);
            over_tiles(b, bounds, tiles, innermost, old);
            Vec::new()
        },
    );
    view.op()
}

fn over_points(
    b: &mut Builder<'_>,
    bounds: &[Bounds],
    tiles: &[Value],
    depth: usize,
    innermost: AffineForOp,
    old: &[Value],
) -> Op {
    let here = &bounds[depth];
    b.location = here.location;
    let start = AffineValue::dim(&mut b.ctx, tiles[depth]);
    let end = here.end(b, tiles[depth]);
    let view = AffineForOp::create(b, &start, &end, here.step, &[], |b, point, _| {
        b.replace_all_uses(old[depth], point);
        if depth + 1 < bounds.len() {
            over_points(b, bounds, tiles, depth + 1, innermost, old);
            return Vec::new();
        }
        let ops: Vec<Op> = b.ops(innermost.body(b)).collect();
        for op in ops {
            if !AffineYieldOp::is(b, op) {
                b.detach_op(op);
                b.insert(op);
            }
        }
        Vec::new()
    });
    view.op()
}
