//! Places in the text being read.

use std::sync::{Arc, OnceLock};

use gpuc_diagnostics::Place;

/// A stretch of the text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) length: u32,
}

impl Span {
    /// From the start of `self` to the end of `other`.
    pub(crate) fn to(self, other: Span) -> Span {
        let end = (other.start + other.length).max(self.start + self.length);
        Span { start: self.start, length: end - self.start }
    }
}

/// A text with its name and the starts of its lines, which are looked for when they are needed.
#[derive(Debug)]
pub(crate) struct SourceText<'a> {
    pub(crate) text: &'a str,
    pub(crate) file: Arc<str>,
    line_starts: OnceLock<Vec<u32>>,
}

impl<'a> SourceText<'a> {
    pub(crate) fn new(text: &'a str, file: &str) -> Self {
        SourceText { text, file: file.into(), line_starts: OnceLock::new() }
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let bytes = self.text.bytes().enumerate();
            let starts = bytes.filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1);
            std::iter::once(0).chain(starts).collect()
        })
    }

    /// Line of a byte, from 1.
    pub(crate) fn line(&self, at: u32) -> u32 {
        self.line_starts().partition_point(|&start| start <= at) as u32
    }

    /// The place of a span; one that goes over the end of its line is cut there.
    pub(crate) fn place(&self, span: Span) -> Place {
        let line = self.line(span.start);
        let start = self.line_starts()[line as usize - 1];
        let end =
            self.line_starts().get(line as usize).map_or(self.text.len() as u32, |&next| next - 1);
        let length = span.length.min(end.saturating_sub(span.start)).max(1);
        Place::new(self.file.clone(), line, span.start - start + 1, length)
    }
}
