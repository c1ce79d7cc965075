//! Effects on one operand or result, for the operations that touch memory.

use gpuc_ir::op::{Effect, EffectKind, Effects};
use gpuc_ir::{Ir, Op, Value};

/// Known to have no effects, though not pure: it may be undefined for some operands.
pub(crate) fn no_effects(_: &Ir, _: Op, _: &mut Effects) {}

/// Reads from `on`.
pub(crate) fn read(effects: &mut Effects, on: Value) {
    effects.push(Effect { kind: EffectKind::Read, on: Some(on) });
}

/// Writes to `on`.
pub(crate) fn write(effects: &mut Effects, on: Value) {
    effects.push(Effect { kind: EffectKind::Write, on: Some(on) });
}

/// Allocates `on`.
pub(crate) fn allocate(effects: &mut Effects, on: Value) {
    effects.push(Effect { kind: EffectKind::Allocate, on: Some(on) });
}

/// Frees `on`.
pub(crate) fn free(effects: &mut Effects, on: Value) {
    effects.push(Effect { kind: EffectKind::Free, on: Some(on) });
}
