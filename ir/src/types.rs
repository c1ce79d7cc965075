//! Builtin types.

use crate::attrs::Attr;
use crate::context::{Context, Ident};

cranelift_entity::entity_impl!(Type, "type");

/// An interned type; a key into the [`Context`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type(pub(crate) u32);

/// The extent of a dimension that is known only at run time (`?`), and a dynamic stride or offset.
pub const DYNAMIC: i64 = i64::MIN;

/// Signedness of an integer type: `i32`, `si32`, `ui32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// `i32`: the operations decide.
    Signless,
    /// `si32`.
    Signed,
    /// `ui32`.
    Unsigned,
}

/// Floating-point formats, in MLIR's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FloatKind {
    F8E5M2,
    F8E4M3,
    F8E4M3FN,
    F8E5M2FNUZ,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F16,
    BF16,
    TF32,
    F32,
    F64,
    F80,
    F128,
}

/// What a format has beside finite numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// Infinities and NaNs, with the greatest exponent.
    Ieee,
    /// No infinities, one NaN of each sign: all bits set. What is too great becomes it.
    NanOnly,
    /// No infinities, one NaN in the place of the negative zero, which is not there. What is too great becomes it.
    NanForNegativeZero,
}

/// Where the bits of a format are, of those whose numbers an `f64` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatLayout {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction.
    pub fraction: u32,
    /// What is added to an exponent where it is stored.
    pub bias: i32,
    /// What there is beside finite numbers.
    pub specials: Specials,
}

impl FloatLayout {
    /// The greatest finite number.
    pub fn greatest(self) -> f64 {
        let top = (1i32 << self.exponent) - 1;
        let (exponent, fraction) = match self.specials {
            Specials::Ieee => (top - 1, (1u64 << self.fraction) - 1),
            Specials::NanOnly => (top, (1u64 << self.fraction) - 2),
            Specials::NanForNegativeZero => (top, (1u64 << self.fraction) - 1),
        };
        let significand = (1u64 << self.fraction | fraction) as f64;
        // In two steps: one power alone may be too small for an `f64`.
        significand * 2f64.powi(-(self.fraction as i32)) * 2f64.powi(exponent - self.bias)
    }

    /// Exponent of the least normal number.
    pub fn least_exponent(self) -> i32 {
        1 - self.bias
    }
}

impl FloatKind {
    /// Every format.
    pub const ALL: [FloatKind; 13] = [
        FloatKind::F8E5M2,
        FloatKind::F8E4M3,
        FloatKind::F8E4M3FN,
        FloatKind::F8E5M2FNUZ,
        FloatKind::F8E4M3FNUZ,
        FloatKind::F8E4M3B11FNUZ,
        FloatKind::F16,
        FloatKind::BF16,
        FloatKind::TF32,
        FloatKind::F32,
        FloatKind::F64,
        FloatKind::F80,
        FloatKind::F128,
    ];

    /// The keyword of the type.
    pub fn keyword(self) -> &'static str {
        match self {
            FloatKind::F8E5M2 => "f8E5M2",
            FloatKind::F8E4M3 => "f8E4M3",
            FloatKind::F8E4M3FN => "f8E4M3FN",
            FloatKind::F8E5M2FNUZ => "f8E5M2FNUZ",
            FloatKind::F8E4M3FNUZ => "f8E4M3FNUZ",
            FloatKind::F8E4M3B11FNUZ => "f8E4M3B11FNUZ",
            FloatKind::F16 => "f16",
            FloatKind::BF16 => "bf16",
            FloatKind::TF32 => "tf32",
            FloatKind::F32 => "f32",
            FloatKind::F64 => "f64",
            FloatKind::F80 => "f80",
            FloatKind::F128 => "f128",
        }
    }

    /// Bits of a value.
    pub fn width(self) -> u32 {
        match self {
            FloatKind::F80 => 80,
            FloatKind::F128 => 128,
            _ => self.layout().map_or(0, |layout| 1 + layout.exponent + layout.fraction),
        }
    }

    /// Where the bits are; `None` for formats with numbers that no `f64` holds.
    pub fn layout(self) -> Option<FloatLayout> {
        let ieee = |exponent: u32, fraction| FloatLayout {
            exponent,
            fraction,
            bias: (1i32 << (exponent - 1)) - 1,
            specials: Specials::Ieee,
        };
        // Without a negative zero the bias is one more, so that the range is as symmetric as it was.
        let unsigned_zero = |exponent, fraction, bias| FloatLayout {
            exponent,
            fraction,
            bias,
            specials: Specials::NanForNegativeZero,
        };
        Some(match self {
            FloatKind::F8E5M2 => ieee(5, 2),
            FloatKind::F8E4M3 => ieee(4, 3),
            FloatKind::F8E4M3FN => FloatLayout { specials: Specials::NanOnly, ..ieee(4, 3) },
            FloatKind::F8E5M2FNUZ => unsigned_zero(5, 2, 16),
            FloatKind::F8E4M3FNUZ => unsigned_zero(4, 3, 8),
            FloatKind::F8E4M3B11FNUZ => unsigned_zero(4, 3, 11),
            FloatKind::F16 => ieee(5, 10),
            FloatKind::BF16 => ieee(8, 7),
            FloatKind::TF32 => ieee(8, 10),
            FloatKind::F32 => ieee(8, 23),
            FloatKind::F64 => ieee(11, 52),
            FloatKind::F80 | FloatKind::F128 => return None,
        })
    }
}

/// What a [`Type`] is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `index`: the integer of subscripts; 64 bits on every target of gpuc.
    Index,
    /// `none`.
    None,
    /// `i32`, `si8`, `ui64`.
    Integer {
        /// Bits, 1 to 2^24 - 1.
        width: u32,
        /// Signedness.
        sign: Signedness,
    },
    /// `f32`.
    Float(FloatKind),
    /// `complex<f32>`.
    Complex(Type),
    /// `tuple<i32, f32>`.
    Tuple(Box<[Type]>),
    /// `(i32, i32) -> f32`.
    Function {
        /// Argument types.
        inputs: Box<[Type]>,
        /// Result types.
        results: Box<[Type]>,
    },
    /// `vector<4x[8]xf32>`.
    Vector {
        /// Extents, all static.
        shape: Box<[i64]>,
        /// Which dimensions are scalable; as long as `shape`.
        scalable: Box<[bool]>,
        /// Element type.
        element: Type,
    },
    /// `tensor<4x?xf32, #encoding>`.
    Tensor {
        /// Extents; [`DYNAMIC`] for `?`.
        shape: Box<[i64]>,
        /// Element type.
        element: Type,
        /// Encoding, if any.
        encoding: Option<Attr>,
    },
    /// `tensor<*xf32>`.
    UnrankedTensor(Type),
    /// `memref<4x?xf32, strided<[?, 1]>, 3>`.
    MemRef {
        /// Extents; [`DYNAMIC`] for `?`.
        shape: Box<[i64]>,
        /// Element type.
        element: Type,
        /// An affine map or strided layout; `None` is the identity.
        layout: Option<Attr>,
        /// Memory space; `None` is the default space.
        space: Option<Attr>,
    },
    /// `memref<*xf32>`.
    UnrankedMemRef {
        /// Element type.
        element: Type,
        /// Memory space; `None` is the default space.
        space: Option<Attr>,
    },
    /// A type of a dialect, by its text: `!gpu.async.token` has dialect `gpu`, text `async.token`.
    Dialect {
        /// Namespace.
        dialect: Ident,
        /// Everything behind `!dialect.`.
        text: Ident,
    },
}

/// Constructors.
impl Context {
    /// `i{width}`.
    pub fn int(&mut self, width: u32) -> Type {
        self.intern_type(TypeKind::Integer { width, sign: Signedness::Signless })
    }

    /// `i1`.
    pub fn i1(&mut self) -> Type {
        self.int(1)
    }

    /// `i32`.
    pub fn i32(&mut self) -> Type {
        self.int(32)
    }

    /// `i64`.
    pub fn i64(&mut self) -> Type {
        self.int(64)
    }

    /// `index`.
    pub fn index(&mut self) -> Type {
        self.intern_type(TypeKind::Index)
    }

    /// `none`.
    pub fn none(&mut self) -> Type {
        self.intern_type(TypeKind::None)
    }

    /// A floating-point type.
    pub fn float(&mut self, kind: FloatKind) -> Type {
        self.intern_type(TypeKind::Float(kind))
    }

    /// `f32`.
    pub fn f32(&mut self) -> Type {
        self.float(FloatKind::F32)
    }

    /// `f64`.
    pub fn f64(&mut self) -> Type {
        self.float(FloatKind::F64)
    }

    /// `(inputs) -> results`.
    pub fn function(&mut self, inputs: &[Type], results: &[Type]) -> Type {
        self.intern_type(TypeKind::Function { inputs: inputs.into(), results: results.into() })
    }

    /// A fixed-length vector.
    pub fn vector(&mut self, shape: &[i64], element: Type) -> Type {
        let scalable = vec![false; shape.len()].into();
        self.intern_type(TypeKind::Vector { shape: shape.into(), scalable, element })
    }

    /// A memref with identity layout in the default memory space.
    pub fn memref(&mut self, shape: &[i64], element: Type) -> Type {
        self.memref_in(shape, element, None, None)
    }

    /// A memref with layout and memory space. The identity map is no layout; strides are kept, also those of the identity.
    pub fn memref_in(
        &mut self,
        shape: &[i64],
        element: Type,
        layout: Option<Attr>,
        space: Option<Attr>,
    ) -> Type {
        let layout = layout.filter(|&layout| !self.is_identity_map(layout));
        self.intern_type(TypeKind::MemRef { shape: shape.into(), element, layout, space })
    }

    /// A dialect's type by its text.
    pub fn dialect_type(&mut self, dialect: &str, text: &str) -> Type {
        let (dialect, text) = (self.ident(dialect), self.ident(text));
        self.intern_type(TypeKind::Dialect { dialect, text })
    }

    /// `ty` with its (element) type replaced by `element`, keeping shape, layout and space; scalars
    /// become `element` itself. `cmpi` on `vector<4xi32>` gives `vector<4xi1>` this way.
    pub fn with_element(&mut self, ty: Type, element: Type) -> Type {
        let kind = match self.type_kind(ty).clone() {
            TypeKind::Vector { shape, scalable, .. } => {
                TypeKind::Vector { shape, scalable, element }
            }
            TypeKind::Tensor { shape, encoding, .. } => {
                TypeKind::Tensor { shape, element, encoding }
            }
            TypeKind::UnrankedTensor(_) => TypeKind::UnrankedTensor(element),
            TypeKind::MemRef { shape, layout, space, .. } => {
                TypeKind::MemRef { shape, element, layout, space }
            }
            TypeKind::UnrankedMemRef { space, .. } => TypeKind::UnrankedMemRef { element, space },
            _ => return element,
        };
        self.intern_type(kind)
    }
}

/// Queries. All take the type by key; a type that is not of the asked kind answers `None`.
impl Context {
    /// Width of an integer type of any signedness.
    pub fn int_width(&self, ty: Type) -> Option<u32> {
        match *self.type_kind(ty) {
            TypeKind::Integer { width, .. } => Some(width),
            _ => None,
        }
    }

    /// Width of an integer, 64 for `index`.
    pub fn int_or_index_width(&self, ty: Type) -> Option<u32> {
        match *self.type_kind(ty) {
            TypeKind::Integer { width, .. } => Some(width),
            TypeKind::Index => Some(64),
            _ => None,
        }
    }

    /// Format of a floating-point type.
    pub fn float_kind(&self, ty: Type) -> Option<FloatKind> {
        match *self.type_kind(ty) {
            TypeKind::Float(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether `ty` is `index`.
    pub fn is_index(&self, ty: Type) -> bool {
        matches!(self.type_kind(ty), TypeKind::Index)
    }

    /// Whether `ty` is a signless integer.
    pub fn is_signless_int(&self, ty: Type) -> bool {
        matches!(self.type_kind(ty), TypeKind::Integer { sign: Signedness::Signless, .. })
    }

    /// Whether `ty` is a signless integer or `index`.
    pub fn is_signless_int_or_index(&self, ty: Type) -> bool {
        self.is_index(ty) || self.is_signless_int(ty)
    }

    /// Whether `ty` is a floating-point type.
    pub fn is_float(&self, ty: Type) -> bool {
        self.float_kind(ty).is_some()
    }

    /// Whether `ty` is a ranked memref.
    pub fn is_memref(&self, ty: Type) -> bool {
        matches!(self.type_kind(ty), TypeKind::MemRef { .. })
    }

    /// Whether `ty` is a vector.
    pub fn is_vector(&self, ty: Type) -> bool {
        matches!(self.type_kind(ty), TypeKind::Vector { .. })
    }

    /// Element type of a shaped type.
    pub fn element(&self, ty: Type) -> Option<Type> {
        match *self.type_kind(ty) {
            TypeKind::Vector { element, .. }
            | TypeKind::Tensor { element, .. }
            | TypeKind::UnrankedTensor(element)
            | TypeKind::MemRef { element, .. }
            | TypeKind::UnrankedMemRef { element, .. } => Some(element),
            _ => None,
        }
    }

    /// Element type of a vector or tensor, or the type itself: what an element-wise operation
    /// works on.
    pub fn element_or_self(&self, ty: Type) -> Type {
        match *self.type_kind(ty) {
            TypeKind::Vector { element, .. }
            | TypeKind::Tensor { element, .. }
            | TypeKind::UnrankedTensor(element) => element,
            _ => ty,
        }
    }

    /// Extents of a ranked shaped type.
    pub fn shape(&self, ty: Type) -> Option<&[i64]> {
        match self.type_kind(ty) {
            TypeKind::Vector { shape, .. }
            | TypeKind::Tensor { shape, .. }
            | TypeKind::MemRef { shape, .. } => Some(shape),
            _ => None,
        }
    }

    /// Memory space of a memref; `Some(None)` is the default space.
    pub fn memory_space(&self, ty: Type) -> Option<Option<Attr>> {
        match *self.type_kind(ty) {
            TypeKind::MemRef { space, .. } | TypeKind::UnrankedMemRef { space, .. } => Some(space),
            _ => None,
        }
    }

    /// Inputs and results of a function type.
    pub fn signature(&self, ty: Type) -> Option<(&[Type], &[Type])> {
        match self.type_kind(ty) {
            TypeKind::Function { inputs, results } => Some((inputs, results)),
            _ => None,
        }
    }
}
