//! A folder with a program in several files, which scripts of the shell build with gpuc as their compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::execution::{self, End, Outcome};
use crate::tools::Tools;

/// The folder.
#[derive(Debug)]
pub struct Project(TempDir);

impl Project {
    /// With the texts of files, by their names.
    ///
    /// # Panics
    /// If they cannot be written.
    pub fn new<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Project {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("the folder is writable");
        }
        Project(folder)
    }

    /// A script of the shell in it, whatever comes of it.
    ///
    /// # Panics
    /// If there is no shell.
    pub fn attempt(&self, script: &str) -> Outcome {
        let mut command = Command::new("sh");
        command.args(["-e", "-c", script]).current_dir(self.path());
        command
            .env("CC", gpuc())
            .env("LC_ALL", "C")
            .env("GPUC_DEVICE", "sim")
            .env("GPUC_QUIET", "1");
        command.env_remove("GPUC_CC").env_remove("CFLAGS").env_remove("MAKEFLAGS");
        execution::run(&mut command, Vec::new(), true).expect("the shell runs")
    }

    /// A script of the shell that succeeds; what it prints.
    ///
    /// # Panics
    /// If it does not.
    pub fn shell(&self, script: &str) -> String {
        let outcome = self.attempt(script);
        assert_eq!(outcome.end(), End::Success, "{script}\n{}", outcome.tail());
        outcome.text()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// The compiler.
///
/// # Panics
/// If it is not built.
pub fn gpuc() -> PathBuf {
    Tools::find().ours("gpuc").expect("gpuc is built")
}

/// Whether a tool is there; that it is not is said.
pub fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no `{tool}`");
    }
    found
}
