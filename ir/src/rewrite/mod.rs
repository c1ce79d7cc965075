//! Folding and greedy pattern rewriting.
//!
//! A [`Pattern`] is a local rewrite rooted at one operation. [`apply_greedily`] folds operations,
//! erases dead ones and applies patterns until nothing changes, working off a list of operations
//! that may have become interesting.

use std::ops::{Deref, DerefMut};

use crate::build::{Builder, InsertPoint};
use crate::graph::{Ir, Op, Value};

mod constants;
mod fold;
mod greedy;

pub use constants::{constant_value, fold_each};
pub use fold::{Folded, try_fold};
pub use greedy::{GreedyConfig, PatternSet, apply_greedily};

/// A rewrite rooted at one kind of operation. Returns whether it changed anything; if not, it must
/// have changed nothing.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// For tracing and for switching it off.
    pub name: &'static str,
    /// Tries the rewrite at an operation.
    pub apply: fn(&mut Rewriter<'_>, Op) -> bool,
}

/// What a pattern edits through, so that the driver sees what changes. Dereferences to the [`Ir`]
/// for reading and creating; operations that exist must be replaced, erased and changed through
/// the methods here.
#[derive(Debug)]
pub struct Rewriter<'a> {
    ir: &'a mut Ir,
    touched: Vec<Op>,
}

impl Deref for Rewriter<'_> {
    type Target = Ir;

    fn deref(&self) -> &Ir {
        self.ir
    }
}

impl DerefMut for Rewriter<'_> {
    fn deref_mut(&mut self) -> &mut Ir {
        self.ir
    }
}

impl<'a> Rewriter<'a> {
    /// A rewriter outside the greedy driver, for passes that use patterns' utilities directly.
    pub fn new(ir: &'a mut Ir) -> Self {
        Rewriter { ir, touched: Vec::new() }
    }

    /// A builder that inserts before `op`, with its location.
    pub fn before(&mut self, op: Op) -> Builder<'_> {
        Builder::before(self.ir, op)
    }

    /// A builder that inserts behind `op`, with its location.
    pub fn after(&mut self, op: Op) -> Builder<'_> {
        Builder::after(self.ir, op)
    }

    /// A builder at a point, with the location of `op`.
    pub fn at(&mut self, point: InsertPoint, op: Op) -> Builder<'_> {
        let location = self.ir.location(op);
        Builder::new(self.ir, point, location)
    }

    /// Says that `op` was changed in place.
    pub fn changed(&mut self, op: Op) {
        self.touched.push(op);
    }

    /// Replaces all uses of a value.
    pub fn replace_uses(&mut self, from: Value, to: Value) {
        self.touched.extend(self.ir.users(from));
        self.ir.replace_all_uses(from, to);
        self.touched.extend(self.ir.defining_op(to));
    }

    /// Replaces the results of `op` and erases it.
    pub fn replace(&mut self, op: Op, values: &[Value]) {
        let results = self.ir.results(op).to_vec();
        assert_eq!(results.len(), values.len(), "one value for each result");
        for (&from, &to) in results.iter().zip(values) {
            self.replace_uses(from, to);
        }
        self.erase(op);
    }

    /// Erases `op`; its results must be unused.
    pub fn erase(&mut self, op: Op) {
        let ir = &*self.ir;
        let touched = &mut self.touched;
        // What fed it may be dead now; what surrounds it may fold.
        ir.walk(op, crate::WalkOrder::PreOrder, &mut |inner| {
            touched.extend(ir.operands(inner).filter_map(|value| ir.defining_op(value)));
        });
        touched.extend(ir.parent_op(op));
        self.ir.erase_op(op);
    }

    /// Sets an operand.
    pub fn set_operand(&mut self, op: Op, index: usize, value: Value) {
        self.touched.extend(self.ir.defining_op(self.ir.operand(op, index)));
        self.ir.set_operand(op, index, value);
        self.touched.push(op);
    }

    /// Replaces the operand list.
    pub fn set_operands(&mut self, op: Op, values: &[Value]) {
        let old: Vec<_> = self.ir.operands(op).collect();
        self.touched.extend(old.into_iter().filter_map(|value| self.ir.defining_op(value)));
        self.ir.set_operands(op, values);
        self.touched.push(op);
    }
}
