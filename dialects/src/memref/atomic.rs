//! Atomic read-modify-write.

use gpuc_ir::op::{
    AccessInterface, AccessKind, AccessedValue, AttrConstraint, AttrSyntax, EnumSpec, EnumStorage,
    SubscriptForm, TypeConstraint, types,
};
use gpuc_ir::{Ir, Op, OpView, op};

use super::access::rank;
use super::effects::{read, write};
use super::folds::fold_casts;
use types::{ANY, INDEX, MEMREF, element_of, same};

/// `arith`'s kinds of atomic read-modify-write operations; also the reductions of
/// `affine.parallel`.
pub static ATOMIC_RMW_KINDS: EnumSpec = EnumSpec {
    dialect: "arith",
    mnemonic: "atomic_rmw_kind",
    cases: &[
        ("addf", 0),
        ("addi", 1),
        ("assign", 2),
        ("maximumf", 3),
        ("maxs", 4),
        ("maxu", 5),
        ("minimumf", 6),
        ("mins", 7),
        ("minu", 8),
        ("mulf", 9),
        ("muli", 10),
        ("ori", 11),
        ("andi", 12),
        ("maxnumf", 13),
        ("minnumf", 14),
    ],
    bits: false,
    storage: EnumStorage::Integer(64),
};

static ATOMIC_RMW_KIND: AttrConstraint = AttrConstraint {
    summary: "allowed 64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14",
    holds: |ctx, attr| ATOMIC_RMW_KINDS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&ATOMIC_RMW_KINDS),
};

static SIGNLESS_INTEGER_OR_FLOAT: TypeConstraint = TypeConstraint {
    summary: "signless integer or floating-point",
    holds: |ctx, ty| ctx.is_signless_int(ty) || ctx.is_float(ty),
    build: None,
};

op! {
    /// Combines a value with an element in one atomic step and gives the element's previous value.
    AtomicRMWOp = "memref.atomic_rmw" {
        operands { value: One SIGNLESS_INTEGER_OR_FLOAT, memref: One MEMREF, indices: Variadic INDEX }
        results { result: One ANY }
        attrs { kind: Required ATOMIC_RMW_KIND }
        types {
            result = same(value) "all of {value, result} have same type",
            value = element_of(memref) "value type matches element type of memref",
        }
        format "$kind $value `,` $memref `[` $indices `]` attr-dict `:` `(` type($value) `,` type($memref) `)` `->` type($result)"
        hooks {
            verify: Some(verify_atomic),
            access: Some(AccessInterface { kind: AccessKind::Atomic, buffer: 1, subscripts: SubscriptForm::Operands, value: AccessedValue::Operand(0) }),
            fold: Some(|ir, op, _| fold_casts(ir, op, &[1])),
            effects: Some(|ir, op, effects| {
                read(effects, ir.operand(op, 1));
                write(effects, ir.operand(op, 1));
            }),
        }
    }
}

op! {
    /// Replaces an element by what its region computes from it, in one atomic step, and gives the
    /// element's previous value.
    GenericAtomicRMWOp = "memref.generic_atomic_rmw" {
        operands { memref: One MEMREF, indices: Variadic INDEX }
        results { result: One ANY }
        regions { atomic_body: Any }
        traits SINGLE_BLOCK
        types { result = element_of(memref) "result type matches element type of memref" }
        format "$memref `[` $indices `]` `:` type($memref) $atomic_body attr-dict"
        hooks {
            verify: Some(verify_generic_atomic),
            access: Some(AccessInterface { kind: AccessKind::Atomic, buffer: 0, subscripts: SubscriptForm::Operands, value: AccessedValue::Result }),
            verify_regions: Some(verify_atomic_body),
            effects: Some(|ir, op, effects| {
                read(effects, ir.operand(op, 0));
                write(effects, ir.operand(op, 0));
            }),
        }
    }
}

op! {
    /// Ends the region of a `memref.generic_atomic_rmw` with the element's new value.
    AtomicYieldOp = "memref.atomic_yield" {
        operands { result: One ANY }
        traits PURE, TERMINATOR
        parents "memref.generic_atomic_rmw"
        format "$result attr-dict `:` type($result)"
        hooks { verify: Some(verify_atomic_yield) }
    }
}

fn verify_atomic(ir: &Ir, op: Op) -> Result<(), String> {
    let view = AtomicRMWOp(op);
    if view.indices(ir).len() != rank(ir, view.memref(ir)) {
        return Err("expects the number of subscripts to be equal to memref rank".into());
    }
    let number = view.kind(ir).and_then(|kind| ATOMIC_RMW_KINDS.number(&ir.ctx, kind));
    let kind = ATOMIC_RMW_KINDS.keywords(number.unwrap_or_default());
    let ty = ir.ty(view.value(ir));
    match &*kind {
        "addf" | "maximumf" | "minimumf" | "mulf" | "maxnumf" | "minnumf"
            if !ir.ctx.is_float(ty) =>
        {
            Err(format!("with kind '{kind}' expects a floating-point type"))
        }
        "addi" | "maxs" | "maxu" | "mins" | "minu" | "muli" | "ori" | "andi"
            if !ir.ctx.is_signless_int(ty) =>
        {
            Err(format!("with kind '{kind}' expects an integer type"))
        }
        _ => Ok(()),
    }
}

fn verify_generic_atomic(ir: &Ir, op: Op) -> Result<(), String> {
    let view = GenericAtomicRMWOp(op);
    if view.indices(ir).len() != rank(ir, view.memref(ir)) {
        return Err("expects the number of subscripts to be equal to memref rank".into());
    }
    let entry = ir.entry_block(view.atomic_body(ir));
    let [argument] = *entry.map_or(&[][..], |entry| ir.arguments(entry)) else {
        return Err("expected single number of entry block arguments".into());
    };
    if ir.ty(argument) != ir.ty(view.result(ir)) {
        return Err("expected block argument of the same type result type".into());
    }
    Ok(())
}

/// What happens between reading and writing must not be seen from outside.
fn verify_atomic_body(ir: &Ir, op: Op) -> Result<(), String> {
    let body = GenericAtomicRMWOp(op).atomic_body(ir);
    let harmless =
        ir.blocks(body).iter().all(|&block| ir.ops(block).all(|inner| ir.is_effect_free(inner)));
    if !harmless {
        return Err("body should contain only operations with no side effects".into());
    }
    Ok(())
}

fn verify_atomic_yield(ir: &Ir, op: Op) -> Result<(), String> {
    let Some(parent) = ir.parent_op(op).and_then(|op| GenericAtomicRMWOp::cast(ir, op)) else {
        return Ok(());
    };
    let (parent, ty) = (ir.ty(parent.result(ir)), ir.ty(AtomicYieldOp(op).result(ir)));
    if parent != ty {
        return Err(format!(
            "types mismatch between yield op: '{}' and its parent: '{}'",
            ir.type_text(ty),
            ir.type_text(parent)
        ));
    }
    Ok(())
}
