//! Flags of `gpuc-opt`.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Command};
use gpuc_bytecode::NEWEST_VERSION;
use gpuc_diagnostics::{Diagnostic, did_you_mean};
use gpuc_ir::pass::Registry;
use gpuc_ir::text::PrintOptions;

use super::statistics::Display;

/// Flags, understood.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub input: String,
    pub output: String,
    pub allow_unregistered_dialect: bool,
    pub split_input_file: bool,
    pub verify_diagnostics: bool,
    pub verify_each: bool,
    /// How the result is printed, and what instruments print.
    pub printing: PrintOptions,
    pub implicit_module: bool,
    pub verify_roundtrip: bool,
    pub print_after_failure: bool,
    pub module_scope: bool,
    pub show_dialects: bool,
    pub timing: bool,
    /// Whether errors show the operation that they are about.
    pub print_operations: bool,
    /// Whether and how what passes counted is printed.
    pub statistics: Option<Display>,
    pub dump_pass_pipeline: bool,
    /// Whether the pipeline is the one in the input's metadata.
    pub run_reproducer: bool,
    pub print_remarks: bool,
    pub print_before_all: bool,
    pub print_after_all: bool,
    pub print_after_change: bool,
    pub print_before: Vec<String>,
    pub print_after: Vec<String>,
    pub crash_reproducer: Option<String>,
    pub run: Option<String>,
    /// Whether the kernels are printed as PTX instead of the module as IR.
    pub emit_ptx: bool,
    /// The version of the bytecode that is written instead of text.
    pub bytecode: Option<u64>,
    pass_pipeline: Option<String>,
    /// Passes given as flags, in order, with their options.
    passes: Vec<String>,
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
}

fn value(name: &'static str, placeholder: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(placeholder).help(help)
}

fn command() -> Command {
    Command::new("gpuc-opt")
        .about("Reads IR in MLIR's text, runs passes, prints IR")
        .version(env!("CARGO_PKG_VERSION"))
        .arg(
            Arg::new("input")
                .value_name("FILE")
                .default_value("-")
                .help("Input file; - for standard input"),
        )
        .arg(
            Arg::new("output").short('o').value_name("FILE").default_value("-").help("Output file"),
        )
        .arg(
            value(
                "pass-pipeline",
                "PIPELINE",
                "Textual description of the pipeline to run, e.g. 'builtin.module(func.func(cse))'",
            )
            .short('p'),
        )
        .arg(flag("split-input-file", "Process the pieces between '// -----' lines separately"))
        .arg(flag(
            "verify-diagnostics",
            "Check that emitted diagnostics match expected-* lines of the input",
        ))
        .arg(value("verify-each", "BOOL", "Verify behind each pass").default_value("true"))
        .arg(flag(
            "allow-unregistered-dialect",
            "Accept operations and dialects that are not registered",
        ))
        .arg(flag("mlir-print-op-generic", "Print the generic form"))
        .arg(flag("mlir-print-debuginfo", "Print locations"))
        .arg(flag("mlir-pretty-debuginfo", "Print locations for people, not for the parser"))
        .arg(flag("mlir-print-local-scope", "Print maps and sets in place, without names for them"))
        .arg(flag("mlir-print-unique-ssa-ids", "Give no two values one name, in all regions"))
        .arg(flag("mlir-print-skip-regions", "Print {...} for regions"))
        .arg(
            value(
                "mlir-elide-elementsattrs-if-larger",
                "COUNT",
                "Leave out the elements of attributes that have more",
            )
            .value_parser(clap::value_parser!(u64)),
        )
        .arg(
            value(
                "mlir-elide-resource-strings-if-larger",
                "COUNT",
                "Leave out resources of the metadata whose text is longer",
            )
            .value_parser(clap::value_parser!(u64)),
        )
        .arg(
            value(
                "mlir-print-op-on-diagnostic",
                "BOOL",
                "Show the operation that an error is about in its generic form, as a note",
            )
            .value_parser(clap::value_parser!(bool))
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .default_value("true"),
        )
        .arg(flag(
            "no-implicit-module",
            "The input is one operation of any kind, not put into a module",
        ))
        .arg(flag(
            "verify-roundtrip",
            "Check that the text of the input's IR is read as the same IR",
        ))
        .arg(
            value("mlir-disable-threading", "BOOL", "Run in one thread, as it is in any case")
                .value_parser(clap::value_parser!(bool))
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true"),
        )
        .arg(
            flag("mlir-print-ir-after-failure", "Print IR behind a pass that fails")
                .alias("print-ir-after-failure"),
        )
        .arg(
            flag(
                "mlir-print-ir-module-scope",
                "Print the whole module, where IR is printed around passes",
            )
            .alias("print-ir-module-scope"),
        )
        .arg(
            flag("mlir-print-ir-before-all", "Print IR before each pass")
                .alias("print-ir-before-all"),
        )
        .arg(
            flag("mlir-print-ir-after-all", "Print IR behind each pass")
                .alias("print-ir-after-all"),
        )
        .arg(
            flag("mlir-print-ir-after-change", "Print IR only behind passes that changed it")
                .alias("print-ir-after-change"),
        )
        .arg(
            value("mlir-print-ir-before", "PASS,...", "Print IR before these passes")
                .alias("print-ir-before")
                .value_delimiter(','),
        )
        .arg(
            value("mlir-print-ir-after", "PASS,...", "Print IR behind these passes")
                .alias("print-ir-after")
                .value_delimiter(','),
        )
        .arg(flag("mlir-timing", "Print the time spent in each pass").alias("timing"))
        .arg(flag("mlir-pass-statistics", "Print what passes counted").alias("pass-statistics"))
        .arg(
            value(
                "mlir-pass-statistics-display",
                "FORM",
                "The list of all passes, or the pipeline with each run of a pass",
            )
            .alias("pass-statistics-display")
            .value_parser(["list", "pipeline"])
            .default_value("pipeline"),
        )
        .arg(
            value(
                "mlir-pass-pipeline-crash-reproducer",
                "FILE",
                "On failure, write IR and pipeline there",
            )
            .alias("pass-pipeline-crash-reproducer"),
        )
        .arg(flag("dump-pass-pipeline", "Print the pipeline that will be run"))
        .arg(flag("run-reproducer", "Run the pipeline that a reproducer, the input, holds"))
        .arg(flag("remarks", "Print the remarks that passes make"))
        .arg(flag("show-dialects", "Print the registered dialects"))
        .arg(flag("list-passes", "Print the registered passes with their options"))
        .arg(value(
            "run",
            "FUNCTION",
            "Execute a function in the reference interpreter and print its results",
        ))
        .arg(
            value(
                "emit",
                "LEVEL",
                "Print the module as IR, or the kernels of its ptx.module as PTX",
            )
            .value_parser(["mlir", "ptx"])
            .default_value("mlir"),
        )
        .arg(flag("emit-bytecode", "Write bytecode instead of text").conflicts_with_all([
            "emit",
            "run",
            "split-input-file",
            "verify-diagnostics",
        ]))
        .arg(
            value(
                "emit-bytecode-version",
                "VERSION",
                "The version of the bytecode, 0 to 6; the newest",
            )
            .value_parser(clap::value_parser!(u64).range(..=NEWEST_VERSION)),
        )
}

impl Arguments {
    /// Reads the command line. `Err` is the exit status where there is nothing to do (help) or
    /// something is wrong; it has been printed.
    pub fn parse(
        arguments: impl Iterator<Item = OsString>,
        registry: &Registry,
    ) -> Result<Arguments, ExitCode> {
        let mut passes = Vec::new();
        let mut rest = vec![OsString::from("gpuc-opt")];
        for argument in arguments {
            match pass_flag(&argument, registry) {
                Some(pass) => passes.push(pass),
                None => rest.push(two_dashes(argument)),
            }
        }
        let matches = command().try_get_matches_from(rest).map_err(|error| {
            if let Some(near) = near_pass(&error, registry) {
                return ExitCode::from(crate::feedback::fail(&near));
            }
            // Help and version go to standard output with status 0.
            let status = error.exit_code();
            if error.use_stderr() {
                let _ = error.print();
            } else {
                print!("{}", error.render());
            }
            ExitCode::from(status as u8)
        })?;
        if matches.get_flag("list-passes") {
            list_passes(registry);
            return Err(ExitCode::SUCCESS);
        }
        let text = |name: &str| matches.get_one::<String>(name).cloned();
        let list = |name: &str| {
            matches.get_many::<String>(name).map(|v| v.cloned().collect()).unwrap_or_default()
        };
        Ok(Arguments {
            input: text("input").unwrap_or_default(),
            output: text("output").unwrap_or_default(),
            allow_unregistered_dialect: matches.get_flag("allow-unregistered-dialect"),
            split_input_file: matches.get_flag("split-input-file"),
            verify_diagnostics: matches.get_flag("verify-diagnostics"),
            verify_each: !matches!(text("verify-each").as_deref(), Some("false" | "0")),
            printing: PrintOptions {
                generic: matches.get_flag("mlir-print-op-generic"),
                locations: matches.get_flag("mlir-print-debuginfo"),
                pretty_locations: matches.get_flag("mlir-pretty-debuginfo"),
                inline_maps: matches.get_flag("mlir-print-local-scope"),
                unique_names: matches.get_flag("mlir-print-unique-ssa-ids"),
                skip_regions: matches.get_flag("mlir-print-skip-regions"),
                elide_elements: matches.get_one("mlir-elide-elementsattrs-if-larger").copied(),
                metadata: false,
                elide_resources: matches.get_one("mlir-elide-resource-strings-if-larger").copied(),
            },
            implicit_module: !matches.get_flag("no-implicit-module"),
            verify_roundtrip: matches.get_flag("verify-roundtrip"),
            print_after_failure: matches.get_flag("mlir-print-ir-after-failure"),
            module_scope: matches.get_flag("mlir-print-ir-module-scope"),
            show_dialects: matches.get_flag("show-dialects"),
            timing: matches.get_flag("mlir-timing"),
            print_operations: matches.get_one("mlir-print-op-on-diagnostic") != Some(&false),
            statistics: matches.get_flag("mlir-pass-statistics").then(|| {
                match text("mlir-pass-statistics-display").as_deref() {
                    Some("list") => Display::List,
                    _ => Display::Pipeline,
                }
            }),
            dump_pass_pipeline: matches.get_flag("dump-pass-pipeline"),
            run_reproducer: matches.get_flag("run-reproducer"),
            print_remarks: matches.get_flag("remarks"),
            print_before_all: matches.get_flag("mlir-print-ir-before-all"),
            print_after_all: matches.get_flag("mlir-print-ir-after-all"),
            print_after_change: matches.get_flag("mlir-print-ir-after-change"),
            print_before: list("mlir-print-ir-before"),
            print_after: list("mlir-print-ir-after"),
            crash_reproducer: text("mlir-pass-pipeline-crash-reproducer"),
            run: text("run"),
            emit_ptx: text("emit").as_deref() == Some("ptx"),
            bytecode: matches.get_flag("emit-bytecode").then(|| {
                matches.get_one("emit-bytecode-version").copied().unwrap_or(NEWEST_VERSION)
            }),
            pass_pipeline: text("pass-pipeline"),
            passes,
        })
    }

    /// The pipeline to run on an operation named `root`, as text.
    pub fn pipeline_text(&self, root: &str) -> String {
        match &self.pass_pipeline {
            Some(text) => text.clone(),
            None => format!("{root}({})", self.passes.join(",")),
        }
    }
}

/// `--cse` or `--tile=size=4` as the pass it names.
fn pass_flag(argument: &OsString, registry: &Registry) -> Option<String> {
    let text = argument.to_str()?.strip_prefix('-')?;
    let text = text.strip_prefix('-').unwrap_or(text);
    let (name, options) = text.split_once('=').unwrap_or((text, ""));
    let known = registry.pass(name).is_some()
        || registry.pipelines().iter().any(|&(pipeline, _)| pipeline == name);
    known.then(|| if options.is_empty() { name.to_owned() } else { format!("{name}{{{options}}}") })
}

/// The error for a flag that is nearly the name of a pass: clap knows only the flags of the tool.
fn near_pass(error: &clap::Error, registry: &Registry) -> Option<Diagnostic> {
    use clap::error::{ContextKind, ContextValue};
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.get(ContextKind::SuggestedArg).is_some() {
        return None;
    }
    let name = given.trim_start_matches('-');
    let passes = registry.passes().iter().map(|pass| pass.name);
    let pipelines = registry.pipelines().iter().map(|&(pipeline, _)| pipeline);
    let near = did_you_mean(name, passes.chain(pipelines))?;
    let error = Diagnostic::error(format!("`{given}` is neither a flag nor a pass"));
    Some(error.help(format!("did you mean `--{near}`? `gpuc-opt --list-passes` prints all passes")))
}

/// LLVM's tools take `-flag` for `--flag`.
fn two_dashes(argument: OsString) -> OsString {
    match argument.to_str() {
        Some(text) if text.len() > 2 && text.starts_with('-') && !text.starts_with("--") => {
            if text.starts_with("-o") { argument } else { format!("-{text}").into() }
        }
        _ => argument,
    }
}

fn list_passes(registry: &Registry) {
    for pass in registry.passes() {
        println!("--{:<28} {}", pass.name, pass.summary.trim());
        for option in pass.options {
            let name = option.name.replace('_', "-");
            let default = match (option.default)() {
                text if text.is_empty() => "none".to_owned(),
                text => text,
            };
            let summary = option.summary.trim();
            println!("    {name:<26} {summary} ({}, default {default})", option.kind);
        }
    }
    for (name, text) in registry.pipelines() {
        println!("--{name:<28} {text}");
    }
}
