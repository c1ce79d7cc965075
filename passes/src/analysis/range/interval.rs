//! Intervals of integers, and what operations make of them.

use super::super::integer::{Binary, Cast, floor, unsigned};

/// The least and the greatest value, read with sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub min: i128,
    /// The greatest.
    pub max: i128,
}

impl Range {
    /// From `min` to `max`.
    pub fn new(min: i128, max: i128) -> Range {
        Range { min, max }
    }

    /// One value.
    pub fn point(value: i64) -> Range {
        Range::new(value.into(), value.into())
    }

    /// What a signed integer of so many bits can be.
    pub fn signed(width: u32) -> Range {
        let half = 1i128 << (width.clamp(1, 64) - 1);
        Range::new(-half, half - 1)
    }

    /// What an unsigned integer of so many bits can be.
    pub fn unsigned(width: u32) -> Range {
        Range::new(0, (1i128 << width.min(64)) - 1)
    }

    /// The value, if there is only one.
    pub fn constant(self) -> Option<i64> {
        (self.min == self.max).then_some(self.min as i64)
    }

    /// Whether every value of `self` is one of `other`.
    pub fn is_within(self, other: Range) -> bool {
        other.min <= self.min && self.max <= other.max
    }

    /// Values of both.
    pub fn meet(self, other: Range) -> Range {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        // Nothing left: it is never computed, and any answer is right.
        if min > max { self } else { Range::new(min, max) }
    }

    /// Values of either.
    pub fn join(self, other: Range) -> Range {
        Range::new(self.min.min(other.min), self.max.max(other.max))
    }

    /// Sums of one of each, as integers without width.
    pub fn plus(self, other: Range) -> Range {
        Range::new(self.min + other.min, self.max + other.max)
    }

    /// Differences of one of each, as integers without width.
    pub fn minus(self, other: Range) -> Range {
        Range::new(self.min - other.max, self.max - other.min)
    }

    /// Products of one of each, as integers without width.
    pub fn times(self, other: Range) -> Range {
        self.corners(other, |a, b| a * b)
    }

    /// The greater of one of each.
    pub fn above(self, other: Range) -> Range {
        Range::new(self.min.max(other.min), self.max.max(other.max))
    }

    /// The less of one of each.
    pub fn below(self, other: Range) -> Range {
        Range::new(self.min.min(other.min), self.max.min(other.max))
    }

    /// The interval, or everything of the width where a value of it would wrap.
    pub fn wrapped(self, width: u32) -> Range {
        let all = Range::signed(width);
        if self.is_within(all) { self } else { all }
    }

    fn shifted(self, amount: i64) -> Range {
        Range::new(self.min << amount, self.max << amount)
    }

    /// The hull of a function that is monotonic in each operand.
    fn corners(self, other: Range, f: impl Fn(i128, i128) -> i128) -> Range {
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
        Range::new(min, max)
    }

    /// What an operation on operands of a width gives, before it wraps; `None` where nothing is known.
    pub fn natural(op: Binary, x: Range, y: Range, width: u32) -> Option<Range> {
        if let (Some(a), Some(b)) = (x.constant(), y.constant())
            && !matches!(op, Binary::Add | Binary::Sub | Binary::Mul)
        {
            return op.apply(a, b, width).map(Range::point);
        }
        let no_sign = x.min >= 0 && y.min >= 0;
        let shift = y.constant().filter(|&k| (0..i64::from(width)).contains(&k));
        Some(match op {
            Binary::Add => x.plus(y),
            Binary::Sub => x.minus(y),
            Binary::Mul | Binary::WideS => x.times(y),
            Binary::WideU if no_sign => x.times(y),
            Binary::WideU => return None,
            Binary::Shl => x.shifted(shift?),
            Binary::ShrS => Range::new(x.min >> shift?, x.max >> shift?),
            Binary::ShrU if x.min >= 0 => Range::new(x.min >> shift?, x.max >> shift?),
            Binary::ShrU => Range::new(0, Range::unsigned(width).max >> shift?),
            Binary::And => match (x.min >= 0, y.min >= 0) {
                (true, true) => Range::new(0, x.max.min(y.max)),
                (true, false) => Range::new(0, x.max),
                (false, true) => Range::new(0, y.max),
                (false, false) => return None,
            },
            Binary::Or | Binary::Xor if no_sign => {
                let bits = 128 - (x.max | y.max).leading_zeros();
                Range::new(0, (1i128 << bits) - 1)
            }
            Binary::Or | Binary::Xor => return None,
            Binary::DivU | Binary::CeilDivU | Binary::RemU => {
                // Read without sign, where that is another number.
                let x = if x.min >= 0 { x } else { Range::unsigned(width) };
                if y.min <= 0 {
                    return None;
                }
                match op {
                    Binary::DivU => x.corners(y, |a, b| a / b),
                    Binary::CeilDivU => x.corners(y, |a, b| (a + b - 1) / b),
                    _ => Range::new(0, x.max.min(y.max - 1)),
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
                    _ => Range::new(x.min.clamp(1 - y.max, 0), x.max.clamp(0, y.max - 1)),
                }
            }
            Binary::MinS => x.below(y),
            Binary::MaxS => x.above(y),
            Binary::MinU if no_sign => x.below(y),
            Binary::MaxU if no_sign => x.above(y),
            Binary::MinU | Binary::MaxU => return None,
        })
    }

    /// What an operation on operands of a width can give.
    pub fn binary(op: Binary, x: Range, y: Range, width: u32) -> Range {
        let result = op.result_width(width);
        if let (Some(a), Some(b)) = (x.constant(), y.constant()) {
            return op.apply(a, b, width).map_or(Range::signed(result), Range::point);
        }
        Range::natural(op, x, y, width).map_or(Range::signed(result), |range| range.wrapped(result))
    }

    /// What a change of width can give.
    pub fn cast(self, cast: Cast, from: u32, to: u32) -> Range {
        match cast {
            Cast::Sext | Cast::Trunc => self.wrapped(to),
            Cast::Zext if self.min >= 0 => self.wrapped(to),
            Cast::Zext => match self.constant() {
                Some(value) => {
                    let value = unsigned(value, from);
                    Range::new(value, value).wrapped(to)
                }
                None => Range::unsigned(from).wrapped(to),
            },
        }
    }
}
