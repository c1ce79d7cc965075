//! From byte offsets of the preprocessed text back to the places the user wrote.
//!
//! The preprocessor tells the file and line of everything by its line markers, but the columns of
//! its text are its own: runs of blanks shrink, macros expand, continued lines are joined, a
//! `_Pragma` becomes a line. The column is therefore looked up in the user's file: the word at the
//! offset is found there as the same occurrence of that word in the (logical) line.

use std::sync::{Arc, OnceLock};

use gpuc_diagnostics::Place;

/// A stretch of the preprocessed text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// From `start` up to and without `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The least span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as a range of indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One line marker: what follows `offset` is `line` of `file`.
#[derive(Clone, Copy, Debug)]
struct Marker {
    offset: u32,
    file: u32,
    line: u32,
    system: bool,
}

#[derive(Debug)]
struct File {
    name: Arc<str>,
    /// The file as it is on disk, read when a column in it is first asked for.
    content: OnceLock<Option<Content>>,
}

/// A text with the offsets at which its lines start.
#[derive(Debug)]
struct Content {
    text: Vec<u8>,
    line_starts: Vec<u32>,
}

impl Content {
    fn new(text: Vec<u8>) -> Self {
        Content { line_starts: line_starts(&text), text }
    }

    /// Line `index` (from 0), without its newline.
    fn line(&self, index: usize) -> Option<&[u8]> {
        let start = *self.line_starts.get(index)? as usize;
        let end =
            self.line_starts.get(index + 1).map_or(self.text.len(), |&next| next as usize - 1);
        Some(&self.text[start..end])
    }
}

fn line_starts(text: &[u8]) -> Vec<u32> {
    let newlines = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect()
}

/// The preprocessed text with its line table.
#[derive(Debug)]
pub struct Source {
    text: Arc<[u8]>,
    files: Vec<File>,
    markers: Vec<Marker>,
    /// Where the lines of the text start; found when first asked for.
    line_starts: OnceLock<Vec<u32>>,
    /// The length of what the program has written; text of ours stands behind.
    written: usize,
}

impl Source {
    /// The text with no marker seen yet; its lines belong to `name`.
    pub fn new(text: Arc<[u8]>, name: &str) -> Self {
        let written = text.len();
        let line_starts = OnceLock::new();
        let mut source =
            Source { text, files: Vec::new(), markers: Vec::new(), line_starts, written };
        source.mark(0, name, 1, false);
        source
    }

    /// The whole preprocessed text.
    pub fn text(&self) -> &Arc<[u8]> {
        &self.text
    }

    /// What the program has written of it.
    pub fn written(&self) -> &[u8] {
        &self.text[..self.written]
    }

    /// Puts text of ours behind it, which means something at the place `at`.
    pub(crate) fn append(&mut self, text: &str, at: u32) -> Span {
        let (file, line) = self.line(at);
        let start = self.text.len() + 1;
        self.text = [&self.text, b"\n".as_slice(), text.as_bytes()].concat().into();
        self.line_starts = OnceLock::new();
        self.mark(start, &file, line, false);
        Span::new(start as u32, self.text.len() as u32)
    }

    /// The bytes of `span`.
    pub fn slice(&self, span: Span) -> &[u8] {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Records that the text from `offset` on is `line` of `file`; offsets must not decrease.
    pub(crate) fn mark(&mut self, offset: usize, file: &str, line: u32, system: bool) {
        let last = self.markers.last().map(|m| m.file as usize);
        let known = last
            .filter(|&i| &*self.files[i].name == file)
            .or_else(|| self.files.iter().position(|f| &*f.name == file));
        let file = known.unwrap_or_else(|| {
            self.files.push(File { name: file.into(), content: OnceLock::new() });
            self.files.len() - 1
        });
        self.markers.push(Marker { offset: offset as u32, file: file as u32, line, system });
    }

    /// The file of the last marker.
    pub(crate) fn current_file(&self) -> Arc<str> {
        let file = self.markers.last().map_or(0, |m| m.file as usize);
        self.files[file].name.clone()
    }

    /// Gives the content of `file` instead of reading it from disk (standard input, tests).
    pub fn set_content(&self, file: &str, content: &[u8]) {
        if let Some(file) = self.files.iter().find(|f| &*f.name == file) {
            let _ = file.content.set(Some(Content::new(content.to_vec())));
        }
    }

    fn marker(&self, offset: u32) -> &Marker {
        let after = self.markers.partition_point(|m| m.offset <= offset);
        &self.markers[after.saturating_sub(1)]
    }

    /// Whether `offset` stands in a system header.
    pub fn is_system(&self, offset: u32) -> bool {
        self.marker(offset).system
    }

    /// File and line of `offset`, cheaper than [`Source::place`].
    pub fn line(&self, offset: u32) -> (Arc<str>, u32) {
        let marker = self.marker(offset);
        let lines = self.line_index(offset) - self.line_index(marker.offset);
        (self.files[marker.file as usize].name.clone(), marker.line.saturating_add(lines as u32))
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| line_starts(&self.text))
    }

    /// The number (from 0) of the text's own line that holds `offset`.
    fn line_index(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The column (from 1) of `offset` in the preprocessed text; the user's is told by
    /// [`Source::place`].
    pub fn preprocessed_column(&self, offset: u32) -> u32 {
        offset - self.line_starts()[self.line_index(offset)] + 1
    }

    /// Where the user wrote what stands at `span`.
    pub fn place(&self, span: Span) -> Place {
        let start = (span.start as usize).min(self.text.len());
        let (file, line) = self.line(span.start);
        let shown = self.shown_line(start, &file, line);
        let end = (span.end as usize).max(start);
        let from = shown.offset_of(start).unwrap_or(0);
        let to = shown.offset_of(end).unwrap_or(shown.text.len()).max(from);
        let marker = self.marker(start as u32);
        let written = self.files[marker.file as usize]
            .content
            .get_or_init(|| std::fs::read(&*file).ok().map(Content::new))
            .as_ref()
            .and_then(|content| LogicalLine::find(content, line));
        match written {
            Some(written) => written.locate(&shown.text, from..to, &file, line),
            None => Place::new(file, line, from as u32 + 1, (to - from) as u32),
        }
    }

    /// The line of the preprocessed text around `offset`, and whether the user's file has the same bytes
    /// there, so that columns need no search.
    pub fn written_line(&self, offset: u32) -> (std::ops::Range<u32>, bool) {
        let starts = self.line_starts();
        let index = self.line_index(offset);
        let start = starts[index];
        let end = starts.get(index + 1).map_or(self.text.len() as u32, |&next| next - 1);
        let (file, line) = self.line(offset);
        let marker = self.marker(offset);
        let content = self.files[marker.file as usize]
            .content
            .get_or_init(|| std::fs::read(&*file).ok().map(Content::new));
        let shown = &self.text[start as usize..end as usize];
        let same = content.as_ref().and_then(|content| {
            content.line((line as usize).checked_sub(1)?).map(|written| written == shown)
        });
        (start..end, same == Some(true))
    }

    /// All of the preprocessed text that belongs to the line around `at`: the preprocessor breaks
    /// lines around `_Pragma`s and around macros of system headers, with line markers between.
    fn shown_line(&self, at: usize, file: &Arc<str>, line: u32) -> ShownLine {
        let text = &self.text;
        let starts = self.line_starts();
        let line_start = |at: usize| starts[self.line_index(at as u32)] as usize;
        let line_end = |at: usize| {
            let next = starts.get(self.line_index(at as u32) + 1);
            next.map_or(text.len(), |&next| next as usize - 1)
        };
        let is_marker = |start: usize| {
            text[start..].starts_with(b"# ") && text.get(start + 2).is_some_and(u8::is_ascii_digit)
        };
        let belongs = |start: usize| {
            let (f, l) = self.line(start as u32);
            l == line && f == *file
        };
        let mut before = line_start(at);
        let mut pieces: Vec<_> = std::iter::once(before..line_end(at)).collect();
        while before > 0 {
            before = line_start(before - 1);
            if is_marker(before) {
                continue;
            }
            if !belongs(before) {
                break;
            }
            pieces.insert(0, before..line_end(before));
        }
        let mut after = line_end(at) + 1;
        while after < text.len() {
            let end = line_end(after);
            if !is_marker(after) {
                if !belongs(after) {
                    break;
                }
                pieces.push(after..end);
            }
            after = end + 1;
        }
        let mut shown = ShownLine { text: Vec::new(), pieces: Vec::new() };
        for piece in pieces {
            shown.pieces.push((piece.clone(), shown.text.len()));
            shown.text.extend_from_slice(&text[piece]);
            shown.text.push(b' ');
        }
        shown.text.pop();
        shown
    }
}

/// A line of the preprocessed text, put together from its pieces.
struct ShownLine {
    text: Vec<u8>,
    /// Where each piece is in the whole text, and where it starts in this line.
    pieces: Vec<(std::ops::Range<usize>, usize)>,
}

impl ShownLine {
    fn offset_of(&self, at: usize) -> Option<usize> {
        let (range, start) = self.pieces.iter().find(|(r, _)| r.start <= at && at <= r.end)?;
        Some(start + at - range.start)
    }
}

/// A line of the user's file together with the lines that continue it.
struct LogicalLine<'a> {
    lines: Vec<&'a [u8]>,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Length of the word or of the one mark at the start of `text`.
fn word_length(text: &[u8]) -> usize {
    match text.iter().position(|&b| !is_word(b)) {
        Some(0) => 1,
        Some(n) => n,
        None => text.len(),
    }
}

/// Offsets at which `word` stands as a whole word.
fn occurrences<'a>(text: &'a [u8], word: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let whole = |at: usize| {
        let (before, after) = (at.checked_sub(1), at + word.len());
        !is_word(word[0])
            || !(before.is_some_and(|b| is_word(text[b]))
                || text.get(after).is_some_and(|&b| is_word(b)))
    };
    text.windows(word.len().max(1))
        .enumerate()
        .filter(move |(at, window)| !word.is_empty() && *window == word && whole(*at))
        .map(|(at, _)| at)
}

impl<'a> LogicalLine<'a> {
    fn find(content: &'a Content, line: u32) -> Option<Self> {
        let mut index = (line as usize).checked_sub(1)?;
        let mut lines = vec![content.line(index)?];
        while lines.last().is_some_and(|l| l.trim_ascii_end().ends_with(b"\\")) {
            index += 1;
            match content.line(index) {
                Some(next) => lines.push(next),
                None => break,
            }
        }
        Some(LogicalLine { lines })
    }

    /// Line (from 0) and column (from 0) of the `nth` occurrence of `word`, provided that it
    /// occurs `count` times.
    fn nth(&self, word: &[u8], nth: usize, count: usize) -> Option<(usize, usize)> {
        let mut found = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            found.extend(occurrences(line, word).map(|at| (index, at)));
        }
        if found.len() == count { found.get(nth).copied() } else { None }
    }

    /// The same word in this line as at `at` in the preprocessed line `shown`.
    fn same_word(&self, shown: &[u8], at: usize) -> Option<(usize, usize)> {
        let word = &shown[at..at + word_length(&shown[at..]).min(shown.len() - at)];
        let nth = occurrences(shown, word).take_while(|&o| o < at).count();
        self.nth(word, nth, occurrences(shown, word).count())
    }

    fn locate(&self, shown: &[u8], span: std::ops::Range<usize>, file: &str, line: u32) -> Place {
        // `line` counts the lines of the preprocessed text; a joined line starts at its first.
        let place = |(index, column): (usize, usize), length: usize| {
            Place::new(file, line + index as u32, column as u32 + 1, length as u32)
        };
        if self.lines[0] == shown {
            return place((0, span.start), span.len());
        }
        if span.start < shown.len()
            && let Some(start) = self.same_word(shown, span.start)
        {
            let mut length = word_length(&shown[span.start..]).min(span.len().max(1));
            // The end of the span by its last word, where that stands on the same line.
            let last_byte = span.end.saturating_sub(1).max(span.start);
            let mut last = last_byte;
            while last > span.start && is_word(shown[last]) && is_word(shown[last - 1]) {
                last -= 1;
            }
            if let Some(end) = self.same_word(shown, last)
                && end.0 == start.0
                && end.1 >= start.1
            {
                length = end.1 + (last_byte + 1 - last) - start.1;
            }
            return place(start, length);
        }
        // The word comes out of a macro: the macro's name is a word that the preprocessed line
        // lacks, behind whatever precedes the word in both.
        let anchor = (0..span.start.min(shown.len()))
            .rev()
            .filter(|&at| !shown[at].is_ascii_whitespace())
            .filter(|&at| at == 0 || !(is_word(shown[at]) && is_word(shown[at - 1])))
            .find_map(|at| self.same_word(shown, at))
            .unwrap_or((0, 0));
        // Behind, or around it where the word in between is one of the macro's arguments.
        let mut enclosing = None;
        for (index, text) in self.lines.iter().enumerate() {
            let mut at = 0;
            while at < text.len() {
                let length = word_length(&text[at..]);
                let word = &text[at..at + length];
                let name = word[0].is_ascii_alphabetic() || word[0] == b'_';
                if name && word != b"_Pragma" && occurrences(shown, word).next().is_none() {
                    if (index, at) >= anchor {
                        return place((index, at), length);
                    }
                    enclosing = Some(place((index, at), length));
                }
                at += length;
            }
        }
        if let Some(enclosing) = enclosing {
            return enclosing;
        }
        Place::new(file, line, 0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_the_users() {
        let text = "# 1 \"t.c\"\n#pragma acc loop private(n) gang\n\n a = 5 + a;\n";
        let user = "  #pragma   acc loop  \\\n   private(n)   gang\nx\n  a  =  N + a;\n";
        let mut source = Source::new(text.as_bytes().into(), "t.c");
        source.mark(10, "t.c", 1, false);
        source.set_content("t.c", user.as_bytes());
        let place = |word: &str, nth: usize| {
            let at = text.match_indices(word).nth(nth).unwrap().0 as u32;
            let place = source.place(Span::new(at, at + word.len() as u32));
            (place.line, place.column, place.length)
        };
        assert_eq!(place("acc", 0), (1, 13, 3));
        assert_eq!(place("private", 0), (2, 4, 7));
        assert_eq!(place("(n)", 0), (2, 11, 3));
        assert_eq!(place("gang", 0), (2, 17, 4));
    }

    #[test]
    fn a_word_out_of_a_macro_stands_at_its_name() {
        let text = "  a = 5 + a;\n";
        let source = Source::new(text.as_bytes().into(), "t.c");
        source.set_content("t.c", b"  a  =  N + a;\n");
        let place = |start, end| {
            let place = source.place(Span::new(start, end));
            (place.line, place.column, place.length)
        };
        assert_eq!(place(10, 11), (1, 13, 1));
        assert_eq!(place(6, 7), (1, 9, 1));
        assert_eq!(place(2, 11), (1, 3, 11));
    }
}
