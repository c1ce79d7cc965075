//! The syntaxes of `vector.transfer_read` and `vector.transfer_write`.

use gpuc_ir::affine::AffineExprKind;
use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult, Unresolved};
use gpuc_ir::{AffineMap, AttrKind, Context, Op, OpState, Type, TypeKind, Value};
use smallvec::SmallVec;

use super::transfer::{TransferReadOp, TransferWriteOp};

type Parser<'a, 'p, 's> = &'a mut OpParser<'p, 's>;
type Printer<'a, 'p, 'o> = &'a mut OpPrinter<'p, 'o>;

/// The map that selects the last dimensions of `shaped`, as many as `vector` has: what is meant
/// where the text gives none.
pub fn transfer_identity_map(ctx: &mut Context, shaped: Type, vector: Type) -> AffineMap {
    let rank = ctx.shape(shaped).map_or(0, <[i64]>::len);
    let inner = ctx.element(shaped).filter(|&element| ctx.is_vector(element));
    let inner = inner.and_then(|element| ctx.shape(element)).map_or(0, <[i64]>::len);
    let vector = ctx.shape(vector).unwrap_or_default();
    if rank == 0 && vector == [1] {
        let zero = ctx.constant_expr(0);
        return ctx.map(0, 0, &[zero]);
    }
    let kept = vector.len().saturating_sub(inner).min(rank);
    let results: Vec<_> = (rank - kept..rank).map(|d| ctx.dim_expr(d as u32)).collect();
    ctx.map(rank as u32, 0, &results)
}

/// Type of the mask of a transfer: an `i1` for each dimension of the buffer that the map uses, in
/// the buffer's order.
pub fn transfer_mask_type(ctx: &mut Context, vector: Type, map: AffineMap) -> Type {
    let (extents, scalable) = match ctx.type_kind(vector) {
        TypeKind::Vector { shape, scalable, .. } => (&shape[..], &scalable[..]),
        _ => Default::default(),
    };
    let mut used: Vec<(u32, i64, bool)> = ctx
        .map_data(map)
        .results
        .iter()
        .zip(extents.iter().zip(scalable))
        .filter_map(|(&result, (&extent, &scalable))| match *ctx.expr_kind(result) {
            AffineExprKind::Dim(d) => Some((d, extent, scalable)),
            _ => None,
        })
        .collect();
    used.sort_unstable();
    let shape = used.iter().map(|&(_, extent, _)| extent).collect();
    let scalable = used.iter().map(|&(_, _, scalable)| scalable).collect();
    let element = ctx.i1();
    ctx.intern_type(TypeKind::Vector { shape, scalable, element })
}

/// Adds map and bounds where the text gave none; returns the map.
fn complete_attrs(
    p: Parser<'_, '_, '_>,
    state: &mut OpState,
    shaped: Type,
    vector: Type,
) -> ParseResult<AffineMap> {
    let find = |p: &OpParser<'_, '_>, state: &OpState, wanted: &str| {
        state.attrs.iter().find(|&&(name, _)| p.ir.ctx.str(name) == wanted).map(|&(_, attr)| attr)
    };
    let map = match find(p, state, "permutation_map") {
        Some(attr) => match p.ir.ctx.map_value(attr) {
            Some(map) => map,
            None => return p.error(p.name_position(), "expected 'permutation_map' to be a map"),
        },
        None => {
            let map = transfer_identity_map(&mut p.ir.ctx, shaped, vector);
            let attr = p.ir.ctx.map_attr(map);
            state.attrs.push((p.ir.ctx.ident("permutation_map"), attr));
            map
        }
    };
    if find(p, state, "in_bounds").is_none() {
        let count = p.ir.ctx.map_data(map).results.len();
        let no = p.ir.ctx.bool_attr(false);
        let attr = p.ir.ctx.array_attr(&vec![no; count]);
        state.attrs.push((p.ir.ctx.ident("in_bounds"), attr));
    }
    Ok(map)
}

fn parse_mask(p: Parser<'_, '_, '_>) -> ParseResult<Option<Unresolved>> {
    if p.eat(",") { p.parse_operand().map(Some) } else { Ok(None) }
}

/// Reads `: type, type`.
fn parse_two_types(p: Parser<'_, '_, '_>) -> ParseResult<(Type, Type)> {
    let at = p.here();
    match *p.parse_colon_type_list()? {
        [first, second] => Ok((first, second)),
        _ => p.error(at, "requires two types"),
    }
}

fn check_types(p: Parser<'_, '_, '_>, shaped: Type, vector: Type) -> ParseResult<()> {
    let ranked =
        matches!(p.ir.ctx.type_kind(shaped), TypeKind::MemRef { .. } | TypeKind::Tensor { .. });
    if !ranked {
        return p.error(p.name_position(), "requires memref or ranked tensor type");
    }
    if !p.ir.ctx.is_vector(vector) {
        return p.error(p.name_position(), "requires vector type");
    }
    Ok(())
}

/// `%m[%i], %padding, %mask {...} : memref<...>, vector<...>`.
pub(super) fn parse_read(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let source = p.parse_operand()?;
    let indices = p.parse_operand_list(Delimiter::Square)?;
    p.expect(",")?;
    let padding = p.parse_operand()?;
    let mask = parse_mask(p)?;
    p.parse_attr_dict(state)?;
    let (shaped, vector) = parse_two_types(p)?;
    check_types(p, shaped, vector)?;
    let map = complete_attrs(p, state, shaped, vector)?;
    let index = p.ir.ctx.index();
    let element = p.ir.ctx.element(shaped).unwrap_or(shaped);
    state.operands.push(p.resolve(source, shaped)?);
    p.resolve_same(&indices, index, &mut state.operands)?;
    state.operands.push(p.resolve(padding, element)?);
    if let Some(mask) = mask {
        let ty = transfer_mask_type(&mut p.ir.ctx, vector, map);
        state.operands.push(p.resolve(mask, ty)?);
    }
    p.set_operand_segments(state, &[1, indices.len() as i32, 1, i32::from(mask.is_some())]);
    state.results.push(vector);
    Ok(())
}

/// `%v, %m[%i], %mask {...} : vector<...>, memref<...>`.
pub(super) fn parse_write(p: Parser<'_, '_, '_>, state: &mut OpState) -> ParseResult<()> {
    let value = p.parse_operand()?;
    p.expect(",")?;
    let target = p.parse_operand()?;
    let indices = p.parse_operand_list(Delimiter::Square)?;
    let mask = parse_mask(p)?;
    p.parse_attr_dict(state)?;
    let (vector, shaped) = parse_two_types(p)?;
    check_types(p, shaped, vector)?;
    let map = complete_attrs(p, state, shaped, vector)?;
    let index = p.ir.ctx.index();
    state.operands.push(p.resolve(value, vector)?);
    state.operands.push(p.resolve(target, shaped)?);
    p.resolve_same(&indices, index, &mut state.operands)?;
    if let Some(mask) = mask {
        let ty = transfer_mask_type(&mut p.ir.ctx, vector, map);
        state.operands.push(p.resolve(mask, ty)?);
    }
    p.set_operand_segments(state, &[1, 1, indices.len() as i32, i32::from(mask.is_some())]);
    if !p.ir.ctx.is_memref(shaped) {
        state.results.push(shaped);
    }
    Ok(())
}

fn print_subscripted(p: Printer<'_, '_, '_>, buffer: Value, indices: SmallVec<[Value; 4]>) {
    p.operand(buffer);
    p.write("[");
    p.operands(indices);
    p.write("]");
}

/// Attributes without those that say the default.
fn print_attrs(p: Printer<'_, '_, '_>, op: Op, shaped: Type) {
    let ir = p.ir;
    let mut elided = vec!["operandSegmentSizes"];
    let map = ir.attr(op, "permutation_map").and_then(|attr| ir.ctx.map_value(attr));
    if map.is_some_and(|map| is_minor_identity(&ir.ctx, map, shaped)) {
        elided.push("permutation_map");
    }
    let bounds = ir.attr(op, "in_bounds").and_then(|attr| ir.ctx.array_value(attr));
    let says_yes = |&flag: &_| matches!(ir.ctx.attr_kind(flag), AttrKind::Integer { value: 1, .. });
    if !bounds.unwrap_or_default().iter().any(says_yes) {
        elided.push("in_bounds");
    }
    p.attr_dict(op, &elided);
}

fn is_minor_identity(ctx: &Context, map: AffineMap, shaped: Type) -> bool {
    let rank = ctx.shape(shaped).map_or(0, <[i64]>::len);
    let data = ctx.map_data(map);
    if rank == 0 && data.dims == 0 && data.results.len() == 1 {
        return ctx.expr_constant(data.results[0]) == Some(0);
    }
    let Some(first) = rank.checked_sub(data.results.len()) else { return false };
    data.dims as usize == rank
        && data.symbols == 0
        && data
            .results
            .iter()
            .enumerate()
            .all(|(i, &result)| *ctx.expr_kind(result) == AffineExprKind::Dim((first + i) as u32))
}

pub(super) fn print_read(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, TransferReadOp(op));
    p.write(" ");
    print_subscripted(p, view.source(ir), view.indices(ir));
    p.write(", ");
    p.operand(view.padding(ir));
    if let Some(mask) = view.mask(ir) {
        p.write(", ");
        p.operand(mask);
    }
    let shaped = ir.ty(view.source(ir));
    print_attrs(p, op, shaped);
    p.write(" : ");
    p.types([shaped, ir.ty(view.vector(ir))]);
}

pub(super) fn print_write(p: Printer<'_, '_, '_>, op: Op) {
    let (ir, view) = (p.ir, TransferWriteOp(op));
    p.write(" ");
    p.operand(view.vector(ir));
    p.write(", ");
    print_subscripted(p, view.source(ir), view.indices(ir));
    if let Some(mask) = view.mask(ir) {
        p.write(", ");
        p.operand(mask);
    }
    let shaped = ir.ty(view.source(ir));
    print_attrs(p, op, shaped);
    p.write(" : ");
    p.types([ir.ty(view.vector(ir)), shaped]);
}
