//! The command line of `gpuc`: cc's flags, `gpuc run`, linking.
//!
//! | module | holds |
//! |---|---|
//! | [`arguments`] | the command line, understood |
//! | [`dependencies`] | what `-MD` writes |
//! | [`refused`] | options that change C's meaning on the host alone |

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use gpuc_diagnostics::{Diagnostic, Sources, codes};
use gpuc_frontend_c::preprocess::OPENACC_VERSION;

use crate::compile::{self, Emitted, Level};
use crate::output::write_atomically;
use crate::{feedback, toolchain};

pub mod arguments;
pub mod dependencies;
pub mod refused;

pub use arguments::{Arguments, Device, Mode};

use arguments::OtherInput;

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
        Mode::Explain(explanation) => {
            println!("{}: {}\n\n{}", explanation.code, explanation.title, explanation.text);
            Ok(0)
        }
        Mode::Run => run(&arguments),
        Mode::Emit(level) => emit(&arguments, level),
        Mode::Compile | Mode::Link => build(&arguments),
        Mode::HostOnly => toolchain::run_host_compiler(&host_only(&arguments)),
    });
    match outcome {
        Ok(status) => ExitCode::from(status.clamp(0, 255) as u8),
        Err(diagnostic) => ExitCode::from(feedback::fail(&diagnostic)),
    }
}

/// The host compiler's arguments where it does all; its preprocessor sees what ours would.
fn host_only(arguments: &Arguments) -> Vec<OsString> {
    let mut command = Vec::new();
    let preprocesses =
        ["-E", "-M", "-MM"].iter().any(|&flag| arguments.host.iter().any(|f| f == flag));
    if preprocesses && arguments.families.openacc && !arguments.sources.is_empty() {
        let define = format!("-D_OPENACC={OPENACC_VERSION}");
        command.extend(["-fopenacc".into(), "-U_OPENACC".into(), define.into()]);
    }
    command.extend(arguments.host.iter().cloned());
    command
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
    let mut offloads = false;
    for (i, source) in arguments.sources.iter().enumerate() {
        let object = match arguments.mode {
            Mode::Compile => object_path(arguments, source),
            _ => folder.path().join(format!("{i}.o")),
        };
        let compiled = compile_source(arguments, source, &object, folder.path(), i)?;
        if compiled.status != 0 {
            return Ok(compiled.status);
        }
        offloads |= compiled.offloads;
        objects.push(object);
    }
    warn_of_cpp(arguments);
    if arguments.mode == Mode::Compile {
        return compile_others(arguments);
    }
    link(arguments, &objects, offloads)
}

/// C++ is the host compiler's, directives and all; that is said.
fn warn_of_cpp(arguments: &Arguments) {
    const EXTENSIONS: [&str; 6] = ["C", "cc", "cp", "cpp", "cxx", "c++"];
    let warnings: Vec<Diagnostic> = arguments
        .others()
        .filter(|input| match &input.language {
            Some(language) => language == "c++",
            None => Path::new(&input.file)
                .extension()
                .is_some_and(|e| EXTENSIONS.iter().any(|known| e == *known)),
        })
        .map(|input| {
            let file = Path::new(&input.file).display();
            Diagnostic::warning(format!("`{file}` is C++: nothing in it is offloaded"))
                .code(codes::NOT_C)
                .help("gpuc compiles directives in C; move the loops to a C file")
        })
        .collect();
    feedback::print(&warnings, &Sources::new(), arguments.remarks);
}

/// `-c` of assembly, C++ and what else the host compiler knows; objects are there already, and it
/// says so.
fn compile_others(arguments: &Arguments) -> Result<i32, Diagnostic> {
    let others: Vec<OsString> = arguments.others().flat_map(OtherInput::words).collect();
    if others.is_empty() {
        return Ok(0);
    }
    let mut command = arguments.compile_flags.clone();
    command.extend(arguments.dependency_flags.iter().cloned());
    command.push(stop_flag(arguments));
    command.extend(others);
    if arguments.sources.is_empty()
        && let Some(output) = &arguments.output
    {
        command.extend(["-o".into(), output.into()]);
    }
    toolchain::run_host_compiler(&command)
}

/// Behind what the host compiler stops: assembly or objects.
fn stop_flag(arguments: &Arguments) -> OsString {
    if arguments.assembly { "-S".into() } else { "-c".into() }
}

/// Where `-c` puts the object of a source: `-o`, or the name with `.o` in the current folder.
fn object_path(arguments: &Arguments, source: &Path) -> PathBuf {
    match &arguments.output {
        Some(path) => path.clone(),
        None => PathBuf::from(source.file_name().unwrap_or_default())
            .with_extension(if arguments.assembly { "s" } else { "o" }),
    }
}

/// What became of a source.
struct Compiled {
    /// Exit status.
    status: i32,
    /// Whether its code calls the runtime library.
    offloads: bool,
}

fn compile_source(
    arguments: &Arguments,
    source: &Path,
    object: &Path,
    folder: &Path,
    index: usize,
) -> Result<Compiled, Diagnostic> {
    let emitted = match compile::compile(source, arguments) {
        Ok(emitted) => emitted,
        Err(failure) => {
            return Ok(Compiled { status: failure.report(arguments), offloads: false });
        }
    };
    let mut command: Vec<OsString> = arguments.compile_flags.clone();
    command.push(stop_flag(arguments));
    let offloads = emitted != Emitted::Untouched;
    match emitted {
        // Nothing to offload: the host compiler takes the file as it is.
        Emitted::Untouched if arguments::is_c(source) => command.push(source.into()),
        Emitted::Untouched => {
            command.extend(["-x".into(), "c".into(), source.into(), "-x".into(), "none".into()]);
        }
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
    Ok(Compiled { status: toolchain::run_host_compiler(&command)?, offloads })
}

/// Whether an object or archive calls the runtime library.
fn calls_runtime(input: &OtherInput) -> bool {
    let text = std::fs::read(&input.file).unwrap_or_default();
    text.windows(RUNTIME_PREFIX.len()).any(|window| window == RUNTIME_PREFIX)
}

/// What the names of the runtime library's functions begin with.
const RUNTIME_PREFIX: &[u8] = b"__gpuc_";

fn link(arguments: &Arguments, objects: &[PathBuf], offloads: bool) -> Result<i32, Diagnostic> {
    if let Some(flag) = &arguments.static_link
        && (offloads || arguments.others().any(calls_runtime))
    {
        return Err(Diagnostic::error(format!(
            "`{flag}` cannot link a program that offloads: the runtime library is a shared one"
        ))
        .code(codes::STATIC_RUNTIME)
        .help(
            "leave it out; `-static-libgcc` is possible, and `-Wl,-Bstatic -lNAME -Wl,-Bdynamic` \
               for single libraries",
        ));
    }
    let mut objects = objects.iter();
    let mut command: Vec<OsString> = Vec::new();
    for item in &arguments.link_items {
        match item {
            arguments::LinkItem::Source => command.extend(objects.next().map(Into::into)),
            arguments::LinkItem::Input(input) => command.extend(input.words()),
            arguments::LinkItem::Flag(word) => command.push(word.clone()),
        }
    }
    if !arguments.relocatable_output() && arguments.static_link.is_none() {
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
