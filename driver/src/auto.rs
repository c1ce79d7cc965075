//! `--auto`: finds the nests of a unit that the device can run.
//!
//! The loops of each function are tried from the outside in. One is tried by compiling it, alone, as the
//! body of a `kernels` construct up to the level where who executes what is decided: it is offloaded if nothing was refused,
//! what it touches is known before it starts, and a loop of it runs in parallel. Else the loops in it are
//! tried. Of each nest there is a remark: where it goes, and why.

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_dialects::arith;
use gpuc_dialects::func::FuncOp;
use gpuc_dialects::gpu::LaunchFuncOp;
use gpuc_dialects::offload::{FALLBACK_ATTR, MAP_ATTR, NAME_ATTR};
use gpuc_frontend_c::auto::{self, Refusal, candidates};
use gpuc_frontend_c::lower;
use gpuc_frontend_c::tree::{DirectiveId, StmtId, StmtKind, TranslationUnit};
use gpuc_ir::pass::PassManager;
use gpuc_ir::verify::verify;
use gpuc_ir::{AttrKind, Ir, Op, OpView, WalkOrder};

use crate::cc::Arguments;
use crate::compile::lower_options;
use crate::pipelines;

/// Puts directives at the nests of a unit that can be offloaded; remarks on all nests.
///
/// # Errors
/// There are nests, and it is not known what to compile them for.
pub fn find(
    tree: &mut TranslationUnit,
    arguments: &Arguments,
) -> Result<Vec<Diagnostic>, Diagnostic> {
    let mut remarks = Vec::new();
    for (decl, body) in auto::functions(tree) {
        let whole = tree.function(decl).and_then(|function| function.body);
        if whole.is_some_and(|body| has_loop(tree, body)) {
            arguments.archs()?;
        }
        match body {
            Ok(body) => search(tree, arguments, body, &mut remarks),
            Err(refusal) => {
                let name = tree.name(decl).to_owned();
                if let Some(body) = tree.function(decl).and_then(|function| function.body)
                    && has_loop(tree, body)
                {
                    let text =
                        format!("The nests of `{name}` are left to the host: {}", refusal.why);
                    remarks.push(Diagnostic::missed(text).at(tree.place(refusal.span)));
                }
            }
        }
    }
    Ok(remarks)
}

/// Why tasks that the program asks for cannot run on the device, or what they leave there would not come back.
pub fn check_asked(tree: &TranslationUnit, arguments: &Arguments) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for (decl, body) in auto::functions(tree) {
        let Some(whole) = tree.function(decl).and_then(|function| function.body) else { continue };
        for (stmt, directive) in asked_in(tree, whole) {
            let outcome = match &body {
                Err(refusal) => Err(Refusal { span: refusal.span, why: refusal.why.clone() }),
                Ok(_) => candidates::check(tree, stmt).and_then(|()| {
                    let span = tree.stmts[stmt].span;
                    compile(tree, arguments, directive).map_err(|why| Refusal { span, why })
                }),
            };
            if let Err(refusal) = outcome {
                let words = tree.directives[directive].words;
                let text =
                    format!("this task of `{words}` cannot run on the device: {}", refusal.why);
                let error = Diagnostic::error(text).code(codes::NOT_SUPPORTED);
                let error = error.at(tree.place(tree.directives[directive].name));
                errors.push(error.related(tree.place(refusal.span), "here"));
            }
        }
    }
    errors
}

/// The tasks of a statement that the program asks for.
fn asked_in(tree: &TranslationUnit, stmt: StmtId) -> Vec<(StmtId, DirectiveId)> {
    let mut found = Vec::new();
    let mut pending = vec![stmt];
    while let Some(stmt) = pending.pop() {
        match tree.stmts[stmt].kind {
            StmtKind::Directive { directive, .. } if tree.directives[directive].asked => {
                found.push((stmt, directive));
            }
            StmtKind::Directive { body: Some(body), .. } => pending.push(body),
            _ => pending.extend(auto::statements_inside(tree, stmt).into_iter().rev()),
        }
    }
    found
}

/// Whether there is a loop in a statement.
fn has_loop(tree: &TranslationUnit, stmt: StmtId) -> bool {
    let mut pending = vec![stmt];
    while let Some(stmt) = pending.pop() {
        if auto::try_first(tree, stmt) {
            return true;
        }
        pending.extend(auto::statements_inside(tree, stmt));
    }
    false
}

fn search(
    tree: &mut TranslationUnit,
    arguments: &Arguments,
    stmt: StmtId,
    remarks: &mut Vec<Diagnostic>,
) {
    if auto::try_first(tree, stmt) {
        let place = tree.place(tree.stmts[stmt].span);
        match candidates::check(tree, stmt).and_then(|()| attempt(tree, arguments, stmt)) {
            Ok(()) => {
                let how = match arguments.auto {
                    Some(crate::cc::arguments::Auto::All) => "",
                    _ => ", where that is worth it",
                };
                let text = format!("This nest runs on the device{how}");
                remarks.push(Diagnostic::remark(text).at(place));
                return;
            }
            Err(refusal) => remarks.push(refusal.remark(tree, stmt)),
        }
    }
    for inner in auto::statements_inside(tree, stmt) {
        search(tree, arguments, inner, remarks);
    }
}

/// Compiles a nest alone; its directive stays in the tree where that succeeds.
fn attempt(tree: &mut TranslationUnit, arguments: &Arguments, stmt: StmtId) -> Result<(), Refusal> {
    let span = tree.stmts[stmt].span;
    let directive = auto::insert(tree, stmt);
    let outcome = compile(tree, arguments, directive);
    outcome.map_err(|why| {
        auto::remove(tree, stmt);
        Refusal { span, why }
    })
}

/// Why a nest is not offloaded, in words.
fn compile(
    tree: &TranslationUnit,
    arguments: &Arguments,
    directive: DirectiveId,
) -> Result<(), String> {
    let mut ir = Ir::new();
    gpuc_dialects::register_all(&mut ir.ctx);
    let options = lower::Options {
        only: Some(directive),
        unsupported_on_host: false,
        ..lower_options(arguments)
    };
    let lowered = lower::lower_unit(tree, &mut ir, options).map_err(|errors| first(&errors))?;
    let registry = pipelines::registry();
    let arch = arguments.lowest_arch().map_err(|error| error.message)?;
    let mut manager = PassManager::new();
    manager.skip_verify = true;
    for stage in [pipelines::SOURCE, pipelines::RAISE, pipelines::PARALLEL] {
        let anchor = ir.name(lowered.module);
        let pipeline = pipelines::pipeline(stage, anchor, arch, &registry);
        let mut pipeline = pipeline.map_err(|error| error.to_string())?;
        let ran = manager.run(&mut ir, lowered.module, &mut pipeline);
        ran.map_err(|failure| first(&failure.errors))?;
        verify(&mut ir, lowered.module).map_err(|errors| first(&errors))?;
        if let Some(name) = unknown_data(&ir, lowered.module) {
            let said = manager
                .diagnostics
                .iter()
                .find(|said| said.code == Some(codes::POINTER_NOT_MAPPED));
            let why = said.and_then(|said| said.message.split_once(" (")?.1.split_once("):"));
            return Err(match why {
                Some((why, _)) => {
                    format!(
                        "which part of `{name}` it touches is not known before it starts ({why})"
                    )
                }
                None => format!("which part of `{name}` it touches is not known before it starts"),
            });
        }
    }
    if is_parallel(&ir, lowered.module) {
        return Ok(());
    }
    let why = manager
        .diagnostics
        .iter()
        .find(|said| said.code == Some(codes::LOOP_CARRIED) || said.message.contains("depend"));
    Err(match why {
        Some(why) => format!("no loop of it is parallel: {}", why.message),
        None => "no loop of it is parallel".to_owned(),
    })
}

fn first(errors: &[Diagnostic]) -> String {
    errors.first().map_or_else(|| "it is refused".to_owned(), |error| error.message.clone())
}

/// A variable that would have to be on the device already.
fn unknown_data(ir: &Ir, module: Op) -> Option<String> {
    for op in ir.ops(ir.body(module, 0)) {
        let Some(function) = FuncOp::cast(ir, op) else { continue };
        let Some(all) = ir.attr(function.op(), "arg_attrs").and_then(|a| ir.ctx.array_value(a))
        else {
            continue;
        };
        for &attr in all {
            let AttrKind::Dict(entries) = *ir.ctx.attr_kind(attr) else { continue };
            let text = |key: &str| {
                let value = ir.ctx.dict_get_str(entries, key)?;
                ir.ctx.string_value(value).map(str::to_owned)
            };
            if matches!(text(MAP_ATTR).as_deref(), Some("present" | "deviceptr")) {
                return Some(text(NAME_ATTR).unwrap_or_default());
            }
        }
    }
    None
}

/// Whether some kernel runs on more than one thread, where assumptions hold.
fn is_parallel(ir: &Ir, module: Op) -> bool {
    ir.nested_ops(module, WalkOrder::PreOrder).into_iter().any(|op| {
        let Some(launch) = LaunchFuncOp::cast(ir, op) else { return false };
        let sizes = [
            launch.gridSizeX(ir),
            launch.gridSizeY(ir),
            launch.gridSizeZ(ir),
            launch.blockSizeX(ir),
            launch.blockSizeY(ir),
            launch.blockSizeZ(ir),
        ];
        let several = sizes.iter().any(|&size| arith::constant_index_value(ir, size) != Some(1));
        several && ir.attr(op, FALLBACK_ATTR).is_none()
    })
}
