//! Loops for dates: the tree that visits the instances of statements in order of their dates.
//!
//! Unlike [`gpuc_presburger::codegen`], statements that share a loop are not separated: the loop goes
//! over what all of them need, and each keeps its own iterations by the bounds of loops further in, or
//! by a guard. So no iteration is peeled off, and a loop that is parallel stays one loop.

use gpuc_presburger::{Affine, BasicSet, Bound, Constraint, Error, Result, Var};

/// A part of the tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A loop over a dimension of the dates.
    Loop(Loop),
    /// A statement, where all conditions hold; the value of each dimension of its date over those of
    /// loops round it.
    Statement { index: usize, values: Vec<Affine>, guards: Vec<Constraint> },
}

/// A loop, from the greatest of the lower to the least of the upper bounds, both included.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub dim: usize,
    pub lower: Vec<Bound>,
    pub upper: Vec<Bound>,
    /// The values of the dimensions before it.
    pub values: Vec<Affine>,
    /// One of the statements in it.
    pub statement: usize,
    pub body: Vec<Node>,
}

/// A statement on the way inwards.
#[derive(Clone)]
struct Instance<'a> {
    index: usize,
    domain: &'a BasicSet,
    /// The values of the dimensions so far.
    values: Vec<Affine>,
}

/// The tree for the dates of statements; `known` holds for the parameters.
///
/// Where a dimension has bounds that its statements have in common only if something holds of the parameters, that is
/// added to `assumed`, if it may be; statements that are to be `together` are not taken apart because one comes before or
/// behind all others. So the row `a[0][j]` lies among the rows of another statement, where there are any.
///
/// # Errors
/// A dimension has no bounds that its statements have in common, or the solver gives up.
pub(super) fn scan(
    domains: &[BasicSet],
    known: &BasicSet,
    together: bool,
    assumed: Option<&mut Vec<Constraint>>,
) -> Result<Vec<Node>> {
    let instances = domains
        .iter()
        .enumerate()
        .map(|(index, domain)| Instance { index, domain, values: Vec::new() })
        .collect();
    let mut tree = Vec::new();
    let mut scan = Scan { together, assumed };
    scan.level(0, instances, known, &mut tree)?;
    Ok(tree)
}

/// How loops are made.
struct Scan<'a> {
    /// Whether a statement that comes before or behind all others stays in a loop with them.
    together: bool,
    /// What is assumed on the way; `None` where nothing may be.
    assumed: Option<&'a mut Vec<Constraint>>,
}

/// The value that a dimension always has, over those before it.
fn determined(domain: &BasicSet, dim: usize) -> Option<Affine> {
    domain.constraints().find_map(|constraint| {
        let factor = constraint.expr().coefficient(Var::Dim(dim));
        let earlier = |var| match var {
            Var::Dim(other) => other <= dim,
            Var::Param(_) => true,
            Var::Local(_) => false,
        };
        let usable = constraint.is_equality()
            && factor.abs() == 1
            && constraint.expr().terms().all(|(var, _)| earlier(var));
        usable.then(|| Affine::dim(dim) - constraint.expr().clone() * factor)
    })
}

impl Scan<'_> {
    fn level(
        &mut self,
        dim: usize,
        instances: Vec<Instance<'_>>,
        context: &BasicSet,
        tree: &mut Vec<Node>,
    ) -> Result<()> {
        let Some(first) = instances.first() else { return Ok(()) };
        if dim == first.domain.space().dims() {
            for instance in instances {
                let mut guards = Vec::new();
                for constraint in instance.domain.constraints() {
                    if !context.implies(&constraint)? {
                        guards.push(constraint);
                    }
                }
                tree.push(Node::Statement {
                    index: instance.index,
                    values: instance.values,
                    guards,
                });
            }
            return Ok(());
        }
        let values: Vec<Option<Affine>> =
            instances.iter().map(|instance| determined(instance.domain, dim)).collect();
        // Values that are known and differ by constants only are visited in order.
        if let Some(all) = values.iter().cloned().collect::<Option<Vec<Affine>>>() {
            let offset = |value: &Affine| (value.clone() - all[0].clone()).as_constant();
            if let Some(offsets) = all.iter().map(offset).collect::<Option<Vec<i64>>>() {
                let mut order: Vec<i64> = offsets.clone();
                order.sort_unstable();
                order.dedup();
                for each in order {
                    let same = |&(i, _): &(usize, &Instance<'_>)| offsets[i] == each;
                    let group: Vec<_> = instances.iter().enumerate().filter(same).collect();
                    let value = all[group[0].0].clone();
                    let group = group.into_iter().map(|(_, instance)| instance.clone()).collect();
                    self.at_value(dim, group, value, context, tree)?;
                }
                return Ok(());
            }
        }
        // One value that all others lie behind, or before.
        for (i, value) in
            values.iter().enumerate().filter(|_| instances.len() > 1 && !self.together)
        {
            let Some(value) = value else { continue };
            let mut others = instances.clone();
            let alone = others.remove(i);
            let beyond = |sign: i64| {
                let apart = (Affine::dim(dim) - value.clone()) * sign;
                let constraint = Constraint::ge(apart, 1);
                let is_beyond = |other: &Instance<'_>| {
                    let both = other.domain.intersect(context)?;
                    both.implies(&constraint)
                };
                others
                    .iter()
                    .map(is_beyond)
                    .try_fold(true, |all, each| each.map(|each| all && each))
            };
            if beyond(1)? {
                self.at_value(dim, vec![alone], value.clone(), context, tree)?;
                return self.level(dim, others, context, tree);
            }
            if beyond(-1)? {
                self.level(dim, others, context, tree)?;
                return self.at_value(dim, vec![alone], value.clone(), context, tree);
            }
        }
        let (lower, upper) = self.common_bounds(dim, &instances, &values)?;
        let mut inside = context.clone();
        for bound in &lower {
            inside.add(&at_least(dim, bound))?;
        }
        for bound in &upper {
            inside.add(&at_most(dim, bound))?;
        }
        // The loop is that of a statement for which it has more than one iteration.
        let looped = values.iter().position(Option::is_none).unwrap_or(0);
        let (statement, values) = (instances[looped].index, instances[looped].values.clone());
        let next = instances.into_iter().map(|mut instance| {
            instance.values.push(Affine::dim(dim));
            instance
        });
        let mut body = Vec::new();
        self.level(dim + 1, next.collect(), &inside, &mut body)?;
        tree.push(Node::Loop(Loop { dim, lower, upper, values, statement, body }));
        Ok(())
    }

    /// Goes on with statements that have one value in a dimension.
    fn at_value(
        &mut self,
        dim: usize,
        instances: Vec<Instance<'_>>,
        value: Affine,
        context: &BasicSet,
        tree: &mut Vec<Node>,
    ) -> Result<()> {
        let mut inside = context.clone();
        inside.add(&Constraint::eq(Affine::dim(dim), value.clone()))?;
        let next = instances.into_iter().map(|mut instance| {
            instance.values.push(value.clone());
            instance
        });
        self.level(dim + 1, next.collect(), &inside, tree)
    }

    /// Bounds of a dimension that hold for all of some statements; `known` are values that it always has.
    fn common_bounds(
        &mut self,
        dim: usize,
        instances: &[Instance<'_>],
        known: &[Option<Affine>],
    ) -> Result<(Vec<Bound>, Vec<Bound>)> {
        let outer: Vec<usize> = (0..dim).collect();
        let mut sides = [Vec::new(), Vec::new()];
        let mut conditions = [const { None }; 2];
        for (i, instance) in instances.iter().enumerate() {
            let bounds = instance.domain.bounds(dim, &outer)?;
            let constraint = [at_least, at_most];
            for (side, bounds) in [bounds.lower, bounds.upper].into_iter().enumerate() {
                for bound in bounds {
                    if sides[side].contains(&bound) {
                        continue;
                    }
                    // That it holds for the others, too, or would if something held of the parameters.
                    let mut needed = Some(Vec::new());
                    for (j, other) in instances.iter().enumerate() {
                        let constraint = constraint[side](dim, &bound);
                        if i == j || other.domain.implies(&constraint)? {
                            continue;
                        }
                        let value = known[j].as_ref().filter(|_| known[i].is_none());
                        let condition =
                            value.and_then(|value| of_parameters(dim, &constraint, value));
                        match (&mut needed, condition) {
                            (Some(needed), Some(condition)) => needed.push(condition),
                            (needed, _) => *needed = None,
                        }
                    }
                    match needed {
                        Some(none) if none.is_empty() => sides[side].push(bound),
                        Some(needed) if conditions[side].is_none() => {
                            conditions[side] = Some((bound, needed));
                        }
                        _ => {}
                    }
                }
            }
        }
        for (side, condition) in sides.iter_mut().zip(conditions) {
            if let (true, Some(assumed), Some((bound, needed))) =
                (side.is_empty(), &mut self.assumed, condition)
            {
                side.push(bound);
                assumed.extend(needed);
            }
        }
        let [lower, upper] = sides;
        match lower.is_empty() || upper.is_empty() {
            true => Err(Error::Unbounded),
            false => Ok((lower, upper)),
        }
    }
}

/// What a constraint on a dimension that has a value says of the parameters; `None` where it says something of
/// other dimensions.
fn of_parameters(dim: usize, constraint: &Constraint, value: &Affine) -> Option<Constraint> {
    let form = constraint.expr();
    let factor = form.coefficient(Var::Dim(dim));
    let form = form.clone() - Affine::dim(dim) * factor + value.clone() * factor;
    let is_known = form.terms().all(|(var, _)| matches!(var, Var::Param(_)));
    (is_known && !constraint.is_equality()).then(|| Constraint::ge(form, 0))
}

fn at_least(dim: usize, bound: &Bound) -> Constraint {
    Constraint::ge(Affine::dim(dim) * bound.divisor, bound.expr.clone())
}

fn at_most(dim: usize, bound: &Bound) -> Constraint {
    Constraint::le(Affine::dim(dim) * bound.divisor, bound.expr.clone())
}
