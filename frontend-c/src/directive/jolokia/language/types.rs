//! The names of the types, and what a name of the program is.

use crate::symbol::Symbol;

/// The elements' types by their names (Patel 2014, §3.1.2.1): `f32Array`, `f32Scalar` and the like.
const ELEMENTS: &[(&str, &str)] = &[
    ("f32", "float"),
    ("f64", "double"),
    ("i8", "signed char"),
    ("i16", "short"),
    ("i32", "int"),
    ("i64", "long"),
    ("u8", "unsigned char"),
    ("u16", "unsigned short"),
    ("u32", "unsigned int"),
    ("u64", "unsigned long"),
];

/// Functions of mathematics, which apply to each element.
const MATH: &[&str] = &[
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "cos",
    "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin",
    "fmod", "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "rint", "round", "sin",
    "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc",
];

/// A type of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    /// The name.
    pub name: &'static str,
    /// C's type of an element.
    pub element: &'static str,
    /// Whether it is an array's.
    pub is_array: bool,
}

/// The type of a name.
pub(super) fn type_of(name: &str) -> Option<Type> {
    let (prefix, is_array) = match name.strip_suffix("Array") {
        Some(prefix) => (prefix, true),
        None => (name.strip_suffix("Scalar")?, false),
    };
    let (name, element) = ELEMENTS.iter().find(|(name, _)| *name == prefix)?;
    Some(Type { name, element, is_array })
}

/// Whether a function is one of mathematics.
pub(super) fn is_math(name: &str) -> bool {
    MATH.contains(&name) || name.strip_suffix('f').is_some_and(|name| MATH.contains(&name))
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Variable {
    /// An array.
    Array(Array),
    /// A scalar of the language.
    Scalar(Scalar),
    /// What a pointer parameter points to.
    Reference,
    /// Something of C's.
    Plain,
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Array {
    /// Its name.
    pub name: Symbol,
    /// The type of its elements.
    pub element: &'static str,
    /// How many dimensions it has, where that is known.
    pub dimensions: Option<usize>,
}

/// A scalar.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scalar {
    /// C's type.
    pub element: &'static str,
    /// What it begins with.
    pub begins: String,
    /// How many loops with independent iterations it is declared in.
    pub depth: usize,
    /// Whether iterations had it for their own, so that nothing is known of it behind them.
    pub spent: bool,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    /// Its name; none in a prototype.
    pub name: Option<Symbol>,
    /// What it is.
    pub kind: ParameterKind,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParameterKind {
    /// An array, with the number of dimensions by which the function subscribes it.
    Array {
        /// The type of its elements.
        element: &'static str,
        /// How many subscripts it has there, if any.
        subscripts: Option<usize>,
    },
    /// A reference to something that the function may change: a pointer.
    Pointer,
    /// A scalar of the language, or a reference to what the function only reads: a value.
    Scalar(&'static str),
    /// A value of C's.
    Value,
}

/// The most dimensions that an array has.
pub(super) const MOST: usize = 3;
