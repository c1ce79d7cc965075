//! Builtin attributes and attribute dictionaries.

use crate::affine::{AffineMap, IntegerSet};
use crate::context::{Context, Ident};
use crate::location::Location;
use crate::types::{DYNAMIC, FloatKind, Signedness, Specials, Type, TypeKind};

cranelift_entity::entity_impl!(Attr, "attr");
cranelift_entity::entity_impl!(Dict, "dict");

/// An interned attribute; a key into the [`Context`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attr(pub(crate) u32);

/// An interned attribute dictionary, sorted by name; a key into the [`Context`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dict(pub(crate) u32);

impl Dict {
    /// The dictionary without entries; interned first in every context.
    pub const EMPTY: Dict = Dict(0);
}

impl Default for Dict {
    fn default() -> Self {
        Dict::EMPTY
    }
}

/// What an [`Attr`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttrKind {
    /// `unit`: presence is the meaning.
    Unit,
    /// `42 : i32`, `true` (an `i1`), `7 : index`. Signless values are kept sign-extended from the
    /// width of their type (`true` is 1, not -1); unsigned ones zero-extended.
    Integer {
        /// The value.
        value: i128,
        /// An integer type or `index`.
        ty: Type,
    },
    /// `1.5 : f32`. The value is held as the bits of the `f64` that equals it.
    Float {
        /// `f64::to_bits` of the value, already rounded to `ty`.
        bits: u64,
        /// A floating-point type.
        ty: Type,
    },
    /// `"text"`.
    String(Ident),
    /// `i32` used as an attribute.
    Type(Type),
    /// `[1, 2]`.
    Array(Box<[Attr]>),
    /// `{a = 1, b}`.
    Dict(Dict),
    /// `@root::@nested`.
    Symbol {
        /// First name.
        root: Ident,
        /// Further names.
        nested: Box<[Ident]>,
    },
    /// `"text" : type`.
    TypedString {
        /// The text.
        text: Ident,
        /// A type that is not `none`.
        ty: Type,
    },
    /// `affine_map<(d0) -> (d0)>`.
    AffineMap(AffineMap),
    /// `affine_set<(d0) : (d0 >= 0)>`.
    IntegerSet(IntegerSet),
    /// `array<i32: 1, 2>`; floats as `f64` bits, integers as themselves.
    DenseArray {
        /// Element type: i1, i8, i16, i32, i64, f32 or f64.
        element: Type,
        /// Values, sign-extended, or bits of the equal `f64`.
        values: Box<[i64]>,
    },
    /// `dense<[1, 2]> : tensor<2xi32>`; one value for a splat. Encoded like `DenseArray`.
    DenseElements {
        /// A vector or tensor type with static shape.
        ty: Type,
        /// One value (splat) or one for each element, in row-major order.
        values: Box<[i64]>,
    },
    /// `dense_resource<key> : tensor<3xi64>`: elements that the text's metadata holds under a key.
    DenseResource {
        /// The key, whose blob is [`Context::blob`].
        key: Ident,
        /// A shaped type.
        ty: Type,
    },
    /// `strided<[?, 1], offset: 3>`.
    Strided {
        /// [`DYNAMIC`] for `?`.
        offset: i64,
        /// [`DYNAMIC`] for `?`.
        strides: Box<[i64]>,
    },
    /// `loc(...)` as an attribute.
    Location(Location),
    /// An attribute of a dialect by its text: `#gpu.address_space<workgroup>` has dialect `gpu`,
    /// text `address_space<workgroup>`.
    Dialect {
        /// Namespace.
        dialect: Ident,
        /// Everything behind `#dialect.`.
        text: Ident,
    },
}

/// Constructors.
impl Context {
    /// `unit`.
    pub fn unit_attr(&mut self) -> Attr {
        self.intern_attr(AttrKind::Unit)
    }

    /// An integer attribute, wrapped to the width of `ty` and sign-extended (zero-extended for
    /// unsigned types and `i1`).
    pub fn int_attr(&mut self, value: i128, ty: Type) -> Attr {
        let value = self.wrap_int(value, ty);
        self.intern_attr(AttrKind::Integer { value, ty })
    }

    /// `value : index`.
    pub fn index_attr(&mut self, value: i64) -> Attr {
        let ty = self.index();
        self.int_attr(value.into(), ty)
    }

    /// `value : i64`.
    pub fn i64_attr(&mut self, value: i64) -> Attr {
        let ty = self.i64();
        self.int_attr(value.into(), ty)
    }

    /// `true` or `false`.
    pub fn bool_attr(&mut self, value: bool) -> Attr {
        let ty = self.i1();
        self.int_attr(value.into(), ty)
    }

    /// A floating-point attribute, rounded to `ty`.
    pub fn float_attr(&mut self, value: f64, ty: Type) -> Attr {
        let value = match self.float_kind(ty) {
            Some(kind) => round_to_format(value, kind),
            None => value,
        };
        self.intern_attr(AttrKind::Float { bits: value.to_bits(), ty })
    }

    /// `"text"`.
    pub fn string_attr(&mut self, text: &str) -> Attr {
        let text = self.ident(text);
        self.intern_attr(AttrKind::String(text))
    }

    /// A type as an attribute.
    pub fn type_attr(&mut self, ty: Type) -> Attr {
        self.intern_attr(AttrKind::Type(ty))
    }

    /// `[...]`.
    pub fn array_attr(&mut self, elements: &[Attr]) -> Attr {
        self.intern_attr(AttrKind::Array(elements.into()))
    }

    /// `@name`.
    pub fn symbol_attr(&mut self, name: &str) -> Attr {
        let root = self.ident(name);
        self.intern_attr(AttrKind::Symbol { root, nested: Box::default() })
    }

    /// `@root::@nested`.
    pub fn nested_symbol_attr(&mut self, root: &str, nested: &[&str]) -> Attr {
        let root = self.ident(root);
        let nested = nested.iter().map(|name| self.ident(name)).collect();
        self.intern_attr(AttrKind::Symbol { root, nested })
    }

    /// `affine_map<...>`.
    pub fn map_attr(&mut self, map: AffineMap) -> Attr {
        self.intern_attr(AttrKind::AffineMap(map))
    }

    /// `affine_set<...>`.
    pub fn set_attr(&mut self, set: IntegerSet) -> Attr {
        self.intern_attr(AttrKind::IntegerSet(set))
    }

    /// `array<i32: ...>`, the form of segment sizes.
    pub fn i32_array_attr(&mut self, values: &[i32]) -> Attr {
        let element = self.i32();
        let values = values.iter().map(|&v| v.into()).collect();
        self.intern_attr(AttrKind::DenseArray { element, values })
    }

    /// `array<i64: ...>`, the form of static offsets, sizes and strides.
    pub fn i64_array_attr(&mut self, values: &[i64]) -> Attr {
        let element = self.i64();
        self.intern_attr(AttrKind::DenseArray { element, values: values.into() })
    }

    /// `strided<[...], offset: ...>`.
    pub fn strided_attr(&mut self, offset: i64, strides: &[i64]) -> Attr {
        self.intern_attr(AttrKind::Strided { offset, strides: strides.into() })
    }

    /// A dialect's attribute by its text.
    pub fn dialect_attr(&mut self, dialect: &str, text: &str) -> Attr {
        let (dialect, text) = (self.ident(dialect), self.ident(text));
        self.intern_attr(AttrKind::Dialect { dialect, text })
    }

    /// A dictionary; later entries of the same name win.
    pub fn dict(&mut self, entries: impl IntoIterator<Item = (Ident, Attr)>) -> Dict {
        let mut sorted: Vec<(Ident, Attr)> = entries.into_iter().collect();
        if sorted.is_empty() {
            return Dict::EMPTY;
        }
        sorted.sort_by(|a, b| self.str(a.0).cmp(self.str(b.0)));
        sorted.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = later.1;
            }
            same
        });
        self.intern_dict(sorted.into())
    }

    /// `dict` with `name` set to `attr`.
    pub fn dict_with(&mut self, dict: Dict, name: Ident, attr: Attr) -> Dict {
        let entries: Vec<_> =
            self.dict_entries(dict).iter().copied().chain([(name, attr)]).collect();
        self.dict(entries)
    }

    /// `dict` without `name`.
    pub fn dict_without(&mut self, dict: Dict, name: Ident) -> Dict {
        let entries: Vec<_> =
            self.dict_entries(dict).iter().copied().filter(|&(n, _)| n != name).collect();
        self.dict(entries)
    }
}

/// Queries; an attribute of another kind answers `None`.
impl Context {
    /// Value of an integer attribute.
    pub fn int_value(&self, attr: Attr) -> Option<i128> {
        match *self.attr_kind(attr) {
            AttrKind::Integer { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Value of an integer attribute that fits `i64`.
    pub fn i64_value(&self, attr: Attr) -> Option<i64> {
        self.int_value(attr).and_then(|value| value.try_into().ok())
    }

    /// Value of a floating-point attribute.
    pub fn float_value(&self, attr: Attr) -> Option<f64> {
        match *self.attr_kind(attr) {
            AttrKind::Float { bits, .. } => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// Text of a string attribute.
    pub fn string_value(&self, attr: Attr) -> Option<&str> {
        match *self.attr_kind(attr) {
            AttrKind::String(text) => Some(self.str(text)),
            _ => None,
        }
    }

    /// The type in a type attribute.
    pub fn type_value(&self, attr: Attr) -> Option<Type> {
        match *self.attr_kind(attr) {
            AttrKind::Type(ty) => Some(ty),
            _ => None,
        }
    }

    /// Elements of an array attribute.
    pub fn array_value(&self, attr: Attr) -> Option<&[Attr]> {
        match self.attr_kind(attr) {
            AttrKind::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// Values of a dense array attribute.
    pub fn dense_array(&self, attr: Attr) -> Option<&[i64]> {
        match self.attr_kind(attr) {
            AttrKind::DenseArray { values, .. } => Some(values),
            _ => None,
        }
    }

    /// The map of an affine-map attribute.
    pub fn map_value(&self, attr: Attr) -> Option<AffineMap> {
        match *self.attr_kind(attr) {
            AttrKind::AffineMap(map) => Some(map),
            _ => None,
        }
    }

    /// The set of an integer-set attribute.
    pub fn set_value(&self, attr: Attr) -> Option<IntegerSet> {
        match *self.attr_kind(attr) {
            AttrKind::IntegerSet(set) => Some(set),
            _ => None,
        }
    }

    /// First name of a symbol reference.
    pub fn symbol_root(&self, attr: Attr) -> Option<Ident> {
        match *self.attr_kind(attr) {
            AttrKind::Symbol { root, .. } => Some(root),
            _ => None,
        }
    }

    /// Dialect and text of a dialect attribute.
    pub fn dialect_attr_text(&self, attr: Attr) -> Option<(&str, &str)> {
        match *self.attr_kind(attr) {
            AttrKind::Dialect { dialect, text } => Some((self.str(dialect), self.str(text))),
            _ => None,
        }
    }

    /// Type of a typed attribute (integer, float, elements).
    pub fn attr_type(&self, attr: Attr) -> Option<Type> {
        match *self.attr_kind(attr) {
            AttrKind::Integer { ty, .. }
            | AttrKind::Float { ty, .. }
            | AttrKind::DenseElements { ty, .. }
            | AttrKind::DenseResource { ty, .. } => Some(ty),
            _ => None,
        }
    }

    /// Entry `name` of a dictionary.
    #[inline]
    pub fn dict_get(&self, dict: Dict, name: Ident) -> Option<Attr> {
        self.dict_entries(dict).iter().find(|&&(n, _)| n == name).map(|&(_, attr)| attr)
    }

    /// Entry `name` of a dictionary, by text.
    #[inline]
    pub fn dict_get_str(&self, dict: Dict, name: &str) -> Option<Attr> {
        // There are few of them, and nearly all are told apart by their lengths: the text is not looked up.
        let mut entries = self.dict_entries(dict).iter();
        entries.find(|&&(n, _)| self.str(n) == name).map(|&(_, attr)| attr)
    }

    /// `value` reduced to the width of `ty`: sign-extended for signless and signed integers and
    /// `index`, zero-extended for unsigned ones and for `i1`.
    pub fn wrap_int(&self, value: i128, ty: Type) -> i128 {
        let (width, unsigned) = match *self.type_kind(ty) {
            TypeKind::Integer { width, sign } => {
                (width, sign == Signedness::Unsigned || width == 1 && sign == Signedness::Signless)
            }
            TypeKind::Index => (64, false),
            _ => return value,
        };
        if width == 0 || width >= 128 {
            return value;
        }
        let shift = 128 - width;
        if unsigned { ((value as u128) << shift >> shift) as i128 } else { value << shift >> shift }
    }

    /// Whether an attribute is the identity map.
    pub(crate) fn is_identity_map(&self, layout: Attr) -> bool {
        matches!(self.attr_kind(layout), AttrKind::AffineMap(map) if self.map_is_identity(*map))
    }

    /// Whether a memref layout says no more than the identity does for `shape`.
    pub fn is_identity_layout(&self, layout: Attr, shape: &[i64]) -> bool {
        match self.attr_kind(layout) {
            AttrKind::AffineMap(map) => self.map_is_identity(*map),
            AttrKind::Strided { offset: 0, strides } => {
                identity_strides(shape).is_some_and(|identity| **strides == *identity)
            }
            _ => false,
        }
    }
}

/// Row-major strides of a shape whose inner extents (all but the first) are static.
pub fn identity_strides(shape: &[i64]) -> Option<Vec<i64>> {
    let mut strides = vec![1i64; shape.len()];
    for d in (1..shape.len()).rev() {
        if shape[d] == DYNAMIC {
            return None;
        }
        strides[d - 1] = strides[d].checked_mul(shape[d])?;
    }
    Some(strides)
}

/// `value` rounded to nearest-even in `kind`, as an `f64`. Formats wider than `f64` keep it.
pub fn round_to_format(value: f64, kind: FloatKind) -> f64 {
    let layout = match kind {
        FloatKind::F32 => return f64::from(value as f32),
        FloatKind::F64 => return value,
        _ => match kind.layout() {
            Some(layout) => layout,
            None => return value,
        },
    };
    let too_great = match layout.specials {
        Specials::Ieee => f64::INFINITY.copysign(value),
        Specials::NanOnly => f64::NAN.copysign(value),
        Specials::NanForNegativeZero => f64::NAN,
    };
    if value == 0.0 && layout.specials == Specials::NanForNegativeZero {
        return 0.0;
    }
    if value.is_nan() && layout.specials != Specials::Ieee || value.is_infinite() {
        return too_great;
    }
    if value == 0.0 || value.is_nan() {
        return value;
    }
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    // The unit in the last place, with gradual underflow below the least normal exponent.
    let ulp = 2f64.powi(exponent.max(layout.least_exponent()) - layout.fraction as i32);
    let rounded = (value / ulp).round_ties_even() * ulp;
    let is_zero = rounded == 0.0 && layout.specials == Specials::NanForNegativeZero;
    match rounded.abs() > layout.greatest() {
        true => too_great,
        false if is_zero => 0.0,
        false => rounded,
    }
}
