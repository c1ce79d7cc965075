//! Iterations of loop nests as Presburger sets.

use gpuc_ir::{Ir, Op, Region, Value};
use gpuc_presburger::{Affine, BasicSet, Constraint, Result, Space, Var};
use indexmap::IndexSet;

use super::loops::{CountedLoop, dimensions};
use super::polynomial::{Monomial, Polynomial};
use super::quasi_affine::QuasiAffine;
use super::subscript::polynomial;

/// Where iterations are spoken of.
#[derive(Clone, Copy, Debug)]
enum Within {
    /// Inside one loop, or one of two that stand side by side.
    Loops([Op; 2]),
    /// In all loops of an affine scope.
    Scope(Region),
}

/// The parameters of sets of iterations inside a loop or scope: values, and products of values, that
/// are defined outside it; and what is known about them.
#[derive(Clone, Debug)]
pub struct Domain {
    within: Within,
    params: IndexSet<Monomial>,
    /// Pairs of which the first is no greater than the second.
    context: Vec<(Polynomial, Polynomial)>,
}

impl Domain {
    /// For iterations of loops inside `op`, itself included. Nothing is known yet.
    pub fn inside(op: Op) -> Domain {
        Domain::inside_either([op, op])
    }

    /// For iterations of loops inside two that stand in one block, themselves included. Nothing is known
    /// yet.
    pub fn inside_either(ops: [Op; 2]) -> Domain {
        Domain { within: Within::Loops(ops), params: IndexSet::new(), context: Vec::new() }
    }

    /// For iterations of all loops in an affine scope. Nothing is known yet.
    pub fn of_scope(scope: Region) -> Domain {
        Domain { within: Within::Scope(scope), params: IndexSet::new(), context: Vec::new() }
    }

    fn is_outside(&self, ir: &Ir, value: Value) -> bool {
        match self.within {
            Within::Loops(all) => !ir
                .value_block(value)
                .and_then(|block| ir.block_op(block))
                .is_some_and(|owner| all.iter().any(|&inside| ir.is_inside(owner, inside))),
            Within::Scope(scope) => is_unchanging(ir, value, scope),
        }
    }

    /// Makes parameters of the products in `form`, as far as they come from outside.
    pub fn add_params(&mut self, ir: &Ir, nest: &[CountedLoop], form: &Polynomial) {
        for (monomial, _) in form.terms() {
            let is_dim = position(nest, monomial).is_some();
            let known = monomial.iter().all(|&value| self.is_outside(ir, value));
            if !monomial.is_empty() && !is_dim && known {
                self.params.insert(monomial.clone());
            }
        }
    }

    /// The same for a form with quotients, their numerators included.
    pub fn add_params_of(&mut self, ir: &Ir, nest: &[CountedLoop], form: &QuasiAffine) {
        self.add_params(ir, nest, form.plain());
        for division in form.divisions() {
            self.add_params_of(ir, nest, &division.numerator);
        }
    }

    /// Makes parameters of what occurs in the bounds of a nest.
    pub fn add_nest(&mut self, ir: &Ir, nest: &[CountedLoop]) {
        for dim in nest {
            for form in dim.lower.iter().chain(&dim.upper) {
                self.add_params(ir, nest, form);
            }
            for form in dim.divided_lower.iter().chain(&dim.divided_upper) {
                self.add_params_of(ir, nest, form);
            }
        }
    }

    /// Learns that variables of loops around are within their bounds.
    pub fn add_context(&mut self, ir: &Ir) {
        let Within::Loops([inside, _]) = self.within else { return };
        for outer in ir.ancestors(inside).collect::<Vec<_>>() {
            for dim in dimensions(ir, outer) {
                if !self.params.contains(&Monomial::from_slice(&[dim.variable])) {
                    continue;
                }
                let variable = Polynomial::value(dim.variable);
                for lower in &dim.lower {
                    self.add_params(ir, &[], lower);
                    self.context.push((lower.clone(), variable.clone()));
                }
                for upper in &dim.upper {
                    self.add_params(ir, &[], upper);
                    let last = upper.plus(&Polynomial::constant(1), -1);
                    self.context.extend(last.map(|last| (variable.clone(), last)));
                }
            }
        }
    }

    /// Learns how parameters are computed from each other.
    pub fn add_definitions(&mut self, ir: &Ir) {
        let values: Vec<Value> =
            self.params.iter().filter(|m| m.len() == 1).map(|m| m[0]).collect();
        for value in values {
            let form = polynomial(ir, value);
            if form.as_value() != Some(value) {
                self.add_params(ir, &[], &form);
                let value = Polynomial::value(value);
                self.context.push((value.clone(), form.clone()));
                self.context.push((form, value));
            }
        }
    }

    /// The products of values that are parameters, in order.
    pub fn params(&self) -> impl Iterator<Item = &Monomial> {
        self.params.iter()
    }

    fn param_names(&self) -> impl Iterator<Item = String> {
        (0..self.params.len()).map(|i| format!("p{i}"))
    }

    /// The space of relations from a nest of so many loops to so many subscripts.
    pub fn map_space(&self, dims: usize, subscripts: usize) -> Space {
        let inputs = (0..dims).map(|i| format!("i{i}"));
        let outputs = (0..subscripts).map(|i| format!("e{i}"));
        Space::map(self.param_names(), inputs, outputs)
    }

    /// The space of sets of iterations of a nest of so many loops.
    pub fn set_space(&self, dims: usize) -> Space {
        Space::set(self.param_names(), (0..dims).map(|i| format!("i{i}")))
    }

    /// A polynomial over the nest's variables and the parameters; `None` where something else occurs.
    pub fn affine(&self, nest: &[CountedLoop], form: &Polynomial) -> Option<Affine> {
        let mut sum = Affine::constant(0);
        for (monomial, coefficient) in form.terms() {
            let term = if monomial.is_empty() {
                Affine::constant(1)
            } else if let Some(dim) = position(nest, monomial) {
                Affine::dim(dim)
            } else {
                Affine::param(self.params.get_index_of(monomial)?)
            };
            sum = sum + term * coefficient;
        }
        Some(sum)
    }

    /// A form with quotients over the nest's variables and the parameters; each quotient becomes a
    /// local variable of `set`. `None` where something else occurs.
    pub fn quasi_affine(
        &self,
        set: &mut BasicSet,
        nest: &[CountedLoop],
        form: &QuasiAffine,
    ) -> Result<Option<Affine>> {
        let Some(mut sum) = self.affine(nest, form.plain()) else { return Ok(None) };
        for division in form.divisions() {
            let Some(numerator) = self.quasi_affine(set, nest, &division.numerator)? else {
                return Ok(None);
            };
            sum = sum + set.floor_div(&numerator, division.divisor)? * division.coefficient;
        }
        Ok(Some(sum))
    }

    /// An affine expression over parameters alone as a polynomial; `None` where anything else occurs.
    pub fn polynomial(&self, form: &Affine) -> Option<Polynomial> {
        let mut sum = Polynomial::constant(form.constant_term());
        for (var, coefficient) in form.terms() {
            let Var::Param(index) = var else { return None };
            sum = sum.plus(&Polynomial::term(self.params.get_index(index)?, coefficient), 1)?;
        }
        Some(sum)
    }

    /// Adds the bounds and steps of a nest, whose variables are the first dimensions of `set`, and
    /// what is known about parameters. Says whether nothing of the nest had to be left out.
    pub fn constrain(&self, set: &mut BasicSet, nest: &[CountedLoop]) -> Result<bool> {
        let mut exact = true;
        for (d, dim) in nest.iter().enumerate() {
            let outer = &nest[..d];
            exact &= dim.known;
            for lower in &dim.lower {
                match self.affine(outer, lower) {
                    Some(lower) => set.add(&Constraint::ge(Affine::dim(d), lower))?,
                    None => exact = false,
                }
            }
            for upper in &dim.upper {
                match self.affine(outer, upper) {
                    Some(upper) => set.add(&Constraint::lt(Affine::dim(d), upper))?,
                    None => exact = false,
                }
            }
            for (bounds, is_lower) in [(&dim.divided_lower, true), (&dim.divided_upper, false)] {
                for bound in bounds {
                    match (self.quasi_affine(set, outer, bound)?, is_lower) {
                        (Some(lower), true) => set.add(&Constraint::ge(Affine::dim(d), lower))?,
                        (Some(upper), false) => set.add(&Constraint::lt(Affine::dim(d), upper))?,
                        (None, _) => exact = false,
                    }
                }
            }
            // With several lower bounds, or one that is not known, it may start at another.
            let start = match (&dim.lower[..], &dim.divided_lower[..]) {
                ([lower], []) if dim.known => self.affine(outer, lower),
                ([], [lower]) if dim.known => self.quasi_affine(set, outer, lower)?,
                _ => None,
            };
            match (dim.step, start) {
                (Some(1), _) => {}
                (Some(step), Some(start)) => {
                    let round = set.add_local();
                    set.add(&Constraint::eq(Affine::dim(d), start + round * step))?;
                }
                _ => exact = false,
            }
        }
        for (low, high) in &self.context {
            if let (Some(low), Some(high)) = (self.affine(&[], low), self.affine(&[], high)) {
                set.add(&Constraint::le(low, high))?;
            }
        }
        Ok(exact)
    }
}

/// The loop of the nest whose variable a product is.
fn position(nest: &[CountedLoop], monomial: &Monomial) -> Option<usize> {
    nest.iter().position(|dim| monomial[..] == [dim.variable])
}

/// Whether a value is defined directly in the scope's region, or outside it.
pub fn is_unchanging(ir: &Ir, value: Value, scope: Region) -> bool {
    let Some(region) = ir.value_block(value).and_then(|block| ir.block_region(block)) else {
        return false;
    };
    region == scope
        || ir.region_op(scope).is_some_and(|owner| {
            // Inside the scope, but not directly: in a loop or under a condition.
            !ir.region_op(region).is_some_and(|inner| inner != owner && ir.is_inside(inner, owner))
        })
}
