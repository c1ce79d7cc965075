//! The host compiler: the system's `cc`, or the command line in `GPUC_CC`.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use gpuc_diagnostics::{Diagnostic, codes};
use gpuc_frontend_c::preprocess;

use crate::cc::arguments::words;
use crate::feedback::document;
use crate::temporary;

/// The variable that names the host compiler.
pub const VARIABLE: &str = "GPUC_CC";

/// The command of the host compiler: a program and the arguments that stand in front of all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCompiler {
    words: Vec<OsString>,
}

impl HostCompiler {
    /// The one that the environment names: `GPUC_CC`, split as a shell splits it (`ccache gcc`), or
    /// `cc`.
    pub fn from_environment() -> HostCompiler {
        let text = std::env::var_os(VARIABLE).unwrap_or_default();
        let mut words: Vec<OsString> =
            words(text.as_bytes()).into_iter().map(OsString::from_vec).collect();
        if words.first().is_none_or(|program| program.is_empty()) {
            words = vec!["cc".into()];
        }
        HostCompiler { words }
    }

    /// The words of the command.
    pub fn words(&self) -> &[OsString] {
        &self.words
    }

    /// The command as it is shown to people.
    pub fn shown(&self) -> String {
        self.words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    /// The command, to be given its arguments.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }

    /// Runs it, its output going to ours. A status other than 0 is handed on.
    ///
    /// # Errors
    /// Why it could not be started.
    pub fn run(&self, arguments: &[OsString]) -> Result<i32, Diagnostic> {
        if document::is_wanted() {
            return self.run_for_document(arguments);
        }
        match self.command().args(arguments).status() {
            Ok(status) => {
                status.signal().into_iter().for_each(temporary::end_by);
                Ok(status.code().unwrap_or(1))
            }
            Err(error) => Err(self.missing(&error)),
        }
    }

    /// Runs it, its messages going into the document of all messages.
    fn run_for_document(&self, arguments: &[OsString]) -> Result<i32, Diagnostic> {
        let mut command = self.command();
        // In the language that is read here, without colours and quotations.
        command.args(arguments).arg("-fdiagnostics-color=never").env("LC_ALL", "C");
        let output = match command.stderr(Stdio::piped()).stdout(Stdio::inherit()).output() {
            Ok(output) => output,
            Err(error) => return Err(self.missing(&error)),
        };
        output.status.signal().into_iter().for_each(temporary::end_by);
        for diagnostic in preprocess::messages(&String::from_utf8_lossy(&output.stderr)) {
            document::keep(&diagnostic);
        }
        Ok(output.status.code().unwrap_or(1))
    }

    /// What it prints for some arguments, without the newline at the end; nothing where it fails.
    pub fn answer(&self, arguments: &[&str]) -> Option<String> {
        let output = self.command().args(arguments).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
        Some(text).filter(|text| output.status.success() && !text.is_empty())
    }

    /// That it cannot be started.
    fn missing(&self, error: &std::io::Error) -> Diagnostic {
        Diagnostic::error(format!("cannot run the host compiler `{}`: {error}", self.shown()))
            .code(codes::MISSING_COMPILER)
            .help(format!(
                "install a C compiler, or name one in the environment variable {VARIABLE}"
            ))
    }
}
