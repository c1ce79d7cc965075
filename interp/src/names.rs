//! Names of attributes that are looked up at every step, found once.

use gpuc_ir::{Attr, Context, Ident, Ir, Op};

/// Identifiers; `None` where the context does not know the name, so that no operation has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    pub overflow: Option<Ident>,
    pub predicate: Option<Ident>,
    pub value: Option<Ident>,
    pub map: Option<Ident>,
}

impl Names {
    pub fn new(ctx: &Context) -> Self {
        Names {
            overflow: ctx.find_ident("overflowFlags"),
            predicate: ctx.find_ident("predicate"),
            value: ctx.find_ident("value"),
            map: ctx.find_ident("map"),
        }
    }
}

/// An attribute by such a name.
pub(crate) fn attr(ir: &Ir, op: Op, name: Option<Ident>) -> Option<Attr> {
    ir.attr_ident(op, name?)
}
