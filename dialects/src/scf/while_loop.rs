//! `scf.while`.

use gpuc_ir::op::types::ANY;
use gpuc_ir::{Builder, Ir, Op, OpView, Type, Value, op};

use super::edges::{self, Compare, verify_edges};
use super::syntax;
use super::terminators::{ConditionOp, YieldOp};
use super::while_patterns::WHILE;

op! {
    /// A general loop. The first region computes the condition; while it is true, the second runs
    /// and yields what the first is given next. The results are what the first region hands over
    /// when the condition is false.
    WhileOp = "scf.while" {
        operands { inits: Variadic ANY }
        results { results: Variadic ANY }
        regions { before: SizedOne, after: SizedOne }
        traits SINGLE_BLOCK, RECURSIVE_EFFECTS
        hooks {
            verify: Some(verify_while),
            parse: Some(syntax::parse_while),
            print: Some(syntax::print_while),
            verify_regions: Some(|ir, op| verify_edges(ir, op, Compare::Types)),
            canonicalize: WHILE,
            loop_regions: Some(|ir, op| ir.regions(op).iter().copied().collect()),
            region_branch: Some(edges::WHILE),
        }
    }
}

impl WhileOp {
    /// Builds a loop. `before` returns the condition and the values handed over, whose types are
    /// `results`; `after` receives them and returns what the next iteration starts with.
    pub fn create(
        b: &mut Builder<'_>,
        inits: &[Value],
        results: &[Type],
        before: impl FnOnce(&mut Builder<'_>, &[Value]) -> (Value, Vec<Value>),
        after: impl FnOnce(&mut Builder<'_>, &[Value]) -> Vec<Value>,
    ) -> WhileOp {
        let carried: Vec<_> = inits.iter().map(|&init| b.ty(init)).collect();
        let before = b.region(&carried, |b, values| {
            let (condition, handed) = before(b, values);
            ConditionOp::new(b, condition, &handed).build(b);
        });
        let after = b.region(results, |b, values| {
            let yielded = after(b, values);
            YieldOp::new(b, &yielded).build(b);
        });
        let build = WhileOp::new(b, inits).result_group(results).region(before).region(after);
        WhileOp(build.build(b))
    }

    /// The `scf.condition` that ends the first region.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn condition_op(self, ir: &Ir) -> ConditionOp {
        let end = ir.last_op(ir.body(self.0, 0)).and_then(|end| ConditionOp::cast(ir, end));
        end.expect("the first region of a valid scf.while ends with scf.condition")
    }

    /// The `scf.yield` that ends the second region.
    ///
    /// # Panics
    /// If the operation is not valid.
    pub fn yield_op(self, ir: &Ir) -> YieldOp {
        let end = ir.last_op(ir.body(self.0, 1)).and_then(|end| YieldOp::cast(ir, end));
        end.expect("the second region of a valid scf.while ends with scf.yield")
    }
}

fn verify_while(ir: &Ir, op: Op) -> Result<(), String> {
    let end = |region| ir.last_op(ir.body(op, region));
    if !end(0).is_some_and(|end| ConditionOp::is(ir, end)) {
        return Err("expects the 'before' region to terminate with 'scf.condition'".into());
    }
    if !end(1).is_some_and(|end| YieldOp::is(ir, end)) {
        return Err("expects the 'after' region to terminate with 'scf.yield'".into());
    }
    Ok(())
}
