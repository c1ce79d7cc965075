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
/// # Errors
/// A dimension has no bounds that its statements have in common, or the solver gives up.
pub(super) fn scan(domains: &[BasicSet], known: &BasicSet) -> Result<Vec<Node>> {
    let instances = domains
        .iter()
        .enumerate()
        .map(|(index, domain)| Instance { index, domain, values: Vec::new() })
        .collect();
    let mut tree = Vec::new();
    level(0, instances, known, &mut tree)?;
    Ok(tree)
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

fn level(
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
            tree.push(Node::Statement { index: instance.index, values: instance.values, guards });
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
                at_value(dim, group, value, context, tree)?;
            }
            return Ok(());
        }
    }
    // One value that all others lie behind, or before.
    for (i, value) in values.iter().enumerate().filter(|_| instances.len() > 1) {
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
            others.iter().map(is_beyond).try_fold(true, |all, each| each.map(|each| all && each))
        };
        if beyond(1)? {
            at_value(dim, vec![alone], value.clone(), context, tree)?;
            return level(dim, others, context, tree);
        }
        if beyond(-1)? {
            level(dim, others, context, tree)?;
            return at_value(dim, vec![alone], value.clone(), context, tree);
        }
    }
    let (lower, upper) = common_bounds(dim, &instances)?;
    let mut inside = context.clone();
    for bound in &lower {
        inside.add(&at_least(dim, bound))?;
    }
    for bound in &upper {
        inside.add(&at_most(dim, bound))?;
    }
    let (statement, values) = (instances[0].index, instances[0].values.clone());
    let next = instances.into_iter().map(|mut instance| {
        instance.values.push(Affine::dim(dim));
        instance
    });
    let mut body = Vec::new();
    level(dim + 1, next.collect(), &inside, &mut body)?;
    tree.push(Node::Loop(Loop { dim, lower, upper, values, statement, body }));
    Ok(())
}

/// Goes on with statements that have one value in a dimension.
fn at_value(
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
    level(dim + 1, next.collect(), &inside, tree)
}

fn at_least(dim: usize, bound: &Bound) -> Constraint {
    Constraint::ge(Affine::dim(dim) * bound.divisor, bound.expr.clone())
}

fn at_most(dim: usize, bound: &Bound) -> Constraint {
    Constraint::le(Affine::dim(dim) * bound.divisor, bound.expr.clone())
}

/// Bounds of a dimension that hold for all of some statements.
fn common_bounds(dim: usize, instances: &[Instance<'_>]) -> Result<(Vec<Bound>, Vec<Bound>)> {
    let outer: Vec<usize> = (0..dim).collect();
    let mut sides = [Vec::new(), Vec::new()];
    for (i, instance) in instances.iter().enumerate() {
        let bounds = instance.domain.bounds(dim, &outer)?;
        let constraint = [at_least, at_most];
        for (side, bounds) in [bounds.lower, bounds.upper].into_iter().enumerate() {
            for bound in bounds {
                if sides[side].contains(&bound) {
                    continue;
                }
                let mut holds = true;
                for (j, other) in instances.iter().enumerate() {
                    holds &= i == j || other.domain.implies(&constraint[side](dim, &bound))?;
                }
                if holds {
                    sides[side].push(bound);
                }
            }
        }
    }
    let [lower, upper] = sides;
    match lower.is_empty() || upper.is_empty() {
        true => Err(Error::Unbounded),
        false => Ok((lower, upper)),
    }
}
