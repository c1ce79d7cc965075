//! The terms' operations.

use std::fmt;

use egg::{FromOp, Id, Language};

pub use crate::analysis::integer::{Binary, Cast, floor, unsigned, wrap};

/// Their names in patterns.
const BINARY: &[(&str, Binary)] = &[
    ("+", Binary::Add),
    ("-", Binary::Sub),
    ("*", Binary::Mul),
    ("<<", Binary::Shl),
    (">>u", Binary::ShrU),
    (">>s", Binary::ShrS),
    ("&", Binary::And),
    ("|", Binary::Or),
    ("^", Binary::Xor),
    ("/u", Binary::DivU),
    ("/s", Binary::DivS),
    ("%u", Binary::RemU),
    ("%s", Binary::RemS),
    ("ceil/u", Binary::CeilDivU),
    ("ceil/s", Binary::CeilDivS),
    ("floor/s", Binary::FloorDivS),
    ("min-s", Binary::MinS),
    ("max-s", Binary::MaxS),
    ("min-u", Binary::MinU),
    ("max-u", Binary::MaxU),
    ("wide-s", Binary::WideS),
    ("wide-u", Binary::WideU),
];

const CASTS: &[(&str, Cast)] =
    &[("sext", Cast::Sext), ("zext", Cast::Zext), ("trunc", Cast::Trunc)];

/// Products and sums in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fused {
    /// `a * b + c`.
    Mad,
    /// The same with [`Binary::WideS`].
    MadWideS,
    /// The same with [`Binary::WideU`].
    MadWideU,
}

const FUSED: &[(&str, Fused)] =
    &[("mad", Fused::Mad), ("mad-wide-s", Fused::MadWideS), ("mad-wide-u", Fused::MadWideU)];

/// An operation on classes of terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A value that is computed elsewhere.
    Leaf {
        /// Its width.
        width: u32,
        /// Which.
        number: u32,
    },
    /// A constant, sign-extended from its width.
    Constant {
        /// Its width.
        width: u32,
        /// Its value.
        value: i64,
    },
    /// A change to a width.
    Cast(Cast, u32, [Id; 1]),
    /// An operation on two integers.
    Binary(Binary, [Id; 2]),
    /// A product and a sum.
    Fused(Fused, [Id; 3]),
}

/// What two nodes that differ only in their children have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A leaf or constant.
    Terminal(Node),
    /// A cast.
    Cast(Cast, u32),
    /// An operation on two integers.
    Binary(Binary),
    /// A product and a sum.
    Fused(Fused),
}

impl Language for Node {
    type Discriminant = Shape;

    fn discriminant(&self) -> Shape {
        match self {
            Node::Leaf { .. } | Node::Constant { .. } => Shape::Terminal(self.clone()),
            Node::Cast(cast, width, _) => Shape::Cast(*cast, *width),
            Node::Binary(op, _) => Shape::Binary(*op),
            Node::Fused(op, _) => Shape::Fused(*op),
        }
    }

    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Node::Cast(a, w, _), Node::Cast(b, v, _)) => a == b && w == v,
            (Node::Binary(a, _), Node::Binary(b, _)) => a == b,
            (Node::Fused(a, _), Node::Fused(b, _)) => a == b,
            _ => self == other,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Node::Leaf { .. } | Node::Constant { .. } => &[],
            Node::Cast(.., children) => children,
            Node::Binary(_, children) => children,
            Node::Fused(_, children) => children,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Node::Leaf { .. } | Node::Constant { .. } => &mut [],
            Node::Cast(.., children) => children,
            Node::Binary(_, children) => children,
            Node::Fused(_, children) => children,
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn name<T: PartialEq>(table: &[(&'static str, T)], op: T) -> &'static str {
            table.iter().find(|(_, entry)| *entry == op).map_or("?", |(name, _)| name)
        }
        match *self {
            Node::Leaf { number, .. } => write!(f, "v{number}"),
            Node::Constant { value, .. } => write!(f, "{value}"),
            Node::Cast(cast, width, _) => write!(f, "{}{width}", name(CASTS, cast)),
            Node::Binary(op, _) => f.write_str(name(BINARY, op)),
            Node::Fused(op, _) => f.write_str(name(FUSED, op)),
        }
    }
}

/// A pattern names an operation that does not exist, or gives it a wrong number of children.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no operation '{0}' of {1} terms")]
pub struct UnknownOperation(String, usize);

impl FromOp for Node {
    type Error = UnknownOperation;

    fn from_op(op: &str, children: Vec<Id>) -> Result<Self, UnknownOperation> {
        fn find<T: Copy>(table: &[(&str, T)], op: &str) -> Option<T> {
            table.iter().find(|(name, _)| *name == op).map(|&(_, entry)| entry)
        }
        let node = match *children {
            [a] => {
                let digits = op.find(|c: char| c.is_ascii_digit()).unwrap_or(op.len());
                let (name, width) = op.split_at(digits);
                find(CASTS, name).zip(width.parse().ok()).map(|(c, w)| Node::Cast(c, w, [a]))
            }
            [a, b] => find(BINARY, op).map(|op| Node::Binary(op, [a, b])),
            [a, b, c] => find(FUSED, op).map(|op| Node::Fused(op, [a, b, c])),
            _ => None,
        };
        node.ok_or_else(|| UnknownOperation(op.to_owned(), children.len()))
    }
}

impl Fused {
    /// The product without the sum.
    pub fn product(self) -> Binary {
        match self {
            Fused::Mad => Binary::Mul,
            Fused::MadWideS => Binary::WideS,
            Fused::MadWideU => Binary::WideU,
        }
    }

    /// The result for factors of a width.
    pub fn apply(self, a: i64, b: i64, c: i64, width: u32) -> Option<i64> {
        let product = self.product();
        Binary::Add.apply(product.apply(a, b, width)?, c, product.result_width(width))
    }
}
