//! The table of attributes, locations and types, and the names of operations. A location is an attribute here.

use gpuc_ir::attrs::Dict;
use gpuc_ir::context::OpName;
use gpuc_ir::{
    Attr, AttrKind, Block, Context, Ident, Ir, Location, LocationKind, Op, Type, TypeKind,
};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

use super::Strings;
use crate::bytes::Bytes;

/// A part of an encoding. What it refers to has its number only when all are known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Piece {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The number of a string.
    String(Box<str>),
    /// The number of an attribute or location.
    Attr(usize),
    /// The number of a type.
    Type(usize),
}

/// An encoding.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Encoded(Vec<Piece>);

impl Encoded {
    pub fn new() -> Self {
        Self::default()
    }

    fn bytes(&mut self, write: impl FnOnce(&mut Bytes)) {
        if !matches!(self.0.last(), Some(Piece::Bytes(_))) {
            self.0.push(Piece::Bytes(Vec::new()));
        }
        if let Some(Piece::Bytes(bytes)) = self.0.last_mut() {
            let mut out = Bytes(std::mem::take(bytes));
            write(&mut out);
            *bytes = out.0;
        }
    }

    /// What tells encodings of a dialect apart.
    pub fn code(&mut self, code: u64) -> &mut Self {
        self.number(code)
    }

    pub fn byte(&mut self, byte: u8) {
        self.bytes(|out| out.byte(byte));
    }

    pub fn number(&mut self, value: u64) -> &mut Self {
        self.bytes(|out| out.number(value));
        self
    }

    pub fn signed(&mut self, value: i64) {
        self.bytes(|out| out.signed(value));
    }

    /// Bytes with their number in front.
    pub fn blob(&mut self, blob: &[u8]) {
        self.number(blob.len() as u64);
        self.bytes(|out| out.bytes(blob));
    }

    pub fn string(&mut self, text: &str) -> &mut Self {
        self.piece(Piece::String(text.into()))
    }

    pub fn piece(&mut self, piece: Piece) -> &mut Self {
        self.0.push(piece);
        self
    }
}

/// An entry of the table.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Entry {
    dialect: u64,
    contents: Contents,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Contents {
    /// In the encoding of its dialect.
    Encoded(Encoded),
    Text(String),
}

/// Entries of one kind, how often each is named, and what its number is.
#[derive(Debug, Default)]
struct Entries {
    all: IndexMap<Entry, u64>,
    /// Once all are there: the number of each, and which has which number.
    numbers: Vec<u64>,
    order: Vec<usize>,
}

impl Entries {
    fn add(&mut self, entry: Entry) -> usize {
        let new = self.all.entry(entry);
        let index = new.index();
        new.or_insert(0);
        index
    }

    fn count(&mut self, index: usize) {
        if let Some((_, count)) = self.all.get_index_mut(index) {
            *count += 1;
        }
    }

    fn finish(&mut self) {
        self.order = (0..self.all.len()).collect();
        order(
            &mut self.order,
            |&i| self.all[i],
            |&i| self.all.get_index(i).map_or(0, |e| e.0.dialect),
        );
        self.numbers = vec![0; self.order.len()];
        for (number, &index) in self.order.iter().enumerate() {
            self.numbers[index] = number as u64;
        }
    }
}

/// Puts what is named most first, and what is of one dialect together, among those whose numbers take as many bytes.
fn order<T>(items: &mut [T], count: impl Fn(&T) -> u64, dialect: impl Fn(&T) -> u64) {
    items.sort_by_key(|item| std::cmp::Reverse(count(item)));
    let (mut rest, mut size) = (items, 1 << 7);
    while !rest.is_empty() {
        let (same, behind) = rest.split_at_mut(size.min(rest.len()));
        same.sort_by_key(&dialect);
        (rest, size) = (behind, (size << 7).min(1 << 48));
    }
}

/// The stretches of `items` that are of one dialect.
pub(super) fn groups<'i, T>(
    items: &'i [T],
    dialect: impl Fn(&T) -> u64 + 'i,
) -> impl Iterator<Item = &'i [T]> {
    items.chunk_by(move |a, b| dialect(a) == dialect(b))
}

/// A name of an operation without its dialect.
#[derive(Debug)]
pub(crate) struct Name {
    name: OpName,
    pub dialect: u64,
    pub text: String,
    pub is_registered: bool,
    count: u64,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Table<'ir> {
    ir: &'ir Ir,
    dialects: IndexSet<String>,
    attrs: Entries,
    types: Entries,
    op_names: Vec<Name>,
    op_numbers: FxHashMap<OpName, usize>,
    resources: IndexSet<Ident>,
    attr_of: FxHashMap<Attr, usize>,
    dict_of: FxHashMap<Dict, usize>,
    location_of: FxHashMap<Location, usize>,
    string_of: FxHashMap<Ident, usize>,
    type_of: FxHashMap<Type, usize>,
}

impl<'ir> Table<'ir> {
    pub fn new(ir: &'ir Ir) -> Self {
        Table {
            ir,
            dialects: IndexSet::new(),
            attrs: Entries::default(),
            types: Entries::default(),
            op_names: Vec::new(),
            op_numbers: FxHashMap::default(),
            resources: IndexSet::new(),
            attr_of: FxHashMap::default(),
            dict_of: FxHashMap::default(),
            location_of: FxHashMap::default(),
            string_of: FxHashMap::default(),
            type_of: FxHashMap::default(),
        }
    }

    pub fn ir(&self) -> &'ir Ir {
        self.ir
    }

    pub fn ctx(&self) -> &'ir Context {
        &self.ir.ctx
    }

    /// The number of a dialect.
    fn add_dialect(&mut self, name: &str) -> u64 {
        match self.dialects.get_index_of(name) {
            Some(number) => number as u64,
            None => self.dialects.insert_full(name.to_owned()).0 as u64,
        }
    }

    pub fn dialect(&self, name: &str) -> u64 {
        self.dialects.get_index_of(name).unwrap_or(0) as u64
    }

    pub fn dialects(&self) -> &IndexSet<String> {
        &self.dialects
    }

    pub fn op_names(&self) -> &[Name] {
        &self.op_names
    }

    /// Keys of dense resources, by their numbers.
    pub fn resources(&self) -> &IndexSet<Ident> {
        &self.resources
    }

    pub fn resource(&mut self, key: Ident) -> u64 {
        self.resources.insert_full(key).0 as u64
    }

    fn add_attr(&mut self, dialect: &str, contents: Contents) -> Piece {
        let dialect = self.add_dialect(dialect);
        Piece::Attr(self.attrs.add(Entry { dialect, contents }))
    }

    /// An attribute that is encoded so.
    pub fn encoded_attr(&mut self, dialect: &str, encoded: Encoded) -> Piece {
        self.add_attr(dialect, Contents::Encoded(encoded))
    }

    /// An attribute by its text.
    pub fn text_attr(&mut self, dialect: &str, text: String) -> Piece {
        self.add_attr(dialect, Contents::Text(text))
    }

    pub fn attr(&mut self, attr: Attr) -> Piece {
        if let Some(&index) = self.attr_of.get(&attr) {
            return Piece::Attr(index);
        }
        let piece = match self.ctx().attr_kind(attr) {
            &AttrKind::Location(location) => self.location(location),
            &AttrKind::Dict(dict) => self.dict(dict),
            &AttrKind::String(text) => self.string_attr(text),
            &AttrKind::Dialect { dialect, .. } => {
                self.text_attr(self.ctx().str(dialect), self.ctx().attr_text(attr))
            }
            kind => match self.builtin_attr(kind) {
                Some(encoded) => self.encoded_attr("builtin", encoded),
                None => self.text_attr("builtin", self.ctx().attr_text(attr)),
            },
        };
        remember(&mut self.attr_of, attr, piece)
    }

    pub fn dict(&mut self, dict: Dict) -> Piece {
        self.builtin(dict, AttrKind::Dict(dict), |table| &mut table.dict_of)
    }

    /// A string as an attribute.
    pub fn string_attr(&mut self, text: Ident) -> Piece {
        self.builtin(text, AttrKind::String(text), |table| &mut table.string_of)
    }

    fn builtin<K: Copy + Eq + std::hash::Hash>(
        &mut self,
        key: K,
        kind: AttrKind,
        map: fn(&mut Self) -> &mut FxHashMap<K, usize>,
    ) -> Piece {
        if let Some(&index) = map(self).get(&key) {
            return Piece::Attr(index);
        }
        // Both kinds have a code.
        let encoded = self.builtin_attr(&kind).unwrap_or_default();
        let piece = self.encoded_attr("builtin", encoded);
        remember(map(self), key, piece)
    }

    pub fn location(&mut self, location: Location) -> Piece {
        if let Some(&index) = self.location_of.get(&location) {
            return Piece::Attr(index);
        }
        let piece = match self.builtin_location(self.ctx().location_kind(location)) {
            Some(encoded) => self.encoded_attr("builtin", encoded),
            None => {
                let text = format!("loc({})", self.ctx().location_text(location));
                self.text_attr("builtin", text)
            }
        };
        remember(&mut self.location_of, location, piece)
    }

    pub fn ty(&mut self, ty: Type) -> Piece {
        if let Some(&index) = self.type_of.get(&ty) {
            return Piece::Type(index);
        }
        let kind = self.ctx().type_kind(ty);
        let contents = match self.builtin_type(kind) {
            Some(encoded) => Contents::Encoded(encoded),
            None => Contents::Text(self.ctx().type_text(ty)),
        };
        let dialect = match *kind {
            TypeKind::Dialect { dialect, .. } => self.ctx().str(dialect),
            _ => "builtin",
        };
        let dialect = self.add_dialect(dialect);
        let index = self.types.add(Entry { dialect, contents });
        self.type_of.insert(ty, index);
        Piece::Type(index)
    }

    fn count(&mut self, piece: &Piece) {
        match *piece {
            Piece::Attr(index) => self.attrs.count(index),
            Piece::Type(index) => self.types.count(index),
            Piece::Bytes(_) | Piece::String(_) => {}
        }
    }

    /// Counts what an operation names, regions apart.
    pub fn count_op(&mut self, op: Op) {
        let ir = self.ir;
        let name = ir.op_name(op);
        let index = match self.op_numbers.get(&name) {
            Some(&index) => index,
            None => {
                let full = ir.ctx.op_name_str(name);
                let (dialect, text) = full.split_once('.').unwrap_or((full, ""));
                let dialect = self.add_dialect(dialect);
                let (text, is_registered) = (text.to_owned(), ir.def(op).is_some());
                self.op_names.push(Name { name, dialect, text, is_registered, count: 0 });
                self.op_numbers.insert(name, self.op_names.len() - 1);
                self.op_names.len() - 1
            }
        };
        self.op_names[index].count += 1;
        let location = self.location(ir.location(op));
        self.count(&location);
        if !ir.ctx.dict_entries(ir.attrs(op)).is_empty() {
            let attrs = self.dict(ir.attrs(op));
            self.count(&attrs);
        }
        for ty in ir.result_types(op) {
            let ty = self.ty(ty);
            self.count(&ty);
        }
    }

    /// Counts what the arguments of a block name.
    pub fn count_arguments(&mut self, block: Block) {
        for (&argument, &location) in
            self.ir.arguments(block).iter().zip(self.ir.argument_locations(block))
        {
            let (ty, location) = (self.ty(self.ir.ty(argument)), self.location(location));
            self.count(&ty);
            self.count(&location);
        }
    }

    /// Gives everything its number.
    pub fn finish(&mut self) {
        let mut named = Vec::new();
        for entry in self.attrs.all.keys().chain(self.types.all.keys()) {
            if let Contents::Encoded(encoded) = &entry.contents {
                named.extend(
                    encoded
                        .0
                        .iter()
                        .filter(|piece| matches!(piece, Piece::Attr(_) | Piece::Type(_)))
                        .cloned(),
                );
            }
        }
        named.iter().for_each(|piece| self.count(piece));
        self.attrs.finish();
        self.types.finish();
        order(&mut self.op_names, |name| name.count, |name| name.dialect);
        self.op_numbers =
            self.op_names.iter().enumerate().map(|(i, name)| (name.name, i)).collect();
    }

    pub fn op_name(&self, name: OpName) -> u64 {
        self.op_numbers[&name] as u64
    }

    pub fn location_number(&self, location: Location) -> u64 {
        self.attrs.numbers[self.location_of[&location]]
    }

    pub fn dict_number(&self, dict: Dict) -> u64 {
        self.attrs.numbers[self.dict_of[&dict]]
    }

    pub fn type_number(&self, ty: Type) -> u64 {
        self.types.numbers[self.type_of[&ty]]
    }

    /// The sections of entries and of their sizes.
    pub fn entries<'t>(&'t self, strings: &mut Strings<'t>) -> (Bytes, Bytes) {
        let (mut contents, mut sizes) = (Bytes::default(), Bytes::default());
        sizes.number(self.attrs.all.len() as u64);
        sizes.number(self.types.all.len() as u64);
        for kind in [&self.attrs, &self.types] {
            let entries: Vec<&Entry> =
                kind.order.iter().filter_map(|&i| kind.all.get_index(i)).map(|e| e.0).collect();
            for group in groups(&entries, |entry| entry.dialect) {
                sizes.number(group[0].dialect);
                sizes.number(group.len() as u64);
                for entry in group {
                    let start = contents.0.len();
                    let is_encoded = self.entry(&mut contents, &entry.contents, strings);
                    sizes.flagged((contents.0.len() - start) as u64, is_encoded);
                }
            }
        }
        (contents, sizes)
    }

    fn entry<'t>(
        &'t self,
        out: &mut Bytes,
        entry: &'t Contents,
        strings: &mut Strings<'t>,
    ) -> bool {
        match entry {
            Contents::Text(text) => {
                out.bytes(text.as_bytes());
                out.byte(0);
                return false;
            }
            Contents::Encoded(encoded) => {
                for piece in &encoded.0 {
                    match piece {
                        Piece::Bytes(bytes) => out.bytes(bytes),
                        Piece::String(text) => out.number(strings.number(text)),
                        &Piece::Attr(index) => out.number(self.attrs.numbers[index]),
                        &Piece::Type(index) => out.number(self.types.numbers[index]),
                    }
                }
            }
        }
        true
    }
}

fn remember<K: Eq + std::hash::Hash>(map: &mut FxHashMap<K, usize>, key: K, piece: Piece) -> Piece {
    if let Piece::Attr(index) = piece {
        map.insert(key, index);
    }
    piece
}

/// Whether a location says anything.
pub(super) fn is_known(ir: &Ir, location: Location) -> bool {
    !matches!(ir.ctx.location_kind(location), LocationKind::Unknown)
}
