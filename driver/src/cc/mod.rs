//! The command line of `gpuc`: cc's flags, `gpuc run`, `gpuc tune`, linking.
//!
//! | module | holds |
//! |---|---|
//! | [`about`] | what gpuc says of itself: `--version`, `--print-config` and their kin |
//! | [`arguments`] | the command line, understood |
//! | [`build`] | `-c` and linking |
//! | [`cache`] | `gpuc cache`: what is kept on disk |
//! | [`dependencies`] | what `-MD` writes |
//! | [`refused`] | options that change C's meaning on the host alone |
//! | [`saved`] | what `-save-temps` leaves |
//! | [`scan`] | whether a source has anything for gpuc |
//! | [`standard_input`] | programs that come from standard input |
//! | [`tune`] | `gpuc tune`: plans that are run and measured |

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_frontend_c::preprocess::OPENACC_VERSION;

use crate::compile::{self, Level};
use crate::feedback;
use crate::output::{finish, write_atomically, write_to_standard_output};
use crate::temporary::Folder;
use crate::toolchain::{HostCompiler, runtime};

pub mod about;
pub mod arguments;
pub mod build;
pub mod cache;
pub mod dependencies;
pub mod refused;
pub mod saved;
pub mod scan;
mod standard_input;
pub mod tune;

pub use arguments::{Arguments, Device, Mode};

/// Runs the compiler on command-line arguments (without the program's name).
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    let mut source = None;
    let outcome = Arguments::parse(&arguments).and_then(|arguments| {
        source = arguments.sources.first().cloned();
        act(&arguments)
    });
    let status = match outcome {
        Ok(status) => ExitCode::from(status.clamp(0, 255) as u8),
        Err(diagnostic) => ExitCode::from(feedback::fail(&diagnostic)),
    };
    finish(match feedback::document::write(source.as_ref()) {
        Ok(()) => status,
        Err(error) => ExitCode::from(feedback::fail(&error)),
    })
}

/// Does what the command line asks for.
fn act(arguments: &Arguments) -> Result<i32, Diagnostic> {
    match arguments.mode {
        Mode::Help => {
            print!("{}", arguments::help());
            Ok(0)
        }
        Mode::About(what) => about::print(what, arguments).map(|()| 0),
        Mode::Explain(explanation) => {
            match explanation {
                Some(explanation) => print!("{}", feedback::wanted::explained(explanation)),
                None => print!("{}", codes::list()),
            }
            Ok(0)
        }
        Mode::Run => run(arguments),
        Mode::Tune => tune::tune(arguments),
        Mode::Serve => crate::lsp::serve(),
        Mode::Cache(action) => action.act(),
        Mode::Emit(level) => emit(arguments, level),
        Mode::Compile | Mode::Link => build::build(arguments),
        Mode::HostOnly => {
            feedback::document::begin("text");
            HostCompiler::from_environment().run(&host_only(arguments))
        }
    }
}

/// The host compiler's arguments where it does all; its preprocessor sees what ours would.
fn host_only(arguments: &Arguments) -> Vec<OsString> {
    let mut command = Vec::new();
    let preprocesses =
        ["-E", "-M", "-MM"].iter().any(|&flag| arguments.host.iter().any(|f| f == flag));
    let families = arguments.families;
    let ours = preprocesses && !arguments.sources.is_empty();
    if ours && families.openacc {
        let define = format!("-D_OPENACC={OPENACC_VERSION}");
        command.extend(["-fopenacc".into(), "-U_OPENACC".into(), define.into()]);
    }
    if ours && (families.openacc || families.jolokia) {
        command.extend(runtime::header_flags(runtime::headers()));
    }
    command.extend(arguments.host.iter().cloned());
    command
}

fn io_error(what: impl std::fmt::Display) -> impl FnOnce(std::io::Error) -> Diagnostic {
    move |error| Diagnostic::error(format!("{what}: {error}"))
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
        None => write_to_standard_output(text.as_bytes())
            .map_err(io_error("cannot write the output"))?,
        Some(path) => write_atomically(path, text.as_bytes())
            .map_err(io_error(format!("cannot write `{}`", path.display())))?,
    }
    Ok(0)
}

/// `gpuc run`: compiles into a temporary folder and becomes the program.
fn run(arguments: &Arguments) -> Result<i32, Diagnostic> {
    let folder = Folder::new()?;
    let executable = folder.join("program");
    let link =
        Arguments { mode: Mode::Link, output: Some(executable.clone()), ..arguments.clone() };
    let status = build::build(&link)?;
    if status != 0 {
        return Ok(status);
    }
    let open = std::fs::File::open(&executable)
        .map_err(io_error(format!("cannot open `{}`", executable.display())))?;
    // The program has the terminal, signals and exit status for itself, and leaves nothing behind:
    // its file is open, and has no name any more.
    drop(folder);
    let mut program = Command::new(format!("/proc/self/fd/{}", open.as_raw_fd()));
    program.arg0(program_name(arguments)).args(&arguments.program_arguments);
    program.envs(arguments.runtime_environment());
    feedback::document::write(arguments.sources.first())?;
    let error = program.exec();
    Err(io_error("cannot run the compiled program")(error))
}

/// What the program of `gpuc run` is called: as its first source, without extension.
fn program_name(arguments: &Arguments) -> OsString {
    let first = arguments.sources.first().and_then(|source| source.file_stem());
    first.unwrap_or("program".as_ref()).to_owned()
}
