//! What is known of every class of terms: its width and the interval of its values.

use egg::{Analysis, DidMerge, Id};

use super::Graph;
use super::node::{Binary, Cast, Fused, Node};
use crate::analysis::range::Range;

/// What is known of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Bits.
    pub width: u32,
    /// Values.
    pub interval: Range,
}

impl Facts {
    /// The value, if there is only one.
    pub fn constant(self) -> Option<i64> {
        self.interval.constant()
    }

    /// Nothing but the width.
    pub fn any(width: u32) -> Facts {
        Facts { width, interval: Range::signed(width) }
    }

    /// A result of [`Binary`].
    pub fn binary(op: Binary, a: Facts, b: Facts) -> Facts {
        let interval = Range::binary(op, a.interval, b.interval, a.width);
        Facts { width: op.result_width(a.width), interval }
    }

    /// A result of [`Cast`].
    pub fn cast(cast: Cast, a: Facts, to: u32) -> Facts {
        Facts { width: to, interval: a.interval.cast(cast, a.width, to) }
    }

    /// A result of [`Fused`].
    pub fn fused(op: Fused, a: Facts, b: Facts, c: Facts) -> Facts {
        Facts::binary(Binary::Add, Facts::binary(op.product(), a, b), c)
    }
}

/// The analysis that keeps [`Facts`] for each class: intervals of the leaves come from outside.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The interval of each leaf, by number.
    pub leaves: Vec<Range>,
}

impl Analysis<Node> for Known {
    type Data = Facts;

    fn make(graph: &mut Graph, node: &Node, _: Id) -> Facts {
        let of = |id: Id| graph[id].data;
        match *node {
            Node::Leaf { width, number } => {
                let all = Range::signed(width);
                let known = graph.analysis.leaves.get(number as usize);
                Facts { width, interval: known.map_or(all, |&known| all.meet(known)) }
            }
            Node::Constant { width, value } => Facts { width, interval: Range::point(value) },
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
