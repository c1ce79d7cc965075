//! Loops and guards that scan integer sets in lexicographic order.
//!
//! Level by level the sets are projected on the dimensions so far and separated into disjoint regions that follow one
//! another; each becomes a loop with the sets that are in it (Quilleré, Rajopadhye and Wilde, "Generation of efficient nested
//! loops from polyhedra", IJPP 28(5), 2000). Regions that cannot be ordered for all values of outer loops and parameters
//! share a loop. A statement is guarded by what the loops round it do not already say, so that bounds only have to contain
//! what they are for.
//!
//! ```
//! use gpuc_presburger::{Set, codegen};
//!
//! let tiles: Set = "[n] -> { [t, i] : 0 <= i < n and 32t <= i < 32t + 32 }".parse()?;
//! let options = codegen::Options { full_tiles: Some(1), ..codegen::Options::default() };
//! let loops = codegen::generate(tiles.space(), &[tiles.clone()], &options)?;
//! assert_eq!(
//!     loops.to_string(),
//!     "\
//! for t = 0 to floor((n + 31) / 32) - 1
//!   if -32t + n - 32 >= 0
//!     for i = 32t to 32t + 31
//!       S0(t, i)
//!   else
//!     for i = 32t to n - 1
//!       S0(t, i)
//! "
//! );
//! # Ok::<(), gpuc_presburger::Error>(())
//! ```

mod ast;
mod conditions;
mod regions;
mod tiles;

pub use ast::{Ast, Condition, Node};

use crate::affine::{Affine, Constraint, Var};
use crate::basic_set::BasicSet;
use crate::bounds::{Bound, Bounds};
use crate::error::{Error, Result};
use crate::quasi_affine::QuasiAffine;
use crate::set::Set;
use crate::shadow::{Budget, MOST_PIECES};
use crate::space::Space;
use conditions::{conditions, not_implied};
use regions::{Separated, regions};

/// What one loop or statement takes of the budget: four hundred of them are too many.
const SCAN: usize = 500;

/// What to know and what to do beside the sets.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What holds for the parameters.
    pub context: Option<BasicSet>,
    /// The dimensions before this one count tiles, those from it on the points of a tile: tiles that are full for all sets
    /// in them are told from partial ones by one test, and run without the bounds that only partial ones need. Tiles are not
    /// told apart where a set has existentials or a point's dimension has no bounds a constant apart.
    pub full_tiles: Option<usize>,
}

/// The tuples of some sets of one space, all in lexicographic order; at the same tuple the sets in the order given.
///
/// The dimensions of a set are a schedule's: a tuple is the date of an instance, and statement `s` of the result is executed
/// at the tuples of `domains[s]`. [`Error::Unbounded`] where a dimension has no bound in outer ones and parameters.
pub fn generate(space: &Space, domains: &[Set], options: &Options) -> Result<Ast> {
    let budget = Budget::new();
    let mut pieces = Vec::new();
    for (statement, domain) in domains.iter().enumerate() {
        space.expect(domain.space())?;
        // Each instance once, with existentials that can be computed.
        let mut determined = Vec::new();
        for piece in domain.coalesced().pieces() {
            determined.extend(piece.determined(&budget)?);
        }
        let domain = Set::new(space.clone(), determined)?.disjoint()?;
        for set in determine(domain, &budget)? {
            pieces.push(Piece { statement, set });
        }
    }
    let context = match &options.context {
        Some(context) => {
            space.expect(context.space())?;
            context.clone()
        }
        None => BasicSet::universe(space.clone()),
    };
    let root = Generator { space, options, budget }.scan(0, &pieces, &context)?;
    Ok(Ast { space: space.clone(), root })
}

/// Disjoint pieces whose existentials are all functions of the other variables.
fn determine(set: Set, budget: &Budget) -> Result<Vec<BasicSet>> {
    let mut pieces = Vec::new();
    for piece in set.pieces() {
        let mut parts = piece.determined(budget)?;
        match parts.len() {
            0 | 1 => pieces.append(&mut parts),
            // Splinters may overlap.
            _ => {
                let parts = Set::new(set.space().clone(), parts)?.disjoint()?;
                for part in parts.pieces() {
                    pieces.push(match &part.determined(budget)?[..] {
                        [part] => part.clone(),
                        [] => continue,
                        _ => return Err(Error::TooComplex),
                    });
                }
            }
        }
        if pieces.len() > MOST_PIECES {
            return Err(Error::TooComplex);
        }
    }
    Ok(pieces)
}

/// A part of a statement's domain. The parts of one statement are disjoint.
#[derive(Clone)]
struct Piece {
    statement: usize,
    set: BasicSet,
}

struct Generator<'a> {
    space: &'a Space,
    options: &'a Options,
    budget: Budget,
}

impl Generator<'_> {
    /// The loops from `level` on for some pieces, given what holds in the loops round them.
    fn scan(&self, level: usize, pieces: &[Piece], context: &BasicSet) -> Result<Node> {
        // Every scan asks many questions of a bounded size each, so that the number of scans bounds the whole.
        self.budget.spend(SCAN, self.space.dims())?;
        if self.options.full_tiles == Some(level)
            && let Some(full) = tiles::full(self.space, pieces, level)?
        {
            let conditions = not_implied(conditions(&full)?, context)?;
            let inside = context.intersect(&full)?;
            if !conditions.is_empty() && !inside.is_empty()? {
                let then = self.loops(level, pieces, &inside)?;
                // What does not hold is one constraint only where one condition was asked.
                let mut partial = context.clone();
                if let [Condition { value, equality: false }] = &conditions[..] {
                    let value = value.lower(&mut partial)?;
                    partial.add(&Constraint::le(value, -1))?;
                }
                let otherwise = self.loops(level, pieces, &partial)?;
                return Ok(guarded(conditions, then, otherwise));
            }
        }
        self.loops(level, pieces, context)
    }

    fn loops(&self, level: usize, pieces: &[Piece], context: &BasicSet) -> Result<Node> {
        if level == self.space.dims() {
            return self.statements(pieces, context);
        }
        let mut nodes = Vec::new();
        for region in regions(level, pieces, context)? {
            let Separated { set, joined, members } = region;
            let members = members
                .into_iter()
                .map(|member| {
                    let piece = &pieces[member.piece];
                    let sets = match member.cut {
                        // Only the part of the piece in this region.
                        true => determine(piece.set.intersect(&member.part)?.into(), &self.budget)?,
                        false => vec![piece.set.clone()],
                    };
                    let statement = piece.statement;
                    Ok(sets.into_iter().map(move |set| Piece { statement, set }))
                })
                .collect::<Result<Vec<_>>>()?;
            let members: Vec<_> = members.into_iter().flatten().collect();
            nodes.push(self.scan_region(level, &set, &joined, &members, context)?);
        }
        Ok(match nodes.len() {
            1 => nodes.swap_remove(0),
            _ => Node::Block(nodes),
        })
    }

    fn scan_region(
        &self,
        level: usize,
        region: &BasicSet,
        joined: &[BasicSet],
        members: &[Piece],
        context: &BasicSet,
    ) -> Result<Node> {
        // What only outer loops and parameters decide is asked outside the loop.
        let outer = |constraint: &Constraint| {
            constraint.expr().terms().all(|(var, _)| match var {
                Var::Dim(dim) => dim < level,
                Var::Param(_) => true,
                Var::Local(_) => false,
            })
        };
        let invariant = region.constraints().filter(outer);
        let invariant = BasicSet::new(self.space.clone(), invariant)?;
        let guard = not_implied(conditions(&invariant)?, context)?;
        let mut context = context.intersect(&invariant)?;

        let stride = conditions::stride(region, level);
        let known: Vec<_> = (0..level).collect();
        let bounds = region.intersect(&context)?.bounds(level, &known)?;
        let mut alternatives = vec![bounds.clone()];
        if bounds.lower.is_empty() || bounds.upper.is_empty() {
            // What was joined has no bound in common; its parts may have one each.
            alternatives.clear();
            for part in joined {
                alternatives.push(part.intersect(&context)?.bounds(level, &known)?);
            }
        }
        let (mut lower, mut upper): (Vec<Vec<_>>, Vec<Vec<_>>) = (Vec::new(), Vec::new());
        for Bounds { lower: least, upper: greatest } in &alternatives {
            if least.is_empty() || greatest.is_empty() {
                return Err(Error::Unbounded);
            }
            let least = least.iter().map(|bound| first(bound, &stride)).collect::<Result<_>>()?;
            let greatest = greatest.iter().map(last).collect::<Result<_>>()?;
            for (bounds, values) in [(&mut lower, least), (&mut upper, greatest)] {
                if !bounds.contains(&values) {
                    bounds.push(values);
                }
            }
        }
        for bound in &bounds.lower {
            let dim = Affine::dim(level) * bound.divisor;
            context.add(&Constraint::ge(dim, bound.expr.clone()))?;
        }
        for bound in &bounds.upper {
            let dim = Affine::dim(level) * bound.divisor;
            context.add(&Constraint::le(dim, bound.expr.clone()))?;
        }
        let step = match stride {
            None => 1,
            Some((step, rest)) => {
                let round = context.add_local();
                context.add(&Constraint::eq(Affine::dim(level), rest + round * step))?;
                step
            }
        };
        let body = Box::new(self.scan(level + 1, members, &context)?);
        let looped = Node::For { dim: level, lower, upper, step, body };
        Ok(guarded(guard, looped, Node::Block(Vec::new())))
    }

    fn statements(&self, pieces: &[Piece], context: &BasicSet) -> Result<Node> {
        let mut nodes = Vec::with_capacity(pieces.len());
        let mut order: Vec<_> = pieces.iter().collect();
        order.sort_by_key(|piece| piece.statement);
        for piece in order {
            let guard = not_implied(conditions(&piece.set)?, context)?;
            let statement = Node::Statement(piece.statement);
            nodes.push(guarded(guard, statement, Node::Block(Vec::new())));
        }
        Ok(match nodes.len() {
            1 => nodes.swap_remove(0),
            _ => Node::Block(nodes),
        })
    }
}

/// The first value from a lower bound on that lies on the loop's steps.
fn first(bound: &Bound, stride: &Option<(i64, Affine)>) -> Result<QuasiAffine> {
    let value = QuasiAffine::try_from(bound.expr.clone())?.ceil_div(bound.divisor)?;
    let Some((step, rest)) = stride else { return Ok(value) };
    let rest = QuasiAffine::try_from(rest.clone())?;
    Ok((value - rest.clone()).ceil_div(*step)? * *step + rest)
}

fn last(bound: &Bound) -> Result<QuasiAffine> {
    QuasiAffine::try_from(bound.expr.clone())?.floor_div(bound.divisor)
}

fn guarded(conditions: Vec<Condition>, then: Node, otherwise: Node) -> Node {
    if conditions.is_empty() {
        return then;
    }
    Node::If { conditions, then: Box::new(then), otherwise: Box::new(otherwise) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(domains: &[&str], options: &Options, expected: &str) {
        let domains: Vec<Set> = domains.iter().map(|text| text.parse().unwrap()).collect();
        let ast = generate(domains[0].space(), &domains, options)
            .unwrap_or_else(|error| panic!("{}: {error}", domains[0]));
        assert_eq!(format!("\n{ast}"), expected);
    }

    #[test]
    fn loops_and_guards() {
        let plain = Options::default();
        check(
            &["[n] -> { [i, j] : 0 <= j <= i < n }"],
            &plain,
            "
for i = 0 to n - 1
  for j = 0 to i
    S0(i, j)
",
        );
        check(
            &["[n, m] -> { [i, j] : 0 <= i < n and 0 <= j < i + m and (i + j) mod 4 = 3 }"],
            &plain,
            "
for i = max(0, -m + 1) to n - 1
  for j = -i + 4floor((i) / 4) + 3 to i + m - 1 step 4
    S0(i, j)
",
        );
        // What only parameters decide is asked once.
        check(
            &["[n, m] -> { [i, j] : 0 <= i < n and m >= 5 and i <= 2j <= i + 1 }"],
            &plain,
            "
if m - 5 >= 0
  for i = 0 to n - 1
    j = floor((i + 1) / 2)
      S0(i, j)
",
        );
    }

    #[test]
    fn statements_are_separated() {
        let plain = Options::default();
        check(
            &[
                "[n] -> { [i, k] : 0 <= i < n and k = 0 }",
                "[n] -> { [i, k] : 2 <= i <= n and 1 <= k <= 3 }",
            ],
            &plain,
            "
for i = 0 to min(n - 1, 1)
  k = 0
    S0(i, k)
for i = 2 to n - 1
  k = 0
    S0(i, k)
  for k = 1 to 3
    S1(i, k)
for i = max(2, n) to n
  for k = 1 to 3
    S1(i, k)
",
        );
        check(
            &["[n, m] -> { [i] : 0 <= i < n }", "[n, m] -> { [i] : m <= i < m + 10 }"],
            &Options {
                context: Some("[n, m] -> { [i] : 0 <= m and m + 10 <= n }".parse().unwrap()),
                ..Options::default()
            },
            "
for i = 0 to m - 1
  S0(i)
for i = m to m + 9
  S0(i)
  S1(i)
for i = m + 10 to n - 1
  S0(i)
",
        );
        // Even and odd values take turns, so that they share a loop.
        check(
            &["{ [i] : 0 <= i < 9 and i mod 2 = 0 }", "{ [i] : 0 <= i < 9 and i mod 2 = 1 }"],
            &plain,
            "
for i = 0 to 8
  if i - 2floor((i) / 2) = 0
    S0(i)
  if i - 2floor((i + 1) / 2) + 1 = 0
    S1(i)
",
        );
        // Without a bound in common as well.
        check(
            &[
                "[n, m] -> { [i] : 0 <= i < n and i mod 2 = 0 }",
                "[n, m] -> { [i] : 0 <= i < m and i mod 2 = 1 }",
            ],
            &plain,
            "
for i = 0 to max(n - 1, m - 1)
  if i - 2floor((i) / 2) = 0 and -i + n - 1 >= 0
    S0(i)
  if i - 2floor((i + 1) / 2) + 1 = 0 and -i + m - 1 >= 0
    S1(i)
",
        );
    }

    #[test]
    fn full_tiles_are_told_from_partial_ones() {
        check(
            &["[n, m] -> { [ti, tj, i, j] : 0 <= i < n and 0 <= j < m and 32ti <= i < 32ti + 32 \
               and 16tj <= j < 16tj + 16 }"],
            &Options { full_tiles: Some(2), ..Options::default() },
            "
if m - 1 >= 0
  for ti = 0 to floor((n + 31) / 32) - 1
    for tj = 0 to floor((m + 15) / 16) - 1
      if -32ti + n - 32 >= 0 and -16tj + m - 16 >= 0
        for i = 32ti to 32ti + 31
          for j = 16tj to 16tj + 15
            S0(ti, tj, i, j)
      else
        for i = 32ti to min(n - 1, 32ti + 31)
          for j = 16tj to min(m - 1, 16tj + 15)
            S0(ti, tj, i, j)
",
        );
    }

    #[test]
    fn several_statements_share_full_tiles() {
        check(
            &[
                "[n] -> { [t, i, s] : 0 <= i < n and 8t <= i < 8t + 8 and s = 0 }",
                "[n] -> { [t, i, s] : 2 <= i < n - 1 and 8t <= i < 8t + 8 and s = 1 }",
            ],
            &Options {
                full_tiles: Some(1),
                context: Some("[n] -> { [t, i, s] : n >= 16 }".parse().unwrap()),
            },
            "
for t = 0 to floor((n + 6) / 8) - 1
  if t - 1 >= 0 and -8t + n - 9 >= 0
    for i = 8t to 8t + 7
      s = 0
        S0(t, i, s)
      s = 1
        S1(t, i, s)
  else
    for i = 8t to 1
      s = 0
        S0(t, i, s)
    for i = max(2, 8t) to min(n - 2, 8t + 7)
      s = 0
        S0(t, i, s)
      s = 1
        S1(t, i, s)
    for i = n - 1 to min(8t + 7, n - 1)
      s = 0
        S0(t, i, s)
for t = floor((n + 6) / 8) to floor((n + 7) / 8) - 1
  for i = 8t to n - 1
    s = 0
      S0(t, i, s)
",
        );
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let domain: Set = "{ [i] : i >= 0 }".parse().unwrap();
        let plain = Options::default();
        let refused = generate(domain.space(), std::slice::from_ref(&domain), &plain);
        assert_eq!(refused.unwrap_err(), Error::Unbounded);
        let other: Set = "{ [i, j] : i = j = 0 }".parse().unwrap();
        let refused = generate(domain.space(), &[other], &plain);
        assert_eq!(refused.unwrap_err(), Error::SpaceMismatch);
        let nothing = generate(domain.space(), &[], &plain).unwrap();
        assert_eq!(nothing.to_string(), "");
    }
}
