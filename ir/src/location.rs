//! Where an operation comes from.

use gpuc_diagnostics::Place;

use crate::attrs::Attr;
use crate::context::{Context, Ident};

cranelift_entity::entity_impl!(Location, "loc");

/// A location; a key into the [`Context`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location(pub(crate) u32);

impl Location {
    /// `loc(unknown)`; made first in every context.
    pub const UNKNOWN: Location = Location(0);
}

/// What a [`Location`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LocationKind {
    /// `unknown`.
    Unknown,
    /// `"file":line:column`.
    File {
        /// File name.
        file: Ident,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
    },
    /// `"file":line:column to end_line:end_column`, what stands before the end; on one line
    /// `"file":line:column to :end_column`.
    Range {
        /// File name.
        file: Ident,
        /// Line of the start, from 1.
        line: u32,
        /// Column of the start, from 1.
        column: u32,
        /// Line of the end, from 1.
        end_line: u32,
        /// Column behind the last character, from 1.
        end_column: u32,
    },
    /// `"name"(child)`.
    Name {
        /// The name.
        name: Ident,
        /// Where the named thing is.
        child: Location,
    },
    /// `callsite(callee at caller)`.
    CallSite {
        /// In the function called.
        callee: Location,
        /// Where it is called.
        caller: Location,
    },
    /// `fused<metadata>[...]`.
    Fused {
        /// Its parts.
        parts: Box<[Location]>,
        /// What a pass noted.
        metadata: Option<Attr>,
    },
}

impl Context {
    /// `"file":line:column`.
    pub fn file_location(&mut self, file: Ident, line: u32, column: u32) -> Location {
        self.add_location(LocationKind::File { file, line, column })
    }

    /// `"file":line:column to end_line:end_column`; without an extent the place of its start.
    pub fn range_location(&mut self, file: Ident, start: (u32, u32), end: (u32, u32)) -> Location {
        let ((line, column), (end_line, end_column)) = (start, end);
        if start == end {
            return self.file_location(file, line, column);
        }
        self.add_location(LocationKind::Range { file, line, column, end_line, end_column })
    }

    /// The file, line and column that a person would look at: the callee's side of a call site,
    /// the first known part of a fused location.
    pub fn place(&self, location: Location) -> Option<Place> {
        match self.location_kind(location) {
            LocationKind::Unknown => None,
            &LocationKind::File { file, line, column } => {
                Some(Place::new(self.str(file), line, column, 1))
            }
            &LocationKind::Range { file, line, column, end_line, end_column } => {
                let length = if line == end_line { end_column.saturating_sub(column) } else { 1 };
                Some(Place::new(self.str(file), line, column, length))
            }
            &LocationKind::Name { child, .. } => self.place(child),
            &LocationKind::CallSite { callee, caller } => {
                self.place(callee).or_else(|| self.place(caller))
            }
            LocationKind::Fused { parts, .. } => parts.iter().find_map(|&part| self.place(part)),
        }
    }

    /// Where the code of a location was called from, innermost call first.
    pub fn callers(&self, location: Location) -> Vec<Place> {
        match self.location_kind(location) {
            &LocationKind::CallSite { callee, caller } => {
                let mut places = self.callers(callee);
                places.extend(self.place(caller));
                places.extend(self.callers(caller));
                places
            }
            &LocationKind::Name { child, .. } => self.callers(child),
            LocationKind::Fused { parts, .. } => {
                let mut called = parts.iter().map(|&part| self.callers(part));
                called.find(|places| !places.is_empty()).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}
