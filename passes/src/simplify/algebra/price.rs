//! What an operation costs, from the device's table.

use gpuc_arch::{Arch, OpClass};

use super::facts::Facts;
use super::node::{Binary, Cast, Fused, Node};

/// Prices of operations on one device.
#[derive(Clone, Copy, Debug)]
pub struct Prices {
    arch: &'static Arch,
}

impl Prices {
    /// The prices on a device.
    pub fn of(arch: &'static Arch) -> Prices {
        Prices { arch }
    }

    fn class(&self, class: OpClass) -> u64 {
        u64::from(self.arch.cost(class).weight()).max(1)
    }

    /// The price of one node, its children not counted; `facts` are those of its children. Leaves
    /// and constants are free: the former are there, the latter are immediate operands.
    pub fn node(&self, node: &Node, facts: &[Facts]) -> u64 {
        let width = facts.first().map_or(0, |facts| facts.width);
        match *node {
            Node::Leaf { .. } | Node::Constant { .. } => 0,
            // The low half of a pair of registers is there without any instruction.
            Node::Cast(Cast::Trunc, ..) => 1,
            Node::Cast(..) => self.class(OpClass::Extend),
            Node::Binary(op, _) => {
                let constant = facts.get(1).and_then(|facts| facts.constant());
                self.binary(op, width, constant)
            }
            Node::Fused(op, _) => self.class(match op {
                Fused::Mad if width > 32 => OpClass::Mad64,
                Fused::Mad => OpClass::Mad32,
                Fused::MadWideS | Fused::MadWideU => OpClass::MadWide,
            }),
        }
    }

    /// The price of an operation on integers of a width, the right one perhaps constant.
    pub fn binary(&self, op: Binary, width: u32, right: Option<i64>) -> u64 {
        let by_width = |narrow, wide| self.class(if width > 32 { wide } else { narrow });
        let add = by_width(OpClass::IntAdd32, OpClass::IntAdd64);
        let mul = by_width(OpClass::IntMul32, OpClass::IntMul64);
        match op {
            Binary::Add | Binary::Sub => add,
            Binary::Mul => mul,
            Binary::Shl | Binary::ShrU | Binary::ShrS => {
                by_width(OpClass::Shift32, OpClass::Shift64)
            }
            Binary::And | Binary::Or | Binary::Xor => by_width(OpClass::Logic32, OpClass::Logic64),
            Binary::MinS | Binary::MaxS | Binary::MinU | Binary::MaxU => {
                by_width(OpClass::IntMinMax32, OpClass::IntMinMax64)
            }
            Binary::WideS | Binary::WideU => self.class(OpClass::MulWide),
            Binary::DivU | Binary::DivS => self.division(op, width, right),
            Binary::RemU | Binary::RemS => match right {
                Some(_) => self.division(op, width, right) + mul,
                None => by_width(OpClass::IntRem32, OpClass::IntRem64),
            },
            // The quotient, its remainder, two comparisons and a correction.
            Binary::CeilDivU | Binary::CeilDivS | Binary::FloorDivS => {
                self.division(op, width, right) + mul + 5 * add
            }
        }
    }

    /// Division by a constant becomes a high product with shifts and corrections round it.
    fn division(&self, op: Binary, width: u32, right: Option<i64>) -> u64 {
        let by_width = |narrow, wide| self.class(if width > 32 { wide } else { narrow });
        if right.is_none() {
            return by_width(OpClass::IntDiv32, OpClass::IntDiv64);
        }
        let signed = !matches!(op, Binary::DivU | Binary::RemU | Binary::CeilDivU);
        by_width(OpClass::MulHi32, OpClass::MulHi64)
            + by_width(OpClass::Shift32, OpClass::Shift64)
            + if signed { 2 } else { 1 } * by_width(OpClass::IntAdd32, OpClass::IntAdd64)
    }
}
