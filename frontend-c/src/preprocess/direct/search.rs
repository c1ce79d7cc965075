//! Where headers are, as GCC looks for them (`libcpp/files.cc`), and that they are read.

use std::path::Path;
use std::rc::Rc;

use super::files::{self, FileId, Start, first_guard, read, shorter};
use super::lexer::{Lexer, Text};
use super::token::{Kind, Origin};
use super::{Answer, DEEPEST, FoundIn, Leave, Preprocessor, headers};

/// A header that was found.
pub(super) struct Found {
    id: FileId,
    name: Rc<str>,
    text: Rc<Text>,
    origin: Origin,
    found_in: FoundIn,
}

impl Preprocessor<'_> {
    pub(super) fn header_name(&mut self) -> Answer<(String, bool)> {
        let (name, angled) = match self.lexer().header_name()? {
            Some(name) => (name, true),
            None => {
                let token = self.directive_token()?;
                let text = self.spellings.text(token.spelling);
                match text {
                    [b'"', name @ .., b'"'] if token.kind == Kind::String => (name.to_vec(), false),
                    _ => return Err(Leave),
                }
            }
        };
        Ok((String::from_utf8(name).map_err(|_| Leave)?, angled))
    }

    /// `(HEADER` of `__has_include(HEADER)`.
    pub(super) fn has_include(&mut self, next: bool) -> Answer<bool> {
        let (name, angled) = self.header_name()?;
        Ok(self.find(&name, angled, next)?.is_some())
    }

    /// The file of a header's name.
    pub(super) fn find(&mut self, name: &str, angled: bool, next: bool) -> Answer<Option<Found>> {
        let file = self.files.last().ok_or(Leave)?;
        let (from, including) = (file.found_in, file.lexer.origin);
        if name.is_empty() || (next && from == FoundIn::Named) {
            return Err(Leave);
        }
        let start = match (next, from) {
            _ if name.starts_with('/') => Start::Named,
            (true, FoundIn::Folder(folder)) => Start::Folder(folder + 1),
            (true, _) => Start::Folder(0),
            _ if angled => Start::Folder(self.compiler.quoted),
            _ => Start::Beside(file.name.rfind('/').map_or("", |end| &file.name[..=end]).into()),
        };
        let known = match self.found.find(&start, name) {
            Some(known) => Some(known),
            None => self.look_for(name, start, including)?,
        };
        let Some(id) = known else { return Ok(None) };
        let files::Known { path, found_in, .. } = self.found.known[id as usize].clone();
        // A header that a system's header includes is one, too.
        let origin = match found_in {
            FoundIn::Folder(index) => {
                self.compiler.folders.get(index).ok_or(Leave)?.origin.max(including)
            }
            _ => including,
        };
        let text = self.text(&path, origin)?.ok_or(Leave)?;
        Ok(Some(Found { id, name: path, text, origin, found_in }))
    }

    /// Looks for a name that has not been looked for from there.
    fn look_for(&mut self, name: &str, start: Start, including: Origin) -> Answer<Option<FileId>> {
        let first = match &start {
            Start::Named => {
                let is_there = self.text(name, including)?.is_some();
                let id = is_there.then(|| self.found.add(name.into(), FoundIn::Named));
                self.found.found.extend(id.map(|id| ((start, name.into()), id)));
                return Ok(id);
            }
            Start::Beside(folder) => {
                let path = format!("{folder}{name}");
                if self.text(&path, including)?.is_some() {
                    let id = self.found.add(path.into(), FoundIn::Beside);
                    self.found.found.insert((start, name.into()), id);
                    return Ok(Some(id));
                }
                0
            }
            Start::Folder(first) => *first,
        };
        // Where others begin to look, there is what they have found.
        let heads = [0, self.compiler.quoted].map(Start::Folder);
        let mut passed = vec![start];
        for index in first..self.compiler.folders.len() {
            let here = Start::Folder(index);
            let mut id = None;
            if heads.contains(&here) && !passed.contains(&here) {
                id = self.found.find(&here, name);
                passed.push(here);
            }
            if id.is_none() && self.has_folder(index, name) {
                let folder = &self.compiler.folders[index];
                let slash = if folder.path.ends_with('/') { "" } else { "/" };
                let path = format!("{}{slash}{name}", folder.path);
                let origin = folder.origin.max(including);
                let in_system = folder.origin.is_system();
                if self.text(&path, origin)?.is_some() {
                    let path = if in_system { shorter(path) } else { path };
                    id = Some(self.found.add(path.into(), FoundIn::Folder(index)));
                }
            }
            if let Some(id) = id {
                let names = passed.into_iter().map(|start| ((start, name.into()), id));
                self.found.found.extend(names);
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Whether a folder of the list has the one that a header's name begins with: most are in few, and each is asked
    /// for in all.
    fn has_folder(&mut self, index: usize, name: &str) -> bool {
        let Some((first, _)) = name.split_once('/') else { return true };
        let folders = &mut self.inner_folders;
        if let Some(&known) = folders.get(first).and_then(|known| known.get(&index)) {
            return known;
        }
        let path = Path::new(&self.compiler.folders[index].path).join(first);
        let there = path.exists();
        if let (false, Some(path)) = (there, path.to_str()) {
            self.absent.push(path.to_owned());
        }
        folders.entry(first.into()).or_default().insert(index, there);
        there
    }

    fn text(&mut self, path: &str, origin: Origin) -> Answer<Option<Rc<Text>>> {
        if let Some(known) = self.texts.get(path) {
            return Ok(known.clone());
        }
        let text = match read(Path::new(path)) {
            Some((bytes, metadata)) => {
                let state = headers::State::of(origin, &metadata, &bytes);
                self.reads.push(headers::Read { path: path.to_owned(), state });
                Some(Rc::new(Text::new(bytes, origin)?))
            }
            None => {
                self.absent.push(path.to_owned());
                None
            }
        };
        self.texts.insert(path.into(), text.clone());
        Ok(text)
    }

    pub(super) fn include(&mut self, found: Found, line: u32) -> Answer<()> {
        let Found { id, name, text, origin, found_in } = found;
        let is_ahead = self.read_ahead.iter().any(|(ahead, _)| **ahead == *name);
        let guard = match self.found.known[id as usize].guard {
            None if is_ahead => Some(first_guard(&text.bytes, &mut self.spellings)?),
            guard => guard,
        };
        if guard.is_some_and(|guard| self.is_defined(guard)) || self.once.contains(&name) {
            return Ok(());
        }
        if self.files.len() > DEEPEST {
            return Err(Leave);
        }
        if !is_ahead {
            self.found.include(id, origin.is_system());
        }
        self.printer.go_to(line);
        self.printer.set_file(&name, origin);
        self.printer.mark(1, " 1");
        self.open(name, id, Lexer::new(text, origin), found_in);
        Ok(())
    }
}
