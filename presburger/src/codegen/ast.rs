//! Loops and guards as a tree.

use std::fmt::{self, Display, Formatter};

use crate::error::{Error, Result};
use crate::quasi_affine::QuasiAffine;
use crate::space::Space;

/// What one node of the tree does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// One after the other.
    Block(Vec<Self>),
    /// The values of a dimension from the lower to the upper bound, ascending by `step`.
    For {
        /// The dimension of the schedule that is the loop's variable.
        dim: usize,
        /// Inclusive: the least of some alternatives, each of which is the greatest of its values. Mostly there is one
        /// alternative; sets that share a loop without a bound in common have one each. All lie on the loop's steps.
        lower: Vec<Vec<QuasiAffine>>,
        /// Inclusive: the greatest of some alternatives, each of which is the least of its values.
        upper: Vec<Vec<QuasiAffine>>,
        /// At least 1.
        step: i64,
        /// What each value does.
        body: Box<Self>,
    },
    /// A choice that outer loops and parameters decide.
    If {
        /// All have to hold.
        conditions: Vec<Condition>,
        /// What happens when they do.
        then: Box<Self>,
        /// What happens otherwise; an empty block where nothing does.
        otherwise: Box<Self>,
    },
    /// The instance of a statement at the values of all dimensions.
    Statement(usize),
}

/// `value >= 0`, or `value = 0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// What is compared with 0.
    pub value: QuasiAffine,
    /// Whether it has to be 0.
    pub equality: bool,
}

impl Condition {
    /// Whether it holds at a point.
    pub fn holds(&self, dims: &[i64], params: &[i64]) -> Result<bool> {
        let value = self.value.evaluate(dims, params)?;
        Ok(if self.equality { value == 0 } else { value >= 0 })
    }
}

/// Loops and guards that visit each instance of some statements once, in the order of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ast {
    pub(super) space: Space,
    pub(super) root: Node,
}

impl Ast {
    /// The space of the schedule, whose dimensions are the loops' variables.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The outermost node.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Calls `visit` with each statement and the values of the dimensions, in the order of execution.
    pub fn execute(&self, params: &[i64], mut visit: impl FnMut(usize, &[i64])) -> Result<()> {
        if params.len() != self.space.params() {
            return Err(Error::SpaceMismatch);
        }
        let mut dims = vec![0; self.space.dims()];
        execute(&self.root, &mut dims, params, &mut visit)
    }
}

fn execute(
    node: &Node,
    dims: &mut Vec<i64>,
    params: &[i64],
    visit: &mut impl FnMut(usize, &[i64]),
) -> Result<()> {
    match node {
        Node::Block(nodes) => nodes.iter().try_for_each(|node| execute(node, dims, params, visit)),
        Node::For { dim, lower, upper, step, body } => {
            let values = |bounds: &[QuasiAffine], dims: &[i64]| {
                bounds.iter().map(|b| b.evaluate(dims, params)).collect::<Result<Vec<_>>>()
            };
            let (mut first, mut last) = (None, None);
            for alternative in lower {
                let value = values(alternative, dims)?.into_iter().max().ok_or(Error::Unbounded)?;
                first = Some(first.map_or(value, |first: i64| first.min(value)));
            }
            for alternative in upper {
                last = last.max(values(alternative, dims)?.into_iter().min());
            }
            let (Some(first), Some(last)) = (first, last) else { return Err(Error::Unbounded) };
            let mut next = Some(first);
            while let Some(value) = next.filter(|&value| value <= last) {
                dims[*dim] = value;
                execute(body, dims, params, visit)?;
                next = value.checked_add(*step);
            }
            Ok(())
        }
        Node::If { conditions, then, otherwise } => {
            let mut all = true;
            for condition in conditions {
                all &= condition.holds(dims, params)?;
            }
            execute(if all { then } else { otherwise }, dims, params, visit)
        }
        Node::Statement(index) => {
            visit(*index, dims);
            Ok(())
        }
    }
}

impl Display for Ast {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, &self.root, 0)
    }
}

impl Ast {
    fn write(&self, f: &mut Formatter<'_>, node: &Node, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        match node {
            Node::Block(nodes) => nodes.iter().try_for_each(|node| self.write(f, node, depth)),
            Node::For { dim, lower, upper, step, body } => {
                let name = self.space.dim_name(*dim);
                let (from, to) =
                    (self.bound(["min", "max"], lower), self.bound(["max", "min"], upper));
                if lower == upper {
                    writeln!(f, "{indent}{name} = {from}")?;
                } else if *step == 1 {
                    writeln!(f, "{indent}for {name} = {from} to {to}")?;
                } else {
                    writeln!(f, "{indent}for {name} = {from} to {to} step {step}")?;
                }
                self.write(f, body, depth + 1)
            }
            Node::If { conditions, then, otherwise } => {
                let conditions: Vec<_> = conditions
                    .iter()
                    .map(|Condition { value, equality }| {
                        let sign = if *equality { "=" } else { ">=" };
                        format!("{} {sign} 0", value.display(&self.space))
                    })
                    .collect();
                writeln!(f, "{indent}if {}", conditions.join(" and "))?;
                self.write(f, then, depth + 1)?;
                if **otherwise != Node::Block(Vec::new()) {
                    writeln!(f, "{indent}else")?;
                    self.write(f, otherwise, depth + 1)?;
                }
                Ok(())
            }
            Node::Statement(index) => {
                let dims: Vec<_> = (0..self.space.dims()).map(|d| self.space.dim_name(d)).collect();
                writeln!(f, "{indent}S{index}({})", dims.join(", "))
            }
        }
    }

    fn bound(&self, names: [&str; 2], alternatives: &[Vec<QuasiAffine>]) -> String {
        let extreme = |name: &str, texts: Vec<String>| match texts.as_slice() {
            [text] => text.clone(),
            texts => format!("{name}({})", texts.join(", ")),
        };
        let value = |value: &QuasiAffine| value.display(&self.space).to_string();
        let alternatives =
            alternatives.iter().map(|values| extreme(names[1], values.iter().map(value).collect()));
        extreme(names[0], alternatives.collect())
    }
}
