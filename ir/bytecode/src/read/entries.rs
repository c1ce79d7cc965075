//! The table of attributes and types: where each stands, and what it is once it is wanted.

use gpuc_ir::text::{DEPTH_LIMIT, parse_type};
use gpuc_ir::{Attr, AttrKind, Ident, Location, Type};

use super::{Reader, entry, expect_end};
use crate::bytes::{Cursor, Damage, Result};

/// Entries of one kind.
pub(super) struct Entries<'f, T> {
    all: Vec<Entry<'f, T>>,
}

impl<T> Default for Entries<'_, T> {
    fn default() -> Self {
        Entries { all: Vec::new() }
    }
}

#[derive(Clone, Copy)]
struct Entry<'f, T> {
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
        self.attrs.all = read_table(&self.dialects, &mut sizes, &mut contents, attrs)?;
        self.types.all = read_table(&self.dialects, &mut sizes, &mut contents, types)?;
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
        let wanted = entry(at, &self.attrs.all, number, "attribute")?;
        if let State::Known(attr) = wanted.state {
            return Ok(attr);
        }
        let index = number as usize;
        self.attrs.all[index].state = State::Open;
        self.enter(at, &wanted)?;
        let mut contents = wanted.contents;
        let attr = if !wanted.is_encoded {
            let start = contents.at();
            let text = contents.terminated()?;
            self.parsed_attr(start, text)?
        } else if self.ir.ctx.str(wanted.dialect) == "builtin" {
            self.builtin_attr(&mut contents)?
        } else {
            return Err(self.unknown_encoding(&wanted));
        };
        expect_end(&contents)?;
        self.depth -= 1;
        self.attrs.all[index].state = State::Known(attr);
        Ok(attr)
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
        let wanted = entry(at, &self.types.all, number, "type")?;
        if let State::Known(ty) = wanted.state {
            return Ok(ty);
        }
        let index = number as usize;
        self.types.all[index].state = State::Open;
        self.enter(at, &wanted)?;
        let mut contents = wanted.contents;
        let ty = if !wanted.is_encoded {
            let start = contents.at();
            let text = contents.terminated()?;
            parse_type(self.ir, text).map_err(|error| Damage::new(start, error.message))?
        } else if self.ir.ctx.str(wanted.dialect) == "builtin" {
            self.builtin_type(&mut contents)?
        } else {
            return Err(self.unknown_encoding(&wanted));
        };
        expect_end(&contents)?;
        self.depth -= 1;
        self.types.all[index].state = State::Known(ty);
        Ok(ty)
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
