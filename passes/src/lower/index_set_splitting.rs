//! `index-set-splitting`: loops of kernels whose rounds ask which of them it is become loops that know.
//!
//! Needs nothing; leaves loops that are not innermost or hold what threads do together, whose step is not a
//! constant, that [`loop_unroll`](super::loop_unroll) makes straight code of, or that would get too long. A
//! branch directly in a loop's body whose condition compares the loop's variable with what does not
//! change in it (`j == 0`, `i + k < n`) has one answer up to a certain round and another from there:
//! the loop is cut there. First and last rounds are peeled that way, and rounds that do nothing are
//! not run. Rounds stay in their order. Griebl, Feautrier and Lengauer, *Index set splitting*, 2000.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::{arith, gpu, llvm, scf};
use gpuc_ir::op::Traits;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::rewrite::{GreedyConfig, PatternSet, apply_greedily};
use gpuc_ir::{Builder, Ir, Op, OpView, Value, ValueDef, ValueMap, WalkOrder};
use rustc_hash::FxHashSet;

use super::loop_unroll::{LoopUnroll, body_length, round};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::{build_polynomial, is_defined_inside};
use crate::analysis::subscript::{polynomial, polynomial_over};
use crate::analysis::uniform::Uniformity;

gpuc_ir::pass! {
    /// Cut loops of kernels where the answer to a comparison with their variable changes.
    IndexSetSplitting = "index-set-splitting" on "builtin.module" {
        /// Operations of a body that is copied, at most.
        operations: usize = 80,
        /// How often a loop and what it became are cut, at most.
        rounds: usize = 3,
    }
}

impl Pass for IndexSetSplitting {
    fn run(&mut self, ir: &mut Ir, module: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        let mut patterns = None;
        for func in ir.nested_ops(module, WalkOrder::PreOrder) {
            if !gpu::GPUFuncOp::is(ir, func) {
                continue;
            }
            for _ in 0..self.rounds {
                if !self.split_all(ir, func) {
                    break;
                }
                // Branches whose condition is known now, and loops that do nothing, are gone.
                let patterns = patterns.get_or_insert_with(|| PatternSet::canonicalization(ir));
                let _ = apply_greedily(ir, func, patterns, GreedyConfig::default());
            }
        }
        Ok(())
    }
}

impl IndexSetSplitting {
    fn split_all(&self, ir: &mut Ir, func: Op) -> bool {
        let loops: Vec<(scf::ForOp, Cut)> = ir
            .nested_ops(func, WalkOrder::PreOrder)
            .into_iter()
            .filter_map(|op| scf::ForOp::cast(ir, op))
            .filter_map(|view| Some((view, self.find_cut(ir, view)?)))
            .collect();
        for (view, cut) in &loops {
            split(ir, *view, cut);
        }
        !loops.is_empty()
    }

    /// Where to cut a loop, if that pays.
    fn find_cut(&self, ir: &Ir, view: scf::ForOp) -> Option<Cut> {
        let length = body_length(ir, view)?;
        let is_short = length <= self.operations;
        let is_straight = LoopUnroll::default().becomes_straight_code(ir, view, length);
        let asked = llvm::unroll_count(ir, view.op()).is_some();
        if !is_short || is_straight || asked || !ir.ctx.is_index(ir.ty(view.induction_var(ir))) {
            return None;
        }
        let step = arith::constant_index_value(ir, view.step(ir)).filter(|&step| step > 0)?;
        let mut branches = ir.ops(view.body(ir)).filter_map(|op| scf::IfOp::cast(ir, op));
        branches.find_map(|branch| {
            let comparison = comparisons(ir, branch.condition(ir));
            comparison.into_iter().find_map(|op| Cut::at(ir, view, step, branch, op))
        })
    }
}

/// The comparisons of integers that a condition is made of.
fn comparisons(ir: &Ir, condition: Value) -> Vec<Op> {
    let (mut found, mut open) = (Vec::new(), vec![condition]);
    while let Some(op) = open.pop().and_then(|value| ir.defining_op(value)) {
        match ir.name(op) {
            arith::CmpIOp::NAME => found.push(op),
            arith::AndIOp::NAME | arith::OrIOp::NAME => {
                open.extend([ir.operand(op, 1), ir.operand(op, 0)]);
            }
            _ => {}
        }
    }
    found
}

/// A comparison in a loop and what it says where.
#[derive(Clone, Debug)]
struct Cut {
    comparison: Op,
    step: i64,
    /// What is true of the variable up to the first place, from there, and so on.
    answers: Vec<bool>,
    /// Where the answer changes: sums of what does not change in the loop, in ascending order.
    places: Vec<Polynomial>,
    /// Whether the part with this number has one round at most.
    single: Option<usize>,
}

impl Cut {
    fn at(ir: &Ir, view: scf::ForOp, step: i64, branch: scf::IfOp, op: Op) -> Option<Cut> {
        use arith::CmpIPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt};
        // One that does not change in the loop is not for this loop to know.
        if !is_defined_inside(ir, arith::CmpIOp(op).result(ir), view.op()) {
            return None;
        }
        let mut how = arith::CmpIPredicate::of(ir, op)?;
        let outside = |value: Value| !is_defined_inside(ir, value, view.op());
        let [left, right] = [0, 1].map(|i| polynomial_over(ir, ir.operand(op, i), &outside));
        let variable = view.induction_var(ir);
        let mut difference = left.plus(&right, -1)?;
        if difference.coefficient(&[variable]) == -1 {
            difference = right.plus(&left, -1)?;
            how = how.swapped();
        }
        // The comparison is of the variable with `place`.
        if difference.coefficient(&[variable]) != 1 {
            return None;
        }
        let place = Polynomial::value(variable).plus(&difference, -1)?;
        let stays = place.values().into_iter().all(|value| value != variable && outside(value));
        if !stays || !differs_little(ir, branch, &place) {
            return None;
        }
        let next = place.plus(&Polynomial::constant(1), 1)?;
        let (mut places, mut answers) = match how {
            Slt => (vec![place], vec![true, false]),
            Sle => (vec![next], vec![true, false]),
            Sgt => (vec![next], vec![false, true]),
            Sge => (vec![place], vec![false, true]),
            Eq => (vec![place, next], vec![false, true, false]),
            Ne => (vec![place, next], vec![true, false, true]),
            _ => return None,
        };
        let mut single = matches!(how, Eq | Ne).then_some(1usize);
        // Parts in front of the first round and behind the last one are not made.
        let [lower, upper] =
            [view.lowerBound(ir), view.upperBound(ir)].map(|v| polynomial_over(ir, v, &outside));
        let ahead = |place: &Polynomial, of: &Polynomial| {
            let distance = written_out(ir, &of.plus(place, -1)?)?;
            distance.as_constant().map(|distance| distance >= 0)
        };
        while places.first().is_some_and(|place| ahead(place, &lower) == Some(true)) {
            places.remove(0);
            answers.remove(0);
            single = single.and_then(|single| single.checked_sub(1));
        }
        while places.last().is_some_and(|place| ahead(&upper, place) == Some(true)) {
            places.pop();
            answers.pop();
        }
        let cut = Cut { comparison: op, step, answers, places, single };
        (!cut.places.is_empty()).then_some(cut)
    }
}

/// A sum with what its values are sums of themselves.
fn written_out(ir: &Ir, sum: &Polynomial) -> Option<Polynomial> {
    sum.terms().try_fold(Polynomial::default(), |all, (monomial, coefficient)| {
        let one = Polynomial::constant(1);
        let term = monomial.iter().try_fold(one, |term, &v| term.times(&polynomial(ir, v)))?;
        all.plus(&term, coefficient)
    })
}

/// Whether lanes of a warp cut a loop at about the same place, or lose nothing by going apart: where one
/// side of the branch does nothing, rounds are only saved. What was loaded may be anything for any lane.
fn differs_little(ir: &Ir, branch: scf::IfOp, place: &Polynomial) -> bool {
    let one_sided = ir.regions(branch.op()).iter().any(|&region| {
        ir.blocks(region).iter().all(|&block| {
            ir.ops(block)
                .all(|op| scf::YieldOp::is(ir, op) || ir.has_trait(op, Traits::CONSTANT_LIKE))
        })
    });
    let mut uniformity = Uniformity::default();
    one_sided
        || place
            .values()
            .into_iter()
            .all(|value| !uniformity.varies(ir, value) || is_calculated(ir, value))
}

/// Whether a value is made from numbers of threads and what the launch knows alone, without loads.
fn is_calculated(ir: &Ir, value: Value) -> bool {
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        match ir.value_def(value) {
            ValueDef::Result(op, _) if ir.regions(op).is_empty() && ir.is_effect_free(op) => {
                open.extend(ir.operands(op));
            }
            ValueDef::Result(..) => return false,
            ValueDef::Argument(block, index) => {
                let given = ir.block_op(block).is_some_and(|owner| {
                    gpu::GPUFuncOp::is(ir, owner) || scf::ForOp::is(ir, owner) && index == 0
                });
                if !given {
                    return false;
                }
            }
        }
    }
    true
}

/// Makes a loop of each part, one after the other.
fn split(ir: &mut Ir, view: scf::ForOp, cut: &Cut) {
    let mut b = Builder::before(ir, view.op());
    let (lower, upper, step) = (view.lowerBound(&b), view.upperBound(&b), view.step(&b));
    let answer = arith::CmpIOp(cut.comparison).result(&b);
    let annotation = b.attr(view.op(), llvm::LOOP_ANNOTATION);
    let mut carried: Vec<Value> = view.initArgs(&b).to_vec();
    let mut from = lower;
    for (number, &holds) in cut.answers.iter().enumerate() {
        let to = cut.places.get(number).map(|place| {
            let given = |_: &Ir, _: Value| Some(Vec::new());
            let place = build_polynomial(&mut b, place, given, &mut ValueMap::new());
            let place = place.expect("what does not change in a loop is there in front of it");
            arith::MinSIOp::new(&mut b, place, upper).value(&mut b)
        });
        let bounds = (from, to.unwrap_or(upper), step);
        let part = scf::ForOp::create(&mut b, bounds, &carried, |b, variable, carried| {
            let known = arith::constant_bool(b, holds);
            let mut map = ValueMap::new();
            map.insert(answer, known);
            round(b, view, variable, carried, map)
        });
        if cut.single == Some(number) {
            let no_unroll = llvm::no_unroll(&mut b.ctx);
            b.set_attr(part.op(), llvm::LOOP_ANNOTATION, no_unroll);
        } else if let Some(annotation) = annotation {
            b.set_attr(part.op(), llvm::LOOP_ANNOTATION, annotation);
        }
        carried = b.results(part.op()).to_vec();
        if let Some(to) = to {
            from = first_round(&mut b, lower, to, cut.step);
        }
    }
    ir.replace_op(view.op(), &carried);
}

/// The variable's first value, from `lower` on, that is not below `place`.
fn first_round(b: &mut Builder<'_>, lower: Value, place: Value, step: i64) -> Value {
    if step == 1 {
        return arith::MaxSIOp::new(b, lower, place).value(b);
    }
    let distance = arith::SubIOp::new(b, place, lower).value(b);
    let zero = arith::constant_index(b, 0);
    let distance = arith::MaxSIOp::new(b, distance, zero).value(b);
    let step = arith::constant_index(b, step);
    let rounds = arith::CeilDivUIOp::new(b, distance, step).value(b);
    let distance = arith::MulIOp::new(b, rounds, step).value(b);
    arith::AddIOp::new(b, lower, distance).value(b)
}
