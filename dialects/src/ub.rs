//! `ub`: what has no defined value.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::attrs;
use gpuc_ir::op::types::ANY;
use gpuc_ir::text::{OpParser, OpPrinter, ParseResult};
use gpuc_ir::{Attr, Builder, Context, Op, OpState, OpView, Type, op};

use attrs::ANY as ANY_ATTR;

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "ub",
    summary: "Values that undefined behaviour leaves.",
    ops: &[PoisonOp::def],
    materialize: Some(materialize),
};

op! {
    /// A value that nothing may depend on: what is computed of it is the same, what acts on it is undefined.
    PoisonOp = "ub.poison" {
        results { result: One ANY }
        attrs { value: Required ANY_ATTR }
        traits PURE, CONSTANT_LIKE
        hooks { parse: Some(parse), print: Some(print) }
    }
}

/// `#ub.poison`: the value of no bit is known.
pub fn poison(ctx: &mut Context) -> Attr {
    ctx.dialect_attr("ub", "poison")
}

/// Whether an attribute is `#ub.poison`.
pub fn is_poison(ctx: &Context, attr: Attr) -> bool {
    ctx.dialect_attr_text(attr) == Some(("ub", "poison"))
}

/// [`DialectDef::materialize`] of the dialect.
pub(crate) fn materialize(b: &mut Builder<'_>, value: Attr, ty: Type) -> Option<Op> {
    is_poison(&b.ctx, value).then(|| PoisonOp::new(b).attr(b, "value", value).result(ty).build(b))
}

fn parse(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    p.parse_attr_dict(state)?;
    let value = if p.eat("<") {
        let value = p.parse_attr()?;
        p.expect(">")?;
        value
    } else {
        poison(&mut p.ir.ctx)
    };
    let name = p.ir.ctx.ident("value");
    state.attrs.push((name, value));
    state.results.push(p.parse_colon_type()?);
    Ok(())
}

fn print(p: &mut OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    p.attr_dict(op, &["value"]);
    if let Some(value) = PoisonOp(op).value(ir).filter(|&value| !is_poison(&ir.ctx, value)) {
        p.write(" <");
        p.attr(value);
        p.write(">");
    }
    p.write(" : ");
    p.ty(ir.ty(ir.result(op, 0)));
}
