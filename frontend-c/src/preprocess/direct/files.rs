//! The bytes of files, and which files are the same one.

use std::path::Path;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::token::{Spelling, Spellings};
use super::{Answer, FoundIn, Leave};

/// A file by its number in [`Files`].
pub(super) type FileId = u32;

/// Where GCC begins to look for a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Start {
    /// Nowhere: it is a path from the root, or the source.
    Named,
    /// In the folder of the file that includes it.
    Beside(Rc<str>),
    /// In a folder of the list, and those behind it.
    Folder(usize),
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub path: Rc<str>,
    pub found_in: FoundIn,
    /// The macro with which it need not be read again.
    pub guard: Option<Spelling>,
}

/// The files of a compilation. What is one to GCC is told by the name and where it began to look: a header
/// that is found by two ways is read twice, whatever its guard, and is twice in the file of dependencies.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub known: Vec<Known>,
    pub found: FxHashMap<(Start, Box<str>), FileId>,
    read: FxHashSet<FileId>,
    /// Those that were read, in order, and whether each is of the system's.
    pub included: Vec<(FileId, bool)>,
}

impl Files {
    pub fn find(&self, start: &Start, name: &str) -> Option<FileId> {
        self.found.get(&(start.clone(), name.into())).copied()
    }

    pub fn add(&mut self, path: Rc<str>, found_in: FoundIn) -> FileId {
        self.known.push(Known { path, found_in, guard: None });
        self.known.len() as FileId - 1
    }

    /// Notes that a file is read.
    pub fn include(&mut self, file: FileId, is_system: bool) {
        if self.read.insert(file) {
            self.included.push((file, is_system));
        }
    }
}

/// A file and what the file system says of it; nothing where there is none, or something else.
pub(super) fn read(path: &Path) -> Option<(Vec<u8>, std::fs::Metadata)> {
    use std::io::Read;
    let mut file = std::fs::File::open(path).ok()?;
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let length = metadata.len();
    // One byte more: what is read at its end says that it has not grown.
    let mut bytes = vec![0; usize::try_from(length).ok()? + 1];
    let mut at = 0;
    while at < bytes.len() {
        match file.read(&mut bytes[at..]).ok()? {
            0 => break,
            count => at += count,
        }
    }
    bytes.truncate(at);
    (at as u64 == length).then_some((bytes, metadata))
}

/// The path by which GCC knows a file of the system's: another one that is shorter, if there is one.
pub(super) fn shorter(path: String) -> String {
    match std::fs::canonicalize(&path)
        .ok()
        .and_then(|real| real.into_os_string().into_string().ok())
    {
        Some(real) if real.len() < path.len() => real,
        _ => path,
    }
}

/// The macro of the first `#ifndef` of a file.
pub(super) fn first_guard(text: &[u8], spellings: &mut Spellings) -> Answer<Spelling> {
    let mut lines = text.split(|&byte| byte == b'\n');
    let name = lines.find_map(|line| line.strip_prefix(b"#ifndef")).ok_or(Leave)?;
    Ok(spellings.number(name.trim_ascii()))
}
