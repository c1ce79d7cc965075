//! Global buffers.

use gpuc_ir::op;
use gpuc_ir::op::{AttrConstraint, AttrSpec, OpHooks, Presence, Traits, attrs, types};
use gpuc_ir::symbols::SymbolTableCollection;
use gpuc_ir::text::FormatCache;
use gpuc_ir::{Attr, AttrKind, Ir, Op, OpBuild, OpDef, OpView, Type, TypeKind};

use super::syntax::{GLOBAL_TYPE_AND_VALUE, VISIBILITY};
use attrs::{ANY, FLAT_SYMBOL, I64, STRING, SYMBOL_NAME, TYPE, UNIT};
use types::MEMREF;

/// A named buffer that lives as long as the module: an attribute `type` for its type, and
/// `initial_value` for its elements (`unit` says that they are uninitialised; without it the global
/// is only declared).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GlobalOp(pub Op);

// Written out because `type`, the name of an attribute, cannot be the name of an accessor.
static GLOBAL: OpDef = OpDef {
    name: GlobalOp::NAME,
    docs: "A named buffer that lives as long as the module.",
    operands: &[],
    results: &[],
    attrs: &[
        AttrSpec { name: "sym_name", presence: Presence::Required, constraint: &SYMBOL_NAME },
        AttrSpec { name: "sym_visibility", presence: Presence::Optional, constraint: &STRING },
        AttrSpec { name: "type", presence: Presence::Required, constraint: &MEMREF_TYPE },
        AttrSpec { name: "initial_value", presence: Presence::Optional, constraint: &ANY },
        AttrSpec { name: "constant", presence: Presence::Optional, constraint: &UNIT },
        AttrSpec { name: "alignment", presence: Presence::Optional, constraint: &I64 },
    ],
    regions: &[],
    successors: &[],
    traits: Traits::SYMBOL,
    parents: &[],
    type_rules: &[],
    format: "(custom<Visibility>($sym_visibility)^)? (`constant` $constant^)? $sym_name `:` custom<GlobalMemrefOpTypeAndInitialValue>($type, $initial_value) attr-dict",
    hooks: OpHooks {
        custom: &[VISIBILITY, GLOBAL_TYPE_AND_VALUE],
        verify: Some(verify_global),
        ..OpHooks::NONE
    },
    compiled_format: FormatCache::new(),
};

impl OpView for GlobalOp {
    fn def() -> &'static OpDef {
        &GLOBAL
    }

    fn cast(ir: &Ir, op: Op) -> Option<Self> {
        ir.def(op).is_some_and(|def| std::ptr::eq(def, &GLOBAL)).then_some(GlobalOp(op))
    }

    fn op(self) -> Op {
        self.0
    }
}

impl GlobalOp {
    /// Full name of the operation.
    pub const NAME: &'static str = "memref.global";

    /// Starts building one; `sym_name`, `type` and the rest are added as attributes.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(ir: &mut Ir) -> OpBuild {
        OpBuild::new(ir, &GLOBAL)
    }

    /// Type of the buffer.
    pub fn buffer_type(self, ir: &Ir) -> Option<Type> {
        ir.attr(self.0, "type").and_then(|attr| ir.ctx.type_value(attr))
    }

    /// Its elements; `unit` where they are uninitialised, `None` for a declaration.
    pub fn initial_value(self, ir: &Ir) -> Option<Attr> {
        ir.attr(self.0, "initial_value")
    }

    /// Whether it is never written.
    pub fn is_constant(self, ir: &Ir) -> bool {
        ir.attr(self.0, "constant").is_some()
    }

    /// Alignment in bytes.
    pub fn alignment(self, ir: &Ir) -> Option<Attr> {
        ir.attr(self.0, "alignment")
    }
}

op! {
    /// The buffer of a `memref.global`.
    GetGlobalOp = "memref.get_global" {
        results { result: One MEMREF }
        attrs { name: Required FLAT_SYMBOL }
        traits PURE
        format "$name `:` type($result) attr-dict"
        hooks { verify_symbols: Some(verify_get_global) }
    }
}

static MEMREF_TYPE: AttrConstraint = AttrConstraint {
    summary: "memref type attribute",
    holds: |ctx, attr| ctx.type_value(attr).is_some_and(|ty| ctx.is_memref(ty)),
    syntax: TYPE.syntax,
};

fn verify_global(ir: &Ir, op: Op) -> Result<(), String> {
    let view = GlobalOp(op);
    let visibility = ir.attr(op, "sym_visibility").and_then(|attr| ir.ctx.string_value(attr));
    if let Some(word) = visibility.filter(|word| !["public", "private", "nested"].contains(word)) {
        return Err(format!(
            "visibility expected to be one of [\"public\", \"private\", \"nested\"], but got \"{word}\""
        ));
    }
    let Some(ty) = view.buffer_type(ir) else { return Ok(()) };
    let (shape, element) = (ir.ctx.shape(ty).unwrap_or_default(), ir.ctx.element(ty));
    if shape.iter().any(|&extent| extent < 0) {
        return Err(format!("type should be static shaped memref, but got '{}'", ir.type_text(ty)));
    }
    if let Some(value) = view.initial_value(ir) {
        match ir.ctx.attr_kind(value) {
            AttrKind::Unit => {}
            AttrKind::DenseElements { ty: found, .. } => {
                let tensor =
                    matches!(ir.ctx.type_kind(*found), TypeKind::Tensor { encoding: None, .. });
                if !tensor
                    || ir.ctx.shape(*found) != Some(shape)
                    || ir.ctx.element(*found) != element
                {
                    let extents: String = shape.iter().map(|extent| format!("{extent}x")).collect();
                    return Err(format!(
                        "initial value expected to be of type 'tensor<{extents}{}>', but was of type '{}'",
                        element.map(|element| ir.type_text(element)).unwrap_or_default(),
                        ir.type_text(*found)
                    ));
                }
            }
            _ => {
                return Err(format!(
                    "initial value should be a unit or elements attribute, but got {}",
                    ir.attr_text(value)
                ));
            }
        }
    }
    let alignment = view.alignment(ir).and_then(|attr| ir.ctx.i64_value(attr));
    match alignment.filter(|alignment| alignment.count_ones() != 1) {
        Some(alignment) => {
            Err(format!("alignment attribute value {alignment} is not a power of 2"))
        }
        None => Ok(()),
    }
}

fn verify_get_global(ir: &Ir, symbols: &mut SymbolTableCollection, op: Op) -> Result<(), String> {
    let view = GetGlobalOp(op);
    let Some(reference) = view.name(ir) else { return Ok(()) };
    let name = ir.ctx.symbol_root(reference).map(|root| ir.ctx.str(root)).unwrap_or_default();
    let global = symbols.lookup_symbol(ir, op, reference).and_then(|op| GlobalOp::cast(ir, op));
    let Some(global) = global else {
        return Err(format!("'{name}' does not reference a valid global memref"));
    };
    let ty = ir.ty(view.result(ir));
    match global.buffer_type(ir).filter(|&expected| expected != ty) {
        Some(expected) => Err(format!(
            "result type '{}' does not match type '{}' of the global memref @{name}",
            ir.type_text(ty),
            ir.type_text(expected)
        )),
        None => Ok(()),
    }
}
