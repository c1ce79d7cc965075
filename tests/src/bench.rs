//! A folder in which gpuc is run on sources that a test writes.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::tools::Tools;
use crate::{corpus, execution};

/// A folder with sources, in which gpuc is run.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    /// An empty folder.
    ///
    /// # Panics
    /// If there can be none, as the other functions do where files and programs fail.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Bench {
        Bench { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// Writes a file.
    ///
    /// # Panics
    /// If it cannot.
    pub fn write(&self, name: &str, text: &str) {
        self.write_bytes(name, text.as_bytes());
    }

    /// Writes a file that need be no text.
    ///
    /// # Panics
    /// If it cannot.
    pub fn write_bytes(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.folder.path().join(name), bytes).expect("the folder is writable");
    }

    /// Reads a file.
    ///
    /// # Panics
    /// If there is none.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect("the file was written")
    }

    /// What gpuc prints, and whether it succeeds.
    ///
    /// # Panics
    /// If it is not built.
    pub fn gpuc(&self, arguments: &str) -> (bool, String) {
        let mut command = Command::new(Tools::find().ours("gpuc").expect("gpuc is built"));
        command.args(arguments.split(' ')).current_dir(self.folder.path()).env("LC_ALL", "C");
        command.env("GPUC_QUIET", "1");
        let outcome = execution::run(&mut command, Vec::new(), true).expect("gpuc runs");
        (outcome.status.is_some_and(|status| status.success()), outcome.text())
    }

    /// What gpuc prints when it succeeds.
    ///
    /// # Panics
    /// If it does not.
    pub fn ok(&self, arguments: &str) -> String {
        let (success, text) = self.gpuc(arguments);
        assert!(success, "gpuc {arguments}:\n{text}");
        text
    }
}

/// The whole path of a file of the repository.
pub fn root(file: &Path) -> String {
    corpus::root().join(file).display().to_string()
}
