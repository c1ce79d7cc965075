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

mod vector;

use std::collections::BTreeSet;

use crate::affine::{Affine, Constraint};
use crate::basic_set::BasicSet;
use crate::bounds::Optimum;
use crate::error::{Error, Result};
use crate::integer::Row;
use crate::map::Map;
use crate::quasi_affine::QuasiAffine;
use crate::set::Set;
use crate::shadow::{Budget, MOST_PIECES};
use crate::space::Space;
use crate::witnessed::Witnessed;
pub use vector::{DependenceVector, Direction, Directions, Distance};

/// Which elements an access touches in which iteration.
#[derive(Clone, Debug)]
pub struct AccessRelation {
    relation: Map,
}

impl AccessRelation {
    /// An access with one affine subscript a dimension of the array, in the iterations of `domain`.
    pub fn new(domain: &Set, subscripts: &[Affine]) -> Result<Self> {
        Ok(Self { relation: Map::from_affine(domain, subscripts)? })
    }

    /// An access whose subscripts have `floordiv` and `mod`, as tiling makes them.
    pub fn from_quasi_affine(domain: &Set, subscripts: &[QuasiAffine]) -> Result<Self> {
        Ok(Self { relation: Map::from_quasi_affine(domain, subscripts)? })
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
pub enum Carrier {
    /// The shared loop of this index, 0 being the outermost.
    Loop(usize),
    /// No loop: both ends lie in the same iteration of all shared loops.
    Independent,
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
    level: Carrier,
    relation: Map,
    common: usize,
    /// The pieces of the relation that are not empty; an error where that is open for one of them.
    pieces: Result<Vec<Witnessed>>,
}

/// `sink - source` in a loop, as a row over the pairs of iterations and further variables.
fn distance_row(space: &Space, width: usize, index: usize) -> Row {
    let mut row = Row::from_elem(0, width + 1);
    row[space.inputs() + index] = 1;
    row[index] = -1;
    row
}

/// The row, and whether it is an equality, that makes the distance have a direction.
fn towards(direction: Direction, mut distance: Row) -> (Row, bool) {
    match direction {
        Direction::Less => {}
        Direction::Equal => return (distance, true),
        Direction::Greater => distance.iter_mut().for_each(|c| *c = -*c),
    }
    if let Some(constant) = distance.last_mut() {
        *constant = -1;
    }
    (distance, false)
}

impl Conflicts {
    /// The conflicts of two accesses to one array whose nests share their `common` outermost loops.
    pub fn new(source: &AccessRelation, sink: &AccessRelation, common: usize) -> Result<Self> {
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

    fn at(&self, level: Carrier) -> Result<Map> {
        let (equal, carrier) = match level {
            Carrier::Loop(index) if index >= self.common => return Err(Error::SpaceMismatch),
            Carrier::Loop(index) => (index, Some(index)),
            Carrier::Independent => (self.common, None),
        };
        let inputs = self.relation.space().inputs();
        let distance = |index: usize| Affine::dim(inputs + index) - Affine::dim(index);
        let mut pieces = self.relation.pieces().to_vec();
        for piece in &mut pieces {
            let equalities = (0..equal).map(|index| Constraint::eq(distance(index), 0));
            let carried = carrier.map(|index| Constraint::ge(distance(index), 1));
            piece.add_all(equalities.chain(carried))?;
        }
        Map::new(self.relation.space().clone(), pieces)
    }

    /// Whether a loop carries a dependence from the source to the sink. The loop can run in parallel, as far as these two
    /// accesses go, when it does so in neither direction, given that the loops around it stay sequential.
    pub fn is_carried_by(&self, index: usize) -> Result<bool> {
        Ok(!self.at(Carrier::Loop(index))?.is_empty()?)
    }

    /// The dependences of one level, or `None` when there are none. For [`Carrier::Independent`] the source is taken to stand
    /// first in the text.
    pub fn dependence(&self, level: Carrier) -> Result<Option<Dependence>> {
        let relation = self.at(level)?;
        let budget = Budget::new();
        let mut pieces = Ok(Vec::new());
        let mut exists = false;
        for piece in relation.pieces() {
            match (Witnessed::find(piece.system(), &budget), &mut pieces) {
                (Ok(None), _) => {}
                (Ok(Some(piece)), Ok(pieces)) => {
                    exists = true;
                    pieces.push(piece);
                }
                (Ok(Some(_)), Err(_)) => exists = true,
                (Err(error), pieces) => *pieces = Err(error),
            }
        }
        match (exists, pieces) {
            (false, Ok(_)) => Ok(None),
            (false, Err(error)) => Err(error),
            (true, pieces) => Ok(Some(Dependence { level, relation, common: self.common, pieces })),
        }
    }

    /// The dependences of every level, outermost first. `source_first` says whether the source is executed before the sink
    /// within one iteration of the shared loops.
    pub fn dependences(&self, source_first: bool) -> Result<Vec<Dependence>> {
        let budget = Budget::new();
        let space = self.relation.space();
        let mut found = Vec::new();
        // The conflicts whose ends lie in the same iteration of the loops so far.
        let mut equal = Vec::new();
        for piece in self.relation.pieces() {
            equal.extend(Witnessed::find(piece.system(), &budget)?);
        }
        let towards = |pieces: &[Witnessed], index: usize, direction: Direction| {
            let mut narrowed = Vec::with_capacity(pieces.len());
            for piece in pieces {
                narrowed.extend(piece.towards(space, index, direction, &budget)?);
            }
            Ok::<_, Error>(narrowed)
        };
        for index in 0..self.common {
            let carried = towards(&equal, index, Direction::Less)?;
            if !carried.is_empty() {
                found.push(self.witnessed(Carrier::Loop(index), carried)?);
            }
            equal = towards(&equal, index, Direction::Equal)?;
        }
        if source_first && !equal.is_empty() {
            found.push(self.witnessed(Carrier::Independent, equal)?);
        }
        Ok(found)
    }

    fn witnessed(&self, level: Carrier, pieces: Vec<Witnessed>) -> Result<Dependence> {
        let space = self.relation.space();
        let sets =
            pieces.iter().map(|piece| BasicSet::from_system(space.clone(), piece.system().clone()));
        let relation = Map::new(space.clone(), sets)?;
        Ok(Dependence { level, relation, common: self.common, pieces: Ok(pieces) })
    }
}

impl Witnessed {
    /// The pairs of iterations of which the sink lies in that direction in a loop.
    fn towards(
        &self,
        space: &Space,
        index: usize,
        direction: Direction,
        budget: &Budget,
    ) -> Result<Option<Self>> {
        let (row, equality) = towards(direction, distance_row(space, self.system().width, index));
        self.narrowed(&row, equality, budget)
    }
}

impl Dependence {
    /// What carries it.
    pub fn level(&self) -> Carrier {
        self.level
    }

    /// The pairs of source and sink iterations.
    pub fn relation(&self) -> &Map {
        &self.relation
    }

    /// What the level alone says of the direction in a loop.
    fn known_direction(&self, index: usize) -> Option<Direction> {
        match self.level {
            Carrier::Loop(carrier) if index > carrier => None,
            Carrier::Loop(carrier) if index == carrier => Some(Direction::Less),
            _ => Some(Direction::Equal),
        }
    }

    /// How far sink and source are from each other in a shared loop.
    pub fn distance(&self, index: usize) -> Result<Distance> {
        if index >= self.common {
            return Err(Error::SpaceMismatch);
        }
        if self.known_direction(index) == Some(Direction::Equal) {
            return Ok(Distance { least: Optimum::At(0), greatest: Optimum::At(0) });
        }
        let budget = Budget::new();
        let mut distance = Distance { least: Optimum::Empty, greatest: Optimum::Empty };
        for piece in self.pieces.as_ref().map_err(Clone::clone)? {
            let row = distance_row(self.relation.space(), piece.system().width, index);
            let (least, greatest) = piece.range(&row, &budget)?;
            distance.least = distance.least.min(least);
            distance.greatest = distance.greatest.max(greatest);
        }
        Ok(distance)
    }

    /// The distances in all shared loops.
    pub fn distances(&self) -> Result<Vec<Distance>> {
        (0..self.common).map(|index| self.distance(index)).collect()
    }

    /// Every combination of directions that occurs, in ascending order. Exact, by refining one loop after the other.
    pub fn direction_vectors(&self) -> Result<Vec<Vec<Direction>>> {
        let budget = Budget::new();
        let mut vectors = BTreeSet::new();
        for piece in self.pieces.as_ref().map_err(Clone::clone)? {
            let mut refined = vec![(Vec::with_capacity(self.common), piece.clone())];
            for index in 0..self.common {
                if let Some(direction) = self.known_direction(index) {
                    refined.iter_mut().for_each(|(vector, _)| vector.push(direction));
                    continue;
                }
                let mut longer = Vec::with_capacity(refined.len());
                for (vector, piece) in refined {
                    for direction in Direction::ALL {
                        let space = self.relation.space();
                        let Some(narrowed) = piece.towards(space, index, direction, &budget)?
                        else {
                            continue;
                        };
                        let mut vector = vector.clone();
                        vector.push(direction);
                        longer.push((vector, narrowed));
                    }
                }
                refined = longer;
                if refined.len() > MOST_PIECES {
                    return Err(Error::TooComplex);
                }
            }
            vectors.extend(refined.into_iter().map(|(vector, _)| vector));
        }
        Ok(vectors.into_iter().collect())
    }

    /// Distances and directions loop by loop.
    pub fn vector(&self) -> Result<DependenceVector> {
        let vectors = self.direction_vectors()?;
        let directions = |index: usize| vectors.iter().map(|vector| vector[index]).collect();
        Ok(DependenceVector {
            distances: self.distances()?,
            directions: (0..self.common).map(directions).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(relation: &str) -> AccessRelation {
        AccessRelation::from_relation(
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
                    Carrier::Loop(index) => index.to_string(),
                    Carrier::Independent => "-".to_owned(),
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
    fn tiles() {
        // A matrix product in tiles: the reduction's two loops carry, whatever the sizes.
        let product = "[n, m, l] -> { [ti, tj, tk, i, j, k] -> [i, j] : 0 <= i < n and 0 <= j < m and 0 <= k < l \
            and 32ti <= i < 32ti + 32 and 32tj <= j < 32tj + 32 and 8tk <= k < 8tk + 8 }";
        check(
            product,
            product,
            6,
            &[
                "2: (0, 0, 1.., 0, 0, 1..) ==<==<",
                "5: (0, 0, 0, 0, 0, 1..7) =====<",
                "-: (0, 0, 0, 0, 0, 0) ======",
            ],
        );
        // Subscripts with floordiv and mod: four iterations share an element, then a row of eight is taken up again.
        let folded = "{ [i] -> [floor(i / 4) mod 8] : 0 <= i < 64 }";
        check(folded, folded, 1, &["0: (1..35) <", "-: (0) ="]);
        let blocks = "[n] -> { [b, t] -> [8b + t] : 0 <= 8b + t < n and 0 <= t < 8 }";
        let floors = "[n] -> { [b, t] -> [8b + 7 - (t mod 8)] : 0 <= 8b + t < n and 0 <= t < 8 }";
        check(blocks, floors, 2, &["1: (0, 1..7) =<"]);
    }

    #[test]
    fn quasi_affine_subscripts() {
        // Buffers that two tiles take in turns: every other tile shares one, and so do neighbours of the same half.
        let domain: Set = "[n] -> { [t, i] : 0 <= 8t + i < n and 0 <= i < 8 }".parse().unwrap();
        let (t, i) = (QuasiAffine::dim(0), QuasiAffine::dim(1));
        let subscripts = [t.modulo(2).unwrap(), i.floor_div(2).unwrap()];
        let access = AccessRelation::from_quasi_affine(&domain, &subscripts).unwrap();
        let conflicts = Conflicts::new(&access, &access, 2).unwrap();
        let vectors = conflicts.dependences(false).unwrap();
        let vectors: Vec<_> = vectors.iter().map(|d| d.vector().unwrap().to_string()).collect();
        assert_eq!(vectors, ["(2.., -1..1) (<, *)", "(0, 1) (=, <)"]);
        let unknown = AccessRelation::from_quasi_affine(&domain, &[QuasiAffine::dim(2)]);
        assert_eq!(unknown.unwrap_err(), Error::SpaceMismatch);
    }

    #[test]
    fn vectors_summarise() {
        let write = access("[n] -> { [i, j, k] -> [i, j + k] : 0 <= i, j, k < n }");
        let conflicts = Conflicts::new(&write, &write, 3).unwrap();
        let vectors: Vec<_> = conflicts.dependences(true).unwrap();
        let vectors: Vec<_> = vectors.iter().map(|d| d.vector().unwrap().to_string()).collect();
        assert_eq!(vectors, ["(0, 1.., ..-1) (=, <, >)", "(0, 0, 0) (=, =, =)"]);
        // Iterations two or more apart meet, neighbours do not.
        let even = access("{ [i, j] -> [i mod 2, j mod 3] : 0 <= i < 4 and 0 <= j < 7 }");
        let found = Conflicts::new(&even, &even, 2).unwrap().dependence(Carrier::Loop(0)).unwrap();
        let vector = found.unwrap().vector().unwrap();
        assert_eq!(vector.to_string(), "(2, -6..6) (<, *)");
        assert!(vector.directions[1].contains(Direction::Equal));
    }

    #[test]
    fn accesses_from_subscripts() {
        let domain: Set = "[n] -> { [i, j] : 1 <= i, j < n }".parse().unwrap();
        let (i, j) = (Affine::dim(0), Affine::dim(1));
        let write = AccessRelation::new(&domain, &[i.clone(), j.clone()]).unwrap();
        let read = AccessRelation::new(&domain, &[i.clone() - 1, j.clone()]).unwrap();
        let flow = Conflicts::new(&write, &read, 2).unwrap();
        assert_eq!((flow.is_carried_by(0), flow.is_carried_by(1)), (Ok(true), Ok(false)));
        assert_eq!(flow.is_carried_by(2), Err(Error::SpaceMismatch));
        let expected: Set = "[n] -> { [i, j] : 0 <= i < n - 1 and 1 <= j < n }".parse().unwrap();
        assert_eq!(read.footprint().unwrap().is_equal(&expected), Ok(true));
        let line = AccessRelation::new(&domain, &[i]).unwrap();
        assert_eq!(Conflicts::new(&write, &line, 2).unwrap_err(), Error::SpaceMismatch);
        assert_eq!(Conflicts::new(&write, &read, 3).unwrap_err(), Error::SpaceMismatch);
    }
}
