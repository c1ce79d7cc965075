//! Dimensions of vectors combined, running combinations, and outer products.

use gpuc_ir::op::{attrs, types};
use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult};
use gpuc_ir::{Ir, Op, OpState, Type, TypeKind, op};

use super::arithmetic::{COMBINING_KIND, supports};
use super::contract::{add, kind};
use super::element::I64_LIST;
use super::rearrange::numbers;
use attrs::{BOOL, I64};
use types::{ANY, VECTOR, same};

op! {
    /// Combines the elements along some dimensions of a vector, and with the accumulator.
    MultiDimReductionOp = "vector.multi_reduction" {
        operands { source: One VECTOR, acc: One ANY }
        results { dest: One ANY }
        attrs { kind: Required COMBINING_KIND, reduction_dims: Required I64_LIST }
        traits PURE
        types {
            acc = same(dest) "all of {dest, acc} have same type",
            dest = same(acc) "all of {dest, acc} have same type",
        }
        format "$kind `,` $source `,` $acc attr-dict $reduction_dims `:` type($source) `to` type($dest)"
        hooks { verify: Some(verify_multi_reduction) }
    }
}

op! {
    /// What elements combine to along a dimension up to each of them; `inclusive` with it, else without.
    ScanOp = "vector.scan" {
        operands { source: One VECTOR, initial_value: One VECTOR }
        results { dest: One VECTOR, accumulated_value: One VECTOR }
        attrs { kind: Required COMBINING_KIND, reduction_dim: Required I64, inclusive: Required BOOL }
        traits PURE
        types {
            dest = same(source) "all of {source, dest} have same type",
            accumulated_value = same(initial_value) "all of {initial_value, accumulated_value} have same type",
        }
        format "$kind `,` $source `,` $initial_value attr-dict `:` type($source) `,` type($initial_value)"
        hooks {
            verify: Some(verify_scan),
            result_name: Some(|_, _, index| {
                Some(["dest", "accumulated_value"][index.min(1)].into())
            }),
        }
    }
}

op! {
    /// The products of each element of a vector with each of another, or with a scalar, combined with the accumulator.
    OuterProductOp = "vector.outerproduct" {
        operands { lhs: One VECTOR, rhs: One ANY, acc: Optional VECTOR }
        results { result: One VECTOR }
        attrs { kind: Default(add) COMBINING_KIND }
        traits PURE
        hooks { verify: Some(verify_outer), parse: Some(parse_outer), print: Some(print_outer) }
    }
}

fn verify_multi_reduction(ir: &Ir, op: Op) -> Result<(), String> {
    let view = MultiDimReductionOp(op);
    let (source, dest) = (ir.ty(view.source(ir)), ir.ty(view.dest(ir)));
    let dims = numbers(ir, op, "reduction_dims");
    let TypeKind::Vector { shape, scalable, element } = ir.ctx.type_kind(source) else {
        return Ok(());
    };
    let kept: Vec<usize> = (0..shape.len()).filter(|&d| !dims.contains(&(d as i64))).collect();
    let fits = match ir.ctx.type_kind(dest) {
        TypeKind::Vector { shape: to, scalable: grows, element: of } => {
            !kept.is_empty()
                && of == element
                && kept.len() == to.len()
                && kept
                    .iter()
                    .enumerate()
                    .all(|(i, &d)| to[i] == shape[d] && grows[i] == scalable[d])
        }
        _ => kept.is_empty() && dest == *element,
    };
    if !fits {
        return Err(format!(
            "destination type '{}' is incompatible with source type '{}'",
            ir.type_text(dest),
            ir.type_text(source)
        ));
    }
    unsupported(ir, op, *element)
}

fn unsupported(ir: &Ir, op: Op, element: Type) -> Result<(), String> {
    let kind = kind(ir, op);
    match supports(ir, &kind, element) {
        true => Ok(()),
        false => {
            Err(format!("unsupported reduction type '{}' for kind '{kind}'", ir.type_text(element)))
        }
    }
}

fn verify_scan(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ScanOp(op);
    let shape = |value| ir.ctx.shape(ir.ty(value)).unwrap_or_default();
    let (source, initial) = (shape(view.source(ir)), shape(view.initial_value(ir)));
    let dim = view.reduction_dim(ir).and_then(|attr| ir.ctx.i64_value(attr)).unwrap_or_default();
    let at = usize::try_from(dim).ok().filter(|&at| at < source.len());
    let Some(at) = at else {
        return Err(format!("reduction dimension {dim} has to be less than {}", source.len()));
    };
    if initial.len() + 1 != source.len() {
        return Err(format!(
            "initial value rank {} has to be equal to {}",
            initial.len(),
            source.len() - 1
        ));
    }
    let kept = source.iter().enumerate().filter(|&(i, _)| i != at).map(|(_, n)| n);
    if !kept.eq(initial) {
        return Err("incompatible input/initial value shapes".into());
    }
    let element = ir.ctx.element_or_self(ir.ty(view.source(ir)));
    unsupported(ir, op, element)
}

fn verify_outer(ir: &Ir, op: Op) -> Result<(), String> {
    let view = OuterProductOp(op);
    let result = ir.ty(view.result(ir));
    let (lhs, rhs) = (ir.ty(view.lhs(ir)), ir.ty(view.rhs(ir)));
    let shape = |ty: Type| ir.ctx.shape(ty).unwrap_or_default();
    let grows = |ty: Type| {
        matches!(ir.ctx.type_kind(ty),
        TypeKind::Vector { scalable, .. } if scalable.contains(&true))
    };
    let &[rows] = shape(lhs) else { return Err("expected 1-d vector for operand #1".into()) };
    if ir.ctx.is_vector(rhs) {
        let &[columns] = shape(rhs) else {
            return Err("expected 1-d vector for operand #2".into());
        };
        let &[first, second] = shape(result) else {
            return Err("expected 2-d vector result".into());
        };
        if first != rows {
            return Err("expected #1 operand dim to match result dim #1".into());
        }
        if second != columns {
            return Err("expected #2 operand dim to match result dim #2".into());
        }
        if grows(lhs) && !grows(rhs) {
            return Err("expected either both or only #2 operand dim to be scalable".into());
        }
    } else {
        let &[first] = shape(result) else { return Err("expected 1-d vector result".into()) };
        if first != rows {
            return Err("expected #1 operand dim to match result dim #1".into());
        }
    }
    if view.acc(ir).is_some_and(|acc| ir.ty(acc) != result) {
        return Err("expected operand #3 of same type as result type".into());
    }
    let element = ir.ctx.element_or_self(result);
    if [lhs, rhs].iter().any(|&ty| ir.ctx.element_or_self(ty) != element) {
        return Err("failed to verify that operands and result have same element type".into());
    }
    match supports(ir, &kind(ir, op), element) {
        true => Ok(()),
        false => Err("unsupported outerproduct type".into()),
    }
}

fn parse_outer(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let at = p.here();
    let operands = p.parse_operand_list(Delimiter::None)?;
    p.parse_attr_dict(state)?;
    let lhs = p.parse_colon_type()?;
    p.expect(",")?;
    let rhs = p.parse_type()?;
    if !(2..=3).contains(&operands.len()) {
        return p.error(p.name_position(), "expected at least 2 operands");
    }
    let TypeKind::Vector { shape, scalable, element } = p.ir.ctx.type_kind(lhs).clone() else {
        return p.error(p.name_position(), "expected vector type for operand #1");
    };
    let (mut shape, mut scalable) = (shape.to_vec(), scalable.to_vec());
    if shape.len() != 1 {
        return p.error(p.name_position(), "expected 1-d vector for operand #1");
    }
    if let TypeKind::Vector { shape: columns, scalable: grows, .. } = p.ir.ctx.type_kind(rhs) {
        if columns.len() != 1 {
            return p.error(p.name_position(), "expected 1-d vector for operand #2");
        }
        shape.push(columns[0]);
        scalable.push(grows[0]);
    }
    let kind = TypeKind::Vector { shape: shape.into(), scalable: scalable.into(), element };
    let result = p.ir.ctx.intern_type(kind);
    let types = [lhs, rhs, result];
    p.resolve_all(&operands, &types[..operands.len()], at, &mut state.operands)?;
    state.results.push(result);
    Ok(())
}

fn print_outer(p: &mut OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    p.write(" ");
    p.operands(ir.operands(op));
    if OuterProductOp(op).acc(ir).is_some() && ir.attr(op, "kind").is_none() {
        p.write(" {kind = #vector.kind<add>}");
    } else {
        p.attr_dict(op, &[]);
    }
    p.write(" : ");
    p.ty(ir.ty(ir.operand(op, 0)));
    p.write(", ");
    p.ty(ir.ty(ir.operand(op, 1)));
}
