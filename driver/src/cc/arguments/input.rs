//! Input files, and the command that they stand in.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::host::Steps;

/// An input file with its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherInput {
    /// The file.
    pub file: OsString,
    /// The language that `-x` gave it.
    pub language: Option<OsString>,
}

impl OtherInput {
    /// Whether it goes to the linker as it is: an object or a library.
    pub fn is_linked(&self) -> bool {
        let extension = Path::new(&self.file).extension();
        self.language.is_none()
            && extension.is_some_and(|e| ["o", "a", "so"].iter().any(|linked| e == *linked))
    }
}

/// An argument that concerns the host compiler, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A C source.
    Source(OtherInput),
    /// A file that is not C: an object, an archive, assembly, C++.
    Input(OtherInput),
    /// Anything else, and the steps that want it.
    Flag(OsString, Steps),
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
