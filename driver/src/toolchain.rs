//! The host compiler and the runtime library.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpuc_diagnostics::{Diagnostic, codes};

/// The command of the host compiler: `GPUC_CC`, or `cc`.
pub fn host_compiler() -> String {
    std::env::var("GPUC_CC").ok().filter(|cc| !cc.is_empty()).unwrap_or_else(|| "cc".to_owned())
}

/// File name of the runtime library.
pub const RUNTIME_LIBRARY: &str = "libgpuc_runtime.so";

/// The folder that holds the runtime library: `GPUC_RUNTIME_DIR`, else beside the executable, in
/// `../lib` of it, or where cargo leaves libraries of dependencies.
pub fn runtime_folder() -> Result<PathBuf, Diagnostic> {
    let mut candidates = Vec::new();
    if let Some(folder) = std::env::var_os("GPUC_RUNTIME_DIR") {
        candidates.push(PathBuf::from(folder));
    }
    let executable = std::env::current_exe().and_then(|path| path.canonicalize());
    if let Some(folder) = executable.as_deref().ok().and_then(Path::parent) {
        candidates.extend([folder.to_owned(), folder.join("../lib"), folder.join("deps")]);
    }
    let found = candidates.iter().find(|folder| folder.join(RUNTIME_LIBRARY).is_file());
    match found {
        Some(folder) => Ok(folder.canonicalize().unwrap_or_else(|_| folder.clone())),
        None => {
            Err(Diagnostic::error(format!("cannot find the runtime library {RUNTIME_LIBRARY}"))
                .code(codes::NO_COMPILER)
                .help(format!(
                    "looked in {}",
                    candidates
                        .iter()
                        .map(|c| c.display().to_string())
                        .collect::<Vec<_>>()
                        .join(", ")
                ))
                .help(
                    "build it with `cargo build --release`, or set GPUC_RUNTIME_DIR to its folder",
                ))
        }
    }
}

/// Runs the host compiler, its output going to ours. An error says why it could not run; a status
/// other than 0 is handed on.
pub fn run_host_compiler(arguments: &[std::ffi::OsString]) -> Result<i32, Diagnostic> {
    let compiler = host_compiler();
    match Command::new(&compiler).args(arguments).status() {
        Ok(status) => Ok(status.code().unwrap_or(1)),
        Err(error) => {
            Err(Diagnostic::error(format!("cannot run the host compiler `{compiler}`: {error}"))
                .code(codes::NO_COMPILER)
                .help("install a C compiler, or name one in the environment variable GPUC_CC"))
        }
    }
}
