//! Constants: what a value is known to be, and one operation for each constant of a region.

use rustc_hash::FxHashMap;

use crate::attrs::Attr;
use crate::build::Builder;
use crate::graph::{Ir, Op, Region, Value};
use crate::location::Location;
use crate::op::Traits;
use crate::types::Type;

/// The attribute of the constant operation that defines a value.
pub fn constant_value(ir: &Ir, value: Value) -> Option<Attr> {
    let op = ir.defining_op(value)?;
    if ir.has_trait(op, Traits::CONSTANT_LIKE) { ir.attr(op, "value") } else { None }
}

type Key = (Region, Attr, Type, &'static str);

/// Constant operations by region, so that folding makes each only once.
#[derive(Debug, Default)]
pub(super) struct Constants {
    known: FxHashMap<Key, Op>,
    keys: FxHashMap<Op, Key>,
}

impl Constants {
    /// The region at whose start constants for `op` stand: the nearest that sees nothing from
    /// outside.
    fn home(ir: &Ir, op: Op) -> Option<Region> {
        let mut region = ir.parent_region(op)?;
        loop {
            let parent = ir.region_op(region)?;
            if ir.has_trait(parent, Traits::ISOLATED_FROM_ABOVE) || ir.parent_op(parent).is_none() {
                return Some(region);
            }
            region = ir.parent_region(parent)?;
        }
    }

    /// A value that holds the constant and is visible at `op`.
    pub fn get(&mut self, ir: &mut Ir, op: Op, attr: Attr, ty: Type) -> Option<Value> {
        let region = Self::home(ir, op)?;
        let block = ir.entry_block(region)?;
        let location = ir.location(op);
        // The operation's own dialect knows best; arith has constants of the builtin types.
        let own = ir.def(op).map_or("arith", |def| def.dialect());
        for dialect in [own, "arith"] {
            let Some(materialize) = ir.ctx.dialect(dialect).and_then(|d| d.materialize) else {
                continue;
            };
            let key = (region, attr, ty, dialect);
            if let Some(&found) = self.known.get(&key) {
                return Some(ir.result(found, 0));
            }
            if let Some(made) = materialize(&mut Builder::at_start(ir, block, location), attr, ty) {
                self.insert(key, made);
                return Some(ir.result(made, 0));
            }
        }
        None
    }

    /// Takes note of a constant of the input. A second one of the same kind is answered by the
    /// first, which it may be replaced with.
    pub fn note(&mut self, ir: &mut Ir, op: Op) -> Option<Op> {
        if self.keys.contains_key(&op) {
            return None;
        }
        let region = Self::home(ir, op)?;
        let block = ir.entry_block(region)?;
        let attr = ir.attr(op, "value")?;
        let key = (region, attr, ir.ty(ir.result(op, 0)), ir.def(op)?.dialect());
        if let Some(&first) = self.known.get(&key) {
            // It stands for several places now.
            ir.set_location(first, Location::UNKNOWN);
            return Some(first);
        }
        // At the start of the entry block it is visible from everywhere it may be asked for. Those that begin the block
        // already keep their order.
        let leads = ir.parent_block(op) == Some(block)
            && ir.previous_op(op).is_none_or(|before| self.keys.contains_key(&before));
        if !leads && let Some(first) = ir.first_op(block) {
            if ir.parent_block(op) != Some(block) {
                ir.set_location(op, Location::UNKNOWN);
            }
            ir.move_before(first, op);
        }
        self.insert(key, op);
        None
    }

    fn insert(&mut self, key: Key, op: Op) {
        self.known.insert(key, op);
        self.keys.insert(op, key);
    }

    /// Forgets an operation that is about to be erased.
    pub fn forget(&mut self, op: Op) {
        if let Some(key) = self.keys.remove(&op) {
            self.known.remove(&key);
        }
    }
}
