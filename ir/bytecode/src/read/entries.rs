//! The table of attributes and types: where each stands, and what it is once it is wanted.

use gpuc_ir::text::{DEPTH_LIMIT, parse_type};
use gpuc_ir::{Attr, AttrKind, Ident, Location, Type};

use super::{Reader, entry, expect_end};
use crate::bytes::{Cursor, Damage, Result};

/// Entries of one kind.
pub(super) type Entries<'f, T> = Vec<Entry<'f, T>>;

#[derive(Clone, Copy)]
pub(super) struct Entry<'f, T> {
    dialect: Ident,
    /// In the encoding of the dialect, not as text.
    is_encoded: bool,
    contents: Cursor<'f>,
    state: State<T>,
}

#[derive(Clone, Copy)]
enum State<T> {
    Unread,
    /// Being read: who names it now names itself.
    Open,
    Known(T),
}

impl<'f> Reader<'_, 'f> {
    pub(super) fn read_entries(
        &mut self,
        mut sizes: Cursor<'f>,
        mut contents: Cursor<'f>,
    ) -> Result<()> {
        let at = sizes.at();
        let (attrs, types) = (sizes.number()?, sizes.number()?);
        let attrs = sizes.fits(at, attrs)?;
        let types = sizes.fits(at, types)?;
        self.attrs = read_table(&self.dialects, &mut sizes, &mut contents, attrs)?;
        self.types = read_table(&self.dialects, &mut sizes, &mut contents, types)?;
        expect_end(&sizes)?;
        expect_end(&contents)
    }

    /// An attribute by its number. Locations are attributes.
    pub(crate) fn attr(&mut self, cursor: &mut Cursor<'f>) -> Result<Attr> {
        let at = cursor.at();
        let number = cursor.number()?;
        self.attr_at(at, number)
    }

    /// An attribute by its number, if there is one.
    pub(super) fn optional_attr(&mut self, cursor: &mut Cursor<'f>) -> Result<Option<Attr>> {
        let at = cursor.at();
        let (number, is_there) = cursor.flagged()?;
        is_there.then(|| self.attr_at(at, number)).transpose()
    }

    pub(crate) fn attr_at(&mut self, at: usize, number: u64) -> Result<Attr> {
        let (text, encoded) = (Self::parsed_attr, Self::builtin_attr);
        self.known((at, number, "attribute"), |reader| &mut reader.attrs, text, encoded)
    }

    /// A location by its number.
    pub(crate) fn location(&mut self, cursor: &mut Cursor<'f>) -> Result<Location> {
        let at = cursor.at();
        let attr = self.attr(cursor)?;
        match *self.ir.ctx.attr_kind(attr) {
            AttrKind::Location(location) => Ok(location),
            _ => Err(Damage::new(at, "a location is another attribute")),
        }
    }

    /// A type by its number.
    pub(crate) fn ty(&mut self, cursor: &mut Cursor<'f>) -> Result<Type> {
        let at = cursor.at();
        let number = cursor.number()?;
        self.type_at(at, number)
    }

    pub(super) fn type_at(&mut self, at: usize, number: u64) -> Result<Type> {
        let text = |reader: &mut Self, at, text: &str| {
            parse_type(reader.ir, text).map_err(|error| Damage::new(at, error.message))
        };
        self.known((at, number, "type"), |reader| &mut reader.types, text, Self::builtin_type)
    }

    /// What an entry is: read the first time that it is wanted.
    fn known<T: Copy>(
        &mut self,
        (at, number, what): (usize, u64, &str),
        table: fn(&mut Self) -> &mut Entries<'f, T>,
        of_text: impl Fn(&mut Self, usize, &str) -> Result<T>,
        encoded: impl Fn(&mut Self, &mut Cursor<'f>) -> Result<T>,
    ) -> Result<T> {
        let wanted = entry(at, table(self), number, what)?;
        if let State::Known(value) = wanted.state {
            return Ok(value);
        }
        let index = number as usize;
        table(self)[index].state = State::Open;
        self.enter(at, &wanted)?;
        let mut contents = wanted.contents;
        let value = if !wanted.is_encoded {
            let start = contents.at();
            let text = contents.terminated()?;
            of_text(self, start, text)?
        } else if self.ir.ctx.str(wanted.dialect) == "builtin" {
            encoded(self, &mut contents)?
        } else {
            return Err(self.unknown_encoding(&wanted));
        };
        expect_end(&contents)?;
        self.depth -= 1;
        table(self)[index].state = State::Known(value);
        Ok(value)
    }

    /// Goes into an entry, which may not be in itself, nor in more others than a text may nest.
    fn enter<T>(&mut self, at: usize, wanted: &Entry<'_, T>) -> Result<()> {
        if matches!(wanted.state, State::Open) {
            return Err(Damage::new(at, "an attribute or type is in itself"));
        }
        if self.depth >= DEPTH_LIMIT {
            return Err(Damage::new(at, format!("nested deeper than {DEPTH_LIMIT} levels")));
        }
        self.depth += 1;
        Ok(())
    }

    fn unknown_encoding<T>(&self, wanted: &Entry<'_, T>) -> Damage {
        let dialect = self.ir.ctx.str(wanted.dialect);
        let message =
            format!("the dialect '{dialect}' encodes its attributes and types in a way of its own");
        Damage::new(wanted.contents.at(), message)
    }
}

fn read_table<'f, T: Copy>(
    dialects: &[Ident],
    sizes: &mut Cursor<'f>,
    contents: &mut Cursor<'f>,
    count: usize,
) -> Result<Vec<Entry<'f, T>>> {
    let mut all = Vec::with_capacity(count);
    while all.len() < count {
        let at = sizes.at();
        let dialect = sizes.number()?;
        let dialect = entry(at, dialects, dialect, "dialect")?;
        let more = sizes.count()?;
        if more > count - all.len() {
            return Err(Damage::new(at, "there are more attributes or types than announced"));
        }
        for _ in 0..more {
            let (size, is_encoded) = sizes.flagged()?;
            let contents = contents.part(size)?;
            all.push(Entry { dialect, is_encoded, contents, state: State::Unread });
        }
    }
    Ok(all)
}
