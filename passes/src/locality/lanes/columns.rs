//! Columns of a nest whose sums several threads make together, each of every so many terms: parts meet in memory of
//! the block.
//!
//! A row of threads takes neighbouring columns, so that loads which are next to each other from column to column stay
//! so, and the rows of threads share the terms. No load asks for more sectors than with a thread for
//! each column, and there are as many times the threads.

use gpuc_dialects::affine::{
    AffineForOp, AffineIfOp, AffineLoadOp, AffineParallelOp, AffineStoreOp, AffineValue,
};
use gpuc_dialects::offload::SCHEDULE_ATTR;
use gpuc_dialects::offload::mapping::{
    Axis, DimMap, Distribution, LoopMapping, MAPPING_ATTR, Size,
};
use gpuc_dialects::{gpu, llvm};
use gpuc_ir::op::{EffectKind, Traits};
use gpuc_ir::{Block, Builder, Ir, Op, OpView, Value, ValueMap};

use super::row_nest::{RowNest, STEP};
use crate::locality::band::Bound;
use crate::locality::blocks::block_memory;
use crate::locality::contraction;
use crate::locality::coordinates::{Exprs, apply};
use crate::parallel::parallel_loop::CarriedReduction;
use crate::steps::refusal::Refusal;

/// A nest over columns round one sum or more.
struct Columns {
    nest: AffineParallelOp,
    sum: AffineForOp,
    reductions: Vec<CarriedReduction>,
    /// What columns stay below.
    upper: Bound,
    /// A condition, the same for all columns, under which all is done.
    condition: Option<AffineIfOp>,
    /// Where the sum stands.
    body: Block,
}

impl Columns {
    fn of(ir: &Ir, rows: &RowNest) -> Result<Columns, Refusal> {
        let refuse = |at: Op, rule: &str| Refusal::new(STEP, at, rule);
        let [inner] = &rows.loops[..] else {
            return Err(refuse(rows.nest, "columns share one loop"));
        };
        let nest = AffineParallelOp::cast(ir, rows.nest);
        let sum = AffineForOp::cast(ir, inner.op).filter(|_| !inner.reductions.is_empty());
        let (Some(nest), Some(sum)) = (nest, sum) else {
            return Err(refuse(rows.nest, "columns and terms have affine bounds"));
        };
        let (first, last) = (nest.lower_bounds(ir), nest.upper_bounds(ir));
        let single = |value: &AffineValue| match value.results(&ir.ctx) {
            &[result] => Some(Bound::new(result, value)),
            _ => None,
        };
        let steps = nest.step_values(ir);
        let start = sum.lower_bound(ir).results(&ir.ctx).len();
        let (Some(_), Some(upper), [1], 1) = (single(&first), single(&last), &steps[..], start)
        else {
            return Err(refuse(rows.nest, "columns are consecutive, of one dimension"));
        };
        let (condition, body) = contraction::body(ir, rows.nest, rows.nest);
        if ir.parent_block(inner.op) != Some(body) {
            return Err(refuse(inner.op, "something is between the columns and the terms"));
        }
        // What stands before the sum is done twice, by other threads too.
        let reads = |op: Op| {
            let effects = ir.effects(op);
            effects.is_some_and(|all| all.iter().all(|effect| effect.kind == EffectKind::Read))
        };
        let before = ir.ops(body).take_while(|&op| op != inner.op);
        if let Some(writes) = before.into_iter().find(|&op| !reads(op)) {
            return Err(refuse(writes, "something is written in front of the sum"));
        }
        if !reads(inner.op) {
            return Err(refuse(inner.op, "the loop writes"));
        }
        Ok(Columns { nest, sum, reductions: inner.reductions.clone(), upper, condition, body })
    }
}

/// Whether columns can be shared so.
///
/// # Errors
/// What is in the way.
pub fn check(ir: &Ir, rows: &RowNest) -> Result<(), Refusal> {
    Columns::of(ir, rows).map(|_| ())
}

/// Lets `width` threads make each sum, in blocks of so many columns.
///
/// # Errors
/// What is in the way; nothing was changed then.
pub fn apply_columns(ir: &mut Ir, rows: &RowNest, width: i64, columns: i64) -> Result<(), Refusal> {
    let nest = Columns::of(ir, rows)?;
    let mut b = Builder::before(ir, nest.nest.op());
    let (lower, upper) = (nest.nest.lower_bounds(&b), nest.nest.upper_bounds(&b));
    let blocks = AffineParallelOp::create(&mut b, &lower, &upper, &[columns], |b, first| {
        let first = first[0];
        let tiles: Vec<Value> = nest
            .reductions
            .iter()
            .map(|each| {
                let ty = b.ty(each.carried.init);
                block_memory(b, &[width, columns], ty)
            })
            .collect();
        over_threads(b, [width, columns], width, columns, |b, thread| {
            nest.part(b, first, thread, &tiles, width);
        });
        gpu::BarrierOp::new(b, &[]).build(b);
        over_threads(b, [1, columns], width, columns, |b, thread| {
            nest.whole(b, first, thread[1], &tiles, width);
        });
    });
    let over_blocks = DimMap::over(&[(Axis::Block(0), Size::Free)], Distribution::Exact);
    let mapping = LoopMapping(vec![over_blocks]).attr(&mut b.ctx);
    b.set_attr(blocks.op(), MAPPING_ATTR, mapping);
    b.remove_attr(blocks.op(), SCHEDULE_ATTR);
    ir.erase_op(nest.nest.op());
    Ok(())
}

impl Columns {
    fn column(&self, b: &Builder<'_>) -> Value {
        self.nest.induction_vars(b)[0]
    }

    /// Code with what stands before the sum, where a block that starts at `first` has the column.
    fn if_column(
        &self,
        b: &mut Builder<'_>,
        first: Value,
        thread: Value,
        body: impl FnOnce(&mut Builder<'_>, &ValueMap),
    ) {
        let mut exprs = Exprs::default();
        let (from, own) = (exprs.value(b, first), exprs.value(b, thread));
        let end = exprs.bound(b, &self.upper);
        let at = b.ctx.add_expr(from, own);
        let one = b.ctx.constant_expr(-1);
        let room = b.ctx.sub_expr(end, at);
        let room = b.ctx.add_expr(room, one);
        let operands = exprs.finish(b, &[]).operands;
        let set = b.ctx.integer_set(operands.len() as u32, 0, &[(room, false)]);
        AffineIfOp::create(b, set, &operands, |b| {
            let column = apply(b, &[first, thread], |b, dims| b.ctx.add_expr(dims[0], dims[1]));
            let mut map = ValueMap::new();
            map.insert(self.column(b), column);
            let inside = |b: &mut Builder<'_>| {
                self.before(b, &mut map);
                body(b, &map);
            };
            match self.condition {
                Some(condition) => {
                    let set = condition.condition(b).expect("an affine.if has a set");
                    let operands: Vec<Value> = b.operands(condition.op()).collect();
                    AffineIfOp::create(b, set, &operands, inside);
                }
                None => inside(b),
            }
        });
    }

    /// Copies of what stands before the sum.
    fn before(&self, b: &mut Builder<'_>, map: &mut ValueMap) {
        let ops: Vec<Op> = b.ops(self.body).take_while(|&op| op != self.sum.op()).collect();
        for op in ops {
            let copy = b.clone_op(op, map);
            b.insert(copy);
        }
    }

    /// A thread's part of the sums of its column, kept in the tiles.
    fn part(
        &self,
        b: &mut Builder<'_>,
        first: Value,
        thread: &[Value],
        tiles: &[Value],
        width: i64,
    ) {
        self.if_column(b, first, thread[1], |b, map| self.part_of(b, thread, map, tiles, width));
    }

    fn part_of(
        &self,
        b: &mut Builder<'_>,
        thread: &[Value],
        map: &ValueMap,
        tiles: &[Value],
        width: i64,
    ) {
        let (start, mut end) = (self.sum.lower_bound(b), self.sum.upper_bound(b));
        for operand in &mut end.operands {
            *operand = map.get(*operand);
        }
        let step = self.sum.step_value(b);
        let mut exprs = Exprs::default();
        let from = exprs.bound_at(b, &Bound::new(start.results(&b.ctx)[0], &start), map);
        let row = exprs.value(b, thread[0]);
        let scale = b.ctx.constant_expr(step);
        let row = b.ctx.mul_expr(row, scale);
        let from = b.ctx.add_expr(from, row);
        let start = exprs.finish(b, &[from]);
        let identities: Vec<Value> = self
            .reductions
            .iter()
            .map(|each| {
                let ty = b.ty(each.carried.init);
                each.kind.identity(b, ty, each.unsigned)
            })
            .collect();
        let body = self.sum.body(b);
        let sum =
            AffineForOp::create(b, &start, &end, step * width, &identities, |b, term, parts| {
                let mut map = map.clone();
                map.insert(b.arguments(body)[0], term);
                for each in b.loop_carried(self.sum.op()) {
                    let own = self.reductions.iter().position(|r| r.carried == each);
                    let value = own.map_or_else(|| map.get(each.init), |own| parts[own]);
                    map.insert(each.argument, value);
                }
                let inside = b.ops(body).filter(|&op| !b.has_trait(op, Traits::TERMINATOR));
                for op in inside.collect::<Vec<Op>>() {
                    let copy = b.clone_op(op, &mut map);
                    b.insert(copy);
                }
                self.reductions.iter().map(|each| map.get(each.carried.yielded)).collect()
            });
        let place = pair(b, thread[0], thread[1]);
        for (i, &tile) in tiles.iter().enumerate() {
            let value = b.result(sum.op(), i);
            AffineStoreOp::create(b, value, tile, &place);
        }
    }

    /// What is done with the sums of a column, if there is one: by the first row of threads.
    fn whole(&self, b: &mut Builder<'_>, first: Value, thread: Value, tiles: &[Value], width: i64) {
        self.if_column(b, first, thread, |b, map| {
            let mut map = map.clone();
            for (each, &tile) in self.reductions.iter().zip(tiles) {
                let (zero, end) = (
                    AffineValue::constant(&mut b.ctx, 0),
                    AffineValue::constant(&mut b.ctx, width),
                );
                let init = map.get(each.carried.init);
                let ty = b.ty(init);
                let start = each.kind.identity(b, ty, each.unsigned);
                let all = AffineForOp::create(b, &zero, &end, 1, &[start], |b, row, sum| {
                    let place = pair(b, row, thread);
                    let part = AffineLoadOp::create(b, tile, &place);
                    vec![each.kind.combine(b, sum[0], part, each.unsigned)]
                });
                let annotation = llvm::full_unroll(&mut b.ctx);
                b.set_attr(all.op(), llvm::LOOP_ANNOTATION, annotation);
                let parts = b.result(all.op(), 0);
                map.insert(each.carried.result, each.join(b, init, parts));
            }
            let behind = b.ops(self.body).skip_while(|&op| op != self.sum.op()).skip(1);
            let ops: Vec<Op> = behind.filter(|&op| !b.has_trait(op, Traits::TERMINATOR)).collect();
            for op in ops {
                let copy = b.clone_op(op, &mut map);
                b.insert(copy);
            }
        });
    }
}

/// The subscripts of two values.
fn pair(b: &mut Builder<'_>, row: Value, column: Value) -> AffineValue {
    let dims = [b.ctx.dim_expr(0), b.ctx.dim_expr(1)];
    let map = b.ctx.map(2, 0, &dims);
    AffineValue::new(map, &[row, column])
}

/// A loop over rows and columns of threads.
fn over_threads(
    b: &mut Builder<'_>,
    counts: [i64; 2],
    width: i64,
    columns: i64,
    body: impl FnOnce(&mut Builder<'_>, &[Value]),
) {
    let ends = [[0, 0], counts].map(|ends| {
        let results = ends.map(|end| b.ctx.constant_expr(end));
        AffineValue { map: b.ctx.map(0, 0, &results), operands: Vec::new() }
    });
    let threads = AffineParallelOp::create(b, &ends[0], &ends[1], &[1, 1], body);
    let over = |axis: u8, size: i64| {
        DimMap::over(&[(Axis::Thread(axis), Size::Constant(size))], Distribution::Exact)
    };
    let mapping = LoopMapping(vec![over(1, width), over(0, columns)]).attr(&mut b.ctx);
    b.set_attr(threads.op(), MAPPING_ATTR, mapping);
}
