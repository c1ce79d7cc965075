//! What is known of every class of terms: its width and the interval of its values.

use egg::{Analysis, DidMerge, Id};

use super::Graph;
use super::node::{Binary, Cast, Fused, Node, floor, unsigned};

/// The least and the greatest value, read with sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least.
    pub min: i128,
    /// The greatest.
    pub max: i128,
}

impl Interval {
    /// From `min` to `max`.
    pub fn new(min: i128, max: i128) -> Interval {
        Interval { min, max }
    }

    /// One value.
    pub fn point(value: i64) -> Interval {
        Interval::new(value.into(), value.into())
    }

    /// What a signed integer of so many bits can be.
    pub fn signed(width: u32) -> Interval {
        let half = 1i128 << (width.clamp(1, 64) - 1);
        Interval::new(-half, half - 1)
    }

    /// What an unsigned integer of so many bits can be.
    pub fn unsigned(width: u32) -> Interval {
        Interval::new(0, (1i128 << width.min(64)) - 1)
    }

    /// Whether every value of `self` is one of `other`.
    pub fn is_within(self, other: Interval) -> bool {
        other.min <= self.min && self.max <= other.max
    }

    /// Values of both.
    pub fn meet(self, other: Interval) -> Interval {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        // Nothing left: the term is never computed, and any answer is right.
        if min > max { self } else { Interval::new(min, max) }
    }

    /// Sums of one of each, as integers without width.
    pub fn plus(self, other: Interval) -> Interval {
        Interval::new(self.min + other.min, self.max + other.max)
    }

    /// Products of one of each, as integers without width.
    pub fn times(self, other: Interval) -> Interval {
        self.corners(other, |a, b| a * b)
    }

    fn shifted(self, amount: i64) -> Interval {
        Interval::new(self.min << amount, self.max << amount)
    }

    fn minus(self, other: Interval) -> Interval {
        Interval::new(self.min - other.max, self.max - other.min)
    }

    /// The hull of a function that is monotonic in each operand.
    fn corners(self, other: Interval, f: impl Fn(i128, i128) -> i128) -> Interval {
        let all = [
            f(self.min, other.min),
            f(self.min, other.max),
            f(self.max, other.min),
            f(self.max, other.max),
        ];
        let (mut min, mut max) = (all[0], all[0]);
        for value in all {
            min = min.min(value);
            max = max.max(value);
        }
        Interval::new(min, max)
    }
}

/// What is known of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Bits.
    pub width: u32,
    /// Values.
    pub interval: Interval,
}

impl Facts {
    /// The value, if there is only one.
    pub fn constant(self) -> Option<i64> {
        (self.interval.min == self.interval.max).then_some(self.interval.min as i64)
    }

    /// Nothing but the width.
    pub fn any(width: u32) -> Facts {
        Facts { width, interval: Interval::signed(width) }
    }

    /// The interval, or everything where a value of it would wrap.
    fn wrapped(width: u32, interval: Interval) -> Facts {
        let all = Interval::signed(width);
        Facts { width, interval: if interval.is_within(all) { interval } else { all } }
    }

    /// A result of [`Binary`].
    pub fn binary(op: Binary, a: Facts, b: Facts) -> Facts {
        let width = op.result_width(a.width);
        if let (Some(x), Some(y)) = (a.constant(), b.constant()) {
            return match op.apply(x, y, a.width) {
                Some(value) => Facts { width, interval: Interval::point(value) },
                None => Facts::any(width),
            };
        }
        Self::wrapped(width, interval(op, a, b).unwrap_or(Interval::signed(width)))
    }

    /// A result of [`Cast`].
    pub fn cast(cast: Cast, a: Facts, to: u32) -> Facts {
        match cast {
            Cast::Sext | Cast::Trunc => Self::wrapped(to, a.interval),
            Cast::Zext if a.interval.min >= 0 => Self::wrapped(to, a.interval),
            Cast::Zext => match a.constant() {
                Some(value) => {
                    let value = unsigned(value, a.width);
                    Self::wrapped(to, Interval::new(value, value))
                }
                None => Self::wrapped(to, Interval::unsigned(a.width)),
            },
        }
    }

    /// A result of [`Fused`].
    pub fn fused(op: Fused, a: Facts, b: Facts, c: Facts) -> Facts {
        Facts::binary(Binary::Add, Facts::binary(op.product(), a, b), c)
    }
}

/// The interval of a result, before it wraps; `None` where nothing is known.
fn interval(op: Binary, a: Facts, b: Facts) -> Option<Interval> {
    let (x, y) = (a.interval, b.interval);
    let no_sign = x.min >= 0 && y.min >= 0;
    let shift = b.constant().filter(|&k| (0..i64::from(a.width)).contains(&k));
    Some(match op {
        Binary::Add => x.plus(y),
        Binary::Sub => x.minus(y),
        Binary::Mul | Binary::WideS => x.times(y),
        Binary::WideU if no_sign => x.times(y),
        Binary::WideU => return None,
        Binary::Shl => x.shifted(shift?),
        Binary::ShrS => Interval::new(x.min >> shift?, x.max >> shift?),
        Binary::ShrU if x.min >= 0 => Interval::new(x.min >> shift?, x.max >> shift?),
        Binary::ShrU => Interval::new(0, Interval::unsigned(a.width).max >> shift?),
        Binary::And => match (x.min >= 0, y.min >= 0) {
            (true, true) => Interval::new(0, x.max.min(y.max)),
            (true, false) => Interval::new(0, x.max),
            (false, true) => Interval::new(0, y.max),
            (false, false) => return None,
        },
        Binary::Or | Binary::Xor if no_sign => {
            let bits = 128 - (x.max | y.max).leading_zeros();
            Interval::new(0, (1i128 << bits) - 1)
        }
        Binary::Or | Binary::Xor => return None,
        Binary::DivU | Binary::CeilDivU | Binary::RemU => {
            // Read without sign, where that is another number.
            let x = if x.min >= 0 { x } else { Interval::unsigned(a.width) };
            if y.min <= 0 {
                return None;
            }
            match op {
                Binary::DivU => x.corners(y, |a, b| a / b),
                Binary::CeilDivU => x.corners(y, |a, b| (a + b - 1) / b),
                _ => Interval::new(0, x.max.min(y.max - 1)),
            }
        }
        Binary::DivS | Binary::FloorDivS | Binary::CeilDivS | Binary::RemS => {
            if y.min <= 0 {
                return None;
            }
            match op {
                Binary::DivS => x.corners(y, |a, b| a / b),
                Binary::FloorDivS => x.corners(y, floor),
                Binary::CeilDivS => x.corners(y, |a, b| -floor(-a, b)),
                _ => Interval::new(x.min.clamp(1 - y.max, 0), x.max.clamp(0, y.max - 1)),
            }
        }
        Binary::MinS => Interval::new(x.min.min(y.min), x.max.min(y.max)),
        Binary::MaxS => Interval::new(x.min.max(y.min), x.max.max(y.max)),
        Binary::MinU if no_sign => Interval::new(x.min.min(y.min), x.max.min(y.max)),
        Binary::MaxU if no_sign => Interval::new(x.min.max(y.min), x.max.max(y.max)),
        Binary::MinU | Binary::MaxU => return None,
    })
}

/// The analysis that keeps [`Facts`] for each class: intervals of the leaves come from outside.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The interval of each leaf, by number.
    pub leaves: Vec<Interval>,
}

impl Analysis<Node> for Known {
    type Data = Facts;

    fn make(graph: &mut Graph, node: &Node, _: Id) -> Facts {
        let of = |id: Id| graph[id].data;
        match *node {
            Node::Leaf { width, number } => {
                let all = Interval::signed(width);
                let known = graph.analysis.leaves.get(number as usize);
                Facts { width, interval: known.map_or(all, |&known| all.meet(known)) }
            }
            Node::Constant { width, value } => Facts { width, interval: Interval::point(value) },
            Node::Cast(cast, to, [a]) => Facts::cast(cast, of(a), to),
            Node::Binary(op, [a, b]) => Facts::binary(op, of(a), of(b)),
            Node::Fused(op, [a, b, c]) => Facts::fused(op, of(a), of(b), of(c)),
        }
    }

    fn merge(&mut self, a: &mut Facts, b: Facts) -> DidMerge {
        debug_assert_eq!(a.width, b.width, "equal terms have one width");
        let met = a.interval.meet(b.interval);
        let merged = DidMerge(met != a.interval, met != b.interval);
        a.interval = met;
        merged
    }

    fn modify(graph: &mut Graph, id: Id) {
        let facts = graph[id].data;
        if let Some(value) = facts.constant() {
            let constant = graph.add(Node::Constant { width: facts.width, value });
            graph.union(id, constant);
        }
    }
}
