//! Assembly formats: ODS notation, compiled once for each operation and then interpreted by reader
//! and writer.

use std::sync::OnceLock;

use crate::attrs::Attr;
use crate::context::Context;
use crate::graph::{Ir, Op};
use crate::op::OpDef;

mod compile;
mod infer;
mod read;
mod write;

pub(super) use read::{Frame, read};
pub(super) use write::write;

/// An operation's format, compiled at first use.
#[derive(Debug)]
pub struct FormatCache(OnceLock<Result<Format, String>>);

impl FormatCache {
    /// Not compiled yet.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        FormatCache(OnceLock::new())
    }

    /// The compiled format of `def`, which holds this cache.
    fn get(&'static self, def: &'static OpDef) -> Result<&'static Format, &'static str> {
        match self.0.get_or_init(|| compile::compile(def)) {
            Ok(format) => Ok(format),
            Err(message) => Err(message),
        }
    }
}

/// Checks the format of an operation: what is wrong with it, if anything. For tests over all
/// operations of a dialect.
pub fn check_format(def: &'static OpDef) -> Result<(), String> {
    def.compiled_format.get(def).map(|_| ()).map_err(|message| format!("{}: {message}", def.name))
}

/// Whether `attr`, the attribute `name` of an operation defined by `def`, is its default.
pub(super) fn is_default(ctx: &Context, def: &'static OpDef, name: &str, attr: Attr) -> bool {
    let Ok(format) = def.compiled_format.get(def) else { return false };
    let position = def.attrs.iter().position(|spec| spec.name == name);
    let default = position.and_then(|i| format.defaults[i].as_deref());
    default.is_some_and(|text| text == ctx.attr_text(attr))
}

/// Names and texts of the defaults that stand for inherent attributes that an operation does not hold.
pub fn defaults_left_out(ir: &Ir, op: Op) -> impl Iterator<Item = (&'static str, &'static str)> {
    let def = ir.def(op);
    let format = def.and_then(|def| def.compiled_format.get(def).ok());
    let specs = def.map_or(&[][..], |def| def.attrs).iter();
    specs.zip(format.map_or(&[][..], |format| &format.defaults)).filter_map(move |(spec, text)| {
        let text = text.as_deref().filter(|_| ir.attr(op, spec.name).is_none())?;
        Some((spec.name, text))
    })
}

/// A compiled format.
#[derive(Debug)]
struct Format {
    elements: Vec<Element>,
    /// Names of attributes that the format reads and writes elsewhere than in `attr-dict`.
    bound_attrs: Vec<&'static str>,
    /// For each inherent attribute, the text of its default.
    defaults: Vec<Option<String>>,
}

/// An element with the space before it, which does not depend on what is printed.
#[derive(Debug)]
struct Element {
    space: bool,
    kind: ElementKind,
}

#[derive(Debug)]
enum ElementKind {
    /// A keyword or punctuation.
    Literal(Box<str>),
    /// A space, or a line break, that only the writer cares for.
    Blank(&'static str),
    Operand(usize),
    /// `$attr`.
    Attr(usize),
    /// A unit attribute that is there because what stands around it is.
    Unit(usize),
    Region(usize),
    Successor(usize),
    /// `operands`, `regions`, `successors`: all of them.
    Operands,
    Regions,
    Successors,
    AttrDict {
        keyword: bool,
    },
    PropDict,
    Type(TypeOf),
    FunctionalType(TypeOf, TypeOf),
    /// Number in `hooks.custom`, and the texts of the arguments.
    Custom {
        directive: usize,
        arguments: Vec<Box<str>>,
    },
    Group {
        anchor: Anchor,
        then: Vec<Element>,
        otherwise: Vec<Element>,
    },
    /// `oilist`: clauses in any order, each at most once.
    AnyOrder(Vec<Clause>),
}

/// A clause of an `oilist`.
#[derive(Debug)]
struct Clause {
    keyword: Box<str>,
    space: bool,
    elements: Vec<Element>,
    anchor: Anchor,
}

/// Whose types a directive means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypeOf {
    Operand(usize),
    Result(usize),
    Operands,
    Results,
}

/// What decides whether an optional group is written.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Anchor {
    Operand(usize),
    Attr(usize),
    Region(usize),
    Successor(usize),
    Result(usize),
    /// Any of these, for custom directives.
    Any(Vec<Anchor>),
}
