//! Loads and stores with affine subscripts.

use gpuc_ir::op;
use gpuc_ir::op::{AccessInterface, AccessKind, AccessedValue, Fold, SubscriptForm, attrs, types};
use gpuc_ir::{Builder, Ir, Op, Type, Value};

use super::apply::{compose_in_place, map_and_operands};
use super::bound::AffineValue;
use super::syntax::{STORED_TO, SUBSCRIPTS};
use super::validity::all_valid_dims;
use crate::memref::{LOCALITY_HINT, PREFETCH, fold_cast_operand, read, write};
use attrs::{BOOL, MAP};
use types::{ANY, INDEX, MEMREF, VECTOR, element_of};

op! {
    /// Loads the element at the map's results.
    AffineLoadOp = "affine.load" {
        operands { memref: One MEMREF, indices: Variadic INDEX }
        results { result: One ANY }
        attrs { map: Required MAP }
        types { result = element_of(memref) "result type matches element type of 'memref'" }
        format "$memref `` custom<Subscripts>($map, $indices) attr-dict `:` type($memref)"
        hooks {
            verify: Some(|ir, op| verify_access(ir, op, 0)),
            access: Some(AccessInterface { kind: AccessKind::Read, buffer: 0, subscripts: SubscriptForm::Map("map"), value: AccessedValue::Result }),
            fold: Some(|ir, op, _| fold_access(ir, op, 0)),
            custom: &[SUBSCRIPTS],
            effects: Some(|ir, op, effects| read(effects, ir.operand(op, 0))),
        }
    }
}

op! {
    /// Stores to the element at the map's results.
    AffineStoreOp = "affine.store" {
        operands { value: One ANY, memref: One MEMREF, indices: Variadic INDEX }
        attrs { map: Required MAP }
        format "$value `,` $memref `` custom<Subscripts>($map, $indices) attr-dict `:` custom<StoredTo>(type($memref), type($value))"
        hooks {
            verify: Some(verify_store),
            access: Some(AccessInterface { kind: AccessKind::Write, buffer: 1, subscripts: SubscriptForm::Map("map"), value: AccessedValue::Operand(0) }),
            fold: Some(|ir, op, _| fold_access(ir, op, 1)),
            custom: &[SUBSCRIPTS, STORED_TO],
            effects: Some(|ir, op, effects| write(effects, ir.operand(op, 1))),
        }
    }
}

op! {
    /// Loads a vector of elements that follow each other, from the map's results on.
    AffineVectorLoadOp = "affine.vector_load" {
        operands { memref: One MEMREF, indices: Variadic INDEX }
        results { result: One VECTOR }
        attrs { map: Required MAP }
        format "$memref `` custom<Subscripts>($map, $indices) attr-dict `:` type($memref) `,` type($result)"
        hooks {
            verify: Some(|ir, op| {
                verify_access(ir, op, 0)?;
                verify_elements(ir, ir.ty(ir.result(op, 0)), ir.ty(ir.operand(op, 0)))
            }),
            access: Some(AccessInterface { kind: AccessKind::Read, buffer: 0, subscripts: SubscriptForm::Map("map"), value: AccessedValue::Result }),
            fold: Some(|ir, op, _| fold_access(ir, op, 0)),
            custom: &[SUBSCRIPTS],
            effects: Some(|ir, op, effects| read(effects, ir.operand(op, 0))),
        }
    }
}

op! {
    /// Stores a vector to elements that follow each other, from the map's results on.
    AffineVectorStoreOp = "affine.vector_store" {
        operands { value: One VECTOR, memref: One MEMREF, indices: Variadic INDEX }
        attrs { map: Required MAP }
        format "$value `,` $memref `` custom<Subscripts>($map, $indices) attr-dict `:` type($memref) `,` type($value)"
        hooks {
            verify: Some(|ir, op| {
                verify_access(ir, op, 1)?;
                verify_elements(ir, ir.ty(ir.operand(op, 0)), ir.ty(ir.operand(op, 1)))
            }),
            access: Some(AccessInterface { kind: AccessKind::Write, buffer: 1, subscripts: SubscriptForm::Map("map"), value: AccessedValue::Operand(0) }),
            fold: Some(|ir, op, _| fold_access(ir, op, 1)),
            custom: &[SUBSCRIPTS],
            effects: Some(|ir, op, effects| write(effects, ir.operand(op, 1))),
        }
    }
}

op! {
    /// Hints that the element at the map's results will be read or written soon.
    AffinePrefetchOp = "affine.prefetch" {
        operands { memref: One MEMREF, indices: Variadic INDEX }
        attrs {
            isWrite: Required BOOL,
            localityHint: Required LOCALITY_HINT,
            isDataCache: Required BOOL,
            map: Required MAP,
        }
        format "$memref `` custom<Subscripts>($map, $indices) `,` custom<Prefetch>($isWrite, $localityHint, $isDataCache) attr-dict `:` type($memref)"
        hooks {
            verify: Some(|ir, op| verify_access(ir, op, 0)),
            fold: Some(|ir, op, _| fold_access(ir, op, 0)),
            custom: &[SUBSCRIPTS, PREFETCH],
            effects: Some(|ir, op, effects| {
                read(effects, ir.operand(op, 0));
                write(effects, ir.operand(op, 0));
            }),
        }
    }
}

impl AffineLoadOp {
    /// Builds a load of the element at the map's results.
    pub fn create(b: &mut Builder<'_>, memref: Value, subscripts: &AffineValue) -> Value {
        let map = b.ctx.map_attr(subscripts.map);
        AffineLoadOp::new(b, memref, &subscripts.operands).attr(b, "map", map).value(b)
    }

    /// The subscripts.
    pub fn subscripts(self, ir: &Ir) -> Option<AffineValue> {
        map_and_operands(ir, self.0, 1)
    }
}

impl AffineStoreOp {
    /// Builds a store to the element at the map's results.
    pub fn create(
        b: &mut Builder<'_>,
        value: Value,
        memref: Value,
        subscripts: &AffineValue,
    ) -> AffineStoreOp {
        let map = b.ctx.map_attr(subscripts.map);
        let build = AffineStoreOp::new(b, value, memref, &subscripts.operands);
        AffineStoreOp(build.attr(b, "map", map).build(b))
    }

    /// The subscripts.
    pub fn subscripts(self, ir: &Ir) -> Option<AffineValue> {
        map_and_operands(ir, self.0, 2)
    }
}

impl AffineVectorLoadOp {
    /// The subscripts of the first element.
    pub fn subscripts(self, ir: &Ir) -> Option<AffineValue> {
        map_and_operands(ir, self.0, 1)
    }
}

impl AffineVectorStoreOp {
    /// The subscripts of the first element.
    pub fn subscripts(self, ir: &Ir) -> Option<AffineValue> {
        map_and_operands(ir, self.0, 2)
    }
}

/// Checks an access to the buffer that is operand `memref`. Nothing is collected: most operations
/// of a large module are accesses.
fn verify_access(ir: &Ir, op: Op, memref: usize) -> Result<(), String> {
    let Some(map) = ir.attr(op, "map").and_then(|attr| ir.ctx.map_value(attr)) else {
        return Ok(());
    };
    let data = ir.ctx.map_data(map);
    let rank = ir.ctx.shape(ir.ty(ir.operand(op, memref))).map_or(0, <[i64]>::len);
    if data.results.len() != rank {
        return Err("affine map num results must equal memref rank".into());
    }
    if (data.dims + data.symbols) as usize != ir.operand_count(op) - (memref + 1) {
        return Err("expects as many subscripts as affine map inputs".into());
    }
    if !all_valid_dims(ir, op, ir.operands(op).skip(memref + 1)) {
        return Err("index must be a valid dimension or symbol identifier".into());
    }
    Ok(())
}

fn verify_store(ir: &Ir, op: Op) -> Result<(), String> {
    if ir.ctx.element(ir.ty(ir.operand(op, 1))) != Some(ir.ty(ir.operand(op, 0))) {
        return Err("value to store must have the same type as memref element type".into());
    }
    verify_access(ir, op, 1)
}

fn verify_elements(ir: &Ir, vector: Type, memref: Type) -> Result<(), String> {
    if ir.ctx.element(vector) != ir.ctx.element(memref) {
        return Err("requires memref and vector types of the same elemental type".into());
    }
    Ok(())
}

fn fold_access(ir: &mut Ir, op: Op, memref: usize) -> Fold {
    let cast = fold_cast_operand(ir, op, memref);
    if compose_in_place(ir, op, memref + 1) || cast { Fold::InPlace } else { Fold::None }
}
