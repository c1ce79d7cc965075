//! A document's text, and the editor's positions in it.
//!
//! Editors count columns in UTF-16 code units, or in bytes where both sides agree on that; diagnostics count
//! bytes from 1.

use std::ops::Range;

use gpuc_diagnostics::Place;
use lsp_types::Position;

/// In what the editor counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// UTF-16 code units.
    Utf16,
    /// Bytes.
    Utf8,
}

/// A text with its lines.
#[derive(Clone, Debug)]
pub struct Text {
    text: String,
    /// Where lines start.
    starts: Vec<usize>,
    columns: Columns,
}

impl Text {
    /// The text whose columns the editor counts so.
    pub fn new(text: String, columns: Columns) -> Text {
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect();
        Text { text, starts, columns }
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// In what the editor counts its columns.
    pub fn columns(&self) -> Columns {
        self.columns
    }

    /// How many lines there are; one behind the last newline counts.
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// Where a line (from 0) stands, without its newline; the end of the text where there is none.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let Some(&start) = self.starts.get(line) else { return self.text.len()..self.text.len() };
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let carriage = self.text[start..end].ends_with('\r');
        start..end - usize::from(carriage)
    }

    /// A line (from 0), without its newline.
    pub fn line(&self, line: usize) -> &str {
        &self.text[self.line_range(line)]
    }

    /// The line (from 0) of an offset.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The offset of a position; of one behind a line's end that end.
    pub fn offset(&self, position: Position) -> usize {
        let range = self.line_range(position.line as usize);
        let column = position.character as usize;
        let line = &self.text[range.clone()];
        if self.columns == Columns::Utf8 {
            let mut column = column.min(line.len());
            while !line.is_char_boundary(column) {
                column -= 1;
            }
            return range.start + column;
        }
        let mut units = 0;
        for (at, c) in line.char_indices() {
            if units >= column {
                return range.start + at;
            }
            units += c.len_utf16();
        }
        range.end
    }

    /// The position of an offset.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.line_of(offset);
        let start = self.starts[line];
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[start..end.max(start)];
        let column = match self.columns {
            Columns::Utf8 => before.len(),
            Columns::Utf16 => before.encode_utf16().count(),
        };
        Position::new(line as u32, column as u32)
    }

    /// The editor's range of a range of offsets.
    pub fn range(&self, range: Range<usize>) -> lsp_types::Range {
        lsp_types::Range::new(self.position(range.start), self.position(range.end))
    }

    /// What to underline of a place: a whole line without its indentation where no column is known, and a whole
    /// word where its length is not.
    pub fn marked(&self, place: &Place) -> Range<usize> {
        let line = self.line_range((place.line as usize).saturating_sub(1));
        let text = &self.text[line.clone()];
        if place.column == 0 {
            let indented = text.len() - text.trim_start().len();
            return line.start + indented..line.end;
        }
        let mut start = (line.start + place.column as usize - 1).min(line.end);
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        if place.length > 1 {
            let mut end = (start + place.length as usize).min(line.end);
            while !self.text.is_char_boundary(end) {
                end -= 1;
            }
            return start..end;
        }
        let rest = &self.text[start..line.end];
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let one = rest.chars().next().map_or(0, char::len_utf8);
        start..start + word.max(one)
    }

    /// The stretch of characters of a kind around an offset, on its line; empty where there is none.
    pub fn around(&self, offset: usize, is_part: impl Fn(char) -> bool) -> Range<usize> {
        let line = self.line_range(self.line_of(offset));
        let (before, behind) = (&self.text[line.start..offset], &self.text[offset..line.end]);
        let tail = before.chars().rev().take_while(|&c| is_part(c)).map(char::len_utf8);
        let head = behind.chars().take_while(|&c| is_part(c)).map(char::len_utf8);
        offset - tail.sum::<usize>()..offset + head.sum::<usize>()
    }

    /// The word around an offset.
    pub fn word(&self, offset: usize) -> &str {
        &self.text[self.around(offset, is_word)]
    }
}

/// Whether names of C consist of it.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_agreed() {
        let text = |columns| Text::new("a\r\nü𝄞x y\n".to_owned(), columns);
        for (columns, x) in [(Columns::Utf16, 3), (Columns::Utf8, 6)] {
            let text = text(columns);
            let offset = text.offset(Position::new(1, x));
            assert_eq!(&text.as_str()[offset..], "x y\n");
            assert_eq!(text.position(offset), Position::new(1, x));
            assert_eq!(text.line(0), "a");
            assert_eq!(text.offset(Position::new(0, 99)), 1);
            assert_eq!(text.offset(Position::new(99, 0)), text.as_str().len());
            assert_eq!(text.word(offset), "x");
        }
    }

    #[test]
    fn what_is_marked_is_never_empty_where_there_is_something() {
        let text = Text::new("  foo(bar);\n".to_owned(), Columns::Utf8);
        let marked =
            |column, length| &text.as_str()[text.marked(&Place::new("a", 1, column, length))];
        assert_eq!(marked(0, 0), "foo(bar);");
        assert_eq!(marked(3, 0), "foo");
        assert_eq!(marked(3, 8), "foo(bar)");
        assert_eq!(marked(6, 1), "(");
        assert_eq!(marked(99, 99), "");
    }
}
