//! Contiguous vector loads and stores.

use gpuc_ir::op;
use gpuc_ir::op::{AccessInterface, AccessKind, AccessedValue, SubscriptForm, attrs, types};

use super::verify::{verify_load, verify_store};
use crate::memref::{no, read, write};
use attrs::BOOL;
use types::{INDEX, MEMREF, VECTOR};

op! {
    /// Loads a vector of elements that follow each other in memory.
    LoadOp = "vector.load" {
        operands { base: One MEMREF, indices: Variadic INDEX }
        results { result: One VECTOR }
        attrs { nontemporal: Default(no) BOOL }
        format "$base `[` $indices `]` attr-dict `:` type($base) `,` type($result)"
        hooks {
            verify: Some(verify_load),
            access: Some(AccessInterface { kind: AccessKind::Read, buffer: 0, subscripts: SubscriptForm::Operands, value: AccessedValue::Result }),
 effects: Some(|ir, op, effects| read(effects, ir.operand(op, 0))) }
    }
}

op! {
    /// Stores a vector to elements that follow each other in memory.
    StoreOp = "vector.store" {
        operands { valueToStore: One VECTOR, base: One MEMREF, indices: Variadic INDEX }
        attrs { nontemporal: Default(no) BOOL }
        format "$valueToStore `,` $base `[` $indices `]` attr-dict `:` type($base) `,` type($valueToStore)"
        hooks {
            verify: Some(verify_store),
            access: Some(AccessInterface { kind: AccessKind::Write, buffer: 1, subscripts: SubscriptForm::Operands, value: AccessedValue::Operand(0) }),
 effects: Some(|ir, op, effects| write(effects, ir.operand(op, 1))) }
    }
}
