//! The command line of `gpuc-opt`.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::process::ExitCode;

use gpuc_bytecode::NEWEST_VERSION;
use gpuc_diagnostics::{Diagnostic, Severity, Sources};
use gpuc_dialects::ptx::PtxModuleOp;
use gpuc_ir::pass::{ParsePipelineError, PassInfo, PassManager, Pipeline, Registry};
use gpuc_ir::text::split::{Chunk, check_expected, split_input};
use gpuc_ir::text::{PrintOptions, parse_module_at, parse_operation_at};
use gpuc_ir::verify::{CURRENT_OPERATION, verify};
use gpuc_ir::{Ir, Op, OpView};

use crate::feedback;
use crate::output::finish;

mod arguments;
pub(crate) mod instruments;
mod messages;
mod print_op_stats;
mod signatures;
mod statistics;
mod trials;
mod view_op_graph;

use arguments::Arguments;

/// The passes that are the tool's own: they print, or try one thing.
pub const ALL: &[&PassInfo] = &[
    print_op_stats::PrintOpStats::INFO,
    signatures::TestFuncEraseArg::INFO,
    signatures::TestFuncEraseResult::INFO,
    signatures::TestFuncInsertArg::INFO,
    signatures::TestFuncInsertResult::INFO,
    signatures::TestFuncSetType::INFO,
    trials::TestConstantFold::INFO,
    trials::TestInterfacePass::INFO,
    trials::TestPassFailure::INFO,
    trials::TestStatsPass::INFO,
    view_op_graph::ViewOpGraph::INFO,
];

/// Runs the tool on command-line arguments (without the program's name).
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let registry = crate::pipelines::registry();
    let arguments = match Arguments::parse(arguments, &registry) {
        Ok(arguments) => arguments,
        Err(exit) => return finish(exit),
    };
    finish(match run(&arguments, &registry) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Reported) => ExitCode::FAILURE,
        Err(Stop::Error(diagnostic)) => ExitCode::from(feedback::fail(&diagnostic)),
    })
}

/// Why the tool stopped.
enum Stop {
    /// With an error that is still to be printed.
    Error(Diagnostic),
    /// With everything printed.
    Reported,
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        Stop::Error(diagnostic)
    }
}

fn run(arguments: &Arguments, registry: &Registry) -> Result<(), Stop> {
    if arguments.show_dialects {
        println!("Available Dialects:");
        for dialect in gpuc_dialects::ALL {
            println!("  {:<10} {}", dialect.name, dialect.summary);
        }
        return Ok(());
    }
    if arguments.bytecode.is_some() && arguments.output == "-" && std::io::stdout().is_terminal() {
        let error = Diagnostic::error("bytecode is nothing for a terminal");
        return Err(error.help("`-o FILE` writes it to a file").into());
    }
    let (name, contents) = read_input(&arguments.input)?;
    let text;
    let inputs = if gpuc_bytecode::is_bytecode(&contents) {
        vec![Input::Bytecode(&contents)]
    } else {
        text = String::from_utf8(contents).map_err(|_| {
            Diagnostic::error(format!("input file '{}' is not UTF-8 text", arguments.input))
        })?;
        let chunks = match arguments.split_input_file {
            true => split_input(&text),
            false => vec![Chunk { text: &text, first_line: 1 }],
        };
        chunks.into_iter().map(|chunk| Input::Text { whole: &text, chunk }).collect()
    };
    let mut output = Vec::new();
    let mut failed = false;
    for (i, input) in inputs.into_iter().enumerate() {
        if i > 0 {
            output.extend(b"// -----\n");
        }
        match process(arguments, registry, &name, input, &mut output) {
            Ok(()) => {}
            Err(Stop::Reported) => failed = true,
            Err(stop) => return Err(stop),
        }
    }
    // What became of the other pieces is shown, but makes no file.
    if !failed || arguments.output == "-" {
        write_output(&arguments.output, &output)?;
    }
    match failed {
        true => Err(Stop::Reported),
        false => Ok(()),
    }
}

/// Prints errors and warnings; remarks have a layout of their own.
fn print_messages(diagnostics: &[Diagnostic], sources: &Sources) {
    for diagnostic in diagnostics.iter().filter(|each| each.severity != Severity::Remark) {
        eprint!("{}", messages::render(diagnostic, sources));
    }
}

/// What is processed at a time.
#[derive(Clone, Copy)]
enum Input<'i> {
    /// A part of a text, or all of it.
    Text { whole: &'i str, chunk: Chunk<'i> },
    /// A file of MLIR's binary form.
    Bytecode(&'i [u8]),
}

fn read_input(path: &str) -> Result<(String, Vec<u8>), Diagnostic> {
    let (name, bytes) = if path == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().read_to_end(&mut bytes);
        ("<stdin>", read.map(|_| bytes))
    } else {
        (path, std::fs::read(path))
    };
    let bytes =
        bytes.map_err(|e| Diagnostic::error(format!("cannot open input file '{path}': {e}")))?;
    Ok((name.to_owned(), bytes))
}

fn write_output(path: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
    let written = if path == "-" {
        crate::output::write_to_standard_output(bytes)
    } else {
        crate::output::write_atomically(path.as_ref(), bytes)
    };
    written.map_err(|e| Diagnostic::error(format!("cannot write '{path}': {e}")))
}

/// Parses, verifies, transforms and prints one module.
fn process(
    arguments: &Arguments,
    registry: &Registry,
    name: &str,
    input: Input<'_>,
    output: &mut Vec<u8>,
) -> Result<(), Stop> {
    let mut sources = Sources::new();
    match input {
        Input::Text { whole, .. } if name == "<stdin>" => sources.insert(name, whole),
        Input::Text { .. } => {}
        // It has no lines to show.
        Input::Bytecode(_) => sources.insert(name, ""),
    }
    let mut diagnostics = Vec::new();
    let mut ir = Ir::new();
    register_dialects(&mut ir.ctx, arguments);
    let result = transform(arguments, registry, &mut ir, name, input, &mut diagnostics);
    let whole_text = PrintOptions { metadata: true, ..arguments.printing };
    if !arguments.print_operations {
        for diagnostic in &mut diagnostics {
            diagnostic.related.retain(|(_, note)| !note.starts_with(CURRENT_OPERATION));
        }
    }
    if arguments.verify_diagnostics
        && let Input::Text { chunk, .. } = input
    {
        let mismatches = check_expected(chunk, name, &diagnostics);
        if !mismatches.is_empty() {
            print_messages(&mismatches, &sources);
            return Err(Stop::Reported);
        }
        // What was expected came; what was made of the text, if it was, is printed as ever.
        return match result {
            Some(module) => {
                output.extend(ir.to_text_with(module, whole_text).into_bytes());
                Ok(())
            }
            None => Ok(()),
        };
    }
    print_messages(&diagnostics, &sources);
    if arguments.print_remarks {
        let heading = |_: &Diagnostic| feedback::info::Heading { rank: 0, name: name.to_owned() };
        eprint!("{}", feedback::info::print(&diagnostics, heading));
    }
    let Some(module) = result else { return Err(Stop::Reported) };
    if let Some(entry) = &arguments.run {
        return execute(&ir, module, entry, &sources, output);
    }
    if arguments.emit_ptx {
        let kernels = ir.ops(ir.body(module, 0)).find(|&op| PtxModuleOp::is(&ir, op));
        let kernels = kernels.ok_or_else(|| {
            Diagnostic::error("the module has no 'ptx.module' to print as PTX")
                .help("--gpuc-select makes one of the kernels behind --gpuc-lower")
        })?;
        output.extend(gpuc_backend_ptx::print(&ir, kernels, true).into_bytes());
        return Ok(());
    }
    output.extend(match arguments.bytecode {
        Some(version) => gpuc_bytecode::write(&ir, module, version),
        None => ir.to_text_with(module, whole_text).into_bytes(),
    });
    Ok(())
}

fn execute(
    ir: &Ir,
    module: Op,
    entry: &str,
    sources: &Sources,
    output: &mut Vec<u8>,
) -> Result<(), Stop> {
    match gpuc_interp::run_to_text(ir, module, entry) {
        Ok(text) => {
            output.extend(text.into_bytes());
            Ok(())
        }
        Err(diagnostic) => {
            print_messages(&[diagnostic], sources);
            Err(Stop::Reported)
        }
    }
}

/// The module after all passes; `None` where a diagnostic says why there is none.
fn transform(
    arguments: &Arguments,
    registry: &Registry,
    ir: &mut Ir,
    name: &str,
    input: Input<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Op> {
    let implicit_module = arguments.implicit_module;
    let parse = if implicit_module { parse_module_at } else { parse_operation_at };
    let module = match input {
        Input::Text { chunk, .. } => parse(ir, chunk.text, name, chunk.first_line),
        Input::Bytecode(contents) => {
            gpuc_bytecode::read(ir, contents, name, implicit_module).map_err(|error| vec![error])
        }
    };
    let module = match module {
        Ok(module) => module,
        Err(errors) => {
            diagnostics.extend(errors);
            return None;
        }
    };
    if let Err(errors) = verify(ir, module) {
        diagnostics.extend(errors);
        return None;
    }
    if arguments.verify_roundtrip
        && let Some(error) = roundtrip_error(arguments, ir, module)
    {
        diagnostics.push(error);
        return None;
    }
    let text = match ir.ctx.external_resource("mlir_reproducer", "pipeline") {
        Some(text) if arguments.run_reproducer => text.to_owned(),
        None if arguments.run_reproducer => {
            let error = Diagnostic::error("the input is no reproducer: it holds no pipeline");
            diagnostics.push(error.help("`--mlir-pass-pipeline-crash-reproducer=FILE` writes one"));
            return None;
        }
        _ => arguments.pipeline_text(ir.name(module)),
    };
    if arguments.run_reproducer {
        ir.ctx.consume_external_resources("mlir_reproducer");
    }
    let mut pipeline = match Pipeline::parse(&text, registry) {
        Ok(pipeline) => pipeline,
        Err(error) => {
            diagnostics.push(pipeline_error(&error, &text));
            return None;
        }
    };
    if pipeline.steps.is_empty() {
        return Some(module);
    }
    if arguments.dump_pass_pipeline {
        let count = pipeline.steps.len();
        eprintln!("Pass Manager with {count} passes:\n{}", pipeline.text_with_defaults());
    }
    let mut manager = PassManager::new();
    manager.skip_verify = !arguments.verify_each;
    manager.instruments = instruments::instruments(arguments);
    let before = arguments.crash_reproducer.as_ref().map(|_| ir.to_text(module));
    let result = manager.run(ir, module, &mut pipeline);
    diagnostics.append(&mut manager.diagnostics);
    if arguments.timing {
        eprint!("{}", instruments::timing_report(&manager.timings));
    }
    if let Some(display) = arguments.statistics {
        eprint!("{}", statistics::report(&pipeline, &manager.counts, display));
    }
    match result {
        // An error that a pass has reported and gone on from is one still.
        Ok(()) if diagnostics.iter().any(|each| each.severity == Severity::Error) => None,
        Ok(()) => Some(module),
        Err(failure) => {
            diagnostics.extend(failure.errors);
            if let (Some(path), Some(before)) = (&arguments.crash_reproducer, before) {
                let written = std::fs::write(path, instruments::reproducer(&before, &pipeline));
                diagnostics.push(match written {
                    Ok(()) => Diagnostic::error(format!(
                        "failures have been detected while processing an MLIR pass pipeline ({}): \
                         reproducer generated at `{path}`",
                        failure.pass
                    )),
                    Err(e) => {
                        Diagnostic::error(format!("cannot write the reproducer `{path}`: {e}"))
                    }
                });
            }
            None
        }
    }
}

/// What is wrong with the module's text or bytecode: it cannot be read again, or reads as something else. Both forms of
/// the text are tried, with locations, and the newest and the oldest bytecode.
fn roundtrip_error(arguments: &Arguments, ir: &Ir, module: Op) -> Option<Diagnostic> {
    let bytecode = || {
        [NEWEST_VERSION, 0]
            .into_iter()
            .find_map(|version| bytecode_error(arguments, ir, module, version))
    };
    [false, true]
        .into_iter()
        .find_map(|generic| {
            let options = PrintOptions { generic, locations: true, ..PrintOptions::default() };
            let text = ir.to_text_with(module, options);
            let mut again = Ir::new();
            register_dialects(&mut again.ctx, arguments);
            match parse_operation_at(&mut again, &text, "<roundtrip>", 1) {
                Ok(read) if again.to_text_with(read, options) == text => None,
                Ok(_) => Some(Diagnostic::error(
                    "failed to round-trip the IR: what is read of its text prints as another text",
                )),
                Err(errors) => {
                    let first = errors.first().map(ToString::to_string).unwrap_or_default();
                    Some(Diagnostic::error("failed to round-trip the IR").help(first))
                }
            }
        })
        .or_else(bytecode)
}

/// What is wrong with the bytecode of a version, in the same sense.
fn bytecode_error(arguments: &Arguments, ir: &Ir, module: Op, version: u64) -> Option<Diagnostic> {
    let contents = gpuc_bytecode::write(ir, module, version);
    let mut again = Ir::new();
    register_dialects(&mut again.ctx, arguments);
    let options = PrintOptions { locations: true, ..PrintOptions::default() };
    match gpuc_bytecode::read(&mut again, &contents, "<roundtrip>", false) {
        Ok(read) if again.to_text_with(read, options) == ir.to_text_with(module, options) => None,
        Ok(_) => Some(Diagnostic::error(format!(
            "failed to round-trip the IR: what is read of its bytecode of version {version} prints as another text"
        ))),
        Err(error) => {
            let message = format!("failed to round-trip the IR as bytecode of version {version}");
            Some(Diagnostic::error(message).help(error.to_string()))
        }
    }
}

/// The error with the pipeline's text and a caret under the place.
fn pipeline_error(error: &ParsePipelineError, text: &str) -> Diagnostic {
    Diagnostic::error(format!(
        "MLIR Textual PassPipeline Parser:1:{}: {}\n{text}\n{}^",
        error.offset + 1,
        error.message,
        " ".repeat(error.offset)
    ))
}

/// Every dialect of ours, and `test`, which takes any operation beside its own: texts that try passes write what they
/// keep alive or watch with it.
fn register_dialects(ctx: &mut gpuc_ir::Context, arguments: &Arguments) {
    gpuc_dialects::register_all(ctx);
    ctx.register(&gpuc_dialects::test::DIALECT);
    ctx.register_open("test");
    ctx.allow_unregistered = arguments.allow_unregistered_dialect;
}
