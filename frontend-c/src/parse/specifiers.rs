//! Declaration specifiers (C11 §6.7.1 to §6.7.5) and type names.

use super::attributes::Attributes;
use super::{Failed, Parsed, Parser};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;
use crate::types::{Qualifiers, StorageClass, Type};

/// What the specifiers of a declaration say.
#[derive(Clone, Debug)]
pub(crate) struct Specifiers {
    pub ty: Type,
    pub class: StorageClass,
    pub thread: bool,
    pub inline: bool,
    pub noreturn: bool,
    pub constexpr: bool,
    /// `__auto_type`, or C23's `auto`: the type is the initialiser's.
    pub deduced: bool,
    pub attributes: Attributes,
    pub span: Span,
}

impl Specifiers {
    /// The `int` of a declaration without specifiers.
    pub(crate) fn implicit_int(span: Span) -> Self {
        Specifiers { ty: Type::INT, ..Specifiers::none(span) }
    }

    fn none(span: Span) -> Self {
        Specifiers {
            ty: Type::ERROR,
            class: StorageClass::None,
            thread: false,
            inline: false,
            noreturn: false,
            constexpr: false,
            deduced: false,
            attributes: Attributes::default(),
            span,
        }
    }
}

/// The words of a basic type, in any order.
#[derive(Default)]
struct Basic {
    /// The type of everything that is not put together from words.
    whole: Option<Type>,
    char: bool,
    short: bool,
    int: bool,
    longs: u8,
    signed: bool,
    unsigned: bool,
    double: bool,
    complex: bool,
}

impl Basic {
    fn any(&self) -> bool {
        self.typed() || self.complex
    }

    /// Whether a type is there; `_Complex` alone waits for one.
    fn typed(&self) -> bool {
        self.whole.is_some()
            || self.char
            || self.short
            || self.int
            || self.longs > 0
            || self.signed
            || self.unsigned
            || self.double
    }

    fn resolve(&self) -> Option<Type> {
        let pick = |signed, unsigned| if self.unsigned { unsigned } else { signed };
        if self.signed && self.unsigned || self.longs > 2 {
            return None;
        }
        let words = self.char || self.short || self.int || self.longs > 0;
        Some(match self.whole {
            Some(Type::INT128) if !words && !self.double => pick(Type::INT128, Type::UINT128),
            Some(ty) if !words && !self.double && !self.signed && !self.unsigned => ty,
            Some(_) => return None,
            None if self.double => match (self.longs, self.char || self.short || self.int) {
                (0, false) => Type::DOUBLE,
                (1, false) => Type::LDOUBLE,
                _ => return None,
            },
            None if self.char => match (self.short || self.int || self.longs > 0, self.signed) {
                (true, _) => return None,
                (false, true) => Type::SCHAR,
                (false, false) => pick(Type::CHAR, Type::UCHAR),
            },
            None if self.short && self.longs > 0 => return None,
            None if self.short => pick(Type::SHORT, Type::USHORT),
            None => match self.longs {
                0 if self.complex && !self.int && !self.signed && !self.unsigned => Type::DOUBLE,
                0 => pick(Type::INT, Type::UINT),
                1 => pick(Type::LONG, Type::ULONG),
                _ => pick(Type::LLONG, Type::ULLONG),
            },
        })
    }
}

fn qualifier(keyword: Keyword) -> Option<Qualifiers> {
    match keyword {
        Keyword::Const => Some(Qualifiers::CONST),
        Keyword::Volatile => Some(Qualifiers::VOLATILE),
        Keyword::Restrict => Some(Qualifiers::RESTRICT),
        Keyword::Atomic => Some(Qualifiers::ATOMIC),
        _ => None,
    }
}

impl Parser {
    /// Whether `kind` starts a type name.
    pub(super) fn starts_type(&self, kind: TokenKind) -> bool {
        use Keyword as K;
        match self.keyword_of(kind) {
            Some(keyword) => {
                qualifier(keyword).is_some()
                    || matches!(
                        keyword,
                        K::AutoType
                            | K::BitInt
                            | K::Bool
                            | K::BoolName
                            | K::Char
                            | K::Complex
                            | K::Decimal
                            | K::Double
                            | K::Enum
                            | K::Float
                            | K::Float16
                            | K::Bfloat16
                            | K::Float32
                            | K::Float32x
                            | K::Float64
                            | K::Float64x
                            | K::Float128
                            | K::Int
                            | K::Int128
                            | K::Uint128
                            | K::Long
                            | K::Short
                            | K::Signed
                            | K::Struct
                            | K::Typeof
                            | K::TypeofUnqual
                            | K::Union
                            | K::Unsigned
                            | K::Void
                    )
            }
            None => matches!(kind, TokenKind::Ident(name) if self.checker.is_typedef_name(name)),
        }
    }

    /// Whether a declaration starts here.
    pub(crate) fn starts_declaration(&self) -> bool {
        use Keyword as K;
        if self.starts_type(self.peek()) {
            // `name:` is a label even where `name` is a type.
            return self.peek_ahead(1) != TokenKind::Punct(Punct::Colon)
                || !matches!(self.peek(), TokenKind::Ident(_));
        }
        matches!(
            self.keyword(),
            Some(
                K::Alignas
                    | K::AlignasName
                    | K::Attribute
                    | K::Auto
                    | K::Constexpr
                    | K::Extern
                    | K::Inline
                    | K::Noreturn
                    | K::Register
                    | K::Static
                    | K::StaticAssert
                    | K::StaticAssertName
                    | K::ThreadLocal
                    | K::ThreadLocalName
                    | K::Typedef
            )
        )
    }

    /// Reads qualifiers (and attributes, which pointers may have).
    pub(super) fn qualifiers(&mut self) -> Parsed<Qualifiers> {
        let mut qualifiers = Qualifiers::NONE;
        loop {
            if self.at_attribute() {
                self.attributes()?;
            } else if let Some(more) = self.keyword().and_then(qualifier) {
                qualifiers = qualifiers.union(more);
                self.advance();
            } else {
                return Ok(qualifiers);
            }
        }
    }

    /// Reads declaration specifiers; at least a type or a storage class has to be there.
    pub(crate) fn specifiers(&mut self) -> Parsed<Specifiers> {
        use Keyword as K;
        let start = self.span();
        let mut basic = Basic::default();
        let mut qualifiers = Qualifiers::NONE;
        let mut specifiers = Specifiers::none(start);
        let first = self.at;
        loop {
            if self.at_attribute() {
                let attributes = self.attributes()?;
                specifiers.attributes.merge(attributes);
                continue;
            }
            let Some(keyword) = self.keyword() else {
                if let TokenKind::Ident(name) = self.peek()
                    && !basic.any()
                    && let Some(decl) = self.checker.type_named(name)
                {
                    let decl = &self.checker.unit.decls[decl];
                    basic.whole = Some(decl.ty);
                    specifiers.attributes.align = specifiers.attributes.align.max(decl.align);
                    self.advance();
                    continue;
                }
                break;
            };
            // Behind a type, such a word is the name that is declared.
            let takes_place_of_type = matches!(
                keyword,
                K::BoolName | K::Float32 | K::Float32x | K::Float64 | K::Float64x
            );
            if matches!(self.peek(), TokenKind::Ident(_)) && takes_place_of_type && basic.typed() {
                break;
            }
            let class = match keyword {
                K::Typedef => Some(StorageClass::Typedef),
                K::Extern => Some(StorageClass::Extern),
                K::Static => Some(StorageClass::Static),
                K::Auto => Some(StorageClass::Auto),
                K::Register => Some(StorageClass::Register),
                _ => None,
            };
            if let Some(class) = class {
                let span = self.advance().span;
                if specifiers.class != StorageClass::None && specifiers.class != class {
                    self.checker.error(span, "a declaration has one storage class");
                }
                specifiers.class = class;
                continue;
            }
            let followed_by_paren = self.peek_ahead(1) == TokenKind::Punct(Punct::LParen);
            if let Some(more) = qualifier(keyword)
                && !(keyword == K::Atomic && followed_by_paren)
            {
                qualifiers = qualifiers.union(more);
                self.advance();
                continue;
            }
            let whole = match keyword {
                K::Void => Some(Type::VOID),
                K::Bool | K::BoolName => Some(Type::BOOL),
                K::Float => Some(Type::FLOAT),
                K::Float16 => Some(Type::FLOAT16),
                K::Bfloat16 => Some(Type::BFLOAT16),
                K::Float32 => Some(Type::FLOAT32),
                K::Float32x => Some(Type::FLOAT32X),
                K::Float64 => Some(Type::FLOAT64),
                K::Float64x => Some(Type::FLOAT64X),
                K::Float128 => Some(Type::FLOAT128),
                K::Int128 => Some(Type::INT128),
                K::Uint128 => Some(Type::UINT128),
                _ => None,
            };
            if let Some(whole) = whole {
                let span = self.advance().span;
                if basic.whole.replace(whole).is_some() {
                    self.checker.error(span, "a declaration has one type");
                }
                continue;
            }
            match keyword {
                K::Char => basic.char = true,
                K::Short => basic.short = true,
                K::Int => basic.int = true,
                K::Long => basic.longs += 1,
                K::Signed => basic.signed = true,
                K::Unsigned => basic.unsigned = true,
                K::Double => basic.double = true,
                K::Complex => basic.complex = true,
                K::Inline => specifiers.inline = true,
                K::Noreturn => specifiers.noreturn = true,
                K::ThreadLocal | K::ThreadLocalName => specifiers.thread = true,
                K::Constexpr => specifiers.constexpr = true,
                K::AutoType => specifiers.deduced = true,
                K::Extension => {}
                K::Struct | K::Union if !basic.any() => {
                    basic.whole = Some(self.nested(Parser::record_specifier)?);
                    continue;
                }
                K::Enum if !basic.any() => {
                    basic.whole = Some(self.nested(Parser::enum_specifier)?);
                    continue;
                }
                K::Typeof | K::TypeofUnqual if !basic.any() => {
                    let ty = self.nested(Parser::typeof_specifier)?;
                    basic.whole = Some(ty);
                    continue;
                }
                K::Atomic => {
                    self.advance();
                    self.advance();
                    let ty = self.type_name()?;
                    self.expect(Punct::RParen, "after the type")?;
                    basic.whole = Some(ty.with(Qualifiers::ATOMIC));
                    continue;
                }
                K::Alignas | K::AlignasName => {
                    let align = self.alignas()?;
                    specifiers.attributes.align = specifiers.attributes.align.max(align);
                    continue;
                }
                K::BitInt | K::Decimal => {
                    let span = self.span();
                    let written = String::from_utf8_lossy(self.checker.unit.source.slice(span));
                    let message = format!("the type `{written}` is not supported");
                    self.checker.unsupported(span, message);
                    return Err(Failed);
                }
                _ => break,
            }
            self.advance();
        }
        if self.at == first {
            return Err(self.unexpected("a declaration"));
        }
        specifiers.span = self.span_from(start);
        if specifiers.class == StorageClass::Auto && !basic.any() {
            specifiers.deduced = true;
        }
        if specifiers.constexpr {
            qualifiers = qualifiers.union(Qualifiers::CONST);
        }
        let ty = if basic.any() { basic.resolve() } else { Some(Type::INT) };
        let Some(mut ty) = ty else {
            let span = specifiers.span;
            self.checker.error(span, "these words do not make a type");
            return Err(Failed);
        };
        if basic.complex {
            ty = self.checker.unit.types.complex_of(ty);
        }
        specifiers.noreturn |= specifiers.attributes.noreturn;
        specifiers.ty = self.checker.unit.types.qualify(ty, qualifiers);
        Ok(specifiers)
    }

    fn typeof_specifier(&mut self) -> Parsed<Type> {
        let unqualified = self.keyword() == Some(Keyword::TypeofUnqual);
        self.advance();
        self.expect(Punct::LParen, "after `typeof`")?;
        let ty = if self.starts_type(self.peek()) {
            self.type_name()?
        } else {
            let expr = self.expression()?;
            self.checker.ty(expr)
        };
        self.expect(Punct::RParen, "after the operand of `typeof`")?;
        Ok(if unqualified { ty.unqualified() } else { ty })
    }

    fn alignas(&mut self) -> Parsed<Option<u64>> {
        self.advance();
        self.expect(Punct::LParen, "after `_Alignas`")?;
        let align = if self.starts_type(self.peek()) {
            let ty = self.type_name()?;
            self.checker.unit.types.alignment(ty)
        } else {
            let expr = self.assignment_expression()?;
            let value = self.checker.require_constant(expr, "an alignment");
            value.and_then(|v| u64::try_from(v).ok()).filter(|v| v.is_power_of_two())
        };
        self.expect(Punct::RParen, "after the alignment")?;
        Ok(align)
    }

    /// A type name: specifiers and an abstract declarator.
    pub(crate) fn type_name(&mut self) -> Parsed<Type> {
        self.nested(|parser| {
            let specifiers = parser.specifiers()?;
            let declarator = parser.abstract_declarator()?;
            Ok(parser.declared_type(&specifiers, &declarator))
        })
    }
}
