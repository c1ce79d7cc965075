//! `builtin`: the module and unrealized casts.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::{attrs, types};
use gpuc_ir::{Ir, Location, OpState, OpView, op};

use attrs::SYMBOL_NAME;

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "builtin",
    summary: "The module and unrealized casts.",
    ops: &[ModuleOp::def, UnrealizedConversionCastOp::def],
    materialize: None,
};

op! {
    /// A top-level container of symbols: one region of one block, without a terminator.
    ModuleOp = "builtin.module" {
        attrs { sym_name: Optional SYMBOL_NAME, sym_visibility: Optional SYMBOL_NAME }
        regions { bodyRegion: SizedOne }
        traits SYMBOL, SYMBOL_TABLE, ISOLATED_FROM_ABOVE, NO_TERMINATOR, SINGLE_BLOCK, GRAPH_REGION, AFFINE_SCOPE
        format "($sym_name^)? attr-dict-with-keyword $bodyRegion"
        hooks { default_dialect: Some("builtin") }
    }
}

impl ModuleOp {
    /// An empty module outside any block.
    pub fn create(ir: &mut Ir, location: Location) -> ModuleOp {
        let region = ir.create_region();
        ir.append_new_block(region, &[], location);
        let mut state = OpState::new(ir.ctx.op_name(Self::NAME), location);
        state.regions.push(region);
        ModuleOp(ir.create_op(state))
    }
}

op! {
    /// A cast between types of different dialects that a later conversion takes away.
    UnrealizedConversionCastOp = "builtin.unrealized_conversion_cast" {
        operands { inputs: Variadic types::ANY }
        results { outputs: Variadic types::ANY }
        traits PURE
        format "($inputs^ `:` type($inputs))? `to` type($outputs) attr-dict"
    }
}
