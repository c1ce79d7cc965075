//! Products of vectors with dimensions summed up.

use gpuc_ir::affine::AffineExprKind;
use gpuc_ir::op::{AttrConstraint, AttrSyntax, EnumSpec, EnumStorage, attrs, types};
use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult};
use gpuc_ir::{AffineMap, Attr, AttrKind, Context, Ir, Op, OpState, Type, TypeKind, op};

use super::arithmetic::{COMBINING_KIND, COMBINING_KINDS, supports};
use attrs::ARRAY;
use types::{ANY, VECTOR};

/// `#vector.iterator_type`: whether a dimension of a contraction is one of the result.
pub static ITERATOR_TYPES: EnumSpec = EnumSpec {
    dialect: "vector",
    mnemonic: "iterator_type",
    cases: &[("parallel", 0), ("reduction", 1)],
    bits: false,
    storage: EnumStorage::Angled,
};

static ITERATORS: AttrConstraint = AttrConstraint {
    summary: "Iterator type should be an enum.",
    holds: |ctx, attr| {
        let known = |&word: &Attr| ITERATOR_TYPES.number(ctx, word).is_some();
        ctx.array_value(attr).is_some_and(|words| words.iter().all(known))
    },
    syntax: AttrSyntax::Full,
};

pub(super) fn add(ctx: &mut Context) -> Attr {
    COMBINING_KINDS.attr(ctx, 0)
}

op! {
    /// Multiplies elements of two vectors and combines the products along the dimensions that the result does not have,
    /// and with the accumulator. The maps say which element each operand has at a point of the iteration space.
    ContractionOp = "vector.contract" {
        operands { lhs: One VECTOR, rhs: One VECTOR, acc: One ANY }
        results { result: One ANY }
        attrs { indexing_maps: Required ARRAY, iterator_types: Required ITERATORS, kind: Default(add) COMBINING_KIND }
        traits PURE
        hooks { verify: Some(verify_contract), parse: Some(parse_contract), print: Some(print_contract) }
    }
}

/// The attributes that the syntax has in front of the operands.
const TRAIT: [&str; 3] = ["indexing_maps", "iterator_types", "kind"];

fn parse_contract(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let at = p.here();
    let given = p.parse_attr()?;
    let &AttrKind::Dict(dict) = p.ir.ctx.attr_kind(given) else {
        return p.error(at, "expected a dictionary of maps and iterator types");
    };
    let operands = p.parse_operand_list(Delimiter::None)?;
    if operands.len() < 3 {
        return p.error(p.name_position(), "expected three vectors");
    }
    if operands.len() != 3 {
        let text = "expected zero or exactly 2 vector mask operands";
        return p.error(p.name_position(), text);
    }
    p.parse_attr_dict(state)?;
    let mut types = vec![p.parse_colon_type()?];
    p.expect(",")?;
    types.push(p.parse_type()?);
    p.keyword("into")?;
    let result = p.parse_type()?;
    types.push(result);
    p.resolve_all(&operands, &types, at, &mut state.operands)?;
    state.results.push(result);
    for (name, attr) in p.ir.ctx.dict_entries(dict).to_vec() {
        let attr = match p.ir.ctx.str(name) {
            "iterator_types" => iterators(p, at, attr)?,
            _ => attr,
        };
        state.attrs.push((name, attr));
    }
    Ok(())
}

/// Iterator types as attributes of their own, where the text has strings.
fn iterators(
    p: &mut OpParser<'_, '_>,
    at: gpuc_ir::text::Position,
    attr: Attr,
) -> ParseResult<Attr> {
    let words: Vec<Attr> = p.ir.ctx.array_value(attr).unwrap_or_default().to_vec();
    let mut found = Vec::new();
    for word in words {
        let number = match p.ir.ctx.string_value(word) {
            None => {
                found.push(word);
                continue;
            }
            Some(text) => ITERATOR_TYPES.parse(text).ok_or_else(|| text.to_owned()),
        };
        match number {
            Ok(number) => found.push(ITERATOR_TYPES.attr(&mut p.ir.ctx, number)),
            Err(text) => return p.error(at, format!("unexpected iterator_type ({text})")),
        }
    }
    Ok(p.ir.ctx.array_attr(&found))
}

fn print_contract(p: &mut OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    p.write(" {indexing_maps = ");
    if let Some(maps) = ir.attr(op, "indexing_maps") {
        p.attr(maps);
    }
    p.write(", iterator_types = [");
    for (i, word) in iterator_words(ir, op).into_iter().enumerate() {
        p.write(if i > 0 { ", \"" } else { "\"" });
        p.write(word);
        p.write("\"");
    }
    p.write("], kind = #vector.kind<");
    p.write(&kind(ir, op));
    p.write(">} ");
    p.operands(ir.operands(op));
    p.attr_dict(op, &TRAIT);
    p.write(" : ");
    p.ty(ir.ty(ir.operand(op, 0)));
    p.write(", ");
    p.ty(ir.ty(ir.operand(op, 1)));
    p.write(" into ");
    p.types(ir.result_types(op));
}

/// The name of the combining function of an operation that has one.
pub fn kind(ir: &Ir, op: Op) -> String {
    let number = ir.attr(op, "kind").and_then(|kind| COMBINING_KINDS.number(&ir.ctx, kind));
    COMBINING_KINDS.keywords(number.unwrap_or_default())
}

/// `parallel` or `reduction` for each dimension of the iteration space.
fn iterator_words(ir: &Ir, op: Op) -> Vec<&'static str> {
    let words = ir.attr(op, "iterator_types").and_then(|attr| ir.ctx.array_value(attr));
    let number = |&word: &Attr| ITERATOR_TYPES.number(&ir.ctx, word);
    words
        .unwrap_or_default()
        .iter()
        .map(|word| if number(word) == Some(1) { "reduction" } else { "parallel" })
        .collect()
}

impl ContractionOp {
    /// The maps of left side, right side and result.
    pub fn maps(self, ir: &Ir) -> Vec<AffineMap> {
        let maps = self.indexing_maps(ir).and_then(|attr| ir.ctx.array_value(attr));
        maps.unwrap_or_default().iter().filter_map(|&map| ir.ctx.map_value(map)).collect()
    }

    /// The dimension of the iteration space that each result of a map is; `None` where one is more than that.
    pub fn dims(ir: &Ir, map: AffineMap) -> Option<Vec<usize>> {
        let data = ir.ctx.map_data(map);
        let mut dims = Vec::new();
        for &result in &data.results {
            match *ir.ctx.expr_kind(result) {
                AffineExprKind::Dim(dim) if !dims.contains(&(dim as usize)) => {
                    dims.push(dim as usize);
                }
                _ => return None,
            }
        }
        Some(dims)
    }
}

fn verify_contract(ir: &Ir, op: Op) -> Result<(), String> {
    let view = ContractionOp(op);
    let types: Vec<Type> = ir.operands(op).map(|value| ir.ty(value)).collect();
    let result = ir.ty(view.result(ir));
    let elements: Vec<Type> = types.iter().map(|&ty| ir.ctx.element_or_self(ty)).collect();
    if elements[0] != elements[1] {
        return Err("failed to verify that lhs and rhs have same element type".into());
    }
    if elements[2] != ir.ctx.element_or_self(result) {
        return Err(
            "failed to verify that third operand acc and result have same element type".into()
        );
    }
    if matches!(ir.ctx.type_kind(elements[0]), TypeKind::Integer { .. })
        && !ir.ctx.is_signless_int(elements[0])
    {
        return Err("only supports signless integer types".into());
    }
    let maps = view.maps(ir);
    if maps.len() != 3 {
        return Err("expected an indexing map for each vector operand".into());
    }
    let words = iterator_words(ir, op);
    let mut dims: Vec<Vec<usize>> = Vec::new();
    for (i, &map) in maps.iter().enumerate() {
        let data = ir.ctx.map_data(map);
        let rank = ir.ctx.shape(types[i]).map_or(0, <[i64]>::len);
        if data.symbols != 0 {
            return Err(format!("expected indexing map {i} to have no symbols"));
        }
        if data.dims as usize != words.len() {
            return Err(format!(
                "expected indexing map {i} to have {} number of inputs",
                words.len()
            ));
        }
        if data.results.len() != rank {
            return Err(format!("expected indexing map {i} to have {rank} number of outputs"));
        }
        match ContractionOp::dims(ir, map) {
            Some(found) => dims.push(found),
            None => {
                return Err(format!(
                    "expected indexing map {i} to be a projected permutation of its inputs"
                ));
            }
        }
    }
    let extent = |side: usize, dim: usize| {
        let at = dims[side].iter().position(|&d| d == dim)?;
        ir.ctx.shape(types[side])?.get(at).copied()
    };
    let both = |dim: usize| Some((extent(0, dim)?, extent(1, dim)?));
    let reductions: Vec<usize> = (0..words.len()).filter(|&d| words[d] == "reduction").collect();
    if !reductions.iter().any(|&dim| both(dim).is_some()) {
        return Err("expected at least one contracting dimension pair".into());
    }
    if reductions.iter().filter_map(|&dim| both(dim)).any(|(a, b)| a != b) {
        return Err("invalid contracting dimension map".into());
    }
    let is_batch = |&dim: &usize| words[dim] == "parallel";
    if (0..words.len()).filter(is_batch).filter_map(both).any(|(a, b)| a != b) {
        return Err("invalid batch dimension map".into());
    }
    let is_free = |dim: usize| {
        let known = extent(0, dim).or(extent(1, dim));
        known.is_some() && !(words[dim] == "reduction" && both(dim).is_some())
    };
    let has_free = (0..words.len()).any(is_free);
    let are_vectors = ir.ctx.is_vector(types[2]) && ir.ctx.is_vector(result);
    let is_one = ir.ctx.is_vector(types[2]) || ir.ctx.is_vector(result);
    if has_free != are_vectors || has_free != is_one {
        return Err("invalid accumulator/result vector shape".into());
    }
    if has_free {
        if let Some(_unused) =
            (0..words.len()).find(|&dim| extent(0, dim).or(extent(1, dim)).is_none())
        {
            return Err("expected all dimensions to be either a LHS or a RHS dimension".into());
        }
        let expected: Vec<i64> =
            dims[2].iter().filter_map(|&dim| extent(0, dim).or(extent(1, dim))).collect();
        if ir.ctx.shape(result) != Some(&expected) || types[2] != result {
            let parts: String = expected.iter().map(|n| format!("{n}x")).collect();
            return Err(format!(
                "invalid accumulator/result vector shape, expected: 'vector<{parts}{}>'",
                ir.type_text(elements[2])
            ));
        }
    }
    match supports(ir, &kind(ir, op), elements[2]) {
        true => Ok(()),
        false => Err("unsupported contraction type".into()),
    }
}
