//! Passes that change signatures of functions as attributes ask: `test-func-erase-arg`, `test-func-erase-result`,
//! `test-func-insert-arg`, `test-func-insert-result`, `test-func-set-type`.

use gpuc_diagnostics::Diagnostic;
use gpuc_dialects::func;
use gpuc_ir::pass::{Pass, PassContext};
use gpuc_ir::{Attr, AttrKind, Ir, Op, OpView, Type, WalkOrder};
use gpuc_passes::functions::signature::{Part, insert, retain, set_type};

gpuc_ir::pass! {
    /// Erase the arguments that are marked with `test.erase_this_arg`.
    TestFuncEraseArg = "test-func-erase-arg" {}
}

gpuc_ir::pass! {
    /// Erase the results that are marked with `test.erase_this_result`.
    TestFuncEraseResult = "test-func-erase-result" {}
}

gpuc_ir::pass! {
    /// Insert the arguments that `test.insert_args` lists.
    TestFuncInsertArg = "test-func-insert-arg" {}
}

gpuc_ir::pass! {
    /// Insert the results that `test.insert_results` lists.
    TestFuncInsertResult = "test-func-insert-result" {}
}

gpuc_ir::pass! {
    /// Give functions the type of the one that `test.set_type_from` names.
    TestFuncSetType = "test-func-set-type" {}
}

impl Pass for TestFuncEraseArg {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        erase(ir, op, Part::Arguments, "test.erase_this_arg")
    }
}

impl Pass for TestFuncEraseResult {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        erase(ir, op, Part::Results, "test.erase_this_result")
    }
}

impl Pass for TestFuncInsertArg {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        add(ir, op, Part::Arguments, "test.insert_args")
    }
}

impl Pass for TestFuncInsertResult {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        add(ir, op, Part::Results, "test.insert_results")
    }
}

impl Pass for TestFuncSetType {
    fn run(&mut self, ir: &mut Ir, op: Op, _: &mut PassContext<'_>) -> Result<(), Diagnostic> {
        for function in functions(ir, op) {
            let Some(symbol) = ir.attr(function.op(), "test.set_type_from") else { continue };
            let source = ir.lookup_symbol(function.op(), symbol);
            let source = source.and_then(|source| func::FuncOp::cast(ir, source));
            let Some(source) = source else {
                return Err(refusal(ir, function, "'test.set_type_from' names no function"));
            };
            let (inputs, results) = source.signature(ir);
            let (inputs, results) = (inputs.to_vec(), results.to_vec());
            let ty = ir.ctx.function(&inputs, &results);
            set_type(ir, function, ty);
        }
        Ok(())
    }
}

fn functions(ir: &Ir, root: Op) -> Vec<func::FuncOp> {
    let all = ir.nested_ops(root, WalkOrder::PreOrder).into_iter();
    all.filter_map(|op| func::FuncOp::cast(ir, op)).collect()
}

fn refusal(ir: &Ir, function: func::FuncOp, message: &str) -> Diagnostic {
    Diagnostic::error(message).at_option(ir.ctx.place(ir.location(function.op())))
}

fn erase(ir: &mut Ir, root: Op, part: Part, mark: &str) -> Result<(), Diagnostic> {
    for function in functions(ir, root) {
        let dicts = part.dictionaries(ir, function);
        let kept: Vec<bool> = dicts
            .into_iter()
            .map(|dict| match ir.ctx.attr_kind(dict) {
                &AttrKind::Dict(dict) => ir.ctx.dict_get_str(dict, mark).is_none(),
                _ => true,
            })
            .collect();
        if kept.contains(&false) {
            let entry = ir.entry_block(function.body(ir)).filter(|_| part == Part::Arguments);
            let used = entry.is_some_and(|entry| {
                let mut arguments = ir.arguments(entry).iter().zip(&kept);
                arguments.any(|(&argument, kept)| !kept && !ir.is_unused(argument))
            });
            if used {
                return Err(refusal(ir, function, "an argument that is to be erased is used"));
            }
            retain(ir, function, part, &kept);
        }
    }
    Ok(())
}

fn add(ir: &mut Ir, root: Op, part: Part, list: &str) -> Result<(), Diagnostic> {
    for function in functions(ir, root) {
        let Some(attr) = ir.attr(function.op(), list) else { continue };
        let entries: Vec<Attr> = ir.ctx.array_value(attr).map(<[Attr]>::to_vec).unwrap_or_default();
        let mut new = Vec::new();
        for entry in entries {
            let Some(entry) = entry_of(ir, entry) else {
                let message = format!("'{list}' holds what is not [number, type, attributes]");
                return Err(refusal(ir, function, &message));
            };
            new.push(entry);
        }
        ir.remove_attr(function.op(), list);
        insert(ir, function, part, &new);
    }
    Ok(())
}

/// `[number, type, {attributes}]`.
fn entry_of(ir: &mut Ir, attr: Attr) -> Option<(usize, Type, Attr)> {
    let parts: Vec<Attr> = ir.ctx.array_value(attr)?.to_vec();
    let number = usize::try_from(ir.ctx.i64_value(*parts.first()?)?).ok()?;
    let ty = ir.ctx.type_value(*parts.get(1)?)?;
    let empty = ir.ctx.intern_attr(AttrKind::Dict(gpuc_ir::Dict::EMPTY));
    let dict = parts.get(2).copied().unwrap_or(empty);
    matches!(ir.ctx.attr_kind(dict), AttrKind::Dict(_)).then_some((number, ty, dict))
}
