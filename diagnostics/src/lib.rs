//! Located diagnostics shared by every level, rendered like rustc's.
//!
//! A [`Diagnostic`] is data: what is wrong, where, and what to do about it. It names its places by
//! file, line and column, so that a level need not keep its source alive to report on it. The
//! source line to quote is taken from the [`Sources`] given to [`Diagnostic::render`], or read
//! from disk, or left out.

use std::fmt;
use std::sync::Arc;

pub mod codes;
mod render;
mod suggest;

pub use render::Sources;
pub use suggest::did_you_mean;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Compilation or execution cannot give the right result; the exit status is not zero.
    Error,
    /// The result is right but probably not what was meant.
    Warning,
    /// A decision taken or not taken, with its reason (`-Minfo`).
    Remark,
    /// Additional information on another diagnostic.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        })
    }
}

/// A stretch of one line of a source text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// File name as the user knows it (`<stdin>` for standard input).
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1; 0 where only the line is known.
    pub column: u32,
    /// Length in bytes; 0 and 1 both mark one character.
    pub length: u32,
}

impl Place {
    /// A place of `length` bytes at `line:column` (both from 1) of `file`.
    pub fn new(file: impl Into<Arc<str>>, line: u32, column: u32, length: u32) -> Self {
        Place { file: file.into(), line, column, length }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.column == 0 {
            write!(f, "{}:{}", self.file, self.line)
        } else {
            write!(f, "{}:{}:{}", self.file, self.line, self.column)
        }
    }
}

/// One thing to tell the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable code (`GPUC0121`), where the message has one.
    pub code: Option<&'static str>,
    /// One sentence without a full stop: what is wrong.
    pub message: String,
    /// Where; `None` for errors without a source text (a missing file).
    pub place: Option<Place>,
    /// Where the file of the place is included, and where the one that does so is, with the line of each; empty in the source
    /// itself, and where it is not known.
    pub included_from: Vec<(Arc<str>, u32)>,
    /// Words printed under the primary place; often empty.
    pub label: String,
    /// Further places with a sentence each ("previous definition is here").
    pub related: Vec<(Place, String)>,
    /// What to know or do, a line each.
    pub help: Vec<String>,
    /// What was probably meant in place of the text at the place ([`Diagnostic::fix`]).
    pub replacement: Option<String>,
    /// Of a remark: whether it says what was not done, and why (`-Mneginfo`).
    pub missed: bool,
    /// Whether the host compiler says it, which was told itself what is an error (`-Werror`, `-Wno-error=NAME`).
    pub by_host: bool,
}

impl Diagnostic {
    /// A diagnostic without a place yet.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            code: None,
            message: message.into(),
            place: None,
            included_from: Vec::new(),
            label: String::new(),
            related: Vec::new(),
            help: Vec::new(),
            replacement: None,
            missed: false,
            by_host: false,
        }
    }

    /// An error.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// A remark.
    pub fn remark(message: impl Into<String>) -> Self {
        Self::new(Severity::Remark, message)
    }

    /// A remark on what was not done.
    pub fn missed(message: impl Into<String>) -> Self {
        Diagnostic { missed: true, ..Self::remark(message) }
    }

    /// Sets the primary place.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Sets the primary place if it is known.
    pub fn at_option(mut self, place: Option<Place>) -> Self {
        self.place = place.or(self.place);
        self
    }

    /// Sets the words under the primary place.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the stable code, one of [`codes`].
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// Adds a related place.
    pub fn related(mut self, place: Place, message: impl Into<String>) -> Self {
        self.related.push((place, message.into()));
        self
    }

    /// Adds a line of help.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Asks whether another name was meant, by which a program may replace the one at the place.
    pub fn meant(mut self, near: impl AsRef<str>) -> Self {
        let near = near.as_ref();
        self.replacement = Some(near.to_owned());
        self.help(format!("did you mean `{near}`?"))
    }

    /// What the text at the place may be replaced by, and where that is. `line` is the line of the place: what stands there has to be the
    /// name that the message is about, and nothing else, as it may be part of a macro.
    pub fn fix(&self, line: &str) -> Option<(&Place, &str)> {
        let (place, replacement) = self.place.as_ref().zip(self.replacement.as_deref())?;
        let start = (place.column as usize).checked_sub(1)?;
        let name = line.get(start..start + place.length as usize)?;
        let is_named = !name.is_empty() && self.message.contains(&format!("`{name}`"));
        is_named.then_some((place, replacement))
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The form for terminals: rustc's look with the source line and a caret, without a final
    /// newline. `color` adds ANSI colours.
    pub fn render(&self, sources: &Sources, color: bool) -> String {
        render::render(self, sources, color)
    }
}

/// One line, in the manner of cc: `file:line:col: error: message`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}: {}", self.severity, self.message)?;
        if let Some(code) = self.code {
            write!(f, " [{code}]")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_itself_is_replaced() {
        let error = Diagnostic::error("`copi` is not a clause").meant("copy");
        assert_eq!(error.help, ["did you mean `copy`?"]);
        let at = |column, length| error.clone().at(Place::new("a.c", 1, column, length));
        let line = "  copi(a) COPY";
        assert_eq!(at(3, 4).fix(line).map(|(_, text)| text), Some("copy"));
        for (column, length) in [(3, 3), (3, 0), (11, 4), (0, 4), (99, 4)] {
            assert_eq!(at(column, length).fix(line), None, "{column} {length}");
        }
        assert_eq!(error.fix(line), None);
    }
}
