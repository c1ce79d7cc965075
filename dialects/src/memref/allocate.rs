//! Allocation and release of buffers.

use gpuc_ir::op;
use gpuc_ir::op::{
    AttrConstraint, RegionBranch, RegionEdge, RegionPoint, Traits, TypeConstraint, attrs, types,
};
use gpuc_ir::{AttrKind, Builder, DYNAMIC, Ir, Op, OpView, TypeKind, Value};

use super::allocate_patterns::ALLOC;
use super::effects::{allocate, free, read, write};
use super::folds::fold_casts;
use super::layout::has_identity_layout;
use attrs::I64;
use types::{ANY, INDEX, MEMREF, MEMREF_ANY_RANK};

op! {
    /// Allocates a buffer that lives until it is deallocated. Dynamic extents and the symbols of
    /// the layout are operands.
    AllocOp = "memref.alloc" {
        operands { dynamicSizes: Variadic INDEX, symbolOperands: Variadic INDEX }
        results { memref: One MEMREF }
        attrs { alignment: Optional ALIGNMENT }
        traits ATTR_SIZED_OPERANDS
        format "`(`$dynamicSizes`)` (`` `[` $symbolOperands^ `]`)? attr-dict `:` type($memref)"
        hooks {
            verify: Some(verify_alloc),
            canonicalize: ALLOC,
            effects: Some(|ir, op, effects| allocate(effects, ir.result(op, 0))),
            result_name: Some(|_, _, _| Some("alloc".into())),
        }
    }
}

op! {
    /// Allocates a buffer that lives until the enclosing allocation scope ends.
    AllocaOp = "memref.alloca" {
        operands { dynamicSizes: Variadic INDEX, symbolOperands: Variadic INDEX }
        results { memref: One MEMREF }
        attrs { alignment: Optional ALIGNMENT }
        traits ATTR_SIZED_OPERANDS
        format "`(`$dynamicSizes`)` (`` `[` $symbolOperands^ `]`)? attr-dict `:` type($memref)"
        hooks {
            verify: Some(verify_alloca),
            canonicalize: ALLOC,
            effects: Some(|ir, op, effects| allocate(effects, ir.result(op, 0))),
            result_name: Some(|_, _, _| Some("alloca".into())),
        }
    }
}

op! {
    /// Changes the size of a one-dimensional buffer, keeping what fits; the source is gone
    /// afterwards.
    ReallocOp = "memref.realloc" {
        operands { source: One MEMREF_1D, dynamicResultSize: Optional INDEX }
        results { result: One MEMREF_1D }
        attrs { alignment: Optional ALIGNMENT }
        format "$source (`(` $dynamicResultSize^ `)`)? attr-dict `:` type($source) `to` type(results)"
        hooks {
            verify: Some(verify_realloc),
            effects: Some(|ir, op, effects| {
                read(effects, ir.operand(op, 0));
                free(effects, ir.operand(op, 0));
                allocate(effects, ir.result(op, 0));
                write(effects, ir.result(op, 0));
            }),
        }
    }
}

op! {
    /// Releases a buffer made by `memref.alloc`.
    DeallocOp = "memref.dealloc" {
        operands { memref: One MEMREF_ANY_RANK }
        format "$memref attr-dict `:` type($memref)"
        hooks {
            fold: Some(|ir, op, _| fold_casts(ir, op, &[0])),
            effects: Some(|ir, op, effects| free(effects, ir.operand(op, 0))),
        }
    }
}

op! {
    /// Runs its region and then releases what `memref.alloca` allocated in it.
    AllocaScopeOp = "memref.alloca_scope" {
        results { results: Variadic ANY }
        regions { bodyRegion: SizedOne }
        traits ALLOCATION_SCOPE, SINGLE_BLOCK, RECURSIVE_EFFECTS
        format "(`->` `(` type($results)^ `)`)? $bodyRegion attr-dict"
        hooks {
            verify_regions: Some(verify_scope),
            region_branch: Some(RegionBranch { edges: scope_edges }),
            implicit_terminator: Some(return_nothing),
        }
    }
}

op! {
    /// Ends a `memref.alloca_scope` with its results.
    AllocaScopeReturnOp = "memref.alloca_scope.return" {
        operands { results: Variadic ANY }
        traits PURE, TERMINATOR, RETURN_LIKE
        parents "memref.alloca_scope"
        format "attr-dict ($results^ `:` type($results))?"
    }
}

fn return_nothing(b: &mut Builder<'_>) -> Op {
    AllocaScopeReturnOp::new(b, &[]).build(b)
}

/// A number of bytes.
static ALIGNMENT: AttrConstraint = AttrConstraint {
    summary: "64-bit signless integer attribute whose minimum value is 0",
    holds: |ctx, attr| (I64.holds)(ctx, attr) && ctx.i64_value(attr).is_some_and(|n| n >= 0),
    syntax: I64.syntax,
};

static MEMREF_1D: TypeConstraint = TypeConstraint {
    summary: "1D memref of any type values",
    holds: |ctx, ty| ctx.is_memref(ty) && ctx.shape(ty).is_some_and(|shape| shape.len() == 1),
    build: None,
};

/// Checks dynamic extents and symbols of an allocation, `alloc` or `alloca`.
pub(crate) fn verify_allocation(
    ir: &Ir,
    result: Value,
    sizes: usize,
    symbols: usize,
) -> Result<(), String> {
    let ty = ir.ty(result);
    let shape = ir.ctx.shape(ty).unwrap_or_default();
    if shape.iter().filter(|&&extent| extent == DYNAMIC).count() != sizes {
        return Err("dimension operand count does not equal memref dynamic dimension count".into());
    }
    let layout = match ir.ctx.type_kind(ty) {
        TypeKind::MemRef { layout: Some(layout), .. } => Some(*layout),
        _ => None,
    };
    let expected = match layout.map(|layout| ir.ctx.attr_kind(layout)) {
        Some(AttrKind::AffineMap(map)) => ir.ctx.map_data(*map).symbols as usize,
        Some(AttrKind::Strided { offset, strides }) => {
            strides.iter().chain([offset]).filter(|&&number| number == DYNAMIC).count()
        }
        _ => 0,
    };
    if expected != symbols {
        return Err(format!(
            "symbol operand count does not equal memref symbol count: expected {expected}, got {symbols}"
        ));
    }
    Ok(())
}

fn verify_alloc(ir: &Ir, op: Op) -> Result<(), String> {
    let view = AllocOp(op);
    let (sizes, symbols) = (view.dynamicSizes(ir).len(), view.symbolOperands(ir).len());
    verify_allocation(ir, view.memref(ir), sizes, symbols)
}

fn verify_alloca(ir: &Ir, op: Op) -> Result<(), String> {
    if !ir.ancestors(op).any(|around| ir.has_trait(around, Traits::ALLOCATION_SCOPE)) {
        return Err("requires an ancestor op with AutomaticAllocationScope trait".into());
    }
    let view = AllocaOp(op);
    let (sizes, symbols) = (view.dynamicSizes(ir).len(), view.symbolOperands(ir).len());
    verify_allocation(ir, view.memref(ir), sizes, symbols)
}

fn verify_realloc(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ReallocOp(op);
    let (source, result) = (ir.ty(view.source(ir)), ir.ty(view.result(ir)));
    let text = |ty| ir.type_text(ty);
    for (which, ty) in [("source", source), ("result", result)] {
        if !has_identity_layout(&ir.ctx, ty) {
            return Err(format!("unsupported layout for {which} memref type '{}'", text(ty)));
        }
    }
    for (same, what) in [
        (ir.ctx.memory_space(source) == ir.ctx.memory_space(result), "memory spaces"),
        (ir.ctx.element(source) == ir.ctx.element(result), "element types"),
    ] {
        if !same {
            return Err(format!(
                "different {what} specified for source memref type '{}' and result memref type '{}'",
                text(source),
                text(result)
            ));
        }
    }
    let dynamic = ir.ctx.shape(result) == Some(&[DYNAMIC]);
    match (dynamic, view.dynamicResultSize(ir)) {
        (true, None) => {
            Err(format!("missing dimension operand for result type '{}'", text(result)))
        }
        (false, Some(_)) => {
            Err(format!("unnecessary dimension operand for result type '{}'", text(result)))
        }
        _ => Ok(()),
    }
}

fn scope_edges(ir: &Ir, op: Op, from: RegionPoint) -> Vec<RegionEdge> {
    if from == RegionPoint::Parent {
        let (values, receivers) = Default::default();
        return vec![RegionEdge { to: RegionPoint::Region(0), values, receivers }];
    }
    let end = ir.blocks(ir.region(op, 0)).first().and_then(|&block| ir.last_op(block));
    let values = end.map_or(Default::default(), |end| ir.operands(end).collect());
    let receivers = ir.results(op).iter().copied().collect();
    vec![RegionEdge { to: RegionPoint::Parent, values, receivers }]
}

fn verify_scope(ir: &Ir, op: Op) -> Result<(), String> {
    let end = ir.blocks(ir.region(op, 0)).first().and_then(|&block| ir.last_op(block));
    let Some(end) = end.filter(|&end| AllocaScopeReturnOp::is(ir, end)) else {
        return Err("expects body to terminate with 'memref.alloca_scope.return'".into());
    };
    let (given, needed) = (ir.operand_count(end), ir.results(op).len());
    if given != needed {
        return Err(format!(
            " region control flow edge from Region #0 to parent results: source has {given} operands, \
             but target successor needs {needed}"
        ));
    }
    let differs = ir
        .operands(end)
        .zip(ir.results(op))
        .position(|(value, &result)| ir.ty(value) != ir.ty(result));
    match differs {
        Some(i) => Err(format!(
            " along control flow edge from Region #0 to parent results: source type #{i} '{}' should \
             match input type #{i} '{}'",
            ir.type_text(ir.ty(ir.operand(end, i))),
            ir.type_text(ir.ty(ir.result(op, i)))
        )),
        None => Ok(()),
    }
}
