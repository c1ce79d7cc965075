//! `scf-parallel-loop-tiling`: innermost parallel loops in tiles.
//!
//! Needs an `scf.parallel` without reductions. It becomes a parallel loop over tiles and one over the
//! iterations of a tile, whose upper bounds are minima where tiles need not divide the iterations; with
//! `no-min-max-bounds` they are those of a full tile, and a test stands round the body. Iterations of
//! parallel loops may run in any order, so nothing forbids it. After MLIR's pass of the same name, whose
//! test multiplies the inner variable by the step once more and compares as unsigned; ours tests what is
//! executed.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineMinOp, AffineValue};
use gpuc_dialects::{arith, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, WalkOrder};

gpuc_ir::pass! {
    /// Tile innermost parallel loops.
    ScfParallelLoopTiling = "scf-parallel-loop-tiling" on "func.func" {
        /// Iterations of a tile in each dimension; 1 in those not named.
        parallel_loop_tile_sizes: Vec<i64> = Vec::new(),
        /// Whether the inner loop has constant bounds, and tests inside.
        no_min_max_bounds: bool = false,
    }
}

impl Pass for ScfParallelLoopTiling {
    fn run(&mut self, ir: &mut Ir, func: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        if self.parallel_loop_tile_sizes.iter().any(|&size| size <= 0) {
            return Err(Diagnostic::error("tile size cannot be 0".to_owned()));
        }
        let is_loop = |ir: &Ir, op: Op| scf::ParallelOp::is(ir, op);
        let all = ir.nested_ops(func, WalkOrder::PostOrder);
        let innermost: Vec<Op> = all
            .into_iter()
            .filter(|&op| is_loop(ir, op))
            .filter(|&op| {
                let inside = ir.nested_ops(op, WalkOrder::PreOrder);
                inside.into_iter().skip(1).all(|inner| !is_loop(ir, inner))
            })
            .collect();
        for op in innermost {
            if ir.results(op).is_empty() {
                tile(
                    ir,
                    scf::ParallelOp(op),
                    &self.parallel_loop_tile_sizes,
                    self.no_min_max_bounds,
                );
            }
        }
        Ok(())
    }
}

/// Tiles a parallel loop without reductions; the loops over tiles and in a tile.
pub fn tile(ir: &mut Ir, view: scf::ParallelOp, sizes: &[i64], test: bool) -> (Op, Op) {
    let op = view.op();
    let (lower, upper, step) =
        (view.lowerBound(ir).to_vec(), view.upperBound(ir).to_vec(), view.step(ir).to_vec());
    let old = view.induction_vars(ir).to_vec();
    let attrs = ir.attrs(op);
    let mut b = Builder::before(ir, op);
    let zero = arith::constant_index(&mut b, 0);
    let sizes: Vec<i64> = (0..old.len()).map(|i| sizes.get(i).copied().unwrap_or(1)).collect();
    let constants: Vec<Value> =
        sizes.iter().map(|&size| arith::constant_index(&mut b, size)).collect();
    let steps: Vec<Value> = step
        .iter()
        .zip(&constants)
        .map(|(&step, &size)| arith::MulIOp::new(&mut b, step, size).value(&mut b))
        .collect();
    let mut inner_op = None;
    let outer = parallel(&mut b, (&lower, &upper, &steps), |b, tiles| {
        let mut ends = Vec::new();
        let mut tested = false;
        for i in 0..old.len() {
            if divides(b, (lower[i], upper[i], step[i]), sizes[i]) {
                ends.push(steps[i]);
            } else if test {
                tested = true;
                ends.push(steps[i]);
            } else {
                let [d0, d1, d2] = [0, 1, 2].map(|dim| b.ctx.dim_expr(dim));
                let left = b.ctx.sub_expr(d1, d2);
                let map = b.ctx.map(3, 0, &[d0, left]);
                let value = AffineValue { map, operands: vec![steps[i], upper[i], tiles[i]] };
                ends.push(AffineMinOp::create(b, &value));
            }
        }
        let inner = parallel(b, (&vec![zero; old.len()], &ends, &step), |b, points| {
            let indices: Vec<Value> = points
                .iter()
                .zip(tiles)
                .map(|(&point, &tile)| arith::AddIOp::new(b, point, tile).value(b))
                .collect();
            for (&from, &to) in old.iter().zip(&indices) {
                b.replace_all_uses(from, to);
            }
            let body = view.body(b);
            let ops: Vec<Op> =
                b.ops(body).filter(|&op| !b.has_trait(op, Traits::TERMINATOR)).collect();
            let take = |b: &mut Builder<'_>| {
                for &op in &ops {
                    b.detach_op(op);
                    b.insert(op);
                }
                Vec::new()
            };
            if !tested {
                take(b);
                return;
            }
            let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
            let mut inside = arith::constant_bool(b, true);
            for (&index, &upper) in indices.iter().zip(&upper) {
                let below = arith::CmpIOp::new(b, index, upper).attr(b, "predicate", slt).value(b);
                inside = arith::AndIOp::new(b, inside, below).value(b);
            }
            let then = b.region(&[], |b, _| {
                let none = take(b);
                scf::YieldOp::new(b, &none).build(b);
            });
            let otherwise = b.create_region();
            scf::IfOp::new(b, inside).region(then).region(otherwise).build(b);
        });
        inner_op = Some(inner);
    });
    for (name, attr) in ir.ctx.dict_entries(attrs).to_vec() {
        if ir.attr_ident(outer, name).is_none() {
            let name = ir.ctx.str(name).to_owned();
            ir.set_attr(outer, &name, attr);
        }
    }
    ir.erase_op(op);
    (outer, inner_op.expect("the body of the outer loop was built"))
}

fn parallel(
    b: &mut Builder<'_>,
    (lower, upper, step): (&[Value], &[Value], &[Value]),
    body: impl FnOnce(&mut Builder<'_>, &[Value]),
) -> Op {
    let index = b.ctx.index();
    let region = b.region(&vec![index; lower.len()], |b, variables| {
        body(b, variables);
        scf::ReduceOp::new(b, &[]).build(b);
    });
    scf::ParallelOp::new(b, lower, upper, step, &[]).region(region).build(b)
}

/// Whether tiles are known to divide the iterations.
fn divides(ir: &Ir, (lower, upper, step): (Value, Value, Value), size: i64) -> bool {
    let [low, high, by] = [lower, upper, step].map(|value| arith::constant_index_value(ir, value));
    match (low, high, by) {
        (Some(low), Some(high), Some(by)) if by > 0 => {
            let distance = (i128::from(high) - i128::from(low)).max(0);
            (distance + i128::from(by) - 1) / i128::from(by) % i128::from(size) == 0
        }
        _ => false,
    }
}
