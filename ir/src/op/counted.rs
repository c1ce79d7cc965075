//! Counted loops, seen alike whatever the dialect.

use std::ops::Range;

use smallvec::SmallVec;

use crate::AffineMap;
use crate::graph::{Ir, Op, Value};

/// A bound of a counted loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopBound {
    /// A value.
    Value(Value),
    /// Results of a map applied to operands, its dimensions first: the greatest of them as a lower
    /// bound, the least as an upper one.
    Map {
        /// The map.
        map: AffineMap,
        /// Which of its results.
        results: Range<usize>,
        /// What it is applied to.
        operands: SmallVec<[Value; 4]>,
    },
}

/// The step of a counted loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopStep {
    /// A number.
    Constant(i64),
    /// A value.
    Value(Value),
}

/// One dimension of a counted loop: its variable goes from the lower bound, by the step, as long as it
/// is below the upper bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopDimension {
    /// The variable.
    pub variable: Value,
    /// Where it starts.
    pub lower: LoopBound,
    /// What it stays below.
    pub upper: LoopBound,
    /// By what it grows; positive.
    pub step: LoopStep,
}

/// A value that a sequential counted loop carries from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopCarried {
    /// What the first iteration starts from.
    pub init: Value,
    /// What an iteration starts from, an argument of the body.
    pub argument: Value,
    /// What an iteration hands on.
    pub yielded: Value,
    /// What is left behind the loop.
    pub result: Value,
}

/// A counted loop (hook `counted_loop`) whose body is its only region.
#[derive(Clone, Copy)]
pub struct CountedLoopInterface {
    /// Its dimensions, outermost first.
    pub dimensions: fn(&Ir, Op) -> SmallVec<[LoopDimension; 1]>,
    /// The operands that its body's further arguments, behind the variables, start from, if iterations
    /// follow each other; `None` where they run at once.
    pub inits: Option<fn(&Ir, Op) -> Range<usize>>,
}

impl Ir {
    /// Whether an operation repeats a region, whether or not it counts.
    pub fn is_loop(&self, op: Op) -> bool {
        self.def(op).is_some_and(|def| def.hooks.loop_regions.is_some())
    }

    /// Whether an operation is a counted loop.
    pub fn is_counted_loop(&self, op: Op) -> bool {
        self.def(op).is_some_and(|def| def.hooks.counted_loop.is_some())
    }

    /// Whether an operation is a counted loop whose iterations follow each other.
    pub fn is_sequential_loop(&self, op: Op) -> bool {
        self.def(op)
            .and_then(|def| def.hooks.counted_loop)
            .is_some_and(|counted| counted.inits.is_some())
    }

    /// The dimensions of a counted loop, outermost first; none for any other operation.
    pub fn loop_dimensions(&self, op: Op) -> SmallVec<[LoopDimension; 1]> {
        let counted = self.def(op).and_then(|def| def.hooks.counted_loop);
        counted.map_or_else(SmallVec::new, |counted| (counted.dimensions)(self, op))
    }

    /// The values that a sequential counted loop carries, in order; none for any other operation.
    pub fn loop_carried(&self, op: Op) -> Vec<LoopCarried> {
        let inits = self
            .def(op)
            .and_then(|def| def.hooks.counted_loop?.inits)
            .map_or(0..0, |inits| inits(self, op));
        let Some(body) = self.regions(op).first().and_then(|&region| self.entry_block(region))
        else {
            return Vec::new();
        };
        let Some(end) = self.last_op(body) else { return Vec::new() };
        let arguments = self.arguments(body);
        let first = arguments.len().saturating_sub(inits.len());
        inits
            .map(|index| self.operand(op, index))
            .zip(&arguments[first..])
            .zip(self.operands(end))
            .zip(self.results(op))
            .map(|(((init, &argument), yielded), &result)| LoopCarried {
                init,
                argument,
                yielded,
                result,
            })
            .collect()
    }
}
