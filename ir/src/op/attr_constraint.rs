//! Constraints on attributes, and how formats print them.

use std::fmt;

use smallvec::SmallVec;

use super::OpDef;
use crate::attrs::Attr;
use crate::context::{Context, Ident};
use crate::types::Type;

/// An inherent attribute in a definition.
#[derive(Clone, Copy, Debug)]
pub struct AttrSpec {
    /// Name.
    pub name: &'static str,
    /// Whether it must be there.
    pub presence: Presence,
    /// What it must be.
    pub constraint: &'static AttrConstraint,
}

/// Whether an attribute must be there.
#[derive(Clone, Copy)]
pub enum Presence {
    /// Always.
    Required,
    /// May be absent.
    Optional,
    /// Absent means this value; an attribute equal to it is not kept.
    Default(fn(&mut Context) -> Attr),
}

impl fmt::Debug for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Presence::Required => "required",
            Presence::Optional => "optional",
            Presence::Default(_) => "default",
        })
    }
}

/// A condition on an attribute.
pub struct AttrConstraint {
    /// For "attribute 'x' failed to satisfy constraint: {summary}".
    pub summary: &'static str,
    /// The condition.
    pub holds: fn(&Context, Attr) -> bool,
    /// How `$name` in a format reads and writes it.
    pub syntax: AttrSyntax,
}

impl fmt::Debug for AttrConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.summary)
    }
}

/// Gives the attributes of an operation that is being read their one form: enumerations as its definition spells them, and
/// those that say no more than their absence does not at all.
pub fn settle_attrs(ctx: &mut Context, def: &OpDef, attrs: &mut SmallVec<[(Ident, Attr); 2]>) {
    if attrs.is_empty() {
        return;
    }
    for spec in def.attrs {
        let spelled = match spec.constraint.syntax {
            // What is stored as a number has but one form.
            AttrSyntax::Enum(cases) => Some(cases).filter(|cases| !cases.is_number()),
            _ => None,
        };
        if spelled.is_none() && !matches!(spec.presence, Presence::Default(_)) {
            continue;
        }
        let Some(name) = ctx.find_ident(spec.name) else { continue };
        let Some(at) = attrs.iter().position(|attr| attr.0 == name) else { continue };
        if let Some(cases) = spelled
            && let Some(number) = cases.number(ctx, attrs[at].1)
        {
            attrs[at].1 = cases.attr(ctx, number);
        }
        if let Presence::Default(make) = spec.presence
            && attrs[at].1 == make(ctx)
        {
            attrs.remove(at);
        }
    }
}

/// How a format reads and writes an attribute.
#[derive(Clone, Copy)]
pub enum AttrSyntax {
    /// As in a dictionary, type suffix included.
    Full,
    /// The same, of a reference to a symbol and nothing else.
    Reference,
    /// A number without its type, which is always this one.
    Typed(fn(&mut Context) -> Type),
    /// `[1, 2]` for a dense array of this element type.
    DenseArray(fn(&mut Context) -> Type),
    /// `@name` for a string attribute.
    SymbolName,
    /// A bare type.
    Type,
    /// Keywords for numbered cases.
    Enum(&'static EnumSpec),
    /// Nothing: presence is said by an optional group.
    Unit,
}

/// An enumeration attribute.
#[derive(Debug)]
pub struct EnumSpec {
    /// Dialect of the attribute (`arith`).
    pub dialect: &'static str,
    /// Mnemonic (`fastmath`).
    pub mnemonic: &'static str,
    /// Keyword and number of each case. With `bits`, numbers are masks and several may be given,
    /// separated by commas; larger combinations come first and are preferred in print.
    pub cases: &'static [(&'static str, i64)],
    /// Whether cases combine.
    pub bits: bool,
    /// How it is stored, and so what the generic form shows.
    pub storage: EnumStorage,
}

/// How an enumeration is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumStorage {
    /// As an integer attribute of this width (`predicate = 2 : i64`).
    Integer(u32),
    /// As `#dialect.mnemonic<keyword>` (`#arith.fastmath<fast>`).
    Angled,
    /// As `#dialect<mnemonic keyword>` (`#gpu<all_reduce_op add>`).
    Spaced,
}

impl EnumSpec {
    /// Whether the enumeration is stored as a number.
    fn is_number(&self) -> bool {
        matches!(self.storage, EnumStorage::Integer(_))
    }

    /// The attribute for a number.
    pub fn attr(&self, ctx: &mut Context, number: i64) -> Attr {
        match self.storage {
            EnumStorage::Integer(width) => {
                let ty = ctx.int(width);
                ctx.int_attr(number.into(), ty)
            }
            EnumStorage::Angled => {
                let text = format!("{}<{}>", self.mnemonic, self.keywords(number));
                ctx.dialect_attr(self.dialect, &text)
            }
            EnumStorage::Spaced => {
                let text = format!("<{} {}>", self.mnemonic, self.keywords(number));
                ctx.dialect_attr(self.dialect, &text)
            }
        }
    }

    /// The number in an attribute; `None` where it is no case of this enumeration.
    pub fn number(&self, ctx: &Context, attr: Attr) -> Option<i64> {
        if let EnumStorage::Integer(_) = self.storage {
            let number = ctx.i64_value(attr)?;
            return (self.bits || self.cases.iter().any(|case| case.1 == number)).then_some(number);
        }
        let (dialect, text) = ctx.dialect_attr_text(attr)?;
        if dialect != self.dialect {
            return None;
        }
        let inner = match self.storage {
            EnumStorage::Angled => text.strip_prefix(self.mnemonic)?.strip_prefix('<')?,
            _ => text.strip_prefix('<')?.strip_prefix(self.mnemonic)?,
        };
        self.parse(inner.strip_suffix('>')?)
    }

    /// The number that keywords name.
    pub fn parse(&self, keywords: &str) -> Option<i64> {
        let one = |word: &str| self.cases.iter().find(|case| case.0 == word.trim()).map(|c| c.1);
        if self.bits {
            keywords.split(',').try_fold(0, |number, word| Some(number | one(word)?))
        } else {
            one(keywords)
        }
    }

    /// The keywords for a number; decimal where it has none.
    pub fn keywords(&self, number: i64) -> String {
        if let Some(case) = self.cases.iter().find(|case| case.1 == number) {
            return case.0.to_owned();
        }
        let mut rest = number;
        let mut words = Vec::new();
        for &(word, mask) in self.cases {
            if self.bits && mask != 0 && mask.count_ones() == 1 && rest & mask == mask {
                words.push(word);
                rest &= !mask;
            }
        }
        if rest == 0 && !words.is_empty() { words.join(",") } else { number.to_string() }
    }
}

/// The constraints that many operations share, with upstream's wording.
pub mod attrs {
    use super::{AttrConstraint, AttrSyntax};
    use crate::attrs::AttrKind;
    use crate::context::Context;

    macro_rules! constraints {
        ($($(#[$doc:meta])* $name:ident = $summary:literal, $syntax:expr, $holds:expr;)*) => {$(
            $(#[$doc])*
            pub static $name: AttrConstraint =
                AttrConstraint { summary: $summary, holds: $holds, syntax: $syntax };
        )*};
    }

    fn is_int(ctx: &Context, attr: crate::Attr, width: u32) -> bool {
        matches!(*ctx.attr_kind(attr), AttrKind::Integer { ty, .. }
            if ctx.is_signless_int(ty) && ctx.int_width(ty) == Some(width))
    }

    constraints! {
        /// Anything.
        ANY = "any attribute", AttrSyntax::Full, |_, _| true;
        /// A typed attribute: number or elements.
        TYPED = "TypedAttr instance", AttrSyntax::Full, |ctx, a| ctx.attr_type(a).is_some() || ctx.string_value(a).is_some();
        /// `unit`.
        UNIT = "unit attribute", AttrSyntax::Unit, |ctx, a| matches!(ctx.attr_kind(a), AttrKind::Unit);
        /// `true` or `false`.
        BOOL = "bool attribute", AttrSyntax::Typed(|ctx| ctx.i1()), |ctx, a| is_int(ctx, a, 1);
        /// A 32-bit integer.
        I32 = "32-bit signless integer attribute", AttrSyntax::Typed(|ctx| ctx.i32()), |ctx, a| is_int(ctx, a, 32);
        /// A 64-bit integer.
        I64 = "64-bit signless integer attribute", AttrSyntax::Typed(|ctx| ctx.i64()), |ctx, a| is_int(ctx, a, 64);
        /// An `index` integer.
        INDEX = "index attribute", AttrSyntax::Typed(|ctx| ctx.index()), |ctx, a| {
            matches!(*ctx.attr_kind(a), AttrKind::Integer { ty, .. } if ctx.is_index(ty))
        };
        /// A string.
        STRING = "string attribute", AttrSyntax::Full, |ctx, a| ctx.string_value(a).is_some();
        /// The name of a symbol.
        SYMBOL_NAME = "string attribute", AttrSyntax::SymbolName, |ctx, a| ctx.string_value(a).is_some();
        /// A reference to a symbol of the same table.
        FLAT_SYMBOL = "flat symbol reference attribute", AttrSyntax::Reference, |ctx, a| {
            matches!(ctx.attr_kind(a), AttrKind::Symbol { nested, .. } if nested.is_empty())
        };
        /// A reference to a symbol.
        SYMBOL = "symbol reference attribute", AttrSyntax::Reference, |ctx, a| ctx.symbol_root(a).is_some();
        /// A type.
        TYPE = "any type attribute", AttrSyntax::Type, |ctx, a| ctx.type_value(a).is_some();
        /// A function type.
        FUNCTION_TYPE = "type attribute of function type", AttrSyntax::Type, |ctx, a| {
            ctx.type_value(a).is_some_and(|ty| ctx.signature(ty).is_some())
        };
        /// An affine map.
        MAP = "AffineMap attribute", AttrSyntax::Full, |ctx, a| ctx.map_value(a).is_some();
        /// An integer set.
        SET = "IntegerSet attribute", AttrSyntax::Full, |ctx, a| ctx.set_value(a).is_some();
        /// An array.
        ARRAY = "array attribute", AttrSyntax::Full, |ctx, a| ctx.array_value(a).is_some();
        /// An array of dictionaries.
        DICT_ARRAY = "Array of dictionary attributes", AttrSyntax::Full, |ctx, a| {
            ctx.array_value(a).is_some_and(|e| e.iter().all(|&a| matches!(ctx.attr_kind(a), AttrKind::Dict(_))))
        };
        /// A dense array of 32-bit integers.
        I32_ARRAY = "i32 dense array attribute", AttrSyntax::DenseArray(|ctx| ctx.i32()), |ctx, a| {
            matches!(*ctx.attr_kind(a), AttrKind::DenseArray { element, .. } if ctx.int_width(element) == Some(32))
        };
        /// A dense array of 64-bit integers.
        I64_ARRAY = "i64 dense array attribute", AttrSyntax::DenseArray(|ctx| ctx.i64()), |ctx, a| {
            matches!(*ctx.attr_kind(a), AttrKind::DenseArray { element, .. } if ctx.int_width(element) == Some(64))
        };
    }
}
