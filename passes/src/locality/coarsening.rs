//! What a thread gains by several iterations of a parallel loop: the loads that they have in common.

use gpuc_dialects::affine::{AffineForOp, AffineIfOp, AffineLoadOp};
use gpuc_ir::op::Traits;
use gpuc_ir::{Ir, Op, OpView, Value, WalkOrder};
use rustc_hash::{FxHashMap, FxHashSet};

use super::contraction::{linear_over, subscripts};
use super::stencil::Stencil;
use crate::analysis::access::{Access, root};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::is_defined_inside;
use crate::versions::apart_from;

/// An element that iterations of a thread load: its buffer, and subscripts in which inner loops stand at a round
/// of theirs, and the coarsened loop at the thread's first iteration.
pub type Element = (Value, Vec<Polynomial>);

/// Where in a nest code stands that is written out: rounds of inner loops, and how far behind the thread's first
/// iteration.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// Variables of inner loops, at what they are.
    pub rounds: FxHashMap<Value, i64>,
    /// Iterations of the coarsened loop behind the first.
    pub behind: i64,
}

/// A loop of a nest of which each thread executes several iterations, one behind the other.
#[derive(Clone, Debug)]
pub struct Coarsening {
    /// Which of the nest's dimensions.
    pub dim: usize,
    /// How many iterations.
    pub factor: i64,
    /// Loads of an iteration, as the nest is.
    pub before: i64,
    /// Loads of all of a thread's iterations.
    pub after: i64,
    /// Buffers whose elements stay in registers, because nothing in the nest writes to them.
    pub kept: Vec<Value>,
    /// Pairs of mapped buffers that must be apart for that, and have not been asked about.
    pub apart: Vec<(Value, Value)>,
    /// What an iteration does: where all of it stands under one condition, that of which it holds.
    pub body: Vec<Op>,
    /// That condition: not negative forms of values that are known in front of the body.
    pub conditions: Vec<Polynomial>,
}

/// Rounds of inner loops that are written out, and operations of a thread's iterations together.
const MOST_ROUNDS: i64 = 64;
const MOST_OPS: i64 = 4096;
/// Elements of an iteration, which registers hold at once.
const MOST_ELEMENTS: usize = 64;
/// Iterations of a thread that are tried, and how many of the loads before may be left for a run to be taken. Four save
/// instructions for addresses as well, so that a few loads less are worth it; eight leave too few threads for that
/// (benches/RESULTS.md, stars), and sixteen more so.
const FACTORS: [(i64, f64); 4] = [(2, 0.85), (4, 0.92), (8, 0.85), (16, 0.75)];

impl Coarsening {
    /// The loop and the number of iterations that leave the fewest loads; `None` where none leaves clearly fewer.
    pub fn choose(ir: &Ir, stencil: &Stencil) -> Option<Coarsening> {
        let mut best: Option<Coarsening> = None;
        for (found, worth) in Coarsening::all(ir, stencil) {
            let least = best.as_ref().map_or(found.before as f64, Coarsening::loads);
            if found.loads() <= worth * least {
                best = Some(found);
            }
        }
        best
    }

    /// All that are tried, by loops and then by numbers, each with how many of the loads before it may leave.
    pub fn all(ir: &Ir, stencil: &Stencil) -> impl Iterator<Item = (Coarsening, f64)> {
        // Neighbouring threads execute iterations of the last dimension.
        let each =
            (0..stencil.column).flat_map(|dim| FACTORS.map(|(factor, worth)| (dim, factor, worth)));
        each.filter_map(move |(dim, factor, worth)| {
            Some((Coarsening::of(ir, stencil, dim, factor)?, worth))
        })
    }

    /// A number of iterations of a dimension; `None` where they cannot be written out.
    pub fn of(ir: &Ir, stencil: &Stencil, dim: usize, factor: i64) -> Option<Coarsening> {
        let (kept, apart) = unwritten(ir, stencil);
        let (body, conditions) = guarded(ir, stencil)?;
        let mut this =
            Coarsening { dim, factor, before: 0, after: 0, kept, apart, body, conditions };
        let mut count = Count::default();
        let mut instance = Instance::default();
        for behind in 0..factor {
            instance.behind = behind;
            for &op in &this.body {
                this.count(ir, stencil, op, &mut instance, &mut count)?;
            }
            if behind == 0 {
                this.before = count.loads;
            }
            if behind == 0 && count.elements.len() > MOST_ELEMENTS || count.ops > MOST_OPS {
                return None;
            }
        }
        this.after = count.elements.len() as i64 + count.others;
        Some(this)
    }

    /// Loads of a thread for each of its iterations.
    pub fn loads(&self) -> f64 {
        self.after as f64 / self.factor as f64
    }

    /// The element that a load has in an instance; `None` where it does not stay in a register, or cannot be told apart
    /// from others.
    pub fn element(
        &self,
        ir: &Ir,
        stencil: &Stencil,
        op: Op,
        instance: &Instance,
    ) -> Option<Element> {
        let buffer = AffineLoadOp::cast(ir, op)?.memref(ir);
        if !self.kept.contains(&buffer) {
            return None;
        }
        let row = stencil.dims[self.dim].variable;
        let at = |mut form: Polynomial| {
            let behind = form.coefficient(&[row]).checked_mul(instance.behind)?;
            form = form.plus(&Polynomial::constant(behind), 1)?;
            for (&variable, &round) in &instance.rounds {
                let factor = form.coefficient(&[variable]);
                form = form.plus(&Polynomial::term(&[variable], factor), -1)?;
                form = form.plus(&Polynomial::constant(factor.checked_mul(round)?), 1)?;
            }
            let is_known = |value: &Value| {
                stencil.dims.iter().any(|dim| dim.variable == *value)
                    || !is_defined_inside(ir, *value, stencil.nest)
            };
            form.values().iter().all(is_known).then_some(form)
        };
        let forms: Option<Vec<Polynomial>> = subscripts(ir, op)?.into_iter().map(at).collect();
        Some((buffer, forms?))
    }

    fn count(
        &self,
        ir: &Ir,
        stencil: &Stencil,
        op: Op,
        instance: &mut Instance,
        count: &mut Count,
    ) -> Option<()> {
        count.ops += 1;
        if let Some((inner, rounds)) = written_out(ir, op) {
            let variable = inner.induction_var(ir);
            for round in rounds {
                instance.rounds.insert(variable, round);
                for each in statements(ir, inner) {
                    self.count(ir, stencil, each, instance, count)?;
                }
                if count.ops > MOST_OPS {
                    return None;
                }
            }
            instance.rounds.remove(&variable);
            return Some(());
        }
        // Other loops, and what stands under conditions, are as often as before.
        for each in ir.nested_ops(op, WalkOrder::PreOrder) {
            if ir.is_counted_loop(each) {
                return None;
            }
            let reads = ir.memory_access(each).is_some_and(|access| access.stored().is_none());
            count.loads += i64::from(reads);
            match self.element(ir, stencil, each, instance).filter(|_| each == op) {
                Some(element) => _ = count.elements.insert(element),
                None => count.others += i64::from(reads),
            }
        }
        Some(())
    }
}

/// What a thread's iterations do.
#[derive(Default)]
struct Count {
    ops: i64,
    loads: i64,
    /// Elements that stay in registers.
    elements: FxHashSet<Element>,
    /// Loads of other elements.
    others: i64,
}

/// What an iteration does, and the forms that are not negative where it does: everything with an effect may stand under
/// one condition. `None` where the condition is no conjunction of such forms.
fn guarded(ir: &Ir, stencil: &Stencil) -> Option<(Vec<Op>, Vec<Polynomial>)> {
    let quiet = |op: Op| ir.is_effect_free(op) && ir.regions(op).is_empty();
    let mut loud = stencil.body.iter().filter(|&&op| !quiet(op));
    let choice = match (loud.next(), loud.next()) {
        (Some(&only), None) => AffineIfOp::cast(ir, only),
        _ => None,
    };
    let Some(choice) = choice.filter(|choice| choice.else_block(ir).is_none()) else {
        return Some((stencil.body.clone(), Vec::new()));
    };
    let set = ir.ctx.set_data(choice.condition(ir)?);
    let operands: Vec<Value> = ir.operands(choice.op()).collect();
    let known = |value: &Value| {
        stencil.dims.iter().any(|dim| dim.variable == *value)
            || !is_defined_inside(ir, *value, stencil.nest)
    };
    let form = |&(expr, is_equality): &(_, bool)| {
        linear_over(ir, expr, set.dims as usize, &operands)
            .filter(|form| !is_equality && form.values().iter().all(known))
    };
    let forms: Option<Vec<Polynomial>> = set.constraints.iter().map(form).collect();
    let inside = ir.ops(choice.then_block(ir));
    let inside = inside.filter(|&op| !ir.has_trait(op, Traits::TERMINATOR));
    let around = stencil.body.iter().copied().filter(|&op| op != choice.op());
    Some((around.chain(inside).collect(), forms?))
}

/// The buffers that a nest loads elements of and writes none of, and pairs of mapped ones that must be apart for that.
pub(super) fn unwritten(ir: &Ir, stencil: &Stencil) -> (Vec<Value>, Vec<(Value, Value)>) {
    let (mut kept, mut apart): (Vec<Value>, Vec<(Value, Value)>) = (Vec::new(), Vec::new());
    for op in ir.nested_ops(stencil.nest, WalkOrder::PreOrder) {
        let Some(view) = AffineLoadOp::cast(ir, op) else { continue };
        let buffer = view.memref(ir);
        if kept.contains(&buffer) || is_defined_inside(ir, buffer, stencil.nest) {
            continue;
        }
        if let Some(pairs) = apart_from(ir, stencil.nest, &[root(ir, buffer)], Access::writes) {
            kept.push(buffer);
            for pair in pairs {
                if !apart.contains(&pair) {
                    apart.push(pair);
                }
            }
        }
    }
    (kept, apart)
}

/// A loop of few rounds, whose body is written out for each, and what its variable is in them.
pub fn written_out(ir: &Ir, op: Op) -> Option<(AffineForOp, Vec<i64>)> {
    let view = AffineForOp::cast(ir, op)?;
    let first = view.constant_lower_bound(ir)?;
    let rounds = i64::try_from(view.constant_trip_count(ir)?).ok()?;
    if !(0..=MOST_ROUNDS).contains(&rounds) {
        return None;
    }
    let at = |round: i64| round.checked_mul(view.step_value(ir))?.checked_add(first);
    let rounds: Option<Vec<i64>> = (0..rounds).map(at).collect();
    Some((view, rounds?))
}

/// The operations of a loop's body without what ends it.
pub fn statements(ir: &Ir, view: AffineForOp) -> Vec<Op> {
    let body = ir.body(view.op(), 0);
    ir.ops(body).filter(|&op| !ir.has_trait(op, Traits::TERMINATOR)).collect()
}
