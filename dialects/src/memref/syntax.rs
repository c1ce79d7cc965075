//! Irregular parts of the formats: lists that mix values and integers, prefetch hints,
//! permutations, contents of globals.

use gpuc_ir::op::{CustomDirective, operand_group};
use gpuc_ir::text::{Delimiter, OpParser, OpPrinter, ParseResult};
use gpuc_ir::{AttrKind, Op, OpState, TypeKind};

/// The name behind the `$` of a directive's argument.
pub(crate) fn argument(arguments: &'static [Box<str>], index: usize) -> &'static str {
    arguments.get(index).map_or("", |text| text.trim_start_matches('$'))
}

/// `custom<DynamicIndexList>($values, $integers)`: `[%a, 4, %b]`.
pub(crate) static DYNAMIC_INDEX_LIST: CustomDirective = CustomDirective {
    name: "DynamicIndexList",
    parse: |p, state| {
        let arguments = p.directive_arguments();
        let list = p.parse_dynamic_index_list(Delimiter::Square)?;
        p.set_operands(argument(arguments, 0), &list.values);
        let integers = p.index_list_attr(&list);
        state.attrs.push((p.ir.ctx.ident(argument(arguments, 1)), integers));
        Ok(())
    },
    print: |p, op| {
        let arguments = p.directive_arguments();
        let ir = p.ir;
        let Some(def) = ir.def(op) else { return };
        let name = argument(arguments, 0);
        let Some(group) = def.operands.iter().position(|spec| spec.name == name) else { return };
        let values = operand_group(ir, op, def, group);
        let integers = ir.attr(op, argument(arguments, 1)).and_then(|a| ir.ctx.dense_array(a));
        p.dynamic_index_list(integers.unwrap_or_default(), &values);
    },
};

/// `custom<Prefetch>($isWrite, $localityHint, $isDataCache)`: `read, locality<3>, data`.
pub(crate) static PREFETCH: CustomDirective = CustomDirective {
    name: "Prefetch",
    parse: parse_prefetch,
    print: |p, op| {
        let ir = p.ir;
        let number = |name| ir.attr(op, name).and_then(|attr| ir.ctx.i64_value(attr)).unwrap_or(0);
        p.write(if number("isWrite") == 1 { "write" } else { "read" });
        p.write(", locality<");
        p.number(number("localityHint"));
        p.write(if number("isDataCache") == 1 { ">, data" } else { ">, instr" });
    },
};

fn parse_prefetch(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let at = p.here();
    let write = match p.parse_any_keyword()? {
        "read" => false,
        "write" => true,
        _ => return p.error(at, "rw specifier has to be 'read' or 'write'"),
    };
    p.expect(",")?;
    p.keyword("locality")?;
    p.expect("<")?;
    let i32 = p.ir.ctx.i32();
    let locality = p.parse_attr_typed(i32)?;
    p.expect(">")?;
    p.expect(",")?;
    let at = p.here();
    let data = match p.parse_any_keyword()? {
        "data" => true,
        "instr" => false,
        _ => return p.error(at, "cache type has to be 'data' or 'instr'"),
    };
    let (write, data) = (p.ir.ctx.bool_attr(write), p.ir.ctx.bool_attr(data));
    for (name, attr) in [("isWrite", write), ("localityHint", locality), ("isDataCache", data)] {
        state.attrs.push((p.ir.ctx.ident(name), attr));
    }
    Ok(())
}

/// `custom<Permutation>($permutation)`: `(d0, d1) -> (d1, d0)`.
pub(crate) static PERMUTATION: CustomDirective = CustomDirective {
    name: "Permutation",
    parse: |p, state| {
        let map = p.parse_affine_map()?;
        let map = p.ir.ctx.map_attr(map);
        state.attrs.push((p.ir.ctx.ident("permutation"), map));
        Ok(())
    },
    print: |p, op| {
        if let Some(map) = p.ir.attr(op, "permutation").and_then(|attr| p.ir.ctx.map_value(attr)) {
            p.map(map);
        }
    },
};

/// `custom<GlobalMemrefOpTypeAndInitialValue>($type, $initial_value)`: the type, then
/// `= uninitialized`, `= dense<...>` or nothing.
pub(crate) static GLOBAL_TYPE_AND_VALUE: CustomDirective = CustomDirective {
    name: "GlobalMemrefOpTypeAndInitialValue",
    parse: parse_global,
    print: print_global,
};

fn parse_global(p: &mut OpParser<'_, '_>, state: &mut OpState) -> ParseResult<()> {
    let at = p.here();
    let ty = p.parse_type()?;
    let static_shape = match p.ir.ctx.type_kind(ty) {
        TypeKind::MemRef { shape, element, .. } if shape.iter().all(|&extent| extent >= 0) => {
            Some((shape.clone(), *element))
        }
        _ => None,
    };
    let Some((shape, element)) = static_shape else {
        let text = p.ir.type_text(ty);
        return p.error(at, format!("type should be static shaped memref, but got '{text}'"));
    };
    let attr = p.ir.ctx.type_attr(ty);
    state.attrs.push((p.ir.ctx.ident("type"), attr));
    if !p.eat("=") {
        return Ok(());
    }
    let value = if p.optional_keyword("uninitialized") {
        p.ir.ctx.unit_attr()
    } else {
        let tensor = p.ir.ctx.intern_type(TypeKind::Tensor { shape, element, encoding: None });
        let at = p.here();
        let value = p.parse_attr_typed(tensor)?;
        if !matches!(p.ir.ctx.attr_kind(value), AttrKind::DenseElements { .. }) {
            return p.error(at, "initial value should be a unit or elements attribute");
        }
        value
    };
    state.attrs.push((p.ir.ctx.ident("initial_value"), value));
    Ok(())
}

fn print_global(p: &mut OpPrinter<'_, '_>, op: Op) {
    let ir = p.ir;
    if let Some(ty) = ir.attr(op, "type").and_then(|attr| ir.ctx.type_value(attr)) {
        p.ty(ty);
    }
    match ir.attr(op, "initial_value") {
        Some(value) if matches!(ir.ctx.attr_kind(value), AttrKind::Unit) => {
            p.write(" = uninitialized");
        }
        Some(value) => {
            p.write(" = ");
            p.attr_without_type(value);
        }
        None => {}
    }
}

/// `custom<Visibility>($sym_visibility)`: `"private"`. Only a string: the symbol's name behind it
/// would be an attribute too.
pub(crate) static VISIBILITY: CustomDirective = CustomDirective {
    name: "Visibility",
    parse: |p, state| {
        if let Some(text) = p.optional_string()? {
            let visibility = p.ir.ctx.string_attr(&text);
            state.attrs.push((p.ir.ctx.ident("sym_visibility"), visibility));
        }
        Ok(())
    },
    print: |p, op| {
        if let Some(visibility) = p.ir.attr(op, "sym_visibility") {
            p.attr(visibility);
        }
    },
};
