//! Distances and directions: how far and on which side of the source the sink is.

use std::fmt::{self, Display, Formatter};

use crate::bounds::Optimum;

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

impl Direction {
    pub(super) const ALL: [Self; 3] = [Self::Less, Self::Equal, Self::Greater];
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

/// The signs that the distance in one loop has in some pair of iterations; what Allen and Kennedy write as one symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Directions([bool; 3]);

impl Directions {
    /// Whether some pair has this direction.
    pub fn contains(self, direction: Direction) -> bool {
        self.0[direction as usize]
    }

    fn insert(&mut self, direction: Direction) {
        self.0[direction as usize] = true;
    }
}

impl FromIterator<Direction> for Directions {
    fn from_iter<I: IntoIterator<Item = Direction>>(directions: I) -> Self {
        let mut set = Self::default();
        directions.into_iter().for_each(|direction| set.insert(direction));
        set
    }
}

impl Display for Directions {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            [false, false, false] => "none",
            [true, false, false] => "<",
            [false, true, false] => "=",
            [false, false, true] => ">",
            [true, true, false] => "<=",
            [false, true, true] => ">=",
            [true, false, true] => "<>",
            [true, true, true] => "*",
        })
    }
}

/// What a dependence looks like loop by loop, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DependenceVector {
    /// How far the sink is from the source in each shared loop.
    pub distances: Vec<Distance>,
    /// The signs of the distance in each shared loop. Which combinations occur is more than this says; see
    /// [`Dependence::direction_vectors`](super::Dependence::direction_vectors).
    pub directions: Vec<Directions>,
}

impl Display for DependenceVector {
    /// Distances, then directions: `(0, 1..) (=, <)`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let distances: Vec<_> = self.distances.iter().map(ToString::to_string).collect();
        let directions: Vec<_> = self.directions.iter().map(ToString::to_string).collect();
        write!(f, "({}) ({})", distances.join(", "), directions.join(", "))
    }
}
