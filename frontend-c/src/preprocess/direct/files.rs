//! The bytes of files.

use std::path::Path;

use super::token::{Spelling, Spellings};
use super::{Answer, Leave};

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

/// The macro of the first `#ifndef` of a file.
pub(super) fn first_guard(text: &[u8], spellings: &mut Spellings) -> Answer<Spelling> {
    let mut lines = text.split(|&byte| byte == b'\n');
    let name = lines.find_map(|line| line.strip_prefix(b"#ifndef")).ok_or(Leave)?;
    Ok(spellings.number(name.trim_ascii()))
}
