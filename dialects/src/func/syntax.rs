//! The syntaxes of `func` that no format says.

use gpuc_ir::text::{Argument, Delimiter, OpParser, OpPrinter, ParseResult, PrintRegion};
use gpuc_ir::{Attr, AttrKind, Dict, Op, OpState, Type};

use super::FuncOp;

/// Arguments as they are declared: with names, or types alone.
pub(crate) struct Signature {
    pub arguments: Vec<Argument>,
    pub inputs: Vec<Type>,
    pub input_attrs: Vec<Dict>,
    pub results: Vec<Type>,
    pub result_attrs: Vec<Dict>,
}

pub(crate) fn parse_signature(p: &mut OpParser<'_, '_>) -> ParseResult<Signature> {
    let mut signature = Signature {
        arguments: Vec::new(),
        inputs: Vec::new(),
        input_attrs: Vec::new(),
        results: Vec::new(),
        result_attrs: Vec::new(),
    };
    p.delimited_list(Delimiter::Paren, |p| {
        let first = signature.inputs.is_empty();
        if p.at_operand() {
            if !first && signature.arguments.is_empty() {
                return p.error(p.here(), "expected type instead of SSA identifier");
            }
            let argument = p.parse_argument(true)?;
            signature.inputs.extend(argument.ty);
            signature.input_attrs.push(argument.attrs);
            signature.arguments.push(argument);
        } else {
            if !first && !signature.arguments.is_empty() {
                return p.error(p.here(), "expected SSA identifier");
            }
            signature.inputs.push(p.parse_type()?);
            signature.input_attrs.push(p.parse_optional_dict()?);
        }
        Ok(())
    })?;
    if p.eat("->") {
        if p.at("(") {
            p.delimited_list(Delimiter::Paren, |p| {
                signature.results.push(p.parse_type()?);
                signature.result_attrs.push(p.parse_optional_dict()?);
                Ok(())
            })?;
        } else {
            signature.results = p.parse_function_results()?;
        }
    }
    Ok(signature)
}

/// The array of dictionaries, if any of them says something.
pub(crate) fn dicts(p: &mut OpParser<'_, '_>, dicts: &[Dict]) -> Option<Attr> {
    if dicts.iter().all(|&dict| dict == Dict::EMPTY) {
        return None;
    }
    let dicts: Vec<_> =
        dicts.iter().map(|&dict| p.ir.ctx.intern_attr(AttrKind::Dict(dict))).collect();
    Some(p.ir.ctx.array_attr(&dicts))
}

pub(super) fn parse_func(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let visibility =
        ["public", "private", "nested"].into_iter().find(|word| p.optional_keyword(word));
    let name = p.parse_symbol_name()?;
    let signature = parse_signature(p)?;
    let ty = p.ir.ctx.function(&signature.inputs, &signature.results);
    let at = p.here();
    p.parse_optional_attr_dict_with_keyword(state)?;
    for reserved in ["sym_name", "sym_visibility", "function_type"] {
        if state.attrs.iter().any(|&(name, _)| p.ir.ctx.str(name) == reserved) {
            let message = format!(
                "'{reserved}' is an inferred attribute and should not be specified in the explicit \
                 attribute dictionary"
            );
            return p.error(at, message);
        }
    }
    let visibility = visibility.map(|word| p.ir.ctx.string_attr(word));
    let attrs = [
        ("sym_name", Some(name)),
        ("function_type", Some(p.ir.ctx.type_attr(ty))),
        ("sym_visibility", visibility),
        ("arg_attrs", dicts(p, &signature.input_attrs)),
        ("res_attrs", dicts(p, &signature.result_attrs)),
    ];
    for (name, attr) in attrs {
        if let Some(attr) = attr {
            state.attrs.push((p.ir.ctx.ident(name), attr));
        }
    }
    let at = p.here();
    let body = match p.parse_optional_region(&signature.arguments)? {
        Some(body) if p.ir.blocks(body).is_empty() => {
            return p.error(at, "expected non-empty function body");
        }
        Some(body) => body,
        None => p.ir.create_region(),
    };
    state.regions.push(body);
    Ok(())
}

const ELIDED: &[&str] = &["sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"];

/// Writes `(%a: f32 {attributes}) -> (i32 {attributes})`; the names are those of the entry block's
/// first arguments.
pub(crate) fn print_signature(
    p: &mut OpPrinter<'_, '_>,
    op: Op,
    inputs: &[Type],
    results: &[Type],
) {
    let ir = p.ir;
    let (arg_attrs, res_attrs) = (ir.attr(op, "arg_attrs"), ir.attr(op, "res_attrs"));
    let attrs_of = |array: Option<Attr>, i: usize| {
        array.and_then(|array| ir.ctx.array_value(array)).and_then(|attrs| attrs.get(i).copied())
    };
    p.write("(");
    let entry = ir.regions(op).first().and_then(|&body| ir.entry_block(body));
    p.list(inputs.iter().enumerate(), |p, (i, &ty)| {
        let argument = entry.and_then(|entry| ir.arguments(entry).get(i).copied());
        match argument {
            Some(argument) => {
                p.operand(argument);
                p.write(": ");
                p.ty(ir.ty(argument));
            }
            None => p.ty(ty),
        }
        if let Some(attrs) = attrs_of(arg_attrs, i) {
            p.dict_attr(attrs);
        }
        if let Some(&location) = entry.and_then(|entry| ir.argument_locations(entry).get(i)) {
            p.trailing_location(location);
        }
    });
    p.write(")");
    if !results.is_empty() {
        p.write(" -> ");
        let bare = res_attrs.is_none() && results.len() == 1;
        if bare {
            p.function_results(results);
        } else {
            p.write("(");
            p.list(results.iter().enumerate(), |p, (i, &ty)| {
                p.ty(ty);
                if let Some(attrs) = attrs_of(res_attrs, i) {
                    p.dict_attr(attrs);
                }
            });
            p.write(")");
        }
    }
}

pub(super) fn print_func(p: &mut OpPrinter<'_, '_>, op: Op) {
    let (ir, view) = (p.ir, FuncOp(op));
    let (inputs, results) = view.signature(ir);
    p.write(" ");
    if let Some(visibility) = view.sym_visibility(ir).and_then(|attr| ir.ctx.string_value(attr)) {
        p.write(visibility);
        p.write(" ");
    }
    p.symbol_name(ir.symbol_name(op).unwrap_or_default());
    print_signature(p, op, inputs, results);
    p.attr_dict_with_keyword(op, ELIDED);
    if !view.is_declaration(ir) {
        p.write(" ");
        p.region(view.body(ir), PrintRegion::NO_ARGS);
    }
}

pub(super) fn parse_call_indirect(
    p: &mut OpParser<'_, '_>,
    state: &mut OpState,
) -> ParseResult<()> {
    let callee = p.parse_operand()?;
    let operands = p.parse_operand_list(Delimiter::Paren)?;
    p.parse_attr_dict(state)?;
    p.expect(":")?;
    let at = p.here();
    let ty = p.parse_function_type()?;
    let (inputs, results) = match p.ir.ctx.signature(ty) {
        Some((inputs, results)) => (inputs.to_vec(), results.to_vec()),
        None => (Vec::new(), Vec::new()),
    };
    state.operands.push(p.resolve(callee, ty)?);
    p.resolve_all(&operands, &inputs, at, &mut state.operands)?;
    state.results.extend(results);
    Ok(())
}

pub(super) fn print_call_indirect(p: &mut OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    p.write(" ");
    p.operand(ir.operand(op, 0));
    p.write("(");
    p.operands(ir.operands(op).skip(1));
    p.write(")");
    p.attr_dict(op, &[]);
    p.write(" : ");
    p.ty(ir.ty(ir.operand(op, 0)));
}
