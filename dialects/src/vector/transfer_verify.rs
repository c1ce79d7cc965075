//! Verification of transfers.

use gpuc_ir::affine::AffineExprKind;
use gpuc_ir::{AffineMap, Attr, AttrKind, Ir, Op, Type, TypeKind, Value};

use super::transfer::{TransferReadOp, TransferWriteOp};

/// What reads and writes have in common.
struct Transfer {
    shaped: Type,
    vector: Type,
    indices: usize,
    map: AffineMap,
    in_bounds: Option<Attr>,
    mask: Option<Value>,
}

fn verify_transfer(ir: &Ir, transfer: &Transfer) -> Result<(), String> {
    let rank = ir.ctx.shape(transfer.shaped).map_or(0, <[i64]>::len);
    if transfer.indices != rank {
        return Err(format!("requires {rank} indices"));
    }
    let data = ir.ctx.map_data(transfer.map);
    if data.symbols != 0 {
        return Err("requires permutation_map without symbols".into());
    }
    if data.dims as usize != rank {
        return Err(
            "requires a permutation_map with input dims of the same rank as the source type".into(),
        );
    }
    let (element, vector_element) =
        (ir.ctx.element(transfer.shaped), ir.ctx.element(transfer.vector));
    // A buffer of vectors gives their dimensions to the innermost of the vector's.
    let inner = element.filter(|&element| ir.ctx.is_vector(element));
    let inner_rank = inner.and_then(|element| ir.ctx.shape(element)).map_or(0, <[i64]>::len);
    let vector_shape = ir.ctx.shape(transfer.vector).unwrap_or_default();
    let scalar = inner.map_or(element, |element| ir.ctx.element(element));
    if scalar != vector_element {
        return Err(format!(
            "requires source and vector of the same elemental type, but got '{}' and '{}'",
            scalar.map(|ty| ir.type_text(ty)).unwrap_or_default(),
            vector_element.map(|ty| ir.type_text(ty)).unwrap_or_default()
        ));
    }
    if data.results.len() + inner_rank != vector_shape.len() {
        return Err(
            "requires a permutation_map with result dims of the same rank as the vector type"
                .into(),
        );
    }
    let mut seen = Vec::new();
    let mut broadcast = Vec::new();
    for (i, &result) in data.results.iter().enumerate() {
        match *ir.ctx.expr_kind(result) {
            AffineExprKind::Dim(d) if seen.contains(&d) => {
                return Err(
                    "requires a permutation_map that is a permutation (found one dim used more than once)"
                        .into(),
                );
            }
            AffineExprKind::Dim(d) => seen.push(d),
            AffineExprKind::Constant(0) => broadcast.push(i),
            _ => {
                return Err(
                    "requires a projected permutation_map (at most one dim or the zero constant can \
                     appear in each result)"
                        .into(),
                );
            }
        }
    }
    let bounds = transfer.in_bounds.and_then(|attr| ir.ctx.array_value(attr)).unwrap_or_default();
    if bounds.len() != data.results.len() {
        return Err(format!(
            "expects the in_bounds attr of same rank as permutation_map results: affine_map<{}> vs \
             inBounds of size: {}",
            ir.ctx.map_text(transfer.map),
            bounds.len()
        ));
    }
    let inside =
        |i: usize| matches!(ir.ctx.attr_kind(bounds[i]), AttrKind::Integer { value: 1, .. });
    if !broadcast.iter().all(|&i| inside(i)) {
        return Err("requires broadcast dimensions to be in-bounds".into());
    }
    let Some(mask) = transfer.mask else { return Ok(()) };
    if inner.is_some() {
        return Err("does not support masks with vector element type".into());
    }
    let scalable = |ty| match ir.ctx.type_kind(ty) {
        TypeKind::Vector { scalable, .. } => &scalable[..],
        _ => &[],
    };
    let mut used: Vec<(u32, i64, bool)> = data
        .results
        .iter()
        .zip(vector_shape.iter().zip(scalable(transfer.vector)))
        .filter_map(|(&result, (&extent, &scalable))| match *ir.ctx.expr_kind(result) {
            AffineExprKind::Dim(d) => Some((d, extent, scalable)),
            _ => None,
        })
        .collect();
    used.sort_unstable();
    let given = ir.ty(mask);
    let given = ir.ctx.shape(given).unwrap_or_default().iter().zip(scalable(given));
    if !given.eq(used.iter().map(|(_, extent, scalable)| (extent, scalable))) {
        let extent = |&(_, extent, scalable): &(u32, i64, bool)| match scalable {
            true => format!("[{extent}]x"),
            false => format!("{extent}x"),
        };
        let extents: String = used.iter().map(extent).collect();
        return Err(format!(
            "inferred mask type ('vector<{extents}i1>') and mask operand type ('{}') don't match",
            ir.type_text(ir.ty(mask))
        ));
    }
    Ok(())
}

pub(super) fn verify_read(ir: &Ir, op: Op) -> Result<(), String> {
    let view = TransferReadOp(op);
    let Some(map) = view.permutation_map(ir).and_then(|attr| ir.ctx.map_value(attr)) else {
        return Ok(());
    };
    let shaped = ir.ty(view.source(ir));
    verify_transfer(
        ir,
        &Transfer {
            shaped,
            vector: ir.ty(view.vector(ir)),
            indices: view.indices(ir).len(),
            map,
            in_bounds: view.in_bounds(ir),
            mask: view.mask(ir),
        },
    )?;
    if Some(ir.ty(view.padding(ir))) != ir.ctx.element(shaped) {
        return Err("requires formal padding and source of the same elemental type".into());
    }
    Ok(())
}

pub(super) fn verify_write(ir: &Ir, op: Op) -> Result<(), String> {
    let view = TransferWriteOp(op);
    let Some(map) = view.permutation_map(ir).and_then(|attr| ir.ctx.map_value(attr)) else {
        return Ok(());
    };
    let shaped = ir.ty(view.source(ir));
    let broadcast =
        ir.ctx.map_data(map).results.iter().any(|&result| ir.ctx.expr_constant(result) == Some(0));
    verify_transfer(
        ir,
        &Transfer {
            shaped,
            vector: ir.ty(view.vector(ir)),
            indices: view.indices(ir).len(),
            map,
            in_bounds: view.in_bounds(ir),
            mask: view.mask(ir),
        },
    )?;
    if broadcast && ir.ctx.shape(shaped).is_some_and(|shape| !shape.is_empty()) {
        return Err("should not have broadcast dimensions".into());
    }
    match (ir.ctx.is_memref(shaped), view.result(ir)) {
        (true, None) => Ok(()),
        (false, Some(result)) if ir.ty(result) == shaped => Ok(()),
        _ => Err("expects a result of the type of the source exactly if that is a tensor".into()),
    }
}
