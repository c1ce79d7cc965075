//! Combining two values by a named operator: atomics and reductions.

use gpuc_ir::Op;

use super::elementwise::map_values;
use super::float::{maximum, maximum_number, minimum, minimum_number};
use crate::interpreter::{Fault, Interpreter};
use crate::value::{Float, Int, RtValue};

/// An operator of atomics or reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Add,
    Mul,
    Assign,
    MaxSigned,
    MaxUnsigned,
    MinSigned,
    MinUnsigned,
    Maximum,
    Minimum,
    MaxNumber,
    MinNumber,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
}

impl Combine {
    /// The operator of a keyword of `arith`'s atomics, `vector.kind` or `gpu.all_reduce`.
    pub fn from_keyword(keyword: &str) -> Option<Combine> {
        Some(match keyword {
            "add" | "addi" | "addf" => Combine::Add,
            "mul" | "muli" | "mulf" => Combine::Mul,
            "assign" => Combine::Assign,
            "maxs" | "maxsi" => Combine::MaxSigned,
            "maxu" | "maxui" => Combine::MaxUnsigned,
            "mins" | "minsi" => Combine::MinSigned,
            "minu" | "minui" => Combine::MinUnsigned,
            "maximumf" => Combine::Maximum,
            "minimumf" => Combine::Minimum,
            "maxnumf" => Combine::MaxNumber,
            "minnumf" => Combine::MinNumber,
            "and" | "andi" => Combine::And,
            "or" | "ori" => Combine::Or,
            "xor" => Combine::Xor,
            _ => return None,
        })
    }

    /// The value that changes nothing when it is combined with one like `example`.
    pub fn identity(self, example: &RtValue) -> Option<RtValue> {
        match *example {
            RtValue::Int(int) => {
                let width = int.width();
                let least = i128::MIN >> (128 - width);
                let value = match self {
                    Combine::Mul | Combine::LogicalAnd => 1,
                    Combine::And | Combine::MinUnsigned => -1,
                    Combine::MaxSigned => least,
                    Combine::MinSigned => !least,
                    _ => 0,
                };
                Some(RtValue::Int(Int::new(value, width)))
            }
            RtValue::Float(float) => {
                let value = match self {
                    Combine::Mul | Combine::LogicalAnd => 1.0,
                    Combine::Maximum | Combine::MaxNumber => f64::NEG_INFINITY,
                    Combine::Minimum | Combine::MinNumber => f64::INFINITY,
                    _ => 0.0,
                };
                Some(RtValue::Float(Float::new(value, float.kind())))
            }
            _ => None,
        }
    }

    fn ints(self, a: Int, b: Int) -> Option<i128> {
        let (x, y) = (a.signed(), b.signed());
        let (ux, uy) = (a.unsigned(), b.unsigned());
        Some(match self {
            Combine::Add => x.wrapping_add(y),
            Combine::Mul => x.wrapping_mul(y),
            Combine::Assign => y,
            Combine::MaxSigned => x.max(y),
            Combine::MinSigned => x.min(y),
            Combine::MaxUnsigned => ux.max(uy) as i128,
            Combine::MinUnsigned => ux.min(uy) as i128,
            Combine::And => x & y,
            Combine::Or => x | y,
            Combine::Xor => x ^ y,
            Combine::LogicalAnd => (x != 0 && y != 0).into(),
            Combine::LogicalOr => (x != 0 || y != 0).into(),
            Combine::Maximum | Combine::Minimum | Combine::MaxNumber | Combine::MinNumber => {
                return None;
            }
        })
    }

    fn floats(self, a: Float, b: Float) -> Option<Float> {
        let (x, y) = (a.value(), b.value());
        let truth = |value: bool| Float::new(value.into(), a.kind());
        Some(match self {
            Combine::Add => Float::new(x + y, a.kind()),
            Combine::Mul => Float::new(x * y, a.kind()),
            Combine::Assign => b,
            Combine::Maximum => maximum(a, b),
            Combine::Minimum => minimum(a, b),
            Combine::MaxNumber => maximum_number(a, b),
            Combine::MinNumber => minimum_number(a, b),
            Combine::LogicalAnd => truth(x != 0.0 && y != 0.0),
            Combine::LogicalOr => truth(x != 0.0 || y != 0.0),
            _ => return None,
        })
    }

    /// `a` and `b` combined, element by element where they are vectors.
    pub fn apply(
        self,
        m: &Interpreter<'_>,
        op: Op,
        a: &RtValue,
        b: &RtValue,
    ) -> Result<RtValue, Fault> {
        if self == Combine::Assign {
            return Ok(b.clone());
        }
        map_values(m, op, &[a, b], &|m, row| {
            let combined = match (row[0], row[1]) {
                (&RtValue::Int(a), &RtValue::Int(b)) => {
                    self.ints(a, b).map(|value| RtValue::Int(Int::new(value, a.width())))
                }
                (&RtValue::Float(a), &RtValue::Float(b)) => self.floats(a, b).map(RtValue::Float),
                _ => None,
            };
            combined.ok_or_else(|| m.error(op, "combines values that its operator does not take"))
        })
    }
}
