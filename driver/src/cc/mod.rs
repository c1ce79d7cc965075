//! The command line of `gpuc`: cc's flags, `gpuc run`, linking.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use gpuc_diagnostics::{Diagnostic, Sources};

use crate::compile::{self, Emitted, Level};
use crate::output::write_atomically;
use crate::{feedback, toolchain};

mod arguments;

pub use arguments::{Arguments, Device, Mode};

/// Runs the compiler on command-line arguments (without the program's name).
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    let outcome = Arguments::parse(&arguments).and_then(|arguments| match arguments.mode {
        Mode::Help => {
            print!("{}", arguments::HELP);
            Ok(0)
        }
        Mode::Version => {
            println!("gpuc {}", env!("CARGO_PKG_VERSION"));
            Ok(0)
        }
        Mode::Run => run(&arguments),
        Mode::Emit(level) => emit(&arguments, level),
        Mode::Compile | Mode::Link => build(&arguments),
        Mode::HostOnly => toolchain::run_host_compiler(&arguments.host),
    });
    match outcome {
        Ok(status) => ExitCode::from(status.clamp(0, 255) as u8),
        Err(diagnostic) => ExitCode::from(feedback::fail(&diagnostic)),
    }
}

fn io_error(what: impl std::fmt::Display) -> impl FnOnce(std::io::Error) -> Diagnostic {
    move |error| Diagnostic::error(format!("{what}: {error}"))
}

fn temporary_folder() -> Result<tempfile::TempDir, Diagnostic> {
    tempfile::Builder::new()
        .prefix("gpuc-")
        .tempdir()
        .map_err(io_error("cannot create a temporary folder"))
}

/// `--emit=LEVEL`: one text a source, to `-o` or standard output.
fn emit(arguments: &Arguments, level: Level) -> Result<i32, Diagnostic> {
    let mut text = String::new();
    for source in &arguments.sources {
        match compile::emit(source, arguments, level) {
            Ok(emitted) => text += &emitted,
            Err(failure) => return Ok(failure.report(arguments)),
        }
    }
    match arguments.output.as_deref().filter(|&path| path != Path::new("-")) {
        None => std::io::stdout()
            .lock()
            .write_all(text.as_bytes())
            .map_err(io_error("cannot write the output"))?,
        Some(path) => write_atomically(path, text.as_bytes())
            .map_err(io_error(format!("cannot write `{}`", path.display())))?,
    }
    Ok(0)
}

/// `-c`, or compile and link.
fn build(arguments: &Arguments) -> Result<i32, Diagnostic> {
    let folder = temporary_folder()?;
    let mut objects = Vec::new();
    for (i, source) in arguments.sources.iter().enumerate() {
        let object = match arguments.mode {
            Mode::Compile => object_path(arguments, source),
            _ => folder.path().join(format!("{i}.o")),
        };
        let status = compile_source(arguments, source, &object, folder.path(), i)?;
        if status != 0 {
            return Ok(status);
        }
        objects.push(object);
    }
    warn_of_cpp(arguments);
    if arguments.mode == Mode::Compile {
        return compile_others(arguments);
    }
    link(arguments, &objects)
}

/// C++ is the host compiler's, directives and all; that is said.
fn warn_of_cpp(arguments: &Arguments) {
    const EXTENSIONS: [&str; 6] = ["C", "cc", "cp", "cpp", "cxx", "c++"];
    let warnings: Vec<Diagnostic> = arguments
        .others()
        .map(Path::new)
        .filter(|file| file.extension().is_some_and(|e| EXTENSIONS.iter().any(|known| e == *known)))
        .map(|file| {
            let file = file.display();
            Diagnostic::warning(format!("`{file}` is C++: nothing in it is offloaded"))
                .help("gpuc compiles directives in C; move the loops to a C file")
        })
        .collect();
    feedback::print(&warnings, &Sources::new(), arguments.remarks);
}

/// `-c` of assembly, C++ and what else the host compiler knows; objects are there already, and it
/// says so.
fn compile_others(arguments: &Arguments) -> Result<i32, Diagnostic> {
    let others: Vec<OsString> = arguments.others().cloned().collect();
    if others.is_empty() {
        return Ok(0);
    }
    let mut command = arguments.compile_flags.clone();
    command.push("-c".into());
    command.extend(others);
    if arguments.sources.is_empty()
        && let Some(output) = &arguments.output
    {
        command.extend(["-o".into(), output.into()]);
    }
    toolchain::run_host_compiler(&command)
}

/// Where `-c` puts the object of a source: `-o`, or the name with `.o` in the current folder.
fn object_path(arguments: &Arguments, source: &Path) -> PathBuf {
    match &arguments.output {
        Some(path) => path.clone(),
        None => PathBuf::from(source.file_name().unwrap_or_default()).with_extension("o"),
    }
}

fn compile_source(
    arguments: &Arguments,
    source: &Path,
    object: &Path,
    folder: &Path,
    index: usize,
) -> Result<i32, Diagnostic> {
    let emitted = match compile::compile(source, arguments) {
        Ok(emitted) => emitted,
        Err(failure) => return Ok(failure.report(arguments)),
    };
    let mut command: Vec<OsString> = arguments.compile_flags.clone();
    command.push("-c".into());
    match emitted {
        // Nothing to offload: the host compiler takes the file as it is.
        Emitted::Untouched => command.push(source.into()),
        Emitted::HostC(text) => {
            let path = folder.join(format!("{index}.i"));
            std::fs::write(&path, text).map_err(io_error("cannot write a temporary file"))?;
            command.extend([
                "-x".into(),
                "cpp-output".into(),
                path.into(),
                "-x".into(),
                "none".into(),
            ]);
        }
    }
    command.extend(["-o".into(), object.into()]);
    toolchain::run_host_compiler(&command)
}

fn link(arguments: &Arguments, objects: &[PathBuf]) -> Result<i32, Diagnostic> {
    let mut objects = objects.iter();
    let mut command: Vec<OsString> = Vec::new();
    for item in &arguments.link_items {
        match item {
            arguments::LinkItem::Source => command.extend(objects.next().map(Into::into)),
            arguments::LinkItem::Input(word) | arguments::LinkItem::Flag(word) => {
                command.push(word.clone());
            }
        }
    }
    if !arguments.relocatable_output() {
        let runtime = toolchain::runtime_folder()?;
        let mut search = OsString::from("-L");
        search.push(&runtime);
        let mut rpath = OsString::from("-Wl,-rpath,");
        rpath.push(&runtime);
        // Ahead of libgomp: with -fopenmp both have the acc_* routines.
        command.extend([search, rpath, "-lgpuc_runtime".into(), "-lm".into()]);
    }
    if let Some(output) = &arguments.output {
        command.extend(["-o".into(), output.into()]);
    }
    toolchain::run_host_compiler(&command)
}

/// `gpuc run`: compiles into a temporary folder and runs.
fn run(arguments: &Arguments) -> Result<i32, Diagnostic> {
    let folder = temporary_folder()?;
    let executable = folder.path().join("program");
    let link =
        Arguments { mode: Mode::Link, output: Some(executable.clone()), ..arguments.clone() };
    let status = build(&link)?;
    if status != 0 {
        return Ok(status);
    }
    let mut program = Command::new(&executable);
    program.args(&arguments.program_arguments);
    for (name, value) in arguments.runtime_environment() {
        program.env(name, value);
    }
    let status = program.status().map_err(io_error("cannot run the compiled program"))?;
    Ok(match status.code() {
        Some(code) => code,
        None => {
            use std::os::unix::process::ExitStatusExt;
            let signal = status.signal().unwrap_or(0);
            return Err(Diagnostic::error(format!("the program was ended by signal {signal}")));
        }
    })
}
