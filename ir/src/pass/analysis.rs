//! Analyses, computed on demand and kept until a pass changes something.

use std::any::{Any, TypeId};
use std::fmt;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::graph::{Ir, Op};

/// Something that is computed from an operation and what is inside it.
pub trait Analysis: Any {
    /// Computes it.
    fn compute(ir: &Ir, op: Op) -> Self;
}

/// The cache.
#[derive(Default)]
pub struct Analyses {
    cache: FxHashMap<(TypeId, Op), Rc<dyn Any>>,
}

impl fmt::Debug for Analyses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Analyses({} cached)", self.cache.len())
    }
}

impl Analyses {
    /// The analysis of `op`, from the cache if it is there.
    pub fn get<A: Analysis>(&mut self, ir: &Ir, op: Op) -> Rc<A> {
        let entry = self
            .cache
            .entry((TypeId::of::<A>(), op))
            .or_insert_with(|| Rc::new(A::compute(ir, op)));
        Rc::clone(entry).downcast().expect("the key holds the type")
    }

    /// Drops everything.
    pub fn clear(&mut self) {
        self.cache.clear();
    }
}
