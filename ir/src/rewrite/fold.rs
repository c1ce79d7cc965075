//! Folding one operation.

use smallvec::SmallVec;

use super::constants::constant_value;
use crate::attrs::Attr;
use crate::graph::{Ir, Op, Value};
use crate::op::{EffectKind, Fold, FoldResult, Traits};

/// What folding found for an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folded {
    /// Nothing.
    None,
    /// It was changed in place.
    InPlace,
    /// Constants or values for its results; not yet put in place.
    Results(SmallVec<[FoldResult; 1]>),
}

/// Folds an operation: its own folder, then what traits allow (constants of commutative operations
/// go right; what is done twice is done once or undone).
pub fn try_fold(ir: &mut Ir, op: Op) -> Folded {
    let Some(def) = ir.def(op) else { return Folded::None };
    if def.traits.contains(Traits::CONSTANT_LIKE) {
        return Folded::None;
    }
    let mut changed = false;
    if def.traits.contains(Traits::COMMUTATIVE) {
        let (mut sorted, constants): (SmallVec<[Value; 4]>, SmallVec<[Value; 4]>) =
            ir.operands(op).partition(|&value| constant_value(ir, value).is_none());
        sorted.extend(constants);
        if !ir.operands(op).eq(sorted.iter().copied()) {
            ir.set_operands(op, &sorted);
            changed = true;
        }
    }
    let folded = match def.hooks.fold {
        Some(fold) => {
            let operands: SmallVec<[Value; 4]> = ir.operands(op).collect();
            let constants: SmallVec<[Option<Attr>; 4]> =
                operands.iter().map(|&value| constant_value(ir, value)).collect();
            fold(ir, op, &constants)
        }
        None => Fold::None,
    };
    match folded {
        Fold::Results(results) if results.len() == ir.results(op).len() => {
            // A folder that answers with the result itself has changed the operation in place.
            let own = results
                .iter()
                .zip(ir.results(op))
                .any(|(result, &value)| *result == FoldResult::Value(value));
            if own { Folded::InPlace } else { Folded::Results(results) }
        }
        Fold::InPlace => Folded::InPlace,
        _ => match same_twice(ir, op, def.traits) {
            Some(value) => Folded::Results(SmallVec::from_slice(&[value.into()])),
            None if changed => Folded::InPlace,
            None => Folded::None,
        },
    }
}

/// Erases an operation whose results folding has replaced, unless it has effects.
pub(super) fn erase_folded(ir: &mut Ir, op: Op) {
    let effects = ir.effects(op);
    let benign =
        effects.is_some_and(|effects| effects.iter().all(|effect| effect.kind == EffectKind::Read));
    if benign && !ir.has_trait(op, Traits::TERMINATOR) {
        ir.erase_op(op);
    }
}

/// The value of an operation that is applied to its own kind, or to one value twice, where its
/// traits say what that is.
fn same_twice(ir: &Ir, op: Op, traits: Traits) -> Option<Value> {
    if ir.results(op).len() != 1 {
        return None;
    }
    let operands: SmallVec<[Value; 2]> = ir.operands(op).collect();
    match operands[..] {
        [operand] => {
            let inner = ir.defining_op(operand).filter(|&i| ir.op_name(i) == ir.op_name(op))?;
            if traits.contains(Traits::IDEMPOTENT) {
                return Some(operand);
            }
            // An operation in a cycle of unreachable code undoes itself.
            (traits.contains(Traits::INVOLUTION) && inner != op).then(|| ir.operand(inner, 0))
        }
        [a, b] => (a == b && traits.contains(Traits::IDEMPOTENT)).then_some(a),
        _ => None,
    }
}
