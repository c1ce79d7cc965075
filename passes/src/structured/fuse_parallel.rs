//! `scf-parallel-loop-fusion`: parallel loops that follow each other become one.
//!
//! Needs `scf.parallel` loops in one block with the same bounds and steps, no parallel loop inside, nothing with effects
//! between them, and no result of the first used by the second. Where both touch a buffer and one writes to it, all
//! their accesses to it must be to the same element in the same iteration, and to another one in each: then what an
//! iteration of the second needs is done by its own iteration of the first. After MLIR's pass of the same name, which
//! looks at plain loads behind stores only.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::scf;
use gpuc_ir::op::{AccessKind, EffectKind, Subscripts, Traits};
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Builder, InsertPoint, Ir, Op, OpView, Value, WalkOrder};
use rustc_hash::FxHashMap;

use crate::analysis::access::{Alias, Storage, alias, root, subscripts};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::is_defined_inside;
use crate::steps::refusal::Refusal;

gpuc_ir::pass! {
    /// Fuse parallel loops that follow each other.
    ScfParallelLoopFusion = "scf-parallel-loop-fusion" {}
}

const STEP: &str = "scf-parallel-loop-fusion";

/// How deep values are compared by the operations that compute them.
const DEPTH: usize = 8;

impl Pass for ScfParallelLoopFusion {
    fn run(&mut self, ir: &mut Ir, op: Op, cx: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for owner in ir.nested_ops(op, WalkOrder::PreOrder) {
            if ir.is_erased(owner) {
                continue;
            }
            for region in ir.regions(owner).to_vec() {
                for block in ir.blocks(region).to_vec() {
                    let mut last: Option<Op> = None;
                    for op in ir.ops(block).collect::<Vec<_>>() {
                        if !scf::ParallelOp::is(ir, op) {
                            if !(ir.is_effect_free(op) && ir.regions(op).is_empty()) {
                                last = None;
                            }
                            continue;
                        }
                        last = Some(match last.map(|first| fuse(ir, first, op)) {
                            Some(Ok(fused)) => fused,
                            Some(Err(refusal)) => {
                                cx.report(refusal.remark(ir));
                                op
                            }
                            None => op,
                        });
                    }
                }
            }
        }
        Ok(())
    }
}

/// An access in a loop's body: to which elements of what.
struct Touch {
    buffer: Value,
    kind: AccessKind,
    subscripts: Subscripts,
    is_one_element: bool,
}

/// Makes one loop of two, where the second stands.
///
/// # Errors
/// A condition of the pass does not hold.
pub fn fuse(ir: &mut Ir, first: Op, second: Op) -> Result<Op, Refusal> {
    let (a, b) = (scf::ParallelOp(first), scf::ParallelOp(second));
    check(ir, a, b)?;
    let inits: Vec<Value> = a.initVals(ir).into_iter().chain(b.initVals(ir)).collect();
    let results: Vec<_> = ir.result_types(first).chain(ir.result_types(second)).collect();
    let (reduce_a, reduce_b) = (a.reduce_op(ir), b.reduce_op(ir));
    let (body_a, body_b) = (a.body(ir), b.body(ir));
    // The body of the second takes that of the first in front.
    let pairs: Vec<(Value, Value)> =
        a.induction_vars(ir).iter().copied().zip(b.induction_vars(ir).iter().copied()).collect();
    for (from, to) in pairs {
        ir.replace_all_uses(from, to);
    }
    let start = ir.first_op(body_b);
    for op in ir.ops(body_a).collect::<Vec<_>>() {
        if op == reduce_a.op() {
            continue;
        }
        match start {
            Some(start) => ir.move_before(start, op),
            None => ir.move_to_end(body_b, op),
        }
    }
    let operands: Vec<Value> =
        ir.operands(reduce_a.op()).chain(ir.operands(reduce_b.op())).collect();
    let location = ir.location(reduce_b.op());
    let mut builder = Builder::new(ir, InsertPoint::End(body_b), location);
    let mut reduce = scf::ReduceOp::new(&mut builder, &operands);
    for old in [reduce_a.op(), reduce_b.op()] {
        for region in builder.regions(old).to_vec() {
            let taken = builder.create_region();
            builder.move_blocks(region, taken);
            reduce = reduce.region(taken);
        }
    }
    reduce.build(&mut builder);
    ir.erase_op(reduce_b.op());
    ir.erase_op(reduce_a.op());
    let (lower, upper, step) =
        (b.lowerBound(ir).to_vec(), b.upperBound(ir).to_vec(), b.step(ir).to_vec());
    let mut builder = Builder::before(ir, second);
    let region = builder.create_region();
    let old = b.region(&builder);
    builder.move_blocks(old, region);
    let new = scf::ParallelOp::new(&mut builder, &lower, &upper, &step, &inits)
        .result_group(&results)
        .region(region)
        .build(&mut builder);
    let made = ir.results(new).to_vec();
    let count = ir.results(first).len();
    for (op, values) in [(first, &made[..count]), (second, &made[count..])] {
        for (from, &to) in ir.results(op).to_vec().into_iter().zip(values) {
            ir.replace_all_uses(from, to);
        }
        ir.erase_op(op);
    }
    Ok(new)
}

fn check(ir: &mut Ir, a: scf::ParallelOp, b: scf::ParallelOp) -> Result<(), Refusal> {
    let (first, second) = (a.op(), b.op());
    let refuse = |text: &str| Err(Refusal::new(STEP, second, text));
    for op in [first, second] {
        let inside = ir.nested_ops(op, WalkOrder::PreOrder);
        if inside.into_iter().skip(1).any(|inner| scf::ParallelOp::is(ir, inner)) {
            return refuse("a parallel loop stands in one of the loops");
        }
    }
    let same = |x: &[Value], y: &[Value]| x == y;
    if !same(&a.lowerBound(ir), &b.lowerBound(ir))
        || !same(&a.upperBound(ir), &b.upperBound(ir))
        || !same(&a.step(ir), &b.step(ir))
    {
        return refuse("the loops have not the same bounds and steps");
    }
    let mappings = [first, second].map(|op| ir.attr(op, "mapping"));
    if mappings[0] != mappings[1] {
        return refuse("the loops are mapped to different processors");
    }
    for result in ir.results(first).to_vec() {
        for user in ir.users(result).collect::<Vec<_>>() {
            let block = ir.parent_block(second);
            let at = block.and_then(|block| ir.ancestor_in_block(user, block));
            if at.is_none_or(|at| at == second || ir.is_before(at, second)) {
                return refuse("a result of the first loop is used before the second has ended");
            }
        }
    }
    let (from, to) = (touches(ir, first)?, touches(ir, second)?);
    let mut map: FxHashMap<Value, Value> = FxHashMap::default();
    map.extend(a.induction_vars(ir).iter().copied().zip(b.induction_vars(ir).iter().copied()));
    let variables = b.induction_vars(ir).to_vec();
    for x in &from {
        for y in &to {
            if x.kind == AccessKind::Read && y.kind == AccessKind::Read {
                continue;
            }
            let (p, q) = (root(ir, x.buffer), root(ir, y.buffer));
            if p != q {
                if alias(Storage::of(ir, p), Storage::of(ir, q)) != Alias::No {
                    return refuse("the loops may touch the same memory by different names");
                }
                continue;
            }
            let alike = x.buffer == y.buffer
                && x.is_one_element
                && y.is_one_element
                && same_subscripts(ir, &x.subscripts, &y.subscripts, &map);
            // Unless each iteration has an element of its own, another one may need it before.
            if !alike || !tells_apart(ir, second, &y.subscripts, &variables) {
                return refuse("the loops touch elements of a buffer in different iterations");
            }
        }
    }
    Ok(())
}

/// What a loop's body touches.
fn touches(ir: &Ir, op: Op) -> Result<Vec<Touch>, Refusal> {
    let mut found = Vec::new();
    for inner in ir.nested_ops(op, WalkOrder::PreOrder).into_iter().skip(1) {
        if let Some(access) = ir.memory_access(inner) {
            if is_defined_inside(ir, access.buffer, op) {
                let text = "a buffer that is touched is defined in one of the loops";
                return Err(Refusal::new(STEP, inner, text));
            }
            found.push(Touch {
                buffer: access.buffer,
                kind: access.kind,
                is_one_element: access.extents.is_empty() && !access.kind.is_atomic(),
                subscripts: access.subscripts,
            });
            continue;
        }
        if ir.has_trait(inner, Traits::TERMINATOR) {
            continue;
        }
        let known = ir.effects(inner);
        let is_benign = known.is_some_and(|effects| {
            !ir.regions(inner).is_empty()
                || effects.iter().all(|effect| {
                    let on_own = effect.on.is_some_and(|value| is_defined_inside(ir, value, op));
                    on_own || effect.kind == EffectKind::Allocate
                })
        });
        if !is_benign {
            let text = format!("the effects of '{}' are not known well enough", ir.name(inner));
            return Err(Refusal::new(STEP, inner, text));
        }
    }
    Ok(found)
}

/// Whether iterations that differ in a variable have different elements: the subscripts, as sums of variables, determine
/// one variable after the other.
fn tells_apart(ir: &Ir, op: Op, given: &Subscripts, variables: &[Value]) -> bool {
    let mut unknown: Vec<Value> = variables.to_vec();
    let forms: Vec<Polynomial> = subscripts(ir, given)
        .into_iter()
        .flatten()
        .filter_map(|form| form.as_polynomial().cloned())
        .filter(|form| {
            let is_given =
                |value: &Value| variables.contains(value) || !is_defined_inside(ir, *value, op);
            form.is_affine() && form.values().iter().all(is_given)
        })
        .collect();
    loop {
        let found = forms.iter().find_map(|form| {
            let mut left = unknown.iter().filter(|&&value| form.coefficient(&[value]) != 0);
            let only = left.next()?;
            left.next().is_none().then_some(*only)
        });
        match found {
            Some(value) => unknown.retain(|&other| other != value),
            None => return unknown.is_empty(),
        }
    }
}

fn same_subscripts(ir: &Ir, a: &Subscripts, b: &Subscripts, map: &FxHashMap<Value, Value>) -> bool {
    let same = |x: &[Value], y: &[Value]| {
        x.len() == y.len() && x.iter().zip(y).all(|(&x, &y)| same_value(ir, x, y, map, DEPTH))
    };
    match (a, b) {
        (Subscripts::Values(x), Subscripts::Values(y)) => same(x, y),
        (Subscripts::Map(m, x), Subscripts::Map(n, y)) => m == n && same(x, y),
        _ => false,
    }
}

/// Whether a value of the first loop is what one of the second is, in the same iteration.
fn same_value(ir: &Ir, a: Value, b: Value, map: &FxHashMap<Value, Value>, depth: usize) -> bool {
    if map.get(&a).copied().unwrap_or(a) == b {
        return true;
    }
    let (Some(x), Some(y)) = (ir.defining_op(a), ir.defining_op(b)) else { return false };
    let plain = |op: Op| ir.is_effect_free(op) && ir.regions(op).is_empty();
    depth > 0
        && ir.op_name(x) == ir.op_name(y)
        && ir.attrs(x) == ir.attrs(y)
        && plain(x)
        && plain(y)
        && ir.operand_count(x) == ir.operand_count(y)
        && ir.results(x).iter().position(|&v| v == a) == ir.results(y).iter().position(|&v| v == b)
        && ir.operands(x).zip(ir.operands(y)).all(|(x, y)| same_value(ir, x, y, map, depth - 1))
}
