//! What a set asks of its tuples, as values that can be computed.

use super::ast::Condition;
use crate::affine::{Affine, Constraint, Var};
use crate::basic_set::BasicSet;
use crate::error::{Error, Result};
use crate::existential::{self, Form};
use crate::quasi_affine::QuasiAffine;

/// The constraints of a set without existentials: a floor takes the place of each, and a remainder that of a stride.
/// [`Error::TooComplex`] where an existential is not a function of the other variables.
pub(super) fn conditions(set: &BasicSet) -> Result<Vec<Condition>> {
    let system = set.system();
    let visible = set.visible();
    let forms = existential::forms(system, visible);
    let mut locals: Vec<Option<QuasiAffine>> = vec![None; forms.len()];
    // A window may mention others; each round settles one at least.
    for _ in 0..forms.len() {
        for (local, form) in forms.iter().enumerate() {
            let Some(Form::Window { upper, .. }) = form else { continue };
            if locals[local].is_none() {
                let row = &system.inequalities[*upper];
                let divisor = -row[visible + local];
                let expr = set.affine(row) + Affine::from(Var::Local(local)) * divisor;
                if let Some(expr) = computed(&expr, &locals) {
                    locals[local] = Some(expr.floor_div(divisor)?);
                }
            }
        }
    }
    let mut strides = vec![None; system.equalities.len()];
    for (local, form) in forms.iter().enumerate() {
        match form {
            Some(Form::Stride { equality }) => strides[*equality] = Some(local),
            Some(Form::Window { .. }) if locals[local].is_some() => {}
            _ => return Err(Error::TooComplex),
        }
    }
    let mut conditions = Vec::with_capacity(system.len());
    for (row, stride) in system.equalities.iter().zip(strides) {
        let expr = set.affine(row);
        let (expr, modulus) = match stride {
            None => (expr, 1),
            Some(local) => {
                let coefficient = row[visible + local];
                (expr - Affine::from(Var::Local(local)) * coefficient, coefficient.abs())
            }
        };
        let value = computed(&expr, &locals).ok_or(Error::TooComplex)?;
        let value = if stride.is_some() { value.modulo(modulus)? } else { value };
        conditions.push(Condition { value, equality: true });
    }
    for row in system.inequalities.iter() {
        let value = computed(&set.affine(row), &locals).ok_or(Error::TooComplex)?;
        conditions.push(Condition { value, equality: false });
    }
    Ok(conditions)
}

/// The expression with floors for its locals; `None` where one has no floor yet.
fn computed(expr: &Affine, locals: &[Option<QuasiAffine>]) -> Option<QuasiAffine> {
    let mut value = QuasiAffine::constant(expr.constant_term());
    for (var, c) in expr.terms() {
        let term = match var {
            Var::Dim(dim) => QuasiAffine::dim(dim),
            Var::Param(param) => QuasiAffine::param(param),
            Var::Local(local) => locals[local].clone()?,
        };
        value = value + term * c;
    }
    Some(value)
}

/// The conditions that do not follow from the context and the ones before them.
pub(super) fn not_implied(
    conditions: Vec<Condition>,
    context: &BasicSet,
) -> Result<Vec<Condition>> {
    let mut context = context.clone();
    let mut left = Vec::new();
    for condition in conditions {
        let value = condition.value.lower(&mut context)?;
        let constraint =
            if condition.equality { Constraint::eq(value, 0) } else { Constraint::ge(value, 0) };
        if !context.implies(&constraint)? {
            context.add(&constraint)?;
            left.push(condition);
        }
    }
    Ok(left)
}

/// That a dimension takes only the values `rest + step * t`, where the set's equalities say so in terms of outer
/// dimensions and parameters.
pub(super) fn stride(set: &BasicSet, dim: usize) -> Option<(i64, Affine)> {
    let forms = existential::forms(set.system(), set.visible());
    forms.iter().enumerate().find_map(|(local, form)| {
        let Some(Form::Stride { equality }) = form else { return None };
        let row = &set.system().equalities[*equality];
        let step = row[set.visible() + local].abs();
        let sign = match row[dim] {
            1 => -1,
            -1 => 1,
            _ => return None,
        };
        let expr = set.affine(row);
        let known = expr.terms().all(|(var, _)| match var {
            Var::Dim(other) => other <= dim,
            Var::Param(_) => true,
            Var::Local(other) => other == local,
        });
        if !known {
            return None;
        }
        // sign * x = expr without x and the local, modulo the step; coefficients may be reduced.
        let constant = Affine::constant(expr.constant_term());
        let rest = expr.terms().fold(constant, |sum, (var, c)| match var {
            Var::Local(_) => sum,
            Var::Dim(other) if other == dim => sum,
            var => sum + Affine::from(var) * c,
        }) * sign;
        let constant = Affine::constant(rest.constant_term().rem_euclid(step));
        let reduced =
            rest.terms().fold(constant, |sum, (var, c)| sum + Affine::from(var) * (c % step));
        Some((step, reduced))
    })
}
