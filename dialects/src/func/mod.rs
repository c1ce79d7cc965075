//! `func`: functions and calls.

use gpuc_ir::context::DialectDef;
use gpuc_ir::op::{CallInterface, FunctionInterface, TypeConstraint, attrs, types};
use gpuc_ir::rewrite::{Pattern, Rewriter};
use gpuc_ir::symbols::SymbolTableCollection;
use gpuc_ir::{Attr, AttrKind, Builder, Ir, Op, OpBuild, OpView, Type, Value, op};

pub(crate) mod syntax;

use attrs::{DICT_ARRAY, FLAT_SYMBOL, FUNCTION_TYPE, STRING, SYMBOL_NAME, UNIT};

/// The dialect.
pub static DIALECT: DialectDef = DialectDef {
    name: "func",
    summary: "Functions and calls.",
    ops: &[CallOp::def, CallIndirectOp::def, ConstantOp::def, FuncOp::def, ReturnOp::def],
    materialize: None,
};

op! {
    /// A function. Its body is one region (empty for a declaration) whose entry block's arguments
    /// are the function's.
    FuncOp = "func.func" {
        attrs {
            sym_name: Required SYMBOL_NAME,
            function_type: Required FUNCTION_TYPE,
            sym_visibility: Optional STRING,
            arg_attrs: Optional DICT_ARRAY,
            res_attrs: Optional DICT_ARRAY,
            no_inline: Optional UNIT,
        }
        regions { body: Any }
        traits SYMBOL, ISOLATED_FROM_ABOVE, AFFINE_SCOPE, ALLOCATION_SCOPE
        hooks {
            verify: Some(verify_func),
            parse: Some(syntax::parse_func),
            print: Some(syntax::print_func),
            function: Some(FunctionInterface { type_attr: "function_type" }),
            default_dialect: Some("func"),
        }
    }
}

impl FuncOp {
    /// Builds a function at the insertion point, with an entry block for `body`, which receives the
    /// arguments and ends the function.
    pub fn create(
        b: &mut Builder<'_>,
        name: &str,
        inputs: &[Type],
        results: &[Type],
        body: impl FnOnce(&mut Builder<'_>, &[Value]),
    ) -> FuncOp {
        let region = b.region(inputs, body);
        FuncOp(FuncOp::start(b, name, inputs, results).region(region).build(b))
    }

    /// Builds a private function without body.
    pub fn declare(b: &mut Builder<'_>, name: &str, inputs: &[Type], results: &[Type]) -> FuncOp {
        let private = b.ctx.string_attr("private");
        let build = FuncOp::start(b, name, inputs, results).attr(b, "sym_visibility", private);
        FuncOp(build.build(b))
    }

    fn start(b: &mut Builder<'_>, name: &str, inputs: &[Type], results: &[Type]) -> OpBuild {
        let ty = b.ctx.function(inputs, results);
        let (name, ty) = (b.ctx.string_attr(name), b.ctx.type_attr(ty));
        FuncOp::new(b).attr(b, "sym_name", name).attr(b, "function_type", ty)
    }

    /// Types of the arguments and results; none where the attribute is wrong.
    pub fn signature(self, ir: &Ir) -> (&[Type], &[Type]) {
        let ty = self.function_type(ir).and_then(|attr| ir.ctx.type_value(attr));
        ty.and_then(|ty| ir.ctx.signature(ty)).unwrap_or((&[], &[]))
    }

    /// Whether there is no body.
    pub fn is_declaration(self, ir: &Ir) -> bool {
        ir.blocks(self.body(ir)).is_empty()
    }
}

fn verify_func(ir: &Ir, op: Op) -> Result<(), String> {
    let view = FuncOp(op);
    crate::gpu::verify_known_sizes(ir, op)?;
    let (inputs, results) = view.signature(ir);
    verify_attrs(ir, view.arg_attrs(ir), "argument", inputs.len())?;
    verify_attrs(ir, view.res_attrs(ir), "result", results.len())?;
    let visibility = view.sym_visibility(ir).and_then(|attr| ir.ctx.string_value(attr));
    if let Some(other) = visibility.filter(|word| !["public", "private", "nested"].contains(word)) {
        return Err(format!(
            "visibility expected to be one of [\"public\", \"private\", \"nested\"], but got \"{other}\""
        ));
    }
    let Some(entry) = ir.entry_block(view.body(ir)) else {
        return match visibility {
            None | Some("public") => Err("symbol declaration cannot have public visibility".into()),
            _ => Ok(()),
        };
    };
    let arguments = ir.arguments(entry);
    if arguments.len() != inputs.len() {
        return Err(format!(
            "entry block must have {} arguments to match function signature",
            inputs.len()
        ));
    }
    for (i, (&argument, &input)) in arguments.iter().zip(inputs).enumerate() {
        if ir.ty(argument) != input {
            return Err(format!(
                "type of entry block argument #{i}('{}') must match the type of the corresponding \
                 argument in function signature('{}')",
                ir.ctx.type_text(ir.ty(argument)),
                ir.ctx.type_text(input)
            ));
        }
    }
    Ok(())
}

/// There are as many dictionaries as arguments or results, with names that belong to a dialect.
fn verify_attrs(ir: &Ir, attrs: Option<Attr>, what: &str, count: usize) -> Result<(), String> {
    let Some(dicts) = attrs.and_then(|attrs| ir.ctx.array_value(attrs)) else { return Ok(()) };
    if dicts.len() != count {
        return Err(format!(
            "expects {what} attribute array to have the same number of elements as the number of \
             function {what}s, got {}, but expected {count}",
            dicts.len()
        ));
    }
    for &dict in dicts {
        let AttrKind::Dict(dict) = *ir.ctx.attr_kind(dict) else { continue };
        if ir.ctx.dict_entries(dict).iter().any(|&(name, _)| !ir.ctx.str(name).contains('.')) {
            return Err(format!("{what}s may only have dialect attributes"));
        }
    }
    Ok(())
}

op! {
    /// Ends a function with its results.
    ReturnOp = "func.return" {
        operands { operands: Variadic types::ANY }
        traits TERMINATOR, PURE, RETURN_LIKE
        parents "func.func"
        format "attr-dict ($operands^ `:` type($operands))?"
        hooks { verify: Some(verify_return) }
    }
}

fn verify_return(ir: &Ir, op: Op) -> Result<(), String> {
    let Some(function) = ir.parent_op(op).and_then(|parent| FuncOp::cast(ir, parent)) else {
        return Ok(());
    };
    let (_, results) = function.signature(ir);
    if ir.operand_count(op) != results.len() {
        return Err(format!(
            "has {} operands, but enclosing function (@{}) returns {}",
            ir.operand_count(op),
            ir.symbol_name(function.op()).unwrap_or_default(),
            results.len()
        ));
    }
    for (i, (value, &expected)) in ir.operands(op).zip(results).enumerate() {
        if ir.ty(value) != expected {
            return Err(format!(
                "type of return operand {i} ('{}') doesn't match function result type ('{}') in \
                 function @{}",
                ir.ctx.type_text(ir.ty(value)),
                ir.ctx.type_text(expected),
                ir.symbol_name(function.op()).unwrap_or_default()
            ));
        }
    }
    Ok(())
}

op! {
    /// Calls a function of the same symbol table.
    CallOp = "func.call" {
        operands { operands: Variadic types::ANY }
        results { results: Variadic types::ANY }
        attrs { callee: Required FLAT_SYMBOL, no_inline: Optional UNIT }
        format "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)"
        hooks {
            verify_symbols: Some(verify_call),
            call: Some(CallInterface {
                callee: |ir, op| ir.attr(op, "callee"),
                arguments: |ir, op| 0..ir.operand_count(op),
            }),
        }
    }
}

op! {
    /// Calls a function value.
    CallIndirectOp = "func.call_indirect" {
        operands { callee: One FUNCTION, callee_operands: Variadic types::ANY }
        results { results: Variadic types::ANY }
        hooks {
            verify: Some(verify_call_indirect),
            canonicalize: CALL_INDIRECT,
            parse: Some(syntax::parse_call_indirect),
            print: Some(syntax::print_call_indirect),
            call: Some(CallInterface {
                callee: |_, _| None,
                arguments: |ir, op| 1..ir.operand_count(op),
            }),
        }
    }
}

fn verify_call_indirect(ir: &Ir, op: Op) -> Result<(), String> {
    let callee = ir.ty(ir.operand(op, 0));
    let Some((inputs, results)) = ir.ctx.signature(callee) else { return Ok(()) };
    let operands = ir.operands(op).skip(1).map(|value| ir.ty(value));
    if !operands.eq(inputs.iter().copied()) {
        return Err("failed to verify that callee input types match argument types".into());
    }
    if !ir.result_types(op).eq(results.iter().copied()) {
        return Err("failed to verify that callee result types match result types".into());
    }
    Ok(())
}

const CALL_INDIRECT: &[Pattern] = &[Pattern { name: "call-known-function", apply: call_directly }];

/// A call of a `func.constant` is a call of its function.
fn call_directly(rw: &mut Rewriter<'_>, op: Op) -> bool {
    let constant = rw.defining_op(rw.operand(op, 0)).and_then(|def| ConstantOp::cast(rw, def));
    let Some(callee) = constant.and_then(|constant| constant.value(rw)) else { return false };
    let arguments: Vec<_> = rw.operands(op).skip(1).collect();
    let types: Vec<_> = rw.result_types(op).collect();
    let mut b = rw.before(op);
    let build = CallOp::new(&mut b, &arguments).attr(&mut b, "callee", callee);
    let call = build.result_group(&types).build(&mut b);
    let results = rw.results(call).to_vec();
    rw.replace(op, &results);
    true
}

/// What a symbol means at `op`, if it is a function.
fn function_named(
    ir: &Ir,
    symbols: &mut SymbolTableCollection,
    op: Op,
    symbol: Option<Attr>,
) -> Option<FuncOp> {
    FuncOp::cast(ir, symbols.lookup_symbol(ir, op, symbol?)?)
}

fn verify_call(ir: &Ir, symbols: &mut SymbolTableCollection, op: Op) -> Result<(), String> {
    let callee = ir.attr(op, "callee");
    let Some(function) = function_named(ir, symbols, op, callee) else {
        let name = callee.and_then(|callee| ir.ctx.symbol_root(callee));
        return Err(format!(
            "'{}' does not reference a valid function",
            name.map_or("", |name| ir.ctx.str(name))
        ));
    };
    let (inputs, results) = function.signature(ir);
    if ir.operand_count(op) != inputs.len() {
        return Err("incorrect number of operands for callee".into());
    }
    for (i, (operand, &input)) in ir.operands(op).zip(inputs).enumerate() {
        if ir.ty(operand) != input {
            return Err(format!(
                "operand type mismatch: expected operand type '{}', but provided '{}' for operand \
                 number {i}",
                ir.ctx.type_text(input),
                ir.ctx.type_text(ir.ty(operand))
            ));
        }
    }
    if ir.results(op).len() != results.len() {
        return Err("incorrect number of results for callee".into());
    }
    match ir.result_types(op).zip(results).position(|(ty, &result)| ty != result) {
        Some(i) => {
            let list = |types: &[Type]| {
                let texts = types.iter().map(|&ty| format!("'{}'", ir.ctx.type_text(ty)));
                texts.collect::<Vec<_>>().join(", ")
            };
            let given: Vec<Type> = ir.result_types(op).collect();
            Err(format!(
                "result type mismatch at index {i}\n      op result types: {}\nfunction result types: {}",
                list(&given),
                list(results)
            ))
        }
        None => Ok(()),
    }
}

static FUNCTION: TypeConstraint = TypeConstraint {
    summary: "function type",
    holds: |ctx, ty| ctx.signature(ty).is_some(),
    build: None,
};

op! {
    /// A function as a value.
    ConstantOp = "func.constant" {
        results { result: One types::ANY }
        attrs { value: Required FLAT_SYMBOL }
        traits PURE, CONSTANT_LIKE
        format "attr-dict $value `:` type($result)"
        hooks {
            verify_symbols: Some(verify_constant),
            result_name: Some(|_, _, _| Some("f".into())),
        }
    }
}

fn verify_constant(ir: &Ir, symbols: &mut SymbolTableCollection, op: Op) -> Result<(), String> {
    let value = ir.attr(op, "value");
    let Some(function) = function_named(ir, symbols, op, value) else {
        let name = value.and_then(|value| ir.ctx.symbol_root(value));
        return Err(format!(
            "reference to undefined function '{}'",
            name.map_or("", |name| ir.ctx.str(name))
        ));
    };
    let ty = function.function_type(ir).and_then(|attr| ir.ctx.type_value(attr));
    if ty != Some(ir.ty(ir.result(op, 0))) {
        return Err("reference to function with mismatched type".into());
    }
    Ok(())
}
