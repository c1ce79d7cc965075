//! What gpuc says of itself: its version, where it finds what it needs, its manual page.

use std::fmt::Write;

use gpuc_arch::Arch;
use gpuc_diagnostics::Diagnostic;
use gpuc_frontend_c::preprocess::OPENACC_VERSION;

use super::arguments::{self, About, Arguments};
use crate::temporary::Folder;
use crate::toolchain::{HostCompiler, RuntimeLibrary, runtime};

/// Prints it.
///
/// # Errors
/// The runtime library, whose place is asked for, cannot be found.
pub fn print(what: About, arguments: &Arguments) -> Result<(), Diagnostic> {
    match what {
        About::Version if arguments.verbose => {
            print!("{}{}", version(), config()?);
        }
        About::Version => print!("{}", version()),
        About::Config => print!("{}", config()?),
        About::File(name) => {
            let library = RuntimeLibrary::find(&Folder::new()?)?;
            if name == runtime::SHARED {
                library.shared(&HostCompiler::from_environment())?;
            }
            println!("{}", library.folder.join(name).display());
        }
        About::ManPage => print!("{}", arguments::man_page()),
        About::Completions(shell) => print!("{}", arguments::completions(shell)),
    }
    Ok(())
}

/// With the host compiler's own words behind: by them build systems know whose options it takes.
fn version() -> String {
    let host = HostCompiler::from_environment().answer(&["--version"]).unwrap_or_default();
    let host = if host.is_empty() { host } else { format!("in front of {host}\n") };
    format!("gpuc {}\n{host}", env!("CARGO_PKG_VERSION"))
}

/// `key: value`, one a line, for people and for scripts.
fn config() -> Result<String, Diagnostic> {
    let host = HostCompiler::from_environment();
    let folder = Folder::new()?;
    let library = RuntimeLibrary::find(&folder)?;
    let cache = runtime::cache().map_or_else(|| "none".to_owned(), |p| p.display().to_string());
    let compiler =
        std::env::current_exe().map_or_else(|e| e.to_string(), |p| p.display().to_string());
    let known: Vec<&str> = Arch::all().iter().map(|arch| arch.name).collect();
    let or_missing = |answer: Option<String>| answer.unwrap_or_else(|| "not found".to_owned());
    let first_line = |text: String| text.lines().next().unwrap_or_default().to_owned();
    // What is wrong with it is no reason to say nothing of the rest.
    let default_archs = match arguments::default_archs() {
        Ok(archs) => archs.iter().map(|arch| arch.name).collect::<Vec<_>>().join(" "),
        Err(error) => format!("none: {}", error.message),
    };
    let mut text = String::new();
    for (key, value) in [
        ("compiler", compiler),
        ("host-compiler", host.shown()),
        ("host-compiler-version", or_missing(host.answer(&["--version"]).map(first_line))),
        ("target", or_missing(host.answer(&["-dumpmachine"]))),
        ("runtime-library", library.archive().display().to_string()),
        ("cache", cache),
        ("openacc", OPENACC_VERSION.to_owned()),
        ("default-arch", default_archs),
        ("archs", known.join(" ")),
    ] {
        let _ = writeln!(text, "{key}: {value}");
    }
    Ok(text)
}
