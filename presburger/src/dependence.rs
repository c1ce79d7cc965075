//! Dependences between two accesses of one loop nest.
//!
//! A **conflict** is a pair of iterations, one of the source's nest and one of the sink's, that touch the same element. A
//! **dependence** is a conflict whose source iteration is executed before the sink iteration. The first `common` dimensions
//! of both nests are the loops they share, outermost first; a dependence is *carried* by the loop in which source and sink
//! differ first, and *loop-independent* when they do not differ in any shared loop and the source stands first in the
//! text. Parameters are the same for both and arbitrary within the domains, so "no dependence" is a proof for every
//! problem size, and a dependence exists for at least one.
//!
//! Dimensions are values of the loop variables, which have to grow from iteration to iteration. A step other than 1 is a
//! stride of the domain (`i mod 4 = 0`); a loop that counts down enters with its variable negated.
//!
//! An [`Error`] anywhere means "not decided": the caller has to assume the dependence.

use std::fmt::{self, Display, Formatter};

use crate::affine::{Affine, Constraint};
use crate::bounds::Optimum;
use crate::error::{Error, Result};
use crate::map::Map;
use crate::set::Set;

/// Which elements an access touches in which iteration.
#[derive(Clone, Debug)]
pub struct Access {
    relation: Map,
}

impl Access {
    /// An access with one affine subscript a dimension of the array, in the iterations of `domain`.
    pub fn new(domain: &Set, subscripts: &[Affine]) -> Result<Self> {
        Ok(Self { relation: Map::from_affine(domain, subscripts)? })
    }

    /// An access by any relation from iterations to elements, such as one with `floordiv` and `mod`, or one that touches a
    /// section of the array.
    pub fn from_relation(relation: Map) -> Self {
        Self { relation }
    }

    /// The relation from iterations to elements.
    pub fn relation(&self) -> &Map {
        &self.relation
    }

    /// The elements that are touched at all: the footprint.
    pub fn footprint(&self) -> Result<Set> {
        self.relation.range()
    }
}

/// What carries a dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The shared loop of this index, 0 being the outermost.
    Loop(usize),
    /// No loop: both ends lie in the same iteration of all shared loops.
    Independent,
}

/// How far the sink is from the source in one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Distance {
    /// The least distance.
    pub least: Optimum,
    /// The greatest distance.
    pub greatest: Optimum,
}

impl Distance {
    /// The distance when there is only one.
    pub fn constant(&self) -> Option<i64> {
        self.least.value().filter(|_| self.least == self.greatest)
    }
}

impl Display for Distance {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.constant(), self.least.value(), self.greatest.value()) {
            (Some(distance), ..) => write!(f, "{distance}"),
            (None, Some(least), Some(greatest)) => write!(f, "{least}..{greatest}"),
            (None, Some(least), None) => write!(f, "{least}.."),
            (None, None, Some(greatest)) => write!(f, "..{greatest}"),
            (None, None, None) => write!(f, "*"),
        }
    }
}

/// The sign of the distance in one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// `<`: the sink lies in a later iteration of the loop.
    Less,
    /// `=`: source and sink lie in the same iteration.
    Equal,
    /// `>`: the sink lies in an earlier iteration.
    Greater,
}

impl Display for Direction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::Equal => "=",
            Self::Greater => ">",
        })
    }
}

/// The conflicts of a source and a sink, from which each question about their dependences is answered.
#[derive(Clone, Debug)]
pub struct Conflicts {
    relation: Map,
    common: usize,
}

/// All dependences from a source to a sink that one level carries. There is at least one.
#[derive(Clone, Debug)]
pub struct Dependence {
    level: Level,
    relation: Map,
    common: usize,
}

impl Conflicts {
    /// The conflicts of two accesses to one array whose nests share their `common` outermost loops.
    pub fn new(source: &Access, sink: &Access, common: usize) -> Result<Self> {
        if common > source.relation.space().inputs() || common > sink.relation.space().inputs() {
            return Err(Error::SpaceMismatch);
        }
        let relation = source.relation.then(&sink.relation.inverse()?)?;
        Ok(Self { relation, common })
    }

    /// The pairs of iterations that touch the same element, in either order.
    pub fn relation(&self) -> &Map {
        &self.relation
    }

    /// How far the sink of a pair is from its source in a shared loop.
    fn distance(&self, index: usize) -> Affine {
        distance(&self.relation, index)
    }

    fn at(&self, level: Level) -> Result<Map> {
        let equal = match level {
            Level::Loop(index) if index >= self.common => return Err(Error::SpaceMismatch),
            Level::Loop(index) => index,
            Level::Independent => self.common,
        };
        let mut relation = self.relation.clone();
        for index in 0..equal {
            relation = relation.constrain(&Constraint::eq(self.distance(index), 0))?;
        }
        match level {
            Level::Loop(index) => relation.constrain(&Constraint::ge(self.distance(index), 1)),
            Level::Independent => Ok(relation),
        }
    }

    /// Whether a loop carries a dependence from the source to the sink. The loop can run in parallel, as far as these two
    /// accesses go, when it does so in neither direction, given that the loops around it stay sequential.
    pub fn is_carried_by(&self, index: usize) -> Result<bool> {
        Ok(!self.at(Level::Loop(index))?.is_empty()?)
    }

    /// The dependences of one level, or `None` when there are none. For [`Level::Independent`] the source is taken to stand
    /// first in the text.
    pub fn dependence(&self, level: Level) -> Result<Option<Dependence>> {
        let relation = self.at(level)?;
        if relation.is_empty()? {
            return Ok(None);
        }
        Ok(Some(Dependence { level, relation, common: self.common }))
    }

    /// The dependences of every level, outermost first. `source_first` says whether the source is executed before the sink
    /// within one iteration of the shared loops.
    pub fn dependences(&self, source_first: bool) -> Result<Vec<Dependence>> {
        let mut found = Vec::new();
        let independent = source_first.then_some(Level::Independent);
        for level in (0..self.common).map(Level::Loop).chain(independent) {
            found.extend(self.dependence(level)?);
        }
        Ok(found)
    }
}

fn distance(relation: &Map, index: usize) -> Affine {
    Affine::dim(relation.space().inputs() + index) - Affine::dim(index)
}

impl Dependence {
    /// What carries it.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The pairs of source and sink iterations.
    pub fn relation(&self) -> &Map {
        &self.relation
    }

    /// How far sink and source are from each other in a shared loop.
    pub fn distance(&self, index: usize) -> Result<Distance> {
        if index >= self.common {
            return Err(Error::SpaceMismatch);
        }
        let expr = distance(&self.relation, index);
        let pairs = self.relation.wrap();
        // Most distances are one number; a witness tells which, and one question confirms it.
        if let Some(pair) = pairs.sample()? {
            let value = i128::from(pair.dims[self.relation.space().inputs() + index])
                - i128::from(pair.dims[index]);
            if let Ok(value) = i64::try_from(value)
                && pairs.implies(&Constraint::eq(expr.clone(), value))?
            {
                return Ok(Distance { least: Optimum::At(value), greatest: Optimum::At(value) });
            }
        }
        Ok(Distance { least: pairs.minimum(&expr)?, greatest: pairs.maximum(&expr)? })
    }

    /// The distances in all shared loops.
    pub fn distances(&self) -> Result<Vec<Distance>> {
        (0..self.common).map(|index| self.distance(index)).collect()
    }

    /// Every combination of directions that occurs, in ascending order. Exact, by refining one loop after the other.
    pub fn direction_vectors(&self) -> Result<Vec<Vec<Direction>>> {
        let mut vectors = vec![(Vec::with_capacity(self.common), self.relation.clone())];
        for index in 0..self.common {
            let mut refined = Vec::new();
            for (vector, relation) in vectors {
                for direction in [Direction::Less, Direction::Equal, Direction::Greater] {
                    let distance = distance(&relation, index);
                    let narrowed = relation.constrain(&match direction {
                        Direction::Less => Constraint::ge(distance, 1),
                        Direction::Equal => Constraint::eq(distance, 0),
                        Direction::Greater => Constraint::le(distance, -1),
                    })?;
                    if !narrowed.is_empty()? {
                        let mut longer = vector.clone();
                        longer.push(direction);
                        refined.push((longer, narrowed));
                    }
                }
            }
            vectors = refined;
        }
        Ok(vectors.into_iter().map(|(vector, _)| vector).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(relation: &str) -> Access {
        Access::from_relation(
            relation.parse().unwrap_or_else(|error| panic!("{relation}: {error}")),
        )
    }

    /// All dependences as text: the carrying loop, distances and direction vectors.
    fn check(source: &str, sink: &str, common: usize, expected: &[&str]) {
        let conflicts = Conflicts::new(&access(source), &access(sink), common).unwrap();
        let found: Vec<String> = conflicts
            .dependences(true)
            .unwrap()
            .iter()
            .map(|dependence| {
                let level = match dependence.level() {
                    Level::Loop(index) => index.to_string(),
                    Level::Independent => "-".to_owned(),
                };
                let join = |list: Vec<String>, by: &str| list.join(by);
                let distances =
                    dependence.distances().unwrap().iter().map(ToString::to_string).collect();
                let vectors = dependence.direction_vectors().unwrap();
                let vectors =
                    vectors.iter().map(|v| v.iter().map(ToString::to_string).collect()).collect();
                format!("{level}: ({}) {}", join(distances, ", "), join(vectors, " "))
            })
            .collect();
        assert_eq!(found, expected, "{source} to {sink}");
    }

    #[test]
    fn one_loop() {
        check(
            "[n] -> { [i] -> [i] : 0 <= i < n }",
            "[n] -> { [i] -> [i] : 0 <= i < n }",
            1,
            &["-: (0) ="],
        );
        check(
            "[n] -> { [i] -> [i] : 0 <= i < n }",
            "[n] -> { [i] -> [i - 1] : 0 <= i < n }",
            1,
            &["0: (1) <"],
        );
        check(
            "[n] -> { [i] -> [i] : 0 <= i < n }",
            "[n] -> { [i] -> [i + 1] : 0 <= i < n }",
            1,
            &[],
        );
        // Even and odd elements: the greatest common divisor does not divide.
        check(
            "[n] -> { [i] -> [2i] : 0 <= i < n }",
            "[n] -> { [i] -> [2i + 1] : 0 <= i < n }",
            1,
            &[],
        );
        // Farther apart than the loop is long.
        check("{ [i] -> [i] : 0 <= i < 10 }", "{ [i] -> [i - 10] : 0 <= i < 10 }", 1, &[]);
        // A symbolic shift is harmless only when it is known to be long enough.
        check(
            "[n, m] -> { [i] -> [i + m] : 0 <= i < n and m >= n }",
            "[n, m] -> { [i] -> [i] : 0 <= i < n }",
            1,
            &[],
        );
        check(
            "[n, m] -> { [i] -> [i] : 0 <= i < n and m >= 1 }",
            "[n, m] -> { [i] -> [i - m] : 0 <= i < n }",
            1,
            &["0: (1..) <"],
        );
        // Reversal meets itself in the middle, when n is odd.
        check(
            "[n] -> { [i] -> [i] : 0 <= i < n }",
            "[n] -> { [i] -> [n - 1 - i] : 0 <= i < n }",
            1,
            &["0: (1..) <", "-: (0) ="],
        );
        // A loop of step 4 that touches blocks of 4 elements has none across iterations.
        check(
            "[n] -> { [i] -> [e] : 0 <= i < n and i mod 4 = 0 and i <= e < i + 4 }",
            "[n] -> { [i] -> [e] : 0 <= i < n and i mod 4 = 0 and i <= e < i + 4 }",
            1,
            &["-: (0) ="],
        );
        check(
            "{ [i] -> [floor(i / 4)] : 0 <= i < 8 }",
            "{ [i] -> [floor(i / 4)] : 0 <= i < 8 }",
            1,
            &["0: (1..3) <", "-: (0) ="],
        );
    }

    #[test]
    fn nests() {
        // c[i][j] += a[i][k] * b[k][j]: only the innermost loop carries.
        let gemm = "[n] -> { [i, j, k] -> [i, j] : 0 <= i, j, k < n }";
        check(gemm, gemm, 3, &["2: (0, 0, 1..) ==<", "-: (0, 0, 0) ==="]);
        // Permuting these two loops is illegal.
        check(
            "[n] -> { [i, j] -> [i, j] : 0 <= i, j < n }",
            "[n] -> { [i, j] -> [i - 1, j + 1] : 0 <= i, j < n }",
            2,
            &["0: (1, -1) <>"],
        );
        // a[i + j]: every diagonal.
        check(
            "[n] -> { [i, j] -> [i + j] : 0 <= i, j < n }",
            "[n] -> { [i, j] -> [i + j] : 0 <= i, j < n }",
            2,
            &["0: (1.., ..-1) <>", "-: (0, 0) =="],
        );
        // A linearised access with rows of 16 elements, of which 16 or 17 are used.
        let exact = "{ [i, j] -> [16i + j] : 0 <= i < 8 and 0 <= j < 16 }";
        check(exact, exact, 2, &["-: (0, 0) =="]);
        let overlapping = "{ [i, j] -> [16i + j] : 0 <= i < 8 and 0 <= j < 17 }";
        check(overlapping, overlapping, 2, &["0: (1, -16) <>", "-: (0, 0) =="]);
        // Upper triangle read, lower triangle written.
        check(
            "[n] -> { [i, j] -> [i, j] : 0 <= j < i < n }",
            "[n] -> { [i, j] -> [j, i] : 0 <= j < i < n }",
            2,
            &[],
        );
        // Two statements that share one loop only.
        check(
            "[n] -> { [i, j] -> [i, j] : 0 <= i, j < n }",
            "[n] -> { [i, k] -> [i, k] : 0 <= i < n and 0 <= k < n }",
            1,
            &["-: (0) ="],
        );
    }

    #[test]
    fn accesses_from_subscripts() {
        let domain: Set = "[n] -> { [i, j] : 1 <= i, j < n }".parse().unwrap();
        let (i, j) = (Affine::dim(0), Affine::dim(1));
        let write = Access::new(&domain, &[i.clone(), j.clone()]).unwrap();
        let read = Access::new(&domain, &[i.clone() - 1, j.clone()]).unwrap();
        let flow = Conflicts::new(&write, &read, 2).unwrap();
        assert_eq!((flow.is_carried_by(0), flow.is_carried_by(1)), (Ok(true), Ok(false)));
        assert_eq!(flow.is_carried_by(2), Err(Error::SpaceMismatch));
        let expected: Set = "[n] -> { [i, j] : 0 <= i < n - 1 and 1 <= j < n }".parse().unwrap();
        assert_eq!(read.footprint().unwrap().is_equal(&expected), Ok(true));
        let line = Access::new(&domain, &[i]).unwrap();
        assert_eq!(Conflicts::new(&write, &line, 2).unwrap_err(), Error::SpaceMismatch);
        assert_eq!(Conflicts::new(&write, &read, 3).unwrap_err(), Error::SpaceMismatch);
    }
}
