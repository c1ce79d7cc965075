//! What headers come to, as it is kept on disk, and the files that it was made of.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use gpuc_cache::Key;

use super::super::FoundIn;
use super::super::files::{FileId, Start};
use super::super::token::Origin;
use super::names::Names;
use super::pieces::{MacroText, MarkedFile, Piece, Pieces};

/// A file that was read, by what tells that it is still the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Read {
    pub path: String,
    pub state: State,
}

/// Of headers of the system, which are replaced as a whole and seldom, what the file system says; of others
/// the contents: an editor may write twice between two ticks of a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum State {
    Stamp([u64; 6]),
    Digest([u8; 32]),
}

impl State {
    pub fn of(origin: Origin, metadata: &std::fs::Metadata, bytes: &[u8]) -> State {
        match origin {
            Origin::System => State::stamp(metadata),
            _ => State::Digest(Key::of([bytes]).bytes()),
        }
    }

    fn stamp(of: &std::fs::Metadata) -> State {
        let times = [of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec()];
        let [a, b, c, d] = times.map(|time| time as u64);
        State::Stamp([of.ino(), of.len(), a, b, c, d])
    }
}

impl Read {
    fn is_same(&self) -> bool {
        let path = Path::new(&self.path);
        match &self.state {
            State::Stamp(_) => std::fs::metadata(path)
                .is_ok_and(|found| found.is_file() && State::stamp(&found) == self.state),
            State::Digest(digest) => super::super::read(path)
                .is_some_and(|(bytes, _)| Key::of([&bytes[..]]).bytes() == *digest),
        }
    }
}

/// A file of headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredFile {
    pub path: String,
    pub found_in: FoundIn,
    /// The macro with which it need not be read again; nothing where there is none.
    pub guard: String,
}

/// What headers come to.
#[derive(Debug)]
pub(in super::super) struct Headers {
    pub(super) text: Vec<u8>,
    pub(super) names: Names,
    pub(super) pieces: Pieces,
    /// The files, by number, and those of them that were read, with whether each is of the system's.
    pub(super) files: Vec<StoredFile>,
    pub(super) included: Vec<(FileId, bool)>,
    /// The names by which they were found, and from where.
    pub(super) found: Vec<(Start, String, FileId)>,
    /// Files that need not be read again.
    pub(super) once: Vec<String>,
    pub(super) reads: Vec<Read>,
    /// Files and folders that were looked for and not there.
    pub(super) absent: Vec<String>,
}

impl Headers {
    /// Whether the same would be made of the files as they are now.
    pub fn is_good(&self) -> bool {
        self.reads.iter().all(Read::is_same)
            && self.absent.iter().all(|path| std::fs::metadata(path).is_err())
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.text.len() * 2);
        let Pieces { pieces, files, ids, macros } = &self.pieces;
        for list in [&self.names.texts, &self.text] {
            put_bytes(&mut out, list);
        }
        for list in [&self.names.ends, &self.names.slots, ids] {
            put(&mut out, list.len() as u32);
            list.iter().for_each(|&number| put(&mut out, number));
        }
        put(&mut out, pieces.len() as u32);
        for piece in pieces {
            let Piece { start, end, file, line, first, mentioned, is_directive, stays } = *piece;
            let flags = u32::from(is_directive) | u32::from(stays) << 1;
            [start, end, file, line, first, mentioned, flags]
                .into_iter()
                .for_each(|number| put(&mut out, number));
        }
        put(&mut out, macros.len() as u32);
        for &MacroText { name, start, end, file } in macros {
            [name, start, end, file].into_iter().for_each(|number| put(&mut out, number));
        }
        put(&mut out, files.len() as u32);
        for file in files {
            put_bytes(&mut out, &file.name);
            put_bytes(&mut out, &file.flags);
        }
        put(&mut out, self.files.len() as u32);
        for StoredFile { path, found_in, guard } in &self.files {
            put_bytes(&mut out, path.as_bytes());
            put(&mut out, number_of_folder(*found_in));
            put_bytes(&mut out, guard.as_bytes());
        }
        put(&mut out, self.included.len() as u32);
        for &(file, is_system) in &self.included {
            put(&mut out, file);
            put(&mut out, is_system.into());
        }
        put(&mut out, self.found.len() as u32);
        for (start, name, file) in &self.found {
            let (found_in, folder) = match start {
                Start::Named => (FoundIn::Named, ""),
                Start::Beside(folder) => (FoundIn::Beside, &**folder),
                Start::Folder(index) => (FoundIn::Folder(*index), ""),
            };
            put(&mut out, number_of_folder(found_in));
            put_bytes(&mut out, folder.as_bytes());
            put_bytes(&mut out, name.as_bytes());
            put(&mut out, *file);
        }
        for list in [&self.once, &self.absent] {
            put(&mut out, list.len() as u32);
            list.iter().for_each(|path| put_bytes(&mut out, path.as_bytes()));
        }
        put(&mut out, self.reads.len() as u32);
        for Read { path, state } in &self.reads {
            put_bytes(&mut out, path.as_bytes());
            match state {
                State::Digest(digest) => put_bytes(&mut out, digest),
                State::Stamp(parts) => {
                    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
                    put_bytes(&mut out, &bytes);
                }
            }
        }
        out
    }

    /// `None` for anything that [`Headers::encode`] does not write.
    pub fn decode(bytes: &[u8]) -> Option<Headers> {
        let mut input = Input(bytes);
        let texts = input.bytes()?.to_vec();
        let text = input.bytes()?.to_vec();
        let ends = input.numbers(1)?;
        let slots = input.numbers(1)?;
        let ids = input.numbers(1)?;
        let pieces = input.numbers(7)?;
        let macros = input.numbers(4)?;
        let pieces = pieces.chunks_exact(7).map(|piece| Piece {
            start: piece[0],
            end: piece[1],
            file: piece[2],
            line: piece[3],
            first: piece[4],
            mentioned: piece[5],
            is_directive: piece[6] & 1 != 0,
            stays: piece[6] & 2 != 0,
        });
        let macros = macros.chunks_exact(4).map(|of| MacroText {
            name: of[0],
            start: of[1],
            end: of[2],
            file: of[3],
        });
        let (pieces, macros) = (pieces.collect(), macros.collect());
        let files = input.list(|input| {
            Some(MarkedFile { name: input.bytes()?.to_vec(), flags: input.bytes()?.to_vec() })
        })?;
        let stored = input.list(|input| {
            let path = input.string()?;
            let found_in = folder_of_number(input.number()?);
            Some(StoredFile { path, found_in, guard: input.string()? })
        })?;
        let included = input.list(|input| Some((input.number()?, input.number()? != 0)))?;
        let found = input.list(|input| {
            let found_in = folder_of_number(input.number()?);
            let folder = input.string()?;
            let start = match found_in {
                FoundIn::Named => Start::Named,
                FoundIn::Beside => Start::Beside(folder.into()),
                FoundIn::Folder(index) => Start::Folder(index),
            };
            Some((start, input.string()?, input.number()?))
        })?;
        let once = input.list(Input::string)?;
        let absent = input.list(Input::string)?;
        let reads = input.list(|input| {
            let path = input.string()?;
            let state = input.bytes()?;
            let state = match <[u8; 32]>::try_from(state) {
                Ok(digest) => State::Digest(digest),
                Err(_) => {
                    let (parts, []) = state.as_chunks::<8>() else { return None };
                    let parts: Vec<u64> =
                        parts.iter().map(|part| u64::from_le_bytes(*part)).collect();
                    State::Stamp(parts.try_into().ok()?)
                }
            };
            Some(Read { path, state })
        })?;
        let headers = Headers {
            text,
            names: Names { texts, ends, slots },
            pieces: Pieces { pieces, files, ids, macros },
            files: stored,
            included,
            found,
            once,
            reads,
            absent,
        };
        (input.0.is_empty() && headers.is_valid()).then_some(headers)
    }

    /// Whether each number is one of something that is there.
    fn is_valid(&self) -> bool {
        let Pieces { pieces, files, ids, macros } = &self.pieces;
        let is_span = |start: u32, end: u32, of: usize| start <= end && end as usize <= of;
        let is_file = |file: u32| (file as usize) < files.len();
        let is_name = |name: u32| (name as usize) < self.names.len();
        let is_stored = |file: FileId| (file as usize) < self.files.len();
        let mut last = 0;
        self.included.iter().all(|&(file, _)| is_stored(file))
            && self.found.iter().all(|&(.., file)| is_stored(file))
            && self.names.is_valid()
            && ids.iter().all(|&id| is_name(id))
            && macros.iter().all(|of| {
                is_name(of.name) && is_file(of.file) && is_span(of.start, of.end, self.text.len())
            })
            && pieces.iter().all(|piece| {
                let first = std::mem::replace(&mut last, piece.mentioned);
                is_file(piece.file)
                    && is_span(piece.start, piece.end, self.text.len())
                    && first <= piece.first
                    && is_span(piece.first, piece.mentioned, ids.len())
            })
    }
}

/// Where a file was found, as a number.
fn number_of_folder(found_in: FoundIn) -> u32 {
    match found_in {
        FoundIn::Named => 0,
        FoundIn::Beside => 1,
        FoundIn::Folder(index) => index as u32 + 2,
    }
}

fn folder_of_number(number: u32) -> FoundIn {
    match number {
        0 => FoundIn::Named,
        1 => FoundIn::Beside,
        index => FoundIn::Folder(index as usize - 2),
    }
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// What is left to read.
struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        self.take(length as usize)
    }

    fn string(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    /// A list of groups of numbers.
    fn numbers(&mut self, in_group: usize) -> Option<Vec<u32>> {
        let count = (self.number()? as usize).checked_mul(4 * in_group)?;
        let (numbers, _) = self.take(count)?.as_chunks::<4>();
        Some(numbers.iter().map(|number| u32::from_le_bytes(*number)).collect())
    }

    fn list<T>(&mut self, of: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| of(self)).collect()
    }
}
