//! `convert-parallel-loops-to-gpu`: parallel loops with a `mapping` become launches.
//!
//! Needs `scf.parallel` without reductions whose dimensions carry `#gpu.loop_dim_map`, and loops in their bodies that
//! carry it too. A dimension of a processor becomes its number, times the step, plus the lower bound; a sequential one
//! a loop. A bound that is known inside only is replaced by a number that it does not exceed, with a test in the kernel.
//! Code with effects may stand in the innermost bodies only: every thread executes it. A loop that cannot be converted
//! stays as it is. After MLIR's pass of the same name.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::affine::{AffineApplyOp, AffineMinOp, AffineValue};
use gpuc_dialects::offload::mapping::{Axis, LoopMapping, MAPPING_ATTR, is_upstream};
use gpuc_dialects::{arith, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value, ValueMap, WalkOrder};

use super::launch;
use crate::analysis::range::range;
use crate::analysis::slice::is_defined_inside;
use crate::steps::refusal::Refusal;

gpuc_ir::pass! {
    /// Make launches of mapped parallel loops.
    ConvertParallelLoopsToGpu = "convert-parallel-loops-to-gpu" {}
}

const STEP: &str = "convert-parallel-loops-to-gpu";

impl Pass for ConvertParallelLoopsToGpu {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for inner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if ir.is_erased(inner) || !scf::ParallelOp::is(ir, inner) {
                continue;
            }
            let is_inside = ir.ancestors(inner).any(|outer| scf::ParallelOp::is(ir, outer));
            if !is_inside
                && ir.attr(inner, MAPPING_ATTR).is_some()
                && let Err(refusal) = convert(ir, inner)
            {
                cx.report(refusal.remark(ir));
            }
        }
        Ok(())
    }
}

/// One dimension of a loop and who executes it.
struct Dim {
    /// The argument of the launch's region that is its processor's number; none of sequential ones.
    position: Option<usize>,
    variable: Value,
    lower: Value,
    upper: Value,
    step: Value,
}

/// What is found out before anything is changed.
struct Checker {
    root: Op,
    /// The processors that have a dimension.
    taken: Vec<usize>,
}

/// What bounds a dimension of a processor from above at the launch.
enum Bound {
    /// The bound itself, or a copy of a constant.
    Exact,
    /// A number that it does not exceed, and a constant in front of the launch that has it.
    AtMost(i64, Option<Value>),
}

/// Makes a launch of a loop.
///
/// # Errors
/// It reduces values, a dimension has no processor, two have one, a bound is not known at the launch, or code with
/// effects stands beside a parallel loop in it.
pub fn convert(ir: &mut Ir, root: Op) -> Result<Op, Refusal> {
    let mut checker = Checker { root, taken: Vec::new() };
    checker.check(ir, root)?;
    let mut b = Builder::before(ir, root);
    let one = arith::constant_index(&mut b, 1);
    let mut positions = Vec::new();
    let launched = launch(&mut b, [one; 3], [one; 3], |_, arguments| {
        positions = arguments.to_vec();
    });
    let entry = ir.body(launched, 0);
    let end = ir.last_op(entry).map_or(InsertPoint::End(entry), InsertPoint::Before);
    let mut emitter = Emitter { root, launch: launched, positions, map: ValueMap::new() };
    let location = ir.location(root);
    emitter.emit(&mut Builder::new(ir, end, location), root);
    ir.erase_op(root);
    Ok(launched)
}

/// The dimensions of a loop.
fn dims(ir: &Ir, op: Op) -> Result<Vec<Dim>, Refusal> {
    let view = scf::ParallelOp(op);
    let refuse = |text: &str| Refusal::new(STEP, op, text);
    if !ir.results(op).is_empty() {
        return Err(refuse("the loop reduces values"));
    }
    let mapping = LoopMapping::of(ir, op).map_err(|text| refuse(&text))?;
    let mapping = mapping.ok_or_else(|| refuse("the loop has no 'mapping'"))?;
    if !is_upstream(ir, op) {
        return Err(refuse(
            "'mapping' is not made of #gpu.loop_dim_map: `map` and `outline` carry it out",
        ));
    }
    let variables = view.induction_vars(ir);
    let (lower, upper, step) = (view.lowerBound(ir), view.upperBound(ir), view.step(ir));
    let mut found = Vec::new();
    for (i, map) in mapping.0.iter().enumerate() {
        let position = match map.axes.first() {
            None => None,
            Some((Axis::Block(d), _)) => Some(usize::from(*d)),
            Some((Axis::Thread(d), _)) => Some(3 + usize::from(*d)),
            Some((Axis::Lane, _)) => return Err(refuse("a launch has no lanes")),
        };
        let (lower, upper, step) = (lower[i], upper[i], step[i]);
        found.push(Dim { position, variable: variables[i], lower, upper, step });
    }
    Ok(found)
}

impl Checker {
    fn is_outside(&self, ir: &Ir, value: Value) -> bool {
        !is_defined_inside(ir, value, self.root)
    }

    /// Whether a value is there at the launch, or can be written there.
    fn is_known(&self, ir: &Ir, value: Value) -> bool {
        self.is_outside(ir, value) || arith::constant_index_value(ir, value).is_some()
    }

    fn check(&mut self, ir: &Ir, op: Op) -> Result<(), Refusal> {
        for dim in dims(ir, op)? {
            let Some(position) = dim.position else { continue };
            if self.taken.contains(&position) {
                return Err(Refusal::new(STEP, op, "two dimensions have one processor"));
            }
            self.taken.push(position);
            if !self.is_known(ir, dim.lower) || !self.is_known(ir, dim.step) {
                let text = "a lower bound or step is not known at the launch";
                return Err(Refusal::new(STEP, op, text));
            }
            if bound(ir, self.root, dim.upper).is_none() {
                let text = "no number is known that an upper bound does not exceed";
                return Err(Refusal::new(STEP, op, text));
            }
        }
        // Whatever has effects is executed by every thread that gets there: beside a loop over processors, it would
        // be executed more than once.
        let body: Vec<Op> = ir.ops(scf::ParallelOp(op).body(ir)).collect();
        let nested = body.iter().filter(|&&inner| scf::ParallelOp::is(ir, inner)).count();
        for &inner in &body {
            if scf::ParallelOp::is(ir, inner) {
                self.check(ir, inner)?;
                continue;
            }
            let is_plain = ir.is_effect_free(inner) && ir.regions(inner).is_empty();
            if nested > 0 && !is_plain && !ir.has_trait(inner, Traits::TERMINATOR) {
                let text = "code with effects stands beside a parallel loop in it";
                return Err(Refusal::new(STEP, inner, text));
            }
            let hidden = ir.nested_ops(inner, WalkOrder::PreOrder).into_iter();
            if let Some(loop_op) = hidden.skip(1).find(|&op| scf::ParallelOp::is(ir, op)) {
                return Err(Refusal::new(STEP, loop_op, "the loop stands in another operation"));
            }
        }
        if nested > 1 {
            let text = "several parallel loops stand in one: threads would not wait between them";
            return Err(Refusal::new(STEP, op, text));
        }
        Ok(())
    }
}

/// What bounds a value from above where `root` stands.
fn bound(ir: &Ir, root: Op, value: Value) -> Option<Bound> {
    let is_there = !is_defined_inside(ir, value, root);
    if is_there || arith::constant_index_value(ir, value).is_some() {
        return Some(Bound::Exact);
    }
    let (number, constant) = at_most(ir, value)?;
    let constant = constant.filter(|&constant| !is_defined_inside(ir, constant, root));
    Some(Bound::AtMost(number, constant))
}

/// A number that a value does not exceed, from the minima and products that it is made of, and the constant where it is
/// one's.
fn at_most(ir: &Ir, value: Value) -> Option<(i64, Option<Value>)> {
    if let Some(number) = arith::constant_index_value(ir, value) {
        return Some((number, Some(value)));
    }
    let op = ir.defining_op(value)?;
    if let Some(min) = AffineMinOp::cast(ir, op) {
        let value = min.value(ir)?;
        let constants = value.results(&ir.ctx).iter().filter_map(|&e| ir.ctx.expr_constant(e));
        return Some((constants.min()?, None));
    }
    if arith::MinSIOp::is(ir, op) {
        let known = [0, 1].into_iter().filter_map(|i| at_most(ir, ir.operand(op, i)));
        return known.min_by_key(|&(number, _)| number);
    }
    if arith::MulIOp::is(ir, op) {
        let (left, right) = (ir.operand(op, 0), ir.operand(op, 1));
        // Of numbers below zero the bounds say nothing about the product; upstream takes them for sizes.
        if range(ir, left).min < 0 || range(ir, right).min < 0 {
            return None;
        }
        let product = at_most(ir, left)?.0.checked_mul(at_most(ir, right)?.0)?;
        return Some((product, None));
    }
    None
}

struct Emitter {
    root: Op,
    launch: Op,
    /// Arguments of the launch's region.
    positions: Vec<Value>,
    map: ValueMap,
}

impl Emitter {
    /// Writes what a loop does in one thread.
    fn emit(&mut self, b: &mut Builder<'_>, op: Op) {
        let Ok(dims) = dims(b, op) else { return };
        self.emit_dims(b, op, &dims);
        let attrs = b.attrs(op);
        for (name, attr) in b.ctx.dict_entries(attrs).to_vec() {
            let name = b.ctx.str(name).to_owned();
            if name != MAPPING_ATTR && name != "operandSegmentSizes" {
                let launch = self.launch;
                b.set_attr(launch, &name, attr);
            }
        }
    }

    fn emit_dims(&mut self, b: &mut Builder<'_>, op: Op, dims: &[Dim]) {
        let Some((dim, rest)) = dims.split_first() else { return self.emit_body(b, op) };
        let Some(position) = dim.position else {
            let bounds = [dim.lower, dim.upper, dim.step].map(|value| self.map.get(value));
            let variable = dim.variable;
            scf::ForOp::create(b, bounds.into(), &[], |b, counter, _| {
                self.map.insert(variable, counter);
                self.emit_dims(b, op, rest);
                Vec::new()
            });
            return;
        };
        let step = self.inside(b, dim.step);
        let lower = self.inside(b, dim.lower);
        let index = {
            let [number, by, from] =
                [b.ctx.dim_expr(0), b.ctx.symbol_expr(0), b.ctx.symbol_expr(1)];
            let product = b.ctx.mul_expr(number, by);
            let sum = b.ctx.add_expr(product, from);
            let map = b.ctx.map(1, 2, &[sum]);
            let operands = vec![self.positions[position], step, lower];
            AffineApplyOp::create(b, &AffineValue { map, operands })
        };
        self.map.insert(dim.variable, index);
        let upper = bound(b, self.root, dim.upper);
        let location = b.location;
        let launch = self.launch;
        let (lower, step) = (dim.lower, dim.step);
        let limit = {
            let mut outer = Builder::new(b, InsertPoint::Before(launch), location);
            let upper = match upper {
                Some(Bound::AtMost(_, Some(constant))) => constant,
                Some(Bound::AtMost(number, None)) => arith::constant_index(&mut outer, number),
                _ => self.outside(&mut outer, dim.upper),
            };
            let (lower, step) = (self.outside(&mut outer, lower), self.outside(&mut outer, step));
            let [end, start, by] =
                [outer.ctx.dim_expr(0), outer.ctx.symbol_expr(0), outer.ctx.symbol_expr(1)];
            let distance = outer.ctx.sub_expr(end, start);
            let trips = outer.ctx.ceildiv_expr(distance, by);
            let map = outer.ctx.map(1, 2, &[trips]);
            let operands = vec![upper, lower, step];
            AffineApplyOp::create(&mut outer, &AffineValue { map, operands })
        };
        b.set_operand(launch, position, limit);
        if !matches!(upper, Some(Bound::AtMost(..))) {
            return self.emit_dims(b, op, rest);
        }
        let slt = arith::CmpIPredicate::Slt.attr(&mut b.ctx);
        let end = self.map.get(dim.upper);
        let below = arith::CmpIOp::new(b, index, end).attr(b, "predicate", slt).value(b);
        let then = b.region(&[], |b, _| {
            self.emit_dims(b, op, rest);
            scf::YieldOp::new(b, &[]).build(b);
        });
        let otherwise = b.create_region();
        scf::IfOp::new(b, below).region(then).region(otherwise).build(b);
    }

    /// A value of the loops in the launch: constants inside them are copied.
    fn inside(&mut self, b: &mut Builder<'_>, value: Value) -> Value {
        let known = self.map.get(value);
        if known == value && is_defined_inside(b, value, self.root) {
            return self.outside(b, value);
        }
        known
    }

    /// A value that stands around the loops, or a copy of a constant.
    fn outside(&self, b: &mut Builder<'_>, value: Value) -> Value {
        match arith::constant_index_value(b, value) {
            Some(number) if is_defined_inside(b, value, self.root) => {
                arith::constant_index(b, number)
            }
            _ => value,
        }
    }

    fn emit_body(&mut self, b: &mut Builder<'_>, op: Op) {
        let body: Vec<Op> = b.ops(scf::ParallelOp(op).body(b)).collect();
        for inner in body {
            if scf::ParallelOp::is(b, inner) {
                self.emit(b, inner);
            } else if !b.has_trait(inner, Traits::TERMINATOR) {
                let copy = b.clone_op(inner, &mut self.map);
                b.insert(copy);
            }
        }
    }
}
