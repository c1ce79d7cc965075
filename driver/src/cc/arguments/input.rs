//! Input files, and the link command that they stand in.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// An input that is not C: an object, an archive, assembly, C++.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherInput {
    /// The file.
    pub file: OsString,
    /// The language that `-x` gave it.
    pub language: Option<OsString>,
}

impl OtherInput {
    /// The arguments that name it to the host compiler.
    pub fn words(&self) -> Vec<OsString> {
        match &self.language {
            Some(language) => {
                vec!["-x".into(), language.clone(), self.file.clone(), "-x".into(), "none".into()]
            }
            None => vec![self.file.clone()],
        }
    }
}

/// An argument of the link command, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkItem {
    /// The object of the next source.
    Source,
    /// A file that is not C.
    Input(OtherInput),
    /// Anything else.
    Flag(OsString),
}

/// Whether a file's name says that it is C, preprocessed or not.
pub fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

/// Whether two paths lead to one regular file.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    let identity = |path: &Path| {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some((metadata.dev(), metadata.ino()))
    };
    identity(a).is_some_and(|a| identity(b) == Some(a))
}
