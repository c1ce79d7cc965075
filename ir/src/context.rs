//! The interner: every type, attribute, affine expression, identifier and location of an [`Ir`]
//! lives here once and is named by a `Copy` key.
//!
//! [`Ir`]: crate::Ir

use std::hash::BuildHasherDefault;

use cranelift_entity::PrimaryMap;
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHasher};

use crate::affine::{
    AffineExpr, AffineExprKind, AffineMap, AffineMapData, IntegerSet, IntegerSetData,
};
use crate::attrs::{Attr, AttrKind, Dict};
use crate::location::{Location, LocationKind};
use crate::op::OpDef;
use crate::types::{Type, TypeKind};

cranelift_entity::entity_impl!(Ident, "ident");
cranelift_entity::entity_impl!(OpName, "opname");

/// An interned string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ident(u32);

/// An interned operation name (`arith.addi`), registered or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpName(u32);

/// A namespace of operations.
#[derive(Debug)]
pub struct DialectDef {
    /// Namespace (`arith`).
    pub name: &'static str,
    /// One sentence on what it is for.
    pub summary: &'static str,
    /// Its operations, by name.
    pub ops: &'static [fn() -> &'static OpDef],
    /// Makes an operation holding a constant of the given type, for the folder; `None` where the
    /// dialect has no constants.
    pub materialize: Option<crate::op::MaterializeConstant>,
}

#[derive(Clone, Debug)]
struct OpNameData {
    text: Ident,
    def: Option<&'static OpDef>,
}

type Interner<T> = IndexSet<T, BuildHasherDefault<FxHasher>>;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Context {
    strings: Interner<Box<str>>,
    types: Interner<TypeKind>,
    attrs: Interner<AttrKind>,
    dicts: Interner<Box<[(Ident, Attr)]>>,
    exprs: Interner<AffineExprKind>,
    /// The normal form of an expression, once somebody has computed it.
    pub(crate) normal_exprs: FxHashMap<AffineExpr, AffineExpr>,
    maps: Interner<AffineMapData>,
    sets: Interner<IntegerSetData>,
    locations: PrimaryMap<Location, LocationKind>,
    op_names: PrimaryMap<OpName, OpNameData>,
    op_name_of: FxHashMap<Ident, OpName>,
    dialects: Vec<&'static DialectDef>,
    /// Whether operations and dialects that are not registered are accepted by the verifier and
    /// the parser (`--allow-unregistered-dialect`).
    pub allow_unregistered: bool,
    open: Vec<&'static str>,
    external_resources: Vec<ExternalResource>,
    /// What the metadata of the texts that were read has under the keys of `dense_resource`: hexadecimal digits.
    blobs: FxHashMap<Ident, String>,
}

/// An entry of a text's metadata (`{-# ... #-}`) that is no dialect's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalResource {
    /// Whose it is: a tool.
    pub group: String,
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
    /// Whether it is a string, not a number or a truth value.
    pub quoted: bool,
}

impl Default for Context {
    fn default() -> Self {
        let mut context = Context {
            strings: Interner::default(),
            types: Interner::default(),
            attrs: Interner::default(),
            dicts: Interner::default(),
            exprs: Interner::default(),
            normal_exprs: FxHashMap::default(),
            maps: Interner::default(),
            sets: Interner::default(),
            locations: PrimaryMap::new(),
            op_names: PrimaryMap::new(),
            op_name_of: FxHashMap::default(),
            dialects: Vec::new(),
            allow_unregistered: false,
            open: Vec::new(),
            external_resources: Vec::new(),
            blobs: FxHashMap::default(),
        };
        context.dicts.insert(Box::default());
        context.locations.push(LocationKind::Unknown);
        context
    }
}

macro_rules! interned {
    ($($(#[$doc:meta])* $get:ident, $intern:ident, $field:ident: $key:ident => $kind:ty;)*) => {$(
        $(#[$doc])*
        pub fn $get(&self, key: $key) -> &$kind {
            &self.$field[key.0 as usize]
        }

        /// The key of the given contents.
        pub fn $intern(&mut self, kind: $kind) -> $key {
            // Looked up first: most are there already, and a hit needs no move into the set.
            match self.$field.get_index_of(&kind) {
                Some(index) => $key(index as u32),
                None => $key(self.$field.insert_full(kind).0 as u32),
            }
        }
    )*};
}

impl Context {
    /// An empty context: no dialects yet.
    pub fn new() -> Self {
        Self::default()
    }

    interned! {
        /// What a type is.
        type_kind, intern_type, types: Type => TypeKind;
        /// What an attribute is.
        attr_kind, intern_attr, attrs: Attr => AttrKind;
        /// What an affine expression is.
        expr_kind, intern_expr, exprs: AffineExpr => AffineExprKind;
        /// What an affine map is.
        map_data, intern_map, maps: AffineMap => AffineMapData;
        /// What an integer set is.
        set_data, intern_set, sets: IntegerSet => IntegerSetData;
    }

    /// Entries of a dictionary, sorted by name.
    #[inline]
    pub fn dict_entries(&self, dict: Dict) -> &[(Ident, Attr)] {
        &self.dicts[dict.0 as usize]
    }

    /// Interns entries that are sorted by name and unique; [`Context::dict`] sees to that.
    pub(crate) fn intern_dict(&mut self, entries: Box<[(Ident, Attr)]>) -> Dict {
        Dict(self.dicts.insert_full(entries).0 as u32)
    }

    /// Interns a string.
    pub fn ident(&mut self, text: &str) -> Ident {
        match self.strings.get_index_of(text) {
            Some(index) => Ident(index as u32),
            None => Ident(self.strings.insert_full(text.into()).0 as u32),
        }
    }

    /// The identifier of `text`, if it has been interned.
    pub fn find_ident(&self, text: &str) -> Option<Ident> {
        self.strings.get_index_of(text).map(|index| Ident(index as u32))
    }

    /// The text of an identifier.
    #[inline]
    pub fn str(&self, ident: Ident) -> &str {
        &self.strings[ident.0 as usize]
    }

    /// Adds a location. Not interned: nearly every operation has its own.
    pub fn add_location(&mut self, kind: LocationKind) -> Location {
        self.locations.push(kind)
    }

    /// What a location is.
    pub fn location_kind(&self, location: Location) -> &LocationKind {
        &self.locations[location]
    }

    /// Fills in a location that was named before it was known.
    pub(crate) fn set_location_kind(&mut self, location: Location, kind: LocationKind) {
        self.locations[location] = kind;
    }

    /// Registers a dialect and its operations; a second time does nothing.
    pub fn register(&mut self, dialect: &'static DialectDef) {
        if self.dialects.iter().any(|known| known.name == dialect.name) {
            return;
        }
        self.dialects.push(dialect);
        for def in dialect.ops {
            let def = def();
            let name = self.op_name(def.name);
            self.op_names[name].def = Some(def);
        }
    }

    /// Lets a dialect take any operation, type and attribute beside its own, if it has any.
    pub fn register_open(&mut self, dialect: &'static str) {
        if !self.open.contains(&dialect) {
            self.open.push(dialect);
        }
    }

    /// Keeps a resource of a text's metadata that is no dialect's: of a tool's group, its key and value.
    pub fn add_external_resource(&mut self, resource: ExternalResource) {
        self.external_resources.push(resource);
    }

    /// The resources of tools in the metadata of the texts that were read, in their order.
    pub fn external_resources(&self) -> &[ExternalResource] {
        &self.external_resources
    }

    /// Forgets the resources of a tool, which has read them.
    pub fn consume_external_resources(&mut self, group: &str) {
        self.external_resources.retain(|each| each.group != group);
    }

    /// Keeps the bytes that `dense_resource<key>` means, as hexadecimal digits, of which the first eight are the
    /// alignment's.
    pub fn add_blob(&mut self, key: &str, digits: String) {
        let key = self.ident(key);
        self.blobs.insert(key, digits);
    }

    /// The bytes that `dense_resource<key>` means, as [`Context::add_blob`] was given them.
    pub fn blob(&self, key: Ident) -> Option<&str> {
        self.blobs.get(&key).map(String::as_str)
    }

    /// The value of a resource in the metadata of the texts that were read.
    pub fn external_resource(&self, group: &str, key: &str) -> Option<&str> {
        let mut latest = self.external_resources.iter().rev();
        latest.find(|each| each.group == group && each.key == key).map(|each| &*each.value)
    }

    /// Whether `dialect` takes any operation, type and attribute.
    pub fn is_open(&self, dialect: &str) -> bool {
        self.open.contains(&dialect)
    }

    /// Whether operations, types and attributes of `dialect` are accepted that are not registered.
    pub fn accepts_unknown(&self, dialect: &str) -> bool {
        self.allow_unregistered || self.is_open(dialect)
    }

    /// The registered dialects, in order of registration.
    pub fn dialects(&self) -> &[&'static DialectDef] {
        &self.dialects
    }

    /// A registered dialect by its namespace.
    pub fn dialect(&self, name: &str) -> Option<&'static DialectDef> {
        self.dialects.iter().copied().find(|dialect| dialect.name == name)
    }

    /// Interns an operation name.
    pub fn op_name(&mut self, name: &str) -> OpName {
        let text = self.ident(name);
        match self.op_name_of.get(&text) {
            Some(&name) => name,
            None => {
                let name = self.op_names.push(OpNameData { text, def: None });
                self.op_name_of.insert(text, name);
                name
            }
        }
    }

    /// The text of an operation name.
    pub fn op_name_str(&self, name: OpName) -> &str {
        self.str(self.op_names[name].text)
    }

    /// The definition behind an operation name, if it is registered.
    #[inline]
    pub fn op_def(&self, name: OpName) -> Option<&'static OpDef> {
        self.op_names[name].def
    }

    /// Every registered operation name, for suggestions.
    pub fn registered_op_names(&self) -> impl Iterator<Item = &str> {
        self.op_names.values().filter(|data| data.def.is_some()).map(|data| self.str(data.text))
    }
}
