//! The headers that a source begins with: what they come to is kept from one compilation to the next, and the declarations
//! of the system among them that nothing needs are left out, which neither gpuc nor the host compiler reads then.
//!
//! An entry is found by the compiler, its options, and the source's leading `#include`s with the macros that it defines between them. It is good as long as
//! every file that was read is the same and every one that was not there is still missing. With an entry or without, the
//! text is the same.
//!
//! | module | holds |
//! |---|---|
//! | [`pieces`] | the declarations of the headers' text, and what each declares and mentions |
//! | [`names`] | their names |
//! | [`stored`] | what is kept, and whether it is still good |

mod names;
mod pieces;
mod stored;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use gpuc_cache::Key;

use super::files::Known;
use super::lexer::{Lexer, Position, Text};
use super::macros::Macro;
use super::token::{FIRST, HASH, Kind, Origin, Spelling};
use super::{Answer, FoundIn, Leave, NO_FILE, Options, Preprocessor};
use names::NamesBuilder;
use pieces::{Piece, Pieces};
use stored::StoredFile;
pub(super) use stored::{Headers, Read, State};

/// What an entry says, and how: of another version of gpuc it may say something else.
const VERSION: &str = concat!("headers 4 of gpuc ", env!("CARGO_PKG_VERSION"));

/// A directive that the source has ahead of all else.
struct Leading {
    what: What,
    line: u32,
    /// Behind its `#`.
    word: Position,
    /// Behind its line.
    after: Position,
}

/// What it does.
enum What {
    Include {
        name: String,
        angled: bool,
    },
    /// A macro is defined, or is none any more: `_GNU_SOURCE`, say. The line as it stands there.
    Definition(Vec<u8>),
    /// `#ifdef _OPENACC` that holds, or its end: what stands between is there.
    Condition(Vec<u8>),
}

/// The macros of the families, which no header defines or takes away: whether they are there is known ahead of all headers.
const FAMILIES: [&str; 2] = ["_OPENACC", "_OPENMP"];

/// The macro of a family whose presence a condition is about, behind its `#`.
fn family_asked(line: &[u8]) -> Option<&'static str> {
    let line = std::str::from_utf8(line).ok()?.trim();
    let name = match line.strip_prefix("ifdef") {
        Some(name) => name.trim(),
        None => {
            let asked = line.strip_prefix("if")?.trim().strip_prefix("defined")?.trim();
            let inner = asked.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            inner.unwrap_or(asked).trim()
        }
    };
    FAMILIES.into_iter().find(|&family| family == name)
}

impl Preprocessor<'_> {
    /// Reads the headers that the source begins with. What they come to is not in the text yet: [`Headers::needed`] has
    /// it, once it is known what the source needs.
    pub(super) fn leading_headers(&mut self, options: &Options) -> Answer<Option<Rc<Headers>>> {
        let leading = self.leading()?;
        let Some(last) = leading.last() else { return Ok(None) };
        let after = last.after;
        let key = self.key_of_headers(&leading);
        let kept = options.headers.as_ref();
        let known = kept.and_then(|cache| Headers::decode(&cache.get(key)?));
        let headers = match known.filter(Headers::is_good) {
            Some(known) => {
                let headers = Rc::new(known);
                self.take_over(&headers);
                headers
            }
            None => {
                let start = self.printer.out.len();
                for directive in &leading {
                    self.carry_out(directive)?;
                }
                let Some(made) = self.made_of_headers(start) else { return Ok(None) };
                if let Some(cache) = kept.filter(|_| self.counter == 0 && !self.names_source) {
                    // Where it cannot be kept it is made again.
                    let _ = cache.put(key, &made.encode());
                }
                self.printer.out.truncate(start);
                Rc::new(made)
            }
        };
        self.lexer().go_back(after);
        let line = self.lexer().line;
        self.printer.begin_again(line);
        Ok(Some(headers))
    }

    /// The `#include`s ahead of everything but comments, macros, and conditions of a family's macro that hold, up to the last.
    fn leading(&mut self) -> Answer<Vec<Leading>> {
        let start = self.lexer().position();
        let mut found: Vec<Leading> = Vec::new();
        let mut headers = 0;
        // Of a condition that is open: how many directives stand in front of it.
        let mut open: Option<usize> = None;
        loop {
            let Preprocessor { files, spellings, .. } = self;
            let token = files.last_mut().ok_or(Leave)?.lexer.token(spellings, false)?;
            if !token.has(FIRST) || !token.is(HASH) {
                break;
            }
            let word = self.lexer().position();
            let name = self.directive_token()?;
            let what = match self.spellings.text(name.spelling) {
                b"include" => {
                    let (name, angled) = self.header_name()?;
                    if self.directive_token()?.kind != Kind::End {
                        return Err(Leave);
                    }
                    self.lexer().finish_line()?;
                    What::Include { name, angled }
                }
                b"define" | b"undef" => {
                    self.lexer().finish_line()?;
                    What::Definition(self.lexer().since(word).to_vec())
                }
                b"ifdef" | b"if" | b"endif" => {
                    let ends = self.spellings.text(name.spelling) == b"endif";
                    self.lexer().finish_line()?;
                    let line = self.lexer().since(word).to_vec();
                    match (ends, open) {
                        (true, Some(_)) => {}
                        (false, None) if self.holds(&line) => open = Some(found.len()),
                        _ => break,
                    }
                    What::Condition(line)
                }
                _ => break,
            };
            let after = self.lexer().position();
            let is_header = matches!(what, What::Include { .. });
            let ends =
                matches!(&what, What::Condition(_)) && open.is_some_and(|at| at < found.len());
            found.push(Leading { what, line: token.line, word, after });
            if ends {
                // With what it has in it, it is as good as a header.
                open = None;
                headers = found.len();
            } else if is_header && open.is_none() {
                headers = found.len();
            }
        }
        found.truncate(headers);
        self.lexer().go_back(found.last().map_or(start, |last| last.after));
        Ok(found)
    }

    /// Whether a condition is about a family's macro alone, and it is there.
    fn holds(&mut self, line: &[u8]) -> bool {
        let Some(family) = family_asked(line) else { return false };
        let name = self.spellings.number(family.as_bytes());
        self.is_defined(name)
    }

    fn key_of_headers(&self, leading: &[Leading]) -> Key {
        let identity = self.compiler.identity();
        let mut parts: Vec<&[u8]> = vec![VERSION.as_bytes(), identity.as_bytes()];
        parts.push(self.compiler.ahead_of_all());
        // Beside the source is where a name in quotes is looked for first.
        let name = &self.files[0].name;
        let folder = name.rfind('/').map_or("", |end| &name[..=end]);
        for directive in leading {
            match &directive.what {
                What::Include { name, angled: true } => parts.extend([&b"<"[..], name.as_bytes()]),
                What::Include { name, .. } => parts.extend([folder.as_bytes(), name.as_bytes()]),
                What::Definition(line) | What::Condition(line) => parts.extend([&b"#"[..], line]),
            }
        }
        Key::of(parts)
    }

    /// Reads a header and all that it includes, or defines a macro.
    fn carry_out(&mut self, directive: &Leading) -> Answer<()> {
        if matches!(directive.what, What::Condition(_)) {
            self.lexer().go_back(directive.after);
            return Ok(());
        }
        let What::Include { name, angled } = &directive.what else {
            self.lexer().go_back(directive.word);
            return self.directive(directive.line);
        };
        self.lexer().go_back(directive.after);
        let found = self.find(name, *angled, false)?.ok_or(Leave)?;
        self.include(found, directive.line)?;
        self.stops_behind_header = true;
        while self.files.len() > 1 {
            let token = self.expanded()?;
            if token.kind == Kind::End {
                break;
            }
            self.printer.token(&token, &self.spellings);
        }
        self.stops_behind_header = false;
        Ok(())
    }

    /// What the headers that were read came to; nothing where their text is not one of whole declarations.
    fn made_of_headers(&mut self, start: usize) -> Option<Headers> {
        // Ended as a line.
        self.printer.finish();
        let text = self.printer.out[start..].to_vec();
        let mut names = NamesBuilder::default();
        let pieces = Pieces::of(&text, &mut names).ok()?;
        let spelled = |spelling: Spelling| {
            std::str::from_utf8(self.spellings.text(spelling)).ok().map(str::to_owned)
        };
        let mut files = Vec::new();
        for Known { path, found_in, guard } in &self.found.known {
            let guard = guard.map_or(Some(String::new()), spelled)?;
            files.push(StoredFile { path: path.to_string(), found_in: *found_in, guard });
        }
        // The source has another name each time.
        files.first_mut()?.path.clear();
        let found = self.found.found.iter().filter(|&(_, &file)| file > 0);
        let mut found: Vec<_> =
            found.map(|((start, name), file)| (start.clone(), name.to_string(), *file)).collect();
        found.sort();
        let included = self.found.included.clone();
        let mut once: Vec<String> = self.once.iter().map(ToString::to_string).collect();
        once.sort();
        let names = names.finish();
        let (reads, absent) = (self.reads.clone(), self.absent.clone());
        Some(Headers { text, names, pieces, files, included, found, once, reads, absent })
    }

    /// Goes on as if the headers had been read.
    fn take_over(&mut self, headers: &Rc<Headers>) {
        // Behind the source, which is the first.
        for StoredFile { path, found_in, guard } in headers.files.iter().skip(1) {
            let id = self.found.add(path.as_str().into(), *found_in);
            let guard = Some(guard).filter(|guard| !guard.is_empty());
            let guard = guard.map(|guard| self.spellings.number(guard.as_bytes()));
            self.found.known[id as usize].guard = guard;
        }
        let found = headers.found.iter();
        let found = found.map(|(start, name, file)| ((start.clone(), name.as_str().into()), *file));
        self.found.found.extend(found);
        headers.included.iter().for_each(|&(file, is_system)| self.found.include(file, is_system));
        self.once.extend(headers.once.iter().map(|file| file.as_str().into()));
        self.headers = Some(headers.clone());
        self.resolved = 0;
    }

    /// Defines the macros of headers whose names have come up: of thousands, a source uses some.
    pub(super) fn resolve(&mut self) {
        let Some(headers) = self.headers.clone() else { return };
        // Those in the bodies come up by that.
        while self.resolved < self.spellings.len() {
            let spelling = self.resolved as Spelling;
            self.resolved += 1;
            let Some(of) = headers.macro_named(self.spellings.text(spelling)) else { continue };
            let (text, origin) = of;
            let new = match text {
                None => None,
                Some(text) => match self.definition_in(text, origin) {
                    Ok(new) => Some(Rc::new(new)),
                    // It has been read once: nothing that can happen.
                    Err(Leave) => {
                        self.is_broken = true;
                        None
                    }
                },
            };
            let index = spelling as usize;
            if self.macros.len() <= index {
                self.macros.resize_with(index + 1, || None);
            }
            self.macros[index] = new;
        }
    }

    /// The macro of a text that stood behind `#define`.
    fn definition_in(&mut self, text: &[u8], origin: Origin) -> Answer<Macro> {
        let text = Text { bytes: [text, b"\n"].concat(), joints: Vec::new() };
        let lexer = Lexer::new(Rc::new(text), origin);
        self.open("".into(), NO_FILE, lexer, FoundIn::Named);
        let new = self.read_definition();
        self.files.pop();
        new.map(|(_, new)| new)
    }
}

impl Headers {
    /// What a macro's definition is, and whose; `None` in its place where the headers take it away.
    fn macro_named(&self, name: &[u8]) -> Option<(Option<&[u8]>, Origin)> {
        let id = self.names.find(name)?;
        let macros = &self.pieces.macros;
        let of = &macros[macros.binary_search_by_key(&id, |of| of.name).ok()?];
        let origin = match &self.pieces.files[of.file as usize].flags[..] {
            b"" => Origin::User,
            _ => Origin::System,
        };
        let text = &self.text[of.start as usize..of.end as usize];
        Some((Some(text).filter(|text| !text.is_empty()), origin))
    }

    /// Writes what stays, and what `text`, the rest of the source, needs of the others.
    pub fn needed(&self, text: &[u8], out: &mut Vec<u8>) {
        let mut last: Option<&Piece> = None;
        for piece in self.kept(text) {
            let span = piece.start as usize..piece.end as usize;
            if !out.ends_with(b"\n") && (piece.is_directive || last.is_none()) {
                out.push(b'\n');
            }
            // Between two that follow each other stand at most the ends of lines.
            let gap = last.map(|last| &self.text[last.end as usize..piece.start as usize]);
            match gap {
                Some(gap) if gap.iter().all(|byte| byte.is_ascii_whitespace()) => {
                    out.extend_from_slice(gap);
                }
                _ if piece.is_directive && !self.is_pragma(piece) => {}
                _ => {
                    if !out.ends_with(b"\n") {
                        out.push(b'\n');
                    }
                    let file = &self.pieces.files[piece.file as usize];
                    out.extend_from_slice(format!("# {} ", piece.line).as_bytes());
                    out.extend_from_slice(&file.name);
                    out.extend_from_slice(&file.flags);
                    out.push(b'\n');
                }
            }
            out.extend_from_slice(&self.text[span]);
            // A definition may stand without its place, from which nothing can be counted.
            last = (!piece.is_directive).then_some(piece);
        }
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
    }

    fn is_pragma(&self, piece: &Piece) -> bool {
        self.text[piece.start as usize..].starts_with(b"#pragma")
    }

    /// The pieces that stay and those that these and a text need.
    fn kept(&self, text: &[u8]) -> impl Iterator<Item = &Piece> {
        let Pieces { pieces, ids, .. } = &self.pieces;
        let mut needed = vec![false; self.names.len()];
        for name in names::of_text(text) {
            if let Some(id) = self.names.find(name) {
                needed[id as usize] = true;
            }
        }
        let mut kept = vec![false; pieces.len()];
        // Most stand behind what they mention; what is declared ahead and defined later takes another round.
        loop {
            let mut is_new = false;
            let mut end = ids.len();
            for (piece, kept) in pieces.iter().zip(&mut kept).rev() {
                let [first, mentioned] = [piece.first, piece.mentioned].map(|at| at as usize);
                let is_wanted =
                    piece.stays || ids[first..mentioned].iter().any(|&id| needed[id as usize]);
                if !*kept && is_wanted {
                    (*kept, is_new) = (true, true);
                    ids[first..end].iter().for_each(|&id| needed[id as usize] = true);
                }
                end = first;
            }
            if !is_new {
                break;
            }
        }
        pieces.iter().zip(kept).filter_map(|(piece, kept)| kept.then_some(piece))
    }
}
