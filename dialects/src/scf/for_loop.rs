//! `scf.for`.

use gpuc_ir::op::types::{ANY, SIGNLESS_INTEGER_OR_INDEX, same};
use gpuc_ir::op::{CountedLoopInterface, LoopBound, LoopDimension, LoopStep};
use gpuc_ir::{Block, Builder, Ir, Op, Value, op};
use smallvec::{SmallVec, smallvec};

use super::edges::{self, Compare, verify_edges, verify_ends};
use super::for_patterns::FOR;
use super::syntax;
use super::terminators::{YieldOp, yield_nothing};
use crate::arith::constant_int_value;

op! {
    /// A counting loop: runs its region for the induction variable from the lower bound up, by the
    /// step, while below the upper bound (signed). Values are carried from one iteration to the
    /// next by the region's further arguments; the last iteration's are the results.
    ForOp = "scf.for" {
        operands {
            lowerBound: One SIGNLESS_INTEGER_OR_INDEX,
            upperBound: One SIGNLESS_INTEGER_OR_INDEX,
            step: One SIGNLESS_INTEGER_OR_INDEX,
            initArgs: Variadic ANY,
        }
        results { results: Variadic ANY }
        regions { region: SizedOne }
        traits SINGLE_BLOCK, RECURSIVE_EFFECTS, ALLOCATION_SCOPE
        types {
            upperBound = same(lowerBound) "all of {lowerBound, upperBound, step} have same type",
            step = same(lowerBound) "all of {lowerBound, upperBound, step} have same type",
        }
        hooks {
            verify: Some(verify_for),
            parse: Some(syntax::parse_for),
            print: Some(syntax::print_for),
            verify_regions: Some(verify_carried),
            canonicalize: FOR,
            loop_regions: Some(|ir, op| smallvec![ir.region(op, 0)]),
            counted_loop: Some(CountedLoopInterface {
                dimensions: for_dimensions,
                inits: Some(|ir, op| 3..ir.operand_count(op)),
            }),
            region_branch: Some(edges::FOR),
            implicit_terminator: Some(yield_nothing),
        }
    }
}

fn for_dimensions(ir: &Ir, op: Op) -> SmallVec<[LoopDimension; 1]> {
    let view = ForOp(op);
    smallvec![LoopDimension {
        variable: view.induction_var(ir),
        lower: LoopBound::Value(view.lowerBound(ir)),
        upper: LoopBound::Value(view.upperBound(ir)),
        step: LoopStep::Value(view.step(ir)),
    }]
}

impl ForOp {
    /// Builds a loop. `body` receives the induction variable and the carried values and returns
    /// what the iteration yields.
    pub fn create(
        b: &mut Builder<'_>,
        bounds: (Value, Value, Value),
        inits: &[Value],
        body: impl FnOnce(&mut Builder<'_>, Value, &[Value]) -> Vec<Value>,
    ) -> ForOp {
        let (lower, upper, step) = bounds;
        let results: Vec<_> = inits.iter().map(|&init| b.ty(init)).collect();
        let mut arguments = vec![b.ty(lower)];
        arguments.extend(&results);
        let region = b.region(&arguments, |b, values| {
            let yielded = body(b, values[0], &values[1..]);
            YieldOp::new(b, &yielded).build(b);
        });
        let build = ForOp::new(b, lower, upper, step, inits).result_group(&results);
        ForOp(build.region(region).build(b))
    }

    /// The block of the body.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn body(self, ir: &Ir) -> Block {
        ir.body(self.0, 0)
    }

    /// The induction variable.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn induction_var(self, ir: &Ir) -> Value {
        ir.arguments(self.body(ir))[0]
    }

    /// The arguments of the body that carry values.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn iter_args(self, ir: &Ir) -> &[Value] {
        &ir.arguments(self.body(ir))[1..]
    }

    /// The operation that ends the body.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn terminator(self, ir: &Ir) -> Op {
        ir.last_op(self.body(ir)).expect("a valid body has a terminator")
    }

    /// How many iterations run, if bounds and step are constant (and the step is positive).
    pub fn constant_trip_count(self, ir: &Ir) -> Option<u128> {
        if self.lowerBound(ir) == self.upperBound(ir) {
            return Some(0);
        }
        let lower = constant_int_value(ir, self.lowerBound(ir))?;
        let upper = constant_int_value(ir, self.upperBound(ir))?;
        let step = constant_int_value(ir, self.step(ir)).filter(|&step| step > 0)?;
        trip_count(lower, upper, step)
    }
}

/// Iterations of a loop from `lower` to below `upper` by a positive `step`; `None` where the
/// distance is too great to count.
pub(super) fn trip_count(lower: i128, upper: i128, step: i128) -> Option<u128> {
    if lower >= upper {
        return Some(0);
    }
    let distance = upper.checked_sub(lower)?;
    Some((distance as u128).div_ceil(step as u128))
}

fn verify_for(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ForOp(op);
    let inits = ir.operand_count(op).saturating_sub(3);
    if inits != ir.results(op).len() {
        return Err("mismatch in number of loop-carried values and defined values".into());
    }
    let arguments = ir.arguments(view.body(ir));
    let Some((&induction, carried)) = arguments.split_first() else {
        return Err("expected body to have at least one argument for the induction variable".into());
    };
    if ir.ty(induction) != ir.ty(view.lowerBound(ir)) {
        return Err("expected induction variable to be same type as bounds and step".into());
    }
    if carried.len() != inits {
        return Err(format!(
            "different number of inits and region iter_args: {inits} != {}",
            carried.len()
        ));
    }
    verify_ends::<YieldOp>(ir, op)
}

fn verify_carried(ir: &Ir, op: Op) -> Result<(), String> {
    verify_edges(ir, op, Compare::Counts)?;
    let view = ForOp(op);
    let carried = view.iter_args(ir);
    let same = |i: usize, what: [&str; 2], a: Value, b: Value| {
        let (a, b) = (ir.ty(a), ir.ty(b));
        if a == b {
            return Ok(());
        }
        let [first, second] = what;
        Err(format!(
            "{i}-th {first} and {i}-th {second} have different type: '{}' != '{}'",
            ir.ctx.type_text(a),
            ir.ctx.type_text(b)
        ))
    };
    for (i, init) in view.initArgs(ir).into_iter().enumerate() {
        same(i, ["init", "region iter_arg"], init, carried[i])?;
    }
    for (i, yielded) in ir.operands(view.terminator(ir)).enumerate() {
        same(i, ["region iter_arg", "yielded value"], carried[i], yielded)?;
    }
    for (i, &result) in ir.results(op).iter().enumerate() {
        same(i, ["region iter_arg", "loop result"], carried[i], result)?;
    }
    Ok(())
}
