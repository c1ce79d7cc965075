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
use gpuc_dialects::affine::{AffineForOp, AffineValue, AffineYieldOp};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{AffineExpr, Builder, Ir, Op, OpView, Value};
use gpuc_presburger::dependence::Direction;
use gpuc_presburger::{Affine, Constraint, Var};

use super::refusal::{Refusal, Witness};
use super::trips::{constant_trips, divisor};
use super::{apart, free, on_outermost_loops};
use crate::analysis::nest::Nest;
use crate::analysis::nest::carried::Apart;
use crate::analysis::nest::graph::Edge;

gpuc_ir::pass! {
    /// Tile perfect nests, where dependences allow it.
    AffineLoopTile = "affine-loop-tile" on "func.func" {
        /// Whether variables that are mapped to the device are taken not to overlap.
        assume_apart: bool = false,
        /// Iterations of a tile in every loop; 0 where `tile-sizes` says them.
        tile_size: i64 = 0,
        /// Iterations of a tile in each loop from the outermost in; 4 in those not named.
        tile_sizes: Vec<i64> = Vec::new(),
    }
}

/// Iterations of a tile in loops of which nothing is said, as upstream has it.
const DEFAULT: i64 = 4;
const STEP: &str = "affine-loop-tile";

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
            let sizes: Vec<i64> = (0..band.len()).map(size).collect();
            tile(ir, nest, root, &sizes, apart)
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
