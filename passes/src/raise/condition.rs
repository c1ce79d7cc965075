//! Conditions inside loops as conjunctions of linear ones.

use gpuc_dialects::arith;
use gpuc_ir::{Ir, Op, OpView, Region, Value};
use gpuc_presburger::{BasicSet, Constraint};

use crate::analysis::cases::unequal;
use crate::analysis::domain::Domain;
use crate::analysis::loops::{CountedLoop, nest};
use crate::analysis::nest::guard::{Guard, negation_of, of_condition};

/// What it comes to, in the iterations of the loops round `op` in a scope, that a condition holds, or fails; `None` where
/// that is no conjunction of linear forms. `i != 0` is `i >= 1` where `i` starts at 0.
pub fn conjunction(
    ir: &Ir,
    op: Op,
    scope: Region,
    condition: Value,
    holds: bool,
) -> Option<Vec<Guard>> {
    let nest = nest(ir, op, ir.region_op(scope)?);
    let mut parts = Parts { ir, scope, nest, found: Vec::new() };
    parts.collect(condition, holds)?;
    Some(parts.found)
}

struct Parts<'a> {
    ir: &'a Ir,
    scope: Region,
    nest: Vec<CountedLoop>,
    found: Vec<Guard>,
}

impl Parts<'_> {
    fn collect(&mut self, condition: Value, holds: bool) -> Option<()> {
        let ir = self.ir;
        let op = ir.defining_op(condition)?;
        if let Some(other) = negation_of(ir, condition) {
            return self.collect(other, !holds);
        }
        let both = match holds {
            true => arith::AndIOp::is(ir, op),
            false => arith::OrIOp::is(ir, op),
        };
        if both {
            return ir.operands(op).try_for_each(|part| self.collect(part, holds));
        }
        if let Some([above, below]) = unequal(ir, condition, holds) {
            let side = match (self.never(&above), self.never(&below)) {
                (true, _) => below,
                (false, true) => above,
                (false, false) => return None,
            };
            self.found.push(side);
            return Some(());
        }
        let [found] = <[Guard; 1]>::try_from(of_condition(ir, condition, holds)).ok()?;
        self.found.push(found);
        Some(())
    }

    /// Whether no iteration satisfies a condition.
    fn never(&self, guard: &Guard) -> bool {
        let mut domain = Domain::of_scope(self.scope);
        domain.add_nest(self.ir, &self.nest);
        domain.add_params_of(self.ir, &self.nest, &guard.form);
        domain.add_definitions(self.ir);
        let mut set = BasicSet::universe(domain.set_space(self.nest.len()));
        let decided: gpuc_presburger::Result<bool> = (|| {
            domain.constrain(&mut set, &self.nest)?;
            let Some(form) = domain.quasi_affine(&mut set, &self.nest, &guard.form)? else {
                return Ok(false);
            };
            set.add(&Constraint::ge(form, 0))?;
            set.is_empty()
        })();
        decided.unwrap_or(false)
    }
}
