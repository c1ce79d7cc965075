//! `vector.print`.

use gpuc_ir::op;
use gpuc_ir::op::{
    AttrConstraint, AttrSyntax, Effect, EffectKind, EnumSpec, EnumStorage, TypeConstraint, attrs,
};
use gpuc_ir::{Attr, Context, Ir, Op, TypeKind};

use attrs::STRING;

/// `#vector.punctuation`: what is printed behind the value.
pub static PRINT_PUNCTUATIONS: EnumSpec = EnumSpec {
    dialect: "vector",
    mnemonic: "punctuation",
    cases: &[("no_punctuation", 0), ("newline", 1), ("comma", 2), ("open", 3), ("close", 4)],
    bits: false,
    storage: EnumStorage::Angled,
};

static PRINT_PUNCTUATION: AttrConstraint = AttrConstraint {
    summary: "Punctuation for separating vectors or vector elements",
    holds: |ctx, attr| PRINT_PUNCTUATIONS.number(ctx, attr).is_some(),
    syntax: AttrSyntax::Enum(&PRINT_PUNCTUATIONS),
};

/// A vector, or a number. Upstream has no words for it.
static PRINTABLE: TypeConstraint = TypeConstraint {
    summary: "",
    holds: |ctx, ty| {
        ctx.is_vector(ty)
            || matches!(
                ctx.type_kind(ty),
                TypeKind::Integer { .. } | TypeKind::Float(_) | TypeKind::Index
            )
    },
    build: None,
};

fn newline(ctx: &mut Context) -> Attr {
    PRINT_PUNCTUATIONS.attr(ctx, 1)
}

op! {
    /// Prints a value, a text or a punctuation mark to the standard output; for tests.
    PrintOp = "vector.print" {
        operands { source: Optional PRINTABLE }
        attrs { punctuation: Default(newline) PRINT_PUNCTUATION, stringLiteral: Optional STRING }
        format "($source^ `:` type($source))? (`str` $stringLiteral^)? (`punctuation` $punctuation^)? attr-dict"
        hooks { verify: Some(verify_print), effects: Some(|_, _, effects| effects.push(Effect { kind: EffectKind::Write, on: None })) }
    }
}

fn verify_print(ir: &Ir, op: Op) -> Result<(), String> {
    let view = PrintOp(op);
    let number = view.punctuation(ir).and_then(|attr| PRINT_PUNCTUATIONS.number(&ir.ctx, attr));
    let marked = number.is_some_and(|number| number != 1);
    if view.stringLiteral(ir).is_some() && (view.source(ir).is_some() || marked) {
        return Err(
            "failed to verify that `source` or `punctuation` are not set when printing strings"
                .into(),
        );
    }
    Ok(())
}
