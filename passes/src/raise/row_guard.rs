//! What must hold at run time for an array to be made of rows.

use gpuc_dialects::arith;
use gpuc_ir::{Builder, Ir, Op, Value, ValueMap};
use gpuc_presburger::{BasicSet, Constraint, Var};

use crate::analysis::domain::Domain;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::slice::{build_polynomial, pure_slice};

/// A condition on values: of each list, one polynomial at least is not negative.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    all: Vec<Vec<Polynomial>>,
}

impl Guard {
    /// What has to hold for no iteration of a nest to satisfy `outside`, other than that there is no
    /// iteration; `None` if nothing can make it so, or nothing simple enough.
    ///
    /// The parameters for which some iteration does are the projection of `iterations` and
    /// `outside`: what contradicts any one of its constraints suffices. Constraints with
    /// existentials are passed over, which demands more than is needed.
    pub fn against(iterations: &BasicSet, outside: &Constraint, domain: &Domain) -> Option<Guard> {
        let mut violating = iterations.clone();
        violating.add(outside).ok()?;
        if violating.is_empty().ok()? {
            return Some(Guard::default());
        }
        let dims = iterations.space().dims();
        let params = violating.project_out(0..dims).ok()?.without_redundancies().ok()?;
        let mut ways = Vec::new();
        for constraint in params.constraints() {
            let expr = constraint.expr();
            if expr.terms().any(|(var, _)| matches!(var, Var::Local(_))) {
                continue;
            }
            let below = -expr.clone() - 1;
            let above = constraint.is_equality().then(|| expr.clone() - 1);
            for other in [below].into_iter().chain(above) {
                // Parameters for which nothing runs at all may take the other version.
                let mut some = iterations.clone();
                some.add(&Constraint::ge(other.clone(), 0)).ok()?;
                if !some.is_empty().ok()? {
                    ways.push(domain.polynomial(&other)?);
                }
            }
        }
        (!ways.is_empty()).then(|| Guard { all: vec![ways] })
    }

    /// That a number is not negative.
    pub fn not_negative(form: Polynomial) -> Guard {
        Guard { all: vec![vec![form]] }
    }

    /// Whether there is nothing to test.
    pub fn holds_always(&self) -> bool {
        self.all.is_empty()
    }

    /// Demands what `other` does as well.
    pub fn extend(&mut self, other: Guard) {
        for ways in other.all {
            if self.all.iter().any(|known| implies(known, &ways)) {
                continue;
            }
            self.all.retain(|known| !implies(&ways, known));
            self.all.push(ways);
        }
    }

    fn values(&self) -> impl Iterator<Item = Value> {
        self.all.iter().flatten().flat_map(Polynomial::values)
    }

    /// Whether everything it speaks of can be computed in front of an operation.
    pub fn can_be_had_before(&self, ir: &Ir, op: Op) -> bool {
        self.values().all(|value| pure_slice(ir, value, op).is_some())
    }

    /// Builds the condition in front of `op`, where the builder must stand.
    pub fn build(&self, b: &mut Builder<'_>, op: Op) -> Value {
        let mut map = ValueMap::new();
        let zero = arith::constant_index(b, 0);
        let mut all: Option<Value> = None;
        for ways in &self.all {
            let mut any: Option<Value> = None;
            for form in ways {
                let slice = |ir: &Ir, value| pure_slice(ir, value, op);
                let sum = build_polynomial(b, form, slice, &mut map)
                    .expect("it was asked whether everything can be had");
                let sge = arith::CmpIPredicate::Sge.attr(&mut b.ctx);
                let holds = arith::CmpIOp::new(b, sum, zero).attr(b, "predicate", sge).value(b);
                any = Some(match any {
                    Some(so_far) => arith::OrIOp::new(b, so_far, holds).value(b),
                    None => holds,
                });
            }
            let any = any.expect("each list has an element");
            all = Some(match all {
                Some(so_far) => arith::AndIOp::new(b, so_far, any).value(b),
                None => any,
            });
        }
        all.unwrap_or_else(|| arith::constant_bool(b, true))
    }

    /// As people write it: `m <= lda and k >= 0`.
    pub fn display(&self, name: impl Fn(Value) -> String) -> String {
        let clause = |ways: &Vec<Polynomial>| {
            let ways: Vec<String> = ways.iter().map(|form| comparison(form, &name)).collect();
            ways.join(" or ")
        };
        let clauses: Vec<String> = self.all.iter().map(clause).collect();
        clauses.join(" and ")
    }
}

/// Whether one list, if it holds, shows that the other does: they are the same, or both are one sum
/// and differ by a number.
fn implies(given: &[Polynomial], other: &[Polynomial]) -> bool {
    let ([a], [b]) = (given, other) else { return given == other };
    b.plus(a, -1).and_then(|more| more.as_constant()).is_some_and(|more| more >= 0)
}

/// `form >= 0` with the subtracted terms on the left.
fn comparison(form: &Polynomial, name: &impl Fn(Value) -> String) -> String {
    let (mut left, mut right) = (Polynomial::default(), Polynomial::default());
    for (monomial, coefficient) in form.terms() {
        let (side, scale) = if coefficient < 0 { (&mut left, -1) } else { (&mut right, 1) };
        let moved = side.plus(&Polynomial::term(monomial, coefficient), scale);
        *side = moved.unwrap_or_else(|| side.clone());
    }
    if left.as_constant() == Some(0) {
        return format!("{} >= 0", right.display(name));
    }
    format!("{} <= {}", left.display(name), right.display(name))
}
