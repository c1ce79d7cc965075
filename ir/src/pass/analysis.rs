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
pub(super) struct Analyses {
    cache: FxHashMap<(TypeId, Op), Rc<dyn Any>>,
}

impl fmt::Debug for Analyses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Analyses({} cached)", self.cache.len())
    }
}

impl Analyses {
    /// The analysis of `op`, from the cache if it is there.
    pub(super) fn get<A: Analysis>(&mut self, ir: &Ir, op: Op) -> Rc<A> {
        let entry = self
            .cache
            .entry((TypeId::of::<A>(), op))
            .or_insert_with(|| Rc::new(A::compute(ir, op)));
        Rc::clone(entry).downcast().expect("the key holds the type")
    }

    /// Drops the analysis of `op`, whose answer is no longer true.
    pub(super) fn forget<A: Analysis>(&mut self, op: Op) {
        self.cache.remove(&(TypeId::of::<A>(), op));
    }

    /// Drops what a pass may have made untrue.
    pub(super) fn keep(&mut self, preserved: &Preserved) {
        match preserved {
            Preserved::All => {}
            Preserved::Only(kinds) => self.cache.retain(|(kind, _), _| kinds.contains(kind)),
        }
    }
}

/// The analyses that are as true behind a pass as before it.
#[derive(Debug)]
pub(super) enum Preserved {
    All,
    Only(Vec<TypeId>),
}

impl Preserved {
    /// Adds a kind.
    pub(super) fn add<A: Analysis>(&mut self) {
        if let Preserved::Only(kinds) = self {
            kinds.push(TypeId::of::<A>());
        }
    }
}
