//! Constants: what a value is known to be, and one operation for each constant of a region.

use rustc_hash::FxHashMap;

use super::fold::{Folded, erase_folded, try_fold};
use crate::attrs::Attr;
use crate::build::Builder;
use crate::graph::{Ir, Op, Region, Value, WalkOrder};
use crate::location::Location;
use crate::op::{FoldResult, Traits};
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
    /// outside or keeps its constants.
    fn home(ir: &Ir, op: Op) -> Option<Region> {
        let mut region = ir.parent_region(op)?;
        loop {
            let parent = ir.region_op(region)?;
            let ends = [Traits::ISOLATED_FROM_ABOVE, Traits::CONSTANTS_STAY];
            if ends.iter().any(|&ends| ir.has_trait(parent, ends)) || ir.parent_op(parent).is_none()
            {
                return Some(region);
            }
            region = ir.parent_region(parent)?;
        }
    }

    /// A value that holds the constant and is visible at `op`.
    pub fn get(&mut self, ir: &mut Ir, op: Op, attr: Attr, ty: Type) -> Option<Value> {
        let region = Self::home(ir, op)?;
        let block = ir.entry_block(region)?;
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
            if let Some(made) =
                materialize(&mut Builder::at_start(ir, block, Location::UNKNOWN), attr, ty)
            {
                self.insert(key, made);
                return Some(ir.result(made, 0));
            }
        }
        None
    }

    /// The values that folding `op` gave; `None` where no dialect can hold a constant among them.
    pub fn values(&mut self, ir: &mut Ir, op: Op, results: &[FoldResult]) -> Option<Vec<Value>> {
        let values = results.iter().enumerate().map(|(i, result)| match *result {
            FoldResult::Value(value) => Some(value),
            FoldResult::Attr(attr) => {
                let ty = ir.ty(ir.result(op, i));
                self.get(ir, op, attr, ty)
            }
        });
        values.collect()
    }

    /// Erases the constants that nothing uses.
    fn erase_unused(self, ir: &mut Ir) {
        for op in self.known.into_values() {
            if ir.is_unused(ir.result(op, 0)) {
                ir.erase_op(op);
            }
        }
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
            // It stands for no place of its own there.
            ir.set_location(op, Location::UNKNOWN);
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

/// Folds each operation inside `root` once, from the last to the first, and makes one of equal constants; applies no
/// pattern. Constants that nothing uses then are erased.
pub fn fold_each(ir: &mut Ir, root: Op) {
    let mut constants = Constants::default();
    for op in ir.nested_ops(root, WalkOrder::PreOrder).into_iter().rev() {
        if op == root || ir.is_erased(op) {
            continue;
        }
        if ir.has_trait(op, Traits::CONSTANT_LIKE) {
            if let Some(first) = constants.note(ir, op) {
                let value = ir.result(first, 0);
                ir.replace_op(op, &[value]);
            }
        } else if let Folded::Results(results) = try_fold(ir, op)
            && let Some(values) = constants.values(ir, op, &results)
        {
            for (i, value) in values.into_iter().enumerate() {
                ir.replace_all_uses(ir.result(op, i), value);
            }
            erase_folded(ir, op);
        }
    }
    constants.erase_unused(ir);
}
