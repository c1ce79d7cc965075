//! C's types, interned, and what the language says of expressions over them.
//!
//! [`Types`] holds the types of a unit. [`Checker`] builds the typed tree: the parser calls it for
//! every expression and declaration it has recognised, and it checks, types and adds the implicit
//! conversions.

mod arithmetic;
mod builtins;
mod calls;
mod checker;
mod compatible;
mod constant;
mod convert;
mod display;
mod expressions;
mod initializer;
mod kinds;
mod layout;
mod operators;
mod record;
mod scope;

use rustc_hash::FxHashMap;

use crate::dialect::Dialect;

pub(crate) use builtins::declaration as builtin_declaration;
pub use checker::Checker;
pub(crate) use checker::{Declaration, StorageClass};
pub use constant::Constant;
pub(crate) use initializer::{Designator, InitItem, InitSyntax};
pub use kinds::{FloatKind, IntKind};
pub(crate) use layout::FieldDeclaration;
pub use layout::Layout;
pub use record::{BitField, Enum, EnumId, Field, Record, RecordId};
pub(crate) use scope::Entity;

use crate::source::Span;
use crate::symbol::Symbol;
use crate::tree::ExprId;

/// A type with its qualifiers; equal types are equal words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type(u32);

/// `const`, `volatile`, `restrict` and `_Atomic`, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Qualifiers(u32);

impl Qualifiers {
    /// `const`.
    pub const CONST: Qualifiers = Qualifiers(1);
    /// `volatile`.
    pub const VOLATILE: Qualifiers = Qualifiers(2);
    /// `restrict`.
    pub const RESTRICT: Qualifiers = Qualifiers(4);
    /// `_Atomic`.
    pub const ATOMIC: Qualifiers = Qualifiers(8);
    /// No qualifier.
    pub const NONE: Qualifiers = Qualifiers(0);

    /// The qualifiers of both.
    pub fn union(self, other: Qualifiers) -> Qualifiers {
        Qualifiers(self.0 | other.0)
    }

    /// Whether all of `other` are among these.
    pub fn contains(self, other: Qualifiers) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

const QUALIFIER_SHIFT: u32 = 28;

impl Type {
    /// The type of what was refused; anything done with it is quietly of this type too.
    pub const ERROR: Type = Type(0);
    /// `void`.
    pub const VOID: Type = Type(1);
    /// `_Bool`.
    pub const BOOL: Type = Type(2);
    /// `char`, signed on this platform.
    pub const CHAR: Type = Type(3);
    /// `signed char`.
    pub const SCHAR: Type = Type(4);
    /// `unsigned char`.
    pub const UCHAR: Type = Type(5);
    /// `short`.
    pub const SHORT: Type = Type(6);
    /// `unsigned short`.
    pub const USHORT: Type = Type(7);
    /// `int`.
    pub const INT: Type = Type(8);
    /// `unsigned int`.
    pub const UINT: Type = Type(9);
    /// `long`.
    pub const LONG: Type = Type(10);
    /// `unsigned long`; also `size_t`.
    pub const ULONG: Type = Type(11);
    /// `long long`.
    pub const LLONG: Type = Type(12);
    /// `unsigned long long`.
    pub const ULLONG: Type = Type(13);
    /// `__int128`.
    pub const INT128: Type = Type(14);
    /// `unsigned __int128`.
    pub const UINT128: Type = Type(15);
    /// `_Float16`.
    pub const FLOAT16: Type = Type(16);
    /// `__bf16`.
    pub const BFLOAT16: Type = Type(17);
    /// `float`.
    pub const FLOAT: Type = Type(18);
    /// `_Float32`.
    pub const FLOAT32: Type = Type(19);
    /// `_Float32x`.
    pub const FLOAT32X: Type = Type(20);
    /// `double`.
    pub const DOUBLE: Type = Type(21);
    /// `_Float64`.
    pub const FLOAT64: Type = Type(22);
    /// `_Float64x`.
    pub const FLOAT64X: Type = Type(23);
    /// `long double`.
    pub const LDOUBLE: Type = Type(24);
    /// `_Float128`.
    pub const FLOAT128: Type = Type(25);
    /// `nullptr_t`.
    pub const NULLPTR: Type = Type(26);
    /// The number of the first type that is not predefined.
    const FIRST_DERIVED: u32 = 27;

    /// The `number`th of the predefined types from `first` on.
    fn numbered(first: Type, number: u32) -> Type {
        Type(first.0 + number)
    }

    fn index(self) -> usize {
        (self.0 & ((1 << QUALIFIER_SHIFT) - 1)) as usize
    }

    /// The qualifiers.
    pub fn qualifiers(self) -> Qualifiers {
        Qualifiers(self.0 >> QUALIFIER_SHIFT)
    }

    /// The type without its qualifiers.
    pub fn unqualified(self) -> Type {
        Type(self.index() as u32)
    }

    /// The type with `qualifiers` besides its own.
    pub fn with(self, qualifiers: Qualifiers) -> Type {
        Type(self.0 | qualifiers.0 << QUALIFIER_SHIFT)
    }

    /// Whether this stands for something that was refused.
    pub fn is_error(self) -> bool {
        self.index() == 0
    }
}

impl std::fmt::Debug for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "type{}", self.index())?;
        if self.qualifiers().is_empty() { Ok(()) } else { write!(f, "{:?}", self.qualifiers()) }
    }
}

/// The number of elements of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArraySize {
    /// Known.
    Constant(u64),
    /// `[]`: incomplete, or a flexible member.
    Unknown,
    /// The value of an expression at run time.
    Variable(ExprId),
    /// `[*]` in a prototype.
    Star,
}

/// The shape of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// Something that was refused.
    Error,
    /// `void`.
    Void,
    /// An integer type; enumerations are their own.
    Int(IntKind),
    /// A real floating type.
    Float(FloatKind),
    /// `_Complex` of a real type (GNU: of an integer type too).
    Complex(Type),
    /// `nullptr_t`.
    Nullptr,
    /// A pointer.
    Pointer(Type),
    /// An array; qualifiers are on the element.
    Array {
        /// The element type.
        element: Type,
        /// How many.
        size: ArraySize,
    },
    /// A function.
    Function(FunctionType),
    /// A structure or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
    /// A GNU vector.
    Vector {
        /// The element type.
        element: Type,
        /// How many.
        count: u64,
    },
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What it returns.
    pub result: Type,
    /// Its parameters, adjusted (arrays are pointers).
    pub parameters: Box<[Type]>,
    /// Whether `...` follows.
    pub variadic: bool,
    /// Whether the parameters are declared at all; `f()` says nothing of them before C23.
    pub prototype: bool,
}

/// All types of a unit.
#[derive(Debug)]
pub struct Types {
    kinds: Vec<TypeKind>,
    /// How deep each type is nested, by number.
    heights: Vec<u32>,
    known: FxHashMap<TypeKind, Type>,
    records: Vec<Record>,
    enums: Vec<Enum>,
    /// Whether plain `char` has no negative values.
    unsigned_char: bool,
}

impl Default for Types {
    fn default() -> Self {
        use TypeKind::{Error, Float, Int, Nullptr, Void};
        let ints = [
            IntKind::Bool,
            IntKind::Char,
            IntKind::SChar,
            IntKind::UChar,
            IntKind::Short,
            IntKind::UShort,
            IntKind::Int,
            IntKind::UInt,
            IntKind::Long,
            IntKind::ULong,
            IntKind::LongLong,
            IntKind::ULongLong,
            IntKind::Int128,
            IntKind::UInt128,
        ];
        let floats = [
            FloatKind::Float16,
            FloatKind::BFloat16,
            FloatKind::Float,
            FloatKind::Float32,
            FloatKind::Float32x,
            FloatKind::Double,
            FloatKind::Float64,
            FloatKind::Float64x,
            FloatKind::LongDouble,
            FloatKind::Float128,
        ];
        let mut kinds = vec![Error, Void];
        kinds.extend(ints.map(Int));
        kinds.extend(floats.map(Float));
        kinds.push(Nullptr);
        debug_assert_eq!(kinds.len() as u32, Type::FIRST_DERIVED);
        let known = kinds.iter().cloned().zip((0..).map(Type)).collect();
        let heights = vec![0; kinds.len()];
        Types {
            kinds,
            heights,
            known,
            records: Vec::new(),
            enums: Vec::new(),
            unsigned_char: false,
        }
    }
}

impl Types {
    /// The types of a dialect.
    pub fn new(dialect: &Dialect) -> Self {
        Types { unsigned_char: dialect.unsigned_char, ..Types::default() }
    }

    /// The type of `kind`.
    pub fn intern(&mut self, kind: TypeKind) -> Type {
        if let Some(&ty) = self.known.get(&kind) {
            return ty;
        }
        let ty = Type(self.kinds.len() as u32);
        let inner = match &kind {
            TypeKind::Pointer(to) => self.height(*to),
            TypeKind::Complex(element)
            | TypeKind::Array { element, .. }
            | TypeKind::Vector { element, .. } => self.height(*element),
            TypeKind::Function(function) => {
                let parameters = function.parameters.iter().map(|&p| self.height(p));
                parameters.chain([self.height(function.result)]).max().unwrap_or(0)
            }
            _ => 0,
        };
        self.heights.push(inner.saturating_add(1));
        self.kinds.push(kind.clone());
        self.known.insert(kind, ty);
        ty
    }

    /// How deep `ty` is nested: derived types count one each, a record one more than its members.
    pub(crate) fn height(&self, ty: Type) -> u32 {
        match *self.kind(ty) {
            TypeKind::Record(id) => self.record(id).height,
            _ => self.heights[ty.index()],
        }
    }

    /// The shape of `ty`.
    pub fn kind(&self, ty: Type) -> &TypeKind {
        &self.kinds[ty.index()]
    }

    /// `ty *`.
    pub fn pointer_to(&mut self, ty: Type) -> Type {
        self.intern(TypeKind::Pointer(ty))
    }

    /// `element[size]`.
    pub fn array_of(&mut self, element: Type, size: ArraySize) -> Type {
        self.intern(TypeKind::Array { element, size })
    }

    /// A function type.
    pub fn function(&mut self, function: FunctionType) -> Type {
        self.intern(TypeKind::Function(function))
    }

    /// `_Complex element`.
    pub fn complex_of(&mut self, element: Type) -> Type {
        self.intern(TypeKind::Complex(element))
    }

    /// A new record without members, and its type.
    pub fn new_record(
        &mut self,
        tag: Option<Symbol>,
        is_union: bool,
        span: Span,
    ) -> (RecordId, Type) {
        let id = RecordId(self.records.len() as u32);
        self.records.push(Record {
            tag,
            is_union,
            fields: Vec::new(),
            layout: None,
            transparent: false,
            height: 0,
            span,
        });
        (id, self.intern(TypeKind::Record(id)))
    }

    /// A new enumeration without constants, and its type.
    pub fn new_enum(&mut self, tag: Option<Symbol>, span: Span) -> (EnumId, Type) {
        let id = EnumId(self.enums.len() as u32);
        self.enums.push(Enum { tag, underlying: None, constants: Vec::new(), span });
        (id, self.intern(TypeKind::Enum(id)))
    }

    /// A record.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// A record, to complete it.
    pub(crate) fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    /// An enumeration.
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.0 as usize]
    }

    /// An enumeration, to complete it.
    pub(crate) fn enumeration_mut(&mut self, id: EnumId) -> &mut Enum {
        &mut self.enums[id.0 as usize]
    }

    /// The record that `ty` is.
    pub fn as_record(&self, ty: Type) -> Option<RecordId> {
        match *self.kind(ty) {
            TypeKind::Record(id) => Some(id),
            _ => None,
        }
    }

    /// The integer kind of `ty`, of its underlying type if it is an enumeration. Plain `char` is of
    /// the kind whose values it has.
    pub fn as_int(&self, ty: Type) -> Option<IntKind> {
        match *self.kind(ty) {
            TypeKind::Int(IntKind::Char) if self.unsigned_char => Some(IntKind::UChar),
            TypeKind::Int(kind) => Some(kind),
            TypeKind::Enum(id) => Some(self.enumeration(id).underlying.unwrap_or(IntKind::UInt)),
            _ => None,
        }
    }

    /// The floating kind of `ty` if it is a real floating type.
    pub fn as_float(&self, ty: Type) -> Option<FloatKind> {
        match *self.kind(ty) {
            TypeKind::Float(kind) => Some(kind),
            _ => None,
        }
    }

    /// What `ty` points to.
    pub fn pointee(&self, ty: Type) -> Option<Type> {
        match *self.kind(ty) {
            TypeKind::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// The elements of the array type `ty`.
    pub fn as_array(&self, ty: Type) -> Option<(Type, ArraySize)> {
        match *self.kind(ty) {
            TypeKind::Array { element, size } => Some((element, size)),
            _ => None,
        }
    }

    /// What arrays in arrays are made of; `ty` itself where it is none.
    pub fn innermost(&self, mut ty: Type) -> Type {
        while let Some((element, _)) = self.as_array(ty) {
            ty = element;
        }
        ty
    }

    /// The function type that `ty` is.
    pub fn as_function(&self, ty: Type) -> Option<&FunctionType> {
        match self.kind(ty) {
            TypeKind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The part type of a complex type.
    pub fn as_complex(&self, ty: Type) -> Option<Type> {
        match *self.kind(ty) {
            TypeKind::Complex(part) => Some(part),
            _ => None,
        }
    }

    /// Integer or enumeration.
    pub fn is_integer(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Int(_) | TypeKind::Enum(_))
    }

    /// Integer, floating or complex.
    pub fn is_arithmetic(&self, ty: Type) -> bool {
        use TypeKind::{Complex, Enum, Float, Int};
        matches!(self.kind(ty), Int(_) | Enum(_) | Float(_) | Complex(_))
    }

    /// Integer or real floating.
    pub fn is_real(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Int(_) | TypeKind::Enum(_) | TypeKind::Float(_))
    }

    /// Arithmetic or a pointer.
    pub fn is_scalar(&self, ty: Type) -> bool {
        self.is_arithmetic(ty) || matches!(self.kind(ty), TypeKind::Pointer(_) | TypeKind::Nullptr)
    }

    /// A pointer.
    pub fn is_pointer(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Pointer(_))
    }

    /// A function.
    pub fn is_function(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Function(_))
    }

    /// `void`, qualified or not.
    pub fn is_void(&self, ty: Type) -> bool {
        ty.unqualified() == Type::VOID
    }

    /// Whether the size of `ty` depends on a run-time value.
    pub fn is_variably_sized(&self, ty: Type) -> bool {
        match self.as_array(ty) {
            Some((_, ArraySize::Variable(_) | ArraySize::Star)) => true,
            Some((element, _)) => self.is_variably_sized(element),
            None => false,
        }
    }

    /// `ty` with `qualifiers`; those of an array go to its elements.
    pub fn qualify(&mut self, ty: Type, qualifiers: Qualifiers) -> Type {
        if qualifiers.is_empty() {
            return ty;
        }
        match self.as_array(ty) {
            Some((element, size)) => {
                let element = self.qualify(element, qualifiers);
                self.array_of(element, size)
            }
            None => ty.with(qualifiers),
        }
    }

    /// The member `name` of a record, through anonymous members: the way of field numbers to it.
    pub fn find_field(&self, record: RecordId, name: Symbol) -> Option<Vec<u32>> {
        for (index, field) in self.record(record).fields.iter().enumerate() {
            if field.name == Some(name) {
                return Some(vec![index as u32]);
            }
            if field.name.is_none()
                && let Some(inner) = self.as_record(field.ty)
                && let Some(mut way) = self.find_field(inner, name)
            {
                way.insert(0, index as u32);
                return Some(way);
            }
        }
        None
    }
}
