//! Arithmetic on whole vectors.

use gpuc_ir::op::{AttrConstraint, AttrSyntax, EnumSpec, EnumStorage, TypeConstraint, types};
use gpuc_ir::{Ir, Op, op};

use crate::arith::{FASTMATH, no_fastmath};
use types::{ANY, VECTOR};

/// `#vector.kind`: how a reduction combines elements.
pub static COMBINING_KINDS: EnumSpec = EnumSpec {
    dialect: "vector",
    mnemonic: "kind",
    cases: &[
        ("add", 0),
        ("mul", 1),
        ("minui", 2),
        ("minsi", 3),
        ("minnumf", 4),
        ("maxui", 5),
        ("maxsi", 6),
        ("maxnumf", 7),
        ("and", 8),
        ("or", 9),
        ("xor", 10),
        ("minimumf", 11),
        ("maximumf", 12),
    ],
    bits: false,
    storage: EnumStorage::Angled,
};

pub(super) static COMBINING_KIND: AttrConstraint = AttrConstraint {
    summary: "Kind of combining function for contractions and reductions",
    holds: |ctx, attr| COMBINING_KINDS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&COMBINING_KINDS),
};

static FLOAT_VECTOR: TypeConstraint = TypeConstraint {
    summary: "vector of floating-point values",
    holds: |ctx, ty| ctx.is_vector(ty) && ctx.element(ty).is_some_and(|e| ctx.is_float(e)),
    build: None,
};

op! {
    /// `lhs * rhs + acc`, element by element, rounded once.
    FMAOp = "vector.fma" {
        operands { lhs: One FLOAT_VECTOR, rhs: One FLOAT_VECTOR, acc: One FLOAT_VECTOR }
        results { result: One FLOAT_VECTOR }
        traits PURE, SAME_OPERANDS_AND_RESULT_TYPE
        format "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs)"
    }
}

op! {
    /// Combines all elements of a vector, and the accumulator if there is one, into a scalar.
    ReductionOp = "vector.reduction" {
        operands { vector: One VECTOR, acc: Optional ANY }
        results { dest: One ANY }
        attrs { kind: Required COMBINING_KIND, fastmath: Default(no_fastmath) FASTMATH }
        traits PURE
        format "$kind `,` $vector (`,` $acc^)? (`fastmath` `` $fastmath^)? attr-dict `:` type($vector) `into` type($dest)"
        hooks { verify: Some(verify_reduction) }
    }
}

fn verify_reduction(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ReductionOp(op);
    let (vector, result) = (ir.ty(view.vector(ir)), ir.ty(view.dest(ir)));
    if ir.ctx.element(vector) != Some(result) {
        return Err("failed to verify that source operand and result have same element type".into());
    }
    if view.acc(ir).is_some_and(|acc| ir.ty(acc) != result) {
        return Err("failed to verify that all of {dest, acc} have same type".into());
    }
    let rank = ir.ctx.shape(vector).map_or(0, <[i64]>::len);
    if rank > 1 {
        return Err(format!("unsupported reduction rank: {rank}"));
    }
    let kind = super::contract::kind(ir, op);
    if !supports(ir, &kind, result) {
        return Err(format!(
            "unsupported reduction type '{}' for kind '{kind}'",
            ir.type_text(result)
        ));
    }
    Ok(())
}

/// Whether a combining function is one of elements of a type.
pub(super) fn supports(ir: &Ir, kind: &str, element: gpuc_ir::Type) -> bool {
    match kind {
        "add" | "mul" => ir.ctx.is_signless_int_or_index(element) || ir.ctx.is_float(element),
        "minnumf" | "maxnumf" | "minimumf" | "maximumf" => ir.ctx.is_float(element),
        _ => ir.ctx.is_signless_int_or_index(element),
    }
}
