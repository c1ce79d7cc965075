//! `builtin`: the module and unrealized casts.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::{Fold, attrs, types};
use gpuc_ir::{Attr, Ir, Location, Op, OpState, OpView, Value, op};

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
        hooks { verify: Some(verify_module), default_dialect: Some("builtin") }
    }
}

fn verify_module(ir: &Ir, op: Op) -> Result<(), String> {
    if ir.entry_block(ir.region(op, 0)).is_some_and(|block| !ir.arguments(block).is_empty()) {
        return Err("region should have no arguments".into());
    }
    for &(name, _) in ir.ctx.dict_entries(ir.attrs(op)) {
        let name = ir.ctx.str(name);
        if !name.contains('.') && !ModuleOp::def().is_inherent(name) {
            return Err(format!(
                "can only contain attributes with dialect-prefixed names, found: '{name}'"
            ));
        }
    }
    Ok(())
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
        hooks { verify: Some(verify_cast), fold: Some(fold_cast) }
    }
}

fn verify_cast(ir: &Ir, op: Op) -> Result<(), String> {
    match ir.results(op).is_empty() {
        true => Err("expected at least one result for cast operation".into()),
        false => Ok(()),
    }
}

/// A cast there and back is what was cast; one to the types that are there already is nothing.
fn fold_cast(ir: &mut Ir, op: Op, _: &[Option<Attr>]) -> Fold {
    let operands: Vec<Value> = ir.operands(op).collect();
    let types = |values: &[Value]| values.iter().map(|&value| ir.ty(value)).collect::<Vec<_>>();
    let wanted = types(ir.results(op));
    let given = |values: Vec<Value>| Fold::Results(values.into_iter().map(Into::into).collect());
    if types(&operands) == wanted {
        return given(operands);
    }
    let Some(&first) = operands.first() else { return Fold::None };
    let inner = ir.defining_op(first).filter(|&inner| UnrealizedConversionCastOp::is(ir, inner));
    let Some(inner) = inner.filter(|&inner| *ir.results(inner) == *operands) else {
        return Fold::None;
    };
    let source: Vec<Value> = ir.operands(inner).collect();
    if types(&source) == wanted { given(source) } else { Fold::None }
}
